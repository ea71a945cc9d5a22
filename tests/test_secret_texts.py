"""A secret in what a run wrote: nothing of it is published, and no word of ours repeats it (R45)."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from agentcells.apply import Apply
from agentcells.events import Emit
from agentcells.model import Problem, RunId
from agentcells.plan import OpenPull, Post
from agentcells.posts import Marker
from agentcells.run import Proof
from tests.stage import REPO, REVIEW, TRIAGE, Stage, answer, rule, work

VENDOR = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
OWN = "correct-horse-7-battery-staple"


def told(stage: Stage) -> str:
    """All that stands on the forge."""
    found = []
    for number in range(1, 9):
        try:
            item = stage.item(number)
        except Problem:
            break
        found += [item.title, item.body, *(comment.body for comment in item.comments)]
    return "\n".join(found)


@pytest.mark.parametrize(("words", "name"), [
    (f"Use {VENDOR} for it.", "github"),
    (f"The key is {OWN}.", "DEPLOY_KEY"),
    (f"In base64: {base64.b64encode(OWN.encode()).decode()}", "DEPLOY_KEY"),
    (f"Backwards: {OWN[::-1]}", "DEPLOY_KEY"),
])
def test_r45_a_comment_with_a_secret_goes_to_the_owner_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, name: str
) -> None:
    monkeypatch.setenv("DEPLOY_KEY", OWN)
    stage = Stage(tmp_path, rules=[rule("triage", answer("implement", words))])
    number = stage.file("triage")
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    (said,) = stage.said(number)
    assert name.lower() in said.lower()
    assert words not in told(stage)
    assert OWN not in told(stage)
    assert VENDOR not in told(stage)


def test_r45_the_work_beside_it_is_kept_and_not_pushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_KEY", OWN)
    rules = [
        rule("implement", work(game__py="LIVES = 3\n", comment="Done."), prompt="without it"),
        rule("implement", work(game__py="LIVES = 3\n", comment=f"Done with {OWN}.")),
        TRIAGE, REVIEW,
    ]
    stage = Stage(tmp_path, rules=rules)
    number = stage.file()
    stage.tick()
    assert stage.branches() == ("main",)
    stage.say(number, "Again, without it please.")
    stage.tick()
    assert stage.states(number, stage.pull_of(number).number) == {"in-review"}
    assert OWN not in told(stage)


@pytest.mark.parametrize("which", ["next", "detail"])
def test_r45_an_answer_that_no_cell_offered_is_not_repeated_with_its_secret(
    tmp_path: Path, which: str
) -> None:
    bad = {"answer": {"next": VENDOR, "comment": "Hello."}}
    if which == "detail":
        bad = {"answer": {"next": "implement", "comment": "Hello.", "more": VENDOR}}
    stage = Stage(tmp_path, rules=[rule("triage", bad)])
    number = stage.file("triage")
    stage.tick()
    assert VENDOR not in told(stage)
    assert stage.states(number) <= {"needs-human", "implement", "triage"}


def test_r45_a_title_that_tells_a_secret_is_not_made_a_pull_requests(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    number = stage.file(title=f"Use {VENDOR}")
    stage.tick()
    assert stage.states(number) == {"needs-human"}
    assert stage.branches() == ("main",)
    assert told(stage).count(VENDOR) == 1, "only what he wrote himself"


def test_r45_the_last_door_refuses_whatever_text_comes(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    number = stage.file("")
    snapshot, _ = stage.look()
    door = Apply(stage.config, stage.forge(), stage.state, snapshot, Emit("quiet"))
    key = f"{REPO}#{number}"
    post = Post(
        pair_key=key, repo=REPO, on="issue", number=number, head="", body=f"x\n{VENDOR}",
        marker=Marker(kind="notice", cause="c"),
    )
    opened = OpenPull(
        pair_key=key, repo=REPO, run=RunId("r1"),
        proof=Proof(run=RunId("r1"), nonce="n", containment="strong"),
        head="agentcells/1", base="main", title=VENDOR, body="",
    )
    for action in (post, opened):
        with pytest.raises(Problem) as raised:
            door.do(action)
        assert raised.value.key == "apply_secret"
    assert VENDOR not in told(stage)
