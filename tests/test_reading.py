"""What a pass knows from earlier ones, and what it must forget."""

from __future__ import annotations

import shutil
from pathlib import Path

from agentcells.init import create_labels
from tests.people import OWNER, REPO
from tests.stage import Stage


def test_a_forge_made_anew_in_the_same_folder_is_worked_on_from_the_start(tmp_path: Path):
    """The numbers are the same and the state folder is the old one: nothing of the old forge is believed."""
    stage = Stage(tmp_path / "a place")
    for _ in range(2):
        issue = stage.file()
        assert stage.tick().cells == ["implement", "review"]
        pull = stage.pull_of(issue)
        assert pull.pull is not None
        stage.people.forge(OWNER).merge(pull, pull.pull.head_sha)
        stage.advance(minutes=1)
        ended = stage.tick()
        assert ended.reasons == []
        assert stage.branches() == ("main",)
        assert stage.states(issue, pull.number) == set()
        shutil.rmtree(tmp_path / "a place" / "forge")
        stage.people = stage.settle()
        create_labels(stage.config, stage.people.forge(OWNER), REPO)
        stage.lock()
