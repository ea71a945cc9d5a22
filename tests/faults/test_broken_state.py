"""Any file of the state folder is lost or damaged: said plainly, nothing lost, the line goes on to its end."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcells.damaged import set_aside
from agentcells.git import Git
from agentcells.model import Problem
from agentcells.store import RunFolder
from agentcells.tick import run_pass
from tests import reaper
from tests.invariants import at_rest
from tests.stage import REVIEW, Heard, Stage, rule
from tests.typed import Typed, typed

__all__ = ["typed"]

IMPLEMENT = rule(
    "implement", {"append": {"game.py": "LIVES = 3\n"}}, {"cell": ["record", "-m", "Three lives"]},
    {"answer": {"next": "review", "comment": "Done."}},
)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def garbage(path: Path) -> None:
    path.write_bytes(b'{"run": \xff\x00 [' * 20)


def lost(path: Path) -> None:
    path.unlink()


def other(path: Path) -> None:
    """JSON, of something else."""
    path.write_text('{"another": ["thing"]}', encoding="utf-8")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": empty, "garbage": garbage, "lost": lost, "other": other,
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """A run of implement has ended and is not published yet; caches are warm."""
    stage = Stage(tmp_path_factory.mktemp("state") / "w", rules=[IMPLEMENT, REVIEW])
    stage.file()
    stage.file("")
    stage.advance(minutes=5)
    folder = first_pass(stage)[0]
    stage.play(folder)
    return stage


def first_pass(stage: Stage) -> tuple[RunFolder, ...]:
    """As a tick begins: under the pass lock, what is left over is swept first."""
    state = stage.state
    with state.pass_lock(wait=False) as got:
        assert got
        state.sweep()
        set_aside(state)
        return run_pass(stage.config, state, Heard("quiet"), forge=stage.forge())


def files_of(stage: Stage) -> list[str]:
    """What a pass reads again, by its place in the state folder; what a run left of its own is not."""
    root = stage.state.root
    found = [path.relative_to(root) for path in root.rglob("*") if path.is_file()]
    own = ("work", "home", "tmp", "bin", "door", "objects", "hooks")
    return sorted(
        str(path) for path in found
        if not any(part in own or part.startswith("tmp-") for part in path.parts)  # gone with its process
    )


def goes_on(stage: Stage, typed: Typed) -> None:
    """The words of a person's commands are no bug, and after a few ticks the line is at its end."""
    for words in (("status",), ("why", "1"), ("tick", "--dry-run")):
        said = typed(stage, *words)
        assert said.code in (0, 1), said.err
        assert "bug" not in said.err
    for _ in range(5):
        try:
            for folder in first_pass(stage):
                stage.play(folder)
        except Problem as problem:
            raise AssertionError(f"{problem.key} {problem.slots}") from problem
    assert stage.tick().problem is None
    assert stage.states(1, 3) == {"in-review"}
    assert "LIVES = 3\n" in stage.people.files("agentcells/1")["game.py"]
    at_rest(stage)


def again(world: Stage, root: Path) -> Stage:
    """The same world elsewhere; its run folders name places by their whole paths."""
    stage = reaper.copy(world, root)
    for path in (stage.state.root / "runs").glob("*/*.json"):
        path.write_text(path.read_text("utf-8").replace(str(world.root), str(root)), "utf-8")
    return stage


def broken(world: Stage, root: Path, name: str, damage: str) -> Stage:
    stage = again(world, root)
    DAMAGES[damage](stage.state.root / name)
    return stage


@pytest.mark.parametrize(("name", "damage"), [
    ("order.json", "garbage"), pytest.param("ended.json", "empty", marks=pytest.mark.slow),
])
def test_a_damaged_run_folder_is_said_and_the_run_is_done_again(
    world: Stage, tmp_path: Path, typed: Typed, name: str, damage: str
) -> None:
    (run,) = [folder.run for folder in world.state.runs()]
    goes_on(broken(world, tmp_path / "w", f"runs/{run}/{name}", damage), typed)


def test_the_whole_repository_of_an_unpublished_run_is_gone(world: Stage, tmp_path: Path, typed: Typed) -> None:
    stage = again(world, tmp_path / "w")
    shutil.rmtree(stage.state.root / "repos")
    goes_on(stage, typed)
    assert [row.outcome for row in stage.book(1).rows][:2] == ["crash", "done"]


def test_what_does_not_belong_into_the_state_folder_harms_nothing(
    world: Stage, tmp_path: Path, typed: Typed
) -> None:
    stage = again(world, tmp_path / "w")
    root = stage.state.root
    items = next(path for path in (root / "cache").iterdir() if path.is_dir())
    for stray in (root / "runs/notes.txt", root / "logs/notes.txt", items / "notes.json", root / "repos/notes"):
        stray.write_text("by hand", encoding="utf-8")
    rows = items.with_name(f"{items.name}.rows.json")
    for place in (rows, items / "1.json", items / "old"):
        place.unlink(missing_ok=True)
        (place / "inner").mkdir(parents=True)
    goes_on(stage, typed)
    assert rows.is_file()
    assert not (items / "notes.json").exists()
    assert not (items / "old").exists()


def test_r25_half_a_key_is_no_key(tmp_path: Path) -> None:
    state = Stage(tmp_path).state
    key = state.mac_key()
    assert len(key) == 32
    assert (state.root / "key").stat().st_mode & 0o777 == 0o600
    (state.root / "key").write_bytes(key[:7])  # the power was cut as an older version made it
    assert state.mac_key(make=False) == b""
    again = state.mac_key()
    assert len(again) == 32
    assert state.mac_key() == state.mac_key(make=False) == again


def test_a_repository_of_ours_without_its_settings_gets_them_again(tmp_path: Path) -> None:
    git = Git(tmp_path / "store.git")
    git.init()
    (git.store / "config").unlink()
    git.init()
    assert git.refs("refs/") == {}


@pytest.mark.slow
@pytest.mark.parametrize("damage", list(DAMAGES))
def test_any_file_of_the_state_folder(world: Stage, tmp_path: Path, typed: Typed, damage: str) -> None:
    names = files_of(world)
    assert {"brake.json", "last_look.json", "events.jsonl", "last_tick.json"} & {os.path.basename(n) for n in names}  # noqa: PTH119
    for number, name in enumerate(names):
        stage = broken(world, tmp_path / str(number), name, damage)
        try:
            goes_on(stage, typed)
        except BaseException as error:
            raise AssertionError(f"{name} {damage}") from error
        shutil.rmtree(stage.root)
