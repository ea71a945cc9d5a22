"""The road to a forge: git's own HTTP server on loopback, and the token in nobody's hands."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from agentcells.forge import Remote
from agentcells.git import Git, GitError
from agentcells.git_transport import road
from agentcells.model import Sha
from agentcells.sentences import say
from tests.git_world import PROOF, Origin, child, cleared, store
from tests.loopback.listening import Loopback

TOKEN = "tok-5f3c9a-not-for-any-eye"
BRANCH = "agentcells/7"


class Forge(Loopback):
    """`git http-backend` behind basic authentication; `answer` can be turned against us."""

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.root = root
        self.wants = "Basic " + base64.b64encode(f"cells:{TOKEN}".encode()).decode()
        self.answer = ""  # "302 URL" or "hang"
        self.pause = 0.0
        self.seen: list[tuple[str, str]] = []  # path, Authorization

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Forge
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._serve(body)

    def _serve(self, body: bytes) -> None:
        given = self.headers.get("Authorization", "")
        self.server.seen.append((self.path, given))
        time.sleep(self.server.pause)
        if self.server.answer == "hang":
            time.sleep(5)
        if self.server.answer.startswith("302"):
            self._reply(302, [("Location", self.server.answer.split(" ")[1] + self.path)], b"")
        elif given != self.server.wants:
            self._reply(401, [("WWW-Authenticate", 'Basic realm="forge"')], b"")
        else:
            self._backend(body)

    def _backend(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        done = subprocess.run(
            ["git", "http-backend"],
            input=body,
            capture_output=True,
            check=True,
            env={
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(self.server.root),
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "GIT_HTTP_EXPORT_ALL": "1",
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "REMOTE_USER": "cells",
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "HOME": "/dev/null",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "GIT_CONFIG_NOSYSTEM": "1",
            },
        )
        head, _, out = done.stdout.partition(b"\r\n\r\n")
        headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
        status = next((int(value[:3]) for name, value in headers if name == "Status"), 200)
        self._reply(status, [(name, value) for name, value in headers if name != "Status"], out)

    def _reply(self, status: int, headers: list[tuple[str, ...]], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Watcher(threading.Thread):
    """Reads the command line and environment of every process of the machine, again and again."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.text = b""
        self.over = threading.Event()

    def run(self) -> None:
        seen = set()
        while not self.over.is_set():
            for folder in Path("/proc").glob("[0-9]*"):
                for name in ("cmdline", "environ"):
                    try:
                        seen.add((folder / name).read_bytes())
                    except OSError:
                        continue
            self.text = b"\n".join(seen)
            time.sleep(0.002)


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    made = Origin(tmp_path / "forge")
    with (made.bare / "config").open("a") as config:
        config.write("[http]\n\treceivepack = true\n")
    return made


def serving(root: Path) -> Iterator[Forge]:
    server = Forge(root)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def forge(origin: Origin) -> Iterator[Forge]:
    yield from serving(origin.bare.parent)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Forge]:
    yield from serving(tmp_path)


@pytest.fixture
def remote(forge: Forge) -> Remote:
    return Remote(url=f"{forge.url}/origin.git", username="cells", token=TOKEN)


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return store(tmp_path)


@pytest.fixture
def base(origin: Origin, git: Git, remote: Remote) -> Sha:
    origin.commit({"a.txt": b"one\n"})
    return git.fetch(remote, ["main"])["main"]


def test_f01_the_token_is_in_no_argument_and_no_environment_while_git_pushes(
    git: Git, base: Sha, remote: Remote, forge: Forge, origin: Origin
) -> None:
    one = child(git, base, {"big": os.urandom(2_000_000)})
    forge.pause = 0.05
    watcher = Watcher()
    watcher.start()
    try:
        git.push(remote, one, BRANCH, None, PROOF, cleared(one, base))
    finally:
        watcher.over.set()
        watcher.join()
    assert origin.tip(BRANCH) == one
    assert b"remote-http" in watcher.text
    assert b"AGENTCELLS_TOKEN_FD" in watcher.text
    for form in (TOKEN.encode(), base64.b64encode(f"cells:{TOKEN}".encode()), TOKEN[8:].encode()):
        assert form not in watcher.text


def test_f01_the_token_is_in_no_file_of_the_store(git: Git, base: Sha, remote: Remote) -> None:
    one = child(git, base, {"b": b"1"})
    git.push(remote, one, BRANCH, None, PROOF, cleared(one, base))
    for path in git.store.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
    assert TOKEN not in repr(remote)


def test_r46_create_and_move_but_never_rewind_over_http(
    git: Git, base: Sha, remote: Remote, origin: Origin
) -> None:
    one = child(git, base, {"b": b"1"})
    two = child(git, one, {"b": b"2"})
    git.push(remote, one, BRANCH, None, PROOF, cleared(one, base))
    git.push(remote, two, BRANCH, one, PROOF, cleared(two, base))
    with pytest.raises(GitError) as caught:
        git.push(remote, one, BRANCH, two, PROOF, cleared(one, base))
    assert caught.value.cause == "rejected_stale"
    assert git.ls_remote(remote, "agentcells/") == {BRANCH: two}
    assert origin.tip(BRANCH) == two


def test_f03_a_wrong_token_is_a_clean_failure(git: Git, base: Sha, forge: Forge) -> None:
    wrong = Remote(url=f"{forge.url}/origin.git", username="cells", token="tok-wrong")
    one = child(git, base, {"b": b"1"})
    with pytest.raises(GitError) as caught:
        git.push(wrong, one, BRANCH, None, PROOF, cleared(one, base))
    assert caught.value.cause == "auth"
    assert "tok-wrong" not in say(caught.value.key, **caught.value.slots)


def test_f03_the_token_follows_no_redirect(
    git: Git, forge: Forge, elsewhere: Forge, remote: Remote
) -> None:
    forge.answer = f"302 {elsewhere.url}"
    with pytest.raises(GitError):
        git.ls_remote(remote)
    assert elsewhere.seen == []


def test_f02_nothing_planted_sends_the_token_to_another_host(
    git: Git,
    base: Sha,
    remote: Remote,
    elsewhere: Forge,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    planted = (
        f'[url "{elsewhere.url}/"]\n\tinsteadOf = http://127.0.0.1\n'
        f"[http]\n\tproxy = {elsewhere.url}\n"
        f"[credential]\n\thelper = !touch {tmp_path}/canary\n"
        f"[core]\n\taskPass = touch {tmp_path}/canary\n"
    )
    (tmp_path / ".gitconfig").write_text(planted)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / ".gitconfig"))
    for name in ("http_proxy", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, elsewhere.url)
    one = child(git, base, {"b": b"1"})
    git.push(remote, one, BRANCH, None, PROOF, cleared(one, base))
    assert elsewhere.seen == []
    assert not (tmp_path / "canary").exists()


def test_f04_traces_asked_for_in_our_environment_write_nothing(
    git: Git, remote: Remote, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("GIT_TRACE", "GIT_CURL_VERBOSE", "GIT_TRACE_CURL", "GIT_TRACE_PACKET"):
        monkeypatch.setenv(name, str(tmp_path / "trace"))
    git.ls_remote(remote)
    assert not (tmp_path / "trace").exists()


def test_f03_a_forge_that_never_answers_costs_a_deadline(
    git: Git, remote: Remote, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentcells.git._NETWORK_S", 0.4)
    forge.answer = "hang"
    began = time.monotonic()
    with pytest.raises(GitError) as caught:
        git.ls_remote(remote)
    assert caught.value.cause == "timeout"
    assert time.monotonic() - began < 3


def test_a_forge_that_is_down_is_the_weather(git: Git) -> None:
    with pytest.raises(GitError) as caught:
        git.ls_remote(Remote(url="http://127.0.0.1:1/x.git", token=TOKEN))
    assert (caught.value.cause, caught.value.exit_code) == ("network", 75)


def test_a_repository_that_is_not_there_is_not_found(git: Git, forge: Forge) -> None:
    with pytest.raises(GitError) as caught:
        git.ls_remote(Remote(url=f"{forge.url}/none.git", username="cells", token=TOKEN))
    assert caught.value.cause == "not_found"


@pytest.mark.parametrize(
    "question",
    [
        "Password for 'https://cells@evil.example': ",
        "Password for 'https://cells@github.com.evil.example': ",
        "Password for 'http://cells@github.com': ",
        "Username for 'https://evil.example': ",
        "",
    ],
)
def test_f02_the_askpass_answers_only_the_exact_host(tmp_path: Path, question: str) -> None:
    remote = Remote(url="https://github.com/alice/game.git", username="cells", token=TOKEN)
    with road(remote, "push", tmp_path) as way:

        def ask(text: str) -> subprocess.CompletedProcess[bytes]:
            return subprocess.run(
                [way.env["GIT_ASKPASS"], text],
                env={**way.env, "PATH": "/usr/bin:/bin"},
                pass_fds=way.pass_fds,
                capture_output=True,
                check=False,
            )

        assert ask(question).stdout == b""
        assert ask("Username for 'https://github.com': ").stdout == b"cells\n"
        assert ask("Password for 'https://cells@github.com': ").stdout.strip() == TOKEN.encode()
        assert ask("Password for 'https://cells@github.com': ").stdout == b""  # once only


@pytest.mark.parametrize(
    "url",
    [
        "http://forge.example/x.git",
        "ssh://git@forge.example/x",
        "git@forge.example:x.git",
        "ext::sh -c touch% /tmp/never",
        "file:///srv/x.git",
        "relative/path",
        "--upload-pack=touch",
        "https://cells:tok-abc@forge.example/x.git",
        "https://forge.example/x.git?y=1",
        "https:///x",
        "https://forge.example/x\n.git",
        "https://ｆorge.example/x",
        "http://127.0.0.1.evil.example/x",
        "",
    ],
)
def test_r46_only_https_is_a_road(git: Git, url: str) -> None:
    with pytest.raises(GitError) as caught:
        git.ls_remote(Remote(url=url, token=TOKEN))
    assert caught.value.key == "git_bad_address"
    assert "tok-abc" not in say(caught.value.key, **caught.value.slots)


def test_r46_a_planted_askpass_script_is_written_over(
    git: Git, base: Sha, remote: Remote, tmp_path: Path
) -> None:
    (git.store / "askpass").write_text(f"#!/bin/sh\ntouch {tmp_path}/canary\n")
    assert git.ls_remote(remote)["main"] == base
    assert not (tmp_path / "canary").exists()
