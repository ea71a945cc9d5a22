"""What Gitea keeps, as far as agentcells can see it: accounts, items, one table of comments.

Only data and lookups; what persons do to it stands in `acts`. Independent of the product on
purpose: a mistake about Gitea must not be made twice by the same lines.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tests.loopback.github.git_store import Bare
from tests.loopback.github.model import Clock

ROLES = ("none", "read", "write", "admin")
CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b", re.IGNORECASE)
ALL_SCOPES = frozenset({"write:user", "write:issue", "write:repository"})


class Refused(Exception):
    """An answer that is no success. `message` None: without a body."""

    def __init__(self, status: int, message: str | None, **headers: str) -> None:
        super().__init__(status, message)
        self.status = status
        self.message = message
        self.headers = headers


@dataclass(eq=False)
class Account:
    id: int
    login: str
    deleted: bool = False
    old_logins: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Token:
    value: str
    account: Account
    scopes: frozenset[str] = ALL_SCOPES
    revoked: bool = False


@dataclass(eq=False)
class Label:
    id: int
    name: str
    color: str = "ededed"
    description: str = ""


@dataclass(eq=False, kw_only=True)
class Entry:
    """One row of Gitea's table of comments: a comment, an event, a line of a review."""

    id: int
    kind: str  # comment, label, assignees, close, reopen, change_title, pull_push, review, code, …
    poster: Account | None
    body: str
    created: datetime
    updated: datetime
    label: Label | None = None
    assignee: Account | None = None
    removed: bool = False
    review: Review | None = None
    path: str = ""
    line: int = 0  # below 0: of the old file
    commit: str = ""
    resolver: Account | None = None
    original_author: str = ""
    elsewhere: bool = False  # a reference from a repository that not everybody sees


@dataclass(eq=False, kw_only=True)
class Review:
    id: int
    reviewer: Account
    state: str  # PENDING, COMMENT, APPROVED, REQUEST_CHANGES
    content: str
    commit: str
    created: datetime
    updated: datetime
    dismissed: bool = False


@dataclass(eq=False, kw_only=True)
class Status:
    id: int
    context: str
    state: str
    description: str
    url: str
    created: datetime


@dataclass(eq=False, kw_only=True)
class Item:
    """An issue or a pull request."""

    id: int
    repo: Repo
    number: int
    title: str
    body: str
    poster: Account | None
    created: datetime
    updated: datetime
    closed: datetime | None = None
    labels: list[Label] = field(default_factory=list)
    assignees: list[Account] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    blockers: list[Item] = field(default_factory=list)
    original_author: str = ""
    # of pull requests
    pull_id: int = 0
    head_branch: str = ""
    head_repo: Repo | None = None
    base_branch: str = ""
    agit: bool = False  # pushed to refs/for/…, without a branch
    merged: datetime | None = None
    merge_sha: str = ""
    checking: int = 0  # answers that still say "not mergeable"
    reviews: list[Review] = field(default_factory=list)

    @property
    def is_pull(self) -> bool:
        return bool(self.pull_id)

    @property
    def is_open(self) -> bool:
        return self.closed is None

    @property
    def head_ref(self) -> str:
        return f"refs/pull/{self.number}/head"

    @property
    def head_sha(self) -> str:
        return (self.repo.bare.path / self.head_ref).read_text().strip()

    @property
    def is_draft(self) -> bool:
        return self.title.upper().startswith(("WIP:", "[WIP]"))

    def closes(self) -> list[int]:
        items = self.repo.items
        numbers = {int(number) for number in CLOSES.findall(self.body)}
        return sorted(n for n in numbers if n in items and not items[n].is_pull)


@dataclass(eq=False)
class Repo:
    id: int
    name: str  # owner/name
    bare: Bare
    private: bool = False
    archived: bool = False
    default_branch: str = "main"
    merge_style: str = "merge"
    dependencies: bool = True
    protection: str = ""  # why nothing may be merged now
    roles: dict[int, str] = field(default_factory=dict)  # account id -> role
    old_names: list[str] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    items: dict[int, Item] = field(default_factory=dict)
    statuses: dict[str, list[Status]] = field(default_factory=lambda: defaultdict(list))

    @property
    def owner(self) -> str:
        return self.name.split("/")[0]

    def tips(self) -> dict[str, str]:
        """The branches, from git's own files: a process for each look would be most of a test."""
        heads = self.bare.path / "refs" / "heads"
        if (self.bare.path / "packed-refs").exists():
            return self.bare.tips()
        files = (path for path in heads.rglob("*") if path.is_file() and path.suffix != ".lock")
        return {str(path.relative_to(heads)): path.read_text().strip() for path in files}

    def label(self, name: str) -> Label:
        return next(label for label in self.labels if label.name == name)


@dataclass(eq=False)
class Hub:
    """All of this small Gitea. `flavour`: gitea (1.27), forgejo, old (a Gitea of 1.22)."""

    root: Path
    flavour: str = "gitea"
    most_rows: int = 50  # MAX_RESPONSE_ITEMS
    clock: Clock = field(default_factory=Clock)
    accounts: list[Account] = field(default_factory=list)
    repos: list[Repo] = field(default_factory=list)
    tokens: dict[str, Token] = field(default_factory=dict)
    _serials: dict[str, Iterator[int]] = field(
        default_factory=lambda: defaultdict(lambda: itertools.count(1))
    )

    def new_id(self, table: str) -> int:
        """Each table counts by itself: the same number is a comment, a review and an account."""
        return next(self._serials[table])

    def account(self, login: str) -> Account | None:
        wanted = login.casefold()
        return next(
            (a for a in self.accounts if a.login.casefold() == wanted and not a.deleted), None
        )

    def repo(self, name: str) -> Repo | None:
        wanted = name.casefold()
        return next((repo for repo in self.repos if repo.name.casefold() == wanted), None)

    def entry(self, repo: Repo, entry_id: int) -> tuple[Item, Entry]:
        for item in repo.items.values():
            for entry in item.entries:
                if entry.id == entry_id:
                    return item, entry
        raise Refused(404, "not found")

    def role(self, account: Account, repo: Repo) -> str:
        given = repo.roles.get(account.id, "none")
        return "read" if given == "none" and not repo.private else given
