"""What is taken to be as it was laid out, unread: whatever changes a file is seen, however it is hidden (R42)."""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentcells.history.sealed import Sealed
from agentcells.history.stands import are_sure, settled, stand
from tests.attacks.test_c_costs import bytes_read
from tests.git_world import Origin, Program, child, store

SIZE = 300_000
FILES = {
    "a/one.txt": b"1" * SIZE, "a/two.txt": b"2" * SIZE, "b/one.txt": b"4" * SIZE, "b/two.txt": b"5" * SIZE,
    "tool.sh": Program(b"3" * SIZE),
}
ONE, TWO = "a/one.txt", "a/two.txt"


@pytest.fixture
def place() -> Iterator[Path]:
    """On a file system whose times of change can be relied on, where there is one at hand."""
    near = [Path(name) for name in (tempfile.gettempdir(), "/var/tmp", str(Path(__file__).parent))]
    with tempfile.TemporaryDirectory(dir=next(filter(are_sure, near), near[0])) as folder:
        yield Path(folder)


@pytest.fixture
def sealed(place: Path) -> Sealed:
    origin = Origin(place / "forge")
    origin.commit(FILES, "begin")
    git = store(place)
    start = git.fetch(origin.remote, ["main"])["main"]
    found = Sealed(git, place / "work", start, start)
    found.materialise()
    return found


def paths(sealed: Sealed) -> list[str]:
    return [change.path for change in sealed.changes()]


def test_r42_what_stands_as_it_was_laid_out_is_not_read(sealed: Sealed) -> None:
    assert (bytes_read(sealed.changes) < SIZE) is are_sure(sealed.work)
    (sealed.work / "new.txt").write_text("x\n")
    assert paths(sealed) == ["new.txt"]
    assert set(sealed.git.entries(sealed.seal("s"))) == {*FILES, "new.txt"}


def test_r8_for_a_test_every_file_is_read_whatever_is_known_of_it(sealed: Sealed) -> None:
    assert bytes_read(sealed.tree_now) > 3 * SIZE
    # Had somebody found a way to write a file and keep its time of change, it would be the old one
    # that is taken in, and no test would count for that.
    (sealed.work / ONE).write_bytes(b"X" * SIZE)
    known = {ONE: stand((sealed.work / ONE).stat())}
    sealed._stands = known
    assert paths(sealed) == []  # on any file system: what is known is believed
    assert sealed.tree_now() != sealed.git.tree(sealed.start)


# ---------------------------------------------------------------- hidden changes: each keeps size and mtime


def rewritten(work: Path) -> None:
    (work / ONE).write_bytes(b"X" * SIZE)


def mapped(work: Path) -> None:
    """Read first, so that the page is there when it is written."""
    with (work / ONE).open("r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
        assert pages[5] == ord("1")
        pages[5] = ord("X")


def put_in_its_place(work: Path) -> None:
    (work / "beside").write_bytes(b"X" * SIZE)
    (work / "beside").rename(work / ONE)


def swapped(work: Path) -> None:
    (work / ONE).rename(work / "beside")
    (work / TWO).rename(work / ONE)
    (work / "beside").rename(work / TWO)


def swapped_with_their_folder(work: Path) -> None:
    """By way of a new folder in the old one's place."""
    (work / "c").mkdir()
    (work / TWO).rename(work / "c/one.txt")
    (work / ONE).rename(work / "c/two.txt")
    (work / "a").rmdir()
    (work / "c").rename(work / "a")


def in_the_other_folder(work: Path) -> None:
    """No file is touched, none has another name: the two folders have."""
    (work / "a").rename(work / "c")
    (work / "b").rename(work / "a")
    (work / "c").rename(work / "b")


def made_anew(work: Path) -> None:
    """As likely as not with the number that was just given back."""
    (work / ONE).unlink()
    (work / ONE).write_bytes(b"X" * SIZE)


def written_by_another_name(work: Path) -> None:
    os.link(work / ONE, work / "beside")
    (work / "beside").write_bytes(b"X" * SIZE)
    (work / "beside").unlink()


def copied_over_by_the_kernel(work: Path) -> None:
    with (work / TWO).open("rb") as source, (work / ONE).open("r+b") as target:
        assert os.copy_file_range(source.fileno(), target.fileno(), SIZE) > 0


def punched(work: Path) -> None:
    """Zeros without a write: FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE."""
    with (work / ONE).open("r+b") as file:
        call = ctypes.CDLL(None, use_errno=True).fallocate
        call.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_long)
        assert call(file.fileno(), 3, 0, 4096) == 0


def shortened_and_filled_up(work: Path) -> None:
    os.truncate(work / ONE, 10)
    os.truncate(work / ONE, SIZE)


HIDDEN: tuple[Callable[[Path], None], ...] = (
    rewritten, mapped, put_in_its_place, swapped, swapped_with_their_folder, in_the_other_folder, made_anew,
    written_by_another_name, copied_over_by_the_kernel, punched, shortened_and_filled_up,
)


@pytest.mark.parametrize("change", HIDDEN, ids=lambda change: change.__name__)
def test_r42_a_change_is_seen_with_size_and_times_put_back(
    sealed: Sealed, change: Callable[[Path], None]
) -> None:
    before = {name: (sealed.work / name).stat() for name in (ONE, TWO)}
    change(sealed.work)
    for name, facts in before.items():
        os.utime(sealed.work / name, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        now = (sealed.work / name).stat()
        assert (now.st_size, now.st_mtime_ns) == (facts.st_size, facts.st_mtime_ns)  # nothing to see by these
    assert ONE in paths(sealed)


def test_two_files_of_one_tick_and_size_are_told_apart(sealed: Sealed) -> None:
    one, two = ((sealed.work / name).stat() for name in (ONE, TWO))
    assert stand(one)[0] != stand(two)[0]


def test_r40_what_was_laid_out_beyond_the_start_is_a_change_untouched_as_it_is(place: Path) -> None:
    origin = Origin(place / "forge")
    origin.commit(FILES, "begin")
    git = store(place)
    start = git.fetch(origin.remote, ["main"])["main"]
    kept = child(git, start, {ONE: b"X" * SIZE, "more.txt": b"more\n"})
    sealed = Sealed(git, place / "work", start, start)
    sealed.materialise(git.tree(kept))
    assert paths(sealed) == [ONE, "more.txt"]
    assert git.tree(sealed.seal("s")) == git.tree(kept)


def test_modes_are_those_of_the_tree_whatever_the_umask_is(place: Path) -> None:
    origin = Origin(place / "forge")
    origin.commit(FILES, "begin")
    git = store(place)
    start = git.fetch(origin.remote, ["main"])["main"]
    before = os.umask(0o077)
    try:
        sealed = Sealed(git, place / "work", start, start)
        sealed.materialise()
    finally:
        os.umask(before)
    modes = {name: (sealed.work / name).stat().st_mode & 0o777 for name in (ONE, "tool.sh")}
    assert modes == {ONE: 0o644, "tool.sh": 0o755}
    assert paths(sealed) == []
    assert (bytes_read(sealed.changes) < SIZE) is are_sure(sealed.work)


def test_r42_a_new_mode_is_seen(sealed: Sealed) -> None:
    (sealed.work / "tool.sh").chmod(0o644)
    assert [(change.path, change.kind) for change in sealed.changes()] == [("tool.sh", "mode")]


def test_r42_a_change_that_was_recorded_and_undone_is_a_change(sealed: Sealed) -> None:
    (sealed.work / ONE).write_bytes(b"X" * SIZE)
    sealed.record("Another one")
    assert paths(sealed) == []
    (sealed.work / ONE).write_bytes(FILES[ONE])
    assert paths(sealed) == [ONE]


def test_r42_work_begun_in_the_tick_of_the_laying_out_is_seen(place: Path) -> None:
    origin = Origin(place / "forge")
    origin.commit({"a.txt": b"a\n"}, "begin")
    git = store(place)
    start = git.fetch(origin.remote, ["main"])["main"]
    for number in range(30):
        sealed = Sealed(git, place / f"work{number}", start, start)
        sealed.materialise()
        (sealed.work / "a.txt").write_bytes(b"b\n")
        assert paths(sealed) == ["a.txt"]


# ---------------------------------------------------------------- where it is not to be relied on


def test_where_mapped_pages_are_written_unseen_everything_is_read() -> None:
    """tmpfs: the reason for the list of file systems, shown at work."""
    if not Path("/dev/shm").is_dir():
        raise AssertionError("this test needs the tmpfs of every Linux at /dev/shm")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        root = Path(folder)
        assert not are_sure(root)
        origin = Origin(root / "forge")
        origin.commit(FILES, "begin")
        git = store(root)
        start = git.fetch(origin.remote, ["main"])["main"]
        sealed = Sealed(git, root / "work", start, start)
        sealed.materialise()
        before = stand((root / "work" / ONE).stat())
        time.sleep(0.02)
        mapped(root / "work")
        assert stand((root / "work" / ONE).stat()) == before
        assert paths(sealed) == [ONE]


def test_a_folder_that_is_gone_is_not_sure(tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "x", ignore_errors=True)
    assert not are_sure(tmp_path / "x")


def test_another_system_than_linux_is_not_sure(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert not are_sure(place)


def test_with_a_clock_that_was_set_back_nothing_is_known() -> None:
    future = time.time_ns() + 3_600_000_000_000
    assert settled({"a": (1, future, 1)}) == {}
    past = {"a": (1, time.time_ns() - 1_000_000_000, 1)}
    assert settled(past) == past
    assert settled({}) == {}
