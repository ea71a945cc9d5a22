"""The words of the table of operations: an operation, its face on a surface, arguments (R49)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from agentcells.door import Envelope

Surface: TypeAlias = Literal["cell", "brain"]
Kind: TypeAlias = Literal["text", "texts", "number", "numbers", "choice", "flag"]
Arguments: TypeAlias = dict[str, Any]
Flaw: TypeAlias = Literal["unknown", "missing", "kind", "long"]

LONGEST_TEXT = 60_000  # characters; a forge refuses more than 65,536
LONGEST_LIST = 1_000
LARGEST = 2_147_483_647  # of issue numbers on the forges


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument. On a command line by its `options`; one without is what stands alone."""

    name: str
    kind: Kind
    required: bool = False
    options: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = LARGEST
    blank: bool = True  # False: when it is given at all, it must have words in it
    option: str = ""  # it is there only when this is turned on
    unless: str = ""  # when this is turned on it may be left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """How one surface has an operation. `does` None: the supervisor of the run does it itself."""

    name: str
    does: Callable[[Any, Arguments], Envelope] | None
    arguments: tuple[Argument, ...] = ()
    about: str = ""  # key of its own description; "": that of the operation
    starts: bool = False  # may be asked for before a session has begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One row. `about` is the key of its description; a surface without a face does not have it.

    `option` "": always there; else the person who starts the server asks for it.
    """

    id: str
    about: str
    faces: Mapping[Surface, Face]
    option: str = ""


def face_with(face: Face, options: Collection[str]) -> Face:
    """The face as it is with these turned on."""
    there = (a for a in face.arguments if not a.option or a.option in options)
    arguments = tuple(
        replace(a, required=False) if a.unless and a.unless in options else a for a in there)
    return replace(face, arguments=arguments)


def flaw_of(face: Face, arguments: Mapping[str, object]) -> tuple[Flaw, str] | None:
    """What is wrong with a call, and of which argument; None: nothing. A null counts as absent."""
    given = {name: value for name, value in arguments.items() if value is not None}
    known = {argument.name: argument for argument in face.arguments}
    for name in given:
        if name not in known:
            return "unknown", str(name)
    for argument in face.arguments:
        if argument.required and not _is_there(given.get(argument.name)):
            return "missing", argument.name
        if argument.name in given and (flaw := _flaw(argument, given[argument.name])):
            return flaw, argument.name
    return None


def _is_there(value: object) -> bool:
    if isinstance(value, str):
        return bool(value.strip())
    return bool(value) if isinstance(value, list | tuple) else value is not None


def _flaw(argument: Argument, value: object) -> Flaw | None:
    if not _fits(argument, value):
        return "kind"
    if isinstance(value, str):
        if len(value) > LONGEST_TEXT:
            return "long"
        if not argument.blank and not value.strip():
            return "missing"
    return None


def _fits(argument: Argument, value: object) -> bool:
    match argument.kind:
        case "text":
            return isinstance(value, str)
        case "texts":
            return all(map(_is_path, _listed(value)))
        case "number":
            return _is_number(value, argument)
        case "numbers":
            return all(_is_number(one, argument) for one in _listed(value))
        case "choice":
            return isinstance(value, str) and value in argument.choices
        case "flag":
            return isinstance(value, bool)


def _listed(value: object) -> list[object]:
    """The members of a list; of what is none, one member that nothing fits."""
    fits = isinstance(value, list | tuple) and len(value) <= LONGEST_LIST
    return list(value) if fits else [object()]  # type: ignore[call-overload]


def _is_number(value: object, argument: Argument) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)
            and argument.least <= value <= argument.most)


def _is_path(value: object) -> bool:
    """Text that can be the name of a file: not every string of JSON can."""
    if not isinstance(value, str) or not value:
        return False
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return "\0" not in value
