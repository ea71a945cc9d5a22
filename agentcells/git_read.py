"""What git prints, as values. Bytes in, frozen types out; starts nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import IO, Literal, TypeAlias

from agentcells.model import Sha

SYMLINK = "120000"
SUBMODULE = "160000"
EXECUTABLE = "100755"
PLAIN = "100644"

ConflictKind: TypeAlias = Literal[
    "both_changed", "both_added", "removed_here", "removed_there", "other"
]

# By the stages that are left: 1 the common past, 2 ours, 3 theirs.
_KINDS: dict[str, ConflictKind] = {
    "123": "both_changed", "23": "both_added", "13": "removed_here", "12": "removed_there",
}


class Missing(LookupError):
    """An object that should be in the repository is not."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Entry:
    """One file of a tree."""

    mode: str
    sha: Sha


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    name: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    sha: Sha
    tree: str
    parents: tuple[Sha, ...]
    author: Identity
    committer: Identity
    when: datetime
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """One path that differs between two trees. "" as a mode: it is not there on that side.

    `added` and `removed` count lines; None for a binary file.
    """

    path: str
    old_mode: str
    new_mode: str
    old: Sha
    new: Sha
    added: int | None = 0
    removed: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """A merged tree. With conflicts too: then files hold markers, where that can be."""

    tree: str
    kinds: tuple[tuple[str, ConflictKind], ...] = ()

    @property
    def conflicts(self) -> tuple[str, ...]:
        return tuple(path for path, _ in self.kinds)


def name(raw: bytes) -> str:
    """A path; bytes that are no UTF-8 survive the way there and back."""
    return raw.decode("utf-8", "surrogateescape")


def heads(out: bytes) -> dict[str, Sha]:
    """Of `ls-remote`: branch to commit. What a pattern found inside longer refs is left out."""
    found = {}
    for line in out.splitlines():
        sha, _, ref = line.partition(b"\t")
        if ref.startswith(b"refs/heads/"):
            found[name(ref[len(b"refs/heads/"):])] = Sha(sha.decode())
    return found


def entries(out: bytes) -> dict[str, Entry]:
    """Of `ls-tree -r -z`."""
    found = {}
    for record in _records(out):
        facts, _, path = record.partition(b"\t")
        mode, _, sha = facts.decode().split(" ")
        # Old projects have 100664; git itself writes it as 100644 ever since.
        found[name(path)] = Entry(mode=PLAIN if mode == "100664" else mode, sha=Sha(sha))
    return found


def batch(stream: IO[bytes]) -> Iterator[tuple[Sha, bytes]]:
    """Of `cat-file --batch`."""
    while header := stream.readline():
        sha, _, *size = header.decode().split()
        if not size:
            raise Missing(sha)
        yield Sha(sha), stream.read(int(size[0]))
        stream.read(1)


def sizes(out: bytes) -> dict[Sha, int]:
    """Of `cat-file --batch-check`. Raises Missing."""
    found: dict[Sha, int] = {}
    for line in out.decode().splitlines():
        sha, _, rest = line.partition(" ")
        if rest == "missing":
            raise Missing(sha)
        found[Sha(sha)] = int(rest.rpartition(" ")[2])
    return found


def deltas(out: bytes) -> tuple[Delta, ...]:
    """Of `diff-tree -r -z --raw --numstat`: all raw records, then the counts of the same paths."""
    records = _records(out)
    found: list[Delta] = []
    counts: dict[str, tuple[int | None, int | None]] = {}
    while records:
        head = records.pop(0)
        if head.startswith(b":"):
            old_mode, new_mode, old, new, _ = head[1:].decode().split(" ")
            found.append(Delta(
                path=name(records.pop(0)), old_mode=old_mode.strip("0") and old_mode,
                new_mode=new_mode.strip("0") and new_mode, old=Sha(old), new=Sha(new),
            ))
        else:
            added, removed, path = head.split(b"\t", 2)
            counts[name(path)] = (_count(added), _count(removed))
    return tuple(
        replace(delta, added=added, removed=removed)
        for delta in found
        for added, removed in [counts.get(delta.path, (0, 0))]
    )


def commit(sha: str, data: bytes) -> Commit:
    """A commit object. Its text is whatever its author's machine wrote: read as UTF-8."""
    head, _, message = data.partition(b"\n\n")
    fields: dict[str, list[str]] = {}
    for line in head.decode("utf-8", "replace").split("\n"):
        key, _, value = line.partition(" ")
        fields.setdefault(key, []).append(value)
    author, _ = _signed(fields["author"][0])
    committer, when = _signed(fields["committer"][0])
    return Commit(
        sha=Sha(sha), tree=fields["tree"][0],
        parents=tuple(Sha(parent) for parent in fields.get("parent", [])),
        author=author, committer=committer, when=when, message=message.decode("utf-8", "replace"),
    )


def merge(out: bytes, *, clean: bool) -> Merge | None:
    """Of `merge-tree --write-tree -z --no-messages`; None when there is no tree in it."""
    records = _records(out)
    if not records or len(records[0]) != 40:
        return None
    stages: dict[str, str] = {}
    for record in records[1:]:
        facts, _, path = record.partition(b"\t")
        if not path:
            break
        stages[name(path)] = stages.get(name(path), "") + facts.decode().split(" ")[2]
    if not clean and not stages:
        return None
    kinds = tuple((path, _KINDS.get(found, "other")) for path, found in sorted(stages.items()))
    return Merge(tree=records[0].decode(), kinds=kinds)


def _records(out: bytes) -> list[bytes]:
    return out.split(b"\0")[:-1]


def _count(field: bytes) -> int | None:
    return None if field == b"-" else int(field)


def _signed(line: str) -> tuple[Identity, datetime]:
    who, _, rest = line.rpartition(">")
    person, _, email = who.partition("<")
    seconds = rest.split()[0] if rest.split() else "0"
    try:
        when = datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):  # a year that no calendar has
        when = datetime.fromtimestamp(0, UTC)
    return Identity(name=person.strip(), email=email.strip()), when
