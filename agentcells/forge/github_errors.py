"""What an answer of GitHub means when it is not the one we asked for: reply -> error class. No I/O.

GitHub says most of its troubles with status 200 and a list of errors, so the status alone proves
nothing; and it uses 403 for limits as well as for missing permissions. The order of the questions
in `error_of` is therefore part of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, TypeAlias

from agentcells.forge import (
    Forbidden,
    ForgeError,
    NotFound,
    Partial,
    RateLimited,
    Stale,
    Unauthorized,
    Unavailable,
)
from agentcells.forge.github_documents import Document

SECONDARY_WAIT = timedelta(seconds=60)  # what GitHub asks for where it gives no time
TRY_LATER = 75

Error: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer over HTTP. `body` None: it was not a JSON object. Header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, Any] | None

    @property
    def data(self) -> Mapping[str, Any] | None:
        found = self.body.get("data") if self.body else None
        return found if isinstance(found, Mapping) else None

    @property
    def errors(self) -> tuple[Error, ...]:
        found = self.body.get("errors") if self.body else None
        if not isinstance(found, Sequence) or isinstance(found, str):
            return ()
        return tuple(error for error in found if isinstance(error, Mapping))

    @property
    def request_id(self) -> str:
        return self.headers.get("x-github-request-id", "")

    def date(self) -> datetime | None:
        """The forge's own clock. None: the header is missing or is no date."""
        try:
            return parsedate_to_datetime(self.headers.get("date", "")).astimezone(UTC)
        except (TypeError, ValueError, OverflowError):
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked, as far as a sentence about the answer needs it."""

    document: Document
    where: str  # "owner/name", or "" when it was about no repository
    login: str  # of the token, "" while it is not known
    api: str
    now: datetime


def error_of(
    reply: Reply, asked: Asked, tolerated: Callable[[Error], bool] = lambda _: False
) -> ForgeError | None:
    """The error that this reply is, None when it is whole. `tolerated` errors count as none."""
    errors = tuple(error for error in reply.errors if not tolerated(error))
    words = _words(reply, errors)
    for question in (_credential, _limit, _address, _outage, _refusal):
        if found := question(reply, asked, errors, words):
            return found
    for error in errors:
        return _graphql(error, reply, asked, words)
    if reply.data is None:
        return _made(Partial, "github_partial", reply, asked, detail=words or "no data")
    return None


def _made(
    kind: type[ForgeError], key: str, reply: Reply, asked: Asked, **slots: object
) -> ForgeError:
    exit_code = TRY_LATER if kind in (RateLimited, Unavailable) else 1
    return kind(
        key, exit_code=exit_code, repo=asked.where or asked.api, operation=asked.document.name,
        login=asked.login or "?", api=asked.api, request_id=reply.request_id, **slots,
    )


def _words(reply: Reply, errors: Sequence[Error]) -> str:
    """What GitHub said, in one printable line."""
    said = [str(error.get("message", "")) for error in errors]
    if reply.body and isinstance(reply.body.get("message"), str):
        said.insert(0, reply.body["message"])
    text = " ".join("; ".join(dict.fromkeys(filter(None, said))).split())
    return "".join(c if c.isprintable() else " " for c in text)[:300]


# ---------------------------------------------------------------- questions about the whole reply


def _credential(
    reply: Reply, asked: Asked, errors: Sequence[Error], words: str
) -> ForgeError | None:
    # Before the limits: with a bad token x-ratelimit-remaining is 0 as well.
    if reply.status == 401:
        return _made(Unauthorized, "github_bad_token", reply, asked, detail=words)
    if reply.status == 403 and "account was suspended" in words:
        return _made(Unauthorized, "github_suspended", reply, asked, detail=words)
    return None


def _limit(reply: Reply, asked: Asked, errors: Sequence[Error], words: str) -> ForgeError | None:
    kinds = {error.get("type") for error in errors}
    lower = words.casefold()
    secondary = (
        "secondary rate limit" in lower or "abuse detection" in lower
        or "submitted too quickly" in lower
    )
    spent = reply.status in (403, 429) and reply.headers.get("x-ratelimit-remaining") == "0"
    if not secondary and (kinds & {"RATE_LIMITED", "RATE_LIMIT"} or spent):
        until = _reset(reply, asked)
        return _made(RateLimited, "github_rate_limit", reply, asked, until=until)
    if secondary or reply.status == 429:
        until = _retry_after(reply, asked)
        return _made(RateLimited, "github_secondary_limit", reply, asked, until=until)
    return None


def _reset(reply: Reply, asked: Asked) -> datetime:
    stamp = reply.headers.get("x-ratelimit-reset", "")
    if stamp.isascii() and stamp.isdigit() and len(stamp) < 12:
        return datetime.fromtimestamp(int(stamp), UTC)
    return (reply.date() or asked.now) + timedelta(hours=1)


def _retry_after(reply: Reply, asked: Asked) -> datetime:
    seconds = reply.headers.get("retry-after", "")
    wait = SECONDARY_WAIT
    if seconds.isascii() and seconds.isdigit() and len(seconds) < 7:
        wait = max(wait, timedelta(seconds=int(seconds)))
    return (reply.date() or asked.now) + wait


def _address(reply: Reply, asked: Asked, errors: Sequence[Error], words: str) -> ForgeError | None:
    if 300 <= reply.status < 400:
        return _made(ForgeError, "github_redirect", reply, asked, status=reply.status)
    if reply.status in (404, 405, 410):
        return _made(NotFound, "github_no_api", reply, asked, status=reply.status)
    return None


def _outage(reply: Reply, asked: Asked, errors: Sequence[Error], words: str) -> ForgeError | None:
    # GitHub ends a query after 10 s: as a page of its proxy, or as these words with status 200.
    broken = "Something went wrong while executing your query" in words
    loading = {error.get("type") for error in errors} & {"SERVICE_UNAVAILABLE", "INTERNAL"}
    if reply.status >= 500 or broken or loading:
        return _made(
            Unavailable, "github_outage", reply, asked, status=reply.status, detail=words or "-"
        )
    if reply.body is None:
        return _made(Unavailable, "github_no_json", reply, asked, status=reply.status)
    return None


def _refusal(reply: Reply, asked: Asked, errors: Sequence[Error], words: str) -> ForgeError | None:
    """Status 403, or a refusal for the whole organisation."""
    sso = re.search(r"https://\S+", reply.headers.get("x-github-sso", ""))
    saml = any(
        isinstance(error.get("extensions"), Mapping) and error["extensions"].get("saml_failure")
        for error in errors
    )
    if sso or saml or "SAML" in words:
        link = sso[0] if sso else "https://github.com/settings/tokens"
        return _made(Forbidden, "github_saml", reply, asked, permission="SAML SSO", link=link)
    if "IP allow list" in words:
        return _made(Forbidden, "github_ip_list", reply, asked, permission="IP allow list")
    if "archived" in words and "read-only" in words:
        return _made(Forbidden, "github_archived", reply, asked, permission="archived repository")
    if reply.status == 403:
        return _missing(reply, asked, words)
    if reply.status >= 400 and not errors:
        return _made(
            ForgeError, "github_refused", reply, asked, detail=f"{reply.status} {words}".strip()
        )
    return None


def _missing(reply: Reply, asked: Asked, words: str) -> ForgeError:
    """A permission is missing: the header names it for REST, the document knows it for GraphQL."""
    accepted = reply.headers.get("x-accepted-github-permissions", "")
    return _made(
        Forbidden, "github_forbidden", reply, asked,
        permission=accepted.replace("=", ": ") or asked.document.needs, detail=words,
    )


# ---------------------------------------------------------------- one error of the list


_STALE_WORDS = (
    "Head branch was modified",
    "Base branch was modified",
    "Pull Request is not mergeable",
    "Pull Request has merge conflicts",
    "Pull request is not mergeable",
    "Pull Request is still a work in progress",
    "Expected branch to point to",
    "was not open",
    "is closed",
    "already merged",
)
_SCOPES = re.compile(r"one of the following scopes: \[([^\]]*)\]")


def _graphql(error: Error, reply: Reply, asked: Asked, words: str) -> ForgeError:
    kind = error.get("type")
    message = str(error.get("message", ""))
    if kind == "NOT_FOUND":
        return _absent(error, reply, asked, words)
    if kind == "INSUFFICIENT_SCOPES":
        found = _SCOPES.search(message)
        scopes = found[1].replace("'", "") if found else asked.document.needs
        return _made(
            Forbidden, "github_scopes", reply, asked, permission=scopes, detail=words
        )
    if kind == "FORBIDDEN" or "Resource not accessible by" in message:
        return _missing(reply, asked, words)
    if kind in ("RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"):
        return _made(Partial, "github_too_large", reply, asked, detail=words)
    if "A pull request already exists" in message:
        return _made(Stale, "github_pull_exists", reply, asked, detail=words)
    if kind == "STALE_DATA" or any(part in message for part in _STALE_WORDS):
        return _made(Stale, "github_stale", reply, asked, detail=words)
    if _unknown_field(error, message):
        return _made(ForgeError, "github_old_schema", reply, asked, detail=words)
    if asked.document.writes or kind == "UNPROCESSABLE":
        return _made(ForgeError, "github_refused", reply, asked, detail=words)
    return _made(Partial, "github_partial", reply, asked, detail=words or str(kind))


def _absent(error: Error, reply: Reply, asked: Asked, words: str) -> ForgeError:
    path = error.get("path")
    end = str(path[-1]) if isinstance(path, Sequence) and path else ""
    alias = end[:1] == "r" and end[1:].isdigit()  # of one repository among several
    if "Could not resolve to a Repository" in words or end == "repository" or alias:
        return _made(NotFound, "github_no_repository", reply, asked)
    return _made(NotFound, "github_not_found", reply, asked, detail=words)


def _unknown_field(error: Error, message: str) -> bool:
    extensions = error.get("extensions")
    code = extensions.get("code") if isinstance(extensions, Mapping) else ""
    return code in ("undefinedField", "argumentNotAccepted", "undefinedType") or (
        "doesn't exist on type" in message
    )
