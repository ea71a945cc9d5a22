"""What a tick tells while it works: one event at a time, as JSON or as a line for a person."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from agentcells.model import Problem
from agentcells.plan import Action, Skip
from agentcells.sentences import say
from agentcells.text import printable


@dataclass(frozen=True, slots=True)
class Emit:
    """Where events go. `mode`: "text" for a person, "json" one object a line, "quiet" nothing."""

    mode: Literal["text", "json", "quiet"] | str
    language: str = "en"
    problems: list[Problem] = field(default_factory=list)

    @property
    def code(self) -> int:
        """The exit code of all that was refused or failed: 75 when later is all it takes."""
        codes = {problem.exit_code for problem in self.problems}
        return 0 if not codes else 75 if codes == {75} else 1

    def problem(self, problem: Problem) -> None:
        """Something was refused or failed while the rest went on: one line on stderr, said once."""
        text = say(problem.key, self.language, **problem.slots)
        if text not in {say(one.key, self.language, **one.slots) for one in self.problems}:
            self.failed("problem", text, problem, key=problem.key)

    def failed(self, event: str, text: str, problem: Problem, **facts: object) -> None:
        """As `tell`, but it counts in `code`."""
        self.problems.append(problem)
        if self.mode != "text":
            self._out({"event": event, **facts, "text": text})
        if self.mode != "quiet":
            print(printable(text), file=sys.stderr, flush=True)

    def note(self, key: str, **slots: object) -> None:
        """Something to know that concerns no single item."""
        self._out({"event": "note", "key": key, "text": say(key, self.language, **slots)})

    def skip(self, skip: Skip) -> None:
        text = say(skip.key, self.language, **dict(skip.slots))
        self._out({"event": "skip", "item": skip.number, "pair": skip.pair_key, "key": skip.key,
                   "who": skip.who, "text": f"#{skip.number} {text}"})

    def tell(self, event: str, text: str, **facts: object) -> None:
        """An event about an item: `text` for a person, `facts` for a program."""
        self._out({"event": event, **facts, "text": text})

    def did(self, action: Action, text: str, facts: Mapping[str, object]) -> None:
        """A write of the plan, made (or found to have been made)."""
        self._out({"event": type(action).__name__, "pair": action.pair_key, **facts, "text": text})

    def _out(self, event: dict[str, object]) -> None:
        if self.mode == "json":
            stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
            print(json.dumps({"at": stamp, **event}, ensure_ascii=False), flush=True)
        elif self.mode == "text":
            print(printable(str(event["text"])), file=sys.stdout, flush=True)
