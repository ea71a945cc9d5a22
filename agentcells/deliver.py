"""Judges the sealed work of an ended run: what would be pushed, whether it merges, what the gate says.

Everything is found out from objects by their sha; the same sha is pushed later (R41, R44, R45).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agentcells import gate, gitleaks
from agentcells.emptying import passing_folder
from agentcells.forge import Forge
from agentcells.git import Git, GitError
from agentcells.known_secrets import known_secrets
from agentcells.model import Problem, Sha
from agentcells.run import CommitView, Delivery, Finding, Order, RunFact, Verdict
from agentcells.store import State
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.config import Config

MERGE_MESSAGE = "Merge {base} into the work on #{number}"


def deliver(
    config: Config, forge: Forge, state: State, fact: RunFact, writing: bool = True
) -> Delivery:
    """The facts for `decide`. Fetches the branch and its base as they are now."""
    order, end = fact.order, fact.end
    if end is None:
        raise AssertionError("only an ended run is delivered")
    sealed = end.sealed or order.start  # a cell that writes nothing speaks of what it was shown
    with _repository(order, writing) as git:
        remote = forge.remote(order.repo)
        tips = git.fetch(remote, [order.base_ref, order.branch])
        base_tip, tip = tips.get(order.base_ref), tips.get(order.branch)
        if base_tip is None:
            raise Problem("claim_empty_repository", repo=order.repo, branch=order.base_ref)
        pushed = tip is not None and end.sealed is not None and git.is_ancestor(sealed, tip)
        joined = _Joined(sha=tip or sealed) if pushed else _join(git, order, sealed, tip, base_tip)
        present = [base_tip] + ([tip] if tip and order.writes and not pushed else [])
        rules = gate.Rules.from_config(config.gate)
        verdict = gate.inspect(
            rules, known_secrets(config, remote.token), base_tip, joined.sha,
            git.commit_views(joined.sha, present),
        )
        if not verdict.blocks:
            verdict = _seen_by_gitleaks(verdict, rules, git.commit_views(joined.sha, present))
        before = git.tree(order.start if pushed or tip is None else tip)
        foreign = () if pushed or tip is None else git.authors_of(tip, order.start)
        return Delivery(
            push_sha=joined.sha,
            tip=tip,
            verdict=verdict,
            cleared=gate.clear(verdict),
            differs=git.tree(joined.sha) != before,
            merged_base=joined.merged,
            behind=not git.is_ancestor(base_tip, joined.sha),
            ahead=tip is not None and not git.is_ancestor(tip, base_tip),
            conflicts=joined.conflicts,
            obstacle=joined.obstacle,
            foreign=foreign,
            foreign_by_owner=not foreign or _by_owner(config, forge, order),
        )


def _seen_by_gitleaks(
    verdict: Verdict, rules: gate.Rules, commits: Iterable[CommitView]
) -> Verdict:
    """The same with what gitleaks finds besides, where it is installed; when it fails it blocks."""
    where = gitleaks.program()
    if where is None:
        return verdict
    found = tuple(
        Finding(rule="gitleaks_failed" if rule == gitleaks.BROKEN else "gitleaks", path=name,
                detail=printable(rule, one_line=True))
        for name, rule in gitleaks.search(where, _contents(rules, commits))
    )
    return replace(verdict, blocks=(*verdict.blocks, *found))


def _contents(
    rules: gate.Rules, commits: Iterable[CommitView]
) -> Iterator[tuple[str, bytes, tuple[bytes, ...]]]:
    """What is new, once each, with what stood there before."""
    done = set(rules.allow_blobs)
    for commit in commits:
        before = tuple(file.old_content for file in commit.files if file.old_content)
        for file in commit.files:
            content = file.new_content or b""
            if content and (blob := gate.blob_id(content)) not in done:
                done.add(blob)
                name = printable(file.path.decode("utf-8", "replace"), one_line=True)
                yield f"{name} (blob {blob})", content, (*before, *file.known)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Joined:
    """The sealed work together with what the branch and its base have become meanwhile."""

    sha: Sha
    merged: bool = False
    conflicts: tuple[str, ...] = ()
    obstacle: str = ""


def _join(git: Git, order: Order, sealed: Sha, tip: Sha | None, base_tip: Sha) -> _Joined:
    """Merge what moved (R44). With a conflict the sealed work stays as it is."""
    joined = _Joined(sha=sealed)
    for other in (tip, base_tip) if order.writes else ():
        if other is None or git.is_ancestor(other, joined.sha):
            continue
        try:
            merge = git.merge_tree(joined.sha, other)
        except GitError as error:
            # Another try cannot mend these: the owner has to know.
            if error.key == "git_too_old":
                return _Joined(sha=sealed, obstacle="plan_git_too_old")
            if error.cause == "conflict":  # the base was written anew, without a common past
                return _Joined(sha=sealed, obstacle="plan_unrelated")
            raise
        if merge.conflicts:
            return _Joined(sha=sealed, conflicts=merge.conflicts)
        joined = _Joined(sha=_merge(git, order, joined.sha, other, merge.tree), merged=True)
    return joined


def _by_owner(config: Config, forge: Forge, order: Order) -> bool:
    """Whether the forge's own record of pushes names nobody but the owner."""
    pull = forge.pull_by_head(order.repo, order.branch)
    pushers = pull.pull.pushers if pull and pull.pull else ()
    owner = forge.account(config.factory.owner)
    return bool(pushers) and all(account.id == owner.id for account in pushers)


def _merge(git: Git, order: Order, ours: Sha, theirs: Sha, tree: str) -> Sha:
    message = MERGE_MESSAGE.format(base=order.base_ref, number=order.issue or order.pull)
    # The time of the order makes the commit the same when it is made again after a crash.
    return git.commit_tree(tree, [ours, theirs], message, when=order.created_at)


@contextmanager
def _repository(order: Order, writing: bool) -> Iterator[Git]:
    """The CLI's repository; in a dry run a throw-away one that borrows its objects (R16)."""
    if writing:
        yield Git(Path(order.store))
        return
    with passing_folder("agentcells-dry-") as folder:
        git = Git(folder / "repository.git")
        git.init()
        git.borrow(Path(order.store))
        yield git
