"""The only ways out of a sandbox: the model's API with the key added out here, or a tunnel to
listed hosts (R38).

Served by the runner on a unix socket of the run. Whatever is refused is logged by the name asked
for.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import select
import socket
import socketserver
import ssl
import threading
import time
from collections.abc import Sequence
from email.message import Message
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agentcells.text import printable
from agentcells.ways import Upstream, Way, check_upstream, join

# All that claude asks of the API when its base URL is set (measured); nothing else is worth a key.
ALLOWED = {
    "HEAD": frozenset({"/"}),
    "POST": frozenset({"/v1/messages", "/v1/messages/count_tokens"}),
}
BODY_LIMIT = 32 << 20  # what the API takes at most
BODIES = 4  # held in memory at a time; further ones wait
CONNECTIONS = 128  # of one sandbox at a time: each has a thread out here
LOG_LIMIT = 1 << 20
CONNECT_WITHIN_S = 30.0
SILENT_S = 1200.0
_NUMBER = re.compile(r"[0-9]{1,12}")
# They belong to one connection, or name the credential or the host: never handed on.
DROPPED = frozenset(
    {
        "host",
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authorization",
        "transfer-encoding",
        "te",
        "trailer",
        "upgrade",
        "authorization",
        "x-api-key",
        "content-length",
        "expect",
    }
)


class Proxy:
    """A listening socket at `path` for as long as the `with` lasts."""

    def __init__(self, path: Path, way: Way, log: Path, account: Sequence[int] = ()) -> None:
        self.server = _Server(path, way, log)
        try:
            if account:
                os.chown(path, account[0], account[1])
            self.woken, self.wake = os.pipe()
        except OSError:
            self.server.server_close()
            raise
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Proxy:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.wake)
        self.thread.join()
        os.close(self.woken)
        self.server.server_close()

    def _serve(self) -> None:
        """Until it is woken: `serve_forever` would only look every so often, and every run's end waits."""
        waiting = select.poll()  # `select` itself knows no number above 1,023
        for fd in (self.server.fileno(), self.woken):
            waiting.register(fd, select.POLLIN)
        while self.woken not in dict(waiting.poll()):
            self.server.handle_request()


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    block_on_close = False
    timeout = 0  # somebody is there already when a request is to be handled
    request_queue_size = 64

    def __init__(self, path: Path, way: Way, log: Path) -> None:
        self.way = way
        self.log = log
        self.logged = 0
        self.room = threading.BoundedSemaphore(CONNECTIONS)
        self.bodies = threading.BoundedSemaphore(BODIES)
        self.writing = threading.Lock()
        back = Path.cwd()  # by its short name: a socket's path has at most 107 bytes
        os.chdir(path.parent)
        try:
            super().__init__(path.name, _Handler)
        finally:
            os.chdir(back)

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own, as long as there is room for one."""
        if self.room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.note(f"refused a connection: {CONNECTIONS} are open")
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self.room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away in the middle is no event worth a traceback."""

    def note(self, text: str) -> None:
        """A line of the log, which an agent in a loop cannot make endless."""
        line = f"{time.strftime('%H:%M:%S')} {printable(text, one_line=True)[:300]}\n"
        with self.writing:
            if self.logged > LOG_LIMIT:
                return
            self.logged += len(line)
            if self.logged > LOG_LIMIT:
                line = "… and more, which is not noted\n"
            with self.log.open("a", encoding="utf-8") as out:
                out.write(line)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "agentcells"
    sys_version = ""
    timeout = SILENT_S

    def log_message(self, format: str, *args: Any) -> None:
        """The run folder's network.log is written by `note`; a request that passes is no news."""

    def handle_one_request(self) -> None:
        self.client_address = ("sandbox", 0)  # a unix socket has no name to show
        super().handle_one_request()

    def do_HEAD(self) -> None:
        self._api()

    def do_GET(self) -> None:
        self._api()

    def do_POST(self) -> None:
        self._api()

    do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_GET

    # ------------------------------------------------------------ the API

    def _api(self) -> None:
        upstream = self.server.way.upstream
        path = self.path.partition("?")[0]
        if upstream is None or path not in ALLOWED.get(self.command, frozenset()):
            self._refuse(f"refused {self.command} {self.path}")
            return
        length = _length(self.headers)
        if length is None:
            self._refuse(f"refused {self.command} {self.path}: no usable length")
            return
        try:
            with contextlib.closing(connection(upstream.url)) as wire:
                self._hand_on(wire, upstream, length)
                self._relay(wire.getresponse())
        except (OSError, http.client.HTTPException, ValueError) as problem:
            self.server.note(f"no answer from {urlsplit(upstream.url).hostname}: {problem}")
            self.close_connection = True

    def _hand_on(self, wire: http.client.HTTPConnection, upstream: Upstream, length: int) -> None:
        """The request as our own client writes it: where it ends is never the sandbox's to say."""
        with self.server.bodies:
            body = self.rfile.read(length)
            if len(body) < length:
                raise ConnectionResetError("the request was cut off")
            target = join(upstream.url, self.path)
            wire.request(self.command, target, body, self._headers(upstream))

    def _headers(self, upstream: Upstream) -> dict[str, str]:
        """Never a line that goes on in the next one: servers differ in what they take it for."""
        kept = {
            name: " ".join(value.split())
            for name, value in self.headers.items()
            if name.lower() not in DROPPED
        }
        return {**kept, **upstream.headers}

    def _relay(self, answer: http.client.HTTPResponse) -> None:
        """Head, then bytes as they come: the stream must not wait for a full buffer."""
        self.send_response_only(answer.status, answer.reason)
        length = answer.getheader("content-length")
        for name, value in answer.getheaders():
            if name.lower() not in DROPPED:
                self.send_header(name, value)
        if length is not None:
            self.send_header("content-length", length)
        else:
            self.send_header("connection", "close")
            self.close_connection = True
        self.end_headers()
        if self.command != "HEAD":
            while data := answer.read1(1 << 16):
                self.wfile.write(data)
                self.wfile.flush()

    # ------------------------------------------------------------ the tunnel

    def do_CONNECT(self) -> None:
        host, _, port = self.path.rpartition(":")
        if not host or not _NUMBER.fullmatch(port) or not self.server.way.allows(host, int(port)):
            self._refuse(f"refused CONNECT {self.path}")
            return
        try:
            outside = socket.create_connection((host, int(port)), CONNECT_WITHIN_S)
        except (OSError, ValueError) as problem:
            self.server.note(f"no connection to {self.path}: {problem}")
            self.send_error(502)
            return
        with outside:
            outside.settimeout(SILENT_S)
            self.send_response_only(200, "Connection established")
            self.end_headers()
            back = threading.Thread(target=_pump, args=(outside, self.connection), daemon=True)
            back.start()
            _pump(self.connection, outside)
            back.join()
        self.close_connection = True

    def _refuse(self, why: str) -> None:
        self.server.note(why)
        self.close_connection = True
        self.send_response(403)
        self.send_header("content-length", "0")
        self.send_header("connection", "close")
        self.end_headers()


def _length(headers: Message) -> int | None:
    """How long the body is; None when it is said in two ways, or could be."""
    said = headers.get_all("content-length", ["0"])
    if "transfer-encoding" in headers or len(said) != 1 or not _NUMBER.fullmatch(said[0]):
        return None
    return int(said[0]) if int(said[0]) <= BODY_LIMIT else None


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def connection(url: str, timeout_s: float = SILENT_S) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(
            parts.hostname or "", parts.port, timeout=timeout_s, context=context
        )
    return http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout_s)


__all__ = ["ALLOWED", "Proxy", "Upstream", "Way", "check_upstream", "connection", "join"]
