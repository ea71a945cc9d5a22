"""The state folder: run folders with their locks, the brake, caches. A journal: the truth is on the forge.

Losing it costs an agent run or a listing, never correctness. Files appear whole: written beside and renamed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from agentcells.emptying import remove_tree
from agentcells.model import Item, Problem, Row, RunId
from agentcells.run import Order, RunEnd
from agentcells.wire import from_json, from_plain_json, to_json

if TYPE_CHECKING:
    from agentcells.plan import Brake

T = TypeVar("T")
KEPT_LOGS = 200  # closed runs whose logs stay


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the runner needs of cells.toml, as it was when the run was claimed."""

    agent_command: tuple[str, ...]
    agent_env: tuple[str, ...] = ()  # names only; the values come from the runner's environment
    agent_hosts: tuple[str, ...] = ()
    network: str = "inject"
    door: str = "bash"
    timeout_s: int = 2700
    stall_s: int = 600
    max_turns: int = 60
    max_usd: float = 5.0
    model: str = ""
    effort: str = ""
    setup: tuple[str, ...] = ()
    build: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    command_timeout_s: int = 900
    read: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    setup_hosts: tuple[str, ...] = ()
    containment: str = "strong"
    run_as: str = ""
    max_processes: int = 1_024
    max_memory_mb: int = 16_384
    max_file_mb: int = 4_096
    free_disk_mb: int = 1_024
    protected: tuple[str, ...] = ()
    allow_links: tuple[str, ...] = ()
    allow_blobs: tuple[str, ...] = ()
    max_files: int = 100
    max_added_lines: int = 4000
    max_bytes: int = 10_000_000
    needs_record: bool = False
    needs_test: bool = False
    language: str = "en"
    cache: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What is known of a repository since its last complete listing (R20)."""

    mark: str
    rows: tuple[Row, ...] = ()  # of all that may have to be read whole, as it was listed last
    searched: tuple[int, ...] = ()  # issues whose pull requests of ours were asked for by name
    tidied: tuple[int, ...] = ()  # merged pull requests whose branch is known to be gone


class Unwritable(Problem):
    """The disk is full, read-only or not ours: the same for every item, and no item's fault."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What the disk refuses is told in words: somebody can mend it, and it is no bug."""
    try:
        yield
    except OSError as error:
        raise Unwritable("store_refused", path=path, detail=error.strerror or error) from error


def write_whole(path: Path, text: str) -> None:
    """The file is there whole or not at all, also after a power cut. Raises OSError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink()  # half a file is only in the way, on a full disk above all
        raise
    _sync_folder(path.parent)


def keep(path: Path, text: str) -> None:
    """Write whole what the next tick goes on with. Raises Unwritable."""
    with writing(path):
        write_whole(path, text)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@dataclass(slots=True)
class RunFolder:
    """One run on disk. Alive exactly while its lock is held, by whoever holds it (R17)."""

    path: Path
    lock_fd: int = -1  # this process's own descriptor of the lock, -1: not held here

    @property
    def run(self) -> RunId:
        return RunId(self.path.name)

    def order(self) -> Order:
        return self._whole(Order, "order.json")

    def limits(self) -> Limits:
        return self._whole(Limits, "limits.json")

    def end(self) -> RunEnd | None:
        """What the runner wrote, None when it has not, or when that is damaged: then the run is dead."""
        if not (self.path / "ended.json").exists():
            return None
        try:
            return from_json(RunEnd, self._read("ended.json"))
        except ValueError:
            return None

    def write_end(self, end: RunEnd) -> None:
        keep(self.path / "ended.json", to_json(end))

    def write_order(self, order: Order, limits: Limits) -> None:
        keep(self.path / "limits.json", to_json(limits))
        keep(self.path / "order.json", to_json(order))

    def has_order(self) -> bool:
        return (self.path / "order.json").exists()

    def note_start(self) -> None:
        """Before the runner is started. Where this is not noted, no process of the run ever existed."""
        keep(self.path / "started", "")

    def was_started(self) -> bool:
        return (self.path / "started").exists()

    def alive(self) -> bool:
        """Whether anybody holds the lock. A shared probe, so two who look do not see each other."""
        try:
            fd = os.open(self.path / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(fd)
        return False

    def refusals(self) -> tuple[int, str]:
        """How often publishing this run was refused for good, and what was said last (R33)."""
        with suppress(OSError, ValueError, TypeError):  # not there; or damaged: it is counted anew
            count, words = json.loads((self.path / "refused.json").read_text(encoding="utf-8"))
            return int(count), str(words)
        return 0, ""

    def note_refusal(self, words: str) -> None:
        keep(self.path / "refused.json", to_json([self.refusals()[0] + 1, words]))

    def close(self, logs: Path) -> None:
        """Turn the folder into a log: the workspace goes, the words stay."""
        for name in ("work", "home", "tmp", "bin", "door"):
            remove_tree(self.path / name)
        self.unlock()
        target = logs / self.path.name
        if target.exists():
            remove_tree(target)
        self.path.rename(target)
        for old in sorted(logs.iterdir())[:-KEPT_LOGS]:
            remove_tree(old)

    def discard(self) -> None:
        """Away with a folder whose run was never claimed."""
        self.unlock()
        remove_tree(self.path)

    def unlock(self) -> None:
        if self.lock_fd >= 0:
            os.close(self.lock_fd)
            self.lock_fd = -1

    def _whole(self, kind: type[T], name: str) -> T:
        try:
            return from_json(kind, self._read(name))
        except ValueError as error:
            raise Problem("store_run_unreadable", run=self.path.name, detail=f"{name} is damaged") from error

    def _read(self, name: str) -> str:
        try:
            return (self.path / name).read_text(encoding="utf-8")
        except OSError as error:
            raise Problem("store_run_unreadable", run=self.path.name, detail=error.strerror or "") from error


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
        folder = self.root / "runs"
        return tuple(RunFolder(path) for path in sorted(folder.iterdir())) if folder.is_dir() else ()

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
        """Items that are not in it any more are forgotten."""
        keep(self._memory_path(repo), to_json(memory))
        kept = {f"{row.number}.json" for row in memory.rows}
        folder = self.root / "cache" / _file_name(repo)
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.name not in kept:
                path.unlink()

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

    def forget_items(self, repo: str, but: Collection[int]) -> None:
        """Those that no listing has to look up again; else there would be a file for every item ever read."""
        folder = self.root / "cache" / _file_name(repo)
        for path in folder.glob("*.json"):
            if int(path.stem) not in but:
                path.unlink()

    def _item_path(self, repo: str, number: int) -> Path:
        return self.root / "cache" / _file_name(repo) / f"{number}.json"

    def _cached(self, kind: type[T], path: Path) -> T | None:
        """A cache may be gone or broken: that costs one more reading, and nothing else."""
        try:
            return from_plain_json(kind, path.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError:
            if not self.reading:
                path.unlink()
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
        if not path.exists():
            if not make:
                return b""
            beside = path.with_name(f".key.{os.getpid()}")
            with writing(path):
                beside.touch(mode=0o600)
                beside.write_bytes(secrets.token_bytes(32))
                beside.replace(path)
        return path.read_bytes()


def _file_name(repo: str) -> str:
    return repo.replace("/", "__")


def state_folder(config_path: Path) -> Path:
    """Where the state of this cells.toml lives: one folder for each file, so two never mix."""
    if chosen := os.environ.get("AGENTCELLS_STATE"):
        return Path(chosen).expanduser().absolute()
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    name = hashlib.sha256(str(config_path.resolve()).encode()).hexdigest()[:12]
    return Path(home) / "agentcells" / name
