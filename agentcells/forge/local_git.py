"""The forge's side of git: tips, merges and branches of a bare repository of the local forge."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from agentcells.forge import ForgeError
from agentcells.git_process import Answer, Call, GitError, run
from agentcells.model import Sha


class Bare:
    """Verbs on the bare repository at `path`; `repo` is its name for messages.

    Not `agentcells.git.Git`: that owns the CLI's repository and never moves a branch here, where
    merging one is the forge's business. Both start git by the same function.
    """

    def __init__(self, path: Path, repo: str) -> None:
        self.path = path
        self.repo = repo

    def init(self, default_branch: str) -> None:
        if (self.path / "HEAD").is_file():
            return
        self.path.mkdir(parents=True, exist_ok=True)
        self._git("init", "-q", "--bare", "--template=", f"--initial-branch={default_branch}",
                  str(self.path), made=False)
        # A push that tidies up in the background would leave a process behind.
        self._git("config", "gc.autoDetach", "false")

    def tips(self) -> dict[str, Sha]:
        """Every branch and its newest commit."""
        listed = self._git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
        lines = _text(listed).split("\n")  # a name may hold other line ends
        pairs = (line.split(" ", 1) for line in lines if line)
        return {ref.removeprefix("refs/heads/"): Sha(sha) for sha, ref in pairs}

    def ahead(self, base: Sha, head: Sha) -> int:
        return int(_text(self._git("rev-list", "--count", f"{base}..{head}")))

    def contains(self, newer: Sha, older: Sha) -> bool:
        return self._git("merge-base", "--is-ancestor", older, newer, ok=(0, 1)).code == 0

    def merged_tree(self, base: Sha, head: Sha) -> str | None:
        """The tree of the clean merge, None when it conflicts or the two have no common past."""
        if self._git("merge-base", base, head, ok=(0, 1)).code:
            return None
        merged = self._git("merge-tree", "--write-tree", base, head, ok=(0, 1))
        return _text(merged).split("\n", 1)[0] if merged.code == 0 else None

    def commit(
        self, tree: str, parents: Sequence[Sha], message: str, who: str, at: datetime
    ) -> Sha:
        named = {}
        for role in ("AUTHOR", "COMMITTER"):
            named[f"GIT_{role}_NAME"] = who
            named[f"GIT_{role}_EMAIL"] = f"{who}@forge.invalid"
            named[f"GIT_{role}_DATE"] = f"@{int(at.timestamp())} +0000"
        words = [word for sha in parents for word in ("-p", sha)]
        made = self._git("commit-tree", tree, *words, "-F", "-", stdin=message, env=named)
        return Sha(_text(made).strip())

    def move(self, branch: str, new: Sha, old: Sha) -> bool:
        """Compare and swap; False when the branch was no longer at `old`."""
        try:
            self._git("update-ref", f"refs/heads/{branch}", new, old)
        except ForgeError:
            if self.tips().get(branch) == old:
                raise
            return False
        return True

    def delete(self, branch: str) -> None:
        self._git("update-ref", "-d", f"refs/heads/{branch}")

    def _git(
        self, *arguments: str, ok: Collection[int] = (0,), stdin: str = "", made: bool = True,
        env: Mapping[str, str] | None = None,
    ) -> Answer:
        if made and not (self.path / "HEAD").is_file():
            raise ForgeError("local_no_git", repo=self.repo, path=self.path)
        try:
            return run(Call(store=self.path, arguments=arguments, env=env), stdin.encode(), ok=ok)
        except GitError as error:
            if error.key in ("git_missing", "git_not_started"):
                raise ForgeError(error.key, exit_code=error.exit_code, **error.slots) from error
            detail = error.slots["detail"]
            raise ForgeError("local_git", exit_code=error.exit_code, repo=self.repo,
                             verb=error.verb, detail=detail) from error


def _text(answer: Answer) -> str:
    return answer.out.decode("utf-8", "surrogateescape")
