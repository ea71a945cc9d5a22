"""A small Gitea for stories: alice owns alice/game, cells is her bot's account, bob looks on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from agentcells.forge.gitea import GiteaForge
from agentcells.model import Item
from tests.loopback.gitea import Person, Server, World
from tests.loopback.gitea.desk import signed_in

REPO = "alice/game"
LABELS = ("ac:triage", "ac:implement", "ac:working", "bug")


@dataclass(frozen=True)
class Story:
    world: World
    server: Server
    alice: Person
    bob: Person
    cells: Person

    def forge(self, login: str = "cells", token: str = "", ca_file: str = "") -> GiteaForge:
        return signed_in(self.server, login, token, ca_file)

    def issue(self, title: str = "A ball that bounces", body: str = "It should.") -> int:
        return self.alice.open_issue(REPO, title, body)

    def pull(self, body: str = "A change.", files: Mapping[str, str] | None = None,
             branch: str = "agentcells/1") -> int:
        self.cells.push(REPO, branch, files or {"ball.txt": "bounce\n"})
        return self.cells.open_pull(REPO, branch, "Bounce", body)

    def read(self, number: int, forge: GiteaForge | None = None) -> Item:
        return (forge or self.forge()).read(REPO, number)

    def first_token(self, login: str) -> str:
        tokens = self.world.hub.tokens.values()
        return next(token.value for token in tokens if token.account.login == login)


@contextmanager
def story(
    root: Path, flavour: str = "gitea", most_rows: int = 50,
    certificate: tuple[Path, Path] | None = None,
) -> Iterator[Story]:
    world = World(root / "hub", flavour, most_rows)
    for login in ("alice", "bob", "cells"):
        world.account(login)
    world.set_clock("2026-03-01T09:00:00+00:00")
    world.repository(REPO, roles={"cells": "write"}, labels=LABELS, files={"README.md": "a game\n"})
    with Server(world, certificate=certificate) as server:
        yield Story(world, server, *(world.as_(login) for login in ("alice", "bob", "cells")))
