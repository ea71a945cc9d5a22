"""A cells.toml that is wrong, or a prompt: what stops the machine still works, what looks shows what it can."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcells.store import State
from tests.stage import OWNER, REPO, Stage, answer, rule
from tests.typed import Typed, typed

__all__ = ["typed"]

ASKS = rule("triage", answer("needs-human", "Which key should it be?"))


def no_toml(stage: Stage) -> None:
    stage.cells_path.write_text(stage.cells_path.read_text() + "[agent\n")


def no_text(stage: Stage) -> None:
    stage.cells_path.write_bytes(b"\xff\xfe\x00")


def no_prompt(stage: Stage) -> None:
    (stage.root / "prompts" / "review.md").unlink()


def no_such_key(stage: Stage) -> None:
    stage.cells_path.write_text(stage.cells_path.read_text().replace("[agent]", "[agent]\nstal = 1"))


def no_such_cell(stage: Stage) -> None:
    stage.cells_path.write_text(stage.cells_path.read_text().replace('"implement", "done"', '"inplement", "done"'))


Slip = Callable[[Stage], None]
SLIPS: tuple[Slip, ...] = (no_toml, no_text, no_prompt, no_such_key, no_such_cell)


@pytest.mark.parametrize("slip", SLIPS)
def test_a_stop_takes_hold_however_wrong_cells_toml_is(tmp_path: Path, typed: Typed, slip: Slip) -> None:
    stage = Stage(tmp_path)
    stage.file("triage")
    slip(stage)
    said = typed(stage, "stop", "--now")
    assert (said.code, said.err) == (0, "")
    assert stage.state.brake().stopped
    assert typed(stage, "stop", "--resume").code == 0
    assert typed(stage, "timer", "remove").code == 0


def test_a_stop_takes_hold_where_cells_toml_was_lost(tmp_path: Path, typed: Typed) -> None:
    """Whoever put it away wanted it to stop all the more."""
    stage = Stage(tmp_path)
    stage.tick()
    stage.cells_path.unlink()
    assert typed(stage, "stop").code == 0
    assert stage.state.brake().stopped


def test_a_stop_finds_the_factory_that_is_named_from_home(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `load` does: else it would stop a factory that nobody has."""
    stage = Stage(tmp_path / "line")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "states"))
    monkeypatch.setenv("AGENTCELLS_CONFIG", "~/line/cells.toml")
    assert typed(None, "stop").code == 0
    assert State.open(stage.cells_path).brake().stopped


@pytest.mark.parametrize("slip", SLIPS)
def test_status_shows_what_it_can_and_names_the_mistake(tmp_path: Path, typed: Typed, slip: Slip) -> None:
    stage = Stage(tmp_path, rules=[ASKS])
    stage.file("triage")
    stage.tick()
    stage.file("triage")
    folder = stage.claim()
    typed(stage, "stop")
    slip(stage)
    said = typed(stage, "status")
    assert said.code == 2
    assert "Stopped by you" in said.out
    assert f"{REPO}#1  " in said.out
    assert "[ac:needs-human]" in said.out
    assert f"{folder.run}: triage on {REPO}#2, at work" in said.out
    assert said.err.strip()
    assert "cells.toml" in said.err
    value = typed(stage, "status", "--json")
    assert value.code == 2
    assert (value.value["state"], value.value["stopped"]) == ("stopped", True)
    assert [one["run"] for one in value.value["runs"]] == [folder.run]
    folder.unlock()


def test_status_tells_it_in_the_language_of_the_file(tmp_path: Path, typed: Typed) -> None:
    stage = Stage(tmp_path, factory='language = "ja"\n')
    typed(stage, "stop")
    no_toml(stage)
    assert "誤りがあり" in typed(stage, "status").out


@pytest.mark.parametrize("slip", [no_prompt, no_such_key, no_such_cell])
def test_the_desk_and_the_logs_do_without_what_is_wrong_elsewhere(
    tmp_path: Path, typed: Typed, slip: Slip
) -> None:
    stage = Stage(tmp_path, rules=[ASKS])
    number = stage.file("triage")
    stage.tick()
    slip(stage)
    for words in (["show", str(number)], ["list"], ["comment", str(number), "The space bar."],
                  ["close", str(number)], ["new", "Plain", "--plain"]):
        said = typed(stage, "issue", *words)
        assert said.code == 0, said.err
        assert "has mistakes that stand in the way of every tick; `agentcells check` names them" in said.err
    assert any(one.body == "The space bar." for one in stage.item(number).comments)
    assert typed(stage, "tick").code == 2
    if slip is not no_such_key:
        assert typed(stage, "logs").code == 0


def test_init_refuses_a_language_that_is_not_spoken_where_cells_toml_stands_already(
    tmp_path: Path, typed: Typed
) -> None:
    stage = Stage(tmp_path)
    said = typed(stage, "init", "--yes", "--language", "fr")
    assert said.code == 2
    assert "takes en or ja" in said.err


def test_the_desk_sets_no_label_by_a_wrong_cells_toml(tmp_path: Path, typed: Typed) -> None:
    stage = Stage(tmp_path)
    number = stage.file("")
    no_such_cell(stage)
    for words in (["new", "One"], ["label", str(number), "triage"], ["list", "--label", "triage"]):
        assert typed(stage, "issue", *words).code == 2
    assert stage.states(number) == set()
    assert len(stage.people.forge(OWNER).listing(REPO).rows) == 1


def test_a_mistake_in_what_the_desk_needs_is_a_mistake(tmp_path: Path, typed: Typed) -> None:
    stage = Stage(tmp_path)
    number = stage.file("")
    stage.cells_path.write_text(stage.cells_path.read_text().replace(f'owner = "{OWNER}"', "owner = 3"))
    said = typed(stage, "issue", "comment", str(number), "Hello.")
    assert said.code == 2
    assert "factory.owner" in said.err
    assert json.dumps(said.out) == '""'
