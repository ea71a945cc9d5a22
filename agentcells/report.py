"""`agentcells report`: reads from the forge what the line has done; writes one HTML file of it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agentcells import pins
from agentcells.config import Config
from agentcells.figures import FIGURES, figures
from agentcells.forge import Forge, IssueReader, NotFound, Partial
from agentcells.forge.open import open_forge
from agentcells.model import Item, Problem, branch_name, parse_branch
from agentcells.pairs import pair_up
from agentcells.plan import Snapshot
from agentcells.report_page import page
from agentcells.store import State, write_whole

EVERYTHING = "all"  # a mark that no listing made: the local forge then lists every state

Progress = Callable[[int, int], None]


def check(figure: str) -> None:
    """Before anything is read."""
    if figure and figure not in FIGURES:
        raise Problem("report_no_figure", exit_code=2, figure=figure, known=", ".join(FIGURES))


def chosen(found: dict[str, Any], figure: str) -> Any:
    """One figure, or all."""
    return found[figure] if figure else found


def read_figures(
    config: Config, state: State, *, days: int, items: int, progress: Progress
) -> dict[str, Any]:
    """All figures of the newest `items` issues; `days` 0: from the beginning."""
    forge = open_forge(config)
    viewer, owner = forge.viewer(), forge.account(config.factory.owner)
    since = forge.clock() - timedelta(days=days) if days else None
    found = pins.load(config.path)
    ids = {one for labels in found.labels.values() for one in labels.values()} if found else set()
    label_ids, key = tuple(sorted(ids)), state.mac_key(make=False)
    read = _Reading(config, forge, since, items, progress).read()
    snapshot = Snapshot(
        now=forge.clock(), viewer=viewer, owner=owner, machine=socket.gethostname(),
        pairs=pair_up(config, read, viewer, owner, pinned=label_ids, key=key),
        brake=state.brake(), mac_key=key, label_ids=label_ids,
    )
    return figures(config, snapshot, since)


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


def write(config: Config, found: dict[str, Any], out: Path) -> None:
    try:
        write_whole(out, page(config, found))
    except OSError as error:
        raise Problem("report_unwritable", path=str(out), detail=error.strerror or "") from error


__all__ = ["check", "chosen", "read_figures", "write"]
