"""How long until nothing of a run is left: hostile processes in both sandboxes, ended and timed.

Each case is a program in the agent's place, or the project's tests, which the agent asks for. What
it leaves behind holds a lock on a file of the workspace: by that lock the kernel tells whether
anything of it lives, however it hides.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from agentcells import provision
from agentcells.attend import attend
from agentcells.confine import own_account
from agentcells.emptying import passing_folder
from agentcells.model import Problem
from agentcells.sandbox import Box, available

Place = Literal["agent", "tool"]
PLACES: tuple[Place, ...] = ("agent", "tool")
HELD = "held"
BOMB_LIMIT = 400  # processes: what the fork bomb runs against

_BEGIN = """
import fcntl, os, shutil, signal, subprocess, sys, time
first = os.getpid()
held = os.open("held", os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(held, fcntl.LOCK_SH)
os.set_inheritable(held, True)
nothing = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)

def leave(*argv, **how):
    return subprocess.Popen(argv or ["sleep", "600"], pass_fds=[held], **{**nothing, **how})

def twice(act):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.chdir("/")
            act()
        os._exit(0)
    os.wait()

def wait():
    while True:
        time.sleep(600)

"""

CASES: dict[str, str] = {
    "background": "leave()",
    "nohup": "leave('nohup', 'sleep', '600')",
    "setsid": "leave(start_new_session=True)",
    "double fork": "twice(wait)",
    "cleared environment": "twice(lambda: os.execve('/bin/sleep', ['sleep', '600'], {}))",
    "forged argv": "twice(lambda: os.execve('/bin/sleep', ['[kworker/u8:1]', '600'], {}))",
    "deleted program": (
        "shutil.copy('/bin/sleep', 's'); leave('./s', '600'); time.sleep(0.1); os.unlink('s')"
    ),
    "ignores every signal": (
        "if os.fork() == 0:\n"
        "    for n in set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP}:\n"
        "        signal.signal(n, signal.SIG_IGN)\n"
        "    wait()"
    ),
    "stopped": "child = leave(); os.kill(child.pid, signal.SIGSTOP)",
    "holds the pipe open": "leave(stdout=None, stderr=None)",
    "respawning pair": (
        "def guard():\n"
        "    while True:\n"
        "        if os.fork() == 0:\n"
        "            os.setsid()\n"
        "            time.sleep(0.02)\n"
        "            os._exit(0)\n"
        "        os.wait()\n"
        "for _ in range(2):\n"
        "    if os.fork() == 0: guard()"
    ),
    "1,000 processes": "for _ in range(1000):\n    if os.fork() == 0: wait()",
    "hydra of 200 heads": (
        "def head():\n"
        "    while True:\n"
        "        os.setsid()\n"
        "        if os.fork() != 0: os._exit(0)\n"
        "for _ in range(200):\n"
        "    try:\n"
        "        if os.fork() == 0: head()\n"
        "    except OSError: pass\n"
        "time.sleep(0.5)"
    ),
    "fork bomb": (
        "def bomb():\n"
        "    while True:\n"
        "        try: os.fork()\n"
        "        except OSError: pass\n"
        "if os.fork() == 0: bomb()\n"
        "time.sleep(0.5)"
    ),
}


# Asks for the tests, and looks when it has the answer: the last process of them must be gone then.
_ASK = """
import fcntl, os, subprocess, time
subprocess.run(["agentcells", "cell", "test"], stdout=subprocess.DEVNULL)
answered = time.monotonic()
held = os.open("held", os.O_RDWR)
try:
    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    state = "gone"
except BlockingIOError:
    state = "alive"
print("looked", state, answered - float(open("over").read()), flush=True)
"""
_OVER = "if os.getpid() == first: open('over', 'w').write(str(time.monotonic()))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """What came of one case. `seconds`: from the end of its program until the Proof was there, or
    of the project's tests, until the agent had their answer."""

    case: str
    place: Place
    seconds: float
    proved: bool
    survivors: bool  # something still held the lock when the Proof was there


def bench(
    say: Callable[[str], None], cases: Sequence[str] = tuple(CASES), places: Sequence[Place] = PLACES
) -> tuple[Timed, ...]:
    """Every case once in each sandbox, one line each. Raises Problem without strong containment."""
    if isinstance(problem := available(), Problem):
        raise problem
    found = []
    for place in places:
        for case in cases:
            found.append(run_case(case, place=place))
            say(line(found[-1]))
    return tuple(found)


def line(timed: Timed) -> str:
    good = timed.proved and not timed.survivors
    return f"{timed.place:6} {timed.case:24} {timed.seconds * 1000:8.0f} ms  {'gone' if good else 'NOT GONE'}"


def run_case(
    case: str, then: str = "", find: Callable[[str], None] = lambda said: None, place: Place = "agent"
) -> Timed:
    """One case in a run of its own. `then`: code that the case's program runs before it ends;
    `find` gets what the agent prints."""
    with passing_folder("agentcells-bench-") as root:
        folder = root / "run"
        folder.mkdir(mode=0o700)
        box = _box(folder, BOMB_LIMIT if case == "fork bomb" else 1_200)
        over = _OVER if place == "tool" else ""
        program = [box.python, "-I", "-c", f"{_BEGIN}\n{CASES[case]}\n{then}\n{over}\nos._exit(0)\n"]
        agent = program if place == "agent" else [box.python, "-I", "-c", _ASK]
        told = attend(folder, box.lock_fd, _spec(box, agent, program), _silent, lambda tested: None, 120.0)
        survivors = _is_held(folder / "work" / HELD)
        os.close(box.lock_fd)
        said = (folder / "stream.jsonl").read_text(encoding="utf-8", errors="replace")
        find(said)
        seconds = told.took_s
        if place == "tool":
            state, seconds = _looked(said)
            survivors = survivors or state != "gone"
        return Timed(case=case, place=place, seconds=seconds, proved=told.proved, survivors=survivors)


def _looked(said: str) -> tuple[str, float]:
    """What the agent saw when it had the answer, and how long it had waited for it."""
    for words in map(str.split, said.splitlines()):
        if words[:1] == ["looked"]:
            return words[1], float(words[2])
    return "unknown", 0.0


def _box(folder: Path, processes: int) -> Box:
    account = own_account("") if os.geteuid() == 0 else None
    python, needs = provision.inner_python("strong")
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    provision.make_places(folder, python, account)
    if account:
        provision.give_to(account, folder, ("work", "home", "door", "tmp"))
    (folder / "prompt.txt").write_text("", encoding="utf-8")
    return Box(
        containment="strong", folder=str(folder), writes=True, python=python, lock_fd=lock,
        read=needs, account=account or (), max_processes=processes,
    )


def _spec(box: Box, argv: list[str], test: list[str]) -> dict[str, Any]:
    return {
        "nonce": secrets.token_hex(8),
        "box": json.loads(json.dumps(asdict(box))),
        "agent": {"argv": argv, "env": {}, "timeout_s": 60, "stall_s": 60},
        "commands": {"setup": [], "build": [], "test": test},
        "command_timeout_s": 20,
        "setup": "",
        "tool_proxies": {},
    }


def _silent(question: dict[str, Any]) -> dict[str, Any]:
    if "tree" in question:
        return {"tree": ""}
    return {"envelope": {"status": "ok", "summary": "", "data": {}}}


def _is_held(path: Path) -> bool:
    """Whether anybody still has the file open that the case locked."""
    fd = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False
