"""What one connection keeps, and what its work looks like now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from agentcells.forge import ForgeError, NotFound
from agentcells.git_process import GitError
from agentcells.history import HistoryError, Standing
from agentcells.observation import ChangedFile, Facts, Observation, Step, observe
from agentcells.sentences import say
from agentcells.tracker import Doubts, Tracker

if TYPE_CHECKING:  # with cells.toml behind it: a run, which shares this table, starts faster without
    from agentcells.project import Project, Setting

Arguments: TypeAlias = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Session:
    """The state of one connection, and what it may do. `names`: operation to tool, as listed."""

    setting: Setting
    write_log: Callable[[str], None]
    names: dict[str, str]
    language: str = "en"
    options: Collection[str] = ()
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


def look(session: Session) -> Observation:
    """The state of the work as far as it can be read; never an exception of the rooms below."""
    if session.project is None:
        return _seen(session, Facts(started=False))
    try:
        return judged(session, session.project.history.standing())
    except (HistoryError, GitError, OSError) as error:
        session.log(f"observe: {type(error).__name__}: {getattr(error, 'detail', error)}")
        found = _seen(session, Facts(readable=False, tried_again=session.unreadable,
                                     issue=session.issue))
        session.unreadable = True
        return found


def judged(session: Session, now: Standing) -> Observation:
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


def after(session: Session) -> dict[str, Any]:
    """Where the work stands after it was changed: saves the agent a call."""
    found = look(session)
    return {"work_state": found.state, "next_recommended": told(session, found.next)}


def looked_up(session: Session, issues: Sequence[int]) -> bool:
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


def told(session: Session, step: Step | None) -> dict[str, Any] | None:
    if step is None:
        return None
    found: dict[str, Any] = {
        "tool": session.names[step.verb], "reason": step.reason,
        "required_args": list(step.required),
    }
    if step.hint:
        found["policy_hint"] = step.hint
    return found
