"""Random histories: people act, GitHub fails, ticks happen in any order; what must hold holds after each step.

A history is a list of plain steps, so one that failed is kept as it is (`KEPT`). The forge is the loopback
GitHub; the host's clock may be two hours off. In the end the troubles are over, and the line comes to rest.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from agentcells.forge import ForgeError
from tests.faults.line import line, mended, tick, to_rest, world
from tests.invariants import sound
from tests.loopback.github.faults import ANSWERS
from tests.loopback.github.model import Refused
from tests.people import BOT, COLLEAGUE, OWNER, REPO, STRANGER
from tests.stage import Stage

Step = tuple[Any, ...]
PARTS_OF_ALL = 8  # for as many workers
HISTORIES = int(os.environ.get("AGENTCELLS_HISTORIES", "320"))  # in all; `make soak` sets 10,000

LABELS = ("implement", "review", "working", "hold", "needs-human", "in-review", "triage")
WORDS = ("Make it blue, please.", "/hold", "/stop", "/resume", "ok", "What does it do?")
OPERATIONS = (
    "", "Listing", "Read", "ReadTogether", "PullsByHead", "Branch", "Repository", "Labels", "AddComment",
    "UpdateComment", "AddLabels", "RemoveLabels", "CreatePull", "Assign",
)
PARTS = (
    ("Listing", ("r0",)), ("Listing", ("r0", "issues")), ("Listing", ("r0", "pullRequests", "nodes")),
    ("Listing", ("viewer",)), ("Read", ("repository",)), ("Read", ("repository", "issueOrPullRequest")),
    ("Read", ("repository", "issueOrPullRequest", "labels")),
    ("Read", ("repository", "issueOrPullRequest", "comments")),
    ("Read", ("repository", "issueOrPullRequest", "timelineItems")),
    ("ReadTogether", ("repository",)), ("ReadTogether", ("repository", "i0")),
    ("ReadTogether", ("repository", "i0", "labels")), ("ReadTogether", ("repository", "h0")),
    ("ReadTogether", ("repository", "labels")), ("ReadTogether", ("repository", "i0", "early")),
    ("PullsByHead", ("repository", "pullRequests")), ("Branch", ("repository",)), ("Branch", ("repository", "ref")),
    ("AddLabels", ("addLabelsToLabelable",)), ("AddComment", ("addComment", "commentEdge")),
    ("CreatePull", ("createPullRequest",)),
)
GIT = ("GitFetchRefs", "GitFetch", "GitPushRefs", "GitPush")

members = st.sampled_from(["issue", "pull"])
people = st.sampled_from([OWNER, OWNER, COLLEAGUE, STRANGER])
acts = st.one_of(
    st.tuples(st.just("say"), members, people, st.sampled_from(WORDS)),
    st.tuples(st.just("label"), members, st.sampled_from([OWNER, COLLEAGUE]), st.sampled_from(LABELS)),
    st.tuples(st.just("unlabel"), members, st.sampled_from([OWNER, COLLEAGUE]), st.sampled_from(LABELS)),
    st.tuples(st.just("edit"), st.just("issue"), st.sampled_from([OWNER, COLLEAGUE])),
    st.tuples(st.sampled_from(["close", "reopen"]), members, st.just(OWNER)),
    st.tuples(st.just("push"), st.sampled_from(["main", "agentcells/1"]), st.sampled_from([OWNER, COLLEAGUE])),
    st.tuples(st.just("merge"), st.just("pull"), st.just(OWNER)),
    st.tuples(st.sampled_from(["unassign", "assign"]), st.just("issue"), st.just(OWNER)),
    st.tuples(st.sampled_from(["spoil", "remove"]), members, st.sampled_from([OWNER, COLLEAGUE])),
)
troubles = st.one_of(
    st.tuples(st.just("fail"), st.sampled_from(sorted(ANSWERS)), st.sampled_from(OPERATIONS),
              st.integers(1, 6), st.booleans()),
    st.tuples(st.just("fail_git"), st.sampled_from(["bad_gateway", "drop", "cut", "secondary_429"]),
              st.sampled_from(GIT), st.integers(1, 2)),
    st.tuples(st.just("partial"), st.sampled_from(PARTS), st.sampled_from(["", "Something went wrong"])),
    st.tuples(st.sampled_from(["freeze", "archive", "rename_label", "rename_repository"])),
    st.tuples(st.just("mended")),
)
steps = st.one_of(
    st.just(("tick",)), st.just(("tick",)), acts, troubles,
    st.tuples(st.just("during"), st.integers(1, 12), acts),
    st.tuples(st.just("wait"), st.sampled_from([1, 10, 61])),
)
histories = st.tuples(st.sampled_from([0, 0, -2, 2]), st.lists(steps, min_size=2, max_size=8))


# ---------------------------------------------------------------- one step


def ours(stage: Stage, number: int) -> str:
    """The first comment of the factory's there; on an issue that is its book."""
    item = world(stage).item(REPO, number)
    return next(str(one["id"]) for one in item["comments"] if one["author"] == BOT)


def act(stage: Stage, what: str, where: str, *more: str) -> None:
    """What a person does now. What cannot be done just now he finds out, and leaves it."""
    numbers = stage.people.numbers()
    number = numbers[0] if where == "issue" or len(numbers) < 2 else numbers[-1]
    who = more[0]
    doing: dict[str, Callable[[], Any]] = {
        "say": lambda: stage.say(number, more[1], who),
        "label": lambda: stage.label(number, more[1], who),
        "unlabel": lambda: stage.unlabel(number, more[1], who),
        "edit": lambda: stage.people.edit(number, who, body=f"Changed by {who}."),
        "close": lambda: stage.people.close(number, who),
        "reopen": lambda: stage.people.reopen(number, who),
        "push": lambda: stage.people.push(where, {f"{who}.txt": "by hand\n"}, who),
        "merge": lambda: stage.people.merge(number, who),
        "assign": lambda: stage.people.assign(number, OWNER, who),
        "unassign": lambda: stage.people.unassign(number, OWNER, who),
        "spoil": lambda: stage.people.edit_comment(number, ours(stage, number), "Nothing.", who),
        "remove": lambda: stage.people.delete_comment(number, ours(stage, number), who),
    }
    if (what == "push" and where not in stage.branches()) or (what == "merge" and number == 1):
        return
    try:
        doing[what]()
    except (Refused, ForgeError, KeyError, StopIteration):
        return


def trouble(stage: Stage, step: Step) -> None:
    there = world(stage)
    match step:
        case ("fail", kind, operation, at, after):
            there.fail(kind, operation=operation, at=at, after=after and operation in OPERATIONS[8:])
        case ("fail_git", kind, operation, at):
            there.fail(kind, operation=operation, at=at, git=True)
        case ("partial", (operation, path), message):
            there.fail("partial", operation=operation, path=path, message=message)
        case ("freeze",):
            there.freeze_lists(there.hub.repos[0].name)
        case ("archive",):
            there.archive(there.hub.repos[0].name)
        case ("rename_label",):
            if "ac:review" in there.label_names(there.hub.repos[0].name):
                there.rename_label(there.hub.repos[0].name, "ac:review", "ac:checked")
        case ("rename_repository",):
            if there.hub.repos[0].name == REPO:
                there.rename_repository(REPO, "alice/sport")
        case _:
            mended(stage)


def live(stage: Stage, step: Step) -> None:
    match step:
        case ("tick",):
            tick(stage)
        case ("wait", minutes):
            stage.advance(minutes=minutes)
        case ("during", at, what):
            left = [at]

            def then(name: str) -> None:
                left[0] -= 1
                if not left[0]:
                    act(stage, *what)

            stage.step = then
            tick(stage)
            stage.step = None
        case ("say" | "label" | "unlabel" | "edit" | "close" | "reopen" | "push" | "merge" | "assign"
              | "unassign" | "spoil" | "remove", *_):
            act(stage, *step)
        case _:
            trouble(stage, step)


def look(stage: Stage) -> None:
    """What must hold, seen by somebody whom no trouble meets."""
    there = world(stage)
    faults, there.engine.faults = there.engine.faults, []
    try:
        if there.hub.repos[0].name == REPO:
            sound(stage)
    finally:
        there.engine.faults = faults


def go_through(history: tuple[int, list[Step]]) -> None:
    hours, said = history
    with tempfile.TemporaryDirectory() as folder, line(Path(folder) / "w", ahead=timedelta(hours=hours)) as stage:
        for step in said:
            live(stage, step)
            look(stage)
        to_rest(stage)


# ---------------------------------------------------------------- many of them

# Each of these failed once.
KEPT: list[tuple[int, list[Step]]] = [
    (2, [("close", "issue", OWNER), ("wait", 61), ("tick",)]),
    (-2, [("unassign", "issue", OWNER), ("close", "pull", OWNER)]),
    (2, [("during", 12, ("label", "pull", OWNER, "implement")), ("say", "issue", OWNER, WORDS[0]),
         ("during", 12, ("edit", "issue", OWNER))]),
    (0, [("during", 11, ("close", "pull", OWNER)), ("label", "issue", OWNER, "triage"), ("tick",), ("wait", 10)]),
]

quick = settings(max_examples=2, suppress_health_check=list(HealthCheck), deadline=None, derandomize=True)
long = settings(  # not made smaller: each try costs seconds, and eight steps are soon read
    max_examples=max(1, HISTORIES // PARTS_OF_ALL), suppress_health_check=list(HealthCheck), deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)


@quick
@given(histories)
@example((0, [("during", 3, ("say", "issue", OWNER, WORDS[0])), ("fail", "bad_gateway", "AddComment", 1, True), ("tick",)]))
def test_whatever_happens_what_must_hold_holds(history: tuple[int, list[Step]]) -> None:
    go_through(history)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS_OF_ALL))
@long
@given(history=histories)
def test_many_histories(part: int, history: tuple[int, list[Step]]) -> None:
    go_through(history)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(KEPT)))
def test_a_history_that_failed_once_does_not_again(number: int) -> None:
    go_through(KEPT[number])


# ---------------------------------------------------------------- a person, at every step of a tick

MEANWHILE: dict[str, Step] = {
    "asks for something else": ("say", "issue", OWNER, WORDS[0]), "holds": ("say", "issue", OWNER, "/hold"),
    "stops": ("say", "pull", OWNER, "/stop"), "takes the label off": ("unlabel", "issue", OWNER, "implement"),
    "labels the pull request": ("label", "pull", OWNER, "review"), "labels working": ("label", "issue", OWNER, "working"),
    "edits": ("edit", "issue", OWNER), "a colleague edits": ("edit", "issue", COLLEAGUE),
    "closes": ("close", "issue", OWNER), "closes the pull request": ("close", "pull", OWNER),
    "pushes to the base": ("push", "main", OWNER), "pushes to the branch": ("push", "agentcells/1", COLLEAGUE),
    "merges": ("merge", "pull", OWNER), "takes it off himself": ("unassign", "issue", OWNER),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", list(MEANWHILE))
def test_a_person_acts_at_every_step_of_a_tick(what: str) -> None:
    for at in range(1, 21):
        try:
            go_through((0, [("during", at, MEANWHILE[what])]))
        except BaseException as error:
            raise AssertionError(f"{what} after write {at}") from error
