"""A forge that counts: every write goes through here, and a story may let one fail, or die at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agentcells.forge import Forge

WRITES = frozenset({
    "add_labels", "remove_labels", "comment", "edit_comment", "reply", "assign", "create_issue",
    "edit_issue", "close", "open_pull", "merge", "delete_branch", "create_label",
})


@dataclass
class Trouble:
    """`error` comes instead of the answer; with `done` the forge has done it all the same (R18)."""

    verb: str
    error: Exception
    done: bool = False
    times: int = 1
    after: int = 0  # so many calls of this verb go well before


class Witness:
    """The real forge behind it does the work."""

    def __init__(
        self, forge: Forge, troubles: list[Trouble], log: list[str],
        step: Callable[[str], None] | None = None,
    ) -> None:
        self._forge = forge
        self._troubles = troubles
        self._log = log
        self._step = step or (lambda name: None)

    def __getattr__(self, verb: str) -> Any:
        found = getattr(self._forge, verb)
        if verb.startswith("_") or not callable(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            trouble = self._due(verb)
            if trouble and not trouble.done:
                raise trouble.error
            answer = found(*args, **kwargs)
            if verb in WRITES:
                self._log.append(f"{verb} {_about(args)}")
                self._step(f"forge: {verb}")
            if trouble:
                raise trouble.error
            return answer

        return call

    def _due(self, verb: str) -> Trouble | None:
        for trouble in self._troubles:
            if trouble.verb == verb and trouble.times > 0:
                if trouble.after > 0:
                    trouble.after -= 1
                    return None
                trouble.times -= 1
                return trouble
        return None


def _about(args: tuple[Any, ...]) -> str:
    return " ".join(
        f"#{arg.number}" if hasattr(arg, "number") else str(arg)[:60].replace("\n", " ")
        for arg in args
    )
