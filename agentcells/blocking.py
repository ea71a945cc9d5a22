"""What an item says that it waits for: a line "Blocked by #12" in its text or in the owner's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agentcells.case import Case
from agentcells.model import Item

# The whole line, as itself or as an entry of a list: a number within a sentence blocks nothing.
_LINE = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?P<off>(?:not|no longer)[ \t]+)?blocked by:?[ \t]+"
    r"(?P<numbers>#\d{1,9}(?:(?:[ \t]*,[ \t]*|[ \t]+and[ \t]+|[ \t]+)#\d{1,9})*)[ \t]*\.?[ \t]*",
    re.IGNORECASE,
)
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")


def mentions(text: str) -> Iterator[tuple[bool, int]]:
    """(blocks, number) for each number of each such line; code says nothing."""
    code = False
    for line in text.splitlines():
        if _FENCE.match(line):
            code = not code
        found = None if code else _LINE.fullmatch(line)
        if found is not None:
            for number in re.findall(r"\d+", found["numbers"]):
                yield not found["off"], int(number)


def anybody_named(item: Item) -> frozenset[int]:
    """Every number that anybody named so: whose word counts is judged later, by `waits_for`."""
    texts = (item.body, *(said.body for said in item.comments))
    found = {number for text in texts for blocks, number in mentions(text) if blocks}
    return frozenset(found - {item.number})


def waits_for(case: Case) -> tuple[int, ...]:
    """Open issues that stand before this pair: by the forge's own record, and by those lines.

    Asked of a pair whose text is the owner's or approved by him; of the comments his own count, and
    a later "Not blocked by #12" of his takes it back.
    """
    named: dict[int, bool] = {}
    for text in _texts(case):
        named.update((number, blocks) for blocks, number in mentions(text))
    waited = {number for number, blocks in named.items() if blocks} - {case.pair.number}
    here = {number for number in waited if f"{case.pair.repo}#{number}" in case.snapshot.waited_for}
    by_forge = case.pair.issue.blocked_by if case.pair.issue is not None else ()
    return tuple(sorted({*by_forge, *here}))


def _texts(case: Case) -> Iterable[str]:
    return (case.pair.anchor.body, *(said.body for said in case.said))
