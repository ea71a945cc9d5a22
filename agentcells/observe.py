"""What is so now: the forge's items, the run folders, the brake, put into one snapshot for `decide`.

A list only tells what to read (R21). Items read whole are cached by their `updated_at`; whatever is going
to be written about is read again, directly, in `look_closely`.
"""

from __future__ import annotations

import socket
import time
from dataclasses import dataclass, field, replace

from agentcells import pins
from agentcells.config import Config
from agentcells.decide import pair_up
from agentcells.deliver import deliver
from agentcells.forge import Forge, ForgeError, Listing, NotFound, Partial
from agentcells.model import Account, Item, Pair, Problem, Row, branch_name, parse_branch
from agentcells.plan import Plan, Snapshot, Unreadable
from agentcells.run import RunFact
from agentcells.store import RunFolder, State

LOOK_ONCE_MORE_S = 1.0  # the last descriptors of a namespace close a moment before its last process dies (R17)


@dataclass(slots=True)
class Observer:
    """Reads for one pass. `writing` False: a dry run, which leaves no trace anywhere (R16)."""

    config: Config
    forge: Forge
    state: State
    writing: bool = True
    unreadable: list[Unreadable] = field(default_factory=list)
    items: dict[tuple[str, int], Item] = field(default_factory=dict)
    listings: dict[str, Listing] = field(default_factory=dict)

    def look(self, *, claiming: bool) -> Snapshot:
        """The whole view, from listings and cached items."""
        viewer = self.forge.viewer()
        owner = self.forge.account(self.config.factory.owner)
        self._demand_known_viewer(viewer, owner)
        pinned = self._pinned(viewer, owner)
        runs = tuple(self._run_fact(folder) for folder in self.state.runs() if folder.has_order())
        for repo in self.config.forge.repos:
            self._read_repository(repo, runs)
        return Snapshot(
            now=self.forge.clock(),
            viewer=viewer,
            owner=owner,
            machine=socket.gethostname(),
            pairs=self._pairs(viewer, owner, pinned),
            runs=runs,
            unreadable=tuple(self.unreadable),
            brake=self.state.brake(),
            claiming=claiming,
            branches=self._leftover_branches(),
            mac_key=self.state.mac_key(make=self.writing),
            label_ids=pinned,
        )

    def look_closely(self, snapshot: Snapshot, plan: Plan) -> Snapshot:
        """The same view with every pair of the plan read again, and the sealed work judged."""
        keys = {action.pair_key for action in plan.actions}
        for pair in snapshot.pairs:
            if pair.key in keys:
                self._read_pair_again(pair)
        runs = tuple(self._with_delivery(fact) for fact in snapshot.runs)
        return replace(
            snapshot,
            now=self.forge.clock(),
            pairs=self._pairs(snapshot.viewer, snapshot.owner, snapshot.label_ids),
            runs=runs,
            unreadable=tuple(self.unreadable),
            branches=self._leftover_branches(),
        )

    def _pairs(self, viewer: Account, owner: Account, pinned: tuple[str, ...]) -> tuple[Pair, ...]:
        key = self.state.mac_key(make=self.writing)
        return pair_up(self.config, self.items.values(), viewer, owner, key=key, pinned=pinned)

    # ------------------------------------------------------------ the forge

    def _demand_known_viewer(self, viewer: Account, owner: Account) -> None:
        """The token must be the owner's or the bot's, else nothing is read at all (R23)."""
        if viewer.id == owner.id:
            return
        bot = self.config.factory.bot
        if not bot or self.forge.account(bot).id != viewer.id:
            raise Problem("observe_foreign_token", viewer=viewer.login, owner=owner.login, bot=bot or "-")

    def _pinned(self, viewer: Account, owner: Account) -> tuple[str, ...]:
        """Ids of our labels as they were at set-up. Another id behind a name stops the tick (R23)."""
        found = pins.load(self.config.path)
        if found is None:
            if self.config.forge.kind != "local":
                raise Problem("pins_missing", exit_code=2, file=pins.FILE)
            return ()
        strangers = [account.login for account, pin in ((owner, found.owner),) if account.id != pin]
        if viewer.id not in (found.owner, found.bot):
            strangers.append(viewer.login)
        if strangers:
            raise Problem("pins_differ", names=", ".join(strangers))
        return tuple(sorted({pin for labels in found.labels.values() for pin in labels.values()}))

    def _read_repository(self, repo: str, runs: tuple[RunFact, ...]) -> None:
        """Read whole what carries our labels, what belongs to it, and what a run is about."""
        rows = self._rows(repo)
        wanted = {number for number, row in rows.items() if self._is_ours(row)}
        for fact in runs:
            if fact.order.repo == repo:
                wanted.update(n for n in (fact.order.issue, fact.order.pull) if n is not None)
        for row in rows.values():
            belongs = parse_branch(row.head_ref)
            if belongs and row.state == "open":
                wanted.update((row.number, belongs[0]))
            elif row.state == "open" and wanted.intersection(row.closes):
                wanted.add(row.number)
        for number in sorted(wanted):
            self._read(repo, number, rows.get(number))
        for number in sorted(wanted):
            self._read_pulls_of(repo, number)

    def _rows(self, repo: str) -> dict[int, Row]:
        """The listing: all open ones at first, later what changed since the last complete one (R20)."""
        before = self.state.listing(repo)
        new = self.forge.listing(repo, before.mark if before else "")
        rows = {row.number: row for row in (before.rows if before else ())}
        rows.update((row.number, row) for row in new.rows)
        if new.complete:
            stays = tuple(row for row in rows.values() if row.state == "open" or self._is_labelled(row))
            self.listings[repo] = Listing(rows=stays, complete=True, mark=new.mark)
        return rows

    def remember(self) -> None:
        """Keep the listings, once all that they led to has been done: until then they are read anew."""
        for repo, listing in self.listings.items():
            self.state.keep_listing(repo, listing)

    def _is_labelled(self, row: Row) -> bool:
        return any(self.config.state(label.name) for label in row.labels)

    def _is_ours(self, row: Row) -> bool:
        merged = row.state == "merged" and parse_branch(row.head_ref) is not None
        return merged or self._is_labelled(row)

    def _read(self, repo: str, number: int, row: Row | None = None) -> Item | None:
        """One item whole, from the cache when its `updated_at` is the listed one."""
        if (repo, number) in self.items:
            return self.items[repo, number]
        cached = self.state.cached_item(repo, number) if row else None
        if cached and row and cached.updated_at == row.updated_at:
            self.items[repo, number] = cached
            return cached
        return self._read_now(repo, number, row.title if row else "")

    def _read_now(self, repo: str, number: int, title: str) -> Item | None:
        try:
            item = self.forge.read(repo, number)
        except (NotFound, Partial) as error:
            # Not whole is never "none" (R21): the pair is left alone, and says so.
            self.items.pop((repo, number), None)
            self._leave_alone(repo, number, title, error.key)
            return None
        self.items[repo, number] = item
        if self.writing:
            self.state.cache_item(item)
        return item

    def _leave_alone(self, repo: str, number: int, title: str, why: str) -> None:
        """Also the issue of a pull request of ours: without it the issue would look as if it had none."""
        old = self.state.cached_item(repo, number)
        branch = parse_branch(old.pull.head_ref) if old and old.pull else None
        for missing in {number, branch[0] if branch else number}:
            self.unreadable.append(Unreadable(repo=repo, number=missing, title=title, detail=why))

    def _read_pulls_of(self, repo: str, number: int) -> None:
        """Our pull requests for an issue, closed ones too: they tell which attempt this is (R9)."""
        item = self.items.get((repo, number))
        if item is None or item.kind != "issue":
            return
        attempt = 1
        while pull := self.forge.pull_by_head(repo, branch_name(number, attempt)):
            self.items.setdefault((repo, pull.number), pull)
            if pull.state == "open":
                return
            attempt += 1

    def _read_pair_again(self, pair: Pair) -> None:
        for item in (pair.issue, pair.pull):
            if item is not None:
                self._read_now(item.repo, item.number, item.title)
        if pair.issue is not None:
            self._read_pulls_of(pair.repo, pair.issue.number)

    def _leftover_branches(self) -> tuple[str, ...]:
        """Branches of ours whose pull request was merged and that are still there (R11)."""
        found = []
        for item in self.items.values():
            ours = item.pull and parse_branch(item.pull.head_ref)
            if item.pull and ours and item.state == "merged":
                if self.forge.branch(item.repo, item.pull.head_ref):
                    found.append(f"{item.repo} {item.pull.head_ref}")
        return tuple(sorted(set(found)))

    # ------------------------------------------------------------ the runs

    def _run_fact(self, folder: RunFolder) -> RunFact:
        """A run folder as it is now. Without an end and with a free lock it is looked at once more."""
        order = folder.order()
        if folder.alive():
            return RunFact(order=order, status="alive")
        end = folder.end()
        if end is None:
            time.sleep(LOOK_ONCE_MORE_S)
            if folder.alive():
                return RunFact(order=order, status="alive")
            end = folder.end()
        refused, words = folder.refusals()
        if end is None or end.proof is None:
            return RunFact(order=order, status="dead", end=end)
        return RunFact(order=order, status="ended", end=end, refused_pushes=refused, refusal=words)

    def _with_delivery(self, fact: RunFact) -> RunFact:
        if fact.status != "ended" or fact.end is None:
            return fact
        cell = self.config.cell(fact.order.cell)
        merges = cell is not None and cell.merge  # judged by what stands on the branch
        if not merges and not (fact.order.writes and fact.end.changed):
            return fact
        try:
            return replace(fact, delivery=deliver(self.config, self.forge, self.state, fact, self.writing))
        except ForgeError as error:
            order = fact.order
            self.unreadable.append(Unreadable(
                repo=order.repo, number=order.issue or order.pull or 0, title=order.title, detail=error.key))
            return fact

