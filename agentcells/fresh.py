"""What this pass has read directly a moment ago, and what it has itself written there since.

A write first looks whether it has been made (R18), and a label is read back after it was set (R3). Both
may go by what this pass has just read and by the forge's answers to its own writes, as long as that is
only seconds old: nobody else writes with our account (the pass lock, the lease), and a second question
would only be told the same. What is decided upon is never taken from here once we have written there:
then the item is read again, whole (R21, R26).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeAlias

from agentcells.forge import Forge, ForgeError, together
from agentcells.model import Comment, Item, Label

GOOD_FOR = timedelta(seconds=10)  # by the forge's clock, which goes on while a machine sleeps

Place: TypeAlias = tuple[str, int]


@dataclass(slots=True)
class Fresh:
    """Of one pass over one connection."""

    forge: Forge
    _items: dict[Place, tuple[Item, datetime]] = field(default_factory=dict)
    _read: dict[Place, Item] = field(default_factory=dict)  # as the forge told them, without our writes
    _written: set[Place] = field(default_factory=set)  # since it was read

    def take(self, item: Item) -> None:
        """It was read just now, whole."""
        self._items[item.repo, item.number] = (item, self.forge.clock())
        self._read[item.repo, item.number] = item
        self._written.discard((item.repo, item.number))

    def item(self, repo: str, number: int) -> Item:
        """As it stands, with our own writes; read now when the last look is too long ago."""
        known = self._known(repo, number)
        if known is None:
            known = self._ask(repo, number)
            self.take(known)
        return known

    def _ask(self, repo: str, number: int) -> Item:
        before = self._read.get((repo, number))
        if before is None:
            return self.forge.read(repo, number)
        found = together(self.forge, repo, [number], before={number: before}).items[number]
        if isinstance(found, ForgeError):
            raise found
        return found

    def unwritten(self, repo: str, number: int) -> Item | None:
        """The same as it was read, where we have not written there since: good to decide upon."""
        return None if (repo, number) in self._written else self._known(repo, number)

    def _known(self, repo: str, number: int) -> Item | None:
        item, at = self._items.get((repo, number), (None, None))
        if item is None or at is None or abs(self.forge.clock() - at) > GOOD_FOR:
            return None
        return item

    # ------------------------------------------------------------ our own writes

    def commented(self, item: Item, comment: Comment) -> None:
        self._becomes(item, comments=(*item.comments, comment))

    def edited(self, item: Item, comment_id: str, body: str) -> None:
        self._becomes(item, comments=tuple(
            replace(one, body=body) if one.id == comment_id else one for one in item.comments
        ))

    def labelled(self, item: Item, labels: Sequence[Label]) -> None:
        """`labels`: all that stand there now, as the forge answered."""
        self._becomes(item, labels=tuple(labels))

    def written(self, item: Item) -> None:
        """In another way, which no later write of this pass asks about."""
        self._written.add((item.repo, item.number))

    def forget(self, repo: str, number: int) -> None:
        """Much may be different there now."""
        self._items.pop((repo, number), None)
        self._written.add((repo, number))

    def _becomes(self, item: Item, **fields: object) -> None:
        place = (item.repo, item.number)
        known, at = self._items.get(place, (item, self.forge.clock()))
        self._items[place] = (replace(known, **fields), at)  # type: ignore[arg-type]
        self._written.add(place)
