"""Folders of our own are gone when we are, whatever is still writing in them."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from agentcells.emptying import passing_folder


def test_a_folder_of_ours_goes_although_something_is_still_writing_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    begun, over = threading.Event(), threading.Event()

    def write(folder: Path) -> None:
        number = 0
        while not over.is_set():
            number += 1
            with suppress(OSError):  # once the folder itself is gone
                (folder / "late").mkdir(exist_ok=True)
                (folder / "late" / str(number)).mkdir()
            begun.set()

    with passing_folder("ours-") as folder:
        writer = threading.Thread(target=write, args=(folder,), daemon=True)
        writer.start()
        assert begun.wait(10)
        threading.Timer(0.2, over.set).start()
    writer.join()
    assert list(tmp_path.iterdir()) == []
