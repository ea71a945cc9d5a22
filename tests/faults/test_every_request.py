"""Each request of a tick fails once, in each way that GitHub fails: the end is the same, said once (R18, R21)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentcells.forge import github_wire
from tests.faults.line import line, mended, tick, to_rest, world
from tests.loopback.github.faults import ANSWERS
from tests.stories.test_crashes import End, end_of

# What a repetition cannot help is told to the owner and waits for him: another story.
KINDS = sorted(ANSWERS)
LOST = ("bad_gateway", "drop", "timeout_200", "timeout_502", "not_json", "no_data", "cut", "internal")
WRITES = ("AddComment", "UpdateComment", "AddLabels", "RemoveLabels", "CreatePull", "Assign")
GIT = ("GitFetchRefs", "GitFetch", "GitPushRefs", "GitPush")


@dataclass(frozen=True)
class Unharmed:
    end: End
    asked: list[str]
    runs: int


@pytest.fixture(scope="module")
def unharmed(tmp_path_factory: pytest.TempPathFactory) -> Unharmed:
    """What the line comes to when nothing fails."""
    with line(tmp_path_factory.mktemp("unharmed") / "w") as stage:
        since = len(world(stage).requests())
        tick(stage)
        asked = [one["operation"] for one in world(stage).requests(since)]
        to_rest(stage)
        return Unharmed(end_of(stage), asked, len(stage.played))


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(github_wire, "TIMEOUT_S", 3.0)


def harmed(root: Path, unharmed: Unharmed, kind: str, *, factory: str = "", **more: object) -> None:
    """One tick in which this fails, then as many as it takes."""
    with line(root, factory) as stage:
        world(stage).fail(kind, **more)
        tick(stage)
        mended(stage)
        to_rest(stage)
        found = end_of(stage)
        assert found == unharmed.end, f"{kind} {more}\n{found}\nbut unharmed\n{unharmed.end}"
        assert len(stage.played) <= unharmed.runs + 1, stage.played


def every(unharmed: Unharmed) -> Iterator[tuple[str, int]]:
    """Each request of the tick with a few of the kinds, so that each kind meets each operation."""
    for at, _ in enumerate(unharmed.asked, 1):
        for turn in range(3):
            yield KINDS[(at * 3 + turn) % len(KINDS)], at


@pytest.mark.parametrize(("kind", "operation"), [
    ("rate_limited", "UpdateComment"), pytest.param("bad_gateway", "Listing", marks=pytest.mark.slow),
    pytest.param("drop", "CreatePull", marks=pytest.mark.slow),
])
def test_r18_a_request_that_fails_changes_nothing_in_the_end(
    unharmed: Unharmed, tmp_path: Path, kind: str, operation: str
) -> None:
    harmed(tmp_path / "w", unharmed, kind, at=1, operation=operation)


@pytest.mark.parametrize("operation", ["CreatePull", pytest.param("AddComment", marks=pytest.mark.slow)])
def test_r18_what_was_done_and_its_answer_lost_is_not_done_twice(
    unharmed: Unharmed, tmp_path: Path, operation: str
) -> None:
    harmed(tmp_path / "w", unharmed, "bad_gateway", operation=operation, after=True)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_r18_every_request_in_every_way(unharmed: Unharmed, tmp_path: Path, part: int) -> None:
    for number, (kind, at) in enumerate(every(unharmed)):
        if number % 4 == part:
            harmed(tmp_path / f"w{number}", unharmed, kind, at=at)


@pytest.mark.slow
@pytest.mark.parametrize("operation", WRITES)
def test_r18_every_write_whose_answer_is_lost(unharmed: Unharmed, tmp_path: Path, operation: str) -> None:
    for kind in LOST:
        for at in range(1, unharmed.asked.count(operation) + 1):
            harmed(tmp_path / f"{kind}{at}", unharmed, kind, operation=operation, at=at, after=True)


@pytest.mark.slow
@pytest.mark.parametrize("operation", GIT)
def test_r18_every_request_of_git(unharmed: Unharmed, tmp_path: Path, operation: str) -> None:
    for kind in ("bad_gateway", "drop", "cut", "secondary_429", "forbidden_403", "bad_credentials"):
        for at in (1, 2):
            harmed(tmp_path / f"{kind}{at}", unharmed, kind, operation=operation, at=at, git=True)


LEASED = "lease = true"
OF_LEASES = ("MakeLease", "UpdateRefs", "ReadLease", "Head")


def test_r18_a_lease_whose_answer_is_lost_is_ours_all_the_same(unharmed: Unharmed, tmp_path: Path) -> None:
    harmed(tmp_path / "w", unharmed, "bad_gateway", factory=LEASED, operation="UpdateRefs", after=True)


@pytest.mark.slow
@pytest.mark.parametrize("operation", OF_LEASES)
@pytest.mark.parametrize("after", [True, False], ids=["done", "not done"])
def test_r18_every_request_about_a_lease(
    unharmed: Unharmed, tmp_path: Path, operation: str, after: bool
) -> None:
    for kind in LOST:
        for at in (1, 2, 3):
            root = tmp_path / f"{kind}{at}"
            harmed(root, unharmed, kind, factory=LEASED, operation=operation, at=at, after=after)
