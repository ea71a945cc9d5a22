"""Serves a set of tools over the Model Context Protocol: stdio, or streamable HTTP with a token.

A connection has a state of its own. On stdio the process is the connection. Over HTTP it is the
session of the handshake; the protocol's later era has no connection at all, so there a client is
told to shake hands: state would be lost without a word.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import uvicorn
from mcp import types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import UNSUPPORTED_PROTOCOL_VERSION
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from agentcells import __version__, door
from agentcells.door import Envelope
from agentcells.sentences import say

Scope: TypeAlias = MutableMapping[str, Any]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH = "/mcp"
IDLE_S = 8 * 3600.0  # a person comes back from lunch; the default of half an hour is too short
_SESSION_HEADER = "mcp-session-id"
_BAD_PARAMS = -32602
_ERRORS = {-32700: "mcp_error_unreadable", -32601: "mcp_error_no_method"}


class Desk(Protocol):
    """A set of tools and what a connection to them keeps."""

    name: str
    language: str

    @property
    def instructions(self) -> str: ...

    def tools(self) -> list[dict[str, Any]]: ...

    def open(self) -> Any:
        """The state of a new connection."""

    def call(self, state: Any, tool: str, arguments: dict[str, Any]) -> Envelope:
        """Never raises."""

    def log(self, text: str) -> None: ...


@dataclass(slots=True)
class _Seat:
    """One connection: its state, one call at a time, and when it was last used."""

    state: Any
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    used: float = 0.0


class Seats:
    """The states of all connections. "" is the one of stdio."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seats: dict[str, _Seat] = {}

    def of(self, request: Any) -> _Seat:
        session = request.headers.get(_SESSION_HEADER, "") if request is not None else ""
        now = time.monotonic()
        for name, seat in list(self._seats.items()):
            if name and now - seat.used > IDLE_S and not seat.turn.locked():
                del self._seats[name]
        seat = self._seats.setdefault(session, _Seat(self._desk.open()))
        seat.used = now
        return seat


# ---------------------------------------------------------------- the protocol


def build(desk: Desk) -> Server[Any]:
    """The server behind both transports."""
    seats = Seats(desk)

    async def list_tools(
        context: ServerRequestContext[Any, Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(t) for t in desk.tools()])

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        seat = seats.of(context.request)
        async with seat.turn:
            # In a thread: git and forges block, and other connections must not wait for them.
            return _result(await asyncio.to_thread(
                desk.call, seat.state, params.name, dict(params.arguments or {})))

    server: Server[Any] = Server(
        desk.name, version=__version__, title=desk.name, instructions=desk.instructions,
        on_list_tools=list_tools, on_call_tool=call_tool,
    )
    server.middleware.append(_keep_connections(desk))
    server.middleware.append(_own_words(desk, seats))
    return server


def _result(envelope: Envelope) -> types.CallToolResult:
    """Both forms hold the same: a client shows one or the other to its model."""
    text = json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))
    # What is no Unicode text (a lone half of a pair) would break the transport.
    text = text.encode("utf-8", "replace").decode()
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=json.loads(text),
        is_error=not door.good(envelope),
    )


def _keep_connections(desk: Desk) -> ServerMiddleware[Any]:
    """Over HTTP only the era that has connections; an "auto" client then shakes hands by itself."""

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        version = ctx.protocol_version
        if ctx.request is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            raise MCPError(
                UNSUPPORTED_PROTOCOL_VERSION, say("mcp_error_handshake", desk.language),
                {"supported": list(HANDSHAKE_PROTOCOL_VERSIONS), "requested": version},
            )
        return await call_next(ctx)

    return middleware


def _own_words(desk: Desk, seats: Seats) -> ServerMiddleware[Any]:
    """A call that the protocol's own checks would refuse in their words is answered in ours."""

    async def middleware(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method == "tools/call" and (wrong := _misshaped(ctx.params or {})):
            envelope = desk.call(seats.of(ctx.request).state, *wrong)
            return _result(envelope).model_dump(by_alias=True, mode="json", exclude_none=True)
        try:
            return await call_next(ctx)
        except MCPError as error:
            if error.code == UNSUPPORTED_PROTOCOL_VERSION:
                raise
            desk.log(f"protocol: {ctx.method}: {error.code} {error.message} {error.data}")
            key = _ERRORS.get(error.code, "mcp_error_request")
            raise MCPError(error.code, say(key, desk.language)) from error
        except ValueError as error:  # what the protocol's own models say of a request
            desk.log(f"protocol: {ctx.method}: {error}")
            raise MCPError(_BAD_PARAMS, say("mcp_error_request", desk.language)) from error

    return middleware


def _misshaped(params: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """Of a call that is none: a name and arguments that are refused in the usual way."""
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        return "", {}
    return None if isinstance(arguments, dict | None) else (name, {"": arguments})


# ---------------------------------------------------------------- stdio


def serve_stdio(desk: Desk) -> None:
    """Until the client closes its end. Standard output carries the protocol and nothing else."""

    async def run() -> None:
        server = build(desk)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    asyncio.run(run())


# ---------------------------------------------------------------- HTTP


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((host, port))
        sock.listen(128)  # before anybody is told the address
    except OSError:
        sock.close()
        raise
    return sock


def serve_http(desk: Desk, sock: socket.socket, tokens: Sequence[str],
               names: Sequence[str] = ()) -> None:
    """Until the process is ended. `names`: hosts that clients may call it by, besides loopback."""
    settings = uvicorn.Config(
        http_app(desk, tokens, names), log_config=None, access_log=False, lifespan="on",
        timeout_graceful_shutdown=2, ws="none",
    )
    uvicorn.Server(settings).run(sockets=[sock])


def http_app(desk: Desk, tokens: Sequence[str], names: Sequence[str] = ()) -> App:
    hosts = [f"{name}:*" for name in ("127.0.0.1", "localhost", "[::1]", *names)]
    app = build(desk).streamable_http_app(
        streamable_http_path=PATH, session_idle_timeout=IDLE_S,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True, allowed_hosts=hosts,
            allowed_origins=[f"http://{host}" for host in hosts],
        ),
    )
    return _Guard(app, desk, tokens)


class _Guard:
    """Nobody without a token; a session belongs to the token that began it. Errors in our words."""

    def __init__(self, app: App, desk: Desk, tokens: Sequence[str]) -> None:
        self._app = app
        self._desk = desk
        self._tokens = [token.encode() for token in tokens]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        token = self._token(scope)
        if token is None:
            return await _refuse(send, 401, say("mcp_error_token", self._desk.language))
        name = hashlib.sha256(token).hexdigest()[:16]
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=name, scopes=[]))
        return await self._app(scope, receive, _Plain(send, self._desk))

    def _token(self, scope: Scope) -> bytes | None:
        headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
        given = next((v for k, v in headers if k.lower() == b"authorization"), b"")
        kind, _, token = given.partition(b" ")
        if kind.lower() != b"bearer":
            return None
        # All are compared, each in constant time.
        found = [known for known in self._tokens if hmac.compare_digest(known, token.strip())]
        return found[0] if found else None


class _Plain:
    """Passes an answer on; of an error only its number and our own words for it."""

    def __init__(self, send: Send, desk: Desk) -> None:
        self._send = send
        self._desk = desk
        self._start: MutableMapping[str, Any] | None = None
        self._body = b""

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start" and message["status"] >= 400:
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._finish(self._start["status"])

    async def _finish(self, status: int) -> None:
        try:
            error = json.loads(self._body)["error"]
            code, data = int(error["code"]), error.get("data")
        except (ValueError, KeyError, TypeError):
            code, data = -32600, None
        known = code == UNSUPPORTED_PROTOCOL_VERSION
        if not known:
            self._desk.log(f"http {status}: {self._body[:500]!r}")
        key = "mcp_error_handshake" if known else _ERRORS.get(code, "mcp_error_request")
        key = {404: "mcp_error_session", 413: "mcp_error_long"}.get(status, key)
        await _refuse(self._send, status, say(key, self._desk.language), code,
                      data if known else None, self._id())

    def _id(self) -> Any:
        try:
            return json.loads(self._body).get("id")
        except (ValueError, AttributeError):
            return None


async def _refuse(send: Send, status: int, message: str, code: int = -32600, data: Any = None,
                  request: Any = None) -> None:
    error = {"code": code, "message": message} | ({"data": data} if data is not None else {})
    body = json.dumps({"jsonrpc": "2.0", "id": request, "error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
