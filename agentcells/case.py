"""One pair with all that is known about it, and the few writes that a plan is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from agentcells import rounds
from agentcells.comments import below, notice_post, whole
from agentcells.labelling import Labelling, history
from agentcells.model import HOLD, IN_REVIEW, NEEDS_HUMAN, WORKING, Comment, Item, Member, Pair
from agentcells.pairs import PairState, state_of
from agentcells.plan import Action, Brake, Post, SetState, Skip, Snapshot, WriteLedger
from agentcells.posts import Ledger, Marker
from agentcells.run import Proof, RunFact
from agentcells.trust import Distrust, Who, text_cause
from agentcells.voices import MEMBERS, ledger_lost, our_ledger, our_posts, owner_said

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

WAITING = (NEEDS_HUMAN, IN_REVIEW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What is to be done about a pair now. `ask`: it could run in this cell, if a slot is free."""

    actions: tuple[Action, ...] = ()
    skip: Skip | None = None
    ask: Cell | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A pair, its labels and who set them, its book, its runs, what we have said on it."""

    config: Config
    snapshot: Snapshot
    pair: Pair
    brake: Brake
    state: PairState
    book_id: str  # id of the ledger comment; "": there is none
    book: Ledger
    lost: bool  # there was a book, and it is gone or spoilt (R30)
    labels: tuple[Labelling, ...]
    posts: tuple[tuple[Comment, Marker], ...]
    said: tuple[Comment, ...]  # the owner's instructions on both members
    heard_at: datetime | None  # the owner's last word or label: counters start there (R31)
    runs: tuple[RunFact, ...]

    # ------------------------------------------------------------ looking

    @property
    def items(self) -> tuple[Item, ...]:
        members = (self.pair.member(member) for member in MEMBERS)
        return tuple(item for item in members if item is not None)

    @property
    def pull_open(self) -> bool:
        return self.pair.pull is not None and self.pair.pull.state == "open"

    @property
    def over(self) -> bool:
        """Either member is closed or merged: nothing runs any more (R11)."""
        return any(item.state != "open" for item in self.items)

    @property
    def held_by_word(self) -> bool:
        """`/hold` took its labels off, and nothing has come since: this is no slip with labels."""
        newest = self.book.moves[-1].why if self.book.moves else ""
        return newest == rounds.HELD and not self.state.labelled and not self.over

    @property
    def own_pull(self) -> bool:
        """The owner's own pull request alone (R10)."""
        return self.pair.issue is None

    def home(self, state: str, *, pull_open: bool | None = None) -> Member:
        """The member that a state belongs on (R1)."""
        if self.own_pull:
            return "pull"
        has_pull = self.pull_open if pull_open is None else pull_open
        cell = self.config.cell(state)
        if cell is not None:
            return "pull" if cell.on == "pull_request" and has_pull else "issue"
        return "pull" if has_pull else "issue"

    def told_at(self, cause: str) -> datetime | None:
        """When the notice of this cause was posted, None: not yet."""
        return next((
            comment.created_at for comment, marker in self.posts
            if marker.kind == "notice" and marker.cause == cause
        ), None)

    def answered(self, cause: str) -> bool:
        """The notice was posted, and the owner has spoken since: he wants it to go on."""
        at = self.told_at(cause)
        return at is not None and self.heard_at is not None and self.heard_at > at

    def since(self) -> str:
        """The owner's last word as a part of a cause: each word of his gets its own notice."""
        return self.heard_at.isoformat() if self.heard_at else ""

    def newest_set(self, state: str) -> Labelling | None:
        return next((
            change for change in reversed(self.labels) if change.added and change.state == state
        ), None)

    def seen_now(self) -> tuple[str, ...]:
        """Ids of the newest comment of each kind on each member: all that is read by now (R14)."""
        newest: dict[tuple[int, str], Comment] = {}
        for item in self.items:
            for comment in item.comments:
                newest[item.number, comment.kind] = comment
        return tuple(comment.id for comment in newest.values())

    # ------------------------------------------------------------ writing

    def skip(self, key: str, who: Who = "machine", /, **slots: object) -> Judged:
        """Left alone, and why (R22)."""
        return Judged(skip=Skip(
            pair_key=self.pair.key, number=self.pair.number, title=self.pair.anchor.title,
            state=self.shown_state(), key=key, who=who,
            slots=tuple((name, str(value)) for name, value in slots.items()),
        ))

    def shown_state(self) -> str:
        return " + ".join(sorted(self.state.states))

    def set_state(
        self, label: str, *, working: bool = False, head: str = "", hold: bool | None = None
    ) -> SetState:
        """`head`: the branch of the pull request that this plan opens."""
        opened = True if head else None
        return SetState(
            pair_key=self.pair.key, repo=self.pair.repo,
            issue=self.pair.issue.number if self.pair.issue is not None else None,
            pull=self.pair.pull.number if self.pair.pull is not None and not head else None,
            on=self.home(label, pull_open=opened), head=head, label=label, working=working,
            hold=self.state.hold if hold is None else hold,
        )

    def write(self, ledger: Ledger, proof: Proof | None = None) -> WriteLedger:
        """The book stands on the issue, else on the pull request (R30)."""
        return WriteLedger(
            pair_key=self.pair.key, repo=self.pair.repo, number=self.pair.number,
            comment_id=self.book_id, ledger=ledger, proof=proof,
        )

    def post(
        self, marker: Marker, body: str, *, head: str = "", proof: Proof | None = None
    ) -> Post:
        """On the pull request when one is open or opened by this plan (`head`), else the issue."""
        on: Member = "pull" if head or self.pull_open or self.own_pull else "issue"
        item = self.pair.pull if on == "pull" else self.pair.issue
        return Post(
            pair_key=self.pair.key, repo=self.pair.repo, on=on,
            number=item.number if item is not None and not head else None,
            head=head, marker=marker, body=body, proof=proof,
        )

    def notice(
        self, cause: str, key: str, slots: Mapping[str, object], *, to: str = ""
    ) -> tuple[Post, ...]:
        """A notice, unless it was posted. It knows what was read: no reply is lost behind it."""
        if self.told_at(cause) is not None:
            return ()
        came_from = self.state.only if to else ""
        marker, body = notice_post(
            self.config, self.pair, cause, key, slots, came_from=came_from, to=to
        )
        marker, body = whole(replace(marker, seen=self.seen_now()), below(body))
        return (self.post(marker, body),)

    def park(self, cause: str, key: str, /, **slots: object) -> Judged:
        """Ask the owner: one notice that announces `needs-human`, then the label."""
        return Judged(actions=(
            *self.notice(cause, key, slots, to=NEEDS_HUMAN), self.set_state(NEEDS_HUMAN),
        ))

    def park_again(self, cause: str, key: str, /, **slots: object) -> Judged:
        """As `park`, once for each word of the owner: the limit still stands after it."""
        return self.park(f"{cause}:{self.since()}", key, **slots)

    def move(
        self, to: str, why: str, because: str = "", *, hold: bool | None = None
    ) -> tuple[Action, ...]:
        """A label set without a run, announced in the book first (R24)."""
        ledger = rounds.moved(
            self.book, self.snapshot.now, self.state.only, to, why, because
        )
        return self.write(ledger), self.set_state(to, hold=hold)

    def distrusted(self, distrust: Distrust) -> Judged:
        """Nothing runs. Only a changed text is worth a comment (R25)."""
        judged = self.skip(distrust.key, distrust.who, **dict(distrust.slots))
        if distrust.key != "skip_text_changed":
            return judged
        slots = dict(distrust.slots)
        return replace(judged, actions=self.notice(
            text_cause(self.pair), "plan_text_changed", slots
        ))


def open_case(config: Config, snapshot: Snapshot, pair: Pair, brake: Brake) -> Case:
    """Everything that the rules ask about a pair, looked up once."""
    viewer, key = snapshot.viewer, snapshot.mac_key
    found = our_ledger(pair, viewer, key)
    labels = history(
        config, pair, snapshot.owner, viewer, pinned=snapshot.label_ids, key=key
    )
    said = owner_said(config, pair, snapshot.owner, viewer)
    book = found[1] if found is not None else Ledger()
    return Case(
        config=config, snapshot=snapshot, pair=pair, brake=brake,
        state=state_of(config, pair, snapshot.label_ids),
        book_id=found[0] if found is not None else "", book=book,
        lost=ledger_lost(pair, viewer, key),
        labels=labels, posts=our_posts(pair, viewer, key), said=said,
        heard_at=_heard_at(labels, said, book),
        runs=tuple(run for run in snapshot.runs if run.order.pair_key == pair.key),
    )


def _heard_at(
    labels: tuple[Labelling, ...], said: tuple[Comment, ...], book: Ledger
) -> datetime | None:
    """The owner's last instruction, label, or edit that was an answer (R31)."""
    times = [comment.created_at for comment in said]
    times += [
        change.at for change in labels
        if change.by == "owner" and change.added and change.state not in (WORKING, HOLD)
    ]
    times += [move.at for move in book.moves if move.why == rounds.EDIT]
    return max(times, default=None)
