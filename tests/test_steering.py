"""Stopping the factory, trying an item again, taking one out of the line."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agentcells.plan import Brake
from tests.factory import Factory
from tests.github_factory import BOT
from tests.github_factory import factory as github
from tests.stage import IMPLEMENT, OWNER, REPO, REVIEW, STRANGER, Stage, answer, rule
from tests.typed import Typed, typed

__all__ = ["typed"]

ASKS = rule("triage", answer("needs-human", "Which key should it be?"))
FAILS = rule("implement", {"no_answer": True})


def test_a_stop_lasts_until_it_is_taken_back(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    stage.file("triage")
    assert typed(stage, "stop").out == (
        "Nothing new is started until `agentcells stop --resume`. What runs is finished.\n")
    assert typed(stage, "stop").out.startswith("It was stopped already.")
    assert stage.tick().cells == []
    assert stage.tick().reasons == ["skip_stopped"]
    assert typed(stage, "status", "--json").value["state"] == "stopped"
    assert typed(stage, "stop", "--resume").out == "The stop is taken back; the next tick goes on.\n"
    assert typed(stage, "stop", "--resume").out == "It was not stopped; nothing changed.\n"
    assert stage.tick().cells == ["triage", "implement", "review"]


def test_a_stop_keeps_the_rest_of_the_brake(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    before = Brake(day="2026-03-01", usd_today=3.0, told=("credential",))
    stage.state.write_brake(before)
    typed(stage, "stop")
    assert stage.state.brake() == replace(before, stopped=True)
    assert typed(stage, "stop", "--json").value == {
        "stopped": True, "was_stopped": True, "told_to_end": 0, "at_work": []}


def test_an_end_that_no_coordinator_has_heard_is_taken_back_with_the_stop(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    stage.file("triage")
    orphan = stage.claim()  # its coordinator was killed
    assert stage.state.ask_to_end() == 1
    stage.play(orphan)
    typed(stage, "stop", "--resume")
    assert not stage.state.asked_to_end()


def test_a_stop_where_no_factory_ever_was_says_so_and_leaves_no_trace(
    tmp_path, typed: Typed, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    gone = typed(None, "stop")
    assert gone.code == 2
    assert "agentcells init" in gone.err
    assert list(tmp_path.iterdir()) == []
    assert typed(None, "stop", "--now", "--resume").code == 2


def test_retry_of_a_released_item_says_that_it_had_no_label(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    number = stage.file("implement")
    typed(stage, "release", str(number))
    assert "(no label -> ac:implement)" in typed(stage, "retry", str(number)).out


@pytest.mark.parametrize(
    ("language", "given", "said"),
    [
        ("en", "abc", "number must be a whole number, and abc is none."),
        ("ja", "abc", "整数を指定してください。abc は整数ではありません。"),
        ("en", "0", "number must be at least 1; 0 is too small."),
    ],
)
def test_a_number_that_is_none_is_told_in_our_words(tmp_path, typed: Typed, language, given, said):
    stage = Stage(tmp_path, factory=f'language = "{language}"\n')
    for command in (["retry"], ["release"], ["issue", "show"]):
        refused = typed(stage, *command, given)
        assert (refused.code, refused.out) == (2, "")
        assert said in refused.err


def test_a_stop_waits_for_a_pass_that_writes_and_says_so(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    fd = os.open(stage.state.root / "pass.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    threading.Timer(0.3, os.close, [fd]).start()
    said = typed(stage, "stop")
    assert said.err.startswith("A pass is writing to the forge")
    assert stage.state.brake().stopped


def test_stop_now_ends_what_runs_and_its_work_is_kept(tmp_path: Path):
    slow = [{"cell": "triage", "do": [{"hang": True}]}]
    factory = Factory(tmp_path, rules=slow)
    number = factory.file()
    tick = factory.start("tick", "--json")
    assert tick.stdout is not None
    while '"run_started"' not in tick.stdout.readline():
        pass
    plain = factory.run("stop")
    assert "Still at work, and will be finished: r" in plain.stdout
    said = factory.run("stop", "--now")
    assert said.returncode == 0, said.stderr
    assert "Runs ended: 1." in said.stdout
    assert tick.wait(60) == 0
    tick.communicate()
    assert factory.states(number) == {"triage"}
    assert "skip_stopped" in factory.tick().reasons


def test_a_tick_with_nothing_to_do_says_that_the_line_is_stopped(tmp_path: Path):
    factory = Factory(tmp_path)
    assert "Nothing to run now." in factory.run("tick").stdout
    factory.run("stop")
    assert "It is stopped: nothing new begins until `agentcells stop --resume`." in factory.run("tick").stdout


def test_runs_that_nobody_can_end_are_named(tmp_path, typed: Typed, monkeypatch):
    monkeypatch.setattr("agentcells.steering.PATIENCE_S", 0.1)
    stage = Stage(tmp_path)
    stage.file("triage")
    folder = stage.claim()
    said = typed(stage, "stop", "--now")
    assert said.code == 1
    assert f"Still at work: {folder.run}." in said.out
    told = typed(stage, "stop", "--now", "--json")
    assert (told.code, told.value["at_work"]) == (1, [folder.run])
    folder.unlock()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_retry_puts_the_item_back_to_the_cell_that_asked_as_the_owners_act(
    tmp_path, typed: Typed, language
):
    stage = Stage(tmp_path, rules=[ASKS], factory=f'language = "{language}"\n')
    number = stage.file("triage")
    stage.tick()
    said = typed(stage, "retry", str(number))
    assert (said.code, said.err) == (0, "")
    assert said.out == {
        "en": "#1 waits for triage again (ac:needs-human -> ac:triage): all its counters begin "
              "afresh, and its text as it stands is approved. The next tick takes it up.\n",
        "ja": "#1 はもう一度 triage を待ちます (ac:needs-human -> ac:triage)。回数は数え直し、今の本文を承認"
              "したことになります。次の tick が取りかかります。\n",
    }[language]
    assert stage.states(number) == {"triage"}
    assert stage.tick().cells == ["triage"]


def test_retry_gives_an_item_that_failed_three_times_new_rounds(tmp_path, typed: Typed):
    stage = Stage(tmp_path, rules=[FAILS])
    number = stage.file("implement")
    assert stage.tick().cells == ["implement"] * 3
    assert stage.states(number) == {"needs-human"}
    assert stage.tick().cells == []
    typed(stage, "retry", str(number))
    assert stage.tick().cells == ["implement"] * 3


def test_retry_of_a_waiting_item_is_a_new_label_of_the_owner(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    number = stage.file("implement", by=STRANGER, assignee="")
    stage.label(number, "hold")
    assert stage.tick().cells == []
    said = typed(stage, "retry", str(number), "--json").value
    assert said["assigned"]
    assert said["after"] == ["ac:implement"]
    assert set(said["before"]) == {"ac:implement", "ac:hold"}
    assert stage.tick().cells == ["implement", "review"]


def test_retry_says_that_it_assigned_and_that_the_line_is_stopped(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    number = stage.file("implement", assignee="")
    typed(stage, "stop")
    lines = typed(stage, "retry", str(number)).out.splitlines()
    assert lines[0] == "It was not assigned to alice; now it is."
    assert lines[2].startswith("Stopped by you")


def test_retry_works_on_the_pull_request_where_its_cell_does(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    number = stage.file("implement")
    stage.tick()
    pull = stage.pull_of(number).number
    assert stage.states(pull) == {"in-review"}
    said = typed(stage, "retry", str(pull), "--cell", "review", "--json").value
    assert (said["number"], said["cell"]) == (pull, "review")
    assert stage.tick().cells == ["review"]
    typed(stage, "retry", str(number))  # what asked was review, what is told goes to implement
    assert stage.states(number, pull) == {"implement"}


def test_retry_after_hold_goes_where_it_was(tmp_path, typed: Typed):
    stage = Stage(tmp_path, rules=[ASKS])
    number = stage.file("triage")
    stage.say(number, "/hold")
    stage.tick()
    assert stage.states(number) == set()
    typed(stage, "retry", str(number))
    assert stage.states(number) == {"triage"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--cell", "revue"], 2, "cells.toml has no cell revue"),
        (["--cell", "review"], 1, "review works on pull requests, and #1 has no open one"),
        (["--repo", "alice/nowhere"], 1, "alice/nowhere"),
    ],
)
def test_retry_refuses_what_cannot_be_and_changes_nothing(tmp_path, typed: Typed, words, code, said):
    stage = Stage(tmp_path)
    number = stage.file("triage")
    refused = typed(stage, "retry", str(number), *words)
    assert refused.code == code
    assert said in refused.err
    assert refused.out == ""
    assert stage.states(number) == {"triage"}


def test_retry_of_a_closed_or_running_or_unknown_item_is_refused(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    number = stage.file("triage")
    folder = stage.claim()
    running = typed(stage, "retry", str(number))
    assert running.code == 1
    assert f"triage is at work on #1 now ({folder.run})" in running.err
    folder.unlock()
    stage.people.close(number, OWNER)
    assert "#1 is closed: reopen it first" in typed(stage, "retry", str(number)).err
    plain = stage.file("")
    which = typed(stage, "retry", str(plain))
    assert which.code == 2
    assert "name it with --cell: triage, implement, review" in which.err
    assert typed(stage, "retry", "99").code == 1


def test_retry_of_the_owners_own_pull_request_needs_a_cell_on_pull_requests(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    stage.people.push("mine", {"a.py": "1\n"}, OWNER)
    pull = stage.people.open_pull("mine", "Mine", "", OWNER)
    refused = typed(stage, "retry", str(pull), "--cell", "implement")
    assert "works on issues, and #1 is a pull request without one" in refused.err
    assert typed(stage, "retry", str(pull), "--cell", "review").code == 0
    assert stage.tick().cells == ["review"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_release_takes_every_label_of_ours_off_and_no_other(tmp_path, typed: Typed, language):
    stage = Stage(tmp_path, factory=f'language = "{language}"\n')
    number = stage.file("implement")
    stage.people.make_label("bug", OWNER)
    stage.people.label(number, "bug", OWNER)
    stage.label(number, "hold")
    said = typed(stage, "release", str(number))
    assert said.out == {
        "en": "Taken off #1: ac:implement, ac:hold. The factory leaves it alone until you set a "
              "cell's label.\n",
        "ja": "#1 から外しました: ac:implement, ac:hold。セルのラベルを付けるまで、そのままにします。\n",
    }[language]
    assert [label.name for label in stage.item(number).labels] == ["bug"]
    assert stage.tick().cells == []
    assert typed(stage, "release", str(number), "--json").value["before"] == []
    nothing = typed(stage, "release", str(number))
    assert ("carries no label of ours" if language == "en" else "ありません") in nothing.out


def test_release_during_a_run_says_what_becomes_of_it(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    number = stage.file("implement")
    folder = stage.claim()
    said = typed(stage, "release", str(number))
    assert f"{folder.run} is still at work on it" in said.out
    stage.play(folder)
    stage.tick()
    assert stage.states(number) == set()
    assert stage.branches() == ("main",)


def test_r24_who_is_not_the_owner_is_told_what_the_owner_has_to_do(tmp_path: Path):
    with github(tmp_path, rules=[ASKS]) as line:
        number = line.file()
        line.owner.comment(REPO, number, "hello")
        before = line.states(number)
        said = line.run("retry", str(number), "--cell", "implement")
        assert said.returncode == 1
        assert f"this token is {BOT}'s; nothing was changed. As alice, open" in said.stderr
        assert "take off: ac:triage, set ac:implement" in said.stderr
        assert line.states(number) == before
        assert line.run("release", str(number)).returncode == 0
        assert line.states(number) == set()


def test_the_pass_lock_is_free_again_after_a_refusal(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    typed(stage, "retry", "99")
    began = time.monotonic()
    stage.tick()
    assert time.monotonic() - began < 30


def test_release_and_retry_know_a_pull_request_that_another_attempt_has_followed(tmp_path, typed: Typed):
    stage = Stage(tmp_path, rules=[IMPLEMENT, REVIEW])
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number).number
    stage.people.close(pull, OWNER)
    stage.advance(seconds=2)
    stage.label(number, "implement")
    stage.unlabel(pull, "in-review")  # with a label it still stands alone
    assert typed(stage, "release", str(pull)).code == 0
    assert stage.states(number) == set()
    said = typed(stage, "retry", str(pull))
    assert said.code in (0, 1)
    assert "bug" not in said.err

def test_retry_of_an_earlier_attempt_sees_the_one_that_has_followed_it(tmp_path, typed: Typed):
    stage = Stage(tmp_path, rules=[IMPLEMENT, REVIEW])
    number = stage.file()
    stage.tick()
    first = stage.pull_of(number).number
    stage.people.close(first, OWNER)
    stage.advance(seconds=2)
    stage.label(number, "implement")
    stage.tick()
    second = stage.pull_of(number, 2).number
    assert stage.states(second) == {"in-review"}
    said = typed(stage, "retry", str(first), "--cell", "review", "--json").value
    assert (said["number"], said["before"]) == (second, ["ac:in-review"])
