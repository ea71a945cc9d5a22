"""Who set which label of ours: the owner, the CLI as announced, or somebody else (R24, R29)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from agentcells.markers import below, parse_marker, verify
from agentcells.model import HOLD, WORKING, Account, Event, Item, Label, Member, Pair
from agentcells.posts import Ledger, Marker
from agentcells.voices import MEMBERS, comments, our_ledger, our_posts, same, untouched

if TYPE_CHECKING:
    from agentcells.config import Config

Hand: TypeAlias = Literal["owner", "ours", "other"]

MEMBER_MOVE = "move_member"  # why of a Move that carries a label from one member to the other
NEXT_MOMENT = timedelta(seconds=10)  # a forge that is slow to answer, and no person's reading time


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelling:
    """One change of a label of ours. `by` is whose change it counts as."""

    at: datetime
    state: str
    member: Member
    added: bool
    by: Hand
    login: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """That a label is about to be set by the account that says so."""

    at: datetime
    account: str
    came_from: str
    to: str
    as_owner: bool = False  # a delegation through the work records (R29)


def our_state(config: Config, label: Label, pinned: Collection[str] = ()) -> str | None:
    """The state behind a label of ours: exactly the name that we make, and the pinned id if any.

    A look-alike (case, full width, invisible characters) is nobody's order (R23).
    """
    state = config.state(label.name)
    if state is None or label.name == config.factory.priority_label:
        return None
    if not label.name.isascii() or label.name != config.label(state):
        return None
    return state if not pinned or label.id in pinned else None


def looks_like_ours(config: Config, label: Label, pinned: Collection[str] = ()) -> bool:
    """A label with our prefix that is not the one we made."""
    known = config.state(label.name) is not None and label.name != config.factory.priority_label
    return known and our_state(config, label, pinned) is None


def history(
    config: Config, pair: Pair, owner: Account, viewer: Account, *,
    pinned: Collection[str] = (), key: bytes = b"",
) -> tuple[Labelling, ...]:
    """Every change of our labels on both members, oldest first, each with whose it is.

    An announcement is good for the next label of that state by its account; a label that was not
    announced ends all that waited. So a label that the owner sets by hand later is his, even when
    both come from one account, and two moves within one second (a forge's clock) keep their order.
    One that its account takes off in the next moment, before it has touched any other, never was: its
    announcement is as good as before (`shown.Shown.set_labels`).
    """
    waiting: dict[str, list[Announcement]] = {}
    found: list[Labelling] = []
    last: dict[str, tuple[Labelling, Announcement] | None] = {}  # label of each account that was announced
    for step in _timeline(config, pair, owner, viewer, key):
        if isinstance(step, Announcement):
            before = waiting.setdefault(step.account, [])
            before[:] = [*before, step] if step.to else [
                one for one in before if one.at >= step.at
            ]
            continue
        member, event = step
        state = our_state(config, event.label, pinned) if event.label is not None else None
        if state is None:
            continue
        added, said = event.kind == "labeled", None
        actor = event.actor
        if added and state not in (WORKING, HOLD):
            said = _announced(waiting, actor, state, event.at)
            by = _setter(actor, said, owner)
        else:
            by = "ours" if same(actor, viewer) else "owner" if same(actor, owner) else "other"
        change = Labelling(
            at=event.at, state=state, member=member, added=added, by=by,
            login=actor.login if actor is not None else "ghost",
        )
        found.append(change)
        if actor is not None:
            before_it, last[actor.id] = last.get(actor.id), (change, said) if said is not None else None
            if before_it is not None and _takes_back(change, before_it[0]):
                waiting.setdefault(actor.id, []).append(before_it[1])
    return tuple(found)


def _takes_back(change: Labelling, before: Labelling) -> bool:
    same_place = (change.member, change.state) == (before.member, before.state)
    return not change.added and same_place and change.at - before.at <= NEXT_MOMENT


def _announced(
    waiting: dict[str, list[Announcement]], actor: Account | None, state: str, at: datetime
) -> Announcement | None:
    """The announcement that this label makes true; it and what was said before it is used up.

    What was said at the same time has no order that could be relied on: most forges give seconds.
    """
    said = waiting.get(actor.id, []) if actor is not None else []
    for index, one in enumerate(said):
        if one.to == state:
            left = [other for other in said[:index] if other.at == one.at]
            said[: index + 1] = left
            return one
    said[:] = [one for one in said if one.at == at]
    return None


def _setter(actor: Account | None, said: Announcement | None, owner: Account) -> Hand:
    """Whose a state label is. Ours without an announcement is nobody's that we know of."""
    if said is not None:
        return "owner" if said.as_owner else "ours"
    return "owner" if same(actor, owner) else "other"


def announcements(
    config: Config, pair: Pair, owner: Account, viewer: Account, key: bytes = b""
) -> tuple[Announcement, ...]:
    """All that was announced: by our posts, by the moves in our book, by the work record server."""
    posts = our_posts(pair, viewer, key)
    found = [
        Announcement(
            at=comment.created_at, account=viewer.id, came_from=marker.came_from, to=marker.to
        )
        for comment, marker in posts
        if marker.kind in ("decision", "notice") and _tells(marker.came_from, marker.to)
    ]
    ledger = our_ledger(pair, viewer, key)
    book = ledger[1] if ledger else Ledger()
    found += _moves(book, viewer)
    cut = not any(event.at.microsecond for _, item in _members(pair) for event in item.events)
    found += _rows(book, {marker.run for _, marker in posts}, viewer, cut)
    found += _delegations(config, pair, owner, viewer)
    found += _split_off(pair, viewer, key)
    return tuple(sorted(found, key=lambda said: said.at))


def _tells(came_from: str, to: str) -> bool:
    """A pair that stays where it is gets no new label, so nothing is announced."""
    return to != "" and came_from != to


def _moves(ledger: Ledger, viewer: Account) -> list[Announcement]:
    return [
        Announcement(at=move.at, account=viewer.id, came_from=move.came_from, to=move.to)
        for move in ledger.moves
        if move.to == "" or move.why == MEMBER_MOVE or move.came_from != move.to
    ]


def _rows(book: Ledger, told: Collection[str], viewer: Account, cut: bool) -> list[Announcement]:
    """Of runs whose comment somebody has deleted since: the book remembers where they sent it.

    By their start: that is the forge's own time, while the end is this machine's, which may be ahead of
    it. In between we set no other state. `cut`: this forge cuts the times of its events to the second.
    """
    return [
        Announcement(
            at=row.start.replace(microsecond=0) if cut else row.start,
            account=viewer.id, came_from=row.cell, to=row.next,
        )
        for row in book.rows
        if row.end is not None and row.run not in told and _tells(row.cell, row.next)
    ]


def _delegations(
    config: Config, pair: Pair, owner: Account, viewer: Account
) -> Iterator[Announcement]:
    """Labels of `issue_delegate`: asked for by a model, the owner's only if he says so."""
    texts: list[tuple[Account | None, datetime, Marker | None]] = [
        (comment.author, comment.created_at, parse_marker(comment.body))
        for _, comment in comments(pair) if untouched(comment)
    ]
    texts += [
        (item.author, item.created_at, parse_marker(item.body)) for _, item in _members(pair)
    ]
    for author, at, marker in texts:
        if author is None or marker is None or marker.kind != "records" or not marker.to:
            continue
        if same(author, owner) or same(author, viewer):
            yield Announcement(
                at=at, account=author.id, came_from=marker.came_from, to=marker.to,
                as_owner=config.records.delegate,
            )


def _split_off(pair: Pair, viewer: Account, key: bytes) -> Iterator[Announcement]:
    """The label of an issue that we filed because the owner said which cell is to begin on it.

    His word stands on the parent and was heard when it was filed; here it is our own text that says
    so, as long as nobody but us has changed it.
    """
    issue = pair.issue
    marker = parse_marker(issue.body) if issue is not None and same(issue.author, viewer) else None
    if issue is None or marker is None or marker.kind != "filed" or not marker.to:
        return
    if issue.edits is None:
        unchanged = verify(marker, below(issue.body), key)
    else:
        unchanged = all(same(edit.editor, viewer) for edit in issue.edits)
    if unchanged:
        yield Announcement(
            at=issue.created_at, account=viewer.id, came_from="", to=marker.to, as_owner=True
        )


def _timeline(
    config: Config, pair: Pair, owner: Account, viewer: Account, key: bytes
) -> list[Announcement | tuple[Member, Event]]:
    """Announcements and label events by time; at the same time what is announced comes first.

    That a pair was put aside comes last: it ends what was announced before it and not yet done.
    Times are as exact as the forge gives them; whole seconds are common.
    """
    events = [
        (member, event) for member, item in _members(pair) for event in item.events
        if event.kind in ("labeled", "unlabeled")
    ]
    events.sort(key=lambda one: one[1].at)
    said = announcements(config, pair, owner, viewer, key)
    steps: list[tuple[datetime, int, Announcement | tuple[Member, Event]]] = [
        (one.at, 0 if one.to else 2, one) for one in said
    ]
    steps += [(event.at, 1, (member, event)) for member, event in events]
    return [step for _, _, step in sorted(steps, key=lambda one: one[:2])]


def _members(pair: Pair) -> Iterator[tuple[Member, Item]]:
    for member in MEMBERS:
        item = pair.member(member)
        if item is not None:
            yield member, item
