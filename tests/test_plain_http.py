"""Questions by the standard library alone: a connection is kept, and opened again where it was closed."""

from __future__ import annotations

import gzip
import socket
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from agentcells.forge.plain_http import TROUBLE, PlainHttp, public_authorities, usable
from tests.loopback.certificate import certificate


class Handler(BaseHTTPRequestHandler):
    """Says back what it is asked, packed if so wished; "close" is the last answer of a connection."""

    protocol_version = "HTTP/1.1"
    timeout = 5
    opened: list[int]
    paths: list[str]
    ended: threading.Semaphore

    def setup(self) -> None:
        super().setup()
        self.opened.append(self.client_address[1])

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers["content-length"]))
        self.paths.append(self.path)
        if asked == b"nothing":  # taken, perhaps carried out, and never answered
            self.close_connection = True
            return
        body = gzip.compress(asked) if self.headers["accept-encoding"] == "gzip" else asked
        if asked == b"half":
            body = body[:-12]
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.send_header("X-Asked-By", self.headers["user-agent"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if asked == b"close":  # without a word of it, as after a while in which nothing was asked
            self.close_connection = True

    def finish(self) -> None:
        super().finish()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.ended.release()

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    yield from serving(ThreadingHTTPServer(("127.0.0.1", 0), _handler()))


def _handler() -> type[Handler]:
    return type("Kept", (Handler,), {"opened": [], "paths": [], "ended": threading.Semaphore(0)})


def serving(made: ThreadingHTTPServer) -> Iterator[ThreadingHTTPServer]:
    made.daemon_threads = True
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def plain(server: ThreadingHTTPServer, scheme: str = "http", path: str = "/graphql?v=1") -> PlainHttp:
    return PlainHttp(f"{scheme}://127.0.0.1:{server.server_port}{path}", ssl.create_default_context, 5)


def handler(server: ThreadingHTTPServer) -> type[Handler]:
    found = server.RequestHandlerClass
    assert isinstance(found, type)
    assert issubclass(found, Handler)
    return found


def test_one_connection_carries_all_questions_until_the_other_side_closes_it(
    server: ThreadingHTTPServer,
) -> None:
    wire = plain(server)
    answers = [wire.post(body, {"user-agent": "us"}) for body in (b"one", b"close", b"two", b"three")]
    assert [answer.body for answer in answers] == [b"one", b"close", b"two", b"three"]
    assert {(answer.status, answer.headers["x-asked-by"]) for answer in answers} == {(200, "us")}
    assert len(handler(server).opened) == 2
    assert set(handler(server).paths) == {"/graphql?v=1"}
    wire.close()
    assert wire.post(b"four", {"user-agent": "us"}).body == b"four"
    assert len(handler(server).opened) == 3
    wire.close()
    root = plain(server, path="")
    root.post(b"five", {"user-agent": "us"})
    root.close()
    assert handler(server).paths[-1] == "/"


def test_r18_what_may_be_sent_once_is_sent_once(server: ThreadingHTTPServer) -> None:
    wire, asked = plain(server), handler(server)
    wire.post(b"one", {"user-agent": "us"})
    with pytest.raises(TROUBLE):
        wire.post(b"nothing", {"user-agent": "us"}, once=True)
    assert len(asked.paths) == 2
    wire.post(b"two", {"user-agent": "us"})
    with pytest.raises(TROUBLE):  # a question is asked again on a new connection
        wire.post(b"nothing", {"user-agent": "us"})
    assert len(asked.paths) == 5
    wire.close()


def test_what_may_be_sent_once_goes_not_into_a_connection_that_has_ended(server: ThreadingHTTPServer) -> None:
    wire, asked = plain(server), handler(server)
    wire.post(b"close", {"user-agent": "us"})
    assert asked.ended.acquire(timeout=5)
    assert wire.post(b"one", {"user-agent": "us"}, once=True).body == b"one"
    assert (len(asked.opened), len(asked.paths)) == (2, 2)
    wire.close()


def test_half_an_answer_is_trouble_and_the_connection_is_not_used_again(
    server: ThreadingHTTPServer,
) -> None:
    wire = plain(server)
    with pytest.raises(TROUBLE, match="half an answer"):
        wire.post(b"half", {"user-agent": "us"})
    wire.close()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = PlainHttp(f"http://127.0.0.1:{free.getsockname()[1]}", ssl.create_default_context, 5)
        with pytest.raises(ConnectionRefusedError):
            nobody.post(b"one", {})


def test_only_a_certificate_that_is_trusted_is_spoken_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cert, key = certificate(tmp_path)
    made = ThreadingHTTPServer(("127.0.0.1", 0), _handler())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    made.socket = context.wrap_socket(made.socket, server_side=True)
    for server in serving(made):
        url = f"https://127.0.0.1:{server.server_port}"
        for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(ssl.SSLCertVerificationError):
            PlainHttp(url, public_authorities, 5).post(b"one", {"user-agent": "us"})
        monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
        with pytest.raises(ssl.SSLCertVerificationError):  # no file there has the name that OpenSSL looks for
            PlainHttp(url, public_authorities, 5).post(b"one", {"user-agent": "us"})
        monkeypatch.setenv("SSL_CERT_FILE", str(cert))
        wire = PlainHttp(url, public_authorities, 5)
        assert wire.post(b"one", {"user-agent": "us"}).body == b"one"
        wire.close()


def test_a_proxy_is_left_to_who_knows_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert usable(loopback=False)
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert not usable(loopback=False)
    assert usable(loopback=True)
    monkeypatch.delenv("https_proxy")
    monkeypatch.setattr("sys.platform", "darwin")
    assert not usable(loopback=False)
