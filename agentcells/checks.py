"""What a build service says, made fit to be read: a log without the noise of its viewer (R12)."""

from __future__ import annotations

import re

# As services colour their lines, stamp them, and fold them up for the browser.
_COLOUR = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_STAMP = re.compile(r"(?m)^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?")
_FOLD = re.compile(r"(?m)^##\[(?:end)?group\].*\n?")
_MARK = re.compile(r"(?m)^##\[(?:error|command|warning|debug|notice)\]")
_REDRAWN = re.compile(r"(?m)^[^\n]*\r(?!\n)")  # a progress bar: what was drawn over is gone


def cleaned(log: str, limit: int) -> str:
    """The end of it, from a whole line on: that is where a job says why it failed."""
    found = _COLOUR.sub("", log)
    for pattern in (_STAMP, _FOLD, _MARK, _REDRAWN):
        found = pattern.sub("", found)
    found = found.replace("\r\n", "\n").strip("\n")
    if len(found) <= limit:
        return found
    end = found[-limit:]
    return end.partition("\n")[2] or end
