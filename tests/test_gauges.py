"""The figures of the line against a history whose true figures are known, and what is usual."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentcells.gauges import gauges, limit_of
from agentcells.posts import Marker
from tests.pair_world import CELLS, at, book, config, issue, labeled, ours, pair, row, snapshot
from tests.report_world import unlabeled

DAY, WEEK = 24 * 60, 7 * 24 * 60
NOW = 6 * WEEK


def waited(number: int, begin: float, days: float, *posts, rows=(), state: str = "needs-human"):
    """An issue that stood at one label from `begin` on, so many days, and was closed then."""
    end = begin + days * DAY
    return pair(replace(
        issue(*posts, *([book(rows, begin + 1)] if rows else []), number=number, state=""),
        events=(labeled(f"ac:{state}", begin), unlabeled(f"ac:{state}", end)), state="closed",
        closed_at=at(end), title=f"Item {number}",
    ))


def run(run_id: str, begin: float, **changes):
    return replace(row("implement", begin, end=at(begin + 10), **changes), run=run_id)


def failed(number: int, begin: float, times: int):
    rows = tuple(run(f"r{number}-{i}", begin + 20 * i, outcome="timeout") for i in range(times))
    said = ours(Marker(kind="decision", run=rows[-1].run, cell="implement", came_from="implement",
                       to="needs-human", cause="timeout"), "failed", begin + 20 * times)
    return waited(number, begin, 1, said, rows=rows, state="implement")


def of(found, key):
    return next(one for one in found if one.key == key)


def history(*last):
    """Five weeks with one question each that stood two days; then what is given."""
    past = [waited(n, n * WEEK, 2) for n in range(5)]
    return snapshot(*past, *last, now=at(NOW))


def test_true_figures_of_a_known_history():
    last = [waited(20, 5 * WEEK, 7), waited(21, 5 * WEEK + 3.5 * DAY, 3.5), failed(30, 5 * WEEK, 3)]
    found = gauges(config(), history(*last))
    wait = of(found, "wait:needs-human")
    assert wait.value == 1.5  # one item the whole week, one half of it
    assert wait.weeks == (0.29,) * 5  # 2 days of 7 in each
    assert (wait.usual, wait.limit) == (0.29, 1.29)
    assert wait.unusual
    assert wait.items == (("alice/game#20", "Item 20", 1.0), ("alice/game#21", "Item 21", 0.5))
    assert of(found, "failed:implement:timeout").value == 3
    assert of(found, "rounds:implement").value == 3
    assert of(found, "stops:implement:timeout").value == 1
    assert not of(found, "stops:implement:timeout").unusual  # less than the least step
    assert of(found, "wait:implement").value == pytest.approx(1 / 7 - 30 / WEEK, abs=0.01)  # at work is no wait
    assert found[0].key == "wait:needs-human" or found[0].value / found[0].limit >= wait.value / wait.limit


def test_without_four_whole_weeks_before_nothing_is_usual():
    assert gauges(config(), snapshot(now=at(0))) == ()
    assert gauges(config(), snapshot(waited(1, 0, 7), now=at(5 * WEEK - 1))) == ()
    assert gauges(config(), snapshot(waited(1, 0, 7), now=at(5 * WEEK))) != ()


def test_a_figure_that_is_gone_in_the_last_week_is_there_as_nothing():
    found = of(gauges(config(), history()), "wait:needs-human")
    assert (found.value, found.items, found.unusual) == (0, (), False)


def test_at_most_eight_weeks_before_are_compared_and_the_later_is_not_known_then():
    past = [waited(n, n * WEEK, 2) for n in range(20)]
    found = of(gauges(config(), snapshot(*past, now=at(20 * WEEK))), "wait:needs-human")
    assert len(found.weeks) == 8
    assert found.value == 0.29


@pytest.mark.parametrize(("kind", "weeks", "limit"), [
    ("stops", [0, 0, 0, 0], (0, 2)),  # the least step
    ("stops", [10, 10, 10, 10], (10, 15)),  # half of it
    ("stops", [0, 4, 8, 4], (4, 4 + 3 * 1.4826 * 2)),  # three times their distance
    ("stops", [4, 4, 4, 4, 400], (4, 6)),  # one odd week moves nothing
])
def test_what_is_usual(kind, weeks, limit):
    assert limit_of(kind, weeks) == pytest.approx(limit)


def test_weather_answers_and_what_is_no_cell_count_for_nothing():
    rows = (run("a", 5 * WEEK, outcome="usage_limit", counts=False),)
    found = gauges(config(), history(
        waited(40, 5 * WEEK, 2, rows=rows), waited(41, 5 * WEEK, 7, state="gone"),
        waited(42, 5 * WEEK, 1, ours(Marker(kind="decision", run="x", cell="implement", cause="answer",
                                            came_from="implement", to="needs-human"), "a", 5 * WEEK + 5)),
        pair(replace(issue(number=43, state=""), events=(labeled("ac:review", 5 * WEEK, CELLS),))),
    ))
    keys = {one.key for one in found}
    assert keys == {"wait:needs-human", "wait:review"}
