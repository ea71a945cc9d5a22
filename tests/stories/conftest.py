"""Each story's world is looked over when the story is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.invariants import sound
from tests.stage import Stage

Build = Callable[..., Stage]


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """Makes factories; what must hold of every one of them is asked at the end."""
    made: list[Stage] = []

    def one(**how: Any) -> Stage:
        made.append(Stage(tmp_path / f"w{len(made)}", **how))
        return made[-1]

    yield one
    for stage in made:
        sound(stage)


@pytest.fixture
def stage(build: Build) -> Stage:
    return build()
