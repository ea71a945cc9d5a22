"""Writes a tree out as plain files: raw bytes, no checkout, no archive, no .git (R36, R41)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from agentcells.git import Entry, Git
from agentcells.git_read import EXECUTABLE, SUBMODULE, SYMLINK
from agentcells.history import HistoryError
from agentcells.history.names import is_safe, shown
from agentcells.model import Sha

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def lay_out(git: Git, tree: str, folder: Path) -> None:
    """Write every file of a tree or commit into `folder`, which must be empty or absent.

    cat-file only: checkout and archive change bytes by the repository's own attributes. A symlink
    becomes a symlink, a submodule an empty folder.
    """
    entries = git.entries(tree)
    unsafe = next((path for path in sorted(entries) if not is_safe(path)), None)
    if unsafe is not None:  # git lets such a tree pass; written out, it could leave the folder
        raise HistoryError("records_unsafe_name", path=shown(unsafe))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise HistoryError("records_not_empty", path=str(folder))
        _make_folders(folder, entries)
        _write(git, folder, entries)
    except OSError as error:
        raise HistoryError("records_cannot_write", detail=error.strerror or str(error)) from error


def _make_folders(folder: Path, entries: Mapping[str, Entry]) -> None:
    wanted = {path for path, entry in entries.items() if entry.mode == SUBMODULE}
    wanted |= {path.rpartition("/")[0] for path in entries}
    for path in sorted(wanted - {""}):
        _place(folder, path).mkdir(mode=0o755, parents=True, exist_ok=True)


def _write(git: Git, folder: Path, entries: Mapping[str, Entry]) -> None:
    places: dict[Sha, list[tuple[str, str]]] = {}
    for path, entry in entries.items():
        if entry.mode != SUBMODULE:
            places.setdefault(entry.sha, []).append((path, entry.mode))
    links: list[tuple[str, bytes]] = []
    for sha, data in git.blobs(places):
        for path, mode in places[sha]:
            if mode == SYMLINK:
                links.append((path, data))
            else:
                _write_file(_place(folder, path), data, 0o755 if mode == EXECUTABLE else 0o644)
    for path, target in links:  # last, so that no file can be written through one
        _place(folder, path).symlink_to(os.fsdecode(target))


def _write_file(place: Path, data: bytes, mode: int) -> None:
    descriptor = os.open(place, _CREATE, mode)
    try:
        os.fchmod(descriptor, mode)  # whatever the umask is
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view):]
    finally:
        os.close(descriptor)


def _place(folder: Path, path: str) -> Path:
    return folder / os.fsdecode(path.encode("utf-8", "surrogateescape"))
