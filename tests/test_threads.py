"""Remarks on lines: instructions with their place, answered once in their own thread (R6, R18, R27)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentcells import outcome, threads
from agentcells.answering import answer_in_thread
from agentcells.forge import Forbidden, NotFound, Unavailable
from agentcells.markers import parse_marker
from agentcells.model import Comment, Pair, RunId
from agentcells.plan import ReplyInThread
from agentcells.posts import Marker
from agentcells.run import Outcome, Proof
from tests.builders import ALICE, BOB, CELLS, at, comment, config, issue, order, ours, pull
from tests.gitea_world import REPO as GITEA_REPO
from tests.gitea_world import story
from tests.people import OWNER, STRANGER
from tests.stage import Stage, Trouble, nothing_written, rule, work

PULL = 2


@pytest.fixture(params=["local", pytest.param("github", marks=pytest.mark.slow)])
def world(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(tmp_path: Path, world: str) -> Iterator[Callable[..., Stage]]:
    made: list[Stage] = []

    def one(*rules: dict[str, Any]) -> Stage:
        made.append(Stage(tmp_path / "w", world=world, rules=[*rules, IMPLEMENT, REVIEW]))
        return made[-1]

    yield one
    for stage in made:
        stage.people.stop()


IMPLEMENT = rule("implement", work(notes__md="Three.\n"))
REVIEW = rule("review", {"answer": {"next": "done", "comment": "As asked."}})


def answering(**fields: str) -> dict[str, Any]:
    return rule("implement", [
        {"write": {"notes.md": "Four.\n"}}, {"cell": ["record", "-m", "Four"]},
        {"answer": {"next": "review", "comment": "Both are done.", **fields}},
    ], prompt="Remarks on lines wait")


def in_review(stage: Stage) -> None:
    stage.file()
    stage.tick()
    assert stage.states(PULL) == {"in-review"}


def lines(stage: Stage) -> list[list[Comment]]:
    """The lines of each thread, oldest first."""
    found: dict[str, list[Comment]] = {}
    for said in stage.item(PULL).comments:
        if said.kind == "thread":
            found.setdefault(said.thread_id, []).append(said)
    return list(found.values())


def test_r6_each_remark_is_an_instruction_with_its_place_and_is_answered_in_its_thread_once(
    make: Callable[..., Stage],
) -> None:
    stage = make(answering(thread_1="Four now; three was a mistake. @everybody"))
    in_review(stage)
    stage.people.remark(PULL, "notes.md", 1, "Why not four?", OWNER)
    stage.people.remark(PULL, "game.py", 1, "Leave this file alone.", OWNER)
    stage.people.remark(PULL, "game.py", 1, "Who cares?", STRANGER)
    assert stage.tick().cells == ["implement", "review"]
    told = next(words for cell, words in reversed(stage.prompts) if cell == "implement")
    said = told.partition("# Instructions of the owner")[2].partition("\n# ")[0]
    assert "notes.md:1" in said
    assert "Why not four?" in said
    assert "Who cares?" not in said
    first, second, strangers = lines(stage)
    assert [line.author.login for line in first if line.author] == [OWNER, "alice-cells"]
    marker = parse_marker(first[1].body)
    assert marker is not None
    assert (marker.kind, marker.cell, marker.cause) == ("answer", "implement", first[0].thread_id)
    assert "Four now; three was a mistake." in first[1].body
    assert "`@everybody`" in first[1].body  # nobody is called
    assert "Both are done." in second[1].body  # what it left out gets its comment
    assert len(strangers) == 1
    stage.advance(minutes=10)
    with nothing_written(stage):
        stage.tick()


@pytest.mark.slow
def test_r6_who_answers_back_in_the_thread_is_answered_again(make: Callable[..., Stage]) -> None:
    stage = make(answering(thread_1="Done."))
    in_review(stage)
    stage.people.remark(PULL, "notes.md", 1, "Four, please.", OWNER)
    stage.tick()
    forge = stage.people.forge(OWNER)
    forge.reply(stage.item(PULL), lines(stage)[0][0].thread_id, "And now five.")
    stage.rules.insert(0, rule("implement", work(notes__md="Five.\n", comment="Five."), prompt="And now five"))
    stage.advance(minutes=1)
    assert stage.tick().cells == ["implement", "review"]
    assert [line.body.rpartition("\n")[2] for line in lines(stage)[0]] == [
        "Four, please.", "Done.", "And now five.", "Five."]


def test_r18_an_answer_that_was_cut_off_is_made_up_for_and_not_doubled(make: Callable[..., Stage]) -> None:
    stage = make(answering(thread_1="Done."))
    in_review(stage)
    stage.people.remark(PULL, "notes.md", 1, "Four, please.", OWNER)
    down = Unavailable("github_outage", exit_code=75, host="-", detail="-", request_id="-", status=502)
    stage.troubles.append(Trouble("reply", down, done=True))
    assert stage.tick().problem is not None
    stage.advance(minutes=10)
    stage.tick()
    (thread,) = lines(stage)
    assert [line.body.rpartition("\n")[2] for line in thread] == ["Four, please.", "Done."]
    assert stage.states(PULL) == {"in-review"}


@pytest.mark.parametrize("cut", [False, True])
def test_r6_nothing_is_called_done_in_a_thread_that_was_not_published(
    make: Callable[..., Stage], cut: bool
) -> None:
    idle = rule("implement", {"answer": {"next": "review", "comment": "Done.", "thread_1": "Fixed."}},
                prompt="Remarks on lines wait")
    stage = make(idle)
    in_review(stage)
    stage.people.remark(PULL, "notes.md", 1, "Four, please.", OWNER)
    if cut:  # its result is told, and the next pass goes on from there
        down = Unavailable("github_outage", exit_code=75, host="-", detail="-", request_id="-", status=502)
        stage.troubles.append(Trouble("add_labels", down, after=1))
        assert stage.tick().problem is not None
        stage.advance(minutes=10)
    stage.tick()
    assert stage.states(PULL) == {"needs-human"}
    assert "It changed nothing" in stage.said(PULL)[-1]
    (thread,) = lines(stage)
    assert [line.body for line in thread] == ["Four, please."]


def test_a_gitea_takes_answers_in_its_threads_too(tmp_path: Path) -> None:
    with story(tmp_path) as gitea:
        gitea.issue()
        number = gitea.pull()
        gitea.alice.start_thread(GITEA_REPO, number, "ball.txt", 1, "Higher!")
        forge = gitea.forge()
        item = gitea.read(number)
        (line,) = [said for said in item.comments if said.kind == "thread"]
        assert (line.path, line.body) == ("ball.txt", "Higher!")
        action = reply_to(line.thread_id, number)
        for _ in range(2):
            assert answer_in_thread(forge, forge.viewer(), b"key", action) is None
        said = [one.body for one in gitea.read(number).comments if one.thread_id == line.thread_id]
        assert len(said) == 2
        assert said[1].endswith("It is higher now.")


def reply_to(thread: str, number: int) -> ReplyInThread:
    given = Outcome(kind="done", next="review", comment="It is higher now.")
    ((thread, marker, body),) = threads.answers(order(threads=(thread,)), given, ())
    return ReplyInThread(
        pair_key=f"{GITEA_REPO}#1", repo=GITEA_REPO, number=number, thread=thread, marker=marker, body=body,
        proof=Proof(run=RunId("r1"), nonce="n", containment="strong"),
    )


class _Deaf:
    """A forge whose threads take nothing."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def read(self, repo: str, number: int) -> Any:
        return pull(number)

    def reply(self, item: Any, thread: str, body: str) -> None:
        raise self.error


def test_a_thread_that_is_gone_is_no_trouble_of_the_run_but_a_refusal_is() -> None:
    gone = NotFound("local_no_thread", repo="-", number=1, thread="-")
    forge: Any = _Deaf(gone)
    assert answer_in_thread(forge, CELLS, b"", reply_to("T9", 8)) is gone
    forge = _Deaf(Forbidden("github_missing", permission="-"))
    with pytest.raises(Forbidden):
        answer_in_thread(forge, CELLS, b"", reply_to("T9", 8))


# ---------------------------------------------------------------- which wait, and what is said


def line(who: Any, minutes: float, thread: str = "T1", **changes: Any) -> Comment:
    return comment(who, "words", minutes, kind="thread", path="a.py", line=3, thread_id=thread, **changes)


@pytest.mark.parametrize(("said", "waiting"), [
    ((line(ALICE, 1),), ["T1"]),
    ((line(ALICE, 1), ours(Marker(kind="answer", run="r1"), 2, kind="thread", thread_id="T1")), []),
    ((line(ALICE, 1), line(CELLS, 2), line(ALICE, 3)), ["T1"]),
    ((line(ALICE, 1, resolved=True),), []),
    ((line(BOB, 1),), []),
    ((line(BOB, 1), line(ALICE, 2)), ["T1"]),
    ((line(ALICE, 1, thread=""),), []),
    ((line(ALICE, 1), line(ALICE, 2, thread="T2")), ["T1", "T2"]),
    (tuple(line(ALICE, n, thread=f"T{n:02}") for n in range(12)), [f"T{n:02}" for n in range(10)]),
])
def test_r6_a_thread_waits_while_the_owner_has_its_last_word(said: Any, waiting: list[str]) -> None:
    pair = Pair(issue=issue(7), pull=pull(8, comments=said))
    found = threads.unanswered(config(), pair, ALICE, CELLS)
    assert [one.thread_id for one in found] == waiting
    assert threads.unanswered(config(), replace(pair, pull=None), ALICE, CELLS) == ()


def test_r45_an_answer_says_nothing_twice_and_nothing_empty() -> None:
    asked = order(threads=("T1", "T2"))
    given = Outcome(kind="done", comment="All done.", fields=(("thread_2", "Yes."),))
    said = list(threads.answers(asked, given, (Marker(kind="answer", run="r1", cause="T1"),)))
    assert [(thread, body.rpartition("\n")[2]) for thread, _, body in said] == [("T2", "Yes.")]
    assert list(threads.answers(asked, Outcome(kind="done"), ())) == []


def test_the_answer_to_a_remark_may_be_left_out_and_nothing_else() -> None:
    schema = outcome.schema(["review"], ["title", "thread_1"])
    assert schema["required"] == ["comment", "next", "title"]

    def read(answer: dict[str, Any]) -> Outcome:
        result = {"type": "result", "subtype": "success", "is_error": False, "structured_output": answer}
        return outcome.read("exit", result, 0, "", ["review"], ["title", "thread_1"], at(0))

    plain = {"next": "review", "comment": "Yes.", "title": "T"}
    assert read(plain).fields == (("title", "T"),)
    assert read({**plain, "thread_1": "No."}).fields == (("title", "T"), ("thread_1", "No."))
    assert read({**plain, "thread_2": "No."}).kind == "bad_answer"
    assert read({"next": "review", "comment": "Yes."}).kind == "bad_answer"
