"""The few addresses of GitHub's REST API that are asked: what a token may do, and commits of leases."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from tests.loopback.github import access
from tests.loopback.github.model import Hub, Refused, Repo, Token

# What an address needs: a permission of a fine-grained token or an App; of others, an administrator.
NEEDS = {
    "actions/secrets": "secrets",
    "hooks": "webhooks",
    "keys": "administration",
    "actions/permissions/workflow": "administration",
}


def operation(method: str, path: str) -> str:
    """The name under which a request is counted, and troubles are ordered for it."""
    if "/issues?" in path:
        return "Newest"
    if "/git/" in path:
        return "MakeLease" if method == "POST" else "ReadLease"
    return ""


def answer(
    hub: Hub, token: Token, path: str, method: str = "GET", body: bytes = b""
) -> tuple[int, object]:
    """(status, JSON)."""
    if path == "/":
        return 200, {"current_user_url": "https://api.github.com/user"}
    path, _, query = path.partition("?")
    owner, name, rest = path.removeprefix("/repos/").split("/", 2)
    try:
        repo = access.see(token, hub.repo(f"{owner}/{name}"))
    except Refused:
        return 404, {"message": "Not Found"}
    if rest == "issues" and repo.name.lower() != f"{owner}/{name}".lower():
        return 301, {"message": "Moved Permanently"}
    if rest == "issues":
        return _issues(token, repo, query)
    if rest.startswith("actions/jobs/"):
        return _job(token, repo, int(rest.split("/")[2]))
    if rest.startswith("git/"):
        return _git(hub, token, repo, rest.removeprefix("git/"), json.loads(body) if body else None)
    if rest not in NEEDS or access.role(token, repo) != "admin":
        return 404, {"message": "Not Found"}
    if not access.has(token, NEEDS[rest], "read"):
        return 403, {"message": "Resource not accessible by personal access token"}
    return 200, _found(repo, rest)


def _issues(token: Token, repo: Repo, query: str) -> tuple[int, object]:
    """Issues and pull requests, the newest change first. A list may lag, as GitHub's do."""
    if not access.has(token, "issues", "read"):
        return 403, {"message": "Resource not accessible by personal access token"}
    asked = dict(parse_qsl(query))
    if (asked["state"], asked["sort"], asked["direction"]) != ("all", "updated", "desc"):
        raise AssertionError(f"not asked by anybody so far: {query}")
    there = repo.items.values() if repo.frozen is None else repo.frozen
    newest = sorted(there, key=lambda item: item.updated_at, reverse=True)
    return 200, [
        {"id": item.id, "number": item.number, "title": item.title, "state": item.state,
         "updated_at": item.updated_at.strftime("%Y-%m-%dT%H:%M:%SZ"), "comments": len(item.comments)}
        for item in newest[: int(asked["per_page"])]
    ]


STORE = "/_store/"  # where what is large lies: another host, which is asked without a token


def _job(token: Token, repo: Repo, number: int) -> tuple[int, object]:
    """GitHub sends the reader of a log on to where it lies."""
    if not access.has(token, "actions", "read"):
        return 403, {"message": "Resource not accessible by personal access token"}
    return 302, {"location": f"{STORE}{repo.name}/{number}"}


def stored(hub: Hub, path: str) -> str | None:
    """A log, by the address that `_job` gave."""
    name, _, number = path.removeprefix(STORE).rpartition("/")
    rows = (row for rows in hub.repo(name).earlier_checks.values() for row in rows)
    return next((row.job_log for row in rows if row.database_id == int(number)), None)


def _found(repo: Repo, rest: str) -> object:
    if rest == "actions/permissions/workflow":
        return {
            "default_workflow_permissions": repo.workflow_permissions,
            "can_approve_pull_request_reviews": repo.workflows_approve,
        }
    return {"total_count": 0}


def _git(
    hub: Hub, token: Token, repo: Repo, rest: str, wanted: dict[str, Any] | None
) -> tuple[int, object]:
    """Refs and commits, as GitHub's documentation shows them."""
    if not access.has(token, "contents", "write" if wanted else "read"):
        return 403, {"message": "Resource not accessible by personal access token"}
    if wanted is not None:
        try:
            access.demand_write(token, repo, "createCommit", ("contents",), "write")
        except Refused as refused:
            return 403, {"message": refused.message}
        if not repo.bare.ok("cat-file", "-e", wanted["tree"] + "^{tree}"):
            return 422, {"message": "Tree SHA does not exist"}
        at = int(hub.clock.now().timestamp())
        sha = repo.bare.commit_tree(
            wanted["tree"], tuple(wanted["parents"]), wanted["message"], token.account.login, at
        )
        return 201, _commit(repo, sha)
    if rest.startswith("matching-refs/"):
        start = "refs/" + rest.removeprefix("matching-refs/")
        lines = repo.bare.git("for-each-ref", "--format=%(objectname) %(refname)").splitlines()
        return 200, [
            {"ref": ref, "object": {"sha": sha, "type": "commit"}}
            for sha, ref in (line.split(" ", 1) for line in lines) if ref.startswith(start)
        ]
    sha = rest.removeprefix("commits/")
    if not repo.bare.ok("cat-file", "-e", sha + "^{commit}"):
        return 404, {"message": "Not Found"}
    return 200, _commit(repo, sha)


def _commit(repo: Repo, sha: str) -> dict[str, Any]:
    at, message = repo.bare.git("log", "-1", "--format=%ct%x00%B", sha).split("\0", 1)
    date = datetime.fromtimestamp(int(at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"sha": sha, "message": message.rstrip("\n"), "committer": {"date": date}}
