"""A draft of a record's message, by the model that the person's own claude talks to (J1).

It is shown the differences and nothing else, may use no tool, and what it says is a suggestion.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentcells.claude import QUIET
from agentcells.emptying import passing_folder
from agentcells.sentences import say
from agentcells.text import bounded, clean

DIFF_SHOWN = 60_000
MESSAGE = 2_000
TIMEOUT_S = 90
_NAMED = 3
_FLAGS = (
    "-p", "--output-format", "text", "--setting-sources", "", "--strict-mcp-config",
    "--disable-slash-commands", "--no-session-persistence", "--permission-mode", "dontAsk",
    "--tools", "", "--max-turns", "1", "--model", "haiku",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """`read`: by a model from the differences; else from the names of the files alone."""

    text: str
    read: bool


def message(diff: str, files: Sequence[str], language: str, command: Sequence[str],
            log: Callable[[str], None]) -> Draft:
    """Never fails: without a model the draft names the files."""
    prompt = say("work_draft_prompt", language, diff=bounded(diff, DIFF_SHOWN, language))
    try:
        with passing_folder("agentcells-draft-") as elsewhere:
            done = subprocess.run(
                [*command, *_FLAGS], cwd=elsewhere, env={**os.environ, **QUIET},
                input=prompt.encode("utf-8", "replace"), capture_output=True, timeout=TIMEOUT_S,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        log(f"draft: {error}")
        return Draft(text=_plain(files, language), read=False)
    text = clean(done.stdout.decode("utf-8", "replace")).strip().strip("`").strip()
    if done.returncode != 0 or not text:
        log(f"draft: exit code {done.returncode}: {done.stderr[-500:]!r}")
        return Draft(text=_plain(files, language), read=False)
    return Draft(text=text[:MESSAGE], read=True)


def _plain(files: Sequence[str], language: str) -> str:
    names = ", ".join(files[:_NAMED]) + (", …" if len(files) > _NAMED else "")
    return say("work_draft_names", language, names=names)
