"""Contents kept as they are: used when they are whole, told apart when they are not, never missed when gone."""

from __future__ import annotations

from collections.abc import Callable
from io import FileIO
from pathlib import Path

import pytest

from agentcells.git import Git, GitError, blob_id
from agentcells.history import contents as rooms
from agentcells.history.contents import NAME, each
from agentcells.model import Sha
from tests.git_world import store

FILES = {f"f{number}.txt": f"content {number}\n".encode() * 50 for number in range(16)}


@pytest.fixture
def git(tmp_path: Path) -> Git:
    found = store(tmp_path)
    found.write_blobs(dict(WANTED))
    return found


SHAS = [blob_id(data) for data in FILES.values()]
WANTED = dict(zip(SHAS, FILES.values(), strict=True))


def read(git: Git, shas: list[Sha] = SHAS) -> dict[Sha, bytes]:
    found: list[tuple[Sha, bytes]] = []
    each(git, shas, lambda sha, data: found.append((sha, data)))
    assert len(found) == len(shas)
    return dict(found)


def lose(git: Git, sha: Sha) -> None:
    """Then only the file of contents has it."""
    (git.store / "objects" / sha[:2] / sha[2:]).unlink()


def test_what_was_laid_out_once_is_not_inflated_again(git: Git) -> None:
    assert read(git) == WANTED
    for sha in SHAS:
        lose(git, sha)
    assert read(git) == WANTED


def test_control_without_the_file_git_is_asked(git: Git) -> None:
    read(git)
    lose(git, SHAS[3])
    (git.store / NAME).unlink()
    with pytest.raises(GitError):
        read(git)
    assert not (git.store / NAME).exists()  # half a file is never kept


def spoilt(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(FILES["f0.txt"]) + 5] ^= 1
    path.write_bytes(data)


def zeros(path: Path) -> None:
    """What a power cut leaves of a file that was renamed before it was on the disk."""
    path.write_bytes(bytes(path.stat().st_size))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def index_of_nothing(path: Path) -> None:
    path.write_bytes(path.read_bytes()[-16 * 36 - 16:])


def too_many_rows(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-8] + b"\xff" * 8)


def rows_that_lead_astray(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-16 - 36] + data[-16 - 36:-16 - 16] + b"\xff" * 16 + data[-16:])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def a_link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


@pytest.mark.parametrize(
    "damage", [spoilt, zeros, cut, index_of_nothing, too_many_rows, rows_that_lead_astray, empty, a_link],
    ids=lambda damage: damage.__name__,
)
def test_a_damaged_file_costs_time_and_nothing_else(git: Git, damage: Callable[[Path], None]) -> None:
    read(git)
    damage(git.store / NAME)
    assert read(git) == WANTED
    assert read(git) == WANTED


def test_it_is_renewed_when_much_is_new_and_not_for_a_few(git: Git) -> None:
    read(git, SHAS[:15])
    first = (git.store / NAME).stat()
    assert read(git) == WANTED  # one of 16 is new
    assert (git.store / NAME).stat().st_ino == first.st_ino
    read(git, SHAS[13:])  # one of three
    assert (git.store / NAME).stat().st_ino != first.st_ino
    for sha in SHAS[13:]:
        lose(git, sha)
    assert read(git, SHAS[13:]) == {sha: WANTED[sha] for sha in SHAS[13:]}


def test_it_has_an_end(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "LARGEST", 2_000)
    assert read(git) == WANTED
    assert 0 < (git.store / NAME).stat().st_size < 2_000 + 16 * 36 + 16
    assert read(git) == WANTED


def test_what_goes_wrong_in_a_thread_is_told(git: Git) -> None:
    read(git)

    def refuse(sha: Sha, data: bytes) -> None:
        if sha == SHAS[-1]:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        each(git, SHAS, refuse)
    each(git, [], refuse)


def test_a_full_disk_is_no_fault_of_the_laying_out() -> None:
    with FileIO("/dev/full", "w") as full:
        keep = rooms._Keep(full, 1 << 20)
        for sha, data in WANTED.items():
            keep.add(sha, data)
        assert keep.finish() is False
