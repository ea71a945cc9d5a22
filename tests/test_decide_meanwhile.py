"""decide, told as stories: what the owner and others do while an item is in the line."""


from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import (
    ALICE,
    BOB,
    CELLS,
    edited,
    names,
    skip_of,
)
from tests.paper_world import World, claimed, in_review


@pytest.mark.parametrize("stop", range(5))
def test_scenario_10_a_label_taken_off_during_the_run_publishes_nothing(stop):
    world = World().file()
    claimed(world)
    world.unlabel("implement")
    world.end("review")
    world.tick(stop_after=stop)
    world.settle()
    assert (world.branches, world.posts(), world.states()) == ({}, [], set())
    assert len(world.kept) == 1


def test_a09_the_reason_is_told_when_the_label_is_gone():
    world = World().file()
    claimed(world)
    world.label("triage")
    world.unlabel("implement")
    world.end("review")
    plan = world.tick()
    assert skip_of(plan).key == "skip_label_gone"
    assert world.states() == {"triage"}


def test_a09_an_assignee_taken_off_during_the_run_publishes_nothing():
    world = World().file()
    claimed(world)
    world.change(7, assignees=(BOB,))
    world.end("review")
    plan = world.tick()
    assert skip_of(plan).key == "skip_not_assigned"
    assert names(plan) == ["SetState", "SetBrake", "WriteLedger", "CloseRun"]
    assert world.states() == {"implement"}


def test_scenario_10_a_closed_issue_stops_the_pair():
    world = World().file()
    claimed(world)
    world.close()
    world.end("review")
    plan = world.tick()
    assert names(plan) == ["SetState", "SetBrake", "CloseRun"]
    assert (world.states(), world.posts(), world.branches) == (set(), [], {})
    assert world.plan() == replace(plan, actions=(), skips=())


def test_scenario_21_after_the_merge_labels_and_branch_are_gone():
    world = in_review(World().file())
    world.close(8, "merged")
    world.close(7)
    world.settle()
    assert (world.states(8), world.branches) == (set(), {})


def test_r9_a_closed_pull_request_stops_and_the_owners_label_starts_a_second_attempt():
    world = in_review(World().file())
    world.close(8)
    world.settle()
    assert (world.states(8), list(world.branches)) == (set(), ["agentcells/7"])
    world.label("implement")
    claim = claimed(world)
    assert (claim.pull, world.pair().attempt) == (None, 2)
    world.end("review")
    world.settle()
    assert world.states(9) == {"review", "working"}


@pytest.mark.parametrize("viewer", [CELLS, ALICE])
def test_r25_a_changed_text_stops_it_until_the_owner_says_ok(viewer):
    world = World(viewer=viewer).file()
    world.change(7, body="Delete everything.", edits=(edited(BOB, world.minutes + 1),))
    for _ in range(2):
        plan = world.settle()
        assert skip_of(plan).key == "skip_text_changed"
    assert len(world.posts(7, "notice")) == 1
    world.say("ok")
    assert claimed(world).cell == "implement"


@pytest.mark.parametrize("viewer", [CELLS, ALICE])
def test_r25_the_owners_label_approves_the_new_text(viewer):
    world = World(viewer=viewer).file()
    world.change(7, edits=(edited(BOB, world.minutes + 1),))
    world.settle()
    world.unlabel("implement")
    world.label("implement")
    assert claimed(world).cell == "implement"


def test_r25_an_ok_before_our_notice_approves_nothing():
    world = World().file()
    world.change(7, edits=(edited(BOB, world.minutes + 1),))
    world.say("ok")
    assert skip_of(world.settle()).key == "skip_text_changed"


def test_r25_the_owners_own_edit_during_the_run_is_read_in_one_more():
    world = World().file()
    claimed(world)
    world.change(7, body="A red one.", edits=(edited(ALICE, world.minutes + 1),))
    world.end("review")
    world.tick()
    assert world.states() == {"implement"}


def test_r6_the_owners_edit_after_a_question_is_a_reply():
    world = World().file("triage")
    claimed(world)
    world.end("needs-human")
    world.settle()
    world.change(7, body="A red one.", edits=(edited(ALICE, world.minutes + 1),))
    claim = claimed(world)
    assert (claim.cell, claim.reply) == ("triage", True)
    assert world.ledger().moves[-1].why == "move_edit"


# ---------------------------------------------------------------- /hold and /resume


@pytest.mark.parametrize("viewer", [CELLS, ALICE])
@pytest.mark.parametrize("word", ["/hold", "/stop please"])
def test_r7_hold_takes_the_labels_off_and_resume_puts_the_last_one_back(viewer, word):
    world = World(viewer=viewer).file()
    claimed(world)
    world.say(word)
    world.tick()
    assert world.states() == set()
    world.end("review")
    world.settle()
    assert (world.branches, world.posts()) == ({}, [])
    world.say("/resume")
    assert claimed(world).cell == "implement"
    assert world.states() == {"implement", "working"}


def test_r7_resume_answers_a_question_too():
    world = World().file("triage")
    claimed(world)
    world.end("needs-human")
    world.settle()
    world.say("/resume")
    assert claimed(world).cell == "triage"


def test_r7_a_later_label_of_the_owner_takes_his_hold_back():
    world = World().file()
    world.say("/hold")
    world.unlabel("implement")
    world.label("implement")
    assert claimed(world).cell == "implement"


def test_r7_a_hold_label_holds_runs_and_results_back():
    world = World().file()
    claimed(world)
    world.label("hold")
    world.end("review")
    assert skip_of(world.tick()).key == "skip_held_result"
    world.unlabel("hold")
    world.tick()
    assert world.states(8) == {"review"}
    world.label("hold", 8)
    assert skip_of(world.tick()).key == "skip_held"
    world.say("/resume", 8)
    assert claimed(world).cell == "review"


# ---------------------------------------------------------------- checks


@pytest.mark.parametrize("waits", ["in-review", "review"])
def test_r12_failed_checks_go_to_the_cell_that_opened_the_pull_request(waits):
    world = in_review(World().file())
    if waits == "review":
        world.label("review", 8)
        world.unlabel("in-review", 8)
    facts = world.items[8].pull
    assert facts is not None
    world.change(8, pull=replace(facts, checks="failure"))
    claim = claimed(world)
    assert (claim.cell, claim.reply, claim.why) == ("implement", False, "why_checks")
    assert world.ledger().moves[-1].because == facts.head_sha


# ---------------------------------------------------------------- the book


def test_r30_a_lost_book_is_begun_anew_by_the_owners_label():
    world = in_review(World().file())
    world.change(7, comments=())
    world.say("Go on.", 8)
    world.settle()
    assert world.states(8) == {"needs-human"}
    world.say("Please.", 8)
    assert skip_of(world.settle()).key == "skip_ledger_lost"
    world.unlabel("needs-human", 8)
    world.label("implement")
    assert claimed(world).cell == "implement"
    assert [row.cell for row in world.ledger().rows] == ["implement", "review", "implement"]


def test_r30_a_book_lost_during_the_run_publishes_nothing():
    world = World().file()
    claimed(world)
    world.change(7, comments=())
    world.end("review")
    plan = world.tick()
    assert (skip_of(plan).key, world.branches) == ("skip_ledger_lost", {})
