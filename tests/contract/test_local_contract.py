"""The embedded local forge keeps the contract of all forges."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentcells.forge.local import LocalForge
from agentcells.model import Check, Sha
from tests.contract.forge_contract import LABELS, ForgeContract


class LocalWorld:
    """A forge folder under tmp_path, a clock in the hand of the test, and pushes by real git."""

    repo = "alice/game"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
        self.desk = LocalForge.create(
            root / "forge", "alice", [self.repo], bot="cells", clock=lambda: self.now)
        self.desk.add_account("bob")
        for name in LABELS:
            self.desk.create_label(self.repo, name, "ededed", "")
        self.clone = root / "clone"
        self._git("init", "-q", "--initial-branch=main", str(self.clone), cwd=root)
        self.push("main", {"README.md": "a game\n"})

    def forge(self, login: str) -> LocalForge:
        return LocalForge(self.root / "forge", login, clock=lambda: self.now)

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def push(self, branch: str, files: Mapping[str, str]) -> Sha:
        bare = self.desk.remote(self.repo).url
        if self.desk.branch(self.repo, branch):
            self._git("fetch", "-q", bare, branch)
            self._git("checkout", "-q", "--detach", "FETCH_HEAD")
        elif branch != "main":
            self._git("fetch", "-q", bare, "main")
            self._git("checkout", "-q", "--detach", "FETCH_HEAD")
        for name, text in files.items():
            (self.clone / name).write_text(text)
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", f"Change {', '.join(files)}")
        self._git("push", "-q", bare, f"HEAD:refs/heads/{branch}")
        return Sha(self._git("rev-parse", "HEAD").strip())

    def has_commit(self, branch: str, sha: Sha) -> bool:
        self._git("fetch", "-q", self.desk.remote(self.repo).url, branch)
        return sha in self._git("rev-list", "FETCH_HEAD").split()

    def rename_account(self, login: str, new_login: str) -> None:
        self.desk.rename_account(login, new_login)

    def rename_label(self, name: str, new_name: str) -> None:
        self.desk.rename_label(self.repo, name, new_name)

    def delete_label(self, name: str) -> None:
        self.desk.delete_label(self.repo, name)

    def review(self, login: str, number: int, verdict: Any, body: str) -> None:
        self.forge(login).review(self.desk.read(self.repo, number), verdict, body)

    def start_thread(self, login: str, number: int, path: str, line: int, body: str) -> None:
        self.forge(login).start_thread(self.desk.read(self.repo, number), path, line, body)

    def delete_comment(self, number: int, comment_id: str) -> None:
        self.desk.delete_comment(self.desk.read(self.repo, number), comment_id)

    def reopen(self, login: str, number: int) -> None:
        self.forge(login).reopen(self.desk.read(self.repo, number))

    def checks(self, number: int, states: Mapping[str, Any]) -> None:
        checks = [Check(name=name, state=state) for name, state in states.items()]
        self.desk.set_checks(self.desk.read(self.repo, number), checks)

    def _git(self, *argv: str, cwd: Path | None = None) -> str:
        who = ["-c", "user.name=alice", "-c", "user.email=alice@example.invalid"]
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1",
               "GIT_CONFIG_GLOBAL": "/dev/null"}
        done = subprocess.run(["git", *who, *argv], cwd=cwd or self.clone, env=env, check=True,
                              capture_output=True, encoding="utf-8")
        return done.stdout


class TestLocalForge(ForgeContract):
    @pytest.fixture
    def world(self, tmp_path: Path) -> LocalWorld:
        return LocalWorld(tmp_path)
