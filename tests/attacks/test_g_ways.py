"""G: the ways out of a sandbox under attack: the door, the proxy, and what setup leaves for later."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcells import attend, outcome, provision, proxy
from agentcells.door import parse
from agentcells.proxy import Proxy, Upstream, Way
from agentcells.stream import Stream
from tests.attacks import weak
from tests.run_case import DONE, Case
from tests.run_world import RunWorld
from tests.test_proxy import Api

# ---------------------------------------------------------------- the door

BOMBS = {
    "lists in lists": b'{"argv": ' + b"[" * 60_000,
    "closed lists": b'{"argv": ' + b"[" * 500 + b"]" * 500 + b"}",
    "objects in objects": b'{"argv": ' + b'{"a":' * 9_000 + b"1" + b"}" * 9_000 + b"}",
    "no list": b'{"argv": "status"}',
    "no words": b'{"argv": [["status"], 7, null]}',
    "a number without end": b'{"argv": [' + b"9" * 5_000 + b"]}",
    "no object": b"[1]",
    "no text": b"\xff\xfe{",
    "half a character": b'{"argv": ["\\ud800"]}',
}
THROW = """
import json, os, socket, sys
for data in json.load(open("bombs")):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(os.environ["AGENTCELLS_DOOR"])
        s.sendall(bytes.fromhex(data) + b"\\n")
        s.settimeout(10)
        print("told", len(s.recv(9999)) > 0, flush=True)
"""


def thrown(tmp_path: Path) -> tuple[attend.Told, list[str]]:
    world = RunWorld(tmp_path, "strong")
    (world.work / "bombs").write_text(json.dumps([data.hex() for data in BOMBS.values()]))
    told = world.attend(world.python_agent(THROW))
    os.close(world.lock)
    return told, world.log("stream.jsonl").splitlines()


@pytest.mark.sandbox
def test_g07_what_is_no_request_gets_an_answer_and_the_run_goes_on(tmp_path: Path) -> None:
    told, said = thrown(tmp_path)
    assert (told.proved, told.ending, told.exit_code) == (True, "exit", 0)
    assert said == ["told True"] * len(BOMBS)


@pytest.mark.sandbox
def test_control_g07_a_plain_reader_ends_the_run_without_a_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attend, "SUPERVISE", weak.SUPERVISE.format(name="no_depth"))
    told, said = thrown(tmp_path)
    assert not told.proved
    assert said == []


FLOOD = """
import json, os, socket, time
def call(*words, wait=False):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(os.environ["AGENTCELLS_DOOR"])
        s.sendall(json.dumps({"argv": words}).encode() + b"\\n")
        return s.recv(99) if wait else b""
for n in range(3000):
    try: call("status", str(n) * 1000)
    except OSError: pass
began = time.monotonic()
while b"ok" not in call("status", "last", wait=True): time.sleep(0.01)
print(time.monotonic() - began, flush=True)
"""


class Slow(RunWorld):
    """A runner that needs its time for each question, as one with a large project does."""

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        time.sleep(0.005)
        return super().answer(question)


def flooded(tmp_path: Path) -> tuple[float, int]:
    """How long the last caller waited, and how many questions were kept for the runner."""
    world = Slow(tmp_path, "strong")
    told = world.attend(world.python_agent(FLOOD))
    os.close(world.lock)
    assert told.proved
    return float(world.log("stream.jsonl")), len(world.asked)


@pytest.mark.sandbox
def test_g07_callers_who_leave_at_once_do_not_pile_up(tmp_path: Path) -> None:
    waited, asked = flooded(tmp_path)
    assert waited < 3
    assert asked < 1_500


@pytest.mark.sandbox
@pytest.mark.slow
def test_control_g07_without_a_bound_every_question_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attend, "SUPERVISE", weak.SUPERVISE.format(name="no_queue"))
    _, asked = flooded(tmp_path)
    assert asked > 2_500


# ---------------------------------------------------------------- what an agent prints as its answer

ENDINGS: dict[str, bytes] = {
    "deep": b'"x": ' + b"[" * 20_000 + b"]" * 20_000,
    "just as deep as a reader takes": b'"x": ' + b"[" * 400 + b"]" * 400,
    "dollars without end": b'"total_cost_usd": 1' + b"0" * 4_000,
    "no number": b'"total_cost_usd": NaN, "num_turns": -Infinity',
    "servers that are none": b'"mcp_servers": [1, null]',
    "half a character": b'"structured_output": {"\\ud800": 1}',
}


@pytest.mark.parametrize("how", ENDINGS)
def test_b06_no_answer_breaks_its_reader(how: str) -> None:
    stream = Stream(-1, parse, "cell")
    good = b'"is_error": false, "subtype": "success", '
    for kind in (b'"result"', b'"system", "subtype": "init", "mcp_servers": 5'):
        stream.put(b'{"type": ' + kind + b", " + good + ENDINGS[how] + b"}\n")
    stream.put(b'{"type": "system", "subtype": "init", ' + ENDINGS[how] + b', "mcp_servers": [3]}\n')
    read = outcome.read("exit", stream.result, 0, "", ["review"], (), attend_time())
    assert read.kind in ("crash", "no_answer", "bad_answer")
    assert (read.usd, read.turns) == (0, 0)
    read.detail.encode()  # it can be written


def attend_time() -> Any:
    from datetime import UTC, datetime

    return datetime(2026, 1, 1, tzinfo=UTC)


# ---------------------------------------------------------------- the proxy


@pytest.fixture
def api() -> Iterator[Api]:
    with Api() as found:
        found.go_on.set()
        yield found
        found.shutdown()


@pytest.fixture
def way(api: Api, tmp_path: Path) -> Iterator[Path]:
    inject = Way(upstream=Upstream(url=api.url, headers={"x-api-key": "sk-real"}), hosts=("a.example",))
    with Proxy(tmp_path / "s", inject, tmp_path / "network.log"):
        yield tmp_path / "s"


def say(way: Path, data: bytes) -> bytes:
    """Raw bytes in, all that comes back until the other side closes or waits."""
    with socket.socket(socket.AF_UNIX) as wire:
        wire.settimeout(5)
        wire.connect(str(way))
        wire.sendall(data)
        wire.shutdown(socket.SHUT_WR)
        said = b""
        while more := wire.recv(9999):
            said += more
        return said


POST = b"POST /v1/messages HTTP/1.1\r\nHost: x\r\n"
SECOND = b"POST /v1/files HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
SMUGGLED = {
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: %d\r\n\r\n{}" % len(SECOND) + SECOND,
    "chunks": POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SECOND,
    "chunks and a length": POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    "chunks in disguise": POST + b"Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}",
    "a signed length": POST + b"Content-Length: +2\r\n\r\n{}",
    "a length of other digits": POST + "Content-Length: ２\r\n\r\n{}".encode(),
    "a length beyond all": POST + b"Content-Length: 99999999999999999999\r\n\r\n{}",
    "less than its length": POST + b"Content-Length: 20\r\n\r\n{}",
    "another host in the address": b"POST http://evil.example/v1/messages HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
    "a way around": b"POST /v1/messages/../files HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
    "a way around in code": b"POST /v1/messages%2f..%2ffiles HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}",
    "the oldest language": b"POST /v1/messages\r\n\r\n",
    "a name that stops": b"CONNECT a.example\0.evil.example:443 HTTP/1.1\r\n\r\n",
    "somebody's password": b"CONNECT a.example:443@evil.example:443 HTTP/1.1\r\n\r\n",
    "a port of other digits": "CONNECT a.example:４４３ HTTP/1.1\r\n\r\n".encode(),
    "no port": b"CONNECT a.example HTTP/1.1\r\n\r\n",
}


@pytest.mark.parametrize("how", SMUGGLED)
def test_g08_what_could_be_read_in_two_ways_reaches_nobody(api: Api, way: Path, how: str) -> None:
    assert b" 200 " not in say(way, SMUGGLED[how])
    assert api.asked == []


def test_g08_whatever_it_is_called_it_is_our_request_with_our_key(api: Api, way: Path) -> None:
    odd = b"X-Api-Key: mine\r\nAuthorization: mine\r\nHost: evil.example\r\nX-Long: a\r\n Host: b\r\n\tc\r\n"
    assert b" 200 " in say(way, POST + odd + b"Content-Length: 2\r\n\r\n{}" + SECOND)
    ((_, path, headers, body),) = api.asked
    assert (path, body) == ("/base/v1/messages", b"{}")
    assert headers["x-api-key"] == "sk-real"
    assert headers["x-long"] == "a Host: b c"
    assert headers["host"].startswith("127.0.0.1:")
    assert "mine" not in headers.values()


@pytest.mark.parametrize("how", ["two lengths", "chunks and a length"])
def test_control_g08_who_takes_the_first_length_hands_it_on(
    api: Api, way: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "_length", lambda headers: int(headers.get("content-length", "0")))
    say(way, SMUGGLED[how])
    assert len(api.asked) == 1


@contextlib.contextmanager
def many(way: Path, number: int) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(number):
            wire = stack.enter_context(socket.socket(socket.AF_UNIX))
            wire.connect(str(way))  # waits for its turn
            wire.settimeout(20)
            found.append(wire)
        yield found


def threads() -> int:
    return threading.active_count()


def test_g08_connections_are_bounded_and_the_bound_comes_free_again(api: Api, way: Path) -> None:
    before = threads()
    with many(way, proxy.CONNECTIONS + 60) as wires:
        assert [wire.recv(9) for wire in wires[proxy.CONNECTIONS :]] == [b""] * 60
        assert threads() - before <= proxy.CONNECTIONS
    until = time.monotonic() + 10
    while threads() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert b" 200 " in say(way, POST + b"Content-Length: 2\r\n\r\n{}")


def test_g08_the_log_comes_to_an_end(way: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy, "LOG_LIMIT", 2_000)
    for number in range(40):
        say(way, b"GET /%d-%s\x1b[2J HTTP/1.1\r\n\r\n" % (number, b"x" * 200))
    lines = (tmp_path / "network.log").read_text().splitlines()
    assert sum(map(len, lines)) < 2_600
    assert lines[-1].startswith("… and more")
    assert "\x1b" not in "".join(lines)


def test_control_g08_within_the_bound_each_is_noted(way: Path, tmp_path: Path) -> None:
    for number in range(40):
        say(way, b"GET /%d-%s HTTP/1.1\r\n\r\n" % (number, b"x" * 200))
    assert len((tmp_path / "network.log").read_text().splitlines()) == 40


# ---------------------------------------------------------------- what setup leaves


def left(tmp_path: Path) -> tuple[Path, Path]:
    """What a package's own script made of a folder that is kept, and somebody's files."""
    outside = tmp_path / "outside"
    (outside / "deps").mkdir(parents=True)
    (outside / "deps/key").write_text("private")
    for name in ("setup", "work"):
        (tmp_path / name).mkdir()
    (tmp_path / "setup/web").symlink_to(outside)
    return tmp_path / "setup", tmp_path / "work"


def test_g09_no_link_on_the_way_to_what_is_kept_is_followed(tmp_path: Path) -> None:
    setup, work = left(tmp_path)
    provision.take_kept(setup, work, ("web/deps", "web", "none"))
    assert list(work.iterdir()) == []


def test_control_g09_who_copies_what_the_path_says_has_the_private_file(tmp_path: Path) -> None:
    setup, work = left(tmp_path)
    subprocess.run(["cp", "-a", f"{setup}/web/deps", str(work)], check=True)
    assert (work / "deps/key").read_text() == "private"


def test_g09_in_the_workspace_neither(tmp_path: Path) -> None:
    setup, work = left(tmp_path)
    (setup / "web").unlink()
    (setup / "web/deps").mkdir(parents=True)
    (setup / "more").mkdir()
    (work / "web").symlink_to(tmp_path / "outside")
    provision.take_kept(setup, work, ("web/deps", "more"))
    assert sorted(path.name for path in work.iterdir()) == ["more", "web"]
    assert [path.name for path in (tmp_path / "outside/deps").iterdir()] == ["key"]


@pytest.mark.sandbox
def test_g09_a_setup_that_leaves_nothing_is_no_crash(tmp_path: Path) -> None:
    case = Case(tmp_path, "strong")
    end, _ = case.run([DONE], setup=("true",), keep=("web/deps",), cache=str(tmp_path / "cache"))
    assert end.outcome.kind == "done", end.outcome.detail
