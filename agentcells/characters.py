"""Single characters: which ones nobody can see, and how a text is freed of them (R28)."""

from __future__ import annotations

import unicodedata

REPLACEMENT = "\ufffd"

# By category, not by a list of known tricks: such lists miss tag characters, variation selectors or
# word joiners. Cf format, Cs lone surrogates, Co private use, Cn not assigned, Cc control (line end
# and tab excepted).
_INVISIBLE_CATEGORIES = frozenset({"Cf", "Cs", "Co", "Cn", "Cc"})
# Letters and marks by category, and yet drawn as nothing.
_BLANK = frozenset(
    "\u034f"  # combining grapheme joiner
    "\u115f\u1160\u3164\uffa0"  # Hangul fillers
    "\u17b4\u17b5"  # Khmer inherent vowels
    "\u180b\u180c\u180d\u180f"  # Mongolian variation selectors
) | {  # variation selectors
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
_LINE_ENDS = frozenset("\r\x0b\x0c\x85\u2028\u2029")


def is_invisible(char: str) -> bool:
    """Whether a reader sees nothing of `char`. Line end and tab are layout and count as visible."""
    if char in "\n\t":
        return False
    return char in _BLANK or unicodedata.category(char) in _INVISIBLE_CATEGORIES


class _Cleaning(dict[int, str]):
    """A table for str.translate that fills itself: one look-up for each character ever seen."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in _LINE_ENDS:
            clean = "\n"
        elif char == "\0" or unicodedata.category(char) == "Cs":
            clean = REPLACEMENT
        else:
            clean = "" if is_invisible(char) else char
        self[code] = clean
        return clean


class _Escaping(dict[int, str]):
    """The same for `printable`: what cannot be seen is spelled out."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if not (is_invisible(char) or char in _LINE_ENDS):
            shown = char
        elif code < 0x100:
            shown = f"\\x{code:02x}"
        else:
            shown = f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
        self[code] = shown
        return shown


class _Spelling(dict[int, str]):
    """The same for `printable_json`, as JSON spells it. A line end between its values stays."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        units = char.encode("utf-16-be", "surrogatepass")
        spelt = "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
        shown = spelt if char not in "\n\t" and (is_invisible(char) or char in _LINE_ENDS) else char
        self[code] = shown
        return shown


_CLEANING = _Cleaning()
_ESCAPING = _Escaping()
_SPELLING = _Spelling()


def clean(text: str) -> str:
    """`text` without what nobody can see; line ends are LF, NUL and lone surrogates U+FFFD.

    Idempotent. Joined emoji fall apart into their members and lose their colour selector, joiners
    of Persian or Indic spelling are lost: a hidden message cannot be told from them.
    """
    return text.replace("\r\n", "\n").translate(_CLEANING)


def invisible_count(text: str) -> int:
    """How many characters `clean` takes away or replaces: many of them are suspicious."""
    return sum(is_invisible(char) and char not in _LINE_ENDS for char in text)


def printable(text: str, *, one_line: bool = False) -> str:
    """`text` for a terminal or a log: control, bidi and invisible characters as escapes.

    Tabs and line ends stay, unless `one_line`: who can break a log line can forge one.
    """
    shown = text.translate(_ESCAPING)
    return shown.replace("\n", "\\n").replace("\t", "\\t") if one_line else shown


def printable_json(text: str) -> str:
    """JSON for a terminal: it means the same, and nothing in it moves a cursor or hides."""
    return text.translate(_SPELLING)
