"""Where in a TOML text each key stands: the line numbers that tomli does not keep.

The text is known to be valid TOML (tomli read it), so this reader may be simple: it tells strings,
comments and brackets apart and follows names. What it does not understand costs a line number only.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress

Path = tuple[str | int, ...]

_TOKEN = re.compile(
    r'(?P<string>"""(?:\\.|[^\\])*?"{3,5}|\'\'\'(?:.|\n)*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\')'
    r"|(?P<comment>#[^\n]*)|(?P<newline>\n)|(?P<mark>[\[\]{}=,])|(?P<dot>\.)|(?P<bare>[^\s\[\]{}=,.#\"']+)",
    re.DOTALL,
)


def lines(text: str) -> dict[Path, int]:
    """The line (from 1) of every table, key and list entry, by its path."""
    reader = _Reader(text)
    with suppress(RecursionError):  # lists hundreds deep: what was found will do
        reader.read()
    return reader.found


class _Reader:
    def __init__(self, text: str) -> None:
        starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self._tokens: list[tuple[str, str, int]] = [
            (str(found.lastgroup), found.group(), bisect_right(starts, found.start()))
            for found in _TOKEN.finditer(text)
            if found.lastgroup != "comment"
        ]
        self._at = 0
        self.found: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}

    def read(self) -> None:
        table: Path = ()
        while self._at < len(self._tokens):
            kind, text, line = self._tokens[self._at]
            if kind == "newline":
                self._at += 1
            elif text == "[" and kind == "mark":
                table = self._header(line)
            else:
                self._pair(table)

    def _next(self) -> tuple[str, str, int]:
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else ("newline", "", 0)

    def _peek(self, text: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][:2] == ("mark", text)

    def _header(self, line: int) -> Path:
        self._at += 1
        many = self._peek("[")
        self._at += many
        path = self._resolve(tuple(self._key_until("]")))
        self._at += many
        if many:
            index = self._counts.get(path, -1) + 1
            self._counts[path] = index
            self.found.setdefault(path, line)
            path = (*path, index)
        self.found.setdefault(path, line)
        return path

    def _resolve(self, names: tuple[str, ...]) -> Path:
        """[a.b] below [[a]] means the newest a."""
        path: Path = ()
        for name in names[:-1]:
            path = (*path, name)
            if path in self._counts:
                path = (*path, self._counts[path])
        return (*path, *names[-1:])

    def _key_until(self, mark: str) -> Iterator[str]:
        while self._at < len(self._tokens):
            kind, text, _ = self._next()
            if kind == "mark" and text == mark:
                return
            if kind == "bare":
                yield text
            elif kind == "string":
                yield text[1:-1]

    def _pair(self, table: Path) -> None:
        line = self._tokens[self._at][2]
        path = table
        for name in self._key_until("="):
            path = (*path, name)
            self.found.setdefault(path, line)
        self._value(path)

    def _value(self, path: Path) -> None:
        if self._peek("["):
            self._list(path)
        elif self._peek("{"):
            self._inline(path)
        else:  # a string, or some bare tokens: 1.5 is "1", ".", "5"
            plain = ("string", "bare", "dot")
            while self._at < len(self._tokens) and self._tokens[self._at][0] in plain:
                self._at += 1

    def _list(self, path: Path) -> None:
        self._at += 1
        index = 0
        while self._at < len(self._tokens):
            kind, text, line = self._tokens[self._at]
            if kind == "newline" or text == ",":
                self._at += 1
            elif kind == "mark" and text == "]":
                self._at += 1
                return
            else:
                self._entry((*path, index), line)
                index += 1

    def _entry(self, path: Path, line: int) -> None:
        self.found.setdefault(path, line)
        before = self._at
        self._value(path)
        if self._at == before:  # not understood: step over it, so that reading ends
            self._at += 1

    def _inline(self, path: Path) -> None:
        self._at += 1
        while self._at < len(self._tokens):
            kind, text, _ = self._tokens[self._at]
            if kind == "newline" or text == ",":
                self._at += 1
            elif kind == "mark" and text == "}":
                self._at += 1
                return
            else:
                self._pair(path)
