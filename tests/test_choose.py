"""choose: which pairs may run now, why the others may not, and who comes first (R9, R13, R30 to R34)."""


from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcells.choose import distance
from agentcells.decide import decide
from agentcells.plan import Brake, Claim, Post, SetState, Unreadable
from agentcells.posts import Ledger, LedgerRow, Marker, Move
from agentcells.run import RunFact
from tests.builders import (
    ALICE,
    AUTOMERGE,
    BOB,
    CELLS,
    IMPLEMENT,
    MACHINE,
    REPO,
    REVIEW,
    TRIAGE,
    at,
    book,
    comment,
    config,
    decision,
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
)

CONFIG = config()


def plan(*items, cfg=CONFIG, **changes):
    return decide(cfg, snapshot(*items, cfg=cfg, **changes))


def rows(*cells: str, outcome: str = "done", usd: float = 1.0, **changes) -> Ledger:
    found = (
        LedgerRow(run=f"r{n}", machine=MACHINE, cell=cell, start=at(n + 10), timeout_s=60,
                  end=at(n + 11), outcome=outcome, usd=usd)
        for n, cell in enumerate(cells)
    )
    return Ledger(rows=tuple(found), **changes)


# ---------------------------------------------------------------- who may not run


REVIEWED: dict[str, Any] = {"events": (labeled("review", 0),), "facts": {"head_ref": "boat"}}


@pytest.mark.parametrize(("case", "item", "key"), [
    ("A17 a fork", pull(8, "review", author=ALICE, events=(labeled("review", 0),),
                        facts={"same_repository": False}), "skip_fork"),
    ("another's", pull(8, "review", author=BOB, **REVIEWED), "skip_not_yours"),
    ("ours without its issue", pull(8, "review", events=(labeled("review", 0),)),
     "skip_half_a_pair"),
    ("a cell on issues", pull(8, "implement", author=ALICE, events=(labeled("implement", 0),),
                              facts={"head_ref": "boat"}), "skip_own_pull_cell"),
    ("no pull request yet", labelled("review"), "skip_no_pull"),
    ("A01", labelled(who=BOB), "skip_label_foreign"),
    ("blocked", labelled(blocked_by=(3, 4)), "skip_blocked"),
])
def test_r22_every_no_has_its_reason_and_writes_nothing(case, item, key):
    found = plan(item)
    assert (skip_of(found).key, found.actions) == (key, ())


def test_r10_cells_on_pull_requests_run_on_the_owners_own():
    claim = only(plan(pull(8, "review", author=ALICE, **REVIEWED)), Claim)
    assert (claim.issue, claim.pull, claim.cell) == (None, 8, "review")


@pytest.mark.parametrize(("brake", "key"), [
    (Brake(stopped=True), "skip_stopped"),
    (Brake(paused_until=at(101), pause_reason="overload"), "skip_paused"),
    (Brake(day="2026-03-01", usd_today=50.0), "skip_day_spent"),
])
def test_r32_the_brake_holds_every_claim_back(brake, key):
    assert skip_of(plan(labelled(), brake=brake)).key == key


@pytest.mark.parametrize("brake", [
    Brake(paused_until=at(100)), Brake(day="2026-02-28", usd_today=99.0), Brake(day="", usd_today=99.0),
])
def test_r32_a_brake_of_yesterday_holds_nothing_back(brake):
    assert names(plan(labelled(), brake=brake)) == ["Claim"]


def test_r34_a_day_begins_where_the_owner_lives():
    there = config(timezone="Asia/Tokyo")
    late = {"now": at(4 * 60), "brake": Brake(day="2026-03-01", usd_today=99.0)}
    assert names(plan(labelled(), cfg=there, **late)) == ["Claim"]


def test_a_pass_that_only_publishes_claims_nothing():
    assert skip_of(plan(labelled(), claiming=False)).key == "skip_not_claiming"


# ---------------------------------------------------------------- the owner is asked


def parked(found) -> str:
    """The cause of the notice that parks the pair."""
    assert names(found) == ["Post", "SetState"]
    assert only(found, SetState).label == "needs-human"
    post = only(found, Post)
    assert (post.marker.to, post.marker.came_from) == ("needs-human", "implement")
    return str(post.marker.cause)


@pytest.mark.parametrize(("cause", "ledger", "limits"), [
    ("runs:", rows("implement", older_runs=49), {}),
    ("dollars:", rows("implement", usd=25.0), {}),
    ("failures:", rows(*["implement"] * 3, outcome="crash"), {}),
    ("rounds:implement:", rows(*["implement"] * 5), {}),
    ("dollars:", rows("implement"), {"usd_per_item": 1.0}),
])
def test_r31_r33_r34_a_limit_asks_the_owner(cause, ledger, limits):
    found = plan(labelled(comments=(book(ledger),)), cfg=config(limits=limits))
    assert parked(found).startswith(cause)


@pytest.mark.parametrize("ledger", [
    rows("implement", usd=25.0), rows(*["implement"] * 3, outcome="crash"), rows(*["implement"] * 5),
])
def test_r31_the_owners_word_gives_all_counters_afresh(ledger):
    again = comment(ALICE, "once more", 50)
    assert names(plan(labelled(comments=(book(ledger), again)))) == ["Claim"]
    assert parked(plan(labelled(comments=(book(ledger), replace(again, author=BOB)))))


def test_r34_the_runs_of_a_life_are_not_given_afresh():
    item = labelled(comments=(book(rows("implement", older_runs=49)), comment(ALICE, "go", 50)))
    assert parked(plan(item)) == f"runs:{at(50).isoformat()}"


def test_r31_a_notice_that_stands_is_not_repeated_but_the_label_is_set():
    item = labelled(comments=(book(rows(*["implement"] * 5)),))
    told = only(plan(item), Post)
    again = replace(item, comments=(*item.comments, ours(told.marker, 60)))
    assert names(plan(again)) == ["SetState"]


def test_r9_a_rival_is_told_once_and_the_owners_word_goes_on():
    rival = pull(9, author=BOB, facts={"head_ref": "boat"})
    told = only(plan(labelled(), rival), Post)
    assert told.marker.cause == "rival:#9"
    asked = labelled(comments=(ours(told.marker, 5),))
    assert names(plan(asked, rival)) == ["SetState"]
    answered = replace(asked, comments=(*asked.comments, comment(ALICE, "mine is better", 6)))
    assert names(plan(answered, rival)) == ["Claim"]


def test_r44_a_stranger_who_pushed_is_told_of_once_for_each_head():
    review = pull(8, "review", events=(labeled("review", 0),),
                  facts={"pushers": (CELLS, ALICE, BOB)})
    told = only(plan(issue(7), review), Post)
    assert (told.marker.cause, told.on) == (f"pushed:{'b' * 40}", "pull")
    answered = replace(review, comments=(ours(told.marker, 5), comment(ALICE, "fine", 6)))
    assert names(plan(issue(7), answered)) == ["Claim"]


# ---------------------------------------------------------------- a lost book


LOST = decision("r1", "implement", "review", 5)


def test_r30_a_lost_book_parks_the_pair():
    found = plan(labelled(comments=(LOST,)))
    assert parked(found) == f"ledger:{LOST.id}"


@pytest.mark.parametrize(("minutes", "who", "begun"), [
    (7, ALICE, True), (5.5, ALICE, False), (7, BOB, False),
])
def test_r30_only_the_owners_later_label_begins_a_new_one(minutes, who, begun):
    told = ours(Marker(kind="notice", cause=f"ledger:{LOST.id}", came_from="implement",
                       to="needs-human"), 6)
    item = issue(7, "implement", comments=(LOST, told),
                 events=(labeled("implement", 0), labeled("implement", minutes, who)))
    found = plan(item)
    assert names(found) == (["WriteLedger"] if begun else [])
    if begun:
        assert only(found, type(found.actions[0])).ledger.rows[0].cell == "implement"


def test_r30_where_no_decision_is_left_a_spoilt_book_is_lost_too():
    found = plan(labelled(comments=(book(Ledger(), edits=(edited(BOB, 2),)),)))
    assert parked(found) == "ledger:"


# ---------------------------------------------------------------- order and slots


def order_of(*items, cfg=CONFIG, **changes) -> list[tuple[int, str]]:
    found = plan(*items, cfg=cfg, **changes)
    return [(one.issue or one.pull or 0, one.cell) for one in found.actions if isinstance(one, Claim)]


WIDE = config(
    TRIAGE.model_copy(update={"parallel": 9}), IMPLEMENT.model_copy(update={"parallel": 9}),
    REVIEW.model_copy(update={"parallel": 9}), parallel=9,
)


def test_r13_priority_first_then_what_is_nearest_to_its_end_then_the_lowest_number():
    urgent = labelled("triage", number=30)
    urgent = replace(urgent, labels=(*urgent.labels, label("p0")))
    items = [
        labelled("triage", number=3), labelled("implement", number=9),
        labelled("implement", number=8), urgent, issue(7),
        pull(20, "review", events=(labeled("review", 0),)),
    ]
    assert order_of(*items, cfg=WIDE) == [
        (30, "triage"), (7, "review"), (8, "implement"), (9, "implement"), (3, "triage")]
    assert order_of(*items, cfg=config(
        *WIDE.cells, parallel=9, priority_label=""))[0] == (7, "review")


def test_r13_one_running_item_for_each_cell_and_repository():
    first, second = labelled(number=5), labelled(number=6)
    found = plan(first, second)
    assert [one.issue for one in found.actions if isinstance(one, Claim)] == [5]
    assert (skip_of(found).number, skip_of(found).key) == (6, "skip_cell_busy")
    alive = RunFact(order=order(pair_key=f"{REPO}#5", issue=5), status="alive")
    found = plan(first, second, runs=(alive,))
    assert [skip.key for skip in found.skips] == ["skip_running", "skip_cell_busy"]
    elsewhere = RunFact(order=order(pair_key="alice/other#5", repo="alice/other"), status="alive")
    assert names(plan(second, runs=(elsewhere,))) == ["Claim"]


def test_r13_a_row_of_another_machine_takes_its_place_too():
    row = LedgerRow(run="r9", machine="there", cell="implement", start=at(90), timeout_s=3600)
    away = labelled(number=5, comments=(book(Ledger(rows=(row,))),))
    found = plan(away, labelled(number=6))
    assert [skip.key for skip in found.skips] == ["skip_other_machine", "skip_cell_busy"]
    old = replace(row, start=at(0), timeout_s=60)
    ended = plan(replace(away, comments=(book(Ledger(rows=(old,))),)), labelled(number=6))
    assert names(ended) == ["WriteLedger", "Claim"]


@pytest.mark.parametrize(("changes", "count"), [
    ({"parallel": 2}, 2), ({"parallel": 3}, 3), ({"parallel": 3, "containment": "none"}, 1),
])
def test_r13_r35_so_many_runs_in_all(changes, count):
    items = [labelled("triage", number=5), labelled("implement", number=6), issue(7),
             pull(8, "review", events=(labeled("review", 0),))]
    found = plan(*items, cfg=config(**changes))
    assert len(order_of(*items, cfg=config(**changes))) == count
    assert {skip.key for skip in found.skips} == ({"skip_factory_busy"} if count < 3 else set())


def test_r13_the_distance_is_counted_along_the_ways_that_cells_may_send():
    aside = TRIAGE.model_copy(update={"name": "aside", "next": ("aside",)})
    cfg = config(TRIAGE, IMPLEMENT, REVIEW, AUTOMERGE, aside)
    assert [distance(cfg, cell.name) for cell in cfg.cells] == [3, 2, 1, 1, 1000]


@pytest.mark.parametrize(("case", "ledger", "why", "reply"), [
    ("labelled", Ledger(), "why_label", False),
    ("failed before", rows("implement", outcome="crash"), "why_retry", False),
    ("once more", Ledger(rows=(replace(rows("implement").rows[0], next="implement"),)),
     "why_unread", False),
    ("checks", Ledger(moves=(Move(at=at(20), came_from="in-review", to="implement",
                                  why="move_checks"),)), "why_checks", False),
    ("checks, run since", replace(rows("implement", outcome="crash"), moves=(Move(
        at=at(5), came_from="in-review", to="implement", why="move_checks"),)), "why_retry", False),
    ("a reply", Ledger(moves=(Move(at=at(20), came_from="in-review", to="implement",
                                   why="move_reply"),)), "why_reply", True),
    ("a reply to no question", Ledger(moves=(Move(at=at(20), came_from="triage", to="implement",
                                                  why="move_reply"),)), "why_label", False),
])
def test_a_claim_says_why(case, ledger, why, reply):
    claim = only(plan(labelled(comments=(book(ledger),))), Claim)
    assert (claim.why, claim.reply) == (why, reply)
    assert claim.resume_from == ("in-review" if reply else "")


# ---------------------------------------------------------------- what could not be read


def test_r21_i01_what_could_not_be_read_whole_is_left_alone():
    gone = Unreadable(repo=REPO, number=7, title="A bigger boat", detail="partial")
    found = plan(labelled(), unreadable=(gone,))
    assert (skip_of(found).key, found.actions) == ("skip_unreadable", ())
    other = plan(labelled(), unreadable=(replace(gone, number=9),))
    assert names(other) == ["Claim"]


def test_r21_half_a_pair_whose_issue_could_not_be_read_is_left_alone():
    gone = Unreadable(repo=REPO, number=7, title="A bigger boat", detail="partial")
    found = plan(pull(8, "review", events=(labeled("review", 0),)), unreadable=(gone,))
    assert (skip_of(found).key, found.actions) == ("skip_unreadable", ())
    own = pull(8, "review", author=ALICE, events=(labeled("review", 0),), facts={"head_ref": "boat"})
    assert names(plan(own, unreadable=(gone,))) == ["Claim"]


def test_r22_a_run_whose_pair_cannot_be_seen_waits_and_says_so():
    away = RunFact(order=order(pair_key=f"{REPO}#9", issue=None, pull=9), status="ended")
    nowhere = RunFact(order=order(pair_key="x", issue=None), status="ended")
    found = plan(runs=(away, nowhere))
    assert [(skip.key, skip.number) for skip in found.skips] == [
        ("skip_run_waits", 9), ("skip_run_waits", 0)]


def test_r28_words_of_the_owner_that_do_not_fit_are_not_cut_and_he_is_told():
    long = labelled(comments=tuple(comment(ALICE, f"{n} " + "x" * 60_000, 5 + n) for n in range(4)))
    found = plan(long)
    assert only(found, SetState).label == "needs-human"
    assert "200000" in only(found, Post).body.replace(",", "")
    assert names(plan(replace(long, comments=long.comments[:2]))) == ["Claim"]
