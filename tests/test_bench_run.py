"""The benchmark of a run measures what it says: a run that did its work, and its parts."""

from __future__ import annotations

import pytest

from agentcells import bench_run
from agentcells.bench_run import PARTS, Figures, Size

pytestmark = pytest.mark.sandbox


def test_a_small_project_is_measured_whole_and_in_parts() -> None:
    told: list[str] = []
    size = Size(files=20, megabytes=1, goal_s=60.0)
    (figures,) = bench_run.bench(told.append, (size,), runs=1)
    assert tuple(figures.parts) == PARTS
    assert sum(figures.parts.values()) > 0
    assert 0 < figures.added_s < 60
    assert 1 < figures.memory_mb < bench_run.GOAL_MB
    (line,) = told
    assert "20 files" in line
    (value,) = bench_run.as_values((figures,))
    assert value["good"] is True


def test_what_is_above_its_goal_is_said_so() -> None:
    slow = Figures(
        files=1, megabytes=1, runs=1, added_s=2.0, goal_s=1.0, parts=dict.fromkeys(PARTS, 0.5),
        memory_mb=1, goal_mb=100,
    )
    assert not slow.good
    assert "MORE THAN THE GOAL" in bench_run.line(slow)
