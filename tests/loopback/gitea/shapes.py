"""The model as Gitea's JSON, with its habits: null for an empty list, times in the server's zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from tests.loopback.gitea import acts
from tests.loopback.gitea.model import Account, Entry, Hub, Item, Label, Repo, Review, Status

ZONE = timezone(timedelta(hours=9))
GHOST = {"id": -1, "login": "Ghost", "full_name": "", "username": "Ghost"}
ZERO = "0001-01-01T00:00:00Z"


def time(at: datetime | None) -> str | None:
    return at.astimezone(ZONE).isoformat() if at else None


def user(account: Account | None) -> dict[str, Any]:
    if account is None or account.deleted:
        return dict(GHOST)
    return {
        "id": account.id, "login": account.login, "full_name": "", "username": account.login,
        "created": time(datetime(2026, 1, 1, tzinfo=UTC)),
    }


def label(of: Label) -> dict[str, Any]:
    return {
        "id": of.id, "name": of.name, "color": of.color, "description": of.description,
        "exclusive": False, "is_archived": False,
    }


def repository(hub: Hub, of: Repo, viewer: Account) -> dict[str, Any]:
    role = hub.role(viewer, of)
    return {
        "id": of.id, "name": of.name.split("/")[1], "full_name": of.name,
        "private": of.private, "archived": of.archived, "empty": not of.tips(),
        "default_branch": of.default_branch, "default_merge_style": of.merge_style,
        "permissions": {
            "admin": role == "admin", "push": role in ("write", "admin"), "pull": True,
        },
    }


def _meta(of: Repo) -> dict[str, Any]:
    return {
        "id": of.id, "name": of.name.split("/")[1], "owner": of.owner, "full_name": of.name,
    }


def _url(of: Item, kind: str = "") -> str:
    kind = kind or ("pulls" if of.is_pull else "issues")
    return f"https://git.example.invalid/{of.repo.name}/{kind}/{of.number}"


def issue(of: Item) -> dict[str, Any]:
    pull = None
    if of.is_pull:
        pull = {
            "merged": bool(of.merged), "merged_at": time(of.merged), "draft": of.is_draft,
            "html_url": _url(of),
        }
    return {
        "id": of.id, "number": of.number, "html_url": _url(of), "user": user(of.poster),
        "original_author": of.original_author, "original_author_id": 0,
        "title": of.title, "body": of.body, "labels": [label(one) for one in of.labels],
        "assignees": [user(one) for one in of.assignees] or None,
        "state": "open" if of.is_open else "closed", "is_locked": False,
        "comments": sum(entry.kind == "comment" for entry in of.entries),
        "created_at": time(of.created), "updated_at": time(of.updated),
        "closed_at": time(of.closed), "pull_request": pull, "repository": _meta(of.repo),
    }


def pull(of: Item) -> dict[str, Any]:
    head_repo = of.head_repo
    assert head_repo is not None
    tips = head_repo.tips()
    there = not of.agit and of.head_branch in tips
    plain = issue(of)
    del plain["pull_request"], plain["repository"], plain["original_author"]
    del plain["original_author_id"]
    return {
        **plain, "id": of.pull_id, "draft": of.is_draft, "mergeable": acts.mergeable(of),
        "merged": bool(of.merged), "merged_at": time(of.merged),
        "merge_commit_sha": of.merge_sha or None,
        "base": {
            "label": of.base_branch, "ref": of.base_branch, "repo_id": of.repo.id,
            "sha": of.repo.tips().get(of.base_branch, ""), "repo": _meta(of.repo),
        },
        "head": {
            "label": "" if of.agit else of.head_branch,
            "ref": of.head_branch if there else of.head_ref,
            "sha": of.head_sha, "repo_id": head_repo.id, "repo": _meta(head_repo),
        },
    }


def comment(of: Entry, item: Item) -> dict[str, Any]:
    return {
        "id": of.id, "user": user(of.poster), "body": of.body, "created_at": time(of.created),
        "updated_at": time(of.updated), "original_author": of.original_author,
        "original_author_id": 0,
        "issue_url": "" if item.is_pull else _url(item),
        "pull_request_url": _url(item) if item.is_pull else "",
    }


def timeline(of: Entry, item: Item) -> dict[str, Any]:
    plain = comment(of, item)
    del plain["original_author"], plain["original_author_id"]
    return {
        **plain, "type": of.kind, "label": label(of.label) if of.label else None,
        "assignee": user(of.assignee) if of.assignee else None, "removed_assignee": of.removed,
        "review_id": of.review.id if of.review else 0, "old_title": "", "new_title": "",
        "ref_action": "none", "ref_issue": None,
    }


def review(of: Review, item: Item) -> dict[str, Any]:
    lines = sum(entry.kind == "code" and entry.review is of for entry in item.entries)
    return {
        "id": of.id, "user": user(of.reviewer), "team": None, "state": of.state,
        "body": of.content, "commit_id": of.commit, "stale": of.commit != item.head_sha,
        "official": False, "dismissed": of.dismissed, "comments_count": lines,
        "submitted_at": time(of.created), "updated_at": time(of.updated),
    }


def line(of: Entry) -> dict[str, Any]:
    assert of.review is not None
    return {
        "id": of.id, "body": of.body, "user": user(of.poster),
        "resolver": user(of.resolver) if of.resolver else None,
        "pull_request_review_id": of.review.id, "created_at": time(of.created),
        "updated_at": time(of.updated), "path": of.path, "commit_id": of.commit,
        "original_commit_id": "", "position": max(of.line, 0),
        "original_position": max(-of.line, 0),
    }


def status(of: Status) -> dict[str, Any]:
    return {
        "id": of.id, "status": of.state, "context": of.context, "description": of.description,
        "target_url": of.url, "created_at": time(of.created), "updated_at": time(of.created),
    }
