"""A base that moves, people who push, the gate: what comes onto a branch and what does not (R8, R40 to R46)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.invariants import at_rest, rests
from tests.stage import (
    IMPLEMENT,
    OWNER,
    REVIEW,
    Rule,
    Stage,
    answer,
    once,
    rule,
    work,
)
from tests.stories.conftest import Build

LONG = "".join(f"LINE_{i} = {i}\n" for i in range(30))


def settle(text: str) -> Rule:
    """A run that finds markers of a conflict, and writes the file as it should be."""
    return rule("implement", {"write": {"game.py": text}}, {"cell": ["record", "-m", "Settle the conflict"]},
                answer("review", "Both are in now."), prompt="conflict marks")


# ---------------------------------------------------------------- the base moves (R44)


def test_r44_a_base_that_moved_without_conflict_is_merged_in_and_reviewed(build: Build) -> None:
    stage = build(project={"game.py": LONG, "README.md": "# game\n"})

    def main_moves() -> None:
        stage.people.push("main", {"README.md": "# the game\n"}, "bob")

    stage.rules = [rule("implement", {"call": main_moves}, work(lives__py="LIVES = 3\n")), REVIEW]
    number = stage.file()
    assert stage.tick().cells == ["implement", "review"]
    pull = stage.pull_of(number)
    files = stage.people.files(f"agentcells/{number}")
    assert files["README.md"] == "# the game\n"
    assert files["lives.py"] == "LIVES = 3\n"
    assert stage.states(pull.number) == {"in-review"}
    assert "base branch had moved" in stage.said(pull.number)[0]


def test_r44_a_conflict_is_settled_by_the_next_run_from_files_with_markers(build: Build) -> None:
    stage = build()

    def main_moves() -> None:
        stage.people.push("main", {"game.py": "LEVEL = 5\n"}, "bob")

    stage.rules = [
        once("implement", {"call": main_moves}, work(game__py="LEVEL = 2\n")),
        settle("LEVEL = 7\n"), REVIEW,
    ]
    number = stage.file()
    assert stage.tick().cells == ["implement", "implement", "review"]
    assert "game.py" in stage.prompts[1][1]
    assert stage.people.files(f"agentcells/{number}")["game.py"] == "LEVEL = 7\n"
    pull = stage.pull_of(number)
    assert pull.pull is not None
    assert pull.pull.mergeable is True
    assert stage.states(number, pull.number) == {"in-review"}
    assert "collides in game.py" in stage.said(number)[0]
    at_rest(stage)


def test_r44_the_markers_are_really_there(build: Build) -> None:
    stage = build()
    seen: list[str] = []

    def main_moves() -> None:
        stage.people.push("main", {"game.py": "LEVEL = 5\n"}, "bob")

    def look() -> None:
        seen.append(Path("game.py").read_text(encoding="utf-8"))

    stage.rules = [
        once("implement", {"call": main_moves}, work(game__py="LEVEL = 2\n")),
        rule("implement", {"call": look}, work(game__py="LEVEL = 7\n")), REVIEW,
    ]
    stage.file()
    stage.tick()
    assert "<<<<<<<" in seen[0]
    assert "LEVEL = 5" in seen[0]
    assert "LEVEL = 2" in seen[0]


def test_r44_a_second_conflict_asks_the_human(build: Build) -> None:
    stage = build()
    level = iter(range(10, 20))

    def main_moves() -> None:
        stage.people.push("main", {"game.py": f"LEVEL = {next(level)}\n"}, "bob")

    stage.rules = [rule("implement", {"call": main_moves}, work(game__py="LEVEL = 2\n")), REVIEW]
    number = stage.file()
    assert stage.tick().cells == ["implement", "implement"]
    assert stage.states(number) == {"needs-human"}
    assert "still collides" in stage.said(number)[-1]
    rests(stage, number, "skip_needs_human", "collide", "game.py")
    assert stage.branches() == ("main",)
    stage.rules = [rule("implement", work(game__py="LEVEL = 9\n")), REVIEW]
    stage.say(number, "Nobody pushes now.")
    assert stage.tick().cells[0] == "implement"
    at_rest(stage)


def test_r44_markers_that_are_left_are_never_published(build: Build) -> None:
    stage = build()

    def main_moves() -> None:
        stage.people.push("main", {"game.py": "LEVEL = 5\n"}, "bob")

    stage.rules = [
        once("implement", {"call": main_moves}, work(game__py="LEVEL = 2\n")),
        rule("implement", answer("review", "I left it.")), REVIEW,
    ]
    number = stage.file()
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    assert stage.branches() == ("main",)
    rests(stage, number, "skip_needs_human")


# ---------------------------------------------------------------- people push (R44, R46)


@pytest.mark.parametrize("who", [OWNER, "bob"])
def test_r44_commits_before_a_run_that_no_run_made_are_shown_to_the_owner_first(stage: Stage, who: str) -> None:
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number).number
    mine = stage.people.push(f"agentcells/{number}", {"extra.py": "EXTRA = 1\n"}, who)
    stage.say(pull, "Go on with it, please.")
    stage.rules = [rule("implement", work(game__py="LIVES = 4\n")), REVIEW]
    if who == OWNER and stage.people.records_pushes:
        stage.people.record_push(pull, OWNER)
        assert stage.tick().cells == ["implement", "review"]
    else:
        assert stage.tick().cells == []
        assert stage.states(number, pull) == {"needs-human"}
        assert mine[:10] in stage.said(pull)[-1]
        rests(stage, number, "skip_needs_human", mine[:10])
        stage.say(pull, "It is fine.")
        assert stage.tick().cells == ["implement", "review"]
    files = stage.people.files(f"agentcells/{number}")
    assert files["extra.py"] == "EXTRA = 1\n"
    assert files["game.py"] == "LIVES = 4\n"
    assert stage.states(number, pull) == {"in-review"}


@pytest.mark.parametrize("who", [OWNER, "bob"])
def test_r44_commits_during_a_run_are_kept_merged_and_named(build: Build, who: str) -> None:
    stage = build()
    known = who == OWNER and stage.people.records_pushes  # a name on a commit proves nobody

    def pushes() -> None:
        stage.people.push("agentcells/1", {"extra.py": "EXTRA = 1\n"}, who)
        if known:
            stage.people.record_push(stage.pull_of(1).number, OWNER)

    stage.rules = [
        once("implement", work(game__py="LIVES = 3\n")), once("review", answer("implement", "Four.")),
        once("implement", {"call": pushes}, work(game__py="LIVES = 4\n")),
        rule("implement", answer("review", "As it was.")), REVIEW,
    ]
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number).number
    if known:
        assert stage.cells_run == ["implement", "review", "implement", "review"]
        assert stage.states(number, pull) == {"in-review"}
        assert "alice" in stage.said(pull)[-2]
    else:
        assert stage.cells_run == ["implement", "review", "implement"]
        assert stage.states(number, pull) == {"needs-human"}
        assert who in stage.said(pull)[-1]
        rests(stage, number, "skip_needs_human", who)
        assert stage.people.files(f"agentcells/{number}")["game.py"] == "LIVES = 3\n"
        stage.say(pull, "That is fine.")
        assert stage.tick().cells == ["implement", "review"]
    files = stage.people.files(f"agentcells/{number}")
    assert files["extra.py"] == "EXTRA = 1\n"
    assert files["game.py"] == "LIVES = 4\n"


@pytest.mark.parametrize("who", [OWNER, "bob"])
def test_r44_commits_after_a_run_are_looked_at_before_the_next(stage: Stage, who: str) -> None:
    stage.rules = [IMPLEMENT]
    number = stage.file()
    folder = stage.claim()
    stage.play(folder)
    from tests.stage import Heard
    claimed = stage.once(Heard("quiet"))
    pull = stage.pull_of(number).number
    for one in claimed:
        stage.rules = [REVIEW]
        stage.people.push(f"agentcells/{number}", {"extra.py": "EXTRA = 1\n"}, who)
        if who == OWNER:
            stage.people.record_push(pull, OWNER)
        stage.play(one)
    if who == OWNER and stage.people.records_pushes:
        assert stage.tick().cells == ["review"]  # what it had looked at is not what stands there now
        assert stage.states(number, pull) == {"in-review"}
        return
    assert stage.tick().cells == []
    assert stage.states(number, pull) == {"needs-human"}
    rests(stage, number, "skip_needs_human", "Somebody else")
    stage.say(pull, "Look at that too.")
    assert stage.tick().cells == ["review"]
    assert stage.states(number, pull) == {"in-review"}


def test_r46_a_push_between_fetch_and_push_is_never_overwritten(build: Build) -> None:
    stage = build()
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number).number
    stage.say(pull, "Make it four.")
    stage.rules = [rule("implement", work(game__py="LIVES = 4\n")), REVIEW]
    folder = stage.claim()
    stage.play(folder)
    people = stage.people
    tip = people.tip(f"agentcells/{number}")
    bobs = people.push(f"agentcells/{number}", {"extra.py": "EXTRA = 1\n"}, "bob")
    people.set_branch(f"agentcells/{number}", tip)
    hook = people.bare / "hooks" / "pre-receive"  # bob is faster by a hair
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/agentcells/{number} {bobs}\n")
    hook.chmod(0o755)
    ticked = stage.tick()
    hook.unlink()
    assert [event["key"] for event in ticked.of("failed")] == ["git_rejected_stale"]
    stage.tick()
    assert stage.people.files(f"agentcells/{number}")["extra.py"] == "EXTRA = 1\n"
    assert stage.states(number, pull) == {"needs-human"}
    assert "bob" in stage.said(pull)[-1]


# ---------------------------------------------------------------- the gate, and what is kept (R40, R45)


@pytest.mark.parametrize(("path", "text"), [
    (".github/workflows/ci.yml", "on: push\n"),
    (".claude/settings.json", "{}\n"),
    ("keys.py", 'KEY = "ghp_' + "a1B2" * 9 + '"\n'),
    ("keys.py", 'KEY = "sk-ant-api03-' + "aB3_" * 24 + 'AA"\n'),
    ("url.txt", "https://me:github_pat_11ABCDEFG0" + "aZ9_" * 14 + "@github.com/x\n"),
])
def test_r45_what_the_gate_refuses_is_never_pushed_the_rest_is_kept_and_the_human_is_asked_once(
    build: Build, path: str, text: str
) -> None:
    stage = build(rules=[
        once("implement", {"write": {path: text, "good.py": "GOOD = 1\n"}}, answer("review", "Done.")),
        rule("implement", work(more__py="MORE = 1\n")), REVIEW,
    ])
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    assert stage.states(number) == {"needs-human"}
    assert stage.branches() == ("main",)
    assert path in stage.said(number)[0]
    assert text.strip() not in stage.said(number)[0]
    rests(stage, number, "skip_needs_human", path)
    stage.say(number, "Without that file, please.")
    assert stage.tick().cells == ["implement", "review"]
    files = stage.people.files(f"agentcells/{number}")
    assert files["good.py"] == "GOOD = 1\n"
    assert files["more.py"] == "MORE = 1\n"
    assert path not in files
    at_rest(stage)


def test_r45_a_secret_in_the_comment_is_not_repeated(build: Build) -> None:
    secret = "ghp_" + "a1B2" * 9
    stage = build(rules=[rule("implement", work(comment=f"I used {secret}.", game__py="LIVES = 3\n")), REVIEW])
    number = stage.file()
    stage.tick()
    texts = [stage.item(one).body for one in stage.people.numbers()]
    texts += [comment.body for one in stage.people.numbers() for comment in stage.item(one).comments]
    assert not any(secret in text for text in texts)
    rests(stage, number, "skip_needs_human")


def test_r45_a_secret_in_a_record_message_is_not_pushed(build: Build) -> None:
    secret = "ghp_" + "a1B2" * 9
    stage = build(rules=[rule(
        "implement", {"write": {"game.py": "LIVES = 3\n"}}, {"cell": ["record", "-m", f"Use {secret}"]},
        answer("review"),
    ), REVIEW])
    stage.file()
    stage.tick()
    texts = [comment.body for one in stage.people.numbers() for comment in stage.item(one).comments]
    assert not any(secret in text for text in texts)


def test_r43_a_link_that_leads_out_is_refused_and_one_that_stands_there_is_left(build: Build) -> None:
    stage = build(rules=[
        once("implement", {"shell": "ln -s ../../../.ssh here"}, {"append": {"game.py": "A = 1\n"}}, answer("review")),
        rule("implement", work(more__py="MORE = 1\n")), REVIEW,
    ])
    number = stage.file()
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    assert stage.branches() == ("main",)
    assert "here" in stage.said(number)[0]
    stage.say(number, "Without the link.")
    stage.tick()
    assert stage.people.files(f"agentcells/{number}")["game.py"] == "LEVEL = 1\nA = 1\n"


def test_r8_a_test_that_did_not_run_on_the_sealed_files_holds_it_back(build: Build) -> None:
    stage = build(settings='[commands]\ntest = ["grep", "-q", "LIVES", "game.py"]', rules=[
        once("implement", {"write": {"game.py": "LIVES = 3\n"}}, {"cell": ["test"]},
             {"append": {"game.py": "LATE = 1\n"}}, answer("review")),
        rule("implement", {"append": {"game.py": "MORE = 1\n"}}, {"cell": ["test"]}, answer("review")),
        REVIEW,
    ])
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    assert stage.states(number) == {"needs-human"}
    assert "test" in stage.said(number)[0]
    rests(stage, number, "skip_needs_human", "test")
    stage.say(number, "Test it.")
    assert stage.tick().cells == ["implement", "review"]


def test_r8_nothing_new_leaves_the_cell_and_is_said(build: Build) -> None:
    stage = build(rules=[rule("implement", answer("review", "It is there already."))])
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    assert stage.states(number) == {"needs-human"}
    assert "changed nothing" in stage.said(number)[0]
    rests(stage, number, "skip_needs_human", "changed nothing")


def test_r8_a_clean_merge_of_a_moved_base_with_needs_test_merged_holds_back(build: Build) -> None:
    cells = build().cells.replace('name = "implement"', 'name = "implement"\nneeds_test = "merged"')
    stage = build(cells=cells, settings='[commands]\ntest = ["true"]', project={"game.py": LONG, "a.md": "a\n"})
    stage.rules = [
        rule("implement", {"call": lambda: stage.people.push("main", {"a.md": "b\n"}, "bob")},
             {"write": {"new.py": "NEW = 1\n"}}, {"cell": ["test"]}, answer("review")), REVIEW,
    ]
    number = stage.file()
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    assert "not tested" in stage.said(number)[0]
    rests(stage, number, "skip_needs_human", "not tested")


def test_r12_failing_checks_send_our_pull_request_back_once_for_each_head(stage: Stage) -> None:
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number).number
    stage.rules = [rule("implement", {"append": {"game.py": "MORE = 1\n"}}, answer("review")), REVIEW]
    stage.people.checks(pull, {"build": "failure"})
    assert stage.tick().cells == ["implement", "review"]
    assert "the log of build" in stage.prompts[-2][1]
    assert stage.states(number, pull) == {"in-review"}
    stage.people.checks(pull, {"build": "pending"})
    assert stage.tick().cells == []
    for _ in range(5):
        stage.people.checks(pull, {"build": "failure"})
        stage.tick()
    assert stage.states(number, pull) == {"needs-human"}


def test_r45_a_secret_in_the_name_of_a_file_is_not_pushed(build: Build) -> None:
    secret = "ghp_" + "a1B2" * 9
    stage = build(rules=[rule("implement", {"write": {f"{secret}.txt": "x\n", "good.py": "GOOD = 1\n"}}, answer("review"))])
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    assert stage.branches() == ("main",)
    assert stage.states(number) == {"needs-human"}
    texts = [comment.body for comment in stage.item(number).comments]
    assert not any(secret in text for text in texts)
    assert secret not in stage.why(number)
    rests(stage, number, "skip_needs_human")


def test_r45_a_change_beyond_the_limits_is_refused_with_its_size_and_kept(build: Build) -> None:
    stage = build(settings="[gate]\nmax_added_lines = 50", rules=[
        once("implement", {"write": {"big.py": "LINE = 1\n" * 90_000}}, answer("review")),
        rule("implement", {"shell": "head -n 20 big.py > small.py; : > big.py"}, {"append": {"big.py": "A = 1\n"}},
             answer("review")),
        REVIEW,
    ])
    number = stage.file()
    assert stage.tick().cells == ["implement"]
    assert stage.branches() == ("main",)
    assert "90000" in stage.said(number)[0].replace(",", "")
    rests(stage, number, "skip_needs_human")
    stage.say(number, "Twenty lines are enough.")
    assert stage.tick().cells == ["implement", "review"]
    assert stage.people.files(f"agentcells/{number}")["small.py"] == "LINE = 1\n" * 20
