"""Lines of a person's working copy: begun, left for another, brought together."""

from __future__ import annotations

from agentcells.history import HistoryError
from agentcells.history.checkout import Checkout
from agentcells.history.own_git import OwnGitError
from agentcells.history.own_locks import turn


class CheckoutWithLines(Checkout):
    """Satisfies `history.HistoryOfLines` too."""

    def new_line(self, name: str) -> None:
        with turn(self._folder):
            self._unhindered()
            self._demand_name(name)
            if self._objects.rev(f"refs/heads/{name}") or self._shared_line(name):
                raise HistoryError("work_line_there")
            self._change("switch", "--quiet", "--no-guess", "--no-track", "-c", name)

    def switch_line(self, name: str) -> None:
        with turn(self._folder):
            now = self._unhindered()
            self._demand_name(name)
            if self._changes(now):
                raise HistoryError("work_line_unrecorded")
            if self._objects.rev(f"refs/heads/{name}"):
                self._change("switch", "--quiet", "--no-guess", name)
            elif shared := self._shared_line(name):
                self._change("switch", "--quiet", "--track", "-c", name, shared)
            else:
                raise HistoryError("work_no_such_line")

    def merge_line(self, name: str) -> int:
        with turn(self._folder):
            self._unhindered()
            self._demand_name(name)
            if self._objects.rev(f"refs/heads/{name}"):
                return self._take_in(f"refs/heads/{name}")
            if shared := self._shared_line(name):
                return self._take_in(f"refs/remotes/{shared}")
            raise HistoryError("work_no_such_line")

    def _shared_line(self, name: str) -> str:
        """Where others have a line of this name, as far as is known here."""
        for remote in self._settings().remotes:
            if self._objects.rev(f"refs/remotes/{remote}/{name}"):
                return f"{remote}/{name}"
        return ""

    def _demand_name(self, name: str) -> None:
        if name.startswith("-") or name in ("@", "HEAD") or "@{" in name:  # git's own shorthands
            raise HistoryError("work_line_name")
        try:
            self._own.read("check-ref-format", "--branch", name)
        except OwnGitError as error:
            raise HistoryError("work_line_name") from error
