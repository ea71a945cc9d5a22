"""A long conversation on GitHub is read once; later looks see every change of it, for one request (R21)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from agentcells.forge import ForgeError, together
from agentcells.forge.github import GitHubForge
from agentcells.forge.github_talk import HEARD_AT_MOST, WHOLE_FOR
from agentcells.model import Item
from tests.github_world import REPO, Story, story

ONE = ["ReadTogether"]
MANY = 130  # comments: two pages
ANEW = [*ONE, "MoreComments", "MoreComments"]


@dataclass
class Talk:
    """An issue with many words, and a pass of ours that has read it."""

    hub: Story
    number: int
    alices: list[str] = field(default_factory=list)  # ids of the owner's comments, of ours, of others'
    ours: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    forge: GitHubForge = field(init=False)
    before: Item = field(init=False)

    def __post_init__(self) -> None:
        for n in range(MANY):
            self.hub.world.advance(30)
            self.bob(f"{n}")
            if n in (5, 50):
                self.alice(f"But {n}")
                self.our(f"Run {n}")
        self.hub.world.advance(600)
        self.forge = self.hub.forge()
        self.forge.listings([REPO], {}, logins=["alice", "cells"])  # as each pass begins
        self.before = self.read()

    def read(self, before: Item | None = None) -> Item:
        found = together(self.forge, REPO, [self.number], before={self.number: before} if before else {})
        item = found.items[self.number]
        assert not isinstance(item, ForgeError), item
        return item

    def again(self) -> list[str]:
        """Another look at it: what it asked. What it saw is what a stranger to it all sees."""
        since = len(self.forge.sent)
        seen = self.read(self.before)
        there = self.hub.read(self.number)
        assert seen == there
        assert [(one.id, one.body, one.edits) for one in seen.comments] == [
            (one.id, one.body, one.edits) for one in there.comments]
        self.before = seen
        return [sent.operation for sent in self.forge.sent[since:]]

    def bob(self, text: str) -> None:
        self.others.append(self.hub.bob.comment(REPO, self.number, text))

    def alice(self, text: str) -> None:
        self.alices.append(self.hub.alice.comment(REPO, self.number, text))

    def our(self, text: str) -> None:
        self.ours.append(self.hub.cells.comment(REPO, self.number, text))


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        # Nothing here may rest on `updatedAt` of the item.
        found.world.comments_move_items(False)
        yield found


@pytest.fixture
def talk(hub: Story) -> Talk:
    return Talk(hub, hub.issue())


def test_r21_the_conversation_of_a_pull_request_is_kept_up_with_as_well(hub: Story) -> None:
    talk = Talk(hub, hub.pull())
    assert talk.again() == ONE
    talk.alice("And blue.")
    hub.bob.edit_comment(talk.ours[0], "Run 9")
    assert talk.again() == ONE
    hub.bob.delete_comment(talk.ours[0])
    assert talk.again() == ANEW


def test_r21_what_nobody_has_touched_is_one_request(talk: Talk) -> None:
    assert talk.again() == ONE
    assert talk.again() == ONE
    (asked, *_) = reversed([one for one in talk.hub.world.requests() if one["operation"] == "ReadTogether"])
    assert asked["points"] <= 2


def test_r14_a_new_word_is_seen_in_the_same_request(talk: Talk) -> None:
    talk.alice("/hold")
    talk.bob("Me too.")
    assert talk.again() == ONE


@pytest.mark.parametrize("whose", ["alices", "ours", "others"])
def test_r27_an_edit_of_an_old_comment_is_seen_with_its_editor(talk: Talk, whose: str) -> None:
    old = getattr(talk, whose)[0]
    talk.hub.bob.edit_comment(old, "Something else")
    assert talk.again() == ONE
    edited = next(one for one in talk.before.comments if one.id == old)
    assert [edit.editor.login for edit in edited.edits or () if edit.editor] == ["bob"]


def test_r30_an_edit_in_the_second_of_our_own_is_seen(talk: Talk) -> None:
    talk.hub.cells.edit_comment(talk.ours[0], "Run 1")
    assert talk.again() == ONE
    talk.hub.bob.edit_comment(talk.ours[0], "Run 2")
    assert talk.again() == ONE


@pytest.mark.parametrize("whose", ["alices", "ours", "others"])
def test_r30_a_deletion_of_an_old_comment_is_seen(talk: Talk, whose: str) -> None:
    """Whose comments count are asked for by id, all of them are counted."""
    talk.hub.alice.delete_comment(getattr(talk, whose)[0])
    assert talk.again() == ANEW
    assert talk.again() == ONE


def test_r30_a_deletion_beside_a_new_word_is_seen(talk: Talk) -> None:
    """The count alone would say that nothing has changed."""
    talk.hub.alice.delete_comment(talk.others[0])
    talk.bob("Instead")
    assert talk.again() == ANEW


def test_r21_more_news_than_a_page_is_read_whole(talk: Talk) -> None:
    for news, asked in ((101, [*ANEW, "MoreComments"]), (90, ONE)):
        talk.alice("/hold")
        for n in range(news):
            talk.hub.world.advance(30)
            talk.bob(f"And {n}")
        assert talk.again() == asked


def test_r21_an_edit_that_a_hundred_others_have_followed_is_not_missed(talk: Talk) -> None:
    """The count is the same, and none of them is new."""
    for old in talk.others[:101]:
        talk.hub.bob.edit_comment(old, f"Not {old}")
        talk.hub.world.advance(30)
    assert talk.again()[:3] == ANEW


def test_r21_what_an_old_copy_hid_from_the_last_look_is_seen(talk: Talk) -> None:
    """A copy of GitHub's data may be behind: by seconds, and then two changes of one second look alike;
    or by more, and then their times differ."""
    for wait in (30, 300):
        old = next(one for one in talk.before.comments if one.id == talk.others[-1])
        talk.hub.bob.edit_comment(old.id, f"And {wait}")
        if wait == 30:
            old = replace(old, updated_at=talk.forge.clock())
        talk.hub.world.advance(wait)
        talk.alice("So it is.")
        seen = talk.read()
        talk.before = replace(seen, comments=tuple(old if one.id == old.id else one for one in seen.comments))
        assert talk.again() == ONE


def test_r21_all_is_read_again_once_an_hour(talk: Talk) -> None:
    talk.hub.world.advance(WHOLE_FOR.total_seconds())
    assert talk.again() == ONE
    talk.hub.world.advance(1)
    talk.forge.listing(REPO)  # the forge's clock comes with an answer
    assert talk.again() == ["ReadTogether", "MoreComments"]


def instead(talk: Talk) -> None:
    talk.hub.alice.delete_comment(talk.others[0])
    talk.bob("Instead")


STALE: dict[str, Callable[[Talk], None]] = {
    "a new word": lambda talk: talk.alice("/hold"),
    "a new word in the place of another": instead,
    "an edit of the owner's": lambda talk: talk.hub.bob.edit_comment(talk.alices[0], "Push it all"),
    "an edit of ours": lambda talk: talk.hub.bob.edit_comment(talk.ours[0], "Run 9"),
    "the deletion of ours": lambda talk: talk.hub.bob.delete_comment(talk.ours[0]),
    "the deletion of the owner's": lambda talk: talk.hub.bob.delete_comment(talk.alices[0]),
}


@pytest.mark.parametrize("what", STALE)
def test_r21_a_list_that_has_fallen_behind_is_not_believed(talk: Talk, what: str) -> None:
    """Lists of GitHub by last change have stood still for hours. Only of a word that counts for nothing
    can an edit stay unseen then, for as long as the conversation is not read whole."""
    talk.hub.world.freeze_changes(REPO, talk.number)
    STALE[what](talk)
    assert talk.again()[:2] == ANEW[:2]


def test_r21_a_list_in_another_order_is_not_believed(talk: Talk) -> None:
    talk.hub.world.orders_comments(False)
    talk.hub.bob.edit_comment(talk.others[110], "Something else")
    assert talk.again() == [*ANEW, "Edits"]


@pytest.mark.parametrize("path", [["comments", "nodes", 3], ["comments"], ["newest"]])
def test_r21_half_an_answer_is_asked_for_alone(talk: Talk, path: list[str | int]) -> None:
    talk.hub.world.fail("partial", operation="ReadTogether", path=["repository", "i0", *path], message="")
    assert talk.again() == ["ReadTogether", "Read", "MoreComments"]


def test_r21_an_answer_without_the_words_that_count_is_not_enough(talk: Talk) -> None:
    talk.hub.world.fail("partial", operation="ReadTogether", path=["heard0"], message="")
    assert talk.again() == ANEW


def test_r18_an_answer_that_was_too_much_is_asked_for_in_smaller_pages(talk: Talk) -> None:
    talk.alice("And blue.")
    talk.hub.world.fail("timeout_200", operation="ReadTogether")
    assert talk.again() == [*ONE, *ONE]


def test_r21_more_words_that_count_than_can_be_asked_for_are_read_whole(talk: Talk) -> None:
    for n in range(HEARD_AT_MOST - len(talk.alices) - len(talk.ours)):
        talk.hub.world.advance(30)
        talk.our(f"Another {n}")
    talk.hub.world.advance(600)
    talk.before = talk.read()
    assert talk.again() == ONE
    talk.alice("One more")
    assert talk.again() == ONE
    assert talk.again() == ["ReadTogether", *["MoreComments"] * 4]


def test_r21_a_short_conversation_comes_whole(hub: Story) -> None:
    number, forge = hub.issue(), hub.forge()
    for n in range(99):
        hub.bob.comment(REPO, number, f"{n}")
    before = together(forge, REPO, [number]).items[number]
    assert isinstance(before, Item)
    assert before.talk_at is None
    assert together(forge, REPO, [number], before={number: before}).items[number] == before
    assert [sent.operation for sent in forge.sent] == ["Viewer", *ONE, *ONE]


@pytest.mark.parametrize("seed", range(3))
def test_r21_whatever_people_do_is_seen(talk: Talk, seed: int) -> None:
    chance, hub = random.Random(seed), talk.hub
    people = (hub.alice, hub.bob, hub.cells)
    asked = []
    for _ in range(12):
        for _ in range(chance.choice((0, 1, 3, 8))):
            there = [one["id"] for one in hub.world.item(REPO, talk.number)["comments"]]
            who, which = chance.choice(people), chance.choice(there)
            act = chance.choices(("comment", "edit", "delete"), (6, 6, 1))[0]
            if act == "comment":
                who.comment(REPO, talk.number, f"{chance.random()}")
            elif act == "edit":
                who.edit_comment(which, f"{chance.random()}")
            else:
                who.delete_comment(which)
            hub.world.advance(chance.choice((0, 0, 1, 60, 300)))
        asked.append(len(talk.again()))
    assert min(asked) == 1 < max(asked) <= 5


def test_r21_an_hour_is_as_long_as_a_tick_goes_on() -> None:
    assert timedelta(minutes=60) == WHOLE_FOR
