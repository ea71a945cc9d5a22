"""The state of work and the next step: every combination of facts, one judgement (E1 to E12)."""

from __future__ import annotations

import itertools

import pytest

from agentcells.observation import ChangedFile, Facts, change_summary, observe, state_of

VERBS = ("session_start", "start", "observe", "record", "publish", "finish", "update", "diff")
ONE = (ChangedFile(path="src/mcp_facade.py", added=12, removed=3),)


def test_e10_exactly_one_state_holds_in_every_combination() -> None:
    expected = {
        (False, False, False): "clean_idle", (False, False, True): "clean_with_active_issue",
        (False, True, False): "recorded_unpublished", (False, True, True): "recorded_unpublished",
        (True, False, False): "dirty", (True, False, True): "dirty",
        (True, True, False): "dirty_and_unpublished", (True, True, True): "dirty_and_unpublished",
    }
    for changed, unshared, issue in itertools.product((False, True), repeat=3):
        facts = Facts(changes=ONE if changed else (), unpublished=2 if unshared else 0,
                      issue=50 if issue else None)
        assert state_of(facts) == expected[changed, unshared, issue]
        for obstacle in ("conflicts", "unfinished", "no_line", "shared_ahead"):
            blocked = Facts(changes=facts.changes, unpublished=facts.unpublished,
                            issue=facts.issue, obstacle=obstacle)
            assert state_of(blocked) == "blocked"
            unread = Facts(readable=False, changes=facts.changes, obstacle=obstacle)
            assert state_of(unread) == "unknown"
            assert state_of(Facts(started=False, readable=False, obstacle=obstacle)) == \
                "uninitialized"


def test_e11_without_a_shared_place_sharing_is_never_recommended() -> None:
    assert state_of(Facts(unpublished=None)) == "clean_idle"
    found = observe(Facts(unpublished=None, issue=50), "en", VERBS)
    assert (found.state, found.unpublished) == ("clean_with_active_issue", None)
    assert found.next is not None
    assert found.next.verb == "finish"
    assert "shared" not in found.next.reason


@pytest.mark.parametrize(("facts", "verb", "required", "available"), [
    (Facts(started=False), "session_start", ("project_root",), ("session_start",)),
    (Facts(readable=False), "observe", (), ()),
    (Facts(readable=False, tried_again=True), None, (), ()),
    (Facts(changes=ONE, issue=50), "record", ("message",), ("diff",)),
    (Facts(changes=ONE, unpublished=1), "record", ("message",), ("diff",)),
    (Facts(unpublished=2), "publish", (), ()),
    (Facts(unpublished=1, issue=50), "publish", (), ()),
    (Facts(issue=50), "finish", (), ()),
    (Facts(), None, (), ("start",)),
    (Facts(obstacle="shared_ahead"), "update", (), ()),
    (Facts(obstacle="shared_ahead", changes=ONE), "update", (), ("record", "diff")),
    (Facts(obstacle="conflicts", conflicts=("a",)), None, (), ("diff",)),
    (Facts(obstacle="no_line"), None, (), ("diff",)),
])
def test_each_state_has_its_next_step(facts: Facts, verb: str | None, required: tuple[str, ...],
                                      available: tuple[str, ...]) -> None:
    found = observe(facts, "en", VERBS)
    assert (found.next.verb if found.next else None) == verb
    if found.next:
        assert found.next.required == required
        assert found.next.reason
    assert found.available == available


def test_without_an_issue_the_agent_is_told_how_to_link_one() -> None:
    with_issue, without = (observe(Facts(changes=ONE, issue=issue), "en", VERBS)
                           for issue in (50, None))
    assert with_issue.next is not None
    assert with_issue.next.hint == ""
    assert without.next is not None
    assert without.next.hint == "Give issue_ids to link issues, or issue_ids=[] for none"


def test_nothing_is_recommended_that_the_surface_does_not_have() -> None:
    found = observe(Facts(unpublished=2, changes=ONE), "en", ("record",))
    assert found.next is not None
    assert found.available == ()
    assert observe(Facts(unpublished=2), "en", ("record",)).next is None


def test_in_a_conflict_the_files_in_conflict_are_told_else_the_changed_ones() -> None:
    assert observe(Facts(obstacle="conflicts", conflicts=("x",), changes=ONE), "en",
                   VERBS).files == ("x",)
    assert observe(Facts(obstacle="shared_ahead", changes=ONE), "en", VERBS).files == (
        "src/mcp_facade.py",)
    for obstacle in ("conflicts", "unfinished", "no_line", "shared_ahead"):
        assert observe(Facts(obstacle=obstacle), "en", VERBS).blocked_reason


def test_e12_the_summary_counts_and_names_and_is_the_same_each_time() -> None:
    many = tuple(ChangedFile(path=f"f{n}", added=n, removed=None) for n in range(5))
    assert change_summary(ONE, "en") == "1 file changed (+12 -3)"
    assert change_summary(many, "en") == "5 files changed (+10 -0): f0, f1, f2, …"
    assert change_summary(many[:3], "en") == "3 files changed (+3 -0): f0, f1, f2"
    assert change_summary((), "en") is None
    assert change_summary(ONE, "ja") == "1 ファイル変更 (+12 -3)"


def test_d9_a_long_list_is_cut_at_fifty_and_the_rest_is_counted() -> None:
    many = tuple(ChangedFile(path=f"f{n:03}") for n in range(70))
    found = observe(Facts(changes=many), "en", VERBS)
    assert found.files is not None
    assert (len(found.files), found.omitted) == (50, 20)
    unread = observe(Facts(readable=False, issue=5), "en", VERBS)
    assert (unread.files, unread.summary, unread.unpublished, unread.issue) == (None, None, None, 5)
