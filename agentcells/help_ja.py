"""`--help` in Japanese: typer knows English alone, so the page is set here, from what typer knows of it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from functools import partial
from typing import Any

from agentcells.columns import padded, width, wrapped
from agentcells.sentences.helping import FRAME, IN_JAPANESE

NAMES = 30  # columns of an option or a command; a longer one has its text below it
_PART = re.compile(r"^(env var(?=:)|default(?=:)|required$)")


def speak(command: Any) -> None:
    """From now on the whole tree of `command` prints its help in Japanese."""
    command.get_help = partial(page, command)
    for inner in getattr(command, "commands", {}).values():
        speak(inner)


def page(command: Any, ctx: Any) -> str:
    """What `command --help` prints. `command`, `ctx`: typer's."""
    columns = max(50, min(80, shutil.get_terminal_size().columns) - 2)
    usage = " ".join([ctx.command_path, *command.collect_usage_pieces(ctx)])
    for words in ("[OPTIONS]", "COMMAND [ARGS]..."):
        usage = usage.replace(words, FRAME[words])
    parts = [f"{FRAME['Usage']}: {usage}"]
    if command.help:
        parts.append("\n\n".join(
            "\n".join(f"  {line}" for line in wrapped(paragraph, columns - 2))
            for paragraph in _told(command.help).split("\n\n")
        ))
    for heading, rows in _sections(command, ctx):
        if rows:
            parts.append(f"{FRAME[heading]}:\n" + "\n".join(_rows(rows, columns)))
    return "\n\n".join(parts)


def _sections(command: Any, ctx: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    params: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for param in command.get_params(ctx):
        record = param.get_help_record(ctx)
        if record is not None:
            params[param.param_type_name].append((record[0], _with_extra(record[1])))
    yield "Arguments", params["argument"]
    yield "Options", params["option"]
    names = command.list_commands(ctx) if hasattr(command, "list_commands") else ()
    inner = [(name, command.get_command(ctx, name)) for name in names]
    yield "Commands", [
        (name, _told(one.help or "").partition("\n\n")[0]) for name, one in inner if not one.hidden
    ]


def _rows(rows: list[tuple[str, str]], columns: int) -> Iterator[str]:
    left = min(NAMES, max(width(name) for name, _ in rows)) + 2
    for name, text in rows:
        lines = list(wrapped(text, columns - left - 2))
        fits = width(name) + 2 <= left
        if not fits or not lines:
            yield f"  {name}"
        for index, line in enumerate(lines):
            yield f"  {padded(name if fits and index == 0 else '', left)}{line}"


def _with_extra(told: str) -> str:
    """The text of an option, and what typer says behind it in brackets: "[default: 50; x>=1]"."""
    text, found, extra = told.rpartition("  [") if not told.startswith("[") else ("", "[", told[1:])
    if not found or not extra.endswith("]"):
        return _told(told)
    parts = [_PART.sub(lambda part: FRAME[part[0]], part) for part in extra[:-1].split("; ")]
    return f"{_told(text)} [{'; '.join(parts)}]".strip()


def _told(text: str) -> str:
    """A text that is not here yet is better told in English than not at all; a test finds it."""
    return IN_JAPANESE.get(text, text)
