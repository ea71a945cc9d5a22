"""Troubles on order: the n-th request from now is answered as Gitea, or a proxy, might answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.loopback.listening import Answer

HTML = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
SWAGGER = "https://git.example.invalid/api/swagger"


@dataclass
class Fault:
    """`at`: which matching request from now, 1 is the next. `after`: the effect is done anyway.

    `kind` "cut" takes what lies at `path` out of the true answer; "slow" lets the caller wait.
    `match`: a pattern for "METHOD /path".
    """

    kind: str
    at: int = 1
    times: int = 1
    match: str = ""
    after: bool = False
    path: Sequence[str | int] = ()
    act: Callable[[], object] | None = None

    def due(self, operation: str) -> bool:
        if self.times <= 0 or not re.search(self.match, operation):
            return False
        self.at -= 1
        if self.at > 0:
            return False
        self.times -= 1
        return True


def _said(status: int, message: str, headers: Mapping[str, str] | None = None) -> Answer:
    body = json.dumps({"message": message, "url": SWAGGER}).encode()
    return Answer(status, body, headers or {})


SCOPE = (
    "token does not have at least one of required scope(s), required=[write:issue], "
    "token scope=read:issue"
)

ANSWERS: dict[str, Answer] = {
    "bad_token": _said(401, "invalid username, password or token"),
    "prohibited": _said(403, "This account is prohibited from signing in, please contact your "
                             "site administrator."),
    "must_change": _said(403, "You must change your password. Change it at: https://x/user"),
    "scope": _said(403, SCOPE),
    "scope_old": _said(
        403, "token does not have at least one of required scope(s): [write:issue read:issue]"
    ),
    "forbidden": _said(403, "write permission is required"),
    "forbidden_empty": Answer(403, b"", {}, "text/plain"),
    "archived": _said(423, "alice/game is archived"),
    "not_found": _said(404, "not found"),
    "not_found_empty": Answer(404, b"", {}, "text/plain"),
    "no_route": Answer(404, b"404 page not found\n", {}, "text/plain"),
    "page_404": Answer(404, b"<html>Nothing here</html>", {}, "text/html"),
    "no_method": Answer(405, b"Method Not Allowed\n", {}, "text/plain"),
    "refused_405": _said(405, "Not now"),
    "conflict": _said(409, "merge push out of date"),
    "conflict_empty": Answer(409, b"", {}, "text/plain"),
    "exists": _said(409, "pull request already exists for these targets [id: 1]"),
    "changed": _said(412, "the issue is already changed"),
    "precondition": _said(412, "cannot close this issue because it still has open dependencies"),
    "too_large": _said(413, "request body too large"),
    "invalid": _said(422, "[Title]: Required"),
    "bad_request": _said(400, "user does not have access to repo"),
    "too_many": _said(429, "slow down"),
    "too_many_120": Answer(429, HTML, {"retry-after": "120"}, "text/html"),
    "timeout_408": Answer(408, b"", {}, "text/plain"),
    "server_error": _said(500, ""),
    "bad_gateway": Answer(502, HTML, {}, "text/html"),
    "unavailable": Answer(503, HTML, {}, "text/html"),
    "page": Answer(200, b"<html>Sign in to the hotel network</html>", {}, "text/html"),
    "page_403": Answer(403, b"<html>Blocked by the firewall</html>", {}, "text/html"),
    "nothing": Answer(200, b"", {}, "text/plain"),
    "a_word": Answer(200, b'"pong"'),
    "elsewhere": Answer(302, b"", {"location": "https://login.example.invalid/oauth"}),
    "teapot": _said(418, "I am a teapot"),
    "drop": Answer(0),
}


def cut(answer: Answer, path: Sequence[str | int]) -> Answer:
    """The true answer without what lies at the path."""
    body = json.loads(answer.body)
    place: Any = body
    *way, last = path
    for step in way:
        place = place[step]
    del place[last]
    return Answer(answer.status, json.dumps(body).encode(), answer.headers, answer.content_type)
