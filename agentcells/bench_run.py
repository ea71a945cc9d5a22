"""What a run costs beyond its agent: workspace, sandbox, canary, Proof and import, in seconds and memory.

Whole runs as the coordinator starts them, on a project that is made up; the agent is the scripted one,
and its own time is taken off. The parts are measured beside it, by the same rooms in this process.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from agentcells.emptying import passing_folder
from agentcells.git import Git
from agentcells.git_process import Call
from agentcells.git_process import run as run_git
from agentcells.model import Problem, RunId, Sha
from agentcells.run import Order
from agentcells.runner import Runner
from agentcells.sandbox import available
from agentcells.sentences import say
from agentcells.store import Limits, RunFolder, State

AGENT = Path(__file__).resolve().with_name("scripted_agent.py")
TOUCHED = 70  # files that the agent changes
PARTS = ("workspace", "sandbox", "import")
LOOK_EVERY_S = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A project, and what a run on it may cost."""

    files: int
    megabytes: int
    goal_s: float


SIZES = (Size(files=1_000, megabytes=10, goal_s=1.0), Size(files=20_000, megabytes=300, goal_s=4.0))
GOAL_MB = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Medians. `added_s`: a whole run without its agent; `memory_mb`: the most that all of ours took."""

    files: int
    megabytes: int
    runs: int
    added_s: float
    goal_s: float
    parts: dict[str, float]  # seconds, by the names of PARTS
    memory_mb: float
    goal_mb: int

    @property
    def good(self) -> bool:
        return self.added_s <= self.goal_s and self.memory_mb <= self.goal_mb


def bench(
    tell: Callable[[str], None], sizes: tuple[Size, ...] = SIZES, runs: int = 5, language: str = "en"
) -> tuple[Figures, ...]:
    """Each size `runs` times, one line each. Raises Problem where there is no strong containment."""
    if isinstance(problem := available(), Problem):
        raise problem
    found = []
    for size in sizes:
        with passing_folder("agentcells-bench-") as folder:
            found.append(_Bench(folder, size).figures(runs))
        tell(line(found[-1], language))
    return tuple(found)


def line(figures: Figures, language: str = "en") -> str:
    parts = ", ".join(
        f"{say(f'bench_run_{name}', language)} {seconds:.2f} s"
        for name, seconds in figures.parts.items()
    )
    key = "bench_run_good" if figures.good else "bench_run_missed"
    return say(
        key, language, files=f"{figures.files:,}", megabytes=figures.megabytes, parts=parts,
        added=f"{figures.added_s:.2f}", goal=f"{figures.goal_s:.1f}",
        memory=round(figures.memory_mb), most=figures.goal_mb,
    )


def as_values(found: tuple[Figures, ...]) -> list[dict[str, Any]]:
    """For programs."""
    return [{**asdict(figures), "good": figures.good} for figures in found]


class _Bench:
    """One project, and runs on it."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.size = size
        self.state = State(folder / "state")
        for name in ("runs", "logs", "cache"):
            (self.state.root / name).mkdir(parents=True)
        self.git = Git(folder / "repository.git")
        self.git.init()
        self.start = _project(self.git, size)
        names = [_name(number) for number in range(min(TOUCHED, size.files))]
        words = {"next": "review", "comment": "Touched."}
        do = [{"shell": f"for f in {' '.join(names)}; do echo more >> $f; done"}, {"answer": words}]
        self.script = folder / "script.json"
        self.script.write_text(json.dumps({"rules": [{"do": do}]}), encoding="utf-8")

    def figures(self, runs: int) -> Figures:
        whole = [self._whole() for _ in range(runs)]
        parts = [self._parts() for _ in range(runs)]
        memory = [self._most_memory() for _ in range(min(runs, 3))]
        return Figures(
            files=self.size.files, megabytes=self.size.megabytes, runs=runs,
            added_s=statistics.median(whole), goal_s=self.size.goal_s,
            parts={name: statistics.median(part[name] for part in parts) for name in PARTS},
            memory_mb=statistics.median(memory), goal_mb=GOAL_MB,
        )

    def _folder(self) -> RunFolder:
        folder = self.state.new_run(datetime.now(UTC))
        command = ("python3", "-I", str(AGENT), "--script", str(self.script))
        order = Order(
            run=RunId(folder.run), repo="bench/project", pair_key="bench/project#1", issue=1, pull=None,
            cell="implement", came_from="implement", reply=False, resume_from="",
            nexts=("review", "needs-human"), extra_fields=(), prompt="Cell: implement\n", seen=(),
            text_hash="", start=self.start, base=self.start, base_ref="main", branch="agentcells/1",
            branch_exists=False, kept="", writes=True, store=str(self.git.store),
            created_at=datetime.now(UTC),
        )
        folder.write_order(order, Limits(agent_command=command, read=(str(AGENT), str(self.script))))
        return folder

    def _whole(self) -> float:
        """Seconds, without the agent's own."""
        folder, began = self._folder(), time.monotonic()
        with self._started(folder) as process:
            process.wait()
        seconds = time.monotonic() - began - _agents_own(folder)
        folder.close(self.state.logs)
        return seconds

    def _most_memory(self) -> float:
        """Megabytes of all our processes at their most. Looking takes time, so it has runs of its own."""
        folder, most = self._folder(), 0.0
        with self._started(folder) as process:
            while process.poll() is None:
                most = max(most, _memory(process.pid))
                time.sleep(LOOK_EVERY_S)
        folder.close(self.state.logs)
        return most

    def _started(self, folder: RunFolder) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-I", "-m", "agentcells", "_run", str(folder.path)]
        process = subprocess.Popen(
            [*command, str(folder.lock_fd)], pass_fds=[folder.lock_fd], stdin=subprocess.DEVNULL
        )
        folder.unlock()
        return process

    def _parts(self) -> dict[str, float]:
        """The same in this process, part by part."""
        folder = self._folder()
        runner, at = _Timed(folder, folder.order(), folder.limits()), [time.monotonic()]
        runner.prepare()
        at.append(time.monotonic())
        told = runner.supervise()
        at.append(time.monotonic())
        if runner.proof is None:
            raise Problem("run_no_proof", run=folder.run)
        folder.write_end(runner.end(told, runner.proof))
        at.append(time.monotonic())
        spent = [then - before for before, then in itertools.pairwise(at)]
        spent[0] += runner.laid_out_s
        spent[1] -= runner.laid_out_s + _agents_own(folder)
        folder.close(self.state.logs)
        return dict(zip(PARTS, spent, strict=True))


class _Timed(Runner):
    """The files are laid out beside the supervisor's start: what that takes is told apart."""

    laid_out_s = 0.0

    def lay_out(self) -> None:
        began = time.monotonic()
        super().lay_out()
        self.laid_out_s = time.monotonic() - began


def _agents_own(folder: RunFolder) -> float:
    """What the agent says of its own time. It must have done its work, else nothing was measured."""
    end = folder.end()
    if end is not None and (end.outcome.kind != "done" or not end.changed):
        raise Problem("bench_run_failed", detail=f"{end.outcome.kind}: {end.outcome.detail}")
    with (folder.path / "stream.jsonl").open(encoding="utf-8") as stream:
        results = [event for event in map(json.loads, stream) if event.get("type") == "result"]
    return float(results[-1]["duration_ms"]) / 1000


def _memory(pid: int) -> float:
    """Megabytes that the kernel cannot take back (no pages of files), of all but the agent itself."""
    total = 0
    try:
        runner = psutil.Process(pid)
        for process in [runner, *runner.children(recursive=True)]:
            if str(AGENT) not in process.cmdline()[:4]:
                total += _anonymous(process.pid)
    except psutil.Error:
        pass  # it ended while we looked: the next look counts
    return total / 1024


def _anonymous(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    wanted = [row.split() for row in text.splitlines() if row.startswith(("RssAnon", "RssShmem"))]
    return sum(int(row[1]) for row in wanted)


# ---------------------------------------------------------------- the project


def _name(number: int) -> str:
    return f"folder{number % 97}/part{number % 7}/file{number}.txt"


def _project(git: Git, size: Size) -> Sha:
    """One commit, in one pack, as after a fetch. The content hardly gets smaller when it is packed."""
    call = Call(store=git.store, arguments=("fast-import", "--quiet", "--force"), deadline_s=900.0)
    run_git(call, _stream(size))
    found = git.rev("refs/agentcells/bench")
    if found is None:
        raise Problem("bench_run_failed", detail="git fast-import")
    return found


def _stream(size: Size) -> Iterator[bytes]:
    chance = random.Random(size.files)
    each = size.megabytes * 1_000_000 // size.files
    yield b"commit refs/agentcells/bench\ncommitter bench <bench@localhost> 1700000000 +0000\ndata 0\n\n"
    for number in range(size.files):
        content = chance.randbytes(each * 3 // 4).hex(" ", 40).encode()[:each]
        yield f"M 100644 inline {_name(number)}\ndata {len(content)}\n".encode() + content + b"\n"


__all__ = ["SIZES", "Figures", "Size", "as_values", "bench", "line"]
