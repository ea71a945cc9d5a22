"""An idle tick: nothing to do, on a loopback GitHub over TLS, as a process from start to exit."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median

from agentcells import quiet
from tests.bench.cost import Cost, Failed, head, middle, ms, row, spent
from tests.github_factory import BOT, OWNER, REPO, GitHubFactory, factory
from tests.loopback.certificate import certificate

REPOSITORIES, ITEMS = (1, 10, 100), (0, 100, 1_000)
KINDS = ("cold", "warm", "quiet")
TIMES = 5
MANY = 10_000  # open items in all: from here on once is enough
LONGEST = 12  # ticks until nothing new is read any more: ten items a time
STEP_S = 600  # a list is read back a little behind where it stood last
IMPORTS = {
    "a Python process that makes one request by http.client": "import http.client",
    "one that imports typer, gql and httpx": "import typer, gql, gql.transport.httpx, httpx",
    "one that imports pydantic": "import pydantic",
}


def ticked(line: GitHubFactory, *words: str) -> Cost:
    since = line.so_far()
    cost = spent(line.command("tick", *words), line.environment(), line.home)
    return replace(cost, requests=len(line.asked(since)), points=line.points(since))


@contextmanager
def world(repositories: int, items: int, ours: int = 0) -> Iterator[GitHubFactory]:
    """So many repositories, each with so many open issues; `ours` of the first one's wait for the owner."""
    with tempfile.TemporaryDirectory(prefix="agentcells-bench-") as name:
        folder = Path(name)
        with factory(folder, set_up=False, certificate=certificate(folder)) as line:
            repos = [REPO, *(f"{OWNER}/game{number}" for number in range(1, repositories))]
            line.settle(REPO)
            labels = line.world.label_names(REPO)  # made by us they would take a second each
            for repo in repos[1:]:
                line.world.repository(repo, roles={BOT: "write"}, labels=labels,
                                      files={"README.md": "game\n"})
            line.settle(*repos)
            line.play()
            for number in range(items):
                line.world.advance(STEP_S)
                mine = (["ac:needs-human"], [OWNER]) if number < ours else ([], [])
                for repo in repos:
                    line.owner.open_issue(repo, f"Thought {number}", "Some day.", *mine)
            line.world.advance(STEP_S)
            yield line


def idle(line: GitHubFactory, times: int = TIMES) -> dict[str, Cost]:
    """Each kind of idle tick, so many times; the first one ever, too, is made by forgetting all."""
    found = {}
    for kind in KINDS:
        costs = []
        for _ in range(times):
            prepare(line, kind)
            costs.append(ticked(line))
        found[kind] = middle(costs)
    return found


def prepare(line: GitHubFactory, kind: str) -> None:
    """Cold: nothing is known. Warm: the last listing is. Quiet: and nothing has changed since."""
    cache = line.state / "cache"
    if kind == "cold":
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        return
    note = cache / quiet.NOTE
    for _ in range(LONGEST):
        if note.exists() and (kind == "warm" or json.loads(note.read_bytes())["validators"]):
            break
        ticked(line)
    else:
        raise Failed(f"no {kind} tick after {LONGEST} others")
    if kind == "warm":
        note.unlink()


def table() -> Iterator[str]:
    yield from head("repositories", "open items each", "tick", "CPU", "wall", "memory", "requests", "points")
    for repositories, items in product(REPOSITORIES, ITEMS):
        with world(repositories, items) as line:
            for name, cost in idle(line, TIMES if repositories * items <= MANY else 1).items():
                yield row(
                    repositories, f"{items:,}", name, ms(cost.cpu_s), f"{cost.wall_s:.2f} s",
                    f"{cost.memory_mb:.0f} MB", cost.requests, cost.points,
                )


def starts() -> Iterator[str]:
    """What a Python process costs before it does anything: the measure for an idle tick."""
    yield from head("process", "CPU")
    for name, code in IMPORTS.items():
        argv = [sys.executable, "-I", "-c", code]
        costs = [spent(argv, {"PATH": os.environ["PATH"]}, Path("/")) for _ in range(TIMES)]
        yield row(name, ms(median(cost.cpu_s for cost in costs)))
