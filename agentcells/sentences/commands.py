"""What the commands print: progress, the demo's story, help."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
}
