"""Which test tries which row of the catalogue, and the page that says so: docs/attacks.md.

A test belongs to the rows that its name begins with (`test_c01_c02_…`), or that elsewhere.py lists for
it. A control (`test_control_c01_…`) shows that the same attack succeeds where the mechanism is taken out.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.attacks import elsewhere
from tests.attacks.catalogue import GROUPS, ROWS

TESTS = Path(__file__).resolve().parent.parent
PAGE = TESTS.parent / "docs/attacks.md"
_NAME = re.compile(r"test_(control_)?((?:[a-j][0-9]{2}_)+)")

Kind = str  # "attack" or "control"
HEAD = """# Attacks that are tried

Every row is tried by at least one test, and shown to be a real attack by at least one control: the
same attack succeeds there, because the mechanism against it is taken out. Whole-path tests look at
the forge's contents, a folder of canaries, planted secrets, the processes left, and what the owner
is told. This page is written by `make attacks`, as root and without a model; a test compares it
with the tests that there are. "not tried": they are there, and no run for this page has reached them.
"""


def named(name: str) -> Iterable[tuple[Kind, str]]:
    """The rows that a test's name begins with."""
    found = _NAME.match(name)
    for row in found[2].upper().split("_") if found else ():
        if row in ROWS and found:
            yield "control" if found[1] else "attack", row


@dataclass(slots=True)
class Register:
    """Row -> tests, each as file::name."""

    attack: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    control: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, kind: Kind, row: str, test: str) -> None:
        getattr(self, kind)[row].add(test)


@functools.cache
def scan() -> Register:
    """All of it, read from the tests' source."""
    register = Register()
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                test = f"{path.relative_to(TESTS)}::{node.name}"
                for kind, row in rows_of(test):
                    register.add(kind, row, test)
    return register


def files() -> list[Path]:
    """Those that the tests of the catalogue are in."""
    found = scan()
    tests = {test for tests in (*found.attack.values(), *found.control.values()) for test in tests}
    return sorted({TESTS / test.partition("::")[0] for test in tests})


def rows_of(test: str) -> Iterable[tuple[Kind, str]]:
    """What a test, as file::name, tries: by its name, and by the list."""
    yield from named(test.rpartition("::")[2])
    yield from (("attack", row) for row in elsewhere.ATTACKS.get(test, "").split())
    yield from (("control", row) for row in elsewhere.CONTROLS.get(test, "").split())


def page(register: Register, results: Mapping[str, str]) -> str:
    """docs/attacks.md. `results`: of each test, "holds" or what else came of it."""
    rows = {row: _result(results, register.attack[row], register.control[row]) for row in ROWS}
    return page_of(register, rows)


def page_of(register: Register, results: Mapping[str, str]) -> str:
    """The same by the result of each row."""
    lines = [HEAD]
    for group, title in GROUPS.items():
        lines += [f"## {group}. {title}", ""]
        lines += [
            "| id | attack | must hold | tests | control | result |",
            "|---|---|---|---|---|---|",
        ]
        for row in ROWS.values():
            if row.id[0] == group:
                tests, controls = register.attack[row.id], register.control[row.id]
                cells = [row.id, row.attack, row.required, _list(tests), _list(controls)]
                lines.append(f"| {' | '.join([*cells, results.get(row.id, 'not tried')])} |")
        lines.append("")
    return "\n".join(lines)


def _result(results: Mapping[str, str], tests: set[str], controls: set[str]) -> str:
    """What could not run on this host (the real claude, systemd) says nothing; one of each kind must."""
    ran = [[results[test] for test in kind if test in results] for kind in (tests, controls)]
    return ", ".join(sorted({*ran[0], *ran[1]})) if all(ran) else "not tried"


def _list(tests: Iterable[str]) -> str:
    return "<br>".join(f"`{test}`" for test in sorted(tests)) or "-"
