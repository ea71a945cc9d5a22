"""A tick whose disk is in trouble (tests/sick_disk.py), in a child of its own."""

from __future__ import annotations

import json
import os
import shutil
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentcells.sentences import say
from tests import reaper
from tests.sick_disk import Trouble, alone, frozen
from tests.stage import Stage


@dataclass(frozen=True, slots=True)
class Ended:
    """A tick on such a disk. `key` "": it ended well."""

    key: str
    code: int
    said: str
    wrote: list[str]


def tick(stage: Stage, trouble: Trouble) -> Ended:
    """One in a child of its own. Afterwards the state folder is as it was left, and the disk is well."""
    told, left, place = stage.root / "told.json", stage.root / "left", stage.state.root
    shutil.rmtree(left, ignore_errors=True)
    child = reaper._forked()
    if child == 0:
        _live(stage, trouble, told, left)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, told.read_text(encoding="utf-8")
    if left.exists():
        shutil.rmtree(place)
        left.rename(place)
    return Ended(**json.loads(told.read_text(encoding="utf-8")))


def _live(stage: Stage, trouble: Trouble, told: Path, left: Path) -> None:
    """Never comes back."""
    code = 1
    try:
        place = stage.state.root
        alone()
        trouble(place)
        ended = _told(stage)
        if trouble is not frozen:
            shutil.copytree(place, left, symlinks=True)
        told.write_text(json.dumps(ended), encoding="utf-8")
        code = 0
    except BaseException:
        told.write_text(traceback.format_exc(), encoding="utf-8")
    finally:
        sys.stdout.flush()
        os._exit(code)


def _told(stage: Stage) -> dict[str, Any]:
    before = len(stage.writes)
    try:
        ticked = stage.tick()
    except OSError as error:  # the runner's: its process ends with this line, and the run is dead
        return {"key": "system_refused", "code": 1, "said": str(error), "wrote": stage.writes[before:]}
    wrote = stage.writes[before:]
    if ticked.problem is None:
        problems = ticked.of("problem")
        words = "\n".join(str(event["text"]) for event in problems)
        return {"key": str(problems[0]["key"]) if problems else "", "code": 0, "said": words, "wrote": wrote}
    problem = ticked.problem
    words = say(problem.key, "en", **problem.slots)
    return {"key": problem.key, "code": problem.exit_code, "said": words, "wrote": wrote}
