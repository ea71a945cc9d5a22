"""The power goes between any two writes: on disk is what was synced last, or nothing at all; the end is the same.

Before: real processes killed at the same steps as tests/stories/test_crashes.py. After: what was written to
the state folder since its last sync is gone, or the folder whole. The forge keeps what it had.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentcells.git import Git
from agentcells.git_process import Call, run
from agentcells.markers import parse_marker
from tests import reaper
from tests.invariants import at_rest
from tests.stage import REVIEW, TRIAGE, Stage, rule
from tests.stories.test_crashes import end_of

# Each run adds a line, as a model would: what a lost run left on its branch is built upon.
IMPLEMENT = rule(
    "implement", {"append": {"game.py": "LIVES = 3\n"}}, {"cell": ["record", "-m", "Three lives"]},
    {"answer": {"next": "review", "comment": "Done."}},
)


@dataclass
class Disk(reaper.Scythe):
    """Notes what is on disk for good: all of the state folder as it was when a file was synced last."""

    state: Path = Path()

    def step(self, name: str) -> None:
        if name == "write_whole":
            keep_copy(self.state)
        reaper.Scythe.step(self, name)


def keep_copy(state: Path) -> None:
    synced = state.with_name("synced")
    shutil.rmtree(synced, ignore_errors=True)
    if state.exists():
        shutil.copytree(state, synced, symlinks=True)


def cut(stage: Stage, at: int, *, whole: bool) -> None:
    """A tick, the power gone after its step `at`, and the state folder that is found again."""
    state = stage.state.root
    keep_copy(state)
    child = os.fork()
    if child == 0:
        reaper._live(stage, Disk(at, state=state), stage.root / "steps.json")
    os.waitpid(child, 0)
    shutil.rmtree(state)
    if not whole:
        shutil.copytree(state.with_name("synced"), state, symlinks=True)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stage, Stage, list[str]]:
    """Before the tick; what a whole one makes of it; its steps."""
    root = tmp_path_factory.mktemp("power")
    before = Stage(root / "before", rules=[TRIAGE, IMPLEMENT, REVIEW])
    before.file("triage")
    before.state.mac_key()
    whole = reaper.copy(before, root / "whole")
    steps = reaper.tick(whole).steps
    assert steps is not None
    return before, whole, steps


def power_goes(world: tuple[Stage, Stage, list[str]], root: Path, at: int, *, whole: bool) -> None:
    before, unharmed, _ = world
    stage = reaper.copy(before, root)
    cut(stage, at, whole=whole)
    why = f"cut after step {at}, {'all' if whole else 'what was not synced'} lost"
    if whole and pushed_and_not_told(stage):
        comes_back_after_a_word(stage, why)
        return
    reaper.tick(stage)
    found, wanted = end_of(stage), end_of(unharmed)
    assert (found.states, found.open, found.branches) == (wanted.states, wanted.open, wanted.branches), why
    assert found.said == wanted.said, why
    assert "LIVES = 3\n" in found.files["agentcells/1:game.py"], why
    assert len(stage.played) <= len(unharmed.played) + 1, why
    at_rest(stage)
    shutil.rmtree(root)


def pushed_and_not_told(stage: Stage) -> bool:
    """The branch is there, and the word of ours that it was us is nowhere any more."""
    told = [marker for number in stage.people.numbers() for marker in map(parse_marker, stage.said(number))]
    return "agentcells/1" in stage.branches() and not any(one and one.cell == "implement" for one in told)


def comes_back_after_a_word(stage: Stage, why: str) -> None:
    """Commits that nothing of ours vouches for are shown to the owner once; he lets it go on (R44)."""
    reaper.tick(stage)
    (asked,) = [number for number in stage.people.numbers() if "needs-human" in stage.states(number)]
    assert "Somebody else has put work on the branch" in stage.said(asked)[-1], why
    at_rest(stage)
    stage.say(asked, "That is ours. Go on.")
    reaper.tick(stage)
    assert [stage.states(number) for number in stage.people.numbers()] == [set(), {"in-review"}], why
    assert "LIVES = 3\n" in stage.people.files("agentcells/1")["game.py"], why
    at_rest(stage)


@pytest.mark.parametrize("whole", [True, False], ids=["all lost", "as synced"])
def test_r15_the_power_goes_at_some_step_and_the_end_is_the_same(
    world: tuple[Stage, Stage, list[str]], tmp_path: Path, whole: bool
) -> None:
    at = random.Random(str(whole)).randint(1, len(world[2]))
    power_goes(world, tmp_path / "w", at, whole=whole)


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False], ids=["all lost", "as synced"])
@pytest.mark.parametrize("part", range(3))
def test_r15_the_power_goes_between_any_two_writes(
    world: tuple[Stage, Stage, list[str]], tmp_path: Path, part: int, whole: bool
) -> None:
    for at in range(1 + part, len(world[2]) + 1, 3):
        power_goes(world, tmp_path / str(at), at, whole=whole)


def test_what_git_stores_is_on_disk_before_we_go_on(tmp_path: Path) -> None:
    """A loose object that is only in memory would be gone with the power, and the order that names it not."""
    git = Git(tmp_path / "store.git")
    git.init()
    told = tmp_path / "told"
    call = Call(
        store=git.store, arguments=["hash-object", "-w", "--stdin"], env={"GIT_TRACE2_EVENT": str(told)}
    )
    run(call, b"something new\n")
    flushed = [
        int(event["value"]) for line in told.read_text(encoding="utf-8").splitlines()
        if (event := json.loads(line)).get("key") == "fsync/hardware-flush"
    ]
    assert sum(flushed) >= 1
