"""replies: what counts as the owner's word to a waiting pair, and where it sends it (R6, R7, R12)."""


from __future__ import annotations

from dataclasses import replace

import pytest

from agentcells.decide import decide
from agentcells.plan import Post, SetState, WriteLedger
from agentcells.posts import Ledger, LedgerRow, Marker, Move
from tests.builders import (
    ALICE,
    BOB,
    CELLS,
    IMPLEMENT,
    REVIEW,
    TRIAGE,
    at,
    book,
    comment,
    config,
    decision,
    edited,
    event,
    issue,
    label,
    labeled,
    labelled,
    names,
    only,
    ours,
    pull,
    skip_of,
    snapshot,
    unlabeled,
)

CONFIG = config()
ROW = LedgerRow(run="r1", machine="here", cell="triage", start=at(5), timeout_s=60, end=at(9),
                outcome="done", next="needs-human")
RAN = Ledger(rows=(ROW,))
BOOK = book(RAN, 4)
ASKED = decision("r1", "triage", "needs-human", 10)


def plan(*items, cfg=CONFIG, **changes):
    return decide(cfg, snapshot(*items, cfg=cfg, **changes))


def waiting(*said, state="needs-human", asked=ASKED, events=(), **changes):
    """An issue that triage asked about; what came after."""
    return issue(
        7, state, comments=(BOOK, asked, *said), **changes,
        events=(labeled("triage", 0), labeled(state, 11, CELLS), *events),
    )


BACK = (labeled("triage", 22, CELLS), labeled("needs-human", 25, CELLS))


def moved_to(found) -> str:
    return only(found, SetState).label


# ---------------------------------------------------------------- what a reply is


@pytest.mark.parametrize(("case", "said"), [
    ("a stranger", comment(BOB, "go on", 20)),
    ("a bot's", comment(CELLS, "go on", 20)),
    ("a ghost", comment(None, "go on", 20)),
    ("an edit of an old comment", comment(ALICE, "go on", 3, id="C4-", edits=(edited(ALICE, 20),))),
    ("edited by another", comment(ALICE, "go on", 20, edits=(edited(BOB, 21),))),
    ("an approval without text", comment(ALICE, "", 20, kind="review", verdict="approved")),
    ("a work record", ours(Marker(kind="records"), 20, who=ALICE)),
    ("our own notice", ours(Marker(kind="notice", cause="x"), 20)),
])
def test_a15_nobody_but_the_owner_starts_it_again(case, said):
    asked = replace(ASKED, body=decision("r1", "triage", "needs-human", 10, seen=("C4-",)).body)
    found = plan(waiting(said, asked=asked))
    assert (skip_of(found).key, found.actions) == ("skip_needs_human", ())


@pytest.mark.parametrize(("case", "said"), [
    ("a comment", comment(ALICE, "red", 20)),
    ("a plain ok", comment(ALICE, "ok", 20)),
    ("written while we posted", comment(ALICE, "red", 9.5)),
    ("a review with words", comment(ALICE, "red", 20, kind="review", verdict="approved")),
    ("a line of a review", comment(ALICE, "red", 20, kind="thread")),
    ("/resume", comment(ALICE, "/resume", 20)),
])
def test_r6_the_owners_words_send_it_back_to_the_cell_that_asked(case, said):
    found = plan(waiting(said))
    assert names(found) == ["WriteLedger", "SetState"]
    assert moved_to(found) == "triage"
    assert only(found, WriteLedger).ledger.moves[-1].because == said.id


def test_r6_one_reply_sends_it_back_once():
    said = comment(ALICE, "red", 20)
    gone = Ledger(rows=(ROW,), moves=(
        Move(at=at(21), came_from="needs-human", to="triage", why="move_reply", because=said.id),))
    item = replace(waiting(said, events=BACK), comments=(book(gone, 4), ASKED, said))
    assert skip_of(plan(item)).key == "skip_needs_human"


def test_r6_replies_count_on_both_members():
    review = replace(ROW, cell="review", next="in-review")
    found = plan(
        issue(7, comments=(book(Ledger(rows=(review,)), 4), comment(ALICE, "bigger", 20)),
              events=(labeled("implement", 0),)),
        pull(8, "in-review", comments=(decision("r1", "review", "in-review", 10),),
             events=(labeled("in-review", 11, CELLS),)),
    )
    assert moved_to(found) == "implement"


@pytest.mark.parametrize(("case", "changes", "reason"), [
    ("the body", {"edits": (edited(ALICE, 20),)}, ""),
    ("the title", {"events": (event("renamed", 20),)}, ""),
    ("before the question", {"edits": (edited(ALICE, 3),)}, "skip_needs_human"),
    ("by another", {"edits": (edited(BOB, 3),), "created_at": at(5)}, "skip_needs_human"),
    ("nobody tells who", {"edits": None}, "skip_needs_human"),
])
def test_r6_an_edit_of_the_owner_after_a_question_is_a_reply(case, changes, reason):
    events = changes.pop("events", ())
    found = plan(waiting(events=events, **changes))
    assert [skip.key for skip in found.skips] == ([reason] if reason else [])
    if not reason:
        assert only(found, WriteLedger).ledger.moves[-1].why == "move_edit"


def test_r6_an_edit_sends_it_back_once_and_an_edit_that_changes_nothing_does_not():
    edit = Move(at=at(21), came_from="needs-human", to="triage", why="move_edit",
                because=f"edit:{at(20).isoformat()}")
    item = waiting(edits=(edited(ALICE, 20),), events=BACK)
    twice = replace(item, comments=(book(Ledger(rows=(ROW,), moves=(edit,)), 4), ASKED))
    assert skip_of(plan(twice)).key == "skip_needs_human"
    from agentcells.trust import text_hash

    asked = decision("r1", "triage", "needs-human", 10, text_hash=text_hash(item.title, item.body))
    same = waiting(asked=asked, edits=(edited(ALICE, 20),))
    assert skip_of(plan(same)).key == "skip_needs_human"


def test_r6_an_edit_is_no_word_to_what_is_in_review():
    found = plan(waiting(state="in-review", asked=decision("r1", "triage", "in-review", 10),
                         edits=(edited(ALICE, 20),)))
    assert skip_of(found).key == "skip_in_review"


def test_r27_a_reply_by_e_mail_is_answered_by_one_line():
    mail = comment(ALICE, "red", 20, by_email=True)
    found = plan(waiting(mail))
    told = only(found, Post)
    assert (told.marker.cause, skip_of(found).key) == (f"email:{mail.id}", "skip_needs_human")
    again = plan(waiting(mail, ours(told.marker, 21)))
    assert again.actions == ()


def test_r26_a_reply_to_a_pair_that_is_no_longer_trusted_moves_nothing():
    found = plan(waiting(comment(ALICE, "red", 20), assignees=()))
    assert (skip_of(found).key, found.actions) == ("skip_not_assigned", ())


# ---------------------------------------------------------------- what put it there


def test_r6_a_state_that_the_owner_set_by_hand_waits_for_his_next_word():
    item = issue(7, "needs-human", events=(labeled("triage", 0), labeled("needs-human", 15)),
                 comments=(BOOK, ASKED, comment(ALICE, "old", 14)))
    assert skip_of(plan(item)).key == "skip_needs_human"
    later = replace(item, comments=(*item.comments, comment(ALICE, "new", 16)))
    assert moved_to(plan(later)) == "triage"


def test_r6_a_state_that_resume_put_back_waits_for_the_next_word():
    back = Move(at=at(15), came_from="", to="needs-human", why="move_resumed", because="C14")
    item = issue(7, "needs-human", events=(labeled("triage", 0), labeled("needs-human", 15, CELLS)),
                 comments=(book(Ledger(rows=(ROW,), moves=(back,)), 4), comment(ALICE, "/resume", 14)))
    assert skip_of(plan(item)).key == "skip_needs_human"
    later = replace(item, comments=(*item.comments, comment(ALICE, "new", 16)))
    assert moved_to(plan(later)) == "triage"


@pytest.mark.parametrize("minute", [12, 14.5])
def test_r6_words_said_before_a_state_was_put_back_are_still_the_answer(minute):
    """`/resume` restores the question: what was written meanwhile is not lost."""
    moves = (Move(at=at(13), came_from="needs-human", to="", why="move_held", because="C12.5"),
             Move(at=at(15), came_from="", to="needs-human", why="move_resumed", because="C14"))
    item = issue(7, "needs-human", events=(labeled("triage", 0), labeled("needs-human", 15, CELLS)),
                 comments=(book(Ledger(rows=(ROW,), moves=moves), 4), ASKED,
                           comment(ALICE, "blue", minute), comment(ALICE, "/hold", 12.5),
                           comment(ALICE, "/resume", 14)))
    assert moved_to(plan(item)) == "triage"


def test_r24_a_state_that_nobody_announced_is_not_trusted_when_the_owner_answers():
    item = issue(7, "needs-human", events=(labeled("needs-human", 0, BOB),))
    assert skip_of(plan(item)).key == "skip_needs_human"
    answered = replace(item, comments=(comment(ALICE, "hm", 5),))
    assert skip_of(plan(answered)).key == "skip_label_foreign"


def test_a_state_of_which_no_event_is_left_waits():
    item = issue(7, "needs-human", comments=(comment(ALICE, "hm", 5),))
    assert skip_of(plan(item)).key == "skip_needs_human"


def test_r6_a_question_whose_comment_was_deleted_is_still_in_the_book():
    row = replace(ROW, run="r9", end=at(9), next="needs-human")
    item = issue(7, "needs-human", events=(labeled("triage", 0), labeled("needs-human", 10, CELLS)),
                 comments=(book(Ledger(rows=(row,)), 4),))
    assert skip_of(plan(item)).key == "skip_needs_human"
    later = replace(item, comments=(*item.comments, comment(ALICE, "blue", 16)))
    assert moved_to(plan(later)) == "triage"


def test_r6_an_answer_is_heard_though_the_clock_of_the_machine_that_asked_was_ahead():
    row = replace(ROW, run="r9", end=at(90), next="needs-human")
    item = issue(7, "needs-human", events=(labeled("triage", 0), labeled("needs-human", 10, CELLS)),
                 comments=(book(Ledger(rows=(row,)), 4), comment(ALICE, "blue", 16)))
    assert moved_to(plan(item)) == "triage"
    lone = replace(item, events=(labeled("triage", 0),), comments=item.comments[:1])
    assert skip_of(plan(lone)).key == "skip_needs_human"


@pytest.mark.parametrize(("asked", "cfg", "to"), [
    (decision("r1", "triage", "needs-human", 10), CONFIG, "triage"),
    (ours(Marker(kind="notice", cause="x", came_from="implement", to="needs-human"), 10), CONFIG,
     "implement"),
    (decision("r1", "gone", "needs-human", 10), CONFIG, "implement"),
    (decision("r1", "review", "needs-human", 10), CONFIG, "implement"),
    (decision("r1", "gone", "needs-human", 10), config(TRIAGE), "triage"),
    (decision("r1", "gone", "needs-human", 10), config(REVIEW), None),
])
def test_r6_where_a_reply_goes_when_the_cell_that_asked_cannot_take_it(asked, cfg, to):
    found = plan(waiting(comment(ALICE, "red", 20), asked=asked), cfg=cfg)
    if to is None:
        assert skip_of(found).key == "skip_no_reply_cell"
    else:
        assert moved_to(found) == to


@pytest.mark.parametrize(("minutes", "heard"), [(9, False), (10, False), (11, True)])
def test_r6_words_up_to_the_owners_own_label_are_no_answer_to_it(minutes, heard):
    item = issue(7, "needs-human", comments=(comment(ALICE, "I look at it first", minutes),),
                 events=(labeled("triage", 0), unlabeled("triage", 10), labeled("needs-human", 10)))
    if heard:
        assert moved_to(plan(item)) == "triage"
    else:
        assert skip_of(plan(item)).key == "skip_needs_human"


def test_r6_before_any_run_the_cell_is_the_one_that_was_labelled():
    item = issue(7, "needs-human", comments=(comment(ALICE, "go", 5),),
                 events=(labeled("triage", 0), unlabeled("triage", 1), labeled("needs-human", 2)))
    assert moved_to(plan(item, cfg=config(TRIAGE))) == "triage"
    never = replace(item, events=(labeled("needs-human", 2),))
    assert skip_of(plan(never, cfg=config(TRIAGE))).key == "skip_no_reply_cell"


def test_r10_words_on_the_owners_own_pull_request_go_to_the_cell_that_ran_there():
    row = replace(ROW, cell="review", next="in-review")
    mine = pull(8, "in-review", author=ALICE, facts={"head_ref": "boat"},
                events=(labeled("review", 0), labeled("in-review", 11, CELLS)),
                comments=(book(Ledger(rows=(row,)), 4), decision("r1", "review", "in-review", 10),
                          comment(ALICE, "and now?", 20)))
    assert moved_to(plan(mine)) == "review"


# ---------------------------------------------------------------- commands


def commanded(word: str, *events, state=("implement",), ledger: Ledger | None = None, **changes):
    said = comment(ALICE, word, 20)
    comments = (book(ledger, 4), said) if ledger else (said,)
    return issue(7, *state, comments=comments, events=(labeled("implement", 0), *events), **changes)


def test_r7_hold_begins_a_book_when_there_is_none():
    found = plan(commanded("/hold", state=("implement", "working", "hold")))
    assert names(found) == ["WriteLedger", "SetState"]
    assert (moved_to(found), only(found, SetState).hold) == ("", False)
    move = only(found, WriteLedger).ledger.moves[0]
    assert (move.came_from, move.to, move.why) == ("implement", "", "move_held")


def test_r7_hold_works_without_its_book_and_of_two_states_remembers_the_newest():
    lost = replace(commanded("/hold"), comments=(ASKED, comment(ALICE, "/hold", 20)))
    assert names(plan(lost)) == ["SetState"]
    two = commanded("/hold", labeled("triage", 2), state=("implement", "triage"))
    assert only(plan(two), WriteLedger).ledger.moves[0].came_from == "triage"


def test_r7_hold_on_what_has_no_label_is_nothing():
    assert plan(commanded("/hold", unlabeled("implement", 1), state=())).actions == ()


def test_a15_a_command_of_a_stranger_is_nothing():
    item = commanded("/hold")
    found = plan(replace(item, comments=(replace(item.comments[0], author=BOB),)))
    assert names(found) == ["Claim"]


HELD = Ledger(moves=(Move(at=at(10), came_from="implement", to="", why="move_held", because="C9"),))


@pytest.mark.parametrize(("case", "item", "to"), [
    ("the one it was held in", commanded("/resume", unlabeled("implement", 11, CELLS), state=(),
                                         ledger=HELD), "implement"),
    ("the one that was taken off last", commanded("/resume", unlabeled("implement", 11), state=()),
     "implement"),
    ("none that we know", commanded("/resume", labeled("paint", 1), unlabeled("paint", 2), state=(),
                                    ), "implement"),
])
def test_r7_resume_puts_the_last_state_back(case, item, to):
    assert moved_to(plan(item)) == to


def test_r7_resume_without_a_past_or_a_book_does_nothing():
    bare = issue(7, comments=(comment(ALICE, "/resume", 20),))
    assert plan(bare).actions == ()
    lost = commanded("/resume", unlabeled("implement", 1), state=())
    found = plan(replace(lost, comments=(ASKED, *lost.comments)))
    assert (skip_of(found).key, found.actions) == ("skip_ledger_lost", ())


def test_r7_resume_takes_a_hold_label_off():
    found = plan(commanded("/resume", state=("implement", "hold")))
    assert (moved_to(found), only(found, SetState).hold) == ("implement", False)


def test_r7_resume_where_nothing_is_held_changes_nothing():
    assert names(plan(commanded("/resume"))) == ["Claim"]
    in_review = waiting(comment(ALICE, "/resume", 20), state="in-review",
                        asked=decision("r1", "triage", "in-review", 10))
    assert skip_of(plan(in_review)).key == "skip_in_review"


# ---------------------------------------------------------------- checks


def failing(*, state="in-review", ledger=RAN, cfg=CONFIG, facts=None, **changes):
    words = {"checks": "failure", **(facts or {})}
    return plan(
        issue(7, comments=(book(ledger, 4),), events=(labeled("implement", 0),), **changes),
        pull(8, state, facts=words, comments=(decision("r1", "review", state, 10, came_from="x"),),
             events=(labeled(state, 11, CELLS),)),
        cfg=cfg,
    )


def test_r12_failed_checks_send_it_to_on_checks_failed():
    assert moved_to(failing()) == "implement"
    assert moved_to(failing(cfg=config(TRIAGE, IMPLEMENT, REVIEW, on_checks_failed="triage"))) == (
        "triage")
    assert moved_to(failing(cfg=config(TRIAGE, IMPLEMENT, REVIEW, on_reply="triage"))) == "triage"


@pytest.mark.parametrize(("case", "changes"), [
    ("checks pass", {"facts": {"checks": "success"}}),
    ("this head was sent before", {"ledger": Ledger(moves=(Move(
        at=at(5), came_from="review", to="implement", why="move_checks", because="b" * 40),))}),
    ("not trusted", {"assignees": ()}),
    ("no cell for it", {"cfg": config(REVIEW.model_copy(update={"name": "other", "on": "factory"}))}),
])
def test_r12_it_waits_for_the_owner_when(case, changes):
    found = failing(**changes)
    assert (skip_of(found).key, found.actions) == ("skip_in_review", ())


def test_r12_only_checks_on_our_own_pull_request():
    mine = pull(8, "in-review", author=ALICE, facts={"checks": "failure", "head_ref": "boat"},
                events=(labeled("in-review", 0),))
    assert skip_of(plan(mine)).key == "skip_in_review"


def test_r12_a_cell_that_is_there_already_is_not_sent_to_itself():
    found = failing(state="review", cfg=config(TRIAGE, IMPLEMENT, REVIEW, on_checks_failed="review"))
    assert names(found) == ["Claim"]


def test_r6_an_issue_labelled_while_it_waits_is_two_states():
    item = replace(waiting(events=(labeled("triage", 20),)),
                   labels=(label("ac:needs-human"), label("ac:triage")))
    assert skip_of(plan(item)).key == "skip_two_states"
    assert names(plan(labelled())) == ["Claim"]
