"""Whether a cell may merge the pull request it was shown: every condition must hold (R5)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from agentcells.case import Case, Judged
from agentcells.markers import looks_ours
from agentcells.model import IN_REVIEW, Account, Item, PullFacts
from agentcells.pairs import facts, pull_of_ours
from agentcells.posts import Marker
from agentcells.replies import only_flaky
from agentcells.run import RunFact, Verdict
from agentcells.sentences import say
from agentcells.voices import same

if TYPE_CHECKING:
    from agentcells.config import Cell

Reason = tuple[str, dict[str, object]]

# What passes by itself is waited for so long, then the owner is asked. A build service that has
# said nothing half an hour after the review will not say anything.
PATIENCE = {
    "plan_merge_pending": timedelta(hours=6),
    "plan_merge_absent": timedelta(minutes=30),
    "plan_merge_unknown": timedelta(hours=1),
}


def before_it_runs(case: Case, cell: Cell) -> Judged | None:
    """What is against a merge already is no run's business: wait for it, or ask the owner."""
    reason = standing_obstacle(case, cell) if cell.merge else None
    if reason is None or reason[0] == "plan_merge_unknown":  # a forge reckons that when it is asked
        return None
    words = say(reason[0], case.config.factory.language, **reason[1])
    change = case.newest_set(cell.name)
    if change is not None and waits(reason, change.at, case.snapshot.now):
        return case.skip("skip_merge_waits", "time", words=words)
    return case.park_again("merge", "plan_not_merged", words=words)


def waits(reason: Reason | None, since: datetime, now: datetime) -> bool:
    """It may still come right by itself."""
    return reason is not None and now - since < PATIENCE.get(reason[0], timedelta())


def merge_obstacle(case: Case, run: RunFact, cell: Cell | None) -> Reason | None:
    """Why it is not merged; `plan_merge_dry` when that is all that stands against it."""
    if cell is None or not cell.merge:
        return "plan_merge_off", {}
    against = standing_obstacle(case, cell) or _changed(case, run) or _too_large(run, cell)
    if against is None and cell.dry:
        return "plan_merge_dry", _would_have(case, run)
    return against


def standing_obstacle(case: Case, cell: Cell) -> Reason | None:
    """What the forge and the conversation say against it, whatever a run thinks."""
    pull = case.pair.pull
    if pull is None or not case.pull_open or pull_of_ours(pull, case.snapshot.viewer) is None:
        return "plan_merge_not_ours", {}
    found = facts(pull)
    if found.draft:
        return "plan_merge_draft", {}
    if not _reviewed(case, cell, found):
        return "plan_merge_unreviewed", {"head": found.head_sha[:10]}
    return _open_words(case, pull) or _checks(found, cell.checks) or _mergeable(found)


def _reviewed(case: Case, cell: Cell, pull: PullFacts) -> bool:
    """The newest word of a reading cell is about exactly this commit, and sent it on."""
    newest = next((marker for _, marker in reversed(case.posts) if _is_review(case, cell, marker)), None)
    return newest is not None and newest.head == pull.head_sha and (
        newest.to in (cell.name, IN_REVIEW)
    )


def _is_review(case: Case, cell: Cell, marker: Marker) -> bool:
    by = case.config.cell(marker.cell)
    return (
        marker.kind == "decision" and not marker.cause and by is not None and by != cell
        and by.on == "pull_request" and not by.writes
    )


def _open_words(case: Case, pull: Item) -> Reason | None:
    """A remark on a line that nobody has resolved, or changes that the owner asked for."""
    for line in pull.comments:
        if line.kind == "thread" and not line.resolved:
            return "plan_merge_thread", {"path": line.path}
    verdicts = [
        said.verdict for said in pull.comments
        if said.kind == "review" and same(said.author, case.snapshot.owner)
        and said.verdict in ("approved", "changes_requested", "dismissed")
    ]
    return ("plan_merge_changes", {}) if verdicts[-1:] == ["changes_requested"] else None


def _checks(pull: PullFacts, wanted: tuple[str, ...]) -> Reason | None:
    """What failed, what runs, what is wanted and has not passed: absent is not green."""
    if pull.checks == "failure":
        names = ", ".join(check.name for check in pull.failed_checks) or "?"
        return "plan_merge_flaky" if only_flaky(pull) else "plan_merge_checks", {"names": names}
    if pull.checks == "pending":
        return "plan_merge_pending", {}
    absent = [
        glob for glob in wanted
        if pull.checks == "none"
        or (glob != "*" and not any(fnmatchcase(name, glob) for name in pull.passed_checks))
    ]
    return ("plan_merge_absent", {"names": ", ".join(absent)}) if absent else None


def _mergeable(pull: PullFacts) -> Reason | None:
    if pull.mergeable is None:
        return "plan_merge_unknown", {}
    if not pull.mergeable:
        return "plan_merge_conflict", {"base": pull.base_ref}
    return ("plan_merge_blocked", {}) if pull.blocked else None


def _changed(case: Case, run: RunFact) -> Reason | None:
    """What the run looked at is what would be merged, on top of what the base is now."""
    pull = case.pair.pull
    found = facts(pull) if pull is not None else None
    if found is None or found.head_sha != run.order.start:
        return "plan_merge_moved", {}
    if found.base_ref != run.order.base_ref or run.delivery is None or run.delivery.behind:
        return "plan_merge_behind", {"base": found.base_ref}
    return None


def _too_large(run: RunFact, cell: Cell) -> Reason | None:
    """Within the paths and sizes of the cell. What was not looked at is not merged."""
    found = run.delivery.verdict if run.delivery is not None else None
    if found is None or found.sha != run.order.start:
        return "plan_merge_unseen", {}
    if found.blocks:
        return "plan_merge_gate", {"path": found.blocks[0].path or found.blocks[0].rule}
    outside = [path for path in found.files if not within(path, cell.paths)]
    if outside:
        return "plan_merge_paths", {"path": outside[0]}
    return _over(found, cell)


def _over(found: Verdict, cell: Cell) -> Reason | None:
    lines = found.added + found.removed
    if len(found.files) > cell.max_files or lines > cell.max_lines:
        return "plan_merge_large", {"files": len(found.files), "lines": lines}
    return None


def _would_have(case: Case, run: RunFact) -> dict[str, object]:
    """What was looked at, for the owner who wants to know whether to trust it."""
    pull, found = case.pair.pull, run.delivery
    if pull is None or found is None:
        raise AssertionError("nothing stands against a pull request that is not there")
    seen = found.verdict
    return {
        "head": facts(pull).head_sha[:10], "base": facts(pull).base_ref,
        "files": len(seen.files), "lines": seen.added + seen.removed,
        "checks": len(facts(pull).passed_checks),
    }


def changed_since(before: Item, now: Item, hold: str, me: Account) -> bool:
    """Whether what was judged has become something else: asked directly before the merge."""
    old, new = facts(before), facts(now)
    known = {comment.id for comment in before.comments}
    return (
        now.state != "open" or (old.head_sha, old.base_ref) != (new.head_sha, new.base_ref)
        or new.draft or new.checks != old.checks or new.mergeable is False or new.blocked
        or any(label.name.casefold() == hold.casefold() for label in now.labels)
        or any(
            said.id not in known and not (same(said.author, me) and looks_ours(said.body))
            for said in now.comments
        )
    )


def within(path: str, globs: tuple[str, ...]) -> bool:
    """`*` stays inside one folder, `**` does not."""
    return any(re.fullmatch(_pattern(glob), path) for glob in globs)


def _pattern(glob: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(part) or re.escape(part) for part in parts)
