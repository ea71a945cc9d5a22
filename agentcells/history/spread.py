"""Tells ext4 that what lies in a folder is not related, as `chattr +T` does, so that it is put far apart.

ext4 gives no number of a file out again in the first minutes after its deletion, and looks past each of
them at every new file. Runs follow one another: making 10,000 files where the last run's had just been
deleted took 1.2 to 2.3 s of the processor, and 0.2 to 0.4 s in folders that lie elsewhere each time.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
from contextlib import suppress
from pathlib import Path

from agentcells.history.stands import EXT, kind_of

_WORD = ctypes.sizeof(ctypes.c_long)
_GET = 2 << 30 | _WORD << 16 | ord("f") << 8 | 1  # FS_IOC_GETFLAGS
_SET = 1 << 30 | _WORD << 16 | ord("f") << 8 | 2  # FS_IOC_SETFLAGS
_TOP = 0x20000  # FS_TOPDIR_FL


def spread(folder: Path) -> None:
    """A hint, and only that: where it cannot be given, all is as before."""
    if kind_of(folder) != EXT:
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            (flags,) = struct.unpack("I", fcntl.ioctl(descriptor, _GET, bytes(4)))
            fcntl.ioctl(descriptor, _SET, struct.pack("I", flags | _TOP))
        finally:
            os.close(descriptor)
