"""Real ticks, and one of their processes is killed in the middle of a run (R17, R33, R39)."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.factory import PLAIN_RULES, REPO, Factory, answer

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
QUICK = "runner"
VICTIMS = [pytest.param(one, marks=() if one == QUICK else pytest.mark.slow) for one in PROCESSES]


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
    logs = list(root.glob("**/runs/*/stream.jsonl"))
    return any("cell record" in log.read_text(encoding="utf-8") for log in logs)


@pytest.mark.parametrize("victim", VICTIMS)
def test_r17_whoever_is_killed_during_a_run_the_line_comes_to_its_end(tmp_path: Path, victim: str) -> None:
    factory = Factory(tmp_path / "factory", rules=SLOW)
    number = factory.file(label="implement")
    first = factory.start("tick", "--json")
    wait_for(lambda: recorded(factory.root))
    os.kill(max(found(factory.root, *PROCESSES[victim])), signal.SIGKILL)  # of a sandbox the innermost
    first.communicate(timeout=90)
    for _ in range(3):
        if "in-review" in factory.states(number + 1) if factory.pull(number) else False:
            break
        factory.tick()
    pull = factory.pull(number)
    assert pull is not None
    assert factory.states(number) | factory.states(pull.number) == {"in-review"}
    assert factory.files(f"agentcells/{number}")["game.py"] == "LIVES = 3\n"
    assert factory.branches() == (f"agentcells/{number}", "main")
    assert len(factory.said(number)) + len(factory.said(pull.number)) == 2
    wait_for(lambda: not found(factory.root, "sleep"), 10)
    assert not found(factory.root, *PROCESSES["agent"])


@pytest.mark.slow
def test_j01_git_is_killed_while_it_pushes_and_the_next_tick_pushes_the_same(tmp_path: Path) -> None:
    factory = Factory(tmp_path / "factory")
    number = factory.file(label="implement")
    bare = Path(factory.owner.remote(REPO).url)
    hook = bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho $PPID > {bare}/pushing\nsleep 30\n")
    hook.chmod(0o755)
    first = factory.start("tick", "--json")
    wait_for((bare / "pushing").exists)
    for pid in found(factory.root, "git", "push"):
        os.kill(pid, signal.SIGKILL)
    hook.write_text("#!/bin/sh\nexit 0\n")
    first.communicate(timeout=90)
    for _ in range(3):
        if factory.pull(number) and factory.states(number + 1) == {"in-review"}:
            break
        factory.tick()
    pull = factory.pull(number)
    assert pull is not None
    assert factory.states(pull.number) == {"in-review"}
    assert factory.branches() == (f"agentcells/{number}", "main")
    assert len(factory.said(pull.number)) == 2
