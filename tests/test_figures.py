"""The report's figures against a history whose true figures are known."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

from agentcells.figures import figures
from tests.pair_world import at, book, config, issue, labeled, pair, pull, row, snapshot
from tests.report_world import dropped_item, line, run, unlabeled

MINUTE = 60


def all_of(world=None, since=None):
    return json.loads(json.dumps(figures(config(), world or line(), since)))


def test_what_came_in_and_what_went_out_is_counted_by_week():
    found = all_of()
    assert found["items"] == 3
    assert (found["from"], found["until"]) == (at(0).isoformat(), at(400).isoformat())
    assert found["throughput"] == {
        "started": 3, "finished": 1, "stopped": 1, "open": 1, "median_s": 310 * MINUTE,
        "weeks": [{"week": "2026-W09", "started": 3, "finished": 1, "stopped": 1}],
    }


def test_time_is_the_owners_the_machines_or_work():
    time = {one["state"]: one for one in all_of()["time"]["states"]}
    assert time["triage"] == {
        "state": "triage", "stays": 3, "median_s": 10 * MINUTE, "human_s": 0,
        "waiting_s": (10 - 6 + 10 - 8 + 60) * MINUTE, "running_s": (6 + 8) * MINUTE}
    assert time["implement"] == {
        "state": "implement", "stays": 2, "median_s": 170 * MINUTE, "human_s": 60 * MINUTE,
        "waiting_s": (40 - 20 + 300 - 40 - 60) * MINUTE, "running_s": (20 + 40) * MINUTE}
    assert time["review"]["running_s"] == 8 * MINUTE
    assert time["in-review"]["human_s"] == 180 * MINUTE
    assert time["needs-human"]["human_s"] == (60 + 100) * MINUTE
    whole = all_of()["time"]
    assert whole["human_s"] == (60 + 180 + 160) * MINUTE
    assert whole["human_s"] + whole["waiting_s"] + whole["running_s"] == (310 + 400 + 60) * MINUTE
    assert [one["state"] for one in whole["states"]] == [
        "triage", "implement", "review", "in-review", "needs-human"]


def test_rounds_are_runs_of_a_cell_for_an_item():
    assert all_of()["rounds"] == {"runs": 8, "cells": [
        {"cell": "triage", "items": 1, "runs": 2, "mean": 2.0, "most": 2},
        {"cell": "implement", "items": 2, "runs": 5, "mean": 2.5, "most": 4},
        {"cell": "review", "items": 1, "runs": 1, "mean": 1.0, "most": 1},
    ]}


def test_stops_name_the_cell_and_the_reason():
    assert all_of()["stops"] == {
        "stops": 2,
        "reasons": [{"cell": "implement", "reason": "crash", "count": 1},
                    {"cell": "triage", "reason": "asked", "count": 1}],
        "now": [{"state": "needs-human", "items": 1}],
    }


def test_cost_is_told_by_cell_by_model_and_by_item():
    cost = all_of()["cost"]
    assert cost["usd"] == 2 + 3 + 2 + 3 + 4
    assert cost["older_usd"] == 4
    assert cost["tokens"] == 2000 + 5000 + 1000 + 3000 + 700
    cells = {one["cell"]: one for one in cost["cells"]}
    assert cells["implement"] == {"cell": "implement", "runs": 5, "usd": 6.0, "tokens": 8000,
                                  "usd_per_run": 1.2, "usd_per_item": 3.0}
    assert [(one["model"], one["usd"]) for one in cost["models"]] == [
        ("", 5.0), ("haiku", 2.0), ("opus", 3.0)]
    assert [(one["item"], one["usd"], one["runs"]) for one in cost["items"]] == [
        ("alice/game#12", 7.0, 4), ("alice/game#13", 3.0, 4)]


def test_a_claim_that_was_taken_back_is_no_run():
    rows = (row("triage", 10, end=at(20), outcome="done", next="done"),
            row("triage", 30, end=at(30), outcome="withdrawn"))
    found = all_of(snapshot(pair(issue(book(rows), number=40)), now=at(100)))
    assert found["rounds"]["runs"] == 1
    assert found["success"]["rate"] == 1.0


def test_success_leaves_the_weather_out():
    success = all_of()["success"]
    assert success["rate"] == round(4 / 7, 4)
    cells = {one["cell"]: one for one in success["cells"]}
    assert cells["implement"] == {
        "cell": "implement", "rate": 0.25, "done": 1, "failed": 3, "weather": 1, "running": 0,
        "failures": {"crash": 1, "timeout": 2}, "mean_s": (20 + 40) * MINUTE / 5}


def test_a_span_cuts_times_and_leaves_earlier_runs_out():
    found = all_of(since=at(100))
    assert found["items"] == 2  # the dropped one was over before
    assert found["throughput"]["started"] == 0
    assert found["throughput"]["finished"] == 1
    time = {one["state"]: one for one in found["time"]["states"]}
    assert "triage" not in time
    assert time["implement"]["running_s"] == (10 + 20) * MINUTE
    assert found["cost"]["usd"] == 2 + 2
    assert found["cost"]["older_usd"] == 0
    assert found["rounds"]["runs"] == 3
    assert found["stops"]["stops"] == 1


def test_weeks_without_anything_are_there_too_and_begin_where_the_owner_lives():
    world = replace(line(), now=at(400) + timedelta(days=15))
    weeks = [one["week"] for one in all_of(world)["throughput"]["weeks"]]
    assert weeks == ["2026-W09", "2026-W10", "2026-W11", "2026-W12"]
    settings = config()
    there = settings.model_copy(update={
        "factory": settings.factory.model_copy(update={"timezone": "Pacific/Kiritimati"})})
    assert [one["week"] for one in figures(there, line())["throughput"]["weeks"]] == ["2026-W10"]


def test_a_line_without_anything_has_figures_of_nothing():
    found = all_of(snapshot())
    assert found["items"] == 0
    assert found["success"]["rate"] is None
    assert found["cost"]["usd"] == 0
    assert found["throughput"]["median_s"] is None


def test_what_is_odd_is_counted_as_it_stands():
    """A run that is at work, a cell that is gone, a hold that stands, a label without an event."""
    rows = (replace(run("gone", 10, 20), end=None, outcome=""),)
    odd = issue(book(rows, 2), state="ac:gone", events=(
        labeled("ac:gone", 5), labeled("ac:hold", 6), labeled("ac:hold", 7),
        unlabeled("ac:review", 8), unlabeled("ac:hold", 8), unlabeled("ac:hold", 9),
        labeled("ac:hold", 50)))
    bookish = issue(book((run("triage", 1, 2),), 2), number=20, state="", events=())
    moved = issue(number=21, state="", events=(
        labeled("ac:triage", 5), unlabeled("ac:triage", 15), unlabeled("ac:triage", 16)))
    own = pair(None, replace(pull(state="ac:review", number=30, facts={"head_ref": "mine"}),
                             state="closed", closed_at=at(80)))
    found = all_of(snapshot(pair(odd), pair(bookish), pair(moved), own, dropped_item()))
    assert found["items"] == 5
    time = {one["state"]: one for one in found["time"]["states"]}
    assert time["gone"]["human_s"] == 95 * MINUTE  # no cell of cells.toml waits behind it
    assert time["triage"]["stays"] == 2
    assert found["success"]["cells"][-1] | {"mean_s": 0} == {
        "cell": "gone", "rate": None, "done": 0, "failed": 0, "weather": 0, "running": 1,
        "failures": {}, "mean_s": 0}
    assert found["throughput"]["stopped"] == 2
