"""Gitea's REST API on the model: which request does what, who may, and how it is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.loopback.gitea import shapes
from tests.loopback.gitea.model import ROLES, Account, Hub, Item, Refused, Repo, Token
from tests.loopback.listening import Answer, Call

API = "/api/v1"
VERSIONS = {"gitea": "1.27.3", "old": "1.22.6", "forgejo": "11.0.1+gitea-1.22.0"}
SWAGGER = "https://git.example.invalid/api/swagger"


@dataclass(frozen=True)
class Ask:
    """One request, signed in and with its repository looked up."""

    hub: Hub
    token: Token
    method: str
    parts: tuple[str, ...]  # what the pattern of the route found
    query: Mapping[str, str]
    body: Mapping[str, Any]
    found_repo: Repo | None

    @property
    def who(self) -> Account:
        return self.token.account

    @property
    def repo(self) -> Repo:
        assert self.found_repo is not None
        return self.found_repo

    def number(self, place: int) -> int:
        return int(self.parts[place])

    def item(self, place: int = 2) -> Item:
        found = self.repo.items.get(self.number(place))
        if found is None:
            raise Refused(404, "not found")
        return found

    def pull(self, place: int = 2) -> Item:
        found = self.item(place)
        if not found.is_pull:
            raise Refused(404, "not found")
        return found

    def demand(self, role: str, message: str | None = "user should have a permission") -> None:
        if ROLES.index(self.hub.role(self.who, self.repo)) < ROLES.index(role):
            raise Refused(403, message)

    def may_write(self) -> bool:
        return self.hub.role(self.who, self.repo) in ("write", "admin")

    def since(self) -> datetime | None:
        text = self.query.get("since")
        return datetime.fromisoformat(text) if text else None


@dataclass(frozen=True)
class Rows:
    """One page of a list. `total`: what the header says; None leaves it out."""

    rows: Sequence[Any]
    total: int | None


Result = Answer | Rows | Mapping[str, Any] | Sequence[Any] | None
Handler = Callable[[Ask], Result]
ROUTES: list[tuple[str, re.Pattern[str], str, Handler]] = []
REPO = r"/repos/([^/]+)/([^/]+)"


def route(method: str, pattern: str, scope: str) -> Callable[[Handler], Handler]:
    """`scope`: the category of the token's scopes that this group of routes asks for."""

    def add(handler: Handler) -> Handler:
        ROUTES.append((method, re.compile(pattern + r"\Z"), scope, handler))
        return handler

    return add


def page(ask: Ask, rows: Sequence[Any], *, counted: bool = True) -> Rows:
    limit = min(int(ask.query.get("limit") or 30), ask.hub.most_rows)
    start = (max(int(ask.query.get("page") or 1), 1) - 1) * limit
    return Rows(rows[start : start + limit], len(rows) if counted else None)


# ---------------------------------------------------------------- answering


def answer(hub: Hub, call: Call) -> Answer:
    try:
        return _shaped(call, _result(hub, call))
    except Refused as refused:
        return _refusal(refused)


def _refusal(refused: Refused) -> Answer:
    headers = {name.replace("_", "-"): text for name, text in refused.headers.items()}
    if refused.message is None:
        return Answer(refused.status, b"", headers, "text/plain")
    body = json.dumps({"message": refused.message, "url": SWAGGER}).encode()
    return Answer(refused.status, body, headers)


def _result(hub: Hub, call: Call) -> Result:
    parts = urlsplit(call.target)
    path = parts.path.removeprefix(API)
    known = [(m, p.match(path), s, h) for m, p, s, h in ROUTES]
    there = [(m, found, s, h) for m, found, s, h in known if found]
    if path == "/version":
        return {"version": VERSIONS[hub.flavour]}
    if not there or not parts.path.startswith(API):
        return Answer(404, b"404 page not found\n", {}, "text/plain")
    token = _token(hub, call)
    for method, found, scope, handler in there:
        if method == call.method:
            _demand_scope(token, scope, method)
            texts = tuple(unquote(text) for text in found.groups())
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            body = json.loads(call.body) if call.body else {}
            repo = _repo(hub, token, texts, path) if path.startswith("/repos/") else None
            if repo and repo.archived and method != "GET":
                raise Refused(423, f"{repo.name} is archived")
            return handler(Ask(hub, token, method, texts, query, body, repo))
    return Answer(405, b"Method Not Allowed\n", {}, "text/plain")


def _token(hub: Hub, call: Call) -> Token:
    value = call.headers.get("authorization", "").removeprefix("token ")
    if not value:
        raise Refused(401, "token is required")
    token = hub.tokens.get(value)
    if token is None or token.revoked or token.account.deleted:
        raise Refused(401, "invalid username, password or token")
    return token


def _demand_scope(token: Token, category: str, method: str) -> None:
    level = "read" if method == "GET" else "write"
    enough = {f"{level}:{category}", f"write:{category}"}
    if not token.scopes & enough:
        raise Refused(
            403, "token does not have at least one of required scope(s), "
                 f"required=[{level}:{category}], token scope={','.join(sorted(token.scopes))}",
        )


def _repo(hub: Hub, token: Token, texts: tuple[str, ...], path: str) -> Repo:
    name = f"{texts[0]}/{texts[1]}"
    repo = hub.repo(name)
    if repo is None:
        moved = next((r for r in hub.repos if name in r.old_names), None)
        if moved is None:
            raise Refused(404, "not found")
        raise Refused(307, None, location=API + path.replace(name, moved.name, 1))
    if hub.role(token.account, repo) == "none":
        raise Refused(404, "not found")
    return repo


def _shaped(call: Call, result: Result) -> Answer:
    if isinstance(result, Answer):
        return result
    if result is None:
        return Answer(204, b"", {}, "text/plain")
    if isinstance(result, Rows):
        headers = {} if result.total is None else {"x-total-count": str(result.total)}
        return Answer(200, json.dumps(list(result.rows) or []).encode(), headers)
    status = 201 if call.method in ("POST", "PATCH") else 200
    return Answer(status, json.dumps(result).encode())


# ---------------------------------------------------------------- accounts and repositories


@route("GET", "/user", "user")
def me(ask: Ask) -> Result:
    return shapes.user(ask.who)


@route("GET", "/users/([^/]+)", "user")
def account(ask: Ask) -> Result:
    found = ask.hub.account(ask.parts[0])
    if found is not None:
        return shapes.user(found)
    moved = next((a for a in ask.hub.accounts if ask.parts[0] in a.old_logins), None)
    if moved is None:
        raise Refused(404, "user redirect does not exist")
    raise Refused(307, None, location=f"{API}/users/{moved.login}")


@route("GET", REPO, "repository")
def repository(ask: Ask) -> Result:
    return shapes.repository(ask.hub, ask.repo, ask.who)
