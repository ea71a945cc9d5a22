"""What an agent is doing, read from its stream while it runs: one line, tokens, dollars at the end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentcells.columns import cut
from agentcells.sentences import say

SHOWN = 100  # columns
MOST = 10**12  # no count is larger: what is, was made up
COUNTED = (
    "input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """One run as its stream tells it so far. `messages`: tokens by message, told several times."""

    doing: str = ""
    usd: float | None = None  # known when the agent has answered
    messages: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return sum(self.messages.values())


def after(before: Activity, line: str, language: str) -> Activity:
    """The activity once this line of stream-json has come. What is not understood changes nothing."""
    try:
        event: Any = json.loads(line)
    except (ValueError, RecursionError):
        return before
    match event:
        case {"type": "system", "subtype": "init"}:
            return replace(before, doing=say("watch_begins", language))
        case {"type": "assistant", "message": {"content": list(content)} as message}:
            told = [words for block in content if (words := _block(block, language))]
            doing = told[-1] if told else before.doing
            return replace(before, doing=doing, messages=_counted(before.messages, message))
        case {"type": "result"}:
            usd = event.get("total_cost_usd")
            return replace(
                before, doing=say("watch_answered", language),
                usd=float(usd) if isinstance(usd, int | float) and 0 <= usd <= MOST else None,
            )
        case _:
            return before


def _counted(messages: Mapping[str, int], message: Mapping[str, Any]) -> Mapping[str, int]:
    usage = message.get("usage")
    if not isinstance(usage, Mapping):
        return messages
    tokens = [usage.get(name) for name in COUNTED]
    total = sum(count for count in tokens if isinstance(count, int) and 0 <= count <= MOST)
    return {**messages, str(message.get("id")): total}


def _block(block: Any, language: str) -> str:
    match block:
        case {"type": "text", "text": str(text)} if text.strip():
            return cut(text, SHOWN)
        case {"type": "tool_use", "name": "StructuredOutput"}:
            return say("watch_answers", language)
        case {"type": "tool_use", "name": str(name), "input": dict(given)}:
            return cut(f"{name} {_object(given)}", SHOWN)
        case _:
            return ""


def _object(given: Mapping[str, Any]) -> str:
    """What a tool works on: the first of these that it was given."""
    for name in ("command", "file_path", "path", "pattern"):
        if isinstance(given.get(name), str):
            return str(given[name])
    return json.dumps(given, ensure_ascii=False)


__all__ = ["Activity", "after"]
