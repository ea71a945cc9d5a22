"""Every way in which the real claude ends, and what the factory makes of it (R32, R33, R38)."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.claude_world import ClaudeCase, Ran, find_claude
from tests.loopback.messages import Broken, Failure, Messages, Turn, answers, bash, cell, says
from tests.run_world import until

pytestmark = pytest.mark.real_claude

INVALID = "invalid_request_error"
DONE = answers("review", "It greets by name.")
HALF = {"write": {"half.txt": "half done\n"}}  # what is done when the end comes is kept (R40)

# Each answer comes again and again, as it would; claude's own retries are switched off but where named.
ENDINGS: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "done": ("done", [DONE], {}),
    "done after another try": (
        "done", [Failure(529, "overloaded_error", "Overloaded", times=1), DONE],
        {"env": {"CLAUDE_CODE_MAX_RETRIES": "1"}},
    ),
    "an answer outside the enum": ("bad_answer", [answers("deploy")] * 4, {}),
    "an answer with a key too many": ("bad_answer", [answers("review", extra="x")] * 4, {}),
    "an answer without its comment": ("bad_answer", [answers("review", "")] * 4, {}),
    "only words": ("no_answer", [says("I am done."), says("Really.")], {}),
    "cut off again and again": ("no_answer", [says("Hm", "max_tokens")] * 5, {}),
    "a wrong key": ("credential", [Failure(401, "authentication_error", "invalid x-api-key")], {}),
    "a key without the right": ("credential", [Failure(403, "permission_error", "no")], {}),
    "no money": ("credential", [Failure(400, INVALID, "Your credit balance is too low")], {}),
    "not logged in": ("credential", [DONE], {"agent_env": ("ANTHROPIC_BASE_URL",)}),
    "a model that is not there": (
        "model", [Failure(404, "not_found_error", "model: nope")], {"model": "nope-1"},
    ),
    "a rate limit": ("usage_limit", [Failure(429, "rate_limit_error", "slow down")], {}),
    "overload": ("overload", [Failure(529, "overloaded_error", "Overloaded")], {}),
    "overload, tried again": (
        "overload", [Failure(529, "overloaded_error", "Overloaded")],
        {"env": {"CLAUDE_CODE_MAX_RETRIES": "3"}},
    ),
    "a fault of the server": ("overload", [Failure(500)], {}),
    "a connection that ends": ("network", [Broken("refused")], {}),
    "half a stream": ("network", [Broken("half")], {}),
    "nothing at all": ("network", [Broken("empty")], {}),
    "a stream of nonsense": ("network", [Broken("garbage")], {}),
    "a portal's page": ("network", [Broken("html")], {}),
    "no answer in claude's own time": (
        "network", [Broken("silent")],
        {"env": {"API_TIMEOUT_MS": "1500"}, "agent_env": (
            "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_MAX_RETRIES", "API_TIMEOUT_MS",
        )},
    ),
    "a refusal": ("refusal", [says("I can not", "refusal")], {}),
    "a prompt that is too long": (
        "too_long", [Failure(400, INVALID, "prompt is too long: 250000 tokens > 200000 maximum")], {},
    ),
    "a request that is too large": ("too_long", [Failure(413, "request_too_large", "no")], {}),
    "a full context": ("too_long", [says("x", "model_context_window_exceeded")] * 5, {}),
    "too many turns": ("turns", [bash("ls"), bash("ls"), bash("ls"), DONE], {"max_turns": 2}),
    "too many dollars": (
        "budget", [Turn(bash("ls").blocks, tokens=9_000), DONE], {"max_usd": 0.05},
    ),
    "an answer that cost too much": (
        "budget", [Turn(DONE.blocks, tokens=9_000)], {"max_usd": 0.05},
    ),
    "the clock": ("timeout", [Broken("silent")], {"timeout_s": 2}),
    "silence": ("stall", [Broken("stalled")], {"stall_s": 2}),
    "a flag that claude does not know": (
        "crash", [DONE], {"agent_command": (str(find_claude()), "--frobnicate")},
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_r38_every_ending_is_classed(tmp_path: Path, name: str) -> None:
    kind, do, options = ENDINGS[name]
    ran = ClaudeCase(tmp_path).play(do, **options)
    assert ran.kind == kind, (ran.end.outcome, ran.text("stream.jsonl")[-2000:])
    assert ran.end.proof is not None
    assert (ran.end.outcome.next == "review") is (kind == "done")
    if kind != "done" and kind not in ("timeout", "stall"):
        assert ran.end.outcome.detail, "a person is told why"


def test_r40_the_work_of_a_run_that_ends_badly_is_sealed(tmp_path: Path) -> None:
    case = ClaudeCase(tmp_path)
    ran = case.play([HALF, cell("record", "-m", "Half of it"), Failure(500)])
    assert ran.kind == "overload"
    assert case.sealed(ran)["half.txt"] == b"half done\n"
    assert ran.end.records == ("Half of it",)


@pytest.mark.parametrize(("claim", "word"), [("five_hour", "session"), ("seven_day", "weekly")])
def test_r32_a_usage_limit_says_when_it_ends(tmp_path: Path, claim: str, word: str) -> None:
    """A subscription's limit, as its headers tell it; they are believed of an OAuth token only."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    reset = now + timedelta(hours=3)
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": str(int(reset.timestamp())),
        "anthropic-ratelimit-unified-representative-claim": claim,
    }
    limit = Failure(429, "rate_limit_error", "over the limit", headers)
    ran = subscriber(tmp_path, limit)
    assert ran.kind == "usage_limit"
    assert word in ran.end.outcome.detail
    assert ran.end.outcome.until == reset


def subscriber(tmp_path: Path, *do: Any) -> Ran:
    """A run whose login is a subscription's token, which claude must hold itself."""
    from tests.test_claude_credentials import Tunnelled

    return Tunnelled(tmp_path).play(do)


def test_r39_sigterm_at_the_runner_ends_claude_in_its_order(tmp_path: Path) -> None:
    case = ClaudeCase(tmp_path)
    with Messages([{"do": [HALF, Broken("silent")]}]) as api:
        process, folder = case.begin([], env=case.login(api))
        until(lambda: len(api.asked) == 3, 30)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    end = folder.end()
    assert end is not None
    assert (end.outcome.kind, end.proof is not None) == ("killed", True)
    assert case.files(end.sealed)["half.txt"] == b"half done\n"


def test_r38_claude_killed_from_outside_is_a_crash_and_its_work_is_kept(tmp_path: Path) -> None:
    case = ClaudeCase(tmp_path)
    with Messages([{"do": [HALF, Broken("silent")]}]) as api:
        process, folder = case.begin([], env=case.login(api))
        until(lambda: len(api.asked) == 3, 30)
        os.kill(_claude_below(process.pid), signal.SIGKILL)
        assert process.wait(20) == 0
    end = folder.end()
    assert end is not None
    assert (end.outcome.kind, end.proof is not None) == ("crash", True)
    assert case.files(end.sealed)["half.txt"] == b"half done\n"


def _claude_below(pid: int) -> int:
    """The host's number of claude itself, among all that a runner has started."""
    below = [pid]
    for parent in below:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            below += [int(child) for child in task.read_text().split()]
    found = [one for one in below if (Path(f"/proc/{one}/comm").read_text().startswith("claude"))]
    assert len(found) == 1, found
    return found[0]
