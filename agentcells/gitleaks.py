"""gitleaks as one more pair of eyes, where it is installed: with our settings, blind to the work's own (R45).

It gets contents on its standard input, from a folder with nothing in it: no `.gitleaks.toml` and no
`.gitleaksignore` of the work is ever read, and no comment in a file makes it look away.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentcells.emptying import passing_folder

SETTINGS = 'title = "agentcells"\n[extend]\nuseDefault = true\n'
FOUND = 9  # our own exit code for a find: 1 is what it ends with when anything is wrong
WITHIN_S = 60
BROKEN = "gitleaks"  # the name of a find that is none: it failed, and so nobody knows


def program() -> str | None:
    return shutil.which("gitleaks")


def search(
    where: str, contents: Iterable[tuple[str, bytes, tuple[bytes, ...]]]
) -> Iterator[tuple[str, str]]:
    """(name of the content, rule that found something new in it). `contents`: name, bytes, and what
    was there before: what stands in that is no news."""
    with passing_folder("agentcells-gitleaks-") as folder:
        (folder / "settings.toml").write_text(SETTINGS, encoding="utf-8")
        for name, content, before in contents:
            for rule in dict.fromkeys(_look(where, folder, content, before)):
                yield name, rule


def _look(where: str, folder: Path, content: bytes, before: tuple[bytes, ...]) -> Iterator[str]:
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    argv = [
        where, "stdin", "--no-banner", "--ignore-gitleaks-allow", "--config", str(folder / "settings.toml"),
        "--gitleaks-ignore-path", "/dev/null", "--report-format", "json", "--report-path", str(report),
        "--exit-code", str(FOUND),
    ]
    try:
        done = subprocess.run(
            argv, input=content, env={"PATH": "/usr/bin:/bin", "HOME": str(folder)}, cwd=folder,
            capture_output=True, timeout=WITHIN_S, check=False,
        )
        if done.returncode == 0:
            return
        finds = json.loads(report.read_bytes()) if done.returncode == FOUND else None
        found = [(str(find["RuleID"]), str(find["Secret"])) for find in finds] if finds else []
    except (OSError, ValueError, KeyError, TypeError, RecursionError, subprocess.TimeoutExpired):
        found = []
    if not found:
        yield BROKEN
    for rule, secret in found:
        if not any(secret.encode() in old for old in before):
            yield rule
