"""Judges the sealed work of an ended run: what would be pushed, whether it merges, what the gate says.

Everything is found out from objects by their sha; the same sha is pushed later (R41, R44, R45).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from agentcells import gate
from agentcells.config import Config
from agentcells.forge import Forge
from agentcells.git import Git
from agentcells.known_secrets import known_secrets
from agentcells.model import Delivery, Order, Problem, RunFact, Sha
from agentcells.store import State

MERGE_MESSAGE = "Merge {base} into the work on #{number}"


def deliver(
    config: Config, forge: Forge, state: State, fact: RunFact, writing: bool = True
) -> Delivery:
    """The facts for `decide`. Fetches the branch and its base as they are now."""
    order, end = fact.order, fact.end
    if end is None or end.sealed is None:
        raise AssertionError("only sealed work is delivered")
    with _repository(state, order, writing) as git:
        remote = forge.remote(order.repo)
        tips = git.fetch(remote, [order.base_ref, order.branch])
        base_tip, tip = tips.get(order.base_ref), tips.get(order.branch)
        if base_tip is None:
            raise Problem("claim_empty_repository", repo=order.repo, branch=order.base_ref)
        sha, merged = end.sealed, False
        conflicts: tuple[str, ...] = ()
        for other in (tip, base_tip):
            if other is None or conflicts or git.is_ancestor(other, sha):
                continue
            merge = git.merge_tree(sha, other)
            conflicts = merge.conflicts
            if not conflicts:
                sha = _merge(git, order, sha, other, merge.tree)
                merged = True
        present = [base_tip] + ([tip] if tip else [])
        verdict = gate.inspect(
            gate.Rules.from_config(config.gate), known_secrets(config, remote.token), base_tip, sha,
            git.commit_views(sha, present),
        )
        before = git.tree(tip) if tip else git.tree(base_tip)
        foreign = git.authors_of(tip, order.start) if tip and tip != order.start else ()
        return Delivery(
            push_sha=sha,
            tip=tip,
            verdict=verdict,
            cleared=gate.clear(verdict),
            differs=git.tree(sha) != before,
            merged_base=merged,
            conflicts=conflicts,
            foreign=foreign,
            foreign_by_owner=not foreign,
        )


def _merge(git: Git, order: Order, ours: Sha, theirs: Sha, tree: str) -> Sha:
    message = MERGE_MESSAGE.format(base=order.base_ref, number=order.issue or order.pull)
    # The time of the order makes the commit the same when it is made again after a crash.
    return git.commit_tree(tree, [ours, theirs], message, when=order.created_at)


@contextmanager
def _repository(state: State, order: Order, writing: bool) -> Iterator[Git]:
    """The CLI's repository; in a dry run a throw-away one that borrows its objects (R16)."""
    if writing:
        yield Git(Path(order.store))
        return
    with tempfile.TemporaryDirectory(prefix="agentcells-dry-") as folder:
        git = Git(Path(folder) / "repository.git")
        git.init()
        git.borrow(Path(order.store))
        yield git
