"""Which issues a pull request says it closes, for forges that do not tell (local, Gitea)."""

from __future__ import annotations

import re

# The nine words of GitHub and Gitea, an optional colon, and "#3" or "owner/name#3".
_CLOSES = re.compile(
    r"(?<![\w-])(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?)(?:\s*:)?\s+"
    r"(?P<repo>[\w.-]+/[\w.-]+)?#(?P<number>[1-9][0-9]{0,9})(?!\w)",
    re.IGNORECASE,
)


def closing_numbers(body: str, repo: str) -> tuple[int, ...]:
    """Numbers of the issues of `repo` ("owner/name") that `body` closes, each once, in order."""
    found = (
        int(match["number"])
        for match in _CLOSES.finditer(body)
        if match["repo"] is None or match["repo"].casefold() == repo.casefold()
    )
    return tuple(dict.fromkeys(found))
