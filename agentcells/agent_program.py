"""The agent's program: where it is, what it needs to be read, and whether a run could get anywhere with it.

What can be known without a run is said before one: no such program, too old for a flag of ours, no
login. `ask` goes further, for `agentcells check`: the API itself says whether login and models are good.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from agentcells import claude
from agentcells.emptying import passing_folder
from agentcells.model import Problem
from agentcells.sandbox import Containment
from agentcells.store import Limits, write_whole
from agentcells.ways import join

HELP_WITHIN_S = 60.0
ANSWERS_WITHIN_S = 20.0
API_VERSION = "2023-06-01"


def find(
    command: tuple[str, ...], containment: Containment, path: str, read: tuple[str, ...]
) -> tuple[list[str], tuple[str, ...]]:
    """The agent's program and fixed arguments, and what must be readable for them.

    What the owner's command line names by an absolute path is readable for the agent: it could
    not start otherwise.
    """
    # What is in the sandbox anyway comes first: a person's own `python3` may be a shim that needs
    # his home.
    system = () if containment == "none" else ("/usr/local/bin", "/usr/bin", "/bin")
    where = os.pathsep.join([*system, *(f"{folder}/bin" for folder in read), path])
    found = shutil.which(command[0], path=where)
    if found is None:
        raise Problem("run_no_agent", exit_code=2, command=command[0])
    if containment == "none":
        return [found, *command[1:]], ()
    program = Path(found).resolve()
    needed = [] if program.is_relative_to("/usr") else [str(_bundle(program))]
    for argument in command[1:]:
        if (
            argument.startswith("/")
            and Path(argument).exists()
            and not argument.startswith(("/usr/", "/proc", "/dev"))
        ):
            needed.append(argument)
    return [str(program), *command[1:]], tuple(dict.fromkeys(needed))


def _bundle(program: Path) -> Path:
    """What has to be bound for a program outside /usr: its package, its toolchain, or the file
    alone."""
    for folder in program.parents:
        if (folder / "package.json").is_file():
            return folder
    prefix = program.parent.parent
    if (
        program.parent.name == "bin"
        and (prefix / "lib").is_dir()
        and not Path.home().is_relative_to(prefix)
    ):
        return prefix
    return program


# ---------------------------------------------------------------- before a run


def look(limits: Limits, environ: Mapping[str, str]) -> None:
    """Raises Problem when no run of this configuration could get anywhere. Asks nobody outside."""
    containment: Containment = "none" if limits.containment == "none" else "strong"
    path = environ.get("PATH", os.defpath)
    (program, *_), _ = find(limits.agent_command, containment, path, limits.read)
    if not is_claude(limits.agent_command):
        return
    _demand_flags(Path(program), path, limits)
    if not claude.has_login(claude.given_values(limits.agent_env, environ)):
        raise Problem("agent_not_logged_in", exit_code=2, names=", ".join(limits.agent_env) or "-")


def is_claude(command: tuple[str, ...]) -> bool:
    """By its name: another program that speaks claude's language has rules of its own."""
    return Path(command[0]).stem == "claude"


def _demand_flags(program: Path, path: str, limits: Limits) -> None:
    """claude's own help names every flag. Read once for each version of the program."""
    memory = Path(limits.cache).with_name("agent.json") if limits.cache else None
    there = program.stat()
    known = [str(program), there.st_size, there.st_mtime_ns, list(claude.FLAGS)]
    if memory is not None and _remembered(memory) == known:
        return
    told = _output([str(program), "--help"], path)
    missing = [flag for flag in claude.FLAGS if flag not in told.split()]
    if missing:
        version = _output([str(program), "--version"], path).partition(" ")[0].strip()
        raise Problem("agent_too_old", exit_code=2, version=version, flags=", ".join(missing))
    if memory is not None:
        with suppress(OSError):  # a cache: not kept, the program is asked again
            memory.parent.mkdir(parents=True, exist_ok=True)
            write_whole(memory, json.dumps(known))


def _remembered(memory: Path) -> Any:
    try:
        return json.loads(memory.read_bytes())
    except (OSError, ValueError):
        return None  # a cache: lost or broken, the program is asked again


def _output(argv: list[str], path: str) -> str:
    """What the program prints, in a home of its own: asking for help must not leave a trace."""
    with passing_folder("agentcells-") as home:
        env = {"PATH": path, "HOME": str(home), **claude.QUIET}
        try:
            done = subprocess.run(
                argv, env=env, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", timeout=HELP_WITHIN_S, check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as failed:
            raise Problem("agent_broken", exit_code=2, program=argv[0], detail=str(failed)) from failed
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip()[:300] or f"exit {done.returncode}"
        raise Problem("agent_broken", exit_code=2, program=argv[0], detail=words)
    return done.stdout.replace(",", " ")


# ---------------------------------------------------------------- for `agentcells check`


def ask(limits: Limits, environ: Mapping[str, str], models: Iterable[str]) -> Iterator[Problem]:
    """What the API says of the login and of each model; it costs nothing.

    Only where the login is one that is added outside the sandbox. Short names of models ("sonnet")
    are claude's own, and a gateway need not have a list of models: neither is judged.
    """
    import http.client

    access = claude.access(limits, claude.given_values(limits.agent_env, environ))
    upstream = access.way.upstream
    if upstream is None or not upstream.headers:
        return
    headers = {"anthropic-version": API_VERSION, **upstream.headers}
    try:
        status, said = _get(upstream.url, "/v1/models?limit=1", headers)
        if status in (401, 403):
            yield Problem("agent_wrong_login", detail=said.get("message", f"HTTP {status}"))
        if status != 200:
            return
        for model in dict.fromkeys(models):
            if "-" in model:
                status, said = _get(upstream.url, f"/v1/models/{model}", headers)
                if status == 404 and said.get("type") == "not_found_error":
                    yield Problem("agent_no_model", model=model)
    except (OSError, http.client.HTTPException) as failed:
        yield Problem("agent_no_api", url=upstream.url, detail=str(failed) or type(failed).__name__)


def _get(url: str, path: str, headers: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    """(status, the `error` of the answer when it has one)."""
    from agentcells.proxy import connection

    with closing(connection(url, ANSWERS_WITHIN_S)) as wire:
        wire.request("GET", join(url, path), headers=dict(headers))
        answer = wire.getresponse()
        try:
            said = json.loads(answer.read(1 << 20))
        except (ValueError, RecursionError):
            said = {}
    error = said.get("error") if isinstance(said, dict) else None
    return answer.status, error if isinstance(error, dict) else {}
