"""Paths as other systems may read them, and the globs of cells.toml held against them (R45).

Git takes a path as bytes. A Mac or a Windows machine folds case, composes letters, drops trailing
dots and blanks: there `.GitHub./workflows` is `.github/workflows`. So paths are folded before they
are compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from agentcells.characters import is_invisible
from agentcells.model import Problem

_SHORT_NAME_OF_GIT = re.compile(r"git~[0-9]+\Z")


def folded(path: bytes) -> str | None:
    """`path` as the most forgiving file system would read it; None when it is not UTF-8."""
    try:
        text = path.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return None
    return "/".join(_component(part) for part in fold(text).replace("\\", "/").split("/"))


def fold(text: str) -> str:
    """Case and spelling of letters made equal (NFKC, case folding)."""
    once = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", once)


def _component(part: str) -> str:
    # "name:stream" is the file `name` on NTFS; HFS+ looks through characters that nobody can see.
    seen = "".join(char for char in part.partition(":")[0] if not is_invisible(char))
    return seen.rstrip(" .") or part


def is_gits_own(path: str) -> bool:
    """Whether some file system takes a part of this folded path for the folder `.git`."""
    return any(part == ".git" or _SHORT_NAME_OF_GIT.match(part) for part in path.split("/"))


def is_odd(path: bytes) -> bool:
    """Whether a new path holds what no honest one needs.

    Control or invisible characters, backslashes, a part of nothing but dots and blanks.
    """
    text = path.decode("utf-8", "replace")
    parts = text.split("/")
    return any(part.strip(" .") == "" for part in parts) or any(
        char in "\n\t\\" or is_invisible(char) for char in text
    )


@dataclass(frozen=True, slots=True)
class Globs:
    """The patterns of a list of cells.toml. `*` stays within a folder, `**` does not.

    Without a slash a pattern means the name in every folder; `a/**` means `a` itself, too.
    """

    patterns: tuple[tuple[str, re.Pattern[str]], ...]

    @classmethod
    def of(cls, patterns: Iterable[str]) -> Globs:
        """Raises Problem for one that is none, or that no path could ever fit: it would protect nothing."""
        return cls(tuple((pattern, _compiled(pattern)) for pattern in patterns))

    def first(self, path: str) -> str | None:
        """The first pattern that covers this folded path."""
        return next((pattern for pattern, found in self.patterns if found.fullmatch(path)), None)


def _compiled(pattern: str) -> re.Pattern[str]:
    plain = (part for part in fold(pattern).strip("/").split("/") if not any(char in "*?[" for char in part))
    if "\\" in pattern or any(_component(part) != part for part in plain):
        raise Problem("gate_glob_never", exit_code=2, pattern=pattern)
    try:
        return re.compile(_expression(pattern))
    except re.error as error:  # [z-a]
        raise Problem("gate_glob_bad", exit_code=2, pattern=pattern) from error


_GLOB = re.compile(
    r"(?P<folders>(?:\*\*/)+)|(?P<below>/\*\*\Z)|(?P<any>\*\*+)|(?P<some>\*)|(?P<one>\?)"
    r"|\[(?P<not>[!^]?)(?P<set>\]?[^\]]*)\]|(?P<plain>.)",
    re.DOTALL,
)


def _expression(pattern: str) -> str:
    glob = fold(pattern)
    if glob.endswith("/"):
        glob += "**"
    glob = glob.removeprefix("/") if "/" in glob else f"**/{glob}"
    return "".join(_part(found) for found in _GLOB.finditer(glob))


def _part(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "folders":
            return "(?:.*/)?"
        case "below":
            return "(?:/.*)?"
        case "any":
            return ".*"
        case "some":
            return "[^/]*"
        case "one":
            return "[^/]"
        case "set":
            return f"[{'^' if found['not'] else ''}{_set(found['set'])}]"
        case _:
            return re.escape(found[0])


def _set(chars: str) -> str:
    return re.sub(r"([\\\[\]^&~|])", r"\\\1", chars)
