"""`agentcells check`: one line for each thing a tick needs, ok or what is wrong and the exact remedy."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from agentcells import claude, pins
from agentcells.around import at_work, next_tick
from agentcells.columns import clock, lasted
from agentcells.config import Config, load
from agentcells.forge import Forbidden, Forge, ForgeError, Inspects, NotFound
from agentcells.forge.open import open_forge
from agentcells.init import read_pins, wanted_labels
from agentcells.journal import Journal
from agentcells.markers import outcome_words
from agentcells.model import Problem
from agentcells.sentences import say
from agentcells.store import State
from agentcells.timer import ENVIRONMENT, lingers

Level = Literal["ok", "warning", "stop"]
ROOM_MB = 500  # less free disk than this and a run may not fit
CLOCK_S = 120  # more difference to the forge's clock and time-outs are judged wrongly


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing looked at. `stop`: a tick would not get past it."""

    name: str
    level: Level
    text: str


def check(path: Path) -> list[Line]:
    """All lines, in the order one would mend them. Raises Problem when cells.toml itself is wrong."""
    config = load(path)
    language = config.factory.language
    lines = [Line(name="cells.toml", level="ok",
                  text=say("check_config", language, cells=len(config.cells), path=config.path))]
    for room in (_git, _disk, _agent, _sandbox, _ticks):
        lines += _looked(room, config)
    try:
        for line in _forge(config, open_forge(config)):
            lines.append(line)  # one by one: what was found before a problem is told too
    except (Problem, OSError) as error:
        lines.append(_problem("forge", error, language))
    return lines


def _looked(room: Callable[[Config], Iterator[Line]], config: Config) -> list[Line]:
    try:
        return list(room(config))
    except (Problem, OSError) as error:
        return [_problem(room.__name__.strip("_"), error, config.factory.language)]


def _problem(name: str, error: Problem | OSError, language: str) -> Line:
    detail = "" if isinstance(error, Problem) else f"{error.strerror or error}: {error.filename or '-'}"
    problem = error if isinstance(error, Problem) else Problem("system_refused", detail=detail)
    return Line(name=name, level="stop", text=say(problem.key, language, **problem.slots))


def _line(config: Config, name: str, level: Level, key: str, **slots: object) -> Line:
    return Line(name=name, level=level, text=say(key, config.factory.language, **slots))


def _git(config: Config) -> Iterator[Line]:
    from agentcells.git import version

    found = version()
    shown = ".".join(str(part) for part in found)
    if found >= (2, 38):
        yield _line(config, "git", "ok", "check_git", version=shown)
    else:
        yield _line(config, "git", "warning", "check_git_old", version=shown)


def _disk(config: Config) -> Iterator[Line]:
    state = State.open(config.path)
    free = shutil.disk_usage(state.root).free // 1_000_000
    level: Level = "ok" if free > ROOM_MB else "stop"
    if not os.access(state.root, os.W_OK | os.X_OK):
        raise Problem("store_unwritable", path=state.root, detail=os.strerror(errno.EACCES))
    yield _line(config, "disk", level, "check_disk" if level == "ok" else "check_disk_full",
                free=free, path=state.root)


def _agent(config: Config) -> Iterator[Line]:
    """The agent's program is there and knows the flags; nothing is spent."""
    command = config.agent.command
    program = shutil.which(command[0])
    if program is None:
        yield _line(config, "agent", "stop", "check_agent_missing", program=command[0])
        return
    if Path(program).name != "claude":
        yield _line(config, "agent", "ok", "check_agent_other", program=program)
        return
    version = _output([program, "--version"])
    known = _output([program, "--help"]).replace(",", " ").split()
    missing = [flag for flag in claude.FLAGS if flag not in known]
    if missing:
        yield _line(config, "agent", "stop", "check_agent_old", version=version, flags=", ".join(missing))
    else:
        yield _line(config, "agent", "ok", "check_agent", version=version)
    yield from _login(config)
    yield from _api(config)


def _login(config: Config) -> Iterator[Line]:
    """Whether the model's credential is at hand; its value is never looked at."""
    names = [name for name in config.agent.env if not name.endswith("_BASE_URL")]
    file = Path(ENVIRONMENT).expanduser()
    written = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    kept = {line.partition("=")[0].strip() for line in written.splitlines()}
    if names and not any(os.environ.get(name) or name in kept for name in names):
        yield _line(config, "agent", "warning", "check_login", names=", ".join(names),
                    file=ENVIRONMENT)
    if written and file.stat().st_mode & 0o077:
        yield _line(config, "agent", "warning", "check_token_open", path=file)


def _api(config: Config) -> Iterator[Line]:
    """What the model's API says of the login and of each model, where a list of models costs nothing."""
    from agentcells.agent_program import ask
    from agentcells.claim import limits

    told = limits(config, config.cells[0], State.at(config.path))
    for problem in ask(told, os.environ, [cell.model for cell in config.cells]):
        level: Level = "warning" if problem.key == "agent_no_api" else "stop"
        yield _line(config, "agent", level, problem.key, **problem.slots)


def _output(argv: list[str]) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False,
                              stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem("check_agent_broken", program=argv[0], detail=str(error)) from error
    return done.stdout.strip()


def _sandbox(config: Config) -> Iterator[Line]:
    from agentcells import provision, sandbox
    from agentcells.paths import Globs

    provision.demand_read(config.sandbox.read)
    Globs.of(config.gate.protected)
    if config.sandbox.containment == "none":
        yield _line(config, "sandbox", "warning", "check_sandbox_none")
        return
    strength = sandbox.available(config.sandbox.run_as)
    if isinstance(strength, Problem):
        raise strength
    yield _line(config, "sandbox", "ok", "check_sandbox")


def _ticks(config: Config) -> Iterator[Line]:
    """Who starts ticks, how the last one went, and what keeps the next from working."""
    language, state, now = config.factory.language, State.at(config.path), datetime.now(UTC)
    found, at = next_tick(config)
    if not found:
        yield _line(config, "timer", "warning", "view_tick_no_timer")
    else:
        yield _line(config, "timer", "ok", "view_tick_next" if at else "check_timer",
                    at="" if at is None else clock(at, config.factory.timezone))
        if at is not None and not lingers():  # a line for cron runs anyway
            yield _line(config, "timer", "warning", "timer_linger")
    tick = Journal(state.root).last_tick()
    if tick is None:
        yield _line(config, "last tick", "ok", "check_no_tick")
    elif at_work(state) or tick.ended_at is None:
        yield _line(config, "last tick", "ok", "view_tick_at_work")
    else:
        key = "view_tick_failed" if tick.code else "view_tick_well"
        yield _line(config, "last tick", "warning" if tick.code else "ok", key, code=tick.code, why=tick.text,
                    count=tick.failures, ago=lasted(now - tick.ended_at, language))
    brake = state.brake()
    if brake.stopped:
        yield _line(config, "stop", "warning", "view_state_stopped")
    if brake.paused_until is not None and brake.paused_until > now:
        yield _line(config, "pause", "warning", "view_state_paused",
                    until=clock(brake.paused_until, config.factory.timezone),
                    why=outcome_words(brake.pause_reason, language))


def _forge(config: Config, forge: Forge) -> Iterator[Line]:
    viewer, owner = forge.viewer(), forge.account(config.factory.owner)
    bot = forge.account(config.factory.bot).id if config.factory.bot else ""
    if viewer.id not in (owner.id, bot):
        raise Problem("observe_foreign_token", viewer=viewer.login, owner=owner.login,
                      bot=config.factory.bot or "-")
    yield _line(config, "token", "ok", "check_viewer", login=viewer.login)
    yield from _token_place(config)
    if viewer.id == owner.id and config.forge.kind != "local":
        yield _line(config, "token", "warning", "check_own_token", login=viewer.login)
    drift = abs((forge.clock() - datetime.now(UTC)).total_seconds())
    if drift > CLOCK_S:
        yield _line(config, "clock", "warning", "check_clock", seconds=round(drift))
    for repo in config.forge.repos:
        yield from _repository(config, forge, repo)
    if isinstance(forge, Inspects):
        for remark in forge.inspect(config.forge.repos):
            yield _line(config, remark.name, remark.level, remark.key, **remark.slots)
    yield from _pins(config, forge)


def _token_place(config: Config) -> Iterator[Line]:
    """A token that others can read, or that a timer will not find."""
    token = config.forge.token
    if token is None:
        return
    if token.file:
        path = Path(token.file).expanduser()
        if path.is_file() and path.stat().st_mode & 0o077:  # a missing one was told when it was asked for
            yield _line(config, "token", "warning", "check_token_open", path=path)
    if token.env:
        yield _line(config, "token", "warning", "check_token_env", variable=token.env)
    shared = [name for name in config.agent.env if name == token.env]
    if shared:
        yield _line(config, "token", "stop", "check_token_shared", variable=token.env)


def _repository(config: Config, forge: Forge, repo: str) -> Iterator[Line]:
    try:
        found = forge.repository(repo)
        there = {label.name for label in forge.labels(repo)}
    except ForgeError as problem:
        yield _problem(repo, problem, config.factory.language)
        return
    if found.name.casefold() != repo.casefold():
        yield _line(config, repo, "stop", "github_renamed", repo=repo, now=found.name)
    elif found.archived:
        yield _line(config, repo, "stop", "check_archived", repo=repo)
    elif found.empty:
        yield _line(config, repo, "stop", "claim_empty_repository", repo=repo, branch=found.default_branch)
    else:
        yield _line(config, repo, "ok", "check_repository", repo=repo, branch=found.default_branch)
    missing = [name for name, _, _ in wanted_labels(config) if name not in there]
    alike = {name.casefold(): name for name in there}
    spelled = [(name, alike[name.casefold()]) for name in missing if name.casefold() in alike]
    if spelled:
        yield _line(config, repo, "stop", "init_label_spelled", repo=repo, label=spelled[0][0],
                    found=spelled[0][1])
    elif missing:
        yield _line(config, repo, "stop", "check_labels", repo=repo, labels=", ".join(missing))


def _pins(config: Config, forge: Forge) -> Iterator[Line]:
    old = pins.load(config.path)
    if old is None:
        level: Level = "ok" if config.forge.kind == "local" else "stop"
        yield _line(config, pins.FILE, level, "check_pins_none" if level == "ok" else "pins_missing",
                    file=pins.FILE)
        return
    try:
        names = pins.differences(old, read_pins(config, forge))
    except (NotFound, Forbidden):
        return  # another line tells of a repository that cannot be read
    if names:
        yield _line(config, pins.FILE, "stop", "pins_differ", names=", ".join(names))
    else:
        yield _line(config, pins.FILE, "ok", "check_pins", file=pins.FILE)
