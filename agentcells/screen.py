"""`status` on a terminal: the same board in columns of its width, with colour where it may have any.

Without a terminal, and for pipes, the plain lines of `board` are printed instead.
"""

from __future__ import annotations

import sys

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from agentcells.board import Board, Row
from agentcells.board import Group as Rows
from agentcells.sentences import say
from agentcells.text import printable

NARROW = 100  # columns: with fewer, each item has lines of its own
COLOURS = {
    "stopped": "red", "broken": "red", "paused": "yellow", "spent": "yellow", "held": "yellow",
    "running": "green", "going": "green", "waiting": "cyan", "idle": "default",
}


def console() -> Console:
    """Of standard output. NO_COLOR and TERM=dumb are heeded by rich itself."""
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def board_on_screen(board: Board, columns: int) -> RenderableType:
    first, *others = board.tops
    parts: list[RenderableType] = [Text(first, style=f"bold {COLOURS[board.state]}")]
    parts += [Text(line) for line in others]
    if board.groups and columns >= NARROW:
        parts += [Text(), _table(board)]
    elif board.groups:
        parts += [part for group in board.groups for part in _narrow(group)]
    for lines in (board.runs, board.rest):
        parts += [Text(), *(Text(line) for line in lines)] if lines else []
    return Group(*parts)


def _table(board: Board) -> Table:
    number, title, used, cost, waited, who, reason = board.head
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column(number, no_wrap=True)
    table.add_column(title, max_width=36, overflow="ellipsis", no_wrap=True)
    for name in (used, cost, waited):
        table.add_column(name, no_wrap=True, justify="right")
    table.add_column(f"{who}: {reason}", ratio=1)
    for group in board.groups:
        table.add_row("", Text(group.title.split("  ")[0], style="bold"))
        for row in group.rows:
            table.add_row(
                Text(row.arrow, style="green"), Text(row.name), Text(_one_line(row.title)),
                Text(row.rounds), Text(row.cost), Text(row.waited), _reason(row),
            )
    return table


def _narrow(group: Rows) -> list[RenderableType]:
    parts: list[RenderableType] = [Text(), Text(group.title, style="bold")]
    for row in group.rows:
        facts = "  ".join(word for word in (row.rounds, row.cost, row.waited) if word)
        parts += [
            Text(f"{row.arrow} {row.name} {_one_line(row.title)}", overflow="ellipsis",
                 no_wrap=True),
            Padding(Text(facts, style="dim"), (0, 0, 0, 4)),
            Padding(_reason(row), (0, 0, 0, 4)),
        ]
    return parts


def _reason(row: Row) -> Text:
    style = "yellow" if row.owner else "green" if row.arrow.strip() else ""
    return Text(f"{row.who}: {row.reason}", style=style)


def _one_line(words: str) -> str:
    return printable(" ".join(words.split()), one_line=True)


def live_table(rows: list[tuple[str, ...]], language: str) -> Table:
    """One line for each run at work."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for name in say("watch_head", language).split("|"):
        table.add_column(name, no_wrap=True, overflow="ellipsis")
    for row in rows:
        table.add_row(*(Text(words) for words in row))
    return table
