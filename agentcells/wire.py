"""Frozen types to JSON and back, for run folders, caches and the embedded forge."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


def to_json(value: object) -> str:
    """One line of JSON. Takes dataclasses, tuples, datetimes and what JSON knows."""
    return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))


def from_json(kind: type[T], text: str | bytes) -> T:
    """The value that `to_json` wrote. Raises ValueError when the text is not one of `kind`."""
    return _adapter(kind).validate_json(text)


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"no JSON for {type(value).__name__}")


def _adapter(kind: type[T]) -> TypeAdapter[T]:
    # Imported here: pydantic costs most of 100 ms, and an idle tick has nothing to read back.
    from pydantic import TypeAdapter

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]


_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}  # building one is slow, using it is not
