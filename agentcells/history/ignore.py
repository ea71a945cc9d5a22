"""The ignore rules of the base, asked of git on a folder that holds nothing else (R42)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import TypeAlias

from agentcells.emptying import passing_folder
from agentcells.git import Entry, Git
from agentcells.git_process import Call, GitError, Running

Ignored: TypeAlias = Callable[[str], bool]

_RULES = ".gitignore"
_FIELDS = 4  # source, line, pattern, path: each ends with NUL
_DEADLINE_S = 120.0


@contextmanager
def ignore_rules(git: Git, base: Mapping[str, Entry]) -> Iterator[Ignored]:
    """A question that is answered by git: does the base leave this path out?

    A folder's path ends with a slash. git starts at the first question, in a skeleton: the files of
    the agent are never its work tree. An own matcher was measured: it differs from git.
    """
    with _Rules(git, base) as rules:
        yield rules.ignored


class _Rules:
    def __init__(self, git: Git, base: Mapping[str, Entry]) -> None:
        self._git = git
        # git itself does not follow a .gitignore that is a symlink.
        self._files = {
            path: entry.sha for path, entry in base.items()
            if path.rpartition("/")[2] == _RULES and entry.mode.startswith("100")
        }
        self._used = ExitStack()
        self._process: Running | None = None
        self._rest = b""

    def __enter__(self) -> _Rules:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._used.close()

    def ignored(self, path: str) -> bool:
        if not self._files:
            return False
        process = self._process or self._start()
        # "./": a name such as ":(glob)x" is a name, not a pattern.
        process.stdin.write(b"./" + path.encode("utf-8", "surrogateescape") + b"\0")
        process.stdin.flush()
        source, _, pattern, _ = (self._field(process) for _ in range(_FIELDS))
        return bool(source) and not pattern.startswith(b"!")

    def _start(self) -> Running:
        root = self._used.enter_context(passing_folder("agentcells-rules-"))
        contents = dict(self._git.blobs(set(self._files.values())))
        for path, sha in self._files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents[sha])
        self._process = Running(Call(
            store=self._git.store, cwd=str(root),
            env={"GIT_WORK_TREE": str(root), "GIT_LITERAL_PATHSPECS": "0"},  # it knows no other
            arguments=["check-ignore", "--no-index", "-z", "-v", "-n", "--stdin"],
            settings=["core.bare=false"], deadline_s=_DEADLINE_S,
        ), stdin=None)
        self._used.callback(self._process.close)
        return self._process

    def _field(self, process: Running) -> bytes:
        while b"\0" not in self._rest:
            chunk = process.stdout.read1(65_536)  # type: ignore[attr-defined]
            if not chunk:
                process.end()
                raise GitError("other", "check-ignore", "it ended before it had answered")
            self._rest += chunk
        field, _, self._rest = self._rest.partition(b"\0")
        return field
