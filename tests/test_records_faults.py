"""What goes wrong outside, told in our words, with the way on: access, network, doubts, two at once (B4)."""


from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.brain_backends import Hub, HubProject, hub, project
from tests.brain_world import Brain, closing, pool
from tests.records_world import git


class Work(Brain):
    def __init__(self, place: str) -> None:
        super().__init__("http-auto")
        held = project(place, self.place)
        assert isinstance(held, HubProject)
        self.project = held
        self.start(held.desk)


@pytest.fixture(params=["github", "gitea"])
def work(request: pytest.FixtureRequest) -> Iterator[Work]:
    yield Work(request.param)
    hub(request.param).renew()


def test_b4_access_that_ran_out_is_told_and_works_again_once_it_is_renewed(work: Work) -> None:
    number = work.project.issue()
    held: Hub = work.project.hub
    work.ok("issue_read", issue_id=number)
    held.world.revoke(held.token.read_text().strip())
    for tool, more in (("issue_read", {"issue_id": number}), ("issue_list", {}), ("issue_comment", {"issue_id": number, "body": "x"})):
        assert "renew access" in work.no(tool, "auth_failed", **more)["hint"]
    work.project.desk.write({"a": "a"})
    recorded = work("work_record", message="a", issue_ids=[number])  # no reason to lose a record
    assert (recorded["status"], "not checked" in recorded["summary"]) == ("ok", True)
    assert "renew access" in work.no("work_publish", "auth_failed")["hint"]  # git had the same token
    held.renew()
    assert work.ok("issue_read", issue_id=number)["title"]
    header = work.project.header.split("=", 1)
    value = work.project.basic()
    git(work.project.desk.work, "config", header[0], f"Authorization: Basic {value}")
    assert work.ok("work_publish")["published"] == 1
    assert work.project.tip() == work.project.desk.head()


GITHUB_SAYS = (
    ("bad_credentials", "auth_failed"), ("suspended", "auth_failed"), ("rate_limited", "policy_blocked"),
    ("secondary_403", "policy_blocked"), ("secondary_429", "policy_blocked"), ("forbidden", "policy_blocked"),
    ("forbidden_403", "policy_blocked"), ("scopes", "policy_blocked"), ("saml", "policy_blocked"), ("bad_gateway", "backend_error"),
    ("gateway_timeout", "backend_error"), ("timeout_200", "backend_error"), ("internal", "backend_error"),
    ("not_json", "backend_error"), ("drop", "backend_error"), ("no_data", "backend_error"), ("stale_data", "conflict"),
)


def test_b4_each_of_githubs_troubles_has_its_code() -> None:
    work = Work("github")
    number = work.project.issue()
    work.ok("issue_list")
    for kind, code in GITHUB_SAYS:
        work.project.hub.world.fail(kind, times=5, operation="Glance")
        envelope = work("issue_read", issue_id=number)
        assert (kind, envelope.get("error_code")) == (kind, code), envelope
        work.project.hub.world.engine.faults.clear()
        if code == "auth_failed":
            work.ok("issue_list")


def test_d18_a_comment_whose_answer_was_lost_is_not_made_twice() -> None:
    work = Work("github")
    number = work.project.issue()
    work.project.hub.world.fail("drop", after=True, operation="AddComment")
    work.no("issue_comment", "backend_error", issue_id=number, body="Once.")
    assert len(work.project.item(number)["comments"]) == 1
    assert work.ok("issue_comment", issue_id=number, body="Once.") == {"id": number}
    assert len(work.project.item(number)["comments"]) == 1
    work.ok("issue_comment", issue_id=number, body="Once.")  # meant twice: said twice
    assert len(work.project.item(number)["comments"]) == 2


def test_d18_an_issue_whose_answer_was_lost_is_not_filed_twice() -> None:
    work = Work("github")
    work.project.hub.world.fail("drop", after=True, operation="CreateIssue")
    work.no("issue_create", "backend_error", title="A door", body="Open.")
    made = work.ok("issue_create", title="A door", body="Open.")["id"]
    assert [row["id"] for row in work.ok("issue_list")["issues"]] == [made]
    work.project.hub.world.fail("bad_gateway", operation="CreateIssue")
    work.no("issue_create", "backend_error", title="A gate")
    other = work.ok("issue_create", title="A gate")["id"]
    assert {row["id"] for row in work.ok("issue_list")["issues"]} == {made, other}


def test_b4_without_a_network_records_are_kept_and_shared_later(work: Work) -> None:
    number, desk, url = work.project.issue(), work.project.desk, work.project.hub.server.url
    cells, dead = desk.work / "cells.toml", "http://127.0.0.1:9"
    there, remote = cells.read_text(), git(desk.work, "remote", "get-url", "origin")
    cells.write_text(there.replace(url, dead))
    git(desk.work, "remote", "set-url", "origin", remote.replace(url, dead))
    work.start(work.place.plain)
    work.start(desk)
    desk.write({"a": "a"})
    assert work.state() == "dirty"
    work.no("issue_read", "backend_error", issue_id=number)
    unchecked = work("work_record", message="a", issue_ids=[number])
    assert (unchecked["status"], "not checked" in unchecked["summary"]) == ("ok", True)
    head = desk.head()
    work.no("work_publish", "backend_error")
    work.no("work_update", "backend_error")
    assert (work.state(), desk.head()) == ("recorded_unpublished", head)
    cells.write_text(there)
    git(desk.work, "remote", "set-url", "origin", remote)
    work.start(work.place.plain)
    work.start(desk)
    assert work.ok("work_publish")["published"] == 1
    assert work.project.tip() == head


def test_b4_two_clients_on_one_project_at_the_same_time() -> None:
    place = pool().world.place()
    game = place.game
    game.hook("pre-commit", "sleep 0.1")
    answers: list[dict[str, Any]] = []

    def one(kind: str, name: str) -> None:
        with closing(pool().fresh(kind)) as client:
            client.call("work_session_start", project_root=str(game.work))
            for number in range(3):
                game.write({f"{name}{number}": name})
                answers.append(client.call("work_record", message=f"{name}{number}", issue_ids=[]))
                answers.append(client.call("work_publish"))

    threads = [threading.Thread(target=one, args=(kind, name)) for kind, name in (
        ("http-legacy", "a"), ("http-auto", "b"), ("stdio-auto", "c"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    codes = {answer["error_code"] for answer in answers if answer["status"] == "error"}
    assert codes <= {"policy_blocked"}  # the other had recorded it already, or had new work meanwhile
    with closing(pool().fresh("http-legacy")) as last:
        last.call("work_session_start", project_root=str(game.work))
        assert last.call("work_publish")["status"] == "ok"
        assert last.call("work_observe")["data"]["work_state"] == "clean_idle"
    assert git(game.work, "fsck", "--strict") == ""
    recorded = git(game.work, "log", "--name-only", "--format=", "HEAD").split()
    assert {f"{name}{number}" for name in "abc" for number in range(3)} <= set(recorded)
    assert git(game.shared, "rev-parse", "main") == game.head()


def test_b4_a_locked_list_of_files_and_a_hook_of_the_other_side() -> None:
    brain = Brain("stdio-auto")
    game = brain.start(brain.place.game)
    game.write({"a": "a"})
    lock = game.work / ".git/index.lock"
    lock.touch()
    assert "Try again" in brain.no("work_record", "conflict", message="a")["hint"]
    lock.unlink()
    brain.ok("work_record", message="a")
    hook = game.shared / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho CANARY; exit 1\n")
    hook.chmod(0o755)
    assert "which line" in brain.no("work_publish", "policy_blocked")["hint"]
    hook.unlink()
    assert brain.ok("work_publish")["published"] == 1


def test_b4_a_project_that_went_away_is_unknown_and_said_so() -> None:
    brain = Brain("stdio-auto")
    game = brain.start(brain.place.game)
    game.work.rename(game.work.with_name("moved"))
    assert brain.state() == "unknown"
    brain.no("work_record", "backend_error", message="x")
    brain.no("work_session_start", "not_found", project_root=str(game.work))
    game.work.with_name("moved").rename(game.work)
    assert brain.state() == "clean_idle"


def test_a_secret_of_the_servers_environment_is_not_recorded() -> None:
    from tests.brain_world import stdio

    world = pool().world
    place = world.place()
    with closing(stdio(world.home, place.game.work, "auto", MY_API_TOKEN="s3cr3t-value-0123456789abcdef")) as client:
        client.call("work_session_start", project_root=".")
        place.game.write({"config.txt": "token=s3cr3t-value-0123456789abcdef\n"})
        envelope = client.call("work_record", message="x")
        assert envelope["error_code"] == "policy_blocked"
        assert "config.txt" in envelope["summary"]
        assert "s3cr3t" not in str(envelope)
        git(place.game.work, "add", "-A")
        git(place.game.work, "commit", "-qm", "by hand")
        assert client.call("work_publish")["error_code"] == "policy_blocked"  # yours too, before it is shared
