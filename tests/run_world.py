"""A run without a runner: real supervisor, real processes, and what they left behind.

`python tests/run_world.py FOLDER SPEC` attends one run in a process of its own, for tests that
kill it.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agentcells import provision
from agentcells.attend import Told, attend
from agentcells.confine import own_account
from agentcells.sandbox import Box, Containment

BOTH: tuple[Containment, ...] = ("none", "strong")
PYTHON = "/usr/bin/python3"

# Five ways to stay behind. Each writes its number of the host (none) or its marker, and sleeps for
# long.
LEFTOVERS = r"""
import os, subprocess, sys, time
marker = sys.argv[1]
sleep = ["sleep", marker]
devnull = dict(stdin=-3, stdout=-3, stderr=-3)
subprocess.Popen(sleep, **devnull)                                     # like `&`
subprocess.Popen(["nohup", *sleep], **devnull)
subprocess.Popen(["setsid", *sleep], **devnull)
def twice(**changes):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.chdir("/")
            subprocess.Popen(sleep, **devnull, **changes)
        os._exit(0)
twice()
twice(env={}, start_new_session=True)
time.sleep(float(sys.argv[2]) if len(sys.argv) > 2 else 0.1)
"""


class RunWorld:
    """One run folder with a workspace of plain files."""

    def __init__(self, tmp: Path, containment: Containment, *, writes: bool = True) -> None:
        self.folder = tmp / "run"
        self.folder.mkdir(mode=0o700)
        self.containment = containment
        root = os.geteuid() == 0 and containment == "strong"
        self.account = own_account("") if root else None
        self.python, needs = provision.inner_python(containment)
        self.lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        provision.make_places(self.folder, self.python, self.account)
        self.box = Box(
            containment=containment,
            folder=str(self.folder),
            writes=writes,
            python=self.python,
            lock_fd=self.lock,
            account=self.account or (),
            read=needs,
        )
        self.work = self.folder / "work"
        self.asked: list[dict[str, Any]] = []
        self.tested: list[dict[str, Any]] = []
        self.tree: Callable[[], str] = lambda: "t" * 40

    def spec(self, agent: Sequence[str], **changes: Any) -> dict[str, Any]:
        """What a runner tells the supervisor; `agent` is the agent's command line."""
        if self.account:
            provision.give_to(self.account, self.folder, ("work", "home", "door", "tmp"))
        (self.folder / "prompt.txt").write_text(changes.pop("prompt", "do it\n"))
        return {
            "nonce": secrets.token_hex(8),
            "parent": os.getpid(),
            "box": json.loads(json.dumps(asdict(self.box))),
            "agent": {
                "argv": list(agent),
                "env": changes.pop("env", {}),
                "timeout_s": changes.pop("timeout_s", 30),
                "stall_s": changes.pop("stall_s", 30),
            },
            "commands": {"setup": [], "build": [], "test": [], **changes.pop("commands", {})},
            "command_timeout_s": 20,
            "setup": "",
            "tool_proxies": {},
            **changes,
        }

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(question)
        if "argv" in question:
            return {
                "envelope": {"status": "ok", "summary": "heard", "data": {"argv": question["argv"]}}
            }
        return {"tree": self.tree()} if "tree" in question else {}

    def attend(self, agent: Sequence[str], **changes: Any) -> Told:
        spec = self.spec(agent, **changes)
        told = attend(self.folder, self.lock, spec, self.answer, self.tested.append, 60.0)
        print(self.log("supervisor.log"))  # seen when a test fails
        return told

    def python_agent(self, code: str, *arguments: str) -> list[str]:
        return [self.python, "-I", "-c", code, *arguments]

    def start_apart(self, agent: Sequence[str], **changes: Any) -> subprocess.Popen[bytes]:
        """The same in a process of its own, which a test may kill."""
        spec = self.folder / "spec.json"
        spec.write_text(json.dumps(self.spec(agent, **changes)))
        return subprocess.Popen(
            [sys.executable, __file__, str(self.folder), str(spec), str(self.lock)],
            pass_fds=[self.lock],
            start_new_session=True,
        )

    def log(self, name: str) -> str:
        return (self.folder / name).read_text()


def alive(marker: str) -> list[int]:
    """Host numbers of every process whose command line holds `marker` (dead ones have none)."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:1] == [b"sleep"] and marker.encode() in words:
                found.append(int(entry.name))
    return found


def until(condition: Callable[[], Any], within_s: float = 10.0) -> Any:
    """Wait for something that happens in another process."""
    end = time.monotonic() + within_s
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError("it did not happen in time")
        time.sleep(0.01)
    return value


def marker() -> str:
    """Seconds to sleep that no other process of this host has as an argument."""
    return f"{100_000 + secrets.randbelow(800_000)}.{secrets.randbelow(10**9)}"


def _main(folder: str, spec: str, lock: str) -> int:
    told = attend(
        Path(folder),
        int(lock),
        json.loads(Path(spec).read_text()),
        lambda question: {"tree": ""},
        lambda tested: None,
        60.0,
    )
    Path(folder, "told.json").write_text(json.dumps(asdict(told)))
    return 0 if told.proved else 1


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
