"""The loopback Gitea itself: it must do what Gitea does, or the other tests prove nothing."""

from __future__ import annotations

import base64
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentcells.forge import ForgeError, Remote
from agentcells.git import Git, GitError
from tests.git_world import PROOF, cleared
from tests.gitea_world import REPO, Story, story
from tests.loopback.certificate import certificate as make_certificate
from tests.loopback.gitea.model import Refused


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


@dataclass(frozen=True)
class Said:
    status: int
    body: Any
    headers: dict[str, str]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def http(hub: Story, method: str, path: str, headers: dict[str, str], body: Any = None) -> Said:
    """Plain HTTP, without a line of the product."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        hub.server.url + path, data=data, headers=headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay())
    try:
        with opener.open(request, timeout=10) as reply:
            return _said(reply)
    except urllib.error.HTTPError as error:
        with error:
            return _said(error)


def _said(reply: Any) -> Said:
    raw = reply.read()
    try:
        body = json.loads(raw)
    except ValueError:
        body = raw
    named = {name.lower(): value for name, value in reply.headers.items()}
    return Said(reply.status, body, named)


def ask(hub: Story, method: str, path: str, body: Any = None, token: str = "") -> Said:
    auth = {"authorization": f"token {token or hub.first_token('cells')}"}
    return http(hub, method, f"/api/v1{path}", auth, body)


# ---------------------------------------------------------------- answers


def test_every_answer_has_the_forges_own_date(hub: Story) -> None:
    assert ask(hub, "GET", "/user").headers["date"] == "Sun, 01 Mar 2026 09:00:00 GMT"


def test_a_token_that_is_none_is_401_and_an_unknown_path_is_no_json(hub: Story) -> None:
    assert ask(hub, "GET", "/user", token="stolen").status == 401
    assert http(hub, "GET", "/api/v1/user", {}).status == 401
    unknown = ask(hub, "GET", "/shoes")
    assert (unknown.status, unknown.headers["content-type"]) == (404, "text/plain")
    assert ask(hub, "DELETE", "/user").status == 405


@pytest.mark.parametrize(("flavour", "version"), [
    ("gitea", "1.27.3"), ("old", "1.22.6"), ("forgejo", "11.0.1+gitea-1.22.0")])
def test_it_says_which_server_it_plays(tmp_path: Path, flavour: str, version: str) -> None:
    with story(tmp_path, flavour=flavour) as hub:
        assert ask(hub, "GET", "/version").body == {"version": version}
        replies = ask(hub, "POST", f"/repos/{REPO}/pulls/1/comments/1/replies", {"body": "x"})
        assert replies.status == (404 if flavour == "gitea" else 405)


def test_errors_have_giteas_shape(hub: Story) -> None:
    said = ask(hub, "GET", f"/repos/{REPO}/issues/9")
    assert (said.status, set(said.body)) == (404, {"message", "url"})
    number = hub.issue()
    bob = hub.first_token("bob")
    said = ask(hub, "PATCH", f"/repos/{REPO}/issues/{number}", {"title": "x"}, token=bob)
    assert (said.status, said.body) == (403, b"")


def test_lists_have_pages_and_count_all_rows(hub: Story) -> None:
    for n in range(7):
        hub.issue(f"{n}")
        hub.world.advance(60)
    said = ask(hub, "GET", f"/repos/{REPO}/issues?limit=3&page=2")
    assert [row["number"] for row in said.body] == [4, 3, 2]
    assert said.headers["x-total-count"] == "7"
    assert ask(hub, "GET", f"/repos/{REPO}/issues?limit=3&page=4").body == []
    since = "2026-03-01T09:05:00Z"
    changed = ask(hub, "GET", f"/repos/{REPO}/issues?state=all&since={since}").body
    assert [row["number"] for row in changed] == [7, 6]


def test_no_page_is_longer_than_the_server_gives(tmp_path: Path) -> None:
    with story(tmp_path, most_rows=2) as hub:
        for n in range(3):
            hub.issue(f"{n}")
        assert len(ask(hub, "GET", f"/repos/{REPO}/issues?limit=50").body) == 2


def test_comments_have_no_pages_and_the_timeline_counts_itself(hub: Story) -> None:
    number = hub.issue()
    for n in range(40):
        hub.alice.comment(REPO, number, f"{n}")
    said = ask(hub, "GET", f"/repos/{REPO}/issues/{number}/comments?limit=5&page=2")
    assert (len(said.body), said.headers["x-total-count"]) == (40, "40")
    hub.world.mention(REPO, number)
    said = ask(hub, "GET", f"/repos/{REPO}/issues/{number}/timeline?limit=30&page=2")
    assert (len(said.body), said.headers["x-total-count"]) == (10, "10")
    assert ask(hub, "GET", f"/repos/{REPO}/issues/{number}/timeline?page=9").body is None


def test_the_old_name_answers_with_the_address_of_the_new_one(hub: Story) -> None:
    hub.world.rename_account("bob", "robert")
    hub.world.rename_repository(REPO, "alice/world")
    said = ask(hub, "GET", "/users/bob")
    assert (said.status, said.headers["location"]) == (307, "/api/v1/users/robert")
    said = ask(hub, "GET", f"/repos/{REPO}/issues")
    assert (said.status, said.headers["location"]) == (307, "/api/v1/repos/alice/world/issues")


@pytest.mark.parametrize("number", [1, 3])
def test_the_nth_request_fails_and_the_next_does_not(hub: Story, number: int) -> None:
    hub.world.fail("bad_token", at=number)
    statuses = [ask(hub, "GET", "/user").status for _ in range(4)]
    assert [n for n, status in enumerate(statuses, 1) if status == 401] == [number]


def test_an_unknown_trouble_is_a_mistake_of_the_test(hub: Story) -> None:
    with pytest.raises(KeyError):
        hub.world.fail("earthquake")


# ---------------------------------------------------------------- acts


def test_acts_leave_rows_with_their_actor(hub: Story) -> None:
    number = hub.issue()
    hub.alice.label(REPO, number, "bug")
    hub.cells.unlabel(REPO, number, "bug")
    hub.alice.assign(REPO, number, "cells")
    hub.alice.unassign(REPO, number, "cells")
    hub.alice.rename(REPO, number, "Another title")
    hub.alice.close(REPO, number)
    hub.cells.reopen(REPO, number)
    assert hub.world.item(REPO, number)["events"] == [
        ["label", "alice", "bug"], ["label", "cells", "bug"], ["assignees", "alice", ""],
        ["assignees", "alice", ""], ["change_title", "alice", ""], ["close", "alice", ""],
        ["reopen", "cells", ""],
    ]


def test_an_edited_comment_moves_itself_and_no_issue(hub: Story) -> None:
    number = hub.issue()
    note = hub.alice.comment(REPO, number, "one")
    hub.world.advance(60)
    hub.alice.edit_comment(REPO, note, "two")
    issue = ask(hub, "GET", f"/repos/{REPO}/issues/{number}").body
    (comment,) = ask(hub, "GET", f"/repos/{REPO}/issues/{number}/comments").body
    assert issue["updated_at"] == "2026-03-01T18:00:00+09:00"
    assert comment["updated_at"] == "2026-03-01T18:01:00+09:00"
    assert hub.world.item(REPO, number)["comments"][0]["edited"]


def test_a_deleted_label_takes_its_events_with_it(hub: Story) -> None:
    number = hub.issue()
    hub.alice.label(REPO, number, "bug")
    hub.world.delete_label(REPO, "bug")
    item = hub.world.item(REPO, number)
    assert (item["labels"], item["events"]) == ([], [])
    assert "bug" not in hub.world.label_names(REPO)


def test_a_push_moves_the_head_and_a_deleted_branch_closes(hub: Story) -> None:
    number = hub.pull()
    sha = hub.bob.push(REPO, "agentcells/1", {"more": "more\n"})
    pull = ask(hub, "GET", f"/repos/{REPO}/pulls/{number}").body
    assert (pull["head"]["sha"], pull["head"]["ref"]) == (sha, "agentcells/1")
    assert hub.world.item(REPO, number)["events"] == [["pull_push", "bob", ""]]
    hub.alice.delete_branch(REPO, "agentcells/1")
    pull = ask(hub, "GET", f"/repos/{REPO}/pulls/{number}").body
    assert (pull["state"], pull["head"]["ref"]) == ("closed", f"refs/pull/{number}/head")
    assert (pull["head"]["label"], pull["head"]["sha"]) == ("agentcells/1", sha)


def test_a_merge_closes_what_it_says_and_is_in_git(hub: Story) -> None:
    issue = hub.issue()
    number = hub.pull(body=f"Closes #{issue}")
    head = hub.world.tips(REPO)["agentcells/1"]
    sha = hub.alice.merge(REPO, number)
    assert hub.world.tips(REPO)["main"] == sha
    assert hub.world.contains(REPO, "main", head)
    assert hub.world.item(REPO, issue)["state"] == "closed"
    assert hub.world.item(REPO, number)["state"] == "merged"
    assert hub.world.item(REPO, number)["closes"] == [issue]


def test_refs_are_found_when_they_are_packed_too(hub: Story) -> None:
    hub.cells.push(REPO, "agentcells/1", {"a": "a\n"})
    before = hub.world.tips(REPO)
    hub.world.hub.repos[0].bare.git("pack-refs", "--all")
    assert hub.world.hub.repos[0].tips() == before


def test_nobody_approves_his_own_work_and_nobody_else_sees_a_draft(hub: Story) -> None:
    number = hub.pull()
    with pytest.raises(Refused):
        hub.cells.review(REPO, number, "approved")
    hub.alice.draft_line(REPO, number, "ball.txt", 1, "hm")
    said = ask(hub, "GET", f"/repos/{REPO}/pulls/{number}/reviews")
    assert (said.body, said.headers["x-total-count"]) == ([], "1")
    assert ask(hub, "GET", f"/repos/{REPO}/pulls/{number}/reviews/1/comments").status == 404
    own = ask(hub, "GET", f"/repos/{REPO}/pulls/{number}/reviews", token=hub.first_token("alice"))
    assert [row["state"] for row in own.body] == ["PENDING"]


def test_a_thread_can_be_answered_by_a_person(hub: Story) -> None:
    number = hub.pull()
    line = hub.alice.start_thread(REPO, number, "ball.txt", 1, "why?")
    hub.cells.answer_line(REPO, number, line, "so")
    lines = ask(hub, "GET", f"/repos/{REPO}/pulls/{number}/reviews/1/comments").body
    assert [row["body"] for row in lines] == ["why?", "so"]


def test_what_is_sent_must_be_there(hub: Story) -> None:
    number = hub.issue()
    for path, body in (("issues", {"title": " "}), (f"issues/{number}/comments", {"body": ""})):
        assert ask(hub, "POST", f"/repos/{REPO}/{path}", body).status == 422
    missing = {"title": "T", "assignees": ["nobody"]}
    assert ask(hub, "POST", f"/repos/{REPO}/issues", missing).status == 422
    unknown = {"head": "nope", "base": "main", "title": "T"}
    assert ask(hub, "POST", f"/repos/{REPO}/pulls", unknown).status == 404


# ---------------------------------------------------------------- git


def remote(hub: Story, token: str, repo: str = REPO) -> Remote:
    return Remote(url=f"{hub.server.url}/{repo}.git", username="cells", token=token)


@pytest.fixture
def git(tmp_path: Path) -> Git:
    found = Git(tmp_path / "store.git")
    found.init()
    return found


def test_r46_our_git_fetches_and_pushes_with_a_token(hub: Story, git: Git) -> None:
    number = hub.pull()
    there = hub.forge().remote(REPO)
    tips = git.fetch(there, ["main", "agentcells/1"])
    base, tip = tips["main"], tips["agentcells/1"]
    assert base
    assert tip
    sha = git.commit_tree(git.tree(base), (tip,), "Nothing after all")
    git.push(there, sha, "agentcells/1", tip, PROOF, cleared(sha, base))
    assert hub.world.tips(REPO)["agentcells/1"] == sha
    assert hub.world.item(REPO, number)["events"] == [["pull_push", "cells", ""]]


def test_a_wrong_token_is_refused_for_git_too(hub: Story, git: Git) -> None:
    with pytest.raises(GitError) as caught:
        git.fetch(remote(hub, "wrong"), ["main"])
    assert caught.value.cause == "auth"


@pytest.mark.parametrize("who", ["bob", "scope"])
def test_who_may_only_read_cannot_push(hub: Story, git: Git, who: str) -> None:
    narrow = hub.world.token("cells", ["read:user", "read:repository"])
    there = remote(hub, hub.first_token("bob") if who == "bob" else narrow)
    base = git.fetch(there, ["main"])["main"]
    assert base
    sha = git.commit_tree(git.tree(base), (base,), "Bounce")
    with pytest.raises(GitError) as caught:
        git.push(there, sha, "agentcells/1", None, PROOF, cleared(sha, base))
    assert caught.value.cause == "auth"
    assert "agentcells/1" not in hub.world.tips(REPO)


def test_git_says_who_is_missing_what(hub: Story) -> None:
    hub.world.repository("alice/secret", private=True, files={"a": "a"})
    fetch, push = "info/refs?service=git-upload-pack", "info/refs?service=git-receive-pack"
    bob, alice = hub.first_token("bob"), hub.first_token("alice")

    def status(path: str, token: str = "") -> int:
        basic = base64.b64encode(f"x:{token}".encode()).decode()
        headers = {"authorization": f"Basic {basic}"} if token else {}
        return http(hub, "GET", f"/{path}", headers).status

    assert status(f"alice/game.git/{fetch}") == 401
    assert status(f"alice/game.git/{fetch}", "wrong") == 401
    assert status(f"alice/game.git/{fetch}", bob) == 200
    assert status(f"alice/secret.git/{fetch}", bob) == 404
    assert status(f"alice/secret.git/{fetch}", alice) == 200
    assert status(f"alice/nothing.git/{fetch}", alice) == 404
    assert status(f"alice/game.git/{push}", bob) == 403
    hub.world.archive(REPO)
    assert status(f"alice/game.git/{push}", alice) == 403


# ---------------------------------------------------------------- https


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


def test_a_forge_with_its_own_certificate_needs_ca_file(
    tmp_path: Path, git: Git, certificate: tuple[Path, Path]
) -> None:
    with story(tmp_path / "tls", certificate=certificate) as hub:
        with pytest.raises(ForgeError) as caught:
            hub.forge().viewer()
        assert caught.value.key == "forge_certificate"
        forge = hub.forge(ca_file=str(certificate[0]))
        assert forge.viewer().login == "cells"
        assert git.fetch(forge.remote(REPO), ["main"])["main"] == hub.world.tips(REPO)["main"]


def test_a_certificate_file_that_is_none_is_said(hub: Story, tmp_path: Path) -> None:
    (tmp_path / "no.pem").write_text("not a certificate")
    for name in ("missing.pem", "no.pem"):
        with pytest.raises(ForgeError) as caught:
            hub.forge(ca_file=str(tmp_path / name)).viewer()
        assert (caught.value.key, caught.value.exit_code) == ("forge_ca_file", 2)
