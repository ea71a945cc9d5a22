"""A loopback GitHub as a process: prints its address and tokens, ends with standard input."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tests.loopback.github import Server, World


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.loopback.github", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--root", type=Path, required=True, help="folder of the git repositories")
    parser.add_argument("--owner", default="alice", help="the account that owns the repositories")
    parser.add_argument("--bot", default="cells", help="an account that may write there")
    parser.add_argument("--outsider", default="bob", help="an account that may only read")
    parser.add_argument("--repo", action="append", default=[], help="owner/name; repeatable")
    parser.add_argument("--cert", type=Path, help="certificate (PEM): speak https")
    parser.add_argument("--key", type=Path, help="its key (PEM)")
    asked = parser.parse_args()
    world = World(asked.root)
    for login in (asked.owner, asked.bot, asked.outsider):
        world.account(login)
    for repo in asked.repo or [f"{asked.owner}/game"]:
        world.repository(
            repo, roles={asked.bot: "write", asked.outsider: "read"},
            files={"README.md": "a game\n"},
        )
    pair = (asked.cert, asked.key) if asked.cert and asked.key else None
    with Server(world, port=asked.port, certificate=pair) as server:
        tokens = {token.account.login: value for value, token in world.hub.tokens.items()}
        told = {"url": server.url, "api_url": server.api_url, "tokens": tokens}
        print(json.dumps(told), flush=True)
        sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
