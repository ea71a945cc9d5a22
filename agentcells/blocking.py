"""What an item says that it waits for: a line "Blocked by #12" in its text or in the owner's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from agentcells.case import Case
from agentcells.model import Account, Item

# The whole line, as itself or as an entry of a list: a number within a sentence blocks nothing.
_LINE = re.compile(
    r"[ \t]*(?:[-*+][ \t]+)?(?P<off>(?:not|no longer)[ \t]+)?blocked by:?[ \t]+"
    r"(?P<numbers>#\d{1,9}(?:(?:[ \t]*,[ \t]*|[ \t]+and[ \t]+|[ \t]+)#\d{1,9})*)[ \t]*\.?[ \t]*",
    re.IGNORECASE,
)
AT_MOST = 20  # of one item: each that is not known yet is a question to the forge
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


def worth_asking(item: Item, owner: Account) -> tuple[int, ...]:
    """The numbers that its text and the owner's comments name, whose state has to be known.

    Whether the text counts is judged later, by `waits_for`; so many at most are asked for.
    """
    said = (one.body for one in item.comments if one.author is not None and one.author.id == owner.id)
    named = [
        number for text in (item.body, *said) for blocks, number in mentions(text)
        if blocks and number != item.number
    ]
    return tuple(dict.fromkeys(named))[:AT_MOST]


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
