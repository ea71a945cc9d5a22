"""How GitHub's fields are answered from the model. A field without a line here is an attribute."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from tests.loopback.github import access
from tests.loopback.github.cost import Cost
from tests.loopback.github.model import (
    Account,
    Event,
    Hub,
    Item,
    Refused,
    Repo,
    ReviewComment,
    Text,
    Thread,
    Token,
)

FIELDS: dict[tuple[str, str], Callable[..., Any]] = {}


@dataclass
class Context:
    hub: Hub
    token: Token
    cost: Cost


def field(kinds: str, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def keep(function: Callable[..., Any]) -> Callable[..., Any]:
        for kind in kinds.split():
            FIELDS[kind, name] = function
        return function

    return keep


def resolve(source: Any, info: Any, **args: Any) -> Any:
    """graphql-core's field resolver."""
    name = info.field_name
    function = FIELDS.get((info.parent_type.name, name))
    if function is not None:
        value = function(source, info.context, **args)
    elif isinstance(source, Mapping):
        value = source.get(name)
    else:
        value = getattr(source, snake(name))
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    return value


@cache
def snake(name: str) -> str:
    return re.sub(r"([A-Z])", r"_\1", name).lower()


def type_of(value: Any, info: Any, abstract: Any) -> str:
    return str(value["typename"] if isinstance(value, Mapping) else value.typename)


def pages(
    items: Sequence[Any], first: int | None = None, after: str | None = None,
    last: int | None = None, before: str | None = None, **_: Any,
) -> dict[str, Any]:
    """One page of a connection. Cursors are opaque, as GitHub's are."""
    start = int(base64.b64decode(after).decode()[7:]) if after else 0
    end = int(base64.b64decode(before).decode()[7:]) - 1 if before else len(items)
    if first is not None:
        end = min(end, start + first)
    elif last is not None:
        start = max(start, end - last)
    shown = items[start:end]
    return {
        "nodes": shown,
        "totalCount": len(items),
        "pageInfo": {
            "hasNextPage": end < len(items), "hasPreviousPage": start > 0,
            "endCursor": _cursor(end) if shown else None,
            "startCursor": _cursor(start + 1) if shown else None,
        },
    }


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:{position}".encode()).decode()


# ---------------------------------------------------------------- query roots


@field("Query", "rateLimit")
def _rate_limit(_: Any, ctx: Context) -> dict[str, Any]:
    token = ctx.token
    return {
        "cost": ctx.cost.points, "limit": token.limit, "used": token.used,
        "remaining": token.limit - token.used, "nodeCount": ctx.cost.nodes,
        "resetAt": token.window,
    }


@field("Query", "viewer")
def _viewer(_: Any, ctx: Context) -> dict[str, Any]:
    """An App's own login has the suffix here, and only here."""
    account = ctx.token.account
    suffix = "[bot]" if account.typename == "Bot" else ""
    return {"id": account.id, "login": account.login + suffix, "typename": "User"}


@field("Query", "user")
def _user(_: Any, ctx: Context, login: str) -> Account:
    account = ctx.hub.account(login)
    if account.typename != "User":
        raise Refused("NOT_FOUND", f"Could not resolve to a User with the login of '{login}'.")
    return account


@field("Query", "repository")
def _repository(_: Any, ctx: Context, owner: str, name: str) -> Repo:
    return access.see(ctx.token, ctx.hub.repo(f"{owner}/{name}"))


@field("Query", "node")
def _node(_: Any, ctx: Context, id: str) -> object:
    found = ctx.hub.node(id, object)
    home = _home(found)
    if home is not None and not access.visible(ctx.token, home):
        raise Refused("NOT_FOUND", f"Could not resolve to a node with the global id of '{id}'")
    return found


@field("Query", "nodes")
def _nodes(_: Any, ctx: Context, ids: Sequence[str]) -> list[object]:
    """One that is not there is null, with an error at its place; the others are told."""
    if len(ids) > 100:
        raise Refused("ARGUMENT_LIMIT", "You may not provide more than 100 node ids")
    return [_node_or_refusal(ctx, node_id) for node_id in ids]


def _node_or_refusal(ctx: Context, node_id: str) -> object:
    try:
        return _node(None, ctx, node_id)
    except Refused as refused:
        return refused


def _home(node: object) -> Repo | None:
    if isinstance(node, Thread):
        return node.pull.repo
    if isinstance(node, ReviewComment):
        return node.thread.pull.repo
    item = getattr(node, "item", node)
    return item.repo if isinstance(item, Item) else None


# ---------------------------------------------------------------- repositories


@field("Repository", "nameWithOwner")
def _name(repo: Repo, ctx: Context) -> str:
    return repo.name


@field("Repository", "isArchived")
def _archived(repo: Repo, ctx: Context) -> bool:
    return repo.archived


@field("Repository", "isEmpty")
def _empty(repo: Repo, ctx: Context) -> bool:
    return not repo.bare.tips()


@field("Repository", "hasIssuesEnabled")
def _issues_enabled(repo: Repo, ctx: Context) -> bool:
    return repo.issues_enabled


@field("Repository", "isPrivate")
def _private(repo: Repo, ctx: Context) -> bool:
    return repo.private


@field("Repository", "viewerPermission")
def _permission(repo: Repo, ctx: Context) -> str:
    return access.role(ctx.token, repo).upper()


@field("Repository", "viewerDefaultMergeMethod")
def _merge_method(repo: Repo, ctx: Context) -> str:
    return repo.merge_method


@field("Repository", "defaultBranchRef")
def _default_branch(repo: Repo, ctx: Context) -> Any:
    return _ref(repo, ctx, f"refs/heads/{repo.default_branch}")


@field("Repository", "ref")
def _ref(repo: Repo, ctx: Context, qualifiedName: str) -> dict[str, Any] | None:
    access.demand_permission(ctx.token, "contents", "read")
    name = qualifiedName.removeprefix("refs/heads/")
    sha = repo.bare.tips().get(name)
    return _ref_node(repo, name, sha) if sha else None


def _ref_node(repo: Repo, name: str, sha: str) -> dict[str, Any]:
    return {
        "typename": "Ref", "id": f"REF_{repo.id}:{name}", "name": name, "prefix": "refs/heads/",
        "target": {"typename": "Commit", "oid": sha, "bare": repo.bare},
    }


@field("Commit", "tree")
def _tree(commit: dict[str, Any], ctx: Context) -> dict[str, Any]:
    oid = commit["bare"].git("rev-parse", f"{commit['oid']}^{{tree}}")
    return {"typename": "Tree", "oid": oid, "id": f"T_{oid}"}


@field("Repository", "refs")
def _refs(repo: Repo, ctx: Context, refPrefix: str, **page: Any) -> dict[str, Any]:
    access.demand_permission(ctx.token, "contents", "read")
    found = [
        _ref_node(repo, name, sha) for name, sha in sorted(repo.bare.tips().items())
        if f"refs/heads/{name}".startswith(refPrefix)
    ]
    return pages(found, **page)


@field("Repository", "labels")
def _repo_labels(repo: Repo, ctx: Context, **page: Any) -> dict[str, Any]:
    return pages(repo.labels, **page)


@field("Repository", "issues")
def _issues(repo: Repo, ctx: Context, states: Sequence[str] | None = None, **page: Any) -> Any:
    access.demand_permission(ctx.token, "issues", "read")
    found = _newest_first(i for i in repo.listed() if not i.is_pull and _in(i, states))
    return pages(found, **page)


@field("Repository", "pullRequests")
def _pulls(
    repo: Repo, ctx: Context, states: Sequence[str] | None = None,
    headRefName: str | None = None,
    orderBy: Mapping[str, str] | None = None,
    **page: Any,
) -> dict[str, Any]:
    access.demand_permission(ctx.token, "pull_requests", "read")
    found = _newest_first(
        i for i in repo.listed()
        if i.is_pull and _in(i, states) and headRefName in (None, i.head_ref_name)
    )
    if (orderBy or {}).get("field") == "CREATED_AT":
        found.sort(key=lambda item: (item.created_at, item.number), reverse=True)
    return pages(found, **page)


def _in(item: Item, states: Sequence[str] | None) -> bool:
    return not states or item.state in states


def _newest_first(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (item.updated_at, item.number), reverse=True)


@field("Repository", "issueOrPullRequest")
def _item(repo: Repo, ctx: Context, number: int) -> Item:
    item = ctx.hub.item(repo.name, number)
    needed = "pull_requests" if item.is_pull else "issues"
    access.demand_permission(ctx.token, needed, "read")
    return item


# ---------------------------------------------------------------- texts and accounts


@field("Issue PullRequest IssueComment PullRequestReview PullRequestReviewComment", "author")
def _author(text: Text, ctx: Context) -> Account | None:
    return _shown(text.author)


@field("LabeledEvent UnlabeledEvent AssignedEvent UnassignedEvent ClosedEvent ReopenedEvent "
       "RenamedTitleEvent TransferredEvent MergedEvent", "actor")
def _actor(event: Event, ctx: Context) -> Account | None:
    return _shown(event.actor)


@field("UserContentEdit", "editor")
def _editor(edit: Any, ctx: Context) -> Account | None:
    return _shown(edit.editor)


def _shown(account: Account | None) -> Account | None:
    """A deleted account is null everywhere: GitHub's web pages show a ghost."""
    return None if account is None or account.deleted else account


@field("Issue PullRequest IssueComment PullRequestReview PullRequestReviewComment",
       "userContentEdits")
def _edits(text: Text, ctx: Context, **page: Any) -> dict[str, Any]:
    return pages(text.edits[::-1], **page)


@field("PullRequestReview PullRequestReviewComment", "commit")
def _commit(text: Any, ctx: Context) -> dict[str, str] | None:
    return {"oid": text.commit_oid} if text.commit_oid else None


# ---------------------------------------------------------------- items


@field("Issue PullRequest", "repository")
def _item_repository(item: Item, ctx: Context) -> Repo:
    return item.repo


@field("Issue PullRequest", "labels")
def _labels(item: Item, ctx: Context, **page: Any) -> dict[str, Any]:
    return pages(item.labels, **page)


@field("Issue PullRequest", "assignees")
def _assignees(item: Item, ctx: Context, **page: Any) -> dict[str, Any]:
    return pages([account for account in item.assignees if not account.deleted], **page)


@field("Issue PullRequest", "comments")
def _comments(
    item: Item, ctx: Context, orderBy: Mapping[str, str] | None = None, **page: Any
) -> dict[str, Any]:
    """In the order of their writing, or of their last change."""
    if orderBy is None or not ctx.hub.orders_comments:
        return pages(item.comments, **page)
    found = item.comments if item.changes is None else item.changes
    places = sorted(range(len(found)), key=lambda place: (found[place].updated_at, place))
    return pages([found[p] for p in places[:: -1 if orderBy["direction"] == "DESC" else 1]], **page)


@field("Issue PullRequest", "timelineItems")
def _timeline(
    item: Item, ctx: Context, itemTypes: Sequence[str] = (), **page: Any
) -> dict[str, Any]:
    wanted = [e for e in item.events if snake(e.typename)[1:].upper() in itemTypes]
    return {**pages(wanted, **page), "filteredCount": len(wanted)}


@field("Issue", "closedByPullRequestsReferences")
def _closed_by(item: Item, ctx: Context, includeClosedPrs: bool = False, **page: Any) -> Any:
    pulls = [
        p for p in item.repo.items.values()
        if p.is_pull and item.number in p.closes() and (includeClosedPrs or p.state == "OPEN")
    ]
    return pages(pulls, **page)


@field("PullRequest", "closingIssuesReferences")
def _closing(item: Item, ctx: Context, **page: Any) -> dict[str, Any]:
    return pages([item.repo.items[number] for number in item.closes()], **page)
