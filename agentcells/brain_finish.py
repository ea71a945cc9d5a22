"""The end of a piece of work: what is left to do, or all of it in order."""

from __future__ import annotations

from typing import Any

from agentcells import brain_faults, door, draft
from agentcells.brain_session import Arguments, Session, judged, look, told
from agentcells.door import Envelope
from agentcells.model import Problem


def finish(session: Session, arguments: Arguments) -> Envelope:
    """Proposes and confirms; it records, shares and closes nothing itself, unless asked to."""
    if arguments.get("auto"):
        return _finish_all(session, arguments)
    now = session.work.history.standing()
    found = judged(session, now)
    issue = session.issue
    data: dict[str, Any] = {
        "unrecorded": len(now.changes), "unpublished": now.unpublished, "issue": issue,
        "suggestions": [], "next_recommended": told(session, found.next),
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


def _finish_all(session: Session, arguments: Arguments) -> Envelope:
    """Record, share, comment: in this order, to the first that fails; each is told (J2)."""
    steps: list[dict[str, Any]] = []
    issue = session.issue
    for name, act in (("record", _auto_record), ("publish", _auto_publish),
                      ("issue_comment", _auto_comment)):
        try:
            done = act(session, arguments)
        except Problem as problem:
            session.log(f"finish: {name}: {problem.key} {getattr(problem, 'detail', '')}")
            failed = brain_faults.failed(problem, {"issue_id": issue}, session.language)
            steps.append({"step": session.names[name]} | failed)
            break
        if done is not None:
            steps.append({"step": session.names[name], "status": "ok", "summary": done})
    found = look(session)
    good = all(step["status"] == "ok" for step in steps) and found.state.startswith("clean")
    if good:
        session.issue = None
    key = "work_finish_ready" if good else "work_finish_stopped"
    data = {"steps": steps, "done": good, "issue": issue, "work_state": found.state,
            "next_recommended": None if good else told(session, found.next)}
    return door.ok(session.say(key), data)


def _auto_record(session: Session, arguments: Arguments) -> str | None:
    own = session.work.history
    changes = own.changes()
    if not changes:
        return None
    text = arguments.get("message") or draft.message(
        own.diff(), [change.path for change in changes], session.language,
        session.work.config.agent.command, session.log).text
    made = own.record(text, [] if session.issue is None else [session.issue])
    return session.say("work_recorded", files=len(made.files))


def _auto_publish(session: Session, arguments: Arguments) -> str | None:
    if session.work.history.unpublished() is None:
        return None
    count = session.work.history.publish()
    return session.say("work_published", count=count) if count else None


def _auto_comment(session: Session, arguments: Arguments) -> str | None:
    issue, tracker = session.issue, session.work.tracker
    if issue is None or tracker is None:
        return None
    text = arguments.get("comment") or session.work.history.records(1)[0].message
    tracker.comment(issue, text, session.doubts)
    return session.say("work_issue_commented", issue=issue)
