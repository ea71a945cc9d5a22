"""Which files are still as they were laid out, known without reading them: by inode, time of change, size.

Whoever works in the folder is taken for hostile. He can set a file's times of reading and writing,
not its time of change (ctime): the kernel sets that at each write, truncation, renaming, linking and
change of mode, times or owner, to its own clock, which he cannot set. So what has the inode, ctime and
size it was laid out with has not been touched. Should he find a way around that, this is all he gains:
a file he changed counts as it was, so his own work is not taken in. Nothing can come in by it, and
evidence does not rest on it: the tree of a test is always read whole (R8).

For honest work two things could make it wrong, and both are ruled out here. A write within the same
tick of the kernel's clock as the laying out: nobody may begin before the next one. And file systems
that do not note each write: on tmpfs a mapped page can be written without a new ctime.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

Stand: TypeAlias = tuple[int, int, int]  # inode, ctime in nanoseconds, size

# By statfs: ext2 to ext4, xfs, btrfs. All three give a file that is mapped for writing a new ctime at
# the first write to each clean page. Others may; these are known to.
EXT = 0xEF53
_SURE = frozenset({EXT, 0x58465342, 0x9123683E})
_CLOCK = 5  # CLOCK_REALTIME_COARSE: what file systems take their times from
_TICK_S = 0.001
_WAIT_S = 0.2  # a tick is 10 ms at most; the clock was set back if it has not come by then


def stand(facts: os.stat_result) -> Stand:
    return facts.st_ino, facts.st_ctime_ns, facts.st_size


def kind_of(folder: Path) -> int:
    """The kind of file system that `folder` lies on, as statfs names it; 0: not known."""
    if sys.platform != "linux":
        return 0
    room = ctypes.create_string_buffer(512)  # a struct statfs, whose first word is the kind
    if ctypes.CDLL(None).statfs(os.fsencode(folder), room) != 0:
        return 0
    return int.from_bytes(room.raw[: ctypes.sizeof(ctypes.c_long)], sys.byteorder)


def are_sure(folder: Path) -> bool:
    """Whether the file system of `folder` is one on which an unchanged ctime means unchanged content."""
    return kind_of(folder) in _SURE


def settled(found: Mapping[str, Stand]) -> Mapping[str, Stand]:
    """`found`, once each later change is bound to have a later ctime; nothing if that does not come."""
    newest = max((changed for _, changed, _ in found.values()), default=0)
    until = time.monotonic() + _WAIT_S
    while found and time.clock_gettime_ns(_CLOCK) <= newest:
        if time.monotonic() > until:
            return {}
        time.sleep(_TICK_S)
    return found
