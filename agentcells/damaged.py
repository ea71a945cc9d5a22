"""Run folders that cannot be read: put away whole and told of, for no tick could look past one."""

from __future__ import annotations

from agentcells.model import Problem
from agentcells.store import RunFolder, State, remove_tree, writing


def set_aside(state: State) -> list[Problem]:
    """What is to be told. Only under the pass lock. Without its folder the run counts as dead (R33)."""
    told = []
    for folder in state.runs():
        if folder.alive() or not (damage := _damage(folder)):
            continue
        aside = state.logs / f"{folder.run}.broken"
        with writing(aside):
            remove_tree(aside)
            folder.path.rename(aside)
        told.append(Problem("store_run_set_aside", run=folder.run, detail=damage, path=aside))
    return told


def _damage(folder: RunFolder) -> str:
    """Which file of it cannot be read, "" when all can that a pass needs."""
    try:
        folder.order()
        folder.limits()
    except Problem as problem:
        return str(problem.slots["detail"])
    return ""
