"""Stories of the scripted agent: it takes claude's flags, speaks its stream, and misbehaves as
told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentcells import claude, scripted_agent
from agentcells.run import Order
from agentcells.store import Limits

FILE = str(Path(scripted_agent.__file__))
KEYS = {
    "type", "subtype", "is_error", "api_error_status", "duration_ms", "duration_api_ms", "ttft_ms",
    "ttft_stream_ms", "time_to_request_ms", "num_turns", "result", "stop_reason", "session_id",
    "total_cost_usd", "usage", "modelUsage", "permission_denials", "structured_output",
    "terminal_reason", "fast_mode_state", "uuid",
}
NEXTS = ["review", "needs-human"]
SCHEMA = {
    "type": "object",
    "required": ["next", "comment"],
    "additionalProperties": False,
    "properties": {"next": {"type": "string", "enum": NEXTS}, "comment": {"type": "string"}},
}
PROMPT = "We are agentcells.\nCell: implement\nDo it.\n"


def order(writes: bool) -> Order:
    """Claude's flags depend on one fact of an order."""
    fields: dict[str, Any] = dict.fromkeys(Order.__slots__, "")
    return Order(**{**fields, "writes": writes})


def run(
    tmp_path: Path,
    rules: list[Any],
    prompt: str = PROMPT,
    *,
    writes: bool = True,
    argv: list[str] | None = None,
):
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"rules": rules}))
    (tmp_path / "work").mkdir(exist_ok=True)
    limits = Limits(
        agent_command=("claude",), model="sonnet", effort="high", protected=(".claude/**",)
    )
    session = "8c5f1c5e-3f7e-4b3c-9c39-0f4a8f3f2b11"
    flags = claude.arguments(order(writes), limits, SCHEMA, session) if argv is None else argv
    done = subprocess.run(
        [sys.executable, "-I", FILE, "--script", str(script), *flags],
        input=prompt,
        capture_output=True,
        text=True,
        cwd=tmp_path / "work",
        check=False,
    )
    return done, [json.loads(line) for line in done.stdout.splitlines() if line[:1] == "{"]


def test_it_takes_the_very_flags_we_pass_and_ends_with_the_21_keys_of_a_result(tmp_path):
    done, events = run(
        tmp_path,
        [
            {
                "do": [
                    {"write": {"src/a.py": "x = 1\n"}},
                    {"append": {"src/a.py": "y = 2\n"}},
                    {"replace": {"src/a.py": ["x = 1", "x = 3"]}},
                    {"say": "Done."},
                    {"read": ["src/a.py", "none"]},
                    {"answer": {"next": "review", "comment": "It is done."}},
                ]
            }
        ],
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "work/src/a.py").read_text() == "x = 3\ny = 2\n"
    first, *_, last = events
    assert (first["type"], first["subtype"], first["permissionMode"]) == (
        "system",
        "init",
        "dontAsk",
    )
    assert set(last) == KEYS
    assert last["structured_output"] == {"next": "review", "comment": "It is done."}
    assert json.loads(last["result"]) == last["structured_output"]
    assert last["total_cost_usd"] > 0
    assert list(last["modelUsage"]) == ["sonnet"]


def test_the_first_rule_whose_cell_and_words_fit_is_followed(tmp_path):
    rules = [
        {"cell": "review", "do": [{"answer": {"next": "review", "comment": "wrong cell"}}]},
        {
            "cell": "implement",
            "prompt": "Finding: .*name",
            "do": [{"answer": {"next": "review", "comment": "mended"}}],
        },
        {"do": [{"answer": {"next": "review", "comment": "built"}}]},
    ]
    assert run(tmp_path, rules)[1][-1]["structured_output"]["comment"] == "built"
    again = run(tmp_path, rules, PROMPT + "Finding: no name\n")[1]
    assert again[-1]["structured_output"]["comment"] == "mended"
    assert run(tmp_path, rules[:1])[0].returncode == 1


def test_an_answer_outside_the_enum_is_asked_for_again_and_given_up(tmp_path):
    done, events = run(tmp_path, [{"do": [{"answer": {"next": "deploy", "comment": "x"}}]}])
    assert done.returncode == 1
    assert events[-1]["subtype"] == "error_max_structured_output_retries"
    assert "structured_output" not in events[-1]
    assert "result" not in events[-1]


def test_no_answer_is_a_success_without_structured_output(tmp_path):
    done, events = run(tmp_path, [{"do": [{"no_answer": True}]}])
    assert (done.returncode, events[-1]["subtype"], events[-1]["is_error"]) == (0, "success", False)
    assert "structured_output" not in events[-1]
    assert run(tmp_path, [{"do": []}])[1][-1]["result"] == "I am done."


@pytest.mark.parametrize("kind", sorted(scripted_agent.ERRORS))
def test_every_ending_with_an_error_is_one_result_line_and_exit_1(tmp_path, kind):
    done, events = run(tmp_path, [{"do": [{"error": kind}]}])
    assert done.returncode == 1
    assert events[-1]["is_error"] is True
    assert ("result" in events[-1]) != ("errors" in events[-1])


def test_what_no_rule_allows_is_denied_and_the_run_goes_on(tmp_path):
    rules = [
        {"do": [{"write": {"a.txt": "x"}}, {"answer": {"next": "review", "comment": "read only"}}]}
    ]
    done, events = run(tmp_path, rules, writes=False)
    assert done.returncode == 0
    assert not (tmp_path / "work/a.txt").exists()
    assert "No such tool available: Write" in done.stdout
    assert events[-1]["permission_denials"] == []  # the tool was not even offered


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--frobnicate"], "unknown option '--frobnicate'"),
        (["-p", "hello"], "too many arguments"),
        ([], "only -p is scripted"),
        (["-p", "--model"], "argument missing"),
        (["-p", "--output-format", "stream-json"], "requires --verbose"),
        (["-p", "--setting-sources", "nonsense"], "Invalid setting source: nonsense"),
        (["-p", "--max-budget-usd", "0"], "must be a positive number"),
        (["-p", "--max-turns", "many"], "must be a positive number"),
        (["-p", "--session-id", "7"], "Must be a valid UUID"),
        (["-p", "--json-schema", "{"], "not valid JSON"),
    ],
)
def test_what_claude_refuses_it_refuses_with_empty_output(tmp_path, argv, words):
    done, _ = run(tmp_path, [{"do": []}], argv=argv)
    assert (done.returncode, done.stdout) == (1, "")
    assert words in done.stderr


def test_an_empty_prompt_is_refused(tmp_path):
    assert run(tmp_path, [{"do": []}], " \n")[0].returncode == 1


def test_it_says_its_version_and_names_every_flag_we_need(tmp_path):
    assert run(tmp_path, [], argv=["--version"])[0].stdout == "2.1.197 (Claude Code)\n"
    shown = run(tmp_path, [], argv=["--help"])[0].stdout
    used = {
        word
        for word in claude.arguments(order(True), Limits(agent_command=("c",)), {}, "s")
        if word[:1] == "-"
    }
    assert all(flag in shown for flag in used)


def test_it_can_break_off_flood_and_print_garbage(tmp_path):
    done, _ = run(
        tmp_path, [{"do": [{"stdout": "no json\n"}, {"stderr": "oh"}, {"sleep": 0}, {"exit": 7}]}]
    )
    assert (done.returncode, done.stderr) == (7, "oh\n")
    assert done.stdout.endswith("no json\n")
    assert len(run(tmp_path, [{"do": [{"flood": 200_000}]}])[0].stdout) > 190_000


def test_unknown_actions_are_a_fault_of_the_script(tmp_path):
    done, _ = run(tmp_path, [{"do": [{"dance": 1}]}])
    assert (done.returncode, "no such action: dance" in done.stderr) == (1, True)


def test_at_the_door_its_calls_need_the_one_bash_rule(tmp_path):
    rules = [{"do": [{"cell": ["observe"]}, {"no_answer": True}]}]
    argv = ["-p", "--tools", "Bash,Read", "--allowedTools", "Edit(./**)"]
    done, events = run(tmp_path, rules, argv=argv)
    assert done.returncode == 0
    assert events[-1]["permission_denials"][0]["tool_input"] == {
        "command": "agentcells cell observe"
    }
