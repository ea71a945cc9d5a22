"""Other people's words made fit to be shown: bounded, fenced, nothing hidden (R28, R47)."""

from __future__ import annotations

import re

from agentcells.characters import clean, invisible_count, printable, printable_json
from agentcells.sentences import say

_NONCE = re.compile(r"[0-9A-Za-z]{8,64}\Z")
_TITLE = 300
_HEAD_OF_LOG = 0.25  # of a log the end tells more: there the errors are summed up (R37)


def harmless(markdown: str) -> str:
    """`markdown` that reads as before and sets nothing off (R47)."""
    from agentcells import markdown as room  # its patterns take longer to make than an idle tick to look

    return room.harmless(markdown)


def show_hidden(text: str) -> str:
    """`text` with what a rendered page hides spelled out: comments, tags, link definitions (R28)."""
    from agentcells import markdown as room

    return room.show_hidden(text)


def bounded(text: str, limit: int, language: str = "en") -> str:
    """`text` in at most `limit` characters, cut in the middle with the count of what is missing."""
    return _cut(text, limit, 0.5, language)


def head_tail(text: str, limit: int, language: str = "en") -> str:
    """As `bounded`, with a quarter of the room for the head and the rest for the tail."""
    return _cut(text, limit, _HEAD_OF_LOG, language)


def fence(text: str, title: str, nonce: str) -> str:
    """`text` between two lines that its author could not know: `nonce` is new for each prompt.

    Should the nonce have leaked all the same, it is taken out of text and title: the block cannot
    be closed from inside.
    """
    if not _NONCE.match(nonce):
        raise ValueError("a fence needs a nonce of 8 to 64 letters and digits")
    heading = " ".join(bounded(_without(nonce, title), _TITLE).split())
    return f"----- {nonce} begin: {heading}\n{_without(nonce, text)}\n----- {nonce} end"


def _without(nonce: str, text: str) -> str:
    return re.sub(re.escape(nonce), "[-]", clean(text), flags=re.IGNORECASE)


def _cut(text: str, limit: int, head_share: float, language: str) -> str:
    if len(text) <= limit:
        return text
    edge = "\n" if "\n" in text else " "
    # The count that stands in the notice has no more digits than the whole length.
    longest = len(say("text_left_out", language, count=len(text))) + 2
    room = limit - longest
    if room <= 0:
        return text[: max(limit, 0)]
    head = int(room * head_share)
    tail = room - head
    notice = say("text_left_out", language, count=len(text) - room)
    return f"{text[:head]}{edge}{notice}{edge}{text[len(text) - tail:]}"


__all__ = [
    "bounded", "clean", "fence", "harmless", "head_tail", "invisible_count", "printable",
    "printable_json", "show_hidden",
]
