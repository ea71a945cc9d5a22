"""One run from the order that a tick would write to its ended.json, with real git and a real runner."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentcells import scripted_agent
from agentcells.model import RunId, Sha
from agentcells.run import Order, RunEnd
from agentcells.store import Limits, RunFolder
from tests.git_world import Origin, store

ROOT = Path(__file__).resolve().parent.parent
RUN = (
    "import sys; sys.path.insert(0, sys.argv[1]); from agentcells.runner import main; "
    "sys.exit(main(*sys.argv[2:]))"
)
FILES = {
    "greeter.py": b"def greet():\n    return 'Hello!'\n",
    "check.py": b"import greeter\nassert greeter.greet() == 'Hello, Ada!', greeter.greet()\n",
    ".gitignore": b"*.pyc\n__pycache__/\n",
}
DONE = {"answer": {"next": "review", "comment": "It greets by name."}}
GOOD = "def greet():\n    return 'Hello, Ada!'\n"


class Case:
    """One work item's run, from the order that a tick would write."""

    def __init__(self, tmp: Path, containment: str = "none") -> None:
        self.tmp = tmp
        self.containment = containment
        self.origin = Origin(tmp / "forge")
        self.start = self.origin.commit(FILES, "begin")
        self.git = store(tmp)
        self.git.fetch(self.origin.remote, ["main"])
        self.count = 0

    def order(self, run: str, **changes) -> Order:
        fields = {
            "run": RunId(run),
            "repo": "alice/greeter",
            "pair_key": "alice/greeter#1",
            "issue": 1,
            "pull": None,
            "cell": "implement",
            "came_from": "implement",
            "reply": False,
            "resume_from": "",
            "nexts": ("review", "needs-human"),
            "extra_fields": (),
            "prompt": "We are agentcells.\nCell: implement\n",
            "seen": (),
            "text_hash": "",
            "start": self.start,
            "base": self.start,
            "base_ref": "main",
            "branch": "agentcells/1",
            "branch_exists": False,
            "kept": "",
            "writes": True,
            "store": str(self.git.store),
            "created_at": datetime(2026, 1, 1, tzinfo=UTC),
        }
        return Order(**{**fields, **changes})

    def limits(self, do: list[Any], **changes) -> Limits:
        script = self.tmp / f"script{self.count}.json"
        script.write_text(json.dumps({"rules": [{"do": do}]}))
        # A program of its own folder: in a sandbox only what the command line names can be read.
        command = ("python3", "-I", str(Path(scripted_agent.__file__)), "--script", str(script))
        fields = {
            "agent_command": command,
            "containment": self.containment,
            "timeout_s": 30,
            "stall_s": 30,
            "test": ("python3", "-B", "check.py"),
            "command_timeout_s": 20,
            "protected": (".claude/**",),
            "needs_record": True,
            "needs_test": True,
            "cache": str(self.tmp / "cache"),
        }
        return Limits(**{**fields, **changes})

    def begin(
        self,
        do: list[Any],
        *,
        env: dict[str, str] | None = None,
        order: dict | None = None,
        **limits,
    ):
        """The runner's process and its folder, as a coordinator starts it."""
        self.count += 1
        path = self.tmp / f"r{self.count}"
        path.mkdir(mode=0o700)
        lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = RunFolder(path)
        folder.write_order(self.order(path.name, **(order or {})), self.limits(do, **limits))
        known = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], **(env or {})}
        command = [sys.executable, "-I", "-c", RUN, str(ROOT), str(path), str(lock)]
        with (path / "runner.log").open("wb") as log:
            process = subprocess.Popen(
                self.started_as(command),
                pass_fds=[lock],
                env=known,
                start_new_session=True,
                stderr=log,
            )
        os.close(lock)
        return process, folder

    def started_as(self, command: list[str]) -> list[str]:
        """A story may put somebody else in front."""
        return command

    def run(self, do: list[Any], **options) -> tuple[RunEnd, RunFolder]:
        process, folder = self.begin(do, **options)
        code = process.wait(60)
        print((folder.path / "runner.log").read_text())
        if (folder.path / "supervisor.log").exists():
            print((folder.path / "supervisor.log").read_text())
        assert code == 0
        end = folder.end()
        assert end is not None
        assert not folder.alive()
        return end, folder

    def files(self, sha: Sha | None) -> dict[str, bytes]:
        assert sha is not None
        entries = self.git.entries(sha)
        contents = dict(self.git.blobs({entry.sha for entry in entries.values()}))
        return {path: contents[entry.sha] for path, entry in entries.items()}


def answers(folder: RunFolder) -> list[dict]:
    """What the door said to the agent, call by call."""
    found = []
    for line in (folder.path / "stream.jsonl").read_text().splitlines():
        event = json.loads(line)
        for part in event.get("message", {}).get("content", []):
            if part["type"] == "tool_result" and part["content"].startswith('{"status"'):
                found.append(json.loads(part["content"]))
    return found
