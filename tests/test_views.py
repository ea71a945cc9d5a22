"""What a dry run shows: every write in words, every item left alone with its reason."""

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
    CloseFiled,
    CloseRun,
    DeleteBranch,
    FactoryBook,
    FileIssue,
    KeepBook,
    MergePull,
    OpenPull,
    Plan,
    Post,
    Push,
    ReplyInThread,
    SetBrake,
    SetState,
    Skip,
    SplitIssue,
    WriteLedger,
)
from agentcells.posts import Ledger, Marker, Move
from agentcells.run import Cleared, Proof
from tests.pair_world import at, claim, config, row

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
    ReplyInThread: (ReplyInThread(pair_key=KEY, repo=REPO, number=15, thread="T1", marker=DECISION,
                                  body=SAID, proof=PROOF), "answer a remark on a line: implement is done."),
    SetState: (set_state(), "label on the pull request: ac:review"),
    WriteLedger: (write_ledger(), "write the book on #12 (4 runs)"),
    Claim: (claim(), "start a run of implement"),
    CloseRun: (CloseRun(pair_key=KEY, run=RUN, keep=False), "put the run r1 away"),
    DeleteBranch: (DeleteBranch(pair_key=KEY, repo=REPO, ref="agentcells/12"),
                   "delete the branch agentcells/12"),
    MergePull: (MergePull(pair_key=KEY, repo=REPO, number=15, run=RUN, proof=PROOF,
                          expected_head=HEAD), "merge pull request #15 at abcdef0"),
    SetBrake: (replace(brake(usd_today=1.5), pair_key=KEY), "note the day's cost: $1.50"),
    KeepBook: (KeepBook(pair_key=KEY, cell="bottleneck", book=FactoryBook()),
               "write the book of bottleneck"),
    FileIssue: (FileIssue(pair_key=KEY, repo=REPO, run=RUN, proof=PROOF, title="Slow", body="",
                          marker=Marker(kind="filed")), 'file the issue "Slow"'),
    CloseFiled: (CloseFiled(pair_key=KEY, repo=REPO, number=15, cell="bottleneck", cause="x", body="",
                            marker=Marker(kind="notice")),
                 "close #15, which it filed itself: the cause is over"),
    SplitIssue: (SplitIssue(pair_key=KEY, repo=REPO, number=12, run=RUN, issues=(), label="", body="",
                            marker=Marker(kind="notice")), "file the 0 issues that #12 is split into"),
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
        (CloseRun(pair_key=KEY, run=RUN, keep=False, unstarted=True),
         f"{KEY}  r1 was claimed but never started: the claim is taken back, and it counts as no round"),
        (CloseRun(pair_key=KEY, run=RUN, keep=True),
         f"{KEY}  keep the unpublished work of r1 and put the run away"),
        (brake(stopped=True), "note that nothing new is to be started"),
        (brake(paused_until=at(0), pause_reason="limit\nreached"),
         "start nothing new until 2026-03-01 12:00 UTC: limit\\nreached"),
        (set_state("implement", working=True, hold=True, on="issue"),
         f"{KEY}  label on the issue: ac:implement + ac:working + ac:hold"),
        (set_state(""), f"{KEY}  label on the pull request: all of ours taken off"),
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
        "push", "open_pull", "assign_owner", "post", "reply_in_thread", "set_state", "write_ledger", "claim",
        "close_run", "delete_branch", "merge_pull", "set_brake", "keep_book", "file_issue",
        "close_filed", "split_issue",
    ]
    assert value["actions"][0]["cleared"]["sha"] == HEAD
    assert value["actions"][0]["line"] == f"{KEY}  push abcdef0 to agentcells/12"
    assert value["skips"][0]["slots"] == {"who": "bob\nroot"}
    assert value["skips"][0]["who"] == "owner"
    assert value["skips"][0]["line"] == views.skip_line(SKIP, "en")


# ---------------------------------------------------------------- a story


def test_the_steps_of_a_story_are_one_line_each():
    assert views.label_line(config(), "en", "", "implement") == "no label -> ac:implement"
    assert views.label_line(config(), "en", "review", "") == "ac:review -> all of ours taken off"
