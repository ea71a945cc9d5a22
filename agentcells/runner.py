"""The runner of one run: prepares the workspace, starts the supervisor, waits for its Proof,
seals, writes the end.

It holds the run's lock and the model's credential, never a token of a forge. It waits for the
supervisor by
its very pid and never for "any child": other threads' statuses would be lost (R39).
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import sys
import time
import uuid
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from agentcells import agent_program, claude, leash, outcome, provision
from agentcells.attend import Tell, Told, attend
from agentcells.confine import own_account
from agentcells.git import Git
from agentcells.model import Problem
from agentcells.run import NOTHING_STARTED, Order, Outcome, OutcomeKind, Proof, RunEnd, TreeTest
from agentcells.sandbox import DOOR, OURS, Box, Containment, available
from agentcells.sentences import say
from agentcells.store import Limits, RunFolder, writing
from agentcells.ways import Way
from agentcells.workspace import Workspace, tools

PATIENCE_S = 120.0  # how much longer than all its own clocks the supervisor may take
AGAIN_S = (1.0, 5.0, 30.0)  # before the work of hours is given up because a disk was full for a moment


def main(folder: str, lock_fd: str) -> int:
    """The inner command `_run`. With its coordinator it ends, orderly: no run without a tick."""
    leash.die_with_parent(os.getppid(), signal.SIGTERM)
    return run(Path(folder), int(lock_fd))


def run(path: Path, lock_fd: int) -> int:
    """One run from its order to ended.json. 0: written; 1: there is no Proof, and so nothing is
    written."""
    if lock_fd >= 0:
        os.set_inheritable(lock_fd, False)
    folder = RunFolder(path, lock_fd)
    order, limits = folder.order(), folder.limits()
    runner = Runner(folder, order, limits)
    try:
        with writing(path):
            runner.prepare()
    except Problem as problem:
        folder.write_end(runner.without_result(problem))
        return 0
    ended = runner.supervise()
    if runner.proof is None:
        print(say("run_no_proof", order.language, run=order.run), file=sys.stderr)
        return 1
    if runner.problem is not None:
        folder.write_end(runner.without_result(runner.problem, runner.proof))
    else:
        _write_end(folder, runner, ended, runner.proof)
    return 0


def _write_end(folder: RunFolder, runner: Runner, told: Told, proof: Proof) -> None:
    """Seal and write the end, more than once if need be: what is not sealed goes with the run's folder."""
    for wait_s in AGAIN_S:
        try:
            with writing(folder.path):
                folder.write_end(runner.end(told, proof))
            return
        except Problem as problem:
            runner.note(problem)
            time.sleep(wait_s)
    try:
        with writing(folder.path):
            end = runner.end(told, proof)
    except Problem as problem:
        end = runner.without_result(problem, proof)
    folder.write_end(end)


class Runner:
    """One run. `prepare` starts nothing; `supervise` is over when everything is.

    The history is read and the files are laid out while the supervisor starts and tries its canary:
    the agent waits for both.
    """

    def __init__(self, folder: RunFolder, order: Order, limits: Limits) -> None:
        self.folder = folder
        self.order = order
        self.limits = limits
        self.containment: Containment = "none" if limits.containment == "none" else "strong"
        self.nonce = secrets.token_hex(16)
        self.proof: Proof | None = None
        self.problem: Problem | None = None  # why the agent was never started
        self.tested: TreeTest | None = None

    # ------------------------------------------------------------ before

    def prepare(self) -> None:
        """What can be refused at a look is refused here, before any process of the run exists."""
        limits, order, path = self.limits, self.order, self.folder.path
        if self.containment == "strong" and isinstance(
            problem := available(limits.run_as), Problem
        ):
            raise problem
        root = os.geteuid() == 0 and self.containment == "strong"
        self.account = own_account(limits.run_as) if root else None
        python, python_needs = provision.inner_python(self.containment)
        self.agent, agent_needs = agent_program.find(
            limits.agent_command, self.containment, os.environ.get("PATH", os.defpath), limits.read
        )
        self.given = claude.given_values(limits.agent_env, os.environ)
        self.access = claude.access(limits, self.given)
        read = dict.fromkeys((*limits.read, *python_needs, *agent_needs))
        self.box = provision.make_box(
            path,
            limits,
            writes=order.writes,
            lock_fd=self.folder.lock_fd,
            account=self.account,
            python=python,
            read=read,
        )
        provision.make_places(path, python, self.account)
        if self.account:
            provision.give_to(self.account, path, ("work", "home", "door", "tmp"))
        (path / "prompt.txt").write_text(order.prompt, encoding="utf-8", errors="replace")

    def lay_out(self) -> None:
        """Files into the workspace, then what setup left in an earlier run."""
        limits, order = self.limits, self.order
        git = Git(Path(order.store))
        self.workspace = Workspace(git, order, limits, self.folder.path, self.given)
        self.plan = provision.plan_setup(limits, git.entries(order.base), self.workspace.entries())
        self.workspace.lay_out(self.account)
        work, setup = self.folder.path / "work", self.folder.path / "tmp/setup"
        if self.plan.cached is not None:
            os.utime(self.plan.cached)  # still of use (`provision.tidy_cache`)
            self._take_kept(self.plan.cached, work)
        elif self.plan.run == "tmp/setup":
            base = self.plan.store is not None
            self.workspace.lay_out_aside(setup, base=base, account=self.account)

    def _take_kept(self, source: Path, work: Path) -> None:
        provision.take_kept(source, work, self.limits.keep)
        # By the first folder of each path: those on the way to it may be new as well.
        kept = dict.fromkeys(PurePosixPath(name).parts[0] for name in self.limits.keep)
        there = [name for name in kept if os.path.lexists(work / name)]
        if self.account and there:
            provision.give_to(self.account, work, there)

    def spec(self) -> dict[str, Any]:
        """What the supervisor is told, on its control socket: argv and environment of others can
        be read."""
        limits, order = self.limits, self.order
        schema = outcome.schema(order.nexts, order.extra_fields, [one[0] for one in order.causes])
        server = self._door_server() if limits.door == "mcp" else None
        flags = claude.arguments(order, limits, schema, str(uuid.uuid4()), server)
        argv = [*self.agent, *flags]
        return {
            "nonce": self.nonce,
            "box": _plain(self.box),
            "agent": {
                "argv": argv,
                "env": {**claude.environment(limits), **self.access.inside},
                "timeout_s": limits.timeout_s,
                "stall_s": limits.stall_s,
                "server": claude.SERVER if server else "",
            },
            "commands": {"setup": limits.setup, "build": limits.build, "test": limits.test},
            "command_timeout_s": limits.command_timeout_s,
            "free_disk": limits.free_disk_mb << 20,
            "setup": "",  # told when the files lie there
            "tool_proxies": self._tool_proxies(),
        }

    def _door_server(self) -> dict[str, object]:
        """How claude starts the door's tools, for a cell without a shell."""
        listed = self.folder.path / "bin/tools.json"
        listed.write_text(json.dumps(tools(self.order, self.limits), ensure_ascii=False), encoding="utf-8")
        listed.chmod(0o644)
        strong = self.containment == "strong"
        ours, door = (OURS, DOOR) if strong else (str(listed.parent), self.box.place("door"))
        return {
            "command": self.box.python,
            "args": ["-I", "-S", f"{ours}/door_tools.py"],
            "env": {"AGENTCELLS_DOOR": f"{door}/s"},
        }

    def _tool_proxies(self) -> dict[str, str]:
        wanted = {
            "setup": ("tmp/setupproxy", self.limits.setup_hosts),
            "commands": ("tmp/toolproxy", self.limits.hosts),
        }
        return {name: place for name, (place, hosts) in wanted.items() if hosts}

    # ------------------------------------------------------------ during

    def supervise(self) -> Told:
        """Everything between the first process and the last; the Proof is made of its last word."""
        with contextlib.ExitStack() as stack:
            told = attend(
                self.folder.path,
                self.folder.lock_fd,
                self.spec(),
                self._answer,
                self._note_test,
                self._longest(),
                lambda tell: self._meanwhile(tell, stack),
            )
        if told.proved:
            self.proof = Proof(run=self.order.run, nonce=self.nonce, containment=self.containment)
        return told

    def _meanwhile(self, tell: Tell, stack: contextlib.ExitStack) -> None:
        """Until all lies there the run's first command waits."""
        try:
            with writing(self.folder.path):
                self.lay_out()
                self._open_ways(stack)
        except Problem as problem:
            self.problem = problem
            tell({"stop": "unready"})
            return
        tell({"go": True, "setup": self.plan.run})
        self.workspace.expect_questions()

    def _open_ways(self, stack: contextlib.ExitStack) -> None:
        """The proxies of both sandboxes; without namespaces there is nothing to lead out of."""
        if self.containment == "none":
            return
        from agentcells.proxy import Proxy

        path, log = self.folder.path, self.folder.path / "network.log"
        ways = {"tmp/proxy": self.access.way}
        for place, hosts in (
            ("tmp/setupproxy", self.limits.setup_hosts),
            ("tmp/toolproxy", self.limits.hosts),
        ):
            if hosts:
                ways[place] = Way(hosts=hosts)
        for place, way in ways.items():
            stack.enter_context(Proxy(path / place / "s", way, log, self.account or ()))

    def _longest(self) -> float:
        commands = (2 if self.limits.setup else 1) * self.limits.command_timeout_s
        return self.limits.timeout_s + commands + PATIENCE_S

    def _note_test(self, found: dict[str, Any]) -> None:
        self.tested = TreeTest(tree=found["tree"], passed=found["passed"], at=datetime.now(UTC))

    def _answer(self, question: dict[str, Any]) -> dict[str, Any] | None:
        """None: the run cannot go on."""
        if "argv" in question:
            return {"envelope": self.workspace.answer(question["argv"], self.tested)}
        if "tree" in question:
            return {"tree": self.workspace.tree_now()}
        try:
            with writing(self.folder.path):
                self._setup_done()
        except Problem as problem:
            self.problem = problem
            return None
        return {}

    def _setup_done(self) -> None:
        """Setup has ended well: into the cache and into the workspace, before the agent can touch
        it."""
        source, work = self.folder.path / self.plan.run, self.folder.path / "work"
        if source != work:
            if self.plan.store is not None:
                provision.keep_in_cache(source, self.plan.store, self.limits.keep)
            self._take_kept(source, work)

    # ------------------------------------------------------------ after

    def note(self, problem: Problem) -> None:
        """For whoever wonders why the end took so long."""
        print(say(problem.key, self.order.language, **problem.slots), file=sys.stderr, flush=True)

    def without_result(self, problem: Problem, proof: Proof | None = None) -> RunEnd:
        """A run of which nothing is to be had. Without a `proof` no process of it has ever existed."""
        contained = problem.key.startswith("sandbox_")
        kind: OutcomeKind = "containment" if contained else "crash"
        proof = proof or Proof(
            run=self.order.run, nonce=NOTHING_STARTED, containment=self.containment
        )
        detail = say(problem.key, self.order.language, **problem.slots)
        ended = Outcome(kind=kind, detail=detail)
        return RunEnd(outcome=ended, proof=proof, ended_at=datetime.now(UTC))

    def end(self, told: Told, proof: Proof) -> RunEnd:
        """What the run came to. Nothing of it is alive any more, so the files stand still."""
        result = self._outcome(told)
        if not self.order.writes:
            return RunEnd(
                outcome=result, proof=proof, ended_at=datetime.now(UTC), tested=self.tested
            )
        sealed = self.workspace.seal()
        if sealed.refusals:
            result = replace(
                result, kind="refused", next="", comment="", detail="\n".join(sealed.refusals)
            )
        return RunEnd(
            outcome=result,
            proof=proof,
            ended_at=datetime.now(UTC),
            sealed=sealed.sha,
            sealed_tree=sealed.tree,
            changed=sealed.changed,
            records=sealed.records,
            tested=self.tested,
            refusals=sealed.refusals,
        )

    def _outcome(self, told: Told) -> Outcome:
        language, now = self.order.language, datetime.now(UTC)
        if told.ending == "setup":
            return Outcome(kind="setup_failed", detail=told.said)
        if told.ending == "disk":
            words = say("run_disk_full", language, left=told.said, floor=self.limits.free_disk_mb)
            return Outcome(kind="crash", detail=words)
        if told.ending == "door":
            return Outcome(kind="crash", detail=say("run_no_tools", language))
        if told.ending == "canary":
            return Outcome(kind="containment", detail=say(told.key, language, **told.slots))
        return outcome.read(
            told.ending,
            told.result,
            told.exit_code,
            told.stderr,
            self.order.nexts,
            self.order.extra_fields,
            now,
        )


def _plain(box: Box) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(asdict(box)))
    return found


__all__ = ["Runner", "main", "run"]
