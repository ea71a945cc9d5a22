"""Starts a command as an ordinary user: `as_user.py UID PATH... -- COMMAND...`, by root.

What the command needs may lie where only root can walk to, such as below /root: each PATH is shown to
it at its own place, in a mount namespace of this process alone. Everything else is as the user has it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x00020000, 4096, 0x4000, 1 << 18


def main(argv: list[str]) -> None:
    uid, split = int(argv[0]), argv.index("--")
    _show([Path(path) for path in argv[1:split]])
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    command = argv[split + 1 :]
    os.execvp(command[0], command)


def _show(paths: list[Path]) -> None:
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result: int) -> None:
        if result != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    check(libc.unshare(CLONE_NEWNS))
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    hidden = {path: top for path in paths if (top := _closed(path)) is not None}
    opened = {path: os.open(path, os.O_PATH) for path in hidden}
    for top in dict.fromkeys(hidden.values()):
        check(libc.mount(b"tmpfs", bytes(top), b"tmpfs", 0, b"mode=0755"))
    for path in sorted(hidden):  # what holds another one comes first
        fd = opened[path]
        if not path.exists():
            path.mkdir(parents=True)
        check(libc.mount(f"/proc/self/fd/{fd}".encode(), bytes(path), None, MS_BIND | MS_REC, None))
        os.close(fd)


def _closed(path: Path) -> Path | None:
    """The first folder on the way to `path` that others may not walk through."""
    ways = [*reversed(path.parents), path]
    return next((way for way in ways if not way.stat().st_mode & 0o001), None)


if __name__ == "__main__":
    main(sys.argv[1:])
