"""Weather, failures and limits: what stops an item, and what starts it again (R18, R19, R28, R30 to R34)."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentcells import views
from agentcells.forge import Forbidden, RateLimited, Unavailable
from agentcells.markers import parse_marker
from tests.invariants import at_rest, rests
from tests.stage import (
    CELLS,
    IMPLEMENT,
    OWNER,
    REPO,
    REVIEW,
    Stage,
    Trouble,
    answer,
    nothing_written,
    once,
    rule,
)
from tests.stories.conftest import Build


def outage() -> Unavailable:
    return Unavailable("local_busy", exit_code=75, root="the forge")


# ---------------------------------------------------------------- weather of the model


@pytest.mark.parametrize("kind", ["usage_limit", "overload", "network"])
def test_r32_the_weather_is_no_round_moves_no_label_and_says_nothing(build: Build, kind: str) -> None:
    stage = build(rules=[once("implement", {"append": {"game.py": "HALF = 1\n"}}, {"error": kind}), IMPLEMENT, REVIEW])
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    assert stage.states(number) == {"implement"}
    assert stage.said(number) == []
    assert [row.counts for row in stage.book(number).rows] == [False]
    rests(stage, number, "skip_paused", "pauses until")
    stage.advance(hours=25)
    assert stage.tick().cells == ["implement", "review"]
    assert "HALF = 1" in stage.people.files(f"agentcells/{number}")["game.py"]
    assert len(stage.said(number)) + len(stage.said(stage.pull_of(number).number)) == 2


def test_r32_a_pause_holds_for_every_item_of_the_machine_and_is_no_state(build: Build) -> None:
    stage = build(rules=[once("implement", {"error": "overload"}), IMPLEMENT, REVIEW])
    first, second = stage.file(), stage.file()
    assert stage.tick().cells == ["implement"]
    rests(stage, first, "skip_paused")
    rests(stage, second, "skip_paused")
    (stage.state.root / "brake.json").unlink()
    assert len(stage.tick().cells) == 4
    assert stage.states(first, second) == set()


@pytest.mark.parametrize("kind", ["credential", "no_model"])
def test_r32_what_only_the_owner_can_mend_is_told_once(build: Build, kind: str) -> None:
    stage = build(rules=[rule("implement", {"error": kind})])
    number = stage.file()
    for _ in range(4):
        stage.tick()
        stage.advance(hours=2)
    assert len(stage.said(number)) == 1
    assert stage.states(number) == {"implement"}
    assert not any(row.counts for row in stage.book(number).rows)


# ---------------------------------------------------------------- failures of the item


@pytest.mark.parametrize(("do", "outcome"), [
    ({"answer_unchecked": {"next": "nowhere", "comment": "x"}}, "bad_answer"),
    ({"answer_unchecked": {"next": "review"}}, "bad_answer"),
    ({"answer_unchecked": ["review"]}, "bad_answer"),
    ({"no_answer": True}, "no_answer"),
    ({"exit": 3}, "crash"),
    ({"ending": "timeout"}, "timeout"),
    ({"ending": "stall"}, "stall"),
    ({"ending": "killed"}, "killed"),
])
def test_r33_three_failures_in_a_row_go_to_the_human_with_the_reason(
    build: Build, do: dict, outcome: str
) -> None:
    stage = build(rules=[rule("implement", do)])
    number = stage.file()
    assert stage.tick().cells == ["implement"] * 3
    assert stage.states(number) == {"needs-human"}
    assert len(stage.said(number)) == 1
    assert "3 times in a row" in stage.said(number)[0]
    assert len(stage.book(number).rows) == 3
    assert stage.branches() == ("main",)
    rests(stage, number, "skip_needs_human", "3 times in a row")
    at_rest(stage)


def test_r33_after_the_owners_word_there_are_three_fresh_attempts(build: Build) -> None:
    stage = build(rules=[rule("implement", {"no_answer": True})])
    number = stage.file()
    stage.tick()
    stage.say(number, "Try once more.")
    assert stage.tick().cells == ["implement"] * 3
    assert len(stage.said(number)) == 2


def test_r33_a_run_that_dies_counts_and_the_third_asks_the_human(build: Build) -> None:
    stage = build(rules=[{"cell": "implement", "do": [], "dies": True}])
    number = stage.file()
    assert stage.tick().cells == ["implement"] * 3
    assert stage.states(number) == {"needs-human"}
    assert [row.outcome for row in stage.book(number).rows] == ["crash"] * 3
    rests(stage, number, "skip_needs_human", "3")
    at_rest(stage)


def test_r33_a_claim_that_was_never_started_costs_no_round_and_the_tick_says_so(build: Build) -> None:
    """Whoever claimed it was killed before anything of the run existed."""
    stage = build(cells=CELLS.replace('on = "issue"', 'on = "issue"\nmax_rounds = 1'))
    number = stage.file()
    folder = stage.claim()
    folder.unlock()
    told = "\n".join(views.status_board(stage.config, *stage.look()))
    assert f"{folder.run}: implement on {REPO}#{number} was claimed but never started" in told
    ticked = stage.tick()
    assert ticked.cells == ["implement", "review"]
    assert [row.outcome for row in stage.book(number).rows] == ["withdrawn", "done", "done"]
    assert [row.counts for row in stage.book(number).rows] == [False, True, True]
    assert f"{folder.run} was claimed but never started" in ticked.of("CloseRun")[0]["text"]
    at_rest(stage)


def test_r33_a_claim_that_was_never_started_is_taken_back_beside_a_hold(build: Build) -> None:
    stage = build()
    number = stage.file()
    folder = stage.claim()
    folder.unlock()
    stage.label(number, "hold")
    assert stage.tick().cells == []
    assert stage.states(number) == {"implement", "hold"}
    assert stage.state.runs() == ()
    stage.unlabel(number, "hold")
    assert stage.tick().cells == ["implement", "review"]


@pytest.mark.parametrize("kind", ["budget", "turns", "refusal", "context"])
def test_r33_what_another_try_cannot_mend_goes_to_the_human_at_once_and_the_work_is_kept(
    build: Build, kind: str
) -> None:
    stage = build(rules=[
        once("implement", {"append": {"game.py": "HALF = 1\n"}}, {"error": kind}),
        rule("implement", {"append": {"game.py": "DONE = 1\n"}}, answer("review")), REVIEW,
    ])
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    assert stage.states(number) == {"needs-human"}
    assert stage.branches() == ("main",)
    stage.say(number, "Go on.")
    assert stage.tick().cells == ["implement", "review"]
    assert stage.people.files(f"agentcells/{number}")["game.py"] == "LEVEL = 1\nHALF = 1\nDONE = 1\n"


def test_r33_a_claim_without_a_run_is_readable_from_the_labels_alone(build: Build) -> None:
    stage = build()
    number = stage.file()
    folder = stage.claim()
    folder.unlock()
    for state in Path(stage.state.root).iterdir():  # the whole state folder is lost
        subprocess.run(["rm", "-rf", str(state)], check=True)
    assert stage.tick().cells == ["implement", "review"]
    assert [row.outcome for row in stage.book(number).rows] == ["crash", "done", "done"]


def test_r17_a_claim_of_another_machine_is_dead_only_after_its_time_out(build: Build) -> None:
    stage = build()
    number = stage.file()
    folder = stage.claim()
    with nothing_written(stage):
        ticked = stage.tick_as("elsewhere")
    assert ticked.reasons == ["skip_other_machine"]
    stage.advance(hours=2)
    assert stage.tick_as("elsewhere").cells == ["implement", "review"]
    folder.unlock()
    assert [row.outcome for row in stage.book(number).rows] == ["crash", "done", "done"]


# ---------------------------------------------------------------- limits


def test_r34_runs_of_a_pair_in_all_its_life(build: Build) -> None:
    stage = build(settings="[limits]\nruns_per_item = 2", rules=[
        rule("implement", answer("needs-human", "And now?")),
    ])
    number = stage.file()
    stage.tick()
    stage.say(number, "Go on.")
    stage.tick()
    stage.say(number, "Go on.")
    assert stage.tick().cells == []
    assert stage.states(number) == {"needs-human"}
    assert "runs_per_item" in stage.said(number)[-1]
    rests(stage, number, "skip_needs_human", "2 times")
    at_rest(stage)


def test_r34_dollars_of_a_pair(build: Build) -> None:
    stage = build(settings="[limits]\nusd_per_item = 0.03")
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    pull = stage.pull_of(number).number
    assert stage.states(pull) == {"needs-human"}
    assert "dollars" in stage.said(pull)[-1]
    rests(stage, number, "skip_needs_human", "dollars")
    stage.say(pull, "It is worth it.")
    assert stage.tick().cells == ["review"]


def test_r34_dollars_of_a_day(build: Build) -> None:
    stage = build(settings="[limits]\nusd_per_day = 0.03")
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    rests(stage, number, "skip_day_spent", "budget")
    stage.advance(hours=24)
    assert stage.tick().cells == ["review"]


def test_r28_instructions_that_do_not_fit_are_never_cut_the_human_is_asked(stage: Stage) -> None:
    number = stage.file()
    for _ in range(4):
        stage.say(number, "Please mind: " + "very long " * 6_000)
    assert stage.tick().cells == []
    assert stage.states(number) == {"needs-human"}
    assert "too long" in stage.said(number)[0]
    rests(stage, number, "skip_needs_human", "too long")
    at_rest(stage)


def test_r28_the_newest_of_many_instructions_is_read(stage: Stage) -> None:
    number = stage.file("")
    for i in range(130):
        stage.say(number, f"Remark {i}.", by="mallory")
    stage.say(number, "Make it green.")
    stage.label(number, "implement")
    assert stage.tick().cells == ["implement", "review"]
    assert "Make it green." in stage.prompts[0][1]


# ---------------------------------------------------------------- weather of the forge


@pytest.mark.parametrize("verb", ["open_pull", "assign", "comment", "add_labels", "remove_labels", "edit_comment"])
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done, answer lost"])
def test_r18_an_outage_in_the_middle_of_publishing_is_finished_without_another_run(
    stage: Stage, verb: str, done: bool
) -> None:
    number = stage.file()
    folder = stage.claim()
    stage.play(folder)
    stage.troubles.append(Trouble(verb, outage(), done=done))
    ticked = stage.tick()
    assert ticked.problem is not None
    assert ticked.problem.exit_code == 75
    stage.tick()
    assert stage.cells_run == ["implement", "review"]
    pull = stage.pull_of(number)
    assert stage.states(number, pull.number) == {"in-review"}
    assert stage.branches() == (f"agentcells/{number}", "main")
    assert len(stage.said(number)) + len(stage.said(pull.number)) == 2
    at_rest(stage)


def test_r18_what_was_said_is_carried_out_whatever_the_owner_says_meanwhile(stage: Stage) -> None:
    number = stage.file()
    stage.play(stage.claim())
    stage.troubles.append(Trouble("add_labels", outage()))
    assert stage.tick().problem is not None
    stage.say(number, "And blue, please.")
    stage.tick()
    posts = [marker for body in stage.said(stage.pull_of(number).number) if (marker := parse_marker(body))]
    assert len({marker.run for marker in posts}) == len(posts)
    assert posts[0].to == "review"
    at_rest(stage)


@pytest.mark.parametrize("verb", ["comment", "add_labels", "read"])
def test_r19_an_outage_while_claiming_costs_neither_a_run_nor_a_failure(stage: Stage, verb: str) -> None:
    number = stage.file()
    for _ in range(4):
        for name in ("read", "read_together") if verb == "read" else (verb,):
            stage.troubles.append(Trouble(name, outage(), after=2 if verb == "read" else 0))
        ticked = stage.tick()
        assert ticked.cells == []
        assert ticked.problem is None or ticked.problem.exit_code == 75
        stage.troubles.clear()
    assert stage.cells_run == []
    assert stage.tick().cells == ["implement", "review"]
    assert [row for row in stage.book(number).rows if row.counts and row.outcome != "done"] == []


def test_r19_a_spent_allowance_of_the_forge_ends_the_tick_with_nothing_half_done(stage: Stage) -> None:
    number = stage.file()
    until = datetime.now(UTC) + timedelta(minutes=30)
    for verb in ("listing", "listings"):  # of one repository, or of all in one request
        stage.troubles.append(Trouble(verb, RateLimited("github_rate", exit_code=75, until=until)))
    with nothing_written(stage):
        ticked = stage.tick()
    assert ticked.problem is not None
    assert ticked.problem.exit_code == 75
    stage.troubles.clear()
    assert stage.tick().cells == ["implement", "review"]
    assert number


# ---------------------------------------------------------------- refused for good


def test_r33_a_push_that_is_always_refused_is_tried_three_times_and_then_the_human_is_asked(stage: Stage) -> None:
    number = stage.file()
    hook = stage.people.bare / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this branch is protected >&2\necho x >> $GIT_DIR/asked\nexit 1\n")
    hook.chmod(0o755)
    for _ in range(6):
        stage.tick()
    assert stage.cells_run == ["implement"]
    assert stage.states(number) == {"needs-human"}
    assert (hook.parent.parent / "asked").read_text().count("x") == 3
    assert "protected" in stage.said(number)[-1]
    rests(stage, number, "skip_needs_human", "refuse")
    hook.unlink()
    stage.say(number, "I have mended it.")
    assert stage.tick().cells == ["implement", "review"]
    assert stage.people.files(f"agentcells/{number}")["game.py"].count("LIVES = 3") >= 1
    at_rest(stage)


def test_r33_a_pull_request_that_may_never_be_opened_is_tried_three_times(stage: Stage) -> None:
    number = stage.file()
    forbidden = Forbidden("github_forbidden", login="alice-cells", permission="pull_requests", detail="403", operation="createPullRequest", repo=REPO)
    stage.troubles.append(Trouble("open_pull", forbidden, times=100))
    for _ in range(6):
        stage.tick()
    assert stage.troubles[0].times == 97
    assert stage.cells_run == ["implement"]
    assert stage.states(number) == {"needs-human"}
    rests(stage, number, "skip_needs_human", "The forge refused")
    at_rest(stage)


def test_r22_a_repository_without_a_first_commit_says_so_in_why(build: Build) -> None:
    stage = build(project={})
    number = stage.file()
    stage.tick()
    assert stage.states(number) == {"implement"}
    assert "first commit" in stage.why(number)


def test_r18_every_post_says_where_it_goes_before_the_label_is_set(stage: Stage) -> None:
    number = stage.file("triage")
    stage.tick()
    events = [e for e in stage.item(number).events if e.kind == "labeled" and e.actor.login != OWNER]
    posts = [(c.created_at, parse_marker(c.body)) for c in stage.item(number).comments]
    for event in events:
        state = event.label.name[3:]
        if state != "working":
            # The same second is as early as a forge of whole seconds can tell.
            assert any(at <= event.at and marker and marker.to == state for at, marker in posts), state


def test_r3_an_outage_between_two_labels_leaves_one_too_many_and_never_none(stage: Stage) -> None:
    number = stage.file("triage")
    stage.troubles.append(Trouble("remove_labels", outage(), times=3))
    for _ in range(3):
        assert stage.tick().problem is not None
        assert stage.states(number) >= {"implement"} or stage.states(number) >= {"triage"}
    assert "implement" in stage.states(number)
    assert stage.tick().cells == ["implement", "review"]
    assert stage.states(number, stage.pull_of(number).number) == {"in-review"}
    assert stage.cells_run == ["triage", "implement", "review"]
    at_rest(stage)


def test_r4_the_half_of_our_own_move_is_finished_when_nothing_is_left_of_its_run(stage: Stage) -> None:
    number = stage.file("triage")
    stage.troubles.append(Trouble("remove_labels", outage()))
    assert stage.tick().problem is not None
    assert stage.states(number) == {"triage", "working", "implement"}
    lose_state(stage)
    assert stage.tick().cells == ["implement", "review"]
    assert stage.states(number, stage.pull_of(number).number) == {"in-review"}
    at_rest(stage)


def lose_state(stage: Stage) -> None:
    for path in Path(stage.state.root).iterdir():
        subprocess.run(["rm", "-rf", str(path)], check=True)


def test_r18_a_result_that_was_told_is_carried_out_when_nothing_else_is_left_of_its_run(stage: Stage) -> None:
    number = stage.file("triage")
    stage.troubles.append(Trouble("add_labels", outage(), after=1))  # the first one is the claim's
    assert stage.tick().problem is not None
    assert (len(stage.said(number)), stage.states(number)) == (1, {"triage", "working"})
    lose_state(stage)
    assert stage.tick().cells == ["implement", "review"]
    assert [row.next for row in stage.book(number).rows] == ["implement", "review", "in-review"]
    at_rest(stage)


def test_r18_a_told_result_does_not_outdo_the_owners_label_after_it(stage: Stage) -> None:
    number = stage.file("triage")
    stage.troubles.append(Trouble("add_labels", outage(), after=1))
    assert stage.tick().problem is not None
    lose_state(stage)
    stage.unlabel(number, "triage")
    stage.label(number, "triage")
    assert stage.tick().cells == ["triage", "implement", "review"]
    at_rest(stage)


def test_r4_of_two_states_at_a_claim_that_is_gone_the_owner_chooses_and_working_goes(stage: Stage) -> None:
    """A tick was killed with its claim, and before the next one the owner set another label."""
    number = stage.file("triage")
    stage.claim().unlock()
    stage.label(number, "review")
    assert stage.tick().cells == []
    assert stage.states(number) == {"triage", "review"}
    at_rest(stage)
    stage.unlabel(number, "review")
    assert stage.tick().cells == ["triage", "implement", "review"]


def test_r17_lock_files_that_a_reboot_left_hold_nothing_up(stage: Stage) -> None:
    number = stage.file()
    folder = stage.claim()
    for name in ("pass.lock", "tick.lock", f"runs/{folder.path.name}/lock"):
        path = stage.state.root / name
        path.write_text(f"{os.getpid()}\n")  # the number of somebody who is alive and well
        path.chmod(0o600)
    folder.unlock()
    assert stage.tick().cells == ["implement", "review"]
    assert [row.outcome for row in stage.book(number).rows] == ["withdrawn", "done", "done"]


def test_r21_the_newest_of_many_labels_decides(stage: Stage) -> None:
    stage.people.make_label("bug", OWNER)
    number = stage.file()
    for _ in range(60):
        stage.people.label(number, "bug", "mallory")
        stage.people.unlabel(number, "bug", "mallory")
    stage.unlabel(number, "implement")
    stage.label(number, "implement", by="bob")
    rests(stage, number, "skip_label_foreign", "bob")
    stage.unlabel(number, "implement")
    stage.label(number, "implement")
    assert stage.tick().cells == ["implement", "review"]
