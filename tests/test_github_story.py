"""The line on GitHub, end to end: from `agentcells init` to the merged pull request, ticks as processes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from agentcells import demo_story
from agentcells.sentences import say
from tests.factory import answer
from tests.github_factory import BOT, OWNER, REPO, GitHubFactory, factory

pytestmark = pytest.mark.sandbox  # what cannot be contained is not claimed

RULES: list[dict[str, Any]] = demo_story.script("en")["rules"]
TESTED = 'test = ["python3", "-m", "unittest", "-q"]'
# One comment for each thing that happened; the ledger is edited in place.
WRITES = {"AddComment", "UpdateComment", "AddLabels", "RemoveLabels", "CreatePull", "Assign"}


def words(key: str) -> str:
    return say(f"demo_{key}", "en")


def test_the_demos_story_with_a_bot_account_of_its_own(tmp_path: Path) -> None:
    with factory(tmp_path, rules=RULES, files=demo_story.PROJECT) as line:
        line.change("[commands]", f"[commands]\n{TESTED}")
        number = line.file(words("title"), words("body"))
        asks = line.tick()
        assert (asks.code, asks.cells) == (0, ["triage"]), asks.stderr
        assert line.states(number) == {"needs-human"}
        assert words("question").split("\n")[0] in line.said(number)[-1]

        line.owner.comment(REPO, number, words("answer"))
        since = line.so_far()
        builds = line.tick()
        assert builds.code == 0, builds.stderr
        assert builds.cells == ["triage", "implement", "review", "implement", "review"]
        _cheap(line, since, runs=5)
        pull = line.pull()
        _opened_and_waiting(line, number, pull)

        line.owner.review(REPO, pull, "CHANGES_REQUESTED", words("missing"))  # its author is the bot
        again = line.tick()
        assert again.cells == ["implement", "review"], again.stderr
        assert line.states(pull) == {"in-review"}
        assert "def farewell" in line.file_on(f"agentcells/{number}", "greeter.py")
        _merged_and_tidied(line, number, pull)


def test_the_line_with_the_owners_own_token(tmp_path: Path) -> None:
    """All posts and events come from one account, and still only his own words count."""
    rules: list[dict[str, Any]] = [
        {"cell": "triage", "prompt": "Three, please", "do": [answer("implement", "Three then.")]},
        {"cell": "triage", "do": [answer("needs-human", "How many lives?")]},
        {"cell": "implement", "do": [
            {"append": {"game.py": "LIVES = 3\n"}}, {"cell": ["record", "-m", "Three lives"]},
            answer("review", "Three lives now."),
        ]},
        {"cell": "review", "do": [answer("done", "As asked.")]},
    ]
    with factory(tmp_path, bot="", rules=rules) as line:
        checked = line.run("check")
        assert checked.returncode == 0, checked.stdout
        assert "neither approve nor request changes" in checked.stdout
        number = line.file()
        line.tick()
        assert line.states(number) == {"needs-human"}
        idle = line.tick()
        assert (idle.code, idle.cells) == (0, []), "its own question is no answer"
        line.owner.comment(REPO, number, "Three, please.")
        builds = line.tick()
        assert builds.cells == ["triage", "implement", "review"], builds.stderr
        pull = line.pull()
        _opened_and_waiting(line, number, pull)
        _merged_and_tidied(line, number, pull)


def test_r18_a_result_that_the_weather_held_up_is_published_without_another_run(
    tmp_path: Path,
) -> None:
    with factory(tmp_path, rules=[{"cell": "triage", "do": [answer("needs-human", "Which?")]}]) as line:
        number = line.file()
        line.world.fail("bad_gateway", operation="AddComment", at=2)  # after the ledger's
        held_up = line.tick()
        assert (held_up.code, held_up.cells) == (75, ["triage"])
        assert len(held_up.stderr.splitlines()) == 1
        assert line.states(number) == {"triage", "working"}
        later = line.tick()
        assert (later.code, later.cells) == (0, []), later.stderr
        assert line.states(number) == {"needs-human"}
        assert len(line.said(number)) == 1


def _cheap(line: GitHubFactory, since: int, runs: int) -> None:
    """A run with all its passes, git's own requests not counted (tests/test_github_acting.py has them one by one)."""
    asked = [name for name in line.asked(since) if not name.startswith("Git")]
    assert len(asked) <= 20 * runs, asked
    assert line.points(since) <= 20 * runs, asked
    assert len([name for name in asked if name in WRITES]) <= 10 * runs


def _opened_and_waiting(line: GitHubFactory, number: int, pull: int) -> None:
    opened = line.item(pull)
    assert opened["assignees"] == [OWNER]
    assert opened["body"].startswith(f"Closes #{number}")
    assert (line.states(number), line.states(pull)) == (set(), {"in-review"})
    assert line.item(number)["state"] == opened["state"] == "OPEN"
    if line.bot:
        events = [event for event in line.item(number)["events"] if event[1] == line.bot]
        assert {event[0] for event in events} == {"LabeledEvent", "UnlabeledEvent"}
    posts = [words for words in (*line.said(number), *line.said(pull)) if words.startswith("<!--")]
    assert len(posts) == len(set(posts)) >= 3
    for post in posts:
        assert len(re.findall("^<!-- agentcells", post, re.MULTILINE)) == 1


def _merged_and_tidied(line: GitHubFactory, number: int, pull: int) -> None:
    line.owner.merge(REPO, pull)
    tidied = line.tick()
    assert tidied.code == 0, tidied.stderr
    assert line.item(number)["state"] == "CLOSED"
    assert line.states(number) == line.states(pull) == set()
    assert set(line.world.tips(REPO)) == {"main"}
    after = line.tick()
    assert (after.code, after.of("failed")) == (0, [])
    if line.bot:
        assert line.item(pull)["comments"][0]["author"] == BOT
