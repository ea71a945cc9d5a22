"""Takes known secrets out of what is kept of a run: its stream, its logs, its prompt (R45)."""

from __future__ import annotations

from pathlib import Path

from agentcells.gate import contains_secret, redact
from agentcells.secrets import Secrets
from agentcells.sentences import say
from agentcells.store import write_whole

KEPT = ("*.jsonl", "*.log", "*.txt", "*.json")


def clean_logs(folder: Path, secrets: Secrets, language: str) -> None:
    """Every kept file of the folder. A line that holds a secret in disguise is withheld whole."""
    for pattern in KEPT:
        for path in folder.glob(pattern):
            if path.is_symlink() or not path.is_file():
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            if contains_secret(text, secrets):
                lines = [redact(line, secrets, language) for line in text.split("\n")]
                clean = "\n".join(lines)
                if contains_secret(clean, secrets):  # told over several lines
                    clean = say("gate_text_withheld", language) + "\n"
                write_whole(path, clean)
