"""The product's forge, signed in to a loopback Gitea."""

from __future__ import annotations

from agentcells.forge.gitea import GiteaForge
from tests.loopback.gitea.server import Server
from tests.loopback.github.desk import TokenFile


def signed_in(server: Server, login: str, token: str = "", ca_file: str = "") -> GiteaForge:
    """The forge with a token of this account: its first one, or the one given."""
    tokens = server.world.hub.tokens.values()
    value = token or next(t.value for t in tokens if t.account.login == login)
    file = server.world.hub.root / f"token.{value[-24:]}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value + "\n")
    return GiteaForge(
        token=TokenFile(str(file)), api_url=server.api_url, git_url=server.url, ca_file=ca_file
    )
