"""A small line on a loopback GitHub that can be harmed, and what must come out of it in the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from agentcells.forge import ForgeError
from agentcells.model import Problem
from tests.github_people import GitHubPeople
from tests.invariants import at_rest, sound
from tests.loopback.github import World
from tests.people import REPO
from tests.stage import REVIEW, TRIAGE, Stage, Ticked, rule, work

IMPLEMENT = rule("implement", work(game__py="LIVES = 3\n"))  # says the same however often it is done


@contextmanager
def line(root: Path, factory: str = "", *, ahead: timedelta | None = None) -> Iterator[Stage]:
    """One issue that waits for implement. `factory`: further lines of that table.

    `ahead`: how far GitHub's clock is before ours; then the line begins with a first tick, as what is
    closed is seen only from then on (R20).
    """
    stage = Stage(root, world="github", rules=[TRIAGE, IMPLEMENT, REVIEW], factory=factory)
    try:
        if ahead is not None:
            stage.people.advance(ahead)
            stage.tick()
        stage.file()
        yield stage
    finally:
        stage.people.stop()


def world(stage: Stage) -> World:
    assert isinstance(stage.people, GitHubPeople)
    return stage.people.world


def tick(stage: Stage) -> Ticked:
    """A tick; what a person would read of its end must be a sentence, never a bug."""
    try:
        ticked = stage.tick()
    except Problem as problem:
        raise AssertionError(f"outside of the tick's own words: {problem.key}") from problem
    assert ticked.problem is None or isinstance(ticked.problem, ForgeError | Problem)
    return ticked


def mended(stage: Stage) -> None:
    """All troubles are over."""
    there = world(stage)
    repo = there.hub.repos[0]
    there.engine.faults.clear()
    repo.frozen = None
    repo.archived = False
    repo.name, repo.old_names = REPO, []
    if "ac:checked" in there.label_names(REPO):
        there.rename_label(REPO, "ac:checked", "ac:review")


def to_rest(stage: Stage, at_most: int = 8) -> None:
    """Ticks of the timer, an hour apart, until one has nothing to do."""
    mended(stage)
    for _ in range(at_most):
        stage.advance(minutes=61)
        before = len(stage.writes)
        ticked = tick(stage)
        assert ticked.problem is None, ticked.problem
        sound(stage)
        if not ticked.cells and len(stage.writes) == before:
            at_rest(stage)
            return
    raise AssertionError(f"it never comes to rest: {stage.writes[-8:]}")
