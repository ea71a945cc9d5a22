"""What agentcells costs, measured on this machine: `make bench` writes docs/benchmarks.md with it.

Ticks are processes from start to exit against the loopback GitHub; their CPU time and memory are the
kernel's own figures, their requests and points those that the GitHub counted. A chapter can be measured
alone (`--only`): the others stay in the page as they are.
No test: nothing here asserts a time. What can be counted is asserted in tests/test_idle.py.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agentcells import __version__, bench_line, bench_run, sandbox
from agentcells.model import Problem
from tests.bench import growth, idle, peers, quoted
from tests.bench.cost import Failed, head, lines, row
from tests.github_factory import factory

PAGE = Path("docs/benchmarks.md")  # what the READMEs quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line said."""

    items: int = 200
    think_s: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    title: str
    about: str
    rows: Callable[[Asked], Iterator[str]]


def acting(_: Asked) -> Iterator[str]:
    """One issue through the whole line, the agent answers at once."""
    with tempfile.TemporaryDirectory(prefix="agentcells-bench-") as folder, factory(Path(folder)) as line:
        line.tick()
        line.file()
        since, began = line.so_far(), time.monotonic()
        cells = line.tick().cells
        took, asked = time.monotonic() - began, len(line.asked(since))
        yield from head("runs in one tick", "wall for each", "requests for each", "points for each")
        yield row(f"{len(cells)} ({', '.join(cells)})", f"{took / len(cells):.1f} s",
                  f"{asked / len(cells):.0f}", f"{line.points(since) / len(cells):.0f}")


def run(_: Asked) -> Iterator[str]:
    if isinstance(problem := sandbox.available(), Problem):
        yield f"Left out: no strong containment here ({problem.key})."
        return
    yield from head("files", "megabytes", "added to a run", "goal", *bench_run.PARTS, "memory")
    for found in bench_run.bench(lambda said: None):
        parts = (f"{found.parts[name]:.2f} s" for name in bench_run.PARTS)
        yield row(f"{found.files:,}", found.megabytes, f"{found.added_s:.2f} s", f"{found.goal_s:.1f} s",
                  *parts, f"{found.memory_mb:.0f} MB")


def line(asked: Asked) -> Iterator[str]:
    if isinstance(problem := sandbox.available(), Problem):
        yield f"Left out: no strong containment here ({problem.key})."
        return
    yield f"{asked.items} issues, filed at once; the agent thinks {asked.think_s:g} s in each run."
    yield ""
    yield from head("parallel", "items an hour", "ours", "runs", "open at most", "in order", "done")
    for parallel in bench_line.PARALLEL:
        for found in bench_line.bench(lambda said: None, asked.items, (parallel,), asked.think_s):
            yield row(
                parallel, f"{found.an_hour:,.0f}", f"{found.ours * 100:.0f} %", found.runs,
                found.open_at_most, "yes" if found.in_order else "NO", f"{found.done} of {found.items}",
            )


CHAPTERS = {
    "idle": Chapter(
        title="An idle tick",
        about="Nothing to do, on a loopback GitHub over TLS, as a process from start to exit. *Cold*: the first "
        "one ever. *Warm*: the last listing is known. *Quiet*: and nothing has changed since; then one "
        "conditional question for each repository is all, and it costs no points.",
        rows=lambda _: idle.table(),
    ),
    "starts": Chapter(
        title="For comparison", about="What starting Python costs on the same machine.",
        rows=lambda _: idle.starts(),
    ),
    "peers": Chapter(
        title="Side by side",
        about="One idle round of what else somebody would take for this, against the same loopback, each in "
        f"turn: one repository with {peers.ITEMS} open issues that are none of ours. CPU with that of all "
        "processes that were started.",
        rows=lambda _: peers.table(),
    ),
    "acting": Chapter(
        title="A tick that acts", rows=acting,
        about="One issue, filed and taken through the whole line. The agent answers at once.",
    ),
    "run": Chapter(
        title="A run", rows=run,
        about="What a run costs beyond its agent: files out, sandboxes, the proof that all has ended, files in.",
    ),
    "line": Chapter(
        title="The whole line", rows=line,
        about="Issues through triage, implement and review on the embedded forge, with so many runs at a time. "
        "*Ours*: the share of the slots' time in which no agent was thinking. *In order*: whoever was filed "
        "first began first. *Open at most*: begun and not yet done, at the worst moment.",
    ),
    "comments": Chapter(
        title="Growth: comments", rows=lambda _: growth.comments(),
        about="One whole tick, from start to exit: triage on an issue with so many comments.",
    ),
    "difference": Chapter(
        title="Growth: a difference", rows=lambda _: growth.difference(),
        about="One whole tick: implement writes so much new text, review reads it.",
    ),
    "issues": Chapter(
        title="Growth: open issues", rows=lambda _: growth.issues(),
        about=f"Idle ticks; {growth.OURS} of the open issues wait for their owner, the others are none of ours.",
    ),
    "files": Chapter(
        title="Growth: files", rows=lambda _: growth.files(),
        about="What a run costs beyond its agent; one run at each size.",
    ),
}


# ---------------------------------------------------------------- the page


def opening() -> Iterator[str]:
    model = next((row.partition(":")[2].strip() for row in lines("/proc/cpuinfo")
                  if row.startswith("model name")), platform.machine())
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    yield "# What it costs"
    yield ""
    yield "Measured by `make bench`; again with the same command. Times depend on the machine, counts do not."
    yield ""
    yield from head("", "")
    yield row("machine", f"{os.cpu_count()} CPUs, {model}, Linux {platform.release()}")
    also = f", {found}" if (found := peers.versions()) else ""
    yield row("versions", f"agentcells {__version__}, Python {platform.python_version()}, git {git}{also}")


def chapter(name: str, asked: Asked) -> Iterator[str]:
    made = CHAPTERS[name]
    yield f"## {made.title}"
    yield ""
    yield made.about
    yield f"Measured {datetime.now(UTC):%Y-%m-%d}, with a load of {os.getloadavg()[0]:.1f} on the machine when it " \
          "began."
    yield ""
    try:
        yield from made.rows(asked)
    except Failed as failed:
        yield f"Left out: {failed}."


def parts(page: str) -> dict[str, str]:
    """A page that is there already, by its titles."""
    found = (part.rstrip("\n") for part in ("\n" + page).split("\n## ")[1:])
    return {part.partition("\n")[0]: f"## {part}" for part in found}


def written(kept: dict[str, str], made: dict[str, str]) -> str:
    """All chapters in their order; what was not measured now stays as it was."""
    found = {**kept, **made}
    titles = [one.title for one in CHAPTERS.values() if one.title in found]
    return "\n\n".join(["\n".join(opening()), *(found[title] for title in titles)]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, help="write the page there")
    parser.add_argument("--only", default="", help=f"these chapters alone, by comma: {', '.join(CHAPTERS)}")
    parser.add_argument("--items", type=int, default=200, help="issues that go through the whole line")
    parser.add_argument("--think", type=float, default=1.0, help="seconds that the line's agent thinks")
    given = parser.parse_args()
    asked = Asked(items=given.items, think_s=given.think)
    names = given.only.split(",") if given.only else list(CHAPTERS)
    if unknown := [name for name in names if name not in CHAPTERS]:
        parser.error(f"no such chapter: {', '.join(unknown)}")
    made: dict[str, str] = {}
    for name in names:
        told = []
        for one in chapter(name, asked):
            print(one, flush=True)
            told.append(one)
        print(flush=True)
        made[CHAPTERS[name].title] = "\n".join(told)
        if given.out:  # after each chapter: a whole page takes an hour
            kept = parts(given.out.read_text(encoding="utf-8")) if given.out.exists() else {}
            given.out.write_text(written(kept, made), encoding="utf-8")
    if given.out == PAGE:
        for readme, words in quoted.READMES.items():
            text = Path(readme).read_text(encoding="utf-8")
            Path(readme).write_text(
                quoted.renewed(text, PAGE.read_text(encoding="utf-8"), words), encoding="utf-8"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
