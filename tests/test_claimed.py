"""Who claims a run may be killed before it is started: then nobody pays for it (R17, R33)."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentcells import handover
from agentcells.coordinator import Coordinator, _hand_over
from agentcells.markers import parse_ledger
from agentcells.store import State
from tests import reaper
from tests.factory import PLAIN_RULES, REPO, Factory
from tests.invariants import at_rest
from tests.stage import OWNER, Heard, Stage


def test_r17_a_pass_whose_coordinator_is_gone_claims_nothing(tmp_path: Path):
    factory = Factory(tmp_path)
    number = factory.file()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.close()
    given = [theirs.fileno(), handover.seal({})]
    command = [*handover.program(), "_pass", str(factory.cells_path), *map(str, given), "claim", "json"]
    done = subprocess.run(
        command, pass_fds=given, env=factory.environment(), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, check=False, timeout=60,
    )
    theirs.close()
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(event["event"], event.get("key")) for event in events] == [("skip", "skip_not_claiming")]
    assert factory.states(number) == {"triage"}
    assert factory.tick().cells == ["triage", "implement", "review"]


def test_r17_a_run_that_nobody_takes_over_is_let_go_and_the_next_tick_takes_it_back(tmp_path: Path):
    stage = Stage(tmp_path)
    number = stage.file()
    folder, heard = stage.claim(), Heard("quiet")
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.close()
    with theirs:
        _hand_over(theirs, folder, heard)
    assert not folder.alive()
    assert [event["key"] for event in heard.events] == ["pass_unattended"]
    assert stage.tick().cells == ["implement", "review"]
    assert [row.outcome for row in stage.book(number).rows] == ["withdrawn", "done", "done"]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage(tmp_path)
    monkeypatch.setenv("AGENTCELLS_STATE", str(made.state_place))
    return made


@pytest.fixture
def stopped(stage: Stage) -> Iterator[Coordinator]:
    """A coordinator that has been told to stop; its passes are processes."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    envelope = handover.seal({"AGENTCELLS_STATE": str(stage.state_place)})
    yield Coordinator(stage.config, stage.state, Heard("quiet"), -1, envelope, stopping=True)
    os.close(envelope)
    for number, handler in before.items():
        signal.signal(number, handler)


def test_r17_a_run_that_is_claimed_as_the_stop_comes_is_taken_back_and_not_started(
    stage: Stage, stopped: Coordinator,
) -> None:
    number = stage.file()
    folder = stage.claim()
    assert "working" in stage.states(number)
    assert stopped.run([folder]) == 0
    assert stopped.runners == {}
    assert stage.states(number) == {"implement"}
    assert [row.outcome for row in stage.book(number).rows] == ["withdrawn"]


def test_r17_a_run_that_is_started_as_the_stop_comes_is_ended(stage: Stage, stopped: Coordinator) -> None:
    stage.file()
    folder = stage.claim()
    stopped._launch(folder)
    assert stopped.runners[folder.run].wait(60) != 0
    assert not folder.alive()


@pytest.mark.parametrize("how", ["label", "assignment"])
def test_r26_what_the_owner_takes_back_while_it_is_claimed_is_not_started(tmp_path: Path, how: str):
    stage = Stage(tmp_path)
    number = stage.file()

    def take_back(step: str) -> None:
        if step == "forge: add_labels":  # `working` stands there; nothing has started yet
            stage.step = None
            if how == "label":
                stage.unlabel(number, "implement")
            else:
                stage.people.unassign(number, OWNER, OWNER)

    stage.step = take_back
    for _ in range(2):
        assert stage.tick().cells == []
    assert stage.played == []
    assert "working" not in stage.states(number)
    assert [row.outcome for row in stage.book(number).rows] == ["withdrawn"]


class Ordered(reaper.Scythe):
    """Strikes when the order of a run has been written."""

    def step(self, name: str) -> None:
        if name == "RunFolder.write_order":
            os.kill(os.getpid(), signal.SIGKILL)


def test_r33_killed_between_the_order_and_the_book_the_next_tick_begins_as_if_nothing_had_been(
    tmp_path: Path,
):
    stage = Stage(tmp_path)
    number = stage.file()
    child = os.fork()
    if child == 0:
        reaper._live(stage, Ordered(0), tmp_path / "steps.json")
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    (left,) = stage.state.runs()
    assert left.has_order()
    ticked = stage.tick()
    assert ticked.cells == ["implement", "review"]
    assert "was claimed but never started" in ticked.of("CloseRun")[0]["text"]
    assert [row.outcome for row in stage.book(number).rows] == ["done", "done"]
    assert left.run not in {row.run for row in stage.book(number).rows}
    at_rest(stage)


def _children(pid: int) -> list[int]:
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _passes(coordinator: int) -> list[int]:
    found = []
    for pid in _children(coordinator):
        try:
            if b"\0_pass\0" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def _caught_while_claiming(factory: Factory, first: str) -> int:
    """Stops the pass that claims the second run, in the middle of it. 0: it was too fast for us."""
    tick = factory.start("tick")
    state = State(factory.state)
    until = time.monotonic() + 60
    while time.monotonic() < until and tick.poll() is None:
        new = [folder for folder in state.runs() if folder.has_order() and folder.order().cell != first]
        if not new:
            continue
        stopped = _passes(tick.pid)
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        os.kill(tick.pid, signal.SIGKILL)
        tick.wait()
        for pipe in (tick.stdout, tick.stderr):
            if pipe is not None:
                pipe.close()
        return stopped[0] if stopped and not new[0].was_started() else 0
    raise AssertionError("no second run was claimed")


@pytest.mark.slow
def test_r33_a_tick_killed_while_its_pass_claims_costs_the_item_no_round(tmp_path: Path):
    for attempt in range(10):
        factory = Factory(tmp_path / str(attempt), rules=PLAIN_RULES)
        number = factory.file()
        if pid := _caught_while_claiming(factory, "triage"):
            break
    else:
        raise AssertionError("the pass was never caught in the middle")
    os.kill(pid, signal.SIGCONT)
    until = time.monotonic() + 30
    while Path(f"/proc/{pid}").exists() and time.monotonic() < until:
        time.sleep(0.02)
    ticked = factory.tick()
    assert ticked.cells == ["implement", "review"], ticked.stderr
    assert "was claimed but never started" in ticked.of("CloseRun")[0]["text"]
    books = [book for c in factory.owner.read(REPO, number).comments if (book := parse_ledger(c.body))]
    assert [row.outcome for row in books[0].rows] == ["done", "withdrawn", "done", "done"]


def test_r33_a_run_whose_start_could_not_be_noted_is_a_dead_one_all_the_same(tmp_path: Path):
    """On a full disk the note is missing; what its runner made tells that there was one."""
    stage = Stage(tmp_path)
    number = stage.file()
    folder = stage.claim()
    (folder.path / "started").unlink(missing_ok=True)
    (folder.path / "work").mkdir()
    folder.unlock()
    stage.tick()
    assert stage.book(number).rows[0].outcome == "crash"
