"""Takes known secrets out of what is kept of a run: its stream, its logs, its prompt (R45)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentcells.gate import contains_secret, redact
from agentcells.secrets import Secrets
from agentcells.sentences import say
from agentcells.store import write_whole

PIECE, LINES = 1 << 16, 2_000  # what is looked at together; lines in it that are looked at one by one
KEPT = ("*.jsonl", "*.log", "*.txt", "*.json")


def clean_logs(folder: Path, secrets: Secrets, language: str) -> None:
    """Every kept file of the folder. What holds a secret in disguise is withheld."""
    for pattern in KEPT:
        for path in folder.glob(pattern):
            if path.is_symlink() or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            if contains_secret(text, secrets):
                clean = "".join(_cleaned(piece, secrets, language) for piece in _pieces(text))
                if contains_secret(clean, secrets):  # told over several pieces
                    clean = say("gate_text_withheld", language) + "\n"
                write_whole(path, clean)


def _pieces(text: str) -> Iterator[str]:
    """Whole lines, as many as fit: an agent writes empty ones by the million."""
    at = 0
    while at < len(text):
        end = text.rfind("\n", at, at + PIECE) + 1
        end = end or text.find("\n", at) + 1 or len(text)
        yield text[at:end]
        at = end


def _cleaned(piece: str, secrets: Secrets, language: str) -> str:
    """Without what can be cut out; else line by line, so that the others stay; of a flood, nothing."""
    withheld = say("gate_text_withheld", language)
    clean = redact(piece, secrets, language)
    if clean != withheld:
        return clean
    lines = piece.split("\n")
    if len(lines) > LINES:
        return f"{withheld}\n"
    return "\n".join(redact(line, secrets, language) for line in lines)
