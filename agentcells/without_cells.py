"""What can be said of a factory whose cells.toml is wrong: all that the state folder tells by itself.

The brake, the last tick, the runs and what the last pass saw; nothing that rests on a setting.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from agentcells.around import at_work
from agentcells.board import last_tick_line, run_line
from agentcells.columns import cut
from agentcells.journal import Journal
from agentcells.model import Item
from agentcells.plan import Brake, LastTick
from agentcells.run import RunFact
from agentcells.run_facts import facts_here
from agentcells.sentences import say
from agentcells.store import State
from agentcells.text import printable

TITLE = 50  # columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """`items` with a label, as the last pass saw them at `as_of`."""

    now: datetime
    brake: Brake
    tick_at_work: bool
    last_tick: LastTick | None
    runs: tuple[RunFact, ...]
    items: tuple[Item, ...]
    as_of: datetime | None


    @property
    def anything(self) -> bool:
        return bool(self.brake.stopped or self.brake.day or self.last_tick or self.tick_at_work or self.runs)


def look(state: State) -> Known:
    journal = Journal(state.root)
    seen = journal.last_look()
    members = [
        item for pair in (seen.pairs if seen is not None else ())
        for item in (pair.issue, pair.pull) if item is not None and item.state == "open" and item.labels
    ]
    return Known(
        now=datetime.now(UTC), brake=state.brake(), tick_at_work=at_work(state),
        last_tick=journal.last_tick(), runs=facts_here(state), items=tuple(members),
        as_of=seen.now if seen is not None else None,
    )


def lines(known: Known, language: str) -> list[str]:
    """The same order as on the board of `status`."""
    found = [say("status_without_cells", language)]
    if known.brake.stopped:
        found.append(say("view_state_stopped", language))
    if known.brake.day:
        found.append(say("status_day", language, day=known.brake.day, usd=f"{known.brake.usd_today:.2f}"))
    if known.tick_at_work:
        found.append(say("view_tick_at_work", language))
    elif known.last_tick is not None:
        found.append(last_tick_line(known.last_tick, known.now, language))
    if known.items and known.as_of is not None:
        found += ["", say("status_seen", language, at=f"{known.as_of:%Y-%m-%d %H:%M} UTC")]
        found += [_item_line(item) for item in known.items]
    if known.runs:
        found += ["", *(run_line(run, known.now, language) for run in known.runs)]
    return found


def value(known: Known) -> dict[str, Any]:
    """The same for a program."""
    return {
        "now": known.now.isoformat(),
        "state": "stopped" if known.brake.stopped else "broken",
        "stopped": known.brake.stopped,
        "tick_at_work": known.tick_at_work,
        "as_of": known.as_of.isoformat() if known.as_of is not None else None,
        "items": [
            {"repo": item.repo, "number": item.number, "title": item.title,
             "labels": [label.name for label in item.labels]}
            for item in known.items
        ],
        "runs": [
            {"run": run.order.run, "item": run.order.pair_key, "cell": run.order.cell, "status": run.status}
            for run in known.runs
        ],
    }


def _item_line(item: Item) -> str:
    labels = printable(", ".join(label.name for label in item.labels), one_line=True)
    return f"  {item.repo}#{item.number}  {cut(item.title, TITLE)}  [{labels}]"


__all__ = ["Known", "lines", "look", "value"]
