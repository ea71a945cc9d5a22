"""The structured log: one line an event, within bounds; and how the last tick went."""

from __future__ import annotations

import errno
import json
import os
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentcells import journal as room
from agentcells.events import Emit
from agentcells.journal import Journal
from agentcells.model import Problem
from agentcells.plan import SetState, Skip
from tests.factory import Factory


def test_every_event_has_its_time_run_item_and_cell(tmp_path):
    emit = Emit("quiet", journal=Journal(tmp_path))
    emit.tell("started", "review began", pair="alice/game#12", run="r1", cell="review")
    emit.skips([waits(13, "skip_fork")])
    emit.did(SetState(pair_key="alice/game#14", repo="alice/game", issue=14, pull=None, on="issue",
                      head="", label="triage"), "label", {})
    emit.note("tick_idle")
    emit.problem(Problem("tick_busy"))
    found = Journal(tmp_path).events(50)
    assert [event.get("item") for event in found] == [12, 13, 14, None, None]
    assert found[0] | {"at": ""} == {
        "at": "", "item": 12, "event": "started", "pair": "alice/game#12", "run": "r1",
        "cell": "review", "text": "review began"}
    assert all(datetime.fromisoformat(event["at"]).tzinfo for event in found)
    assert [event["event"] for event in Journal(tmp_path).events(1)] == ["problem"]
    assert [event["item"] for event in Journal(tmp_path).events(9, item=13)] == [13]
    assert (tmp_path / room.NAME).stat().st_mode & 0o777 == 0o600


def waits(number: int, key: str) -> Skip:
    return Skip(pair_key=f"alice/game#{number}", number=number, title="t", state="", key=key)


@pytest.mark.parametrize("lost", [None, "", "7", "[[1]]", '"x"'])
def test_what_waits_for_the_same_as_before_is_told_but_not_kept_again(tmp_path, lost):
    first, second, third = waits(1, "skip_fork"), waits(2, "skip_fork"), waits(2, "skip_needs_human")
    for skips in ([first, second], [first, second], [first, third], [first], [first, third]):
        emit = Emit("quiet", journal=Journal(tmp_path))
        emit.skips(skips)
        assert [event["item"] for event in emit.told] == [skip.number for skip in skips]
    kept = [(event["item"], event["key"]) for event in Journal(tmp_path).events(50)]
    assert kept == [(skip.number, skip.key) for skip in (first, second, third, third)]
    if lost is not None:  # costs lines, nothing else
        (tmp_path / "waits.json").write_text(lost)
        Emit("quiet", journal=Journal(tmp_path)).skips([first, third])
        assert len(Journal(tmp_path).events(50)) == 6


def test_many_writers_lose_no_line_and_mix_none_when_the_file_is_set_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "LARGEST", 4_000)

    def write(who):
        for n in range(50):
            Journal(tmp_path).append({"who": who, "n": n, "text": "x" * 20})

    threads = [threading.Thread(target=write, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    aside = list(tmp_path.glob("events.*.jsonl"))
    assert len(aside) == room.KEPT_FILES
    for path in [*aside, tmp_path / room.NAME]:
        assert path.stat().st_size < 4_200
        assert all(json.loads(line) for line in path.read_text().splitlines())
    newest = Journal(tmp_path).events(10_000, who=1)
    assert [event["n"] for event in newest] == sorted(event["n"] for event in newest)


def test_what_is_too_old_goes(tmp_path):
    old = tmp_path / "events.1.jsonl"
    old.write_text('{"n": 1}\n')
    new = tmp_path / "events.2.jsonl"
    new.write_text('{"n": 2}\n{broken\n[]\n')
    os.utime(old, (1, 1))
    journal = Journal(tmp_path)
    journal.append({"n": 3})
    assert [event["n"] for event in journal.events(9)] == [1, 2, 3]
    journal.trim()
    assert [event["n"] for event in journal.events(9)] == [2, 3]


def test_the_logs_of_runs_go_by_age_and_by_size_the_oldest_first(tmp_path, monkeypatch):
    monkeypatch.setattr(room, "LOGS_LARGEST", 2_500)
    for name in ("r1", "r2", "r3", "r4"):
        folder = tmp_path / "logs" / name
        folder.mkdir(parents=True)
        (folder / "stream.jsonl").write_text("x" * 1000)
    os.utime(tmp_path / "logs" / "r4", (1, 1))
    Journal(tmp_path).trim_logs()
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == ["r3"]
    Journal(tmp_path / "nowhere").trim_logs()


def test_a_log_that_cannot_be_removed_ends_no_tick_and_keeps_no_other(tmp_path, monkeypatch):
    for name in ("r1", "r2", "r3"):
        (tmp_path / "logs" / name).mkdir(parents=True)
        os.utime(tmp_path / "logs" / name, (0, 0))
    remove = room.remove_tree  # type: ignore[attr-defined]

    def removed(folder):
        if folder.name == "r2":
            raise OSError(errno.EBUSY, "something is mounted there")
        remove(folder)

    monkeypatch.setattr(room, "remove_tree", removed)
    Journal(tmp_path).trim_logs()
    assert [path.name for path in (tmp_path / "logs").iterdir()] == ["r2"]


def test_a_full_disk_ends_no_tick(tmp_path):
    (tmp_path / room.NAME).mkdir()
    Journal(tmp_path).append({"n": 1})
    assert (tmp_path / room.NAME).is_dir()


def test_how_the_last_tick_went_is_kept(tmp_path):
    journal = Journal(tmp_path)
    assert journal.last_tick() is None
    assert journal.tick_ends(0).failures == 0
    journal.tick_begins()
    journal.fails(Problem("config_missing", file="x"), "en")
    journal.note([Problem("tick_busy")], "en")  # what came first is the reason
    assert journal.tick_ends(1).failures == 1
    last = journal.last_tick()
    assert last is not None
    assert (last.key, last.code) == ("config_missing", 1)
    journal.tick_begins()  # and it ends without a word
    journal.tick_begins()
    assert journal.tick_ends(75).failures == 3
    journal.tick_begins()
    done = journal.tick_ends(0)
    assert (done.failures, done.key, done.text) == (0, "", "")
    assert done.ended_at is not None
    assert datetime.now(UTC) - done.ended_at < timedelta(minutes=1)
    (tmp_path / "last_tick.json").write_text("{")
    assert journal.last_tick() is None


def test_a_tick_keeps_a_log_in_its_state_folder(tmp_path: Path):
    factory = Factory(tmp_path)
    number = factory.file()
    factory.run("tick")
    found = Journal(factory.state).events(1_000)
    claims = [event for event in found if event["event"] == "Claim"]
    assert [event["cell"] for event in claims] == ["triage", "implement", "review"]
    assert {event["item"] for event in claims} == {number}
    assert all(event["run"] for event in claims)
    kinds = [event["event"] for event in found]
    assert kinds.count("run_started") == kinds.count("run_ended") == 3
    ended = [event for event in found if event["event"] == "run_ended"]
    assert [event["outcome"] for event in ended] == ["done", "done", "done"]
    last = Journal(factory.state).last_tick()
    assert last is not None
    assert (last.code, last.failures) == (0, 0)
    assert last.ended_at is not None
