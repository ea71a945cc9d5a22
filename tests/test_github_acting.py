"""What each kind of run asks of GitHub, request by request: a further one shows here first.

Counted is from the claim of a run to the labels after it and its row in the book; git's own not.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from tests.github_people import GitHubPeople, Running
from tests.people import OWNER
from tests.stage import IMPLEMENT, REVIEW, TRIAGE, Heard, Rule, Stage, answer, rule, work

MOST = 20  # requests, and points, of one run

# R21: listed; read, because the listing shows a change; read again, directly before the first write.
LOOK = ["Listing", "ReadTogether", "ReadTogether"]
# R24, R26, R30: the row in the book, `working` (whose answer shows all labels), the pair as it stands then.
CLAIM = ["UpdateComment", "AddLabels", "ReadTogether"]
FIRST_CLAIM = ["AddComment", *CLAIM[1:]]
# R3, R18: the comment, the new label (whose answer shows all labels), the old ones away, the row.
TELL = ["AddComment", "AddLabels", "RemoveLabels", "UpdateComment"]
# R9: the pull request, what it is, its owner.
OPEN = ["CreatePull", "Read", "Assign"]
# What we have written about is read before it is decided upon again.
AGAIN = ["ReadTogether"]


@dataclass(frozen=True)
class Cost:
    asked: list[str]
    points: int


class Standing(Running):
    """However slow the machine is, no read of a pass grows old."""

    def __init__(self) -> None:
        super().__init__()
        self.began = super().now()

    def now(self) -> datetime:
        return self.began + self.ahead


@contextmanager
def line(root: Path, *rules: Rule) -> Iterator[Stage]:
    stage = Stage(root, world="github", rules=list(rules))
    people = stage.people
    assert isinstance(people, GitHubPeople)
    try:
        people.world.hub.clock = people.clock = Standing()
        stage.tick()
        stage.advance(minutes=10)
        yield stage
    finally:
        people.stop()


def costs(stage: Stage) -> list[Cost]:
    """Of each run of the next tick, in their order; and of what the tick does after the last."""
    people = stage.people
    assert isinstance(people, GitHubPeople)
    stage.forge = lambda: people.forge(stage.bot)  # type: ignore[method-assign]  # no witness in between
    since = len(people.world.requests())
    ticked = stage.tick()
    assert ticked.problem is None
    found: list[Cost] = [Cost([], 0)]
    for one in people.world.requests(since):
        name = one["operation"]
        if not name.startswith("Git"):
            found[-1] = Cost([*found[-1].asked, name], found[-1].points + one["points"])
            if name == "UpdateComment" and "RemoveLabels" in found[-1].asked:
                found.append(Cost([], 0))
    return found


def test_r20_each_kind_of_run_asks_what_its_rules_want_and_nothing_twice(tmp_path: Path) -> None:
    with line(tmp_path / "w", TRIAGE, IMPLEMENT, REVIEW) as stage:
        stage.file("triage")
        triage, implement, review, after = costs(stage)
        assert stage.cells_run == ["triage", "implement", "review"]
    assert triage.asked == [*LOOK, *FIRST_CLAIM, *LOOK, *TELL]
    assert implement.asked == [*AGAIN, *CLAIM, *LOOK, *OPEN, *TELL]
    assert review.asked == [*AGAIN, *CLAIM, *LOOK, *TELL]
    assert after.asked == AGAIN
    for run in (triage, implement, review):
        assert len(run.asked) <= MOST
        assert run.points <= MOST


def test_r20_a_second_round_over_a_pull_request_is_no_dearer(tmp_path: Path) -> None:
    """The review sends it back: the same branch is pushed to, the labels stand on the pull request."""
    back = {**rule("review", answer("implement", "Not yet.")), "once": True}
    more = rule("implement", work(game__py="LIVES = 4\n"), prompt="Not yet")
    with line(tmp_path / "w", more, IMPLEMENT, back, REVIEW) as stage:
        stage.file("implement")
        runs = costs(stage)
        assert stage.cells_run == ["implement", "review", "implement", "review"]
    for run in runs[1:-1]:
        assert run.asked == [*AGAIN, *CLAIM, *LOOK, *TELL]
        assert run.points <= MOST


def test_r14_a_question_and_its_answer_cost_as_little(tmp_path: Path) -> None:
    asks = {**rule("implement", answer("needs-human", "How many?")), "once": True}
    with line(tmp_path / "w", asks, IMPLEMENT, REVIEW) as stage:
        stage.file("implement")
        asked, _ = costs(stage)
        stage.advance(minutes=10)
        stage.say(1, "Three.")
        implement, *_ = costs(stage)
    assert asked.asked == [*LOOK, *FIRST_CLAIM, *LOOK, *TELL]
    assert len(implement.asked) <= MOST
    assert implement.points <= MOST


@pytest.mark.parametrize("write", ["comment", "add_labels"])
@pytest.mark.parametrize("act", ["unlabel", "unassign"])
def test_r26_what_the_owner_takes_back_while_it_is_claimed_is_not_started(
    tmp_path: Path, write: str, act: str
) -> None:
    """Few reads are left, and each of them is one that sees him."""
    with line(tmp_path / "w", IMPLEMENT, REVIEW) as stage:
        stage.file("implement")
        left = [write]

        def then(name: str) -> None:
            if left and name == f"forge: {write}":
                left.clear()
                if act == "unlabel":
                    stage.unlabel(1, "implement")
                else:
                    stage.people.unassign(1, OWNER, OWNER)

        stage.step = then
        assert stage.once(Heard("quiet")) == ()
        assert not left
        stage.step = None
        stage.advance(minutes=10)
        stage.tick()
        assert stage.cells_run == []
        assert "working" not in stage.states(1)


LOADS = """
import sys
import agentcells.apply, agentcells.coordinator, agentcells.decide, agentcells.forge.github, agentcells.observe
print(*[name for name in ("pydantic", "typer", "rich") if name in sys.modules])
"""


def test_r20_a_pass_that_acts_builds_no_models_of_the_configuration() -> None:
    """Each run has a pass of its own; pydantic alone would cost it as much as all its requests."""
    done = subprocess.run([sys.executable, "-I", "-c", LOADS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
