"""rounds: the book of a pair and what it counts (R30 to R34)."""


from __future__ import annotations

from dataclasses import replace

import pytest

from agentcells import rounds
from agentcells.posts import Ledger, LedgerRow, Marker, Move
from agentcells.run import Outcome
from tests.builders import MACHINE, at, comment, decision, order


def row(run: str, minutes: float, outcome: str = "done", cell: str = "implement", **changes) -> LedgerRow:
    plain = LedgerRow(
        run=run, machine=MACHINE, cell=cell, start=at(minutes), timeout_s=600, outcome=outcome,
        end=at(minutes + 1) if outcome else None, usd=1.0, next="review" if outcome == "done" else "",
    )
    return replace(plain, **changes)


def ledger(*rows: LedgerRow, **changes) -> Ledger:
    return Ledger(rows=rows, **changes)


def test_r30_a_claim_writes_its_row_and_the_text_it_was_given():
    book = rounds.claimed(Ledger(), order(), MACHINE, at(5), 600)
    assert rounds.unended(book) == (
        LedgerRow(run="r1", machine=MACHINE, cell="implement", start=at(5), timeout_s=600),)
    assert (book.text_hash, book.approved_at) == (order().text_hash, at(5))
    assert rounds.claimed(book, order(), MACHINE, at(6), 600).rows[0].start == at(6)


@pytest.mark.parametrize(("outcome", "counts"), [
    (Outcome(kind="done", next="review"), True), (Outcome(kind="done", next="answer"), False),
    (Outcome(kind="crash"), True), (Outcome(kind="usage_limit"), False),
    (Outcome(kind="timeout", next="answer"), True),
])
def test_r30_the_end_of_a_run_is_written_once(outcome, counts):
    book = ledger(row("r0", 0), row("r1", 1, ""))
    done = rounds.ended(book, "r1", replace(outcome, usd=0.25, tokens=9), at(3), "review")
    last = done.rows[-1]
    assert (last.end, last.outcome, last.next, last.usd, last.tokens, last.counts) == (
        at(3), outcome.kind, "review", 0.25, 9, counts)
    assert rounds.ended(done, "r1", Outcome(kind="crash"), at(9), "") == done
    assert done.rows[0] == book.rows[0]


def test_r33_runs_without_a_word_are_crashes():
    book = rounds.died(ledger(row("r1", 1, ""), row("r2", 2, "")), ["r1", "r2"], at(9))
    assert [one.outcome for one in book.rows] == ["crash", "crash"]


def test_r24_a_move_is_written_before_it_is_made():
    book = rounds.moved(Ledger(), at(5), "a", "b", rounds.REPLY, "C1")
    assert book.moves == (Move(at=at(5), came_from="a", to="b", why="move_reply", because="C1"),)
    assert rounds.obeyed(book, "C1")
    assert not rounds.obeyed(book, "C2")
    assert rounds.newest_move(book, rounds.HELD) is None


def test_r30_a_new_book_has_our_markers_as_its_past():
    posts = [(comment(None, "", 1), Marker(kind="notice")),
             (decision("r1", "implement", "review", 2), Marker(kind="decision", run="r1", cell="implement", to="review")),
             (decision("r2", "review", "x", 3), Marker(kind="decision", run="r2", cell="review", cause="timeout")),
             (decision("r3", "review", "x", 4), Marker(kind="decision", run="r3", cell="review", cause="answer"))]
    found = rounds.rebuilt(posts).rows
    assert [(one.run, one.cell, one.outcome, one.next, one.counts) for one in found] == [
        ("r1", "implement", "done", "review", True), ("r2", "review", "timeout", "", True),
        ("r3", "review", "done", "", False)]


def test_r31_rounds_are_counted_for_a_cell_since_the_owners_last_word():
    book = ledger(row("r1", 1), row("r2", 2, cell="review"), row("r3", 3), row("r4", 4, counts=False))
    assert rounds.used(book, "implement", None) == 2
    assert rounds.used(book, "implement", at(1.1)) == 1
    assert rounds.used(book, "implement", at(1)) == 2  # of the same second: in doubt it counts
    assert rounds.used(book, "triage", None) == 0


@pytest.mark.parametrize(("outcomes", "count"), [
    (("done", "crash", "timeout"), 2), (("crash", "done"), 0), (("crash", "network", "crash"), 2),
    (("crash", "crash", ""), 2), ((), 0),
])
def test_r33_failures_in_a_row_pass_over_the_weather(outcomes, count):
    book = ledger(*(row(f"r{n}", n, outcome) for n, outcome in enumerate(outcomes)))
    assert rounds.failures_in_a_row(book, None) == count
    assert rounds.failures_in_a_row(book, at(9)) == 0


def test_r34_runs_and_dollars_of_a_life_hold_what_is_no_longer_listed():
    book = ledger(row("r1", 1), row("r2", 2), older_runs=40, older_usd=10.0)
    assert (rounds.runs(book), rounds.dollars(book), rounds.dollars(book, at(1.1))) == (42, 12.0, 1.0)


def test_r17_another_machine_has_its_time_out_and_fifteen_minutes_more():
    claim = row("r1", 0, "", timeout_s=600)
    assert not rounds.overdue(claim, at(25))
    assert rounds.overdue(claim, at(25.1))


@pytest.mark.parametrize(("rows", "found"), [
    ((), True), ((row("r1", 6, "crash"),), True), ((row("r1", 6, next="implement"),), True),
    ((row("r1", 6),), False), ((row("r1", 4),), True),
])
def test_r7_a_reply_stands_behind_a_cell_until_a_run_has_gone_on_from_it(rows, found):
    move = Move(at=at(5), came_from="in-review", to="implement", why="move_reply")
    book = ledger(*rows, moves=(move,))
    assert rounds.reply_behind(book, "implement") == (move if found else None)
    assert rounds.reply_behind(book, "review") is None
    assert rounds.reply_behind(ledger(*rows), "implement") is None


def test_rows_are_found_by_their_run():
    assert rounds.row_of(ledger(row("r1", 1)), "r1") == row("r1", 1)
    assert rounds.row_of(Ledger(), "r1") is None


def test_r34_a_claim_that_was_never_started_is_no_run_of_the_pair():
    book = ledger(row("r1", 1), row("r2", 3, rounds.WITHDRAWN), row("r3", 5, ""), older_runs=2)
    assert rounds.runs(book) == 4


def test_r44_a_conflict_is_open_until_another_run_has_come_to_something():
    met = rounds.moved(ledger(row("r1", 1)), at(3), "implement", "", rounds.CONFLICT, "r1")
    assert not rounds.conflict_open(ledger(row("r1", 1)))
    assert rounds.conflict_open(met)
    assert rounds.conflict_open(replace(met, rows=(*met.rows, row("r2", 5, "network", counts=False))))
    assert not rounds.conflict_open(replace(met, rows=(*met.rows, row("r2", 5))))
