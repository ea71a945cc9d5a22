"""Verbs of git on the bare repository that the CLI owns: objects by sha, never a work tree."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TypeVar

from agentcells import git_read
from agentcells.emptying import passing_folder, remove_tree
from agentcells.forge import Remote
from agentcells.git_ids import EMPTY_TREE, blob_id, tree_id
from agentcells.git_process import Answer, Call, Cause, GitError, run, running, version
from agentcells.git_read import Commit, Delta, Entry, Identity, Merge
from agentcells.git_transport import Road, road
from agentcells.git_views import commit_views
from agentcells.model import Sha, parse_branch
from agentcells.run import Cleared, CommitView, Proof

_Value = TypeVar("_Value")

OURS = Identity(name="agentcells", email="agentcells@localhost")
KEPT = "refs/agentcells/kept/"
_RECORDS = "refs/agentcells/records/"

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
_FETCHED = "refs/agentcells/forge/"
_NETWORK_S = 900.0
_NEEDED = (2, 38)  # merge-tree --write-tree
_FETCHED_KEPT = 20
_LOOSE_OBJECTS, _PACKS = 6_000, 50  # git's own limits for tidying up
_LEFT_S = 14 * 86_400.0  # as long as objects stay that nothing refers to: longer than any run
_REMEMBERED = 4
_WHOLE = ("HEAD", "objects", "refs")  # of a repository: a full disk may leave the first alone
_ID = re.compile("[0-9a-f]{40}")
_RAW = ("--no-renames", "--no-ext-diff", "--no-textconv")  # a guessed rename hides the old path


class PathDropped(GitError):
    """git left a path out of a tree without a word (a name it never stores); `path` names it."""

    def __init__(self, path: str) -> None:
        super().__init__("other", "write-tree", key="git_path_dropped", path=path)
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence:
    """A ref that a push moves together with the branch, by compare-and-swap."""

    ref: str
    before: Sha
    after: Sha


class Git:
    """One bare repository of ours at `store`, outside every sandbox. Methods raise GitError."""

    def __init__(self, store: Path) -> None:
        self.store = store
        self._trees: dict[str, str] = {}
        self._entries: dict[str, Mapping[str, Entry]] = {}
        self._env: dict[str, str] = {}  # of each call that reads or writes objects
        self._settings: tuple[str, ...] = ()

    # ------------------------------------------------------------ the repository itself

    def init(self) -> None:
        """Make the repository if it is not there. Its configuration is ours to the byte, always."""
        if not all((self.store / name).exists() for name in _WHOLE):
            self.store.mkdir(parents=True, exist_ok=True)
            (self.store / "config.lock").unlink(missing_ok=True)  # of an init that was cut short
            self._run("init", "-q", "--bare", "--template=", "--initial-branch=unborn",
                      str(self.store))
        self.store.chmod(0o700)
        config = self.store / "config"
        if not config.is_file() or config.read_bytes() != _CONFIG.encode():
            config.write_text(_CONFIG)

    def borrow(self, other: Path) -> None:
        """Read the objects of `other` too, without a copy: for a throw-away repository."""
        info = self.store / "objects" / "info"
        info.mkdir(exist_ok=True)
        (info / "alternates").write_text(f"{other / 'objects'}\n")

    def tidy(self) -> None:
        """Pack what has piled up. Loose objects of the last two weeks stay: a run may need them."""
        self._forget_fetched()
        self._sweep()
        some = self.store / "objects" / "17"  # one of 256 folders: git's own way to guess
        loose = some.is_dir() and sum(1 for _ in some.iterdir()) * 256 > _LOOSE_OBJECTS
        if loose or sum(1 for _ in (self.store / "objects/pack").glob("*.pack")) > _PACKS:
            # What no ref leads to goes into a pack as well, or it would pile up for two weeks.
            cruft = ["--cruft"] if version() >= _NEEDED else []
            self._run("gc", "-q", *cruft, "--prune=2.weeks.ago", deadline_s=_NETWORK_S)

    def _sweep(self) -> None:
        """What processes that were killed have left here."""
        for left in self.store.glob("tmp-*"):
            with suppress(FileNotFoundError):  # of a run that has just done with it
                if left.stat().st_mtime < time.time() - _LEFT_S:
                    remove_tree(left)

    def _forget_fetched(self) -> None:
        """Where branches stood when they were fetched: one for each that ever was, if nobody looks."""
        folder = self.store / _FETCHED
        if folder.is_dir() and sum(1 for _ in folder.iterdir()) > _FETCHED_KEPT:
            orders = "".join(f"delete {ref}\n" for ref in self.refs(_FETCHED))
            self._run("update-ref", "--stdin", stdin=orders.encode())

    # ------------------------------------------------------------ other repositories

    def ls_remote(self, remote: Remote, prefix: str = "") -> dict[str, Sha]:
        """Branches whose names begin with `prefix`, as they are there now."""
        heads = self._remote_heads(remote, f"{prefix}*")
        return {name: sha for name, sha in heads.items() if name.startswith(prefix)}

    def fetch(self, remote: Remote, refs: Sequence[str]) -> dict[str, Sha]:
        """Bring these branches here. A branch that is not there is missing from the answer."""
        for name in refs:
            _check_name(name)
        heads = self._remote_heads(remote, *refs)
        there = {name: sha for name, sha in heads.items() if name in refs}
        wanted = [name for name in there if self.rev(_fetched(name)) != there[name]]
        if wanted:
            specs = [f"+refs/heads/{name}:{_fetched(name)}" for name in wanted]
            with road(remote, "fetch", self.store) as way:
                self._travel(
                    way, "fetch", "-q", "--no-tags", "--no-write-fetch-head",
                    "--no-auto-maintenance", "--no-recurse-submodules", "--", way.url, *specs,
                )
        tips = {name: self.rev(_fetched(name)) for name in there}
        return {name: sha for name, sha in tips.items() if sha is not None}

    def push(
        self, remote: Remote, sha: Sha, ref: str, expected: Sha | None, proof: Proof,
        cleared: Cleared, *, fence: Fence | None = None,
    ) -> bool:
        """Move our branch `ref` from `expected` (None: it must not exist) to `sha`, never by force.

        `fence`: a lease that moves in the same step, or neither does. False: nothing had to move.

        Repeatable: already there is success. Raises GitError `rejected_stale` when it moved
        meanwhile. `proof` and `cleared` cannot be had before every process of the run has ended
        and the gate has looked (R39, R45).
        """
        if parse_branch(ref) is None:
            raise GitError("other", "push", key="git_foreign_branch", ref=ref)
        if cleared.sha != sha or not proof.nonce:
            raise AssertionError("a push needs a proof, and the gate's word for exactly this sha")
        now = self._remote_heads(remote, ref).get(ref)
        if now == sha:
            return False
        if now != expected:
            raise GitError("rejected_stale", "push", f"{ref} is at {now}, not at {expected}")
        # Not left to a lease: it only compares, and would let a rewind through.
        if now is not None and not self.is_ancestor(now, sha):
            raise GitError("rejected_stale", "push", f"{ref} at {now} is no part of {sha}")
        lease = [f"--force-with-lease=refs/heads/{ref}:"] if now is None else []  # create only
        specs = [f"{sha}:refs/heads/{ref}"]
        if fence is not None:
            lease.append(f"--force-with-lease={fence.ref}:{fence.before}")
            specs.append(f"{fence.after}:{fence.ref}")
        with road(remote, "push", self.store) as way:
            self._travel(
                way, "push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed",
                "--atomic", "--no-recurse-submodules", *lease, "--", way.url,
                *specs,
            )
        return True

    def _remote_heads(self, remote: Remote, *names: str) -> dict[str, Sha]:
        patterns = [f"refs/heads/{name}" for name in names]
        with road(remote, "ls-remote", self.store) as way:
            answer = self._travel(way, "ls-remote", "-q", "--refs", "--", way.url, *patterns)
        return git_read.heads(answer.out)

    def _travel(self, way: Road, *arguments: str) -> Answer:
        return run(Call(
            store=self.store, arguments=arguments, env=way.env, settings=way.settings,
            pass_fds=way.pass_fds, deadline_s=_NETWORK_S,
        ))

    # ------------------------------------------------------------ reading objects

    def rev(self, name: str) -> Sha | None:
        """The commit that a ref or sha names here, None when there is none."""
        answer = self._run("rev-parse", "-q", "--verify", "--end-of-options", f"{name}^{{commit}}",
                           ok=(0, 1, 128))
        return Sha(answer.out.decode().strip()) if answer.code == 0 else None

    def refs(self, prefix: str) -> dict[str, Sha]:
        """Our own refs below `prefix` ("refs/agentcells/kept/")."""
        out = self._text("for-each-ref", "--format=%(objectname) %(refname)", prefix)
        pairs = (line.split(" ", 1) for line in out.splitlines())
        return {name: Sha(sha) for sha, name in pairs}

    def tree(self, sha: str) -> str:
        """The tree of a commit."""
        return _remembered(self._trees, sha, lambda: self._text(
            "rev-parse", "--verify", "--end-of-options", f"{sha}^{{tree}}"))

    def entries(self, tree: str) -> Mapping[str, Entry]:
        """Every path of a tree or commit; folders are not entries of their own."""
        return _remembered(self._entries, tree, lambda: git_read.entries(
            self._run("ls-tree", "-r", "-z", "--full-tree", tree).out))

    def blobs(self, shas: Iterable[str]) -> Iterator[tuple[Sha, bytes]]:
        """The raw contents in the order asked, one in memory at a time."""
        with self._batch("--batch", shas) as stream, _all_here():
            yield from git_read.batch(stream)

    def sizes(self, shas: Iterable[str]) -> dict[Sha, int]:
        with self._batch("--batch-check", shas) as stream, _all_here():
            return git_read.sizes(stream.read())

    def changed(self, old: str, new: str) -> tuple[Delta, ...]:
        """Paths that differ between two trees or commits; a rename is a removal and an addition."""
        raw = self._run("diff-tree", "-r", "-z", "--raw", "--numstat", "--no-abbrev", *_RAW,
                        old, new, deadline_s=120).out
        return git_read.deltas(raw)

    def patch(self, old: str, new: str, paths: Sequence[str] = ()) -> bytes:
        """The differences as git writes them; `paths` are meant literally."""
        return self._run("diff-tree", "-r", "-p", "--no-color", "--full-index", *_RAW, old, new,
                         "--", *paths, deadline_s=120).out

    def commits(
        self, tip: str, without: Sequence[str] = (), *, limit: int = 0, first_parent: bool = False
    ) -> tuple[Commit, ...]:
        """Commits reachable from `tip` and from none of `without`, newest first."""
        options = [f"--max-count={limit}"] if limit else []
        if first_parent:
            options.append("--first-parent")
        out = self._text("rev-list", "--topo-order", *options, "--end-of-options", tip,
                         *(f"^{sha}" for sha in without))
        return tuple(git_read.commit(sha, data) for sha, data in self.blobs(out.split()))

    def commit_views(self, sha: Sha, present: Sequence[Sha]) -> Iterator[CommitView]:
        """For the gate: each commit that `present` does not have, oldest first (R45)."""
        return commit_views(self, sha, present)

    def authors_of(self, tip: str, since: str) -> tuple[str, ...]:
        """Who wrote the commits of `tip` that `since` does not have, each once, oldest first."""
        names = [commit.author.name for commit in reversed(self.commits(tip, [since]))]
        return tuple(dict.fromkeys(names))

    def merge_base(self, one: str, other: str) -> Sha | None:
        answer = self._run("merge-base", "--end-of-options", one, other, ok=(0, 1))
        return Sha(answer.out.decode().split()[0]) if answer.code == 0 else None

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Is `older` contained in `newer`? What is not here at all is contained in nothing."""
        return self._run("merge-base", "--is-ancestor", "--end-of-options", older, newer,
                         ok=(0, 1, 128)).code == 0

    # ------------------------------------------------------------ writing objects

    def write_blobs(self, files: Mapping[Sha, bytes | Path]) -> None:
        """Store these bytes; a path is a private file of ours (a spool), never of a workspace.

        Raises GitError when git computes another id than the caller, who has read the bytes.
        """
        if not files:
            return
        with self._folder() as spool:
            paths = []
            for number, content in enumerate(files.values()):
                path = content if isinstance(content, Path) else spool / str(number)
                if isinstance(content, bytes):
                    path.write_bytes(content)
                paths.append(bytes(path) + b"\n")
            out = self._run("hash-object", "-w", "--no-filters", "--stdin-paths",
                            stdin=b"".join(paths), deadline_s=300).out
        if out.decode().split() != list(files):
            raise GitError("corrupt", "hash-object", "stored other bytes than those that were read")

    def write_tree(self, entries: Mapping[str, Entry], *, near: str = "", expected: str = "") -> str:
        """The tree of exactly `entries`. Raises PathDropped for a name that git never stores.

        `near`: a tree it hardly differs from; then git is told only what does. `expected`: the id that
        `entries` come to, where the caller has it: then nothing has to be read back to compare.
        """
        before = self.entries(near) if near else {}
        gone = [f"0 {'0' * 40}\t{path}\0" for path in sorted(before.keys() - entries.keys())]
        there = [f"{entry.mode} {entry.sha}\t{path}\0" for path, entry in sorted(entries.items())
                 if before.get(path) != entry]
        lines = "".join([*gone, *there]).encode("utf-8", "surrogateescape")  # a folder may become a file
        with self._folder() as folder:
            env = {"GIT_INDEX_FILE": str(folder / "index")}
            if near:
                self._run("read-tree", near, env=env)
            self._run("update-index", "-z", "--index-info", stdin=lines, env=env)
            tree = self._text("write-tree", env=env)
        if tree != expected:
            stored = self.entries(tree)
            if stored != entries:  # update-index drops such a path in silence, with exit code 0
                raise PathDropped(min(entries.items() ^ stored.items())[0])
        _remembered(self._entries, tree, lambda: entries)
        return tree

    def commit_tree(
        self, tree: str, parents: Sequence[Sha], message: str, *, author: Identity = OURS,
        when: datetime | None = None,
    ) -> Sha:
        """One commit by plumbing: no hook, no signature, no editing of the message."""
        at = f"@{int((when or datetime.now(UTC)).timestamp())} +0000"
        who = {
            "GIT_AUTHOR_NAME": author.name, "GIT_AUTHOR_EMAIL": author.email,
            "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_NAME": OURS.name,
            "GIT_COMMITTER_EMAIL": OURS.email, "GIT_COMMITTER_DATE": at,
        }
        words = [word for sha in parents for word in ("-p", sha)]
        text = message.encode("utf-8", "replace")
        sha = Sha(self._text("commit-tree", tree, *words, "-F", "-", stdin=text, env=who))
        _remembered(self._trees, sha, lambda: tree)
        return sha

    def merge_tree(
        self, ours: Sha, theirs: Sha, names: tuple[str, str] = ("this-work", "newer-state")
    ) -> Merge:
        """Merge two commits into a tree; with conflicts it holds files with markers (R44)."""
        if version() < _NEEDED:
            found = ".".join(map(str, version()))
            raise GitError("other", "merge-tree", key="git_too_old", found=found)
        # Markers show the two sides as they were asked for: by `names`, which a reader understands,
        # in a repository of refs of their own, so that two merges at a time cannot meet.
        with self._folder() as folder:
            (folder / "refs" / "heads").mkdir(parents=True)
            (folder / "objects").mkdir()
            (folder / "HEAD").write_text("ref: refs/heads/unborn\n")
            for name, sha in zip(names, (ours, theirs), strict=True):
                (folder / "refs" / "heads" / name).write_text(f"{sha}\n")
            env = {"GIT_DIR": str(folder), "GIT_OBJECT_DIRECTORY": str(self.store / "objects")}
            answer = self._run("merge-tree", "--write-tree", "-z", "--no-messages", *names,
                               ok=(0, 1), env=env, deadline_s=120)
        # A bad revision ends with 1 as well: only a tree on stdout makes it a conflict.
        merged = git_read.merge(answer.out, clean=answer.code == 0)
        if merged is None:
            raise GitError("not_found", "merge-tree", answer.err)
        return merged

    # ------------------------------------------------------------ our own refs

    def update_ref(self, ref: str, sha: Sha) -> None:
        """Point one of our own refs (below refs/agentcells/) at a commit."""
        self._run("update-ref", _own(ref), sha)

    def delete_ref(self, ref: str) -> None:
        """Idempotent."""
        self._run("update-ref", "-d", _own(ref))

    # ------------------------------------------------------------ the only ways to git

    def _run(
        self, *arguments: str, stdin: bytes = b"", ok: Collection[int] = (0,),
        env: Mapping[str, str] | None = None, deadline_s: float = 60.0,
        settings: Sequence[str] | None = None,
    ) -> Answer:
        return run(Call(
            store=self.store, arguments=arguments, env={**self._env, **(env or {})},
            settings=self._settings if settings is None else settings, deadline_s=deadline_s,
        ), stdin, ok=ok)

    def _text(
        self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None
    ) -> str:
        return self._run(*arguments, stdin=stdin, env=env).out.decode().strip()

    @contextmanager
    def _batch(self, how: str, shas: Iterable[str]) -> Iterator[IO[bytes]]:
        call = Call(store=self.store, arguments=["cat-file", how, "--buffer"], env=self._env, deadline_s=600)
        with running(call, "".join(f"{sha}\n" for sha in shas).encode()) as process:
            yield process.stdout
            process.end()

    def _folder(self) -> AbstractContextManager[Path]:
        return passing_folder("tmp-", self.store)


@contextmanager
def _all_here() -> Iterator[None]:
    try:
        yield
    except git_read.Missing as missing:
        raise GitError("corrupt", "cat-file", f"{missing} is not here") from missing


def _remembered(known: dict[str, _Value], name: str, ask: Callable[[], _Value]) -> _Value:
    """What an object says never changes, so the last few are not asked for again. A ref may move."""
    if name in known:
        return known[name]
    found = ask()
    if _ID.fullmatch(name):
        while len(known) >= _REMEMBERED:
            del known[next(iter(known))]
        known[name] = found
    return found


def records_ref(run: str) -> str:
    """Where a run's newest record stands until the run is closed."""
    return f"{_RECORDS}{run}"


def _check_name(name: str) -> None:
    """A branch name of the forge becomes part of a refspec: it may mean nothing but itself."""
    meaningful = set("~^:?*[\\ ") & set(name) or not name.isprintable() or "@{" in name
    if (not name or meaningful or ".." in name or name.startswith(("-", "/", "+"))
            or name.endswith(("/", ".lock", "."))):
        raise GitError("other", "fetch", key="git_bad_name", ref=name)


def _fetched(name: str) -> str:
    # One level only: a branch `a` and later `a/b` would shut each other out as file and folder.
    return _FETCHED + name.replace("%", "%25").replace("/", "%2F")


def _own(ref: str) -> str:
    if not ref.startswith("refs/agentcells/"):
        raise AssertionError(f"not a ref of ours: {ref}")
    return ref


__all__ = [
    "EMPTY_TREE", "KEPT", "OURS", "Cause", "Commit", "Delta", "Entry", "Fence", "Git",
    "GitError", "Identity", "Merge", "PathDropped", "blob_id", "records_ref", "tree_id", "version",
]
