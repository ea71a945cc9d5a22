"""One item of Gitea read whole: every comment, review, thread line, event and status (R21)."""

from __future__ import annotations

from dataclasses import dataclass

from agentcells.forge import NotFound
from agentcells.forge import gitea_parse as parse
from agentcells.forge.gitea_json import Node, number, partial
from agentcells.forge.gitea_listing import statuses
from agentcells.forge.gitea_parse import Whole
from agentcells.forge.gitea_wire import PAGE, Wire
from agentcells.model import Account, Item

FURTHER = 10  # pages that are asked for beyond an empty one when something does not add up


def read(wire: Wire, repo: str, index: int, viewer: Account) -> Item:
    """Raises NotFound when Gitea says so, Partial when anything is missing."""
    return parse.item(repo, _Reader(wire, repo, index).whole(), viewer)


@dataclass(frozen=True, slots=True)
class _Reader:
    """The questions about one item. Its head is asked first: what comes later can only be newer."""

    wire: Wire
    repo: str
    index: int

    def whole(self) -> Whole:
        """Read a second time, and further, when the timeline may have more than it showed."""
        whole = self._once(beyond=0)
        if not parse.doubtful(whole):
            return whole
        whole = self._once(beyond=FURTHER)
        if gone := parse.missing(whole):
            raise partial(f"#{self.index}: {', '.join(gone[:3])}", self.repo)
        return whole

    def _once(self, beyond: int) -> Whole:
        issue = self._node(f"/issues/{self.index}")
        pull = self._node(f"/pulls/{self.index}") if parse.is_pull(issue) else None
        reviews, lines = self._reviews() if pull else ((), {})
        drafted = sum(len(found) for found in lines.values())
        return Whole(
            issue=issue, pull=pull, reviews=reviews, lines=lines,
            comments=self.wire.whole(self._path(f"/issues/{self.index}/comments"), self.repo),
            timeline=self._timeline(empty=1 + beyond + -(-drafted // PAGE)),
            statuses=statuses(self.wire, self.repo, pull) if pull else (),
            blockers=() if pull else self._blockers(),
        )

    def _path(self, below: str) -> str:
        return f"/repos/{self.repo}{below}"

    def _node(self, below: str) -> Node:
        return self.wire.node(self._path(below), self.repo)

    def _timeline(self, empty: int) -> tuple[Node, ...]:
        """All pages. The answer counts its own rows only, and leaves out rows after it was paged.

        Left out are lines of code and references from where this account may not look: a page may
        be short, or even empty, before the end. `empty`: so many empty ones in a row are the end.
        """
        found: dict[int, Node] = {}
        page, barren = 1, 0
        while barren < empty:
            rows = self.wire.page(self._path(f"/issues/{self.index}/timeline"), self.repo, page)
            fresh = {number(row, "id"): row for row in rows if row.get("id") not in found}
            barren = 0 if fresh else barren + 1
            found |= fresh
            page += 1
        return tuple(found.values())

    def _reviews(self) -> tuple[tuple[Node, ...], dict[int, tuple[Node, ...]]]:
        path = self._path(f"/pulls/{self.index}/reviews")
        reviews = self.wire.all(path, self.repo, hides=True)  # drafts of others
        lines = {
            number(review, "id"): self.wire.whole(f"{path}/{review['id']}/comments", self.repo)
            for review in filter(parse.is_said, reviews) if number(review, "comments_count")
        }
        return reviews, lines

    def _blockers(self) -> tuple[Node, ...]:
        """Gitea says "not found" where a repository has no dependencies at all."""
        try:
            return self.wire.all(self._path(f"/issues/{self.index}/dependencies"), self.repo)
        except NotFound as error:
            if error.key != "gitea_not_found":
                raise
            return ()
