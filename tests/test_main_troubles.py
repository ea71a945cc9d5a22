"""The machine itself is in trouble: a full disk, a folder without rights, a reader who has gone.

One clear line each, never "a bug", and when the trouble is over the next tick goes on as if nothing had been.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from agentcells.store import State
from tests.factory import Factory, answer
from tests.stage import Stage
from tests.typed import Said, Typed, typed

__all__ = ["typed"]

ASKS = [{"cell": "triage", "do": [answer("needs-human", "How many?")]}]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "a place")


def shell(script: str, *words: str, env: Mapping[str, str] | None = None,
          cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command as `"$@"` in a script of the shell."""
    argv = ["/bin/sh", "-c", script, "sh", str(Path(sys.executable).with_name("agentcells")), *words]
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(argv, env={**kept, **(env or {})}, cwd=cwd, capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, check=False)


def one_line(said: Said | subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    err = said.err if isinstance(said, Said) else said.stderr
    assert (said.code if isinstance(said, Said) else said.returncode) == code, err
    assert len(err.splitlines()) == 1, err
    assert "bug" not in err
    assert all(word in err for word in words), err


# ---------------------------------------------------------------- the disk


@pytest.mark.sandbox
def test_a_full_disk_is_one_line_and_the_next_tick_goes_on(tmp_path: Path):
    factory = Factory(tmp_path / "a place", rules=ASKS)
    issue = factory.file()
    factory.state.mkdir()
    small = ["--dev-bind", "/", "/", "--size", "4096", "--tmpfs", str(factory.state)]
    done = shell(f'exec bwrap {" ".join(map(repr, small))} -- "$@"', "tick",
                 env={**factory.environment(), "AGENTCELLS_CONFIG": str(factory.cells_path)})
    one_line(done, 1, str(factory.state), "No space left on device", "Make room")
    assert factory.states(issue) == {"triage"}
    assert factory.tick().code == 0
    assert factory.said(issue) != []


@pytest.mark.sandbox
def test_a_full_disk_leaves_no_half_file(tmp_path: Path):
    script = (
        "import sys, pathlib; from agentcells.store import keep, Unwritable\n"
        "place = pathlib.Path(sys.argv[1])\n"
        "try: keep(place / 'x.json', 'x' * 100_000)\n"
        "except Unwritable as error: print(error.slots['detail'], sorted(place.iterdir()))"
    )
    small = ["bwrap", "--dev-bind", "/", "/", "--size", "8192", "--tmpfs", str(tmp_path), "--"]
    told = subprocess.run([*small, sys.executable, "-c", script, str(tmp_path)], capture_output=True,
                          text=True, check=True)
    assert told.stdout == "No space left on device []\n"


@pytest.mark.parametrize("words", [("status",), ("tick",), ("tick", "--dry-run"), ("why", "1")])
def test_a_state_folder_that_is_none_is_told_in_one_line(tmp_path, typed: Typed, monkeypatch, words):
    stage = Stage(tmp_path / "a place")
    stage.file()
    place = tmp_path / "no folder"
    place.write_text("a file")
    monkeypatch.setenv("AGENTCELLS_STATE", str(place))
    monkeypatch.setenv("AGENTCELLS_CONFIG", str(stage.cells_path))
    one_line(typed(None, *words), 1, str(place))


def test_a_folder_that_may_not_be_written_is_one_line(stage: Stage, typed: Typed):
    """Rights do not bind root; a file where a folder should be binds everybody."""
    stage.file()
    root = stage.state.root
    (root / "runs").rmdir()
    (root / "runs").write_text("by hand")
    one_line(typed(stage, "tick"), 1, str(root))


def test_r16_a_dry_run_leaves_a_broken_cache_as_it_is(stage: Stage, typed: Typed):
    stage.file()
    broken = stage.state.root / "cache" / "turns.json"
    broken.write_text("{")
    assert typed(stage, "tick", "--dry-run").code == 0
    assert broken.read_text() == "{"
    assert stage.state.turns() == {}
    assert not broken.exists()


def test_r17_a_run_that_was_never_ordered_is_swept_away(stage: Stage, typed: Typed):
    """Whoever made its folder was killed before the first write. One that is being made has its lock."""
    left = stage.state.root / "runs" / "r20300101T000000-abcdef"
    left.mkdir()
    (left / "lock").touch()
    made = stage.state.new_run(stage.forge().clock())
    stage.state.sweep()
    assert [folder.run for folder in stage.state.runs()] == [made.run]
    made.unlock()
    assert typed(stage, "tick").out == "Nothing to run now.\n"
    assert stage.state.runs() == ()


def test_a_state_folder_named_from_here_is_the_same_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AGENTCELLS_STATE", "state")
    assert State.at(tmp_path / "cells.toml").root == tmp_path / "state"


# ---------------------------------------------------------------- the reader


def test_a_reader_who_has_gone_costs_no_run(tmp_path: Path):
    """`agentcells tick | head -1`: the tick goes on, and ends well."""
    factory = Factory(tmp_path / "a place", rules=ASKS)
    issue = factory.file()
    env = {**factory.environment(), "AGENTCELLS_CONFIG": str(factory.cells_path)}
    done = shell('{ "$@"; echo "code $?" >&2; } >/dev/full', "tick", env=env)
    assert done.stderr == "code 0\n"
    assert factory.states(issue) == {"needs-human"}
    shown = shell('"$@" | true; "$@" --json >/dev/full', "issue", "show", str(issue), env=env)
    one_line(shown, 1, "No space left on device")


@pytest.mark.parametrize(("streams", "words"), [
    (">&-", ("status",)), (">&-", ("tick",)), ("2>&-", ("nosuch",)), ("<&-", ("issue", "list")),
    ("<&-", ("issue", "comment", "1", "-")), ("<&- >&- 2>&-", ("issue", "new", "x", "--body", "-")),
])
def test_a_stream_that_was_closed_is_no_bug(stage: Stage, streams: str, words: tuple[str, ...]):
    stage.file()
    done = shell(f'exec "$@" {streams}', *words, env={
        "AGENTCELLS_CONFIG": str(stage.cells_path), "AGENTCELLS_STATE": str(stage.state.root)})
    assert done.returncode == (2 if {"nosuch", "comment"} & {*words} else 0), done.stderr
    assert "bug" not in done.stderr


def test_a_terminal_without_our_letters_is_no_bug(stage: Stage):
    stage.file(title="名前 größer 🎉")
    done = shell('exec "$@"', "issue", "list", "--config", str(stage.cells_path),
                 env={"PYTHONIOENCODING": "latin-1", "AGENTCELLS_STATE": str(stage.state.root)})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u540d" in done.stdout


# ---------------------------------------------------------------- the rest of the machine


def test_a_current_folder_that_was_deleted_is_one_line(tmp_path: Path):
    gone = tmp_path / "gone"
    gone.mkdir()
    one_line(shell('rmdir "$PWD" && exec "$@"', "status", cwd=gone), 1, "No such file or directory")


def test_check_stops_at_a_path_to_read_that_is_not_there(stage: Stage, typed: Typed):
    cells = stage.cells_path.read_text(encoding="utf-8")
    wrong = re.sub(r"(?m)^(?=containment = )", 'read = ["/nowhere/at-all"]\n', cells)
    stage.cells_path.write_text(wrong, encoding="utf-8")
    said = typed(stage, "check")
    assert said.code == 1
    assert "STOP sandbox: [sandbox] read names /nowhere/at-all" in said.out


@pytest.mark.sandbox
def test_check_stops_at_a_state_folder_on_a_disk_that_is_read_only(stage: Stage, tmp_path: Path):
    stage.file()
    sealed = ["--dev-bind", "/", "/", "--ro-bind", str(stage.state.root), str(stage.state.root)]
    done = shell(f'exec bwrap {" ".join(map(repr, sealed))} -- "$@"', "check", env={
        "AGENTCELLS_CONFIG": str(stage.cells_path), "AGENTCELLS_STATE": str(stage.state.root)})
    assert done.returncode == 1
    assert f"STOP disk: The state folder {stage.state.root} cannot be written" in done.stdout


def test_check_goes_on_where_a_file_cannot_be_looked_at(tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Stage(tmp_path)
    cells = stage.cells_path.read_text(encoding="utf-8")
    stage.cells_path.write_text(cells.replace("[forge]\n", '[forge]\ntoken = { file = "nowhere" }\n'), encoding="utf-8")
    there = typed(stage, "check").out
    assert "STOP forge" not in there  # the local forge needs none

    def refuses(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "/somewhere")

    monkeypatch.setattr("agentcells.check.lingers", refuses)
    monkeypatch.setattr("agentcells.check.next_tick", refuses)
    monkeypatch.setattr("agentcells.check._token_place", refuses)
    found = {line.split(": ")[0]: line for line in typed(stage, "check").out.splitlines()}
    assert "Permission denied: /somewhere" in found["STOP ticks"]
    assert "Permission denied: /somewhere" in found["STOP forge"]
    assert "ok   git" in found


@pytest.mark.parametrize("words", [("tick",), ("status",), ("check",), ("stop",)])
def test_a_cells_toml_that_is_a_link_to_itself_is_one_line(typed: Typed, tmp_path: Path, words: tuple[str, ...],
                                                           monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("cells.toml").symlink_to("cells.toml")
    said = typed(None, *words)
    assert (said.code, "bug" in said.err) == (2, False), said


@pytest.mark.parametrize("out", ["", ".", "/"])
def test_a_report_into_a_folder_is_one_line(typed: Typed, stage: Stage, out: str):
    one_line(typed(stage, "report", f"--out={out}"), 1, "Is a directory", "--out")


def test_a_home_that_no_variable_names_is_found(typed: Typed, stage: Stage, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("HOME")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    said = typed(stage, "timer", "show")
    assert (said.code, said.err) == (0, "")


@pytest.mark.parametrize("name", [b"bad\xff", b"line\nbreak", b'"quoted"'])
def test_a_folder_of_any_name_is_used_or_refused(typed: Typed, tmp_path: Path, name: bytes):
    place = tmp_path / os.fsdecode(name)
    said = typed(None, "demo", "--by-hand", str(place))
    if name != b'"quoted"':
        one_line(said, 2, "cannot be used")
        assert not place.exists()
    else:
        assert said.code == 0, said.err
    place.mkdir(exist_ok=True)
    assert typed(None, "tick", "--config", str(place / "cells.toml")).code in (0, 2)


def test_without_git_the_embedded_forge_says_so(stage: Stage, tmp_path: Path):
    stage.file()
    done = shell('exec "$@"', "tick", "--config", str(stage.cells_path),
                 env={"PATH": str(tmp_path), "AGENTCELLS_STATE": str(stage.state.root)})
    one_line(done, 1, "git is not installed or not on PATH")


def test_a_trouble_is_told_in_the_language_of_cells_toml(stage: Stage, typed: Typed, monkeypatch):
    text = stage.cells_path.read_text()
    stage.cells_path.write_text(text.replace("[factory]", '[factory]\nlanguage = "ja"'))
    one_line(typed(stage, "issue", "show", "99"), 1, "ありません")
    stage.cells_path.write_text(text)
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    one_line(typed(stage, "issue", "show", "99"), 1, "has no issue")
    one_line(typed(stage, "status", "--config", "nowhere.toml"), 2, "ありません")
    monkeypatch.setenv("LC_ALL", "")  # as if it were not set
    one_line(typed(stage, "status", "--config=nowhere.toml"), 2, "ありません")
