"""Who may see and do what: the role of the account, cut down by what its token was given."""

from __future__ import annotations

from tests.loopback.github.model import ROLES, Item, Refused, Repo, Token

LEVELS = ("none", "read", "write")


def role(token: Token, repo: Repo) -> str:
    given = repo.roles.get(token.account.id, "none")
    return "read" if given == "none" and not repo.private else given


def visible(token: Token, repo: Repo) -> bool:
    if token.repos is not None and repo.name not in token.repos:
        return token.kind == "fine" and not repo.private
    return role(token, repo) != "none"


def see(token: Token, repo: Repo) -> Repo:
    """Raises what GitHub answers about a repository that is not for this token."""
    if not visible(token, repo):
        raise Refused(
            "NOT_FOUND", f"Could not resolve to a Repository with the name '{repo.name}'."
        )
    if repo.owner in token.without_sso:
        raise Refused(
            "FORBIDDEN",
            "Resource protected by organization SAML enforcement. You must grant your Personal "
            "Access token access to this organization.",
            saml_failure=True,
        )
    return repo


def has(token: Token, permission: str, level: str) -> bool:
    """What the token was given, whatever its account may do."""
    if token.kind == "classic":
        return True
    if permission == "checks" and token.kind == "fine":
        return False  # there is no such permission
    return LEVELS.index(token.permissions.get(permission, "none")) >= LEVELS.index(level)


def demand_permission(token: Token, permission: str, level: str) -> None:
    if not has(token, permission, level):
        kind = "integration" if token.kind == "app" else "personal access token"
        raise Refused("FORBIDDEN", f"Resource not accessible by {kind}")


def demand_write(
    token: Token, repo: Repo, field: str, permissions: tuple[str, ...], least: str
) -> None:
    """For a mutation: the token's scopes and permissions, the account's role, the repository."""
    see(token, repo)
    if token.kind == "classic" and "repo" not in token.scopes:
        raise Refused(
            "INSUFFICIENT_SCOPES",
            "Your token has not been granted the required scopes to execute this query. "
            f"The '{field}' field requires one of the following scopes: ['public_repo', 'repo'], "
            f"but your token has only been granted the: {sorted(token.scopes)} scopes.",
        )
    for permission in permissions:
        demand_permission(token, permission, "write")
    if token.kind != "app" and ROLES.index(role(token, repo)) < ROLES.index(least):
        raise Refused(
            "FORBIDDEN",
            f"{token.account.login} does not have the correct permissions to execute "
            f"`{field[0].upper()}{field[1:]}`",
        )
    if repo.archived:
        raise Refused("FORBIDDEN", "Repository was archived so is read-only.")


def for_item(token: Token, item: Item) -> tuple[str, ...]:
    """An App needs both for a pull request; a person's token needs the one of the item."""
    if not item.is_pull:
        return ("issues",)
    return ("issues", "pull_requests") if token.kind == "app" else ("pull_requests",)
