"""The life of an issue and its pull request, told with real passes on a real forge."""

from __future__ import annotations

from tests.invariants import at_rest, rests
from tests.stage import (
    BOT,
    IMPLEMENT,
    OWNER,
    REVIEW,
    TRIAGE,
    Stage,
    answer,
    nothing_written,
    once,
    rule,
    work,
)
from tests.stories.conftest import Build


def test_r10_the_owner_has_his_own_pull_request_reviewed_and_it_is_never_pushed_to(stage: Stage) -> None:
    tip = stage.people.push("fix", {"game.py": "LEVEL = 2\n"}, OWNER)
    number = stage.people.open_pull("fix", "Level two", "Please look.", OWNER)
    stage.label(number, "review")
    assert stage.tick().cells == ["review"]
    assert stage.states(number) == {"in-review"}
    assert stage.item(number).pull.head_sha == tip
    assert len(stage.said(number)) == 1
    at_rest(stage)


def test_r10_on_the_owners_own_pull_request_a_cell_on_issues_becomes_a_question(build: Build) -> None:
    stage = build(rules=[rule("review", answer("implement", "The level is off by one."))])
    stage.people.push("fix", {"game.py": "LEVEL = 2\n"}, OWNER)
    number = stage.people.open_pull("fix", "Level two", "Please look.", OWNER)
    stage.label(number, "review")
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    assert "off by one" in stage.said(number)[0]
    assert "pushed to" in stage.said(number)[0]


def test_r10_a_cell_that_may_write_does_not_push_to_the_owners_own_pull_request_either(build: Build) -> None:
    stage = build(
        cells=build().cells.replace('name = "review"', 'name = "review"\nwrites = true'),
        rules=[rule("review", work("done", game__py="LEVEL = 3\n"))],
    )
    tip = stage.people.push("fix", {"game.py": "LEVEL = 2\n"}, OWNER)
    number = stage.people.open_pull("fix", "Level two", "Please look.", OWNER)
    stage.label(number, "review")
    assert stage.tick().cells == ["review"]
    assert stage.people.tip("fix") == tip
    assert stage.branches() == ("fix", "main")
    at_rest(stage)


def test_r3_labels_that_are_none_of_ours_stay_on_both_members(stage: Stage) -> None:
    stage.people.make_label("bug", OWNER)
    number = stage.file("triage")
    stage.people.label(number, "bug", "bob")
    stage.tick()
    pull = stage.pull_of(number).number
    stage.people.label(pull, "bug", "bob")
    stage.say(pull, "Once more.")
    stage.tick()
    stage.people.merge(pull, OWNER)
    stage.tick()
    assert [[label.name for label in stage.item(one).labels] for one in (number, pull)] == [["bug"]] * 2


def test_r10_a_pull_request_of_a_stranger_never_runs(stage: Stage) -> None:
    stage.people.push("theirs", {"game.py": "LEVEL = 9\n"}, "mallory")
    number = stage.people.open_pull("theirs", "Trust me", "", "mallory")
    stage.label(number, "review")
    rests(stage, number, "skip_not_yours", "somebody else's")


def test_review_sends_back_to_implement_on_the_same_branch_with_its_words_in_the_prompt(build: Build) -> None:
    stage = build(rules=[
        once("implement", work(game__py="LIVES = 4\n", comment="Four lives.")),
        rule("implement", work(game__py="LIVES = 3\n", comment="Three lives.")),
        once("review", answer("implement", "It must be three, not four.")),
        REVIEW,
    ])
    number = stage.file()
    assert stage.tick().cells == ["implement", "review", "implement", "review"]
    pull = stage.pull_of(number)
    assert stage.states(pull.number) == {"in-review"}
    assert stage.states(number) == set()
    assert "It must be three, not four." in stage.prompts[2][1]
    assert stage.branches() == (f"agentcells/{number}", "main")
    assert stage.people.files(f"agentcells/{number}")["game.py"] == "LIVES = 3\n"
    went_back = [e for e in pull.events if e.kind == "unlabeled" and e.label.name == "ac:review"]
    assert went_back, "the label left the pull request"
    on_issue = [e.label.name for e in stage.item(number).events if e.kind == "labeled" and e.label]
    assert on_issue == ["ac:implement", "ac:working", "ac:implement", "ac:working"]
    at_rest(stage)


def test_r11_an_issue_closed_by_hand_stops_its_open_pull_request_and_touches_nothing_else(stage: Stage) -> None:
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number)
    stage.people.label(pull.number, "ac:hold", OWNER)
    stage.people.close(number, OWNER)
    stage.tick()
    assert stage.states(number, pull.number) == set()
    assert stage.item(pull.number).state == "open"
    assert f"agentcells/{number}" in stage.branches()
    rests(stage, number, "", "closed")
    stage.say(pull.number, "What about this one?")
    rests(stage, pull.number, "", "closed")


def test_r14_a_comment_on_the_pull_request_while_implement_runs_on_the_issue_is_read_next(build: Build) -> None:
    stage = build()

    def owner_writes() -> None:
        stage.say(stage.pull_of(1).number, "And make it blue, please.")

    stage.rules = [
        once("implement", work(game__py="LIVES = 4\n")),
        once("review", answer("implement", "Not four.")),
        once("implement", {"call": owner_writes}, work(game__py="LIVES = 3\n")),
        rule("implement", work(game__py="LIVES = 3\nBLUE = 1\n")),
        REVIEW,
    ]
    number = stage.file()
    assert stage.tick().cells == ["implement", "review", "implement", "implement", "review"]
    assert "make it blue" not in stage.prompts[2][1]
    assert "make it blue" in stage.prompts[3][1]
    assert stage.people.files(f"agentcells/{number}")["game.py"] == "LIVES = 3\nBLUE = 1\n"


def test_r9_two_pull_requests_say_they_close_the_issue_the_owner_is_asked_once(stage: Stage) -> None:
    number = stage.file()
    stage.people.push("mine-too", {"game.py": "LIVES = 7\n"}, "bob")
    rival = stage.people.open_pull("mine-too", "Lives", f"Closes #{number}", "bob")
    assert stage.tick().cells == []
    assert stage.states(number) == {"needs-human"}
    assert f"#{rival}" in stage.said(number)[0]
    rests(stage, number, "skip_needs_human", f"#{rival}")
    assert len(stage.said(number)) == 1
    stage.say(number, "Go on, I will close the other one.")
    assert stage.tick().cells == ["implement", "review"]
    assert stage.states(stage.pull_of(number).number) == {"in-review"}


def test_r9_a_pull_request_closed_unmerged_and_the_issue_labelled_again_starts_afresh(build: Build) -> None:
    cells = build().cells.replace('name = "implement"', 'name = "implement"\nmax_rounds = 1')
    stage = build(cells=cells)
    number = stage.file()
    stage.tick()
    first = stage.pull_of(number)
    stage.people.close(first.number, OWNER)
    stage.tick()
    assert stage.states(number, first.number) == set()
    stage.label(number, "implement")
    assert stage.tick().cells == ["implement", "review"]
    second = stage.pull_of(number, 2)
    assert second.number != first.number
    assert stage.states(second.number) == {"in-review"}
    assert stage.item(first.number).state == "closed"
    assert {f"agentcells/{number}", f"agentcells/{number}-2"} <= set(stage.branches())
    at_rest(stage)


def test_r11_merged_into_another_branch_the_pair_stops_and_the_issue_stays_open(stage: Stage) -> None:
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number)
    stage.people.merge_into(pull.number, "release", OWNER)
    stage.tick()
    assert stage.states(number, pull.number) == set()
    assert stage.item(number).state == "open"
    rests(stage, number)


def test_r31_opened_again_after_its_rounds_were_used_it_starts_with_fresh_rounds(build: Build) -> None:
    stage = build(rules=[
        rule("implement", {"append": {"game.py": "MORE = 1\n"}}, answer("review")),
        rule("review", answer("implement", "Still not right.")),
    ])
    number = stage.file()
    ticked = stage.tick()
    assert ticked.cells == ["implement", "review"] * 3
    pull = stage.pull_of(number)
    assert stage.states(number, pull.number) == {"needs-human"}
    stage.people.close(number, OWNER)
    stage.tick()
    assert stage.states(number, pull.number) == set()
    stage.people.reopen(number, OWNER)
    rests(stage, number)
    stage.label(number, "implement")
    assert stage.tick().cells == ["implement", "review"] * 3
    assert stage.states(number, pull.number) == {"needs-human"}
    rests(stage, number, "skip_needs_human", "3 times")


def test_r6_a_question_is_answered_by_editing_the_body(build: Build) -> None:
    stage = build(rules=[
        once("triage", answer("needs-human", "How many lives?")), TRIAGE, IMPLEMENT, REVIEW,
    ])
    number = stage.file("triage", body="More lives.")
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    rests(stage, number, "skip_needs_human", "How many lives?")
    stage.people.edit(number, OWNER, body="More lives: three.")
    assert stage.tick().cells == ["triage", "implement", "review"]
    assert "More lives: three." in stage.prompts[1][1]
    assert "answer" in stage.prompts[1][1].rpartition("\n")[2]


def test_r6_an_answer_within_the_second_of_the_question_is_heard(build: Build) -> None:
    """Most forges tell the time in seconds: what was read is known by its number."""
    stage = build(rules=[
        IMPLEMENT, once("review", answer("needs-human", "Is blue allowed?")), REVIEW,
    ])
    stage.people.patient = False
    number = stage.file()
    for words in ("Blue is fine.", "Green as well."):
        stage.tick()
        stage.say(stage.pull_of(number).number, words)
    stage.tick()
    prompts = [prompt for cell, prompt in stage.prompts if cell != "triage"]
    assert all(any(words in prompt for prompt in prompts) for words in ("Blue is fine.", "Green as well."))


def test_r12_a_failure_that_was_looked_into_is_not_brought_up_again(stage: Stage) -> None:
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number).number
    stage.rules = [rule("implement", answer("needs-human", "The machine that builds is full."))]
    stage.people.checks(pull, {"build": "failure"})
    assert stage.tick().cells == ["implement"]
    stage.unlabel(pull, "needs-human")
    stage.label(pull, "in-review")
    rests(stage, number, "skip_in_review")


def test_r11_the_owner_merges_and_everything_is_tidied(stage: Stage) -> None:
    number = stage.file()
    stage.tick()
    pull = stage.pull_of(number)
    stage.people.merge(pull.number, OWNER)
    stage.tick()
    assert stage.states(number, pull.number) == set()
    assert stage.branches() == ("main",)
    assert stage.item(number).state == "closed"
    with nothing_written(stage):
        stage.tick()


def test_r1_with_the_owners_own_token_the_whole_line_runs_the_same(build: Build) -> None:
    stage = build(bot="")
    number = stage.file("triage")
    assert stage.tick().cells == ["triage", "implement", "review"]
    assert stage.states(number, stage.pull_of(number).number) == {"in-review"}
    stage.say(stage.pull_of(number).number, "Make it four.")
    stage.rules = [rule("implement", work(game__py="LIVES = 4\n")), REVIEW]
    assert stage.tick().cells == ["implement", "review"]
    assert BOT not in {c.author.login for c in stage.item(number).comments if c.author}
    at_rest(stage)


def test_r14_words_during_a_review_come_before_the_owner_is_asked_to_look(build: Build) -> None:
    stage = build()

    def owner_writes() -> None:
        stage.say(1, "And make it blue, please.")

    stage.rules = [
        rule("implement", {"append": {"game.py": "MORE = 1\n"}}, answer("review")),
        once("review", {"call": owner_writes}, answer("done", "As asked.")),
        once("review", answer("implement", "Blue is missing.")), REVIEW,
    ]
    number = stage.file()
    assert stage.tick().cells == ["implement", "review", "review", "implement", "review"]
    assert "make it blue" not in stage.prompts[1][1]
    assert "make it blue" in stage.prompts[2][1]
    assert stage.states(number, stage.pull_of(number).number) == {"in-review"}
    at_rest(stage)
