"""The model's login: added outside the sandbox, or handed in where it cannot be (R38)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.claude_world import IMPATIENT, KEY, ClaudeCase, Ran, everything_in, loose
from tests.loopback.certificate import certificate
from tests.loopback.messages import Messages, bash
from tests.run_case import DONE

pytestmark = pytest.mark.real_claude

OAUTH = "sk-ant-oat01-token-of-the-subscription-0123456789"
# All that a process of the sandbox could find out about itself and the others.
LOOK = (
    "(env; cat /proc/[0-9]*/environ; cat /proc/[0-9]*/cmdline; "
    "grep -rs key.of.the.owner /home /tmp /run /workspace /opt) > seen.txt 2>&1; echo looked"
)


class Tunnelled(ClaudeCase):
    """Runs whose login is an OAuth token: claude holds it, and speaks TLS through a tunnel."""

    def play(
        self, do: Sequence[Any], *, env: Mapping[str, str] | None = None, **options: Any
    ) -> Ran:
        cert, key = certificate(self.tmp)
        with Messages([{"do": do}], certificate=(cert, key)) as api:
            login = {
                "CLAUDE_CODE_OAUTH_TOKEN": OAUTH, "ANTHROPIC_BASE_URL": api.url, **IMPATIENT,
                "NODE_EXTRA_CA_CERTS": str(cert), "HOME": str(self.tmp), **(env or {}),
            }
            fields = {
                "agent_env": tuple(name for name in login if name != "HOME"),
                "agent_hosts": (f"127.0.0.1:{api.port}",), "read": (str(cert),), **options,
            }
            end, folder = self.run([], env=login, **fields)
        return Ran(end, folder, api)


def test_r38_a_key_is_added_outside_and_is_nowhere_inside(tmp_path: Path) -> None:
    case = ClaudeCase(tmp_path)
    ran = case.play([bash(LOOK), DONE], agent_command=loose())
    assert ran.kind == "done", ran.end
    assert {seen.headers.get("x-api-key") for seen in ran.api.asked} == {KEY}
    seen = case.sealed(ran)["seen.txt"]
    assert b"ANTHROPIC_BASE_URL=http://127.0.0.1:3128" in seen  # it did look
    assert b"key-of-the-owner" not in seen
    for path, content in everything_in(ran.folder.path):
        assert KEY.encode() not in content, path
    assert KEY not in json.dumps([seen.body for seen in ran.api.asked])


def test_r38_the_control_a_login_that_has_to_go_in_can_be_seen_there(tmp_path: Path) -> None:
    case = Tunnelled(tmp_path)
    ran = case.play([bash(LOOK), DONE], agent_command=loose())
    assert ran.kind == "done", ran.end
    assert {seen.headers.get("authorization") for seen in ran.api.asked} == {f"Bearer {OAUTH}"}
    assert OAUTH.encode() in case.sealed(ran)["seen.txt"]


def test_r38_a_tunnel_leads_to_the_listed_hosts_alone(tmp_path: Path) -> None:
    case = Tunnelled(tmp_path)
    asks = "; ".join(
        f"curl -sS -o /dev/null --max-time 5 https://{host}/" for host in ("127.0.0.1:9", "example.com")
    )
    ran = case.play([bash(f"({asks}) > seen.txt 2>&1; echo asked"), DONE], agent_command=loose())
    assert ran.kind == "done"
    refused = ran.text("network.log")
    assert "refused CONNECT 127.0.0.1:9" in refused
    assert "refused CONNECT example.com:443" in refused


def test_r38_a_token_of_a_gateway_is_added_as_a_bearer(tmp_path: Path) -> None:
    names = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", *IMPATIENT)
    ran = ClaudeCase(tmp_path).play(
        [DONE], env={"ANTHROPIC_AUTH_TOKEN": "gateway-token-0123456789"}, agent_env=names
    )
    assert ran.kind == "done"
    assert {seen.headers.get("authorization") for seen in ran.api.asked} == {
        "Bearer gateway-token-0123456789"
    }
    assert {seen.headers.get("x-api-key") for seen in ran.api.asked} == {None}


def test_r38_another_base_url_with_a_path_of_its_own(tmp_path: Path) -> None:
    case = ClaudeCase(tmp_path)
    with Messages([{"do": [DONE]}], below="/team/gateway") as api:
        login = {**case.login(api), "ANTHROPIC_BASE_URL": f"{api.url}/team/gateway/"}
        end, _ = case.run([], env=login)
    assert end.outcome.kind == "done"
    assert api.asked
    assert all(seen.path.startswith("/team/gateway/v1/messages") for seen in api.asked)


def test_r38_only_the_apis_own_paths_pass(tmp_path: Path) -> None:
    case = ClaudeCase(tmp_path)
    asks = "; ".join(
        f"curl -sS -o /dev/null -w '%{{http_code}} ' {words} http://127.0.0.1:3128{path}"
        for words, path in (
            ("", "/v1/models"), ("-X DELETE", "/v1/messages"), ("-d x", "/v1/files"),
            ("-d x", "/v1/messages/../files"), ("--path-as-is -d x", "/v1/messages/../files"),
        )
    )
    ran = case.play([bash(f"({asks}) > seen.txt 2>&1; echo asked"), DONE], agent_command=loose())
    assert case.sealed(ran)["seen.txt"].split() == [b"403"] * 5
    assert {seen.path.partition("?")[0] for seen in ran.api.seen} == {"/", "/v1/messages"}
