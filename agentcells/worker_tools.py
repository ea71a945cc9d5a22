"""The low-level tools, for agents that want version control and a forge by name: another server.

An agent that a person drives never sees these: they are served by a command and a token of their
own. They do what they say on the working copy the server was started for, and tell what it said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from agentcells import door
from agentcells.brain_tools import Tool, schema
from agentcells.door import Envelope
from agentcells.faces import Argument, Face, flaw_of
from agentcells.history.own_git import HOOKS_S, NETWORK_S, Ask, OwnGit, OwnGitError
from agentcells.model import Problem
from agentcells.project import Project, Setting, open_project
from agentcells.text import head_tail
from agentcells.tracker import Doubts, Tracker

Given: TypeAlias = dict[str, Any]

OUTPUT = 24_000
_PREFIXES = ("gitea", "github")


@dataclass(slots=True, kw_only=True)
class Bench:
    """The state of one connection."""

    project: Project
    doubts: Doubts

    @property
    def tracker(self) -> Tracker:
        if self.project.tracker is None:
            raise Problem("work_no_tracker")
        return self.project.tracker


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    about: str
    arguments: tuple[Argument, ...]
    does: Callable[[Bench, Given], object]


def _git(*words: str, network: bool = False, reads: bool = False) -> Callable[[Bench, Given], str]:
    """`{name}` in a word stands for that argument; a word whose argument is not given is left out.

    Paths come behind "--". No value can become an option.
    """

    def does(bench: Bench, given: Given) -> str:
        for name, value in given.items():
            if name == "message":
                continue  # it goes in by another way
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, str) and one.startswith("-"):
                    raise ValueError(f"a value may not begin with a dash: {one[:40]}")
        line = [word.format(**given) for word in words
                if "{" not in word or word[word.index("{") + 1:word.index("}")] in given]
        paths = given.get("paths") or []
        stdin = str(given.get("message", "")).encode("utf-8", "replace")
        asked = Ask(words=(*line, *(["--", *paths] if paths else [])), stdin=stdin, reads=reads,
                    deadline_s=NETWORK_S if network else HOOKS_S)
        return OwnGit(bench.project.root).run(asked)[1].decode("utf-8", "replace")

    return does


def _text(name: str, *, required: bool = False) -> Argument:
    return Argument(name=name, kind="text", required=required, blank=False)


_PATHS = Argument(name="paths", kind="texts")
_LABELS = Argument(name="labels", kind="texts")
_COUNT = Argument(name="count", kind="number", least=1, most=1_000)
_ISSUE = Argument(name="issue", kind="number", least=1, required=True)

GIT: dict[str, _Row] = {
    "git_status": _Row(about="git status", arguments=(), does=_git(
        "status", "--porcelain=v2", "--branch", reads=True)),
    "git_diff": _Row(about="git diff [target] [-- paths]", arguments=(_text("target"), _PATHS),
                     does=_git("diff", "{target}", reads=True)),
    "git_log": _Row(about="git log", arguments=(_COUNT, _text("target")), does=_git(
        "log", "--oneline", "--no-decorate", "--max-count={count}", "{target}", reads=True)),
    "git_show": _Row(about="git show target", arguments=(_text("target", required=True),),
                     does=_git("show", "--no-color", "{target}", reads=True)),
    "git_add": _Row(about="git add -A [-- paths]", arguments=(_PATHS,), does=_git("add", "-A")),
    "git_commit": _Row(about="git commit of what is staged",
                       arguments=(_text("message", required=True),),
                       does=_git("commit", "-F", "-")),
    "git_branch": _Row(about="git branch: create `name`, or list", arguments=(_text("name"),),
                       does=_git("branch", "{name}")),
    "git_switch": _Row(about="git switch name", arguments=(_text("name", required=True),),
                       does=_git("switch", "--no-guess", "{name}")),
    "git_merge": _Row(about="git merge name", arguments=(_text("name", required=True),),
                      does=_git("merge", "--no-edit", "{name}")),
    "git_fetch": _Row(about="git fetch", arguments=(), does=_git("fetch", network=True)),
    "git_pull": _Row(about="git pull --ff-only", arguments=(), does=_git(
        "pull", "--ff-only", network=True)),
    "git_push": _Row(about="git push [remote branch], never forced",
                     arguments=(_text("remote"), _text("branch")),
                     does=_git("push", "{remote}", "{branch}", network=True)),
}  # fmt: skip


def _read(bench: Bench, given: Given) -> object:
    issue = bench.tracker.read(given["issue"], given.get("count", 50))
    return {"number": issue.number, "title": issue.title, "state": issue.state,
            "labels": list(issue.labels), "body": issue.body,
            "comments": [{"by": c.by, "at": c.at, "body": c.body} for c in issue.comments]}


def _rows(bench: Bench, given: Given) -> object:
    found = bench.tracker.listed(given.get("state", "open"), given.get("count", 20))
    return [{"number": i.number, "title": i.title, "state": i.state, "labels": list(i.labels)}
            for i in found]


def _create(bench: Bench, given: Given) -> object:
    number = bench.tracker.create(given["title"], given.get("body", ""),
                                  given.get("labels", ()), bench.doubts)
    return {"number": number}


def _comment(bench: Bench, given: Given) -> object:
    bench.tracker.comment(given["issue"], given["body"], bench.doubts)
    return {"number": given["issue"]}


def _update(bench: Bench, given: Given) -> object:
    changed = bench.tracker.update(given["issue"], given.get("title"), given.get("body"),
                                   given.get("labels"))
    return {"number": given["issue"], "changed": changed}


def _close(bench: Bench, given: Given) -> object:
    bench.tracker.close(given["issue"], given.get("comment", ""), bench.doubts)
    return {"number": given["issue"]}


FORGE: dict[str, _Row] = {
    "get_issue": _Row(about="an issue with its newest comments", arguments=(_ISSUE, _COUNT),
                      does=_read),
    "list_issues": _Row(about="issues, newest change first", arguments=(
        Argument(name="state", kind="choice", choices=("open", "closed", "all")), _COUNT),
        does=_rows),
    "create_issue": _Row(about="file an issue", arguments=(
        _text("title", required=True), _text("body"), _LABELS), does=_create),
    "add_comment": _Row(about="comment on an issue", arguments=(
        _ISSUE, _text("body", required=True)), does=_comment),
    "update_issue": _Row(about="change title, body or labels", arguments=(
        _ISSUE, _text("title"), _text("body"), _LABELS), does=_update),
    "close_issue": _Row(about="close an issue", arguments=(_ISSUE, _text("comment")), does=_close),
}  # fmt: skip

TABLE: dict[str, _Row] = {
    **GIT,
    **{f"{prefix}_{name}": replace(row, about=f"{prefix.capitalize()}: {row.about}")
       for prefix in _PREFIXES for name, row in FORGE.items()},
}  # fmt: skip


class WorkerDesk:
    """What `mcp_server` serves to such an agent, on the project at `root`."""

    name = "worker-tools"
    instructions = "Version control and issues of one working copy, by their own names."

    def __init__(self, root: Path, setting: Setting, language: str,
                 log: Callable[[str], None]) -> None:
        self.language = language
        self._root = root
        self._setting = setting
        self._log = log

    def tools(self) -> list[Tool]:
        return [
            {"name": name, "description": row.about, "inputSchema": schema(_face(name, row))}
            for name, row in TABLE.items()
        ]

    def open(self) -> Bench | None:
        try:
            project = open_project(str(self._root), self._setting, self._log)
        except Problem as problem:
            self._log(f"{problem.key} {problem.slots}")
            return None
        return Bench(project=project, doubts=Doubts())

    def call(self, state: Bench | None, tool: str, arguments: Given) -> Envelope:
        row = TABLE.get(tool)
        if row is None:
            return door.error("not_found", f"no tool {tool!r}", "see tools/list")
        if state is None:
            return door.error("not_found", "no working copy here", "start it with --root")
        if flaw := flaw_of(_face(tool, row), arguments):
            return door.error("policy_blocked", f"argument {flaw[1]!r}: {flaw[0]}", row.about)
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            _demand_forge(state, tool)
            return door.ok(tool, {"output": _bounded(row.does(state, given))})
        except OwnGitError as error:
            return door.error("backend_error", error.detail[:2_000], error.fault)
        except (Problem, ValueError) as error:
            return door.error("policy_blocked", str(error)[:2_000], row.about)

    def log(self, text: str) -> None:
        self._log(text)


def _demand_forge(bench: Bench, tool: str) -> None:
    """A tool of one forge does not work on another; the embedded one goes by any name."""
    prefix = tool.partition("_")[0]
    kind = bench.project.tracker.config.forge.kind if bench.project.tracker else ""
    if prefix in _PREFIXES and kind not in (prefix, "local", ""):
        raise ValueError(f"the issues of this project are on {kind}")


def _face(name: str, row: _Row) -> Face:
    return Face(name=name, does=None, arguments=row.arguments)


def _bounded(output: object) -> object:
    return head_tail(output, OUTPUT) if isinstance(output, str) else output
