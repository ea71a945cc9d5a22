"""The leash: a process that outlives no child of its own, and the ending of everything below a
process.

Standard library only (psutil where the kernel has no list of children). Without namespaces it is
started in
front of every command: as a subreaper it inherits whatever the command leaves behind, by `&`,
`setsid`,
double fork or an empty environment, ends it, and only then ends itself (R35, R39).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

LINUX = sys.platform == "linux"
WALL = 0x40000000 if LINUX else 0  # __WALL: also children made by a bare clone()
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
SPARE_S = 3.0
GENTLE_S = (
    0.3  # killing direct children alone is fastest; what still forks after that is frozen first
)
AWAITED = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD}
REAP_AT_ONCE = 1000  # bounded: zombies can come faster than one loop takes them


def prctl(option: int, value: int) -> None:
    """Linux only; elsewhere there is nothing of the kind, and containment is "none" anyway."""
    if not LINUX:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def die_with_parent(parent: int, with_signal: signal.Signals) -> None:
    """Be signalled when the thread that started us ends. `parent`: who that was, against the
    race."""
    prctl(PR_SET_PDEATHSIG, with_signal)
    if os.getppid() != parent:
        os.kill(os.getpid(), with_signal)


def become_subreaper() -> None:
    """From now on every orphan below us becomes our child, and so its end can be waited for."""
    prctl(PR_SET_CHILD_SUBREAPER, 1)


class Reaper:
    """Takes the status of every child that ended; the only one in its process that waits."""

    def __init__(self) -> None:
        self.statuses: dict[int, int] = {}  # pid: exit code, negative for a signal
        self.wanted: set[int] = set()  # children whose status somebody will ask for
        self.hurried = False  # the last look ended before all dead were taken; no signal tells of them again

    def reap(self) -> bool:
        """True: the kernel says that we have no child, alive or dead (ECHILD)."""
        self.hurried = False
        for _ in range(REAP_AT_ONCE):
            try:
                pid, status = os.waitpid(-1, os.WNOHANG | WALL)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid in self.wanted:
                self.statuses[pid] = os.waitstatus_to_exitcode(status)
        self.hurried = True
        return False


def children() -> list[int]:
    """Our direct children now, dead ones too.

    Nobody else reaps them, so the numbers are safe to kill.
    """
    lists = list(Path("/proc/self/task").glob("*/children")) if LINUX else []
    if lists:
        return [int(pid) for found in lists for pid in found.read_text().split()]
    import psutil

    return [child.pid for child in psutil.Process().children()]


def kill_children(groups: Iterable[int] = (), spared: Collection[int] = ()) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for pid in set(children()) - set(spared):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def freeze_and_kill() -> None:
    """The whole tree: stopped first, so that nothing forks while it is being killed.

    psutil compares start times before it signals, so a reused number is never hit.
    """
    import psutil

    tree: list[Any] = []
    for _ in range(3):
        tree = psutil.Process().children(recursive=True)
        for process in tree:
            with contextlib.suppress(psutil.Error):
                process.suspend()
    for process in tree:
        with contextlib.suppress(psutil.Error):
            process.kill()


def end_all(
    reaper: Reaper,
    deadline_s: float,
    *,
    groups: Callable[[], Iterable[int]] = tuple,
    spared: Collection[int] = (),
    freeze: bool = True,
) -> bool:
    """Kill everything below us until the kernel says that there is nothing. False: not in time.

    `spared`: leashes that were told to end. If we were killed right after we had killed a leash,
    what it
    held would belong to nobody; so each may first do its own work, for a while.
    `freeze` False: what is below us are sandboxes, whose pid 1 takes all of them along.
    """
    started = time.monotonic()
    while not reaper.reap():
        spent = time.monotonic() - started
        if spent > deadline_s:
            return False
        spare = spared if spent < SPARE_S else ()
        kill_children(groups(), spare)
        if freeze and spent > GENTLE_S and not spare:
            freeze_and_kill()
        time.sleep(0.0005 if spent < 0.02 else 0.005)
    return True


def main(argv: list[str]) -> int:
    """`leash.py PARENT -- COMMAND…`: run it, end what it left, exit as it did (128 + n for a
    signal)."""
    parent, _, *command = argv
    # Blocked from the first moment and taken by sigwait: none can be lost between a look and a
    # wait.
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    become_subreaper()
    die_with_parent(int(parent), signal.SIGTERM)
    reaper = Reaper()
    try:
        child = os.posix_spawnp(
            command[0], command, os.environ, setpgroup=0, setsigmask=[], setsigdef=[signal.SIGPIPE]
        )
    except OSError as problem:
        print(f"{command[0]}: {problem.strerror}", file=sys.stderr)
        return 127
    reaper.wanted.add(child)
    code = _wait(reaper, child)
    if not end_all(reaper, 20.0, groups=lambda: () if child in reaper.statuses else (child,)):
        return 125
    code = reaper.statuses.get(child, code)
    return code if code >= 0 else 128 - code


def _wait(reaper: Reaper, child: int) -> int:
    """Until the command has ended or we are told to stop. Orphans are reaped on the way."""
    while True:
        reaper.reap()
        if child in reaper.statuses:
            return reaper.statuses[child]
        if reaper.hurried:
            continue
        if signal.sigwait(AWAITED) != signal.SIGCHLD:
            return -signal.SIGTERM


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
