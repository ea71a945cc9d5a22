"""Every command in every state of the factory: it answers, ends as it should, and says what to do next."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentcells import cli
from agentcells.journal import Journal
from agentcells.model import Problem
from agentcells.plan import Brake
from agentcells.store import RunFolder
from tests.stage import Stage, answer, rule
from tests.typed import Typed, typed

__all__ = ["typed"]


def never(stage: Stage) -> None:
    stage.cells_path.unlink()


def idle(stage: Stage) -> None:
    stage.tick()


def running(stage: Stage) -> RunFolder:
    """Alive for as long as somebody holds what this returns."""
    stage.file("triage")
    return stage.claim()


def waiting(stage: Stage) -> None:
    stage.file("triage")
    stage.tick()


def limited(stage: Stage) -> None:
    stage.file("triage")
    until = datetime.now(UTC) + timedelta(hours=3)
    stage.state.write_brake(Brake(paused_until=until, pause_reason="usage_limit"))


def broken(stage: Stage) -> None:
    stage.file("triage")
    journal = Journal(stage.state.root)
    for _ in range(3):
        journal.tick_begins()
        journal.fails(Problem("git_missing"), "en")
        journal.tick_ends(1)


def unreadable(stage: Stage) -> None:
    stage.file("triage")
    text = stage.cells_path.read_text(encoding="utf-8")
    stage.cells_path.write_text(text.replace("[agent]", "[agnet]"), encoding="utf-8")


def held(stage: Stage) -> None:
    stage.label(stage.file("triage"), "hold")


def stopped(stage: Stage) -> None:
    stage.file("triage")
    stage.state.write_brake(Brake(stopped=True))


STATES: dict[str, Callable[[Stage], RunFolder | None]] = {
    "never": never, "idle": idle, "running": running, "waiting": waiting, "limited": limited,
    "broken": broken, "unreadable": unreadable, "held": held, "stopped": stopped,
}


EVERY = (
    "check", "status", "status --offline", "why 1", "graph", "config", "logs", "logs r1",
    "report throughput --json", "timer show", "issue list", "issue show 1", "tick --dry-run",
    "stop", "stop --resume", "retry 1", "release 1",
)
NO_TICK = "`agentcells tick` does one"
# What has to stand in an answer beside its exit code: where the person stands, and what to do next.
WORDS = {
    "idle": {
        "check": NO_TICK, "status": "`agentcells issue new", "why 1": "set the label of a cell",
        "tick --dry-run": "Nothing to do", "issue list": "no open issue", "logs": NO_TICK,
        "logs r1": "comment on the issue names it", "issue show 1": "has no issue", "retry 1": "has no issue",
        "release 1": "has no issue", "stop": "`agentcells stop --resume`", "stop --resume": "next tick goes on",
        "timer show": "crontab -e",
    },
    "running": {
        "status": "At work: 1 running", "why 1": "triage has been running for", "retry 1": "`agentcells stop --now`",
        "release 1": "`agentcells stop --now`", "stop": "`agentcells stop --now`", "tick --dry-run": "is working on it now",
        "issue list": "ac:working", "status --offline": "1 running",
    },
    "waiting": {
        "status": "1 of them for you", "why 1": "agentcells issue comment 1", "tick --dry-run": "waits for your answer",
        "retry 1": "The next tick takes it up", "release 1": "until you set a cell's label", "issue show 1": "Which key?",
    },
    "limited": {
        "check": "usage limit was reached", "status": "goes on by itself", "why 1": "It ends by itself",
        "tick --dry-run": "usage limit was reached", "retry 1": "Paused until",
    },
    "broken": {
        "check": "Install git", "status": "`agentcells check`", "why 1": "Install git", "status --offline": "Install git",
    },
    "unreadable": dict.fromkeys(EVERY, "did you mean agent?") | {
        "stop": "`agentcells stop --resume`", "stop --resume": "next tick goes on", "logs": "mistakes",
        "logs r1": "mistakes", "issue list": "mistakes", "issue show 1": "mistakes"},
    "never": dict.fromkeys(EVERY, "`agentcells init`"),
    "held": {
        "status": "/resume", "why 1": "take ac:hold off", "tick --dry-run": "Take ac:hold off",
        "issue list": "ac:hold", "status --offline": "without --offline", "retry 1": "takes it up",
    },
    "stopped": {
        "check": "stop --resume", "status": "stop --resume", "why 1": "stop --resume",
        "tick --dry-run": "stop --resume", "stop": "stopped already",
    },
}
PASS_OVER = ("stop", "logs", "issue")  # a mistake in a table that they do not need
REFUSED = {("idle", words) for words in ("issue show 1", "retry 1", "release 1")} | {("running", "retry 1")}


def code_of(state: str, words: str) -> int:
    if state == "never" or (state == "unreadable" and words.split()[0] not in PASS_OVER):
        return 2
    return 1 if (state, words) in REFUSED or words == "logs r1" else 0


@pytest.mark.parametrize("state", STATES)
def test_every_command_answers_in_every_state(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    stage = Stage(tmp_path / "line", rules=[rule("triage", answer("needs-human", "Which key?"))])
    kept = STATES[state](stage)
    monkeypatch.chdir(stage.root)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{stage.root}:{os.environ['PATH']}")
    (stage.root / "crontab").symlink_to("/bin/false")
    for words in EVERY:
        said = typed(stage, *words.split())
        told = said.out + said.err
        assert said.code == code_of(state, words), (words, told)
        assert WORDS[state].get(words, "") in told, (words, told)
        assert "Traceback" not in told, words
        assert told.strip(), words
        if said.code:
            warned = state == "unreadable" and words.split()[0] in PASS_OVER  # of what was passed over
            assert (said.out, len(said.err.splitlines())) == ("", 1 + warned), (words, told)
    del kept
    assert not (stage.root / "agentcells-report.html").exists()


@pytest.mark.parametrize("state", ["idle", "waiting", "held"])
def test_setting_up_again_changes_nothing(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    stage = Stage(tmp_path / "line", rules=[rule("triage", answer("needs-human", "Which key?"))])
    STATES[state](stage)
    monkeypatch.chdir(stage.root)
    before = stage.cells_path.read_bytes(), (stage.root / "agentcells.lock.toml").read_bytes()
    said = typed(stage, "init", "--yes")
    assert said.code == 0, said
    assert "agentcells check" in said.out
    assert before == (stage.cells_path.read_bytes(), (stage.root / "agentcells.lock.toml").read_bytes())


def test_without_a_terminal_setting_up_says_what_to_type(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with Path(os.devnull).open() as nobody:
        monkeypatch.setattr("sys.stdin", nobody)
        said = typed(None, "init")
    assert said.code == 2
    assert "agentcells init --yes --repo owner/name --owner login" in said.err
    assert list(tmp_path.iterdir()) == []


def test_help_lists_the_commands_in_the_order_of_a_first_day(typed: Typed) -> None:
    listed = [line.split()[0] for line in typed(None, "--help").out.split("Commands:")[1].splitlines() if line.strip()]
    assert listed[:5] == ["init", "check", "tick", "status", "why"]
    assert set(listed) == set(cli.ORDER)
