"""What an agent that a person drives is answered about its work and its records.

What is recommended comes from `observation`, what is refused from the history and the tracker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentcells import door, draft
from agentcells.brain_session import Arguments, Session, after, judged, look, looked_up, told
from agentcells.door import Envelope
from agentcells.forge import ForgeError
from agentcells.history import Change, HistoryError, Record
from agentcells.tracker import Tracker

LISTED = 50
FILES_OF_A_RECORD = 10
DIFF_LIMIT = 24_000
_HEADER = "== "


# ---------------------------------------------------------------- the session


def session_start(session: Session, arguments: Arguments) -> Envelope:
    from agentcells.project import open_project  # reads cells.toml, which a run never does

    project = open_project(arguments["project_root"], session.setting, session.log)
    if session.project is None or session.project.root != project.root:
        session.issue = None
    session.project, session.unreadable = project, False
    reached = project.tracker is not None and _reached(session, project.tracker)
    data = {"project": project.name, "issues": "available" if reached else "unavailable",
            "default_issue": session.issue}
    key = "work_started" if reached else "work_started_no_issues"
    return door.ok(session.say(key), data)


def start(session: Session, arguments: Arguments) -> Envelope:
    issue = arguments.get("issue_id")
    if issue is None:
        session.issue = None
        return door.ok(session.say("work_issue_unset"), {"default_issue": None})
    checked = looked_up(session, [issue])
    session.issue = issue
    key = "work_issue_set" if checked else "work_issue_set_unchecked"
    return door.ok(session.say(key, issue=issue), {"default_issue": issue})


# ---------------------------------------------------------------- looking


def observe_work(session: Session, arguments: Arguments) -> Envelope:
    found = look(session)
    data: dict[str, Any] = {
        "work_state": found.state,
        "default_issue": found.issue,
        "changed_files": None if found.files is None else list(found.files),
        "diff_summary": found.summary,
        "unpublished_records": found.unpublished,
        "next_recommended": told(session, found.next),
        "available_next": [session.names[verb] for verb in found.available],
    }
    if found.omitted:
        data["omitted_files"] = found.omitted
    if found.blocked_reason:
        data["blocked_reason"] = found.blocked_reason
    return door.ok(session.say(f"work_state_{found.state}"), data)


def status(session: Session, arguments: Arguments) -> Envelope:
    now = session.work.history.standing()
    found = judged(session, now)
    shown = now.changes[:LISTED]
    data: dict[str, Any] = {
        "work_state": found.state,
        "default_issue": found.issue,
        "changes": [_change(change) for change in shown],
        "unpublished_records": found.unpublished,
    }
    if len(now.changes) > len(shown):
        data["omitted_files"] = len(now.changes) - len(shown)
    return door.ok(session.say(f"work_state_{found.state}"), data)


def diff(session: Session, arguments: Arguments) -> Envelope:
    history, paths = session.work.history, arguments.get("paths") or ()
    record = arguments.get("record")
    text = history.diff_of(record, paths) if record else history.diff(paths)
    if not text:
        return door.ok(session.say("work_diff_none"), {"diff": ""})
    there = _count(session, record, paths)
    cut = len(text) > DIFF_LIMIT
    if cut:
        text = text[: text.rfind("\n", 0, DIFF_LIMIT) + 1]
    shown = sum(line.startswith(_HEADER) for line in text.split("\n"))
    omitted = there - shown + cut
    if omitted:
        return door.ok(session.say("work_diff_cut", omitted=omitted),
                       {"diff": text, "omitted_files": omitted})
    return door.ok(session.say("work_diff_done", files=shown), {"diff": text})


def history(session: Session, arguments: Arguments) -> Envelope:
    own = session.work.history
    record = arguments.get("record")
    found = (own.find(record),) if record else own.records(arguments.get("limit", 20))
    whole = record is not None
    data = {"records": [_record(one, whole=whole) for one in found]}
    return door.ok(session.say("work_history_done", count=len(found)), data)


# ---------------------------------------------------------------- recording and sharing


def record(session: Session, arguments: Arguments) -> Envelope:
    own = session.work.history
    if "message" not in arguments or not arguments["message"].strip():
        return _suggested(session)  # only where the person turned drafts on
    given = arguments.get("issue_ids")
    if given is None:
        issues, checked = [session.issue] if session.issue is not None else [], True
    else:
        issues = list(dict.fromkeys(given))
        checked = looked_up(session, issues)
    made = own.record(arguments["message"], [issue for issue in issues if issue is not None])
    key = "work_recorded" if checked else "work_recorded_unchecked"
    data = {"record": made.id, "files": len(made.files), "issue_ids": list(made.issues)}
    return door.ok(session.say(key, files=len(made.files)), data | after(session))


def _suggested(session: Session) -> Envelope:
    """A draft of the message. Nothing is recorded before the agent gives one (J1)."""
    own = session.work.history
    changes = own.changes()
    if not changes:
        raise HistoryError("records_nothing")
    made = draft.message(own.diff(), [change.path for change in changes], session.language,
                         session.work.config.agent.command, session.log)
    data = {
        "suggested_message": made.text, "files": len(changes),
        "next_recommended": {"tool": session.names["record"], "required_args": ["message"],
                             "reason": session.say("work_why_confirm")},
    }
    key = "work_draft_done" if made.read else "work_draft_plain"
    return door.ok(session.say(key), data)


def publish(session: Session, arguments: Arguments) -> Envelope:
    count = session.work.history.publish()
    key = "work_published" if count else "work_published_none"
    return door.ok(session.say(key, count=count), {"published": count} | after(session))


def update(session: Session, arguments: Arguments) -> Envelope:
    count = session.work.history.update()
    key = "work_updated" if count else "work_updated_none"
    return door.ok(session.say(key, count=count), {"taken_in": count} | after(session))


def _reached(session: Session, tracker: Tracker) -> bool:
    try:
        tracker.check()
    except ForgeError as error:
        session.log(f"issues: {error.key} {error.slots}")
        return False
    return True


# ---------------------------------------------------------------- showing


def _change(change: Change) -> dict[str, Any]:
    return {"path": change.path, "kind": change.kind, "added": change.added,
            "removed": change.removed}


def _record(one: Record, *, whole: bool) -> dict[str, Any]:
    files = one.files if whole else one.files[:FILES_OF_A_RECORD]
    found: dict[str, Any] = {
        "record": one.id, "message": one.message, "files": list(files[: 4 * LISTED]),
        "issue_ids": list(one.issues), "at": one.at,
    }
    if len(one.files) > len(found["files"]):
        found["omitted_files"] = len(one.files) - len(found["files"])
    return found


def _count(session: Session, record: str | None, paths: Sequence[str]) -> int:
    """Of how many files there are differences, shown or not."""
    own = session.work.history
    names = own.find(record).files if record else [change.path for change in own.changes()]
    return sum(not paths or any(_below(name, path) for path in paths) for name in names)


def _below(name: str, path: str) -> bool:
    plain = path.removeprefix("./").rstrip("/")
    return name == plain or name.startswith(f"{plain}/")
