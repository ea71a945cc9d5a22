"""One run on disk: what it is ordered to do, whether it is alive, how it ended.

The folder is made and found by `store`; its runner is told nothing but what lies in it.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from agentcells.disk import keep
from agentcells.emptying import remove_tree
from agentcells.model import Problem, RunId
from agentcells.run import Order, RunEnd
from agentcells.wire import from_plain_json, to_json

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
            return from_plain_json(RunEnd, self._read("ended.json"))
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
        """A runner's own folders tell it as well: a full disk, or an older program, leaves no note."""
        return any((self.path / name).exists() for name in ("started", "work", "prompt.txt"))

    def alive(self) -> bool:
        """Whether anybody holds the lock. A shared probe, so two who look do not see each other."""
        try:
            fd = os.open(self.path / "lock", os.O_RDONLY | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
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
            return from_plain_json(kind, self._read(name))
        except ValueError as error:
            raise Problem("store_run_unreadable", run=self.path.name, detail=f"{name} is damaged") from error

    def _read(self, name: str) -> str:
        try:
            return (self.path / name).read_text(encoding="utf-8")
        except OSError as error:
            raise Problem("store_run_unreadable", run=self.path.name, detail=error.strerror or "") from error
