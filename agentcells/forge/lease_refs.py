"""Leases as refs, by plain git: a push that names what must stand there now is a compare-and-swap.

For forges without a question of their own for it (Gitea has no way to move a ref but git). The commits
are parentless and hold no files: what is said stands in the message, the forge's time in the date.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from agentcells.emptying import passing_folder
from agentcells.forge import Leased, Remote, Stale
from agentcells.git import Git, GitError
from agentcells.git_ids import EMPTY_TREE
from agentcells.git_process import Call, run
from agentcells.git_transport import road
from agentcells.model import Sha

PREFIX = "refs/agentcells/lease/"
_FOUND = "refs/agentcells/found"
_DEADLINE_S = 120.0


def ref_of(number: int) -> str:
    return f"{PREFIX}{number}"


def read(remote: Remote, number: int) -> Leased | None:
    """None: git says that there is no such ref."""
    with _store() as git:
        ref = ref_of(number)
        out = _travel(git, remote, "ls-remote", "-q", "--refs", "--", ref=ref)
        found = dict(line.split("\t")[::-1] for line in out.splitlines())
        if ref not in found:
            return None
        try:
            _travel(git, remote, "fetch", "-q", "--no-tags", "--no-write-fetch-head", "--",
                    ref=f"+{ref}:{_FOUND}")
        except GitError as error:
            if error.cause == "not_found":
                return None  # given back while we looked
            raise
        (commit,) = git.commits(_FOUND, limit=1)
        return Leased(sha=commit.sha, text=commit.message.strip(), at=commit.when)


def swap(remote: Remote, number: int, before: Sha | None, text: str, now: datetime) -> Sha | None:
    """Put `text` in the place of `before` (None: there is none); no text: away with it.

    Raises Stale when something else stands there.
    """
    with _store() as git:
        made = _commit(git, text, now) if text else None
        ref = ref_of(number)
        held = f"--force-with-lease={ref}:{before or ''}"
        try:
            _travel(git, remote, "push", "--porcelain", "--no-verify", "--no-signed", held, "--",
                    ref=f"{made or ''}:{ref}")
        except GitError as error:
            if error.cause in ("rejected_stale", "conflict"):
                raise Stale("lease_moved", number=number) from error
            raise
        return made


def _commit(git: Git, text: str, now: datetime) -> Sha:
    git.write_tree({})
    return git.commit_tree(EMPTY_TREE, (), f"{text}\n", when=now)


@contextmanager
def _store() -> Iterator[Git]:
    with passing_folder("agentcells-lease-") as folder:
        git = Git(folder / "lease.git")
        git.init()
        yield git


def _travel(git: Git, remote: Remote, *words: str, ref: str) -> str:
    with road(remote, words[0], git.store) as way:
        call = Call(
            store=git.store, arguments=[*words, way.url, ref], env=way.env, settings=way.settings,
            pass_fds=way.pass_fds, deadline_s=_DEADLINE_S,
        )
        return run(call).out.decode("utf-8", "replace")
