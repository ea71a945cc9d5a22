"""A slip on the command line, in the language of whoever typed it: typer knows English alone.

Its errors carry what is needed, but their classes are private to it, so they are known by their names;
a message of another kind is told in typer's own words.
"""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError
from typer.exceptions import TyperException

from agentcells.model import Problem

_NO_COMMAND = re.compile(r"No such command '(?P<name>.*?)'\.(?: Did you mean (?P<near>.+)\?)?\Z", re.DOTALL)
_TOO_MANY = re.compile(r"Got unexpected extra argument\(s\) \((?P<words>.*)\)\Z", re.DOTALL)
_VALUES = {
    "int_parsing": "usage_whole", "int_from_float": "usage_whole", "float_parsing": "usage_number",
    "greater_than_equal": "usage_least",
}


def slip(error: TyperException) -> Problem:
    """What was typed wrongly, and the help that says how it is right. Exit 2."""
    key, slots = _value(error) or _shape(error)
    context: Any = getattr(error, "ctx", None)
    help_at = f"{context.command_path if context is not None else 'agentcells'} --help"
    return Problem(key, exit_code=2, help=help_at, **slots)


def _value(error: Any) -> tuple[str, dict[str, object]] | None:
    """A number that is none, or too small: typer would hand on pydantic's words."""
    cause = error.__cause__
    first = cause.errors(include_url=False)[0] if isinstance(cause, ValidationError) else None
    if first is None or getattr(error, "param", None) is None or first["type"] not in _VALUES:
        return None
    limit = first.get("ctx", {}).get("ge", "")
    return _VALUES[first["type"]], {"name": _name(error.param), "value": first["input"], "limit": limit}


def _shape(error: Any) -> tuple[str, dict[str, object]]:
    words = error.format_message()
    match type(error).__name__:
        case "NoSuchOption" if error.possibilities:
            return "usage_no_option_near", {"name": error.option_name, "near": ", ".join(error.possibilities)}
        case "NoSuchOption":
            return "usage_no_option", {"name": error.option_name}
        case "BadOptionUsage":
            key = "usage_no_value" if "does not take a value" in words else "usage_value"
            return key, {"name": error.option_name}
        case "MissingParameter" if error.param is not None:
            return "usage_missing", {"name": _name(error.param)}
    if found := _NO_COMMAND.match(words):
        key = "usage_no_command_near" if found["near"] else "usage_no_command"
        return key, {"name": found["name"], "near": (found["near"] or "").replace("'", "")}
    if found := _TOO_MANY.match(words):
        return "usage_too_many", {"words": found["words"]}
    return "usage_other", {"words": words}


def _name(param: Any) -> str:
    """As it stands in the help: `-n, --lines`, or `NUMBER`."""
    return ", ".join(re.findall(r"'([^']+)'", param.get_error_hint().partition(" (env var")[0]))
