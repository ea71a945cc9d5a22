"""A small world of one repository for the pure rooms: people, an issue, its pull request, comments."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agentcells.config import Cell, Config
from agentcells.config_model import Commands, Factory, Limits
from agentcells.markers import render_ledger, render_marker
from agentcells.model import Account, Comment, Event, Item, Label, Pair, PullFacts, RunId, Sha
from agentcells.plan import Claim, Snapshot
from agentcells.posts import Ledger, LedgerRow, Marker
from agentcells.run import Order, RunFact

ALICE = Account(id="U1", login="alice")
BOB = Account(id="U2", login="bob")
CELLS = Account(id="U3", login="alice-cells")
ROBOT = Account(id="U4", login="ci", kind="bot")
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NONCE = "0123456789abcdef"


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


TRIAGE = Cell(name="triage", on="issue", label="ac:triage", next=("implement",),
              prompt_text="Look closer.")
IMPLEMENT = Cell(name="implement", on="issue", label="ac:implement", next=("review",), writes=True,
                 needs_record=True, needs_test=True, prompt_text="Make it so.\n")
REVIEW = Cell(name="review", on="pull_request", label="ac:review", next=("implement", "done"),
              prompt_text="Read the change.")
AUTOMERGE = Cell(name="automerge", on="pull_request", label="ac:automerge", merge=True,
                 next=("merge", "done"), prompt_text="Small and safe only.")


def config(*cells: Cell, language: Any = "en", build=("make",), test=("make", "test")) -> Config:
    return Config(
        factory=Factory(owner="alice", bot="alice-cells", language=language),
        commands=Commands(build=build, test=test),
        limits=Limits(usd_per_item=25.0, usd_per_day=50.0, runs_per_item=50),
        cell=cells or (TRIAGE, IMPLEMENT, REVIEW),
    )


def label(name: str) -> Label:
    return Label(id=f"L-{name}", name=name)


def labeled(name: str, minutes: float, who: Account = ALICE) -> Event:
    return Event(id=f"E{minutes}-{name}", kind="labeled", at=at(minutes), actor=who,
                 label=label(name))


def comment(who: Account | None, body: str, minutes: float, **changes: Any) -> Comment:
    plain = Comment(id=f"C{minutes}", author=who, body=body, created_at=at(minutes),
                    updated_at=at(minutes))
    return replace(plain, **changes)


def ours(marker: Marker, words: str, minutes: float, **changes: Any) -> Comment:
    return comment(CELLS, f"{render_marker(marker)}\n{words}", minutes, **changes)


def result(cell: str, words: str, minutes: float, cause: str = "", **changes: Any) -> Comment:
    fold = "<details>\n<summary>x</summary>\n\nfacts\n\n</details>"
    said = f"**{cell}** is done.\n\n{words}\n\n{fold}"
    return ours(Marker(kind="decision", run=f"r{minutes}", cell=cell, cause=cause), said, minutes,
                **changes)


def book(rows: tuple[LedgerRow, ...], minutes: float = 1.5, **changes: Any) -> Comment:
    body = render_ledger(Ledger(rows=rows, **changes), "en")
    return comment(CELLS, body, minutes)


def row(cell: str, minutes: float, **changes: Any) -> LedgerRow:
    plain = LedgerRow(run=f"r{minutes}", machine="m", cell=cell, start=at(minutes), timeout_s=2700,
                      end=at(minutes + 5), outcome="done", tokens=1000, usd=0.5)
    return replace(plain, **changes)


def issue(
    *comments: Comment, state: str = "ac:implement", number: int = 12, **changes: Any
) -> Item:
    names = [state] if state else []
    plain = Item(
        repo="alice/game", kind="issue", number=number, id=f"I{number}",
        title="The hero cannot jump", body="Press space: nothing happens.", author=BOB,
        state="open", created_at=at(0), updated_at=at(60), labels=tuple(map(label, names)),
        assignees=(ALICE,), comments=comments,
        events=tuple(labeled(name, 1) for name in names),
    )
    return replace(plain, **changes)


def pull(*comments: Comment, state: str = "", number: int = 15, facts=None, **changes: Any) -> Item:
    plain = PullFacts(head_ref="agentcells/12", head_sha=Sha("2" * 40), base_ref="main",
                      same_repository=True, closes=(12,))
    names = [state] if state else []
    item = Item(
        repo="alice/game", kind="pull_request", number=number, id=f"P{number}",
        title="The hero cannot jump", body="Closes #12", author=CELLS, state="open",
        created_at=at(20), updated_at=at(60), labels=tuple(map(label, names)), comments=comments,
        events=tuple(labeled(name, 30) for name in names), pull=replace(plain, **(facts or {})),
    )
    return replace(item, **changes)


def pair(issue_: Item | None, pull_: Item | None = None) -> Pair:
    return Pair(issue=issue_, pull=pull_)


def snapshot(*pairs: Pair, **changes: Any) -> Snapshot:
    plain = Snapshot(now=at(100), viewer=CELLS, owner=ALICE, machine="m", pairs=pairs)
    return replace(plain, **changes)


def claim(cell: str = "implement", **changes: Any) -> Claim:
    plain = Claim(pair_key="alice/game#12", repo="alice/game", issue=12, pull=None, cell=cell,
                  came_from=cell, reply=False, resume_from="", why="")
    return replace(plain, **changes)


def running(cell: str = "implement", minutes: float = 90) -> RunFact:
    order = Order(
        run=RunId(f"r{minutes}"), repo="alice/game", pair_key="alice/game#12", issue=12, pull=None,
        cell=cell, came_from=cell, reply=False, resume_from="", nexts=(), extra_fields=(),
        prompt="", seen=(), text_hash="", start=Sha("1" * 40), base=Sha("0" * 40), base_ref="main",
        branch="agentcells/12", branch_exists=False, kept="", writes=True, store="",
        created_at=at(minutes),
    )
    return RunFact(order=order, status="alive")
