"""Reads what the line has done: all that may have been in it, whole, from the forge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from agentcells.forge import Forge, IssueReader, NotFound, Partial
from agentcells.model import Item, branch_name, parse_branch

if TYPE_CHECKING:
    from agentcells.config import Config

EVERYTHING = "all"  # a mark that no listing made: the local forge then lists every state

Progress = Callable[[int, int], None]


def read_line(
    config: Config, forge: Forge, since: datetime | None, most: int, progress: Progress
) -> list[Item]:
    """The newest `most` issues of each repository that changed since, and their pull requests."""
    return _Reading(config, forge, since, most, progress).read()


@dataclass(slots=True)
class _Reading:
    """Reads whole whatever may have been in the line: open ones of ours, and the newest issues."""

    config: Config
    forge: Forge
    since: datetime | None
    most: int
    progress: Progress
    items: dict[tuple[str, int], Item] = field(default_factory=dict)

    def read(self) -> list[Item]:
        places = [
            (repo, number) for repo in self.config.forge.repos for number in self._numbers(repo)
        ]
        for count, (repo, number) in enumerate(places, 1):
            self.progress(count, len(places))
            self._take(repo, number)
        return list(self.items.values())

    def _numbers(self, repo: str) -> list[int]:
        wanted: dict[int, None] = {}
        for row in self.forge.listing(repo).rows:
            branch = parse_branch(row.head_ref)
            if branch is not None or any(self.config.state(label.name) for label in row.labels):
                wanted[branch[0] if branch else row.number] = None
        for number, at in self._newest(repo):
            if self.since is None or at >= self.since:
                wanted[number] = None
        return list(wanted)[: self.most]

    def _newest(self, repo: str) -> Iterator[tuple[int, datetime]]:
        if isinstance(self.forge, IssueReader):
            rows = self.forge.recent(repo, "all", self.most)
        else:
            rows = self.forge.listing(repo, EVERYTHING).rows
        for row in rows:
            if row.kind == "issue":
                yield row.number, row.updated_at

    def _take(self, repo: str, number: int) -> None:
        """An item and the pull requests of ours for it. What cannot be read is left out."""
        try:
            item = self.forge.read(repo, number)
            self.items[repo, number] = item
            attempt = 1
            while item.kind == "issue" and (
                pull := self.forge.pull_by_head(repo, branch_name(number, attempt))
            ):
                self.items[repo, pull.number] = pull
                attempt += 1
        except (NotFound, Partial):
            return


__all__ = ["EVERYTHING", "Progress", "read_line"]
