"""`agentcells mcp`: what a person types, the tokens, the log, and how a client comes to know it."""


from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agentcells import mcp_install
from agentcells.history.checkout import Checkout
from agentcells.mcp_cli import _log_to, _tokens, app
from agentcells.model import Problem
from agentcells.sentences import say
from tests.brain_world import TOKEN, closing, environment, pool, stdio
from tests.records_world import Desk, git, plain_home


def refused(*words: str) -> Problem:
    result = CliRunner().invoke(app, list(words))
    assert isinstance(result.exception, Problem), result.output
    return result.exception


# ---------------------------------------------------------------- serving


@pytest.mark.parametrize(("words", "key"), [
    (("--http", "8801"), "mcp_bad_address"), (("--http", "127.0.0.1:99999"), "mcp_bad_address"),
    (("--http", "0.0.0.0:8801"), "mcp_open_to_all"), (("--surface", "both"), "mcp_bad_choice"),
    (("--lang", "fr"), "mcp_bad_choice"), (("--with", "magic"), "mcp_bad_choice"),
    (("--root", "/no/such/folder"), "mcp_no_folder"), (("--config", "/no/cells.toml"), "config_missing"),
])
def test_what_cannot_be_meant_is_said_in_one_line(words: tuple[str, ...], key: str) -> None:
    problem = refused(*words)
    assert (problem.key, problem.exit_code) == (key, 2)
    for language in ("en", "ja"):
        assert "\n" not in say(key, language, **problem.slots)


def test_a_taken_port_is_said_to_be_taken(tmp_path: Path) -> None:
    port = pool().http.url.split(":")[2].split("/")[0]
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{TOKEN}\n")
    problem = refused("--http", f"127.0.0.1:{port}", "--token-file", str(tokens))
    assert problem.key == "mcp_cannot_listen"


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['mcp'] = None\nfrom agentcells.mcp_cli import app\nfrom agentcells.model import Problem\nfrom agentcells.sentences import say\n" \
        "try:\n    app([], standalone_mode=False)\nexcept Problem as p:\n    print(say(p.key, 'en', **p.slots)); sys.exit(p.exit_code)\n"
    done = subprocess.run([sys.executable, "-c", hidden], cwd=tmp_path, capture_output=True, text=True,
                          env=environment(tmp_path), stdin=subprocess.DEVNULL, timeout=240, check=False)
    assert done.returncode == 2
    assert done.stdout.strip() == "The work record server needs the extra \"mcp\": in the folder of agentcells, .venv/bin/pip install '.[mcp]'  (missing: mcp)"
    assert "Traceback" not in done.stderr


def test_a_token_is_made_once_and_nobody_else_can_read_it(tmp_path: Path) -> None:
    place = tmp_path / "state" / "token"
    first = _tokens(place, "en")
    assert _tokens(place, "en") == first
    assert len(first[0]) >= 32
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    for bad in ("", "short\n", "with\x7fcontrol-character-0001\n", "größer-als-ascii-000001\n"):
        place.write_text(bad)
        with pytest.raises(Problem, match="mcp_token_file"):
            _tokens(place, "en")


def test_the_log_has_a_time_and_no_control_characters(tmp_path: Path) -> None:
    log = tmp_path / "log"
    _log_to(log)("first\nsecond \x1b[31m")
    lines = log.read_text().splitlines()
    assert lines[0].endswith(" first")
    assert lines[1].startswith("  second ")
    assert "\x1b" not in log.read_text()


def test_in_japanese_answers_and_tools_are_japanese() -> None:
    world = pool().world
    place = world.place()
    with closing(stdio(world.home, place.game.work, "auto", "--lang", "ja")) as brain:
        assert brain.call("work_observe")["data"]["next_recommended"]["reason"] == "セッションが初期化されていません"
        assert "記録" in {t.name: t.description for t in brain.tools()}["work_record"]


# ---------------------------------------------------------------- printed


def test_for_any_client_there_is_a_text_to_put_in() -> None:
    shown = CliRunner().invoke(app, ["install", "codex"]).output
    assert "[mcp_servers.work]" in shown
    assert '"mcp"' in shown
    shown = CliRunner().invoke(app, ["install", "cursor", "--lang", "ja"]).output
    value = json.loads(shown[shown.index("{"):shown.rindex("}") + 1])
    assert value["mcpServers"]["work"]["args"][-3:] == ["mcp", "--lang", "ja"]
    shown = CliRunner().invoke(app, ["install", "claude-code", "--print", "--deny", "--scope", "user"]).output
    assert shown.startswith("claude mcp add --scope user work -- ")
    assert "Bash(git:*)" in shown
    assert refused("install", "claude-code", "--scope", "everywhere").key == "mcp_bad_choice"


# ---------------------------------------------------------------- Claude Code


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    plain_home(monkeypatch, tmp_path)
    found = Desk(tmp_path)
    monkeypatch.chdir(found.work)
    return found


def claude(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str = 'echo "$@" > "$HOME/said"') -> None:
    path = folder / "bin"
    path.mkdir()
    (path / "claude").write_text(f"#!/bin/sh\n{script}\n")
    (path / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")


def test_claude_code_is_told_by_its_own_command(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude(tmp_path, monkeypatch)
    result = CliRunner().invoke(app, ["install", "claude-code"])
    assert (result.exit_code, "record this work" in result.output) == (0, True)
    said = (tmp_path / "home/said").read_text()
    assert said.startswith("mcp add --scope local work -- ")
    assert said.strip().endswith(" mcp")
    assert git(desk.work, "status", "--porcelain") == ""


def test_the_ways_around_are_closed_and_what_stood_there_stays(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude(tmp_path, monkeypatch)
    path = desk.work / mcp_install.SETTINGS
    path.parent.mkdir()
    path.write_text('{"model": "opus", "permissions": {"allow": ["Read"], "deny": ["WebFetch", "Bash(git:*)"]}}')
    for _ in range(2):
        assert CliRunner().invoke(app, ["install", "claude-code", "--deny"]).exit_code == 0
    assert json.loads(path.read_text()) == {
        "model": "opus", "includeGitInstructions": False,
        "permissions": {"allow": ["Read"], "deny": ["WebFetch", "Bash(git:*)", "Bash(gh:*)", "Bash(tea:*)"]}}
    # One person's settings: never part of a record, where the gate would refuse them.
    assert Checkout(desk.work).changes() == ()
    assert (desk.work / ".git/info/exclude").read_text().count(mcp_install.SETTINGS) == 1


def test_settings_that_are_no_json_are_left_alone(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    claude(tmp_path, monkeypatch)
    path = desk.work / mcp_install.SETTINGS
    path.parent.mkdir()
    for text in ("{not json", "[]", '{"permissions": []}', "[" * 100_000):
        path.write_text(text)
        assert refused("install", "claude-code", "--deny").key == "mcp_install_settings_bad"
        assert path.read_text() == text
    assert not (tmp_path / "home/said").exists()  # nothing was half done


def test_a_claude_that_is_missing_or_refuses_leaves_the_command_to_type(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert "claude mcp add" in str(refused("install", "claude-code").slots["command"])
    claude(tmp_path, monkeypatch, "echo not today >&2; exit 1")
    problem = refused("install", "claude-code")
    assert (problem.key, problem.slots["detail"]) == ("mcp_install_failed", "not today")


def test_installed_once_more_it_says_so_and_closes_the_ways_around_all_the_same(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude(tmp_path, monkeypatch, "echo MCP server work already exists in local config >&2; exit 1")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["install", "claude-code", "--deny"])
    assert done.exit_code == 0, done.output
    assert "claude mcp remove --scope local work" in done.output
    denied = json.loads((tmp_path / mcp_install.SETTINGS).read_text(encoding="utf-8"))["permissions"]["deny"]
    assert set(mcp_install.DENIED) <= set(denied)


def test_a_claude_that_never_answers_and_a_machine_without_git_are_no_bug(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude(tmp_path, monkeypatch, "exec sleep 20")
    monkeypatch.setattr(mcp_install, "WITHIN_S", 0.2)
    assert "no answer within" in str(refused("install", "claude-code").slots["detail"])
    (tmp_path / "bin/claude").write_text("no program at all\n")
    assert "Exec format error" in str(refused("install", "claude-code").slots["detail"])
    (tmp_path / "bin/claude").write_text("#!/bin/sh\n")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert CliRunner().invoke(app, ["install", "claude-code", "--deny"]).exit_code == 0
    assert (desk.work / mcp_install.SETTINGS).exists()


def test_a_log_that_cannot_be_written_is_told_before_anything_is_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused("--log", str(tmp_path / "nowhere/log")).key == "store_refused"
    log = _log_to(tmp_path / "log")
    (tmp_path / "log").unlink()
    (tmp_path / "log").mkdir()  # as bad as a full disk
    log("it went wrong")
    assert " it went wrong (" in capsys.readouterr().err
