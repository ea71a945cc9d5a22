"""Verbs of git against real repositories: reading, writing, merging, fetching, pushing."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agentcells.forge import Remote
from agentcells.git import EMPTY_TREE, Entry, Git, GitError, Identity, PathDropped, blob_id
from agentcells.git_process import Call, cause_of, readable, run
from agentcells.model import Sha
from agentcells.sentences import say
from tests.git_world import PROOF, Folder, Link, Origin, Program, child, cleared, everyday, store

BRANCH = "agentcells/50"
NOBODY = Sha("0123456789" * 4)


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path / "forge")


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return store(tmp_path)


@pytest.fixture
def base(origin: Origin, git: Git) -> Sha:
    origin.commit({"a.txt": b"one\ntwo\nthree\n"}, "first")
    return git.fetch(origin.remote, ["main"])["main"]


# ---------------------------------------------------------------- the process


def test_r46_git_inherits_nothing(
    git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    evil = tmp_path / "evil.cfg"
    evil.write_text("[alias]\n\tversion = !touch /tmp/never\n[user]\n\tname = mallory\n")
    for name, value in {
        "GIT_CONFIG_GLOBAL": str(evil),
        "GIT_DIR": str(tmp_path),
        "HOME": str(tmp_path),
        "GIT_TRACE": str(tmp_path / "trace"),
        "https_proxy": "http://127.0.0.1:9",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "mallory",
    }.items():
        monkeypatch.setenv(name, value)
    out = run(Call(store=git.store, arguments=["config", "--get", "user.name"]), ok=(0, 1)).out
    assert out == b""
    assert not (tmp_path / "trace").exists()


def test_an_endless_git_is_ended_in_time_with_all_its_children(git: Git) -> None:
    began = time.monotonic()
    with pytest.raises(GitError) as caught:
        # The shell below git and its sleep must go too; git waits for both.
        run(
            Call(
                store=git.store,
                arguments=["nap"],
                settings=["alias.nap=!sleep 60 | sleep 60"],
                deadline_s=0.3,
            )
        )
    assert caught.value.cause == "timeout"
    assert caught.value.exit_code == 75
    assert time.monotonic() - began < 5


def test_output_is_bounded_by_an_error_not_by_a_cut(git: Git, base: Sha) -> None:
    with pytest.raises(GitError) as caught:
        run(Call(store=git.store, arguments=["cat-file", "-p", f"{base}:a.txt"]), limit=5)
    assert "5 bytes" in caught.value.detail


def test_what_the_other_side_writes_cannot_command_the_terminal() -> None:
    assert readable(b"remote: \x1b]0;owned\x07 hi\x1b[2J\r\nnext \xff") == (
        "remote:  ]0;owned  hi [2J \nnext �"
    )


@pytest.mark.parametrize(
    ("stderr", "cause"),
    [
        ("! [rejected] x -> y (stale info)", "rejected_stale"),
        ("!\tHEAD:refs/heads/x\t[rejected] (non-fast-forward)", "rejected_stale"),
        (
            "! [remote rejected] x (cannot lock ref 'refs/heads/x': is at a but expected b)",
            "rejected_stale",
        ),
        ("! [remote rejected] x (pre-receive hook declined)", "rejected_hook"),
        ("remote: error: GH006: Protected branch update failed", "rejected_hook"),
        ("fatal: Authentication failed for 'https://github.com/x/y.git/'", "auth"),
        ("fatal: could not read Username for 'https://x': terminal prompts disabled", "auth"),
        ("fatal: unable to access 'https://x/': The requested URL returned error: 403", "auth"),
        ("remote: Repository not found.\nfatal: repository 'https://x/' not found", "not_found"),
        ("fatal: couldn't find remote ref refs/heads/x", "not_found"),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", "network"),
        ("error: RPC failed; HTTP 502 curl 22 The requested URL returned error: 502", "network"),
        ("fatal: unable to access 'https://x/': server certificate verification failed", "network"),
        ("error: file write error: No space left on device", "disk"),
        ("error: object file objects/aa/bb is empty", "corrupt"),
        ("remote: aborting due to possible repository corruption on the remote side.\n"
         "fatal: protocol error: bad pack header", "corrupt"),
        ("fatal: refusing to merge unrelated histories", "conflict"),
        ("fatal: something nobody has seen", "other"),
    ],
)
def test_causes_tell_what_the_caller_can_do(stderr: str, cause: str) -> None:
    assert cause_of(stderr) == cause


def test_damage_on_the_other_side_is_told_as_such_and_in_one_line(git: Git, origin: Origin) -> None:
    origin.commit({"a.txt": b"one\n"}, "first")
    origin.commit({"a.txt": b"two\n"}, "second")
    for blob in sorted((Path(origin.remote.url) / "objects").glob("??/*")):
        blob.unlink()
    with pytest.raises(GitError) as caught:
        git.fetch(origin.remote, ["main"])
    told = say(caught.value.key, "en", **caught.value.slots)
    assert len(told.splitlines()) == 1
    assert "took too long" not in told
    assert "next tick tries again" not in told


@pytest.mark.parametrize(
    "cause",
    [
        "auth",
        "rejected_stale",
        "rejected_hook",
        "not_found",
        "network",
        "timeout",
        "disk",
        "corrupt",
        "conflict",
        "other",
    ],
)
def test_every_cause_has_a_sentence_in_both_languages(cause: str) -> None:
    error = GitError(cause, "push", "the reason")  # type: ignore[arg-type]
    assert say(error.key, "en", **error.slots) != say(error.key, "ja", **error.slots)


def test_without_git_the_sentence_says_what_to_install(
    git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from agentcells.git_process import program

    program.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    try:
        with pytest.raises(GitError) as caught:
            git.refs("refs/agentcells/")
        assert "2.38" in say(caught.value.key, **caught.value.slots)
    finally:
        program.cache_clear()


# ---------------------------------------------------------------- the store


def test_r41_the_store_is_private_and_its_configuration_ours_to_the_byte(git: Git) -> None:
    assert git.store.stat().st_mode & 0o777 == 0o700
    (git.store / "config").write_text("[core]\n\tbare = true\n\tfsmonitor = touch /tmp/x\n")
    git.init()
    assert "fsmonitor" not in (git.store / "config").read_text()
    assert not (git.store / "hooks").exists()


def test_a_throw_away_repository_reads_what_the_store_has(
    git: Git, base: Sha, tmp_path: Path
) -> None:
    other = Git(tmp_path / "dry.git")
    other.init()
    assert other.rev(base) is None
    other.borrow(git.store)
    assert other.entries(base) == git.entries(base)


def test_a_repository_that_was_half_made_is_made_whole(tmp_path: Path) -> None:
    """A disk that was full, or a power cut, in the middle of its making."""
    half = tmp_path / "half.git"
    half.mkdir()
    (half / "HEAD").write_text("ref: refs/heads/unborn\n")
    (half / "config.lock").touch()
    git = Git(half)
    git.init()
    content = b"whole\n"
    git.write_blobs({blob_id(content): content})
    assert dict(git.blobs([blob_id(content)])) == {blob_id(content): content}


def test_tidying_passes_over_what_goes_away_meanwhile(git: Git) -> None:
    """A run removes its own folders while another pass tidies."""
    (git.store / "tmp-gone").symlink_to("nowhere")  # listed, and not there when it is looked at
    git.tidy()


def test_tidying_keeps_what_a_run_may_still_need(
    git: Git, base: Sha, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentcells.git._LOOSE_OBJECTS", 500)
    sealed = child(git, base, {"b.txt": b"unpublished, in no ref\n"})
    loose = git.store / "objects" / sealed[:2] / sealed[2:]
    git.tidy()
    assert loose.exists()  # a few are left as they are
    many = [f"{number}\n".encode() for number in range(2_000)]
    git.write_blobs({blob_id(content): content for content in many})
    git.tidy()
    assert not loose.exists()
    assert git.rev(sealed) == sealed


# ---------------------------------------------------------------- reading and writing


def test_entries_give_every_path_with_mode_and_id(origin: Origin, git: Git) -> None:
    origin.commit(
        {
            "plain": b"",
            "dir/run.sh": Program(b"#!/bin/sh\n"),
            "link": Link("plain"),
            "sub": Folder(NOBODY),
            "new\nline": b"x",
            "日本/語": b"y",
            "-dash": b"z",
        }
    )
    tip = git.fetch(origin.remote, ["main"])["main"]
    entries = git.entries(tip)
    assert {path: entry.mode for path, entry in entries.items()} == {
        "plain": "100644",
        "dir/run.sh": "100755",
        "link": "120000",
        "sub": "160000",
        "new\nline": "100644",
        "日本/語": "100644",
        "-dash": "100644",
    }
    assert entries["plain"].sha == blob_id(b"")
    assert git.write_tree(entries) == git.tree(tip)


def test_blobs_come_raw_and_in_order(git: Git) -> None:
    contents = [b"", b"\0\xff\r\n" * 9, b"x" * 300_000, b"last"]
    git.write_blobs({blob_id(data): data for data in contents})
    asked = [blob_id(data) for data in contents] * 2
    assert list(git.blobs(asked)) == list(zip(asked, contents * 2, strict=True))
    assert git.sizes(asked)[asked[2]] == 300_000


def test_a_missing_blob_has_no_size_either(git: Git) -> None:
    with pytest.raises(GitError) as caught:
        git.sizes([Sha("1" * 40)])
    assert caught.value.cause == "corrupt"


def test_a_missing_blob_is_an_error_not_an_empty_file(git: Git) -> None:
    with pytest.raises(GitError) as caught:
        list(git.blobs([NOBODY]))
    assert caught.value.cause == "corrupt"


def test_r41_bytes_that_are_not_the_hashed_ones_are_never_stored_as_such(git: Git) -> None:
    with pytest.raises(GitError) as caught:
        git.write_blobs({blob_id(b"read"): b"written"})
    assert caught.value.cause == "corrupt"


@pytest.mark.parametrize("path", ["git~1/x", "a/.GIT/x", ".git./x", ".g\u200cit/x", "../x", "a//b"])
def test_r41_a_path_that_git_drops_in_silence_is_named(git: Git, path: str) -> None:
    git.write_blobs({blob_id(b"x"): b"x"})
    entry = Entry(mode="100644", sha=blob_id(b"x"))
    with pytest.raises(GitError) as caught:
        git.write_tree({"fine": entry, path: entry})
    if isinstance(caught.value, PathDropped):
        assert caught.value.path == path
        assert path in say(caught.value.key, **caught.value.slots)


def test_commits_carry_the_given_author_and_time_and_the_message_as_it_is(git: Git) -> None:
    message = "# a line that an editor would drop\n\nÜber 日本\n"
    when = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
    sha = git.commit_tree(
        EMPTY_TREE, [], message, author=Identity(name="alice", email="a@x"), when=when
    )
    (commit,) = git.commits(sha)
    assert (commit.message, commit.when, commit.parents) == (message, when, ())
    assert commit.author == Identity(name="alice", email="a@x")
    assert commit.committer.name == "agentcells"
    assert git.commit_tree(EMPTY_TREE, [], message, author=commit.author, when=when) == sha


def test_changes_between_trees_never_hide_a_path_behind_a_rename(
    git: Git, base: Sha, origin: Origin
) -> None:
    origin.commit(
        {"a.txt": None, "b.txt": b"one\ntwo\nthree\n", "c.bin": b"\0\1", "new\nline": b"1\n2\n"}
    )
    tip = git.fetch(origin.remote, ["main"])["main"]
    found = {delta.path: delta for delta in git.changed(base, tip)}
    assert set(found) == {"a.txt", "b.txt", "c.bin", "new\nline"}
    assert (found["a.txt"].old_mode, found["a.txt"].new_mode) == ("100644", "")
    assert (found["b.txt"].added, found["b.txt"].removed) == (3, 0)
    assert found["c.bin"].added is None
    assert git.patch(base, tip, ["new\nline"]).endswith(b"@@ -0,0 +1,2 @@\n+1\n+2\n")


def test_r45_the_gate_sees_each_commit_oldest_first_with_raw_contents(
    git: Git, base: Sha, origin: Origin
) -> None:
    first = child(git, base, {"a.txt": b"changed\n", "new.txt": b"new\n"}, "first")
    second = child(git, first, {"new.txt": b"newer\n"}, "second")
    origin.commit({"a.txt": b"one\ntwo\nthree\nfour\n", "other": b"o"}, "meanwhile")
    moved = git.fetch(origin.remote, ["main"])["main"]
    views = list(git.commit_views(second, [moved]))
    assert [view.message.strip() for view in views] == ["first", "second"]
    assert views[0].author == "agentcells <agentcells@localhost>"
    changed, added = views[0].files
    assert (changed.path, changed.old_content, changed.new_content) == (
        b"a.txt",
        b"one\ntwo\nthree\n",
        b"changed\n",
    )
    assert changed.known == (b"one\ntwo\nthree\nfour\n",)
    assert (added.old_mode, added.new_mode, added.old_content) == ("000000", "100644", None)


def test_r45_of_a_merge_only_what_differs_from_every_parent_is_new(
    git: Git, base: Sha, origin: Origin
) -> None:
    ours = child(git, base, {"ours": b"1", "both": b"ours\n"})
    origin.commit({"theirs": b"2", "both": b"theirs\n"})
    theirs = git.fetch(origin.remote, ["main"])["main"]
    entries = dict(git.entries(git.merge_tree(ours, theirs).tree))
    git.write_blobs({blob_id(b"settled\n"): b"settled\n"})
    entries["both"] = Entry(mode="100644", sha=blob_id(b"settled\n"))
    merged = git.commit_tree(git.write_tree(entries), [ours, theirs], "merge")
    *_, view = git.commit_views(merged, [theirs])
    assert [file.path for file in view.files] == [b"both"]
    assert b"theirs\n" in view.files[0].known


# ---------------------------------------------------------------- merging


def test_r44_a_clean_merge_is_a_tree_of_both(git: Git, base: Sha, origin: Origin) -> None:
    ours = child(git, base, {"ours.txt": b"1\n"})
    origin.commit({"theirs.txt": b"2\n"})
    theirs = git.fetch(origin.remote, ["main"])["main"]
    merge = git.merge_tree(ours, theirs)
    assert merge.conflicts == ()
    assert set(git.entries(merge.tree)) == {"a.txt", "ours.txt", "theirs.txt"}


def test_r44_a_conflict_still_is_a_tree_with_markers_in_words(
    git: Git, base: Sha, origin: Origin
) -> None:
    ours = child(git, base, {"a.txt": b"one\nOURS\nthree\n", "both\nadded": b"x\n"})
    origin.commit({"a.txt": b"one\nTHEIRS\nthree\n", "both\nadded": b"y\n"})
    theirs = git.fetch(origin.remote, ["main"])["main"]
    merge = git.merge_tree(ours, theirs)
    assert merge.kinds == (("a.txt", "both_changed"), ("both\nadded", "both_added"))
    ((_, text),) = git.blobs([git.entries(merge.tree)["a.txt"].sha])
    assert text == (b"one\n<<<<<<< this-work\nOURS\n=======\nTHEIRS\n>>>>>>> newer-state\nthree\n")
    assert not list(git.store.glob("tmp-*"))


def test_r44_removed_on_one_side_and_changed_on_the_other_is_a_conflict(
    git: Git, base: Sha, origin: Origin
) -> None:
    origin.commit({"a.txt": None})
    theirs = git.fetch(origin.remote, ["main"])["main"]
    merge = git.merge_tree(child(git, base, {"a.txt": b"changed\n"}), theirs)
    assert merge.kinds == (("a.txt", "removed_there"),)


def test_r44_a_commit_that_is_not_there_is_no_conflict(git: Git, base: Sha) -> None:
    with pytest.raises(GitError) as caught:
        git.merge_tree(base, NOBODY)
    assert caught.value.cause in ("not_found", "corrupt")


def test_r44_histories_without_a_common_past_are_told_apart(git: Git, base: Sha) -> None:
    with pytest.raises(GitError) as caught:
        git.merge_tree(base, git.commit_tree(EMPTY_TREE, [], "alone"))
    assert caught.value.cause == "conflict"


def test_r44_an_old_git_is_refused_with_the_remedy(
    git: Git, base: Sha, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agentcells.git._NEEDED", (99, 0))
    with pytest.raises(GitError) as caught:
        git.merge_tree(base, base)
    assert "2.38" in say(caught.value.key, **caught.value.slots)


# ---------------------------------------------------------------- fetching


def test_fetch_answers_only_what_is_there_now(git: Git, origin: Origin, base: Sha) -> None:
    origin.commit({"x": b"1"}, branch="agentcells/5", since=base)
    tips = git.fetch(origin.remote, ["main", "agentcells/5", "agentcells/6"])
    assert set(tips) == {"main", "agentcells/5"}
    everyday("update-ref", "-d", "refs/heads/agentcells/5", at=origin.bare)
    assert set(git.fetch(origin.remote, ["main", "agentcells/5"])) == {"main"}


def test_fetch_follows_a_branch_that_was_rewritten(git: Git, origin: Origin, base: Sha) -> None:
    everyday("checkout", "-q", "--orphan", "afresh", at=origin.clone)
    rewritten = origin.commit({"z": b"z"}, branch="main")
    assert git.fetch(origin.remote, ["main"]) == {"main": rewritten}
    assert rewritten != base


def test_fetch_takes_a_branch_where_a_folder_of_branches_was(
    git: Git, origin: Origin, base: Sha
) -> None:
    origin.commit({"x": b"1"}, branch="topic", since=base)
    git.fetch(origin.remote, ["topic"])
    everyday("update-ref", "-d", "refs/heads/topic", at=origin.bare)
    everyday("checkout", "-q", "-B", "main", at=origin.clone)
    everyday("branch", "-D", "topic", at=origin.clone)
    inner = origin.commit({"x": b"2"}, branch="topic/inner", since=base)
    assert git.fetch(origin.remote, ["topic/inner", "topic"]) == {"topic/inner": inner}


def test_fetch_of_an_empty_repository_is_empty(git: Git, origin: Origin) -> None:
    assert git.fetch(origin.remote, ["main"]) == {}


@pytest.mark.parametrize(
    "name",
    [
        "",
        "--upload-pack=x",
        "+main",
        "a:b",
        "a b",
        "a*",
        "a..b",
        "x.lock",
        "a@{1}",
        "/x",
        "a\nb",
        "main^",
    ],
)
def test_c14_a_branch_name_never_is_an_option_or_a_refspec(
    git: Git, origin: Origin, name: str
) -> None:
    with pytest.raises(GitError) as caught:
        git.fetch(origin.remote, [name])
    assert caught.value.key == "git_bad_name"


def test_objects_that_are_damaged_are_not_taken_in(git: Git, origin: Origin, base: Sha) -> None:
    evil = f"tree {EMPTY_TREE}\nauthor no date at all\ncommitter nor here\n\nx\n".encode()
    sha = everyday(
        "hash-object", "-t", "commit", "-w", "--literally", "--stdin", at=origin.bare, stdin=evil
    )
    (origin.bare / "refs" / "heads" / "evil").write_text(f"{sha}\n")
    with pytest.raises(GitError):
        git.fetch(origin.remote, ["evil"])
    assert git.rev(sha) is None


# ---------------------------------------------------------------- pushing


def test_r46_a_push_creates_the_branch_and_then_moves_it(
    git: Git, origin: Origin, base: Sha
) -> None:
    before = origin.refs()
    one = child(git, base, {"b": b"1"})
    two = child(git, one, {"b": b"2"})
    git.push(origin.remote, one, BRANCH, None, PROOF, cleared(one, base))
    git.push(origin.remote, two, BRANCH, one, PROOF, cleared(two, base))
    assert origin.refs() == {**before, f"refs/heads/{BRANCH}": two}


def test_r18_a_push_that_was_made_is_made_again_quietly(
    git: Git, origin: Origin, base: Sha
) -> None:
    one = child(git, base, {"b": b"1"})
    for _ in range(2):
        git.push(origin.remote, one, BRANCH, None, PROOF, cleared(one, base))
    assert origin.tip(BRANCH) == one


def test_r46_a_branch_that_exists_is_not_created_over(git: Git, origin: Origin, base: Sha) -> None:
    theirs = origin.commit({"b": b"human"}, branch=BRANCH, since=base)
    one = child(git, base, {"b": b"1"})
    with pytest.raises(GitError) as caught:
        git.push(origin.remote, one, BRANCH, None, PROOF, cleared(one, base))
    assert caught.value.cause == "rejected_stale"
    assert origin.tip(BRANCH) == theirs


def test_d11_a_branch_that_moved_or_went_away_is_left_alone(
    git: Git, origin: Origin, base: Sha
) -> None:
    one = child(git, base, {"b": b"1"})
    git.push(origin.remote, one, BRANCH, None, PROOF, cleared(one, base))
    two = child(git, one, {"b": b"2"})
    git.fetch(origin.remote, [BRANCH])
    everyday("fetch", "-q", "origin", at=origin.clone)
    moved = origin.commit({"b": b"human"}, branch=BRANCH, since=one)
    with pytest.raises(GitError) as caught:
        git.push(origin.remote, two, BRANCH, one, PROOF, cleared(two, base))
    assert caught.value.cause == "rejected_stale"
    assert origin.tip(BRANCH) == moved
    everyday("update-ref", "-d", f"refs/heads/{BRANCH}", at=origin.bare)
    with pytest.raises(GitError):
        git.push(origin.remote, two, BRANCH, one, PROOF, cleared(two, base))
    assert origin.tip(BRANCH) == ""


def test_r46_a_rewind_is_no_push_even_when_the_branch_is_where_we_expect_it(
    git: Git, origin: Origin, base: Sha
) -> None:
    one = child(git, base, {"b": b"1"})
    git.push(origin.remote, one, BRANCH, None, PROOF, cleared(one, base))
    sideways = child(git, base, {"b": b"other"})
    for back in (base, sideways):
        with pytest.raises(GitError) as caught:
            git.push(origin.remote, back, BRANCH, one, PROOF, cleared(back, base))
        assert caught.value.cause == "rejected_stale"
    assert origin.tip(BRANCH) == one


def test_r46_the_lease_holds_when_somebody_is_faster_than_our_look(
    git: Git, origin: Origin, base: Sha, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = child(git, base, {"b": b"1"})
    look = Git._remote_heads

    def look_then_lose(self: Git, remote: Remote, *names: str) -> dict[str, Sha]:
        seen = look(self, remote, *names)
        everyday("update-ref", f"refs/heads/{BRANCH}", base, at=origin.bare)
        return seen

    monkeypatch.setattr(Git, "_remote_heads", look_then_lose)
    with pytest.raises(GitError) as caught:
        git.push(origin.remote, one, BRANCH, None, PROOF, cleared(one, base))
    assert caught.value.cause == "rejected_stale"
    assert origin.tip(BRANCH) == base


@pytest.mark.parametrize(
    "ref",
    [
        "main",
        "agentcells",
        "agentcells/0",
        "agentcells/x",
        "agentcells/5-1",
        "agentcells/5:refs/heads/main",
        "refs/heads/agentcells/5",
        "+agentcells/5",
        "agentcells/5\n",
        "--delete",
        "agentcells/../main",
    ],
)
def test_c14_no_other_branch_is_ever_written(git: Git, origin: Origin, base: Sha, ref: str) -> None:
    before = origin.refs()
    one = child(git, base, {"b": b"1"})
    with pytest.raises(GitError) as caught:
        git.push(origin.remote, one, ref, None, PROOF, cleared(one, base))
    assert caught.value.key == "git_foreign_branch"
    assert origin.refs() == before


def test_r45_another_commit_than_the_cleared_one_is_never_pushed(
    git: Git, origin: Origin, base: Sha
) -> None:
    one = child(git, base, {"b": b"1"})
    with pytest.raises(AssertionError):
        git.push(origin.remote, one, BRANCH, None, PROOF, cleared(base, base))
    assert origin.tip(BRANCH) == ""


def test_d12_a_refusal_of_the_other_side_is_told_in_its_words(
    git: Git, origin: Origin, base: Sha
) -> None:
    hook = origin.bare / "hooks" / "pre-receive"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nprintf 'GH013: no \\033[31mway\\n' >&2\nexit 1\n")
    hook.chmod(0o755)
    one = child(git, base, {"b": b"1"})
    with pytest.raises(GitError) as caught:
        git.push(origin.remote, one, BRANCH, None, PROOF, cleared(one, base))
    assert caught.value.cause == "rejected_hook"
    assert "GH013: no  [31mway" in caught.value.detail
    assert "\x1b" not in caught.value.detail


def test_c11_replaced_objects_and_grafts_change_nothing_that_is_read(git: Git, base: Sha) -> None:
    good, evil = child(git, base, {"b": b"good"}), child(git, base, {"b": b"evil"})
    plain = dict(git.entries(evil))
    everyday("--git-dir", str(git.store), "update-ref", f"refs/replace/{evil}", good, at=Path("/"))
    (git.store / "info").mkdir(exist_ok=True)
    (git.store / "info" / "grafts").write_text(f"{evil}\n")
    assert git.entries(evil) == plain
    assert git.is_ancestor(base, evil)


def test_r40_kept_work_lies_under_refs_of_our_own(git: Git, base: Sha) -> None:
    git.update_ref("refs/agentcells/kept/r1", base)
    assert git.refs("refs/agentcells/kept/") == {"refs/agentcells/kept/r1": base}
    git.delete_ref("refs/agentcells/kept/r1")
    git.delete_ref("refs/agentcells/kept/r1")
    assert git.refs("refs/agentcells/kept/") == {}
    with pytest.raises(AssertionError):
        git.update_ref("refs/heads/main", base)


def test_authors_of_foreign_commits_are_named_once(git: Git, origin: Origin, base: Sha) -> None:
    origin.commit({"x": b"1"})
    origin.commit({"x": b"2"})
    tip = git.fetch(origin.remote, ["main"])["main"]
    assert git.authors_of(tip, base) == ("alice",)
    assert git.authors_of(base, base) == ()


def test_a_store_that_cannot_be_written_says_so(git: Git) -> None:
    (git.store / "objects").rename(git.store / "away")
    (git.store / "objects").write_text("a file where a folder should be")
    with pytest.raises(GitError) as caught:
        git.write_blobs({blob_id(b"x"): b"x"})
    assert caught.value.cause in ("disk", "corrupt")
