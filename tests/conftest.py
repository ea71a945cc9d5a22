"""What holds for all tests: how many examples a property is tried with, and what a host may lack."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest
from hypothesis import settings

from tests import needs

# Before anybody imports them.
pytest.register_assert_rewrite("tests.contract.forge_contract", "tests.invariants")

# Who is started in the background may be deaf to Ctrl-C, and so would be whatever a story starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# In CI the same examples each time: a change is judged by what it changes. `make soak` looks for new ones.
settings.register_profile("quick", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.register_profile("soak", deadline=None, max_examples=2000)  # `make soak`
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def pytest_configure(config: pytest.Config) -> None:
    """In CI nothing is left out."""
    if os.environ.get("CI") and (gone := needs.missing()):
        raise pytest.UsageError("CI may leave nothing out, and here are no " + "; no ".join(gone.values()))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if needs.of(item) & needs.missing().keys()]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(4 * 3600))  # thousands of histories take hours


def pytest_terminal_summary(terminalreporter: Any) -> None:
    for line in needs.lines():
        terminalreporter.write_line(line)
