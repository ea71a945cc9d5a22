"""What a run writes lies aside until it is recorded; a record is whole in the repository itself."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

import pytest

from agentcells import git as rooms
from agentcells.git import Git
from agentcells.history.sealed import Sealed
from tests.git_world import Origin, store

FILES = {f"d{number}/f.txt": f"{number}\n".encode() for number in range(30)}


@pytest.fixture
def sealed(tmp_path: Path) -> Sealed:
    origin = Origin(tmp_path / "forge")
    origin.commit(FILES, "begin")
    git = store(tmp_path)
    start = git.fetch(origin.remote, ["main"])["main"]
    found = Sealed(git, tmp_path / "work", start, start, ref="refs/agentcells/records/r1")
    found.materialise()
    return found


def objects(sealed: Sealed) -> set[str]:
    folder = sealed.git.store / "objects"
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def left(sealed: Sealed) -> list[Path]:
    return list(sealed.git.store.glob("tmp-*"))


def change(sealed: Sealed, text: str) -> None:
    for name in FILES:
        (sealed.work / name).write_text(text)


def test_looks_leave_nothing_in_the_repository(sealed: Sealed) -> None:
    before = objects(sealed)
    change(sealed, "other\n")
    assert len(sealed.changes()) == len(FILES)
    assert "+other" in sealed.diff(["d3"])
    assert objects(sealed) == before
    assert len(left(sealed)) == 1


def test_control_a_repository_that_is_not_aside_keeps_what_was_looked_at(sealed: Sealed) -> None:
    before = objects(sealed)
    for name in FILES:
        (sealed.work / name).write_text(f"other {name}\n")
    sealed.git = Git(sealed.git.store)  # type: ignore[assignment]
    sealed.changes()
    assert len(objects(sealed)) > len(before) + len(FILES)


def test_what_lies_aside_ends_with_the_run(sealed: Sealed, tmp_path: Path) -> None:
    other = Sealed(sealed._repository, tmp_path / "work", sealed.start, sealed.start)
    change(sealed, "other\n")
    other.changes()
    assert len(left(sealed)) == 1
    del other
    gc.collect()
    assert left(sealed) == []


def test_r41_a_record_is_whole_in_the_repository_as_one_pack(sealed: Sealed) -> None:
    before = objects(sealed)
    change(sealed, "first\n")
    sealed.changes()  # what this stored is taken in as well
    sealed.record("First")
    change(sealed, "second\n")
    sealed.seal("Second")
    new = sorted(Path(path).suffix for path in objects(sealed) - before)
    assert new.count(".pack") == new.count(".idx") == 2
    assert set(new) <= {".pack", ".idx", ".rev"}
    plain = Git(sealed.git.store)
    assert plain.rev("refs/agentcells/records/r1") == sealed.tip
    second, first, *_ = plain.commits(sealed.tip)
    for commit, text in ((first, b"first\n"), (second, b"second\n")):
        shas = {entry.sha for entry in plain.entries(commit.sha).values()}
        assert [data for _, data in plain.blobs(shas)] == [text]
    plain._run("fsck", "--strict", "--no-dangling")


def test_what_a_killed_run_left_aside_is_swept_away_after_two_weeks(sealed: Sealed) -> None:
    change(sealed, "other\n")
    sealed.changes()
    (lies,) = left(sealed)
    sealed._repository.tidy()
    assert left(sealed) == [lies]
    long_ago = time.time() - 15 * 86_400
    os.utime(lies, (long_ago, long_ago))
    sealed._repository.tidy()
    assert left(sealed) == []


def test_many_packs_become_one(sealed: Sealed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_PACKS", 2)
    for number in range(3):
        change(sealed, f"{number}\n")
        sealed.seal("s")
    packs = sealed.git.store / "objects/pack"
    before = set(packs.glob("*.pack"))
    assert len(before) >= 3
    sealed._repository.tidy()
    assert not before & set(packs.glob("*.pack"))
    assert len(Git(sealed.git.store).commits(sealed.tip)) == 4
