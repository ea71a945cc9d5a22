"""How a client comes to know the work records: one command for Claude Code, a text for others."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentcells.model import Problem
from agentcells.sentences import say

CLAUDE = "claude-code"
SCOPES = ("local", "project", "user")
SETTINGS = ".claude/settings.local.json"
WITHIN_S = 60  # claude itself answers in one or two

# Hiding tools does not stop a shell: without these an agent that is told to "commit" runs git.
DENIED = ("Bash(git:*)", "Bash(gh:*)", "Bash(tea:*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """`name`: the agent sees it as part of each tool's name, so it should not speak of git."""

    name: str = "work"
    scope: str = "local"
    deny: bool = False
    language: str = "en"


def server_command(wanted: Wanted) -> list[str]:
    """What the client starts. By absolute path: a client has a PATH of its own."""
    script = shutil.which("agentcells")
    command = [str(Path(script).absolute())] if script else [sys.executable, "-m", "agentcells"]
    return [*command, "mcp", *(["--lang", wanted.language] if wanted.language != "en" else [])]


def settings_value() -> dict[str, Any]:
    """For a Claude Code settings file."""
    return {"includeGitInstructions": False, "permissions": {"deny": list(DENIED)}}


# ---------------------------------------------------------------- printed


def shown(client: str, wanted: Wanted) -> str:
    """What a person puts into the client's configuration."""
    if client == CLAUDE:
        lines = [shlex.join(_add(wanted))]
        if wanted.deny:
            lines.append(say("mcp_print_intro", wanted.language, file=SETTINGS))
            lines.append(_json(settings_value()))
        return "\n".join(lines)
    command, *arguments = server_command(wanted)
    if client == "codex":
        file, text = "~/.codex/config.toml", "\n".join([
            f"[mcp_servers.{wanted.name}]", f"command = {json.dumps(command)}",
            f"args = {json.dumps(arguments)}",
        ])
    else:
        file = f"{client}: mcp.json"
        text = _json({"mcpServers": {wanted.name: {"command": command, "args": arguments}}})
    return "\n".join([say("mcp_print_intro", wanted.language, file=file), text,
                      say("mcp_print_deny", wanted.language)])


def _add(wanted: Wanted) -> list[str]:
    return ["claude", "mcp", "add", "--scope", wanted.scope, wanted.name, "--",
            *server_command(wanted)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


# ---------------------------------------------------------------- done


def into_claude(wanted: Wanted, folder: Path) -> Iterator[str]:
    """Register the server, and with `deny` close the ways around it in this project."""
    command = _add(wanted)
    if shutil.which("claude") is None:
        raise Problem("mcp_install_no_claude", command=shlex.join(command))
    path = folder / SETTINGS
    settings = _read(path) if wanted.deny else {}
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=WITHIN_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:  # a file that is no program is an OSError
        slow = isinstance(error, subprocess.TimeoutExpired)
        words = say("mcp_install_slow", wanted.language, seconds=WITHIN_S) if slow else str(error)
        raise Problem("mcp_install_failed", detail=words, command=shlex.join(command)) from error
    detail = " ".join((done.stderr or done.stdout).decode("utf-8", "replace").split())[-300:]
    if done.returncode != 0 and "already exists" not in detail:
        raise Problem("mcp_install_failed", detail=detail, command=shlex.join(command))
    key = "mcp_install_there" if done.returncode else "mcp_install_done"
    yield say(key, wanted.language, name=wanted.name, scope=wanted.scope)
    if wanted.deny:
        _write(path, _with_denials(settings))
        _leave_out(folder)
        yield say("mcp_install_denied", wanted.language, path=path)


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except (ValueError, RecursionError) as error:
        raise Problem("mcp_install_settings_bad", path=path) from error
    permissions = value.get("permissions", {}) if isinstance(value, dict) else None
    if not isinstance(permissions, dict) or not isinstance(permissions.get("deny", []), list):
        raise Problem("mcp_install_settings_bad", path=path)
    return dict(value)


def _with_denials(settings: dict[str, Any]) -> dict[str, Any]:
    """What stood there stays."""
    permissions = dict(settings.get("permissions", {}))
    permissions["deny"] = list(dict.fromkeys([*permissions.get("deny", []), *DENIED]))
    return {**settings, "includeGitInstructions": False, "permissions": permissions}


def _write(path: Path, settings: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(_json(settings) + "\n", encoding="utf-8")
    part.replace(path)


def _leave_out(folder: Path) -> None:
    """These are one person's settings: never part of a record, where the gate would refuse them."""
    if shutil.which("git") is None:
        return
    asked = subprocess.run(["git", "rev-parse", "--git-path", "info/exclude"], cwd=folder,
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)
    if asked.returncode != 0:
        return
    path = folder / os.fsdecode(asked.stdout.strip())
    line = f"**/{SETTINGS}"
    old = path.read_text(encoding="utf-8", errors="surrogateescape") if path.exists() else ""
    if line not in old.splitlines():
        path.parent.mkdir(parents=True, exist_ok=True)
        gap = "" if old.endswith("\n") or not old else "\n"
        path.write_text(f"{old}{gap}{line}\n", encoding="utf-8", errors="surrogateescape")
