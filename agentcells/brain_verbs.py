"""What an agent that a person drives is answered: its session, its work, its records, its issues.

One connection has one `Session`: the project and the default issue live as long as it does. What is
recommended comes from `observation`, what is refused from the history and the tracker.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from agentcells import door
from agentcells.door import Envelope
from agentcells.forge import ForgeError, NotFound
from agentcells.git_process import GitError
from agentcells.history import Change, HistoryError, Record, Standing
from agentcells.history.own_git import OwnGitError
from agentcells.observation import ChangedFile, Facts, Observation, Step, observe
from agentcells.project import Project, Setting, open_project
from agentcells.sentences import say
from agentcells.text import clean
from agentcells.tracker import NEWEST, Doubts, Tracker

Arguments: TypeAlias = dict[str, Any]

LISTED = 50
FILES_OF_A_RECORD = 10
DIFF_LIMIT = 24_000
_HEADER = "== "


@dataclass(slots=True, kw_only=True)
class Session:
    """The state of one connection, and what it may do. `names`: operation to tool, as listed."""

    setting: Setting
    write_log: Callable[[str], None]
    names: dict[str, str]
    language: str = "en"
    project: Project | None = None
    issue: int | None = None
    unreadable: bool = False  # the newest look failed
    doubts: Doubts = field(default_factory=Doubts)

    def log(self, text: str) -> None:
        self.write_log(text)

    def say(self, key: str, **slots: object) -> str:
        return say(key, self.language, **slots)

    @property
    def started(self) -> bool:
        return self.project is not None

    def offers(self, operation: str) -> bool:
        return operation in self.names

    @property
    def work(self) -> Project:
        if self.project is None:
            raise HistoryError("work_not_started")
        return self.project

    @property
    def tracker(self) -> Tracker:
        if self.work.tracker is None:
            raise ForgeError("work_no_tracker")
        return self.work.tracker


# ---------------------------------------------------------------- the session


def session_start(session: Session, arguments: Arguments) -> Envelope:
    project = open_project(arguments["project_root"], session.setting, session.log)
    if session.project is None or session.project.root != project.root:
        session.issue = None
    session.project, session.unreadable = project, False
    reached = project.tracker is not None and _reached(session, project.tracker)
    data = {"project": project.name, "issues": "available" if reached else "unavailable",
            "default_issue": session.issue}
    key = "work_started" if reached else "work_started_no_issues"
    return door.ok(session.say(key, project=project.name), data)


def start(session: Session, arguments: Arguments) -> Envelope:
    issue = arguments.get("issue_id")
    if issue is None:
        session.issue = None
        return door.ok(session.say("work_issue_unset"), {"default_issue": None})
    checked = _checked(session, [issue])
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
        "next_recommended": _told(session, found.next),
        "available_next": [session.names[verb] for verb in found.available],
    }
    if found.omitted:
        data["omitted_files"] = found.omitted
    if found.blocked_reason:
        data["blocked_reason"] = found.blocked_reason
    return door.ok(session.say(f"work_state_{found.state}"), data)


def status(session: Session, arguments: Arguments) -> Envelope:
    now = session.work.history.standing()
    found = _judged(session, now)
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
    given = arguments.get("issue_ids")
    if given is None:
        issues, checked = [session.issue] if session.issue is not None else [], True
    else:
        issues = list(dict.fromkeys(given))
        checked = _checked(session, issues)
    made = own.record(arguments["message"], [issue for issue in issues if issue is not None])
    key = "work_recorded" if checked else "work_recorded_unchecked"
    data = {"record": made.id, "files": len(made.files), "issue_ids": list(made.issues)}
    return door.ok(session.say(key, files=len(made.files)), data | _after(session))


def publish(session: Session, arguments: Arguments) -> Envelope:
    count = session.work.history.publish()
    key = "work_published" if count else "work_published_none"
    return door.ok(session.say(key, count=count), {"published": count} | _after(session))


def update(session: Session, arguments: Arguments) -> Envelope:
    count = session.work.history.update()
    key = "work_updated" if count else "work_updated_none"
    return door.ok(session.say(key, count=count), {"taken_in": count} | _after(session))


def finish(session: Session, arguments: Arguments) -> Envelope:
    """Proposes and confirms; it records, shares and closes nothing itself."""
    now = session.work.history.standing()
    found = _judged(session, now)
    issue = session.issue
    data: dict[str, Any] = {
        "unrecorded": len(now.changes), "unpublished": now.unpublished, "issue": issue,
        "suggestions": [], "next_recommended": _told(session, found.next),
    }
    if not found.state.startswith("clean"):
        state = session.say(f"work_state_{found.state}")
        return door.ok(session.say("work_finish_not_yet", state=state), data)
    if issue is not None and session.work.tracker is not None:
        data["suggestions"] = [session.names[verb] for verb in ("issue_comment", "issue_close")
                               if verb in session.names]
    session.issue = None
    data["next_recommended"] = None
    return door.ok(session.say("work_finish_ready"), data)


# ---------------------------------------------------------------- issues


def issue_read(session: Session, arguments: Arguments) -> Envelope:
    asked = arguments.get("last_n_comments")
    found = session.tracker.read(arguments["issue_id"], NEWEST if asked is None else asked)
    said = [{"n": c.number, "by": c.by, "at": c.at, "body": c.body} for c in found.comments]
    data = {
        "id": found.number, "title": found.title, "state": found.state,
        "labels": list(found.labels), "body": found.body,
        "comments_total": found.comments_total, "comments": said,
    }
    shown, total = len(found.comments), found.comments_total
    cut = asked is None and shown < total
    key = "work_issue_read_cut" if cut else "work_issue_read"
    return door.ok(session.say(key, issue=found.number, shown=shown, total=total), data)


def issue_list(session: Session, arguments: Arguments) -> Envelope:
    found = session.tracker.listed(arguments.get("state", "open"), arguments.get("limit", 20))
    data = {"issues": [
        {"id": one.number, "title": one.title, "state": one.state, "labels": list(one.labels)}
        for one in found
    ]}
    return door.ok(session.say("work_issues_listed", count=len(found)), data)


def issue_create(session: Session, arguments: Arguments) -> Envelope:
    title = " ".join(clean(arguments["title"]).split())
    number = session.tracker.create(title, arguments.get("body") or "",
                                    arguments.get("labels") or (), session.doubts)
    return door.ok(session.say("work_issue_created", issue=number), {"id": number})


def issue_comment(session: Session, arguments: Arguments) -> Envelope:
    number = arguments["issue_id"]
    session.tracker.comment(number, arguments["body"], session.doubts)
    return door.ok(session.say("work_issue_commented", issue=number), {"id": number})


def issue_update(session: Session, arguments: Arguments) -> Envelope:
    number, title = arguments["issue_id"], arguments.get("title")
    changed = session.tracker.update(
        number, None if title is None else " ".join(clean(title).split()), arguments.get("body"),
        arguments.get("labels"),
    )
    key = "work_issue_updated" if changed else "work_issue_unchanged"
    return door.ok(session.say(key, issue=number), {"id": number})


def issue_close(session: Session, arguments: Arguments) -> Envelope:
    number = arguments["issue_id"]
    session.tracker.close(number, arguments.get("comment") or "", session.doubts)
    return door.ok(session.say("work_issue_closed", issue=number), {"id": number})


# ---------------------------------------------------------------- judging


def look(session: Session) -> Observation:
    """The state of the work as far as it can be read; never an exception of the rooms below."""
    if session.project is None:
        return _seen(session, Facts(started=False))
    try:
        return _judged(session, session.project.history.standing())
    except (HistoryError, GitError, OSError) as error:
        session.log(f"observe: {type(error).__name__}: {getattr(error, 'detail', error)}")
        found = _seen(session, Facts(readable=False, tried_again=session.unreadable,
                                     issue=session.issue))
        session.unreadable = True
        return found


def _judged(session: Session, now: Standing) -> Observation:
    session.unreadable = False
    return _seen(session, Facts(
        changes=tuple(ChangedFile(path=c.path, added=c.added, removed=c.removed)
                      for c in now.changes),
        unpublished=now.unpublished, issue=session.issue, obstacle=now.obstacle,
        conflicts=now.conflicts,
    ))


def _seen(session: Session, facts: Facts) -> Observation:
    verbs: Collection[str] = session.names
    return observe(facts, session.language, verbs)


def _after(session: Session) -> dict[str, Any]:
    """Where the work stands after it was changed: saves the agent a call."""
    found = look(session)
    return {"work_state": found.state, "next_recommended": _told(session, found.next)}


def _reached(session: Session, tracker: Tracker) -> bool:
    try:
        tracker.check()
    except ForgeError as error:
        session.log(f"issues: {error.key} {error.slots}")
        return False
    return True


def _checked(session: Session, issues: Sequence[int]) -> bool:
    """Whether all of them were looked up. Raises NotFound for one that is not there."""
    tracker = session.work.tracker
    if tracker is None:
        return not issues
    for issue in issues:
        try:
            tracker.demand(issue)
        except NotFound as error:
            raise NotFound("work_no_issue", issue=issue) from error
        except ForgeError as error:
            session.log(f"issue {issue} not checked: {error.key} {error.slots}")
            return False
    return True


# ---------------------------------------------------------------- showing


def _told(session: Session, step: Step | None) -> dict[str, Any] | None:
    if step is None:
        return None
    found: dict[str, Any] = {
        "tool": session.names[step.verb], "reason": step.reason,
        "required_args": list(step.required),
    }
    if step.hint:
        found["policy_hint"] = step.hint
    return found


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


__all__ = ["OwnGitError", "Session", "look"]
