"""What the commands show: the plan line by line, the flow as a drawing, the steps of a story."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, assert_never

from agentcells import wire
from agentcells.config import Cell, Config
from agentcells.markers import below, parse_marker
from agentcells.model import DONE, HOLD, IN_REVIEW, MERGE, NEEDS_HUMAN, WORKING
from agentcells.plan import (
    Action,
    AssignOwner,
    Brake,
    Claim,
    CloseRun,
    DeleteBranch,
    MergePull,
    OpenPull,
    Plan,
    Post,
    Push,
    SetBrake,
    SetState,
    Skip,
    WriteLedger,
)
from agentcells.sentences import say
from agentcells.standing import because, cut, status_board, status_value, why
from agentcells.text import printable

__all__ = [
    "action_line", "comment_line", "graph", "label_line", "plan_lines", "plan_value",
    "record_line", "skip_line", "status_board", "status_value", "why",
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
        case SetState():
            return _label_change(config, action, language, came_from)
        case WriteLedger():
            runs = action.ledger.older_runs + len(action.ledger.rows)
            return say("view_ledger", language, runs=runs, number=action.number)
        case Claim():
            key = "view_claim_reply" if action.reply else "view_claim"
            return say(key, language, cell=action.cell)
        case CloseRun():
            return say("view_keep" if action.keep else "view_close", language, run=action.run)
        case DeleteBranch():
            return say("view_delete_branch", language, ref=action.ref)
        case MergePull():
            return say("view_merge", language, number=action.number, sha=action.expected_head[:7])
        case SetBrake():
            return _brake_words(action.brake, language)
        case _:
            assert_never(action)


def _label_change(
    config: Config, action: SetState, language: str, came_from: str | None
) -> str:
    states = [action.label, WORKING if action.working else "", HOLD if action.hold else ""]
    change = label_line(config, language, came_from, *states)
    return say("view_labels", language, where=say(f"view_on_{action.on}", language), change=change)


def _brake_words(brake: Brake, language: str) -> str:
    if brake.stopped:
        return say("view_brake_stopped", language)
    if brake.paused_until is not None:
        return say("view_brake_pause", language, until=f"{brake.paused_until:%Y-%m-%d %H:%M} UTC",
                   why=printable(brake.pause_reason, one_line=True))
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
    there = " + ".join(names) or say("view_no_label", language)
    if before is None:
        return there
    return f"{config.label(before) if before else say('view_no_label', language)} -> {there}"


def record_line(message: str, language: str) -> str:
    """A record by its first line."""
    return say("view_record", language, message=cut(message, EXCERPT))


def comment_line(author: str, body: str, language: str) -> str:
    """A comment by its first words, without marker and Markdown."""
    return say("view_comment", language, who=cut(author, EXCERPT), line=_first_words(body))


def _first_words(body: str) -> str:
    said = body if parse_marker(body) is None else below(body)
    return cut(re.sub(r"[*`]+", "", said.strip().partition("\n")[0]), EXCERPT)


# ---------------------------------------------------------------- the flow


def graph(config: Config) -> str:
    """The flow of cells.toml as Mermaid. A cell that nothing leads to is drawn in red."""
    language = config.factory.language
    lines = ["flowchart LR"]
    lines += [f'  {_node(cell.name)}["{_box(cell, language)}"]' for cell in config.cells]
    for state in (NEEDS_HUMAN, IN_REVIEW):
        words = say(f"view_graph_{state.replace('-', '_')}", language)
        lines.append(f'  {_node(state)}(["{_drawn(config.label(state))}<br/>{words}"])')
    lines += _edges(config, language)
    if lost := sorted({cell.name for cell in config.cells} - _reached(config)):
        lines.append("  classDef unreachable stroke:#c00,color:#c00,stroke-dasharray:4")
        lines += [f"  class {_node(name)} unreachable" for name in lost]
        lines += [f"  %% {say('view_graph_unreachable', language, name=name)}" for name in lost]
    return "\n".join(lines)


def _edges(config: Config, language: str) -> Iterator[str]:
    replies, merged = say("view_graph_reply", language), say("view_graph_merge", language)
    for cell in config.cells:
        for name in cell.next:
            if name == MERGE:
                yield f'  {_node(cell.name)} --> {_node(MERGE)}(["{merged}"])'
            elif name != NEEDS_HUMAN:
                yield f"  {_node(cell.name)} --> {_node(IN_REVIEW if name == DONE else name)}"
        if cell.on != "factory":
            yield f"  {_node(cell.name)} <-.-> {_node(NEEDS_HUMAN)}"
    if target := _reply_target(config):
        yield f"  {_node(IN_REVIEW)} -. {replies} .-> {_node(target)}"
    checks, failed = config.checks_cell(), say("view_graph_checks", language)
    if checks and checks != target:
        yield f"  {_node(IN_REVIEW)} -. {failed} .-> {_node(checks)}"


def _reply_target(config: Config) -> str | None:
    """Where the owner's words on `in-review` go: as configured, else to what opens the pull."""
    opening = (cell.name for cell in config.cells if cell.on == "issue" and cell.needs_record)
    return config.reply_cell() or next(opening, None)


def _reached(config: Config) -> set[str]:
    on = {cell.name: cell for cell in config.cells}
    starts = [cell.name for cell in config.cells if cell.on == "issue"] or list(on)
    left = [*starts, config.reply_cell(), config.checks_cell(),
            *(cell.name for cell in config.cells if cell.on == "factory")]
    reached: set[str] = set()
    while left:
        name = left.pop()
        if name in on and name not in reached:
            reached.add(name)
            left += on[name].next
    return reached


def _node(name: str) -> str:
    return "n_" + name.replace("-", "_")


def _box(cell: Cell, language: str) -> str:
    label = f"<br/>{_drawn(cell.label)}" if cell.label else ""
    return f"<b>{_drawn(cell.name)}</b>{label}<br/>{say(f'view_graph_on_{cell.on}', language)}"


def _drawn(words: str) -> str:
    """A text inside the quotes of a Mermaid label: its own escapes."""
    return re.sub(r'["<>#&;]', lambda found: f"#{ord(found[0])};", printable(words))
