"""Which issue and which pull request belong together, and what their labels say (R1, R9, R10)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentcells.labelling import history, looks_like_ours, our_state
from agentcells.model import (
    HOLD,
    WORKING,
    Account,
    Item,
    Member,
    Pair,
    PullFacts,
    parse_branch,
)
from agentcells.voices import same

if TYPE_CHECKING:
    from agentcells.config import Config


@dataclass(frozen=True, slots=True, kw_only=True)
class PairState:
    """The labels of ours on both members, sorted by what they say."""

    states: frozenset[str]
    working: bool
    hold: bool
    on: Member | None  # where the one state stands; None: nowhere, or on both
    issue: frozenset[str] = frozenset()
    pull: frozenset[str] = frozenset()
    look_alike: bool = False  # a label that reads like ours and is not

    @property
    def only(self) -> str:
        """The state, when there is exactly one, else ""."""
        return next(iter(self.states)) if len(self.states) == 1 else ""

    @property
    def labelled(self) -> bool:
        return bool(self.states) or self.working or self.hold


def state_of(config: Config, pair: Pair, pinned: Collection[str] = ()) -> PairState:
    """What the labels of both members say together."""
    issue, pull = _marks(config, pair.issue, pinned), _marks(config, pair.pull, pinned)
    both = issue | pull
    beside = {WORKING, HOLD}
    on: Member | None = None
    if bool(issue - beside) != bool(pull - beside):
        on = "issue" if issue - beside else "pull"
    members = [item for item in (pair.issue, pair.pull) if item is not None]
    return PairState(
        states=both - beside, working=WORKING in both, hold=HOLD in both,
        on=on if len(both - beside) == 1 else None,
        issue=issue - beside, pull=pull - beside,
        look_alike=any(
            looks_like_ours(config, label, pinned) for item in members for label in item.labels
        ),
    )


def _marks(config: Config, item: Item | None, pinned: Collection[str]) -> frozenset[str]:
    labels = item.labels if item is not None else ()
    found = (our_state(config, label, pinned) for label in labels)
    return frozenset(state for state in found if state is not None)


def pull_of_ours(item: Item, viewer: Account) -> tuple[int, int] | None:
    """(issue, attempt) of a pull request of ours: head, repository and account say so (R9)."""
    if item.pull is None or not item.pull.same_repository or not same(item.author, viewer):
        return None
    return parse_branch(item.pull.head_ref)


def facts(item: Item) -> PullFacts:
    """What a pull request has beyond an issue."""
    if item.pull is None:
        raise AssertionError("a pull request is read with its facts")
    return item.pull


def pair_up(
    config: Config, items: Iterable[Item], viewer: Account, owner: Account | None = None, *,
    pinned: Collection[str] = (), key: bytes = b"",
) -> tuple[Pair, ...]:
    """Every issue with the pull request of ours for it, and every other pull request alone.

    `owner` is found by his login when it is not given: pairing is no matter of trust, `may_run` is.
    """
    known = list(items)
    found: list[Pair] = []
    ours: dict[tuple[str, int], list[tuple[int, Item]]] = {}
    rest: list[Item] = []
    for item in known:
        place = pull_of_ours(item, viewer)
        if place is not None:
            ours.setdefault((item.repo, place[0]), []).append((place[1], item))
        elif item.kind == "pull_request":
            rest.append(item)
    the_owner = owner or _by_login(config, known, viewer)
    for issue in (item for item in known if item.kind == "issue"):
        pulls = ours.pop((issue.repo, issue.number), [])
        pair = replace(_newest(issue, pulls), rivals=_rivals(issue, rest))
        pair = _afresh(config, pair, the_owner, viewer, pinned, key)
        older = tuple(pull for _, pull in sorted(pulls, key=lambda one: one[0]) if pull != pair.pull)
        found.append(replace(pair, older=older))
        found += _left_over(config, older)
    rest += [item for pulls in ours.values() for _, item in pulls]
    found += [Pair(issue=None, pull=item) for item in rest]
    return tuple(sorted(found, key=lambda pair: (pair.repo, pair.number)))


def _newest(issue: Item, pulls: list[tuple[int, Item]]) -> Pair:
    """The open pull request of ours, else the newest closed one."""
    if not pulls:
        return Pair(issue=issue, pull=None)
    attempt, pull = max(pulls, key=lambda one: (one[1].state == "open", one[0]))
    return Pair(issue=issue, pull=pull, attempt=attempt)


def _left_over(config: Config, older: Iterable[Item]) -> Iterator[Pair]:
    """Pull requests of ours that another attempt has followed, each alone, where something is to be done.

    Their labels and their merged branch are still ours to tidy (R11), and whoever labels one is told why
    nothing runs there (R22).
    """
    for pull in older:
        if pull.state == "merged" or any(config.state(label.name) for label in pull.labels):
            yield Pair(issue=None, pull=pull)


def _afresh(
    config: Config, pair: Pair, owner: Account, viewer: Account, pinned: Collection[str], key: bytes
) -> Pair:
    """A closed pull request stops its pair until the owner labels the issue again (R9, R11)."""
    pull = pair.pull
    if pull is None or pull.state == "open":
        return pair
    closed = pull.closed_at or pull.updated_at
    again = any(
        change.by == "owner" and change.added and change.member == "issue" and change.at > closed
        and change.state not in (WORKING, HOLD)  # neither says where the item should go
        for change in history(config, pair, owner, viewer, pinned=pinned, key=key)
    )
    return replace(pair, pull=None, attempt=pair.attempt + 1) if again else pair


def _rivals(issue: Item, pulls: list[Item]) -> tuple[int, ...]:
    """Open pull requests of others that close this issue (R9)."""
    return tuple(sorted(
        pull.number for pull in pulls
        if pull.repo == issue.repo and pull.state == "open" and issue.number in facts(pull).closes
    ))


def _by_login(config: Config, items: Iterable[Item], viewer: Account) -> Account:
    name = config.factory.owner.casefold()
    everybody = (account for item in items for account in _people(item))
    return next((one for one in everybody if one.login.casefold() == name), viewer)


def _people(item: Item) -> Iterator[Account]:
    for account in (item.author, *item.assignees, *(event.actor for event in item.events)):
        if account is not None:
            yield account
