"""Work that was not published: kept under a ref of ours, its files taken by the next run (R40)."""

from __future__ import annotations

from collections.abc import Collection

from agentcells.git import KEPT, Git, GitError, Merge, records_ref
from agentcells.model import Sha

MESSAGE = "Kept work\n"


def keep(git: Git, run: str, sha: Sha) -> str:
    """Keep a run's newest record. Idempotent; returns the ref."""
    ref = f"{KEPT}{run}"
    git.update_ref(ref, sha)
    return ref


def put_away(git: Git, run: str, sealed: Sha | None, *, keeping: bool) -> None:
    """The end of a run's records: kept when they are not published. Nothing else refers to the run.

    A run that was killed has sealed nothing, but what it recorded is there (R40).
    """
    if not (git.store / "HEAD").is_file():
        return  # somebody took the repository away, and its objects with it
    newest = (git.rev(sealed) if sealed else None) or git.rev(records_ref(run))
    if keeping and newest is not None:
        keep(git, run, newest)
    git.delete_ref(records_ref(run))


def take_over(git: Git, kept: Sha, start: Sha, leave_out: Collection[str] = ()) -> Merge:
    """The kept files merged onto `start`, as a tree; its commits are not taken.

    `leave_out`: paths that the gate refused; they stay as they were before the kept work.
    """
    begun = git.merge_base(kept, start)
    if begun is None:
        raise GitError("conflict", "merge-base", "the kept work has no common past with the branch")
    tree = git.tree(kept)
    if leave_out:
        before = git.entries(begun)
        entries = {p: entry for p, entry in git.entries(kept).items() if p not in leave_out}
        entries.update({p: before[p] for p in leave_out if p in before})
        tree = git.write_tree(entries)
    if begun == start:
        return Merge(tree=tree)
    work = git.commit_tree(tree, [begun], MESSAGE)
    return git.merge_tree(start, work, names=("present-state", "earlier-work"))


def take_in(git: Git, start: Sha, tree: str, newer: Sha) -> Merge:
    """`tree` ("": the start's own; else kept work on it) merged with a newer state of the branch or base.

    With conflicts its files hold markers, and the run settles them: `Sealed(merging=newer)` (R44).
    """
    ours = git.commit_tree(tree, [start], MESSAGE) if tree else start
    return git.merge_tree(ours, newer, names=("present-state", "moved-base"))
