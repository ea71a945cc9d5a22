"""Frozen types to JSON and back, for run folders, caches and the embedded forge."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
Reader: TypeAlias = Callable[[Any], Any]


def to_json(value: object) -> str:
    """One line of JSON. Takes dataclasses, tuples, datetimes and what JSON knows."""
    return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"))


def from_json(kind: type[T], text: str | bytes) -> T:
    """The value that `to_json` wrote. Raises ValueError when the text is not one of `kind`."""
    return _adapter(kind).validate_json(text)


def from_plain_json(kind: type[T], text: str | bytes) -> T:
    """The same without pydantic, for dataclasses of words, numbers, times, tuples and tables of such.

    A runner and an idle tick read a few small files of ours: pydantic for these costs 0.2 s and 20 MB.
    """
    value: T = _reader(kind)(json.loads(text))
    return value


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


# ---------------------------------------------------------------- without pydantic


def _reader(kind: Any) -> Reader:
    """What makes a value of `kind` out of what JSON has, or raises ValueError."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _of_fields(kind)
    if isinstance(kind, typing.NewType):
        return _reader(kind.__supertype__)
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        return _of_tuple(inner)
    if origin is dict:
        return _of_dict(_reader(inner[1]))
    if origin is typing.Literal:
        return lambda value: _demand(value, value in inner)
    if origin in (typing.Union, types.UnionType):
        return _of_any([_reader(one) for one in inner])
    return _SIMPLE[kind]


def _demand(value: Any, good: bool) -> Any:
    if not good:
        raise ValueError(f"not expected here: {value!r:.100}")
    return value


def _of_fields(kind: type[Any]) -> Reader:
    hints = typing.get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in dataclasses.fields(kind)}

    def read(value: Any) -> Any:
        _demand(value, isinstance(value, dict))
        found = {name: reader(value[name]) for name, reader in readers.items() if name in value}
        try:
            return kind(**found)
        except TypeError as error:  # a field without a default is not there
            raise ValueError(str(error)) from error

    return read


def _of_tuple(inner: tuple[Any, ...]) -> Reader:
    each = [_reader(one) for one in inner if one is not ...]
    endless = ... in inner

    def read(value: Any) -> Any:
        _demand(value, isinstance(value, list) and (endless or len(value) == len(each)))
        readers = each * len(value) if endless else each
        return tuple(reader(one) for reader, one in zip(readers, value, strict=True))

    return read


def _of_dict(reader: Reader) -> Reader:
    """The names of JSON are words; only what they stand for is looked at."""

    def read(value: Any) -> Any:
        _demand(value, isinstance(value, dict))
        return {name: reader(one) for name, one in value.items()}

    return read


def _of_any(readers: list[Reader]) -> Reader:
    def read(value: Any) -> Any:
        for reader in readers:
            try:
                return reader(value)
            except ValueError:
                continue
        return _demand(value, good=False)

    return read


_SIMPLE: dict[Any, Reader] = {
    str: lambda value: _demand(value, isinstance(value, str)),
    bool: lambda value: _demand(value, isinstance(value, bool)),
    int: lambda value: _demand(value, type(value) is int),
    float: lambda value: float(_demand(value, type(value) in (int, float))),
    datetime: lambda value: datetime.fromisoformat(_demand(value, isinstance(value, str))),
    type(None): lambda value: _demand(value, value is None),
}
