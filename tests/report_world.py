"""A line whose true figures are known: three items, told minute by minute."""

from __future__ import annotations

from dataclasses import replace

from agentcells.plan import Snapshot
from agentcells.posts import LedgerRow, Marker
from tests.pair_world import (
    ALICE,
    CELLS,
    at,
    book,
    issue,
    label,
    labeled,
    ours,
    pair,
    pull,
    row,
    snapshot,
)


def unlabeled(name: str, minutes: float, who=CELLS):
    return replace(labeled(name, minutes, who), kind="unlabeled", id=f"U{minutes}-{name}")


def run(cell: str, begin: float, end: float, **changes) -> LedgerRow:
    return row(cell, begin, end=at(end), **{"next": "", "usd": 1.0, "tokens": 1000, **changes})


def merged_item():
    """#12: triage 0-10 (runs 2-8), asks 10-70, triage 70-80 (runs 71-79), implement 80-120 (runs 90-110),
    review 120-130 (runs 121-129), in review 130-310, merged at 310."""
    rows = (
        run("triage", 2, 8, next="needs-human", model="haiku"),
        run("triage", 71, 79, next="implement", model="haiku"),
        run("implement", 90, 110, next="review", usd=3.0, tokens=5000, model="opus"),
        run("review", 121, 129, next="done", usd=2.0),
    )
    asked = ours(Marker(kind="decision", run="r2", cell="triage", came_from="triage",
                        to="needs-human"), "asks", 9)
    events = (
        labeled("ac:triage", 0), labeled("ac:needs-human", 10, CELLS), unlabeled("ac:triage", 10),
        labeled("ac:triage", 70, CELLS), unlabeled("ac:needs-human", 70),
        labeled("ac:implement", 80, CELLS), unlabeled("ac:triage", 80),
        unlabeled("ac:implement", 120),
    )
    there = replace(
        pull(facts={"merged_at": at(310)}), state="merged", closed_at=at(310),
        events=(labeled("ac:review", 120, CELLS), labeled("ac:in-review", 130, CELLS),
                unlabeled("ac:review", 130), unlabeled("ac:in-review", 311)),
    )
    filed = replace(issue(asked, book(rows, 2), state=""), events=events, state="closed",
                    closed_at=at(310), labels=())
    return pair(filed, there)


def failing_item():
    """#13: implement 0-300 on hold 100-160; three time-outs and an outage; asks since 300."""
    rows = (
        run("implement", 10, 20, outcome="timeout", counts=True),
        run("implement", 30, 40, outcome="usage_limit", counts=False, usd=0.0, tokens=0),
        run("implement", 200, 210, outcome="timeout"), run("implement", 220, 230, outcome="crash"),
    )
    failed = ours(Marker(kind="decision", run="r220", cell="implement", came_from="implement",
                         to="needs-human", cause="crash"), "failed", 299)
    events = (
        labeled("ac:implement", 0), labeled("ac:hold", 100, ALICE), unlabeled("ac:hold", 160, ALICE),
        labeled("ac:needs-human", 300, CELLS), unlabeled("ac:implement", 300),
    )
    return pair(replace(
        issue(failed, book(rows, 2, older_runs=2, older_usd=4.0, older_tokens=700), number=13,
              state="ac:needs-human", title="<script>alert(1)</script> & more"), events=events))


def dropped_item():
    """#14: triage 5-65, never ran, closed without a merge."""
    return pair(replace(
        issue(state="", number=14), events=(labeled("ac:triage", 5),), state="closed",
        closed_at=at(65)))


def never_ours():
    return pair(replace(issue(state="", number=16), events=(), labels=(label("bug"),)))


def line() -> Snapshot:
    return snapshot(merged_item(), failing_item(), dropped_item(), never_ours(), now=at(400))
