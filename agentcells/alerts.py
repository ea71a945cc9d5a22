"""What the owner is told without looking: pure, from what stands now, so that nothing is missed.

An alert has a reason; a reason that was told is not told again while it stands. What has been told
is in the brake file (R32); once a reason stands no more it is forgotten, and may be told anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from agentcells.brakes import spent_today, today
from agentcells.case import WAITING, Case, open_case
from agentcells.columns import clock, cut
from agentcells.markers import first_words, outcome_words
from agentcells.plan import Brake, LastTick, Snapshot
from agentcells.sentences import say
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.config import Config

AlertKind: TypeAlias = Literal["human", "limit", "failure"]

TOLD = "notify:"  # what begins so in Brake.told is ours
FAILURES = 3  # ticks in a row
TITLE, WORDS = 60, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One thing to tell. `reason` is the same as long as it is the same thing."""

    kind: AlertKind
    reason: str
    text: str
    item: str = ""
    url: str = ""
    state: str = ""

    @property
    def mark(self) -> str:
        return TOLD + self.reason


def alerts(config: Config, snapshot: Snapshot) -> tuple[Alert, ...]:
    """All that stands now: items that wait for the owner, limits that stop the factory."""
    found = [*_limits(config, snapshot)]
    for pair in snapshot.pairs:
        case = open_case(config, snapshot, pair, snapshot.brake)
        alert = _waits(case)
        if alert is not None:
            found.append(alert)
    return tuple(alert for alert in found if alert.kind in config.notify.on)


def failing(config: Config, tick: LastTick) -> tuple[Alert, ...]:
    """A tick that failed for the third time in a row, told once for each reason."""
    if tick.failures < FAILURES or "failure" not in config.notify.on:
        return ()
    words = printable(tick.text, one_line=True) or say(
        "notify_no_words", config.factory.language, code=tick.code)
    text = say("notify_failure", config.factory.language, count=tick.failures, why=words)
    return (Alert(kind="failure", reason=f"tick:{tick.key or tick.code}", text=text),)


def untold(found: Iterable[Alert], brake: Brake) -> tuple[Alert, ...]:
    return tuple(alert for alert in found if alert.mark not in brake.told)


def told(brake: Brake, standing: Iterable[Alert], sent: Iterable[Alert]) -> Brake:
    """The brake with what was sent, without what stands no more."""
    still = {alert.mark for alert in standing}
    marks = tuple(
        word for word in brake.told if not word.startswith(TOLD) or word in still
    )
    return replace(brake, told=(*marks, *(alert.mark for alert in sent)))


def _limits(config: Config, snapshot: Snapshot) -> Iterable[Alert]:
    language, brake, now = config.factory.language, snapshot.brake, snapshot.now
    if brake.paused_until is not None and brake.paused_until > now:
        why = printable(outcome_words(brake.pause_reason, language), one_line=True)
        until = clock(brake.paused_until, config.factory.timezone)
        yield Alert(
            kind="limit", reason=f"pause:{brake.pause_reason}",
            text=say("notify_pause", language, until=until, why=why),
        )
    if spent_today(config, brake, now) >= config.limits.usd_per_day:
        yield Alert(
            kind="limit", reason=f"day:{today(config, now)}",
            text=say("notify_day", language, limit=f"{config.limits.usd_per_day:.2f}"),
        )


def _waits(case: Case) -> Alert | None:
    """The newest post of ours that put it into the owner's hands; what he did himself he knows."""
    state, language = case.state.only, case.config.factory.language
    said = [
        comment for comment, marker in case.posts
        if state in WAITING and marker.to == state and marker.kind in ("decision", "notice")
    ]
    change = case.newest_set(state)
    if not said or case.state.hold or (change is not None and change.by == "owner"):
        return None
    item = case.items[-1] if case.pull_open else case.pair.anchor
    return Alert(
        kind="human", reason=f"{state}:{case.pair.key}:{said[-1].id}", item=case.pair.key,
        url=item.url, state=state,
        text=say(
            f"notify_{state.replace('-', '_')}", language,
            item=f"{item.repo}#{item.number}", title=cut(case.pair.anchor.title, TITLE),
            words=cut(first_words(said[-1].body), WORDS),
        ),
    )


__all__ = ["FAILURES", "TOLD", "Alert", "AlertKind", "alerts", "failing", "told", "untold"]
