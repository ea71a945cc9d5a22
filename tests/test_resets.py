"""When a usage limit ends, from the words that claude has for it (R32)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcells.resets import reset_time

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)  # a Monday
TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    ("words", "until"),
    [
        ("Claude AI usage limit reached|1796083200", "2026-12-01 00:00"),
        ("Claude AI usage limit reached|1796083200123", "2026-12-01 00:00"),
        ("5-hour limit reached ∙ resets 3pm", "2026-11-30 15:00"),
        ("You've hit your session limit · resets 3:45pm (UTC)", "2026-11-30 15:45"),
        (
            "You've hit your session limit · resets 12:50am (America/Los_Angeles)",
            "2026-12-01 08:50",
        ),
        ("You've hit your limit · resets 9pm (Asia/Tokyo)", "2026-11-30 12:05"),
        ("You've hit your limit · resets 8:30pm (Asia/Tokyo)", "2026-11-30 12:05"),
        ("You've hit your limit · resets 7am (Asia/Tokyo)", "2026-11-30 22:00"),
        ("Your limit will reset at 15:30.", "2026-11-30 15:30"),
        ("resets 11am", "2026-12-01 11:00"),
        ("resets 11:30am", "2026-11-30 12:05"),
        ("resets 12pm (Etc/GMT+5)", "2026-11-30 17:00"),
        ("resets 12am", "2026-12-01 00:00"),
        ("resets Mon 9am", "2026-12-07 09:00"),
        ("resets Monday 1pm", "2026-11-30 13:00"),
        ("resets Wed", "2026-12-02 00:00"),
        ("resets Thursday at 7am (Asia/Tokyo)", "2026-12-02 22:00"),
        ("Weekly limit reached ∙ resets Dec 3, 5pm", "2026-12-03 17:00"),
        ("resets Dec 3 at 10am (Asia/Seoul)", "2026-12-03 01:00"),
        ("resets January 2, 2027, 5pm", "2027-01-02 17:00"),
        ("resets Jan 2", "2027-01-02 00:00"),
        ("You will regain access on 2026-12-01 at 00:00 UTC.", "2026-12-01 00:00"),
        ("until 2026-11-30T22:00:00.5+09:00", "2026-11-30 13:00"),
        ("until 2026-11-30 13:30", "2026-11-30 13:30"),
        ("retry after 30 seconds", "2026-11-30 12:00:30"),
        ("resets in 3h 25m", "2026-11-30 15:25"),
        ("try again in 2 days and 1 hour", "2026-12-02 13:00"),
        ("Usage limit reached · continuing automatically at 3:45pm", "2026-11-30 15:45"),
        ("try again later", None),
        ("resets monthly", None),
        ("resets 3", None),
        ("resets 13pm", None),
        ("resets 25:00", None),
        ("resets 3pm (Nowhere/Land)", None),
        ("resets 3pm (America)", None),
        ("resets 3pm (Asia/../x)", "2026-11-30 15:00"),
        ("resets in 2 months", None),
        ("resets Feb 30", None),
        ("until 2026-13-45 99:99", None),
        ("Claude AI usage limit reached|1000000000", None),
        ("Claude AI usage limit reached|9999999999", None),
        ("in 999999 days", None),
        ("until 9999-12-31 23:59 -12:00", None),
        ("until 0001-01-01T00:00+14:00", None),
        ("resets Dec 31, 9999, 11pm (America/Los_Angeles)", None),
        ("resets in " + "9" * 5_000 + " hours", None),
        ("Claude AI usage limit reached|" + "9" * 30, None),
        ("nothing", None),
    ],
)
def test_r32_the_end_of_a_limit_is_read_from_the_known_words(words, until):
    expected = until and datetime.fromisoformat(until).replace(tzinfo=UTC)
    assert reset_time(words, NOW) == expected


def test_r32_a_time_without_a_zone_is_one_of_the_readers_own():
    at = reset_time("resets 11pm", NOW.astimezone(TOKYO))
    assert at == datetime(2026, 11, 30, 14, 0, tzinfo=UTC)
    at = reset_time("until 2026-11-30 23:00", NOW.astimezone(TOKYO))
    assert at == datetime(2026, 11, 30, 14, 0, tzinfo=UTC)


@given(st.text("0123456789:|-TZ apmresetinOctMon()/+,", max_size=60).map("resets ".__add__))
def test_r32_whatever_the_words_no_pause_lasts_for_ever(words):
    at = reset_time(words, NOW)
    assert at is None or NOW < at <= NOW + timedelta(days=35)
