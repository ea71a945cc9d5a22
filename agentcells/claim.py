"""Prepares a claimed run: fetches the repository, chooses start and base, writes the order for the runner.

Nothing here writes to the forge; the lock of the run folder is already held.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from agentcells import prompt, provision, rounds, trust
from agentcells.case import Case, open_case
from agentcells.choose import foreign_start
from agentcells.factory_brief import factory_brief
from agentcells.factory_cells import with_found
from agentcells.forge import Forge, Stale, known_labels
from agentcells.git import Git
from agentcells.model import IN_REVIEW, NEEDS_HUMAN, WORKING, Pair, Problem, Sha, branch_name
from agentcells.plan import Action, Claim, FactoryBook, Snapshot
from agentcells.run import NOTHING_STARTED, Order, Outcome, Proof, RunEnd
from agentcells.store import Limits, RunFolder, State

if TYPE_CHECKING:
    from agentcells.config import Cell, Config


def prepare(
    config: Config, forge: Forge, state: State, snapshot: Snapshot, action: Claim, folder: RunFolder
) -> Order:
    """Write order.json and limits.json. Raises Problem when the run cannot begin."""
    pair = next(pair for pair in snapshot.pairs if pair.key == action.pair_key)
    cell = config.cell(action.cell)
    if cell is None:
        raise Problem("claim_no_cell", cell=action.cell)
    _demand_labels(config, forge, pair.repo)
    settings = limits(config, cell, state)
    provision.demand_ready(settings, os.environ)
    branch = _branch(pair)
    git, base_ref, base_tip, tip = fetch(forge, state, pair, branch)
    if tip is not None and not git.is_ancestor(tip, base_tip):
        case = open_case(config, snapshot, pair, snapshot.brake)
        _demand_known(case, git, tip)
        if not case.pull_open:  # what a run before could only push needs no further record
            settings = replace(settings, needs_record=False)
    start = tip or base_tip
    order = Order(
        run=folder.run,
        repo=pair.repo,
        pair_key=pair.key,
        issue=pair.issue.number if pair.issue else None,
        pull=pair.pull.number if pair.pull else None,
        cell=cell.name,
        came_from=action.came_from,
        reply=action.reply,
        resume_from=action.resume_from,
        nexts=(),
        extra_fields=(),
        prompt="",
        seen=(),
        text_hash="",
        start=start,
        base=git.merge_base(start, base_tip) or base_tip,
        base_ref=base_ref,
        branch=branch,
        branch_exists=tip is not None,
        kept=_kept(git, pair, snapshot) if cell.writes else "",
        writes=cell.writes,
        store=str(git.store),
        created_at=snapshot.now,
        merging=_merging(git, pair, snapshot, start, base_tip) if cell.writes else None,
        title=pair.anchor.title,
        language=config.factory.language,
    )
    order = replace(order, conflicts=_conflicts(git, order, settings, folder))
    stands = cell.needs_record and not settings.needs_record
    order = _briefed(config, pair, action, snapshot, order, stands=stands)
    folder.write_order(order, settings)
    return order


class AskFirst(Stale):
    """What the claim found on the forge is shown to the owner before anything runs on it."""

    def __init__(self, actions: tuple[Action, ...], number: int) -> None:
        super().__init__("claim_ask_first", number=number)
        self.actions = actions


def _demand_known(case: Case, git: Git, tip: Sha) -> None:
    """A branch that no pull request shows yet: what it has beyond the base must be a run's of ours (R44)."""
    asked = foreign_start(case, tip)
    if asked is not None and tip not in git.refs("refs/agentcells/kept/").values():
        raise AskFirst(asked.actions, case.pair.number)


def _demand_labels(config: Config, forge: Forge, repo: str) -> None:
    """A result whose label the forge does not have could never be told: refused before any write."""
    if missing := missing_labels(config, forge, repo):
        raise Problem("check_labels", repo=repo, labels=", ".join(missing))


def missing_labels(config: Config, forge: Forge, repo: str) -> list[str]:
    """Labels that the line needs and this repository does not have."""
    there = {label.name for label in known_labels(forge, repo)}
    wanted = [cell.label for cell in config.cells if cell.on != "factory"]
    wanted += [config.label(state) for state in (WORKING, NEEDS_HUMAN, IN_REVIEW)]
    return [name for name in wanted if name not in there]


def prepare_factory(
    config: Config, forge: Forge, state: State, snapshot: Snapshot, action: Claim, folder: RunFolder
) -> tuple[Order, FactoryBook]:
    """The same for a cell on "factory", which works on no item and only reads; and its book (R50)."""
    cell = config.cell(action.cell)
    sight = next((one for one in snapshot.sights if one.cell == action.cell), None)
    if cell is None or sight is None:
        raise Problem("claim_no_cell", cell=action.cell)
    settings = limits(config, cell, state)
    provision.demand_ready(settings, os.environ)
    base_ref = forge.repository(action.repo).default_branch
    git = Git(state.repository(action.repo))
    git.init()
    tip = git.fetch(forge.remote(action.repo), [base_ref]).get(base_ref)
    if tip is None:
        raise Problem("claim_empty_repository", repo=action.repo, branch=base_ref)
    told = factory_brief(config, cell, sight, snapshot, secrets.token_hex(8))
    order = Order(
        run=folder.run, repo=action.repo, pair_key=action.pair_key, issue=None, pull=None,
        cell=cell.name, came_from=cell.name, reply=False, resume_from="", nexts=told.nexts,
        extra_fields=told.extra_fields, prompt=told.prompt, seen=(), text_hash="", start=tip,
        base=tip, base_ref=base_ref, branch="", branch_exists=False, kept="", writes=False,
        store=str(git.store), created_at=snapshot.now, title=cell.name,
        language=config.factory.language, causes=told.causes,
    )
    folder.write_order(order, settings)
    book = with_found(snapshot.book(cell.name), sight)
    ledger = rounds.claimed(
        book.ledger, order, snapshot.machine, snapshot.now, settings.timeout_s, settings.model
    )
    return order, replace(book, ledger=ledger, looked_at=snapshot.now)


def _briefed(
    config: Config, pair: Pair, action: Claim, snapshot: Snapshot, order: Order, *, stands: bool
) -> Order:
    """The order with its prompt, and what the answer will be held against."""
    nonce = secrets.token_hex(8)
    brief = prompt.brief(
        config, pair, action, snapshot, order.kept, order.conflicts, nonce, stands=stands
    )
    return replace(
        order, prompt=brief.prompt, nexts=brief.nexts, extra_fields=brief.extra_fields,
        seen=brief.seen, text_hash=brief.text_hash, threads=brief.threads,
    )


def withdrawn(order: Order, at: datetime) -> RunEnd:
    """The end of a run that was claimed and never started: it is no round and no failure."""
    proof = Proof(run=order.run, nonce=NOTHING_STARTED, containment="none")
    return RunEnd(outcome=Outcome(kind="withdrawn"), proof=proof, ended_at=at)


def fetch(forge: Forge, state: State, pair: Pair, branch: str) -> tuple[Git, str, Sha, Sha | None]:
    """Bring the CLI's repository up to date: (git, base branch, its tip, the tip of `branch`)."""
    repository = forge.repository(pair.repo)
    base_ref = pair.pull.pull.base_ref if pair.pull and pair.pull.pull else repository.default_branch
    git = Git(state.repository(pair.repo))
    git.init()
    remote = forge.remote(pair.repo)
    tips = git.fetch(remote, [base_ref, branch])
    base_tip = tips.get(base_ref)
    if base_tip is None:
        raise Problem("claim_empty_repository", repo=pair.repo, branch=base_ref)
    return git, base_ref, base_tip, tips.get(branch)


def _branch(pair: Pair) -> str:
    """The branch of this pair: the open pull request's own, else the one we will make (R9)."""
    if pair.pull and pair.pull.pull:
        return pair.pull.pull.head_ref
    return branch_name(pair.number, pair.attempt)


def _kept(git: Git, pair: Pair, snapshot: Snapshot) -> str:
    """The newest work of this pair that was sealed but not published (R40), as a ref, or ""."""
    found = trust.our_ledger(pair, snapshot.viewer, snapshot.mac_key)
    if found is None:
        return ""
    for row in reversed(found[1].rows):
        ref = f"refs/agentcells/kept/{row.run}"
        if git.rev(ref):
            return ref
        if row.outcome == "done" and row.counts:
            return ""  # published since: what was kept before is in it, or was given up
    return ""


def _merging(
    git: Git, pair: Pair, snapshot: Snapshot, start: Sha, base_tip: Sha
) -> Sha | None:
    """The base as it is now, when the run before met a conflict with it (R44)."""
    found = trust.our_ledger(pair, snapshot.viewer, snapshot.mac_key)
    if found is None or not rounds.conflict_open(found[1]) or git.is_ancestor(base_tip, start):
        return None
    return base_tip


def _conflicts(git: Git, order: Order, told: Limits, folder: RunFolder) -> tuple[str, ...]:
    """Paths that the run will find with markers in them."""
    if not order.kept and order.merging is None:
        return ()
    from agentcells.workspace import Workspace  # an idle tick does without

    return Workspace(git, order, told, folder.path, {}).history.conflicts


def limits(config: Config, cell: Cell, state: State) -> Limits:
    """What the runner needs of cells.toml, frozen as it is now."""
    agent, sandbox, commands, gate = config.agent, config.sandbox, config.commands, config.gate
    return Limits(
        agent_command=tuple(agent.command),
        agent_env=tuple(agent.env),
        agent_hosts=tuple(agent.hosts),
        network=agent.network,
        door=agent.door,
        timeout_s=agent.timeout,
        stall_s=agent.stall,
        max_turns=agent.max_turns,
        max_usd=agent.max_usd,
        model=cell.model,
        effort=cell.effort,
        setup=tuple(commands.setup),
        build=tuple(commands.build),
        test=tuple(commands.test),
        keep=tuple(commands.keep),
        command_timeout_s=commands.timeout,
        read=tuple(sandbox.read),
        hosts=tuple(sandbox.hosts),
        setup_hosts=tuple(sandbox.setup_hosts),
        containment=sandbox.containment,
        run_as=sandbox.run_as,
        max_processes=sandbox.max_processes,
        max_memory_mb=sandbox.max_memory_mb,
        max_file_mb=sandbox.max_file_mb,
        free_disk_mb=sandbox.free_disk_mb,
        protected=tuple(gate.protected),
        allow_links=tuple(gate.allow_links),
        allow_blobs=tuple(gate.allow_blobs),
        max_files=gate.max_files,
        max_added_lines=gate.max_added_lines,
        max_bytes=gate.max_bytes,
        needs_record=cell.needs_record,
        needs_test=bool(cell.needs_test and commands.test),
        language=config.factory.language,
        cache=str(Path(state.root) / "cache" / "setup"),
    )
