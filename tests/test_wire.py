"""What a run folder holds comes back as it was written, without pydantic; what is damaged is no value."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentcells.model import RunId, Sha
from agentcells.run import Order, Outcome, Proof, RunEnd, TreeTest
from agentcells.store import Limits, RunFolder
from agentcells.wire import from_json, from_plain_json, to_json

NOW = datetime(2030, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
ORDER = Order(
    run=RunId("r1"), repo="alice/game", pair_key="alice/game#1", issue=1, pull=None, cell="implement",
    came_from="implement", reply=False, resume_from="", nexts=("review", "needs-human"),
    extra_fields=(), prompt="Ein Auftrag, 依頼\n", seen=("a", "b"), text_hash="", start=Sha("a" * 40),
    base=Sha("b" * 40), base_ref="main", branch="agentcells/1", branch_exists=True, kept="",
    writes=True, store="/s", created_at=NOW, merging=Sha("c" * 40), conflicts=("x.py",),
    causes=(("slow", 2.0, "2 s"), ("dear", 3.5, "3.50 USD")),
)
LIMITS = Limits(agent_command=("claude",), max_usd=5, read=("/opt/a",))
END = RunEnd(
    outcome=Outcome(kind="usage_limit", until=NOW, usd=0.25, fields=(("title", "T"),)),
    proof=Proof(run=RunId("r1"), nonce="n", containment="strong"), ended_at=NOW, sealed=Sha("d" * 40),
    records=("One", "Two"), tested=TreeTest(tree="e" * 40, passed=True, at=NOW),
)


@pytest.mark.parametrize("value", [ORDER, LIMITS, END, dataclasses.replace(END, proof=None, tested=None)])
def test_a_value_comes_back_as_pydantic_would_read_it(value: Any) -> None:
    kind, text = type(value), to_json(value)
    assert from_plain_json(kind, text) == value
    assert from_plain_json(kind, text.encode()) == from_json(kind, text)


def test_what_is_not_there_has_its_default_and_what_is_unknown_is_left_alone() -> None:
    text = json.dumps({"agent_command": ["claude"], "of a later version": 1})
    assert from_plain_json(Limits, text) == Limits(agent_command=("claude",))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "no such kind"), ("usd", "much"), ("usd", True), ("turns", 1.5), ("turns", True),
        ("turns", None), ("until", 5), ("until", "soon"), ("comment", None), ("fields", "ab"),
        ("fields", [["only one"]]), ("fields", [["a", 1]]), ("fields", {}),
    ],
)
def test_a_damaged_value_is_a_value_error_as_with_pydantic(field: str, value: object) -> None:
    text = json.dumps({"kind": "done", field: value})
    with pytest.raises(ValueError, match=r".+"):
        from_plain_json(Outcome, text)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "{}", '{"outcome": []}', b"\xff\xfe"])
def test_a_damaged_file_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r".*"):
        from_plain_json(RunEnd, text)


def test_a_runner_reads_its_orders_without_pydantic(tmp_path: Path) -> None:
    """It would cost each run 0.1 s and 20 MB."""
    RunFolder(tmp_path).write_order(ORDER, LIMITS)
    code = (
        "import sys, pathlib, agentcells.runner; from agentcells.store import RunFolder; "
        "folder = RunFolder(pathlib.Path(sys.argv[1])); folder.order(), folder.limits(); "
        "sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-I", "-c", code, str(tmp_path)], check=False).returncode == 0
