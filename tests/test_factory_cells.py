"""Cells on the factory itself (R50): when they run, what they file and close, and what they cost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agentcells import factory_book, views
from agentcells.factory_board import why_factory
from agentcells.figures import figures
from agentcells.forge import Forbidden, Unavailable
from agentcells.markers import below, parse_marker
from agentcells.plan import FactoryBook, Filed
from tests.people import BOT, OWNER, REPO
from tests.stage import CELLS, Stage, Trouble, ago, answer, nothing_written, once, rule

BOTTLENECK = """
[[cell]]
name = "bottleneck"
on = "factory"
every = "1d"
unusual = true
"""
CAUSE = "wait:needs-human"
FILED = rule("bottleneck", {"answer": {
    "next": "file", "comment": "One cause.", "cause": CAUSE,
    "title": "Questions wait for @alice: 4 items", "body": "Four questions wait.\n\nFixes #1",
}})


def stage_of(tmp_path: Path, *rules: dict, cells: str = BOTTLENECK, **more) -> Stage:
    return Stage(tmp_path / "stage", rules=[*rules, REST], cells=CELLS + cells, **more)


@pytest.fixture(params=["local", "github"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    """A factory whose bottleneck has something to file, on the embedded forge and on GitHub."""
    stage = stage_of(tmp_path, FILED, world=request.param)
    yield stage
    stage.people.stop()


REST = rule("implement", answer("needs-human", "Which colour?"))


def quiet_weeks(stage: Stage, weeks: int = 5) -> None:
    """Each week one question that the owner answers by closing the issue after a day."""
    for _ in range(weeks):
        number = stage.file("needs-human", title="A question")
        stage.advance(days=1)
        stage.people.close(number, OWNER)
        stage.advance(days=6)


def bad_week(stage: Stage, count: int = 4) -> list[int]:
    """Questions that nobody answers."""
    numbers = [stage.file("needs-human", title=f"Question {i}") for i in range(count)]
    stage.advance(days=6)
    return numbers


def filed(stage: Stage) -> list[int]:
    return [n for n in stage.people.numbers() if (m := parse_marker(stage.item(n).body)) and m.kind == "filed"]


def test_r50_a_figure_out_of_its_range_is_filed_once_and_closed_when_it_is_over(either):
    stage = either
    quiet_weeks(stage)
    assert stage.tick().cells == []
    waiting = bad_week(stage)
    ticked = stage.tick()
    assert ticked.cells == ["bottleneck"]
    (number,) = filed(stage)
    issue = stage.item(number)
    assert issue.author is not None
    assert (issue.author.login, issue.labels, issue.assignees) == (BOT, (), ())
    assert "@alice" not in issue.title
    body = below(issue.body)
    assert "items stood at `ac:needs-human`" in body
    assert "Fixes #1" not in body
    assert f"`{CAUSE}`" in stage.prompt
    assert f"{REPO}#{waiting[0]}" in stage.prompt

    stage.advance(days=1)
    assert stage.tick().cells == []  # the cause is filed: nothing new to look into, no dollar spent
    assert filed(stage) == [number]

    for one in waiting:
        stage.people.close(one, OWNER)
    stage.advance(days=8)
    stage.tick()
    issue = stage.item(number)
    assert issue.state == "closed"
    assert "The cause is over" in below(issue.comments[-1].body)
    stage.advance(days=1)
    assert stage.tick().wrote == ["KeepBook"]


def test_r50_a_lost_state_folder_files_nothing_twice(tmp_path):
    stage = stage_of(tmp_path, FILED)
    quiet_weeks(stage)
    waiting = bad_week(stage)
    stage.tick()
    (number,) = filed(stage)
    shutil.rmtree(stage.state.root)
    stage.rules.insert(0, FILED)
    assert stage.tick().cells == []  # due at once; the open issue was found on the forge
    assert filed(stage) == [number]
    for one in waiting:
        stage.people.close(one, OWNER)
    stage.advance(days=8)
    stage.tick()
    assert stage.item(number).state == "closed"


def test_r50_a_filing_that_was_cut_off_is_found_again(tmp_path):
    """The issue stands on the forge, and the machine died before it could note the number."""
    stage = stage_of(tmp_path, FILED)
    quiet_weeks(stage)
    bad_week(stage)
    stage.troubles.append(Trouble(
        "create_issue", done=True, error=Unavailable("local_busy", exit_code=75, root="x")))
    assert stage.tick().problem is not None
    stage.troubles.clear()
    stage.tick()
    assert len(filed(stage)) == 1
    assert factory_book.books(stage.state)["bottleneck"].filed[0].number == filed(stage)[0]
    assert stage.state.runs() == ()


def test_r50_its_money_is_the_days_money_and_its_run_is_shown(tmp_path):
    stage = stage_of(tmp_path, FILED)
    quiet_weeks(stage)
    bad_week(stage)
    before = stage.state.brake().usd_today
    stage.tick()
    book = factory_book.books(stage.state)["bottleneck"]
    (row,) = book.ledger.rows
    assert (row.outcome, row.next) == ("done", "file")
    assert row.usd > 0
    assert stage.state.brake().usd_today == pytest.approx(row.usd)
    assert before != stage.state.brake().usd_today
    snapshot, plan = stage.look()
    board = "\n".join(views.status_board(stage.config, snapshot, plan))
    assert f"Filed and open: #{filed(stage)[0]} ({CAUSE})" in board
    told = "\n".join(why_factory(stage.config, snapshot, "bottleneck"))
    assert f"agentcells logs {row.run}" in told
    assert "It looks again in" in told
    value = views.status_value(stage.config, snapshot, plan)["factory_cells"][0]
    assert (value["cell"], value["runs"], value["last_run"]) == ("bottleneck", 1, row.run)
    cost = figures(stage.config, snapshot)["cost"]
    assert {one["cell"]: one["usd_per_item"] for one in cost["cells"]}["bottleneck"] is None
    assert stage.state.find_log(row.run) is not None


def test_r50_it_stands_still_with_the_machine(tmp_path):
    stage = stage_of(tmp_path, FILED)
    quiet_weeks(stage)
    bad_week(stage)
    stage.state.write_brake(replace(stage.state.brake(), stopped=True))
    with nothing_written(stage):
        assert stage.tick().cells == []
    snapshot, _ = stage.look()
    assert snapshot.sights == ()  # and the line is not read for it
    assert "stop --resume" in "\n".join(why_factory(stage.config, snapshot, "bottleneck"))


@pytest.mark.parametrize("change", [
    {"cause": "wait:elsewhere"}, {"title": " "}, {"body": ""}, {"next": "over"},
])
def test_r50_an_answer_that_does_not_fit_files_nothing(tmp_path, change):
    said = {**FILED["do"][0]["answer"], **change}
    stage = stage_of(tmp_path, rule("bottleneck", {"answer_unchecked": said}))
    quiet_weeks(stage)
    bad_week(stage)
    stage.tick()
    assert filed(stage) == []
    assert factory_book.books(stage.state)["bottleneck"].ledger.rows[-1].outcome == "bad_answer"
    assert stage.tick().cells == []  # one attempt for each time that it is due


FREE = """
[[cell]]
name = "docs"
on = "factory"
every = "7d"
prompt = "prompts/bottleneck.md"
"""


def file_it(cause: str, **more: str) -> dict:
    return {"answer": {"next": "file", "comment": "Found one.", "title": "The manual is old",
                       "body": "It names a flag that is gone.", "cause": cause, **more}}


def test_r50_a_cell_without_figures_names_its_causes_itself(tmp_path):
    over = {"answer": {"next": "over", "comment": "Mended.", "title": "", "body": "", "cause": "docs-flags"}}
    stage = stage_of(tmp_path, once("docs", file_it("Docs flags!")), once("docs", file_it("docs flags")),
                     rule("docs", over), cells=FREE)
    assert stage.tick().cells == ["docs"]
    (number,) = filed(stage)
    assert "`over`" not in stage.prompt  # nothing is filed that could be over
    assert stage.tick().cells == []
    stage.advance(days=7)
    assert stage.tick().cells == ["docs"]
    assert filed(stage) == [number]
    assert f"{REPO}#{number}: `docs-flags`" in stage.prompt
    stage.advance(days=7)
    stage.tick()
    assert stage.item(number).state == "closed"


def test_r11_an_issue_that_the_owner_took_up_is_not_closed(tmp_path):
    stage = stage_of(tmp_path, FILED)
    quiet_weeks(stage)
    waiting = bad_week(stage)
    stage.tick()
    (number,) = filed(stage)
    stage.people.assign(number, OWNER, OWNER)
    stage.label(number, "implement")
    for one in waiting:
        stage.people.close(one, OWNER)
    stage.advance(days=8)
    ticked = stage.tick()
    assert "implement" in ticked.cells  # it runs as any item: the owner approved its text
    assert stage.item(number).state == "open"
    assert factory_book.books(stage.state)["bottleneck"].filed[0].over


def test_r11_only_what_carries_our_marker_is_closed(tmp_path):
    """The book names an issue that is somebody else's: it was written by hand, or spoilt."""
    stage = stage_of(tmp_path, FILED)
    quiet_weeks(stage)
    number = stage.file(label="", title="Mine", by=OWNER)
    state = stage.state
    factory_book.keep_book(state, "bottleneck", FactoryBook(filed=(
        Filed(cause=CAUSE, repo=REPO, number=number, at=ago(days=1)),
        Filed(cause="stops:x:y", repo=REPO, number=9999, at=ago(days=1)))))
    with nothing_written(stage):
        stage.tick()
    assert stage.item(number).state == "open"
    assert all(one.over for one in factory_book.books(state)["bottleneck"].filed)


def test_r50_weather_is_tried_again_when_the_pause_is_over(tmp_path):
    stage = stage_of(tmp_path, once("bottleneck", {"error": "overload"}), FILED)
    quiet_weeks(stage)
    bad_week(stage)
    stage.tick()
    assert filed(stage) == []
    stage.advance(hours=1)
    assert stage.tick().cells == ["bottleneck"]
    assert len(filed(stage)) == 1


def test_r50_a_dead_run_is_counted_and_put_away(tmp_path):
    stage = stage_of(tmp_path, {"cell": "bottleneck", "dies": True}, cells=BOTTLENECK)
    quiet_weeks(stage)
    bad_week(stage)
    stage.tick()
    assert factory_book.books(stage.state)["bottleneck"].ledger.rows[-1].outcome == "crash"
    assert stage.state.runs() == ()


def test_r33_a_claim_that_was_never_started_is_due_again(tmp_path):
    stage = stage_of(tmp_path, once("docs", file_it("x")), cells=FREE)
    stage.claim().unlock()
    ticked = stage.tick()
    assert ticked.cells == ["docs"]
    assert "was claimed but never started" in ticked.of("CloseRun")[0]["text"]
    book = factory_book.books(stage.state)["docs"]
    assert [row.outcome for row in book.ledger.rows] == ["withdrawn", "done"]


def test_r50_a_secret_of_this_machine_is_not_filed(tmp_path, monkeypatch):
    secret = "sk-ant-api03-" + "Zq7" * 30
    body = f"The log says {secret}."
    stage = stage_of(tmp_path, once("docs", file_it("leak", body=body)), cells=FREE)
    stage.tick()
    assert filed(stage) == []
    assert factory_book.books(stage.state)["docs"].ledger.rows[-1].outcome == "refused"


def test_r50_a_refused_filing_is_given_up_after_three_passes(tmp_path):
    stage = stage_of(tmp_path, once("docs", file_it("x")), cells=FREE)
    stage.troubles.append(Trouble(
        "create_issue", error=Forbidden("local_default_branch", repo=REPO, ref="x"), times=9))
    for _ in range(5):
        stage.tick()
    assert stage.state.runs() == ()
    assert factory_book.books(stage.state)["docs"].ledger.rows[-1].outcome == "refused"
