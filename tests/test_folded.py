"""What a first listing shows and is none of ours takes little room, and is there when it is wanted (R20)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentcells import forge as forges
from agentcells.forge import Listing
from agentcells.forge.folded import Folded
from agentcells.groups import of_interest
from agentcells.model import Label, Problem, Row
from tests.builders import config
from tests.github_factory import OWNER, REPO, GitHubFactory, playing
from tests.github_world import Story, story
from tests.test_groups import row

BYTES = 150  # of one row that is folded; as a row it takes 400


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


@pytest.fixture
def line(tmp_path: Path) -> Iterator[GitHubFactory]:
    with playing(tmp_path) as made:
        yield made


def listed(hub: Story, marks: dict[str, str] | None = None) -> Listing:
    found = forges.listings(
        hub.forge(), [REPO], marks or {}, interest=lambda row: "ac:triage" in {x.name for x in row.labels}
    )[REPO]
    assert isinstance(found, Listing)
    return found


def test_r20_a_first_listing_folds_what_is_of_no_interest_and_loses_nothing(hub: Story) -> None:
    for n in range(130):
        labels = [["ac:triage"], ["bug"], []][n % 3]
        hub.alice.open_issue(REPO, f"Thought {n}", "Some day.", labels)
        hub.world.advance(60)
    hub.pull(body="Closes #1")
    whole = {one.number: one for one in hub.forge().listing(REPO).rows}
    found = listed(hub)
    assert found.folded is not None
    assert {one.number for one in found.rows} == {n for n in whole if (n - 1) % 3 == 0 and n <= 130}
    assert len(found.rows) + len(found.folded.numbers) == len(whole)
    for number, there in whole.items():
        assert (found.folded.get(number) or there) == there
        assert (found.folded.get(number) is None) == (there in found.rows)
    assert found.folded.get(4_711) is None
    assert found.mark == hub.forge().listing(REPO).mark


def test_r20_a_later_listing_tells_every_change(hub: Story) -> None:
    """What was of interest and is not any more must be seen."""
    hub.issue()
    mark = listed(hub).mark
    later = listed(hub, {REPO: mark})
    assert later.folded is None
    assert [one.number for one in later.rows] == [1]


def test_r20_a_row_that_is_folded_is_small() -> None:
    rows = [row(n, title=f"A thought of some length, the number {n}", author_id="U_kgDOABCDEF")
            for n in range(1_000)]
    found = Folded.of(REPO, rows)
    size = sum(len(part) for part in (found.numbers.tobytes(), *(
        value for value in (getattr(found, name) for name in found.__slots__) if isinstance(value, bytes))))
    assert size < BYTES * len(rows)
    assert [found.get(n) for n in (0, 999)] == [rows[0], rows[999]]


OURS: dict[str, tuple[Row, bool]] = {
    "a label of ours": (row(1, "bug", "ac:triage"), True),
    "a label that had another name at set-up": (row(1, "later"), True),
    "a label that is pinned and is no state": (row(1, "p0"), True),
    "a label of theirs": (row(1, "bug"), False),
    "nothing": (row(1), False),
    "a branch of ours": (row(1, head_ref="agentcells/7"), True),
    "a branch of theirs": (row(1, head_ref="sport"), False),
    "that it closes an issue": (row(1, head_ref="sport", closes=(7,)), True),
}


@pytest.mark.parametrize("what", OURS)
def test_r20_of_interest_is_what_may_be_ours(what: str) -> None:
    one, ours = OURS[what]
    assert of_interest(config(), frozenset({"later", "p0"}), one) is ours


def test_r23_a_label_of_ours_with_another_name_stops_a_first_tick_too(line: GitHubFactory) -> None:
    line.file()
    line.world.rename_label(REPO, "ac:triage", "later")
    with pytest.raises(Problem) as raised:
        line.pass_()
    assert raised.value.key == "pins_differ"


def test_r13_what_is_waited_for_needs_no_question_while_the_listing_shows_it(line: GitHubFactory) -> None:
    """It is none of ours: folded in the first listing, and kept from then on."""
    first = line.owner.open_issue(REPO, "First", "No label.")
    line.owner.open_issue(REPO, "Then", f"Blocked by #{first}", ["ac:triage"], [OWNER])
    line.world.advance(600)
    passed = line.pass_()
    assert passed.reasons == {2: "skip_blocked"}
    assert passed.asked == ["Listing", "ReadTogether"]
    for asked in (["Listing", "ReadTogether"], ["Listing"]):
        line.world.advance(600)
        assert line.pass_().asked == asked
    line.owner.close(REPO, first)
    line.world.advance(600)
    assert line.pass_().reasons != {2: "skip_blocked"}


def test_r1_an_issue_whose_pull_request_alone_has_a_label_comes_from_the_cache(line: GitHubFactory) -> None:
    """Its own row says nothing of ours; with the listing lost, the cached item is still good."""
    number = line.file(label="needs-human")
    line.as_("alice-cells").push(REPO, f"agentcells/{number}", {"ball.txt": "bounce\n"}, "Bounce")
    line.as_("alice-cells").open_pull(REPO, f"agentcells/{number}", "Bounce", f"Closes #{number}")
    line.owner.unlabel(REPO, number, "ac:needs-human")
    line.owner.label(REPO, line.pull(), "ac:in-review")
    line.world.advance(600)
    line.pass_()
    line.world.advance(600)
    (line.state / "cache" / f"{REPO.replace('/', '__')}.rows.json").unlink()
    assert line.pass_().asked == ["Listing"]


def test_all_of_a_row_is_there_when_it_is_unfolded() -> None:
    kept = row(1, closes=(3, 4), head_ref="x", labels=(Label(id="LA_1", name="bug"),))
    assert Folded.of(REPO, [kept]).get(1) == kept
