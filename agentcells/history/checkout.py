"""A person's own working copy as a history: his git, his hooks and ignore rules, all his files (R49).

What fails leaves his files and his records as they were. Nothing is forced, nothing is rewritten,
and nobody is asked: git that wants to talk to somebody fails instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from agentcells import git_read
from agentcells.git import EMPTY_TREE, Git
from agentcells.git_read import SUBMODULE, Commit, Delta, Entry
from agentcells.git_views import file_view
from agentcells.history import Change, HistoryError, Obstacle, Record, Refused, Standing
from agentcells.history.differences import differences
from agentcells.history.message import own_message, split_message
from agentcells.history.names import below, plain_folders, shown
from agentcells.history.own_git import HOOKS_S, NETWORK_S, Ask, OwnGit, OwnGitError
from agentcells.history.own_locks import files_held, turn
from agentcells.history.own_state import (
    Settings,
    Share,
    Status,
    change_of,
    name_of,
    new_file,
    new_file_lines,
    settings,
    status,
    unfinished,
)
from agentcells.history.sealed import GateRefused, Inspect
from agentcells.model import Sha
from agentcells.run import CommitView, FileView, Finding

InspectPush: TypeAlias = Callable[[Sha, Iterable[CommitView]], tuple[Finding, ...]]

PATCH_LIMIT = 400_000  # bytes of differences that are read; what lies behind is counted, not shown
LARGEST = 100_000_000  # bytes of one file
_RAW = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short",
        "--ignore-submodules=dirty")
_RECORD = re.compile(r"rec-([0-9a-f]{10})")
PUSH_S = HOOKS_S  # his own hook may run his tests before anything is shared
_TAKEN_IN = "Take in what others shared\n"


class OwnWorkRefused(HistoryError):
    """Files stand in the way; `files` names them."""

    def __init__(self, key: str, files: Sequence[str]) -> None:
        super().__init__(key, path=shown(files[0]) if files else "", more=max(0, len(files) - 1))
        self.files = tuple(files)


def _no_gate(files: Sequence[FileView], message: str) -> tuple[Finding, ...]:
    return ()


def _no_push_gate(tip: Sha, commits: Iterable[CommitView]) -> tuple[Finding, ...]:
    return ()


def find_root(folder: Path) -> Path:
    """The root of the project that `folder` lies in. Raises HistoryError (`work_no_project`)."""
    if not folder.is_dir():
        raise HistoryError("work_no_project")
    try:
        return Path(OwnGit(folder).line("rev-parse", "--show-toplevel"))
    except OwnGitError as error:
        if error.fault in ("ownership", "missing", "slow"):
            raise
        raise HistoryError("work_no_project") from error


class Checkout:
    """Satisfies `history.SharedHistory` for the working copy at `root`."""

    def __init__(
        self, root: Path, inspect: Inspect = _no_gate, inspect_push: InspectPush = _no_push_gate
    ) -> None:
        self.root = root
        self._own = OwnGit(root)
        self._folder = Path(self._own.line("rev-parse", "--absolute-git-dir"))
        common = Path(self._own.line("rev-parse", "--git-common-dir"))
        # Objects are only read by this one, by id; it never has the person's files as its directory.
        self._objects = Git(root / common)
        self._inspect = inspect
        self._inspect_push = inspect_push

    # ------------------------------------------------------------ what is there now

    def standing(self) -> Standing:
        now, mine = self._status(), self._settings()
        share = mine.share(now.line, mine.remotes)
        obstacle = self._obstacle(now)
        ahead, behind = self._ahead_behind(now, share)
        if not obstacle and behind:
            obstacle = "shared_ahead"
        return Standing(
            changes=self._changes(now), unpublished=ahead, obstacle=obstacle,
            conflicts=tuple(name_of(path) for path in now.unmerged),
        )

    def changes(self) -> tuple[Change, ...]:
        return self._changes(self._status())

    def unpublished(self) -> int | None:
        now, mine = self._status(), self._settings()
        return self._ahead_behind(now, mine.share(now.line, mine.remotes))[0]

    def diff(self, paths: Sequence[str] = ()) -> str:
        now = self._status()
        deltas = [d for d in self._deltas(now) if _asked(d.path, paths)]
        new = [path for path in now.untracked if _asked(path, paths)]
        self._known(paths, [*(d.path for d in deltas), *new])
        names = [d.path for d in deltas]
        words = ("diff", *_RAW, "-p", self._head(now), "--", *names)
        patch = self._patch(*words) if names else b""  # without names git would take all
        room = max(0, PATCH_LIMIT - len(patch))
        for path in new:
            part = new_file_lines(self.root, path, room) if room > 0 else b""
            patch, room = patch + part, room - len(part)
        changes = [*map(change_of, deltas), *(new_file(self.root, path) for path in new)]
        return _told(changes, patch)

    def diff_of(self, record: str, paths: Sequence[str] = ()) -> str:
        commit = self._commit_of(record)
        before = commit.parents[0] if commit.parents else EMPTY_TREE
        deltas = [d for d in self._objects.changed(before, commit.sha) if _asked(d.path, paths)]
        names = [d.path for d in deltas]
        self._known(paths, names)
        words = ("diff-tree", "-r", "-p", *_RAW, before, commit.sha, "--", *names)
        patch = self._patch(*words) if names else b""
        return _told([change_of(delta) for delta in deltas], patch)

    def find(self, record: str) -> Record:
        return self._record_of(self._commit_of(record))

    def records(self, limit: int = 20) -> tuple[Record, ...]:
        head = self._status().head
        if not head or limit < 1:
            return ()
        commits = self._objects.commits(head, limit=limit, first_parent=True)
        return tuple(self._record_of(commit) for commit in commits)

    def address(self) -> str:
        """Where this project is shared, as git would go there; "" for nowhere."""
        mine = self._settings()
        share = mine.share(self._status().line or "-", mine.remotes)
        return self._own.line("remote", "get-url", share.remote) if share else ""

    # ------------------------------------------------------------ in, out, in again

    def record(self, message: str, issues: Sequence[int] = ()) -> Record:
        text = own_message(message, issues)
        if not text:
            raise HistoryError("records_no_message")
        with turn(self._folder):
            now = self._unhindered()
            nested = next((path for path in now.untracked if path.endswith("/")), "")
            if nested:
                raise Refused("records_nested", path=shown(nested), more=0)
            with files_held(self._folder) as held:
                env = {"GIT_INDEX_FILE": str(held)}
                self._change("add", "-A", "--", ".", env=env)
                self._look_at(now, env, text)
                self._commit(text, env)
        return self.records(1)[0]

    def publish(self) -> int:
        with turn(self._folder):
            now, share = self._unhindered(), self._share()
            if self._changes(now):
                raise HistoryError("work_unrecorded")
            ahead, behind = self._ahead_behind(now, share)
            if behind:
                raise OwnGitError("behind", "push", "known to be so before asking")
            if ahead:
                self._gate_push(Sha(now.head), share)
                self._push(now, share)
            return ahead or 0

    def update(self) -> int:
        with turn(self._folder):
            now, share = self._unhindered(), self._share()
            self._change("fetch", "--quiet", "--no-recurse-submodules", "--", share.remote,
                         deadline_s=NETWORK_S)
            places = dict.fromkeys((share.tracking, f"refs/remotes/{now.upstream}"))
            taken = 0
            for place in places:
                taken += self._take_in(place)
            return taken

    # ------------------------------------------------------------ reading

    def _status(self) -> Status:
        return status(self._own.read("status", "--porcelain=v2", "--branch", "-z",
                                     "--untracked-files=all", "--no-renames",
                                     "--ignore-submodules=dirty"))

    def _settings(self) -> Settings:
        return settings(self._own.read("config", "--list", "-z"))

    def _share(self) -> Share:
        mine = self._settings()
        share = mine.share(self._status().line, mine.remotes)
        if share is None:
            raise HistoryError("work_no_shared_place")
        return share

    def _head(self, now: Status) -> str:
        return now.head or EMPTY_TREE

    def _deltas(self, now: Status) -> tuple[Delta, ...]:
        if not now.changed:
            return ()
        return git_read.deltas(self._own.read("diff", *_RAW, "--raw", "--numstat", "-z",
                                              self._head(now), "--"))

    def _changes(self, now: Status) -> tuple[Change, ...]:
        found = [*map(change_of, self._deltas(now)),
                 *(new_file(self.root, path) for path in now.untracked)]
        return tuple(sorted(found, key=lambda change: change.path))

    def _obstacle(self, now: Status) -> Obstacle:
        if now.unmerged:
            return "conflicts"
        if unfinished(self._folder):
            return "unfinished"
        return "" if now.line else "no_line"

    def _unhindered(self) -> Status:
        """The state of things, when nothing a person must settle stands in the way."""
        now = self._status()
        obstacle = self._obstacle(now)
        if obstacle:
            raise OwnWorkRefused(f"work_{obstacle}", now.unmerged)
        return now

    def _ahead_behind(self, now: Status, share: Share | None) -> tuple[int | None, int]:
        """Records that are here alone, records that are there alone; as far as is known here."""
        if share is None:
            return None, 0
        if not now.head:
            return 0, 1 if self._objects.rev(share.tracking) else 0
        both = f"{share.tracking}...{now.head}"
        asked = Ask(words=("rev-list", "--left-right", "--count", both, "--"), ok=(0, 128))
        code, out = self._own.run(asked)
        if code == 0:
            behind, ahead = out.split()
            return int(ahead), int(behind)
        # Nothing is known of that line there: what no line there has is not shared.
        known = f"--remotes={share.remote}"
        return int(self._own.line("rev-list", "--count", now.head, "--not", known)), 0

    def _patch(self, *words: str) -> bytes:
        """At most PATCH_LIMIT bytes, up to the end of a line."""
        ask = Ask(words=words, limit=PATCH_LIMIT, cut=True)
        out = self._own.run(ask)[1]
        return out if len(out) < PATCH_LIMIT else out[: out.rfind(b"\n") + 1]

    def _known(self, asked: Sequence[str], found: Sequence[str]) -> None:
        """Every path asked for lies in the project and is, or was, there."""
        for path in asked:
            plain = PurePosixPath(path)
            if plain.is_absolute() or ".." in plain.parts or "\0" in path:
                raise HistoryError("records_outside", path=shown(path))
            if not any(_asked(name, (path,)) for name in found) and not (self.root / path).exists():
                raise HistoryError("records_no_such_path", path=shown(path))

    def _commit_of(self, record: str) -> Commit:
        hexes = _RECORD.fullmatch(record)
        sha = self._objects.rev(hexes[1]) if hexes else None
        if sha is None:
            raise HistoryError("work_no_record", record=shown(record)[:40])
        return self._objects.commits(sha, limit=1)[0]

    def _record_of(self, commit: Commit) -> Record:
        words, issues = split_message(commit.message)
        before = commit.parents[0] if commit.parents else EMPTY_TREE
        files = tuple(name_of(d.path) for d in self._objects.changed(before, commit.sha))
        return Record(id=f"rec-{commit.sha[:10]}", message=words, files=files, issues=issues,
                      at=commit.when.isoformat())

    # ------------------------------------------------------------ changing

    def _change(self, *words: str, env: dict[str, str] | None = None, stdin: bytes = b"",
                deadline_s: float = HOOKS_S) -> bytes:
        ask = Ask(words=words, env=env, stdin=stdin, reads=False, deadline_s=deadline_s)
        return self._own.run(ask)[1]

    def _look_at(self, now: Status, env: dict[str, str], text: str) -> None:
        """Nothing to record, or something that may not be: told before anything is."""
        tree = self._change("write-tree", env=env).decode().strip()
        before = self._objects.tree(now.head) if now.head else EMPTY_TREE
        deltas = self._objects.changed(before, tree) if tree != before else ()
        if not deltas:
            raise HistoryError("records_nothing")
        if findings := self._inspect(self._views(deltas), text):
            raise GateRefused(findings)

    def _views(self, deltas: Sequence[Delta]) -> list[FileView]:
        sides = [(_side(d.old_mode, d.old), _side(d.new_mode, d.new)) for d in deltas]
        shas = {e.sha for pair in sides for e in pair if e is not None and e.mode != SUBMODULE}
        large = {sha for sha, size in self._objects.sizes(sorted(shas)).items() if size > LARGEST}
        for delta in deltas:
            if delta.new in large:
                raise Refused("records_too_large", path=shown(delta.path), more=0)
        contents = dict(self._objects.blobs(sorted(shas - large)))
        return [file_view(delta.path, old, new, contents)
                for delta, (old, new) in zip(deltas, sides, strict=True)]

    def _commit(self, text: str, env: dict[str, str]) -> None:
        try:
            self._change("commit", "--quiet", "--cleanup=verbatim", "-F", "-", env=env,
                         stdin=text.encode())
        except OwnGitError as error:
            if error.fault == "other" and self._has_hook("pre-commit", "prepare-commit-msg",
                                                         "commit-msg"):
                raise OwnGitError("hook", error.verb, error.detail) from error
            raise

    def _has_hook(self, *names: str) -> bool:
        folder = Path(self._own.line("rev-parse", "--git-path", "hooks"))
        return any((self.root / folder / name).is_file() for name in names)

    def _gate_push(self, tip: Sha, share: Share) -> None:
        known = self._own.line("for-each-ref", "--format=%(objectname)",
                               f"refs/remotes/{share.remote}/")
        shared = [Sha(sha) for sha in dict.fromkeys(known.split())]
        if findings := self._inspect_push(tip, self._objects.commit_views(tip, shared)):
            raise GateRefused(findings)

    def _push(self, now: Status, share: Share) -> None:
        try:
            self._change("push", "--porcelain", "--no-follow-tags", "--", share.remote,
                         f"{now.head}:{share.ref}", deadline_s=PUSH_S)
        except OwnGitError as error:
            if error.fault == "behind":
                # So that the next look at the work says why it could not be shared.
                with suppress(OwnGitError):
                    self._change("fetch", "--quiet", "--no-recurse-submodules", "--", share.remote,
                                 deadline_s=NETWORK_S)
            elif error.fault == "other" and self._has_hook("pre-push"):
                raise OwnGitError("hook", "push", error.detail) from error
            raise
        if not now.upstream:
            with suppress(OwnGitError):  # a convenience for the person's own git, nothing more
                self._change("branch", "--quiet", f"--set-upstream-to={share.remote}/{share.name}")

    def _take_in(self, place: str) -> int:
        now, there = self._status(), self._objects.rev(place)
        if there is None:
            return 0
        new = self._own.line("rev-list", "--count", there, *([f"^{now.head}"] if now.head else []))
        if new == "0":
            return 0
        goal = there if not now.head or self._objects.is_ancestor(now.head, there) \
            else self._joined(Sha(now.head), there)
        arriving = {delta.path for delta in self._objects.changed(self._head(now), goal)}
        own = {delta.path for delta in self._deltas(now)} | set(now.untracked)
        if touched := sorted(arriving & own):
            raise OwnWorkRefused("work_overlap", touched)
        self._change("merge", "--quiet", "--ff-only", "--no-autostash", goal)
        return int(new)

    def _joined(self, ours: Sha, theirs: Sha) -> Sha:
        """Both sides in one record, or nothing at all: made beside the files, not in them."""
        ask = Ask(words=("merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs),
                  ok=(0, 1))
        code, out = self._own.run(ask)
        merged = git_read.merge(out, clean=code == 0)
        if merged is None:
            raise OwnGitError("other", "merge-tree", "it made no tree")
        if merged.conflicts:
            raise OwnWorkRefused("work_both_changed", merged.conflicts)
        sign = ("-S",) if self._settings().signs else ()
        made = self._change("commit-tree", *sign, merged.tree, "-p", ours, "-p", theirs, "-F", "-",
                            stdin=_TAKEN_IN.encode())
        return Sha(made.decode().strip())


def _side(mode: str, sha: Sha) -> Entry | None:
    return Entry(mode=mode, sha=sha) if mode else None


def _asked(path: str, paths: Sequence[str]) -> bool:
    return not paths or below(path, plain_folders(tuple(paths)))


def _told(changes: Sequence[Change], patch: bytes) -> str:
    """Differences of the files that `patch` got to before it was cut."""
    count = patch.count(b"\ndiff --git ") + patch.startswith(b"diff --git ")
    return differences([(shown(c.path), c.kind) for c in changes[:count]], patch)
