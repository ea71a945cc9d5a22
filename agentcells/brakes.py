"""What slows the whole machine: a pause for the weather, and the day's dollars (R32, R34)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from agentcells.case import Case
from agentcells.plan import Action, Brake, SetBrake, Snapshot
from agentcells.run import WEATHER, Outcome, RunFact

if TYPE_CHECKING:
    from agentcells.config import Config

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
    return spend_of(case.config, case.snapshot, case.brake, case.pair.key, run)


def spend_of(
    config: Config, snapshot: Snapshot, brake: Brake, key: str, run: RunFact
) -> tuple[SetBrake, ...]:
    """The same for a run that no pair stands behind. `key`: whose write it is."""
    if run.end is None:
        return ()
    outcome = run.end.outcome
    after = _counted(config, snapshot, _awake(brake, snapshot.now), run.order.run, outcome)
    if outcome.kind in WEATHER:
        after = _paused(snapshot.now, after, outcome)
    elif outcome.kind == "done":
        after = replace(after, told=tuple(word for word in after.told if word not in TO_MEND))
    return () if after == brake else (SetBrake(pair_key=key, brake=after),)


def _awake(brake: Brake, now: datetime) -> Brake:
    """A pause that is over is none."""
    over = brake.paused_until is not None and brake.paused_until <= now
    return replace(brake, paused_until=None, pause_reason="") if over else brake


def _counted(
    config: Config, snapshot: Snapshot, brake: Brake, run: str, outcome: Outcome
) -> Brake:
    mark = COUNTED + run
    if not outcome.usd or mark in brake.told:
        return brake
    open_runs = {COUNTED + fact.order.run for fact in snapshot.runs}
    told = tuple(
        word for word in brake.told if not word.startswith(COUNTED) or word in open_runs
    )
    now = snapshot.now
    return replace(
        brake, day=today(config, now), told=(*told, mark),
        usd_today=round(spent_today(config, brake, now) + outcome.usd, 6),
    )


def _paused(now: datetime, brake: Brake, outcome: Outcome) -> Brake:
    pause = SHORT if outcome.kind in PASSING else LONG
    until = outcome.until or now + pause
    if brake.paused_until is None or until > brake.paused_until:
        brake = replace(brake, paused_until=until, pause_reason=outcome.kind)
    if outcome.kind in TO_MEND and outcome.kind not in brake.told:
        brake = replace(brake, told=(*brake.told, outcome.kind))
    return brake
