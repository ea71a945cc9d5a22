"""Reads items whole: from the cache what did not change, anew at most ten for each state.

A list only tells what to read (R21). Whatever could not be read is left alone and says so, and so
is what has to wait for its turn (R20).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING

from agentcells.forge import (
    Forge,
    ForgeError,
    Listing,
    NotFound,
    Unavailable,
    stops_everything,
    together,
)
from agentcells.fresh import Fresh
from agentcells.groups import Group, groups_of, in_turn, root_of, row_of, unchanged, worth_keeping
from agentcells.model import Account, Item, Pair, Row, branch_name, parse_branch
from agentcells.pairs import facts, pull_of_ours
from agentcells.plan import Unreadable
from agentcells.sentences import say
from agentcells.store import Memory, State, branch_place

if TYPE_CHECKING:
    from agentcells.config import Config

AT_MOST = 10  # whole reads for each state and tick (R20)
# A forge tells times in whole seconds: what changes twice within one looks unchanged in between.
SETTLED = timedelta(seconds=2)


@dataclass(slots=True)
class Known:
    """One repository in this pass: its rows, and what was found out beside them."""

    repo: str
    listing: Listing
    before: Memory | None
    rows: dict[int, Row] = field(default_factory=dict)
    searched: set[int] = field(default_factory=set)
    tidied: set[int] = field(default_factory=set)
    groups: tuple[Group, ...] = ()
    waited_for: set[int] = field(default_factory=set)  # named by items of ours as what they wait for
    open_now: frozenset[int] | None = None  # all that a whole listing shows, once it was asked for

    @classmethod
    def of(cls, repo: str, listing: Listing, before: Memory | None) -> Known:
        before = None if listing.afresh else before
        known = cls(repo, listing, before)
        if before is not None:
            known.rows = {row.number: row for row in before.rows}
            known.searched, known.tidied = set(before.searched), set(before.tidied)
        known.rows.update((row.number, row) for row in listing.rows)
        return known

    def unfold(self, numbers: Iterable[int]) -> None:
        """Rows that are of interest after all, where the listing shows them."""
        if (folded := self.listing.folded) is None:
            return
        for number in set(numbers) - self.rows.keys():
            if row := folded.get(number):
                self.rows[number] = row

    def memory(self) -> Memory:
        """What the next pass starts from."""
        rows = worth_keeping(self.rows, self.groups, self.waited_for)
        near = {row.number for row in (*rows, *self.listing.rows)}
        roots = {group.number for group in self.groups}
        return Memory(
            mark=self.listing.mark, rows=rows, tidied=tuple(sorted(self.tidied & near)),
            searched=tuple(sorted(self.searched & roots)),
            alone=tuple(sorted(root for root in roots if self._stands_alone(root))),
        )

    def _stands_alone(self, root: int) -> bool:
        row = self.rows.get(root)
        return row is not None and row.kind == "pull_request" and row.state == "open"

    def ours_before(self) -> tuple[int, ...]:
        """What was in the line when it was listed last: issues, and pull requests without one."""
        if self.before is None:
            return ()
        issues = (row.number for row in self.before.rows if row.kind == "issue")
        return (*issues, *self.before.alone)


@dataclass(slots=True)
class Reader:
    """Reads for one pass. `writing` False: a dry run, which leaves no trace anywhere (R16)."""

    config: Config
    forge: Forge
    state: State
    writing: bool
    items: dict[tuple[str, int], Item] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    outages: int = 0
    fresh: Fresh = field(init=False)
    # Pull requests of branches that came with an item, until they are asked for.
    _beside: dict[tuple[str, str], Item | ForgeError | None] = field(default_factory=dict)
    _kept: dict[tuple[str, int], Item | None] = field(default_factory=dict)  # by an earlier pass
    _known: dict[str, Known] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.fresh = Fresh(self.forge)

    def read(self, several: Collection[Known], busy: Mapping[str, Collection[int]]) -> None:
        """All groups of all repositories, each state in its turn."""
        turns = self.state.turns()
        groups: dict[str, list[Group]] = {}
        for known in several:
            at_work = busy.get(known.repo, ())
            known.unfold([*at_work, *map(root_of, known.rows.values())])
            known.groups = groups_of(
                self.config, known.repo, known.rows, at_work, known.tidied,
                known.ours_before(),
            )
            for group in known.groups:
                groups.setdefault(group.state, []).append(group)
        by_repo = self._known = {known.repo: known for known in several}
        before = dict(turns)
        for state in sorted(groups):
            ordered = in_turn(groups[state], _place(turns.get(state)))
            self._read_state(state, ordered, by_repo, turns)
        if self.writing and turns != before:
            self.state.keep_turns(turns)

    def _read_state(
        self, state: str, groups: Sequence[Group], known: Mapping[str, Known], turns: dict[str, str]
    ) -> None:
        left = AT_MOST
        next_ones = self._next_ones(state, groups, known)
        for group in [*next_ones, *(group for group in groups if group not in next_ones)]:
            wanted = self._wanted(known[group.repo], group)
            if state and wanted > left and left < AT_MOST:
                self._leave(group.repo, group.number, group.title, "skip_not_looked_at", {})
                continue
            self._read_group(known[group.repo], group)
            if wanted:
                left = max(0, left - wanted)
                if group not in next_ones:
                    turns[state] = f"{group.repo}#{group.number}"

    def _next_ones(self, state: str, groups: Sequence[Group], known: Mapping[str, Known]) -> list[Group]:
        """The oldest that no cache answers for, as many as may be claimed now: their order is kept (R13).

        What was seconds old when it was read is in no cache, so many that were filed at once would else
        be begun in the order of the turns. Two reads are always left for those.
        """
        cell = self.config.cell(state)
        many = min(cell.parallel, AT_MOST - 2) if cell is not None else 0
        oldest = sorted(groups, key=lambda group: group.place)
        return list(islice((one for one in oldest if self._wanted(known[one.repo], one)), many))

    def _wanted(self, known: Known, group: Group) -> int:
        """How many items of a group the cache does not answer for."""
        return sum(self._cached(known, number) is None for number in group.members)

    def _cached(self, known: Known, number: int) -> Item | None:
        place = (known.repo, number)
        if place not in self.items:
            row, item = known.rows.get(number), self._as_kept(*place)
            if row is None or item is None or not unchanged(item, row):
                return None
            self.items[place] = item
        return self.items[place]

    def _as_kept(self, repo: str, number: int) -> Item | None:
        """As it stands in the cache. A long conversation takes a while to take in, so it is done once."""
        place = (repo, number)
        if place not in self._kept:
            self._kept[place] = self.state.cached_item(repo, number)
        return self._kept[place]

    def _read_group(self, known: Known, group: Group) -> None:
        missing = [number for number in group.members if self._cached(known, number) is None]
        titles = {n: known.rows[n].title for n in missing if n in known.rows}
        heads = [branch_name(group.number)] if self._may_be_searched(known, group, missing) else []
        for item in self._now(known.repo, missing, heads, titles, group.title):
            self._adopt(known, item)
        self._search(known, group)
        self._beside.clear()

    def _may_be_searched(self, known: Known, group: Group, missing: Collection[int]) -> bool:
        """Whether its pull request is asked for by name in the same request: `_search` wants it."""
        row = known.rows.get(group.number)
        is_issue = row is None or (row.kind == "issue" and row.state == "open")
        return group.number in missing and is_issue and not self._found_out(known, group)

    def _adopt(self, known: Known, item: Item) -> None:
        """An item that no listing shows (any more) is remembered as if one had."""
        known.rows.setdefault(item.number, row_of(item))

    def _search(self, known: Known, group: Group) -> None:
        """Our pull requests for an issue, by name, once: closed ones tell the attempt (R9)."""
        issue = self.items.get(group.place)
        if issue is None or issue.kind != "issue" or issue.state != "open":
            return
        if self._found_out(known, group):
            return
        if self._search_from(issue, 1, known):
            known.searched.add(group.number)

    def _found_out(self, known: Known, group: Group) -> bool:
        """Asked for already, or one of ours is open and listed."""
        rows = [known.rows[number] for number in group.members if number in known.rows]
        return group.number in known.searched or any(
            row.state == "open" and row.number != group.number and root_of(row) == group.number
            for row in rows
        )

    def _search_from(self, issue: Item, attempt: int, known: Known | None) -> bool:
        """False: it could not be found out, and the issue is left alone."""
        try:
            while pull := self._pull_of(issue.repo, branch_name(issue.number, attempt)):
                self._take(pull)
                if known is not None:
                    self._adopt(known, pull)
                if pull.state == "open":
                    break
                attempt += 1
        except ForgeError as error:
            self._failed(issue.repo, issue.number, issue.title, error)
            return False
        return True

    def _pull_of(self, repo: str, head: str) -> Item | None:
        if (repo, head) not in self._beside:
            return self.forge.pull_by_head(repo, head)
        found = self._beside.pop((repo, head))
        if isinstance(found, ForgeError):
            raise found
        return found

    # ------------------------------------------------------------ items as they are now

    def read_again(self, pair: Pair, more: Collection[int] = ()) -> None:
        """Both members as they are now, and a pull request that no list shows yet.

        `more`: numbers of pull requests of this pair that were opened since it was read.
        """
        members = {item.number: item.title for item in (pair.issue, pair.pull) if item is not None}
        members |= {item.number: item.title for item in pair.older}  # the owner's words there count, too
        issue, pull = pair.issue, pair.pull
        search = issue is not None and issue.state == "open" and (pull is None or pull.state != "open")
        heads = [branch_name(pair.number, pair.attempt)] if search else []
        self._now(pair.repo, list(dict.fromkeys([*members, *more])), heads, members)
        if search and issue is not None:
            self._search_from(issue, pair.attempt, None)
        self._beside.clear()

    def _now(
        self, repo: str, numbers: Sequence[int], heads: Sequence[str], titles: Mapping[int, str],
        title: str = "",
    ) -> list[Item]:
        """Those that could be read; the others are left alone. One request where the forge can."""
        if not numbers:
            return []
        known = {n: self.items.get((repo, n)) or self._as_kept(repo, n) for n in numbers}
        before = {n: old for n, old in known.items() if old is not None}
        found = together(self.forge, repo, numbers, heads, before)
        self._beside.update(((repo, head), pull) for head, pull in found.heads.items())
        read = []
        for number in numbers:
            item = found.items[number]
            if isinstance(item, ForgeError):
                self._failed(repo, number, titles.get(number, title), item)
            else:
                self._take(item)
                read.append(item)
        return read

    def _take(self, item: Item) -> None:
        self.fresh.take(item)
        self.keep(item)

    def keep(self, item: Item) -> None:
        """As it was read just now, by whoever it was in this pass."""
        self.items[item.repo, item.number] = item
        if self.writing and self.forge.clock() - item.updated_at >= SETTLED:
            self.state.cache_item(item)

    def _failed(self, repo: str, number: int, title: str, error: ForgeError) -> None:
        """Not whole is never "none" (R21): what belongs to it is left alone, and says so."""
        if stops_everything(error):
            raise error
        if isinstance(error, Unavailable):
            self.outages += 1  # one item may be too much for the forge; two are its own trouble
            if self.outages > 1:
                raise error
        self.items.pop((repo, number), None)
        if isinstance(error, NotFound) and self._is_gone(repo, number):
            self._known[repo].rows.pop(number)
        else:
            self._leave(repo, number, title, error.key, error.slots)

    def _is_gone(self, repo: str, number: int) -> bool:
        """Deleted, or moved to another repository: nobody shows it, asked in two ways (R21)."""
        known = self._known.get(repo)
        if known is None or number not in known.rows or number in {row.number for row in known.listing.rows}:
            return False
        if known.open_now is None:
            try:
                listing = self.forge.listing(repo)
            except ForgeError as error:
                if stops_everything(error):
                    raise
                return False
            if not listing.complete:
                return False
            known.open_now = frozenset(row.number for row in listing.rows)
        return number not in known.open_now

    def _leave(
        self, repo: str, number: int, title: str, key: str, slots: Mapping[str, object]
    ) -> None:
        later = key == "skip_not_looked_at"
        self.unreadable.append(Unreadable(
            repo=repo, number=number, title=title,
            detail=say(key, self.config.factory.language, **slots),
            key=key if later else "skip_unreadable",
        ))

    # ------------------------------------------------------------ branches

    def leftover_branches(self, known: Known, viewer: Account) -> list[str]:
        """Branches of ours whose pull request was merged and that are still there (R11)."""
        found, troubles = [], self.state.troubles()
        for row in list(known.rows.values()):
            item = self.items.get((known.repo, row.number))
            merged = row.state == "merged" or (item is not None and item.state == "merged")
            if not merged or row.number in known.tidied or parse_branch(row.head_ref) is None:
                continue
            if item is None:
                continue  # its turn comes
            if (refused := branch_place(known.repo, row.head_ref)) in troubles:  # told already (R33)
                known.tidied.add(row.number)
                if self.writing:
                    self.state.note_trouble(refused, "")
                continue
            # What somebody has pushed there since was merged nowhere: it stays (R11).
            merged_tip = facts(item).head_sha
            if pull_of_ours(item, viewer) and self.forge.branch(known.repo, row.head_ref) == merged_tip:
                found.append(f"{known.repo} {row.head_ref}")
            else:
                known.tidied.add(row.number)
        return found


def _place(text: str | None) -> tuple[str, int] | None:
    repo, _, number = (text or "").rpartition("#")
    return (repo, int(number)) if repo and number.isdigit() else None
