"""What went wrong and how the user mends it: the messages of Problem."""

from __future__ import annotations

ERRORS: dict[str, tuple[str, str]] = {
}
