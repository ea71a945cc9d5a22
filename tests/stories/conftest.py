"""Each story is told on the embedded forge and on a loopback GitHub, and its world looked over at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.invariants import sound
from tests.stage import Stage

Build = Callable[..., Stage]


# Told on GitHub in the quick run too, once for each kind of story; the others there in `make soak`.
ON_GITHUB = frozenset({
    "test_review_sends_back_to_implement_on_the_same_branch_with_its_words_in_the_prompt",
    "test_r11_an_issue_closed_by_hand_stops_its_open_pull_request_and_touches_nothing_else",
    "test_r14_a_comment_on_the_pull_request_while_implement_runs_on_the_issue_is_read_next",
    "test_r9_a_pull_request_closed_unmerged_and_the_issue_labelled_again_starts_afresh",
    "test_r31_opened_again_after_its_rounds_were_used_it_starts_with_fresh_rounds",
    "test_r6_a_question_is_answered_by_editing_the_body",
    "test_r6_an_answer_within_the_second_of_the_question_is_heard",
    "test_r11_the_owner_merges_and_everything_is_tidied",
    "test_r1_with_the_owners_own_token_the_whole_line_runs_the_same",
    "test_r7_words_in_review_may_be_answered_and_the_pair_returns_where_it_was",
    "test_r7_hold_and_stop_take_the_labels_off_without_a_model_and_resume_puts_them_back",
    "test_r26_the_owner_takes_the_label_off_during_a_run_nothing_is_published_and_the_work_is_kept",
    "test_r1_a_label_on_the_wrong_member_means_the_pair",
    "test_r4_a_second_label_stops_everything_once_and_taking_either_off_goes_on",
    "test_r30_the_owner_deletes_the_book_and_his_label_starts_a_new_one",
    "test_r24_a_collaborators_label_in_the_middle_of_the_chain_stops_it",
    "test_r24_the_owner_deletes_our_last_comment_and_the_line_goes_on",
    "test_r25_text_changed_by_another_after_the_label_stops_it_once_and_ok_approves_it",
    "test_r27_a_comment_of_the_owner_that_a_collaborator_edited_is_no_instruction",
    "test_r30_a_book_that_a_collaborator_edited_is_worth_nothing",
    "test_r27_a_reply_by_mail_is_asked_for_once_more_on_the_page",
    "test_r32_the_weather_is_no_round_moves_no_label_and_says_nothing",
    "test_r33_three_failures_in_a_row_go_to_the_human_with_the_reason",
    "test_r18_an_outage_in_the_middle_of_publishing_is_finished_without_another_run",
    "test_r33_a_push_that_is_always_refused_is_tried_three_times_and_then_the_human_is_asked",
    "test_r44_a_conflict_is_settled_by_the_next_run_from_files_with_markers",
    "test_r44_commits_during_a_run_are_kept_merged_and_named",
    "test_r46_a_push_between_fetch_and_push_is_never_overwritten",
    "test_r45_what_the_gate_refuses_is_never_pushed_the_rest_is_kept_and_the_human_is_asked_once",
})


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A story costs some two seconds there."""
    told: set[str] = set()
    for item in items:
        if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
            continue
        if item.callspec.params.get("world") == "github":
            if item.originalname not in ON_GITHUB - told:
                item.add_marker("slow")
            told.add(item.originalname)


@pytest.fixture(params=["local", "github"])
def world(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def build(tmp_path: Path, world: str) -> Iterator[Build]:
    """Makes factories; what must hold of every one of them is asked at the end."""
    made: list[Stage] = []

    def one(**how: Any) -> Stage:
        made.append(Stage(tmp_path / f"w{len(made)}", **{"world": world, **how}))
        return made[-1]

    yield one
    try:
        for stage in made:
            sound(stage)
    finally:
        for stage in made:
            stage.people.stop()


@pytest.fixture
def stage(build: Build) -> Stage:
    return build()
