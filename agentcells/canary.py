"""The canary: before each run, does the sandbox really end, hide and cut off what it must?"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

from agentcells.door import connect
from agentcells.problem import Problem
from agentcells.sandbox import Box, inner_pid, tool_command

WITHIN_S = 30.0

# Inside: try to read the decoy, to reach both sockets, then leave a daemon that holds our output
# open.
PROBE = """
import json, os, socket, sys, time
said = {"read": os.path.exists(sys.argv[1]), "reached": []}
for name in (sys.argv[2], chr(0) + sys.argv[3]):
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        said["reached"].append(name)
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            time.sleep(60)
    os._exit(0)
print(json.dumps(said), flush=True)
"""


def canary(box: Box) -> Problem | None:
    """None: the daemon was killed, the decoy beside the workspace unreadable, the sockets out of
    reach."""
    folder = Path(box.source(box.place("tmp/agent")))
    decoy, path, name = folder / "decoy", folder / "decoy.s", f"agentcells-canary-{os.getpid()}"
    decoy.write_text("a decoy\n", encoding="utf-8")
    with contextlib.ExitStack() as cleanup:
        cleanup.callback(decoy.unlink)
        listen = cleanup.enter_context(socket.socket(socket.AF_UNIX))
        _bind(listen, path)
        cleanup.callback(path.unlink)
        abstract = cleanup.enter_context(socket.socket(socket.AF_UNIX))
        abstract.bind("\0" + name)
        for each in (listen, abstract):
            each.listen(1)
        connect(str(path)).close()  # the control: from out here it answers
        said = _probe(box, [str(decoy), str(path), name])
    if isinstance(said, Problem):
        return said
    if said["read"]:
        return Problem("sandbox_canary_read")
    if said["reached"]:
        return Problem("sandbox_canary_reached")
    return None


def _bind(listener: socket.socket, path: Path) -> None:
    back = Path.cwd()
    os.chdir(path.parent)
    try:
        listener.bind(path.name)
    finally:
        os.chdir(back)


def _probe(box: Box, arguments: list[str]) -> dict[str, object] | Problem:
    launch = tool_command(box, [box.python, "-I", "-S", "-c", PROBE, *arguments], {})
    process = subprocess.Popen(
        launch.argv,
        env=dict(launch.env),
        cwd=launch.cwd,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(*launch.given, *launch.held),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        for fd in launch.given:
            os.close(fd)
        pid = inner_pid(launch)
        until = time.monotonic() + WITHIN_S
        said = _until_closed(process.stdout.fileno(), until)
        process.kill()
        process.wait()
        if said is None:
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return Problem("sandbox_canary_alive")
        try:
            found: dict[str, object] = json.loads(said)
        except ValueError:
            words = process.stderr.read(2000).decode("utf-8", "replace")
            return Problem("sandbox_canary_failed", detail=words.strip()[:300] or "-")
        return found


def _until_closed(fd: int, until: float) -> bytes | None:
    """All that is written; None: the daemon, the last holder of the pipe, was still there at
    `until`."""
    said = b""
    while (left := until - time.monotonic()) > 0:
        if select.select([fd], [], [], left)[0]:
            data = os.read(fd, 4096)
            if not data:
                return said
            said += data
    return None
