"""Which items are judged together and must be read whole, by the rows of a listing (R20, R21)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentcells.model import HOLD, WORKING, Item, Row, parse_branch

if TYPE_CHECKING:
    from agentcells.config import Config


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """An issue, the pull requests of ours for it and those that close it; or a pull request alone.

    `state`: whose allowance its reading is counted on; "": it is read in any case.
    """

    repo: str
    number: int
    state: str
    title: str
    members: tuple[int, ...]

    @property
    def place(self) -> tuple[str, int]:
        return self.repo, self.number


def groups_of(
    config: Config, repo: str, rows: Mapping[int, Row], busy: Collection[int],
    tidied: Collection[int], before: Collection[int] = (),
) -> tuple[Group, ...]:
    """All that carries a label of ours, belongs to it, or is still to be tidied.

    `busy`: issues and pull requests that a run of this machine is about. `tidied`: merged pull
    requests that nothing is left to do for. `before`: items that were ours when they were listed
    last; an open one among them has no label now, but `/resume` may stand on it (R7).
    """
    at_work = {root_of(rows[number]) if number in rows else number for number in busy}
    roots = {root_of(row) for row in rows.values() if _wanted(config, row, tidied)}
    roots |= {number for number in before if number in rows and rows[number].state == "open"}
    found = []
    for root in sorted(roots | at_work):
        members = _members(root, rows)
        listed = [rows[number] for number in members if number in rows]
        found.append(Group(
            repo=repo, number=root, members=members, title=listed[0].title if listed else "",
            state="" if root in at_work else _state(config, listed),
        ))
    return tuple(found)


def of_interest(config: Config, pinned: Collection[str], row: Row) -> bool:
    """Whether anything about it may be ours: its labels, its branch, what it closes.

    `pinned`: names and ids of the labels as they were at set-up; one with another name now is still ours.
    """
    if row.closes or (row.head_ref and parse_branch(row.head_ref) is not None):
        return True
    return any(
        label.id in pinned or label.name in pinned or config.state(label.name) for label in row.labels
    )


def root_of(row: Row) -> int:
    """The issue that a pull request of ours is for; of everything else, itself."""
    place = parse_branch(row.head_ref)
    return place[0] if place is not None else row.number


def _wanted(config: Config, row: Row, tidied: Collection[int]) -> bool:
    if _states(config, row):
        return True
    if parse_branch(row.head_ref) is None:
        return False
    return row.state == "open" or (row.state == "merged" and row.number not in tidied)


def _members(root: int, rows: Mapping[int, Row]) -> tuple[int, ...]:
    found = {row.number for row in rows.values() if root_of(row) == root}
    found |= {row.number for row in rows.values() if row.state == "open" and root in row.closes}
    return tuple(sorted({root} | found))


def _states(config: Config, row: Row) -> set[str]:
    found = (config.state(label.name) for label in row.labels)
    return {state for state in found if state is not None}


def _state(config: Config, rows: Iterable[Row]) -> str:
    """A cell's state before `working` and `hold`, which stand beside one; "tidy" without any."""
    states = {state for row in rows for state in _states(config, row)}
    beside = (WORKING, HOLD)
    return min(states, key=lambda state: (state in beside, state), default="tidy")


def worth_keeping(
    rows: Mapping[int, Row], groups: Iterable[Group], waited_for: Collection[int] = ()
) -> tuple[Row, ...]:
    """Rows that the next listing builds on: of the groups, of pulls that may join one, of what is
    waited for."""
    members = {number for group in groups for number in group.members} | set(waited_for)
    return tuple(
        row for number, row in sorted(rows.items())
        if number in members
        or (row.state == "open" and (row.closes or parse_branch(row.head_ref) is not None))
    )


def in_turn(groups: Iterable[Group], last: tuple[str, int] | None) -> Sequence[Group]:
    """Those after the one that was read last come first, so that everybody's turn comes (R20)."""
    return sorted(groups, key=lambda group: (last is not None and group.place <= last, group.place))


def row_of(item: Item) -> Row:
    """The row that a listing would show of an item that was read whole."""
    pull = item.pull
    return Row(
        repo=item.repo, kind=item.kind, number=item.number, id=item.id, title=item.title,
        state=item.state, labels=item.labels, updated_at=item.updated_at,
        author_id=item.author.id if item.author is not None else "",
        head_ref=pull.head_ref if pull is not None and pull.same_repository else "",
        closes=pull.closes if pull is not None else (),
    )


def unchanged(item: Item, row: Row) -> bool:
    """Whether an item read earlier is still what the listing speaks of.

    The end of a check is no change of the pull request: it is compared where it was asked for.
    """
    if item.updated_at < row.updated_at:
        return False
    return row.checks is None or item.pull is None or item.pull.checks == row.checks
