"""`status`: every item under its state, how long and for whom it waits, in each state of the factory."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from agentcells import views
from agentcells.model import RunId
from agentcells.plan import Brake, LastTick, Plan, SetBrake, Skip, Unreadable
from agentcells.standing import Around, state_of_factory
from tests.pair_world import (
    at,
    book,
    claim,
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
from tests.snapshot import same

SKIP = Skip(pair_key="alice/game#12", number=12, title="The \x1b]0;evil\x07 hero",
            state="implement", key="plan_foreign", slots=(("who", "bob\nroot"),), who="owner")
WELL = LastTick(started_at=at(88), ended_at=at(90))
TIMER = Around(last_tick=WELL, timer=True, next_tick=at(110))


def world(**changes):
    """Five items: one waits, one asks, one is inspected, one has two labels, one has none."""
    waiting = pair(issue(book((row("implement", 2), row("implement", 9)))))
    asking = pair(issue(state="ac:needs-human", number=13, title="日本語の題名" * 9))
    inspected = pair(issue(state="", number=14), pull(state="ac:in-review", number=20))
    torn = pair(replace(issue(number=16), labels=(label("ac:triage"), label("ac:review"))))
    plain = pair(issue(state="", number=17))
    changes = {"brake": Brake(day="2026-03-01", usd_today=1.0), **changes}
    return snapshot(waiting, asking, inspected, torn, plain, **changes)


def held():
    return snapshot(pair(issue(labels=(label("ac:implement"), label("ac:hold")))))


STATES = {
    "idle": (snapshot(), Plan(), TIMER),
    "waiting": (world(), Plan(), TIMER),
    "going": (world(), Plan(actions=(claim(),)), TIMER),
    "running": (world(runs=(running(),)), Plan(), replace(TIMER, tick_at_work=True)),
    "stopped": (world(brake=Brake(stopped=True)), Plan(), TIMER),
    "paused": (world(brake=Brake(paused_until=at(200), pause_reason="usage_limit")), Plan(), TIMER),
    "spent": (world(brake=Brake(day="2026-03-01", usd_today=50.0)), Plan(), TIMER),
    "held": (held(), Plan(skips=(replace(SKIP, key="skip_held", slots=(("label", "ac:hold"),)),)),
             TIMER),
    "broken": (world(), Plan(), replace(TIMER, last_tick=LastTick(
        started_at=at(88), ended_at=at(90), code=1, key="forge_token_empty",
        text="There is no token.", failures=3))),
    "unreached": (world(), Plan(), Around(unreached="The forge is down.", as_of=at(70))),
}


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_status_answers_in_each_state_of_the_factory(name, language):
    told, plan, around = STATES[name]
    wanted = "broken" if name == "unreached" else name
    settings = config(language=language)
    assert state_of_factory(settings, told, plan, around) == wanted
    assert views.status_value(settings, told, plan, around)["state"] == wanted
    same(f"status/{name}.{language}", "\n".join(
        views.status_board(settings, told, plan, around)))


def test_status_of_an_empty_line_has_no_table():
    board = views.status_board(config(), snapshot(), Plan())
    assert not any("who: why" in line for line in board)
    assert "agentcells timer install" in board[-1]


def test_r22_status_gives_the_reason_of_the_plan_and_marks_what_moves():
    moving = "\n".join(views.status_board(config(), world(), Plan(actions=(claim(),))))
    assert "> #12 " in moving
    assert "agentcells: goes on at the next tick" in moving
    left = "\n".join(views.status_board(config(), world(), Plan(skips=(SKIP,))))
    assert "you: Somebody else has put work on the branch (bob\\nroot)." in left


def test_r22_an_item_without_a_label_is_shown_when_the_plan_names_it():
    skip = replace(SKIP, pair_key="alice/game#17")
    assert "#17" in "\n".join(views.status_board(config(), world(), Plan(skips=(skip,))))


def test_status_names_the_repository_when_there_are_several():
    there = pair(issue(repo="alice/site", number=3))
    board = "\n".join(views.status_board(config(), snapshot(pair(issue()), there), Plan()))
    assert "alice/game#12" in board
    assert "alice/site#3" in board


def test_an_item_has_waited_since_its_label_was_set_last():
    again = issue(events=(labeled("ac:implement", 1), labeled("ac:implement", 60)))
    unsaid = issue(number=13, events=())
    torn = issue(number=14, labels=(label("ac:review"), label("ac:triage")),
                 events=(labeled("ac:review", 5), labeled("ac:triage", 9)))
    value = views.status_value(config(), snapshot(pair(again), pair(unsaid), pair(torn)), Plan())
    assert [item["waited_s"] for item in value["items"]] == [40 * 60, None, 91 * 60]


def test_r32_status_says_what_holds_up_everything():
    told = snapshot(
        brake=Brake(stopped=True, paused_until=at(200), pause_reason="usage_limit", usd_today=3,
                    day="2026-03-01"),
        notes=("the clock\x1b differs",),
        unreadable=(Unreadable(repo="alice/game", number=9, title="t", detail="page 2\nfailed"),),
    )
    board = views.status_board(config(), told, Plan(), TIMER)
    assert board[0].startswith("Stopped by you")
    assert "Spent today: $3.00 of 50.00." in board
    assert "the clock\\x1b differs" in board
    assert board[-2:] == [
        "Could not be read now, so left alone:", "  alice/game#9 t: page 2\\nfailed"]
    over = replace(told, brake=Brake(paused_until=at(50)))
    assert "Paused" not in "\n".join(views.status_board(config(), over, Plan()))


def test_r32_dollars_of_another_day_do_not_count_today():
    told = world(brake=Brake(day="2026-02-28", usd_today=49.0))
    assert views.status_value(config(), told, Plan())["usd_today"] == 0


def test_r32_a_lost_brake_file_is_said_because_the_books_know_better():
    lost = world(brake=Brake())
    board = "\n".join(views.status_board(config(), lost, Plan()))
    assert "The brake file was lost: the books say $1.00 today" in board
    assert views.status_value(config(), lost, Plan())["usd_today_in_books"] == 1.0
    elsewhere = replace(lost, machine="another")
    assert "brake file" not in "\n".join(views.status_board(config(), elsewhere, Plan()))


def test_r39_runs_without_a_proof_and_refused_ones_are_said():
    alive, ended, dead = running(minutes=90), running(minutes=80), running(minutes=70)
    refused = replace(ended, status="ended", refused_pushes=2, refusal="no\nright")
    told = world(runs=(alive, replace(ended, status="ended"), refused, replace(dead, status="dead")))
    board = views.status_board(config(), told, Plan())
    assert board[-4] == "r90: implement on alice/game#12, at work for 10 min"
    assert board[-3].endswith("has ended; the next pass publishes it")
    assert board[-2].endswith("publishing it was refused 2 times: no\\nright")
    assert "without a proof that all its processes ended: it is never published" in board[-1]


@pytest.mark.parametrize(
    ("around", "said"),
    [
        (Around(), "No timer of ours is set on this machine"),
        (Around(timer=True), "Spent today"),
        (Around(timer=True, last_tick=replace(WELL, ended_at=None)), "ended without a word"),
        (Around(tick_at_work=True, last_tick=replace(WELL, code=1)), "A tick is at work now."),
        (Around(unreached="no answer"), "Nothing was read from it before"),
        (Around(asked=False, as_of=at(70)), "this is as it was read at 2026-03-01 13:10 UTC."),
        (Around(asked=False), "The forge was not asked, and nothing was read from it before."),
        (Around(notes=("the file was set aside",)), "the file was set aside"),
    ],
)
def test_status_tells_of_ticks_and_timer(around, said):
    assert said in "\n".join(views.status_board(config(), world(), Plan(), around))


def test_weather_is_nothing_to_mend_unless_it_stays():
    around = Around(last_tick=replace(WELL, code=75, failures=2))
    assert state_of_factory(config(), world(), Plan(), around) == "waiting"
    stays = Around(last_tick=replace(WELL, code=75, failures=3))
    assert state_of_factory(config(), world(), Plan(), stays) == "broken"


def test_a_tick_at_work_is_not_judged_by_the_one_before():
    around = Around(tick_at_work=True, last_tick=replace(WELL, code=1))
    assert state_of_factory(config(), world(), Plan(), around) == "waiting"


def test_a_plan_that_only_writes_the_brake_is_something_to_do():
    plan = Plan(actions=(SetBrake(pair_key="", brake=Brake()),))
    assert state_of_factory(config(), world(), plan, Around()) == "going"


def test_status_for_a_program_holds_the_same():
    told = world(
        brake=Brake(paused_until=at(200), pause_reason="usage_limit", usd_today=3.0,
                    day="2026-03-01"),
        notes=("n",), runs=(running(minutes=99.5),),
        unreadable=(Unreadable(repo="alice/game", number=9, title="t", detail="d"),),
    )
    around = replace(TIMER, last_tick=replace(WELL, ended_at=None))
    value = json.loads(json.dumps(views.status_value(config(), told, Plan(skips=(SKIP,)), around)))
    assert value["paused_until"] == at(200).isoformat()
    assert value["usd_today"] == 3.0
    assert value["unreadable"] == [{"repo": "alice/game", "number": 9, "title": "t", "why": "d"}]
    assert [item["number"] for item in value["items"]] == [12, 13, 14, 16]
    assert value["items"][0] == {
        "repo": "alice/game", "number": 12, "pull": None, "title": "The hero cannot jump",
        "url": "", "state": "implement", "held": False, "moving": True, "who": "machine",
        "since": at(99.5).isoformat(), "waited_s": 30, "rounds": 2, "max_rounds": 3, "runs": 2,
        "usd": 1.0, "why": "implement is running (r99.5)",
    }
    assert value["items"][2]["pull"] == 20
    assert value["items"][3]["state"] == "?"
    assert value["last_tick"]["ended_at"] is None
    assert value["next_tick"] == at(110).isoformat()
    assert value["waiting_for"] == {"machine": 1, "owner": 2}
    assert value["runs"] == [{"run": "r99.5", "item": "alice/game#12", "cell": "implement",
                              "status": "alive", "seconds": 30, "refused_pushes": 0}]
    plain = views.status_value(config(), snapshot(), Plan())
    assert (plain["paused_until"], plain["last_tick"], plain["next_tick"]) == (None, None, None)


def test_an_open_pull_request_is_what_the_owner_opens():
    there = pair(issue(state="", url="https://forge/12"),
                 pull(state="ac:in-review", url="https://forge/15"))
    alone = pair(issue(number=13, url="https://forge/13"))
    value = views.status_value(config(), snapshot(there, alone), Plan())
    assert [item["url"] for item in value["items"]] == ["https://forge/15", "https://forge/13"]


def test_a_run_that_is_over_does_not_move_its_item():
    ended = replace(running(), status="ended")
    ended = replace(ended, order=replace(ended.order, run=RunId("r1"),
                                         created_at=at(100) - timedelta(days=3)))
    board = "\n".join(views.status_board(config(), world(runs=(ended,)), Plan()))
    assert "> #12" not in board
