"""I and J: a forge that fails, and a machine that dies. Most stories of these are told elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from agentcells import trust
from agentcells.apply import Apply
from agentcells.forge import Unavailable
from tests.github_factory import OWNER, REPO, GitHubFactory, factory
from tests.stage import IMPLEMENT, REVIEW, Stage, Trouble

pytestmark = pytest.mark.sandbox

NOON = "2026-03-01T12:00:00+00:00"


@pytest.fixture
def line(tmp_path: Path) -> Iterator[GitHubFactory]:
    with factory(tmp_path, set_up=False) as made:
        made.world.set_clock(NOON)
        made.settle()
        made.play()
        made.world.advance(600)
        yield made


def ask(line: GitHubFactory, document: str, name: str = "Naive") -> dict[str, Any]:
    """As a client that looks at the status and takes what comes."""
    answer = httpx.post(
        line.server.api_url,
        json={"query": f"query {name} {{ {document} }}", "operationName": name},
        headers={"authorization": f"Bearer {line.token_file.read_text().strip()}"},
    )
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()["data"]
    return found


def first_page(line: GitHubFactory, what: str) -> dict[str, Any]:
    item = f"issueOrPullRequest(number: 1) {{ ... on Issue {{ {what} }} }}"
    found = ask(line, f'repository(owner: "alice", name: "game") {{ {item} }}')
    issue: dict[str, Any] = found["repository"]["issueOrPullRequest"]
    return issue


def broken(line: GitHubFactory, times: int = 99) -> None:
    """Labels of the issue come as null, with an error beside it and a status of 200."""
    for name, field in (("Read", "issueOrPullRequest"), ("Naive", "issueOrPullRequest"), ("ReadTogether", "i0")):
        line.world.fail("partial", operation=name, path=["repository", field, "labels"], times=times)


def test_i01_what_came_as_null_is_not_taken_for_none(line: GitHubFactory) -> None:
    number = line.file()
    broken(line)
    before = line.item(number)
    passed = line.pass_()
    assert passed.claimed == ()
    assert passed.reasons == {number: "skip_unreadable"}
    assert line.item(number) == before


def test_control_i01_who_looks_at_the_status_alone_sees_no_labels(line: GitHubFactory) -> None:
    line.file()
    broken(line)
    issue = first_page(line, "labels(first: 100) { nodes { name } }")
    assert [label["name"] for label in (issue["labels"] or {}).get("nodes", [])] == []


def long(line: GitHubFactory) -> int:
    """An owner's stop that only the second page shows."""
    number = line.file()
    for n in range(101):
        line.as_("mallory").comment(REPO, number, f"Number {n}")
    line.world.advance(60)
    line.owner.comment(REPO, number, "/hold")
    line.world.advance(600)
    return number


def test_i02_a_stop_on_the_second_page_is_seen(line: GitHubFactory) -> None:
    number = long(line)
    assert line.pass_().claimed == ()
    assert line.states(number) == set()


def test_i02_where_the_second_page_fails_nothing_is_decided(line: GitHubFactory) -> None:
    number = long(line)
    line.world.fail("partial", path=["node"], times=99, operation="MoreComments")
    line.world.fail("bad_gateway", times=99, operation="MoreComments")
    try:
        passed: Any = line.pass_()
    except Unavailable:
        passed = None
    assert passed is None or passed.claimed == ()
    assert "working" not in line.states(number)


def test_control_i02_the_first_page_alone_shows_no_stop(line: GitHubFactory) -> None:
    long(line)
    found = first_page(line, "comments(first: 100) { nodes { body } }")
    bodies = [comment["body"] for comment in found["comments"]["nodes"]]
    assert len(bodies) == 100
    assert "/hold" not in bodies


def test_i03_a_write_whose_answer_was_lost_is_not_made_twice(line: GitHubFactory) -> None:
    number = line.file()
    line.world.fail("bad_gateway", operation="AddComment", after=True)
    with pytest.raises(Unavailable):
        line.pass_()
    line.world.advance(600)
    line.pass_()
    books = [c for c in line.item(number)["comments"] if '"kind":"ledger"' in c["body"]]
    assert len(books) == 1


def test_control_i03_who_asks_again_without_looking_writes_twice(line: GitHubFactory) -> None:
    number = line.file()
    forge = line.owner
    for _ in range(2):  # the first was made, its answer got lost
        forge.comment(REPO, number, "The book.")
    assert len(line.item(number)["comments"]) == 2


def test_i05_a_repository_that_moved_is_not_followed(line: GitHubFactory) -> None:
    number = line.file()
    line.world.rename_repository(REPO, "alice/sport")
    done = line.run("tick")
    assert done.returncode == 1
    assert "alice/sport" in done.stderr
    assert line.world.item("alice/sport", number)["comments"] == []


def test_control_i05_the_forge_itself_follows_the_old_name(line: GitHubFactory) -> None:
    line.file()
    line.world.rename_repository(REPO, "alice/sport")
    found = ask(line, 'repository(owner: "alice", name: "game") { nameWithOwner }')
    assert found["repository"]["nameWithOwner"] == "alice/sport"
    assert OWNER == "alice"


# ---------------------------------------------------------------- killed between two writes


def killed(tmp_path: Path) -> Stage:
    """The comment of a run was posted, and then the machine died."""
    stage = Stage(tmp_path / "w", rules=[IMPLEMENT, REVIEW])
    stage.file()
    folder = stage.claim()
    stage.play(folder)
    stage.troubles = [Trouble("comment", Unavailable("forge_unreachable"), done=True)]
    stage.tick()
    stage.troubles = []
    stage.tick()
    return stage


def decisions(stage: Stage) -> int:
    return sum('"cell":"implement"' in body for body in stage.said(2))


def books(stage: Stage) -> int:
    return sum('"kind":"ledger"' in comment.body for comment in stage.item(1).comments)


def test_j01_what_was_written_is_not_written_again(tmp_path: Path) -> None:
    stage = killed(tmp_path)
    assert (decisions(stage), books(stage)) == (1, 1)
    assert stage.branches() == ("agentcells/1", "main")
    assert stage.states(1, 2) == {"in-review"}
    assert stage.people.numbers() == [1, 2]


def test_control_j01_who_does_not_look_before_he_writes_says_it_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Apply.put_ledger

    def blind(self: Apply, *told: Any) -> dict[str, object]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(trust, "our_marker", lambda *told: None)
            return real(self, *told)

    monkeypatch.setattr(Apply, "put_ledger", blind)
    assert books(killed(tmp_path)) > 1
