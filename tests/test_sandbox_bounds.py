"""Stories of bounds: processes, memory, files and disk of a sandbox end before the machine's do."""

from __future__ import annotations

import json
import os
import platform
import resource
import shutil
import struct
import time
from pathlib import Path
from typing import Any

import pytest

from agentcells import confine
from agentcells.confine import bounds
from agentcells.model import Problem
from agentcells.provision import demand_ready
from agentcells.sentences import SENTENCES
from agentcells.store import Limits
from tests.factory import REPO, Factory
from tests.run_world import RunWorld

pytestmark = pytest.mark.sandbox


@pytest.fixture
def world(tmp_path: Path):
    world = RunWorld(tmp_path, "strong")
    yield world
    os.close(world.lock)


def tight(world: RunWorld, **limits: int) -> RunWorld:
    fields = {name: getattr(world.box, name) for name in world.box.__slots__}
    world.box = type(world.box)(**{**fields, **limits})
    return world


def said(world: RunWorld, code: str, **changes: Any) -> Any:
    told = world.attend(world.python_agent("import json, os, time\n" + code), **changes)
    assert told.proved
    assert told.exit_code == 0, told.stderr
    return json.loads(world.log("stream.jsonl"))


FORKS = """
count = 0
try:
    while True:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        count += 1
except OSError as error:
    print(json.dumps([count, error.errno]))
"""


def test_processes_of_a_sandbox_are_counted_and_threads_with_them(world):
    count, errno = said(tight(world, max_processes=60), FORKS)
    assert 40 <= count <= 60
    assert errno == 11


def test_control_without_the_bound_there_are_more(world):
    count, _ = said(tight(world, max_processes=400), FORKS)
    assert count > 300


def test_other_processes_of_the_same_account_do_not_count(world, tmp_path):
    """Two sandboxes of one account: the processes of the first leave the second its own number."""
    code = f"""
import subprocess
{FORKS}
"""
    first = world.start_apart(world.python_agent("import json, os, time\n" + code + "time.sleep(60)"))
    time.sleep(1.0)
    (tmp_path / "other").mkdir()
    other = tight(RunWorld(tmp_path / "other", "strong"), max_processes=60)
    assert said(other, FORKS)[0] >= 40
    os.close(other.lock)
    first.terminate()
    assert first.wait(30) == 0


def test_memory_of_a_process_is_bounded(world):
    code = "try:\n    bytearray(300 << 20); print(1)\nexcept MemoryError:\n    print(0)"
    assert said(tight(world, max_memory=200 << 20), code) == 0


def test_control_within_the_bound_it_is_had(world):
    code = "try:\n    bytearray(300 << 20); print(1)\nexcept MemoryError:\n    print(0)"
    assert said(tight(world, max_memory=600 << 20), code) == 1


def test_a_file_is_bounded(world):
    code = """
import signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    open("big", "wb").truncate(11 << 20); print(1)
except OSError as error:
    print(error.errno)
"""
    assert said(tight(world, max_file=10 << 20), code) == 27
    assert (world.work / "big").stat().st_size <= 10 << 20


MEMORY_AS_FILES = """
found = {}
for folder in ("/dev", "/run", "/", "/etc", "/dev/shm"):
    try:
        with open(folder + "/x", "wb") as file:
            for _ in range(1200):
                file.write(b"x" * (1 << 20)); file.flush()
        found[folder] = "no end"
    except OSError as error:
        found[folder] = error.errno
print(json.dumps(found))
"""


def test_what_is_kept_in_memory_cannot_be_filled(world):
    """30: read-only, 28: no space left."""
    found = said(world, MEMORY_AS_FILES)
    assert found == {"/dev": 30, "/run": 30, "/": 30, "/etc": 30, "/dev/shm": 28}


def test_limits_never_go_above_our_own(world):
    _, ours = resource.getrlimit(resource.RLIMIT_NOFILE)
    code = (
        "import resource\n"
        "print(json.dumps([resource.getrlimit(resource.RLIMIT_NOFILE)[1], "
        "resource.getrlimit(resource.RLIMIT_CORE)[1], int(open('/proc/self/oom_score_adj').read())]))"
    )
    files, core, score = said(world, code)
    assert files == min(ours, 65_536)
    assert (core, score) == (0, 800)


def test_an_old_kernel_would_count_the_whole_account_so_it_is_not_bounded_there(monkeypatch):
    monkeypatch.setattr("platform.release", lambda: "5.10.0-13-amd64")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert resource.RLIMIT_NPROC not in bounds(10, 10, 10)
    monkeypatch.setattr("platform.release", lambda: "6.1.0")
    assert bounds(10, 10, 10)[resource.RLIMIT_NPROC] == 10


FILLS = """
with open("/tmp/fill", "wb") as file:
    while True:
        file.write(os.urandom(1 << 20)); file.flush(); time.sleep(0.002)
"""


def test_a_run_that_fills_the_disk_is_ended_before_it_is_full(world):
    left = shutil.disk_usage(world.folder).free
    told = world.attend(
        world.python_agent("import os, time\n" + FILLS), free_disk=left - (100 << 20), timeout_s=60
    )
    assert (told.proved, told.ending) == (True, "disk")
    assert int(told.said) > 0
    assert "run_disk_full" in SENTENCES


def test_control_with_room_left_nobody_ends_it(world):
    told = world.attend(world.python_agent("import os, time\n" + FILLS), free_disk=0, timeout_s=1.5)
    assert (told.proved, told.ending) == (True, "timeout")


def test_no_run_is_claimed_where_there_is_no_room(tmp_path):
    factory = Factory(tmp_path, settings="", containment="strong")
    text = factory.cells_path.read_text().replace("[sandbox]", "[sandbox]\nfree_disk_mb = 90_000_000")
    factory.cells_path.write_text(text)
    number = factory.file()
    ticked = factory.tick()
    assert ticked.code == 75
    assert "free_disk_mb" in ticked.stderr
    assert factory.states(number) == {"triage"}
    assert factory.item(number).comments == ()
    assert factory.owner.repository(REPO).name == REPO


def test_where_there_is_room_nothing_is_said(tmp_path):
    limits = Limits(agent_command=("python3",), cache=str(tmp_path / "not/there"))
    demand_ready(limits, {"PATH": os.environ["PATH"]})
    with pytest.raises(Problem) as caught:
        demand_ready(
            Limits(agent_command=("python3",), cache=str(tmp_path), free_disk_mb=10**8),
            {"PATH": os.environ["PATH"]},
        )
    assert caught.value.key == "run_disk_low"


def test_a_path_to_read_that_is_not_there_costs_no_item_a_round(tmp_path):
    with pytest.raises(Problem) as caught:
        demand_ready(
            Limits(agent_command=("python3",), containment="none", read=(str(tmp_path), "/nowhere/at-all")),
            {"PATH": os.environ["PATH"]},
        )
    assert (caught.value.key, caught.value.slots["path"]) == ("run_unreadable_path", "/nowhere/at-all")


# ---------------------------------------------------------------- the list of calls


def verdict(program: bytes, architecture: int, number: int) -> int:
    """What the kernel would make of one call: the few instructions that we use."""
    code = [struct.unpack_from("HBBI", program, at) for at in range(0, len(program), 8)]
    place, value = 0, 0
    while True:
        kind, yes, no, constant = code[place]
        place += 1
        if kind == confine.LOAD:
            value = architecture if constant == 4 else number
        elif kind == confine.RETURN:
            return constant
        else:
            holds = value == constant if kind == confine.JUMP_EQUAL else value >= constant
            place += yes if holds else no


@pytest.mark.parametrize("machine", confine.DENIED)
def test_r35_the_list_denies_its_calls_and_no_other(machine):
    program = confine.seccomp_program(machine)
    assert program is not None
    architecture, denied = confine.DENIED[machine]
    for number in range(600):
        wanted = confine.REFUSE if number in denied.values() else confine.ALLOW
        assert verdict(program, architecture, number) == wanted
    assert verdict(program, architecture, confine.X32_BIT | 1) == confine.KILL
    assert verdict(program, 0x40000003, 1) == confine.KILL  # calls of another architecture


def test_r35_both_lists_name_the_same_calls():
    assert {*confine.DENIED_AARCH64} == {*confine.DENIED_X86_64}
    assert confine.seccomp_program("riscv64") is None


def test_r35_inside_a_denied_call_is_refused(world):
    _, denied = confine.DENIED[platform.machine()]
    numbers = [denied[name] for name in ("ptrace", "add_key", "io_uring_setup")]
    code = f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
found = []
for number in {numbers}:
    found.append([libc.syscall(number, 0, 0, 0, 0), ctypes.get_errno()])
print(json.dumps(found))
"""
    assert said(world, code) == [[-1, 1]] * 3
