"""A tick is killed after each of its steps and run again: the end is the same, at the cost of one agent run at most.

The steps are those that leave a trace: each write to the forge, git's pushes and refs, each file of the
state folder, each stage of a run (tests/reaper.py counts them). Real processes, real SIGKILL.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path

import pytest

from agentcells.markers import parse_marker
from tests import reaper
from tests.invariants import at_rest
from tests.stage import OWNER, REVIEW, TRIAGE, Stage, answer, rule, work

PARTS = 3
WORDS = "And make it blue, please."
IMPLEMENT = rule("implement", work(game__py="LIVES = 3\n"))  # says the same however often it is done


# ---------------------------------------------------------------- three days of an issue


def first_day(root: Path, world: str) -> Stage:
    """The owner files an issue; it becomes a reviewed pull request."""
    stage = Stage(root, rules=[TRIAGE, IMPLEMENT, REVIEW], world=world)
    stage.file("triage")
    return stage


def second_day(root: Path, world: str) -> Stage:
    """He wants something else, and writes once more while it is done."""
    stage = first_day(root, world)
    stage.tick()

    def owner_writes() -> None:
        if not any(WORDS in comment.body for comment in stage_now[0].item(1).comments):
            stage_now[0].say(1, WORDS)

    stage_now = [stage]
    stage.say(2, "Four lives are better.")
    stage.rules = [
        rule("implement", work(game__py="LIVES = 4\nBLUE = 1\n"), prompt="make it blue"),
        rule("implement", {"call": owner_writes}, work(game__py="LIVES = 4\n")), REVIEW,
    ]
    stage.here = stage_now  # type: ignore[attr-defined]
    return stage


def third_day(root: Path, world: str) -> Stage:
    """He merges one; another one has two labels, a third is told to hold, a fourth has failed twice."""
    stage = first_day(root, world)
    stage.tick()
    stage.people.merge(2, OWNER)
    two = stage.file("triage")
    stage.label(two, "implement")
    held = stage.file("implement")
    stage.say(held, "/hold")
    asked = stage.file("implement", body="Ask me.")
    stage.rules = [rule("implement", answer("needs-human", "Which colour?"), prompt="Ask me"), IMPLEMENT, REVIEW]
    assert (two, held, asked) == (3, 4, 5)
    return stage


DAYS: dict[str, Callable[[Path, str], Stage]] = {"first": first_day, "second": second_day, "third": third_day}


# ---------------------------------------------------------------- what must come out


@dataclass(frozen=True)
class End:
    """All that a person would notice."""

    states: dict[int, frozenset[str]]
    open: dict[int, str]
    branches: tuple[str, ...]
    files: dict[str, str]
    said: Counter[tuple[int, str, str]]
    owner_said: tuple[str, ...]


def end_of(stage: Stage) -> End:
    numbers = stage.people.numbers()
    items = [stage.item(number) for number in numbers]
    branches = stage.branches()
    ours = [ref for ref in branches if ref.startswith("agentcells/")]
    return End(
        states={item.number: frozenset(stage.states(item.number)) for item in items},
        open={item.number: item.state for item in items},
        branches=branches,
        files={f"{ref}:{name}": text for ref in ours for name, text in stage.people.files(ref).items()},
        said=Counter(_said(stage)),
        owner_said=tuple(
            comment.body for item in items for comment in item.comments
            if comment.author and comment.author.login == OWNER
        ),
    )


def _said(stage: Stage) -> Iterator[tuple[int, str, str]]:
    """Each comment of ours as its kind and what it sends to; which run it was is chance."""
    for number in stage.people.numbers():
        for body in stage.said(number):
            marker = parse_marker(body)
            assert marker is not None
            yield number, f"{marker.kind} {marker.cell}", marker.to or re.sub(r"\d", "", marker.cause)[:12]


def check(stage: Stage, wanted: End, runs: int, day: str) -> None:
    found = end_of(stage)
    if day == "second":  # killed after he wrote, the next run reads it at once and none is needed after it
        assert WORDS in [prompt for cell, prompt in stage.played if cell == "implement"][-1]
        again = Counter({(2, "decision implement", "implement"): 1})
        if found.said == wanted.said - again:
            found = replace(found, said=wanted.said)
    assert found == wanted, _difference(found, wanted)
    played = [cell for cell, _ in stage.played]
    assert len(played) <= runs + 1, played
    at_rest(stage)


def _difference(found: End, wanted: End) -> str:
    return "\n".join(
        f"{one.name}: {getattr(found, one.name)}\n  but unharmed: {getattr(wanted, one.name)}"
        for one in fields(End) if getattr(found, one.name) != getattr(wanted, one.name)
    )


# ---------------------------------------------------------------- the killing


Day = tuple[str, Stage, End, int, list[str]]


# On GitHub a tick takes its seconds: there one day is sampled in the quick run, all of it is in `make soak`.
WORLDS = [pytest.param((name, "local"), id=name) for name in DAYS] + [
    pytest.param((name, "github"), id=f"{name}-github", marks=pytest.mark.slow) for name in DAYS
]


@pytest.fixture(scope="module", params=WORLDS)
def day(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Day]:
    name, world = request.param
    with lived(tmp_path_factory.mktemp(name), name, world) as one:
        yield one


@contextmanager
def lived(root: Path, name: str, world: str) -> Iterator[Day]:
    """The world before the tick, and what a tick that nobody kills makes of it."""
    before = DAYS[name](root / "before", world)
    whole = again(before, root / "whole")
    try:
        steps = reaper.tick(whole).steps
        assert steps is not None
        at_rest(whole)
        yield name, before, end_of(whole), len(whole.played), steps
    finally:
        before.people.stop()
        whole.people.stop()


def again(stage: Stage, root: Path) -> Stage:
    one = reaper.copy(stage, root)
    here = getattr(stage, "here", None)
    if here is not None:
        here[0] = one
    return one


def kill_at(day: Day, tmp_path: Path, *points: int) -> None:
    """Ticks that die at these steps, one after the other, and one that lives."""
    name, before, wanted, runs, _ = day
    one = again(before, tmp_path / "-".join(map(str, points)))
    try:
        for at in points:
            reaper.tick(one, at)
        reaper.tick(one)
        check(one, wanted, runs + len(points) - 1, name)
    except AssertionError as error:
        raise AssertionError(f"killed after step {points}: {error}") from error
    finally:
        one.people.stop()
    shutil.rmtree(one.root)


@pytest.mark.parametrize("part", range(PARTS))
def test_r15_killed_after_any_write_to_the_forge_the_next_tick_comes_to_the_same_end(
    day: Day, part: int, tmp_path: Path
) -> None:
    for at in _writes(day[-1])[part::PARTS]:
        kill_at(day, tmp_path, at)


def _writes(steps: list[str]) -> list[int]:
    return [at for at, name in enumerate(steps, 1) if name.startswith("forge: ") or name == "Git.push"]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_r15_killed_after_any_step_of_its_own_the_next_tick_comes_to_the_same_end(
    day: Day, part: int, tmp_path: Path
) -> None:
    own = sorted(set(range(1, len(day[-1]) + 1)) - set(_writes(day[-1])))
    for at in own[part::PARTS]:
        kill_at(day, tmp_path, at)


def test_r15_killed_at_two_steps_it_comes_to_the_same_end_all_the_same(day: Day, tmp_path: Path) -> None:
    _at_random(day, tmp_path, 3)


def test_r15_killed_after_some_writes_to_github_it_comes_to_the_same_end(tmp_path: Path) -> None:
    """Whole seconds, git over HTTP: the writes are the same, their times and answers are not."""
    with lived(tmp_path, "first", "github") as day:
        for at in random.Random("github").sample(_writes(day[-1]), 2):
            kill_at(day, tmp_path, at)


@pytest.mark.slow
def test_r15_killed_at_many_pairs_of_steps(day: Day, tmp_path: Path) -> None:
    _at_random(day, tmp_path, 120 if day[1].world == "local" else 30)


def _at_random(day: Day, tmp_path: Path, times: int) -> None:
    chance = random.Random(f"{day[0]} {times}")
    for _ in range(times):
        kill_at(day, tmp_path, *(chance.randint(1, len(day[-1])) for _ in range(2)))
