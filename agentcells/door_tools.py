"""The door as tools: an MCP server on standard input and output, for a cell without any shell.

Started inside the sandbox by `python3 -I -S`, beside `door.py` and the list of tools `tools.json`;
on the standard library alone. Each call becomes the command line of `agentcells cell`.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SPOKEN = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
NO_METHOD, BAD_PARAMETERS = -32601, -32602


def command_line(tool: dict[str, Any], arguments: dict[str, Any]) -> list[str]:
    """`{"message": "x"}` of the tool `record` as `record -m x`.

    What nobody knows is passed on, to be refused where all is refused.
    """
    words, alone = [str(tool["name"])], []
    for name, value in arguments.items():
        if value is None or value is False:
            continue
        option = tool["options"].get(name, f"--{name}")
        if isinstance(value, list):
            alone += [str(word) for word in value]
        elif value is True:
            words.append(option)
        else:
            words += [option, str(value)]
    return [*words, "--", *alone] if alone else words


def answer(request: dict[str, Any], tools: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The `result` or `error` of one request."""
    method, given = request.get("method"), request.get("params") or {}
    if method == "initialize":
        asked = given.get("protocolVersion")
        return {
            "result": {
                "protocolVersion": asked if asked in SPOKEN else SPOKEN[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "work", "version": "1"},
            }
        }
    if method == "ping":
        return {"result": {}}
    if method == "tools/list":
        shown = ("name", "description", "inputSchema")
        return {"result": {"tools": [{key: tool[key] for key in shown} for tool in tools.values()]}}
    if method != "tools/call":
        return {"error": {"code": NO_METHOD, "message": "There is no such method."}}
    tool = tools.get(str(given.get("name")))
    if tool is None:
        return {"error": {"code": BAD_PARAMETERS, "message": "There is no such tool."}}
    return {"result": _call(tool, given.get("arguments") or {})}


def _call(tool: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    door = runpy.run_path(str(HERE / "door.py"))  # the copy beside this file
    path = os.environ.get("AGENTCELLS_DOOR", door["DOOR"])
    envelope = door["ask"](path, command_line(tool, arguments))
    text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    return {"content": [{"type": "text", "text": text}], "isError": not door["good"](envelope)}


def main() -> int:
    tools = {tool["name"]: tool for tool in json.loads((HERE / "tools.json").read_bytes())}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if "id" in request:  # without one it is a notification, and nobody waits
            reply = {"jsonrpc": "2.0", "id": request["id"], **answer(request, tools)}
            sys.stdout.buffer.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
