"""Tests of other rooms that try rows of the catalogue, where their names do not say so."""

from __future__ import annotations

ATTACKS: dict[str, str] = {
    "test_trust.py::test_r24_whose_label_it_is": "A01 A02 A03 A04 A08 A14",
    "test_trust.py::test_r25_the_text_approved_is_the_one_at_the_owners_label": "A18",
    "test_trust.py::test_r27_whose_words_these_are": "A12 A14",
    "test_choose.py::test_r22_every_no_has_its_reason_and_writes_nothing": "A01 A17",
    "test_github_odd.py::test_r24_a_ghosts_label_is_nobodys_order": "A14",
    "test_github_odd.py::test_r24_a_bot_that_labels_and_talks_is_no_owner": "A04 A14",
    "test_github_ticks.py::test_r23_the_token_of_a_third_account_reads_nothing_more": "A11",
    "test_claude.py::test_r37_the_model_is_offered_six_tools_and_no_project_settings": "B09",
    "test_claude.py::test_r37_bash_runs_the_door_and_nothing_that_changes_or_tells": "G05",
    "test_claude.py::test_r35_a_shell_that_may_do_anything_sees_and_reaches_nothing": "G01 G02",
    "test_claude_leftovers.py::test_r39_ten_leftovers_of_the_bash_tool_are_gone_at_the_end": "E01 E02",
    "test_github_odd.py::test_submodules_and_lfs_pointers_go_through_a_run_untouched": "C05 C13",
    "test_secret_texts.py::test_r45_a_comment_with_a_secret_goes_to_the_owner_without_it": "D05",
    "test_secret_texts.py::test_r45_a_title_that_tells_a_secret_is_not_made_a_pull_requests": "D05",
    "test_secret_texts.py::test_r45_the_last_door_refuses_whatever_text_comes": "D05",
    "test_supervisor.py::test_r39_nothing_that_the_agent_left_behind_is_alive_after_the_proof": "E01 E02",
    "test_supervisor.py::test_r39_an_agent_that_ignores_every_polite_signal_is_ended_by_the_clock": "E03",
    "test_github_tokens.py::test_no_process_of_a_run_has_the_token_and_its_result_is_published_all_the_same":
        "F01",
    "test_sandbox.py::test_r35_reads_are_an_allow_list": "G01",
    "test_sandbox.py::test_r35_nothing_of_the_host_can_be_reached": "E05 G02",
    "test_sandbox.py::test_r35_what_bubblewrap_says_becomes_a_reason_and_a_remedy": "G03",
    "test_sandbox.py::test_r35_the_canary_finds_a_sandbox_that_does_not_hold": "G03",
    "test_proxy.py::test_r38_from_inside_the_sandbox_the_api_is_reached_and_nothing_else": "G02",
    "test_github_ticks.py::test_r21_an_item_that_does_not_come_whole_is_left_alone_and_the_others_go_on": "I01",
    "test_github_reading.py::test_r21_a_null_is_never_taken_for_none": "I01",
    "test_github_reading.py::test_r21_pages_of_everything_are_read_to_the_end": "I02",
    "test_github_reading.py::test_r21_a_later_page_that_is_null_is_no_end": "I02",
    "test_github_odd.py::test_r27_the_owners_word_after_two_hundred_and_fifty_others_is_in_the_prompt": "I02",
    "test_github_ticks.py::test_r19_weather_ends_a_tick_with_75_and_says_when_to_go_on": "I03",
    "test_github_ticks.py::test_r18_weather_between_two_writes_is_finished_by_the_next_pass": "I03",
    "test_github_errors.py::test_r18_a_comment_is_never_sent_twice": "I03",
    "test_github_ticks.py::test_a_renamed_repository_is_one_clear_line": "I05",
    "test_github_ticks.py::test_r23_a_repository_that_took_over_a_name_is_not_worked_on": "I05",
    "stories/test_crashes.py::"
    "test_r15_killed_after_any_write_to_the_forge_the_next_tick_comes_to_the_same_end": "J01",
    "stories/test_crashes.py::"
    "test_r15_killed_after_any_step_of_its_own_the_next_tick_comes_to_the_same_end": "J01",
    "stories/test_killed.py::test_r17_whoever_is_killed_during_a_run_the_line_comes_to_its_end": "J01",
}

CONTROLS: dict[str, str] = {
    "test_sealed_attacks.py::test_the_traps_of_these_tests_do_spring": "C01 C02",
    "test_supervisor.py::test_r39_without_a_supervisor_all_five_would_live_on": "E01 E02",
    "test_claude_leftovers.py::test_r39_the_control_without_containment_they_live_on": "E01 E02",
}
