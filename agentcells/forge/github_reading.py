"""One item of GitHub whole: every page of comments, reviews, threads, events and edits (R21)."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from agentcells.forge import NotFound
from agentcells.forge import github_parse as parse
from agentcells.forge import github_talk as talk
from agentcells.forge.github_checks import look_into
from agentcells.forge.github_documents import Document
from agentcells.forge.github_errors import Error
from agentcells.forge.github_listing import demand_name
from agentcells.forge.github_parse import Names, Node, Whole
from agentcells.forge.github_talk import Kept
from agentcells.forge.github_whole import EDITS, FURTHER, READ, read_together
from agentcells.forge.github_wire import Wire
from agentcells.model import Item

LOG = logging.getLogger("agentcells.forge.github")
EDITED_AT_ONCE = 50  # texts in one request about edits: half a point


def read(wire: Wire, names: Names, repo: str, number: int) -> Item:
    """Raises NotFound when GitHub says so, Partial when anything is missing."""
    owner, name = repo.split("/", 1)
    asked = {"owner": owner, "name": name, "number": number}
    repository, _ = _repository(wire, READ, repo, asked)
    return _item(wire, names, repo, repository, "issueOrPullRequest", number)


@dataclass(frozen=True, slots=True)
class Several:
    """What came in one answer. `pulls`: by head branch, the number of its newest pull request."""

    items: Mapping[int, Item]
    pulls: Mapping[str, int | None]
    repository: Node


def read_several(
    wire: Wire, names: Names, repo: str, numbers: Sequence[int], heads: Sequence[str], ground: bool,
    before: Mapping[int, Kept],
) -> Several:
    """All in one request. Raises ForgeError when any of it is not whole: then each is asked for alone.

    `before`: long conversations that are built on.
    """
    owner, name = repo.split("/", 1)
    asked: dict[str, Any] = {"owner": owner, "name": name}
    asked |= {f"i{i}": number for i, number in enumerate(numbers)}
    asked |= {f"h{i}": head for i, head in enumerate(heads)}
    by_id = talk.ids_to_ask(before.values())
    asked |= {f"{talk.HEARD}{i}": ids for i, ids in enumerate(by_id)}
    newer = tuple(i for i, number in enumerate(numbers) if number in before)
    document = read_together(len(numbers), len(heads), ground, newer, len(by_id))
    repository, data = _repository(wire, document, repo, asked)
    heard = talk.heard(data, len(by_id))
    return Several(
        {
            n: _item(wire, names, repo, repository, f"i{i}", n, before.get(n), heard)
            for i, n in enumerate(numbers)
        },
        {head: newest(repository.get(f"h{i}")) for i, head in enumerate(heads)},
        repository,
    )


def newest(pulls: object) -> int | None:
    """The newest one whose branch is in the repository itself; None only where there surely is none."""
    for node in parse.nodes(pulls, "pull requests"):
        if not node["isCrossRepository"]:
            return int(node["number"])
    parse.only_page(pulls, "pull requests")
    return None


def _repository(
    wire: Wire, document: Document, repo: str, asked: Mapping[str, Any]
) -> tuple[Node, Mapping[str, Any]]:
    """The repository, and all that was answered."""
    data = wire.query(
        document, asked, where=repo, tolerated=lambda error: single_checks(error) or talk.is_gone(error)
    )
    repository = data.get("repository")
    if not isinstance(repository, Mapping):
        raise parse.partial("repository")
    demand_name(repo, repository)
    return repository, data


def _item(
    wire: Wire, names: Names, repo: str, repository: Node, alias: str, number: int,
    before: Kept | None = None, heard: Mapping[str, datetime] | None = None,
) -> Item:
    head = repository.get(alias)
    if not isinstance(head, Mapping):
        raise parse.partial(f"#{number}")
    home = head.get("repository")
    if not isinstance(home, Mapping) or home.get("id") != repository["id"]:
        raise NotFound("github_transferred", repo=repo, number=number)
    return parse.item(repo, repository["id"], _Reader(wire, repo, head, before, heard or {}).whole(), names)


def single_checks(error: Error) -> bool:
    """A fine-grained token may not read single checks: their sum, asked for beside, is enough."""
    path = error.get("path")
    return (
        error.get("type") == "FORBIDDEN" and isinstance(path, Sequence)
        and ("details" in path or "contexts" in path)
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Asks for the pages that the first answer did not hold."""

    wire: Wire
    repo: str
    head: Node
    before: Kept | None = None
    heard: Mapping[str, datetime] = field(default_factory=dict)

    def whole(self) -> Whole:
        pull = self.head["__typename"] == "PullRequest"
        links = "closingIssuesReferences" if pull else "closedByPullRequestsReferences"
        whole = replace(
            self._talk(),
            events=self._all("timelineItems"),
            links=self._all(links),
            reviews=self._all("reviews") if pull else (),
            threads=self._threads() if pull else (),
            contexts=self._contexts() if pull else (),
        )
        passed, words = look_into(self.wire, self.repo, self.head["id"], whole.contexts)
        return replace(
            whole, passed_before=passed, check_words=words,
            edits=self._edits([text for text in whole.texts() if text.get("lastEditedAt")]),
        )

    def _talk(self) -> Whole:
        """The comments: one and all, or what is new among those that are known."""
        if self.before is not None:
            changed = talk.changed(self.before, self.head, self.heard)
            if changed is not None:
                return Whole(
                    head=self.head, comments=changed, kept=self.before.comments, talk_at=self.before.at
                )
            LOG.info("%s#%s: its comments are read anew", self.repo, self.head.get("number"))
            first = self._more("comments", self.head["id"], None).get("comments")
            comments = self._pages("comments", self.head["id"], first)
        else:
            comments = self._all("comments")
        at = self.wire.clock() if len(comments) >= talk.LONG else None
        return Whole(head=self.head, comments=comments, talk_at=at)

    def _all(self, name: str) -> tuple[Node, ...]:
        return self._pages(name, self.head["id"], self.head.get(name))

    def _threads(self) -> tuple[tuple[Node, tuple[Node, ...]], ...]:
        return tuple(
            (
                thread,
                self._pages("threadComments", thread["id"], thread.get("comments"), "comments"),
            )
            for thread in self._all("reviewThreads")
        )

    def _pages(
        self, name: str, node_id: str, connection: object, field: str = ""
    ) -> tuple[Node, ...]:
        """All nodes of a connection whose first page is there."""
        found = list(parse.nodes(connection, name))
        assert isinstance(connection, Mapping)
        cursor = parse.next_page(connection, name)
        while cursor is not None:
            further = self._more(name, node_id, cursor).get(field or name)
            found += parse.nodes(further, name)
            assert isinstance(further, Mapping)
            following = parse.next_page(further, name)
            if following == cursor:
                raise parse.partial(name)
            cursor = following
        return tuple(found)

    def _more(self, name: str, node_id: str, cursor: str | None) -> Node:
        wanted = {"id": node_id, "after": cursor}
        data = self.wire.query(
            FURTHER[name], wanted, where=self.repo, tolerated=single_checks
        )
        node = data.get("node")
        if not isinstance(node, Mapping):
            raise parse.partial(name)
        return node

    def _contexts(self) -> tuple[Node, ...]:
        """Single checks, as far as this token may see them."""
        found: list[Node] = []
        details: object = self.head.get("details")
        while isinstance(details, Mapping) and isinstance(details.get("contexts"), Mapping):
            contexts = details["contexts"]
            found += [node for node in contexts.get("nodes") or () if isinstance(node, Mapping)]
            cursor = parse.next_page(contexts, "checks")
            if cursor is None:
                break
            details = self._more("contexts", self.head["id"], cursor).get("statusCheckRollup")
        return tuple(found)

    def _edits(self, texts: Sequence[Node]) -> dict[str, tuple[Node, ...]]:
        """The history of each edited text: as it came with the item, else asked for."""
        beside = self._beside()
        edits = {
            text["id"]: self._pages("userContentEdits", text["id"], beside[text["id"]])
            for text in texts if text["id"] in beside
        }
        asked = [text["id"] for text in texts if text["id"] not in edits]
        for start in range(0, len(asked), EDITED_AT_ONCE):
            ids = asked[start : start + EDITED_AT_ONCE]
            data = self.wire.query(EDITS, {"ids": ids}, where=self.repo)
            found: Any = data.get("nodes")
            by_id = {node["id"]: node for node in found or () if isinstance(node, Mapping)}
            for node_id in ids:
                history = by_id.get(node_id, {}).get("userContentEdits")
                edits[node_id] = self._pages("userContentEdits", node_id, history)
        return edits

    def _beside(self) -> dict[str, Node]:
        """Histories in the same answer, by the id of their text. One that is null is asked for again."""
        early = self.head.get("early")
        found = early.get("nodes") if isinstance(early, Mapping) else None
        texts = [self.head, *(node for node in found or () if isinstance(node, Mapping))]
        return {
            text["id"]: text["userContentEdits"] for text in texts
            if isinstance(text.get("userContentEdits"), Mapping)
        }
