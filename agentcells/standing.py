"""Where each work item stands: the board, and one item explained condition by condition."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agentcells import rounds, trust
from agentcells.case import Case, open_case
from agentcells.config import Cell, Config
from agentcells.model import HOLD, IN_REVIEW, NEEDS_HUMAN, Pair
from agentcells.plan import Plan, Skip, Snapshot, Unreadable
from agentcells.run import RunFact
from agentcells.sentences import say
from agentcells.text import printable

TITLE = 40  # columns of a title on the board
UNKNOWN = "?"  # group of the items whose state cannot be told from their labels

Slots = Mapping[str, object] | Iterable[tuple[str, object]]
Check = tuple[str, bool, dict[str, object]]  # sentence, whether it holds, what fills the sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One item on the board."""

    repo: str
    number: int
    pull: int | None
    title: str
    group: str  # a state, or UNKNOWN
    who: str  # who can change it: owner, machine, time, nobody
    why: str  # why it does not move, or what happens to it now
    moving: bool
    rounds: int | None  # used since the owner's last word; None: no cell's turn
    limit: int | None
    runs: int
    usd: float


# ---------------------------------------------------------------- the board


def status_board(config: Config, snapshot: Snapshot, plan: Plan) -> list[str]:
    """Every item under the cell it waits for, then what waits for the owner."""
    language = config.factory.language
    standings = standings_of(config, snapshot, plan)
    several = len({standing.repo for standing in standings}) > 1
    lines = [*_brakes(config, snapshot), *([_head(language)] if standings else [])]
    for group in _groups(config, standings):
        inside = [standing for standing in standings if standing.group == group]
        lines += ["", _group_title(config, group, len(inside))]
        lines += [_row(standing, several, language) for standing in inside]
    if snapshot.unreadable:
        lines += ["", say("view_unreadable", language)]
        lines += [f"  {_unreadable(item)}" for item in snapshot.unreadable]
    return lines


def status_value(config: Config, snapshot: Snapshot, plan: Plan) -> dict[str, Any]:
    """The board for a program."""
    brake = snapshot.brake
    return {
        "now": snapshot.now.isoformat(),
        "stopped": brake.stopped,
        "paused_until": brake.paused_until.isoformat() if brake.paused_until else None,
        "pause_reason": brake.pause_reason,
        "usd_today": round(brake.usd_today, 4),
        "usd_per_day": config.limits.usd_per_day,
        "items": [
            {
                "repo": one.repo, "number": one.number, "pull": one.pull, "title": one.title,
                "state": one.group, "moving": one.moving, "who": one.who, "why": one.why,
                "rounds": one.rounds, "max_rounds": one.limit, "runs": one.runs,
                "usd": round(one.usd, 4),
            }
            for one in standings_of(config, snapshot, plan)
        ],
        "unreadable": [
            {"repo": item.repo, "number": item.number, "title": item.title, "why": item.detail}
            for item in snapshot.unreadable
        ],
        "notes": list(snapshot.notes),
    }


def standings_of(config: Config, snapshot: Snapshot, plan: Plan) -> list[Standing]:
    """All items that carry a label of ours or were left alone for a reason."""
    skips = {skip.pair_key: skip for skip in plan.skips}
    cases = [open_case(config, snapshot, pair, snapshot.brake) for pair in snapshot.pairs]
    found = [
        _standing(case, plan, skips.get(case.pair.key)) for case in cases
        if case.pair.key in skips or case.state.labelled
    ]
    return sorted(found, key=lambda one: (one.repo, one.number))


def _standing(case: Case, plan: Plan, skip: Skip | None) -> Standing:
    pair = case.pair
    group = case.state.only or UNKNOWN
    cell = case.config.cell(group)
    who, why = _waits(case, plan, group, skip)
    return Standing(
        repo=pair.repo, number=pair.number,
        pull=pair.pull.number if pair.issue and pair.pull else None,
        title=pair.anchor.title, group=group, who=who, why=why,
        moving=_moves(plan, pair) or _running(case) is not None,
        rounds=None if cell is None else rounds.used(case.book, cell.name, case.heard_at),
        limit=None if cell is None else cell.max_rounds,
        runs=rounds.runs(case.book), usd=rounds.dollars(case.book),
    )


def _waits(case: Case, plan: Plan, group: str, skip: Skip | None) -> tuple[str, str]:
    """Whom an item waits for, and why, in that order of what is known."""
    language = case.config.factory.language
    if (run := _running(case)) is not None:
        minutes = int((case.snapshot.now - run.order.created_at).total_seconds() // 60)
        return "machine", say("view_running", language, cell=run.order.cell, minutes=minutes)
    if _moves(plan, case.pair):
        return "machine", say("view_next_tick", language)
    if skip is not None:
        return skip.who, because(skip.key, skip.slots, language)
    if group in (NEEDS_HUMAN, IN_REVIEW):
        return "owner", say(f"view_waits_{group.replace('-', '_')}", language)
    return "machine", say("view_waits", language)


def _groups(config: Config, standings: list[Standing]) -> list[str]:
    """Headings in the order of the flow; what the owner must do comes last, nearest the prompt."""
    known = [cell.name for cell in config.cells if cell.on != "factory"]
    met = {standing.group for standing in standings}
    others = sorted(met - {*known, NEEDS_HUMAN, IN_REVIEW})
    return [*known, *others, IN_REVIEW, NEEDS_HUMAN]


def _group_title(config: Config, group: str, count: int) -> str:
    language = config.factory.language
    if group == UNKNOWN:
        return say("view_group_unknown", language, count=count)
    return say("view_group", language, label=config.label(group), count=count)


def _head(language: str) -> str:
    names = say("view_head", language).split("|")
    return "\n" + _columns(" ", *names)


def _row(standing: Standing, several: bool, language: str) -> str:
    name = f"{standing.repo if several else ''}#{standing.number}"
    if standing.pull is not None:
        name += f" (#{standing.pull})"
    used = "" if standing.rounds is None else f"{standing.rounds}/{standing.limit}"
    who = say(f"view_who_{standing.who}", language)
    return _columns(
        ">" if standing.moving else " ", name, standing.title, used, f"${standing.usd:.2f}",
        f"{who}: {printable(standing.why, one_line=True)}",
    )


def _columns(arrow: str, name: str, title: str, used: str, usd: str, rest: str) -> str:
    return (
        f"{arrow} {padded(name, 14)} {padded(cut(title, TITLE), TITLE)} {padded(used, 7)} "
        f"{padded(usd, 8)} {rest}"
    )


def _brakes(config: Config, snapshot: Snapshot) -> Iterator[str]:
    """What holds up everything, before the items."""
    language, brake = config.factory.language, snapshot.brake
    yield say("view_day", language, usd=f"{brake.usd_today:.2f}",
              limit=f"{config.limits.usd_per_day:.2f}")
    if brake.stopped:
        yield say("view_stopped", language)
    if _paused(snapshot):
        yield say("view_paused", language, until=_clock(brake.paused_until),
                  why=printable(brake.pause_reason, one_line=True))
    yield from (printable(note, one_line=True) for note in snapshot.notes)


def _unreadable(item: Unreadable) -> str:
    detail = printable(item.detail, one_line=True)
    return f"{item.repo}#{item.number} {cut(item.title, TITLE)}: {detail}"


# ---------------------------------------------------------------- one item explained


def why(config: Config, snapshot: Snapshot, plan: Plan, number: int) -> list[str]:
    """Each condition of an item, held or not, who can change it, and what the next tick does."""
    language = config.factory.language
    lines: list[str] = []
    for pair in snapshot.pairs:
        if number in {item.number for item in (pair.issue, pair.pull) if item is not None}:
            case = open_case(config, snapshot, pair, snapshot.brake)
            title = f"{pair.key}  {cut(pair.anchor.title, 70)}"
            lines += [*([""] if lines else []), title, *_conditions(case), *_verdict(case, plan)]
    for item in snapshot.unreadable:
        if item.number == number:
            lines.append(say("view_why_unreadable", language, item=_unreadable(item)))
    return lines or [say("view_why_unknown", language, number=number)]


def _conditions(case: Case) -> Iterator[str]:
    """Each condition as a sentence: what holds, or what does not and who can change it."""
    language = case.config.factory.language
    for key, holds, slots in _checks(case):
        mark = say("view_yes" if holds else "view_no", language)
        if key.startswith("view_why_"):
            key += "_yes" if holds else "_no"
        yield f"  {mark} {because(key, slots, language)}"


def _checks(case: Case) -> Iterator[Check]:
    """The conditions in the order in which they are asked."""
    config, pair, state = case.config, case.pair, case.state
    labels = " + ".join(sorted(config.label(one) for one in state.states)) or "-"
    yield "view_why_open", pair.anchor.state == "open", {"state": pair.anchor.state}
    yield "view_why_state", bool(state.only), {"labels": labels}
    yield "view_why_hold", not state.hold, {"label": config.label(HOLD)}
    cell = config.cell(state.only)
    if cell is not None:
        yield from _cell_checks(case, cell)
    yield from _machine_checks(config, case.snapshot)


def _cell_checks(case: Case, cell: Cell) -> Iterator[Check]:
    answer = trust.may_run(case.config, case.pair, cell, case.snapshot)
    if isinstance(answer, trust.Distrust):
        yield answer.key, False, dict(answer.slots)
    else:
        yield "view_why_approved", True, {"owner": case.snapshot.owner.login}
    limits, usd = case.config.limits, rounds.dollars(case.book)
    used, runs = rounds.used(case.book, cell.name, case.heard_at), rounds.runs(case.book)
    yield "view_why_rounds", used < cell.max_rounds, {
        "cell": cell.name, "used": used, "limit": cell.max_rounds}
    yield "view_why_runs", runs < limits.runs_per_item, {
        "used": runs, "limit": limits.runs_per_item}
    yield "view_why_usd", usd < limits.usd_per_item, {
        "used": f"{usd:.2f}", "limit": f"{limits.usd_per_item:.2f}"}


def _machine_checks(config: Config, snapshot: Snapshot) -> Iterator[Check]:
    brake, limits = snapshot.brake, config.limits
    yield "view_why_day", brake.usd_today < limits.usd_per_day, {
        "used": f"{brake.usd_today:.2f}", "limit": f"{limits.usd_per_day:.2f}"}
    yield "view_why_pause", not _paused(snapshot), {
        "until": _clock(brake.paused_until), "why": brake.pause_reason}
    yield "view_why_stop", not brake.stopped, {}


def _verdict(case: Case, plan: Plan) -> Iterator[str]:
    """What comes of it: what runs now, what the next tick does, or why it leaves the item alone."""
    language = case.config.factory.language
    run = _running(case)
    if run is not None:
        yield say("view_why_running", language, run=run.order.run, cell=run.order.cell)
    elif _moves(plan, case.pair):
        yield say("view_why_moves", language)
    for skip in plan.skips:
        if skip.pair_key == case.pair.key:
            yield say("view_why_skip", language, why=because(skip.key, skip.slots, language),
                      who=say(f"view_change_{skip.who}", language))


def _moves(plan: Plan, pair: Pair) -> bool:
    return any(action.pair_key == pair.key for action in plan.actions)


def _running(case: Case) -> RunFact | None:
    return next((run for run in case.runs if run.status == "alive"), None)


def _paused(snapshot: Snapshot) -> bool:
    until = snapshot.brake.paused_until
    return until is not None and until > snapshot.now


def _clock(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


# ---------------------------------------------------------------- words in columns


def because(key: str, slots: Slots, language: str) -> str:
    """A reason; what people wrote in its slots cannot move the cursor or break the line."""
    return say(key, language, **{
        name: printable(value, one_line=True) if isinstance(value, str) else value
        for name, value in dict(slots).items()
    })


def cut(words: str, columns: int) -> str:
    """One line of at most so many columns of a terminal; a wide character takes two."""
    shown = printable(" ".join(words.split()), one_line=True)
    if width(shown) <= columns:
        return shown
    kept = shown[: 2 * columns]  # more characters than columns only where some combine
    while width(kept) > columns - 1:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def padded(words: str, columns: int) -> str:
    return words + " " * max(0, columns - width(words))


def width(words: str) -> int:
    """Columns on a terminal: full-width characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char)
        else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in words
    )
