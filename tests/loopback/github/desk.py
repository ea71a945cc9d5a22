"""The product's forge, signed in to a loopback GitHub."""

from __future__ import annotations

from dataclasses import dataclass

from agentcells.forge.github import GitHubForge
from agentcells.forge.github_pace import Pace
from tests.loopback.github.server import Server


@dataclass(frozen=True)
class TokenFile:
    """What cells.toml says as `token = { file = "…" }`."""

    file: str
    command: tuple[str, ...] = ()
    env: str = ""


def signed_in(server: Server, login: str, token: str = "", ca_file: str = "") -> GitHubForge:
    """The forge with a token of this account: its first one, or the one given."""
    tokens = server.world.hub.tokens.values()
    value = token or next(t.value for t in tokens if t.account.login == login)
    file = server.world.hub.root / f"token.{value[-24:]}"
    file.write_text(value + "\n")
    return GitHubForge(
        token=TokenFile(str(file)), api_url=server.api_url, git_url=server.url, ca_file=ca_file,
        pace=Pace(sleep=lambda _: None),  # stages are set with hundreds of writes
    )
