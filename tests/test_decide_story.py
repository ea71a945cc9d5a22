"""decide, told as stories: an issue on its way through the cells, with everything that comes in between."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import (
    ALICE,
    BOB,
    CELLS,
    GATE,
    IMPLEMENT,
    REVIEW,
    TRIAGE,
    World,
    config,
    delivery,
    names,
    only,
    skip_of,
    verdict,
)

from agentcells.model import Claim, MergePull, Post, SetState


def claimed(world: World) -> Claim:
    claim: Claim = only(world.settle(), Claim)
    return claim


def in_review(world: World) -> World:
    """From the owner's label to his inspection."""
    claimed(world)
    world.end("review")
    world.settle()
    assert world.states(8) == {"review", "working"}
    world.end("done")
    world.settle()
    return world


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


# ---------------------------------------------------------------- things that happen meanwhile


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
    from builders import edited

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
    from builders import edited

    world = World(viewer=viewer).file()
    world.change(7, edits=(edited(BOB, world.minutes + 1),))
    world.settle()
    world.unlabel("implement")
    world.label("implement")
    assert claimed(world).cell == "implement"


def test_r25_an_ok_before_our_notice_approves_nothing():
    from builders import edited

    world = World().file()
    world.change(7, edits=(edited(BOB, world.minutes + 1),))
    world.say("ok")
    assert skip_of(world.settle()).key == "skip_text_changed"


def test_r25_the_owners_own_edit_during_the_run_is_read_in_one_more():
    from builders import edited

    world = World().file()
    claimed(world)
    world.change(7, body="A red one.", edits=(edited(ALICE, world.minutes + 1),))
    world.end("review")
    world.tick()
    assert world.states() == {"implement"}


def test_r6_the_owners_edit_after_a_question_is_a_reply():
    from builders import edited

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


# ---------------------------------------------------------------- what stands against a result


def ended(world: World, wanted: str = "review", **facts: object) -> World:
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


def test_scenario_23_commits_of_others_on_the_branch_go_to_the_owner_first():
    facts = {"tip": "d" * 40, "foreign": ("bob",), "foreign_by_owner": False}
    world = ended(World().file(), **facts)
    world.tick()
    assert (world.states(), len(world.kept)) == ({"needs-human"}, 1)


def test_r44_commits_of_the_owner_are_only_named():
    world = World().file()
    world.branches["agentcells/7"] = "d" * 40
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


# ---------------------------------------------------------------- merging


def test_r5_a_cell_with_merge_merges_what_it_was_shown(automerged):
    plan = automerged.tick()
    merge = only(plan, MergePull)
    assert merge.expected_head == automerged.branches["agentcells/7"]
    assert names(plan) == ["Post", "SetState", "MergePull", "SetBrake", "WriteLedger", "CloseRun"]
    automerged.settle()
    assert (automerged.items[8].state, automerged.branches) == ("merged", {})


@pytest.mark.parametrize("stop", range(7))
def test_r5_a_merge_cut_short_is_made_once(automerged, stop):
    automerged.tick(stop_after=stop)
    automerged.settle()
    assert (automerged.items[8].state, automerged.states(8)) == ("merged", set())
    assert len([one for one in automerged.posts(8) if one.cell == "automerge"]) == 1


def test_r5_a_merge_that_the_forge_refuses_goes_to_the_owner(automerged):
    automerged.tick(stop_after=2)
    automerged.runs = [replace(one, refused_pushes=1, refusal="no") for one in automerged.runs]
    automerged.settle()
    assert (automerged.items[8].state, automerged.states(8)) == ("open", {"needs-human"})


@pytest.fixture
def automerged() -> World:
    """A pull request that a cell with merge = true wants to merge."""
    from builders import AUTOMERGE

    review = REVIEW.model_copy(update={"next": ("automerge", "done")})
    world = World(config=config(TRIAGE, IMPLEMENT, review, AUTOMERGE)).file()
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
