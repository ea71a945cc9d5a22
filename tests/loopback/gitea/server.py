"""The loopback Gitea over HTTP: /api/v1 and git."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from tests.loopback import git_http
from tests.loopback.gitea import acts, rest, rest_issues, rest_pulls
from tests.loopback.gitea.faults import ANSWERS, Fault, cut
from tests.loopback.gitea.model import ROLES, Hub, Token
from tests.loopback.gitea.world import World
from tests.loopback.listening import Answer, Call, Listener

ROUTED = (rest_issues, rest_pulls)  # imported for the routes that they add
SLOW_S = 0.5


class Server(Listener):
    """Serves a world until it is stopped."""

    def __init__(
        self, world: World, *, port: int = 0, certificate: tuple[Path, Path] | None = None
    ) -> None:
        super().__init__(self._serve, port=port, certificate=certificate)
        self.world = world
        self.api_url = f"{self.url}{rest.API}"

    def _serve(self, call: Call) -> tuple[Answer, datetime]:
        with self.world.lock:
            hub = self.world.hub
            path = urlsplit(call.target).path
            if path.startswith("/api/"):
                answer = self._api(hub, call, f"{call.method} {path.removeprefix(rest.API)}")
            else:
                answer = _git(hub, call)
            return answer, hub.clock.now()

    def _api(self, hub: Hub, call: Call, operation: str) -> Answer:
        self.world.requests.append(f"{call.method} {call.target.removeprefix(rest.API)}")
        fault = next((f for f in self.world.faults if f.due(operation)), None)
        if fault is None:
            return rest.answer(hub, call)
        return _troubled(hub, call, fault)


def _troubled(hub: Hub, call: Call, fault: Fault) -> Answer:
    if fault.act is not None:
        answer = rest.answer(hub, call)
        fault.act()
        return answer
    if fault.kind == "slow":
        time.sleep(SLOW_S)
        return rest.answer(hub, call)
    if fault.kind == "cut":
        return cut(rest.answer(hub, call), fault.path)
    if fault.after:
        rest.answer(hub, call)
    return ANSWERS[fault.kind]


# ---------------------------------------------------------------- git


def _git(hub: Hub, call: Call) -> Answer:
    """One request of git. The token is the password, whoever is named as the user."""
    parts = urlsplit(call.target)
    owner, name, *rest_of = parts.path.lstrip("/").split("/", 2)
    full = f"{owner}/{name.removesuffix('.git')}"
    writes = "git-receive-pack" in call.target
    _, value = git_http.login(call)
    token = hub.tokens.get(value)
    repo = hub.repo(full)
    if token is None or token.revoked:
        return _asks(bool(value))
    if repo is None or hub.role(token.account, repo) == "none":
        return Answer(404, b"Repository not found\n", {}, "text/plain")
    if writes and (refusal := _refusal(hub, token, full)):
        return refusal
    answer = git_http.backend(
        repo.bare.path, rest_of[0] if rest_of else "", parts.query, call, token.account.login
    )
    if writes and call.method == "POST":
        acts.notice_pushes(hub, repo, token.account)
    return answer


def _asks(wrong: bool) -> Answer:
    words = b"invalid username, password or token\n" if wrong else b"Unauthorized\n"
    return Answer(401, words, {"www-authenticate": 'Basic realm="Gitea"'}, "text/plain")


def _refusal(hub: Hub, token: Token, name: str) -> Answer | None:
    repo = hub.repo(name)
    assert repo is not None
    if ROLES.index(hub.role(token.account, repo)) < ROLES.index("write"):
        return Answer(403, b"User permission denied for writing.\n", {}, "text/plain")
    if "write:repository" not in token.scopes:
        return Answer(403, b"token does not have write:repository\n", {}, "text/plain")
    if repo.archived:
        return Answer(403, b"This repo is archived.\n", {}, "text/plain")
    return None
