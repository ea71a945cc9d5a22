"""A fresh machine meets `make demo`: what is missing is one line, what is there is made once."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("sh", "env", "dirname", "cat", "cut", "rm", "sha256sum", "git", "mkdir", "touch", "make")


@pytest.fixture
def machine(tmp_path):
    """A checkout in a folder with spaces, and a PATH that holds only what the test puts there."""
    checkout = tmp_path / "my project"
    checkout.mkdir()
    shutil.copytree(ROOT / ".ci", checkout / ".ci", ignore=shutil.ignore_patterns("npm"))
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, checkout / name)
    (checkout / "agentcells").mkdir()
    shutil.copy(ROOT / "agentcells" / "__init__.py", checkout / "agentcells")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found, tool
        (tools / tool).symlink_to(found)
    return Machine(checkout, tools)


class Machine:
    def __init__(self, checkout: Path, tools: Path) -> None:
        self.checkout = checkout
        self.tools = tools

    def has(self, tool: str, script: str) -> None:
        path = self.tools / tool
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def make(self, target: str, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", "-s", target],
            cwd=self.checkout, env={"PATH": str(self.tools), "HOME": "/nonexistent", **env},
            capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
        )  # fmt: skip


def real_python(after: str = "") -> str:
    return f'{after}\nexec "{sys.executable}" "$@"'


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """What the person reads, without make's own closing line."""
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_without_python_the_line_names_python(machine):
    line = one_line(machine.make("demo"))
    assert "Python 3.11 or newer is needed (found: none)" in line
    assert "apt-get install python3 python3-venv" in line


def test_a_python_that_is_too_old_is_named_with_its_version(machine):
    machine.has("python3", 'case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac')
    assert "(found: Python 3.9.2)" in one_line(machine.make("demo"))


def test_a_newer_python_beside_an_old_one_is_found(machine):
    machine.has("python3", "exit 1")
    machine.has("python3.12", real_python('case "$2" in *ensurepip*) exit 1;; esac'))
    assert "venv module" in one_line(machine.make("demo"))


def test_without_the_venv_module_the_line_names_its_package(machine):
    machine.has("python3", real_python('case "$2" in *ensurepip*) exit 1;; esac'))
    line = one_line(machine.make("test"))
    assert "the venv module of Python 3" in line
    assert "apt-get install python3-venv" in line


def test_without_git_the_line_names_git(machine):
    machine.has("python3", real_python())
    (machine.tools / "git").unlink()
    assert "git is missing. On Debian: apt-get install git" in one_line(machine.make("demo"))


@pytest.fixture
def ready(machine):
    """A machine whose pip is small: it notes each call, and leaves the program as pip would."""
    machine.has("python3", real_python())
    venv = machine.checkout / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    site = next(venv.glob("lib/python*/site-packages"))
    for module, lines in {
        "pip": [
            "if pathlib.Path('no-network').exists(): sys.exit('no matching distribution')",
            "tool = pathlib.Path('.venv/bin/agentcells')",
            "tool.write_text('#!/bin/sh\\necho walked $1\\n')",
            "tool.chmod(0o755)",
        ],
        "pytest": ["print('tested')"],
    }.items():
        (site / module).mkdir()
        (site / module / "__init__.py").write_text("")
        note = f"print('{module}', *sys.argv[1:], file=open('calls', 'a'))"
        (site / module / "__main__.py").write_text("\n".join(["import pathlib, sys", note, *lines]))
    return machine


def calls(machine: Machine) -> list[str]:
    return (machine.checkout / "calls").read_text().splitlines()


def test_a_ready_environment_is_not_made_again_until_something_changes(ready):
    done = ready.make("demo")
    assert "Making .venv" in done.stdout
    assert done.stdout.splitlines()[-1] == "walked demo"
    assert "--require-hashes --requirement requirements.lock" in calls(ready)[0]
    assert ready.make("demo").stdout == "walked demo\n"
    assert len(calls(ready)) == 2
    with (ready.checkout / "requirements.lock").open("a") as lock:
        lock.write("# one more\n")
    assert "Making .venv" in ready.make("demo").stdout
    assert len(calls(ready)) == 4


def test_an_environment_that_was_moved_is_made_again(ready):
    ready.make("demo")
    ready.checkout = ready.checkout.rename(ready.checkout.parent / "elsewhere")
    assert "Making .venv" in ready.make("demo").stdout


def test_an_environment_for_the_tests_serves_the_demo_too(ready):
    assert ready.make("test").stdout.splitlines()[-1] == "tested"
    assert "--requirement requirements-dev.lock" in calls(ready)[0]
    assert ready.make("demo").stdout == "walked demo\n"


def test_packages_that_cannot_be_had_are_told_and_the_next_try_begins_again(ready):
    (ready.checkout / "no-network").touch()
    for _ in range(2):
        done = ready.make("demo")
        assert done.returncode != 0
        assert "could not install the packages of requirements.lock" in done.stderr
    (ready.checkout / "no-network").unlink()
    assert ready.make("demo").stdout.splitlines()[-1] == "walked demo"


# ---------------------------------------------------------------- .ci/run


def ci(machine: Machine, make: str) -> subprocess.CompletedProcess[str]:
    for tool in ("bash", "mktemp", "tee", "grep", "tail", "timeout"):
        found = shutil.which(tool)
        assert found, tool
        (machine.tools / tool).symlink_to(found)
    machine.has("python3", real_python())
    for tool in ("curl", "git", "node", "npm", "openssl", "setpriv", "systemd-analyze"):
        machine.has(tool, "")
    machine.has("make", make)
    claude = machine.checkout / ".ci/npm/node_modules/.bin/claude"
    claude.parent.mkdir(parents=True, exist_ok=True)
    pinned = re.search(r"claude-code@([0-9.]+)", (machine.checkout / ".ci/run").read_text())
    assert pinned, "the version that was measured"
    claude.unlink(missing_ok=True)
    claude.write_text(f"#!/bin/sh\necho '{pinned[1]} (Claude Code)'\n")
    claude.chmod(0o755)
    # The packages were installed by whoever runs these tests; that they come before the check is what is seen here.
    (machine.checkout / ".ci/venv").write_text('#!/bin/sh\necho "$1 $HOME" >venv-made\n')
    return subprocess.run(
        [str(machine.tools / "bash"), ".ci/run"],
        cwd=machine.checkout, env={"PATH": str(machine.tools), "CI": "true", "HOME": "/home/somebody"},
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("code", "closing"),
    [(0, "12 passed in 3.20s"), (2, "1 failed, 11 passed, 2 deselected in 3.20s")],
)
def test_ci_ends_with_pytests_closing_line_and_its_result(machine, code, closing):
    machine.has("bwrap", "")
    done = ci(machine, f"echo checking; echo '{closing}'; echo coverage fails; exit {code}")
    assert done.returncode == code
    assert done.stdout.splitlines()[-1] == closing


def test_ci_that_fails_before_the_tests_fails(machine):
    machine.has("bwrap", "")
    done = ci(machine, "echo 'E501 line too long'; exit 2")
    assert (done.returncode, done.stdout) == (2, "E501 line too long\n")


def test_ci_installs_with_the_settings_of_its_user_and_checks_without_any(machine):
    machine.has("bwrap", "")
    done = ci(machine, 'echo "in $(echo "$HOME"/*)"')
    assert done.returncode == 0
    assert (machine.checkout / "venv-made").read_text() == "dev /home/somebody\n"
    nothing, star = os.path.split(done.stdout.removeprefix("in ").strip())
    assert star == "*", "an empty folder"
    assert nothing != "/home/somebody"
    assert not Path(nothing).exists(), "it is gone with the check"


def test_ci_installs_what_is_missing_as_root_and_names_it_to_anybody_else(machine):
    machine.has("apt-get", 'echo "$@" >>apt')
    done = ci(machine, "echo '1 passed in 1s'")
    if os.geteuid() == 0:
        assert done.returncode == 0
        assert "bubblewrap" in (machine.checkout / "apt").read_text()
    else:
        assert done.returncode == 1
        assert "missing: bwrap" in done.stderr
