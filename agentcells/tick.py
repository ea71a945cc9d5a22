"""The tick: observe, decide, apply; then one runner for each claimed run. Read this first.

    tick:         pass (lock, observe, decide, apply, unlock); nothing claimed or alive: exit.
                  Else it replaces itself by the coordinator: the memory that held the forge's
                  token is gone.
    coordinator:  holds no token; starts a runner for each claimed run; when a run ends, or `poll`
                  passes, a pass runs as a child process that fetches the token, works and exits.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentcells import handover, notify
from agentcells.config import Config, load
from agentcells.events import Emit
from agentcells.journal import Journal
from agentcells.model import Problem
from agentcells.plan import Plan, Snapshot
from agentcells.run import Order
from agentcells.store import RunFolder, State

if TYPE_CHECKING:
    from agentcells.forge import Forge
    from agentcells.observe import Observer

ROUNDS = 6  # of one pass: a reply moves a label, the label lets a run be claimed
LOOK_AGAIN_S = 2.0  # how often runs that another process started are looked at


def run_pass(
    config: Config, state: State, emit: Emit, *, claiming: bool = True, forge: Forge | None = None
) -> tuple[RunFolder, ...]:
    """Observe, decide, apply, until nothing is left to do now.

    Returns the folders of the runs it claimed; this process holds their locks. What was refused or
    failed is told by `emit`, whose `code` it makes; raised is only what came before any claim.
    """
    from agentcells.apply import apply
    from agentcells.forge.open import open_forge
    from agentcells.observe import Observer

    claimed: list[RunFolder] = []
    plan, snapshot = Plan(), None
    forge = forge or open_forge(config)
    try:
        for _ in range(ROUNDS):
            observer = Observer(config, forge, state)
            snapshot, plan = observe_and_decide(config, observer, claiming=claiming)
            for problem in observer.failed.values():
                emit.problem(problem)
            work = apply(config, forge, state, plan, snapshot, emit, claimed)
            if work.failed or not plan.actions:
                break
        if snapshot is not None:
            Journal(state.root).keep_look(snapshot)
            notify.tell(config, state, emit, replace(snapshot, brake=state.brake()))
    except Problem as problem:
        if not claimed:
            raise
        emit.problem(problem)  # the runs that were claimed are alive: they must not be lost with it
    for skip in plan.skips:
        emit.skip(skip)
    return tuple(claimed)


def observe_and_decide(
    config: Config, observer: Observer, *, claiming: bool
) -> tuple[Snapshot, Plan]:
    """The plan, made twice: what is to be written about is read again, whole and now (R21, R26)."""
    from agentcells.decide import decide

    snapshot = observer.look(claiming=claiming)
    plan = decide(config, snapshot)
    if plan.actions:
        snapshot = observer.look_closely(snapshot, plan)
        plan = decide(config, snapshot)
    return snapshot, plan


def look(config: Config, state: State) -> tuple[Snapshot, Plan]:
    """The snapshot and the very plan that a pass would apply now (R16). Writes nothing."""
    from agentcells.forge.open import open_forge
    from agentcells.observe import Observer

    observer = Observer(config, open_forge(config), state, writing=False)
    return observe_and_decide(config, observer, claiming=True)


def tick(config: Config, state: State, emit: Emit) -> int:  # noqa: RET503  (exec does not come back)
    """One tick of the timer. Returns the exit code, or never: it becomes the coordinator."""
    held = state.tick_lock()
    if held is None:
        emit.note("tick_busy")
        return 0
    journal = Journal(state.root)
    try:
        claimed = _first_pass(config, state, emit, journal)
    except Problem as problem:
        journal.fails(problem, emit.language)
        ended(config, state, emit, problem.exit_code)
        raise
    if claimed is None:
        emit.note("tick_busy")
        return 0
    alive = [folder for folder in state.runs() if folder.alive()]
    if not alive:
        tidy(config, state, emit)
        emit.note("tick_idle")
        return ended(config, state, emit, emit.code)
    sys.stdout.flush()
    locks = [f"{folder.run}:{folder.lock_fd}" for folder in claimed]
    kept, given = handover.divide(config, os.environ)
    argv = [str(config.path), str(held), emit.mode, str(handover.seal(given)), *locks]
    os.execve(sys.executable, [*program(), "_coordinate", *argv], kept)


def _first_pass(
    config: Config, state: State, emit: Emit, journal: Journal
) -> tuple[RunFolder, ...] | None:
    """None: another pass is at work."""
    with state.pass_lock(wait=False) as got:
        if not got:
            return None
        journal.tick_begins()
        claimed = run_pass(config, state, emit)
        journal.note(emit.problems, emit.language)
        return claimed


def ended(config: Config, state: State, emit: Emit, code: int) -> int:
    """The last that a tick does: it says how it went, and tells the owner when it went badly."""
    journal = Journal(state.root)
    last = journal.tick_ends(code)
    if code:
        notify.tick_failed(config, state, emit, last)
    journal.trim_logs()
    return code


def tidy(config: Config, state: State, emit: Emit) -> None:
    """While nothing runs: pack the repositories where much has piled up; else it is one look at a folder."""
    from agentcells.git import Git, GitError

    for repo in config.forge.repos:
        try:
            Git(state.repository(repo)).tidy()
        except GitError as problem:
            emit.problem(problem)


def program() -> list[str]:
    """How this agentcells is started again. `-I`: no module of the current folder can slip in."""
    return [sys.executable, "-I", "-m", "agentcells"]


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

    def run(self, folders: list[RunFolder]) -> int:
        code = 0
        self._obey_signals()
        for folder in folders:
            self._start(folder)
        while self._anything_alive():
            self._wait_for_news()
            code = self._pass() or code
        tidy(self.config, self.state, self.emit)
        return code

    def _start(self, folder: RunFolder) -> None:
        """Start the runner; the lock goes with it and our copy is closed (R17)."""
        order = self.orders[folder.run] = folder.order()
        argv = [*program(), "_run", str(folder.path), str(folder.lock_fd)]
        self.runners[folder.run] = subprocess.Popen(
            argv, pass_fds=[folder.lock_fd], stdin=subprocess.DEVNULL, start_new_session=True,
            env=handover.for_runs(os.environ, folder.limits().agent_env),
        )
        folder.unlock()
        self.emit.run_started(order)

    def _anything_alive(self) -> bool:
        return bool(self.runners) or any(folder.alive() for folder in self.state.runs())

    def _wait_for_news(self) -> None:
        """Until a run has ended, or `poll` has passed."""
        until = time.monotonic() + self.config.factory.poll
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
        argv = [*program(), "_pass", str(self.config.path), *map(str, given),
                "claim" if claiming else "finish", self.emit.mode]
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
    config = load(Path(config_path))
    state = State.open(config.path)
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
        argv = [*program(), "_tick_failed", str(config.path), envelope, mode]
        subprocess.run(argv, pass_fds=[int(envelope)], stdin=subprocess.DEVNULL, check=False)
    Journal(state.root).trim_logs()
    return code


def child_pass(config_path: str, answer_fd: str, envelope: str, what: str, mode: str) -> int:
    """The inner command `_pass`: one pass, whose claimed runs go back over the socket."""
    handover.unseal(int(envelope))
    config = load(Path(config_path))
    state = State.open(config.path)
    emit = Emit(mode, config.factory.language, journal=Journal(state.root))
    journal = Journal(state.root)
    try:
        with socket.socket(fileno=int(answer_fd)) as answer, state.pass_lock(wait=True):
            for folder in run_pass(config, state, emit, claiming=what == "claim"):
                place = json.dumps(str(folder.path)).encode()
                socket.send_fds(answer, [place], [folder.lock_fd])
    except Problem as problem:
        journal.fails(problem, emit.language)
        raise
    journal.note(emit.problems, emit.language)
    return emit.code


def receive_runs(answer: socket.socket) -> list[RunFolder]:
    """The run folders a child pass claimed, with the locks it held; ends when the child closes."""
    folders: list[RunFolder] = []
    while True:
        message, fds, _, _ = socket.recv_fds(answer, 4096, 1)
        if not message:
            return folders
        folders.append(RunFolder(Path(json.loads(message)), fds[0]))
