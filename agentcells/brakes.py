"""What slows the whole machine: a pause for the weather, and the day's dollars (R32, R34)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from agentcells.case import Case
from agentcells.config import Config
from agentcells.plan import Action, Brake, SetBrake
from agentcells.run import WEATHER, Outcome, RunFact

# How long to wait where the service does not say: these two pass by themselves, the rest does not.
SHORT, LONG = timedelta(minutes=10), timedelta(hours=1)
PASSING = ("overload", "network")
TO_MEND = ("credential", "model")  # weather that only the owner can end: he is told once
COUNTED = "usd:"  # in Brake.told: this run's dollars are in the day's sum already


def brake_after(case: Case, actions: Iterable[Action]) -> Brake:
    """The brake as it will be once these actions are done."""
    brakes = [action.brake for action in actions if isinstance(action, SetBrake)]
    return brakes[-1] if brakes else case.brake


def today(config: Config, now: datetime) -> str:
    """The day that dollars are counted for, where the owner lives."""
    return now.astimezone(ZoneInfo(config.factory.timezone)).date().isoformat()


def spent_today(config: Config, brake: Brake, now: datetime) -> float:
    """A brake of another day has nothing to say about this one."""
    return brake.usd_today if brake.day == today(config, now) else 0.0


def spend(case: Case, run: RunFact) -> tuple[SetBrake, ...]:
    """Add a run's dollars to the day, once; pause the machine when the weather ended it."""
    if run.end is None:
        return ()
    outcome = run.end.outcome
    brake = _counted(case, run.order.run, outcome)
    if outcome.kind in WEATHER:
        brake = _paused(case, brake, outcome)
    elif outcome.kind == "done":
        brake = replace(brake, told=tuple(word for word in brake.told if word not in TO_MEND))
    if brake == case.brake:
        return ()
    return (SetBrake(pair_key=case.pair.key, brake=brake),)


def _counted(case: Case, run: str, outcome: Outcome) -> Brake:
    brake = case.brake
    mark = COUNTED + run
    if not outcome.usd or mark in brake.told:
        return brake
    open_runs = {COUNTED + fact.order.run for fact in case.snapshot.runs}
    told = tuple(
        word for word in brake.told if not word.startswith(COUNTED) or word in open_runs
    )
    now = case.snapshot.now
    return replace(
        brake, day=today(case.config, now), told=(*told, mark),
        usd_today=round(spent_today(case.config, brake, now) + outcome.usd, 6),
    )


def _paused(case: Case, brake: Brake, outcome: Outcome) -> Brake:
    pause = SHORT if outcome.kind in PASSING else LONG
    until = outcome.until or case.snapshot.now + pause
    if brake.paused_until is None or until > brake.paused_until:
        brake = replace(brake, paused_until=until, pause_reason=outcome.kind)
    if outcome.kind in TO_MEND and outcome.kind not in brake.told:
        brake = replace(brake, told=(*brake.told, outcome.kind))
    return brake
