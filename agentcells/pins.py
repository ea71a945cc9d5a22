"""agentcells.lock.toml: the ids behind the names of cells.toml, so that nobody slips in under a name (R23).

A login can be given away, a label deleted and made again, a repository replaced: the name stays,
the id does not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import tomli

from agentcells.model import Problem

FILE = "agentcells.lock.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pins:
    """Ids by name. `labels`: repository -> label name -> id."""

    owner: str
    bot: str = ""
    repositories: dict[str, str] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)


def load(cells: Path) -> Pins | None:
    """The pins beside this cells.toml, None when there are none yet. Raises Problem (exit 2)."""
    path = cells.with_name(FILE)
    if not path.exists():
        return None
    try:
        value = tomli.loads(path.read_text(encoding="utf-8"))
        accounts = value["accounts"]
        return Pins(
            owner=str(accounts["owner"]),
            bot=str(accounts.get("bot", "")),
            repositories={str(k): str(v) for k, v in value.get("repositories", {}).items()},
            labels={
                str(repo): {str(k): str(v) for k, v in labels.items()}
                for repo, labels in value.get("labels", {}).items()
            },
        )
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError, KeyError, AttributeError) as error:
        raise Problem("pins_unreadable", exit_code=2, path=str(path), detail=str(error)) from error


def render(pins: Pins) -> str:
    """The text of the file: sorted, so that a difference is a difference."""
    lines = [
        "# Written by `agentcells init`; keep it under version control beside cells.toml.",
        "# The ids behind the names. `agentcells init --relock` renews them after you have looked.",
        "",
        "[accounts]",
        f"owner = {json.dumps(pins.owner)}",
        f"bot = {json.dumps(pins.bot)}",
        "",
        "[repositories]",
        *(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in sorted(pins.repositories.items())),
    ]
    for repo in sorted(pins.labels):
        lines += ["", f"[labels.{json.dumps(repo)}]"]
        lines += [f"{json.dumps(k)} = {json.dumps(v)}" for k, v in sorted(pins.labels[repo].items())]
    return "\n".join(lines) + "\n"


def differences(old: Pins, new: Pins) -> tuple[str, ...]:
    """Names whose id is another now, or that are gone: what the owner must look at."""
    found = [name for name in ("owner", "bot") if getattr(old, name) != getattr(new, name)]
    found += [repo for repo, pin in old.repositories.items() if new.repositories.get(repo) != pin]
    for repo, labels in old.labels.items():
        there = new.labels.get(repo, {})
        found += [f"{repo}: {name}" for name, pin in labels.items() if there.get(name) != pin]
    return tuple(found)
