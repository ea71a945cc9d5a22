"""The table of operations (R49): what can be asked for, under which name, with which arguments.

`answer` checks a call against the table, does it, and turns every end into an envelope: it never
raises, and no word of what went wrong below reaches the one who asked. `parse` reads command lines.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from agentcells import cell_verbs, door
from agentcells.cell_verbs import CellContext
from agentcells.door import Envelope
from agentcells.git_process import Cause, GitError
from agentcells.history import HistoryError, Refused
from agentcells.history.names import shown
from agentcells.history.sealed import GateRefused, Sealed
from agentcells.model import Finding, Order, Tested
from agentcells.sentences import SENTENCES, say
from agentcells.store import Limits
from agentcells.text import head_tail

Surface: TypeAlias = Literal["cell", "brain"]
Kind: TypeAlias = Literal["text", "texts", "number", "flag"]
Arguments: TypeAlias = dict[str, Any]
Code: TypeAlias = Literal[
    "conflict", "auth_failed", "not_found", "policy_blocked", "backend_error"
]

ANSWER = 9_500  # characters of a whole answer: above 10,000 a client cuts out the middle (R37)
_WORD = 200  # of what was asked, as far as an answer repeats it


class Context(Protocol):
    """What every surface's context has."""

    @property
    def language(self) -> str: ...

    def log(self, text: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument. On a command line by its `options`; one without is what stands alone."""

    name: str
    kind: Kind
    required: bool = False
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """How one surface has an operation. `does` None: the supervisor of the run does it itself."""

    name: str
    does: Callable[[Any, Arguments], Envelope] | None
    arguments: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row. `about` is the key of its description; a surface without a face does not have it."""

    id: str
    about: str
    faces: Mapping[Surface, Face]


_PATHS = Argument(name="paths", kind="texts")
_MESSAGE = Argument(name="message", kind="text", required=True, options=("-m", "--message"))
_LOG = (
    Argument(name="log", kind="flag", options=("--log",)),
    Argument(name="from", kind="number", options=("--from",)),
)

OPERATIONS: tuple[Operation, ...] = (
    Operation(id="observe", about="records_about_observe", faces={
        "cell": Face(name="observe", does=cell_verbs.observe)}),
    Operation(id="status", about="records_about_status", faces={
        "cell": Face(name="status", does=cell_verbs.status)}),
    Operation(id="diff", about="records_about_diff", faces={
        "cell": Face(name="diff", does=cell_verbs.diff, arguments=(_PATHS,))}),
    Operation(id="history", about="records_about_history", faces={
        "cell": Face(name="history", does=cell_verbs.history, arguments=(
            Argument(name="limit", kind="number", options=("--limit", "-n")),))}),
    Operation(id="record", about="records_about_record", faces={
        "cell": Face(name="record", does=cell_verbs.record, arguments=(
            _MESSAGE,))}),
    Operation(id="remove", about="records_about_remove", faces={
        "cell": Face(name="remove", does=cell_verbs.remove, arguments=(
            Argument(name="paths", kind="texts", required=True),))}),
    Operation(id="build", about="records_about_build", faces={
        "cell": Face(name="build", does=None, arguments=_LOG)}),
    Operation(id="test", about="records_about_test", faces={
        "cell": Face(name="test", does=None, arguments=_LOG)}),
)

# What a model may look for here and what only the CLI does, when the run is over.
_DONE_BY_THE_CLI = frozenset({
    "publish", "share", "update", "finish", "start", "issue", "comment", "label", "close", "push",
    "pr", "merge", "next",
})


class Stopped(Exception):
    """A call that ends with this envelope."""

    def __init__(self, envelope: Envelope) -> None:
        super().__init__(envelope)
        self.envelope = envelope


# ---------------------------------------------------------------- asking


def answer(surface: Surface, verb: str, arguments: Arguments, context: Context) -> Envelope:
    """Do it. Every end is an envelope of at most `ANSWER` characters; faults go to the log."""
    try:
        face = _face(surface, verb, context.language)
        checked = _checked(face, arguments, context.language)
        if face.does is None:
            elsewhere = _error("backend_error", "records_elsewhere", context.language, verb=verb)
            raise Stopped(elsewhere)
        return fitted(face.does(context, checked), context.language)
    except Stopped as stopped:
        return fitted(stopped.envelope, context.language)
    except HistoryError as error:
        return fitted(_of_history(error, context.language), context.language)
    except GitError as error:
        context.log(f"{verb}: {error.verb}: {error.cause}: {error.detail}")
        return _of_git(error.cause, context.language)
    except Exception:
        context.log(f"{verb}: {traceback.format_exc()}")
        return _error("backend_error", "records_bug", context.language)


def cell(
    argv: Sequence[str], history: Sealed, order: Order, limits: Limits, tested: Tested | None,
    log: Callable[[str], object] = sys.stderr.write,
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
        (_line_of(operation.faces[surface]), say(operation.about))
        for operation in OPERATIONS if surface in operation.faces
    )


# ---------------------------------------------------------------- the command line


def parse(argv: Sequence[str], language: str = "en") -> tuple[str, Arguments] | Envelope:
    """(verb, arguments) of a command line, or the envelope that says what is wrong with it.

    A word behind an option belongs to it, "--" ends the options. A message may stand alone.
    """
    if not argv or argv[0] in ("help", "--help", "-h"):
        return door.ok(say("records_help", language), {"verbs": dict(usage())})
    verb, *words = argv
    try:
        face = _face("cell", verb, language)
        return verb, _read(face, words, language)
    except Stopped as stopped:
        return stopped.envelope


def _read(face: Face, words: list[str], language: str) -> Arguments:
    values: Arguments = {}
    alone: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--":
            alone += words
            break
        if not word.startswith("-") or word == "-":
            alone.append(word)
            continue
        argument, value = _option(face, word, words, language)
        if argument.name in values:
            raise Stopped(_bad(face, language, "records_twice", word=_short(word)))
        values[argument.name] = value
    if alone:
        _stand_alone(face, alone, values, language)
    return values


def _option(face: Face, word: str, words: list[str], language: str) -> tuple[Argument, object]:
    """`-m TEXT`, `-mTEXT`, `--message=TEXT`, `--log`."""
    for argument in face.arguments:
        for option in argument.options:
            if argument.kind == "flag" and word == option:
                return argument, True
            if argument.kind == "flag":
                continue
            if word == option:
                if not words:
                    raise Stopped(_bad(face, language, "records_no_value", word=option))
                return argument, _value(argument, words.pop(0))
            long = option.startswith("--")
            if word.startswith(f"{option}=" if long else option):
                return argument, _value(argument, word[len(option) + long:])
    raise Stopped(_bad(face, language, "records_no_option", word=_short(word)))


def _stand_alone(face: Face, alone: list[str], values: Arguments, language: str) -> None:
    listed = next((a for a in face.arguments if a.kind == "texts"), None)
    single = next((a for a in face.arguments if a.kind == "text"), None)
    if listed is not None:
        values[listed.name] = alone
    elif single is not None and single.name not in values and len(alone) == 1:
        values[single.name] = alone[0]
    else:
        raise Stopped(_bad(face, language, "records_extra_word", word=_short(alone[-1])))


def _value(argument: Argument, word: str) -> object:
    if argument.kind == "number" and word.isascii() and word.isdecimal() and len(word) < 16:
        return int(word)
    return word


# ---------------------------------------------------------------- checking a call


def _face(surface: Surface, verb: str, language: str) -> Face:
    faces = [op.faces[surface] for op in OPERATIONS if surface in op.faces]
    found = next((face for face in faces if face.name == verb), None)
    if found is not None:
        return found
    if verb in _DONE_BY_THE_CLI:
        raise Stopped(_error("policy_blocked", "records_done_later", language))
    names = ", ".join(face.name for face in faces)
    raise Stopped(_error("not_found", "records_no_verb", language, verb=_short(verb), verbs=names))


def _checked(face: Face, arguments: Arguments, language: str) -> Arguments:
    """The arguments, each known, present when required, and of its kind. None counts as absent."""
    given = {name: value for name, value in arguments.items() if value is not None}
    known = {argument.name: argument for argument in face.arguments}
    for name in given:
        if name not in known:
            raise Stopped(_bad(face, language, "records_no_argument", word=_short(str(name))))
    for argument in face.arguments:
        if argument.required and not _is_there(given.get(argument.name)):
            raise Stopped(_bad(face, language, "records_missing", word=argument.name))
        if argument.name in given and not _fits(argument.kind, given[argument.name]):
            raise Stopped(_bad(face, language, "records_wrong_kind", word=argument.name))
    return given


def _is_there(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else bool(value)


def _fits(kind: Kind, value: object) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if kind == "texts":
        return isinstance(value, list | tuple) and all(map(_is_path, value))
    if kind == "number":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return isinstance(value, bool)


def _is_path(value: object) -> bool:
    """Text that can be the name of a file: not every string of JSON can."""
    if not isinstance(value, str) or not value:
        return False
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return "\0" not in value


# ---------------------------------------------------------------- every end is an envelope


def _bad(face: Face, language: str, key: str, **slots: object) -> Envelope:
    hint = say("records_usage", language, usage=_line_of(face))
    return door.error("policy_blocked", say(key, language, **slots), hint)


def _error(code: Code, key: str, language: str, **slots: object) -> Envelope:
    return door.error(code, say(key, language, **slots), say(f"{key}_hint", language, **slots))


def _of_history(error: HistoryError, language: str) -> Envelope:
    """A refusal of the history, with the next step where there is one of its own."""
    slots = dict(error.slots)
    summary = (_of_gate(error.findings[0], language) if isinstance(error, GateRefused)
               else say(error.key, language, **slots))
    if more := slots.get("more"):
        summary += " " + say("records_more", language, more=more)
    own = f"{error.key}_hint"
    general = "records_refused_hint" if isinstance(error, Refused) else "records_hint"
    code: Code = "policy_blocked"
    if error.key == "records_no_such_path":
        code = "not_found"
    elif error.key == "records_markers_left":
        code = "conflict"
    return door.error(code, summary, say(own if own in SENTENCES else general, language, **slots))


def _of_gate(finding: Finding, language: str) -> str:
    """One finding in words of the work; a rule without a sentence is named as it is."""
    key = f"records_rule_{finding.rule}"
    rule = finding.rule.replace("_", " ")
    if key in SENTENCES:
        rule = say(key, language, detail=finding.detail)
    if not finding.path:
        return say("records_gate_whole", language, rule=rule)
    return say("records_gate", language, path=shown(finding.path), rule=rule)


def _of_git(cause: Cause, language: str) -> Envelope:
    if cause == "auth":
        return _error("auth_failed", "records_no_access", language)
    if cause in ("conflict", "rejected_stale"):
        return _error("conflict", "records_in_the_way", language)
    if cause in ("timeout", "network"):
        return _error("backend_error", "records_slow", language)
    return _error("backend_error", "records_disk" if cause == "disk" else "records_bug", language)


def fitted(envelope: Envelope, language: str) -> Envelope:
    """The same in at most `ANSWER` characters of JSON: the longest part is cut, and says so."""
    whole = dict(envelope.get("data", {}))
    data = dict(whole)
    while _size({**envelope, "data": data}) > ANSWER and data:
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


def _line_of(face: Face) -> str:
    words = [face.name]
    for argument in face.arguments:
        word = " ".join([*argument.options[:1], *_SHOWN[argument.kind]])
        words.append(word if argument.required else f"[{word}]")
    return " ".join(words)


_SHOWN: dict[Kind, tuple[str, ...]] = {
    "text": ('"MESSAGE"',), "texts": ("PATH...",), "number": ("N",), "flag": (),
}


def _short(word: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in word[:_WORD])


__all__ = [
    "ANSWER", "OPERATIONS", "Argument", "Face", "Operation", "answer", "cell", "fitted", "parse",
    "usage",
]
