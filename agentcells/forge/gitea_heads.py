"""Which pull request has which head branch: Gitea cannot be asked that, so its list is walked.

A pull request keeps its head for ever, so what was seen once is kept for the pass, and only what is
newer is asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agentcells.forge.gitea_json import number
from agentcells.forge.gitea_parse import own_head
from agentcells.forge.gitea_wire import Wire
from agentcells.model import parse_branch


@dataclass(slots=True)
class _Known:
    """Pull requests of one repository: `heads` has every one from the newest down to `down_to`."""

    heads: dict[int, str] = field(default_factory=dict)
    down_to: int | None = None

    def newest(self, head: str) -> int | None:
        return max((n for n, found in self.heads.items() if found == head), default=None)


class Heads:
    """The index of one connection."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._known: dict[str, _Known] = {}
        self._taken: set[tuple[str, str]] = set()

    def is_taken(self, repo: str, head: str) -> None:
        """The forge says that there is a pull request for this head: look through all of them."""
        self._taken.add((repo, head))

    def newest(self, repo: str, head: str) -> int | None:
        """The number of the newest pull request with this head branch, of any state."""
        known = self._known.get(repo) or _Known()
        floor = self._floor(repo, head)
        self._known[repo] = self._walk(repo, head, floor, known)
        return self._known[repo].newest(head)

    def _floor(self, repo: str, head: str) -> int:
        """A branch of ours is made for an issue, so its pull request has a higher number.

        (Issues and pull requests are numbered together.) Below that nobody has to look.
        """
        ours = parse_branch(head)
        return 0 if ours is None or (repo, head) in self._taken else ours[0]

    def _walk(self, repo: str, head: str, floor: int, before: _Known) -> _Known:
        """From the newest down, until the head is found or nothing older can have it."""
        now = _Known(dict(before.heads), None)
        for nodes in self._wire.walk(f"/repos/{repo}/pulls", repo, state="all"):
            numbers = [number(node, "number") for node in nodes]
            joined = before.down_to is not None and any(n in before.heads for n in numbers)
            now.heads |= {number(node, "number"): own_head(node) for node in nodes}
            now.down_to = min(numbers)
            if joined and before.down_to is not None:
                now.down_to = min(now.down_to, before.down_to)
            found = now.newest(head)
            if now.down_to <= floor or (found is not None and found >= now.down_to):
                return now
        now.down_to = 0
        return now
