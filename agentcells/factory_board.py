"""How `status`, `why` and the report show cells on the factory, which have no item to stand at (R50)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agentcells import rounds
from agentcells.brakes import spent_today
from agentcells.columns import lasted
from agentcells.factory_cells import due_at, factory_cells, open_causes, why_not
from agentcells.markers import outcome_words
from agentcells.plan import FactoryBook, Snapshot
from agentcells.posts import LedgerRow
from agentcells.sentences import say

if TYPE_CHECKING:
    from agentcells.config import Cell, Config


def factory_lines(config: Config, snapshot: Snapshot) -> Iterator[str]:
    """One line for each such cell: when it looked last, when it is due, what is filed and open."""
    language = config.factory.language
    for cell in factory_cells(config):
        book = snapshot.book(cell.name)
        yield say(
            "view_factory_cell", language, cell=cell.name, looked=_looked(book, snapshot, language),
            due=_due(config, cell, snapshot), runs=rounds.runs(book.ledger),
            usd=f"{rounds.dollars(book.ledger):.2f}", filed=_filed(book, language),
        )


def factory_value(config: Config, snapshot: Snapshot) -> list[dict[str, Any]]:
    """The same for a program."""
    return [_value(cell, snapshot) for cell in factory_cells(config)]


def _value(cell: Cell, snapshot: Snapshot) -> dict[str, Any]:
    book = snapshot.book(cell.name)
    due = due_at(cell, book)
    return {
        "cell": cell.name, "every_s": cell.every, "unusual": cell.unusual,
        "looked_at": book.looked_at.isoformat() if book.looked_at is not None else None,
        "due_at": due.isoformat() if due is not None else None,
        "running": _running(cell, snapshot), "runs": rounds.runs(book.ledger),
        "usd": round(rounds.dollars(book.ledger), 4),
        "filed": [
            {"repo": one.repo, "number": one.number, "cause": one.cause, "over": one.over}
            for one in book.filed
        ],
        "last_run": book.ledger.rows[-1].run if book.ledger.rows else None,
    }


def why_factory(config: Config, snapshot: Snapshot, name: str) -> list[str]:
    """Why such a cell runs or does not, how its last run ended, what it filed."""
    language, cell = config.factory.language, config.cell(name)
    if cell is None or cell.on != "factory":
        known = ", ".join(one.name for one in factory_cells(config))
        key = "no_factory_cell" if cell is None else "item_cell"
        lines = [say(f"view_why_{key}", language, name=name)]
        return [*lines, say("view_why_factory_cells", language, known=known)] if known else lines
    book = snapshot.book(name)
    lines = [
        f"{name}  {say('view_factory_about', language)}",
        f"  {_looked(book, snapshot, language)}", f"  {_due(config, cell, snapshot)}",
    ]
    if cell.unusual:
        lines.append(f"  {say('view_factory_unusual', language)}")
    lines += [f"  {_run(row, language)}" for row in book.ledger.rows[-5:]]
    return [*lines, *(
        "  " + say("view_factory_over" if one.over else "view_factory_filed", language,
                   item=f"{one.repo}#{one.number}", cause=one.cause)
        for one in book.filed
    )]


def why_factory_value(config: Config, snapshot: Snapshot, name: str) -> dict[str, Any]:
    cell = config.cell(name)
    known = cell is not None and cell.on == "factory"
    value = _value(cell, snapshot) if cell is not None and known else {"cell": name}
    return {**value, "known": known, "lines": why_factory(config, snapshot, name)}


# ---------------------------------------------------------------- parts


def _looked(book: FactoryBook, snapshot: Snapshot, language: str) -> str:
    if book.looked_at is None:
        return say("view_factory_never", language)
    return say("view_factory_looked", language, ago=lasted(snapshot.now - book.looked_at, language))


def _due(config: Config, cell: Cell, snapshot: Snapshot) -> str:
    """When it is its turn, or what stands in the way now that it is."""
    language = config.factory.language
    if _running(cell, snapshot):
        return say("view_factory_running", language)
    at = due_at(cell, snapshot.book(cell.name))
    if at is not None and at > snapshot.now:
        return say("view_factory_due", language, time=lasted(at - snapshot.now, language))
    against = why_not(config, replace(snapshot, claiming=True), snapshot.brake)
    key = f"view_factory_{against.removeprefix('skip_')}" if against else "view_factory_now"
    spent = spent_today(config, snapshot.brake, snapshot.now)
    return say(key, language, usd=f"{spent:.2f}")


def _running(cell: Cell, snapshot: Snapshot) -> bool:
    return any(
        run.order.of_factory and run.order.cell == cell.name and run.status == "alive"
        for run in snapshot.runs
    )


def _filed(book: FactoryBook, language: str) -> str:
    there = [f"#{one.number} ({one.cause})" for one in open_causes(book)]
    return ", ".join(there) or say("view_factory_nothing", language)


def _run(row: LedgerRow, language: str) -> str:
    words = outcome_words(row.outcome, language) + (f" -> {row.next}" if row.next else "")
    return say("view_factory_run", language, run=row.run, what=words, usd=f"{row.usd:.2f}")


__all__ = ["factory_lines", "factory_value", "why_factory", "why_factory_value"]
