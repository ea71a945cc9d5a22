"""What a history of work can do: the factory's sealed one and a person's own working copy satisfy it.

`sealed` writes plain files out of a bare repository and reads them back raw (R41); `checkout` drives a
person's own git with his hooks and ignore rules (R49). A record is one saved state of the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from agentcells.model import Problem

ChangeKind = Literal["added", "changed", "removed", "mode"]


class HistoryError(Problem):
    """The history could not do what was asked; the key says why, nothing was changed."""


class Refused(HistoryError):
    """The files hold something that is never taken in (R43); the slot `path` names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One path that differs from the newest record. Counts are None for binary files."""

    path: str
    kind: ChangeKind
    added: int | None = 0
    removed: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record. `id` is "rec-" and ten hex digits: never a bare object name."""

    id: str
    message: str
    files: tuple[str, ...]
    issues: tuple[int, ...] = ()
    at: str = ""


Obstacle = Literal["", "conflicts", "unfinished", "no_line", "shared_ahead"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a person's work stands: facts as read, without judgement (`observation` judges)."""

    changes: tuple[Change, ...] = ()
    unpublished: int | None = None  # None: there is no shared place
    obstacle: Obstacle = ""
    conflicts: tuple[str, ...] = ()  # files that hold two versions


class History(Protocol):
    def changes(self) -> tuple[Change, ...]:
        """What is not recorded yet, sorted by path. Changes nothing."""

    def record(self, message: str, issues: Sequence[int] = ()) -> Record:
        """Save all that is unrecorded. Raises HistoryError (nothing there, a refusal) and changes nothing."""

    def diff(self, paths: Sequence[str] = ()) -> str:
        """The unrecorded differences with headers of our own ("== path (changed)")."""

    def records(self, limit: int = 20) -> tuple[Record, ...]:
        """Newest first."""

    def unpublished(self) -> int | None:
        """Records not shared yet; None when there is no shared place."""


class SharedHistory(History, Protocol):
    """A history that others share: a person's own working copy."""

    def standing(self) -> Standing:
        """Everything that `observation` needs, in one reading. Changes nothing, asks nobody."""

    def diff_of(self, record: str, paths: Sequence[str] = ()) -> str:
        """What one record changed. Raises HistoryError (`work_no_record`)."""

    def find(self, record: str) -> Record:
        """The record with this id. Raises HistoryError (`work_no_record`)."""

    def publish(self) -> int:
        """Share the records of the present line that are not shared yet; how many.

        Never forces, never rewrites.
        """

    def update(self) -> int:
        """Take in what others shared; how many records.

        Only without conflict, else everything is as before.
        """


@runtime_checkable
class HistoryOfLines(Protocol):
    """A history with several lines of work beside each other."""

    def new_line(self, name: str) -> None:
        """Begin a line here; unrecorded work comes along."""

    def switch_line(self, name: str) -> None:
        """Go to another line. Only with everything recorded."""

    def merge_line(self, name: str) -> int:
        """Bring the records of another line into this one; how many. Only without conflict."""
