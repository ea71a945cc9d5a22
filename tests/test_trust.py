"""trust: who may start a run, tables over single facts (R23 to R27, R29)."""


from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentcells.markers import render_ledger
from agentcells.model import Account, Comment, Item, Label, Pair
from agentcells.posts import Ledger, Marker, Move
from agentcells.trust import (
    Approval,
    Distrust,
    command,
    ledger_lost,
    looks_like_ours,
    may_run,
    our_ledger,
    our_marker,
    our_state,
    owner_said,
    text_cause,
    text_hash,
    unread,
    voice,
)
from tests.builders import (
    ALICE,
    BOB,
    CELLS,
    at,
    book,
    comment,
    config,
    decision,
    edited,
    event,
    issue,
    label,
    labeled,
    labelled,
    ours,
    pull,
    snapshot,
    unlabeled,
)

CONFIG = config()
REPLIED = Move(at=at(20), came_from="needs-human", to="implement", why="move_reply")


def verdict(item: Item, state: str = "implement", viewer: Account = CELLS, **changes: Any) -> str:
    """"" for yes, else the reason."""
    seen = snapshot(item, viewer=viewer, **changes)
    found = may_run(CONFIG, seen.pairs[0], state, seen)
    return found.key if isinstance(found, Distrust) else ""


# ---------------------------------------------------------------- the label


def test_a_label_and_an_assignment_of_the_owner_are_all_it_takes():
    item = labelled()
    seen = snapshot(item)
    found = may_run(CONFIG, seen.pairs[0], CONFIG.cells[1], seen)
    assert found == Approval(
        title=item.title, body=item.body, text_hash=text_hash(item.title, item.body), at=at(0))


@pytest.mark.parametrize(("case", "item", "reason"), [
    ("A01", labelled(who=BOB), "skip_label_foreign"),
    ("A02", labelled(events=(unlabeled("implement", 1, BOB), labeled("implement", 2, BOB))),
     "skip_label_foreign"),
    ("owner again", labelled(events=(unlabeled("implement", 1, BOB), labeled("implement", 2))), ""),
    ("A03 other", labelled(assignees=(BOB,)), "skip_not_assigned"),
    ("A03 nobody", labelled(assignees=()), "skip_not_assigned"),
    ("A03 both", labelled(assignees=(BOB, ALICE)), ""),
    ("A04 bot", labelled(who=Account(id="U9", login="alice[bot]", kind="bot")), "skip_label_foreign"),
    ("A04 case", labelled(who=Account(id="U9", login="Alice")), "skip_label_foreign"),
    ("A04 old login", labelled(who=Account(id="U9", login="alice")), "skip_label_foreign"),
    ("A04 new login", labelled(who=Account(id="U1", login="alicia")), ""),
    ("A04 assignee", labelled(assignees=(Account(id="U9", login="alice"),)), "skip_not_assigned"),
    ("A08", labelled(events=(event("transferred", 1, BOB),)), "skip_transferred"),
    ("A08 same second", labelled(events=(event("transferred", 0, BOB),)), "skip_transferred"),
    ("A08 labelled after", labelled(events=(
        event("transferred", 1, BOB), unlabeled("implement", 2), labeled("implement", 3))), ""),
    ("A14 ghost", labelled(events=(unlabeled("implement", 1), labeled("implement", 2, None))),
     "skip_label_foreign"),
    ("no event", issue(7, "implement"), "skip_label_unknown"),
    ("another cell's event", issue(7, "implement", events=(labeled("triage", 0),)),
     "skip_label_unknown"),
    ("unannounced", labelled(who=CELLS), "skip_label_foreign"),
    ("closed", labelled(state="implement", number=7), ""),
])
def test_r24_whose_label_it_is(case, item, reason):
    assert verdict(item) == reason


def test_r24_a_closed_item_never_runs():
    assert verdict(replace(labelled(), state="closed")) == "skip_not_open"


@pytest.mark.parametrize("name", [
    "ac:ımplement", "ac：implement", "ac:implement\u200b", "AC:Implement", "ａｃ:implement", "ac:i\u017f",
])
def test_a05_a_label_that_only_looks_like_ours_is_not_ours(name):
    assert our_state(CONFIG, label(name)) is None


def test_a05_a_look_alike_is_named_as_one():
    assert looks_like_ours(CONFIG, label("AC:Implement"))
    assert not looks_like_ours(CONFIG, label("ac:implement"))
    assert not looks_like_ours(CONFIG, label("bug"))


def test_a05_the_priority_label_is_none_of_the_states():
    there = config(priority_label="ac:p0")
    assert our_state(there, label("ac:p0")) is None
    assert not looks_like_ours(there, label("ac:p0"))


def test_a07_a_label_made_again_under_the_same_name_is_not_the_pinned_one():
    again = labelled(labels=(Label(id="L-new", name="ac:implement"),))
    assert our_state(CONFIG, again.labels[0], ("L-ac:implement",)) is None
    assert our_state(CONFIG, label("ac:implement"), ("L-ac:implement",)) == "implement"
    assert verdict(labelled(), label_ids=("L-other",)) == "skip_label_unknown"


# ---------------------------------------------------------------- the chain


def chained(*events, comments=(), **changes) -> Item:
    """The owner labelled triage at noon; what came after is given."""
    return issue(
        7, "implement", events=(labeled("triage", 0), *events), comments=tuple(comments), **changes
    )


OURS = (labeled("implement", 11, CELLS), unlabeled("triage", 12, CELLS))
SENT = decision("r1", "triage", "implement", 10)
NOTICED = ours(Marker(kind="notice", cause="x", came_from="triage", to="implement"), 10)


@pytest.mark.parametrize(("case", "item", "reason"), [
    ("a decision", chained(*OURS, comments=[SENT]), ""),
    ("a notice", chained(*OURS, comments=[NOTICED]), ""),
    ("a move in the book", chained(
        labeled("implement", 20, CELLS), comments=[book(Ledger(moves=(REPLIED,)))]), ""),
    ("no announcement", chained(*OURS), "skip_label_foreign"),
    ("another label", chained(*OURS, comments=[decision("r1", "triage", "review", 10)]),
     "skip_label_foreign"),
    ("announced later", chained(*OURS, comments=[decision("r1", "triage", "implement", 15)]),
     "skip_label_foreign"),
    ("a stranger's announcement", chained(*OURS, comments=[
        replace(SENT, author=BOB)]), "skip_label_foreign"),
    ("edited by a stranger", chained(*OURS, comments=[replace(SENT, edits=(edited(BOB, 11),))]),
     "skip_label_foreign"),
    ("edited by nobody known", chained(*OURS, comments=[replace(SENT, edits=(edited(None, 11),))]),
     "skip_label_foreign"),
    ("edited by us", chained(*OURS, comments=[replace(SENT, edits=(edited(CELLS, 11),))]), ""),
    ("a stranger in between", chained(
        labeled("review", 5, BOB), unlabeled("review", 6, BOB), *OURS, comments=[SENT]),
     "skip_label_between"),
    ("a stranger's working label", chained(
        labeled("working", 5, BOB), unlabeled("working", 6, BOB), *OURS, comments=[SENT]), ""),
    ("a stranger's other label", chained(
        event("labeled", 5, BOB, "bug"), event("labeled", 5.5, BOB), *OURS, comments=[SENT]), ""),
    ("two announced within one second, the later first", chained(
        labeled("needs-human", 10, CELLS), labeled("implement", 11, CELLS), comments=[SENT, book(Ledger(
            moves=(Move(at=at(10), came_from="triage", to="needs-human", why="move_reply"),)))]), ""),
])
def test_r24_a_label_of_ours_is_announced_in_a_chain_from_the_owners(case, item, reason):
    assert verdict(item) == reason


def test_r24_a_chain_without_the_owner_at_its_beginning_is_none():
    item = issue(7, "implement", events=OURS, comments=(SENT,))
    assert verdict(item) == "skip_label_unordered"


@pytest.mark.parametrize(("case", "events", "comments", "start"), [
    ("announced", (labeled("implement", 11, ALICE),), [replace(SENT, author=ALICE)], 0),
    ("by hand", (labeled("implement", 11, ALICE),), [], 11),
    ("announced, then again by hand", (
        labeled("implement", 11, ALICE), unlabeled("implement", 12), labeled("implement", 13)),
     [replace(SENT, author=ALICE)], 13),
    ("announced another one", (labeled("implement", 11, ALICE),),
     [replace(decision("r1", "triage", "review", 10), author=ALICE)], 11),
    ("announced, something else came first", (
        labeled("needs-human", 11, ALICE), labeled("implement", 12, ALICE)),
     [replace(SENT, author=ALICE)], 12),
    ("stayed where it was", (unlabeled("implement", 11, ALICE), labeled("implement", 12, ALICE)),
     [replace(decision("r1", "implement", "implement", 10), author=ALICE)], 12),
    ("an announcement of none takes the one before back", (labeled("implement", 12, ALICE),),
     [replace(SENT, author=ALICE), book(Ledger(moves=(
         Move(at=at(11), came_from="implement", to="", why="move_held"),)), who=ALICE)], 12),
])
def test_r24_with_the_owners_own_token_what_we_announced_is_ours(case, events, comments, start):
    item = chained(*events, comments=comments)
    seen = snapshot(item, viewer=ALICE)
    found = may_run(CONFIG, seen.pairs[0], "implement", seen)
    assert isinstance(found, Approval)
    assert found.at == at(start)


@pytest.mark.parametrize(("delegate", "place", "reason"), [
    (False, "comment", "skip_label_unordered"), (True, "comment", ""),
    (False, "body", "skip_label_unordered"), (True, "body", ""),
])
@pytest.mark.parametrize("who", [ALICE, CELLS])
def test_r29_a_delegated_label_is_the_owners_only_if_he_says_so(delegate, place, reason, who):
    post = ours(Marker(kind="records", to="implement"), -1, who=who)
    item = issue(7, "implement", events=(labeled("implement", 0, who),), author=who)
    if place == "comment":
        item = replace(item, comments=(post,))
    else:
        item = replace(item, body=post.body, created_at=at(-1))
    seen = snapshot(item)
    found = may_run(config(delegate=delegate), seen.pairs[0], "implement", seen)
    assert (found.key if isinstance(found, Distrust) else "") == reason


def test_r29_a_strangers_records_post_announces_nothing():
    post = ours(Marker(kind="records", to="implement"), -1, who=BOB)
    assert verdict(labelled(comments=(post, comment(None, "gone", -1)))) == ""


def test_r10_the_owners_own_pull_request_needs_no_assignee():
    mine = pull(8, "review", author=ALICE, assignees=(), events=(labeled("review", 0),),
                facts={"head_ref": "boat"})
    assert verdict(mine, "review") == ""
    assert verdict(replace(mine, author=BOB), "review") == "skip_not_assigned"


# ---------------------------------------------------------------- the text


@pytest.mark.parametrize(("case", "changes", "reason"), [
    ("A18 edited after", {"edits": (edited(BOB, 1),)}, "skip_text_changed"),
    ("A18 edited and back", {"edits": (edited(BOB, 1), edited(BOB, 2))}, "skip_text_changed"),
    ("A18 same second", {"edits": (edited(BOB, 0),)}, "skip_text_changed"),
    ("A18 renamed", {"events": (event("renamed", 1, BOB),)}, "skip_text_changed"),
    ("edited before", {"edits": (edited(BOB, -1),)}, ""),
    ("by the owner", {"edits": (edited(ALICE, 1),)}, ""),
    ("renamed by the owner", {"events": (event("renamed", 1),)}, ""),
    ("by nobody known", {"edits": (edited(None, 1),)}, "skip_text_changed"),
    ("the first writing", {"created_at": at(0), "edits": (edited(BOB, 0),), "author": BOB}, ""),
])
def test_r25_the_text_approved_is_the_one_at_the_owners_label(case, changes, reason):
    assert verdict(labelled(**changes)) == reason


def test_r25_without_a_history_of_edits_the_hash_of_the_last_run_decides():
    item = labelled(edits=None)
    same = Ledger(text_hash=text_hash(item.title, item.body), approved_at=at(5))
    other = replace(same, text_hash="x")
    assert verdict(item) == ""
    assert verdict(replace(item, comments=(book(same),))) == ""
    assert verdict(replace(item, comments=(book(other),))) == "skip_text_changed"
    assert verdict(replace(item, comments=(book(replace(other, approved_at=None)),))) == ""
    assert verdict(replace(item, comments=(book(replace(other, approved_at=at(-1))),))) == ""


def test_r25_ok_approves_the_text_that_our_notice_told_of():
    item = labelled(edits=(edited(BOB, 1),))
    cause = text_cause(Pair(issue=item, pull=None))
    told = ours(Marker(kind="notice", cause=cause), 2)
    agreed = comment(ALICE, "OK.", 3)
    assert verdict(replace(item, comments=(told, agreed))) == ""
    assert verdict(replace(item, comments=(told, agreed), edits=(edited(BOB, 4),))) == (
        "skip_text_changed")
    assert verdict(replace(item, body="now this", comments=(told, agreed))) == "skip_text_changed"
    assert verdict(replace(item, comments=(told, replace(agreed, author=BOB)))) == (
        "skip_text_changed")
    assert verdict(replace(item, comments=(told, comment(ALICE, "ok, but red", 3)))) == (
        "skip_text_changed")


def test_r25_the_hash_does_not_mind_how_a_forge_ends_its_lines():
    assert text_hash("t", "a\r\nb\n") == text_hash("t", "a\nb")
    assert text_hash("ta", "b") != text_hash("t", "ab")


# ---------------------------------------------------------------- whose words


def speech(who: Account | None, body: str = "Make it red.", **changes) -> Comment:
    return comment(who, body, 1, **changes)


MARKED = ours(Marker(kind="decision", run="r1", to="review"), 1)


@pytest.mark.parametrize(("case", "said", "expected"), [
    ("the owner", speech(ALICE), "instruction"),
    ("a stranger", speech(BOB), "reference"),
    ("A14 a deleted account", speech(None), "reference"),
    ("A14 a bot", speech(Account(id="U9", login="ci", kind="bot")), "reference"),
    ("A12 edited by another", speech(ALICE, edits=(edited(BOB, 2),)), "reference"),
    ("edited by himself", speech(ALICE, edits=(edited(ALICE, 2),)), "instruction"),
    ("no history, untouched", speech(ALICE, edits=None), "instruction"),
    ("no history, updated later", speech(ALICE, edits=None, updated_at=at(2)), "reference"),
    ("by e-mail", speech(ALICE, by_email=True), "email"),
    ("without text", speech(ALICE, " "), "reference"),
    ("our account by hand", speech(CELLS), "reference"),
    ("our post", MARKED, "ours"),
    ("our post, edited by another", replace(MARKED, edits=(edited(BOB, 2),)), "reference"),
    ("a stranger's marker", replace(MARKED, author=BOB), "reference"),
    ("the owner's old token", replace(MARKED, author=ALICE), "reference"),
    ("a work record", ours(Marker(kind="records"), 1), "records"),
    ("a work record by the owner's account", ours(Marker(kind="records"), 1, who=ALICE), "records"),
    ("a stranger's work record", ours(Marker(kind="records"), 1, who=BOB), "reference"),
    ("a marker of a later version", speech(CELLS, "<!-- agentcells:v2 {} -->"), "reference"),
])
def test_r27_whose_words_these_are(case, said, expected):
    assert voice(said, CONFIG, ALICE, CELLS) == expected


def test_r27_scenario_24_with_the_owners_own_token_a_marked_post_is_ours():
    assert voice(replace(MARKED, author=ALICE), CONFIG, ALICE, ALICE) == "ours"
    assert voice(speech(ALICE), CONFIG, ALICE, ALICE) == "instruction"


def test_r27_e_mail_counts_when_the_owner_accepts_it():
    there = config(accept_email=True)
    assert voice(speech(ALICE, by_email=True), there, ALICE, CELLS) == "instruction"


def test_r25_where_nobody_tells_who_edited_the_mac_does():
    from agentcells.markers import whole

    marker, body = whole(Marker(kind="decision", run="r1"), "words", b"key")
    post = speech(CELLS, body, edits=None, updated_at=at(9))
    assert our_marker(post, CELLS, b"key") == marker
    assert our_marker(post, CELLS) is None
    assert our_marker(replace(post, body=body + "!"), CELLS, b"key") is None
    assert our_marker(replace(post, updated_at=post.created_at), CELLS) == marker


@pytest.mark.parametrize(("body", "expected"), [
    ("/hold", "hold"), ("/STOP now", "stop"), ("/resume", "resume"), ("ok", "ok"), ("OK!", "ok"),
    ("ok then", ""), ("please /hold", ""), ("", ""), ("/holding", ""),
])
def test_r7_commands_are_the_first_word(body, expected):
    assert command(speech(ALICE, body)) == expected


def test_owner_said_is_both_members_oldest_first():
    pair = Pair(
        issue=issue(comments=(comment(ALICE, "two", 2), comment(BOB, "no", 3))),
        pull=pull(comments=(comment(ALICE, "one", 1),)),
    )
    assert [one.body for one in owner_said(CONFIG, pair, ALICE, CELLS)] == ["one", "two"]


def test_r14_unread_is_what_came_after_the_newest_seen_of_its_kind():
    review = comment(ALICE, "a review", 5, kind="review")
    pair = Pair(
        issue=issue(comments=(comment(ALICE, "one", 1), comment(ALICE, "two", 2),
                              comment(BOB, "no", 3), comment(ALICE, "/hold", 4))),
        pull=pull(comments=(review,)),
    )

    def words(*seen: str, read_at: float | None = None) -> list[str]:
        found = unread(CONFIG, pair, ALICE, CELLS, seen,
                       read_at=None if read_at is None else at(read_at))
        return [one.body for one in found]

    assert words() == ["one", "two", "a review"]
    assert words("C1") == ["two", "a review"]
    assert words("C3") == ["a review"]
    assert words("C3", "C5") == []
    assert words("a deleted one", read_at=3) == ["two", "a review"]


# ---------------------------------------------------------------- the book


def test_r30_the_book_is_the_first_comment_of_ours_that_holds_one():
    ledger = Ledger(text_hash="h")
    damaged = replace(book(ledger, 1), body=book(ledger, 1).body[:-30])
    on_pull = Pair(issue=issue(), pull=pull(comments=(SENT, book(ledger, 3))))
    assert our_ledger(on_pull, CELLS) == ("C3", ledger)
    both = Pair(issue=issue(comments=(damaged, book(ledger, 2))), pull=None)
    assert our_ledger(both, CELLS) == ("C2", ledger)
    assert not ledger_lost(both, CELLS)


@pytest.mark.parametrize(("case", "comments", "lost"), [
    ("never made", (), False),
    ("gone, a decision stays", (SENT,), True),
    ("gone, only a notice stays", (ours(Marker(kind="notice", cause="x"), 1),), False),
    ("edited by another", (book(Ledger(), edits=(edited(BOB, 2),)),), True),
    ("a stranger's copy", (book(Ledger(), who=BOB),), False),
])
def test_r30_a_book_is_lost_when_there_was_one(case, comments, lost):
    assert ledger_lost(Pair(issue=issue(comments=comments), pull=None), CELLS) is lost


def test_r25_where_edits_are_not_told_a_book_bears_its_code_from_the_first_second():
    key, ledger = b"k" * 32, Ledger(text_hash="h")
    plain = replace(book(ledger, 1), edits=None)
    signed = replace(plain, body=render_ledger(ledger, "en", key))
    assert our_ledger(Pair(issue=issue(comments=(plain,)), pull=None), CELLS, key) is None
    assert our_ledger(Pair(issue=issue(comments=(signed,)), pull=None), CELLS, key) == ("C1", ledger)
