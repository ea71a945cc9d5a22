"""Which forge cells.toml means, signed in."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from agentcells.forge import Forge
from agentcells.model import Problem

if TYPE_CHECKING:
    from agentcells.config import Config

# Imported by name when it is wanted: an idle tick pays for one forge only.
_FORGES = {
    "github": ("agentcells.forge.github", "GitHubForge"),
    "gitea": ("agentcells.forge.gitea", "GiteaForge"),
}


def open_forge(config: Config, *, as_login: str = "") -> Forge:
    """The forge of `config`. `as_login`: the account to act as, on the local forge only."""
    if config.forge.kind == "local":
        from agentcells.forge.local import LocalForge

        login = as_login or config.factory.bot or config.factory.owner
        return LocalForge(Path(config.forge.path), login)
    if as_login:
        raise Problem("forge_as_needs_local", exit_code=2, kind=config.forge.kind)
    module, name = _FORGES[config.forge.kind]
    return cast(Forge, getattr(import_module(module), name).from_config(config))
