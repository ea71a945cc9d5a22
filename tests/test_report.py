"""The report as a file: one page, nothing from elsewhere, every number with its command."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from agentcells import report as room
from agentcells.figures import FIGURES, figures
from agentcells.report_page import SECTIONS, page
from tests.github_factory import factory as github
from tests.pair_world import at, config, snapshot
from tests.report_world import line
from tests.stage import IMPLEMENT, REVIEW, TRIAGE, Stage, answer, once, rule
from tests.typed import Typed, typed

__all__ = ["typed"]

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Its words, and that every tag is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def shown(language="en", world=None):
    settings = config(language=language)
    return page(settings, figures(settings, world or line()))


def test_the_page_is_one_file_that_asks_nobody_for_anything():
    text = shown()
    read = Page(text)
    assert not re.search(r"https?://|<script|<link|<img|@import|url\(", text)
    assert ("html", {"lang": "en"}) in read.tags
    assert "prefers-color-scheme: dark" in text
    assert len([1 for tag, attrs in read.tags if "mark" in (attrs.get("class") or "")]) > 30


def test_what_people_wrote_is_shown_and_never_run():
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in shown()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_figure_is_told_in_words_with_the_command_that_gives_it(language):
    read = Page(shown(language))
    assert tuple(SECTIONS) == FIGURES
    for name in FIGURES:
        assert f"agentcells report {name} --json" in read.text
    for number in ("$14.00", "57%", "5.2", "11,700"):
        assert number in read.text, number
    headings = [tag for tag, _ in read.tags if tag in ("h1", "h2", "h3")]
    assert headings == ["h1"] + ["h2"] * 6


def test_long_times_are_told_in_days():
    later = replace(line(), now=at(400) + timedelta(days=9))
    assert "9.1 days" in Page(shown(world=later)).text


def test_a_page_about_nothing_is_whole():
    read = Page(shown(world=snapshot()))
    assert "0 items came in" in read.text


def test_the_command_writes_the_page_and_prints_the_figures(tmp_path, typed: Typed, monkeypatch):
    stage = Stage(tmp_path / "stage")
    number = stage.file("triage")
    stage.tick()
    pull = stage.pull_of(number).number
    stage.people.merge(pull, "alice")
    stage.tick()
    stage.file("triage", title="Waits")
    monkeypatch.chdir(tmp_path)
    said = typed(stage, "report")
    assert said.out == "Wrote agentcells-report.html. Open it in a browser.\n"
    assert said.err == ""
    Page((tmp_path / "agentcells-report.html").read_text())
    value = typed(stage, "report", "--json").value
    assert (value["items"], value["throughput"]["finished"]) == (2, 1)
    assert value["rounds"]["runs"] == 3
    assert typed(stage, "report", "rounds", "--json").value == value["rounds"]
    assert typed(stage, "report", "--json", "--items", "1", "--days", "0").value["items"] == 1
    wrong = typed(stage, "report", "speed", "--json")
    assert (wrong.code, wrong.out) == (2, "")
    assert "throughput, time, rounds, stops, cost, success" in wrong.err
    unwritable = typed(stage, "report", "--out", "/nowhere/report.html")
    assert "cannot be written: No such file or directory" in unwritable.err


def test_the_figures_of_a_line_that_was_really_walked_are_the_true_ones(tmp_path, typed: Typed):
    """Asks, is answered after two hours, waits five hours to be merged; another one is dropped after an hour."""
    stage = Stage(tmp_path / "stage", rules=[
        once("triage", answer("needs-human", "Which key?")), TRIAGE, IMPLEMENT, REVIEW])
    number = stage.file("triage")
    stage.tick()
    stage.advance(hours=2)
    stage.say(number, "The space bar.")
    stage.tick()
    assert stage.cells_run == ["triage", "triage", "implement", "review"]
    pull = stage.pull_of(number).number
    stage.advance(hours=5)
    stage.people.merge(pull, "alice")
    stage.tick()
    dropped = stage.file("triage", title="Dropped")
    stage.advance(hours=1)
    stage.people.close(dropped, "alice")
    stage.tick()
    value = typed(stage, "report", "--json", "--days", "0").value
    rows = stage.book(number).rows
    assert value["rounds"] == {"runs": 4, "cells": [
        {"cell": "triage", "items": 1, "runs": 2, "mean": 2.0, "most": 2},
        {"cell": "implement", "items": 1, "runs": 1, "mean": 1.0, "most": 1},
        {"cell": "review", "items": 1, "runs": 1, "mean": 1.0, "most": 1}]}
    assert value["cost"]["usd"] == pytest.approx(sum(row.usd for row in rows))
    assert value["cost"]["tokens"] == sum(row.tokens for row in rows)
    assert (value["throughput"]["started"], value["throughput"]["finished"]) == (2, 1)
    assert value["throughput"]["median_s"] == pytest.approx(7 * 3600, abs=300)
    states = {one["state"]: one for one in value["time"]["states"]}
    assert states["needs-human"]["human_s"] == pytest.approx(2 * 3600, abs=120)
    assert states["in-review"]["human_s"] == pytest.approx(5 * 3600, abs=120)
    assert states["triage"]["waiting_s"] == pytest.approx(3600, abs=120)  # of the one that was dropped
    assert states["implement"]["waiting_s"] + states["implement"]["running_s"] < 120
    assert value["success"]["rate"] == 1.0
    assert value["stops"]["reasons"] == [{"cell": "triage", "reason": "asked", "count": 1}]


def test_a_report_of_github_reads_closed_issues_too(tmp_path: Path):
    asks = [rule("triage", answer("needs-human", "Which key?"))]
    with github(tmp_path, rules=asks) as hub:
        number = hub.file()
        hub.tick()
        hub.owner.close("alice/game", number)
        hub.tick()
        value = json.loads(hub.run("report", "--json").stdout)
        assert value["throughput"]["stopped"] == 1
        assert value["stops"]["reasons"] == [{"cell": "triage", "reason": "asked", "count": 1}]
        assert value["cost"]["usd"] > 0


def test_a_span_before_every_calendar_is_all_of_it():
    assert room._begin(datetime(2026, 3, 1, tzinfo=UTC), 10**6) is None
    assert room._begin(datetime(2026, 3, 1, tzinfo=UTC), 0) is None
    assert room._begin(datetime(2026, 3, 1, tzinfo=UTC), 1) == datetime(2026, 2, 28, tzinfo=UTC)
