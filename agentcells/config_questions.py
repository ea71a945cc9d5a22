"""What is asked of a configuration, whether it was read just now or kept from an earlier tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentcells.config_model import Cell, Factory


class Questions:
    """Of `Config`, and of what `config_kept` gives in its place."""

    if TYPE_CHECKING:
        factory: Factory
        cells: tuple[Cell, ...]

    def cell(self, name: str) -> Cell | None:
        return next((cell for cell in self.cells if cell.name == name), None)

    def cell_of_label(self, state: str) -> Cell | None:
        """The cell that waits behind a state; None for needs-human and the like."""
        return self.cell(state)

    def label(self, state: str) -> str:
        """The label's whole name: a cell's own, else the prefix and the state."""
        cell = self.cell(state)
        return cell.label if cell is not None and cell.label else self.factory.label_prefix + state

    def state(self, label_name: str) -> str | None:
        """The state behind a label: a cell's name, or what stands after the prefix. None: not ours.

        Forges compare labels without case, so "AC:Review" put on by hand is ours as well.
        """
        folded, prefix = label_name.casefold(), self.factory.label_prefix.casefold()
        for cell in self.cells:
            if cell.label and cell.label.casefold() == folded:
                return cell.name
        return folded.removeprefix(prefix) if folded.startswith(prefix) else None

    def reply_cell(self) -> str | None:
        """Where the owner's words on `in-review` go; None: to the cell that opened it."""
        return self.factory.on_reply or None

    def checks_cell(self) -> str | None:
        """Where failed checks go; None: to the cell that opened the pull request."""
        return self.factory.on_checks_failed or self.reply_cell()
