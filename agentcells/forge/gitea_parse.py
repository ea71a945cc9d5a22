"""Gitea's answers as our types: JSON -> Item, Row. No I/O. What is missing raises Partial (R21)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from agentcells.forge.closing import closing_numbers
from agentcells.forge.gitea_json import (
    Node,
    account,
    accounts,
    author,
    label,
    labels,
    maybe_time,
    node,
    number,
    partial,
    text,
    time,
)
from agentcells.model import (
    Account,
    Check,
    CheckState,
    Comment,
    Event,
    EventKind,
    Item,
    PullFacts,
    Row,
    Sha,
)

State: TypeAlias = Literal["open", "closed", "merged"]

LOG_CHARS = 2000


# ---------------------------------------------------------------- rows of a listing


def item_id(repo_id: int, index: int) -> str:
    """An issue and its pull request have two ids in Gitea, and no answer shows both."""
    return f"{repo_id}#{index}"


def is_pull(issue: Node) -> bool:
    return issue.get("pull_request") is not None


def state(of: Node) -> State:
    """Of an issue, or of a pull request in either of its two forms."""
    inner = of.get("pull_request")
    if of.get("merged") is True or (isinstance(inner, Mapping) and inner.get("merged") is True):
        return "merged"
    match of.get("state"):
        case "open":
            return "open"
        case "closed":
            return "closed"
        case _:
            raise partial("state")


def issue_row(repo: str, issue: Node) -> Row:
    return Row(
        repo=repo, kind="issue", number=number(issue, "number"),
        id=item_id(number(node(issue.get("repository"), "repository"), "id"), issue["number"]),
        title=text(issue, "title"), state=state(issue), labels=labels(issue),
        updated_at=time(issue, "updated_at"), author_id=_id(author(issue)),
    )


def pull_row(repo: str, pull: Node) -> Row:
    return Row(
        repo=repo, kind="pull_request", number=number(pull, "number"),
        id=item_id(_base_repo(pull), pull["number"]), title=text(pull, "title"), state=state(pull),
        labels=labels(pull), updated_at=time(pull, "updated_at"), author_id=_id(author(pull)),
        # The branch of a fork may have any name: it is none of ours (R10).
        head_ref=own_head(pull), closes=closing_numbers(text(pull, "body"), repo),
    )


def _id(found: Account | None) -> str:
    return found.id if found else ""


def _base_repo(pull: Node) -> int:
    return number(node(pull.get("base"), "base"), "repo_id")


def own_head(pull: Node) -> str:
    """The head branch when it is one of this repository, else "".

    `ref` becomes refs/pull/N/head when the branch is gone; `label` keeps its name. It is empty for
    a pull request that was pushed to refs/for/…, which whoever may read can do.
    """
    head = node(pull.get("head"), "head")
    return text(head, "label") if number(head, "repo_id") == _base_repo(pull) else ""


def head_sha(pull: Node) -> str:
    return text(node(pull.get("head"), "head"), "sha")


def comment_number(comment: Node) -> int:
    """The issue or pull request that a comment of a whole repository stands on."""
    for name in ("issue_url", "pull_request_url"):
        end = str(comment.get(name) or "").rsplit("/", 1)[-1]
        if end.isascii() and end.isdigit() and len(end) < 12:
            return int(end)
    raise partial("issue of a comment")


# ---------------------------------------------------------------- one item, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """All that belongs to one item, still as Gitea's JSON. `lines`: of the threads, by review."""

    issue: Node
    comments: tuple[Node, ...]
    timeline: tuple[Node, ...]
    pull: Node | None = None
    reviews: tuple[Node, ...] = ()
    lines: Mapping[int, tuple[Node, ...]] = field(default_factory=dict)
    statuses: tuple[Node, ...] = ()
    blockers: tuple[Node, ...] = ()


def item(repo: str, whole: Whole, viewer: Account) -> Item:
    issue = whole.issue
    index = number(issue, "number")
    comments = tuple(map(comment, whole.comments))
    spoken = sorted((*comments, *_reviews(whole)), key=lambda one: one.created_at)
    return Item(
        repo=repo, kind="pull_request" if whole.pull else "issue", number=index,
        id=item_id(number(node(issue.get("repository"), "repository"), "id"), index),
        title=text(issue, "title"), body=text(issue, "body"), author=author(issue),
        state=state(whole.pull or issue), created_at=time(issue, "created_at"),
        # An edited comment moves no issue in Gitea: the listing sees it by the comment's own time.
        updated_at=max((time(issue, "updated_at"), *(one.updated_at for one in comments))),
        closed_at=maybe_time(issue, "closed_at"), labels=labels(issue),
        assignees=accounts(issue, "assignees"), comments=tuple(spoken),
        events=events(whole.timeline), edits=None,
        pull=_pull(repo, whole, viewer) if whole.pull else None, url=text(issue, "html_url"),
        blocked_by=tuple(
            number(one, "number") for one in whole.blockers
            if state(one) == "open" and number(one, "number") > 0
        ),
    )


def comment(of: Node) -> Comment:
    return Comment(
        id=str(number(of, "id")), author=author(of), body=text(of, "body"),
        created_at=time(of, "created_at"), updated_at=time(of, "updated_at"), edits=None,
    )


# ---------------------------------------------------------------- reviews


_VERDICTS: dict[str, Literal["approved", "changes_requested", "commented"]] = {
    "APPROVED": "approved",
    "REQUEST_CHANGES": "changes_requested",
    "COMMENT": "commented",
}
_NOT_SAID = frozenset({"PENDING", "REQUEST_REVIEW", ""})


def is_said(review: Node) -> bool:
    """A review that was handed in: not a draft, not the request for one."""
    return text(review, "state") not in _NOT_SAID


def _reviews(whole: Whole) -> Iterable[Comment]:
    """Reviews and the lines of their threads, as said when the review was handed in.

    A review is as old as its first drafted line, and handing it in looks like an edit. When it was
    handed in, and what of its text was edited since, the timeline knows.
    """
    posts = {
        number(one, "review_id"): one for one in whole.timeline if one.get("type") == "review"
    }
    for review in filter(is_said, whole.reviews):
        post = posts.get(number(review, "id"))
        said = _review(review, post)
        yield said
        yield from _threads(whole.lines.get(review["id"], ()), said.created_at)


def _review(review: Node, post: Node | None) -> Comment:
    verdict = _VERDICTS.get(text(review, "state"))
    if verdict is None:
        raise partial("state of a review")
    at = time(post, "created_at") if post else time(review, "submitted_at")
    return Comment(
        # Comments and reviews are numbered apart.
        id=f"review-{number(review, 'id')}", author=account(review.get("user")),
        body=text(post or review, "body"), created_at=at,
        updated_at=max(at, time(post or review, "updated_at")), kind="review", edits=None,
        verdict="dismissed" if review.get("dismissed") is True else verdict,
        commit=text(review, "commit_id"),
    )


def _threads(lines: Sequence[Node], handed_in: datetime) -> Iterable[Comment]:
    """The lines of one review; those at one place are one thread, named after its first line."""
    first: dict[tuple[str, int], int] = {}
    for line in sorted(lines, key=lambda one: (time(one, "created_at"), number(one, "id"))):
        place = (text(line, "path"), _line_number(line))
        head = first.setdefault(place, line["id"])
        written = max(time(line, "created_at"), handed_in)
        yield Comment(
            id=str(line["id"]), author=account(line.get("user")), body=text(line, "body"),
            created_at=written, updated_at=max(time(line, "updated_at"), written), kind="thread",
            edits=None, path=place[0], line=place[1] or None,
            thread_id=f"{number(line, 'pull_request_review_id')}.{head}",
            resolved=line.get("resolver") is not None, commit=text(line, "commit_id"),
        )


def _line_number(line: Node) -> int:
    """`position` counts in the new file, `original_position` in the old one; one of them is 0."""
    return number(line, "position") or number(line, "original_position")


# ---------------------------------------------------------------- events


def _is_one(of: Node) -> bool:
    return of.get("body") == "1"


_KINDS: dict[str, Callable[[Node], EventKind]] = {
    "label": lambda of: "labeled" if _is_one(of) else "unlabeled",
    "assignees": lambda of: "unassigned" if of.get("removed_assignee") else "assigned",
    "close": lambda of: "closed",
    "reopen": lambda of: "reopened",
    "change_title": lambda of: "renamed",
    "merge_pull": lambda of: "merged",
}


def events(timeline: Iterable[Node]) -> tuple[Event, ...]:
    """Oldest first. Events of labels that were deleted since, and of teams, are left out."""
    found = (_event(one) for one in timeline if one.get("type") in _KINDS)
    told = [event for event in found if event is not None]
    return tuple(sorted(told, key=lambda event: event.at))


def _event(of: Node) -> Event | None:
    kind = _KINDS[text(of, "type")](of)
    about = of.get("label") if kind in ("labeled", "unlabeled") else of.get("assignee")
    if about is None and kind in ("labeled", "unlabeled", "assigned", "unassigned"):
        return None
    named = kind in ("labeled", "unlabeled")
    return Event(
        id=str(number(of, "id")), kind=kind, at=time(of, "created_at"),
        actor=account(of.get("user")),
        label=label(node(about, "label")) if named else None,
        assignee=account(about) if kind in ("assigned", "unassigned") else None,
    )


# ---------------------------------------------------------------- was that the end of the timeline?

SOON = timedelta(seconds=2)  # an event and the time of its issue are written one after the other


def missing(whole: Whole) -> tuple[str, ...]:
    """What the timeline must have and has not: the comments, and events that lead to the labels.

    Gitea's timeline does not say how long it is, and rows that this account may not see are left
    out of its pages, so that a page may look like the end.
    """
    rows_seen = {number(one, "id") for one in whole.timeline}
    gone = [f"comment {one['id']}" for one in whole.comments if number(one, "id") not in rows_seen]
    here = {one.id for one in labels(whole.issue)}
    for event in _last_label_events(whole).values():
        if event.label and (event.kind == "labeled") != (event.label.id in here):
            gone.append(f"event of {event.label.name}")
    return tuple(gone)


def doubtful(whole: Whole) -> bool:
    """There may be more: something is missing, or is not explained by what is there.

    A label without any event may have been migrated, and editing the body moves an issue without a
    row: so this is a reason to look further, and proves nothing.
    """
    told = _last_label_events(whole)
    if missing(whole) or any(one.id not in told for one in labels(whole.issue)):
        return True
    lines = (line for found in whole.lines.values() for line in found)
    moved = time(whole.issue, "updated_at")
    times = {time(one, "created_at") for one in (whole.issue, *whole.timeline, *lines)}
    return not any(moved - SOON <= at <= moved for at in times)


def _last_label_events(whole: Whole) -> dict[str, Event]:
    """The newest event of each label, by the label's id."""
    return {event.label.id: event for event in events(whole.timeline) if event.label is not None}


# ---------------------------------------------------------------- pull requests


def _pull(repo: str, whole: Whole, viewer: Account) -> PullFacts:
    pull = node(whole.pull, "pull request")
    head = node(pull.get("head"), "head")
    own = own_head(pull)
    sha = head_sha(pull)
    if not sha and state(pull) == "open":
        raise partial("head commit")
    checks, single = sum_of_checks(whole.statuses)
    return PullFacts(
        head_ref=own or text(head, "label") or text(head, "ref"), head_sha=Sha(sha),
        base_ref=text(node(pull.get("base"), "base"), "ref"), same_repository=bool(own),
        closes=closing_numbers(text(pull, "body"), repo), draft=_draft(pull),
        merged_at=maybe_time(pull, "merged_at"), merge_sha=pull.get("merge_commit_sha") or "",
        # False may mean a conflict, a draft, or that Gitea is still looking.
        mergeable=True if pull.get("mergeable") is True else None,
        checks=checks, failed_checks=tuple(one for one in single if one.state == "failure"),
        passed_checks=tuple(one.name for one in single if one.state == "success"),
        flaky_checks=_flaky(single, whole.statuses),
        pushers=_pushers(whole.timeline, viewer),
    )


def _draft(pull: Node) -> bool:
    marked = text(pull, "title").upper().startswith(("WIP:", "[WIP]"))
    return pull.get("draft") is True or marked


def _pushers(timeline: Iterable[Node], viewer: Account) -> tuple[Account, ...]:
    """Who pushed since our own last push; what was below that, we have seen."""
    found: list[Account] = []
    for one in timeline:
        if one.get("type") != "pull_push":
            continue
        pusher = account(one.get("user"))
        if pusher is None:
            continue
        if pusher.id == viewer.id:
            found.clear()
        elif pusher not in found:
            found.append(pusher)
    return tuple(found)


_CHECKS: dict[str, CheckState] = {
    "pending": "pending",
    "success": "success",
    "skipped": "success",
    "warning": "success",  # something to look at, nothing that failed
    "failure": "failure",
    "error": "failure",
}


def sum_of_checks(statuses: Iterable[Node]) -> tuple[CheckState, tuple[Check, ...]]:
    """The newest status of each context counts; the ids tell which that is."""
    newest: dict[str, Node] = {}
    for status in sorted(statuses, key=lambda one: number(one, "id")):
        newest[text(status, "context")] = status
    checks = [_check(status) for status in newest.values()]
    states = {check.state for check in checks}
    order: tuple[CheckState, ...] = ("failure", "pending", "success")
    total: CheckState = next((state for state in order if state in states), "none")
    return total, tuple(checks)


def _flaky(checks: Iterable[Check], statuses: Iterable[Node]) -> tuple[str, ...]:
    """Failed now, with an earlier status that says that it passed on the same commit."""
    passed = {
        text(status, "context") for status in statuses if text(status, "status") == "success"
    }
    return tuple(
        check.name for check in checks if check.state == "failure" and check.name in passed
    )


def _check(status: Node) -> Check:
    found = _CHECKS.get(text(status, "status"))
    if found is None:
        raise partial("state of a check")
    return Check(
        name=text(status, "context"), state=found, url=status.get("target_url") or "",
        log=(status.get("description") or "")[:LOG_CHARS],
    )
