"""Printed words held in files: tests/snapshots/<folder>/<name>.txt.

After a wanted change of words: `AGENTCELLS_WRITE_SNAPSHOTS=1 make test`, then read the difference.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "snapshots"


def same(name: str, text: str) -> None:
    """The text is what the file of that name holds."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get("AGENTCELLS_WRITE_SNAPSHOTS"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    held = path.read_text(encoding="utf-8") if path.exists() else ""
    assert text.rstrip("\n") + "\n" == held, f"{path.name} differs"
