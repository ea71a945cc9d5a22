"""Writes to GitHub go out at once while they are few, and one a second when they are many."""

from __future__ import annotations

from dataclasses import dataclass, field

from agentcells.forge.github_pace import Pace


@dataclass
class Clock:
    at: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds


def writes(clock: Clock, pace: Pace, count: int) -> list[float]:
    times = []
    for _ in range(count):
        pace.wait()
        times.append(clock.at)
    return times


def test_one_result_never_waits() -> None:
    clock = Clock()
    writes(clock, Pace(clock.now, clock.sleep), 20)
    assert clock.slept == []


def test_in_no_minute_there_are_more_than_eighty() -> None:
    clock = Clock()
    times = writes(clock, Pace(clock.now, clock.sleep), 300)
    for start in times:
        assert sum(start <= at < start + 60 for at in times) <= 80
    assert times[-1] - times[0] <= 281


def test_after_a_while_there_may_be_a_handful_again() -> None:
    clock = Clock()
    pace = Pace(clock.now, clock.sleep)
    writes(clock, pace, 25)
    waited = len(clock.slept)
    clock.at += 60
    writes(clock, pace, 20)
    assert len(clock.slept) == waited
