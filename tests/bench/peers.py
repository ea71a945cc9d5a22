"""Side by side: an idle round of what somebody would take instead, against the same loopback GitHub over TLS.

Taken are the programs on the PATH, and in the folder that AGENTCELLS_PEERS names; nothing is installed here.
One that is not there, or does not work against a loopback, is left out with the reason.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.cost import Cost, Failed, demand, head, middle, ms, processes, row, spent
from tests.bench.idle import TIMES, prepare, ticked, world
from tests.github_factory import BOT, OWNER, REPO, GitHubFactory

FOLDER = "AGENTCELLS_PEERS"
ITEMS = 20  # open issues, none of them for anybody's line
LABELS = ("triage", "implement", "review", "needs-human", "in-review")
ROUND = {"cold": "agentcells, the first tick", "warm": "agentcells, something had changed",
         "quiet": "agentcells, nothing had changed"}
SWARM = """\
daemon_pid: {root}/swarm.pid
event_db: ""
defaults:
  agents: {{implement: {{command: "true"}}, review: {{command: "true"}}}}
  target: {{labels: ["ac:triage"]}}
repositories:
  main: {{repo: {repo}, path: {clone}, base_branch: main, activity_dir: {root}/activity}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A program's idle round: how to start it, where, and what it is called."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    name: str
    processes: int
    cost: Cost


def table() -> Iterator[str]:
    """Medians of rounds that take turns, so that a busy moment of the machine falls on all alike."""
    with world(1, ITEMS) as line:
        found, left_out = measured(line)
    ours = {kind: next(one.cost.cpu_s for one in found if one.name == name) for kind, name in ROUND.items()}
    yield from head("one idle round", "processes", "requests", "CPU", *(f"times {kind}" for kind in ours))
    for one in found:
        ratios = (f"{one.cost.cpu_s / cpu:.1f}" for cpu in ours.values())
        yield row(one.name, one.processes, one.cost.requests, ms(one.cost.cpu_s), *ratios)
    for name, why in left_out.items():
        yield from ("", f"Left out: {name} ({why}).")


def measured(line: GitHubFactory, times: int = TIMES) -> tuple[list[Measured], dict[str, str]]:
    rounds, left_out = _rounds(line)
    costs: dict[str, list[Cost]] = {name: [] for name in (*ROUND.values(), *(one.name for one in rounds))}
    for _ in range(times):
        for kind, name in ROUND.items():
            prepare(line, kind)
            costs[name].append(ticked(line))
        for one in rounds:
            costs[one.name].append(_asked(line, one))
    count = {}
    for kind, name in ROUND.items():
        prepare(line, kind)  # each is one process, however often it is counted
        count[name] = processes(line.command("tick"), line.environment(), line.home)
    count |= {one.name: processes(one.argv, one.env, one.cwd) for one in rounds}
    return [Measured(name=name, processes=count[name], cost=middle(found))
            for name, found in costs.items()], left_out


def _asked(line: GitHubFactory, one: Round) -> Cost:
    since = line.so_far()
    cost = spent(one.argv, one.env, one.cwd)
    return replace(cost, requests=len(line.asked(since)), points=line.points(since))


def _rounds(line: GitHubFactory) -> tuple[list[Round], dict[str, str]]:
    """Those that work: each has done a round, in which it asked something, and has its caches."""
    place = _Place(line)
    rounds, left_out = [], {}
    for name, program, make in (
        ("gh issue list and gh pr list for each label", "gh", place.gh),
        ("ghswarm", "ghswarm", place.ghswarm),
        ("vigilante-cli", "vigilante", place.vigilante),
    ):
        if any(shutil.which(needed, path=place.path) is None for needed in ("gh", program)):
            left_out[name] = "not installed" if program == "gh" else f"{program} or gh is not installed"
            continue
        try:
            one = make(name)
            if _asked(line, one).requests == 0:
                raise Failed("it asked nothing of the loopback")
        except (Failed, OSError) as failed:
            left_out[name] = str(failed)
        else:
            rounds.append(one)
    return rounds, left_out


class _Place:
    """A home and a working copy for the others, with gh signed in to the loopback."""

    def __init__(self, line: GitHubFactory) -> None:
        self.line = line
        self.root = line.root / "peers"
        self.clone = self.root / "clone"
        folders = [os.environ[FOLDER]] if os.environ.get(FOLDER) else []
        self.path = os.pathsep.join([*folders, os.environ["PATH"]])
        token = next(value for value, token in line.world.hub.tokens.items()
                     if token.account.login == BOT and token.kind == "classic")
        for name in ("home", "tmp", "bin"):
            (self.root / name).mkdir(parents=True)
        self.env = {
            "PATH": self.path, "HOME": str(self.root / "home"), "TMPDIR": str(self.root / "tmp"),
            "GH_HOST": line.server.url.removeprefix("https://"), "GH_ENTERPRISE_TOKEN": token,
            "SSL_CERT_FILE": line.ca_file, "GH_NO_UPDATE_NOTIFIER": "1", "DO_NOT_TRACK": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def gh(self, name: str) -> Round:
        one = "gh issue list --repo {0} --label {1} --json number,title && " \
              "gh pr list --repo {0} --label {1} --json number,title"
        words = " && ".join(one.format(REPO, f"ac:{label}") for label in LABELS)
        return self._round(name, "sh", "-c", words)

    def ghswarm(self, name: str) -> Round:
        self._clone()
        config = self.root / "swarm.yaml"
        config.write_text(SWARM.format(root=self.root, repo=REPO, clone=self.clone), encoding="utf-8")
        return self._round(name, "ghswarm", "-c", str(config), "loop", "--once")

    def vigilante(self, name: str) -> Round:
        """It knows github.com by its address only; git goes to the loopback's repository all the same."""
        self._clone()
        self._git("remote", "set-url", "origin", f"git@github.com:{REPO}.git")
        ssh = self.root / "bin" / "ssh"
        bare = self.line.world.hub.repo(REPO).bare.path
        ssh.write_text(f"#!/bin/sh\nexec git-upload-pack {shlex.quote(str(bare))}\n", encoding="utf-8")
        ssh.chmod(0o755)
        self.env["GIT_SSH_COMMAND"] = str(ssh)
        watch = self._round(
            name, "vigilante", "watch", "--label", "ac:triage", "--assignee", OWNER, "--branch", "main",
            "--provider", "claude", str(self.clone),
        )
        spent(watch.argv, watch.env, watch.cwd)
        return self._round(name, "vigilante", "daemon", "run", "--once")

    def _round(self, name: str, program: str, *words: str) -> Round:
        found = shutil.which(program, path=self.path) or program
        return Round(name=name, argv=(found, *words), env=dict(self.env), cwd=self.root)

    def _clone(self) -> None:
        if not self.clone.exists():
            self._git("clone", "-q", str(self.line.world.hub.repo(REPO).bare.path), str(self.clone))

    def _git(self, *words: str) -> None:
        at = ("-C", str(self.clone)) if self.clone.exists() else ()
        done = subprocess.run(["git", *at, *words], env=self.env, capture_output=True, text=True, check=False)
        demand(done.returncode, done.stderr, ["git", *words])


def versions() -> str:
    """Of gh, which all of them start; "" without it."""
    path = os.pathsep.join([os.environ.get(FOLDER, ""), os.environ["PATH"]])
    found = shutil.which("gh", path=path)
    if found is None:
        return ""
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    return " ".join(told.split()[:3])
