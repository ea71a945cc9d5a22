"""What one piece of work costs an agent in tokens: by git and forge tools, and by work records.

The same fixed job on the same generated project, with the whole difference shown on every side. Ours
is really done, by the server's own tools on a real repository; what git prints is real too. Forge
payloads have the shape of the forge's REST answers. Nothing is asked of a network.
"""

from __future__ import annotations

import importlib
import json
import os
import random
import subprocess
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from agentcells.brain_tools import BrainDesk
from agentcells.emptying import passing_folder
from agentcells.forge.local import LocalForge
from agentcells.model import Problem
from agentcells.project import Setting
from agentcells.sentences import say

Count: TypeAlias = Callable[[str], int]

REPO = "alice/game"
COMMENTS, WANTED = 20, 3
PROMPT = "Finish issue 1: read what was said last, look at the work, save it, share it, close the issue."
MESSAGE = "Give each level its own gravity"
CLOSING = "Done: each level has its own gravity now."


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolList:
    """A rival's list as a client sends it: measured once, by version, with o200k."""

    name: str
    bytes: int
    tokens: int


GIT_SERVER = ToolList(name="mcp-server-git 2026.10.19 (12 tools)", bytes=4_808, tokens=1_139)
GITEA_SERVER = ToolList(name="gitea-mcp 0.5.1 (21 tools)", bytes=18_011, tokens=4_235)
GITHUB_SERVER = ToolList(
    name="github-mcp-server of 2026-08-20, its default toolsets (43 tools)", bytes=44_059, tokens=9_903)

RIVALS: tuple[tuple[str, tuple[ToolList, ...]], ...] = (
    ("bench_shell", ()), ("bench_shell_gitea", (GITEA_SERVER,)),
    ("bench_git_gitea", (GIT_SERVER, GITEA_SERVER)), ("bench_git_github", (GIT_SERVER, GITHUB_SERVER)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One call and what came back, as the model's context holds them."""

    tool: str
    arguments: dict[str, Any]
    result: str

    @property
    def text(self) -> str:
        return _compact([{"type": "tool_use", "name": self.tool, "input": self.arguments},
                         {"type": "tool_result", "content": self.result}])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """`billed`: the input of all turns together, as it is billed without a cache."""

    key: str
    calls: int
    listed: int
    spoken: int
    context: int
    billed: int
    unit: str


def measure(seed: int = 1) -> tuple[Bill, ...]:
    """Ours last. In tokens (o200k, of the package bpe-openai); without that, in bytes."""
    count = counter()
    with passing_folder("agentcells-bench-") as folder:
        ours, our_list = _ours(Project(folder / "ours", seed))
        theirs = list(_theirs(Project(folder / "theirs", seed)))
    size = count or _bytes
    bills = [
        _bill(key, theirs, sum(x.tokens if count else x.bytes for x in lists), count)
        for key, lists in RIVALS
    ]
    return (*bills, _bill("bench_ours", ours, size(our_list), count))


def counter() -> Count | None:
    """How many tokens a text has. A stand-in for Claude's own, which is not to be had offline."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of how it reads its own tables
            # By name: whoever does not measure need not have it.
            encoding = importlib.import_module("bpe_openai").get_encoding("o200k_base")
    except ModuleNotFoundError:
        return None
    return lambda text: len(encoding.encode(text))


def _bytes(text: str) -> int:
    return len(text.encode())


def table(bills: Sequence[Bill], language: str = "en") -> list[str]:
    """A Markdown table, and how many times each way costs what ours does."""
    ours = bills[-1]
    lines = ["| " + say("bench_head", language).replace(";", " | ") + " |", "|---" * 7 + "|"]
    for bill in bills:
        times = bill.billed / ours.billed
        numbers = (bill.calls, bill.listed, bill.spoken, bill.context, bill.billed)
        cells = " | ".join(f"{number:,}" for number in numbers)
        lines.append(f"| {say(bill.key, language)} | {cells} | {times:.1f} |")
    if ours.unit == "bytes":
        lines.append(say("bench_no_tokens", language))
    return lines


def as_values(bills: Sequence[Bill]) -> list[dict[str, Any]]:
    """For programs."""
    return [{name: getattr(bill, name) for name in Bill.__slots__} for bill in bills]


# ---------------------------------------------------------------- counting


def _bill(key: str, turns: Sequence[Turn], listed: int, count: Count | None) -> Bill:
    """A turn's input is everything before it; the last one reads the last result too."""
    size = count or _bytes
    first, sizes = size(PROMPT), [size(turn.text) for turn in turns]
    billed = sum(listed + first + sum(sizes[:number]) for number in range(len(turns) + 1))
    return Bill(key=key, calls=len(turns), listed=listed, spoken=sum(sizes), billed=billed,
                context=listed + first + sum(sizes), unit="tokens" if count else "bytes")


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# ---------------------------------------------------------------- the job


class Project:
    """A generated project with unrecorded work in it and an issue about it."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.work = root / "game"
        self._random = random.Random(seed)
        self.forge = LocalForge.create(root / "forge", "alice", [REPO])
        self._begin()
        self.forge.create_issue(REPO, "Levels need a gravity of their own", self._words(60), [], [])
        item = self.forge.read(REPO, 1)
        for _ in range(COMMENTS):
            self.forge.comment(item, self._words(40))

    def git(self, *words: str) -> str:
        env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.root), "LC_ALL": "C",
               "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(["git", *words], cwd=self.work if self.work.exists() else self.root,
                              env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60,
                              check=False)
        if done.returncode != 0:
            raise Problem("bench_git", detail=done.stderr.decode("utf-8", "replace")[-300:])
        return (done.stdout + done.stderr).decode("utf-8", "replace")

    def _begin(self) -> None:
        self.git("init", "-q", "--initial-branch=main", str(self.work))
        for name, value in (("user.name", "alice"), ("user.email", "alice@example.invalid")):
            self.git("config", name, value)
        files = {f"src/level{number}.py": self._code(80) for number in range(4)}
        for name, text in files.items():
            self._write(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Begin")
        self.git("remote", "add", "origin", self.forge.remote(REPO).url)
        self.git("push", "-q", "-u", "origin", "main")
        for name, text in files.items():
            lines = text.split("\n")
            for _ in range(3):
                lines[self._random.randrange(len(lines) - 1)] = self._line()
            self._write(name, "\n".join(lines))
        self._write("src/gravity.py", self._code(20))

    def _write(self, name: str, text: str) -> None:
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def _code(self, lines: int) -> str:
        return "\n".join(self._line() for _ in range(lines)) + "\n"

    def _line(self) -> str:
        name, other = self._random.choices(_NAMES, k=2)
        return f"{name} = {other}.{self._random.choice(_NAMES)}({self._random.randrange(1000)})"

    def _words(self, count: int) -> str:
        return " ".join(self._random.choices(_NAMES, k=count)).capitalize() + "."


_NAMES = (
    "player", "level", "gravity", "ball", "paddle", "score", "speed", "angle", "bounce", "wall",
    "brick", "lives", "bonus", "timer", "sound", "colour", "enemy", "shield", "laser", "menu",
)


def _ours(project: Project) -> tuple[list[Turn], str]:
    """The job by the server's own tools; and the list of tools with the instructions."""
    desk = BrainDesk(Setting(roots=(project.root,)), "en", lambda text: None)
    state, turns = desk.open(), []
    for tool, arguments in (
        ("work_session_start", {"project_root": str(project.work)}),
        ("issue_read", {"issue_id": 1, "last_n_comments": WANTED}),
        ("work_observe", {}), ("work_diff", {}),
        ("work_record", {"message": MESSAGE, "issue_ids": [1]}), ("work_publish", {}),
        ("issue_close", {"issue_id": 1, "comment": CLOSING}),
    ):
        envelope = desk.call(state, tool, dict(arguments))
        if envelope["status"] != "ok":
            raise AssertionError(f"{tool}: {envelope}")
        turns.append(Turn(tool=tool, arguments=dict(arguments), result=_compact(envelope)))
    listed = [{"name": t["name"], "description": t["description"], "input_schema": t["inputSchema"]}
              for t in desk.tools()]
    return turns, _compact(listed) + desk.instructions


def _theirs(project: Project) -> Iterator[Turn]:
    """The job by git and a forge's tools, each called as little as can be."""
    place = {"owner": "alice", "repo": "game", "index": 1}
    issue = project.forge.read(REPO, 1)
    repo = {"repo_path": str(project.work)}
    files = ["src/gravity.py", *(f"src/level{number}.py" for number in range(4))]
    yield Turn(tool="get_issue_by_index", arguments=place, result=_compact(_issue(issue.body, "open")))
    comments = [_comment(number, c.body) for number, c in enumerate(issue.comments)]
    yield Turn(tool="get_issue_comments_by_index", arguments=place, result=_compact(comments))
    yield Turn(tool="git_status", arguments=repo, result=project.git("status"))
    yield Turn(tool="git_diff_unstaged", arguments=repo, result=project.git("diff"))
    project.git("add", "--", *files)
    yield Turn(tool="git_add", arguments={**repo, "files": files}, result="Files staged successfully")
    new = project.git("diff", "--cached", "--", files[0])
    yield Turn(tool="git_diff_staged", arguments={**repo, "path": files[0]}, result=new)
    said = project.git("commit", "-m", f"{MESSAGE}\n\nRefs #1")
    yield Turn(tool="git_commit", arguments={**repo, "message": f"{MESSAGE}\n\nRefs #1"}, result=said)
    yield Turn(tool="git_push", arguments={**repo, "remote": "origin", "branch": "main"},
               result=project.git("push", "origin", "main"))
    yield Turn(tool="git_log", arguments={**repo, "max_count": 1}, result=project.git("log", "-1"))
    yield Turn(tool="create_issue_comment", arguments={**place, "body": CLOSING},
               result=_compact(_comment(COMMENTS, CLOSING)))
    yield Turn(tool="edit_issue", arguments={**place, "state": "closed"},
               result=_compact(_issue(issue.body, "closed")))


def _user(login: str = "alice") -> dict[str, Any]:
    """As Gitea's REST answers show an account: with everything, in every comment."""
    return {
        "id": 1, "login": login, "login_name": "", "source_id": 0, "full_name": login,
        "email": f"{login}@noreply.example.invalid", "html_url": f"https://git.example/{login}",
        "avatar_url": f"https://git.example/avatars/{'0' * 32}", "language": "", "is_admin": False,
        "last_login": "0001-01-01T00:00:00Z", "created": "2026-01-01T00:00:00Z", "restricted": False,
        "active": False, "prohibit_login": False, "location": "", "website": "", "description": "",
        "visibility": "public", "followers_count": 0, "following_count": 0,
        "starred_repos_count": 0, "username": login,
    }


def _issue(body: str, state: str) -> dict[str, Any]:
    url = "https://git.example/alice/game/issues/1"
    return {
        "id": 101, "url": f"https://git.example/api/v1/repos/{REPO}/issues/1", "html_url": url,
        "number": 1, "user": _user(), "original_author": "", "original_author_id": 0,
        "title": "Levels need a gravity of their own", "body": body, "ref": "", "assets": [],
        "labels": [], "milestone": None, "assignee": None, "assignees": None, "state": state,
        "is_locked": False, "comments": COMMENTS, "created_at": "2026-03-01T09:00:00Z",
        "updated_at": "2026-03-01T09:00:00Z", "closed_at": None, "due_date": None,
        "pull_request": None, "pin_order": 0,
        "repository": {"id": 1, "name": "game", "owner": "alice", "full_name": REPO},
    }


def _comment(number: int, body: str) -> dict[str, Any]:
    url = "https://git.example/alice/game/issues/1"
    return {
        "id": 500 + number, "html_url": f"{url}#issuecomment-{500 + number}",
        "pull_request_url": "", "issue_url": url, "user": _user(), "original_author": "",
        "original_author_id": 0, "body": body, "assets": [],
        "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-01T09:00:00Z",
    }
