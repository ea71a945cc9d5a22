"""Where items stop, how long and why: figures of the line's last week against the weeks before.

Usual is what the weeks before were, the middle one of them, with an allowance of three times their
common distance from it (the median absolute deviation, scaled as is usual), of half of it, and of a
least step of each kind, whichever is most. Medians, so that one odd week before moves nothing. Four
whole weeks before are needed; a figure that is lower than usual is no bottleneck.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

from agentcells.case import WAITING
from agentcells.figures import ASKED, Story, parts_of, stories_of
from agentcells.model import ANSWER, NEEDS_HUMAN
from agentcells.plan import Gauge, Snapshot
from agentcells.run import WEATHER

if TYPE_CHECKING:
    from agentcells.config import Config

WEEK = timedelta(days=7)
WEEKS = 8  # before the last one
ENOUGH = 4  # whole weeks before, else nothing is usual yet
ALLOWANCE = 3 * 1.4826  # of the median absolute deviation: three standard deviations
STEP = {"wait": 1.0, "stops": 2.0, "failed": 2.0, "rounds": 1.0}  # less than this is no news
EXAMPLES = 5

# Of each figure what every item adds to it. `rounds` is shared out over its items at the end.
Shares = Mapping[str, Mapping[str, float]]


def gauges(config: Config, snapshot: Snapshot) -> tuple[Gauge, ...]:
    """Every figure of these weeks, the farthest out of its usual range first. (): no past yet."""
    first = min(
        (one.started for one in stories_of(config, snapshot, None) if one.started), default=None
    )
    whole = 0 if first is None else (snapshot.now - first) // WEEK
    before = min(WEEKS, whole - 1)
    if before < ENOUGH:
        return ()
    weeks = [_week(config, snapshot, snapshot.now - WEEK * back) for back in range(before + 1)]
    titles = {pair.key: pair.anchor.title for pair in snapshot.pairs}
    found = [_gauge(key, weeks, titles) for key in sorted({key for week in weeks for key in week})]
    return tuple(sorted(found, key=lambda one: (-_excess(one), one.key)))


def limit_of(kind: str, weeks: Iterable[float]) -> tuple[float, float]:
    """(what is usual, what it may be at most)"""
    known = list(weeks)
    usual = median(known)
    spread = median(abs(value - usual) for value in known)
    return usual, usual + max(ALLOWANCE * spread, usual / 2, STEP[kind])


def _gauge(key: str, weeks: list[Shares], titles: Mapping[str, str]) -> Gauge:
    past = tuple(_value(key, week.get(key, {})) for week in reversed(weeks[1:]))
    usual, limit = limit_of(key.partition(":")[0], past)
    shares = weeks[0].get(key, {})
    most = sorted(shares.items(), key=lambda one: (-one[1], one[0]))[:EXAMPLES]
    return Gauge(
        key=key, value=_value(key, shares), usual=round(usual, 2), limit=round(limit, 2),
        weeks=past, items=tuple((item, titles[item], round(share, 2)) for item, share in most),
    )


def _value(key: str, shares: Mapping[str, float]) -> float:
    total = sum(shares.values())
    return round(total / max(1, len(shares)) if key.startswith("rounds:") else total, 2)


def _excess(gauge: Gauge) -> float:
    return gauge.value / gauge.limit


# ---------------------------------------------------------------- one week


def _week(config: Config, snapshot: Snapshot, end: datetime) -> Shares:
    """What happened in the week before `end`, as it was known then."""
    begin = end - WEEK
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    for story in stories_of(config, replace(snapshot, now=end), begin):
        item = story.case.pair.key
        for key, share in (*_waits(config, story), *_runs(story), *_stops(story, begin, end)):
            shares[key][item] = shares[key].get(item, 0.0) + share
    return shares


def _waits(config: Config, story: Story) -> Iterable[tuple[str, float]]:
    """How many items stood there on the average of the week: item-weeks in a week."""
    for stay in story.stays:
        if config.cell(stay.state) is not None or stay.state in WAITING:
            parts = parts_of(story, stay)
            stood = parts.get("waiting", 0.0) + parts.get("human", 0.0)
            yield f"wait:{stay.state}", stood / WEEK.total_seconds()


def _runs(story: Story) -> Iterable[tuple[str, float]]:
    for row in story.rows:
        if row.counts:
            yield f"rounds:{row.cell}", 1.0
        if row.end is not None and row.outcome != "done" and row.outcome not in WEATHER:
            yield f"failed:{row.cell}:{row.outcome}", 1.0


def _stops(story: Story, begin: datetime, end: datetime) -> Iterable[tuple[str, float]]:
    """Questions and failures that came to the owner, by cell and reason."""
    for comment, marker in story.case.posts:
        again = marker.cause == ANSWER or marker.came_from == NEEDS_HUMAN
        if marker.to == NEEDS_HUMAN and not again and begin <= comment.created_at < end:
            reason = marker.cause.partition(":")[0] or ASKED
            yield f"stops:{marker.cell or marker.came_from or '-'}:{reason}", 1.0


__all__ = ["ENOUGH", "WEEK", "WEEKS", "gauges", "limit_of"]
