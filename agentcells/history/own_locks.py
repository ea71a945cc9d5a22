"""Turns in a person's repository: among our own servers, and with his git by git's own lock."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentcells.history.own_git import OwnGitError

TRIES = 3
PAUSE_S = 0.2
TURN_S = 600.0  # a person's hooks may run his tests while another client waits
_POLL_S = 0.02


@contextmanager
def turn(folder: Path) -> Iterator[None]:
    """One of our servers at a time changes this repository; the others wait."""
    try:
        lock = os.open(folder / "agentcells.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise OwnGitError("disk", "lock", str(error)) from error
    try:
        _wait(lock)
        yield
    finally:
        os.close(lock)


def _wait(lock: int) -> None:
    give_up = time.monotonic() + TURN_S
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > give_up:
                raise OwnGitError("busy", "lock", "another server has its turn") from None
            time.sleep(_POLL_S)


@contextmanager
def files_held(folder: Path) -> Iterator[Path]:
    """A copy of git's list of files to work on. It takes the place of the list when all went well.

    git's own lock is held meanwhile, so the person's git waits or refuses; on any failure the list
    is to the byte what it was, and what he had chosen for his next commit with it.
    """
    index, copy = folder / "index", folder / f"agentcells-index-{os.getpid()}"
    lock = folder / "index.lock"
    _take(lock)
    try:
        if index.exists():
            shutil.copy2(index, copy)  # with its time: git compares it with the times of the files
        yield copy
        copy.replace(index)
    finally:
        copy.unlink(missing_ok=True)
        lock.unlink(missing_ok=True)


def _take(lock: Path) -> None:
    for attempt in range(TRIES):
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666))
            return
        except FileExistsError:
            if attempt < TRIES - 1:
                time.sleep(PAUSE_S)
        except OSError as error:
            raise OwnGitError("disk", "lock", str(error)) from error
    raise OwnGitError("busy", "lock", "index.lock is there")
