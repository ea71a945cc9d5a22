"""The line on GitHub with the real claude: its model plays the script, everything else is as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.claude_world import IMPATIENT, KEY, binary
from tests.factory import answer
from tests.github_factory import OWNER, REPO, factory
from tests.loopback.messages import Messages

pytestmark = pytest.mark.real_claude

RULES: list[dict[str, Any]] = [
    {"cell": "triage", "do": [answer("implement", "Three lives, in game.py.")]},
    {"cell": "implement", "do": [
        {"cell": ["observe"]},
        {"write": {"game.py": "LEVEL = 1\nLIVES = 3\n"}},
        {"cell": ["record", "-m", "Give the player three lives"]},
        answer("review", "Three lives now."),
    ]},
    {"cell": "review", "do": [{"cell": ["diff"]}, answer("done", "As asked.")]},
]


@pytest.mark.slow
def test_a_reviewed_pull_request_is_merged_by_itself(tmp_path: Path) -> None:
    """R5: by the cell that merges, once the check that the branch requires has passed."""
    rules = [*RULES[:-1], {"cell": "review", "do": [answer("automerge", "As asked.")]},
             {"cell": "automerge", "do": [{"cell": ["diff"]}, answer("merge", "One line, as asked.")]}]
    with factory(tmp_path, set_up=False) as line, Messages(rules) as model:
        assert line.init().returncode == 0
        names = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", *IMPATIENT]
        line.change("[agent]", f"""[agent]
command = {json.dumps([str(binary())])}
env = {json.dumps(names)}
hosts = ["127.0.0.1"]""")
        line.change('enabled = false\nmerge = true\ndry = true', "merge = true\ndry = false")
        line.change('paths = ["docs/**", "**/*.md"]', 'paths = ["game.py"]')
        assert line.run("init", "--relock", "--yes").returncode == 0  # the label of the new cell
        line.world.require(REPO, "build")
        login = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": model.url, **IMPATIENT}
        number = line.file()
        ticked = line.tick(**login)
        assert ticked.cells == ["triage", "implement", "review"], ticked.stderr
        pull = line.pull()
        assert line.states(pull) == {"automerge"}
        line.world.checks(REPO, pull, {"build": "success"})
        ticked = line.tick(**login)
        assert (ticked.code, ticked.cells) == (0, ["automerge"]), ticked.stderr
        assert (line.item(pull)["state"], line.item(number)["state"]) == ("MERGED", "CLOSED")
        assert line.world.contains(REPO, "main", line.item(pull)["head_sha"])
        assert model.surplus == []


def test_an_issue_becomes_a_merged_pull_request(tmp_path: Path) -> None:
    with factory(tmp_path, set_up=False) as line, Messages(RULES) as model:
        assert line.init().returncode == 0
        names = ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", *IMPATIENT]
        line.change("[agent]", f"""[agent]
command = {json.dumps([str(binary())])}
env = {json.dumps(names)}
hosts = ["127.0.0.1"]""")
        login = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": model.url, **IMPATIENT}
        number = line.file()
        ticked = line.tick(**login)
        assert ticked.code == 0, ticked.stderr
        assert ticked.cells == ["triage", "implement", "review"]
        pull = line.pull()
        assert line.states(pull) == {"in-review"}
        assert line.item(pull)["assignees"] == [OWNER]
        assert line.file_on(f"agentcells/{number}", "game.py") == "LEVEL = 1\nLIVES = 3"
        token = line.token_file.read_text().strip()
        for seen in model.asked:
            assert token not in json.dumps([seen.headers, seen.body], default=dict)
        line.owner.merge(REPO, pull)
        assert line.tick(**login).code == 0
        assert line.item(number)["state"] == "CLOSED"
        assert set(line.world.tips(REPO)) == {"main"}
