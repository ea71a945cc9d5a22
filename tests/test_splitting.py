"""The owner's consent to a split, word for word; and what keeps it from being carried out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcells.comments import sign
from agentcells.decide import decide
from agentcells.labelling import announcements
from agentcells.markers import render_marker
from agentcells.model import Pair
from agentcells.plan import Post, SplitIssue
from agentcells.posts import Marker
from agentcells.splitting import parse_proposals, read_consent
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
    edited,
    issue,
    label,
    labeled,
    names,
    ours,
    snapshot,
)

CONFIG = config(TRIAGE, IMPLEMENT, REVIEW)
DESIGN = Marker(kind="decision", run="r1", cell="triage", came_from="triage", to="needs-human")
DATA = '<!-- agentcells:issues [["Store", "Keep them."], ["Show", "Three hearts."]] -->'


def proposal(last: str = DATA, **changes: Any):
    return ours(DESIGN, 10, f"Two steps.\n\n{last}", **changes)


def asked(*comments, **changes: Any):
    words = {"events": (labeled("triage", 0), labeled("needs-human", 11, CELLS)), **changes}
    return issue(7, "needs-human", comments=(book_of(), proposal(), *comments), **words)


def book_of(**changes: Any):
    from agentcells.posts import Ledger, LedgerRow

    rows = (LedgerRow(run="r1", machine="m", cell="triage", start=at(5), timeout_s=60, end=at(10),
                      outcome="done", next="needs-human"),)
    return book(Ledger(rows=rows), 5, **changes)


def said(words: str, minutes: float = 20):
    return comment(ALICE, words, minutes)


def plan(item):
    return decide(CONFIG, snapshot(item, cfg=CONFIG))


@pytest.mark.parametrize(("words", "numbers", "cell"), [
    ("ok", (1, 2), None), ("OK!", (1, 2), None), ("okay, 2", (2,), None), ("ok 2 1 2", (1, 2), None),
    ("ok triage", (1, 2), "triage"), ("ok 1 Implement", (1,), "implement"),
])
def test_a_consent_is_read(words, numbers, cell):
    found = read_consent(CONFIG, said(words), 2)
    assert found is not None
    assert (found.numbers, found.cell and found.cell.name) == (numbers, cell)


@pytest.mark.parametrize("words", [
    "okra", "no", "ok 3", "ok 0", "ok, but smaller", "ok triage implement", "ok review", "ok ２", "",
    "ok " + "1" * 5_000,
])
def test_anything_else_is_a_reply(words):
    assert read_consent(CONFIG, said(words), 2) is None


@pytest.mark.parametrize("last", [
    "", "<!-- agentcells:issues [1, 2] -->", '<!-- agentcells:issues [["a"]] -->', "<!-- agentcells:issues [} -->",
    "<!-- agentcells:issues [}] -->", "<!-- agentcells:issues " + "[" * 100_000 + "] -->",
])
def test_what_is_no_proposal_proposes_nothing(last):
    assert parse_proposals(proposal(last).body) == ()
    assert len(parse_proposals(proposal().body)) == 2
    assert parse_proposals(f"Two steps.\n{DATA}") == ()  # without our marker it is anybody's


def test_the_newest_of_several_consents_counts_and_one_reply_among_them_is_heard():
    found = [a for a in plan(asked(said("ok 1"), said("ok 2", 21))).actions if isinstance(a, SplitIssue)]
    assert [one.title for one in found[0].issues] == ["Show"]
    assert "SplitIssue" not in names(plan(asked(said("ok"), said("wait", 21))))


def test_r26_without_trust_nothing_is_filed():
    away = asked(said("ok"), assignees=())
    assert "SplitIssue" not in names(plan(away))
    assert "SplitIssue" in names(plan(asked(said("ok"))))


def test_r30_with_a_spoilt_book_nothing_is_filed_and_the_owner_is_told():
    item = asked(said("ok"))
    spoilt = replace(item, comments=(book_of(edits=(edited(BOB, 12),)), *item.comments[1:]))
    found = plan(spoilt)
    assert "SplitIssue" not in names(found)
    assert any(isinstance(one, Post) for one in found.actions)


def test_r25_where_edits_are_not_told_the_filed_text_bears_a_code():
    key, marker = b"k" * 32, Marker(kind="filed", run="r1", cell="design", cause="part:3:1", to="triage")
    signed = sign(marker, "Keep them.", key)
    filed = issue(7, author=CELLS, edits=None, labels=(label("ac:triage"),))

    def heard(body: str) -> int:
        return len(announcements(CONFIG, Pair(issue=replace(filed, body=body), pull=None), ALICE, CELLS, key))

    assert heard(f"{render_marker(signed)}\nKeep them.") == 1
    assert heard(f"{render_marker(signed)}\nThrow them away.") == 0
    assert heard(f"{render_marker(marker)}\nKeep them.") == 0
