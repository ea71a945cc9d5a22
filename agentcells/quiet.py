"""A tick that finds nothing new says so at once: one conditional question for each repository (R20).

When a tick left nothing pending it leaves a note: what it had read, and the validator of each
repository's newest item, asked for before the listing. While the files are the same and GitHub answers
304, which costs no points, that listing still holds. Standard library only, and no room that loads more.

What a 304 cannot tell: the end of checks, a pause that is over, a claim that is overdue, a cell that is
due. So no note is left while any of these is to be expected, and each is good for an hour at most. It is
a cache: lost, broken or doubted it costs one listing.
"""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import json
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agentcells import __version__

if TYPE_CHECKING:
    from agentcells.config import Config
    from agentcells.plan import Plan, Snapshot
    from agentcells.store import State

NOTE = "quiet.json"
GOOD_FOR_S = 3_600
LISTS_LAG_S = 120  # lists may be behind: what is newer may not be in both of two answers
LOG_LARGEST = 3_900_000  # before its limit: a full log is set aside by a whole tick
TIMEOUT_S = 15.0
PROXIES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")  # the whole tick knows how to go there
NEWEST = "issues?state=all&sort=updated&direction=desc&per_page=1"
WAITS_FOR_OWNER = frozenset({"skip_needs_human"})
FILES_OF_STATE = ("brake.json", "factory.json", "leases.json")
# Nothing that goes wrong here is told here: the whole tick that follows meets it again, and says it.
TROUBLE = (
    OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, http.client.HTTPException,
    subprocess.SubprocessError,
)


def tick(path: Path, mode: str) -> tuple[int | None, dict[str, str]]:
    """An exit code when nothing is new, else None and the validators of what is there now."""
    found: dict[str, str] = {}
    with suppress(*TROUBLE):
        root = state_folder(path)
        note = json.loads((root / "cache" / NOTE).read_bytes())
        mine = note["cells"] == str(path.resolve())  # two files may be given one folder by mistake
        if mine and _holds(note, root) and _nothing_new(note, found):
            return _end(root, note, mode), {}
    return None, found


def asked(words: Sequence[str]) -> tuple[Path, str] | None:
    """Of `agentcells tick` as typed: where cells.toml is, and how to tell; None for any other words."""
    path, mode, rest = os.environ.get("AGENTCELLS_CONFIG") or "cells.toml", "text", list(words)
    while rest:
        word = rest.pop(0)
        if word == "--json":
            mode = "json"
        elif word in ("-c", "--config") and rest:
            path = rest.pop(0)
        elif word.startswith("--config="):
            path = word.removeprefix("--config=")
        else:
            return None
    return Path(path), mode


def state_folder(cells: Path) -> Path:
    """As `store.state_folder`, which a quiet tick does without."""
    if chosen := os.environ.get("AGENTCELLS_STATE"):
        return Path(chosen).expanduser().absolute()
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(home) / "agentcells" / hashlib.sha256(os.fsencode(os.path.realpath(cells))).hexdigest()[:12]


def _holds(note: Mapping[str, Any], root: Path) -> bool:
    """Everything on this machine is as it was, and the hour is not over."""
    return bool(
        note["version"] == __version__
        and note["written"] <= time.time() < note["written"] + GOOD_FOR_S
        and not any((root / "runs").iterdir())
        and not any(os.environ.get(name) for name in PROXIES)
        and all(_hash(Path(path)) == known for path, known in note["files"].items())
        and note["token"] == _digest(_token(note["source"]))
    )


def _hash(path: Path) -> str:
    """"" for a file that is not there."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _token(source: Mapping[str, Any]) -> str:
    if source["command"]:
        done = subprocess.run(
            source["command"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=True
        )
        return done.stdout.decode().strip()
    if source["file"]:
        return Path(source["file"]).expanduser().read_text(encoding="utf-8")[:8192].strip()
    return os.environ[source["env"]].strip()


# ---------------------------------------------------------------- asking


def _nothing_new(note: Mapping[str, Any], found: dict[str, str]) -> bool:
    """Whether each repository says 304. `found`: validators of those that did not, or were not known."""
    token, known = _token(note["source"]), note["validators"]
    same = bool(note["repos"])
    parts = urlsplit(note["rest"])
    wire = _connection(note)
    try:
        for repo in note["repos"]:
            headers = {
                "authorization": f"Bearer {token}", "accept": "application/vnd.github+json",
                "user-agent": "agentcells",
            }
            if repo in known:
                headers["if-none-match"] = known[repo]
            wire.request("GET", f"{parts.path}/repos/{repo}/{NEWEST}", headers=headers)
            answer = wire.getresponse()
            body = answer.read(1 << 22)
            if answer.status == 304:
                found[repo] = known[repo]
                continue
            same = False
            if answer.status == 200 and _settled(body, answer.getheader("date", "")):
                found[repo] = answer.getheader("etag", "")
    finally:
        wire.close()
    return same


def _connection(note: Mapping[str, Any]) -> http.client.HTTPConnection:
    parts = urlsplit(note["rest"])
    if parts.scheme == "http":  # a loopback: the whole tick refuses any other
        return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_S)
    trusted = ssl.create_default_context(cafile=note["ca_file"] or None)
    return http.client.HTTPSConnection(
        parts.hostname or "", parts.port, timeout=TIMEOUT_S, context=trusted
    )


def _settled(body: bytes, date: str) -> bool:
    """Whether the newest change is old enough to be in the listing that follows, however lists lag."""
    newest = [datetime.fromisoformat(item["updated_at"]) for item in json.loads(body)]
    now = parsedate_to_datetime(date)
    return all((now - at).total_seconds() > LISTS_LAG_S for at in newest)


# ---------------------------------------------------------------- the end of a quiet tick


def _end(root: Path, note: Mapping[str, Any], mode: str) -> int | None:
    """Told and kept as the whole tick does. None: another tick is at work, or the log is full."""
    lock = os.open(root / "tick.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    log = os.open(root / "events.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(log, fcntl.LOCK_EX)
        if os.fstat(log).st_size >= LOG_LARGEST or any((root / "runs").iterdir()):
            return None
        now = datetime.now(UTC)
        stamped = [{"at": now.isoformat(timespec="milliseconds"), **event} for event in note["events"]]
        lines = [json.dumps(event, ensure_ascii=False) for event in stamped]
        # What waits was said in the log when it began to (`Journal.first_told`).
        news = [line for event, line in zip(stamped, lines, strict=True) if event["event"] != "skip"]
        os.write(log, "".join(f"{line}\n" for line in news).encode())
        ended = {"started_at": now.isoformat(), "ended_at": now.isoformat(), "code": 0, "key": "",
                 "text": "", "failures": 0}
        _put(root / "last_tick.json", json.dumps(ended))
    finally:
        os.close(log)
        os.close(lock)
    with suppress(BrokenPipeError):
        for event, line in zip(note["events"], lines, strict=True):
            print(line if mode == "json" else event["text"], file=sys.stdout, flush=True)
    return 0


def _put(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)  # half a file is only in the way, on a full disk above all
        raise


# ---------------------------------------------------------------- the note, by a whole tick


def forget(state: State) -> None:
    """A whole tick begins: what was noted holds no more."""
    with suppress(OSError):
        (state.root / "cache" / NOTE).unlink(missing_ok=True)


def remember(
    config: Config, state: State, snapshot: Snapshot, plan: Plan, events: Sequence[Mapping[str, Any]],
    validators: Mapping[str, str],
) -> None:
    """After a tick that had nothing to do. `validators`: those asked for before its listing."""
    from agentcells import pins
    from agentcells.forge.github_probe import rest_url

    token = config.forge.token
    plain = all(event["event"] in ("skip", "note") for event in events)
    if token is None or not plain or not _nothing_pending(config, state, snapshot, plan):
        return
    cells = config.path
    files = [cells, cells.with_name(pins.FILE), *(cells.parent / cell.prompt for cell in config.cells)]
    files += [state.root / name for name in FILES_OF_STATE]
    source = {"command": list(token.command), "file": token.file, "env": token.env}
    with suppress(*TROUBLE):
        note = {
            "version": __version__, "written": time.time(), "cells": str(cells.resolve()),
            "files": {str(path): _hash(path) for path in files},
            "source": source, "token": _digest(_token(source)), "rest": rest_url(config.forge.api_url),
            "ca_file": config.forge.ca_file, "repos": list(config.forge.repos),
            "validators": dict(validators), "events": list(events),
        }
        _put(state.root / "cache" / NOTE, json.dumps(note, ensure_ascii=False))
        (state.root / "cache" / NOTE).chmod(0o600)


def _nothing_pending(config: Config, state: State, snapshot: Snapshot, plan: Plan) -> bool:
    """Only what the owner or somebody else does on the forge can be news, and it would be seen."""
    from agentcells import notify

    by_time = config.factory.lease or notify.wanted(config) or any(c.on == "factory" for c in config.cells)
    known = [state.memory(repo) for repo in config.forge.repos]
    return (
        config.forge.kind == "github"
        and not by_time
        and not plan.actions
        and all(skip.key in WAITS_FOR_OWNER for skip in plan.skips)
        and not (snapshot.runs or snapshot.unreadable or snapshot.branches or snapshot.notes)
        and not (snapshot.troubles or snapshot.brake.stopped)
        and not (snapshot.brake.paused_until and snapshot.brake.paused_until > snapshot.now)
        # Checks end without any change of the pull request.
        and all(memory is not None and not any(
            row.kind == "pull_request" and row.state == "open" for row in memory.rows
        ) for memory in known)
    )
