"""Deletes folders: those a hostile agent may have left (closed, full of links, deeper than a path can say),
and those of this very process, in which something that was just ended may still be writing."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


PATIENCE_S = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)  # between tries


@contextmanager
def passing_folder(prefix: str, within: Path | None = None) -> Iterator[Path]:
    """A folder that is there as long as it is needed, however that ends. `within`: elsewhere than in /tmp.

    When a program is killed (its time is up), what it had started in its turn writes on, a git's until its
    pipe breaks: a folder that was emptied is not empty then, and is tried again (`TemporaryDirectory` tries
    once). Raises OSError when it cannot be removed at all.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=within))
    try:
        yield folder
    finally:
        for wait_s in PATIENCE_S:
            time.sleep(wait_s)
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
        else:
            shutil.rmtree(folder)


def remove_tree(path: Path) -> None:
    """Delete a file, a link or a folder with all that is in it. Follows no link."""
    if path.is_symlink() or path.is_file():
        path.unlink()
        return
    if not path.exists():
        return
    path.chmod(stat.S_IRWXU)
    top = os.open(path, _FOLDER)
    try:
        _empty(top)
    finally:
        os.close(top)
    path.rmdir()


def _empty(top: int) -> None:
    """What a folder holds moves up into this one before it goes: so none is ever deep."""
    mark, moved = secrets.token_hex(8), 0
    left = _only_folders(top)
    while left:
        name = left.pop()
        inner = os.open(name, _FOLDER, dir_fd=top)
        try:
            for below in _only_folders(inner):
                moved += 1
                left.append(f".{mark}-{moved}")
                os.rename(below, left[-1], src_dir_fd=inner, dst_dir_fd=top)
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)


def _only_folders(folder: int) -> list[str]:
    """Delete all else in it; the folders left can be opened, emptied and moved."""
    with os.scandir(folder) as entries:
        names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in names:
        if is_folder:
            os.chmod(name, stat.S_IRWXU, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
    return [name for name, is_folder in names if is_folder]
