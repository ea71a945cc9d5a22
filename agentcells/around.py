"""Looks at the factory for a person: the forge when it can be had, else what was read before.

Writes nothing. Beside the snapshot it finds out how the last tick went, whether one is at work, and
when the timer starts the next.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from agentcells import factory_book, pins, tick
from agentcells.config import Config
from agentcells.decide import decide
from agentcells.journal import Journal
from agentcells.model import Account, Problem
from agentcells.plan import Plan, Snapshot
from agentcells.run_facts import facts_here
from agentcells.sentences import say
from agentcells.standing import Around
from agentcells.store import State

SYSTEM_S = 5
DAY_S = 86400


def look(
    config: Config, state: State, *, ask: bool = True
) -> tuple[Snapshot, Plan, Around]:
    """All that `status` and `why` need. Raises Problem only for what must be mended first."""
    unreached, around = "", replace(_around(config, state), asked=ask)
    if ask:
        try:
            snapshot, plan = tick.look(config, state)
        except Problem as problem:
            if problem.exit_code == 2:  # of cells.toml or the pins: `init` or the owner mends it
                raise
            unreached = say(problem.key, config.factory.language, **problem.slots)
        else:
            return snapshot, plan, replace(around, notes=_notes(config, state))
    seen = remembered(state)
    around = replace(around, unreached=unreached, as_of=seen.now if seen else None,
                     notes=_notes(config, state))
    snapshot = replace(seen or _nothing_seen(config, state), now=datetime.now(UTC))
    return snapshot, decide(config, snapshot), around


# ---------------------------------------------------------------- without the forge


def remembered(state: State) -> Snapshot | None:
    """What the last pass saw; the run folders and the brake are as they are now."""
    seen = Journal(state.root).last_look()
    if seen is None:
        return None
    return replace(
        seen, runs=facts_here(state), brake=state.brake(), mac_key=state.mac_key(make=False),
        books=tuple(factory_book.books(state).items()),
    )


def _nothing_seen(config: Config, state: State) -> Snapshot:
    """Before the first pass: this machine alone."""
    found = pins.load(config.path)
    owner = Account(id=found.owner if found else "?", login=config.factory.owner)
    return Snapshot(
        now=datetime.now(UTC), viewer=owner, owner=owner, machine=socket.gethostname(), pairs=(),
        runs=facts_here(state), brake=state.brake(), books=tuple(factory_book.books(state).items()),
    )


def _notes(config: Config, state: State) -> tuple[str, ...]:
    """A brake file that could not be read is told of for a day (R32)."""
    broken = state.root / "brake.broken"
    fresh = broken.exists() and time.time() - broken.stat().st_mtime < DAY_S
    if not fresh and not state.lost:
        return ()
    return (say("view_brake_broken", config.factory.language, file=broken),)


# ---------------------------------------------------------------- ticks and the timer


def _around(config: Config, state: State) -> Around:
    timer, at = next_tick(config)
    return Around(
        last_tick=Journal(state.root).last_tick(), tick_at_work=at_work(state),
        timer=timer, next_tick=at,
    )


def at_work(state: State) -> bool:
    """Whether a tick holds its lock. Looked up, never tried: a tick that starts now must get it."""
    try:
        inode = (state.root / "tick.lock").stat().st_ino
        locks = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return False
    return any(
        f":{inode} " in line and " FLOCK " in line and " -> " not in line
        for line in locks.splitlines()
    )


def next_tick(config: Config) -> tuple[bool, datetime | None]:
    """Whether a timer starts ticks of this cells.toml, and when it does next, if that is known."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    folder = home / "systemd" / "user"
    names = [path.stem for path in sorted(folder.glob("*.service")) if _starts(path, config)]
    found = [unit for name in names if (unit := _timer(name)).get("ActiveState") == "active"]
    times = [unit.get("NextElapseUSecRealtime", "").removeprefix("@") for unit in found]
    at = min((datetime.fromtimestamp(int(one), UTC) for one in times if one.isdigit()), default=None)
    if found:
        return True, at
    return in_crontab(config), None


def in_crontab(config: Config) -> bool:
    """Whether a line of the user's crontab starts ticks of this cells.toml."""
    lines = _output("crontab", "-l").splitlines()
    return any(str(config.path) in line and not line.lstrip().startswith("#") for line in lines)


def _starts(service: Path, config: Config) -> bool:
    """Whether a unit of the user's is one that starts our ticks."""
    try:
        lines = service.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return any(line.startswith("ExecStart=") and str(config.path) in line for line in lines)


def _timer(name: str) -> dict[str, str]:
    said = _output(
        "systemctl", "--user", "show", f"{name}.timer", "--timestamp=unix",
        "--property=ActiveState,NextElapseUSecRealtime",
    )
    return dict(line.split("=", 1) for line in said.splitlines() if "=" in line)


def _output(*argv: str) -> str:
    """What a program of the system says; nothing where it is not there or does not answer."""
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, timeout=SYSTEM_S, check=False,
            stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


__all__ = ["at_work", "in_crontab", "look", "next_tick", "remembered"]
