"""The benchmark of tokens: the same job on every side, and what comes of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from agentcells import bench_tokens
from agentcells.bench_tokens import RIVALS, Project, as_values, measure, table

ROOT = Path(__file__).resolve().parent.parent


def test_ours_costs_a_small_part_of_every_other_way() -> None:
    bills = measure()
    *rivals, ours = bills
    assert [bill.key for bill in rivals] == [key for key, _ in RIVALS]
    assert ours.calls < min(bill.calls for bill in rivals)
    times = [bill.billed / ours.billed for bill in rivals]
    assert times == sorted(times)
    assert times[0] > 4  # a shell alone, its tool lists not even counted
    assert times[1] > 7
    assert times[-1] > 10
    assert {value["unit"] for value in as_values(bills)} == {"tokens"}


def test_the_whole_difference_is_shown_on_both_sides(tmp_path: Path) -> None:
    ours, _ = bench_tokens._ours(Project(tmp_path / "a", 7))
    theirs = list(bench_tokens._theirs(Project(tmp_path / "b", 7)))

    def lines(turns: list[bench_tokens.Turn], *tools: str) -> set[str]:
        text = "\n".join(turn.result for turn in turns if turn.tool in tools).replace("\\n", "\n")
        return {line for line in text.split("\n") if line[:1] in "+-" and line[:3] not in ("+++", "---")}

    shown = lines(ours, "work_diff")
    assert shown == lines(theirs, "git_diff_unstaged", "git_diff_staged")
    assert len(shown) > 30


def test_the_work_is_really_done_on_both_sides(tmp_path: Path) -> None:
    for number, do in enumerate((bench_tokens._ours, lambda project: list(bench_tokens._theirs(project)))):
        project = Project(tmp_path / str(number), 3)
        do(project)
        assert project.git("status", "--porcelain") == ""
        assert project.git("log", "-1", "--format=%s", "origin/main").strip() == bench_tokens.MESSAGE
    assert Project(tmp_path / "again", 3).git("diff") == Project(tmp_path / "once more", 3).git("diff")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_table_is_markdown(language: str) -> None:
    lines = table(measure(), language)
    assert all(line.count("|") == 8 for line in lines)
    assert lines[-1].endswith("| 1.0 |")


def test_without_the_tokenizer_bytes_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    lines = table(measure())
    assert "pip install bpe-openai" in lines[-1]
    assert measure()[-1].unit == "bytes"
    assert float(lines[-3].split("|")[-2]) > 4


@pytest.mark.parametrize(("name", "language"), [("README.md", "en"), ("README.ja.md", "ja")])
def test_the_readme_shows_what_the_command_prints(name: str, language: str) -> None:
    """To one per cent: times of comments are of today."""
    shown = (ROOT / name).read_text(encoding="utf-8")
    assert "`agentcells bench tokens`" in shown
    printed = table(measure(), language)
    rows = [line for line in shown.splitlines() if line.split("|")[1:2] in [one.split("|")[1:2] for one in printed]]
    rows = [row for row in rows if not row.startswith("|---")]
    assert len(rows) == len(printed) - 1
    for row, now in zip(rows, (one for one in printed if not one.startswith("|---")), strict=True):
        for there, here in zip(row.split("|"), now.split("|"), strict=True):
            if re.fullmatch(r" [0-9,.]+ ", here):
                assert float(there.replace(",", "")) == pytest.approx(float(here.replace(",", "")), rel=0.01)
            else:
                assert there == here
