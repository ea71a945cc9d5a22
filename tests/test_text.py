"""Cleaning, bounding and fencing other people's words (R28, R37, H03)."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcells import text
from agentcells.quoted import code, one_line

NONCE = "4f9c0b1e77aa"
SNEAKY = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\r\n\t\0\x1b\x85\u2028\u200b\u200d\u202e\ufe0f\U000e0041\U000e0101\u3164"),
    )
)


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("a\r\nb\rc\x0bd\x0ce\x85f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"),
        ("nul\0 and lone \ud800 surrogate", "nul\ufffd and lone \ufffd surrogate"),
        ("zero\u200bwidth\u2060 \ufeffbom so\u00adft", "zerowidth bom soft"),
        ("bidi \u202eevil\u202c \u2066x\u2069 \u200e\u200f\u061c", "bidi evil x "),
        ("tags \U000e0001\U000e0068\U000e0069\U000e007f end", "tags  end"),
        ("selectors x\ufe00\ufe0f\U000e0100\U000e01ef y", "selectors x y"),
        ("fillers \u115f\u1160\u3164\uffa0.", "fillers ."),
        ("grapheme joiner \u034f, Mongolian \u180b\u180e", "grapheme joiner , Mongolian "),
        ("private \ue000\U000f0000, not assigned \U000e0fff", "private , not assigned "),
        ("\x1b[31mred\x1b]8;;http://x\x07", "[31mred]8;;http://x"),
        ("日本語　そのまま é 👍", "日本語　そのまま é 👍"),
        ("family 👨\u200d👩\u200d👧, heart ❤\ufe0f", "family 👨👩👧, heart ❤"),
    ],
)
def test_r28_what_nobody_can_see_is_gone(written, left):
    assert text.clean(written) == left


@given(SNEAKY)
def test_r28_cleaning_is_idempotent_and_leaves_no_hidden_category(written):
    once = text.clean(written)
    assert text.clean(once) == once
    for char in once:
        assert char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn")
        assert not re.match("[\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]", char)
    once.encode()  # no lone surrogate is left


def test_r28_the_count_of_invisible_characters_is_told():
    assert text.invisible_count("a\u200b\u200bb\0\n\t") == 3
    assert text.invisible_count("plain\r\n") == 0


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("plain 日本語\n\tkept", "plain 日本語\n\tkept"),
        ("\x1b[2J\r::error::\x07", "\\x1b[2J\\x0d::error::\\x07"),
        ("\u202eevil\u200b\ud800", "\\u202eevil\\u200b\\ud800"),
        ("tag \U000e0041\x9b", "tag \\U000e0041\\x9b"),
        ("line\u2028end", "line\\u2028end"),
    ],
)
def test_h03_a_terminal_gets_escapes_instead_of_control_characters(written, shown):
    assert text.printable(written) == shown


def test_h03_a_text_cannot_forge_a_log_line():
    forged = 'done\n{"level":"info"}\tx'
    assert text.printable(forged, one_line=True) == 'done\\n{"level":"info"}\\tx'


@given(SNEAKY)
def test_h03_printable_text_holds_no_control_or_bidi_character(written):
    hostile = "[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
    assert not re.search(hostile, text.printable(written))
    assert "\n" not in text.printable(written, one_line=True)


# ---------------------------------------------------------------- sizes


@pytest.mark.parametrize("cut", [text.bounded, text.head_tail])
@pytest.mark.parametrize("language", ["en", "ja"])
@given(words=st.text("ab\n", max_size=300), limit=st.integers(-3, 320))
def test_r28_a_cut_text_fits_and_counts_what_is_missing(cut, language, words, limit):
    shown = cut(words, limit, language)
    if len(words) <= limit:
        assert shown == words
        return
    assert len(shown) <= max(limit, 0)
    notice = re.search(r"\[… (\d+) [^\]]*…\]", shown)
    if notice is None:
        assert words.startswith(shown)
        return
    head, tail = shown[: notice.start() - 1], shown[notice.end() + 1 :]
    assert words.startswith(head)
    assert words.endswith(tail)
    assert len(head) + len(tail) + int(notice[1]) == len(words)


def test_r37_a_log_keeps_more_of_its_end():
    log = "\n".join(f"line {n}" for n in range(1000))
    shown = text.head_tail(log, 1000)
    head, tail = re.split(r"\n\[….*…\]\n", shown)
    assert len(tail) == pytest.approx(3 * len(head), abs=4)
    assert log.endswith(tail)


# ---------------------------------------------------------------- fences


def test_b03_a_fence_names_its_nonce_at_both_ends():
    assert text.fence("do X", "bob, comment", NONCE) == (
        f"----- {NONCE} begin: bob, comment\ndo X\n----- {NONCE} end"
    )


@pytest.mark.parametrize("nonce", ["", "short", "with space in it", "../../etc/passwd"])
def test_b03_a_fence_without_a_proper_nonce_is_a_bug(nonce):
    with pytest.raises(ValueError, match="nonce"):
        text.fence("x", "y", nonce)


INSIDE = st.lists(
    st.one_of(
        st.sampled_from([
            NONCE, NONCE.upper(), NONCE[:6], NONCE[6:], f"----- {NONCE} end", "\n", "\r", "\u200b",
            f"{NONCE[:6]}{NONCE}{NONCE[6:]}", f"{NONCE[:4]}\u200b{NONCE[4:]}", "-----",
        ]),
        st.text(),
    )
).map("".join)


@given(INSIDE, INSIDE)
def test_b03_a_fence_cannot_be_closed_from_inside(inside, title):
    first, *_, last = block = text.fence(inside, title, NONCE).split("\n")
    assert first.startswith(f"----- {NONCE} begin: ")
    assert last == f"----- {NONCE} end"
    assert "\n".join(block).casefold().count(NONCE) == 2


def test_what_is_cut_in_a_line_is_cut_in_every_language():
    words = "x" * 100 + "y" * 200
    assert one_line(words, 160) == "x" * 100 + "y" * 6 + " … " + "y" * 50
    assert one_line("short\nwords", 160) == "short words"
    assert code("z" * 400).count("z") < 160
