"""The factory's history: plain files out of the CLI's repository, raw back in as records (R41).

The folder has no .git, and no git command ever has it as its directory. Whoever works in it is
taken for hostile: what counts is the bytes on the disk, read once, and the base's ignore rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from agentcells.emptying import passing_folder
from agentcells.git import OURS, Commit, Delta, Entry, Git, Identity, PathDropped, tree_id
from agentcells.git_read import SUBMODULE
from agentcells.git_views import file_view
from agentcells.history import Change, ChangeKind, HistoryError, Record, Refused
from agentcells.history.aside import Aside
from agentcells.history.differences import differences
from agentcells.history.ignore import ignore_rules
from agentcells.history.layout import lay_out
from agentcells.history.message import sealed_message, split_message
from agentcells.history.names import below, plain_folders, shown
from agentcells.history.removal import remove
from agentcells.history.stands import Stand
from agentcells.history.walk import Bounds, Found, Refusal, Rules, walk
from agentcells.model import Sha
from agentcells.run import FileView, Finding

Inspect: TypeAlias = Callable[[Sequence[FileView], str], tuple[Finding, ...]]

RECORDS = 200  # of one run: nobody reads more, and each costs every later step
SHOWN = 8 << 20  # bytes of contents, before and after, that a difference is made of
_MARKERS = (b"<<<<<<< ", b">>>>>>> ")


class GateRefused(Refused):
    """The gate would not let this through, so it is not recorded either (R40)."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        first = findings[0]
        super().__init__("records_gate", path=shown(first.path), rule=first.rule,
                         more=len(findings) - 1)
        self.findings = findings


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The files as they are now, looked at once. With refusals, `tree` leaves the refused out."""

    tree: str
    entries: dict[str, Entry]
    refusals: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """All that can be said of the work now, from one reading of the files."""

    tree: str
    changes: tuple[Change, ...]  # since the newest record
    differs: bool  # from the start (R8)
    refusals: tuple[Refusal, ...]
    unresolved: tuple[str, ...]


def _no_gate(files: Sequence[FileView], message: str) -> tuple[Finding, ...]:
    return ()


class Sealed:
    """One run's history. `start`: tip of the branch at the start; `base`: whose ignore rules hold.

    `conflicts`: paths that were laid out with markers, of a merge with `merging`; the first record
    without markers has both as its parents. `ref`: a ref of ours that follows the newest record.
    """

    def __init__(
        self, git: Git, work: Path, start: Sha, base: Sha, keep: tuple[str, ...] = (),
        allow_links: Sequence[str] = (), inspect: Inspect = _no_gate, *,
        conflicts: Sequence[str] = (), merging: Sha | None = None, author: Identity = OURS,
        ref: str = "", bounds: Bounds | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.git = Aside(git)
        self._repository = git
        self.work = work
        self.start = start
        self.base = base
        self.tip = start
        self.conflicts = tuple(conflicts)
        self._keep = plain_folders(keep)
        self._allow_links = frozenset(allow_links)
        self._inspect = inspect
        self._merging = merging
        self._author = author
        self._ref = ref
        self._bounds = bounds or Bounds()
        self._clock = clock
        self._rules = self.git.entries(base)
        self._before = self._at_start = self.git.entries(start)
        self._stored: set[Sha] = {entry.sha for entry in self._before.values()}
        self._laid: Mapping[str, Entry] = {}
        self._stands: Mapping[str, Stand] = {}
        self._trees: set[str] = set()
        self._sizes: dict[Sha, int] = {}
        self._recorded: list[str] = []  # the messages of this run's records

    # ------------------------------------------------------------ out

    def materialise(self, tree: str = "", account: tuple[int, int] | None = None) -> None:
        """Write `work` from the start, or from another tree (kept work, a merge with conflicts)."""
        self._laid = self.git.entries(tree or self.start)
        if tree:
            self._stored |= {entry.sha for entry in self._laid.values()}
        self._stands = lay_out(self.git, tree or self.start, self.work, account)

    # ------------------------------------------------------------ what is there now

    def look(self) -> Look:
        """Read all files once, whatever is known of them. Refusals are told, not raised."""
        with self._reading({}) as found:
            return self._looked(found)

    def changes(self) -> tuple[Change, ...]:
        return tuple(_change(delta) for delta in self._deltas(self._stored_look().tree))

    def survey(self) -> Survey:
        look = self._stored_look()
        return Survey(
            tree=look.tree, refusals=look.refusals, unresolved=self._unresolved(look.entries),
            changes=tuple(_change(delta) for delta in self._deltas(look.tree)),
            differs=look.entries != self._at_start,
        )

    def diff(self, paths: Sequence[str] = ()) -> str:
        look = self._stored_look()
        wanted = [delta for delta in self._deltas(look.tree) if _asked(delta.path, paths)]
        large = self._large(wanted)
        small = [delta for delta in wanted if delta.path not in large]
        names = [delta.path for delta in small]
        patch = self.git.patch(self._tree(), look.tree, names) if names else b""
        text = differences([(shown(delta.path), _change(delta).kind) for delta in small], patch)
        return "\n".join([*filter(None, [text]), *(f"== {shown(path)} (large)\n" for path in large)])

    def _large(self, deltas: Sequence[Delta]) -> tuple[str, ...]:
        """Paths whose difference nobody could read; it would cost many times its size in memory."""
        sides = {sha for delta in deltas for sha, mode in
                 ((delta.old, delta.old_mode), (delta.new, delta.new_mode)) if mode and mode != SUBMODULE}
        sizes = self.git.sizes(sides) if sides else {}
        found, total = [], 0
        for delta in deltas:
            size = sizes.get(delta.old, 0) + sizes.get(delta.new, 0)
            if total + size > SHOWN:
                found.append(delta.path)
            else:
                total += size
        return tuple(found)

    def tree_now(self) -> str:
        """The id of the tree of the files as they are (R8). Raises Refused."""
        look = self.look()
        _raise_first(look.refusals)
        return look.tree

    def unresolved(self) -> tuple[str, ...]:
        """Paths laid out with conflict markers that still have some."""
        return self._unresolved(self._stored_look().entries) if self.conflicts else ()

    def records(self, limit: int = 20) -> tuple[Record, ...]:
        commits = self.git.commits(self.tip, limit=limit, first_parent=True) if limit > 0 else ()
        return tuple(self._record_of(commit) for commit in commits)

    def unpublished(self) -> int | None:
        return len(self._recorded)

    def messages(self) -> tuple[str, ...]:
        """Of the records of this run, oldest first."""
        return tuple(self._recorded)

    # ------------------------------------------------------------ in

    def record(self, message: str, issues: Sequence[int] = ()) -> Record:
        text = sealed_message(message, issues)
        if not text:
            raise HistoryError("records_no_message")
        if len(self._recorded) >= RECORDS:
            raise HistoryError("records_too_many_records", most=RECORDS)
        look = self._stored_look()
        _raise_first(look.refusals)
        if unresolved := self._unresolved(look.entries):
            raise HistoryError("records_markers_left", path=shown(unresolved[0]))
        if look.entries == self._before and self._merging is None:
            raise HistoryError("records_nothing")
        if findings := self._inspect(self._views(look.entries), text):
            raise GateRefused(findings)
        self._commit(look, text)
        return self.records(1)[0]

    def seal(self, message: str, issues: Sequence[int] = (), *, leave_out: bool = False) -> Sha:
        """What is not recorded yet as one more record; the tip when there is nothing (R42).

        Raises Refused (R43); with `leave_out` a refused path stays as it was instead, so that the
        rest can be kept (R40). The gate is not asked: it looks before anything is pushed.
        """
        look = self._stored_look()
        if not leave_out:
            _raise_first(look.refusals)
        if look.entries != self._before or self._settles(look):
            self._commit(look, sealed_message(message, issues) or "Unrecorded work\n")
        return self.tip

    def remove(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Delete files or folders of the workspace, all or none. Returns their plain paths."""
        submodules = tuple(p for p, entry in self._before.items() if entry.mode == SUBMODULE)
        return remove(self.work, paths, (*self._keep, *submodules))

    # ------------------------------------------------------------ inside

    @contextmanager
    def _reading(self, stands: Mapping[str, Stand]) -> Iterator[Found]:
        with (
            passing_folder("tmp-", self.git.store) as spool,
            ignore_rules(self.git, self._rules) as ignored,
        ):
            yield walk(self.work, Rules(
                before=self._before, known=frozenset(self._before) | frozenset(self._at_start),
                keep=self._keep, allow_links=self._allow_links, ignored=ignored,
                stored=self._stored, spool=spool, bounds=self._bounds, size=self._size,
                laid=self._laid, stands=stands,
            ))

    def _size(self, sha: Sha) -> int:
        """Asked for all at once, and only when a file looks odd."""
        if sha not in self._sizes:
            files = (entry for entry in self._before.values() if entry.mode != SUBMODULE)
            self._sizes |= self.git.sizes({entry.sha for entry in files})
        return self._sizes[sha]

    def _looked(self, found: Found) -> Look:
        entries = found.without_refused(self._before)
        same = entries == self._before
        tree = self._tree() if same else tree_id(entries)
        return Look(tree=tree, entries=entries, refusals=tuple(found.refusals))

    def _stored_look(self) -> Look:
        """Look, and store what is new; nothing refers to it yet."""
        with self._reading(self._stands) as found:
            look = self._looked(found)
            if not found.stopped:
                self.git.write_blobs(found.fresh)
                self._stored |= found.fresh.keys()
        if look.entries != self._before and look.tree not in self._trees:
            try:
                stored = self.git.write_tree(look.entries, near=self._tree(), expected=look.tree)
            except PathDropped as dropped:
                raise Refused("records_bad_name", path=shown(dropped.path)) from dropped
            if stored != look.tree:
                raise AssertionError("git stored another tree than the one that was read")
            self._trees.add(stored)
        return look

    def _unresolved(self, entries: dict[str, Entry]) -> tuple[str, ...]:
        there = {path: entries[path].sha for path in self.conflicts
                 if path in entries and entries[path].mode != SUBMODULE}
        contents = dict(self.git.blobs(set(there.values()))) if there else {}
        return tuple(path for path, sha in there.items() if _has_marker(contents[sha]))

    def _settles(self, look: Look) -> bool:
        """Whether a record of this look ends the merge that the run began with."""
        return self._merging is not None and not self._unresolved(look.entries)

    def _tree(self) -> str:
        return self.git.tree(self.tip)

    def _deltas(self, tree: str) -> tuple[Delta, ...]:
        before = self._tree()
        return () if tree == before else self.git.changed(before, tree)

    def _views(self, entries: dict[str, Entry]) -> list[FileView]:
        """What a record would change, raw, for the gate."""
        before = self._before
        paths = sorted(p for p in {*entries, *before} if entries.get(p) != before.get(p))
        sides = [side.get(path) for path in paths for side in (entries, before)]
        shas = {entry.sha for entry in sides if entry is not None and entry.mode != SUBMODULE}
        contents = dict(self.git.blobs(sorted(shas)))
        return [file_view(p, before.get(p), entries.get(p), contents) for p in paths]

    def _commit(self, look: Look, text: str) -> None:
        parents = [self.tip]
        if self._merging is not None and self._settles(look):
            parents.append(self._merging)
            self._merging = None
        self.tip = self.git.commit_tree(look.tree, parents, text, author=self._author,
                                        when=self._clock())
        self._before = look.entries
        self._recorded.append(split_message(text)[0])
        if self._ref:
            self._repository.update_ref(self._ref, self.tip)

    def _record_of(self, commit: Commit) -> Record:
        words, issues = split_message(commit.message)
        before = commit.parents[0] if commit.parents else ""
        deltas = self.git.changed(before, commit.sha) if before else ()
        files = tuple(shown(delta.path) for delta in deltas)
        return Record(id=f"rec-{commit.sha[:10]}", message=words, files=files, issues=issues,
                      at=commit.when.isoformat())


def _change(delta: Delta) -> Change:
    kind: ChangeKind = "changed"
    if not delta.old_mode:
        kind = "added"
    elif not delta.new_mode:
        kind = "removed"
    elif delta.old == delta.new:
        kind = "mode"
    return Change(path=shown(delta.path), kind=kind, added=delta.added, removed=delta.removed)


def _asked(path: str, paths: Sequence[str]) -> bool:
    return not paths or below(path, plain_folders(tuple(paths)))


def _has_marker(data: bytes) -> bool:
    return any(line.startswith(_MARKERS) for line in data.split(b"\n"))


def _raise_first(refusals: Sequence[Refusal]) -> None:
    if refusals:
        first = refusals[0]
        raise Refused(first.why, path=shown(first.path), more=len(refusals) - 1)
