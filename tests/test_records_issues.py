"""The acceptance rows I, and the whole life of a piece of work, on every kind of place (I1 to I5, R29)."""


from __future__ import annotations

from typing import Any

import pytest

from tests.brain_backends import HubProject, LocalProject, project
from tests.brain_world import Brain

PLACES = ("local", "github", "gitea")
KINDS = ("stdio-auto", "http-legacy")


class Work(Brain):
    """An agent on a project with issues."""

    def __init__(self, kind: str, place: str) -> None:
        super().__init__(kind)
        self.project: HubProject | LocalProject = project(place, self.place)
        self.start(self.project.desk)


@pytest.fixture(params=[f"{place}:{kind}" for place in PLACES for kind in KINDS])
def work(request: pytest.FixtureRequest) -> Work:
    place, kind = request.param.split(":")
    return Work(kind, place)


def said(item: dict[str, Any]) -> list[str]:
    """Bodies of comments without our hidden first line."""
    return [c["body"].partition("\n")[2] if c["body"].startswith("<!-- agentcells:") else c["body"]
            for c in item["comments"]]


def test_the_whole_life_of_a_piece_of_work(work: Work) -> None:
    number = work.project.issue(comments=3)
    desk = work.project.desk
    assert work.ok("work_session_start", project_root=str(desk.work / "src")) == {
        "project": desk.work.name, "issues": "available", "default_issue": None}
    work.ok("work_start", issue_id=number)
    desk.write({"src/rules.py": "LIVES = 5\n"})
    assert work.state() == "dirty"
    assert work.ok("work_record", message="Five lives")["issue_ids"] == [number]
    assert work.ok("work_publish")["published"] == 1
    assert work.project.tip() == desk.head()
    assert work.ok("work_finish")["suggestions"] == ["issue_comment", "issue_close"]
    work.ok("issue_close", issue_id=number, comment="Done.")
    item = work.project.item(number)
    assert (item["state"], said(item)) == ("closed", ["comment 1", "comment 2", "comment 3", "Done."])
    assert work.state() == "clean_idle"


def test_i1_k9_an_issue_with_its_newest_comments_oldest_of_them_first(work: Work) -> None:
    number = work.project.issue("Title", "Body\n\nof it", comments=7)
    everything = work.ok("issue_read", issue_id=number)
    assert set(everything) == {"id", "title", "state", "labels", "body", "comments_total", "comments"}
    assert (everything["id"], everything["title"], everything["state"], everything["body"],
            everything["comments_total"]) == (number, "Title", "open", "Body\n\nof it", 7)
    assert [c["body"] for c in everything["comments"]] == [f"comment {n}" for n in range(1, 8)]
    for asked, shown in ((0, []), (1, [7]), (3, [5, 6, 7]), (7, list(range(1, 8))), (99, list(range(1, 8)))):
        data = work.ok("issue_read", issue_id=number, last_n_comments=asked)
        assert [c["n"] for c in data["comments"]] == shown
        assert [c["body"] for c in data["comments"]] == [f"comment {n}" for n in shown]
        assert data["comments_total"] == 7
    assert everything["comments"][0]["by"] == "bob"
    for wrong in (-1, "3", 1.5, True):
        work.no("issue_read", "policy_blocked", issue_id=number, last_n_comments=wrong)
    work.no("issue_read", "policy_blocked", issue_id="1")
    work.no("issue_read", "not_found", issue_id=4_711)
    work.ok("work_start", issue_id=number)
    work.no("issue_read", "policy_blocked")  # D16: never by the default


def test_i1_at_most_fifty_without_being_asked_and_the_number_of_all(work: Work) -> None:
    number = work.project.issue(comments=60)
    envelope = work("issue_read", issue_id=number)
    assert [c["n"] for c in envelope["data"]["comments"]] == list(range(11, 61))
    assert envelope["data"]["comments_total"] == 60
    assert "last_n_comments" in envelope["summary"]
    assert len(work.ok("issue_read", issue_id=number, last_n_comments=60)["comments"]) == 60


def test_i2_i3_i4_issues_are_filed_listed_changed_commented_and_closed(work: Work) -> None:
    first = work.ok("issue_create", title="A  door\nthat opens", body="Fixes #9, @bob", labels=["bug"])["id"]
    second = work.ok("issue_create", title="Plain")["id"]
    item = work.project.item(first)
    assert (item["title"], item["labels"]) == ("A door that opens", ["bug"])
    assert item["body"].endswith("\nFixes #9, @bob")
    rows = work.ok("issue_list")["issues"]
    assert {row["id"]: row for row in rows}[first] == {
        "id": first, "title": "A door that opens", "state": "open", "labels": ["bug"]}
    assert len(work.ok("issue_list", limit=1)["issues"]) == 1
    assert work.ok("issue_update", issue_id=first, title="A gate", body="New", labels=["UI"]) == {"id": first}
    read = work.ok("issue_read", issue_id=first)
    assert (read["title"], read["body"], read["labels"]) == ("A gate", "New", ["ui"])
    assert work.project.item(first)["body"].startswith("<!-- agentcells:v1 ")  # the mark stays
    assert "already" in work("issue_update", issue_id=first, title="A gate")["summary"]
    work.ok("issue_update", issue_id=first, labels=[])
    assert work.project.item(first)["labels"] == []
    assert work.ok("issue_comment", issue_id=second, body="Look:\n- here") == {"id": second}
    assert work.ok("issue_read", issue_id=second)["comments"][0]["body"] == "Look:\n- here"
    work.ok("issue_close", issue_id=second)
    work.ok("issue_close", issue_id=second)
    assert [row["id"] for row in work.ok("issue_list", state="closed")["issues"]] == [second]
    assert {row["id"] for row in work.ok("issue_list", state="all")["issues"]} == {first, second}
    for tool, more in (("issue_create", {"title": " "}), ("issue_comment", {"issue_id": first, "body": ""}),
                       ("issue_update", {"issue_id": first, "title": "\n"}), ("issue_list", {"state": "x"}),
                       ("issue_close", {"issue_id": first, "comment": " "})):
        work.no(tool, "policy_blocked", **more)
    for tool, more in (("issue_comment", {"body": "x"}), ("issue_update", {"title": "x"}), ("issue_close", {})):
        work.no(tool, "not_found", issue_id=4_711, **more)
    work.no("issue_create", "not_found", title="x", labels=["no-such-label"])


def test_r29_posts_are_marked_and_the_factorys_labels_and_texts_are_out_of_reach(work: Work) -> None:
    number = work.project.issue("As approved", "The task.")
    work.ok("issue_comment", issue_id=number, body="/hold\nok")
    body = work.project.item(number)["comments"][0]["body"]
    assert body.startswith('<!-- agentcells:v1 {"kind":"records"')
    for labels in (["ac:implement"], ["AC:Working"], ["ac:anything"]):
        work.no("issue_update", "policy_blocked", issue_id=number, labels=labels)
        work.no("issue_create", "policy_blocked", title="x", labels=labels)
    work.project.label(number, "ac:implement")
    for change in ({"title": "Other"}, {"body": "Other."}):
        assert "issue_comment" in work.no("issue_update", "policy_blocked", issue_id=number, **change)["hint"]
    work.ok("issue_update", issue_id=number, labels=["bug"])
    item = work.project.item(number)
    assert (item["title"], item["body"], sorted(item["labels"])) == (
        "As approved", "The task.", ["ac:implement", "bug"])
    work.ok("issue_update", issue_id=number, labels=[])
    assert work.project.item(number)["labels"] == ["ac:implement"]


def test_b3_no_address_and_nobodys_e_mail_is_in_an_answer(work: Work) -> None:
    number = work.project.issue(comments=1)
    text = str([work("issue_read", issue_id=number), work("issue_list"), work("work_history"),
                work("work_session_start", project_root=str(work.project.desk.work)), work("work_observe")])
    assert "http" not in text
    assert "@" not in text
    assert str(work.project.desk.shared) not in text


@pytest.mark.parametrize("kind", KINDS)
def test_i5_without_a_tracker_issues_are_not_found_and_work_goes_on(kind: str) -> None:
    brain = Brain(kind)
    plain = brain.start(brain.place.plain)
    for tool, more in (("issue_list", {}), ("issue_read", {"issue_id": 1}), ("issue_create", {"title": "x"}),
                       ("issue_comment", {"issue_id": 1, "body": "x"}), ("issue_close", {"issue_id": 1}),
                       ("issue_update", {"issue_id": 1, "title": "x"})):
        assert "work can be recorded" in brain.no(tool, "not_found", **more)["hint"]
    plain.write({"a": "a"})
    assert brain.ok("work_record", message="a", issue_ids=[5])["issue_ids"] == [5]
    assert brain.ok("work_publish")["published"] == 1
