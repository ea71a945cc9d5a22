"""What somebody does between our look and our write is the newer word (R3, R6, R11, R18)."""

from __future__ import annotations

from collections.abc import Callable

from tests.invariants import at_rest
from tests.stage import IMPLEMENT, OWNER, REVIEW, TRIAGE, Stage, answer, once, rule
from tests.stories.conftest import Build

Act = Callable[[Stage, int], None]


def when_told(stage: Stage, number: int, act: Act) -> None:
    """The owner does it as the result of the first run stands there and its label does not yet."""
    def step(name: str) -> None:
        if name == "forge: comment" and "decision" in stage.item(number).comments[-1].body:
            stage.step = None
            act(stage, number)

    stage.step = step


def test_r3_a_hold_that_comes_while_the_labels_are_set_is_not_taken_off(build: Build) -> None:
    stage = build(rules=[TRIAGE, IMPLEMENT, REVIEW])
    number = stage.file("triage")
    when_told(stage, number, lambda stage, number: stage.label(number, "hold"))
    assert stage.tick().cells == ["triage"]
    assert "hold" in stage.states(number)
    stage.advance(minutes=1)
    assert stage.tick().cells == []
    at_rest(stage)
    stage.advance(minutes=1)
    stage.unlabel(number, "hold")
    stage.advance(seconds=2)
    assert stage.tick().cells == ["implement", "review"]  # where the comment said it goes (R18)
    assert [row.cell for row in stage.book(number).rows] == ["triage", "implement", "review"]


def test_r3_a_label_that_was_taken_off_meanwhile_is_not_answered_by_another(build: Build) -> None:
    stage = build(rules=[once("triage", answer("needs-human", "Which?"))])
    number = stage.file("triage")

    def released(stage: Stage, number: int) -> None:
        for label in ("working", "triage"):
            stage.unlabel(number, label)

    when_told(stage, number, released)
    stage.tick()
    assert stage.states(number) == set()
    at_rest(stage)


def test_r3_another_state_that_came_meanwhile_stays(build: Build) -> None:
    stage = build(rules=[once("triage", answer("needs-human", "Which?")), IMPLEMENT, REVIEW])
    number = stage.file("triage")

    def sent_on(stage: Stage, number: int) -> None:
        stage.label(number, "implement")
        stage.unlabel(number, "triage")

    when_told(stage, number, sent_on)
    stage.tick()
    assert "needs-human" not in stage.states(number)
    stage.advance(minutes=1)
    stage.tick()
    assert [row.cell for row in stage.book(number).rows] == ["triage", "implement", "review"]


def test_r11_a_hold_on_an_issue_whose_pull_request_was_closed_begins_no_other_attempt(build: Build) -> None:
    stage = build(rules=[rule("implement", answer("needs-human", "Which?")), REVIEW])
    number = stage.file()
    stage.rules[0] = IMPLEMENT
    stage.tick()
    pull = stage.pull_of(number).number
    stage.label(number, "implement")
    stage.people.close(pull, OWNER)
    stage.advance(seconds=2)
    stage.label(number, "hold")
    stage.advance(seconds=2)
    stage.tick()
    stage.advance(minutes=1)
    stage.unlabel(number, "hold")
    stage.advance(seconds=2)
    assert stage.tick().cells == []
    assert stage.states(number, pull) == set()
    assert [ref for ref in stage.branches() if ref.startswith("agentcells/")] == [f"agentcells/{number}"]
