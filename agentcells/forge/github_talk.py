"""A long conversation on GitHub, read whole once and then kept up with (R21).

A thousand comments are ten requests, and a run looks at its pair six times. So a later look asks for the
comments that were changed last, and for three things beside them that come another way: how many there
are, which are the newest, and, by their ids, when those were changed whose words count. Where all agree
with what is known, the others are taken over; where anything does not, the conversation is read whole.
Nothing rests on `updatedAt` of the issue: the schema does not say whether the edit or the deletion of a
comment moves it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from agentcells.forge import github_parse as parse
from agentcells.forge.github_errors import Error
from agentcells.forge.github_listing import OVERLAP
from agentcells.forge.github_parse import Node
from agentcells.model import Comment, Item

LONG = 100  # comments that come with the item itself: up to here there is nothing to save
WHOLE_FOR = timedelta(hours=1)  # as long as a tick may be: then all is read again
AT_ONCE = 100  # ids that `nodes` takes
HEARD_AT_MOST = 3 * AT_ONCE
HEARD = "heard"  # begins the names under which they are asked for


@dataclass(frozen=True, slots=True)
class Kept:
    """What an earlier reading found. `since`: what was changed before this, it has surely seen."""

    comments: Mapping[str, Comment]
    since: datetime
    at: datetime  # when they were read one and all
    heard: tuple[str, ...]  # those whose words count


def kept(
    numbers: Collection[int], before: Mapping[int, Item], now: datetime | None, counting: Collection[str]
) -> dict[int, Kept]:
    """What can be built on; what is not here is read whole. `counting`: ids of those whose words count."""
    found = {number: _kept(before.get(number), now, counting) for number in numbers}
    return {number: talk for number, talk in found.items() if talk is not None}


def _kept(item: Item | None, now: datetime | None, counting: Collection[str]) -> Kept | None:
    if item is None or item.talk_at is None or now is None or abs(now - item.talk_at) > WHOLE_FOR:
        return None
    comments = {one.id: one for one in item.comments if one.kind == "comment"}
    heard = tuple(
        one.id for one in comments.values() if one.author is not None and one.author.id in counting
    )
    if len(comments) < LONG or len(heard) > HEARD_AT_MOST:
        return None
    # That reading was made after the newest change it shows, and no copy it was served from is behind
    # by more than this.
    since = max(one.updated_at for one in comments.values()) - OVERLAP
    return Kept(comments, since, item.talk_at, heard)


def ids_to_ask(several: Collection[Kept]) -> list[list[str]]:
    """Of all conversations, in as many parts as `nodes` wants."""
    ids = [one for talk in several for one in talk.heard]
    return [ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE)]


def heard(data: Mapping[str, object], parts: int) -> dict[str, datetime]:
    """When each was changed last. One that is gone is missing here."""
    found: dict[str, datetime] = {}
    for part in range(parts):
        nodes = data.get(f"{HEARD}{part}")
        for node in nodes if isinstance(nodes, list) else ():
            if isinstance(node, Mapping) and node.get("id"):
                found[node["id"]] = parse.time(node.get("updatedAt"))
    return found


def is_gone(error: Error) -> bool:
    """That one of them was not found. Then it is missing, and the conversation is read whole."""
    path = error.get("path")
    return (
        error.get("type") == "NOT_FOUND" and isinstance(path, list) and bool(path)
        and str(path[0]).startswith(HEARD)
    )


def changed(before: Kept, head: Node, asked: Mapping[str, datetime]) -> tuple[Node, ...] | None:
    """Comments that are new or may have been changed, the oldest change first.

    None: the conversation is not surely what is known and these.
    """
    page = parse.nodes(head.get("comments"), "comments")
    times = [parse.time(node.get("updatedAt")) for node in page]
    if times != sorted(times, reverse=True):
        return None
    # A second page could miss what is changed while it is fetched: that moves to the first one.
    if parse.next_page(head["comments"], "comments") is not None and not times[-1] < before.since:
        return None
    now = {one.id: one.updated_at for one in before.comments.values()}
    now |= {node["id"]: at for node, at in zip(page, times, strict=True)}
    if len(now) != head["comments"].get("totalCount"):
        return None
    told: dict[str, datetime | None] = {
        node["id"]: parse.time(node.get("updatedAt"))
        for node in parse.nodes(head.get("newest"), "comments")
    }
    told |= {one: asked.get(one) for one in before.heard}
    if any(now.get(one) != at for one, at in told.items()):
        return None
    return tuple(
        node for node, at in zip(page[::-1], times[::-1], strict=True)
        if at >= before.since or _other(before, node["id"], at)
    )


def _other(before: Kept, comment_id: str, at: datetime) -> bool:
    known = before.comments.get(comment_id)
    return known is None or known.updated_at != at
