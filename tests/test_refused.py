"""Where no run could start, none is claimed: the reason and the remedy, and no word on the forge (R35)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.factory import Factory
from tests.github_factory import factory as on_github

# A bubblewrap on a host that does not let it work, in its own words.
BROKEN = {
    "No permissions to create new namespace, likely because the kernel does not allow it":
        "kernel.unprivileged_userns_clone=1",
    "setting up uid map: Permission denied": "apparmor_restrict_unprivileged_userns=0",
    "Can't mount proc on /newroot/proc: Operation not permitted": "systempaths=unconfined",
    "Unknown option --disable-userns": "0.8.0 or newer",
    "something nobody has seen": "something nobody has seen",
}


BarePath = Callable[..., str]


@pytest.fixture
def bare_path() -> Iterator[BarePath]:
    """A PATH with git and python, and no bubblewrap but the one that says the given words.

    Not below tmp_path: when root is who tests, bubblewrap is started as somebody else.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)

        def path(bwrap: str = "") -> str:
            for program in ("git", "python3", "sh"):
                (folder / program).symlink_to(f"/usr/bin/{program}")
            if bwrap:
                (folder / "bwrap").write_text(f'#!/bin/sh\necho "bwrap: {bwrap}" >&2\nexit 1\n')
                (folder / "bwrap").chmod(0o755)
            return str(folder)

        yield path


def test_r35_a_github_run_without_bubblewrap_is_refused_with_the_remedy(
    tmp_path: Path, bare_path: BarePath
) -> None:
    with on_github(tmp_path) as line:
        number = line.file()
        before = line.item(number)
        ticked = line.tick(PATH=bare_path())
        assert (ticked.code, ticked.cells) == (1, [])
        assert "apt install bubblewrap" in ticked.stderr
        assert line.item(number) == before
        assert list((line.state / "runs").iterdir()) == []


@pytest.mark.parametrize("words", BROKEN)
def test_r35_a_bubblewrap_that_does_not_work_is_explained(
    tmp_path: Path, bare_path: BarePath, words: str
) -> None:
    factory = Factory(tmp_path / "factory", containment="strong")
    number = factory.file()
    before = factory.item(number)
    ticked = factory.tick(PATH=bare_path(words))
    assert (ticked.code, ticked.cells) == (1, [])
    (failed,) = ticked.of("failed")
    assert BROKEN[words] in failed["text"]
    assert factory.item(number) == before


def test_r35_the_refusal_is_taken_back_by_the_remedy_alone(tmp_path: Path) -> None:
    factory = Factory(tmp_path / "factory")
    number = factory.file()
    good = factory.cells_path.read_text()
    factory.cells_path.write_text(good.replace('command = ["', 'command = ["/nowhere'))
    refused = factory.tick()
    assert (refused.code, refused.cells) == (1, [])
    assert "/nowhere" in refused.of("failed")[0]["text"]
    factory.cells_path.write_text(good)
    assert factory.tick().cells == ["triage", "implement", "review"]
    assert factory.item(number).state == "open"


def test_r35_weak_containment_is_for_the_local_forge_alone(tmp_path: Path) -> None:
    with on_github(tmp_path) as line:
        line.change("[sandbox]", '[sandbox]\ncontainment = "none"')
        done = line.run("tick")
        assert done.returncode == 2
        assert "containment" in done.stderr
