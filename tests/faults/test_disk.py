"""No free inodes, a read-only state folder: said plainly, nothing lost, and never a fresh start that forgets."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agentcells.brakes import today
from tests import reaper, sick_disk
from tests.factory import Factory, answer
from tests.faults import disk
from tests.invariants import at_rest
from tests.stage import REVIEW, Stage, rule, work
from tests.stories.test_crashes import end_of
from tests.test_main_troubles import one_line

pytestmark = pytest.mark.sandbox  # what mounts: root, or whoever may have a namespace of his own

IMPLEMENT = rule("implement", work(game__py="LIVES = 3\n"))
SPENT = 1.25
KEYS = {"store_refused", "store_unwritable", "store_run_unreadable", "git_disk", "system_refused"}


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Stage, Stage]:
    """A factory that has worked today, with an issue that waits; and the same after a tick with a disk that is well."""
    root = tmp_path_factory.mktemp("disk")
    before = Stage(root / "before", rules=[IMPLEMENT, REVIEW])
    before.file("")
    before.tick()
    spend(before)
    before.file("implement")
    well = reaper.copy(before, root / "well")
    assert reaper.tick(well).steps
    return before, well


def spend(stage: Stage) -> None:
    """What a forgetful machine would spend once more."""
    state = stage.state
    day = today(stage.config, stage.look()[0].now)
    state.write_brake(replace(state.brake(), usd_today=SPENT, day=day))


def harmed(worlds: tuple[Stage, Stage], root: Path, trouble: sick_disk.Trouble) -> disk.Ended:
    """A tick on a disk in trouble, and one when it is over: the end is as if nothing had been."""
    before, well = worlds
    stage = reaper.copy(before, root)
    ended = disk.tick(stage, trouble)
    if ended.key:
        assert ended.key in KEYS, ended
        assert len(ended.said.splitlines()) == 1, ended.said
    day = before.state.brake().day
    assert remembers(stage, day)
    stage.advance(minutes=61)
    for _ in range(3):
        assert stage.tick().problem is None
    found, wanted = end_of(stage), end_of(well)
    assert found == wanted, f"{ended}\n{found}\nbut unharmed\n{wanted}"
    assert len(stage.played) <= len(well.played) + 1, stage.played
    assert remembers(stage, day)
    at_rest(stage)
    return ended


def remembers(stage: Stage, day: str) -> bool:
    """Late in the evening the hour leads into another day, with dollars of its own."""
    brake = stage.state.brake()
    return brake.day > day or brake.usd_today >= SPENT


@pytest.mark.parametrize("left", [0, 9])
def test_r15_no_file_can_be_made_any_more(worlds: tuple[Stage, Stage], tmp_path: Path, left: int) -> None:
    ended = harmed(worlds, tmp_path / "w", sick_disk.full(left))
    assert "No space left on device" in ended.said


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_r15_the_inodes_run_out_at_any_file(worlds: tuple[Stage, Stage], tmp_path: Path, part: int) -> None:
    for left in range(part, 120, 4):
        try:
            harmed(worlds, tmp_path / str(left), sick_disk.full(left))
        except BaseException as error:
            raise AssertionError(f"{left} left") from error


def test_r15_a_state_folder_that_became_read_only(worlds: tuple[Stage, Stage], tmp_path: Path) -> None:
    ended = harmed(worlds, tmp_path / "w", sick_disk.frozen)
    assert "Read-only file system" in ended.said
    assert ended.code == 1
    assert ended.wrote == []


# ---------------------------------------------------------------- as a person meets it


def on(how: str, factory: Factory, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(Path(sick_disk.__file__)), how, str(factory.state), "--"]
    return subprocess.run(
        [*command, *factory.command(*words)], env=factory.environment(), stdin=subprocess.DEVNULL, text=True,
        capture_output=True, timeout=120, check=False, cwd=factory.root,
    )


@pytest.mark.parametrize(("how", "says"), [
    ("frozen", "Read-only file system"),
    pytest.param("full", "No space left on device", marks=pytest.mark.slow),
])
def test_whoever_looks_is_answered_and_whoever_writes_is_told_why_not(tmp_path: Path, how: str, says: str) -> None:
    asks = [{"cell": "triage", "do": [answer("needs-human", "How many?")]}]
    factory = Factory(tmp_path / "a place", rules=asks)
    issue = factory.file()
    assert factory.tick().code == 0
    factory.comment(issue, "Three.")
    for words in (("status",), ("why", "1"), ("tick", "--dry-run")):
        well, ill = factory.run(*words), on(how, factory, *words)
        assert (ill.returncode, ill.stderr) == (0, "")
        assert ago(ill.stdout) == ago(well.stdout)
    one_line(on(how, factory, "tick"), 1, str(factory.state), says, "the next tick goes on")
    assert factory.states(issue) == {"needs-human"}
    assert factory.tick().cells == ["triage"]


def ago(said: str) -> str:
    return re.sub(r"\d+ s\b *", "some time ", said)
