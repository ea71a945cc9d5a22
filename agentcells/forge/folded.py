"""Rows of a listing that are of no interest, folded: a first listing shows every open item there is.

A hundred thousand of them as rows would be 40 MB, for an issue or two that others say they wait for.
Folded they take a quarter, and each can still be had whole.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from agentcells.model import Label, Row


@dataclass(frozen=True, slots=True)
class Folded:
    """Rows of one repository. What they say is read back by this very process alone, and never from a
    file: that is what marshal is good for."""

    repo: str
    numbers: array[int]
    _rows: bytes

    @classmethod
    def of(cls, repo: str, rows: Sequence[Row]) -> Folded:
        numbers = array("q", [row.number for row in rows])
        return cls(repo, numbers, marshal.dumps([_values(row) for row in rows]))

    def get(self, number: int) -> Row | None:
        if number not in self.numbers:
            return None
        return _row(self.repo, marshal.loads(self._rows)[self.numbers.index(number)])


def _values(row: Row) -> tuple[Any, ...]:
    labels = [(label.id, label.name) for label in row.labels]
    return (
        row.kind, row.number, row.id, row.title, row.state, labels, row.updated_at.timestamp(),
        row.author_id, row.head_ref, row.closes,
    )


def _row(repo: str, values: tuple[Any, ...]) -> Row:
    kind, number, row_id, title, state, labels, at, author_id, head_ref, closes = values
    return Row(
        repo=repo, kind=kind, number=number, id=row_id, title=title, state=state,
        labels=tuple(Label(id=label_id, name=name) for label_id, name in labels),
        updated_at=datetime.fromtimestamp(at, UTC), author_id=author_id, head_ref=head_ref,
        closes=tuple(closes),
    )
