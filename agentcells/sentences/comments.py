"""What stands in comments, pull requests and prompts."""

from __future__ import annotations

COMMENTS: dict[str, tuple[str, str]] = {
}
