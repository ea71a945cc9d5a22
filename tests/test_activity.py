"""What an agent is doing, from its stream."""

from __future__ import annotations

import json

import pytest

from agentcells.activity import Activity, after


def told(*events, language="en"):
    found = Activity()
    for event in events:
        found = after(found, event if isinstance(event, str) else json.dumps(event), language)
    return found


def speaks(*content, message="m1", **usage):
    return {"type": "assistant", "message": {"id": message, "content": list(content),
                                             **({"usage": usage} if usage else {})}}


def uses(name, **given):
    return {"type": "tool_use", "name": name, "input": given}


@pytest.mark.parametrize(
    ("event", "doing"),
    [
        ({"type": "system", "subtype": "init"}, "begins"),
        (speaks({"type": "text", "text": "Let me\x1b look\nat it"}), "Let me\\x1b look at it"),
        (speaks(uses("Bash", command="agentcells cell test")), "Bash agentcells cell test"),
        (speaks(uses("Edit", file_path="/src/game.py", old_string="x")), "Edit /src/game.py"),
        (speaks(uses("Odd", number=1)), 'Odd {"number": 1}'),
        (speaks(uses("StructuredOutput", next="done")), "writes its answer"),
        ({"type": "result", "total_cost_usd": 0.25}, "has answered"),
        (speaks({"type": "thinking", "thinking": "hm"}), "before"),
        (speaks({"type": "text", "text": "  "}), "before"),
        ({"type": "user"}, "before"),
        ("[" * 100_000, "before"),
        ("{broken", "before"),
        ("[]", "before"),
    ],
)
def test_the_newest_thing_it_does_is_one_line(event, doing):
    assert told(speaks({"type": "text", "text": "before"}), event).doing == doing


def test_tokens_are_counted_once_for_each_message_and_dollars_come_at_the_end():
    first = speaks(uses("Read", file_path="a"), input_tokens=100, output_tokens=5,
                   cache_read_input_tokens=1000, cache_creation_input_tokens=None)
    again = speaks({"type": "text", "text": "x"}, input_tokens=100, output_tokens=9,
                   cache_read_input_tokens=1000)
    other = speaks({"type": "text", "text": "y"}, message="m2", output_tokens=1)
    found = told(first, again, other, speaks(message="m3"))
    assert found.tokens == 1110
    assert found.usd is None
    assert told({"type": "result", "total_cost_usd": 0.25}).usd == 0.25
    assert told({"type": "result", "total_cost_usd": "?"}).usd is None
    assert told({"type": "result"}, language="ja").doing == "回答済み"


def test_r28_numbers_that_were_made_up_count_for_nothing():
    many = [speaks(message=f"m{n}", output_tokens=int("9" * 4_000), input_tokens=n) for n in range(3)]
    assert f"{told(*many).tokens:,}" == "3"
    for usd in (int("9" * 400), float("inf"), float("nan"), -1):
        assert told({"type": "result", "total_cost_usd": usd}).usd is None
