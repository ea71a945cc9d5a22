"""What the owner is told without looking: everything that stands, each reason once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentcells.alerts import alerts, failing, told, untold
from agentcells.config_model import Notify
from agentcells.plan import Brake, LastTick
from agentcells.posts import Marker
from tests.pair_world import (
    ALICE,
    CELLS,
    at,
    config,
    issue,
    label,
    labeled,
    ours,
    pair,
    pull,
    snapshot,
)
from tests.snapshot import same


def asking(run="r9", minutes=10, **changes):
    said = ours(Marker(kind="decision", run=run, cell="triage", came_from="triage",
                       to="needs-human"), "**triage** asks: which key?\nmore", minutes)
    events = (labeled("ac:triage", 1), labeled("ac:needs-human", minutes, CELLS))
    return pair(issue(said, state="ac:needs-human", events=events, url="https://forge/12",
                      **changes))


def inspected():
    said = ours(Marker(kind="decision", run="r8", cell="review", came_from="review",
                       to="in-review"), "**review** is content.", 40)
    return pair(issue(state="", number=13),
                pull(said, state="ac:in-review", url="https://forge/15",
                     events=(labeled("ac:in-review", 40, CELLS),)))


LIMITED = Brake(paused_until=at(200), pause_reason="usage_limit", day="2026-03-01", usd_today=50.0)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_owner_is_told_of_items_limits_and_failures_in_his_language(language):
    settings = config(language=language)
    told_of = alerts(settings, snapshot(asking(), inspected(), brake=LIMITED))
    tick = LastTick(started_at=at(1), ended_at=at(2), code=1, key="k", text="No\ntoken.", failures=3)
    found = (*told_of, *failing(settings, tick),
             *failing(settings, replace(tick, text="", key="")))
    same(f"notify/all.{language}", "\n".join(
        f"[{one.kind}] {one.text} {one.url}".rstrip() for one in found))


def test_an_alert_has_the_same_reason_as_long_as_it_is_the_same_thing():
    first = alerts(config(), snapshot(asking(), now=at(20)))
    later = alerts(config(), snapshot(asking(), now=at(90)))
    assert [one.reason for one in first] == [one.reason for one in later]
    again = alerts(config(), snapshot(asking("r10", 50)))
    assert first[0].reason != again[0].reason


def test_what_is_on_hold_or_set_by_the_owner_himself_is_no_news():
    held = asking(labels=(label("ac:needs-human"), label("ac:hold")))
    assert alerts(config(), snapshot(held)) == ()
    said = ours(Marker(kind="decision", run="r9", cell="triage", to="needs-human"), "asks", 10)
    by_hand = pair(issue(said, state="ac:needs-human", events=(
        labeled("ac:needs-human", 10, CELLS), labeled("ac:needs-human", 50, ALICE))))
    assert alerts(config(), snapshot(by_hand)) == ()
    assert alerts(config(), snapshot(pair(issue(state="ac:needs-human")))) == ()
    assert alerts(config(), snapshot(pair(issue()))) == ()


def test_limits_that_are_over_are_no_news():
    over = Brake(paused_until=at(50), day="2026-02-28", usd_today=60.0)
    assert alerts(config(), snapshot(brake=over)) == ()


def test_only_what_was_asked_for_is_told():
    settings = config().model_copy(update={"notify": Notify(on=("limit",))})
    world = snapshot(asking(), brake=LIMITED)
    assert {one.kind for one in alerts(settings, world)} == {"limit"}
    tick = LastTick(started_at=at(1), ended_at=at(2), code=1, failures=3)
    assert failing(settings, tick) == ()


@pytest.mark.parametrize(("failures", "count"), [(1, 0), (2, 0), (3, 1), (4, 1)])
def test_a_tick_is_told_of_when_it_fails_for_the_third_time(failures, count):
    tick = LastTick(started_at=at(1), ended_at=at(2), code=75, key="down", failures=failures)
    found = failing(config(), tick)
    assert [one.reason for one in found] == ["tick:down"] * count


def test_r32_a_told_reason_is_not_told_again_until_it_has_gone():
    brake = Brake(told=("credential", "usd:r1"))
    standing = alerts(config(), snapshot(asking(), brake=LIMITED))
    assert untold(standing, brake) == standing
    brake = told(brake, standing, standing[:1])
    assert untold(standing, brake) == standing[1:]
    brake = told(brake, standing, standing[1:])
    assert untold(standing, brake) == ()
    assert told(brake, standing, ()) == brake
    assert told(brake, (), ()).told == ("credential", "usd:r1")
