"""One GraphQL request answered: sizes, limits, execution, errors in GitHub's own shape."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    build_ast_schema,
    execute_sync,
    parse,
    validate,
)

from tests.loopback.github import mutations, pull_fields, resolvers, rest
from tests.loopback.github.cost import Cost, cost_of
from tests.loopback.github.faults import ANSWERS, Answer, Fault, cut
from tests.loopback.github.model import Hub, Refused, Token
from tests.loopback.github.resolvers import Context, resolve, type_of

WRITTEN_IN = (resolvers, mutations, pull_fields)  # their import fills the table of resolvers


@dataclass(frozen=True)
class Request:
    """One request as it came in, for the tests to count and to look at."""

    operation: str
    document: str
    variables: Mapping[str, Any]
    login: str
    points: int


@cache
def schema() -> GraphQLSchema:
    text = Path(__file__).with_name("schema.graphql").read_text()
    return build_ast_schema(parse(text, no_location=True))


@cache
def read_document(text: str) -> tuple[DocumentNode, tuple[GraphQLError, ...]]:
    tree = parse(text)
    return tree, tuple(validate(schema(), tree))


@dataclass
class Engine:
    hub: Hub
    requests: list[Request] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    _ids: int = 0

    def answer(
        self, token_value: str, payload: Mapping[str, Any], wider: GraphQLSchema | None = None
    ) -> Answer:
        """`wider`: what somebody else's program may ask; its documents are not validated."""
        token = self.hub.tokens.get(token_value)
        operation = str(payload.get("operationName") or "")
        given = payload.get("variables") or {}
        fault = next((f for f in self.faults if not f.git and f.due(operation, given)), None)
        if fault and fault.kind != "partial" and not fault.after:
            return self._dressed(ANSWERS[fault.kind], token, fault.headers)
        if token is None or token.expired:
            return self._dressed(ANSWERS["bad_credentials"], token, {})
        body = self._run(token, operation, payload, wider)
        if fault and fault.after:
            return self._dressed(ANSWERS[fault.kind], token, fault.headers)
        if fault:
            body = cut(body, fault)
        return self._dressed(Answer(200, json.dumps(body).encode()), token, {})

    def rest(
        self, token_value: str, path: str, method: str = "GET", body: bytes = b""
    ) -> Answer:
        """The few addresses of REST that `check` and leases ask."""
        token = self.hub.tokens.get(token_value)
        operation = rest.operation(method, path)
        fault = next((f for f in self.faults if operation and not f.git and f.due(operation, {})), None)
        if fault and not fault.after:
            return self._dressed(ANSWERS[fault.kind], token, fault.headers)
        if token is None or token.expired:
            return self._dressed(ANSWERS["bad_credentials"], token, {})
        if operation:
            self.requests.append(Request(operation, path, {}, token.account.login, 0))
        status, found = rest.answer(self.hub, token, path, method, body)
        if fault:
            return self._dressed(ANSWERS[fault.kind], token, fault.headers)
        told = json.dumps(found).encode()
        # As GitHub's: it belongs to the answer and to who asked.
        tag = hashlib.sha256(token_value.encode() + told).hexdigest()
        return self._dressed(Answer(status, told), token, {"etag": f'W/"{tag}"'} if status == 200 else {})

    def git_fault(self, method: str, path: str) -> Answer | None:
        """git's requests have names too, so that they can fail: "GitFetch", "GitPush"."""
        writes = "git-receive-pack" in path
        operation = ("GitPush" if writes else "GitFetch") + ("" if method == "POST" else "Refs")
        fault = next((f for f in self.faults if f.git and f.due(operation, {})), None)
        return ANSWERS[fault.kind] if fault else None

    def _run(
        self, token: Token, operation: str, payload: Mapping[str, Any], wider: GraphQLSchema | None
    ) -> dict[str, Any]:
        text, variables = str(payload["query"]), payload.get("variables") or {}
        tree, invalid = (parse(text), ()) if wider else read_document(text)
        if invalid:
            return {"errors": [{"message": error.message} for error in invalid]}
        known = wider or schema()
        try:
            cost = cost_of(known, tree, variables)
            self._spend(token, cost)
        except Refused as refused:
            return {"data": None, "errors": [_shape(refused)]}
        self.requests.append(
            Request(operation, text, variables, token.account.login, cost.points)
        )
        done = execute_sync(
            known, tree, variable_values=dict(variables), field_resolver=resolve,
            type_resolver=type_of, context_value=Context(self.hub, token, cost),
        )
        body: dict[str, Any] = {"data": done.data}
        if done.errors:
            body["errors"] = [_formatted(error) for error in done.errors]
        return body

    def _spend(self, token: Token, cost: Cost) -> None:
        """An hour's points begin with the first request of that hour."""
        now = self.hub.clock.now()
        if token.window is None or now >= token.window:
            token.window, token.used = now + timedelta(hours=1), 0
        if token.used + cost.points > token.limit:
            raise Refused("RATE_LIMITED", f"API rate limit exceeded for {token.account.login}.")
        token.used += cost.points

    def _dressed(self, answer: Answer, token: Token | None, more: Mapping[str, str]) -> Answer:
        """With the headers that GitHub always sends."""
        self._ids += 1
        headers = {
            "x-github-request-id": f"LOOP:{self._ids:04X}",
            "x-ratelimit-resource": "graphql",
        }
        if token and token.kind == "classic":
            headers["x-oauth-scopes"] = ", ".join(sorted(token.scopes))
        if token and token.window:
            headers["x-ratelimit-limit"] = str(token.limit)
            headers["x-ratelimit-remaining"] = str(token.limit - token.used)
            headers["x-ratelimit-reset"] = str(int(token.window.timestamp()))
        return Answer(
            answer.status, answer.body, {**headers, **answer.headers, **more}, answer.content_type
        )


def _formatted(error: GraphQLError) -> dict[str, Any]:
    if isinstance(error.original_error, Refused):
        return {**_shape(error.original_error), "path": error.path}
    if error.original_error is not None:
        raise error.original_error  # a mistake of the loopback itself
    return {"message": error.message, "path": error.path}


def _shape(refused: Refused) -> dict[str, Any]:
    shape: dict[str, Any] = {"message": refused.message}
    if refused.kind:
        shape["type"] = refused.kind
    if refused.extensions:
        shape["extensions"] = refused.extensions
    return shape
