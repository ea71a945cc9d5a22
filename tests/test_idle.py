"""An idle tick is the cheapest question there is, and no change is ever missed for it (R20, R21)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agentcells import quiet, store
from agentcells.journal import Journal
from agentcells.plan import Brake, Plan
from agentcells.store import State
from tests.github_factory import REPO, GitHubFactory, factory

# What a tick without news may load of ours; and nothing of anybody else's.
ROOMS = {"agentcells", "agentcells.__main__", "agentcells.quiet"}
# What only a tick that writes something may load.
ACTING = {"apply", "config", "config_model", "config_rules", "coordinator", "runner", "cli"}
LOOK = """
import json, sys
before = set(sys.modules)
sys.argv = ["agentcells", "tick", "--config", sys.argv[1]]
from agentcells.__main__ import main
code = main()
print(json.dumps([code, sorted(set(sys.modules) - before)]))
"""


@pytest.fixture
def line(tmp_path: Path) -> Iterator[GitHubFactory]:
    """After two ticks that found nothing, with a question that waits for the owner."""
    with factory(tmp_path) as made:
        made.owner.open_issue(REPO, "Shall we?", "You say.", ["ac:needs-human"], ["alice"])
        made.world.hub.clock.advance(600)
        assert made.tick().code == 0
        yield made


def note(line: GitHubFactory) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((line.state / "cache" / quiet.NOTE).read_bytes())
    return found


def ask(line: GitHubFactory, monkeypatch: pytest.MonkeyPatch) -> tuple[int | None, dict[str, str]]:
    monkeypatch.setenv("AGENTCELLS_STATE", str(line.state))
    return quiet.tick(line.cells_path, "json")


def test_r20_without_news_a_tick_is_one_conditional_question_that_costs_no_points(
    line: GitHubFactory,
) -> None:
    second = line.tick()
    before, ended = line.so_far(), Journal(line.state).last_tick()
    third = line.tick()
    assert line.asked(before) == ["Newest"]
    assert line.points(before) == 0
    assert (third.code, third.stderr) == (0, "")
    assert third.reasons == ["skip_needs_human"]
    told = [[{**event, "at": ""} for event in ticked.events] for ticked in (second, third)]
    assert told[0] == told[1]
    kept = [event["key"] for event in Journal(line.state).events(50)]
    assert kept.count("skip_needs_human") == 1  # as it began to wait; not with every tick
    assert kept[-2:] == ["tick_idle", "tick_idle"]
    after = Journal(line.state).last_tick()
    assert ended is not None
    assert after is not None
    assert after.ended_at is not None
    assert after.started_at > ended.started_at
    assert (after.code, after.failures) == (0, 0)


def test_r20_a_tick_without_news_loads_next_to_nothing(line: GitHubFactory) -> None:
    line.tick()
    done = subprocess.run(
        [sys.executable, "-I", "-c", LOOK, str(line.cells_path)], env=line.environment(),
        capture_output=True, text=True, check=True, cwd=line.home,
    )
    code, loaded = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    assert {name for name in loaded if name.startswith("agentcells")} == ROOMS
    libraries = {name.partition(".")[0] for name in loaded}
    assert not libraries & {"pydantic", "tomli", "typer", "rich", "httpx", "gql", "graphql", "psutil"}
    assert not libraries & {"dataclasses", "inspect", "logging", "tempfile", "traceback"}


def test_r20_a_tick_that_lists_loads_none_of_the_large_libraries(line: GitHubFactory) -> None:
    """Reading cells.toml takes pydantic, and speaking to GitHub httpx: neither is wanted twice."""
    (line.state / "cache" / quiet.NOTE).unlink()
    since = line.so_far()
    done = subprocess.run(
        [sys.executable, "-I", "-c", LOOK, str(line.cells_path)], env=line.environment(),
        capture_output=True, text=True, check=True, cwd=line.home,
    )
    code, loaded = json.loads(done.stdout.splitlines()[-1])
    assert (code, line.asked(since)) == (0, ["Listing"])
    libraries = {name.partition(".")[0] for name in loaded}
    assert not libraries & {"pydantic", "typer", "click", "rich", "httpx", "gql", "graphql", "psutil"}
    assert not ACTING & {name.removeprefix("agentcells.") for name in loaded}


@pytest.mark.sandbox
def test_r21_whatever_changes_on_the_forge_is_acted_on_by_the_next_tick(line: GitHubFactory) -> None:
    line.tick()
    number = line.file()
    assert line.tick().cells == ["triage", "implement", "review"]
    assert line.states(number) == set()
    assert not (line.state / "cache" / quiet.NOTE).exists()  # a pull request of ours is open


def test_r21_a_note_without_validators_is_only_half_of_one(
    line: GitHubFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert note(line)["validators"] == {}
    code, found = ask(line, monkeypatch)
    assert code is None
    assert list(found) == [REPO]


def test_r21_what_lists_may_not_show_yet_is_no_ground_to_stand_on(
    line: GitHubFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    line.as_("mallory").comment(REPO, 1, "Me too.")
    assert ask(line, monkeypatch) == (None, {})
    line.world.hub.clock.advance(180)
    with monkeypatch.context() as odd:
        odd.setattr("http.client.HTTPResponse.read", lambda *_: b"[" * 100_000)
        assert ask(line, odd) == (None, {})  # no page of a forge: the whole tick says what is wrong
    assert list(ask(line, monkeypatch)[1]) == [REPO]


def _prompt(line: GitHubFactory) -> None:
    (line.home / "prompts/review.md").write_text("Look twice.")


def _token(line: GitHubFactory) -> None:
    line.give_token()


def _stop(line: GitHubFactory) -> None:
    State(line.state).write_brake(Brake(stopped=True))


def _run(line: GitHubFactory) -> None:
    (line.state / "runs/r1").mkdir()


def _version(line: GitHubFactory) -> None:
    _change(line, version="0.0.0")


def _an_hour(line: GitHubFactory) -> None:
    _change(line, written=note(line)["written"] - quiet.GOOD_FOR_S)


def _clock_set_back(line: GitHubFactory) -> None:
    _change(line, written=note(line)["written"] + 600)


def _broken(line: GitHubFactory) -> None:
    (line.state / "cache" / quiet.NOTE).write_text('{"version": ')


def _cells(line: GitHubFactory) -> None:
    line.change('poll = "10m"', 'poll = "11m"')


def _pins(line: GitHubFactory) -> None:
    (line.home / "agentcells.lock.toml").unlink()


def _other_repository(line: GitHubFactory) -> None:
    line.world.rename_repository(REPO, "alice/elsewhere")


def _change(line: GitHubFactory, **fields: object) -> None:
    (line.state / "cache" / quiet.NOTE).write_text(json.dumps({**note(line), **fields}))


CHANGES = (
    _prompt, _token, _stop, _run, _version, _an_hour, _clock_set_back, _broken, _cells, _pins,
    _other_repository,
)


def test_r20_each_change_here_or_there_brings_a_whole_tick(
    line: GitHubFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    line.tick()
    files = {path: path.read_bytes() for folder in (line.home, line.state / "cache")
             for path in folder.rglob("*") if path.is_file()}
    assert ask(line, monkeypatch)[0] == 0  # the control
    for change in CHANGES:
        change(line)
        assert ask(line, monkeypatch)[0] is None, change.__name__
        for path, content in files.items():
            path.write_bytes(content)
        (line.state / "brake.json").unlink(missing_ok=True)
        if (line.state / "runs/r1").exists():
            (line.state / "runs/r1").rmdir()
    line.world.rename_repository("alice/elsewhere", REPO)
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert ask(line, monkeypatch)[0] is None
    monkeypatch.delenv("HTTPS_PROXY")
    held = State(line.state).tick_lock()
    assert ask(line, monkeypatch)[0] is None
    assert held is not None


def test_r20_what_the_forge_would_not_tell_keeps_a_tick_whole(line: GitHubFactory) -> None:
    """Checks, clocks and other machines change nothing that a list shows."""
    config, state = line.config, State(line.state)
    snapshot, plan = line.look()
    assert quiet._nothing_pending(config, state, snapshot, plan)  # the control
    later = snapshot.now + timedelta(hours=1)
    over = replace(snapshot, brake=Brake(paused_until=snapshot.now - timedelta(hours=1)))
    assert quiet._nothing_pending(config, state, over, plan)
    pending: list[Callable[[], bool]] = [
        lambda: quiet._nothing_pending(
            config, state, replace(snapshot, brake=Brake(paused_until=later)), plan),
        lambda: quiet._nothing_pending(
            config, state, replace(snapshot, troubles=(("alice/game#1", "no"),)), plan),
        lambda: quiet._nothing_pending(config, state, replace(snapshot, branches=("agentcells/1",)), plan),
        lambda: quiet._nothing_pending(config, state, snapshot, Plan(
            skips=tuple(replace(skip, key="skip_paused") for skip in plan.skips))),
        lambda: quiet._nothing_pending(config.model_copy(update={
            "factory": config.factory.model_copy(update={"lease": True})}), state, snapshot, plan),
        lambda: quiet._nothing_pending(config.model_copy(update={
            "notify": config.notify.model_copy(update={"url": "https://ntfy.example/x"})}), state,
            snapshot, plan),
    ]
    assert [look() for look in pending] == [False] * len(pending)
    memory = state.memory(REPO)
    assert memory is not None
    row = replace(memory.rows[0], kind="pull_request")
    state.keep_memory(REPO, replace(memory, rows=(row,)))
    assert not quiet._nothing_pending(config, state, snapshot, plan)


def test_the_state_folder_is_the_same_for_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = tmp_path / "cells.toml"
    for name, value in (("AGENTCELLS_STATE", "~/x"), ("XDG_STATE_HOME", str(tmp_path)), ("HOME", "/home/a")):
        for other in ("AGENTCELLS_STATE", "XDG_STATE_HOME"):
            monkeypatch.delenv(other, raising=False)
        monkeypatch.setenv(name, value)
        assert quiet.state_folder(cells) == store.state_folder(cells)


def test_other_words_are_left_to_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AGENTCELLS_CONFIG", raising=False)
    assert quiet.asked([]) == (Path("cells.toml"), "text")
    assert quiet.asked(["--config=a", "--json"]) == (Path("a"), "json")
    assert quiet.asked(["-c", "a"]) == (Path("a"), "text")
    for words in (["--dry-run"], ["--help"], ["-c"], ["x"]):
        assert quiet.asked(words) is None


def test_what_could_not_be_put_leaves_no_half_file(tmp_path):
    (tmp_path / "last_tick.json" / "in the way").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        quiet._put(tmp_path / "last_tick.json", "{}")
    assert [path.name for path in tmp_path.iterdir()] == ["last_tick.json"]
