"""An agentcells with one mechanism taken out, for the controls: `python weak.py NAME WORD…`.

The product has no switch for any of this. What is taken out here is taken out in every process of
the tick: pass, coordinator, runner, supervisor.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

SUPERVISE = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from tests.attacks.weak import take_out; take_out({name!r}); "
    "from agentcells.supervisor import main; sys.exit(main(sys.argv[2]))"
)

MECHANISMS: dict[str, Callable[[], None]] = {}


def mechanism(take: Callable[[], None]) -> Callable[[], None]:
    MECHANISMS[take.__name__] = take
    return take


def take_out(name: str) -> None:
    """From here on this process works without it, and so does every process that it starts."""
    from agentcells import attend, handover

    handover.program = lambda: [sys.executable, "-I", __file__, name]
    attend.SUPERVISE = SUPERVISE.format(name=name)
    MECHANISMS[name]()


@mechanism
def raw_import() -> None:
    """Before the seal, everyday git looks at the workspace, as any tool would."""
    import os
    import subprocess

    from agentcells.workspace import Seal, Workspace

    seal = Workspace.seal

    def naive(self: Workspace) -> Seal:
        env = {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_COUNT": "1",
            "HOME": str(self.folder / "home"),
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
        for words in (["add", "-A"], ["status"], ["diff", "HEAD"]):
            subprocess.run(["git", *words], cwd=self.folder / "work", env=env, check=False)
        return seal(self)

    Workspace.seal = naive  # type: ignore[method-assign]


@mechanism
def no_link_rule() -> None:
    """A link is what it points to, as most programs see it."""
    import os
    from pathlib import Path

    from agentcells.git import Entry, blob_id
    from agentcells.git_read import PLAIN
    from agentcells.history.walk import _Walk

    def follow(self: _Walk, parent: int, name: str, path: str, before: Entry | None) -> None:
        data = Path(os.readlink(name, dir_fd=parent)).read_bytes()
        self._take(path, Entry(mode=PLAIN, sha=blob_id(data)), data)

    _Walk._link = follow  # type: ignore[method-assign]


@mechanism
def no_count_of_names() -> None:
    """Every file is taken to have one name only."""
    import os
    from types import SimpleNamespace
    from typing import Any

    from agentcells.history import walk

    class Os(SimpleNamespace):
        def __getattr__(self, name: str) -> Any:
            return getattr(os, name)

        def fstat(self, descriptor: int) -> Any:
            found = os.fstat(descriptor)
            return SimpleNamespace(st_mode=found.st_mode, st_size=found.st_size, st_nlink=1)

    walk.os = Os()  # type: ignore[assignment,attr-defined]


@mechanism
def no_plain_paths() -> None:
    """`cell remove` takes what it is given."""
    from collections.abc import Sequence

    from agentcells.history.sealed import Sealed

    def naive(self: Sealed, paths: Sequence[str]) -> tuple[str, ...]:
        for path in paths:
            (self.work / path).unlink()
        return tuple(paths)

    Sealed.remove = naive  # type: ignore[method-assign]


@mechanism
def all_settings() -> None:
    """The agent is started without `--setting-sources ""`."""
    from typing import Any

    from agentcells import claude

    told = claude.arguments

    def without(*given: Any) -> list[str]:
        argv = told(*given)
        place = argv.index("--setting-sources")
        return argv[:place] + argv[place + 2 :]

    claude.arguments = without  # type: ignore[assignment]


@mechanism
def no_depth() -> None:
    """What comes through the door is read as any JSON is."""
    import json

    from agentcells import door

    door.parse = json.loads  # type: ignore[assignment]


@mechanism
def no_queue() -> None:
    """Whoever asks has his question kept until it is answered, there or not."""
    from agentcells import supervisor

    supervisor.QUESTIONS = 1 << 30


def main(name: str, *words: str) -> int:
    sys.path.insert(0, str(ROOT))
    from tests.attacks import weak  # the one that the patches know, not __main__

    weak.take_out(name)
    sys.argv[1:] = words
    from agentcells.__main__ import main as agentcells

    return agentcells()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
