"""What people do on a forge while the factory works: the same words for every forge.

`by` is a login. A story calls these through its stage and never asks which forge it plays on.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from agentcells.forge import Forge
from agentcells.forge.local import LocalForge
from agentcells.git import Git, Identity
from agentcells.git_ids import blob_id
from agentcells.git_read import Entry
from agentcells.model import Check, Item, Sha

OWNER, BOT, STRANGER, COLLEAGUE, REPO = "alice", "alice-cells", "mallory", "bob", "alice/game"


class People(Protocol):
    """One forge with its accounts: `alice` owns, `alice-cells` is her bot, `bob` may write, `mallory` may talk."""

    kind: str
    records_pushes: bool  # the forge tells who pushed the present head
    patient: bool  # lets a moment of the forge's clock pass before he acts

    def settings(self, login: str = BOT) -> str:
        """The `[forge]` table of cells.toml, with the token of that account."""

    def stop(self) -> None:
        """The story is over."""

    def moved(self, root: Path) -> People:
        """The same people once more, with the copy of their forge's folder that lies there."""

    @property
    def bare(self) -> Path:
        """The folder of the repository, where the forge keeps it."""

    def forge(self, login: str = BOT) -> Forge: ...

    def advance(self, time: timedelta) -> None: ...

    def file(self, title: str, body: str, labels: list[str], assignees: list[str], by: str) -> int: ...

    def comment(self, number: int, text: str, by: str, *, email: bool = False) -> str: ...

    def edit_comment(self, number: int, comment: str, text: str, by: str) -> None: ...

    def delete_comment(self, number: int, comment: str, by: str) -> None: ...

    def label(self, number: int, name: str, by: str) -> None: ...

    def unlabel(self, number: int, name: str, by: str) -> None: ...

    def edit(self, number: int, by: str, *, title: str | None = None, body: str | None = None) -> None: ...

    def assign(self, number: int, login: str, by: str) -> None: ...

    def unassign(self, number: int, login: str, by: str) -> None: ...

    def close(self, number: int, by: str) -> None: ...

    def reopen(self, number: int, by: str) -> None: ...

    def review(self, number: int, verdict: str, body: str, by: str) -> None: ...

    def remark(self, number: int, path: str, line: int, body: str, by: str) -> None: ...

    def push(self, branch: str, files: Mapping[str, str], by: str) -> Sha: ...

    def open_pull(self, head: str, title: str, body: str, by: str, *, base: str = "main") -> int: ...

    def merge(self, number: int, by: str) -> None: ...

    def merge_into(self, number: int, branch: str, by: str) -> None:
        """Point the pull request at another branch, made from main, and merge it there."""

    def checks(self, number: int, states: Mapping[str, str]) -> None: ...

    def rename_account(self, login: str, new: str) -> None: ...

    def rename_label(self, name: str, new: str) -> None: ...

    def make_label(self, name: str, by: str) -> None: ...

    def delete_label(self, name: str) -> None: ...

    def transferred(self, number: int) -> None:
        """It came here from another repository just now."""

    def record_push(self, number: int, by: str) -> None:
        """What a forge notes by itself where it can: who pushed the present head."""

    def tip(self, branch: str) -> str: ...

    def set_branch(self, branch: str, sha: str) -> None:
        """By nobody: behind the forge's back."""

    def branches(self) -> tuple[str, ...]: ...

    def files(self, ref: str) -> dict[str, str]: ...

    def paths(self, ref: str) -> set[str]:
        """Every path in every commit of this branch's past."""

    def item(self, number: int) -> Item: ...

    def numbers(self) -> list[int]: ...


@dataclass
class LocalPeople:
    """On the embedded forge: people do with it what they would do in a browser."""

    root: Path
    kind: str = "local"
    records_pushes: bool = True
    patient: bool = True
    ahead: timedelta = field(default_factory=timedelta)

    @classmethod
    def settle(cls, root: Path, files: Mapping[str, str]) -> LocalPeople:
        people = cls(root)
        forge = LocalForge.create(root, OWNER, [REPO], bot=BOT)
        for login in (STRANGER, COLLEAGUE):
            forge.add_account(login)
        if files:
            people.push("main", files, OWNER)
        return people

    def stop(self) -> None:
        """Nothing runs."""

    def moved(self, root: Path) -> LocalPeople:
        return LocalPeople(root, ahead=self.ahead)

    def settings(self, login: str = BOT) -> str:
        return f'kind = "local"\npath = "{self.root.name}"\n'

    def clock(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def forge(self, login: str = BOT) -> LocalForge:
        return LocalForge(self.root, login, clock=self.clock)

    def advance(self, time: timedelta) -> None:
        self.ahead += time

    def _at(self, number: int, by: str) -> tuple[LocalForge, Item]:
        forge = self.forge(by)
        return forge, forge.read(REPO, number)

    def file(self, title: str, body: str, labels: list[str], assignees: list[str], by: str) -> int:
        forge = self.forge(by)
        return forge.create_issue(REPO, title, body, labels, [forge.account(one) for one in assignees])

    def comment(self, number: int, text: str, by: str, *, email: bool = False) -> str:
        forge, item = self._at(number, by)
        return (forge.comment_by_email(item, text) if email else forge.comment(item, text)).id

    def edit_comment(self, number: int, comment: str, text: str, by: str) -> None:
        forge, item = self._at(number, by)
        forge.edit_comment(item, comment, text)

    def delete_comment(self, number: int, comment: str, by: str) -> None:
        forge, item = self._at(number, by)
        forge.delete_comment(item, comment)

    def label(self, number: int, name: str, by: str) -> None:
        forge, item = self._at(number, by)
        forge.add_labels(item, [name])

    def unlabel(self, number: int, name: str, by: str) -> None:
        forge, item = self._at(number, by)
        forge.remove_labels(item, [name])

    def edit(self, number: int, by: str, *, title: str | None = None, body: str | None = None) -> None:
        forge, item = self._at(number, by)
        forge.edit_issue(item, title, body)

    def assign(self, number: int, login: str, by: str) -> None:
        forge, item = self._at(number, by)
        forge.assign(item, [forge.account(login)])

    def unassign(self, number: int, login: str, by: str) -> None:
        forge, item = self._at(number, by)
        forge.unassign(item, [forge.account(login)])

    def close(self, number: int, by: str) -> None:
        forge, item = self._at(number, by)
        forge.close(item)

    def reopen(self, number: int, by: str) -> None:
        forge, item = self._at(number, by)
        forge.reopen(item)

    def review(self, number: int, verdict: str, body: str, by: str) -> None:
        forge, item = self._at(number, by)
        forge.review(item, verdict, body)  # type: ignore[arg-type]

    def remark(self, number: int, path: str, line: int, body: str, by: str) -> None:
        forge, item = self._at(number, by)
        forge.start_thread(item, path, line, body)

    def push(self, branch: str, files: Mapping[str, str], by: str) -> Sha:
        """With a git of his own; the folder itself cannot know who it was."""
        git = Git(self.bare)
        tip = git.rev(f"refs/heads/{branch}") or git.rev("refs/heads/main")
        blobs = {blob_id(text.encode()): text.encode() for text in files.values()}
        git.write_blobs(blobs)
        before = git.entries(tip) if tip else {}
        new = {name: Entry(mode="100644", sha=blob_id(text.encode())) for name, text in files.items()}
        sha = git.commit_tree(
            git.write_tree({**before, **new}), [tip] if tip else [], f"Change {', '.join(files)}",
            author=Identity(name=by, email=f"{by}@example.org"), when=self.clock(),
        )
        self._git("update-ref", f"refs/heads/{branch}", sha)
        return sha

    def tip(self, branch: str) -> str:
        return self._git("rev-parse", f"refs/heads/{branch}").strip()

    def set_branch(self, branch: str, sha: str) -> None:
        self._git("update-ref", f"refs/heads/{branch}", sha)

    @property
    def bare(self) -> Path:
        return Path(self.forge(OWNER).remote(REPO).url)

    def _git(self, *words: str) -> str:
        return subprocess.run(
            ["git", f"--git-dir={self.bare}", *words], check=True, capture_output=True, text=True,
            cwd="/", env={"PATH": os.environ.get("PATH", os.defpath), "GIT_CONFIG_GLOBAL": os.devnull},
        ).stdout

    def record_push(self, number: int, by: str) -> None:
        forge, item = self._at(number, by)
        forge.record_push(item)

    def open_pull(self, head: str, title: str, body: str, by: str, *, base: str = "main") -> int:
        return self.forge(by).open_pull(REPO, head, base, title, body)

    def merge(self, number: int, by: str) -> None:
        forge, item = self._at(number, by)
        assert item.pull is not None
        forge.merge(item, item.pull.head_sha)

    def merge_into(self, number: int, branch: str, by: str) -> None:
        self._git("update-ref", f"refs/heads/{branch}", "refs/heads/main")
        self.retarget(number, branch)
        self.merge(number, by)

    def retarget(self, number: int, branch: str) -> None:
        """The desk has no words for it: nobody but a story does it on this forge."""
        store = self.forge(OWNER)._store
        with store.locked():
            page = store.page(REPO, number)
            assert page.item.pull is not None
            pull = replace(page.item.pull, base_ref=branch)
            item = replace(page.item, pull=pull, updated_at=store.tick())
            store.save_page(replace(page, item=item, base_seen=""))

    def checks(self, number: int, states: Mapping[str, str]) -> None:
        forge, item = self._at(number, OWNER)
        forge.set_checks(item, [
            Check(name=name, state=state, log=f"the log of {name}")  # type: ignore[arg-type]
            for name, state in states.items()
        ])

    def rename_account(self, login: str, new: str) -> None:
        self.forge(OWNER).rename_account(login, new)

    def rename_label(self, name: str, new: str) -> None:
        self.forge(OWNER).rename_label(REPO, name, new)

    def make_label(self, name: str, by: str) -> None:
        self.forge(by).create_label(REPO, name, "ededed", "")

    def delete_label(self, name: str) -> None:
        self.forge(OWNER).delete_label(REPO, name)

    def transferred(self, number: int) -> None:
        forge, item = self._at(number, OWNER)
        forge.mark_transferred(item)

    def branches(self) -> tuple[str, ...]:
        return self.forge(OWNER).branches(REPO, "")

    def files(self, ref: str) -> dict[str, str]:
        names = self._git("ls-tree", "-r", "-z", "--name-only", ref).split("\0")[:-1]
        return {name: self._git("show", f"{ref}:{name}") for name in names}

    def paths(self, ref: str) -> set[str]:
        return paths_of(self._git("rev-list", "--objects", ref))

    def item(self, number: int) -> Item:
        return self.forge(OWNER).read(REPO, number)

    def numbers(self) -> list[int]:
        found = (self.root / "repos" / REPO).glob("*.json")
        return sorted(int(path.stem) for path in found)


def paths_of(listed: str) -> set[str]:
    """Of `git rev-list --objects`."""
    return {line.partition(" ")[2] for line in listed.splitlines()}
