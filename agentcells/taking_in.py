"""Merges a pull request of ours, and sees that the merge has come to the base (R5, R18).

Everything was judged by `merging` already; between that and the merge lie some requests, so what
can be seen at once is looked at once more, directly before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentcells.forge import Forge, Stale
from agentcells.git import Git
from agentcells.merging import changed_since
from agentcells.model import HOLD, Item, Problem, Sha
from agentcells.pairs import facts
from agentcells.plan import MergePull

if TYPE_CHECKING:
    from agentcells.config import Config


def take_in(config: Config, forge: Forge, git: Git, action: MergePull, judged: Item) -> Sha:
    """The merge commit, which stands on the base now. Merged already is success."""
    item = forge.read(action.repo, action.number)
    base = facts(item).base_ref
    if item.state == "merged":
        made = Sha(facts(item).merge_sha)
    else:
        _demand_unchanged(config, forge, git, action, judged, item)
        made = forge.merge(item, action.expected_head)
    tip = git.fetch(forge.remote(action.repo), [base]).get(base)
    if tip is None or not made or not git.is_ancestor(made, tip):
        raise Problem("apply_merge_unseen", number=action.number, base=base, sha=made[:10])
    return made


def _demand_unchanged(
    config: Config, forge: Forge, git: Git, action: MergePull, judged: Item, now: Item
) -> None:
    """Raises Stale: the next pass judges again."""
    base = facts(now).base_ref
    head, hold = action.expected_head, config.label(HOLD)
    stale = Stale("apply_merge_changed", number=action.number)
    if facts(now).head_sha != head or changed_since(judged, now, hold, forge.viewer()):
        raise stale
    remote = forge.remote(action.repo)
    tips = git.fetch(remote, [base, facts(now).head_ref])
    if tips.get(facts(now).head_ref) != head or base not in tips:
        raise stale
    if not git.is_ancestor(tips[base], head):
        raise stale
