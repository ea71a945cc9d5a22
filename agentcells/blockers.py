"""Finds out which of the issues that others say they wait for are open, at no cost once it is known.

A listing tells every change since the last one, so a row that is remembered needs no question.
"""

from __future__ import annotations

from agentcells.blocking import worth_asking
from agentcells.forge import ForgeError, RateLimited, Unauthorized
from agentcells.groups import row_of
from agentcells.model import Account
from agentcells.reading import Known, Reader


def open_blockers(reader: Reader, known: Known, owner: Account) -> list[str]:
    """`repo#number` of each that is open, or cannot be found: a wrong number is said, not passed over."""
    for group in known.groups:
        item = reader.items.get(group.place)
        if item is not None and item.state == "open":
            known.waited_for.update(worth_asking(item, owner))
    return [
        f"{known.repo}#{number}" for number in sorted(known.waited_for) if _is_open(reader, known, number)
    ]


def _is_open(reader: Reader, known: Known, number: int) -> bool:
    known.unfold([number])
    if number not in known.rows:
        try:
            known.rows[number] = row_of(reader.forge.read(known.repo, number))
        except (RateLimited, Unauthorized):
            raise
        except ForgeError:
            return True  # what could not be read is never "closed" (R21); asked again in the next pass
    return known.rows[number].state == "open"
