"""Where each work item stands: under which label, since when, for whom it waits, and why.

`board` and `explain` put it into words; `Around` is what stands around the items: ticks, the timer,
whether the forge was reached.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

from agentcells import rounds
from agentcells.brakes import spent_today
from agentcells.case import Case, open_case
from agentcells.columns import because
from agentcells.factory_board import factory_value
from agentcells.model import HOLD, IN_REVIEW, NEEDS_HUMAN, WORKING, Pair
from agentcells.plan import LastTick, Plan, Skip, Snapshot
from agentcells.run import RunFact
from agentcells.sentences import say
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.config import Config

UNKNOWN = "?"  # group of the items whose state cannot be told from their labels
COUNTED = 0.005  # dollars; less is rounding
LATER = 75  # the exit code of a tick that weather has ended
STAYS = 3  # such ticks one after the other

FactoryState: TypeAlias = Literal[
    "stopped", "broken", "paused", "spent", "running", "waiting", "held", "going", "idle",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What is known beside the snapshot. Empty: nothing is."""

    last_tick: LastTick | None = None
    tick_at_work: bool = False
    next_tick: datetime | None = None
    timer: bool = False  # a timer of ours was found on this machine
    asked: bool = True  # False: the forge was not asked, on purpose
    unreached: str = ""  # why the forge did not answer; "": it did
    as_of: datetime | None = None  # what is shown was read then, when the forge did not tell it
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One item on the board."""

    repo: str
    number: int
    pull: int | None
    title: str
    url: str
    group: str  # a state, or UNKNOWN
    since: datetime | None  # when it came into this state; None: the forge does not say
    who: str  # who can change it: owner, machine, time, nobody
    why: str  # why it does not move, or what happens to it now
    moving: bool
    held: bool
    rounds: int | None  # used since the owner's last word; None: no cell's turn
    limit: int | None
    runs: int
    usd: float


# ---------------------------------------------------------------- the items


def standings_of(config: Config, snapshot: Snapshot, plan: Plan) -> list[Standing]:
    """All items that carry a label of ours, were left alone for a reason, or rest after a `/hold`."""
    skips = {skip.pair_key: skip for skip in plan.skips}
    cases = [open_case(config, snapshot, pair, snapshot.brake) for pair in snapshot.pairs]
    found = [
        _standing(case, plan, skips.get(case.pair.key)) for case in cases
        if case.pair.key in skips or case.state.labelled or case.held_by_word
    ]
    return sorted(found, key=lambda one: (one.repo, one.number))


def _standing(case: Case, plan: Plan, skip: Skip | None) -> Standing:
    pair = case.pair
    group = case.state.only or (HOLD if case.held_by_word else UNKNOWN)
    cell = case.config.cell(group)
    who, why = _waits(case, plan, group, skip)
    return Standing(
        repo=pair.repo, number=pair.number,
        pull=pair.pull.number if pair.issue and pair.pull else None,
        title=pair.anchor.title, url=_url(case), group=group, since=since_of(case),
        who=who, why=why,
        moving=moves(plan, pair) or running(case) is not None, held=case.state.hold or case.held_by_word,
        rounds=None if cell is None else rounds.used(case.book, cell.name, case.heard_at),
        limit=None if cell is None else cell.max_rounds,
        runs=rounds.runs(case.book), usd=rounds.dollars(case.book),
    )


def _url(case: Case) -> str:
    """Of the member that the owner would open."""
    pull = case.pair.pull
    return pull.url if pull is not None and case.pull_open else case.pair.anchor.url


def since_of(case: Case) -> datetime | None:
    """When the item came into the state that it is in: its run began, or its label was set."""
    run = running(case)
    if run is not None:
        return run.order.created_at
    set_to = case.newest_set(case.state.only)
    if set_to is not None:
        return set_to.at
    changes = [change.at for change in case.labels if change.state != WORKING]
    return changes[-1] if changes else None


def _waits(case: Case, plan: Plan, group: str, skip: Skip | None) -> tuple[str, str]:
    """Whom an item waits for, and why, in that order of what is known."""
    language = case.config.factory.language
    if (run := running(case)) is not None:
        return "machine", say("view_running", language, cell=run.order.cell, run=run.order.run)
    if moves(plan, case.pair):
        return "machine", say("view_next_tidy" if case.over else "view_next_tick", language)
    if case.held_by_word:
        return "owner", say("view_waits_held", language)
    if skip is not None:
        return skip.who, because(skip.key, skip.slots, language)
    if group in (NEEDS_HUMAN, IN_REVIEW):
        return "owner", say(f"view_waits_{group.replace('-', '_')}", language)
    return "machine", say("view_waits", language)


def moves(plan: Plan, pair: Pair) -> bool:
    """Whether the next tick takes it on. Where it only tells or tidies, the reason to wait stands beside."""
    return any(action.pair_key == pair.key for action in plan.actions) and not any(
        skip.pair_key == pair.key for skip in plan.skips
    )


def running(case: Case) -> RunFact | None:
    return next((run for run in case.runs if run.status == "alive"), None)


def paused(snapshot: Snapshot) -> bool:
    until = snapshot.brake.paused_until
    return until is not None and until > snapshot.now


# ---------------------------------------------------------------- all together


def _failed(tick: LastTick | None) -> bool:
    """Weather passes by itself, and there is nothing to mend, unless it stays."""
    return tick is not None and bool(tick.code) and (tick.code != LATER or tick.failures >= STAYS)


def state_of_factory(
    config: Config, snapshot: Snapshot, plan: Plan, around: Around
) -> FactoryState:
    """The one word for it: what the owner should know first."""
    standings = standings_of(config, snapshot, plan)
    tick = around.last_tick
    if snapshot.brake.stopped:
        return "stopped"
    if around.unreached or (_failed(tick) and not around.tick_at_work):
        return "broken"
    if paused(snapshot):
        return "paused"
    if spent_today(config, snapshot.brake, snapshot.now) >= config.limits.usd_per_day:
        return "spent"
    if any(run.status == "alive" for run in snapshot.runs):
        return "running"
    if plan.actions:
        return "going"
    if not standings:
        return "idle"
    return "held" if all(one.held for one in standings) else "waiting"


def lost_dollars(config: Config, snapshot: Snapshot) -> float:
    """What the books say of today where the brake file says less: it was lost (R32)."""
    day = spent_today(config, snapshot.brake, snapshot.now)
    begin = _day_begins(config, snapshot.now)
    books = sum(
        row.usd
        for pair in snapshot.pairs
        for row in open_case(config, snapshot, pair, snapshot.brake).book.rows
        if row.machine == snapshot.machine and row.end is not None and row.end >= begin
    )
    return books if books > day + COUNTED else 0.0


def _day_begins(config: Config, now: datetime) -> datetime:
    local = now.astimezone(ZoneInfo(config.factory.timezone))
    return local.replace(hour=0, minute=0, second=0, microsecond=0)


# ---------------------------------------------------------------- for a program


def status_value(
    config: Config, snapshot: Snapshot, plan: Plan, around: Around | None = None
) -> dict[str, Any]:
    """The board for a program."""
    around = around or Around()
    brake = snapshot.brake
    standings = standings_of(config, snapshot, plan)
    waits = Counter(one.who for one in standings if not one.moving)
    return {
        "now": snapshot.now.isoformat(),
        "state": state_of_factory(config, snapshot, plan, around),
        "stopped": brake.stopped,
        "paused_until": _iso(brake.paused_until),
        "pause_reason": brake.pause_reason,
        "usd_today": round(spent_today(config, brake, snapshot.now), 4),
        "usd_today_in_books": round(lost_dollars(config, snapshot), 4) or None,
        "usd_per_day": config.limits.usd_per_day,
        "parallel": config.factory.parallel,
        "last_tick": _tick_value(around.last_tick),
        "tick_at_work": around.tick_at_work,
        "next_tick": _iso(around.next_tick),
        "forge_asked": around.asked,
        "forge_unreached": around.unreached or None,
        "as_of": _iso(around.as_of),
        "waiting_for": dict(sorted(waits.items())),
        "items": [_item_value(one, snapshot.now) for one in standings],
        "runs": [_run_value(run, snapshot.now) for run in snapshot.runs],
        "factory_cells": factory_value(config, snapshot),
        "unreadable": [
            {"repo": item.repo, "number": item.number, "title": item.title, "why": item.detail}
            for item in snapshot.unreadable
        ],
        "notes": [printable(note, one_line=True) for note in (*snapshot.notes, *around.notes)],
    }


def _item_value(one: Standing, now: datetime) -> dict[str, Any]:
    return {
        "repo": one.repo, "number": one.number, "pull": one.pull, "title": one.title,
        "url": one.url, "state": one.group, "held": one.held, "moving": one.moving,
        "since": _iso(one.since),
        "waited_s": None if one.since is None else int((now - one.since).total_seconds()),
        "who": one.who, "why": one.why, "rounds": one.rounds, "max_rounds": one.limit,
        "runs": one.runs, "usd": round(one.usd, 4),
    }


def _run_value(run: RunFact, now: datetime) -> dict[str, Any]:
    order = run.order
    return {
        "run": order.run, "item": order.pair_key, "cell": order.cell, "status": run.status,
        "seconds": int((now - order.created_at).total_seconds()),
        "refused_pushes": run.refused_pushes,
    }


def _tick_value(tick: LastTick | None) -> dict[str, Any] | None:
    if tick is None:
        return None
    return {
        "started_at": tick.started_at.isoformat(), "ended_at": _iso(tick.ended_at),
        "code": tick.code, "why": tick.text, "failures": tick.failures,
    }


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


__all__ = [
    "UNKNOWN", "Around", "FactoryState", "Standing", "lost_dollars", "moves", "paused",
    "running", "since_of", "standings_of", "state_of_factory", "status_value",
]
