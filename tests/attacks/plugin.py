"""A plugin of pytest for `make attacks`: runs what tries the catalogue, and writes the page.

`python -m pytest -p tests.attacks.plugin --attacks=docs/attacks.md`
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks import register

RESULTS: dict[str, set[str]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--attacks", metavar="PAGE", help="write what was tried to this page")


def pytest_configure(config: pytest.Config) -> None:
    """Where no files are named, those that hold something of the catalogue; no others are even read."""
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        config.args = [str(path) for path in register.files()]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Nothing runs but what tries a row of the catalogue, or is a control of one."""
    items[:] = [item for item in items if _tries(item)]


def _tries(item: pytest.Item) -> bool:
    return any(register.rows_of(_test(item.nodeid)))


def _test(nodeid: str) -> str:
    return nodeid.partition("[")[0].removeprefix("tests/")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or not report.passed:
        RESULTS.setdefault(_test(report.nodeid), set()).add("holds" if report.passed else "FAILS")


def pytest_sessionfinish(session: pytest.Session) -> None:
    where = session.config.getoption("--attacks")
    if where and not hasattr(session.config, "workerinput"):
        results = {test: ", ".join(sorted(said)) for test, said in RESULTS.items()}
        Path(where).write_text(register.page(register.scan(), results), encoding="utf-8")
