"""A cell that merges: everything that stands against it, and that it merges once that is put right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.people import OWNER, REPO, STRANGER
from tests.stage import Rule, Stage, Ticked, answer, nothing_written, once, rule, work
from tests.typed import Typed, typed

__all__ = ["typed"]

CELLS = """
[[cell]]
name = "implement"
on = "issue"
next = ["review"]
max_rounds = 9

[[cell]]
name = "review"
on = "pull_request"
next = ["implement", "automerge", "done"]
max_rounds = 9

[[cell]]
name = "automerge"
on = "pull_request"
next = ["merge"]
merge = true
max_rounds = 9
"""
FREE = 'dry = false\npaths = ["**"]\n'
IMPLEMENT = rule("implement", work(notes__md="Three lives.\n"))
REVIEW = rule("review", answer("automerge", "As asked."))
MERGE = rule("automerge", answer("merge", "A word in the notes; nothing else."))
ISSUE, PULL = 1, 2


@dataclass
class Line:
    """A factory with a cell that merges, on one forge."""

    stage: Stage

    @property
    def people(self) -> Any:
        return self.stage.people

    @property
    def github(self) -> Any:
        """The loopback GitHub itself."""
        return self.people.world

    def begin(self) -> None:
        """An issue that has come as far as the cell that merges, which waits for checks."""
        self.stage.file()
        ticked = self.stage.tick()
        assert self.stage.cells_run[-2:] == ["implement", "review"], ticked.cells
        assert ticked.reasons[-1] == "skip_merge_waits"

    def green(self, **states: str) -> None:
        self.people.checks(PULL, states or {"build": "success"})

    def tick(self) -> Ticked:
        """The next tick of the timer: what changed a moment ago is no longer too new to be kept."""
        self.stage.advance(minutes=10)
        return self.stage.tick()

    @property
    def merged(self) -> bool:
        return self.stage.item(PULL).state == "merged"

    @property
    def last(self) -> str:
        """What the factory said last on the pull request."""
        return self.stage.said(PULL)[-1].partition("<details>")[0].partition("\n")[2]

    def asked(self, words: str) -> None:
        """It was not merged, the owner is asked, and why stands in what he reads."""
        assert not self.merged
        assert self.stage.states(ISSUE, PULL) == {"needs-human"}
        assert words in self.last

    def goes_in(self) -> None:
        """The owner has mended what was wrong and says so."""
        self.stage.say(PULL, "Put right.", OWNER)
        self.tick()
        self.is_in()

    def is_in(self) -> None:
        assert self.merged, self.last
        assert self.stage.states(ISSUE, PULL) == set()
        assert self.stage.item(ISSUE).state == "closed"
        assert "notes.md" in self.people.files("main")


@pytest.fixture(params=["local", pytest.param("github", marks=pytest.mark.slow)])
def world(request: pytest.FixtureRequest) -> str:
    """Both forges in the long run; in the quick one the embedded one, as far as it is not marked slow."""
    return str(request.param)


@pytest.fixture
def make(tmp_path: Path, world: str) -> Iterator[Callable[..., Line]]:
    made: list[Line] = []

    def one(*first: Rule, settings: str = FREE, **how: Any) -> Line:
        rules = [*first, IMPLEMENT, REVIEW, MERGE]
        stage = Stage(tmp_path / "w", world=world, cells=CELLS + settings, rules=rules, **how)
        made.append(Line(stage))
        return made[-1]

    yield one
    for line in made:
        line.people.stop()


@pytest.fixture
def line(make: Callable[..., Line]) -> Line:
    return make()


# ---------------------------------------------------------------- it merges


def test_r5_what_is_reviewed_and_green_is_merged_and_seen_on_the_base(line: Line) -> None:
    line.begin()
    line.green()
    assert line.tick().cells == ["automerge"]
    line.is_in()
    merge = line.stage.item(PULL).pull.merge_sha
    assert line.people.tip("main") == merge
    line.tick()
    assert line.stage.branches() == ("main",)


def test_r5_in_dry_mode_it_says_what_it_would_have_done_and_on_what_grounds(
    make: Callable[..., Line],
) -> None:
    line = make(settings='paths = ["**"]\n')  # dry is the default
    line.begin()
    line.green()
    line.tick()
    assert not line.merged
    assert line.stage.states(PULL) == {"in-review"}
    head = line.stage.item(PULL).pull.head_sha[:10]
    assert "would have been merged now" in line.last
    assert f"commit {head} on top of main, 1 file, 1 line, 1 check passed" in line.last


def test_r5_what_dry_left_to_the_owner_is_sent_to_the_merge_by_a_retry_once_dry_is_off(
    make: Callable[..., Line], typed: Typed,
) -> None:
    line = make(settings='paths = ["**"]\n')
    line.begin()
    line.green()
    line.tick()
    stage = line.stage
    stage.cells += "dry = false\n"
    stage.write_cells()
    if stage.people.kind == "local":
        said = typed(stage, "retry", str(ISSUE))
        assert said.out.startswith(f"#{PULL} waits for automerge again (ac:in-review -> ac:automerge)")
    else:
        stage.label(PULL, "automerge")
        stage.unlabel(PULL, "in-review")
    assert line.tick().cells == ["automerge"]
    line.is_in()


@pytest.mark.slow
def test_r18_merged_already_is_success(make: Callable[..., Line]) -> None:
    line = make()
    line.begin()
    line.green()

    def meanwhile(name: str) -> None:
        """The owner merges between our comment and our merge."""
        if name == "forge: comment" and line.stage.cells_run[-1] == "automerge" and not line.merged:
            line.people.merge(PULL, OWNER)

    line.stage.step = meanwhile
    ticked = line.tick()
    assert not ticked.of("failed"), ticked.of("failed")
    line.is_in()


# ---------------------------------------------------------------- what stands against it before it runs


def open_thread(line: Line) -> None:
    line.people.remark(PULL, "notes.md", 1, "Why three?", OWNER)


def strangers_thread(line: Line) -> None:
    line.people.remark(PULL, "notes.md", 1, "Is this a typo?", STRANGER)


def resolved(line: Line) -> None:
    forge = line.people.forge(OWNER)
    (thread,) = {c.thread_id for c in line.stage.item(PULL).comments if c.kind == "thread"}
    if line.people.kind == "github":
        line.github.as_(OWNER).resolve(thread)
    else:
        forge.resolve_thread(forge.read(REPO, PULL), thread)


def wants_changes(line: Line) -> None:
    line.people.review(PULL, "changes_requested", "Not like this.", OWNER)


def approves(line: Line) -> None:
    line.people.review(PULL, "approved", "", OWNER)


AGAINST = {
    "an open thread of the owner": (open_thread, resolved, "remark on notes.md is still open"),
    "an open thread of anybody": (strangers_thread, resolved, "remark on notes.md is still open"),
    "changes that the owner asked for": (wants_changes, approves, "You asked for changes"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", AGAINST)
def test_r5_it_waits_for_every_word_that_is_open(line: Line, name: str) -> None:
    wrong, mend, words = AGAINST[name]
    line.begin()
    line.green()
    wrong(line)
    before = len(line.stage.cells_run)
    line.tick()
    line.asked(words)
    assert len(line.stage.cells_run) == before  # what cannot be merged is no run's business
    mend(line)
    line.goes_in()


@pytest.mark.slow
def test_r5_pending_checks_are_waited_for_but_not_for_ever(line: Line) -> None:
    line.begin()
    line.green(build="pending")
    with nothing_written(line.stage):
        assert line.tick().reasons == ["skip_merge_waits"]
    assert "checks are still running" in line.stage.why(ISSUE)
    line.stage.advance(hours=7)
    line.tick()
    line.asked("checks are still running")
    line.green()
    line.goes_in()


@pytest.mark.slow
def test_r5_a_check_that_is_not_there_is_not_green(make: Callable[..., Line]) -> None:
    line = make(settings=FREE + 'checks = ["unit *", "lint"]\n')
    line.begin()
    line.green(**{"unit 3.11": "success"})
    with nothing_written(line.stage):
        assert line.tick().reasons == ["skip_merge_waits"]
    line.stage.advance(minutes=40)
    line.tick()
    line.asked("No check that has passed is called lint")
    line.green(**{"unit 3.11": "success", "lint": "success"})
    line.goes_in()


@pytest.mark.slow
def test_r5_without_any_check_it_merges_only_where_none_is_wanted(make: Callable[..., Line]) -> None:
    line = make(settings=FREE + "checks = []\n")
    line.stage.file()
    line.stage.tick()
    line.is_in()


@pytest.mark.slow
def test_r12_a_check_that_fails_before_the_merge_is_mended_first(make: Callable[..., Line]) -> None:
    line = make(rule("implement", work(notes__md="Four.\n"), prompt="own checks failed"))
    line.begin()
    line.green(build="failure")
    assert line.tick().cells == ["implement", "review"]
    line.green()
    assert line.tick().cells == ["automerge"]
    line.is_in()


@pytest.mark.slow
def test_r5_only_what_a_cell_has_reviewed_is_merged(line: Line) -> None:
    line.stage.rules.insert(0, rule("review", answer("needs-human", "I am not sure.")))
    line.stage.file()
    line.stage.tick()
    line.green()
    line.stage.unlabel(PULL, "needs-human")
    line.stage.label(PULL, "automerge")
    line.tick()
    line.asked("No cell has reviewed the commit")
    line.stage.rules.pop(0)
    line.stage.unlabel(PULL, "needs-human")
    line.stage.label(PULL, "review")
    line.tick()
    line.is_in()


@pytest.mark.slow
def test_r7_a_hold_stops_a_result_that_is_ready_to_be_merged(make: Callable[..., Line]) -> None:
    line = make()
    line.begin()
    line.green()
    line.stage.rules.insert(0, once("automerge", {"call": lambda: line.stage.label(PULL, "hold")},
                                    answer("merge")))
    assert line.tick().reasons[-1] == "skip_held_result"
    assert not line.merged
    line.stage.unlabel(PULL, "hold")
    line.tick()
    line.is_in()


# ---------------------------------------------------------------- what happens while it runs


def during(line: Line, act: Callable[[], Any]) -> Ticked:
    """Something happens while the cell that merges is at work."""
    line.stage.rules.insert(0, once("automerge", {"call": act}, answer("merge")))
    return line.tick()


@pytest.mark.slow
def test_r5_a_moved_head_is_not_merged(make: Callable[..., Line]) -> None:
    line = make(bot="")  # the owner's own account: his push asks nobody
    line.begin()
    line.green()
    during(line, lambda: line.people.push(f"agentcells/{ISSUE}", {"notes.md": "Four.\n"}, OWNER))
    assert not line.merged
    assert line.stage.states(ISSUE, PULL) == {"needs-human"}
    line.green()
    line.stage.unlabel(PULL, "needs-human")
    line.stage.label(PULL, "review")
    line.tick()
    line.is_in()
    assert line.people.files("main")["notes.md"] == "Four.\n"


@pytest.mark.slow
def test_r5_a_moved_base_is_not_merged_until_the_work_stands_on_it(line: Line) -> None:
    line.begin()
    line.green()
    during(line, lambda: line.people.push("main", {"other.md": "Meanwhile.\n"}, OWNER))
    line.asked("main has moved on since")
    line.stage.rules[:] = [rule("implement", work(more__md="More.\n")), REVIEW, MERGE]
    line.stage.used.clear()
    line.stage.unlabel(PULL, "needs-human")
    line.stage.label(ISSUE, "implement")
    line.tick()
    line.green()
    line.tick()
    line.is_in()


@pytest.mark.slow
def test_r5_a_check_that_fails_meanwhile_is_not_merged(line: Line) -> None:
    line.begin()
    line.green()
    during(line, lambda: line.green(build="success", lint="failure"))
    line.asked("Checks failed: lint")
    line.green(build="success", lint="success")
    line.goes_in()


@pytest.mark.slow
def test_r5_a_check_that_begins_anew_is_waited_for_with_the_result_in_hand(line: Line) -> None:
    line.begin()
    line.green()
    ticked = during(line, lambda: line.green(build="pending"))
    assert ticked.reasons[-1] == "skip_merge_waits"
    with nothing_written(line.stage):
        line.tick()
    line.green()
    assert line.tick().cells == []  # the run is over; its result goes in
    line.is_in()


@pytest.mark.slow
def test_r5_what_changes_directly_before_the_merge_stops_it(line: Line) -> None:
    line.begin()
    line.green()
    moved: list[str] = []

    def meanwhile(name: str) -> None:
        if name == "forge: comment" and line.stage.cells_run[-1] == "automerge" and not moved:
            moved.append(line.people.push("main", {"other.md": "Meanwhile.\n"}, OWNER))

    line.stage.step = meanwhile
    line.tick()
    assert moved
    assert not line.merged
    line.tick()
    line.asked("main has moved on since")


def test_r14_the_owners_word_directly_before_the_merge_stops_it(line: Line) -> None:
    line.begin()
    line.green()
    said: list[str] = []

    def meanwhile(name: str) -> None:
        if name == "forge: comment" and line.stage.cells_run[-1] == "automerge" and not said:
            said.append(line.stage.say(PULL, "Wait, I want to read it first.", OWNER))

    line.stage.step = meanwhile
    line.stage.rules.insert(0, rule("automerge", answer("needs-human", "You want to read it."),
                                    prompt="I want to read it first"))
    line.tick()
    assert said
    line.tick()
    line.asked("You want to read it")


# ---------------------------------------------------------------- what it may merge at all


@pytest.mark.slow
@pytest.mark.parametrize(("limits", "words"), [
    ('paths = ["docs/**"]', "notes.md is not among the paths"),
    ("paths = []", "notes.md is not among the paths"),
    ('paths = ["**"]\nmax_lines = 1', "1 file and 2 lines are more than this cell may merge"),
    ('paths = ["**"]\nmax_files = 1', "2 files and 3 lines are more than this cell may merge"),
])
def test_r5_paths_and_size_are_held_to_their_limits(
    make: Callable[..., Line], limits: str, words: str
) -> None:
    many = {"notes__md": "One\ntwo\n", **({"b__md": "x\n"} if "max_files" in limits else {})}
    line = make(rule("implement", work(**many)), settings=f"dry = false\n{limits}\n")
    line.begin()
    line.green()
    line.tick()
    line.asked(words)
    line.stage.cells = CELLS + FREE
    line.stage.write_cells()
    line.goes_in()


@pytest.mark.slow
def test_r5_a_conflict_is_for_the_owner(line: Line) -> None:
    line.begin()
    line.people.push("main", {"notes.md": "Something else.\n"}, OWNER)
    line.green()
    line.tick()
    line.asked("conflicts with main")


# ---------------------------------------------------------------- on GitHub, with its own rules


@pytest.fixture
def github(tmp_path: Path) -> Iterator[Line]:
    stage = Stage(tmp_path / "w", world="github", cells=CELLS + FREE, rules=[IMPLEMENT, REVIEW, MERGE])
    yield Line(stage)
    stage.people.stop()


def test_r5_a_check_that_the_branch_requires_and_that_is_not_there_blocks(github: Line) -> None:
    github.github.require(REPO, "build")
    github.begin()
    github.green(lint="success")
    github.tick()
    github.asked("a required check or an approval is missing")
    github.green(lint="success", build="success")
    github.goes_in()


@pytest.mark.slow
def test_r5_a_merge_that_github_refuses_after_all_is_told_in_its_words(github: Line) -> None:
    github.begin()
    github.green()

    def meanwhile(name: str) -> None:
        if name == "forge: comment" and github.stage.cells_run[-1] == "automerge":
            github.github.merge_method(REPO, "REBASE")

    github.stage.step = meanwhile
    github.tick()
    github.tick()
    github.asked("Rebase merges are not allowed")
    github.stage.step = None
    github.github.merge_method(REPO, "SQUASH")
    github.goes_in()


@pytest.mark.slow
def test_r5_a_draft_and_a_forge_that_is_still_reckoning_wait(github: Line) -> None:
    github.begin()
    github.green()
    github.github.as_(OWNER).draft(REPO, PULL)
    github.stage.say(PULL, "Have a look.", OWNER)
    github.tick()
    github.asked("It is a draft")
    github.github.as_(OWNER).draft(REPO, PULL, False)
    github.github.mergeability_unknown(REPO, PULL, 12)
    github.stage.say(PULL, "Now.", OWNER)
    assert github.tick().reasons[-1] == "skip_merge_waits"
    for _ in range(3):
        github.tick()
    github.is_in()


def test_r10_a_pull_request_of_a_fork_never_runs_whoever_labels_it(github: Line) -> None:
    world = github.github
    world.repository("mallory/game", files={"notes.md": "Mine.\n"})
    world.as_("mallory").push("mallory/game", "patch", {"notes.md": "Two.\n"})
    number = world.as_("mallory").open_pull(REPO, "patch", "Take this", fork="mallory/game")
    github.stage.label(number, "automerge")
    github.people.assign(number, OWNER, OWNER)
    with nothing_written(github.stage):
        assert github.tick().reasons == ["skip_fork"]
