"""The door of a run: the client `agentcells cell VERB`, and the lines that are spoken through it.

One file on the standard library alone, because it is bound into the sandbox and started there by
`python3 -I -S`. A request is one line `{"argv": [...]}`; the answer is any number of lines
`{"progress": "..."}` and one line `{"envelope": {...}}`. Its sentences are read by the model, in
English.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

Envelope = dict[str, Any]

DOOR = "/run/agentcells/door/s"  # where the sandbox has it
LINE_LIMIT = 1 << 20  # a longer request is no request of ours
CHUNK = 1 << 16
DEEPEST = 64  # lists and objects within each other; ours have a handful


class TooLong(ValueError):
    """A line without an end: the other side does not speak our language."""


class Lines:
    """Bytes in, JSON values out. Keeps the beginning of a line until its end has come."""

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        self._rest = b""
        self._limit = limit

    def feed(self, data: bytes) -> list[Any]:
        """The values of all lines that are whole now.

        Raises ValueError for a line that is no JSON.
        """
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > self._limit:
            raise TooLong("line too long")
        return [parse(line) for line in whole if line]


def parse(data: bytes) -> Any:
    """The value of one line. Raises ValueError, also for lists in lists in lists without end:
    the reader would run out of stack on the first ones, and a writer on what just passed."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise TooLong("nested too deeply") from None
    layer = [value]
    for _ in range(DEEPEST):
        layer = [inner for outer in layer for inner in _inside(outer)]
        if not layer:
            return value
    raise TooLong("nested too deeply")


def _inside(value: Any) -> list[Any]:
    """What a list or an object holds that may itself hold something."""
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [inner for inner in held if isinstance(inner, dict | list)]


def line(value: object) -> bytes:
    """One value as one line of the protocol."""
    return (
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        + b"\n"
    )


def ok(summary: str, data: dict[str, Any]) -> Envelope:
    return {"status": "ok", "summary": summary, "data": data}


def error(code: str, summary: str, hint: str) -> Envelope:
    """`code` is one of conflict, auth_failed, not_found, policy_blocked, backend_error."""
    return {"status": "error", "error_code": code, "summary": summary, "hint": hint}


def good(envelope: Envelope) -> bool:
    """Whether the command shall end well: the verb was done, and what it ran has passed."""
    return (
        envelope.get("status") == "ok" and envelope.get("data", {}).get("passed", True) is not False
    )


NO_DOOR = error(
    "policy_blocked",
    "`agentcells cell` works only inside a run.",
    "Nothing to do here: `agentcells tick` starts runs, and their agents call these commands.",
)
CLOSED = error(
    "backend_error", "The run is ending; there was no answer.", "Give your final answer now."
)
ONLY_CELL = error(
    "not_found",
    "Inside a run only `agentcells cell VERB` exists.",
    "Try `agentcells cell observe`.",
)


def connect(path: str) -> socket.socket:
    """A connection to the socket at `path`, however long the path is (the kernel takes 107
    bytes)."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    back = str(Path.cwd()) if len(os.fsencode(path)) > 100 else ""
    try:
        if back:
            os.chdir(Path(path).parent)
        sock.connect(Path(path).name if back else path)
    except BaseException:
        sock.close()
        raise
    finally:
        if back:
            os.chdir(back)
    return sock


def ask(path: str, argv: list[str], progress: Any = None) -> Envelope:
    """Say `argv` at the door and wait for the answer, as long as it takes."""
    try:
        sock = connect(path)
    except OSError:
        return NO_DOOR
    lines = Lines(1 << 24)
    with sock:
        try:
            sock.sendall(line({"argv": argv}))
            while data := sock.recv(CHUNK):
                for value in lines.feed(data):
                    if "envelope" in value:
                        envelope: Envelope = value["envelope"]
                        return envelope
                    if progress is not None:
                        print(value.get("progress", ""), file=progress, flush=True)
        except (OSError, ValueError):
            return CLOSED
    return CLOSED


def main(argv: list[str]) -> int:
    """The client: one line of JSON on standard output, exit 0 or 1. `argv` begins with the verb."""
    path = os.environ.get("AGENTCELLS_DOOR", DOOR)
    # A model would pay for every line of progress: only a person at a terminal sees them.
    envelope = ask(path, argv, sys.stderr if sys.stderr.isatty() else None)
    sys.stdout.buffer.write(line(envelope))
    sys.stdout.flush()
    return 0 if good(envelope) else 1


def program(argv: list[str]) -> int:
    """What `bin/agentcells` in a run starts: it knows the one command `cell`."""
    if argv[:1] != ["cell"]:
        sys.stdout.buffer.write(line(ONLY_CELL))
        return 1
    return main(argv[1:])


if __name__ == "__main__":
    sys.exit(program(sys.argv[1:]))
