"""Which pairs may run now, and in which order the free slots go to them (R13, R22, R30 to R34)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from agentcells import rounds
from agentcells.blocking import waits_for
from agentcells.brakes import spent_today
from agentcells.case import WAITING, Case, Judged
from agentcells.markers import outcome_words
from agentcells.merging import before_it_runs
from agentcells.model import DONE, MERGE, Problem
from agentcells.pairs import facts, pull_of_ours
from agentcells.plan import Claim, Skip, Snapshot
from agentcells.prompt import LIMIT, brief, instructions
from agentcells.replies import checks_failed, ledger_cause, lost, mailed
from agentcells.trust import Distrust, may_run, same

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

RIVAL = "rival:"  # of a cause: who else says that he closes the issue
FAR = 1_000  # a cell from which no way leads to the end


# ---------------------------------------------------------------- one pair


def eligible(case: Case) -> Judged:
    """A pair that waits for a cell: may it run? Every no has its reason (R22)."""
    cell = case.config.cell(case.state.only)
    if cell is None:
        off = any(cell.name == case.state.only for cell in case.config.off)
        key = "skip_cell_off" if off else "skip_unknown_label"
        return case.skip(key, "owner", label=case.config.label(case.state.only))
    for rule in (
        right_member, _trusted, _book_whole, _passable, _checks, before_it_runs, _counted, _fits, _mailed,
    ):
        judged = rule(case, cell)
        if judged is not None:
            return judged
    return Judged(ask=cell)


def right_member(case: Case, cell: Cell) -> Judged | None:
    """Pull requests of forks never run, nor anybody's but ours and the owner's (R10)."""
    pull = case.pair.pull
    if pull is not None and case.own_pull:
        if not facts(pull).same_repository:
            return case.skip("skip_fork", "nobody")
        if pull_of_ours(pull, case.snapshot.viewer) is not None:
            return case.skip("skip_half_a_pair")
        if not same(pull.author, case.snapshot.owner):
            return case.skip("skip_not_yours", "nobody")
        if cell.on == "issue":
            return case.skip("skip_own_pull_cell", "owner", cell=cell.name)
    if cell.on == "pull_request" and not case.pull_open:
        return case.skip("skip_no_pull", "owner", cell=cell.name)
    return None


def _trusted(case: Case, cell: Cell) -> Judged | None:
    trusted = may_run(case.config, case.pair, cell, case.snapshot)
    return case.distrusted(trusted) if isinstance(trusted, Distrust) else None


def _book_whole(case: Case, cell: Cell) -> Judged | None:
    """A lost book: after our notice the owner's label starts a new one (R30)."""
    if not case.lost:
        return None
    newest, told = case.newest_set(cell.name), case.told_at(ledger_cause(case))
    if newest is None or newest.by != "owner" or told is None or newest.at <= told:
        return lost(case)
    return Judged(actions=(case.write(rounds.rebuilt(case.posts)),))


def _passable(case: Case, cell: Cell) -> Judged | None:
    """Things the owner is asked about once; when he speaks, the pair goes on (R9, R44)."""
    if case.pair.rivals and not rivals_answered(case):
        numbers = ", ".join(f"#{number}" for number in case.pair.rivals)
        return case.park(RIVAL + numbers, "plan_rival", numbers=numbers)
    pull = case.pair.pull
    strangers = strange_pushers(case)
    if pull is not None and strangers:
        cause = f"pushed:{facts(pull).head_sha}"
        if not case.answered(cause):
            return case.park(cause, "plan_foreign", who=", ".join(strangers))
    return None


def rivals_answered(case: Case) -> bool:
    """He was told of all of them, at once or one after the other, and wants it to go on (R9)."""
    causes = {marker.cause for _, marker in case.posts if marker.cause.startswith(RIVAL)}
    known = {
        number for cause in causes if case.answered(cause)
        for number in cause.removeprefix(RIVAL).split(", ")
    }
    return {f"#{number}" for number in case.pair.rivals} <= known


def strange_pushers(case: Case) -> list[str]:
    """Who put commits on the branch that no run of ours made and the owner did not push (R44).

    Where the forge keeps no record of pushes, the commit itself is named.
    """
    pull = case.pair.pull
    if pull is None:
        return []
    known = {case.snapshot.owner.id, case.snapshot.viewer.id}
    strangers = sorted(one.login for one in facts(pull).pushers if one.id not in known)
    if strangers or case.own_pull or not case.pull_open:
        return strangers
    ours = {marker.head for _, marker in case.posts if marker.kind == "decision"} - {""}
    head, pushers = facts(pull).head_sha, facts(pull).pushers
    by_owner = bool(pushers) and all(same(one, case.snapshot.owner) for one in pushers)
    return [] if by_owner or not ours or head in ours else [head[:10]]


def foreign_start(case: Case, tip: str) -> Judged | None:
    """The branch is there before any pull request of ours: the owner looks at it first (R44).

    `tip`: where it stands, and not on the base already nor kept here from a run.
    """
    cause = f"pushed:{tip}"
    known = {marker.head for _, marker in case.posts if marker.kind == "decision"}
    if case.pull_open or tip in known or case.answered(cause):
        return None
    return case.park(cause, "plan_foreign", who=tip[:10])


def _checks(case: Case, cell: Cell) -> Judged | None:
    """Work whose checks fail is not worth a review (R12)."""
    return checks_failed(case) if cell.on == "pull_request" else None


def _counted(case: Case, cell: Cell) -> Judged | None:
    """Runs, dollars, failures and rounds of this pair (R31, R33, R34)."""
    limits, book = case.config.limits, case.book
    if rounds.runs(book) >= limits.runs_per_item:
        return case.park_again("runs", "plan_runs_used", limit=limits.runs_per_item)
    spent = rounds.dollars(book, case.heard_at)
    if spent >= limits.usd_per_item:
        return case.park_again(
            "dollars", "plan_dollars_used", spent=f"{spent:.2f}", limit=limits.usd_per_item
        )
    failures = rounds.failures_in_a_row(book, case.heard_at)
    if failures >= rounds.IN_A_ROW:
        return case.park_again("failures", "plan_deaths", count=failures, cell=cell.name)
    used = rounds.used(book, cell.name, case.heard_at)
    if used >= cell.max_rounds:
        return case.park_again(
            f"rounds:{cell.name}", "plan_rounds_used", cell=cell.name, limit=cell.max_rounds
        )
    return None


def _mailed(case: Case, cell: Cell) -> Judged | None:
    return mailed(case)


def _fits(case: Case, cell: Cell) -> Judged | None:
    """What the owner wrote is never cut: too much of it is his to shorten (R28)."""
    anchor = case.pair.anchor
    said = instructions(case.config, case.pair, case.snapshot)
    if len(anchor.body) + sum(len(comment.body) for comment in said) < LIMIT // 2:
        return None
    try:
        brief(case.config, case.pair, _claim(case, cell), case.snapshot, "", (), "0" * 16)
    except Problem as problem:
        return case.park_again("long", "plan_too_long", limit=problem.slots.get("limit", ""))
    return None


def not_now(case: Case) -> Judged | None:
    """Nothing is wrong with the pair: it waits for the time, the machine or another issue."""
    brake, now = case.brake, case.snapshot.now
    if waits := waits_for(case):
        return case.skip(
            "skip_blocked", "owner", numbers=", ".join(f"#{number}" for number in waits)
        )
    if brake.stopped:
        return case.skip("skip_stopped", "owner")
    if brake.paused_until is not None and brake.paused_until > now:
        return case.skip(
            "skip_paused", "time", until=f"{brake.paused_until:%Y-%m-%d %H:%M} UTC",
            reason=outcome_words(brake.pause_reason, case.config.factory.language),
        )
    limit = case.config.limits.usd_per_day
    if spent_today(case.config, brake, now) >= limit:
        return case.skip("skip_day_spent", "time", limit=f"{limit:.2f}")
    if not case.snapshot.claiming:
        return case.skip("skip_not_claiming", "time")
    return None


# ---------------------------------------------------------------- all pairs together


def choose(
    config: Config, snapshot: Snapshot, asking: Iterable[tuple[Case, Cell]], cases: Iterable[Case],
    given: int = 0, coming: Iterable[tuple[Case, Cell]] = (),
) -> tuple[list[Claim], list[Skip]]:
    """Give the free slots out in order; who gets none has the reason. `given`: out already (R50).

    `coming`: what this very plan sends to a cell and the next look may claim. Its place in the order
    is kept for it, or each result that is published would let another item begin before it (R13).
    """
    skips: list[Skip | None] = []
    free = 1 if config.sandbox.containment == "none" else config.factory.parallel
    free -= given + sum(run.status == "alive" for run in snapshot.runs)
    taken = taken_slots(snapshot, cases)
    claims: list[Claim] = []
    queue = [(_place(config, case, cell), True, case, cell) for case, cell in asking]
    queue += [(_place(config, case, cell), False, case, cell) for case, cell in coming]
    for _, asks, case, cell in sorted(queue, key=lambda one: one[0]):
        slot = (case.pair.repo, cell.name)
        waits = not_now(case) if asks else None
        if not asks:
            free -= 1
            taken[slot] += 1
        elif waits is not None:
            skips.append(waits.skip)
        elif taken[slot] >= cell.parallel:
            skips.append(case.skip("skip_cell_busy", "time", cell=cell.name).skip)
        elif free <= 0:
            skips.append(case.skip("skip_factory_busy", "time").skip)
        else:
            free -= 1
            taken[slot] += 1
            claims.append(_claim(case, cell))
    return claims, [skip for skip in skips if skip is not None]


def taken_slots(snapshot: Snapshot, cases: Iterable[Case]) -> Counter[tuple[str, str]]:
    """Running items by repository and cell: here, and on other machines as their rows say."""
    taken = Counter(
        (run.order.repo, run.order.cell) for run in snapshot.runs if run.status == "alive"
    )
    for case in cases:
        for row in rounds.unended(case.book):
            if row.machine != snapshot.machine and not rounds.overdue(row, snapshot.now):
                taken[case.pair.repo, row.cell] += 1
    return taken


def _place(config: Config, case: Case, cell: Cell) -> tuple[bool, int, int, int, str]:
    """A priority label, then what is nearest to its end, then the lowest number (R13)."""
    wanted = config.factory.priority_label
    urgent = bool(wanted) and any(
        label.name == wanted for item in case.items for label in item.labels
    )
    order = [one.name for one in config.cells].index(cell.name)
    return not urgent, distance(config, cell.name), -order, case.pair.number, case.pair.repo


def distance(config: Config, name: str) -> int:
    """How many runs lie at least between this cell and the end of the flow."""
    reached = {DONE, MERGE}
    for steps in range(1, len(config.cells) + 1):
        nearer = {cell.name for cell in config.cells if reached.intersection(cell.next)}
        if name in nearer:
            return steps
        reached |= nearer
    return FAR


def _claim(case: Case, cell: Cell) -> Claim:
    pair = case.pair
    reply = rounds.reply_behind(case.book, cell.name)
    waited = reply is not None and reply.came_from in WAITING
    return Claim(
        pair_key=pair.key, repo=pair.repo,
        issue=pair.issue.number if pair.issue is not None else None,
        pull=pair.pull.number if pair.pull is not None else None,
        cell=cell.name, came_from=cell.name, reply=waited,
        resume_from=reply.came_from if reply is not None and waited else "",
        why=_why(case, cell, waited),
    )


def _why(case: Case, cell: Cell, reply: bool) -> str:
    if reply:
        return "why_reply"
    rows, checks = case.book.rows, rounds.newest_move(case.book, rounds.CHECKS)
    if checks is not None and checks.to == cell.name and not any(r.start > checks.at for r in rows):
        return "why_checks"
    if rows and rows[-1].outcome != "done":
        return "why_retry"
    if rows and rows[-1].cell == cell.name == rows[-1].next:
        return "why_unread"
    newest = case.newest_set(cell.name)
    return "why_label" if newest is not None and newest.by == "owner" else "why_next"
