"""What the commands show: every write in words, every item with its reason, the flow drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import get_args

import pytest

from agentcells import views
from agentcells.model import RunId, Sha
from agentcells.plan import (
    Action,
    AssignOwner,
    Brake,
    Claim,
    CloseRun,
    DeleteBranch,
    MergePull,
    OpenPull,
    Plan,
    Post,
    Push,
    SetBrake,
    SetState,
    Skip,
    Unreadable,
    WriteLedger,
)
from agentcells.posts import Ledger, Marker, Move
from agentcells.run import Cleared, Proof
from agentcells.standing import cut, padded, width
from tests.pair_world import (
    ALICE,
    AUTOMERGE,
    BOB,
    IMPLEMENT,
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
    pair,
    pull,
    row,
    running,
    snapshot,
)

KEY, REPO, RUN = "alice/game#12", "alice/game", RunId("r1")
PROOF = Proof(run=RUN, nonce="n", containment="strong")
HEAD = Sha("abcdef0" + "1" * 33)
DECISION = Marker(kind="decision", run="r1", cell="implement", came_from="implement", to="review")


SAID = '<!-- agentcells:v1 {"kind":"notice"} -->\n**implement** is `done`.\nmore'


def post(marker=DECISION, body=SAID):
    return Post(pair_key=KEY, repo=REPO, on="pull", number=15, head="", marker=marker, body=body)


def set_state(state="review", **changes):
    plain = SetState(pair_key=KEY, repo=REPO, issue=12, pull=15, on="pull", head="", label=state)
    return replace(plain, **changes)


def write_ledger(*moves):
    ledger = Ledger(rows=(row("implement", 2),), moves=moves, older_runs=3)
    return WriteLedger(pair_key=KEY, repo=REPO, number=12, comment_id="", ledger=ledger)


def brake(**changes):
    return SetBrake(pair_key="", brake=Brake(**changes))


ACTIONS = {
    Push: (Push(pair_key=KEY, repo=REPO, run=RUN, proof=PROOF, cleared=Cleared(sha=HEAD, base=HEAD),
                ref="agentcells/12", expected=None), "push abcdef0 to agentcells/12"),
    OpenPull: (OpenPull(pair_key=KEY, repo=REPO, run=RUN, proof=PROOF, head="h", base="main",
                        title="The hero\x1b[2J jumps", body="b"),
               "open the pull request: The hero\\x1b[2J jumps"),
    AssignOwner: (AssignOwner(pair_key=KEY, repo=REPO, head="h"), "assign you to the pull request"),
    Post: (post(), "comment on the pull request: implement is done."),
    SetState: (set_state(), "label on the pull request: ac:review"),
    WriteLedger: (write_ledger(), "write the book on #12 (4 runs)"),
    Claim: (claim(), "start a run of implement"),
    CloseRun: (CloseRun(pair_key=KEY, run=RUN, keep=False), "put the run r1 away"),
    DeleteBranch: (DeleteBranch(pair_key=KEY, repo=REPO, ref="agentcells/12"),
                   "delete the branch agentcells/12"),
    MergePull: (MergePull(pair_key=KEY, repo=REPO, number=15, run=RUN, proof=PROOF,
                          expected_head=HEAD), "merge pull request #15 at abcdef0"),
    SetBrake: (replace(brake(usd_today=1.5), pair_key=KEY), "note the day's cost: $1.50"),
}


# ---------------------------------------------------------------- the plan


@pytest.mark.parametrize("kind", get_args(Action))
def test_r16_every_kind_of_write_has_a_line(kind):
    action, words = ACTIONS[kind]
    assert views.action_line(config(), action, "en") == f"{KEY}  {words}"
    assert views.action_line(config(), action, "ja") != views.action_line(config(), action, "en")


@pytest.mark.parametrize(
    ("action", "line"),
    [
        (claim(reply=True), f"{KEY}  start a run of implement, because you wrote"),
        (CloseRun(pair_key=KEY, run=RUN, keep=True),
         f"{KEY}  keep the unpublished work of r1 and put the run away"),
        (brake(stopped=True), "note that nothing new is to be started"),
        (brake(paused_until=at(0), pause_reason="limit\nreached"),
         "start nothing new until 2026-03-01 12:00 UTC: limit\\nreached"),
        (set_state("implement", working=True, hold=True, on="issue"),
         f"{KEY}  label on the issue: ac:implement + ac:working + ac:hold"),
        (set_state(""), f"{KEY}  label on the pull request: no label of ours"),
        (post(body="no marker here"), f"{KEY}  comment on the pull request: no marker here"),
    ],
)
def test_r16_what_is_special_about_a_write_is_said(action, line):
    assert views.action_line(config(), action, "en") == line


def test_r16_a_dry_run_shows_old_and_new_label_where_the_plan_tells():
    move = Move(at=at(1), came_from="needs-human", to="implement", why="x")
    other = replace(post(), pair_key="alice/game#13")
    lines = views.plan_lines(config(), Plan(actions=(other, post(), set_state())), "en")
    assert lines[-1] == f"{KEY}  label on the pull request: ac:implement -> ac:review"
    lines = views.plan_lines(
        config(), Plan(actions=(write_ledger(), write_ledger(move), set_state("implement"))), "en"
    )
    assert lines[-1] == f"{KEY}  label on the pull request: ac:needs-human -> ac:implement"
    lines = views.plan_lines(config(), Plan(actions=(write_ledger(move), set_state())), "en")
    assert lines[-1] == f"{KEY}  label on the pull request: ac:review"


SKIP = Skip(pair_key=KEY, number=12, title="The \x1b]0;evil\x07 hero", state="implement",
            key="comment_foreign", slots=(("who", "bob\nroot"),), who="owner")


def test_r22_what_is_left_alone_is_named_with_its_reason_and_who_can_change_it():
    assert views.skip_line(SKIP, "en") == (
        f"{KEY}  The \\x1b]0;evil\\x07 hero: The branch also holds work that no run made, by "
        "bob\\nroot. It is kept as it is. (you)"
    )
    assert views.plan_lines(config(), Plan(skips=(SKIP,)), "en") == [
        "Nothing to do.", "", "Left alone:", views.skip_line(SKIP, "en"),
    ]
    assert views.plan_lines(config(), Plan(), "ja") == ["することはありません。"]


def test_r16_the_plan_for_a_program_holds_every_field():
    plan = Plan(actions=tuple(action for action, _ in ACTIONS.values()), skips=(SKIP,))
    value = json.loads(json.dumps(views.plan_value(config(), plan, "en")))
    assert [one["action"] for one in value["actions"]] == [
        "push", "open_pull", "assign_owner", "post", "set_state", "write_ledger", "claim",
        "close_run", "delete_branch", "merge_pull", "set_brake",
    ]
    assert value["actions"][0]["cleared"]["sha"] == HEAD
    assert value["actions"][0]["line"] == f"{KEY}  push abcdef0 to agentcells/12"
    assert value["skips"][0]["slots"] == {"who": "bob\nroot"}
    assert value["skips"][0]["who"] == "owner"
    assert value["skips"][0]["line"] == views.skip_line(SKIP, "en")


# ---------------------------------------------------------------- a story


def test_the_steps_of_a_story_are_one_line_each():
    assert views.label_line(config(), "en", "", "implement") == "no label of ours -> ac:implement"
    assert views.label_line(config(), "en", "review", "") == "ac:review -> no label of ours"
    assert views.record_line("Let the hero jump\n\nbody", "en") == "record: Let the hero jump body"
    said = views.comment_line("bob\x1b", "**No** `way`\nreally", "en")
    assert said == "bob\\x1b comments: No way"


# ---------------------------------------------------------------- the flow


def test_the_flow_is_drawn_with_what_each_cell_works_on():
    cleaner = TRIAGE.model_copy(update={"name": "bottle-neck", "on": "factory", "label": "",
                                        "next": ("done",)})
    asking = REVIEW.model_copy(update={"next": ("implement", "automerge", "needs-human")})
    drawn = views.graph(config(TRIAGE, IMPLEMENT, asking, AUTOMERGE, cleaner)).splitlines()
    assert drawn[0] == "flowchart LR"
    assert '  n_triage["<b>triage</b><br/>ac:triage<br/>works on issues"]' in drawn
    assert '  n_bottle_neck["<b>bottle-neck</b><br/>works on the factory itself"]' in drawn
    assert '  n_needs_human(["ac:needs-human<br/>waits for your answer"])' in drawn
    assert "  n_implement --> n_review" in drawn
    assert "  n_review <-.-> n_needs_human" in drawn
    assert "  n_review --> n_needs_human" not in drawn
    assert "  n_bottle_neck <-.-> n_needs_human" not in drawn
    assert '  n_automerge --> n_merge(["merged"])' in drawn
    assert "  n_automerge --> n_in_review" in drawn
    assert "  n_in_review -. you write .-> n_implement" in drawn
    assert not any("unreachable" in line for line in drawn)


def test_a_cell_that_nothing_leads_to_is_marked():
    drawn = views.graph(config(TRIAGE, IMPLEMENT, REVIEW, AUTOMERGE)).splitlines()
    assert "  class n_automerge unreachable" in drawn
    assert any(line.startswith("  %% Nothing leads to automerge:") for line in drawn)


def test_the_flow_shows_where_replies_and_failed_checks_go():
    settings = config(TRIAGE, IMPLEMENT, REVIEW, AUTOMERGE)
    factory = settings.factory.model_copy(
        update={"on_reply": "automerge", "on_checks_failed": "implement"}
    )
    drawn = views.graph(settings.model_copy(update={"factory": factory})).splitlines()
    assert "  n_in_review -. you write .-> n_automerge" in drawn
    assert "  n_in_review -. checks fail .-> n_implement" in drawn
    assert "  class n_automerge unreachable" not in drawn


def test_where_no_cell_works_on_issues_every_cell_may_be_the_first():
    odd = AUTOMERGE.model_copy(update={"label": 'ac:"<b>'})
    drawn = views.graph(config(REVIEW.model_copy(update={"next": ("done",)}), odd))
    assert "unreachable" not in drawn
    assert "you write" not in drawn
    assert "ac:#34;#60;b#62;" in drawn


# ---------------------------------------------------------------- the board


def world(**changes):
    """Five items: one waits, one runs, one asks, one is inspected, one has two labels."""
    waiting = pair(issue(book((row("implement", 2), row("implement", 9)))))
    asking = pair(issue(state="ac:needs-human", number=13, title="日本語の題名" * 9))
    inspected = pair(issue(state="", number=14), pull(state="ac:in-review", number=20))
    torn = pair(replace(issue(number=16), labels=(label("ac:triage"), label("ac:review"))))
    plain = pair(issue(state="", number=17))
    return snapshot(waiting, asking, inspected, torn, plain, **changes)


def test_status_shows_every_item_under_the_state_it_waits_in():
    assert views.status_board(config(), world(), Plan()) == [
        "Spent today: $0.00 of 50.00.",
        "\n  number         title                                    rounds  cost     who: why",
        "",
        "ac:triage  (0)",
        "",
        "ac:implement  (1)",
        "  #12            The hero cannot jump                     2/3     $1.00    "
        "agentcells: waits for its turn",
        "",
        "ac:review  (0)",
        "",
        "labels that fit no single state  (1)",
        "  #16            The hero cannot jump                             $0.00    "
        "agentcells: waits for its turn",
        "",
        "ac:in-review  (1)",
        "  #14 (#20)      The hero cannot jump                             $0.00    "
        "you: waits for you to merge, close or comment",
        "",
        "ac:needs-human  (1)",
        "  #13            日本語の題名日本語の題名日本語の題名日…          $0.00    "
        "you: waits for your reply in a comment",
    ]


def test_status_of_an_empty_line_has_no_table():
    assert views.status_board(config(), snapshot(), Plan())[:2] == [
        "Spent today: $0.00 of 50.00.", ""]


def test_r22_status_gives_the_reason_of_the_plan_and_marks_what_moves():
    moving = Plan(actions=(claim(),))
    assert "> #12 " in "\n".join(views.status_board(config(), world(), moving))
    assert "agentcells: goes on at the next tick" in "\n".join(
        views.status_board(config(), world(), moving))
    left = "\n".join(views.status_board(config(), world(), Plan(skips=(SKIP,))))
    assert "you: The branch also holds work that no run made, by bob\\nroot." in left
    busy = "\n".join(views.status_board(config(), world(runs=(running(),)), Plan()))
    assert "> #12 " in busy
    assert "implement has been running for 10 minutes" in busy


def test_r22_an_item_without_a_label_is_shown_when_the_plan_names_it():
    skip = replace(SKIP, pair_key="alice/game#17")
    assert "#17" in "\n".join(views.status_board(config(), world(), Plan(skips=(skip,))))


def test_status_names_the_repository_when_there_are_several():
    there = pair(issue(repo="alice/site", number=3))
    board = "\n".join(views.status_board(config(), snapshot(pair(issue()), there), Plan()))
    assert "alice/game#12" in board
    assert "alice/site#3" in board


def test_r32_status_says_what_holds_up_everything():
    told = snapshot(
        brake=Brake(stopped=True, paused_until=at(200), pause_reason="usage limit", usd_today=3),
        notes=("the day's cost was\x1b lost",),
        unreadable=(Unreadable(repo="alice/game", number=9, title="t", detail="page 2\nfailed"),),
    )
    board = views.status_board(config(), told, Plan())
    assert board[:4] == [
        "Spent today: $3.00 of 50.00.",
        "Stopped by you: nothing new is started until `agentcells stop --resume`.",
        "Paused until 2026-03-01 15:20 UTC: usage limit",
        "the day's cost was\\x1b lost",
    ]
    assert board[-2:] == [
        "Could not be read now, so left alone:", "  alice/game#9 t: page 2\\nfailed"]
    over = replace(told, brake=Brake(paused_until=at(50)))
    assert "Paused" not in "\n".join(views.status_board(config(), over, Plan()))


def test_status_for_a_program_holds_the_same():
    told = world(
        brake=Brake(paused_until=at(200), pause_reason="limit", usd_today=3.0), notes=("n",),
        unreadable=(Unreadable(repo="alice/game", number=9, title="t", detail="d"),),
    )
    value = json.loads(json.dumps(views.status_value(config(), told, Plan(skips=(SKIP,)))))
    assert value["paused_until"] == at(200).isoformat()
    assert value["usd_today"] == 3.0
    assert value["unreadable"] == [
        {"repo": "alice/game", "number": 9, "title": "t", "why": "d"}]
    assert [item["number"] for item in value["items"]] == [12, 13, 14, 16]
    assert value["items"][0] == {
        "repo": "alice/game", "number": 12, "pull": None, "title": "The hero cannot jump",
        "state": "implement", "moving": False, "who": "owner", "rounds": 2, "max_rounds": 3,
        "runs": 2, "usd": 1.0,
        "why": "The branch also holds work that no run made, by bob\\nroot. It is kept as it is.",
    }
    assert value["items"][2]["pull"] == 20
    assert value["items"][3]["state"] == "?"
    assert views.status_value(config(), snapshot(), Plan())["paused_until"] is None


# ---------------------------------------------------------------- why


def test_r22_why_names_each_condition_and_what_comes_of_it():
    lines = views.why(config(), world(), Plan(actions=(claim(),)), 12)
    assert lines == [
        "alice/game#12  The hero cannot jump",
        "  yes It is open.",
        "  yes It carries one label: ac:implement.",
        "  yes It is not on hold.",
        "  yes Label and text are approved by alice, who is assigned to it.",
        "  yes implement has run 2 of 3 times since your last word.",
        "  yes It has had 2 of the 50 runs of its life.",
        "  yes It has cost $1.00 of 25.00.",
        "  yes Today has cost $0.00 of 50.00.",
        "  yes No pause is in force.",
        "  yes You have not stopped the line.",
        "So: the next tick goes on with it.",
    ]


def test_r22_why_says_who_can_change_what_does_not_hold():
    rows = tuple(row("implement", 2 + n, usd=9.0) for n in range(3))
    tired = issue(book(rows, older_runs=50), comment(BOB, "go on!", 50),
                  labels=(label("ac:implement"), label("ac:hold")), assignees=(BOB,))
    told = snapshot(pair(tired), brake=Brake(
        stopped=True, paused_until=at(200), pause_reason="limit", usd_today=60.0))
    other = replace(SKIP, pair_key="alice/game#13")
    lines = views.why(config(), told, Plan(skips=(SKIP, other)), 12)
    assert sum(line.startswith("So: ") for line in lines) == 1
    refused = [line for line in lines if line.startswith("  NO ")]
    assert len(refused) == 8
    assert "  NO  It is on hold. You can take ac:hold off." in refused
    assert any("A comment of yours gives it new rounds." in line for line in refused)
    assert any("You can raise limits.runs_per_item." in line for line in refused)
    assert any("You can raise limits.usd_per_item." in line for line in refused)
    assert any("It goes on tomorrow" in line for line in refused)
    assert any("There is a pause until 2026-03-01 15:20 UTC: limit." in line for line in refused)
    assert any("agentcells stop --resume" in line for line in refused)
    assert lines[-1].endswith("It is kept as it is. You can change that.")


def test_r22_why_of_an_item_that_waits_for_the_owner_or_is_torn_asks_no_cell():
    asking = views.why(config(), world(), Plan(), 13)
    assert not any("has run" in line for line in asking)
    torn = views.why(config(), world(), Plan(), 16)
    assert any("it has: ac:review + ac:triage." in line for line in torn)
    bare = views.why(config(), world(), Plan(), 17)
    assert any("it has: -." in line for line in bare)
    closed = views.why(config(), snapshot(pair(issue(state="closed"))), Plan(), 12)
    assert len(closed) > 1


def test_why_finds_a_pair_by_its_pull_request_and_in_every_repository():
    assert views.why(config(), world(), Plan(), 20)[0].startswith("alice/game#14")
    there = pair(issue(repo="alice/site"))
    lines = views.why(config(), snapshot(pair(issue()), there), Plan(), 12)
    assert [line.split()[0] for line in lines if line.startswith("alice/")] == [
        "alice/game#12", "alice/site#12"]
    assert "" in lines


def test_why_of_a_running_item_names_the_run():
    lines = views.why(config(), world(runs=(running(),)), Plan(), 12)
    assert lines[-1] == "So: implement is running now (r90)."


def test_r21_why_tells_an_unreadable_item_from_an_unknown_one():
    told = snapshot(unreadable=(
        Unreadable(repo="alice/game", number=9, title="t", detail="page 2 failed"),
        Unreadable(repo="alice/game", number=8, title="u", detail="gone"),
    ))
    assert views.why(config(), told, Plan(), 9) == [
        "It could not be read now, so it is left alone: alice/game#9 t: page 2 failed. The next "
        "tick tries again."]
    assert "assign it to yourself" in views.why(config(), told, Plan(), 7)[0]


def test_r24_why_gives_the_reason_of_distrust():
    foreign = issue(events=(labeled("ac:implement", 1, BOB),))
    lines = views.why(config(), snapshot(pair(foreign)), Plan(), 12)
    assert any(line.startswith("  NO ") and "bob" in line for line in lines)
    assert ALICE.login not in "".join(line for line in lines if "bob" in line)


# ---------------------------------------------------------------- columns


@pytest.mark.parametrize(
    ("words", "columns", "shown"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("far too long", 7, "far to…"),
        ("日本語の題", 7, "日本語…"),
        ("日本語の題", 10, "日本語の題"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("a\tb\nc", 10, "a b c"),
    ],
)
def test_titles_are_cut_by_columns_not_by_characters(words, columns, shown):
    assert cut(words, columns) == shown
    assert width(padded(shown, 12)) == 12
