"""Labels on GitHub: those of a repository, known for as long as a pass lasts, and those of one item."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agentcells.forge import ForgeError, NotFound, Stale
from agentcells.forge import github_mutations as do
from agentcells.forge import github_parse as parse
from agentcells.forge.github_documents import Document
from agentcells.forge.github_parse import Node
from agentcells.forge.github_whole import RESYNC
from agentcells.forge.github_wire import Wire
from agentcells.model import Item, Label

DESCRIPTION_CHARS = 100  # GitHub refuses more


class Labels:
    """`fetch`: all labels of a repository, as they are now. GitHub's names differ by more than their case."""

    def __init__(self, wire: Wire, fetch: Callable[[str], Sequence[Node]]) -> None:
        self._wire = wire
        self._fetch = fetch
        self._known: dict[str, dict[str, Label]] = {}

    def read(self, repo: str) -> tuple[Label, ...]:
        found = tuple(map(parse.label, self._fetch(repo)))
        self._known[repo] = {label.name.casefold(): label for label in found}
        return found

    def take(self, repo: str, node: Node) -> None:
        """They came with something else; taken only where one page holds them all."""
        found = parse.nodes(node.get("labels"), "labels")
        if parse.next_page(node["labels"], "labels") is None:
            self._known[repo] = {one["name"].casefold(): parse.label(one) for one in found}

    def are_known(self, repo: str) -> bool:
        return repo in self._known

    def known(self, repo: str) -> tuple[Label, ...]:
        if repo not in self._known:
            return self.read(repo)
        return tuple(self._known[repo].values())

    def _one(self, repo: str, name: str) -> Label | None:
        if repo not in self._known:
            self.read(repo)
        return self._known[repo].get(name.casefold())

    def ids(self, repo: str, names: Sequence[str]) -> list[str]:
        """Raises NotFound when the repository lacks one."""
        if any(self._one(repo, name) is None for name in names):
            self.read(repo)
        found = [(name, self._one(repo, name)) for name in names]
        missing = [name for name, label in found if label is None]
        if missing:
            raise NotFound("github_no_label", repo=repo, label=", ".join(missing))
        return [label.id for _, label in found if label]

    def create(self, repo: str, repo_id: str, name: str, color: str, description: str) -> Label:
        self.read(repo)
        if found := self._one(repo, name):
            return found
        wanted = {
            "repositoryId": repo_id, "name": name, "color": color,
            "description": description[:DESCRIPTION_CHARS],
        }
        try:
            made = self._wire.mutate(do.CREATE_LABEL, wanted, where=repo).get("label")
        except ForgeError:
            self.read(repo)  # somebody may have been faster
            if found := self._one(repo, name):
                return found
            raise
        if not isinstance(made, Mapping):
            raise parse.partial(name)
        label = parse.label(made)
        self._known[repo][name.casefold()] = label
        return label

    # ------------------------------------------------------------ of one item

    def add(self, item: Item, names: Sequence[str]) -> tuple[Label, ...]:
        if not names:
            return item.labels
        now = self._change(do.ADD_LABELS, item, self.ids(item.repo, names))
        # By name: the label whose id we know may have been renamed since.
        if not {label.name.casefold() for label in now} >= {name.casefold() for name in names}:
            raise Stale("github_label_not_set", repo=item.repo, number=item.number)
        return now

    def remove(self, item: Item, names: Sequence[str]) -> None:
        gone = {name.casefold() for name in names}
        ids = [label.id for name in names if (label := self._one(item.repo, name))]
        if not ids:
            return
        try:
            now = self._change(do.REMOVE_LABELS, item, ids)
        except NotFound:
            now = parse.labels(_now(self._wire, item).get("labels"))
            if any(label.name.casefold() in gone for label in now):
                raise
        if any(label.name.casefold() in gone for label in now):
            raise Stale("github_label_not_set", repo=item.repo, number=item.number)

    def _change(self, document: Document, item: Item, ids: Sequence[str]) -> tuple[Label, ...]:
        """What stands there afterwards, by the answer to the change itself."""
        wanted = {"labelableId": item.id, "labelIds": list(ids)}
        found = self._wire.mutate(document, wanted, where=item.repo).get("labelable")
        if not isinstance(found, Mapping):
            raise parse.partial(f"#{item.number}")
        return parse.labels(found.get("labels"))


def state_now(wire: Wire, item: Item) -> str:
    """After a write that may have failed half-way."""
    return parse.state(_now(wire, item))


def _now(wire: Wire, item: Item) -> Node:
    node = wire.query(RESYNC, {"id": item.id}, where=item.repo).get("node")
    if not isinstance(node, Mapping):
        raise parse.partial(f"#{item.number}")
    return node
