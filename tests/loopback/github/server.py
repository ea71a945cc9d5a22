"""The loopback GitHub over HTTP: /graphql, git, and a back door for the persons of a story."""

from __future__ import annotations

import json
import ssl
import threading
import time
from contextlib import suppress
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from tests.loopback.github import for_gh, rest, smart_http
from tests.loopback.github.engine import Engine
from tests.loopback.github.faults import Answer
from tests.loopback.github.smart_http import Call
from tests.loopback.github.world import World
from tests.loopback.listening import IDLE_S, Loopback

BACK_DOOR = "/_world"


class Server:
    """Serves a world until it is stopped. With a certificate it speaks https."""

    def __init__(
        self, world: World, *, port: int = 0, certificate: tuple[Path, Path] | None = None
    ) -> None:
        self.world = world
        handler = type("Handler", (_Handler,), {"world": world})
        self._http = Loopback(("127.0.0.1", port), handler)
        scheme = "http"
        if certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(*certificate)
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
            scheme = "https"
        self.port = int(self._http.server_address[1])
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        self.api_url = f"{self.url}/graphql"
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def __enter__(self) -> Server:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def wait(self) -> None:
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_S
    world: World

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self._body())

    def _answer(self, body: bytes) -> None:
        with self.world.lock:
            if self.path == "/graphql" and self.command == "POST":
                answer = self._graphql(self.world.engine, body)
            elif self.path.startswith(for_gh.ROOT):
                answer = for_gh.answer(self.world.engine, self._bearer(), self.path, body)
            elif self.path == "/" or self.path.startswith("/repos/"):
                answer = self.world.engine.rest(self._bearer(), self.path, self.command, body)
                tag = answer.headers.get("etag")
                if tag is not None and tag == self.headers.get("if-none-match"):
                    answer = Answer(304, b"", answer.headers)
                if answer.status == 302:
                    place = f"http://{self.headers['host']}{json.loads(answer.body)['location']}"
                    answer = Answer(302, b"", {**answer.headers, "location": place})
            elif self.path.startswith(rest.STORE):
                # A token that comes along to another host would be a token given away.
                log = None if self._bearer() else rest.stored(self.world.hub, self.path)
                answer = Answer(404 if log is None else 200, (log or "").encode())
            elif self.path == BACK_DOOR:
                answer = self._back_door(body)
            elif (fault := self.world.engine.git_fault(self.command, self.path)) is not None:
                answer = fault
            else:
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = smart_http.serve(
                    self.world.hub, Call(self.command, self.path, headers, body)
                )
            date = format_datetime(self.world.hub.clock.now(), usegmt=True)
        self._send(answer, date)

    def _graphql(self, engine: Engine, body: bytes) -> Answer:
        return engine.answer(self._bearer(), json.loads(body))

    def _bearer(self) -> str:
        return str(self.headers.get("authorization", "").removeprefix("Bearer ").removeprefix("token "))

    def _back_door(self, body: bytes) -> Answer:
        asked: dict[str, Any] = json.loads(body)
        try:
            found = self.world.act(asked["as"], asked["do"], *asked["args"], **asked["kwargs"])
            return Answer(200, json.dumps({"found": found}).encode())
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            return Answer(500, json.dumps({"error": words}).encode())

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            chunks = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                chunks.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(chunks)
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def _send(self, answer: Answer, date: str) -> None:
        time.sleep(answer.delay_s)
        if answer.status == 0:
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name, value in {"date": date, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-type", answer.content_type)
        self.close_connection |= answer.cut
        self.send_header("content-length", str(len(answer.body) + 1_000 * answer.cut))
        with suppress(ConnectionError):  # who waits no longer does not hear it
            self.end_headers()
            self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Nothing: the engine keeps the requests."""
