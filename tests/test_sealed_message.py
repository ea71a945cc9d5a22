"""H02: the words of a record can neither close, skip, credit, call nor overflow anything."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcells.history.message import sealed_message, split_message

CLOSING = re.compile(
    r"\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\b[:\s]*"
    r"([\w.-]+/[\w.-]+)?(#|!|GH-|https?://\S+/issues/)\d",
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    "text",
    [
        "Closes #1",
        "fixes: #2",
        "RESOLVED\n#3",
        "fixes o/r#4",
        "close GH-5",
        "Fix https://x.example/o/r/issues/6",
        "fixed   #7, #8 and #9",
        "Clo\u200bses #10",
        "closes !11",
        "**Closes** #12",
        "fixes (#13)",
    ],
)
def test_h02_nothing_in_the_words_closes_an_issue(text: str) -> None:
    stored = sealed_message(f"Do it\n\n{text}")
    assert not CLOSING.search(stored)
    assert "#1\n" not in stored
    digits = re.findall(r"\d+", text)
    assert re.findall(r"\d+", stored) == digits  # the meaning stays readable


@pytest.mark.parametrize(
    "text",
    [
        "[skip ci]",
        "[ci skip]",
        "[no ci]",
        "[skip actions]",
        "[actions skip]",
        "[CI SKIP]",
        "[skip-ci]",
        "[skip netlify]",
        "***NO_CI***",
    ],
)
def test_h02_nothing_in_the_words_skips_a_check(text: str) -> None:
    stored = sealed_message(f"Do it {text}")
    assert "[" not in stored
    assert "***" not in stored
    assert re.sub(r"\W", "", text.lower()) in re.sub(r"\W", "", stored.lower())


@pytest.mark.parametrize(
    "line",
    [
        "Co-authored-by: mallory <m@x>",
        "co-authored-by : m <m@x>",
        "Signed-off-by: alice <a@x>",
        "skip-checks: true",
        "Issue: #9",
        "Change-Id: I1234",
        "Reviewed-by:x",
    ],
)
@pytest.mark.parametrize(
    "where",
    [
        "{}",
        "Do it\n{}",
        "Do it\n\n{}",
        "Do it\n\ntext\n\n{}\n",
        "Do it\r\n\r\n{}\r\n",
        "Do it\u2028{}",
    ],
)
def test_h02_only_our_own_trailers_are_trailers(line: str, where: str) -> None:
    stored = sealed_message(where.format(line), [50])
    assert stored.endswith("\n\nIssue: #50\n")
    words = stored.removesuffix("\n\nIssue: #50\n")
    assert not re.search(r"^[A-Za-z0-9]+(-[A-Za-z0-9]+)+ *:", words, re.MULTILINE)
    assert split_message(stored)[1] == (50,)


def test_h02_an_ordinary_subject_with_a_colon_stays_as_it_is() -> None:
    assert sealed_message("Fixes 9 leaks [0]") == "Fixes 9 leaks [0]\n"
    assert sealed_message("fix: let the cat out") == "fix: let the cat out\n"
    assert sealed_message("Mail a@b.example about it") == "Mail a@b.example about it\n"


def test_h02_nobody_is_called() -> None:
    assert sealed_message("Thanks @alice, @org/team; a@b.example") == (
        "Thanks @ alice, @ org/team; a@b.example\n"
    )


def test_h02_controls_and_size_are_bounded() -> None:
    stored = sealed_message("a\0b\x1b[2Jc\u202ed\r\n\r\n" + "x" * 100_000)
    assert stored.startswith("ab[2Jcd\n\n")
    assert len(stored) < 4_100
    stored = sealed_message("y" * 100_000)
    assert len(stored.split("\n")[0]) == 200
    assert len(stored) < 4_500


@pytest.mark.parametrize("text", ["", "  \n\t", "\0\x1b\u200b", "\n\n"])
def test_a_message_without_words_is_none(text: str) -> None:
    assert sealed_message(text, [50]) == ""


def test_a_line_that_an_editor_would_drop_is_kept() -> None:
    assert sealed_message("# heading\n\n# line") == "# heading\n\n# line\n"


@given(st.text(), st.lists(st.integers(1, 10**9), max_size=3))
def test_words_and_issues_come_back(text: str, issues: list[int]) -> None:
    stored = sealed_message(text, issues)
    if stored:
        words, found = split_message(stored)
        assert found == tuple(dict.fromkeys(issues))
        assert words
        assert sealed_message(words) == f"{words}\n" or "…" in words
