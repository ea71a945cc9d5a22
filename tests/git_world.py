"""A forge's repository made with everyday git, and the proof and clearance that a push needs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from agentcells.forge import Remote
from agentcells.git import Git
from agentcells.model import RunId, Sha
from agentcells.run import Cleared, Proof

PROOF = Proof(run=RunId("r1"), nonce="0123456789abcdef", containment="strong")
_ENV = {
    "PATH": os.environ["PATH"], "HOME": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
    "GIT_AUTHOR_NAME": "alice", "GIT_AUTHOR_EMAIL": "alice@example.invalid",
    "GIT_COMMITTER_NAME": "alice", "GIT_COMMITTER_EMAIL": "alice@example.invalid",
    "GIT_AUTHOR_DATE": "@1700000000 +0000", "GIT_COMMITTER_DATE": "@1700000000 +0000",
}


class Link(str):
    """In a mapping of files: a symlink to this target."""


class Program(bytes):
    """In a mapping of files: an executable file."""


class Folder(str):
    """In a mapping of files: a submodule at this commit."""


Content = bytes | Link | Folder | None  # None: the file goes away


def everyday(*words: str, at: Path, stdin: bytes = b"", ok: bool = True) -> str:
    """git as a person would use it, in the folder `at`."""
    done = subprocess.run(["git", *words], cwd=at, env=_ENV, input=stdin, capture_output=True,
                          timeout=60, check=False)
    assert done.returncode == 0 or not ok, done.stderr.decode()
    return done.stdout.decode("utf-8", "surrogateescape").strip()


class Origin:
    """The repository on the forge: a bare one, with a person's clone beside it."""

    def __init__(self, root: Path) -> None:
        self.bare = root / "origin.git"
        self.clone = root / "clone"
        root.mkdir(parents=True, exist_ok=True)
        everyday("init", "-q", "--bare", "--template=", "--initial-branch=main", str(self.bare),
                 at=root)
        everyday("init", "-q", "--initial-branch=main", str(self.clone), at=root)
        everyday("remote", "add", "origin", str(self.bare), at=self.clone)

    @property
    def remote(self) -> Remote:
        return Remote(url=str(self.bare))

    def commit(
        self, files: Mapping[str, Content], message: str = "change", branch: str = "main",
        since: str = "",
    ) -> Sha:
        """Commit on `branch` (begun at `since` when that is given) and push it."""
        if since:
            everyday("checkout", "-q", "-B", branch, since, at=self.clone)
        for name, content in files.items():
            self._put(name, content)
        everyday("add", "-A", "-f", ".", at=self.clone)
        for name, content in files.items():
            if isinstance(content, Folder):
                everyday("update-index", "--add", "--cacheinfo", f"160000,{content},{name}",
                         at=self.clone)
        everyday("commit", "-q", "--allow-empty", "-m", message, at=self.clone)
        everyday("push", "-q", "-f", "origin", f"HEAD:refs/heads/{branch}", at=self.clone)
        return Sha(everyday("rev-parse", "HEAD", at=self.clone))

    def tip(self, branch: str) -> str:
        return everyday("for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}",
                        at=self.bare)

    def refs(self) -> dict[str, str]:
        lines = everyday("for-each-ref", "--format=%(refname) %(objectname)", at=self.bare)
        return dict(line.split(" ") for line in lines.splitlines())

    def _put(self, name: str, content: Content) -> None:
        path = self.clone / os.fsdecode(name.encode("utf-8", "surrogateescape"))
        if path.is_symlink() or path.is_file():
            path.unlink()
        if content is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Folder):
            path.mkdir(exist_ok=True)
        elif isinstance(content, Link):
            path.symlink_to(str(content))
        else:
            path.write_bytes(content)
            path.chmod(0o755 if isinstance(content, Program) else 0o644)


def store(root: Path) -> Git:
    """The CLI's own repository, new."""
    git = Git(root / "store.git")
    git.init()
    return git


def cleared(sha: Sha, base: Sha) -> Cleared:
    return Cleared(sha=sha, base=base)


def child(git: Git, parent: Sha, files: Mapping[str, bytes], message: str = "work") -> Sha:
    """A commit of ours on top of `parent`, made by plumbing."""
    from agentcells.git import Entry, blob_id

    entries = dict(git.entries(parent))
    git.write_blobs({blob_id(data): data for data in files.values()})
    for name, data in files.items():
        entries[name] = Entry(mode="100644", sha=blob_id(data))
    return git.commit_tree(git.write_tree(entries), [parent], message)
