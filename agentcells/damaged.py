"""What is damaged in the state folder and would hold a line up: put away whole, and told of.

Run folders that cannot be read, for no tick could look past one; and repositories of ours that git cannot
read, which are fetched again. What they held stays beside, for a person to look at.
"""

from __future__ import annotations

from pathlib import Path

from agentcells.emptying import remove_tree
from agentcells.model import Problem
from agentcells.store import RunFolder, State, writing


def set_aside(state: State) -> list[Problem]:
    """What is to be told. Only under the pass lock. Without its folder a run counts as dead (R33)."""
    told = []
    suspects: dict[str, None] = {}
    for folder in state.runs():
        if folder.alive():
            continue
        if damage := _damage(folder):
            aside = _put_away(folder.path, state.logs / f"{folder.run}.broken")
            told.append(Problem("store_run_set_aside", run=folder.run, detail=damage, path=aside))
        else:
            suspects[folder.order().repo] = None  # it was not published when it ended: why?
    suspects |= {pair.rpartition("#")[0]: None for pair in state.troubles()}
    return told + [problem for repo in suspects if (problem := _repository(state, repo))]


def _damage(folder: RunFolder) -> str:
    """Which file of it cannot be read, "" when all can that a pass needs."""
    try:
        folder.order()
        folder.limits()
    except Problem as problem:
        return str(problem.slots["detail"])
    return ""


def _repository(state: State, repo: str) -> Problem | None:
    """One look at its refs shows what breaks it: HEAD, its settings, a ref that names nothing."""
    from agentcells.git_process import Call, GitError, run  # an idle tick does without

    store = state.repository(repo)
    alive = any(folder.alive() for folder in state.runs())
    if alive or not (store / "HEAD").exists():
        return None
    try:
        words = run(Call(store=store, arguments=["for-each-ref", "--format=%(refname)"])).err
    except GitError as error:
        words = error.detail or error.cause
    if not words:
        return None
    aside = _put_away(store, store.with_suffix(".broken"))
    return Problem("store_repository_set_aside", repo=repo, detail=words.splitlines()[0], path=aside)


def _put_away(path: Path, aside: Path) -> Path:
    with writing(aside):
        remove_tree(aside)
        path.rename(aside)
    return aside
