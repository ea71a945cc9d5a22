"""The figures of `agentcells report`, counted from the forge's own timeline and our books.

Nothing is stored for them: the same items give the same figures. Times are cut to the span that is
asked for; a run belongs to it when it started in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

from agentcells.case import WAITING, Case, open_case
from agentcells.labelling import Labelling
from agentcells.model import ANSWER, HOLD, NEEDS_HUMAN, WORKING
from agentcells.plan import Snapshot
from agentcells.posts import LedgerRow
from agentcells.rounds import WITHDRAWN
from agentcells.run import WEATHER

if TYPE_CHECKING:
    from agentcells.config import Config

Kind: TypeAlias = Literal["human", "waiting", "running"]
FIGURES = ("throughput", "time", "rounds", "stops", "cost", "success")
DEAREST = 10  # items that are named
ASKED = "asked"  # a stop that is a question of the model's own

Span: TypeAlias = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """One stay of a pair in one state."""

    state: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One pair as the figures see it."""

    case: Case
    stays: tuple[Stay, ...]
    holds: tuple[Span, ...]
    rows: tuple[LedgerRow, ...]  # that started in the span
    started: datetime | None
    finished: datetime | None  # merged
    stopped: datetime | None  # closed without a merge


@dataclass(slots=True)
class _Sums:
    """Of one cell or model."""

    runs: int = 0
    usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    items: set[str] = field(default_factory=set)


def figures(config: Config, snapshot: Snapshot, since: datetime | None = None) -> dict[str, Any]:
    """All figures as plain values. `since` None: from the beginning."""
    stories = stories_of(config, snapshot, since)
    begin = since or min((one.started for one in stories if one.started), default=snapshot.now)
    return {
        "from": begin.isoformat(),
        "until": snapshot.now.isoformat(),
        "repos": sorted({one.case.pair.repo for one in stories}),
        "items": len(stories),
        "throughput": _throughput(config, stories, begin, snapshot.now),
        "time": _time(config, stories),
        "rounds": _rounds(config, stories),
        "stops": _stops(stories, begin),
        "cost": _cost(config, stories, since, snapshot),
        "success": _success(config, stories),
    }


# ---------------------------------------------------------------- one pair


def stories_of(config: Config, snapshot: Snapshot, since: datetime | None) -> list[Story]:
    """What was in the line between `since` and the snapshot's `now`, which may lie in the past."""
    return [
        story for pair in snapshot.pairs
        if (story := _story(open_case(config, snapshot, pair, snapshot.brake), since)) is not None
    ]


def _story(case: Case, since: datetime | None) -> Story | None:
    """None: it never was in the line, or not in this span."""
    changes = [one for one in case.labels if one.state not in (WORKING, HOLD)]
    added = [one for one in changes if one.added]
    if not added and not case.book.rows:
        return None
    finished, stopped = _ended(case)
    now = case.snapshot.now
    end = min(filter(None, (finished, stopped, now)))
    begin = since or datetime.min.replace(tzinfo=now.tzinfo)
    if end < begin:
        return None
    stays = _stays(changes, end)
    holds = _holds([one for one in case.labels if one.state == HOLD], end)
    return Story(
        case=case, started=min((one.at for one in added), default=None),
        finished=finished, stopped=stopped,
        stays=tuple(
            Stay(state=one.state, span=span) for one in stays
            if (span := _cut(one.span, begin, end)) is not None
        ),
        holds=tuple(span for one in holds if (span := _cut(one, begin, end)) is not None),
        rows=tuple(row for row in case.book.rows if begin <= row.start <= now and row.outcome != WITHDRAWN),
    )


def _ended(case: Case) -> tuple[datetime | None, datetime | None]:
    """(merged, closed without a merge)"""
    pull, issue = case.pair.pull, case.pair.issue
    merged = pull.pull.merged_at if pull is not None and pull.pull is not None else None
    closed = issue.closed_at if issue is not None else pull.closed_at if pull is not None else None
    return merged, None if merged is not None else closed


def _stays(changes: list[Labelling], end: datetime) -> Iterator[Stay]:
    """The state that was set last counts, until it is taken off or another one is set."""
    state, since = "", None
    for change in changes:
        if change.added:
            if since is not None:
                yield Stay(state=state, span=(since, change.at))
            state, since = change.state, change.at
        elif change.state == state and since is not None:
            yield Stay(state=state, span=(since, change.at))
            since = None
    if since is not None:
        yield Stay(state=state, span=(since, end))


def _holds(changes: list[Labelling], end: datetime) -> list[Span]:
    spans, since = [], None
    for change in changes:
        if change.added:
            since = since or change.at
        elif since is not None:
            spans.append((since, change.at))
            since = None
    return spans + ([(since, end)] if since is not None else [])


def _cut(span: Span, begin: datetime, end: datetime) -> Span | None:
    """What of it lies between; labels are tidied a while after the end."""
    first, last = max(span[0], begin), min(span[1], end)
    return (first, last) if last > first else None


# ---------------------------------------------------------------- throughput


def _throughput(
    config: Config, stories: list[Story], begin: datetime, now: datetime
) -> dict[str, Any]:
    """Items by week: how many came in, were merged, were closed without a merge."""
    zone = ZoneInfo(config.factory.timezone)
    weeks: dict[str, Counter[str]] = {}
    monday = _monday(begin, zone)
    while monday <= now.astimezone(zone):
        weeks[_week(monday, zone)] = Counter()
        monday += timedelta(days=7)
    for story in stories:
        for what in ("started", "finished", "stopped"):
            at: datetime | None = getattr(story, what)
            if at is not None and at >= begin:
                weeks.setdefault(_week(at, zone), Counter())[what] += 1
    took = [
        (story.finished - story.started).total_seconds()
        for story in stories if story.finished and story.started and story.finished >= begin
    ]
    total = sum(weeks.values(), Counter())
    return {
        **{what: total[what] for what in ("started", "finished", "stopped")},
        "open": sum(story.finished is None and story.stopped is None for story in stories),
        "median_s": round(median(took)) if took else None,
        "weeks": [
            {"week": week, **{what: counts[what] for what in ("started", "finished", "stopped")}}
            for week, counts in sorted(weeks.items())
        ],
    }


def _monday(at: datetime, zone: ZoneInfo) -> datetime:
    local = at.astimezone(zone)
    day = local - timedelta(days=local.weekday())
    return day.replace(hour=0, minute=0, second=0, microsecond=0)


def _week(at: datetime, zone: ZoneInfo) -> str:
    year, week, _ = at.astimezone(zone).isocalendar()
    return f"{year}-W{week:02d}"


# ---------------------------------------------------------------- time


def _time(config: Config, stories: list[Story]) -> dict[str, Any]:
    """Where the hours went: waiting for the owner, waiting for the machine, at work."""
    by_state: dict[str, dict[Kind, float]] = defaultdict(lambda: defaultdict(float))
    lengths: dict[str, list[float]] = defaultdict(list)
    for story in stories:
        for stay in story.stays:
            parts = parts_of(story, stay)
            for kind, seconds in parts.items():
                by_state[stay.state][kind] += seconds
            lengths[stay.state].append(sum(parts.values()))
    kinds: tuple[Kind, ...] = ("human", "waiting", "running")
    return {
        **{
            f"{kind}_s": round(sum(parts.get(kind, 0.0) for parts in by_state.values()))
            for kind in kinds
        },
        "states": [
            {
                "state": state, "stays": len(lengths[state]),
                "median_s": round(median(lengths[state])),
                **{f"{kind}_s": round(by_state[state].get(kind, 0.0)) for kind in kinds},
            }
            for state in _in_order(config, by_state)
        ],
    }


def parts_of(story: Story, stay: Stay) -> dict[Kind, float]:
    """A stay in a cell is at work while a run of it is, and the owner's while it is on hold."""
    whole = _seconds(stay.span)
    if story.case.config.cell(stay.state) is None:
        return {"human": whole}
    runs = [
        (row.start, row.end or stay.span[1]) for row in story.case.book.rows
        if row.cell == stay.state
    ]
    at_work = min(whole, sum(_overlap(stay.span, run) for run in runs))
    held = min(whole - at_work, sum(_overlap(stay.span, hold) for hold in story.holds))
    return {"running": at_work, "human": held, "waiting": whole - at_work - held}


def _overlap(one: Span, other: Span) -> float:
    return max(0.0, _seconds((max(one[0], other[0]), min(one[1], other[1]))))


def _seconds(span: Span) -> float:
    return (span[1] - span[0]).total_seconds()


def _in_order(config: Config, found: Iterable[str]) -> list[str]:
    """The cells as in the flow, then what is the owner's, then what is no cell any more."""
    known = [cell.name for cell in config.cells] + list(reversed(WAITING))
    return [name for name in known if name in found] + sorted(set(found) - set(known))


# ---------------------------------------------------------------- rounds and stops


def _rounds(config: Config, stories: list[Story]) -> dict[str, Any]:
    """How often a cell ran for one item."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for story in stories:
        for row in story.rows:
            counts[row.cell][story.case.pair.key] += 1
    return {
        "runs": sum(count for found in counts.values() for count in found.values()),
        "cells": [
            {
                "cell": cell, "items": len(counts[cell]), "runs": sum(counts[cell].values()),
                "mean": round(sum(counts[cell].values()) / len(counts[cell]), 2),
                "most": max(counts[cell].values()),
            }
            for cell in _in_order(config, counts)
        ],
    }


def _stops(stories: list[Story], begin: datetime) -> dict[str, Any]:
    """How often an item came to the owner with a question or a failure, from where and why."""
    found: Counter[tuple[str, str]] = Counter()
    for story in stories:
        for comment, marker in story.case.posts:
            again = marker.cause == ANSWER or marker.came_from == NEEDS_HUMAN
            if marker.to == NEEDS_HUMAN and not again and comment.created_at >= begin:
                cause = marker.cause.partition(":")[0] or ASKED
                found[marker.cell or marker.came_from or "-", cause] += 1
    now = Counter(state for story in stories for state in story.case.state.states)
    return {
        "stops": found.total(),
        "reasons": [
            {"cell": cell, "reason": reason, "count": count}
            for (cell, reason), count in sorted(found.items(), key=lambda one: (-one[1], one[0]))
        ],
        "now": [{"state": state, "items": count} for state, count in sorted(now.items())],
    }


# ---------------------------------------------------------------- cost and success


def _sums(
    stories: list[Story], key: str, others: Iterable[LedgerRow] = ()
) -> dict[str, _Sums]:
    """`others`: runs on no item (R50)."""
    sums: dict[str, _Sums] = defaultdict(_Sums)
    rows = [(story.case.pair.key, row) for story in stories for row in story.rows]
    for item, row in (*rows, *(("", row) for row in others)):
        one = sums[getattr(row, key)]
        one.runs += 1
        one.usd += row.usd
        one.tokens += row.tokens
        one.seconds += _seconds((row.start, row.end)) if row.end is not None else 0.0
        one.outcomes[_judged(row)] += 1
        one.items |= {item} - {""}
    return sums


def _on_the_factory(snapshot: Snapshot, since: datetime | None) -> tuple[LedgerRow, ...]:
    return tuple(
        row for _, book in snapshot.books for row in book.ledger.rows
        if (since is None or row.start >= since) and row.outcome != WITHDRAWN
    )


def _judged(row: LedgerRow) -> str:
    if row.end is None:
        return "running"
    if row.outcome in WEATHER:
        return "weather"
    return "done" if row.outcome == "done" else "failed"


def _cost(
    config: Config, stories: list[Story], since: datetime | None, snapshot: Snapshot
) -> dict[str, Any]:
    """Dollars and tokens by cell, by model, by item. Runs too old for the book are sums of it."""
    others = _on_the_factory(snapshot, since)
    cells, models = _sums(stories, "cell", others), _sums(stories, "model", others)
    books = [one.case.book for one in stories] + [book.ledger for _, book in snapshot.books]
    older = books if since is None else []
    older_usd = sum(book.older_usd for book in older)
    items = sorted(
        ((sum(row.usd for row in one.rows), one) for one in stories), key=lambda one: -one[0]
    )
    return {
        "usd": round(sum(one.usd for one in cells.values()) + older_usd, 4),
        "tokens": sum(one.tokens for one in cells.values())
        + sum(book.older_tokens for book in older),
        "older_usd": round(older_usd, 4),
        "cells": [_cost_value("cell", name, cells[name]) for name in _in_order(config, cells)],
        "models": [_cost_value("model", name, models[name]) for name in sorted(models)],
        "items": [
            {"item": one.case.pair.key, "title": one.case.pair.anchor.title, "usd": round(usd, 4),
             "runs": len(one.rows)}
            for usd, one in items[:DEAREST] if usd
        ],
    }


def _cost_value(kind: str, name: str, sums: _Sums) -> dict[str, Any]:
    return {
        kind: name, "runs": sums.runs, "usd": round(sums.usd, 4), "tokens": sums.tokens,
        "usd_per_run": round(sums.usd / sums.runs, 4), "usd_per_item": round(
            sums.usd / len(sums.items), 4) if sums.items else None,
    }


def _success(config: Config, stories: list[Story]) -> dict[str, Any]:
    """Of the runs that ended by themselves, how many gave a usable answer. Weather is neither."""
    cells = _sums(stories, "cell")
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for story in stories:
        for row in story.rows:
            if _judged(row) == "failed":
                outcomes[row.cell][row.outcome] += 1
    total = sum((one.outcomes for one in cells.values()), Counter[str]())
    return {
        "rate": _rate(total),
        "cells": [
            {
                "cell": name, "rate": _rate(cells[name].outcomes),
                **{what: cells[name].outcomes[what]
                   for what in ("done", "failed", "weather", "running")},
                "failures": dict(sorted(outcomes[name].items())),
                "mean_s": round(cells[name].seconds / cells[name].runs),
            }
            for name in _in_order(config, cells)
        ],
    }


def _rate(outcomes: Counter[str]) -> float | None:
    judged = outcomes["done"] + outcomes["failed"]
    return round(outcomes["done"] / judged, 4) if judged else None


__all__ = ["ASKED", "FIGURES", "Story", "figures", "parts_of", "stories_of"]
