"""The routes of labels, issues, comments and timelines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.loopback.gitea import acts, shapes
from tests.loopback.gitea.model import Account, Entry, Item, Label, Refused
from tests.loopback.gitea.rest import REPO, Ask, Result, Rows, page, route
from tests.loopback.listening import Answer

# ---------------------------------------------------------------- labels


@route("GET", REPO + "/labels", "issue")
def labels(ask: Ask) -> Result:
    return page(ask, [shapes.label(label) for label in ask.repo.labels])


@route("POST", REPO + "/labels", "issue")
def create_label(ask: Ask) -> Result:
    ask.demand("write")
    color = str(ask.body["color"]).lstrip("#")
    made = acts.create_label(
        ask.hub, ask.repo, ask.body["name"], color, ask.body.get("description", "")
    )
    return shapes.label(made)


def _known(ask: Ask, ids: Sequence[int]) -> list[Label]:
    """Ids that nobody knows are left out without a word."""
    return [label for label in ask.repo.labels if label.id in ids]


@route("POST", REPO + r"/issues/(\d+)/labels", "issue")
def add_labels(ask: Ask) -> Result:
    ask.demand("write", "write permission is required")
    item = ask.item()
    for label in _known(ask, ask.body["labels"]):
        acts.add_label(ask.hub, ask.who, item, label)
    return [shapes.label(label) for label in item.labels]


@route("DELETE", REPO + r"/issues/(\d+)/labels/(\d+)", "issue")
def remove_label(ask: Ask) -> Result:
    ask.demand("write", None)
    found = _known(ask, [ask.number(3)])
    if not found:
        raise Refused(422, f"label does not exist [label_id: {ask.number(3)}]")
    acts.remove_label(ask.hub, ask.who, ask.item(), found[0])
    return None


# ---------------------------------------------------------------- issues


@route("GET", REPO + "/issues", "issue")
def issues(ask: Ask) -> Result:
    """Newest first, whatever was changed: nothing sorts this list by change."""
    since, kind, state = ask.since(), ask.query.get("type"), ask.query.get("state", "open")
    found = [
        item for item in ask.repo.items.values()
        if (state == "all" or item.is_open == (state == "open"))
        and (kind not in ("issues", "pulls") or item.is_pull == (kind == "pulls"))
        and (since is None or item.updated >= since)
    ]
    newest = sorted(found, key=lambda item: (item.created, item.id), reverse=True)
    return page(ask, [shapes.issue(item) for item in newest])


@route("POST", REPO + "/issues", "issue")
def create_issue(ask: Ask) -> Result:
    """Who may not write has labels and assignees left out without a word."""
    accounts = _accounts(ask) if ask.may_write() else []
    wanted = _known(ask, ask.body.get("labels") or []) if ask.may_write() else []
    title, body = ask.body["title"], ask.body.get("body", "")
    return shapes.issue(
        acts.open_issue(ask.hub, ask.who, ask.repo, title, body, wanted, accounts)
    )


def _accounts(ask: Ask) -> list[Account]:
    found = []
    for login in ask.body.get("assignees") or []:
        account = ask.hub.account(login)
        if account is None:
            raise Refused(422, f"Assignee does not exist: [name: {login}]")
        found.append(account)
    return found


@route("GET", REPO + r"/issues/(\d+)", "issue")
def issue(ask: Ask) -> Result:
    return shapes.issue(ask.item())


@route("PATCH", REPO + r"/issues/(\d+)", "issue")
def edit_issue(ask: Ask) -> Result:
    item = ask.item()
    if item.poster is not ask.who and not ask.may_write():
        raise Refused(403, None)
    acts.edit(ask.hub, ask.who, item, ask.body.get("title", ""), ask.body.get("body"))
    if "assignees" in ask.body and ask.may_write():
        wanted = _accounts(ask)
        for account in [a for a in item.assignees if a not in wanted]:
            acts.unassign(ask.hub, ask.who, item, account)
        for account in wanted:
            acts.assign(ask.hub, ask.who, item, account)
    if ask.body.get("state") == "closed":
        acts.close(ask.hub, ask.who, item)
    elif ask.body.get("state") == "open":
        acts.reopen(ask.hub, ask.who, item)
    return shapes.issue(item)


@route("POST", REPO + r"/issues/(\d+)/assignees", "issue")
def add_assignees(ask: Ask) -> Result:
    if ask.hub.flavour != "gitea":
        raise Refused(405, None)
    ask.demand("write", None)
    item = ask.item()
    for account in _accounts(ask):
        acts.assign(ask.hub, ask.who, item, account)
    return shapes.issue(item)


@route("GET", REPO + r"/issues/(\d+)/dependencies", "issue")
def dependencies(ask: Ask) -> Result:
    if not ask.repo.dependencies:
        raise Refused(404, "not found")
    return page(ask, [shapes.issue(item) for item in ask.item().blockers], counted=False)


# ---------------------------------------------------------------- comments and timelines


def _comments(item: Item) -> list[Entry]:
    return [entry for entry in item.entries if entry.kind == "comment"]


@route("GET", REPO + r"/issues/(\d+)/comments", "issue")
def comments(ask: Ask) -> Result:
    """All of them: this list has no pages."""
    item = ask.item()
    found = [shapes.comment(entry, item) for entry in _comments(item)]
    return Rows(found, len(found))


@route("POST", REPO + r"/issues/(\d+)/comments", "issue")
def comment(ask: Ask) -> Result:
    item = ask.item()
    return shapes.comment(acts.comment(ask.hub, ask.who, item, ask.body["body"]), item)


@route("GET", REPO + "/issues/comments", "issue")
def all_comments(ask: Ask) -> Result:
    since = ask.since()
    found = [
        (entry, item) for item in ask.repo.items.values() for entry in _comments(item)
        if since is None or entry.updated >= since
    ]
    ordered = sorted(found, key=lambda pair: (pair[0].created, pair[0].id))
    return page(ask, [shapes.comment(entry, item) for entry, item in ordered])


@route("PATCH", REPO + r"/issues/comments/(\d+)", "issue")
def edit_comment(ask: Ask) -> Result:
    item, entry = ask.hub.entry(ask.repo, ask.number(2))
    if entry.poster is not ask.who and not ask.may_write():
        raise Refused(403, None)
    if entry.kind not in ("comment", "code", "review"):
        return None
    acts.edit_comment(ask.hub, entry, ask.body["body"])
    return shapes.comment(entry, item)


@route("GET", REPO + r"/issues/(\d+)/timeline", "issue")
def timeline(ask: Ask) -> Result:
    """Paged first and sieved then; the count is of what is left, and an empty page is null."""
    item = ask.item()
    ordered = sorted(item.entries, key=lambda entry: (entry.created, entry.id))
    rows: list[Any] = [
        shapes.timeline(entry, item) for entry in page(ask, ordered).rows
        if entry.kind != "code" and not entry.elsewhere
    ]
    if not rows:
        return Answer(200, b"null", {"x-total-count": "0"})
    return Rows(rows, len(rows))
