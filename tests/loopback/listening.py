"""A loopback forge over HTTP, whichever it is: one call at a time, with the forge's own date."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


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


class Listener:
    """Answers calls until it is stopped. With a certificate it speaks https."""

    def __init__(
        self, answer: Callable[[Call], tuple[Answer, datetime]], *, port: int = 0,
        certificate: tuple[Path, Path] | None = None,
    ) -> None:
        handler = type("Handler", (_Handler,), {"answer": staticmethod(answer)})
        self._http = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._http.daemon_threads = True
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
    timeout = 30
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
