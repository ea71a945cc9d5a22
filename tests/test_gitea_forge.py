"""Gitea's habits, and what the forge makes of them: lists, whole reads, odd repositories."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentcells.forge import (
    Forbidden,
    ForgeError,
    IssueReader,
    Listing,
    NotFound,
    Partial,
    Stale,
    listings,
)
from agentcells.forge.gitea import GiteaForge
from agentcells.forge.gitea_json import account, number, rows, text, time
from agentcells.forge.gitea_parse import comment_number, state, sum_of_checks
from agentcells.model import Comment, Item
from tests.gitea_world import LABELS, REPO, Story, story

NINE = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


@pytest.fixture(params=["gitea", "forgejo", "old"])
def any_hub(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Story]:
    """Gitea 1.27, a Forgejo, and a Gitea that knows less."""
    with story(tmp_path, flavour=request.param) as found:
        yield found


def names(item: Item) -> set[str]:
    return {label.name for label in item.labels}


def numbers(listing: Listing) -> list[int]:
    return [row.number for row in listing.rows]


def sent_since(hub: Story, before: int) -> list[str]:
    return [line.split("?")[0] for line in hub.world.requests[before:]]


# ---------------------------------------------------------------- listings


def test_r20_a_warm_idle_listing_is_two_requests(hub: Story) -> None:
    hub.issue()
    hub.world.advance(3600)
    forge = hub.forge()
    mark = forge.listing(REPO).mark
    before = len(hub.world.requests)
    hub.world.advance(3600)
    assert numbers(forge.listing(REPO, mark)) == [1]
    assert sent_since(hub, before) == [
        "GET /repos/alice/game/issues", "GET /repos/alice/game/issues/comments"]


def test_r20_no_filter_of_labels_is_ever_sent(hub: Story) -> None:
    forge = hub.forge()
    forge.listing(REPO, forge.listing(REPO).mark)
    assert not any("labels" in line for line in hub.world.requests)


def test_r20_an_edited_comment_moves_its_row_though_gitea_moves_no_issue(hub: Story) -> None:
    number = hub.issue()
    forge = hub.forge()
    ours = forge.comment(hub.read(number, forge), "ledger: 0 runs")
    hub.world.advance(600)
    cold = forge.listing(REPO)
    hub.world.advance(600)
    forge.edit_comment(hub.read(number, forge), ours.id, "ledger: 1 run")
    (row,) = forge.listing(REPO, cold.mark).rows
    item = hub.read(number, forge)
    assert row.updated_at == item.updated_at == NINE + timedelta(seconds=1200)
    # A first listing, with the cache lost, says the same: what is cached by it is not read again.
    assert forge.listing(REPO).rows[0].updated_at == item.updated_at


def test_r20_an_edited_comment_on_a_quiet_pull_request_shows_the_pull_request(hub: Story) -> None:
    number = hub.pull()
    forge = hub.forge()
    ours = forge.comment(hub.read(number, forge), "one")
    hub.world.advance(7200)
    hub.issue()
    mark = forge.listing(REPO).mark
    hub.world.advance(600)
    forge.edit_comment(hub.read(number, forge), ours.id, "two")
    found = {row.number: row for row in forge.listing(REPO, mark).rows}
    assert (found[number].kind, found[number].head_ref) == ("pull_request", "agentcells/1")


def test_r20_many_changed_pull_requests_are_one_request_for_their_heads(hub: Story) -> None:
    forge = hub.forge()
    mark = forge.listing(REPO).mark
    made = [hub.pull(branch=f"agentcells/{n}") for n in range(1, 6)]
    before = len(hub.world.requests)
    found = forge.listing(REPO, mark)
    assert set(numbers(found)) == set(made)
    assert {row.head_ref for row in found.rows} == {f"agentcells/{n}" for n in range(1, 6)}
    assert sent_since(hub, before).count("GET /repos/alice/game/pulls") == 1


def test_r20_a_server_with_small_pages_is_read_to_the_end(tmp_path: Path) -> None:
    with story(tmp_path, most_rows=3) as hub:
        made = [hub.issue(f"{n}") for n in range(10)]
        pulls = [hub.pull(branch=f"agentcells/{n}") for n in range(1, 5)]
        forge = hub.forge()
        found = forge.listing(REPO)
        assert set(numbers(found)) == {*made, *pulls}
        hub.world.advance(600)
        for n in range(7):
            hub.alice.comment(REPO, made[n], "bump")
            hub.alice.comment(REPO, pulls[n % 4], "bump")
        later = forge.listing(REPO, found.mark)
        assert set(numbers(later)) == {*made, *pulls}
        item = hub.read(made[0], forge)
        assert [c.body for c in item.comments] == ["bump"]
        assert {label.name for label in forge.labels(REPO)} == set(LABELS)


def test_r21_an_issue_closed_while_the_list_is_read_hides_no_other(hub: Story) -> None:
    made = [hub.issue(f"{n}") for n in range(60)]
    hub.world.meanwhile(r"GET .*/issues$", lambda: hub.alice.close(REPO, made[-1]))
    found = hub.forge().listing(REPO)
    assert found.complete
    assert set(numbers(found)) == set(made[:-1])


def test_r21_a_list_that_shrinks_again_and_again_is_not_believed(hub: Story) -> None:
    made = [hub.issue(f"{n}") for n in range(60)]
    last = iter(reversed(made))
    for at in (1, 2):
        hub.world.meanwhile(
            r"GET .*/issues$", lambda: hub.alice.close(REPO, next(last)), at=at)
    with pytest.raises(Partial) as caught:
        hub.forge().listing(REPO)
    assert caught.value.key == "gitea_shrunk"


def test_r21_a_row_that_cannot_be_read_makes_the_listing_incomplete(hub: Story) -> None:
    for n in range(3):
        hub.issue(f"{n}")
    forge = hub.forge()
    mark = forge.listing(REPO).mark
    hub.world.fail("cut", match="GET .*/issues$", path=[1, "updated_at"])
    found = forge.listing(REPO, mark)
    assert not found.complete
    assert found.mark == mark
    assert len(found.rows) == 2


def test_r21_an_edited_comment_whose_issue_vanishes_leaves_the_listing_incomplete(
    hub: Story,
) -> None:
    number = hub.issue()
    note = hub.alice.comment(REPO, number, "one")
    hub.world.advance(600)
    hub.issue()
    forge = hub.forge()
    mark = forge.listing(REPO).mark
    hub.world.advance(600)
    hub.alice.edit_comment(REPO, note, "two")
    hub.world.fail("not_found", match=r"GET .*/issues/1$")
    assert not forge.listing(REPO, mark).complete


def test_r21_fewer_rows_than_were_counted_are_no_list(hub: Story) -> None:
    hub.issue()
    hub.issue()
    hub.world.fail("cut", match="GET .*/issues$", path=[0])
    with pytest.raises(Partial):
        hub.forge().listing(REPO)


@pytest.mark.parametrize("mark", ["", "x", "v2 2026-03-01", "v1 soon", "v1 2026-03-01T09:00:00"])
def test_a_mark_that_is_not_ours_lists_all_that_is_open(hub: Story, mark: str) -> None:
    hub.issue()
    hub.alice.close(REPO, hub.issue())
    assert numbers(hub.forge().listing(REPO, mark)) == [1]


def test_r20_checks_of_waiting_pull_requests_come_with_the_listing(hub: Story) -> None:
    number = hub.pull()
    hub.world.repository("alice/other", roles={"cells": "write"}, files={"a": "a"})
    hub.world.advance(7200)
    hub.issue()
    forge = hub.forge()
    repos = [REPO, "alice/gone", "alice/other"]
    cold = listings(forge, repos, {}, logins=["alice"])
    marks = {repo: one.mark for repo, one in cold.items() if isinstance(one, Listing)}
    hub.world.checks(REPO, number, {"build": "pending"})
    waiting = [hub.read(number, forge).id]
    found = listings(forge, repos, marks, logins=["alice"], waiting=waiting)
    assert isinstance(found["alice/gone"], NotFound)
    game, other = found[REPO], found["alice/other"]
    assert isinstance(game, Listing)
    assert isinstance(other, Listing)
    assert {row.number: row.checks for row in game.rows} == {number: "pending", number + 1: None}
    assert other.rows == ()
    before = len(hub.world.requests)
    forge.viewer(), forge.account("alice")
    assert len(hub.world.requests) == before


# ---------------------------------------------------------------- an item, whole


def test_r21_a_page_of_the_timeline_that_looks_empty_is_not_its_end(tmp_path: Path) -> None:
    """Lines of code are left out after the page was cut, so a page of them has no rows."""
    with story(tmp_path, most_rows=50) as hub:
        number = hub.pull()
        for n in range(120):
            hub.alice.draft_line(REPO, number, "ball.txt", 1, f"line {n}")
        hub.alice.review(REPO, number, "commented", "see lines")
        hub.alice.label(REPO, number, "ac:implement")
        item = hub.read(number)
        assert [(e.kind, e.label.name if e.label else "") for e in item.events] == [
            ("labeled", "ac:implement")]
        assert sum(c.kind == "thread" for c in item.comments) == 120


def test_r24_events_behind_references_that_are_hidden_are_found(hub: Story) -> None:
    """Somebody mentions the issue from a place that we do not see, often enough to fill a page."""
    number = hub.issue()
    hub.world.mention(REPO, number, times=150)
    hub.bob.label(REPO, number, "ac:triage")
    events = hub.read(number).events
    assert [(e.kind, e.actor.login if e.actor else "") for e in events] == [("labeled", "bob")]


def test_r24_events_that_do_not_lead_to_the_labels_are_not_believed(hub: Story) -> None:
    number = hub.issue()
    hub.alice.label(REPO, number, "ac:triage")
    hub.world.mention(REPO, number, times=600)
    hub.bob.unlabel(REPO, number, "ac:triage")
    with pytest.raises(Partial) as caught:
        hub.read(number)
    assert "ac:triage" in str(caught.value.slots["detail"])


def test_r24_a_label_set_anew_behind_hidden_rows_is_seen(hub: Story) -> None:
    """Nothing is missing and no label contradicts: only the time of the issue tells of more."""
    number = hub.issue()
    hub.alice.label(REPO, number, "ac:triage")
    hub.world.advance(60)
    hub.world.mention(REPO, number, times=120)
    hub.bob.unlabel(REPO, number, "ac:triage")
    hub.bob.label(REPO, number, "ac:triage")
    hub.world.advance(60)
    hub.world.mention(REPO, number)
    events = hub.read(number).events
    assert [e.actor.login if e.actor else "" for e in events] == ["alice", "bob", "bob"]


def test_an_edited_body_and_a_migrated_label_are_believed_after_a_second_look(hub: Story) -> None:
    number = hub.issue()
    item = hub.world.hub.repos[0].items[number]
    item.labels.append(hub.world.hub.repos[0].label("bug"))
    hub.world.advance(60)
    hub.alice.edit_body(REPO, number, "It should, and high.")
    found = hub.read(number)
    assert (found.body, names(found), found.events) == ("It should, and high.", {"bug"}, ())


def test_r21_a_comment_that_the_timeline_does_not_have_is_looked_for(hub: Story) -> None:
    number = hub.issue()
    hub.world.mention(REPO, number, times=60)
    hub.alice.comment(REPO, number, "and this?")
    hub.alice.label(REPO, number, "bug")
    assert [e.kind for e in hub.read(number).events] == ["labeled"]


def test_a_label_set_while_the_item_is_read_is_read_with_it(hub: Story) -> None:
    number = hub.issue()
    hub.world.meanwhile(
        rf"GET .*/issues/{number}$", lambda: hub.alice.label(REPO, number, "ac:triage"))
    item = hub.read(number)
    assert names(item) == {"ac:triage"}
    assert [e.kind for e in item.events] == ["labeled"]


def test_r21_comments_that_are_counted_must_be_there(hub: Story) -> None:
    number = hub.issue()
    for n in range(3):
        hub.alice.comment(REPO, number, f"{n}")
    hub.world.fail("cut", match="GET .*/comments$", path=[1])
    with pytest.raises(Partial):
        hub.read(number)


@pytest.mark.parametrize(("match", "path"), [
    (r"/issues/1$", ["title"]), (r"/issues/1$", ["labels"]), (r"/issues/1$", ["assignees"]),
    (r"/pulls/1$", ["state"]), (r"/issues/1$", ["repository"]), (r"/issues/1$", ["updated_at"]),
    (r"/pulls/1$", ["head"]), (r"/pulls/1$", ["base", "repo_id"]), (r"/pulls/1$", ["title"]),
    (r"/comments$", [0, "body"]), (r"/comments$", [0, "user", "id"]),
    (r"/timeline$", [1, "id"]), (r"/timeline$", [1, "created_at"]),
    (r"/reviews$", [0, "state"]), (r"/reviews$", [0, "comments_count"]),
    (r"/reviews/1/comments$", [0, "path"]), (r"/statuses/", [0, "status"]),
])
def test_r21_what_is_missing_is_never_taken_for_none(
    hub: Story, match: str, path: list[str | int]
) -> None:
    number = hub.pull()
    hub.alice.comment(REPO, number, "hello")
    hub.alice.label(REPO, number, "bug")
    hub.alice.start_thread(REPO, number, "ball.txt", 1, "why?")
    hub.world.checks(REPO, number, {"build": "success"})
    forge = hub.forge()
    hub.read(number, forge)
    hub.world.fail("cut", match=f"GET .*{match}", path=path)
    with pytest.raises(Partial):
        hub.read(number, forge)


def test_r25_gitea_keeps_no_history_of_edits_and_both_times_exactly(hub: Story) -> None:
    number = hub.issue()
    note = hub.bob.comment(REPO, number, "one")
    hub.world.advance(77)
    hub.bob.edit_comment(REPO, note, "two")
    item = hub.read(number)
    (found,) = item.comments
    assert (item.edits, found.edits) == (None, None)
    assert (found.created_at, found.updated_at) == (NINE, NINE + timedelta(seconds=77))


def reviews(item: Item) -> list[Comment]:
    return [comment for comment in item.comments if comment.kind != "comment"]


def test_r14_a_review_is_as_old_as_its_handing_in_not_as_its_first_draft(hub: Story) -> None:
    """Gitea dates it back to the first line, and shows the handing in as an edit."""
    number = hub.pull()
    hub.alice.draft_line(REPO, number, "ball.txt", 1, "higher")
    assert reviews(hub.read(number)) == []
    hub.world.advance(600)
    hub.alice.review(REPO, number, "changes_requested", "please")
    said, line = reviews(hub.read(number))
    for one in (said, line):
        assert one.created_at == one.updated_at == NINE + timedelta(seconds=600)
    assert (said.body, line.body) == ("please", "higher")


def test_r25_a_review_edited_after_it_was_handed_in_shows_the_later_time(hub: Story) -> None:
    number = hub.pull()
    hub.alice.start_thread(REPO, number, "ball.txt", 1, "why?")
    hub.world.advance(600)
    pull = hub.world.hub.repos[0].items[number]
    for entry in pull.entries:
        if entry.kind in ("review", "code"):
            hub.alice.edit_comment(REPO, str(entry.id), f"changed {entry.kind}")
    said, line = reviews(hub.read(number))
    assert (said.body, line.body) == ("changed review", "changed code")
    for one in (said, line):
        assert one.updated_at - one.created_at == timedelta(seconds=600)


def test_a_draft_of_somebody_else_stops_nobody(hub: Story) -> None:
    number = hub.pull()
    hub.alice.review(REPO, number, "approved", "fine")
    hub.bob.draft_line(REPO, number, "ball.txt", 1, "secret")
    assert [c.body for c in reviews(hub.read(number))] == ["fine"]


def test_a_review_without_its_row_in_the_timeline_is_dated_by_itself(hub: Story) -> None:
    number = hub.pull()
    hub.alice.review(REPO, number, "commented", "hm")
    pull = hub.world.hub.repos[0].items[number]
    pull.entries.clear()
    (said,) = reviews(hub.read(number))
    assert (said.body, said.created_at) == ("hm", NINE)


def test_a_dismissed_review_and_a_resolved_line_say_so(hub: Story) -> None:
    number = hub.pull()
    review = hub.alice.review(REPO, number, "approved", "")
    line = hub.bob.start_thread(REPO, number, "ball.txt", 1, "why?")
    hub.world.advance(60)
    hub.alice.dismiss(REPO, number, review)
    hub.alice.resolve(REPO, line)
    said, _, thread = reviews(hub.read(number))
    assert (said.verdict, said.updated_at) == ("dismissed", NINE)
    assert thread.resolved


def test_comments_and_reviews_of_one_number_are_told_apart(hub: Story) -> None:
    number = hub.pull()
    hub.alice.comment(REPO, number, "one")
    hub.alice.review(REPO, number, "approved", "")
    ids = [comment.id for comment in hub.read(number).comments]
    assert ids == ["1", "review-1"]


def test_lines_of_two_places_are_two_threads(hub: Story) -> None:
    number = hub.pull(files={"ball.txt": "a\nb\n"})
    for line, body in ((1, "first"), (-2, "second"), (1, "third")):
        hub.alice.draft_line(REPO, number, "ball.txt", line, body)
    hub.alice.review(REPO, number, "commented", "")
    lines = [c for c in hub.read(number).comments if c.kind == "thread"]
    assert [(c.body, c.line) for c in lines] == [("first", 1), ("second", 2), ("third", 1)]
    assert lines[0].thread_id == lines[2].thread_id != lines[1].thread_id


def test_a_reader_in_a_hurry_gets_the_newest_comments_by_two_requests(hub: Story) -> None:
    number = hub.issue()
    for count in range(1, 61):
        hub.bob.comment(REPO, number, f"comment {count}")
    forge = hub.forge()
    assert isinstance(forge, IssueReader)
    forge.viewer()
    before = len(forge.sent)
    found = forge.glance(REPO, number, 2)
    assert len(forge.sent) - before == 2
    assert found.comments_total == 60
    assert [c.body for c in found.item.comments] == ["comment 59", "comment 60"]
    assert forge.glance(REPO, number, 0).item.comments == ()
    assert len(forge.glance(REPO, number, 500).item.comments) == 60


def test_the_newest_change_is_found_behind_a_whole_page_of_newer_issues(hub: Story) -> None:
    old = hub.issue("old")
    hub.world.advance(40 * 86400)
    for count in range(55):
        hub.issue(f"newer {count}")
    hub.world.advance(3 * 86400)
    hub.bob.comment(REPO, old, "This one again!")
    forge = hub.forge()
    assert isinstance(forge, IssueReader)
    assert forge.recent(REPO, "open", 1)[0].number == old
    two = forge.recent(REPO, "open", 30)
    assert (two[0].number, len(two)) == (old, 30)
    assert len(forge.recent(REPO, "open", 100)) == 56


# ---------------------------------------------------------------- whose word it is


def test_r27_what_was_migrated_is_nobodys_word_here(hub: Story) -> None:
    """Gitea shows it under the account that carried it over, often the owner's."""
    number = hub.issue()
    hub.alice.comment(REPO, number, "do as I say")
    hub.world.migrated(REPO, number, original_author="stranger")
    item = hub.read(number)
    assert item.author is None
    assert item.comments[0].author is None
    assert hub.forge().listing(REPO).rows[0].author_id == ""


def test_a_deleted_account_is_a_ghost(hub: Story) -> None:
    number = hub.issue()
    hub.bob.comment(REPO, number, "bye")
    hub.world.delete_account("bob")
    assert hub.read(number).comments[0].author is None


def test_gitea_actions_is_a_bot_and_no_ghost() -> None:
    found = account({"id": -2, "login": "gitea-actions"})
    assert found is not None
    assert (found.id, found.kind) == ("-2", "bot")
    assert account({"id": -1, "login": "Ghost"}) is None
    assert account(None) is None


def test_r44_who_pushed_since_our_own_last_push_is_told(hub: Story) -> None:
    number = hub.pull()

    def pushers() -> list[str]:
        facts = hub.read(number).pull
        assert facts is not None
        return [one.login for one in facts.pushers]

    assert pushers() == []
    hub.bob.push(REPO, "agentcells/1", {"a": "a\n"})
    hub.alice.push(REPO, "agentcells/1", {"b": "b\n"})
    hub.bob.push(REPO, "agentcells/1", {"c": "c\n"})
    assert pushers() == ["bob", "alice"]
    hub.cells.push(REPO, "agentcells/1", {"d": "d\n"})
    assert pushers() == []


# ---------------------------------------------------------------- pull requests


def test_r10_the_branch_of_a_fork_is_none_of_ours(hub: Story) -> None:
    hub.world.repository("bob/game", files={"README.md": "a fork\n"})
    hub.bob.push("bob/game", "agentcells/1", {"x": "x"})
    number = hub.bob.open_pull(REPO, "agentcells/1", "Mine", fork="bob/game")
    forge = hub.forge()
    facts = hub.read(number, forge).pull
    assert facts is not None
    assert (facts.same_repository, facts.head_ref) == (False, "agentcells/1")
    assert forge.listing(REPO).rows[0].head_ref == ""
    assert forge.pull_by_head(REPO, "agentcells/1") is None


def test_r10_a_pull_request_pushed_to_refs_for_is_like_one_of_a_fork(hub: Story) -> None:
    """Whoever may read can make one, and Gitea shows this repository as its own."""
    hub.alice.push(REPO, "agentcells/1", {"x": "x"})
    number = hub.bob.open_pull(REPO, "agentcells/1", "Mine", agit=True)
    forge = hub.forge()
    facts = hub.read(number, forge).pull
    assert facts is not None
    assert not facts.same_repository
    assert forge.listing(REPO).rows[0].head_ref == ""
    assert forge.pull_by_head(REPO, "agentcells/1") is None


def test_r9_a_pull_request_is_found_among_many_and_then_at_once(hub: Story) -> None:
    old = hub.pull(branch="agentcells/1")
    hub.alice.close(REPO, old)
    hub.cells.push(REPO, "feature", {"f": "f\n"})
    for n in range(60):
        hub.alice.close(REPO, hub.alice.open_pull(REPO, "feature", f"{n}"))
    forge = hub.forge()
    found = forge.pull_by_head(REPO, "agentcells/1")
    assert found is not None
    assert found.number == old

    def lists() -> int:
        return sum(line.startswith("GET /repos/alice/game/pulls?") for line in hub.world.requests)

    assert lists() == 2
    assert forge.pull_by_head(REPO, "agentcells/2") is None
    assert lists() == 3
    newer = hub.pull(branch="agentcells/1")
    found = forge.pull_by_head(REPO, "agentcells/1")
    assert found is not None
    assert found.number == newer
    assert lists() == 4


def test_r9_nobody_looks_for_our_branch_below_its_issue(hub: Story) -> None:
    """Issues and pull requests are numbered together, and the branch is made for the issue."""
    hub.cells.push(REPO, "feature", {"f": "f\n"})
    for n in range(60):
        hub.alice.close(REPO, hub.alice.open_pull(REPO, "feature", f"{n}"))
    number = hub.issue()
    forge = hub.forge()
    before = len(hub.world.requests)
    assert forge.pull_by_head(REPO, f"agentcells/{number}") is None
    assert len(hub.world.requests) == before + 1
    assert forge.pull_by_head(REPO, "feature") is not None


def test_r9_one_that_is_older_than_its_issue_is_found_when_the_forge_insists(hub: Story) -> None:
    squatter = hub.pull(branch="agentcells/60")
    hub.cells.push(REPO, "feature", {"f": "f\n"})
    for n in range(58):
        hub.alice.close(REPO, hub.alice.open_pull(REPO, "feature", f"{n}"))
    assert hub.issue() == 60
    for n in range(55):
        hub.alice.close(REPO, hub.alice.open_pull(REPO, "feature", f"{n}"))
    forge = hub.forge()
    assert forge.pull_by_head(REPO, "agentcells/60") is None
    with pytest.raises(Stale) as caught:
        forge.open_pull(REPO, "agentcells/60", "main", "Ours", "")
    assert caught.value.key == "gitea_exists"
    found = forge.pull_by_head(REPO, "agentcells/60")
    assert found is not None
    assert found.number == squatter


def test_a_merged_pull_request_is_found_when_its_branch_is_gone(hub: Story) -> None:
    number = hub.pull()
    hub.alice.merge(REPO, number)
    hub.alice.delete_branch(REPO, "agentcells/1")
    found = hub.forge().pull_by_head(REPO, "agentcells/1")
    assert found is not None
    assert found.pull is not None
    assert (found.state, found.pull.head_ref, found.pull.same_repository) == (
        "merged", "agentcells/1", True)


def test_deleting_the_branch_closes_an_open_pull_request(hub: Story) -> None:
    number = hub.pull()
    forge = hub.forge()
    forge.delete_branch(REPO, "agentcells/1")
    assert hub.read(number, forge).state == "closed"


def test_what_gitea_has_not_looked_at_yet_is_not_known(hub: Story) -> None:
    number = hub.pull()
    hub.world.still_checking(REPO, number, 1)
    seen = []
    for _ in range(2):
        facts = hub.read(number).pull
        assert facts is not None
        seen.append(facts.mergeable)
    assert seen == [None, True]


@pytest.mark.parametrize("title", ["WIP: x", "[wip] x"])
def test_a_draft_is_known_by_its_title(hub: Story, title: str) -> None:
    number = hub.pull()
    hub.alice.rename(REPO, number, title)
    facts = hub.read(number).pull
    assert facts is not None
    assert facts.draft


def test_r12_the_newest_status_of_a_context_counts(hub: Story) -> None:
    number = hub.pull()
    for build in ("pending", "failure", "success"):
        hub.world.checks(REPO, number, {"build": build, "lint": "warning", "e2e": "skipped"})
    facts = hub.read(number).pull
    assert facts is not None
    assert (facts.checks, facts.failed_checks) == ("success", ())
    hub.world.checks(REPO, number, {"lint": "error"})
    facts = hub.read(number).pull
    assert facts is not None
    (failed,) = facts.failed_checks
    assert (facts.checks, failed.name, failed.log) == ("failure", "lint", "lint: error")
    assert failed.url.startswith("https://ci.example.invalid/")


def test_r12_more_statuses_than_a_page_are_all_looked_at(hub: Story) -> None:
    number = hub.pull()
    hub.world.checks(REPO, number, {"build": "failure"})
    for n in range(70):
        hub.world.checks(REPO, number, {f"job {n}": "success"})
    facts = hub.read(number).pull
    assert facts is not None
    assert [check.name for check in facts.failed_checks] == ["build"]


def test_an_open_issue_that_blocks_is_named_and_a_closed_one_is_not(hub: Story) -> None:
    first, second, third = hub.issue(), hub.issue(), hub.issue()
    hub.alice.block(REPO, third, by=first)
    hub.alice.block(REPO, third, by=second)
    hub.alice.close(REPO, first)
    assert hub.read(third).blocked_by == (second,)
    hub.world.without_dependencies(REPO)
    assert hub.read(third).blocked_by == ()


# ---------------------------------------------------------------- labels


def test_the_older_of_two_labels_of_one_name_is_meant(hub: Story) -> None:
    forge = hub.forge()
    older = next(label for label in forge.labels(REPO) if label.name == "bug")
    hub.alice.create_label(REPO, "bug")
    assert forge.create_label(REPO, "bug", "ff0000", "") == older
    number = hub.issue()
    forge.add_labels(hub.read(number, forge), ["bug"])
    assert hub.read(number, forge).labels == (older,)


def test_removing_by_name_takes_the_twin_too(hub: Story) -> None:
    number = hub.issue()
    hub.alice.create_label(REPO, "bug")
    twin = hub.world.hub.repos[0].labels[-1]
    hub.world.hub.repos[0].items[number].labels.append(twin)
    hub.alice.label(REPO, number, "bug")
    forge = hub.forge()
    forge.remove_labels(hub.read(number, forge), ["bug"])
    assert hub.world.item(REPO, number)["labels"] == []


def test_a_label_deleted_meanwhile_is_not_set_and_that_is_said(hub: Story) -> None:
    forge = hub.forge()
    item = hub.read(hub.issue(), forge)
    forge.labels(REPO)
    hub.world.delete_label(REPO, "bug")
    with pytest.raises(Stale):
        forge.add_labels(item, ["bug"])
    with pytest.raises(NotFound) as caught:
        forge.add_labels(item, ["bug"])
    assert caught.value.key == "gitea_no_label"
    forge.remove_labels(item, ["bug"])


def test_a_label_deleted_meanwhile_is_removed_without_an_error(hub: Story) -> None:
    forge = hub.forge()
    number = hub.issue()
    hub.alice.label(REPO, number, "bug")
    item = hub.read(number, forge)
    hub.world.delete_label(REPO, "bug")
    forge.remove_labels(item, ["bug"])
    assert hub.world.item(REPO, number)["labels"] == []


# ---------------------------------------------------------------- three servers, one forge


def test_assigning_keeps_who_was_assigned_before(any_hub: Story) -> None:
    hub = any_hub
    hub.world.set_role(REPO, "bob", "write")
    number = hub.issue()
    hub.alice.assign(REPO, number, "bob")
    forge = hub.forge()
    for _ in range(2):
        forge.assign(hub.read(number, forge), [forge.account("alice")])
    item = hub.read(number, forge)
    assert {one.login for one in item.assignees} == {"alice", "bob"}
    assert [e.kind for e in item.events] == ["assigned", "assigned"]


def test_an_assignee_left_out_without_a_word_is_told(tmp_path: Path) -> None:
    """Before 1.27 who may not write is answered as if he had."""
    with story(tmp_path, flavour="old") as hub:
        number = hub.bob.open_issue(REPO, "Mine")
        bob = hub.forge("bob")
        with pytest.raises(Forbidden) as caught:
            bob.assign(bob.read(REPO, number), [bob.account("alice")])
        assert caught.value.key == "gitea_not_assignable"


def test_a_thread_is_answered_where_the_server_can(any_hub: Story) -> None:
    hub = any_hub
    number = hub.pull()
    hub.alice.start_thread(REPO, number, "ball.txt", 1, "why?")
    forge = hub.forge()
    item = hub.read(number, forge)
    thread = next(c.thread_id for c in item.comments if c.kind == "thread")
    if hub.world.hub.flavour == "old":
        with pytest.raises(ForgeError) as caught:
            forge.reply(item, thread, "so")
        assert caught.value.key == "gitea_no_replies"
        return
    forge.reply(item, thread, "so")
    lines = [c for c in hub.read(number, forge).comments if c.kind == "thread"]
    assert [(c.body, c.thread_id) for c in lines] == [("why?", thread), ("so", thread)]
    for unknown in ("nope", "9.9", thread.partition(".")[0] + ".999"):
        with pytest.raises(NotFound):
            forge.reply(item, unknown, "hello?")


def test_branches_are_told_by_git(any_hub: Story) -> None:
    hub = any_hub
    sha = hub.cells.push(REPO, "agentcells/1", {"a": "a\n"})
    hub.cells.push(REPO, "agentcells/12", {"a": "a\n"})
    forge = hub.forge()
    assert forge.branch(REPO, "agentcells/1") == sha
    assert forge.branch(REPO, "agentcells") is None
    assert forge.branches(REPO, "agentcells/12") == ("agentcells/12",)
    assert forge.branches(REPO, "agentcells/") == ("agentcells/1", "agentcells/12")


def test_merging_and_closing_work_on_all(any_hub: Story) -> None:
    hub = any_hub
    issue = hub.issue()
    forge = hub.forge()
    item = hub.read(hub.pull(body=f"Closes #{issue}"), forge)
    assert item.pull is not None
    merged = forge.merge(item, item.pull.head_sha)
    assert hub.world.tips(REPO)["main"] == merged
    assert hub.read(issue, forge).state == "closed"


# ---------------------------------------------------------------- odd repositories and the rest


def test_an_empty_repository_is_empty(hub: Story) -> None:
    hub.world.repository("alice/bare", roles={"cells": "write"})
    forge = hub.forge()
    assert forge.repository("alice/bare").empty
    assert forge.branches("alice/bare", "") == ()
    assert forge.listing("alice/bare").rows == ()


def test_a_private_repository_is_read_by_those_who_may(hub: Story) -> None:
    hub.world.repository(
        "alice/secret", private=True, roles={"cells": "write"}, files={"a": "a"})
    assert hub.forge().repository("alice/secret").name == "alice/secret"
    with pytest.raises(NotFound):
        hub.forge("bob").repository("alice/secret")


def test_editing_what_is_no_text_is_not_found(hub: Story) -> None:
    number = hub.issue()
    hub.alice.label(REPO, number, "bug")
    forge = hub.forge()
    item = hub.read(number, forge)
    with pytest.raises(NotFound) as caught:
        forge.edit_comment(item, item.events[0].id, "x")
    assert caught.value.key == "gitea_no_comment"
    forge.edit_issue(item, None, None)


def test_a_login_is_one_step_of_the_address_and_no_more(hub: Story) -> None:
    with pytest.raises(ForgeError):
        hub.forge().account("../repos/alice/game")


def test_nothing_to_set_is_nothing_to_ask(hub: Story) -> None:
    forge = hub.forge()
    item = hub.read(hub.issue(), forge)
    before = len(hub.world.requests)
    forge.add_labels(item, [])
    forge.assign(item, [])
    forge.edit_issue(item, None, None)
    assert len(hub.world.requests) == before


def test_a_token_of_nobody_is_no_viewer(hub: Story) -> None:
    hub.world.fail("cut", match="GET /user$", path=["id"])
    with pytest.raises(Partial):
        hub.forge().viewer()
    hub.world.delete_account("bob")
    with pytest.raises(NotFound):
        hub.forge().account("bob")


def test_a_reply_that_is_forbidden_is_not_tried_another_way(hub: Story) -> None:
    number = hub.pull()
    hub.alice.start_thread(REPO, number, "ball.txt", 1, "why?")
    forge = hub.forge()
    item = hub.read(number, forge)
    thread = next(c.thread_id for c in item.comments if c.kind == "thread")
    hub.world.fail("forbidden", match="POST .*/replies")
    with pytest.raises(Forbidden):
        forge.reply(item, thread, "so")
    assert not any("/reviews/" in line for line in hub.world.requests if line.startswith("POST"))


def test_the_clock_is_asked_for_when_nothing_was_said_yet(hub: Story) -> None:
    forge = hub.forge()
    assert forge.clock() == NINE
    assert len(forge.sent) == 1


def test_values_that_are_not_of_their_kind_are_not_taken() -> None:
    wrong: list[object] = [True, "7", None, 1.5]
    for value in wrong:
        with pytest.raises(Partial):
            number({"id": value}, "id")
    for value in [7, None]:
        with pytest.raises(Partial):
            text({"name": value}, "name")
    for value in ["yesterday", "2026-03-01T09:00:00", None]:
        with pytest.raises(Partial):
            time({"at": value}, "at")
    for value in ["text", 7, ["text"]]:
        with pytest.raises(Partial):
            rows(value, "rows")
    for end in ("new", "9" * 5_000, "²"):
        with pytest.raises(Partial):
            comment_number({"issue_url": f"https://x/issues/{end}", "pull_request_url": ""})
    with pytest.raises(Partial):
        state({"state": "ajar"})
    with pytest.raises(Partial):
        sum_of_checks([{"id": 1, "context": "build", "status": "maybe"}])


def test_the_module_is_imported_without_its_library() -> None:
    code = "import agentcells.forge.gitea, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"httpx", "gql", "pydantic"} & set(done.stdout.split())


def test_the_forge_is_made_from_cells_toml(hub: Story, tmp_path: Path) -> None:
    from agentcells.config import load
    from agentcells.forge.open import open_forge

    hub.forge()
    (file,) = hub.world.hub.root.glob("token.*")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "review.md").write_text("Review it.\n")
    (tmp_path / "cells.toml").write_text(f"""
[factory]
owner = "alice"
[forge]
kind = "gitea"
repos = ["{REPO}"]
api_url = "{hub.server.api_url}"
token = {{ file = "{file}" }}
[[cell]]
name = "review"
on = "issue"
label = "ac:review"
prompt = "prompts/review.md"
next = ["needs-human"]
""")
    forge = open_forge(load(tmp_path / "cells.toml"))
    assert isinstance(forge, GiteaForge)
    assert forge.viewer().login == "cells"
    assert forge.remote(REPO).url == f"{hub.server.url}/{REPO}.git"
    assert forge.remote(REPO).username == "cells"


def test_one_connection_serves_many_forges_at_once(tmp_path: Path) -> None:
    """Two servers, two forges: nothing of one is remembered by the other."""
    with ExitStack() as stack:
        hubs = [stack.enter_context(story(tmp_path / name)) for name in ("one", "two")]
        hubs[0].issue("only here")
        found = [hub.forge().listing(REPO) for hub in hubs]
        assert [len(listing.rows) for listing in found] == [1, 0]
