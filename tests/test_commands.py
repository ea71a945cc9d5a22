"""The commands at home: documented as they are, quiet where they should be, whole in an installed wheel."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from agentcells import __version__, help_ja
from agentcells.columns import width
from agentcells.sentences.helping import IN_JAPANESE
from tests.stage import Stage
from tests.typed import Typed, typed

__all__ = ["typed"]

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = {"en": "commands.md", "ja": "commands.ja.md"}
READMES = {"en": "README.md", "ja": "README.ja.md"}
BEGIN = "<!-- from here on: what --help prints; `AGENTCELLS_WRITE_SNAPSHOTS=1 make test` renews it -->"


def commands() -> Iterator[tuple[str, ...]]:
    """Every command of the tree, groups before their members; `cell` speaks inside a run only."""
    from agentcells import cli

    def walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield path
        for name, inner in getattr(command, "commands", {}).items():
            if (*path, name) != ("cell",):
                yield from walk(inner, (*path, name))

    yield from walk(typer.main.get_command(cli.app), ())


def helped(typed: Typed, path: tuple[str, ...]) -> str:
    said = typed(None, *path, "--help")
    assert (said.code, said.err) == (0, ""), path
    return "\n".join(line.rstrip() for line in said.out.strip().splitlines())


@pytest.mark.parametrize("language", DOCUMENTS)
def test_the_document_shows_the_help_of_every_command(typed: Typed, monkeypatch, language):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERMINAL_WIDTH", "100")
    monkeypatch.setenv("LC_ALL", f"{language}.UTF-8")
    parts = [
        f"\n## agentcells {' '.join(path)}".rstrip() + f"\n\n```text\n{helped(typed, path)}\n```\n"
        for path in commands()
    ]
    document = ROOT / "docs" / DOCUMENTS[language]
    head, _, shown = document.read_text(encoding="utf-8").partition(BEGIN)
    printed = "\n" + "".join(parts)
    if os.environ.get("AGENTCELLS_WRITE_SNAPSHOTS"):
        document.write_text(head + BEGIN + printed, encoding="utf-8")
        shown = printed
    assert shown == printed, f"{document.name} is not what --help prints"
    assert f"docs/{document.name}" in (ROOT / READMES[language]).read_text(encoding="utf-8")


@pytest.mark.parametrize("language", DOCUMENTS)
def test_help_fits_a_terminal_and_every_summary_is_whole(typed: Typed, monkeypatch, language):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LC_ALL", f"{language}.UTF-8")
    for path in commands():
        text = helped(typed, path)
        assert all(width(line) <= 80 for line in text.splitlines()), path
    listed = re.split("Commands:|コマンド:", helped(typed, ()))[1]
    assert "..." not in listed, "\n".join(x for x in listed.splitlines() if "..." in x)


def test_every_text_of_the_help_has_its_japanese_and_none_is_left_over():
    from agentcells import cli

    def texts(command: Any) -> Iterator[str]:
        yield from filter(None, [command.help, *(getattr(one, "help", "") for one in command.params)])
        for inner in getattr(command, "commands", {}).values():
            yield from texts(inner)

    there = {*texts(typer.main.get_command(cli.app)), "Show this message and exit."}
    assert there - set(IN_JAPANESE) == set()
    assert set(IN_JAPANESE) - there == set()
    numbers = {text: re.findall(r"(?<!\w)--?[a-z]+|[A-Z]{2,}|\d+", text) for text in IN_JAPANESE}
    assert {text for text, names in numbers.items() if not all(one in IN_JAPANESE[text] for one in names)} == set()


@pytest.mark.parametrize(("told", "shown"), [
    ("The newest events.  [default: 50; x>=1]", "新しいものからこの件数。 [既定値: 50; x>=1]"),
    ("[required]", "[必須]"),
    ("The factory's cells.toml.  [env var: AGENTCELLS_CONFIG; default: a; required]",
     "ファクトリーの cells.toml。 [環境変数: AGENTCELLS_CONFIG; 既定値: a; 必須]"),
    ("Log here; default: stderr.", "ログの書き先。既定: 標準エラー出力。"),
    ("Not known yet. [default]", "Not known yet. [default]"),
])
def test_what_typer_says_behind_a_text_is_japanese_too(told, shown):
    assert help_ja._with_extra(told) == shown


def test_no_words_at_all_is_a_question_for_help(typed: Typed):
    said = typed(None)
    assert said.code == 0
    assert said.out.startswith("Usage: agentcells [OPTIONS] COMMAND")
    assert typed(None, "issue").out.startswith("Usage: agentcells issue")


def test_no_words_at_all_is_a_question_for_help_in_japanese_too(typed: Typed, monkeypatch):
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    for words in ([], ["issue"]):
        said = typed(None, *words)
        assert said.code == 0
        assert said.out.startswith(" ".join(["使い方: agentcells", *words, "[オプション] コマンド [引数]..."]))


def test_the_version_is_told(typed: Typed):
    assert typed(None, "--version").out == f"agentcells {__version__}\n"


@pytest.mark.parametrize(
    "words", [["nonsense"], ["status", "--nonsense"], ["why"], ["why", "x", "y"], ["tick", "more"]])
def test_a_slip_of_the_fingers_is_one_line_on_stderr_and_exit_2(typed: Typed, words):
    said = typed(None, *words)
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert re.search(r"`agentcells( \w+)* --help`", said.err)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_complete(shell, monkeypatch):
    env = {**os.environ, "_AGENTCELLS_COMPLETE": f"complete_{shell}", "COMP_WORDS": "agentcells st",
           "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "agentcells st",
           "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    program = str(Path(sys.executable).with_name("agentcells"))
    done = subprocess.run([program], env=env, capture_output=True, text=True, check=False)
    assert "status" in done.stdout
    assert "stop" in done.stdout
    assert "retry" not in done.stdout


def test_data_goes_to_stdout_and_trouble_to_stderr(tmp_path, typed: Typed):
    stage = Stage(tmp_path)
    for words in (["status"], ["why", "1"], ["graph"], ["config"], ["logs"], ["report"],
                  ["tick", "--dry-run"], ["check"]):
        said = typed(stage, *words, "--json")
        assert said.err == "", words
        if said.out:
            json.loads(said.out)
    text = stage.cells_path.read_text()
    stage.cells_path.write_text(text.replace("[agent]", "[agnet]"))
    for words in (["status"], ["why", "1"], ["graph"], ["report"], ["retry", "1"],
                  ["release", "1"], ["tick"], ["check"]):
        said = typed(stage, *words)
        assert (said.code, said.out) == (2, ""), words
        assert "agnet" in said.err


def test_state_and_settings_lie_where_xdg_says(tmp_path: Path):
    stage = Stage(tmp_path / "stage")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home"),
           "XDG_STATE_HOME": str(tmp_path / "xdg"), "AGENTCELLS_CONFIG": str(stage.cells_path)}
    (tmp_path / "home").mkdir()
    subprocess.run([sys.executable, "-I", "-m", "agentcells", "stop"], env=env, check=True,
                   capture_output=True, cwd=tmp_path)
    assert [path.name for path in (tmp_path / "xdg").iterdir()] == ["agentcells"]
    assert list((tmp_path / "home").iterdir()) == []
    assert len(list((tmp_path / "xdg").rglob("brake.json"))) == 1


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `uv tool install` and `pipx install` do: an environment of its own, the wheel in it."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("agentcells-*.whl")
    place = folder / "tool"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    (site,) = place.glob("lib/python3*/site-packages")
    (here,) = {Path(path) for path in sys.path if path.endswith("site-packages")}
    (site / "libraries.pth").write_text(f"{here}\n")  # what pip would fetch
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
         "--prefix", str(place), "--ignore-installed", str(wheel)], check=True, cwd=folder,
        capture_output=True)
    return place


def from_wheel(place: Path, *words: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(place.parent)}
    done = subprocess.run(
        [str(place / "bin" / "agentcells"), *words], env=env, cwd=place.parent,
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return done.stdout


def test_an_installed_wheel_gives_a_working_command(installed: Path):
    assert from_wheel(installed, "--version") == f"agentcells {__version__}\n"
    (example,) = installed.glob("lib/python3*/site-packages/agentcells/data/cells.toml")
    assert "triage" in from_wheel(installed, "graph", "--config", str(example))
    assert "Usage: agentcells timer install" in from_wheel(installed, "timer", "install", "--help")


def test_an_installed_wheel_sets_a_factory_up_and_checks_it(installed: Path, tmp_path: Path):
    assert "You are alice" in from_wheel(installed, "demo", "--by-hand", str(tmp_path / "line"))
    cells = str(tmp_path / "line" / "cells.toml")
    assert "agentcells.lock.toml" in from_wheel(installed, "init", "--yes", "--config", cells)
    assert "nothing was changed" in from_wheel(installed, "init", "--yes", "--config", cells)
    checked = from_wheel(installed, "check", "--config", cells)
    assert "STOP" not in checked
    assert "agentcells.lock.toml agrees with the forge" in checked
    (data,) = installed.glob("lib/python3*/site-packages/agentcells/data")
    carried = {str(path.relative_to(data)) for path in data.rglob("*") if path.is_file()}
    wanted = {str(path.relative_to(ROOT)) for name in ("prompts", "systemd") for path in (ROOT / name).iterdir()}
    assert carried == wanted | {"cells.toml"}


@pytest.mark.slow
def test_an_installed_wheel_walks_to_a_merged_pull_request(installed: Path, tmp_path: Path):
    told = from_wheel(installed, "demo", "--keep", str(tmp_path / "demo"))
    assert "an issue became a merged pull request" in told
    assert re.search(r"^ +files +.*greeter\.py", told, re.MULTILINE)  # README says that it ends with them
    cells = str(tmp_path / "demo" / "cells.toml")
    assert re.search(r"^Nothing to do", from_wheel(installed, "status", "--config", cells))
