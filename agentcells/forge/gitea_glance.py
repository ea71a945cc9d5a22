"""An issue of Gitea with its newest comments only, and issues alone: for a reader in a hurry.

Never for a decision of the factory: that reads an item whole (R21).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

from agentcells.forge import Glance
from agentcells.forge import gitea_parse as parse
from agentcells.forge.gitea_listing import stamp
from agentcells.forge.gitea_parse import Whole
from agentcells.forge.gitea_wire import PAGE, Wire
from agentcells.model import Account, Row

WINDOWS = (1, 7, 30, 90, 365, None)  # days; None: all there are


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
    """Newest change first. Nothing sorts this list by change, but it can be asked for what changed since
    a moment: all of that is sorted here. A list of one page needs no moment."""
    path, asked = f"/repos/{repo}/issues", {"state": state, "type": "issues"}
    nodes = wire.page(path, repo, 1, **asked)
    if len(nodes) >= PAGE:
        now = wire.clock() or datetime.now(UTC)
        for days in WINDOWS:
            since = {} if days is None else {"since": stamp(now - timedelta(days=days))}
            nodes = wire.all(path, repo, hides=True, **asked, **since)
            if len(nodes) >= limit:
                break
    rows = [parse.issue_row(repo, row) for row in nodes if not parse.is_pull(row)]
    return tuple(sorted(rows, key=lambda row: row.updated_at, reverse=True)[:limit])
