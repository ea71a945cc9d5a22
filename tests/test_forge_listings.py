"""Several repositories in one question, whichever forge is asked (R20)."""

from __future__ import annotations

from pathlib import Path

from agentcells.forge import Listing, NotFound, listings
from agentcells.forge.local import LocalForge


def test_r20_a_forge_without_a_question_for_many_is_asked_one_by_one(tmp_path: Path) -> None:
    forge = LocalForge.create(tmp_path / "forge", "alice", ["alice/game", "alice/other"])
    forge.create_issue("alice/other", "One", "", (), ())
    repos = ["alice/other", "alice/gone", "alice/game"]
    found = listings(forge, repos, {"alice/game": ""}, logins=["alice"], waiting=["x"])
    assert list(found) == repos
    assert isinstance(found["alice/gone"], NotFound)
    other, game = found["alice/other"], found["alice/game"]
    assert isinstance(other, Listing)
    assert isinstance(game, Listing)
    assert [row.title for row in other.rows] == ["One"]
    assert game.rows == ()
