"""The loopback GitHub itself: it must do what GitHub does, or the other tests prove nothing."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcells.forge import Remote
from agentcells.forge.github_documents import REPOSITORY, VIEWER
from agentcells.git import Git, GitError
from tests.git_world import PROOF, cleared
from tests.github_world import FINE, REPO, Story, story
from tests.loopback.certificate import certificate as make_certificate
from tests.loopback.github.remote import started

LIST = """query L($states: [IssueState!], $n: Int!) { repository(owner: "alice", name: "game") {
  issues(first: $n, states: $states) { pageInfo { hasNextPage } nodes { number } } } }"""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


def first_token(hub: Story, login: str) -> str:
    return next(t.value for t in hub.world.hub.tokens.values() if t.account.login == login)


def ask(hub: Story, query: str, token: str = "", **variables: Any) -> dict[str, Any]:
    """Plain HTTP, without a line of the product."""
    body = json.dumps({"query": query, "variables": variables}).encode()
    bearer = {"authorization": f"Bearer {token or first_token(hub, 'cells')}"}
    request = urllib.request.Request(hub.server.api_url, data=body, headers=bearer)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as reply:
            return {**json.load(reply), "headers": dict(reply.headers)}
    except urllib.error.HTTPError as error:
        with error:
            return {**json.load(error), "status": error.code}


# ---------------------------------------------------------------- answers


def test_every_answer_has_a_date_a_request_id_and_the_limit(hub: Story) -> None:
    headers = ask(hub, VIEWER.text)["headers"]
    assert headers["date"] == "Sun, 01 Mar 2026 09:00:00 GMT"
    assert headers["x-github-request-id"]
    assert headers["x-ratelimit-remaining"] == "4999"


def test_a_document_outside_the_schema_is_refused(hub: Story) -> None:
    found = ask(hub, "query { viewer { shoeSize } }")
    assert "data" not in found
    assert "shoeSize" in found["errors"][0]["message"]


def test_an_unknown_token_is_401(hub: Story) -> None:
    assert ask(hub, VIEWER.text, token="ghp_stolen")["status"] == 401


def test_errors_have_githubs_shape(hub: Story) -> None:
    found = ask(hub, REPOSITORY.text, owner="alice", name="nothing")
    assert found["data"]["repository"] is None
    assert found["errors"] == [{
        "message": "Could not resolve to a Repository with the name 'alice/nothing'.",
        "type": "NOT_FOUND", "path": ["repository"],
    }]


@pytest.mark.parametrize("size", [0, 101])
def test_a_page_has_one_to_a_hundred_nodes(hub: Story, size: int) -> None:
    assert ask(hub, LIST, n=size)["errors"][0]["type"] == "EXCESSIVE_PAGINATION"


def test_a_list_without_a_size_is_refused(hub: Story) -> None:
    query = LIST.replace("first: $n, ", "").replace(", $n: Int!", "")
    assert ask(hub, query)["errors"][0]["type"] == "MISSING_PAGINATION_BOUNDARIES"


def test_half_a_million_nodes_are_too_many(hub: Story) -> None:
    labels = "labels(first: 100) { nodes { id name } }"
    inner = f"closingIssuesReferences(first: 100) {{ nodes {{ {labels} }} }}"
    query = f"""query {{ repository(owner: "alice", name: "game") {{
        pullRequests(first: 100) {{ nodes {{ {inner} }} }} }} }}"""
    assert ask(hub, query)["errors"][0]["type"] == "MAX_NODE_LIMIT_EXCEEDED"


def test_points_are_spent_and_the_hour_ends(hub: Story) -> None:
    token = hub.world.token("bob", limit=1)
    assert "errors" not in ask(hub, VIEWER.text, token)
    assert ask(hub, VIEWER.text, token)["errors"][0]["type"] == "RATE_LIMITED"
    hub.world.advance(3600)
    assert "errors" not in ask(hub, VIEWER.text, token)


def test_pages_come_in_order_and_end(hub: Story) -> None:
    for n in range(3):
        hub.issue(f"{n}")
        hub.world.advance(60)
    found = ask(hub, LIST, n=2)["data"]["repository"]["issues"]
    assert [node["number"] for node in found["nodes"]] == [3, 2]
    assert found["pageInfo"]["hasNextPage"]
    assert not ask(hub, LIST, n=3)["data"]["repository"]["issues"]["pageInfo"]["hasNextPage"]


def test_a_frozen_list_shows_what_was(hub: Story) -> None:
    hub.issue()
    hub.world.freeze_lists(REPO)
    hub.alice.close(REPO, 1)
    hub.issue()
    still = ask(hub, LIST, n=9, states=["OPEN"])["data"]["repository"]["issues"]["nodes"]
    assert still == [{"number": 1}]
    hub.world.thaw_lists(REPO)
    now = ask(hub, LIST, n=9, states=["OPEN"])["data"]["repository"]["issues"]["nodes"]
    assert now == [{"number": 2}]


def test_the_nth_request_fails_and_the_next_does_not(hub: Story) -> None:
    hub.world.fail("bad_credentials", at=2)
    statuses = [ask(hub, VIEWER.text).get("status", 200) for _ in range(3)]
    assert statuses == [200, 401, 200]


def test_an_unknown_trouble_is_a_mistake_of_the_test(hub: Story) -> None:
    with pytest.raises(KeyError):
        hub.world.fail("gremlins")


# ---------------------------------------------------------------- acts


def test_acts_leave_events_with_their_actor(hub: Story) -> None:
    number = hub.issue()
    hub.alice.label(REPO, number, "bug")
    hub.alice.label(REPO, number, "bug")
    hub.bob.unlabel(REPO, number, "bug")
    hub.cells.close(REPO, number)
    hub.alice.reopen(REPO, number)
    assert hub.world.item(REPO, number)["events"] == [
        ["LabeledEvent", "alice", "bug"], ["UnlabeledEvent", "bob", "bug"],
        ["ClosedEvent", "cells", ""], ["ReopenedEvent", "alice", ""],
    ]


def test_only_who_has_access_is_assigned(hub: Story) -> None:
    number = hub.issue()
    for login in ("alice", "bob"):
        hub.alice.assign(REPO, number, login)
    assert hub.world.item(REPO, number)["assignees"] == ["alice"]
    hub.alice.unassign(REPO, number, "alice")
    assert hub.world.item(REPO, number)["assignees"] == []


def test_a_push_moves_the_head_and_a_deleted_branch_closes(hub: Story) -> None:
    number = hub.pull()
    sha = hub.cells.push(REPO, "agentcells/1", {"more.txt": "x"})
    assert hub.world.item(REPO, number)["head_sha"] == sha
    hub.cells.delete_branch(REPO, "agentcells/1")
    assert hub.world.item(REPO, number)["state"] == "CLOSED"


def test_a_merge_closes_what_it_says_and_is_in_git(hub: Story) -> None:
    issue, other = hub.issue(), hub.issue()
    number = hub.pull(body=f"Closes #{issue}; see #{other}")
    head = hub.world.item(REPO, number)["head_sha"]
    merged = hub.alice.merge(REPO, number)
    assert hub.world.tips(REPO)["main"] == merged
    assert hub.world.contains(REPO, "main", head)
    states = [hub.world.item(REPO, n)["state"] for n in (issue, other, number)]
    assert states == ["CLOSED", "OPEN", "MERGED"]


def test_a_file_can_be_removed(hub: Story) -> None:
    sha = hub.alice.push(REPO, "main", {"README.md": None, "b/c.txt": "c"})
    names = hub.world.hub.repo(REPO).bare.git("ls-tree", "-r", "--name-only", sha)
    assert names == "b/c.txt"


def test_nobody_approves_his_own_work(hub: Story) -> None:
    number = hub.pull()
    with pytest.raises(Exception, match="your own pull request"):
        hub.cells.review(REPO, number, "APPROVED")
    hub.alice.review(REPO, number, "APPROVED", "fine")


def test_a_thread_can_be_resolved(hub: Story) -> None:
    number = hub.pull()
    thread = hub.alice.start_thread(REPO, number, "ball.txt", 1, "Why?")
    hub.alice.resolve(thread)
    (line,) = hub.read(number).comments
    assert line.resolved


# ---------------------------------------------------------------- git


def remote(hub: Story, token: str, repo: str = REPO) -> Remote:
    return Remote(url=f"{hub.server.url}/{repo}.git", username="x-access-token", token=token)


@pytest.fixture
def git(tmp_path: Path) -> Git:
    found = Git(tmp_path / "store.git")
    found.init()
    return found


def test_r46_our_git_fetches_and_pushes_with_a_token(hub: Story, git: Git) -> None:
    there = hub.forge().remote(REPO)
    base = git.fetch(there, ["main"])["main"]
    sha = git.commit_tree(git.tree(base), (base,), "Bounce")
    git.push(there, sha, "agentcells/1", None, PROOF, cleared(sha, base))
    assert hub.world.tips(REPO)["agentcells/1"] == sha


def test_a_wrong_token_is_refused_for_git_too(hub: Story, git: Git) -> None:
    hub.world.repository("alice/secret", private=True, files={"a": "a"})
    with pytest.raises(GitError) as caught:
        git.fetch(remote(hub, "ghp_wrong", "alice/secret"), ["main"])
    assert caught.value.cause == "auth"


@pytest.mark.parametrize("who", ["bob", "fine"])
def test_who_may_only_read_cannot_push(hub: Story, git: Git, who: str) -> None:
    token = hub.world.token("cells", "fine", permissions={**FINE, "contents": "read"})
    there = remote(hub, first_token(hub, "bob") if who == "bob" else token)
    base = git.fetch(there, ["main"])["main"]
    sha = git.commit_tree(git.tree(base), (base,), "Bounce")
    with pytest.raises(GitError) as caught:
        git.push(there, sha, "agentcells/1", None, PROOF, cleared(sha, base))
    assert caught.value.cause == "auth"
    assert "agentcells/1" not in hub.world.tips(REPO)


def http_status(hub: Story, path: str, token: str = "") -> int:
    basic = base64.b64encode(f"x:{token}".encode()).decode()
    request = urllib.request.Request(
        f"{hub.server.url}/{path}", headers={"authorization": f"Basic {basic}"} if token else {}
    )

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay())
    try:
        with opener.open(request, timeout=10) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_git_says_who_is_missing_what(hub: Story) -> None:
    hub.world.repository("alice/secret", private=True, files={"a": "a"})
    hub.world.rename_repository(REPO, "alice/world")
    fetch, push = "info/refs?service=git-upload-pack", "info/refs?service=git-receive-pack"
    bob, alice = first_token(hub, "bob"), first_token(hub, "alice")
    assert http_status(hub, f"alice/world.git/{fetch}") == 200
    assert http_status(hub, f"alice/world.git/{push}") == 401
    assert http_status(hub, f"alice/secret.git/{fetch}") == 401
    assert http_status(hub, f"alice/secret.git/{fetch}", bob) == 404
    assert http_status(hub, f"alice/secret.git/{fetch}", alice) == 200
    assert http_status(hub, f"alice/nothing.git/{fetch}", alice) == 404
    assert http_status(hub, f"alice/game.git/{fetch}", alice) == 301
    hub.world.archive("alice/world")
    assert http_status(hub, f"alice/world.git/{push}", alice) == 403


# ---------------------------------------------------------------- https, and a process of its own


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


def test_a_forge_with_its_own_certificate_needs_ca_file(
    tmp_path: Path, git: Git, certificate: tuple[Path, Path]
) -> None:
    with story(tmp_path / "tls", certificate) as hub:
        with pytest.raises(Exception, match="github_certificate"):
            hub.forge().viewer()
        forge = hub.forge(ca_file=str(certificate[0]))
        assert forge.viewer().login == "cells"
        assert git.fetch(forge.remote(REPO), ["main"])["main"] == hub.world.tips(REPO)["main"]


def test_a_certificate_file_that_is_none_is_said(hub: Story, tmp_path: Path) -> None:
    from agentcells.forge.github import GitHubForge
    from tests.loopback.github.desk import TokenFile

    (tmp_path / "token").write_text("ghp_x123")
    for name in ("missing.pem", "token"):
        forge = GitHubForge(
            token=TokenFile(str(tmp_path / "token")), api_url="https://127.0.0.1:9/graphql",
            ca_file=str(tmp_path / name),
        )
        with pytest.raises(Exception, match="github_ca_file"):
            forge.viewer()


def test_it_runs_as_a_process_with_the_same_words(tmp_path: Path) -> None:
    with started(tmp_path / "hub", "--repo", "alice/game", "--repo", "alice/other") as world:
        alice = world.as_("alice")
        alice.create_label(REPO, "ac:triage")
        number = alice.open_issue(REPO, "題", labels=["ac:triage"], assignees=["alice"])
        alice.comment(REPO, number, "お願いします")
        assert world.item(REPO, number)["comments"][0]["body"] == "お願いします"
        assert world.numbers("alice/other") == []
        assert set(world.tokens) == {"alice", "bob", "cells"}
        with pytest.raises(AssertionError, match="no label"):
            alice.label(REPO, number, "nope")
        assert world.requests() == []


def test_the_process_ends_with_its_standard_input(tmp_path: Path) -> None:
    with started(tmp_path / "hub") as world:
        url = world.url
    with pytest.raises(urllib.error.URLError):
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5)
