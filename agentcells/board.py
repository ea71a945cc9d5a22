"""`agentcells status` in words: what holds up everything, items under their cells, runs.

Rows are values, so that a terminal can set them in columns of its own width; `status_board` sets
them in plain lines, one an item, for pipes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from agentcells.brakes import spent_today
from agentcells.columns import clock, cut, lasted, padded
from agentcells.factory_board import factory_lines
from agentcells.markers import outcome_words
from agentcells.model import HOLD, IN_REVIEW, NEEDS_HUMAN
from agentcells.plan import LastTick, Plan, Snapshot, Unreadable
from agentcells.run import RunFact
from agentcells.sentences import say
from agentcells.standing import (
    UNKNOWN,
    Around,
    FactoryState,
    Standing,
    lost_dollars,
    standings_of,
    state_of_factory,
)
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.config import Config

TITLE = 40  # columns of a title on the board
NAME, ROUNDS, COST, WAITED = 14, 7, 8, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One item in columns. `reason` is never cut."""

    arrow: str
    name: str
    title: str
    rounds: str
    cost: str
    waited: str
    who: str
    reason: str
    owner: bool  # it waits for the owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """All that `status` says, in order. `head` names the columns."""

    state: FactoryState
    tops: tuple[str, ...]  # what holds for everything; the first is the most important
    head: tuple[str, ...]
    groups: tuple[Group, ...]
    runs: tuple[str, ...]
    rest: tuple[str, ...]


def board(config: Config, snapshot: Snapshot, plan: Plan, around: Around | None = None) -> Board:
    around = around or Around()
    language = config.factory.language
    standings = standings_of(config, snapshot, plan)
    several = len({one.repo for one in standings}) > 1
    groups = []
    for name in _groups(config, standings):
        inside = [one for one in standings if one.group == name]
        if not inside:
            continue
        rows = tuple(_row(one, snapshot, several, language) for one in inside)
        groups.append(Group(title=_group_title(config, name, len(inside)), rows=rows))
    return Board(
        state=state_of_factory(config, snapshot, plan, around),
        tops=tuple(_tops(config, snapshot, plan, around)),
        head=tuple(say("view_head", language).split("|")),
        groups=tuple(groups),
        runs=tuple(run_line(run, snapshot.now, config.factory.language) for run in snapshot.runs),
        rest=tuple(_rest(config, snapshot)),
    )


def status_board(
    config: Config, snapshot: Snapshot, plan: Plan, around: Around | None = None
) -> list[str]:
    """The board as plain lines."""
    found = board(config, snapshot, plan, around)
    lines = list(found.tops)
    if found.groups:
        lines += ["", _head(found.head)]
    for group in found.groups:
        lines += ["", group.title, *(_line(row) for row in group.rows)]
    for part in (found.runs, found.rest):
        lines += ["", *part] if part else []
    return lines


def _head(names: tuple[str, ...]) -> str:
    number, title, used, usd, waited, who, reason = names
    return _columns(" ", number, title, used, usd, waited, f"{who}: {reason}")


def _line(row: Row) -> str:
    return _columns(
        row.arrow, row.name, row.title, row.rounds, row.cost, row.waited,
        f"{row.who}: {row.reason}",
    )


def _columns(
    arrow: str, name: str, title: str, used: str, usd: str, waited: str, rest: str
) -> str:
    return (
        f"{arrow} {padded(name, NAME)} {padded(cut(title, TITLE), TITLE)} {padded(used, ROUNDS)} "
        f"{padded(usd, COST)} {padded(waited, WAITED)} {rest}"
    )


# ---------------------------------------------------------------- items


def _groups(config: Config, standings: list[Standing]) -> list[str]:
    """Headings in the order of the flow; what the owner must do comes last, nearest the prompt."""
    known = [cell.name for cell in config.cells if cell.on != "factory"]
    met = {one.group for one in standings}
    others = sorted(met - {*known, NEEDS_HUMAN, IN_REVIEW})
    return [*known, *others, IN_REVIEW, NEEDS_HUMAN]


def _group_title(config: Config, group: str, count: int) -> str:
    language = config.factory.language
    if group == UNKNOWN:
        return say("view_group_unknown", language, count=count)
    if group == HOLD:
        return say("view_group_held", language, count=count)
    return say("view_group", language, label=config.label(group), count=count)


def _row(one: Standing, snapshot: Snapshot, several: bool, language: str) -> Row:
    name = f"{one.repo if several else ''}#{one.number}"
    if one.pull is not None:
        name += f" (#{one.pull})"
    return Row(
        arrow=">" if one.moving else " ", name=name, title=one.title,
        rounds="" if one.rounds is None else f"{one.rounds}/{one.limit}",
        cost=f"${one.usd:.2f}",
        waited="" if one.since is None else lasted(snapshot.now - one.since, language),
        who=say(f"view_who_{one.who}", language), reason=printable(one.why, one_line=True),
        owner=one.who == "owner" and not one.moving,
    )


def run_line(run: RunFact, now: datetime, language: str) -> str:
    """A run folder of this machine: at work, waiting to be published, or without its Proof."""
    order = run.order
    slots: dict[str, object] = {
        "run": order.run, "item": order.pair_key, "cell": order.cell,
        "time": lasted(now - order.created_at, language),
    }
    if run.end is not None and run.end.outcome.kind == "withdrawn":
        return say("view_run_unstarted", language, **slots)
    if run.status == "ended" and run.refused_pushes:
        slots |= {"count": run.refused_pushes, "words": printable(run.refusal, one_line=True)}
        return say("view_run_refused", language, **slots)
    return say(f"view_run_{run.status}", language, **slots)


# ---------------------------------------------------------------- what holds for everything


def _tops(
    config: Config, snapshot: Snapshot, plan: Plan, around: Around
) -> Iterator[str]:
    language, brake = config.factory.language, snapshot.brake
    yield _headline(config, snapshot, plan, around)
    waits = any(one.who == "owner" and not one.moving for one in standings_of(config, snapshot, plan))
    if waits and config.forge.kind == "local":  # no page shows it
        yield say("view_desk", language)
    yield from reading_line(config, around)
    yield say("view_day", language, usd=f"{spent_today(config, brake, snapshot.now):.2f}",
              limit=f"{config.limits.usd_per_day:.2f}")
    if usd := lost_dollars(config, snapshot):
        yield say("view_brake_lost", language, usd=f"{usd:.2f}")
    yield from _ticks(config, snapshot, around)
    yield from (printable(note, one_line=True) for note in (*snapshot.notes, *around.notes))


def reading_line(config: Config, around: Around) -> Iterator[str]:
    """Where what is shown comes from, when it is not the forge as it is now."""
    language = config.factory.language
    why = printable(around.unreached, one_line=True)
    at = "" if around.as_of is None else clock(around.as_of, config.factory.timezone)
    if not around.asked:
        yield say("view_not_asked" if at else "view_not_asked_nothing", language, at=at)
    elif why:
        yield say("view_unreached" if at else "view_unreached_nothing", language, why=why, at=at)


def failed_line(config: Config, snapshot: Snapshot, around: Around) -> Iterator[str]:
    """That ticks fail: until it is mended, what they would do next is a wish."""
    tick = around.last_tick
    if tick is not None and tick.code and tick.ended_at is not None and not around.tick_at_work:
        yield last_tick_line(tick, snapshot.now, config.factory.language)


def _headline(config: Config, snapshot: Snapshot, plan: Plan, around: Around) -> str:
    """The state of the factory in one sentence, with the remedy where there is one."""
    state = state_of_factory(config, snapshot, plan, around)
    standings = standings_of(config, snapshot, plan)
    until, reason = snapshot.brake.paused_until, snapshot.brake.pause_reason
    unread = state == "idle" and not around.asked and around.as_of is None
    return say(
        "view_state_unread" if unread else f"view_state_{state}", config.factory.language,
        until="" if until is None else clock(until, config.factory.timezone),
        why=printable(outcome_words(reason, config.factory.language), one_line=True),
        runs=sum(run.status == "alive" for run in snapshot.runs),
        owner=sum(one.who == "owner" and not one.moving for one in standings),
        items=len(standings),
    )


def _ticks(config: Config, snapshot: Snapshot, around: Around) -> Iterator[str]:
    language = config.factory.language
    if around.tick_at_work:
        yield say("view_tick_at_work", language)
    elif around.last_tick is not None:
        yield last_tick_line(around.last_tick, snapshot.now, language)
    if around.next_tick is not None:
        yield say("view_tick_next", language, at=clock(around.next_tick, config.factory.timezone))
    elif not around.timer and not around.tick_at_work:
        yield say("view_tick_no_timer", language)


def last_tick_line(tick: LastTick, now: datetime, language: str) -> str:
    ended = tick.ended_at
    if ended is None:
        ago = lasted(now - tick.started_at, language)
        return say("view_tick_no_word", language, ago=ago)
    ago = lasted(now - ended, language)
    if tick.code == 0:
        return say("view_tick_well", language, ago=ago)
    return say("view_tick_failed", language, ago=ago, count=tick.failures, code=tick.code,
               why=printable(tick.text, one_line=True))


def _rest(config: Config, snapshot: Snapshot) -> Iterator[str]:
    yield from factory_lines(config, snapshot)
    if snapshot.unreadable:
        yield say("view_unreadable", config.factory.language)
        yield from (f"  {unreadable_line(item)}" for item in snapshot.unreadable)


def unreadable_line(item: Unreadable) -> str:
    detail = printable(item.detail, one_line=True)
    return f"{item.repo}#{item.number} {cut(item.title, TITLE)}: {detail}"


__all__ = [
    "Board", "Group", "Row", "board", "failed_line", "last_tick_line", "reading_line", "run_line",
    "status_board", "unreadable_line",
]
