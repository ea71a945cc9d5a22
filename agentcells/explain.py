"""`agentcells why N` in full sentences: each condition, held or not, and who can change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from agentcells import rounds, trust
from agentcells.blocking import waits_for
from agentcells.board import failed_line, reading_line, unreadable_line
from agentcells.brakes import spent_today
from agentcells.case import WAITING, Case, open_case
from agentcells.choose import right_member, rivals_answered, strange_pushers, taken_slots
from agentcells.columns import because, clock, cut, lasted
from agentcells.markers import first_words, outcome_words
from agentcells.model import HOLD
from agentcells.pairs import facts
from agentcells.plan import Plan, Snapshot
from agentcells.replies import cell_that_asked
from agentcells.sentences import say
from agentcells.standing import Around, moves, paused, running, since_of
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

EXCERPT = 160  # columns of what a run asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One thing that must hold before the item runs. `who` can change it when it does not."""

    key: str
    holds: bool
    who: str = "owner"
    slots: dict[str, object] = field(default_factory=dict)

    def words(self, language: str) -> str:
        key = self.key
        if key.startswith("view_why_"):
            key += "_yes" if self.holds else "_no"
        return because(key, self.slots, language)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One item: its conditions, and what comes of them."""

    pair: str
    title: str
    state: str
    conditions: tuple[Condition, ...]
    verdict: tuple[str, ...]


def why(
    config: Config, snapshot: Snapshot, plan: Plan, number: int, around: Around | None = None
) -> list[str]:
    """Each condition of an item, held or not, who can change it, and what the next tick does."""
    language = config.factory.language
    around = around or Around()
    lines = [*reading_line(config, around), *failed_line(config, snapshot, around)]
    found = explained(config, snapshot, plan, number)
    for one in found:
        lines += [*([""] if lines else []), f"{one.pair}  {cut(one.title, 70)}"]
        for condition in one.conditions:
            mark = say("view_yes" if condition.holds else "view_no", language)
            lines.append(f"  {mark} {condition.words(language)}")
        lines += one.verdict
    unread = [item for item in snapshot.unreadable if item.number == number]
    lines += [say("view_why_unreadable", language, item=unreadable_line(item)) for item in unread]
    if not found and not unread:
        told = around.as_of is not None or (around.asked and not around.unreached)
        lines.append(say("view_why_unknown" if told else "view_why_unread", language, number=number))
    return lines


def why_value(
    config: Config, snapshot: Snapshot, plan: Plan, number: int, around: Around | None = None
) -> dict[str, Any]:
    """The same for a program."""
    language = config.factory.language
    return {
        "number": number,
        "forge_unreached": (around or Around()).unreached or None,
        "items": [
            {
                "item": one.pair, "title": one.title, "state": one.state,
                "conditions": [
                    {
                        "name": condition.key.removeprefix("view_why_"),
                        "holds": condition.holds, "text": condition.words(language),
                        "who": None if condition.holds else condition.who,
                    }
                    for condition in one.conditions
                ],
                "verdict": list(one.verdict),
            }
            for one in explained(config, snapshot, plan, number)
        ],
        "unreadable": [
            unreadable_line(item) for item in snapshot.unreadable if item.number == number
        ],
        "lines": why(config, snapshot, plan, number, around),
    }


def explained(
    config: Config, snapshot: Snapshot, plan: Plan, number: int
) -> tuple[Explained, ...]:
    """The item of this number in each repository that has one of ours."""
    found = []
    for pair in snapshot.pairs:
        if number in {item.number for item in (pair.issue, pair.pull) if item is not None}:
            case = open_case(config, snapshot, pair, snapshot.brake)
            found.append(Explained(
                pair=pair.key, title=pair.anchor.title, state=case.state.only,
                conditions=tuple(_conditions(case)), verdict=tuple(_verdict(case, plan)),
            ))
    return tuple(found)


# ---------------------------------------------------------------- conditions, as they are asked


def _conditions(case: Case) -> Iterator[Condition]:
    config, state = case.config, case.state
    labels = " + ".join(sorted(config.label(one) for one in state.states)) or "-"
    merged = next((item for item in case.items if item.state == "merged"), None)
    if merged is not None:
        yield Condition(key="view_why_merged", holds=False, who="nobody", slots={"number": merged.number})
        return
    closed = next((item for item in case.items if item.state != "open"), None)
    yield Condition(key="view_why_open", holds=closed is None, slots={
        "number": closed.number if closed is not None else case.pair.number,
        "state": say(f"issue_state_{closed.state}", config.factory.language) if closed else ""})
    if closed is not None:
        return
    if case.held_by_word:
        yield Condition(key="view_why_command", holds=False,
                        slots={"number": case.items[-1].number})
        return
    yield Condition(key="view_why_state", holds=bool(state.only), slots={"labels": labels})
    yield Condition(key="view_why_hold", holds=not state.hold, slots={"label": config.label(HOLD)})
    cell = config.cell(state.only)
    if cell is not None:
        yield from _cell_conditions(case, cell)
        yield from _machine_conditions(case, cell)
    elif state.only in WAITING:
        yield _asked(case)
    elif state.only:
        yield _cell_off(case)


def _cell_off(case: Case) -> Condition:
    state = case.state.only
    off = any(cell.name == state for cell in case.config.off)
    return Condition(key="skip_cell_off" if off else "skip_unknown_label", holds=False,
                     slots={"label": case.config.label(state)})


def _asked(case: Case) -> Condition:
    """What it waits for: the newest post of ours that put it there."""
    state, language = case.state.only, case.config.factory.language
    since = since_of(case)
    said = [comment.body for comment, marker in case.posts
            if marker.to == state and marker.kind != "ledger"]
    words = cut(first_words(said[-1]), EXCERPT) if said else "-"
    return Condition(key=f"view_why_{state.replace('-', '_')}", holds=False, slots={
        "time": "?" if since is None else lasted(case.snapshot.now - since, language),
        "words": words, "number": case.items[-1].number, "cell": cell_that_asked(case) or "-"})


def _cell_conditions(case: Case, cell: Cell) -> Iterator[Condition]:
    approved = trust.may_run(case.config, case.pair, cell, case.snapshot)
    if isinstance(approved, trust.Distrust):
        yield Condition(key=approved.key, holds=False, who=approved.who,
                        slots=dict(approved.slots))
    else:
        yield Condition(key="view_why_approved", holds=True,
                        slots={"owner": case.snapshot.owner.login})
    yield Condition(key="view_why_book", holds=not case.lost)
    yield from _counts(case, cell)
    yield from _in_the_way(case, cell)
    blocked = waits_for(case)
    yield Condition(key="view_why_blocked", holds=not blocked, slots={
        "numbers": ", ".join(f"#{number}" for number in blocked)})


def _in_the_way(case: Case, cell: Cell) -> Iterator[Condition]:
    """What holds for nearly every item, and so is told only where it does not."""
    wrong = right_member(case, cell)
    if wrong is not None and wrong.skip is not None:
        yield Condition(key=wrong.skip.key, holds=False, who=wrong.skip.who,
                        slots=dict(wrong.skip.slots))
    rivals = ", ".join(f"#{number}" for number in case.pair.rivals)
    if rivals and not rivals_answered(case):
        yield Condition(key="plan_rival", holds=False, slots={"numbers": rivals})
    strangers, pull = strange_pushers(case), case.pair.pull
    if strangers and pull is not None and not case.answered(f"pushed:{facts(pull).head_sha}"):
        yield Condition(key="plan_foreign", holds=False, slots={"who": ", ".join(strangers)})


def _counts(case: Case, cell: Cell) -> Iterator[Condition]:
    limits, usd = case.config.limits, rounds.dollars(case.book, case.heard_at)
    used, runs = rounds.used(case.book, cell.name, case.heard_at), rounds.runs(case.book)
    failures = rounds.failures_in_a_row(case.book, case.heard_at)
    newest = case.book.rows[-1].outcome if case.book.rows else ""
    now = sum(row.cell == cell.name for row in rounds.unended(case.book))  # the last one may well be at work
    yield Condition(key="view_why_rounds", holds=used - now < cell.max_rounds, slots={
        "cell": cell.name, "used": used, "limit": cell.max_rounds})
    if failures:
        yield Condition(key="view_why_failures", holds=failures < rounds.IN_A_ROW, slots={
            "count": failures, "limit": rounds.IN_A_ROW,
            "what": outcome_words(newest, case.config.factory.language)})
    yield Condition(key="view_why_runs", holds=runs - now < limits.runs_per_item, slots={
        "used": runs, "limit": limits.runs_per_item})
    yield Condition(key="view_why_usd", holds=usd < limits.usd_per_item, slots={
        "used": f"{usd:.2f}", "limit": f"{limits.usd_per_item:.2f}"})


def _machine_conditions(case: Case, cell: Cell) -> Iterator[Condition]:
    config, snapshot, brake = case.config, case.snapshot, case.snapshot.brake
    limits, until = config.limits, brake.paused_until
    day = spent_today(config, brake, snapshot.now)
    yield Condition(key="view_why_stop", holds=not brake.stopped)
    yield Condition(key="view_why_pause", holds=not paused(snapshot), who="time", slots={
        "until": "" if until is None else clock(until, config.factory.timezone),
        "why": outcome_words(brake.pause_reason, config.factory.language)})
    yield Condition(key="view_why_day", holds=day < limits.usd_per_day, who="time", slots={
        "used": f"{day:.2f}", "limit": f"{limits.usd_per_day:.2f}"})
    if running(case) is None:
        cases = [open_case(config, snapshot, pair, brake) for pair in snapshot.pairs]
        busy = taken_slots(snapshot, cases)[case.pair.repo, cell.name]
        yield Condition(key="view_why_cell_free", holds=busy < cell.parallel, who="time", slots={
            "cell": cell.name, "busy": busy, "limit": cell.parallel})
        alive = sum(run.status == "alive" for run in snapshot.runs)
        slots = 1 if config.sandbox.containment == "none" else config.factory.parallel
        yield Condition(key="view_why_slot", holds=alive < slots, who="time", slots={
            "busy": alive, "limit": slots})


# ---------------------------------------------------------------- what comes of it


def _verdict(case: Case, plan: Plan) -> Iterator[str]:
    """What runs now, what the next tick does, or why it leaves the item alone."""
    language = case.config.factory.language
    run = running(case)
    for fact in case.runs:
        if fact.status == "dead":
            yield say("view_why_unproved", language, run=fact.order.run, cell=fact.order.cell)
    if run is not None:
        time = lasted(case.snapshot.now - run.order.created_at, language)
        yield say("view_why_running", language, run=run.order.run, cell=run.order.cell, time=time)
    elif moves(plan, case.pair):
        yield say("view_why_tidied" if case.over else "view_why_moves", language)
        if words := dict(case.snapshot.troubles).get(case.pair.key):
            yield say("view_why_trouble", language, words=words)
    for skip in () if run is not None else plan.skips:
        if skip.pair_key == case.pair.key:
            yield say("view_why_skip", language, why=because(skip.key, skip.slots, language),
                      who=say(f"view_change_{skip.who}", language))
    held = case.state.hold or case.held_by_word
    if (held or case.state.only in WAITING) and not moves(plan, case.pair):
        yield from _place(case)


def _place(case: Case) -> Iterator[str]:
    """Where the owner answers: a page, or commands where the forge has none."""
    member, language = case.items[-1], case.config.factory.language
    held = case.state.hold or case.held_by_word
    if case.config.forge.kind == "local":
        key = f"view_why_desk_{'hold' if held else case.state.only.replace('-', '_')}"
        yield say(key, language, number=member.number)
    elif member.url:
        yield say("view_why_place", language, url=printable(member.url, one_line=True))


__all__ = ["Condition", "Explained", "explained", "why", "why_value"]
