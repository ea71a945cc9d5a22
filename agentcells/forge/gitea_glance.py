"""An issue of Gitea with its newest comments only, and issues alone: for a reader in a hurry.

Never for a decision of the factory: that reads an item whole (R21).
"""

from __future__ import annotations

from typing import Literal

from agentcells.forge import Glance
from agentcells.forge import gitea_parse as parse
from agentcells.forge.gitea_parse import Whole
from agentcells.forge.gitea_wire import Wire
from agentcells.model import Account, Row


def glance(wire: Wire, repo: str, index: int, comments: int, viewer: Account) -> Glance:
    """Two requests: this list of comments has no pages. None of them for a pull request."""
    path = f"/repos/{repo}/issues/{index}"
    issue = wire.node(path, repo)
    if parse.is_pull(issue):
        whole = Whole(issue=issue, comments=(), timeline=(), pull=wire.node(
            f"/repos/{repo}/pulls/{index}", repo))
        return Glance(item=parse.item(repo, whole, viewer), comments_total=0)
    said = wire.whole(f"{path}/comments", repo)
    whole = Whole(issue=issue, comments=said[max(0, len(said) - comments):], timeline=())
    return Glance(item=parse.item(repo, whole, viewer), comments_total=len(said))


def recent(
    wire: Wire, repo: str, state: Literal["open", "closed", "all"], limit: int
) -> tuple[Row, ...]:
    """Newest first; nothing sorts this list by change, so what was filed last comes first."""
    found: list[Row] = []
    for rows in wire.walk(f"/repos/{repo}/issues", repo, hides=True, state=state, type="issues"):
        found += [parse.issue_row(repo, row) for row in rows if not parse.is_pull(row)]
        if len(found) >= limit:
            break
    return tuple(found[:limit])
