"""The run folders of this machine as facts: alive, ended or dead, and what their work comes to."""

from __future__ import annotations

import time
from dataclasses import replace

from agentcells.config import Config
from agentcells.deliver import deliver
from agentcells.forge import Forge
from agentcells.run import RunFact
from agentcells.store import RunFolder, State

# The last descriptors of a namespace close a moment before its last process dies (R17).
LOOK_ONCE_MORE_S = 1.0


def run_facts(state: State) -> tuple[RunFact, ...]:
    return tuple(_fact(folder) for folder in state.runs() if folder.has_order())


def _fact(folder: RunFolder) -> RunFact:
    """A run folder as it is now. Without an end and with a free lock it is looked at once more."""
    order = folder.order()
    if folder.alive():
        return RunFact(order=order, status="alive")
    end = folder.end()
    if end is None:
        time.sleep(LOOK_ONCE_MORE_S)
        if folder.alive():
            return RunFact(order=order, status="alive")
        end = folder.end()
    refused, words = folder.refusals()
    if end is None or end.proof is None:
        return RunFact(order=order, status="dead", end=end)
    return RunFact(order=order, status="ended", end=end, refused_pushes=refused, refusal=words)


def with_delivery(
    config: Config, forge: Forge, state: State, fact: RunFact, writing: bool
) -> RunFact:
    """The same with its sealed work judged. Raises Problem."""
    if fact.status != "ended" or fact.end is None:
        return fact
    cell = config.cell(fact.order.cell)
    merges = cell is not None and cell.merge  # judged by what stands on the branch
    if not merges and not (fact.order.writes and fact.end.changed):
        return fact
    return replace(fact, delivery=deliver(config, forge, state, fact, writing))
