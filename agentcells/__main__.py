"""The command `agentcells`: quick ways in for what a timer and an agent call, typer for people.

What the user can mend is one line and exit 1, 2 or 75; a bug is a log to paste and exit 3,
never a bare traceback.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentcells.model import Problem

# What a machine can lack: each of these is mended outside of agentcells. ENOENT without a name is a
# current folder that was deleted, or no folder for temporary files.
MACHINE = {
    errno.EACCES, errno.EDQUOT, errno.EIO, errno.EISDIR, errno.ELOOP, errno.EMFILE, errno.ENAMETOOLONG,
    errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.ENOTDIR, errno.EPERM, errno.EROFS, errno.ESTALE,
}  # fmt: skip
AGAIN_S = 0.05


def main() -> int:
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without our letters gets their numbers
            stream.reconfigure(errors="backslashreplace")
    code = _code()
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        return _unread(error)
    return code


def _open_closed() -> None:
    """Where a stream was closed (`>&-`) the next file opened would get its number, and our words with it."""
    while (fd := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(fd, True)
    os.close(fd)
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115  (as long as the process)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115


def _code() -> int:
    try:
        return _dispatch(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError as error:
        return _unread(error)
    except OSError as error:
        nameless = error.errno == errno.ENOENT and error.filename is None
        return _refused(error) if nameless or error.errno in MACHINE else _bug()
    except Exception as error:
        from agentcells.model import Problem  # as all the rest: a tick without news has no use for it

        return _tell(error) if isinstance(error, Problem) else _bug()


def _unread(error: OSError) -> int:
    """Our output cannot go where it should. A reader who has gone (`| head`) needs no word about it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1 if isinstance(error, BrokenPipeError) else _refused(error)


def _refused(error: OSError) -> int:
    from agentcells.model import Problem

    where = [str(name) for name in (error.filename, error.filename2) if name is not None]
    detail = f"{error.strerror or error}{': ' if where else ''}{', '.join(where)}"
    return _tell(Problem("system_refused", detail=detail))


def _dispatch(args: list[str]) -> int:
    """Inner commands and the hot paths do without typer: it costs more than they do."""
    head, rest = (args[0] if args else ""), args[1:]
    if head == "cell":
        from agentcells import door

        return door.main(rest)
    if inner := _INNER.get(head):
        return inner()(*rest)
    sys.unraisablehook = _unraisable
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    if head == "tick" and (code := _tick(rest)) is not None:
        return code
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup's choice stays
            signal.signal(number, _ended)
    from agentcells.cli import run

    return run()


def _ended(number: int, frame: object) -> None:
    """As a Ctrl-C: what the command made for itself goes with it, and what it started is ended."""
    sys.exit(128 + number)


def _tick(words: list[str]) -> int | None:
    """What a timer starts all day long: nothing is loaded that it does not need. None: typer's words."""
    from agentcells import quiet

    if (asked := quiet.asked(words)) is None:
        return None
    code, validators = quiet.tick(*asked)
    if code is not None:
        return code
    from agentcells.tick import whole

    return whole(*asked, validators)


def _unraisable(told: sys.UnraisableHookArgs) -> None:
    """A Ctrl-C that a library's own code swallowed, because it has no way to raise it, comes once more."""
    if told.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
    else:
        sys.__unraisablehook__(told)


def _pass() -> Callable[..., int]:
    from agentcells.coordinator import child_pass

    return child_pass


def _coordinate() -> Callable[..., int]:
    from agentcells.coordinator import coordinate

    return coordinate


def _run() -> Callable[..., int]:
    from agentcells.runner import main as runner_main

    return runner_main


def _tick_failed() -> Callable[..., int]:
    from agentcells.notify import failed_elsewhere

    return failed_elsewhere


_INNER: dict[str, Callable[[], Callable[..., int]]] = {
    "_pass": _pass, "_coordinate": _coordinate, "_run": _run,
    "_tick_failed": _tick_failed,
}


def _language() -> str:
    """That of the cells.toml at hand, else the shell's: a trouble is told like everything else."""
    from agentcells.sentences import language_in

    words = sys.argv[1:]
    named = [after for word, after in pairwise(words) if word in ("-c", "--config") or word in _INNER]
    named += [word.removeprefix("--config=") for word in words if word.startswith("--config=")]
    path = next(iter(named), os.environ.get("AGENTCELLS_CONFIG") or "cells.toml")
    with suppress(OSError, ValueError):
        if Path(path).is_file():
            return language_in(Path(path).read_text("utf-8"))
    shell = os.environ.get("LC_ALL") or os.environ.get("LANG", "")
    return "ja" if shell.startswith("ja") else "en"


def _tell(problem: Problem) -> int:
    from agentcells.sentences import say
    from agentcells.text import printable

    line = say(problem.key, _language(), **problem.slots)
    print("\n".join(printable(part) for part in line.splitlines()), file=sys.stderr)
    return problem.exit_code


def _bug() -> int:
    """A log with versions and traceback, ready to paste; one line names it."""
    import traceback

    from agentcells import __version__
    from agentcells.gate import redact
    from agentcells.known_secrets import environment_secrets
    from agentcells.sentences import say
    from agentcells.text import printable

    report = "\n".join([
        f"agentcells {__version__}, Python {sys.version.split()[0]}, {sys.platform}",
        f"command: {' '.join(sys.argv[1:2])}",
        traceback.format_exc(),
    ])
    clean = redact(report, environment_secrets())
    import tempfile  # it costs every other start some milliseconds

    try:
        fd, name = tempfile.mkstemp(prefix="agentcells-bug-", suffix=".log")
        os.close(fd)
        Path(name).write_text(clean, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        last = printable(clean.rstrip().splitlines()[-1])
        print(say("bug_no_log", _language(), why=error.strerror or error, what=last), file=sys.stderr)
    else:
        print(say("bug", _language(), log=name), file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main())
