"""The embedded forge beyond the contract: several processes, crashes, damage, merges by hand."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentcells.forge import (
    Forbidden,
    ForgeError,
    NotFound,
    Partial,
    Stale,
    Unauthorized,
    Unavailable,
    local_store,
)
from agentcells.forge.closing import closing_numbers
from agentcells.forge.local import LocalForge
from agentcells.forge.local_desk import Verdict
from agentcells.model import Check, CheckState, Item, Problem, Sha
from agentcells.sentences import SENTENCES, say
from agentcells.wire import to_json

REPO = "alice/game"


def git(*argv: str, cwd: Path) -> str:
    who = ["-c", "user.name=alice", "-c", "user.email=alice@example.invalid"]
    env = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(["git", *who, *argv], cwd=cwd, env=env, check=True, capture_output=True,
                          encoding="utf-8")
    return done.stdout.strip()


class Place:
    """A forge folder and a person's clone of it, both of this test alone."""

    def __init__(self, root: Path) -> None:
        self.root = root / "forge"
        self.alice = LocalForge.create(self.root, "alice", [REPO], bot="cells")
        self.alice.add_account("bob")
        self.cells = LocalForge(self.root, "cells")
        self.bob = LocalForge(self.root, "bob")
        self.bare = Path(self.alice.remote(REPO).url)
        self.clone = root / "clone"
        git("init", "-q", "--initial-branch=main", str(self.clone), cwd=root)

    def commit(self, branch: str, name: str, text: str, onto: str = "") -> Sha:
        if onto:
            git("checkout", "-q", "-B", branch, onto, cwd=self.clone)
        (self.clone / name).write_text(text)
        git("add", "-A", cwd=self.clone)
        git("commit", "-q", "-m", f"Write {name}", cwd=self.clone)
        git("push", "-q", str(self.bare), f"+HEAD:refs/heads/{branch}", cwd=self.clone)
        return Sha(git("rev-parse", "HEAD", cwd=self.clone))

    def issue(self, **kwargs: str) -> Item:
        number = self.alice.create_issue(
            REPO, kwargs.get("title", "A ball"), kwargs.get("body", ""), [], [])
        return self.alice.read(REPO, number)

    def pull(self, body: str = "") -> Item:
        self.commit("main", "README.md", "a game\n")
        self.commit("agentcells/1", "ball.txt", "bounce\n", onto="main")
        return self.cells.read(
            REPO, self.cells.open_pull(REPO, "agentcells/1", "main", "Bounce", body))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def head(item: Item) -> Sha:
    assert item.pull is not None
    return item.pull.head_sha


# ---------------------------------------------------------------- several processes


def _comment_many(root: Path, login: str, number: int, count: int) -> None:
    forge = LocalForge(root, login)
    item = forge.read(REPO, number)
    for n in range(count):
        forge.comment(item, f"{login} {n}")
        forge.create_issue(REPO, f"{login} {n}", "", [], [])


def test_three_processes_that_write_at_once_lose_nothing(place: Place) -> None:
    number = place.issue().number
    fresh = multiprocessing.get_context("spawn")
    writers = [fresh.Process(target=_comment_many, args=(place.root, login, number, 20))
               for login in ("alice", "bob", "cells")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    item = place.alice.read(REPO, number)
    assert sorted(c.body for c in item.comments) == sorted(
        f"{login} {n}" for login in ("alice", "bob", "cells") for n in range(20))
    assert len({c.id for c in item.comments}) == 60
    assert [c.created_at for c in item.comments] == sorted({c.created_at for c in item.comments})
    rows = place.alice.listing(REPO).rows
    assert {row.number for row in rows} == set(range(1, 62))


def test_a_writer_killed_at_any_moment_leaves_whole_files(place: Place) -> None:
    item = place.issue()
    code = ("import sys; from pathlib import Path; from agentcells.forge.local import LocalForge\n"
            "f = LocalForge(Path(sys.argv[1]), 'bob'); i = f.read('alice/game', 1)\n"
            "print('go', flush=True)\n"
            "while True: f.comment(i, 'x' * 50_000)")
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", code, str(place.root)],
                                  stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(0.05)
        writer.send_signal(signal.SIGKILL)
        writer.wait(30)
        writer.stdout.close()
        assert {len(c.body) for c in place.alice.read(REPO, item.number).comments} <= {50_000}
    place.alice.comment(item, "still works")
    assert place.alice.read(REPO, item.number).comments[-1].body == "still works"


def test_a_lock_that_is_never_let_go_is_told_and_not_waited_for(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_store, "LOCK_WAIT_S", 0.05)
    with place.alice._store.locked(), pytest.raises(Unavailable) as caught:
        place.bob.viewer()
    assert (caught.value.key, caught.value.exit_code) == ("local_busy", 75)


# ---------------------------------------------------------------- time


def test_times_are_never_equal_even_when_the_clock_stands_still(tmp_path: Path) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    forge = LocalForge.create(tmp_path, "alice", [REPO], clock=lambda: noon)
    forge.create_label(REPO, "bug", "ff0000", "")
    item = forge.read(REPO, forge.create_issue(REPO, "T", "", ["bug"], [forge.viewer()]))
    first, second = forge.comment(item, "1"), forge.comment(item, "2")
    times = [item.created_at, *(e.at for e in item.events), first.created_at, second.created_at]
    assert times == sorted(set(times))
    assert max(times) - noon < timedelta(milliseconds=1)


def test_a_clock_that_goes_back_does_not_turn_the_order_round(tmp_path: Path) -> None:
    now = [datetime(2026, 3, 1, 12, tzinfo=UTC)]
    forge = LocalForge.create(tmp_path, "alice", [REPO], clock=lambda: now[0])
    item = forge.read(REPO, forge.create_issue(REPO, "T", "", [], []))
    mark = forge.listing(REPO).mark
    now[0] -= timedelta(days=1)
    assert forge.comment(item, "later").created_at > item.created_at
    assert forge.clock() > item.created_at
    assert [row.number for row in forge.listing(REPO, mark).rows] == [item.number]


def test_a_mark_this_forge_never_gave_leaves_nothing_out(place: Place) -> None:
    first, second = place.issue(), place.issue()
    place.alice.close(first)
    future = (datetime.now(UTC) + timedelta(days=400)).isoformat()
    for mark in ("rubbish", "2026-01-01", future):
        rows = place.alice.listing(REPO, mark).rows
        assert {row.number for row in rows} == {first.number, second.number}


# ---------------------------------------------------------------- people with their own git


def test_a_merge_by_hand_is_seen_and_closes_the_issue(place: Place) -> None:
    issue = place.issue()
    pull = place.pull(f"Fixes #{issue.number}")
    git("checkout", "-q", "main", cwd=place.clone)
    git("merge", "-q", "--no-ff", "-m", "Merge it", "agentcells/1", cwd=place.clone)
    git("push", "-q", str(place.bare), "main", cwd=place.clone)
    rows = {row.number: row for row in place.cells.listing(REPO, "all of them").rows}
    assert (rows[pull.number].state, rows[issue.number].state) == ("merged", "closed")
    merged = place.cells.read(REPO, pull.number)
    assert merged.pull is not None
    assert merged.pull.merge_sha == git("rev-parse", "main", cwd=place.clone)
    assert [e.kind for e in merged.events] == ["merged", "closed"]


def test_a_forge_killed_between_merging_and_writing_it_down_heals(
        place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    issue = place.issue()
    pull = place.pull(f"Closes #{issue.number}")
    with monkeypatch.context() as patch:
        patch.setattr(LocalForge, "_land", lambda *_: sys.exit("killed here"))
        with pytest.raises(SystemExit):
            place.cells.merge(pull, head(pull))
    assert place.cells.branch(REPO, "main") != git("rev-parse", "main", cwd=place.clone)
    healed = place.cells.read(REPO, pull.number)
    assert healed.pull is not None
    assert healed.state == "merged"
    assert healed.pull.merge_sha == place.cells.branch(REPO, "main")
    assert place.cells.read(REPO, issue.number).state == "closed"


def test_a_branch_deleted_by_a_push_closes_its_pull_request(place: Place) -> None:
    pull = place.pull()
    git("push", "-q", str(place.bare), ":agentcells/1", cwd=place.clone)
    assert place.cells.read(REPO, pull.number).state == "closed"


def test_a_branch_with_an_odd_line_end_in_its_name_is_one_branch(place: Place) -> None:
    pull = place.pull()
    git("push", "-q", str(place.bare), "main:refs/heads/a\u2028b", cwd=place.clone)
    assert place.cells.read(REPO, pull.number).state == "open"


def test_a_branch_set_back_to_the_base_closes_its_pull_request(place: Place) -> None:
    pull = place.pull()
    git("push", "-q", "--force", str(place.bare), "main:agentcells/1", cwd=place.clone)
    assert place.cells.read(REPO, pull.number).state == "closed"


def test_deleting_the_branch_of_an_open_pull_request_closes_it_in_the_name_of_who_did(
        place: Place) -> None:
    pull = place.pull()
    place.bob.delete_branch(REPO, "agentcells/1")
    item = place.cells.read(REPO, pull.number)
    assert item.state == "closed"
    assert item.events[-1].actor == place.bob.viewer()


def test_the_default_branch_is_not_deleted(place: Place) -> None:
    place.pull()
    with pytest.raises(Forbidden):
        place.alice.delete_branch(REPO, "main")


def test_a_merge_commit_has_both_parents_and_the_name_of_who_merged(place: Place) -> None:
    pull = place.pull()
    before = place.cells.branch(REPO, "main")
    merged = place.bob.merge(pull, head(pull))
    shown = git("log", "-1", "--format=%P%n%an%n%s%n%b", merged, cwd=place.bare)
    assert shown.splitlines() == [
        f"{before} {head(pull)}", "bob", f"Merge pull request #{pull.number} from agentcells/1",
        "Bounce"]


def test_a_merge_into_another_branch_than_the_default_closes_no_issue(place: Place) -> None:
    issue = place.issue()
    place.commit("main", "README.md", "a game\n")
    place.commit("next", "NEXT.md", "next\n", onto="main")
    place.commit("feature", "ball.txt", "bounce\n", onto="next")
    number = place.cells.open_pull(REPO, "feature", "next", "B", f"Closes #{issue.number}")
    pull = place.cells.read(REPO, number)
    place.cells.merge(pull, head(pull))
    assert place.cells.read(REPO, issue.number).state == "open"


def test_histories_without_a_common_past_do_not_merge(place: Place) -> None:
    place.commit("main", "README.md", "a game\n")
    git("checkout", "-q", "--orphan", "stranger", cwd=place.clone)
    place.commit("stranger", "other.txt", "x\n")
    pull = place.cells.read(REPO, place.cells.open_pull(REPO, "stranger", "main", "S", ""))
    assert pull.pull is not None
    assert pull.pull.mergeable is False
    with pytest.raises(Stale):
        place.cells.merge(pull, head(pull))


def test_nothing_of_the_callers_environment_or_hooks_reaches_git(
        place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pull = place.pull()
    hooks = place.bare / "hooks"
    hooks.mkdir()
    hook = hooks / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hook-ran\n")
    hook.chmod(0o755)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "mallory")
    merged = place.cells.merge(pull, head(pull))
    monkeypatch.delenv("GIT_DIR")
    assert git("log", "-1", "--format=%an", merged, cwd=place.bare) == "cells"
    assert not (tmp_path / "hook-ran").exists()


def test_the_pushers_are_known_only_for_the_head_they_were_told_of(place: Place) -> None:
    pull = place.pull()
    for _ in range(2):
        place.alice.record_push(pull)
    facts = place.cells.read(REPO, pull.number).pull
    assert facts is not None
    assert facts.pushers == (place.alice.viewer(),)
    place.commit("agentcells/1", "ball.txt", "higher\n")
    facts = place.cells.read(REPO, pull.number).pull
    assert facts is not None
    assert facts.pushers == ()


# ---------------------------------------------------------------- what people do at the desk


def test_nobody_approves_his_own_pull_request_but_may_comment(place: Place) -> None:
    pull = place.pull()
    verdicts: tuple[Verdict, ...] = ("approved", "changes_requested")
    for verdict in verdicts:
        with pytest.raises(Forbidden):
            place.cells.review(pull, verdict, "")
    place.cells.review(pull, "commented", "A word about it")
    place.alice.review(pull, "approved")
    found = place.cells.read(REPO, pull.number).comments
    assert [(c.kind, c.verdict) for c in found] == [("review", "commented"), ("review", "approved")]


def test_a_resolved_thread_stays_resolved_when_answered(place: Place) -> None:
    pull = place.pull()
    thread = place.alice.start_thread(pull, "ball.txt", 1, "Why?").thread_id
    place.alice.resolve_thread(pull, thread)
    place.cells.reply(pull, thread, "Because.")
    assert [c.resolved for c in place.cells.read(REPO, pull.number).comments] == [True, True]
    place.alice.resolve_thread(pull, thread, resolved=False)
    assert [c.resolved for c in place.cells.read(REPO, pull.number).comments] == [False, False]
    with pytest.raises(NotFound):
        place.alice.resolve_thread(pull, "none")


def test_mail_transfer_and_waiting_are_written_down(place: Place) -> None:
    first, second = place.issue(), place.issue()
    assert place.alice.comment_by_email(first, "by mail").by_email
    place.bob.mark_transferred(first)
    place.alice.block(first, [second.number])
    item = place.cells.read(REPO, first.number)
    assert [c.by_email for c in item.comments] == [True]
    assert [(e.kind, e.actor) for e in item.events] == [("transferred", place.bob.viewer())]
    assert item.blocked_by == (second.number,)
    place.alice.close(second)
    assert place.cells.read(REPO, first.number).blocked_by == ()
    with pytest.raises(NotFound):
        place.alice.block(first, [99])


def test_unassigning_twice_is_unassigning_once(place: Place) -> None:
    item = place.issue()
    bob = place.bob.viewer()
    place.alice.assign(item, [bob])
    for _ in range(2):
        place.alice.unassign(item, [bob])
    item = place.alice.read(REPO, item.number)
    assert item.assignees == ()
    assert [e.kind for e in item.events] == ["assigned", "unassigned"]


def test_a_merged_pull_request_cannot_be_opened_again_but_an_open_one_stays_open(
        place: Place) -> None:
    pull = place.pull()
    place.alice.reopen(pull)
    assert place.alice.read(REPO, pull.number).events == ()
    place.alice.merge(pull, head(pull))
    with pytest.raises(Stale):
        place.alice.reopen(pull)


def test_a_check_reported_again_replaces_the_earlier_result(place: Place) -> None:
    pull = place.pull()
    states: tuple[CheckState, ...] = ("pending", "failure", "success")
    for state in states:
        place.alice.set_checks(pull, [Check(name="build", state=state)])
    facts = place.alice.read(REPO, pull.number).pull
    assert facts is not None
    assert facts.checks == "success"
    place.alice.set_checks(pull, [Check(name="build", state="failure")], sha=Sha("0" * 40))
    facts = place.alice.read(REPO, pull.number).pull
    assert facts is not None
    assert facts.checks == "success"


def test_an_edit_that_changes_nothing_leaves_no_trace(place: Place) -> None:
    item = place.issue(title="T", body="B")
    note = place.alice.comment(item, "same")
    before = place.alice.read(REPO, item.number)
    place.alice.edit_issue(item, "T", "B")
    place.alice.edit_comment(item, note.id, "same")
    place.alice.delete_comment(item, "no such comment")
    assert place.alice.read(REPO, item.number) == before


def test_a_freed_login_given_to_somebody_else_is_somebody_else(place: Place) -> None:
    item = place.issue()
    place.bob.comment(item, "I was bob")
    old = place.bob.viewer()
    place.bob.rename_account("bob", "robert")
    assert place.bob.viewer().login == "robert"
    new = place.alice.add_account("bob")
    assert new.id != old.id
    (comment,) = place.alice.read(REPO, item.number).comments
    assert comment.author is not None
    assert (comment.author.id, comment.author.login) == (old.id, "robert")


def test_labels_never_differ_by_case_alone(place: Place) -> None:
    made = place.alice.create_label(REPO, "ac:Review", "ededed", "")
    assert place.alice.create_label(REPO, "AC:review", "ededed", "") == made
    item = place.issue()
    place.alice.add_labels(item, ["ac:review"])
    assert [x.name for x in place.alice.read(REPO, item.number).labels] == ["ac:Review"]
    place.alice.rename_label(REPO, "ac:review", "ac:review")
    place.alice.create_label(REPO, "other", "ededed", "")
    with pytest.raises(ForgeError):
        place.alice.rename_label(REPO, "other", "AC:REVIEW")


# ---------------------------------------------------------------- setting up, and what is wrong


def test_creating_twice_changes_nothing(place: Place) -> None:
    assert LocalForge.exists(place.root)
    item = place.issue()
    with pytest.raises(ForgeError) as caught:
        LocalForge.create(place.root, "mallory", [REPO])
    assert caught.value.key == "local_exists"
    assert place.alice.read(REPO, item.number) == item


def test_one_more_repository_is_empty_and_apart(place: Place) -> None:
    place.issue()
    facts = place.alice.add_repository("alice/music")
    assert place.alice.add_repository("alice/music") == facts
    assert facts.empty
    assert facts.id != place.alice.repository(REPO).id
    assert place.alice.listing("alice/music").rows == ()
    assert place.alice.create_issue("alice/music", "First", "", [], []) == 1


def test_a_repository_without_its_main_line_is_empty_for_the_factory(place: Place) -> None:
    """Nothing can start from a branch that is not there, whatever else stands beside it."""
    place.commit("main", "README.md", "a game\n")
    assert not place.alice.repository(REPO).empty
    git("branch", "-m", "main", "trunk", cwd=place.bare)
    assert place.alice.repository(REPO).empty


def test_a_forge_made_anew_in_the_same_folder_is_another_one(place: Place) -> None:
    """It has the same numbers, and nothing that was known of the old ones holds for it."""
    place.issue()
    mark = place.alice.listing(REPO).mark
    assert not place.alice.listing(REPO, mark).afresh
    shutil.rmtree(place.root)
    anew = LocalForge.create(place.root, "alice", [REPO])
    anew.create_issue(REPO, "Another first", "", [], [])
    listing = anew.listing(REPO, mark)
    assert listing.afresh
    assert [row.title for row in listing.rows] == ["Another first"]
    assert not anew.listing(REPO, listing.mark).afresh


def test_an_empty_repository_says_so_when_a_pull_request_is_opened(place: Place) -> None:
    assert place.alice.repository(REPO).empty
    assert place.alice.branches(REPO, "") == ()
    with pytest.raises(ForgeError) as caught:
        place.cells.open_pull(REPO, "agentcells/1", "main", "T", "")
    assert caught.value.key == "local_empty"


def _no_bare(place: Place) -> None:
    place.bare.rename(place.bare.with_name("gone"))
    place.alice.repository(REPO)


def _damaged_item(place: Place) -> None:
    path = place.root / "repos" / "alice" / "game" / f"{place.issue().number}.json"
    path.write_bytes(path.read_bytes()[:-20])
    place.alice.listing(REPO)


def _damaged_book(place: Place) -> None:
    (place.root / "forge.json").write_text("{}}")
    place.alice.viewer()


def _newer_format(place: Place) -> None:
    path = place.root / "forge.json"
    path.write_text(to_json(json.loads(path.read_text()) | {"format": 99}))
    place.alice.viewer()


def _folder_in_the_way(place: Place) -> None:
    (place.root / "lock").unlink()
    (place.root / "lock").mkdir()
    place.alice.viewer()


WRONG: dict[str, tuple[type[Problem], Callable[[Place], object]]] = {
    "local_missing": (ForgeError, lambda p: LocalForge(p.root / "nowhere", "alice").viewer()),
    "local_no_git": (ForgeError, _no_bare),
    "local_damaged": (Partial, _damaged_item),
    "local_damaged ": (Partial, _damaged_book),
    "local_newer": (ForgeError, _newer_format),
    "local_io": (ForgeError, _folder_in_the_way),
    "local_no_account": (Unauthorized, lambda p: LocalForge(p.root, "nobody").viewer()),
    "local_no_account ": (NotFound, lambda p: p.alice.rename_account("nobody", "somebody")),
    "local_no_account  ": (Unauthorized, lambda p: LocalForge(p.root, "nobody").create_issue(
        REPO, "T", "", [], [])),
    "local_login_taken": (ForgeError, lambda p: p.alice.add_account("Bob")),
    "local_bad_login": (ForgeError, lambda p: p.alice.add_account("../bob")),
    "local_bad_name": (ForgeError, lambda p: p.alice.add_repository("alice/../../etc")),
    "local_bad_name ": (ForgeError, lambda p: p.alice.add_repository("alice/game.git")),
    "local_no_repo": (NotFound, lambda p: p.alice.read("alice/chess", 1)),
    "local_no_item": (NotFound, lambda p: p.alice.read(REPO, 7)),
    "local_not_pull": (ForgeError, lambda p: p.alice.merge(p.issue(), Sha("0" * 40))),
    "local_no_branch": (NotFound, lambda p: (p.pull(), p.alice.open_pull(
        REPO, "nope", "main", "T", ""))),
    "local_bad_title": (ForgeError, lambda p: p.alice.create_issue(REPO, "two\nlines", "", [], [])),
    "local_bad_title ": (ForgeError, lambda p: p.alice.edit_issue(p.issue(), "  ", None)),
    "local_bad_text": (ForgeError, lambda p: p.alice.comment(p.issue(), "half \ud83d")),
    "local_no_comment": (NotFound, lambda p: p.alice.edit_comment(p.issue(), "none", "x")),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_in_a_sentence(place: Place, name: str) -> None:
    kind, do = WRONG[name]
    with pytest.raises(Problem) as caught:
        do(place)
    assert type(caught.value) is kind
    assert caught.value.key == name.strip()
    for language in ("en", "ja"):
        assert say(caught.value.key, language, **caught.value.slots)


def test_a_refused_write_leaves_no_issue_behind(place: Place) -> None:
    with pytest.raises(NotFound):
        place.alice.create_issue(REPO, "T", "", ["no such label"], [])
    assert place.alice.listing(REPO).rows == ()
    assert place.alice.create_issue(REPO, "T", "", [], []) == 1


def test_a_lost_clock_file_costs_nothing(place: Place) -> None:
    item = place.issue()
    (place.root / "clock").write_text("")
    assert place.alice.comment(item, "on").created_at > item.created_at


@pytest.mark.parametrize(("body", "numbers"), [
    ("Closes #3", (3,)),
    ("closes: #3 and Fixes #4, resolved #3", (3, 4)),
    ("This discloses #3; prefix-fixes #4; see #5", ()),
    ("Closes alice/game#7 and fixes bob/other#8", (7,)),
    ("Fixes #12abc, closes #0", ()),
    ("close\n#9", (9,)),
    ("閉じます: closes #6。", (6,)),
])
def test_closing_words(body: str, numbers: tuple[int, ...]) -> None:
    assert closing_numbers(body, REPO) == numbers


def test_every_sentence_of_this_room_has_both_languages() -> None:
    ours = {key: both for key, both in SENTENCES.items() if key.startswith(("local_", "issue_"))}
    assert len(ours) > 40
    assert all(english and japanese for english, japanese in ours.values())
