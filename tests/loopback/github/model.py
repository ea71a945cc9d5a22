"""What GitHub keeps, as far as agentcells can see it: accounts, items, texts, events, tokens.

Only data and lookups; what persons do to it stands in `acts`. Independent of the product on
purpose: a mistake about GitHub must not be made twice by the same lines.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from tests.loopback.github.git_store import Bare

T = TypeVar("T")

ROLES = ("none", "read", "triage", "write", "admin")
CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b", re.IGNORECASE)


class Refused(Exception):
    """One entry of GitHub's `errors`."""

    def __init__(self, kind: str | None, message: str, **extensions: object) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.extensions = extensions


@dataclass(eq=False)
class Account:
    id: str
    login: str
    typename: str = "User"  # or Bot, Mannequin, Organization
    deleted: bool = False


@dataclass(eq=False)
class Token:
    """`permissions`: of a fine-grained token or an App, e.g. {"issues": "write"}."""

    value: str
    account: Account
    kind: str = "classic"  # classic, fine, app
    scopes: frozenset[str] = frozenset({"repo"})
    permissions: dict[str, str] = field(default_factory=dict)
    repos: frozenset[str] | None = None  # None: all that the account can see
    expired: bool = False
    without_sso: frozenset[str] = frozenset()  # owners that want SAML which this token has not done
    limit: int = 5000
    used: int = 0
    window: datetime | None = None


@dataclass(eq=False)
class Label:
    typename = "Label"
    id: str
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass(eq=False)
class Edit:
    typename = "UserContentEdit"
    id: str
    edited_at: datetime
    editor: Account | None


@dataclass(eq=False, kw_only=True)
class Text:
    """Whatever has a body: `edits` begins with the writing itself, once it has been edited."""

    id: str
    author: Account | None
    body: str
    created_at: datetime
    updated_at: datetime
    edits: list[Edit] = field(default_factory=list)
    created_via_email: bool = False

    @property
    def last_edited_at(self) -> datetime | None:
        return self.edits[-1].edited_at if self.edits else None

    @property
    def includes_created_edit(self) -> bool:
        return bool(self.edits)


@dataclass(eq=False, kw_only=True)
class IssueComment(Text):
    typename = "IssueComment"
    item: Item


@dataclass(eq=False, kw_only=True)
class ReviewComment(Text):
    typename = "PullRequestReviewComment"
    thread: Thread
    commit_oid: str = ""
    state: str = "SUBMITTED"


@dataclass(eq=False, kw_only=True)
class Thread:
    typename = "PullRequestReviewThread"
    id: str
    pull: Item
    path: str
    line: int | None
    is_resolved: bool = False
    comments: list[ReviewComment] = field(default_factory=list)


@dataclass(eq=False, kw_only=True)
class Review(Text):
    typename = "PullRequestReview"
    state: str
    commit_oid: str
    submitted_at: datetime | None


@dataclass(eq=False, kw_only=True)
class Event:
    typename: str  # LabeledEvent, ...
    id: str
    created_at: datetime
    actor: Account | None
    label: Label | None = None
    assignee: Account | None = None


@dataclass(eq=False, kw_only=True)
class CheckRow:
    """One check of one commit: a CheckRun of an App, or a StatusContext of anybody."""

    typename: str
    name: str
    state: str  # SUCCESS, FAILURE, PENDING
    url: str = "https://ci.example.invalid/1"
    log: str = ""
    id: str = ""
    database_id: int = 0
    text: str = ""  # what a CheckRun says at length
    notes: tuple[tuple[str, int, str], ...] = ()  # annotations: (path, line, message)
    job_log: str = ""  # of a job of Actions


@dataclass(eq=False, kw_only=True)
class Item(Text):
    """An issue or a pull request."""

    repo: Repo
    number: int
    title: str
    state: str = "OPEN"
    closed_at: datetime | None = None
    labels: list[Label] = field(default_factory=list)
    assignees: list[Account] = field(default_factory=list)
    comments: list[IssueComment] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    # of pull requests
    head_ref_name: str = ""
    head_repo: Repo | None = None
    head_sha: str = ""
    base_ref_name: str = ""
    is_draft: bool = False
    merged_at: datetime | None = None
    merge_oid: str = ""
    reviews: list[Review] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    linked: set[int] = field(default_factory=set)  # issues linked by hand
    mergeable_after: int = 0  # reads that still answer UNKNOWN
    changes: list[IssueComment] | None = None  # what its comments by last change show instead of what is

    @property
    def is_pull(self) -> bool:
        return bool(self.head_ref_name)

    @property
    def typename(self) -> str:
        return "PullRequest" if self.is_pull else "Issue"

    @property
    def url(self) -> str:
        kind = "pull" if self.is_pull else "issues"
        return f"https://github.com/{self.repo.name}/{kind}/{self.number}"

    @property
    def is_cross_repository(self) -> bool:
        return self.head_repo is not self.repo

    def closes(self) -> list[int]:
        numbers = {int(number) for number in CLOSES.findall(self.body)} | self.linked
        return sorted(n for n in numbers if n in self.repo.items and not self.repo.items[n].is_pull)


@dataclass(eq=False)
class Repo:
    typename = "Repository"
    id: str
    name: str  # owner/name
    bare: Bare
    private: bool = False
    archived: bool = False
    issues_enabled: bool = True
    delete_branch_on_merge: bool = False
    workflow_permissions: str = "read"  # of the tokens that its workflows are given
    workflows_approve: bool = False
    default_branch: str = "main"
    merge_method: str = "MERGE"
    required: list[str] = field(default_factory=list)  # checks that the default branch wants passed
    roles: dict[str, str] = field(default_factory=dict)  # account id -> role
    old_names: list[str] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    items: dict[int, Item] = field(default_factory=dict)
    checks: dict[str, list[CheckRow]] = field(default_factory=dict)  # by commit
    earlier_checks: dict[str, list[CheckRow]] = field(default_factory=dict)  # every run there was
    frozen: list[Item] | None = None  # what its lists show instead of what is
    last_number: int = 0

    @property
    def owner(self) -> str:
        return self.name.split("/")[0]

    def next_number(self) -> int:
        self.last_number += 1
        return self.last_number

    def listed(self) -> list[Item]:
        return list(self.items.values()) if self.frozen is None else self.frozen


class Clock:
    """The forge's clock: real time, until somebody sets it."""

    def __init__(self) -> None:
        self._set: datetime | None = None

    def now(self) -> datetime:
        return self._set or datetime.now(UTC).replace(microsecond=0)

    def set(self, moment: datetime) -> None:
        self._set = moment.astimezone(UTC).replace(microsecond=0)

    def advance(self, seconds: float) -> None:
        self._set = (self.now() + timedelta(seconds=seconds)).replace(microsecond=0)


@dataclass(eq=False)
class Hub:
    """All of this small GitHub."""

    root: Path
    clock: Clock = field(default_factory=Clock)
    accounts: list[Account] = field(default_factory=list)
    repos: list[Repo] = field(default_factory=list)
    tokens: dict[str, Token] = field(default_factory=dict)
    nodes: dict[str, object] = field(default_factory=dict)
    # Whether the edit or the deletion of a comment moves `updatedAt` of its item: GitHub does not say.
    comments_move_items: bool = True
    orders_comments: bool = True  # False: as if nobody had asked for another order
    _serial: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def new_id(self, prefix: str) -> str:
        """Opaque like GitHub's: nothing can be read from it but the prefix."""
        return f"{prefix}_kwDO{next(self._serial) * 7919:08X}"

    def keep(self, node: T, node_id: str) -> T:
        self.nodes[node_id] = node
        return node

    def node(self, node_id: str, kind: type[T]) -> T:
        found = self.nodes.get(node_id)
        if found is None or not isinstance(found, kind):
            raise Refused(
                "NOT_FOUND", f"Could not resolve to a node with the global id of '{node_id}'"
            )
        return found

    def account(self, login: str) -> Account:
        for account in self.accounts:
            if account.login.casefold() == login.casefold() and not account.deleted:
                return account
        raise Refused("NOT_FOUND", f"Could not resolve to a User with the login of '{login}'.")

    def find(self, name: str) -> Repo | None:
        """By its name, or by one it had before, as GitHub does."""
        for repo in self.repos:
            if repo.name.casefold() == name.casefold():
                return repo
        for repo in self.repos:
            if name.casefold() in (old.casefold() for old in repo.old_names):
                return repo
        return None

    def repo(self, name: str) -> Repo:
        found = self.find(name)
        if found is None:
            raise Refused("NOT_FOUND", f"Could not resolve to a Repository with the name '{name}'.")
        return found

    def item(self, repo: str, number: int) -> Item:
        found = self.repo(repo).items.get(number)
        if found is None:
            raise Refused(
                "NOT_FOUND",
                f"Could not resolve to an issue or pull request with the number of {number}.",
            )
        return found
