"""A person's own working copy as a history: states, records, sharing and taking in (R49)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentcells.history import Change, HistoryError, Refused, own_locks
from agentcells.history import checkout as checkout_room
from agentcells.history.checkout import PATCH_LIMIT, Checkout, OwnWorkRefused, find_root
from agentcells.history.own_git import OwnGitError
from agentcells.history.sealed import GateRefused
from agentcells.run import FileView, Finding
from tests.records_world import Desk, git, plain_home


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    plain_home(monkeypatch, tmp_path)
    return Desk(tmp_path)


def paths(changes: Sequence[Change]) -> list[str]:
    return [change.path for change in changes]


# ---------------------------------------------------------------- where the work stands


def test_clean_work_has_no_changes_and_nothing_to_share(desk: Desk) -> None:
    now = Checkout(desk.work).standing()
    assert (now.changes, now.unpublished, now.obstacle) == ((), 0, "")


def test_every_kind_of_change_is_told_with_its_counts(desk: Desk) -> None:
    desk.write({"src/rules.py": "LIVES = 5\nLEVELS = 9\n", "new.txt": "a\nb\nc", "x.log": "left out",
                "picture.bin": b"\x00\x01", "empty": ""})
    (desk.work / "README.md").unlink()
    by_path = {change.path: change for change in Checkout(desk.work).changes()}
    assert by_path == {
        "README.md": Change(path="README.md", kind="removed", added=0, removed=1),
        "empty": Change(path="empty", kind="added", added=0, removed=0),
        "new.txt": Change(path="new.txt", kind="added", added=3, removed=0),
        "picture.bin": Change(path="picture.bin", kind="added", added=None, removed=None),
        "src/rules.py": Change(path="src/rules.py", kind="changed", added=2, removed=1),
    }


def test_names_of_any_script_and_line_breaks_are_told_as_they_are(desk: Desk) -> None:
    odd = {"日本語.txt", "с пробелом", "two\nlines", '"quoted"\t\\', "-begins-with-a-dash", "é"}
    desk.write(dict.fromkeys(odd, "x\n"))
    checkout = Checkout(desk.work)
    assert set(paths(checkout.changes())) == odd
    text = checkout.diff(["日本語.txt"])
    assert text == "== 日本語.txt (added)\n@@ -0,0 +1,1 @@\n+x\n"
    checkout.record("Odd names")
    assert not checkout.changes()
    desk.write(dict.fromkeys(odd, "y\n"))
    assert set(paths(checkout.changes())) == odd
    assert checkout.diff(["two\nlines"]).startswith("== two\\nlines (changed)\n@@ -1 +1 @@\n-x\n+y\n")


def test_a_name_that_is_no_text_is_written_out(desk: Desk) -> None:
    (Path(os.fsdecode(os.fsencode(desk.work) + b"/caf\xe9"))).write_text("x")
    assert paths(Checkout(desk.work).changes()) == ["caf\\xe9"]


def test_a_renamed_file_is_a_removal_and_an_addition_and_a_new_mode_is_told(desk: Desk) -> None:
    git(desk.work, "mv", "README.md", "LIESMICH.md")
    (desk.work / "src/rules.py").chmod(0o755)
    assert [(c.path, c.kind) for c in Checkout(desk.work).changes()] == [
        ("LIESMICH.md", "added"), ("README.md", "removed"), ("src/rules.py", "mode")]


def test_a_new_project_without_a_record_is_readable_and_can_be_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_home(monkeypatch, tmp_path)
    git(tmp_path, "init", "-q", "--initial-branch=main", "fresh")
    (tmp_path / "fresh/a.txt").write_text("a\n")
    checkout = Checkout(tmp_path / "fresh")
    now = checkout.standing()
    assert (paths(now.changes), now.unpublished, now.obstacle) == (["a.txt"], None, "")
    assert checkout.records() == ()
    assert checkout.diff().startswith("== a.txt (added)")
    assert checkout.record("First").files == ("a.txt",)
    assert checkout.records()[0].message == "First"
    assert checkout.diff_of(checkout.records()[0].id).startswith("== a.txt (added)\n@@ -0,0 +1 @@\n+a\n")


def test_without_a_shared_place_the_number_of_unshared_records_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain_home(monkeypatch, tmp_path)
    checkout = Checkout(Desk(tmp_path, alone=True).work)
    assert checkout.standing().unpublished is None
    with pytest.raises(HistoryError, match="work_no_shared_place"):
        checkout.publish()


def test_reading_changes_nothing_on_the_disk(desk: Desk) -> None:
    desk.write({"src/rules.py": "LIVES = 4\n", "new": "x"})
    time.sleep(0.02)
    (desk.work / "README.md").touch()  # an ordinary look would now refresh git's list of files

    def state() -> list[tuple[str, int, int]]:
        return sorted((str(p), p.lstat().st_mtime_ns, p.lstat().st_size)
                      for p in desk.work.rglob("*"))

    before = state()
    checkout = Checkout(desk.work)
    for _ in range(2):
        checkout.standing()
        checkout.diff()
        checkout.records()
    assert state() == before


def test_a_line_without_a_name_and_an_unfinished_operation_stand_in_the_way(desk: Desk) -> None:
    checkout = Checkout(desk.work)
    git(desk.work, "checkout", "-q", "--detach")
    assert checkout.standing().obstacle == "no_line"
    desk.write({"a": "a"})
    for act in (lambda: checkout.record("x"), checkout.publish, checkout.update):
        with pytest.raises(OwnWorkRefused, match="work_no_line"):
            act()
    (desk.work / ".git/rebase-merge").mkdir()
    assert checkout.standing().obstacle == "unfinished"
    with pytest.raises(OwnWorkRefused, match="work_unfinished"):
        checkout.record("x")


def test_files_in_conflict_stand_in_the_way_and_are_named(desk: Desk) -> None:
    git(desk.work, "checkout", "-q", "-b", "other")
    desk.write({"src/rules.py": "LIVES = 1\n"})
    git(desk.work, "commit", "-qam", "one")
    git(desk.work, "checkout", "-q", "main")
    desk.write({"src/rules.py": "LIVES = 2\n"})
    git(desk.work, "commit", "-qam", "two")
    git(desk.work, "merge", "other", ok=False)
    checkout = Checkout(desk.work)
    now = checkout.standing()
    assert (now.obstacle, now.conflicts) == ("conflicts", ("src/rules.py",))
    assert "+<<<<<<<" in checkout.diff()
    picture = desk.picture()
    with pytest.raises(OwnWorkRefused, match="work_conflicts") as caught:
        checkout.record("x")
    assert caught.value.files == ("src/rules.py",)
    assert desk.picture() == picture


def test_the_root_is_found_from_a_subfolder_and_nowhere_else(desk: Desk, tmp_path: Path) -> None:
    assert find_root(desk.work / "src") == desk.work
    for elsewhere in (tmp_path / "home", tmp_path / "not there", desk.shared, desk.work / ".git"):
        with pytest.raises(HistoryError, match="work_no_project"):
            find_root(elsewhere)


def test_variables_that_would_lead_git_elsewhere_are_not_followed(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Desk(tmp_path, "other")
    monkeypatch.setenv("GIT_DIR", str(other.work / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.work))
    monkeypatch.setenv("GIT_TRACE", "1")
    desk.write({"mine": "x"})
    assert find_root(desk.work / "src") == desk.work
    assert paths(Checkout(desk.work).changes()) == ["mine"]


# ---------------------------------------------------------------- record


def test_a_record_takes_all_changes_keeps_the_words_and_links_the_issues(desk: Desk) -> None:
    desk.write({"src/rules.py": "LIVES = 5\n", "new.txt": "n\n", "x.log": "left out"})
    (desk.work / "README.md").unlink()
    words = "Give five lives\n\n# not a comment\n  indented, fixes #9 \n\nThanks: bob"
    record = Checkout(desk.work).record(words, [50, 123, 50])
    assert record.message == words
    assert record.issues == (50, 123)
    assert record.files == ("README.md", "new.txt", "src/rules.py")
    assert record.id.startswith("rec-")
    assert len(record.id) == 14
    stored = git(desk.work, "log", "-1", "--format=%B")
    assert stored == f"{words}\n\nIssue: #50\nIssue: #123"
    assert git(desk.work, "status", "--porcelain", "--ignored") == "!! x.log"
    assert git(desk.work, "log", "-1", "--format=%an") == "alice"


def test_nothing_to_record_is_no_success(desk: Desk) -> None:
    (desk.work / "README.md").touch()
    with pytest.raises(HistoryError, match="records_nothing"):
        Checkout(desk.work).record("x")
    for blank in ("", " \n\t"):
        with pytest.raises(HistoryError, match="records_no_message"):
            Checkout(desk.work).record(blank)


def test_a_hook_that_refuses_leaves_everything_as_it_was(desk: Desk) -> None:
    desk.write({"src/rules.py": "LIVES = 5\n", "chosen": "by the person\n", "new": "x\n"})
    git(desk.work, "add", "chosen")
    desk.hook("pre-commit", "echo CANARY no >&2; exit 1")
    picture = desk.picture()
    with pytest.raises(OwnGitError) as caught:
        Checkout(desk.work).record("x")
    assert caught.value.fault == "hook"
    assert "CANARY" in caught.value.detail
    assert "CANARY" not in str(caught.value)
    assert desk.picture() == picture
    assert not list((desk.work / ".git").glob("*index-*"))


def test_the_persons_hooks_run_and_may_add_to_the_record(desk: Desk) -> None:
    desk.hook("pre-commit", "date > stamp; git add stamp")
    desk.hook("commit-msg", 'echo "Checked: yes" >> "$1"')
    desk.write({"new": "x\n"})
    record = Checkout(desk.work).record("With hooks", [7])
    assert set(record.files) == {"new", "stamp"}
    assert not Checkout(desk.work).changes()


def test_what_the_gate_refuses_is_not_recorded(desk: Desk) -> None:
    seen: list[tuple[Sequence[FileView], str]] = []

    def inspect(files: Sequence[FileView], message: str) -> tuple[Finding, ...]:
        seen.append((files, message))
        return (Finding(rule="protected", path="README.md"),)

    desk.write({"README.md": "changed\n"})
    (desk.work / "src/rules.py").unlink()
    (desk.work / "link").symlink_to("README.md")
    picture = desk.picture()
    with pytest.raises(GateRefused):
        Checkout(desk.work, inspect).record("x", [4])
    assert desk.picture() == picture
    (files, message), = seen
    assert message == "x\n\nIssue: #4\n"
    assert [(f.path, f.old_mode, f.new_mode, f.old_content, f.new_content) for f in files] == [
        (b"README.md", "100644", "100644", b"a game\n", b"changed\n"),
        (b"link", "000000", "120000", None, b"README.md"),
        (b"src/rules.py", "100644", "000000", b"LIVES = 3\n", None),
    ]


def test_another_project_inside_is_refused_by_name(desk: Desk, tmp_path: Path) -> None:
    Desk(desk.work, "inner", alone=True)
    picture = desk.head()
    with pytest.raises(Refused, match="records_nested") as caught:
        Checkout(desk.work).record("x")
    assert caught.value.slots["path"] == "inner/"
    assert desk.head() == picture


def test_a_locked_list_of_files_is_busy_after_three_tries(desk: Desk) -> None:
    desk.write({"new": "x"})
    (desk.work / ".git/index.lock").touch()
    with pytest.raises(OwnGitError) as caught:
        Checkout(desk.work).record("x")
    assert caught.value.fault == "busy"
    (desk.work / ".git/index.lock").unlink()
    assert Checkout(desk.work).record("x").files == ("new",)


def test_a_lock_that_goes_away_meanwhile_is_waited_for(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_locks, "PAUSE_S", 2.0)
    desk.write({"new": "x"})
    lock = desk.work / ".git/index.lock"
    lock.touch()
    timer = threading.Timer(0.1, lock.unlink)
    timer.start()
    assert Checkout(desk.work).record("x").files == ("new",)
    timer.join()


def test_two_at_once_take_turns(desk: Desk) -> None:
    desk.hook("pre-commit", "sleep 0.2")
    answers: list[str] = []

    def one(name: str) -> None:
        (desk.work / name).write_text(name)
        try:
            answers.append(Checkout(desk.work).record(name).id)
        except HistoryError as error:
            answers.append(error.key)

    threads = [threading.Thread(target=one, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not Checkout(desk.work).changes()
    assert set(answers) - {a for a in answers if a.startswith("rec-")} <= {"records_nothing"}
    assert git(desk.work, "fsck", "--strict") == ""


def test_without_an_identity_the_person_is_told_to_give_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    git(desk.work, "config", "user.useConfigOnly", "true")
    desk.write({"new": "x"})
    with pytest.raises(OwnGitError) as caught:
        Checkout(desk.work).record("x")
    assert caught.value.fault == "identity"


# ---------------------------------------------------------------- differences and records


def test_differences_have_headers_of_our_own_and_never_gits(desk: Desk) -> None:
    desk.write({"src/rules.py": "LIVES = 5\n", "new": "diff --git a/x b/x\n", "pic": b"\0\1"})
    (desk.work / "README.md").unlink()
    text = Checkout(desk.work).diff()
    assert text == (
        "== README.md (removed)\n@@ -1 +0,0 @@\n-a game\n\n"
        "== src/rules.py (changed)\n@@ -1 +1 @@\n-LIVES = 3\n+LIVES = 5\n\n"
        "== new (added)\n@@ -0,0 +1,1 @@\n+diff --git a/x b/x\n\n"
        "== pic (added)\n(binary)\n"
    )


def test_a_huge_difference_is_cut_and_quick(desk: Desk) -> None:
    desk.write({"src/rules.py": "x = 1\n" * 3_000_000, "z-last": "z\n"})
    begun = time.monotonic()
    text = Checkout(desk.work).diff()
    assert len(text) <= PATCH_LIMIT + 200
    assert text.startswith("== src/rules.py (changed)")
    assert time.monotonic() - begun < 60


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside", "src/../../x"])
def test_a_path_outside_the_project_is_refused(desk: Desk, path: str) -> None:
    with pytest.raises(HistoryError, match="records_outside"):
        Checkout(desk.work).diff([path])


def test_an_unknown_path_is_said_to_be_unknown_and_an_unchanged_one_has_no_difference(desk: Desk) -> None:
    with pytest.raises(HistoryError, match="records_no_such_path"):
        Checkout(desk.work).diff(["--output=/tmp/x"])
    desk.write({"README.md": "changed\n", "new": "n\n"})
    assert Checkout(desk.work).diff(["src"]) == ""
    assert Checkout(desk.work).diff(["./new"]) == "== new (added)\n@@ -0,0 +1,1 @@\n+n\n"


def test_records_are_newest_first_and_found_again_by_their_id(desk: Desk) -> None:
    checkout = Checkout(desk.work)
    for number in (1, 2, 3):
        desk.write({"count": f"{number}\n"})
        checkout.record(f"Count {number}", [number])
    first, second, third = checkout.records(3)
    assert [r.message for r in (first, second, third)] == ["Count 3", "Count 2", "Count 1"]
    assert checkout.find(second.id) == second
    assert checkout.diff_of(second.id) == "== count (changed)\n@@ -1 +1 @@\n-1\n+2\n"
    for wrong in ("rec-0000000000", "HEAD", "rec-HEAD", first.id[4:], "--all"):
        with pytest.raises(HistoryError, match="work_no_record"):
            checkout.diff_of(wrong)


# ---------------------------------------------------------------- publish


def test_every_unshared_record_is_shared_and_again_is_nothing(desk: Desk) -> None:
    checkout = Checkout(desk.work)
    for name in ("a", "b"):
        desk.write({name: name})
        checkout.record(name)
    assert checkout.standing().unpublished == 2
    assert checkout.publish() == 2
    assert git(desk.shared, "rev-parse", "main") == desk.head()
    assert checkout.publish() == 0
    assert checkout.standing().unpublished == 0


def test_a_new_line_is_shared_under_its_own_name_without_being_told(desk: Desk) -> None:
    git(desk.work, "checkout", "-q", "-b", "fresh/idea", "--track", "origin/main")
    desk.write({"a": "a"})
    checkout = Checkout(desk.work)
    checkout.record("a")
    before = git(desk.shared, "rev-parse", "main")
    assert checkout.standing().unpublished == 1
    assert checkout.publish() == 1
    assert git(desk.shared, "rev-parse", "fresh/idea") == desk.head()
    assert git(desk.shared, "rev-parse", "main") == before
    assert checkout.standing().unpublished == 0


def test_unrecorded_work_is_never_left_behind_by_sharing(desk: Desk) -> None:
    desk.write({"a": "a"})
    with pytest.raises(HistoryError, match="work_unrecorded"):
        Checkout(desk.work).publish()


def test_when_others_shared_first_nothing_is_forced_and_the_next_look_says_so(desk: Desk) -> None:
    desk.colleague({"theirs": "x"})
    desk.write({"mine": "x"})
    checkout = Checkout(desk.work)
    checkout.record("mine")
    shared = git(desk.shared, "rev-parse", "main")
    with pytest.raises(OwnGitError) as caught:
        checkout.publish()
    assert caught.value.fault == "behind"
    assert git(desk.shared, "rev-parse", "main") == shared
    assert checkout.standing().obstacle == "shared_ahead"
    assert checkout.update() == 1
    assert checkout.standing().obstacle == ""
    assert checkout.publish() == 2  # the record, and the one that joins both
    assert git(desk.shared, "log", "--format=%s", "-1", "main") == "Take in what others shared"


def test_what_the_gate_refuses_is_not_shared(desk: Desk) -> None:
    desk.write({"a": "a"})
    Checkout(desk.work).record("a")
    asked: list[tuple[str, ...]] = []

    def inspect(tip: object, commits: object) -> tuple[Finding, ...]:
        asked.append(tuple(c.message for c in commits))  # type: ignore[attr-defined]
        return (Finding(rule="secret", path="a"),)

    with pytest.raises(GateRefused):
        Checkout(desk.work, inspect_push=inspect).publish()
    assert asked == [("a\n",)]
    assert Checkout(desk.work).standing().unpublished == 1


@pytest.mark.parametrize(("hook", "where", "fault"), [
    ("pre-push", "work", "hook"), ("pre-receive", "shared", "protected")])
def test_a_hook_here_or_there_can_refuse_to_share(desk: Desk, hook: str, where: str, fault: str) -> None:
    desk.write({"a": "a"})
    Checkout(desk.work).record("a")
    if where == "work":
        desk.hook(hook, "echo no; exit 1")
    else:
        path = desk.shared / "hooks" / hook
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)
    with pytest.raises(OwnGitError) as caught:
        Checkout(desk.work).publish()
    assert caught.value.fault == fault


@pytest.mark.parametrize(("address", "fault"), [
    ("/nowhere/game.git", "not_found"), ("https://127.0.0.1:1/x.git", "network"),
    ("ssh://no-such-host.invalid/x", "network")])
def test_a_shared_place_that_cannot_be_reached_is_told_as_such(desk: Desk, address: str, fault: str) -> None:
    desk.write({"a": "a"})
    checkout = Checkout(desk.work)
    checkout.record("a")
    git(desk.work, "remote", "set-url", "origin", address)
    for act in (checkout.publish, checkout.update):
        with pytest.raises(OwnGitError) as caught:
            act()
        assert caught.value.fault == fault, caught.value.detail


def test_a_git_that_hangs_is_ended_with_all_it_started(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write({"a": "a"})
    Checkout(desk.work).record("a")
    desk.hook("pre-push", "sleep 60 & echo $! > .git/sleeper; wait")
    checkout = Checkout(desk.work)
    monkeypatch.setattr(checkout_room, "PUSH_S", 3.0)
    with pytest.raises(OwnGitError) as caught:
        checkout.publish()
    assert caught.value.fault == "slow"
    pid = int((desk.work / ".git/sleeper").read_text())
    for _ in range(50):
        if not Path(f"/proc/{pid}/exe").exists():
            break
        time.sleep(0.02)
    else:
        state = Path(f"/proc/{pid}/stat").read_text().split()[2]
        assert state == "Z"


# ---------------------------------------------------------------- update


def test_what_others_shared_comes_in_beside_unrecorded_work(desk: Desk) -> None:
    desk.colleague({"theirs": "x"})
    desk.write({"mine": "unrecorded"})
    checkout = Checkout(desk.work)
    assert checkout.update() == 1
    assert (desk.work / "theirs").read_text() == "x"
    assert paths(checkout.changes()) == ["mine"]
    assert checkout.update() == 0


@pytest.mark.parametrize("mine", ["theirs", "src/rules.py"])
def test_unrecorded_work_that_would_be_touched_stops_it(desk: Desk, mine: str) -> None:
    desk.colleague({mine: "their version\n"})
    desk.write({mine: "my version\n"})
    picture = desk.picture()
    with pytest.raises(OwnWorkRefused, match="work_overlap") as caught:
        Checkout(desk.work).update()
    assert caught.value.files == (mine,)
    assert desk.picture() == picture


def test_two_versions_of_one_file_stop_it_with_everything_as_before(desk: Desk) -> None:
    desk.colleague({"src/rules.py": "LIVES = 1\n"})
    desk.write({"src/rules.py": "LIVES = 2\n"})
    checkout = Checkout(desk.work)
    checkout.record("two")
    desk.write({"also": "unrecorded"})
    picture = desk.picture()
    with pytest.raises(OwnWorkRefused, match="work_both_changed") as caught:
        checkout.update()
    assert caught.value.files == ("src/rules.py",)
    assert desk.picture() == picture
    assert checkout.standing().obstacle == "shared_ahead"


def test_a_line_that_follows_another_takes_that_one_in(desk: Desk) -> None:
    git(desk.work, "checkout", "-q", "-b", "idea", "--track", "origin/main")
    desk.colleague({"theirs": "x"})
    assert Checkout(desk.work).update() == 1
    assert (desk.work / "theirs").exists()


def test_in_a_second_folder_of_the_same_project_everything_works(desk: Desk, tmp_path: Path) -> None:
    git(desk.work, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    (tmp_path / "side/a").write_text("a")
    checkout = Checkout(tmp_path / "side")
    assert checkout.record("a").files == ("a",)
    assert checkout.publish() == 1
    assert git(desk.shared, "rev-parse", "side") == git(tmp_path / "side", "rev-parse", "HEAD")
