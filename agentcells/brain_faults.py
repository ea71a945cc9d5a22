"""What went wrong, told to an agent that a person drives: a code, what it means, what to do.

Nothing of what a program, a forge or this code itself said gets through: the cause picks a
sentence, and the sentence takes numbers and paths of the project alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from agentcells import door
from agentcells.cell_faults import of_gate
from agentcells.door import Envelope
from agentcells.faces import LONGEST_LIST, LONGEST_TEXT, Arguments, Face, Flaw
from agentcells.forge import (
    Forbidden,
    ForgeError,
    NotFound,
    Partial,
    RateLimited,
    Stale,
    Unauthorized,
    Unavailable,
)
from agentcells.history.sealed import GateRefused
from agentcells.model import Problem
from agentcells.sentences import say

Code: TypeAlias = Literal[
    "conflict", "auth_failed", "not_found", "policy_blocked", "backend_error"
]

_LATER = "work_later_hint"
_HUMAN = "work_human_hint"
_REFUSED = "work_refused_hint"

# Of every sentence that can be an error's summary: the code, and the hint where it has not its own.
FAULTS: Mapping[str, tuple[Code, str]] = {
    "work_git_behind": ("conflict", ""),
    "work_unfinished": ("conflict", ""),
    "work_conflicts": ("conflict", ""),
    "work_overlap": ("conflict", ""),
    "work_git_overlap": ("conflict", "work_overlap_hint"),
    "work_both_changed": ("conflict", ""),
    "work_git_busy": ("conflict", ""),
    "work_issue_stale": ("conflict", ""),
    "records_markers_left": ("conflict", "work_markers_hint"),
    "work_git_auth": ("auth_failed", "work_auth_hint"),
    "work_issue_auth": ("auth_failed", "work_auth_hint"),
    "work_no_project": ("not_found", ""),
    "work_no_shared_place": ("not_found", ""),
    "work_git_not_found": ("not_found", ""),
    "work_no_record": ("not_found", ""),
    "work_no_issue": ("not_found", ""),
    "work_no_label": ("not_found", ""),
    "work_no_tracker": ("not_found", ""),
    "work_unknown_operation": ("not_found", ""),
    "records_no_such_path": ("not_found", "work_path_hint"),
    "work_not_started": ("policy_blocked", ""),
    "work_root_not_allowed": ("policy_blocked", ""),
    "work_unrecorded": ("policy_blocked", ""),
    "work_no_line": ("policy_blocked", ""),
    "work_git_hook": ("policy_blocked", ""),
    "work_git_protected": ("policy_blocked", ""),
    "work_git_identity": ("policy_blocked", ""),
    "work_git_signature": ("policy_blocked", ""),
    "work_git_ownership": ("policy_blocked", ""),
    "work_issue_forbidden": ("policy_blocked", ""),
    "work_issue_limit": ("policy_blocked", ""),
    "work_label_reserved": ("policy_blocked", ""),
    "work_in_line": ("policy_blocked", ""),
    "work_line_there": ("policy_blocked", ""),
    "work_line_unrecorded": ("policy_blocked", "work_unrecorded_hint"),
    "work_line_name": ("policy_blocked", ""),
    "work_no_such_line": ("not_found", ""),
    "work_no_lines": ("not_found", "work_unknown_operation_hint"),
    "work_no_cell": ("not_found", ""),
    "records_nothing": ("policy_blocked", "work_nothing_hint"),
    "records_no_message": ("policy_blocked", "work_message_hint"),
    "records_outside": ("policy_blocked", "work_path_hint"),
    "records_gate": ("policy_blocked", "work_gate_hint"),
    "records_nested": ("policy_blocked", _REFUSED),
    "records_too_large": ("policy_blocked", _REFUSED),
    "records_unreadable": ("policy_blocked", _REFUSED),
    "work_git_slow": ("backend_error", _LATER),
    "work_git_network": ("backend_error", _LATER),
    "work_git_disk": ("backend_error", _HUMAN),
    "work_git_missing": ("backend_error", _HUMAN),
    "work_git_other": ("backend_error", _LATER),
    "work_issue_unavailable": ("backend_error", _LATER),
    "work_issue_partial": ("backend_error", _LATER),
    "work_crash": ("backend_error", _LATER),
}

# The first class that fits; the rest of what a forge can say is no more than "not now".
_FORGE: tuple[tuple[type[ForgeError], str], ...] = (
    (Unauthorized, "work_issue_auth"),
    (Forbidden, "work_issue_forbidden"),
    (NotFound, "work_no_issue"),
    (RateLimited, "work_issue_limit"),
    (Stale, "work_issue_stale"),
    (Partial, "work_issue_partial"),
    (Unavailable, "work_issue_unavailable"),
)


_FLAW_KEYS: Mapping[Flaw, str] = {
    "unknown": "work_argument_unknown", "missing": "work_argument_missing",
    "long": "work_argument_long",
}


def no_verb(verb: str, faces: tuple[Face, ...], language: str) -> Envelope:
    return told("work_unknown_operation", language)


def elsewhere(verb: str, language: str) -> Envelope:
    return told("work_unknown_operation", language)


def bug(language: str) -> Envelope:
    return told("work_crash", language)


def failed(problem: Problem, arguments: Arguments, language: str) -> Envelope:
    """Any Problem of the rooms below; one that was never meant for here is a crash."""
    if isinstance(problem, ForgeError) and problem.key not in FAULTS:
        return _of_forge(problem, arguments.get("issue_id"), language)
    if problem.key not in FAULTS:
        return bug(language)
    slots = dict(problem.slots)
    found = told(problem.key, language, **slots)
    if isinstance(problem, GateRefused):
        found["summary"] = of_gate(problem.findings[0], language)
    if more := slots.get("more"):
        found["summary"] += " " + say("records_more", language, more=more)
    return found


def flawed(face: Face, flaw: Flaw, name: str, language: str) -> Envelope:
    """A call that does not fit. The name of an argument that is not ours is not repeated."""
    argument = next((argument for argument in face.arguments if argument.name == name), None)
    kind = argument.kind if argument else "text"
    slots: dict[str, object] = {"name": name, "limit": LONGEST_TEXT, "most": LONGEST_LIST}
    if argument is not None:
        slots |= {"choices": ", ".join(argument.choices), "least": argument.least}
        slots["most"] = argument.most if kind == "number" else LONGEST_LIST
    names = ", ".join(argument.name for argument in face.arguments)
    hint = "work_argument_hint" if names else "work_argument_none_hint"
    return door.error(
        "policy_blocked", say(_FLAW_KEYS.get(flaw, f"work_argument_{kind}"), language, **slots),
        say(hint, language, arguments=names),
    )


def told(key: str, language: str, **slots: object) -> Envelope:
    """The error whose summary is the sentence `key`."""
    code, hint = FAULTS[key]
    return door.error(
        code, say(key, language, **slots), say(hint or f"{key}_hint", language, **slots)
    )


def _of_forge(problem: ForgeError, issue: int | None, language: str) -> Envelope:
    key = next((key for kind, key in _FORGE if isinstance(problem, kind)), "work_issue_unavailable")
    if key == "work_no_issue" and issue is None:
        key = "work_no_tracker"
    return told(key, language, issue=issue)


__all__ = ["FAULTS", "Code", "bug", "elsewhere", "failed", "flawed", "no_verb", "told"]
