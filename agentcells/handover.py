"""What becomes of a tick's environment: runs get what they need, the rest goes into an envelope.

A forge's token may stand in the environment of a tick (`token = { env = … }`, or what `gh` reads).
Once runs are alive nobody who outlives a pass may have it there (R39): the coordinator is started
with the few variables that runs need, and only passes open the sealed memory file with the others.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentcells.config import Config


# What a runner may know of our environment, beside the names of `[agent] env` (R38).
PLAIN = (
    "PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_STATE_HOME", "AGENTCELLS_STATE",
)


def for_runs(environ: Mapping[str, str], agent_env: Iterable[str]) -> dict[str, str]:
    """The variables of a runner, and of the coordinator that starts it."""
    names = {*PLAIN, *agent_env}
    return {name: environ[name] for name in sorted(names) if name in environ}


def divide(config: Config, environ: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(what the coordinator keeps, what only passes are given).

    The variable of the forge's token is never an agent's, even where both tables name it.
    """
    token = config.forge.token.env if config.forge.token is not None else ""
    kept = for_runs(environ, (name for name in config.agent.env if name != token))
    return kept, {name: value for name, value in environ.items() if name not in kept}


def seal(environ: Mapping[str, str]) -> int:
    """A memory file that nobody can change any more; its descriptor survives exec."""
    fd = os.memfd_create("agentcells-environment", os.MFD_ALLOW_SEALING)
    with open(fd, "wb", closefd=False) as out:
        out.write(json.dumps(dict(environ)).encode("utf-8", "surrogateescape"))
    seals = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals)
    os.set_inheritable(fd, True)
    return fd


def unseal(fd: int) -> None:
    """The variables are ours again, as if they had been there from the start; the file is closed.

    Python hands them on to child processes; /proc shows only what a process was started with.
    """
    size = os.fstat(fd).st_size
    found: dict[str, str] = json.loads(os.pread(fd, size, 0).decode("utf-8", "surrogateescape"))
    os.close(fd)
    for name, value in found.items():
        os.environ.setdefault(name, value)


def program() -> list[str]:
    """How this agentcells is started again. `-I`: no module of the current folder can slip in."""
    return [sys.executable, "-I", "-m", "agentcells"]
