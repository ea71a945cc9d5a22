"""Troubles on order: the n-th request from now fails as requests to GitHub fail.

The shapes are those of GitHub's documentation and of public reports.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

HTML = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
TIMEOUT_WORDS = (
    "Something went wrong while executing your query. This may be the result of a timeout, or it "
    "could be a GitHub bug. Please include `8F2E:1C3A` when reporting this issue."
)
SECONDARY = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)


@dataclass
class Fault:
    """`at`: which matching request from now, 1 is the next. `after`: the effect is done first.

    `kind` "partial" puts null at `path` of the true answer, with an error if `message` is set.
    """

    kind: str
    at: int = 1
    times: int = 1
    operation: str = ""
    after: bool = False
    path: Sequence[str | int] = ()
    message: str = "Something went wrong"
    type: str = "INTERNAL_PART"
    headers: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)  # only requests with these
    git: bool = False  # one of git's requests

    def due(self, operation: str, variables: Mapping[str, Any]) -> bool:
        if self.times <= 0 or (self.operation and operation != self.operation):
            return False
        if any(variables.get(name) != value for name, value in self.variables.items()):
            return False
        self.at -= 1
        if self.at > 0:
            return False
        self.times -= 1
        return True


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json; charset=utf-8"
    cut: bool = False  # the connection ends in the middle of the body
    delay_s: float = 0.0  # before the first byte


def _json(status: int, value: object, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status, json.dumps(value).encode(), headers or {})


def _errors(message: str, data: object = None, **more: object) -> dict[str, Any]:
    return {"data": data, "errors": [{"message": message, **more}]}


SPENT = {"x-ratelimit-remaining": "0"}

ANSWERS: dict[str, Answer] = {
    "bad_credentials": _json(
        401, {"message": "Bad credentials", "documentation_url": "https://docs.github.com/graphql"},
        {"x-ratelimit-limit": "0", **SPENT},
    ),
    "suspended": _json(403, {"message": "Sorry. Your account was suspended."}),
    "rate_limited": _json(
        200, _errors("API rate limit exceeded for user ID 7.", type="RATE_LIMITED"), SPENT
    ),
    "rate_limit_without_data": _json(
        200, {"errors": [{"type": "RATE_LIMIT", "message": "API rate limit exceeded"}]}, SPENT
    ),
    "rate_limited_403": _json(403, {"message": "API rate limit exceeded"}, SPENT),
    "secondary_403": _json(403, {"message": SECONDARY}, {"retry-after": "120"}),
    "secondary_200": _json(200, _errors(SECONDARY, type="RATE_LIMITED")),
    "secondary_429": _json(429, {"message": "Too many requests"}),
    "abuse": _json(403, {"message": "You have triggered an abuse detection mechanism."}),
    "too_fast": _json(200, _errors("was submitted too quickly", type="UNPROCESSABLE")),
    "saml": _json(
        200,
        _errors(
            "Resource protected by organization SAML enforcement. You must grant your Personal "
            "Access token access to this organization.",
            type="FORBIDDEN", path=["repository"], extensions={"saml_failure": True},
        ),
        {"x-github-sso": "required; url=https://github.com/orgs/acme/sso?authorization_request=A1"},
    ),
    "ip_list": _json(
        403, {"message": "Although you appear to have the correct authorization credentials, the "
                         "`acme` organization has an IP allow list enabled."}
    ),
    "scopes": _json(
        200,
        _errors(
            "Your token has not been granted the required scopes to execute this query. The "
            "'addComment' field requires one of the following scopes: ['public_repo', 'repo'], but "
            "your token has only been granted the: ['read:user'] scopes.",
            type="INSUFFICIENT_SCOPES",
        ),
    ),
    "forbidden": _json(
        200,
        _errors(
            "Resource not accessible by personal access token", type="FORBIDDEN",
            path=["repository"],
        ),
    ),
    "forbidden_403": _json(
        403, {"message": "Resource not accessible by integration"},
        {"x-accepted-github-permissions": "issues=write"},
    ),
    "bad_gateway": Answer(502, HTML, content_type="text/html"),
    "unavailable": Answer(503, HTML, content_type="text/html"),
    "gateway_timeout": _json(504, {"message": "We couldn't respond to your request in time."}),
    "timeout_200": _json(200, _errors(TIMEOUT_WORDS)),
    "timeout_502": _json(502, _errors(TIMEOUT_WORDS)),
    "resource_limits": _json(
        200, _errors("Resource limits for this query exceeded.", type="RESOURCE_LIMITS_EXCEEDED")
    ),
    "max_nodes": _json(
        200, _errors("This query requests up to 600,000 nodes", type="MAX_NODE_LIMIT_EXCEEDED")
    ),
    "stale_data": _json(
        200, _errors("Expected branch to point to \"a\" but it did not.", type="STALE_DATA")
    ),
    "internal": _json(200, _errors("Internal error", type="INTERNAL")),
    "no_data": _json(200, {"data": None}),
    "not_json": Answer(200, b"<html>Sign in to the hotel network</html>", content_type="text/html"),
    "redirect": Answer(302, b"", {"location": "https://elsewhere.invalid/graphql"}),
    "no_api": _json(404, {"message": "Not Found"}),
    "bad_request": _json(400, {"message": "Problems parsing JSON"}),
    "old_schema": _json(
        200,
        {"errors": [{
            "message": "Field 'closedByPullRequestsReferences' doesn't exist on type 'Issue'",
            "extensions": {"code": "undefinedField"},
        }]},
    ),
    "unheard_of": _json(200, _errors("Teapot", type="I_AM_A_TEAPOT", path=["repository"])),
    "drop": Answer(0, b""),  # the connection ends without an answer
    "cut": Answer(200, b'{"data": {"repository": {"id": "R_1", "issues": {"nodes": [', cut=True),
    "slow": Answer(502, HTML, content_type="text/html", delay_s=4.0),
}


def cut(body: dict[str, Any], fault: Fault) -> dict[str, Any]:
    """The true answer with null at the path."""
    place: Any = body["data"]
    *way, last = fault.path
    for step in way:
        place = place[step]
    place[last] = None
    if fault.message:
        error = {"type": fault.type, "path": list(fault.path), "message": fault.message}
        body.setdefault("errors", []).append(error)
    return body
