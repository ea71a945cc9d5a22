"""Several machines on one forge: each a process of its own, with a name and a state folder of its own."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from tests.stage import Stage

SIX = ("m1", "m2", "m3", "m4", "m5", "m6")


@dataclass(slots=True)
class Machine:
    """One process that ticks. `told`: what it had to say when it ended badly."""

    pid: int
    told: Path

    def wait(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0, self.told.read_text(encoding="utf-8")

    def wait_until_stopped(self) -> None:
        _, status = os.waitpid(self.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status), self.told.read_text(encoding="utf-8")

    def wait_until_killed(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)


def start(stage: Stage, name: str, *, ahead: timedelta | None = None,
          prepare: Callable[[], None] | None = None) -> Machine:
    """A tick in a process of its own. `ahead`: how much later its clock is."""
    told = stage.root / f"{name}.told"
    told.unlink(missing_ok=True)
    pid = os.fork()
    if pid:
        return Machine(pid, told)
    code = 1
    try:
        if ahead is not None:
            stage.advance(seconds=ahead.total_seconds())
        if prepare is not None:
            prepare()
        stage.tick = partial(Stage.tick, stage, at_most=1_000)  # type: ignore[method-assign]
        ticked = stage.tick_as(name)
        if ticked.problem is not None:
            raise ticked.problem
        code = 0
    except BaseException:
        told.write_text(traceback.format_exc(), encoding="utf-8")
    finally:
        sys.stdout.flush()
        os._exit(code)


def all_at_once(stage: Stage, names: Sequence[str]) -> None:
    for machine in [start(stage, name) for name in names]:
        machine.wait()


def stop_here() -> None:
    """Frozen, as by a suspended laptop; the test lets it go on."""
    os.kill(os.getpid(), signal.SIGSTOP)


def die_here() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)
