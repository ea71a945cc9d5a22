"""What grows with the size of things: comments, a difference, open issues, files. At three sizes each, so
that it shows whether twice as much takes twice as long or worse."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agentcells import bench_run, sandbox
from agentcells.bench_run import Size
from agentcells.model import Problem
from tests.bench.cost import Cost, Failed, head, ms, row
from tests.bench.idle import idle, ticked, world
from tests.github_factory import REPO, GitHubFactory, factory
from tests.loopback.certificate import certificate

COMMENTS = (10, 100, 1_000)
KILOBYTES = (9, 90, 900)
ISSUES, OURS = (1_000, 3_000, 10_000), 20
SIZES = (
    Size(files=5_000, megabytes=100, goal_s=0.0), Size(files=15_000, megabytes=300, goal_s=0.0),
    Size(files=50_000, megabytes=1_000, goal_s=0.0),
)
COLUMNS = ("CPU", "wall", "memory", "requests", "points")
WORDS = ("player", "level", "gravity", "ball", "paddle", "score", "speed", "angle", "bounce", "wall")
SAID = "So it is."
Rules = Sequence[Mapping[str, Any]]


def cells(cost: Cost) -> tuple[str, ...]:
    return (
        ms(cost.cpu_s), f"{cost.wall_s:.1f} s", f"{cost.memory_mb:.0f} MB", str(cost.requests),
        str(cost.points),
    )


@contextmanager
def _line(rules: Rules, more: str = "") -> Iterator[GitHubFactory]:
    with tempfile.TemporaryDirectory(prefix="agentcells-bench-") as name:
        folder = Path(name)
        with factory(folder, set_up=False, certificate=certificate(folder)) as line:
            line.settle(REPO)
            line.play(rules)
            if more:
                line.change("[gate]", f"[gate]\n{more}")
            yield line


def _answer(to: str) -> dict[str, Any]:
    return {"answer": {"next": to, "comment": SAID}}


def _done(line: GitHubFactory, number: int) -> Cost:
    """A tick whose runs came to their end; any other was not what is measured here."""
    cost = ticked(line)
    said = [words for item in (number, *line.pulls()) for words in line.said(item) if SAID in words]
    if not said:
        raise Failed(f"nothing came of it: {line.said(number)[-1:]}")
    return cost


def comments() -> Iterator[str]:
    """One whole run of triage on an issue that others have said much about."""
    yield from head("comments", *COLUMNS)
    for count in COMMENTS:
        with _line([{"do": [_answer("needs-human")]}]) as line:
            number = line.file()
            for said in range(count):
                line.world.advance(60)
                line.as_("mallory").comment(REPO, number, text(random.Random(said), 500))
            line.world.advance(600)
            yield row(f"{count:,}", *cells(_done(line, number)))


def difference() -> Iterator[str]:
    """A run of implement that writes so much and looks at it, and one of review that reads it."""
    yield from head("kilobytes", *COLUMNS)
    for size in KILOBYTES:
        rules: Rules = [
            {"cell": "implement", "do": [
                {"write": {"levels.py": text(random.Random(size), size * 1_000)}},
                {"cell": ["diff"]}, {"cell": ["record", "-m", "Add the levels"]}, _answer("review"),
            ]},
            {"cell": "review", "do": [{"cell": ["diff"]}, _answer("done")]},
        ]
        with _line(rules, "max_added_lines = 1000000") as line:
            number = line.file(label="implement")
            line.world.advance(600)
            yield row(size, *cells(_done(line, number)))


def issues() -> Iterator[str]:
    """Idle ticks where most of what is open is none of ours."""
    yield from head("open issues", "tick", *COLUMNS)
    for count in ISSUES:
        with world(1, count, OURS) as line:
            for kind, cost in idle(line, 3).items():
                yield row(f"{count:,}", kind, *cells(cost))


def files() -> Iterator[str]:
    """What a run adds to its agent, on ever larger repositories."""
    if isinstance(problem := sandbox.available(), Problem):
        yield f"Left out: no strong containment here ({problem.key})."
        return
    yield from head("files", "megabytes", "added to a run", *bench_run.PARTS, "memory")
    for size in SIZES:
        for found in bench_run.bench(lambda said: None, (size,), runs=1):
            parts = (f"{found.parts[name]:.2f} s" for name in bench_run.PARTS)
            yield row(f"{found.files:,}", f"{found.megabytes:,}", f"{found.added_s:.2f} s", *parts,
                      f"{found.memory_mb:.0f} MB")


def text(chance: random.Random, size: int) -> str:
    """Of so many characters, in lines of a hundred."""
    made: list[str] = []
    length = 0
    while length < size:
        line = " ".join(chance.choices(WORDS, k=16))[:99]
        made.append(line)
        length += len(line) + 1
    return "\n".join(made)[: size - 1] + "\n"
