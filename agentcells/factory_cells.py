"""Cells on "factory" (R50): when one is due, what its run comes to, what it filed and what is over.

Such a cell has no pair and no label: its book is in the state folder. It files issues, each once for
its cause, and the CLI closes what it filed when the cause is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from agentcells import rounds
from agentcells.brakes import spend_of, spent_today
from agentcells.comments import filed_post, over_post
from agentcells.model import FILE, OVER
from agentcells.plan import (
    Action,
    Brake,
    Claim,
    CloseFiled,
    CloseRun,
    FactoryBook,
    Filed,
    FileIssue,
    Gauge,
    KeepBook,
    SetBrake,
    Sight,
    Snapshot,
)
from agentcells.posts import Ledger
from agentcells.run import WEATHER, Outcome, Proof, RunEnd, RunFact

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

REFUSALS = 3  # of one filing, over all passes; then it is given up (R33)
ROWS = 100  # of the book; older runs are sums of it
CAUSE = 80  # characters

TITLE, BODY, CAUSE_FIELD = FIELDS = ("title", "body", "cause")


def factory_cells(config: Config) -> tuple[Cell, ...]:
    return tuple(cell for cell in config.cells if cell.on == "factory")


def home(config: Config) -> str:
    """Where their files come from and their issues go: the first repository."""
    return config.forge.repos[0] if config.forge.repos else ""


def key_of(config: Config, cell: str) -> str:
    """In the place of a pair's key."""
    return f"{home(config)}:{cell}"


# ---------------------------------------------------------------- when


def due_at(cell: Cell, book: FactoryBook) -> datetime | None:
    """None: now."""
    return None if book.looked_at is None else book.looked_at + timedelta(seconds=cell.every or 0)


def may_look(config: Config, snapshot: Snapshot) -> tuple[Cell, ...]:
    """The cells that are due and could run now: for them the line is read."""
    alive = sum(run.status == "alive" for run in snapshot.runs)
    most = 1 if config.sandbox.containment == "none" else config.factory.parallel
    if alive >= most or why_not(config, snapshot, snapshot.brake):
        return ()
    busy = {run.order.cell for run in snapshot.runs if run.order.of_factory}
    return tuple(
        cell for cell in factory_cells(config)
        if cell.name not in busy and _is_due(cell, snapshot)
    )


def _is_due(cell: Cell, snapshot: Snapshot) -> bool:
    at = due_at(cell, snapshot.book(cell.name))
    return at is None or at <= snapshot.now


def why_not(config: Config, snapshot: Snapshot, brake: Brake) -> str:
    """The key of what stands in the way of any run now, "": nothing."""
    if brake.stopped:
        return "skip_stopped"
    if brake.paused_until is not None and brake.paused_until > snapshot.now:
        return "skip_paused"
    if spent_today(config, brake, snapshot.now) >= config.limits.usd_per_day:
        return "skip_day_spent"
    return "" if snapshot.claiming else "skip_not_claiming"


# ---------------------------------------------------------------- what is to be done


def tend(config: Config, snapshot: Snapshot, brake: Brake) -> tuple[list[Action], Brake]:
    """Results of runs, causes that are over; and the brake as it is after them."""
    actions: list[Action] = []
    for run in snapshot.runs:
        if run.order.of_factory and run.status != "alive":
            made = list(_settled(config, snapshot, brake, run))
            brakes = [one.brake for one in made if isinstance(one, SetBrake)]
            brake = brakes[-1] if brakes else brake
            actions += made
    for sight in snapshot.sights:
        actions += _over(config, snapshot, sight)
    return [*actions, *_lost(config, snapshot)], brake


def _lost(config: Config, snapshot: Snapshot) -> Iterator[KeepBook]:
    """Rows without an end that no run folder stands behind: somebody took it away."""
    there = {run.order.run for run in snapshot.runs}
    for cell, book in snapshot.books:
        lost = [row.run for row in rounds.unended(book.ledger) if row.run not in there]
        if lost:
            ledger = rounds.died(book.ledger, lost, snapshot.now)
            yield KeepBook(
                pair_key=key_of(config, cell), cell=cell, book=replace(book, ledger=ledger)
            )


def begin(config: Config, snapshot: Snapshot, brake: Brake) -> tuple[list[Action], list[Claim]]:
    """What is due: a run where there is something new to look into, else only that it was due."""
    notes: list[Action] = []
    claims: list[Claim] = []
    for sight in snapshot.sights:
        cell = config.cell(sight.cell)
        if cell is None or why_not(config, snapshot, brake):
            continue
        key = key_of(config, cell.name)
        if cell.unusual and not new_causes(snapshot, sight):
            book = replace(with_found(snapshot.book(cell.name), sight), looked_at=snapshot.now)
            notes.append(KeepBook(pair_key=key, cell=cell.name, book=book))
        else:
            claims.append(Claim(
                pair_key=key, repo=sight.repo, issue=None, pull=None, cell=cell.name,
                came_from=cell.name, reply=False, resume_from="", why="why_due",
            ))
    alive = sum(run.status == "alive" for run in snapshot.runs)
    most = 1 if config.sandbox.containment == "none" else config.factory.parallel
    return notes, claims[: max(0, most - alive)]


def with_found(book: FactoryBook, sight: Sight) -> FactoryBook:
    """With what was found on the forge when the book was lost."""
    known = {(one.cause, one.number) for one in book.filed}
    more = tuple(one for one in sight.found if (one.cause, one.number) not in known)
    return replace(book, filed=(*book.filed, *more))


def open_causes(book: FactoryBook) -> tuple[Filed, ...]:
    """What is filed and not over: not filed again."""
    return tuple(one for one in book.filed if not one.over)


def new_causes(snapshot: Snapshot, sight: Sight) -> tuple[Gauge, ...]:
    """Figures out of their usual range that no issue speaks of."""
    filed = {one.cause for one in open_causes(with_found(snapshot.book(sight.cell), sight))}
    return tuple(one for one in sight.gauges if one.unusual and one.key not in filed)


def _over(config: Config, snapshot: Snapshot, sight: Sight) -> Iterator[CloseFiled]:
    """Causes whose figure is back at what was its limit when the issue was filed.

    That limit, because a figure that stands high for weeks makes itself usual.
    """
    cell = config.cell(sight.cell)
    if cell is None or not cell.unusual or not sight.gauges:
        return
    now = {one.key: one for one in sight.gauges}
    for filed in open_causes(with_found(snapshot.book(cell.name), sight)):
        gauge = now.get(filed.cause)
        if gauge is None or gauge.value <= (filed.limit or gauge.limit):
            yield closing(config, cell.name, filed, gauge)


def closing(config: Config, cell: str, filed: Filed, gauge: Gauge | None) -> CloseFiled:
    marker, body = over_post(config, filed, gauge)
    return CloseFiled(
        pair_key=key_of(config, cell), repo=filed.repo, number=filed.number, cell=cell,
        cause=filed.cause, marker=marker, body=body,
    )


# ---------------------------------------------------------------- a run that is over


def _settled(
    config: Config, snapshot: Snapshot, brake: Brake, run: RunFact
) -> Iterator[Action]:
    """File or close what the run asks for, count it, put its folder away (R18, R39)."""
    order, end = run.order, run.end
    proof = end.proof if end is not None else None
    if end is None or proof is None or run.status == "dead":
        at = end.ended_at if end is not None else snapshot.now
        outcome = end.outcome if end is not None else Outcome(kind="crash")
        kind = "crash" if end is None else "containment"
    else:
        at, outcome, kind = end.ended_at, end.outcome, _kind(run, end)
        if not kind:
            yield from _wish(config, snapshot, run, outcome, proof)
    yield from spend_of(config, snapshot, brake, key_of(config, order.cell), run)
    to = outcome.next if not kind else ""
    before = snapshot.book(order.cell)
    ledger = rounds.ended(before.ledger, order.run, outcome, at, to, kind=kind)
    again = outcome.kind in WEATHER or outcome.kind == rounds.WITHDRAWN
    book = replace(before, ledger=shortened(ledger), looked_at=None if again else before.looked_at)
    key = key_of(config, order.cell)
    yield KeepBook(pair_key=key, cell=order.cell, book=book)
    yield CloseRun(
        pair_key=key, run=order.run, keep=False, unstarted=outcome.kind == rounds.WITHDRAWN
    )


def _kind(run: RunFact, end: RunEnd) -> str:
    """Why nothing is made of it; "": it may be."""
    outcome, order = end.outcome, run.order
    if outcome.kind != "done":
        return outcome.kind
    if run.secrets or run.refused_pushes >= REFUSALS:
        return "refused"
    if outcome.next not in order.nexts:
        return "bad_answer"
    fields = dict(outcome.fields)
    named = {one[0] for one in order.causes}
    cause = fields.get(CAUSE_FIELD, "")
    if outcome.next == FILE and named and cause not in named:
        return "bad_answer"
    wanted = FIELDS if outcome.next == FILE else (CAUSE_FIELD,) if outcome.next == OVER else ()
    return "" if all(fields.get(name, "").strip() for name in wanted) else "bad_answer"


def _wish(
    config: Config, snapshot: Snapshot, run: RunFact, outcome: Outcome, proof: Proof
) -> Iterator[Action]:
    order, cause = run.order, slug(dict(outcome.fields).get(CAUSE_FIELD, ""), run)
    filed = next(
        (one for one in open_causes(snapshot.book(order.cell)) if one.cause == cause), None
    )
    if outcome.next == FILE and filed is None:
        limit, figure = next(
            ((limit, words) for key, limit, words in order.causes if key == cause), (0.0, "")
        )
        marker, title, body = filed_post(config, order, outcome, cause, figure)
        yield FileIssue(
            pair_key=key_of(config, order.cell), repo=order.repo, run=order.run, proof=proof,
            marker=marker, title=title, body=body, limit=limit,
        )
    if outcome.next == OVER and filed is not None:
        yield closing(config, order.cell, filed, None)


def slug(cause: str, run: RunFact) -> str:
    """A cause as a key: as it was given to the run, or the model's own words made one."""
    if run.order.causes:
        return cause
    return re.sub(r"[^\w:./#]+", "-", cause.casefold())[:CAUSE].strip("-")


def shortened(ledger: Ledger) -> Ledger:
    """The oldest ended runs as sums, so that the book does not grow for ever."""
    gone = [row for row in ledger.rows[:-ROWS] if row.end is not None]
    if not gone:
        return ledger
    return replace(
        ledger, rows=tuple(row for row in ledger.rows if row not in gone),
        older_runs=ledger.older_runs + sum(row.outcome != rounds.WITHDRAWN for row in gone),
        older_usd=ledger.older_usd + sum(row.usd for row in gone),
        older_tokens=ledger.older_tokens + sum(row.tokens for row in gone),
    )


__all__ = [
    "FIELDS", "begin", "due_at", "factory_cells", "home", "key_of", "may_look", "new_causes",
    "open_causes", "tend", "why_not", "with_found",
]
