"""Whose a label is, by what was announced and what was taken back (R24)."""

from __future__ import annotations

import pytest

from agentcells.labelling import history
from agentcells.model import Pair
from tests.builders import (
    ALICE,
    CELLS,
    IMPLEMENT,
    REVIEW,
    TRIAGE,
    config,
    decision,
    issue,
    labeled,
    unlabeled,
)

SECOND = 1 / 60
SAID = decision("r1", "triage", "implement", 10)


def hands(*events):
    pair = Pair(issue=issue(comments=(SAID,), events=events), pull=None)
    changes = history(config(TRIAGE, IMPLEMENT, REVIEW), pair, ALICE, CELLS)
    return [change.by for change in changes if change.added]


def test_r24_a_label_that_was_taken_back_at_once_is_announced_again():
    assert hands(
        labeled("implement", 11, CELLS), unlabeled("implement", 11 + SECOND, CELLS), labeled("implement", 30, CELLS)
    ) == ["ours", "ours"]


@pytest.mark.parametrize("between", [
    (unlabeled("implement", 12, CELLS),),  # much later
    (labeled("working", 11, CELLS), unlabeled("implement", 11 + SECOND, CELLS)),  # a run has followed it
    (unlabeled("implement", 11 + SECOND, ALICE),),  # somebody else took it off
    (unlabeled("triage", 11 + SECOND, CELLS), unlabeled("implement", 11 + 2 * SECOND, CELLS)),
])
def test_r24_one_that_had_come_true_is_not(between):
    assert hands(labeled("implement", 11, CELLS), *between, labeled("implement", 30, CELLS)) == [
        "ours", *("ours" for one in between if one.kind == "labeled"), "other"]
