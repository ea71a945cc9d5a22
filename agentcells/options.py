"""What the commands share: where cells.toml is, whether JSON is wanted, how both are opened."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from agentcells.config import Config, load
from agentcells.config_model import Factory
from agentcells.model import Problem
from agentcells.sentences import language_in, say
from agentcells.store import State
from agentcells.text import printable_json

CELLS = Path("cells.toml")
ConfigOption = Annotated[
    Path,
    typer.Option("--config", "-c", envvar="AGENTCELLS_CONFIG", help="The factory's cells.toml."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Number = Annotated[int, typer.Argument(min=1, help="Number of the issue or pull request.")]
RepoOption = Annotated[
    str, typer.Option("--repo", metavar="OWNER/NAME", help="When there are several.")
]


def opened(path: Path) -> tuple[Config, State]:
    """The configuration and its state folder, made when it is not there."""
    config = load(path)
    return config, State.open(config.path)


def load_for(path: Path, *tables: str) -> Config:
    """For a command that needs these tables alone: mistakes elsewhere are told of and passed over."""
    try:
        return load(path)
    except Problem:
        config = load(path, only=tables)
    typer.echo(say("config_passed_over", config.factory.language, file=path), err=True)
    return config


def plain_config(path: Path) -> Config:
    """For a command that stops something: cells.toml may be as wrong as it likes, if it is there."""
    try:
        return load(path)
    except Problem:
        if not path.exists():
            raise
    return Config(path=path.expanduser().absolute(), factory=Factory(language=language_at(path)))


def language_at(path: Path) -> Literal["en", "ja"]:
    """What a cells.toml says, even one that cannot be read as a whole; else the shell's."""
    with suppress(OSError, ValueError):
        return language_in(path.read_text("utf-8"))
    return language_of_the_shell()


def print_json(value: Any) -> None:
    typer.echo(printable_json(json.dumps(value, ensure_ascii=False, indent=2)))


def language_of_the_shell() -> Literal["en", "ja"]:
    """For words that come before any cells.toml was read."""
    words = os.environ.get("LC_ALL") or os.environ.get("LANG", "")
    return "ja" if words.startswith("ja") else "en"


def known_language(name: str) -> Literal["en", "ja"]:
    """What `--language` names; anything else is told before a file is written."""
    if name == "ja":
        return "ja"
    if name != "en":
        raise Problem("language_unknown", exit_code=2, name=name)
    return "en"
