"""Words in columns of a terminal: cut, padded and safe; times as a person says them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TypeAlias
from zoneinfo import ZoneInfo

from agentcells.sentences import say
from agentcells.text import printable

Slots: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]

# What stays together at the end of a line: a word of narrow characters; in Japanese a run of kanji or
# katakana with the hiragana behind it. With what opens before it and what closes behind it.
_PIECES = re.compile(
    r"[（「『]*(?:[\u30a0-\u30ff\u3400-\u9fff々]+[\u3040-\u309f]*|[\u3040-\u309f]+"
    r"|[\u3001-\uffef]|[^ \u3001-\uffef]+)[、。，．）」』？！…]* ?"
)

MINUTE, HOUR, DAY = 60, 3600, 86400


def because(key: str, slots: Slots, language: str) -> str:
    """A reason; what people wrote in its slots cannot move the cursor or break the line."""
    return say(key, language, **{
        name: printable(value, one_line=True) if isinstance(value, str) else value
        for name, value in dict(slots).items()
    })


def cut(words: str, columns: int) -> str:
    """One line of at most so many columns of a terminal; a wide character takes two."""
    shown = printable(" ".join(words.split()), one_line=True)
    if width(shown) <= columns:
        return shown
    kept = shown[: 2 * columns]  # more characters than columns only where some combine
    while width(kept) > columns - 1:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def padded(words: str, columns: int) -> str:
    return words + " " * max(0, columns - width(words))


def wrapped(words: str, columns: int) -> Iterator[str]:
    """Lines of at most so many columns, also where nothing but wide characters stands side by side.

    A line begins with no mark that closes (、。）) and ends with none that opens, but in a word that is too
    long for a line. Words of narrow characters are left whole: paths and commands are copied.
    """
    line = ""
    for piece in _PIECES.findall(" ".join(words.split())):
        if line and width(line + piece.rstrip()) > columns:
            yield line.rstrip()
            line = ""
        line += piece
        while width(line.rstrip()) > columns and not piece.isascii():
            head = line
            while width(head) > columns and len(head) > 1:
                head = head[:-1]
            yield head
            line = line[len(head) :]
    if line.strip():
        yield line.rstrip()


def width(words: str) -> int:
    """Columns on a terminal: full-width characters take two, combining ones none."""
    return sum(
        0 if unicodedata.combining(char)
        else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in words
    )


def clock(at: datetime, timezone: str) -> str:
    """A moment where the owner lives."""
    return at.astimezone(ZoneInfo(timezone)).strftime("%Y-%m-%d %H:%M %Z")


def lasted(time: timedelta, language: str) -> str:
    """How long, in the one unit that a person would use."""
    seconds = max(0, int(time.total_seconds()))
    for unit, size in (("days", DAY), ("hours", HOUR), ("minutes", MINUTE)):
        if seconds >= 2 * size or (unit == "minutes" and seconds >= size):
            return say(f"view_{unit}", language, count=seconds // size)
    return say("view_seconds", language, count=seconds)
