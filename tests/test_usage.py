"""Slips on the command line: one line, in the language of whoever typed it, exit 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.exceptions import TyperException

from agentcells.usage import slip
from tests.stage import Stage
from tests.typed import Typed, typed

__all__ = ["typed"]

SLIPS = {
    "tick --nosuch": ("--nosuch", "agentcells tick --help"),
    "status --wach": ("--wach", "--watch", "agentcells status --help"),
    "tck": ("tck", "tick", "agentcells --help"),
    "timer nosuch": ("nosuch", "agentcells timer --help"),
    "why": ("NUMBER|CELL", "agentcells why --help"),
    "why 1 2": ("2", "agentcells why --help"),
    "issue comment 1 two words": ("words", "agentcells issue comment --help"),
    "tick --config": ("--config", "--help"),
    "tick --json=yes": ("--json", "--help"),
    "logs -n 0": ("-n, --lines", "0"),
    "logs --lines many": ("-n, --lines", "many"),
    "bench line --think long": ("--think", "long"),
}


@pytest.mark.parametrize("words", SLIPS)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_slip_is_one_line_in_the_language_of_the_shell_and_names_the_help(
    typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: str, language: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANG", f"{language}_XX.UTF-8")
    said = typed(None, *words.split())
    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1), said
    assert all(part in said.err for part in SLIPS[words]), said.err
    assert said.err.isascii() == (language == "en"), said.err
    assert "'" not in said.err, "typer's own quoting"


@pytest.mark.parametrize("words", [
    "status --watch --json", "status --watch --offline", "report cost", "issue accounts --bot",
])
def test_an_option_that_would_do_nothing_is_not_passed_over(typed: Typed, tmp_path: Path, words: str) -> None:
    said = typed(Stage(tmp_path / "a place"), *words.split())
    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1), said


def test_a_slip_of_a_kind_that_typer_has_yet_to_invent_is_told_in_its_words() -> None:
    told = slip(TyperException("Something else."))
    assert (told.key, told.exit_code, told.slots["words"]) == ("usage_other", 2, "Something else.")
