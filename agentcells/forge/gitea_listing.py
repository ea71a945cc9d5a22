"""Listings of Gitea: all that is open at first, later what changed since the last complete one.

No label filter is sent (R20): it means "all of them" where the documentation says "any". A list is
a hint and never a proof (R21): a row that cannot be read makes the listing incomplete, and the mark
stays, so that the next one goes over the same ground.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from agentcells.forge import Listing, NotFound, Partial
from agentcells.forge import gitea_parse as parse
from agentcells.forge.gitea_json import Node, number, time
from agentcells.forge.gitea_wire import Wire
from agentcells.model import Row

# A change gets its time before it can be seen: a later listing begins this much before the newest
# change that the last one showed.
OVERLAP = timedelta(seconds=120)
# How far back a first listing looks for edited comments. An item whose last change is an older edit
# is read whole more often than necessary, nothing worse.
EDITS_BACK = timedelta(days=30)


def read_mark(mark: str) -> datetime | None:
    """None for no mark and for one we did not write: then all open items are listed."""
    version, _, moment = mark.partition(" ")
    if version != "v1":
        return None
    try:
        since = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return since if since.tzinfo else None


def listing(wire: Wire, repo: str, mark: str) -> Listing:
    """The listing of one repository. Raises ForgeError."""
    since = read_mark(mark)
    walk = _Walk(wire, repo)
    if since is None:
        walk.open_ones()
    else:
        walk.changed(since)
    rows = sorted(walk.rows.values(), key=lambda row: row.updated_at, reverse=True)
    if not walk.whole:
        return Listing(rows=tuple(rows), complete=False, mark=mark)
    reached = rows[0].updated_at - OVERLAP if rows else since or walk.started - OVERLAP
    return Listing(rows=tuple(rows), complete=True, mark=f"v1 {reached.isoformat()}")


@dataclass(slots=True)
class _Walk:
    """The rows of one repository while they come in."""

    wire: Wire
    repo: str
    rows: dict[int, Row] = field(default_factory=dict)
    whole: bool = True
    started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def open_ones(self) -> None:
        self._take(parse.issue_row, self._all("/issues", state="open", type="issues"))
        self.started = self.wire.clock() or self.started
        self._take(parse.pull_row, self._all("/pulls", state="open"))
        self.rows = {n: row for n, row in self.rows.items() if row.state == "open"}
        for index, at in self._edits(self.started - EDITS_BACK).items():
            if index in self.rows:
                self._bump(index, at)

    def changed(self, since: datetime) -> None:
        """Of every state. Comments are asked for as well: editing one moves no issue."""
        mark = stamp(since)
        changed = self._all("/issues", state="all", since=mark)
        edited = self._edits(since)
        self._take(parse.issue_row, (node for node in changed if not parse.is_pull(node)))
        pulls = {number(node, "number") for node in changed if parse.is_pull(node)}
        self._take(parse.pull_row, self._recent_pulls(pulls, since))
        for index in sorted({*pulls, *edited} - self.rows.keys()):
            self._one(index)
        for index, at in edited.items():
            if index in self.rows:
                self._bump(index, at)

    def _all(self, path: str, **params: str) -> tuple[Node, ...]:
        return self.wire.all(f"/repos/{self.repo}{path}", self.repo, hides=False, **params)

    def _take(self, row_of: Callable[[str, Node], Row], nodes: Iterable[Node]) -> None:
        for node in nodes:
            try:
                row = row_of(self.repo, node)
            except Partial:
                self.whole = False
            else:
                self.rows[row.number] = row

    def _recent_pulls(self, wanted: set[int], since: datetime) -> list[Node]:
        """Those pull requests with their head branches, which the list of issues does not show."""
        found: list[Node] = []
        if not wanted:
            return found
        path = f"/repos/{self.repo}/pulls"
        missing, page = set(wanted), 1
        while missing:
            nodes = self.wire.page(path, self.repo, page, state="all", sort="recentupdate")
            found += [node for node in nodes if number(node, "number") in wanted]
            missing -= {number(node, "number") for node in nodes}
            if not nodes or time(nodes[-1], "updated_at") < since:
                break
            page += 1
        return found

    def _one(self, index: int) -> None:
        """One row that no list gave."""
        try:
            row = row_now(self.wire, self.repo, index)
        except (NotFound, Partial):
            self.whole = False
        else:
            self.rows[index] = row

    def _edits(self, since: datetime) -> dict[int, datetime]:
        """When a comment of these items was last edited."""
        found: dict[int, datetime] = {}
        for node in self._all("/issues/comments", since=stamp(since)):
            at = time(node, "updated_at")
            if at > time(node, "created_at"):
                index = parse.comment_number(node)
                found[index] = max(at, found.get(index, at))
        return found

    def _bump(self, index: int, at: datetime) -> None:
        row = self.rows[index]
        self.rows[index] = replace(row, updated_at=max(row.updated_at, at))


def stamp(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def row_now(wire: Wire, repo: str, index: int) -> Row:
    """The row of one issue or pull request, asked for directly."""
    node = wire.node(f"/repos/{repo}/issues/{index}", repo)
    if not parse.is_pull(node):
        return parse.issue_row(repo, node)
    return parse.pull_row(repo, wire.node(f"/repos/{repo}/pulls/{index}", repo))


def with_checks(wire: Wire, repo: str, index: int) -> Row:
    """The row of a pull request that waits for its checks: a check that ends moves nothing else."""
    pull = wire.node(f"/repos/{repo}/pulls/{index}", repo)
    state, _ = parse.sum_of_checks(statuses(wire, repo, pull))
    return replace(parse.pull_row(repo, pull), checks=state)


def statuses(wire: Wire, repo: str, pull: Node) -> tuple[Node, ...]:
    """Every status ever set on the head commit. (The sum that Gitea gives is of one page only.)"""
    sha = parse.head_sha(pull)
    return wire.all(f"/repos/{repo}/statuses/{sha}", repo) if sha else ()


def waiting_of(waiting: Iterable[str], repo_id: str) -> list[int]:
    """Numbers of those of these ids that are in this repository."""
    split = (found.split("#", 1) for found in waiting if "#" in found)
    return [int(index) for home, index in split if home == repo_id and index.isdigit()]



def joined(found: Listing, asked: Iterable[Row]) -> Listing:
    """The listing with the rows that were asked for by their number."""
    rows = {row.number: row for row in found.rows}
    for row in asked:
        there = rows.get(row.number)
        updated = max(row.updated_at, there.updated_at) if there else row.updated_at
        rows[row.number] = replace(row, updated_at=updated)
    newest_first = sorted(rows.values(), key=lambda row: row.updated_at, reverse=True)
    return replace(found, rows=tuple(newest_first))
