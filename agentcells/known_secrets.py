"""The secrets this CLI knows: the forge's token, the model's credential, what the environment holds."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from agentcells.secrets import Secrets

if TYPE_CHECKING:
    from agentcells.config import Config

_SECRET_NAME = re.compile(r"TOKEN|KEY|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def environment_secrets() -> Secrets:
    """What the names of variables give away, where no configuration is at hand."""
    return Secrets.of({n: value for n, value in os.environ.items() if _SECRET_NAME.search(n)})


def known_secrets(config: Config, token: str = "") -> Secrets:
    """Every value that must never leave: `token`, variables that cells.toml names for a secret, and
    those whose name says so."""
    known = {"forge token": token} if token else {}
    sources = (config.forge.token, config.notify.token, config.notify.url_from)
    named = {*config.agent.env, *(source.env for source in sources if source is not None)}
    for name, value in os.environ.items():
        if name in named or _SECRET_NAME.search(name):
            known[name] = value
    return Secrets.of(known)
