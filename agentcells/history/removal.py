"""Takes files out of a workspace, following no link whatever the agent makes of it meanwhile."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

from agentcells.history import HistoryError
from agentcells.history.names import below, shown

_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


def remove(root: Path, paths: Sequence[str], untouchable: tuple[str, ...]) -> tuple[str, ...]:
    """Delete files and folders. All of them are looked at first: on a refusal nothing is gone."""
    wanted = tuple(dict.fromkeys(_plain(path) for path in paths))
    for path in wanted:
        if below(path, untouchable) or any(below(kept, (path,)) for kept in untouchable):
            raise HistoryError("records_untouchable", path=shown(path))
    for path in wanted:
        _on(root, path, lambda parent, name: os.stat(name, dir_fd=parent, follow_symlinks=False))
    for path in wanted:
        if not below(path, tuple(set(wanted) - {path})):  # else it goes with its folder
            _on(root, path, _delete)
    return wanted


def _plain(path: str) -> str:
    """`path` below the project, in the one form; a path to anywhere else is refused."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or not parts or "\0" in path:
        raise HistoryError("records_outside", path=shown(path))
    return "/".join(parts)


def _on(root: Path, path: str, act: Callable[[int, bytes], object]) -> None:
    *folders, name = path.encode("utf-8", "surrogateescape").split(b"/")
    opened = [os.open(root, _FOLDER)]
    try:
        for folder in folders:
            opened.append(os.open(folder, _FOLDER, dir_fd=opened[-1]))
        act(opened[-1], name)
    except OSError as error:
        gone = error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
        key = "records_no_such_path" if gone else "records_cannot_remove"
        raise HistoryError(key, path=shown(path), detail=error.strerror or "") from error
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _delete(parent: int, name: bytes) -> None:
    if stat.S_ISDIR(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode):
        try:
            shutil.rmtree(name, dir_fd=parent)
        except RecursionError:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)) from None
    else:
        os.unlink(name, dir_fd=parent)
