"""Listings of GitHub: pages by last change, several repositories in one request (R20).

A list is a hint and never a proof (R21): a row that could not be read makes the listing incomplete,
and the mark stays where it was, so that the next listing goes over the same ground again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agentcells.forge import ForgeError, Interest, Listing, Partial, Stale, fold
from agentcells.forge import github_parse as parse
from agentcells.forge.github_documents import MANY, listing
from agentcells.forge.github_errors import Error
from agentcells.forge.github_parse import Names, Node
from agentcells.forge.github_wire import Wire
from agentcells.model import Row

COLD_PAGE = 100
WARM_PAGE = 30  # 62 connections a repository: below one point, and most of an hour's changes
# Lists are served by replicas that may be behind by seconds: a later listing begins this much
# earlier than the newest change that the last one showed.
OVERLAP = timedelta(seconds=120)


@dataclass(frozen=True, slots=True)
class Mark:
    """How far back the last complete listing reached, for issues and for pull requests."""

    issues: datetime
    pulls: datetime

    def __str__(self) -> str:
        return f"v1 {self.issues.isoformat()} {self.pulls.isoformat()}"


def read_mark(text: str) -> Mark | None:
    """None for no mark and for one we did not write: then all open items are listed."""
    parts = text.split(" ")
    if len(parts) != 3 or parts[0] != "v1":
        return None
    try:
        issues, pulls = (datetime.fromisoformat(part) for part in parts[1:])
    except ValueError:
        return None
    return Mark(issues, pulls) if issues.tzinfo and pulls.tzinfo else None


@dataclass(slots=True)
class _Lane:
    """One of the two connections of a repository, walked from its newest change backwards."""

    since: datetime | None
    rows: dict[int, Row] = field(default_factory=dict)
    newest: datetime | None = None
    cursor: str | None = None
    done: bool = False

    def take(self, row: Row) -> None:
        self.newest = max(self.newest or row.updated_at, row.updated_at)
        if self.since is not None and row.updated_at < self.since:
            self.done = True
        else:
            self.rows.setdefault(row.number, row)

    def turn(self, following: str | None) -> None:
        if following is not None and following == self.cursor:
            raise parse.partial("pages")
        self.cursor = following
        self.done = self.done or following is None

    def mark(self, now: datetime) -> datetime:
        if self.newest is None and self.since is not None:
            return self.since
        return (self.newest or now) - OVERLAP


@dataclass(slots=True)
class _Walk:
    """The listing of one repository while its pages come in."""

    repo: str
    mark: str
    names: Names
    now: datetime
    issues: _Lane
    pulls: _Lane
    whole: bool = True
    repo_id: str = ""

    @classmethod
    def begin(cls, repo: str, mark: str, names: Names, now: datetime) -> _Walk:
        since = read_mark(mark)
        return cls(
            repo, mark, names, now,
            issues=_Lane(since.issues if since else None),
            pulls=_Lane(since.pulls if since else None),
        )

    @property
    def cold(self) -> bool:
        return self.issues.since is None

    @property
    def page(self) -> int:
        return COLD_PAGE if self.cold else WARM_PAGE

    def variables(self, page: int) -> dict[str, Any]:
        return {
            "page": page,
            "issueStates": ["OPEN"] if self.cold else None,
            "pullStates": ["OPEN"] if self.cold else None,
            "issuesAfter": self.issues.cursor, "pullsAfter": self.pulls.cursor,
            "withIssues": not self.issues.done, "withPulls": not self.pulls.done,
        }

    def take(self, node: Node) -> None:
        """One page of this repository."""
        demand_name(self.repo, node)
        self.repo_id = node["id"]
        for name, lane in (("issues", self.issues), ("pullRequests", self.pulls)):
            if not lane.done:
                self._take_lane(name, lane, node.get(name), node["id"])

    def _take_lane(self, name: str, lane: _Lane, connection: object, repo_id: str) -> None:
        found = connection.get("nodes") if isinstance(connection, Mapping) else None
        if not isinstance(found, Sequence):
            raise parse.partial(name)
        for node in found:
            try:
                lane.take(self._row(name, repo_id, node))
            except Partial:
                self.whole = False
        assert isinstance(connection, Mapping)
        lane.turn(parse.next_page(connection, name))

    def _row(self, name: str, repo_id: str, node: object) -> Row:
        if not isinstance(node, Mapping):
            raise parse.partial(name)
        if name == "issues":
            return parse.issue_row(self.repo, node, self.names)
        return parse.pull_row(self.repo, repo_id, node, self.names)

    def result(self) -> Listing:
        rows = (*self.issues.rows.values(), *self.pulls.rows.values())
        mark = Mark(self.issues.mark(self.now), self.pulls.mark(self.now))
        return Listing(
            rows=tuple(sorted(rows, key=lambda row: row.updated_at, reverse=True)),
            complete=self.whole, mark=str(mark) if self.whole else self.mark,
            repo_id=self.repo_id,
        )


def demand_name(repo: str, node: Node) -> None:
    """A renamed repository answers to its old name too, but not to every question: say so."""
    now = node.get("nameWithOwner")
    if not isinstance(now, str):
        raise parse.partial("repository")
    if now.casefold() != repo.casefold():
        raise Stale("github_renamed", repo=repo, now=now)


@dataclass(frozen=True, slots=True)
class Answer:
    """Listings by repository (or why there is none), and what else came with the first request."""

    listings: Mapping[str, Listing | ForgeError]
    viewer: Node | None = None
    accounts: Mapping[str, Node] = field(default_factory=dict)


def several(
    wire: Wire, names: Names, marks: Mapping[str, str], logins: Sequence[str] = (),
    waiting: Sequence[str] = (), interest: Interest | None = None,
) -> Answer:
    """Listings of the repositories in `marks`. The warm ones share a request, up to 20 of them.

    What is open and of no `interest` in one that has no mark is folded before the next is listed.
    """
    warm = [repo for repo, mark in marks.items() if read_mark(mark)]
    groups = [warm[start : start + MANY] for start in range(0, len(warm), MANY)]
    groups += [[repo] for repo in marks if repo not in warm]

    def folded(repo: str, found: Listing | ForgeError) -> Listing | ForgeError:
        if isinstance(found, ForgeError) or repo in warm:
            return found
        return fold(repo, found, interest)

    listings: dict[str, Listing | ForgeError] = {}
    first = Answer({})
    for group in groups:
        once = (logins, waiting) if group is groups[0] else ((), ())
        answer = _ask_many(wire, names, group, marks, *once)
        first = answer if group is groups[0] else first
        listings.update((repo, folded(repo, found)) for repo, found in answer.listings.items())
    for repo, mark in marks.items():
        if repo not in listings:
            listings[repo] = folded(repo, _or_error(wire, names, repo, mark))
    return Answer({repo: listings[repo] for repo in marks}, first.viewer, first.accounts)


def one(wire: Wire, names: Names, repo: str, mark: str) -> Listing:
    """The listing of one repository. Raises ForgeError."""
    walk = _Walk.begin(repo, mark, names, _now(wire))
    return _finish(wire, walk, walk.page)


def _or_error(wire: Wire, names: Names, repo: str, mark: str) -> Listing | ForgeError:
    try:
        return one(wire, names, repo, mark)
    except ForgeError as error:
        return error


def _finish(wire: Wire, walk: _Walk, page: int) -> Listing:
    """All pages that are still missing."""
    owner, name = walk.repo.split("/", 1)
    while not (walk.issues.done and walk.pulls.done):
        data = wire.query(
            listing(1), {"o0": owner, "n0": name, **walk.variables(page)},
            where=walk.repo,
        )
        node = data.get("r0")
        if not isinstance(node, Mapping):
            raise parse.partial("repository")
        walk.now = _now(wire)
        walk.take(node)
        page = COLD_PAGE
    return walk.result()


def _now(wire: Wire) -> datetime:
    return wire.clock() or datetime.now(UTC)


def _ask_many(
    wire: Wire, names: Names, repos: Sequence[str], marks: Mapping[str, str],
    logins: Sequence[str], waiting: Sequence[str],
) -> Answer:
    """The first page of each, all warm or all cold; one that did not come back is left out."""
    walks = [_Walk.begin(repo, marks[repo], names, _now(wire)) for repo in repos]
    variables = walks[0].variables(walks[0].page)
    for i, repo in enumerate(repos):
        variables[f"o{i}"], variables[f"n{i}"] = repo.split("/", 1)
    variables |= {f"l{i}": login for i, login in enumerate(logins)}
    if waiting:
        variables["waiting"] = list(waiting)
    errors: list[Error] = []

    def of_one(error: Error) -> bool:
        errors.append(error)
        return _of_one_alias(error)

    document = listing(len(repos), len(logins), bool(waiting))
    data = wire.query(document, variables, where=", ".join(repos), tolerated=of_one)
    if isinstance(viewer := data.get("viewer"), Mapping):
        wire.login = parse.viewer(viewer).login  # for what is said of those that did not come
    pulls = _waiting_pulls(data.get("waiting"), errors)
    found: dict[str, Listing | ForgeError] = {
        walk.repo: _settle(wire, walk, node, pulls)
        for i, walk in enumerate(walks) if isinstance(node := data.get(f"r{i}"), Mapping)
    }
    accounts = {
        login: node for i, login in enumerate(logins)
        if isinstance(node := data.get(f"u{i}"), Mapping)
    }
    return Answer(found, data.get("viewer"), accounts)


def _of_one_alias(error: Error) -> bool:
    """An error about one repository, login or id leaves the others whole."""
    first = str(_path(error)[0]) if _path(error) else ""
    return first == "waiting" or (first[:1] in ("r", "u") and first[1:].isdigit())


def _path(error: Error) -> Sequence[object]:
    path = error.get("path")
    return path if isinstance(path, Sequence) and not isinstance(path, str) else ()


def _waiting_pulls(found: object, errors: Sequence[Error]) -> list[Node]:
    """Those without any error: a refused rollup is null too, and must not look like "none"."""
    broken = {path[1] for path in map(_path, errors) if path[:1] == ["waiting"] and len(path) > 1}
    if not isinstance(found, Sequence):
        return []
    return [
        node for i, node in enumerate(found)
        if i not in broken and isinstance(node, Mapping) and node.get("repository")
    ]


def _settle(wire: Wire, walk: _Walk, node: Node, pulls: Sequence[Node]) -> Listing | ForgeError:
    """The listing of one of several, with the pull requests that were asked for by id."""
    try:
        walk.now = _now(wire)
        walk.take(node)
        found = _finish(wire, walk, COLD_PAGE)
        asked = {
            row.number: row
            for pull in pulls if pull["repository"]["id"] == node["id"]
            for row in [parse.pull_row(walk.repo, node["id"], pull, walk.names)]
            for row in [replace(row, checks=parse.checks(pull.get("statusCheckRollup")))]
        }
    except ForgeError as error:
        return error
    rows = {row.number: row for row in found.rows} | asked
    newest_first = sorted(rows.values(), key=lambda row: row.updated_at, reverse=True)
    return replace(found, rows=tuple(newest_first))
