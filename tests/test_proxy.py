"""Stories of the two ways out: the API with the key added outside, and tunnels to listed hosts."""

from __future__ import annotations

import http.client
import json
import os
import resource
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agentcells import claude
from agentcells.model import Problem
from agentcells.proxy import Proxy, Upstream, Way, check_upstream
from agentcells.store import Limits
from tests.run_world import RunWorld


class Api(ThreadingHTTPServer):
    """An upstream that keeps what it is asked, and streams its answer in two pieces."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Asked)
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        self.go_on = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/base"


class _Asked(BaseHTTPRequestHandler):
    server: Api

    def log_message(self, *args: object) -> None: ...

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((self.command, self.path, headers, body))
        self.send_response(529 if b"overload" in body else 200)
        self.send_header("x-kept", "yes")
        self.end_headers()
        self.wfile.write(b"first\n")
        self.wfile.flush()
        self.server.go_on.wait(10)
        self.wfile.write(b"second\n")

    def do_HEAD(self) -> None:
        self.server.asked.append((self.command, self.path, {}, b""))
        self.send_response(200)
        self.end_headers()


@pytest.fixture
def api():
    with Api() as api:
        yield api
        api.go_on.set()
        api.shutdown()


class Unix(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("127.0.0.1", timeout=10)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(self.path)


def ask(
    path, method: str, target: str, body: bytes = b"", **headers: str
) -> http.client.HTTPResponse:
    connection = Unix(str(path))
    connection.request(method, target, body, headers)
    return connection.getresponse()


@pytest.fixture
def inject(api, tmp_path):
    way = Way(upstream=Upstream(url=api.url, headers={"x-api-key": "sk-real"}))
    with Proxy(tmp_path / "s", way, tmp_path / "network.log"):
        yield tmp_path / "s"


def test_r38_the_key_is_added_outside_and_the_answer_streams(api, inject):
    answer = ask(
        inject,
        "POST",
        "/v1/messages?beta=true",
        b'{"x": 1}',
        **{"x-api-key": "placeholder", "beta": "b"},
    )
    assert answer.read1(100) == b"first\n"  # before the upstream has said the rest
    api.go_on.set()
    assert answer.read() == b"second\n"
    assert answer.getheader("x-kept") == "yes"
    method, path, headers, body = api.asked[0]
    assert (method, path, body) == ("POST", "/base/v1/messages?beta=true", b'{"x": 1}')
    assert (headers["x-api-key"], headers["beta"]) == ("sk-real", "b")
    assert "placeholder" not in str(headers)


def test_r38_a_status_of_the_api_comes_back_as_it_is(api, inject):
    api.go_on.set()
    assert ask(inject, "POST", "/v1/messages", b"overload").status == 529
    assert ask(inject, "HEAD", "/").status == 200


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/v1/files"),
        ("POST", "/v1/files"),
        ("POST", "/v1/messages/batches"),
        ("DELETE", "/v1/messages"),
        ("GET", "/api/claude_code/settings"),
        ("POST", "http://example.invalid/v1/messages"),
        ("GET", "/"),
        ("CONNECT", "api.anthropic.com:443"),
        ("POST", "/v1/messages/../files"),
    ],
)
def test_r38_every_other_request_is_refused_and_logged_by_its_name(
    api, inject, tmp_path, method, target
):
    assert ask(inject, method, target).status == 403
    assert api.asked == []
    assert f"refused {method} {target}" in (tmp_path / "network.log").read_text()


def test_r38_a_body_without_a_length_is_refused(api, inject):
    with socket.socket(socket.AF_UNIX) as raw:
        raw.connect(str(inject))
        raw.sendall(b"POST /v1/messages HTTP/1.1\r\ncontent-length: -5\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 403")
    assert api.asked == []


def test_r38_an_api_that_cannot_be_reached_is_noted_and_the_connection_closed(tmp_path):
    way = Way(upstream=Upstream(url="http://127.0.0.1:9"))
    with (
        Proxy(tmp_path / "s", way, tmp_path / "network.log"),
        pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)),
    ):
        ask(tmp_path / "s", "POST", "/v1/messages", b"{}")
    assert "no answer from 127.0.0.1" in (tmp_path / "network.log").read_text()


@pytest.mark.parametrize(
    ("target", "allowed"),
    [
        ("localhost:{port}", True),
        ("LOCALHOST:{port}", True),
        ("localhost:1", False),
        ("127.0.0.1:{port}", False),
        ("evil-localhost:{port}", False),
        ("localhost", False),
        (":{port}", False),
    ],
)
def test_r37_a_tunnel_leads_to_listed_hosts_only(tmp_path, target, allowed):
    listed = socket.create_server(("127.0.0.1", 0))
    port, log = listed.getsockname()[1], tmp_path / "network.log"
    client = socket.socket(socket.AF_UNIX)
    with listed, Proxy(tmp_path / "s", Way(hosts=[f"localhost:{port}"]), log), client:
        client.settimeout(10)
        client.connect(str(tmp_path / "s"))
        client.sendall(f"CONNECT {target.format(port=port)} HTTP/1.1\r\n\r\n".encode())
        head = client.recv(1000)
        if not allowed:
            assert head.startswith(b"HTTP/1.1 403")
            assert "refused CONNECT" in log.read_text()
            return
        assert head.startswith(b"HTTP/1.1 200")
        outside, _ = listed.accept()
        with outside:
            client.sendall(b"there")
            assert outside.recv(10) == b"there"
            outside.sendall(b"and back")
            assert client.recv(10) == b"and back"


def test_r37_a_star_stands_for_names_below(tmp_path):
    way = Way(hosts=["*.example.org", "registry.npmjs.org"])
    assert way.allows("a.example.org", 443)
    assert not way.allows("example.org", 443)
    assert not way.allows("badexample.org", 443)
    assert way.allows("Registry.NPMJS.org", 443)
    assert not way.allows("registry.npmjs.org", 80)
    for trick in ("localhost\0.example.org", "localhost .example.org", "localhost%00.example.org", "a/b.example.org"):
        assert not way.allows(trick, 443)  # where a resolver ends a name is its own affair


@pytest.mark.sandbox
def test_r38_from_inside_the_sandbox_the_api_is_reached_and_nothing_else(api, tmp_path):
    api.go_on.set()
    world = RunWorld(tmp_path, "strong")
    code = """
import http.client, json, os, socket
def status(method, target):
    connection = http.client.HTTPConnection("127.0.0.1", 3128, timeout=10)
    connection.request(method, target, b"{}")
    return connection.getresponse().status
found = [status("POST", "/v1/messages"), status("POST", "/v1/other")]
print(json.dumps([found, dict(os.environ)]))
"""
    log = world.folder / "network.log"
    way = Way(upstream=Upstream(url=api.url, headers={"x-api-key": "sk-real"}))
    with Proxy(world.folder / "tmp/proxy/s", way, log, world.account or ()):
        world.attend(world.python_agent(code))
    found, environ = json.loads(world.log("stream.jsonl"))
    assert found == [200, 403]
    assert "sk-real" not in json.dumps(environ)
    assert api.asked[0][2]["x-api-key"] == "sk-real"
    assert "refused POST /v1/other" in log.read_text()


@pytest.mark.sandbox
def test_r37_a_tool_with_hosts_has_its_own_way_out(tmp_path):
    world = RunWorld(tmp_path, "strong")
    with socket.create_server(("127.0.0.1", 0)) as listed:
        port = listed.getsockname()[1]
        test = f"""
import os, socket
assert os.environ["https_proxy"] == "http://127.0.0.1:3128"
for target in ("localhost:{port}", "localhost:1"):
    proxy = socket.create_connection(("127.0.0.1", 3128))
    proxy.sendall(f"CONNECT {{target}} HTTP/1.1\\r\\n\\r\\n".encode())
    print(proxy.recv(100).split()[1].decode())
"""
        with Proxy(
            world.folder / "tmp/toolproxy/s",
            Way(hosts=[f"localhost:{port}"]),
            world.folder / "network.log",
            world.account or (),
        ):
            world.attend(
                ["agentcells", "cell", "test"],
                commands={"test": [world.python, "-c", test]},
                tool_proxies={"commands": "tmp/toolproxy"},
            )
    assert json.loads(world.log("stream.jsonl"))["data"]["output"] == "200\n403\n"


# ---------------------------------------------------------------- which credential goes where


def limits(**changes) -> Limits:
    return Limits(agent_command=("claude",), agent_hosts=("api.anthropic.com",), **changes)


def test_r38_a_key_stays_outside():
    access = claude.access(limits(), {"ANTHROPIC_API_KEY": "sk-real", "ANTHROPIC_MODEL": "m"})
    assert access.how == "inject"
    assert access.inside == {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:3128",
        "ANTHROPIC_API_KEY": "set-outside-the-sandbox",
        "ANTHROPIC_MODEL": "m",
    }
    assert access.way.upstream == Upstream(
        url="https://api.anthropic.com", headers={"x-api-key": "sk-real"}
    )
    assert "sk-real" not in repr(access)


def test_r38_a_bearer_token_for_another_base_url_stays_outside_too():
    given = {"ANTHROPIC_AUTH_TOKEN": "t", "ANTHROPIC_BASE_URL": "https://api.anthropic.com/v2"}
    access = claude.access(limits(), given)
    assert access.way.upstream == Upstream(
        url="https://api.anthropic.com/v2", headers={"authorization": "Bearer t"}
    )
    assert "t" not in access.inside.values()


@pytest.mark.parametrize(
    ("network", "given"),
    [("inject", {"CLAUDE_CODE_OAUTH_TOKEN": "o"}), ("connect", {"ANTHROPIC_API_KEY": "sk"})],
)
def test_r38_a_login_that_cannot_be_injected_goes_in_and_the_hosts_are_listed(network, given):
    access = claude.access(limits(network=network), given)
    assert access.how == "connect"
    assert given.items() <= access.inside.items()
    assert access.inside["HTTPS_PROXY"] == "http://127.0.0.1:3128"
    assert not any("no_proxy" in name.lower() for name in access.inside)
    assert access.way == Way(hosts=("api.anthropic.com",))


def test_r38_without_a_sandbox_the_agent_has_its_environment_as_it_is():
    given = {"ANTHROPIC_API_KEY": "sk"}
    assert claude.access(limits(containment="none"), given) == claude.Access(
        how="plain", inside=given
    )


def test_r38_without_a_credential_nothing_is_made_up():
    access = claude.access(limits(), {})
    assert access.inside == {"ANTHROPIC_BASE_URL": "http://127.0.0.1:3128"}
    assert access.way.upstream == Upstream(url="https://api.anthropic.com")


def test_r38_an_agent_that_may_reach_nothing_has_a_way_to_nowhere():
    access = claude.access(Limits(agent_command=("x",)), {})
    assert access.way == Way()
    with pytest.raises(Problem):
        claude.access(Limits(agent_command=("x",)), {"ANTHROPIC_API_KEY": "sk"})


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://elsewhere.example", "run_host_not_listed"),
        ("ftp://api.anthropic.com", "run_bad_base_url"),
        ("nonsense", "run_bad_base_url"),
    ],
)
def test_r38_a_base_url_outside_the_listed_hosts_is_refused_before_the_run(url, key):
    with pytest.raises(Problem) as caught:
        check_upstream(url, ["api.anthropic.com:443"])
    assert caught.value.key == key


def test_a_proxy_that_cannot_be_opened_leaves_nothing_open(tmp_path):
    """The descriptors run out between its socket and its pipe."""
    def opened() -> set[str]:
        return set(os.listdir("/proc/self/fd"))  # noqa: PTH208

    before, limit = opened(), resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, before))
    filled = [os.open("/dev/null", os.O_RDONLY) for _ in range(highest)]  # no gap is left below
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(filled) + 2, limit[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            Proxy(tmp_path / "s", Way(hosts=["localhost:1"]), tmp_path / "network.log")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        for fd in filled:
            os.close(fd)
    assert (tmp_path / "s").exists()
    assert len(opened()) <= len(before)
