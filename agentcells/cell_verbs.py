"""What the verbs of `agentcells cell` answer inside a run: its work, its records, what is missing.

The model reads these answers: each says what there is and what to do next, and none speaks of the
tools below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from agentcells import door
from agentcells.door import Envelope
from agentcells.history import Change, History, HistoryError, Record
from agentcells.history.names import shown
from agentcells.history.sealed import Survey
from agentcells.observation import ChangedFile, Facts, WorkState, state_of
from agentcells.run import TreeTest
from agentcells.sentences import say
from agentcells.text import bounded

Arguments: TypeAlias = dict[str, Any]
Missing: TypeAlias = Literal["change", "record", "test"]

LISTED = 50  # more names than that tell nothing
_NAMED = 3
_MESSAGE, _FILES, _NAME = 1_000, 10, 200  # of a record in a list


class CellHistory(History, Protocol):
    """The history of a run: what `history.sealed.Sealed` is."""

    def survey(self) -> Survey: ...

    def remove(self, paths: Sequence[str]) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class CellContext:
    """All that a verb may know of its run."""

    history: CellHistory
    writes: bool
    needs_record: bool
    needs_test: bool
    issue: int | None
    tested: TreeTest | None
    write_log: Callable[[str], object]
    language: str = "en"

    started = True  # a run is never without its work
    options = ()  # nobody turns anything on in a run

    def offers(self, operation: str) -> bool:
        return True

    def log(self, text: str) -> None:
        self.write_log(text)

    def say(self, key: str, **slots: object) -> str:
        return say(key, self.language, **slots)


# ---------------------------------------------------------------- the verbs


def observe(context: CellContext, arguments: Arguments) -> Envelope:
    survey = context.history.survey()
    unpublished = context.history.unpublished() or 0
    state = work_state(survey, unpublished, context.issue)
    lacking = missing(context, survey)
    data = {
        "work_state": state,
        "default_issue": context.issue,
        "changed_files": [change.path for change in survey.changes[:LISTED]],
        "diff_summary": _summed_up(context, survey.changes),
        "unpublished_records": unpublished,
        "missing": [context.say(f"records_missing_{what}") for what in lacking],
        "next_recommended": next_step(context, survey),
        "available_next": _available(survey),
    }
    if (left := len(survey.changes) - LISTED) > 0:
        data["omitted_changed_files"] = left
    if state == "blocked":
        data["blocked_reason"] = _blocked(context, survey)
        return door.ok(context.say("records_blocked"), data)
    key = "records_lacking" if lacking else "records_complete"
    return door.ok(context.say(key if context.writes else "records_reads_only"), data)


def status(context: CellContext, arguments: Arguments) -> Envelope:
    survey = context.history.survey()
    own = context.history.records(context.history.unpublished() or 0)
    data = {
        "default_issue": context.issue,
        "changed_files": [_changed(change) for change in survey.changes],
        "records": [_recorded(record, files=False) for record in own],
        "next_recommended": next_step(context, survey),
    }
    summary = context.say("records_status", changes=len(survey.changes), records=len(own))
    return door.ok(summary, data)


def diff(context: CellContext, arguments: Arguments) -> Envelope:
    paths = arguments.get("paths", ())
    text = context.history.diff(paths)
    if not text:
        key = "records_same_there" if paths else "records_same"
        return door.ok(context.say(key), {"text": ""})
    return door.ok(context.say("records_diff"), {"text": text})


def history(context: CellContext, arguments: Arguments) -> Envelope:
    found = context.history.records(arguments.get("limit", 20))
    own = context.history.unpublished() or 0
    data = {"records": [_recorded(record) for record in found], "of_this_run": min(own, len(found))}
    return door.ok(context.say("records_history", count=len(found)), data)


def record(context: CellContext, arguments: Arguments) -> Envelope:
    _needs_writes(context)
    issues = () if context.issue is None else (context.issue,)
    made = context.history.record(arguments["message"], issues)
    survey = context.history.survey()
    data = {
        "record": made.id,
        "files": list(made.files),
        "issue_ids": list(made.issues),
        "work_state": work_state(survey, context.history.unpublished() or 0, context.issue),
        "next_recommended": next_step(context, survey),
    }
    return door.ok(context.say("records_recorded", count=len(made.files)), data)


def remove(context: CellContext, arguments: Arguments) -> Envelope:
    _needs_writes(context)
    gone = context.history.remove(arguments["paths"])
    step = next_step(context, context.history.survey())
    data = {"removed": [shown(path) for path in gone], "next_recommended": step}
    return door.ok(context.say("records_removed", count=len(gone)), data)


# ---------------------------------------------------------------- judging


def work_state(survey: Survey, unpublished: int, issue: int | None) -> WorkState:
    """As for an agent that a person drives; in a run, files that are refused stop the work."""
    return state_of(Facts(
        changes=tuple(ChangedFile(path=change.path) for change in survey.changes),
        unpublished=unpublished, issue=issue,
        obstacle="refused" if survey.refusals or survey.unresolved else "",
    ))


def missing(context: CellContext, survey: Survey) -> tuple[Missing, ...]:
    """What the CLI would find wanting if the run ended now and went on to the next cell (R8)."""
    found: list[Missing] = []
    if context.needs_record and not survey.differs:
        found.append("change")
    if survey.changes and context.writes:
        found.append("record")
    if context.needs_test and survey.differs and not _tested(context, survey):
        found.append("test")
    return tuple(found)


def next_step(context: CellContext, survey: Survey) -> dict[str, Any] | None:
    """The one thing to do now; None: go on with the work, or answer."""
    if survey.unresolved or not context.writes:
        return None
    if survey.refusals:
        return _step(context, "remove", "records_because_refused", ["paths"])
    if survey.changes:
        return _step(context, "record", "records_because_changed", ["message"])
    if "test" in missing(context, survey):
        return _step(context, "test", "records_because_untested", [])
    return None


def _tested(context: CellContext, survey: Survey) -> bool:
    tested = context.tested
    return tested is not None and tested.passed and tested.tree == survey.tree


def _step(context: CellContext, verb: str, reason: str, required: list[str]) -> dict[str, Any]:
    return {
        "tool": f"agentcells cell {verb}", "reason": context.say(reason), "required_args": required,
    }


def _available(survey: Survey) -> list[str]:
    verbs = ["diff", "status"] if survey.changes else ["history"]
    return [f"agentcells cell {verb}" for verb in verbs]


def _needs_writes(context: CellContext) -> None:
    if not context.writes:
        raise HistoryError("records_read_only")


# ---------------------------------------------------------------- showing


def _blocked(context: CellContext, survey: Survey) -> str:
    if survey.refusals:
        first = survey.refusals[0]
        text = context.say(first.why, path=shown(first.path))
        more = len(survey.refusals) - 1
    else:
        text = context.say("records_markers_left", path=shown(survey.unresolved[0]))
        more = len(survey.unresolved) - 1
    return f"{text} {context.say('records_more', more=more)}" if more else text


def _summed_up(context: CellContext, changes: Sequence[Change]) -> str | None:
    if not changes:
        return None
    names = ", ".join(change.path for change in changes[:_NAMED])
    if len(changes) > _NAMED:
        names += ", …"
    added = sum(change.added or 0 for change in changes)
    removed = sum(change.removed or 0 for change in changes)
    return context.say(
        "records_summed_up", count=len(changes), added=added, removed=removed, names=names
    )


def _changed(change: Change) -> dict[str, Any]:
    return {
        "path": change.path, "kind": change.kind, "added": change.added, "removed": change.removed,
    }


def _recorded(record: Record, *, files: bool = True) -> dict[str, Any]:
    told: dict[str, Any] = {"record": record.id, "message": bounded(record.message, _MESSAGE)}
    if files:
        told["files"] = [bounded(path, _NAME) for path in record.files[:_FILES]]
        if len(record.files) > _FILES:
            told["omitted_files"] = len(record.files) - _FILES
        told["issue_ids"] = list(record.issues)
        told["at"] = record.at
    return told
