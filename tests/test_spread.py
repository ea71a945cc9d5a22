"""Folders of a run are put far apart, where the file system takes the hint."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest

from agentcells import provision
from agentcells.history.spread import spread
from agentcells.history.stands import EXT, kind_of


def is_top(folder: Path) -> bool:
    done = subprocess.run(["lsattr", "-d", str(folder)], capture_output=True, text=True, check=True)
    return "T" in done.stdout.split()[0]


def test_the_folders_of_a_run_are_no_neighbours_of_the_last_ones(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    provision.make_places(run, "/usr/bin/python3", None)
    assert kind_of(run) != EXT or is_top(run)
    assert kind_of(run) != EXT or not is_top(tmp_path)


def test_a_folder_that_takes_no_hint_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spread(tmp_path / "not there")
    (tmp_path / "link").symlink_to("/")
    spread(tmp_path / "link")
    if Path("/dev/shm").is_dir():
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            spread(Path(folder))
            assert list(Path(folder).iterdir()) == []
    monkeypatch.setattr("sys.platform", "darwin")
    spread(tmp_path)
    assert kind_of(tmp_path) == 0
