"""Whose words these are: the owner's, ours, or somebody else's (R25, R27, R29)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from agentcells.markers import below, looks_ours, parse_ledger, parse_marker, verify
from agentcells.model import Account, Comment, Member, Pair
from agentcells.posts import Ledger, Marker

if TYPE_CHECKING:
    from agentcells.config import Config

Voice: TypeAlias = Literal["instruction", "email", "ours", "records", "reference"]
Command: TypeAlias = Literal["", "hold", "stop", "resume", "ok"]

MEMBERS: tuple[Member, ...] = ("issue", "pull")

# A forge without a history of edits stamps a new comment twice, up to a second apart (R25).
STAMPED_TWICE = timedelta(seconds=1)
# Between the reading of a pair and the clock of its claim lie some requests.
READING = timedelta(minutes=1)

INSTRUCTION: frozenset[Voice] = frozenset({"instruction"})
EMAIL: frozenset[Voice] = frozenset({"email"})

_COMMANDS: dict[str, Command] = {"/hold": "hold", "/stop": "stop", "/resume": "resume"}
# As one writes it: "/stop." and "/hold：" too; "/stopwatch" and "/stop.py" are other words.
_COMMAND = re.compile(r"\s*(/(?:hold|stop|resume))(?![a-z0-9_/-]|\.[a-z0-9])", re.IGNORECASE)


def same(account: Account | None, other: Account) -> bool:
    """By id: a login can change hands (R23)."""
    return account is not None and account.id == other.id


def untouched(comment: Comment) -> bool:
    """Nobody but its author has changed this text, as far as the forge can tell."""
    if comment.edits is None:
        return comment.updated_at - comment.created_at <= STAMPED_TWICE
    author = comment.author
    return author is not None and all(same(edit.editor, author) for edit in comment.edits)


def our_marker(comment: Comment, viewer: Account, key: bytes = b"") -> Marker | None:
    """The marker of a post of ours that nobody else has edited, else None.

    Where the forge does not say who edited, the MAC under `key` does. A book is edited from its first
    minute on, and a forge's seconds tell nothing apart in there: it always has to bear one.
    """
    if not same(comment.author, viewer):
        return None
    marker = parse_marker(comment.body)
    if marker is None:
        return None
    book = marker.kind == "ledger" and key != b""
    if untouched(comment) and not (book and comment.edits is None):
        return marker
    if comment.edits is None and verify(marker, below(comment.body), key):
        return marker
    return None


def our_posts(
    pair: Pair, viewer: Account, key: bytes = b""
) -> tuple[tuple[Comment, Marker], ...]:
    """Every valid post of ours on both members, oldest first."""
    found = [
        (comment, marker)
        for _, comment in comments(pair)
        if (marker := our_marker(comment, viewer, key)) is not None
    ]
    return tuple(sorted(found, key=lambda post: post[0].created_at))


def our_ledger(pair: Pair, viewer: Account, key: bytes = b"") -> tuple[str, Ledger] | None:
    """The id of the ledger comment of this pair, and the book: on the issue, else on the pull."""
    for _, comment in comments(pair):
        marker = our_marker(comment, viewer, key)
        if marker is not None and marker.kind == "ledger":
            ledger = parse_ledger(comment.body)
            if ledger is not None:
                return comment.id, ledger
    return None


def ledger_lost(pair: Pair, viewer: Account, key: bytes = b"") -> bool:
    """There was a book, and there is none that we could have written (R30)."""
    if our_ledger(pair, viewer, key) is not None:
        return False
    spoilt = any(
        same(comment.author, viewer) and (marker := parse_marker(comment.body)) is not None
        and marker.kind == "ledger"
        for _, comment in comments(pair)
    )
    return spoilt or any(marker.kind == "decision" for _, marker in our_posts(pair, viewer, key))


def voice(
    comment: Comment, config: Config, owner: Account, viewer: Account, key: bytes = b""
) -> Voice:
    """Which of the classes of R27 these words are in; "email": the owner's, but not for certain."""
    mine = same(comment.author, owner) or same(comment.author, viewer)
    if mine and looks_ours(comment.body):
        marker = parse_marker(comment.body)
        if marker is not None and marker.kind == "records":
            return "records"
        return "ours" if our_marker(comment, viewer, key) is not None else "reference"
    if not same(comment.author, owner) or not comment.body.strip() or not untouched(comment):
        return "reference"
    if comment.by_email and not config.factory.accept_email:
        return "email"
    return "instruction"


def owner_said(
    config: Config, pair: Pair, owner: Account, viewer: Account
) -> tuple[Comment, ...]:
    """The owner's instructions on both members, oldest first."""
    said = [
        comment for _, comment in comments(pair)
        if voice(comment, config, owner, viewer) == "instruction"
    ]
    return tuple(sorted(said, key=lambda comment: comment.created_at))


def unread(
    config: Config, pair: Pair, owner: Account, viewer: Account, seen: tuple[str, ...],
    *, read_at: datetime | None = None, wanted: frozenset[Voice] = INSTRUCTION,
) -> tuple[Comment, ...]:
    """The owner's words that a run had not read (R14), oldest first, without his commands.

    `seen` holds the newest ids of each kind and member. One may have been deleted since: then
    whatever is clearly older than `read_at`, the time the run was ordered, counts as read.
    """
    found: list[Comment] = []
    for group in _groups(pair):
        known = [place for place, comment in enumerate(group) if comment.id in seen]
        later = group[known[-1] + 1 :] if known else _since(group, read_at)
        found += [
            comment for comment in later
            if voice(comment, config, owner, viewer) in wanted
            and command(comment) in ("", "ok")
        ]
    return tuple(sorted(found, key=lambda comment: comment.created_at))


def command(comment: Comment) -> Command:
    """What the owner tells the CLI itself (R7, R25). `ok` is one only when it stands alone."""
    words = comment.body.split()
    if not words:
        return ""
    if len(words) == 1 and words[0].lower().rstrip(".!") == "ok":
        return "ok"
    found = _COMMAND.match(comment.body)
    return _COMMANDS[found[1].lower()] if found is not None else ""


def comments(pair: Pair) -> Iterator[tuple[Member, Comment]]:
    """All comments, the issue's first."""
    for member in MEMBERS:
        item = pair.member(member)
        if item is not None:
            for comment in item.comments:
                yield member, comment


def _groups(pair: Pair) -> list[list[Comment]]:
    """The comments by member and kind, each oldest first: the forge numbers each kind by itself."""
    groups: dict[tuple[Member, str], list[Comment]] = {}
    for member, comment in comments(pair):
        groups.setdefault((member, comment.kind), []).append(comment)
    return [sorted(group, key=lambda comment: comment.created_at) for group in groups.values()]


def _since(group: list[Comment], read_at: datetime | None) -> list[Comment]:
    if read_at is None:
        return group
    return [comment for comment in group if comment.created_at >= read_at - READING]
