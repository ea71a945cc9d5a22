"""Writing to GitHub: what is repeatable, and what happens at the same moment elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentcells.forge import ForgeError, Stale
from tests.github_world import REPO, Story, story


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


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
