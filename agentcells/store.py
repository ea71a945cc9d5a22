"""The state folder: run folders, the brake, caches. A journal: the truth is on the forge.

Losing it costs an agent run or a listing, never correctness. One run is `run_folder`, how a file is
written `disk`; both are handed on here.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from agentcells.disk import Unwritable, keep, write_whole, writing
from agentcells.emptying import remove_tree
from agentcells.model import Item, Problem, Row
from agentcells.run_folder import Limits, RunFolder
from agentcells.wire import from_plain_json, to_json

if TYPE_CHECKING:
    from agentcells.plan import Brake

T = TypeVar("T")
KEY_BYTES = 32

__all__ = [
    "Limits", "Memory", "RunFolder", "State", "Unwritable", "branch_place", "keep", "state_folder",
    "write_whole", "writing",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is known of a repository since its last complete listing (R20)."""

    mark: str
    rows: tuple[Row, ...] = ()  # of all that may have to be read whole, as it was listed last
    searched: tuple[int, ...] = ()  # issues whose pull requests of ours were asked for by name
    tidied: tuple[int, ...] = ()  # merged pull requests whose branch is known to be gone
    alone: tuple[int, ...] = ()  # open pull requests of the owner's own that are or were in the line


@dataclass(frozen=True, slots=True)
class State:
    """The state folder of one cells.toml."""

    root: Path
    lost: list[str] = field(default_factory=list)  # names of broken files that were set aside
    reading: bool = False  # nothing is written, not even a broken file set aside (R16)

    @classmethod
    def open(cls, config_path: Path) -> State:
        """Create the folder (0700) when it is not there. Raises Problem when it cannot be written."""
        root = state_folder(config_path)
        try:
            for name in ("", "runs", "logs", "repos", "cache"):
                (root / name).mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise Problem("store_unwritable", path=str(root), detail=error.strerror or "") from error
        return cls(root)

    @classmethod
    def at(cls, config_path: Path) -> State:
        """The same folder for reading only: nothing is made, what is not there is empty (R16)."""
        return cls(state_folder(config_path), reading=True)

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @contextmanager
    def pass_lock(self, *, wait: bool) -> Iterator[bool]:
        """Yields whether the lock was got. A tick does not wait for it, later passes do (R17)."""
        with writing(self.root / "pass.lock"):
            fd = os.open(self.root / "pass.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(fd)

    def tick_lock(self) -> int | None:
        """The lock of the tick and the coordinator it becomes: a descriptor that survives exec, or None.

        Two ticks at once would do no harm, but the second has nothing to do.
        """
        with writing(self.root / "tick.lock"):
            fd = os.open(self.root / "tick.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        os.set_inheritable(fd, True)
        return fd

    def new_run(self, now: datetime) -> RunFolder:
        """An empty run folder whose lock this process holds; the descriptor survives exec."""
        run = f"r{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
        path = self.root / "runs" / run
        with writing(path):
            path.mkdir(mode=0o700)
            fd = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.set_inheritable(fd, True)
        return RunFolder(path, fd)

    def sweep(self) -> None:
        """Away with folders of runs that were never ordered: who made them was killed.

        Only under the pass lock, else one that is being made could be taken for one.
        """
        for folder in self.runs():
            if not folder.has_order() and not folder.alive():
                with writing(folder.path):
                    folder.discard()

    def runs(self) -> tuple[RunFolder, ...]:
        """All of them, also those that were never ordered. What is no folder is nobody's run."""
        folder = self.root / "runs"
        found = sorted(folder.iterdir()) if folder.is_dir() else ()
        return tuple(RunFolder(path) for path in found if path.is_dir())

    def ask_to_end(self) -> int:
        """Tell the coordinator to end what runs; how many runs are alive now."""
        alive = sum(folder.alive() for folder in self.runs())
        if alive:
            (self.root / "end-now").touch(mode=0o600)
        return alive

    def asked_to_end(self) -> bool:
        """Whether somebody asked since; the request is taken back by being heard."""
        try:
            (self.root / "end-now").unlink()
        except FileNotFoundError:
            return False
        return True

    def find_log(self, run: str) -> Path | None:
        for folder in (self.root / "runs", self.logs):
            if run and (folder / Path(run).name).is_dir():
                return folder / Path(run).name
        return None

    def repository(self, repo: str) -> Path:
        return self.root / "repos" / f"{_file_name(repo)}.git"

    def memory(self, repo: str) -> Memory | None:
        """None when it was lost: then all open items are listed again."""
        return self._cached(Memory, self._memory_path(repo))

    def keep_memory(self, repo: str, memory: Memory) -> None:
        """Items that are not in it any more are forgotten; else there would be a file for each ever read."""
        keep(self._memory_path(repo), to_json(memory))
        kept = {f"{row.number}.json" for row in memory.rows}
        folder = self.root / "cache" / _file_name(repo)
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in kept:
                with writing(path):
                    remove_tree(path)

    def _memory_path(self, repo: str) -> Path:
        return self.root / "cache" / f"{_file_name(repo)}.rows.json"

    def turns(self) -> dict[str, str]:
        """By state the item that was read last: others come first in the next tick (R20)."""
        return self._cached(dict[str, str], self.root / "cache" / "turns.json") or {}

    def keep_turns(self, turns: dict[str, str]) -> None:
        keep(self.root / "cache" / "turns.json", to_json(turns))

    def troubles(self) -> dict[str, str]:
        """What went wrong with an item when it was tried last, by pair. For a person only."""
        return self._cached(dict[str, str], self.root / "cache" / "troubles.json") or {}

    def note_trouble(self, pair: str, words: str) -> None:
        """`words` "": nothing did."""
        before = self.troubles()
        after = {key: said for key, said in before.items() if key != pair}
        after |= {pair: words} if words else {}
        if after != before:
            keep(self.root / "cache" / "troubles.json", to_json(after))

    def cached_item(self, repo: str, number: int) -> Item | None:
        return self._cached(Item, self._item_path(repo, number))

    def cache_item(self, item: Item) -> None:
        path = self._item_path(item.repo, item.number)
        with writing(path.parent):
            path.parent.mkdir(exist_ok=True)
        keep(path, to_json(item))

    def _item_path(self, repo: str, number: int) -> Path:
        return self.root / "cache" / _file_name(repo) / f"{number}.json"

    def _cached(self, kind: type[T], path: Path) -> T | None:
        """A cache may be gone or broken: that costs one more reading, and nothing else."""
        try:
            return from_plain_json(kind, path.read_bytes())
        except FileNotFoundError:
            return None
        except NotADirectoryError:  # then nothing here is a state folder, and that is said
            raise
        except (OSError, ValueError):
            if not self.reading:
                with suppress(OSError):  # what stays is written anew, and says then why it cannot be
                    remove_tree(path)
            return None

    def brake(self) -> Brake:
        """The brake as it was left; lost or broken, it starts at nothing and `lost` names it (R32)."""
        from agentcells.plan import Brake  # a runner does without

        path = self.root / "brake.json"
        if not path.exists():
            return Brake()
        try:
            return from_plain_json(Brake, path.read_bytes())
        except (OSError, ValueError):
            self.lost.append("brake.json")
            if not self.reading:
                with writing(path):
                    path.rename(path.with_suffix(".broken"))
            return Brake()

    def write_brake(self, brake: Brake) -> None:
        keep(self.root / "brake.json", to_json(brake))

    def mac_key(self, *, make: bool = True) -> bytes:
        """32 random bytes that sign our own posts (R25); made at first use, unless nothing may be written."""
        path = self.root / "key"
        key = path.read_bytes() if path.exists() else b""
        if len(key) != KEY_BYTES and make:
            key = secrets.token_bytes(KEY_BYTES)
            with writing(path):
                write_whole(path, key, mode=0o600)
        return key if len(key) == KEY_BYTES else b""


def branch_place(repo: str, ref: str) -> str:
    """What stands in `troubles` for a branch that the forge does not let us delete."""
    return f"{repo}#{ref}"


def _file_name(repo: str) -> str:
    return repo.replace("/", "__")


def state_folder(config_path: Path) -> Path:
    """Where the state of this cells.toml lives: one folder for each file, so two never mix."""
    if chosen := os.environ.get("AGENTCELLS_STATE"):
        return Path(chosen).expanduser().absolute()
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    name = hashlib.sha256(os.fsencode(os.path.realpath(config_path))).hexdigest()[:12]
    return Path(home) / "agentcells" / name
