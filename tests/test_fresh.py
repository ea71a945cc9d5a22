"""What a pass remembers of what it has just read and written, and when it asks again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentcells.forge.local import LocalForge
from agentcells.fresh import GOOD_FOR, Fresh
from agentcells.model import Item
from tests.github_world import REPO, story


class Place:
    """A forge whose clock stands, and what a pass of `cells` knows of one issue there."""

    def __init__(self, root: Path) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.alice = LocalForge.create(root, "alice", [REPO], bot="cells", clock=lambda: self.now)
        for name in ("ac:triage", "ac:working"):
            self.alice.create_label(REPO, name, "ededed", "")
        self.cells = LocalForge(root, "cells", clock=lambda: self.now)
        self.number = self.alice.create_issue(REPO, "A ball", "", ["ac:triage"], [])
        self.fresh = Fresh(self.cells)

    def known(self) -> Item:
        return self.fresh.item(REPO, self.number)

    def there(self) -> Item:
        return self.alice.read(REPO, self.number)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "forge")


def test_r18_what_was_read_a_moment_ago_is_not_read_again(place: Place) -> None:
    before = place.known()
    place.alice.comment(before, "And blue, please.")
    place.now += GOOD_FOR
    assert place.known() == before


def test_r18_what_is_older_than_some_seconds_is_read_again(place: Place) -> None:
    before = place.known()
    place.alice.comment(before, "And blue, please.")
    place.now += GOOD_FOR + timedelta(seconds=1)
    assert place.known() == place.there() != before


def test_r18_a_clock_that_went_back_makes_nothing_fresh(tmp_path: Path) -> None:
    with story(tmp_path) as hub:
        number, forge = hub.issue(), hub.forge()
        fresh = Fresh(forge)
        assert fresh.item(REPO, number).comments == ()
        hub.alice.comment(REPO, number, "And blue, please.")
        hub.world.advance(-7200)
        forge.listing(REPO)
        assert len(fresh.item(REPO, number).comments) == 1


def test_r21_a_long_conversation_that_grew_old_is_asked_for_its_news(tmp_path: Path) -> None:
    """What is built on is what the forge told, without what we have written there since."""
    with story(tmp_path) as hub:
        number, forge = hub.issue(), hub.forge()
        for n in range(110):
            hub.world.advance(30)
            hub.bob.comment(REPO, number, f"{n}")
        fresh = Fresh(forge)
        item = fresh.item(REPO, number)
        fresh.commented(item, forge.comment(item, "So it is."))
        hub.world.advance(20)
        hub.alice.comment(REPO, number, "/hold")
        forge.listing(REPO)
        since = len(forge.sent)
        assert fresh.item(REPO, number) == hub.read(number)
        assert [sent.operation for sent in forge.sent[since:]] == ["ReadTogether"]


def test_r18_our_own_comment_is_seen_without_a_question(place: Place) -> None:
    item = place.known()
    made = place.cells.comment(item, "So it is.")
    place.fresh.commented(item, made)
    assert place.known().comments == (made,)
    place.cells.edit_comment(item, made.id, "So it was.")
    place.fresh.edited(place.known(), made.id, "So it was.")
    assert [one.body for one in place.known().comments] == [one.body for one in place.there().comments]


def test_r3_labels_are_those_that_the_forge_has_answered(place: Place) -> None:
    item = place.known()
    place.alice.remove_labels(item, ["ac:triage"])
    place.fresh.labelled(item, place.cells.add_labels(item, ["ac:working"]))
    assert {label.name for label in place.known().labels} == {"ac:working"}


def test_r21_what_we_have_written_to_is_not_decided_upon_until_it_is_read(place: Place) -> None:
    item = place.known()
    assert place.fresh.unwritten(REPO, place.number) == item
    place.fresh.commented(item, place.cells.comment(item, "So it is."))
    assert place.fresh.unwritten(REPO, place.number) is None
    place.fresh.take(place.there())
    assert place.fresh.unwritten(REPO, place.number) == place.there()
    place.fresh.written(item)
    assert place.fresh.unwritten(REPO, place.number) is None


def test_r21_what_may_be_another_now_is_read_again(place: Place) -> None:
    item = place.known()
    place.alice.close(item)
    place.fresh.forget(REPO, place.number)
    assert place.fresh.unwritten(REPO, place.number) is None
    assert place.known().state == "closed"


def test_a_write_to_what_was_never_read_leaves_what_is_known_by_it(place: Place) -> None:
    item = place.there()
    place.fresh.labelled(item, ())
    assert place.known().labels == ()
    assert place.fresh.unwritten(REPO, place.number) is None
