"""How claude is called: its flags and environment as measured, and which credential goes where
(R38)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agentcells.run import Order
from agentcells.sandbox import PROXY_PORT, proxy_environment
from agentcells.store import Limits
from agentcells.ways import Upstream, Way, check_upstream

API = "https://api.anthropic.com"
KEY, TOKEN, OAUTH, BASE = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
)
SERVER = "work"  # a name that the model sees
PLACEHOLDER = "set-outside-the-sandbox"
CLIENT_SLACK_S = 60  # the Bash tool must outlast the command's own limit

# Nothing but the API is asked; nothing is remembered; `@path` in a prompt stays text; Bash ends
# what it started.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1",
    "CLAUDE_CODE_MAX_RETRIES": "2",
    "MAX_STRUCTURED_OUTPUT_RETRIES": "3",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}


# Left alone, claude waits two seconds for a tool server and then goes on without it (measured): on a
# busy machine that is too short.
TOGETHER = {
    "MCP_CONNECTION_NONBLOCKING": "false",
    "MCP_CONNECT_TIMEOUT_MS": "60000",
    "MCP_TIMEOUT": "60000",
}

# What we say to claude, as its own help names it (`--max-turns` is hidden there).
FLAGS = (
    "--print", "--output-format", "--verbose", "--setting-sources", "--strict-mcp-config",
    "--disable-slash-commands", "--no-session-persistence", "--permission-mode", "--tools",
    "--allowedTools", "--disallowedTools", "--mcp-config", "--json-schema", "--session-id",
    "--max-budget-usd", "--model", "--effort",
)


def arguments(
    order: Order, limits: Limits, schema: dict[str, Any], session: str,
    server: Mapping[str, object] | None = None,
) -> list[str]:
    """Everything after the name of the program. The prompt goes to standard input.

    `server`: how the door's tools are started, for a cell without a shell.
    """
    tools = ["Read", "Edit", "Write", "Glob", "Grep"] if order.writes else ["Read", "Glob", "Grep"]
    allowed = ["Edit(./**)"] if order.writes else []
    if limits.door == "mcp":
        allowed.append(f"mcp__{SERVER}")
    else:
        tools.insert(0, "Bash")
        allowed.append("Bash(agentcells cell *)")
    argv = [
        "-p",
        "--output-format",
        "stream-json",
        "--verbose",
        "--setting-sources",
        "",
        "--strict-mcp-config",
        "--disable-slash-commands",
        "--no-session-persistence",
        "--permission-mode",
        "dontAsk",
        "--tools",
        ",".join(tools),
        "--allowedTools",
        *allowed,
    ]
    if order.writes and limits.protected:
        argv += ["--disallowedTools", *(f"Edit(./{pattern})" for pattern in limits.protected)]
    if limits.door == "mcp":
        argv += ["--mcp-config", json.dumps({"mcpServers": {SERVER: server}})]
    argv += ["--json-schema", json.dumps(schema, ensure_ascii=False), "--session-id", session]
    argv += ["--max-turns", str(limits.max_turns), "--max-budget-usd", f"{limits.max_usd:g}"]
    for flag, value in (("--model", limits.model), ("--effort", limits.effort)):
        if value:
            argv += [flag, value]
    return argv


def environment(limits: Limits) -> dict[str, str]:
    """What makes claude behave as measured; no credential is in here."""
    patience = str((limits.command_timeout_s + CLIENT_SLACK_S) * 1000)
    if limits.door == "mcp":
        return {**QUIET, **TOGETHER, "MCP_TOOL_TIMEOUT": patience}
    return {**QUIET, "BASH_DEFAULT_TIMEOUT_MS": patience, "BASH_MAX_TIMEOUT_MS": patience}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """How this run reaches its model: what is in the agent's environment, and what its socket
    leads to."""

    how: Literal["plain", "inject", "connect"]
    inside: dict[str, str] = field(default_factory=dict, repr=False)
    way: Way = field(default_factory=Way)


def access(limits: Limits, given: Mapping[str, str]) -> Access:
    """Inject where the credential can be added out here, else a tunnel; without a sandbox, as it
    is.

    `given`: the values of `[agent] env` that are set.
    """
    if limits.containment == "none":
        return Access(how="plain", inside=dict(given))
    can_inject = KEY in given or TOKEN in given
    if limits.network == "connect" or (OAUTH in given and not can_inject):
        return Access(
            how="connect",
            inside={**given, **proxy_environment()},
            way=Way(hosts=limits.agent_hosts),
        )
    url = given.get(BASE, API)
    reaches = bool(limits.agent_hosts or can_inject or BASE in given)
    if reaches:
        check_upstream(url, limits.agent_hosts)
    headers = {}
    if KEY in given:
        headers["x-api-key"] = given[KEY]
    elif TOKEN in given:
        headers["authorization"] = f"Bearer {given[TOKEN]}"
    secret = {KEY, TOKEN, OAUTH, BASE}
    inside = {name: value for name, value in given.items() if name not in secret}
    inside[BASE] = f"http://127.0.0.1:{PROXY_PORT}"
    if can_inject:
        inside[KEY] = PLACEHOLDER
    upstream = Upstream(url=url, headers=headers) if reaches else None
    return Access(how="inject", inside=inside, way=Way(upstream=upstream))


def has_login(given: Mapping[str, str]) -> bool:
    """A key, a token, or another provider whose own login claude finds by itself."""
    others = any(name.startswith("CLAUDE_CODE_USE_") for name in given)
    return others or any(name in given for name in (KEY, TOKEN, OAUTH))


def given_values(names: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    return {name: environ[name] for name in names if environ.get(name)}
