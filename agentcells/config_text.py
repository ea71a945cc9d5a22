"""The effective configuration, for `agentcells config`: what cells.toml says, and defaults.

The text can be read back by `config.load`, and means the same.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from agentcells.config_model import UNITS, Config

DURATIONS = ("poll", "tick_for", "timeout", "stall", "every")

ONLY_MERGE = ("dry", "paths", "checks", "max_files", "max_lines")


def effective(config: Config) -> str:
    """As TOML, with the file it comes from in the first line."""
    blocks = [f"# {config.path}"]
    for name, table in _tables(config).items():
        for entry in [table] if isinstance(table, dict) else table:
            head = f"[{name}]" if isinstance(table, dict) else f"[[{name}]]"
            blocks.append(
                "\n".join([head, *(f"{key} = {_toml(key, entry[key])}" for key in entry)])
            )
    return "\n\n".join(blocks) + "\n"


def effective_json(config: Config) -> str:
    """As JSON; durations in seconds."""
    values = {"path": str(config.path), **_tables(config)}
    return json.dumps(values, ensure_ascii=False, indent=2)


def _tables(config: Config) -> dict[str, Any]:
    tables = {name: getattr(config, name) for name in type(config).model_fields}
    values = {name: _plain(table) for name, table in tables.items() if isinstance(table, BaseModel)}
    return values | {"cell": [_plain(cell) for cell in (*config.cells, *config.off)]}


def _plain(table: BaseModel) -> dict[str, Any]:
    """Without what is not set, and without the texts of prompts."""
    values = table.model_dump(mode="json", exclude={"prompt_text"}, exclude_none=True)
    if values.get("merge") is False:
        values = {key: value for key, value in values.items() if key not in ONLY_MERGE}
    for name in ("token", "url_from"):
        if name in values:
            values[name] = {key: value for key, value in values[name].items() if value}
    return values


def _toml(key: str, value: object) -> str:
    if key in DURATIONS and isinstance(value, int):
        unit = next(unit for unit in reversed(UNITS) if value % UNITS[unit] == 0)
        return f'"{value // UNITS[unit]}{unit}"'
    if isinstance(value, list):
        return "[" + ", ".join(_toml("", entry) for entry in value) + "]"
    if isinstance(value, dict):
        return (
            "{ "
            + ", ".join(f"{name} = {_toml(name, entry)}" for name, entry in value.items())
            + " }"
        )
    # A JSON text is a TOML text, but for DEL, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
