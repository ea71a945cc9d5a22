"""Remarks on lines: which wait for an answer, and the answer as a post of ours in their thread (R6, R27)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from agentcells import text
from agentcells.markers import whole
from agentcells.model import THREAD, Account, Comment, Pair
from agentcells.posts import Marker
from agentcells.run import Order, Outcome
from agentcells.voices import voice

if TYPE_CHECKING:
    from agentcells.config import Config

AT_MOST = 10  # answered by one run; the others by the next
ANSWER_CHARS = 4_000


def unanswered(config: Config, pair: Pair, owner: Account, viewer: Account) -> tuple[Comment, ...]:
    """The newest line of each open thread whose last word is the owner's, oldest thread first."""
    newest: dict[str, Comment] = {}
    for line in pair.pull.comments if pair.pull is not None else ():
        if line.kind == "thread" and line.thread_id:
            newest[line.thread_id] = line
    waiting = (
        line for line in newest.values()
        if not line.resolved and voice(line, config, owner, viewer) == "instruction"
    )
    return tuple(waiting)[:AT_MOST]


def field_of(place: int) -> str:
    """The field of the answer for the thread at this place of the order."""
    return f"{THREAD}{place + 1}"


def answers(
    order: Order, outcome: Outcome, said: Iterable[Marker]
) -> Iterator[tuple[str, Marker, str]]:
    """(thread, marker, text) for each thread of the order that has no answer of this run yet.

    What the run did not answer by itself gets its comment: the owner is never left without a word.
    """
    given, done = dict(outcome.fields), {
        marker.cause for marker in said if marker.kind == "answer" and marker.run == order.run
    }
    for place, thread in enumerate(order.threads):
        words = given.get(field_of(place), "").strip() or outcome.comment
        shown = text.harmless(text.bounded(text.clean(words), ANSWER_CHARS, order.language)).strip("\n")
        if thread in done or not shown.strip():
            continue
        marker = Marker(kind="answer", run=order.run, cell=order.cell, cause=thread)
        yield (thread, *whole(marker, shown))
