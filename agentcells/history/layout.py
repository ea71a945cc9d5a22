"""Writes a tree out as plain files: raw bytes, no checkout, no archive, no .git (R36, R41)."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from agentcells.git import Entry, Git
from agentcells.git_read import EXECUTABLE, SUBMODULE, SYMLINK
from agentcells.history import HistoryError
from agentcells.history.contents import each
from agentcells.history.names import folders_of, is_safe, shown
from agentcells.history.spread import spread
from agentcells.history.stands import Stand, are_sure, settled, stand
from agentcells.model import Sha

_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def lay_out(
    git: Git, tree: str, folder: Path, account: tuple[int, int] | None = None
) -> Mapping[str, Stand]:
    """Write every file of a tree or commit into `folder`, which must be empty or absent.

    Returns how each file stands, for whoever wants to know later which were changed (`stands`).

    By cat-file only: checkout and archive change bytes by the repository's own attributes. A symlink
    becomes a symlink, a submodule an empty folder. `account`: who everything below `folder` is to
    belong to, told to each file while it is open (a second walk of 20,000 files costs 0.2 s).
    """
    entries = git.entries(tree)
    unsafe = next((path for path in sorted(entries) if not is_safe(path)), None)
    if unsafe is not None:  # git lets such a tree pass; written out, it could leave the folder
        raise HistoryError("records_unsafe_name", path=shown(unsafe))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise HistoryError("records_not_empty", path=str(folder))
        spread(folder)
        _make_folders(folder, entries, account)
        found = _write(git, folder, entries, account)
        return settled(found) if are_sure(folder) else {}
    except OSError as error:
        raise HistoryError("records_cannot_write", detail=error.strerror or str(error)) from error


def _make_folders(
    folder: Path, entries: Mapping[str, Entry], account: tuple[int, int] | None
) -> None:
    wanted = {path for path, entry in entries.items() if entry.mode == SUBMODULE}
    wanted |= folders_of(entries)
    root = os.fsencode(folder)
    for path in sorted(wanted):  # a folder stands before what is in it
        place = _place(root, path)
        os.mkdir(place, 0o755)  # noqa: PTH102  (a Path cannot be made of bytes)
        if account:
            os.lchown(place, *account)


def _write(
    git: Git, folder: Path, entries: Mapping[str, Entry], account: tuple[int, int] | None
) -> dict[str, Stand]:
    found: dict[str, Stand] = {}
    places: dict[Sha, list[tuple[str, str]]] = {}
    for path, entry in entries.items():
        if entry.mode != SUBMODULE:
            places.setdefault(entry.sha, []).append((path, entry.mode))
    root = os.fsencode(folder)
    links: list[tuple[bytes, bytes]] = []

    def use(sha: Sha, data: bytes) -> None:
        for path, mode in places[sha]:
            if mode == SYMLINK:
                links.append((_place(root, path), data))
            else:
                bits = 0o755 if mode == EXECUTABLE else 0o644
                found[path] = _write_file(_place(root, path), data, bits, account)

    each(git, places, use)
    for place, target in links:  # last, so that no file can be written through one
        os.symlink(target, place)  # noqa: PTH211
        if account:
            os.lchown(place, *account)
    return found


def _write_file(place: bytes, data: bytes, mode: int, account: tuple[int, int] | None) -> Stand:
    descriptor = os.open(place, _CREATE, mode)
    try:
        if account:
            os.fchown(descriptor, *account)
        done = os.write(descriptor, data)
        while done < len(data):  # a full disk says so at the next one
            done += os.write(descriptor, memoryview(data)[done:])
        facts = os.fstat(descriptor)
        if stat.S_IMODE(facts.st_mode) != mode:  # the umask took some
            os.fchmod(descriptor, mode)
            facts = os.fstat(descriptor)
        return stand(facts)
    finally:
        os.close(descriptor)


def _place(root: bytes, path: str) -> bytes:
    """As bytes: a path is what it is, whatever the shell's encoding."""
    return root + b"/" + path.encode("utf-8", "surrogateescape")
