"""The words of agentcells as frozen types: item, pair, run, outcome, snapshot, plan, action, skip.

Only the standard library is imported here, so that an idle tick pays nothing for its vocabulary.
Times are aware UTC datetimes. Ids are the forge's own opaque strings ("node ids").
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NewType, TypeAlias

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


class Problem(Exception):
    """Something the user can mend. `key` names a sentence of `agentcells.sentences`, `slots` fill it.

    Exit codes: 1 refused or failed, 2 usage or configuration, 75 try later.
    """

    def __init__(self, key: str, /, *, exit_code: int = 1, **slots: object) -> None:
        super().__init__(key, slots)
        self.key = key
        self.exit_code = exit_code
        self.slots = slots


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """An issue and the pull request of ours for it, or the owner's own pull request alone."""

    issue: Item | None
    pull: Item | None
    rivals: tuple[int, ...] = ()  # open pull requests of others that close the same issue
    attempt: int = 1  # 2: a second branch after a closed pull request (R9)

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


# ---------------------------------------------------------------- what we write into comments


MarkerKind: TypeAlias = Literal["decision", "notice", "ledger", "records", "filed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """The first line of every post of ours, in a hidden comment.

    `decision`: a run's result, and the announcement of the label it sets (R14, R24, R25).
    Its `cause` is "" for a round that ended as it should, "answer", or the failure's kind.
    `notice`: said once, for the cause in `cause`. `records`: a post of the work record server (R29).
    """

    kind: MarkerKind
    run: str = ""
    cell: str = ""
    came_from: str = ""  # state label name before, without prefix
    to: str = ""  # state label name announced, without prefix; "" announces none
    seen: tuple[str, ...] = ()  # newest comment, review and thread ids the run had read
    text_hash: str = ""  # of title and body as approved
    head: str = ""  # the head commit this decision speaks of
    cause: str = ""
    mac: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One run of one cell in the book of a pair (R30). `end` None: it runs, or died."""

    run: str
    machine: str
    cell: str
    start: datetime
    timeout_s: int
    end: datetime | None = None
    outcome: str = ""  # an OutcomeKind, or "" while it runs
    next: str = ""
    tokens: int = 0
    usd: float = 0.0
    counts: bool = True  # False: weather and answers are no round (R7, R32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A label change of ours made without a decision comment, announced here first (R24)."""

    at: datetime
    came_from: str
    to: str
    why: str
    because: str = ""  # id of the comment that caused it


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The book of a pair: one comment of ours, edited in place."""

    rows: tuple[LedgerRow, ...] = ()
    moves: tuple[Move, ...] = ()
    text_hash: str = ""  # title and body as approved at the newest owner's label event
    approved_at: datetime | None = None
    older_runs: int = 0  # runs no longer listed, summed up: the comment has a largest size
    older_usd: float = 0.0
    older_tokens: int = 0


# ---------------------------------------------------------------- a run


OutcomeKind: TypeAlias = Literal[
    "done",
    "bad_answer",  # outside the enum, or not of the schema
    "no_answer",
    "credential",  # weather: the model's login is wrong or missing
    "model",  # weather: the model named in cells.toml is not to be had
    "usage_limit",  # weather, `until` says when it ends
    "overload",  # weather
    "network",  # weather
    "refusal",  # the model declined by its usage policy
    "too_long",  # the context or request was too large
    "budget",
    "turns",
    "timeout",
    "stall",
    "killed",
    "crash",
    "setup_failed",  # the project's setup command failed on the base
    "containment",  # no proof that everything has ended
    "refused",  # the workspace could not be imported (R41, R43)
]

WEATHER: frozenset[str] = frozenset(
    {"credential", "model", "usage_limit", "overload", "network"}
)
AT_ONCE_HUMAN: frozenset[str] = frozenset({"budget", "turns", "refusal", "too_long"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an agent run ended with. `next` and `comment` are set for "done" only."""

    kind: OutcomeKind
    next: str = ""
    comment: str = ""
    fields: tuple[tuple[str, str], ...] = ()  # further fields of the cell's schema
    detail: str = ""  # for a person; cleaned, bounded
    until: datetime | None = None
    tokens: int = 0
    usd: float = 0.0
    turns: int = 0
    session: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """That every process of a run has ended (R39). Made by the runner alone, from the supervisor's word.

    Functions that push or write a run's result take it as an argument, so the order cannot be lost.
    """

    run: RunId
    nonce: str
    containment: Literal["strong", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """`cell test` on exactly this tree, the same before and after (R8)."""

    tree: str
    passed: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """What the runner writes into the run folder when all is over."""

    outcome: Outcome
    proof: Proof | None
    ended_at: datetime
    sealed: Sha | None = None  # newest record; None: nothing could be sealed
    sealed_tree: str = ""
    changed: bool = False  # the sealed tree differs from the start's
    records: tuple[str, ...] = ()  # messages, oldest first
    tested: Tested | None = None
    refusals: tuple[str, ...] = ()  # R41, R43: why the import was refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """All that a runner is told: written into the run folder before the claim, read by nobody else."""

    run: RunId
    repo: str
    pair_key: str
    issue: int | None
    pull: int | None
    cell: str
    came_from: str  # state label without prefix the pair was in when claimed
    reply: bool  # caused by the owner's reply: `answer` is offered (R7)
    resume_from: str  # the state a reply came from ("needs-human", "in-review"), else ""
    nexts: tuple[str, ...]  # enum of the answer
    extra_fields: tuple[str, ...]
    prompt: str
    seen: tuple[str, ...]
    text_hash: str
    start: Sha  # tip of the branch, or of the base when there is no branch yet
    base: Sha  # newest commit of the base branch contained in `start` (R44)
    base_ref: str
    branch: str
    branch_exists: bool
    kept: str  # ref of kept work whose files this run takes over, or ""
    writes: bool
    store: str  # path of the CLI's bare repository
    created_at: datetime
    conflicts: tuple[str, ...] = ()
    merging: Sha | None = None  # whose merge with `start` left the conflicts: second parent (R44)
    title: str = ""
    language: str = "en"


RunStatus: TypeAlias = Literal["alive", "ended", "dead"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing the gate says of what would be pushed: a rule and a path, never the secret itself."""

    rule: str
    path: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """One path that a commit changes, as the gate sees it: raw bytes, never a textual diff (R45).

    A rename is two of these, one that removes and one that adds. A mode is git's six digits, "000000" for
    "not there". Content is None where there is none: an absent file, a submodule, an unreadable object.
    """

    path: bytes
    old_mode: str
    new_mode: str
    old_content: bytes | None
    new_content: bytes | None
    known: tuple[bytes, ...] = ()  # further versions already shared: other parents of a merge, the base


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitView:
    """One commit that a push would add. Of a merge: only the paths that differ from every parent."""

    sha: Sha
    message: str
    author: str  # "name <email>"
    files: tuple[FileView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The gate's answer on every commit between `base` and `sha` (R45)."""

    sha: Sha
    base: Sha
    blocks: tuple[Finding, ...] = ()
    flags: tuple[Finding, ...] = ()
    files: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """A commit the gate let through; only `gate.clear` makes one, and a push needs it."""

    sha: Sha
    base: Sha


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What observe found out about the sealed work of an ended run, for decide to judge."""

    push_sha: Sha  # what would be pushed: the sealed commit, or its merge with a moved tip or base
    tip: Sha | None  # the branch on the forge now; None: there is none yet
    verdict: Verdict
    cleared: Cleared | None
    differs: bool  # from the branch's tree (R8)
    merged_base: bool = False
    conflicts: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()  # authors of commits on the branch that no run of ours made
    foreign_by_owner: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFact:
    """One run folder of this machine, as it is now."""

    order: Order
    status: RunStatus
    end: RunEnd | None = None
    delivery: Delivery | None = None
    refused_pushes: int = 0  # how often publishing was refused for good (R33)
    refusal: str = ""  # what was said then


# ---------------------------------------------------------------- snapshot and plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Brake:
    """The one small file of the state folder that slows the machine (R32). Lost, it starts at nothing."""

    paused_until: datetime | None = None
    pause_reason: str = ""
    day: str = ""
    usd_today: float = 0.0
    told: tuple[str, ...] = ()
    stopped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """An item that could not be read now: it is left alone with this reason (R21)."""

    repo: str
    number: int
    title: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that `decide` may know."""

    now: datetime
    viewer: Account
    owner: Account
    machine: str
    pairs: tuple[Pair, ...]
    runs: tuple[RunFact, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    brake: Brake = field(default_factory=Brake)
    claiming: bool = True  # False: this pass may only publish, repair and tidy
    branches: tuple[str, ...] = ()  # "<repo> <ref>" of branches of ours on the forge
    mac_key: bytes = b""
    notes: tuple[str, ...] = ()
    label_ids: tuple[str, ...] = ()  # pinned ids of our labels (R23); (): by their exact names alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """An item of ours left alone, and why (R22). `key` and `slots` make the sentence."""

    pair_key: str
    number: int
    title: str
    state: str
    key: str
    slots: tuple[tuple[str, str], ...] = ()
    who: Literal["owner", "machine", "time", "nobody"] = "machine"  # who can change it


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    pair_key: str
    repo: str
    run: RunId
    proof: Proof
    cleared: Cleared
    ref: str
    expected: Sha | None  # what the branch must be now; None: it must not exist


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPull:
    pair_key: str
    repo: str
    run: RunId
    proof: Proof
    head: str
    base: str
    title: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignOwner:
    """Make the owner an assignee of the pull request of this pair (R9)."""

    pair_key: str
    repo: str
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A comment of ours; looked for by its marker first, so it is never doubled (R18)."""

    pair_key: str
    repo: str
    on: Member
    number: int | None  # None: the pull request that this plan opens, found by `head`
    head: str
    marker: Marker
    body: str  # whole text, marker line included
    proof: Proof | None = None  # set when the text is a run's result


@dataclass(frozen=True, slots=True, kw_only=True)
class SetState:
    """Exactly this set of our labels on the pair, foreign labels untouched (R3).

    `label` is a state name without prefix, "" for none; it stands on `on`, the other member has none.
    """

    pair_key: str
    repo: str
    issue: int | None
    pull: int | None
    on: Member
    head: str  # finds a pull request that this plan opens
    label: str
    working: bool = False
    hold: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteLedger:
    """The book of the pair as it shall be. Made at the first claim, then edited in place."""

    pair_key: str
    repo: str
    number: int
    comment_id: str  # "": there is none yet
    ledger: Ledger
    proof: Proof | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Start a run: lock, fetch, ledger row, `working`, read back, order into the run folder."""

    pair_key: str
    repo: str
    issue: int | None
    pull: int | None
    cell: str
    came_from: str
    reply: bool
    resume_from: str
    why: str  # sentence key: why this one


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseRun:
    """The last write of a published or given-up run: its folder becomes a log."""

    pair_key: str
    run: RunId
    keep: bool  # True: the sealed work goes under refs/agentcells/kept/<run> first (R40)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteBranch:
    pair_key: str
    repo: str
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePull:
    pair_key: str
    repo: str
    number: int
    run: RunId
    proof: Proof
    expected_head: Sha


@dataclass(frozen=True, slots=True, kw_only=True)
class SetBrake:
    """Write the brake file: a pause, the day's dollars, what was told."""

    pair_key: str
    brake: Brake


Action: TypeAlias = (
    Push | OpenPull | AssignOwner | Post | SetState | WriteLedger | Claim | CloseRun | DeleteBranch
    | MergePull | SetBrake
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What decide wants done, in order, and what it left alone. A value: `--dry-run` prints this very one.

    Actions of one pair are done in order; when one fails, the rest of that pair is left for the next pass.
    """

    actions: tuple[Action, ...] = ()
    skips: tuple[Skip, ...] = ()


# ---------------------------------------------------------------- the names of branches


_BRANCH = re.compile(r"agentcells/([1-9][0-9]{0,9})(?:-([2-9]|[1-9][0-9]{1,3}))?\Z")


def branch_name(issue: int, attempt: int = 1) -> str:
    """The only branches we ever write: made from numbers, never from anybody's text (R9)."""
    return f"agentcells/{issue}" if attempt == 1 else f"agentcells/{issue}-{attempt}"


def parse_branch(ref: str) -> tuple[int, int] | None:
    """(issue, attempt) of a branch name of ours, else None."""
    found = _BRANCH.match(ref)
    return (int(found[1]), int(found[2] or 1)) if found else None
