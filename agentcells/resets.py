"""When a usage limit ends, read from the words that claude has for it.

Seen: "…limit reached|1760000000", "resets 3:45pm (Asia/Tokyo)", "resets Mon 9am", "resets Oct 9,
5pm", "Your limit will reset at 3pm", "regain access on 2026-12-01 at 00:00 UTC", "in 25 minutes".
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

_FARTHEST = timedelta(days=35)  # a monthly spend limit is the longest that there is
_JUST_NOW = timedelta(hours=1)  # a time of day so short ago is meant, not tomorrow's
_AGAIN_SOON = timedelta(minutes=5)

_EPOCH = re.compile(r"\|\s*(\d{10})(?:\d{3})?\b")
_DATE = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})(?:T|\s+(?:at\s+)?)(?P<time>\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?"
    r"\s*(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:in|after)\s+((?:\d{1,6}\s*(?:d|h|m(?!o)|s)[a-z]*[\s,]*(?:and\s+)?)+)", re.IGNORECASE
)
_AMOUNT = re.compile(r"(\d+)\s*([dhms])", re.IGNORECASE)
_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CLOCK = re.compile(
    r"\b(?:resets?|again|automatically)(?:\s+(?:at|on))?\s+"
    rf"(?:(?P<weekday>{'|'.join(_WEEKDAYS)})(?:s|nes|rs|ur)?(?:day)?\b"
    rf"|(?P<month>{'|'.join(_MONTHS)})[a-z]*\s+(?P<date>\d{{1,2}})\b(?:,\s*(?P<year>\d{{4}}))?)?"
    r"(?:,?\s*(?:at\s+)?(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?\s*(?P<half>[ap]m)?\b)?"
    r"(?:\s*\((?P<zone>[A-Za-z][A-Za-z0-9_+/-]*)\))?",
    re.IGNORECASE,
)


def reset_time(text: str, now: datetime) -> datetime | None:
    """The moment that `text` names, in UTC; None when it names none that can be believed.

    A time without a zone is one of `now`'s own zone.
    """
    for read in (_epoch, _date, _clock, _span):
        try:
            found = read(text, now)
            at = None if found is None else found.astimezone(UTC)
        except (OverflowError, ValueError):  # a number or a year that no calendar has
            continue
        if at is not None:
            return at if now < at <= now + _FARTHEST else None
    return None


def _epoch(text: str, now: datetime) -> datetime | None:
    found = _EPOCH.search(text)
    return datetime.fromtimestamp(int(found[1]), UTC) if found else None


def _date(text: str, now: datetime) -> datetime | None:
    found = _DATE.search(text)
    if found is None:
        return None
    zone = (found["zone"] or "").upper().replace("UTC", "Z")
    try:
        at = datetime.fromisoformat(f"{found['day']}T{found['time']}{zone}")
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=now.tzinfo)


def _span(text: str, now: datetime) -> datetime | None:
    found = _SPAN.search(text)
    if found is None:
        return None
    amounts = _AMOUNT.findall(found[1])
    seconds = sum(int(count) * _UNITS[unit.lower()] for count, unit in amounts)
    return now + min(timedelta(seconds=seconds), 2 * _FARTHEST)


def _clock(text: str, now: datetime) -> datetime | None:
    for found in _CLOCK.finditer(text):
        zone = _zone(found["zone"], now)
        minutes = _minutes(found)
        if zone is not None and minutes is not None:
            return _next(found, minutes, now.astimezone(zone))
    return None


def _zone(name: str | None, now: datetime) -> tzinfo | None:
    if name is None:
        return now.tzinfo
    try:
        return UTC if name.upper() in ("UTC", "GMT") else ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such zone, or the name of a folder of zones
        return None


def _minutes(found: re.Match[str]) -> int | None:
    """Minutes since midnight; a day without a time means its beginning, a bare number nothing."""
    if found["hour"] is None:
        return 0 if found["weekday"] or found["month"] else None
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if found["half"].lower() == "pm" else 0)
    elif found["minute"] is None:
        return None
    return hour * 60 + minute if hour < 24 and minute < 60 else None


def _next(found: re.Match[str], minutes: int, here: datetime) -> datetime | None:
    """The next such time, seen from `here`."""
    at = here.replace(hour=minutes // 60, minute=minutes % 60, second=0, microsecond=0)
    if found["month"]:
        try:
            year = int(found["year"] or at.year)
            month = _MONTHS.index(found["month"].lower()) + 1
            at = at.replace(year=year, month=month, day=int(found["date"]))
            return at if at > here - _FARTHEST else at.replace(year=year + 1)
        except ValueError:  # February 30
            return None
    if found["weekday"]:
        ahead = (_WEEKDAYS.index(found["weekday"].lower()) - at.weekday()) % 7
        at += timedelta(days=ahead)
        return at if at > here else at + timedelta(days=7)
    if at > here:
        return at
    return here + _AGAIN_SOON if here - at < _JUST_NOW else at + timedelta(days=1)
