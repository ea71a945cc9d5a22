"""The table of operations (R49): what can be asked for, under which name, with which arguments.

`answer` checks a call against the table, does it, and turns every end into an envelope: it never
raises, and no word of what went wrong below reaches the one who asked. Two surfaces share it: the
cell of a run, by command lines, and an agent that a person drives, by tools.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from agentcells import (
    brain_faults,
    brain_finish,
    brain_issues,
    brain_lines,
    brain_verbs,
    cell_faults,
    cell_verbs,
    door,
)
from agentcells.brain_session import Session
from agentcells.cell_faults import ANSWER
from agentcells.cell_line import Misspelt, read
from agentcells.cell_verbs import CellContext
from agentcells.door import Envelope
from agentcells.faces import (
    LARGEST,
    Argument,
    Arguments,
    Face,
    Flaw,
    Operation,
    Surface,
    face_with,
    flaw_of,
)
from agentcells.history.sealed import Sealed
from agentcells.model import Problem
from agentcells.run import Order, TreeTest
from agentcells.sentences import say
from agentcells.store import Limits
from agentcells.text import head_tail

BRAIN_ANSWER = 64_000  # characters; a client keeps 25,000 tokens of an answer


class Context(Protocol):
    """What every surface's context has."""

    @property
    def language(self) -> str: ...

    @property
    def started(self) -> bool: ...

    @property
    def options(self) -> Collection[str]:
        """What the person turned on."""

    def offers(self, operation: str) -> bool: ...

    def log(self, text: str) -> None: ...


# ---------------------------------------------------------------- the table


def _cell(name: str, does: Callable[[CellContext, Arguments], Envelope] | None,
          *arguments: Argument) -> Face:
    return Face(name=name, does=does, arguments=arguments)


def _brain(name: str, does: Callable[[Session, Arguments], Envelope],
           *arguments: Argument, starts: bool = False) -> Face:
    about = f"work_about_{name}"
    return Face(name=name, does=does, arguments=arguments, about=about, starts=starts)


def _text(name: str, *, required: bool = False, blank: bool = True) -> Argument:
    return Argument(name=name, kind="text", required=required, blank=blank)


def _count(name: str, most: int, least: int = 0) -> Argument:
    return Argument(name=name, kind="number", least=least, most=most)


_PATHS = Argument(name="paths", kind="texts")
_LABELS = Argument(name="labels", kind="texts")
_NAME = _text("name", required=True)
_RECORD = _text("record", blank=False)
_ISSUE = Argument(name="issue_id", kind="number", required=True, least=1)
_MESSAGE = Argument(name="message", kind="text", required=True, options=("-m", "--message"))
_LIMIT = Argument(name="limit", kind="number", options=("--limit", "-n"))
_LOG = (
    Argument(name="log", kind="flag", options=("--log",)),
    Argument(name="from", kind="number", options=("--from",)),
)

OPERATIONS: tuple[Operation, ...] = (
    Operation(id="session_start", about="work_about_work_session_start", faces={
        "brain": _brain("work_session_start", brain_verbs.session_start,
                        _text("project_root", required=True), starts=True)}),
    Operation(id="start", about="work_about_work_start", faces={
        "brain": _brain("work_start", brain_verbs.start,
                        Argument(name="issue_id", kind="number", least=1))}),
    Operation(id="observe", about="records_about_observe", faces={
        "cell": _cell("observe", cell_verbs.observe),
        "brain": _brain("work_observe", brain_verbs.observe_work, starts=True)}),
    Operation(id="record", about="records_about_record", faces={
        "cell": _cell("record", cell_verbs.record, _MESSAGE),
        "brain": _brain("work_record", brain_verbs.record,
                        Argument(name="message", kind="text", required=True, unless="draft"),
                        Argument(name="issue_ids", kind="numbers", least=1))}),
    Operation(id="publish", about="work_about_work_publish", faces={
        "brain": _brain("work_publish", brain_verbs.publish)}),
    Operation(id="finish", about="work_about_work_finish", faces={
        "brain": _brain("work_finish", brain_finish.finish,
                        Argument(name="auto", kind="flag", option="auto"),
                        Argument(name="message", kind="text", option="auto", blank=False),
                        Argument(name="comment", kind="text", option="auto", blank=False))}),
    Operation(id="update", about="work_about_work_update", faces={
        "brain": _brain("work_update", brain_verbs.update)}),
    Operation(id="status", about="records_about_status", faces={
        "cell": _cell("status", cell_verbs.status),
        "brain": _brain("work_status", brain_verbs.status)}),
    Operation(id="diff", about="records_about_diff", faces={
        "cell": _cell("diff", cell_verbs.diff, _PATHS),
        "brain": _brain("work_diff", brain_verbs.diff, _PATHS, _RECORD)}),
    Operation(id="history", about="records_about_history", faces={
        "cell": _cell("history", cell_verbs.history, _LIMIT),
        "brain": _brain("work_history", brain_verbs.history, _count("limit", 100, 1), _RECORD)}),
    Operation(id="remove", about="records_about_remove", faces={
        "cell": _cell("remove", cell_verbs.remove,
                      Argument(name="paths", kind="texts", required=True))}),
    Operation(id="build", about="records_about_build", faces={"cell": _cell("build", None, *_LOG)}),
    Operation(id="test", about="records_about_test", faces={"cell": _cell("test", None, *_LOG)}),
    Operation(id="issue_read", about="work_about_issue_read", faces={
        "brain": _brain("issue_read", brain_issues.issue_read, _ISSUE,
                        _count("last_n_comments", LARGEST))}),
    Operation(id="issue_create", about="work_about_issue_create", faces={
        "brain": _brain("issue_create", brain_issues.issue_create, _text("title", required=True),
                        _text("body"), _LABELS)}),
    Operation(id="issue_comment", about="work_about_issue_comment", faces={
        "brain": _brain("issue_comment", brain_issues.issue_comment, _ISSUE,
                        _text("body", required=True))}),
    Operation(id="issue_list", about="work_about_issue_list", faces={
        "brain": _brain("issue_list", brain_issues.issue_list,
                        Argument(name="state", kind="choice", choices=("open", "closed", "all")),
                        _count("limit", 100, 1))}),
    Operation(id="issue_update", about="work_about_issue_update", faces={
        "brain": _brain("issue_update", brain_issues.issue_update, _ISSUE,
                        _text("title", blank=False), _text("body", blank=False), _LABELS)}),
    Operation(id="issue_close", about="work_about_issue_close", faces={
        "brain": _brain("issue_close", brain_issues.issue_close, _ISSUE,
                        _text("comment", blank=False))}),
    Operation(id="new_line", about="work_about_work_new_line", option="lines", faces={
        "brain": _brain("work_new_line", brain_lines.new, _NAME)}),
    Operation(id="switch_line", about="work_about_work_switch_line", option="lines", faces={
        "brain": _brain("work_switch_line", brain_lines.switch, _NAME)}),
    Operation(id="merge_line", about="work_about_work_merge_line", option="lines", faces={
        "brain": _brain("work_merge_line", brain_lines.merge, _NAME)}),
    Operation(id="delegate", about="work_about_issue_delegate", option="delegate", faces={
        "brain": _brain("issue_delegate", brain_issues.delegate, _ISSUE,
                        _text("cell", required=True))}),
)


# ---------------------------------------------------------------- asking


class Faults(Protocol):
    """How a surface tells what went wrong."""

    def no_verb(self, verb: str, faces: tuple[Face, ...], language: str) -> Envelope: ...
    def flawed(self, face: Face, flaw: Flaw, name: str, language: str) -> Envelope: ...
    def elsewhere(self, verb: str, language: str) -> Envelope: ...
    def failed(self, problem: Problem, arguments: Arguments, language: str) -> Envelope: ...
    def bug(self, language: str) -> Envelope: ...


@dataclass(frozen=True, slots=True)
class _Manner:
    """What differs between the surfaces in every answer."""

    faults: Faults
    limit: int


_MANNERS: dict[Surface, _Manner] = {
    "cell": _Manner(cell_faults, ANSWER), "brain": _Manner(brain_faults, BRAIN_ANSWER),
}


def answer(surface: Surface, verb: str, arguments: Arguments, context: Context) -> Envelope:
    """Do it. Every end is an envelope of bounded size; what broke goes to the log."""
    manner, language = _MANNERS[surface], context.language
    try:
        found = _done(surface, verb, arguments, context)
    except Problem as problem:
        context.log(f"{verb}: {problem.key}: {getattr(problem, 'detail', '')} {problem.slots}")
        found = manner.faults.failed(problem, arguments, language)
    except Exception:
        context.log(f"{verb}: {traceback.format_exc()}")
        found = manner.faults.bug(language)
    return fitted(found, language, manner.limit)


def _done(surface: Surface, verb: str, arguments: Arguments, context: Context) -> Envelope:
    faults, language = _MANNERS[surface].faults, context.language
    faces = faces_of(surface, context.offers)
    found = next((face for face in faces if face.name == verb), None)
    if found is None:
        return faults.no_verb(verb, faces, language)
    face = face_with(found, context.options)
    if not (context.started or face.starts):
        raise Problem("work_not_started")
    if flaw := flaw_of(face, arguments):
        return faults.flawed(face, *flaw, language)
    if face.does is None:
        return faults.elsewhere(verb, language)
    given = {name: value for name, value in arguments.items() if value is not None}
    return face.does(context, given)


def faces_of(surface: Surface, offers: Callable[[str], bool]) -> tuple[Face, ...]:
    """What this surface has, in the order of the table."""
    return tuple(
        operation.faces[surface] for operation in OPERATIONS
        if surface in operation.faces and offers(operation.id)
    )


def cell(
    argv: Sequence[str], history: Sealed, order: Order, limits: Limits, tested: TreeTest | None,
    log: Callable[[str], None],
) -> Envelope:
    """`agentcells cell <argv>` inside a run: a command line, answered."""
    context = CellContext(
        history=history, writes=order.writes, needs_record=limits.needs_record,
        needs_test=limits.needs_test, issue=order.issue, tested=tested, write_log=log,
    )
    parsed = parse(argv)
    if isinstance(parsed, dict):
        return fitted(parsed, context.language)
    return answer("cell", *parsed, context)


def usage(surface: Surface = "cell") -> tuple[tuple[str, str], ...]:
    """Each verb with its arguments, and what it is for."""
    return tuple(
        (cell_faults.line_of(face), say(face.about or operation.about))
        for operation in OPERATIONS if (face := operation.faces.get(surface))
    )


def parse(argv: Sequence[str], language: str = "en") -> tuple[str, Arguments] | Envelope:
    """(verb, arguments) of a command line, or the envelope that says what is wrong with it."""
    if not argv or argv[0] in ("help", "--help", "-h"):
        return door.ok(say("records_help", language), {"verbs": dict(usage())})
    verb, *words = argv
    faces = faces_of("cell", lambda _operation: True)
    face = next((face for face in faces if face.name == verb), None)
    if face is None:
        return cell_faults.no_verb(verb, faces, language)
    try:
        return verb, read(face, words, language)
    except Misspelt as misspelt:
        return misspelt.envelope


# ---------------------------------------------------------------- the size of an answer


def fitted(envelope: Envelope, language: str, limit: int = ANSWER) -> Envelope:
    """The same in at most `limit` characters of JSON: the longest part is cut, and says so."""
    whole = dict(envelope.get("data", {}))
    data = dict(whole)
    while _size({**envelope, "data": data}) > limit and data:
        name = max(data, key=lambda part: _size(data[part]))
        value = data[name]
        if isinstance(value, str):
            data[name] = head_tail(whole[name], int(len(value) * 0.8), language)
        elif isinstance(value, list | tuple) and value:
            data[name] = list(value)[: int(len(value) * 0.8)]
            data[f"omitted_{name}"] = len(whole[name]) - len(data[name])
        else:
            break
    found = {**envelope, "data": data} if "data" in envelope else dict(envelope)
    for name in ("summary", "hint"):
        if name in found and len(found[name]) > 1_500:
            found[name] = head_tail(found[name], 1_500, language)
    return found


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


__all__ = [
    "ANSWER", "OPERATIONS", "Argument", "Face", "Operation", "answer", "cell", "faces_of", "fitted",
    "parse", "usage",
]
