"""The same attacks where an ordinary user runs the factory: pytest once more, under another account.

Root starts it with tests/as_user.py; an ordinary user needs nothing of it, he is one already.
"""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentcells.emptying import remove_tree

pytestmark = pytest.mark.sandbox

TESTS = Path(__file__).resolve().parent.parent
USER = 1001
QUICK = (
    "attacks/test_c_files.py::test_c01_c02_a_repository_in_the_workspace_is_refused_and_nothing_of_it_runs",
    "attacks/test_c_files.py::test_c08_a_device_cannot_be_made_and_what_is_closed_is_no_trap",
    "attacks/test_e_processes.py::test_e01_e02_e03_nothing_lives_when_the_push_begins",
    "attacks/test_e_processes.py::test_e01_what_goes_on_in_the_background_is_ended",
    "attacks/test_g_sandbox.py::test_g01_what_is_not_listed_is_not_there",
)
ALL = (
    *(f"attacks/{path.name}" for path in sorted((TESTS / "attacks").glob("test_[a-j]_*.py"))),
    "test_sandbox_bounds.py", "test_supervisor.py", "test_runner.py",
)


@pytest.fixture
def home() -> Iterator[Path]:
    """The user's. Near the root: the whole path of a socket has a hundred characters at most."""
    place = Path(tempfile.mkdtemp(prefix="u", dir="/tmp"))
    place.chmod(0o755)
    yield place
    remove_tree(place)


def as_user(home: Path, tests: tuple[str, ...], *flags: str) -> str:
    """pytest's own report of these tests, run by the user."""
    packages = [path for path in (*site.getsitepackages(), *sys.path) if "site-packages" in path]
    needed = {TESTS.parent, Path(sys.prefix), Path(sys.base_prefix).resolve(), home, *map(Path, packages)}
    command = [
        sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *flags,
        f"--basetemp={home}/t", *(str(TESTS / test) for test in tests),
    ]
    if os.geteuid() == 0:
        os.chown(home, USER, USER)
        script = str(TESTS / "as_user.py")
        command = [sys.executable, "-I", script, str(USER), *map(str, sorted(needed)), "--", *command]
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "HYPOTHESIS_PROFILE") if name in os.environ}
    done = subprocess.run(
        command, cwd=TESTS.parent, capture_output=True, text=True, check=False,
        env={**kept, "HOME": str(home), "TMPDIR": str(home)},
    )
    print(done.stdout[-6000:], done.stderr[-2000:])
    assert done.returncode == 0
    return done.stdout


def test_an_ordinary_user_is_as_safe_as_root(home: Path) -> None:
    said = as_user(home, QUICK)
    passed = re.search(r"(\d+) passed", said)
    assert passed
    assert int(passed[1]) >= len(QUICK)


@pytest.mark.slow
def test_an_ordinary_user_is_as_safe_as_root_against_everything(home: Path) -> None:
    assert " passed" in as_user(home, ALL, "-m", "slow or not slow")
