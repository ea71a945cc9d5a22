"""How git reaches another repository: which addresses, and the token by a pipe to one host."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from agentcells.forge import Remote
from agentcells.git_process import GitError

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_DEFAULT_USER = "x-access-token"  # what forges expect beside a token when no account is named

# git asks twice, in words that name the host. Any other question (another host, a proxy) gets no
# answer.
_ASKPASS = """#!/bin/sh
case "$1" in
"$AGENTCELLS_ASK_USER") printf '%s\\n' "$AGENTCELLS_USER" ;;
"$AGENTCELLS_ASK_TOKEN") cat "/dev/fd/$AGENTCELLS_TOKEN_FD" ;;
*) exit 1 ;;
esac
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Road:
    """What a git command needs to reach one remote: settings, environment, the pipe's end."""

    url: str
    settings: tuple[str, ...]
    env: dict[str, str]
    pass_fds: Sequence[int] = ()


@contextmanager
def road(remote: Remote, verb: str, folder: Path) -> Iterator[Road]:
    """The way to `remote` for one command. `folder` is where our askpass script may lie.

    The token is in no argument, environment or file: git's own question is answered out of a pipe.
    """
    scheme = _scheme(remote, verb)
    settings = [f"protocol.{scheme}.allow=always"]
    if remote.ca_file:
        settings.append(f"http.sslCAInfo={remote.ca_file}")
    if scheme == "file" or not remote.token:
        yield Road(url=remote.url, settings=tuple(settings), env={})
        return
    reader, writer = os.pipe()
    try:
        os.write(writer, remote.token.encode() + b"\n")  # far below a pipe's capacity: cannot block
        os.close(writer)
        yield Road(
            url=remote.url, settings=tuple(settings), pass_fds=(reader,),
            env=_questions(remote, str(_script(folder)), reader),
        )
    finally:
        os.close(reader)


def _questions(remote: Remote, script: str, descriptor: int) -> dict[str, str]:
    parts = urlsplit(remote.url)
    user = remote.username or _DEFAULT_USER
    asker = quote(user, safe="")
    return {
        "GIT_ASKPASS": script,
        "AGENTCELLS_USER": user,
        "AGENTCELLS_ASK_USER": f"Username for '{parts.scheme}://{parts.netloc}': ",
        "AGENTCELLS_ASK_TOKEN": f"Password for '{parts.scheme}://{asker}@{parts.netloc}': ",
        "AGENTCELLS_TOKEN_FD": str(descriptor),
    }


def _scheme(remote: Remote, verb: str) -> str:
    """https; http to this machine itself; or the absolute path of a folder. Nothing else."""
    url = remote.url
    if url.startswith("/") and url.isprintable():
        return "file"
    parts = urlsplit(url)
    clean = url.isascii() and url.isprintable() and " " not in url and "@" not in parts.netloc
    if clean and parts.hostname and not parts.query and not parts.fragment:
        if parts.scheme == "https":
            return "https"
        if parts.scheme == "http" and parts.hostname in _LOOPBACK:
            return "http"
    raise GitError("other", verb, key="git_bad_address", url=url.partition("@")[2] or url)


def _script(folder: Path) -> Path:
    """Our askpass, written whole; checked each time, because git will run it."""
    path = folder / "askpass"
    if not path.is_file() or path.read_text() != _ASKPASS:
        fresh = folder / f"askpass.{os.getpid()}"
        fresh.write_text(_ASKPASS)
        fresh.chmod(0o700)
        fresh.replace(path)
    return path
