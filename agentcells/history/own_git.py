"""A person's own git in his own working copy: his settings and hooks, no questions, no hanging.

The factory's git inherits nothing; this one inherits everything except what would aim it at another
folder or make it wait for somebody. Its words go to the log; a caller gets a cause.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Literal, TypeAlias

from agentcells.git_process import cause_of, readable
from agentcells.history import HistoryError

Fault: TypeAlias = Literal[
    "auth", "behind", "busy", "disk", "hook", "identity", "missing", "network", "not_found",
    "ownership", "protected", "signature", "slow", "overlap", "other",
]

QUICK_S = 60.0
NETWORK_S = 180.0
HOOKS_S = 600.0  # a person's hooks may run his tests
_LIMIT = 64 * 1024 * 1024
_KEPT = 4_096

# `git rev-parse --local-env-vars`, and what makes git talk: inherited, they lead it elsewhere.
_ASTRAY = frozenset({
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_LITERAL_PATHSPECS", "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
})
_SILENT = {
    "LC_ALL": "C", "LANGUAGE": "en", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "/bin/false",
    "SSH_ASKPASS": "/bin/false", "SSH_ASKPASS_REQUIRE": "never", "GCM_INTERACTIVE": "never",
    "GIT_EDITOR": "/bin/false", "GIT_PAGER": "cat", "GIT_MERGE_AUTOEDIT": "no",
}

# Looked for before the causes that are common to every git.
_FAULTS: tuple[tuple[Fault, str], ...] = (
    ("busy", r"\.lock': File exists|Another git process|could not lock"),
    ("identity", r"tell me who you are|empty ident|auto-detect email|no email was given"),
    ("signature", r"failed to sign|gpg: |failed to write commit object"),
    ("ownership", r"dubious ownership"),
    ("auth", r"Permission denied \(|Host key verification failed|no such identity|publickey"),
    ("overlap", r"would be overwritten by|not uptodate|Your local changes"),
    ("protected", r"refusing to update checked out branch|denyCurrentBranch"),
)
_COMMON: dict[str, Fault] = {
    "auth": "auth", "rejected_stale": "behind", "rejected_hook": "protected",
    "not_found": "not_found", "network": "network", "timeout": "slow", "disk": "disk",
    "conflict": "busy",
}


class OwnGitError(HistoryError):
    """git could not do it. `detail` is for the log alone: it holds git's words, addresses, ids."""

    def __init__(self, fault: Fault, verb: str, detail: str = "") -> None:
        super().__init__(f"work_git_{fault}")
        self.fault = fault
        self.verb = verb
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One call. `reads`: it takes no lock and writes nothing, not even a refreshed list of files."""

    words: tuple[str, ...]
    stdin: bytes = b""
    env: Mapping[str, str] | None = None
    reads: bool = True
    deadline_s: float = QUICK_S
    ok: Collection[int] = (0,)
    limit: int = _LIMIT
    cut: bool = False  # more than `limit` bytes are cut off; else they are an error


class OwnGit:
    """git, started in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, *words: str, stdin: bytes = b"", ok: Collection[int] = (0,)) -> bytes:
        """What it printed, of a call that changes nothing. Raises OwnGitError."""
        return self.run(Ask(words=words, stdin=stdin, ok=ok))[1]

    def line(self, *words: str, ok: Collection[int] = (0,)) -> str:
        """The one line that it printed; paths that are no UTF-8 survive."""
        return self.read(*words, ok=ok).decode("utf-8", "surrogateescape").removesuffix("\n")

    def run(self, ask: Ask) -> tuple[int, bytes]:
        """Exit code and output, the code one of `ask.ok`."""
        # Files, not pipes: what a hook leaves running in the background holds a pipe open for ever.
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, \
                tempfile.TemporaryFile() as err:
            given.write(ask.stdin)
            given.seek(0)
            code = self._wait(ask, given, out, err)
            out.seek(0)
            printed = out.read(ask.limit + 1)
            words = readable(_end_of(err))
        if code not in ask.ok:
            said = words + readable(printed[:_KEPT]) if ask.words[0] == "push" else words
            raise OwnGitError(fault_of(said), ask.words[0], f"exit code {code}: {said}")
        if len(printed) > ask.limit and not ask.cut:
            raise OwnGitError("other", ask.words[0], f"more than {ask.limit} bytes of output")
        return code, printed[: ask.limit]

    def _wait(self, ask: Ask, given: IO[bytes], out: IO[bytes], err: IO[bytes]) -> int:
        try:
            process = subprocess.Popen(
                self._argv(ask), cwd=self.folder, env=self._environment(ask), stdin=given,
                stdout=out, stderr=err, start_new_session=True,
            )
        except OSError as error:
            raise OwnGitError("missing", ask.words[0], str(error)) from error
        watch = threading.Event()
        if ask.cut:
            threading.Thread(target=_end_when_full, args=(process, out, ask.limit, watch),
                             daemon=True).start()
        try:
            code = process.wait(ask.deadline_s)
        except subprocess.TimeoutExpired:
            _kill(process)
            detail = readable(_end_of(err))
            raise OwnGitError("slow", ask.words[0], f"after {ask.deadline_s} s: {detail}") from None
        finally:
            watch.set()
        full = ask.cut and os.fstat(out.fileno()).st_size > ask.limit
        return 0 if full else code

    def _argv(self, ask: Ask) -> list[str]:
        reading = ["--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false"]
        return ["git", "-c", "core.quotePath=false", *(reading if ask.reads else ()), *ask.words]

    def _environment(self, ask: Ask) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items()
            if name not in _ASTRAY and not name.startswith(("GIT_TRACE", "GIT_CONFIG_"))
        }
        return {**kept, **_SILENT, **self._ssh(kept), **(ask.env or {})}

    def _ssh(self, env: Mapping[str, str]) -> dict[str, str]:
        """His own ssh, told not to ask. Another program in its place is left as it is."""
        command = env.get("GIT_SSH_COMMAND", "")
        if not command and "GIT_SSH" in env:
            return {}
        if not command:
            command = self._ssh_command or "ssh"
        try:
            program = Path(shlex.split(command)[0]).name
        except (ValueError, IndexError):
            return {}
        return {"GIT_SSH_COMMAND": f"{command} -o BatchMode=yes"} if program == "ssh" else {}

    @cached_property
    def _ssh_command(self) -> str:
        try:
            done = subprocess.run(
                ["git", "config", "--get", "core.sshCommand"], cwd=self.folder, timeout=QUICK_S,
                stdin=subprocess.DEVNULL, capture_output=True, check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout.decode("utf-8", "replace").strip()


def fault_of(words: str) -> Fault:
    """What kind of failure git's words describe."""
    for fault, pattern in _FAULTS:
        if re.search(pattern, words):
            return fault
    return _COMMON.get(cause_of(words), "other")


def _end_when_full(process: subprocess.Popen[bytes], out: IO[bytes], limit: int,
                   over: threading.Event) -> None:
    """A difference of gigabytes must not fill the disk when its first page is all that is read."""
    while not over.wait(0.05):
        with suppress(OSError, ValueError):
            if os.fstat(out.fileno()).st_size > limit:
                _kill(process)
                break


def _kill(process: subprocess.Popen[bytes]) -> None:
    # By group: git starts transports and hooks that outlive it otherwise.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _end_of(file: IO[bytes]) -> bytes:
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), _KEPT, max(0, size - _KEPT))
