"""Which items are read whole, by a listing alone: what carries our labels, and what belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from agentcells import groups
from agentcells.model import Account, Item, Label, PullFacts, Row, Sha
from tests.builders import config

REPO = "alice/game"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CONFIG = config()


def row(number: int, *labels: str, **more: Any) -> Row:
    """An open issue; a pull request when it has a head."""
    kind = "pull_request" if more.get("head_ref") or more.get("closes") else "issue"
    return Row(**{
        "repo": REPO, "kind": kind, "number": number, "id": f"I{number}", "title": f"Title {number}",
        "state": "open", "labels": tuple(Label(id=name, name=name) for name in labels),
        "updated_at": NOON, **more,
    })


def found(*rows: Row, busy: tuple[int, ...] = (), tidied: tuple[int, ...] = ()) -> dict[int, Any]:
    by_number = {one.number: one for one in rows}
    return {
        group.number: group for group in groups.groups_of(CONFIG, REPO, by_number, busy, tidied)
    }


def members(*rows: Row, **more: Any) -> Mapping[int, tuple[int, ...]]:
    return {number: group.members for number, group in found(*rows, **more).items()}


def test_an_issue_of_ours_comes_with_its_pull_requests_and_its_rivals() -> None:
    together = members(
        row(1, "ac:triage"), row(2), row(3, head_ref="agentcells/1", state="closed"),
        row(4, head_ref="agentcells/1-2"), row(5, head_ref="feature", closes=(1,)),
        row(6, head_ref="feature-2", closes=(1,), state="closed"), row(7, "bug"),
    )
    assert together == {1: (1, 3, 4, 5)}


def test_a_label_on_our_pull_request_reads_its_issue_even_when_no_list_shows_it() -> None:
    assert members(row(9, "ac:review", head_ref="agentcells/4")) == {4: (4, 9)}


def test_an_open_pull_request_of_ours_is_read_without_any_label() -> None:
    assert members(row(9, head_ref="agentcells/4")) == {4: (4, 9)}


def test_r11_a_merged_one_is_read_until_it_is_tidied() -> None:
    merged = row(9, head_ref="agentcells/4", state="merged")
    assert members(merged) == {4: (4, 9)}
    assert members(merged, tidied=(9,)) == {}
    assert members(row(9, head_ref="agentcells/4", state="closed")) == {}


def test_a_closed_item_with_our_label_is_read_so_that_the_label_goes() -> None:
    assert members(row(1, "ac:triage", state="closed")) == {1: (1,)}


def test_what_a_run_is_about_is_read_in_any_case() -> None:
    by_number = found(row(3, head_ref="agentcells/2"), row(5, "ac:triage"), busy=(3, 8))
    assert {number: group.state for number, group in by_number.items()} == {2: "", 5: "triage", 8: ""}
    assert by_number[8].title == ""
    assert by_number[2].title == "Title 3"


def test_a_state_counts_before_what_stands_beside_it() -> None:
    by_number = found(
        row(1, "ac:working", "ac:triage"), row(2, "ac:hold"), row(3, "bug", head_ref="agentcells/4"),
    )
    assert {number: group.state for number, group in by_number.items()} == {
        1: "triage", 2: "hold", 4: "tidy",
    }


def test_r20_everybodys_turn_comes() -> None:
    several = list(found(*(row(n, "ac:triage") for n in (1, 2, 3))).values())
    assert [group.number for group in groups.in_turn(several, None)] == [1, 2, 3]
    assert [group.number for group in groups.in_turn(several, (REPO, 1))] == [2, 3, 1]
    assert [group.number for group in groups.in_turn(several, (REPO, 3))] == [1, 2, 3]


def test_rows_that_may_be_wanted_later_are_kept() -> None:
    rows = {one.number: one for one in (
        row(1, "ac:triage"), row(2), row(3, head_ref="feature", closes=(2,)),
        row(4, head_ref="agentcells/2"), row(5, head_ref="feature", closes=(2,), state="closed"),
    )}
    kept = groups.worth_keeping(rows, groups.groups_of(CONFIG, REPO, rows, (), ()))
    assert [one.number for one in kept] == [1, 2, 3, 4]


def item(**more: Any) -> Item:
    return Item(**{
        "repo": REPO, "kind": "issue", "number": 1, "id": "I1", "title": "Title 1", "body": "",
        "author": Account(id="U1", login="alice"), "state": "open", "created_at": NOON,
        "updated_at": NOON, "labels": (Label(id="ac:triage", name="ac:triage"),), **more,
    })


def pull(**more: Any) -> PullFacts:
    return PullFacts(**{
        "head_ref": "agentcells/1", "head_sha": Sha("a" * 40), "base_ref": "main",
        "same_repository": True, "closes": (1,), **more,
    })


def test_an_item_read_whole_stands_for_its_row() -> None:
    assert groups.row_of(item()) == row(1, "ac:triage", author_id="U1")
    ours = groups.row_of(item(kind="pull_request", pull=pull(), author=None))
    assert (ours.head_ref, ours.closes, ours.author_id) == ("agentcells/1", (1,), "")
    assert groups.row_of(item(kind="pull_request", pull=pull(same_repository=False))).head_ref == ""


def test_r20_unchanged_is_what_is_no_older_than_its_row_and_has_the_same_checks() -> None:
    assert groups.unchanged(item(), row(1))
    assert groups.unchanged(item(updated_at=NOON + timedelta(minutes=1)), row(1))
    assert not groups.unchanged(item(), row(1, updated_at=NOON + timedelta(seconds=1)))
    assert groups.unchanged(item(), row(1, checks="failure"))
    assert groups.unchanged(item(pull=pull(checks="failure")), row(1, checks="failure"))
    assert not groups.unchanged(item(pull=pull(checks="pending")), row(1, checks="failure"))
