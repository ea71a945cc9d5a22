"""A factory for stories: the embedded forge, real ticks as processes, a scripted agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentcells.config import Config, load, resource
from agentcells.demo import first_commit
from agentcells.forge.local import LocalForge
from agentcells.init import create_labels
from agentcells.model import Item

OWNER, BOT, REPO = "alice", "alice-cells", "alice/game"
PACKAGE = Path(__file__).resolve().parent.parent / "agentcells"
PROJECT = {"README.md": "# game\n", "game.py": "LEVEL = 1\n"}

# The shortest line that does its work without a word too many; a story gives its own where it matters.
PLAIN_RULES: list[dict[str, Any]] = [
    {"cell": "triage", "do": [{"answer": {"next": "implement", "comment": "Clear enough."}}]},
    {"cell": "implement", "do": [
        {"append": {"game.py": "LIVES = 3\n"}},
        {"cell": ["record", "-m", "Give the player three lives"]},
        {"answer": {"next": "review", "comment": "Three lives now."}},
    ]},
    {"cell": "review", "do": [{"answer": {"next": "done", "comment": "As asked."}}]},
]


def answer(to: str, comment: str = "So it is.") -> dict[str, Any]:
    return {"answer": {"next": to, "comment": comment}}


@dataclass(frozen=True, slots=True)
class Ticked:
    """How a tick ended and what it told."""

    code: int
    events: list[dict[str, Any]]
    stderr: str

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == kind]

    @property
    def cells(self) -> list[str]:
        return [str(event["cell"]) for event in self.of("Claim")]

    @property
    def reasons(self) -> list[str]:
        return [str(event["key"]) for event in self.of("skip")]


@dataclass(slots=True)
class Factory:
    """One forge with one repository, and a cells.toml beside it."""

    root: Path
    rules: list[dict[str, Any]] = field(default_factory=lambda: list(PLAIN_RULES))
    settings: str = ""  # further TOML, before the cells
    cells: str = ""  # "": triage, implement, review
    project: Mapping[str, str] = field(default_factory=lambda: dict(PROJECT))
    containment: str = "none"

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        forge = LocalForge.create(self.root / "forge", OWNER, [REPO], bot=BOT)
        forge.add_account("mallory")
        if self.project:
            first_commit(Path(forge.remote(REPO).url), dict(self.project))
        self.write_script(self.rules)
        prompts = self.root / "prompts"
        prompts.mkdir()
        for name in ("triage", "design", "implement", "review", "automerge", "bottleneck"):
            (prompts / f"{name}.md").write_text(resource(f"prompts/{name}.md").read_text("utf-8"), "utf-8")
        self.write_cells(self.settings)
        create_labels(self.config, forge, REPO)

    # ------------------------------------------------------------ the machine

    @property
    def cells_path(self) -> Path:
        return self.root / "cells.toml"

    @property
    def config(self) -> Config:
        return load(self.cells_path)

    @property
    def state(self) -> Path:
        return self.root / "state"

    def write_script(self, rules: Sequence[Mapping[str, Any]]) -> None:
        (self.root / "script.json").write_text(json.dumps({"rules": list(rules)}), encoding="utf-8")

    def write_cells(self, settings: str = "") -> None:
        script = str(self.root / "script.json")
        command = [sys.executable, str(PACKAGE / "scripted_agent.py"), "--script", script]
        if self.containment == "strong":
            command[0] = "python3"
        text = f"""[factory]
owner = "{OWNER}"
bot = "{BOT}"
poll = "2s"

[forge]
kind = "local"
path = "forge"
repos = ["{REPO}"]

[agent]
command = {json.dumps(command)}
env = []

[sandbox]
containment = "{self.containment}"
read = {json.dumps([str(PACKAGE / "scripted_agent.py"), str(self.root / "script.json")])}

{settings}
"""
        self.cells_path.write_text(text + (self.cells or CELLS), encoding="utf-8")

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return {**kept, "AGENTCELLS_STATE": str(self.state), **more}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-I", "-m", "agentcells", *words, "--config", str(self.cells_path)]

    def start(self, *words: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*words), env=self.environment(**env), stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.root,
        )

    def run(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words), env=self.environment(**env), stdin=subprocess.DEVNULL, text=True,
            capture_output=True, timeout=120, check=False, cwd=self.root,
        )

    def tick(self, **env: str) -> Ticked:
        done = self.run("tick", "--json", **env)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return Ticked(done.returncode, events, done.stderr)

    def why(self, number: int) -> str:
        return self.run("why", str(number)).stdout

    # ------------------------------------------------------------ the people

    def as_(self, login: str) -> LocalForge:
        return LocalForge(self.root / "forge", login)

    @property
    def owner(self) -> LocalForge:
        return self.as_(OWNER)

    def file(self, title: str = "More lives", body: str = "The player should have three lives.",
             label: str = "triage", by: str = OWNER) -> int:
        """File an issue as the owner does: labelled and assigned in one step."""
        forge = self.as_(by)
        return forge.create_issue(REPO, title, body, [f"ac:{label}"] if label else [], [forge.account(OWNER)])

    def comment(self, number: int, text: str, by: str = OWNER) -> None:
        forge = self.as_(by)
        forge.comment(forge.read(REPO, number), text)

    def label(self, number: int, name: str, by: str = OWNER) -> None:
        forge = self.as_(by)
        forge.add_labels(forge.read(REPO, number), [f"ac:{name}"])

    def unlabel(self, number: int, name: str, by: str = OWNER) -> None:
        forge = self.as_(by)
        forge.remove_labels(forge.read(REPO, number), [f"ac:{name}"])

    # ------------------------------------------------------------ the world

    def item(self, number: int) -> Item:
        return self.owner.read(REPO, number)

    def pull(self, issue: int, attempt: int = 1) -> Item | None:
        ref = f"agentcells/{issue}" + (f"-{attempt}" if attempt > 1 else "")
        return self.owner.pull_by_head(REPO, ref)

    def states(self, number: int) -> set[str]:
        """Our labels on an item, without the prefix."""
        return {label.name[3:] for label in self.item(number).labels if label.name.startswith("ac:")}

    def said(self, number: int, by: str = BOT) -> list[str]:
        """The bodies that an account wrote on an item, the ledger left out."""
        return [c.body for c in self.item(number).comments
                if c.author and c.author.login == by and '"kind":"ledger"' not in c.body.partition("\n")[0]]

    def files(self, ref: str) -> dict[str, str]:
        """The files of a branch on the forge."""
        bare = self.owner.remote(REPO).url
        names = _git(bare, "ls-tree", "-r", "-z", "--name-only", ref).split("\0")[:-1]
        return {name: _git(bare, "show", f"{ref}:{name}") for name in names}

    def branches(self) -> tuple[str, ...]:
        return self.owner.branches(REPO, "")


def wait_for_words(process: subprocess.Popen[str], words: str) -> None:
    """Read what it prints up to the line with these words; who ends without them has failed."""
    assert process.stdout is not None
    said: list[str] = []
    while words not in (line := process.stdout.readline()):
        said.append(line)
        assert line, f"it ended without {words}: {said[-5:]}"


CELLS = """
[[cell]]
name = "triage"
on = "issue"
next = ["implement"]

[[cell]]
name = "implement"
on = "issue"
next = ["review"]

[[cell]]
name = "review"
on = "pull_request"
next = ["implement", "done"]
"""


def _git(bare: str, *words: str) -> str:
    return subprocess.run(
        ["git", f"--git-dir={bare}", *words], check=True, capture_output=True, text=True, cwd="/",
    ).stdout
