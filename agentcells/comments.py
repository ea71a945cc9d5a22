"""What we write on the forge: results, notices and the text of a pull request, in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentcells import text
from agentcells.markers import (
    below,
    folded,
    looks_ours,
    outcome_words,
    parse_ledger,
    parse_marker,
    render_ledger,
    render_marker,
    sign,
    verify,
    whole,
)
from agentcells.model import ANSWER, DONE, IN_REVIEW, MERGE, NEEDS_HUMAN, SUB_ISSUES, Pair
from agentcells.plan import Filed, Gauge
from agentcells.posts import Marker
from agentcells.quoted import ITEM, block, code, one_line, plain_title, stacked, within
from agentcells.run import Delivery, Finding, Order, Outcome, RunEnd, TreeTest
from agentcells.sentences import say

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

__all__ = [
    "PROPOSED", "Proposal", "below", "filed_post", "gauge_line", "looks_ours", "notice_post",
    "outcome_words", "over_post", "parse_ledger", "parse_marker", "plain_title", "proposals",
    "pull_text", "render_ledger", "render_marker", "result_post", "sign", "sub_issue_body", "verify",
    "whole",
]

Slots = Mapping[str, object] | Iterable[tuple[str, object]]
Reason = tuple[str, Slots]

BODY_LIMIT = 65_000  # characters; a forge refuses more than 65,536
DETAIL = 4_000
ITEMS = 20  # of a list; the rest is counted


def result_post(
    config: Config, order: Order, outcome: Outcome, to: str, reason: Reason | None,
    delivery: Delivery | None, pull_opened: bool, *, end: RunEnd | None = None,
    rounds: tuple[int, int] | None = None, kept: bool = False, key: bytes = b"", head: str = "",
) -> tuple[Marker, str]:
    """The comment that carries a run's decision; the text is whole, marker line included.

    `head` is what stands on the branch once it is carried out; "": what was judged, or the start.

    `to` is the state the pair goes to; `reason` says why the CLI chose it and not the model.
    """
    language = config.factory.language
    finished = outcome.kind == "done"
    cause = (ANSWER if outcome.next == ANSWER else "") if finished else outcome.kind
    marker = Marker(
        kind="decision", run=order.run, cell=order.cell, came_from=order.came_from, to=to,
        seen=order.seen, text_hash=order.text_hash, cause=cause,
        head=head or (delivery.push_sha if delivery else order.start),
    )
    gap = "" if language == "ja" else " "
    line = gap.join(_state(config, order, outcome, to, reason, pull_opened))
    notes = list(_notes(delivery, end, kept, language))
    facts = list(_facts(config, order, outcome, delivery, end, rounds))
    fold = folded(say("comment_details", language), facts)
    room = BODY_LIMIT - len(render_marker(marker)) - 64  # 64: the MAC and the line end
    offer = list(_offered(config, order, outcome)) if to == NEEDS_HUMAN else []

    def built(offer: list[list[str]]) -> str:
        return within(
            outcome.comment, room, language,
            lambda said: stacked([line], *notes, said, *offer[:-1], fold, *offer[-1:]),
        )

    body = built(offer)
    if offer and len(body) > room:  # what has many "-" grows as data: no forge would take it
        body = built([[say("comment_proposed_too_long", language)], []])
    return whole(marker, body, key)


def notice_post(
    config: Config, pair: Pair, cause: str, key: str, slots: Slots, *, came_from: str = "",
    to: str = "", mac_key: bytes = b"",
) -> tuple[Marker, str]:
    """One thing said once: `cause` in its marker is how the next pass knows that it has been said.

    With `to` it also announces the label that is set after it (R24).
    """
    marker = Marker(kind="notice", cause=cause, came_from=came_from, to=to,
                    head=pair.pull.pull.head_sha if pair.pull and pair.pull.pull else "")
    return whole(marker, _sentence(key, slots, config.factory.language), mac_key)


def filed_post(
    config: Config, order: Order, outcome: Outcome, cause: str, figure: str
) -> tuple[Marker, str, str]:
    """Marker, title and whole text of an issue that a cell on "factory" has filed (R50)."""
    language, fields = config.factory.language, dict(outcome.fields)
    marker = Marker(kind="filed", run=order.run, cell=order.cell, cause=cause)
    key = "comment_filed" if order.causes else "comment_filed_free"
    line = [say(key, language, cell=order.cell)]
    counted = [say("comment_figure", language, figure=figure)] if figure else []
    how = [say("comment_filed_how", language), ""] if figure else []
    fold = folded(
        say("comment_details", language), [*how, *_run_facts(order, outcome, language)]
    )
    body = within(
        fields.get("body", ""), BODY_LIMIT - len(render_marker(marker)) - 64, language,
        lambda said: stacked(line, counted, said, fold),
    )
    marker, whole_text = whole(marker, body)
    return marker, plain_title(fields.get("title", "")) or cause, whole_text


def over_post(config: Config, filed: Filed, gauge: Gauge | None) -> tuple[Marker, str]:
    """The comment with which the CLI closes an issue that it filed itself (R11)."""
    language = config.factory.language
    counted = [] if gauge is None else [
        say("comment_figure", language, figure=gauge_line(config, gauge, language))
    ]
    marker = Marker(kind="notice", cause=f"over:{filed.cause}")
    return whole(marker, stacked([say("comment_over", language)], counted))


def gauge_line(config: Config, gauge: Gauge, language: str) -> str:
    """One figure as a person reads it: now, usually, at most."""
    kind, _, rest = gauge.key.partition(":")
    cell, _, reason = rest.partition(":")
    what = say(
        f"gauge_{kind}", language, value=f"{gauge.value:g}", reason=reason,
        cell=config.label(cell) if kind == "wait" else cell,
    )
    usual = say("gauge_usual", language, usual=f"{gauge.usual:g}", limit=f"{gauge.limit:g}")
    return what + ("" if language == "ja" else " ") + usual


def pull_text(
    config: Config, order: Order, outcome: Outcome, delivery: Delivery, tested: TreeTest | None
) -> tuple[str, str]:
    """Title and body of the pull request (R48)."""
    language = config.factory.language
    closes = [] if order.issue is None else [f"Closes #{order.issue}"]
    findings = (_finding(flag, language) for flag in delivery.verdict.flags)
    flags = _listing("comment_flags", findings, language)
    test = [say("comment_how_tested", language, how=_tested(config, delivery, tested, None))]
    fold = folded(say("comment_details", language), _run_facts(order, outcome, language))

    def body(said: list[str]) -> str:
        return stacked(closes, said, flags, test, fold)

    return _title(order, language), within(
        outcome.comment, BODY_LIMIT, language, body
    )


# ---------------------------------------------------------------- issues that a run proposes

PROPOSED = re.compile(r"<!-- agentcells:issues (\[.*\]) -->\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An issue that a run would have filed."""

    title: str
    body: str


def proposals(outcome: Outcome) -> tuple[Proposal, ...]:
    """What the field `sub_issues` of an answer holds."""
    given = dict(outcome.fields).get(SUB_ISSUES, "")
    return tuple(Proposal(**one) for one in json.loads(given)) if given else ()


def _offered(config: Config, order: Order, outcome: Outcome) -> Iterator[list[str]]:
    """The proposed issues to be read, how to say yes, and at the end of the post as data."""
    found, language = proposals(outcome), config.factory.language
    if not found:
        return
    yield [say("comment_proposed", language, count=len(found)), "",
           *(f"{n}. {one_line(one.title, ITEM)}" for n, one in enumerate(found, 1))]
    yield [say("comment_proposed_how", language, cell=order.cell)]
    texts = [
        line for n, one in enumerate(found, 1)
        for line in (f"**{n}. {one_line(one.title, ITEM)}**", "", text.harmless(one.body), "")
    ]
    yield folded(say("comment_proposed_texts", language), texts)
    data = json.dumps(
        [[one.title, one.body] for one in found], ensure_ascii=False, separators=(",", ":")
    )
    hidden = data.replace("--", "\\u002d\\u002d")
    yield [f"<!-- agentcells:issues {hidden} -->"]


def sub_issue_body(config: Config, parent: int, words: str, cell: Cell | None) -> str:
    """The text of an issue that was split off, below its marker."""
    language = config.factory.language
    key = "comment_part" if cell is None else "comment_part_begun"
    line = say(key, language, number=parent, cell=cell.name if cell is not None else "")
    return stacked([line], [text.harmless(text.clean(words)).strip("\n")])


# ---------------------------------------------------------------- the line of state


def _state(
    config: Config, order: Order, outcome: Outcome, to: str, reason: Reason | None, opened: bool
) -> Iterable[str]:
    """What happened, why it does not go where the model wanted, what comes next."""
    language = config.factory.language
    yield _happened(order, outcome, reason, opened, language)
    if reason is not None:
        wanted = outcome.next
        if wanted not in ("", NEEDS_HUMAN, ANSWER, to):
            yield say("comment_overruled", language, wanted=_target(wanted, language))
        yield _sentence(*reason, language)
    yield _next(config, order, outcome, to, reason, opened)


def _happened(
    order: Order, outcome: Outcome, reason: Reason | None, opened: bool, language: str
) -> str:
    if outcome.kind != "done":
        words = outcome_words(outcome.kind, language)
        return say("comment_failed", language, cell=order.cell, words=words)
    if outcome.next == ANSWER:
        return say("comment_answered", language, cell=order.cell)
    if outcome.next == NEEDS_HUMAN and reason is None:
        return say("comment_asks", language, cell=order.cell)
    return say("comment_opened" if opened else "comment_done", language, cell=order.cell)


def _next(
    config: Config, order: Order, outcome: Outcome, to: str, reason: Reason | None, opened: bool
) -> str:
    language = config.factory.language
    if to == NEEDS_HUMAN:
        return say("comment_next_reply", language)
    if to == IN_REVIEW:
        has_pull = opened or order.pull is not None
        return say("comment_next_pull" if has_pull else "comment_next_look", language)
    if to == "":
        merged = outcome.next == MERGE and reason is None
        return say("comment_next_merge" if merged else "comment_next_nothing", language)
    finished = outcome.kind == "done"
    if to != order.cell or outcome.next == to or (finished and reason is not None):
        return say("comment_next_cell", language, next=to)
    return say("comment_next_again" if finished else "comment_next_retry", language)


def _target(wanted: str, language: str) -> str:
    if wanted in (DONE, MERGE):
        return say(f"comment_target_{wanted}", language)
    return f"**{wanted}**"


def _sentence(key: str, slots: Slots, language: str) -> str:
    """A sentence whose slots may hold other people's words."""
    return say(key, language, **{
        name: one_line(value, 1_000) if isinstance(value, str) else value
        for name, value in dict(slots).items()
    })


# ---------------------------------------------------------------- notes and facts


def _notes(
    delivery: Delivery | None, end: RunEnd | None, kept: bool, language: str
) -> Iterator[list[str]]:
    """What the owner must know without opening anything."""
    if delivery is not None:
        blocks = (_finding(f, language) for f in delivery.verdict.blocks)
        yield _listing("comment_blocks", blocks, language)
        conflicts = (code(path) for path in delivery.conflicts)
        yield _listing("comment_conflicts", conflicts, language)
        if delivery.foreign:
            who = ", ".join(one_line(name, ITEM) for name in delivery.foreign[:ITEMS])
            yield [say("comment_foreign", language, who=who)]
    if end is not None:
        refusals = (one_line(why, ITEM) for why in end.refusals)
        yield _listing("comment_refusals", refusals, language)
    if kept:
        yield [say("comment_kept", language)]


def _facts(
    config: Config, order: Order, outcome: Outcome, delivery: Delivery | None,
    end: RunEnd | None, rounds: tuple[int, int] | None,
) -> Iterable[str]:
    language = config.factory.language
    yield from _run_facts(order, outcome, language)
    if rounds is not None and rounds[0]:  # a question of the owner's that was only answered is none
        yield "- " + say("comment_rounds", language, used=rounds[0], limit=rounds[1])
    if delivery is not None and (order.writes or (end and end.tested)):
        yield "- " + _tested(config, delivery, end.tested if end else None, end)
    if end is not None:
        records = (one_line(message, ITEM) for message in end.records)
        yield from _listing("comment_records", records, language)
    if delivery is not None:
        flags = (_finding(f, language) for f in delivery.verdict.flags)
        yield from _listing("comment_flags", flags, language)
    yield from ("", say("comment_commands", language))
    if outcome.detail:
        detail = text.head_tail(text.printable(outcome.detail), DETAIL, language)
        yield from ("", *block(detail))


def _run_facts(order: Order, outcome: Outcome, language: str) -> Iterable[str]:
    yield "- " + say("comment_run", language, run=order.run, cell=order.cell)
    yield "- " + say(
        "comment_cost", language, tokens=f"{outcome.tokens:,}", usd=f"{outcome.usd:.2f}"
    )


def _tested(
    config: Config, delivery: Delivery, tested: TreeTest | None, end: RunEnd | None
) -> str:
    """How the work was tested, and what of it was not (R8)."""
    language = config.factory.language
    if tested is None:
        how = "comment_not_tested" if config.commands.test else "comment_no_test_command"
    elif end is not None and tested.tree != end.sealed_tree:
        how = "comment_tested_before"
    else:
        how = "comment_tested" if tested.passed else "comment_test_failed"
    merged = [say("comment_merged_base", language)] if delivery.merged_base else []
    return ("" if language == "ja" else " ").join([say(how, language), *merged])


def _listing(key: str, lines: Iterable[str], language: str) -> list[str]:
    """A sentence and its list; nothing when there is nothing to list."""
    found = list(lines)
    if not found:
        return []
    left_out = len(found) - ITEMS
    more = [f"- {say('comment_more', language, count=left_out)}"] if left_out > 0 else []
    return ["", say(key, language), "", *(f"- {line}" for line in found[:ITEMS]), *more]


def _finding(finding: Finding, language: str) -> str:
    """A finding of the gate in words: where, and what it is about."""
    what = say(f"gate_{finding.rule}", language, detail=one_line(finding.detail, ITEM))
    return f"{code(finding.path)}: {what}" if finding.path else what


def _title(order: Order, language: str) -> str:
    number = order.issue or order.pull or 0
    return plain_title(order.title) or say("comment_untitled", language, number=number)
