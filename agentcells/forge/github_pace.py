"""How fast we write to GitHub: a handful at once, then one a second.

GitHub asks for a second between writes where there are many, and takes 80 that make something in a minute;
beyond that it shuts an account out for a while. One result is some ten writes: they need not wait.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

AT_ONCE = 20
EVERY_S = 1.0


@dataclass(slots=True)
class Pace:
    """Of one connection. `left` of what may go out at once, growing by one each second."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    left: float = AT_ONCE
    at: float = 0.0

    def wait(self) -> None:
        """Before each write."""
        self._grow()
        if self.left < 1:
            self.sleep((1 - self.left) * EVERY_S)
            self._grow()
        self.left = max(0.0, self.left - 1)

    def _grow(self) -> None:
        now = self.now()
        self.left = min(float(AT_ONCE), self.left + (now - self.at) / EVERY_S)
        self.at = now
