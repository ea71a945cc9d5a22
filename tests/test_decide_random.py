"""decide under chance: whatever the forge shows, nothing is raised, doubled or unproven."""


from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentcells.decide import decide
from agentcells.labelling import announcements
from agentcells.model import RunId
from agentcells.pairs import state_of
from agentcells.plan import Brake, Claim, MergePull, OpenPull, Post, Push, SetState, Unreadable
from agentcells.posts import Ledger, LedgerRow, Marker, Move
from agentcells.rounds import OUTCOMES
from agentcells.run import Outcome, Proof, RunEnd, RunFact
from tests.builders import (
    ALICE,
    BOB,
    CELLS,
    GATE,
    at,
    book,
    comment,
    config,
    decision,
    delivery,
    edited,
    event,
    issue,
    label,
    order,
    ours,
    pull,
    snapshot,
    verdict,
)
from tests.paper_world import World

CONFIG = config()
STATES = ["triage", "implement", "review", "needs-human", "in-review", "working", "hold", "paint"]
PEOPLE = st.sampled_from([ALICE, ALICE, BOB, CELLS, None])
TIMES = st.integers(0, 60)
WAITING = st.sampled_from(STATES[:5])

labels = st.lists(st.sampled_from(STATES), max_size=3, unique=True).map(
    lambda found: tuple(label(f"ac:{state}") for state in found))
events = st.lists(st.builds(
    event, st.sampled_from(["labeled", "labeled", "unlabeled", "renamed", "transferred"]), TIMES, PEOPLE,
    st.sampled_from([f"ac:{state}" for state in STATES] + ["bug", ""]),
), max_size=6).map(lambda found: tuple(sorted(found, key=lambda one: one.at)))
rows = st.builds(
    LedgerRow, run=st.sampled_from(["r1", "r2", "r3"]), machine=st.sampled_from(["here", "there"]),
    cell=WAITING, start=TIMES.map(at), timeout_s=st.just(600), end=st.none() | TIMES.map(at),
    outcome=st.sampled_from(["", *OUTCOMES]), next=WAITING, usd=st.sampled_from([0.0, 30.0]),
    counts=st.booleans(),
)
moves = st.builds(
    Move, at=TIMES.map(at), came_from=WAITING, to=WAITING | st.just(""), because=st.just("C1"),
    why=st.sampled_from(["move_reply", "move_edit", "move_checks", "move_held", "move_conflict"]),
)
ledgers = st.builds(
    Ledger, rows=st.lists(rows, max_size=4).map(tuple), moves=st.lists(moves, max_size=3).map(tuple))
comments = st.lists(st.one_of(
    st.builds(comment, PEOPLE, st.sampled_from(["red", "ok", "/hold", "/resume", ""]), TIMES),
    st.builds(decision, st.sampled_from(["r1", "r2"]), WAITING, WAITING | st.just(""), TIMES),
    st.builds(ours, st.builds(Marker, kind=st.just("notice"), cause=st.just("x"), to=WAITING), TIMES),
    st.builds(book, ledgers, TIMES),
), max_size=5).map(lambda found: tuple(sorted(found, key=lambda one: one.created_at)))
shared = {
    "labels": labels, "events": events, "comments": comments,
    "assignees": st.sampled_from([(ALICE,), (ALICE,), (BOB,), ()]),
    "edits": st.sampled_from([(), None, (edited(BOB, 30),), (edited(ALICE, 30),)]),
}
issues = st.builds(issue, st.sampled_from([7, 9]), **shared, state=st.sampled_from(["open", "open", "closed"]))
pulls = st.builds(
    pull, st.sampled_from([8, 10]), **shared, author=st.sampled_from([CELLS, CELLS, ALICE, BOB]),
    state=st.sampled_from(["open", "open", "closed", "merged"]),
    facts=st.fixed_dictionaries({
        "head_ref": st.sampled_from(["agentcells/7", "agentcells/9-2", "boat"]),
        "same_repository": st.booleans(), "checks": st.sampled_from(["none", "failure"]),
        "closes": st.sampled_from([(), (7,)]), "pushers": st.sampled_from([(), (BOB,)]),
    }),
)
ends = st.builds(
    RunEnd, ended_at=st.just(at(50)), changed=st.booleans(), sealed=st.sampled_from([None, "c" * 40]),
    proof=st.sampled_from([None, Proof(run=RunId("r1"), nonce="n", containment="strong")]),
    outcome=st.builds(
        Outcome, kind=st.sampled_from(["done", "done", *OUTCOMES]), usd=st.just(1.0),
        next=st.sampled_from(["review", "implement", "done", "merge", "answer", "needs-human"])),
)
runs = st.builds(
    RunFact, status=st.sampled_from(["alive", "ended", "ended", "dead"]), end=ends,
    refused_pushes=st.sampled_from([0, 3]),
    order=st.builds(
        order, st.sampled_from(["r1", "r2"]), cell=WAITING, came_from=WAITING, writes=st.booleans(),
        pair_key=st.sampled_from(["alice/game#7", "alice/game#9", "alice/game#8"]),
        nexts=st.just(("review", "implement", "done", "merge", "answer", "needs-human")),
    ),
    delivery=st.sampled_from([
        None, delivery(), delivery(tip="c" * 40), delivery(conflicts=("a",)), delivery(differs=False),
        delivery(cleared=None, verdict=verdict(blocks=(GATE,))),
        delivery(foreign=("bob",), foreign_by_owner=False),
    ]),
)
snapshots = st.builds(
    lambda items, **changes: snapshot(*{one.number: one for one in items}.values(), **changes),
    st.lists(issues | pulls, max_size=4),
    viewer=st.sampled_from([CELLS, ALICE]), runs=st.lists(runs, max_size=2).map(tuple),
    claiming=st.sampled_from([True, True, False]),
    brake=st.sampled_from([Brake(), Brake(), Brake(stopped=True), Brake(paused_until=at(200))]),
    unreadable=st.sampled_from([(), (), (Unreadable(repo="alice/game", number=9, title="", detail=""),)]),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(snapshots)
def test_r15_any_snapshot_has_a_plan_that_keeps_the_promises(seen):
    plan = decide(CONFIG, seen)
    claims = [one for one in plan.actions if isinstance(one, Claim)]
    assert len({one.pair_key for one in claims}) == len(claims) <= CONFIG.factory.parallel
    touched = {one.pair_key for one in plan.actions}
    explained = touched | {skip.pair_key for skip in plan.skips}
    for pair in seen.pairs:
        if state_of(CONFIG, pair).labelled:
            members = {f"{item.repo}#{item.number}" for item in (pair.issue, pair.pull) if item}
            branch = pair.pull.pull.head_ref if pair.pull and pair.pull.pull else ""
            members |= {"alice/game#9"} if branch == "agentcells/9-2" else set()
            assert explained & members, pair
    proven = {run.order.run for run in seen.runs
              if run.status == "ended" and run.end is not None and run.end.proof is not None}
    for one in plan.actions:
        if isinstance(one, (Push, OpenPull, MergePull)):
            assert one.run in proven
        if isinstance(one, Post) and one.marker.kind == "decision":
            assert one.marker.run in proven
            assert one.proof is not None
    assert decide(CONFIG, seen) == plan


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(snapshots)
def test_r24_nothing_is_claimed_that_the_owner_did_not_order(seen):
    for one in decide(CONFIG, seen).actions:
        if isinstance(one, Claim):
            pair = next(pair for pair in seen.pairs if pair.key == one.pair_key)
            items = [item for item in (pair.issue, pair.pull) if item is not None]
            assert all(item.state == "open" for item in items)
            assert any(
                found.kind == "labeled" and found.actor == ALICE
                for item in items for found in item.events
            )
            assert pair.issue is None or ALICE in pair.issue.assignees
            assert not any(
                edit.at >= at(60) and edit.editor == BOB for item in items for edit in item.edits or ()
            )


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(snapshots)
def test_r18_a_label_is_announced_before_it_is_set(seen):
    """Every state that a pair did not have is named by a post or a book before, in this plan or an earlier one."""
    plan = decide(CONFIG, seen)
    said: dict[str, set[str]] = {}
    for one in plan.actions:
        if isinstance(one, Post):
            said.setdefault(one.pair_key, set()).add(one.marker.to)
        if hasattr(one, "ledger"):
            said.setdefault(one.pair_key, set()).update(move.to for move in one.ledger.moves)
        if isinstance(one, SetState) and one.label:
            pair = next(pair for pair in seen.pairs if pair.key == one.pair_key)
            had = state_of(CONFIG, pair).states
            assert one.label in had | said.get(one.pair_key, set()) | _announced(seen, pair)


def _announced(seen, pair):
    """What an earlier pass announced, in a post or in the book, before it was cut off."""
    return {said.to for said in announcements(CONFIG, pair, seen.owner, seen.viewer, seen.mac_key)}


ACTS = st.lists(st.sampled_from([
    "tick", "tick", "tick", "review", "done", "implement", "needs-human", "crash", "die", "say", "hold",
    "resume", "bob", "half",
]), min_size=5, max_size=25)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(ACTS, st.sampled_from([CELLS, ALICE]), st.integers(0, 7))
def test_a_life_of_chance_keeps_one_state_one_pull_request_and_one_book(acts, viewer, cut):
    world = World(viewer=viewer).file()
    for act in acts:
        alive = [run for run in world.runs if run.status == "alive"]
        if act == "tick":
            world.tick()
        elif act == "half":
            world.tick(stop_after=cut)
        elif act in ("say", "hold", "resume", "bob"):
            words = {"say": "red", "bob": "/hold"}.get(act, f"/{act}")
            world.say(words, who=BOB if act == "bob" else ALICE)
        elif alive and act == "die":
            world.die()
        elif alive:
            world.end("" if act == "crash" else act, kind="crash" if act == "crash" else "done")
    for run in [run for run in world.runs if run.status == "alive"]:
        world.runs.remove(run)
    for _ in range(8):
        if not world.plan(claiming=False).actions:
            break
        world.tick(claiming=False)
    else:
        raise AssertionError(world.plan(claiming=False).actions)
    pair = world.pair()
    state = state_of(world.config, pair)
    assert len(state.states) <= 1
    assert not state.working
    assert len([item for item in world.items.values() if item.pull and item.state == "open"]) <= 1
    assert sum(len(world.posts(number, "ledger")) for number in world.items) <= 1
    decided = [one.run for number in world.items for one in world.posts(number)]
    assert len(decided) == len(set(decided))
    assert replace(world.brake, told=()).usd_today <= 0.5 * len(world.closed) + 1e-6
