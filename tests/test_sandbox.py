"""Stories of the strong sandbox: what it hides, what it cuts off, what it says where it cannot
work."""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agentcells import sandbox
from agentcells.model import Problem
from agentcells.sentences import SENTENCES
from tests.run_world import LEFTOVERS, PYTHON, RunWorld, alive, marker

LOOK = r"""
import ctypes, json, os, socket, sys
def reads(path):
    try:
        with open(path, "rb") as file:
            return len(file.read(10)) >= 0
    except OSError as error:
        return error.strerror
def writes(path):
    try:
        with open(path, "w") as file:
            file.write("x")
        return True
    except OSError as error:
        return error.strerror
def connects(family, address):
    try:
        socket.socket(family).connect(address)
        return True
    except OSError as error:
        return error.strerror
"""


@pytest.fixture
def world(tmp_path):
    world = RunWorld(tmp_path, "strong")
    yield world
    os.close(world.lock)


def look(world: RunWorld, expression: str, **changes) -> Any:
    """The value of an expression inside the agent sandbox."""
    told = world.attend(world.python_agent(f"{LOOK}\nprint(json.dumps({expression}))"), **changes)
    assert told.proved
    assert told.exit_code == 0, told.stderr
    return json.loads(world.log("stream.jsonl"))


@pytest.mark.sandbox
def test_r35_this_host_has_strong_containment():
    assert sandbox.available() == "strong"


def test_r35_reads_are_an_allow_list(world, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("x")
    tmp_path.chmod(0o755)
    paths = [
        str(secret),
        world.box.place("order.json"),
        "/etc/shadow",
        "/root/.bashrc",
        "/var/log",
        "/sys",
        "/etc/resolv.conf",
        "/run/systemd",
        f"/proc/{os.getpid()}/environ",
    ]
    assert look(world, f"[reads(path) for path in {paths!r}]") == [
        "No such file or directory"
    ] * len(paths)
    assert secret.read_text() == "x"  # the control: out here it is there


def test_r35_the_system_is_read_only_and_the_workspace_is_not(world):
    paths = ["/usr/x", "/x", "/etc/x", "/opt/agentcells/door.py", "here", "/tmp/x"]
    found = look(world, f"[writes(path) for path in {paths!r}]")
    assert found == ["Read-only file system"] * 4 + [True, True]
    assert (world.work / "here").read_text() == "x"


def test_r36_the_workspace_of_a_cell_that_only_reads_is_read_only(tmp_path):
    world = RunWorld(tmp_path, "strong", writes=False)
    (world.work / "a.txt").write_text("as it was")
    assert look(world, "[reads('a.txt'), writes('a.txt'), writes('b.txt')]") == [
        True,
        "Read-only file system",
        "Read-only file system",
    ]
    os.close(world.lock)


def test_r35_nothing_of_the_host_can_be_reached(world, tmp_path):
    with (
        socket.socket(socket.AF_UNIX) as path,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.create_server(("127.0.0.1", 0)) as port,
    ):
        path.bind(str(tmp_path / "s"))
        abstract.bind(f"\0agentcells-{os.getpid()}")
        path.listen()
        abstract.listen()
        tries = (
            f"[connects(socket.AF_UNIX, {str(tmp_path / 's')!r}),"
            f" connects(socket.AF_UNIX, chr(0) + 'agentcells-{os.getpid()}'),"
            f" connects(socket.AF_INET, ('127.0.0.1', {port.getsockname()[1]})),"
            " connects(socket.AF_INET, ('1.1.1.1', 53))]"
        )
        assert look(world, tries) == [
            "No such file or directory",
            "Connection refused",
            "Connection refused",
            "Network is unreachable",
        ]
        socket.create_connection(port.getsockname()).close()  # the control


def test_r35_no_capability_no_new_privileges_no_other_process_no_foreign_descriptor(world):
    status = "dict(line.split(':\\t') for line in open('/proc/self/status').read().splitlines())"
    found = look(
        world,
        f"[[{status}[key] for key in ('CapEff', 'CapBnd', 'NoNewPrivs', 'Seccomp')],"
        " sum(name.isdigit() for name in os.listdir('/proc')),"
        " sorted(os.listdir('/proc/self/fd'))]",
    )
    assert found[0] == ["0000000000000000", "0000000000000000", "1", "2"]
    assert found[1] <= 4  # bwrap's pid 1, the forwarder, and we
    assert found[2] == ["0", "1", "2", "3"]  # 3 is the listing's own


def test_r35_system_calls_that_reach_into_others_are_refused(world):
    calls = "[ctypes.CDLL(None).syscall(n, 0, 0, 0, 0) for n in (101, 250, 425, 39)]"
    ptrace, keyctl, io_uring, getpid = look(world, calls)
    refused = [-1, -1, -1] if platform.machine() == "x86_64" else [ptrace, keyctl, io_uring]
    assert [ptrace, keyctl, io_uring] == refused
    assert getpid > 0 or platform.machine() != "x86_64"


def test_r35_pid_1_was_started_with_no_environment_of_ours(world, monkeypatch):
    monkeypatch.setenv("FORGE_TOKEN", "ghp_not-for-anybody")
    environ = look(world, "open('/proc/1/environ').read() + json.dumps(dict(os.environ))")
    assert "ghp_not-for-anybody" not in environ
    assert "FORGE_TOKEN" not in environ


def test_r35_no_namespace_can_be_made_inside(world):
    told = world.attend(["unshare", "--user", "true"])
    assert told.exit_code != 0


def test_r35_as_root_all_of_a_run_belongs_to_an_account_that_is_nobodys(world):
    world.attend(["sh", "-c", "touch mine; id -u"])
    made = (world.work / "mine").stat()
    assert made.st_uid == (world.account[0] if world.account else os.getuid()) != 0
    accounts = {int(line.split(":")[2]) for line in Path("/etc/passwd").read_text().splitlines()}
    assert (made.st_uid in accounts) == (world.account is None)
    assert not Path("/tmp/0").exists()  # the places made for that account are seen by nobody else


def let_through(tmp_path: Path) -> None:
    """pytest closes its folders to other accounts."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder != Path("/tmp") and folder.is_relative_to("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o755)


def ordinary(tmp_path: Path, agent: list[str], path: str = "/usr/bin:/bin") -> dict:
    """What an ordinary user is told of a run of `agent`: as root under another uid, else as we
    are."""
    code = (
        "import dataclasses, json, pathlib, sys; sys.path[:0] = ['tests', '.']\n"
        "from run_world import RunWorld\n"
        "world = RunWorld(pathlib.Path(sys.argv[1]), 'strong')\n"
        "told = world.attend([world.python, *sys.argv[2:]])\n"
        "print(json.dumps(dataclasses.asdict(told)))\n"
    )
    argv = [PYTHON, "-B", "-c", code, str(tmp_path), *agent]
    let_through(tmp_path)
    if os.geteuid() == 0:
        os.chown(tmp_path, 60_999, 60_999)
        argv = [
            "setpriv",
            "--reuid",
            "60999",
            "--regid",
            "60999",
            "--clear-groups",
            "--no-new-privs",
            *argv,
        ]
    done = subprocess.run(
        argv,
        cwd=Path(__file__).resolve().parent.parent,
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_r35_an_ordinary_user_gets_the_same(tmp_path):
    mark = marker()
    told = ordinary(tmp_path, ["-c", LEFTOVERS, mark])
    assert (told["proved"], told["exit_code"]) == (True, 0)
    assert alive(mark) == []


# ---------------------------------------------------------------- the canary


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("hole", "key"),
    [
        (
            'for word do shift; [ "$word" = --unshare-net ] || set -- "$@" "$word"; done',
            "sandbox_canary_reached",
        ),
        (
            'for word do shift; [ "$word" = --chdir ] && set -- "$@" --bind /tmp /tmp; '
            'set -- "$@" "$word"; done',
            "sandbox_canary_read",
        ),
        ("echo broken >&2; exit 1", "sandbox_canary_failed"),
    ],
)
def test_r35_the_canary_finds_a_sandbox_that_does_not_hold(tmp_path, hole, key):
    """The control: a bubblewrap that leaves a hole.
    The agent is not started, and the reason is told."""
    leaky = tmp_path / "bwrap"
    leaky.write_text(f'#!/bin/sh\n{hole}\nexec /usr/bin/bwrap "$@"\n')
    leaky.chmod(0o755)
    told = ordinary(tmp_path, ["-c", "print('started')"], f"{tmp_path}:/usr/bin:/bin")
    assert (told["proved"], told["ending"], told["key"]) == (True, "canary", key)
    assert not (tmp_path / "run/stream.jsonl").read_text()


# ---------------------------------------------------------------- where it cannot work


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("bwrap: No permissions to create new namespace, likely because", "sandbox_no_namespaces"),
        ("bwrap: Creating new namespace failed: Operation not permitted", "sandbox_no_namespaces"),
        ("bwrap: setting up uid map: Permission denied", "sandbox_apparmor"),
        ("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "sandbox_apparmor"),
        (
            "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
            "sandbox_masked_proc",
        ),
        ("bwrap: Unknown option --disable-userns", "sandbox_old_bubblewrap"),
        ("something else", "sandbox_failed"),
    ],
)
def test_r35_what_bubblewrap_says_becomes_a_reason_and_a_remedy(said, key):
    assert sandbox.explain(said).key == key
    assert key in SENTENCES


def test_r35_without_bubblewrap_it_is_refused_with_the_remedy(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    problem = sandbox.available()
    assert isinstance(problem, Problem)
    assert problem.key == "sandbox_no_bubblewrap"


def test_r35_a_bubblewrap_that_fails_is_asked_why(monkeypatch, tmp_path):
    false = tmp_path / "bwrap"
    false.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2; exit 1\n")
    false.chmod(0o755)
    let_through(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    problem = sandbox.available()
    assert isinstance(problem, Problem)
    assert problem.key == "sandbox_apparmor"


def test_r35_a_bubblewrap_that_cannot_be_started_is_told(monkeypatch, tmp_path):
    (tmp_path / "bwrap").write_text("no program at all")
    (tmp_path / "bwrap").chmod(0o755)
    let_through(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    problem = sandbox.available()
    assert isinstance(problem, Problem)
    assert problem.key == "sandbox_failed"


def test_r35_other_systems_are_refused(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    problem = sandbox.available()
    assert isinstance(problem, Problem)
    assert problem.key == "sandbox_not_linux"
