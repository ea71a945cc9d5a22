"""Why an item is left alone, and what was done with it: status, why, dry-run."""

from __future__ import annotations

REASONS: dict[str, tuple[str, str]] = {
}
