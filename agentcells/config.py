"""cells.toml, read into frozen types; every mistake in it named at once, with place and remedy.

The keys stand in `config_model`, the rules between them in `config_rules`. No network is asked.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import tomli
from pydantic import ValidationError

from agentcells import config_rules as rules
from agentcells.config_model import Cell, Config, Token, known_keys
from agentcells.config_rules import Mistake, mistake
from agentcells.config_text import effective, effective_json
from agentcells.model import Problem
from agentcells.sentences import say

LARGEST = 1_000_000
SHOWN = 40  # mistakes told at once
KINDS = {str: "text", bool: "truth", int: "whole", float: "number", tuple: "list", dict: "table"}
NUMBERS = {
    "greater_than": "number_above",
    "greater_than_equal": "number_least",
    "less_than_equal": "number_most",
    "finite_number": "number_finite",
}
# Stand in for what is missing, while the rest is judged.
PLACEHOLDERS: dict[str, object] = {"on": "issue"}  # of a cell

Raw = dict[str, Any]
KeyPath = tuple[str | int, ...]

__all__ = ["Cell", "Config", "effective", "effective_json", "load", "resource"]


def resource(name: str) -> Traversable:
    """A file that comes with agentcells, e.g. "cells.toml", "prompts/triage.md".

    In an installed wheel it lies in the package's data, in a checkout at the top level.
    """
    package = resources.files("agentcells")
    carried = package / "data" / name
    if carried.is_file() or carried.is_dir():
        return carried
    return Path(str(package)).parent / name


def load(path: Path, *, only: Collection[str] = ()) -> Config:
    """The configuration at `path`. Raises Problem (exit code 2) with a line for each mistake.

    `only`: the tables that matter here; a mistake in another one is then no reason to refuse.
    """
    given, path = path, path.expanduser().absolute()
    text = _text(path)
    raw = _parsed(path, text)
    language = raw["factory"].get("language") if isinstance(raw.get("factory"), dict) else ""
    config, mistakes = _judge(raw, path)
    if config is None or any(not only or {*found.path[:1]} <= {*only} for found in mistakes):
        raise _problem(given, text, raw, mistakes, "ja" if language == "ja" else "en")
    return config


# ---------------------------------------------------------------- the file


def _text(path: Path) -> str:
    try:
        data = _bytes(path)
    except (FileNotFoundError, NotADirectoryError):
        raise Problem("config_missing", exit_code=2, file=path) from None
    except (OSError, ValueError) as error:
        raise Problem("config_unreadable", exit_code=2, file=path, why=_why(error)) from error
    if len(data) > LARGEST:
        raise Problem("config_large", exit_code=2, file=path, limit=LARGEST)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Problem("config_not_utf8", exit_code=2, file=path, line=line) from error


def _bytes(path: Path) -> bytes:
    """Of a file. Raises OSError for what is none, too: a pipe would keep us waiting for its writer."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read()


def _parsed(path: Path, text: str) -> Raw:
    try:
        raw = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        slots = {"file": path, "line": error.lineno, "column": error.colno, "why": error.msg}
        raise Problem("config_syntax", exit_code=2, **slots) from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, lists 400 deep
        raise Problem("config_unreadable", exit_code=2, file=path, why=_why(error)) from error
    return {key: _tuples(value) for key, value in raw.items()}


def _tuples(value: Any) -> Any:
    """Lists as tuples: the types are frozen, and checked strictly."""
    if isinstance(value, list):
        return tuple(_tuples(entry) for entry in value)
    if isinstance(value, dict):
        return {key: _tuples(entry) for key, entry in value.items()}
    return value


def _why(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else None
    return (text or str(error) or type(error).__name__)[:200]


# ---------------------------------------------------------------- judging


def _judge(raw: Raw, path: Path) -> tuple[Config | None, list[Mistake]]:
    """All mistakes that can be seen together: what is wrong in itself is taken out for the rest."""
    removed = _inner_names(raw)
    mistakes = [_unknown_key(inner) for inner in removed]
    raw = _without(raw, removed)
    for _ in range(3):  # taking out a value can uncover a missing one
        try:
            config = Config.model_validate(raw)
            break
        except ValidationError as error:
            for entry in error.errors(include_url=False, include_input=False, include_context=True):
                found = _schema_mistake(raw, entry)
                if not any(found.path == earlier.path for earlier in mistakes):
                    mistakes.append(found)
                removed.append(found.path)
            raw = _without(raw, removed)
    else:
        return None, mistakes
    config = _derived(config, path)
    config, unread = _with_prompts(config)
    later = [*_places(config), *unread, *rules.plain(config)]
    mistakes += [found for found in later if not _touches(found.path, removed)]
    if not mistakes:
        mistakes += rules.flow(config)
    return _only_enabled(config), mistakes


def _inner_names(raw: Raw) -> list[KeyPath]:
    """Fields of the types that load sets itself: in the file they are unknown keys."""
    found: list[KeyPath] = [(name,) for name in ("off", "path") if name in raw]
    cells = raw.get("cell")
    for index, cell in enumerate(cells if isinstance(cells, tuple) else ()):
        if isinstance(cell, dict) and "prompt_text" in cell:
            found.append(("cell", index, "prompt_text"))
    return found


def _touches(path: KeyPath, removed: list[KeyPath]) -> bool:
    return any(path[: len(gone)] == gone or gone[: len(path)] == path for gone in removed)


def _schema_mistake(raw: Raw, entry: Mapping[str, Any]) -> Mistake:
    path = _real(raw, entry["loc"], entry["type"])
    kind, context = entry["type"], entry.get("ctx", {})
    if kind == "agentcells":
        slots = context["slots"]
        if "words" in slots and {"token", "url_from"} & set(path):
            slots = {"words": '["…", "…"]'}  # somebody may have written `echo <the token>`
        return Mistake(path=path, key=context["key"], slots=slots)
    if kind == "extra_forbidden":
        return _unknown_key(path)
    if kind == "missing":
        return mistake(path, "missing_key", name=path[-1])
    value = _value(raw, path)
    if kind == "literal_error" or path[-1] == "needs_test":
        return _choice(path, value, entry)
    if kind in NUMBERS:
        return mistake(path, NUMBERS[kind], limit=next(iter(context.values()), ""))
    if kind == "too_short":
        return mistake(path, "empty_list")
    wanted = {"string": "text", "bool": "truth", "int": "whole", "float": "number", "tuple": "list"}
    word = wanted.get(kind.split("_")[0], "table")
    if path == ("cell",) and isinstance(value, dict):
        return mistake(path, "cell_table")
    return mistake(path, f"wants_{word}", found=_kind(value))


def _kind(value: object) -> str:
    """The key of the sentence that names what was found; the value itself may be a secret."""
    return f"config_kind_{KINDS.get(type(value), 'other')}"


def _choice(path: KeyPath, value: object, entry: Mapping[str, Any]) -> Mistake:
    if path[-1] == "needs_test":
        return mistake(path, "choice", known='true, false, "merged"', near="true")
    known = [
        word.strip("' ") for word in str(entry["ctx"]["expected"]).replace(" or ", ", ").split(",")
    ]
    near = rules.nearest(str(value), [word for word in known if word])
    shown = ", ".join(f'"{word}"' for word in known)
    return mistake(path, "choice", known=shown, near=f'"{near or known[0] or known[1]}"')


def _unknown_key(path: KeyPath) -> Mistake:
    known = known_keys(path[:-1])
    near = rules.nearest(str(path[-1]), known)
    if near:
        return mistake(path, "unknown_key_near", name=path[-1], near=near)
    return mistake(path, "unknown_key", name=path[-1], known=", ".join(known))


def _real(raw: Raw, location: tuple[str | int, ...], kind: str) -> KeyPath:
    """pydantic adds the names of a union's members to a place; keep what the file has."""
    value: Any = raw
    for depth, part in enumerate(location):
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            return location[: depth + 1] if kind == "missing" else location[:depth]
    return location


def _value(raw: Any, path: KeyPath) -> Any:
    for part in path:
        raw = raw[part]
    return raw


def _without(raw: Raw, paths: list[KeyPath]) -> Raw:
    """A copy without the entries at `paths`; an entry of a list takes its list along."""
    gone = {_holder(path) for path in paths}

    def copy(value: Any, at: KeyPath) -> Any:
        if isinstance(value, dict):
            kept = {
                key: copy(entry, (*at, key))
                for key, entry in value.items()
                if (*at, key) not in gone
            }
            names = {path[-1] for path in gone if path[:-1] == at}
            held = PLACEHOLDERS if at[:1] == ("cell",) else {}
            return kept | {name: value for name, value in held.items() if name in names}
        if isinstance(value, tuple):
            return tuple(copy(entry, (*at, index)) for index, entry in enumerate(value))
        return value

    copied: Raw = copy(raw, ())
    return copied


def _holder(path: KeyPath) -> KeyPath:
    while path and isinstance(path[-1], int):
        path = path[:-1]
    return path


# ---------------------------------------------------------------- what follows from the rest


def _derived(config: Config, path: Path) -> Config:
    """Fills in the defaults that depend on other keys, and makes paths absolute."""
    forge = config.forge
    token = forge.token
    api_url, git_url = forge.api_url, forge.git_url
    if forge.kind == "github":
        api_url = api_url or "https://api.github.com/graphql"
        git_url = git_url or "https://github.com"
        token = token or Token(command=("gh", "auth", "token"))
    elif forge.kind == "gitea":
        git_url = git_url or api_url.partition("/api/")[0]
    home, folder = Path.home(), path.parent
    forge = forge.model_copy(update={
        "api_url": api_url, "git_url": git_url, "path": str(folder / forge.path),
        "token": _placed(token, folder),
        "ca_file": str(folder / forge.ca_file) if forge.ca_file else "",
    })  # fmt: skip
    reads = tuple(
        str(home / place[2:]) if place.startswith("~/") else place for place in config.sandbox.read
    )
    return config.model_copy(update={
        "path": path,
        "forge": forge,
        "notify": config.notify.model_copy(update={
            "token": _placed(config.notify.token, folder),
            "url_from": _placed(config.notify.url_from, folder),
        }),
        "sandbox": config.sandbox.model_copy(update={"read": reads}),
        "cells": tuple(_derived_cell(config, cell) for cell in config.cells),
    })  # fmt: skip


def _placed(token: Token | None, folder: Path) -> Token | None:
    """Its file, as every path of cells.toml, counts from there and not from wherever one stands."""
    if token is None or not token.file:
        return token
    with suppress(RuntimeError):  # no home is known for that `~`
        return token.model_copy(update={"file": str(folder / Path(token.file).expanduser())})
    return token


def _derived_cell(config: Config, cell: Cell) -> Cell:
    on_pulls = {other.name for other in config.cells if other.on == "pull_request"}
    hands_over = cell.on == "issue" and not on_pulls.isdisjoint(cell.next)
    needs_record = cell.needs_record if "needs_record" in cell.model_fields_set else hands_over
    defaults: dict[str, object] = {
        "label": "" if cell.on == "factory" else config.factory.label_prefix + cell.name,
        "prompt": f"prompts/{cell.name}.md",
        "writes": hands_over,
        "needs_record": needs_record,
        "needs_test": needs_record and bool(config.commands.test),
    }
    return cell.model_copy(
        update={k: v for k, v in defaults.items() if k not in cell.model_fields_set}
    )


def _with_prompts(config: Config) -> tuple[Config, list[Mistake]]:
    cells: list[Cell] = []
    mistakes: list[Mistake] = []
    for index, cell in enumerate(config.cells):
        text, key, slots = _prompt(config.path.parent / cell.prompt)
        if key and cell.name:
            mistakes.append(mistake(("cell", index, "prompt"), key, file=cell.prompt, **slots))
        cells.append(cell.model_copy(update={"prompt_text": text}))
    return config.model_copy(update={"cells": tuple(cells)}), mistakes


def _prompt(file: Path) -> tuple[str, str, dict[str, object]]:
    """(text, key of what is wrong, its slots)"""
    try:
        text = _bytes(file).decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        there = (
            {other.name: other for other in file.parent.glob("*")} if file.parent.is_dir() else {}
        )
        near = rules.nearest(file.name, there)
        return "", "prompt_missing_near" if near else "prompt_missing", {"near": near, "full": file}
    except UnicodeDecodeError:
        return "", "prompt_not_utf8", {}
    except (OSError, ValueError) as error:
        return "", "prompt_unreadable", {"why": _why(error)}
    return text, "" if text.strip() else "prompt_empty", {}


def _places(config: Config) -> Iterator[Mistake]:
    ca_file = config.forge.ca_file
    if ca_file and not Path(ca_file).is_file():
        yield mistake(("forge", "ca_file"), "no_ca_file", file=ca_file)


def _only_enabled(config: Config) -> Config:
    """Cells that are off stand apart, and nothing leads to them."""
    off = tuple(cell for cell in config.cells if not cell.enabled)
    gone = {cell.name for cell in off}
    cells = tuple(
        cell.model_copy(update={"next": tuple(name for name in cell.next if name not in gone)})
        for cell in config.cells
        if cell.enabled
    )
    return config.model_copy(update={"cells": cells, "off": off})


# ---------------------------------------------------------------- telling


def _problem(file: Path, text: str, raw: Raw, mistakes: list[Mistake], language: str) -> Problem:
    from agentcells.toml_lines import lines

    where = lines(text)
    told = sorted(
        ((_line(where, found.path), found) for found in mistakes), key=lambda pair: pair[0]
    )
    shown = [_told(file, raw, line, found, language) for line, found in told[:SHOWN]]
    if len(told) > SHOWN:
        shown.append(say("config_more", language, count=len(told) - SHOWN))
    return Problem("config_mistakes", exit_code=2, lines="\n".join(shown))


def _line(where: dict[KeyPath, int], path: KeyPath) -> int:
    """Of the key itself, else of the nearest table around it; 0: the file has none of it."""
    while path and path not in where:
        path = path[:-1]
    return where.get(path, 0)


def _told(file: Path, raw: Raw, line: int, found: Mistake, language: str) -> str:
    place = f"{file}:{line}" if line else f"{file}"
    slots = dict(found.slots)
    if str(slots.get("found", "")).startswith("config_kind_"):
        slots["found"] = say(str(slots["found"]), language)
    text = say(found.key, language, **{key: _printable(value) for key, value in slots.items()})
    return f"{place}: {_dotted(raw, found.path)}: {text}"


def _dotted(raw: Raw, path: KeyPath) -> str:
    """cell[2].next[0] (review)"""
    parts = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(
        "."
    )
    name: object = ""
    if len(path) > 1 and path[0] == "cell":
        cell = _value(raw, path[:2])
        name = cell.get("name") if isinstance(cell, dict) else ""
    return _printable(f"{parts} ({name})" if isinstance(name, str) and name else parts)


def _printable(value: object) -> str:
    text = "".join(
        char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in str(value)
    )
    return text if len(text) <= 300 else text[:300] + "…"
