"""docs/attacks.md against the catalogue and the tests that there are.

After a new or renamed test: `AGENTCELLS_WRITE_SNAPSHOTS=1 python -m pytest tests/attacks/test_register.py`
renews the names and keeps what was found; `make attacks` tries all of it again.
"""

from __future__ import annotations

import os
import re

from tests.attacks import elsewhere, register
from tests.attacks.catalogue import ROWS


def written() -> dict[str, str]:
    """Row -> result, as the page has it."""
    lines = register.PAGE.read_text(encoding="utf-8").splitlines() if register.PAGE.exists() else []
    rows = [line.strip("| ").split(" | ") for line in lines if re.match(r"\| [A-J]\d\d ", line)]
    return {cells[0]: cells[-1] for cells in rows}


def test_every_row_is_tried_and_shown_to_be_an_attack() -> None:
    found = register.scan()
    assert [row for row in ROWS if not found.attack[row]] == []
    assert [row for row in ROWS if not found.control[row]] == []


def test_the_tests_of_other_rooms_that_are_listed_exist() -> None:
    there = {
        f"{path.relative_to(register.TESTS)}::{name}"
        for path in register.TESTS.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {*elsewhere.ATTACKS, *elsewhere.CONTROLS} - there == set()


def test_a_row_of_another_name_is_none_and_its_test_would_be_missed() -> None:
    """A test that is named after a row must mean one that is in the catalogue."""
    rows = {
        row.upper()
        for path in (register.TESTS / "attacks").glob("test_*.py")
        for name in re.findall(r"^def test_(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        for row in re.findall(r"(?:^|_)([a-j]\d\d)(?=_)", name.removeprefix("control_"))
    }
    assert rows - set(ROWS) == set()


def test_the_page_names_the_rows_and_tests_that_there_are() -> None:
    found, said = register.scan(), written()
    page = register.page_of(found, said)
    if os.environ.get("AGENTCELLS_WRITE_SNAPSHOTS"):
        register.PAGE.write_text(page, encoding="utf-8")
    assert page == register.PAGE.read_text(encoding="utf-8"), "see the first lines of this file"


def test_the_page_tells_of_no_row_that_failed() -> None:
    assert {row: said for row, said in written().items() if said not in ("holds", "not tried")} == {}
    assert written().keys() == ROWS.keys()
