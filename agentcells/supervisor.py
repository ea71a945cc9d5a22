"""The supervisor of one run: owns the door, starts both sandboxes, and proves that all of it has ended (R39).

A process of its own, and a subreaper: whatever a run leaves behind becomes its child. It dies with the
runner. It runs no git, holds no credential, and waits for nothing but its selector.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentcells import door, leash
from agentcells.canary import canary
from agentcells.confine import drop_to, stage
from agentcells.model import Problem
from agentcells.sandbox import Box, Launch, agent_command, inner_pid
from agentcells.sentences import say
from agentcells.stream import Stream, Words
from agentcells.workshop import VERBS, Workshop

END_WITHIN_S = 20.0
VISITORS = 16
REQUEST_LIMIT = 1 << 16
LOGS = ("setup", "build", "test")
ENDINGS = {signal.SIGTERM: "killed", signal.SIGINT: "killed", signal.SIGHUP: "killed"}


class Loop:
    """One selector. What an earlier event of a batch forgot is not called for a later one of the same batch."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._callbacks: dict[int, Callable[[], None]] = {}

    def watch(self, fd: int, callback: Callable[[], None]) -> None:
        self._callbacks[fd] = callback
        self._selector.register(fd, selectors.EVENT_READ, callback)

    def forget(self, fd: int) -> None:
        if self._callbacks.pop(fd, None) is not None:
            self._selector.unregister(fd)

    def turn(self, timeout: float) -> None:
        for key, _ in self._selector.select(timeout):
            if self._callbacks.get(key.fd) is key.data:
                key.data()


class Child:
    """Something we started. Over when its status is there and, in a sandbox, its pid 1 is gone too."""

    def __init__(self, process: subprocess.Popen[bytes], reaper: leash.Reaper, inner: int | None) -> None:
        self.process = process
        self.reaper = reaper
        self.inner = inner  # pidfd: readable once every process of the namespace is gone
        self.output = -1
        reaper.wanted.add(process.pid)

    def over(self) -> bool:
        if self.process.pid not in self.reaper.statuses:
            return False
        self.process.returncode = self.status()
        return self.inner is None

    def status(self) -> int:
        return self.reaper.statuses.get(self.process.pid, -signal.SIGKILL)

    def kill(self) -> None:
        """A sandbox by its pid 1; a leash by TERM, upon which it ends all that is below it."""
        with contextlib.suppress(ProcessLookupError):  # it may have gone by itself just now
            if self.inner is not None:
                signal.pidfd_send_signal(self.inner, signal.SIGKILL)
            elif self.process.pid not in self.reaper.statuses:
                os.kill(self.process.pid, signal.SIGTERM)


class Visitor:
    """One connection at the door: one request, one answer."""

    def __init__(self, supervisor: Supervisor, sock: socket.socket) -> None:
        self.supervisor = supervisor
        self.sock = sock
        self.lines = door.Lines(REQUEST_LIMIT)
        self.asked = False
        self.gone = False
        sock.setblocking(False)
        supervisor.loop.watch(sock.fileno(), self._read)

    def _read(self) -> None:
        try:
            data = self.sock.recv(door.CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.leave()
            return
        if self.asked:
            return
        try:
            for request in self.lines.feed(data)[:1]:
                argv = [str(word) for word in request["argv"]]
                self.asked = True
                self.supervisor.serve(self, argv)
        except (ValueError, KeyError, TypeError):
            self.asked = True
            self.answer(door.error("policy_blocked", say("door_unreadable"), say("door_unreadable_hint")))

    def progress(self, text: str) -> None:
        self._send({"progress": text})

    def answer(self, envelope: door.Envelope) -> None:
        self._send({"envelope": envelope})
        self.leave()

    def _send(self, value: object) -> None:
        """An answer fits into the buffer of a fresh connection; who does not take it gets none."""
        if not self.gone:
            try:
                self.sock.send(door.line(value))
            except OSError:
                self.leave()

    def leave(self) -> None:
        if not self.gone:
            self.gone = True
            self.supervisor.loop.forget(self.sock.fileno())
            self.sock.close()
            self.supervisor.visitors.remove(self)


class Supervisor:
    """The loop of one run."""

    def __init__(self, control: socket.socket, spec: dict[str, Any]) -> None:
        self.control = control
        self.spec = spec
        self.box = Box(**spec["box"])
        self.loop = Loop()
        self.reaper = leash.Reaper()
        self.visitors: list[Visitor] = []
        self.heard = door.Lines(1 << 24)
        self.asks: deque[tuple[dict[str, Any], Callable[[dict[str, Any]], None]]] = deque()
        self.ending = ""
        self.detail: dict[str, Any] = {}
        self.agent: Child | None = None
        self.deadline: float | None = None
        self.quiet_since = time.monotonic()
        self.prompt = -1
        self.listener: socket.socket | None = None
        self.stream: Stream | None = None
        self.errors = Words(-1)
        self.workshop: Workshop | None = None

    # ------------------------------------------------------------ before the first process

    def prepare(self) -> None:
        """As whoever the runner is: the door, the logs, the prompt. Then no more than the run needs."""
        self.listener = open_door(self.box)
        logs = {name: _log(self.box.place(f"{name}.log")) for name in LOGS}
        self.stream = Stream(_log(self.box.place("stream.jsonl")))
        self.prompt = os.open(self.box.place("prompt.txt"), os.O_RDONLY | os.O_CLOEXEC)
        if self.box.account:
            self.box = reachable(self.box)
            drop_to(*self.box.account)
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
        elif self.spec["setup"]:
            assert self.workshop is not None
            self.workshop.setup(self.spec["setup"], self._setup_ended)
        else:
            self._start_agent()
        while not self.ending:
            self.loop.turn(self._patience())
            self._look()
        return self._end()

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
        self.outputs = tuple(read for read, _ in pipes)
        self.loop.watch(self.listener.fileno(), self._open)
        self.quiet_since = time.monotonic()
        self.deadline = self.quiet_since + agent["timeout_s"]
        self.tell({"event": "agent"})

    def start(self, launch: Launch, stdin: int, stdout: int, stderr: int) -> Child:
        """Start a command of either sandbox, and watch its pid 1."""
        process = subprocess.Popen(
            launch.argv, env=dict(launch.env), cwd=launch.cwd, stdin=stdin, stdout=stdout, stderr=stderr,
            pass_fds=(*launch.given, *launch.held), start_new_session=True,
        )
        for fd in launch.given:
            os.close(fd)
        inner = None
        if (pid := inner_pid(launch)) is not None:
            try:
                inner = os.pidfd_open(pid)
            except ProcessLookupError:
                inner = None  # gone already
        child = Child(process, self.reaper, inner)
        if inner is not None:
            self.loop.watch(inner, lambda: self._inner_gone(child))
        return child

    def _inner_gone(self, child: Child) -> None:
        if child.inner is not None:
            self.loop.forget(child.inner)
            os.close(child.inner)
            child.inner = None

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
        return bool(at_work) or any(visitor.asked for visitor in self.visitors)

    def _patience(self) -> float:
        times = [60.0]
        now = time.monotonic()
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
        if self.ending or self.agent is None or self.deadline is None:
            return
        if self._busy():
            self.quiet_since = now
        if self.agent.process.pid in self.reaper.statuses:
            self.stop("exit")
        elif now >= self.deadline:
            self.stop("timeout")
        elif now >= self.quiet_since + self.spec["agent"]["stall_s"]:
            self.stop("stall")

    def stop(self, ending: str, **detail: Any) -> None:
        """The first reason counts."""
        if not self.ending:
            self.ending, self.detail = ending, detail

    # ------------------------------------------------------------ the door

    def _open(self) -> None:
        assert self.listener is not None
        try:
            sock, _ = self.listener.accept()
        except OSError:
            return
        if len(self.visitors) >= VISITORS:
            sock.close()
            return
        self.visitors.append(Visitor(self, sock))

    def serve(self, visitor: Visitor, argv: list[str]) -> None:
        """build and test are ours; all else needs the history, and that is the runner's."""
        assert self.workshop is not None
        verb = argv[0] if argv else ""
        if verb in VERBS and not {"-h", "--help"}.intersection(argv):
            self.workshop.visit(visitor, verb, argv[1:])
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
            if "stop" in message:
                self.stop(str(message["stop"]))
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
        for visitor in list(self.visitors):
            visitor.leave()
        all_gone = self.end_everything()
        if self.agent and self.stream:
            self.stream.take(self.outputs[0], most=1 << 20)
            self.stream.finish()
            self.errors.take(self.outputs[1], most=1 << 20)
        self.tell({"ended": {
            "ending": self.ending, **self.detail,
            "exit_code": self.agent.status() if self.agent and self.ending == "exit" else None,
            "result": self.stream.result if self.stream else None,
            "stderr": self.errors.text(),
        }})
        if not all_gone:
            return 3
        self.tell({"proof": "echild", "nonce": self.spec["nonce"]})
        return 0


def reachable(box: Box) -> Box:
    """The same box with every path where the run's own account can walk to it."""
    staged = stage(box.sources())
    fields = {name: getattr(box, name) for name in box.__slots__}
    return Box(**{**fields, "staged": staged})


def open_door(box: Box) -> socket.socket:
    """The listening socket, made before the account changes. Bound by its short name: paths are limited."""
    folder = Path(box.place("door"))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    back = Path.cwd()
    os.chdir(folder)
    try:
        listener.bind("s")
        if box.account:
            os.chown("s", *box.account)
    finally:
        os.chdir(back)
    listener.listen(VISITORS)
    listener.setblocking(False)
    return listener


def _log(path: str) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def main(control_fd: str) -> int:
    """The inner command `_supervise`: the first line on the control socket says everything."""
    os.chdir("/")
    control = socket.socket(fileno=int(control_fd))
    control.set_inheritable(False)
    lines, found = door.Lines(1 << 24), []
    while not found:
        data = control.recv(door.CHUNK)
        if not data:
            return 4
        found = lines.feed(data)
    supervisor = Supervisor(control, found[0])
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
