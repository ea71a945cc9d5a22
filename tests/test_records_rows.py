"""The acceptance rows D to H: start, observe, record, publish, update, finish, as an agent sees them.

Each over stdio and HTTP, in both eras of the protocol; each test is named after its row.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

import pytest

from tests.brain_backends import HubPlace
from tests.brain_world import Brain
from tests.records_world import git

KEYS = {"work_state", "default_issue", "changed_files", "diff_summary", "unpublished_records",
        "next_recommended", "available_next"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each row over both transports, on the embedded forge and, in the long tests, on GitHub and Gitea.

    The eras of the protocol are dealt out by name; all four ways together are held by the tests of the
    session and of the words.
    """
    odd = zlib.crc32(metafunc.function.__name__.encode()) % 2
    kinds = ("stdio-legacy", "http-auto") if odd else ("stdio-auto", "http-legacy")
    hubs = [pytest.param(f"{kind}@{hub}", marks=pytest.mark.slow) for hub in ("github", "gitea") for kind in kinds]
    metafunc.parametrize("brain", [*kinds, *hubs], indirect=True)


@pytest.fixture
def brain(request: pytest.FixtureRequest) -> Brain:
    kind, _, hub = request.param.partition("@")
    made = Brain(kind)
    if hub:
        made.place = HubPlace(hub, made.place)
    return made


def observed(brain: Brain) -> dict[str, Any]:
    """E0: always all keys, and nothing but a tool that is there, with exactly what it requires."""
    data = brain.ok("work_observe")
    assert set(data) - {"omitted_files", "blocked_reason"} == KEYS
    step = data["next_recommended"]
    if step is not None:
        assert set(step) - {"policy_hint"} == {"tool", "reason", "required_args"}
        tools = {tool.name: tool for tool in brain.connection.tools()}
        assert step["required_args"] == tools[step["tool"]].input_schema.get("required", [])
    return data


# ---------------------------------------------------------------- D: the default issue


def test_d1_a_default_issue_is_set_replaced_and_cleared_and_locks_nothing(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    first, second = brain.place.issue(), brain.place.issue("Another")
    assert brain.ok("work_start", issue_id=first) == {"default_issue": first}
    assert brain.ok("work_observe")["default_issue"] == first
    game.write({"a": "a"})
    assert brain.ok("work_record", message="a", issue_ids=[second])["issue_ids"] == [second]
    assert brain.ok("issue_comment", issue_id=second, body="also here") == {"id": second}
    assert brain.ok("work_start", issue_id=second) == {"default_issue": second}
    assert brain.ok("work_start") == {"default_issue": None}
    brain.ok("work_start", issue_id=first)
    assert brain.ok("work_start", issue_id=None) == {"default_issue": None}
    brain.ok("work_start", issue_id=first)
    brain.no("work_start", "not_found", issue_id=9_999)
    assert brain.ok("work_observe")["default_issue"] == first
    assert not brain.place.item(first)["assignees"]  # no lock, no sign on the issue


def test_d1_an_issue_that_cannot_be_looked_up_is_taken_and_said_to_be_unchecked(brain: Brain) -> None:
    brain.start(brain.place.untracked)
    envelope = brain("work_start", issue_id=7)
    assert envelope["data"] == {"default_issue": 7}
    assert "not checked" in envelope["summary"]


# ---------------------------------------------------------------- E: observe


def test_e0_e2_e3_dirty(brain: Brain) -> None:
    game = brain.start(brain.place.game, brain.place.issue())
    game.write({"src/rules.py": "LIVES = 5\nLEVELS = 2\n"})
    with_issue = observed(brain)
    assert with_issue == {
        "work_state": "dirty", "default_issue": 1, "changed_files": ["src/rules.py"],
        "diff_summary": "1 file changed (+2 -1)", "unpublished_records": 0,
        "next_recommended": {"tool": "work_record", "reason": "There are unrecorded changes",
                             "required_args": ["message"]},
        "available_next": ["work_diff"],
    }
    brain.ok("work_start")
    without = observed(brain)
    step = with_issue["next_recommended"]
    hint = "Give issue_ids to link issues, or issue_ids=[] for none"
    assert without == {**with_issue, "default_issue": None,
                       "next_recommended": {**step, "policy_hint": hint}}


def test_e4_e5_clean_with_and_without_an_issue(brain: Brain) -> None:
    brain.start(brain.place.game, brain.place.issue())
    clean: dict[str, Any] = {"changed_files": [], "diff_summary": None, "unpublished_records": 0}
    assert observed(brain) == {
        **clean, "work_state": "clean_with_active_issue", "default_issue": 1,
        "next_recommended": {
            "tool": "work_finish", "required_args": [],
            "reason": "Everything is recorded and shared. Close out the work"},
        "available_next": [],
    }
    brain.ok("work_start")
    assert observed(brain) == {**clean, "work_state": "clean_idle", "default_issue": None,
                               "next_recommended": None, "available_next": ["work_start"]}


def test_e6_and_e7_recorded_unpublished_and_dirty_besides(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    for name in ("a", "b"):
        game.write({name: name})
        brain.ok("work_record", message=name)
    data = observed(brain)
    assert (data["work_state"], data["unpublished_records"], data["changed_files"]) == (
        "recorded_unpublished", 2, [])
    assert data["next_recommended"] == {
        "tool": "work_publish", "reason": "2 records are not shared yet", "required_args": []}
    game.write({"c": "c"})
    data = observed(brain)
    assert (data["work_state"], data["unpublished_records"], data["changed_files"]) == (
        "dirty_and_unpublished", 2, ["c"])
    assert data["next_recommended"]["tool"] == "work_record"
    assert data["next_recommended"]["policy_hint"]
    assert data["available_next"] == ["work_diff"]


def test_e8_blocked_by_files_in_conflict_by_no_line_and_by_newer_shared_records(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    brain.place.conflict(game)
    data = observed(brain)
    assert (data["work_state"], data["changed_files"], data["next_recommended"]) == (
        "blocked", ["src/rules.py"], None)
    assert "human" in data["blocked_reason"]
    brain.no("work_record", "conflict", message="x")
    brain.no("work_publish", "conflict")
    brain.no("work_update", "conflict")
    plain = brain.start(brain.place.plain)
    git(plain.work, "checkout", "-q", "--detach")
    assert observed(brain)["work_state"] == "blocked"
    brain.no("work_publish", "policy_blocked")
    git(plain.work, "checkout", "-q", "main")
    plain.colleague({"theirs": "x"})
    git(plain.work, "fetch", "-q")
    data = observed(brain)
    assert data["work_state"] == "blocked"
    assert data["next_recommended"]["tool"] == "work_update"


def test_e9_what_cannot_be_read_is_unknown_and_recommended_to_be_tried_once(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    head = game.work / ".git/HEAD"
    text = head.read_text()
    head.unlink()
    first = observed(brain)
    assert (first["work_state"], first["changed_files"], first["unpublished_records"]) == (
        "unknown", None, None)
    assert first["next_recommended"]["tool"] == "work_observe"
    assert observed(brain)["next_recommended"] is None
    head.write_text(text)
    assert observed(brain)["work_state"] == "clean_idle"
    head.unlink()
    assert observed(brain)["next_recommended"]["tool"] == "work_observe"


def test_e10_special_cases_are_read_as_they_are(brain: Brain) -> None:
    alone = brain.place.alone
    (alone.work / "README.md").rename(alone.work / "日本語 \n名前.md")
    alone.write({"x.log": "left out", "pic": b"\0\1\2", "empty": ""})
    brain.start(alone)
    data = observed(brain)
    assert data["changed_files"] == ["README.md", "empty", "pic", "日本語 \n名前.md"]
    assert data["diff_summary"] == "4 files changed (+1 -1): README.md, empty, pic, …"
    statuses = {row["path"]: row for row in brain.ok("work_status")["changes"]}
    assert statuses["pic"] == {"path": "pic", "kind": "added", "added": None, "removed": None}
    assert "日本語 \\n名前.md (added)" in brain.ok("work_diff")["diff"]
    assert "odd" not in brain.no("work_record", "policy_blocked", message="Odd ones")["hint"]
    (alone.work / "日本語 \n名前.md").rename(alone.work / "日本語 名前.md")
    assert brain.ok("work_record", message="Odd ones")["files"] == 4
    assert observed(brain)["work_state"] == "clean_idle"


def test_e11_without_a_shared_place_nothing_says_share(brain: Brain) -> None:
    alone = brain.start(brain.place.alone, 5)
    alone.write({"a": "a"})
    assert brain.ok("work_record", message="a")["next_recommended"]["tool"] == "work_finish"
    assert observed(brain)["unpublished_records"] is None
    brain.no("work_publish", "not_found")
    brain.no("work_update", "not_found")
    assert brain.ok("work_finish")["unpublished"] is None


def test_d9_many_files_are_cut_at_fifty_and_counted(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    game.write({f"f{number:03}": "x\n" for number in range(120)})
    data = observed(brain)
    assert (len(data["changed_files"]), data["omitted_files"]) == (50, 70)
    data = brain.ok("work_status")
    assert (len(data["changes"]), data["omitted_files"]) == (50, 70)


# ---------------------------------------------------------------- F: record


def test_f1_all_changes_are_taken_and_a_blank_message_is_named(brain: Brain) -> None:
    game = brain.start(brain.place.game, brain.place.issue())
    game.write({"new": "n", "x.log": "left out"})
    (game.work / "README.md").unlink()
    for blank in ({}, {"message": ""}, {"message": " \n"}, {"message": None}):
        assert "message" in brain.no("work_record", "policy_blocked", **blank)["summary"]
    data = brain.ok("work_record", message="Everything")
    assert set(data) == {"record", "files", "issue_ids", "work_state", "next_recommended"}
    assert (data["files"], data["issue_ids"], data["work_state"]) == (2, [1], "recorded_unpublished")
    assert git(game.work, "show", "--name-status", "--format=", "HEAD") == "D\tREADME.md\nA\tnew"


@pytest.mark.parametrize(("given", "linked"), [
    ({}, [1]), ({"issue_ids": None}, [1]), ({"issue_ids": []}, []), ({"issue_ids": [2, 3]}, [2, 3]),
    ({"issue_ids": [3, 2, 3]}, [3, 2]),
])
def test_f2_k6_k7_k8_which_issues_a_record_is_linked_to(brain: Brain, given: dict[str, Any],
                                               linked: list[int]) -> None:
    for title in "abc":
        brain.place.issue(title)
    game = brain.start(brain.place.game, 1)
    game.write({"a": "a"})
    assert brain.ok("work_record", message="a", **given)["issue_ids"] == linked
    assert brain.ok("work_history", limit=1)["records"][0]["issue_ids"] == linked


def test_f2_numbers_that_are_none_and_issues_that_are_not_there(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    game.write({"a": "a"})
    before = game.picture()
    for wrong in ([0], [-1], [True], ["1"], [1.5], 7, "7", [[1]]):
        brain.no("work_record", "policy_blocked", message="a", issue_ids=wrong)
    brain.no("work_record", "not_found", message="a", issue_ids=[4_711])
    assert game.picture() == before


def test_f3_the_link_is_in_the_record_and_the_words_are_unchanged(brain: Brain) -> None:
    brain.place.issue()
    game = brain.start(brain.place.game, 1)
    game.write({"a": "a"})
    words = "Give lives\n\n  fixes #9, @bob\n# a line"
    brain.ok("work_record", message=words)
    assert git(game.work, "log", "-1", "--format=%B") == f"{words}\n\nIssue: #1"
    record = brain.ok("work_history")["records"][0]
    assert (record["message"], record["issue_ids"]) == (words, [1])


def test_f4_refusals_leave_everything_as_it_was(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    brain.no("work_record", "policy_blocked", message="nothing")
    for name, content, word in (
        (".github/workflows/ci.yml", "on: push\n", ".github/workflows/ci.yml"),
        (".claude/settings.json", "{}", ".claude/settings.json"),
        ("key.txt", "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8\n", "key.txt"),
    ):
        game.write({name: content})
        before = game.picture()
        assert word in brain.no("work_record", "policy_blocked", message="x")["summary"]
        assert game.picture() == before
        (game.work / name).unlink()
    (game.work / "link").symlink_to("README.md")
    head = game.head()
    assert "link" in brain.no("work_record", "policy_blocked", message="x")["summary"]
    assert game.head() == head
    (game.work / "link").unlink()
    game.hook("pre-commit", "echo no; exit 1")
    game.write({"a": "a"})
    before_all = game.picture()
    brain.no("work_record", "policy_blocked", message="x")
    assert game.picture() == before_all


def test_f5_a_record_has_an_id_of_its_own_kind_and_is_found_by_it(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    game.write({"a": "one\n"})
    record = brain.ok("work_record", message="a")["record"]
    game.write({"a": "two\n"})
    later = brain.ok("work_record", message="b")["record"]
    assert brain.ok("work_diff", record=later)["diff"] == "== a (changed)\n@@ -1 +1 @@\n-one\n+two\n"
    found = brain.ok("work_history", record=record)["records"]
    assert [(one["record"], one["files"]) for one in found] == [(record, ["a"])]
    brain.no("work_history", "not_found", record="rec-0123456789")
    brain.no("work_diff", "not_found", record=game.head())
    text = json.dumps([brain("work_history"), brain("work_observe"), brain("work_diff", record=later)])
    assert game.head() not in text


def test_l5_differences_have_our_own_headers_and_are_bounded(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    game.write({"src/rules.py": "x = 1\n" * 200_000, "z": "z\n"})
    envelope = brain("work_diff")
    assert envelope["data"]["diff"].startswith("== src/rules.py (changed)\n@@ ")
    assert len(envelope["data"]["diff"]) <= 24_000
    assert envelope["data"]["omitted_files"] == 2
    assert brain.ok("work_diff", paths=["z"]) == {"diff": "== z (added)\n@@ -0,0 +1,1 @@\n+z\n"}
    assert brain.ok("work_diff", paths=["README.md"]) == {"diff": ""}
    brain.no("work_diff", "not_found", paths=["no/such"])
    brain.no("work_diff", "policy_blocked", paths=["/etc/passwd"])
    brain.no("work_diff", "not_found", paths=["--stat"])


# ---------------------------------------------------------------- G: publish and update


def test_g1_g2_g5_sharing(brain: Brain) -> None:
    game = brain.start(brain.place.game)
    assert brain.ok("work_publish")["published"] == 0
    for name in ("a", "b"):
        game.write({name: name})
        brain.ok("work_record", message=name)
    game.write({"c": "c"})
    shared = git(game.shared, "rev-parse", "main")
    assert "work_record" in brain.no("work_publish", "policy_blocked")["hint"]
    assert git(game.shared, "rev-parse", "main") == shared
    brain.ok("work_record", message="c")
    assert brain.ok("work_publish") == {
        "published": 3, "work_state": "clean_idle", "next_recommended": None}
    assert git(game.shared, "rev-parse", "main") == game.head()
    assert brain("work_publish")["summary"] == "Nothing to share"


def test_g1_the_first_sharing_of_a_new_line_needs_no_argument(brain: Brain) -> None:
    plain = brain.start(brain.place.plain)
    git(plain.work, "switch", "-q", "-c", "idea")
    plain.write({"a": "a"})
    brain.ok("work_record", message="a")
    assert brain.ok("work_publish")["published"] == 1
    assert git(plain.shared, "rev-parse", "idea") == plain.head()


def test_g3_g6_newer_shared_records_are_taken_in_and_then_it_goes(brain: Brain) -> None:
    plain = brain.start(brain.place.plain)
    plain.colleague({"theirs": "x"})
    plain.write({"mine": "x"})
    brain.ok("work_record", message="mine")
    assert "work_update" in brain.no("work_publish", "conflict")["hint"]
    assert observed(brain)["next_recommended"]["tool"] == "work_update"
    assert brain.ok("work_update")["taken_in"] == 1
    assert brain.ok("work_publish")["work_state"] == "clean_idle"


def test_g6_what_cannot_be_taken_in_leaves_everything_as_it_was(brain: Brain) -> None:
    plain = brain.start(brain.place.plain)
    plain.colleague({"src/rules.py": "LIVES = 9\n"})
    plain.write({"src/rules.py": "LIVES = 2\n"})
    before = plain.picture()
    assert "src/rules.py" in brain.no("work_update", "conflict")["summary"]
    assert plain.picture() == before
    brain.ok("work_record", message="mine")
    before = plain.picture()
    assert "src/rules.py" in brain.no("work_update", "conflict")["summary"]
    assert plain.picture() == before


def test_g4_on_no_line_nothing_is_shared(brain: Brain) -> None:
    plain = brain.start(brain.place.plain)
    git(plain.work, "checkout", "-q", "--detach")
    assert "human" in brain.no("work_publish", "policy_blocked")["hint"]


# ---------------------------------------------------------------- H: finish


def test_h1_h2_finish_says_what_is_left_then_closes_out(brain: Brain) -> None:
    game = brain.start(brain.place.game, brain.place.issue())
    game.write({"a": "a"})
    assert brain.ok("work_finish") == {
        "unrecorded": 1, "unpublished": 0, "issue": 1, "suggestions": [],
        "next_recommended": {"tool": "work_record", "reason": "There are unrecorded changes",
                             "required_args": ["message"]}}
    brain.ok("work_record", message="a")
    assert brain.ok("work_finish")["next_recommended"]["tool"] == "work_publish"
    assert brain.ok("work_observe")["default_issue"] == 1
    brain.ok("work_publish")
    assert brain.ok("work_finish") == {
        "unrecorded": 0, "unpublished": 0, "issue": 1, "next_recommended": None,
        "suggestions": ["issue_comment", "issue_close"]}
    assert brain.state() == "clean_idle"
    assert brain.place.item(1)["state"] == "open"  # it closes nothing itself
    assert brain.ok("work_finish")["suggestions"] == []
