"""Does what a plan says: one function for each action, each repeatable, in the order of R18.

A write first looks whether it has been made. When one action of a pair fails, the rest of that pair waits
for the next pass; when the forge itself is out of reach, everything does.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field, replace
from typing import TYPE_CHECKING

from agentcells import comments, factory_book, filing, rounds, trust
from agentcells.answering import answer_in_thread
from agentcells.claim import AskFirst, missing_labels, prepare, prepare_factory, withdrawn
from agentcells.events import Emit
from agentcells.forge import (
    Forge,
    ForgeError,
    NotFound,
    Partial,
    RateLimited,
    Stale,
    Unauthorized,
    Unavailable,
    together,
)
from agentcells.fresh import Fresh
from agentcells.gate import contains_secret
from agentcells.git import Git, GitError
from agentcells.history.kept import put_away
from agentcells.known_secrets import known_secrets
from agentcells.lease import Elsewhere, Leases
from agentcells.log_cleaning import clean_logs
from agentcells.model import Item, Pair, Problem
from agentcells.our_pulls import OurPulls
from agentcells.pairs import facts as facts_of
from agentcells.plan import (
    Action,
    AssignOwner,
    Claim,
    CloseFiled,
    CloseRun,
    DeleteBranch,
    FileIssue,
    KeepBook,
    MergePull,
    OpenPull,
    Plan,
    Post,
    Push,
    ReplyInThread,
    SetBrake,
    SetState,
    Snapshot,
    SplitIssue,
    WriteLedger,
)
from agentcells.posts import Ledger
from agentcells.run import Order
from agentcells.sentences import say
from agentcells.shown import Shown
from agentcells.store import Limits, RunFolder, State, Unwritable, branch_place
from agentcells.taking_in import take_in
from agentcells.views import action_line

if TYPE_CHECKING:
    from agentcells.config import Config

# What stands in the way of every item alike: nothing more is tried, and no run is blamed for it.
WEATHER = (RateLimited, Unavailable, Unauthorized, Unwritable)
LATER = 75  # exit code of what passes by itself


@dataclass(slots=True)
class Apply:
    """One pass's writes."""

    config: Config
    forge: Forge
    state: State
    snapshot: Snapshot
    emit: Emit
    claimed: list[RunFolder] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    yielded: set[str] = field(default_factory=set)  # another machine is or was at it: look again
    leases: Leases | None = None  # several machines: what may be written about is leased first
    looked: InitVar[Fresh | None] = None
    fresh: Fresh = field(init=False)  # what this pass has read a moment ago
    left: dict[tuple[str, int], set[str]] = field(default_factory=dict)  # labels of ours, as it set them
    pulls: OurPulls = field(init=False)

    def __post_init__(self, looked: Fresh | None) -> None:
        self.fresh = looked or Fresh(self.forge)
        self.pulls = OurPulls(self.forge, self.snapshot, self.fresh)

    def do(self, action: Action) -> dict[str, object]:
        """Make this write unless it has been made. Facts for whoever follows the tick."""
        self._demand_lease(action)
        match action:
            case Push():
                return self._push(action)
            case OpenPull():
                return self._open_pull(action)
            case AssignOwner():
                return self._assign_owner(action)
            case Post():
                return self._post(action)
            case ReplyInThread():
                return self._answer(action)
            case SetState():
                return self._set_state(action)
            case WriteLedger():
                return self.put_ledger(action.repo, action.number, action.ledger)
            case Claim():
                return self._claim(action)
            case CloseRun():
                return self._close_run(action)
            case DeleteBranch():
                self.forge.delete_branch(action.repo, action.ref)
                return {"ref": action.ref}
            case MergePull():
                return self._merge(action)
            case SetBrake():
                self.state.write_brake(action.brake)
                return {}
            case KeepBook():
                return filing.keep_book(self.state, action)
            case FileIssue():
                self._demand_no_secret(action.repo, action.title, action.body)
                return filing.file_issue(self.forge, self.state, self.snapshot, action)
            case SplitIssue():
                self._demand_no_secret(
                    action.repo, *(text for one in action.issues for text in (one.title, one.body))
                )
                return filing.split(self.forge, self.snapshot, action)
            case CloseFiled():
                self._demand_no_secret(action.repo, action.body)
                return filing.close_filed(
                    self.forge, self.state, self.snapshot, action,
                    lambda item: bool(self._shown.ours(item.labels)),
                )

    def _demand_lease(self, action: Action) -> None:
        """Before anything is written where other machines write too (R17, R26)."""
        if self.leases is None or isinstance(action, SetBrake | KeepBook):
            return
        pair = next((one for one in self.snapshot.pairs if one.key == action.pair_key), None)
        if pair is not None:
            self.leases.demand(pair)
        elif not isinstance(action, CloseRun):
            self.leases.demand(action.repo)

    # ------------------------------------------------------------ the result of a run

    def _push(self, action: Push) -> dict[str, object]:
        git = Git(self.state.repository(action.repo))
        leases, pair = self.leases, self._pair(action.pair_key)
        fence = leases.fence(pair, git) if leases is not None else None
        moved = git.push(
            self.forge.remote(action.repo), action.cleared.sha, action.ref, action.expected,
            action.proof, action.cleared, fence=fence,
        )
        if moved and leases is not None and fence is not None:
            leases.moved(pair, fence)
        if pair.pull is not None:
            self.fresh.written(pair.pull)
        fact = next((f for f in self.snapshot.runs if f.order.run == action.run), None)
        return {"ref": action.ref, "records": list(fact.end.records) if fact and fact.end else []}

    def _open_pull(self, action: OpenPull) -> dict[str, object]:
        self._demand_no_secret(action.repo, action.title, action.body)
        pull = self.pulls.open(action)
        return {"pull": pull.number, "title": pull.title}

    def _assign_owner(self, action: AssignOwner) -> dict[str, object]:
        pull = self.pulls.of(action)
        owner = self.snapshot.owner
        if pull and owner.id not in {account.id for account in pull.assignees}:
            self.forge.assign(pull, [owner])
            self.fresh.written(pull)
        return {"assignee": owner.login}

    def _post(self, action: Post) -> dict[str, object]:
        item = self._target(action)
        if item is None:
            raise Stale("apply_nothing_to_comment", head=action.head)
        facts: dict[str, object] = {
            "on": item.number, "comment": comments.below(action.body), "cell": action.marker.cell,
            "next": action.marker.to, "run": action.marker.run,
        }
        for comment in item.comments:
            made = trust.our_marker(comment, self.snapshot.viewer, self.snapshot.mac_key)
            if made and replace(made, mac="") == replace(action.marker, mac=""):
                return facts
        self._demand_no_secret(action.repo, action.body)
        self.fresh.commented(item, self.forge.comment(item, self._signed(action)))
        return facts

    def _answer(self, action: ReplyInThread) -> dict[str, object]:
        self._demand_no_secret(action.repo, action.body)
        viewer, key = self.snapshot.viewer, self.snapshot.mac_key
        item = self.fresh.item(action.repo, action.number)
        unable = answer_in_thread(self.forge, viewer, key, action, item)
        self.fresh.written(item)
        if unable is not None:
            words = say(unable.key, self.config.factory.language, **unable.slots)
            self.emit.tell("thread", words, pair=action.pair_key, key=unable.key)
        return {"on": action.number, "thread": action.thread, "run": action.marker.run}

    def _demand_no_secret(self, repo: str, *texts: str) -> None:
        """The last door before the forge: `decide` has sent every such text to the owner (R45)."""
        secrets = known_secrets(self.config, self.forge.remote(repo).token)
        if any(contains_secret(text, secrets) for text in texts):
            raise Problem("apply_secret")

    def _signed(self, action: Post) -> str:
        return comments.whole(action.marker, comments.below(action.body), self.snapshot.mac_key)[1]

    def _target(self, action: Post) -> Item | None:
        """The item to comment on, as it is: a comment made a moment ago must be seen."""
        pull = self.pulls.of(action) if action.number is None else None
        number = pull.number if pull is not None else action.number
        return self.fresh.item(action.repo, number) if number is not None else None

    def _merge(self, action: MergePull) -> dict[str, object]:
        judged = self._pair(action.pair_key).pull
        if judged is None:
            raise Stale("apply_no_member", pair=action.pair_key)
        git = Git(self.state.repository(action.repo))
        self.fresh.forget(action.repo, action.number)  # whatever comes of it
        for closed in facts_of(judged).closes:
            self.fresh.forget(action.repo, closed)
        made = take_in(self.config, self.forge, git, action, judged)
        return {"pull": action.number, "merge": made}

    def _close_run(self, action: CloseRun) -> dict[str, object]:
        folder = RunFolder(self.state.root / "runs" / action.run)
        if not folder.path.exists():
            return {"run": action.run}
        order = folder.order()  # once: what is cleaned below may be withheld whole
        end, git = folder.end(), Git(self.state.repository(order.repo))
        put_away(git, action.run, end.sealed if end else None, keeping=action.keep)
        secrets = known_secrets(self.config, self.forge.remote(order.repo).token)
        clean_logs(folder.path, secrets, self.config.factory.language)
        if action.keep:
            self._tell_of_lost_labels(order)
        folder.close(self.state.logs)
        return {"run": action.run, "kept": action.keep}

    def _tell_of_lost_labels(self, order: Order) -> None:
        """A label that an item has lost may have been deleted: then nobody can set it again."""
        pair = self._pair(order.pair_key)
        members = [item for item in (pair.issue, pair.pull) if item is not None]
        if any(self.config.cell_of_label(label.name) for item in members for label in item.labels):
            return
        if missing := missing_labels(self.config, self.forge, order.repo):
            self.emit.problem(Problem("check_labels", repo=order.repo, labels=", ".join(missing)))

    # ------------------------------------------------------------ the state of a pair

    @property
    def _shown(self) -> Shown:
        return Shown(self.config, self.forge, self.snapshot, self.fresh, self.left)

    def _set_state(self, action: SetState) -> dict[str, object]:
        pull_number = action.pull
        if pull_number is None and action.head:
            pull = self.pulls.of(action)
            pull_number = pull.number if pull else None
        on = pull_number if action.on == "pull" else action.issue
        if on is None:
            raise Stale("apply_no_member", pair=action.pair_key)
        return self._shown.set_labels(action, on, action.issue if on == pull_number else pull_number)

    def put_ledger(self, repo: str, number: int, ledger: Ledger) -> dict[str, object]:
        return self._shown.put_ledger(repo, number, ledger)

    def _claim(self, action: Claim) -> dict[str, object]:
        """Lock, order, ledger row, `working`, read back; then the run is the coordinator's to start."""
        if action.issue is None and action.pull is None:
            return self._claim_factory(action)
        folder = self.state.new_run(self.snapshot.now)
        try:
            order = prepare(self.config, self.forge, self.state, self.snapshot, action, folder)
        except BaseException:
            folder.discard()
            raise
        try:
            self._announce(action, order, folder.limits())
            labels = self._shown.add_working(action.repo, self._worked_on(action), action.cell)
            self._look_once_more(action)
        except Problem:
            # It may stand in the book and under `working`: the next pass takes both back.
            folder.write_end(withdrawn(order, self.snapshot.now))
            folder.unlock()
            raise
        self.claimed.append(folder)
        why = say(action.why, self.config.factory.language)
        return {**labels, "cell": action.cell, "run": folder.run, "why": why}

    def _claim_factory(self, action: Claim) -> dict[str, object]:
        """A run on no item: its row stands in the state folder, and nothing on the forge (R50)."""
        folder = self.state.new_run(self.snapshot.now)
        try:
            order, book = prepare_factory(
                self.config, self.forge, self.state, self.snapshot, action, folder
            )
            factory_book.keep_book(self.state, order.cell, book)
        except BaseException:
            folder.discard()
            raise
        self.claimed.append(folder)
        why = say(action.why, self.config.factory.language)
        return {"cell": action.cell, "run": folder.run, "why": why}

    def _announce(self, action: Claim, order: Order, limits: Limits) -> None:
        """The row stands in the book before the label says that it runs (R24, R30)."""
        pair = self._pair(action.pair_key)
        found = trust.our_ledger(pair, self.snapshot.viewer, self.snapshot.mac_key)
        before = found[1] if found else Ledger()
        ledger = rounds.claimed(
            before, order, self.snapshot.machine, self.snapshot.now, limits.timeout_s, limits.model
        )
        self.put_ledger(action.repo, pair.number, ledger)

    def _worked_on(self, action: Claim) -> int:
        """The member that carries the labels of this run (R1)."""
        cell = self.config.cell(action.cell)
        on = action.pull if cell and cell.on == "pull_request" else action.issue
        if on is None:
            raise Stale("apply_no_member", pair=action.pair_key)
        return on

    def _look_once_more(self, action: Claim) -> None:
        """The owner may have taken the pair back while we claimed it: then it is not started (R26).

        Always a question of its own, whole, after our last write: nothing read before can tell.
        """
        pair = self._pair(action.pair_key)
        before = {item.number: item for item in (pair.issue, pair.pull) if item is not None}
        found = together(self.forge, pair.repo, list(before), before=before).items
        read = {number: self._whole(item) for number, item in found.items()}
        now = replace(
            pair, issue=pair.issue and read[pair.issue.number], pull=pair.pull and read[pair.pull.number]
        )
        trusted = trust.may_run(self.config, now, action.cell, self.snapshot)
        on = self._worked_on(action)
        if isinstance(trusted, trust.Distrust) or not self._shown.is_claimed(read[on], action.cell):
            raise Stale("apply_changed_while_claiming", number=pair.number)

    def _whole(self, item: Item | ForgeError) -> Item:
        if isinstance(item, ForgeError):
            raise item
        self.fresh.take(item)
        return item

    def published(self, action: Action) -> str:
        """The run whose result is being written: a refusal is counted for it (R33)."""
        ended = [
            fact.order.run for fact in self.snapshot.runs
            if fact.order.pair_key == action.pair_key and fact.status == "ended"
        ]
        return min(ended, default="")

    def trouble(self, action: Action, words: str) -> None:
        """What went wrong with an item last, for `why`; "" when nothing did."""
        if isinstance(action, DeleteBranch):  # the pair itself is over
            self.state.note_trouble(branch_place(action.repo, action.ref), words)
        elif isinstance(action, Claim) or words:
            self.state.note_trouble(action.pair_key, words)

    def _pair(self, key: str) -> Pair:
        return next(pair for pair in self.snapshot.pairs if pair.key == key)


def apply(
    config: Config, forge: Forge, state: State, plan: Plan, snapshot: Snapshot, emit: Emit,
    claimed: list[RunFolder] | None = None, leases: Leases | None = None, fresh: Fresh | None = None,
) -> Apply:
    """Do the plan. Returns what came of it; raises the forge's Problem when it is out of reach.

    `claimed` is where the folders of new runs go: they are known even when a later write raises.
    `fresh`: what the look before has read.
    """
    work = Apply(
        config, forge, state, snapshot, emit, [] if claimed is None else claimed, leases=leases,
        looked=fresh,
    )
    for action in plan.actions:
        _make(work, action)
    return work


def _make(work: Apply, action: Action) -> None:
    if action.pair_key in work.failed | work.yielded:
        return
    try:
        facts = work.do(action)
    except Elsewhere:
        work.yielded.add(action.pair_key)
    except AskFirst as instead:
        for question in instead.actions:
            _make(work, question)
    except Problem as error:
        if _weather(error):
            raise
        _failed(work, action, error)
    else:
        work.trouble(action, "")
        work.emit.did(action, action_line(work.config, action, work.config.factory.language), facts)


def _weather(error: Problem) -> bool:
    full = isinstance(error, GitError) and error.cause == "disk"
    return full or isinstance(error, WEATHER) or error.exit_code == LATER


# The whole repository takes nothing until its owner opens it again: that is no fault of the run's.
ARCHIVED = ("git_archived", "github_archived", "gitea_archived")


def _for_good(error: Problem) -> bool:
    """Whether the same write would be refused again; else the next pass sees another world."""
    if isinstance(error, GitError):
        return error.cause not in ("rejected_stale", "conflict")
    return not isinstance(error, Stale | NotFound | Partial)


def _failed(work: Apply, action: Action, error: Problem) -> None:
    """The rest of this pair waits. A refusal for good is counted, so that it cannot repeat for ever (R33)."""
    work.failed.add(action.pair_key)
    language = work.config.factory.language
    words = say(error.key, language, **error.slots)
    if _for_good(error):
        work.trouble(action, words)
        run = work.published(action)
        if run and error.key not in ARCHIVED:
            RunFolder(work.state.root / "runs" / run).note_refusal(words)
    text = say("apply_failed", language, what=action_line(work.config, action, language), why=words)
    if isinstance(error, Stale):  # somebody was faster: nothing is wrong
        work.emit.tell("failed", text, pair=action.pair_key, key=error.key)
    else:
        work.emit.failed("failed", text, error, pair=action.pair_key, key=error.key)
