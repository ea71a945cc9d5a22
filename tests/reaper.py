"""Kills a tick where it hurts: a real process, SIGKILL, after the n-th step that leaves a trace.

The tick runs in a child that was forked for it. In that child alone the writes of the rooms at the edge
count their steps; the product knows nothing of it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentcells import disk
from agentcells.git import Git
from agentcells.runner import Runner
from agentcells.store import RunFolder, State
from agentcells.workspace import Workspace
from tests.stage import Stage

# What leaves a trace outside of this process's memory, or ends something: (class, method).
EDGES: tuple[tuple[type, str], ...] = (
    (Git, "fetch"), (Git, "push"), (Git, "update_ref"), (Git, "delete_ref"), (Git, "commit_tree"),
    (State, "new_run"), (State, "keep_memory"), (RunFolder, "write_order"), (RunFolder, "close"),
    (RunFolder, "discard"), (RunFolder, "unlock"), (RunFolder, "write_end"), (Runner, "prepare"),
    (Workspace, "seal"), (Workspace, "answer"),
)


@dataclass
class Scythe:
    """Counts steps. `at` 0: never strikes."""

    at: int
    steps: list[str] = field(default_factory=list)

    def step(self, name: str) -> None:
        self.steps.append(name)
        if len(self.steps) == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Life:
    """How a tick in a child ended: the steps it told of, None when it was killed."""

    steps: list[str] | None


def tick(stage: Stage, at: int = 0) -> Life:
    """One tick in a child of its own, killed after step `at`."""
    told = stage.root / "steps.json"
    told.unlink(missing_ok=True)
    child = _forked()
    if child == 0:
        _live(stage, Scythe(at), told)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return Life(None)
    assert os.WEXITSTATUS(status) == 0, told.read_text() if told.exists() else status
    return Life(json.loads(told.read_text()))


def _forked() -> int:
    """A loopback forge is served by threads, of which Python warns; between two acts they hold no lock."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _live(stage: Stage, scythe: Scythe, told: Path) -> None:
    """Never comes back."""
    code = 1
    try:
        with _counted(scythe):
            stage.step = scythe.step
            ticked = stage.tick()
            if ticked.problem is not None:
                raise ticked.problem
        told.write_text(json.dumps(scythe.steps))
        code = 0
    except BaseException:
        told.write_text(traceback.format_exc())
    finally:
        sys.stdout.flush()
        os._exit(code)


@contextmanager
def _counted(scythe: Scythe) -> Iterator[None]:
    """In this process, which ends with the tick, every edge tells that it has been."""
    for kind, name in EDGES:
        setattr(kind, name, _telling(getattr(kind, name), f"{kind.__name__}.{name}", scythe))
    disk.write_whole = _telling(disk.write_whole, "write_whole", scythe)
    yield


def _telling(real: Callable[..., Any], name: str, scythe: Scythe) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        answer = real(*args, **kwargs)
        scythe.step(name)
        return answer

    return call


def copy(stage: Stage, root: Path) -> Stage:
    """The same world once more, in another folder."""
    shutil.copytree(stage.root, root, symlinks=True)
    return Stage(
        root, rules=stage.rules, settings=stage.settings, factory=stage.factory, cells=stage.cells,
        bot=stage.bot, world=stage.world, there=stage.people.moved(root / "forge"),
    )
