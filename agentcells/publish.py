"""The plan for a run that is over: published in order, kept or buried (R18, R26, R33, R39, R40)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentcells import rounds
from agentcells.brakes import TO_MEND, spend
from agentcells.case import Case, Judged
from agentcells.comments import pull_text, result_post
from agentcells.labelling import Labelling
from agentcells.merging import merge_obstacle, waits
from agentcells.model import ANSWER, DONE, HOLD, IN_REVIEW, MERGE, WORKING, Comment
from agentcells.pairs import facts
from agentcells.plan import (
    Action,
    AssignOwner,
    CloseRun,
    MergePull,
    OpenPull,
    Post,
    Push,
    ReplyInThread,
    WriteLedger,
)
from agentcells.posts import Ledger, LedgerRow, Marker
from agentcells.run import Outcome, Proof, RunFact
from agentcells.sentences import say
from agentcells.settle import Settled, conflicting, end_of, published, settle, unread_of
from agentcells.threads import answers
from agentcells.trust import Distrust, may_run, same


def elsewhere(case: Case) -> Judged | None:
    """Another machine holds the lease of this pair: nothing is written about it here."""
    for key, machine in case.snapshot.elsewhere:
        if key == case.pair.key:
            return case.skip("skip_other_machine", "time", machine=machine)
    return None


def running(case: Case) -> Judged | None:
    """The runs of this pair on this machine: alive, ended or dead."""
    if not case.runs:
        return None
    alive = next((run for run in case.runs if run.status == "alive"), None)
    if alive is not None:
        return case.skip("skip_running", cell=alive.order.cell, run=alive.order.run)
    run = min(case.runs, key=lambda one: one.order.run)
    if run.end is not None and run.end.outcome.kind == rounds.WITHDRAWN:
        return _unstarted(case, run)
    proof = run.end.proof if run.end is not None else None
    if run.status == "dead" or proof is None:
        return buried(case, run)
    if case.state.hold:
        return case.skip("skip_held_result", "owner", run=run.order.run)
    return _ended(case, run, proof)


def orphaned(case: Case) -> Judged | None:
    """Rows without an end that no run folder here stands behind (R17, R33)."""
    rows = rounds.unended(case.book)
    if not rows:
        return None
    now, here = case.snapshot.now, case.snapshot.machine
    elsewhere = [row for row in rows if row.machine != here and not rounds.overdue(row, now)]
    if elsewhere:
        return case.skip("skip_other_machine", "time", machine=elsewhere[0].machine)
    book, said = case.book, None
    for row in rows:
        said = _decision(case, row.run)
        book = rounds.died(book, [row.run], now) if said is None else _as_said(book, *said)
    return Judged(actions=_after_death(case, book, rows[-1], said))


def _as_said(book: Ledger, comment: Comment, marker: Marker) -> Ledger:
    """The machine died after it had told the result: the row ends as the comment says."""
    told = Outcome(kind="done", next=ANSWER if marker.cause == ANSWER else marker.to)
    kind = marker.cause if marker.cause in rounds.OUTCOMES else ""
    return rounds.ended(book, marker.run, told, comment.created_at, marker.to, kind=kind)


def buried(case: Case, run: RunFact) -> Judged:
    """A run without a proof is never published (R39). It counts; its work is kept (R33, R40)."""
    before = rounds.row_of(case.book, run.order.run)
    if before is not None and before.end is not None:
        return _given_up(case, run)
    end = run.end
    outcome = end.outcome if end is not None else Outcome(kind="crash")
    at = end.ended_at if end is not None else case.snapshot.now
    kind = "containment" if end is not None and end.proof is None else "crash"
    said = _decision(case, run.order.run)
    book = (
        rounds.ended(case.book, run.order.run, outcome, at, "", kind=kind) if said is None
        else _as_said(case.book, *said)
    )
    row = rounds.row_of(book, run.order.run)
    after = _after_death(case, book, row, said) if row is not None else ()
    labels = [action for action in after if not isinstance(action, WriteLedger)]
    ledger = [action for action in after if isinstance(action, WriteLedger)]
    close = CloseRun(pair_key=case.pair.key, run=run.order.run, keep=True)
    return Judged(actions=(*labels, *spend(case, run), *ledger, close))


def _unstarted(case: Case, run: RunFact) -> Judged:
    """Claimed and never started: label and book say so, and it counts for nothing (R33)."""
    end, key, name = end_of(run), case.pair.key, run.order.run
    actions: list[Action] = []
    if case.state.working and len(case.state.states) == 1:
        actions.append(case.set_state(case.state.only))
    if name in {row.run for row in rounds.unended(case.book)}:
        actions.append(case.write(rounds.ended(case.book, name, end.outcome, end.ended_at, "")))
    return Judged(actions=(*actions, CloseRun(pair_key=key, run=name, keep=False, unstarted=True)))


def _announced(case: Case, comment: Comment, marker: Marker) -> str:
    """Where this told result sends a pair that nobody has labelled since, or "" (R18)."""
    if case.state.states != {marker.came_from}:
        return ""
    ours = [n for n, one in enumerate(case.labels) if one.added and one.state == WORKING and one.by == "ours"]
    # By their order from the claim on: GitHub's times are of whole seconds, and a run may take less.
    since = (one for one in case.labels[ours[-1] + 1 if ours else 0:] if one.at >= comment.created_at)
    return "" if any(map(_moves, since)) else marker.to


def _moves(change: Labelling) -> bool:
    """Whether somebody has sent the pair elsewhere: a `hold` that came and went has not."""
    return change.by != "ours" and change.state not in (WORKING, HOLD)


def _after_death(
    case: Case, book: Ledger, row: LedgerRow, said: tuple[Comment, Marker] | None
) -> tuple[Action, ...]:
    """The label no longer says that it runs; after three failures the owner is asked (R33).

    What the run had told is carried out, as if it had not died: doing it again would tell it twice.
    """
    if said is not None and (to := _announced(case, *said)):
        return (case.set_state(to), case.write(book))
    count = rounds.failures_in_a_row(book, case.heard_at)
    if case.state.only == row.cell and count >= rounds.IN_A_ROW:
        parked = case.park(f"failures:{row.run}", "plan_deaths", count=count, cell=row.cell)
        return (*parked.actions, case.write(book))
    if case.state.working and len(case.state.states) == 1:
        return (case.set_state(case.state.only), case.write(book))
    return (case.write(book),)


# ---------------------------------------------------------------- an ended run


def _ended(case: Case, run: RunFact, proof: Proof) -> Judged:
    """Publish it, finish what a pass before began, or keep it when trust no longer holds (R26)."""
    said = _decision(case, run.order.run)
    if said is not None:
        return _finish(case, run, proof, *said)
    if case.lost or not case.book_id:
        return _withheld(case, run, case.skip("skip_ledger_lost", "owner"))
    row = rounds.row_of(case.book, run.order.run)
    if row is not None and row.end not in (None, end_of(run).ended_at):
        return _given_up(case, run)
    came_from = run.order.came_from
    if case.state.states != {came_from}:
        return _withheld(case, run, case.skip("skip_label_gone", "owner", run=run.order.run))
    trusted = may_run(case.config, case.pair, came_from, case.snapshot)
    if isinstance(trusted, Distrust):
        return _withheld(case, run, case.distrusted(trusted))
    end = end_of(run)
    if run.order.writes and end.changed and end.sealed is not None and run.delivery is None:
        # What would be pushed is not known yet: a write without effect asks for a closer look.
        return _closer(case, came_from)
    return _not_yet(case, run) or _published(case, run, proof, settle(case, run, trusted))


def _closer(case: Case, state: str) -> Judged:
    """A write without effect: whatever a plan writes about is read again first (R21)."""
    return Judged(actions=(case.set_state(state, working=case.state.working),))


def _not_yet(case: Case, run: RunFact) -> Judged | None:
    """A merge that checks or the forge hold up for a while: the result waits in its folder."""
    end, cell = end_of(run), case.config.cell(run.order.cell)
    if cell is None or not cell.merge or end.outcome.next != MERGE or end.outcome.kind != "done":
        return None
    if case.brake.stopped:  # whoever stopped the factory does not expect the base to change
        return case.skip("skip_stopped", "owner")
    if run.delivery is None:
        return _closer(case, case.state.only)
    against = merge_obstacle(case, run, cell)
    if against is None or not waits(against, end.ended_at, case.snapshot.now):
        return None
    words = say(against[0], case.config.factory.language, **against[1])
    return case.skip("skip_merge_waits", "time", words=words)


def _decision(case: Case, run: str) -> tuple[Comment, Marker] | None:
    return next((
        (comment, marker) for comment, marker in case.posts
        if marker.kind == "decision" and marker.run == run
    ), None)


def _given_up(case: Case, run: RunFact) -> Judged:
    """Somebody took this run for dead and wrote so into the book: it comes too late (R17).

    What another machine does with the pair now is not touched: neither its label nor the book.
    """
    judged = case.skip("skip_taken_over", "nobody", run=run.order.run)
    close = CloseRun(pair_key=case.pair.key, run=run.order.run, keep=True)
    return replace(judged, actions=(*spend(case, run), close))


def _withheld(case: Case, run: RunFact, judged: Judged) -> Judged:
    """Nothing of it is published; the work is kept for a later run (R26, R40)."""
    actions: list[Action] = []
    if case.state.working and len(case.state.states) <= 1:
        actions.append(case.set_state(case.state.only))
    actions += spend(case, run)
    if case.book_id:
        end = end_of(run)
        actions.append(case.write(
            rounds.ended(case.book, run.order.run, end.outcome, end.ended_at, "")
        ))
    actions.append(CloseRun(pair_key=case.pair.key, run=run.order.run, keep=True))
    return replace(judged, actions=(*judged.actions, *actions))


def _published(case: Case, run: RunFact, proof: Proof, settled: Settled) -> Judged:
    """Push, pull request, assignee, comment, label, book, close: in this order (R18)."""
    head = run.order.branch if settled.open_pull else ""
    actions: list[Action] = [
        *_work(case, run, proof, settled),
        *_told(case, run, proof, settled, head),
        *(_answers(case, run, proof, settled.outcome) if _stands(run, settled) else ()),
    ]
    if settled.merge:  # before the labels go: a `hold` that somebody sets meanwhile is still seen
        actions.append(_merge(case, run, proof))
    actions.append(case.set_state(settled.to, head=head))
    return Judged(actions=(
        *actions, *spend(case, run), *_closing(case, run, proof, settled)
    ))


def _work(case: Case, run: RunFact, proof: Proof, settled: Settled) -> Iterable[Action]:
    """What puts the files on the forge."""
    order, delivery = run.order, run.delivery
    key, repo = case.pair.key, case.pair.repo
    if settled.push and delivery is not None and delivery.cleared is not None:
        yield Push(
            pair_key=key, repo=repo, run=order.run, proof=proof, cleared=delivery.cleared,
            ref=order.branch, expected=delivery.tip,
        )
    if settled.open_pull and delivery is not None:
        title, body = pull_text(
            case.config, order, settled.outcome, delivery, end_of(run).tested
        )
        yield OpenPull(
            pair_key=key, repo=repo, run=order.run, proof=proof, head=order.branch,
            base=order.base_ref, title=title, body=body,
        )
    pull = case.pair.pull
    owned = pull is not None and any(same(one, case.snapshot.owner) for one in pull.assignees)
    if settled.open_pull or (settled.push and pull is not None and not owned):
        yield AssignOwner(pair_key=key, repo=repo, head=order.branch)


def _told(
    case: Case, run: RunFact, proof: Proof, settled: Settled, head: str
) -> tuple[Post, ...]:
    """The comment that carries the decision. Weather and a first failure make no noise (R32)."""
    kind = settled.outcome.kind
    if kind in TO_MEND and kind not in case.brake.told:
        return case.notice(f"{kind}:{run.order.run}", f"plan_{kind}", {})
    if settled.silent:
        return ()
    cell = case.config.cell(run.order.cell)
    book = _book_after(case, run, settled)
    count = rounds.used(book, run.order.cell, case.heard_at)
    marker, body = result_post(
        case.config, run.order, settled.outcome, settled.to, settled.reason, run.delivery,
        settled.open_pull, end=end_of(run), kept=settled.keep,
        rounds=(count, cell.max_rounds) if cell is not None else None,
        head=_head(run, settled),
    )
    return (case.post(marker, body, head=head, proof=proof),)


def _answers(
    case: Case, run: RunFact, proof: Proof, outcome: Outcome
) -> Iterable[ReplyInThread]:
    """What the run says to remarks on lines, each in its thread (R6)."""
    pull = case.pair.pull
    if pull is None or not case.pull_open or outcome.kind != "done" or run.secrets:
        return
    for thread, marker, body in answers(run.order, outcome, (marker for _, marker in case.posts)):
        yield ReplyInThread(
            pair_key=case.pair.key, repo=case.pair.repo, number=pull.number, thread=thread,
            marker=marker, body=body, proof=proof,
        )


def _stands(run: RunFact, settled: Settled) -> bool:
    """Whether what the run says of its work is so: nothing was against it, or the work is out even so."""
    return settled.reason is None or settled.push or published(run)


def _stood(run: RunFact, marker: Marker) -> bool:
    """The same of a decision that a pass before this one has told."""
    asked = end_of(run).outcome.next
    followed = marker.cause == ANSWER or marker.to in (asked, {DONE: IN_REVIEW, MERGE: ""}.get(asked))
    return followed or published(run)


def _head(run: RunFact, settled: Settled) -> str:
    """The branch as this decision leaves it: what came later is not ours (R44)."""
    found = run.delivery
    if found is None or settled.push or published(run):
        return ""
    return found.tip or run.order.start


def _merge(case: Case, run: RunFact, proof: Proof) -> MergePull:
    pull = case.pair.pull
    if pull is None:
        raise AssertionError("only a pull request is merged")
    return MergePull(
        pair_key=case.pair.key, repo=case.pair.repo, number=pull.number, run=run.order.run,
        proof=proof, expected_head=facts(pull).head_sha,
    )


def _book_after(case: Case, run: RunFact, settled: Settled) -> Ledger:
    book = rounds.ended(
        case.book, run.order.run, settled.outcome, end_of(run).ended_at, settled.to
    )
    return _conflict_noted(case, run, book) if settled.conflict else book


def _conflict_noted(case: Case, run: RunFact, book: Ledger) -> Ledger:
    """The next run is the one that is to solve it; there is no second (R44)."""
    return rounds.moved(
        book, case.snapshot.now, run.order.came_from, "", rounds.CONFLICT, run.order.run
    )


def _closing(
    case: Case, run: RunFact, proof: Proof, settled: Settled
) -> tuple[WriteLedger, CloseRun]:
    return (
        case.write(_book_after(case, run, settled), proof),
        CloseRun(pair_key=case.pair.key, run=run.order.run, keep=settled.keep),
    )


# ---------------------------------------------------------------- half published


def _finish(
    case: Case, run: RunFact, proof: Proof, comment: Comment, marker: Marker
) -> Judged:
    """The decision stands on the forge: only what comes after it is left to do (R18)."""
    end = end_of(run)
    merging = end.outcome.next == MERGE and marker.to == "" and case.pull_open
    waiting = _not_yet(case, run) if merging and not run.refused_pushes else None
    if waiting is not None:
        return waiting
    after = _merge_again if merging else _labels_after
    said = _answers(case, run, proof, end.outcome) if _stood(run, marker) else ()
    actions = [*said, *after(case, run, proof, comment, marker), *spend(case, run)]
    if case.book_id:
        kind = marker.cause if marker.cause in rounds.OUTCOMES else ""
        book = rounds.ended(
            case.book, run.order.run, end.outcome, end.ended_at, marker.to, kind=kind
        )
        if conflicting(run) and marker.to == run.order.came_from:
            book = _conflict_noted(case, run, book)
        actions.append(case.write(book, proof))
    keep = end.changed and not published(run)
    actions.append(CloseRun(pair_key=case.pair.key, run=run.order.run, keep=keep))
    return Judged(actions=tuple(actions))


def _labels_after(
    case: Case, run: RunFact, proof: Proof, comment: Comment, marker: Marker
) -> tuple[Action, ...]:
    """The announced label, unless somebody has set or taken one since: his hand is the newer."""
    undisturbed = not any(
        _moves(change) and change.at > comment.created_at for change in case.labels
    )
    if undisturbed and case.state.states and case.state.states <= {marker.came_from, marker.to}:
        return (case.set_state(marker.to),)
    if case.state.working and case.state.only:
        return (case.set_state(case.state.only),)
    return ()


def _merge_again(
    case: Case, run: RunFact, proof: Proof, comment: Comment, marker: Marker
) -> tuple[Action, ...]:
    """The merge did not come off: once more if all holds as before, else the owner is asked."""
    came_from = run.order.came_from
    trusted = may_run(case.config, case.pair, came_from, case.snapshot)
    if case.state.states != {came_from} or isinstance(trusted, Distrust):
        return _labels_after(case, run, proof, comment, marker)
    if unread_of(case, run.order):  # he has written since: his word comes first (R14)
        return (case.set_state(came_from),)
    if run.refused_pushes:
        return case.park(f"merge:{run.order.run}", "plan_merge_failed", words=run.refusal).actions
    against = merge_obstacle(case, run, case.config.cell(run.order.cell))
    if against is not None:
        words = say(against[0], case.config.factory.language, **against[1])
        return case.park(f"merge:{run.order.run}", "plan_not_merged", words=words).actions
    return (_merge(case, run, proof), case.set_state(""))
