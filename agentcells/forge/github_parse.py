"""GitHub's answers as our types: reply -> Item, Row, Account. No I/O.

A null where something was promised raises Partial: it is never taken for "none" (R21).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from agentcells.forge import Partial
from agentcells.model import (
    Account,
    AccountKind,
    Check,
    CheckState,
    Comment,
    Edit,
    Event,
    EventKind,
    Item,
    Label,
    PullFacts,
    Row,
    Sha,
)

Node: TypeAlias = Mapping[str, Any]

GHOST = Account(id="", login="ghost", kind="ghost")
ABOUT_CHARS = 2_000  # of what a check says of itself
LOG_CHARS = 20_000  # of the log behind it; its end is what says why


def partial(what: str) -> Partial:
    return Partial("github_partial", repo="-", operation="-", detail=what, request_id="")


def nodes(connection: object, what: str) -> tuple[Node, ...]:
    """All nodes of a connection. Raises Partial when it, or one of them, is null."""
    found = connection.get("nodes") if isinstance(connection, Mapping) else None
    if not isinstance(found, Sequence) or any(not isinstance(node, Mapping) for node in found):
        raise partial(what)
    return tuple(found)


def next_page(connection: Node, what: str) -> str | None:
    """The cursor of the next page, None when this is the last."""
    info = connection.get("pageInfo")
    if not isinstance(info, Mapping):
        raise partial(what)
    if not info.get("hasNextPage"):
        return None
    cursor = info.get("endCursor")
    if not isinstance(cursor, str) or not cursor:
        raise partial(what)
    return cursor


def only_page(connection: object, what: str) -> tuple[Node, ...]:
    """All nodes of a connection that must fit in one page."""
    found = nodes(connection, what)
    assert isinstance(connection, Mapping)
    if next_page(connection, what) is not None:
        raise partial(what)
    return found


def time(value: object, what: str = "a time") -> datetime:
    if not isinstance(value, str):
        raise partial(what)
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise partial(what) from None


# ---------------------------------------------------------------- accounts and labels


_KINDS: dict[str, AccountKind] = {"User": "user", "Bot": "bot"}


@dataclass(frozen=True, slots=True)
class Names:
    """Who we are, to know ourselves again.

    The login of an App is "name[bot]" as the viewer and "name" as an author. Where the ids differ
    too, a bot of exactly our name is us: names of Apps are unique, and nobody else is a Bot.
    """

    viewer: Account | None = None

    def account(self, node: object) -> Account | None:
        """None: a deleted account, which GitHub shows as null."""
        if not isinstance(node, Mapping):
            return None
        kind = _KINDS.get(node.get("__typename", "User"), "other")
        login = bare_login(node["login"])
        me = self.viewer
        if me and kind == me.kind == "bot" and login == me.login:
            return me
        return Account(id=node.get("id", ""), login=login, kind=kind)


def bare_login(login: str) -> str:
    return login.removesuffix("[bot]")


def viewer(node: object) -> Account:
    if not isinstance(node, Mapping) or not node.get("id"):
        raise partial("viewer")
    bot = node.get("__typename") == "Bot" or node["login"].endswith("[bot]")
    return Account(id=node["id"], login=bare_login(node["login"]), kind="bot" if bot else "user")


def label(node: Node) -> Label:
    return Label(id=node["id"], name=node["name"])


def labels(connection: object) -> tuple[Label, ...]:
    return tuple(label(node) for node in only_page(connection, "labels"))


def state(node: Node) -> Literal["open", "closed", "merged"]:
    """Issues and pull requests have two types of state, so each has its own name in the answer."""
    found = _STATES.get(node.get("issueState") or node.get("pullState") or "")
    if found is None:
        raise partial("state")
    return found


_STATES: dict[str, Literal["open", "closed", "merged"]] = {
    "OPEN": "open", "CLOSED": "closed", "MERGED": "merged",
}


# ---------------------------------------------------------------- rows of a listing


def issue_row(repo: str, node: Node, names: Names) -> Row:
    author = names.account(node.get("author"))
    return Row(
        repo=repo, kind="issue", number=node["number"], id=node["id"], title=node["title"],
        state=state(node), labels=labels(node.get("labels")), updated_at=time(node["updatedAt"]),
        author_id=author.id if author else "",
    )


def pull_row(repo: str, repo_id: str, node: Node, names: Names) -> Row:
    author = names.account(node.get("author"))
    # The branch of a fork may have any name: it is none of ours (R10).
    head = "" if node["isCrossRepository"] else node["headRefName"]
    return Row(
        repo=repo, kind="pull_request", number=node["number"], id=node["id"], title=node["title"],
        state=state(node), labels=labels(node.get("labels")), updated_at=time(node["updatedAt"]),
        author_id=author.id if author else "", head_ref=head,
        closes=_numbers(nodes(node.get("closingIssuesReferences"), "closing references"), repo_id),
    )


def _numbers(found: Iterable[Node], repo_id: str) -> tuple[int, ...]:
    """Numbers of those in this very repository."""
    return tuple(dict.fromkeys(
        node["number"] for node in found if (node.get("repository") or {}).get("id") == repo_id
    ))


# ---------------------------------------------------------------- one item, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """All pages of one item, still as GitHub's nodes. `edits`: by the id of the text."""

    head: Node  # title, body, state, labels, assignees, facts of a pull request
    comments: tuple[Node, ...] = ()
    kept: Mapping[str, Comment] = field(default_factory=dict)  # comments known before, by id
    talk_at: datetime | None = None
    events: tuple[Node, ...] = ()
    links: tuple[Node, ...] = ()
    reviews: tuple[Node, ...] = ()
    threads: tuple[tuple[Node, tuple[Node, ...]], ...] = ()
    contexts: tuple[Node, ...] = ()
    passed_before: frozenset[str] = frozenset()  # checks, on the same commit
    check_words: Mapping[str, str] = field(default_factory=dict)  # by the id of the failed run
    edits: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)

    def texts(self) -> tuple[Node, ...]:
        """Everything that can be edited."""
        lines = (line for _, lines in self.threads for line in lines)
        return (self.head, *self.comments, *self.reviews, *lines)


def item(repo: str, repo_id: str, whole: Whole, names: Names) -> Item:
    head = whole.head
    is_issue = head["__typename"] == "Issue"
    events = tuple(
        sorted((_event(node, names) for node in whole.events), key=lambda event: event.at)
    )
    # One that is known keeps its place: those of one second stand in the order of their writing.
    talk = {**whole.kept, **{node["id"]: _comment(node, whole, names) for node in whole.comments}}
    spoken = (
        *talk.values(),
        *(_review(node, whole, names) for node in whole.reviews if node["state"] != "PENDING"),
        *(
            _line(node, thread, whole, names)
            for thread, lines in whole.threads for node in lines
            if node["commentState"] != "PENDING"
        ),
    )
    numbers = _numbers((n for n in whole.links if n.get("state", "OPEN") == "OPEN"), repo_id)
    return Item(
        repo=repo, kind="issue" if is_issue else "pull_request", number=head["number"],
        id=head["id"], title=head["title"], body=head["body"],
        author=names.account(head.get("author")), state=state(head),
        created_at=time(head["createdAt"]), updated_at=time(head["updatedAt"]),
        closed_at=time(head["closedAt"]) if head.get("closedAt") else None,
        labels=labels(head.get("labels")),
        assignees=_present(map(names.account, only_page(head.get("assignees"), "assignees"))),
        comments=tuple(sorted(spoken, key=lambda comment: comment.created_at)), events=events,
        edits=_item_edits(whole, events, names),
        pull=None if is_issue else _pull(whole, repo_id, numbers), url=head["url"],
        closed_by=numbers if is_issue else (), talk_at=whole.talk_at,
    )


def _present(accounts: Iterable[Account | None]) -> tuple[Account, ...]:
    return tuple(account for account in accounts if account is not None)


def _item_edits(whole: Whole, events: Sequence[Event], names: Names) -> tuple[Edit, ...]:
    """Of body and title: GitHub keeps the second kind as events."""
    renamed = (
        Edit(at=event.at, editor=event.actor or GHOST)
        for event in events if event.kind == "renamed"
    )
    edits = (*_edits(whole.head, whole, names), *renamed)
    return tuple(sorted(edits, key=lambda edit: edit.at))


def _edits(text: Node, whole: Whole, names: Names) -> tuple[Edit, ...]:
    """Oldest first. A deleted editor is a ghost, not "the forge does not say"."""
    edits = sorted(
        (
            Edit(at=time(node["editedAt"]), editor=names.account(node.get("editor")) or GHOST)
            for node in whole.edits.get(text["id"], ())
        ),
        key=lambda edit: edit.at,
    )
    author = names.account(text.get("author")) or GHOST
    # GitHub puts the writing itself first into the history of edits.
    written = time(text["createdAt"]) + timedelta(seconds=1)
    if edits and edits[0].editor == author and edits[0].at < written:
        edits = edits[1:]
    return tuple(edits)


def comment(node: Node, names: Names) -> Comment:
    """A comment as GitHub gives it back just after it was written."""
    return _comment(node, Whole(head=node), names)


def _comment(node: Node, whole: Whole, names: Names) -> Comment:
    return Comment(
        id=node["id"], author=names.account(node.get("author")), body=node["body"],
        created_at=time(node["createdAt"]), updated_at=time(node["updatedAt"]),
        edits=_edits(node, whole, names), by_email=bool(node.get("createdViaEmail")),
    )


_VERDICTS: dict[str, Literal["approved", "changes_requested", "commented", "dismissed"]] = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "changes_requested",
    "COMMENTED": "commented",
    "DISMISSED": "dismissed",
}


def _review(node: Node, whole: Whole, names: Names) -> Comment:
    if node["state"] not in _VERDICTS:
        raise partial("state of a review")
    return Comment(
        id=node["id"], author=names.account(node.get("author")), body=node["body"],
        created_at=time(node.get("submittedAt") or node["createdAt"]),
        updated_at=time(node["updatedAt"]), kind="review", edits=_edits(node, whole, names),
        by_email=bool(node.get("createdViaEmail")), verdict=_VERDICTS[node["state"]],
        commit=(node.get("commit") or {}).get("oid", ""),
    )


def _line(node: Node, thread: Node, whole: Whole, names: Names) -> Comment:
    return Comment(
        id=node["id"], author=names.account(node.get("author")), body=node["body"],
        created_at=time(node["createdAt"]), updated_at=time(node["updatedAt"]), kind="thread",
        edits=_edits(node, whole, names), by_email=bool(node.get("createdViaEmail")),
        path=thread["path"], line=thread.get("line"), thread_id=thread["id"],
        resolved=bool(thread["isResolved"]), commit=(node.get("commit") or {}).get("oid", ""),
    )


# ---------------------------------------------------------------- events


_EVENTS: dict[str, EventKind] = {
    "LabeledEvent": "labeled",
    "UnlabeledEvent": "unlabeled",
    "AssignedEvent": "assigned",
    "UnassignedEvent": "unassigned",
    "ClosedEvent": "closed",
    "ReopenedEvent": "reopened",
    "RenamedTitleEvent": "renamed",
    "TransferredEvent": "transferred",
    "MergedEvent": "merged",
}


def _event(node: Node, names: Names) -> Event:
    kind = _EVENTS.get(node["__typename"])
    if kind is None:
        raise partial("kind of an event")
    if kind in ("labeled", "unlabeled") and not node.get("label"):
        raise partial("label of an event")
    return Event(
        id=node["id"], kind=kind, at=time(node["createdAt"]),
        actor=names.account(node.get("actor")),
        label=label(node["label"]) if node.get("label") else None,
        assignee=names.account(node.get("assignee")),
    )


# ---------------------------------------------------------------- pull requests


_MERGEABLE: dict[str, bool] = {"MERGEABLE": True, "CONFLICTING": False}


def _pull(whole: Whole, repo_id: str, closes: tuple[int, ...]) -> PullFacts:
    head = whole.head
    rollup = head.get("rollup")
    single = [_check(node, whole) for node in whole.contexts]
    same = not head["isCrossRepository"] and (head.get("headRepository") or {}).get("id") == repo_id
    return PullFacts(
        head_ref=head["headRefName"], head_sha=Sha(head["headRefOid"]),
        base_ref=head["baseRefName"], same_repository=same, closes=closes,
        draft=bool(head["isDraft"]),
        merged_at=time(head["mergedAt"]) if head.get("mergedAt") else None,
        merge_sha=(head.get("mergeCommit") or {}).get("oid", ""),
        mergeable=_MERGEABLE.get(head["mergeable"]),
        checks=checks(rollup),
        failed_checks=tuple(check for check in single if check.state == "failure"),
        passed_checks=tuple(check.name for check in single if check.state == "success"),
        flaky_checks=tuple(
            check.name for check in single
            if check.state == "failure" and check.name in whole.passed_before
        ),
        blocked=head.get("mergeStateStatus") == "BLOCKED",
    )


_ROLLUP: dict[str, CheckState] = {
    "SUCCESS": "success",
    "FAILURE": "failure",
    "ERROR": "failure",
    "PENDING": "pending",
    "EXPECTED": "pending",
}


def checks(rollup: object) -> CheckState:
    """Of a head commit. Null is GitHub's word for "there are none"; an error never gets here."""
    if rollup is None:
        return "none"
    found = _ROLLUP.get(rollup["state"]) if isinstance(rollup, Mapping) else None
    if found is None:
        raise partial("state of the checks")
    return found


FAILED = frozenset({
    "FAILURE", "ERROR", "TIMED_OUT", "CANCELLED", "ACTION_REQUIRED", "STARTUP_FAILURE",
})
PASSED = frozenset({"SUCCESS", "NEUTRAL"})


def _check(node: Node, whole: Whole) -> Check:
    if node["__typename"] == "StatusContext":
        result = node["contextState"]
        name, url, log = node["context"], node.get("targetUrl"), node.get("description")
    else:
        result = node.get("conclusion")
        name, url = node["name"], node.get("detailsUrl")
        about = "\n".join(part for part in (node.get("title"), node.get("summary")) if part)
        parts = (about[:ABOUT_CHARS], whole.check_words.get(node["id"]))
        log = "\n".join(part for part in parts if part)
    # What was skipped has neither failed nor passed; of what still runs the sum of the checks tells.
    state: CheckState = "failure" if result in FAILED else "none"
    if result in PASSED:
        state = "success"
    return Check(name=name, state=state, url=url or "", log=log or "")
