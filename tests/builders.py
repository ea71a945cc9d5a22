"""Short makers of people, items, comments, events, runs and snapshots."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agentcells.config import Cell, Config
from agentcells.config_model import Commands, Factory, Limits, Records, Sandbox
from agentcells.decide import pair_up
from agentcells.markers import render_ledger, render_marker
from agentcells.model import Account, Comment, Edit, Event, Item, Label, PullFacts, RunId, Sha
from agentcells.plan import Plan, Skip, Snapshot
from agentcells.posts import Ledger, Marker
from agentcells.run import Cleared, Delivery, Finding, Order, Verdict
from agentcells.trust import text_hash

ALICE = Account(id="U1", login="alice")  # the owner
BOB = Account(id="U2", login="bob")  # a stranger, however much access he has
CELLS = Account(id="U3", login="alice-cells", kind="bot")  # the account of the token
REPO = "alice/game"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MACHINE = "here"

TRIAGE = Cell(name="triage", on="issue", label="ac:triage", next=("implement",), max_rounds=3)
IMPLEMENT = Cell(
    name="implement", on="issue", label="ac:implement", next=("review",), writes=True,
    needs_record=True, needs_test=True, max_rounds=5,
)
REVIEW = Cell(
    name="review", on="pull_request", label="ac:review", next=("implement", "done"), max_rounds=3,
)
AUTOMERGE = Cell(
    name="automerge", on="pull_request", label="ac:automerge", next=("merge", "done"), merge=True,
    dry=False,
)


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def config(
    *cells: Cell, test: tuple[str, ...] = ("make", "test"), off: tuple[Cell, ...] = (),
    limits: dict[str, Any] | None = None, delegate: bool = False, containment: Any = "strong",
    **factory: Any,
) -> Config:
    words: dict[str, Any] = {"owner": "alice", "bot": "alice-cells", **factory}
    return Config(
        factory=Factory(**words), commands=Commands(test=test), limits=Limits(**(limits or {})),
        records=Records(delegate=delegate), sandbox=Sandbox(containment=containment), off=off,
        cell=cells or (TRIAGE, IMPLEMENT, REVIEW),
    )


def label(name: str) -> Label:
    return Label(id=f"L-{name}", name=name)


def event(kind: Any, minutes: float, who: Account | None = ALICE, name: str = "") -> Event:
    return Event(
        id=f"E{kind}{minutes}{name}", kind=kind, at=at(minutes), actor=who,
        label=label(name) if name else None,
    )


def labeled(state: str, minutes: float, who: Account | None = ALICE) -> Event:
    return event("labeled", minutes, who, f"ac:{state}")


def unlabeled(state: str, minutes: float, who: Account | None = ALICE) -> Event:
    return event("unlabeled", minutes, who, f"ac:{state}")


def comment(who: Account | None, body: str, minutes: float, **changes: Any) -> Comment:
    plain = Comment(
        id=f"C{minutes}", author=who, body=body, created_at=at(minutes), updated_at=at(minutes)
    )
    return replace(plain, **changes)


def ours(marker: Marker, minutes: float, words: str = "words", **changes: Any) -> Comment:
    who = changes.pop("who", CELLS)
    return comment(who, f"{render_marker(marker)}\n{words}", minutes, **changes)


def decision(run: str, cell: str, to: str, minutes: float, **marker: Any) -> Comment:
    words = {"came_from": cell, **marker}
    return ours(Marker(kind="decision", run=run, cell=cell, to=to, **words), minutes)


def book(ledger: Ledger, minutes: float = 1, **changes: Any) -> Comment:
    return comment(changes.pop("who", CELLS), render_ledger(ledger, "en"), minutes, **changes)


def edited(who: Account | None, minutes: float) -> Edit:
    return Edit(at=at(minutes), editor=who)


def issue(number: int = 7, *states: str, **changes: Any) -> Item:
    plain = Item(
        repo=REPO, kind="issue", number=number, id=f"I{number}", title="A bigger boat",
        body="We need one.", author=ALICE, state="open", created_at=at(-60), updated_at=at(0),
        labels=tuple(label(f"ac:{state}") for state in states), assignees=(ALICE,),
    )
    return replace(plain, **changes)


def labelled(
    state: str = "implement", *, who: Account = ALICE, number: int = 7, **changes: Any
) -> Item:
    """An issue whose label somebody set at noon."""
    events = (labeled(state, 0, who), *changes.pop("events", ()))
    return issue(number, state, events=events, **changes)


def pull(
    number: int = 8, *states: str, facts: dict[str, Any] | None = None, **changes: Any
) -> Item:
    words: dict[str, Any] = {
        "head_ref": "agentcells/7", "head_sha": Sha("b" * 40), "base_ref": "main",
        "same_repository": True, "closes": (7,), **(facts or {}),
    }
    plain = issue(number, *states, kind="pull_request", id=f"P{number}", author=CELLS)
    return replace(plain, **{"pull": PullFacts(**words), **changes})


def snapshot(*items: Item, cfg: Config | None = None, **changes: Any) -> Snapshot:
    viewer = changes.get("viewer", CELLS)
    plain = Snapshot(
        now=at(100), viewer=viewer, owner=ALICE, machine=MACHINE,
        pairs=pair_up(cfg or config(), items, viewer, ALICE),
    )
    return replace(plain, **changes)


def order(run: str = "r1", **changes: Any) -> Order:
    plain = Order(
        run=RunId(run), repo=REPO, pair_key=f"{REPO}#7", issue=7, pull=None, cell="implement",
        came_from="implement", reply=False, resume_from="", nexts=("review", "needs-human"),
        extra_fields=(), prompt="…", seen=(),
        text_hash=text_hash("A bigger boat", "We need one."), start=Sha("a" * 40),
        base=Sha("a" * 40), base_ref="main", branch="agentcells/7", branch_exists=False, kept="",
        writes=True, store="/nowhere", created_at=at(10), title="A bigger boat",
    )
    return replace(plain, **changes)


def verdict(**changes: Any) -> Verdict:
    return replace(Verdict(sha=Sha("c" * 40), base=Sha("a" * 40)), **changes)


def delivery(**changes: Any) -> Delivery:
    plain = Delivery(
        push_sha=Sha("c" * 40), tip=None, verdict=verdict(), differs=True,
        cleared=Cleared(sha=Sha("c" * 40), base=Sha("a" * 40)),
    )
    return replace(plain, **changes)


GATE = Finding(rule="protected_path", detail=".github/workflows/**", path=".github/workflows/ci.yml")


def only(plan: Plan, kind: type[Any]) -> Any:
    """The one action of this kind."""
    found = [action for action in plan.actions if isinstance(action, kind)]
    assert len(found) == 1, plan.actions
    return found[0]


def names(plan: Plan) -> list[str]:
    return [type(action).__name__ for action in plan.actions]


def skip_of(plan: Plan) -> Skip:
    assert len(plan.skips) == 1, plan.skips
    return plan.skips[0]
