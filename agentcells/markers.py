"""What we read back from the forge: the marker of every post of ours, and the ledger of a pair."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterable
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any, get_args

from agentcells.posts import Ledger, LedgerRow, Marker, MarkerKind, Move
from agentcells.rounds import WITHDRAWN
from agentcells.rounds import runs as count_of_runs
from agentcells.sentences import SENTENCES, say

LEDGER_LIMIT = 60_000  # a forge refuses a comment of more than 65,536 characters
ROWS_SHOWN = 40  # a person reads the newest; the hidden data holds the rest

_OPENING = "<!-- agentcells:"
_MARKER = re.compile(r"<!-- agentcells:v1 (\{.*\}) -->\Z")
_DATA = re.compile(r"<!-- agentcells:data (\{.*\}) -->\Z")
_KINDS: tuple[str, ...] = get_args(MarkerKind)
_HEADINGS = frozenset(
    words for key in ("comment_blocks", "comment_conflicts", "comment_refusals") for words in SENTENCES[key]
)
_OVERRULED = tuple(
    re.compile(re.escape(words).replace(re.escape("{wanted}"), r"\S.{0,80}?"))
    for words in SENTENCES["comment_overruled"]
)
_MARKER_WORDS = tuple(f.name for f in fields(Marker) if f.name not in ("kind", "seen"))


# ---------------------------------------------------------------- markers


def render_marker(marker: Marker) -> str:
    """The first line of a post of ours. No field can end it early or break the line."""
    value: dict[str, object] = {"kind": marker.kind}
    value |= {name: text for name in _MARKER_WORDS if (text := getattr(marker, name))}
    if marker.seen:
        value["seen"] = list(marker.seen)
    return f"{_OPENING}v1 {_hidden_json(value)} -->"


def parse_marker(body: str) -> Marker | None:
    """The marker on the first line, or None. Nothing below the first line is ever looked at."""
    found = _MARKER.match(_first_line(body)[0])
    value = _plain_json(found[1]) if found else None
    if value is None or value.get("kind") not in _KINDS:
        return None
    seen = value.get("seen", [])
    words = {name: value.get(name, "") for name in _MARKER_WORDS}
    if not isinstance(seen, list) or not all(isinstance(x, str) for x in [*seen, *words.values()]):
        return None
    return Marker(kind=value["kind"], seen=tuple(seen), **words)


def looks_ours(body: str) -> bool:
    """Whether the first line claims to be a marker, even one of a later version.

    With the owner's own token such a post must never be taken for the owner's words.
    """
    return body.startswith(_OPENING)


def below(body: str) -> str:
    """What stands under the first line."""
    return _first_line(body)[1]


def same(one: str, other: str) -> bool:
    """Two posts of ours say the same, whichever of several machines has signed them."""
    return _unsigned(one) == _unsigned(other)


def _unsigned(body: str) -> tuple[Marker | str, str]:
    marker = parse_marker(body)
    return (replace(marker, mac="") if marker else body), below(body)


def first_words(body: str) -> str:
    """What a post of ours says in one line: what stood in the way, why the CLI decided otherwise than
    the model, else the model's own words where it has any, else ours.
    """
    parts = [part.strip() for part in below(body).strip().split("\n\n")]
    line = parts[0].partition("\n")[0]
    said = [part for part in parts[1:2] if part and not part.startswith(("<", "- "))
            and part not in SENTENCES["comment_kept"]]
    reasons = [line[found.end():].strip() for one in _OVERRULED if (found := one.search(line))]
    if said and said[0] in _HEADINGS:
        words = " ".join([said[0], *(part[2:] for part in parts[2:3])])
    else:
        words = [*reasons, *said, line][0]
    return re.sub(r"[*`]+", "", words.partition("\n")[0])


def sign(marker: Marker, body_below: str, key: bytes) -> Marker:
    """The marker with the MAC of itself and of what stands below it (R25)."""
    return replace(marker, mac=_mac(marker, body_below, key) if key else "")


def verify(marker: Marker, body_below: str, key: bytes) -> bool:
    """True only when we, who hold the key, wrote exactly this."""
    return bool(key) and hmac.compare_digest(
        marker.mac.encode("utf-8", "surrogatepass"), _mac(marker, body_below, key).encode()
    )


def whole(marker: Marker, body_below: str, key: bytes = b"") -> tuple[Marker, str]:
    """The signed marker and the text to post."""
    signed = sign(marker, body_below, key)
    return signed, f"{render_marker(signed)}\n{body_below}"


def _mac(marker: Marker, body_below: str, key: bytes) -> str:
    # Forges turn line ends around and trim the ends of a text; neither is a change of it.
    text = body_below.replace("\r\n", "\n").strip()
    signed = f"{render_marker(replace(marker, mac=''))}\n{text}".encode("utf-8", "surrogatepass")
    return hmac.new(key, signed, hashlib.sha256).hexdigest()[:32]


def _first_line(body: str) -> tuple[str, str]:
    first, _, rest = body.partition("\n")
    return first.removesuffix("\r"), rest


def _hidden_json(value: object) -> str:
    # Only strings can hold "--" here, and there \u002d is the same character to every JSON reader.
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("--", "\\u002d\\u002d")


def _plain_json(text: str) -> dict[str, Any] | None:
    if "--" in text:
        return None  # we never write that
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_constant(name: str) -> object:
    raise ValueError(name)


# ---------------------------------------------------------------- the ledger


def render_ledger(ledger: Ledger, language: str, key: bytes = b"") -> str:
    """The whole comment: marker, a sentence, the table folded, the data hidden (R30).

    Too long for a comment, the oldest ended runs are summed up; counts and dollars stay right.
    """
    text = _ledger_below(ledger, language)
    while len(text) > LEDGER_LIMIT and (smaller := _summed_up(ledger)) != ledger:
        ledger = smaller
        text = _ledger_below(ledger, language)
    return whole(Marker(kind="ledger", text_hash=ledger.text_hash), text, key)[1]


def parse_ledger(body: str) -> Ledger | None:
    """The ledger that `render_ledger` wrote; None for anything else, damaged data included."""
    marker = parse_marker(body)
    if marker is None or marker.kind != "ledger":
        return None
    found = _DATA.match(body.replace("\r\n", "\n").rstrip().rpartition("\n")[2])
    value = _plain_json(found[1]) if found else None
    if value is None:
        return None
    try:
        return _ledger(value)
    except (KeyError, ValueError):
        return None


def _summed_up(ledger: Ledger) -> Ledger:
    """The oldest tenth of the ended runs as three sums; without any, the oldest moves go."""
    ended = [row for row in ledger.rows if row.end is not None]
    if not ended:
        return replace(ledger, moves=ledger.moves[len(ledger.moves) // 10 + 1 :])
    gone = ended[: len(ended) // 10 + 1]
    runs = {row.run for row in gone}
    return replace(
        ledger,
        rows=tuple(row for row in ledger.rows if row.end is None or row.run not in runs),
        older_runs=ledger.older_runs + sum(row.outcome != WITHDRAWN for row in gone),
        older_usd=ledger.older_usd + sum(row.usd for row in gone),
        older_tokens=ledger.older_tokens + sum(row.tokens for row in gone),
    )


def _ledger_below(ledger: Ledger, language: str) -> str:
    usd = ledger.older_usd + sum(row.usd for row in ledger.rows)
    return "\n".join([
        say("comment_ledger_line", language, runs=count_of_runs(ledger), usd=f"{usd:.2f}"),
        "",
        *folded(say("comment_ledger_fold", language), _table(ledger, language)),
        "",
        f"{_OPENING}data {_hidden_json(_ledger_value(ledger))} -->",
    ])


def _table(ledger: Ledger, language: str) -> Iterable[str]:
    yield say("comment_ledger_head", language)
    yield "|---|---|---|--:|---|--:|--:|---|"
    hidden = ledger.rows[:-ROWS_SHOWN]
    if earlier := ledger.older_runs + sum(row.outcome != WITHDRAWN for row in hidden):
        yield say(
            "comment_ledger_earlier", language, runs=earlier,
            tokens=f"{ledger.older_tokens + sum(r.tokens for r in hidden):,}",
            usd=f"{ledger.older_usd + sum(r.usd for r in hidden):.2f}",
        )
    for row in ledger.rows[-ROWS_SHOWN:]:
        minutes = "" if row.end is None else f"{(row.end - row.start).total_seconds() / 60:.0f}"
        cells = (
            f"`{row.run}`", row.cell, f"{row.start.astimezone(UTC):%Y-%m-%d %H:%M}", minutes,
            outcome_words(row.outcome, language), f"{row.tokens:,}", f"{row.usd:.2f}", row.next,
        )
        yield "| " + " | ".join(_table_text(cell) for cell in cells) + " |"


def outcome_words(kind: str, language: str) -> str:
    """An outcome as a person reads it; "" is a run that has not ended."""
    key = f"comment_outcome_{kind or 'running'}"
    return say(key, language) if key in SENTENCES else kind  # of a later version: no reason to fail


def _table_text(text: str) -> str:
    return re.sub(r"[|<>&\s]+", " ", text)


def folded(summary: str, lines: Iterable[str]) -> list[str]:
    """Lines that a reader opens when he wants them."""
    return ["<details>", f"<summary>{summary}</summary>", "", *lines, "", "</details>"]


def _ledger_value(ledger: Ledger) -> dict[str, object]:
    # Lists by place, not by name: a row costs 150 characters less, and there can be hundreds.
    return {
        "rows": [
            [r.run, r.machine, r.cell, _stamp(r.start), r.timeout_s, _stamp(r.end), r.outcome,
             r.next, r.tokens, r.usd, r.counts, *([r.model] if r.model else [])]
            for r in ledger.rows
        ],
        "moves": [[_stamp(m.at), m.came_from, m.to, m.why, m.because] for m in ledger.moves],
        "text_hash": ledger.text_hash,
        "approved_at": _stamp(ledger.approved_at),
        "older": [ledger.older_runs, ledger.older_usd, ledger.older_tokens],
    }


def _ledger(value: dict[str, Any]) -> Ledger:
    older = _listed(value["older"], int, float, int)
    return Ledger(
        rows=tuple(_row(raw) for raw in _many(value["rows"])),
        moves=tuple(_move(raw) for raw in _many(value["moves"])),
        text_hash=_listed([value["text_hash"]], str)[0],
        approved_at=_time(*_listed([value["approved_at"]], str)),
        older_runs=older[0], older_usd=older[1], older_tokens=older[2],
    )


def _row(raw: object) -> LedgerRow:
    values = _many(raw)
    values = [*values, ""] if len(values) == 11 else values  # written before models were told
    run, machine, cell, start, timeout_s, end, outcome, then, tokens, usd, counts, model = _listed(
        values, str, str, str, str, int, str, str, str, int, float, bool, str
    )
    return LedgerRow(
        run=run, machine=machine, cell=cell, start=_sure_time(start), timeout_s=timeout_s,
        end=_time(end), outcome=outcome, next=then, tokens=tokens, usd=usd, counts=counts,
        model=model,
    )


def _move(raw: object) -> Move:
    at, came_from, to, why, because = _listed(raw, str, str, str, str, str)
    return Move(at=_sure_time(at), came_from=came_from, to=to, why=why, because=because)


def _many(raw: object) -> list[object]:
    if not isinstance(raw, list):
        raise ValueError("not a list")
    return raw


def _listed(raw: object, *kinds: type) -> list[Any]:
    """`raw` when it is a list of exactly these types (a whole number is a float too)."""
    values = _many(raw)
    if len(values) != len(kinds):
        raise ValueError("wrong length")
    for value, kind in zip(values, kinds, strict=True):
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise ValueError("wrong type")
    return values


def _stamp(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _time(text: str) -> datetime | None:
    return _sure_time(text) if text else None


def _sure_time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError("a time without a zone")
    try:
        return at.astimezone(UTC)
    except OverflowError as error:  # the first day of all calendars, seen from the east
        raise ValueError(text) from error
