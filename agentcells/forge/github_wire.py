"""The connection to GitHub: sends one document, keeps what the log needs, raises what went wrong.

A straight way is gone by `plain_http`; httpx and gql are imported only where there is a proxy, and for
what is not GraphQL: their import takes longer than all else that an idle tick does (R20), and a third of
a pass that acts. A query may be asked a second time in smaller pages; a mutation never (R18).
"""

from __future__ import annotations

import json
import logging
import ssl
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from agentcells.forge import ForgeError, Unavailable
from agentcells.forge.github_documents import Document
from agentcells.forge.github_errors import TRY_LATER, Asked, Error, Reply, error_of
from agentcells.forge.github_pace import Pace
from agentcells.forge.plain_http import TROUBLE, PlainHttp, public_authorities, usable
from agentcells.forge.token import Secret

if TYPE_CHECKING:
    import httpx
    from gql.transport.httpx import HTTPXTransport

LOG = logging.getLogger("agentcells.forge.github")
TIMEOUT_S = 30.0  # GitHub itself gives up after 10
HEADERS = {
    "accept": "application/json", "user-agent": "agentcells", "x-github-next-global-id": "1",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ROWS = "\0rows"  # where a list of REST stands in a Reply; no answer has such a name
SMALLER = frozenset({"github_outage", "github_too_large"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request for the log: what it was, what it cost, the id that GitHub's support wants."""

    operation: str
    status: int
    request_id: str
    points: int | None
    remaining: int | None
    seconds: float


class Wire:
    """One signed-in connection. The token is fetched at the first request and shown nowhere."""

    def __init__(
        self, *, api_url: str, ca_file: str, token: Callable[[], Secret], pace: Pace | None = None
    ) -> None:
        parts = urlsplit(api_url)
        if parts.scheme != "https" and not (
            parts.scheme == "http" and parts.hostname in LOOPBACK
        ):
            raise ForgeError("github_insecure", exit_code=2, api=api_url)
        self.api_url = api_url
        self.login = ""  # of the token, once known: sentences about refusals name it
        self.sent: list[Sent] = []
        self._ca_file = ca_file
        self._token = token
        self._replies: list[Reply] = []
        self._pace = pace or Pace()
        self._ahead_s: float | None = None  # of the forge's clock before ours

    def __repr__(self) -> str:
        return f"Wire({self.api_url!r})"

    @cached_property
    def secret(self) -> Secret:
        return self._token()

    def close(self) -> None:
        if "_plain" in self.__dict__:
            self._plain.close()
        if "_client" in self.__dict__:
            self._client.close()

    def clock(self) -> datetime | None:
        """The forge's time now, from the date of its last answer. None: it has not answered yet."""
        if self._ahead_s is None:
            return None
        return datetime.fromtimestamp(time.time() + self._ahead_s, UTC).replace(microsecond=0)

    # ------------------------------------------------------------ asking

    def query(
        self,
        document: Document,
        variables: Mapping[str, Any],
        *,
        where: str = "",
        tolerated: Callable[[Error], bool] = lambda _: False,
    ) -> Mapping[str, Any]:
        """The data. Asked once more, in pages half as large, when GitHub found it too much."""
        try:
            return self._ask(document, variables, where, tolerated)
        except ForgeError as error:
            if error.key not in SMALLER:
                raise
            LOG.info("%s again in smaller pages after %s", document.name, error.key)
        return self._ask(document, _halved(document, variables), where, tolerated)

    def mutate(
        self, document: Document, variables: Mapping[str, Any], *, where: str = ""
    ) -> Mapping[str, Any]:
        """The payload of the one field. Sent once, whatever happens (R18)."""
        self._pace.wait()
        data = self._ask(document, {"input": dict(variables)}, where, lambda _: False)
        payload = next(iter(data.values()), None)
        return payload if isinstance(payload, Mapping) else {}

    def _ask(
        self,
        document: Document,
        variables: Mapping[str, Any],
        where: str,
        tolerated: Callable[[Error], bool],
    ) -> Mapping[str, Any]:
        started = time.monotonic()
        reply = self._post(document, variables)
        if date := reply.date():
            self._ahead_s = date.timestamp() - time.time()
        self._note(document, reply, time.monotonic() - started)
        asked = Asked(
            document=document, where=where, login=self.login, api=self.api_url,
            now=self.clock() or datetime.now(UTC),
        )
        if error := error_of(reply, asked, tolerated):
            LOG.info("%s: %s (%s)", document.name, error.key, reply.request_id or "-")
            raise error
        return reply.data or {}

    def _note(self, document: Document, reply: Reply, seconds: float) -> None:
        limit = (reply.data or {}).get("rateLimit")
        cost = limit.get("cost") if isinstance(limit, Mapping) else None
        remaining = reply.headers.get("x-ratelimit-remaining", "")
        counted = remaining.isascii() and remaining.isdigit() and len(remaining) < 12
        sent = Sent(
            operation=document.name, status=reply.status, request_id=reply.request_id,
            points=cost if isinstance(cost, int) else None,
            remaining=int(remaining) if counted else None, seconds=seconds,
        )
        self.sent.append(sent)
        LOG.debug("%s", sent)

    def get(self, url: str, authorization: str = "") -> Reply:
        """A plain question beside GraphQL, for `check`. Any status is an answer."""
        import httpx

        headers = {"authorization": authorization} if authorization else {}
        auth = (lambda request: request) if authorization else httpx.USE_CLIENT_DEFAULT
        self._replies.clear()
        try:
            self._client.get(url, headers=headers, auth=auth)
        except httpx.HTTPError as error:
            raise self._no_answer(error) from None
        return self._replies.pop()

    def rest(
        self, method: str, url: str, document: Document, where: str,
        payload: Mapping[str, Any] | None = None,
    ) -> Any:
        """What GraphQL has no words for: the JSON of a success. `document` names it in errors."""
        import httpx

        started = time.monotonic()
        self._replies.clear()
        try:
            self._client.request(method, url, json=payload)
        except httpx.HTTPError as error:
            raise self._no_answer(error) from None
        reply = self._replies.pop()
        if date := reply.date():
            self._ahead_s = date.timestamp() - time.time()
        self._note(document, reply, time.monotonic() - started)
        if reply.status < 300 and reply.body is not None:
            return reply.body.get(ROWS, reply.body)
        raise cast("ForgeError", error_of(reply, Asked(
            document=document, where=where, login=self.login, api=self.api_url,
            now=self.clock() or datetime.now(UTC),
        )))

    def download(self, url: str, limit: int) -> str:
        """The end of a text that GitHub keeps elsewhere; "" when this token may not have it.

        Only the address is asked with the token: the store behind it gets none.
        """
        import httpx

        self._replies.clear()
        try:
            place = self._client.get(url).headers.get("location", "")
            self._replies.clear()
            if not place.startswith("https://") and urlsplit(place).hostname not in LOOPBACK:
                return ""
            found = httpx.get(place, timeout=TIMEOUT_S, verify=self._tls())
        except httpx.HTTPError as error:
            LOG.info("no text from %s: %s", urlsplit(url).path, type(error).__name__)
            return ""
        return found.text[-limit:] if found.is_success else ""

    # ------------------------------------------------------------ the ways to ask

    def _post(self, document: Document, variables: Mapping[str, Any]) -> Reply:
        if usable(self._loopback):
            return self._post_straight(document, variables)
        return self._post_through_proxy(document, variables)

    def _post_straight(self, document: Document, variables: Mapping[str, Any]) -> Reply:
        payload = {"query": document.text, "variables": variables, "operationName": document.name}
        body = json.dumps(payload).encode()
        try:
            answer = self._plain.post(body, self._signed(), once=document.writes)
        except TROUBLE as error:
            raise self._no_answer(error) from None
        return _reply(answer.status, answer.headers, answer.body)

    def _signed(self) -> dict[str, str]:
        """Kept in no variable here: a traceback with variables must not show the token."""
        bearer = f"Bearer {self.secret.reveal()}"
        return {**HEADERS, "content-type": "application/json", "authorization": bearer}

    def _post_through_proxy(self, document: Document, variables: Mapping[str, Any]) -> Reply:
        import httpx
        from gql import GraphQLRequest
        from gql.transport.exceptions import TransportConnectionFailed, TransportError

        request = GraphQLRequest(
            _parsed(document.text), variable_values=dict(variables), operation_name=document.name
        )
        self._replies.clear()
        try:
            self._transport.execute(request)
        except TransportConnectionFailed as error:
            raise self._no_answer(error.__cause__ or error) from None
        except (TransportError, httpx.HTTPError):
            # gql keeps neither status nor headers of an answer it does not like; the hook has both.
            # (With another httpx at hand, gql lets the errors of ours through.)
            if not self._replies:
                raise
        return self._replies.pop()

    def _no_answer(self, error: BaseException) -> ForgeError:
        """No reply at all. What a mutation did is then unknown: the next pass looks first (R18)."""
        host = urlsplit(self.api_url).netloc
        words = " ".join(str(error).split())[:200] or type(error).__name__
        if "CERTIFICATE_VERIFY_FAILED" in words:
            return ForgeError("github_certificate", host=host, detail=words)
        return Unavailable(
            "github_network", exit_code=TRY_LATER, host=host, detail=words, request_id=""
        )

    @property
    def _loopback(self) -> bool:
        return urlsplit(self.api_url).hostname in LOOPBACK

    @cached_property
    def _plain(self) -> PlainHttp:
        # Nothing of `self` in it: what the finalizer holds would never be let go.
        plain = PlainHttp(self.api_url, partial(_trusted, self._ca_file), TIMEOUT_S)
        weakref.finalize(self, plain.close)
        return plain

    @cached_property
    def _client(self) -> httpx.Client:
        import httpx

        client = httpx.Client(
            auth=_bearer(self.secret),
            headers=HEADERS,
            timeout=TIMEOUT_S,
            verify=self._tls(),
            follow_redirects=False,  # a token goes to the address it was meant for, or nowhere
            trust_env=not self._loopback,
            event_hooks={"response": [_keeper(self._replies)]},
        )
        weakref.finalize(self, client.close)  # the hook holds the list, not this object
        return client

    def _tls(self) -> ssl.SSLContext | bool:
        if self._ca_file:
            return _trusted(self._ca_file)
        return self.api_url.startswith("https:")  # nothing to load for this machine itself

    @cached_property
    def _transport(self) -> HTTPXTransport:
        from gql.transport.httpx import HTTPXTransport

        transport = HTTPXTransport(self.api_url)
        # One connection and one bearer for both ways. gql may have taken another httpx than ours.
        transport.client = cast("Any", self._client)
        return transport


@cache
def _parsed(text: str) -> Any:
    """A pass asks the same few times over, and the largest takes some milliseconds to parse."""
    from gql import gql

    return gql(text).document


def _halved(document: Document, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The same question in pages half as large, where the document has pages."""
    sizes = {"page": 100, "threads": 30}
    smaller = {
        name: max(1, variables.get(name, size) // 2)
        for name, size in sizes.items()
        if f"${name}:" in document.text
    }
    return {**variables, **smaller}


def _trusted(ca_file: str) -> ssl.SSLContext:
    if not ca_file:
        return public_authorities()
    try:
        return ssl.create_default_context(cafile=ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ForgeError("github_ca_file", exit_code=2, path=ca_file, detail=str(error)) from None


def _keeper(replies: list[Reply]) -> Callable[[httpx.Response], None]:
    """Keeps each answer as it came: status, headers, body."""

    def keep(response: httpx.Response) -> None:
        response.read()
        headers = {name.lower(): value for name, value in response.headers.items()}
        replies.append(_reply(response.status_code, headers, response.content))

    return keep


def _reply(status: int, headers: Mapping[str, str], content: bytes) -> Reply:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    return Reply(
        status=status, headers=headers,
        body={ROWS: body} if isinstance(body, list) else body if isinstance(body, dict) else None,
    )


def _bearer(secret: Secret) -> Callable[[httpx.Request], httpx.Request]:
    """Adds the token to each request on its way out, so that the client itself does not hold it."""

    def sign(request: httpx.Request) -> httpx.Request:
        request.headers["authorization"] = f"Bearer {secret.reveal()}"
        return request

    return sign
