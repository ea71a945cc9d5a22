"""Reads a folder raw: no link is followed, each file is read once, the hashed bytes are kept (R41).

Whatever is never taken in (R43) is collected with its path; nothing is skipped in silence.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from agentcells.git import Entry, blob_id
from agentcells.git_read import EXECUTABLE, PLAIN, SUBMODULE, SYMLINK
from agentcells.history.names import below, folders_of, is_git_folder, is_unicode
from agentcells.history.stands import Stand, stand
from agentcells.model import Sha

Why: TypeAlias = Literal[
    "records_link", "records_hard_link", "records_special", "records_nested", "records_submodule",
    "records_bad_name", "records_unreadable", "records_moving", "records_too_large",
    "records_too_many", "records_too_deep",
]

_OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OPEN_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
_UNREADABLE = frozenset({errno.EACCES, errno.EPERM, errno.EIO})
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Above these nothing is read: the answer is a refusal, quickly and with little memory."""

    file_bytes: int = 100 << 20  # what forges take at most
    new_bytes: int = 500 << 20
    new_files: int = 20_000
    names: int = 1_000_000  # of everything there is, ignored or not
    refusals: int = 1_000
    depth: int = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    why: Why
    path: str


@dataclass(slots=True, kw_only=True)
class Found:
    """The folder as it is now. `fresh` are the contents that no tree of ours has yet."""

    entries: dict[str, Entry] = field(default_factory=dict)
    fresh: dict[Sha, Path] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    stopped: bool = False  # there was far too much: the rest was not even looked at

    def without_refused(self, before: Mapping[str, Entry]) -> dict[str, Entry]:
        """What may be taken in; a refused path stays as it was `before`. Of a flood: nothing."""
        if self.stopped:
            return dict(before)
        if not self.refusals:
            return dict(self.entries)
        refused = tuple(refusal.path for refusal in self.refusals)
        stay = {path: entry for path, entry in before.items() if below(path, refused)}
        return {**stay, **self.entries}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a walk needs to know. `known`: paths that count as tracked, ignored or not (R42).

    `laid`, `stands`: what was laid out and how it stood then; what stands so still is not read.
    """

    before: Mapping[str, Entry]
    known: frozenset[str]
    keep: tuple[str, ...]
    allow_links: frozenset[str]
    ignored: Callable[[str], bool]
    stored: frozenset[Sha] | set[Sha]
    spool: Path
    size: Callable[[Sha], int]  # of a content that is stored
    bounds: Bounds = Bounds()
    laid: Mapping[str, Entry] = field(default_factory=dict)
    stands: Mapping[str, Stand] = field(default_factory=dict)


def walk(root: Path, rules: Rules) -> Found:
    """Read everything below `root` that belongs to the work."""
    reading = _Walk(rules)
    try:
        descriptor = os.open(root, _OPEN_FOLDER)
    except OSError as error:
        reading.refuse(_why(error), ".")
        return reading.found
    try:
        reading.folder(descriptor, "", 0)
    except _Enough:
        reading.found.stopped = True  # the refusal that says so is among the others
    finally:
        os.close(descriptor)
    for path, entry in rules.before.items():
        if rules.keep and below(path, rules.keep):  # never imported, so never removed either
            reading.found.entries[path] = entry
        elif entry.mode == SUBMODULE and path not in reading.seen:
            reading.found.entries[path] = entry  # its empty folder is no content
    return reading.found


class _Enough(Exception):
    """Reading on would only cost time."""


class _Walk:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.names = 0
        self.found = Found()
        self.seen: set[str] = set()  # submodules that were looked at
        self.new_bytes = 0
        self.new_files = 0
        self.folders = folders_of(rules.known)

    def refuse(self, why: Why, path: str) -> None:
        self.found.refusals.append(Refusal(why=why, path=path))
        if why in ("records_too_many", "records_too_deep"):
            raise _Enough
        if len(self.found.refusals) > self.rules.bounds.refusals:
            raise _Enough

    def folder(self, descriptor: int, prefix: str, depth: int) -> None:
        if depth > self.rules.bounds.depth:
            self.refuse("records_too_deep", prefix.rstrip("/"))
        names = self._names(descriptor, prefix)
        if self._is_bare_repository(names, prefix):
            self.refuse("records_nested", prefix.rstrip("/"))
            return
        for name, kind in names.items():
            path = prefix + _text(name)
            if path in self.rules.keep:
                continue
            try:
                self._one(descriptor, name, kind, path, depth)
            except FileNotFoundError:
                continue  # gone since the listing: it is not there
            except OSError as error:
                self.refuse(_why(error), path)

    def _names(self, descriptor: int, prefix: str) -> dict[str, int]:
        """What is in a folder, in order, with its kind as the folder itself knows it: that costs no call."""
        found = []
        with os.scandir(descriptor) as entries:
            for entry in entries:
                self.names += 1
                if self.names > self.rules.bounds.names:
                    self.refuse("records_too_many", prefix.rstrip("/") or ".")
                found.append((entry.name, _kind(entry)))
        return dict(sorted(found))

    def _is_bare_repository(self, names: Mapping[str, int], prefix: str) -> bool:
        """A folder that git would take for a repository without being told."""
        bare = {"HEAD", "objects", "refs"} <= names.keys()
        return bare and f"{prefix}HEAD" not in self.rules.known

    def _one(self, parent: int, name: str, kind: int, path: str, depth: int) -> None:
        """`kind` only says what to try: what is opened is looked at again, once it is open."""
        before = self.rules.before.get(path)
        if is_git_folder(path.rpartition("/")[2]):
            self.refuse("records_nested", path)
        elif before is not None and before.mode == SUBMODULE:
            self._submodule(parent, name, path, kind, before)
        elif kind == stat.S_IFDIR:
            self._enter(parent, name, path, depth)
        elif path not in self.rules.known and self.rules.ignored(path):
            return
        elif kind == stat.S_IFLNK:
            self._link(parent, name, path, before)
        elif kind == stat.S_IFREG:
            self._file(parent, name, path, before)
        else:
            self.refuse("records_special", path)

    def _enter(self, parent: int, name: str, path: str, depth: int) -> None:
        if path not in self.folders and self.rules.ignored(f"{path}/"):
            return
        descriptor = os.open(name, _OPEN_FOLDER, dir_fd=parent)
        try:
            self.folder(descriptor, f"{path}/", depth + 1)
        finally:
            os.close(descriptor)

    def _submodule(
        self, parent: int, name: str, path: str, kind: int, before: Entry
    ) -> None:
        """Kept as it was while its folder is empty: nothing of another project is taken in."""
        self.seen.add(path)
        if kind == stat.S_IFDIR:
            descriptor = os.open(name, _OPEN_FOLDER, dir_fd=parent)
            try:
                if not self._names(descriptor, f"{path}/"):
                    self.found.entries[path] = before
                    return
            finally:
                os.close(descriptor)
        self.refuse("records_submodule", path)

    def _link(self, parent: int, name: str, path: str, before: Entry | None) -> None:
        target = os.fsencode(os.readlink(name, dir_fd=parent))
        entry = Entry(mode=SYMLINK, sha=blob_id(target))
        if entry == before:
            self.found.entries[path] = entry
        elif path in self.rules.allow_links and is_unicode(path):
            self._take(path, entry, target)
        else:
            self.refuse("records_link", path)

    def _untouched(self, parent: int, name: str, path: str, before: Entry) -> bool:
        """Whether a file is, unread, what it was: laid out so and not changed since."""
        known = self.rules.stands.get(path)
        if known is None or self.rules.laid.get(path) != before:
            return False
        facts = os.stat(name, dir_fd=parent, follow_symlinks=False)
        return stat.S_ISREG(facts.st_mode) and stand(facts) == known

    def _file(self, parent: int, name: str, path: str, before: Entry | None) -> None:
        if before is not None and self._untouched(parent, name, path, before):
            self.found.entries[path] = before
            return
        descriptor = os.open(name, _OPEN_FILE, dir_fd=parent)
        try:
            facts = os.fstat(descriptor)  # of what was opened, not of what was there a moment ago
            if not stat.S_ISREG(facts.st_mode):
                self.refuse("records_moving", path)
                return
            mode = EXECUTABLE if facts.st_mode & stat.S_IXUSR else PLAIN
            if why := self._never(path, facts, before):
                self.refuse(why, path)
                return
            data, sha = self._content(descriptor, facts.st_size, before)
        finally:
            os.close(descriptor)
        unchanged = before is not None and sha == before.sha and before.mode != SYMLINK
        entry = Entry(mode=mode, sha=sha)
        if facts.st_nlink != 1 and not unchanged:
            self.refuse("records_hard_link", path)
        elif not unchanged and not is_unicode(path):
            self.refuse("records_bad_name", path)
        elif unchanged:
            self.found.entries[path] = before if before is not None and before.mode == mode else entry
        elif data is None:
            self.refuse("records_too_large", path)
        else:
            self._take(path, entry, data)

    def _never(self, path: str, facts: os.stat_result, before: Entry | None) -> Why | None:
        """Why it is refused without reading it: a large file costs whoever makes it nothing."""
        why: Why | None = None
        if facts.st_nlink != 1:
            why = "records_hard_link"
        elif not is_unicode(path):
            why = "records_bad_name"
        elif facts.st_size > self.rules.bounds.file_bytes:
            why = "records_too_large"
        if why and before is not None and before.mode != SYMLINK:
            # Perhaps it is as it was: then it is no news, whatever it is.
            return None if self.rules.size(before.sha) == facts.st_size else why
        return why

    def _content(
        self, descriptor: int, size: int, before: Entry | None
    ) -> tuple[bytes | None, Sha]:
        """The bytes and their id. Above the limit only the id, and that only when tracked."""
        limit = self.rules.bounds.file_bytes
        if size <= limit:
            data = _read(descriptor, size, limit + 1)
            if len(data) <= limit:
                return data, blob_id(data)
        if before is None:
            return None, Sha("")
        os.lseek(descriptor, 0, os.SEEK_SET)
        return None, _streamed_id(descriptor, size)

    def _take(self, path: str, entry: Entry, data: bytes) -> None:
        """Something new: count it, and lay the very bytes aside unless they are stored already."""
        bounds = self.rules.bounds
        self.new_files += 1
        self.new_bytes += len(data)
        if self.new_files > bounds.new_files or self.new_bytes > bounds.new_bytes:
            self.refuse("records_too_many", path)
        self.found.entries[path] = entry
        if entry.sha not in self.rules.stored and entry.sha not in self.found.fresh:
            place = self.rules.spool / entry.sha
            place.write_bytes(data)
            self.found.fresh[entry.sha] = place


def _kind(entry: os.DirEntry[str]) -> int:
    if entry.is_file(follow_symlinks=False):
        return stat.S_IFREG
    if entry.is_dir(follow_symlinks=False):
        return stat.S_IFDIR
    return stat.S_IFLNK if entry.is_symlink() else 0


def _text(name: str) -> str:
    """A name as paths have it here, whatever the shell's encoding."""
    return name if name.isascii() else os.fsencode(name).decode("utf-8", "surrogateescape")


def _read(descriptor: int, size: int, limit: int) -> bytes:
    """All of it, `limit` at most. `size`: what it seemed to have; less than one byte more is the end."""
    if size < _CHUNK:
        data = os.read(descriptor, min(size + 1, limit))
        if len(data) <= size:
            return data
        chunks, left = [data], limit - len(data)
    else:
        chunks, left = [], limit
    while left > 0 and (chunk := os.read(descriptor, min(left, _CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _streamed_id(descriptor: int, size: int) -> Sha:
    """The id of a large file without holding it; of one that grows, an id that fits nothing."""
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    left = size
    while left > 0 and (chunk := os.read(descriptor, min(left, _CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
    return Sha(digest.hexdigest())


def _why(error: OSError) -> Why:
    if error.errno in _UNREADABLE:
        return "records_unreadable"
    return "records_moving"  # a link or another kind of file took its place while it was opened
