"""Two thousand ticks of a line that is used: nothing grows that is not the forge's own history."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from agentcells.git import Git
from agentcells.tick import tidy
from tests.invariants import at_rest
from tests.people import OWNER, REPO
from tests.stage import REVIEW, Heard, Stage, answer, rule

TICKS = int(os.environ.get("AGENTCELLS_SOAK_TICKS", "2000"))
FILED_EVERY = 25
IMPLEMENT = rule(
    "implement", {"append": {"game.py": "LIVES = 3\n"}}, {"cell": ["record", "-m", "Three lives"]},
    {"answer": {"next": "review", "comment": "Done."}},
)


@dataclass(frozen=True, slots=True)
class Census:
    """What there is of everything that could pile up."""

    memory_mb: float
    descriptors: int
    threads: int
    children: int
    locks: int
    files: dict[str, int]  # of the state folder, by its first part
    refs: int  # of our own repository
    branches: int  # on the forge
    leases: int


def take(stage: Stage) -> Census:
    me = psutil.Process()
    root = stage.state.root
    files: dict[str, int] = {}
    for path in root.rglob("*"):
        if path.is_file() and "objects" not in path.parts:
            part = path.relative_to(root).parts[0]
            files[part] = files.get(part, 0) + 1
    own = f" {os.getpid()} "
    return Census(
        memory_mb=me.memory_info().rss / 2**20, descriptors=me.num_fds(), threads=threading.active_count(),
        children=len(me.children(recursive=True)),
        locks=sum(own in line for line in Path("/proc/locks").read_text(encoding="ascii").splitlines()),
        files=files, refs=refs(root / "repos"), branches=len(stage.branches()),
        leases=refs(stage.root / "forge", "refs/agentcells"),
    )


def refs(folder: Path, below: str = "refs/agentcells/kept") -> int:
    return sum(1 for path in folder.rglob("*") if path.is_file() and f"/{below}/" in str(path))


@pytest.mark.slow
def test_nothing_grows_in_two_thousand_ticks(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "w", rules=[IMPLEMENT, REVIEW], factory="lease = true")
    early = None
    for number in range(TICKS):
        stage.advance(minutes=10)
        if number % FILED_EVERY == 0:
            stage.file()
        ticked = stage.tick_as("m1")
        assert ticked.problem is None, ticked.problem
        if ticked.cells:
            pull = max(stage.people.numbers())
            assert stage.states(pull) == {"in-review"}, number
            stage.people.merge(pull, OWNER)
        stage.writes.clear()
        stage.prompts.clear()
        stage.machine = "-m1"
        tidy(stage.config, stage.state, Heard("quiet"))  # the last that a tick does
        if number == TICKS // 4:
            early = take(stage)
    late = take(stage)
    assert early is not None
    assert late.memory_mb < early.memory_mb * 1.2 + 10, (early, late)
    for name in ("descriptors", "threads", "children", "locks", "refs", "leases"):
        assert getattr(late, name) <= getattr(early, name), (name, early, late)
    assert late.branches <= early.branches + 1, stage.branches()
    for part in early.files | late.files:
        if part == "repos":  # where branches stood: forgotten when there are too many
            assert late.files[part] <= 40, (early.files, late.files)
        elif part != "logs":  # the newest 200 runs are kept, by rule
            assert late.files.get(part, 0) <= early.files.get(part, 0) + 3, (part, early.files, late.files)
    assert len(list((stage.state.root / "logs").iterdir())) <= 201
    assert stage.people.forge().lease(REPO, 1) is None
    at_rest(stage)


def test_an_item_that_is_out_of_the_line_leaves_no_file_behind(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "w", rules=[rule("implement", answer("needs-human", "Which colour?"))])
    gone, stays = stage.file(), stage.file()
    stage.tick()
    stage.advance(minutes=5)
    stage.tick()
    cache = stage.state.root / "cache" / REPO.replace("/", "__")
    assert {path.name for path in cache.iterdir()} == {f"{gone}.json", f"{stays}.json"}
    stage.people.close(gone, OWNER)
    stage.advance(minutes=5)
    stage.tick()
    stage.advance(minutes=5)
    stage.file("")
    stage.tick()
    assert {path.name for path in cache.iterdir()} == {f"{stays}.json"}


def test_where_branches_stood_is_forgotten_and_kept_work_is_not(tmp_path: Path) -> None:
    git = Git(tmp_path / "store.git")
    git.init()
    sha = git.commit_tree(git.write_tree({}), [], "Nothing")
    for number in range(25):
        git.update_ref(f"refs/agentcells/forge/agentcells%2F{number}", sha)
    git.update_ref("refs/agentcells/kept/r1", sha)
    git.tidy()
    assert git.refs("refs/") == {"refs/agentcells/kept/r1": sha}
