"""What the commands show: the plan line by line, a story step by step; the way to other views."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, assert_never

from agentcells import rounds, wire
from agentcells.board import board, status_board
from agentcells.columns import because, cut
from agentcells.explain import why, why_value
from agentcells.flow import graph, graph_value
from agentcells.markers import below, outcome_words, parse_marker
from agentcells.model import HOLD, WORKING
from agentcells.plan import (
    Action,
    AssignOwner,
    Brake,
    Claim,
    CloseFiled,
    CloseRun,
    DeleteBranch,
    FileIssue,
    KeepBook,
    MergePull,
    OpenPull,
    Plan,
    Post,
    Push,
    ReplyInThread,
    SetBrake,
    SetState,
    Skip,
    SplitIssue,
    WriteLedger,
)
from agentcells.sentences import say
from agentcells.standing import status_value
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.config import Config

__all__ = [
    "action_line", "board", "graph", "graph_value", "label_line", "plan_lines",
    "plan_value", "skip_line", "status_board", "status_value", "why", "why_value",
]

EXCERPT = 90  # columns of a line that quotes somebody


# ---------------------------------------------------------------- the plan


def plan_lines(config: Config, plan: Plan, language: str) -> list[str]:
    """What --dry-run prints: one line an action, in order, then what is left alone and why."""
    lines = [
        action_line(config, action, language, came_from=_came_from(plan, action))
        for action in plan.actions
    ] or [say("view_nothing_to_do", language)]
    if plan.skips:
        lines += ["", say("view_left_alone", language)]
    return lines + [skip_line(skip, language) for skip in plan.skips]


def action_line(
    config: Config, action: Action, language: str, *, came_from: str | None = None
) -> str:
    """One write in plain words. `came_from`: the state before a change of label, where known."""
    words = _words(config, action, language, came_from)
    return f"{action.pair_key}  {words}" if action.pair_key else words


def skip_line(skip: Skip, language: str) -> str:
    """One item left alone: which, why, and who can change it."""
    return say(
        "view_skip", language, pair=skip.pair_key, title=cut(skip.title, 50),
        why=because(skip.key, skip.slots, language), who=say(f"view_who_{skip.who}", language),
    )


def plan_value(config: Config, plan: Plan, language: str) -> dict[str, Any]:
    """The very plan for a program: every field of every action, and its line in words."""
    return {
        "actions": [
            {
                "action": _snake(action),
                "line": action_line(
                    config, action, language, came_from=_came_from(plan, action)
                ),
                **_plain(action),
            }
            for action in plan.actions
        ],
        "skips": [
            {**_plain(skip), "slots": dict(skip.slots), "line": skip_line(skip, language)}
            for skip in plan.skips
        ],
    }


def _words(config: Config, action: Action, language: str, came_from: str | None) -> str:
    match action:
        case Push():
            return say("view_push", language, ref=action.ref, sha=action.cleared.sha[:7])
        case OpenPull():
            return say("view_open_pull", language, title=cut(action.title, EXCERPT))
        case AssignOwner():
            return say("view_assign", language)
        case Post():
            where = say(f"view_on_{action.on}", language)
            return say("view_post", language, where=where, line=_first_words(action.body))
        case ReplyInThread():
            return say("view_answer", language, line=_first_words(action.body))
        case SetState():
            return _label_change(config, action, language, came_from)
        case WriteLedger():
            return say("view_ledger", language, runs=rounds.runs(action.ledger), number=action.number)
        case Claim():
            key = "view_claim_reply" if action.reply else "view_claim"
            return say(key, language, cell=action.cell)
        case CloseRun():
            key = "view_unstarted" if action.unstarted else "view_keep" if action.keep else "view_close"
            return say(key, language, run=action.run)
        case DeleteBranch():
            return say("view_delete_branch", language, ref=action.ref)
        case MergePull():
            return say("view_merge", language, number=action.number, sha=action.expected_head[:7])
        case SetBrake():
            return _brake_words(action.brake, language)
        case KeepBook():
            return say("view_keep_book", language, cell=action.cell)
        case FileIssue():
            return say("view_file_issue", language, title=cut(action.title, EXCERPT))
        case SplitIssue():
            return say("view_split", language, count=len(action.issues), number=action.number)
        case CloseFiled():
            return say("view_close_filed", language, number=action.number)
        case _:
            assert_never(action)


def _label_change(
    config: Config, action: SetState, language: str, came_from: str | None
) -> str:
    states = [action.label, *action.beside, WORKING if action.working else "", HOLD if action.hold else ""]
    change = label_line(config, language, came_from, *states)
    return say("view_labels", language, where=say(f"view_on_{action.on}", language), change=change)


def _brake_words(brake: Brake, language: str) -> str:
    if brake.stopped:
        return say("view_brake_stopped", language)
    if brake.paused_until is not None:
        return say("view_brake_pause", language, until=f"{brake.paused_until:%Y-%m-%d %H:%M} UTC",
                   why=printable(outcome_words(brake.pause_reason, language), one_line=True))
    return say("view_brake", language, usd=f"{brake.usd_today:.2f}")


def _came_from(plan: Plan, action: Action) -> str | None:
    """The state before a change of label: what announces the change in this plan says it (R24)."""
    if not isinstance(action, SetState):
        return None
    for other in plan.actions:
        if other.pair_key != action.pair_key:
            continue
        if isinstance(other, Post) and other.marker.came_from and other.marker.to == action.label:
            return other.marker.came_from
        if isinstance(other, WriteLedger) and other.ledger.moves:
            move = other.ledger.moves[-1]
            if move.to == action.label:
                return move.came_from
    return None


def _snake(action: Action) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(action).__name__).lower()


def _plain(value: Action | Skip) -> dict[str, Any]:
    plain: dict[str, Any] = json.loads(wire.to_json(value))
    return plain


# ---------------------------------------------------------------- a story, step by step


def label_line(config: Config, language: str, before: str | None, *after: str) -> str:
    """A change of label between states; "" is none, `before` None is not known here."""
    names = [config.label(state) for state in after if state]
    there = " + ".join(names) or say("view_labels_off", language)
    if before is None:
        return there
    return f"{config.label(before) if before else say('view_no_label', language)} -> {there}"


def _first_words(body: str) -> str:
    said = body if parse_marker(body) is None else below(body)
    return cut(re.sub(r"[*`]+", "", said.strip().partition("\n")[0]), EXCERPT)
