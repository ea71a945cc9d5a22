"""`agentcells init` where something is mistyped, or typed once more: nothing half, nothing passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentcells.config import load
from agentcells.init import Answers, _ask, _written, detect_repo
from tests.stage import Stage
from tests.typed import Typed, typed

__all__ = ["typed"]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


INIT = ("init", "--yes", "--repo", "alice/game", "--owner", "alice")


@pytest.mark.parametrize(("option", "value", "word"), [
    ("--api-url", "game", "forge.api_url"), ("--git-url", "game", "forge.git_url"),
    ("--ca-file", "/nowhere/ca.pem", "/nowhere/ca.pem"),
])
def test_a_slip_in_an_option_leaves_nothing_that_is_in_the_way_of_the_next_try(
    typed: Typed, empty: Path, option: str, value: str, word: str
) -> None:
    said = typed(None, *INIT, option, value)
    assert (said.code, said.out) == (2, "")
    assert word in said.err
    assert "Nothing was written" in said.err
    assert list(empty.iterdir()) == []


def test_a_token_file_that_is_not_there_is_named_with_both_ways_on(typed: Typed, empty: Path) -> None:
    said = typed(None, *INIT, "--token-file", "/nowhere/token")
    assert said.code == 1
    assert "/nowhere/token" in said.err
    assert "Put the token there" in said.err
    again = typed(None, *INIT, "--token-file", "/elsewhere/token")
    assert again.code == 2
    assert "--token-file" in again.err
    assert "correct it there" in again.err


def test_a_folder_that_takes_no_file_is_named_and_is_no_bug(typed: Typed, empty: Path) -> None:
    said = typed(None, *INIT, "--config", "/proc/cells.toml")
    assert said.code == 2
    assert said.err.startswith("/proc cannot be used")


def test_what_cannot_be_written_whole_is_taken_up_again_by_the_next_try(typed: Typed, empty: Path) -> None:
    (empty / "prompts").write_text("Not a folder.\n", encoding="utf-8")
    said = typed(None, *INIT)
    assert said.code == 2
    assert "bug" not in said.err
    assert not (empty / "cells.toml").exists()
    (empty / "prompts").unlink()
    typed(None, *INIT)
    assert (empty / "prompts" / "triage.md").is_file()
    assert load(empty / "cells.toml").forge.repos == ("alice/game",)


@pytest.mark.parametrize(("option", "value"), [
    ("--owner", "mallory"), ("--bot", "other-bot"), ("--repo", "alice/other"), ("--token-file", "token"),
    ("--api-url", "https://x.example/graphql"), ("--language", "ja"), ("--ca-file", "ca.pem"),
])
def test_an_option_that_cells_toml_contradicts_is_told_and_changes_nothing(
    typed: Typed, tmp_path: Path, option: str, value: str
) -> None:
    stage = Stage(tmp_path / "a place")
    before = stage.cells_path.read_text(encoding="utf-8")
    said = typed(stage, "init", "--yes", option, value)
    assert (said.code, said.out) == (2, "")
    assert option in said.err
    assert str(stage.cells_path) in said.err
    assert stage.cells_path.read_text(encoding="utf-8") == before


def test_what_cells_toml_says_already_may_be_said_again(typed: Typed, tmp_path: Path) -> None:
    stage = Stage(tmp_path / "a place")
    repo = load(stage.cells_path).forge.repos[0]
    assert typed(stage, "init", "--yes", "--owner", "alice", "--repo", repo.upper()).code == 0


def test_the_file_that_config_names_is_the_one_that_is_written(empty: Path) -> None:
    told: list[str] = []
    config = _written(empty / "line.toml", Answers(repo="alice/game", owner="alice"), told.append)
    assert config.path == empty / "line.toml"
    assert "Wrote line.toml" in told
    assert not (empty / "cells.toml").exists()


def test_a_relative_token_file_counts_from_cells_toml(
    typed: Typed, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (empty / "token").write_text("not-a-real-one-0123\n", encoding="utf-8")
    config = _written(
        empty / "cells.toml", Answers(repo="alice/game", owner="alice", token_file="token"), lambda _: None)
    assert config.forge.token is not None
    assert config.forge.token.file == str(empty / "token")


def test_a_repository_with_git_at_its_end_is_none(typed: Typed, empty: Path) -> None:
    said = typed(None, "init", "--yes", "--repo", "alice/game.git", "--owner", "alice")
    assert said.code == 2
    assert "alice/game.git" in said.err
    assert list(empty.iterdir()) == []


def test_a_quote_that_is_never_closed_and_a_language_that_is_none_are_told(
    typed: Typed, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for last, word in ((['pytest -k "x'] * 3, "quotes"), (["pytest", "jp", "jp", "jp"], "jp")):
        answers = iter(["alice/game", "alice", "", "", *last])
        monkeypatch.setattr("typer.prompt", lambda *_, given=answers, **__: next(given))
        said = typed(None, "init")
        assert said.code == 2, said
        assert word in said.err
    assert list(empty.iterdir()) == []


def test_a_slip_in_an_answer_costs_that_answer_alone(empty: Path) -> None:
    given = iter(["alice/game", "alice", "", "", 'pytest -k "x', "pytest -k 'x y'", "japanese", "ja"])
    told: list[str] = []
    answers = _ask(empty, lambda *_: next(given), told.append, yes=False)
    assert (answers.test, answers.language) == (("pytest", "-k", "x y"), "ja")
    assert ["quotes" in told[0], "japanese" in told[1], len(told)] == [True, True, 2]


def test_the_questions_are_asked_in_the_language_of_the_shell(
    empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "ja_JP.UTF-8")
    asked: list[str] = []

    def ask(question: str, default: str) -> str:
        asked.append(question)
        return default or "alice/game"

    answers = _ask(empty, ask, asked.append, yes=False)
    assert answers.language == "ja"
    assert all(not question.isascii() for question in asked)


def test_without_git_there_is_no_repository_to_guess(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert detect_repo(empty) == ""
