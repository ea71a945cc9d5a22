"""Whether a cell may merge the pull request it was shown: every condition must hold (R5)."""

from __future__ import annotations

import re

from agentcells.case import Case
from agentcells.config import Cell
from agentcells.model import PullFacts
from agentcells.pairs import facts, pull_of_ours
from agentcells.run import RunFact, Verdict

Reason = tuple[str, dict[str, object]]


def merge_obstacle(case: Case, run: RunFact, cell: Cell | None) -> Reason | None:
    """Why it is not merged; `plan_merge_dry` when that is all that stands against it."""
    if cell is None or not cell.merge:
        return "plan_merge_off", {}
    pull = case.pair.pull
    if pull is None or not case.pull_open or pull_of_ours(pull, case.snapshot.viewer) is None:
        return "plan_merge_not_ours", {}
    against = _not_ready(facts(pull), run) or _too_large(run, cell)
    if against is not None:
        return against
    return ("plan_merge_dry", {}) if cell.dry else None


def _not_ready(pull: PullFacts, run: RunFact) -> Reason | None:
    if pull.head_sha != run.order.start:
        return "plan_merge_moved", {}
    if pull.draft:
        return "plan_merge_draft", {}
    if pull.mergeable is not True:
        return "plan_merge_not_mergeable", {}
    if pull.checks in ("pending", "failure"):
        return "plan_merge_checks", {"checks": pull.checks}
    return None


def _too_large(run: RunFact, cell: Cell) -> Reason | None:
    """Within the paths and sizes of the cell. What was not looked at is not merged."""
    found = run.delivery.verdict if run.delivery is not None else None
    if found is None or found.sha != run.order.start:
        return "plan_merge_unseen", {}
    outside = [path for path in found.files if not within(path, cell.paths)]
    if cell.paths and outside:
        return "plan_merge_paths", {"path": outside[0]}
    return _over(found, cell)


def _over(found: Verdict, cell: Cell) -> Reason | None:
    lines = found.added + found.removed
    if len(found.files) > cell.max_files or lines > cell.max_lines:
        return "plan_merge_large", {"files": len(found.files), "lines": lines}
    return None


def within(path: str, globs: tuple[str, ...]) -> bool:
    """`*` stays inside one folder, `**` does not."""
    return any(re.fullmatch(_pattern(glob), path) for glob in globs)


def _pattern(glob: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(wild.get(part) or re.escape(part) for part in parts)
