"""What an agent run ended with, read from claude's last event, exit code and stderr (R38).

No single sign is believed: "success" is also the subtype of API errors, and exit 0 is that of an
interrupt. Only an answer that is there, of the schema, without error and with exit code 0 counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from agentcells.model import SUB_ISSUES, THREAD
from agentcells.resets import reset_time
from agentcells.run import Outcome, OutcomeKind
from agentcells.text import bounded, clean, head_tail

COMMENT_LIMIT = 20_000  # characters; a forge takes about 65,000, the rest of the post needs room
FIELD_LIMIT = 10_000
CAUSE = "cause"
SUB_MOST, SUB_TITLE, SUB_BODY = 10, 200, 1_500
_DETAIL = 1_000
_STDERR = 1_500
_MOST = 10**12  # no count is larger: what is, was made up



def schema(
    nexts: Sequence[str], extra_fields: Sequence[str], causes: Sequence[str] = ()
) -> dict[str, Any]:
    """The JSON schema of the answer. The root is an object: an array could never pass.

    `causes`: all that the field `cause` may hold, beside nothing (R50).
    """
    extra: dict[str, Any] = {name: _field(name) for name in extra_fields}
    if causes:
        extra[CAUSE] = {"type": "string", "enum": [*causes, ""]}
    properties: dict[str, Any] = {
        **extra,
        "next": {"type": "string", "enum": list(nexts)},
        "comment": {"type": "string", "minLength": 1, "maxLength": COMMENT_LIMIT},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(name for name in properties if not name.startswith(THREAD)),
        "additionalProperties": False,
    }


def _field(name: str) -> dict[str, Any]:
    if name != SUB_ISSUES:
        return {"type": "string", "maxLength": FIELD_LIMIT}
    text = {"title": SUB_TITLE, "body": SUB_BODY}
    return {
        "type": "array", "maxItems": SUB_MOST,
        "items": {
            "type": "object", "required": sorted(text), "additionalProperties": False,
            "properties": {
                key: {"type": "string", "minLength": 1, "maxLength": most}
                for key, most in text.items()
            },
        },
    }


def read(
    ending: str,
    result: Mapping[str, Any] | None,
    exit_code: int | None,
    stderr: str,
    nexts: Sequence[str],
    extra_fields: Sequence[str],
    now: datetime,
) -> Outcome:
    """`result`: the last event of the stream if it is one of type "result". `now`: aware, in the
    time zone of whoever reads "resets 3pm"."""
    found = _found(ending, result, exit_code, stderr, nexts, extra_fields)
    until = reset_time(found.detail, now) if found.kind == "usage_limit" else None
    spent = _Spent.of(result or {})
    return Outcome(
        kind=found.kind,
        next=found.next,
        comment=found.comment,
        fields=found.fields,
        detail=bounded(found.detail, _DETAIL) if result else found.detail,
        until=until,
        tokens=spent.tokens,
        usd=spent.usd,
        turns=spent.turns,
        session=spent.session,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    kind: OutcomeKind
    detail: str = ""
    next: str = ""
    comment: str = ""
    fields: tuple[tuple[str, str], ...] = ()


def _found(
    ending: str,
    result: Mapping[str, Any] | None,
    exit_code: int | None,
    stderr: str,
    nexts: Sequence[str],
    extra_fields: Sequence[str],
) -> _Found:
    said = head_tail(clean(stderr).strip(), _STDERR)
    match ending:
        case "timeout" | "stall" | "killed":  # whatever it said before: it did not end by itself
            return _Found(kind=ending, detail=said)
        case "exit":
            pass
        case _:
            raise ValueError(f"no such ending: {ending}")
    if result is None:
        return _Found(kind="crash", detail=said or f"exit {exit_code}")
    if result.get("is_error") is not False or result.get("subtype") != "success":
        return _Found(kind=_error(result), detail=_words(result))
    if exit_code != 0:
        return _Found(kind="crash", detail=f"exit {exit_code}\n{said}".strip())
    if "structured_output" not in result:
        return _Found(kind="no_answer", detail=_words(result))
    return _answer(result["structured_output"], nexts, extra_fields)


# ---------------------------------------------------------------- a good end


def _answer(answer: object, nexts: Sequence[str], extra_fields: Sequence[str]) -> _Found:
    """The answer, held against the schema once more: claude drops a schema it does not like."""
    if not isinstance(answer, dict):
        return _bad(type(answer).__name__)
    left_out = {name for name in extra_fields if name.startswith(THREAD) and name not in answer}
    wanted = {"next", "comment", *extra_fields} - left_out
    if set(answer) != wanted:
        return _bad(", ".join(sorted(str(key) for key in set(answer) ^ wanted)))
    values = {key: clean(value) for key, value in answer.items() if isinstance(value, str)}
    if SUB_ISSUES in extra_fields:
        proposed = _sub_issues(answer[SUB_ISSUES])
        values = {**values, SUB_ISSUES: proposed} if proposed is not None else {}
    if set(values) != wanted:
        return _bad(", ".join(sorted(wanted - set(values)) if values else [SUB_ISSUES]))
    if values["next"] not in nexts or answer["next"] not in nexts:
        return _bad(f"next: {values['next']}")
    limits = {"comment": COMMENT_LIMIT, "next": COMMENT_LIMIT, SUB_ISSUES: COMMENT_LIMIT * 3}
    too_long = [key for key in values if len(values[key]) > limits.get(key, FIELD_LIMIT)]
    if too_long or not values["comment"].strip():
        return _bad(", ".join(too_long) or "comment")
    return _Found(
        kind="done",
        next=values["next"],
        comment=values["comment"],
        fields=tuple((name, values[name]) for name in extra_fields if name not in left_out),
    )


def _sub_issues(given: object) -> str | None:
    """The proposed issues as JSON text, as every field is a text; None: not of the schema."""
    if not isinstance(given, list) or len(given) > SUB_MOST:
        return None
    found = []
    for one in given:
        if not isinstance(one, dict) or set(one) != {"title", "body"}:
            return None
        title, body = one["title"], one["body"]
        if not isinstance(title, str) or not isinstance(body, str):
            return None
        title, body = " ".join(clean(title).split()), clean(body).strip()
        if not title or not body or len(title) > SUB_TITLE or len(body) > SUB_BODY:
            return None
        found.append({"title": title, "body": body})
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def _bad(detail: str) -> _Found:
    return _Found(kind="bad_answer", detail=clean(detail))


# ---------------------------------------------------------------- a bad end

_BY_SUBTYPE: dict[str, OutcomeKind] = {
    "error_max_turns": "turns",
    "error_max_budget_usd": "budget",
    "error_max_structured_output_retries": "bad_answer",
    "error_during_execution": "crash",
}
_BY_REASON: dict[str, OutcomeKind] = {
    "refusal": "refusal",
    "max_tokens": "no_answer",  # cut off; the text is the model's own and proves nothing
    "model_context_window_exceeded": "too_long",
    "prompt_too_long": "too_long",
    "image_error": "too_long",
    "max_turns": "turns",
}
_BY_STATUS: dict[int, OutcomeKind] = {
    401: "credential",
    402: "credential",
    403: "credential",
    404: "model",
    408: "network",
    413: "too_long",
    429: "usage_limit",
}
# Held against the beginning of what claude says of the API, in this order.
_WORDS: tuple[tuple[OutcomeKind, str], ...] = (
    ("credential", r"credit balance is too low|not logged in|please run /login"),
    ("credential", r"failed to authenticate|invalid (?:api|auth|x-api)|oauth (?:token|session)"),
    ("credential", r"(?:your )?login (?:has )?expired"),
    ("usage_limit", r"(?:claude (?:ai )?)?usage limit|(?:\S+ ){0,3}limit reached"),
    ("usage_limit", r"request rejected \(429\)"),
    ("usage_limit", r"you(?:'|’)ve (?:hit|reached) your|you(?:'|’)re out of "),
    ("usage_limit", r"you have reached your "),
    ("overload", r"(?:repeated )?5\d\d\b|overloaded|internal server error"),
    ("network", r"unable to connect|request timed out|connection|network|fetch failed|socket"),
    ("network", r"getaddrinfo|e(?:conn|host|net|timed)|failed to parse json|api returned an empty"),
    ("refusal", r"claude code is unable to respond|.*usage policy"),
    ("too_long", r"prompt is too long|request too large|input is too long|.*context window"),
    ("no_answer", r"claude(?:'|’)s response exceeded the \d+ output token"),
    ("model", r"there(?:'|’)s an issue with the selected model|model not found"),
)
_BY_WORDS = tuple(
    (re.compile(rf"(?:API Error:\s*)?(?:\d{{3}}\s+)?(?:{words})", re.I | re.DOTALL), kind)
    for kind, words in _WORDS
)


def _error(result: Mapping[str, Any]) -> OutcomeKind:
    subtype, status = result.get("subtype"), result.get("api_error_status")
    if isinstance(subtype, str) and subtype in _BY_SUBTYPE:
        return _BY_SUBTYPE[subtype]
    for reason in (result.get("stop_reason"), result.get("terminal_reason")):
        if isinstance(reason, str) and reason in _BY_REASON:
            return _BY_REASON[reason]
    if isinstance(status, int) and status in _BY_STATUS:
        return _BY_STATUS[status]
    if isinstance(status, int) and 500 <= status < 600:
        return "overload"
    words = _words(result)
    return next((kind for pattern, kind in _BY_WORDS if pattern.match(words)), "crash")


def _words(result: Mapping[str, Any]) -> str:
    """What claude says happened: `result` of an API error, `errors` of its own ends."""
    errors = result.get("errors")
    parts = [result.get("result"), *(errors if isinstance(errors, list) else ())]
    said = "\n".join(part for part in parts if isinstance(part, str))
    return head_tail(clean(said).strip() or clean(str(result.get("subtype", ""))), _STDERR)


# ---------------------------------------------------------------- what it cost


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spent:
    tokens: int
    usd: float
    turns: int
    session: str

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> _Spent:
        """`modelUsage` counts the models of subagents, too; `usage` is there when it is not."""
        models = [_mapping(one) for one in _mapping(result.get("modelUsage")).values()]
        tokens = sum(map(_tokens, models)) or _tokens(_mapping(result.get("usage")))
        of_models = sum(_amount(one.get("costUSD")) for one in models)
        session = result.get("session_id")
        named = isinstance(session, str) and re.fullmatch(r"[0-9A-Za-z-]{1,64}", session)
        return cls(
            tokens=tokens,
            usd=_amount(result.get("total_cost_usd")) or of_models,
            turns=int(_amount(result.get("num_turns"))),
            session=str(session) if named else "",
        )


_COUNTED = re.compile(r"(?:(?:cache_?(?:read|creation)_?)?input_?|output_?)tokens\Z", re.IGNORECASE)


def _tokens(usage: Mapping[str, Any]) -> int:
    """All of them: read, written, from the cache and into it."""
    return int(sum(_amount(value) for name, value in usage.items() if _COUNTED.match(name)))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _amount(value: object) -> float:
    """A number that counts something, or 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return value if 0 <= value <= _MOST else 0  # NaN is neither; no number is too large to compare
