"""Every sentence in both languages: the same slots, and a number with the right form of its noun."""

from __future__ import annotations

import re
import string

import pytest

from agentcells.sentences import SENTENCES, say

NUMBERS = (
    "added", "bytes", "cells", "changes", "checks", "count", "fields", "files", "issues", "items",
    "lines", "open", "omitted", "records", "runs", "started", "stops", "times", "tokens", "total", "value",
)
UNCOUNTED = {"ago", "as", "does", "has", "is", "its", "s", "this", "was", "across"}


def slots(text: str) -> dict[str, str]:
    return {name: spec or "" for _, name, spec, _ in string.Formatter().parse(text) if name}


def test_the_japanese_sentence_has_no_slot_of_its_own() -> None:
    for key, (english, japanese) in SENTENCES.items():
        assert slots(japanese).keys() <= slots(english).keys(), key
        assert not any("|" in spec for spec in slots(japanese).values()), key


def test_a_number_never_stands_beside_a_noun_in_one_form_alone() -> None:
    """"1 runs" and "2 file(s)" are written as one slot, `{runs:run|runs}`."""
    for key, (english, _) in SENTENCES.items():
        assert not re.search(r"\w\(s\)", english), key
        nouns = re.findall(rf"\{{(?:{'|'.join(NUMBERS)})\}} (?:[a-z]+ )?([a-z]+s)\b", english)
        assert set(nouns) <= UNCOUNTED, (key, nouns)


@pytest.mark.parametrize(
    ("runs", "words"), [(1, "1 run"), ("1", "1 run"), (0, "0 runs"), (2, "2 runs"), ("1,000", "1,000 runs")]
)
def test_one_is_one_run_and_more_are_runs(runs: object, words: str) -> None:
    assert say("view_ledger", "en", runs=runs, number=3) == f"write the book on #3 ({words})"
    assert say("view_ledger", "ja", runs=runs, number=3) == f"#3 の実行記録を更新する (実行 {runs} 回分)"


def test_a_missing_slot_is_a_bug() -> None:
    with pytest.raises(KeyError):
        say("view_ledger", "en", runs=1)
