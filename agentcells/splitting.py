"""A large issue split into several: proposed by a run, filed by the CLI when the owner says `ok`.

The proposal stands in the run's own comment, once to be read and once, hidden, as data: what the
owner agreed to is what is filed, and nothing has to be remembered in between.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentcells import rounds
from agentcells.case import Case, Judged
from agentcells.comments import (
    PROPOSED,
    Proposal,
    below,
    notice_post,
    parse_marker,
    plain_title,
    sub_issue_body,
    whole,
)
from agentcells.model import NEEDS_HUMAN, Comment
from agentcells.plan import SplitIssue, SubIssue
from agentcells.posts import Marker
from agentcells.replies import lost
from agentcells.trust import Distrust, may_run

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

_NUMBER = re.compile(r"[0-9]{1,9}\Z")
_OK = re.compile(r"ok(?:ay)?[.!,]?(?:\s+|\Z)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What the owner agreed to: which of the issues, and the cell that is to begin on them."""

    comment: Comment
    numbers: tuple[int, ...]
    cell: Cell | None = None


def consented(case: Case) -> Judged | None:
    """The owner's `ok` to a proposal: the issues are filed, and this one leaves the line."""
    found = _proposal(case)
    if found is None:
        return None
    post, marker, proposed = found
    consent = _consent(case, post, len(proposed))
    if consent is None:
        return None
    trusted = may_run(case.config, case.pair, NEEDS_HUMAN, case.snapshot)
    if isinstance(trusted, Distrust):
        return case.distrusted(trusted)
    if case.lost:
        return lost(case)
    ledger = rounds.moved(
        case.book, case.snapshot.now, NEEDS_HUMAN, "", rounds.SPLIT, consent.comment.id
    )
    return Judged(actions=(
        _split(case, marker, proposed, consent), case.write(ledger), case.set_state(""),
    ))


def _proposal(case: Case) -> tuple[Comment, Marker, tuple[Proposal, ...]] | None:
    """The newest that was said to the owner, if it is one."""
    if case.state.only != NEEDS_HUMAN or case.pair.issue is None:
        return None
    asked = [
        (comment, marker) for comment, marker in case.posts
        if marker.to == NEEDS_HUMAN and marker.kind in ("decision", "notice")
    ]
    if not asked:
        return None
    comment, marker = asked[-1]
    proposed = parse_proposals(comment.body) if marker.kind == "decision" else ()
    return (comment, marker, proposed) if proposed else None


def parse_proposals(body: str) -> tuple[Proposal, ...]:
    """What `comments.result_post` hid in the last line of a proposal; () for anything else."""
    last = below(body).replace("\r\n", "\n").rstrip().rpartition("\n")[2]
    found = PROPOSED.match(last)
    if parse_marker(body) is None or found is None:
        return ()
    try:
        return tuple(Proposal(title=title, body=words) for title, words in json.loads(found[1]))
    except (ValueError, TypeError, RecursionError):
        return ()


def _consent(case: Case, post: Comment, count: int) -> Consent | None:
    """Every word of the owner since then is a consent; the newest counts. Else it is a reply (R6)."""
    said = [
        one for one in case.said
        if one.created_at >= post.created_at and not rounds.obeyed(case.book, one.id)
    ]
    read = [read_consent(case.config, one, count) for one in said]
    return read[-1] if read and all(read) else None


def read_consent(config: Config, said: Comment, count: int) -> Consent | None:
    """`ok`, `ok 1 3`, `ok triage`: nothing else may stand in it."""
    begins = _OK.match(said.body.strip())
    if begins is None:
        return None
    numbers: list[int] = []
    cell: Cell | None = None
    for word in re.split(r"[\s,]+", said.body.strip()[begins.end():].strip()):
        if _NUMBER.match(word) and 1 <= int(word) <= count:
            numbers.append(int(word))
        elif word and cell is None and (named := config.cell(word.casefold())) is not None:
            cell = named
        elif word:
            return None
    if cell is not None and cell.on != "issue":
        return None
    wanted = tuple(dict.fromkeys(numbers)) or tuple(range(1, count + 1))
    return Consent(comment=said, numbers=tuple(sorted(wanted)), cell=cell)


def _split(
    case: Case, asked: Marker, proposed: tuple[Proposal, ...], consent: Consent
) -> SplitIssue:
    config, parent, cell = case.config, case.pair.number, consent.cell
    key = "plan_split_done" if cell is None else "plan_split_begun"
    notice, body = notice_post(
        config, case.pair, f"split:{asked.run}", key,
        {"count": len(consent.numbers), "cell": cell.name if cell is not None else ""},
    )
    return SplitIssue(
        pair_key=case.pair.key, repo=case.pair.repo, number=parent, run=asked.run,
        issues=tuple(
            _sub_issue(case, asked, number, proposed[number - 1], cell)
            for number in consent.numbers
        ),
        label=config.label(cell.name) if cell is not None else "", marker=notice, body=body,
    )


def _sub_issue(
    case: Case, asked: Marker, number: int, proposal: Proposal, cell: Cell | None
) -> SubIssue:
    title = plain_title(proposal.title) or f"{case.pair.anchor.title} ({number})"
    said = sub_issue_body(case.config, case.pair.number, proposal.body, cell)
    marker = Marker(
        kind="filed", run=asked.run, cell=asked.cell, cause=f"part:{case.pair.number}:{number}",
        to=cell.name if cell is not None else "",
    )
    return SubIssue(title=title, marker=marker, body=whole(marker, said)[1])


__all__ = ["Consent", "consented", "parse_proposals", "read_consent"]
