"""Every sentence a person reads, English and Japanese side by side, by its key.

Catalogues are split by where the sentence is read; a key is unique over all of them.
`say` is the only way out, so a missing sentence or slot is found by one test.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from agentcells.sentences import (
    commands,
    comments,
    errors,
    operating,
    reasons,
    records,
    setup,
    work,
)

Language: TypeAlias = Literal["en", "ja"]
Catalogue: TypeAlias = dict[str, tuple[str, str]]

SENTENCES: Catalogue = {
    **errors.ERRORS, **reasons.REASONS, **comments.COMMENTS, **commands.COMMANDS,
    **records.RECORDS, **work.WORK, **operating.OPERATING, **setup.SETUP,
}


def say(key: str, language: str = "en", /, **slots: object) -> str:
    """The sentence `key` in `language` ("en" or "ja") with its slots filled.

    Raises KeyError for an unknown key or a missing slot: that is a bug, found by the tests.
    """
    english, japanese = SENTENCES[key]
    return (japanese if language == "ja" else english).format(**slots)
