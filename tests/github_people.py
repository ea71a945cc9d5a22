"""The people of the stories on a loopback GitHub: the same words, whole-second times, git over HTTP.

A person reads before he acts, so that a second passes; what the factory writes next may fall into that
same second. Who is not `patient` acts within the second of what he has read.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agentcells.forge.github import GitHubForge
from agentcells.model import Item, Sha
from tests.loopback.github import Person, Server, World, acts
from tests.loopback.github.desk import TokenFile
from tests.loopback.github.git_store import ENV
from tests.loopback.github.model import Clock
from tests.loopback.github.remote import RemoteWorld
from tests.people import BOT, COLLEAGUE, OWNER, REPO, STRANGER, paths_of

SECOND = timedelta(seconds=1)


class Running(Clock):
    """Real time in whole seconds, and so much later as a story wants."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = timedelta()

    def now(self) -> datetime:
        return (datetime.now(UTC) + self.ahead).replace(microsecond=0)

    def advance(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


@dataclass
class GitHubPeople:
    """Served by a thread of this process until `stop`."""

    world: World
    server: Server
    clock: Running
    tokens: dict[str, str]  # by the login that somebody had at the beginning
    patient: bool = True
    kind: str = "github"
    records_pushes: bool = False  # GitHub tells nobody by GraphQL who pushed
    home: int = field(default_factory=os.getpid)  # the process that serves

    @classmethod
    def settle(cls, root: Path, files: Mapping[str, str]) -> GitHubPeople:
        world = World(root / "hub")
        world.hub.clock = clock = Running()
        tokens: dict[str, str] = {}
        for login in (OWNER, BOT, STRANGER, COLLEAGUE):
            world.account(login)
            tokens[login] = world.token(login)
        roles = {BOT: "write", COLLEAGUE: "write", STRANGER: "read"}
        world.repository(REPO, roles=roles, files=files)
        for login, token in tokens.items():
            (world.hub.root / f"token.{login}").write_text(f"{token}\n")
        return cls(world, _serving(world), clock, tokens)

    def stop(self) -> None:
        self.server.__exit__()

    def moved(self, root: Path) -> GitHubPeople:
        """Its repositories and tokens lie in the folder; all else is in this process."""
        with self.world.lock:
            world = self.world.again(root / "hub")
        clock = world.hub.clock
        assert isinstance(clock, Running)
        return GitHubPeople(world, _serving(world), clock, self.tokens, self.patient)

    def settings(self, login: str = BOT) -> str:
        file = self.world.hub.root / f"token.{login}"
        return (f'kind = "github"\napi_url = "{self.server.api_url}"\ngit_url = "{self.server.url}"\n'
                f'token = {{ file = "{file}" }}\n')

    def forge(self, login: str = BOT) -> GitHubForge:
        source = TokenFile(str(self.world.hub.root / f"token.{login}"))
        return GitHubForge(token=source, api_url=self.server.api_url, git_url=self.server.url)

    def advance(self, time: timedelta) -> None:
        self.clock.ahead += time

    def _by(self, login: str) -> Person:
        if self.patient:
            self.clock.ahead += SECOND
        return self.world.as_(login)

    def _do(self, login: str, act: str, *args: Any, **more: Any) -> Any:
        if os.getpid() != self.home:  # a tick's own process has a copy of the world, which nobody serves
            there = RemoteWorld(self.server.url, {})
            there.advance(SECOND.seconds if self.patient else 0)
            return there.act(login, act, *args, **more)
        with self.world.lock:
            return getattr(self._by(login), act)(*args, **more)

    # ------------------------------------------------------------ issues

    def file(self, title: str, body: str, labels: list[str], assignees: list[str], by: str) -> int:
        number: int = self._do(by, "open_issue", REPO, title, body, labels, assignees)
        return number

    def comment(self, number: int, text: str, by: str, *, email: bool = False) -> str:
        made: str = self._do(by, "comment", REPO, number, text, email)
        return made

    def edit_comment(self, number: int, comment: str, text: str, by: str) -> None:
        self._do(by, "edit_comment", comment, text)

    def delete_comment(self, number: int, comment: str, by: str) -> None:
        self._do(by, "delete_comment", comment)

    def label(self, number: int, name: str, by: str) -> None:
        self._do(by, "label", REPO, number, name)

    def unlabel(self, number: int, name: str, by: str) -> None:
        self._do(by, "unlabel", REPO, number, name)

    def edit(self, number: int, by: str, *, title: str | None = None, body: str | None = None) -> None:
        if title is not None:
            self._do(by, "rename", REPO, number, title)
        if body is not None:
            self._do(by, "edit_body", REPO, number, body)

    def assign(self, number: int, login: str, by: str) -> None:
        self._do(by, "assign", REPO, number, login)

    def unassign(self, number: int, login: str, by: str) -> None:
        self._do(by, "unassign", REPO, number, login)

    def close(self, number: int, by: str) -> None:
        self._do(by, "close", REPO, number)

    def reopen(self, number: int, by: str) -> None:
        self._do(by, "reopen", REPO, number)

    # ------------------------------------------------------------ pull requests

    def review(self, number: int, verdict: str, body: str, by: str) -> None:
        self._do(by, "review", REPO, number, verdict.upper(), body)

    def remark(self, number: int, path: str, line: int, body: str, by: str) -> None:
        self._do(by, "start_thread", REPO, number, path, line, body)

    def push(self, branch: str, files: Mapping[str, str], by: str) -> Sha:
        sha: Sha = self._do(by, "push", REPO, branch, files)
        return sha

    def record_push(self, number: int, by: str) -> None:
        """GitHub knows it, and tells nobody."""

    def open_pull(self, head: str, title: str, body: str, by: str, *, base: str = "main") -> int:
        number: int = self._do(by, "open_pull", REPO, head, title, body, base)
        return number

    def merge(self, number: int, by: str) -> None:
        self._do(by, "merge", REPO, number)

    def merge_into(self, number: int, branch: str, by: str) -> None:
        self._git("update-ref", f"refs/heads/{branch}", "refs/heads/main")
        self.world.hub.item(REPO, number).base_ref_name = branch
        self.merge(number, by)

    def checks(self, number: int, states: Mapping[str, str]) -> None:
        with self.world.lock:
            self._by(OWNER)
            self.world.checks(REPO, number, states)
            pull = self.world.hub.item(REPO, number)
            for row in pull.repo.checks[pull.head_sha]:
                row.log = f"the log of {row.name}"

    # ------------------------------------------------------------ accounts, labels, repository

    def rename_account(self, login: str, new: str) -> None:
        self.world.rename_account(login, new)

    def rename_label(self, name: str, new: str) -> None:
        self.world.rename_label(REPO, name, new)

    def make_label(self, name: str, by: str) -> None:
        self._do(by, "create_label", REPO, name)

    def delete_label(self, name: str) -> None:
        self.world.delete_label(REPO, name)

    def transferred(self, number: int) -> None:
        with self.world.lock:
            account = self._by(OWNER).account
            acts.event(self.world.hub, self.world.hub.item(REPO, number), "TransferredEvent", account)

    @property
    def bare(self) -> Path:
        return self.world.hub.repo(REPO).bare.path

    def branches(self) -> tuple[str, ...]:
        return tuple(sorted(self.world.tips(REPO)))

    def files(self, ref: str) -> dict[str, str]:
        names = self._git("ls-tree", "-r", "-z", "--name-only", ref).split("\0")[:-1]
        return {name: self._git("show", f"{ref}:{name}") for name in names}

    def paths(self, ref: str) -> set[str]:
        return paths_of(self._git("rev-list", "--objects", ref))

    def _git(self, *words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(self.bare), *words], env=ENV, check=True, capture_output=True, text=True,
        ).stdout

    def set_branch(self, branch: str, sha: str) -> None:
        self._git("update-ref", f"refs/heads/{branch}", sha)

    def tip(self, branch: str) -> str:
        return self.world.tips(REPO)[branch]

    def item(self, number: int) -> Item:
        return self.forge(OWNER).read(REPO, number)

    def numbers(self) -> list[int]:
        return self.world.numbers(REPO)


def _serving(world: World) -> Server:
    return Server(world).__enter__()
