"""Hosts without strong containment, as they really are: refused with the reason and the remedy (R35)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentcells.sentences import say

pytestmark = pytest.mark.sandbox

USER = 1001
ROOT = Path(__file__).resolve().parent.parent
LOOK = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from agentcells import sandbox
found = sandbox.available()
print(json.dumps(found if found == "strong" else [found.key, found.slots]))
"""
# What a container does to the programs in it, done by bubblewrap itself.
HOSTS = {
    "an ordinary host": ([], "strong"),
    "no user namespaces": (["--disable-userns"], "sandbox_no_namespaces"),
    "parts of /proc covered": (["--ro-bind", "/proc/sys", "/proc/sys"], "sandbox_masked_proc"),
}
REMEDIES = {"sandbox_no_namespaces": "--security-opt", "sandbox_masked_proc": "systempaths=unconfined"}


@pytest.mark.parametrize("host", HOSTS)
def test_r35_a_host_that_cannot_contain_says_why_and_what_to_do(tmp_path: Path, host: str) -> None:
    """As an ordinary user: root in a container is another matter, and asked for where it matters."""
    flags, expected = HOSTS[host]
    outer = ["bwrap", "--unshare-user", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", *flags]
    packages = json.dumps([str(ROOT), *(path for path in sys.path if "site-packages" in path)])
    inner = [sys.executable, "-I", "-B", "-c", LOOK, packages]
    command = [*outer, *inner]
    if os.geteuid() == 0:
        script = str(ROOT / "tests/as_user.py")
        needed = [ROOT, Path(sys.prefix), Path(sys.base_prefix).resolve(), *map(Path, json.loads(packages))]
        command = [sys.executable, "-I", script, str(USER), *map(str, needed), "--", *command]
    done = subprocess.run(
        command, cwd="/", capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"}
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    if expected == "strong":
        assert said == "strong"
        return
    key, slots = said
    assert key == expected
    sentence = say(key, "en", **slots)
    assert REMEDIES[key] in sentence
    assert "\n\n" not in sentence  # one paragraph
