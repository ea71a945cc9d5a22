"""The tick: observe, decide, apply; then one runner for each claimed run. Read this first.

    tick:         pass (lock, observe, decide, apply, unlock); nothing claimed or alive: exit.
                  Else it replaces itself by the coordinator: the memory that held the forge's
                  token is gone.
    coordinator:  holds no token; starts a runner for each claimed run; when a run ends, or `poll`
                  passes, a pass runs as a child process that fetches the token, works and exits.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from agentcells import config_kept, handover, notify, quiet
from agentcells.damaged import set_aside
from agentcells.events import Emit
from agentcells.journal import Journal
from agentcells.model import Problem
from agentcells.plan import CloseFiled, FileIssue, Plan, Snapshot, SplitIssue
from agentcells.store import RunFolder, State, state_folder

if TYPE_CHECKING:
    from agentcells.apply import Apply
    from agentcells.config import Config
    from agentcells.forge import Forge
    from agentcells.observe import Observer

ROUNDS = 6  # of one pass: a reply moves a label, the label lets a run be claimed


def run_pass(
    config: Config, state: State, emit: Emit, *, claiming: bool = True, forge: Forge | None = None,
    seen: list[tuple[Snapshot, Plan]] | None = None, attended: Callable[[], bool] = lambda: True,
) -> tuple[RunFolder, ...]:
    """Observe, decide, apply, until nothing is left to do now.

    Returns the folders of the runs it claimed; this process holds their locks. What was refused or
    failed is told by `emit`, whose `code` it makes; raised is only what came before any claim.
    `seen` gets the last look and its plan. Where nobody is `attended` who would start a run, none is claimed.
    """
    from agentcells.forge.open import open_forge
    from agentcells.lease import Leases
    from agentcells.observe import Observer

    claimed: list[RunFolder] = []
    plan, snapshot = Plan(), None
    forge = forge or open_forge(config)
    leases = Leases.of(config, forge, state)
    rounds, work, observer = ROUNDS, None, None
    try:
        while rounds:
            elsewhere = dict(leases.others) if leases else {}
            may_claim = claiming and attended()
            if observer is None or work is None or snapshot is None or _elsewhere_too(plan, work):
                observer = Observer(config, forge, state, elsewhere=elsewhere)
                snapshot, plan = observe_and_decide(config, observer, claiming=may_claim)
                for problem in observer.failed.values():
                    emit.problem(problem)
            else:
                snapshot = observer.look_again(snapshot, plan, work.pulls.found.values(), claiming=may_claim)
                snapshot, plan = decided(config, observer, snapshot)
            if not plan.actions:
                break
            from agentcells.apply import apply  # an idle tick does without

            work = apply(
                config, forge, state, plan, snapshot, emit, claimed, leases, observer.reader.fresh
            )
            if work.failed:
                break
            if not leases or elsewhere == leases.others:  # else something else is tried in its place
                rounds -= 1
        if leases:
            leases.settle(folder.order() for folder in state.runs() if folder.has_order())
        if snapshot is not None:
            Journal(state.root).keep_look(snapshot)
            notify.tell(config, state, emit, replace(snapshot, brake=state.brake()))
    except Problem as problem:
        if not claimed:
            raise
        emit.problem(problem)  # the runs that were claimed are alive: they must not be lost with it
    emit.skips(plan.skips)
    if seen is not None and snapshot is not None:
        seen.append((replace(snapshot, brake=state.brake()), plan))
    return tuple(claimed)


def observe_and_decide(
    config: Config, observer: Observer, *, claiming: bool
) -> tuple[Snapshot, Plan]:
    """The plan, made twice: what is to be written about is read again, whole and now (R21, R26)."""
    return decided(config, observer, observer.look(claiming=claiming))


def decided(config: Config, observer: Observer, snapshot: Snapshot) -> tuple[Snapshot, Plan]:
    from agentcells.decide import decide

    plan = decide(config, snapshot)
    if plan.actions:
        snapshot = observer.look_closely(snapshot, plan)
        plan = decide(config, snapshot)
    return snapshot, plan


def _elsewhere_too(plan: Plan, work: Apply) -> bool:
    """Whether the world is another one beyond the pairs of the plan, so that it is listed again.

    Issues were filed or closed that belong to no pair here, or another machine has been at work.
    """
    return bool(work.yielded) or any(
        isinstance(action, FileIssue | SplitIssue | CloseFiled) for action in plan.actions
    )


def look(config: Config, state: State) -> tuple[Snapshot, Plan]:
    """The snapshot and the very plan that a pass would apply now (R16). Writes nothing."""
    from agentcells.forge.open import open_forge
    from agentcells.observe import Observer

    observer = Observer(config, open_forge(config), state, writing=False)
    return observe_and_decide(config, observer, claiming=True)


def whole(path: Path, mode: str, validators: Mapping[str, str]) -> int:
    """A tick from cells.toml on."""
    config, state = configured(path)
    emit = Emit(mode, config.factory.language, journal=Journal(state.root))
    return tick(config, state, emit, validators)


def configured(path: Path) -> tuple[Config, State]:
    """What stands in cells.toml, kept from the last reading while nothing has changed; the state folder."""
    config = config_kept.known(path, state_folder(path.expanduser()) / "cache")
    if config is not None:
        return config, State.open(config.path)
    from agentcells.config import load

    config = load(path)
    state = State.open(config.path)
    config_kept.keep(config, state.root / "cache")
    return config, state


def tick(  # noqa: RET503  (exec does not come back)
    config: Config, state: State, emit: Emit, validators: Mapping[str, str] = MappingProxyType({})
) -> int:
    """One tick of the timer. Returns the exit code, or never: it becomes the coordinator.

    `validators`: of what the forge had before this tick looked, for the next one (`quiet`).
    """
    held = state.tick_lock()
    if held is None:
        emit.note("tick_busy")
        return 0
    journal = Journal(state.root)
    quiet.forget(state)
    seen: list[tuple[Snapshot, Plan]] = []
    try:
        claimed = _first_pass(config, state, emit, journal, seen)
    except Problem as problem:
        journal.fails(problem, emit.language)
        ended(config, state, emit, problem.exit_code)
        raise
    if claimed is None:
        emit.note("tick_busy")
        return 0
    alive = [folder for folder in state.runs() if folder.alive()]
    if not alive:
        if any(event["event"] not in ("skip", "note") for event in emit.told):
            tidy(config, state, emit)
        emit.note("tick_stopped" if state.brake().stopped else "tick_idle")
        code = ended(config, state, emit, emit.code)
        if code == 0 and seen:
            quiet.remember(config, state, *seen[-1], emit.told, validators)
        return code
    sys.stdout.flush()
    locks = [f"{folder.run}:{folder.lock_fd}" for folder in claimed]
    kept, given = handover.divide(config, os.environ)
    argv = [str(config.path), str(held), emit.mode, str(handover.seal(given)), *locks]
    os.execve(sys.executable, [*handover.program(), "_coordinate", *argv], kept)


def _first_pass(
    config: Config, state: State, emit: Emit, journal: Journal,
    seen: list[tuple[Snapshot, Plan]] | None = None,
) -> tuple[RunFolder, ...] | None:
    """None: another pass is at work."""
    with state.pass_lock(wait=False) as got:
        if not got:
            return None
        state.sweep()
        journal.tick_begins()
        for problem in set_aside(state):
            emit.problem(problem)
        claimed = run_pass(config, state, emit, seen=seen)
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
    """While nothing runs: pack the repositories where much has piled up, and drop what no setup has used
    for long; else it is one look at a folder."""
    from agentcells.git import Git, GitError
    from agentcells.provision import tidy_cache

    try:
        tidy_cache(state.root / "cache" / "setup", time.time())
    except Problem as problem:
        emit.problem(problem)
    for repo in config.forge.repos:
        try:
            Git(state.repository(repo)).tidy()
        except GitError as problem:
            emit.problem(problem)
