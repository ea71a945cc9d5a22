"""What must hold of a factory's forge after every step of every story."""

from __future__ import annotations

from collections import Counter

from agentcells.markers import parse_ledger, parse_marker
from agentcells.model import Item
from agentcells.voices import untouched
from tests.stage import BOT, OWNER, Stage

BESIDE = {"working", "hold"}


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
        members = [item for item in (pair.issue, pair.pull) if item is not None]
        ours = {label.name for item in members for label in item.labels
                if stage.config.state(label.name)}
        if ours and not any(action.pair_key == pair.key for action in plan.actions):
            assert pair.key in reasons, f"{pair.key} waits with {ours} and has no reason"
            assert stage.why(pair.number).strip(), pair.key


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
            if marker.kind == "ledger":
                books[item.number] += untouched(comment)  # one that somebody spoilt is no book
            elif marker.kind == "decision":
                posts["decision", marker.run] += 1
            elif marker.kind == "notice":
                posts["notice", str(item.number), marker.cause] += 1
    doubled = [post for post, count in posts.items() if count > 1]
    assert not doubled, doubled
    assert all(count == 1 for count in books.values()), books
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
