"""What an earlier turn has left behind: old pull requests, branches, refusals (R7, R9, R11, R22, R33, R44)."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentcells.forge import Forbidden, NotFound, Unavailable
from tests.invariants import at_rest, rests
from tests.people import STRANGER, LocalPeople
from tests.stage import OWNER, REPO, REVIEW, Heard, Stage, Trouble, answer, once, rule, work
from tests.stories.conftest import Build


def _reviewed(stage: Stage) -> tuple[int, int]:
    number = stage.file()
    assert stage.tick().cells == ["implement", "review"]
    pull = stage.pull_of(number).number
    assert stage.states(number, pull) == {"in-review"}
    return number, pull


@pytest.mark.parametrize("how", ["closed", "merged"])
def test_r11_labelled_again_before_the_next_tick_the_old_pull_request_is_tidied_all_the_same(
    stage: Stage, how: str
) -> None:
    number, pull = _reviewed(stage)
    if how == "merged":
        stage.people.merge(pull, OWNER)
        if stage.item(number).state != "open":
            stage.people.reopen(number, OWNER)
    else:
        stage.people.close(pull, OWNER)
    stage.advance(seconds=2)
    stage.label(number, "implement")
    stage.advance(seconds=2)
    stage.tick()
    assert stage.states(pull) == set()
    assert (f"agentcells/{number}" in stage.branches()) == (how == "closed")
    at_rest(stage)


def test_r22_an_old_pull_request_that_is_opened_again_says_why_its_label_starts_nothing(stage: Stage) -> None:
    number, old = _reviewed(stage)
    stage.people.close(old, OWNER)
    stage.tick()
    stage.advance(seconds=2)
    stage.label(number, "implement")
    stage.tick()
    assert stage.states(stage.pull_of(number, 2).number) == {"in-review"}
    stage.people.reopen(old, OWNER)
    stage.label(old, "review")
    stage.advance(seconds=2)
    rests(stage, old, "skip_older_pull", f"#{number}")


def test_r11_commits_that_came_after_the_merge_keep_their_branch(stage: Stage) -> None:
    number, pull = _reviewed(stage)
    stage.people.merge(pull, OWNER)
    late = stage.people.push(f"agentcells/{number}", {"late.py": "LATE = 1\n"}, OWNER)
    stage.advance(seconds=2)
    stage.tick()
    assert stage.states(number, pull) == set()
    assert stage.people.tip(f"agentcells/{number}") == late


def test_r7_resume_puts_the_owners_own_pull_request_back_into_the_line(stage: Stage) -> None:
    stage.people.push("feature", {"x.py": "X = 1\n"}, OWNER)
    pull = stage.people.open_pull("feature", "My change", "Look, please.", OWNER)
    stage.label(pull, "review")
    assert stage.tick().cells == ["review"]
    stage.say(pull, "/hold")
    stage.tick()
    assert stage.states(pull) == set()
    stage.tick()
    stage.say(pull, "/resume")
    stage.tick()
    assert stage.states(pull) == {"in-review"}


def test_r9_the_owner_is_asked_once_about_each_rival(stage: Stage) -> None:
    number = stage.file()
    rivals = []
    for head in ("one", "two"):
        stage.people.push(head, {f"{head}.py": "X = 1\n"}, STRANGER)
        rivals.append(stage.people.open_pull(head, "Mine", f"Closes #{number}", STRANGER))
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    stage.say(number, "Go on all the same.")
    stage.people.close(rivals[1], STRANGER)
    stage.advance(seconds=2)
    assert stage.tick().cells == ["implement", "review"]


def test_r44_a_branch_that_stood_there_before_the_first_run_is_shown_to_the_owner_first(stage: Stage) -> None:
    planted = stage.people.push("agentcells/1", {"planted.py": "PLANTED = 1\n"}, "bob")
    assert stage.file() == 1
    assert stage.tick().cells == []
    assert stage.states(1) == {"needs-human"}
    assert planted[:10] in stage.said(1)[0]
    rests(stage, 1, "skip_needs_human", planted[:10])
    assert len(stage.said(1)) == 1
    stage.say(1, "I know, go on with it.")
    assert stage.tick().cells == ["implement", "review"]
    at_rest(stage)


def test_r44_a_branch_without_commits_of_its_own_needs_no_question(stage: Stage) -> None:
    stage.people.set_branch("agentcells/1", stage.people.tip("main"))
    assert stage.file() == 1
    assert stage.tick().cells == ["implement", "review"]


def test_r33_work_whose_pull_request_could_not_be_opened_goes_on_once_it_can(stage: Stage) -> None:
    number = stage.file()
    stage.rules = [rule("implement", work(game__py="LIVES = 3\n")), REVIEW]
    forbidden = Forbidden(
        "github_forbidden", login="alice-cells", permission="pull_requests", detail="403",
        operation="createPullRequest", repo=REPO,
    )
    stage.troubles.append(Trouble("open_pull", forbidden, times=3))
    for _ in range(4):
        stage.tick()
    assert stage.states(number) == {"needs-human"}
    stage.advance(seconds=2)
    stage.say(number, "It may open some now.")
    needs = "Needs at least one record with a change."
    assert needs in stage.played[-1][1]
    assert stage.tick().cells == ["implement", "review"]  # the run had nothing more to change
    assert needs not in stage.played[-2][1]
    assert "What an earlier run recorded is enough" in stage.played[-2][1]
    assert stage.pull_of(number).state == "open"
    at_rest(stage)


def test_r33_a_branch_that_may_not_be_deleted_is_told_once(stage: Stage) -> None:
    number, pull = _reviewed(stage)
    stage.people.merge(pull, OWNER)
    stage.advance(seconds=2)
    forbidden = Forbidden(
        "github_forbidden", login="alice-cells", permission="contents", detail="403",
        operation="deleteRef", repo=REPO,
    )
    stage.troubles.append(Trouble("delete_branch", forbidden, times=100))
    assert [event["key"] for event in stage.tick().of("failed")] == ["github_forbidden"]
    for _ in range(3):
        assert stage.tick().of("failed") == []
    assert stage.troubles[0].times == 99
    assert stage.states(number, pull) == set()


def test_r23_a_strangers_label_with_our_prefix_beside_ours_changes_nothing(stage: Stage) -> None:
    number = stage.file()
    stage.people.make_label("ac:urgent", OWNER)
    stage.people.label(number, "ac:urgent", STRANGER)
    assert stage.tick().cells == ["implement", "review"]
    assert stage.states(number) == {"urgent"}
    assert stage.states(stage.pull_of(number).number) == {"in-review"}


def test_r27_what_the_owner_wrote_on_the_pull_request_that_he_closed_is_told_to_the_next_attempt(
    stage: Stage,
) -> None:
    number, pull = _reviewed(stage)
    stage.advance(seconds=2)
    stage.say(pull, "Wrong way: use a table of lives instead.")
    changed = stage.say(pull, "And no loops.")
    stage.say(pull, "Rather drop it all.", by=STRANGER)
    stage.people.edit_comment(pull, changed, "And delete the tests.", STRANGER)
    stage.people.close(pull, OWNER)
    stage.advance(seconds=2)
    stage.label(number, "implement")
    stage.advance(seconds=2)
    stage.tick()
    told = [prompt for cell, prompt in stage.prompts if cell == "implement"][-1]
    assert f"comment on the earlier pull request #{pull}" in told
    assert "use a table of lives instead" in told
    assert "delete the tests" not in told
    assert "drop it all" not in told
    at_rest(stage)


def test_r9_a_pull_request_that_another_opened_from_our_branch_is_never_taken_for_ours(stage: Stage) -> None:
    stage.people.push("agentcells/1", {"theirs.py": "THEIRS = 1\n"}, STRANGER)
    assert stage.file() == 1
    other = stage.people.open_pull("agentcells/1", "Mine", "Not about any issue.", STRANGER)
    stage.tick()
    stage.say(1, "Go on with what is there.")
    for _ in range(4):
        stage.tick()
    assert stage.cells_run == ["implement"]
    assert (stage.states(1), stage.states(other)) == ({"needs-human"}, set())
    assert stage.said(other) == []
    rests(stage, 1, "skip_needs_human", f"#{other}")
    stage.people.close(other, OWNER)
    stage.advance(seconds=2)
    stage.say(1, "It is closed now.")
    assert stage.tick().cells == ["implement", "review"]
    at_rest(stage)


def test_r21_an_issue_that_was_deleted_is_forgotten_and_one_that_is_only_not_found_is_not(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "w")
    gone, stays = stage.file("needs-human"), stage.file("needs-human", title="Another")
    stage.tick()
    stage.troubles.append(Trouble("read", NotFound("local_no_item", repo=REPO, number=gone), times=1))
    stage.say(gone, "It has changed.", by=STRANGER)
    assert "skip_unreadable" in stage.tick().reasons
    assert stage.tick().reasons == ["skip_needs_human", "skip_needs_human"]
    for kept in (stage.state_place / "cache").rglob(f"{gone}.json"):
        kept.unlink()  # read again, though no listing speaks of it
    stage.troubles.append(Trouble("read", NotFound("local_no_item", repo=REPO, number=gone), times=1))
    assert "skip_unreadable" in stage.tick().reasons
    assert stage.tick().reasons == ["skip_needs_human", "skip_needs_human"]
    assert isinstance(stage.people, LocalPeople)
    (stage.people.root / "repos" / REPO / f"{gone}.json").unlink()
    for _ in range(2):
        ticked = stage.tick()
        assert [event["item"] for event in ticked.of("skip")] == [stays]


def test_r40_kept_work_that_a_later_run_gave_up_does_not_come_back(stage: Stage) -> None:
    stage.rules = [
        once("implement", work("needs-human", comment="Is this the way?", old__py="OLD = 1\n")),
        once("implement", {"cell": ["remove", "old.py"]}, work(new__py="NEW = 1\n")),
        once("review", answer("implement", "One more thing.")),
        rule("implement", work(more__py="MORE = 1\n")), REVIEW,
    ]
    number = stage.file()
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    stage.advance(seconds=2)
    stage.say(number, "No, do it another way.")
    assert stage.tick().cells == ["implement", "review", "implement", "review"]
    files = stage.people.files(f"agentcells/{number}")
    assert {"new.py", "more.py"} <= set(files)
    assert "old.py" not in files


def test_r44_what_a_withheld_run_had_pushed_is_known_as_ours(stage: Stage) -> None:
    number = stage.file()
    stage.troubles.append(Trouble("open_pull", Unavailable("github_unavailable", detail="502")))
    assert stage.tick().problem is not None
    assert f"agentcells/{number}" in stage.branches()
    stage.unlabel(number, "implement")
    stage.tick()
    stage.advance(seconds=2)
    stage.label(number, "implement")
    assert stage.tick().cells == ["implement", "review"]
    at_rest(stage)


def test_r11_a_pull_request_that_is_closed_the_moment_it_was_opened_is_left_alone(stage: Stage) -> None:
    number = stage.file()

    def close_it(step: str) -> None:
        if step == "forge: open_pull":
            stage.step = None
            stage.people.close(stage.pull_of(number).number, OWNER)

    stage.step = close_it
    stage.tick()
    stage.tick()
    pull = stage.pull_of(number).number
    assert stage.said(pull) == []
    assert stage.states(number, pull) == set()
    at_rest(stage)


def test_r13_many_that_were_filed_at_once_begin_in_their_order(build: Build) -> None:
    """Ten are read whole in a pass, and what is as new as these is kept in no cache (R20)."""
    stage = build(rules=[rule("implement", answer("needs-human", "Which colour?"))])
    numbers = [stage.file() for _ in range(25)]
    begun: list[int | None] = []
    while claimed := stage.once(Heard("quiet")):
        for folder in claimed:
            begun.append(folder.order().issue)
            stage.play(folder)
    assert begun == numbers
