"""Whoever works in the workspace is hostile: nothing runs, no link is followed, all is named."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentcells.git import Git, blob_id
from agentcells.history import HistoryError, Refused
from agentcells.history.sealed import Sealed
from agentcells.history.walk import Bounds
from agentcells.model import Sha
from agentcells.sentences import say
from tests.git_world import Origin, everyday, store

NOBODY = 65534
SECRET = b"the owner's private key 8d1f\n"


class Store(Git):
    def sizes_or_none(self, sha: Sha) -> str | None:
        return sha if (self.store / "objects" / sha[:2] / sha[2:]).exists() else None


@dataclass
class World:
    root: Path
    git: Store
    start: Sha
    sealed: Sealed

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def canary(self) -> Path:
        return self.root / "canary"

    @property
    def secret(self) -> Path:
        return self.root / "private" / "key"

    def touch(self) -> str:
        """A command that leaves a trace when anything runs it."""
        return f"touch {self.canary}/ran"

    def hostile_repository(self, at: Path) -> None:
        """A repository whose every door runs a command."""
        everyday("init", "-q", "--template=", str(at), at=self.root)
        folder = at / ".git"
        (folder / "hooks").mkdir(exist_ok=True)
        for name in (
            "pre-commit",
            "prepare-commit-msg",
            "commit-msg",
            "post-commit",
            "pre-push",
            "reference-transaction",
            "post-index-change",
            "post-checkout",
            "update",
            "pre-receive",
        ):
            (folder / "hooks" / name).write_text(f"#!/bin/sh\n{self.touch()}\n")
            (folder / "hooks" / name).chmod(0o755)
        with (folder / "config").open("a") as config:
            config.write(
                f"[core]\n\tfsmonitor = {self.touch()}\n\tpager = {self.touch()}\n"
                f'[filter "x"]\n\tclean = {self.touch()}\n\tsmudge = {self.touch()}\n'
                f"\tprocess = {self.touch()}\n\trequired = true\n"
                f'[diff "x"]\n\tcommand = {self.touch()}\n\ttextconv = {self.touch()}\n'
                f'[merge "x"]\n\tdriver = {self.touch()}\n'
                f"[include]\n\tpath = {self.root}/elsewhere\n"
            )
        (folder / "info").mkdir(exist_ok=True)
        (folder / "info" / "attributes").write_text("* filter=x diff=x merge=x\n")
        (folder / "info" / "exclude").write_text("*\n")

    def use_everything(self) -> list[str]:
        """Every way in; the keys of what is refused. Nothing may run, nothing private be stored."""
        began = time.monotonic()
        keys = []
        self.sealed.changes()
        self.sealed.diff()
        self.sealed.unresolved()
        for act in (
            self.sealed.tree_now,
            lambda: self.sealed.record("try"),
            lambda: self.sealed.seal("s"),
        ):
            try:
                act()
            except HistoryError as error:
                keys.append(error.key)
                say(error.key, "ja", **error.slots)
        assert time.monotonic() - began < 20
        assert list(self.canary.iterdir()) == []
        assert self.git.sizes_or_none(blob_id(SECRET)) is None
        return keys

    def paths(self) -> set[str]:
        return set(self.git.entries(self.sealed.tip))


def new_world(root: Path) -> World:
    origin = Origin(root / "forge")
    store(root)
    git = Store(root / "store.git")
    origin.commit(
        {
            "a.txt": b"a\n",
            "dir/b.txt": b"b\n",
            "dir/sub/c.txt": b"c\n",
            "link-free": b"d\n",
            ".gitignore": b"ignored/\n*.o\n",
        }
    )
    start = git.fetch(origin.remote, ["main"])["main"]
    sealed = Sealed(git, root / "work", start, start)
    sealed.materialise()
    (root / "canary").mkdir()
    (root / "private").mkdir()
    (root / "private" / "key").write_bytes(SECRET)
    return World(root, git, start, sealed)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return new_world(tmp_path)


def git_file(world: World) -> None:
    world.hostile_repository(world.work / "ignored" / "evil")
    (world.work / ".git").write_text(f"gitdir: {world.work}/ignored/evil/.git\n")


def git_folder(world: World) -> None:
    world.hostile_repository(world.work)


def git_link(world: World) -> None:
    world.hostile_repository(world.root / "mine")
    (world.work / ".git").symlink_to(world.root / "mine" / ".git")


def nested_repository(world: World) -> None:
    world.hostile_repository(world.work / "vendor" / "lib")
    (world.work / "vendor/lib/code.c").write_bytes(b"code")


def bare_repository(world: World) -> None:
    world.hostile_repository(world.root / "mine")
    (world.root / "mine" / ".git").rename(world.work / "dir" / "innocent")


def worktree_file_deep(world: World) -> None:
    (world.work / "dir/sub/.git").write_text(f"gitdir: {world.root}/private\n")


def test_the_traps_of_these_tests_do_spring(world: World) -> None:
    git_file(world)
    everyday("add", "-A", at=world.work, ok=False)
    assert list(world.canary.iterdir()) != []


@pytest.mark.parametrize(
    "attack",
    [git_file, git_folder, git_link, nested_repository, bare_repository, worktree_file_deep],
)
def test_c01_c02_c05_repositories_inside_are_refused_and_nothing_of_them_runs(
    world: World, attack: Callable[[World], None]
) -> None:
    attack(world)
    (world.work / "a.txt").write_bytes(b"changed\n")
    assert world.use_everything() == ["records_nested"] * 3
    assert world.sealed.tip == world.start
    world.sealed.seal("the rest", leave_out=True)
    assert world.paths() - {"vendor/lib/code.c"} == set(world.git.entries(world.start))
    assert world.git.entries(world.sealed.tip)["a.txt"].sha == blob_id(b"changed\n")
    assert list(world.canary.iterdir()) == []


def test_c03_attributes_with_planted_filters_are_stored_as_text(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.hostile_repository(world.root / "home")
    (world.root / "home" / ".git" / "config").rename(world.root / "home" / ".gitconfig")
    monkeypatch.setenv("HOME", str(world.root / "home"))
    monkeypatch.setenv("GIT_DIR", str(world.root / "home" / ".git"))
    attributes = b"* filter=x diff=x merge=x\n*.txt eol=crlf working-tree-encoding=UTF-16\n"
    (world.work / ".gitattributes").write_bytes(attributes)
    (world.work / "a.txt").write_bytes(b"changed\r\n")
    assert world.use_everything() == []
    entries = world.git.entries(world.sealed.tip)
    assert entries[".gitattributes"].sha == blob_id(attributes)
    assert entries["a.txt"].sha == blob_id(b"changed\r\n")


def new_link(world: World) -> None:
    (world.work / "new").symlink_to(world.secret)


def file_to_link(world: World) -> None:
    (world.work / "a.txt").unlink()
    (world.work / "a.txt").symlink_to(world.secret)


def folder_to_link(world: World) -> None:
    (world.work / "dir").rename(world.root / "away")
    (world.work / "dir").symlink_to(world.root / "private")


def loop(world: World) -> None:
    (world.work / "loop").symlink_to(".")


def dangling(world: World) -> None:
    (world.work / "dir" / "nowhere").symlink_to("not-there")


@pytest.mark.parametrize("attack", [new_link, file_to_link, folder_to_link, loop, dangling])
def test_c06_links_are_refused_and_their_targets_never_read(
    world: World, attack: Callable[[World], None]
) -> None:
    attack(world)
    assert world.use_everything() == ["records_link"] * 3
    assert world.sealed.tip == world.start
    # What was there before stays in the kept work: a refused path is no removal.
    (world.work / "other").write_bytes(b"x")
    world.sealed.seal("the rest", leave_out=True)
    assert world.paths() == {*world.git.entries(world.start), "other"}


def test_c06_a_tracked_link_that_was_turned_elsewhere_is_refused(tmp_path: Path) -> None:
    from tests.git_world import Link

    origin, git = Origin(tmp_path / "forge"), store(tmp_path)
    origin.commit({"CLAUDE.md": Link("AGENTS.md"), "AGENTS.md": b"x"})
    start = git.fetch(origin.remote, ["main"])["main"]
    sealed = Sealed(git, tmp_path / "work", start, start)
    sealed.materialise()
    (tmp_path / "work" / "CLAUDE.md").unlink()
    (tmp_path / "work" / "CLAUDE.md").symlink_to("/etc/passwd")
    with pytest.raises(Refused) as caught:
        sealed.record("turned")
    assert (caught.value.key, caught.value.slots["path"]) == ("records_link", "CLAUDE.md")


def test_c06_a_file_that_flickers_into_a_link_is_never_followed(world: World) -> None:
    stop = threading.Event()
    spare = world.work / "ignored"
    spare.mkdir()

    def flicker() -> None:
        while not stop.is_set():
            (spare / "l").symlink_to(world.secret)
            (spare / "l").replace(world.work / "a.txt")
            (spare / "f").write_bytes(b"harmless\n")
            (spare / "f").replace(world.work / "a.txt")

    thread = threading.Thread(target=flicker)
    thread.start()
    seen = set()
    try:
        for _ in range(150):
            look = world.sealed.look()
            seen.add(look.entries["a.txt"].sha)
            assert {refusal.path for refusal in look.refusals} <= {"a.txt"}
    finally:
        stop.set()
        thread.join()
    assert blob_id(SECRET) not in seen
    assert blob_id(b"harmless\n") in seen


def test_c07_a_hard_link_to_a_private_file_is_refused(world: World) -> None:
    os.link(world.secret, world.work / "innocent")
    os.link(world.work / "a.txt", world.work / "dir" / "twin")
    assert world.use_everything() == ["records_hard_link"] * 3
    refusals = world.sealed.look().refusals
    # An unchanged tracked file is in the project already, however many names it has.
    assert {refusal.path for refusal in refusals} == {"innocent", "dir/twin"}


def pipe(world: World) -> None:
    os.mkfifo(world.work / "new")


def pipe_in_place_of_a_file(world: World) -> None:
    (world.work / "a.txt").unlink()
    os.mkfifo(world.work / "a.txt")


@pytest.fixture
def unix_socket(world: World) -> Iterator[None]:
    here = Path.cwd()
    os.chdir(world.work)  # the path of a socket has at most 107 bytes
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("sock")
        os.chdir(here)
        yield


@pytest.mark.parametrize("attack", [pipe, pipe_in_place_of_a_file])
def test_c08_a_pipe_is_refused_and_never_waited_for(
    world: World, attack: Callable[[World], None]
) -> None:
    attack(world)
    assert world.use_everything() == ["records_special"] * 3


@pytest.mark.usefixtures("unix_socket")
def test_c08_a_socket_is_refused(world: World) -> None:
    assert world.use_everything() == ["records_special"] * 3


def test_c08_a_huge_file_with_nothing_in_it_is_refused_at_once(world: World) -> None:
    for name in ("new", "a.txt"):
        with (world.work / name).open("wb") as file:
            file.truncate(3 << 30 if name == "new" else 101 << 20)
    assert world.use_everything() == ["records_too_large"] * 3
    assert {refusal.path for refusal in world.sealed.look().refusals} == {"new", "a.txt"}


def test_c08_a_flood_of_files_or_bytes_stops_the_reading(world: World) -> None:
    for number in range(60):
        (world.work / f"n{number}").write_bytes(b"x" * 1_000)
    for bounds in (Bounds(new_files=50), Bounds(new_bytes=50_000)):
        world.sealed = Sealed(world.git, world.work, world.start, world.start, bounds=bounds)
        assert world.use_everything() == ["records_too_many"] * 3
        world.sealed.seal("the rest", leave_out=True)
        assert world.sealed.tip == world.start  # half a flood is no work to keep
        assert world.git.sizes_or_none(blob_id(b"x" * 1_000)) is None
    assert Bounds().new_files <= 20_000


def test_c08_endless_folders_are_refused(world: World) -> None:
    deep = world.work
    for _ in range(110):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "f").write_bytes(b"x")
    assert world.use_everything() == ["records_too_deep"] * 3


def test_c08_a_large_file_that_is_tracked_and_unchanged_stays(world: World) -> None:
    small = Bounds(file_bytes=1)
    world.sealed = Sealed(world.git, world.work, world.start, world.start, bounds=small)
    assert world.use_everything() == ["records_nothing"]
    (world.work / "a.txt").write_bytes(b"b\n")
    assert world.use_everything() == ["records_too_large"] * 3


@pytest.fixture
def unprivileged() -> Iterator[World]:
    """Root reads everything; the importing process is meant to be somebody who does not."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        world = new_world(root)
        if os.geteuid() != 0:
            yield world
            return
        for path in [root, *root.rglob("*")]:
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        os.seteuid(NOBODY)
        try:
            yield world
        finally:
            os.seteuid(0)


@pytest.mark.parametrize("name", ["a.txt", "dir"])
def test_c08_what_cannot_be_read_is_named(unprivileged: World, name: str) -> None:
    (unprivileged.work / name).chmod(0)
    try:
        assert unprivileged.use_everything() == ["records_unreadable"] * 3
        assert [refusal.path for refusal in unprivileged.sealed.look().refusals] == [name]
    finally:
        (unprivileged.work / name).chmod(0o700)


@pytest.mark.parametrize(
    "name",
    [
        ".GIT",
        ".Git",
        "git~1",
        "GIT~2",
        ".git ",
        ".git.",
        ".git...",
        ".g\u200cit",
        "\uff0egit",
        ".git:x",
        "x\\.git",
        ".git\u200d ",
    ],
)
def test_c09_every_spelling_of_the_git_folder_is_refused(world: World, name: str) -> None:
    (world.work / "dir" / name).mkdir()
    (world.work / "dir" / name / "config").write_bytes(b"x")
    assert world.use_everything() == ["records_nested"] * 3


@pytest.mark.parametrize(
    "name",
    [
        "..\\x",
        "new\nline",
        "-rf",
        "--upload-pack=touch x",
        ":(glob)**",
        ":!a.txt",
        "a;id",
        "$(id)",
        "*",
        ".gitx",
        "x.git",
        "git",
        ".github",
        "~",
        "日本語",
        "e\u0301",
    ],
)
def test_c09_odd_names_are_stored_as_they_are(world: World, name: str) -> None:
    (world.work / name).write_bytes(b"x")
    assert world.use_everything() == []
    assert world.paths() == {*world.git.entries(world.start), name}
    assert [change.path for change in world.sealed.changes()] == []


def test_c09_a_name_that_is_no_unicode_is_refused_unless_it_was_there(world: World) -> None:
    raw = os.fsencode(world.work) + b"/caf\xe9"
    Path(os.fsdecode(raw)).write_bytes(b"x")
    assert world.use_everything() == ["records_bad_name"] * 3
    # Had a person committed it, it would be carried along, and could be renamed.
    entries = dict(world.git.entries(world.start))
    world.git.write_blobs({blob_id(b"x"): b"x"})
    entries["caf\udce9"] = type(entries["a.txt"])(mode="100644", sha=blob_id(b"x"))
    start = world.git.commit_tree(world.git.write_tree(entries), [], "by a person")
    world.sealed = Sealed(world.git, world.work, start, start)
    assert world.use_everything() == ["records_nothing"]
    Path(os.fsdecode(raw)).rename(world.work / "café")
    assert [c.path for c in world.sealed.changes()] == ["café", "caf\\xe9"]


def test_several_refusals_are_counted_and_the_first_is_named(world: World) -> None:
    new_link(world)
    pipe_in_place_of_a_file(world)
    with pytest.raises(Refused) as caught:
        world.sealed.record("try")
    assert (caught.value.slots["path"], caught.value.slots["more"]) == ("a.txt", 1)


def test_c11_what_is_sealed_is_what_lies_on_the_disk(world: World) -> None:
    (world.work / "a.txt").write_bytes(b"good\n")
    world.sealed.record("good")
    world.hostile_repository(world.work / "ignored")
    (world.work / "a.txt").write_bytes(b"evil\n")
    everyday(
        "--git-dir",
        str(world.git.store),
        "update-ref",
        f"refs/replace/{blob_id(b'evil' + chr(10).encode())}",
        world.start,
        at=world.root,
        ok=False,
    )
    world.sealed.record("evil")
    ((_, data),) = world.git.blobs([world.git.entries(world.sealed.tip)["a.txt"].sha])
    assert data == b"evil\n"
    assert list(world.canary.iterdir()) == []


def test_refused_things_below_an_ignored_folder_are_not_even_looked_at(world: World) -> None:
    (world.work / "ignored").mkdir()
    (world.work / "ignored" / "link").symlink_to(world.secret)
    os.mkfifo(world.work / "ignored" / "pipe")
    world.hostile_repository(world.work / "ignored" / "repo")
    (world.work / "x.o").symlink_to(world.secret)
    assert world.use_everything() == ["records_nothing"]
