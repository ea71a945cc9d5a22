"""What one process took from start to exit: wall, CPU, memory, and how many processes it was."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LOOK_EVERY_S = 0.005
COUNTED = 3
COUNT_EVERY_S = 0.0005  # a process of git lives for two milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One process from start to exit, and what it asked of the forge."""

    wall_s: float
    cpu_s: float
    memory_mb: float
    requests: int = 0
    points: int = 0


class Failed(Exception):
    """What was to be measured did not work; its words."""


def spent(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> Cost:
    """CPU with all the processes that it started and waited for; memory of itself alone."""
    began = time.monotonic()
    with subprocess.Popen(
        argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, errors="replace",
    ) as process:
        most = 0
        while True:
            most = max(most, _high_water(process.pid))
            gone, status, used = os.wait4(process.pid, os.WNOHANG)
            if gone:
                break
            time.sleep(LOOK_EVERY_S)
        took = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said = process.stderr.read() if process.stderr else ""
    demand(process.returncode, said, argv)
    return Cost(wall_s=took, cpu_s=used.ru_utime + used.ru_stime, memory_mb=most / 1024)


def demand(code: int, said: str, argv: Sequence[str]) -> None:
    """Some programs end well with an error on their screen."""
    rows = [row.strip() for row in said.splitlines() if row.strip()]
    wrong = [row for row in rows if re.search(r"\bERROR\b|^[Ee]rror:", row)]
    if code != 0 or wrong:
        raise Failed((wrong or rows or [f"{argv[0]} ended with {code}"])[-1][-160:])


def processes(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> int:
    """How many processes it is, itself included. Looking takes time, so these are runs of their own; and
    one that lives for a millisecond may be missed in some of them."""
    return max(_processes(argv, env, cwd) for _ in range(COUNTED))


def _processes(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> int:
    with subprocess.Popen(
        argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        seen = {process.pid}
        while process.poll() is None:
            seen |= _descendants(process.pid)
            time.sleep(COUNT_EVERY_S)
    return len(seen)


def _descendants(pid: int) -> set[int]:
    found: set[int] = set()
    left = [pid]
    while left:
        parent = left.pop()
        for task in _tasks(parent):
            for child in map(int, " ".join(lines(f"/proc/{parent}/task/{task}/children")).split()):
                if child not in found:
                    found.add(child)
                    left.append(child)
    return found


def _tasks(pid: int) -> list[str]:
    try:
        return [task.name for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return []


def _high_water(pid: int) -> int:
    """Of its own memory. The kernel's ru_maxrss would still know the size of whoever started it."""
    rows = [row.split() for row in lines(f"/proc/{pid}/status") if row.startswith("VmHWM:")]
    return int(rows[0][1]) if rows else 0


def lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def middle(costs: Sequence[Cost]) -> Cost:
    """By CPU time; requests and points are the same each time."""
    return sorted(costs, key=lambda cost: cost.cpu_s)[len(costs) // 2]


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def head(*titles: str) -> tuple[str, str]:
    return row(*titles), f"|{'---|' * len(titles)}"


def ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms"
