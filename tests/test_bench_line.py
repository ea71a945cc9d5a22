"""`agentcells bench line`: what the books tell, and a short line from end to end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agentcells.bench_line import Figures, bench, line, measured
from agentcells.plan import Claim
from agentcells.posts import LedgerRow
from tests.builders import config, names, only
from tests.paper_world import World
from tests.test_publish import ended

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def rows(*spans: tuple[int, int]) -> tuple[LedgerRow, ...]:
    return tuple(
        LedgerRow(run=f"r{a}", machine="m", cell="c", start=NOON + timedelta(seconds=a), timeout_s=60,
                  end=NOON + timedelta(seconds=b))
        for a, b in spans
    )


def figures(*books: tuple[LedgerRow, ...], parallel: int = 1, seconds: float = 100) -> Figures:
    return measured(parallel, len(books), len(books), seconds, list(books), 1.0)


def test_r13_order_and_how_much_is_begun_at_once_are_read_from_the_books() -> None:
    one_by_one = figures(rows((0, 1), (1, 2)), rows((2, 3), (3, 4)))
    assert (one_by_one.in_order, one_by_one.open_at_most) == (True, 1)
    crossed = figures(rows((5, 6), (8, 9)), rows((0, 1), (6, 7)))
    assert (crossed.in_order, crossed.open_at_most, crossed.good) == (False, 2, False)


def test_an_item_that_never_began_is_not_in_order() -> None:
    assert not figures(rows((0, 1)), ()).good


def test_what_the_agent_did_not_think_is_ours() -> None:
    found = figures(rows((0, 10), (10, 20)), rows((20, 30), (30, 40)), parallel=2, seconds=4)
    assert (found.ours, found.an_hour, found.runs) == (0.5, 1800, 4)
    assert "50 %" in line(found, "en")


def test_r13_what_is_begun_is_finished_before_another_item_begins() -> None:
    """The slot that a result sets free is for that item's next cell, not for the next item."""
    world = ended(World(config=config(parallel=1)).file(number=7).file(number=8))
    plan = world.tick()
    assert "Claim" not in names(plan)
    assert "skip_factory_busy" in {skip.key for skip in plan.skips}
    assert only(world.plan(), Claim).cell == "review"


def test_r13_with_a_slot_to_spare_the_next_item_begins_meanwhile() -> None:
    world = ended(World(config=config(parallel=2)).file(number=7).file(number=8))
    assert only(world.tick(), Claim).issue == 8


@pytest.mark.slow
@pytest.mark.sandbox
def test_r13_no_item_starves_and_the_order_is_kept() -> None:
    for found in bench(lambda said: None, items=8, parallels=(1, 3), think_s=0.2):
        assert found.good, found
        assert found.open_at_most <= found.parallel + 1, found
