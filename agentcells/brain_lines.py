"""Lines of work: begin one, go to another, bring one into this one. Off unless the person wants them."""

from __future__ import annotations

from agentcells import door
from agentcells.brain_session import Arguments, Session, after
from agentcells.door import Envelope
from agentcells.history import HistoryError, HistoryOfLines


def new(session: Session, arguments: Arguments) -> Envelope:
    name = arguments["name"].strip()
    _lines(session).new_line(name)
    return door.ok(session.say("work_line_new"), {"line": name} | after(session))


def switch(session: Session, arguments: Arguments) -> Envelope:
    name = arguments["name"].strip()
    _lines(session).switch_line(name)
    return door.ok(session.say("work_line_switched"), {"line": name} | after(session))


def merge(session: Session, arguments: Arguments) -> Envelope:
    name = arguments["name"].strip()
    count = _lines(session).merge_line(name)
    key = "work_updated" if count else "work_line_nothing_new"
    data = {"line": name, "taken_in": count}
    return door.ok(session.say(key, count=count), data | after(session))


def _lines(session: Session) -> HistoryOfLines:
    history = session.work.history
    if not isinstance(history, HistoryOfLines):
        raise HistoryError("work_no_lines")
    return history
