"""The desk: `agentcells issue …` on a local forge, as people type it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agentcells import issue_desk
from agentcells.config import load
from agentcells.forge.local import LocalForge
from agentcells.forge.open import open_forge
from agentcells.issues import app
from agentcells.model import Problem

CELLS = """
[factory]
owner = "alice"
bot = "cells"
timezone = "Asia/Tokyo"
{more}
[forge]
kind = "local"
repos = [{repos}]
[[cell]]
name = "triage"
on = "issue"
next = ["implement"]
[[cell]]
name = "implement"
on = "issue"
next = ["review"]
[[cell]]
name = "review"
on = "pull_request"
next = ["implement", "done"]
"""
STATES = ("triage", "implement", "review", "working", "needs-human", "in-review")


class Office:
    """A folder with cells.toml, prompts and a local forge; `run` types a command there."""

    def __init__(
        self, root: Path, repos: tuple[str, ...] = ("alice/game",), more: str = ""
    ) -> None:
        names = ", ".join(f'"{repo}"' for repo in repos)
        self.cells = root / "cells.toml"
        self.cells.write_text(CELLS.format(repos=names, more=more))
        (root / "prompts").mkdir()
        for name in ("triage", "implement", "review"):
            (root / "prompts" / f"{name}.md").write_text("Do it.\n")
        self.config = load(self.cells)
        self.forge = LocalForge.create(
            Path(self.config.forge.path), "alice", self.config.forge.repos, bot="cells")
        self.forge.add_account("bob")
        for repo in repos:
            for state in STATES:
                self.forge.create_label(repo, self.config.label(state), "ededed", "")

    def run(self, *words: str, typed: bytes = b"") -> str:
        """What was printed. A Problem goes up, as it does to the shell."""
        done = CliRunner().invoke(app, [*words, "--config", str(self.cells)], input=typed)
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        assert done.exit_code == 0, done.output
        return done.output

    def json(self, *words: str) -> Any:
        return json.loads(self.run(*words, "--json"))

    def labels(self, number: int) -> list[str]:
        return [x.name for x in self.forge.read("alice/game", number).labels]

    def pull(self, tmp: Path) -> int:
        bare = self.forge.remote("alice/game").url
        clone = tmp / "clone"

        def git(*argv: str) -> None:
            env = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull}
            who = ["-c", "user.name=alice", "-c", "user.email=alice@example.invalid"]
            subprocess.run(
                ["git", *who, *argv], cwd=clone, env=env, check=True, capture_output=True)

        clone.mkdir()
        git("init", "-q", "--initial-branch=main")
        git("commit", "-q", "--allow-empty", "-m", "First")
        git("push", "-q", bare, "HEAD:refs/heads/main")
        (clone / "ball.txt").write_text("bounce\n")
        git("add", "-A")
        git("commit", "-q", "-m", "Bounce")
        git("push", "-q", bare, "HEAD:refs/heads/agentcells/1")
        return open_forge(self.config).open_pull(
            "alice/game", "agentcells/1", "main", "Bounce", "Closes #1")


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path)


def test_r24_the_owners_new_issue_is_in_the_line_at_once(office: Office) -> None:
    assert office.run("new", "A ball", "--body", "It bounces").startswith(
        "Filed alice/game#1 with ac:triage")
    item = office.forge.read("alice/game", 1)
    assert (item.title, item.body) == ("A ball", "It bounces")
    assert [a.login for a in item.assignees] == ["alice"]
    assert {(e.kind, e.actor.login) for e in item.events if e.actor} == {
        ("labeled", "alice"), ("assigned", "alice")}
    assert office.labels(1) == ["ac:triage"]


def test_r24_a_login_is_an_account_however_it_is_spelled(office: Office) -> None:
    assert "Nothing runs on it" not in office.run("new", "A ball", "--assign", "Alice")


def test_r24_an_outsiders_new_issue_waits_for_the_owner(office: Office) -> None:
    told = office.run("new", "Me too", "--as", "bob")
    assert "until alice labels it" in told
    assert office.labels(1) == []
    assert office.forge.read("alice/game", 1).assignees == ()


def test_a_label_may_be_a_cell_or_a_label_and_plain_means_none(office: Office) -> None:
    office.run("new", "one", "--label", "implement")
    office.run("new", "two", "--label", "ac:review")
    told = office.run("new", "three", "--plain")
    assert [office.labels(n) for n in (1, 2, 3)] == [["ac:implement"], ["ac:review"], []]
    assert "Nothing runs on it" in told
    assert office.forge.read("alice/game", 3).assignees == ()
    told = office.run("new", "four", "--assign", "bob")
    assert "Nothing runs on it" in told


def test_a_label_the_forge_does_not_have_files_nothing(office: Office) -> None:
    with pytest.raises(Problem) as caught:
        office.run("new", "one", "--label", "implmeent")
    assert caught.value.key == "local_no_label"
    assert office.json("list") == []


def test_the_text_may_come_from_standard_input(office: Office) -> None:
    office.run("new", "長い話", "--body", "-", typed="一行目\n二行目\n".encode())
    assert office.forge.read("alice/game", 1).body == "一行目\n二行目\n"
    with pytest.raises(Problem) as caught:
        office.run("comment", "1", "-", typed=b"\xff\xfe")
    assert (caught.value.key, caught.value.exit_code) == ("issue_not_utf8", 2)


def test_the_list_shows_what_is_open_and_can_be_narrowed_to_a_cell(office: Office) -> None:
    assert office.run("list") == "There is no open issue or pull request.\n"
    for title, cell in (("one", "triage"), ("two", "implement"), ("three", "triage")):
        office.run("new", title, "--label", cell)
    office.run("close", "3")
    assert office.run("list").splitlines() == [
        "#2  issue  [ac:implement]  two", "#1  issue  [ac:triage]  one"]
    assert [row["number"] for row in office.json("list", "--label", "triage")] == [1]


def test_nothing_a_person_wrote_can_steer_the_terminal(office: Office) -> None:
    office.run("new", "red \x1b[31m\u202e", "--body", "a\nb\x07", "--as", "bob")
    office.run("comment", "1", "c\x1b]0;title\x07", "--as", "bob")
    for told in (office.run("list"), office.run("show", "1")):
        assert not {"\x1b", "\x07", "\u202e"} & set(told)
        assert "red" in told
    assert "a\nb" in office.run("show", "1")


def test_show_tells_who_said_what_when_and_who_changed_it(office: Office) -> None:
    office.run("new", "A ball", "--body", "It bounces")
    made = office.json("comment", "1", "Really?", "--as", "bob")
    office.run("edit", "1", "--comment", made["id"], "--body", "Really!")
    told = office.run("show", "1")
    assert "issue · open · ac:triage · @alice" in told
    assert f"{made['id']}  (edited by alice)" in told
    assert told.index("It bounces") < told.index("Really!")
    assert "— bob, " in told
    shown = office.json("show", "1")
    assert shown["comments"][0]["edits"][0]["editor"]["login"] == "alice"


def test_our_own_hidden_lines_are_hidden_here_too_and_nobody_elses(office: Office) -> None:
    office.run("new", "A ball", "--plain")
    item = office.forge.read("alice/game", 1)
    office.forge.comment(item, '<!-- agentcells:v1 {"kind":"notice"} -->\nOver to you.')
    office.forge.comment(item, "<!-- do as I say -->\nhello")
    told = office.run("show", "1")
    assert "agentcells:v1" not in told
    office.forge.comment(item, '<!-- agentcells:v1 {"kind":"decision"} -->\nTwo.\n\n<!-- agentcells:issues [["A","b"]] -->')
    assert "agentcells:issues" not in office.run("show", "1")
    assert "Over to you." in told
    assert "<!-- do as I say -->" in told


def test_a_slip_in_a_label_is_no_empty_list(office: Office) -> None:
    assert "no open issue" in office.run("list", "--label", "triage")
    with pytest.raises(Problem) as unknown:
        office.run("list", "--label", "traige")
    assert (unknown.value.key, unknown.value.slots["label"]) == ("issue_no_label", "traige")


def test_labels_and_assignees_come_and_go(office: Office) -> None:
    office.run("new", "A ball", "--plain")
    assert office.json("label", "1", "triage", "needs-human")["labels"] == [
        "ac:triage", "ac:needs-human"]
    assert office.json("label", "1", "triage", "--remove")["labels"] == ["ac:needs-human"]
    assert office.json("assign", "1", "alice", "bob")["assignees"] == ["alice", "bob"]
    assert office.json("assign", "1", "bob", "--remove")["assignees"] == ["alice"]
    assert "ac:needs-human" in office.run("label", "1", "needs-human")
    assert "alice" in office.run("assign", "1", "alice")


def test_close_and_reopen(office: Office) -> None:
    office.run("new", "A ball")
    assert office.json("close", "1")["state"] == "closed"
    assert office.json("reopen", "1", "--as", "bob")["state"] == "open"


def test_edit_changes_what_is_named_and_asks_for_something(office: Office) -> None:
    office.run("new", "Old", "--body", "stays")
    office.run("edit", "1", "--title", "New")
    item = office.forge.read("alice/game", 1)
    assert (item.title, item.body) == ("New", "stays")
    with pytest.raises(Problem) as caught:
        office.run("edit", "1")
    assert caught.value.key == "issue_nothing_to_change"
    with pytest.raises(Problem) as caught:
        office.run("edit", "1", "--comment", "C1", "--title", "T", "--body", "B")
    assert caught.value.key == "issue_comment_title"


def test_review_remark_answer_and_merge_close_the_issue(office: Office, tmp_path: Path) -> None:
    office.run("new", "A ball")
    number = str(office.pull(tmp_path))
    assert "agentcells/1" in office.run("show", number)
    office.run("review", number, "--request-changes", "Higher")
    office.run("review", number, "Why?", "--path", "ball.txt", "--line", "1", "--as", "bob")
    comments = office.json("show", number)["comments"]
    thread = comments[1]["thread_id"]
    assert f"{thread}  ball.txt:1" in office.run("show", number)
    office.run("review", number, "Because", "--thread", thread)
    office.run("review", number, "--approve")
    comments = office.json("show", number)["comments"]
    assert [(c["kind"], c["verdict"], c["body"]) for c in comments] == [
        ("review", "changes_requested", "Higher"), ("thread", "", "Why?"),
        ("thread", "", "Because"), ("review", "approved", "")]
    with pytest.raises(Problem) as caught:
        office.run("merge", number, "--head", "0" * 40)
    assert caught.value.key == "local_head_moved"
    assert office.json("merge", number)["merged"] == office.forge.branch("alice/game", "main")
    assert office.forge.read("alice/game", 1).state == "closed"


def test_accounts_are_listed_and_added(office: Office) -> None:
    office.run("accounts", "--add", "robot", "--bot")
    assert [(a["login"], a["kind"]) for a in office.json("accounts")] == [
        ("alice", "user"), ("cells", "bot"), ("bob", "user"), ("robot", "bot")]
    assert office.run("new", "Beep", "--as", "robot")


@pytest.mark.parametrize(("words", "key"), [
    (("comment", "1", "  "), "issue_empty_text"),
    (("review", "1", "--approve", "--request-changes"), "issue_one_verdict"),
    (("merge", "1"), "issue_not_a_pull"),
    (("show", "9"), "local_no_item"),
    (("show", "1", "--as", "nobody"), None),
    (("comment", "1", "x", "--as", "nobody"), "local_no_account"),
    (("show", "1", "--repo", "alice/chess"), "local_no_repo"),
])
def test_a_mistake_is_a_problem_with_a_sentence(
        office: Office, words: tuple[str, ...], key: str | None) -> None:
    office.run("new", "A ball")
    if key is None:  # reading needs no account here
        assert office.run(*words)
        return
    with pytest.raises(Problem) as caught:
        office.run(*words)
    assert caught.value.key == key


def test_with_several_repositories_one_must_be_named_but_the_list_shows_all(tmp_path: Path) -> None:
    office = Office(tmp_path, repos=("alice/game", "alice/music"))
    with pytest.raises(Problem) as caught:
        office.run("new", "A ball")
    assert (caught.value.key, caught.value.exit_code) == ("issue_which_repo", 2)
    office.run("new", "A ball", "--repo", "alice/game")
    office.run("new", "A song", "--repo", "alice/music")
    told = office.run("list")
    assert "alice/game#1" in told
    assert "alice/music#1" in told


def test_the_sentences_come_in_the_language_of_cells_toml(tmp_path: Path) -> None:
    office = Office(tmp_path, more='language = "ja"')
    assert "次の tick" in office.run("new", "ボール")
    assert "コメントしました" in office.run("comment", "1", "はい")


def test_the_cli_acts_as_the_bot_and_the_desk_as_the_owner(office: Office) -> None:
    assert open_forge(office.config).viewer().login == "cells"
    assert open_forge(office.config, as_login="bob").viewer().login == "bob"
    office.run("new", "A ball")
    author = office.forge.read("alice/game", 1).author
    assert author is not None
    assert author.login == "alice"


def test_as_is_for_the_local_forge_only(office: Office) -> None:
    text = office.cells.read_text().replace('kind = "local"', 'kind = "github"')
    office.cells.write_text(text)
    with pytest.raises(Problem) as caught:
        office.run("show", "1", "--as", "bob")
    assert (caught.value.key, caught.value.exit_code) == ("forge_as_needs_local", 2)


def test_a_caller_may_want_the_value_only(office: Office) -> None:
    number = issue_desk.new(office.config, office.forge, "Quiet", "", label="implement")
    assert [r.number for r in issue_desk.rows(office.config, office.forge)] == [number]
