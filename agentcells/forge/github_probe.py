"""What the token of GitHub may do, found out without writing anything; and settings that matter.

GitHub does not tell the permissions of a fine-grained token. What it may read is tried; whether it
may push is what git asks first; the rest shows at the first write, which names the permission.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agentcells.forge import ForgeError, Remark
from agentcells.forge.github_documents import PROBE, REPOSITORY
from agentcells.forge.github_errors import Error, Reply
from agentcells.forge.github_wire import Wire

# What scope `repo` holds already; `public_repo` is enough for a public repository.
WITHIN_REPO = frozenset({
    "repo", "public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events",
})
WRITERS = ("WRITE", "MAINTAIN", "ADMIN")
# Answered with 200 only to a token that has more than it needs: (path, name of the permission).
TOO_MUCH = (
    ("actions/secrets", "Secrets"),
    ("hooks", "Webhooks"),
    ("keys", "Administration"),
)
# Fields of the probe, and the permission that each needs.
READS = {
    "issues": "Issues: read and write",
    "pullRequests": "Pull requests: read and write",
    "defaultBranchRef": "Contents: read and write",
    "statusCheckRollup": "Commit statuses: read",
}


def inspect(wire: Wire, git_url: str, repos: Sequence[str]) -> Iterator[Remark]:
    """All that is worth saying of the token, then of each repository. Raises ForgeError."""
    scopes = _scopes_of(wire)
    facts = {repo: found for repo in repos if (found := _facts(wire, repo)) is not None}
    if scopes is not None:
        yield from _scopes(scopes, private=any(fact["isPrivate"] for fact in facts.values()))
    for repo, fact in facts.items():
        yield from _account(wire, repo, fact)
        if scopes is None:
            yield from _permissions(wire, git_url, repo)
        yield from _settings(wire, repo, fact)


def _scopes_of(wire: Wire) -> frozenset[str] | None:
    """Of the token: only classic ones and those of OAuth apps have any."""
    listed = wire.get(rest_url(wire.api_url) + "/").headers.get("x-oauth-scopes")
    if listed is None:
        return None
    return frozenset(filter(None, (part.strip() for part in listed.split(","))))


def rest_url(api_url: str) -> str:
    """Where REST lives beside GraphQL: on github.com, on a GitHub Enterprise Server."""
    base = api_url.removesuffix("/").removesuffix("/graphql")
    return base.removesuffix("/api") + "/api/v3" if base.endswith("/api") else base


def _facts(wire: Wire, repo: str) -> Mapping[str, Any] | None:
    """None: it cannot be seen, which another line of the check says."""
    owner, name = repo.split("/", 1)
    try:
        data = wire.query(
            REPOSITORY, {"owner": owner, "name": name}, where=repo,
            tolerated=lambda error: "defaultBranchRef" in (error.get("path") or ()),
        )
    except ForgeError:
        return None
    found = data.get("repository")
    return found if isinstance(found, Mapping) else None


# ---------------------------------------------------------------- the token


def _scopes(scopes: frozenset[str], *, private: bool) -> Iterator[Remark]:
    shown = ", ".join(sorted(scopes)) or "-"
    wanted = {"repo"} if private else {"repo", "public_repo"}
    if not scopes & wanted:
        yield Remark(name="token", level="stop", key="probe_scopes_few", slots={
            "scopes": shown, "wanted": "repo" if private else "public_repo"})
        return
    if "workflow" in scopes:
        yield Remark(name="token", level="warning", key="probe_scope_workflow")
    more = scopes - WITHIN_REPO - {"workflow"}
    if more:
        yield Remark(name="token", level="warning", key="probe_scopes_many", slots={
            "scopes": ", ".join(sorted(more))})
    if not more and "workflow" not in scopes:
        yield Remark(name="token", level="ok", key="probe_scopes", slots={"scopes": shown})


def _account(wire: Wire, repo: str, fact: Mapping[str, Any]) -> Iterator[Remark]:
    """What the account itself may do there: a token never may more."""
    role = fact.get("viewerPermission")
    if role is not None and role not in WRITERS:
        yield Remark(name=repo, level="stop", key="probe_role", slots={
            "repo": repo, "login": wire.login, "role": str(role).lower()})
    owner = repo.partition("/")[0]
    if role == "ADMIN" and wire.login.casefold() != owner.casefold():
        yield Remark(name=repo, level="warning", key="probe_admin", slots={
            "repo": repo, "login": wire.login})


def _permissions(wire: Wire, git_url: str, repo: str) -> Iterator[Remark]:
    """Of a fine-grained token or an App, one by one."""
    missing = _unreadable(wire, repo)
    if READS["defaultBranchRef"] not in missing and not _may_push(wire, git_url, repo):
        missing.append(READS["defaultBranchRef"])
    if missing:
        yield Remark(name=repo, level="stop", key="probe_few", slots={
            "repo": repo, "permissions": "; ".join(missing)})
    more = [
        name for path, name in TOO_MUCH
        if wire.get(f"{rest_url(wire.api_url)}/repos/{repo}/{path}").status == 200
    ]
    if more:
        yield Remark(name=repo, level="warning", key="probe_many", slots={
            "repo": repo, "permissions": ", ".join(more)})
    if not missing and not more:
        yield Remark(name=repo, level="ok", key="probe_enough", slots={"repo": repo})


def _unreadable(wire: Wire, repo: str) -> list[str]:
    """Permissions without which a part of the answer is refused."""
    owner, name = repo.split("/", 1)
    refused: set[str] = set()

    def noted(error: Error) -> bool:
        path = error.get("path")
        parts = path if isinstance(path, Sequence) and not isinstance(path, str) else ()
        known = [part for part in parts if part in READS]
        if error.get("type") != "FORBIDDEN" or not known:
            return False
        refused.add(known[-1])
        return True

    wire.query(PROBE, {"owner": owner, "name": name}, where=repo, tolerated=noted)
    return [permission for name, permission in READS.items() if name in refused]


def _may_push(wire: Wire, git_url: str, repo: str) -> bool:
    """git's first question of a push. It is refused at once to a token that may not write."""
    pair = f"x-access-token:{wire.secret.reveal()}".encode()
    url = f"{git_url.rstrip('/')}/{repo}.git/info/refs?service=git-receive-pack"
    asked = wire.get(url, authorization="Basic " + base64.b64encode(pair).decode())
    return asked.status == 200


# ---------------------------------------------------------------- the repository


def _settings(wire: Wire, repo: str, fact: Mapping[str, Any]) -> Iterator[Remark]:
    if not fact.get("hasIssuesEnabled", True):
        yield Remark(name=repo, level="stop", key="probe_no_issues", slots={"repo": repo})
    if fact.get("deleteBranchOnMerge"):
        yield Remark(name=repo, level="ok", key="probe_auto_delete", slots={"repo": repo})
    reply = wire.get(f"{rest_url(wire.api_url)}/repos/{repo}/actions/permissions/workflow")
    if reply.status == 200 and reply.body is not None:
        yield from _workflows(repo, reply)


def _workflows(repo: str, reply: Reply) -> Iterator[Remark]:
    """A pull request of ours runs the repository's workflows on what a model wrote."""
    body = reply.body or {}
    if body.get("default_workflow_permissions") == "write":
        yield Remark(name=repo, level="warning", key="probe_workflows_write", slots={"repo": repo})
    if body.get("can_approve_pull_request_reviews"):
        yield Remark(
            name=repo, level="warning", key="probe_workflows_approve", slots={"repo": repo}
        )


