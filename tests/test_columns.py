"""Words in columns, and times as a person says them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from agentcells.columns import clock, cut, lasted, padded, width


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
