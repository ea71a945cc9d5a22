"""`agentcells demo` says which containment it ran with, wherever it runs; what it and `init` refuse first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentcells.demo import Demo, by_hand
from agentcells.init import Answers, run
from agentcells.model import Problem
from agentcells.options import known_language
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


@pytest.mark.parametrize("place", ["a-file", "a-file/below", "/proc/nowhere"])
def test_a_folder_that_cannot_be_used_is_named_and_is_no_bug(tmp_path: Path, place: str) -> None:
    (tmp_path / "a-file").write_text("mine\n", encoding="utf-8")
    with pytest.raises(Problem) as refused:
        by_hand(tmp_path / place, language="en")
    assert (refused.value.key, refused.value.exit_code) == ("demo_folder_refused", 2)
    assert (tmp_path / "a-file").read_text(encoding="utf-8") == "mine\n"


def test_a_language_that_is_not_spoken_is_told_before_anything_is_written() -> None:
    assert (known_language("en"), known_language("ja")) == ("en", "ja")
    with pytest.raises(Problem) as refused:
        known_language("fr")
    assert (refused.value.key, refused.value.exit_code) == ("language_unknown", 2)


@pytest.mark.parametrize(("slip", "key"), [
    ({"repo": "https://github.com/alice/game"}, "init_repo_name"), ({"repo": "game"}, "init_repo_name"),
    ({"owner": "@alice"}, "init_login"), ({"bot": "alice cells"}, "init_login"),
])
def test_init_with_a_slip_in_a_name_writes_nothing(tmp_path: Path, slip: dict[str, str], key: str) -> None:
    """Once cells.toml is there, init does not change it: the right name would come too late."""
    answers = Answers(**{"repo": "alice/game", "owner": "alice", **slip})  # type: ignore[arg-type]
    with pytest.raises(Problem) as refused:
        run(tmp_path / "cells.toml", lambda asked, usual: usual, print, yes=True, relock=False, given=answers)
    assert (refused.value.key, refused.value.exit_code) == (key, 2)
    assert list(tmp_path.iterdir()) == []
