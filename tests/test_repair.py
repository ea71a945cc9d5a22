"""repair: labels put right, and only where it is certain what was meant (R1 to R4, R7, R11)."""


from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from agentcells.config_model import Cell
from agentcells.decide import decide
from agentcells.plan import CloseRun, DeleteBranch, Post, SetState, WriteLedger
from agentcells.posts import Ledger, LedgerRow, Marker, Move
from agentcells.run import RunFact
from tests.builders import (
    ALICE,
    BOB,
    CELLS,
    REPO,
    at,
    book,
    config,
    decision,
    issue,
    label,
    labeled,
    labelled,
    names,
    only,
    order,
    ours,
    pull,
    skip_of,
    snapshot,
    unlabeled,
)

CONFIG = config()


def plan(*items, cfg=CONFIG, **changes):
    return decide(cfg, snapshot(*items, cfg=cfg, **changes))


def set_to(found) -> tuple[str, str, bool]:
    state = only(found, SetState)
    return state.label, state.on, state.working


def test_r2_working_alone_is_removed():
    assert set_to(plan(issue(7, "working"))) == ("", "issue", False)


def test_r2_working_alone_is_removed_and_a_hold_stays():
    assert only(plan(issue(7, "working", "hold")), SetState).hold


def test_r2_a_claim_without_a_run_and_without_a_row_is_taken_back():
    assert set_to(plan(labelled(labels=(label("ac:implement"), label("ac:working"))))) == (
        "implement", "issue", False)


@pytest.mark.parametrize(("case", "item", "key"), [
    ("hold alone", issue(7, "hold"), "skip_hold_alone"),
    ("a look-alike", issue(7, labels=(label("AC:implement"),)), "skip_look_alike"),
    ("no such cell", issue(7, "paint"), "skip_unknown_label"),
    ("a cell that is off", issue(7, "design"), "skip_cell_off"),
])
def test_r22_a_label_that_says_nothing_has_a_reason(case, item, key):
    there = config(off=(Cell(name="design", on="issue", label="ac:design"),))
    assert (skip_of(plan(item, cfg=there)).key, plan(item, cfg=there).actions) == (key, ())


def test_an_item_without_a_label_of_ours_is_nothing_to_speak_of():
    assert plan(issue(7, labels=(label("bug"),))) == plan(issue(8))


# ---------------------------------------------------------------- two states


HALF = (labeled("implement", 0), labeled("review", 11, CELLS))
SENT = decision("r1", "implement", "review", 10)


@pytest.mark.parametrize(("case", "events", "comments", "repaired"), [
    ("the half of a decision", HALF, [SENT], True),
    ("the half of a move", HALF, [book(Ledger(moves=(
        Move(at=at(10), came_from="implement", to="review", why="move_reply"),)))], True),
    ("no announcement", HALF, [], False),
    ("announced something else", HALF, [decision("r1", "implement", "needs-human", 10)], False),
    ("a stranger's event since", (*HALF, unlabeled("triage", 12, BOB)), [SENT], False),
    ("the owner set it himself", (labeled("implement", 0), labeled("review", 11)), [SENT], False),
    ("set before it was announced", HALF, [decision("r1", "implement", "review", 12)], False),
    ("nothing has happened", (), [SENT], False),
])
@pytest.mark.parametrize("working", [(), ("working",)])
def test_r4_two_states_are_repaired_only_as_the_halves_of_our_own_move(
    case, events, comments, repaired, working
):
    item = issue(7, "implement", "review", *working, events=events, comments=tuple(comments))
    found = plan(item, pull(8))
    if repaired:
        assert set_to(found) == ("review", "pull", False)
    else:
        done = ["SetState"] if working else []
        if events:  # on what nobody of us ever labelled we have no word to say
            done.append("Post")
        assert (names(found), skip_of(found).key) == (done, "skip_two_states")


def test_r4_of_two_states_with_a_claim_that_is_gone_only_working_goes():
    found = plan(issue(7, "implement", "triage", "working"))
    state = only(found, SetState)
    assert (state.label, state.beside, state.working) == ("", ("implement", "triage"), False)
    assert skip_of(found).key == "skip_two_states"


def test_scenario_16_the_owner_is_told_once_and_removing_either_resumes():
    two = issue(7, "implement", "triage", events=(labeled("implement", 0), labeled("triage", 1)))
    told = only(plan(two), Post)
    again = replace(two, comments=(ours(told.marker, 2),))
    assert (plan(again).actions, skip_of(plan(again)).key) == ((), "skip_two_states")
    one = replace(again, labels=(label("ac:implement"),))
    assert names(plan(one)) == ["Claim"]


def test_r4_over_both_members():
    found = plan(labelled(), pull(8, "in-review"))
    assert skip_of(found).key == "skip_two_states"


# ---------------------------------------------------------------- the other member


def test_r1_a_label_of_the_owner_on_the_other_member_means_the_pair():
    found = plan(issue(7), pull(8, "implement", events=(labeled("implement", 0),)))
    assert names(found) == ["WriteLedger", "SetState"]
    assert set_to(found) == ("implement", "issue", False)
    move = only(found, WriteLedger).ledger.moves[0]
    assert (move.came_from, move.to, move.why) == ("implement", "implement", "move_member")


@pytest.mark.parametrize(("state", "on"), [("needs-human", "pull"), ("in-review", "pull")])
def test_r1_what_waits_for_the_owner_stands_on_the_pull_request(state, on):
    found = plan(issue(7, state, events=(labeled(state, 0),)), pull(8))
    assert set_to(found) == (state, on, False)


@pytest.mark.parametrize(("case", "events", "comments", "key"), [
    ("a stranger's", (labeled("implement", 0, BOB),), (), "skip_label_foreign"),
    ("nobody's", (), (), "skip_label_unknown"),
    ("the book is lost", (labeled("implement", 0),), (SENT,), "skip_ledger_lost"),
])
def test_r1_nobody_elses_label_is_carried_over(case, events, comments, key):
    found = plan(issue(7), pull(8, "implement", events=events, comments=comments))
    assert (skip_of(found).key, found.actions) == (key, ())


def test_r1_one_state_on_both_members_is_left_on_the_right_one():
    found = plan(labelled("review"), pull(8, "review"))
    assert set_to(found) == ("review", "pull", False)


# ---------------------------------------------------------------- stopped pairs


@pytest.mark.parametrize(("first", "second"), [
    (issue(7, "implement", state="closed"), pull(8)),
    (issue(7), pull(8, "review", state="closed")),
    (issue(7, "hold"), pull(8, "review", state="merged")),
])
def test_r11_closing_either_member_takes_the_labels_off_both(first, second):
    found = plan(first, second)
    assert set_to(found) == ("", "pull" if second.state == "open" else "issue", False)
    assert not only(found, SetState).hold


@pytest.mark.parametrize(("case", "item", "branches", "gone"), [
    ("merged", pull(8, state="merged"), (f"{REPO} agentcells/7",), True),
    ("gone already", pull(8, state="merged"), (), False),
    ("closed", pull(8, state="closed"), (f"{REPO} agentcells/7",), False),
    ("the owner's own", pull(8, state="merged", author=ALICE), (f"{REPO} agentcells/7",), False),
])
def test_r11_after_a_merge_the_branch_of_ours_is_deleted(case, item, branches, gone):
    found = plan(item, branches=branches)
    assert [type(one) for one in found.actions] == [DeleteBranch] * gone


def test_r11_the_branch_stays_while_a_run_needs_it():
    alive = RunFact(order=order(pair_key=f"{REPO}#7"), status="alive")
    found = plan(issue(7), pull(8, state="merged"), branches=(f"{REPO} agentcells/7",), runs=(alive,))
    assert found.actions == ()


def test_r26_runs_of_a_stopped_pair_are_kept():
    runs = (RunFact(order=order("r1"), status="dead"), RunFact(order=order("r2"), status="alive"))
    found = plan(issue(7, state="closed"), runs=runs)
    assert [(one.run, one.keep) for one in found.actions if isinstance(one, CloseRun)] == [("r1", True)]


# ---------------------------------------------------------------- hold


def hold(*events, comments=()):
    return plan(labelled(events=events, comments=comments))


def test_r7_hold_beside_a_state_lets_nothing_run():
    found = plan(issue(7, "implement", "hold", events=(labeled("implement", 0),)))
    assert (skip_of(found).key, found.actions) == ("skip_held", ())


def test_r7_only_the_owner_takes_a_hold_off():
    by_bob = (labeled("hold", 1), unlabeled("hold", 2, BOB))
    assert skip_of(hold(*by_bob)).key == "skip_hold_taken_off"
    assert names(hold(labeled("hold", 1), unlabeled("hold", 2))) == ["Claim"]
    assert names(hold(labeled("hold", 1), unlabeled("hold", 2, CELLS))) == ["Claim"]
    assert names(hold(*by_bob, unlabeled("implement", 3), labeled("implement", 4))) == ["Claim"]
    assert names(hold(*by_bob, labeled("hold", 5), unlabeled("hold", 6))) == ["Claim"]


def test_r7_a_hold_taken_off_by_a_stranger_where_the_owner_never_spoke():
    item = issue(7, "implement", events=(unlabeled("hold", 2, BOB),))
    assert skip_of(plan(item)).key == "skip_hold_taken_off"


def test_r17_a_row_of_another_machine_keeps_working_in_place():
    row = LedgerRow(run="r9", machine="there", cell="implement", start=at(90), timeout_s=3600)
    item = labelled(labels=(label("ac:implement"), label("ac:working")),
                    comments=(book(Ledger(rows=(row,))),))
    assert skip_of(plan(item)).key == "skip_other_machine"


def test_a_notice_of_ours_is_no_reason_to_lose_a_book():
    item = labelled(comments=(ours(Marker(kind="notice", cause="x"), 1),))
    assert names(plan(item)) == ["Claim"]


# ---------------------------------------------------------------- a move that was cut off


def moved(why: str, came_from: str, to: str) -> Ledger:
    return Ledger(moves=(Move(at=at(10), came_from=came_from, to=to, why=why, because="C1"),))


@pytest.mark.parametrize(("why", "came_from", "to", "there", "comes_to"), [
    ("move_reply", "needs-human", "implement", ("needs-human",), "implement"),
    ("move_held", "implement", "", ("implement", "working"), ""),
    ("move_held", "implement", "", ("implement", "triage"), ""),
    ("move_resumed", "", "implement", (), "implement"),
    ("move_resumed", "implement", "implement", ("implement", "hold"), "implement"),
])
def test_r15_a_move_of_the_book_that_no_label_followed_is_carried_out(
    why, came_from, to, there, comes_to
):
    found = plan(issue(7, *there, comments=(book(moved(why, came_from, to)),),
                       events=(labeled("implement", 0),)))
    assert names(found) == ["SetState"]
    assert (only(found, SetState).label, only(found, SetState).hold) == (comes_to, False)


@pytest.mark.parametrize(("case", "events"), [
    ("it was carried out", (labeled("implement", 11, CELLS),)),
    ("half of it", (unlabeled("needs-human", 11, CELLS),)),
    ("the owner's hand is newer", (labeled("needs-human", 12),)),
    ("a stranger's hand is newer", (unlabeled("triage", 12, BOB),)),
])
def test_r15_a_move_that_was_followed_is_not_made_again(case, events):
    item = issue(7, "needs-human", events=(labeled("implement", 0), *events),
                 comments=(book(moved("move_reply", "needs-human", "implement")),))
    assert names(plan(item)) == []


@pytest.mark.parametrize(("case", "labelled_s", "carried_out"), [
    ("set a moment before", 0.2, True),
    ("set a moment after", 0.9, False),
    ("a forge of whole seconds cannot tell", 0.0, False),
])
def test_r15_a_label_set_within_the_second_of_a_move(case, labelled_s, carried_out):
    noted = at(10) + timedelta(seconds=0.7)
    move = Move(at=noted, came_from="implement", to="", why="move_held", because="C1")
    found = plan(issue(7, "implement", comments=(book(Ledger(moves=(move,))),),
                       events=(labeled("implement", 10 + labelled_s / 60),)))
    assert ("SetState" in names(found)) == carried_out, case


@pytest.mark.parametrize(("why", "came_from", "to", "there"), [
    ("move_conflict", "implement", "", ("implement",)),
    ("move_member", "implement", "implement", ("implement",)),
    ("move_resumed", "implement", "implement", ("implement",)),
    ("move_held", "implement", "", ()),
    ("move_reply", "in-review", "implement", ("needs-human",)),
])
def test_r15_nothing_is_cut_off_when(why, came_from, to, there):
    found = plan(issue(7, *there, comments=(book(moved(why, came_from, to)),),
                       events=(labeled(there[0] if there else "triage", 0),)))
    assert "SetState" not in names(found)
