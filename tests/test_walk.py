"""The straight path, end to end: real ticks as processes on the embedded forge."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tests.factory import PLAIN_RULES, PROJECT, Factory, answer, wait_for_words


def test_an_issue_becomes_a_reviewed_pull_request_in_one_tick(tmp_path: Path) -> None:
    factory = Factory(tmp_path)
    number = factory.file()
    ticked = factory.tick()
    assert ticked.code == 0, ticked.stderr
    assert ticked.cells == ["triage", "implement", "review"]
    pull = factory.pull(number)
    assert pull is not None
    assert pull.state == "open"
    assert pull.body.startswith(f"Closes #{number}")
    assert [account.login for account in pull.assignees] == ["alice"]
    assert factory.states(pull.number) == {"in-review"}
    assert factory.states(number) == set()
    assert factory.files(f"agentcells/{number}")["game.py"] == "LEVEL = 1\nLIVES = 3\n"


def test_r11_a_merge_tidies_labels_and_branch(tmp_path: Path) -> None:
    factory = Factory(tmp_path)
    number = factory.file()
    factory.tick()
    pull = factory.pull(number)
    assert pull is not None
    assert pull.pull is not None
    factory.owner.merge(pull, pull.pull.head_sha)
    assert factory.tick().code == 0
    assert factory.states(pull.number) == set()
    assert factory.branches() == ("main",)
    assert factory.item(number).state == "closed"


def test_r16_a_dry_run_prints_the_plan_and_writes_nothing_anywhere(tmp_path: Path) -> None:
    factory = Factory(tmp_path)
    number = factory.file()
    before = _everything(tmp_path)
    printed = factory.run("tick", "--dry-run")
    assert printed.returncode == 0, printed.stderr
    assert f"#{number}" in printed.stdout
    assert _everything(tmp_path) == before
    plan = json.loads(factory.run("tick", "--dry-run", "--json").stdout)
    assert [action["action"] for action in plan["actions"]] == ["claim"]


def test_r17_a_second_tick_finds_the_first_at_work_and_writes_nothing(tmp_path: Path) -> None:
    slow = [{"cell": "triage", "do": [{"sleep": 4}, answer("needs-human", "Which one?")]}]
    factory = Factory(tmp_path, rules=slow)
    number = factory.file()
    first = factory.start("tick", "--json")
    wait_for_words(first, '"Claim"')
    before = factory.item(number)
    second = factory.tick()
    assert second.code == 0
    assert [event["key"] for event in second.of("note")] == ["tick_busy"]
    assert factory.item(number) == before
    assert first.wait(60) == 0
    first.communicate()
    assert factory.states(number) == {"needs-human"}


def test_r8_nothing_new_recorded_goes_to_the_human_and_not_to_review(tmp_path: Path) -> None:
    rules = [PLAIN_RULES[0], {"cell": "implement", "do": [answer("review", "Already there.")]}]
    factory = Factory(tmp_path, rules=rules)
    number = factory.file()
    factory.tick()
    assert factory.states(number) == {"needs-human"}
    assert factory.branches() == ("main",)
    assert len(factory.said(number)) == 2


ODD = "𓀀 \u202e mirrored \x00 \ud7ff" * 500


@pytest.mark.parametrize("body", ["", "あ" * 70_000, ODD, "<!-- hidden -->"])
def test_any_text_of_an_issue_gets_through_and_loses_nothing(tmp_path: Path, body: str) -> None:
    factory = Factory(tmp_path, rules=[{"cell": "triage", "do": [answer("needs-human", "Tell me more.")]}])
    number = factory.file(body=body)
    filed = factory.item(number).body
    ticked = factory.tick()
    assert ticked.code == 0, ticked.stderr
    assert factory.states(number) == {"needs-human"}
    assert factory.item(number).body == filed


def test_an_empty_repository_gets_one_clear_line_and_keeps_its_issue(tmp_path: Path) -> None:
    factory = Factory(tmp_path, project={})
    number = factory.file()
    ticked = factory.tick()
    failed = ticked.of("failed")
    assert failed, ticked
    assert "first commit" in failed[0]["text"]
    assert factory.states(number) == {"triage"}


def test_a_repository_that_is_not_there_is_one_line_and_not_a_bug(tmp_path: Path) -> None:
    factory = Factory(tmp_path)
    text = factory.cells_path.read_text().replace("alice/game", "alice/nowhere")
    factory.cells_path.write_text(text)
    done = factory.run("tick")
    assert done.returncode == 1
    assert "alice/nowhere" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_r22_what_waits_has_a_reason_that_can_be_read(tmp_path: Path) -> None:
    factory = Factory(tmp_path)
    number = factory.file(by="mallory")
    ticked = factory.tick()
    assert ticked.cells == []
    assert ticked.reasons, ticked
    assert f"#{number}" in factory.why(number)


def _everything(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*")) if path.is_file()
    }


def test_the_world_is_as_told(tmp_path: Path) -> None:
    factory = Factory(tmp_path)
    assert factory.files("main") == dict(PROJECT)
