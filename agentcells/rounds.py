"""The book of a pair: its rows and moves, and what they count up to (R30, R31, R33, R34)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import get_args

from agentcells.model import ANSWER, Comment
from agentcells.posts import Ledger, LedgerRow, Marker, Move
from agentcells.run import WEATHER, Order, Outcome, OutcomeKind

WITHDRAWN = "withdrawn"  # a claim that was taken back before anything started: no run
IN_A_ROW = 3  # failures, then the owner is asked (R33)
GRACE = timedelta(minutes=15)  # after the time-out of another machine's run (R17)

OUTCOMES: tuple[str, ...] = get_args(OutcomeKind)

# Why a label was moved without a run: what stands in Move.why, and the sentence `move_…` of it.
REPLY, EDIT, CHECKS, HELD, RESUMED, CONFLICT, SPLIT = (
    "move_reply", "move_edit", "move_checks", "move_held", "move_resumed", "move_conflict",
    "move_split",
)


def claimed(
    ledger: Ledger, order: Order, machine: str, now: datetime, timeout_s: int, model: str = ""
) -> Ledger:
    """The book with the row of a run that begins now, and the text it was given (R25)."""
    row = LedgerRow(
        run=order.run, machine=machine, cell=order.cell, start=now, timeout_s=timeout_s,
        model=model,
    )
    others = tuple(old for old in ledger.rows if old.run != order.run)
    return replace(ledger, rows=(*others, row), text_hash=order.text_hash, approved_at=now)


def ended(
    ledger: Ledger, run: str, outcome: Outcome, at: datetime, to: str, *, kind: str = ""
) -> Ledger:
    """The book with the end of a run. Weather and answers are no round (R7, R32)."""
    name = kind or outcome.kind
    answered = name == "done" and outcome.next == ANSWER
    return replace(ledger, rows=tuple(
        replace(
            row, end=at, outcome=name, next=to, tokens=outcome.tokens, usd=round(outcome.usd, 6),
            counts=name not in WEATHER and name != WITHDRAWN and not answered,
        )
        if row.run == run and row.end is None else row
        for row in ledger.rows
    ))


def died(ledger: Ledger, runs: Iterable[str], at: datetime) -> Ledger:
    """The book with the end of runs that left no word: each a failure (R33)."""
    for run in runs:
        ledger = ended(ledger, run, Outcome(kind="crash"), at, "")
    return ledger


def moved(
    ledger: Ledger, now: datetime, came_from: str, to: str, why: str, because: str = ""
) -> Ledger:
    """The book with a label change of ours, written before the change is made (R24)."""
    move = Move(at=now, came_from=came_from, to=to, why=why, because=because)
    return replace(ledger, moves=(*ledger.moves, move))


def rebuilt(posts: Iterable[tuple[Comment, Marker]]) -> Ledger:
    """A new book for a lost one, with the count of our markers as its past (R30)."""
    rows = []
    for comment, marker in posts:
        if marker.kind == "decision":
            rows.append(LedgerRow(
                run=marker.run, machine="", cell=marker.cell, start=comment.created_at, timeout_s=0,
                end=comment.created_at, next=marker.to, counts=marker.cause != ANSWER,
                outcome=marker.cause if marker.cause in OUTCOMES else "done",
            ))
    return Ledger(rows=tuple(rows))


# ---------------------------------------------------------------- counts


def row_of(ledger: Ledger, run: str) -> LedgerRow | None:
    return next((row for row in ledger.rows if row.run == run), None)


def unended(ledger: Ledger) -> tuple[LedgerRow, ...]:
    return tuple(row for row in ledger.rows if row.end is None)


def overdue(row: LedgerRow, now: datetime) -> bool:
    """A claim of another machine is dead only so long after its time-out (R17)."""
    return now > row.start + timedelta(seconds=row.timeout_s) + GRACE


def used(ledger: Ledger, cell: str, since: datetime | None) -> int:
    """How often this cell ran since the owner's last word (R31)."""
    return sum(1 for row in _since(ledger, since) if row.cell == cell and row.counts)


def failures_in_a_row(ledger: Ledger, since: datetime | None) -> int:
    """Ended runs that failed, back to the last that did not; some are neither (R32, R33)."""
    count = 0
    for row in reversed(list(_since(ledger, since))):
        if row.end is None or row.outcome in WEATHER or row.outcome == WITHDRAWN:
            continue
        if row.outcome == "done":
            break
        count += 1
    return count


def runs(ledger: Ledger) -> int:
    """Of the pair in all its life (R34); a claim that was never started is none."""
    return ledger.older_runs + sum(row.outcome != WITHDRAWN for row in ledger.rows)


def dollars(ledger: Ledger, since: datetime | None = None) -> float:
    """Spent on this pair: in all its life, or since the owner's last word (R31, R34)."""
    older = ledger.older_usd if since is None else 0.0
    return older + sum(row.usd for row in _since(ledger, since))


def newest_move(ledger: Ledger, *whys: str) -> Move | None:
    return next((move for move in reversed(ledger.moves) if move.why in whys), None)


def obeyed(ledger: Ledger, because: str) -> bool:
    """A move was made because of this comment, edit or head already."""
    return any(move.because == because for move in ledger.moves)


def conflict_open(ledger: Ledger) -> bool:
    """The newest run that came to something met a conflict: the next one is to settle it (R44)."""
    met = newest_move(ledger, CONFLICT)
    ended = [row for row in ledger.rows if row.outcome == "done" and row.counts]
    return met is not None and bool(ended) and met.because == ended[-1].run


def reply_behind(ledger: Ledger, cell: str) -> Move | None:
    """The owner's reply that this cell still works on: no run has gone on from it since (R7)."""
    move = newest_move(ledger, REPLY, EDIT)
    if move is None or move.to != cell:
        return None
    gone_on = any(
        row.outcome == "done" and row.next != cell for row in _since(ledger, move.at)
    )
    return None if gone_on else move


def _since(ledger: Ledger, since: datetime | None) -> Iterator[LedgerRow]:
    """Of the same second, as most forges tell time: it came after it, a brake holds in doubt."""
    return (row for row in ledger.rows if since is None or row.start >= since)
