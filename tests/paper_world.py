"""A paper world in which plans are carried out as `apply` would, and cut short anywhere."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from agentcells import rounds
from agentcells.config import Config
from agentcells.decide import decide, pair_up
from agentcells.markers import below, render_ledger, whole
from agentcells.model import Account, Edit, Item, Pair, Sha
from agentcells.plan import (
    Action,
    AssignOwner,
    Brake,
    Claim,
    CloseFiled,
    CloseRun,
    DeleteBranch,
    FileIssue,
    KeepBook,
    MergePull,
    OpenPull,
    Plan,
    Post,
    Push,
    ReplyInThread,
    SetBrake,
    SetState,
    Snapshot,
    SplitIssue,
    WriteLedger,
)
from agentcells.posts import Ledger, Marker
from agentcells.run import Cleared, Outcome, Proof, RunEnd, RunFact, TreeTest
from agentcells.trust import Approval, may_run, our_ledger, our_marker
from tests.builders import (
    ALICE,
    CELLS,
    MACHINE,
    REPO,
    at,
    comment,
    config,
    delivery,
    event,
    issue,
    label,
    only,
    order,
    pull,
    verdict,
)


@dataclass
class World:
    """One repository on paper. Every act takes a minute; plans are carried out as `apply` would."""

    config: Config = field(default_factory=config)
    viewer: Account = CELLS
    items: dict[int, Item] = field(default_factory=dict)
    branches: dict[str, Sha] = field(default_factory=dict)
    trees: dict[str, str] = field(default_factory=dict)
    runs: list[RunFact] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    writes: list[Action] = field(default_factory=list)
    brake: Brake = field(default_factory=Brake)
    minutes: float = 0
    ids: Any = field(default_factory=lambda: itertools.count(1))

    # ------------------------------------------------------------ people

    def tick_clock(self) -> datetime:
        self.minutes += 1
        return at(self.minutes)

    def change(self, number: int, **changes: Any) -> None:
        changes.setdefault("updated_at", self.tick_clock())
        self.items[number] = replace(self.items[number], **changes)

    def happen(self, number: int, kind: Any, who: Account, name: str = "") -> None:
        found = replace(event(kind, self.minutes + 1, who, name), id=f"E{next(self.ids)}")
        self.change(number, events=(*self.items[number].events, found))

    def file(self, state: str = "implement", number: int = 7) -> World:
        """The owner files an issue with a label, assigned to himself."""
        self.items[number] = issue(number)
        self.label(state, number)
        return self

    def label(self, state: str, number: int = 7, who: Account = ALICE) -> None:
        name = self.config.label(state)
        if label(name) not in self.items[number].labels:
            self.change(number, labels=(*self.items[number].labels, label(name)))
            self.happen(number, "labeled", who, name)

    def unlabel(self, state: str, number: int = 7, who: Account = ALICE) -> None:
        name = self.config.label(state)
        if label(name) in self.items[number].labels:
            left = tuple(one for one in self.items[number].labels if one.name != name)
            self.change(number, labels=left)
            self.happen(number, "unlabeled", who, name)

    def say(self, body: str, number: int = 7, who: Account = ALICE, **changes: Any) -> str:
        said = comment(who, body, self.minutes + 1, id=f"C{next(self.ids)}", **changes)
        self.change(number, comments=(*self.items[number].comments, said))
        return said.id

    def close(self, number: int = 7, state: Any = "closed") -> None:
        self.change(number, state=state, closed_at=at(self.minutes))

    # ------------------------------------------------------------ the factory

    def snapshot(self, **changes: Any) -> Snapshot:
        plain = Snapshot(
            now=self.tick_clock(), viewer=self.viewer, owner=ALICE, machine=MACHINE,
            pairs=pair_up(self.config, self.items.values(), self.viewer, ALICE),
            runs=tuple(self.delivered(run) for run in self.runs), brake=self.brake,
            branches=tuple(f"{REPO} {ref}" for ref in self.branches),
        )
        return replace(plain, **changes)

    def plan(self, **changes: Any) -> Plan:
        return decide(self.config, self.snapshot(**changes))

    def tick(self, stop_after: int | None = None, **changes: Any) -> Plan:
        """One pass; killed after `stop_after` writes."""
        seen = self.snapshot(**changes)
        plan = decide(self.config, seen)
        for action in plan.actions[:stop_after]:
            self.do(action, seen)
        return plan

    def settle(self, passes: int = 6) -> Plan:
        """Passes until one has nothing to write, or has claimed a run."""
        plan = self.tick()
        while plan.actions and not any(isinstance(one, Claim) for one in plan.actions):
            passes -= 1
            assert passes, f"never comes to rest: {plan.actions}"
            plan = self.tick()
        return plan

    def end(
        self, wanted: str = "", *, kind: Any = "done", proof: bool = True, **changes: Any
    ) -> None:
        """The one alive run ends."""
        run = next_alive(self.runs)
        changed = changes.pop("changed", run.order.writes and kind == "done")
        tested = changes.pop("tested", changed)
        sealed = Sha(f"{len(self.trees) + 1:040x}")
        tree = f"tree-{run.order.run}" if changed else self.trees.get(run.order.start, "base")
        self.trees[sealed] = tree
        now = self.tick_clock()
        words = {"usd": 0.5, "tokens": 100, "comment": "Done so.", **changes}
        end = RunEnd(
            outcome=Outcome(kind=kind, next=wanted, **words),
            proof=Proof(run=run.order.run, nonce="n", containment="strong") if proof else None,
            ended_at=now, sealed=sealed, sealed_tree=tree, changed=changed,
            tested=TreeTest(tree=tree, passed=True, at=now) if tested else None,
        )
        self.runs[self.runs.index(run)] = replace(run, status="ended" if proof else "dead", end=end)

    def die(self) -> None:
        run = next_alive(self.runs)
        self.runs[self.runs.index(run)] = replace(run, status="dead")

    def delivered(self, run: RunFact) -> RunFact:
        """What observe would find out about the sealed work."""
        end = run.end
        if run.delivery or run.status != "ended" or not end or not end.sealed or not end.changed:
            return run
        tip = self.branches.get(run.order.branch)
        before = self.trees.get(tip or run.order.base, "base")
        return replace(run, delivery=delivery(
            push_sha=end.sealed, tip=tip, verdict=verdict(sha=end.sealed),
            cleared=Cleared(sha=end.sealed, base=run.order.base), differs=end.sealed_tree != before,
        ))

    # ------------------------------------------------------------ carrying out

    def do(self, action: Action, seen: Snapshot) -> None:
        self.writes.append(action)
        match action:
            case Push():
                assert action.cleared.sha == self.branches.get(action.ref) or (
                    self.branches.get(action.ref) == action.expected)
                self.branches[action.ref] = action.cleared.sha
            case OpenPull():
                if self.head(action.head) is None:
                    number = max(self.items) + 1
                    self.items[number] = pull(
                        number, title=action.title, body=action.body, author=self.viewer,
                        assignees=(), created_at=self.tick_clock(),
                        facts={"head_ref": action.head, "head_sha": self.branches[action.head],
                               "closes": ()},
                    )
            case AssignOwner():
                found = self.head(action.head)
                assert found is not None
                self.change(found, assignees=(ALICE,))
            case Post():
                self._post(action)
            case SetState():
                self._set_state(action)
            case WriteLedger():
                self._write(action.number, action.ledger)
            case Claim():
                self._claim(action, seen)
            case CloseRun():
                self.runs = [run for run in self.runs if run.order.run != action.run]
                self.closed.append(action.run)
                self.kept += [action.run] if action.keep else []
            case DeleteBranch():
                self.branches.pop(action.ref)
            case MergePull():
                facts = self.items[action.number].pull
                assert facts is not None
                assert facts.head_sha == action.expected_head
                self.close(action.number, "merged")
            case SetBrake():
                self.brake = action.brake
            case KeepBook() | FileIssue() | CloseFiled() | SplitIssue() | ReplyInThread():
                raise AssertionError("nothing is filed in this world, and nobody remarks on a line")

    def head(self, ref: str) -> int | None:
        return next((n for n, item in self.items.items()
                     if item.state == "open" and item.pull and item.pull.head_ref == ref), None)

    def _post(self, action: Post) -> None:
        number = action.number or self.head(action.head)
        assert number is not None
        made = [our_marker(one, self.viewer) for one in self.items[number].comments]
        if action.marker not in made:
            body = whole(action.marker, below(action.body))[1]
            self.say(body, number, self.viewer)

    def _set_state(self, action: SetState) -> None:
        opened = action.pull or (self.head(action.head) if action.head else None)
        on, other = (opened, action.issue) if action.on == "pull" else (action.issue, opened)
        assert on is not None
        wanted = [action.label] * bool(action.label) + ["working"] * action.working
        wanted += ["hold"] * action.hold
        for state in wanted:
            self.label(state, on, self.viewer)
        for number, right in ((on, wanted), (other, [])):
            for one in self.items[number].labels if number is not None else ():
                there = self.config.state(one.name)
                if number is not None and there is not None and there not in right:
                    self.unlabel(there, number, self.viewer)

    def _write(self, number: int, ledger: Ledger) -> None:
        body = render_ledger(ledger, "en")
        for place, one in enumerate(self.items[number].comments):
            made = our_marker(one, self.viewer)
            if made is not None and made.kind == "ledger":
                entries = list(self.items[number].comments)
                now = self.tick_clock()
                edits = (*(one.edits or ()), Edit(at=now, editor=self.viewer))
                entries[place] = replace(one, body=body, updated_at=now, edits=edits)
                self.change(number, comments=tuple(entries))
                return
        self.say(body, number, self.viewer)

    def _claim(self, action: Claim, seen: Snapshot) -> None:
        pair = next(one for one in seen.pairs if one.key == action.pair_key)
        cell = self.config.cell(action.cell)
        approval = may_run(self.config, pair, action.cell, seen)
        assert cell is not None
        assert isinstance(approval, Approval)
        start = self.branches.get(head := _head_of(pair), Sha("a" * 40))
        given = order(
            f"r{next(self.ids):03}", pair_key=pair.key, issue=action.issue, pull=action.pull,
            cell=cell.name, came_from=action.came_from, reply=action.reply,
            resume_from=action.resume_from, writes=cell.writes, branch=head, start=start,
            nexts=(*cell.next, "needs-human", *(["answer"] if action.reply else [])),
            seen=tuple(one.id for item in (pair.issue, pair.pull) if item for one in item.comments),
            text_hash=approval.text_hash, created_at=seen.now,
        )
        found = our_ledger(pair, self.viewer)
        self._write(pair.number, rounds.claimed(
            found[1] if found else Ledger(), given, MACHINE, seen.now, 2700))
        on = pair.pull if cell.on == "pull_request" else pair.issue
        assert on is not None
        self.label("working", on.number, self.viewer)
        self.runs.append(RunFact(order=given, status="alive"))

    # ------------------------------------------------------------ looking

    def pair(self, number: int = 7) -> Pair:
        return next(pair for pair in self.snapshot().pairs if pair.number == number)

    def states(self, number: int = 7) -> set[str]:
        return {self.config.state(one.name) or "" for one in self.items[number].labels}

    def ledger(self, number: int = 7) -> Ledger:
        found = our_ledger(self.pair(number), self.viewer)
        assert found is not None
        return found[1]

    def posts(self, number: int = 7, kind: str = "decision") -> list[Marker]:
        made = (our_marker(one, self.viewer) for one in self.items[number].comments)
        return [marker for marker in made if marker is not None and marker.kind == kind]


def next_alive(runs: list[RunFact]) -> RunFact:
    return next(run for run in runs if run.status == "alive")


def _head_of(pair: Pair) -> str:
    if pair.pull is not None and pair.pull.pull is not None:
        return pair.pull.pull.head_ref
    return f"agentcells/{pair.number}" + (f"-{pair.attempt}" if pair.attempt > 1 else "")


def claimed(world: World) -> Claim:
    """Passes until the next run is claimed."""
    claim: Claim = only(world.settle(), Claim)
    return claim


def in_review(world: World) -> World:
    """From the owner's label to his inspection."""
    claimed(world)
    world.end("review")
    world.settle()
    assert world.states(8) == {"review", "working"}
    world.end("done")
    world.settle()
    return world
