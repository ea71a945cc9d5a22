"""The pull requests one pass speaks of by their branch: those it has read, those it opens (R9, R18)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from agentcells.forge import Forge, Stale
from agentcells.fresh import Fresh
from agentcells.model import Item, Problem
from agentcells.pairs import facts, pull_of_ours
from agentcells.plan import AssignOwner, OpenPull, Post, SetState, Snapshot


@dataclass(slots=True)
class OurPulls:
    """`found`: by head branch, what this pass has opened, or had to ask for."""

    forge: Forge
    snapshot: Snapshot
    fresh: Fresh
    found: dict[str, Item] = field(default_factory=dict)

    def open(self, action: OpenPull) -> Item:
        """The pull request of this branch, opened unless it is there."""
        if self._read(action) is None:
            # Nothing has to be asked before: the forge itself refuses a second one (Stale), and then
            # it was opened by the write whose answer we never got.
            with suppress(Stale):
                number = self.forge.open_pull(
                    action.repo, action.head, action.base, action.title, action.body
                )
                self._take(self.forge.read(action.repo, number), action.head)
        pull = self.of(action)
        if pull is None:
            raise Stale("apply_pull_vanished", head=action.head)
        return pull

    def of(self, action: OpenPull | AssignOwner | Post | SetState) -> Item | None:
        """The open pull request of this branch; asked for where this pass has not read it."""
        there = self._read(action)
        if there is None and (item := self.forge.pull_by_head(action.repo, action.head)):
            there = self._take(item, action.head)
        return there

    def _take(self, pull: Item, head: str) -> Item | None:
        self.fresh.take(pull)
        if pull.state != "open" or facts(pull).head_ref != head:
            return None
        if pull_of_ours(pull, self.snapshot.viewer) is None:
            raise Problem("apply_pull_of_another", number=pull.number, head=head)
        self.found[head] = pull
        return pull

    def _read(self, action: OpenPull | AssignOwner | Post | SetState) -> Item | None:
        pair = next((one for one in self.snapshot.pairs if one.key == action.pair_key), None)
        read = pair.pull if pair is not None else None
        if read is not None and read.state == "open" and facts(read).head_ref == action.head:
            return read
        return self.found.get(action.head)
