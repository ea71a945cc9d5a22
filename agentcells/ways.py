"""Where a sandbox may go: the model's API with the key added outside, or tunnels to listed hosts (R38).

Apart from the proxy that serves them, because a run decides on its ways before it needs a server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agentcells.model import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The API, and what is added to each request: the credential that the sandbox never sees."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


_NAME = re.compile(r"[A-Za-z0-9._:-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What one socket leads to: an API, or tunnels to hosts ("name", "name:port" or "*.name")."""

    upstream: Upstream | None = None
    hosts: Sequence[str] = ()

    def allows(self, host: str, port: int) -> bool:
        # A resolver ends a name at a NUL, whatever "*.name" has seen behind it.
        known = _NAME.fullmatch(host) is not None
        return known and any(_matches(entry, host.lower().rstrip("."), port) for entry in self.hosts)


def _matches(entry: str, host: str, port: int) -> bool:
    name, _, wanted = entry.lower().partition(":")
    if port != int(wanted or 443):
        return False
    return host.endswith(name[1:]) if name.startswith("*.") else host == name


def join(url: str, path: str) -> str:
    """The base URL's own path comes first: a gateway may have one."""
    return urlsplit(url).path.rstrip("/") + path


def check_upstream(url: str, hosts: Sequence[str]) -> None:
    """The base URL must be one of the hosts that cells.toml lists: they are all that may be
    reached."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Problem("run_bad_base_url", exit_code=2, url=url)
    if not any(entry.partition(":")[0].lower() == parts.hostname for entry in hosts):
        raise Problem("run_host_not_listed", exit_code=2, host=parts.hostname)
