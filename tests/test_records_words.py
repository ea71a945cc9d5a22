"""The vocabulary rows L: no word of version control, of a forge or of what failed reaches an agent.

A canary in everything that a backend can say must be in the log and nowhere else; a leaky server,
held against the same lint, must fail it.
"""


from __future__ import annotations

import functools
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from mcp import types
from mcp.server.mcpserver import MCPServer

from agentcells import brain_tools
from agentcells.brain_faults import FAULTS
from agentcells.sentences import SENTENCES
from agentcells.sentences.work import WORK
from agentcells.sentences.work_refusals import WORK_REFUSALS
from tests.brain_backends import _CELLS
from tests.brain_world import Brain, Connection, HttpServer, closing, pool, stdio
from tests.records_world import git
from tests.vocabulary import hits, strings

EVERYTHING = ("lines", "delegate", "draft", "auto")
# What a user wrote himself, by its place in an answer; everything else is ours.
OWN = {"changed_files", "diff", "message", "title", "body", "labels", "project", "path", "files", "diff_summary", "by"}


def ours(value: Any) -> Iterator[str]:
    """Every string and key of an answer that is not a user's own text."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in OWN:
                yield from ours(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from ours(inner)
    elif isinstance(value, str):
        yield value


def lint(answers: Any) -> list[str]:
    return [word for text in ours(answers) for word in hits(text)]


# ---------------------------------------------------------------- L1: static


def test_l1_no_sentence_and_no_tool_has_such_a_word() -> None:
    for key, (english, japanese) in {**WORK, **WORK_REFUSALS}.items():
        assert not hits(english), (key, hits(english))
        assert not hits(japanese), (key, hits(japanese))
        assert english != japanese, key
    for language in ("en", "ja"):
        tools = brain_tools.tools(brain_tools.listed(options=EVERYTHING), language)
        assert not [word for text in strings(tools) for word in hits(text)]


def test_b3_every_fault_has_its_sentence_and_its_hint_in_both_languages() -> None:
    for key, (_, hint) in FAULTS.items():
        for wanted in (key, hint or f"{key}_hint"):
            assert wanted in SENTENCES, wanted
            assert not hits(" ".join(SENTENCES[wanted])), wanted


# ---------------------------------------------------------------- L2: live


def every_answer(brain: Callable[..., dict[str, Any]], root: Path, number: int) -> Iterator[dict[str, Any]]:
    """Each tool in its good states and its bad ones."""
    yield brain("work_observe")
    yield brain("work_record", message="x")
    yield brain("work_session_start", project_root="/nowhere")
    yield brain("work_session_start", project_root=str(root))
    yield brain("work_start", issue_id=number)
    yield brain("work_observe")
    (root / "a").write_text("a\n")
    for tool in ("work_observe", "work_status", "work_diff", "work_finish", "work_publish"):
        yield brain(tool)
    yield brain("work_record", message="a")
    yield brain("work_observe")
    for tool in ("work_finish", "work_publish", "work_publish", "work_update", "work_history", "work_finish", "work_observe"):
        yield brain(tool)
    yield brain("work_record", message="nothing")
    yield brain("work_diff", paths=["no/such"])
    yield brain("work_diff", record="rec-0000000000")
    for tool, more in (("issue_read", {}), ("issue_comment", {"body": "b"}), ("issue_update", {"title": "t"}),
                       ("issue_update", {"labels": ["ac:x"]}), ("issue_close", {"comment": "c"})):
        yield brain(tool, issue_id=number, **more)
        yield brain(tool, issue_id=9_999, **more)
    yield brain("issue_list", state="all")
    yield brain("issue_create", title="t", labels=["none"])
    yield brain("issue_create", title="t")
    for wrong in ({"issue_id": 1}, {"message": 1}, {}):
        yield brain("work_record", **wrong)
    yield brain("git_commit", message="x")


@pytest.mark.parametrize("kind", ["stdio-legacy", "stdio-auto", "http-legacy", "http-auto"])
def test_l2_nothing_that_a_client_gets_has_such_a_word(kind: str) -> None:
    place = pool().world.place()
    number = place.issue(comments=2)
    with closing(pool().fresh(kind)) as fresh:
        answers = list(every_answer(fresh.call, place.game.work, number))
        assert {a["status"] for a in answers} == {"ok", "error"}
        begun = fresh.run(_all_that_is_told)
        assert not lint([answers, begun])
        place.conflict(place.game)
        git(place.plain.work, "checkout", "-q", "--detach")
        blocked = [fresh.call(tool, **more) for root in (place.game.work, place.plain.work) for tool, more in (
            ("work_session_start", {"project_root": str(root)}), ("work_observe", {}), ("work_record", {"message": "x"}),
            ("work_publish", {}), ("work_update", {}), ("work_finish", {}), ("work_status", {}))]
        assert not lint(blocked)


async def _all_that_is_told(client: Any) -> Any:
    tools = await client.list_tools()
    info = client.server_info
    return [client.instructions, info.model_dump() if info else None,
            client.server_capabilities.model_dump(exclude_none=True), [tool.model_dump(exclude_none=True) for tool in tools.tools]]


def test_l2_in_japanese_too() -> None:
    world = pool().world
    place = world.place()
    number = place.issue(comments=1)
    with closing(stdio(world.home, place.root, "auto", "--root", str(place.root), "--lang", "ja")) as fresh:
        answers = list(every_answer(fresh.call, place.game.work, number))
        assert not lint([answers, fresh.run(_all_that_is_told)])
        for answer in answers:
            assert any("\u3040" <= c <= "\u9fff" for c in answer["summary"]), answer


# ---------------------------------------------------------------- L3: the canary, from git


SAID = (
    (128, "fatal: not a git repository (or any of the parent directories): .git", "backend_error"),
    (1, "! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'https://u:{c}@x/y.git'", "conflict"),
    (1, "! [rejected] main -> main (fetch first)", "conflict"),
    (128, "fatal: Authentication failed for 'https://u:{c}@x/y.git'", "auth_failed"),
    (128, "fatal: could not read Username for 'https://x': terminal prompts disabled", "auth_failed"),
    (128, "git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.", "auth_failed"),
    (128, "Host key verification failed.\nfatal: Could not read from remote repository.", "auth_failed"),
    (128, "remote: Invalid username or token. Password authentication is not supported.\nfatal: Authentication failed", "auth_failed"),
    (1, "CONFLICT (content): Merge conflict in a.txt\nAutomatic merge failed; fix conflicts and then commit the result.", "backend_error"),
    (1, "error: pathspec 'x' did not match any file(s) known to git", "backend_error"),
    (128, "fatal: Unable to create '/x/.git/index.lock': File exists.\n\nAnother git process seems to be running", "conflict"),
    (1, "remote: error: GH006: Protected branch update failed for refs/heads/main.\n ! [remote rejected] main -> main (protected branch hook declined)", "policy_blocked"),
    (1, " ! [remote rejected] main -> main (pre-receive hook declined)", "policy_blocked"),
    (1, "You are in 'detached HEAD' state.", "backend_error"),
    (128, "fatal: unable to access 'https://u:{c}@x/': Could not resolve host: x", "backend_error"),
    (128, "fatal: unable to access 'https://x/': Failed to connect to x port 443: Connection refused", "backend_error"),
    (128, "fatal: unable to access 'https://x/': The requested URL returned error: 502", "backend_error"),
    (128, "fatal: unable to access 'https://x/': The requested URL returned error: 403", "auth_failed"),
    (128, "remote: Repository not found.\nfatal: repository 'https://x/y/' not found", "not_found"),
    (128, "error: file write error: No space left on device\nfatal: unable to write loose object", "backend_error"),
    (128, "error: object file .git/objects/aa/bb is empty\nfatal: loose object aabb is corrupt", "backend_error"),
    (128, "fatal: bad object HEAD", "backend_error"),
    (128, "fatal: detected dubious ownership in repository at '/x'", "policy_blocked"),
    (128, "Author identity unknown\n\n*** Please tell me who you are.\n\nfatal: unable to auto-detect email address", "policy_blocked"),
    (128, "error: gpg failed to sign the data\nfatal: failed to write commit object", "policy_blocked"),
    (1, "error: Your local changes to the following files would be overwritten by merge:\n\ta.txt", "conflict"),
    (128, "fatal: refusing to merge unrelated histories", "conflict"),
    (128, "fatal: the remote end hung up unexpectedly\nfatal: early EOF", "backend_error"),
    (137, "Killed", "backend_error"),
    (1, "", "backend_error"),
    (128, '<html><head><title>502 Bad Gateway</title></head><body>{c}</body></html>', "backend_error"),
)

_FAKE = """#!/bin/sh
say="{say}"
if [ -s "$say" ]; then
    case " $* " in *" push "*|*" fetch "*|*" commit "*|*" status "*)
        cat "$say" >&2; exit "$(cat "$say.code")";;
    esac
fi
exec "{real}" "$@"
"""


class Speaking:
    """A server whose git says what a test wants it to say, and its log."""

    def __init__(self, base: Path) -> None:
        self.place = pool().world.place()
        self.say = base / "say"
        self.say.write_text("")
        folder = base / "bin"
        folder.mkdir()
        real = shutil.which("git")
        (folder / "git").write_text(_FAKE.format(say=self.say, real=real))
        (folder / "git").chmod(0o755)
        self.log = base / "server.log"
        env = {"PATH": f"{folder}:{os.environ['PATH']}", "SECRET_OF_THE_ENVIRONMENT": "CANARY-env-0123456789"}
        self.client: Connection = stdio(pool().world.home, self.place.root, "auto", "--root", str(self.place.root),
                                        "--log", str(self.log), **env)
        self.client.call("work_session_start", project_root=str(self.place.game.work))
        self.place.game.write({"a": "a"})
        self.client.call("work_record", message="a")

    def while_it_says(self, code: int, text: str) -> list[dict[str, Any]]:
        """All that an agent can ask for meanwhile."""
        self.say.with_name("say.code").write_text(str(code))
        self.say.write_text(text + "\n")
        try:
            return [self.client.call(tool, **more) for tool, more in (
                ("work_publish", {}), ("work_update", {}), ("work_record", {"message": "x"}), ("work_observe", {}),
                ("work_status", {}), ("work_finish", {}), ("work_diff", {}),
                ("work_session_start", {"project_root": str(self.place.game.work)}))]
        finally:
            self.say.write_text("")


@pytest.fixture(scope="module")
def speaking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Speaking]:
    found = Speaking(tmp_path_factory.mktemp("speaking"))
    yield found
    found.client.close()


@pytest.mark.parametrize("case", range(len(SAID)))
def test_l3_b4_what_git_says_is_in_the_log_and_nowhere_else(speaking: Speaking, case: int) -> None:
    code, text, expected = SAID[case]
    canary = f"CANARY-{secrets.token_hex(6)}"
    text = text.replace("{c}", canary) if "{c}" in text else f"{text} {canary}"
    log = speaking.log.read_text() if speaking.log.exists() else ""
    answers = speaking.while_it_says(code, text)
    told = json.dumps(answers, ensure_ascii=False)
    assert canary not in told
    assert canary in speaking.log.read_text()[len(log):]
    assert not lint(answers)
    for line in text.splitlines():
        for at in range(max(0, len(line) - 12)):
            assert line[at:at + 12] not in told, line[at:at + 12]
    assert answers[0]["error_code"] == expected, answers[0]
    observed = answers[3]
    assert (observed["status"], observed["data"]["work_state"]) == ("ok", "unknown")


def test_l3_afterwards_nothing_was_harmed(speaking: Speaking) -> None:
    assert speaking.client.call("work_publish")["status"] == "ok"
    assert speaking.client.call("work_observe")["data"]["work_state"] == "clean_idle"
    assert "CANARY-env" not in (speaking.log.read_text() if speaking.log.exists() else "")  # nothing told yet


# ---------------------------------------------------------------- L3: the canary, from a forge


class Babbler(BaseHTTPRequestHandler):
    """Answers everything with what the test put into `answer`."""

    answer: tuple[int, str, str] = (200, "application/json", "{}")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        status, kind, body = self.answer
        if status == 0:  # hangs up
            self.connection.close()
            return
        data = body.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PATCH = do_PUT = do_DELETE = do_POST

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module", params=["github", "gitea"])
def babbling(request: pytest.FixtureRequest) -> Iterator[tuple[type[Babbler], Brain]]:
    handler = type("Handler", (Babbler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    brain = Brain("stdio-legacy")
    work = brain.place.plain.work
    (work / "prompts").mkdir()
    (work / "prompts/implement.md").write_text("Do it.\n")
    token = brain.place.root / "token"
    token.write_text("CANARY-token-0123456789abcdef\n")
    api = {"github": f"{url}/graphql", "gitea": f"{url}/api/v1"}[request.param]
    (work / "cells.toml").write_text(_CELLS.format(kind=request.param, repo="alice/plain", api=api, url=url, token=token))
    (work / ".git/info/exclude").write_text("/cells.toml\n/prompts/\n")
    yield handler, brain
    server.shutdown()
    server.server_close()


FORGE_SAYS: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (401, '{"message": "Bad credentials {c}", "documentation_url": "https://docs"}', ("auth_failed",)),
    (401, '{"message": "token is required {c}", "url": "https://x/api/swagger"}', ("auth_failed",)),
    (403, '{"message": "Resource not accessible by personal access token {c}"}', ("policy_blocked", "auth_failed")),
    (404, '{"message": "Not Found {c}"}', ("not_found", "backend_error")),
    (409, '{"message": "conflict {c}"}', ("conflict", "backend_error")),
    (422, '{"message": "Validation Failed {c}"}', ("backend_error", "policy_blocked", "conflict")),
    (429, '{"message": "You have exceeded a secondary rate limit {c}"}', ("policy_blocked",)),
    (500, '{"message": "Internal {c}"}', ("backend_error",)),
    (502, "<html><title>502 Bad Gateway {c}</title></html>", ("backend_error",)),
    (503, "upstream {c}", ("backend_error",)),
    (200, '{"errors": [{"type": "SOMETHING", "message": "went wrong {c}"}]}', ("backend_error",)),
    (200, "not json {c}", ("backend_error",)),
    (0, "{c}", ("backend_error",)),
)


@pytest.mark.parametrize("case", range(len(FORGE_SAYS)))
def test_l3_b4_what_a_forge_says_reaches_no_agent(babbling: tuple[type[Babbler], Brain], case: int) -> None:
    handler, brain = babbling
    status, body, expected = FORGE_SAYS[case]
    canary = f"CANARY-{secrets.token_hex(6)}"
    kind = "text/html" if body.startswith("<") else "application/json"
    handler.answer = (status, kind, body.replace("{c}", canary))
    root = str(brain.place.plain.work)
    started = brain("work_session_start", project_root=root)
    assert (started["status"], started["data"]["issues"]) == ("ok", "unavailable")
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("issue_read", {"issue_id": 3}), ("issue_list", {}), ("issue_create", {"title": "t", "body": "b"}),
        ("issue_comment", {"issue_id": 3, "body": "b"}), ("issue_update", {"issue_id": 3, "title": "t"}),
        ("issue_close", {"issue_id": 3}))
    answers = [brain(tool, **more) for tool, more in calls]
    assert {answer["error_code"] for answer in answers} <= set(expected), answers
    told = json.dumps([started, *answers], ensure_ascii=False)
    assert "CANARY" not in told
    assert "127.0.0.1" not in told
    assert not lint([started, *answers])
    # Work goes on, and an issue that could not be looked up is no reason to lose a record.
    (brain.place.plain.work / canary).write_text("x")
    recorded = brain("work_record", message="x", issue_ids=[3])
    assert recorded["status"] == "ok" or expected[0] == "not_found"
    git(brain.place.plain.work, "clean", "-qfd", "-e", "cells.toml", "-e", "prompts")


# ---------------------------------------------------------------- L7: the lint itself


def leaky() -> MCPServer:
    """A server as one would write it first."""
    server = MCPServer("git-helper", instructions="Wraps git; call git_commit, then git_push.")

    @server.tool()
    def git_commit(message: str, repo: str = ".") -> str:
        """Commit staged changes in the repository."""
        raise RuntimeError("fatal: not a git repository")

    @server.tool()
    def publish() -> dict[str, str]:
        """Share the work."""
        return {"status": "error", "summary": "! [rejected] main -> main (non-fast-forward); exit code 1"}

    return server


def test_l7_a_leaky_server_does_not_pass_the_lint() -> None:
    from tests.brain_world import Connection

    async def opened(stack: Any) -> Any:
        return leaky()

    with closing(Connection(opened, "legacy")) as client:
        told = client.run(_all_that_is_told)
        assert {"Commit", "repository", "git"} <= {*lint(told)}
        calls: tuple[tuple[str, dict[str, Any]], ...] = (("publish", {}), ("git_commit", {"message": 7}), ("nothing", {}))
        results = [client.run(functools.partial(_called, name, args)) for name, args in calls]
        for result in results:
            content = [block.text for block in result.content if isinstance(block, types.TextContent)]
            assert lint([result.structured_content, content]) or "nothing" in str(content)
        assert lint([r.structured_content for r in results])


async def _called(name: str, arguments: dict[str, Any], client: Any) -> Any:
    return await client.call_tool(name, arguments)


def test_l7_the_canary_of_a_leaky_answer_is_found() -> None:
    answer = {"status": "error", "error_code": "backend_error", "summary": "fatal: bad object HEAD", "hint": "exit code 128"}
    assert {"fatal:", "HEAD", "exit code"} <= set(lint(answer))
    assert not lint({"data": {"changed_files": ["git/HEAD"], "diff": "commit push", "title": "fix the git branch"}})


def test_b5_standard_output_carries_the_protocol_alone(tmp_path: Path) -> None:
    """A hook that prints, a git that prints: the client's stream stays whole."""
    brain = Brain("stdio-legacy")
    game = brain.start(brain.place.game)
    game.hook("pre-commit", "echo to standard output; echo to standard error >&2")
    game.hook("post-commit", "echo again")
    game.write({"a": "a"})
    assert brain("work_record", message="a")["status"] == "ok"
    assert brain.state() == "recorded_unpublished"


def test_l4_broken_requests_over_http_are_answered_in_our_words() -> None:
    import httpx2

    server: HttpServer = pool().http
    headers = {"Authorization": "Bearer token-of-the-tests-0001-brain", "Accept": "application/json, text/event-stream",
               "Content-Type": "application/json"}
    for body in (b"{not json", b"[]", b'{"jsonrpc": "2.0"}', b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}',
                 b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', b"x" * (5 * 1024 * 1024)):
        answer = httpx2.post(server.url, headers=headers, content=body, timeout=120)
        assert answer.status_code >= 400
        assert not hits(answer.text), answer.text
        assert "error" in answer.json()


# ---------------------------------------------------------------- L6, A6, A7: the documents


_USERS_WORDS = {"commit", "push", "pull"}  # in quotes: what a user may say, and what it means here


def _guide(name: str, begin: str, end: str) -> str:
    text = (Path(__file__).parent.parent / "docs" / name).read_text(encoding="utf-8")
    return text[text.index(f"## {begin}\n"):text.index(f"\n## {end}\n")]


@pytest.mark.parametrize(("name", "begin", "end"), [
    ("work-records.md", "For the agent", "The worker surface"),
    ("work-records.ja.md", "エージェントへ", "ワーカー用のサーバー"),
])
def test_l6_a6_a7_k11_the_guide_for_the_agent_is_clean_and_names_every_tool(name: str, begin: str, end: str) -> None:
    guide = _guide(name, begin, end)
    assert {word.lower() for word in hits(guide)} <= _USERS_WORDS
    for word in _USERS_WORDS:
        assert guide.count(word) == guide.count(f'"{word}') if name.endswith("s.md") else True
    for tool in brain_tools.listed(options=("lines",)).values():
        assert f"`{tool}" in guide, tool
    for state in ("uninitialized", "dirty", "dirty_and_unpublished", "recorded_unpublished", "clean_with_active_issue",
                  "clean_idle", "blocked", "unknown"):
        assert f"`{state}`" in guide


@pytest.mark.parametrize("name", ["work-records.md", "work-records.ja.md"])
def test_a6_low_level_tools_are_named_in_the_worker_section_alone(name: str) -> None:
    text = (Path(__file__).parent.parent / "docs" / name).read_text(encoding="utf-8")
    before = text[:text.index("\n## The worker surface" if name.endswith("s.md") else "\n## ワーカー用のサーバー")]
    assert "git_" not in before
    assert "gitea_" not in before
    assert "kept in the scope of the MCP connection; when it closes they are reset" in text or name.endswith("ja.md")
