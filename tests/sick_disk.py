"""A disk in trouble, for one process alone: no file can be made any more, or nothing can be written at all.

`sick_disk.py full|frozen PLACE -- COMMAND...` runs the command so. The place is covered in a mount namespace
of that process; everybody else has it as it was. Root is bound by it too, as by no mode of a file.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

NEWNS, NEWUSER = 0x00020000, 0x10000000
RDONLY, REMOUNT, BIND, REC, PRIVATE = 1, 32, 4096, 0x4000, 1 << 18
Trouble = Callable[[Path], None]


def alone() -> None:
    """From here on what is mounted is mounted for this process and its children."""
    uid, gid = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.unshare(NEWNS if uid == 0 else NEWNS | NEWUSER))
    if uid != 0:
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")
    _mount("none", Path("/"), flags=REC | PRIVATE)


def full(left: int) -> Trouble:
    """As many files as `left` can still be made there; there is room enough for what is in them."""

    def trouble(place: Path) -> None:
        was = os.open(place, os.O_PATH)
        _mount("tmpfs", place, "tmpfs", options="mode=0700,nr_inodes=100000")
        shutil.copytree(f"/proc/self/fd/{was}", place, symlinks=True, dirs_exist_ok=True)
        os.close(was)
        disk = os.statvfs(place)
        used = disk.f_files - disk.f_ffree
        _mount("tmpfs", place, "tmpfs", flags=REMOUNT, options=f"nr_inodes={used + left}")

    return trouble


def frozen(place: Path) -> None:
    """Read-only, as a disk is after an error."""
    _mount(str(place), place, flags=BIND)
    _mount("none", place, flags=BIND | REMOUNT | RDONLY)


def _mount(what: str, place: Path, kind: str = "", *, flags: int = 0, options: str = "") -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.mount(what.encode(), bytes(place), kind.encode() or None, flags, options.encode() or None))


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def main(argv: list[str]) -> None:
    how, place, command = argv[0], Path(argv[1]), argv[argv.index("--") + 1 :]
    alone()
    (frozen if how == "frozen" else full(0))(place)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
