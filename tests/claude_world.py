"""The real claude in its sandbox, against a Messages API on the loopback.

The binary is looked for in $AGENTCELLS_CLAUDE, on PATH, and where `.ci/run` puts it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentcells.model import Sha
from agentcells.run import RunEnd
from agentcells.store import Limits, RunFolder
from tests.factory import CELLS, Factory
from tests.loopback.messages import Messages, Rule
from tests.run_case import ROOT, Case

NPM = ROOT / ".ci/npm/node_modules/.bin/claude"
NOBODY = 65534  # an ordinary user of every host
KEY = "sk-ant-api03-real-key-of-the-owner-0123456789"
# A retry waits for half a second and more; stories that are not about it do without.
IMPATIENT = {"CLAUDE_CODE_MAX_RETRIES": "0"}


def find_claude() -> Path | None:
    """The binary, or None."""
    named = os.environ.get("AGENTCELLS_CLAUDE") or shutil.which("claude")
    if named is None:
        return NPM if NPM.exists() else None
    return Path(named)


def binary() -> Path:
    found = find_claude()
    assert found is not None, "conftest leaves these tests out when it is not there"
    return found


def users() -> tuple[str, ...]:
    """Who may run the factory here: root can be an ordinary user too."""
    return ("root", "user") if os.geteuid() == 0 else ("user",)


@dataclass(frozen=True)
class Ran:
    """A run that is over."""

    end: RunEnd
    folder: RunFolder
    api: Messages

    @property
    def kind(self) -> str:
        return self.end.outcome.kind

    def text(self, name: str) -> str:
        return (self.folder.path / name).read_text(errors="replace")

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text("stream.jsonl").splitlines()]

    @property
    def init(self) -> dict[str, Any]:
        return next(event for event in self.events if event.get("subtype") == "init")

    @property
    def result(self) -> dict[str, Any]:
        return next(event for event in self.events if event.get("type") == "result")


class ClaudeCase(Case):
    """Single runs of the real claude, by root or by an ordinary user."""

    def __init__(self, tmp: Path, who: str = "", files: Mapping[str, bytes] | None = None) -> None:
        super().__init__(tmp, "strong")
        if files:
            self.start = self.origin.commit(files, "more")
            self.git.fetch(self.origin.remote, ["main"])
        self.who = who or users()[0]

    def limits(self, do: Any, **changes: Any) -> Limits:
        fields: dict[str, Any] = {
            "agent_command": (str(binary()),),
            "agent_env": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", *IMPATIENT),
            "agent_hosts": ("127.0.0.1",),
        }
        return super().limits([], **{**fields, **changes})

    def started_as(self, command: list[str]) -> list[str]:
        if self.who == "root" or os.geteuid() != 0:
            return command
        needed = [ROOT, Path(sys.prefix), Path(sys.base_prefix).resolve(), self.tmp]
        needed += [path for path in binary().resolve().parents if (path / "package.json").exists()]
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", str(self.tmp)], check=True)
        script = str(Path(__file__).with_name("as_user.py"))
        return [sys.executable, "-I", script, str(NOBODY), *map(str, needed), "--", *command]

    def login(self, api: Messages, **more: str) -> dict[str, str]:
        """The environment of a tick whose owner has a key."""
        login = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.url}
        return {**login, **IMPATIENT, "HOME": str(self.tmp), **more}

    def play(
        self, do: Sequence[Any], *, env: Mapping[str, str] | None = None, **options: Any
    ) -> Ran:
        """One run; its model does what `do` says, in the words of the scripted agent."""
        with Messages([{"do": do}]) as api:
            end, folder = self.run([], env=self.login(api, **(env or {})), **options)
        return Ran(end, folder, api)

    def sealed(self, ran: Ran) -> dict[str, bytes]:
        sha: Sha | None = ran.end.sealed
        return self.files(sha)


def loose(command: Path | None = None) -> tuple[str, ...]:
    """A claude whose owner lets its Bash tool do what it likes: as bad as a run can get."""
    settings = json.dumps({"permissions": {"allow": ["Bash"]}})
    return (str(command or binary()), "--settings", settings)


class ClaudeFactory(Factory):
    """A factory on the embedded forge whose cells are the real claude."""

    agent: Sequence[str] = ()  # another command line than the bare binary

    def write_cells(self, settings: str = "") -> None:
        text = f"""[factory]
owner = "alice"
bot = "alice-cells"
poll = "2s"

[forge]
kind = "local"
path = "forge"
repos = ["alice/game"]

[agent]
command = {json.dumps(list(self.agent) or [str(binary())])}
env = {json.dumps(["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", *IMPATIENT])}
hosts = ["127.0.0.1"]

{settings}
"""
        self.cells_path.write_text(text + (self.cells or CELLS), encoding="utf-8")

    def login(self, api: Messages) -> dict[str, str]:
        return {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.url, **IMPATIENT}


def everything_in(folder: Path) -> Iterable[tuple[Path, bytes]]:
    """Every plain file below a folder, with its content."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path, path.read_bytes()


__all__ = [
    "IMPATIENT", "KEY", "NOBODY", "ClaudeCase", "ClaudeFactory", "Ran", "Rule", "binary",
    "everything_in", "find_claude", "loose", "users",
]
