"""A command as a person types it, within this process: its exit code and both its outputs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from agentcells.__main__ import main
from tests.stage import Stage


@dataclass(frozen=True, slots=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        return json.loads(self.out)


Typed = Callable[..., Said]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """`typed(stage, "status")`."""

    def run(stage: Stage | None, *words: str) -> Said:
        if stage is not None:
            monkeypatch.setenv("AGENTCELLS_STATE", str(stage.state_place))
            monkeypatch.setenv("AGENTCELLS_CONFIG", str(stage.cells_path))
        monkeypatch.setattr("sys.argv", ["agentcells", *words])
        capsys.readouterr()
        code = main()
        read = capsys.readouterr()
        return Said(code, read.out, read.err)

    for name in ("LANG", "LC_ALL", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    assert os.environ.get("AGENTCELLS_STATE") is None
    return run
