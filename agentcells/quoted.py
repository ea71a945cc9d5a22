"""Other people's words in our posts: harmless, in one line or a block, and within a size (R28, R45)."""

from __future__ import annotations

import re
from collections.abc import Callable

from agentcells import text

MODEL_TEXT = 50_000
TITLE = 120
ITEM = 160


def one_line(value: str, limit: int) -> str:
    """Somebody's words inside a line of ours: they set nothing off and open no block."""
    one = _cut(" ".join(text.clean(value).split()), limit)
    return " ".join(text.harmless(one).split("\n")).replace("~~~", r"\~\~\~")


def code(path: str) -> str:
    shown = _cut(text.printable(path, one_line=True), ITEM)
    ticks = "`" * (_longest_run(shown) + 1)
    return f"`{shown}`" if ticks == "`" else f"{ticks} {shown} {ticks}"


def _cut(words: str, limit: int) -> str:
    """In no language, as the line around it may be in any."""
    if len(words) <= limit:
        return words
    return f"{words[: limit * 2 // 3].rstrip()} … {words[len(words) - limit // 3 + 3 :].lstrip()}"


def block(shown: str) -> list[str]:
    ticks = "`" * max(3, _longest_run(shown) + 1)
    return [f"{ticks}text", shown, ticks]


def _longest_run(shown: str) -> int:
    return max((len(run) for run in re.findall(r"`+", shown)), default=0)


_ACTIVE = (  # what a title can set off: in a squash merge it becomes the commit's first line
    (re.compile(r"https?://", re.I), ""),
    (re.compile(r"\bgh-(?=\d)", re.I), "GH "),
    (re.compile(r"[#!](?=\d)|@(?=\w)"), ""),
    (re.compile(r"\[([^\]]*\b(?:ci|actions|skip)\b[^\]]*)\]", re.I), r"(\1)"),
    (re.compile(r"^(?:\W*(?:wip|draft)\b\W*[:\])]\s*)+", re.I), ""),  # Gitea would open a draft
)


def plain_title(words: str) -> str:
    """A title that sets nothing off, in one line of bounded length."""
    title = " ".join(text.printable(text.clean(words)).split())
    for pattern, instead in _ACTIVE:
        title = pattern.sub(instead, title)
    title = title.strip()
    if len(title) > TITLE:
        title = title[: TITLE - 1].rstrip() + "…"
    return title


# ---------------------------------------------------------------- size


def stacked(*parts: list[str]) -> str:
    return "\n\n".join("\n".join(part).strip("\n") for part in parts if part)


def within(comment: str, room: int, language: str, build: Callable[[list[str]], str]) -> str:
    """Only the model's own text is cut, in its middle, and says so."""
    limit = MODEL_TEXT
    while True:
        said = text.harmless(text.bounded(text.clean(comment), limit, language)).strip("\n")
        body = build([said] if said.strip() else [])
        if len(body) <= room or limit == 0:
            return body
        limit //= 2


__all__ = ["ITEM", "block", "code", "one_line", "plain_title", "stacked", "within"]
