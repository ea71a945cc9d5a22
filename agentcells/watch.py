"""`status --watch`: follows a running tick; a live line for each run, and what ticks tell meanwhile.

Everything is read from the state folder: no forge, no token. Without a terminal each change is a line.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from agentcells.activity import Activity, after
from agentcells.around import at_work
from agentcells.columns import lasted
from agentcells.config import Config
from agentcells.journal import Journal
from agentcells.run import Order
from agentcells.sentences import say
from agentcells.store import State
from agentcells.transcript import log_lines

LOOK_S = 0.5
CHUNK = 1 << 20
EVENTS = 200  # more in half a second are not read by anybody
QUIET = {"skip"}  # said at the end of each pass; `status` shows them


@dataclass(slots=True)
class Followed:
    """One run at work, and how far its stream was read."""

    order: Order
    path: Path
    read: int = 0
    rest: bytes = b""
    activity: Activity = field(default_factory=Activity)
    said: str = ""  # what a line told last

    def look(self, language: str) -> None:
        try:
            with (self.path / "stream.jsonl").open("rb") as stream:
                stream.seek(self.read)
                data = stream.read(CHUNK)
        except OSError:
            return
        self.read += len(data)
        *lines, self.rest = (self.rest + data).split(b"\n")  # a character may be cut in two by a look
        for line in lines:
            self.activity = after(self.activity, line.decode("utf-8", "replace"), language)

    def columns(self, language: str, clean: Callable[[str], str]) -> tuple[str, ...]:
        usd = self.activity.usd
        return (
            self.order.run, self.order.pair_key, self.order.cell,
            lasted(datetime.now(UTC) - self.order.created_at, language),
            f"{self.activity.tokens:,}", "-" if usd is None else f"${usd:.2f}",
            clean(self.activity.doing),
        )


class Out(Protocol):
    """Where it goes: a terminal's live lines, or a pipe's."""

    def event(self, line: str) -> None: ...

    def rows(self, rows: list[tuple[str, ...]]) -> None: ...


def follow(
    config: Config, state: State, out: Out, clean: Callable[[str], str], *, sleep: float = LOOK_S
) -> None:
    """Until no tick and no run is at work."""
    language, runs = config.factory.language, dict[str, Followed]()
    heard = datetime.now(UTC)
    while True:
        busy = _look(state, runs, language)
        heard = _tell(config, state, out, heard)
        out.rows([run.columns(language, clean) for run in runs.values()])
        if not busy:
            return
        time.sleep(sleep)


def _look(state: State, runs: dict[str, Followed], language: str) -> bool:
    """Who is at work now, and what each does. True: a tick or a run is."""
    busy = at_work(state)
    alive = [folder for folder in state.runs() if folder.alive() and folder.has_order()]
    for folder in alive:
        runs.setdefault(folder.run, Followed(folder.order(), folder.path))
    for gone in set(runs) - {folder.run for folder in alive}:
        del runs[gone]
    for run in runs.values():
        run.look(language)
    return busy or bool(alive)


def _tell(config: Config, state: State, out: Out, heard: datetime) -> datetime:
    events = [
        event for event in Journal(state.root).events(EVENTS)
        if _at(event) > heard and event["event"] not in QUIET
    ]
    for line in log_lines(events, config.factory.timezone):
        out.event(line)
    return max((_at(event) for event in events), default=heard)


def _at(event: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(str(event["at"]))


@dataclass(slots=True)
class Lines:
    """For a pipe: a line when a run does something else, at most one in a while for each."""

    say: Callable[[str], None]
    language: str
    every: timedelta = timedelta(seconds=5)
    said: dict[str, tuple[str, datetime]] = field(default_factory=dict)

    def event(self, line: str) -> None:
        self.say(line)

    def rows(self, rows: list[tuple[str, ...]]) -> None:
        now = datetime.now(UTC)
        for run, item, cell, time_, tokens, usd, doing in rows:
            before, at = self.said.get(run, ("", datetime.min.replace(tzinfo=UTC)))
            if not doing or doing == before or now - at < self.every:
                continue
            self.said[run] = (doing, now)
            self.say(say("watch_line", self.language, run=run, item=item, cell=cell, time=time_,
                         tokens=tokens, usd=usd, doing=doing))


@contextmanager
def on_terminal(language: str) -> Iterator[Out]:
    """Live lines below, events above them. Whatever ends it, the terminal is as it was."""
    from rich.live import Live

    from agentcells.screen import console, live_table

    screen = console()

    class Terminal:
        def event(self, line: str) -> None:
            screen.print(line, soft_wrap=True)

        def rows(self, rows: list[tuple[str, ...]]) -> None:
            live.update(live_table(rows, language), refresh=True)

    with Live(console=screen, auto_refresh=False, transient=True) as live:
        yield Terminal()


__all__ = ["Followed", "Lines", "Out", "follow", "on_terminal"]
