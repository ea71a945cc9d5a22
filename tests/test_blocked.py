"""What stands before an item: the forge's own record, and a plain line that says so (R13, R22)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentcells import case as cases
from agentcells.blocking import mentions, waits_for, worth_asking
from agentcells.decide import decide
from agentcells.forge import Forbidden
from agentcells.model import Item
from agentcells.plan import Brake, Claim, Snapshot
from tests.builders import ALICE, BOB, REPO, comment, config, label, labelled, snapshot
from tests.people import OWNER, STRANGER
from tests.stage import Stage, Trouble, answer, nothing_written, rule

RULES = [rule("triage", answer("needs-human", "Looked at."))]


@pytest.fixture(params=["local", pytest.param("github", marks=pytest.mark.slow)])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path / "w", world=request.param, rules=list(RULES))
    yield made
    made.people.stop()


def later(stage: Stage) -> Any:
    stage.advance(minutes=10)
    return stage.tick()


def test_r13_an_item_waits_for_what_its_text_names_until_that_is_closed(stage: Stage) -> None:
    first = stage.file("", title="First", assignee="")
    second = stage.file("triage", body=f"Then this.\n\n- Blocked by #{first}\n")
    with nothing_written(stage):
        assert later(stage).reasons == ["skip_blocked"]
        assert later(stage).reasons == ["skip_blocked"]
    assert f"#{first}" in stage.why(second)
    stage.people.close(first, OWNER)
    assert later(stage).cells == ["triage"]


def test_r27_only_the_owners_words_block_and_he_takes_them_back(stage: Stage) -> None:
    first = stage.file("", title="First", assignee="")
    second = stage.file("", title="Second", assignee="")
    stage.say(second, f"Blocked by #{first}", STRANGER)
    stage.say(second, f"Blocked by #{first} and #{first}.", OWNER)
    stage.label(second, "triage")
    stage.people.assign(second, OWNER, OWNER)
    assert later(stage).reasons == ["skip_blocked"]
    stage.say(second, f"Not blocked by #{first}", OWNER)
    stage.say(second, f"Blocked by #{first}", STRANGER)
    assert later(stage).cells == ["triage"]


def test_r21_a_number_that_leads_nowhere_is_said_and_not_passed_over(stage: Stage) -> None:
    number = stage.file("triage", body="Blocked by #77")
    assert later(stage).reasons == ["skip_blocked"]
    assert "#77" in stage.why(number)


def test_r21_what_cannot_be_read_now_still_blocks(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "w", rules=list(RULES))
    first = stage.file("", title="First", assignee="")
    later(stage)
    stage.file("triage", body=f"Blocked by #{first}")
    down = Forbidden("local_default_branch", repo="-", ref="-", permission="-")
    stage.troubles.append(Trouble("read", down, after=1))
    assert stage.tick().reasons == ["skip_blocked"]
    assert stage.troubles[0].times == 0
    stage.people.close(first, OWNER)
    assert later(stage).cells == ["triage"]


@pytest.mark.parametrize(("text", "found"), [
    ("Blocked by #3", [(True, 3)]),
    ("  * blocked by: #3, #4 and #5.", [(True, 3), (True, 4), (True, 5)]),
    ("Not blocked by #3\nno longer blocked by #4", [(False, 3), (False, 4)]),
    ("It is blocked by #3", []),
    ("> Blocked by #3", []),
    ("Blocked by #3 because of its tests", []),
    ("```\nBlocked by #3\n```\nBlocked by #4", [(True, 4)]),
    ("Blocked by bob/game#3", []),
    ("", []),
])
def test_r13_only_a_line_of_its_own_blocks(text: str, found: list[tuple[bool, int]]) -> None:
    assert list(mentions(text)) == found


@pytest.mark.parametrize(("item", "open_now", "waits"), [
    (labelled(body="Blocked by #3"), ("alice/game#3",), (3,)),
    (labelled(body="Blocked by #3"), ("alice/other#3",), ()),
    (labelled(body="Blocked by #7"), ("alice/game#7",), ()),  # itself
    (labelled(body="Blocked by #3", blocked_by=(2,)), (), (2,)),
    (labelled(comments=(comment(ALICE, "Blocked by #3", 5),)), ("alice/game#3",), (3,)),
    (labelled(comments=(comment(BOB, "Blocked by #3", 5),)), ("alice/game#3",), ()),
    (labelled(body="Blocked by #3", comments=(comment(ALICE, "Not blocked by #3", 5),)),
     ("alice/game#3",), ()),
])
def test_r13_the_forges_record_and_the_owners_lines_count_together(
    item: Item, open_now: tuple[str, ...], waits: tuple[int, ...]
) -> None:
    world = snapshot(item, waited_for=open_now)
    assert waits_for(cases.open_case(config(), world, world.pairs[0], Brake())) == waits


def test_r20_a_strangers_comment_and_a_long_list_cost_no_questions() -> None:
    many = "\n".join(f"Blocked by #{n}" for n in range(100, 200))
    item = labelled(body=f"Blocked by #7\n{many}", comments=(
        comment(BOB, "Blocked by #3", 5), comment(None, "Blocked by #4", 6), comment(ALICE, "Blocked by #5", 7)))
    assert worth_asking(item, ALICE) == tuple(range(100, 120))
    assert worth_asking(replace(item, body=""), ALICE) == (5,)


# ---------------------------------------------------------------- priority, and several repositories


def claimed(world: Snapshot, **settings: Any) -> list[str]:
    plan = decide(config(**settings), world)
    return [action.pair_key for action in plan.actions if isinstance(action, Claim)]


def test_r13_a_priority_label_comes_first_whatever_it_is_called() -> None:
    urgent = labelled("triage", number=9)
    urgent = replace(urgent, labels=(*urgent.labels, label("hurry")))
    world = snapshot(labelled("implement", number=5), urgent)
    assert claimed(world, parallel=1) == [f"{REPO}#5"]
    assert claimed(world, parallel=1, priority_label="hurry") == [f"{REPO}#9"]


def several(count: int) -> list[Item]:
    return [
        replace(labelled("triage", number=7), repo=f"alice/game{n}", id=f"I{n}") for n in range(count)
    ]


def test_r13_all_repositories_share_the_slots_and_the_days_dollars() -> None:
    world = snapshot(*several(4))
    assert len(claimed(world, parallel=3)) == 3
    spent = replace(world, brake=Brake(day="2026-03-01", usd_today=50.0))
    assert claimed(spent, parallel=3) == []
    reasons = {skip.key for skip in decide(config(parallel=3), spent).skips}
    assert reasons == {"skip_day_spent"}

