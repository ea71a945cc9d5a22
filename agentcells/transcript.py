"""`agentcells logs`: what an agent did, from its stream; what ticks did, from the log."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from agentcells.markers import outcome_words
from agentcells.model import Problem
from agentcells.run import Order, RunEnd
from agentcells.sentences import say
from agentcells.store import RunFolder
from agentcells.text import bounded, printable, printable_json

LINE_LIMIT = 400
LOGS = ("setup.log", "build.log", "test.log", "network.log", "supervisor.log")

Clean = Callable[[str], str]


def lines(folder: Path, language: str, clean: Clean = str) -> Iterator[str]:
    """The run's story, each line safe for a terminal. `clean` takes known secrets out."""
    run = RunFolder(folder)
    order, end = _order(run), _end(run)
    if order is not None:
        yield say("logs_head", language, run=order.run, cell=order.cell, pair=order.pair_key)
    for line in raw(folder):
        for told in _event(line):
            yield printable(bounded(clean(told), LINE_LIMIT, language))
    if end is None:
        key = "logs_at_work" if run.alive() else "logs_no_end"
        yield say(key, language)
    else:
        outcome = end.outcome
        yield say("logs_end", language, outcome=outcome_words(outcome.kind, language),
                  next=outcome.next or "-", tokens=f"{outcome.tokens:,}",
                  usd=f"{outcome.usd:.2f}", detail=printable(clean(outcome.detail)))
    there = [str(folder / name) for name in LOGS if (folder / name).is_file()
             and (folder / name).stat().st_size]
    if there:
        yield say("logs_more", language, files=" ".join(there))


def raw(folder: Path) -> Iterator[str]:
    """The stream as claude wrote it, each line still what it was as JSON.

    What moves a terminal's cursor is spelled out: an agent may write anything.
    """
    stream = folder / "stream.jsonl"
    if stream.exists():
        with stream.open(encoding="utf-8", errors="replace") as events:
            yield from map(printable_json, events)



def log_lines(events: Iterable[Mapping[str, Any]], timezone: str) -> Iterator[str]:
    """Events of ticks for a person: when, on what, what."""
    for event in events:
        at = datetime.fromisoformat(str(event["at"])).astimezone(ZoneInfo(timezone))
        pair = str(event.get("pair") or "")
        text = printable(str(event.get("text", event.get("event", ""))))
        number = pair.rpartition("#")[2]
        shown = text if not pair or f"#{number} " in text else f"{pair}  {text}"
        yield f"{at:%Y-%m-%d %H:%M:%S}  {printable(shown, one_line=True)}"


def _order(run: RunFolder) -> Order | None:
    try:
        return run.order() if run.has_order() else None
    except (Problem, ValueError):
        return None  # not whole: the rest can still be read


def _end(run: RunFolder) -> RunEnd | None:
    try:
        return run.end()
    except (Problem, ValueError):
        return None


def _event(text: str) -> Iterator[str]:
    """The lines of one stream-json event; what is not JSON is shown as it is."""
    try:
        event: Any = json.loads(text)
    except (ValueError, RecursionError):
        yield text.strip()
        return
    message = event.get("message") if isinstance(event, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if line := _block(block):
            yield line


def _block(block: Any) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return f"  {text}"
        case {"type": "tool_use", "name": str(name), "input": tool_input}:
            return f"> {name} {json.dumps(tool_input, ensure_ascii=False)}"
        case {"type": "tool_result", "content": str(text)}:
            return f"< {text}"
        case {"type": "tool_result", "content": [{"type": "text", "text": str(text)}, *_]}:
            return f"< {text}"
        case _:
            return ""
