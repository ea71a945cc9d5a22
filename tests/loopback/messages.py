"""A Messages API on the loopback: plays a script to a real agent and keeps every request.

A script is that of `scripted_agent`: rules with a cell, words of the prompt, and what to do; each
step becomes one turn of the model. Where a conversation stands is read from the request itself (how
often the assistant has spoken), so a request that is tried again gets the same turn again.
"""

from __future__ import annotations

import json
import re
import shlex
import ssl
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from tests.loopback.listening import Loopback

WORKSPACE = "/workspace"  # where the sandbox has the files
ANSWER = "StructuredOutput"
Rule = Mapping[str, Any]


@dataclass(frozen=True)
class Turn:
    """One message of the model."""

    blocks: tuple[Mapping[str, Any], ...]
    stop: str = ""  # "": tool_use when there is one, else end_turn
    tokens: int = 20  # written; what a turn costs

    @property
    def stop_reason(self) -> str:
        used = any(block["type"] == "tool_use" for block in self.blocks)
        return self.stop or ("tool_use" if used else "end_turn")


@dataclass(frozen=True)
class Failure:
    """An answer that is none. `times` 0: always; else the turn behind it follows after so many."""

    status: int
    kind: str = "api_error"
    message: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)
    times: int = 0


@dataclass(frozen=True)
class Broken:
    """A connection that goes wrong: `how` is a method of the handler below."""

    how: str  # refused | garbage | html | empty | half | silent | stalled


Answering = Turn | Failure | Broken


@dataclass(frozen=True)
class Seen:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """The first words of the user, without what the client puts around them."""
        first = self.body["messages"][0]["content"]
        return first if isinstance(first, str) else "\n".join(_texts(first))

    @property
    def results(self) -> list[str]:
        """What the tools said, oldest first."""
        found = []
        for message in self.body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_result":
                    said = block["content"]
                    found.append(said if isinstance(said, str) else "\n".join(_texts(said)))
        return found


# A function looks at the world when its turn comes, and says what the answer is.
Step = Answering | Callable[[Seen], Answering]


def _texts(blocks: Sequence[Mapping[str, Any]]) -> list[str]:
    return [block["text"] for block in blocks if block["type"] == "text"]


# ---------------------------------------------------------------- what the model does


def use(tool: str, **given: Any) -> Turn:
    return Turn(({"type": "tool_use", "name": tool, "input": given},))


def together(*turns: Turn) -> Turn:
    return Turn(tuple(block for turn in turns for block in turn.blocks))


def bash(command: str, **given: Any) -> Turn:
    return use("Bash", command=command, **given)


def cell(*words: str) -> Turn:
    return bash(shlex.join(("agentcells", "cell", *words)))


def says(text: str, stop: str = "") -> Turn:
    return Turn(({"type": "text", "text": text},), stop)


def answers(to: str, comment: str = "So it is.", **more: str) -> Turn:
    return use(ANSWER, next=to, comment=comment, **more)


def steps(actions: Sequence[Mapping[str, Any] | Step]) -> list[Step]:
    """Actions of the scripted agent as turns; a turn may stand among them as it is."""
    found: list[Step] = []
    for action in actions:
        if isinstance(action, Turn | Failure | Broken) or callable(action):
            found.append(action)
            continue
        ((name, value),) = action.items()
        match name:
            case "read":
                found += [use("Read", file_path=f"{WORKSPACE}/{path}") for path in value]
            case "write":  # claude writes over a file only when it has read it
                reads = [use("Read", file_path=f"{WORKSPACE}/{path}") for path in value]
                writes = [
                    use("Write", file_path=f"{WORKSPACE}/{path}", content=text)
                    for path, text in value.items()
                ]
                found += [together(*reads), together(*writes)]
            case "cell":
                found.append(cell(*value))
            case "say":
                found.append(says(value))
            case "answer" | "answer_unchecked":
                found.append(use(ANSWER, **value))
            case _:
                raise ValueError(f"no such action here: {name}")
    return found


# ---------------------------------------------------------------- the server


class Messages:
    """Serves a script until the `with` is over. With a certificate it speaks https."""

    def __init__(
        self, rules: Sequence[Rule], *, certificate: tuple[Path, Path] | None = None,
        below: str = "", models: Sequence[str] | None = None, key: str = "",
    ) -> None:
        self.rules = [(rule, steps(rule["do"])) for rule in rules]
        self.seen: list[Seen] = []
        self.surplus: list[Seen] = []  # asked for more than the script has
        self.below = below  # a gateway's own path, in front of the API's
        self.models = models  # None: a gateway without a list of models
        self.key = key  # the one that is accepted for that list; "": any
        self.last: Answering | None = None  # what the newest request gets
        self.over = threading.Event()
        self.lock = threading.Lock()
        self._failed: dict[tuple[str, int], int] = {}
        handler = type("Handler", (_Handler,), {"api": self})
        self._http = Loopback(("127.0.0.1", 0), handler)
        scheme = "http"
        if certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(*certificate)
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
            scheme = "https"
        self.port = int(self._http.server_address[1])
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Messages:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def asked(self) -> list[Seen]:
        """The requests to the model."""
        return [seen for seen in self.seen if seen.path.startswith(f"{self.below}/v1/messages")]

    @property
    def prompts(self) -> list[str]:
        """The prompt of each run, in the order of their beginnings."""
        return list(dict.fromkeys(seen.prompt for seen in self.asked))

    @property
    def results(self) -> list[str]:
        """All that the tools said in the run that asked last."""
        return self.asked[-1].results

    def step(self, seen: Seen) -> Answering:
        """What this request gets."""
        with self.lock:
            script = self._script(seen.prompt)
            place = sum(message["role"] == "assistant" for message in seen.body["messages"])
            while place < len(script):
                found = script[place]
                if callable(found):
                    return found(seen)
                if not isinstance(found, Failure) or found.times == 0:
                    return found
                key = (seen.headers.get("x-claude-code-session-id", ""), place)
                self._failed[key] = self._failed.get(key, 0) + 1
                if self._failed[key] <= found.times:
                    return found
                script = [*script[:place], *script[place + 1 :]]
            self.surplus.append(seen)
            return Failure(400, "invalid_request_error", "the script is over")

    def _script(self, prompt: str) -> list[Step]:
        named = re.search(r"^Cell: (\S+)$", prompt, re.MULTILINE)
        for rule, script in self.rules:
            fits = re.search(rule.get("prompt", ""), prompt, re.MULTILINE)
            if fits and rule.get("cell") in (None, named and named[1]):
                return script
        raise AssertionError(f"no rule for this prompt: {prompt[:300]}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    api: Messages

    def do_HEAD(self) -> None:
        self._note({})
        self._send(200, b"")

    def do_GET(self) -> None:
        seen = self._note({})
        known, named = self.api.models, seen.path.partition("/v1/models/")[2]
        if known is None:
            self._send(404, b"{}")
        elif self.api.key and seen.headers.get("x-api-key") != self.api.key:
            self._fail(Failure(401, "authentication_error", "invalid x-api-key"))
        elif named and named not in known:
            self._fail(Failure(404, "not_found_error", f"model: {named}"))
        else:
            self._send(200, json.dumps({"data": [], "id": named}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        seen = self._note(body)
        self.api.last = self.api.step(seen)
        match self.api.last:
            case Turn() as turn:
                self._turn(turn, body)
            case Failure() as failure:
                self._fail(failure)
            case Broken(how):
                self.close_connection = True
                broken: Callable[[dict[str, Any]], None] = getattr(self, f"_{how}")
                broken(body)

    def _note(self, body: dict[str, Any]) -> Seen:
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.command, self.path, headers, body)
        self.api.seen.append(seen)
        return seen

    def _send(self, status: int, body: bytes, kind: str = "application/json",
              headers: Mapping[str, str] | None = None) -> None:
        self.send_response_only(status)
        known = {"content-type": kind, "content-length": str(len(body)), "request-id": "req_test"}
        known.update(headers or {})
        for name, value in known.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _fail(self, failure: Failure) -> None:
        error = {"type": failure.kind, "message": failure.message}
        body = {"type": "error", "error": error, "request_id": "req_test"}
        self._send(failure.status, json.dumps(body).encode(), headers=failure.headers)

    # ------------------------------------------------------------ a turn

    def _turn(self, turn: Turn, body: Mapping[str, Any]) -> None:
        message = _message(turn, body)
        if not body.get("stream"):
            self._send(200, json.dumps(message).encode())
            return
        self._stream(_events(message))

    def _stream(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Events as they come from the real one: no length, the end closes the connection."""
        self.send_response_only(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in events:
            line = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
            self.wfile.write(line.encode())
            self.wfile.flush()

    # ------------------------------------------------------------ what goes wrong

    def _refused(self, body: Mapping[str, Any]) -> None:
        """The connection ends without an answer."""

    def _garbage(self, body: Mapping[str, Any]) -> None:
        self._send(200, b"event: message_start\ndata: {nonsense\n\n", "text/event-stream")

    def _html(self, body: Mapping[str, Any]) -> None:
        self._send(200, b"<html>a portal wants you to log in</html>", "text/html")

    def _empty(self, body: Mapping[str, Any]) -> None:
        self._send(200, b"", "text/event-stream")

    def _half(self, body: Mapping[str, Any]) -> None:
        self._stream(_events(_message(says("Half a sen"), body))[:3])

    def _silent(self, body: Mapping[str, Any]) -> None:
        self.api.over.wait(120)

    def _stalled(self, body: Mapping[str, Any]) -> None:
        self._stream(_events(_message(says("Hm."), body))[:1])
        self.api.over.wait(120)

    def log_message(self, *_: object) -> None:
        """Nothing: the world keeps the requests."""


def _message(turn: Turn, body: Mapping[str, Any]) -> dict[str, Any]:
    place = len(body["messages"])
    blocks = [
        {**block, "id": f"toolu_{place:04d}{number:04d}"} if block["type"] == "tool_use" else dict(block)
        for number, block in enumerate(turn.blocks)
    ]
    return {
        "id": f"msg_{place:04d}", "type": "message", "role": "assistant", "model": body["model"],
        "content": blocks, "stop_reason": turn.stop_reason, "stop_sequence": None,
        "usage": {
            "input_tokens": 100, "output_tokens": turn.tokens,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        },
    }


def _events(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A message as the events of its stream."""
    begun = {**message, "content": [], "stop_reason": None}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(message["content"]):
        first, delta = _halves(block)
        events += [
            {"type": "content_block_start", "index": index, "content_block": first},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": ended, "usage": message["usage"]},
        {"type": "message_stop"},
    ]


def _halves(block: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """How a block begins, and the rest of it."""
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    given = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": given}
