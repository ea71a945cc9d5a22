"""The world of a loopback GitHub that runs as a process of its own, with the same words."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class RemoteWorld:
    """`world.as_("alice").label("alice/game", 1, "ac:triage")`, over the server's back door."""

    url: str
    tokens: dict[str, str]

    @property
    def api_url(self) -> str:
        return f"{self.url}/graphql"

    def act(self, who: str, do: str, *args: Any, **kwargs: Any) -> Any:
        asked = json.dumps({"as": who, "do": do, "args": args, "kwargs": kwargs}).encode()
        request = urllib.request.Request(f"{self.url}/_world", data=asked, method="POST")
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=30) as reply:
                return json.load(reply)["found"]
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(json.load(error)["error"]) from None

    def as_(self, login: str) -> RemotePerson:
        return RemotePerson(self, login)

    def __getattr__(self, do: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: self.act("", do, *args, **kwargs)


@dataclass(frozen=True)
class RemotePerson:
    world: RemoteWorld
    login: str

    def __getattr__(self, do: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: self.world.act(self.login, do, *args, **kwargs)


@contextmanager
def started(root: Path, *argv: str) -> Iterator[RemoteWorld]:
    """A loopback GitHub in a process of its own; it ends with its standard input."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.loopback.github", "--root", str(root), *argv], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        told = json.loads(process.stdout.readline())
        yield RemoteWorld(told["url"], told["tokens"])
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=30)
