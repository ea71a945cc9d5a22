"""`why N`: each condition, held or not, who can change it, and what comes of it (R22)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from agentcells import views
from agentcells.case import open_case
from agentcells.config_model import Sandbox
from agentcells.plan import Brake, Plan, Skip, Unreadable
from agentcells.posts import Marker, Move
from agentcells.replies import cell_that_asked
from agentcells.standing import Around
from tests.pair_world import (
    ALICE,
    AUTOMERGE,
    BOB,
    CELLS,
    REVIEW,
    TRIAGE,
    at,
    book,
    claim,
    comment,
    config,
    issue,
    label,
    labeled,
    ours,
    pair,
    pull,
    result,
    row,
    running,
    snapshot,
)
from tests.snapshot import same
from tests.test_board import SKIP, world

LANGUAGES = ["en", "ja"]


def asked(state="needs-human", **changes):
    """A run asked, or finished, and the label followed."""
    said = ours(Marker(kind="decision", run="r9", cell="triage", came_from="triage", to=state),
                "**triage** asks you: which key should make the hero jump?", 10)
    events = (labeled("ac:triage", 1), labeled(f"ac:{state}", 10, CELLS))
    return issue(said, state=f"ac:{state}", events=events, **changes)


def waiting_for_review():
    done = ours(Marker(kind="decision", run="r9", cell="review", came_from="review",
                       to="in-review"), "**review** is content.", 40)
    there = pull(done, state="ac:in-review",
                 events=(labeled("ac:review", 30, CELLS), labeled("ac:in-review", 40, CELLS)))
    return snapshot(pair(issue(state="", events=(labeled("ac:implement", 1),)), there))


SKIPPED = Plan(skips=(SKIP,))
CASES = {
    "moves": (world(), Plan(actions=(claim(),)), 12),
    "running": (world(runs=(running(),)), Plan(), 12),
    "asks": (snapshot(pair(asked(url="https://forge.example/alice/game/issues/12"))), Plan(skips=(
        replace(SKIP, key="skip_needs_human", slots=()),)), 12),
    "in_review": (waiting_for_review(), Plan(skips=(
        replace(SKIP, key="skip_in_review", slots=()),)), 12),
    "torn": (world(), Plan(), 16),
    "stopped": (world(brake=Brake(stopped=True)), Plan(skips=(
        replace(SKIP, key="skip_stopped", slots=()),)), 12),
    "unknown": (world(), Plan(), 99),
    "tidied": (snapshot(pair(replace(asked(), state="closed"))), Plan(actions=(
        claim(),)), 12),
    "dead": (world(runs=(replace(running(), status="dead"),)), Plan(actions=(claim(),)), 12),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_r22_why_answers_in_full_sentences(name, language):
    told, plan, number = CASES[name]
    lines = views.why(config(language=language), told, plan, number)
    same(f"why/{name}.{language}", "\n".join(lines))


@pytest.mark.parametrize("language", LANGUAGES)
def test_on_a_forge_without_pages_the_commands_that_answer_are_named(language):
    settings = config(language=language)
    local = settings.model_copy(update={
        "forge": settings.forge.model_copy(update={"kind": "local"})})
    lines = []
    for name in ("asks", "in_review"):
        told, plan, number = CASES[name]
        lines += [views.why(local, told, plan, number)[-1], views.status_board(local, told, plan)[1]]
        assert "agentcells why" not in views.status_board(settings, told, plan)[1]
    same(f"why/desk.{language}", "\n".join(lines))


@pytest.mark.parametrize("language", LANGUAGES)
def test_r7_what_hold_took_out_of_the_line_is_told_with_the_way_back(language):
    """Not as a slip with labels: the owner's own `/hold` took them off."""
    obeyed = Move(at=at(21), came_from="needs-human", to="", why="move_held", because="C20")
    resting = issue(book((), moves=(obeyed,)), comment(ALICE, "/hold", 20), state="")
    beside = replace(asked(), labels=(label("ac:needs-human"), label("ac:hold")))
    settings = config(language=language)
    local = settings.model_copy(update={
        "forge": settings.forge.model_copy(update={"kind": "local"})})
    lines = []
    for item in (resting, beside):
        lines += views.why(local, snapshot(pair(item)), Plan(), 12)
        assert "agentcells issue comment 12 /resume" in lines[-1]
    same(f"why/held.{language}", "\n".join(lines))


@pytest.mark.parametrize(("language", "group", "reason"), [
    ("en", "taken out of the line by your /hold  (1)", "you: you wrote /hold"),
    ("ja", "あなたの /hold で外したもの  (1 件)", "あなた: あなたが /hold と書いた"),
])
def test_r7_status_shows_what_hold_took_out_of_the_line_and_how_to_bring_it_back(language, group, reason):
    obeyed = Move(at=at(21), came_from="implement", to="", why="move_held", because="C20")
    resting = issue(book((), moves=(obeyed,)), comment(ALICE, "/hold", 20), state="")
    told, settings = snapshot(pair(resting)), config(language=language)
    lines = views.status_board(settings, told, Plan())
    assert group in lines
    assert reason in lines[lines.index(group) + 1]
    value = views.status_value(settings, told, Plan())
    assert (value["state"], value["items"][0]["held"], value["waiting_for"]) == ("held", True, {"owner": 1})
    over = snapshot(pair(replace(resting, state="closed")))
    assert views.status_value(settings, over, Plan())["items"] == []


def test_r11_why_of_a_merged_item_says_that_it_is_done():
    there = replace(pull(state="ac:in-review"), state="merged")
    told = snapshot(pair(replace(asked(), state="closed"), there))
    lines = views.why(config(), told, Plan(actions=(claim(),)), 12)
    assert lines[1:] == [
        "  NO  #15 is merged: this is done.",
        "So: nothing runs on it any more. The next tick takes its labels off and, after a merge, our branch.",
    ]


def test_r11_status_says_that_a_closed_item_is_only_tidied():
    told = snapshot(pair(replace(asked(), state="closed")))
    assert "is closed; the next tick takes its labels off" in "\n".join(
        views.status_board(config(), told, Plan(actions=(claim(),))))


def tired():
    rows = tuple(row("implement", 2 + n, usd=9.0, outcome="timeout") for n in range(3))
    return issue(book(rows, older_runs=50), comment(BOB, "go on!", 50), blocked_by=(3, 4),
                 labels=(label("ac:implement"), label("ac:hold")), assignees=(BOB,))


def test_r22_why_says_who_can_change_what_does_not_hold():
    told = snapshot(pair(tired()), runs=(replace(running(), order=replace(
        running().order, pair_key="alice/game#13")),), brake=Brake(
        stopped=True, paused_until=at(200), pause_reason="usage_limit", usd_today=60.0,
        day="2026-03-01"))
    other = replace(SKIP, pair_key="alice/game#13")
    settings = config().model_copy(update={"sandbox": Sandbox(containment="none")})
    lines = views.why(settings, told, Plan(skips=(SKIP, other)), 12)
    assert sum(line.startswith("So: ") for line in lines) == 1
    refused = [line for line in lines if line.startswith("  NO ")]
    same("why/tired.en", "\n".join(refused))
    value = views.why_value(settings, told, Plan(skips=(SKIP, other)), 12)
    found = {one["name"]: one["who"] for one in value["items"][0]["conditions"]
             if not one["holds"]}
    assert found == {
        "hold": "owner", "skip_not_assigned": "owner", "rounds": "owner", "failures": "owner",
        "runs": "owner", "usd": "owner", "blocked": "owner", "stop": "owner", "pause": "time",
        "day": "time", "cell_free": "time", "slot": "time",
    }
    assert json.loads(json.dumps(value))["lines"] == lines
    assert lines[-1].endswith("You can change that.")


def test_r33_failures_in_a_row_are_named_before_they_stop_it():
    failed = issue(book((row("implement", 2, outcome="timeout"),)))
    lines = views.why(config(), snapshot(pair(failed)), Plan(), 12)
    assert "  yes It failed 1 time in a row (its time ran out); at 3 it is stopped." in lines


def test_r31_dollars_count_since_the_owners_last_word():
    rows = (row("implement", 2, usd=30.0), row("implement", 60, usd=1.0))
    heard = issue(book(rows), comment(ALICE, "go on", 50))
    lines = views.why(config(), snapshot(pair(heard)), Plan(), 12)
    assert "  yes It has cost $1.00 of 25.00 since your last word." in lines


@pytest.mark.parametrize(
    ("item", "said"),
    [
        (issue(state="ac:automerge"), "The cell behind ac:automerge is off in cells.toml."),
        (issue(state="ac:nonsense"), "No cell of cells.toml waits behind ac:nonsense."),
        (issue(state="ac:review"), "there is no open one here"),
        (issue(state="closed", events=()), "#12 is closed."),
    ],
)
def test_r22_a_label_that_leads_nowhere_is_explained(item, said):
    if item.labels[0].name == "closed":
        item = replace(item, state="closed", labels=(label("ac:implement"),))
    settings = config().model_copy(update={"off": (AUTOMERGE,)})
    assert said in "\n".join(views.why(settings, snapshot(pair(item)), Plan(), 12))


def test_r9_a_rival_and_a_strange_push_stand_in_the_way_until_you_speak():
    stands = replace(pair(issue(state=""), pull(state="ac:review", facts={"pushers": (BOB,)})),
                     rivals=(30,))
    lines = "\n".join(views.why(config(), snapshot(stands), Plan(), 12))
    assert "#30 by somebody else already closes this issue." in lines
    assert "Somebody else has put work on the branch (bob)." in lines
    told = [ours(Marker(kind="notice", cause=cause), "said", 32)
            for cause in ("rival:#30", f"pushed:{'2' * 40}")]
    answered = pair(issue(comment(ALICE, "all the same", 50), state=""),
                    pull(*told, state="ac:review", facts={"pushers": (BOB,)}))
    lines = "\n".join(views.why(config(), snapshot(replace(answered, rivals=(30,))), Plan(), 12))
    assert "somebody else" not in lines.lower()


def test_r9_rivals_that_were_answered_together_are_answered_each():
    told = ours(Marker(kind="notice", cause="rival:#20, #21"), "said", 32)
    answered = pair(issue(comment(ALICE, "all the same", 50), state=""), pull(told, state="ac:review"))
    lines = "\n".join(views.why(config(), snapshot(replace(answered, rivals=(21,))), Plan(), 12))
    assert "somebody else" not in lines.lower()


def test_r31_the_last_round_that_is_allowed_may_be_at_work():
    rows = (row("implement", 2), row("implement", 12), replace(row("implement", 90), end=None, outcome="", run="r90"))
    busy = pair(issue(book(rows), state="ac:implement"))
    lines = views.why(config(), snapshot(busy, runs=(running(),)), Plan(), 12)
    assert not [line for line in lines if line.startswith("  NO ") and "of 3 times" in line]


def test_r30_a_lost_book_is_a_condition_that_does_not_hold():
    orphan = issue(result("triage", "Clear.", 5))
    lines = views.why(config(), snapshot(pair(orphan)), Plan(), 12)
    assert any(line.startswith("  NO  The book of its runs is gone") for line in lines)


def test_a_question_without_words_of_ours_is_still_explained():
    byhand = issue(state="ac:needs-human", events=())
    lines = "\n".join(views.why(config(), snapshot(pair(byhand)), Plan(), 12))
    assert "It asked you ? ago: - Your comment on #12" in lines


def test_the_owners_own_pull_request_needs_no_issue_to_wait_for():
    own = pair(None, pull(state="ac:review", author=ALICE, facts={"head_ref": "mine"}))
    lines = views.why(config(), snapshot(own), Plan(), 15)
    assert "  yes It waits for no other issue." in lines


def test_r10_a_cell_on_issues_cannot_work_on_a_pull_request_alone():
    own = pair(None, pull(state="ac:triage", author=ALICE, facts={"head_ref": "mine"}))
    lines = "\n".join(views.why(config(), snapshot(own), Plan(), 15))
    assert "triage works on issues" in lines


def test_a_circle_of_names_sends_a_held_item_back_to_its_cell():
    last = (labeled("ac:triage", 1),)
    bare = issue(state="", events=last)
    assert views.why(config(TRIAGE, REVIEW), snapshot(pair(bare)), Plan(), 12)


def test_why_finds_a_pair_by_its_pull_request_and_in_every_repository():
    assert views.why(config(), world(), Plan(), 20)[0].startswith("alice/game#14")
    there = pair(issue(repo="alice/site"))
    lines = views.why(config(), snapshot(pair(issue()), there), Plan(), 12)
    assert [line.split()[0] for line in lines if line.startswith("alice/")] == [
        "alice/game#12", "alice/site#12"]
    assert "" in lines


def test_r21_why_tells_an_unreadable_item_from_an_unknown_one():
    told = snapshot(unreadable=(
        Unreadable(repo="alice/game", number=9, title="t", detail="page 2 failed"),
        Unreadable(repo="alice/game", number=8, title="u", detail="gone"),
    ))
    assert views.why(config(), told, Plan(), 9) == [
        "It could not be read now, so it is left alone: alice/game#9 t: page 2 failed. The next "
        "tick tries again."]
    assert "assign it to yourself" in views.why(config(), told, Plan(), 7)[0]
    assert views.why_value(config(), told, Plan(), 9)["unreadable"] == [
        "alice/game#9 t: page 2 failed"]


@pytest.mark.parametrize(
    ("around", "said"),
    [
        (Around(unreached="It is down.", as_of=at(70)),
         "The forge was not reached: It is down. What follows is as it was read at 2026-03-01 13:10"),
        (Around(unreached="It is down."), "Nothing was read from it before"),
    ],
)
def test_why_says_first_that_the_forge_was_not_reached(around, said):
    assert said in views.why(config(), world(), Plan(), 12, around)[0]


def test_r24_why_gives_the_reason_of_distrust():
    foreign = issue(events=(labeled("ac:implement", 1, BOB),))
    lines = views.why(config(), snapshot(pair(foreign)), Plan(), 12)
    assert any(line.startswith("  NO ") and "bob" in line for line in lines)
    assert ALICE.login not in "".join(line for line in lines if "bob" in line)


def test_a_skip_of_another_item_is_not_this_ones_reason():
    other = Skip(pair_key="alice/game#13", number=13, title="", state="", key="skip_held",
                 slots=(("label", "x"),))
    assert not any(line.startswith("So") for line in views.why(
        config(), world(), Plan(skips=(other,)), 12))


@pytest.mark.parametrize(
    ("item", "cell"),
    [
        (issue(), "implement"),
        (asked(), "triage"),
        (issue(state="ac:needs-human", events=()), ""),
        (issue(state="", events=(labeled("ac:triage", 1),)), "triage"),
        (issue(state="", events=(labeled("ac:triage", 1), labeled("ac:needs-human", 5))), "triage"),
        (issue(state="", events=()), ""),
    ],
)
def test_where_the_owners_next_word_would_send_it(item, cell):
    told = snapshot(pair(item))
    assert cell_that_asked(open_case(config(), told, told.pairs[0], told.brake)) == cell


def test_what_failed_in_the_last_pass_is_told_beside_what_the_next_one_does():
    told = replace(world(), troubles=(("alice/game#12", "The push was refused."),))
    lines = views.why(config(), told, Plan(actions=(claim(),)), 12)
    assert "The push was refused." in lines[-1]
