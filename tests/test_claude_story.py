"""The demo's whole story with the real claude: ticks as processes, a Messages API on the loopback."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentcells import demo_story
from agentcells.sentences import say
from tests.claude_world import KEY, ClaudeFactory, everything_in
from tests.factory import REPO
from tests.loopback.messages import Failure, Messages

pytestmark = pytest.mark.real_claude

TESTED = '[commands]\ntest = ["python3", "-m", "unittest", "-q"]\ntimeout = "1m"'
RULES = demo_story.script("en")["rules"]


def words(key: str) -> str:
    return say(f"demo_{key}", "en")


def test_the_demos_story_from_the_issue_to_the_merge(tmp_path: Path) -> None:
    factory = ClaudeFactory(tmp_path, project=demo_story.PROJECT, settings=TESTED)
    with Messages(RULES) as api:
        login = factory.login(api)
        number = factory.file(words("title"), words("body"))
        asks = factory.tick(**login)
        assert (asks.code, asks.cells) == (0, ["triage"]), asks.stderr
        assert factory.states(number) == {"needs-human"}

        factory.comment(number, words("answer"))
        builds = factory.tick(**login)
        assert builds.code == 0, builds.stderr
        assert builds.cells == ["triage", "implement", "review", "implement", "review"]
        pull = factory.pull(number)
        assert pull is not None
        assert factory.states(pull.number) == {"in-review"}
        assert "was tested" in pull.body or "test" in pull.body

        factory.comment(pull.number, words("missing"))
        again = factory.tick(**login)
        assert (again.code, again.cells) == (0, ["implement", "review"]), again.stderr
        assert "def farewell" in factory.files(f"agentcells/{number}")["greeter.py"]

        pull = factory.item(pull.number)
        assert pull.pull is not None
        factory.owner.merge(pull, pull.pull.head_sha)
        assert factory.tick(**login).code == 0
    assert factory.item(number).state == "closed"
    assert factory.branches() == ("main",)
    assert factory.states(number) == factory.states(pull.number) == set()
    assert len(api.prompts) == 8
    assert api.surplus == []
    for path, content in everything_in(tmp_path):
        assert KEY.encode() not in content, path


NO_KEY = Failure(401, "authentication_error", "invalid x-api-key")
NO_MODEL = Failure(404, "not_found_error", "model: nope")


@pytest.mark.parametrize(
    ("failure", "said"), [(NO_KEY, "login was refused"), (NO_MODEL, "is not to be had")]
)
def test_r32_what_the_owner_has_to_mend_pauses_the_line_and_is_no_round(
    tmp_path: Path, failure: Failure, said: str
) -> None:
    factory = ClaudeFactory(tmp_path)
    number = factory.file()
    with Messages([{"do": [failure]}]) as api:
        assert factory.tick(**factory.login(api)).cells == ["triage"]
        assert len(api.prompts) == 1  # not once more in the same tick
        assert factory.tick(**factory.login(api)).cells == []
    assert factory.states(number) == {"triage"}
    (notice,) = factory.said(number)
    assert said in notice


def test_a_run_without_a_login_is_refused_before_anything_is_claimed(tmp_path: Path) -> None:
    factory = ClaudeFactory(tmp_path)
    number = factory.file()
    ticked = factory.tick()
    assert (ticked.code, ticked.cells) == (1, [])
    (failed,) = ticked.of("failed")
    assert "ANTHROPIC_API_KEY" in failed["text"]
    assert factory.states(number) == {"triage"}
    assert factory.owner.read(REPO, number).comments == ()
