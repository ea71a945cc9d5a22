"""Differences for a reader: headers of our own, the lines as git computed them."""

from __future__ import annotations

from collections.abc import Sequence

from agentcells.history import ChangeKind

_FILE = b"diff --git "


def differences(changes: Sequence[tuple[str, ChangeKind]], patch: bytes) -> str:
    """`changes` in the order of the files of `patch`. "" when there are none.

    Lines of a file's content begin with a blank, "+", "-" or "\\", so a header cannot be forged
    from inside; paths are never read out of the patch.
    """
    parts = iter(_split(patch))
    shown = []
    for path, kind in changes:
        part = next(parts)
        text = _lines(part)
        if kind == "changed" and any(line.startswith(b"deleted file mode") for line in part):
            text += _lines(next(parts))  # a link became a file: git tells it in two steps
        shown.append(f"== {path} ({kind})\n{text}")
    return "\n".join(shown)


def _split(patch: bytes) -> list[list[bytes]]:
    parts: list[list[bytes]] = []
    for line in patch.split(b"\n"):
        if line.startswith(_FILE):
            parts.append([])
        elif parts:
            parts[-1].append(line)
    return parts


def _lines(part: list[bytes]) -> str:
    """The hunks. Before the first of them stand only git's own headers."""
    start = next((i for i, line in enumerate(part) if line.startswith(b"@@ ")), None)
    if start is None:
        binary = any(line.startswith(b"Binary files ") for line in part)
        return "(binary)\n" if binary else ""
    shown = b"\n".join(part[start:]).decode("utf-8", "replace")
    return "".join(c for c in shown if c.isprintable() or c in "\n\t").rstrip("\n") + "\n"
