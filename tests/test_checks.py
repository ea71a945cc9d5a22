"""The checks of the repository speak: failed ones are mended within the rounds, flaky ones are named (R12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentcells.checks import cleaned
from agentcells.forge.github_wire import Wire
from agentcells.forge.token import Secret
from tests.gitea_world import REPO as GITEA_REPO
from tests.gitea_world import story
from tests.loopback.github import Server, World
from tests.people import BOT, REPO
from tests.stage import Stage, answer, nothing_written, once, rule, work

ISSUE, PULL = 1, 2
LOG = (
    "2026-03-01T12:00:00.1234567Z ##[group]Run make test\n"
    "2026-03-01T12:00:00.2234567Z \x1b[36;1mmake test\x1b[0m\n"
    "2026-03-01T12:00:01.1234567Z ##[endgroup]\n"
    "2026-03-01T12:00:02.1234567Z  10%\r 50%\r100%\n"
    "2026-03-01T12:00:03.1234567Z \x1b]8;;https://x.invalid\x07test_lives\x1b]8;;\x07 failed: 3 != 4\n"
    "2026-03-01T12:00:04.1234567Z ##[error]Process completed with exit code 1.\n"
)


@pytest.fixture(params=["local", pytest.param("github", marks=pytest.mark.slow)])
def world(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def make(tmp_path: Path, world: str) -> Iterator[Callable[..., Stage]]:
    made: list[Stage] = []

    def one(*rules: dict[str, Any], **how: Any) -> Stage:
        made.append(Stage(tmp_path / "w", world=world, rules=list(rules), **how))
        return made[-1]

    yield one
    for stage in made:
        stage.people.stop()


IMPLEMENT = rule("implement", work(notes__md="Three.\n"))
MENDS = rule("implement", work(notes__md="Four.\n"), prompt="own checks failed")
REVIEW = rule("review", answer("done", "As asked."))


def in_review(stage: Stage) -> None:
    stage.file()
    stage.tick()
    assert stage.states(PULL) == {"in-review"}


def later(stage: Stage, **states: str) -> Any:
    """The checks say something new, and the timer ticks."""
    stage.people.checks(PULL, states)
    stage.advance(minutes=10)
    return stage.tick()


def test_r12_failed_checks_go_to_the_cell_that_opened_it_with_names_and_logs(
    make: Callable[..., Stage],
) -> None:
    stage = make(MENDS, IMPLEMENT, REVIEW)
    in_review(stage)
    assert later(stage, build="failure", lint="success").cells == ["implement", "review"]
    told = next(words for cell, words in reversed(stage.prompts) if cell == "implement")
    rules, _, reference = told.partition("# Reference")
    assert "own checks failed on this pull request: `build`." in rules
    assert "the log of build" in reference
    assert "the log of lint" not in told
    assert stage.states(PULL) == {"in-review"}


@pytest.mark.slow
def test_r12_on_checks_failed_names_another_cell_and_rounds_hold(make: Callable[..., Stage]) -> None:
    stage = make(
        MENDS, IMPLEMENT, REVIEW, factory='on_checks_failed = "implement"\n',
        cells=Stage.__dataclass_fields__["cells"].default.replace(
            'next = ["review"]', 'next = ["review"]\nmax_rounds = 2'),
    )
    in_review(stage)
    assert later(stage, build="failure").cells == ["implement", "review"]
    stage.rules.insert(0, rule("implement", work(notes__md="Five.\n"), prompt="own checks failed"))
    assert later(stage, build="failure").cells == []  # the second round was the last
    assert stage.states(ISSUE, PULL) == {"needs-human"}


def test_r12_a_flaky_check_is_named_and_nothing_is_changed_for_it(make: Callable[..., Stage]) -> None:
    stage = make(IMPLEMENT, REVIEW)
    in_review(stage)
    assert later(stage, build="success").cells == []
    assert later(stage, build="failure").cells == []
    assert stage.states(PULL) == {"in-review"}
    assert "They are flaky" in stage.said(PULL)[-1]
    assert "build" in stage.said(PULL)[-1]
    stage.advance(minutes=10)
    with nothing_written(stage):  # said once
        stage.tick()


@pytest.mark.slow
def test_r12_beside_a_real_failure_the_flaky_one_is_told_apart(make: Callable[..., Stage]) -> None:
    stage = make(MENDS, IMPLEMENT, REVIEW)
    in_review(stage)
    later(stage, net="success", build="pending")
    assert later(stage, net="failure", build="failure").cells == ["implement", "review"]
    told = next(words for cell, words in reversed(stage.prompts) if cell == "implement")
    assert "failed on this pull request: `build`." in told
    assert "had passed before on the very same files: `net`." in told


@pytest.mark.slow
def test_r12_pending_checks_keep_nobody_from_the_owners_inspection(make: Callable[..., Stage]) -> None:
    stage = make(IMPLEMENT, REVIEW)
    in_review(stage)
    with nothing_written(stage):
        assert later(stage, build="pending").reasons == ["skip_in_review"]
    stage.rules.insert(0, once("implement", work(notes__md="Five.\n"), prompt="Five, please"))
    stage.say(PULL, "Five, please.")
    assert stage.tick().cells == ["implement", "review"]


@pytest.mark.slow
def test_r12_a_job_of_actions_tells_its_log_and_its_places(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "w", world="github", rules=[MENDS, IMPLEMENT, REVIEW])
    try:
        in_review(stage)
        stage.people.checks(PULL, {"test": "failure"})
        people: Any = stage.people
        people.world.job_says(
            REPO, PULL, "test", LOG, text="1 of 40 tests failed",
            notes=[("game.py", 7, "lives is 3")],
        )
        (check,) = stage.people.forge(BOT).read(REPO, PULL).pull.failed_checks
        assert "1 of 40 tests failed\ngame.py:7: lives is 3\n" in check.log
        stage.advance(minutes=10)
        stage.tick()
        told = next(words for cell, words in reversed(stage.prompts) if cell == "implement")
        assert "test_lives failed: 3 != 4\nProcess completed with exit code 1." in told
        assert "2026-03-01T12" not in told
    finally:
        stage.people.stop()


@pytest.mark.slow
def test_a_fine_grained_token_reads_no_check_runs_and_goes_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "w", world="github", rules=[IMPLEMENT, REVIEW])
    try:
        in_review(stage)
        stage.people.checks(PULL, {"test": "success"})
        stage.people.checks(PULL, {"test": "failure"})
        found = stage.people.forge(BOT).read(REPO, PULL).pull
        assert (found.checks, found.flaky_checks) == ("failure", ("test",))
        people: Any = stage.people
        for token in people.world.hub.tokens.values():
            token.kind = "fine"
            token.permissions = dict.fromkeys(("issues", "pull_requests", "contents", "statuses"), "read")
        found = stage.people.forge(BOT).read(REPO, PULL).pull
        assert (found.checks, found.failed_checks, found.flaky_checks) == ("failure", (), ())
    finally:
        stage.people.stop()


def test_r12_gitea_tells_flaky_by_the_history_of_a_status(tmp_path: Path) -> None:
    with story(tmp_path) as gitea:
        gitea.issue()
        pull = gitea.pull()
        gitea.world.checks(GITEA_REPO, pull, {"build": "success", "lint": "failure"})
        gitea.world.checks(GITEA_REPO, pull, {"build": "failure"})
        found = gitea.read(pull).pull
        assert found is not None
        assert found.flaky_checks == ("build",)
        assert {check.name for check in found.failed_checks} == {"build", "lint"}
        assert found.passed_checks == ()


def test_a_log_is_only_fetched_where_no_token_goes_astray(tmp_path: Path) -> None:
    with Server(World(tmp_path / "hub")) as server:
        wire = Wire(api_url=server.api_url, ca_file="", token=lambda: Secret("ghp_x"))
        assert wire.download(f"{server.url}/repos/a/b/actions/jobs/1/logs", 100) == ""
        assert wire.download("http://127.0.0.1:9/repos/a/b/actions/jobs/1/logs", 100) == ""


@pytest.mark.parametrize(("log", "limit", "shown"), [
    (LOG, 999, "make test\n100%\ntest_lives failed: 3 != 4\nProcess completed with exit code 1."),
    ("one\r\ntwo\r\n", 99, "one\ntwo"),
    ("first\nsecond\nthird", 12, "third"),
    ("x" * 30, 10, "x" * 10),
    ("", 10, ""),
])
def test_a_log_is_shown_without_the_noise_of_its_viewer_and_from_its_end(
    log: str, limit: int, shown: str
) -> None:
    assert cleaned(log, limit) == shown
