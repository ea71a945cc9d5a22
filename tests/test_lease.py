"""`[factory] lease`: several machines on the same items, each run exactly once, nothing written twice (R17, R26)."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentcells import rounds
from agentcells.forge import Unavailable
from agentcells.lease import Leases, name_of
from agentcells.markers import render_ledger, same
from agentcells.posts import Ledger
from tests.builders import names
from tests.invariants import at_rest, sound
from tests.machines import SIX, all_at_once, die_here, start, stop_here
from tests.paper_world import World, claimed
from tests.people import REPO
from tests.stage import REVIEW, Stage, Trouble, answer, rule, work
from tests.test_publish import ended

LATER = timedelta(minutes=61)  # than the time-out of 45 minutes and the 15 of grace
DONE = work(game__py="LIVES = 3\n")
IMPLEMENT = rule("implement", DONE)
ASKS = rule("implement", answer("needs-human", "Which colour?"))


def several(root: Path, *rules: Any) -> Stage:
    return Stage(root / "w", rules=list(rules or (IMPLEMENT, REVIEW)), factory="lease = true")


def held(stage: Stage, number: int = 1) -> str:
    """Who holds an item, by what stands on the forge."""
    found = stage.people.forge().lease(REPO, number)
    return json.loads(found.text)["holder"].partition("-")[0] if found else ""


def rows(stage: Stage, number: int) -> list[tuple[str, str]]:
    return [(row.cell, row.outcome) for row in stage.book(number).rows]


def all_comments(stage: Stage) -> list[str]:
    return [c.body for number in stage.people.numbers() for c in stage.item(number).comments]


# ---------------------------------------------------------------- one after the other


def test_a_lease_is_held_while_a_run_is_alive_and_given_back_after_it(tmp_path: Path) -> None:
    seen: list[str] = []
    stage = several(tmp_path)
    stage.rules = [rule("implement", {"call": lambda: seen.append(held(stage))}, answer("needs-human"))]
    stage.file()
    stage.tick_as("m1")
    assert seen == ["m1"]
    assert held(stage) == ""
    assert stage.states(1) == {"needs-human"}


def test_what_another_machine_holds_is_left_alone_and_says_whose_it_is(tmp_path: Path) -> None:
    stage = several(tmp_path)
    number = stage.file()
    stage.machine = "-m1"
    stage.people.forge().swap_lease(REPO, number, None, '{"holder": "m9-abc", "seconds": 3600}')
    before = all_comments(stage)
    ticked = stage.tick_as("m1")
    assert ticked.reasons == ["skip_other_machine"]
    assert (all_comments(stage), stage.states(number)) == (before, {"implement"})


def test_r13_another_item_is_taken_in_its_place(tmp_path: Path) -> None:
    stage = several(tmp_path, ASKS)
    first, second = stage.file(), stage.file()
    stage.people.forge().swap_lease(REPO, first, None, '{"holder": "m9-abc", "seconds": 3600}')
    stage.tick_as("m1")
    assert (stage.states(first), stage.states(second)) == ({"implement"}, {"needs-human"})


def test_r17_a_dead_holder_is_followed_by_the_forges_clock(tmp_path: Path) -> None:
    stage = several(tmp_path, ASKS)
    number = stage.file()
    stage.people.forge().swap_lease(REPO, number, None, '{"holder": "m9-abc", "seconds": 3600}')
    stage.advance(minutes=59)
    stage.tick_as("m1")
    assert stage.states(number) == {"implement"}
    stage.advance(minutes=2)
    stage.tick_as("m1")
    assert stage.states(number) == {"needs-human"}


@pytest.mark.parametrize("rubbish", [
    "no json at all", "[" * 100_000, '{"seconds": ' + "9" * 30 + "}", '{"seconds": -' + "9" * 30 + "}",
])
def test_rubbish_in_a_lease_runs_out_as_any_other(tmp_path: Path, rubbish: str) -> None:
    stage = several(tmp_path, ASKS)
    number = stage.file()
    stage.people.forge().swap_lease(REPO, number, None, rubbish)
    stage.tick_as("m1")
    assert stage.states(number) == {"implement"}
    stage.advance(minutes=61)
    stage.tick_as("m1")
    assert stage.states(number) == {"needs-human"}


def test_r21_what_another_machine_did_between_look_and_lease_is_seen(tmp_path: Path) -> None:
    """The second machine had looked, then the first did the whole run."""
    stage = several(tmp_path, ASKS)
    number = stage.file()
    real = Leases.demand
    done: list[list[str]] = []

    def first_goes_ahead(self: Leases, pair: Any) -> None:
        if self.machine.startswith("late") and not done:
            done.append(stage.tick_as("early").cells)
        real(self, pair)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Leases, "demand", first_goes_ahead)
        assert stage.tick_as("late").cells == []
    assert done == [["implement"]]
    assert rows(stage, number) == [("implement", "done")]
    assert len(stage.said(number)) == 1
    assert held(stage) == ""


def test_two_state_folders_on_one_host_are_two_machines(tmp_path: Path) -> None:
    stage = several(tmp_path)
    names = []
    for folder in ("-one", "-two"):
        stage.machine = folder
        names.append(name_of(stage.config, stage.state))
        assert name_of(stage.config, stage.state) == names[-1]
    assert names[0] != names[1]


def test_without_lease_nothing_is_put_on_the_forge(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "w", rules=[ASKS])
    stage.file()
    stage.tick()
    assert not any("lease" in write for write in stage.writes)
    assert not (stage.state.root / "machine").exists()


def test_a_lease_that_could_not_be_given_back_is_given_back_by_the_next_pass(tmp_path: Path) -> None:
    stage = several(tmp_path, ASKS)
    stage.file()
    stage.troubles = [Trouble("swap_lease", Unavailable("forge_unreachable"), after=1)]
    stage.tick_as("m1")
    assert held(stage) == "m1"
    stage.troubles = []
    stage.tick_as("m1")
    assert held(stage) == ""
    assert stage.states(1) == {"needs-human"}


def test_r18_a_lease_whose_answer_was_lost_is_known_again(tmp_path: Path) -> None:
    stage = several(tmp_path, ASKS)
    stage.file()
    stage.troubles = [Trouble("swap_lease", Unavailable("forge_unreachable"), done=True)]
    assert stage.tick_as("m1").problem is not None
    stage.troubles = []
    assert held(stage) == "m1"
    stage.tick_as("m1")
    assert (stage.states(1), held(stage)) == ({"needs-human"}, "")


# ---------------------------------------------------------------- on paper


def test_r17_what_another_machine_holds_is_no_action() -> None:
    world = World().file()
    plan = world.plan(elsewhere=(("alice/game#7", "m9"), ("alice/game#8", "m9")))
    assert (plan.actions, [skip.key for skip in plan.skips]) == ((), ["skip_other_machine"])
    assert world.plan(elsewhere=(("alice/game#8", "m9"),)).actions != ()


@pytest.mark.parametrize("ends", [True, False])
def test_r17_a_run_that_was_taken_for_dead_comes_too_late(ends: bool) -> None:
    world = World().file()
    claimed(world)
    run = world.runs[0].order.run
    if ends:
        world.end("review")
    else:
        world.die()
    world._write(7, rounds.died(world.ledger(), [run], world.tick_clock()))
    before = world.ledger(), world.states()
    plan = world.tick()
    assert set(names(plan)) <= {"SetBrake", "CloseRun"}
    assert [skip.key for skip in plan.skips] == ["skip_taken_over"]
    assert (world.ledger(), world.states()) == before
    assert world.closed == [run]


@pytest.mark.parametrize("stop", [4, 5])
def test_r17_a_machine_that_died_after_its_word_leaves_no_crash_in_the_book(stop: int) -> None:
    world = ended(World().file())
    assert names(world.tick(stop_after=stop))[3] == "Post"
    world.runs = []
    world.settle()
    assert [(row.outcome, row.next) for row in world.ledger().rows[:1]] == [("done", "review")]


def test_two_machines_with_keys_of_their_own_say_the_same() -> None:
    one, other = (render_ledger(Ledger(), "en", key) for key in (b"1" * 32, b"2" * 32))
    assert one != other
    assert same(one, other)
    assert not same(one, one + "x")
    assert not same("words", "other words")


# ---------------------------------------------------------------- at once


def in_review(stage: Stage, count: int) -> None:
    """Each item went through the line once, whoever did it."""
    for number in range(1, count + 1):
        assert rows(stage, number) == [("implement", "done"), ("review", "done")], number
        pull = stage.pull_of(number)
        assert stage.states(number, pull.number) == {"in-review"}
        assert len(stage.said(number)) + len(stage.said(pull.number)) == 2
        assert held(stage, number) == ""
    assert len(stage.played) == 2 * count
    at_rest(stage)


def machines_on(stage: Stage, names: tuple[str, ...], count: int, at_most: int = 8) -> None:
    """They tick, all at once, until everything is done."""
    for _ in range(count):
        stage.file()
    for _ in range(at_most):
        all_at_once(stage, names)
        if len(stage.played) >= 2 * count:
            break
    in_review(stage, count)


def test_r17_six_machines_at_once_on_the_same_items_run_each_exactly_once(tmp_path: Path) -> None:
    machines_on(several(tmp_path), SIX, 2)


@pytest.mark.slow
def test_r17_six_machines_at_once_on_fifty_items(tmp_path: Path) -> None:
    machines_on(several(tmp_path), SIX, 50, at_most=60)


# ---------------------------------------------------------------- killed, frozen


def test_r17_a_machine_that_was_killed_is_followed_after_its_lease(tmp_path: Path) -> None:
    stage = several(tmp_path)
    number = stage.file()
    stage.rules = [rule("implement", {"call": die_here}, DONE), REVIEW]
    start(stage, "m1").wait_until_killed()
    stage.rules = [IMPLEMENT, REVIEW]
    start(stage, "m2").wait()
    assert stage.states(number) == {"implement", "working"}
    start(stage, "m2", ahead=LATER).wait()
    assert rows(stage, number) == [("implement", "crash"), ("implement", "done"), ("review", "done")]
    before = all_comments(stage)
    start(stage, "m1", ahead=LATER).wait()  # it was started again, and finds the folder of its run
    assert all_comments(stage) == before
    assert stage.states(number, number + 1) == {"in-review"}
    at_rest(stage)


def test_r17_a_machine_that_was_frozen_in_its_run_for_longer_than_its_lease_publishes_nothing(
    tmp_path: Path,
) -> None:
    stage = several(tmp_path)
    number = stage.file()
    stage.rules = [rule("implement", {"call": stop_here}, work(game__py="LIVES = 9\n")), REVIEW]
    frozen = start(stage, "m1")
    frozen.wait_until_stopped()
    stage.rules = [IMPLEMENT, REVIEW]
    start(stage, "m2", ahead=LATER).wait()
    before = all_comments(stage), stage.people.files(f"agentcells/{number}"), stage.states(number, number + 1)
    frozen.go_on()
    frozen.wait()
    after = all_comments(stage), stage.people.files(f"agentcells/{number}"), stage.states(number, number + 1)
    assert after == before
    assert after[2] == {"in-review"}
    assert [path.name for path in (stage.root / "state-m1" / "runs").iterdir()] == []
    assert held(stage) == ""
    sound(stage)


def frozen_at(stage: Stage, step: str) -> None:
    """This machine's process stops after the first such write of its result, and wakes an hour later."""
    real, slept = time.clock_gettime, [0.0]

    def at(name: str) -> None:
        if name == step and not slept[0]:
            stop_here()
            slept[0] = LATER.total_seconds()

    stage.step = at
    time.clock_gettime = lambda which: real(which) + slept[0]


@pytest.mark.parametrize("step", [
    "forge: remove_labels", pytest.param("forge: open_pull", marks=pytest.mark.slow),
    pytest.param("forge: assign", marks=pytest.mark.slow),
])
def test_r26_frozen_between_two_writes_of_a_result_it_does_not_go_on_where_it_was(
    tmp_path: Path, step: str
) -> None:
    stage = several(tmp_path)
    number = stage.file()
    frozen = start(stage, "m1", prepare=lambda: frozen_at(stage, step))
    frozen.wait_until_stopped()
    stage.rules = [rule("implement", work(game__py="LIVES = 4\n")), REVIEW]
    start(stage, "m2", ahead=LATER).wait()
    before = all_comments(stage), stage.states(number, number + 1)
    frozen.go_on()
    frozen.wait()
    assert (all_comments(stage), stage.states(number, number + 1)) == before
    assert before[1] == {"in-review"}
    sound(stage)
