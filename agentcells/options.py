"""What the commands share: where cells.toml is, whether JSON is wanted, how both are opened."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from agentcells.config import Config, load
from agentcells.model import Problem
from agentcells.store import State

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


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def language_of_the_shell() -> str:
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
