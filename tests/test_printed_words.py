"""What each command prints, word for word, in both languages; held in tests/snapshots/printed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.snapshot import same
from tests.stage import Stage, answer, rule
from tests.typed import Typed, typed

__all__ = ["typed"]

COMMANDS = (
    "check", "status", "status --offline", "why 1", "why 9", "logs", "report", "timer show", "timer remove",
    "issue list", "issue show 1", "issue show 9", "issue comment 1 No.", "tick --dry-run", "stop", "stop",
    "stop --resume", "retry 1", "release 1", "release 1", "init --yes", "logs r1", "report nonsense",
)
CHANGING = (
    (r"\br\d{8}T\d{6}-[0-9a-f]{6}\b", "RUN"), (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?", "DATE"),
    (r"\b\d+( s\b| ?秒)", r"N\1"), (r"git \d+\.\d+[.\w]*", "git VERSION"), (r"\b\d+ MB\b", "N MB"),
    (r"PATH=\S+", "PATH=…"), (r"\S*/bin/python3?\b\S*", "PYTHON"), (r"\S*/bin/agentcells\b", "AGENTCELLS"),
    (r"[\d,]+( tokens|トークン| トークン)", r"N\1"), (r"\| [\d,]+ \| \d+\.\d\d \|", "| N | USD |"),
    (r"\$\d+\.\d\d", "$USD"), (r"\b\d+\.\d\d ドル", "USD ドル"), (r"[0-9a-f]{12}", "HEX"), (r"R\d+\.\d+\.\d+", "POST"), (r"\S+/python3\b", "PYTHON"),
)


def settled(words: str, root: Path) -> str:
    """Without what differs from run to run and from machine to machine."""
    words = words.replace(str(root), "DIR")
    for pattern, name in CHANGING:
        words = re.sub(pattern, name, words)
    return "\n".join(line.rstrip() for line in words.splitlines())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_each_command_prints(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    stage = Stage(tmp_path / "line", rules=[rule("triage", answer("needs-human", "Which key?"))],
                  factory=f'language = "{language}"\n')
    stage.file("triage")
    stage.tick()
    monkeypatch.chdir(stage.root)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{stage.root}:{os.environ['PATH']}")
    for name in ("crontab", "systemctl"):
        (stage.root / name).symlink_to("/bin/false")
    told = []
    for words in COMMANDS:
        said = typed(stage, *words.split())
        told.append(f"$ agentcells {words}\n{said.out}{said.err}exit {said.code}\n")
        if language == "ja" and said.code:
            assert re.search("[぀-ヿ一-鿿]", said.err), words
    same(f"printed/commands.{language}", settled("\n".join(told), tmp_path))
