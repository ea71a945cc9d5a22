"""Real ticks, and one of their processes is killed in the middle of a run (R17, R33, R39)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import github_factory
from tests.factory import PLAIN_RULES, REPO, Factory, answer
from tests.github_factory import GitHubFactory

SLOW = [
    PLAIN_RULES[0],
    {"cell": "implement", "do": [
        {"write": {"game.py": "LIVES = 3\n"}},
        {"cell": ["record", "-m", "Give the player three lives"]},
        {"sleep": 2.5},
        {"leave": "setsid"},
        answer("review", "Three lives now."),
    ]},
    PLAIN_RULES[2],
]

# What each process of a tick can be known by: words of its command line.
PROCESSES = {
    "coordinator": ("_coordinate",),
    "runner": ("_run", "runs/"),
    "supervisor": ("agentcells.supervisor",),
    "agent": ("scripted_agent.py", "--output-format"),
}

# Whole ticks as processes take their time: one victim in the quick run, the others in `make soak`.
# On GitHub the runs are contained, as everybody's are.
QUICK = "runner"
VICTIMS = [
    pytest.param("local", one, marks=() if one == QUICK else pytest.mark.slow) for one in PROCESSES
] + [pytest.param("github", one, marks=(pytest.mark.slow, pytest.mark.sandbox)) for one in PROCESSES]
WORLDS = ["local", pytest.param("github", marks=pytest.mark.sandbox)]


@dataclass
class Line:
    """One issue, #1, that waits for implement, on either forge."""

    factory: Factory | GitHubFactory

    @property
    def bare(self) -> Path:
        if isinstance(self.factory, Factory):
            return Path(self.factory.owner.remote(REPO).url)
        return self.factory.world.hub.repo(REPO).bare.path

    @property
    def pull(self) -> int | None:
        if isinstance(self.factory, Factory):
            found = self.factory.pull(1)
            return found.number if found else None
        return next(iter(self.factory.pulls()), None)

    @property
    def branches(self) -> tuple[str, ...]:
        if isinstance(self.factory, Factory):
            return self.factory.branches()
        return tuple(sorted(self.factory.world.tips(REPO)))

    @property
    def game(self) -> str:
        return subprocess.run(
            ["git", f"--git-dir={self.bare}", "show", "agentcells/1:game.py"], check=True,
            capture_output=True, text=True, cwd="/",
        ).stdout

    def to_its_end(self) -> int:
        """As many ticks as it may take. The pull request, which then waits for the owner."""
        for _ in range(3):
            if self.pull is not None and self.factory.states(self.pull) == {"in-review"}:
                break
            self.factory.tick()
        assert self.pull is not None
        assert self.factory.states(1) | self.factory.states(self.pull) == {"in-review"}
        assert self.branches == ("agentcells/1", "main")
        return self.pull


@contextmanager
def line(root: Path, world: str, rules: list[dict]) -> Iterator[Line]:
    if world == "local":
        made = Line(Factory(root, rules=rules))
        assert made.factory.file(label="implement") == 1
        yield made
        return
    root.mkdir()
    with github_factory.factory(root, rules=rules) as factory:
        factory.change("[factory]", '[factory]\npoll = "2s"')
        assert factory.file(label="implement") == 1
        yield Line(factory)


def found(root: Path, *words: str) -> list[int]:
    """Processes of this factory whose command line holds all these words."""
    pids = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            mine = str(root) in line or str(root) in str((folder / "cwd").readlink()) or _of(root, folder)
        except OSError:
            continue
        if mine and all(word in line for word in words):
            pids.append(int(folder.name))
    return pids


def _of(root: Path, folder: Path) -> bool:
    """A supervisor stands in `/` and names nothing: the log it writes tells whose it is."""
    try:
        return str(root) in str((folder / "fd" / "2").readlink())
    except OSError:
        return False


def wait_for(what, within: float = 60.0):
    end = time.monotonic() + within
    while not (value := what()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
    return value


def recorded(root: Path) -> bool:
    """The run is well under way: the agent's record has been made."""
    logs = list(root.glob("state/runs/*/stream.jsonl"))
    return any("cell record" in log.read_text(encoding="utf-8") for log in logs)


@pytest.mark.parametrize(("world", "victim"), VICTIMS)
def test_r17_whoever_is_killed_during_a_run_the_line_comes_to_its_end(
    tmp_path: Path, world: str, victim: str
) -> None:
    with line(tmp_path / "factory", world, SLOW) as it:
        root = it.factory.root
        first = it.factory.start("tick", "--json")
        wait_for(lambda: recorded(root))
        os.kill(max(found(root, *PROCESSES[victim])), signal.SIGKILL)  # of a sandbox the innermost
        first.communicate(timeout=90)
        pull = it.to_its_end()
        assert it.game == "LIVES = 3\n"
        assert len(it.factory.said(1)) + len(it.factory.said(pull)) == 2
        wait_for(lambda: not found(root, "sleep"), 10)
        assert not found(root, *PROCESSES["agent"])


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_j01_git_is_killed_while_it_pushes_and_the_next_tick_pushes_the_same(
    tmp_path: Path, world: str
) -> None:
    with line(tmp_path / "factory", world, PLAIN_RULES) as it:
        root, hook = it.factory.root, it.bare / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\necho $PPID > {it.bare}/pushing\nsleep 30\n")
        hook.chmod(0o755)
        first = it.factory.start("tick", "--json")
        wait_for((it.bare / "pushing").exists)
        for pid in found(root, "git", "push"):
            os.kill(pid, signal.SIGKILL)
        hook.write_text("#!/bin/sh\nexit 0\n")
        for pid in found(root, "sleep"):  # nobody listens to it any more; a server would wait for it
            os.kill(pid, signal.SIGKILL)
        first.communicate(timeout=90)
        assert len(it.factory.said(it.to_its_end())) == 2
