"""Issues that the CLI files itself: found again by their marker, each filed once, closed when over.

The forge is asked before anything is filed, so that nothing is filed twice when the state folder was
lost or a pass was cut off. An issue counts as ours when our account wrote it, its first line is our
marker, and nobody but our account and the owner has changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from agentcells import comments, factory_book
from agentcells.factory_cells import may_look
from agentcells.forge import Forge, IssueReader, NotFound, Partial
from agentcells.gauges import WEEK, WEEKS, gauges
from agentcells.line_reading import read_line
from agentcells.model import Account, Item
from agentcells.pairs import pair_up
from agentcells.plan import (
    CloseFiled,
    FactoryBook,
    Filed,
    FileIssue,
    KeepBook,
    Sight,
    Snapshot,
    SplitIssue,
)
from agentcells.posts import Marker
from agentcells.store import State
from agentcells.trust import our_marker
from agentcells.voices import same

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

RECENT = 100  # closed issues that are looked through, the newest change first
MOST = 300  # issues that are read for the figures

Wanted = Callable[[Marker], bool]


# ---------------------------------------------------------------- finding


def filed_marker(item: Item, viewer: Account, owner: Account) -> Marker | None:
    if item.kind != "issue" or not same(item.author, viewer):
        return None
    if any(not same(edit.editor, viewer) and not same(edit.editor, owner) for edit in item.edits or ()):
        return None
    marker = comments.parse_marker(item.body)
    return marker if marker is not None and marker.kind == "filed" else None


def search(
    forge: Forge, repo: str, snapshot: Snapshot, wanted: Wanted
) -> Iterator[tuple[Item, Marker]]:
    """Issues of ours with such a marker: all open ones, and the newest closed. Raises Partial."""
    listing = forge.listing(repo)
    if not listing.complete:
        raise Partial("observe_half_a_list", repo=repo)
    rows = list(listing.rows)
    if isinstance(forge, IssueReader):
        rows = [*forge.recent(repo, "all", RECENT), *rows]
    viewer = snapshot.viewer
    numbers = {
        row.number: None for row in rows
        if row.kind == "issue" and row.author_id in ("", viewer.id)
    }
    for number in numbers:
        item = forge.read(repo, number)
        marker = filed_marker(item, viewer, snapshot.owner)
        if marker is not None and wanted(marker):
            yield item, marker


def known_on_the_forge(forge: Forge, repo: str, cell: str, snapshot: Snapshot) -> tuple[Filed, ...]:
    """What a cell has filed, when its book was lost; the newest of each cause."""
    found: dict[str, Filed] = {}
    for item, marker in search(forge, repo, snapshot, lambda one: one.cell == cell):
        one = Filed(
            cause=marker.cause, repo=repo, number=item.number, at=item.created_at,
            over=_told_over(item, marker.cause, snapshot),
        )
        before = found.get(marker.cause)
        if before is None or before.number < one.number:
            found[marker.cause] = one
    return tuple(sorted(found.values(), key=lambda one: one.number))


def _told_over(item: Item, cause: str, snapshot: Snapshot) -> bool:
    """Whether we said there that it is over. Closed by anybody else, it is still known."""
    markers = (our_marker(one, snapshot.viewer, snapshot.mac_key) for one in item.comments)
    return any(one is not None and one.cause == f"over:{cause}" for one in markers)


# ---------------------------------------------------------------- looking at the line


def sights(
    config: Config, forge: Forge, state: State, snapshot: Snapshot
) -> tuple[Sight, ...]:
    """What the cells that are due have before them. Costs nothing while none is."""
    due = may_look(config, snapshot)
    if not due:
        return ()
    books = factory_book.books(state)
    line = _line(config, forge, snapshot) if any(cell.unusual for cell in due) else snapshot
    return tuple(_sight(config, forge, cell, cell.name in books, line) for cell in due)


def _sight(
    config: Config, forge: Forge, cell: Cell, known: bool, line: Snapshot
) -> Sight:
    repo = config.forge.repos[0]
    return Sight(
        cell=cell.name, repo=repo, gauges=gauges(config, line) if cell.unusual else (),
        found=() if known else known_on_the_forge(forge, repo, cell.name, line),
    )


def _line(config: Config, forge: Forge, snapshot: Snapshot) -> Snapshot:
    """The snapshot with all that was in the line in the weeks that are compared."""
    since = snapshot.now - WEEK * (WEEKS + 1)
    read = read_line(config, forge, since, MOST, lambda count, total: None)
    pairs = pair_up(
        config, read, snapshot.viewer, snapshot.owner, pinned=snapshot.label_ids,
        key=snapshot.mac_key,
    )
    return replace(snapshot, pairs=pairs)


# ---------------------------------------------------------------- writing


def keep_book(state: State, action: KeepBook) -> dict[str, object]:
    """What was filed or is over by now stays so; only what the action knows besides is added."""
    before = factory_book.books(state).get(action.cell, FactoryBook())
    known = {(one.cause, one.number) for one in before.filed}
    more = tuple(one for one in action.book.filed if (one.cause, one.number) not in known)
    factory_book.keep_book(state, action.cell, replace(action.book, filed=(*before.filed, *more)))
    return {"cell": action.cell}


def file_issue(
    forge: Forge, state: State, snapshot: Snapshot, action: FileIssue
) -> dict[str, object]:
    """Unless this run filed it already, or an open issue speaks of the cause."""
    marker = action.marker
    number = next((
        item.number
        for item, there in search(
            forge, action.repo, snapshot,
            lambda one: (one.cell, one.cause) == (marker.cell, marker.cause),
        )
        if item.state == "open" or there.run == marker.run
    ), None)
    if number is None:
        _, body = comments.whole(marker, comments.below(action.body), snapshot.mac_key)
        number = forge.create_issue(action.repo, action.title, body, (), ())
    note(state, marker.cell, Filed(
        cause=marker.cause, repo=action.repo, number=number, at=snapshot.now, limit=action.limit,
    ))
    return {"issue": number, "title": action.title, "cause": marker.cause}


def note(state: State, cell: str, filed: Filed) -> None:
    """In the book of the cell: this issue as it is now."""
    book = factory_book.books(state).get(cell, FactoryBook())
    others = tuple(
        one for one in book.filed if (one.cause, one.number) != (filed.cause, filed.number)
    )
    factory_book.keep_book(state, cell, replace(book, filed=(*others, filed)))


def close_filed(
    forge: Forge, state: State, snapshot: Snapshot, action: CloseFiled, in_line: Callable[[Item], bool]
) -> dict[str, object]:
    """Say that it is over and close it (R11); one that the owner put on the line is left alone."""
    at: datetime = snapshot.now
    facts: dict[str, object] = {"issue": action.number, "cause": action.cause}
    try:
        item = forge.read(action.repo, action.number)
    except NotFound:  # gone or moved: nobody's cause any more
        item = None
    if item is not None and _still_ours(item, action, snapshot) and not in_line(item):
        if not _told_over(item, action.cause, snapshot):
            _, body = comments.whole(action.marker, comments.below(action.body), snapshot.mac_key)
            forge.comment(item, body)
        forge.close(item)
        facts["closed"] = True
    note(state, action.cell, Filed(
        cause=action.cause, repo=action.repo, number=action.number,
        at=item.created_at if item is not None else at, over=True,
    ))
    return facts


# ---------------------------------------------------------------- parts of a large issue


def split(forge: Forge, snapshot: Snapshot, action: SplitIssue) -> dict[str, object]:
    """File what is not filed yet, then name all of them on the parent."""
    causes = {one.marker.cause for one in action.issues}
    there = {
        marker.cause: item.number
        for item, marker in search(
            forge, action.repo, snapshot,
            lambda one: one.run == action.run and one.cause in causes,
        )
    }
    labels = [action.label] if action.label else []
    for one in action.issues:
        if one.marker.cause not in there:
            _, body = comments.whole(one.marker, comments.below(one.body), snapshot.mac_key)
            there[one.marker.cause] = forge.create_issue(
                action.repo, one.title, body, labels, [snapshot.owner] if labels else []
            )
    numbers = [there[one.marker.cause] for one in action.issues]
    parent = forge.read(action.repo, action.number)
    told = (our_marker(one, snapshot.viewer, snapshot.mac_key) for one in parent.comments)
    if not any(one is not None and one.cause == action.marker.cause for one in told):
        listed = "\n".join(f"- #{number}" for number in numbers)
        below = f"{comments.below(action.body)}\n\n{listed}"
        forge.comment(parent, comments.whole(action.marker, below, snapshot.mac_key)[1])
    return {"on": action.number, "issues": numbers}


def _still_ours(item: Item, action: CloseFiled, snapshot: Snapshot) -> bool:
    marker = filed_marker(item, snapshot.viewer, snapshot.owner)
    return item.state == "open" and marker is not None and marker.cause == action.cause


__all__ = [
    "close_filed", "file_issue", "filed_marker", "keep_book", "known_on_the_forge", "note",
    "search", "sights", "split",
]
