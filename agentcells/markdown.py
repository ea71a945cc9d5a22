"""Markdown of a model or a stranger: hidden parts shown, active parts defused (R28, R47).

`harmless` does not guess what a text means to a renderer. It writes every line anew, so that all
renderers must agree: code spans close on their own line, fences begin at the margin, no bracket
opens a link, no tag begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from html.entities import html5
from typing import NamedTuple

from agentcells.characters import clean, is_invisible

# ---------------------------------------------------------------- hidden parts shown

_SPECIAL = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^`\n]*$"
    r"|(?P<ticks>`+)|(?P<comment><!--)|(?P<tag></?[A-Za-z][\w-]*(?=[\s/>])[^<>]*>)"
    r"|^ {0,3}(?P<definition>\[[^\]\n]+\]:[^\n]*)$",
    re.MULTILINE,
)


def show_hidden(text: str) -> str:
    """`text` with what a rendered page hides spelled out: comments, tags, link definitions.

    Code stays as it is: there a tag is shown by every renderer.
    """
    parts, at = [], 0
    while found := _SPECIAL.search(text, at):
        end, instead = _spelled_out(text, found)
        parts += [text[at : found.start()], instead]
        at = end
    return "".join([*parts, text[at:]])


def _spelled_out(text: str, found: re.Match[str]) -> tuple[int, str]:
    """Where the special thing ends, and what stands in its place."""
    if found["comment"]:
        close = text.find("-->", found.end())
        inside = text[found.end() :] if close < 0 else text[found.end() : close]
        end = len(text) if close < 0 else close + 3
        return end, f"[HTML comment: {inside.strip().replace('<!--', '< !--')}]"
    if found["tag"]:
        return found.end(), f"[HTML: {found['tag'][1:-1].strip()}]"
    if found["definition"]:
        # What stands in it is spelled out too. "x": the rest of a line begins no line of its own.
        inside = show_hidden(f"x{found['definition'][1:]}")[1:]
        return found.end(), f"[hidden line: [{inside}]"
    if found["fence"]:
        char, length = found["fence"][0], len(found["fence"])
        closing = re.compile(rf"^[ \t]*{char}{{{length},}}[ \t]*$", re.MULTILINE)
        close_line = closing.search(text, found.end())
        end = close_line.end() if close_line else len(text)
    else:
        line_end = text.find("\n", found.end())
        span = _closing(text, found.end(), len(found["ticks"]), line_end if line_end >= 0 else None)
        end = found.end() if span is None else span
    return end, text[found.start() : end]


def _closing(text: str, at: int, length: int, end: int | None = None) -> int | None:
    """The end of the code span that `length` backticks before `at` have opened, if it closes."""
    run = re.compile(rf"(?<!`)`{{{length}}}(?!`)")
    found = run.search(text, at, len(text) if end is None else end)
    return found.end() if found else None


# ---------------------------------------------------------------- blocks


class _Line(NamedTuple):
    text: str
    in_table: bool  # bars may end a cell here, even inside backticks


_MARKERS = r"[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*"
_FENCE = re.compile(
    rf"(?P<before>{_MARKERS})(?P<fence>`{{3,}}(?=[^`]*$)|~{{3,}})[ \t]*(?P<info>.*)$"
)
_QUOTE = re.compile(r" {0,3}> ?")
_DELIMITER_ROW = re.compile(r"(?=.*-)(?=.*[|:])[-:| \t>*+0-9.)]+$")
_INFO = re.compile(r"[A-Za-z0-9_+#.-]{1,30}")
_DRAWN = frozenset({"mermaid", "math", "geojson", "topojson", "stl", "suggestion"})
_OUR_MARKER = re.compile(r"<!--(?=\s*agentcells)", re.IGNORECASE)
_DEEPEST_QUOTE = 4


def harmless(markdown: str) -> str:
    """`markdown` that reads as before and sets nothing off.

    No mention, closing keyword or command of a bot, no image, no HTML, no reference into another
    repository, no fence left open, no marker of ours. It may come out longer: bound it before.
    """
    lines = clean(markdown).split("\n")
    tables = _table_lines(lines)
    written, _ = _blocks([_Line(*pair) for pair in zip(lines, tables, strict=True)], "", 0)
    return _OUR_MARKER.sub("<! --", "\n".join(written))


def _table_lines(lines: list[str]) -> list[bool]:
    """For each line, whether a row of dashes and bars stands between the same two empty lines."""
    flags: list[bool] = []
    run: list[str] = []
    for line in [*lines, ""]:
        run.append(line)
        if not line.strip(" \t>"):
            flags += [any(_DELIMITER_ROW.match(one) for one in run)] * len(run)
            run = []
    return flags[: len(lines)]


def _blocks(lines: list[_Line], before: str, depth: int) -> tuple[list[str], str]:
    """The lines written anew, and the end of what they show, which may wait for its number."""
    written: list[str] = []
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at].text)
        if fence:
            code, at = _fenced(lines, at + 1, fence)
            written += code
            before = ""
        elif depth < _DEEPEST_QUOTE and _QUOTE.match(lines[at].text):
            inner = []
            while at < len(lines) and (quote := _QUOTE.match(lines[at].text)):
                inner.append(_Line(lines[at].text[quote.end() :], lines[at].in_table))
                at += 1
            quoted, before = _blocks(inner, before, depth + 1)
            written += [f"> {line}" if line else ">" for line in quoted]
        else:
            one, before = _line(lines[at], before)
            written.append(one)
            at += 1
    return written, before


def _fenced(lines: list[_Line], at: int, fence: re.Match[str]) -> tuple[list[str], int]:
    """A fenced block at the margin, where nothing else can claim its lines; and where it ended."""
    ticks, code = fence["fence"], []
    closing = re.compile(rf"[ \t]*{ticks[0]}{{{len(ticks)},}}[ \t]*$")
    depth = len(fence["before"].expandtabs(4))
    while at < len(lines) and not closing.match(lines[at].text):
        line = lines[at].text
        code.append(line[min(depth, len(line) - len(line.lstrip(" "))) :])
        at += 1
    word = _INFO.match(fence["info"])
    info = word[0] if word else ""
    block = [f"{ticks}{'text' if info.lower() in _DRAWN else info}", *code, ticks]
    if any(_STARTS_COMMAND.match(line) for line in code):
        # Bots read the raw text. A fence indented by one takes one blank off each line when drawn.
        block = [f" {line}" for line in block]
    marker = fence["before"].rstrip()
    return ([marker] if marker.strip() else []) + block, at + 1


# ---------------------------------------------------------------- one line

# Each of these takes the whole word that it ends in: behind a code span a new word would begin, and
# with it perhaps a new mention or keyword.
_KEYWORDS = (
    r"(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|reopen(?:s|ed|ing)?|"
    r"implement(?:s|ed|ing)?)"
)
_CLOSES = re.compile(
    rf"(?<![A-Za-z0-9]){_KEYWORDS}(?![A-Za-z0-9])[\W_]{{0,12}}?"
    r"(?P<it>(?:[#!]|[A-Za-z][A-Za-z0-9]*-)[0-9]+\w*)",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"(?<![\w./-])(?P<it>[\w./-]*[\w.-](?:[#!][0-9]+|@[0-9a-f]{7,40}(?!\w))"
    r"(?:[\w./#!@-]*\w)?)",
    re.ASCII,
)
_MENTION = re.compile(
    r"(?<![A-Za-z0-9])(?P<it>@[\w-]*[A-Za-z0-9](?:[./@][\w-]*[A-Za-z0-9])*)", re.ASCII
)
_BOTS = (
    r"(?:bors|homu|dependabot|renovate|mergify(?:io)?|jenkins|zuul|recheck|retest|rerun|azp|"
    r"(?:re)?test this|ok to test|add to whitelist|run ci|r\?|r[+-=])"
)
_COMMAND = re.compile(
    rf"^[ \t>*_+~#|.)0-9\\-]*(?P<it>/[A-Za-z][\w-]*|{_BOTS}(?![A-Za-z0-9]))",
    re.IGNORECASE | re.MULTILINE,
)
_STARTS_COMMAND = re.compile(rf"/[A-Za-z]|@[\w-]|{_BOTS}(?![A-Za-z0-9])", re.IGNORECASE)
_ADDRESS = re.compile(
    r"(?P<it>(?:(?:https?|ftp)://|(?<![A-Za-z0-9])(?:www\.|(?:mailto|xmpp):))[!-;=?-_a-~]*)",
    re.IGNORECASE,
)
_LIVE = re.compile(r"https://[A-Za-z0-9.-]+(?::[0-9]+)?(?:[/?#][\w/.~%?&=+,:#!$'()*-]*)?", re.ASCII)
_PAGE_OF_A_FORGE = re.compile(
    r"/(?:issues|pulls?|discussions|commits?|compare|merge_requests|projects|user-attachments)(?!\w)",
    re.IGNORECASE,
)
_TASK_BOX = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\](?=\s)")
_ATOM = "\ufffc"  # stands for something written already: never a letter, never part of a name
_CONTEXT = 48  # how much of the line before may belong to a keyword that waits for its number


@dataclass(frozen=True, slots=True)
class _Piece:
    shown: str  # the character a reader sees, or _ATOM
    source: str  # the Markdown that shows it


def _line(line: _Line, before: str) -> tuple[str, str]:
    """The line written anew, and the end of what it shows, for the line after."""
    box = _TASK_BOX.match(line.text)
    prefix = box[0] if box else ""
    rest = line.text[len(prefix) :]
    written = []
    for cell in _cells(rest) if line.in_table else [rest]:
        pieces = _defused(_pieces(cell), before)
        written.append(_joined(pieces))
        shown = "".join(piece.shown for piece in pieces)
        before = f"{before}{shown}"[-_CONTEXT:] + "\n"
    whole = prefix + "|".join(written)
    if fence := _FENCE.match(whole):  # the words of a link moved to the margin and became one
        at = fence.start("fence")
        whole = f"{whole[:at]}\\{whole[at:]}"
    return whole, before


def _cells(text: str) -> list[str]:
    """Split at the bars that a table row is split at: also those inside backticks."""
    cells, escaped = [""], False
    for char in text:
        if char == "|" and not escaped:
            cells.append("")
        else:
            cells[-1] += char
        escaped = char == "\\" and not escaped
    return cells


_TOKEN = re.compile(
    r"\\(?P<escape>[!-/:-@\[-`{-~])"
    r"|&(?P<entity>#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
    r"|(?P<ticks>`+)"
    r"|<(?P<address>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>"
    r"|!?\[(?P<text>(?:[^\[\]\\]|\\.)*)\]\(\s*+<?(?P<target>[^\s<>()]*(?:\([^\s()]*\)[^\s<>()]*)*)>?"
    r"(?:\s++(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*+\)"
)


def _pieces(text: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        span = None
        if found and found["ticks"]:
            span = _closing(text, found.end(), len(found["ticks"]))
        if span is not None:
            pieces.append(_Piece(_ATOM, text[at:span]))
            at = span
        elif found is None or found["ticks"]:
            end = found.end() if found else at + 1
            pieces += [_plain(char) for char in text[at:end]]
            at = end
        else:
            pieces += _token(found)
            at = found.end()
    return pieces


def _token(found: re.Match[str]) -> list[_Piece]:
    if found["escape"]:
        return [_Piece(found["escape"], found[0])]
    if found["entity"]:
        meant = _entity(found["entity"])
        if meant is None:
            return [_plain(char) for char in found[0]]
        return [_decoded(char) for char in meant if not is_invisible(char)]
    if found["address"]:
        return [_Piece(_ATOM, _address(found["address"]))]
    words = _pieces(found["text"].strip())
    target = "".join(piece.shown for piece in _pieces_of_target(found["target"]))
    if not target:
        return words
    image = found[0].startswith("!")
    address = _Piece(_ATOM, _code(target) if image else _address(target))
    if not words or found["text"].strip() == found["target"]:
        return [address]
    return [*words, _plain(" "), _plain("("), address, _plain(")")]


def _pieces_of_target(target: str) -> list[_Piece]:
    pieces = []
    for found in re.finditer(rf"{_TOKEN.pattern}|(?P<any>.)", target):
        if found["escape"] or found["entity"]:
            pieces += _token(found)
        else:
            pieces += [_Piece(char, char) for char in found[0]]
    return pieces


def _entity(name: str) -> str | None:
    """What a character reference means; None when it is none and stays as it is written."""
    if not name.startswith("#"):
        return html5.get(f"{name};")
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    return chr(code) if 0 < code < 0x110000 else "\ufffd"


def _decoded(char: str) -> _Piece:
    """A character that was written as a reference: shown the same, no longer Markdown."""
    if char in "\t\n":
        return _Piece(" ", " ")
    if char in "<&":
        return _Piece(char, "&lt;" if char == "<" else "&amp;")
    bare = char.isalnum() or char == " " or not char.isascii()
    return _Piece(char, char if bare else f"\\{char}")


_ALWAYS_ESCAPED = {"[": "\\[", "`": "\\`", "\\": "\\\\"}


def _plain(char: str) -> _Piece:
    return _Piece(char, _ALWAYS_ESCAPED.get(char, char))


def _defused(pieces: list[_Piece], before: str) -> list[_Piece]:
    """`pieces` with everything that would act turned into code or into a plain address."""
    for pattern, write in (
        (_ADDRESS, _address), (_CLOSES, _code), (_ELSEWHERE, _code), (_COMMAND, _code),
        (_MENTION, _code),
    ):
        pieces = _replaced(pieces, before, pattern, write)
    return pieces


def _replaced(
    pieces: list[_Piece], before: str, pattern: re.Pattern[str], write: Callable[[str], str]
) -> list[_Piece]:
    shown = before + "".join(piece.shown for piece in pieces)
    result: list[_Piece] = []
    at = 0
    for found in pattern.finditer(shown):
        words = _trimmed(found["it"]) if pattern is _ADDRESS else found["it"]
        start = found.start("it") - len(before)
        if start >= 0:
            result += [*pieces[at:start], _Piece(_ATOM, write(words))]
            at = start + len(words)
    return result + pieces[at:]


def _trimmed(address: str) -> str:
    """Without the punctuation of the sentence around it."""
    while True:  # it begins with letters, so it ends
        last = address[-1]
        unbalanced = last in ")]}" and address.count(last) > address.count("([{"[")]}".index(last)])
        if not unbalanced and last not in "?!.,:;*_~'\"|\\":
            return address
        address = address[:-1]


def _address(address: str) -> str:
    """A plain https address stays a link that shows where it leads; any other becomes code."""
    if _LIVE.fullmatch(address) and not _PAGE_OF_A_FORGE.search(address):
        return f"<{address}>"
    return _code(address)


def _code(words: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", words)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if words.startswith("`") or words.endswith("`") else ""
    return f"{ticks}{pad}{words.replace('|', chr(92) + '|')}{pad}{ticks}"


def _joined(pieces: list[_Piece]) -> str:
    written = ""
    for at, piece in enumerate(pieces):
        source = piece.source
        following = pieces[at + 1].shown if at + 1 < len(pieces) else " "
        if source == "<" and following not in " \t=-0123456789":
            source = "&lt;"
        elif source == "&" and (following == "#" or following.isalpha()):
            source = "&amp;"
        if written.endswith("`") and source.startswith("`"):
            written += " "  # two code spans side by side would read as one run of backticks
        written += source
    return written
