"""The message of a record: the model's words made plain, with trailers that only the CLI writes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_LIMIT = 4_000
_SUBJECT = 200

# A forge acts on these wherever a message says them: it closes issues, skips checks, credits
# people, tells people. One space or another bracket takes the power and leaves the meaning.
_CLOSES = re.compile(
    r"\b((?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b[\s:*_`(\[]*"
    r"(?:(?:[\w.-]+/[\w.-]+)?(?:[#!]|GH-)|https?://\S+/(?:issues|pulls?)/))(?=\d)",
    re.IGNORECASE,
)
_AND_MORE = re.compile(r"([#!])(?=\d)")
_MENTION = re.compile(r"(?<![\w.@-])@(?=\w)")
_SKIPS = re.compile(r"\[([^\[\]\n]*(?:\b|_)(?:skip|no)(?:\b|_)[^\[\]\n]*)\]", re.IGNORECASE)
_AZURE = re.compile(r"\*{3}NO_CI\*{3}", re.IGNORECASE)
_TRAILER = re.compile(r"^(?=[A-Za-z][A-Za-z0-9-]*[ \t]*:)", re.MULTILINE)
_HYPHENED = re.compile(r"^(?=[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+[ \t]*:)")
_ISSUE = re.compile(r"^Issue: #([1-9][0-9]{0,9})$")


def sealed_message(text: str, issues: Sequence[int] = ()) -> str:
    """What is stored: neutral words, bounded, then our trailers. "" when no word is left."""
    subject, _, body = _neutral(_visible(text)).partition("\n")
    subject, body = _HYPHENED.sub("- ", subject.strip()), body.strip("\n")
    if len(subject) > _SUBJECT:
        body = f"…{subject[_SUBJECT - 1:]}\n{body}"
        subject = subject[: _SUBJECT - 1] + "…"
    if not subject:
        return ""
    body = _TRAILER.sub("- ", body).rstrip()
    if len(body) > _LIMIT:
        body = body[: _LIMIT - 1].rstrip() + "…"
    trailers = "\n".join(f"Issue: #{issue}" for issue in dict.fromkeys(issues))
    return "\n\n".join(part for part in (subject, body, trailers) if part) + "\n"


def own_message(text: str, issues: Sequence[int] = ()) -> str:
    """A person's own words as they are, then our trailers. "" when there are no words.

    Only what git cannot store is replaced. A closing keyword in them keeps its power: they are his.
    """
    words = text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if not words.strip():
        return ""
    trailers = "".join(f"Issue: #{issue}\n" for issue in dict.fromkeys(issues))
    return f"{words.rstrip()}\n" + (f"\n{trailers}" if trailers else "")


def split_message(stored: str) -> tuple[str, tuple[int, ...]]:
    """The words and the issues of a stored message, ours or anybody's, fit to be shown."""
    lines = _visible(stored).rstrip().split("\n")
    issues: list[int] = []
    while lines and (found := _ISSUE.match(lines[-1])):
        issues.insert(0, int(found[1]))
        lines.pop()
    return "\n".join(lines).rstrip(), tuple(issues)


def _visible(text: str) -> str:
    """No control, format or private characters, no lone surrogates; line ends are LF."""
    plain = re.sub(r"\r\n?|[\v\f\x85\u2028\u2029]", "\n", text)
    return "".join(c for c in plain if c in "\n\t" or unicodedata.category(c)[0] != "C").strip()


def _neutral(text: str) -> str:
    text = _CLOSES.sub(r"\1 ", text)
    text = _MENTION.sub("@ ", _AND_MORE.sub(r"\1 ", text))
    return _AZURE.sub("NO_CI", _SKIPS.sub(r"(\1)", text))
