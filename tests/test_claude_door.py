"""`door = "mcp"`: the same verbs as tools of the real claude, and no shell at all (R37)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.claude_world import ClaudeCase, binary
from tests.loopback.messages import bash, use
from tests.run_case import DONE, FILES, GOOD

pytestmark = pytest.mark.real_claude


def test_r37_the_verbs_as_tools(tmp_path: Path) -> None:
    case = ClaudeCase(tmp_path)
    do = [
        use("mcp__work__observe"),
        {"write": {"greeter.py": GOOD}},
        use("mcp__work__record", message='Greet "Ada"; $(touch /workspace/shell)'),
        use("mcp__work__test"),
        bash("agentcells cell status"),
        DONE,
    ]
    ran = case.play(do, door="mcp")
    assert (ran.kind, ran.end.records) == ("done", ('Greet "Ada"; $(touch /workspace/shell)',))
    assert case.sealed(ran) == {**FILES, "greeter.py": GOOD.encode()}
    assert ran.end.tested is not None
    assert ran.end.tested.passed
    assert ran.init["mcp_servers"] == [{"name": "work", "status": "connected"}]
    offered = {tool["name"] for tool in ran.api.asked[0].body["tools"]}
    assert "Bash" not in offered
    assert {"mcp__work__observe", "mcp__work__record", "mcp__work__test"} < offered
    observed, *_, shell = ran.api.results
    assert json.loads(observed)["status"] == "ok"
    assert "No such tool" in shell


def test_r37_a_long_answer_comes_whole_and_a_failed_test_is_an_error(tmp_path: Path) -> None:
    loud = ("sh", "-c", "echo the beginning; seq 100000; echo the end; exit 1")
    ran = ClaudeCase(tmp_path).play([use("mcp__work__test"), DONE], door="mcp", test=loud)
    (failed,) = ran.api.results
    for words in ("the beginning", "the end", '"passed":false'):
        assert words in failed


ASTRAY = """
import os, sys
argv = [word.replace("door_tools.py", "nowhere.py") for word in sys.argv[1:]]
os.execv(argv[0], argv)
"""


def test_r37_tools_that_do_not_connect_fail_the_run(tmp_path: Path) -> None:
    """Left alone, claude says nothing of it and ends well."""
    astray = tmp_path / "astray.py"
    astray.write_text(ASTRAY)
    command = ("python3", "-I", str(astray), str(binary().resolve()))
    ran = ClaudeCase(tmp_path).play([DONE], door="mcp", agent_command=command)
    assert ran.init["mcp_servers"] == [{"name": "work", "status": "failed"}]
    assert ran.kind == "crash"
    assert 'door = "mcp"' in ran.end.outcome.detail
    assert ran.end.proof is not None
