"""C: files that cost an agent nothing to make and would cost us hours to read or to delete."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcells.emptying import remove_tree
from agentcells.history.sealed import RECORDS, Sealed
from agentcells.history.walk import Bounds
from agentcells.model import Problem
from tests.attacks.arena import DELIVERED, Arena, done, record, shell
from tests.git_world import Origin, store

DEEP = 2_000  # each one of Python's own ways to delete a tree ends long before


def dig(at: Path, depth: int = DEEP) -> None:
    """Folders within each other, the last ones closed to everybody, and a link out in the middle."""
    at.mkdir()
    inner = os.open(at, os.O_RDONLY)
    for level in range(depth):
        os.mkdir("d", dir_fd=inner)
        if level == depth // 2:
            os.symlink("/etc", "away", dir_fd=inner)
            os.close(os.open("file", os.O_CREAT, 0o000, dir_fd=inner))
        further = os.open("d", os.O_RDONLY, dir_fd=inner)
        if level > depth - 3:
            os.chmod("d", 0o000, dir_fd=inner)
        os.close(inner)
        inner = further
    os.close(inner)


def test_c16_folders_of_any_depth_are_tidied_away(tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.write_text("stays")
    dig(tmp_path / "deep")
    remove_tree(tmp_path / "deep")
    assert [path.name for path in tmp_path.iterdir()] == ["beside"]
    assert Path("/etc/passwd").exists()


def test_control_c16_the_library_gives_up(tmp_path: Path) -> None:
    dig(tmp_path / "deep")
    with pytest.raises((RecursionError, OSError)):
        shutil.rmtree(tmp_path / "deep")
    assert (tmp_path / "deep").exists()
    remove_tree(tmp_path / "deep")


DIG = """python3 - <<'END'
import os
for at in (os.environ["HOME"], "/tmp"):
    os.chdir(at)
    for level in range(1200):
        os.mkdir("d"); os.chdir("d")
    os.chdir("/"); os.chmod(at + "/d/d", 0)
END
true"""


@pytest.mark.sandbox
def test_c16_what_an_agent_dug_does_not_stop_the_line(tmp_path: Path) -> None:
    arena = Arena(tmp_path)
    arena.attack(shell(DIG, "echo x >> game.py"), record(), done())
    arena.holds(DELIVERED)
    assert list((arena.state / "runs").iterdir()) == []


# ---------------------------------------------------------------- much to read


LARGE = 200 << 20  # above what is taken in, and it takes no room on the disk


def hole(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(LARGE)


def grown(work: Path) -> None:
    for number in range(5):
        hole(work / f"tracked{number}.py")


def linked(work: Path) -> None:
    hole(work / "large")
    os.truncate(work / "large", 90 << 20)  # this would be taken in
    for number in range(50):
        os.link(work / "large", work / f"again{number}")


def new(work: Path) -> None:
    for number in range(50):
        hole(work / f"new{number}")


def unreadable_names(work: Path) -> None:
    for number in range(10):
        hole(work / f"x\udcff{number}")


COSTLY: dict[str, Callable[[Path], None]] = {
    "tracked files that grew": grown, "one file of many names": linked, "new files": new,
    "names that are no text": unreadable_names,
}


@pytest.fixture
def sealed(tmp_path: Path) -> Sealed:
    files = {f"tracked{number}.py": b"x = 1\n" for number in range(5)}
    origin = Origin(tmp_path / "forge")
    start = origin.commit({**files, ".gitignore": b"*.o\n"}, "begin")
    git = store(tmp_path)
    git.fetch(origin.remote, ["main"])
    found = Sealed(git, tmp_path / "work", start, start)
    found.materialise()
    return found


def bytes_read(act: Callable[[], object]) -> int:
    """By the kernel's own book, with those of git."""

    def so_far() -> int:
        lines = Path("/proc/self/io").read_text().splitlines()
        return int(lines[0].removeprefix("rchar:"))

    before = so_far()
    act()
    return so_far() - before


@pytest.mark.parametrize("how", COSTLY)
def test_c17_a_file_that_is_refused_anyway_is_not_read(sealed: Sealed, how: str) -> None:
    COSTLY[how](sealed.work)
    assert bytes_read(lambda: sealed.look()) < 4 << 20
    assert {refusal.why for refusal in sealed.look().refusals} <= {
        "records_too_large", "records_hard_link", "records_bad_name",
    }
    assert len(sealed.look().refusals) >= 5


def test_control_c17_whoever_does_not_ask_for_the_size_reads_them_all(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(sealed.work)
    monkeypatch.setattr(sealed, "_size", lambda sha: LARGE)
    assert bytes_read(lambda: sealed.look()) > 5 * LARGE


def test_c17_a_large_file_that_stands_as_it_was_stays(sealed: Sealed, tmp_path: Path) -> None:
    """It is read once more, as large as it is: whether it changed cannot be known otherwise."""
    small = Sealed(sealed.git, sealed.work, sealed.start, sealed.base, bounds=Bounds(file_bytes=3))
    assert small.look().refusals == ()
    os.link(sealed.work / "tracked0.py", sealed.work / "tracked0.o")
    assert small.look().refusals == ()
    (sealed.work / "tracked1.py").write_text("x = 2\n")
    assert [refusal.why for refusal in small.look().refusals] == ["records_too_large"]


def test_c17_more_names_than_any_project_has_are_not_even_listed(sealed: Sealed) -> None:
    for number in range(40):
        (sealed.work / f"{number}.o").touch()
    few = Sealed(sealed.git, sealed.work, sealed.start, sealed.base, bounds=Bounds(names=30))
    assert [refusal.why for refusal in few.look().refusals] == ["records_too_many"]
    assert sealed.look().refusals == ()  # the control: within the bound they are ignored


def test_c17_refusals_without_end_come_to_an_end(sealed: Sealed) -> None:
    for number in range(40):
        os.mkfifo(sealed.work / f"{number}.pipe")
    few = Sealed(sealed.git, sealed.work, sealed.start, sealed.base, bounds=Bounds(refusals=10))
    assert len(few.look().refusals) == 11
    assert few.look().tree == sealed.git.tree(sealed.start)  # of a flood nothing is taken in
    assert len(sealed.look().refusals) == 40


def test_c17_a_run_has_so_many_records_and_no_more(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert RECORDS >= 100
    monkeypatch.setattr("agentcells.history.sealed.RECORDS", 3)
    for number in range(3):
        (sealed.work / "tracked0.py").write_text(f"x = {number + 2}\n")
        sealed.record("Again")
    (sealed.work / "tracked0.py").write_text("x = 9\n")
    with pytest.raises(Problem, match="3") as refused:
        sealed.record("Again")
    assert refused.value.key == "records_too_many_records"
    assert sealed.git.tree(sealed.seal("The rest")) == sealed.look().tree  # the work itself is kept
