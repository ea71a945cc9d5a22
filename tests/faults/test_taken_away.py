"""What a run will need is renamed, deleted or archived while it is at work.

It is said in one line with what to do, again by each tick until it is done; nothing is written meanwhile; then
the line comes to the end that it would have come to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentcells.init import create_labels
from agentcells.model import Problem
from agentcells.sentences import say
from tests.faults.line import mended, world
from tests.invariants import at_rest, sound
from tests.people import OWNER, REPO
from tests.stage import REVIEW, Heard, Stage, rule, work

Act = Callable[[Stage], object]


def made_again(stage: Stage) -> None:
    """What the line asks for: `agentcells init`, and a look at the new ids."""
    create_labels(stage.config, stage.people.forge(OWNER), REPO)
    stage.lock()


def labelled_again(stage: Stage) -> None:
    made_again(stage)
    stage.label(1, "implement")


def restored(stage: Stage) -> None:
    hub = world(stage).hub
    hub.repos.append(hub.gone)  # type: ignore[attr-defined]


def deleted(stage: Stage) -> None:
    hub = world(stage).hub
    hub.gone = hub.repos.pop()  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Loss:
    act: Act
    mend: Act
    says: tuple[str, ...]
    out: bool = False  # with its label the item has left the line: the work is kept, and later ticks are silent


def without(name: str, mend: Act, *says: str, out: bool = False) -> Loss:
    return Loss(lambda stage: stage.people.delete_label(f"ac:{name}"), mend, says, out)


def renamed(name: str, *says: str) -> Loss:
    return Loss(
        lambda stage: stage.people.rename_label(f"ac:{name}", "ac:other"),
        lambda stage: stage.people.rename_label("ac:other", f"ac:{name}"), says,
    )


LABELS = {
    "its own label deleted": without("implement", labelled_again, "ac:implement", "agentcells init", out=True),
    "its own label renamed": renamed("implement", "ac:implement", "agentcells init --relock"),
    "the next label deleted": without("review", made_again, "no label", "ac:review", "agentcells init"),
    "the next label renamed": renamed("review", "no label", "ac:review", "agentcells init"),
    "working deleted": without("working", made_again, "ac:working", "agentcells init"),
    "working renamed": renamed("working", "ac:working", "agentcells init --relock"),
    "in-review deleted": without("in-review", made_again, "ac:in-review", "agentcells init"),
}
REPOSITORIES = {
    "renamed": Loss(
        lambda stage: world(stage).rename_repository(REPO, "alice/sport"), mended,
        ("alice/sport", "`repos` of cells.toml", "init --relock"),
    ),
    "archived": Loss(lambda stage: world(stage).archive(REPO), mended, ("archived", "Unarchive it")),
    "deleted": Loss(deleted, restored, ("no repository alice/game", "Check `repos` in cells.toml")),
}


def lost_and_found(root: Path, forge: str, loss: Loss) -> None:
    stage = Stage(root, world=forge)
    try:
        stage.file()
        left = [loss.act]
        meanwhile = {"call": lambda: left and left.pop()(stage)}
        stage.rules = [rule("implement", meanwhile, work(game__py="LIVES = 3\n")), REVIEW]
        told = [tick(stage)]
        assert left == []
        for _ in range(3):
            stage.advance(minutes=61)
            before = list(stage.writes)
            told.append(tick(stage))
            assert stage.writes == before
        assert not loss.out or told[1:] == [""] * 3
        for words in told[: 1 if loss.out else 4]:
            assert len(words.splitlines()) == 1, words
            assert all(word in words for word in loss.says), words
        loss.mend(stage)
        to_rest(stage)
        pull = stage.pull_of(1)
        assert stage.states(1, pull.number) == {"in-review"}
        assert stage.people.files("agentcells/1")["game.py"] == "LIVES = 3\n"
        assert len(stage.said(pull.number)) == 2
        assert [cell for cell, _ in stage.played].count("implement") == 1 + loss.out
        assert [row.outcome for row in stage.book(1).rows][-2:] == ["done", "done"]
    finally:
        stage.people.stop()


def tick(stage: Stage) -> str:
    """What a person reads of its end, "" when it went well. Whatever he reads, the exit code is 1."""
    heard, refused = Heard("quiet"), None
    try:
        while claimed := stage.once(heard):
            for folder in claimed:
                stage.play(folder)
    except Problem as problem:
        refused = problem
    if refused is not None:
        assert refused.exit_code == 1
        return say(refused.key, "en", **refused.slots)
    told = [str(event["text"]) for event in heard.events if event["event"] in ("failed", "problem")]
    assert heard.code == bool(told), told
    return "\n".join(told)


def to_rest(stage: Stage) -> None:
    for _ in range(6):
        stage.advance(minutes=61)
        before = len(stage.writes)
        assert tick(stage) == ""
        sound(stage)
        if len(stage.writes) == before:
            at_rest(stage)
            return
    raise AssertionError(f"it never comes to rest: {stage.writes[-8:]}")


QUICK = {("local", "the next label deleted"), ("local", "its own label renamed")}


@pytest.mark.parametrize(("forge", "what"), [
    pytest.param(forge, what, marks=() if (forge, what) in QUICK else pytest.mark.slow)
    for forge in ("local", "github") for what in LABELS
])
def test_r3_a_label_of_ours_goes_while_a_run_needs_it(tmp_path: Path, forge: str, what: str) -> None:
    lost_and_found(tmp_path / "w", forge, LABELS[what])


@pytest.mark.parametrize("what", [
    pytest.param(what, marks=() if what == "archived" else pytest.mark.slow) for what in REPOSITORIES
])
def test_r18_the_repository_goes_while_a_run_is_at_work(tmp_path: Path, what: str) -> None:
    lost_and_found(tmp_path / "w", "github", REPOSITORIES[what])
