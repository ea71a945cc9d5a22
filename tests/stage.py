"""A factory for many stories: real passes, real git, real run folders, all in one process.

A run is played by the real runner but for its processes: it prepares the workspace, the scripted agent
follows its rule in it (its door verbs go to the same table), the runner seals and writes the end. What a
story needs of real processes, tests/factory.py has.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agentcells import claude, outcome, scripted_agent, views
from agentcells.attend import Told
from agentcells.config import Config, load, resource
from agentcells.events import Emit
from agentcells.init import create_labels, read_pins
from agentcells.markers import parse_ledger, parse_marker
from agentcells.model import Item, Problem
from agentcells.observe import Observer
from agentcells.pins import FILE, render
from agentcells.plan import Plan, Snapshot
from agentcells.run import Proof
from agentcells.runner import Runner
from agentcells.store import RunFolder, State
from agentcells.tick import observe_and_decide, run_pass
from tests.github_people import GitHubPeople
from tests.people import BOT, OWNER, REPO, STRANGER, LocalPeople, People
from tests.witness import Trouble, Witness

PROJECT = {"README.md": "# game\n", "game.py": "LEVEL = 1\n"}
Rule = dict[str, Any]

TRIAGE: Rule = {"cell": "triage", "do": [{"answer": {"next": "implement", "comment": "Clear enough."}}]}
IMPLEMENT: Rule = {"cell": "implement", "do": [
    {"append": {"game.py": "LIVES = 3\n"}},
    {"cell": ["record", "-m", "Give the player three lives"]},
    {"answer": {"next": "review", "comment": "Three lives now."}},
]}
REVIEW: Rule = {"cell": "review", "do": [{"answer": {"next": "done", "comment": "As asked."}}]}


def answer(to: str, comment: str = "So it is.") -> dict[str, Any]:
    return {"answer": {"next": to, "comment": comment}}


def work(to: str = "review", *, comment: str = "Done.", **files: str) -> list[dict[str, Any]]:
    """Write these files (`__` stands for a dot in a name), record, answer."""
    named = {name.replace("__", "."): text for name, text in files.items()}
    return [{"write": named}, {"cell": ["record", "-m", f"Write {', '.join(named)}"]}, answer(to, comment)]


def rule(cell: str, *do: dict[str, Any] | list[dict[str, Any]], prompt: str = "") -> Rule:
    flat = [one for step in do for one in (step if isinstance(step, list) else [step])]
    return {"cell": cell, "do": flat, **({"prompt": prompt} if prompt else {})}


def once(cell: str, *do: dict[str, Any] | list[dict[str, Any]], prompt: str = "") -> Rule:
    """Followed by one run only; the next run of that cell finds the rules behind it."""
    return {**rule(cell, *do, prompt=prompt), "once": True}


CELLS = """
[[cell]]
name = "triage"
on = "issue"
next = ["implement"]

[[cell]]
name = "implement"
on = "issue"
next = ["review"]

[[cell]]
name = "review"
on = "pull_request"
next = ["implement", "done"]
"""


@dataclass(frozen=True, slots=True)
class Heard(Emit):
    """Keeps the events of a pass."""

    events: list[dict[str, Any]] = field(default_factory=list)

    def _out(self, event: dict[str, object]) -> None:
        self.events.append(dict(event))


class _Cells(list[str]):
    """Shows all that was told when a story expected others."""

    def __init__(self, cells: list[str], ticked: Ticked) -> None:
        super().__init__(cells)
        self.ticked = ticked

    def __repr__(self) -> str:
        told = [f"{event['event']}: {event['text']}" for event in self.ticked.events]
        return f"{list(self)} because\n" + "\n".join(told) + f"\n{self.ticked.problem!r}"


@dataclass(frozen=True, slots=True)
class Ticked:
    """What a tick did: the cells it ran, and its events."""

    events: list[dict[str, Any]]
    problem: Problem | None = None

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["event"] == kind]

    @property
    def cells(self) -> list[str]:
        return _Cells([str(event["cell"]) for event in self.of("Claim")], self)

    @property
    def reasons(self) -> list[str]:
        return [str(event["key"]) for event in self.of("skip")]

    @property
    def wrote(self) -> list[str]:
        return [event["event"] for event in self.events if event["event"][0].isupper()]


@dataclass
class Stage:
    """One forge with one repository, a cells.toml, a state folder."""

    root: Path
    rules: list[Rule] = field(default_factory=lambda: [TRIAGE, IMPLEMENT, REVIEW])
    settings: str = ""  # further TOML, before the cells
    factory: str = ""  # further lines of [factory]
    cells: str = CELLS
    bot: str = BOT  # "": the token is the owner's own
    project: Mapping[str, str] = field(default_factory=lambda: dict(PROJECT))
    world: str = "local"  # or "github"
    people: People = field(init=False)
    troubles: list[Trouble] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)  # all that a pass wrote on the forge
    prompts: list[tuple[str, str]] = field(default_factory=list)  # (cell, prompt) of each run played
    used: list[int] = field(default_factory=list)  # rules of `once` that were followed
    machine: str = ""
    step: Callable[[str], None] | None = None  # told of each write as it has been made
    there: People | None = None  # the folder is the copy of a stage's already, and these live in it

    def __post_init__(self) -> None:
        if self.there is not None:
            self.people = self.there
            self.write_cells()
            return
        self.root.mkdir(parents=True, exist_ok=True)
        self.people = self.settle()
        folder = self.root / "prompts"
        folder.mkdir()
        for name in ("triage", "design", "implement", "review", "automerge", "bottleneck"):
            text = resource(f"prompts/{name}.md").read_text("utf-8")
            (folder / f"{name}.md").write_text(text, "utf-8")
        self.write_cells()
        create_labels(self.config, self.people.forge(OWNER), REPO)
        self.lock()

    def settle(self) -> People:
        if self.world == "github":
            return GitHubPeople.settle(self.root / "forge", self.project)
        return LocalPeople.settle(self.root / "forge", self.project)

    def lock(self) -> None:
        """As `init` does: the ids of accounts and labels beside cells.toml (R23)."""
        pins = read_pins(self.config, self.people.forge(self.bot or OWNER))
        (self.root / FILE).write_text(render(pins), encoding="utf-8")

    # ------------------------------------------------------------ the machine

    @property
    def cells_path(self) -> Path:
        return self.root / "cells.toml"

    @property
    def config(self) -> Config:
        """A run that is played has no processes: nothing of it needs a sandbox, on no forge."""
        config = load(self.cells_path)
        return config.model_copy(
            update={"sandbox": config.sandbox.model_copy(update={"containment": "none"})}
        )

    @property
    def state_place(self) -> Path:
        """Where it lies, or would: nothing is made."""
        return self.root / f"state{self.machine}"

    @property
    def state(self) -> State:
        root = self.state_place
        before = os.environ.get("AGENTCELLS_STATE")
        os.environ["AGENTCELLS_STATE"] = str(root)
        try:
            return State.open(self.cells_path)
        finally:
            if before is None:
                del os.environ["AGENTCELLS_STATE"]
            else:
                os.environ["AGENTCELLS_STATE"] = before

    def write_cells(self) -> None:
        bot = f'bot = "{self.bot}"\n' if self.bot else ""
        self.cells_path.write_text(f"""[factory]
owner = "{OWNER}"
{bot}{self.factory}
[forge]
{self.people.settings(self.bot or OWNER)}repos = ["{REPO}"]

[agent]
command = ["python3"]
env = []

[sandbox]
containment = "{'none' if self.people.kind == 'local' else 'strong'}"

{self.settings}
{self.cells}""", encoding="utf-8")

    def forge(self) -> Any:
        """Signed in with the token of the machine, as a pass opens it."""
        forge = self.people.forge(self.bot or OWNER)
        return Witness(forge, self.troubles, self.writes, self.step)

    def once(self, emit: Heard, *, claiming: bool = True) -> tuple[RunFolder, ...]:
        """One pass."""
        state = self.state
        with state.pass_lock(wait=True):
            return run_pass(self.config, state, emit, claiming=claiming, forge=self.forge())

    def tick(self, *, at_most: int = 20) -> Ticked:
        """As the coordinator: a pass, the runs it claimed, a pass, until nothing runs."""
        heard = Heard("quiet")
        try:
            while claimed := self.once(heard):
                for folder in claimed:
                    self.play(folder)
                    at_most -= 1
                assert at_most > 0, f"it never comes to rest: {heard.events[-5:]}"
        except Problem as problem:
            return Ticked(heard.events, problem)
        return Ticked(heard.events)

    def tick_as(self, machine: str) -> Ticked:
        """A tick of another machine: its own name, its own state folder."""
        before, self.machine = self.machine, f"-{machine}"
        real = socket.gethostname
        socket.gethostname = lambda: machine
        try:
            return self.tick()
        finally:
            socket.gethostname, self.machine = real, before

    def claim(self) -> RunFolder:
        """A pass that claims one run, which is then at work for as long as the story likes."""
        (folder,) = self.once(Heard("quiet"))
        return folder

    def look(self) -> tuple[Snapshot, Plan]:
        """What a dry run sees now."""
        observer = Observer(self.config, self.forge(), self.state, writing=False)
        return observe_and_decide(self.config, observer, claiming=True)

    def why(self, number: int) -> str:
        snapshot, plan = self.look()
        return "\n".join(views.why(self.config, snapshot, plan, number))

    def book(self, number: int) -> Any:
        """The ledger that stands on an item."""
        found = [parse_ledger(c.body) for c in self.item(number).comments if _kind(c.body) == "ledger"]
        assert len(found) == 1, f"{len(found)} books on #{number}"
        return found[0]

    # ------------------------------------------------------------ runs

    def play(self, folder: RunFolder) -> None:
        """One run from its order to its end, all but the processes."""
        folder.note_start()
        order, limits = folder.order(), folder.limits()
        self.prompts.append((order.cell, order.prompt))
        self._note_played(order.run, order.cell, order.prompt)
        followed = self._rule(order.prompt)
        if followed.get("dies"):
            folder.unlock()
            return
        runner = Runner(folder, order, limits)
        try:
            runner.prepare()
            runner.lay_out()
        except Problem as problem:
            folder.write_end(runner.without_result(problem))
        else:
            player = _Player(runner, followed["do"])
            told = player.play()
            proof = Proof(run=order.run, nonce=runner.nonce, containment="none")
            folder.write_end(runner.end(told, proof))
        folder.unlock()

    def _note_played(self, run: str, cell: str, prompt: str) -> None:
        """On disk too: who plays may be killed, and what a run has cost is not undone by that."""
        played = self.root / "played"
        played.mkdir(exist_ok=True)
        (played / f"{len(list(played.iterdir())):03}-{cell}-{run}").write_text(prompt, encoding="utf-8")

    @property
    def played(self) -> list[tuple[str, str]]:
        """(cell, prompt) of every run that was ever begun here."""
        paths = sorted((self.root / "played").glob("*"))
        return [(path.name.split("-")[1], path.read_text(encoding="utf-8")) for path in paths]

    def _rule(self, prompt: str) -> Rule:
        left = [(i, one) for i, one in enumerate(self.rules) if i not in self.used]
        found: Rule = scripted_agent.rule_for([one for _, one in left], prompt)
        if found.get("once"):
            self.used.append(next(i for i, one in left if one is found))
        return found

    @property
    def cells_run(self) -> list[str]:
        return [cell for cell, _ in self.prompts]

    @property
    def prompt(self) -> str:
        """Of the newest run."""
        return self.prompts[-1][1]

    # ------------------------------------------------------------ people

    def file(self, label: str = "implement", *, title: str = "More lives",
             body: str = "The player should have three lives.", by: str = OWNER,
             assignee: str = OWNER) -> int:
        """File an issue as the owner does: labelled and assigned in one step."""
        labels = [f"ac:{label}"] if label else []
        return self.people.file(title, body, labels, [assignee] if assignee else [], by)

    def say(self, number: int, text: str, by: str = OWNER) -> str:
        return self.people.comment(number, text, by)

    def label(self, number: int, name: str, by: str = OWNER) -> None:
        self.people.label(number, f"ac:{name}", by)

    def unlabel(self, number: int, name: str, by: str = OWNER) -> None:
        self.people.unlabel(number, f"ac:{name}", by)

    def advance(self, **time: float) -> None:
        self.people.advance(timedelta(**time))

    # ------------------------------------------------------------ the world

    def item(self, number: int) -> Item:
        return self.people.item(number)

    def pull_of(self, issue: int, attempt: int = 1) -> Item:
        ref = f"agentcells/{issue}" + (f"-{attempt}" if attempt > 1 else "")
        found = self.people.forge(OWNER).pull_by_head(REPO, ref)
        assert found is not None, f"no pull request of {ref}"
        return found

    def states(self, *numbers: int) -> set[str]:
        """Our labels on these items, without the prefix."""
        return {label.name[3:] for number in numbers for label in self.item(number).labels
                if label.name.startswith("ac:")}

    def said(self, number: int) -> list[str]:
        """What the factory wrote on an item, its ledger left out."""
        me = self.bot or OWNER
        return [c.body for c in self.item(number).comments
                if c.author and c.author.login == me and _kind(c.body) not in ("", "ledger")]

    def branches(self) -> tuple[str, ...]:
        return self.people.branches()


class _Player(scripted_agent.Agent):
    """The scripted agent inside this process; what it would do to the door it does to the workspace."""

    def __init__(self, runner: Runner, actions: Sequence[dict[str, Any]]) -> None:
        order, limits = runner.order, runner.limits
        schema = outcome.schema(order.nexts, order.extra_fields, [one[0] for one in order.causes])
        flags = scripted_agent.parse(claude.arguments(order, limits, schema, str(uuid.uuid4())))
        super().__init__(flags, scripted_agent.check(flags), order.prompt)
        self.runner = runner
        self.actions = list(actions)
        self.told = Told(proved=True, ending="exit")

    def play(self) -> Told:
        with contextlib.chdir(self.runner.folder.path / "work"):
            self.told.exit_code = self.follow(self.actions)
        return self.told

    def emit(self, event: dict[str, Any]) -> None:
        if event["type"] == "result":
            self.told.result = event

    def do_call(self, act: Callable[[], Any]) -> None:
        """Something that happens elsewhere meanwhile."""
        act()

    def do_ending(self, ending: str) -> int:
        """As the supervisor tells it: "timeout", "stall", "killed"."""
        self.told.ending = ending
        return 1

    def _run(self, argv: list[str], given: dict[str, Any]) -> None:
        if argv[:2] == ["agentcells", "cell"]:
            if argv[2] == "test":
                self._test()
                return
            said = self.runner.workspace.answer(argv[2:], self.runner.tested)
            self.use("Bash", given, json.dumps(said), error=said["status"] != "ok")
            return
        super()._run(argv, given)

    def _test(self) -> None:
        before = self.runner.workspace.tree_now()
        passed = subprocess.run(self.runner.limits.test, check=False, capture_output=True).returncode == 0
        after = self.runner.workspace.tree_now()
        tree = after if before == after else ""
        self.runner._note_test({"tree": tree, "passed": passed})


def _kind(body: str) -> str:
    marker = parse_marker(body)
    return marker.kind if marker else ""


def ago(**time: float) -> datetime:
    return datetime.now(UTC) - timedelta(**time)


@contextlib.contextmanager
def nothing_written(stage: Stage) -> Iterator[None]:
    """Whatever happens inside, the factory leaves the forge as it was."""
    before = list(stage.writes)
    yield
    assert stage.writes == before, stage.writes[len(before):]


__all__ = [
    "BOT", "CELLS", "IMPLEMENT", "OWNER", "REPO", "REVIEW", "STRANGER", "TRIAGE", "Heard", "Rule",
    "Stage", "Ticked", "Trouble", "ago", "answer", "nothing_written", "once", "rule", "work",
]
