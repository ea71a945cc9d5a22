"""Finds secrets in bytes: known ones in every usual disguise, and those of vendors (R45).

Only the search for known secrets gives a guarantee. It takes an index of all four-byte pieces of
all disguises and looks at every fourth byte of the content: whatever is seven bytes long holds one.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from agentcells.vendors import VENDORS

_SHORTEST = 8
_WINDOW = 12  # so much of a secret is a leak: who cut off its ends has still told it
_WINDOW_BASE64 = 15  # letters that twelve bytes fix, wherever they stand in the encoded text
_WINDOWS_FROM = 16  # shorter secrets count as a whole only
_FEWEST_BYTES = 5  # a run of fewer different bytes is a ruler or a row of zeros

_PUBLIC_PREFIX = re.compile(
    rb"(?:gh[pousr]_|github_pat_|sk-ant-[a-z]{2,10}[0-9]{2}-|sk-(?:proj|svcacct|admin|or-v1)-|sk-"
    rb"|gl[a-z]{2,6}-|npm_|pypi-AgEIcHlwaS5vcmc|xox[a-z]-|xapp-|AKIA|ASIA|AIza|hf_|SG\.|do[oprt]_v1_"
    rb"|eyJ[A-Za-z0-9_-]*\.|[A-Za-z]{1,12}[_-])"
)
_BLANKS = b" \t\r\n\0"  # NUL: every second byte of UTF-16
_LIKE_A_PATH = re.compile(r"[~.]{0,2}/[\w.@/-]*\Z")
_LIKE_AN_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/@\s]*?:(?P<password>[^/@\s]+)@)?")
_PERCENT = re.compile(rb"%[0-9A-Fa-f]{2}")


@dataclass(frozen=True, slots=True)
class _Form:
    """One secret in one disguise. `need`: how long a run of it must be to count."""

    name: str
    written: bytes
    need: int
    plain: bool  # not encoded: short runs of plain words are not told apart from other text

    def counts(self, run: bytes) -> bool:
        if len(run) < self.need:
            return False
        if not self.plain or len(run) == len(self.written):
            return True
        mixed = any(48 <= byte < 58 for byte in run) or (run.lower() != run and run.upper() != run)
        return mixed and len(set(run)) >= _FEWEST_BYTES


class _Index:
    """All four-byte pieces of some forms, as numbers: a set compares them by the million in C."""

    def __init__(self, forms: Sequence[_Form]) -> None:
        self.forms = forms
        self.places: dict[int, list[tuple[_Form, int]]] = {}
        for form in forms:
            for offset in range(len(form.written) - 3):
                piece = memoryview(form.written[offset : offset + 4]).cast("I")[0]
                self.places.setdefault(piece, []).append((form, offset))
        self.pieces = frozenset(self.places)

    def runs(self, content: bytes) -> Iterator[tuple[_Form, int, int]]:
        """Each run of `content` that counts: its form, where it begins and where it ends."""
        words = memoryview(content)[: len(content) & ~3].cast("I")
        present = self.pieces.intersection(words)
        if not present:
            return
        seen: set[tuple[int, int]] = set()
        for number, word in enumerate(words):
            if word not in present:
                continue
            for form, offset in self.places[word]:
                start, end = _run(content, form.written, number * 4, offset)
                if (id(form), start) not in seen and form.counts(content[start:end]):
                    seen.add((id(form), start))
                    yield form, start, end


def _run(content: bytes, written: bytes, at: int, offset: int) -> tuple[int, int]:
    """How far `content` and `written` agree around the four bytes that they share."""
    start, before = at, offset
    while start and before and content[start - 1] == written[before - 1]:
        start, before = start - 1, before - 1
    end, after = at + 4, offset + 4
    while end < len(content) and after < len(written) and content[end] == written[after]:
        end, after = end + 1, after + 1
    return start, end


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """The secrets this process knows. Its repr shows none of them."""

    names: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()  # their value is too short, or a word that stands everywhere
    _plain: _Index = field(default_factory=lambda: _Index(()))
    _hex: _Index = field(default_factory=lambda: _Index(()))

    @classmethod
    def of(cls, named: Mapping[str, str]) -> Secrets:
        known = {name: _values(value) for name, value in named.items()}
        return cls(
            names=tuple(name for name, values in known.items() if values),
            ignored=tuple(name for name, values in known.items() if not values),
            _plain=_Index([f for n, vs in known.items() for v in vs for f in _plain_forms(n, v)]),
            _hex=_Index([_hex_form(n, v) for n, vs in known.items() for v in vs]),
        )

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self.names)})"

    def names_in(self, content: bytes, shared: Iterable[bytes] = ()) -> tuple[str, ...]:
        """Names of the secrets that `content` tells and none of the `shared` texts told before."""
        found: dict[str, None] = {}
        looks = ((self._plain, _squeezed), (self._plain, _unquoted), (self._hex, _hexed))
        for index, view in looks:
            seen = view(content)
            known: list[bytes] | None = None
            for form, start, end in index.runs(seen):
                known = [view(text) for text in shared] if known is None else known
                if not any(seen[start:end] in text for text in known):
                    found[form.name] = None
        return tuple(found)

    def spans_in(self, content: bytes) -> Iterator[tuple[int, int]]:
        """Where known secrets stand as they are, reversed or in base64, with or without blanks."""
        kept = [at for at, byte in enumerate(content) if byte not in _BLANKS]
        for _form, start, end in self._plain.runs(_squeezed(content)):
            yield kept[start], kept[end - 1] + 1


# ---------------------------------------------------------------- ways to look at content


def _squeezed(content: bytes) -> bytes:
    """Without blanks: base64 is wrapped, a token can be, UTF-16 is ASCII with NULs in between."""
    return content.translate(None, _BLANKS)


def _unquoted(content: bytes) -> bytes:
    return _squeezed(unquote_to_bytes(content)) if _PERCENT.search(content) else b""


def _hexed(content: bytes) -> bytes:
    """Of dumps and escapes only the digits: 0x67, \\x67, \\u0067, 67:68, in either case."""
    digits = _squeezed(content).lower().replace(b"\\u00", b"").replace(b"0x", b"")
    return digits.translate(None, b"\\x:,-'\"")


# ---------------------------------------------------------------- what is looked for


def _values(value: str) -> tuple[bytes, ...]:
    """The secret parts of a value: of an address its password, of JSON or many lines the tokens."""
    value = value.strip()
    address = _LIKE_AN_ADDRESS.match(value)
    if address and address["password"]:
        value = address["password"]
    if re.search(r"[\s{}\"]", value):
        pieces = re.split(r"[\s{}\[\]\"',]+", value)
        tokens = [piece for piece in pieces if len(piece) >= 20 and _is_token(piece)]
        if tokens:
            return tuple(token.encode("utf-8", "surrogatepass") for token in tokens)
    if len(value) < _SHORTEST or (len(value) < 16 and _is_plain_word(value)):
        return ()
    return (value.encode("utf-8", "surrogatepass"),)


def _is_token(piece: str) -> bool:
    return sum(char.isdigit() for char in piece) >= 3 and any(char.isalpha() for char in piece)


def _is_plain_word(value: str) -> bool:
    return value.isalpha() and (value == value.lower() or value == value.upper())


def _is_whole_only(value: str) -> bool:
    """Texts whose parts are ordinary: a path, an address without password, words with blanks."""
    path = _LIKE_A_PATH.match(value) and (value == value.lower() or "." in value)
    return bool(path or _LIKE_AN_ADDRESS.match(value) or re.search(r"\s", value))


def _core(value: bytes) -> tuple[bytes, int]:
    """What of a value is secret, and how long a run of it is a leak."""
    text = value.decode("utf-8", "surrogatepass")
    prefix = _PUBLIC_PREFIX.match(value)
    core = value[prefix.end() :] if prefix else value
    if _is_whole_only(text) or len(core) < _WINDOWS_FROM:
        whole = _squeezed(value)
        return whole, len(whole)
    return core, _WINDOW


def _plain_forms(name: str, value: bytes) -> Iterator[_Form]:
    core, need = _core(value)
    yield _Form(name, core, need, plain=True)
    yield _Form(name, core[::-1], need, plain=True)
    for written in {text for before in range(3) for text in _base64(core, before)}:
        enough = _WINDOW_BASE64 if need < len(core) else len(written)
        yield _Form(name, written, enough, plain=False)


def _base64(core: bytes, before: int) -> tuple[bytes, bytes]:
    """The letters that `core` fixes behind `before` other bytes, in both alphabets."""
    standard = base64.b64encode(b"\0" * before + core + b"\0\0")
    first = -(-8 * before // 6)
    last = 8 * (before + len(core)) // 6
    written = standard[first:last]
    return written, written.translate(bytes.maketrans(b"+/", b"-_"))


def _hex_form(name: str, value: bytes) -> _Form:
    core, need = _core(value)
    return _Form(name, core.hex().encode(), 2 * need, plain=False)


# ---------------------------------------------------------------- vendors


def vendor_names(content: bytes, shared: Iterable[bytes] = ()) -> tuple[str, ...]:
    """Vendors whose keys `content` seems to hold and none of the `shared` texts held before."""
    known = tuple(shared)
    return tuple(
        vendor.name for vendor in VENDORS
        if any(all(match[0] not in text for text in known) for match in vendor.matches(content))
    )


def vendor_spans(content: bytes) -> Iterator[tuple[int, int]]:
    """Where such keys stand."""
    for vendor in VENDORS:
        yield from (match.span() for match in vendor.matches(content))
