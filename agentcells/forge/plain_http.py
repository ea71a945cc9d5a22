"""Requests by the standard library alone: importing httpx and gql takes longer than all else an idle tick
does (R20), and each pass of one that acts would pay for it again.

One connection that is kept between requests, as httpx keeps it. What it cannot do (a proxy) is said by
`usable`, and then the request goes the other way.
"""

from __future__ import annotations

import gzip
import http.client
import os
import select
import ssl
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

PROXIES = ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
TROUBLE = (OSError, http.client.HTTPException)
# A kept connection that the other side has closed meanwhile: nothing was answered, nothing was lost.
CLOSED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError, ssl.SSLEOFError)


@dataclass(frozen=True, slots=True)
class Answered:
    """Header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def usable(loopback: bool) -> bool:
    """Whether the way there is straight. Elsewhere than on Linux the system may know of a proxy."""
    return loopback or (
        sys.platform == "linux" and not any(os.environ.get(name) for name in PROXIES)
    )


class PlainHttp:
    """Posts to one address."""

    def __init__(self, url: str, trusted: Callable[[], ssl.SSLContext], timeout_s: float) -> None:
        self._parts = urlsplit(url)
        self._trusted = trusted
        self._timeout_s = timeout_s
        self._kept: http.client.HTTPConnection | None = None

    def post(self, body: bytes, headers: Mapping[str, str], *, once: bool = False) -> Answered:
        """Raises one of TROUBLE. `once`: what must not be sent a second time, whatever happens (R18)."""
        kept, self._kept = self._kept, None
        if kept is not None and not _ended(kept):
            try:
                return self._ask(kept, body, headers)
            except CLOSED:
                kept.close()
                if once:
                    raise
        return self._ask(self._connection(), body, headers)

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _ask(
        self, wire: http.client.HTTPConnection, body: bytes, headers: Mapping[str, str]
    ) -> Answered:
        try:
            path = self._parts.path + (f"?{self._parts.query}" if self._parts.query else "")
            wire.request("POST", path or "/", body, {**headers, "accept-encoding": "gzip"})
            answer = wire.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            content = _unpacked(answer.read(), told)
        except TROUBLE:
            wire.close()
            raise
        self._kept = wire
        return Answered(answer.status, told, content)

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout_s)
        return http.client.HTTPSConnection(
            host, port, timeout=self._timeout_s, context=self._trusted()
        )


def _ended(kept: http.client.HTTPConnection) -> bool:
    """Whether the other side has hung up meanwhile: nothing else can be there to read before we ask."""
    if kept.sock is None:
        return True
    poll = select.poll()
    poll.register(kept.sock, select.POLLIN)
    if not poll.poll(0):
        return False
    kept.close()
    return True


def _unpacked(content: bytes, headers: Mapping[str, str]) -> bytes:
    if headers.get("content-encoding", "").lower() != "gzip":
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, zlib.error) as error:
        raise OSError(f"half an answer: {error}") from None


def public_authorities() -> ssl.SSLContext:
    """The certificates that httpx trusts as well."""
    if file := os.environ.get("SSL_CERT_FILE"):
        return ssl.create_default_context(cafile=file)
    if folder := os.environ.get("SSL_CERT_DIR"):
        return ssl.create_default_context(capath=folder)
    import certifi

    return ssl.create_default_context(cafile=certifi.where())
