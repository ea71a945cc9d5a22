"""What a tick asks of GitHub and what it costs; what cannot be read; what weather does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentcells.forge import NotFound, RateLimited, Stale, Unauthorized, Unavailable
from agentcells.model import Problem
from tests.github_factory import BOT, OWNER, REPO, GitHubFactory, factory
from tests.github_world import FINE

pytestmark = pytest.mark.sandbox  # what cannot be contained is not claimed

NOON = "2026-03-01T12:00:00+00:00"


@pytest.fixture
def line(tmp_path: Path) -> Iterator[GitHubFactory]:
    """A factory that is set up; its clock stands until somebody moves it."""
    with factory(tmp_path, set_up=False) as made:
        made.world.set_clock(NOON)
        made.settle()
        made.play()
        made.world.advance(600)
        yield made


def unassigned(line: GitHubFactory, count: int, repo: str = REPO) -> list[int]:
    """Issues with our label that nothing is to be done for."""
    return [line.owner.open_issue(repo, f"Issue {n}", "Body", ["ac:triage"]) for n in range(count)]


def rest(line: GitHubFactory) -> None:
    """Until the next tick of the timer."""
    line.world.advance(600)


# ---------------------------------------------------------------- an idle tick


def test_r20_a_warm_idle_tick_is_one_request_and_at_most_four_points(line: GitHubFactory) -> None:
    unassigned(line, 5)
    waits = line.file()
    line.owner.label(REPO, waits, "ac:hold")
    rest(line)
    line.pass_()
    rest(line)
    idle = line.pass_()
    assert idle.asked == ["Listing"]
    assert idle.points <= 4
    assert len(idle.reasons) == 6
    rest(line)
    assert line.pass_().asked == ["Listing"]


def test_r20_twenty_repositories_are_one_request_too(tmp_path: Path) -> None:
    names = [f"alice/game{n}" for n in range(20)]
    with factory(tmp_path, set_up=False) as line:
        line.world.set_clock(NOON)
        for name in names:
            line.world.repository(name, roles={BOT: "write"}, files={"README.md": "a game\n"})
        line.settle(*names)
        line.play()
        for name in names:
            unassigned(line, 1, name)
        rest(line)
        line.pass_()
        rest(line)
        line.pass_()
        rest(line)
        idle = line.pass_()
        assert idle.asked == ["Listing"]
        assert idle.points <= 20 * 4
        assert len(idle.of("skip")) == 20


def test_r20_a_cold_tick_asks_for_each_hundred_items_and_reads_ours_whole(
    line: GitHubFactory,
) -> None:
    for n in range(250):
        line.owner.open_issue(REPO, f"Somebody's {n}")
    (ours,) = unassigned(line, 1)
    cold = line.pass_()
    assert cold.asked == ["Listing", "Listing", "Listing", "ReadTogether"]
    assert list(cold.reasons) == [ours]


def test_r20_ten_whole_reads_for_each_label_and_tick_then_the_others(line: GitHubFactory) -> None:
    numbers = unassigned(line, 25)
    rest(line)
    read = []
    for expected in (10, 10, 5, 0):
        passed = line.pass_()
        waiting = [event for event in passed.of("skip") if event["key"] == "skip_not_looked_at"]
        later = {event["item"] for event in waiting}
        assert all("ten items of each label" in event["text"] for event in waiting)
        assert passed.asked.count("ReadTogether") == expected
        assert set(passed.reasons) == set(numbers)
        read.append(set(numbers) - later)
        rest(line)
    assert [len(one) for one in read] == [10, 20, 25, 25]


def test_r20_an_item_that_changes_all_the_time_takes_nobodys_turn(line: GitHubFactory) -> None:
    numbers = unassigned(line, 24)
    seen: set[int] = set()
    for _ in range(3):
        rest(line)
        for number in numbers[:10]:
            line.as_("mallory").comment(REPO, number, "And now?")
        passed = line.pass_()
        seen |= {n for n, key in passed.reasons.items() if key != "skip_not_looked_at"}
    assert seen == set(numbers)


def test_r12_checks_that_fail_are_noticed_although_nothing_else_changed(
    line: GitHubFactory,
) -> None:
    number = line.file(label="in-review")
    pull = _pull_of_ours(line, number)
    line.owner.unlabel(REPO, number, "ac:in-review")
    line.owner.label(REPO, pull, "ac:in-review")
    line.pass_()
    rest(line)
    line.pass_()
    rest(line)
    before = line.item(pull)
    line.world.checks(REPO, pull, {"test": "pending"})
    pending = line.pass_()
    assert pending.asked == ["Listing", "ReadTogether"]
    rest(line)
    assert line.pass_().asked == ["Listing"]
    line.world.checks(REPO, pull, {"test": "failure"})
    assert line.item(pull) == before
    line.pass_(claiming=False)
    assert line.states(pull) | line.states(number) == {"implement"}


def _pull_of_ours(line: GitHubFactory, number: int) -> int:
    line.as_(BOT).push(REPO, f"agentcells/{number}", {"game.py": "LEVEL = 2\n"})
    pull = line.as_(BOT).open_pull(REPO, f"agentcells/{number}", "More", f"Closes #{number}")
    line.owner.assign(REPO, pull, OWNER)
    return pull


def test_r9_a_closed_attempt_is_asked_for_once(line: GitHubFactory) -> None:
    number = line.file(label="needs-human")
    pull = _pull_of_ours(line, number)
    line.owner.close(REPO, pull)
    rest(line)
    line.owner.unlabel(REPO, number, "ac:needs-human")
    line.owner.label(REPO, number, "ac:needs-human")
    rest(line)
    first = line.pass_()
    assert "PullsByHead" in first.asked
    rest(line)
    assert line.pass_().asked == ["Listing"]


def test_r11_a_merged_branch_is_looked_for_until_it_is_gone(line: GitHubFactory) -> None:
    number = line.file(label="in-review")
    pull = _pull_of_ours(line, number)
    line.pass_()
    rest(line)
    line.owner.merge(REPO, pull)
    line.pass_()
    assert set(line.world.tips(REPO)) == {"main"}
    assert line.states(number) == line.states(pull) == set()
    rest(line)
    assert line.pass_().asked == ["Listing"]


def test_r11_a_branch_that_github_deletes_by_itself_is_no_trouble(line: GitHubFactory) -> None:
    line.world.settings(REPO, delete_branch_on_merge=True)
    number = line.file(label="in-review")
    pull = _pull_of_ours(line, number)
    line.pass_()
    rest(line)
    line.owner.merge(REPO, pull)
    passed = line.pass_()
    assert passed.of("failed") == passed.of("DeleteBranch") == []
    assert line.states(number) == line.states(pull) == set()


# ---------------------------------------------------------------- an acting tick


def test_r21_what_is_claimed_is_read_directly_before_and_after(line: GitHubFactory) -> None:
    """What a listing showed, or a pass before had read, is never enough (see test_github_acting)."""
    number = line.file()
    rest(line)
    line.pass_(claiming=False)
    acting = line.pass_()
    assert [folder.order().issue for folder in acting.claimed] == [number]
    assert acting.asked == ["Listing", "ReadTogether", "AddComment", "AddLabels", "ReadTogether"]


def test_a_github_app_works_like_any_other_account(tmp_path: Path) -> None:
    """It is "robot[bot]" in cells.toml, and no login that could be asked for."""
    with factory(tmp_path, bot="robot[bot]", set_up=False) as line:
        line.world.account("robot", "Bot")
        permissions = {**FINE, "checks": "read"}
        line.give_token(line.world.token("robot", "app", permissions=permissions, repos=[REPO]))
        line.settle()
        line.play()
        number = line.file()
        passed = line.pass_()
        assert [folder.order().issue for folder in passed.claimed] == [number]
        assert line.states(number) == {"triage", "working"}
        asked = line.file("A question", label="needs-human")
        line.as_("robot").comment(REPO, asked, "I answer myself.")
        assert line.pass_().reasons[asked] == "skip_needs_human"


# ---------------------------------------------------------------- what cannot be read


def test_r21_an_item_that_does_not_come_whole_is_left_alone_and_the_others_go_on(
    line: GitHubFactory,
) -> None:
    first, second = line.file("First"), line.file("Second")
    line.world.fail(
        "partial", operation="ReadTogether", path=["repository", "i0"], times=9, variables={"i0": first}
    )
    line.world.fail(
        "partial", operation="Read", path=["repository", "issueOrPullRequest"], times=9,
        variables={"number": first},
    )
    passed = line.pass_()
    assert [folder.order().issue for folder in passed.claimed] == [second]
    reasons = {event["item"]: event for event in passed.of("skip")}
    assert reasons[first]["key"] == "skip_unreadable"
    assert line.states(first) == {"triage"}


def test_r21_an_item_that_is_too_much_for_github_is_left_alone(line: GitHubFactory) -> None:
    first, second = line.file("First"), line.file("Second")
    # Together with its branch, then by itself; each whole, then in halves.
    line.world.fail("timeout_200", operation="ReadTogether", times=2, variables={"i0": first})
    line.world.fail("timeout_200", operation="Read", times=2, variables={"number": first})
    passed = line.pass_()
    assert [folder.order().issue for folder in passed.claimed] == [second]
    assert passed.reasons[first] == "skip_unreadable"


def test_r21_two_outages_in_one_tick_are_the_weather(line: GitHubFactory) -> None:
    line.file("First")
    line.file("Second")
    line.world.fail("bad_gateway", operation="ReadTogether", times=4)
    line.world.fail("bad_gateway", operation="Read", times=4)
    with pytest.raises(Unavailable) as raised:
        line.pass_()
    assert raised.value.exit_code == 75


def test_a_repository_that_is_gone_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    with factory(tmp_path, set_up=False) as line:
        line.world.repository("alice/other", roles={BOT: "write"}, files={"README.md": "x\n"})
        line.settle(REPO, "alice/other")
        line.play()
        number = line.file()
        line.world.set_role("alice/other", BOT, "none")
        line.world.hub.repo("alice/other").private = True
        passed = line.pass_()
        assert [folder.order().issue for folder in passed.claimed] == [number]
        assert passed.heard.code == 1
        (told,) = passed.of("problem")
        assert "alice/other" in told["text"]
        snapshot, _ = line.look()
        assert [note for note in snapshot.notes if "alice/other" in note]


def test_a_renamed_repository_is_one_clear_line(line: GitHubFactory) -> None:
    line.file()
    line.world.rename_repository(REPO, "alice/sport")
    with pytest.raises(Stale) as raised:
        line.pass_()
    assert raised.value.key == "github_renamed"
    assert raised.value.slots["now"] == "alice/sport"


def test_r23_a_repository_that_took_over_a_name_is_not_worked_on(line: GitHubFactory) -> None:
    line.file()
    line.world.rename_repository(REPO, "alice/sport")
    line.world.hub.repo("alice/sport").old_names.clear()
    line.world.repository(REPO, roles={BOT: "write"}, labels=["ac:triage"], files={"a": "b\n"})
    line.file()
    with pytest.raises(Problem) as raised:
        line.pass_()
    assert raised.value.key == "pins_differ"


def test_a_repository_that_was_never_set_up_is_named(line: GitHubFactory) -> None:
    line.world.repository("alice/other", roles={BOT: "write"}, files={"README.md": "x\n"})
    line.change(f'repos = ["{REPO}"]', f'repos = ["{REPO}", "alice/other"]')
    passed = line.pass_()
    assert [event["key"] for event in passed.of("problem")] == ["pins_new_repository"]


def test_r23_the_token_of_a_third_account_reads_nothing_more(line: GitHubFactory) -> None:
    line.file()
    line.give_token(line.world.token("mallory"))
    since = line.so_far()
    with pytest.raises(Problem) as raised:
        line.pass_()
    assert raised.value.key == "observe_foreign_token"
    assert line.asked(since) == ["Listing"]


# ---------------------------------------------------------------- weather


@pytest.mark.parametrize("kind", ["rate_limited", "secondary_403", "bad_gateway", "not_json"])
def test_r19_weather_ends_a_tick_with_75_and_says_when_to_go_on(
    line: GitHubFactory, kind: str
) -> None:
    line.file()
    line.world.fail(kind, times=4)
    done = line.run("tick")
    assert done.returncode == 75
    (words,) = done.stderr.splitlines()
    assert "UTC" in words or "next tick" in words
    assert "Traceback" not in words


def test_a_wrong_token_is_one_line_and_1(line: GitHubFactory) -> None:
    line.world.revoke(line.token_file.read_text().strip())
    done = line.run("tick")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert line.token_file.read_text().strip() not in done.stderr


def test_weather_after_a_claim_does_not_lose_the_run(line: GitHubFactory) -> None:
    line.file("The second to be claimed")
    number = line.file(label="implement")
    line.pass_(claiming=False)
    line.world.fail("rate_limited", operation="AddComment", at=2)  # the ledger of the second claim
    passed = line.pass_()
    assert [folder.order().issue for folder in passed.claimed] == [number]
    assert passed.claimed[0].alive()
    assert passed.heard.code == 75
    assert line.states(number) == {"implement", "working"}


def test_r18_weather_between_two_writes_is_finished_by_the_next_pass(line: GitHubFactory) -> None:
    number = line.file()
    line.world.fail("bad_gateway", operation="AddLabels", after=True)
    with pytest.raises(Unavailable):
        line.pass_()
    rest(line)
    line.pass_(claiming=False)
    assert line.states(number) == {"triage"}
    assert len([c for c in line.item(number)["comments"] if '"kind":"ledger"' in c["body"]]) == 1


def test_errors_are_of_the_class_that_says_what_to_do(line: GitHubFactory) -> None:
    line.file()
    for kind, expected in (
        ("rate_limited", RateLimited), ("bad_credentials", Unauthorized), ("drop", Unavailable),
    ):
        line.world.fail(kind)
        with pytest.raises(expected):
            line.pass_()
    line.world.set_role(REPO, BOT, "none")
    line.world.hub.repo(REPO).private = True
    with pytest.raises(NotFound):
        line.pass_()
