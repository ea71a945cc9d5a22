"""The commands that look: in every state of the factory, with and without the forge, on both screens."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from agentcells.around import at_work, next_tick
from agentcells.events import Emit
from agentcells.journal import Journal
from agentcells.store import State
from agentcells.watch import Followed, Lines
from tests.factory import Factory, wait_for_words
from tests.github_factory import GitHubFactory
from tests.github_factory import factory as github
from tests.stage import Stage, answer, rule
from tests.test_walk import _everything
from tests.typed import Typed, typed

__all__ = ["typed"]

ASKS = rule("triage", answer("needs-human", "Which key should it be?"))


def state_of(stage: Stage, typed: Typed) -> str:
    return str(typed(stage, "status", "--json").value["state"])


def test_status_and_why_follow_the_factory_through_its_states(tmp_path, typed: Typed):
    stage = Stage(tmp_path, rules=[ASKS])
    assert state_of(stage, typed) == "idle"
    number = stage.file("triage")
    assert state_of(stage, typed) == "going"
    folder = stage.claim()
    assert state_of(stage, typed) == "running"
    assert f"({folder.run})" in typed(stage, "why", str(number)).out
    stage.play(folder)
    stage.tick()
    assert state_of(stage, typed) == "waiting"
    why = typed(stage, "why", str(number)).out
    assert "Which key should it be? Your comment on #1 sends it to triage." in why
    stage.label(number, "hold")
    assert state_of(stage, typed) == "held"
    typed(stage, "stop")
    assert state_of(stage, typed) == "stopped"


def test_looking_leaves_no_trace(tmp_path, typed: Typed):
    stage = Stage(tmp_path, rules=[ASKS])
    number = stage.file("triage")
    stage.tick()
    (stage.state.root / "brake.json").write_text("{broken")
    before = _everything(tmp_path)
    for words in (["status"], ["status", "--offline"], ["why", str(number)], ["graph"], ["logs"],
                  ["status", "--watch"]):
        assert typed(stage, *words).code == 0
    assert _everything(tmp_path) == before
    assert "The brake file could not be read" in typed(stage, "status").out


def test_r32_a_brake_file_set_aside_by_a_tick_is_told_of_for_a_day(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    (stage.state.root / "brake.json").write_text("{broken")
    stage.tick()
    assert "The brake file could not be read" in typed(stage, "status").out
    os.utime(stage.state.root / "brake.broken", (1, 1))
    assert "brake file" not in typed(stage, "status").out


@pytest.mark.parametrize("words", [["status"], ["why", "1"], ["logs"], ["graph"], ["retry", "1"]])
def test_a_factory_that_was_never_set_up_says_how_to(tmp_path, typed: Typed, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    said = typed(None, *words)
    assert said.code == 2
    assert said.out == ""
    assert "agentcells init" in said.err


def test_without_the_forge_and_its_token_all_that_was_read_is_shown(tmp_path: Path):
    with github(tmp_path, rules=[ASKS]) as line:
        number = line.file()
        line.tick()
        cells = line.cells_path.read_text()
        line.token_file.unlink()
        said = line.run("status")
        _shown_without_forge(line, number, said)
        line.give_token()
    down = line.run("status")
    _shown_without_forge(line, number, down)
    offline = line.run("status", "--offline")
    assert "The forge was not asked; this is as it was read at" in offline.stdout
    assert "The forge was not reached" in line.run("why", str(number)).stdout.splitlines()[0]
    (line.home / "agentcells.lock.toml").unlink()
    assert line.run("status", "--offline").returncode == 0
    assert line.cells_path.read_text() == cells


def _shown_without_forge(
    line: GitHubFactory, number: int, said: subprocess.CompletedProcess[str]
) -> None:
    assert said.returncode == 0, said.stderr
    assert "The forge was not reached:" in said.stdout
    assert f"#{number}" in said.stdout
    assert "waits for your answer" in said.stdout


def test_before_init_made_the_pins_status_says_so(tmp_path: Path):
    with github(tmp_path) as line:
        (line.home / "agentcells.lock.toml").unlink()
        said = line.run("status")
        assert said.returncode == 2
        assert "agentcells init" in said.stderr


def test_offline_before_the_first_tick_there_is_nothing_to_show(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    stage.file("triage")
    assert "nothing was read from it before" in typed(stage, "status", "--offline").out
    why = typed(stage, "why", "1", "--offline").out
    assert "nothing is known of #1 yet" in why
    assert "does not exist" not in why, "nobody has asked"


def test_what_was_seen_by_another_version_is_passed_over(tmp_path, typed: Typed):
    stage = Stage(tmp_path, rules=[ASKS])
    stage.file("triage")
    stage.tick()
    assert "#1" in typed(stage, "status", "--offline").out
    (stage.state.root / "last_look.json").write_text("{")
    assert "nothing was read from it before" in typed(stage, "status", "--offline").out


# ---------------------------------------------------------------- ticks and the timer


def test_whether_a_tick_is_at_work_is_looked_up_and_never_tried(tmp_path):
    state = State(tmp_path)
    assert not at_work(state)
    held = state.tick_lock()
    assert held is not None
    assert at_work(state)
    fcntl.flock(held, fcntl.LOCK_UN)
    assert not at_work(state)
    os.close(held)


SYSTEMCTL = """#!/bin/sh
test "$3" = night.timer || exit 1
printf 'NextElapseUSecRealtime=@4102444800\\nActiveState=%s\\n' "${ACTIVE:-active}"
"""
CRONTAB = """#!/bin/sh
printf '# %s\\n*/10 * * * * agentcells tick --config %s\\n' "$CELLS" "$CELLS"
"""


def test_the_next_tick_is_what_the_system_says_of_our_own_timer(
    tmp_path, monkeypatch, typed: Typed
):
    stage = Stage(tmp_path / "stage")
    programs, units = tmp_path / "bin", tmp_path / "config" / "systemd" / "user"
    programs.mkdir()
    units.mkdir(parents=True)
    for name, text in (("systemctl", SYSTEMCTL), ("crontab", CRONTAB)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CELLS", "/another/cells.toml")
    (units / "other.service").write_text("ExecStart=agentcells tick --config /another/cells.toml\n")
    assert next_tick(stage.config) == (False, None)
    assert "agentcells timer install" in typed(stage, "status").out
    ours = units / "night.service"
    ours.write_text(f'[Service]\nExecStart=agentcells tick --config "{stage.cells_path}"\n')
    assert "Next tick: 2100-01-01 00:00 UTC." in typed(stage, "status").out
    monkeypatch.setenv("ACTIVE", "inactive")
    assert next_tick(stage.config) == (False, None)
    monkeypatch.setenv("CELLS", str(stage.cells_path))
    assert next_tick(stage.config) == (True, None)
    assert "timer" not in typed(stage, "status").out
    ours.unlink()
    ours.mkdir()
    monkeypatch.setenv("PATH", "/nowhere")
    assert next_tick(stage.config) == (False, None)


# ---------------------------------------------------------------- logs


def test_logs_tell_what_ticks_did_and_what_an_agent_did(tmp_path: Path):
    factory = Factory(tmp_path, rules=[
        {"cell": "triage", "do": [{"say": "Let me look."}, answer("needs-human", "Which key?")]}])
    number = factory.file()
    assert "No tick has told anything yet" in factory.run("logs").stderr
    factory.run("tick")
    told = factory.run("logs").stdout
    assert re.search(rf"^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d  triage begins on alice/game#{number} ", told, re.M)
    events = [json.loads(line) for line in factory.run("logs", "--json").stdout.splitlines()]
    run = next(event["run"] for event in events if event["event"] == "run_ended")
    assert len(factory.run("logs", "-n", "2", "--item", str(number)).stdout.splitlines()) == 2
    assert "about #99" in factory.run("logs", "--item", "99").stderr
    story = factory.run("logs", run).stdout.splitlines()
    assert story[0] == f"Run {run}: triage on alice/game#{number}"
    assert "  Let me look." in story
    assert any(line.startswith("Ended: done, next: needs-human") for line in story)
    stream = [json.loads(line) for line in factory.run("logs", run, "--json").stdout.splitlines()]
    assert stream[-1]["type"] == "result"
    item = factory.run("logs", "#1")
    assert (item.returncode, "`agentcells logs --item 1`" in item.stderr) == (1, True)
    unknown = factory.run("logs", "r1")
    assert (unknown.returncode, unknown.stdout) == (1, "")


def test_r45_what_is_kept_of_a_run_is_clean_of_secrets(tmp_path: Path):
    secret = "s3cr3t-Value-0123456789abcdef"
    factory = Factory(tmp_path, rules=[{"cell": "triage", "do": [
        {"say": f"The key is {secret}."}, {"say": "Nothing here."},
        answer("needs-human", "Which key?")]}])
    factory.file()
    factory.run("tick", SOME_API_KEY=secret)
    events = [json.loads(line) for line in factory.run("logs", "--json").stdout.splitlines()]
    run = next(event["run"] for event in events if event["event"] == "run_ended")
    for path in (factory.state / "logs" / run).rglob("*"):
        assert path.is_dir() or secret.encode() not in path.read_bytes(), path
    story = factory.run("logs", run).stdout
    assert "The key is [" in story
    assert "Nothing here." in story


# ---------------------------------------------------------------- the terminal


def on_terminal(command: list[str], env: dict[str, str], columns: int = 100) -> str:
    """What a command prints on a terminal of so many columns."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, 0x5414, bytes([40, 0, columns, 0, 0, 0, 0, 0]))  # TIOCSWINSZ
    process = subprocess.Popen(command, env=env, stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([leader], [], [], 0.2)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    process.wait(60)
    os.close(leader)
    return shown.decode("utf-8", "replace")


@pytest.mark.parametrize("columns", [60, 120])
def test_a_terminal_gets_columns_and_colour_and_no_reason_is_cut(tmp_path: Path, columns):
    factory = Factory(tmp_path)
    factory.file(title="日本語の題名がここに入ります", by="mallory")
    env = factory.environment(TERM="xterm-256color")
    shown = on_terminal(factory.command("status"), env, columns)
    assert "\x1b[" in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert all(len(line) <= columns for line in plain.splitlines())
    assert "Setitagainyourselftostartit." in "".join(plain.split())
    quiet = on_terminal(factory.command("status"), {**env, "NO_COLOR": "1"}, columns)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", quiet)


def test_no_colour_and_no_live_line_without_a_terminal(tmp_path: Path):
    factory = Factory(tmp_path)
    factory.file()
    for words in (["status"], ["status", "--watch"], ["why", "1"], ["--help"]):
        command = factory.command(*words)[: -2 if words == ["--help"] else None]
        done = subprocess.run(command, env=factory.environment(TERM="xterm"), capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=True)
        assert "\x1b" not in done.stdout


def test_watch_follows_a_tick_on_a_terminal_and_as_plain_lines(tmp_path: Path):
    factory = Factory(tmp_path, rules=[{"cell": "triage", "do": [
        {"say": "Let me look."}, {"sleep": 6}, answer("needs-human", "Which key?")]}])
    number = factory.file()
    tick = factory.start("tick", "--json")
    wait_for_words(tick, '"run_started"')
    plain = factory.start("status", "--watch")
    shown = on_terminal(factory.command("status", "--watch"),
                        factory.environment(TERM="xterm-256color"), 140)
    out, err = plain.communicate(timeout=60)
    assert tick.wait(60) == 0
    tick.communicate()
    assert (plain.returncode, err) == (0, "")
    lines = out.splitlines()
    assert lines[-1] == "Nothing is at work now. `agentcells status` shows what waits."
    assert any(f"triage on alice/game#{number}, " in line and "Let me look." in line
               for line in lines)
    assert any(f"triage on alice/game#{number}: done -> needs-human" in line for line in lines)
    assert "Let me look." in shown
    assert "\x1b[?25h" in shown  # the cursor is there again
    assert "Nothing is at work now." in shown


def test_a_watch_that_is_interrupted_leaves_the_tick_alone(tmp_path: Path):
    factory = Factory(tmp_path, rules=[{"cell": "triage", "do": [
        {"sleep": 8}, answer("needs-human", "Which key?")]}])
    number = factory.file()
    tick = factory.start("tick", "--json")
    wait_for_words(tick, '"run_started"')
    watch = factory.start("status", "--watch")
    assert watch.stdout is not None
    assert "triage" in watch.stdout.readline()
    watch.send_signal(signal.SIGINT)
    _out, err = watch.communicate(timeout=30)
    assert (watch.returncode, err) == (130, "")
    assert tick.wait(60) == 0
    tick.communicate()
    assert factory.states(number) == {"needs-human"}


def test_plain_lines_come_when_something_changes_and_not_more_often():
    heard: list[str] = []
    lines = Lines(heard.append, "en")
    row = ("r1", "alice/game#1", "triage", "3 s", "1,000", "-", "Read a")
    lines.rows([row])
    lines.rows([row])
    lines.rows([(*row[:6], "Read b")])
    lines.rows([(*row[:6], "")])
    assert heard == ["r1  triage on alice/game#1, 3 s, 1,000 tokens, -: Read a"]


def test_what_an_agent_wrote_moves_no_cursor_and_ends_no_command(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    folder = stage.state.logs / "r1"
    folder.mkdir(parents=True)
    event = {"type": "result", "result": "a\x1b]0;b\x07"}
    evil = f'{json.dumps(event)}\nplain \x1b[2J \u202e\n{"[" * 100_000}\n'
    (folder / "stream.jsonl").write_text(evil, encoding="utf-8")
    said = typed(stage, "logs", "r1", "--json")
    assert said.code == 0
    assert "\x1b" not in said.out
    first, second, _ = said.out.splitlines()
    assert json.loads(first) == event
    assert second == "plain \\u001b[2J \\u202e"
    assert typed(stage, "logs", "r1").code == 0
    assert typed(stage, "why", "9" * 5_000).code == 2


def test_json_of_what_anybody_wrote_moves_no_cursor_and_says_the_same(
    tmp_path, typed: Typed, capsys: pytest.CaptureFixture[str]
):
    stage = Stage(tmp_path)
    title = "red \x9b31m \u202e 日本 \U000e0041 \u2028."
    number = str(stage.file("triage", title=title))
    for words in (["status"], ["why", number], ["issue", "show", number], ["tick", "--dry-run"]):
        said = typed(stage, *words, "--json")
        assert not {"\x9b", "\u202e", "\U000e0041", "\u2028"} & set(said.out), words
        assert words[0] in ("why", "tick") or title in json.dumps(said.value, ensure_ascii=False)
    Journal(stage.state.root).append({"event": "skip", "text": title})
    Emit(mode="json", language="en").tell("skip", title)
    shown = capsys.readouterr().out + typed(stage, "logs", "--json").out
    assert [json.loads(line)["text"] for line in shown.splitlines()] == [title, title]
    assert not {"\x9b", "\u202e", "\U000e0041"} & set(shown)


def test_watch_reads_a_character_that_two_looks_have_cut(tmp_path):
    line = json.dumps({"type": "assistant", "message": {"id": "m", "content": [
        {"type": "text", "text": "名前で挨拶する"}]}}, ensure_ascii=False).encode() + b"\n"
    at = line.index("挨".encode()) + 1
    stage = Stage(tmp_path)
    stage.file("triage")
    folder = stage.claim()
    followed = Followed(folder.order(), folder.path)
    for size in (at, len(line)):
        (folder.path / "stream.jsonl").write_bytes(line[:size])
        followed.look("ja")
    assert followed.activity.doing == "名前で挨拶する"
    folder.unlock()
