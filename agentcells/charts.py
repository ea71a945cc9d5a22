"""Charts as plain HTML: bars that grow with the page, each with its number beside it.

No script and no image: they open offline, print, and are read aloud as the tables that they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A piece of a bar. `kind` is its colour's name."""

    kind: str
    value: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a chart: a name, a bar of parts, and cells with numbers behind it."""

    name: str
    parts: tuple[Part, ...]
    cells: tuple[str, ...] = ()


def bars(caption: str, heads: Sequence[str], lines: Sequence[Line]) -> str:
    """A table whose second column is drawn. `heads`: of the name, the bar, each further cell."""
    widest = max((sum(part.value for part in line.parts) for line in lines), default=0)
    head = "".join(
        f'<th scope="col">{escape(name)}</th>' if name else '<td aria-hidden="true"></td>'
        for name in heads
    )
    body = "".join(_row(line, heads[2:], widest) for line in lines)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(line: Line, heads: Sequence[str], widest: float) -> str:
    marks = "".join(
        f'<span class="mark {escape(part.kind)}" style="width:{100 * part.value / widest:.2f}%" '
        f'title="{escape(part.words)}"></span>'
        for part in line.parts if part.value
    )
    cells = "".join(  # the heads are shown beside the numbers where the columns have no room
        f'<td data-head="{escape(head)}">{escape(cell)}</td>'
        for head, cell in zip(heads, line.cells, strict=True)
    )
    return (
        f'<tr><th scope="row">{escape(line.name)}</th>'
        f'<td class="bar" aria-hidden="true">{marks}</td>{cells}</tr>'
    )


def columns(caption: str, kinds: Sequence[tuple[str, str]], weeks: Sequence[Line]) -> str:
    """Columns over time, as a picture; the numbers are in the table under it."""
    highest = max((part.value for week in weeks for part in week.parts), default=0) or 1
    groups = "".join(
        '<div class="week">' + "".join(
            f'<span class="mark {escape(part.kind)}" style="height:{100 * part.value / highest:.2f}%"'
            f' title="{escape(f"{week.name} {part.words}")}"></span>'
            for part in week.parts
        ) + "</div>"
        for week in weeks
    )
    ends = f"<span>{escape(weeks[0].name)}</span><span>{escape(weeks[-1].name)}</span>" if weeks else ""
    return (
        f'<figure><div class="columns" role="img" aria-label="{escape(caption)}">{groups}</div>'
        f'<div class="ends" aria-hidden="true">{ends}</div>{legend(kinds)}</figure>'
    )


def legend(kinds: Sequence[tuple[str, str]]) -> str:
    """Which colour is what, in words too."""
    found = "".join(
        f'<li><span class="mark {escape(kind)}" aria-hidden="true"></span>{escape(words)}</li>'
        for kind, words in kinds
    )
    return f'<ul class="legend">{found}</ul>'


__all__ = ["Line", "Part", "bars", "columns", "legend"]
