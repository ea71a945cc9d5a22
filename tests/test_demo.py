"""`agentcells demo` says which containment it ran with, wherever it runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentcells.demo import Demo
from tests.claude_world import NOBODY, users
from tests.run_case import ROOT


def demo(tmp_path: Path, *before: str, **env: str) -> dict[str, object]:
    command = [*before, sys.executable, "-I", "-m", "agentcells", "demo", "--json"]
    known = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path), **env}
    done = subprocess.run(command, env=known, cwd="/", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    told: dict[str, object] = json.loads(done.stdout)
    return told


def test_without_bubblewrap_it_walks_all_the_same(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("git", "python3", "sh"):
        (bare / name).symlink_to(f"/usr/bin/{name}")
    told = demo(tmp_path, PATH=str(bare))
    assert (told["ok"], told["containment"]) == (True, "none")


@pytest.mark.sandbox
@pytest.mark.parametrize("who", users())
def test_with_bubblewrap_the_agent_is_in_its_sandbox(tmp_path: Path, who: str) -> None:
    before: list[str] = []
    if who == "user" and os.geteuid() == 0:
        os.chown(tmp_path, NOBODY, NOBODY)
        needed = [ROOT, Path(sys.prefix), Path(sys.base_prefix).resolve(), tmp_path]
        script = str(Path(__file__).with_name("as_user.py"))
        before = [sys.executable, "-I", script, str(NOBODY), *map(str, needed), "--"]
    told = demo(tmp_path, *before)
    assert (told["ok"], told["containment"]) == (True, "strong")


def test_a_reason_is_told_when_it_is_another_than_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each pass of a tick says why an item is left alone; a reader of the story wants it once."""
    story = Demo(tmp_path, as_json=False, language="en", kept=True)
    for text in ("#1 triage is at work", "#1 triage is at work", "#1 it waits", "#2 it waits"):
        story._tell({"event": "skip", "item": int(text[1]), "text": text})
    told = [line.split(maxsplit=1)[1] for line in capsys.readouterr().out.splitlines()]
    assert told == ["#1 triage is at work", "#1 it waits", "#2 it waits"]
