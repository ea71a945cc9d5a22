"""Deletes folders that a hostile agent may have left: closed, full of links, deeper than a path can say."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


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
