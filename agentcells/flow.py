"""`agentcells graph`: cells.toml as Mermaid; what nothing leads to and what never ends is marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from agentcells.model import DONE, IN_REVIEW, MERGE, NEEDS_HUMAN
from agentcells.sentences import say
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.config import Cell, Config


def graph(config: Config) -> str:
    """A cell that nothing leads to, or from which no way leads out, is drawn in red and named."""
    language = config.factory.language
    lines = ["flowchart LR"]
    lines += [f'  {_node(cell.name)}["{_box(cell, language)}"]' for cell in _all(config)]
    for state in (NEEDS_HUMAN, IN_REVIEW):
        words = say(f"view_graph_{state.replace('-', '_')}", language)
        lines.append(f'  {_node(state)}(["{_drawn(config.label(state))}<br/>{words}"])')
    lines += _edges(config, language)
    lines += _marked(config, "unreachable", unreachable(config), "#c00")
    lines += _marked(config, "endless", without_end(config), "#c00")
    lines += _marked(config, "off", [cell.name for cell in config.off], "#888")
    return "\n".join(lines)


def graph_value(config: Config) -> dict[str, Any]:
    """The same for a program."""
    return {
        "cells": [
            {"name": cell.name, "on": cell.on, "label": cell.label, "next": list(cell.next),
             "enabled": cell.enabled, "max_rounds": cell.max_rounds}
            for cell in _all(config)
        ],
        "reply": _reply_target(config), "checks": config.checks_cell(),
        "unreachable": unreachable(config), "without_end": without_end(config),
        "circles": circles(config),
    }


def unreachable(config: Config) -> list[str]:
    """Cells that no chain of `next` leads to from a cell on issues or from your replies."""
    on = {cell.name: list(cell.next) for cell in config.cells}
    starts = [cell.name for cell in config.cells if cell.on == "issue"] or list(on)
    starts += [name for name in (config.reply_cell(), config.checks_cell()) if name]
    starts += [cell.name for cell in config.cells if cell.on == "factory"]
    return sorted(set(on) - _reach(starts, on))


def without_end(config: Config) -> list[str]:
    """Cells from which no way leads to your inspection, a merge or a question to you (`next`)."""
    back: dict[str, list[str]] = {cell.name: [] for cell in config.cells}
    for cell in config.cells:
        for name in cell.next:
            if name in back:
                back[name].append(cell.name)
    ends = [
        cell.name for cell in config.cells
        if cell.on == "factory" or {DONE, MERGE, NEEDS_HUMAN} & set(cell.next)
    ]
    return sorted(set(back) - _reach(ends, back))


def circles(config: Config) -> list[list[str]]:
    """Each circle once, from its cell that stands first in cells.toml; rounds end them all."""
    on = {cell.name: [name for name in cell.next if config.cell(name)] for cell in config.cells}
    order = list(on)
    found: list[list[str]] = []

    def walk(name: str, path: list[str]) -> None:
        for to in on[name]:
            if to == path[0]:
                found.append([*path, to])
            elif to not in path and order.index(to) > order.index(path[0]):
                walk(to, [*path, to])

    for name in order:
        walk(name, [name])
    return found


def _reach(starts: Iterable[str], ways: dict[str, list[str]]) -> set[str]:
    left, reached = list(starts), set[str]()
    while left:
        name = left.pop()
        if name in ways and name not in reached:
            reached.add(name)
            left += ways[name]
    return reached


def _all(config: Config) -> tuple[Cell, ...]:
    return (*config.cells, *config.off)


def _marked(config: Config, kind: str, names: list[str], colour: str) -> Iterator[str]:
    if not names:
        return
    yield f"  classDef {kind} stroke:{colour},color:{colour},stroke-dasharray:4"
    for name in names:
        yield f"  class {_node(name)} {kind}"
        yield f"  %% {say(f'view_graph_{kind}', config.factory.language, name=name)}"


def _edges(config: Config, language: str) -> Iterator[str]:
    replies, merged = say("view_graph_reply", language), say("view_graph_merge", language)
    for cell in config.cells:
        for name in cell.next:
            if name == MERGE:
                yield f'  {_node(cell.name)} --> {_node(MERGE)}(["{merged}"])'
            elif name != NEEDS_HUMAN:
                yield f"  {_node(cell.name)} --> {_node(IN_REVIEW if name == DONE else name)}"
        if cell.on != "factory":
            yield f"  {_node(cell.name)} <-.-> {_node(NEEDS_HUMAN)}"
    target = _reply_target(config)
    if target:
        yield f"  {_node(IN_REVIEW)} -. {replies} .-> {_node(target)}"
    checks, failed = config.checks_cell(), say("view_graph_checks", language)
    if checks and checks != target:
        yield f"  {_node(IN_REVIEW)} -. {failed} .-> {_node(checks)}"


def _reply_target(config: Config) -> str | None:
    """Where the owner's words on `in-review` go: as configured, else to what opens the pull."""
    opening = (cell.name for cell in config.cells if cell.on == "issue" and cell.needs_record)
    return config.reply_cell() or next(opening, None)


def _node(name: str) -> str:
    return "n_" + name.replace("-", "_")


def _box(cell: Cell, language: str) -> str:
    label = f"<br/>{_drawn(cell.label)}" if cell.label else ""
    return f"<b>{_drawn(cell.name)}</b>{label}<br/>{say(f'view_graph_on_{cell.on}', language)}"


def _drawn(words: str) -> str:
    """A text inside the quotes of a Mermaid label: its own escapes."""
    return re.sub(r'["<>#&;]', lambda found: f"#{ord(found[0])};", printable(words))


__all__ = ["circles", "graph", "graph_value", "unreachable", "without_end"]
