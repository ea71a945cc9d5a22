"""What the owner does to one item from the command line: try it again, or take it out of the line.

Both only set and take off labels, in his name where the token is his. Who is not the owner cannot
start anything (R24): then he is told what to do himself.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass

from agentcells import pins
from agentcells.case import Case, open_case
from agentcells.config import Cell, Config
from agentcells.forge import Forge
from agentcells.forge.open import open_forge
from agentcells.issue_desk import one_repo
from agentcells.model import Item, Pair, Problem, branch_name, parse_branch
from agentcells.pairs import pair_up
from agentcells.plan import Snapshot
from agentcells.replies import cell_to_retry
from agentcells.run_facts import facts_here
from agentcells.sentences import say
from agentcells.standing import running
from agentcells.store import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What was changed. `run`: a run that is still at work on it."""

    repo: str
    number: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    cell: str = ""
    assigned: bool = False
    run: str = ""


def retry(config: Config, state: State, number: int, *, cell: str = "", repo: str = "") -> Done:
    """The item waits for its cell again, as the owner's act: all counters begin afresh (R31)."""
    with state.pass_lock(wait=True):
        case = read_case(config, state, number, repo)
        wanted = _cell_for(case, cell)
        forge = _as_owner(config, case, wanted)
        item = case.pair.member(case.home(wanted.name))
        if item is None:
            raise AssertionError("home() names a member that is there")
        before = _ours(config, case.items)
        assigned = _assign(case, forge)
        if wanted.label in {label.name for label in item.labels}:
            forge.remove_labels(item, [wanted.label])  # only a new label event says it anew
        forge.add_labels(item, [wanted.label])
        for other in case.items:
            left = [name for name in _ours(config, [other])
                    if other.number != item.number or name != wanted.label]
            if left:
                forge.remove_labels(other, left)
        return Done(repo=case.pair.repo, number=item.number, before=before,
                    after=(wanted.label,), cell=wanted.name, assigned=assigned)


def release(config: Config, state: State, number: int, *, repo: str = "") -> Done:
    """None of our labels is on the item any more; nothing else is touched."""
    with state.pass_lock(wait=True):
        case = read_case(config, state, number, repo)
        forge = _writing(config)
        before = _ours(config, case.items)
        for item in case.items:
            if names := _ours(config, [item]):
                forge.remove_labels(item, names)
        run = running(case)
        return Done(repo=case.pair.repo, number=case.pair.number, before=before, after=(),
                    run=run.order.run if run is not None else "")


# ---------------------------------------------------------------- reading


def read_case(config: Config, state: State, number: int, repo: str) -> Case:
    """The pair of this number, read whole and now."""
    forge = open_forge(config)
    viewer, owner = forge.viewer(), forge.account(config.factory.owner)
    found = pins.load(config.path)
    ids = {one for labels in found.labels.values() for one in labels.values()} if found else set()
    label_ids, key = tuple(sorted(ids)), state.mac_key(make=False)
    items = _members(forge, one_repo(config, repo), number)
    pairs = pair_up(config, items, viewer, owner, pinned=label_ids, key=key)
    # An older pull request stands alone too, where anything of it is left (`pairs.pair_up`).
    pair = next((one for one in pairs if number in _numbers(one) or one.number == number), None) or next(
        one for one in pairs if number in {older.number for older in one.older})
    snapshot = Snapshot(
        now=forge.clock(), viewer=viewer, owner=owner, machine=socket.gethostname(), pairs=pairs,
        runs=facts_here(state), brake=state.brake(), mac_key=key, label_ids=label_ids,
    )
    return open_case(config, snapshot, pair, snapshot.brake)


def _members(forge: Forge, repo: str, number: int) -> list[Item]:
    """The issue with all its pull requests, whichever of them was named: one alone is not how it stands."""
    item = forge.read(repo, number)
    branch = parse_branch(item.pull.head_ref) if item.pull else None
    first = item if branch is None else forge.read(repo, branch[0])
    items, attempt = [first], 1
    while first.kind == "issue" and (pull := forge.pull_by_head(repo, branch_name(first.number, attempt))):
        items.append(pull)
        attempt += 1
    return items if number in {one.number for one in items} else [*items, item]


def _numbers(pair: Pair) -> set[int]:
    return {item.number for item in (pair.issue, pair.pull) if item is not None}


def _ours(config: Config, items: Sequence[Item]) -> tuple[str, ...]:
    names = [label.name for item in items for label in item.labels if config.state(label.name)]
    return tuple(dict.fromkeys(names))


# ---------------------------------------------------------------- whether it may be


def _cell_for(case: Case, wanted: str) -> Cell:
    """The cell that asked, or the one that is named; it must have something to work on."""
    config, number = case.config, case.pair.number
    closed = next((item for item in case.items if item.state != "open"), None)
    if closed is not None:
        state = say(f"issue_state_{closed.state}", config.factory.language)
        raise Problem("retry_closed", number=closed.number, state=state)
    if (run := running(case)) is not None:
        raise Problem("retry_running", number=number, cell=run.order.cell, run=run.order.run)
    known = ", ".join(cell.name for cell in config.cells if cell.on != "factory")
    name = wanted or cell_to_retry(case)
    cell = config.cell(name)
    if cell is None or cell.on == "factory":
        key = "retry_no_cell" if wanted else "retry_which_cell"
        raise Problem(key, exit_code=2, number=number, cell=name, known=known)
    if (cell.on == "pull_request" and not case.pull_open) or (cell.on == "issue" and case.own_pull):
        raise Problem(f"retry_needs_{cell.on}", cell=cell.name, number=number)
    return cell


def _as_owner(config: Config, case: Case, cell: Cell) -> Forge:
    forge = _writing(config)
    owner = case.snapshot.owner
    if forge.viewer().id == owner.id:
        return forge
    item = case.pair.member(case.home(cell.name)) or case.pair.anchor
    off = [name for name in _ours(config, case.items) if name != cell.label]
    raise Problem(
        "retry_not_owner", owner=owner.login, viewer=forge.viewer().login, number=item.number,
        label=cell.label, off=", ".join(off) or "-", url=item.url or f"{item.repo}#{item.number}",
    )


def _writing(config: Config) -> Forge:
    """On the local forge a person sits here, not the CLI's bot."""
    local = config.forge.kind == "local"
    return open_forge(config, as_login=config.factory.owner if local else "")


def _assign(case: Case, forge: Forge) -> bool:
    issue, owner = case.pair.issue, case.snapshot.owner
    if issue is None or owner.id in {account.id for account in issue.assignees}:
        return False
    forge.assign(issue, [owner])
    return True


__all__ = ["Done", "read_case", "release", "retry"]
