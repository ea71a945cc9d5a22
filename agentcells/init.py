"""`agentcells init`: asks little, finds the rest, shows what it will write, writes it.

Run again it changes nothing; what an earlier attempt could not do it does then.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agentcells import pins
from agentcells.config import Config, load, resource
from agentcells.config_model import LOGIN, REPO
from agentcells.forge import Forge
from agentcells.forge.open import open_forge
from agentcells.model import HOLD, IN_REVIEW, NEEDS_HUMAN, WORKING, Problem
from agentcells.pins import Pins
from agentcells.sentences import say
from agentcells.store import write_whole

Tell = Callable[[str], None]

COLOURS = {WORKING: "fbca04", NEEDS_HUMAN: "d93f0b", IN_REVIEW: "0e8a16", HOLD: "6a737d"}
CELL_COLOUR = "1d76db"
FORM = Path(".github/ISSUE_TEMPLATE/agentcells.yml")
_REMOTE = re.compile(r"(?:https://|git@|ssh://git@)([^/:]+)[/:]([^/]+/[^/]+?)(?:\.git)?/?\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What init needs to know; "" is found out or left at its default."""

    repo: str
    owner: str
    bot: str = ""
    token_file: str = ""
    test: tuple[str, ...] = ()
    language: str = "en"
    api_url: str = ""
    git_url: str = ""
    ca_file: str = ""


def detect_repo(folder: Path) -> str:
    """owner/name of this folder's own `origin`, "" when there is none."""
    asked = subprocess.run(
        ["git", "-C", str(folder), "remote", "get-url", "origin"],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )
    found = _REMOTE.match(asked.stdout.strip()) if asked.returncode == 0 else None
    return found[2] if found else ""


def detect_test(folder: Path) -> tuple[str, ...]:
    """The command that tests this project, by the files it keeps; () when nothing tells."""
    package = folder / "package.json"
    if package.exists() and '"test"' in package.read_text(encoding="utf-8", errors="replace"):
        return ("npm", "test")
    makefile = folder / "Makefile"
    rules = makefile.read_text(encoding="utf-8", errors="replace") if makefile.exists() else ""
    if re.search(r"^test:", rules, re.MULTILINE):
        return ("make", "test")
    for name, command in _TESTERS:
        if (folder / name).exists():
            return command
    return ()


_TESTERS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Cargo.toml", ("cargo", "test")),
    ("go.mod", ("go", "test", "./...")),
    ("pytest.ini", ("python3", "-m", "pytest")),
    ("pyproject.toml", ("python3", "-m", "pytest")),
)


def cells_text(answers: Answers) -> str:
    """The example cells.toml with these answers in their places, comments and all."""
    text = resource("cells.toml").read_text(encoding="utf-8")
    values = {
        "owner": _toml(answers.owner), "bot": _toml(answers.bot),
        "repos": f"[{_toml(answers.repo)}]", "language": _toml(answers.language),
    }
    if answers.token_file:
        values["token"] = f"{{ file = {_toml(answers.token_file)} }}"
    if answers.test:
        values["test"] = f"[{', '.join(map(_toml, answers.test))}]"
    values |= {
        key: _toml(value) for key in ("api_url", "git_url", "ca_file")
        if (value := getattr(answers, key))
    }
    for key, value in values.items():
        line = re.search(rf'(?m)^(?:# )?{key} = (?:\[.*?\]|\{{.*?\}}(?=\s|$)|"[^"]*")', text)
        if line is None:
            raise AssertionError(f"the example has no key {key}")
        text = text[: line.start()] + f"{key} = {value}" + text[line.end() :]
    return text


def _toml(value: str) -> str:
    """A TOML string: JSON's escapes are TOML's too."""
    return json.dumps(value, ensure_ascii=False)


def write_files(folder: Path, answers: Answers, tell: Tell) -> None:
    """cells.toml and prompts/, each only where it is not there yet."""
    wanted = {folder / "cells.toml": cells_text(answers)}
    for prompt in resource("prompts").iterdir():
        wanted[folder / "prompts" / prompt.name] = prompt.read_text(encoding="utf-8")
    for path, text in wanted.items():
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
        tell(say("init_wrote", answers.language, path=path.relative_to(folder)))


def settle(config: Config, tell: Tell, *, relock: bool = False) -> None:
    """Labels on the forge and the pins beside cells.toml. Raises Problem when pins differ (R23)."""
    forge = open_forge(config)
    language = config.factory.language
    _demand_known_viewer(config, forge)
    for repo in config.forge.repos:
        _demand_writable(forge, repo)
    for repo in config.forge.repos:
        for name in create_labels(config, forge, repo):
            tell(say("init_label", language, label=name, repo=repo))
    new, old = read_pins(config, forge), pins.load(config.path)
    if old == new:
        tell(say("init_nothing", language))
        return
    if old is not None and not relock and (gone := pins.differences(old, new)):
        raise Problem("pins_differ", names=", ".join(gone))
    write_whole(config.path.with_name(pins.FILE), pins.render(new))
    tell(say("init_wrote", language, path=pins.FILE))


def _demand_known_viewer(config: Config, forge: Forge) -> None:
    """Nothing is written with the token of a third account (R23)."""
    viewer, owner = forge.viewer(), forge.account(config.factory.owner)
    bot = config.factory.bot
    if viewer.id != owner.id and (not bot or forge.account(bot).id != viewer.id):
        raise Problem(
            "observe_foreign_token", viewer=viewer.login, owner=owner.login, bot=bot or "-"
        )


def _demand_writable(forge: Forge, repo: str) -> None:
    found = forge.repository(repo)
    if found.name.casefold() != repo.casefold():
        raise Problem("github_renamed", repo=repo, now=found.name)
    if found.archived:
        raise Problem("check_archived", repo=repo)


def create_labels(config: Config, forge: Forge, repo: str) -> list[str]:
    """The labels that were missing, made with colour and description.

    One that somebody made by hand stays as it is; spelled otherwise it is nobody's order (R23), and
    forges do not keep two labels that differ by their case alone.
    """
    there = {label.name for label in forge.labels(repo)}
    alike = {name.casefold(): name for name in there}
    made = []
    for name, colour, description in wanted_labels(config):
        if name in there:
            continue
        if found := alike.get(name.casefold()):
            raise Problem("init_label_spelled", repo=repo, found=found, label=name)
        forge.create_label(repo, name, colour, description)
        made.append(name)
    return made


def wanted_labels(config: Config) -> list[tuple[str, str, str]]:
    """(name, colour, description) of every label of ours."""
    language = config.factory.language
    cells = [
        (cell.label, CELL_COLOUR, say("label_cell", language, cell=cell.name))
        for cell in config.cells if cell.on != "factory"
    ]
    states = [
        (config.label(state), colour, say(f"label_{state.replace('-', '_')}", language))
        for state, colour in COLOURS.items()
    ]
    return cells + states


def read_pins(config: Config, forge: Forge) -> Pins:
    """The ids as the forge tells them now."""
    ours = {name for name, _, _ in wanted_labels(config)}
    return Pins(
        owner=forge.account(config.factory.owner).id,
        bot=forge.account(config.factory.bot).id if config.factory.bot else "",
        repositories={repo: forge.repository(repo).id for repo in config.forge.repos},
        labels={
            repo: {label.name: label.id for label in forge.labels(repo) if label.name in ours}
            for repo in config.forge.repos
        },
    )


def issue_form(config: Config) -> str:
    """An issue form that sets label and assignee in the same step, for the person who files."""
    first = next((cell for cell in config.cells if cell.on == "issue"), None)
    if first is None:
        raise Problem("init_no_issue_cell", exit_code=2)
    language = config.factory.language
    return "\n".join([
        f"name: {json.dumps(say('form_name', language), ensure_ascii=False)}",
        f"description: {json.dumps(say('form_about', language), ensure_ascii=False)}",
        f"labels: [{json.dumps(first.label)}]",
        f"assignees: [{json.dumps(config.factory.owner)}]",
        "body:",
        "  - type: textarea",
        "    id: what",
        "    attributes:",
        f"      label: {json.dumps(say('form_what', language), ensure_ascii=False)}",
        f"      description: {json.dumps(say('form_hint', language), ensure_ascii=False)}",
        "    validations:",
        "      required: true",
        "",
    ])


def write_form(folder: Path, config: Config, tell: Tell) -> None:
    """The form goes into the working copy, for the person to commit; only on a forge that knows forms."""
    path = folder / FORM
    if config.forge.kind == "local" or path.exists() or not (folder / ".git").exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, issue_form(config))
    tell(say("init_wrote", config.factory.language, path=FORM))


def run(
    cells: Path, ask: Callable[[str, str], str], tell: Tell, *, yes: bool, relock: bool,
    given: Answers | None = None,
) -> None:
    """The whole command. `ask(question, default)` is not called with `yes`."""
    folder = cells.absolute().parent
    if not cells.exists():
        answers = given or _ask(folder, ask, yes)
        if not answers.repo or not answers.owner:
            raise Problem("init_needs", exit_code=2)
        _demand_names(answers)
        text = cells_text(answers)
        if not yes:
            tell(text)
            if ask(say("init_confirm", answers.language), "y").lower()[:1] != "y":
                tell(say("init_stopped", answers.language))
                return
        write_files(folder, answers, tell)
    config = load(cells)
    settle(config, tell, relock=relock)
    write_form(folder, config, tell)
    tell(say("init_next", config.factory.language, config=cells))


def _demand_names(answers: Answers) -> None:
    """Before a file is written: a cells.toml with a slip in it would only be in the way."""
    if not REPO.match(answers.repo):
        raise Problem("init_repo_name", exit_code=2, repo=answers.repo)
    for login in filter(None, (answers.owner, answers.bot)):
        if not LOGIN.match(login):
            raise Problem("init_login", exit_code=2, login=login)


def _ask(folder: Path, ask: Callable[[str, str], str], yes: bool) -> Answers:
    repo = detect_repo(folder)
    if yes:
        return Answers(repo=repo, owner=repo.partition("/")[0], test=detect_test(folder))
    repo = ask(say("init_ask_repo", "en"), repo)
    owner = ask(say("init_ask_owner", "en"), repo.partition("/")[0])
    bot = ask(say("init_ask_bot", "en"), "")
    token_file = ask(say("init_ask_token", "en"), "")
    test = ask(say("init_ask_test", "en"), shlex.join(detect_test(folder)))
    language = ask(say("init_ask_language", "en"), "en")
    return Answers(repo=repo, owner=owner, bot=bot, token_file=token_file,
                   test=tuple(shlex.split(test)), language="ja" if language == "ja" else "en")


