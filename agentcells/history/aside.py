"""The repository of a run: what it writes lies aside, in a folder that ends with it, until it is recorded.

Each look at a workspace stores contents and trees that nothing refers to. In the repository itself each
would be a file of its own, waited for until the disk has it (200 files for 70 changes), and would stay
there for two weeks. Aside nothing is waited for; a record brings what it holds over as one pack, and only
that is waited for. A run that is killed loses what it had not recorded, as before.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from agentcells.git import OURS, Entry, Git, Identity
from agentcells.model import Sha


class Aside(Git):
    """Reads what `git` has; writes aside. What both remember of objects is one: they never change."""

    def __init__(self, git: Git) -> None:
        super().__init__(git.store)
        self._trees, self._entries = git._trees, git._entries

    def write_blobs(self, files: Mapping[Sha, bytes | Path]) -> None:
        self._begin()
        super().write_blobs(files)

    def write_tree(self, entries: Mapping[str, Entry], *, near: str = "", expected: str = "") -> str:
        self._begin()
        return super().write_tree(entries, near=near, expected=expected)

    def commit_tree(
        self, tree: str, parents: Sequence[Sha], message: str, *, author: Identity = OURS,
        when: datetime | None = None,
    ) -> Sha:
        """It is in the repository itself, with all it holds and its parents have not."""
        self._begin()
        sha = super().commit_tree(tree, parents, message, author=author, when=when)
        wanted = "\n".join([sha, *(f"^{parent}" for parent in parents), ""])
        self._run(
            "pack-objects", "-q", "--revs", "--window=0", "--threads=1",
            str(self.store / "objects/pack/pack"), stdin=wanted.encode(), settings=(), deadline_s=300,
        )
        return sha

    def _begin(self) -> None:
        if self._env:
            return
        folder = Path(tempfile.mkdtemp(prefix="tmp-", dir=self.store))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        (folder / "info").mkdir()
        (folder / "info/alternates").write_text(f"{self.store.absolute() / 'objects'}\n")
        self._env = {"GIT_OBJECT_DIRECTORY": str(folder.absolute())}
        self._settings = ("core.fsync=reference",)
