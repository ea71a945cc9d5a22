"""What failed checks on GitHub have to say, and which of them had passed before on the same commit.

Asked only where a check has failed. What this token may not read (a fine-grained one may read no
check runs) is left out: the sum of the checks is known from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentcells.forge.github_errors import Error
from agentcells.forge.github_parse import FAILED, LOG_CHARS, PASSED, Node
from agentcells.forge.github_probe import rest_url
from agentcells.forge.github_whole import EARLIER_CHECKS, FAILED_CHECKS
from agentcells.forge.github_wire import Wire

AT_MOST = 3  # failed checks whose words are fetched


def look_into(
    wire: Wire, repo: str, pull_id: str, contexts: Sequence[Node]
) -> tuple[frozenset[str], dict[str, str]]:
    """(names that passed before on this commit, words of failed check runs by their ids)."""
    failed = [
        node for node in contexts
        if node["__typename"] == "CheckRun" and node.get("conclusion") in FAILED
    ]
    if not failed:
        return frozenset(), {}
    return _passed_before(wire, repo, pull_id), _words(wire, repo, failed[:AT_MOST])


def _passed_before(wire: Wire, repo: str, pull_id: str) -> frozenset[str]:
    data = wire.query(EARLIER_CHECKS, {"id": pull_id}, where=repo, tolerated=_not_ours_to_read)
    runs = _nodes(data, "node", "commits", "commit", "checkSuites", "checkRuns")
    return frozenset(run["name"] for run in runs if run.get("conclusion") in PASSED)


def _words(wire: Wire, repo: str, failed: Sequence[Node]) -> dict[str, str]:
    """Their own text, the places they complain of, the end of the log."""
    ids = [node["id"] for node in failed]
    data = wire.query(FAILED_CHECKS, {"ids": ids}, where=repo, tolerated=_not_ours_to_read)
    told = {node["id"]: node for node in data.get("nodes") or () if isinstance(node, Mapping)}
    words = {}
    for node in failed:
        found = told.get(node["id"], {})
        parts = [found.get("text"), *_annotations(found), _log(wire, repo, node)]
        words[node["id"]] = "\n".join(part for part in parts if part)
    return words


def _annotations(run: Node) -> Iterator[str]:
    for note in _nodes(run, "annotations"):
        line = ((note.get("location") or {}).get("start") or {}).get("line", "")
        yield f"{note.get('path')}:{line}: {note.get('message')}"


def _log(wire: Wire, repo: str, run: Node) -> str:
    """Of a job of Actions; other services keep their logs to themselves."""
    if "/actions/" not in str(run.get("detailsUrl")) or not run.get("databaseId"):
        return ""
    url = f"{rest_url(wire.api_url)}/repos/{repo}/actions/jobs/{run['databaseId']}/logs"
    return wire.download(url, LOG_CHARS)


def _nodes(start: Node, *path: str) -> list[Node]:
    """All that is reached by these names; of a connection its nodes. What is null ends there."""
    found: list[Any] = [start]
    for name in path:
        below = [one.get(name) for one in found]
        found = [
            node for one in below if isinstance(one, Mapping)
            for node in (one["nodes"] or () if "nodes" in one else (one,))
            if isinstance(node, Mapping)
        ]
    return found


def _not_ours_to_read(error: Error) -> bool:
    return error.get("type") == "FORBIDDEN"
