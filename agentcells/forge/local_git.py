"""The forge's side of git: tips, merges and refs of one bare repository of the embedded forge."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from agentcells.forge import ForgeError
from agentcells.model import Sha

# Nothing of the caller's environment or configuration reaches git; a hook in the repository
# (reference-transaction would run at update-ref) is not ours to start.
_CONFIG = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0")
_TIMEOUT_S = 60.0


class Bare:
    """Verbs on the bare repository at `path`; `repo` is its name for messages."""

    def __init__(self, path: Path, repo: str) -> None:
        self.path = path
        self.repo = repo

    def init(self, default_branch: str) -> None:
        if (self.path / "HEAD").is_file():
            return
        self._git("init", "-q", "--bare", "--template=", f"--initial-branch={default_branch}",
                  str(self.path), here=False)
        # A push that tidies up in the background would leave a process behind.
        self._git("config", "gc.autoDetach", "false")

    def tips(self) -> dict[str, Sha]:
        """Every branch and its newest commit."""
        lines = self._git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/").stdout
        pairs = (line.split(" ", 1) for line in lines.splitlines())
        return {ref.removeprefix("refs/heads/"): Sha(sha) for sha, ref in pairs}

    def ahead(self, base: Sha, head: Sha) -> int:
        return int(self._git("rev-list", "--count", f"{base}..{head}").stdout)

    def contains(self, newer: Sha, older: Sha) -> bool:
        return self._git("merge-base", "--is-ancestor", older, newer, ok=(0, 1)).returncode == 0

    def merged_tree(self, base: Sha, head: Sha) -> str | None:
        """The tree of the clean merge, None when it conflicts or the two have no common past."""
        done = self._git("merge-tree", "--write-tree", base, head, ok=(0, 1, 128))
        if done.returncode == 128 and "unrelated histories" not in done.stderr:
            raise self._said_no("merge-tree", done.stderr)
        return done.stdout.split("\n", 1)[0] if done.returncode == 0 else None

    def commit(
        self, tree: str, parents: Sequence[Sha], message: str, who: str, at: datetime
    ) -> Sha:
        named = {}
        for role in ("AUTHOR", "COMMITTER"):
            named[f"GIT_{role}_NAME"] = who
            named[f"GIT_{role}_EMAIL"] = f"{who}@forge.invalid"
            named[f"GIT_{role}_DATE"] = f"{int(at.timestamp())} +0000"
        parent_args = [word for sha in parents for word in ("-p", sha)]
        done = self._git("commit-tree", tree, *parent_args, "-F", "-", text=message, env=named)
        return Sha(done.stdout.strip())

    def move(self, ref: str, new: Sha, old: Sha) -> bool:
        """Compare and swap; False when the branch was no longer at `old`."""
        done = self._git("update-ref", f"refs/heads/{ref}", new, old, ok=(0, 1, 128))
        if done.returncode and self.tips().get(ref) == old:
            raise self._said_no("update-ref", done.stderr)
        return done.returncode == 0

    def delete(self, ref: str) -> None:
        self._git("update-ref", "-d", f"refs/heads/{ref}")

    def _git(self, *argv: str, ok: Sequence[int] = (0,), text: str = "", here: bool = True,
             env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        if here and not (self.path / "HEAD").is_file():
            raise ForgeError("local_no_git", repo=self.repo, path=self.path)
        where = [f"--git-dir={self.path}"] if here else []
        config = [word for setting in _CONFIG for word in ("-c", setting)]
        scrubbed = {
            "PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_REPLACE_OBJECTS": "1",
            **(env or {}),
        }
        try:
            done = subprocess.run(
                ["git", *config, *where, *argv], input=text, env=scrubbed, cwd="/", check=False,
                capture_output=True, encoding="utf-8", errors="surrogateescape", timeout=_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise self._said_no(argv[0], str(error)) from error
        if done.returncode not in ok:
            raise self._said_no(argv[0], done.stderr or f"exit {done.returncode}")
        return done

    def _said_no(self, verb: str, detail: str) -> ForgeError:
        return ForgeError("local_git", repo=self.repo, verb=verb, detail=detail.strip())
