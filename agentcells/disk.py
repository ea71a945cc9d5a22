"""Files that are there whole or not at all, and what the disk refuses, in words."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentcells.model import Problem


class Unwritable(Problem):
    """The disk is full, read-only or not ours: the same for every item, and no item's fault."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What the disk refuses is told in words: somebody can mend it, and it is no bug."""
    try:
        yield
    except OSError as error:
        raise Unwritable("store_refused", path=path, detail=error.strerror or error) from error


def write_whole(path: Path, content: str | bytes, *, mode: int = 0o666) -> None:
    """The file is there whole or not at all, also after a power cut. Raises OSError."""
    if not path.name:  # "" and "." alike: a folder
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as out:
            out.write(content.encode() if isinstance(content, str) else content)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink()  # half a file is only in the way, on a full disk above all
        raise
    _sync_folder(path.parent)


def keep(path: Path, text: str) -> None:
    """Write whole what the next tick goes on with. Raises Unwritable."""
    with writing(path):
        write_whole(path, text)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
