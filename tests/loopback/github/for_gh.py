"""What the program gh asks of a GitHub server, answered from the same world: for measurements side by side.

gh asks for fields that the trimmed schema leaves out. They are added here, and its documents are run
without being validated: arguments that nobody here knows (`filterBy`, empty in an idle round) are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from graphql import GraphQLSchema, extend_schema, parse

from tests.loopback.github import access
from tests.loopback.github.engine import Engine, Request, schema
from tests.loopback.github.faults import Answer
from tests.loopback.github.model import Item
from tests.loopback.github.resolvers import Context, field, pages

ROOT, GRAPHQL, REST = "/api/", "/api/graphql", "/api/v3"
NAME = "gh"  # under which all of its requests are counted
MORE = """
enum IssueStateReason { COMPLETED NOT_PLANNED REOPENED }
enum SearchType { DISCUSSION ISSUE REPOSITORY USER }
union SearchResultItem = Issue | PullRequest
type SearchResultItemConnection {
  issueCount: Int!
  nodes: [SearchResultItem]
  pageInfo: PageInfo!
}
extend type Query {
  search(after: String, first: Int, last: Int, query: String!, type: SearchType!): SearchResultItemConnection!
}
extend type Issue { stateReason: IssueStateReason }
extend type IssueConnection { totalCount: Int! }
extend type Label {
  color: String!
  description: String
}
extend type LabelConnection { totalCount: Int! }
"""


@cache
def wider() -> GraphQLSchema:
    return extend_schema(schema(), parse(MORE, no_location=True))


def answer(engine: Engine, token_value: str, path: str, body: bytes) -> Answer:
    if path == GRAPHQL:
        asked = {**json.loads(body), "operationName": NAME}
        return engine.answer(token_value, asked, wider())
    token = engine.hub.tokens.get(token_value)
    if token is None:
        return Answer(401, b'{"message":"Bad credentials"}')
    engine.requests.append(Request(NAME, path, {}, token.account.login, 0))
    found = {
        "/user": {"login": token.account.login},
        "/rate_limit": {"resources": {"core": _LIMIT, "graphql": _LIMIT}, "rate": _LIMIT},
    }.get(path.removeprefix(REST).partition("?")[0])
    return Answer(404, b'{"message":"Not Found"}') if found is None else Answer(200, json.dumps(found).encode())


_LIMIT = {"limit": 5000, "remaining": 4999, "reset": 4_000_000_000}


@field("Query", "search")
def _search(_: Any, ctx: Context, query: str, type: str, **page: Any) -> dict[str, Any]:
    """`label:x repo:o/n state:open type:issue`: every word narrows it."""
    words: dict[str, list[str]] = {}
    for word in query.split():
        name, _, value = word.partition(":")
        words.setdefault(name, []).append(value.strip('"'))
    repo = access.see(ctx.token, ctx.hub.repo(words["repo"][0]))
    found = [item for item in repo.listed() if _fits(item, words)]
    return {**pages(found, **page), "issueCount": len(found)}


def _fits(item: Item, words: dict[str, list[str]]) -> bool:
    carried = {label.name for label in item.labels}
    kind: Sequence[str] = words.get("type", words.get("is", ()))
    return (
        set(words.get("label", ())) <= carried
        and item.state.casefold() in words.get("state", [item.state.casefold()])
        and (not kind or ("pr" if item.is_pull else "issue") in kind)
    )
