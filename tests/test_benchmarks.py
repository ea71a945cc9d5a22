"""What `make bench` measures: the page keeps what was not measured again, others are asked the same world.
No test here asserts a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import benchmarks
from tests.bench import peers
from tests.bench.cost import Failed, demand, processes
from tests.bench.quoted import READMES, quoted, renewed
from tests.benchmarks import CHAPTERS, chapter, parts, written
from tests.github_factory import REPO, GitHubFactory, factory
from tests.loopback.github import for_gh
from tests.loopback.github.world import World

ROOT = Path(__file__).resolve().parent.parent


def test_a_chapter_measured_alone_leaves_the_others_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    page = "# Old\n\nopening\n\n## The whole line\n\nrows\n\n## An idle tick\n\nold rows\n\nLeft out: x.\n"
    assert list(parts(page)) == ["The whole line", "An idle tick"]
    made = written(parts(page), {"An idle tick": "## An idle tick\n\nnew rows"})
    assert made.startswith("# What it costs\n")
    assert "opening" not in made
    assert made.endswith("\n\n## An idle tick\n\nnew rows\n\n## The whole line\n\nrows\n")
    assert parts(made) == {
        "An idle tick": "## An idle tick\n\nnew rows", "The whole line": "## The whole line\n\nrows",
    }

    def rows(_: benchmarks.Asked) -> Iterator[str]:
        raise Failed("no server")
        yield

    monkeypatch.setitem(CHAPTERS, "peers", benchmarks.Chapter(title="Side by side", about="So.", rows=rows))
    assert list(chapter("peers", benchmarks.Asked()))[-1] == "Left out: no server."


def test_gh_asks_the_same_world(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.account("alice")
    world.repository(REPO, files={"README.md": "game\n"}, labels=["ac:triage", "p0"])
    (token,) = world.hub.tokens
    alice = world.as_("alice")
    alice.open_issue(REPO, "One", "", ["ac:triage"])
    alice.open_issue(REPO, "Two", "", ["ac:triage", "p0"])
    alice.open_issue(REPO, "Three")
    alice.push(REPO, "side", {"a": "b\n"})
    alice.open_pull(REPO, "side", "Four")
    alice.close(REPO, 1)
    query = """query($q: String!) { search(query: $q, type: ISSUE, first: 30) {
        issueCount nodes { ... on Issue { title } ... on PullRequest { title } } } }"""

    def found(words: str) -> list[str]:
        body = json.dumps({"query": query, "variables": {"q": f"repo:{REPO} {words}"}}).encode()
        answer = for_gh.answer(world.engine, token, for_gh.GRAPHQL, body)
        return [node["title"] for node in json.loads(answer.body)["data"]["search"]["nodes"]]

    assert found("label:ac:triage state:open type:issue") == ["Two"]
    assert found("label:ac:triage label:p0") == ["Two"]
    assert found("state:open type:pr") == ["Four"]
    assert found("state:closed") == ["One"]
    assert json.loads(for_gh.answer(world.engine, token, "/api/v3/user", b"").body) == {"login": "alice"}
    assert for_gh.answer(world.engine, token, "/api/v3/orgs", b"").status == 404
    assert for_gh.answer(world.engine, "x", "/api/v3/user", b"").status == 401
    assert {request["operation"] for request in world.requests()} == {for_gh.NAME}


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitHubFactory]:
    with factory(tmp_path_factory.mktemp("line"), set_up=False) as made:
        yield made


def program(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)


def test_what_is_not_there_or_does_not_work_is_left_out_with_the_reason(
    line: GitHubFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr("shutil.which", lambda name, path: _within(tmp_path, name))
    monkeypatch.setenv(peers.FOLDER, str(tmp_path))
    assert peers._rounds(line)[1] == {
        "gh issue list and gh pr list for each label": "not installed",
        "ghswarm": "ghswarm or gh is not installed",
        "vigilante-cli": "vigilante or gh is not installed",
    }
    program(tmp_path, "gh", "exit 0")
    program(tmp_path, "ghswarm", "echo '12:00 ERROR ghswarm.cli: no such host' >&2")
    (line.root / "peers").rename(line.root / "before")
    rounds, left_out = peers._rounds(line)
    assert rounds == []
    assert left_out == {
        "gh issue list and gh pr list for each label": "it asked nothing of the loopback",
        "ghswarm": "12:00 ERROR ghswarm.cli: no such host",
        "vigilante-cli": "vigilante or gh is not installed",
    }


def _within(folder: Path, name: str) -> str | None:
    return str(folder / name) if (folder / name).exists() else None


def test_processes_are_counted_with_all_that_they_start() -> None:
    words = ["sh", "-c", "sleep 0.1; (sleep 0.1; :) & wait"]
    assert processes(words, {"PATH": "/usr/bin:/bin"}, Path("/")) == 4
    with pytest.raises(Failed, match="no such"):
        demand(0, "fine\nerror: no such repository\n", ["x"])
    demand(0, "scanned 0 of 3, no errors\n", ["x"])


@pytest.mark.parametrize("name", list(READMES))
def test_the_readme_quotes_the_page(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    page = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    assert quoted(page, READMES[name])[2:]
    assert renewed(text, page, READMES[name]) == text
    other = page.replace("| agentcells, the first tick | 1 |", "| agentcells, the first tick | 7 |")
    assert other != page
    again = renewed(text, other, READMES[name])
    assert sum(old != new for old, new in zip(text.split("\n"), again.split("\n"), strict=True)) == 1
    assert renewed(text, "# What it costs\n", READMES[name]) == text
