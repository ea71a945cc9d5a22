"""The project that an agent works on, found from a folder alone: root, rules, shared place, issues.

Nothing of what is found here is ever asked of the agent or told to it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from agentcells import gate
from agentcells.config import Config, load
from agentcells.config_model import Factory, Token
from agentcells.config_model import Forge as ForgeSettings
from agentcells.forge import Forge
from agentcells.forge.open import open_forge
from agentcells.history import HistoryError, SharedHistory
from agentcells.history.checkout import find_root
from agentcells.history.lines import CheckoutWithLines
from agentcells.known_secrets import known_secrets
from agentcells.model import Problem, Sha
from agentcells.run import CommitView, FileView, Finding
from agentcells.secrets import Secrets
from agentcells.tracker import Tracker

Log: TypeAlias = Callable[[str], None]

_SCP = re.compile(r"(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+):(?P<path>[^\s]+)\Z")
_NAME = re.compile(r"(?P<name>[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+?)(?:\.git)?/?\Z")
_GITHUB = "github.com"
_GITHUB_TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
_GITEA_TOKENS = ("GITEA_TOKEN", "FORGEJO_TOKEN")

# The size limits of the gate are for work that nobody watches; without a cells.toml there is none.
_NO_LIMIT = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How the person started the server. `roots` (): where it was started, and that project."""

    roots: tuple[Path, ...] = ()
    config: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """`tracker` None: no issues, or no way to them. `config`: defaults without a cells.toml."""

    root: Path
    history: SharedHistory
    tracker: Tracker | None
    config: Config

    @property
    def name(self) -> str:
        return self.root.name


def open_project(folder: str, setting: Setting, log: Log) -> Project:
    """Raises HistoryError: `work_no_project`, `work_root_not_allowed`."""
    asked = Path(folder).expanduser().absolute()
    allowed = _allowed(setting)
    _demand_inside(asked, allowed)
    root = find_root(asked.resolve())
    _demand_inside(root, allowed)
    config, known = _config(root, setting, log)
    rules = gate.Rules.from_config(config.gate) if known else gate.Rules(
        protected=config.gate.protected, max_files=_NO_LIMIT, max_added_lines=_NO_LIMIT,
        max_bytes=_NO_LIMIT,
    )
    history = guarded(root, rules, known_secrets(config))
    tracker = _tracker(history.address(), config if known else None, log)
    return Project(root=root, history=history, tracker=tracker, config=config)


def guarded(root: Path, rules: gate.Rules, secrets: Secrets) -> CheckoutWithLines:
    """The working copy at `root`, with the factory's gate before each record and each sharing."""

    def inspect(files: Sequence[FileView], message: str) -> tuple[Finding, ...]:
        return gate.check_record(rules, secrets, files, message)

    def inspect_push(tip: Sha, commits: Iterable[CommitView]) -> tuple[Finding, ...]:
        return gate.inspect(rules, secrets, tip, tip, commits).blocks

    return CheckoutWithLines(root, inspect, inspect_push)


# ---------------------------------------------------------------- which folders


def _allowed(setting: Setting) -> tuple[Path, ...]:
    if setting.roots:
        return tuple(root.resolve() for root in setting.roots)
    here = Path.cwd()
    try:
        return (here, find_root(here).resolve())
    except HistoryError:
        return (here,)


def _demand_inside(folder: Path, allowed: tuple[Path, ...]) -> None:
    """By the real path: a link inside an allowed folder may lead anywhere."""
    try:
        real = folder.resolve()
    except (OSError, RuntimeError) as error:
        raise HistoryError("work_no_project") from error
    if not any(real.is_relative_to(root) for root in allowed):
        raise HistoryError("work_root_not_allowed")


def _config(root: Path, setting: Setting, log: Log) -> tuple[Config, bool]:
    """The factory's settings of this project, and whether there are any."""
    path = setting.config or root / "cells.toml"
    if setting.config is None and not path.is_file():
        return Config(), False
    try:
        return load(path), True
    except Problem as problem:
        # A factory that cannot run is no reason to record nothing; its own commands say why.
        log(f"settings not used: {problem.key} {problem.slots}")
        return Config(), False


# ---------------------------------------------------------------- which issues


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Of a shared place. `host` "": a folder of this machine."""

    host: str
    path: str
    scheme: str = "https"  # of the forge's pages beside it

    @property
    def repo(self) -> str:
        """ "owner/name", or "" """
        found = _NAME.search(self.path)
        return found["name"] if found else ""


def read_address(text: str) -> Address | None:
    """None: none at all."""
    if not text:
        return None
    if "://" in text:
        parts = urlsplit(text)
        if parts.scheme == "file":
            return Address(host="", path=unquote(parts.path))
        web = parts.scheme.startswith("http")
        port = f":{parts.port}" if parts.port and web else ""
        return Address(host=(parts.hostname or "") + port, path=unquote(parts.path),
                       scheme=parts.scheme if web else "https")
    short = _SCP.match(text)
    if short and not text.startswith(("/", ".")):
        return Address(host=short["host"], path=short["path"])
    return Address(host="", path=text)


def _tracker(address: str, config: Config | None, log: Log) -> Tracker | None:
    try:
        return _found_tracker(read_address(address), config)
    except (Problem, ImportError, ValueError, OSError) as error:
        log(f"issues not available: {type(error).__name__}: {getattr(error, 'slots', error)}")
        return None


def _found_tracker(place: Address | None, config: Config | None) -> Tracker | None:
    if config is not None:
        repo = _repo_of(place, config)
        if repo:
            return _tracker_of(config, repo)
    if place is None:
        return None
    if not place.host:
        return _local_tracker(Path(place.path))
    config = _settings_for(place)
    return _tracker_of(config, place.repo) if config and place.repo else None


def _tracker_of(config: Config, repo: str) -> Tracker:
    """On the embedded forge as the owner himself: it is he who drives the agent."""
    login = config.factory.owner if config.forge.kind == "local" else ""

    def sign_in() -> Forge:
        return open_forge(config, as_login=login)

    sign_in()  # what cannot be opened at all is found now
    return Tracker(sign_in, repo, config)


def _repo_of(place: Address | None, config: Config) -> str:
    """Which of the factory's repositories this is; the only one, where there is one only."""
    here = place.repo.casefold() if place else ""
    named = next((repo for repo in config.forge.repos if repo.casefold() == here), "")
    return named or (config.forge.repos[0] if len(config.forge.repos) == 1 else "")


def _local_tracker(path: Path) -> Tracker | None:
    """`<forge>/repos/<owner>/<name>.git`: the embedded forge's own way to lay it out."""
    from agentcells.forge.local import LocalForge

    parts = path.absolute().parts
    if len(parts) < 5 or parts[-3] != "repos" or not LocalForge.exists(path.absolute().parents[2]):
        return None
    root, owner = path.absolute().parents[2], parts[-2]
    config = Config(factory=Factory(owner=owner), forge=ForgeSettings(kind="local", path=str(root)))
    return _tracker_of(config, f"{owner}/{parts[-1].removesuffix('.git')}")


def _settings_for(place: Address) -> Config | None:
    """Without a cells.toml: the address says which forge, the machine has the token."""
    if place.host.lower() in (_GITHUB, f"www.{_GITHUB}", f"ssh.{_GITHUB}"):
        return Config(forge=ForgeSettings(
            kind="github", repos=(place.repo,),
            token=_token(_GITHUB_TOKENS) or Token(command=("gh", "auth", "token")),
        ))
    token = _token(_GITEA_TOKENS)
    if token is None:
        return None
    base = f"{place.scheme}://{place.host}"
    return Config(forge=ForgeSettings(kind="gitea", repos=(place.repo,), api_url=f"{base}/api/v1",
                                      git_url=base, token=token))


def _token(names: tuple[str, ...]) -> Token | None:
    return next((Token(env=name) for name in names if os.environ.get(name)), None)


__all__ = ["Address", "Project", "Setting", "guarded", "open_project", "read_address"]
