"""What a tick becomes once something runs: it waits for the runs and starts passes, and holds no token."""

from __future__ import annotations

import json
import os
import select
import selectors
import signal
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agentcells import handover, notify
from agentcells.events import Emit
from agentcells.journal import Journal
from agentcells.lease import look_again_within
from agentcells.model import Problem
from agentcells.run import Order
from agentcells.store import RunFolder, State, Unwritable
from agentcells.tick import configured, run_pass, tidy

if TYPE_CHECKING:
    from agentcells.config import Config

LOOK_AGAIN_S = 2.0  # how often runs that another process started are looked at


@dataclass(slots=True)
class Coordinator:
    """Waits for runs and starts passes. It has no forge, and no token but in a closed envelope."""

    config: Config
    state: State
    emit: Emit
    tick_lock: int
    envelope: int  # descriptor of the variables that only passes are given
    started: float = field(default_factory=time.monotonic)
    runners: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    orders: dict[str, Order] = field(default_factory=dict)  # of the runners
    stopping: bool = False
    let_go: bool = False  # a run was claimed as the stop came

    def run(self, folders: list[RunFolder]) -> int:
        """Until nothing runs any more. Returns the exit code of the last pass that had one."""
        code = 0
        self._obey_signals()
        for folder in folders:
            self._start(folder)
        while self._anything_alive():
            self._wait_for_news()
            code = self._pass() or code
        if self.let_go:  # its item should not stand there as if somebody were at work
            code = self._pass() or code
        tidy(self.config, self.state, self.emit)
        return code

    def _start(self, folder: RunFolder) -> None:
        if self.stopping:  # nothing of it exists yet: the next pass takes the claim back
            folder.unlock()
            self.let_go = True
        else:
            self._launch(folder)

    def _launch(self, folder: RunFolder) -> None:
        """Start the runner; the lock goes with it and our copy is closed (R17)."""
        self._note_start(folder)
        order = self.orders[folder.run] = folder.order()
        argv = [*handover.program(), "_run", str(folder.path), str(folder.lock_fd)]
        self.runners[folder.run] = subprocess.Popen(
            argv, pass_fds=[folder.lock_fd], stdin=subprocess.DEVNULL, start_new_session=True,
            env=handover.for_runs(os.environ, folder.limits().agent_env),
        )
        folder.unlock()
        self.emit.run_started(order)
        if self.stopping:  # came just now, and found this one not among those to be ended
            self.runners[folder.run].send_signal(signal.SIGTERM)

    def _note_start(self, folder: RunFolder) -> None:
        """On a full disk it starts all the same: what its runner makes tells of it as well."""
        try:
            folder.note_start()
        except Unwritable as problem:
            self.emit.problem(problem)

    def _anything_alive(self) -> bool:
        return bool(self.runners) or any(folder.alive() for folder in self.state.runs())

    def _wait_for_news(self) -> None:
        """Until a run has ended, or `poll` has passed."""
        until = time.monotonic() + look_again_within(self.config, self.config.factory.poll)
        with selectors.DefaultSelector() as news:
            for run, runner in self.runners.items():
                news.register(os.pidfd_open(runner.pid), selectors.EVENT_READ, run)
            strangers = self._strangers()
            while time.monotonic() < until:
                ended = news.select(min(LOOK_AGAIN_S, max(0.0, until - time.monotonic())))
                for key, _ in ended:
                    news.unregister(key.fd)
                    os.close(key.fd)
                    self.runners.pop(key.data).wait()
                    self._tell_end(key.data)
                if self.state.asked_to_end():
                    self._end_runs()
                if ended or self._strangers() != strangers or (self.stopping and not self.runners):
                    break
            for key in list(news.get_map().values()):
                os.close(key.fd)

    def _tell_end(self, run: str) -> None:
        """A pass may have published it already, between its end and the runner's: a log then."""
        end = None
        for place in (self.state.root / "runs", self.state.logs):
            with suppress(Problem):  # put away while we looked
                end = end or RunFolder(place / run).end()
        self.emit.run_ended(self.orders.pop(run), end)

    def _strangers(self) -> frozenset[str]:
        """Runs that live without being our children: an earlier coordinator was killed."""
        return frozenset(
            folder.run
            for folder in self.state.runs()
            if folder.run not in self.runners and folder.alive()
        )

    def _pass(self) -> int:
        """A pass as a child process: it has the token, we do not. New runs come back as locks."""
        in_time = time.monotonic() - self.started < self.config.factory.tick_for
        claiming = in_time and not self.stopping
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        given = [theirs.fileno(), self.envelope]
        argv = [*handover.program(), "_pass", str(self.config.path), *map(str, given),
                "claim" if claiming else "finish", self.emit.mode]
        self.let_go = False
        with ours:
            child = subprocess.Popen(argv, pass_fds=given, stdin=subprocess.DEVNULL)
            theirs.close()
            claimed = receive_runs(ours)
            code = child.wait()
        for folder in claimed:
            self._start(folder)
        return code

    def _end_runs(self) -> None:
        self.stopping = True
        for runner in self.runners.values():
            runner.send_signal(signal.SIGTERM)

    def _obey_signals(self) -> None:
        """TERM or INT: no new runs; those that run are told to stop, orderly, with their Proof."""

        def stop(number: int, frame: object) -> None:
            self._end_runs()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)


def coordinate(config_path: str, lock: str, mode: str, envelope: str, *locks: str) -> int:
    """The inner command `_coordinate`: what a tick becomes once something runs."""
    config, state = configured(Path(config_path))
    for fd in (lock, envelope):
        os.set_inheritable(int(fd), False)
    folders: list[RunFolder] = []
    for entry in locks:
        run, _, fd = entry.rpartition(":")
        os.set_inheritable(int(fd), False)
        folders.append(RunFolder(state.root / "runs" / run, int(fd)))
    emit = Emit(mode, config.factory.language, journal=Journal(state.root))
    code = Coordinator(config, state, emit, int(lock), int(envelope)).run(folders)
    Journal(state.root).tick_ends(code)
    if code and notify.wanted(config):
        argv = [*handover.program(), "_tick_failed", str(config.path), envelope, mode]
        subprocess.run(argv, pass_fds=[int(envelope)], stdin=subprocess.DEVNULL, check=False)
    Journal(state.root).trim_logs()
    return code


def child_pass(config_path: str, answer_fd: str, envelope: str, what: str, mode: str) -> int:
    """The inner command `_pass`: one pass, whose claimed runs go back over the socket."""
    handover.unseal(int(envelope))
    config, state = configured(Path(config_path))
    emit = Emit(mode, config.factory.language, journal=Journal(state.root))
    journal = Journal(state.root)
    try:
        with socket.socket(fileno=int(answer_fd)) as answer, state.pass_lock(wait=True):
            claimed = run_pass(
                config, state, emit, claiming=what == "claim", attended=lambda: _attended(answer)
            )
            for folder in claimed:
                _hand_over(answer, folder, emit)
    except Problem as problem:
        journal.fails(problem, emit.language)
        raise
    journal.note(emit.problems, emit.language)
    return emit.code


def _attended(answer: socket.socket) -> bool:
    """Whether the coordinator is still there: nobody else would start what is claimed."""
    listening = select.poll()
    listening.register(answer, 0)  # that the other end is closed is told unasked
    return not listening.poll(0)


def _hand_over(answer: socket.socket, folder: RunFolder, emit: Emit) -> None:
    """The run and its lock. Was the coordinator killed meanwhile, the next tick takes the claim back."""
    place = json.dumps(str(folder.path)).encode()
    try:
        socket.send_fds(answer, [place], [folder.lock_fd])
    except ConnectionError:
        folder.unlock()
        emit.note("pass_unattended", run=folder.run)


def receive_runs(answer: socket.socket) -> list[RunFolder]:
    """The run folders a child pass claimed, with the locks it held; ends when the child closes."""
    folders: list[RunFolder] = []
    while True:
        message, fds, _, _ = socket.recv_fds(answer, 4096, 1)
        if not message:
            return folders
        folders.append(RunFolder(Path(json.loads(message)), fds[0]))
