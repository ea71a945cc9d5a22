"""What decide is given and what it wants done: snapshot, plan, actions, skips."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

from agentcells.model import Account, Member, Pair, RunId, Sha
from agentcells.posts import Ledger, Marker
from agentcells.run import Cleared, Proof, RunFact


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
class LastTick:
    """How the last tick of this machine went, for `status`. Lost, it is not known."""

    started_at: datetime
    ended_at: datetime | None = None  # None: at work, or it ended without a word
    code: int = 0
    key: str = ""  # the Problem that ended it
    text: str = ""
    failures: int = 0  # ticks in a row that did not end well



@dataclass(frozen=True, slots=True, kw_only=True)
class Filed:
    """An issue that a cell on "factory" had filed, for a cause (R50)."""

    cause: str
    repo: str
    number: int
    at: datetime
    limit: float = 0.0  # the cause is over when its figure is no higher; 0: as it is reckoned then
    over: bool = False  # told so on the issue; when the cause comes back, it is another one


@dataclass(frozen=True, slots=True, kw_only=True)
class FactoryBook:
    """The book of a cell on "factory", in the state folder. Lost, the forge is searched (R50)."""

    ledger: Ledger = field(default_factory=Ledger)
    looked_at: datetime | None = None  # None: it is due
    filed: tuple[Filed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """One figure of the line in the last week, against what is usual. `key` is its cause."""

    key: str
    value: float
    usual: float
    limit: float  # above it, the figure has left its usual range
    weeks: tuple[float, ...]  # the weeks before, oldest first
    items: tuple[tuple[str, str, float], ...] = ()  # what makes it up: (item, title, its share)

    @property
    def unusual(self) -> bool:
        return self.value > self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What a cell on "factory" that is due has before it."""

    cell: str
    repo: str  # where its files come from and its issues go
    gauges: tuple[Gauge, ...] = ()
    found: tuple[Filed, ...] = ()  # on the forge, when the book was lost


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """An item that could not be read now: it is left alone with this reason (R21)."""

    repo: str
    number: int
    title: str
    detail: str
    key: str = "skip_unreadable"  # the sentence of its skip



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
    waited_for: tuple[str, ...] = ()  # "<repo>#<number>" of what items name, and is open
    troubles: tuple[tuple[str, str], ...] = ()  # (pair, what went wrong with it last), for `why`
    elsewhere: tuple[tuple[str, str], ...] = ()  # (pair, the machine that holds its lease)
    label_ids: tuple[str, ...] = ()  # pinned ids of our labels (R23); (): by their exact names alone
    books: tuple[tuple[str, FactoryBook], ...] = ()  # of cells on "factory", by name
    sights: tuple[Sight, ...] = ()  # of those that are due now

    def book(self, cell: str) -> FactoryBook:
        return dict(self.books).get(cell, FactoryBook())



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
class ReplyInThread:
    """An answer of ours in a review thread; looked for by its marker first, as a Post is (R18)."""

    pair_key: str
    repo: str
    number: int
    thread: str
    marker: Marker
    body: str  # whole text, marker line included
    proof: Proof



@dataclass(frozen=True, slots=True, kw_only=True)
class SetState:
    """Exactly this set of our labels on the pair, foreign labels untouched (R3).

    `label` is a state name without prefix, "" for none; it stands on `on`, the other member has none.
    `beside`: states that stay where each of them is, for it is not known which is meant (R4); `working` goes.
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
    beside: tuple[str, ...] = ()



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
    unstarted: bool = False  # claimed, but never started: whoever follows the tick is told (R33)



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



@dataclass(frozen=True, slots=True, kw_only=True)
class KeepBook:
    """The book of a cell on "factory" as it shall be; what was filed meanwhile stays in it."""

    pair_key: str
    cell: str
    book: FactoryBook



@dataclass(frozen=True, slots=True, kw_only=True)
class FileIssue:
    """An issue without any label of ours, once for its cause: looked for by its marker first (R50)."""

    pair_key: str
    repo: str
    run: RunId
    proof: Proof
    marker: Marker
    title: str
    body: str  # whole text, marker line included
    limit: float = 0.0



@dataclass(frozen=True, slots=True, kw_only=True)
class CloseFiled:
    """Close an issue that the CLI filed itself and whose cause is over (R11), unless it is in the line."""

    pair_key: str
    repo: str
    number: int
    cell: str
    cause: str
    marker: Marker
    body: str  # of the comment that says so



@dataclass(frozen=True, slots=True, kw_only=True)
class SubIssue:
    title: str
    marker: Marker
    body: str  # whole text, marker line included



@dataclass(frozen=True, slots=True, kw_only=True)
class SplitIssue:
    """File the issues that the owner agreed to, each once, and say on the parent which they are."""

    pair_key: str
    repo: str
    number: int  # the parent
    run: str  # that proposed them
    issues: tuple[SubIssue, ...]
    label: str  # of the cell that is to begin on them; "": none
    marker: Marker
    body: str  # of the comment on the parent; the list is added once the numbers are known



Action: TypeAlias = (
    Push | OpenPull | AssignOwner | Post | ReplyInThread | SetState | WriteLedger | Claim | CloseRun
    | DeleteBranch | MergePull | SetBrake | KeepBook | FileIssue | CloseFiled | SplitIssue
)



@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What decide wants done, in order, and what it left alone. A value: `--dry-run` prints this very one.

    Actions of one pair are done in order; when one fails, the rest of that pair is left for the next pass.
    """

    actions: tuple[Action, ...] = ()
    skips: tuple[Skip, ...] = ()

