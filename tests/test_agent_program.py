"""The agent's program before a run: too old, broken, no login, a login or a model that the API refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from agentcells import agent_program, check, claude
from agentcells.config import load
from agentcells.model import Problem
from agentcells.sentences import say
from agentcells.store import Limits
from tests.claude_world import KEY, binary
from tests.loopback.messages import Messages

ENV = ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
GOOD = "claude-good-1"
HELPED = "#!/bin/sh\ncase $1 in --version) echo '0.9.1 (Claude Code)';; *) echo \"{flags}\"; {then};; esac\n"


def program(folder: Path, flags: tuple[str, ...] = claude.FLAGS, then: str = ":") -> Path:
    """A claude whose help names these flags, and which counts how often it is asked."""
    path = folder / "claude"
    path.write_text(HELPED.format(flags=", ".join(flags), then=f"echo x >> {folder}/asked; {then}"))
    path.chmod(0o755)
    return path


def asked(folder: Path) -> int:
    counted = folder / "asked"
    return len(counted.read_text().split()) if counted.exists() else 0


def limits(path: Path, **changes: object) -> Limits:
    told = Limits(
        agent_command=(str(path),), agent_env=ENV, agent_hosts=("127.0.0.1",), containment="none",
        cache=str(path.parent / "state/cache/setup"),
    )
    return replace(told, **changes)  # type: ignore[arg-type]


def refused(told: Limits, environ: Mapping[str, str]) -> Problem:
    with pytest.raises(Problem) as caught:
        agent_program.look(told, environ)
    return caught.value


# ---------------------------------------------------------------- too old, broken, not logged in


@pytest.mark.real_claude
def test_the_real_program_names_every_flag_of_ours_in_its_help(tmp_path: Path) -> None:
    told = limits(binary(), cache=str(tmp_path / "state/cache/setup"))
    agent_program.look(told, {"PATH": "/usr/bin:/bin", "ANTHROPIC_API_KEY": KEY})
    assert (tmp_path / "state/cache/agent.json").exists()


@pytest.mark.parametrize("flag", claude.FLAGS)
def test_a_program_that_lacks_a_flag_is_one_line_before_the_run(tmp_path: Path, flag: str) -> None:
    there = tuple(known for known in claude.FLAGS if known != flag)
    problem = refused(limits(program(tmp_path, there)), {"ANTHROPIC_API_KEY": KEY})
    assert (problem.key, problem.exit_code) == ("agent_too_old", 2)
    line = say(problem.key, "en", **problem.slots)
    assert line.startswith(f"claude 0.9.1 is too old: it does not know {flag}. Update it")
    assert "\n" not in line


def test_a_program_is_asked_once_until_it_changes(tmp_path: Path) -> None:
    path = program(tmp_path)
    for _ in range(3):
        agent_program.look(limits(path), {"ANTHROPIC_API_KEY": KEY})
    assert asked(tmp_path) == 1
    program(tmp_path, claude.FLAGS[1:])
    assert refused(limits(path), {"ANTHROPIC_API_KEY": KEY}).key == "agent_too_old"
    (tmp_path / "state/cache/agent.json").write_text("{ broken")
    program(tmp_path)
    agent_program.look(limits(path), {"ANTHROPIC_API_KEY": KEY})


def test_a_program_that_does_not_start_says_what_it_said(tmp_path: Path) -> None:
    path = program(tmp_path, then="echo no such library >&2; exit 127")
    problem = refused(limits(path), {"ANTHROPIC_API_KEY": KEY})
    assert problem.key == "agent_broken"
    assert problem.slots["detail"] == "no such library"


def test_without_a_login_nothing_is_started_and_the_variables_are_named(tmp_path: Path) -> None:
    problem = refused(limits(program(tmp_path)), {"HOME": "/root"})
    assert (problem.key, problem.slots["names"]) == ("agent_not_logged_in", ", ".join(ENV))
    others = {"CLAUDE_CODE_USE_BEDROCK": "1"}  # another provider has a login of its own
    agent_program.look(limits(program(tmp_path), agent_env=tuple(others)), others)


# ---------------------------------------------------------------- what the API says


@pytest.fixture
def api() -> Iterator[Messages]:
    with Messages([], models=[GOOD], key=KEY) as serving:
        yield serving


def said(api: Messages, key: str, models: tuple[str, ...]) -> list[tuple[str, object]]:
    told = limits(Path("/usr/bin/true"), containment="strong")
    environ = {"ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": api.url}
    found = agent_program.ask(told, environ, models)
    return [(problem.key, next(iter(problem.slots.values()))) for problem in found]


def test_a_good_login_and_a_model_that_exists_are_nothing_to_tell(api: Messages) -> None:
    assert said(api, KEY, (GOOD, "sonnet", "", GOOD)) == []
    assert [(seen.method, seen.path) for seen in api.seen] == [
        ("GET", "/v1/models?limit=1"), ("GET", f"/v1/models/{GOOD}"),
    ]
    assert api.asked == []  # nothing was spent


def test_a_login_that_is_refused_is_told_and_nothing_more_is_asked(api: Messages) -> None:
    assert said(api, "sk-ant-api03-wrong", (GOOD,)) == [("agent_wrong_login", "invalid x-api-key")]
    assert len(api.seen) == 1


def test_a_model_that_does_not_exist_is_told_by_name(api: Messages) -> None:
    assert said(api, KEY, (GOOD, "claude-nowhere-9")) == [("agent_no_model", "claude-nowhere-9")]


def test_a_gateway_without_a_list_of_models_is_not_judged() -> None:
    with Messages([]) as gateway:
        assert said(gateway, KEY, ("claude-nowhere-9",)) == []
        assert len(gateway.seen) == 1


def test_a_gateway_that_answers_in_brackets_is_not_judged(
    api: Messages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("http.client.HTTPResponse.read", lambda *_: b"[" * 100_000)
    assert said(api, KEY, (GOOD,)) == []


def test_an_api_that_does_not_answer_is_told_with_its_address(api: Messages) -> None:
    told = limits(Path("/usr/bin/true"), containment="strong")
    environ = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}
    (problem,) = agent_program.ask(told, environ, ())
    assert (problem.key, problem.slots["url"]) == ("agent_no_api", "http://127.0.0.1:9")
    nobody = replace(told, agent_hosts=("api.anthropic.com",))
    assert list(agent_program.ask(nobody, {}, (GOOD,))) == []  # no login that we could show


# ---------------------------------------------------------------- `agentcells check`


def test_check_tells_what_the_api_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, api: Messages
) -> None:
    text = f"""
[factory]
owner = "alice"
[forge]
kind = "local"
path = "forge"
repos = ["alice/game"]
[agent]
command = ["{program(tmp_path)}"]
hosts = ["127.0.0.1"]
[[cell]]
name = "triage"
on = "issue"
label = "ac:triage"
prompt = "triage.md"
next = ["needs-human"]
model = "claude-nowhere-9"
"""
    (tmp_path / "cells.toml").write_text(text, encoding="utf-8")
    (tmp_path / "triage.md").write_text("Look at it.", encoding="utf-8")
    monkeypatch.setenv("AGENTCELLS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    config = load(tmp_path / "cells.toml")
    found = list(check._agent(config))
    assert [(line.level, line.text.partition(".")[0]) for line in found[-1:]] == [
        ("stop", "The API knows no model claude-nowhere-9")
    ]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-wrong")
    assert "invalid x-api-key" in list(check._agent(config))[-1].text
    assert api.asked == []
