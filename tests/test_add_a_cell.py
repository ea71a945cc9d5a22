"""docs/add-a-cell.md, walked word for word on the embedded forge, with a script in the model's place."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agentcells.markers import parse_ledger
from tests.factory import PLAIN_RULES, Factory

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = (ROOT / "docs" / "add-a-cell.md").read_text(encoding="utf-8")
DOCS = {"cell": "docs", "do": [
    {"append": {"README.md": "The player has three lives.\n"}},
    {"cell": ["record", "-m", "Tell of the three lives"]},
    {"answer": {"next": "done", "comment": "README tells of the three lives."}},
]}
RULES = [
    *PLAIN_RULES[:2], {"cell": "review", "do": [{"answer": {"next": "docs", "comment": "As asked."}}]}, DOCS,
]


def blocks(heading: str) -> list[str]:
    section = DOCUMENT.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


class Shell:
    """What is typed in the folder of the factory."""

    def __init__(self, factory: Factory, home: Path) -> None:
        tools = home / "tools"
        tools.mkdir(parents=True)
        (tools / "agentcells").symlink_to(Path(sys.executable).parent / "agentcells")
        self.folder = factory.root
        self.env = {**factory.environment(), "HOME": str(home), "LANG": "C.UTF-8",
                    "PATH": f"{tools}:{os.environ['PATH']}"}

    def type(self, block: str) -> str:
        done = subprocess.run(
            ["bash", "-ec", block], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, text=True,
            capture_output=True, timeout=200, check=False,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def test_the_walk_through_is_true_word_for_word(tmp_path: Path) -> None:
    factory = Factory(tmp_path / "line", rules=RULES)
    shell = Shell(factory, tmp_path / "home")
    (prompt,) = blocks("1. Say what it is for")
    shell.type(prompt)
    table, leads, graph = blocks("2. Put it into the line")
    shell.type(table)
    shell.type(leads)
    assert "n_review --> n_docs" in shell.type(graph)
    (label,) = blocks("3. Make its label")
    shell.type(label)
    assert "ac:docs" in {one.name for one in factory.owner.labels("alice/game")}
    work, looking = blocks("4. Let it work")
    shell.type(work)
    pull = factory.pull(1)
    assert pull is not None
    assert {one.name for one in pull.labels} == {"ac:in-review"}
    assert "three lives" in factory.files("agentcells/1")["README.md"]
    book = next(found for one in factory.item(1).comments if (found := parse_ledger(one.body)))
    assert [row.cell for row in book.rows] == ["triage", "implement", "review", "docs"]
    shown = shell.type(looking)
    assert "README tells of the three lives." in shown
    assert f"#{pull.number}" in shown


@pytest.mark.parametrize("key", re.findall(r"`([a-z_]+) = ", DOCUMENT.split("## What else", 1)[1]))
def test_every_key_of_the_table_is_one(key: str) -> None:
    from agentcells.config_model import Cell

    assert key in Cell.model_fields
