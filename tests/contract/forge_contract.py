"""What the factory relies on in any forge, told as stories about a small world.

A forge family joins by a class that derives from `ForgeContract` with a fixture `world`; see
test_local_contract.py. Nothing here knows which forge it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Protocol

import pytest

from agentcells.forge import Forge, ForgeError, IssueReader, NotFound, Stale, known_labels, together
from agentcells.model import Account, Comment, Event, Item, Row, Sha

LABELS = ("ac:triage", "ac:implement", "ac:working", "bug", "日本語ラベル")
TONGUES = (
    "日本語の本文。絵文字 👩‍👩‍👧 と結合 が い.\n",
    "العربية עברית\u200f हिन्दी ไทย\n",
    "tabs\tand trailing spaces   \n\n```py\nx = '<!-- not a marker -->' & \"quotes\" \\n\n```\n",
    "Ωmega — “typographic” … ½ ﬀ ℝ 𝒳 \u00a0no-break\n",
)
LONG = ("".join(TONGUES) * 400)[:50_000].rstrip()


class World(Protocol):
    """A forge with the accounts alice (owner), bob (outsider), cells (bot) and the labels above.

    The repository has one commit on its default branch, which holds the file README.md.
    """

    repo: str

    def forge(self, login: str) -> Forge:
        """The same forge, signed in as `login`."""

    def advance(self, seconds: float) -> None:
        """Let the forge's clock go on."""

    def push(self, branch: str, files: Mapping[str, str]) -> Sha:
        """One more commit on `branch` (made from the default branch when new), by plain git."""

    def has_commit(self, branch: str, sha: Sha) -> bool:
        """`sha` is in the history of `branch`."""

    def rename_account(self, login: str, new_login: str) -> None: ...

    def rename_label(self, name: str, new_name: str) -> None: ...

    def delete_label(self, name: str) -> None: ...

    def review(self, login: str, number: int, verdict: str, body: str) -> None:
        """`verdict`: approved, changes_requested or commented."""

    def start_thread(self, login: str, number: int, path: str, line: int, body: str) -> None: ...

    def delete_comment(self, number: int, comment_id: str) -> None: ...

    def reopen(self, login: str, number: int) -> None: ...

    def checks(self, number: int, states: Mapping[str, str]) -> None:
        """Results of the checks on the present head: name -> pending, success or failure."""


def names(item: Item | Row) -> set[str]:
    return {label.name for label in item.labels}


def logins(accounts: Sequence[Account]) -> set[str]:
    return {account.login for account in accounts}


def told(events: Sequence[Event]) -> list[tuple[str, str, str]]:
    """(kind, who, label or assignee) of the events about labels and assignees, oldest first."""
    return [
        (e.kind, e.actor.login if e.actor else "", (e.label.name if e.label else "")
         or (e.assignee.login if e.assignee else ""))
        for e in events if e.kind in ("labeled", "unlabeled", "assigned", "unassigned")
    ]


class Desk:
    """Short words for the stories: what alice, bob and cells do."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.repo = world.repo
        self.alice = world.forge("alice")
        self.bob = world.forge("bob")
        self.cells = world.forge("cells")

    def issue(self, title: str = "A ball that bounces", body: str = "It should.",
              labels: Sequence[str] = (), who: Forge | None = None) -> Item:
        forge = who or self.alice
        return self.read(forge.create_issue(self.repo, title, body, labels, ()))

    def read(self, number: int) -> Item:
        return self.cells.read(self.repo, number)

    def again(self, item: Item) -> Item:
        return self.read(item.number)

    def pull(self, branch: str = "agentcells/1", body: str = "A change.",
             files: Mapping[str, str] | None = None) -> Item:
        self.world.push(branch, files or {"ball.txt": "bounce\n"})
        base = self.cells.repository(self.repo).default_branch
        return self.read(self.cells.open_pull(self.repo, branch, base, "Bounce", body))

    def head(self, item: Item) -> Sha:
        assert item.pull is not None
        return item.pull.head_sha


def comment_of(item: Item, comment_id: str) -> Comment:
    return next(c for c in item.comments if c.id == comment_id)


class ForgeContract:
    """The tests. A subclass gives the fixture `world`."""

    @pytest.fixture
    def desk(self, world: World) -> Desk:
        return Desk(world)

    # ------------------------------------------------------------ accounts and the repository

    def test_the_viewer_is_the_account_that_is_signed_in(self, desk: Desk) -> None:
        assert desk.cells.viewer().login == "cells"
        assert desk.alice.viewer() == desk.cells.account("alice")
        assert desk.alice.viewer().id != desk.bob.viewer().id

    def test_r23_an_account_keeps_its_id_when_its_login_changes(self, desk: Desk) -> None:
        issue = desk.issue(who=desk.bob)
        before = desk.cells.account("bob")
        desk.world.rename_account("bob", "robert")
        after = desk.cells.account("robert")
        assert after.id == before.id
        author = desk.again(issue).author
        assert author is not None
        assert (author.id, author.login) == (before.id, "robert")
        with pytest.raises(NotFound):
            desk.cells.account("bob")

    def test_an_unknown_login_is_not_found(self, desk: Desk) -> None:
        with pytest.raises(NotFound):
            desk.cells.account("nobody-has-this-login")

    def test_the_repository_tells_its_facts(self, desk: Desk) -> None:
        facts = desk.cells.repository(desk.repo)
        assert facts.name == desk.repo
        assert facts.id
        assert not facts.empty
        assert not facts.archived
        assert desk.cells.branch(desk.repo, facts.default_branch) is not None

    def test_an_unknown_repository_is_not_found(self, desk: Desk) -> None:
        unknown = desk.repo + "-nope"
        for ask in (desk.cells.repository, desk.cells.listing, desk.cells.labels):
            with pytest.raises(NotFound):
                ask(unknown)

    def test_git_reaches_the_repository_at_its_remote(self, desk: Desk) -> None:
        assert desk.cells.remote(desk.repo).url

    def test_the_clock_is_the_forges_own(self, desk: Desk) -> None:
        before = desk.issue().created_at
        desk.world.advance(3600)
        desk.issue()
        assert desk.cells.clock() - before >= timedelta(seconds=3590)
        assert desk.cells.clock().utcoffset() == timedelta(0)

    # ------------------------------------------------------------ labels

    def test_labels_are_listed_whole(self, desk: Desk) -> None:
        for n in range(120):
            desk.alice.create_label(desk.repo, f"n{n}", "ededed", "")
        found = {label.name for label in desk.cells.labels(desk.repo)}
        assert found >= {*LABELS, *(f"n{n}" for n in range(120))}

    def test_create_label_returns_the_one_that_is_there(self, desk: Desk) -> None:
        first = desk.alice.create_label(desk.repo, "fresh", "00ff00", "new")
        assert desk.alice.create_label(desk.repo, "fresh", "ff0000", "other") == first
        assert [x for x in desk.cells.labels(desk.repo) if x.name == "fresh"] == [first]

    def test_r3_adding_and_removing_touch_no_other_label(self, desk: Desk) -> None:
        issue = desk.issue(labels=["bug", "日本語ラベル", "ac:triage"])
        desk.cells.add_labels(issue, ["ac:implement", "ac:working"])
        assert names(desk.again(issue)) == {
            "bug", "日本語ラベル", "ac:triage", "ac:implement", "ac:working"}
        desk.cells.remove_labels(issue, ["ac:triage", "ac:working"])
        assert names(desk.again(issue)) == {"bug", "日本語ラベル", "ac:implement"}

    def test_adding_twice_and_removing_twice_change_nothing_more(self, desk: Desk) -> None:
        issue = desk.issue()
        for _ in range(2):
            desk.cells.add_labels(issue, ["ac:triage"])
        assert names(desk.again(issue)) == {"ac:triage"}
        for _ in range(2):
            desk.cells.remove_labels(issue, ["ac:triage", "ac:working"])
        assert told(desk.again(issue).events) == [
            ("labeled", "cells", "ac:triage"), ("unlabeled", "cells", "ac:triage")]

    def test_r3_adding_answers_with_all_labels_that_stand_there_now(self, desk: Desk) -> None:
        issue = desk.issue(labels=["bug", "ac:triage"])
        desk.alice.remove_labels(issue, ["ac:triage"])
        there = desk.cells.add_labels(issue, ["ac:implement", "ac:working"])
        assert {label.name for label in there} == {"bug", "ac:implement", "ac:working"}
        assert set(there) == set(desk.again(issue).labels)

    def test_r24_labels_known_of_a_repository_are_those_it_has(self, desk: Desk) -> None:
        issue = desk.issue()
        together(desk.cells, desk.repo, [issue.number])
        assert set(known_labels(desk.cells, desk.repo)) == set(desk.cells.labels(desk.repo))

    def test_a_label_that_is_not_there_is_an_error_and_changes_nothing(self, desk: Desk) -> None:
        issue = desk.issue(labels=["bug"])
        with pytest.raises(ForgeError):
            desk.cells.add_labels(issue, ["ac:tirage"])
        assert names(desk.again(issue)) == {"bug"}

    def test_labels_work_on_pull_requests_too(self, desk: Desk) -> None:
        pull = desk.pull()
        desk.cells.add_labels(pull, ["ac:implement", "bug"])
        desk.cells.remove_labels(pull, ["ac:implement"])
        assert names(desk.again(pull)) == {"bug"}

    def test_r23_a_renamed_label_keeps_its_id(self, desk: Desk) -> None:
        issue = desk.issue(labels=["ac:triage"])
        (before,) = issue.labels
        desk.world.rename_label("ac:triage", "ac:sorting")
        (after,) = desk.again(issue).labels
        assert (after.id, after.name) == (before.id, "ac:sorting")
        assert {e.label.id for e in desk.again(issue).events if e.label} == {before.id}

    def test_r23_a_label_deleted_and_made_again_has_another_id(self, desk: Desk) -> None:
        issue = desk.issue(labels=["ac:triage", "bug"])
        old = {x.name: x.id for x in desk.cells.labels(desk.repo)}["ac:triage"]
        desk.world.delete_label("ac:triage")
        assert desk.alice.create_label(desk.repo, "ac:triage", "123456", "").id != old
        assert names(desk.again(issue)) == {"bug"}

    def test_r24_events_tell_actor_label_and_order(self, desk: Desk) -> None:
        issue = desk.issue()
        desk.alice.add_labels(issue, ["ac:triage"])
        desk.world.advance(5)
        desk.bob.remove_labels(issue, ["ac:triage"])
        desk.world.advance(5)
        desk.cells.add_labels(issue, ["ac:implement"])
        desk.world.advance(5)
        desk.alice.assign(issue, [desk.alice.viewer()])
        item = desk.again(issue)
        assert told(item.events) == [
            ("labeled", "alice", "ac:triage"), ("unlabeled", "bob", "ac:triage"),
            ("labeled", "cells", "ac:implement"), ("assigned", "alice", "alice")]
        ids = {label.name: label.id for label in desk.cells.labels(desk.repo)}
        assert [e.label.id for e in item.events if e.label] == [
            ids["ac:triage"], ids["ac:triage"], ids["ac:implement"]]
        assert list(item.events) == sorted(item.events, key=lambda e: e.at)
        assert len({e.id for e in item.events}) == len(item.events)

    def test_labels_given_at_creation_have_events_too(self, desk: Desk) -> None:
        alice = desk.alice.viewer()
        number = desk.alice.create_issue(desk.repo, "T", "", ["ac:triage"], [alice])
        assert sorted(told(desk.read(number).events)) == [
            ("assigned", "alice", "alice"), ("labeled", "alice", "ac:triage")]

    # ------------------------------------------------------------ comments and texts

    def test_a_comment_is_found_again_with_author_and_time(self, desk: Desk) -> None:
        issue = desk.issue()
        made = desk.bob.comment(issue, "Me too")
        (found,) = desk.again(issue).comments
        assert (found.id, found.body, found.kind) == (made.id, "Me too", "comment")
        assert found.author == desk.bob.viewer()
        assert found.created_at == made.created_at
        assert found.created_at >= issue.created_at

    def test_comments_come_oldest_first(self, desk: Desk) -> None:
        issue = desk.issue()
        for n, forge in enumerate([desk.bob, desk.alice, desk.cells, desk.bob]):
            forge.comment(issue, f"{n}")
            desk.world.advance(2)
        assert [c.body for c in desk.again(issue).comments] == ["0", "1", "2", "3"]

    def test_r30_an_edit_in_place_keeps_id_author_and_place(self, desk: Desk) -> None:
        issue = desk.issue()
        first = desk.cells.comment(issue, "ledger: 0 runs")
        desk.alice.comment(issue, "Go on")
        desk.world.advance(60)
        desk.cells.edit_comment(issue, first.id, "ledger: 1 run")
        item = desk.again(issue)
        assert [c.body for c in item.comments] == ["ledger: 1 run", "Go on"]
        edited = comment_of(item, first.id)
        assert edited.author == desk.cells.viewer()
        assert edited.created_at == first.created_at
        assert edited.updated_at > first.created_at

    def test_r24_an_edit_by_another_account_shows_who_did_it(self, desk: Desk) -> None:
        """Where the forge keeps no history, `edits` is None and never an empty tuple."""
        issue = desk.issue()
        ours = desk.cells.comment(issue, "to: review")
        desk.world.advance(60)
        desk.alice.edit_comment(issue, ours.id, "to: done")
        edits = comment_of(desk.again(issue), ours.id).edits
        if edits is not None:
            assert [e.editor.login if e.editor else "" for e in edits] == ["alice"]
            assert edits[0].at > ours.created_at

    def test_an_unedited_comment_has_no_edits(self, desk: Desk) -> None:
        issue = desk.issue()
        made = desk.bob.comment(issue, "as written")
        assert comment_of(desk.again(issue), made.id).edits in ((), None)

    def test_editing_a_deleted_comment_is_not_found(self, desk: Desk) -> None:
        issue = desk.issue()
        made = desk.cells.comment(issue, "ledger")
        desk.world.delete_comment(issue.number, made.id)
        assert desk.again(issue).comments == ()
        with pytest.raises(NotFound):
            desk.cells.edit_comment(issue, made.id, "ledger 2")

    def test_any_script_and_seventy_kilobytes_survive_byte_for_byte(self, desk: Desk) -> None:
        assert len(LONG.encode()) > 70_000
        issue = desk.issue(title="日本語 עברית 👩‍👩‍👧 title", body=LONG)
        desk.cells.comment(issue, LONG)
        item = desk.again(issue)
        assert item.title == "日本語 עברית 👩‍👩‍👧 title"
        assert item.body.encode() == LONG.encode()
        assert item.comments[0].body.encode() == LONG.encode()

    def test_r25_an_edit_of_title_and_body_shows_who_and_when(self, desk: Desk) -> None:
        issue = desk.issue(title="Old", body="old")
        desk.world.advance(60)
        desk.bob.edit_issue(issue, "New", "new")
        item = desk.again(issue)
        assert (item.title, item.body) == ("New", "new")
        assert item.author == issue.author
        if item.edits is not None:
            assert "bob" in {e.editor.login for e in item.edits if e.editor}
            assert all(e.at > issue.created_at for e in item.edits)

    def test_editing_the_title_alone_keeps_the_body(self, desk: Desk) -> None:
        issue = desk.issue(title="Old", body="stays")
        desk.alice.edit_issue(issue, "New", None)
        assert (desk.again(issue).title, desk.again(issue).body) == ("New", "stays")
        desk.alice.edit_issue(issue, None, "changed")
        assert (desk.again(issue).title, desk.again(issue).body) == ("New", "changed")

    # ------------------------------------------------------------ reading whole, listing

    def test_r21_two_hundred_and_fifty_comments_are_read_whole(self, desk: Desk) -> None:
        issue = desk.issue()
        for n in range(250):
            desk.bob.comment(issue, f"comment {n}")
        assert [c.body for c in desk.again(issue).comments] == [f"comment {n}" for n in range(250)]

    def test_r21_many_label_events_are_read_whole(self, desk: Desk) -> None:
        issue = desk.issue()
        for _ in range(60):
            desk.cells.add_labels(issue, ["ac:working"])
            desk.cells.remove_labels(issue, ["ac:working"])
        kinds = [kind for kind, _, _ in told(desk.again(issue).events)]
        assert kinds == ["labeled", "unlabeled"] * 60

    def test_an_unknown_number_is_not_found(self, desk: Desk) -> None:
        desk.issue()
        with pytest.raises(NotFound):
            desk.cells.read(desk.repo, 4711)

    def test_r20_the_first_listing_has_all_open_items_newest_change_first(self, desk: Desk) -> None:
        made = []
        for n in range(130):
            made.append(desk.alice.create_issue(desk.repo, f"Issue {n}", "", ["bug"], ()))
        desk.world.advance(10)
        desk.cells.close(desk.read(made[3]))
        desk.world.advance(10)
        desk.bob.comment(desk.read(made[5]), "bump")
        desk.world.advance(10)
        pull = desk.pull()
        listing = desk.cells.listing(desk.repo)
        assert listing.complete
        assert {row.number for row in listing.rows} == {*made, pull.number} - {made[3]}
        assert [row.number for row in listing.rows][:2] == [pull.number, made[5]]
        assert list(listing.rows) == sorted(listing.rows, key=lambda r: r.updated_at, reverse=True)

    def test_r20_a_later_listing_has_what_changed_since_of_every_state(self, desk: Desk) -> None:
        quiet, talked, closed, labelled = (desk.issue(f"Issue {n}") for n in range(4))
        desk.world.advance(600)
        desk.bob.comment(talked, "before the mark")
        mark = desk.cells.listing(desk.repo).mark
        desk.world.advance(600)
        desk.alice.close(closed)
        desk.alice.add_labels(labelled, ["bug"])
        fresh = desk.issue("New")
        later = desk.cells.listing(desk.repo, mark)
        assert later.complete
        rows = {row.number: row for row in later.rows}
        assert set(rows) - {talked.number} == {closed.number, labelled.number, fresh.number}
        assert rows[closed.number].state == "closed"
        assert names(rows[labelled.number]) == {"bug"}
        assert quiet.number not in rows

    def test_r20_nothing_changed_means_an_empty_later_listing(self, desk: Desk) -> None:
        issue = desk.issue()
        desk.world.advance(600)
        mark = desk.cells.listing(desk.repo).mark
        assert {r.number for r in desk.cells.listing(desk.repo, mark).rows} <= {issue.number}
        desk.world.advance(600)
        desk.issue("Another")
        mark = desk.cells.listing(desk.repo, mark).mark
        assert issue.number not in {r.number for r in desk.cells.listing(desk.repo, mark).rows}

    def test_a_repository_without_items_lists_none_and_finds_the_first(self, desk: Desk) -> None:
        first = desk.cells.listing(desk.repo)
        assert (first.rows, first.complete) == ((), True)
        issue = desk.issue()
        later = desk.cells.listing(desk.repo, first.mark)
        assert [r.number for r in later.rows] == [issue.number]

    def test_a_row_says_what_the_item_says(self, desk: Desk) -> None:
        issue = desk.issue(title="行", labels=["bug", "ac:triage"], who=desk.bob)
        pull = desk.pull(body=f"Closes #{issue.number}")
        rows = {row.number: row for row in desk.cells.listing(desk.repo).rows}
        row = rows[issue.number]
        item = desk.again(issue)
        assert (row.repo, row.kind, row.id, row.title, row.state) == (
            desk.repo, "issue", item.id, "行", "open")
        assert names(row) == names(item)
        assert row.updated_at == item.updated_at
        assert row.author_id == desk.bob.viewer().id
        row = rows[pull.number]
        assert (row.kind, row.head_ref, row.id) == ("pull_request", "agentcells/1", pull.id)
        assert row.closes == (issue.number,)

    @pytest.mark.parametrize("change", [
        "label", "unlabel", "comment", "edit comment", "edit body", "assign", "close", "push"])
    def test_r20_every_change_moves_updated_at(self, desk: Desk, change: str) -> None:
        pull = desk.pull()
        note = desk.cells.comment(pull, "note")
        desk.cells.add_labels(pull, ["bug"])
        before = desk.again(pull).updated_at
        desk.world.advance(60)
        changes: dict[str, Callable[[], object]] = {
            "label": lambda: desk.alice.add_labels(pull, ["ac:triage"]),
            "unlabel": lambda: desk.alice.remove_labels(pull, ["bug"]),
            "comment": lambda: desk.alice.comment(pull, "hello"),
            "edit comment": lambda: desk.cells.edit_comment(pull, note.id, "note 2"),
            "edit body": lambda: desk.cells.edit_issue(pull, None, "another body"),
            "assign": lambda: desk.cells.assign(pull, [desk.alice.viewer()]),
            "close": lambda: desk.alice.close(pull),
            "push": lambda: desk.world.push("agentcells/1", {"more.txt": "more\n"}),
        }
        mark = desk.cells.listing(desk.repo).mark
        changes[change]()
        rows = {row.number: row for row in desk.cells.listing(desk.repo, mark).rows}
        assert rows[pull.number].updated_at > before

    # ------------------------------------------------------------ states and assignees

    def test_closing_twice_is_closing_once(self, desk: Desk) -> None:
        issue = desk.issue()
        for _ in range(2):
            desk.alice.close(issue)
        item = desk.again(issue)
        assert item.state == "closed"
        assert item.closed_at is not None
        assert [e.kind for e in item.events] == ["closed"]
        assert issue.number not in {r.number for r in desk.cells.listing(desk.repo).rows}

    def test_a_reopened_issue_is_open_and_its_events_say_so(self, desk: Desk) -> None:
        issue = desk.issue()
        desk.alice.close(issue)
        desk.world.advance(5)
        desk.world.reopen("bob", issue.number)
        item = desk.again(issue)
        assert (item.state, item.closed_at) == ("open", None)
        assert [(e.kind, e.actor.login if e.actor else "") for e in item.events] == [
            ("closed", "alice"), ("reopened", "bob")]

    def test_assigning_adds_and_assigning_again_changes_nothing(self, desk: Desk) -> None:
        issue = desk.issue()
        desk.alice.assign(issue, [desk.bob.viewer()])
        for _ in range(2):
            desk.cells.assign(issue, [desk.alice.viewer()])
        item = desk.again(issue)
        assert logins(item.assignees) == {"alice", "bob"}
        assert [who for kind, _, who in told(item.events)] == ["bob", "alice"]

    def test_an_issue_carries_the_assignees_and_labels_it_was_made_with(self, desk: Desk) -> None:
        alice = desk.alice.viewer()
        number = desk.alice.create_issue(desk.repo, "T", "B", ["bug", "ac:triage"], [alice])
        item = desk.read(number)
        assert (item.kind, item.state, item.author) == ("issue", "open", alice)
        assert names(item) == {"bug", "ac:triage"}
        assert item.assignees == (alice,)
        assert item.pull is None

    # ------------------------------------------------------------ branches

    def test_branches_are_found_by_their_beginning(self, desk: Desk) -> None:
        sha = desk.world.push("agentcells/7", {"a": "a\n"})
        desk.world.push("agentcells/7-2", {"b": "b\n"})
        desk.world.push("feature/agentcells/9", {"c": "c\n"})
        assert set(desk.cells.branches(desk.repo, "agentcells/")) == {
            "agentcells/7", "agentcells/7-2"}
        assert desk.cells.branch(desk.repo, "agentcells/7") == sha
        assert desk.cells.branch(desk.repo, "agentcells/8") is None
        assert desk.cells.branches(desk.repo, "nothing/") == ()

    def test_deleting_a_branch_twice_is_deleting_it_once(self, desk: Desk) -> None:
        desk.world.push("agentcells/7", {"a": "a\n"})
        for _ in range(2):
            desk.cells.delete_branch(desk.repo, "agentcells/7")
        assert desk.cells.branch(desk.repo, "agentcells/7") is None

    # ------------------------------------------------------------ pull requests

    def test_r9_a_pull_request_tells_head_base_and_what_it_closes(self, desk: Desk) -> None:
        first, second = desk.issue(), desk.issue("Another")
        pull = desk.pull(body=f"Closes #{first.number}, and fixes #{second.number}.\n\nRefs #99")
        facts = pull.pull
        assert facts is not None
        assert pull.kind == "pull_request"
        assert facts.head_ref == "agentcells/1"
        assert facts.base_ref == desk.cells.repository(desk.repo).default_branch
        assert facts.head_sha == desk.cells.branch(desk.repo, "agentcells/1")
        assert facts.same_repository
        assert set(facts.closes) == {first.number, second.number}
        assert facts.merged_at is None

    def test_r9_a_pull_request_is_found_by_its_head_in_any_state(self, desk: Desk) -> None:
        assert desk.cells.pull_by_head(desk.repo, "agentcells/1") is None
        pull = desk.pull()
        desk.cells.comment(pull, "seen whole")
        found = desk.cells.pull_by_head(desk.repo, "agentcells/1")
        assert found == desk.again(pull)
        desk.alice.close(pull)
        found = desk.cells.pull_by_head(desk.repo, "agentcells/1")
        assert found is not None
        assert (found.number, found.state) == (pull.number, "closed")

    def test_r9_after_a_closed_pull_request_the_newest_one_counts(self, desk: Desk) -> None:
        old = desk.pull()
        desk.alice.close(old)
        desk.world.advance(5)
        new = desk.pull(files={"ball.txt": "bounce higher\n"})
        found = desk.cells.pull_by_head(desk.repo, "agentcells/1")
        assert found is not None
        assert found.number == new.number != old.number

    def test_r21_items_read_together_are_what_each_is_alone(self, desk: Desk) -> None:
        issue, pull = desk.issue(labels=["bug"]), desk.pull()
        desk.cells.comment(issue, "Said.")
        desk.world.advance(5)
        desk.cells.edit_comment(issue, desk.again(issue).comments[0].id, "Said otherwise.")
        numbers, head = [issue.number, pull.number], "agentcells/1"
        found = together(desk.cells, desk.repo, numbers, [head, "agentcells/77"])
        assert found.items == {number: desk.read(number) for number in numbers}
        assert found.heads == {head: desk.again(pull), "agentcells/77": None}
        assert together(desk.cells, desk.repo, [issue.number], [head]).heads == {head: desk.again(pull)}

    def test_r21_one_that_is_not_there_does_not_spoil_the_others(self, desk: Desk) -> None:
        issue = desk.issue()
        found = together(desk.cells, desk.repo, [issue.number, 4_711], ["agentcells/1"])
        assert found.items[issue.number] == desk.again(issue)
        assert isinstance(found.items[4_711], NotFound)
        assert found.heads == {"agentcells/1": None}

    def test_r9_a_second_open_pull_request_for_a_head_is_stale(self, desk: Desk) -> None:
        pull = desk.pull()
        base = desk.cells.repository(desk.repo).default_branch
        with pytest.raises(Stale):
            desk.cells.open_pull(desk.repo, "agentcells/1", base, "Again", "")
        assert [r.number for r in desk.cells.listing(desk.repo).rows] == [pull.number]

    def test_a_pull_request_without_a_commit_ahead_is_refused(self, desk: Desk) -> None:
        base = desk.cells.repository(desk.repo).default_branch
        with pytest.raises(ForgeError):
            desk.cells.open_pull(desk.repo, base, base, "Nothing", "")
        assert desk.cells.listing(desk.repo).rows == ()

    def test_a_push_moves_the_head(self, desk: Desk) -> None:
        pull = desk.pull()
        sha = desk.world.push("agentcells/1", {"more.txt": "more\n"})
        assert desk.head(desk.again(pull)) == sha != desk.head(pull)

    def test_mergeable_says_whether_it_conflicts(self, desk: Desk) -> None:
        pull = desk.pull(files={"README.md": "ours\n"})
        assert pull.pull is not None
        assert pull.pull.mergeable is not False
        base = pull.pull.base_ref
        desk.world.push(base, {"README.md": "theirs\n"})
        again = desk.again(pull).pull
        assert again is not None
        assert again.mergeable is not True

    def test_merging_makes_the_change_part_of_the_base_and_closes_the_issue(
            self, desk: Desk) -> None:
        issue, other = desk.issue(), desk.issue("Not this one")
        pull = desk.pull(body=f"Closes #{issue.number}")
        merged = desk.cells.merge(pull, desk.head(pull))
        item = desk.again(pull)
        assert item.pull is not None
        assert (item.state, item.pull.merge_sha) == ("merged", merged)
        assert item.pull.merged_at is not None
        assert desk.cells.branch(desk.repo, item.pull.base_ref) == merged
        assert desk.world.has_commit(item.pull.base_ref, desk.head(pull))
        assert desk.again(issue).state == "closed"
        assert "closed" in [e.kind for e in desk.again(issue).events]
        assert desk.again(other).state == "open"

    def test_r18_merging_a_head_that_moved_is_stale_and_merges_nothing(self, desk: Desk) -> None:
        pull = desk.pull()
        seen = desk.head(pull)
        desk.world.push("agentcells/1", {"sneaked-in.txt": "unreviewed\n"})
        assert pull.pull is not None
        tip = desk.cells.branch(desk.repo, pull.pull.base_ref)
        with pytest.raises(Stale):
            desk.cells.merge(pull, seen)
        assert desk.again(pull).state == "open"
        assert desk.cells.branch(desk.repo, pull.pull.base_ref) == tip

    def test_merging_a_conflict_is_an_error_and_merges_nothing(self, desk: Desk) -> None:
        pull = desk.pull(files={"README.md": "ours\n"})
        assert pull.pull is not None
        tip = desk.world.push(pull.pull.base_ref, {"README.md": "theirs\n"})
        with pytest.raises(ForgeError):
            desk.cells.merge(pull, desk.head(pull))
        assert desk.cells.branch(desk.repo, pull.pull.base_ref) == tip
        assert desk.again(pull).state == "open"

    def test_merging_twice_is_stale(self, desk: Desk) -> None:
        pull = desk.pull()
        desk.cells.merge(pull, desk.head(pull))
        with pytest.raises(Stale):
            desk.cells.merge(pull, desk.head(pull))

    def test_r11_the_branch_may_go_after_the_merge(self, desk: Desk) -> None:
        pull = desk.pull()
        desk.cells.merge(pull, desk.head(pull))
        desk.cells.delete_branch(desk.repo, "agentcells/1")
        item = desk.again(pull)
        assert item.state == "merged"
        assert desk.head(item) == desk.head(pull)

    # ------------------------------------------------------------ reviews and checks

    def test_a_review_tells_verdict_text_and_the_commit_it_was_made_on(self, desk: Desk) -> None:
        pull = desk.pull()
        desk.world.review("alice", pull.number, "changes_requested", "Higher, please")
        sha = desk.world.push("agentcells/1", {"ball.txt": "higher\n"})
        desk.world.advance(5)
        desk.world.review("bob", pull.number, "approved", "")
        first, second = (c for c in desk.again(pull).comments if c.kind == "review")
        assert (first.verdict, first.body, first.commit) == (
            "changes_requested", "Higher, please", desk.head(pull))
        assert (second.verdict, second.body, second.commit) == ("approved", "", sha)
        assert [c.author.login if c.author else "" for c in (first, second)] == ["alice", "bob"]

    def test_a_review_thread_tells_path_and_line_and_can_be_answered(self, desk: Desk) -> None:
        pull = desk.pull()
        desk.world.start_thread("alice", pull.number, "ball.txt", 1, "Why bounce?")
        (question,) = (c for c in desk.again(pull).comments if c.kind == "thread")
        assert (question.path, question.line, question.body) == ("ball.txt", 1, "Why bounce?")
        assert not question.resolved
        desk.world.advance(5)
        desk.cells.reply(pull, question.thread_id, "Because it is a ball.")
        lines = [c for c in desk.again(pull).comments if c.kind == "thread"]
        assert [c.body for c in lines] == ["Why bounce?", "Because it is a ball."]
        assert {(c.thread_id, c.path, c.line) for c in lines} == {
            (question.thread_id, "ball.txt", 1)}
        assert lines[0].id != lines[1].id

    def test_answering_an_unknown_thread_is_an_error(self, desk: Desk) -> None:
        pull = desk.pull()
        with pytest.raises(ForgeError):
            desk.cells.reply(pull, "no-such-thread", "hello?")

    @pytest.mark.parametrize(("states", "sum_"), [
        ({}, "none"),
        ({"build": "success", "lint": "pending"}, "pending"),
        ({"build": "success", "lint": "success"}, "success"),
        ({"build": "failure", "lint": "success"}, "failure"),
    ])
    def test_r12_checks_of_the_head_are_summed_up(
            self, desk: Desk, states: dict[str, str], sum_: str) -> None:
        pull = desk.pull()
        desk.world.checks(pull.number, states)
        facts = desk.again(pull).pull
        assert facts is not None
        assert facts.checks == sum_
        assert [c.name for c in facts.failed_checks] == (["build"] if sum_ == "failure" else [])

    def test_r12_checks_of_an_older_head_do_not_count(self, desk: Desk) -> None:
        pull = desk.pull()
        desk.world.checks(pull.number, {"build": "failure"})
        desk.world.push("agentcells/1", {"ball.txt": "mended\n"})
        facts = desk.again(pull).pull
        assert facts is not None
        assert (facts.checks, facts.failed_checks) == ("none", ())

    # ------------------------------------------------------------ for a reader in a hurry

    def test_issues_alone_come_newest_change_first(self, desk: Desk) -> None:
        first, second, third = desk.issue("one"), desk.issue("two"), desk.issue("three")
        desk.pull()
        desk.world.advance(5)
        desk.alice.comment(second, "the newest word")
        reader = desk.cells
        assert isinstance(reader, IssueReader)
        found = reader.recent(desk.repo, "open", 20)
        assert found[0].number == second.number
        assert {row.number for row in found} == {first.number, second.number, third.number}
        assert [row.number for row in reader.recent(desk.repo, "all", 1)] == [second.number]
        assert reader.recent(desk.repo, "closed", 20) == ()
