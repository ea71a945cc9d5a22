"""The bare repositories behind the loopback GitHub: real git, by subprocess."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

ENV = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
}


class Bare:
    """One bare repository; smart HTTP is served from the same folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, default_branch: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["git", "init", "-q", "--bare", "--template=", f"--initial-branch={default_branch}",
             str(self.path)],
            env=ENV, check=True, capture_output=True,
        )
        with (self.path / "config").open("a") as config:
            config.write("[http]\n\treceivepack = true\n[gc]\n\tauto = 0\n")

    def git(self, *argv: str, text: str | None = None, index: Path | None = None) -> str:
        env = ENV if index is None else {**ENV, "GIT_INDEX_FILE": str(index)}
        done = subprocess.run(
            ["git", "-C", str(self.path), *argv], env=env, input=text, check=True,
            capture_output=True, encoding="utf-8",
        )
        return done.stdout.strip()

    def ok(self, *argv: str) -> bool:
        return subprocess.run(
            ["git", "-C", str(self.path), *argv], env=ENV, check=False, capture_output=True
        ).returncode == 0

    def tips(self) -> dict[str, str]:
        lines = self.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
        pairs = (line.split(" ", 1) for line in lines.splitlines())
        return {ref.removeprefix("refs/heads/"): sha for sha, ref in pairs}

    def ref(self, name: str) -> str | None:
        """What a ref by its whole name points to."""
        found = self.git("for-each-ref", "--format=%(objectname)", name)
        return found.split()[0] if found else None

    def commit(
        self, branch: str, files: Mapping[str, str | None], message: str, who: str, when: int,
        parent: str | None,
    ) -> str:
        """One more commit on `branch`, upon `parent`. None as a text removes the file."""
        index = self.path / "loopback.index"
        index.unlink(missing_ok=True)
        if parent:
            self.git("read-tree", parent, index=index)
        for name, text in files.items():
            if text is None:
                gone = f"0 {'0' * 40}\t{name}\n"
                self.git("update-index", "--index-info", text=gone, index=index)
                continue
            blob = self.git("hash-object", "-w", "--stdin", text=text)
            self.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}", index=index)
        tree = self.git("write-tree", index=index)
        sha = self.commit_tree(tree, (parent,) if parent else (), message, who, when)
        self.git("update-ref", f"refs/heads/{branch}", sha)
        return sha

    def commit_tree(
        self, tree: str, parents: tuple[str, ...], message: str, who: str, when: int
    ) -> str:
        argv = ["commit-tree", tree, "-m", message]
        for parent in parents:
            argv += ["-p", parent]
        named = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (
                ("NAME", who), ("EMAIL", f"{who}@users.invalid"), ("DATE", f"{when} +0000")
            )
        }
        done = subprocess.run(
            ["git", "-C", str(self.path), *argv], env={**ENV, **named}, check=True,
            capture_output=True, encoding="utf-8",
        )
        return done.stdout.strip()

    def merged_tree(self, ours: str, theirs: str) -> str | None:
        """None: they conflict."""
        done = subprocess.run(
            ["git", "-C", str(self.path), "merge-tree", "--write-tree", ours, theirs], env=ENV,
            check=False, capture_output=True, encoding="utf-8",
        )
        return done.stdout.split("\n", 1)[0] if done.returncode == 0 else None

    def ahead(self, base: str, head: str) -> bool:
        return not self.ok("merge-base", "--is-ancestor", head, base)

    def move(self, branch: str, new: str, old: str) -> bool:
        return self.ok("update-ref", f"refs/heads/{branch}", new, old)

    def delete(self, branch: str) -> None:
        self.git("update-ref", "-d", f"refs/heads/{branch}")
