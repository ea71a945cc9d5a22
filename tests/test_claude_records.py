"""The real claude as the client of the work records, through a whole piece of work, on every kind of place."""


from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentcells import brain_tools, mcp_install
from agentcells.sentences import say
from tests.brain_backends import project
from tests.brain_world import START, TOKEN, Place, environment, pool
from tests.claude_world import binary
from tests.loopback.messages import Messages, Seen, Turn, bash, says, use
from tests.records_world import git
from tests.test_records_words import lint

pytestmark = pytest.mark.real_claude


def tool(name: str, **arguments: Any) -> Turn:
    return use(f"mcp__work__{name}", **arguments)


class Client:
    """`claude -p` in a project, its model played from a script."""

    def __init__(self, place: Place, work: Path, server: dict[str, Any]) -> None:
        self.home = place.root / "claude-home"
        self.home.mkdir()
        self.work = work
        self.config = place.root / "mcp.json"
        self.config.write_text(json.dumps({"mcpServers": {"work": server}}))

    def says(self, prompt: str, turns: Sequence[Turn], *options: str) -> list[Seen]:
        """The requests that its model got."""
        with Messages([{"do": turns}]) as api:
            env = environment(
                self.home, ANTHROPIC_API_KEY="sk-ant-fake", ANTHROPIC_BASE_URL=api.url,
                CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", CLAUDE_CODE_MAX_RETRIES="0", LANG="C.UTF-8",
                # Without these a busy machine's first turn comes before the server is there.
                MCP_CONNECTION_NONBLOCKING="0", MCP_TIMEOUT="240000")
            done = subprocess.run(
                [str(binary()), "-p", prompt, "--mcp-config", str(self.config), "--strict-mcp-config",
                 "--allowedTools", "mcp__work", "Write", "Read", "Bash", "--output-format", "json", *options],
                cwd=self.work, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
            assert done.returncode == 0, done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:]
            return [seen for seen in api.seen if seen.body.get("tools")]


def over_stdio(place: Place) -> dict[str, Any]:
    return {"command": START[0], "args": [*START[1:], "--root", str(place.root)], "env": environment(place.root)}


def envelopes(seen: Seen) -> list[dict[str, Any]]:
    """What our tools answered, as the model got it."""
    return [json.loads(text) for text in seen.results if text.startswith('{"status"')]


@pytest.mark.parametrize("kind", ["local", "github", "gitea"])
def test_a_whole_piece_of_work_from_start_to_finish(kind: str) -> None:
    place = pool().world.place()
    held = project(kind, place)
    desk, number = held.desk, held.issue(comments=4)
    client = Client(place, desk.work, over_stdio(place))
    requests = client.says(f"Work on issue {number}.", [
        tool("work_session_start", project_root=str(desk.work)),
        tool("work_start", issue_id=number),
        tool("issue_read", issue_id=number, last_n_comments=2),
        tool("work_observe"),
        use("Write", file_path=str(desk.work / "gate.py"), content="OPEN = True\n"),
        tool("work_observe"),
        tool("work_record", message="Open the gate"),
        tool("work_publish"),
        tool("work_finish"),
        tool("issue_close", issue_id=number, comment="Open now."),
        says("It is done."),
    ])
    answers = envelopes(requests[-1])
    assert [answer["status"] for answer in answers] == ["ok"] * 9
    assert [a["data"]["work_state"] for a in answers if "work_state" in a["data"]] == [
        "clean_with_active_issue", "dirty", "recorded_unpublished", "clean_with_active_issue"]
    assert not lint(answers)
    assert held.tip() == desk.head()
    assert git(desk.work, "log", "-1", "--format=%B") == f"Open the gate\n\nIssue: #{number}"
    assert held.item(number)["state"] == "closed"
    first = requests[0].body
    ours = [t for t in first["tools"] if t["name"].startswith("mcp__")]
    assert {t["name"].removeprefix("mcp__work__") for t in ours} == set(brain_tools.listed().values())
    assert not lint(ours)
    assert say("work_instructions") in json.dumps(first, ensure_ascii=False)


def test_on_a_plain_project_without_issues() -> None:
    place = pool().world.place()
    desk = place.plain
    client = Client(place, desk.work, over_stdio(place))
    requests = client.says("Do it.", [
        tool("work_session_start", project_root="."), tool("work_observe"),
        use("Write", file_path=str(desk.work / "a.py"), content="A = 1\n"),
        tool("work_record", message="Add a", issue_ids=[]), tool("work_publish"), tool("work_finish"), says("Done."),
    ])
    assert [answer["status"] for answer in envelopes(requests[-1])] == ["ok"] * 5
    assert git(desk.shared, "rev-parse", "main") == desk.head()


def test_commit_this_ends_in_a_record_and_the_shell_is_no_way_around() -> None:
    """With the settings of `mcp install claude-code --deny`: git is refused, so a record is made."""
    place = pool().world.place()
    desk = place.game
    desk.write({"a.py": "A = 1\n"})
    client = Client(place, desk.work, over_stdio(place))
    settings = place.root / "settings.json"
    settings.write_text(json.dumps(mcp_install.settings_value()))
    before = desk.head()
    requests = client.says("Commit this.", [
        bash("git status"), bash("cd . && git commit -am x"),
        tool("work_session_start", project_root="."), tool("work_observe"),
        tool("work_record", message="Add A"), says("Recorded."),
    ], "--settings", str(settings))
    shell = [text for text in requests[-1].results if "denied" in text]
    assert len(shell) == 2
    assert git(desk.work, "rev-list", "--count", f"{before}..HEAD") == "1"
    assert git(desk.work, "log", "-1", "--format=%s") == "Add A"
    assert "gitStatus" not in json.dumps(requests[0].body)


def test_over_http_with_a_token_and_an_error_is_read_with_its_hint() -> None:
    place = pool().world.place()
    server = {"type": "http", "url": pool().http.url, "headers": {"Authorization": f"Bearer {TOKEN}-brain"}}
    client = Client(place, place.game.work, server)
    requests = client.says("Publish.", [
        tool("work_publish"), tool("work_session_start", project_root=str(place.game.work)),
        tool("work_publish"), tool("work_record", message="x"), says("Nothing to do."),
    ])
    answers = envelopes(requests[-1])
    assert [a["status"] for a in answers] == ["error", "ok", "ok", "error"]
    assert answers[0]["hint"] == "Call work_session_start(project_root)."
    assert answers[3]["error_code"] == "policy_blocked"


def test_claude_mcp_add_takes_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    place = pool().world.place()
    home = place.root / "home"
    home.mkdir()
    bin_folder = place.root / "bin"
    bin_folder.mkdir()
    (bin_folder / "claude").symlink_to(binary())
    (bin_folder / "agentcells").write_text(f'#!/bin/sh\nexec {START[0]} -m agentcells "$@"\n')
    (bin_folder / "agentcells").chmod(0o755)
    for name, value in environment(home).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{bin_folder}:{os.environ['PATH']}")
    wanted = mcp_install.Wanted(scope="user", deny=True)
    lines = list(mcp_install.into_claude(wanted, place.game.work))
    assert len(lines) == 2
    listed = subprocess.run([str(binary()), "mcp", "list"], cwd=place.game.work, capture_output=True, timeout=240,
                            stdin=subprocess.DEVNULL, check=False).stdout.decode()
    assert "work" in listed
    assert "Connected" in listed
