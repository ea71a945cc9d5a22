"""The acceptance rows J: drafts, finishing by itself, lines of work, handing an issue to the factory.

Each is off unless the person turns it on when he starts the server.
"""


from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import pytest

from agentcells.brain_tools import BrainDesk, listed
from agentcells.project import Setting
from tests.brain_backends import HubProject, hub
from tests.brain_world import Place, pool
from tests.records_world import git, plain_home

REPO = "alice/game"
_CELLS = """\
[factory]
owner = "alice"
bot = "cells"
[forge]
kind = "local"
repos = ["alice/game"]
path = "{forge}"
[agent]
command = ["{claude}"]
[records]
delegate = {delegate}
[[cell]]
name = "implement"
on = "issue"
next = ["done"]
"""


@pytest.fixture(autouse=True)
def _alices_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain_home(monkeypatch, tmp_path)


class Agent:
    """The desk itself, without a transport: what it serves is held over both elsewhere."""

    def __init__(self, place: Place, *options: str, delegate: bool = False, claude: str = "false") -> None:
        self.place = place
        self.logged: list[str] = []
        self.desk = BrainDesk(Setting(roots=(place.root,)), "en", self.logged.append, options=options)
        self.state = self.desk.open()
        self._begin(place, claude, delegate)

    def _begin(self, place: Place, claude: str, delegate: bool) -> None:
        work = place.game.work
        (work / "prompts").mkdir()
        (work / "prompts/implement.md").write_text("Do it.\n")
        (work / "cells.toml").write_text(_CELLS.format(
            forge=place.root / "forge", claude=claude, delegate=str(delegate).lower()))
        (work / ".git/info/exclude").write_text("/cells.toml\n/prompts/\n")
        self.ok("work_session_start", project_root=str(work))

    def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.desk.call(self.state, tool, arguments)

    def ok(self, tool: str, **arguments: Any) -> dict[str, Any]:
        envelope = self(tool, **arguments)
        assert envelope["status"] == "ok", (envelope, self.logged)
        data: dict[str, Any] = envelope["data"]
        return data

    def no(self, tool: str, code: str, **arguments: Any) -> dict[str, Any]:
        envelope = self(tool, **arguments)
        assert (envelope["status"], envelope.get("error_code")) == ("error", code), envelope
        return envelope


@pytest.fixture
def place() -> Place:
    return pool().world.place()


def claude(place: Place, script: str) -> str:
    """A program in the place of claude."""
    path = place.root / "claude"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_none_of_it_is_there_while_it_is_off(place: Place) -> None:
    agent = Agent(place)
    names = set(listed().values())
    assert not names & {"work_new_line", "work_switch_line", "work_merge_line", "issue_delegate"}
    place.game.write({"a": "a"})
    agent.no("work_record", "policy_blocked")
    agent.no("work_finish", "policy_blocked", auto=True)
    for tool, more in (("work_new_line", {"name": "x"}), ("issue_delegate", {"issue_id": 1, "cell": "implement"})):
        agent.no(tool, "not_found", **more)
    tools = {tool["name"]: tool["inputSchema"] for tool in agent.desk.tools()}
    assert tools["work_record"]["required"] == ["message"]
    assert tools["work_finish"]["properties"] == {}


# ---------------------------------------------------------------- J1: a draft


def test_j1_a_draft_is_suggested_and_nothing_is_recorded(place: Place) -> None:
    seen = place.root / "seen"
    agent = Agent(place, "draft", claude=claude(place, f'cat > {seen}; echo "$@" > {seen}.args; echo "Give five lives"'))
    place.game.write({"src/rules.py": "LIVES = 5\n"})
    head = place.game.head()
    assert agent.ok("work_record") == {
        "suggested_message": "Give five lives", "files": 1,
        "next_recommended": {"tool": "work_record", "required_args": ["message"], "reason": "Confirm or change the suggestion"}}
    assert place.game.head() == head
    assert "+LIVES = 5" in seen.read_text()
    assert "--tools" in Path(f"{seen}.args").read_text()
    assert agent.ok("work_record", message="Give five lives")["files"] == 1
    agent.no("work_record", "policy_blocked")  # nothing is left to draft for


@pytest.mark.parametrize("script", ["exit 3", "true", "echo; exit 1"])
def test_j1_without_a_model_the_draft_names_the_files(place: Place, script: str) -> None:
    agent = Agent(place, "draft", claude=claude(place, script))
    place.game.write({"src/rules.py": "LIVES = 5\n", "b": "b"})
    assert agent.ok("work_record")["suggested_message"] == "Change b, src/rules.py"
    assert agent.logged


def test_j1_a_missing_claude_is_no_failure(place: Place) -> None:
    agent = Agent(place, "draft", claude="/no/such/claude")
    place.game.write({"b": "b"})
    assert "names of the files" in agent("work_record")["summary"]


# ---------------------------------------------------------------- J2: finishing by itself


def test_j2_everything_is_done_in_order_and_each_step_is_told(place: Place) -> None:
    agent = Agent(place, "auto")
    number = place.issue()
    agent.ok("work_start", issue_id=number)
    place.game.write({"a": "a"})
    data = agent.ok("work_finish", auto=True, message="Add a")
    assert [(step["step"], step["status"]) for step in data["steps"]] == [
        ("work_record", "ok"), ("work_publish", "ok"), ("issue_comment", "ok")]
    assert (data["done"], data["work_state"], data["next_recommended"]) == (True, "clean_with_active_issue", None)
    assert git(place.game.shared, "log", "-1", "--format=%B", "main") == f"Add a\n\nIssue: #{number}"
    item = place.forge().read(REPO, number)
    assert item.comments[0].body.endswith("\nAdd a")
    assert item.state == "open"
    assert agent.ok("work_observe")["work_state"] == "clean_idle"


def test_j2_it_stops_at_the_first_error(place: Place) -> None:
    agent = Agent(place, "auto", "draft", claude=claude(place, "echo Drafted"))
    number = place.issue()
    agent.ok("work_start", issue_id=number)
    place.game.colleague({"theirs": "x"})
    place.game.write({"a": "a"})
    data = agent.ok("work_finish", auto=True)
    assert [(step["step"], step["status"]) for step in data["steps"]] == [("work_record", "ok"), ("work_publish", "error")]
    assert data["steps"][1]["error_code"] == "conflict"
    assert (data["done"], data["work_state"]) == (False, "blocked")
    assert data["next_recommended"]["tool"] == "work_update"
    assert not place.forge().read(REPO, number).comments
    assert git(place.game.work, "log", "-1", "--format=%s") == "Drafted"


# ---------------------------------------------------------------- J3: lines of work


def test_j3_a_line_is_begun_left_and_brought_together(place: Place) -> None:
    agent = Agent(place, "lines")
    game = place.game
    game.write({"a": "a"})
    data = agent.ok("work_new_line", name="idea/one")
    assert (data["line"], data["work_state"]) == ("idea/one", "dirty")
    agent.no("work_switch_line", "policy_blocked", name="main")  # it would be left behind
    agent.ok("work_record", message="a")
    agent.no("work_new_line", "policy_blocked", name="idea/one")
    assert agent.ok("work_switch_line", name="main")["work_state"] == "clean_idle"
    assert not (game.work / "a").exists()
    assert agent.ok("work_merge_line", name="idea/one")["taken_in"] == 1
    assert (game.work / "a").exists()
    assert agent.ok("work_merge_line", name="idea/one")["taken_in"] == 0


def test_j3_two_versions_stop_it_with_everything_as_before(place: Place) -> None:
    agent = Agent(place, "lines")
    game = place.game
    agent.ok("work_new_line", name="other")
    game.write({"src/rules.py": "LIVES = 1\n"})
    agent.ok("work_record", message="one")
    agent.ok("work_switch_line", name="main")
    game.write({"src/rules.py": "LIVES = 2\n"})
    agent.ok("work_record", message="two")
    before = game.picture()
    assert "src/rules.py" in agent.no("work_merge_line", "conflict", name="other")["summary"]
    assert game.picture() == before


def test_j3_a_line_that_somebody_else_shared_is_found(place: Place) -> None:
    agent = Agent(place, "lines")
    place.game.colleague({"theirs": "x"}, line="main")
    git(place.game.work.parent / "game-bob", "push", "-q", "origin", "HEAD:their-line")
    git(place.game.work, "fetch", "-q")
    assert agent.ok("work_switch_line", name="their-line")["work_state"] == "clean_idle"
    assert (place.game.work / "theirs").exists()


@pytest.mark.parametrize("name", ["-x", "two words", "..", "a..b", "x.lock", "@", "@{-1}", "HEAD", "~"])
def test_j3_odd_names_are_refused(place: Place, name: str) -> None:
    agent = Agent(place, "lines")
    agent.no("work_new_line", "policy_blocked", name=name)
    agent.no("work_switch_line", "policy_blocked", name=name)
    agent.no("work_switch_line", "not_found", name="no-such")
    agent.no("work_merge_line", "not_found", name="no-such")


# ---------------------------------------------------------------- J4: to the factory


def test_j4_r29_by_default_it_says_that_an_issue_is_ready(place: Place) -> None:
    agent = Agent(place, "delegate")
    number = place.forge().create_issue(REPO, "Mine", "Do it.", [], [])
    assert agent.ok("issue_delegate", issue_id=number, cell="implement") == {"id": number, "in_line": False}
    item = place.forge().read(REPO, number)
    assert (item.labels, item.assignees) == ((), ())
    assert item.comments[0].body.startswith('<!-- agentcells:v1 {"kind":"records"')
    assert '"to"' not in item.comments[0].body
    assert "implement" in item.comments[0].body
    agent.no("issue_delegate", "not_found", issue_id=number, cell="no-such")
    agent.no("issue_delegate", "not_found", issue_id=9_999, cell="implement")


def test_j4_r29_where_the_owner_allows_it_his_own_issue_goes_into_the_line(place: Place) -> None:
    agent = Agent(place, "delegate", delegate=True)
    number = place.forge().create_issue(REPO, "Mine", "Do it.", [], [])
    assert agent.ok("issue_delegate", issue_id=number, cell="implement") == {"id": number, "in_line": True}
    item = place.forge().read(REPO, number)
    assert [label.name for label in item.labels] == ["ac:implement"]
    assert [account.login for account in item.assignees] == ["alice"]
    assert '"to":"implement"' in item.comments[0].body
    assert agent.ok("issue_delegate", issue_id=number, cell="implement")["in_line"] is True
    assert len(place.forge().read(REPO, number).comments) == 1


def test_j4_r29_never_an_issue_that_somebody_else_wrote(place: Place) -> None:
    agent = Agent(place, "delegate", delegate=True)
    number = place.issue()  # bob's
    assert agent.ok("issue_delegate", issue_id=number, cell="implement")["in_line"] is False
    item = place.forge().read(REPO, number)
    assert (item.labels, item.assignees) == ((), ())
    assert "the human puts it into the line" in agent("issue_delegate", issue_id=number, cell="implement")["summary"]


@pytest.mark.parametrize("kind", ["github", "gitea"])
def test_j4_r29_a_hub_gets_the_same(place: Place, kind: str) -> None:
    """The owner's issue goes into the line where he allows it; a stranger's waits for his own hand."""
    project = hub(kind).project(place.root / kind)
    mine = hub(kind).world.as_("alice").open_issue(project.repo, "Mine", "Do it.")
    bobs = project.issue()
    agent = HubAgent(place, project, delegate=False)
    assert agent.ok("issue_delegate", issue_id=mine, cell="implement") == {"id": mine, "in_line": False}
    assert project.item(mine)["labels"] == []
    allowed = HubAgent(place, project, delegate=True)
    assert allowed.ok("issue_delegate", issue_id=bobs, cell="implement")["in_line"] is False
    assert project.item(bobs)["labels"] == []
    for _ in range(2):
        assert allowed.ok("issue_delegate", issue_id=mine, cell="implement") == {"id": mine, "in_line": True}
    item = project.item(mine)
    assert (item["labels"], item["assignees"]) == (["ac:implement"], ["alice"])
    assert ['"to":"implement"' in comment["body"] for comment in item["comments"]] == [False, True]


class HubAgent(Agent):
    """The same in a working copy of a hub's repository."""

    def __init__(self, place: Place, project: HubProject, *, delegate: bool) -> None:
        settings = project.desk.work / "cells.toml"
        plain = settings.read_text().partition("\n[records]")[0]
        settings.write_text(f"{plain}\n[records]\ndelegate = {str(delegate).lower()}\n")
        self.project = project
        super().__init__(place, "delegate")

    def _begin(self, place: Place, claude: str, delegate: bool) -> None:
        self.ok("work_session_start", project_root=str(self.project.desk.work))
