"""publish: what stands against a result, and the merge, on the paper forge (R5, R8, R44, R45)."""


from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcells.model import Sha
from agentcells.plan import MergePull, Post, SetState
from tests.builders import (
    AUTOMERGE,
    GATE,
    IMPLEMENT,
    REVIEW,
    TRIAGE,
    config,
    delivery,
    names,
    only,
    skip_of,
    verdict,
)
from tests.paper_world import World, claimed


def ended(world: World, wanted: str = "review", **facts: Any) -> World:
    """An implement run that ended, with the delivery that observe found."""
    claimed(world)
    world.end(wanted)
    world.runs = [replace(run, delivery=delivery(**facts)) for run in world.runs]
    return world


def test_scenario_13_what_the_gate_blocks_is_kept_and_told_with_rule_and_path():
    world = ended(World().file(), verdict=verdict(blocks=(GATE,)), cleared=None)
    plan = world.tick()
    body = only(plan, Post).body
    assert "protected" in body
    assert ".github/workflows/ci.yml" in body
    assert (world.states(), world.branches, len(world.kept)) == ({"needs-human"}, {}, 1)


@pytest.mark.parametrize(("obstacle", "words"), [
    ("plan_unrelated", "written anew"), ("plan_git_too_old", "git 2.38"),
])
def test_r44_what_cannot_be_merged_at_all_goes_to_the_owner_and_is_kept(obstacle, words):
    world = ended(World().file(), tip="d" * 40, obstacle=obstacle)
    body = only(world.tick(), Post).body
    assert words in body
    assert (world.states(), len(world.kept)) == ({"needs-human"}, 1)


def test_scenario_23_commits_of_others_on_the_branch_go_to_the_owner_first():
    facts: dict[str, Any] = {"tip": "d" * 40, "foreign": ("bob",), "foreign_by_owner": False}
    world = ended(World().file(), **facts)
    world.tick()
    assert (world.states(), len(world.kept)) == ({"needs-human"}, 1)


def test_r44_commits_of_the_owner_are_only_named():
    world = World().file()
    world.branches["agentcells/7"] = Sha("d" * 40)
    ended(world, tip="d" * 40, foreign=("alice",))
    plan = world.tick()
    assert names(plan)[:2] == ["Push", "OpenPull"]


@pytest.mark.parametrize("stop", [4, 5, None])
def test_r44_a_conflict_goes_once_to_a_run_and_then_to_the_owner(stop):
    world = ended(World().file(), conflicts=("boat.py",))
    world.tick(stop_after=stop)
    ended(world, conflicts=("boat.py",))
    assert world.kept == world.closed
    world.settle()
    assert world.states() == {"needs-human"}
    assert [marker.to for marker in world.posts()] == ["implement", "needs-human"]


def test_scenario_7_nothing_new_goes_to_the_owner_and_leaves_the_cell():
    world = World().file()
    claimed(world)
    world.end("review", changed=False)
    plan = world.settle()
    assert skip_of(plan).key == "skip_needs_human"
    assert world.branches == {}


@pytest.mark.parametrize(("change", "word"), [
    ({"tested": None}, "not run"), ({"passed": False}, "failed"), ({"tree": "old"}, "not run"),
])
def test_r8_only_a_test_that_passed_on_exactly_the_sealed_tree_goes_on(change, word):
    world = World().file()
    claimed(world)
    world.end("review")
    run = world.runs[0]
    assert run.end is not None
    assert run.end.tested is not None
    tested = None if "tested" in change else replace(run.end.tested, **change)
    world.runs = [replace(run, end=replace(run.end, tested=tested))]
    plan = world.tick()
    assert word in only(plan, Post).body
    assert (world.states(), world.branches, len(world.kept)) == ({"needs-human"}, {}, 1)


@pytest.mark.parametrize(("needs", "state"), [(True, set()), ("merged", {"needs-human"})])
def test_r8_a_clean_merge_is_tested_again_only_on_request(needs, state):
    cell = IMPLEMENT.model_copy(update={"needs_test": needs})
    world = ended(World(config=config(TRIAGE, cell, REVIEW)).file(), merged_base=True)
    world.tick()
    assert world.states() == state


def test_scenario_19_a_push_refused_three_times_goes_to_the_owner():
    world = World().file()
    claimed(world)
    world.end("review")
    world.runs = [replace(run, refused_pushes=2, refusal="403") for run in world.runs]
    assert names(world.plan())[0] == "Push"
    world.runs = [replace(run, refused_pushes=3, refusal="403 no") for run in world.runs]
    plan = world.tick()
    assert "403 no" in only(plan, Post).body
    assert (world.states(), world.branches) == ({"needs-human"}, {})


def test_a_question_of_the_model_keeps_its_work_and_pushes_nothing():
    world = World().file()
    claimed(world)
    world.end("needs-human")
    world.settle()
    assert (world.branches, len(world.kept), world.states()) == ({}, 1, {"needs-human"})


def test_what_would_be_pushed_is_looked_at_before_anything_is_said():
    world = World().file()
    claimed(world)
    world.end("review")
    plan = world.plan(runs=tuple(world.runs))
    same = only(plan, SetState)
    assert (same.label, same.working, names(plan)) == ("implement", True, ["SetState"])


# ---------------------------------------------------------------- merging


def test_r5_a_cell_with_merge_merges_what_it_was_shown(automerged):
    plan = automerged.tick()
    merge = only(plan, MergePull)
    assert merge.expected_head == automerged.branches["agentcells/7"]
    assert names(plan) == ["Post", "MergePull", "SetState", "SetBrake", "WriteLedger", "CloseRun"]
    automerged.settle()
    assert (automerged.items[8].state, automerged.branches) == ("merged", {})


@pytest.mark.parametrize("stop", range(7))
def test_r5_a_merge_cut_short_is_made_once(automerged, stop):
    automerged.tick(stop_after=stop)
    automerged.settle()
    assert (automerged.items[8].state, automerged.states(8)) == ("merged", set())
    assert len([one for one in automerged.posts(8) if one.cell == "automerge"]) == 1


def test_r5_a_merge_that_the_forge_refuses_goes_to_the_owner(automerged):
    automerged.tick(stop_after=1)
    automerged.runs = [replace(one, refused_pushes=1, refusal="no") for one in automerged.runs]
    automerged.settle()
    assert (automerged.items[8].state, automerged.states(8)) == ("open", {"needs-human"})


def test_r5_before_a_second_try_to_merge_everything_is_asked_again(automerged):
    automerged.tick(stop_after=1)
    facts = automerged.items[8].pull
    automerged.change(8, pull=replace(facts, draft=True))
    automerged.settle()
    assert (automerged.items[8].state, automerged.states(8)) == ("open", {"needs-human"})
    assert "was not merged by itself. It is a draft." in automerged.items[8].comments[-1].body


def test_r26_a_label_that_was_taken_off_ends_the_second_try_to_merge(automerged):
    automerged.tick(stop_after=1)
    automerged.unlabel("automerge", 8)
    automerged.settle()
    assert (automerged.items[8].state, automerged.states(8), automerged.runs) == ("open", set(), [])


def test_r14_what_the_owner_says_before_a_second_try_to_merge_is_read_first(automerged):
    automerged.tick(stop_after=1)
    automerged.say("Wait!", 8)
    assert claimed(automerged).cell == "automerge"
    assert automerged.items[8].state == "open"


def test_r32_while_the_factory_is_stopped_nothing_is_merged(automerged):
    automerged.brake = replace(automerged.brake, stopped=True)
    assert [skip.key for skip in automerged.settle().skips] == ["skip_stopped"]
    automerged.brake = replace(automerged.brake, stopped=False)
    automerged.settle()
    assert automerged.items[8].state == "merged"


def test_r5_a_merge_waits_with_its_result_for_checks_and_for_a_closer_look(automerged):
    facts = automerged.items[8].pull
    ready = list(automerged.runs)
    automerged.runs = [replace(run, delivery=None) for run in ready]
    assert names(automerged.plan(runs=tuple(automerged.runs))) == ["SetState"]
    automerged.runs = ready
    automerged.change(8, pull=replace(facts, checks="pending"))
    assert [skip.key for skip in automerged.settle().skips] == ["skip_merge_waits"]
    automerged.change(8, pull=facts)
    automerged.tick(stop_after=1)
    automerged.change(8, pull=replace(facts, mergeable=None))
    assert [skip.key for skip in automerged.settle().skips] == ["skip_merge_waits"]
    automerged.change(8, pull=facts)
    automerged.settle()
    assert automerged.items[8].state == "merged"


@pytest.fixture
def automerged() -> World:
    """A pull request that a cell with merge = true wants to merge."""
    review = REVIEW.model_copy(update={"next": ("automerge", "done")})
    merging = AUTOMERGE.model_copy(update={"paths": ("**",), "checks": ()})
    world = World(config=config(TRIAGE, IMPLEMENT, review, merging)).file()
    claimed(world)
    world.end("review")
    claimed(world)
    world.end("automerge")
    assert claimed(world).cell == "automerge"
    world.end("merge")
    head = world.branches["agentcells/7"]
    facts = world.items[8].pull
    assert facts is not None
    world.change(8, pull=replace(facts, mergeable=True, head_sha=head))
    seen = delivery(push_sha=head, tip=head, verdict=verdict(sha=head, files=("a.py",)))
    world.runs = [replace(run, delivery=seen) for run in world.runs]
    return world
