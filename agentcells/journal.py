"""The structured log of the state folder, one JSON line an event, and how the last tick went.

Both are for a person who wonders; nothing is ever decided by them, and lost they cost nothing.
Several processes of a tick append at once: each line is one write under the lock of the file.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentcells.emptying import remove_tree
from agentcells.model import Problem
from agentcells.plan import LastTick, Snapshot
from agentcells.sentences import say
from agentcells.store import Unwritable, keep
from agentcells.wire import from_json, from_plain_json, to_json

NAME = "events.jsonl"
LARGEST = 4_000_000  # bytes of one file; then it is set aside
KEPT_FILES = 4  # set aside
OLDEST_S = 30 * 86400  # of events and of the logs of runs
NOT_SEEN = ("mac_key", "runs", "brake", "books", "sights")  # secret, or better known from their own files
LOGS_LARGEST = 500_000_000  # of all logs of runs together


@dataclass(frozen=True, slots=True)
class Journal:
    """The log in a state folder."""

    root: Path

    # ------------------------------------------------------------ events

    def append(self, event: Mapping[str, object]) -> None:
        """One line. A full disk is no reason to end a tick: what is lost is a line for a reader."""
        stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"at": stamp, **event}, ensure_ascii=False, default=str) + "\n"
        try:
            with self._open() as fd:
                os.write(fd, line.encode("utf-8", "replace"))
        except OSError:
            return

    @contextmanager
    def _open(self) -> Iterator[int]:
        """The file, locked; a full one is set aside first by whoever notices it."""
        path = self.root / NAME
        while True:
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)
                there = _same_file(fd, path)
                if there and os.fstat(fd).st_size >= LARGEST:
                    path.rename(path.with_name(f"events.{time.time_ns()}.jsonl"))
                    self.trim()
                elif there:
                    yield fd
                    return
            finally:
                os.close(fd)

    def trim(self) -> None:
        """What is too old or too much goes, the oldest first."""
        aside = sorted(self.root.glob("events.*.jsonl"))
        for path in aside[:-KEPT_FILES]:
            path.unlink(missing_ok=True)
        for path in aside[-KEPT_FILES:]:
            if _age(path) > OLDEST_S:
                path.unlink(missing_ok=True)

    def trim_logs(self) -> None:
        """The logs of closed runs, by age and by their size together."""
        logs = self.root / "logs"
        folders = sorted(logs.iterdir(), reverse=True) if logs.is_dir() else []
        size = 0
        for folder in folders:
            with suppress(OSError):  # another process removes it, too; or nobody may: it is a log
                size += sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
                if size > LOGS_LARGEST or _age(folder) > OLDEST_S:
                    remove_tree(folder)

    def events(self, newest: int, **wanted: object) -> list[dict[str, Any]]:
        """The newest events, oldest first; `wanted`: fields that must be so."""
        found: list[dict[str, Any]] = []
        for path in [self.root / NAME, *sorted(self.root.glob("events.*.jsonl"), reverse=True)]:
            lines = _lines(path)
            found = [event for event in lines if _fits(event, wanted)] + found
            if len(found) >= newest:
                break
        return found[-newest:]

    def first_told(self, waits: Sequence[dict[str, object]]) -> list[dict[str, object]]:
        """Those of all that waits now that did not wait for the same at the last pass.

        200 that wait for the owner would else be 200 lines every few minutes, and all there is to read.
        """
        path = self.root / "waits.json"
        try:
            before = set(json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):
            before = set()
        now = [f"{wait['pair']} {wait['text']}" for wait in waits]
        if before != set(now):
            with suppress(Unwritable):
                keep(path, json.dumps(now, ensure_ascii=False))
        return [wait for wait, line in zip(waits, now, strict=True) if line not in before]

    # ------------------------------------------------------------ the last look

    def keep_look(self, snapshot: Snapshot) -> None:
        """What a pass saw, for `status` when the forge is out of reach. Nothing secret is in it."""
        kept = [one.name for one in fields(snapshot) if one.name not in NOT_SEEN]
        plain = {name: getattr(snapshot, name) for name in kept}
        with suppress(Unwritable):
            keep(self.root / "last_look.json", to_json(plain))

    def last_look(self) -> Snapshot | None:
        """None: there was no pass yet, or it was of another version."""
        try:
            return from_json(Snapshot, (self.root / "last_look.json").read_bytes())
        except (OSError, ValueError):
            return None

    # ------------------------------------------------------------ the last tick

    def last_tick(self) -> LastTick | None:
        """None: there was none, or it cannot be read."""
        try:
            return from_plain_json(LastTick, (self.root / "last_tick.json").read_bytes())
        except (OSError, ValueError):
            return None

    def tick_begins(self) -> None:
        before = self.last_tick()
        failures = before.failures if before is not None else 0
        if before is not None and before.ended_at is None:
            failures += 1  # it ended without a word
        self._write(LastTick(started_at=datetime.now(UTC), failures=failures))

    def fails(self, problem: Problem, language: str) -> None:
        """What ended a pass at once: an event, and why the tick failed."""
        text = say(problem.key, language, **problem.slots)
        self.append({"event": "problem", "key": problem.key, "text": text})
        self.note([problem], language)

    def note(self, problems: Sequence[Problem], language: str) -> None:
        """Why, as soon as it is known: the process that knows it is not the one that ends."""
        tick = self.last_tick()
        if problems and tick is not None and not tick.key:
            first = problems[0]
            text = say(first.key, language, **first.slots)
            self._write(replace(tick, key=first.key, text=text))

    def tick_ends(self, code: int) -> LastTick:
        now = datetime.now(UTC)
        tick = self.last_tick() or LastTick(started_at=now)
        tick = replace(tick, ended_at=now, code=code, failures=tick.failures + 1 if code else 0)
        if not code:
            tick = replace(tick, key="", text="")
        self._write(tick)
        return tick

    def _write(self, tick: LastTick) -> None:
        with suppress(Unwritable):
            keep(self.root / "last_tick.json", to_json(tick))


def _same_file(fd: int, path: Path) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    here = os.fstat(fd)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)


def _age(path: Path) -> float:
    try:
        return time.time() - path.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def _lines(path: Path) -> list[dict[str, Any]]:
    """A line that is not whole (the disk was full) is passed over."""
    found = []
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    for line in text.split("\n"):  # a title may hold other line ends, and JSON keeps them as they are
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict):
            found.append(event)
    return found


def _fits(event: Mapping[str, Any], wanted: Mapping[str, object]) -> bool:
    return all(event.get(name) == value for name, value in wanted.items() if value)
