"""A loopback Gitea: REST on a model, git over smart HTTP, tokens with scopes, a clock, troubles.

    world = World(tmp_path); world.account("alice"); world.repository("alice/game", files={...})
    with Server(world) as server: ...server.api_url, server.url...
"""

from tests.loopback.gitea.server import Server
from tests.loopback.gitea.world import Person, World

__all__ = ["Person", "Server", "World"]
