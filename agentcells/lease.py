"""Several machines on the same repositories: whoever writes about a pair holds its lease (`[factory] lease`).

The lease is a ref of the repository, moved by compare-and-swap alone. It is taken before the first write
about a pair, kept while a run of the pair is alive or unpublished, renewed at each pass, given back when
nothing is left. Whoever holds it is dead only after the run's time-out and 15 minutes, by the forge's clock
(R17). One that was lost meanwhile is noticed at the next write, which is then not made (R26).
"""

from __future__ import annotations

import json
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NoReturn

from agentcells.forge import Forge, Leased, Stale
from agentcells.model import Item, Pair, Sha
from agentcells.rounds import GRACE
from agentcells.run import Order
from agentcells.store import State, keep, writing
from agentcells.wire import from_json, to_json

LASTS_MOST_S = 10**7  # 115 days: no time-out in cells.toml may be that long

if TYPE_CHECKING:
    from agentcells.config import Config
    from agentcells.git import Fence, Git


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A lease of this machine, as far as it knows: a note, the ref is the truth."""

    repo: str
    number: int
    sha: Sha
    renewed: datetime  # by the forge's clock


def name_of(config: Config, state: State, *, make: bool = True) -> str:
    """This machine's name in books and leases. Several state folders on one host are several machines."""
    host = socket.gethostname()
    if not config.factory.lease:
        return host
    mark = _mark(state, make=make)
    return f"{host}-{mark}" if mark else host


def _mark(state: State, *, make: bool) -> str:
    """What tells this state folder from others; "" when there is none yet."""
    path = state.root / "machine"
    if make and not path.exists():
        keep(path, secrets.token_hex(3))
    return path.read_text(encoding="ascii").strip() if path.exists() else ""


def _noted(state: State) -> dict[str, Lease]:
    """By place. Lost: each is found again when something is to be written, or runs out."""
    try:
        return from_json(dict[str, Lease], (state.root / "leases.json").read_bytes())
    except (OSError, ValueError):
        return {}


def _note_down(state: State, leases: Mapping[str, Lease]) -> None:
    path = state.root / "leases.json"
    if leases:
        keep(path, to_json(dict(leases)))
    elif path.exists():
        with writing(path):
            path.unlink()


class Elsewhere(Stale):
    """Another machine holds the pair, or has just been at it: look again before anything is written."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a lease is about. Number 0: a repository itself."""

    repo: str
    number: int

    @classmethod
    def of(cls, what: Pair | str) -> Place:
        return cls(what, 0) if isinstance(what, str) else cls(what.repo, what.number)

    @property
    def key(self) -> str:
        return f"{self.repo}#{self.number}"


def _since_boot() -> float:
    """Goes on while the machine sleeps or the process is stopped, and nobody can set it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


@dataclass(slots=True)
class Leases:
    """The leases of one pass. `others`: pairs that another machine was found to hold, with its name."""

    config: Config
    forge: Forge
    state: State
    machine: str
    others: dict[str, str] = field(default_factory=dict)
    boot: Callable[[], float] = _since_boot
    _ours: dict[str, Lease] = field(default_factory=dict)
    _taken_at: dict[str, float] = field(default_factory=dict)  # in this pass, since boot

    @classmethod
    def of(cls, config: Config, forge: Forge, state: State) -> Leases | None:
        """None: this machine is alone."""
        if not config.factory.lease:
            return None
        found = cls(config, forge, state, name_of(config, state))
        found._ours = _noted(state)
        return found

    @property
    def lasts(self) -> timedelta:
        return timedelta(seconds=self.config.agent.timeout) + GRACE

    # ------------------------------------------------------------ before a write

    def demand(self, what: Pair | str) -> None:
        """The lease is ours now, and the pair as it was when it was read. Raises Elsewhere.

        `what`: a pair; or a repository, for what is done there about no item (R50).
        """
        place = Place.of(what)
        if place.key in self.others:
            raise Elsewhere("lease_held", number=place.number, machine=self.others[place.key])
        at = self._taken_at.get(place.key)
        if at is not None and self.boot() - at < self.lasts.total_seconds() / 4:
            return
        if self._renewed(place):
            return
        self._acquire(place)
        if isinstance(what, str):
            return
        try:
            self._demand_unchanged(what)
        except Stale:
            self._give_back(place.key)
            raise

    def _renewed(self, place: Place) -> bool:
        """False: it is not ours (any more)."""
        held = self._ours.get(place.key)
        if held is None:
            return False
        try:
            self._put(place, held.sha)
        except Stale:
            return self._found_again(place)
        return True

    def _found_again(self, place: Place) -> bool:
        """Ours all the same: the answer to an earlier swap of ours was lost."""
        there = self.forge.lease(place.repo, place.number)
        if there is not None and _holder(there) == self.machine:
            self._put(place, there.sha)
            return True
        self._forget(place.key)
        return False

    def _acquire(self, place: Place) -> None:
        try:
            self._put(place, None)
            return
        except Stale:
            there = self.forge.lease(place.repo, place.number)
        if there is not None and not self._may_take_over(there):
            self._leave(place, _holder(there))
        try:
            self._put(place, there.sha if there else None)
        except Stale:
            self._leave(place, "?")

    def _leave(self, place: Place, machine: str) -> NoReturn:
        self.others[place.key] = machine
        raise Elsewhere("lease_held", number=place.number, machine=machine)

    def _may_take_over(self, there: Leased) -> bool:
        """Our own of a pass that was killed; or that of a machine which is dead by the forge's clock."""
        if _holder(there) == self.machine:
            return True
        return self.forge.clock() > there.at + _lasting(there, self.lasts)

    def _demand_unchanged(self, pair: Pair) -> None:
        """Another machine may have done its work between our look and our lease (R21, R26)."""
        for item in (pair.issue, pair.pull):
            if item is not None and _plain(self.forge.read(item.repo, item.number)) != _plain(item):
                raise Elsewhere("lease_changed", number=pair.number)

    # ------------------------------------------------------------ between and after the writes

    def fence(self, pair: Pair, git: Git) -> Fence:
        """For a push: branch and lease move together or not at all, so it cannot come too late."""
        from agentcells.forge.lease_refs import ref_of
        from agentcells.git import Fence

        after = git.commit_tree(git.write_tree({}), (), self.text(), when=self.forge.clock())
        return Fence(ref=ref_of(pair.number), before=self._ours[pair.key].sha, after=after)

    def moved(self, pair: Pair, fence: Fence) -> None:
        """A push has moved the ref together with its branch."""
        self._note(pair.key, replace(self._ours[pair.key], sha=fence.after))

    def text(self) -> str:
        """What we write into a lease. No two are alike, so a swap never mistakes one for another."""
        return json.dumps({
            "holder": self.machine, "seconds": int(self.lasts.total_seconds()),
            "nonce": secrets.token_hex(8),
        }, ensure_ascii=False)

    def settle(self, orders: Iterable[Order]) -> None:
        """Keep those of `orders`, whose runs are alive or unpublished; give the others back."""
        needed = {
            order.pair_key if order.issue or order.pull else Place(order.repo, 0).key
            for order in orders
        }
        for key, held in tuple(self._ours.items()):
            if key not in needed:
                self._give_back(key)
            elif self.forge.clock() > held.renewed + self.lasts / 4:
                self._renewed(Place(held.repo, held.number))

    def _give_back(self, key: str) -> None:
        held = self._ours[key]
        try:
            self.forge.swap_lease(held.repo, held.number, held.sha, "")
        except Stale:  # no longer ours, or by an answer that was lost
            there = self.forge.lease(held.repo, held.number)
            if there is not None and _holder(there) == self.machine:
                self.forge.swap_lease(held.repo, held.number, there.sha, "")
        self._forget(key)

    # ------------------------------------------------------------ the ref, and our note of it

    def _put(self, place: Place, before: Sha | None) -> None:
        sha = self.forge.swap_lease(place.repo, place.number, before, self.text())
        assert sha is not None
        held = Lease(repo=place.repo, number=place.number, sha=sha, renewed=self.forge.clock())
        self._note(place.key, held)

    def _note(self, key: str, held: Lease) -> None:
        self._taken_at[key] = self.boot()
        self._ours[key] = held
        _note_down(self.state, self._ours)

    def _forget(self, key: str) -> None:
        self._taken_at.pop(key, None)
        del self._ours[key]
        _note_down(self.state, self._ours)


def _told(there: Leased) -> dict[str, object]:
    """What stands in it; whatever else somebody may have put there is nobody's."""
    try:
        found = json.loads(there.text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _holder(there: Leased) -> str:
    return str(_told(there).get("holder") or "?")


def _lasting(there: Leased, at_least: timedelta) -> timedelta:
    """As long as its holder said: his time-out may be longer than ours."""
    seconds = _told(there).get("seconds")
    if not isinstance(seconds, int) or seconds > LASTS_MOST_S:  # more is no time-out of anybody's
        return at_least
    return max(timedelta(seconds=max(seconds, 0)), at_least)


def _plain(item: Item) -> Item:
    """Without what changes by itself: checks that go on, a merge that is being computed."""
    pull = item.pull
    return item if pull is None else replace(item, pull=replace(
        pull, checks="none", failed_checks=(), mergeable=None
    ))


def look_again_within(config: Config, poll: float) -> float:
    """How long a coordinator may wait: a lease is renewed in time."""
    if not config.factory.lease:
        return poll
    return min(poll, (config.agent.timeout + GRACE.total_seconds()) / 4)


__all__ = ["Elsewhere", "Leases", "look_again_within", "name_of"]

