"""What an agent that a person drives is answered about issues."""

from __future__ import annotations

from agentcells import door
from agentcells.brain_session import Arguments, Session
from agentcells.door import Envelope
from agentcells.text import clean
from agentcells.tracker import NEWEST


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


def delegate(session: Session, arguments: Arguments) -> Envelope:
    """Hand an issue to the factory: ready for the line, or into it where the owner allows (J4)."""
    number, cell = arguments["issue_id"], arguments["cell"]
    text = session.say("work_delegate_comment", cell=cell)
    into = session.tracker.delegate(number, cell, text, session.doubts)
    key = "work_delegated" if into else "work_delegate_ready"
    return door.ok(session.say(key, issue=number, cell=cell), {"id": number, "in_line": into})
