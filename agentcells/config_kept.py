"""The configuration as it was read last, kept under the hashes of its files (R20).

Reading it anew takes pydantic, whose import and models cost more than all else that an idle tick does.
A cache: lost, broken or doubted, cells.toml is read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from agentcells import __version__
from agentcells.config_questions import Questions

if TYPE_CHECKING:
    from agentcells.config_model import Config

NAME = "config.json"
READERS = ("config.py", "config_model.py", "config_rules.py", "config_text.py")
TROUBLE = (OSError, ValueError, KeyError, TypeError, AttributeError)


class Kept:
    """One table, as it was; like those of `config_model` it cannot be changed."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.__dict__.update({name: _thawed(value) for name, value in values.items()})

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise TypeError(f"{name} cannot be changed")

    def __repr__(self) -> str:
        return f"Kept({self.__dict__!r})"


class KeptConfig(Questions, Kept):
    """In the place of `config_model.Config`, without its checks: they have been made."""


def known(path: Path, folder: Path) -> Config | None:
    """What `config.load` would give, if nothing has changed since it did. `folder`: of the cache."""
    path = path.expanduser().absolute()
    with suppress(*TROUBLE):
        kept = json.loads((folder / NAME).read_bytes())
        if kept["path"] == str(path) and kept["hash"] == _hash(kept["values"], kept["files"]):
            return cast("Config", KeptConfig({**json.loads(kept["values"]), "path": path}))
    return None


def keep(config: Config, folder: Path) -> None:
    """After it was read whole."""
    near, ca_file = config.path.parent, config.forge.ca_file
    files = [config.path, *(near / cell.prompt for cell in (*config.cells, *config.off))]
    named = [*map(str, files), *([ca_file] if ca_file else ())]
    values = config.model_dump_json(exclude={"path"})
    beside = folder / f".{NAME}.{os.getpid()}"
    with suppress(OSError):
        told = {"path": str(config.path), "files": named, "values": values,
                "hash": _hash(values, named)}
        beside.touch(mode=0o600)
        beside.write_text(json.dumps(told, ensure_ascii=False), encoding="utf-8")
        beside.replace(folder / NAME)


def _hash(values: str, files: Iterable[str]) -> str:
    """Of them, and of all that they come from: the files, where "~" is, the program that read them.

    A checkout of this program that is pulled anew keeps its version: what reads is looked at itself.
    """
    readers = [(Path(__file__).parent / name).stat() for name in READERS]
    program = [__version__, *(f"{facts.st_mtime_ns} {facts.st_size}" for facts in readers)]
    found = hashlib.sha256("\0".join([*program, str(Path.home()), values]).encode())
    for file in files:
        found.update(hashlib.sha256(Path(file).read_bytes()).digest())
    return found.hexdigest()


def _thawed(value: Any) -> Any:
    if isinstance(value, dict):
        return Kept(value)
    if isinstance(value, list):
        return tuple(map(_thawed, value))
    return value
