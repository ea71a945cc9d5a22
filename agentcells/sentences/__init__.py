"""Every sentence a person reads, English and Japanese side by side, by its key.

Catalogues are split by where the sentence is read; a key is unique over all of them.
`say` is the only way out, so a missing sentence or slot is found by one test.

A number and its noun are one slot in English: `{count:run|runs}` is "1 run", "2 runs".
"""

from __future__ import annotations

import re
import string
from typing import Any, Literal, TypeAlias

from agentcells.sentences import (
    commands,
    comments,
    config_errors,
    errors,
    forge_errors,
    operating,
    prompts,
    reasons,
    records,
    reporting,
    setup,
    showing,
    work,
    work_refusals,
)

Language: TypeAlias = Literal["en", "ja"]
Catalogue: TypeAlias = dict[str, tuple[str, str]]

SENTENCES: Catalogue = {
    **errors.ERRORS, **config_errors.CONFIG_ERRORS, **forge_errors.FORGE_ERRORS,
    **reasons.REASONS, **comments.COMMENTS, **prompts.PROMPTS,
    **commands.COMMANDS, **showing.SHOWING, **operating.OPERATING, **reporting.REPORTING,
    **setup.SETUP, **records.RECORDS, **work.WORK, **work_refusals.WORK_REFUSALS,
}


def say(key: str, language: str = "en", /, **slots: object) -> str:
    """The sentence `key` in `language` ("en" or "ja") with its slots filled.

    Raises KeyError for an unknown key or a missing slot: that is a bug, found by the tests.
    """
    english, japanese = SENTENCES[key]
    return _COUNTING.format(japanese if language == "ja" else english, **slots)


def language_in(cells: str) -> Language:
    """What the text of a cells.toml says, even of one that cannot be read as a whole."""
    found = re.search(r'^\s*language\s*=\s*"ja"', cells, re.MULTILINE)
    return "ja" if found else "en"


class _Counting(string.Formatter):
    """As str.format, with words for one and for many behind a number."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        one, counts, many = format_spec.partition("|")
        if not counts:
            return super().format_field(value, format_spec)
        return f"{value} {one if str(value) == '1' else many}"


_COUNTING = _Counting()
