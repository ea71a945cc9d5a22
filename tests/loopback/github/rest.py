"""The few addresses of GitHub's REST API that tell what a token may do."""

from __future__ import annotations

from tests.loopback.github import access
from tests.loopback.github.model import Hub, Refused, Repo, Token

# What an address needs: a permission of a fine-grained token or an App; of others, an administrator.
NEEDS = {
    "actions/secrets": "secrets",
    "hooks": "webhooks",
    "keys": "administration",
    "actions/permissions/workflow": "administration",
}


def answer(hub: Hub, token: Token, path: str) -> tuple[int, object]:
    """(status, JSON)."""
    if path == "/":
        return 200, {"current_user_url": "https://api.github.com/user"}
    owner, name, rest = path.removeprefix("/repos/").split("/", 2)
    try:
        repo = access.see(token, hub.repo(f"{owner}/{name}"))
    except Refused:
        return 404, {"message": "Not Found"}
    if rest not in NEEDS or access.role(token, repo) != "admin":
        return 404, {"message": "Not Found"}
    if not access.has(token, NEEDS[rest], "read"):
        return 403, {"message": "Resource not accessible by personal access token"}
    return 200, _found(repo, rest)


def _found(repo: Repo, rest: str) -> object:
    if rest == "actions/permissions/workflow":
        return {
            "default_workflow_permissions": repo.workflow_permissions,
            "can_approve_pull_request_reviews": repo.workflows_approve,
        }
    return {"total_count": 0}
