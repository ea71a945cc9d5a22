"""`agentcells logs RUN`: what an agent did, read from its stream and told line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentcells.sentences import say
from agentcells.store import RunFolder
from agentcells.text import bounded, printable

LINE_LIMIT = 400


def lines(folder: Path, language: str) -> Iterator[str]:
    """The run's story, each line safe for a terminal."""
    run = RunFolder(folder)
    if run.has_order():
        order = run.order()
        yield say("logs_head", language, run=order.run, cell=order.cell, pair=order.pair_key)
    stream = folder / "stream.jsonl"
    if stream.exists():
        with stream.open(encoding="utf-8", errors="replace") as events:
            for event in events:
                yield from _event(event)
    end = run.end()
    if end is None:
        yield say("logs_no_end", language)
    else:
        yield say("logs_end", language, outcome=end.outcome.kind, next=end.outcome.next or "-",
                  tokens=end.outcome.tokens, usd=f"{end.outcome.usd:.2f}",
                  detail=printable(end.outcome.detail))


def _event(text: str) -> Iterator[str]:
    """The lines of one stream-json event; what is not JSON is shown as it is."""
    try:
        event: Any = json.loads(text)
    except ValueError:
        yield printable(bounded(text.strip(), LINE_LIMIT), one_line=True)
        return
    message = event.get("message") if isinstance(event, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if line := _block(block):
            yield printable(bounded(line, LINE_LIMIT), one_line=True)


def _block(block: Any) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return f"  {text}"
        case {"type": "tool_use", "name": str(name), "input": tool_input}:
            return f"> {name} {json.dumps(tool_input, ensure_ascii=False)}"
        case {"type": "tool_result", "content": str(text)}:
            return f"< {text}"
        case _:
            return ""
