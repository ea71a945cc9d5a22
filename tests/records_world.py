"""A person's working copy with a shared place beside it, made and looked at with everyday git."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

IDENTITY = {
    "GIT_AUTHOR_NAME": "alice", "GIT_AUTHOR_EMAIL": "alice@example.invalid",
    "GIT_COMMITTER_NAME": "alice", "GIT_COMMITTER_EMAIL": "alice@example.invalid",
}


def plain_home(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """A home without settings: what holds on the machine that runs the tests holds for no test."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name, value in IDENTITY.items():
        monkeypatch.setenv(name, value)


def git(at: Path, *words: str, ok: bool = True) -> str:
    """git as the person would use it."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_DIR")}
    done = subprocess.run(["git", *words], cwd=at, env={**env, **IDENTITY, "LC_ALL": "C"},
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=240, check=False)
    assert done.returncode == 0 or not ok, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape").strip()


class Desk:
    """A project of alice's in `work`, shared through the bare repository `shared`."""

    def __init__(self, root: Path, name: str = "game", *, shared: Path | None = None,
                 alone: bool = False) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.work = root / name
        git(root, "init", "-q", "--initial-branch=main", str(self.work))
        self.write({"README.md": "a game\n", "src/rules.py": "LIVES = 3\n", ".gitignore": "*.log\n"})
        git(self.work, "add", "-A")
        git(self.work, "commit", "-q", "-m", "Begin")
        self.shared = shared or root / f"{name}.git"
        if not alone:
            if shared is None:
                git(root, "init", "-q", "--bare", "--initial-branch=main", str(self.shared))
            git(self.work, "remote", "add", "origin", str(self.shared))
            git(self.work, "push", "-q", "-u", "origin", "main")

    def write(self, files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def hook(self, name: str, script: str) -> None:
        path = self.work / ".git/hooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def colleague(self, files: dict[str, str], name: str = "bob", line: str = "main") -> Path:
        """Somebody else shares a record of his."""
        place = self.work.parent / f"{self.work.name}-{name}"
        if not place.exists():
            git(self.work.parent, "clone", "-q", str(self.shared), str(place))
        git(place, "pull", "-q", "--ff-only", "origin", line)
        for path, content in files.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(content)
        git(place, "add", "-A")
        git(place, "commit", "-q", "-m", f"{name} changes {', '.join(files)}")
        git(place, "push", "-q", "origin", f"HEAD:{line}")
        return place

    def head(self) -> str:
        return git(self.work, "rev-parse", "HEAD")

    def picture(self) -> tuple[str, str, dict[str, bytes]]:
        """Everything that must be the same after something failed: records, choice, files."""
        chosen = git(self.work, "ls-files", "--stage", "-v")
        files = {
            str(path.relative_to(self.work)): path.read_bytes()
            for path in sorted(self.work.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.work).parts
        }
        return self.head(), chosen, files
