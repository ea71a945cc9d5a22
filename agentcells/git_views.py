"""What a push would add, commit by commit, as the gate wants to see it: raw bytes by sha (R45)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from agentcells.git_ids import EMPTY_TREE
from agentcells.git_read import SUBMODULE, Commit, Delta, Entry
from agentcells.model import Sha
from agentcells.run import CommitView, FileView

if TYPE_CHECKING:
    from agentcells.git import Git

_ABSENT = "000000"


def commit_views(git: Git, sha: Sha, present: Sequence[Sha]) -> Iterator[CommitView]:
    """Each commit of `sha` that `present` does not have, oldest first; one in memory at a time."""
    shared = [git.entries(tip) for tip in present]
    for commit in reversed(git.commits(sha, present)):
        yield _view(git, commit, shared)


def _view(git: Git, commit: Commit, shared: Sequence[Mapping[str, Entry]]) -> CommitView:
    parents = commit.parents or (EMPTY_TREE,)
    by_parent = [
        {delta.path: delta for delta in git.changed(parent, commit.sha)} for parent in parents
    ]
    # Of a merge, what equals one parent was looked at there.
    paths = sorted(set.intersection(*(set(deltas) for deltas in by_parent)))
    known = {path: _known(path, by_parent[1:], shared) for path in paths}
    wanted = {sha for path in paths for sha in (*_ids(by_parent[0][path]), *known[path])}
    contents: dict[Sha, bytes] = dict(git.blobs(sorted(wanted)))
    author = f"{commit.author.name} <{commit.author.email}>"
    files = tuple(_file(by_parent[0][path], contents, known[path]) for path in paths)
    return CommitView(sha=commit.sha, message=commit.message, author=author, files=files)


def file_view(
    path: str, old: Entry | None, new: Entry | None, contents: Mapping[Sha, bytes],
    known: Sequence[Sha] = (),
) -> FileView:
    """One path as it was and as it is; what is no file of ours to read has no content."""
    return FileView(
        path=path.encode("utf-8", "surrogateescape"),
        old_mode=old.mode if old else _ABSENT,
        new_mode=new.mode if new else _ABSENT,
        old_content=contents.get(old.sha) if old else None,
        new_content=contents.get(new.sha) if new else None,
        known=tuple(contents[sha] for sha in known),
    )


def _file(delta: Delta, contents: Mapping[Sha, bytes], known: Sequence[Sha]) -> FileView:
    old = Entry(mode=delta.old_mode, sha=delta.old) if delta.old_mode else None
    new = Entry(mode=delta.new_mode, sha=delta.new) if delta.new_mode else None
    return file_view(delta.path, old, new, contents, known)


def _ids(delta: Delta) -> list[Sha]:
    sides = ((delta.old_mode, delta.old), (delta.new_mode, delta.new))
    return [sha for mode, sha in sides if mode not in ("", SUBMODULE)]


def _known(
    path: str, others: Sequence[Mapping[str, Delta]], shared: Sequence[Mapping[str, Entry]]
) -> list[Sha]:
    """Ids of further versions of `path` that are shared already: other parents, the tips."""
    found = [other[path].old for other in others if other[path].old_mode not in ("", SUBMODULE)]
    for tip in shared:
        entry = tip.get(path)
        if entry is not None and entry.mode != SUBMODULE:
            found.append(entry.sha)
    return list(dict.fromkeys(found))
