"""docs/scenarios.md names tests that there are, and every scenario has one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def names_in(path: str) -> set[str]:
    """Names of the tests of a file, by its text alone."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {one.name for one in tree.body if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")}


def rows() -> list[str]:
    lines = [line for line in PAGE.splitlines() if line.startswith("| ")]
    return [line for line in lines if not line.startswith(("| # ", "| what the people do "))]


def test_every_test_that_the_page_names_is_there() -> None:
    named = NAMED.findall(PAGE)
    gone = [f"{path}::{name}" for path, name in named if name not in names_in(path)]
    assert not gone, gone
    assert len(named) == PAGE.count("::"), "a name that cannot be read"


def test_each_of_the_twenty_four_and_each_life_has_its_test() -> None:
    assert [int(row.split("|")[1]) for row in rows() if row.split("|")[1].strip().isdigit()] == list(range(1, 25))
    without = [row for row in rows() if not NAMED.search(row)]
    assert not without, without


def test_every_story_of_life_and_owner_stands_on_the_page_or_holds_a_rule() -> None:
    """A story without a rule's number is found by this page alone."""
    folder = ROOT / "tests" / "stories"
    told = {name for path in folder.glob("test_*.py") for name in names_in(str(path.relative_to(ROOT)))}
    unnumbered = {name for name in told if not re.match(r"test_[a-z]{1,2}\d+_", name)}
    assert unnumbered <= {name for _, name in NAMED.findall(PAGE)}, unnumbered
