"""A loopback GitHub: GraphQL on GitHub's own schema, git over smart HTTP, and a model behind both.

    world = World(tmp_path); world.account("alice"); world.repository("alice/game", files={...})
    with Server(world) as server: ...server.api_url, server.url...

or as a process: python -m tests.loopback.github --root DIR --repo alice/game
"""

from tests.loopback.github.server import Server
from tests.loopback.github.world import Person, World

__all__ = ["Person", "Server", "World"]
