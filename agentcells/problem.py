"""The one error that a person can mend. Alone here: a supervisor needs no other word of the forge's."""

from __future__ import annotations


class Problem(Exception):
    """Something the user can mend. `key` names a sentence of `agentcells.sentences`, `slots` fill it.

    Exit codes: 1 refused or failed, 2 usage or configuration, 75 try later.
    """

    def __init__(self, key: str, /, *, exit_code: int = 1, **slots: object) -> None:
        super().__init__(key, slots)
        self.key = key
        self.exit_code = exit_code
        self.slots = slots
