"""Real servers and real clients: the same calls over stdio and HTTP, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from agentcells.forge.local import LocalForge
from tests.records_world import IDENTITY, Desk, git

KINDS = ("stdio-legacy", "stdio-auto", "http-legacy", "http-auto")
REPO = "alice/game"
TOKEN = "token-of-the-tests-0001"
OTHER_TOKEN = "token-of-the-tests-0002"
START = [sys.executable, "-m", "agentcells", "mcp"]
PATIENCE_S = 240  # with many other tests at work on the same machine
_URL = re.compile(r"http://\S+")


_Ask = tuple[Callable[[Client], Any], "Future[Any]"]


class Connection:
    """One client, alive in a thread of its own; calls are plain functions here."""

    def __init__(self, opened: Callable[[contextlib.AsyncExitStack], Any], mode: str) -> None:
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(
            target=lambda: asyncio.run(self._live(opened, mode)), daemon=True)
        self._thread.start()
        self._ready.result(PATIENCE_S)

    async def _live(self, opened: Callable[[contextlib.AsyncExitStack], Any], mode: str) -> None:
        self._loop = asyncio.get_running_loop()
        self._asked: asyncio.Queue[_Ask | None] = asyncio.Queue()
        try:
            async with contextlib.AsyncExitStack() as stack:
                transport = await opened(stack)
                client = await stack.enter_async_context(Client(transport, mode=mode))
                self._ready.set_result(None)
                while (item := await self._asked.get()) is not None:
                    act, answer = item
                    try:
                        answer.set_result(await act(client))
                    except BaseException as error:
                        answer.set_exception(error)
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)

    def run(self, act: Callable[[Client], Any]) -> Any:
        answer: Future[Any] = Future()
        self._put((act, answer))
        return answer.result(PATIENCE_S)

    def _put(self, item: _Ask | None) -> None:
        self._loop.call_soon_threadsafe(self._asked.put_nowait, item)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The envelope, after what must hold of every answer was held against it."""
        result = self.run(lambda client: client.call_tool(tool, arguments))
        return checked(result)

    def tools(self) -> list[Any]:
        found: list[Any] = self.run(lambda client: client.list_tools()).tools
        return found

    def close(self) -> None:
        if self._thread.is_alive():
            self._put(None)
            self._thread.join(PATIENCE_S)


CODES = ("conflict", "auth_failed", "not_found", "policy_blocked", "backend_error")


def checked(result: Any) -> dict[str, Any]:
    """B1 and B2, for every single call of every test."""
    envelope: dict[str, Any] = result.structured_content
    (block,) = result.content
    assert block.text == json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    assert result.is_error == (envelope["status"] == "error")
    if envelope["status"] == "ok":
        assert set(envelope) == {"status", "summary", "data"}
    else:
        assert set(envelope) == {"status", "error_code", "summary", "hint"}
        assert envelope["error_code"] in CODES
        assert envelope["hint"]
    assert envelope["summary"]
    return envelope


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a server of the tests knows: no settings and no token of the machine it runs on."""
    return {
        "PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1",
        "XDG_STATE_HOME": str(home / "state"), "PYTHONPATH": str(Path(__file__).parent.parent),
        **IDENTITY, **more,
    }


def stdio(home: Path, cwd: Path, mode: str = "legacy", *options: str, **env: str) -> Connection:
    """A server process of its own."""
    log = (home / "stdio.log").open("a")
    parameters = StdioServerParameters(
        command=START[0], args=[*START[1:], *options], env=environment(home, **env), cwd=cwd)

    async def opened(stack: contextlib.AsyncExitStack) -> Any:
        stack.callback(log.close)
        return stdio_client(parameters, errlog=log)

    return Connection(opened, mode)


class HttpServer:
    """A server process that several clients share."""

    def __init__(self, home: Path, cwd: Path, *options: str, surface: str = "brain",
                 **env: str) -> None:
        self.log = home / f"http-{surface}.log"
        tokens = home / f"tokens-{surface}"
        tokens.write_text(f"{TOKEN}-{surface}\n{OTHER_TOKEN}-{surface}\n")
        self.surface = surface
        self._output = self.log.open("w")
        self.process = subprocess.Popen(
            [*START, "--http", "127.0.0.1:0", "--token-file", str(tokens), "--surface", surface,
             *options],
            cwd=cwd, env=environment(home, **env), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self._output,
        )
        self.url = self._address()

    def _address(self) -> str:
        for _ in range(int(PATIENCE_S / 0.02)):
            if found := _URL.search(self.log.read_text()):
                return found[0]
            if self.process.poll() is not None:
                break
            threading.Event().wait(0.02)
        raise AssertionError(self.log.read_text())

    def connect(self, mode: str = "legacy", token: str = TOKEN) -> Connection:
        headers = {"Authorization": f"Bearer {token}-{self.surface}"}

        async def opened(stack: contextlib.AsyncExitStack) -> Any:
            client = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S))
            return streamable_http_client(self.url, http_client=client)

        return Connection(opened, mode)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE_S)
        self._output.close()


class World:
    """Projects made by copying, since making them anew costs more than all the rest of a test."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self._number = 0
        template = base / "template"
        (base / "home").mkdir(parents=True)
        forge = LocalForge.create(template / "forge", "alice", [REPO], bot="cells")
        forge.add_account("bob")
        for name in ("bug", "ui", "ac:implement", "ac:working"):
            forge.create_label(REPO, name, "ededed", "")
        bare = Path(forge.remote(REPO).url)
        Desk(template, "game", shared=bare)
        Desk(template, "alone", alone=True)
        Desk(template, "plain")

    @property
    def home(self) -> Path:
        return self.base / "home"

    def place(self) -> Place:
        self._number += 1
        return Place(self.base / "template", self.base / f"place{self._number}")


class Place:
    """One test's own copies: `game` with issues, `plain` without, `alone` without a shared place."""

    def __init__(self, template: Path, root: Path) -> None:
        shutil.copytree(template, root, symlinks=True)
        self.root = root
        for name in ("game", "plain"):
            config = root / name / ".git/config"
            config.write_text(config.read_text().replace(f"{template}/", f"{root}/"))
        self.game = self._desk("game", root / f"forge/repos/{REPO}.git")
        self.plain = self._desk("plain", root / "plain.git")
        self.alone = self._desk("alone", root / "none")
        self.untracked = self.plain

    def _desk(self, name: str, shared: Path) -> Desk:
        desk = Desk.__new__(Desk)
        desk.work, desk.shared = self.root / name, shared
        return desk

    def forge(self, login: str = "alice") -> LocalForge:
        return LocalForge(self.root / "forge", login)

    def issue(self, title: str = "A door that opens", body: str = "It should open.",
              comments: int = 0) -> int:
        forge = self.forge("bob")
        number = forge.create_issue(REPO, title, body, [], [])
        item = forge.read(REPO, number)
        for count in range(1, comments + 1):
            forge.comment(item, f"comment {count}")
        return number

    def item(self, number: int) -> dict[str, Any]:
        found = self.forge().read(REPO, number)
        return {"state": found.state, "assignees": [account.login for account in found.assignees]}

    def conflict(self, desk: Desk) -> None:
        """A person has begun to bring two lines together and has not finished."""
        git(desk.work, "checkout", "-q", "-b", "other")
        desk.write({"src/rules.py": "LIVES = 1\n"})
        git(desk.work, "commit", "-qam", "one")
        git(desk.work, "checkout", "-q", "main")
        desk.write({"src/rules.py": "LIVES = 2\n"})
        git(desk.work, "commit", "-qam", "two")
        git(desk.work, "merge", "other", ok=False)


class Pool:
    """One world, one HTTP server and one client of each kind for all tests of this process.

    A test begins with `work_session_start` on a project of its own, which clears what was before.
    """

    def __init__(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="agentcells-brain-")).resolve()
        self.world = World(self.base)
        self._clients: dict[str, Connection] = {}
        self._server: HttpServer | None = None
        atexit.register(self.close)

    @property
    def http(self) -> HttpServer:
        if self._server is None:
            self._server = HttpServer(self.world.home, self.base, "--root", str(self.base))
        return self._server

    def client(self, kind: str) -> Connection:
        if kind not in self._clients:
            self._clients[kind] = self.fresh(kind)
        return self._clients[kind]

    def fresh(self, kind: str) -> Connection:
        """A connection that nothing was said on yet."""
        transport, mode = kind.split("-")
        if transport == "http":
            return self.http.connect(mode)
        return stdio(self.world.home, self.base, mode, "--root", str(self.base))

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        if self._server is not None:
            self._server.close()
        shutil.rmtree(self.base, ignore_errors=True)


@functools.cache
def pool() -> Pool:
    return Pool()


class Brain:
    """An agent at work on one project of its own."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.connection = pool().client(kind)
        self.place = pool().world.place()

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.connection.call(tool, **arguments)

    def start(self, desk: Desk, issue: int | None = None) -> Desk:
        assert self("work_session_start", project_root=str(desk.work))["status"] == "ok"
        if issue is not None:
            assert self("work_start", issue_id=issue)["status"] == "ok"
        return desk

    def ok(self, tool: str, **arguments: Any) -> dict[str, Any]:
        envelope = self(tool, **arguments)
        assert envelope["status"] == "ok", envelope
        data: dict[str, Any] = envelope["data"]
        return data

    def no(self, tool: str, code: str, **arguments: Any) -> dict[str, Any]:
        envelope = self(tool, **arguments)
        assert envelope["status"] == "error", envelope
        assert envelope["error_code"] == code, envelope
        return envelope

    def state(self) -> str:
        found: str = self.ok("work_observe")["work_state"]
        return found


@contextlib.contextmanager
def closing(connection: Connection) -> Iterator[Connection]:
    try:
        yield connection
    finally:
        connection.close()
