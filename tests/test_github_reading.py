"""One item of GitHub read whole: every page, every edit, and never a null for "none"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentcells.forge import Partial
from agentcells.model import Account, Comment, Item
from tests.github_world import FINE, REPO, Story, story


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


def login(account: Account | None) -> str:
    return account.login if account else ""


def said(item: Item, body: str) -> Comment:
    return next(comment for comment in item.comments if comment.body == body)


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


def test_r20_the_edits_of_an_early_comment_come_with_the_item(hub: Story) -> None:
    """Our ledger is one: edited at each run, and read before each write."""
    number = hub.issue()
    ledger = hub.cells.comment(REPO, number, "0 runs")
    for n in range(30):
        hub.bob.comment(REPO, number, f"{n}")
    hub.world.advance(60)
    hub.alice.edit_comment(ledger, "1 run")
    hub.alice.edit_body(REPO, number, "Another body")
    forge = hub.forge()
    forge.viewer()
    item = hub.read(number, forge)
    assert [[login(edit.editor) for edit in edits or ()] for edits in (item.edits, item.comments[0].edits)] == [
        ["alice"], ["alice"]]
    assert [sent.operation for sent in forge.sent] == ["Viewer", "Read"]
    hub.bob.edit_comment(hub.world.item(REPO, number)["comments"][-1]["id"], "edited")
    last = hub.read(number, forge).comments[-1]
    assert [login(edit.editor) for edit in last.edits or ()] == ["bob"]
    assert [sent.operation for sent in forge.sent] == ["Viewer", "Read", "Read", "Edits"]


def test_r20_a_pair_and_its_repository_are_one_request_and_two_points(hub: Story) -> None:
    number = hub.issue()
    pull = hub.pull(body=f"Closes #{number}")
    forge = hub.forge()
    forge.viewer()
    since = len(hub.world.requests())
    found = forge.read_together(REPO, [number, pull], ["agentcells/2"])
    assert isinstance(found.items[pull], Item)
    assert {label.name for label in forge.known_labels(REPO)} >= {"ac:triage"}
    assert forge.repository(REPO).default_branch == "main"
    (asked,) = hub.world.requests(since)
    assert (asked["operation"], asked["points"]) == ("ReadTogether", 2)


def test_r21_what_does_not_come_together_is_asked_for_alone(hub: Story) -> None:
    number, other = hub.issue(), hub.issue()
    for path in (["repository"], ["repository", "i1"], ["repository", "i1", "labels"], ["repository", "h0"]):
        hub.world.fail("partial", operation="ReadTogether", path=path, message="")
        found = hub.forge().read_together(REPO, [number, other], ["agentcells/2"])
        assert found.items == {number: hub.read(number), other: hub.read(other)}, path
        assert found.heads == {"agentcells/2": None}


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
    beside: list[str | int] = ["repository", "issueOrPullRequest", "userContentEdits"]
    for path in (["nodes", 0], ["nodes", 0, "userContentEdits"], ["nodes"]):
        hub.world.fail("partial", operation="Read", path=beside, message="")
        hub.world.fail("partial", operation="Edits", path=path, message="")
        with pytest.raises(Partial):
            hub.read(number)
