"""A small GitHub for stories: alice owns alice/game, cells is her bot's account, bob looks on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agentcells.forge.github import GitHubForge
from agentcells.model import Item
from tests.loopback.github import Person, Server, World
from tests.loopback.github.desk import signed_in

REPO = "alice/game"
LABELS = ("ac:triage", "ac:implement", "ac:working", "bug")
# What docs and `check` ask of a fine-grained token.
FINE = {
    "issues": "write", "pull_requests": "write", "contents": "write", "statuses": "read",
    "metadata": "read",
}


@dataclass(frozen=True)
class Story:
    world: World
    server: Server
    alice: Person
    bob: Person
    cells: Person

    def forge(self, login: str = "cells", token: str = "", ca_file: str = "") -> GitHubForge:
        return signed_in(self.server, login, token, ca_file)

    def issue(self, title: str = "A ball that bounces", body: str = "It should.") -> int:
        return self.alice.open_issue(REPO, title, body)

    def pull(self, body: str = "A change.", files: Mapping[str, str] | None = None) -> int:
        self.cells.push(REPO, "agentcells/1", files or {"ball.txt": "bounce\n"})
        return self.cells.open_pull(REPO, "agentcells/1", "Bounce", body)

    def read(self, number: int, forge: GitHubForge | None = None) -> Item:
        return (forge or self.forge()).read(REPO, number)


@contextmanager
def story(root: Path, certificate: tuple[Path, Path] | None = None) -> Iterator[Story]:
    world = World(root / "hub")
    for login in ("alice", "bob", "cells"):
        world.account(login)
    world.set_clock("2026-03-01T09:00:00+00:00")
    world.repository(REPO, roles={"cells": "write"}, labels=LABELS, files={"README.md": "a game\n"})
    with Server(world, certificate=certificate) as server:
        yield Story(world, server, *(world.as_(login) for login in ("alice", "bob", "cells")))
