"""The acceptance rows A, B, C and K: what is listed, envelopes, and the session of a connection."""


from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import MCPError
from mcp.types import UNSUPPORTED_PROTOCOL_VERSION

from agentcells import brain_tools, worker_tools
from agentcells.bench_tokens import counter
from agentcells.sentences import say
from tests.brain_world import KINDS, OTHER_TOKEN, TOKEN, Brain, HttpServer, closing, pool, stdio
from tests.records_world import git
from tests.snapshot import same

CORE = ["work_session_start", "work_start", "work_observe", "work_record", "work_publish", "work_finish",
        "issue_read", "issue_create", "issue_comment"]
ALL = {*CORE, "work_status", "work_diff", "work_history", "issue_list", "issue_update", "issue_close", "work_update"}
START = {"tool": "work_session_start", "reason": "The session is not initialised", "required_args": ["project_root"]}
UNINITIALIZED = {
    "work_state": "uninitialized", "default_issue": None, "changed_files": None, "diff_summary": None,
    "unpublished_records": None, "next_recommended": START, "available_next": ["work_session_start"],
}


@pytest.fixture(params=KINDS)
def brain(request: pytest.FixtureRequest) -> Brain:
    return Brain(request.param)


# ---------------------------------------------------------------- A: the surface


def test_a1_a2_a5_k2_exactly_these_tools_with_hints_and_no_argument_of_the_backend(brain: Brain) -> None:
    tools = {tool.name: tool for tool in brain.connection.tools()}
    assert set(tools) == ALL
    for name, tool in tools.items():
        assert re.match(r"(work|issue)_", name)
        assert not {"owner", "repo", "backend", "remote", "url", "token", "session_id"} & set(
            tool.input_schema["properties"])
        assert tool.output_schema is None
    hints = {name: tool.annotations for name, tool in tools.items()}
    for name in ("work_observe", "work_status", "work_diff", "work_history", "issue_read", "issue_list"):
        assert (hints[name].read_only_hint, hints[name].idempotent_hint) == (True, True)
    for name in ("work_session_start", "work_start", "work_finish", "work_publish"):
        assert (hints[name].read_only_hint, hints[name].destructive_hint, hints[name].idempotent_hint) == (False, False, True)
    for name in ("work_record", "issue_create", "issue_comment"):
        assert (hints[name].destructive_hint, hints[name].idempotent_hint) == (False, False)
    assert {name for name, hint in hints.items() if hint.open_world_hint} == {
        "work_publish", "work_update", "issue_create", "issue_comment", "issue_update", "issue_close"}


def test_a2_k1_low_level_tools_are_not_there(brain: Brain) -> None:
    for name in ("git_commit", "git_push", "gitea_get_issue", "github_add_comment", "", "work_merge_line"):
        brain.no(name, "not_found")


def test_a4_k10_instructions_lead_from_start_to_observe(brain: Brain) -> None:
    text = brain.connection.run(_instructions)
    assert text == say("work_instructions")
    order = [text.index(word) for word in ("work record system", "work_session_start", "work_observe", "work_record",
                                           "work_publish", "issue_*", "neither needed nor offered")]
    assert order == sorted(order)
    about = {tool.name: tool.description for tool in brain.connection.tools()}
    for name, words in (
        ("work_session_start", ("Call once first", "no owner or address")),
        ("work_observe", ("At the start of a session or when unsure what to do next", "state", "unrecorded changes",
                          "unshared records", "default issue", "next recommended step")),
        ("work_record", ("lasting record that can be looked up later",)),
        ("work_publish", ("Shares recorded work", "work_record first when unrecorded work remains")),
    ):
        assert all(word in about[name] for word in words), name


async def _instructions(client: Any) -> Any:
    return client.instructions


def test_a1_the_core_lists_the_nine_essential_ones_and_knows_no_other() -> None:
    world = pool().world
    place = world.place()
    with closing(stdio(world.home, place.game.work, "auto", "--core")) as core:
        assert [tool.name for tool in core.tools()] == CORE
        assert core.call("work_session_start", project_root=".")["status"] == "ok"
        place.game.write({"a": "a"})
        data = core.call("work_observe")["data"]
        assert (data["next_recommended"]["tool"], data["available_next"]) == ("work_record", [])
        assert core.call("work_diff")["error_code"] == "not_found"


def test_a3_k12_the_worker_surface_is_a_server_and_a_token_of_its_own() -> None:
    world = pool().world
    place = world.place()
    number = place.issue(comments=2)
    server = HttpServer(world.home, place.game.work, surface="worker")
    try:
        with pytest.raises(httpx2.HTTPStatusError):
            _initialize(server.url, f"{TOKEN}-brain").raise_for_status()
        assert _initialize(server.url, f"{TOKEN}-brain").status_code == 401
        assert _initialize(pool().http.url, f"{TOKEN}-worker").status_code == 401
        with closing(server.connect("auto")) as worker:
            names = {tool.name for tool in worker.run(lambda client: client.list_tools()).tools}
            assert names >= {"git_commit", "git_push", "git_pull", "gitea_get_issue", "gitea_add_comment",
                             "gitea_update_issue", "gitea_close_issue", "github_get_issue"}
            assert not any(name.startswith(("work_", "issue_")) for name in names)
            place.game.write({"a": "a\n"})
            assert worker.call("git_add")["status"] == "ok"
            assert "A. N..." in worker.call("git_status")["data"]["output"]
            assert worker.call("git_commit", message="-a by the worker")["status"] == "ok"
            assert worker.call("git_push", remote="origin", branch="main")["status"] == "ok"
            assert git(place.game.shared, "log", "-1", "--format=%s") == "-a by the worker"
            assert worker.call("git_diff", target="--output=/tmp/x")["error_code"] == "policy_blocked"
            assert worker.call("gitea_get_issue", issue=number)["data"]["output"]["comments"][1]["body"] == "comment 2"
            assert worker.call("github_add_comment", issue=number, body="x")["status"] == "ok"
            assert worker.call("gitea_close_issue", issue=number)["status"] == "ok"
            assert worker.call("work_record", message="x")["error_code"] == "not_found"
    finally:
        server.close()
    assert place.forge().read("alice/game", number).state == "closed"


def test_a3_the_two_surfaces_do_not_know_each_others_tools() -> None:
    source = Path(brain_tools.__file__).read_text()
    assert not re.search(r"^(?:from|import) .*worker_tools", source, re.MULTILINE)
    assert not set(worker_tools.TABLE) & set(brain_tools.listed(options=("lines", "delegate")).values())


# ---------------------------------------------------------------- B: envelopes


def test_b1_b2_every_bad_call_is_an_envelope(brain: Brain) -> None:
    """What holds of each answer is in `brain_world.checked`; here are the ways to ask wrongly."""
    brain.start(brain.place.game)
    for arguments in ({"message": 5}, {"message": "x", "issue_id": 5}, {"message": "x" * 70_000}, {},
                      {"message": "x", "issue_ids": {}}, {"": 1, "message": "x"}):
        brain.no("work_record", "policy_blocked", **arguments)
    assert "issue_ids" in brain.no("work_record", "policy_blocked", message="x", issue_id=5)["hint"]
    brain.no("work_publish", "policy_blocked", force=True)
    assert "without any" in brain.no("work_publish", "policy_blocked", force=True)["hint"]
    brain.no("work_diff", "policy_blocked", paths="src")
    brain.no("work_diff", "policy_blocked", paths=["a\0b"])
    brain.no("work_diff", "policy_blocked", paths=[""])
    assert brain.state() == "clean_idle"


def test_l4_calls_that_the_protocol_itself_would_refuse_are_answered_in_our_words(brain: Brain) -> None:
    for arguments in ([1, 2], "text", 7):
        params: dict[str, Any] = {"name": "work_record", "arguments": arguments}
        result = brain.connection.run(functools.partial(_raw, params))
        assert result["structuredContent"]["error_code"] in ("policy_blocked", "not_found")
        assert result["isError"] is True
    result = brain.connection.run(functools.partial(_raw, {"arguments": {}}))
    assert result["structuredContent"]["error_code"] == "not_found"


async def _raw(params: dict[str, Any], client: Any) -> Any:
    """tools/call as no client library would send it."""
    if client.protocol_version == "2026-07-28":
        params = {**params, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }}
    return await client.session._dispatcher.send_raw_request("tools/call", params)


# ---------------------------------------------------------------- C: the session


@pytest.mark.parametrize("kind", KINDS)
def test_c2_k5_e1_before_the_session_only_start_and_observe_answer(kind: str) -> None:
    with closing(pool().fresh(kind)) as fresh:
        assert fresh.call("work_observe")["data"] == UNINITIALIZED
        for tool in ALL - {"work_session_start", "work_observe"}:
            envelope = fresh.call(tool)
            assert (envelope["error_code"], envelope["hint"]) == (
                "policy_blocked", "Call work_session_start(project_root).")
        assert fresh.call("work_observe")["data"] == UNINITIALIZED


def test_c1_k3_k4_k13_a_session_needs_the_folder_alone_from_anywhere_inside_it(brain: Brain) -> None:
    game, plain = brain.place.game, brain.place.plain
    started = brain.ok("work_session_start", project_root=str(game.work / "src"))
    assert started == {"project": "game", "issues": "available", "default_issue": None}
    number = brain.place.issue()
    brain.ok("work_start", issue_id=number)
    again = brain.ok("work_session_start", project_root=str(game.work))
    assert again["default_issue"] == number  # the same root keeps it
    for wrong, code in ((str(game.work / "nowhere"), "not_found"), (str(brain.place.root), "not_found"),
                        ("/", "policy_blocked"), (str(game.work / "../../../.."), "policy_blocked"), ("", "policy_blocked")):
        brain.no("work_session_start", code, project_root=wrong)
    assert brain.ok("work_observe")["default_issue"] == number  # nothing changed
    other = brain.ok("work_session_start", project_root=str(plain.work))
    assert other == {"project": "plain", "issues": "unavailable", "default_issue": None}
    assert brain.ok("work_observe")["default_issue"] is None  # another root clears it


def test_c1_a_link_out_of_the_allowed_folders_is_not_followed(brain: Brain, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "outside")
    link = brain.place.root / "link"
    link.symlink_to(tmp_path / "outside")
    brain.no("work_session_start", "policy_blocked", project_root=str(link))


def test_c1_by_default_a_server_works_in_the_project_it_was_started_in() -> None:
    world = pool().world
    place = world.place()
    with closing(stdio(world.home, place.game.work / "src")) as here:
        assert here.call("work_session_start", project_root=".")["data"]["project"] == "game"
        assert here.call("work_session_start", project_root=str(place.game.work))["status"] == "ok"
        assert here.call("work_session_start", project_root=str(place.plain.work))["error_code"] == "policy_blocked"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_c3_states_are_isolated_over_a_hundred_interleaved_calls(mode: str) -> None:
    places = [pool().world.place() for _ in range(3)]
    first, second, third = (pool().fresh(kind) for kind in (f"http-{mode}", f"http-{mode}", f"stdio-{mode}"))
    clients = [first, second, third]
    try:
        for client, place in zip(clients, places, strict=True):
            assert client.call("work_observe")["data"] == UNINITIALIZED
            client.call("work_session_start", project_root=str(place.plain.work))
            place.plain.write({place.root.name: "x"})
        for number in range(100):
            answer = clients[number % 3].call("work_start", issue_id=number + 1)
            assert answer["data"] == {"default_issue": number + 1}
            if number % 10 == 9:
                index = (number + 1) % 3
                data = clients[index].call("work_observe")["data"]
                assert (data["changed_files"], data["default_issue"]) == ([places[index].root.name], number - 1)
        second.call("work_start")
        assert [c.call("work_observe")["data"]["default_issue"] for c in clients] == [100, None, 99]
    finally:
        for client in clients:
            client.close()
    with closing(pool().fresh(f"http-{mode}")) as again:
        assert again.call("work_observe")["data"] == UNINITIALIZED


def test_c3_after_a_restart_of_the_server_a_session_begins_anew() -> None:
    world = pool().world
    place = world.place()
    server = HttpServer(world.home, place.game.work)
    port = server.url.split(":")[2].split("/")[0]
    session = _initialize(server.url, f"{TOKEN}-brain").headers["mcp-session-id"]
    assert _observe(server.url, f"{TOKEN}-brain", session).status_code == 200
    server.close()
    server = HttpServer(world.home, place.game.work, "--http", f"127.0.0.1:{port}")
    try:
        gone = _observe(server.url, f"{TOKEN}-brain", session)
        assert (gone.status_code, gone.json()["error"]["message"]) == (
            404, "There is no such session. Begin a new one.")
        with closing(server.connect("auto")) as again:
            assert again.call("work_observe")["data"] == UNINITIALIZED
    finally:
        server.close()


def _initialize(url: str, token: str, **headers: str) -> httpx2.Response:
    return httpx2.post(url, timeout=120, headers={
        "Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream", **headers,
    }, json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})


def _observe(url: str, token: str, session: str) -> httpx2.Response:
    return httpx2.post(url, timeout=120, headers={
        "Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream",
        "Mcp-Session-Id": session,
    }, json={"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "work_observe", "arguments": {}}})


def test_c3_a_session_belongs_to_the_token_that_began_it() -> None:
    url = pool().http.url
    session = _initialize(url, f"{TOKEN}-brain").headers["mcp-session-id"]
    assert _observe(url, f"{TOKEN}-brain", session).status_code == 200
    assert _observe(url, f"{OTHER_TOKEN}-brain", session).status_code == 404
    assert _observe(url, "wrong", session).status_code == 401
    assert _observe(url, f"{TOKEN}-brain", "0" * 32).status_code == 404
    assert httpx2.post(url, json={}).status_code == 401
    assert _observe(url, f"{TOKEN}-brain", session).status_code == 200


def test_c3_another_hosts_page_cannot_reach_the_server() -> None:
    url = pool().http.url
    assert _initialize(url, f"{TOKEN}-brain", Host="evil.example").status_code in (403, 421)
    assert _initialize(url, f"{TOKEN}-brain", Origin="http://evil.example").status_code == 403


def test_c3_the_era_without_connections_is_refused_with_the_way_to_one() -> None:
    with pytest.raises(MCPError) as caught:
        pool().http.connect("2026-07-28").call("work_observe")
    assert caught.value.code == UNSUPPORTED_PROTOCOL_VERSION
    assert "initialize" in caught.value.message
    assert "2025-11-25" in caught.value.data["supported"]


# ---------------------------------------------------------------- size


def test_the_list_of_tools_stays_small() -> None:
    count = counter()
    assert count is not None
    for core, language, most in ((False, "en", 1_000), (True, "en", 600), (False, "ja", 1_000), (True, "ja", 600)):
        sent = [{"name": t["name"], "description": t["description"], "input_schema": t["inputSchema"]}
                for t in brain_tools.tools(brain_tools.listed(core=core), language)]
        text = json.dumps(sent, ensure_ascii=False, separators=(",", ":"))
        assert count(text) <= most
        assert len(text.encode()) <= 4_500


@pytest.mark.parametrize("language", ["en", "ja"])
def test_l8_every_byte_of_the_list_is_meant(language: str) -> None:
    """A change of a name, a word or a schema shows up here, and in a review."""
    options = ("lines", "delegate", "draft", "auto")
    same(f"records/tools.{language}", _lines(brain_tools.tools(brain_tools.listed(), language)))
    everything = brain_tools.tools(brain_tools.listed(options=options), language, options)
    same(f"records/tools_all.{language}", _lines(everything))


def _lines(tools: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
