"""Reading and writing GitHub: what is asked, what it costs, and what is made of odd worlds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentcells import forge as forges
from agentcells.forge import ForgeError, Listing, NotFound, Partial, Stale
from agentcells.forge.github import GitHubForge
from agentcells.forge.github_listing import read_mark
from agentcells.model import Account, Comment, Item
from tests.github_world import FINE, LABELS, REPO, Story, story


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


def rows(found: Listing | ForgeError) -> set[int]:
    assert isinstance(found, Listing)
    return {row.number for row in found.rows}


def login(account: Account | None) -> str:
    return account.login if account else ""


def said(item: Item, body: str) -> Comment:
    return next(comment for comment in item.comments if comment.body == body)


# ---------------------------------------------------------------- what an idle tick costs


def test_r20_a_warm_idle_listing_is_one_request_and_one_point(hub: Story) -> None:
    for n in range(60):
        hub.issue(f"Issue {n}")
        hub.world.advance(60)
    mark = hub.forge().listing(REPO).mark
    hub.world.advance(3600)
    forge = hub.forge()
    assert len(forge.listing(REPO, mark).rows) < 5
    assert [sent.points for sent in forge.sent] == [1]


def test_r20_twenty_repositories_their_viewer_and_owner_are_one_request(hub: Story) -> None:
    names = [f"alice/game{n}" for n in range(20)]
    for name in names:
        hub.world.repository(name, roles={"cells": "write"})
        hub.alice.open_issue(name, "One")
    first = forges.listings(hub.forge(), names, {})
    marks = {name: found.mark for name, found in first.items() if isinstance(found, Listing)}
    assert len(marks) == 20
    hub.world.advance(3600)
    hub.alice.open_issue(names[7], "Two")
    forge = hub.forge()
    later = forges.listings(forge, names, marks, logins=["alice"])
    assert forge.viewer().login == "cells"
    assert forge.account("alice").login == "alice"
    (sent,) = forge.sent
    assert sent.points is not None
    assert sent.points <= 20
    assert list(later) == names
    assert rows(later[names[7]]) >= {2}


def test_r20_more_than_twenty_repositories_are_two_requests(hub: Story) -> None:
    names = [f"alice/game{n}" for n in range(21)]
    for name in names:
        hub.world.repository(name)
    forge = hub.forge()
    marks = {
        name: found.mark for name, found in forge.listings(names, {}).items()
        if isinstance(found, Listing)
    }
    before = len(forge.sent)
    assert len(forge.listings(names, marks)) == 21
    assert len(forge.sent) - before == 2


def test_r20_one_repository_that_is_gone_leaves_the_others_whole(hub: Story) -> None:
    hub.world.repository("alice/other")
    hub.alice.open_issue("alice/other", "One")
    forge = hub.forge()
    first = forge.listings([REPO, "alice/other"], {})
    marks = {name: found.mark for name, found in first.items() if isinstance(found, Listing)}
    hub.world.set_role(REPO, "cells", "none")
    hub.world.hub.repo(REPO).private = True
    later = forge.listings([REPO, "alice/other"], marks, logins=["alice", "nobody-at-all"])
    assert isinstance(later[REPO], NotFound)
    assert rows(later["alice/other"]) == {1}
    assert forge.account("alice").login == "alice"
    with pytest.raises(NotFound):
        forge.account("nobody-at-all")


def test_r20_a_busy_hour_is_read_back_to_the_mark_and_no_further(hub: Story) -> None:
    for n in range(150):
        hub.issue(f"Old {n}")
    hub.world.advance(3600)
    last = hub.issue("The last before the mark")
    mark = hub.forge().listing(REPO).mark
    hub.world.advance(3600)
    fresh = {hub.issue(f"New {n}") for n in range(80)}
    hub.alice.close(REPO, 1)
    forge = hub.forge()
    assert rows(forge.listing(REPO, mark)) == fresh | {1, last}
    assert len(forge.sent) == 2


def test_r20_ten_thousand_open_issues_are_a_hundred_requests(hub: Story) -> None:
    for n in range(10_000):
        hub.alice.open_issue(REPO, f"Issue {n}", labels=["bug"] if n % 100 == 0 else ())
    forge = hub.forge()
    listing = forge.listing(REPO)
    assert listing.complete
    assert rows(listing) == set(range(1, 10_001))
    assert len(forge.sent) == 100
    assert sum(sent.points or 0 for sent in forge.sent) <= 300


def test_r20_checks_of_waiting_pull_requests_come_with_the_listing(hub: Story) -> None:
    waiting, issue = hub.pull(), hub.issue()
    item = hub.read(waiting)
    hub.world.checks(REPO, waiting, {"build": "pending"})
    mark = hub.forge().listing(REPO).mark
    hub.world.advance(3600)
    hub.alice.comment(REPO, issue, "news")
    hub.world.checks(REPO, waiting, {"build": "failure"})
    forge = hub.forge()
    found = forge.listings([REPO], {REPO: mark}, waiting=[item.id])[REPO]
    assert isinstance(found, Listing)
    by_number = {row.number: row for row in found.rows}
    assert (by_number[waiting].checks, by_number[issue].checks) == ("failure", None)
    assert len(forge.sent) == 1


def test_r21_checks_that_were_refused_are_not_shown_as_none(hub: Story) -> None:
    item = hub.read(hub.pull())
    hub.world.advance(3600)
    hub.alice.open_pull(REPO, hub.cells.push(REPO, "other", {"a": "a"}) and "other", "Other")
    mark = hub.forge().listing(REPO).mark
    hub.world.fail("partial", path=["waiting", 0, "statusCheckRollup"], type="FORBIDDEN")
    found = hub.forge().listings([REPO], {REPO: mark}, waiting=[item.id])[REPO]
    assert rows(found) == {2}


# ---------------------------------------------------------------- lists are hints


def test_r21_a_row_that_cannot_be_read_makes_the_listing_incomplete(hub: Story) -> None:
    for n in range(3):
        hub.issue(f"Issue {n}")
    forge = hub.forge()
    mark = forge.listing(REPO).mark
    for path in (["r0", "issues", "nodes", 1], ["r0", "issues", "nodes", 1, "labels"]):
        hub.world.fail("partial", path=path, message="")
        cut = forge.listing(REPO, mark)
        assert not cut.complete
        assert cut.mark == mark
        assert len(cut.rows) == 2


@pytest.mark.parametrize("path", [
    ["r0"], ["r0", "issues"], ["r0", "issues", "nodes"], ["r0", "issues", "pageInfo"],
    ["r0", "nameWithOwner"],
])
def test_r21_half_a_listing_is_no_listing(hub: Story, path: list[str | int]) -> None:
    hub.issue()
    hub.world.fail("partial", path=path, message="")
    with pytest.raises(Partial):
        hub.forge().listing(REPO)


def test_r21_a_list_that_is_behind_loses_nothing_for_good(hub: Story) -> None:
    old = hub.issue("Old")
    forge = hub.forge()
    mark = forge.listing(REPO).mark
    hub.world.freeze_lists(REPO)
    hub.world.advance(3600)
    missed = hub.issue("Made while the list stood still")
    behind = forge.listing(REPO, mark)
    assert rows(behind) == {old}
    hub.world.advance(3600)
    hub.world.thaw_lists(REPO)
    assert missed in rows(forge.listing(REPO, behind.mark))


@pytest.mark.parametrize("mark", ["", "v0 x", "v1 x y", "2026-03-01", "v1 2026-03-01 2026-03-01"])
def test_a_mark_that_is_not_ours_lists_all_that_is_open(hub: Story, mark: str) -> None:
    number = hub.issue()
    assert read_mark(mark) is None
    assert rows(hub.forge().listing(REPO, mark)) == {number}


def test_the_branch_of_a_fork_is_none_of_ours(hub: Story) -> None:
    hub.world.account("mallory")
    hub.world.repository("mallory/game", files={"README.md": "forked\n"})
    mallory = hub.world.as_("mallory")
    mallory.push("mallory/game", "agentcells/1", {"evil.txt": "x"})
    number = mallory.open_pull(REPO, "agentcells/1", "Let me in", "Closes #1", fork="mallory/game")
    (row,) = hub.forge().listing(REPO).rows
    assert (row.number, row.head_ref) == (number, "")
    facts = hub.read(number).pull
    assert facts is not None
    assert not facts.same_repository
    assert hub.forge().pull_by_head(REPO, "agentcells/1") is None


# ---------------------------------------------------------------- one item, whole


def test_r21_pages_of_everything_are_read_to_the_end(hub: Story) -> None:
    number = hub.pull()
    for n in range(120):
        hub.bob.review(REPO, number, "COMMENTED", f"review {n}")
    for n in range(40):
        thread = hub.alice.start_thread(REPO, number, "ball.txt", 1, f"thread {n}")
        if n == 0:
            for m in range(70):
                hub.bob.reply(thread, f"reply {m}")
    hub.world.checks(REPO, number, {f"check {n}": "failure" for n in range(130)})
    item = hub.read(number)
    assert len([c for c in item.comments if c.kind == "review"]) == 120
    assert len([c for c in item.comments if c.kind == "thread"]) == 110
    assert item.pull is not None
    assert len(item.pull.failed_checks) == 130


def test_r21_two_hundred_and_fifty_comments_are_three_requests(hub: Story) -> None:
    number = hub.issue()
    for n in range(250):
        hub.bob.comment(REPO, number, f"{n}")
    forge = hub.forge()
    forge.viewer()
    assert len(hub.read(number, forge).comments) == 250
    asked = [sent.operation for sent in forge.sent]
    assert asked == ["Viewer", "Read", "MoreComments", "MoreComments"]


def test_r24_each_edit_of_a_comment_shows_its_editor(hub: Story) -> None:
    """The last editor alone would hide that another account had its hands on it."""
    number = hub.issue()
    ledger = hub.cells.comment(REPO, number, "0 runs")
    for n in range(130):
        hub.world.advance(60)
        (hub.alice if n == 64 else hub.cells).edit_comment(ledger, f"{n + 1} runs")
    (comment,) = hub.read(number).comments
    assert comment.edits is not None
    assert [login(e.editor) for e in comment.edits] == ["cells"] * 64 + ["alice"] + ["cells"] * 65


def test_r25_edits_of_title_and_body_are_told_with_their_time(hub: Story) -> None:
    number = hub.issue()
    hub.world.advance(60)
    hub.bob.rename(REPO, number, "Another title")
    hub.world.advance(60)
    hub.alice.edit_body(REPO, number, "Another body")
    edits = hub.read(number).edits
    assert edits is not None
    assert [(login(e.editor), e.at.minute) for e in edits] == [("bob", 1), ("alice", 2)]


def test_r25_a_deleted_editor_is_somebody_and_not_nobody(hub: Story) -> None:
    """None would mean that the forge does not say, and a weaker rule would hold."""
    number = hub.issue()
    hub.world.advance(60)
    hub.bob.edit_body(REPO, number, "sneaked in")
    hub.world.delete_account("bob")
    item = hub.read(number)
    assert item.edits is not None
    assert [e.editor for e in item.edits] == [Account(id="", login="ghost", kind="ghost")]


def test_a_ghost_has_written_and_labelled(hub: Story) -> None:
    number = hub.bob.open_issue(REPO, "From somebody who left")
    hub.bob.comment(REPO, number, "hello")
    hub.bob.label(REPO, number, "bug")
    hub.world.delete_account("bob")
    item = hub.read(number)
    assert item.author is None
    assert item.comments[0].author is None
    assert item.events[0].actor is None
    (row,) = hub.forge().listing(REPO).rows
    assert row.author_id == ""


def test_r27_mail_is_known_as_mail(hub: Story) -> None:
    number = hub.issue()
    hub.alice.comment(REPO, number, "from my phone", via_email=True)
    hub.alice.comment(REPO, number, "from the browser")
    item = hub.read(number)
    assert said(item, "from my phone").by_email
    assert not said(item, "from the browser").by_email


def test_a_bot_is_a_bot_and_an_app_knows_itself(hub: Story) -> None:
    """An App is "robot[bot]" as the viewer and "robot" as an author: it is one account."""
    hub.world.account("robot", "Bot")
    token = hub.world.token("robot", "app", permissions={**FINE, "checks": "read"}, repos=[REPO])
    number = hub.issue()
    forge = hub.forge(token=token)
    me = forge.viewer()
    forge.comment(hub.read(number, forge), "beep")
    comment = said(hub.read(number, forge), "beep")
    assert (me.login, me.kind) == ("robot", "bot")
    assert comment.author == me == forge.account("robot[bot]")
    seen_by_others = said(hub.read(number), "beep").author
    assert seen_by_others is not None
    assert (seen_by_others.kind, seen_by_others.login) == ("bot", "robot")


def test_a_review_that_is_not_sent_yet_is_not_read(hub: Story) -> None:
    number = hub.pull()
    hub.alice.review(REPO, number, "PENDING", "half a thought")
    hub.alice.review(REPO, number, "COMMENTED", "a thought")
    assert [c.body for c in hub.read(number, hub.forge("alice")).comments] == ["a thought"]


def test_both_sides_of_a_link_are_read(hub: Story) -> None:
    issue, by_hand = hub.issue(), hub.issue("Linked in the side bar")
    pull = hub.pull(body=f"Fixes #{issue}")
    hub.alice.link(REPO, pull, by_hand)
    assert hub.read(issue).closed_by == hub.read(by_hand).closed_by == (pull,)
    facts = hub.read(pull).pull
    assert facts is not None
    assert facts.closes == (issue, by_hand)
    hub.alice.close(REPO, pull)
    assert hub.read(issue).closed_by == ()


def test_r12_a_fine_grained_token_sees_the_sum_of_the_checks(hub: Story) -> None:
    number = hub.pull()
    hub.world.checks(REPO, number, {"build": "failure"})
    forge = hub.forge(token=hub.world.token("cells", "fine", permissions=FINE))
    facts = hub.read(number, forge).pull
    assert facts is not None
    assert (facts.checks, facts.failed_checks) == ("failure", ())


def test_r12_a_failed_check_tells_name_address_and_words(hub: Story) -> None:
    number = hub.pull()
    for kind in ("CheckRun", "StatusContext"):
        hub.world.checks(REPO, number, {"build": "failure", "lint": "success"}, kind)
        facts = hub.read(number).pull
        assert facts is not None
        (check,) = facts.failed_checks
        assert (check.name, check.state, check.log) == ("build", "failure", "build: failure")
        assert check.url.startswith("https://")


def test_mergeability_that_is_not_computed_yet_is_unknown(hub: Story) -> None:
    number = hub.pull()
    hub.world.mergeability_unknown(REPO, number, reads=1)
    seen = [hub.read(number).pull for _ in range(2)]
    assert [facts.mergeable if facts else "" for facts in seen] == [None, True]


@pytest.mark.parametrize("path", [
    ["repository"],
    ["repository", "issueOrPullRequest"],
    ["repository", "issueOrPullRequest", "comments"],
    ["repository", "issueOrPullRequest", "comments", "nodes"],
    ["repository", "issueOrPullRequest", "comments", "nodes", 1],
    ["repository", "issueOrPullRequest", "comments", "pageInfo"],
    ["repository", "issueOrPullRequest", "timelineItems", "nodes", 0],
    ["repository", "issueOrPullRequest", "timelineItems", "nodes", 0, "label"],
    ["repository", "issueOrPullRequest", "labels"],
    ["repository", "issueOrPullRequest", "assignees", "nodes"],
    ["repository", "issueOrPullRequest", "updatedAt"],
    ["repository", "issueOrPullRequest", "issueState"],
])
@pytest.mark.parametrize("message", ["", "Something went wrong"])
def test_r21_a_null_is_never_taken_for_none(
    hub: Story, path: list[str | int], message: str
) -> None:
    number = hub.issue()
    hub.alice.label(REPO, number, "bug")
    for n in range(3):
        hub.bob.comment(REPO, number, f"{n}")
    hub.world.fail("partial", operation="Read", path=path, message=message)
    with pytest.raises(Partial) as caught:
        hub.read(number)
    assert caught.value.key == "github_partial"


def test_r21_a_later_page_that_is_null_is_no_end(hub: Story) -> None:
    number = hub.issue()
    for n in range(150):
        hub.bob.comment(REPO, number, f"{n}")
    for path in (["node"], ["node", "comments"], ["node", "comments", "nodes", 3]):
        hub.world.fail("partial", operation="MoreComments", path=path, message="")
        with pytest.raises(Partial):
            hub.read(number)


def test_r21_edits_that_cannot_be_read_are_not_none(hub: Story) -> None:
    number = hub.issue()
    hub.world.advance(60)
    hub.bob.edit_body(REPO, number, "other")
    for path in (["nodes", 0], ["nodes", 0, "userContentEdits"], ["nodes"]):
        hub.world.fail("partial", operation="Edits", path=path, message="")
        with pytest.raises(Partial):
            hub.read(number)


# ---------------------------------------------------------------- odd repositories


def test_a_renamed_repository_says_its_new_name(hub: Story) -> None:
    number = hub.issue()
    hub.world.rename_repository(REPO, "alice/world")
    forge = hub.forge()
    for ask in (
        lambda: forge.listing(REPO), lambda: forge.read(REPO, number), lambda: forge.labels(REPO),
        lambda: forge.branch(REPO, "main"), lambda: forge.pull_by_head(REPO, "x"),
    ):
        with pytest.raises(Stale) as caught:
            ask()
        assert caught.value.slots["now"] == "alice/world"
    assert forge.repository(REPO).name == "alice/world"
    assert rows(forge.listing("ALICE/World")) == {number}


def test_an_issue_that_moved_away_is_not_found(hub: Story) -> None:
    hub.world.repository("alice/other")
    number = hub.issue()
    moved = hub.alice.transfer(REPO, number, "alice/other")
    with pytest.raises(NotFound):
        hub.read(number)
    item = hub.forge("alice").read("alice/other", moved)
    assert [event.kind for event in item.events] == ["transferred"]


def test_an_empty_repository_is_empty(hub: Story) -> None:
    hub.world.repository("alice/new", roles={"cells": "write"}, default_branch="trunk")
    forge = hub.forge()
    facts = forge.repository("alice/new")
    assert facts.empty
    assert forge.branch("alice/new", "trunk") is None
    assert forge.branches("alice/new", "") == ()
    listing = forge.listing("alice/new")
    assert (listing.rows, listing.complete) == ((), True)


def test_a_private_repository_is_read_by_those_who_may(hub: Story) -> None:
    hub.world.repository("alice/secret", private=True, roles={"cells": "write"}, files={"a": "a"})
    assert hub.forge().repository("alice/secret").name == "alice/secret"
    with pytest.raises(NotFound):
        hub.forge("bob").repository("alice/secret")


def test_labels_of_our_names_made_by_hand_are_taken_as_they_are(hub: Story) -> None:
    by_hand = hub.alice.create_label(REPO, "AC:Review")
    found = hub.forge().create_label(REPO, "ac:review", "00ff00", "x" * 300)
    assert (found.id, found.name) == (by_hand, "AC:Review")


def test_a_label_that_somebody_makes_at_the_same_moment_is_found(hub: Story) -> None:
    forge = hub.forge()
    forge.repository(REPO)
    hub.world.fail("unheard_of", operation="CreateLabel", after=True)
    made = forge.create_label(REPO, "ac:review", "00ff00", "For the reviewer " * 20)
    assert made.name == "ac:review"


# ---------------------------------------------------------------- writing


def test_r3_a_renamed_label_is_noticed_and_not_taken_for_the_wanted_one(hub: Story) -> None:
    forge = hub.forge()
    item = hub.read(hub.issue(), forge)
    forge.labels(REPO)
    hub.world.rename_label(REPO, "ac:triage", "wontfix")
    with pytest.raises(Stale):
        forge.add_labels(item, ["ac:triage"])


def test_r3_a_label_that_is_gone_from_the_repository_is_gone_from_the_item(hub: Story) -> None:
    forge = hub.forge()
    number = hub.issue()
    hub.alice.label(REPO, number, "ac:triage")
    item = hub.read(number, forge)
    forge.labels(REPO)
    hub.world.delete_label(REPO, "ac:triage")
    forge.remove_labels(item, ["ac:triage"])
    assert hub.read(number).labels == ()


def test_nothing_to_do_is_no_request(hub: Story) -> None:
    forge = hub.forge()
    item = hub.read(hub.issue(), forge)
    before = len(forge.sent)
    forge.add_labels(item, [])
    forge.remove_labels(item, [])
    forge.assign(item, [])
    forge.edit_issue(item, None, None)
    assert len(forge.sent) == before


def test_r11_a_branch_that_goes_at_the_same_moment_is_deleted(hub: Story) -> None:
    hub.pull()
    hub.world.fail("unheard_of", operation="DeleteRef", after=True)
    hub.forge().delete_branch(REPO, "agentcells/1")
    assert hub.forge().branch(REPO, "agentcells/1") is None


def test_closing_what_closes_at_the_same_moment_is_no_error(hub: Story) -> None:
    for number in (hub.issue(), hub.pull()):
        item = hub.read(number)
        kind = "CloseIssue" if item.kind == "issue" else "ClosePull"
        hub.world.fail("unheard_of", operation=kind, after=True)
        hub.forge().close(item)
        assert hub.read(number).state == "closed"


def test_r18_a_merge_of_which_the_answer_was_lost_is_stale_the_next_time(hub: Story) -> None:
    item = hub.read(hub.pull())
    assert item.pull is not None
    forge = hub.forge()
    hub.world.fail("bad_gateway", operation="MergePull", after=True)
    with pytest.raises(ForgeError):
        forge.merge(item, item.pull.head_sha)
    with pytest.raises(Stale):
        forge.merge(item, item.pull.head_sha)
    assert hub.read(item.number).state == "merged"


def test_the_merge_method_is_the_repositorys_own(hub: Story) -> None:
    hub.world.merge_method(REPO, "SQUASH")
    item = hub.read(hub.pull())
    assert item.pull is not None
    merged = hub.forge().merge(item, item.pull.head_sha)
    bare = hub.world.hub.repo(REPO).bare
    assert bare.git("rev-list", "--parents", "-n1", merged).count(" ") == 1


def test_an_acting_tick_counts_its_requests(hub: Story) -> None:
    """Claim and publish of one issue: what a tick does when it does all there is to do."""
    number = hub.issue()
    hub.alice.label(REPO, number, "ac:implement")
    forge = hub.forge()
    item = hub.read(number, forge)
    ledger = forge.comment(item, "ledger")
    forge.add_labels(item, ["ac:working"])
    hub.cells.push(REPO, "agentcells/1", {"ball.txt": "bounce\n"})
    pull = forge.open_pull(REPO, "agentcells/1", "main", "Bounce", f"Closes #{number}")
    there = forge.read(REPO, pull)
    forge.assign(there, [forge.account("alice")])
    forge.comment(there, "done")
    forge.edit_comment(item, ledger.id, "ledger 2")
    forge.remove_labels(item, ["ac:implement", "ac:working"])
    assert len(forge.sent) == 13
    assert sum(sent.points or 1 for sent in forge.sent) == 13


# ---------------------------------------------------------------- nothing is paid in advance


def loaded(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], check=True,
        capture_output=True, text=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_the_module_is_imported_without_its_libraries() -> None:
    assert not loaded("import agentcells.forge.github") & {"httpx", "gql", "graphql", "pydantic"}


def test_r20_an_idle_listing_needs_no_gql(hub: Story) -> None:
    hub.forge()
    (file,) = hub.world.hub.root.glob("token.*")
    code = (
        "from agentcells.forge.github import GitHubForge\n"
        "from types import SimpleNamespace as N\n"
        f"t = N(command=(), file={str(file)!r}, env='')\n"
        f"f = GitHubForge(token=t, api_url={hub.server.api_url!r})\n"
        f"f.listings(['{REPO}'], {{}}, logins=['alice']); f.viewer()"
    )
    modules = loaded(code)
    assert "httpx" in modules
    assert not modules & {"gql", "graphql", "pydantic"}


def test_the_clock_is_asked_for_when_nothing_was_said_yet(hub: Story) -> None:
    forge = hub.forge()
    assert forge.clock() == datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
    assert len(forge.sent) == 1


def test_the_forge_is_made_from_cells_toml(hub: Story, tmp_path: Path) -> None:
    hub.forge()
    (file,) = hub.world.hub.root.glob("token.*")
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "review.md").write_text("Review it.\n")
    (tmp_path / "cells.toml").write_text(f"""
[factory]
owner = "alice"
[forge]
kind = "github"
repos = ["{REPO}"]
api_url = "{hub.server.api_url}"
git_url = "{hub.server.url}"
token = {{ file = "{file}" }}
[[cell]]
name = "review"
on = "issue"
label = "ac:review"
prompt = "prompts/review.md"
next = ["needs-human"]
""")
    from agentcells.config import load

    forge = GitHubForge.from_config(load(tmp_path / "cells.toml"))
    assert forge.viewer().login == "cells"
    assert forge.remote(REPO).url == f"{hub.server.url}/{REPO}.git"
    assert {label.name for label in forge.labels(REPO)} == set(LABELS)
