"""What the end of a run comes to: where the pair goes, what is pushed or kept, why (R5, R7, R8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentcells import rounds
from agentcells.case import Case
from agentcells.comments import proposals
from agentcells.merging import merge_obstacle
from agentcells.model import ANSWER, DONE, IN_REVIEW, MERGE, NEEDS_HUMAN, Comment
from agentcells.pairs import facts
from agentcells.replies import reply_cell
from agentcells.run import (
    AT_ONCE_HUMAN,
    WEATHER,
    Delivery,
    Order,
    Outcome,
    RunEnd,
    RunFact,
    Verdict,
)
from agentcells.sentences import say
from agentcells.trust import Approval
from agentcells.voices import unread

if TYPE_CHECKING:
    from agentcells.config import Cell

Reason = tuple[str, dict[str, object]]

PUSHES = 3  # refusals of one result, over all passes, then the owner is asked (R33)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """`to`: the state the pair goes to. `silent`: no comment, the book alone tells."""

    to: str
    outcome: Outcome
    reason: Reason | None = None
    push: bool = False
    open_pull: bool = False
    keep: bool = False
    merge: bool = False
    silent: bool = False
    conflict: bool = False


def end_of(run: RunFact) -> RunEnd:
    if run.end is None:
        raise AssertionError("a run that has ended left its end")
    return run.end


def published(run: RunFact) -> bool:
    """Its work is on the forge already: a pass before this one pushed it."""
    found = run.delivery
    return found is not None and found.tip == found.push_sha and found.push_sha != run.order.start


def settle(case: Case, run: RunFact, approval: Approval) -> Settled:
    """Judge an ended run that may still be published."""
    outcome, order = end_of(run).outcome, run.order
    if outcome.kind in WEATHER:
        return Settled(to=order.came_from, outcome=outcome, silent=True, keep=end_of(run).changed)
    if outcome.kind == "done" and outcome.next not in order.nexts:
        outcome = Outcome(
            kind="bad_answer", detail=outcome.next, tokens=outcome.tokens, usd=outcome.usd
        )
    if outcome.kind != "done":
        return _failed(case, run, outcome)
    if run.secrets:
        return _secretive(run, outcome)
    again = bool(unread_of(case, order)) or approval.text_hash != order.text_hash
    if outcome.next == ANSWER:
        to = order.came_from if again else order.resume_from or NEEDS_HUMAN
        return Settled(to=to, outcome=outcome, keep=end_of(run).changed)
    return _done(case, run, outcome, again)


def _secretive(run: RunFact, outcome: Outcome) -> Settled:
    """It would write a secret where everybody reads: nothing of it is published (R45)."""
    return Settled(
        to=NEEDS_HUMAN, outcome=replace(outcome, comment="", fields=()), keep=end_of(run).changed,
        reason=("plan_secret", {"names": ", ".join(run.secrets)}),
    )


def unread_of(case: Case, order: Order) -> tuple[Comment, ...]:
    """The owner's words that came while it ran (R14)."""
    return unread(
        case.config, case.pair, case.snapshot.owner, case.snapshot.viewer, order.seen,
        read_at=order.created_at,
    )


# ---------------------------------------------------------------- failures


def _failed(case: Case, run: RunFact, outcome: Outcome) -> Settled:
    """Three in a row, or one that another try cannot mend: the owner is asked (R33)."""
    end = end_of(run)
    book = rounds.ended(case.book, run.order.run, outcome, end.ended_at, "", kind=outcome.kind)
    count = rounds.failures_in_a_row(book, case.heard_at)
    if outcome.kind in AT_ONCE_HUMAN or outcome.kind == "refused":
        return Settled(to=NEEDS_HUMAN, outcome=outcome, keep=end.changed)
    if count >= rounds.IN_A_ROW:
        reason: Reason = ("plan_failures", {"count": count})
        return Settled(to=NEEDS_HUMAN, outcome=outcome, reason=reason, keep=end.changed)
    return Settled(to=run.order.came_from, outcome=outcome, silent=True, keep=end.changed)


# ---------------------------------------------------------------- a good end


def _done(case: Case, run: RunFact, outcome: Outcome, again: bool) -> Settled:
    """Where the model wants to go, unless a rule is against it; again if the owner wrote (R14)."""
    order, changed = run.order, end_of(run).changed
    if outcome.next == NEEDS_HUMAN:
        to = order.came_from if again else NEEDS_HUMAN
        return Settled(to=to, outcome=outcome, keep=changed)
    if run.refused_pushes >= PUSHES:
        return Settled(
            to=NEEDS_HUMAN, outcome=outcome, reason=("plan_push_refused", {"words": run.refusal}),
            keep=changed and not published(run),
        )
    if _strangers(run):
        return Settled(
            to=NEEDS_HUMAN, outcome=outcome, keep=changed,
            reason=("plan_foreign", {"who": ", ".join(_strangers(run))}),
        )
    if conflicting(run) and not _conflict_before(case, run):
        return _conflict(case, run, outcome)
    if outcome.next == DONE and _moved(case, run):
        return Settled(
            to=order.came_from, outcome=outcome, keep=changed, reason=("plan_head_moved", {})
        )
    reason = _obstacle(case, run, outcome.next)
    if reason is not None:
        to = order.came_from if again else NEEDS_HUMAN
        return Settled(to=to, outcome=outcome, reason=reason, keep=changed)
    push = _pushes(case, run)
    opens = _opens(case, run, outcome.next, push)
    keep = changed and not push and not published(run)
    if again:
        return Settled(
            to=order.came_from, outcome=outcome, push=push, open_pull=opens, keep=keep
        )
    if outcome.next == MERGE:
        return _merge(case, run, outcome)
    to = IN_REVIEW if outcome.next == DONE else outcome.next
    return Settled(to=to, outcome=outcome, push=push, open_pull=opens, keep=keep)


def _strangers(run: RunFact) -> tuple[str, ...]:
    """Whose commits came to the branch while it ran: the owner sees them first (R44)."""
    found = run.delivery
    if found is None or found.foreign_by_owner or published(run):
        return ()
    return found.foreign[:5]


def _moved(case: Case, run: RunFact) -> bool:
    """What was looked at is not what stands on the branch now."""
    pull = case.pair.pull
    cell = case.config.cell(run.order.cell)
    if pull is None or not case.pull_open or cell is None or cell.on != "pull_request":
        return False
    return not run.order.writes and facts(pull).head_sha != run.order.start


def _merge(case: Case, run: RunFact, outcome: Outcome) -> Settled:
    """A cell may merge only with `merge = true`, and only what it was shown (R5)."""
    cell, keep = case.config.cell(run.order.cell), end_of(run).changed
    against = merge_obstacle(case, run, cell)
    if against is None:
        return Settled(to="", outcome=outcome, merge=True, keep=keep)
    to = IN_REVIEW if against[0] == "plan_merge_dry" else NEEDS_HUMAN
    return Settled(to=to, outcome=outcome, reason=against, keep=keep)


def _pushes(case: Case, run: RunFact) -> bool:
    """The owner's own pull request is never pushed to (R10)."""
    found = run.delivery
    if found is None or found.cleared is None or case.own_pull or not run.order.writes:
        return False
    return found.differs and not published(run)


def _opens(case: Case, run: RunFact, wanted: str, push: bool) -> bool:
    """A pull request is opened when the work goes on to where one is needed, and there is work."""
    if case.pull_open or case.own_pull or not onward(case, wanted):
        return False
    return push or (run.delivery is not None and run.delivery.tip is not None)


def onward(case: Case, wanted: str) -> bool:
    """Out of the hands of cells on issues: to a cell on pull requests, the owner, the merge."""
    cell = case.config.cell(wanted)
    return wanted in (DONE, MERGE) or (cell is not None and cell.on == "pull_request")


# ---------------------------------------------------------------- what stands against it


def _obstacle(case: Case, run: RunFact, wanted: str) -> Reason | None:
    """Why the pair does not go where the model wants."""
    if proposals(end_of(run).outcome):
        return "plan_split", {}
    if run.delivery is not None and not published(run):
        against = _against_push(run.delivery, case.config.factory.language)
        if against is not None:
            return against
    cell, target = case.config.cell(run.order.cell), case.config.cell(wanted)
    if target is None and wanted not in (DONE, MERGE):
        return "plan_no_such_cell", {"cell": wanted}
    if target is not None and target.on == "issue" and case.own_pull:
        return "plan_own_pull", {"cell": wanted}
    if cell is not None and onward(case, wanted):
        against = _without_proof_of_work(case, run, cell)
        if against is not None:
            return against
    if target is not None and target.on == "pull_request" and not _has_pull(case, run):
        return "plan_no_pull", {"cell": wanted}
    return None


def _has_pull(case: Case, run: RunFact) -> bool:
    return case.pull_open or (
        run.delivery is not None and (_pushes(case, run) or run.delivery.tip is not None)
    )


def _against_push(delivery: Delivery, language: str) -> Reason | None:
    """No merge to be had, a second conflict, the gate (R44, R45)."""
    if delivery.obstacle:
        return delivery.obstacle, {}
    if delivery.conflicts:
        return "plan_conflict_again", {"paths": ", ".join(delivery.conflicts[:5])}
    if delivery.verdict.blocks or delivery.cleared is None:
        return "plan_gate", {"what": _first_block(delivery.verdict, language)}
    return None


def _first_block(verdict: Verdict, language: str) -> str:
    """What the gate found and where, never the secret (R45)."""
    if not verdict.blocks:
        return "?"
    first = verdict.blocks[0]
    more = f" (+{len(verdict.blocks) - 1})" if len(verdict.blocks) > 1 else ""
    what = say(f"gate_{first.rule}", language, detail=first.detail).rstrip(".。")
    return f"{first.path}: {what}{more}" if first.path else what + more


def _without_proof_of_work(case: Case, run: RunFact, cell: Cell) -> Reason | None:
    """R8: something new is recorded, and the test passed on exactly that."""
    end, delivery = end_of(run), run.delivery
    new = delivery is not None and (delivery.differs or published(run) or _unopened(case, run))
    if cell.needs_record and run.order.writes and not new:
        return "plan_nothing_new", {}
    if not cell.needs_test or not case.config.commands.test:
        return None
    tested = end.tested
    if tested is None or tested.tree != end.sealed_tree:
        return "plan_not_tested", {}
    if not tested.passed:
        return "plan_test_failed", {}
    if cell.needs_test == "merged" and delivery is not None and delivery.merged_base:
        return "plan_merged_untested", {}
    return None


def _unopened(case: Case, run: RunFact) -> bool:
    """The work of an earlier run stands on the branch, and no pull request could be opened for it then."""
    return run.order.branch_exists and not case.pull_open and run.delivery is not None and run.delivery.ahead


# ---------------------------------------------------------------- conflicts


def conflicting(run: RunFact) -> bool:
    """Its work does not merge with what the branch or its base has become."""
    return run.delivery is not None and bool(run.delivery.conflicts) and not published(run)


def _conflict_before(case: Case, run: RunFact) -> bool:
    """This run was the one that was to solve it (R44)."""
    return bool(run.order.conflicts) or rounds.conflict_open(case.book)


def _conflict(case: Case, run: RunFact, outcome: Outcome) -> Settled:
    """Once to a cell that writes: its next run finds the files with the marks of the conflict."""
    to = run.order.came_from if run.order.writes else reply_cell(case, None)
    found = run.delivery.conflicts if run.delivery is not None else ()
    return Settled(
        to=to or NEEDS_HUMAN, outcome=outcome, keep=True, conflict=True,
        reason=("plan_conflict", {"paths": ", ".join(found[:5])}),
    )
