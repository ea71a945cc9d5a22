"""Words in columns, and times as a person says them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcells.columns import _PIECES, clock, cut, lasted, padded, width, wrapped


@pytest.mark.parametrize(
    ("words", "columns", "shown"),
    [
        ("short", 10, "short"),
        ("exactly ten", 11, "exactly ten"),
        ("far too long", 7, "far to…"),
        ("日本語の題", 7, "日本語…"),
        ("日本語の題", 10, "日本語の題"),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
        ("a\tb\nc", 10, "a b c"),
    ],
)
def test_titles_are_cut_by_columns_not_by_characters(words, columns, shown):
    assert cut(words, columns) == shown
    assert width(padded(shown, 12)) == 12


@pytest.mark.parametrize(
    ("seconds", "english", "japanese"),
    [
        (-5, "0 s", "0 秒"),
        (59, "59 s", "59 秒"),
        (60, "1 min", "1 分"),
        (7199, "119 min", "119 分"),
        (7200, "2 hours", "2 時間"),
        (172_799, "47 hours", "47 時間"),
        (172_800, "2 days", "2 日"),
    ],
)
def test_a_time_is_said_in_one_unit(seconds, english, japanese):
    assert lasted(timedelta(seconds=seconds), "en") == english
    assert lasted(timedelta(seconds=seconds), "ja") == japanese


def test_a_moment_is_told_where_the_owner_lives():
    assert clock(datetime(2026, 3, 1, 12, 0, tzinfo=UTC), "Asia/Tokyo") == "2026-03-01 21:00 JST"


def test_a_line_of_wide_characters_breaks_between_phrases_and_before_no_mark_that_closes():
    assert list(wrapped("案件を外します。以後は（何も）触れません。", 12)) == [
        "案件を", "外します。", "以後は", "（何も）", "触れません。"]
    assert list(wrapped("プルリクエストをマージせずに閉じます。", 26)) == ["プルリクエストを", "マージせずに閉じます。"]
    assert list(wrapped("--config FILE を使います", 12)) == ["--config", "FILE を", "使います"]
    assert list(wrapped("プルリクエスト", 6)) == ["プルリ", "クエス", "ト"]
    assert list(wrapped("長い", 1)) == ["長", "い"]
    assert list(wrapped("two words", 3)) == ["two", "words"]
    assert list(wrapped("", 9)) == list(wrapped(" ", 9)) == []


@given(st.text(alphabet="ab 、。（）漢字かな", max_size=80), st.integers(6, 30))
def test_wrapping_loses_nothing_and_keeps_to_its_width(words, columns):
    lines = list(wrapped(words, columns))
    assert "".join("".join(lines).split()) == "".join(words.split())
    for line in lines:
        longest = max(map(width, _PIECES.findall(line)))
        assert width(line) <= max(columns, longest)
