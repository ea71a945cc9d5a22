"""Where a forge's token comes from: a command, a file or the environment; never the settings file.

The value travels in a `Secret`, which shows itself nowhere: not in a repr, a log or a traceback.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NoReturn, Protocol

from agentcells.forge import Unauthorized

COMMAND_TIMEOUT_S = 30
_SHAPE = re.compile(r"[\x21-\x7e]{4,4096}\Z")
_LONG_WORD = re.compile(r"\S{16,}")


class Source(Protocol):
    """Exactly one of the three is set."""

    @property
    def command(self) -> tuple[str, ...]: ...
    @property
    def file(self) -> str: ...
    @property
    def env(self) -> str: ...


class Secret:
    """A token that is never shown. `reveal` is called where it is sent, and nowhere else."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a token is never stored")


def fetch(source: Source | None) -> Secret:
    """The token, fresh from its place. Raises Unauthorized with the place and the remedy."""
    if source is None:
        raise Unauthorized("forge_token_none", exit_code=2)
    if source.command:
        value, place = _from_command(source.command), source.command[0]
    elif source.file:
        value, place = _from_file(source.file), source.file
    else:
        value, place = os.environ.get(source.env, ""), f"${source.env}"
    value = value.strip()
    if not value:
        raise Unauthorized("forge_token_empty", place=place)
    if not _SHAPE.match(value):
        raise Unauthorized("forge_token_shape", place=place)
    return Secret(value)


def _from_command(argv: tuple[str, ...]) -> str:
    # "from None" everywhere: the exceptions of subprocess carry what the command printed.
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unauthorized(
            "forge_token_slow", command=argv[0], seconds=COMMAND_TIMEOUT_S
        ) from None
    except OSError as error:
        raise Unauthorized(
            "forge_token_no_command", command=argv[0], detail=error.strerror or ""
        ) from None
    if done.returncode != 0:
        raise Unauthorized(
            "forge_token_command", command=argv[0], code=done.returncode, detail=_said(done.stderr)
        )
    return done.stdout.decode("utf-8", "replace")


def _said(stderr: bytes) -> str:
    """The end of what a command complained, without any word long enough to be a token."""
    text = " ".join(stderr.decode("utf-8", "replace").split())
    return _LONG_WORD.sub("...", "".join(c if c.isprintable() else " " for c in text))[-200:]


def _from_file(name: str) -> str:
    try:
        return Path(name).expanduser().read_text(encoding="utf-8")[:8192]
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise Unauthorized("forge_token_file", path=name, detail=reason) from None
