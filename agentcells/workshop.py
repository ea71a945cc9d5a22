"""The supervisor's workshop: runs setup, build and test in the tool sandbox, one at a time (R37).

An answer comes only after the last process of the command is gone. A client that leaves early ends
nothing: the command goes on to its own limit, and the next call of the same verb gets its answer.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agentcells import door
from agentcells.children import Child
from agentcells.sandbox import Box, tool_command
from agentcells.sentences import say

if TYPE_CHECKING:
    from agentcells.supervisor import Supervisor
    from agentcells.visitors import Visitor

VERBS = ("build", "test")
HEAD, TAIL = 6_000, 24_000  # bytes kept in memory for the answer
ANSWER = 9_500  # characters; above 10,000 claude cuts the middle out of a failed command's output
PAGE = 9_000
LOG_LIMIT = 64 << 20
PROGRESS_EVERY_S = 30.0
_ESCAPES = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[^\n\t\x20-\x7e\x80-\U0010ffff]"
)


@dataclass(slots=True)
class Command:
    """One command at work."""

    verb: str
    child: Child
    log: int
    deadline: float
    started: float
    tree: str
    waiters: list[Visitor] = field(default_factory=list)
    head: bytes = b""
    tail: bytes = b""
    size: int = 0
    timed_out: bool = False
    progress_at: float = 0.0


class Workshop:
    """Owns the one command that may run, and the logs."""

    def __init__(self, supervisor: Supervisor, box: Box, logs: dict[str, int]) -> None:
        self.supervisor = supervisor
        self.box = box
        self.logs = logs
        self.commands: dict[str, list[str]] = supervisor.spec["commands"]
        self.limit = float(supervisor.spec["command_timeout_s"])
        self.running: Command | None = None
        self.starting = ""
        self.finished: dict[
            str, tuple[str, door.Envelope]
        ] = {}  # verb: tree and answer nobody has fetched
        self.setup_done: Callable[[int, str], None] | None = None

    # ------------------------------------------------------------ what a visitor asks for

    def visit(self, visitor: Visitor, verb: str, arguments: list[str]) -> None:
        if arguments[:1] == ["--log"]:
            visitor.answer(self._page(verb, arguments[1:]))
        elif arguments:
            visitor.answer(refusal("door_bad_arguments", "door_bad_arguments_hint", verb=verb))
        elif not self.commands.get(verb):
            visitor.answer(refusal("door_not_configured", "door_not_configured_hint", verb=verb))
        elif self.running and self.running.verb == verb:
            here = [waiter for waiter in self.running.waiters if not waiter.gone]
            self.running.waiters = [*here, visitor]
        elif self.running or self.starting:
            busy = self.running.verb if self.running else self.starting
            visitor.answer(refusal("door_busy", "door_busy_hint", verb=busy))
        else:
            self.starting = verb
            self.supervisor.ask({"tree": True}, lambda answer: self._begin(visitor, verb, answer))

    def _begin(self, visitor: Visitor, verb: str, answer: dict[str, str]) -> None:
        self.starting = ""
        tree, earlier = answer["tree"], self.finished.pop(verb, None)
        if earlier and tree and earlier[0] == tree:
            visitor.answer(earlier[1])
            return
        self._start(verb, tree, "work" if self.box.writes else self._scratch())
        if self.running:
            self.running.waiters.append(visitor)

    def setup(self, folder: str, done: Callable[[int, str], None]) -> None:
        """Run the setup command in `folder`; `done` gets its status (0: good) and what it said."""
        self.setup_done = done
        self._start("setup", "", folder)

    def _scratch(self) -> str:
        """A throw-away copy for a cell that may not write: its tests cannot touch the workspace
        (R36)."""
        target = Path(self.box.source(self.box.place("tmp/scratch")))
        if not any(target.iterdir()):
            source = self.box.source(self.box.place("work"))
            subprocess.run(["cp", "-a", "--", f"{source}/.", str(target)], check=True)
        return "tmp/scratch"

    def _start(self, verb: str, tree: str, work: str) -> None:
        proxies = self.supervisor.spec["tool_proxies"]
        proxy = proxies.get("setup" if verb == "setup" else "commands", "")
        launch = tool_command(self.box, self.commands[verb], {}, work, proxy)
        log = self.logs[verb]
        os.ftruncate(log, 0)
        os.lseek(log, 0, os.SEEK_SET)
        read, write = os.pipe()
        os.set_blocking(read, False)
        child = self.supervisor.start(launch, subprocess.DEVNULL, write, write)
        os.close(write)
        now = time.monotonic()
        self.running = Command(
            verb=verb,
            child=child,
            log=log,
            started=now,
            deadline=now + self.limit,
            tree=tree,
            progress_at=now + PROGRESS_EVERY_S,
        )
        self.supervisor.loop.watch(read, lambda: self._read(read))
        child.output = read

    # ------------------------------------------------------------ what it says, how it ends

    def _read(self, fd: int) -> None:
        """What is there now, never to the end of file: a leftover may hold the pipe open."""
        command = self.running
        for _ in range(16):
            try:
                data = os.read(fd, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                self.supervisor.loop.forget(fd)
                return
            if command is None:
                continue
            if command.size < LOG_LIMIT:
                os.write(command.log, data)
            room = HEAD - len(command.head)
            command.head += data[:room]
            command.tail = (
                (command.tail + data[room:])[-TAIL:] if room < len(data) else command.tail
            )
            command.size += len(data)

    def look(self, now: float) -> None:
        """Called at every turn of the loop: the time limit, the end, a sign of life for those who
        wait."""
        command = self.running
        if command is None:
            return
        if command.child.over():
            self._finish(command)
        elif now > command.deadline and not command.timed_out:
            command.timed_out = True
            command.child.kill()
        elif now > command.progress_at:
            command.progress_at = now + PROGRESS_EVERY_S
            for visitor in command.waiters:
                visitor.progress(
                    say(
                        "door_still_running",
                        verb=command.verb,
                        seconds=round(now - command.started),
                    )
                )

    def next_deadline(self) -> float | None:
        if self.running is None or self.running.timed_out:
            return None
        return min(self.running.deadline, self.running.progress_at)

    def _finish(self, command: Command) -> None:
        fd = command.child.output
        self._read(fd)  # no process is left that could write: this is all there will ever be
        self.supervisor.loop.forget(fd)
        os.close(fd)
        self.running = None
        if command.verb == "setup":
            done, self.setup_done = self.setup_done, None
            if done:
                done(-1 if command.timed_out else command.child.status(), _said(command, 2_000))
            return
        self.starting = command.verb
        self.supervisor.ask({"tree": True}, lambda answer: self._report(command, answer["tree"]))

    def _report(self, command: Command, tree: str) -> None:
        self.starting = ""
        passed = command.child.status() == 0 and not command.timed_out
        same = bool(tree) and tree == command.tree
        if command.verb == "test" and same:
            self.supervisor.tell({"tested": {"tree": tree, "passed": passed}})
        envelope = _result(
            command, passed, same or command.verb != "test", time.monotonic() - command.started
        )
        here = [visitor for visitor in command.waiters if not visitor.gone]
        for visitor in here:
            visitor.answer(envelope)
        if not here:
            self.finished[command.verb] = (tree, envelope)

    def _page(self, verb: str, arguments: list[str]) -> door.Envelope:
        """`--log [--from N]`: a page of the whole output."""
        start = 0
        if arguments:
            known = len(arguments) == 2 and arguments[0] == "--from" and arguments[1].isdecimal()
            if not known or len(arguments[1]) >= 16:
                return refusal("door_bad_arguments", "door_bad_arguments_hint", verb=verb)
            start = int(arguments[1])
        total = os.fstat(self.logs[verb]).st_size
        data = os.pread(self.logs[verb], PAGE, start)
        if not data:
            return refusal("door_no_log", "door_no_log_hint", verb=verb)
        data = _whole_lines(data) if start + len(data) < total else data
        while len(json.dumps(text := plain(data), ensure_ascii=False)) > PAGE:
            data = _whole_lines(data[: len(data) * 3 // 4])  # escapes cost characters too
        end = start + len(data)
        return door.ok(
            say("door_page", start=start, end=end, total=total),
            {"from": start, "next": end if end < total else None, "total": total, "text": text},
        )


def _whole_lines(data: bytes) -> bytes:
    """Up to the last end of a line; of a line longer than that, up to the last whole character."""
    end = data.rfind(b"\n") + 1
    if end == 0:
        end = len(data)
        while end > 1 and data[end - 1] & 0xC0 == 0x80:
            end -= 1
        end = end - 1 if end > 1 and data[end - 1] >= 0xC0 else len(data)
    return data[:end]


def plain(data: bytes) -> str:
    """Output as text for the model: no colours, no control characters."""
    return _ESCAPES.sub(
        "", data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    )


def _said(command: Command, limit: int) -> str:
    """Head and tail of the output, more of the tail, with the count of what was left out."""
    if command.size <= HEAD + TAIL:
        text = plain(command.head + command.tail)
        if len(json.dumps(text, ensure_ascii=False)) <= limit:
            return text
    for share in (1.0, 0.8, 0.6, 0.4, 0.2, 0.1):
        head = plain(command.head)[: int(limit * share * 0.25)]
        tail = plain(command.head + command.tail)[-int(limit * share * 0.6) :]
        dropped = max(0, command.size - len(head.encode()) - len(tail.encode()))
        text = f"{head}\n{say('door_left_out', bytes=dropped, verb=command.verb)}\n{tail}"
        if len(json.dumps(text, ensure_ascii=False)) <= limit:
            return text
    return say("door_left_out", bytes=command.size, verb=command.verb)


def _result(command: Command, passed: bool, counts: bool, seconds: float) -> door.Envelope:
    slots = {"verb": command.verb, "seconds": f"{seconds:.1f}"}
    if command.timed_out:
        summary = say("door_timed_out", **slots)
    elif not passed:
        summary = say("door_failed", **slots)
    else:
        summary = say("door_passed" if counts else "door_passed_but_changed", **slots)
    data = {
        "passed": passed,
        "counts": passed and counts,
        "seconds": round(seconds, 1),
        "output": _said(command, ANSWER - 600),
    }
    return door.ok(summary, data)


def refusal(key: str, hint: str, **slots: object) -> door.Envelope:
    return door.error("policy_blocked", say(key, **slots), say(hint, **slots))
