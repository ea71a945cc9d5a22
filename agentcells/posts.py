"""What stands in our own posts: markers, and the ledger of a pair."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

MarkerKind: TypeAlias = Literal["decision", "notice", "ledger", "records", "filed", "answer"]



@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """The first line of every post of ours, in a hidden comment.

    `decision`: a run's result, and the announcement of the label it sets (R14, R24, R25).
    Its `cause` is "" for a round that ended as it should, "answer", or the failure's kind.
    `answer`: of a run, in the review thread that `cause` names.
    `notice`: said once, for the cause in `cause`. `records`: a post of the work record server (R29).
    """

    kind: MarkerKind
    run: str = ""
    cell: str = ""
    came_from: str = ""  # state label name before, without prefix
    to: str = ""  # state label name announced, without prefix; "" announces none
    seen: tuple[str, ...] = ()  # newest comment, review and thread ids the run had read
    text_hash: str = ""  # of title and body as approved
    head: str = ""  # the head commit this decision speaks of
    cause: str = ""
    mac: str = ""



@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One run of one cell in the book of a pair (R30). `end` None: it runs, or died."""

    run: str
    machine: str
    cell: str
    start: datetime
    timeout_s: int
    end: datetime | None = None
    outcome: str = ""  # an OutcomeKind, or "" while it runs
    next: str = ""
    tokens: int = 0
    usd: float = 0.0
    counts: bool = True  # False: weather and answers are no round (R7, R32)
    model: str = ""  # as cells.toml named it then; "": the agent's own choice



@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A label change of ours made without a decision comment, announced here first (R24)."""

    at: datetime
    came_from: str
    to: str
    why: str
    because: str = ""  # id of the comment that caused it



@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The book of a pair: one comment of ours, edited in place."""

    rows: tuple[LedgerRow, ...] = ()
    moves: tuple[Move, ...] = ()
    text_hash: str = ""  # title and body as approved at the newest owner's label event
    approved_at: datetime | None = None
    older_runs: int = 0  # runs no longer listed, summed up: the comment has a largest size
    older_usd: float = 0.0
    older_tokens: int = 0

