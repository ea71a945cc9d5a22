"""Whether a pair may run: who labelled it, who is assigned, which text is approved (R23 to R25)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from agentcells.labelling import Labelling, history, looks_like_ours, our_state
from agentcells.model import HOLD, WORKING, Account, Item, Pair
from agentcells.plan import Snapshot
from agentcells.voices import (
    Command,
    Voice,
    command,
    ledger_lost,
    our_ledger,
    our_marker,
    our_posts,
    owner_said,
    same,
    unread,
    voice,
)

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

__all__ = [
    "Approval", "Command", "Distrust", "Labelling", "Voice", "Who", "command", "history",
    "ledger_lost", "looks_like_ours", "may_run", "our_ledger", "our_marker", "our_posts",
    "our_state", "owner_said", "same", "text_cause", "text_hash", "unread", "voice",
]

Who: TypeAlias = Literal["owner", "machine", "time", "nobody"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What the owner approved, and when."""

    title: str
    body: str
    text_hash: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Distrust:
    """Why a pair may not run: a sentence key, its slots, and who can change it."""

    key: str
    slots: tuple[tuple[str, str], ...] = ()
    who: Who = "owner"


def text_hash(title: str, body: str) -> str:
    """Of title and body as a person sees them: forges turn line ends around."""
    text = body.replace("\r\n", "\n").rstrip()
    value = f"{len(title)}:{title}\n{text}"
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def text_cause(pair: Pair) -> str:
    """Names the notice "the text has changed", one for each text: `ok` approves what it told of."""
    return f"text:{text_hash(pair.anchor.title, pair.anchor.body)}"


def may_run(
    config: Config, pair: Pair, cell: Cell | str, snapshot: Snapshot
) -> Approval | Distrust:
    """Whether the owner's order stands behind this state of the pair. `cell`: a cell or a state."""
    state = cell if isinstance(cell, str) else cell.name
    members = [item for item in (pair.issue, pair.pull) if item is not None]
    for item in members:
        if item.state != "open":
            return _distrust("skip_not_open", number=str(item.number))
    start = _ordered(config, pair, state, snapshot)
    if isinstance(start, Distrust):
        return start
    if any(e.kind == "transferred" and e.at >= start.at for item in members for e in item.events):
        return _distrust("skip_transferred")
    if not _assigned(pair, snapshot):
        return _distrust("skip_not_assigned", owner=snapshot.owner.login)
    at = _approved_at(config, pair, snapshot, start.at)
    changed_by = _changed_by(pair, snapshot, at)
    if changed_by is not None:
        return _distrust("skip_text_changed", who=changed_by)
    text = pair.anchor
    return Approval(
        title=text.title, body=text.body, text_hash=text_hash(text.title, text.body), at=at
    )


def _distrust(key: str, **slots: str) -> Distrust:
    return Distrust(key=key, slots=tuple(slots.items()))


# ---------------------------------------------------------------- the label


def _ordered(
    config: Config, pair: Pair, state: str, snapshot: Snapshot
) -> Labelling | Distrust:
    """The owner's label event that this label goes back to, with nobody else's in between (R24)."""
    changes = [
        change for change in history(
            config, pair, snapshot.owner, snapshot.viewer,
            pinned=snapshot.label_ids, key=snapshot.mac_key,
        )
        if change.state not in (WORKING, HOLD)
    ]
    places = [i for i, change in enumerate(changes) if change.added and change.state == state]
    if not places:
        return _distrust("skip_label_unknown")
    for change in reversed(changes[: places[-1] + 1]):
        if change.by == "other":
            key = "skip_label_foreign" if change is changes[places[-1]] else "skip_label_between"
            return _distrust(key, who=change.login)
        if change.by == "owner" and change.added:
            return change
    return _distrust("skip_label_unordered")


def _assigned(pair: Pair, snapshot: Snapshot) -> bool:
    """The owner is among the issue's assignees; his own pull request needs none (R10)."""
    if pair.issue is None:
        return same(pair.anchor.author, snapshot.owner)
    return any(same(account, snapshot.owner) for account in pair.issue.assignees)


# ---------------------------------------------------------------- the text


def _approved_at(config: Config, pair: Pair, snapshot: Snapshot, labelled: datetime) -> datetime:
    """The owner's label event, or his later `ok` to our notice of exactly this text (R25).

    An `ok` without that notice before it answers something else.
    """
    cause = text_cause(pair)
    told = [
        comment.created_at
        for comment, marker in our_posts(pair, snapshot.viewer, snapshot.mac_key)
        if marker.kind == "notice" and marker.cause == cause
    ]
    agreed = [
        comment.created_at
        for comment in owner_said(config, pair, snapshot.owner, snapshot.viewer)
        if command(comment) == "ok" and any(at <= comment.created_at for at in told)
    ]
    return max([labelled, *agreed])


def _changed_by(pair: Pair, snapshot: Snapshot, approved: datetime) -> str | None:
    """Who else than the owner changed title or body since; an equal time counts as after."""
    text = pair.anchor
    for at, editor in _text_changes(text):
        if at >= approved and (editor is None or not same(editor, snapshot.owner)):
            return editor.login if editor is not None else "?"
    if text.edits is None and _hash_differs(pair, snapshot, approved):
        return "?"
    return None


def _text_changes(text: Item) -> Iterator[tuple[datetime, Account | None]]:
    """Edits and renames. A forge lists the first writing as an edit too."""
    for edit in text.edits or ():
        if edit.at > text.created_at:
            yield edit.at, edit.editor
    for event in text.events:
        if event.kind == "renamed":
            yield event.at, event.actor


def _hash_differs(pair: Pair, snapshot: Snapshot, approved: datetime) -> bool:
    """Where the forge keeps no history of edits: it is not the text that the last run was given."""
    now = text_hash(pair.anchor.title, pair.anchor.body)
    found = our_ledger(pair, snapshot.viewer, snapshot.mac_key)
    if found is None or not found[1].text_hash or found[1].approved_at is None:
        return False
    return found[1].approved_at >= approved and found[1].text_hash != now
