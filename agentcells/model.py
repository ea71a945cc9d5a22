"""The words of agentcells as frozen types: item, pair, run, outcome, snapshot, plan, action, skip.

Only the standard library is imported here, so that an idle tick pays nothing for its vocabulary.
Times are aware UTC datetimes. Ids are the forge's own opaque strings ("node ids").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NewType, TypeAlias

from agentcells.problem import Problem as Problem

RunId = NewType("RunId", str)  # "r" + UTC time + random hex: sorts by age, safe as a file name
Sha = NewType("Sha", str)  # 40 lower-case hex digits

Member: TypeAlias = Literal["issue", "pull"]  # the two sides of a pair
Kind: TypeAlias = Literal["issue", "pull_request"]
AccountKind: TypeAlias = Literal["user", "bot", "other", "ghost"]

NEEDS_HUMAN = "needs-human"
IN_REVIEW = "in-review"
WORKING = "working"
HOLD = "hold"
RESERVED_STATES = (NEEDS_HUMAN, IN_REVIEW, WORKING, HOLD)
DONE = "done"
MERGE = "merge"
ANSWER = "answer"
THREAD = "thread_"  # and a number: the field of an answer to a remark on a line; may be left out
SUB_ISSUES = "sub_issues"  # the field of an answer that is a list of issues it proposes
FILE, OVER = "file", "over"  # answers of a cell on "factory"


# ---------------------------------------------------------------- what a forge tells


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Somebody on the forge. Compare by `id`, never by `login`: a login can change hands."""

    id: str
    login: str
    kind: AccountKind = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of a text after it was first written. `editor` None: the forge does not say."""

    at: datetime
    editor: Account | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment, a review or a line of a review thread, on one member of a pair."""

    id: str
    author: Account | None  # None: a deleted account ("ghost")
    body: str
    created_at: datetime
    updated_at: datetime
    kind: Literal["comment", "review", "thread"] = "comment"
    edits: tuple[Edit, ...] | None = ()  # None: this forge keeps no history of edits
    by_email: bool = False
    verdict: Literal["", "approved", "changes_requested", "commented", "dismissed"] = ""
    path: str = ""  # of a review thread
    line: int | None = None
    thread_id: str = ""
    resolved: bool = False
    commit: str = ""  # the head a review was made on


EventKind: TypeAlias = Literal[
    "labeled", "unlabeled", "assigned", "unassigned", "closed", "reopened", "renamed", "transferred",
    "merged",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the timeline that is not a comment."""

    id: str
    kind: EventKind
    at: datetime
    actor: Account | None
    label: Label | None = None
    assignee: Account | None = None


CheckState: TypeAlias = Literal["none", "pending", "success", "failure"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    name: str
    state: CheckState
    url: str = ""
    log: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullFacts:
    """What a pull request has beyond an issue."""

    head_ref: str
    head_sha: Sha
    base_ref: str
    same_repository: bool
    closes: tuple[int, ...] = ()  # issues it says it closes
    draft: bool = False
    merged_at: datetime | None = None
    merge_sha: str = ""
    mergeable: bool | None = None  # None: the forge has not computed it yet
    checks: CheckState = "none"
    failed_checks: tuple[Check, ...] = ()
    passed_checks: tuple[str, ...] = ()  # names, as far as the token may read them
    flaky_checks: tuple[str, ...] = ()  # failed, and passed before on this very commit
    blocked: bool = False  # the forge's own rules for the base are not met
    pushers: tuple[Account, ...] = ()  # of the head branch, where the forge keeps that record


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a listing: enough to decide what must be read whole, never enough to act on."""

    repo: str
    kind: Kind
    number: int
    id: str
    title: str
    state: Literal["open", "closed", "merged"]
    labels: tuple[Label, ...]
    updated_at: datetime
    author_id: str = ""
    head_ref: str = ""
    closes: tuple[int, ...] = ()
    checks: CheckState | None = None  # of a pull request asked for by its id; None: not asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """An issue or a pull request, read whole: every comment, review, thread and event (R21)."""

    repo: str
    kind: Kind
    number: int
    id: str
    title: str
    body: str
    author: Account | None
    state: Literal["open", "closed", "merged"]
    created_at: datetime
    updated_at: datetime
    closed_at: datetime | None = None
    labels: tuple[Label, ...] = ()
    assignees: tuple[Account, ...] = ()
    comments: tuple[Comment, ...] = ()  # oldest first
    events: tuple[Event, ...] = ()  # oldest first
    edits: tuple[Edit, ...] | None = ()  # of title or body; None: this forge keeps no history
    pull: PullFacts | None = None
    url: str = ""
    blocked_by: tuple[int, ...] = ()  # open issues this one waits for
    closed_by: tuple[int, ...] = ()  # open pull requests that say they close it, where the forge tells
    # When its comments were last read one and all, of an item with so many that a later reading builds on it.
    talk_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An issue and the pull request of ours for it, or the owner's own pull request alone."""

    issue: Item | None
    pull: Item | None
    rivals: tuple[int, ...] = ()  # open pull requests of others that close the same issue
    attempt: int = 1  # 2: a second branch after a closed pull request (R9)
    older: tuple[Item, ...] = ()  # pull requests of ours of earlier attempts: the owner spoke there too

    @property
    def anchor(self) -> Item:
        item = self.issue or self.pull
        if item is None:
            raise AssertionError("a pair has at least one member")
        return item

    @property
    def repo(self) -> str:
        return self.anchor.repo

    @property
    def number(self) -> int:
        return self.anchor.number

    @property
    def key(self) -> str:
        return f"{self.repo}#{self.number}"

    def member(self, which: Member) -> Item | None:
        return self.issue if which == "issue" else self.pull


# ---------------------------------------------------------------- the names of branches


_BRANCH = re.compile(r"agentcells/([1-9][0-9]{0,9})(?:-([2-9]|[1-9][0-9]{1,3}))?\Z")


def branch_name(issue: int, attempt: int = 1) -> str:
    """The only branches we ever write: made from numbers, never from anybody's text (R9)."""
    return f"agentcells/{issue}" if attempt == 1 else f"agentcells/{issue}-{attempt}"


def parse_branch(ref: str) -> tuple[int, int] | None:
    """(issue, attempt) of a branch name of ours, else None."""
    found = _BRANCH.match(ref)
    return (int(found[1]), int(found[2] or 1)) if found else None
