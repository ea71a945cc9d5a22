"""The command `agentcells`: quick ways in for what a timer and an agent call, typer for people.

What the user can mend is one line and exit 1, 2 or 75; a bug is a log to paste and exit 3,
never a bare traceback.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

from agentcells.model import Problem


def main() -> int:
    try:
        return _dispatch(sys.argv[1:])
    except Problem as problem:
        return _tell(problem)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except Exception:
        return _bug()


def _dispatch(args: list[str]) -> int:
    """Inner commands and the hot paths do without typer: it costs more than they do."""
    head, rest = (args[0] if args else ""), args[1:]
    if head == "cell":
        from agentcells import door

        return door.main(rest)
    if inner := _INNER.get(head):
        return inner()(*rest)
    from agentcells.cli import run

    return run()


def _pass() -> Callable[..., int]:
    from agentcells.coordinator import child_pass

    return child_pass


def _coordinate() -> Callable[..., int]:
    from agentcells.coordinator import coordinate

    return coordinate


def _run() -> Callable[..., int]:
    from agentcells.runner import main as runner_main

    return runner_main


def _supervise() -> Callable[..., int]:
    from agentcells.supervisor import main as supervisor_main

    return supervisor_main


def _tick_failed() -> Callable[..., int]:
    from agentcells.notify import failed_elsewhere

    return failed_elsewhere


_INNER: dict[str, Callable[[], Callable[..., int]]] = {
    "_pass": _pass, "_coordinate": _coordinate, "_run": _run, "_supervise": _supervise,
    "_tick_failed": _tick_failed,
}


def _language() -> str:
    return "ja" if os.environ.get("LC_ALL", os.environ.get("LANG", "")).startswith("ja") else "en"


def _tell(problem: Problem) -> int:
    from agentcells.sentences import say
    from agentcells.text import printable

    line = say(problem.key, _language(), **problem.slots)
    print("\n".join(printable(part) for part in line.splitlines()), file=sys.stderr)
    return problem.exit_code


def _bug() -> int:
    """A log with versions and traceback, ready to paste; one line names it."""
    from agentcells import __version__
    from agentcells.gate import redact
    from agentcells.known_secrets import environment_secrets
    from agentcells.sentences import say

    report = "\n".join([
        f"agentcells {__version__}, Python {sys.version.split()[0]}, {sys.platform}",
        f"command: {' '.join(sys.argv[1:2])}",
        traceback.format_exc(),
    ])
    fd, name = tempfile.mkstemp(prefix="agentcells-bug-", suffix=".log")
    os.close(fd)
    Path(name).write_text(redact(report, environment_secrets()), encoding="utf-8")
    print(say("bug", _language(), log=name), file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main())
