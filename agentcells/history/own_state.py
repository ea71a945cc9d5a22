"""What a person's git prints about his working copy, as values. Starts nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agentcells import git_read
from agentcells.git_read import Delta
from agentcells.history import Change, ChangeKind
from agentcells.history.names import is_unicode, shown

UNBORN = "(initial)"
_DETACHED = "(detached)"
_BINARY_LOOK = 8_000  # bytes; git looks at as many
_COUNTED = 4_000_000  # bytes of a new file that are read to count its lines

# What stands in git's folder while something begun by a person is not finished.
_UNFINISHED = (
    "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply",
    "sequencer",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Of `status --porcelain=v2 --branch -z`."""

    head: str = ""  # "": nothing recorded yet
    line: str = ""  # "": on no line
    upstream: str = ""  # as "origin/main"; "" for none
    changed: bool = False  # something that git knows differs from the newest record
    untracked: tuple[str, ...] = ()
    unmerged: tuple[str, ...] = ()


def status(out: bytes) -> Status:
    facts: dict[str, str] = {}
    untracked, unmerged, changed = [], [], False
    for record in out.split(b"\0"):
        sign, _, rest = record.partition(b" ")
        if sign == b"#":
            key, _, value = git_read.name(rest).partition(" ")
            facts[key] = value
        elif sign == b"?":
            untracked.append(git_read.name(rest))
        elif sign == b"u":
            unmerged.append(git_read.name(rest.split(b" ", 9)[9]))
        changed = changed or sign in (b"1", b"2", b"u")
    head, line = facts.get("branch.oid", ""), facts.get("branch.head", "")
    return Status(
        head="" if head == UNBORN else head, line="" if line == _DETACHED else line,
        upstream=facts.get("branch.upstream", ""), changed=changed,
        untracked=tuple(sorted(untracked)), unmerged=tuple(sorted(unmerged)),
    )


def unfinished(folder: Path) -> bool:
    """Whether a person has begun something in git that he must end."""
    return any((folder / name).exists() for name in _UNFINISHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Where the records of a line are shared. `tracking` is what is known of that place here."""

    remote: str
    name: str

    @property
    def tracking(self) -> str:
        return f"refs/remotes/{self.remote}/{self.name}"

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Of `config --list -z`, as far as it says where a line is shared."""

    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def remotes(self) -> tuple[str, ...]:
        return tuple(key[len("remote."):-len(".url")] for key in self.values
                     if key.startswith("remote.") and key.endswith(".url"))

    @property
    def signs(self) -> bool:
        return self.values.get("commit.gpgsign", "").lower() in ("true", "yes", "on", "1")

    def address(self, remote: str) -> str:
        return self.values.get(f"remote.{remote}.url", "")

    def share(self, line: str, remotes: Iterable[str]) -> Share | None:
        """The person's own settings first; a line of its own name otherwise, never another's."""
        remotes = tuple(remotes)
        upstream = self.values.get(f"branch.{line}.remote", "")
        asked = (self.values.get(f"branch.{line}.pushremote", ""),
                 self.values.get("remote.pushdefault", ""), upstream)
        remote = next((name for name in asked if name in remotes), "")
        if not remote:
            remote = "origin" if "origin" in remotes else remotes[0] if len(remotes) == 1 else ""
        if not remote or not line:
            return None
        merge = self.values.get(f"branch.{line}.merge", "").removeprefix("refs/heads/")
        follows = self.values.get("push.default", "") in ("upstream", "tracking")
        other = follows and merge and remote == upstream
        return Share(remote=remote, name=merge if other else line)


def settings(out: bytes) -> Settings:
    pairs = (record.partition("\n") for record in git_read.name(out).split("\0") if record)
    return Settings(values={_lower(key): value for key, _, value in pairs})


def _lower(key: str) -> str:
    """git lowers section and name itself; the middle, a line's name, keeps its case."""
    head, _, tail = key.rpartition(".")
    return f"{head}.{tail.lower()}"


def name_of(path: str) -> str:
    """A path as it is told: as it is, or with the bytes written out that no text can hold."""
    return path if is_unicode(path) else shown(path)


def change_of(delta: Delta) -> Change:
    kind: ChangeKind = "changed"
    if not delta.old_mode:
        kind = "added"
    elif not delta.new_mode:
        kind = "removed"
    elif delta.old_mode != delta.new_mode and (delta.added, delta.removed) == (0, 0):
        kind = "mode"
    return Change(path=name_of(delta.path), kind=kind, added=delta.added, removed=delta.removed)


def new_file(root: Path, path: str) -> Change:
    """A file that git does not know yet, with the count of its lines."""
    data = head_of(root / path, _COUNTED)
    if data is None or b"\0" in data[:_BINARY_LOOK] or len(data) == _COUNTED:
        return Change(path=name_of(path), kind="added", added=None, removed=None)
    return Change(path=name_of(path), kind="added", added=_lines(data), removed=0)


def _lines(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def new_file_lines(root: Path, path: str, limit: int) -> bytes:
    """A new file in the words of a difference, at most `limit` bytes of it."""
    data = head_of(root / path, limit)
    header = f"diff --git {shown(path)}\n".encode()
    if data is None:
        return header
    if b"\0" in data[:_BINARY_LOOK]:
        return header + b"Binary files differ\n"
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if not lines:
        return header
    return header + b"@@ -0,0 +1,%d @@\n" % len(lines) + b"".join(b"+%s\n" % x for x in lines)


def head_of(path: Path, limit: int) -> bytes | None:
    """The first bytes of a file; None for what is no plain file or cannot be read."""
    try:
        if path.is_symlink() or not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(limit)
    except OSError:
        return None
