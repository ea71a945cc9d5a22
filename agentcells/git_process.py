"""The one place that starts git: nothing inherited, no hooks, a deadline, bounded output."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Literal, TypeAlias

from agentcells.model import Problem

Cause: TypeAlias = Literal[
    "auth",
    "rejected_stale",  # the branch is not what we expected: somebody was faster
    "rejected_hook",  # the other side's rules refused it: protection, a hook, a missing permission
    "not_found",
    "network",
    "timeout",
    "disk",
    "corrupt",
    "conflict",  # a lock is held, or two histories do not fit together
    "other",
]

_TRY_LATER: frozenset[str] = frozenset({"network", "timeout"})
_STDERR_KEPT = 16_384
_DETAIL = 600
_PIPE = 1 << 18

# A `-c` list can never shut out a hostile configuration (filters have open names). The store is
# ours alone and so is its configuration; this list is the second wall, and leaves nothing to guess.
_SETTINGS = (
    "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null", "core.ignoreCase=false", "core.precomposeUnicode=false",
    "core.protectHFS=true", "core.protectNTFS=true", "core.quotePath=false", "gc.auto=0",
    "maintenance.auto=false", "safe.bareRepository=explicit", "protocol.allow=never",
    "submodule.recurse=false", "fetch.recurseSubmodules=false", "push.recurseSubmodules=no",
    "push.followTags=false", "transfer.fsckObjects=true", "credential.helper=", "http.proxy=",
    "http.followRedirects=false", "http.sslVerify=true", "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60", "commit.gpgSign=false", "push.gpgSign=false",
    # By default git leaves single objects and refs to the system: gone with the power.
    "core.fsync=committed,reference",
    # Old and harmless faults that well-known projects carry in their early commits.
    "fetch.fsck.badTimezone=ignore", "fetch.fsck.missingSpaceBeforeDate=ignore",
    "fetch.fsck.zeroPaddedFilemode=ignore",
)

_CAUSES: tuple[tuple[Cause, str], ...] = (
    ("rejected_stale",
     r"\[rejected\]|stale info|fetch first|non-fast-forward|failed to update ref"
     r"|\[remote rejected\].*(?:cannot lock ref|incorrect old value)"
     r"|cannot lock ref .* but expected"),
    ("rejected_hook",
     r"\[remote rejected\]|hook declined|GH0\d\d|protected branch|refusing to allow"),
    ("auth",
     r"Authentication failed|could not read (?:Username|Password)|Invalid username"
     r"|returned error: (?:401|403|407)|Access denied|terminal prompts disabled"),
    ("not_found",
     r"repository .*not found|returned error: (?:404|410)|couldn't find remote ref"
     r"|does not appear to be a git repository|[Nn]ot a valid (?:object|commit) name"
     r"|unknown revision|[Bb]ad revision|[Nn]eeded a single revision|not something we can merge"),
    ("disk",
     r"No space left|[Dd]isk quota|Read-only file system|unable to write|file write error"
     r"|insufficient permission"),
    ("conflict", r"unrelated histories|\.lock': File exists|cannot lock ref"),
    # Said by a repository that is reached, before its helpers lose each other over it.
    ("corrupt", r"repository corruption|inflate: data stream error|loose object .* is corrupt"),
    ("network",
     r"[Cc]ould not resolve|[Ff]ailed to connect|[Cc]onnection (?:refused|reset|timed out|was)"
     r"|SSL|certificate|RPC failed|early EOF|disconnect|returned error: (?:429|5\d\d)|too slow"
     r"|Empty reply|hung up|Recv failure|unable to access|expected flush|protocol error"),
    ("corrupt",
     r"fsck|corrupt|bad object|bad tree|unable to read|invalid object|missing (?:blob|tree)"
     r"|is empty|not a git repository|garbage"),
)


class GitError(Problem):
    """git said no. `cause` tells what to do about it; `detail` is for a log, cleaned, bounded."""

    def __init__(
        self, cause: Cause, verb: str, detail: str = "", *, key: str = "", **slots: object
    ) -> None:
        super().__init__(
            key or f"git_{cause}", exit_code=75 if cause in _TRY_LATER else 1,
            verb=verb, detail=_one_line(detail), **slots,
        )
        self.cause = cause
        self.verb = verb
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    code: int
    out: bytes
    err: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One command line and what git may know. `cwd` is "/" but for the ignore rules' skeleton."""

    store: Path
    arguments: Sequence[str]
    env: Mapping[str, str] | None = None
    settings: Sequence[str] = ()
    cwd: str = "/"
    pass_fds: Sequence[int] = ()
    deadline_s: float = 60.0

    @property
    def verb(self) -> str:
        return self.arguments[0]


def _narrower(cause: Cause, words: str) -> str:
    """The sentence where that of the cause would send its reader to the wrong place, else ""."""
    if cause == "corrupt" and re.search(r"remote side|^remote:", words, re.MULTILINE):
        return "git_corrupt_there"
    if cause == "auth" and re.search(r"^remote:.*\barchived\b", words, re.MULTILINE | re.IGNORECASE):
        return "git_archived"  # no token is good enough for that
    return ""


class Running:
    """A started git. Everything of it is gone when the `with` block of `running` ends."""

    def __init__(self, call: Call, stdin: bytes | Iterable[bytes] | None) -> None:
        self.call = call
        self._late = False
        self._err = b""
        try:
            self._process = subprocess.Popen(
                _argv(call), env=_environment(call), cwd=call.cwd, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                pass_fds=tuple(call.pass_fds), bufsize=_PIPE,
            )
        except OSError as error:
            raise GitError("other", call.verb, str(error), key="git_not_started") from error
        self.stdin, self.stdout, self._stderr = _pipes(self._process)
        with suppress(OSError, AttributeError):  # a wider pipe: fewer turns. Linux only, and not without end
            fcntl.fcntl(self.stdout, fcntl.F_SETPIPE_SZ, _PIPE)
        self._threads = [threading.Thread(target=self._drain, daemon=True)]
        if stdin is not None:  # None: the caller talks to it himself
            chunks = (stdin,) if isinstance(stdin, bytes) else stdin
            self._threads.append(threading.Thread(target=self._feed, args=(chunks,), daemon=True))
        self._clock = threading.Timer(call.deadline_s, self._expire)
        self._clock.daemon = True
        for thread in (*self._threads, self._clock):
            thread.start()

    def end(self, ok: Collection[int] = (0,), said: bytes = b"") -> Answer:
        """Wait for it. Raises GitError when it was too slow or its exit code is not one of `ok`.

        `said`: what it wrote elsewhere about its failure.
        """
        with suppress(OSError):
            self.stdin.close()
        code = self._process.wait()
        self._clock.cancel()
        for thread in self._threads:
            thread.join(timeout=5)
        words = readable(said + self._err)
        detail = words if len(words) <= _DETAIL else "…" + words[-_DETAIL:]
        if self._late:
            raise GitError("timeout", self.call.verb, detail)
        if code not in ok:
            cause = cause_of(words)
            raise GitError(cause, self.call.verb, detail or f"exit code {code}", key=_narrower(cause, words))
        return Answer(code=code, out=b"", err=detail)

    def kill(self) -> None:
        # By group: git starts helpers (transport, askpass) that outlive it otherwise.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        self._clock.cancel()
        if self._process.poll() is None:
            self.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join(timeout=5)
        for stream in (self.stdin, self.stdout, self._stderr):
            with suppress(OSError):
                stream.close()

    def _expire(self) -> None:
        self._late = True
        self.kill()

    def _feed(self, chunks: Iterable[bytes]) -> None:
        with suppress(OSError, ValueError):  # git may end before it has read all: its code tells
            for chunk in chunks:
                self.stdin.write(chunk)
        with suppress(OSError, ValueError):
            self.stdin.close()

    def _drain(self) -> None:
        with suppress(OSError, ValueError):
            while chunk := os.read(self._stderr.fileno(), 65_536):
                self._err = (self._err + chunk)[-_STDERR_KEPT:]


@contextmanager
def running(call: Call, stdin: bytes | Iterable[bytes] | None = b"") -> Iterator[Running]:
    """git as a stream: read `stdout`, then `end()`. `stdin` None: the caller writes it himself."""
    process = Running(call, stdin)
    try:
        yield process
    finally:
        process.close()


def run(
    call: Call, stdin: bytes | Iterable[bytes] = b"", *, ok: Collection[int] = (0,),
    limit: int = 256 * 1024 * 1024,
) -> Answer:
    """git to its end, its output whole. More than `limit` bytes of it is an error, not a cut."""
    with running(call, stdin) as process:
        out = process.stdout.read(limit + 1)
        if len(out) > limit:
            process.kill()
            raise GitError("other", call.verb, f"more than {limit} bytes of output")
        # `push --porcelain` says on stdout which branch was refused and why.
        ended = process.end(ok, out if call.verb == "push" else b"")
    return Answer(code=ended.code, out=out, err=ended.err)


def _one_line(words: str) -> str:
    """For a sentence: git speaks in lines, and the other side's begin with "remote:"."""
    return "; ".join(filter(None, (line.removeprefix("remote:").strip() for line in words.splitlines())))


def cause_of(stderr: str) -> Cause:
    """What kind of failure git's words describe; LC_ALL=C keeps them the same for every user."""
    return next((cause for cause, pattern in _CAUSES if re.search(pattern, stderr)), "other")


def readable(raw: bytes) -> str:
    """git's stderr for a log: the other side can write terminal commands into it, unfiltered."""
    text = raw.decode("utf-8", "replace").strip()
    return "".join(c if c.isprintable() or c == "\n" else " " for c in text)


@cache
def program() -> str:
    """The absolute path of git. Raises GitError when there is none."""
    found = shutil.which("git")
    if found is None:
        raise GitError("other", "git", key="git_missing")
    return str(Path(found).absolute())


@cache
def version() -> tuple[int, ...]:
    """(2, 39, 5) of the git in use."""
    answer = run(Call(store=Path("/dev/null"), arguments=["version"]))
    numbers = re.search(rb"(\d+)\.(\d+)(?:\.(\d+))?", answer.out)
    if numbers is None:
        raise GitError("other", "version", readable(answer.out))
    return tuple(int(number) for number in numbers.groups() if number is not None)


def _argv(call: Call) -> list[str]:
    settings = [word for setting in (*_SETTINGS, *call.settings) for word in ("-c", setting)]
    return [program(), *settings, *call.arguments]


def _environment(call: Call) -> dict[str, str]:
    """Nothing of ours reaches git: no GIT_*, no proxy, no home with a .netrc or a .gitconfig."""
    return {
        "PATH": f"{Path(program()).parent}:/usr/bin:/bin",
        "HOME": "/dev/null",  # not a folder: nothing below it can be read
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "/bin/false",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": str(call.store / "never"),
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": "/bin/false",
        "GIT_DIR": str(call.store),
        "GIT_INDEX_FILE": str(call.store / "never"),
        **(call.env or {}),
    }


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise AssertionError("unreachable: all three are pipes")
    return process.stdin, process.stdout, process.stderr
