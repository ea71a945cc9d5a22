"""The runner's side of the supervisor: starts it, answers its questions, and knows whether it has
proved the end (R39).

It waits for the supervisor by its very pid and never for "any child".
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from agentcells import door

# `-I`: no module of the current folder can slip in; the package's own folder is named instead.
# It ends without tidying up its memory: there is nothing in it that anybody waits for but its end.
SUPERVISE = (
    "import os, sys; sys.path.insert(0, sys.argv[1]); from agentcells.supervisor import main; "
    "code = main(sys.argv[2]); sys.stdout.flush(); sys.stderr.flush(); os._exit(code)"
)
Tell: TypeAlias = Callable[[dict[str, Any]], None]
Answer: TypeAlias = Callable[[dict[str, Any]], dict[str, Any] | None]  # None: the run cannot go on
LEAVES_WITHIN_S = 10.0  # after its last word


@dataclass(slots=True)
class Told:
    """What the supervisor told of a run. `proved`: every process of it has ended."""

    proved: bool = False
    ending: str = "killed"
    exit_code: int | None = None
    result: dict[str, Any] | None = None
    stderr: str = ""
    said: str = ""
    took_s: float = 0.0  # from the decision to end until nothing was left
    key: str = ""
    slots: Mapping[str, Any] = field(default_factory=dict)


def attend(
    folder: Path,
    lock_fd: int,
    spec: dict[str, Any],
    answer: Answer,
    tested: Callable[[dict[str, Any]], None],
    longest_s: float,
    meanwhile: Callable[[Tell], None] | None = None,
) -> Told:
    """One supervised run, from its first line to its Proof. TERM, INT and HUP stop it, orderly.

    `meanwhile`: what can be done while the supervisor starts and tries its canary. The first command
    of the run waits until it tells {"go": true, "setup": folder}; {"stop": why} ends the run before that.
    """
    ours, theirs = socket.socketpair()
    told = Told()
    with ours, _signals() as woken:
        supervisor = _start(folder, lock_fd, theirs)
        try:
            waits = meanwhile is not None
            ours.sendall(door.line({**spec, "parent": os.getpid(), "waits": waits}))
            if meanwhile is not None:
                meanwhile(lambda message: _tell(ours, message))
            until = time.monotonic() + longest_s
            nonce = _converse(ours, woken, told, answer, tested, until)
        except BrokenPipeError:
            nonce = ""
        code = _wait(supervisor)
    told.proved = code == 0 and nonce == spec["nonce"]
    return told


def _tell(control: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):  # it has ended; why, it has said before
        control.sendall(door.line(message))


def _start(folder: Path, lock_fd: int, theirs: socket.socket) -> subprocess.Popen[bytes]:
    """By a thread that lives until it is reaped: PDEATHSIG fires at the end of the creating
    thread."""
    fds = [theirs.fileno()] + ([lock_fd] if lock_fd >= 0 else [])
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    package = str(Path(__file__).resolve().parent.parent)
    with theirs, (folder / "supervisor.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-I", "-c", SUPERVISE, package, str(theirs.fileno())],
            pass_fds=fds,
            env=env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _converse(
    control: socket.socket,
    woken: int,
    told: Told,
    answer: Answer,
    tested: Callable[[dict[str, Any]], None],
    until: float,
) -> str:
    """Until the supervisor closes its end.

    Returns the nonce it said at last, "" when it did not.
    """
    lines, nonce = door.Lines(1 << 26), ""
    while (left := until - time.monotonic()) > 0:
        ready, _, _ = select.select([control.fileno(), woken], [], [], left)
        if woken in ready:
            os.read(woken, 1024)
            with contextlib.suppress(OSError):
                control.sendall(door.line({"stop": "killed"}))
        if control.fileno() not in ready:
            continue
        try:
            data = control.recv(door.CHUNK)
        except ConnectionResetError:
            return ""
        if not data:
            return nonce
        for message in lines.feed(data):
            if "ask" in message:
                found = answer(message["ask"])
                control.sendall(door.line({"stop": "unready"} if found is None else {"answer": found}))
            elif "tested" in message:
                tested(message["tested"])
            elif "ended" in message:
                for name, value in message["ended"].items():
                    setattr(told, name, value)
            elif message.get("proof") == "echild":
                nonce = str(message["nonce"])
    return ""  # it hangs: without a word at the end there is no Proof


def _wait(supervisor: subprocess.Popen[bytes]) -> int:
    try:
        return supervisor.wait(timeout=LEAVES_WITHIN_S)
    except subprocess.TimeoutExpired:
        supervisor.kill()  # its sandboxes die with it
        return supervisor.wait()


@contextlib.contextmanager
def _signals() -> Iterator[int]:
    """TERM, INT and HUP as bytes in a pipe."""
    woken, wake = os.pipe()
    for fd in (woken, wake):
        os.set_blocking(fd, False)
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, lambda number, frame: None) for number in numbers}
    old = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        yield woken
    finally:
        signal.set_wakeup_fd(old)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(woken)
        os.close(wake)
