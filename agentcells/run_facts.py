"""The run folders of this machine as facts: alive, ended or dead, and what their work comes to."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from agentcells import gate
from agentcells.claim import withdrawn
from agentcells.deliver import deliver
from agentcells.forge import Forge
from agentcells.git import Git, GitError
from agentcells.known_secrets import known_secrets
from agentcells.run import RunFact
from agentcells.store import RunFolder, State

if TYPE_CHECKING:
    from agentcells.config import Config

# The last descriptors of a namespace close a moment before its last process dies (R17).
LOOK_ONCE_MORE_S = 1.0


def run_facts(config: Config, forge: Forge, state: State) -> tuple[RunFact, ...]:
    return tuple(_cleaned(config, forge, fact) for fact in facts_here(state))


def facts_here(state: State) -> tuple[RunFact, ...]:
    """Without a forge, and so not clean of its token: for who looks and writes nothing."""
    return tuple(_fact(folder) for folder in state.runs() if folder.has_order())


def _fact(folder: RunFolder) -> RunFact:
    """A run folder as it is now. Without an end and with a free lock it is looked at once more.

    Who claimed it may have been killed before the run was started: then there is nothing that could
    have failed, and the claim is taken back (R33).
    """
    order = folder.order()
    if folder.alive():
        return RunFact(order=order, status="alive")
    end = folder.end()
    if end is None:
        time.sleep(LOOK_ONCE_MORE_S)
        if folder.alive():
            return RunFact(order=order, status="alive")
        end = folder.end()
    if end is None and not folder.was_started():
        end = withdrawn(order, order.created_at)
    refused, words = folder.refusals()
    if end is None or end.proof is None:
        return RunFact(order=order, status="dead", end=end)
    return RunFact(order=order, status="ended", end=end, refused_pushes=refused, refusal=words)


def _cleaned(config: Config, forge: Forge, fact: RunFact) -> RunFact:
    """Its texts without the secrets they tell, and the names of those (R45).

    A comment is a way out as good as a commit; so is a title, and an answer that no cell offered.
    """
    end, order = fact.end, fact.order
    if end is None:
        return fact
    secrets = known_secrets(config, _token(forge, order.repo))
    outcome = end.outcome
    texts = (
        outcome.comment, outcome.detail, outcome.next, *(value for _, value in outcome.fields),
        *end.records, *end.refusals, order.title,
    )
    told = {name: None for text in texts for name in gate.secret_names(text, secrets)}
    if not told:
        return fact
    said = replace(outcome, next=gate.redact(outcome.next, secrets, order.language))
    clean = gate.redact_end(replace(end, outcome=said), secrets, order.language)
    return replace(fact, end=clean, secrets=tuple(told))


def _token(forge: Forge, repo: str) -> str:
    """Fetched already by whoever has asked the forge anything; the embedded one has none."""
    return forge.remote(repo).token


def with_delivery(
    config: Config, forge: Forge, state: State, fact: RunFact, writing: bool
) -> RunFact:
    """The same with its sealed work judged. Raises Problem."""
    if fact.status != "ended" or fact.end is None:
        return fact
    cell, order = config.cell(fact.order.cell), fact.order
    merges = cell is not None and cell.merge  # judged by what stands on the branch
    unopened = order.branch_exists and order.pull is None  # what a run before could only push
    if not merges and not (order.writes and (fact.end.changed or unopened)):
        return fact
    try:
        return replace(fact, delivery=deliver(config, forge, state, fact, writing))
    except GitError as error:
        if error.cause in ("corrupt", "not_found") and _work_is_gone(state, fact):
            lost = replace(fact.end, sealed=None, outcome=replace(fact.end.outcome, kind="crash"))
            return replace(fact, status="dead", end=lost)
        raise


def _work_is_gone(state: State, fact: RunFact) -> bool:
    """The repository that held it was taken away or is damaged: there is nothing left to publish."""
    sealed = fact.end.sealed if fact.end is not None else None
    return sealed is not None and Git(state.repository(fact.order.repo)).rev(sealed) is None
