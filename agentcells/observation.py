"""What state work is in and what comes next: facts in, one judgement out (R49).

Written once for a person's agent and for the factory's: a surface names the operations that it has,
and nothing else is ever recommended there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from agentcells.sentences import say

WorkState: TypeAlias = Literal[
    "uninitialized", "clean_with_active_issue", "clean_idle", "dirty", "recorded_unpublished",
    "dirty_and_unpublished", "blocked", "unknown",
]
Verb: TypeAlias = str  # "record", "publish", ...: an operation without the name of its surface

FILES_SHOWN = 50
NAMES_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """Counts are None for a binary file."""

    path: str
    added: int | None = 0
    removed: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that a judgement may know. `obstacle` and `conflicts` as in `history.Standing`."""

    started: bool = True
    readable: bool = True
    tried_again: bool = False  # the look before this one failed too
    changes: tuple[ChangedFile, ...] = ()
    unpublished: int | None = 0  # None: there is no shared place
    issue: int | None = None
    obstacle: str = ""
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One recommended operation. `reason` and `hint` are sentences already."""

    verb: Verb
    reason: str
    required: tuple[str, ...] = ()
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """`files` None: not known."""

    state: WorkState
    issue: int | None
    files: tuple[str, ...] | None
    omitted: int
    summary: str | None
    unpublished: int | None
    next: Step | None
    available: tuple[Verb, ...] = ()
    blocked_reason: str = ""


def state_of(facts: Facts) -> WorkState:
    """Exactly one holds; the first that fits."""
    if not facts.started:
        return "uninitialized"
    if not facts.readable:
        return "unknown"
    if facts.obstacle:
        return "blocked"
    unshared = bool(facts.unpublished)
    if facts.changes:
        return "dirty_and_unpublished" if unshared else "dirty"
    if unshared:
        return "recorded_unpublished"
    return "clean_idle" if facts.issue is None else "clean_with_active_issue"


def observe(facts: Facts, language: str, verbs: Collection[Verb]) -> Observation:
    """The judgement, with nothing in it that the surface with these `verbs` does not have."""
    state = state_of(facts)
    files, shown = _files(facts, state)
    step, available = _next(facts, state, language)
    reason = say(f"work_obstacle_{facts.obstacle}", language) if state == "blocked" else ""
    return Observation(
        state=state, issue=facts.issue, files=shown,
        omitted=len(files or ()) - len(shown or ()),
        summary=change_summary(facts.changes, language) if _known(state) else None,
        unpublished=facts.unpublished if _known(state) else None,
        next=step if step is not None and step.verb in verbs else None,
        available=tuple(verb for verb in available if verb in verbs), blocked_reason=reason,
    )


def change_summary(changes: Sequence[ChangedFile], language: str) -> str | None:
    """ "1 file changed (+12 -3)"; several are named too, as far as they fit. None: no change."""
    if not changes:
        return None
    added = sum(change.added or 0 for change in changes)
    removed = sum(change.removed or 0 for change in changes)
    key = "work_changed_one" if len(changes) == 1 else "work_changed_many"
    names = ", ".join(change.path for change in changes[:NAMES_SHOWN])
    more = ", …" if len(changes) > NAMES_SHOWN else ""
    return say(key, language, files=len(changes), added=added, removed=removed, names=names + more)


def _known(state: WorkState) -> bool:
    return state not in ("uninitialized", "unknown")


def _files(
    facts: Facts, state: WorkState
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """All the files to tell of, and as many as are shown."""
    if not _known(state):
        return None, None
    files = facts.conflicts or tuple(change.path for change in facts.changes)
    return files, files[:FILES_SHOWN]


def _next(
    facts: Facts, state: WorkState, language: str
) -> tuple[Step | None, tuple[Verb, ...]]:
    match state:
        case "uninitialized":
            reason = say("work_why_start", language)
            return Step(verb="session_start", reason=reason, required=("project_root",)), \
                ("session_start",)
        case "unknown":
            again = Step(verb="observe", reason=say("work_why_again", language))
            return (None if facts.tried_again else again), ()
        case "blocked":
            if facts.obstacle != "shared_ahead":
                return None, ("diff",)
            return Step(verb="update", reason=say("work_why_update", language)), \
                ("record", "diff") if facts.changes else ()
        case "dirty" | "dirty_and_unpublished":
            hint = "" if facts.issue is not None else say("work_hint_issue_ids", language)
            reason = say("work_why_record", language)
            return Step(verb="record", reason=reason, required=("message",), hint=hint), ("diff",)
        case "recorded_unpublished":
            key = "work_why_publish_one" if facts.unpublished == 1 else "work_why_publish"
            return Step(verb="publish", reason=say(key, language, count=facts.unpublished)), ()
        case "clean_with_active_issue":
            key = "work_why_finish" if facts.unpublished is not None else "work_why_finish_alone"
            return Step(verb="finish", reason=say(key, language)), ()
        case "clean_idle":
            return None, ("start",)
        case never:
            assert_never(never)
