"""The Gitea forge keeps the contract of all forges, against a loopback Gitea and a Forgejo."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from agentcells.forge.gitea import GiteaForge
from agentcells.model import Sha
from tests.contract.forge_contract import LABELS, ForgeContract
from tests.loopback.gitea import Server, World
from tests.loopback.gitea.desk import signed_in


class GiteaWorld:
    """A loopback Gitea with its clock in the hand of the test; pushes go over smart HTTP."""

    repo = "alice/game"

    def __init__(self, root: Path, world: World, server: Server) -> None:
        self.root, self.world, self.server = root, world, server
        for login in ("alice", "bob", "cells"):
            world.account(login)
        world.set_clock("2026-03-01T09:00:00+00:00")
        world.repository(
            self.repo, roles={"bob": "write", "cells": "write"}, labels=LABELS,
            files={"README.md": "a game\n"},
        )

    def forge(self, login: str) -> GiteaForge:
        return signed_in(self.server, login)

    def advance(self, seconds: float) -> None:
        self.world.advance(seconds)

    def push(self, branch: str, files: Mapping[str, str]) -> Sha:
        remote = self.forge("alice").remote(self.repo)
        url = remote.url.replace("//", f"//{remote.username}:{remote.token}@")
        clone = self.root / "clone"
        if not clone.exists():
            self._git("init", "-q", str(clone), cwd=self.root)
        self._git("fetch", "-q", "--prune", url, "+refs/heads/*:refs/there/*", cwd=clone)
        there = self.world.tips(self.repo)
        start = f"refs/there/{branch if branch in there else 'main'}"
        self._git("checkout", "-q", "--detach", start, cwd=clone)
        for name, text in files.items():
            (clone / name).write_text(text)
        self._git("add", "-A", cwd=clone)
        self._git("commit", "-q", "--allow-empty", "-m", "Change", cwd=clone)
        self._git("push", "-q", url, f"HEAD:refs/heads/{branch}", cwd=clone)
        return Sha(self._git("rev-parse", "HEAD", cwd=clone).strip())

    def has_commit(self, branch: str, sha: Sha) -> bool:
        return self.world.contains(self.repo, branch, sha)

    def rename_account(self, login: str, new_login: str) -> None:
        self.world.rename_account(login, new_login)

    def rename_label(self, name: str, new_name: str) -> None:
        self.world.rename_label(self.repo, name, new_name)

    def delete_label(self, name: str) -> None:
        self.world.delete_label(self.repo, name)

    def review(self, login: str, number: int, verdict: str, body: str) -> None:
        self.world.as_(login).review(self.repo, number, verdict, body)

    def start_thread(self, login: str, number: int, path: str, line: int, body: str) -> None:
        self.world.as_(login).start_thread(self.repo, number, path, line, body)

    def delete_comment(self, number: int, comment_id: str) -> None:
        self.world.as_("alice").delete_comment(self.repo, comment_id)

    def reopen(self, login: str, number: int) -> None:
        self.world.as_(login).reopen(self.repo, number)

    def checks(self, number: int, states: Mapping[str, str]) -> None:
        self.world.checks(self.repo, number, states)

    def _git(self, *argv: str, cwd: Path) -> str:
        who = ["-c", "user.name=alice", "-c", "user.email=alice@example.invalid"]
        env = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1",
               "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0"}
        done = subprocess.run(["git", *who, *argv], cwd=cwd, env=env, check=True,
                              capture_output=True, encoding="utf-8")
        return done.stdout


class TestGiteaForge(ForgeContract):
    @pytest.fixture
    def world(self, tmp_path: Path) -> Iterator[GiteaWorld]:
        world = World(tmp_path / "hub")
        with Server(world) as server:
            yield GiteaWorld(tmp_path, world, server)
