"""The same project on each kind of place: embedded, a loopback GitHub, a loopback Gitea, and none."""

from __future__ import annotations

import atexit
import base64
from pathlib import Path
from typing import Any

from tests.brain_world import REPO, Place, pool
from tests.loopback import gitea, github
from tests.records_world import Desk, git

LABELS = ("bug", "ui", "ac:implement", "ac:working")
FILES = {"README.md": "a game\n", "src/rules.py": "LIVES = 3\n", ".gitignore": "*.log\n"}
_CELLS = """\
[factory]
owner = "alice"

[forge]
kind = "{kind}"
repos = ["{repo}"]
api_url = "{api}"
git_url = "{url}"
token = {{ file = "{token}" }}

[[cell]]
name = "implement"
on = "issue"
next = ["done"]
"""


class Hub:
    """A loopback forge that many projects share; one of them for each test."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        root = pool().base / f"hub-{kind}"
        root.mkdir()
        rooms: dict[str, Any] = {"github": github, "gitea": gitea}
        self.world = rooms[kind].World(root)
        for login in ("alice", "bob"):
            self.world.account(login)
        self.server = rooms[kind].Server(self.world)
        self.server.__enter__()
        atexit.register(self.server.__exit__)
        self.token = root / "alice.token"
        self.renew()
        self._number = 0

    def renew(self) -> str:
        """A good token for alice where her settings say it is."""
        value: str = self.world.token("alice")
        self.token.write_text(f"{value}\n")
        return value

    def project(self, folder: Path) -> HubProject:
        self._number += 1
        repo = f"alice/game{self._number}"
        self.world.repository(repo, labels=LABELS, files=FILES)
        return HubProject(self, repo, folder)


class HubProject:
    """alice's working copy of one repository of a hub."""

    def __init__(self, hub: Hub, repo: str, folder: Path) -> None:
        self.hub = hub
        self.repo = repo
        url = f"{hub.server.url}/{repo}.git"
        self.header = f"http.{hub.server.url}/.extraHeader=Authorization: Basic {self.basic()}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        git(folder.parent, "-c", self.header, "clone", "-q", "-c", self.header, url, str(folder))
        self.desk = Desk.__new__(Desk)
        self.desk.work, self.desk.shared = folder, Path("none")
        (folder / "prompts").mkdir()
        (folder / "prompts/implement.md").write_text("Do it.\n")
        (folder / "cells.toml").write_text(_CELLS.format(
            kind=hub.kind, repo=repo, api=hub.server.api_url, url=hub.server.url, token=hub.token))
        (folder / ".git/info/exclude").write_text("/cells.toml\n/prompts/\n")

    def basic(self) -> str:
        return base64.b64encode(f"x:{self.hub.token.read_text().strip()}".encode()).decode()

    def issue(self, title: str = "A door that opens", body: str = "It should open.",
              comments: int = 0) -> int:
        bob = self.hub.world.as_("bob")
        number: int = bob.open_issue(self.repo, title, body)
        for count in range(1, comments + 1):
            bob.comment(self.repo, number, f"comment {count}")
        return number

    def label(self, number: int, name: str) -> None:
        self.hub.world.as_("alice").label(self.repo, number, name)

    def item(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self.hub.world.item(self.repo, number)
        return {**found, "state": found["state"].lower()}

    @property
    def bare(self) -> Path:
        """Where the hub keeps it, for what a colleague shares behind our back."""
        place: Path = self.hub.world.hub.repo(self.repo).bare.path
        return place

    def tip(self, branch: str = "main") -> str:
        found: str = self.hub.world.tips(self.repo)[branch]
        return found


class HubPlace(Place):
    """A place whose `game` and `plain` are repositories of a hub; the rest is as everywhere."""

    def __init__(self, kind: str, place: Place) -> None:
        self.root, self.alone, self.untracked = place.root, place.alone, place.untracked
        self.project, other = (hub(kind).project(place.root / kind / name) for name in ("game", "plain"))
        self.game, self.plain = self.project.desk, other.desk
        for one in (self.project, other):
            one.desk.shared = one.bare

    def issue(self, title: str = "A door that opens", body: str = "It should open.", comments: int = 0) -> int:
        return self.project.issue(title, body, comments)

    def item(self, number: int) -> dict[str, Any]:
        return self.project.item(number)


class LocalProject:
    """The same on the embedded forge."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.repo = REPO
        self.desk = place.game
        self.issue = place.issue

    def label(self, number: int, name: str) -> None:
        forge = self.place.forge()
        forge.add_labels(forge.read(REPO, number), [name])

    def item(self, number: int) -> dict[str, Any]:
        item = self.place.forge().read(REPO, number)
        return {
            "title": item.title, "body": item.body, "state": item.state,
            "labels": sorted(label.name for label in item.labels),
            "comments": [{"body": c.body, "author": c.author.login if c.author else ""}
                         for c in item.comments],
        }

    def tip(self, branch: str = "main") -> str:
        return git(self.desk.shared, "rev-parse", branch)


_HUBS: dict[str, Hub] = {}


def hub(kind: str) -> Hub:
    if kind not in _HUBS:
        _HUBS[kind] = Hub(kind)
    return _HUBS[kind]


def project(kind: str, place: Place) -> HubProject | LocalProject:
    if kind == "local":
        return LocalProject(place)
    return hub(kind).project(place.root / kind)
