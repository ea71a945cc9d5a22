"""What went wrong inside a run, told to the cell's model: no word of what lies below."""

from __future__ import annotations

from typing import Literal, TypeAlias

from agentcells import door
from agentcells.door import Envelope
from agentcells.faces import Arguments, Face, Flaw, Kind
from agentcells.git_process import Cause, GitError
from agentcells.history import HistoryError, Refused
from agentcells.history.names import shown
from agentcells.history.sealed import GateRefused
from agentcells.model import Problem
from agentcells.run import Finding
from agentcells.sentences import SENTENCES, say

Code: TypeAlias = Literal[
    "conflict", "auth_failed", "not_found", "policy_blocked", "backend_error"
]

ANSWER = 9_500  # characters of a whole answer: above 10,000 a client cuts out the middle (R37)
_WORD = 200  # of what was asked, as far as an answer repeats it

# What a model may look for here and what only the CLI does, when the run is over.
_DONE_BY_THE_CLI = frozenset({
    "publish", "share", "update", "finish", "start", "issue", "comment", "label", "close", "push",
    "pr", "merge", "next",
})
_FLAWS: dict[Flaw, str] = {
    "unknown": "records_no_argument", "missing": "records_missing", "kind": "records_wrong_kind",
    "long": "records_wrong_kind",
}
_SHOWN: dict[Kind, tuple[str, ...]] = {
    "text": ('"MESSAGE"',), "texts": ("PATH...",), "number": ("N",), "numbers": ("N...",),
    "choice": ("WORD",), "flag": (),
}


def no_verb(verb: str, faces: tuple[Face, ...], language: str) -> Envelope:
    if verb in _DONE_BY_THE_CLI:
        return error("policy_blocked", "records_done_later", language)
    names = ", ".join(face.name for face in faces)
    return error("not_found", "records_no_verb", language, verb=short(verb), verbs=names)


def flawed(face: Face, flaw: Flaw, name: str, language: str) -> Envelope:
    return bad(face, language, _FLAWS[flaw], word=short(name))


def elsewhere(verb: str, language: str) -> Envelope:
    """Of a verb that the supervisor of the run does itself."""
    return error("backend_error", "records_elsewhere", language, verb=verb)


def failed(problem: Problem, arguments: Arguments, language: str) -> Envelope:
    if isinstance(problem, GitError):
        return _of_git(problem.cause, language)
    return _of_history(problem, language) if isinstance(problem, HistoryError) else bug(language)


def bug(language: str) -> Envelope:
    return error("backend_error", "records_bug", language)


def bad(face: Face, language: str, key: str, **slots: object) -> Envelope:
    hint = say("records_usage", language, usage=line_of(face))
    return door.error("policy_blocked", say(key, language, **slots), hint)


def error(code: Code, key: str, language: str, **slots: object) -> Envelope:
    return door.error(code, say(key, language, **slots), say(f"{key}_hint", language, **slots))


def _of_history(error: HistoryError, language: str) -> Envelope:
    """A refusal of the history, with the next step where there is one of its own."""
    slots = dict(error.slots)
    summary = (of_gate(error.findings[0], language) if isinstance(error, GateRefused)
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


def of_gate(finding: Finding, language: str) -> str:
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
        return error("auth_failed", "records_no_access", language)
    if cause in ("conflict", "rejected_stale"):
        return error("conflict", "records_in_the_way", language)
    if cause in ("timeout", "network"):
        return error("backend_error", "records_slow", language)
    return error("backend_error", "records_disk" if cause == "disk" else "records_bug", language)


def line_of(face: Face) -> str:
    words = [face.name]
    for argument in face.arguments:
        word = " ".join([*argument.options[:1], *_SHOWN[argument.kind]])
        words.append(word if argument.required else f"[{word}]")
    return " ".join(words)


def short(word: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in word[:_WORD])
