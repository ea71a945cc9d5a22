"""Ctrl-C as a terminal sends it, to all that a command started: exit 130, no word, nothing left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from agentcells import __main__ as entry
from agentcells.config import resource

CELLS = """\
[factory]
owner = "alice"

[forge]
kind = "github"
repos = ["alice/game"]
api_url = "http://127.0.0.1:{port}/graphql"
git_url = "http://127.0.0.1:{port}"
token = {{ file = "token" }}

[sandbox]
containment = "strong"

[[cell]]
name = "triage"
on = "issue"
next = ["done"]
"""


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A forge that takes a connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(60)
        yield listening


@pytest.fixture
def home(tmp_path: Path, silent: socket.socket) -> Path:
    folder = tmp_path / "home"
    (folder / "prompts").mkdir(parents=True)
    (folder / "tmp").mkdir()
    (folder / "token").write_text("ghp_" + "x1Y2" * 9, encoding="utf-8")
    (folder / "token").chmod(0o600)
    text = CELLS.format(port=silent.getsockname()[1])
    (folder / "cells.toml").write_text(text, encoding="utf-8")
    prompt = resource("prompts/triage.md").read_text(encoding="utf-8")
    (folder / "prompts/triage.md").write_text(prompt, encoding="utf-8")
    return folder


def interrupted(
    home: Path, words: list[str], reached: Callable[[], object], number: signal.Signals | None = None
) -> subprocess.CompletedProcess[str]:
    """By Ctrl-C, which the whole group gets; by `number`, which the command alone gets."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home / "tmp"), "LANG": "C.UTF-8",
           "AGENTCELLS_STATE": str(home / "state")}
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "agentcells", *words], env=env, cwd=home, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # Whoever runs the tests under nohup has it ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
    reached()
    if number is None:
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(number)
    out, err = process.communicate(timeout=60)
    # All that it started is gone, too: what a killed git had started in its turn follows when its pipe ends.
    end = time.monotonic() + 20
    while _is_there(process.pid):
        assert time.monotonic() < end
        time.sleep(0.02)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("words", ["report", "check", "status", "why 1", "issue list", "tick", "tick --dry-run"])
def test_what_reads_the_forge_ends_at_once_and_leaves_nothing(
    home: Path, silent: socket.socket, words: str
) -> None:
    before = {path for path in home.rglob("*") if "state" not in path.parts}
    heard: list[socket.socket] = []
    done = interrupted(home, words.split(), lambda: heard.append(silent.accept()[0]))
    heard[0].close()
    assert (done.returncode, done.stderr) == (130, "")
    assert {path for path in home.rglob("*") if "state" not in path.parts} == before
    assert list((home / "state").glob("runs/*")) == []
    assert list((home / "state").rglob("*.tmp*")) == []


@pytest.mark.parametrize(("place", "number"), [
    ("agentcells-demo-*/state/last_tick.json", None), ("agentcells-demo-*/state", None),
    ("agentcells-demo-*/state/runs/*", signal.SIGTERM), ("agentcells-demo-*/state/runs/*", signal.SIGHUP),
])
def test_a_demo_that_is_interrupted_takes_its_folder_and_its_tick_with_it(
    home: Path, place: str, number: signal.Signals | None
) -> None:
    def ticking() -> None:
        end = time.monotonic() + 60
        while not list((home / "tmp").glob(place)):
            assert time.monotonic() < end
            time.sleep(0.02)

    done = interrupted(home, ["demo"], ticking, number)
    assert (done.returncode, done.stderr) == (130 if number is None else 128 + number, "")
    assert list((home / "tmp").iterdir()) == []
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if str(home).encode() in _read(path)]


def _read(path: Path) -> bytes:
    with suppress(OSError):
        return path.read_bytes()
    return b""


@pytest.mark.parametrize("words", ["bench tokens", "bench line", "bench run"])
def test_a_measurement_that_is_ended_takes_its_folder_with_it(home: Path, words: str) -> None:
    def measuring() -> None:
        end = time.monotonic() + 60
        while not list((home / "tmp").glob("agentcells-bench-*/*")):
            assert time.monotonic() < end
            time.sleep(0.02)

    done = interrupted(home, words.split(), measuring, signal.SIGTERM)
    assert (done.returncode, done.stderr) == (143, "")
    assert list((home / "tmp").iterdir()) == []


def test_an_interruption_that_a_library_swallowed_comes_once_more(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    hook, sys.unraisablehook = sys.unraisablehook, entry._unraisable

    class Swallows:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    try:
        gone = Swallows()
        del gone
        with pytest.raises(KeyboardInterrupt):
            time.sleep(30)
    finally:
        sys.unraisablehook = hook
        signal.signal(signal.SIGALRM, before)
    assert capsys.readouterr().err == ""
