"""GitHub's mutations: who may, on what, and which act it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.loopback.github import acts
from tests.loopback.github.access import demand_write, for_item, has, role, see
from tests.loopback.github.model import (
    ROLES,
    Account,
    IssueComment,
    Item,
    Label,
    Refused,
    Repo,
    Thread,
)
from tests.loopback.github.resolvers import Context, field

Input = Mapping[str, Any]


def _item(ctx: Context, node_id: str) -> Item:
    item = ctx.hub.node(node_id, Item)
    see(ctx.token, item.repo)
    return item


def _labels(ctx: Context, item: Item, ids: list[str]) -> list[Label]:
    found = [ctx.hub.node(node_id, Label) for node_id in ids]
    if any(label not in item.repo.labels for label in found):
        raise Refused("NOT_FOUND", "Could not resolve to a Label of this repository")
    return found


def _may(ctx: Context, item: Item, name: str, least: str) -> None:
    demand_write(ctx.token, item.repo, name, for_item(ctx.token, item), least)


@field("Mutation", "addLabelsToLabelable")
def _add_labels(_: Any, ctx: Context, input: Input) -> Any:
    item = _item(ctx, input["labelableId"])
    _may(ctx, item, "addLabelsToLabelable", "triage")
    for label in _labels(ctx, item, input["labelIds"]):
        acts.add_label(ctx.hub, ctx.token.account, item, label)
    return {"labelable": item}


@field("Mutation", "removeLabelsFromLabelable")
def _remove_labels(_: Any, ctx: Context, input: Input) -> Any:
    item = _item(ctx, input["labelableId"])
    _may(ctx, item, "removeLabelsFromLabelable", "triage")
    for label in _labels(ctx, item, input["labelIds"]):
        acts.remove_label(ctx.hub, ctx.token.account, item, label)
    return {"labelable": item}


@field("Mutation", "createLabel")
def _create_label(_: Any, ctx: Context, input: Input) -> Any:
    repo = ctx.hub.node(input["repositoryId"], Repo)
    demand_write(ctx.token, repo, "createLabel", ("issues",), "write")
    made = acts.create_label(
        ctx.hub, repo, input["name"], input["color"], input.get("description") or ""
    )
    return {"label": made}


@field("Mutation", "addComment")
def _add_comment(_: Any, ctx: Context, input: Input) -> Any:
    item = _item(ctx, input["subjectId"])
    _may(ctx, item, "addComment", "read")
    return {"commentEdge": {"node": acts.comment(ctx.hub, ctx.token.account, item, input["body"])}}


@field("Mutation", "updateIssueComment")
def _update_comment(_: Any, ctx: Context, input: Input) -> Any:
    made = ctx.hub.node(input["id"], IssueComment)
    own = made.author is ctx.token.account
    _may(ctx, made.item, "updateIssueComment", "read" if own else "write")
    acts.edit_comment(ctx.hub, ctx.token.account, made, input["body"])
    return {"issueComment": made}


@field("Mutation", "addPullRequestReviewThreadReply")
def _reply(_: Any, ctx: Context, input: Input) -> Any:
    thread = ctx.hub.node(input["pullRequestReviewThreadId"], Thread)
    _may(ctx, thread.pull, "addPullRequestReviewThreadReply", "read")
    return {"comment": acts.reply(ctx.hub, ctx.token.account, thread, input["body"])}


@field("Mutation", "addAssigneesToAssignable")
def _assign(_: Any, ctx: Context, input: Input) -> Any:
    item = _item(ctx, input["assignableId"])
    _may(ctx, item, "addAssigneesToAssignable", "triage")
    for node_id in input["assigneeIds"]:
        account = ctx.hub.node(node_id, Account)
        acts.assign(ctx.hub, ctx.token.account, item, account)
    return {"assignable": item}


@field("Mutation", "createIssue")
def _create_issue(_: Any, ctx: Context, input: Input) -> Any:
    repo = ctx.hub.node(input["repositoryId"], Repo)
    demand_write(ctx.token, repo, "createIssue", ("issues",), "read")
    labels = [ctx.hub.node(node_id, Label) for node_id in input.get("labelIds") or ()]
    people = [ctx.hub.node(node_id, Account) for node_id in input.get("assigneeIds") or ()]
    if ROLES.index(role(ctx.token, repo)) < ROLES.index("triage") and ctx.token.kind != "app":
        labels, people = [], []  # left out without a word, as GitHub does
    made = acts.open_issue(
        ctx.hub, ctx.token.account, repo, input["title"], input.get("body") or "", labels, people
    )
    return {"issue": made}


@field("Mutation", "updateIssue")
def _update_issue(_: Any, ctx: Context, input: Input) -> Any:
    return {"issue": _update(ctx, _item(ctx, input["id"]), input, "updateIssue")}


@field("Mutation", "updatePullRequest")
def _update_pull(_: Any, ctx: Context, input: Input) -> Any:
    item = _item(ctx, input["pullRequestId"])
    return {"pullRequest": _update(ctx, item, input, "updatePullRequest")}


def _update(ctx: Context, item: Item, input: Input, name: str) -> Item:
    own = item.author is ctx.token.account
    _may(ctx, item, name, "read" if own else "write")
    if input.get("title") is not None:
        acts.rename(ctx.hub, ctx.token.account, item, input["title"])
    if input.get("body") is not None:
        acts.edit_text(ctx.hub, ctx.token.account, item, input["body"])
    return item


@field("Mutation", "closeIssue")
def _close_issue(_: Any, ctx: Context, input: Input) -> Any:
    return {"issue": _close(ctx, _item(ctx, input["issueId"]), "closeIssue")}


@field("Mutation", "closePullRequest")
def _close_pull(_: Any, ctx: Context, input: Input) -> Any:
    return {"pullRequest": _close(ctx, _item(ctx, input["pullRequestId"]), "closePullRequest")}


def _close(ctx: Context, item: Item, name: str) -> Item:
    own = item.author is ctx.token.account
    _may(ctx, item, name, "read" if own else "triage")
    acts.close(ctx.hub, ctx.token.account, item)
    return item


@field("Mutation", "createPullRequest")
def _create_pull(_: Any, ctx: Context, input: Input) -> Any:
    repo = ctx.hub.node(input["repositoryId"], Repo)
    demand_write(ctx.token, repo, "createPullRequest", ("pull_requests",), "read")
    made = acts.open_pull(
        ctx.hub, ctx.token.account, repo, input["headRefName"], input["baseRefName"],
        input["title"], input.get("body") or "",
    )
    return {"pullRequest": made}


@field("Mutation", "mergePullRequest")
def _merge(_: Any, ctx: Context, input: Input) -> Any:
    pull = _item(ctx, input["pullRequestId"])
    demand_write(
        ctx.token, pull.repo, "mergePullRequest", ("pull_requests", "contents"), "write"
    )
    acts.merge(
        ctx.hub, ctx.token.account, pull, input.get("expectedHeadOid"),
        input.get("mergeMethod") or "MERGE",
    )
    return {"pullRequest": pull}


@field("Mutation", "deleteRef")
def _delete_ref(_: Any, ctx: Context, input: Input) -> Any:
    repo_id, _colon, name = input["refId"].removeprefix("REF_").partition(":")
    repo = ctx.hub.node(repo_id, Repo)
    demand_write(ctx.token, repo, "deleteRef", ("contents",), "write")
    assert has(ctx.token, "contents", "write")
    if name not in repo.bare.tips():
        raise Refused("UNPROCESSABLE", "Reference does not exist")
    acts.delete_branch(ctx.hub, ctx.token.account, repo, name)
    return {"clientMutationId": None}


@field("Mutation", "updateRefs")
def _update_refs(_: Any, ctx: Context, input: Input) -> Any:
    repo = ctx.hub.node(input["repositoryId"], Repo)
    demand_write(ctx.token, repo, "updateRefs", ("contents",), "write")
    acts.update_refs(ctx.hub, ctx.token.account, repo, input["refUpdates"])
    return {"clientMutationId": None}
