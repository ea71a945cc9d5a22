"""gitleaks beside our own gate (R45): one that behaves as measured stands in for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentcells import gitleaks
from tests.stage import REVIEW, Stage, answer, rule

# As the real one: exit code of our choice for a find, a report in JSON, and it obeys what it is told.
PROGRAM = """#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
assert words[0] == "stdin" and "--ignore-gitleaks-allow" in words, words
value = lambda name: words[words.index(name) + 1]
assert os.listdir(".") == ["settings.toml"] and "useDefault" in open(value("--config")).read()
assert value("--gitleaks-ignore-path") == "/dev/null"
content = sys.stdin.buffer.read().decode("utf-8", "replace")
MORE
found = [word for word in content.split() if word.startswith("odd_")]
if found:
    with open(value("--report-path"), "w") as report:
        json.dump([{"RuleID": "odd-key", "Secret": word} for word in found], report)
    sys.exit(int(value("--exit-code")))
"""
WORK = [rule("implement", {"write": {"a.py": "key = odd_1234567890 # gitleaks:allow\n", ".gitleaksignore": "*\n"}},
             {"cell": ["record", "-m", "Add a"]}, answer("review")), REVIEW]


# A report that no reader of JSON gets to the end of.
DEEP = "open(value('--report-path'), 'w').write('[' * 100_000); sys.exit(int(value('--exit-code')))"


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, more: str = "") -> None:
    folder.mkdir()
    (folder / "gitleaks").write_text(PROGRAM.replace("MORE", more))
    (folder / "gitleaks").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def worked(tmp_path: Path) -> Stage:
    stage = Stage(tmp_path / "w", rules=WORK)
    stage.file()
    stage.tick()
    return stage


def test_r45_what_gitleaks_finds_blocks_and_no_file_of_the_work_makes_it_look_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", monkeypatch)
    stage = worked(tmp_path)
    assert stage.branches() == ("main",)
    assert stage.states(1) == {"needs-human"}
    (said,) = stage.said(1)
    assert "odd-key" in said
    assert "a.py" in said
    assert "odd_1234567890" not in said


def test_control_without_it_this_kind_of_key_is_not_known(tmp_path: Path) -> None:
    assert worked(tmp_path).branches() == ("agentcells/1", "main")


def test_r45_its_blob_in_cells_toml_is_the_only_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", monkeypatch)
    said = worked(tmp_path).said(1)[0]
    blob = said.partition("a.py (blob ")[2][:40]
    again = Stage(tmp_path / "again", rules=WORK, settings=f'[gate]\nallow_blobs = ["{blob}"]\n')
    again.file()
    again.tick()
    assert again.branches() == ("agentcells/1", "main")


@pytest.mark.parametrize("crash", ["sys.exit(1)", "sys.exit(2)", DEEP, "os.kill(os.getpid(), 9)",
                                   "sys.exit(int(value('--exit-code')))"])
def test_r45_a_gitleaks_that_fails_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, crash: str
) -> None:
    install(tmp_path / "bin", monkeypatch, crash)
    stage = worked(tmp_path)
    assert stage.branches() == ("main",)
    assert "could not look" in stage.said(1)[0]


def test_d10_what_was_there_before_is_no_news(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "bin", monkeypatch)
    where = gitleaks.program()
    assert where is not None
    old, new = b"x odd_old y", b"x odd_old y odd_new"
    assert [*gitleaks.search(where, [("a", old, (old,)), ("b", new, (old,))])] == [("b", "odd-key")]


def test_one_that_hangs_or_is_not_there_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "bin", monkeypatch, "import time; time.sleep(60)")
    monkeypatch.setattr(gitleaks, "WITHIN_S", 0.5)
    for where in (str(tmp_path / "bin/gitleaks"), str(tmp_path / "nowhere")):
        assert [*gitleaks.search(where, [("a", b"x", ())])] == [("a", gitleaks.BROKEN)]
