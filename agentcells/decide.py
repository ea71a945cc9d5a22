"""From all that is known to all that is to be done: pure, so a dry run is the truth (R15, R16)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from agentcells.brakes import brake_after
from agentcells.case import Case, Judged, open_case
from agentcells.choose import choose, eligible
from agentcells.factory_cells import begin, tend
from agentcells.model import Pair, parse_branch
from agentcells.pairs import PairState, pair_up, state_of
from agentcells.plan import Action, Plan, SetState, Skip, Snapshot
from agentcells.publish import elsewhere, orphaned, running
from agentcells.repair import held, interrupted, mislabelled, stopped, superseded
from agentcells.replies import commanded, waiting
from agentcells.splitting import consented

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

__all__ = ["PairState", "decide", "pair_up", "state_of"]

# The first that has something to say about a pair decides; the next pass sees what came of it.
STEPS: tuple[Callable[[Case], Judged | None], ...] = (
    elsewhere,  # R17: another machine is at it
    stopped,  # R11: closed or merged
    superseded,  # R9: another attempt has followed it
    interrupted,  # R15: a move of ours that was cut off
    commanded,  # R7: /hold, /stop, /resume
    running,  # R18, R26, R33, R39: a run folder of this machine
    orphaned,  # R17: a row in the book without an end
    mislabelled,  # R1 to R4
    held,  # R7: a label `hold`
    consented,  # the owner's `ok` to the issues that a run proposed
    waiting,  # R6, R12: the owner's turn
)


def decide(config: Config, snapshot: Snapshot) -> Plan:
    """The whole plan: results first, then repairs and moves, then claims for the free slots."""
    actions: list[Action] = []
    skips = _unread(snapshot)
    cases: list[Case] = []
    asking: list[tuple[Case, Cell]] = []
    coming: list[tuple[Case, Cell]] = []
    brake = snapshot.brake
    for pair in snapshot.pairs:
        if _is_unread(snapshot, pair):
            continue
        case = open_case(config, snapshot, pair, brake)
        cases.append(case)
        judged = judge(case)
        actions += judged.actions
        brake = brake_after(case, judged.actions)
        if judged.skip is not None:
            skips.append(judged.skip)
        if judged.ask is not None:
            asking.append((case, judged.ask))
        coming += [(case, cell) for cell in _sent_to(config, judged)]
    tended, brake = tend(config, snapshot, brake)  # R50
    # A result of this very pass may have put the brake on: it holds for the claims after it.
    notes, looking = begin(config, snapshot, brake)
    willing = [(replace(case, brake=brake), cell) for case, cell in asking]
    claims, left = choose(config, snapshot, willing, cases, len(looking), coming)
    return Plan(
        actions=(*actions, *tended, *notes, *looking, *claims), skips=(*skips, *left)
    )


def _sent_to(config: Config, judged: Judged) -> list[Cell]:
    """The cell that a pair waits for once its actions are done."""
    labels = [
        action.label for action in judged.actions
        if isinstance(action, SetState) and not action.working and not action.hold
    ]
    return [cell for label in labels[-1:] if (cell := config.cell(label)) is not None]


def judge(case: Case) -> Judged:
    """What is to be done about one pair now."""
    for step in STEPS:
        judged = step(case)
        if judged is not None:
            return judged
    return eligible(case)  # R10, R24, R30 to R34


def _unread(snapshot: Snapshot) -> list[Skip]:
    """What could not be read is left alone and says so; so is a run without its pair (R21, R22)."""
    skips = [
        Skip(
            pair_key=f"{item.repo}#{item.number}", number=item.number, title=item.title, state="",
            key=item.key, slots=(("detail", item.detail),), who="time",
        )
        for item in snapshot.unreadable
    ]
    known = {pair.key for pair in snapshot.pairs} | {skip.pair_key for skip in skips}
    skips += [
        Skip(
            pair_key=run.order.pair_key, number=run.order.issue or run.order.pull or 0,
            title=run.order.title, state=run.order.came_from, key="skip_run_waits",
            slots=(("run", run.order.run),), who="time",
        )
        for run in snapshot.runs if run.order.pair_key not in known and not run.order.of_factory
    ]
    return skips


def _is_unread(snapshot: Snapshot, pair: Pair) -> bool:
    """A pair of which either member could not be read whole is left alone (R21)."""
    missing = {(item.repo, item.number) for item in snapshot.unreadable}
    numbers = {item.number for item in (pair.issue, pair.pull) if item is not None}
    pull = pair.pull
    if pull is not None and pull.pull is not None:
        branch = parse_branch(pull.pull.head_ref)
        numbers |= {branch[0]} if branch is not None else set()
    return any((pair.repo, number) in missing for number in numbers)
