"""`agentcells init` and `agentcells check` on GitHub: what they make, what they refuse, what they tell."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcells import pins
from agentcells.check import Line, check
from agentcells.forge.github_probe import rest_url
from agentcells.init import detect_repo, run
from agentcells.model import Problem
from tests.github_factory import BOT, OWNER, REPO, GitHubFactory, factory

OURS = {"triage", "implement", "review", "working", "needs-human", "in-review", "hold"}


@pytest.fixture
def line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubFactory]:
    """Before `agentcells init`; the bot's token lies ready."""
    monkeypatch.setenv("AGENTCELLS_STATE", str(tmp_path / "state"))
    with factory(tmp_path, set_up=False) as made:
        yield made


def refused(line: GitHubFactory) -> Problem:
    """What init says; nothing was written on the forge."""
    before = line.world.label_names(REPO) if line.world.hub.find(REPO) else []
    with pytest.raises(Problem) as raised:
        line.settle()
    if before:
        assert line.world.label_names(REPO) == before
    return raised.value


def told(line: GitHubFactory, name: str = "") -> dict[str, str]:
    """Lines of `check` that are not ok: level by sentence."""
    return {
        one.text: one.level for one in check(line.cells_path)
        if one.level != "ok" and name in one.name and one.name not in ("agent", "timer")
    }


# ---------------------------------------------------------------- init


def test_init_makes_files_labels_pins_and_form_and_nothing_twice(line: GitHubFactory) -> None:
    subprocess.run(["git", "init", "-q", str(line.home)], check=True)
    first = line.init()
    assert first.returncode == 0, first.stderr
    assert {name[3:] for name in line.world.label_names(REPO)} == OURS
    labels = line.world.hub.repo(REPO).labels
    assert len({label.color for label in labels}) > 3
    assert all(label.description for label in labels)
    pinned = pins.load(line.cells_path)
    assert pinned is not None
    assert set(pinned.labels[REPO]) == {f"ac:{name}" for name in OURS}
    assert pinned.repositories == {REPO: line.world.hub.repo(REPO).id}
    form = (line.home / ".github/ISSUE_TEMPLATE/agentcells.yml").read_text()
    assert 'labels: ["ac:triage"]' in form
    assert f'assignees: ["{OWNER}"]' in form
    before = _files(line.home)
    since = line.so_far()
    again = line.init()
    assert again.returncode == 0
    assert _files(line.home) == before
    assert not [name for name in line.asked(since) if name.startswith("Create")]
    assert line.token_file.read_text().strip() not in first.stdout + first.stderr + again.stdout


def _files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_labels_of_our_names_made_by_hand_are_taken_as_they_are(line: GitHubFactory) -> None:
    by_hand = line.owner.create_label(REPO, "ac:triage")
    line.settle()
    pinned = pins.load(line.cells_path)
    assert pinned is not None
    assert pinned.labels[REPO]["ac:triage"] == by_hand
    assert line.world.label_names(REPO).count("ac:triage") == 1


def test_a_label_spelled_otherwise_is_named_before_anything_is_made(line: GitHubFactory) -> None:
    line.owner.create_label(REPO, "AC:Triage")
    problem = refused(line)
    assert problem.key == "init_label_spelled"
    assert problem.slots["found"] == "AC:Triage"


def test_r23_nothing_is_written_with_a_third_accounts_token(line: GitHubFactory) -> None:
    line.give_token(line.world.token("mallory"))
    assert refused(line).key == "observe_foreign_token"


def test_odd_repositories_are_named_before_anything_is_made(line: GitHubFactory) -> None:
    line.world.archive(REPO)
    assert refused(line).key == "check_archived"
    line.world.hub.repo(REPO).archived = False
    line.world.rename_repository(REPO, "alice/sport")
    problem = refused(line)
    assert (problem.key, problem.slots["now"]) == ("github_renamed", "alice/sport")
    line.world.hub.repo("alice/sport").old_names.clear()
    assert refused(line).key == "github_no_repository"


def test_a_private_repository_without_access_is_as_if_it_were_not_there(
    line: GitHubFactory,
) -> None:
    line.world.hub.repo(REPO).private = True
    line.world.set_role(REPO, BOT, "none")
    problem = refused(line)
    assert problem.key == "github_no_repository"
    assert problem.slots["login"] == BOT


def test_a_token_that_is_not_there_is_one_line(line: GitHubFactory) -> None:
    line.token_file.unlink()
    done = line.init()
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert str(line.token_file) in done.stderr


def test_what_an_attempt_could_not_do_the_next_one_does(line: GitHubFactory) -> None:
    token = line.token_file.read_text()
    line.token_file.unlink()
    assert line.init().returncode == 1
    line.token_file.write_text(token)
    done = line.run("init")
    assert done.returncode == 0, done.stderr
    assert {name[3:] for name in line.world.label_names(REPO)} == OURS


def test_r23_another_id_behind_a_name_needs_relock(line: GitHubFactory) -> None:
    line.settle()
    line.world.delete_label(REPO, "ac:triage")
    line.world.as_("mallory").create_label(REPO, "ac:triage")
    with pytest.raises(Problem) as raised:
        line.settle()
    assert raised.value.key == "pins_differ"
    assert "ac:triage" in str(raised.value.slots["names"])
    assert any("ac:triage" in text for text in told(line, pins.FILE))
    done = line.run("init", "--relock")
    assert done.returncode == 0
    assert told(line, pins.FILE) == {}


def test_questions_are_few_and_their_answers_stand_in_cells_toml(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    subprocess.run(
        ["git", "-C", str(tmp_path), "remote", "add", "origin", "git@github.com:alice/game.git"],
        check=True,
    )
    (tmp_path / "package.json").write_text('{"scripts": {"test": "x"}}')
    answers = {"the token": 'a "quoted" place/ü', "bot": "alice-cells", "language": "ja"}
    asked = []

    def ask(question: str, default: str) -> str:
        asked.append(question)
        if question.startswith("Write"):
            return "n"
        return next((a for word, a in answers.items() if word in question), default)

    shown: list[str] = []
    assert detect_repo(tmp_path) == REPO
    run(tmp_path / "cells.toml", ask, shown.append, yes=False, relock=False)
    assert len(asked) <= 7
    assert not (tmp_path / "cells.toml").exists()
    text = "\n".join(shown)
    assert 'repos = ["alice/game"]' in text
    assert 'token = { file = "a \\"quoted\\" place/ü" }' in text
    assert 'test = ["npm", "test"]' in text


# ---------------------------------------------------------------- check: the token


def test_check_has_nothing_against_a_token_as_the_readme_says(line: GitHubFactory) -> None:
    line.settle()
    assert told(line) == {}


@pytest.mark.parametrize(("permission", "level", "named"), [
    ("issues", "none", "Issues"), ("pull_requests", "none", "Pull requests"),
    ("statuses", "none", "Commit statuses"), ("contents", "none", "Contents"),
    ("contents", "read", "Contents: read and write"),
])
def test_check_names_each_permission_that_is_missing(
    line: GitHubFactory, permission: str, level: str, named: str
) -> None:
    line.settle()
    line.give_token(**{permission: level})
    found = told(line, REPO)
    assert any(named in text and stop == "stop" for text, stop in found.items()), found
    assert len([text for text in found if "lacks" in text and "token" in text]) == 1


def test_check_names_what_a_token_has_too_much(line: GitHubFactory) -> None:
    line.world.set_role(REPO, BOT, "admin")
    line.settle()
    line.give_token(secrets="read", administration="write")
    found = told(line, REPO)
    assert set(found.values()) == {"warning"}
    assert any("Secrets, Administration" in text for text in found)
    assert any("administrator" in text for text in found)


@pytest.mark.parametrize(("scopes", "level", "words"), [
    (("repo", "workflow"), "warning", "may write workflows"),
    (("repo", "admin:org", "gist"), "warning", "admin:org, gist"),
    (("read:user",), "stop", "needs public_repo"),
    (("repo",), "ok", "classic token"),
])
def test_check_reads_the_scopes_of_a_classic_token(
    line: GitHubFactory, scopes: tuple[str, ...], level: str, words: str
) -> None:
    line.settle()
    line.give_token(line.world.token(BOT, scopes=scopes))
    found = {one.text: one.level for one in check(line.cells_path) if one.name == "token"}
    assert any(words in text and said == level for text, said in found.items()), found


def test_a_classic_token_for_a_private_repository_needs_repo(line: GitHubFactory) -> None:
    line.settle()
    line.world.hub.repo(REPO).private = True
    line.give_token(line.world.token(BOT, scopes=("public_repo",)))
    assert any("needs repo" in text for text in told(line, "token"))


def test_check_says_who_is_behind_the_token(line: GitHubFactory) -> None:
    line.settle()
    line.give_token(line.world.token("mallory"))
    assert any("belongs to mallory" in text for text in told(line))
    line.give_token(line.world.token(OWNER))
    assert any("neither approve" in text for text in told(line))


def test_check_says_where_a_token_lies_badly(line: GitHubFactory) -> None:
    line.settle()
    line.token_file.chmod(0o644)
    assert any("chmod 600" in text for text in told(line, "token"))
    line.change(f'token = {{ file = "{line.token_file}" }}', 'token = { env = "FORGE_TOKEN" }')
    line.change("[agent]", '[agent]\nenv = ["FORGE_TOKEN"]')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORGE_TOKEN", line.token_file.read_text().strip())
        found = told(line, "token")
    assert sorted(found.values()) == ["stop", "warning"], found


# ---------------------------------------------------------------- check: the repository


def test_check_looks_at_the_settings_that_matter(line: GitHubFactory) -> None:
    line.settle()
    line.world.settings(
        REPO, issues_enabled=False, workflow_permissions="write", workflows_approve=True,
        delete_branch_on_merge=True,
    )
    line.world.set_role(REPO, BOT, "admin")
    line.give_token(line.world.token(BOT, scopes=("public_repo",)))
    lines: list[Line] = check(line.cells_path)
    about = {one.text: one.level for one in lines if one.name == REPO}
    for words, level in (
        ("issues switched off", "stop"), ("token that may write", "warning"),
        ("may approve pull requests", "warning"), ("deletes branches after a merge", "ok"),
        ("administrator", "warning"),
    ):
        assert any(words in text and said == level for text, said in about.items()), words


@pytest.mark.parametrize(("odd", "words"), [
    ("archived", "archived"), ("empty", "no branch main"), ("renamed", "now called alice/sport"),
    ("reader", "only the role read"), ("unlabelled", "lacks the labels ac:hold"),
    ("misspelled", "differs from ac:hold"), ("gone", "no repository alice/game"),
])
def test_check_stops_at_a_repository_that_no_tick_could_work_on(
    line: GitHubFactory, odd: str, words: str
) -> None:
    line.settle()
    world = line.world
    match odd:
        case "archived":
            world.archive(REPO)
        case "empty":
            world.hub.repo(REPO).bare.delete("main")
        case "renamed":
            world.rename_repository(REPO, "alice/sport")
        case "reader":
            world.set_role(REPO, BOT, "read")
        case "unlabelled":
            world.delete_label(REPO, "ac:hold")
        case "misspelled":
            world.rename_label(REPO, "ac:hold", "ac:Hold")
        case _:
            world.hub.repo(REPO).private = True
            world.set_role(REPO, BOT, "none")
    found = told(line)
    assert any(words in text and level == "stop" for text, level in found.items()), found


def test_check_goes_on_where_one_thing_fails_and_ends_with_1(line: GitHubFactory) -> None:
    line.settle()
    line.world.fail("bad_gateway", times=9)
    done = line.run("check", "--json")
    assert done.returncode == 1
    lines: list[dict[str, Any]] = json.loads(done.stdout)
    assert [one for one in lines if one["name"] == "forge" and one["level"] == "stop"]
    assert [one for one in lines if one["name"] == "git" and one["level"] == "ok"]
    assert done.stderr == ""


def test_rest_lies_beside_graphql() -> None:
    assert rest_url("https://api.github.com/graphql") == "https://api.github.com"
    assert rest_url("https://git.example/api/graphql") == "https://git.example/api/v3"
