"""An issue that a thousand comments stand on: what a run of it costs, and that no word is missed (R21)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.github_people import SECOND, GitHubPeople
from tests.people import COLLEAGUE, STRANGER
from tests.stage import Rule, Stage, answer, once, rule
from tests.test_github_acting import FIRST_CLAIM, LOOK, TELL, costs, line

MOST = 30  # requests of a whole tick; each reading of the conversation alone would be ten
ASKS: Rule = rule("triage", answer("needs-human", "How many?"))
PAUSE = 30 * SECOND
FIRST, ASKED = "Five lives, I say.", "Three lives are enough."


def crowd(stage: Stage, number: int, count: int) -> list[str]:
    """Others say so much, one after the other."""
    people = stage.people
    assert isinstance(people, GitHubPeople)
    found = []
    for n in range(count):
        people.advance(PAUSE)
        found.append(people.comment(number, f"Me too, {n}.", STRANGER))
    return found


def test_r21_a_thousand_comments_are_read_once_in_a_tick(tmp_path: Path) -> None:
    with line(tmp_path / "w", ASKS) as stage:
        number = stage.file("triage")
        crowd(stage, number, 1_000)
        stage.advance(minutes=10)
        triage, after = costs(stage)
        assert stage.states(number) == {"needs-human"}
        assert "Me too, 0." in stage.prompt
    once = ["Listing", "ReadTogether", *["MoreComments"] * 9, "ReadTogether"]
    assert triage.asked == [*once, *FIRST_CLAIM, *LOOK, *TELL]
    assert len(triage.asked) + len(after.asked) <= MOST
    assert triage.points + after.points <= MOST


def test_r21_a_second_tick_within_the_hour_reads_what_is_new(tmp_path: Path) -> None:
    with line(tmp_path / "w", ASKS) as stage:
        number = stage.file("triage")
        crowd(stage, number, 300)
        stage.advance(minutes=10)
        costs(stage)
        stage.advance(minutes=10)
        stage.say(number, "Three.")
        stage.rules = [rule("triage", answer("needs-human", "And how fast?"))]
        asked = [name for run in costs(stage) for name in run.asked]
        assert stage.cells_run == ["triage", "triage"]
        assert "Three." in stage.prompt
    assert "AddComment" in asked
    assert "MoreComments" not in asked


# ---------------------------------------------------------------- while a run goes on


class Story:
    """A colleague said something first, the owner too; then the crowd; then we have claimed it."""

    def __init__(self, stage: Stage, count: int) -> None:
        self.stage = stage
        self.number = stage.file("triage")
        self.first = stage.people.comment(self.number, FIRST, COLLEAGUE)
        self.asked = stage.say(self.number, ASKED)
        self.crowd = crowd(stage, self.number, count)
        stage.advance(minutes=10)

    @property
    def ledger(self) -> str:
        """Ours is the only one of ours while the run goes on."""
        (found,) = (one.id for one in self.stage.item(self.number).comments
                    if one.author and one.author.login == self.stage.bot)
        return found

    def edit(self, comment: str, text: str, by: str) -> None:
        self.stage.people.edit_comment(self.number, comment, text, by)

    def delete(self, comment: str) -> None:
        self.stage.people.delete_comment(self.number, comment, COLLEAGUE)


def held_among_many(story: Story) -> None:
    crowd(story.stage, story.number, 60)
    story.stage.say(story.number, "/hold")
    crowd(story.stage, story.number, 60)


def changed_old_words(story: Story) -> None:
    story.edit(story.asked, "Nine lives.", COLLEAGUE)
    story.delete(story.first)


@dataclass(frozen=True, kw_only=True)
class After:
    """The runs of that tick, what the pair is in then, what his next word finds said."""

    runs: int = 1
    state: str = "needs-human"
    instructions: tuple[str, ...] = (ASKED, "Go on.")
    heard: bool = True  # that the colleague spoke


MEANWHILE: dict[str, tuple[Callable[[Story], object], After]] = {
    # R30: what it is about is not in the book any more, and it is done again.
    "an edit of the book by another": (
        lambda story: story.edit(story.ledger, "0 runs", COLLEAGUE), After(runs=2)),
    "the end of the book": (lambda story: story.delete(story.ledger), After(runs=2)),
    # R7: he wants it back.
    "his word among a hundred others": (held_among_many, After(state="", instructions=(ASKED,))),
    # R27: what another has edited is no word of his any more.
    "an edit and the end of old words": (
        changed_old_words, After(instructions=("Go on.",), heard=False)),
    # R14: he comes before what the run wanted.
    "his new word": (
        lambda story: story.stage.say(story.number, "And blue."),
        After(runs=2, instructions=(ASKED, "And blue.", "Go on."))),
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_r26_what_happens_on_a_long_conversation_during_a_run_is_seen(tmp_path: Path, what: str) -> None:
    act, after = MEANWHILE[what]
    with line(tmp_path / "w") as stage:
        story = Story(stage, 120)
        stage.rules = [once("triage", {"call": lambda: act(story)}, answer("needs-human", "How many?")), ASKS]
        stage.tick(at_most=4)
        assert stage.states(story.number) == ({after.state} if after.state else set())
        assert stage.cells_run == ["triage"] * after.runs
        stage.advance(minutes=10)
        stage.say(story.number, "Go on.")
        stage.tick(at_most=4)
        assert len(stage.cells_run) == after.runs + bool(after.state)
        instructions, _, others = stage.prompt.partition("# Hand-over")
        his = re.findall(r"begin: alice, comment, [^\n]*\n(.*?)\n-----", instructions, re.DOTALL)
        assert tuple(his) == after.instructions
        assert (FIRST in others) == after.heard
