"""The supervisor of one run: owns the door, starts both sandboxes, and proves that all of it has
ended (R39).

A process of its own, and a subreaper: whatever a run leaves behind becomes its child. It dies
with the
runner. It runs no git, holds no credential, and waits for nothing but its selector.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from agentcells import door, leash
from agentcells.canary import canary
from agentcells.children import Child, Loop, start
from agentcells.confine import drop_to, stage
from agentcells.problem import Problem
from agentcells.sandbox import Box, Launch, agent_command
from agentcells.stream import Stream, Words
from agentcells.visitors import Visitor, Visitors, open_door
from agentcells.workshop import VERBS, Workshop, refusal

END_WITHIN_S = 20.0
LOGS = ("setup", "build", "test")
DISK_EVERY_S = 0.5
QUESTIONS = 32  # that may wait for the runner; who leaves early leaves his behind
FREE_FILES = 1_000  # some file systems make no more files than they were made for
ENDINGS = {signal.SIGTERM: "killed", signal.SIGINT: "killed", signal.SIGHUP: "killed"}


class Supervisor:
    """The loop of one run."""

    def __init__(
        self, control: socket.socket, spec: dict[str, Any], heard: door.Lines,
        early: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.control = control
        self.spec = spec
        self.early = early  # what came together with the spec
        self.box = Box(**spec["box"])
        self.loop = Loop()
        self.reaper = leash.Reaper()
        self.visitors = Visitors(self.loop, self.serve)
        self.heard = heard
        self.asks: deque[tuple[dict[str, Any], Callable[[dict[str, Any]], None]]] = deque()
        self.ending = ""
        self.stopped_at = 0.0
        self.detail: dict[str, Any] = {}
        self.agent: Child | None = None
        self.outputs = (-1, -1)
        self.deadline: float | None = None
        self.quiet_since = time.monotonic()
        self.disk_at = 0.0  # when the disk is looked at again
        self.prompt = -1
        self.listener: socket.socket | None = None
        self.stream: Stream | None = None
        self.errors = Words(-1)
        self.workshop: Workshop | None = None

    # ------------------------------------------------------------ before the first process

    def prepare(self) -> None:
        """As whoever the runner is: the door, the logs, the prompt.

        Then no more than the run needs.
        """
        self.listener = open_door(self.box)
        logs = {name: _log(self.box.place(f"{name}.log")) for name in LOGS}
        server = self.spec["agent"].get("server", "")
        self.stream = Stream(_log(self.box.place("stream.jsonl")), door.parse, server)
        self.prompt = os.open(self.box.place("prompt.txt"), os.O_RDONLY | os.O_CLOEXEC)
        if self.box.account:
            self.box = reachable(self.box)
            drop_to(*self.box.account)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a dump would hold what the agent knew
        leash.prctl(leash.PR_SET_NO_NEW_PRIVS, 1)
        leash.become_subreaper()
        # After the change of account, which clears it.
        leash.die_with_parent(self.spec["parent"], signal.SIGKILL)
        self.workshop = Workshop(self, self.box, logs)

    def run(self) -> int:
        """Everything, from the canary to the Proof. Returns the exit code: 0 only with a Proof."""
        self._watch_signals()
        self.loop.watch(self.control.fileno(), self._hear)
        if self.box.containment == "strong" and (problem := canary(self.box)):
            self.stop("canary", key=problem.key, slots=problem.slots)
        elif not self.spec.get("waits"):
            self._begin()
        for message in self.early:
            self._take(message)
        while not self.ending:
            self.loop.turn(self._patience())
            self._look()
        return self._end()

    def _begin(self) -> None:
        """The first command of the run: the files lie there, and its ways out are open."""
        if self.spec["setup"]:
            assert self.workshop is not None
            self.workshop.setup(self.spec["setup"], self._setup_ended)
        else:
            self._start_agent()

    def _watch_signals(self) -> None:
        """Signals become a byte in a pipe; the handlers do nothing, the loop does."""
        woken, wake = os.pipe()
        for fd in (woken, wake):
            os.set_blocking(fd, False)
        for number in (*ENDINGS, signal.SIGCHLD):
            signal.signal(number, lambda number, frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

        def signalled() -> None:
            for number in os.read(woken, 4096):
                if ending := ENDINGS.get(signal.Signals(number)):
                    self.stop(ending)

        self.loop.watch(woken, signalled)

    def _setup_ended(self, status: int, said: str) -> None:
        if status == 0:
            self.ask({"setup": "done"}, lambda answer: self._start_agent())
        else:
            self.stop("setup", said=said)

    def _start_agent(self) -> None:
        agent = self.spec["agent"]
        launch = agent_command(self.box, agent["argv"], agent["env"])
        pipes = [os.pipe(), os.pipe()]
        assert self.stream is not None
        assert self.listener is not None
        for (read, _), words in zip(pipes, (self.stream, self.errors), strict=True):
            os.set_blocking(read, False)
            self.loop.watch(read, self._reader(read, words))
        self.agent = self.start(launch, self.prompt, pipes[0][1], pipes[1][1])
        for _, write in pipes:
            os.close(write)
        self.outputs = (pipes[0][0], pipes[1][0])
        self.visitors.receive(self.listener)
        self.quiet_since = time.monotonic()
        self.deadline = self.quiet_since + agent["timeout_s"]
        self.tell({"event": "agent"})

    def start(self, launch: Launch, stdin: int, stdout: int, stderr: int) -> Child:
        return start(self.loop, self.reaper, launch, stdin, stdout, stderr)

    def _reader(self, fd: int, words: Stream | Words) -> Callable[[], None]:
        def read() -> None:
            self.quiet_since = time.monotonic()
            if words.take(fd):
                self.loop.forget(fd)

        return read

    # ------------------------------------------------------------ the loop

    def _busy(self) -> bool:
        """Whether a verb is at work: then the agent waits, and silence is no stall (R38)."""
        at_work = self.workshop is not None and (self.workshop.running or self.workshop.starting)
        return bool(at_work) or self.visitors.waiting()

    def _patience(self) -> float:
        now = time.monotonic()
        times = [self.disk_at - now]
        if self.deadline is not None:
            times.append(self.deadline - now)
            if not self._busy():
                times.append(self.quiet_since + self.spec["agent"]["stall_s"] - now)
        if self.workshop and (at := self.workshop.next_deadline()) is not None:
            times.append(at - now)
        return max(0.0, min(times))

    def _look(self) -> None:
        """After every turn: who has ended, and whose time is up."""
        self.reaper.reap()
        now = time.monotonic()
        if self.workshop:
            self.workshop.look(now)
        if now >= self.disk_at:
            self.disk_at = now + DISK_EVERY_S
            self._look_at_disk()
        if self.ending or self.agent is None or self.deadline is None:
            return
        if self._busy():
            self.quiet_since = now
        if self.agent.process.pid in self.reaper.statuses:
            self.stop("exit")
        elif self.stream and self.stream.unconnected:
            self.stop("door")
        elif now >= self.deadline:
            self.stop("timeout")
        elif now >= self.quiet_since + self.spec["agent"]["stall_s"]:
            self.stop("stall")

    def _look_at_disk(self) -> None:
        """No quota is to be had without the host's help; but a run that fills the disk is ended."""
        disk = os.statvfs(self.box.source(self.box.place("work")))
        left = disk.f_bavail * disk.f_frsize
        if left < self.spec.get("free_disk", 0) or (disk.f_files and disk.f_favail < FREE_FILES):
            self.stop("disk", said=str(left >> 20))

    def stop(self, ending: str, **detail: Any) -> None:
        """The first reason counts."""
        if not self.ending:
            self.ending, self.detail = ending, detail
            self.stopped_at = time.monotonic()

    # ------------------------------------------------------------ the door

    def serve(self, visitor: Visitor, argv: list[str]) -> None:
        """build and test are ours; all else needs the history, and that is the runner's."""
        assert self.workshop is not None
        verb = argv[0] if argv else ""
        if verb in VERBS and not {"-h", "--help"}.intersection(argv):
            self.workshop.visit(visitor, verb, argv[1:])
        elif len(self.asks) >= QUESTIONS:
            visitor.answer(refusal("door_crowded", "door_crowded_hint"))
        else:
            self.ask({"argv": argv}, lambda answer: visitor.answer(answer["envelope"]))

    # ------------------------------------------------------------ the runner

    def tell(self, value: dict[str, Any]) -> None:
        self.control.sendall(door.line(value))

    def ask(self, question: dict[str, Any], then: Callable[[dict[str, Any]], None]) -> None:
        """One question at a time: neither side can ever block while the other one writes."""
        self.asks.append((question, then))
        if len(self.asks) == 1:
            self.tell({"ask": question})

    def _hear(self) -> None:
        data = self.control.recv(door.CHUNK)
        if not data:
            # The runner is gone. Nobody would believe us: end everything and prove nothing.
            self.end_everything()
            os._exit(4)
        for message in self.heard.feed(data):
            self._take(message)

    def _take(self, message: dict[str, Any]) -> None:
        if "stop" in message:
            self.stop(str(message["stop"]))
        elif "go" in message:
            if not self.ending:
                self.spec["setup"] = message.get("setup", "")
                self._begin()
        elif self.asks:
            _, then = self.asks.popleft()
            then(message["answer"])
            if self.asks:
                self.tell({"ask": self.asks[0][0]})

    # ------------------------------------------------------------ the end

    def end_everything(self) -> bool:
        """Sandboxes by their pid 1, leashes by their own hand, all else directly. True: ECHILD."""
        command = self.workshop.running if self.workshop else None
        children = [child for child in (self.agent, command and command.child) if child]
        for child in children:
            child.kill()
        leashed = self.box.containment == "none"
        spared = [child.process.pid for child in children] if leashed else []
        return leash.end_all(self.reaper, END_WITHIN_S, spared=spared, freeze=leashed)

    def _end(self) -> int:
        """Kill all, reap until the kernel says that there is nothing, and only then speak of it."""
        self.visitors.dismiss()
        all_gone = self.end_everything()
        if self.agent and self.stream:
            self.stream.take(self.outputs[0], most=1 << 20)
            self.stream.finish()
            self.errors.take(self.outputs[1], most=1 << 20)
        self.tell(
            {
                "ended": {
                    "ending": self.ending,
                    "took_s": time.monotonic() - self.stopped_at,
                    **self.detail,
                    "exit_code": self.agent.status()
                    if self.agent and self.ending == "exit"
                    else None,
                    "result": self.stream.result if self.stream else None,
                    "stderr": self.errors.text(),
                }
            }
        )
        if not all_gone:
            return 3
        self.tell({"proof": "echild", "nonce": self.spec["nonce"]})
        return 0


def reachable(box: Box) -> Box:
    """The same box with every path where the run's own account can walk to it.

    A root that may not mount (a container's) goes without: the canary tells what cannot be reached.
    """
    try:
        staged = stage(box.sources())
    except PermissionError:
        return box
    fields = {name: getattr(box, name) for name in box.__slots__}
    return Box(**{**fields, "staged": staged})


def _log(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def main(control_fd: str) -> int:
    """Started by `attend`: the first line on the control socket says everything. Returns the exit code."""
    os.chdir("/")
    control = socket.socket(fileno=int(control_fd))
    control.set_inheritable(False)
    lines = door.Lines(1 << 24)
    found: list[dict[str, Any]] = []
    while not found:
        data = control.recv(door.CHUNK)
        if not data:
            return 4
        found = lines.feed(data)
    supervisor = Supervisor(control, found[0], lines, found[1:])
    try:
        supervisor.prepare()
        return supervisor.run()
    except Problem as problem:
        print(json.dumps([problem.key, problem.slots]), file=sys.stderr)
    except BaseException:
        # Whatever went wrong here: nothing of the run may live on, and there is no Proof.
        supervisor.end_everything()
        raise
    supervisor.end_everything()
    return 3
