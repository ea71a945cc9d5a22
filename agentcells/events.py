"""What a tick tells while it works: one event at a time, as JSON or as a line for a person."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TextIO

from agentcells.journal import Journal
from agentcells.markers import outcome_words
from agentcells.model import Problem
from agentcells.plan import Action, Skip
from agentcells.run import Order, Outcome, RunEnd
from agentcells.sentences import say
from agentcells.text import printable, printable_json


@dataclass(frozen=True, slots=True)
class Emit:
    """Where events go. `mode`: "text" for a person, "json" one object a line, "quiet" nothing."""

    mode: Literal["text", "json", "quiet"] | str
    language: str = "en"
    problems: list[Problem] = field(default_factory=list)
    told: list[dict[str, object]] = field(default_factory=list)  # all but what failed
    journal: Journal | None = None  # where every event is kept too, whatever the mode

    @property
    def code(self) -> int:
        """The exit code of all that was refused or failed: 75 when later is all it takes."""
        codes = {problem.exit_code for problem in self.problems}
        return 0 if not codes else 75 if codes == {75} else 1

    def problem(self, problem: Problem) -> None:
        """Something was refused or failed while the rest went on: one line on stderr, said once."""
        told = {(one.key, str(one.slots.get("repo"))) for one in self.problems}
        if (problem.key, str(problem.slots.get("repo"))) not in told:
            text = say(problem.key, self.language, **problem.slots)
            self.failed("problem", text, problem, key=problem.key)

    def failed(self, event: str, text: str, problem: Problem, **facts: object) -> None:
        """As `tell`, but it counts in `code`."""
        self.problems.append(problem)
        told = {"event": event, **facts, "text": text}
        self._keep(told)
        if self.mode != "text":
            self._out(told)
        if self.mode != "quiet":
            _print(printable(text), sys.stderr)

    def note(self, key: str, **slots: object) -> None:
        """Something to know that concerns no single item."""
        self._event({"event": "note", "key": key, "text": say(key, self.language, **slots)})

    def skips(self, skips: Iterable[Skip]) -> None:
        """All that waits after a pass. Each is told; into the log goes what did not wait so before."""
        events: list[dict[str, object]] = [
            {
                "event": "skip", "item": one.number, "pair": one.pair_key, "key": one.key,
                "who": one.who, "text": f"#{one.number} {say(one.key, self.language, **dict(one.slots))}",
            }
            for one in skips
        ]
        self.told.extend(events)
        for event in () if self.journal is None else self.journal.first_told(events):
            self._keep(event)
        for event in events:
            self._out(event)

    def tell(self, event: str, text: str, **facts: object) -> None:
        """An event about an item: `text` for a person, `facts` for a program."""
        self._event({"event": event, **facts, "text": text})

    def did(self, action: Action, text: str, facts: Mapping[str, object]) -> None:
        """A write of the plan, made (or found to have been made)."""
        told = {name: getattr(action, name) for name in ("run", "cell") if hasattr(action, name)}
        self._event({"event": type(action).__name__, "pair": action.pair_key, **told, **facts,
                     "text": text})

    def run_started(self, order: Order) -> None:
        text = say("run_started", self.language, cell=order.cell, item=order.pair_key,
                   run=order.run)
        self.tell("run_started", text, run=order.run, cell=order.cell, pair=order.pair_key)

    def run_ended(self, order: Order, end: RunEnd | None) -> None:
        """`end` None: nothing is left of it but that it is over (R39)."""
        outcome = Outcome(kind="containment") if end is None else end.outcome
        words = outcome_words(outcome.kind, self.language)
        next_ = f" -> {outcome.next}" if outcome.next else ""
        text = say("run_ended", self.language, cell=order.cell, item=order.pair_key,
                   what=words + next_, tokens=f"{outcome.tokens:,}", usd=f"{outcome.usd:.2f}")
        self.tell("run_ended", text, run=order.run, cell=order.cell, pair=order.pair_key,
                  outcome=outcome.kind, next=outcome.next, tokens=outcome.tokens, usd=outcome.usd)

    def _event(self, event: dict[str, object]) -> None:
        self.told.append(event)
        self._keep(event)
        self._out(event)

    def _keep(self, event: dict[str, object]) -> None:
        """For the log: with run, item and cell wherever the event is about one."""
        if self.journal is None:
            return
        _, item_of, number = str(event.get("pair") or "").rpartition("#")
        item = {"item": int(number)} if item_of else {}  # a cell on "factory" works on none
        self.journal.append({**item, **event})

    def _out(self, event: dict[str, object]) -> None:
        if self.mode == "json":
            stamp = datetime.now(UTC).isoformat(timespec="milliseconds")
            _print(printable_json(json.dumps({"at": stamp, **event}, ensure_ascii=False)), sys.stdout)
        elif self.mode == "text":
            _print(printable(str(event["text"])), sys.stdout)


def _print(line: str, stream: TextIO) -> None:
    """Whoever reads us may be gone (`tick | head`) or his disk full: no reason to lose a run half-way."""
    try:
        print(line, file=stream, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
