"""What must hold of a factory's forge after every step of every story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from agentcells import views
from agentcells.columns import because
from agentcells.markers import parse_ledger, parse_marker
from agentcells.model import Event, Item, Pair, Problem
from agentcells.plan import Snapshot
from agentcells.run import Order
from agentcells.sentences import say
from agentcells.voices import command, untouched
from tests.stage import BOT, OWNER, Stage, nothing_written

BESIDE = {"working", "hold"}
# A label on the wrong member that another account put there, or nobody knows who, stays where it is.
NOT_OURS_TO_MOVE = ("skip_label_foreign", "skip_label_unknown", "skip_ledger_lost")
FORBIDDEN = ".github/workflows/leak.yml"  # no run's push may ever hold it
FOREIGN = "bug"  # a label that is none of ours


@dataclass
class History:
    """What a random history has to remember of itself."""

    words: dict[str, str] = field(default_factory=dict)  # what the owner said, by the comment's id
    troubled: bool = False  # a tick was killed, or the forge was out of reach
    marked: set[int] = field(default_factory=set)  # items with a label that is none of ours

    def may_begin(self, stage: Stage, order: Order) -> None:
        """No run without the owner's right to it, as the page shows it now (R23, R24)."""
        items = [stage.item(number) for number in (order.issue, order.pull) if number is not None]
        assert all(item.state == "open" for item in items), order
        if order.issue is not None:
            assert OWNER in [one.login for one in items[0].assignees], f"not assigned: {order}"
        changes = [
            (event.at, event.actor.login, event.label.name) for event in _changes(stage, items)
            if event.kind == "labeled" and event.label and event.actor
        ]
        assert changes, f"nobody labelled it: {order}"
        assert changes[-1][1] in (OWNER, BOT), f"{changes[-1]} is not the owner's: {order}"
        assert any(by == OWNER for _, by, _ in changes), changes


def sound(stage: Stage) -> None:
    """Ask all of it. Raises AssertionError that names the item."""
    items = [stage.item(number) for number in stage.people.numbers()]
    _nothing_doubled(stage, items)
    _one_branch(stage, items)
    _every_row_once(stage, items)


def at_rest(stage: Stage) -> None:
    """More: what must hold when a tick has ended and nothing runs."""
    sound(stage)
    snapshot, plan = stage.look()
    reasons = {skip.pair_key: skip for skip in plan.skips}
    for pair in snapshot.pairs:
        skip = reasons.get(pair.key)
        _at_most_one_state(stage, pair, skip.key if skip else "")
    language = stage.config.factory.language
    for pair in snapshot.pairs:
        members = [item for item in (pair.issue, pair.pull) if item is not None]
        ours = {label.name for item in members for label in item.labels
                if stage.config.state(label.name)}
        if ours and not any(action.pair_key == pair.key for action in plan.actions):
            assert pair.key in reasons, f"{pair.key} waits with {ours} and has no reason"
            skip = reasons[pair.key]
            why = "\n".join(views.why(stage.config, snapshot, plan, pair.number))
            assert because(skip.key, skip.slots, language) in why, why


def _at_most_one_state(stage: Stage, pair: Pair, reason: str) -> None:
    """Over both members, in the one place where it belongs (R1, R2, R4); a stopped pair has none (R11).

    What people did against that may stand, with the reason why nothing runs; what we did never does.
    """
    members = [item for item in (pair.issue, pair.pull) if item is not None]
    ours = [(item, state) for item in members for label in item.labels
            if (state := stage.config.state(label.name)) is not None]
    told = f"{pair.key}: {[(item.number, state) for item, state in ours]}, {reason!r}"
    if any(item.state != "open" for item in members):
        assert not ours, told
        return
    if reason != "skip_held_result":  # its result is here and waits: the claim stands until it is told (R7)
        assert "working" not in {state for _, state in ours}, told
    states = [(item, state) for item, state in ours if state not in BESIDE]
    if len(states) > 1:
        assert len({state for _, state in states}) > 1, told
        assert reason == "skip_two_states", told
        # One of them may be where our own move ends; that another stands beside it is somebody's doing.
        sets = {event.label.name: event for event in _changes(stage, members) if event.kind == "labeled" and event.label}
        by_people = [name for name, event in sets.items() if event.actor is not None and event.actor.login != BOT]
        assert any(stage.config.state(name) in {state for _, state in states} for name in by_people), told
    elif states and reason not in NOT_OURS_TO_MOVE:
        item, state = states[0]
        cell = stage.config.cell(state)
        on_pull = pair.pull is not None and (cell is None or cell.on == "pull_request")
        assert item is (pair.pull if on_pull or pair.issue is None else pair.issue), told


def _changes(stage: Stage, items: Iterable[Item]) -> list[Event]:
    """Every change of a state's label, the newest last. People let a second pass; of one second we are last."""
    found = [
        event for item in items for event in item.events
        if event.label is not None and (stage.config.state(event.label.name) or "working") not in BESIDE
    ]
    return sorted(found, key=lambda e: (e.at, e.actor is not None and e.actor.login == BOT))


def foreign_labels_stand(stage: Stage, history: History) -> None:
    """Whatever we did to an item, a label that is none of ours is where somebody put it (R3)."""
    for number in history.marked:
        assert FOREIGN in {label.name for label in stage.item(number).labels}, f"#{number}"


def _nothing_doubled(stage: Stage, items: list[Item]) -> None:
    """One comment for each event, one book for each pair, one open pull request for each issue."""
    me = stage.bot or OWNER
    posts: Counter[tuple[str, ...]] = Counter()
    books: Counter[int] = Counter()
    for item in items:
        for comment in item.comments:
            marker = parse_marker(comment.body)
            if marker is None or comment.author is None or comment.author.login not in (me, BOT):
                continue
            if not untouched(comment):  # spoilt by somebody: it is worth nothing, and may be said again
                continue
            if marker.kind == "ledger":
                books[item.number] += 1
            elif marker.kind == "decision":
                posts["decision", marker.run] += 1
            elif marker.kind == "notice":
                posts["notice", str(item.number), marker.cause] += 1
    doubled = [post for post, count in posts.items() if count > 1]
    assert not doubled, doubled
    assert all(count <= 1 for count in books.values()), books
    heads = Counter(item.pull.head_ref for item in items if item.pull and item.state == "open")
    assert all(count == 1 for count in heads.values()), heads


def _one_branch(stage: Stage, items: list[Item]) -> None:
    """No branch but those the people made and agentcells/<number>."""
    known = {item.number for item in items}
    for ref in stage.branches():
        if ref.startswith("agentcells/"):
            number, _, attempt = ref.removeprefix("agentcells/").partition("-")
            assert int(number) in known, ref
            assert not attempt or int(attempt) > 1, ref


def _every_row_once(stage: Stage, items: list[Item]) -> None:
    for item in items:
        for comment in item.comments:
            ledger = parse_ledger(comment.body)
            if ledger is not None:
                runs = [row.run for row in ledger.rows]
                assert len(runs) == len(set(runs)), f"#{item.number}: {runs}"


def rests(stage: Stage, number: int, key: str = "", *about: str) -> None:
    """Nothing runs, nothing is written (any more), and `why N` names this very reason with these words.

    `key` "": it carries no label of ours, so nobody waits for anything.
    """
    language = stage.config.factory.language
    with nothing_written(stage):
        ticked = stage.tick()
    assert ticked.cells == []
    assert ticked.problem is None, ticked.problem
    snapshot, plan = stage.look()
    keys = {
        pair.key for pair in snapshot.pairs
        if number in {item.number for item in (pair.issue, pair.pull) if item is not None}
    }
    skips = [skip for skip in plan.skips if skip.pair_key in keys]
    assert [skip.key for skip in skips] == ([key] if key else [])
    why = stage.why(number)
    for skip in skips:
        assert because(skip.key, skip.slots, language) in why
    if not keys:
        assert why == say("view_why_unknown", language, number=number)
    elif not key:
        told = [say("view_why_state_no", language, labels="-")]
        for one in _numbers(snapshot, number):
            told += [say(f"view_why_{key}", language, number=one) for key in ("command_no", "merged_no")]
            told.append(say("view_why_open_no", language, number=one, state=say("issue_state_closed", language)))
        assert any(words in why for words in told), why
    missing = [words for words in about if words not in why]
    assert not missing, f"{missing} not in\n{why}"


def _numbers(snapshot: Snapshot, number: int) -> list[int]:
    """The numbers of both members of the pair that this one belongs to."""
    pairs = [[item.number for item in (pair.issue, pair.pull) if item is not None] for pair in snapshot.pairs]
    return [one for members in pairs if number in members for one in members]


def refuses(stage: Stage, key: str, about: str) -> None:
    """The whole tick refuses before it writes, with this reason; whoever asks why is told the same."""
    with nothing_written(stage):
        ticked = stage.tick()
    assert ticked.problem is not None
    assert (ticked.cells, ticked.problem.key) == ([], key)
    assert about in say(ticked.problem.key, "en", **ticked.problem.slots)
    with pytest.raises(Problem) as told:
        stage.why(1)
    told_twice = [
        {name: value for name, value in slots.items() if name != "request_id"}
        for slots in (told.value.slots, ticked.problem.slots)
    ]
    assert told.value.key == key
    assert told_twice[0] == told_twice[1]


def always(stage: Stage, history: History) -> None:
    """After every step of a random history, whatever was killed or out of reach."""
    sound(stage)
    _only_with_right(stage)
    _only_what_the_gate_saw(stage)


def _only_with_right(stage: Stage) -> None:
    """We write on nothing that the owner did not put into the line, or gave a command about."""
    items = {number: stage.item(number) for number in stage.people.numbers()}
    ordered = {
        number for number, item in items.items() for comment in item.comments
        if comment.author and comment.author.login == OWNER and command(comment)
    } | {
        number for number, item in items.items() for event in item.events
        if event.kind == "labeled" and event.actor and event.actor.login == OWNER
        and event.label and event.label.name.startswith("ac:")
    }
    for number, item in items.items():
        if item.author is not None and item.author.login == BOT:
            assert item.pull is not None, f"#{number}"
            assert item.pull.head_ref.startswith("agentcells/"), item.pull.head_ref
            continue
        wrote = [c.body for c in item.comments if c.author and c.author.login == BOT]
        wrote += [  # labels go off whatever is closed, whoever had set them (R11)
            e.label.name for e in item.events
            if e.kind == "labeled" and e.label and e.actor and e.actor.login == BOT
        ]
        assert number in ordered or not wrote, f"#{number}: {wrote}"


def _only_what_the_gate_saw(stage: Stage) -> None:
    """No branch of ours, in no commit of its past, holds what the gate refuses (R45)."""
    for ref in stage.branches():
        if ref.startswith("agentcells/"):
            assert FORBIDDEN not in stage.people.paths(ref), ref


def lost_words(stage: Stage, history: History) -> list[str]:
    """What the owner said, no run has read, and nothing will come back to: there must be none (R14).

    A pair that waits for him although he has spoken since it was put there, and of which nothing of ours
    has told him why.
    """
    snapshot, plan = stage.look()
    waiting = {skip.pair_key for skip in plan.skips if skip.key in ("skip_needs_human", "skip_in_review")}
    read = "\n".join(prompt for _, prompt in stage.played)
    lost = []
    for pair in snapshot.pairs:
        if pair.key not in waiting:
            continue
        items = [item for item in (pair.issue, pair.pull) if item is not None]
        labelled = [e.at for item in items for e in item.events
                    if e.kind == "labeled" and e.actor and e.actor.login != BOT]
        notices = [c.created_at for item in items for c in item.comments
                   if (marker := parse_marker(c.body)) and marker.kind == "notice"]
        for comment in (c for item in items for c in item.comments if c.id in history.words):
            text = history.words[comment.id]
            # People let a second pass before they speak: what bears the same one came after.
            answered = any(at >= comment.created_at for at in (*notices, *labelled))
            if f"{text}\n" not in f"{read}\n" and not answered:
                lost.append(f"{pair.key}: {text}")
    return lost
