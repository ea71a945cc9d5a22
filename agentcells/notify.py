"""Tells the owner outside the forge: by a command or a webhook, as `[notify]` of cells.toml says.

A notice that cannot be delivered is said in the log and tried again by the next pass; it never stops
the factory.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from agentcells import handover
from agentcells.alerts import TOLD, Alert, alerts, failing, told, untold
from agentcells.events import Emit
from agentcells.forge.token import fetch
from agentcells.journal import Journal
from agentcells.model import Problem
from agentcells.plan import LastTick, Snapshot
from agentcells.sentences import say
from agentcells.store import State
from agentcells.text import bounded

if TYPE_CHECKING:
    from agentcells.config import Config
    from agentcells.config_model import Notify

TIMEOUT_S = 15
LONGEST = 3_500  # characters of a message; ntfy cuts at 4,096 bytes, Slack at more
AT_ONCE = 10  # lines of one message; the rest is counted


def wanted(config: Config) -> bool:
    notify = config.notify
    return bool(notify.command or notify.url or notify.url_from)


def tell(config: Config, state: State, emit: Emit, snapshot: Snapshot) -> None:
    """After a pass: everything that stands and was not told. The pass lock is held."""
    if wanted(config):
        standing = alerts(config, snapshot)
        _tell(config, state, emit, standing, standing)


def tick_failed(config: Config, state: State, emit: Emit, tick: LastTick) -> None:
    """After a tick that did not end well."""
    if not wanted(config) or not (found := failing(config, tick)):
        return
    with state.pass_lock(wait=True):
        _tell(config, state, emit, found, None)


def _tell(
    config: Config, state: State, emit: Emit, found: Iterable[Alert],
    standing: Iterable[Alert] | None,
) -> None:
    """`standing` None: what was told before is kept as it is."""
    brake = state.brake()
    new = untold(found, brake)
    sent: tuple[Alert, ...] = ()
    if new:
        try:
            send(config, new)
        except Problem as problem:
            emit.tell("notify_failed", say(problem.key, emit.language, **problem.slots),
                      key=problem.key)
        else:
            sent = new
            emit.tell("notified", say("notify_sent", emit.language, count=len(new)),
                      reasons=[alert.reason for alert in new])
    kept = _kept(brake.told) if standing is None else standing
    after = told(brake, kept, sent)
    if after != brake:
        state.write_brake(after)


def _kept(words: Iterable[str]) -> list[Alert]:
    return [Alert(kind="failure", reason=word.removeprefix(TOLD), text="")
            for word in words if word.startswith(TOLD)]


# ---------------------------------------------------------------- the ways out


def send(config: Config, found: tuple[Alert, ...]) -> None:
    """One message for all of them. Raises Problem."""
    notify = config.notify
    text = message(config, found)
    if notify.command:
        _run(notify, found, text)
    if notify.url or notify.url_from is not None:
        _post(notify, found, text)


def message(config: Config, found: tuple[Alert, ...]) -> str:
    lines = [f"{alert.text} {alert.url}".rstrip() for alert in found[:AT_ONCE]]
    if len(found) > AT_ONCE:
        lines.append(say("notify_more", config.factory.language, count=len(found) - AT_ONCE))
    return bounded("\n".join(lines), LONGEST, config.factory.language)


def _value(found: tuple[Alert, ...], text: str) -> dict[str, object]:
    return {
        "source": "agentcells", "text": text,
        "alerts": [
            {"kind": alert.kind, "reason": alert.reason, "item": alert.item or None,
             "state": alert.state or None, "url": alert.url or None, "text": alert.text}
            for alert in found
        ],
    }


def _run(notify: Notify, found: tuple[Alert, ...], text: str) -> None:
    """The words of the command, with {text} in its place; JSON on its standard input."""
    argv = [word.replace("{text}", text).replace("{url}", found[0].url) for word in notify.command]
    try:
        done = subprocess.run(
            argv, input=json.dumps(_value(found, text), ensure_ascii=False).encode(),
            capture_output=True, timeout=TIMEOUT_S, check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Problem("notify_command", command=argv[0], detail=_why(error)) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2][:200]
        raise Problem("notify_command", command=argv[0], detail=said or f"exit {done.returncode}")


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"{TIMEOUT_S} s"
    return str(getattr(error, "strerror", None) or error)


def _post(notify: Notify, found: tuple[Alert, ...], text: str) -> None:
    """The address may be the secret itself (Slack): it is in no message of ours."""
    from agentcells.webhook import post

    url = notify.url or fetch(notify.url_from).reveal()
    content, headers = body(notify, found, text)
    if notify.token is not None:
        headers["Authorization"] = f"Bearer {fetch(notify.token).reveal()}"
    post(url, content, {"User-Agent": "agentcells", **headers})


def body(
    notify: Notify, found: tuple[Alert, ...], text: str
) -> tuple[bytes, dict[str, str]]:
    """What is posted, and the headers that go with it."""
    if notify.kind == "ntfy":
        urgent = "high" if any(alert.kind != "human" for alert in found) else "default"
        headers = {"Title": "agentcells", "Priority": urgent, "Content-Type": "text/plain"}
        if len(found) == 1 and found[0].url.isascii() and found[0].url.isprintable():
            headers |= {"Click": found[0].url} if found[0].url else {}
        return text.encode(), headers
    value: dict[str, object] = _value(found, text)
    if notify.kind == "slack":  # & < > are all that its text can set off
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        value = {"text": plain, "unfurl_links": False, "unfurl_media": False}
    sent = json.dumps(value, ensure_ascii=False).encode()
    return sent, {"Content-Type": "application/json"}


def failed_elsewhere(config_path: str, envelope: str, mode: str) -> int:
    """The inner command `_tick_failed`: the coordinator itself may not know an address."""
    from agentcells.config import load

    handover.unseal(int(envelope))
    config = load(Path(config_path))
    state = State.open(config.path)
    emit = Emit(mode, config.factory.language, journal=Journal(state.root))
    last = Journal(state.root).last_tick()
    if last is not None:
        tick_failed(config, state, emit, last)
    return 0


__all__ = ["body", "failed_elsewhere", "message", "send", "tell", "tick_failed", "wanted"]
