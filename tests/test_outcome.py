"""What a run ended with: every ending of claude that was measured, one row each (R33, R38)."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcells import outcome
from agentcells.run import WEATHER

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)  # a Monday
NEXTS = ("review", "needs-human")
SESSION = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
COST = {
    "num_turns": 7,
    "session_id": SESSION,
    "total_cost_usd": 0.25,
    "usage": {
        "input_tokens": 1,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 300,
        "output_tokens": 4000,
        "server_tool_use": {"web_search_requests": 9},
    },
    "modelUsage": {
        "claude-opus-4-8[1m]": {
            "inputTokens": 1,
            "outputTokens": 4000,
            "cacheReadInputTokens": 300,
            "cacheCreationInputTokens": 20,
            "webSearchRequests": 0,
            "costUSD": 0.2,
            "contextWindow": 1_000_000,
            "maxOutputTokens": 64_000,
        },
        "claude-haiku-4-5": {"inputTokens": 10, "outputTokens": 20, "costUSD": 0.05},
    },
}
ANSWER = {"next": "review", "comment": "Done: **x**."}


def good(answer=ANSWER, **more):
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "api_error_status": None,
        "result": json.dumps(answer),
        "stop_reason": "tool_use",
        "terminal_reason": "completed",
        "structured_output": answer,
        "permission_denials": [],
        **COST,
        **more,
    }


def api_error(status, words, **more):
    return {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "api_error_status": status,
        "result": words,
        **COST,
        **more,
    }


def own_end(subtype, words, **more):
    return {
        "type": "result",
        "subtype": subtype,
        "is_error": True,
        "errors": [words],
        **COST,
        **more,
    }


def read(result, *, ending="exit", code=None, stderr="", extra=(), now=NOW):
    bad = result is None or result.get("is_error") is not False
    code = int(bad) if code is None else code
    return outcome.read(ending, result, code, stderr, NEXTS, extra, now)


# ---------------------------------------------------------------- the schema


def test_r5_the_schema_offers_exactly_the_ways_on():
    assert outcome.schema(NEXTS, ("title",)) == {
        "type": "object",
        "additionalProperties": False,
        "required": ["comment", "next", "title"],
        "properties": {
            "title": {"type": "string", "maxLength": 10_000},
            "next": {"type": "string", "enum": ["review", "needs-human"]},
            "comment": {"type": "string", "minLength": 1, "maxLength": 20_000},
        },
    }


# ---------------------------------------------------------------- good ends


def test_r38_an_answer_of_the_schema_without_an_error_is_done():
    done = read(good())
    assert (done.kind, done.next, done.comment, done.fields) == (
        "done",
        "review",
        "Done: **x**.",
        (),
    )
    assert (done.tokens, done.usd, done.turns, done.session) == (4351, 0.25, 7, SESSION)
    assert (done.detail, done.until) == ("", None)


def test_further_fields_come_in_the_order_of_the_cell():
    done = read(good({**ANSWER, "title": "T", "body": ""}), extra=("title", "body"))
    assert done.fields == (("title", "T"), ("body", ""))


def test_r28_an_answer_is_cleaned():
    done = read(good({"next": "review", "comment": "a\u200b\r\nb\ud800"}))
    assert done.comment == "a\nb\ufffd"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        "review",
        3,
        [ANSWER, ANSWER],
        {},
        {"next": "review"},
        {"comment": "x"},
        {**ANSWER, "more": "x"},
        {**ANSWER, "next": "done"},
        {**ANSWER, "next": "Review"},
        {**ANSWER, "next": "review "},
        {**ANSWER, "next": "re\u200bview"},
        {**ANSWER, "next": None},
        {**ANSWER, "next": ["review"]},
        {**ANSWER, "comment": ""},
        {**ANSWER, "comment": " \n\u200b"},
        {**ANSWER, "comment": None},
        {**ANSWER, "comment": {"a": 1}},
        {**ANSWER, "comment": "x" * 20_001},
    ],
)
def test_b06_what_is_not_of_the_schema_is_a_bad_answer(answer):
    bad = read(good(answer))
    assert (bad.kind, bad.next, bad.comment) == ("bad_answer", "", "")
    assert bad.detail
    assert bad.usd == 0.25


@pytest.mark.parametrize("title", [None, 1, "x" * 10_001])
def test_b06_a_further_field_is_held_against_the_schema_too(title):
    assert read(good({**ANSWER, "title": title}), extra=("title",)).kind == "bad_answer"
    assert read(good(), extra=("title",)).kind == "bad_answer"


def test_a_run_that_never_called_the_tool_has_no_answer():
    result = good()
    del result["structured_output"]
    silent = read({**result, "result": "I am done."})
    assert (silent.kind, silent.detail) == ("no_answer", "I am done.")


# ---------------------------------------------------------------- bad ends

ENDINGS = [
    ("credential", api_error(401, "Invalid API key · Fix external API key")),
    ("credential", api_error(401, "Failed to authenticate. API Error: 401 expired")),
    ("credential", api_error(403, "Failed to authenticate. API Error: 403 forbidden")),
    ("credential", api_error(400, "Credit balance is too low")),
    ("credential", api_error(None, "Not logged in · Please run /login")),
    ("credential", api_error(None, "OAuth token has expired. Please run /login")),
    ("credential", api_error(None, "API Error: 402 credit balance is too low")),
    ("model", api_error(404, "There's an issue with the selected model (x). It may not exist")),
    ("model", api_error(None, "There’s an issue with the selected model (x).")),
    ("crash", api_error(400, "API Error: 400 messages.1: unexpected role")),
    (
        "too_long",
        api_error(400, "Prompt is too long · 1000001 tokens", terminal_reason="prompt_too_long"),
    ),
    ("too_long", api_error(400, "API Error: 400 prompt is too long: 1000001 tokens")),
    ("too_long", api_error(413, "Request too large (max 32MB).", terminal_reason="image_error")),
    ("too_long", api_error(None, "API Error: The model has reached its context window limit.")),
    ("too_long", api_error(None, "x", stop_reason="model_context_window_exceeded")),
    ("no_answer", api_error(None, "API Error: Claude's response exceeded the 64000 output token maximum.")),
    ("usage_limit", api_error(429, "API Error: Request rejected (429) · rate limit")),
    ("usage_limit", api_error(None, "API Error: Request rejected (429) · x")),
    ("usage_limit", api_error(None, "Claude AI usage limit reached|1796083200")),
    ("usage_limit", api_error(None, "Claude usage limit reached. Your limit will reset at 3pm")),
    ("usage_limit", api_error(None, "You've hit your session limit · resets 3pm (UTC)")),
    ("usage_limit", api_error(None, "You’ve hit your weekly limit · resets Mon 9am (Asia/Tokyo)")),
    ("usage_limit", api_error(None, "5-hour limit reached ∙ resets 3pm")),
    ("usage_limit", api_error(None, "Weekly limit reached ∙ resets Oct 9, 5pm")),
    (
        "usage_limit",
        api_error(400, "API Error: 400 You have reached your specified API usage limits."),
    ),
    ("overload", api_error(500, "API Error: 500 oops. This is a server-side issue")),
    ("overload", api_error(503, "x")),
    ("overload", api_error(None, "API Error: Repeated 529 Overloaded errors. Try later")),
    ("overload", api_error(529, "API Error: 529 Overloaded")),
    ("overload", api_error(None, "API Error: 502 Bad gateway")),
    ("network", api_error(None, "API Error: Unable to connect to API (ConnectionRefused)")),
    ("network", api_error(None, "Request timed out")),
    ("network", api_error(408, "x")),
    ("network", api_error(None, "API Error: Failed to parse JSON")),
    (
        "network",
        api_error(None, "API Error: API returned an empty or malformed response (HTTP 200)"),
    ),
    ("network", api_error(None, "API Error: Connection error.")),
    (
        "refusal",
        api_error(
            None,
            "API Error: Claude Code is unable to respond to this request, which "
            "appears to violate our Usage Policy",
            stop_reason="refusal",
        ),
    ),
    ("refusal", api_error(None, "API Error: Claude Code is unable to respond to this request")),
    (
        "turns",
        own_end(
            "error_max_turns", "Reached maximum number of turns (2)", terminal_reason="max_turns"
        ),
    ),
    ("turns", api_error(None, "x", terminal_reason="max_turns")),
    ("budget", own_end("error_max_budget_usd", "Reached maximum budget ($0.2)")),
    ("budget", own_end("error_max_budget_usd", "x", structured_output=ANSWER)),
    (
        "bad_answer",
        own_end(
            "error_max_structured_output_retries",
            "Failed to provide valid structured output after 5 attempts",
        ),
    ),
    ("crash", own_end("error_during_execution", "[ede_diagnostic] result_type=user")),
    ("crash", own_end("error_of_a_later_version", "something")),
    ("crash", {**own_end("error_of_a_later_version", "x"), "is_error": False}),
    ("crash", api_error(None, "something else")),
    ("crash", api_error("429", None)),
    ("crash", good(is_error=True)),
    ("crash", good(is_error=None)),
    ("crash", {k: v for k, v in good().items() if k != "is_error"}),
    ("crash", good(subtype=["success"])),
    (
        "no_answer",
        api_error(None, "Claude AI usage limit reached|1796083200", stop_reason="max_tokens"),
    ),
]


@pytest.mark.parametrize(("kind", "result"), ENDINGS)
def test_r38_every_ending_has_its_kind(kind, result):
    ended = read(result)
    assert ended.kind == kind
    assert (ended.next, ended.comment) == ("", "")
    assert (ended.tokens, ended.usd, ended.turns, ended.session) == (4351, 0.25, 7, SESSION)
    assert ended.detail


def test_r32_the_weather_is_what_concerns_all_runs():
    assert {"credential", "model", "usage_limit", "overload", "network"} == WEATHER


@pytest.mark.parametrize("ending", ["timeout", "stall", "killed"])
@pytest.mark.parametrize("result", [None, good(), api_error(429, "x")])
def test_b07_what_did_not_end_by_itself_is_a_failure_whatever_it_had_said(ending, result):
    ended = read(result, ending=ending, code=None, stderr="last words")
    assert (ended.kind, ended.detail, ended.next) == (ending, "last words", "")
    assert ended.usd == (0.25 if result else 0)


@pytest.mark.parametrize("code", [1, 143, -9])
def test_b07_a_good_answer_with_a_bad_exit_code_is_a_crash(code):
    ended = read(good(), code=code, stderr="core dumped")
    assert (ended.kind, ended.detail) == ("crash", f"exit {code}\ncore dumped")


def test_b07_exit_0_without_a_last_event_is_a_crash():
    assert read(None, code=0).detail == "exit 0"
    assert read(None, code=0).kind == "crash"


@pytest.mark.parametrize(
    "stderr",
    [
        "error: unknown option '--frobnicate'",
        "Error: Session ID x is already in use.",
        "Invalid session ID. Must be a valid UUID.",
        "Error: --json-schema is not valid JSON: x",
        "No conversation found with session ID: x",
        "Error: sandbox required but unavailable: x",
    ],
)
def test_what_claude_says_instead_of_a_result_is_handed_on(stderr):
    ended = read(None, stderr=f"{stderr}\r\n")
    assert (ended.kind, ended.detail, ended.usd, ended.session) == ("crash", stderr, 0, "")


def test_r28_details_are_cleaned_and_bounded():
    assert read(None, stderr="\x1b[31mred\u202e").detail == "[31mred"
    assert len(read(None, stderr="x" * 9_000).detail) <= 1_500
    assert len(read(api_error(None, "y" * 9_000)).detail) <= 1_000
    assert read({"subtype": "success", "is_error": True}).detail == "success"


def test_an_ending_that_does_not_exist_is_a_bug():
    with pytest.raises(ValueError, match="no such ending: paused"):
        read(None, ending="paused")


# ---------------------------------------------------------------- what it cost


@pytest.mark.parametrize(
    ("shape", "tokens", "usd"),
    [
        ({"usage": COST["usage"], "total_cost_usd": 1}, 4321, 1),
        ({"modelUsage": COST["modelUsage"]}, 4351, 0.25),
        ({"modelUsage": {"m": None}, "usage": {"input_tokens": 5}}, 5, 0),
        ({"modelUsage": [], "usage": "x", "total_cost_usd": "0.2"}, 0, 0),
        ({"usage": {"input_tokens": -5, "output_tokens": True, "x_tokens": 9}}, 0, 0),
        ({"total_cost_usd": float("nan"), "num_turns": float("inf")}, 0, 0),
        ({"total_cost_usd": 10.0**40, "num_turns": 10**40}, 0, 0),
        ({"session_id": "../../etc/passwd"}, 0, 0),
        ({"session_id": 7}, 0, 0),
    ],
)
def test_the_cost_is_read_from_every_shape_and_nonsense_counts_nothing(shape, tokens, usd):
    ended = read({"subtype": "success", "is_error": False, **shape}, code=0)
    assert (ended.kind, ended.tokens, ended.usd) == ("no_answer", tokens, pytest.approx(usd))
    assert (ended.turns, ended.session) == (0, "")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "subtype",
        "is_error",
        "api_error_status",
        "result",
        "errors",
        "structured_output",
        "usage",
        "modelUsage",
        "total_cost_usd",
        "num_turns",
        "session_id",
        "stop_reason",
        "terminal_reason",
    ]
)


@given(st.dictionaries(KEYS, JSON), st.integers(-20, 200), st.text())
def test_b06_no_event_at_all_breaks_it_or_passes_as_done(event, code, stderr):
    ended = outcome.read("exit", event, code, stderr, NEXTS, (), NOW)
    assert ended.kind != "done"
    assert outcome.read("exit", {**good(), **event}, 1, stderr, NEXTS, (), NOW).kind != "done"


def test_r32_only_a_usage_limit_has_an_end():
    assert read(api_error(429, "resets 3pm")).until == datetime(2026, 11, 30, 15, tzinfo=UTC)
    assert read(api_error(500, "resets 3pm")).until is None
    assert read(good({**ANSWER, "comment": "resets 3pm"})).until is None
