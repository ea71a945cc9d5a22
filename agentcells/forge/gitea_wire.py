"""The connection to Gitea: one request, its answer or what went wrong, and lists page by page.

httpx is imported when the first request is made: other forges never pay for it. Nothing is sent
twice, a question neither: the next tick asks again (R18, R19).
"""

from __future__ import annotations

import json
import logging
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from agentcells.forge import ForgeError, NotFound, Partial
from agentcells.forge import gitea_json as parse
from agentcells.forge.connection import Clock, demand_private, no_answer, open_client
from agentcells.forge.gitea_errors import Asked, Reply, error_of
from agentcells.forge.gitea_json import Node
from agentcells.forge.token import Secret

if TYPE_CHECKING:
    import httpx

LOG = logging.getLogger("agentcells.forge.gitea")
PAGE = 50  # the most that a Gitea gives by default; one that gives less says how many there are
SHRUNK = "gitea_shrunk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request for the log."""

    operation: str
    status: int
    seconds: float


class Wire:
    """One signed-in connection. The token is fetched at the first request and shown nowhere."""

    def __init__(self, *, api_url: str, ca_file: str, token: Callable[[], Secret]) -> None:
        demand_private(api_url)
        self.api_url = api_url.rstrip("/")
        self.login = ""  # of the token, once known: sentences about refusals name it
        self.sent: list[Sent] = []
        self._ca_file = ca_file
        self._token = token
        self._clock = Clock()

    def __repr__(self) -> str:
        return f"Wire({self.api_url!r})"

    @cached_property
    def secret(self) -> Secret:
        return self._token()

    def clock(self) -> datetime | None:
        return self._clock.now()

    # ------------------------------------------------------------ one request

    def get(self, path: str, repo: str = "", **params: object) -> Any:
        """The JSON at this path. Raises ForgeError."""
        return self._ask("GET", path, repo, params=params).body

    def node(self, path: str, repo: str = "", **params: object) -> Node:
        """The JSON object at this path."""
        return parse.node(self.get(path, repo, **params), path)

    def send(self, method: str, path: str, repo: str, body: Mapping[str, Any] | None = None) -> Any:
        """A write, sent once, whatever happens (R18). The JSON of the answer, or None."""
        return self._ask(method, path, repo, body=body).body

    def _ask(
        self, method: str, path: str, repo: str, *, params: Mapping[str, object] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Reply:
        try:
            return self._once(method, path, repo, params, body)
        except NotFound as error:
            if error.key == "gitea_not_found" and repo:
                # Perhaps it is the repository that is not there: then that is said instead.
                self._once("GET", f"/repos/{repo}", repo, None, None)
            raise

    def _once(
        self, method: str, path: str, repo: str, params: Mapping[str, object] | None,
        body: Mapping[str, Any] | None,
    ) -> Reply:
        import httpx

        started = time.monotonic()
        wanted = {name: str(value) for name, value in (params or {}).items()}
        try:
            response = self._client.request(
                method, self.api_url + path, params=wanted or None, json=body
            )
        except httpx.HTTPError as error:
            raise no_answer(error, self.api_url) from None
        reply = _reply(response)
        if date := reply.date():
            self._clock.set(date)
        self._note(f"{method} {path}", reply.status, time.monotonic() - started)
        asked = Asked(
            method=method, path=path, repo=repo, login=self.login, api=self.api_url,
            now=self.clock() or datetime.now(UTC),
        )
        if wrong := error_of(reply, asked):
            LOG.info("%s %s: %s", method, path, wrong.key)
            raise wrong
        return reply

    def _note(self, operation: str, status: int, seconds: float) -> None:
        sent = Sent(operation=operation, status=status, seconds=seconds)
        self.sent.append(sent)
        LOG.debug("%s", sent)

    @cached_property
    def _client(self) -> httpx.Client:
        client = open_client(self.api_url, self._ca_file, {}, _signer(self.secret))
        weakref.finalize(self, client.close)
        return client

    # ------------------------------------------------------------ lists

    def page(self, path: str, repo: str, number: int, **params: object) -> tuple[Node, ...]:
        """The rows of one page."""
        return parse.rows(self.get(path, repo, page=number, limit=PAGE, **params), path)

    def walk(
        self, path: str, repo: str, *, hides: bool = False, **params: object
    ) -> Iterator[tuple[Node, ...]]:
        """Page after page until the end. Raises Partial when a row may have been passed over.

        The end is where the answer's count is reached, or an empty page: a server may give smaller
        pages than it was asked for. When the count falls in between, later rows have moved up.
        `hides`: the count has rows in it that this account is not shown.
        """
        seen, number, before = 0, 1, 0
        known: set[int] = set()
        while True:
            asked = {**params, "page": number, "limit": PAGE}
            reply = self._ask("GET", path, repo, params=asked)
            rows = parse.rows(reply.body, path)
            total = reply.total
            if total is not None and total < before:
                raise Partial(SHRUNK, repo=repo, operation=f"GET {path}")
            before = total or 0
            fresh = {parse.number(row, "id") for row in rows} - known
            if not fresh:  # the end, or a server that gives the same page again
                break
            yield rows
            known |= fresh
            seen, number = seen + len(rows), number + 1
            if total is not None and seen >= total:
                break
        if len(known) < before and not hides:
            raise parse.partial(f"{path}: {len(known)} of {before}", repo)

    def all(
        self, path: str, repo: str, *, hides: bool = False, **params: object
    ) -> tuple[Node, ...]:
        """All rows, each once. Asked anew, once, when the list shrank under way."""
        for last in (False, True):
            try:
                pages = list(self.walk(path, repo, hides=hides, **params))
            except Partial as error:
                if last or error.key != SHRUNK:
                    raise
            else:
                return tuple({row["id"]: row for rows in pages for row in rows}.values())
        raise AssertionError("unreachable")

    def whole(self, path: str, repo: str) -> tuple[Node, ...]:
        """All rows of a list that has no pages. Raises Partial when the answer counts more."""
        reply = self._ask("GET", path, repo)
        rows = parse.rows(reply.body, path)
        if reply.total is not None and reply.total > len(rows):
            raise parse.partial(f"{path}: {len(rows)} of {reply.total}", repo)
        return rows


def is_missing(error: ForgeError) -> bool:
    """The path, or what it names, is not there: an older Gitea or a Forgejo does it otherwise."""
    return error.slots.get("status") in (404, 405)


def _reply(response: httpx.Response) -> Reply:
    try:
        body, is_json = json.loads(response.content), True
    except (ValueError, RecursionError):
        body, is_json = None, False
    return Reply(
        status=response.status_code,
        headers={name.lower(): value for name, value in response.headers.items()},
        body=body, is_json=is_json, empty=not response.content.strip(),
    )


def _signer(secret: Secret) -> Callable[[httpx.Request], httpx.Request]:
    def sign(request: httpx.Request) -> httpx.Request:
        request.headers["authorization"] = f"token {secret.reveal()}"
        return request

    return sign
