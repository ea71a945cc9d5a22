"""Leases on each forge: one of several gets it, whoever comes late is told, the time is the forge's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agentcells.forge import Forge, Stale
from agentcells.model import Sha
from tests.contract.forge_contract import Desk, World
from tests.contract.test_gitea_contract import GiteaWorld
from tests.contract.test_github_contract import GitHubWorld
from tests.contract.test_local_contract import LocalWorld
from tests.loopback import gitea, github


class LeaseContract:
    """The tests. A subclass gives the fixture `world`."""

    @pytest.fixture
    def desk(self, world: World) -> Desk:
        return Desk(world)

    def test_r21_where_nobody_holds_it_there_is_none(self, desk: Desk) -> None:
        assert desk.cells.lease(desk.repo, 7) is None

    def test_what_was_put_there_is_told_with_the_forges_time(self, desk: Desk) -> None:
        desk.world.advance(3600)
        desk.cells.viewer()
        before = desk.cells.clock()
        made = desk.cells.swap_lease(desk.repo, 7, None, '{"holder": "機械 one"}')
        found = desk.cells.lease(desk.repo, 7)
        assert found is not None
        assert (found.sha, found.text) == (made, '{"holder": "機械 one"}')
        assert abs((found.at - before).total_seconds()) < 30
        assert desk.cells.lease(desk.repo, 70) is None

    def test_it_is_no_branch_and_moves_none(self, desk: Desk) -> None:
        main = desk.cells.branch(desk.repo, "main")
        desk.cells.swap_lease(desk.repo, 7, None, "one")
        assert desk.cells.branches(desk.repo, "") == ("main",)
        assert desk.cells.branch(desk.repo, "main") == main

    def test_who_comes_second_is_told_and_changes_nothing(self, desk: Desk) -> None:
        desk.cells.swap_lease(desk.repo, 7, None, "one")
        with pytest.raises(Stale):
            desk.cells.swap_lease(desk.repo, 7, None, "two")
        assert text(desk, 7) == "one"

    def test_it_is_renewed_by_who_knows_what_stands_there(self, desk: Desk) -> None:
        one = desk.cells.swap_lease(desk.repo, 7, None, "one")
        two = desk.cells.swap_lease(desk.repo, 7, one, "two")
        assert one != two
        for late in (one, Sha("0" * 39 + "1")):
            with pytest.raises(Stale):
                desk.cells.swap_lease(desk.repo, 7, late, "late")
        assert text(desk, 7) == "two"

    def test_it_is_given_back_by_its_holder_alone(self, desk: Desk) -> None:
        one = desk.cells.swap_lease(desk.repo, 7, None, "one")
        two = desk.cells.swap_lease(desk.repo, 7, one, "two")
        with pytest.raises(Stale):
            desk.cells.swap_lease(desk.repo, 7, one, "")
        assert text(desk, 7) == "two"
        assert desk.cells.swap_lease(desk.repo, 7, two, "") is None
        assert desk.cells.lease(desk.repo, 7) is None
        desk.cells.swap_lease(desk.repo, 7, None, "three")

    def test_of_several_at_once_exactly_one_gets_it(self, desk: Desk) -> None:
        forges = [desk.world.forge("cells") for _ in range(4)]

        def grab(which: int) -> bool:
            try:
                forges[which].swap_lease(desk.repo, 7, None, f"machine {which}")
            except Stale:
                return False
            return True

        with ThreadPoolExecutor(len(forges)) as several:
            won = list(several.map(grab, range(len(forges))))
        assert won.count(True) == 1
        assert text(desk, 7) == f"machine {won.index(True)}"


def text(desk: Desk, number: int, forge: Forge | None = None) -> str:
    found = (forge or desk.cells).lease(desk.repo, number)
    return found.text if found else ""


class TestLocalLeases(LeaseContract):
    @pytest.fixture
    def world(self, tmp_path: Path) -> LocalWorld:
        return LocalWorld(tmp_path)


class TestGiteaLeases(LeaseContract):
    @pytest.fixture
    def world(self, tmp_path: Path) -> Iterator[GiteaWorld]:
        world = gitea.World(tmp_path / "hub")
        with gitea.Server(world) as server:
            yield GiteaWorld(tmp_path, world, server)


class TestGitHubLeases(LeaseContract):
    @pytest.fixture
    def world(self, tmp_path: Path) -> Iterator[GitHubWorld]:
        world = github.World(tmp_path / "hub")
        with github.Server(world) as server:
            yield GitHubWorld(tmp_path, world, server)

    def test_r18_what_was_done_although_its_answer_was_lost_is_known_by_the_ref(
        self, desk: Desk, world: GitHubWorld
    ) -> None:
        desk.cells.viewer()
        world.world.fail("bad_gateway", operation="UpdateRefs", after=True)
        made = desk.cells.swap_lease(desk.repo, 7, None, "one")
        assert text(desk, 7) == "one"
        world.world.fail("drop", operation="UpdateRefs", after=True)
        assert desk.cells.swap_lease(desk.repo, 7, made, "") is None
        assert desk.cells.lease(desk.repo, 7) is None

    @pytest.mark.parametrize("kind", ["no_data", "forbidden_403", "not_json", "no_api", "secondary_403"])
    def test_r21_an_answer_that_is_none_never_means_that_nobody_holds_it(
        self, desk: Desk, world: GitHubWorld, kind: str
    ) -> None:
        desk.cells.swap_lease(desk.repo, 7, None, "one")
        world.world.fail(kind, operation="ReadLease")
        with pytest.raises(Exception, match="github"):
            desk.cells.lease(desk.repo, 7)
