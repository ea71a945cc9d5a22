"""How GitHub's fields of pull requests are answered: heads, merges, reviews, threads, checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.loopback.github import access, acts
from tests.loopback.github.model import CheckRow, Item, Repo, Thread
from tests.loopback.github.resolvers import Context, field, pages


@field("PullRequest", "headRefOid")
def _head_oid(item: Item, ctx: Context) -> str:
    return item.head_sha


@field("PullRequest", "headRepository")
def _head_repository(item: Item, ctx: Context) -> Repo | None:
    return item.head_repo


@field("PullRequest", "mergeable")
def _mergeable(item: Item, ctx: Context) -> str:
    return acts.mergeable(item)


@field("PullRequest", "mergeStateStatus")
def _merge_state(item: Item, ctx: Context) -> str:
    """The few of its words that somebody here asks for."""
    if item.mergeable_after > 0 or item.state != "OPEN":
        return "UNKNOWN"
    return "BLOCKED" if acts.missing_checks(item) else "CLEAN"


@field("PullRequest", "merged")
def _merged(item: Item, ctx: Context) -> bool:
    return item.state == "MERGED"


@field("PullRequest", "mergeCommit")
def _merge_commit(item: Item, ctx: Context) -> dict[str, str] | None:
    return {"oid": item.merge_oid} if item.merge_oid else None


@field("PullRequest", "reviews")
def _reviews(item: Item, ctx: Context, **page: Any) -> dict[str, Any]:
    """A pending review is seen by its author alone."""
    me = ctx.token.account
    return pages([r for r in item.reviews if r.state != "PENDING" or r.author is me], **page)


@field("PullRequest", "reviewThreads")
def _threads(item: Item, ctx: Context, **page: Any) -> dict[str, Any]:
    return pages(item.threads, **page)


@field("PullRequestReviewThread", "comments")
def _lines(thread: Thread, ctx: Context, **page: Any) -> dict[str, Any]:
    return pages(thread.comments, **page)


# ---------------------------------------------------------------- checks


@field("PullRequest", "statusCheckRollup")
def _rollup(item: Item, ctx: Context) -> dict[str, Any] | None:
    access.demand_permission(ctx.token, "statuses", "read")
    rows = item.repo.checks.get(item.head_sha)
    if not rows:
        return None
    states = {row.state for row in rows}
    state = next((s for s in ("FAILURE", "PENDING") if s in states), "SUCCESS")
    return {"state": state, "rows": rows}


@field("Commit", "statusCheckRollup")
def _commit_rollup(commit: Mapping[str, Any], ctx: Context) -> None:
    """Of the default branch: this GitHub keeps checks of pull requests only."""
    access.demand_permission(ctx.token, "statuses", "read")


@field("StatusCheckRollup", "contexts")
def _contexts(rollup: Mapping[str, Any], ctx: Context, **page: Any) -> dict[str, Any]:
    access.demand_permission(ctx.token, "checks", "read")
    return pages(rollup["rows"], **page)


@field("CheckRun", "conclusion")
def _conclusion(row: CheckRow, ctx: Context) -> str | None:
    return None if row.state == "PENDING" else row.state


@field("PullRequest", "commits")
def _commits(item: Item, ctx: Context, **page: Any) -> dict[str, Any]:
    """The newest alone: nobody here asks for more."""
    rows = item.repo.earlier_checks.get(item.head_sha) or []
    commit = {"typename": "Commit", "oid": item.head_sha, "rows": rows}
    return {"nodes": [{"typename": "PullRequestCommit", "commit": commit}]}


@field("Commit", "checkSuites")
def _suites(commit: Mapping[str, Any], ctx: Context, **page: Any) -> dict[str, Any]:
    access.demand_permission(ctx.token, "checks", "read")
    return {"nodes": [{"typename": "CheckSuite", "rows": commit["rows"]}]}


@field("CheckSuite", "checkRuns")
def _runs(
    suite: Mapping[str, Any], ctx: Context, filterBy: Mapping[str, str] | None = None, **page: Any
) -> dict[str, Any]:
    """The latest of each name, unless all are asked for."""
    rows = [row for row in suite["rows"] if row.typename == "CheckRun"]
    if (filterBy or {}).get("checkType") != "ALL":
        rows = list({row.name: row for row in rows}.values())
    return pages(rows, **page)


@field("CheckRun", "annotations")
def _annotations(row: CheckRow, ctx: Context, **page: Any) -> dict[str, Any]:
    found = [
        {"path": path, "message": message, "location": {"start": {"line": line}}}
        for path, line, message in row.notes
    ]
    return pages(found, **page)


@field("CheckRun", "detailsUrl")
def _details(row: CheckRow, ctx: Context) -> str:
    return row.url


@field("CheckRun", "title")
def _title(row: CheckRow, ctx: Context) -> str:
    return row.log


@field("CheckRun", "summary")
def _summary(row: CheckRow, ctx: Context) -> str:
    return ""


@field("StatusContext", "context")
def _context(row: CheckRow, ctx: Context) -> str:
    return row.name


@field("StatusContext", "targetUrl")
def _target(row: CheckRow, ctx: Context) -> str:
    return row.url


@field("StatusContext", "description")
def _description(row: CheckRow, ctx: Context) -> str:
    return row.log
