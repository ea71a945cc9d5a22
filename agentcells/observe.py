"""What is so now: the forge's items, the run folders, the brake, in one snapshot for `decide`.

A warm idle tick is one request (R20): listing, viewer, owner and the checks that are waited for
come together, and what did not change comes from the cache. Whatever is going to be written about
is read again, directly, in `look_closely` (R21).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from agentcells import factory_book, lease, pins
from agentcells.blockers import open_blockers
from agentcells.decide import pair_up
from agentcells.forge import (
    Forge,
    ForgeError,
    Listing,
    RateLimited,
    Stale,
    Unauthorized,
    Unavailable,
    listings,
)
from agentcells.groups import of_interest, row_of
from agentcells.model import Account, Item, Pair, Problem, parse_branch
from agentcells.pins import Pins
from agentcells.plan import Plan, Snapshot, Unreadable
from agentcells.reading import Known, Reader
from agentcells.run import RunFact
from agentcells.sentences import say
from agentcells.store import Memory, State

if TYPE_CHECKING:
    from agentcells.config import Config

WAITING_AT_MOST = 100  # pull requests whose checks are asked for beside a listing
SHARED_BOTS = ("github-actions", "dependabot")  # accounts that anybody's workflow can act as (R23)


@dataclass(slots=True)
class Observer:
    """Looks for one pass. `writing` False: a dry run, which leaves no trace anywhere (R16)."""

    config: Config
    forge: Forge
    state: State
    writing: bool = True
    elsewhere: Mapping[str, str] = field(default_factory=dict)  # pairs that other machines hold
    failed: dict[str, Problem] = field(default_factory=dict)  # why a repository is left alone
    reader: Reader = field(init=False)
    _several: list[Known] = field(default_factory=list)
    _close: set[str] = field(default_factory=set)  # pairs that this round has read directly

    def __post_init__(self) -> None:
        self.reader = Reader(self.config, self.forge, self.state, self.writing)

    def look(self, *, claiming: bool) -> Snapshot:
        """The whole view, from listings and cached items."""
        memories = {repo: self.state.memory(repo) for repo in self.config.forge.repos}
        found = self._listings(memories)
        viewer, owner = self.forge.viewer(), self.forge.account(self.config.factory.owner)
        self._demand_known_viewer(viewer, owner)
        pinned = self._pins(viewer, owner)
        runs = self._runs()
        self._several = self._known(found, memories, pinned)
        self._close = set()
        self.reader.read(self._several, _busy(runs))
        return self._seen(viewer, owner, _label_ids(pinned), runs, claiming)

    def look_again(
        self, before: Snapshot, plan: Plan, opened: Collection[Item], *, claiming: bool
    ) -> Snapshot:
        """After our own writes: what they were about is read directly, and nothing is listed again.

        What somebody else has changed meanwhile waits for the next pass, as it would have a second later.
        `opened`: pull requests that this pass has opened.
        """
        keys = {action.pair_key for action in plan.actions}
        self._close = set()
        for pair in before.pairs:
            if pair.key in keys:
                self._read_after(pair, [pull.number for pull in opened if _belongs(pull, pair)])
                self._close.add(pair.key)
        runs = self._runs()
        return self._seen(before.viewer, before.owner, before.label_ids, runs, claiming)

    def _read_after(self, pair: Pair, opened: Collection[int]) -> None:
        """A claim has read the pair after its last write: that is what there is now."""
        numbers = [item.number for item in (pair.issue, pair.pull) if item is not None]
        reader = self.reader
        reader.unreadable = [
            one for one in reader.unreadable if one.repo != pair.repo or one.number not in numbers
        ]
        read = [item for n in numbers if (item := reader.fresh.unwritten(pair.repo, n)) is not None]
        if opened or len(read) < len(numbers):
            reader.read_again(pair, opened)
        else:
            for item in read:
                reader.keep(item)
        rows = next((known.rows for known in self._several if known.repo == pair.repo), None)
        for number in (*numbers, *opened):
            if rows is not None and (item := reader.items.get((pair.repo, number))):
                rows[number] = row_of(item)

    def _seen(
        self, viewer: Account, owner: Account, label_ids: tuple[str, ...], runs: tuple[RunFact, ...],
        claiming: bool,
    ) -> Snapshot:
        """All that is known now, for `decide`."""
        leftover = self.reader.leftover_branches
        branches = [ref for known in self._several for ref in leftover(known, viewer)]
        waited_for = [
            place for known in self._several for place in open_blockers(self.reader, known, owner)
        ]
        if self.writing:
            self._remember(self._several)
        key = self.state.mac_key(make=self.writing)
        seen = Snapshot(
            now=self.forge.clock(),
            viewer=viewer,
            owner=owner,
            machine=lease.name_of(self.config, self.state, make=self.writing),
            elsewhere=tuple(self.elsewhere.items()),
            pairs=pair_up(
                self.config, self.reader.items.values(), viewer, owner, pinned=label_ids, key=key
            ),
            runs=runs,
            unreadable=tuple(self.reader.unreadable),
            brake=self.state.brake(),
            claiming=claiming,
            branches=tuple(sorted(branches)),
            mac_key=key,
            notes=self._notes(self._several),
            waited_for=tuple(waited_for),
            troubles=tuple(self.state.troubles().items()),
            label_ids=label_ids,
            books=tuple(factory_book.books(self.state).items()),
        )
        if not any(cell.on == "factory" for cell in self.config.cells):
            return seen
        from agentcells.filing import sights  # it loads what counts figures

        return replace(seen, sights=sights(self.config, self.forge, self.state, seen))

    def look_closely(self, snapshot: Snapshot, plan: Plan) -> Snapshot:
        """The same view with every pair of the plan read again, and the sealed work judged.

        The reading comes last, so that trust is judged by what stands there just before the first
        write (R26). In a round that has read the pair directly already, that was it.
        """
        keys = {action.pair_key for action in plan.actions}
        runs = tuple(
            self._with_delivery(fact) if fact.order.pair_key in keys else fact
            for fact in snapshot.runs
        )
        for pair in snapshot.pairs:
            if pair.key in keys - self._close:
                self.reader.read_again(pair)
        pairs = pair_up(
            self.config, self.reader.items.values(), snapshot.viewer, snapshot.owner,
            pinned=snapshot.label_ids, key=snapshot.mac_key,
        )
        return replace(
            snapshot, now=self.forge.clock(), pairs=pairs, runs=runs,
            unreadable=tuple(self.reader.unreadable),
        )

    # ------------------------------------------------------------ repositories

    def _listings(self, memories: Mapping[str, Memory | None]) -> dict[str, Listing | ForgeError]:
        """All repositories at once. What stops every question stops the tick."""
        marks = {repo: memory.mark for repo, memory in memories.items() if memory is not None}
        factory = self.config.factory
        logins = [login for login in (factory.owner, factory.bot) if login and "[" not in login]
        interest = None
        if len(marks) < len(memories):
            interest = partial(of_interest, self.config, self._pinned_labels())
        found = listings(
            self.forge, self.config.forge.repos, marks, logins=logins, waiting=_waiting(memories),
            interest=interest,
        )
        errors = [error for error in found.values() if isinstance(error, ForgeError)]
        for error in errors:
            if isinstance(error, RateLimited | Unauthorized):
                raise error
        if len(errors) == len(found) and all(isinstance(error, Unavailable) for error in errors):
            raise errors[0]
        return found

    def _known(
        self, found: Mapping[str, Listing | ForgeError], memories: Mapping[str, Memory | None],
        pinned: Pins | None,
    ) -> list[Known]:
        """Those that can be worked on. One that fails is left alone while the others go on."""
        several = []
        for repo, listing in found.items():
            if isinstance(listing, ForgeError):
                self.failed[repo] = listing
            elif wrong := _other_than_pinned(repo, listing, pinned):
                self.failed[repo] = wrong
            else:
                several.append(Known.of(repo, listing, memories.get(repo)))
        if self.failed and not several:
            raise next(iter(self.failed.values()))
        return several

    def _remember(self, several: list[Known]) -> None:
        """A listing that was not whole is made again: nothing is built on it."""
        for known in several:
            memory = known.memory()
            if known.listing.complete and memory != known.before:
                self.state.keep_memory(known.repo, memory)

    def _notes(self, several: list[Known]) -> tuple[str, ...]:
        """What is to be known of repositories as a whole, for `status`."""
        language = self.config.factory.language
        notes = [
            f"{repo}: {say(problem.key, language, **problem.slots)}"
            for repo, problem in self.failed.items()
        ]
        notes += [
            say("observe_half_a_list", language, repo=known.repo)
            for known in several if not known.listing.complete
        ]
        return tuple(notes)

    # ------------------------------------------------------------ who is who

    def _demand_known_viewer(self, viewer: Account, owner: Account) -> None:
        """The token must be the owner's or the bot's, else nothing more is read (R23)."""
        if viewer.login in SHARED_BOTS:
            raise Problem("observe_shared_bot", viewer=viewer.login)
        if viewer.id == owner.id:
            return
        bot = self.config.factory.bot
        if not bot or self.forge.account(bot).id != viewer.id:
            raise Problem(
                "observe_foreign_token", viewer=viewer.login, owner=owner.login, bot=bot or "-"
            )

    def _pinned_labels(self) -> frozenset[str]:
        """Names and ids; what else is pinned is looked at once it is known who asks."""
        found = pins.load(self.config.path)
        several = found.labels.values() if found is not None else ()
        return frozenset(word for labels in several for pair in labels.items() for word in pair)

    def _pins(self, viewer: Account, owner: Account) -> Pins | None:
        """The ids behind the names as they were at set-up; another id stops the tick (R23)."""
        found = pins.load(self.config.path)
        if found is None:
            if self.config.forge.kind != "local":
                raise Problem("pins_missing", exit_code=2, file=pins.FILE)
            return None
        strangers = [owner.login] if owner.id != found.owner else []
        if viewer.id not in (found.owner, found.bot):
            strangers.append(viewer.login)
        if strangers:
            raise Problem("pins_differ", names=", ".join(strangers))
        return found

    # ------------------------------------------------------------ the runs

    def _runs(self) -> tuple[RunFact, ...]:
        if not self.state.runs():
            return ()  # an idle tick does not load what judges them
        from agentcells.run_facts import run_facts

        return run_facts(self.config, self.forge, self.state)

    def _with_delivery(self, fact: RunFact) -> RunFact:
        from agentcells.run_facts import with_delivery

        try:
            return with_delivery(self.config, self.forge, self.state, fact, self.writing)
        except (RateLimited, Unauthorized):
            raise
        except Problem as problem:
            order = fact.order
            words = say(problem.key, self.config.factory.language, **problem.slots)
            self.reader.unreadable.append(Unreadable(
                repo=order.repo, number=order.issue or order.pull or 0, title=order.title,
                detail=words,
            ))
            return fact


def _belongs(pull: Item, pair: Pair) -> bool:
    place = parse_branch(pull.pull.head_ref) if pull.pull is not None else None
    return pull.repo == pair.repo and place is not None and place[0] == pair.number


def _busy(runs: tuple[RunFact, ...]) -> dict[str, set[int]]:
    """What runs of this machine are about, by repository: read in any case."""
    found: dict[str, set[int]] = {}
    for fact in runs:
        numbers = {n for n in (fact.order.issue, fact.order.pull) if n is not None}
        found.setdefault(fact.order.repo, set()).update(numbers)
    return found


def _waiting(memories: Mapping[str, Memory | None]) -> list[str]:
    """Open pull requests of ours: their checks end without any change of the pull request (R12)."""
    ids = [
        row.id for memory in memories.values() if memory is not None for row in memory.rows
        if row.kind == "pull_request" and row.state == "open" and parse_branch(row.head_ref)
    ]
    return ids[:WAITING_AT_MOST]


def _other_than_pinned(repo: str, listing: Listing, pinned: Pins | None) -> Problem | None:
    """A repository that took over the name of another one, or that was never set up (R23)."""
    if pinned is None:
        return None
    if repo not in pinned.repositories:
        return Problem("pins_new_repository", repo=repo)
    if listing.repo_id and listing.repo_id != pinned.repositories[repo]:
        return Stale("pins_differ", names=repo)
    names = pinned.labels.get(repo, {})
    ids = {pin: name for name, pin in names.items()}
    there = {(label.name, label.id) for row in listing.rows for label in row.labels}
    other = {
        ids.get(pin, name) for name, pin in there
        if names.get(name, pin) != pin or ids.get(pin, name) != name
    }
    return Problem("pins_differ", names=", ".join(sorted(other))) if other else None


def _label_ids(pinned: Pins | None) -> tuple[str, ...]:
    if pinned is None:
        return ()
    return tuple(sorted({pin for labels in pinned.labels.values() for pin in labels.values()}))
