"""Labels put right: stopped pairs, halves of our moves, the wrong member (R1 to R4, R7, R11)."""

from __future__ import annotations

from dataclasses import replace

from agentcells import rounds
from agentcells.brakes import brake_after, spend
from agentcells.case import WAITING, Case, Judged
from agentcells.labelling import MEMBER_MOVE, Labelling
from agentcells.model import HOLD, WORKING
from agentcells.pairs import facts, pull_of_ours
from agentcells.plan import Action, CloseRun, DeleteBranch
from agentcells.posts import Move


def stopped(case: Case) -> Judged | None:
    """Closing or merging either member stops the pair: labels off both, no more than that (R11)."""
    if not case.over:
        return None
    actions: list[Action] = []
    if case.state.labelled:
        actions.append(case.set_state("", hold=False))
    for run in case.runs:
        if run.status != "alive":
            actions += spend(case, run)
            actions.append(CloseRun(pair_key=case.pair.key, run=run.order.run, keep=True))
            case = replace(case, brake=brake_after(case, actions))
    return Judged(actions=(*actions, *_merged_branch(case)))


def _merged_branch(case: Case) -> tuple[DeleteBranch, ...]:
    """After a merge the branch of ours goes, once no run of the pair needs it."""
    pull = case.pair.pull
    if pull is None or pull.state != "merged" or pull_of_ours(pull, case.snapshot.viewer) is None:
        return ()
    ref = facts(pull).head_ref
    if case.runs or f"{case.pair.repo} {ref}" not in case.snapshot.branches:
        return ()
    return (DeleteBranch(pair_key=case.pair.key, repo=case.pair.repo, ref=ref),)


def superseded(case: Case) -> Judged | None:
    """An older pull request of ours that is open again beside its issue's newer attempt (R9, R22)."""
    pull = case.pair.pull
    place = pull_of_ours(pull, case.snapshot.viewer) if pull is not None and case.own_pull else None
    if place is None:
        return None
    newer = next((
        pair for pair in case.snapshot.pairs
        if pair.issue is not None and (pair.repo, pair.number) == (case.pair.repo, place[0])
    ), None)
    if newer is None:
        return None  # its issue is not known: the reason for that is given at the end
    return case.skip("skip_older_pull", "owner", issue=place[0])


def interrupted(case: Case) -> Judged | None:
    """A move that stands in the book and that no label followed: this machine died in between.

    What caused it counts as obeyed, so it would not be made again. Anybody's newer label stands
    above it.
    """
    move = case.book.moves[-1] if case.book.moves else None
    if move is None or move.why in (rounds.CONFLICT, MEMBER_MOVE):
        return None
    if any(_follows(change, move) for change in case.labels):
        return None
    if move.why == rounds.HELD:
        return Judged(actions=(case.set_state("", hold=False),)) if case.state.labelled else None
    if case.state.states != {move.came_from} - {""}:
        return None
    taken_off = move.came_from == move.to  # `/resume` beside a state: only `hold` goes
    if taken_off and not case.state.hold:
        return None
    return Judged(actions=(case.set_state(move.to, hold=case.state.hold and not taken_off),))


def _follows(change: Labelling, move: Move) -> bool:
    """Whether this change of a label carries the move out, or is somebody's word after it."""
    # Both by the forge's clock; where it gives whole seconds only, one of the same second counts as later.
    since = move.at if change.at.microsecond else move.at.replace(microsecond=0)
    if change.at < since or change.state == WORKING:
        return False
    if change.by != "ours":
        return True
    return change.state in ((move.to,) if change.added else (move.came_from, HOLD))


def mislabelled(case: Case) -> Judged | None:
    """Labels that say nothing, two things, or stand on the wrong member."""
    states = case.state.states
    if not states:
        return _stateless(case)
    if len(states) > 1:
        return _two_states(case)
    state = case.state.only
    if case.config.cell(state) is None and state not in WAITING:
        return None  # a label without a cell: its reason is given at the end
    home = case.home(state)
    if case.state.on is None:  # on both members: the half of a move of ours, or set twice
        return Judged(actions=(case.set_state(state),))
    if case.state.on != home and not (home == "issue" and case.own_pull):
        return _moved_home(case, state)
    if case.state.working:
        return Judged(actions=(case.set_state(state),))  # no run and no row stands behind it
    return None


def _stateless(case: Case) -> Judged:
    if case.state.working:
        return Judged(actions=(case.set_state(""),))  # R2
    if case.state.hold:
        return case.skip("skip_hold_alone", "owner")
    if case.state.look_alike:
        return case.skip("skip_look_alike", "owner")
    return Judged()


def _moved_home(case: Case, state: str) -> Judged:
    """The owner labelled the other member: he means the pair (R1). A stranger's label is left."""
    newest = case.newest_set(state)
    if newest is None:
        return case.skip("skip_label_unknown", "owner")
    if newest.by == "other":
        return case.skip("skip_label_foreign", "owner", who=newest.login)
    if case.lost:
        return case.skip("skip_ledger_lost", "owner")
    return Judged(actions=case.move(state, MEMBER_MOVE))


def _two_states(case: Case) -> Judged:
    """Repaired only when they are the two halves of our own newest move (R4); else nothing runs."""
    to = _half_done(case)
    if to:
        return Judged(actions=(case.set_state(to),))
    states = tuple(sorted(case.state.states))
    # `working` is that of a claim whose run is gone; the states are the owner's to choose from.
    off = (replace(case.set_state(""), beside=states),) if case.state.working else ()
    names = " + ".join(sorted(case.config.label(state) for state in states))
    told: tuple[Action, ...] = ()
    # Where all of them are other people's, this was never put into the line: we have no word to say (R24).
    if any(newest.by != "other" for state in states if (newest := case.newest_set(state)) is not None):
        changes = _changes(case)
        newest_at = changes[-1].at.isoformat() if changes else ""
        told = case.notice(f"two:{names}:{newest_at}", "plan_two_states", {"labels": names})
    return replace(case.skip("skip_two_states", "owner", labels=names), actions=(*off, *told))


def _half_done(case: Case) -> str:
    """Where our newest move was going when it was interrupted between add and remove, or ""."""
    announced = [
        (comment.created_at, marker.came_from, marker.to) for comment, marker in case.posts
        if marker.to and marker.came_from != marker.to
    ]
    announced += [(move.at, move.came_from, move.to) for move in case.book.moves if move.to]
    if not announced:
        return ""
    at, came_from, to = max(announced, key=lambda one: one[0])
    if case.state.states != {came_from, to}:
        return ""
    changes = _changes(case)
    if not changes:
        return ""
    first_half = changes[-1]
    ours = first_half.by == "ours" and first_half.added and first_half.state == to
    # A forge may cut the time of an event to whole seconds: it must not seem older for that.
    return to if ours and first_half.at >= at.replace(microsecond=0) else ""


def _changes(case: Case) -> list[Labelling]:
    """Changes of state labels: `working` and `hold` stand beside a state and are none."""
    return [change for change in case.labels if change.state not in (WORKING, HOLD)]


def held(case: Case) -> Judged | None:
    """`ac:hold` beside a state: nothing runs, until the owner takes it off (R7)."""
    if case.state.hold:
        return case.skip("skip_held", "owner", label=case.config.label(HOLD))
    holds = [change for change in case.labels if change.state == HOLD]
    newest = holds[-1] if holds else None
    if newest is None or newest.added or newest.by != "other":
        return None
    if case.heard_at is not None and case.heard_at > newest.at:
        return None
    return case.skip("skip_hold_taken_off", "owner", who=newest.login)
