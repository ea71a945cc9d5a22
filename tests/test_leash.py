"""The leash by itself: it ends when its command has, whatever else ends at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Ten orphans and the command are dead before the leash looks; of all of them tells one signal, taken already.
CROWD = f"""
import os, signal, sys, time
sys.path.insert(0, {str(ROOT)!r})
from agentcells import leash
leash.REAP_AT_ONCE = 3
signal.pthread_sigmask(signal.SIG_BLOCK, leash.AWAITED)
dead = [os.posix_spawn("/bin/true", ["true"], {{}}) for _ in range(11)]
for pid in dead:
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
while signal.sigtimedwait(leash.AWAITED, 0.1):
    pass
reaper = leash.Reaper()
reaper.wanted.add(dead[-1])
print(leash._wait(reaper, dead[-1]))
"""


def test_r39_a_command_that_ends_in_a_crowd_is_seen_to_have_ended() -> None:
    said = subprocess.run(
        [sys.executable, "-I", "-c", CROWD], capture_output=True, text=True, timeout=20, check=True
    )
    assert said.stdout == "0\n"


def test_r39_a_command_that_ends_alone_gives_its_code() -> None:
    argv = [sys.executable, "-I", str(ROOT / "agentcells/leash.py")]
    script = f"import os, subprocess; print(subprocess.run([*{argv!r}, str(os.getpid()), '--', 'sh', '-c', 'exit 7']).returncode)"
    said = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, timeout=20, check=True
    )
    assert said.stdout == "7\n"
