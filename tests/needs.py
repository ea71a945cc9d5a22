"""What some tests need of the host beside Python and git. Where it is missing, the report names them."""

from __future__ import annotations

import functools
import os
import shutil
from typing import Any

from agentcells import sandbox
from agentcells.model import Problem
from agentcells.sentences import say
from tests.claude_world import find_claude

CLAUDE, SANDBOX, SYSTEMD = "real_claude", "sandbox", "systemd"


@functools.cache
def missing() -> dict[str, str]:
    """Marker of the tests that cannot run here, and why in one line."""
    found = {}
    strength = sandbox.available()
    if isinstance(strength, Problem):
        why = say(strength.key, "en", **strength.slots)
        found[SANDBOX] = f"tests in strong containment. {why}"
        found[CLAUDE] = "tests with the real claude: they run in strong containment."
    elif find_claude() is None:
        found[CLAUDE] = (
            "tests with the real claude (tests/test_claude*.py): there is none. "
            "npm install --prefix .ci/npm @anthropic-ai/claude-code, or AGENTCELLS_CLAUDE=/path/to/it"
        )
    if shutil.which("systemd-analyze") is None:
        found[SYSTEMD] = "tests of the timer's units: no systemd-analyze (Debian: apt-get install systemd)"
    return found


def of(item: Any) -> set[str]:
    """What this test needs."""
    values = list(item.callspec.params.values()) if hasattr(item, "callspec") else []
    values += [inner for value in values if isinstance(value, dict) for inner in value.values()]
    strong = "strong" in [value for value in values if isinstance(value, str)]
    return {name for name in (CLAUDE, SANDBOX, SYSTEMD) if item.get_closest_marker(name)} | (
        {SANDBOX} if strong else set()
    )


def lines() -> list[str]:
    """For the end of a report: what was left out here."""
    found = [f"left out here: {why}" for why in missing().values()]
    if os.geteuid() != 0:
        found.append("left out here: runs that root starts. You are not root.")
    return found
