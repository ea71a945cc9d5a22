"""pairs: what belongs together, and what the labels of both members say (R1, R9, R10)."""


from __future__ import annotations

from dataclasses import replace

import pytest

from agentcells.decide import pair_up, state_of
from agentcells.model import Account, Pair
from agentcells.pairs import facts
from tests.builders import ALICE, BOB, CELLS, at, config, issue, label, labeled, pull

CONFIG = config()


def paired(*items, viewer=CELLS, owner=ALICE) -> list[tuple[object, ...]]:
    pairs = pair_up(CONFIG, items, viewer, owner)
    return [
        (one.issue and one.issue.number, one.pull and one.pull.number, one.rivals, one.attempt)
        for one in pairs
    ]


def test_r9_our_pull_request_belongs_to_its_issue_by_its_branch():
    assert paired(pull(8), issue(7)) == [(7, 8, (), 1)]


@pytest.mark.parametrize(("case", "other", "rivals"), [
    ("another's account", pull(8, author=BOB), (8,)),
    ("another branch", pull(8, facts={"head_ref": "boat"}), (8,)),
    ("a fork", pull(8, facts={"same_repository": False}), (8,)),
    ("closes another", pull(8, author=BOB, facts={"closes": (9,)}), ()),
    ("closed", pull(8, author=BOB, state="closed"), ()),
    ("another repository", pull(8, author=BOB, repo="alice/other"), ()),
])
def test_r9_a_pull_request_of_others_is_a_rival_and_a_pair_alone(case, other, rivals):
    found = set(paired(issue(7), other))
    assert found == {(7, None, rivals, 1), (None, 8, (), 1)}


def test_r9_the_open_one_of_two_attempts_is_the_pairs_own():
    first = pull(8, state="closed", closed_at=at(1))
    second = pull(9, facts={"head_ref": "agentcells/7-2"})
    assert paired(issue(7), first, second) == [(7, 9, (), 2)]
    assert paired(issue(7), replace(first, state="open"), replace(second, state="closed")) == [
        (7, 8, (), 1)]


@pytest.mark.parametrize(("case", "events", "expected"), [
    ("nothing since", (), (7, 8, (), 1)),
    ("the owner's label", (labeled("implement", 5),), (7, None, (), 2)),
    ("the owner's label before", (labeled("implement", 1),), (7, 8, (), 1)),
    ("a stranger's label", (labeled("implement", 5, BOB),), (7, 8, (), 1)),
    ("our own late label", (labeled("needs-human", 5, CELLS),), (7, 8, (), 1)),
])
def test_r11_a_closed_pull_request_stays_until_the_owner_labels_the_issue_again(case, events, expected):
    closed = pull(8, state="closed", closed_at=at(2))
    assert paired(issue(7, events=events), closed) == [expected]
    assert paired(issue(7, events=events), closed, owner=None) == [expected]


def test_the_owner_is_the_viewer_when_nobody_else_has_his_name():
    closed = pull(8, state="closed", author=ALICE, updated_at=at(2))
    lone = issue(7, author=None, assignees=(), events=(labeled("implement", 5, Account(id="U1", login="x")),))
    assert paired(lone, closed, viewer=ALICE, owner=None) == [(7, None, (), 2)]


def test_a_pull_request_of_ours_without_its_issue_stands_alone():
    assert paired(pull(8)) == [(None, 8, (), 1)]


def test_a_pull_request_without_facts_is_a_bug():
    with pytest.raises(AssertionError):
        facts(issue(7))


@pytest.mark.parametrize(("on_issue", "on_pull", "states", "on", "working", "hold"), [
    ((), (), set(), None, False, False),
    (("implement",), (), {"implement"}, "issue", False, False),
    (("implement", "working"), (), {"implement"}, "issue", True, False),
    ((), ("review", "hold"), {"review"}, "pull", False, True),
    (("review",), ("review",), {"review"}, None, False, False),
    (("implement",), ("review",), {"implement", "review"}, None, False, False),
    (("working",), ("hold",), set(), None, True, True),
])
def test_r1_the_state_is_read_over_both_members(on_issue, on_pull, states, on, working, hold):
    state = state_of(CONFIG, Pair(issue=issue(7, *on_issue), pull=pull(8, *on_pull)))
    assert (state.states, state.on, state.working, state.hold) == (states, on, working, hold)
    assert state.labelled == bool(states or working or hold)
    assert state.only == (next(iter(states)) if len(states) == 1 else "")


def test_a_look_alike_is_seen():
    item = replace(issue(7), labels=(label("AC:implement"), label("bug")))
    assert state_of(CONFIG, Pair(issue=item, pull=None)).look_alike
