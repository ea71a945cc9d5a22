"""What agentcells costs, measured on this machine: `make bench` writes docs/benchmarks.md with it.

Ticks are processes from start to exit against the loopback GitHub; their CPU time and memory are the
kernel's own figures of exactly that process, their requests and points those that the GitHub counted.
No test: nothing here asserts a time. What can be counted is asserted in tests/test_idle.py.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from agentcells import __version__, bench_run, quiet, sandbox
from agentcells.model import Problem
from tests.github_factory import BOT, OWNER, REPO, GitHubFactory, factory

ROOT = Path(__file__).resolve().parent.parent
REPOSITORIES, ITEMS = (1, 10, 100), (0, 100, 1_000)
MOST_ITEMS = 10_000  # together; more is only measured with --all: the loopback itself takes minutes
PEERS = {"gh": "gh issue list and gh pr list in a loop", "ghswarm": "ghswarm", "vigilante": "vigilante-cli"}
IMPORTS = {
    "a Python process that makes one request by http.client": "import http.client",
    "one that imports typer, gql and httpx": "import typer, gql, gql.transport.httpx, httpx",
    "one that imports pydantic": "import pydantic",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One process from start to exit, and what it asked of the forge."""

    wall_s: float
    cpu_s: float
    memory_mb: float
    requests: int = 0
    points: int = 0


def spent(argv: Sequence[str], env: dict[str, str], cwd: Path) -> Cost:
    """Of this process alone: a process that it becomes by exec counts, its children do not."""
    began = time.monotonic()
    with subprocess.Popen(
        argv, env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    ) as process:
        most = 0
        while True:
            most = max(most, _high_water(process.pid))
            gone, status, used = os.wait4(process.pid, os.WNOHANG)
            if gone:
                break
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(argv)} ended with {process.returncode}")
    return Cost(wall_s=time.monotonic() - began, cpu_s=used.ru_utime + used.ru_stime,
                memory_mb=most / 1024)


def _high_water(pid: int) -> int:
    """Of its own memory. The kernel's ru_maxrss would still know the size of whoever started it."""
    rows = [row.split() for row in _lines(f"/proc/{pid}/status") if row.startswith("VmHWM:")]
    return int(rows[0][1]) if rows else 0


def ticked(line: GitHubFactory) -> Cost:
    since = line.so_far()
    cost = spent(line.command("tick"), line.environment(), line.home)
    return Cost(wall_s=cost.wall_s, cpu_s=cost.cpu_s, memory_mb=cost.memory_mb,
                requests=len(line.asked(since)), points=line.points(since))


def middle(costs: Sequence[Cost]) -> Cost:
    """By CPU time; requests and points are the same each time."""
    return sorted(costs, key=lambda cost: cost.cpu_s)[len(costs) // 2]


# ---------------------------------------------------------------- idle


@contextmanager
def world(repositories: int, items: int) -> Iterator[GitHubFactory]:
    """So many repositories, each with so many open issues that are none of ours."""
    with (
        tempfile.TemporaryDirectory(prefix="agentcells-bench-") as folder,
        factory(Path(folder), set_up=False) as line,
    ):
        repos = [REPO, *(f"{OWNER}/game{number}" for number in range(1, repositories))]
        line.settle(REPO)
        labels = line.world.label_names(REPO)  # made by us they would take a second each, as GitHub wishes
        for repo in repos[1:]:
            line.world.repository(repo, roles={BOT: "write"}, labels=labels, files={"README.md": "game\n"})
        line.settle(*repos)
        line.play()
        for number in range(items):
            line.world.advance(600)  # a list is read back a little behind where it stood last
            for repo in repos:
                line.owner.open_issue(repo, f"Thought {number}", "Some day.", [], [])
        line.world.advance(600)
        yield line


def idle(repositories: int, items: int, times: int) -> dict[str, Cost]:
    """Cold: nothing is known. Warm: the last listing is. Quiet: and nothing has changed since."""
    with world(repositories, items) as line:
        found = {"cold": ticked(line)}
        warm = []
        for _ in range(times):
            (line.state / "cache" / quiet.NOTE).unlink(missing_ok=True)
            warm.append(ticked(line))
        ticked(line)  # it asks for the validators
        found["warm"] = middle(warm)
        found["quiet"] = middle([ticked(line) for _ in range(times)])
        return found


def idle_table(cases: Sequence[tuple[int, int]], times: int) -> Iterator[str]:
    yield "| repositories | open items each | tick | CPU | wall | memory | requests | points |"
    yield "|---|---|---|---|---|---|---|---|"
    for repositories, items in cases:
        for name, cost in idle(repositories, items, times).items():
            yield (
                f"| {repositories} | {items:,} | {name} | {cost.cpu_s * 1000:.0f} ms | {cost.wall_s:.2f} s"
                f" | {cost.memory_mb:.0f} MB | {cost.requests} | {cost.points} |"
            )


def starts() -> Iterator[str]:
    """What a Python process costs before it does anything: the measure for an idle tick."""
    yield "| process | CPU |"
    yield "|---|---|"
    for name, code in IMPORTS.items():
        argv = [sys.executable, "-I", "-c", code]
        costs = [spent(argv, {"PATH": os.environ["PATH"]}, ROOT) for _ in range(5)]
        yield f"| {name} | {median(cost.cpu_s for cost in costs) * 1000:.0f} ms |"


# ---------------------------------------------------------------- acting


def acting() -> Iterator[str]:
    """One issue through the whole line, the agent answers at once."""
    with tempfile.TemporaryDirectory(prefix="agentcells-bench-") as folder, factory(Path(folder)) as line:
        line.tick()
        line.file()
        since, began = line.so_far(), time.monotonic()
        cells = line.tick().cells
        took, asked = time.monotonic() - began, len(line.asked(since))
        yield "| runs in one tick | wall for each | requests for each | points for each |"
        yield "|---|---|---|---|"
        yield (f"| {len(cells)} ({', '.join(cells)}) | {took / len(cells):.1f} s"
               f" | {asked / len(cells):.0f} | {line.points(since) / len(cells):.0f} |")


# ---------------------------------------------------------------- a run


def run() -> Iterator[str]:
    if isinstance(problem := sandbox.available(), Problem):
        yield f"Left out: no strong containment here ({problem.key})."
        return
    yield "| files | megabytes | added to a run | goal | workspace | sandbox | import | memory |"
    yield "|---|---|---|---|---|---|---|---|"
    for found in bench_run.bench(lambda said: None):
        parts = " | ".join(f"{found.parts[name]:.2f} s" for name in bench_run.PARTS)
        yield (f"| {found.files:,} | {found.megabytes} | {found.added_s:.2f} s | {found.goal_s:.1f} s"
               f" | {parts} | {found.memory_mb:.0f} MB |")


# ---------------------------------------------------------------- the page


def machine() -> Iterator[str]:
    model = next((row.partition(":")[2].strip() for row in _lines("/proc/cpuinfo")
                  if row.startswith("model name")), platform.machine())
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    yield f"Measured {datetime.now(UTC):%Y-%m-%d} by `make bench`; again with the same command."
    yield ""
    yield "| | |"
    yield "|---|---|"
    yield f"| machine | {os.cpu_count()} CPUs, {model}, Linux {platform.release()} |"
    yield f"| load when it began | {os.getloadavg()[0]:.1f} (above {os.cpu_count()} the times are too long) |"
    yield f"| versions | agentcells {__version__}, Python {platform.python_version()}, git {git} |"
    missing = [what for name, what in PEERS.items() if shutil.which(name) is None]
    if missing:
        yield f"| left out, not installed | {', '.join(missing)} |"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def page(cases: Sequence[tuple[int, int]], times: int) -> Iterator[str]:
    yield "# What it costs"
    yield ""
    yield from machine()
    chapters = {
        "An idle tick": ((
            "Nothing to do, on a loopback GitHub, as a process from start to exit. *Cold*: the first one ever. "
            "*Warm*: the last listing is known. *Quiet*: and nothing has changed since; then one conditional "
            "question for each repository is all, and it costs no points."), idle_table(cases, times)),
        "For comparison": ("What starting Python costs on the same machine.", starts()),
        "A tick that acts": (
            "One issue, filed and taken through the whole line. The agent answers at once.", acting()),
        "A run": (
            "What a run costs beyond its agent: files out, sandboxes, the proof that all has ended, files in.",
            run()),
    }
    for title, (about, rows) in chapters.items():
        yield from ("", f"## {title}", "", about, "")
        yield from rows


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, help="write the page there")
    parser.add_argument("--all", action="store_true", help="100 repositories with 1,000 items each, too")
    parser.add_argument("--idle", metavar="REPOSITORIES:ITEMS", help="nothing but this idle tick")
    asked = parser.parse_args()
    if asked.idle:
        repositories, _, items = asked.idle.partition(":")
        print("\n".join(idle_table([(int(repositories), int(items))], 5)))
        return 0
    cases = [(repos, items) for repos in REPOSITORIES for items in ITEMS
             if asked.all or repos * items <= MOST_ITEMS]
    lines = []
    for told in page(cases, 5):
        print(told, flush=True)
        lines.append(told)
    if asked.out:
        asked.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
