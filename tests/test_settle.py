"""settle, publish, merging: the ends of a run that the stories do not tell (R5, R8, R10, R26, R33, R39)."""


from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcells import case as cases
from agentcells.decide import decide
from agentcells.merging import _would_have, changed_since, merge_obstacle, within
from agentcells.model import RunId, Sha
from agentcells.plan import Brake, CloseRun, Post, SetBrake, SetState, WriteLedger
from agentcells.posts import Ledger, LedgerRow, Marker
from agentcells.publish import _merge
from agentcells.run import Outcome, Proof, RunEnd, RunFact
from agentcells.settle import end_of
from tests.builders import (
    ALICE,
    AUTOMERGE,
    BOB,
    CELLS,
    GATE,
    IMPLEMENT,
    MACHINE,
    REVIEW,
    TRIAGE,
    at,
    book,
    comment,
    config,
    decision,
    delivery,
    edited,
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
    verdict,
)

CONFIG = config()
PROOF = Proof(run=RunId("r1"), nonce="n", containment="strong")


def opened(cell: str = "implement") -> Ledger:
    return Ledger(rows=(
        LedgerRow(run="r1", machine=MACHINE, cell=cell, start=at(10), timeout_s=600),))


def over(outcome: Outcome, *, end: Any = None, **changes: Any) -> RunFact:
    """An ended run with its proof."""
    words = {"delivery": None, "refused_pushes": 0, "status": "ended"}
    facts = {key: changes.pop(key, plain) for key, plain in words.items()}
    return RunFact(
        order=order(**changes), **facts,
        end=RunEnd(**{"outcome": outcome, "proof": PROOF, "ended_at": at(50), **(end or {})}),
    )


def plan(run: RunFact, *items, cfg=CONFIG, **changes):
    return decide(cfg, snapshot(*items, cfg=cfg, runs=(run,), **changes))


def implementing(**changes):
    return labelled(comments=(book(opened(), 9),), **changes)


REVIEWING: dict[str, Any] = {"cell": "review", "came_from": "review", "pull": 8, "issue": None, "writes": False,
             "start": Sha("b" * 40), "pair_key": "alice/game#8", "nexts": ("implement", "done", "needs-human")}


def own_pull(state: str = "review"):
    return pull(8, state, author=ALICE, events=(labeled(state, 0),), facts={"head_ref": "boat"},
                comments=(book(opened(state), 9),))


# ---------------------------------------------------------------- the owner's own pull request


@pytest.mark.parametrize(("wanted", "to"), [("implement", "needs-human"), ("done", "in-review")])
def test_r10_a_next_on_issues_becomes_needs_human_on_the_owners_own_pull_request(wanted, to):
    item = own_pull()
    from agentcells.trust import text_hash

    run = over(Outcome(kind="done", next=wanted), **REVIEWING,
               text_hash=text_hash(item.title, item.body))
    found = plan(run, item)
    assert names(found) == ["Post", "SetState", "WriteLedger", "CloseRun"]
    state = only(found, SetState)
    assert (state.label, state.on, state.issue, state.pull) == (to, "pull", None, 8)


def test_r10_the_owners_own_pull_request_is_never_pushed_to():
    fixer = REVIEW.model_copy(update={"writes": True, "needs_record": False})
    item = own_pull()
    run = over(Outcome(kind="done", next="done"), **{**REVIEWING, "writes": True},
               end={"changed": True, "sealed": "c" * 40}, delivery=delivery(tip="b" * 40))
    found = plan(run, item, cfg=config(TRIAGE, IMPLEMENT, fixer))
    assert "Push" not in names(found)
    assert only(found, CloseRun).keep


# ---------------------------------------------------------------- where it may go


@pytest.mark.parametrize(("case", "cell", "outcome", "run", "reason"), [
    ("the cell is gone", IMPLEMENT, "paint", {"nexts": ("paint",)}, "paint"),
    ("nothing to open a pull request with", IMPLEMENT.model_copy(
        update={"needs_record": False, "needs_test": False}), "review", {}, "pull request"),
    ("its own cell is gone", IMPLEMENT, "review", {"cell": "gone"}, "pull request"),
])
def test_r8_a_run_that_cannot_go_on_asks_the_owner(case, cell, outcome, run, reason):
    ledger = opened(run.get("cell", "implement"))
    item = labelled(comments=(book(ledger, 9),))
    found = plan(over(Outcome(kind="done", next=outcome), **run), item,
                 cfg=config(TRIAGE, cell, REVIEW))
    assert reason in only(found, Post).body
    assert only(found, SetState).label == "needs-human"


def test_r8_needs_test_holds_for_a_cell_that_only_reads_too():
    strict = REVIEW.model_copy(update={"needs_test": True})
    item = pull(8, "review", events=(labeled("review", 0),))
    run = over(Outcome(kind="done", next="done"), cell="review", came_from="review", pull=8,
               writes=False, nexts=("done",), start=Sha("b" * 40))
    found = plan(run, issue(7, comments=(book(opened("review"), 9),)), item,
                 cfg=config(TRIAGE, IMPLEMENT, strict))
    assert only(found, SetState).label == "needs-human"


def test_r8_without_a_test_command_nothing_is_demanded():
    run = over(Outcome(kind="done", next="review"), delivery=delivery(),
               end={"changed": True, "sealed": "c" * 40})
    assert names(plan(run, implementing(), cfg=config(test=())))[0] == "Push"


def test_work_for_another_cell_on_issues_is_pushed_without_a_pull_request():
    polish = IMPLEMENT.model_copy(update={"name": "polish", "label": "ac:polish"})
    first = IMPLEMENT.model_copy(update={"next": ("polish",)})
    run = over(Outcome(kind="done", next="polish"), nexts=("polish",), delivery=delivery(),
               end={"changed": True, "sealed": "c" * 40})
    found = plan(run, implementing(), cfg=config(TRIAGE, first, polish, REVIEW))
    assert names(found)[:3] == ["Push", "Post", "SetState"]
    assert (only(found, SetState).label, only(found, Post).on) == ("polish", "issue")


def test_r9_work_on_an_open_pull_request_is_pushed_and_the_owner_assigned_once():
    run = over(Outcome(kind="done", next="review"), pull=8, branch_exists=True,
               delivery=delivery(tip="b" * 40), end={"changed": True, "sealed": "c" * 40})
    cfg = config(test=())
    found = plan(run, implementing(), pull(8, assignees=()), cfg=cfg)
    assert names(found)[:3] == ["Push", "AssignOwner", "Post"]
    assert (only(found, Post).on, only(found, Post).number) == ("pull", 8)
    assert "AssignOwner" not in names(plan(run, implementing(), pull(8), cfg=cfg))


def test_r44_a_conflict_of_a_cell_that_only_reads_goes_to_one_that_writes():
    item = pull(8, "review", events=(labeled("review", 0),))
    run = over(Outcome(kind="done", next="done"), cell="review", came_from="review", pull=8,
               writes=False, nexts=("done",), delivery=delivery(conflicts=("a",)))
    found = plan(run, issue(7, comments=(book(opened("review"), 9),)), item)
    assert (only(found, SetState).label, only(found, SetState).on) == ("implement", "issue")
    alone = plan(run, issue(7, comments=(book(opened("review"), 9),)), item,
                 cfg=config(REVIEW.model_copy(update={"name": "review", "next": ("done",)})))
    assert only(alone, SetState).label == "review"


def test_r44_a_conflict_after_the_run_that_was_to_solve_it_asks_the_owner():
    run = over(Outcome(kind="done", next="review"), conflicts=("a.py",),
               delivery=delivery(conflicts=("a.py",)), end={"changed": True, "sealed": "c" * 40})
    assert only(plan(run, implementing()), SetState).label == "needs-human"


def test_d_what_the_gate_did_not_clear_is_never_pushed():
    run = over(Outcome(kind="done", next="review"), delivery=delivery(cleared=None),
               end={"changed": True, "sealed": "c" * 40})
    assert names(plan(run, implementing())) == ["Post", "SetState", "WriteLedger", "CloseRun"]


def test_d_of_many_findings_the_first_is_named_and_the_rest_counted():
    run = over(Outcome(kind="done", next="review"), end={"changed": True, "sealed": "c" * 40},
               delivery=delivery(cleared=None, verdict=verdict(blocks=(GATE, GATE, GATE))))
    assert "(+2)" in only(plan(run, implementing()), Post).body


def test_r7_an_answer_with_nowhere_to_return_to_asks_the_owner():
    run = over(Outcome(kind="done", next="answer"), nexts=("answer",))
    assert only(plan(run, implementing()), SetState).label == "needs-human"


# ---------------------------------------------------------------- dead and half published


def test_r39_a_run_that_ended_without_a_proof_is_buried():
    run = over(Outcome(kind="done", next="review", usd=1.0), end={"proof": None})
    found = plan(run, implementing())
    assert names(found) == ["SetBrake", "WriteLedger", "CloseRun"]
    assert only(found, WriteLedger).ledger.rows[0].outcome == "containment"


def test_r40_a_dead_run_that_no_book_knows_is_only_kept():
    run = RunFact(order=order(), status="dead")
    assert names(plan(run, issue(7))) == ["CloseRun"]


def test_r26_a_result_for_two_states_is_kept_and_leaves_the_labels():
    item = replace(implementing(), labels=issue(7, "implement", "triage", "working").labels)
    found = plan(over(Outcome(kind="done", next="review")), item)
    assert (names(found), skip_of(found).key) == (["WriteLedger", "CloseRun"], "skip_label_gone")


def test_r26_a_changed_text_withholds_the_result_and_is_told():
    found = plan(over(Outcome(kind="done", next="review")), implementing(edits=(edited(BOB, 20),)))
    assert names(found) == ["Post", "WriteLedger", "CloseRun"]
    assert only(found, Post).marker.kind == "notice"


def test_r18_what_was_decided_is_finished_without_its_book_and_without_the_label():
    item = issue(7, "triage", "working", events=(labeled("implement", 0), labeled("triage", 60)),
                 comments=(decision("r1", "implement", "review", 55),))
    found = plan(over(Outcome(kind="done", next="review")), item)
    assert names(found) == ["SetState", "CloseRun"]
    assert (only(found, SetState).label, only(found, SetState).working) == ("triage", False)


def test_r18_the_owners_hand_after_the_decision_is_the_newer():
    item = issue(7, events=(labeled("implement", 0), labeled("implement", 60)),
                 comments=(book(opened(), 9), decision("r1", "implement", "review", 55)))
    assert names(plan(over(Outcome(kind="done", next="review")), item)) == ["WriteLedger", "CloseRun"]


def test_r18_a_failure_that_was_told_keeps_its_kind_in_the_book():
    item = issue(7, "needs-human", events=(labeled("implement", 0), labeled("needs-human", 56, CELLS)),
                 comments=(book(opened(), 9),
                           decision("r1", "implement", "needs-human", 55, cause="bad_answer")))
    found = plan(over(Outcome(kind="done", next="?")), item)
    assert only(found, WriteLedger).ledger.rows[0].outcome == "bad_answer"


# ---------------------------------------------------------------- dollars and the weather


def test_r34_a_run_is_counted_once_and_old_marks_go():
    run = over(Outcome(kind="done", next="review", usd=2.0))
    brake = only(plan(run, implementing(), brake=Brake(
        day="2026-03-01", usd_today=1.0, told=("usd:r0", "x"))), SetBrake).brake
    assert (brake.usd_today, brake.told) == (3.0, ("x", "usd:r1"))
    assert "SetBrake" not in names(plan(run, implementing(), brake=brake))


def test_r34_a_new_day_begins_at_nothing():
    run = over(Outcome(kind="done", next="review", usd=2.0))
    brake = only(plan(run, implementing(), brake=Brake(day="2026-02-28", usd_today=9.0)), SetBrake).brake
    assert (brake.day, brake.usd_today) == ("2026-03-01", 2.0)


def test_r34_the_dollars_of_one_pass_hold_for_its_claims():
    run = over(Outcome(kind="done", next="review", usd=60.0))
    found = plan(run, implementing(), labelled("triage", number=9))
    assert skip_of(found).key == "skip_day_spent"


def test_r32_a_pause_that_is_over_is_none_any_more():
    run = over(Outcome(kind="done", next="review", usd=1.0))
    before = Brake(paused_until=at(1), pause_reason="usage_limit")
    after = only(plan(run, implementing(), brake=before), SetBrake).brake
    assert (after.paused_until, after.pause_reason, after.usd_today) == (None, "", 1.0)


def test_r32_a_shorter_pause_does_not_end_a_longer_one():
    run = over(Outcome(kind="network"))
    found = plan(run, implementing(), brake=Brake(paused_until=at(900), pause_reason="usage_limit"))
    assert names(found) == ["SetState", "WriteLedger", "CloseRun"]


# ---------------------------------------------------------------- merging


READY = {"mergeable": True, "head_sha": "a" * 40, "checks": "success", "passed_checks": ("build", "lint")}
SEEN = delivery(push_sha="a" * 40, tip="a" * 40, verdict=verdict(sha="a" * 40, files=("docs/a.md",)))
ANY = AUTOMERGE.model_copy(update={"paths": ("**",)})
REVIEWED = decision("r0", "review", "automerge", 5, head="a" * 40)
REMARK = comment(BOB, "Why?", 6, kind="thread", path="a.md", thread_id="T1")


def cell_with(**changes):
    return ANY.model_copy(update=changes)


def asked_of(*, facts=None, author=CELLS, state="open", said=(REVIEWED,)):
    there = config(TRIAGE, IMPLEMENT, REVIEW, AUTOMERGE)
    item = pull(8, "automerge", author=author, state=state, comments=said, facts={**READY, **(facts or {})})
    seen = snapshot(issue(7), item, cfg=there)
    pair = next(one for one in seen.pairs if one.pull is not None)
    return cases.open_case(there, seen, pair, Brake())


def merge_of(*, cell=ANY, found=SEEN, **changes):
    run = over(Outcome(kind="done", next="merge"), delivery=found)
    reason = merge_obstacle(asked_of(**changes), run, cell)
    return reason[0] if reason else None


@pytest.mark.parametrize(("reason", "changes"), [
    (None, {}),
    (None, {"facts": {"checks": "none"}, "cell": cell_with(checks=())}),
    (None, {"cell": cell_with(paths=("docs/**",), checks=("build", "li*"))}),
    (None, {"said": (REVIEWED, replace(REMARK, resolved=True))}),
    (None, {"said": (decision("r0", "review", "in-review", 5, head="a" * 40),)}),
    (None, {"said": (REVIEWED, comment(BOB, "No.", 6, kind="review", verdict="changes_requested"))}),
    ("plan_merge_off", {"cell": REVIEW}),
    ("plan_merge_off", {"cell": None}),
    ("plan_merge_not_ours", {"author": ALICE}),
    ("plan_merge_not_ours", {"state": "closed"}),
    ("plan_merge_not_ours", {"facts": {"same_repository": False}}),
    ("plan_merge_moved", {"facts": {"head_sha": "f" * 40},
                          "said": (decision("r0", "review", "automerge", 5, head="f" * 40),)}),
    ("plan_merge_unreviewed", {"facts": {"head_sha": "f" * 40}}),
    ("plan_merge_unreviewed", {"said": ()}),
    ("plan_merge_unreviewed", {"said": (decision("r0", "review", "implement", 5, head="a" * 40),)}),
    ("plan_merge_unreviewed", {"said": (decision("r0", "review", "automerge", 5, head="a" * 40, cause="crash"),)}),
    ("plan_merge_unreviewed", {"said": (decision("r0", "gone", "automerge", 5, head="a" * 40),)}),
    ("plan_merge_thread", {"said": (REVIEWED, REMARK)}),
    ("plan_merge_changes", {"said": (REVIEWED, comment(ALICE, "No.", 6, kind="review", verdict="changes_requested"))}),
    ("plan_merge_draft", {"facts": {"draft": True}}),
    ("plan_merge_unknown", {"facts": {"mergeable": None}}),
    ("plan_merge_conflict", {"facts": {"mergeable": False}}),
    ("plan_merge_blocked", {"facts": {"blocked": True}}),
    ("plan_merge_pending", {"facts": {"checks": "pending"}}),
    ("plan_merge_checks", {"facts": {"checks": "failure"}}),
    ("plan_merge_absent", {"facts": {"checks": "none"}}),
    ("plan_merge_absent", {"cell": cell_with(checks=("build", "test"))}),
    ("plan_merge_behind", {"facts": {"base_ref": "next"}}),
    ("plan_merge_behind", {"found": None}),
    ("plan_merge_behind", {"found": replace(SEEN, behind=True)}),
    ("plan_merge_unseen", {"found": replace(SEEN, verdict=verdict())}),
    ("plan_merge_gate", {"found": replace(SEEN, verdict=replace(SEEN.verdict, blocks=(GATE,)))}),
    ("plan_merge_paths", {"cell": cell_with(paths=("src/**",))}),
    ("plan_merge_paths", {"cell": cell_with(paths=())}),
    ("plan_merge_large", {"cell": cell_with(max_files=0)}),
    ("plan_merge_large", {"found": replace(SEEN, verdict=replace(SEEN.verdict, added=401))}),
    ("plan_merge_dry", {"cell": cell_with(dry=True)}),
])
def test_r5_every_condition_of_a_merge_must_hold(reason, changes):
    assert merge_of(**changes) == reason


@pytest.mark.parametrize(("same", "changes"), [
    (True, {}),
    (True, {"comments": (ours(Marker(kind="decision", run="r1"), 50),)}),
    (False, {"state": "closed"}),
    (False, {"comments": (comment(ALICE, "Wait!", 50),)}),
    (False, {"comments": (comment(CELLS, "Wait!", 50),)}),  # the owner's own token: his words too
    (False, {"labels": (label("AC:hold"),)}),
    *((False, {"facts": facts}) for facts in (
        {"head_sha": "f" * 40}, {"base_ref": "next"}, {"draft": True}, {"checks": "none"},
        {"mergeable": False}, {"blocked": True},
    )),
])
def test_r5_directly_before_the_merge_nothing_may_have_changed(same, changes):
    before = pull(8, facts=READY)
    now = pull(8, **{**changes, "facts": {**READY, **changes.get("facts", {})}})
    assert changed_since(before, now, "ac:hold", CELLS) is not same


def test_a_dry_merge_speaks_of_a_pull_request_that_is_there():
    with pytest.raises(AssertionError):
        _would_have(asked_of(), over(Outcome(kind="done", next="merge")))


@pytest.mark.parametrize(("dry", "to"), [(True, "in-review"), (False, "needs-human")])
def test_r5_what_is_not_merged_goes_to_the_owner(dry, to):
    cell = cell_with(dry=dry)
    item = pull(8, "automerge", events=(labeled("automerge", 0),), comments=(REVIEWED,),
                facts={**READY, "draft": not dry})
    run = over(Outcome(kind="done", next="merge"), cell="automerge", came_from="automerge", pull=8,
               writes=False, nexts=("merge",), delivery=SEEN)
    found = plan(run, issue(7, comments=(book(opened("automerge"), 9),)), item,
                 cfg=config(TRIAGE, IMPLEMENT, REVIEW, cell))
    assert only(found, SetState).label == to


@pytest.mark.parametrize(("path", "globs", "inside"), [
    ("docs/a.md", ("docs/*",), True), ("docs/b/a.md", ("docs/*",), False),
    ("docs/b/a.md", ("docs/**",), True), ("a.md", ("**/a.md",), True),
    ("x/y/a.md", ("**/a.md",), True), ("a.md", ("?.md",), True), ("a+md", ("a.md",), False),
    ("a.md", (), False),
])
def test_r5_a_star_stays_inside_one_folder(path, globs, inside):
    assert within(path, globs) is inside


# ---------------------------------------------------------------- what cannot happen


def test_a_run_without_an_end_cannot_be_settled():
    run = RunFact(order=order(), status="ended")
    with pytest.raises(AssertionError):
        end_of(run)


def test_only_a_pull_request_is_merged():
    seen = snapshot(implementing())
    alone = cases.open_case(CONFIG, seen, seen.pairs[0], Brake())
    with pytest.raises(AssertionError):
        _merge(alone, over(Outcome(kind="done", next="merge")), PROOF)


def test_r5_a_cell_on_issues_that_is_done_sends_to_the_owners_inspection():
    closing = IMPLEMENT.model_copy(update={"next": ("done",), "needs_record": False, "needs_test": False})
    run = over(Outcome(kind="done", next="done", comment="Nothing was to be changed."), nexts=("done", "needs-human"))
    found = plan(run, implementing(), cfg=config(TRIAGE, closing, REVIEW))
    assert only(found, SetState).label == "in-review"
