"""`agentcells init`: asks little, finds the rest, shows what it will write, writes it.

Run again it changes nothing; what an earlier attempt could not do it does then.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from agentcells import pins
from agentcells.config import Config, load, resource
from agentcells.config_model import LOGIN, REPO
from agentcells.forge import Forge
from agentcells.forge.open import open_forge
from agentcells.model import HOLD, IN_REVIEW, NEEDS_HUMAN, WORKING, Problem
from agentcells.options import known_language, language_of_the_shell
from agentcells.pins import Pins
from agentcells.sentences import say
from agentcells.store import write_whole

Tell = Callable[[str], None]
Ask = Callable[[str, str], str]
Read = TypeVar("Read")

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
    try:
        asked = subprocess.run(
            ["git", "-C", str(folder), "remote", "get-url", "origin"],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:  # there is no git, and `check` says so
        return ""
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


def write_files(folder: Path, answers: Answers, tell: Tell, name: str = "cells.toml") -> list[Path]:
    """prompts/ and cells.toml, each only where it is not there yet; what was written.

    cells.toml comes last: where it is, init takes the rest for done.
    """
    wanted = {
        folder / "prompts" / prompt.name: prompt.read_text(encoding="utf-8")
        for prompt in resource("prompts").iterdir()
    }
    wanted[folder / name] = cells_text(answers)
    made = []
    for path, text in wanted.items():
        if path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
        made.append(path)
        tell(say("init_wrote", answers.language, path=path.relative_to(folder)))
    return made


def _written(cells: Path, answers: Answers, tell: Tell) -> Config:
    """Files with a slip in them go again at once: where cells.toml is, init does not change it."""
    folder, said = cells.absolute().parent, list[str]()
    try:
        made = write_files(folder, answers, said.append, cells.name)
    except OSError as error:
        detail = error.strerror or error
        raise Problem("demo_folder_refused", exit_code=2, path=folder, detail=detail) from error
    try:
        config = load(cells)
    except Problem as slip:
        for path in made:
            path.unlink()
        with suppress(OSError):  # somebody's own prompts stay
            (folder / "prompts").rmdir()
        why = say(slip.key, answers.language, **slip.slots)
        raise Problem("init_taken_back", exit_code=slip.exit_code, why=why) from slip
    for line in said:
        tell(line)
    return config


def _demand_same(config: Config, given: Answers) -> None:
    """An option that cells.toml contradicts would be passed over without a word."""
    forge, folder = config.forge, config.path.parent
    token = forge.token.file if forge.token is not None else ""
    repos = [repo.casefold() for repo in forge.repos]
    other = {
        "--repo": given.repo and given.repo.casefold() not in repos,
        "--owner": given.owner and given.owner.casefold() != config.factory.owner.casefold(),
        "--bot": given.bot and given.bot.casefold() != config.factory.bot.casefold(),
        "--token-file": given.token_file and str(folder / Path(given.token_file).expanduser()) != token,
        "--api-url": given.api_url and given.api_url != forge.api_url,
        "--git-url": given.git_url and given.git_url != forge.git_url,
        "--ca-file": given.ca_file and str(folder / given.ca_file) != forge.ca_file,
        "--language": given.language == "ja" != config.factory.language,
    }
    if names := [name for name, differs in other.items() if differs]:
        raise Problem("init_says_otherwise", exit_code=2, file=config.path, names=", ".join(names))


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
    cells: Path, ask: Ask, tell: Tell, *, yes: bool, relock: bool,
    given: Answers | None = None,
) -> None:
    """The whole command. `given` is what was said on the command line; with `yes` nothing is asked."""
    folder = cells.absolute().parent
    if cells.exists():
        config = load(cells)
        _demand_same(config, given or Answers(repo="", owner=""))
    else:
        answers = _filled(folder, given) if given else _ask(folder, ask, tell, yes)
        if not answers.repo or not answers.owner:
            raise Problem("init_needs", exit_code=2)
        _demand_names(answers)
        if not yes:
            tell(cells_text(answers))
            if ask(say("init_confirm", answers.language), "y").lower()[:1] != "y":
                tell(say("init_stopped", answers.language))
                return
        config = _written(cells, answers, tell)
    settle(config, tell, relock=relock)
    write_form(folder, config, tell)
    tell(say("init_next", config.factory.language, config=cells))


def _filled(folder: Path, given: Answers) -> Answers:
    """What was not said is found out."""
    repo = given.repo or detect_repo(folder)
    owner = given.owner or repo.partition("/")[0]
    return replace(given, repo=repo, owner=owner, test=given.test or detect_test(folder))


def _demand_names(answers: Answers) -> None:
    """Before a file is written: a cells.toml with a slip in it would only be in the way."""
    if not REPO.match(answers.repo):
        raise Problem("init_repo_name", exit_code=2, repo=answers.repo)
    for login in filter(None, (answers.owner, answers.bot)):
        if not LOGIN.match(login):
            raise Problem("init_login", exit_code=2, login=login)


def _ask(folder: Path, ask: Ask, tell: Tell, yes: bool) -> Answers:
    if yes:
        return _filled(folder, Answers(repo="", owner=""))
    shell = language_of_the_shell()
    repo = ask(say("init_ask_repo", shell), detect_repo(folder))
    owner = ask(say("init_ask_owner", shell), repo.partition("/")[0])
    bot = ask(say("init_ask_bot", shell), "")
    token_file = ask(say("init_ask_token", shell), "")

    def known(key: str, default: str, read: Callable[[str], Read]) -> Read:
        for left in (2, 1, 0):  # a slip costs one answer, not all of them
            try:
                return read(ask(say(key, shell), default).strip())
            except Problem as slip:
                if not left:
                    raise
                tell(say(slip.key, shell, **slip.slots))
        raise AssertionError("the last one returns or raises")

    test = known("init_ask_test", shlex.join(detect_test(folder)), _words)
    language = known("init_ask_language", shell, known_language)
    return Answers(repo=repo, owner=owner, bot=bot, token_file=token_file, test=test, language=language)


def _words(command: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(command))
    except ValueError as error:  # a quote that is never closed
        raise Problem("init_test_quote", exit_code=2, command=command) from error


