"""A loopback forge over HTTP, whichever it is: one call at a time, with the forge's own date."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

ServerT = TypeVar("ServerT", bound=HTTPServer)
LINGER_S = 2.0  # for what a client still sends after our last word
IDLE_S = 300  # shorter, a client on a busy machine would write into a connection that was just given up


@dataclass(frozen=True)
class Call:
    method: str
    target: str  # path and query
    headers: Mapping[str, str]  # names in lower case
    body: bytes


@dataclass(frozen=True)
class Answer:
    """`status` 0: the connection ends without an answer."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json; charset=utf-8"


class Loopback(ThreadingHTTPServer):
    """A server that resets no connection, however busy the machine is.

    The kernel answers with a reset what comes to a socket closed before all was read, and on some
    systems a connection too many for the queue (of five, by default).
    """

    daemon_threads = True
    request_queue_size = 128

    def server_activate(self) -> None:
        """Whoever took a connection away from us must not leave us waiting for the next one: nobody could
        stop us then."""
        super().server_activate()
        self.socket.setblocking(False)

    def shutdown_request(self, request: Any) -> None:
        with suppress(OSError):
            request.shutdown(socket.SHUT_WR)
            request.settimeout(LINGER_S)
            while request.recv(65_536):
                pass
        self.close_request(request)


@contextmanager
def serving(server: ServerT) -> Iterator[ServerT]:
    """It answers while this lasts. Nobody waits on the number of a closed socket afterwards, however it
    ends: he would take the callers of the next socket that gets the number."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    with server:
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Listener:
    """Answers calls until it is stopped. With a certificate it speaks https."""

    def __init__(
        self, answer: Callable[[Call], tuple[Answer, datetime]], *, port: int = 0,
        certificate: tuple[Path, Path] | None = None,
    ) -> None:
        handler = type("Handler", (_Handler,), {"answer": staticmethod(answer)})
        self._http = Loopback(("127.0.0.1", port), handler)
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

    def __enter__(self) -> Any:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_S
    answer: Callable[[Call], tuple[Answer, datetime]]

    def _serve(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer, now = self.answer(Call(self.command, self.path, headers, self._body()))
        if answer.status == 0:
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        date = format_datetime(now, usegmt=True)
        for name, value in {"date": date, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-type", answer.content_type)
        self.send_header("content-length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            chunks = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def log_message(self, *_: object) -> None:
        """Nothing: the world keeps the requests."""
