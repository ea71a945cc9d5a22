"""`agentcells demo`: the whole line once, on the embedded forge, told while it happens.

Everything is the real thing (ticks as processes, git, the sandbox where there is one) but the agent,
which follows a script instead of a model.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentcells import demo_story as story
from agentcells import sandbox
from agentcells.columns import padded
from agentcells.config import load, resource
from agentcells.emptying import passing_folder
from agentcells.forge.local import LocalForge
from agentcells.git import Git, blob_id
from agentcells.git_read import Entry
from agentcells.handover import program
from agentcells.init import create_labels
from agentcells.model import Item, Problem, Sha
from agentcells.sentences import say
from agentcells.text import printable

PACKAGE = Path(__file__).resolve().parent


def run(keep: Path | None, *, as_json: bool, language: str) -> int:
    """Play the story. Exit code 0 when it ended as told."""
    if shutil.which("git") is None:
        raise Problem("demo_needs_git")
    with _folder(keep) as folder:
        told = Demo(folder, as_json=as_json, language=language, kept=keep is not None).play()
        if as_json:
            print(json.dumps(told, ensure_ascii=False, indent=2))
    return 0 if told["ok"] else 1


def by_hand(folder: Path, *, language: str) -> int:
    """The stage alone: whoever asked for it plays the owner."""
    if shutil.which("git") is None:
        raise Problem("demo_needs_git")
    with _folder(folder) as stage:
        Demo(stage, as_json=False, language=language, kept=True).set_the_stage()
        print(say("demo_by_hand", language, folder=folder, owner=story.OWNER, repo=story.REPO,
                  title=say("demo_title", language)))
    return 0


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with passing_folder("agentcells-demo-") as temporary:
            yield temporary
        return
    folder = keep.absolute()
    if any(ord(char) < 32 or "\ud800" <= char <= "\udfff" for char in str(folder)):
        # cells.toml names it, in UTF-8 and on one line
        raise Problem("demo_folder_refused", exit_code=2, path=repr(str(folder)),
                      detail=os.strerror(errno.EINVAL))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        empty, writable = not any(folder.iterdir()), os.access(folder, os.W_OK | os.X_OK)
    except OSError as error:
        raise Problem("demo_folder_refused", exit_code=2, path=str(folder),
                      detail=error.strerror or error) from error
    if not empty:
        raise Problem("demo_folder_not_empty", exit_code=2, path=str(folder))
    if not writable:
        raise Problem("demo_folder_refused", exit_code=2, path=str(folder),
                      detail=os.strerror(errno.EACCES))
    yield folder


@dataclass(slots=True)
class Demo:
    """The stage and its narrator."""

    folder: Path
    as_json: bool
    language: str
    kept: bool
    step: int = 0
    runs: list[dict[str, Any]] = field(default_factory=list)
    containment: str = "strong"
    skips: dict[object, str] = field(default_factory=dict)

    def play(self) -> dict[str, Any]:
        self.set_the_stage()
        forge = LocalForge(self.folder / "forge", story.OWNER)
        self._chapter("files", title=self._words("title"))
        number = forge.create_issue(
            story.REPO, self._words("title"), self._words("body"), ["ac:triage"],
            [forge.account(story.OWNER)])
        self._line("labels", say("demo_filed", self.language, number=number, owner=story.OWNER))
        self._tick("asks")
        self._owner_says(forge, number, "answers", "answer")
        self._tick("builds")
        pull = forge.pull_by_head(story.REPO, f"agentcells/{number}")
        if pull is None:
            return self._result(None, forge)
        self._owner_says(forge, pull.number, "misses", "missing")
        self._tick("again")
        pull = forge.read(story.REPO, pull.number)
        self._chapter("merges", number=pull.number)
        if pull.pull is None:
            raise AssertionError("a pull request has its facts")
        forge.merge(pull, pull.pull.head_sha)
        self._line("merge", say("demo_merged", self.language, pull=pull.number, issue=number))
        self._tick("tidies")
        return self._result(forge.read(story.REPO, pull.number), forge)

    # ------------------------------------------------------------ the stage

    def set_the_stage(self) -> None:
        """The embedded forge with its project and labels, the agent's script, prompts, cells.toml."""
        strength = sandbox.available()
        if isinstance(strength, Problem):
            self.containment = "none"
            self._say(say("demo_uncontained", self.language,
                          why=say(strength.key, self.language, **strength.slots)))
        else:
            self._say(say("demo_contained", self.language))
        forge = LocalForge.create(self.folder / "forge", story.OWNER, [story.REPO], bot=story.BOT)
        first_commit(Path(forge.remote(story.REPO).url), story.PROJECT)
        agent = self.folder / "agent"
        agent.mkdir()
        shutil.copyfile(PACKAGE / "scripted_agent.py", agent / "scripted_agent.py")
        (agent / "script.json").write_text(
            json.dumps(story.script(self.language), ensure_ascii=False, indent=2), encoding="utf-8")
        prompts = self.folder / "prompts"
        prompts.mkdir()
        for name in ("triage", "implement", "review"):
            text = resource(f"prompts/{name}.md").read_text(encoding="utf-8")
            (prompts / f"{name}.md").write_text(text, encoding="utf-8")
        cells = self.folder / "cells.toml"
        cells.write_text(
            story.cells_toml(self.folder, self.containment, self.language), encoding="utf-8")
        create_labels(load(cells), forge, story.REPO)

    def _environment(self) -> dict[str, str]:
        env = dict(os.environ)
        if not self.kept:
            env["AGENTCELLS_STATE"] = str(self.folder / "state")
        return env

    # ------------------------------------------------------------ what happens

    def _owner_says(self, forge: LocalForge, number: int, chapter: str, key: str) -> None:
        self._chapter(chapter, number=number)
        forge.comment(forge.read(story.REPO, number), self._words(key))
        self._line("comment", f"{story.OWNER}: {self._words(key)}")

    def _tick(self, chapter: str) -> None:
        """One real tick as a process; its events are told as they come."""
        self._chapter(chapter)
        argv = [*program(), "tick", "--json", "--config", str(self.folder / "cells.toml")]
        with subprocess.Popen(
            argv, stdout=subprocess.PIPE, text=True, env=self._environment(), stdin=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is for the demo alone: it ends the tick, and waits for it
        ) as child:
            try:
                for line in child.stdout or ():
                    self._tell(json.loads(line))
            except BaseException:
                child.terminate()
                child.wait()
                raise
        if child.returncode:
            raise Problem("demo_tick_failed", code=child.returncode, folder=str(self.folder))

    def _tell(self, event: dict[str, Any]) -> None:
        match event["event"]:
            case "Claim":
                self.runs.append({
                    "item": event["on"], "cell": event["cell"], "next": None, "run": event["run"],
                    "labels_before": event["labels_before"], "labels_after": None,
                })
                self._line("picked", say("demo_picked", self.language, number=event["on"],
                                         cell=event["cell"], why=event["why"]))
                self._labels(event)
            case "Push":
                for record in event["records"]:
                    self._line("record", record)
            case "OpenPull":
                words = say("demo_opened", self.language, number=event["pull"], title=event["title"])
                self._line("pull", words)
            case "Post":
                if event["run"]:
                    self.runs[-1]["next"] = event["next"]
                self._comment(event)
            case "SetState":
                if self.runs and self.runs[-1]["labels_after"] is None:
                    self.runs[-1]["labels_after"] = event["labels_after"]
                self._labels(event)
            case "skip":  # every pass of a tick says it: told when it is another reason than before
                if self.skips.get(event["item"]) != event["text"]:
                    self.skips[event["item"]] = event["text"]
                    self._line("skipped", str(event["text"]))
            case "DeleteBranch":
                self._line("tidied", say("demo_branch_gone", self.language, ref=event["ref"]))
            case "failed":
                self._line("failed", str(event["text"]))
            case _:
                pass  # what changes nothing that a reader of the story would miss

    def _labels(self, event: dict[str, Any]) -> None:
        none = say("view_no_label", self.language)
        before, after = (" + ".join(event[key]) or none for key in ("labels_before", "labels_after"))
        self._line("labels", f"#{event['on']}  {before} -> {after}")

    def _comment(self, event: dict[str, Any]) -> None:
        """The visible part of the comment: without what is folded away."""
        text = str(event["comment"]).partition("<details>")[0].strip()
        self._line("comment", f"{story.BOT}, #{event['on']}:")
        for line in text.splitlines():
            self._say(f"             {printable(line)}" if line.strip() else "")

    # ------------------------------------------------------------ the narrator

    def _words(self, key: str) -> str:
        return say(f"demo_{key}", self.language)

    def _chapter(self, key: str, **slots: object) -> None:
        self.step += 1
        self._say(f"\n{self.step}. {say(f'demo_chapter_{key}', self.language, **slots)}")

    def _line(self, kind: str, text: str) -> None:
        self._say(f"   {padded(say(f'demo_line_{kind}', self.language), 9)} {printable(text)}")

    def _say(self, text: str) -> None:
        if not self.as_json:
            print(text, flush=True)

    def _result(self, pull: Item | None, forge: LocalForge) -> dict[str, Any]:
        """What the story came to, judged by the world and not by what was printed."""
        git = Git(Path(forge.remote(story.REPO).url))
        tip = forge.branch(story.REPO, "main")
        files = sorted(git.entries(git.tree(tip))) if tip else []
        labels = [label.name for item in self._items(forge) for label in item.labels]
        merged = pull is not None and pull.state == "merged"
        ok = bool(
            merged and pull and pull.pull and not any(name.startswith("ac:") for name in labels)
            and forge.branch(story.REPO, pull.pull.head_ref) is None
            and [run["cell"] for run in self.runs] == EXPECTED
        )
        self._line("files", ", ".join(map(str, files)))
        self._say("\n" + say("demo_end" if ok else "demo_end_badly", self.language))
        if self.kept:
            self._say(say("demo_kept", self.language, folder=self.folder))
        return {
            "ok": ok,
            "ticks": [{key: run[key] for key in ("item", "cell", "next", "labels_before", "labels_after")}
                      for run in self.runs],
            "containment": self.containment,
            "pull_request": pull and {"number": pull.number, "title": pull.title, "state": pull.state},
            "files": files,
        }

    def _items(self, forge: LocalForge) -> list[Item]:
        return [forge.read(story.REPO, row.number) for row in forge.listing(story.REPO, "all").rows]


EXPECTED = [
    "triage", "triage", "implement", "review", "implement", "review", "implement", "review",
]


def first_commit(bare: Path, files: dict[str, str]) -> None:
    """The project's first commit, made as its owner would have pushed it."""
    git = Git(bare)
    blobs = {blob_id(text.encode()): text.encode() for text in files.values()}
    git.write_blobs(blobs)
    tree = git.write_tree({
        name: Entry(mode="100644", sha=blob_id(text.encode())) for name, text in files.items()
    })
    sha: Sha = git.commit_tree(tree, [], "Say hello", when=datetime.now(UTC))
    subprocess.run(
        ["git", f"--git-dir={bare}", "update-ref", "refs/heads/main", sha], check=True,
        env={"PATH": os.environ.get("PATH", os.defpath), "GIT_CONFIG_GLOBAL": os.devnull},
        stdin=subprocess.DEVNULL, cwd="/",
    )


