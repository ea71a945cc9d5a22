"""Folders of our own are gone when we are, whatever is still writing in them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from agentcells import agent_program, draft, gitleaks
from agentcells.emptying import passing_folder
from agentcells.model import Problem
from agentcells.store import Limits

# It hangs; what it started writes where it was put for a while after it was killed.
HANGS = """#!{python} -IS
import os, time
if os.fork():
    time.sleep(60)
for fd in (0, 1, 2):
    os.close(fd)
place = os.environ["HOME"] if os.getcwd() == "/" else os.getcwd()
os.mkdir({begun!r})
until, number = time.monotonic() + 1.2, 0
while time.monotonic() < until:
    number += 1
    try:
        os.makedirs(f"{{place}}/late/{{number}}")
    except OSError:
        pass
    time.sleep(0.0005)
"""


def help_of(claude: Path) -> None:
    told = Limits(agent_command=(str(claude),), agent_env=(), agent_hosts=(), containment="none")
    with pytest.raises(Problem, match="agent_broken"):
        agent_program.look(told, {"PATH": "/usr/bin:/bin"})


def search_of(program: Path) -> None:
    assert [*gitleaks.search(str(program), [("a", b"x", ())])] == [("a", gitleaks.BROKEN)]


def draft_of(claude: Path) -> None:
    assert not draft.message("+x", ["a.py"], "en", [str(claude)], lambda line: None).read


@pytest.mark.parametrize("asked", [help_of, search_of, draft_of])
def test_what_a_program_that_hangs_had_started_writes_on_and_stops_nothing(
    asked: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, begun, temporary = tmp_path / "claude", tmp_path / "begun", tmp_path / "tmp"
    program.write_text(HANGS.format(python=sys.executable, begun=str(begun)))
    program.chmod(0o755)
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    for room, name in ((agent_program, "HELP_WITHIN_S"), (gitleaks, "WITHIN_S"), (draft, "TIMEOUT_S")):
        monkeypatch.setattr(room, name, 0.6)
    asked(program)
    assert begun.exists()
    assert list(temporary.iterdir()) == []


def test_a_folder_of_ours_goes_although_something_is_still_writing_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    begun, over = threading.Event(), threading.Event()

    def write(folder: Path) -> None:
        number = 0
        while not over.is_set():
            number += 1
            with suppress(OSError):  # once the folder itself is gone
                (folder / "late").mkdir(exist_ok=True)
                (folder / "late" / str(number)).mkdir()
            begun.set()

    with passing_folder("ours-") as folder:
        writer = threading.Thread(target=write, args=(folder,), daemon=True)
        writer.start()
        assert begun.wait(10)
        threading.Timer(0.2, over.set).start()
    writer.join()
    assert list(tmp_path.iterdir()) == []
