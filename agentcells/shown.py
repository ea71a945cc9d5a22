"""How a pair shows on the forge what is up with it: its labels (R3) and its one ledger comment (R30)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentcells import comments, markers, trust
from agentcells.forge import Forge, Stale
from agentcells.fresh import Fresh
from agentcells.model import WORKING, Item, Label
from agentcells.plan import SetState, Snapshot
from agentcells.posts import Ledger

if TYPE_CHECKING:
    from agentcells.config import Config


@dataclass(slots=True)
class Shown:
    """Writes both for one pass."""

    config: Config
    forge: Forge
    snapshot: Snapshot
    fresh: Fresh
    left: dict[tuple[str, int], set[str]]  # labels of ours as this pass itself left them, by item

    # ------------------------------------------------------------ labels

    def set_labels(self, action: SetState, on: int, other: int | None) -> dict[str, object]:
        """Exactly these labels of ours: add, read back, then remove, in separate requests (R3).

        Read back is what the forge answers to the adding itself: it shows all labels as they are after it.
        Whatever somebody has set or taken off since it was decided is the newer word: nothing is done then.
        """
        if action.beside:
            return self._take_working_off(action, on, other)
        wanted = self._wanted(action)
        item, there = self._as_decided(action.repo, on)
        beside, surplus = (None, set()) if other is None else self._as_decided(action.repo, other)
        if missing := wanted - there:
            now = self._add(item, missing)
            if not wanted <= now:
                raise Stale("apply_label_not_set", number=on, label=", ".join(sorted(wanted)))
            if now != there | missing:
                self._remove(item, missing)  # what it was announced by is good for another time (`history`)
                raise Stale("apply_labels_changed", number=on)
        self._remove(item, there - wanted)
        if beside is not None:
            self._remove(beside, surplus)
        return {"on": on, "labels_before": sorted(there | surplus), "labels_after": sorted(wanted)}

    def _as_decided(self, repo: str, number: int) -> tuple[Item, set[str]]:
        """The item and its labels of ours. Raises Stale when they are not those that were decided upon."""
        item = self.fresh.item(repo, number)
        there = self.ours(item.labels)
        members = (member for pair in self.snapshot.pairs for member in (pair.issue, pair.pull) if member)
        decided = (self.ours(one.labels) for one in members if (one.repo, one.number) == (repo, number))
        if there != self.left.get((repo, number), next(decided, there)):
            raise Stale("apply_labels_changed", number=number)
        return item, there

    def _take_working_off(self, action: SetState, on: int, other: int | None) -> dict[str, object]:
        before: set[str] = set()
        working = {self.config.label(WORKING)}
        for number in (on, other):
            if number is not None:
                item = self.fresh.item(action.repo, number)
                there = self.ours(item.labels)
                self._remove(item, there & working)
                before |= there
        return {"on": on, "labels_before": sorted(before), "labels_after": sorted(before - working)}

    def add_working(self, repo: str, on: int, cell: str) -> dict[str, object]:
        """Only add, and read back: another label that stands there now is somebody's newer word."""
        item = self.fresh.item(repo, on)
        before = self.ours(item.labels)
        working = self.config.label(WORKING)
        after = self._add(item, [working])
        if after != self._claimed(cell):
            self._remove(item, [working])
            raise Stale("apply_changed_while_claiming", number=on)
        return {"on": on, "labels_before": sorted(before), "labels_after": sorted(after)}

    def is_claimed(self, item: Item, cell: str) -> bool:
        """Whether its labels say exactly that this cell is at work."""
        return self.ours(item.labels) == self._claimed(cell)

    def _claimed(self, cell: str) -> set[str]:
        return {self.config.label(cell), self.config.label(WORKING)}

    def ours(self, labels: Iterable[Label]) -> set[str]:
        """Names of the labels that have a meaning here; one that only looks like ours is foreign (R23)."""
        pinned = self.snapshot.label_ids
        return {label.name for label in labels if trust.our_state(self.config, label, pinned) is not None}

    def _wanted(self, action: SetState) -> set[str]:
        states = [action.label] if action.label else []
        states += ["working"] if action.working else []
        states += ["hold"] if action.hold else []
        return {self.config.label(state) for state in states}

    def _add(self, item: Item, names: Iterable[str]) -> set[str]:
        """The labels of ours that stand there afterwards."""
        there = self.forge.add_labels(item, sorted(names))
        self.fresh.labelled(item, there)
        self.left[item.repo, item.number] = self.ours(there)
        return self.ours(there)

    def _remove(self, item: Item, names: Collection[str]) -> None:
        if not names:
            return
        self.forge.remove_labels(item, sorted(names))
        now = self.fresh.item(item.repo, item.number)
        left = [label for label in now.labels if label.name not in names]
        self.fresh.labelled(now, left)
        self.left[item.repo, item.number] = self.ours(left)

    # ------------------------------------------------------------ the ledger

    def put_ledger(self, repo: str, number: int, ledger: Ledger) -> dict[str, object]:
        """Edit the one ledger comment in place, or make it (R30)."""
        item = self.fresh.item(repo, number)
        body = comments.render_ledger(ledger, self.config.factory.language, self.snapshot.mac_key)
        for comment in item.comments:
            marker = trust.our_marker(comment, self.snapshot.viewer, self.snapshot.mac_key)
            if marker and marker.kind == "ledger":
                if not markers.same(comment.body, body):
                    self.forge.edit_comment(item, comment.id, body)
                    self.fresh.edited(item, comment.id, body)
                return {"on": number}
        self.fresh.commented(item, self.forge.comment(item, body))
        return {"on": number}
