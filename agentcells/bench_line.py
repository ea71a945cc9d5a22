"""How many items go through the whole line in an hour, with 1 to 8 runs at a time, and whose time it takes.

Real ticks, real sandboxes, the embedded forge; the agent is the scripted one and thinks for a fixed time in
each run. What the slots were busy beyond that is ours. Items are filed all at once: the worst day.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from agentcells.config import load
from agentcells.demo import first_commit
from agentcells.emptying import passing_folder
from agentcells.forge.local import LocalForge
from agentcells.init import create_labels
from agentcells.markers import parse_ledger
from agentcells.model import Problem
from agentcells.posts import LedgerRow
from agentcells.sandbox import available
from agentcells.sentences import say

AGENT = Path(__file__).resolve().with_name("scripted_agent.py")
OWNER, BOT, REPO = "alice", "alice-cells", "alice/game"
CELLS = ("triage", "implement", "review")
PARALLEL = (1, 2, 4, 8)
TICKS = 50  # of the timer, one right after the other; one is enough unless something fails


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """`ours`: the share of the slots' time without the agent's thinking. `open_at_most`: begun, not done."""

    parallel: int
    items: int
    done: int
    seconds: float
    an_hour: float
    ours: float
    runs: int
    open_at_most: int
    in_order: bool

    @property
    def good(self) -> bool:
        return self.done == self.items and self.in_order


def bench(
    tell: Callable[[str], None], items: int = 200, parallels: Iterable[int] = PARALLEL,
    think_s: float = 1.0, language: str = "en",
) -> tuple[Figures, ...]:
    """One line for each of `parallels`. Raises Problem where there is no strong containment."""
    if isinstance(problem := available(), Problem):
        raise problem
    found = []
    for parallel in parallels:
        with passing_folder("agentcells-bench-") as folder:
            found.append(_through(folder, parallel, items, think_s))
        tell(line(found[-1], language))
    return tuple(found)


def line(figures: Figures, language: str) -> str:
    """What a person reads of one size."""
    key = "bench_line" if figures.good else "bench_line_bad"
    return say(
        key, language, parallel=figures.parallel, items=figures.items, done=figures.done,
        an_hour=f"{figures.an_hour:,.0f}", ours=f"{figures.ours * 100:.0f}", runs=figures.runs,
        seconds=f"{figures.seconds:.0f}", open=figures.open_at_most,
    )


def as_values(found: Iterable[Figures]) -> list[dict[str, Any]]:
    return [asdict(figures) for figures in found]


# ---------------------------------------------------------------- one line from filing to review


def _through(root: Path, parallel: int, items: int, think_s: float) -> Figures:
    forge = LocalForge.create(root / "forge", OWNER, [REPO], bot=BOT)
    first_commit(Path(forge.remote(REPO).url), {"README.md": "# game\n", "game.py": "LEVEL = 1\n"})
    cells = root / "cells.toml"
    cells.write_text(_cells(root, parallel, think_s), encoding="utf-8")
    config = load(cells)
    create_labels(config, forge, REPO)
    owner = forge.account(OWNER)
    for number in range(1, items + 1):
        forge.create_issue(REPO, f"More lives {number}", "Three.", ["ac:triage"], [owner])
    environment = {**os.environ, "AGENTCELLS_STATE": str(root / "state")}
    argv = [sys.executable, "-I", "-m", "agentcells", "tick", "--json", "--config", str(cells)]
    started = time.monotonic()
    for _ in range(TICKS):
        _tick(argv, environment, root)
        if len(list(_waiting(forge))) == items:
            break
    return measured(
        parallel, items, len(list(_waiting(forge))), time.monotonic() - started,
        _rows(forge, items), think_s,
    )


def _tick(argv: list[str], environment: dict[str, str], root: Path) -> None:
    """One tick. Where we are ended, it is told and waited for: killed, it would leave its runs behind."""
    with subprocess.Popen(
        argv, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, cwd=root, start_new_session=True,
    ) as child:
        try:
            _, told = child.communicate()
        except BaseException:
            child.terminate()
            child.communicate()
            raise
    if child.returncode not in (0, 75):
        raise Problem("bench_line_failed", detail=told.strip().rpartition("\n")[2])


def _cells(root: Path, parallel: int, think_s: float) -> str:
    """The line of the default cells.toml, with an agent that thinks and then does what it must."""
    script = root / "script.json"
    think: dict[str, object] = {"sleep": think_s}
    script.write_text(json.dumps({"rules": [
        {"cell": "triage", "do": [think, _answer("implement")]},
        {"cell": "implement", "do": [
            think, {"append": {"game.py": "LIVES = 3\n"}},
            {"cell": ["record", "-m", "Give the player three lives"]}, _answer("review"),
        ]},
        {"cell": "review", "do": [think, _answer("done")]},
    ]}), encoding="utf-8")
    (root / "prompts").mkdir()
    for cell in CELLS:
        (root / "prompts" / f"{cell}.md").write_text("Do your part.\n", encoding="utf-8")
    command = json.dumps(["python3", str(AGENT), "--script", str(script)])
    table = [
        f'[[cell]]\nname = "{name}"\non = "{on}"\nnext = {json.dumps(to)}\nparallel = {parallel}\n'
        for name, on, to in (
            ("triage", "issue", ["implement"]), ("implement", "issue", ["review"]),
            ("review", "pull_request", ["implement", "done"]),
        )
    ]
    return f"""[factory]
owner = "{OWNER}"
bot = "{BOT}"
parallel = {parallel}
tick_for = "24h"

[forge]
kind = "local"
path = "forge"
repos = ["{REPO}"]

[agent]
command = {command}
env = []

[sandbox]
read = {json.dumps([str(AGENT), str(script)])}

[limits]
usd_per_day = 1000000.0

{"".join(table)}"""


def _answer(to: str) -> dict[str, object]:
    return {"answer": {"next": to, "comment": "So it is."}}


def _waiting(forge: LocalForge) -> Iterator[int]:
    """Pull requests that wait for the owner."""
    for row in forge.listing(REPO).rows:
        if any(label.name == "ac:in-review" for label in row.labels):
            yield row.number


def _rows(forge: LocalForge, items: int) -> list[tuple[LedgerRow, ...]]:
    """The books of all items, by number."""
    found = []
    for number in range(1, items + 1):
        books = [parse_ledger(comment.body) for comment in forge.read(REPO, number).comments]
        found.append(next((book.rows for book in books if book is not None), ()))
    return found


# ---------------------------------------------------------------- what the books tell


def measured(
    parallel: int, items: int, done: int, seconds: float, books: list[tuple[LedgerRow, ...]],
    think_s: float,
) -> Figures:
    runs = sum(map(len, books))
    return Figures(
        parallel=parallel, items=items, done=done, seconds=seconds, an_hour=done / seconds * 3600,
        ours=max(0.0, 1 - runs * think_s / (seconds * parallel)), runs=runs,
        open_at_most=_open_at_most(books), in_order=_in_order(books),
    )


def _in_order(books: list[tuple[LedgerRow, ...]]) -> bool:
    """Whoever was filed first has begun first (R13)."""
    begun = [rows[0].start for rows in books if rows]
    return len(begun) == len(books) and begun == sorted(begun)


def _open_at_most(books: list[tuple[LedgerRow, ...]]) -> int:
    """How many items had begun and were not done, at the worst moment: what is begun is finished first."""
    spans = [(rows[0].start, rows[-1].end) for rows in books if rows]
    moments: list[tuple[datetime, int]] = []
    for begun, ended in spans:
        moments.append((begun, 1))
        if ended is not None:
            moments.append((ended, -1))
    open_now = most = 0
    for _, step in sorted(moments):
        open_now += step
        most = max(most, open_now)
    return most
