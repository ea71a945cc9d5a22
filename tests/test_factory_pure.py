"""Cells on the factory, decided and shown without a machine: what their stories do not come to (R50)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcells.config_model import Cell
from agentcells.factory_board import why_factory, why_factory_value
from agentcells.factory_brief import factory_brief
from agentcells.factory_cells import ROWS, begin, shortened, tend
from agentcells.model import RunId
from agentcells.plan import Brake, FactoryBook, Filed, FileIssue, Gauge, KeepBook, Sight, Snapshot
from agentcells.posts import Ledger, LedgerRow
from agentcells.run import Outcome, Proof, RunEnd, RunFact
from tests.builders import IMPLEMENT, MACHINE, REPO, REVIEW, TRIAGE, at, config, order, snapshot

HOUR: Any = "1h"  # as cells.toml has it
DOCS = Cell(name="docs", on="factory", every=HOUR, fields=("where",), prompt_text="Look at the documents.")
WATCH = Cell(name="watch", on="factory", every=HOUR, unusual=True, prompt_text="Look at the line.")
CONFIG = config(TRIAGE, IMPLEMENT, REVIEW, DOCS, WATCH)
SIGHT = Sight(cell="docs", repo=REPO)


def seen(ledger: Ledger | None = None, cell: str = "docs", **changes: Any) -> Snapshot:
    books = ((cell, FactoryBook(ledger=ledger)),) if ledger is not None else ()
    return replace(snapshot(cfg=CONFIG), books=books, **changes)


def row(run: str, **changes: Any) -> LedgerRow:
    return replace(LedgerRow(run=run, machine=MACHINE, cell="docs", start=at(1), timeout_s=60), **changes)


def ended(wanted: Outcome, **changes: Any) -> RunFact:
    asked = order(cell="docs", came_from="docs", issue=None, pair_key=f"{REPO}:docs", nexts=("file", "done"))
    proof = Proof(run=RunId("r1"), nonce="n", containment="strong")
    return RunFact(order=asked, status="ended", end=RunEnd(outcome=wanted, proof=proof, ended_at=at(50)), **changes)


FILING = Outcome(kind="done", next="file", fields=(("title", "T"), ("body", "B"), ("cause", "x")))


@pytest.mark.parametrize(("brake", "claiming"), [
    (Brake(stopped=True), True), (Brake(paused_until=at(101)), True),
    (Brake(day="2026-03-01", usd_today=1000.0), True), (Brake(), False),
])
def test_r50_it_does_not_begin_while_nothing_may_run(brake, claiming):
    assert begin(CONFIG, seen(sights=(SIGHT,), claiming=claiming), brake) == ([], [])
    assert len(begin(CONFIG, seen(sights=(SIGHT,)), Brake())[1]) == 1


def test_a_cell_that_was_taken_out_meanwhile_begins_nothing():
    assert begin(CONFIG, seen(sights=(replace(SIGHT, cell="gone"),)), Brake()) == ([], [])


def test_r33_a_row_whose_run_folder_is_gone_is_a_dead_run():
    actions, _ = tend(CONFIG, seen(Ledger(rows=(row("r0"), row("r1", end=at(2), outcome="done")))), Brake())
    (kept,) = actions
    assert isinstance(kept, KeepBook)
    assert [one.outcome for one in kept.book.ledger.rows] == ["crash", "done"]


@pytest.mark.parametrize(("changes", "outcome"), [
    ({}, "done"), ({"secrets": ("a key",)}, "refused"), ({"refused_pushes": 3}, "refused"),
])
def test_r45_what_holds_a_secret_or_was_refused_too_often_is_not_filed(changes, outcome):
    actions, _ = tend(CONFIG, seen(Ledger(rows=(row("r1"),)), runs=(ended(FILING, **changes),)), Brake())
    assert any(isinstance(one, FileIssue) for one in actions) is (outcome == "done")
    books = [one.book for one in actions if isinstance(one, KeepBook)]
    assert books[-1].ledger.rows[-1].outcome == outcome


@pytest.mark.parametrize("wanted", [
    Outcome(kind="done", next="elsewhere"), Outcome(kind="done", next="file", fields=(("title", "T"),)),
])
def test_r50_an_answer_that_does_not_fit_is_a_bad_one(wanted):
    actions, _ = tend(CONFIG, seen(Ledger(rows=(row("r1"),)), runs=(ended(wanted),)), Brake())
    assert not any(isinstance(one, FileIssue) for one in actions)
    books = [one.book for one in actions if isinstance(one, KeepBook)]
    assert books[-1].ledger.rows[-1].outcome == "bad_answer"


def test_the_book_keeps_a_hundred_runs_and_the_sums_of_the_rest():
    rows = tuple(row(f"r{n}", end=at(n), usd=1.0, tokens=2) for n in range(ROWS + 5))
    found = shortened(Ledger(rows=(row("alive"), *rows)))
    assert len(found.rows) == ROWS + 1  # what still runs is never put away
    assert (found.older_runs, found.older_usd, found.older_tokens) == (5, 5.0, 10)
    assert shortened(found) == found


def test_why_tells_of_a_cell_without_figures_and_names_the_known_ones():
    book = Ledger(rows=(row("r1", end=at(2), outcome="done", next="done", usd=0.5),))
    told = "\n".join(why_factory(CONFIG, seen(book), "docs"))
    assert "r1" in told
    assert "0.50" in told
    assert "\n".join(why_factory(CONFIG, seen(), "watch")) != told
    lines = why_factory(CONFIG, seen(), "review")
    assert lines[0].startswith("review works on items, one at a time.")
    assert lines[1].endswith(": docs, watch")
    assert why_factory(CONFIG, seen(), "nosuch")[0].startswith("There is no cell nosuch.")
    (alone,) = why_factory(config(), seen(), "docs")
    assert alone.count("docs") >= 1
    assert why_factory_value(CONFIG, seen(), "docs")["known"] is True
    assert why_factory_value(CONFIG, seen(), "review") == {
        "cell": "review", "known": False, "lines": lines}


def test_why_tells_that_it_runs_now_and_when_it_is_due():
    alive = replace(ended(FILING), status="alive", end=None)
    running = why_factory(CONFIG, seen(runs=(alive,)), "docs")
    waiting = why_factory(CONFIG, replace(seen(), books=(("docs", FactoryBook(looked_at=at(99))),)), "docs")
    assert running[2] != waiting[2]
    assert "59" in waiting[2]


@pytest.mark.parametrize("items", [(), ((f"{REPO}#7", "A boat", 0.5),)])
def test_the_prompt_names_the_fields_and_the_figures(items):
    gauge = Gauge(key="wait:review", value=3.0, usual=1.0, limit=2.0, weeks=(1.0,) * 5, items=items)
    usual = replace(gauge, key="wait:triage", value=1.0, items=())
    sight = Sight(cell="watch", repo=REPO, gauges=(gauge, usual))
    told = factory_brief(CONFIG, WATCH, sight, seen(), "0" * 16)
    assert [one[0] for one in told.causes] == ["wait:review"]
    assert ("A boat" in told.prompt) is bool(items)
    free = factory_brief(CONFIG, DOCS, replace(SIGHT, gauges=(usual,)), seen(), "0" * 16)
    assert "where" in free.prompt
    assert free.extra_fields == ("title", "body", "cause", "where")
    filed = replace(seen(), books=(("docs", FactoryBook(filed=(Filed(repo=REPO, number=9, cause="x", at=at(1)),))),))
    assert "over" in factory_brief(CONFIG, DOCS, SIGHT, filed, "0" * 16).nexts
