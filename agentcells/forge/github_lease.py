"""Leases on GitHub: a commit made by REST, so that it carries GitHub's own clock, and `updateRefs`.

A ref outside of heads and tags cannot be read by GraphQL (`ref` is null there), so it is read by REST.
The commit stands on the default branch's head with its very files: no file changes with it, so no
permission for workflows is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from agentcells.forge import ForgeError, Leased, Stale
from agentcells.forge import github_mutations as do
from agentcells.forge import github_parse as parse
from agentcells.forge.github_documents import READ_CONTENTS, Document
from agentcells.forge.github_probe import rest_url
from agentcells.forge.github_wire import Wire
from agentcells.forge.lease_refs import ref_of
from agentcells.model import Sha

NOTHING = "0" * 40  # as beforeOid: it must not exist; as afterOid: away with it

# Not sent as text: the names and permissions under which REST's answers are told.
READ_REF = Document(name="ReadLease", text="", needs=READ_CONTENTS)
MAKE_COMMIT = Document(name="MakeLease", text="", needs=do.WRITE_CONTENTS, writes=True)


def read(wire: Wire, repo: str, number: int) -> Leased | None:
    """None only where GitHub lists the refs that begin so, and it is not among them."""
    ref = ref_of(number)
    place = ref.removeprefix("refs/")
    found = wire.rest("GET", f"{_git(wire, repo)}/matching-refs/{place}", READ_REF, repo)
    if not isinstance(found, list):
        raise parse.partial(ref)
    for row in found:
        if isinstance(row, Mapping) and row.get("ref") == ref:
            return _leased(wire, repo, Sha(str(_node(row, "object")["sha"])))
    return None


def _leased(wire: Wire, repo: str, sha: Sha) -> Leased:
    commit = wire.rest("GET", f"{_git(wire, repo)}/commits/{sha}", READ_REF, repo)
    at = str(_node(commit, "committer").get("date", ""))
    try:
        moment = datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        raise parse.partial(sha) from None
    return Leased(sha=sha, text=str(commit.get("message", "")).strip(), at=moment)


def swap(
    wire: Wire, repo: str, repo_id: str, head: tuple[str, str], number: int, before: Sha | None,
    text: str,
) -> Sha | None:
    """Compare and swap. `head`: commit and tree of the default branch. Raises Stale.

    Whatever goes wrong with the answer, the ref itself says what came of it.
    """
    made = _commit(wire, repo, head, text) if text else None
    update = {
        "name": ref_of(number), "beforeOid": before or NOTHING, "afterOid": made or NOTHING,
        "force": True,  # leases follow no line of history: `beforeOid` is the guard
    }
    try:
        wire.mutate(do.UPDATE_REFS, {"repositoryId": repo_id, "refUpdates": [update]}, where=repo)
    except ForgeError as error:
        now = read(wire, repo, number)
        if (now.sha if now else None) == made:
            return made
        if (now.sha if now else None) != before:
            raise Stale("lease_moved", number=number) from error
        raise
    return made


def _commit(wire: Wire, repo: str, head: tuple[str, str], text: str) -> Sha:
    commit, tree = head
    wanted = {"message": text, "tree": tree, "parents": [commit]}  # no date: GitHub's own
    made = wire.rest("POST", f"{_git(wire, repo)}/commits", MAKE_COMMIT, repo, wanted)
    if not isinstance(made, Mapping) or not isinstance(made.get("sha"), str):
        raise parse.partial("lease")
    return Sha(made["sha"])


def _git(wire: Wire, repo: str) -> str:
    return f"{rest_url(wire.api_url)}/repos/{repo}/git"


def _node(found: Any, name: str) -> Mapping[str, Any]:
    inner = found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(inner, Mapping):
        raise parse.partial(name)
    return inner
