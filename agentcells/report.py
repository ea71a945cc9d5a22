"""`agentcells report`: reads from the forge what the line has done; writes one HTML file of it."""

from __future__ import annotations

import socket
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agentcells import factory_book, pins
from agentcells.config import Config
from agentcells.figures import FIGURES, figures
from agentcells.forge.open import open_forge
from agentcells.line_reading import Progress, read_line
from agentcells.model import Problem
from agentcells.pairs import pair_up
from agentcells.plan import Snapshot
from agentcells.report_page import page
from agentcells.store import State, write_whole


def check(figure: str) -> None:
    """Before anything is read."""
    if figure and figure not in FIGURES:
        raise Problem("report_no_figure", exit_code=2, figure=figure, known=", ".join(FIGURES))


def chosen(found: dict[str, Any], figure: str) -> Any:
    """One figure, or all."""
    return found[figure] if figure else found


def _begin(now: datetime, days: int) -> datetime | None:
    """None: from the beginning, also where so long ago there was no calendar yet."""
    try:
        return now - timedelta(days=days) if days else None
    except OverflowError:
        return None


def read_figures(
    config: Config, state: State, *, days: int, items: int, progress: Progress
) -> dict[str, Any]:
    """All figures of the newest `items` issues; `days` 0: from the beginning."""
    forge = open_forge(config)
    viewer, owner = forge.viewer(), forge.account(config.factory.owner)
    since = _begin(forge.clock(), days)
    found = pins.load(config.path)
    ids = {one for labels in found.labels.values() for one in labels.values()} if found else set()
    label_ids, key = tuple(sorted(ids)), state.mac_key(make=False)
    read = read_line(config, forge, since, items, progress)
    snapshot = Snapshot(
        now=forge.clock(), viewer=viewer, owner=owner, machine=socket.gethostname(),
        pairs=pair_up(config, read, viewer, owner, pinned=label_ids, key=key),
        brake=state.brake(), mac_key=key, label_ids=label_ids, books=tuple(factory_book.books(state).items()),
    )
    return figures(config, snapshot, since)


def write(config: Config, found: dict[str, Any], out: Path) -> None:
    try:
        write_whole(out, page(config, found))
    except OSError as error:
        raise Problem("report_unwritable", path=str(out), detail=error.strerror or "") from error


__all__ = ["check", "chosen", "read_figures", "write"]
