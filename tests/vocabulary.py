"""The words that no model is to read on the doors of a run and of the work record server."""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORDS = r"""
git gitea github gitlab forgejo vcs lvcs hvcs svn mercurial jj commit\w* push\w* pull\w* fetch\w*
branch\w* merge\w* merging rebas\w* stash\w* checkout\w* cherry-?pick\w* clon(?:e\w*|ing) head
detached origin upstream remotes? refs? repos? repositor(?:y|ies) worktrees? (?:un)?staged untracked
index fast-forward\w* porcelain sha1? prs? stderr stdout traceback subprocess errno pydantic
version\ control pull\ request exit\ code exit\ status
"""
_PHRASES = re.split(r"(?<!\\)\s+", _WORDS.strip())
_ENGLISH = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_PHRASES)})(?![\w-])|fatal:|https?://", re.IGNORECASE
)
_LOAN = "[ァ-ヶー]"  # サンプル and シンプル are no プル
_JAPANESE = re.compile(
    rf"(?<!{_LOAN})(?:コミット|プッシュ|プル|ブランチ|マージ|リポジトリ|リベース)(?!{_LOAN})|バージョン管理"
)


def hits(text: str) -> list[str]:
    """The forbidden words in `text`, as they stand there."""
    return [found[0] for pattern in (_ENGLISH, _JAPANESE) for found in pattern.finditer(text)]


def strings(value: object) -> Iterator[str]:
    """Every string of a JSON value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)
