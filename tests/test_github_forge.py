"""The GitHub forge: what a listing asks and costs, odd repositories, nothing paid in advance."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentcells import forge as forges
from agentcells.forge import ForgeError, Listing, NotFound, Partial, Stale
from agentcells.forge.github import GitHubForge
from agentcells.forge.github_listing import read_mark
from tests.github_world import LABELS, REPO, Story, story


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


def rows(found: Listing | ForgeError) -> set[int]:
    assert isinstance(found, Listing)
    return {row.number for row in found.rows}


# ---------------------------------------------------------------- what an idle tick costs


def test_a_forge_that_nobody_holds_any_more_is_gone_with_its_connections(hub: Story) -> None:
    forge = hub.forge()
    forge.listing(REPO)
    gone = weakref.ref(forge._wire)
    del forge
    gc.collect()
    assert gone() is None


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


# ---------------------------------------------------------------- nothing is paid in advance


def loaded(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], check=True,
        capture_output=True, text=True,
    )
    return set(done.stdout.splitlines()[-1].split())


def test_the_module_is_imported_without_its_libraries() -> None:
    assert not loaded("import agentcells.forge.github") & {"httpx", "gql", "graphql", "pydantic"}


def test_r20_an_idle_listing_needs_the_standard_library_alone(hub: Story) -> None:
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
    assert "http.client" in modules
    assert not modules & {"httpx", "gql", "graphql", "pydantic"}


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
