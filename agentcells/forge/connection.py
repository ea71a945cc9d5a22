"""What a connection to a forge over HTTP needs, whatever is said on it: TLS, token, clock."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agentcells.forge import ForgeError, Unavailable

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 30.0
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
TRY_LATER = 75


def demand_private(api_url: str) -> None:
    """A token is sent over https only; plain http reaches this very machine and nobody else."""
    parts = urlsplit(api_url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise ForgeError("forge_insecure", exit_code=2, api=api_url)


def open_client(
    api_url: str, ca_file: str, headers: Mapping[str, str],
    sign: Callable[[httpx.Request], httpx.Request],
) -> httpx.Client:
    """`sign` puts the token on each request on its way out: the client itself does not hold it."""
    import httpx

    return httpx.Client(
        auth=sign,
        headers={"accept": "application/json", "user-agent": "agentcells", **headers},
        timeout=TIMEOUT_S,
        verify=_tls(api_url, ca_file),
        follow_redirects=False,  # a token goes to the address it was meant for, or nowhere
        trust_env=urlsplit(api_url).hostname not in LOOPBACK,
    )


def _tls(api_url: str, ca_file: str) -> ssl.SSLContext | bool:
    if not ca_file and urlsplit(api_url).scheme == "http":
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # trusts nobody, and costs nothing to make
    if not ca_file:
        return True
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ForgeError(
            "forge_ca_file", exit_code=2, path=ca_file, detail=str(error)
        ) from None


def no_answer(error: BaseException, api_url: str) -> ForgeError:
    """No reply at all. What a write did is then unknown: the next pass looks first (R18)."""
    host = urlsplit(api_url).netloc
    words = " ".join(str(error).split())[:200] or type(error).__name__
    if "CERTIFICATE_VERIFY_FAILED" in words:
        return ForgeError("forge_certificate", host=host, detail=words)
    return Unavailable("forge_network", exit_code=TRY_LATER, host=host, detail=words)


class Clock:
    """The forge's own time, by the date of its last answer."""

    def __init__(self) -> None:
        self._ahead_s: float | None = None

    def set(self, date: datetime) -> None:
        self._ahead_s = date.timestamp() - time.time()

    def now(self) -> datetime | None:
        """None: it has not answered yet."""
        if self._ahead_s is None:
            return None
        return datetime.fromtimestamp(time.time() + self._ahead_s, UTC).replace(microsecond=0)
