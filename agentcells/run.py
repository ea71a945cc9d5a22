"""A run: what it is ordered to do, how it ended, what the gate and git say of its work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from agentcells.model import RunId, Sha

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
    "withdrawn",  # the claim was taken back before anything started
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



# The nonce of a run of which no process has ever existed: that is as good a Proof as any.
NOTHING_STARTED = "nothing-started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """That every process of a run has ended (R39). Made by the runner alone, from the supervisor's word.

    Functions that push or write a run's result take it as an argument, so the order cannot be lost.
    """

    run: RunId
    nonce: str
    containment: Literal["strong", "none"]



@dataclass(frozen=True, slots=True, kw_only=True)
class TreeTest:
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
    tested: TreeTest | None = None
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
    threads: tuple[str, ...] = ()  # review threads that wait for an answer, as `thread_1` and so on
    causes: tuple[tuple[str, float, str], ...] = ()  # of a cell on "factory": (cause, limit, figure in
    # words) of what an issue may be about; (): anything

    @property
    def of_factory(self) -> bool:
        """It works on no item (R50): what stands for the pair names none."""
        return self.issue is None and self.pull is None and ":" in self.pair_key



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
    behind: bool = False  # the base has commits that this has not
    ahead: bool = False  # the branch as it stands on the forge has commits that the base has not
    conflicts: tuple[str, ...] = ()
    obstacle: str = ""  # why it cannot be merged at all: the key of a sentence
    foreign: tuple[str, ...] = ()  # authors of commits on the branch that no run of ours made
    foreign_by_owner: bool = True



@dataclass(frozen=True, slots=True, kw_only=True)
class RunFact:
    """One run folder of this machine, as it is now."""

    order: Order
    status: RunStatus
    end: RunEnd | None = None
    delivery: Delivery | None = None
    secrets: tuple[str, ...] = ()  # names of those that its texts told; `end` is without them (R45)
    refused_pushes: int = 0  # how often publishing was refused for good (R33)
    refusal: str = ""  # what was said then

