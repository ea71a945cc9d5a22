"""decide, told as stories: an issue on its way through the cells, and the ends of its runs."""


from __future__ import annotations

import pytest

from agentcells.plan import SetState
from tests.builders import (
    ALICE,
    BOB,
    CELLS,
    IMPLEMENT,
    REVIEW,
    TRIAGE,
    config,
    names,
    only,
    skip_of,
)
from tests.paper_world import World, claimed, in_review


def test_an_issue_goes_through_the_cells_to_the_owners_inspection():
    world = World().file("triage")
    claim = claimed(world)
    assert (claim.cell, claim.why, claim.reply) == ("triage", "why_label", False)
    world.end("implement")
    assert claimed(world).why == "why_next"
    assert world.states() == {"implement", "working"}
    world.end("review")
    plan = world.tick()
    assert names(plan) == [
        "Push", "OpenPull", "AssignOwner", "Post", "SetState", "SetBrake", "WriteLedger", "CloseRun",
    ]
    assert (world.states(), world.states(8)) == (set(), {"review"})
    assert claimed(world).cell == "review"
    world.end("done")
    plan = world.settle()
    assert skip_of(plan).key == "skip_in_review"
    assert world.states(8) == {"in-review"}
    assert [row.next for row in world.ledger().rows] == ["implement", "review", "in-review"]
    assert world.brake.usd_today == 1.5
    assert world.items[8].assignees == (ALICE,)


@pytest.mark.parametrize("viewer", [CELLS, ALICE])
@pytest.mark.parametrize("stop", range(9))
def test_r18_a_pass_killed_after_any_write_comes_to_the_same_end(stop, viewer):
    world = World(viewer=viewer).file()
    claimed(world)
    world.end("review")
    world.tick(stop_after=stop)
    assert claimed(world).cell == "review"
    assert len(world.posts(8)) + len(world.posts(7)) == 1
    assert [n for n, item in world.items.items() if item.pull] == [8]
    assert (world.states(7), world.states(8)) == (set(), {"review", "working"})
    rows = world.ledger().rows
    assert [(row.outcome, row.next) for row in rows] == [("done", "review"), ("", "")]
    assert (world.brake.usd_today, world.kept) == (0.5, [])


def test_scenario_8_the_pull_request_is_opened_for_the_pushed_branch_without_a_new_run():
    world = World().file()
    claimed(world)
    world.end("review")
    world.tick(stop_after=1)
    plan = world.tick()
    assert names(plan)[0] == "OpenPull"
    assert len(world.branches) == 1


def test_r6_a_reply_sends_the_pair_back_to_the_cell_that_asked():
    world = World().file("triage")
    claimed(world)
    world.end("needs-human")
    assert skip_of(world.settle()).key == "skip_needs_human"
    assert world.states() == {"needs-human"}
    world.say("Use the red one.")
    claim = claimed(world)
    assert (claim.cell, claim.reply, claim.resume_from, claim.why) == (
        "triage", True, "needs-human", "why_reply")


def test_r6_words_on_in_review_go_to_the_cell_that_opened_the_pull_request():
    world = in_review(World().file())
    world.say("The boat is still too small.", 8, kind="review", verdict="changes_requested")
    claim = claimed(world)
    assert (claim.cell, claim.resume_from) == ("implement", "in-review")
    assert (world.states(7), world.states(8)) == ({"implement", "working"}, set())


def test_r6_on_reply_names_another_cell():
    world = in_review(World(config=config(TRIAGE, IMPLEMENT, REVIEW, on_reply="review")).file())
    world.say("Look once more.", 7)
    assert claimed(world).cell == "review"


def test_r7_an_answer_returns_the_pair_and_counts_no_round():
    world = in_review(World().file())
    world.say("Why so big?", 8)
    claimed(world)
    world.end("answer", comment="Because of the shark.", changed=True)
    plan = world.tick()
    assert only(plan, SetState).label == "in-review"
    assert world.kept == [world.closed[-1]]
    assert world.ledger().rows[-1].counts is False
    assert skip_of(world.settle()).key == "skip_in_review"


def test_r7_an_approval_without_text_is_no_reply():
    world = in_review(World().file())
    world.say("", 8, kind="review", verdict="approved")
    assert skip_of(world.settle()).key == "skip_in_review"


def test_scenario_24_with_the_owners_own_token_our_posts_are_no_replies():
    world = in_review(World(viewer=ALICE).file())
    assert skip_of(world.settle()).key == "skip_in_review"
    world.say("Smaller, please.", 8)
    assert claimed(world).cell == "implement"


@pytest.mark.parametrize("viewer", [CELLS, ALICE])
def test_r14_a_comment_during_the_run_keeps_the_pair_in_its_cell_for_one_more(viewer):
    world = World(viewer=viewer).file()
    claimed(world)
    world.say("And paint it blue.")
    world.end("review")
    plan = world.tick()
    assert {"Push", "OpenPull", "Post"} <= set(names(plan))
    assert (world.states(7), world.states(8)) == ({"implement"}, set())
    claim = claimed(world)
    assert (claim.cell, claim.why) == ("implement", "why_unread")
    world.end("review")
    world.settle()
    assert world.states(8) == {"review", "working"}


def test_r14_an_answer_with_another_question_stays_a_reply():
    world = in_review(World().file())
    world.say("Why?", 8)
    claimed(world)
    world.say("And when?", 8)
    world.end("answer")
    claim = claimed(world)
    assert (claim.cell, claim.reply, claim.resume_from) == ("implement", True, "in-review")


def test_scenario_5_the_reviewer_is_never_satisfied_and_only_the_owner_starts_it_again():
    world = World(config=config(TRIAGE, IMPLEMENT.model_copy(update={"max_rounds": 9}), REVIEW)).file()
    for _ in range(3):
        assert claimed(world).cell == "implement"
        world.end("review")
        assert claimed(world).cell == "review"
        world.end("implement")
    assert claimed(world).cell == "implement"
    world.end("review")
    world.settle()
    assert world.states(8) == {"needs-human"}
    world.say("I say go on.", 8, BOB)
    assert skip_of(world.settle()).key == "skip_needs_human"
    assert len(world.posts(8, "notice")) == 1
    world.say("Go on.", 8)
    assert claimed(world).cell == "review"
    for _ in range(2):
        world.end("implement")
        claimed(world)
        world.end("review")
        assert claimed(world).cell == "review"
    world.end("implement")
    claimed(world)
    world.end("review")
    world.settle()
    assert world.states(8) == {"needs-human"}
    assert len(world.posts(8, "notice")) == 2


def test_scenario_4_three_bad_answers_in_a_row_and_the_owner_is_asked():
    world = World().file("triage")
    for _ in range(2):
        claimed(world)
        world.end(kind="bad_answer")
        world.tick()
        assert world.states() == {"triage"}
        assert world.posts() == []
    assert claimed(world).why == "why_retry"
    world.end(kind="timeout")
    world.settle()
    assert world.states() == {"needs-human"}
    assert [marker.cause for marker in world.posts()] == ["timeout"]
    world.say("Once more.")
    assert claimed(world).cell == "triage"


def test_an_answer_outside_the_enum_is_a_failure():
    world = World().file("triage")
    claimed(world)
    world.end("done")
    world.tick()
    assert (world.states(), world.ledger().rows[-1].outcome) == ({"triage"}, "bad_answer")


@pytest.mark.parametrize("kind", ["budget", "turns", "refusal", "too_long", "refused"])
def test_r33_what_another_try_cannot_mend_goes_to_the_owner_at_once(kind):
    world = World().file()
    claimed(world)
    world.end(kind=kind, changed=True)
    world.settle()
    assert (world.states(), len(world.kept)) == ({"needs-human"}, 1)


def test_r40_a_dead_run_is_kept_counted_and_tried_again():
    world = World().file()
    for _ in range(2):
        claimed(world)
        world.die()
        world.tick()
        assert world.states() == {"implement"}
    claimed(world)
    world.die()
    plan = world.tick()
    assert names(plan) == ["Post", "SetState", "WriteLedger", "CloseRun"]
    assert (world.states(), world.kept) == ({"needs-human"}, world.closed)


def test_r39_without_a_proof_nothing_is_published():
    world = World().file()
    claimed(world)
    world.end("review", proof=False)
    plan = world.tick()
    assert names(plan) == ["SetState", "SetBrake", "WriteLedger", "CloseRun"]
    assert world.ledger().rows[-1].outcome == "containment"
    assert (world.branches, world.states()) == ({}, {"implement"})


@pytest.mark.parametrize("stop", range(5))
def test_scenario_1_a_killed_run_is_recovered_once(stop):
    world = World().file()
    claimed(world)
    world.die()
    world.tick(stop_after=stop)
    assert claimed(world).cell == "implement"
    assert [row.outcome for row in world.ledger().rows] == ["crash", ""]
    assert world.posts() == []


def test_r17_a_row_without_a_folder_is_a_run_that_died():
    world = World().file()
    claimed(world)
    world.runs.clear()
    plan = world.tick()
    assert names(plan) == ["SetState", "WriteLedger"]
    assert (world.states(), world.ledger().rows[-1].outcome) == ({"implement"}, "crash")


def test_r17_a_claim_of_another_machine_is_dead_only_after_its_time_out():
    world = World().file()
    claimed(world)
    world.runs.clear()
    plan = world.plan(machine="there")
    assert (skip_of(plan).key, names(plan)) == ("skip_other_machine", [])
    world.minutes += 70
    assert names(world.plan(machine="there")) == ["SetState", "WriteLedger"]


@pytest.mark.parametrize(("kind", "word"), [
    ("usage_limit", ""), ("overload", ""), ("network", ""), ("credential", "credential"),
    ("model", "model"),
])
def test_r32_the_weather_is_no_round_and_pauses_the_machine(kind, word):
    world = World().file()
    claimed(world)
    world.end(kind=kind, usd=0.0)
    world.tick()
    assert world.states() == {"implement"}
    assert world.ledger().rows[-1].counts is False
    assert world.brake.pause_reason == kind
    assert len(world.posts(7, "notice")) == bool(word)
    plan = world.tick()
    assert (skip_of(plan).key, plan.actions) == ("skip_paused", ())
    world.minutes += 120
    assert claimed(world).why == "why_retry"


def test_r32_the_stated_reset_ends_the_pause_and_one_notice_is_enough():
    world = World().file()
    claimed(world)
    world.end(kind="credential", until=world.tick_clock().replace(hour=23))
    world.tick()
    assert world.brake.paused_until is not None
    assert world.brake.paused_until.hour == 23
    world.minutes += 12 * 60
    claimed(world)
    world.end(kind="credential")
    world.tick()
    assert len(world.posts(7, "notice")) == 1
    world.minutes += 120
    claimed(world)
    world.end("review")
    world.tick()
    assert "credential" not in world.brake.told
