"""A witness around a command: what its processes showed of themselves, and which it left behind.

`python census.py REPORT -- COMMAND…` is a subreaper: whatever the command leaves becomes its child,
by the kernel's own book, however it hides. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
EVERY_S = 0.01


def children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def below(pid: int) -> list[int]:
    """All descendants now."""
    found, left = [], children(pid)
    while left:
        found += left
        left = [grandchild for child in left for grandchild in children(child)]
    return found


class Watch(threading.Thread):
    """Reads argv and environment of every descendant again and again."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.argv: set[str] = set()
        self.inside: set[str] = set()  # environments of what is not ours: sandboxes, git
        self.environ: set[str] = set()  # of all
        self.ours = str(Path("/proc/self/ns/pid").readlink())

    def run(self) -> None:
        while not self.over.wait(EVERY_S):
            for pid in below(os.getpid()):
                with contextlib.suppress(OSError):
                    self.look(pid)

    def look(self, pid: int) -> None:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "surrogateescape")
        self.argv.add(words)
        environ = Path(f"/proc/{pid}/environ").read_bytes().decode("utf-8", "surrogateescape")
        self.environ.add(environ)
        foreign = str(Path(f"/proc/{pid}/ns/pid").readlink()) != self.ours
        if foreign or "bwrap" in words[:20] or "git" in words[:20] or "agentcells.supervisor" in words:
            self.inside.add(environ)


def alive() -> list[str]:
    """Our children that are no corpses, by what they say they are."""
    found = []
    for pid in children(os.getpid()):
        with contextlib.suppress(OSError):
            stat = Path(f"/proc/{pid}/stat").read_text()
            if stat.rpartition(")")[2].split()[0] not in "ZX":
                words = Path(f"/proc/{pid}/cmdline").read_bytes()
                found.append(f"{pid} {words.decode('utf-8', 'replace')} {stat}")
    return found


def main(report: str, _: str, *command: str) -> int:
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    watch = Watch()
    process = subprocess.Popen(command)
    signal.signal(signal.SIGTERM, lambda number, frame: process.terminate())
    watch.start()
    code = process.wait()
    survivors = alive()
    watch.over.set()
    watch.join()
    while left := [pid for pid in below(os.getpid()) if Path(f"/proc/{pid}").exists()]:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
    told = {"survivors": survivors, "argv": sorted(watch.argv), "inside": sorted(watch.inside)}
    told["environ"] = sorted(watch.environ)
    told["peak_kb"] = [str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)]
    Path(report).write_text(json.dumps(told))
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
