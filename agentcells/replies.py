"""The owner's words to a pair: replies, commands, and checks that speak for him (R6, R7, R12)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from agentcells import rounds
from agentcells.case import WAITING, Case, Judged
from agentcells.model import HOLD, IN_REVIEW, NEEDS_HUMAN, WORKING, Comment, PullFacts
from agentcells.pairs import facts, pull_of_ours
from agentcells.plan import Action
from agentcells.trust import Distrust, may_run, text_hash
from agentcells.voices import EMAIL, INSTRUCTION, Voice, command, comments, same, unread, voice

if TYPE_CHECKING:
    from agentcells.config import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """What put a pair into the owner's hands. `seen` None: by the clock alone."""

    at: datetime
    cell: str
    seen: tuple[str, ...] | None = None
    read_at: datetime | None = None
    text_hash: str = ""


# ---------------------------------------------------------------- /hold, /stop, /resume


def commanded(case: Case) -> Judged | None:
    """The owner's newest command, obeyed once and without a model (R7)."""
    said = [one for one in case.said if command(one) in ("hold", "stop", "resume")]
    if not said or not _pending(case, said[-1]):
        return None
    if command(said[-1]) == "resume":
        return _resumed(case, said[-1])
    if not case.state.labelled:
        return None
    if case.lost:
        return Judged(actions=(case.set_state("", hold=False),))
    ledger = rounds.moved(
        case.book, case.snapshot.now, _last_state(case), "", rounds.HELD, said[-1].id
    )
    return Judged(actions=(case.write(ledger), case.set_state("", hold=False)))


def _pending(case: Case, said: Comment) -> bool:
    """Not obeyed yet, and the owner has not set a label since, which takes his word back."""
    if rounds.obeyed(case.book, said.id):
        return False
    return not any(
        change.by == "owner" and change.added and change.at > said.created_at
        for change in case.labels
    )


def _resumed(case: Case, said: Comment) -> Judged | None:
    """`/resume` puts the last state back; beside a state it takes `hold` off."""
    if case.state.states:
        if case.state.hold and case.state.only and not case.lost:
            return Judged(
                actions=case.move(case.state.only, rounds.RESUMED, said.id, hold=False)
            )
        return None  # a reply, when the pair waits for one
    last = _last_state(case)
    if not last:
        return None
    if case.lost:
        return case.skip("skip_ledger_lost", "owner")
    return Judged(actions=case.move(last, rounds.RESUMED, said.id, hold=False))


def _last_state(case: Case) -> str:
    """The state that stands now, else the one that was taken off last."""
    if case.state.only:
        return case.state.only
    held = rounds.newest_move(case.book, rounds.HELD)
    if not case.state.states and held is not None and held.came_from:
        return held.came_from
    states = [
        change.state for change in case.labels
        if change.state not in (WORKING, HOLD)
        and (case.config.cell(change.state) is not None or change.state in WAITING)
    ]
    return states[-1] if states else ""


# ---------------------------------------------------------------- waiting for the owner


def waiting(case: Case) -> Judged | None:
    """`needs-human` and `in-review`: back to a cell when the owner has spoken (R6)."""
    state = case.state.only
    if state not in WAITING:
        return None
    question = _question(case, state)
    answer = _reply(case, question) if question is not None else None
    if question is None or answer is None:
        failed = checks_failed(case) if state == IN_REVIEW else None
        return failed or _still_waiting(case, question, state)
    trusted = may_run(case.config, case.pair, state, case.snapshot)
    if isinstance(trusted, Distrust):
        return case.distrusted(trusted)
    if case.lost:
        return lost(case)
    to = _cell_after(case, question, state)
    if not to:
        return case.skip("skip_no_reply_cell", "owner")
    why, because = answer
    return Judged(actions=case.move(to, why, because))


def lost(case: Case) -> Judged:
    """The book is gone or spoilt: the owner's label starts a new one (R30)."""
    cause = ledger_cause(case)
    if case.state.only == NEEDS_HUMAN or case.told_at(cause) is not None:
        judged = case.skip("skip_ledger_lost", "owner")
        return Judged(
            actions=case.notice(cause, "plan_ledger_lost", {}), skip=judged.skip
        )
    return case.park(cause, "plan_ledger_lost")


def ledger_cause(case: Case) -> str:
    decisions = [comment.id for comment, marker in case.posts if marker.kind == "decision"]
    return f"ledger:{decisions[-1] if decisions else ''}"


def _still_waiting(case: Case, question: _Question | None, state: str) -> Judged:
    key = "skip_needs_human" if state == NEEDS_HUMAN else "skip_in_review"
    judged = case.skip(key, "owner")
    if state == IN_REVIEW and (flaky := _flaky(case)):
        return Judged(actions=flaky, skip=judged.skip)
    mails = _newer(case, question, EMAIL) if question is not None else ()
    return Judged(actions=_repeat_here(case, mails), skip=judged.skip)


def mailed(case: Case) -> Judged | None:
    """The owner wrote by mail while a cell had the pair: he is asked to repeat it, and it goes on (R27)."""
    owner, viewer = case.snapshot.owner, case.snapshot.viewer
    mails = [one for _, one in comments(case.pair) if voice(one, case.config, owner, viewer) in EMAIL]
    newest = max(mails, key=lambda one: one.created_at, default=None)
    if newest is None or any(said.created_at > newest.created_at for said in case.said):
        return None
    actions = _repeat_here(case, [newest])
    return Judged(actions=actions) if actions else None


def _repeat_here(case: Case, mails: Sequence[Comment]) -> tuple[Action, ...]:
    """Words that came by mail may be anybody's: one line asks for them here."""
    return case.notice(f"email:{mails[-1].id}", "plan_email", {}) if mails else ()


def _question(case: Case, state: str) -> _Question | None:
    """The newest thing that put the pair there: a post or a move of ours, or the owner's hand."""
    ways = (_by_hand, _by_move, _by_post, _by_row)
    found = [one for way in ways if (one := way(case, state)) is not None]
    if not found:
        return _by_label(case, state)
    return max(found, key=lambda one: (one.at, one.seen is not None))  # ids are finer than seconds


def _by_post(case: Case, state: str) -> _Question | None:
    for comment, marker in reversed(case.posts):
        if marker.to == state and marker.kind in ("decision", "notice"):
            row = rounds.row_of(case.book, marker.run)
            return _Question(
                at=comment.created_at, cell=marker.cell or marker.came_from, seen=marker.seen,
                read_at=row.start if row is not None else None, text_hash=marker.text_hash,
            )
    return None


def _by_move(case: Case, state: str) -> _Question | None:
    """`/resume` asks nothing: what waited there before is what the owner's words answer."""
    moves = [
        move for move in case.book.moves if move.to == state and move.why != rounds.RESUMED
    ]
    return _Question(at=moves[-1].at, cell=_last_cell(case)) if moves else None


def _by_hand(case: Case, state: str) -> _Question | None:
    change = case.newest_set(state)
    if change is None or change.by != "owner":
        return None
    return _Question(at=change.at, cell=_last_cell(case))


def _by_row(case: Case, state: str) -> _Question | None:
    """The comment is gone, but the book remembers the run that asked."""
    told = {marker.run for _, marker in case.posts}
    rows = [
        row for row in case.book.rows
        if row.next == state and row.end is not None and row.run not in told
    ]
    if not rows or rows[-1].end is None:
        return None
    # The end is by this machine's clock, which may be ahead: his answer to the label would seem older.
    change = case.newest_set(state)
    at = rows[-1].end if change is None else min(rows[-1].end, change.at)
    return _Question(at=at, cell=rows[-1].cell)


def _by_label(case: Case, state: str) -> _Question | None:
    """Nothing is left but the label: whether it counts is asked when the owner has answered."""
    change = case.newest_set(state)
    return None if change is None else _Question(at=change.at, cell=_last_cell(case))


def _reply(case: Case, question: _Question) -> tuple[str, str] | None:
    """(why, because) of what the owner did since: a comment, a review, an edit of the text (R6)."""
    words = _newer(case, question, INSTRUCTION)
    said = [one for one in words if not rounds.obeyed(case.book, one.id)]
    if said:
        return rounds.REPLY, said[-1].id
    if case.state.only != NEEDS_HUMAN:
        return None
    resume = [
        one for one in case.said
        if command(one) == "resume" and one.created_at >= question.at and _pending(case, one)
    ]
    if resume:
        return rounds.REPLY, resume[-1].id
    edited = _edited(case, question)
    return (rounds.EDIT, edited) if edited and not rounds.obeyed(case.book, edited) else None


def _newer(
    case: Case, question: _Question, wanted: frozenset[Voice]
) -> tuple[Comment, ...]:
    owner, viewer = case.snapshot.owner, case.snapshot.viewer
    if question.seen is None:
        return tuple(
            one for _, one in comments(case.pair)
            if voice(one, case.config, owner, viewer) in wanted
            and command(one) in ("", "ok") and one.created_at > question.at
        )
    return unread(
        case.config, case.pair, owner, viewer, question.seen,
        read_at=question.read_at or question.at, wanted=wanted,
    )


def _edited(case: Case, question: _Question) -> str:
    """Names the owner's newest change of title or body since the question; "": there is none."""
    text = case.pair.anchor
    times = [
        edit.at for edit in text.edits or () if same(edit.editor, case.snapshot.owner)
    ]
    times += [
        event.at for event in text.events
        if event.kind == "renamed" and same(event.actor, case.snapshot.owner)
    ]
    newest = max((at for at in times if at > question.at), default=None)
    if newest is None or question.text_hash == text_hash(text.title, text.body):
        return ""
    return f"edit:{newest.isoformat()}"


# ---------------------------------------------------------------- where words go


def cell_that_asked(case: Case) -> str:
    """Where the owner's next word would send this pair; "": nowhere."""
    state = case.state.only
    if case.config.cell(state) is not None:
        return state
    if state in WAITING:
        question = _question(case, state)
        return _cell_after(case, question, state) if question is not None else ""
    last = _last_state(case)
    return reply_cell(case, last if last not in WAITING else _last_cell(case)) if last else ""


def cell_to_retry(case: Case) -> str:
    """Where `agentcells retry` sends it: as a word of the owner, but a merge is tried again, not the work.

    With `dry = true` a merging cell leaves what it would have merged to the owner: nothing is to be
    done anew there, and a cell that writes would find nothing to do.
    """
    question = _question(case, IN_REVIEW) if case.state.only == IN_REVIEW else None
    cell = _fitting(case, question.cell) if question is not None else None
    return cell.name if cell is not None and cell.merge else cell_that_asked(case)


def _cell_after(case: Case, question: _Question, state: str) -> str:
    """A question goes back to the cell that asked, a review to `on_reply` (R6)."""
    if state == NEEDS_HUMAN and _fitting(case, question.cell) is not None:
        return question.cell
    return reply_cell(case, case.config.reply_cell())


def reply_cell(case: Case, wanted: str | None) -> str:
    """The cell for the owner's words: as configured, else the one that opened the pull request."""
    cells = [_fitting(case, name) for name in (wanted or "", _opener(case), _last_cell(case))]
    return next((cell.name for cell in cells if cell is not None), "")


def _fitting(case: Case, name: str) -> Cell | None:
    """A cell that works on a member this pair has: the owner's own pull has no issue (R10)."""
    cell = case.config.cell(name)
    if cell is None or (cell.on == "issue" and case.own_pull):
        return None
    return cell if cell.on != "pull_request" or case.pull_open else None


def _opener(case: Case) -> str:
    """The newest cell on issues that wrote files here, else the first of cells.toml that would."""
    def opens(cell: Cell | None) -> bool:
        return cell is not None and cell.on == "issue" and cell.writes

    names = [marker.cell for _, marker in reversed(case.posts) if marker.kind == "decision"]
    names += [cell.name for cell in case.config.cells]
    return next((name for name in names if opens(case.config.cell(name))), "")


def _last_cell(case: Case) -> str:
    """The cell that this pair was in last."""
    if case.book.rows:
        return case.book.rows[-1].cell
    cells = [
        change.state for change in case.labels if case.config.cell(change.state) is not None
    ]
    return cells[-1] if cells else ""


# ---------------------------------------------------------------- checks


def only_flaky(pull: PullFacts) -> bool:
    """All that failed had passed before on the very same commit: no change can mend that."""
    failed = {check.name for check in pull.failed_checks}
    return bool(failed) and failed <= set(pull.flaky_checks)


def _flaky(case: Case) -> tuple[Action, ...]:
    """The owner is told once for each commit, and nothing is changed for it (R12)."""
    pull = case.pair.pull
    if pull is None or pull_of_ours(pull, case.snapshot.viewer) is None:
        return ()
    found = facts(pull)
    if found.checks != "failure" or not only_flaky(found):
        return ()
    names = ", ".join(sorted(found.flaky_checks))
    return case.notice(f"flaky:{found.head_sha}", "plan_flaky", {"names": names})


def checks_failed(case: Case) -> Judged | None:
    """Failed checks on our pull request go to `on_checks_failed`, once for each head (R12)."""
    pull = case.pair.pull
    if pull is None or pull_of_ours(pull, case.snapshot.viewer) is None or case.lost:
        return None
    head = facts(pull).head_sha
    if facts(pull).checks != "failure" or rounds.obeyed(case.book, head) or only_flaky(facts(pull)):
        return None
    to = reply_cell(case, case.config.checks_cell())
    if not to or to == case.state.only:
        return None
    if isinstance(may_run(case.config, case.pair, case.state.only, case.snapshot), Distrust):
        return None
    return Judged(actions=case.move(to, rounds.CHECKS, head))


