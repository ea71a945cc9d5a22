"""What grows with the size of things grows as they do, and what is none of ours costs nothing (R20, R21)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.github_factory import OWNER, REPO, GitHubFactory, playing


@pytest.fixture
def line(tmp_path: Path) -> Iterator[GitHubFactory]:
    with playing(tmp_path) as made:
        yield made


def test_r21_as_many_more_comments_are_as_many_more_requests(line: GitHubFactory) -> None:
    number = line.file()
    asked, points = [], []
    for _ in range(3):
        for _ in range(200):
            line.as_("mallory").comment(REPO, number, "Me too.")
        since = line.so_far()
        line.look()
        asked.append(len(line.asked(since)))
        points.append(line.points(since))
    assert asked[1] - asked[0] == asked[2] - asked[1] > 0
    assert points[1] - points[0] == points[2] - points[1] > 0


def test_r20_a_warm_look_costs_the_same_however_much_is_open_that_is_none_of_ours(
    line: GitHubFactory,
) -> None:
    for number in range(20):
        line.owner.open_issue(REPO, f"Shall we {number}?", "", ["ac:needs-human"], [OWNER])
    costs = []
    for _ in range(2):
        for number in range(200):
            line.owner.open_issue(REPO, f"Thought {number}")
            line.world.advance(600)
        line.pass_()  # ten of ours are read in each
        line.pass_()
        found = line.pass_()
        costs.append((found.asked, found.points))
        line.world.advance(600)
    assert costs == [(["Listing"], 1)] * 2
