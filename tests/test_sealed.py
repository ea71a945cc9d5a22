"""Plain files out, raw files in: what a run's history keeps, records and shows."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentcells.git import Entry, Git, blob_id, records_ref, tree_id
from agentcells.history import HistoryError, Refused
from agentcells.history.kept import keep, put_away, take_in, take_over
from agentcells.history.layout import lay_out
from agentcells.history.sealed import GateRefused, Sealed
from agentcells.model import Sha
from agentcells.run import FileView, Finding
from agentcells.sentences import say
from tests.git_world import Content, Folder, Link, Origin, Program, child, store

NOBODY = "0123456789" * 4
FAST = "/dev/shm" if Path("/dev/shm").is_dir() else None  # many small worlds
WHEN = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


@dataclass
class World:
    """A repository on a forge, the CLI's copy of it, and the workspace of one run."""

    root: Path
    origin: Origin
    git: Git
    start: Sha

    @property
    def work(self) -> Path:
        return self.root / "work"

    def sealed(self, **choices: object) -> Sealed:
        choices.setdefault("clock", lambda: WHEN)
        return Sealed(self.git, self.work, self.start, self.start, **choices)  # type: ignore[arg-type]

    def begin(self, **choices: object) -> Sealed:
        sealed = self.sealed(**choices)
        sealed.materialise()
        return sealed

    def next(self, files: dict[str, Content]) -> Sha:
        self.origin.commit(files)
        return self.git.fetch(self.origin.remote, ["main"])["main"]


BASE: dict[str, Content] = {
    "README.md": b"# game\n\none\ntwo\n",
    "src/main.py": b"print('hi')\n",
    "run.sh": Program(b"#!/bin/sh\n"),
    "AGENTS.md": b"rules\n",
    "CLAUDE.md": Link("AGENTS.md"),
    ".gitignore": b"*.o\nbuild/\n!keep.o\n",
    "empty": b"",
    "data.bin": b"\0\xff\r\n\x1a",
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    return new_world(tmp_path, BASE)


def new_world(root: Path, files: dict[str, Content]) -> World:
    origin, git = Origin(root / "forge"), store(root)
    origin.commit(files)
    return World(root, origin, git, git.fetch(origin.remote, ["main"])["main"])


# ---------------------------------------------------------------- out


def test_r36_the_workspace_is_plain_files_without_metadata(world: World) -> None:
    world.begin()
    found = sorted(str(path.relative_to(world.work)) for path in world.work.rglob("*"))
    assert found == [
        ".gitignore",
        "AGENTS.md",
        "CLAUDE.md",
        "README.md",
        "data.bin",
        "empty",
        "run.sh",
        "src",
        "src/main.py",
    ]
    assert (world.work / "data.bin").read_bytes() == b"\0\xff\r\n\x1a"
    assert (world.work / "CLAUDE.md").readlink() == Path("AGENTS.md")
    assert (world.work / "run.sh").stat().st_mode & 0o777 == 0o755


def test_r41_attributes_of_the_repository_change_no_byte_either_way(world: World) -> None:
    world.start = world.next(
        {
            ".gitattributes": b"*.txt eol=crlf\n*.id ident\n*.u16 working-tree-encoding=UTF-16\n"
            b"secret export-ignore\n",
            "a.txt": b"one\ntwo\n",
            "x.id": b"$Id$\n",
            "y.u16": "plain\n".encode("utf-16"),
            "secret": b"s\n",
        }
    )
    sealed = world.begin()
    assert (world.work / "a.txt").read_bytes() == b"one\ntwo\n"
    assert (world.work / "x.id").read_bytes() == b"$Id$\n"
    assert (world.work / "secret").exists()
    assert sealed.changes() == ()
    (world.work / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    sealed.record("line ends")
    assert (
        dict(world.git.blobs([world.git.entries(sealed.tip)["a.txt"].sha])).popitem()[1]
        == b"one\r\ntwo\r\n"
    )


def test_a_workspace_that_is_not_empty_is_left_alone(world: World) -> None:
    world.work.mkdir()
    (world.work / "mine").write_text("x")
    with pytest.raises(HistoryError) as caught:
        world.begin()
    assert caught.value.key == "records_not_empty"
    assert [path.name for path in world.work.iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["..", ".git", ".GIT", "git~1", "."])
def test_c09_a_tree_that_would_leave_the_workspace_is_not_written_out(
    world: World, name: str
) -> None:
    world.git.write_blobs({blob_id(b"x"): b"x"})
    # mktree of git itself checks no names: this is what a hostile server can send.
    from tests.git_world import everyday

    inner = everyday(
        "--git-dir",
        str(world.git.store),
        "mktree",
        at=world.root,
        stdin=f"100644 blob {blob_id(b'x')}\tevil\n".encode(),
    )
    tree = everyday(
        "--git-dir",
        str(world.git.store),
        "mktree",
        at=world.root,
        stdin=f"040000 tree {inner}\t{name}\n".encode(),
    )
    with pytest.raises(HistoryError) as caught:
        lay_out(world.git, tree, world.work)
    assert caught.value.key == "records_unsafe_name"
    assert not world.work.exists()
    assert not (world.root / "evil").exists()


# ---------------------------------------------------------------- in


def test_r42_everything_that_changed_is_in_the_record_and_nothing_else(world: World) -> None:
    sealed = world.begin()
    (world.work / "README.md").write_bytes(b"# game\n\none\nTWO\n")
    (world.work / "src/new.py").write_bytes(b"x\ny\n")
    (world.work / "empty").unlink()
    (world.work / "src/main.py").chmod(0o755)
    (world.work / "noise.o").write_bytes(b"ignored")
    (world.work / "build").mkdir()
    (world.work / "build/out").write_bytes(b"ignored")
    changes = {c.path: (c.kind, c.added, c.removed) for c in sealed.changes()}
    assert changes == {
        "README.md": ("changed", 1, 1),
        "src/new.py": ("added", 2, 0),
        "empty": ("removed", 0, 0),
        "src/main.py": ("mode", 0, 0),
    }
    record = sealed.record("Say two\n\nlouder", [50])
    assert record.id.startswith("rec-")
    assert len(record.id) == 14
    assert (record.message, record.issues) == ("Say two\n\nlouder", (50,))
    assert set(record.files) == set(changes)
    assert sealed.changes() == ()
    assert sealed.unpublished() == 1
    (commit,) = world.git.commits(sealed.tip, [world.start])
    assert commit.message == "Say two\n\nlouder\n\nIssue: #50\n"
    assert (commit.parents, commit.when) == ((world.start,), WHEN)
    entries = world.git.entries(sealed.tip)
    assert entries["CLAUDE.md"].mode == "120000"
    assert entries["src/main.py"].mode == "100755"


def test_r42_hashes_decide_not_times(world: World) -> None:
    sealed = world.begin()
    path = world.work / "README.md"
    before = path.stat()
    path.write_bytes(b"# GAME\n\none\ntwo\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [change.path for change in sealed.changes()] == ["README.md"]
    path.write_bytes(b"# game\n\none\ntwo\n")
    assert sealed.changes() == ()


def test_c10_ignore_rules_of_the_agent_hide_nothing(world: World) -> None:
    sealed = world.begin()
    (world.work / ".gitignore").write_bytes(b"*\n")
    (world.work / "src/.gitignore").write_bytes(b"*\n")
    (world.work / "src/evil.py").write_bytes(b"evil\n")
    (world.work / "noise.o").write_bytes(b"left out by the base")
    (world.work / "keep.o").write_bytes(b"asked for by the base")
    assert [change.path for change in sealed.changes()] == [
        ".gitignore",
        "keep.o",
        "src/.gitignore",
        "src/evil.py",
    ]


def test_r42_a_tracked_file_is_taken_in_although_a_rule_names_it(tmp_path: Path) -> None:
    world = new_world(
        tmp_path, {".gitignore": b"build/\n*.log\n", "build/keep.txt": b"1", "a.log": b"1"}
    )
    sealed = world.begin()
    (world.work / "build/keep.txt").write_bytes(b"2")
    (world.work / "build/new.txt").write_bytes(b"left out")
    (world.work / "a.log").unlink()
    sealed.record("both")
    (world.work / "a.log").write_bytes(b"3")  # gone in the record, but it was tracked at the start
    sealed.record("back again")
    assert set(world.git.entries(sealed.tip)) == {".gitignore", "build/keep.txt", "a.log"}


def test_r42_rules_are_those_of_the_base_even_when_the_branch_changed_them(world: World) -> None:
    branch = child(world.git, world.start, {".gitignore": b"*.py\n"})
    sealed = Sealed(world.git, world.work, branch, world.start)
    sealed.materialise()
    (world.work / "new.py").write_bytes(b"x")
    (world.work / "new.o").write_bytes(b"x")
    assert [change.path for change in sealed.changes()] == ["new.py"]


def test_r42_nested_rules_and_their_exceptions_are_gits_own(tmp_path: Path) -> None:
    world = new_world(
        tmp_path,
        {
            ".gitignore": b"\xef\xbb\xbf*.tmp\n/only-here\nlogs/**/x\n\\#odd\ntrail\\ \n"
            b"[[:digit:]]d\nqux\\\n!\n",
            "deep/.gitignore": b"!*.tmp\nlocal\n",
            "deep/f": b"1",
        },
    )
    sealed = world.begin()
    for name in (
        "a.tmp",
        "deep/a.tmp",
        "only-here",
        "deep/only-here",
        "logs/1/2/x",
        "logs/y",
        "#odd",
        "trail ",
        "1d",
        "xd",
        "deep/local",
        "local",
        ":(glob)*",
        ":!x",
        "!bang",
    ):
        (world.work / name).parent.mkdir(parents=True, exist_ok=True)
        (world.work / name).write_bytes(b"x")
    assert {change.path for change in sealed.changes()} == {
        "deep/a.tmp",
        "deep/only-here",
        "logs/y",
        "xd",
        "local",
        ":(glob)*",
        ":!x",
        "!bang",
    }


def test_r37_what_lies_under_keep_is_never_imported_and_never_removed(world: World) -> None:
    world.start = world.next({"vendor/tracked": b"1"})
    sealed = world.begin(keep=("node_modules/", "./vendor"))
    (world.work / "node_modules/x").mkdir(parents=True)
    (world.work / "node_modules/x/evil").symlink_to("/etc/passwd")
    (world.work / "vendor/tracked").unlink()
    (world.work / "vendor/new").write_bytes(b"2")
    assert sealed.changes() == ()
    with pytest.raises(HistoryError) as caught:
        sealed.remove(["node_modules/x"])
    assert caught.value.key == "records_untouchable"


def test_file_and_folder_can_change_places(world: World) -> None:
    sealed = world.begin()
    (world.work / "empty").unlink()
    (world.work / "empty").mkdir()
    (world.work / "empty/inner").write_bytes(b"x")
    (world.work / "src/main.py").unlink()
    (world.work / "src").rmdir()
    (world.work / "src").write_bytes(b"now a file")
    sealed.record("swap")
    entries = world.git.entries(sealed.tip)
    assert {"empty/inner", "src"} <= set(entries)
    assert "src/main.py" not in entries


def test_r43_links_that_were_there_stay_and_claude_md_keeps_working(world: World) -> None:
    sealed = world.begin()
    (world.work / "AGENTS.md").write_bytes(b"new rules\n")
    assert (world.work / "CLAUDE.md").read_bytes() == b"new rules\n"
    sealed.record("rules")
    assert [change.path for change in sealed.changes()] == []
    (world.work / "CLAUDE.md").unlink()
    (world.work / "CLAUDE.md").write_bytes(b"a file of its own\n")
    sealed.record("no link any more")
    assert world.git.entries(sealed.tip)["CLAUDE.md"].mode == "100644"
    assert "-AGENTS.md" not in sealed.diff()


def test_r43_a_link_on_the_list_is_taken_in_by_its_exact_path(world: World) -> None:
    sealed = world.begin(allow_links=("docs/latest",))
    (world.work / "docs").mkdir()
    (world.work / "docs/latest").symlink_to("../README.md")
    sealed.record("allowed")
    assert world.git.entries(sealed.tip)["docs/latest"].mode == "120000"
    (world.work / "docs/later").symlink_to("../README.md")
    with pytest.raises(Refused) as caught:
        sealed.record("not allowed")
    assert caught.value.slots["path"] == "docs/later"


def test_r43_a_submodule_is_an_empty_folder_and_stays_as_it_was(world: World) -> None:
    world.start = world.next({"sub": Folder(NOBODY)})
    sealed = world.begin()
    assert list((world.work / "sub").iterdir()) == []
    (world.work / "README.md").write_bytes(b"x")
    (world.work / "sub").rmdir()
    sealed.record("beside it")
    assert world.git.entries(sealed.tip)["sub"] == Entry(mode="160000", sha=Sha(NOBODY))
    (world.work / "sub").mkdir()
    (world.work / "sub/file").write_bytes(b"x")
    with pytest.raises(Refused) as caught:
        sealed.record("inside it")
    assert caught.value.key == "records_submodule"


def test_old_file_modes_of_early_projects_are_no_change(world: World) -> None:
    from tests.git_world import everyday

    world.git.write_blobs({blob_id(b"x\n"): b"x\n"})
    tree = everyday(
        "--git-dir",
        str(world.git.store),
        "hash-object",
        "-t",
        "tree",
        "-w",
        "--literally",
        "--stdin",
        at=world.root,
        stdin=b"100664 old\0" + bytes.fromhex(blob_id(b"x\n")),
    )
    world.start = world.git.commit_tree(tree, [], "old")
    sealed = world.begin()
    assert sealed.changes() == ()
    assert sealed.tree_now() == tree


# ---------------------------------------------------------------- records


def test_nothing_to_record_says_so_and_changes_nothing(world: World) -> None:
    sealed = world.begin()
    with pytest.raises(HistoryError) as caught:
        sealed.record("nothing")
    assert caught.value.key == "records_nothing"
    assert sealed.tip == world.start
    assert sealed.seal("the rest") == world.start


def test_r42_what_was_not_recorded_is_sealed_into_one_more_record(world: World) -> None:
    sealed = world.begin()
    (world.work / "a").write_bytes(b"1")
    first = sealed.record("one")
    (world.work / "b").write_bytes(b"2")
    assert sealed.seal("Work on #50 that was not recorded", [50]) == sealed.tip
    newest, older, oldest = sealed.records()
    assert older.id == first.id
    assert (newest.message, newest.files) == ("Work on # 50 that was not recorded", ("b",))
    assert oldest.message == "change"
    assert [record.id for record in sealed.records(sealed.unpublished() or 0)] == [
        newest.id,
        older.id,
    ]


def test_r8_the_tree_now_is_the_tree_that_a_record_would_have(world: World) -> None:
    sealed = world.begin()
    assert sealed.tree_now() == world.git.tree(world.start)
    (world.work / "z").write_bytes(b"1")
    (world.work / "z-a").write_bytes(b"1")
    (world.work / "z.d").mkdir()
    (world.work / "z.d/f").write_bytes(b"1")
    before = sealed.tree_now()
    assert before != world.git.tree(world.start)
    sealed.record("z")
    assert world.git.tree(sealed.tip) == before == sealed.tree_now()


def test_r40_the_gate_is_asked_and_its_refusal_records_nothing(world: World) -> None:
    asked: list[tuple[Sequence[FileView], str]] = []

    def gate(files: Sequence[FileView], message: str) -> tuple[Finding, ...]:
        asked.append((files, message))
        return (Finding(rule="secret", path="src/key.py"), Finding(rule="protected", path="x"))

    sealed = world.begin(inspect=gate)
    (world.work / "src/key.py").write_bytes(b"sk-secret\n")
    (world.work / "empty").unlink()
    with pytest.raises(GateRefused) as caught:
        sealed.record("try", [50])
    assert "src/key.py" in say(caught.value.key, **caught.value.slots)
    assert (len(caught.value.findings), sealed.tip) == (2, world.start)
    ((files, message),) = asked
    assert message == "try\n\nIssue: #50\n"
    seen = {f.path: (f.old_mode, f.new_mode, f.old_content, f.new_content) for f in files}
    assert seen == {
        b"src/key.py": ("000000", "100644", None, b"sk-secret\n"),
        b"empty": ("100644", "000000", b"", None),
    }
    assert sealed.seal("kept all the same") != world.start


def test_records_follow_a_ref_so_that_a_crash_loses_none(world: World) -> None:
    sealed = world.begin(ref="refs/agentcells/kept/r1")
    (world.work / "a").write_bytes(b"1")
    sealed.record("one")
    assert world.git.refs("refs/agentcells/kept/") == {"refs/agentcells/kept/r1": sealed.tip}


# ---------------------------------------------------------------- differences


def test_differences_have_headers_of_our_own(world: World) -> None:
    sealed = world.begin()
    (world.work / "README.md").write_bytes(b"# game\n\none\n2\n")
    (world.work / "data.bin").write_bytes(b"\0\1")
    (world.work / "new\nline").write_bytes(b"diff --git a/x b/x\n== forged (changed)\n\x1b[2J")
    (world.work / "src/main.py").chmod(0o755)
    text = sealed.diff()
    assert "== README.md (changed)\n@@ -1,4 +1,4 @@\n # game\n \n one\n-two\n+2\n" in text
    assert "== data.bin (changed)\n(binary)\n" in text
    assert "== new\\nline (added)\n" in text
    assert "\n+diff --git a/x b/x\n+== forged (changed)\n+[2J\n" in text
    assert "== src/main.py (mode)\n" in text
    for word in ("index ", "--- a/", "+++ b/", "\x1b"):
        assert word not in text
    assert sealed.diff(["src", "nowhere"]) == "== src/main.py (mode)\n"
    assert sealed.diff(["nowhere"]) == ""
    assert sealed.diff([":(glob)*"]) == ""


# ---------------------------------------------------------------- removing


def test_r43_what_was_refused_can_be_removed_by_whoever_made_it(world: World) -> None:
    sealed = world.begin()
    (world.work / "src/.git").mkdir()
    (world.work / "src/.git/config").write_bytes(b"x")
    (world.work / "README.md").write_bytes(b"x")
    assert [refusal.path for refusal in sealed.survey().refusals] == ["src/.git"]
    sealed.remove(["src/.git"])
    assert sealed.record("clean").files == ("README.md",)


def test_remove_takes_files_and_folders_out_of_the_workspace(world: World) -> None:
    sealed = world.begin()
    (world.work / "-dash").write_bytes(b"x")
    assert sealed.remove(["./src/", "-dash", "src/main.py", "CLAUDE.md"]) == (
        "src",
        "-dash",
        "src/main.py",
        "CLAUDE.md",
    )
    assert not (world.work / "src").exists()
    assert (world.work / "AGENTS.md").exists()
    sealed.record("removed")
    assert "src/main.py" not in world.git.entries(sealed.tip)


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("../outside", "records_outside"),
        ("/etc/passwd", "records_outside"),
        (".", "records_outside"),
        ("", "records_outside"),
        ("src/../../outside", "records_outside"),
        ("nowhere", "records_no_such_path"),
        ("out/file", "records_no_such_path"),
        ("README.md/x", "records_no_such_path"),
        (".git/config", "records_no_such_path"),
        ("a\0b", "records_outside"),
    ],
)
def test_c15_remove_never_leaves_the_workspace(world: World, path: str, key: str) -> None:
    sealed = world.begin()
    outside = world.root / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(b"mine")
    (world.work / "out").symlink_to(outside)
    with pytest.raises(HistoryError) as caught:
        sealed.remove(["README.md", path])
    assert caught.value.key == key
    assert (world.work / "README.md").exists()
    assert (outside / "file").read_bytes() == b"mine"


def test_c15_removing_a_link_removes_the_link_alone(world: World) -> None:
    sealed = world.begin()
    outside = world.root / "outside"
    outside.mkdir()
    (outside / "file").write_bytes(b"mine")
    (world.work / "folder").mkdir()
    (world.work / "folder/link").symlink_to(outside)
    sealed.remove(["folder"])
    assert (outside / "file").exists()
    assert not (world.work / "folder").exists()


# ---------------------------------------------------------------- conflicts and kept work


def conflicted(world: World) -> tuple[Sealed, Sha]:
    ours = child(world.git, world.start, {"README.md": b"# game\n\none\nOURS\n", "ours": b"1"})
    theirs = world.next({"README.md": b"# game\n\none\nTHEIRS\n", "theirs": b"2"})
    merge = world.git.merge_tree(ours, theirs)
    sealed = Sealed(
        world.git,
        world.work,
        ours,
        world.start,
        conflicts=merge.conflicts,
        merging=theirs,
    )
    sealed.materialise(merge.tree)
    return sealed, theirs


def test_r44_a_conflict_is_recorded_only_when_no_marker_is_left(world: World) -> None:
    sealed, theirs = conflicted(world)
    assert b"<<<<<<< this-work\n" in (world.work / "README.md").read_bytes()
    assert sealed.unresolved() == ("README.md",)
    with pytest.raises(HistoryError) as caught:
        sealed.record("not yet")
    assert caught.value.key == "records_markers_left"
    (world.work / "README.md").write_bytes(b"# game\n\none\nBOTH\n=======\n")
    assert sealed.unresolved() == ()
    ours = sealed.tip
    sealed.record("both")
    (commit,) = world.git.commits(sealed.tip, limit=1)
    assert commit.parents == (ours, theirs)
    (world.work / "more").write_bytes(b"x")
    sealed.record("more")
    (commit,) = world.git.commits(sealed.tip, limit=1)
    assert len(commit.parents) == 1
    assert world.git.is_ancestor(theirs, sealed.tip)


def test_r44_the_seal_of_an_unresolved_conflict_is_no_merge(world: World) -> None:
    sealed, theirs = conflicted(world)
    sealed.seal("left behind")
    assert not world.git.is_ancestor(theirs, sealed.tip)


def test_r44_our_own_version_alone_may_be_the_answer(world: World) -> None:
    sealed, theirs = conflicted(world)
    (world.work / "README.md").write_bytes(b"# game\n\none\nOURS\n")
    (world.work / "theirs").unlink()
    sealed.record("ours it is")
    assert world.git.is_ancestor(theirs, sealed.tip)


def test_r40_kept_work_is_taken_over_as_files_onto_a_moved_tip(world: World) -> None:
    first = world.begin()
    (world.work / "feature").write_bytes(b"kept\n")
    (world.work / "secret").write_bytes(b"refused by the gate\n")
    (world.work / "README.md").write_bytes(b"refused too\n")
    ref = keep(world.git, "r1", first.seal("not published"))
    kept = world.git.rev(ref)
    assert kept is not None
    world.start = world.next({"meanwhile": b"1"})
    merge = take_over(world.git, kept, world.start, ["secret", "README.md"])
    assert merge.conflicts == ()
    world.root = world.root / "second"
    sealed = world.sealed()
    sealed.materialise(merge.tree)
    assert (world.work / "meanwhile").exists()
    assert [(change.path, change.kind) for change in sealed.changes()] == [("feature", "added")]
    sealed.record("taken over")
    assert not world.git.is_ancestor(kept, sealed.tip)


def test_r40_kept_work_that_conflicts_with_the_tip_names_both_sides(world: World) -> None:
    kept = child(world.git, world.start, {"README.md": b"# game\n\none\nKEPT\n"})
    tip = world.next({"README.md": b"# game\n\none\nTIP\n"})
    merge = take_over(world.git, kept, tip)
    assert merge.conflicts == ("README.md",)
    ((_, text),) = world.git.blobs([world.git.entries(merge.tree)["README.md"].sha])
    assert b"<<<<<<< present-state\nTIP\n=======\nKEPT\n>>>>>>> earlier-work\n" in text


def test_r40_kept_work_on_the_same_tip_is_taken_as_it_is(world: World) -> None:
    kept = child(world.git, world.start, {"x": b"1"})
    assert take_over(world.git, kept, world.start).tree == world.git.tree(kept)


def test_r44_kept_work_meets_a_moved_base_and_the_run_settles_it(world: World) -> None:
    kept = child(world.git, world.start, {"README.md": b"# game\n\none\nKEPT\n"})
    newer = world.next({"README.md": b"# game\n\none\nNEWER\n", "more": b"1"})
    tree = take_over(world.git, kept, world.start).tree
    merge = take_in(world.git, world.start, tree, newer)
    assert merge.conflicts == ("README.md",)
    sealed = world.sealed(conflicts=merge.conflicts, merging=newer)
    sealed.materialise(merge.tree)
    (world.work / "README.md").write_bytes(b"# game\n\none\nBOTH\n")
    sealed.record("both")
    assert world.git.is_ancestor(newer, sealed.tip)
    assert world.git.is_ancestor(world.start, sealed.tip)
    assert take_in(world.git, world.start, "", newer).conflicts == ()


# ---------------------------------------------------------------- any tree


NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]),
    min_size=1,
    max_size=12,
) | st.sampled_from(
    ["-rf", "--help", " ", "a\nb", ":(glob)*", "日本", "e\u0301", "…", "\\", "a.", "tab\t"]
)
CONTENTS = st.binary(max_size=64) | st.sampled_from([b"", b"\r\n", b"\xef\xbb\xbf", b"\0" * 70_000])
TREES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=6).map(tuple),
    st.tuples(CONTENTS, st.booleans()),
    max_size=8,
)


def plain_tree(drawn: dict[tuple[str, ...], tuple[bytes, bool]]) -> dict[str, tuple[bytes, bool]]:
    """Paths that a file system and git can hold at once: no name is a file and a folder."""
    from agentcells.history.names import is_safe

    tree: dict[str, tuple[bytes, bool]] = {}
    for parts, content in drawn.items():
        path = "/".join(parts)
        taken = any(p == path or p.startswith(path + "/") or path.startswith(p + "/") for p in tree)
        if not taken and is_safe(path) and all(len(part.encode()) < 200 for part in parts):
            tree[path] = content
    return tree


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(TREES, TREES)
def test_r41_any_tree_goes_out_and_comes_back_equal(
    before: dict[tuple[str, ...], tuple[bytes, bool]],
    after: dict[tuple[str, ...], tuple[bytes, bool]],
) -> None:
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        root = Path(folder)
        git = store(root)
        sha = commit_of(git, plain_tree(before))
        assert tree_id(git.entries(sha)) == git.tree(sha)
        sealed = Sealed(git, root / "work", sha, sha)
        sealed.materialise()
        assert on_disk(root / "work") == plain_tree(before)
        assert sealed.tree_now() == git.tree(sha)
        wanted = plain_tree(after)
        lay_out(git, commit_of(git, wanted), root / "again")
        sealed.work = root / "again"
        assert sealed.seal("after") == sealed.tip
        assert git.tree(sealed.tip) == git.tree(commit_of(git, wanted))


def commit_of(git: Git, tree: dict[str, tuple[bytes, bool]]) -> Sha:
    git.write_blobs({blob_id(data): data for data, _ in tree.values()})
    return git.commit_tree(
        git.write_tree(
            {
                path: Entry(mode="100755" if program else "100644", sha=blob_id(data))
                for path, (data, program) in tree.items()
            }
        ),
        [],
        "any",
        when=WHEN,
    )


def on_disk(folder: Path) -> dict[str, tuple[bytes, bool]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_thousand_files_out_and_in_are_quick() -> None:
    root = Path(tempfile.mkdtemp(dir=FAST))
    try:
        git = store(root)
        tree = {f"d{i % 37}/f{i}": (b"%d\n" % i * 1000, False) for i in range(1_000)}
        sha = commit_of(git, tree)
        began = time.process_time()
        sealed = Sealed(git, root / "work", sha, sha)
        sealed.materialise()
        sealed.tree_now()
        assert time.process_time() - began < 0.5
    finally:
        import shutil

        shutil.rmtree(root)


def test_r40_what_a_killed_run_recorded_is_kept_and_its_own_ref_goes(world: World) -> None:
    sealed = world.begin(ref=records_ref("r1"))
    (world.work / "half").write_bytes(b"half done\n")
    sealed.record("Half of it")
    put_away(world.git, "r1", None, keeping=True)
    assert world.git.refs("refs/agentcells/records/") == {}
    assert world.git.refs("refs/agentcells/kept/") == {"refs/agentcells/kept/r1": sealed.tip}


def test_r40_of_a_published_run_nothing_is_kept(world: World) -> None:
    sealed = world.begin(ref=records_ref("r1"))
    (world.work / "done").write_bytes(b"done\n")
    sealed.record("All of it")
    put_away(world.git, "r1", sealed.tip, keeping=False)
    put_away(world.git, "r1", sealed.tip, keeping=False)  # repeatable
    put_away(Git(world.git.store.parent / "gone.git"), "r1", sealed.tip, keeping=True)
    assert world.git.refs("refs/agentcells/records/") == world.git.refs("refs/agentcells/kept/") == {}
