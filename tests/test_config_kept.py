"""The configuration that is kept says what the files say, or nothing (R20)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from agentcells import config_kept
from agentcells.config import Config, load
from agentcells.config_kept import NAME, keep, known

TOML = """
[factory]
owner = "alice"
label_prefix = "f:"
on_reply = "implement"

[forge]
repos = ["alice/game"]
ca_file = "ca.pem"
token = { command = ["gh", "auth", "token"] }

[commands]
test = ["make", "test"]

[[cell]]
name = "implement"
on = "issue"
label = "f:Build"
next = ["review"]

[[cell]]
name = "review"
on = "pull_request"
next = ["implement", "done"]
needs_test = "merged"

[[cell]]
name = "watch"
on = "factory"
every = "1h"
enabled = false
"""


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    (tmp_path / "prompts").mkdir()
    for name in ("implement", "review", "watch"):
        (tmp_path / "prompts" / f"{name}.md").write_text(f"Do {name}.\n")
    (tmp_path / "ca.pem").write_text("a certificate\n")
    (tmp_path / "cells.toml").write_text(TOML)
    return tmp_path / "cells.toml"


def same(read: object, kept: object) -> bool:
    if isinstance(read, BaseModel):
        return all(same(getattr(read, name), getattr(kept, name)) for name in type(read).model_fields)
    if isinstance(read, tuple):
        return isinstance(kept, tuple) and len(read) == len(kept) and all(map(same, read, kept))
    return read == kept and (type(read) is type(kept) or isinstance(read, Path))


def test_what_is_kept_is_what_was_read(cells: Path) -> None:
    config = load(cells)
    keep(config, cells.parent)
    assert (cells.parent / NAME).stat().st_mode & 0o777 == 0o600
    kept = known(cells, cells.parent)
    assert kept is not None
    assert not isinstance(kept, BaseModel)
    assert same(config, kept)
    assert [cell.name for cell in kept.off] == ["watch"]
    asked: list[Callable[[Config], object]] = [
        lambda c: [c.label(state) for state in ("implement", "review", "needs-human")],
        lambda c: [c.state(name) for name in ("F:BUILD", "F:review", "f:needs-human", "p0")],
        lambda c: (c.reply_cell(), c.checks_cell(), c.cell("nobody")),
        lambda c: getattr(c.cell_of_label("review"), "prompt_text", ""),
    ]
    for ask in asked:
        assert ask(kept) == ask(config)
    assert ask(kept) == "Do review.\n"
    assert "f:Build" in repr(kept)
    with pytest.raises(TypeError, match="owner cannot be changed"):
        kept.factory.owner = "mallory"


def _other_prompt(cells: Path) -> None:
    (cells.parent / "prompts/watch.md").write_text("Do more.\n")


def _no_prompt(cells: Path) -> None:
    (cells.parent / "prompts/review.md").unlink()


def _other_cells(cells: Path) -> None:
    cells.write_text(TOML + "\n")


def _no_certificate(cells: Path) -> None:
    (cells.parent / "ca.pem").unlink()


def _broken(cells: Path) -> None:
    (cells.parent / NAME).write_text('{"path": ')


def _elsewhere(cells: Path) -> None:
    _kept(cells, path="/elsewhere/cells.toml")


def _by_somebody(cells: Path) -> None:
    text = json.loads((cells.parent / NAME).read_text())["values"]
    _kept(cells, values=text.replace('"owner":"alice"', '"owner":"mallory"'))


def _kept(cells: Path, **changed: Any) -> None:
    told = json.loads((cells.parent / NAME).read_text())
    (cells.parent / NAME).write_text(json.dumps({**told, **changed}))


CHANGES = (
    _other_prompt, _no_prompt, _other_cells, _no_certificate, _broken, _elsewhere, _by_somebody,
)


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changed_the_files_are_read_again(cells: Path, change: Callable[[Path], None]) -> None:
    keep(load(cells), cells.parent)
    assert known(cells, cells.parent) is not None  # the control
    change(cells)
    assert known(cells, cells.parent) is None


def test_another_home_or_program_reads_the_files_again(cells: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(load(cells), cells.parent)
    monkeypatch.setenv("HOME", "/home/bob")
    assert known(cells, cells.parent) is None
    monkeypatch.undo()
    assert known(cells, cells.parent) is not None
    monkeypatch.setattr(config_kept, "__version__", "0.0.0")
    assert known(cells, cells.parent) is None


def test_a_program_that_was_pulled_anew_reads_the_files_again(
    cells: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its version is the same; what it knows of a configuration may not be."""
    program = tmp_path / "program"
    program.mkdir()
    for name in config_kept.READERS:
        shutil.copy2(Path(config_kept.__file__).parent / name, program / name)
    monkeypatch.setattr(config_kept, "__file__", str(program / "config_kept.py"))
    keep(load(cells), cells.parent)
    assert known(cells, cells.parent) is not None  # the control
    with (program / "config_model.py").open("a") as out:
        out.write("# one more key\n")
    assert known(cells, cells.parent) is None


def test_a_cache_that_cannot_be_written_is_no_trouble(cells: Path) -> None:
    keep(load(cells), cells.parent / "nowhere")
    assert known(cells, cells.parent / "nowhere") is None
