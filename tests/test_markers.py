"""Markers and ledger: what we write is read back exactly, and nobody else's text passes for it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentcells import markers
from agentcells.posts import Ledger, LedgerRow, Marker, MarkerKind, Move
from agentcells.run import OutcomeKind
from agentcells.sentences import SENTENCES

KEY = b"k" * 32
MARK = markers.render_marker(Marker(kind="decision"))
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

awkward = ["-->", "--!>", "<!--", "a--", "-", "\n", "\u2028"]
anything = st.text(max_size=40) | st.sampled_from(awkward)
moments = st.datetimes(
    min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC)
)
some_markers = st.builds(
    Marker, kind=st.sampled_from(get_args(MarkerKind)), run=anything, cell=anything,
    came_from=anything, to=anything, seen=st.lists(anything, max_size=4).map(tuple),
    text_hash=anything, head=anything, cause=anything, mac=anything,
)
some_rows = st.builds(
    LedgerRow, run=anything, machine=anything, cell=anything, start=moments,
    timeout_s=st.integers(0, 10**6), end=st.none() | moments,
    outcome=st.sampled_from(["", *get_args(OutcomeKind)]), next=anything,
    tokens=st.integers(0, 10**9), usd=st.floats(0, 1000), counts=st.booleans(), model=anything,
)
some_moves = st.builds(
    Move, at=moments, came_from=anything, to=anything, why=anything, because=anything
)
some_ledgers = st.builds(
    Ledger, rows=st.lists(some_rows, max_size=5).map(tuple),
    moves=st.lists(some_moves, max_size=3).map(tuple), text_hash=anything,
    approved_at=st.none() | moments, older_runs=st.integers(0, 999),
    older_usd=st.floats(0, 1000), older_tokens=st.integers(0, 10**9),
)


# ---------------------------------------------------------------- markers


@given(some_markers, anything)
def test_r28_a_marker_is_read_back_whatever_its_fields_hold(marker, words):
    line = markers.render_marker(marker)
    assert "\n" not in line
    assert line.count("--") == 2
    assert markers.parse_marker(line) == marker
    assert markers.parse_marker(f"{line}\r\n{words}") == marker
    assert markers.below(f"{line}\n{words}") == words


@given(some_markers, st.text(min_size=1))
def test_r28_a_marker_below_the_first_line_is_no_marker(marker, words):
    body = f"{words}\n{markers.render_marker(marker)}"
    assert words.startswith("<!-- agentcells:v1 {") or markers.parse_marker(body) is None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "<!-- agentcells:v1 -->",
        "<!-- agentcells:v1 {} -->",
        '<!-- agentcells:v1 {"kind":"king"} -->',
        '<!-- agentcells:v1 {"kind":["decision"]} -->',
        '<!-- agentcells:v1 {"kind":"decision","run":7} -->',
        '<!-- agentcells:v1 {"kind":"decision","seen":"x"} -->',
        '<!-- agentcells:v1 {"kind":"decision","seen":[1]} -->',
        '<!-- agentcells:v1 {"kind":"decision","run":"a--b"} -->',
        '<!-- agentcells:v1 {"kind":"decision"} --> and more',
        ' <!-- agentcells:v1 {"kind":"decision"} -->',
        '<!-- agentcells:v2 {"kind":"decision"} -->',
        '<!-- agentcells:v1 {"kind":"decision",} -->',
        '<!-- agentcells:v1 {"kind":NaN} -->',
        '<!-- agentcells:v1 {"kind":' + "[" * 100_000 + "} -->",
        "<!-- agentcells:v1 {" + "9" * 10_000 + "} -->",
    ],
)
def test_r28_what_is_not_exactly_a_marker_is_none(line):
    assert markers.parse_marker(line) is None


def test_a_list_where_the_object_belongs_is_no_marker():
    assert markers.parse_marker('<!-- agentcells:v1 {"a":1},{"b":2} -->') is None


def test_a_field_of_a_later_version_is_no_reason_to_take_our_post_for_the_owners():
    body = '<!-- agentcells:v1 {"kind":"notice","cause":"x","mood":"good"} -->\nhello'
    assert markers.parse_marker(body) == Marker(kind="notice", cause="x")
    later = '<!-- agentcells:v9 {"kind":"notice"} -->\nhello'
    assert markers.parse_marker(later) is None
    assert markers.looks_ours(later)
    assert not markers.looks_ours("hello <!-- agentcells:v1")


# ---------------------------------------------------------------- the MAC


@given(some_markers, st.text(max_size=80))
def test_r25_only_the_holder_of_the_key_can_have_written_it(marker, words):
    signed, body = markers.whole(marker, words, KEY)
    read = markers.parse_marker(body)
    assert read == signed
    assert len(signed.mac) == 32
    assert markers.verify(read, markers.below(body), KEY)
    assert not markers.verify(read, markers.below(body) + "!", KEY)
    assert not markers.verify(replace(read, to=read.to + "x"), markers.below(body), KEY)
    assert not markers.verify(read, markers.below(body), b"another key")
    assert not markers.verify(read, markers.below(body), b"")


def test_r25_a_forge_that_turns_line_ends_and_trims_has_not_changed_our_words():
    signed, body = markers.whole(Marker(kind="ledger"), "one\ntwo\n", KEY)
    stored = body.replace("\n", "\r\n").rstrip()
    assert markers.parse_marker(stored) == signed
    assert markers.verify(signed, markers.below(stored), KEY)


def test_r25_without_a_key_nothing_is_signed_and_nothing_is_believed():
    signed, body = markers.whole(Marker(kind="ledger"), "words")
    assert signed.mac == ""
    assert not markers.verify(signed, markers.below(body), b"")


# ---------------------------------------------------------------- the ledger


def row(number: int, **changes: object) -> LedgerRow:
    start = NOON + timedelta(minutes=30 * number)
    plain = LedgerRow(
        run=f"r20260301T120000-{number:06x}", machine="workshop", cell="implement", start=start,
        timeout_s=2700, end=start + timedelta(minutes=12), outcome="done", next="review",
        tokens=120_000, usd=0.25,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


@given(some_ledgers, st.sampled_from(["en", "ja"]))
def test_r30_the_ledger_is_read_back_exactly(ledger, language):
    body = markers.render_ledger(ledger, language, KEY)
    assert markers.parse_ledger(body) == ledger
    marker = markers.parse_marker(body)
    assert marker is not None
    assert markers.verify(marker, markers.below(body), KEY)


def test_r30_a_person_reads_a_sentence_and_a_table():
    rows = (row(0), row(1, cell="review", outcome="", end=None, next="", tokens=0, usd=0.0))
    lines = markers.render_ledger(Ledger(rows=rows), "en").splitlines()
    assert lines[1] == (
        "Runs so far: 2. Cost so far: $0.25. agentcells keeps this book itself; please leave it "
        "as it is."
    )
    assert lines[3:10] == [
        "<details>",
        "<summary>All runs</summary>",
        "",
        "| run | cell | started (UTC) | minutes | outcome | tokens | dollars | next |",
        "|---|---|---|--:|---|--:|--:|---|",
        "| `r20260301T120000-000000` | implement | 2026-03-01 12:00 | 12 | done | 120,000 | 0.25 "
        "| review |",
        "| `r20260301T120000-000001` | review | 2026-03-01 12:30 |  | running | 0 | 0.00 |  |",
    ]
    assert lines[-1].startswith("<!-- agentcells:data {")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_r30_two_hundred_runs_fit_into_one_comment(language):
    ledger = Ledger(rows=tuple(row(n) for n in range(200)))
    body = markers.render_ledger(ledger, language, KEY)
    assert len(body) < 65_536
    assert markers.parse_ledger(body) == ledger
    assert "160" in body  # earlier runs stand in one line
    assert body.count("\n| `r2026") == markers.ROWS_SHOWN


def test_r34_a_life_of_a_thousand_runs_keeps_its_counts_and_its_dollars():
    running = row(0, end=None, outcome="")
    ledger = Ledger(rows=(running, *(row(n) for n in range(1, 1000))), older_runs=5, older_usd=1.0)
    body = markers.render_ledger(ledger, "ja", KEY)
    read = markers.parse_ledger(body)
    assert len(body) < 65_536
    assert read is not None
    assert read.older_runs + len(read.rows) == 1005
    assert read.older_usd + sum(r.usd for r in read.rows) == pytest.approx(251.0)
    assert read.older_tokens + sum(r.tokens for r in read.rows) == 120_000 * 1000
    assert read.rows[0] == running  # what may still run is never summed up
    assert read.rows[-1] == row(999)
    assert len(read.rows) > 200


def test_r30_when_only_moves_are_left_the_oldest_of_them_go():
    moves = tuple(
        Move(at=NOON + timedelta(hours=n), came_from="review", to="implement", why="w" * 300)
        for n in range(500)
    )
    body = markers.render_ledger(Ledger(moves=moves), "en")
    read = markers.parse_ledger(body)
    assert len(body) < 65_536
    assert read is not None
    assert read.moves == moves[-len(read.moves):]
    assert len(read.moves) > 50


def test_r30_runs_that_may_all_be_alive_are_written_whole_even_when_it_gets_long():
    ledger = Ledger(rows=tuple(row(n, end=None, outcome="") for n in range(500)))
    assert markers.parse_ledger(markers.render_ledger(ledger, "en")) == ledger


@settings(max_examples=50)
@given(st.text(alphabet="|<>&\n-` @x", max_size=30))
def test_r30_no_field_breaks_the_table(words):
    body = markers.render_ledger(Ledger(rows=(row(0, cell=words, next=words),)), "en")
    table = [line for line in body.splitlines() if line.startswith("| `")]
    assert len(table) == 1
    assert table[0].count("|") == 9
    assert "<" not in table[0]


def test_r30_an_outcome_of_a_later_version_does_not_cost_the_book():
    ledger = Ledger(rows=(row(0, outcome="dreamt"),))
    body = markers.render_ledger(ledger, "en")
    assert "| dreamt |" in body
    assert markers.parse_ledger(body) == ledger


def damaged(**changes: object) -> str:
    body = markers.render_ledger(Ledger(rows=(row(0),), text_hash="h", approved_at=NOON), "en")
    above, _, data = body.rpartition("\n")
    value = json.loads(data.removeprefix("<!-- agentcells:data ").removesuffix(" -->"))
    value |= changes
    kept = {name: part for name, part in value.items() if part is not None}
    return f"{above}\n<!-- agentcells:data {json.dumps(kept)} -->"


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": None},
        {"rows": {}},
        {"rows": [7]},
        {"rows": [["r"]]},
        {"rows": [["r", "m", "c", "2026-03-01T12:00:00Z", True, "", "", "", 0, 0, True]]},
        {"rows": [["r", "m", "c", "2026-03-01T12:00:00", 1, "", "", "", 0, 0, True]]},
        {"rows": [["r", "m", "c", "yesterday", 1, "", "", "", 0, 0, True]]},
        {"moves": [["2026-03-01T12:00:00Z", "a", "b", "c", 4]]},
        {"text_hash": 4},
        {"approved_at": 4},
        {"approved_at": "0001-01-01T00:00:00+14:00"},
        {"older": [1, 2]},
    ],
)
def test_r30_damaged_data_is_no_ledger(changes):
    assert markers.parse_ledger(damaged()) is not None
    assert markers.parse_ledger(damaged(**changes)) is None


def test_r30_the_data_must_be_the_last_line_of_a_ledger():
    body = markers.render_ledger(Ledger(rows=(row(0),)), "en")
    assert markers.parse_ledger(body.replace("\n", "\r\n") + "\r\n") == Ledger(rows=(row(0),))
    assert markers.parse_ledger(body + "\nand a word") is None
    assert markers.parse_ledger(body.partition("\n")[2]) is None
    notice = markers.render_marker(Marker(kind="notice")) + "\n" + body.partition("\n")[2]
    assert markers.parse_ledger(notice) is None
    assert markers.parse_ledger(body.rpartition("{")[0] + "{oops} -->") is None


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_outcome_is_said_in_words(language):
    words = {kind: markers.outcome_words(kind, language) for kind in get_args(OutcomeKind)}
    assert [kind for kind, said in words.items() if said == kind and kind != "done"] == []
    assert len(set(words.values())) == len(words)


def test_r22_the_first_words_name_what_stood_in_the_way_and_not_that_work_is_kept() -> None:
    for heading in SENTENCES["comment_blocks"]:
        refused = f"**implement** is done.\n\n{heading}\n\n- `keys.py`: a token\n- more"
        assert markers.first_words(f"{MARK}\n{refused}") == f"{heading} keys.py: a token".replace("`", "")
    for overruled in SENTENCES["comment_overruled"]:
        line = f"**implement** is done. {overruled.format(wanted='**review**')} It changed nothing."
        assert markers.first_words(f"{MARK}\n{line}\n\nIt is there.") == "It changed nothing."
    kept = f"**implement** is done. It was not tested.\n\n{SENTENCES['comment_kept'][0]}\n\nDone."
    assert markers.first_words(f"{MARK}\n{kept}") == "implement is done. It was not tested."
    assert markers.first_words(f"{MARK}\n**review** asks.\n\nIs blue allowed?\n\n- or green") == "Is blue allowed?"
    assert markers.first_words(f"{MARK}\nNothing more.") == "Nothing more."
