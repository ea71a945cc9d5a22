"""The books of cells on "factory", one small file of the state folder (R50).

Like the brake, it is no state that correctness rests on: lost or broken, the books begin anew, and
what was filed is looked for on the forge.
"""

from __future__ import annotations

from agentcells.plan import FactoryBook
from agentcells.store import State, keep, writing
from agentcells.wire import from_json, to_json

NAME = "factory.json"


def books(state: State) -> dict[str, FactoryBook]:
    """By the name of the cell. A broken file is set aside, and `state.lost` names it."""
    path = state.root / NAME
    try:
        return from_json(dict[str, FactoryBook], path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        state.lost.append(NAME)
        if not state.reading:
            with writing(path):
                path.rename(path.with_suffix(".broken"))
        return {}


def keep_book(state: State, cell: str, book: FactoryBook) -> None:
    keep(state.root / NAME, to_json({**books(state), cell: book}))


__all__ = ["books", "keep_book"]
