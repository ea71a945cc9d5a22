"""The gate: looks at every commit that a push would add and says what must not leave (R43, R45).

It sees trees and bytes, never a textual diff: a diff can be quoted, hidden by attributes or parsed
differently. Nothing inside a file can talk it out of anything.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from agentcells.flags import FLAGS
from agentcells.model import Sha
from agentcells.paths import Globs, folded, is_gits_own, is_odd
from agentcells.protected import DEFAULT_PROTECTED
from agentcells.run import Cleared, CommitView, FileView, Finding, RunEnd, Verdict
from agentcells.secrets import Secrets, vendor_names, vendor_spans
from agentcells.sentences import say
from agentcells.text import bounded, printable

ABSENT = "000000"
_FILE, _PROGRAM, _LINK, _MODULE = "100644", "100755", "120000", "160000"
_LARGE = 500_000  # bytes: nobody reviews that
_COUNTED = 16 << 20  # bytes whose lines are counted, also where fewer are let through
_PATH_LIMIT = 300
_NUL_WITHIN = 8_000  # where git looks when it decides that a file is binary


class Settings(Protocol):
    """What `[gate]` of cells.toml and the limits in a run folder have in common."""

    @property
    def protected(self) -> Sequence[str]: ...
    @property
    def allow_links(self) -> Sequence[str]: ...
    @property
    def allow_blobs(self) -> Sequence[str]: ...
    @property
    def max_files(self) -> int: ...
    @property
    def max_added_lines(self) -> int: ...
    @property
    def max_bytes(self) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    protected: tuple[str, ...] = DEFAULT_PROTECTED
    allow_links: tuple[str, ...] = ()
    allow_blobs: tuple[str, ...] = ()  # ids of contents that only look as if they held a secret
    max_files: int = 100
    max_added_lines: int = 4_000
    max_bytes: int = 10_000_000

    @classmethod
    def from_config(cls, settings: Settings) -> Rules:
        return cls(
            protected=tuple(settings.protected),
            allow_links=tuple(settings.allow_links),
            allow_blobs=tuple(settings.allow_blobs),
            max_files=settings.max_files,
            max_added_lines=settings.max_added_lines,
            max_bytes=settings.max_bytes,
        )


def inspect(
    rules: Settings,
    secrets: Secrets,
    base: Sha,
    sha: Sha,
    commits: Iterable[CommitView],
    texts: Mapping[str, str] | None = None,
) -> Verdict:
    """Judges `commits`: all that a push of `sha` would add, oldest first; or nothing.

    They are taken one at a time, so that only one needs to be in memory. `texts`: what else would
    be written with the push, by its name ("comment", "title").
    """
    size, judge = _Size(), _Judge.of(rules, secrets)
    blocks: list[Finding] = []
    flags: list[Finding] = []
    seen: set[Sha] = set()
    for view in commits:
        seen.add(view.sha)
        size.add(view.files)
        blocks += judge.words(view.message, "message")
        blocks += judge.words(view.author, "author")
        blocks += judge.files(view.files, reads=size.bytes <= rules.max_bytes)
        flags += (flag for file in view.files for flag in judge.flags(file))
    for name, words in (texts or {}).items():
        blocks += judge.words(words, name)
    blocks += _too_much(rules, size)
    if seen and sha not in seen:  # what is looked at must be what is pushed
        blocks.append(Finding(rule="unseen_commit", path="", detail=sha))
    added, removed = size.lines(rules.max_bytes)
    return Verdict(
        sha=sha,
        base=base,
        blocks=tuple(dict.fromkeys(blocks)),
        flags=tuple(dict.fromkeys(flags)),
        files=tuple(sorted(judge.shown(path) for path in size.last)),
        added=added,
        removed=removed,
    )


def clear(verdict: Verdict) -> Cleared | None:
    """The permission to push, made nowhere else; None when anything blocks."""
    return None if verdict.blocks else Cleared(sha=verdict.sha, base=verdict.base)


def check_record(
    rules: Settings, secrets: Secrets, files: Iterable[FileView], message: str
) -> tuple[Finding, ...]:
    """What would block these files and this message, told at once instead of at the push (R40)."""
    views = tuple(files)
    size, judge = _Size(), _Judge.of(rules, secrets)
    size.add(views)
    found = [*judge.words(message, "message")]
    found += judge.files(views, reads=size.bytes <= rules.max_bytes)
    return tuple(dict.fromkeys([*found, *_too_much(rules, size)]))


# ---------------------------------------------------------------- texts


def secret_names(text: str, secrets: Secrets) -> tuple[str, ...]:
    """Names of the secrets, known or of a vendor's make, that a title or a comment tells."""
    content = text.encode("utf-8", "surrogatepass")
    return (*secrets.names_in(content), *vendor_names(content))


def contains_secret(text: str, secrets: Secrets) -> bool:
    """Whether a title or a comment tells a secret, known or of a vendor's make."""
    return bool(secret_names(text, secrets))


_REST_OF_KEY = re.compile(rb"[A-Za-z0-9_+/=.~-]*")


def redact(text: str, secrets: Secrets, language: str = "en") -> str:
    """`text` with its secrets taken out; of a text that holds one in disguise nothing is left."""
    content = text.encode("utf-8", "surrogatepass")
    spans = [*secrets.spans_in(content), *vendor_spans(content)]
    if not spans and not contains_secret(text, secrets):
        return text
    removed = say("gate_secret_removed", language).encode()
    kept, at = b"", 0
    for start, end in sorted(spans):
        rest = _REST_OF_KEY.match(content, end)
        if start >= at:
            kept += content[at:start] + removed
        at = max(at, rest.end() if rest else end)
    left = (kept + content[at:]).decode("utf-8", "replace")
    return say("gate_text_withheld", language) if contains_secret(left, secrets) else left


def redact_end(end: RunEnd, secrets: Secrets, language: str = "en") -> RunEnd:
    """The end of a run with every text of the model's taken through `redact`: nothing of it may be
    written anywhere before."""

    def safe(text: str) -> str:
        return redact(text, secrets, language)

    outcome = replace(
        end.outcome,
        comment=safe(end.outcome.comment),
        detail=safe(end.outcome.detail),
        fields=tuple((name, safe(value)) for name, value in end.outcome.fields),
    )
    return replace(
        end,
        outcome=outcome,
        records=tuple(map(safe, end.records)),
        refusals=tuple(map(safe, end.refusals)),
    )


# ---------------------------------------------------------------- size


@dataclass(slots=True)
class _Size:
    """Of each path its first and last version, for the lines, and its largest, for the bytes."""

    first: dict[bytes, bytes] = field(default_factory=dict)
    last: dict[bytes, bytes] = field(default_factory=dict)
    largest: dict[bytes, int] = field(default_factory=dict)

    def add(self, files: Iterable[FileView]) -> None:
        for file in files:
            content = file.new_content or b""
            self.first.setdefault(file.path, file.old_content or b"")
            self.last[file.path] = content
            self.largest[file.path] = max(self.largest.get(file.path, 0), len(content))

    @property
    def bytes(self) -> int:
        return sum(self.largest.values())

    def lines(self, most: int) -> tuple[int, int]:
        """Of more than `most` bytes none are counted: it is blocked anyway, and costs much memory."""
        if self.bytes > max(most, _COUNTED):
            return 0, 0
        changes = [_lines(self.first[path], content) for path, content in self.last.items()]
        return sum(added for added, _ in changes), sum(removed for _, removed in changes)


def _lines(old: bytes, new: bytes) -> tuple[int, int]:
    """Lines added and removed; a line that only moved is neither, a binary file has none."""
    if old == new or _is_binary(old) or _is_binary(new):
        return 0, 0
    before, after = Counter(old.splitlines()), Counter(new.splitlines())
    return (after - before).total(), (before - after).total()


def _is_binary(content: bytes) -> bool:
    return b"\0" in content[:_NUL_WITHIN]


def _too_much(rules: Settings, size: _Size) -> Iterator[Finding]:
    for rule, is_, limit in (
        ("too_many_files", len(size.last), rules.max_files),
        ("too_many_lines", size.lines(rules.max_bytes)[0], rules.max_added_lines),
        ("too_many_bytes", size.bytes, rules.max_bytes),
    ):
        if is_ > limit:
            yield Finding(rule=rule, path="", detail=f"{is_:,} > {limit:,}")


def blob_id(content: bytes) -> str:
    """git's own name of a content: what `git hash-object FILE` prints."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


# ---------------------------------------------------------------- one thing at a time


@dataclass(frozen=True, slots=True)
class _Judge:
    protected: Globs
    allow_links: frozenset[bytes]
    allow_blobs: frozenset[str]
    secrets: Secrets

    @classmethod
    def of(cls, rules: Settings, secrets: Secrets) -> _Judge:
        links = frozenset(path.encode("utf-8", "surrogatepass") for path in rules.allow_links)
        return cls(Globs.of(rules.protected), links, frozenset(rules.allow_blobs), secrets)

    def files(self, views: Sequence[FileView], *, reads: bool) -> Iterator[Finding]:
        """`reads` False: there is far too much content; it is blocked already and not searched."""
        # What stood in any touched file before is no news: a secret that only moves is not added.
        before = tuple(file.old_content for file in views if file.old_content)
        for file in views:
            shown = self.shown(file.path)
            yield from self.path(file, shown)
            yield from self.mode(file, shown)
            if file.new_content is not None and reads:
                yield from self.content(file.new_content, shown, (*before, *file.known))

    def path(self, file: FileView, shown: str) -> Iterator[Finding]:
        """A removed path counts as well: an old name is a change of it."""
        yield from self.secret(file.path, shown, (file.path,) if file.old_mode != ABSENT else ())
        name = folded(file.path)
        if name is None:
            yield Finding(rule="path_not_utf8", path=shown)
            return
        pattern = self.protected.first(name)
        if pattern is not None:
            yield Finding(rule="protected_path", path=shown, detail=pattern)
        if is_gits_own(name):
            yield Finding(rule="git_path", path=shown)
        elif file.old_mode == ABSENT and is_odd(file.path):
            yield Finding(rule="odd_path", path=shown)

    def mode(self, file: FileView, shown: str) -> Iterator[Finding]:
        new = file.new_mode
        if _MODULE in (file.old_mode, new):
            yield Finding(rule="submodule", path=shown)
        elif new == _LINK:
            if file.path not in self.allow_links:
                yield Finding(rule="symlink", path=shown)
        elif new not in (_FILE, _PROGRAM, ABSENT):
            yield Finding(rule="file_mode", path=shown, detail=new)
        if new not in (ABSENT, _MODULE) and file.new_content is None:
            yield Finding(rule="unreadable", path=shown)

    def words(self, words: str, where: str) -> Iterator[Finding]:
        content = words.encode("utf-8", "surrogatepass")
        yield from (
            Finding(rule=found.rule, path="", detail=f"{where}: {found.detail}")
            for found in self.secret(content, "", ())
        )

    def content(self, content: bytes, shown: str, before: Sequence[bytes]) -> Iterator[Finding]:
        """As `secret`; what only looks like one is told with the id by which the owner may allow it."""
        blob = blob_id(content)
        for found in self.secret(content, shown, before):
            if found.rule == "vendor_secret" and blob in self.allow_blobs:
                continue
            detail = f"{found.detail}, blob {blob}" if found.rule == "vendor_secret" else found.detail
            yield replace(found, detail=detail)

    def secret(self, content: bytes, shown: str, before: Sequence[bytes]) -> Iterator[Finding]:
        for name in self.secrets.names_in(content, before):
            yield Finding(rule="known_secret", path=shown, detail=name)
        for name in vendor_names(content, before):
            yield Finding(rule="vendor_secret", path=shown, detail=name)

    def flags(self, file: FileView) -> Iterator[Finding]:
        shown = self.shown(file.path)
        name = folded(file.path) or ""
        for rule, globs in FLAGS:
            if globs.first(name) is not None:
                yield Finding(rule=rule, path=shown)
        if file.new_mode == _PROGRAM and file.old_mode != _PROGRAM:
            yield Finding(rule="executable", path=shown)
        content = file.new_content or b""
        if _is_binary(content):
            yield Finding(rule="binary", path=shown)
        if len(content) > _LARGE:
            yield Finding(rule="large_file", path=shown, detail=f"{len(content):,}")

    def shown(self, path: bytes) -> str:
        """A path for a person: no control characters, no secret, not endless."""
        text = redact(path.decode("utf-8", "backslashreplace"), self.secrets)
        return bounded(printable(text, one_line=True), _PATH_LIMIT)
