"""Cells that file issues, with the real claude: ticks as processes, a Messages API on the loopback."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentcells.markers import below, parse_marker
from tests.claude_world import ClaudeFactory
from tests.factory import CELLS
from tests.loopback.messages import Messages

pytestmark = [pytest.mark.real_claude, pytest.mark.slow]

ON_THE_LINE = """
[[cell]]
name = "design"
on = "issue"
next = ["implement"]
fields = ["sub_issues"]
prompt = "prompts/triage.md"

[[cell]]
name = "docs"
on = "factory"
every = "7d"
prompt = "prompts/triage.md"
"""
RULES = [
    {"cell": "docs", "do": [{"answer": {
        "next": "file", "comment": "One page is old.", "title": "The manual names a flag that is gone",
        "body": "`--fast` was taken out.", "cause": "docs:flags"}}]},
    {"cell": "design", "do": [{"answer": {
        "next": "needs-human", "comment": "Two steps.",
        "sub_issues": [{"title": "First", "body": "Store it."}, {"title": "Second", "body": "Show it."}]}}]},
]


def test_r50_an_issue_is_filed_and_a_design_is_split(tmp_path: Path) -> None:
    cells = CELLS.replace('next = ["implement"]', 'next = ["implement", "design"]', 1)
    factory = ClaudeFactory(tmp_path, cells=cells + ON_THE_LINE)
    with Messages(RULES) as api:
        login = factory.login(api)
        number = factory.file(label="design")
        done = factory.tick(**login)
        assert done.code == 0, done.stderr
        assert sorted(done.cells) == ["design", "docs"]
        factory.comment(number, "ok")
        again = factory.tick(**login)
        assert (again.code, again.cells) == (0, []), again.stderr
    rows = factory.owner.recent("alice/game", "open", 10)
    filed = {row.title: parse_marker(factory.item(row.number).body) for row in rows}
    assert {title for title, marker in filed.items() if marker and marker.kind == "filed"} == {
        "The manual names a flag that is gone", "First", "Second"}
    assert "Two steps." in below(factory.item(number).comments[1].body)
    assert api.surplus == []
