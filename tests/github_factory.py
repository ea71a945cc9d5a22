"""A factory on a loopback GitHub: set up by `agentcells init`, ticks as processes, persons in the browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentcells.config import Config, load
from agentcells.events import Emit
from agentcells.forge import github_wire
from agentcells.forge.github_pace import Pace
from agentcells.init import Answers, settle, write_files
from agentcells.plan import Plan, Snapshot
from agentcells.store import RunFolder, State
from agentcells.tick import look, run_pass
from tests.factory import PACKAGE, PLAIN_RULES, PROJECT, Ticked
from tests.github_world import FINE
from tests.loopback.github import Person, Server, World

OWNER, BOT, REPO = "alice", "alice-cells", "alice/game"


@dataclass(frozen=True, slots=True)
class Heard(Emit):
    """Events of a pass, kept."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def _out(self, event: dict[str, object]) -> None:
        self.events.append(dict(event))


@dataclass(frozen=True, slots=True)
class Passed:
    """One pass within this process: what it told, claimed and asked."""

    heard: Heard
    claimed: tuple[RunFolder, ...]
    asked: list[str]
    points: int

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.heard.events if event["event"] == kind]

    @property
    def reasons(self) -> dict[int, str]:
        return {event["item"]: event["key"] for event in self.of("skip")}


@dataclass(slots=True)
class GitHubFactory:
    """One machine with agentcells, one GitHub. `bot` "": the owner's own token."""

    root: Path
    world: World
    server: Server
    bot: str = BOT
    rules: list[dict[str, Any]] = field(default_factory=lambda: list(PLAIN_RULES))
    ca_file: str = ""

    # ------------------------------------------------------------ the machine

    @property
    def home(self) -> Path:
        return self.root / "machine"

    @property
    def cells_path(self) -> Path:
        return self.home / "cells.toml"

    @property
    def state(self) -> Path:
        return self.root / "state"

    @property
    def token_file(self) -> Path:
        return self.home / "token"

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "AGENTCELLS_STATE": str(self.state),
            **more,
        }

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-I", "-m", "agentcells", *words, "--config", str(self.cells_path)]

    def run(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words), env=self.environment(**env), stdin=subprocess.DEVNULL, text=True,
            capture_output=True, timeout=120, check=False, cwd=self.home,
        )

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words), env=self.environment(), stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.home,
        )

    def tick(self, **env: str) -> Ticked:
        done = self.run("tick", "--json", **env)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return Ticked(done.returncode, events, done.stderr)

    # ------------------------------------------------------------ the machine, within this process

    def settle(self, *repos: str) -> None:
        """What `agentcells init` does, without a process; of several repositories if so wished."""
        answers = Answers(
            repo=REPO, owner=OWNER, bot=self.bot, token_file=str(self.token_file),
            api_url=self.server.api_url, git_url=self.server.url, ca_file=self.ca_file,
        )
        write_files(self.home, answers, lambda _: None)
        if repos:
            self.change(f'repos = ["{REPO}"]', f"repos = {json.dumps(list(repos))}")
        with pytest.MonkeyPatch.context() as patch:
            # Twenty repositories are given some 200 labels; at GitHub's pace that takes minutes.
            patch.setattr(github_wire, "Pace", lambda: Pace(sleep=lambda _: None))
            settle(load(self.cells_path), lambda _: None)

    @property
    def config(self) -> Config:
        return load(self.cells_path)

    def pass_(self, *, claiming: bool = True) -> Passed:
        """One pass; the runs it claims never start."""
        heard = Heard("quiet")
        since = self.so_far()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AGENTCELLS_STATE", str(self.state))
            state = State.open(self.cells_path)
            claimed = run_pass(self.config, state, heard, claiming=claiming)
        return Passed(heard, claimed, self.asked(since), self.points(since))

    def look(self) -> tuple[Snapshot, Plan]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AGENTCELLS_STATE", str(self.state))
            return look(self.config, State.at(self.cells_path))

    # ------------------------------------------------------------ setting it up

    def give_token(self, value: str = "", **permissions: str) -> str:
        """A fine-grained token with what the README says, lying in a file."""
        login = self.bot or OWNER
        value = value or self.world.token(login, "fine", permissions={**FINE, **permissions})
        self.token_file.write_text(value + "\n")
        self.token_file.chmod(0o600)
        return value

    def init(self, *more: str) -> subprocess.CompletedProcess[str]:
        bot = ("--bot", self.bot) if self.bot else ()
        return self.run(
            "init", "--yes", "--repo", REPO, "--owner", OWNER, *bot,
            "--token-file", str(self.token_file), *self.pointed, *more,
        )

    @property
    def pointed(self) -> tuple[str, ...]:
        """Where this GitHub is."""
        ca = ("--ca-file", self.ca_file) if self.ca_file else ()
        return ("--api-url", self.server.api_url, "--git-url", self.server.url, *ca)

    def play(
        self, rules: Sequence[Mapping[str, Any]] | None = None, cells: Path | None = None
    ) -> None:
        """The scripted agent in claude's place."""
        script, agent = self.root / "script.json", PACKAGE / "scripted_agent.py"
        script.write_text(json.dumps({"rules": list(rules or self.rules)}), encoding="utf-8")
        command = ["python3", str(agent), "--script", str(script)]
        self.change("[agent]", f"[agent]\ncommand = {json.dumps(command)}\nenv = []", cells)
        read = json.dumps([str(agent), str(script)])
        self.change("[sandbox]", f"[sandbox]\nread = {read}", cells)

    def change(self, old: str, new: str, cells: Path | None = None) -> None:
        path = cells or self.cells_path
        text = path.read_text(encoding="utf-8")
        assert old in text, old
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    # ------------------------------------------------------------ the people and the world

    def as_(self, login: str) -> Person:
        return self.world.as_(login)

    @property
    def owner(self) -> Person:
        return self.as_(OWNER)

    def file(
        self, title: str = "More lives", body: str = "Three lives, please.", label: str = "triage"
    ) -> int:
        """What the issue form does: label and assignee in the same step."""
        return self.owner.open_issue(REPO, title, body, [f"ac:{label}"], [OWNER])

    def item(self, number: int) -> dict[str, Any]:
        return self.world.item(REPO, number)

    def states(self, number: int) -> set[str]:
        return {name[3:] for name in self.item(number)["labels"] if name.startswith("ac:")}

    def pulls(self) -> list[int]:
        return [n for n in self.world.numbers(REPO) if self.item(n)["pull"]]

    def pull(self) -> int:
        (number,) = self.pulls()
        return number

    def said(self, number: int, by: str = "") -> list[str]:
        """What we wrote there, the ledger left out."""
        author = by or self.bot or OWNER
        return [
            c["body"] for c in self.item(number)["comments"]
            if c["author"] == author and '"kind":"ledger"' not in c["body"].partition("\n")[0]
        ]

    def file_on(self, branch: str, name: str) -> str:
        return self.world.hub.repo(REPO).bare.git("show", f"refs/heads/{branch}:{name}")

    def asked(self, since: int = 0) -> list[str]:
        """Names of the requests that came in."""
        return [request["operation"] for request in self.world.requests(since)]

    def points(self, since: int = 0) -> int:
        return sum(request["points"] for request in self.world.requests(since))

    def so_far(self) -> int:
        return len(self.world.requests())


@contextmanager
def factory(
    root: Path, *, bot: str = BOT, rules: list[dict[str, Any]] | None = None, set_up: bool = True,
    certificate: tuple[Path, Path] | None = None, files: Mapping[str, str] | None = None,
) -> Iterator[GitHubFactory]:
    """`set_up` False: before `agentcells init`, with a token that lies ready."""
    world = World(root / "hub")
    for login in (OWNER, BOT, "mallory"):
        world.account(login)
    roles = {BOT: "write", "mallory": "read"}
    world.repository(REPO, roles=roles, files=PROJECT if files is None else files)
    with Server(world, certificate=certificate) as server:
        made = GitHubFactory(root, world, server, bot, list(rules or PLAIN_RULES))
        made.ca_file = str(certificate[0]) if certificate else ""
        made.home.mkdir()
        if "[" not in bot:  # an App gets its own
            made.give_token()
        if set_up:
            done = made.init()
            assert done.returncode == 0, done.stderr
            made.play()
        yield made


@contextmanager
def playing(root: Path) -> Iterator[GitHubFactory]:
    """Set up for the one repository, within this process, with the plain agent."""
    with factory(root, set_up=False) as made:
        made.settle(REPO)
        made.play()
        yield made
