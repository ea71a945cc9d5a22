"""The factory on a Gitea: real ticks, real git over HTTP, a scripted agent in its sandbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentcells.config import load, resource
from agentcells.init import settle
from tests.factory import CELLS, PACKAGE, PLAIN_RULES, PROJECT, Ticked, answer
from tests.loopback.gitea import Person, Server, World

pytestmark = pytest.mark.sandbox

OWNER, BOT, REPO = "alice", "alice-cells", "alice/game"


@dataclass(frozen=True)
class Shop:
    """One machine with agentcells, one Gitea."""

    root: Path
    world: World
    server: Server

    @property
    def cells_path(self) -> Path:
        return self.root / "cells.toml"

    @property
    def owner(self) -> Person:
        return self.world.as_(OWNER)

    def set_up(self) -> None:
        agent, script = PACKAGE / "scripted_agent.py", self.root / "script.json"
        token = self.root / "token"
        token.write_text(self.world.token(BOT) + "\n")
        token.chmod(0o600)
        self.play(PLAIN_RULES)
        prompts = self.root / "prompts"
        prompts.mkdir()
        for name in ("triage", "implement", "review"):
            text = resource(f"prompts/{name}.md").read_text("utf-8")
            (prompts / f"{name}.md").write_text(text, "utf-8")
        self.cells_path.write_text(f"""[factory]
owner = "{OWNER}"
bot = "{BOT}"
poll = "2s"
[forge]
kind = "gitea"
repos = ["{REPO}"]
api_url = "{self.server.api_url}"
token = {{ file = "{token}" }}
[agent]
command = {json.dumps(["python3", str(agent), "--script", str(script)])}
env = []
[sandbox]
read = {json.dumps([str(agent), str(script)])}
{CELLS}""")
        settle(load(self.cells_path), lambda _: None)

    def play(self, rules: list[dict[str, Any]]) -> None:
        (self.root / "script.json").write_text(json.dumps({"rules": rules}))

    def tick(self) -> Ticked:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "agentcells", "tick", "--json",
             "--config", str(self.cells_path)],
            env={"PATH": os.environ["PATH"], "HOME": str(self.root),
                 "AGENTCELLS_STATE": str(self.root / "state")},
            stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=120, check=False,
            cwd=self.root,
        )
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return Ticked(done.returncode, events, done.stderr)

    def file(self) -> int:
        return self.owner.open_issue(
            REPO, "More lives", "Three lives, please.", ["ac:triage"], [OWNER])

    def states(self, number: int) -> set[str]:
        names = self.world.item(REPO, number)["labels"]
        return {name[3:] for name in names if name.startswith("ac:")}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    world = World(tmp_path / "hub")
    for login in (OWNER, BOT, "mallory"):
        world.account(login)
    world.repository(REPO, roles={BOT: "write", "mallory": "write"}, files=PROJECT)
    with Server(world) as server:
        made = Shop(tmp_path / "machine", world, server)
        made.root.mkdir()
        made.set_up()
        yield made


def test_an_issue_becomes_a_reviewed_pull_request_and_the_merge_ends_it(shop: Shop) -> None:
    issue = shop.file()
    ticked = shop.tick()
    assert ticked.code == 0, ticked.stderr
    assert ticked.cells == ["triage", "implement", "review"]
    (pull,) = (n for n in shop.world.numbers(REPO) if shop.world.item(REPO, n)["pull"])
    item = shop.world.item(REPO, pull)
    assert (item["head"], item["assignees"], item["closes"]) == (
        f"agentcells/{issue}", [OWNER], [issue])
    assert (shop.states(issue), shop.states(pull)) == (set(), {"in-review"})
    idle = shop.tick()
    assert (idle.code, idle.cells) == (0, [])
    shop.owner.comment(REPO, pull, "Five lives, please.")
    again = shop.tick()
    assert again.cells == ["implement", "review"]
    shop.owner.merge(REPO, pull)
    done = shop.tick()
    assert done.code == 0, done.stderr
    assert shop.states(pull) == set()
    assert f"agentcells/{issue}" not in shop.world.tips(REPO)


def test_r24_a_label_by_somebody_else_starts_nothing(shop: Shop) -> None:
    issue = shop.owner.open_issue(REPO, "More lives", "Three.", [], [OWNER])
    shop.world.as_("mallory").label(REPO, issue, "ac:implement")
    ticked = shop.tick()
    assert (ticked.code, ticked.cells) == (0, [])
    assert len(ticked.reasons) == 1


def test_r25_our_own_book_edited_by_another_is_noticed(shop: Shop) -> None:
    """No history of edits: the code under our own posts tells."""
    shop.play([{"cell": "triage", "do": [answer("needs-human", "Which colour?")]}])
    issue = shop.file()
    shop.tick()
    book = next(
        c for c in shop.world.item(REPO, issue)["comments"] if '"kind":"ledger"' in c["body"])
    forged = book["body"].replace('"older":[0,0.0,0]', '"older":[0,9.0,0]')
    assert forged != book["body"]
    shop.world.as_("mallory").edit_comment(REPO, book["id"], forged)
    said = len(shop.world.item(REPO, issue)["comments"])
    shop.owner.comment(REPO, issue, "Blue.")
    ticked = shop.tick()
    assert ticked.cells == []
    assert shop.states(issue) == {"needs-human"}
    assert len(shop.world.item(REPO, issue)["comments"]) > said + 1
