"""What an answer of Gitea means when it is not the one we asked for: reply -> error class. No I/O.

A 404 says "there is none" only when Gitea itself says it, in its own JSON or with no body at all:
the page of a proxy, or a path that this version does not know, is never taken for it (R21).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from agentcells.forge import (
    Forbidden,
    ForgeError,
    NotFound,
    RateLimited,
    Stale,
    Unauthorized,
    Unavailable,
)
from agentcells.forge.connection import TRY_LATER

PAUSE = timedelta(seconds=60)  # Gitea has no limits of its own: a proxy before it may give no time
LONGEST_PAUSE_S = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer over HTTP. `is_json`: the body was JSON. Header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: Any = None
    is_json: bool = False
    empty: bool = False

    @property
    def by_gitea(self) -> bool:
        """Gitea's own errors are JSON, some have no body; anything else is somebody else's page."""
        return self.is_json or self.empty

    @property
    def total(self) -> int | None:
        """How many rows there are on all pages, where the answer says so."""
        count = self.headers.get("x-total-count", "")
        return int(count) if count.isascii() and count.isdigit() and len(count) < 12 else None

    def date(self) -> datetime | None:
        try:
            return parsedate_to_datetime(self.headers.get("date", "")).astimezone(UTC)
        except (TypeError, ValueError, OverflowError):
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked, as far as a sentence about the answer needs it."""

    method: str
    path: str  # below /api/v1
    repo: str  # "owner/name", or "" when it was about no repository
    login: str  # of the token, "" while it is not known
    api: str
    now: datetime

    @property
    def writes(self) -> bool:
        return self.method != "GET"

    @property
    def needs(self) -> str:
        """The scope of the token, and the right of its account."""
        level = "write" if self.writes else "read"
        if not self.repo:
            return f"{level}:user"
        below = self.path.removeprefix(f"/repos/{self.repo}")
        scope = "issue" if below.startswith(("/issues", "/labels")) else "repository"
        return f"{level}:{scope}, {level} access to {self.repo}"


def error_of(reply: Reply, asked: Asked) -> ForgeError | None:
    """The error that this reply is, None when it is what was asked for."""
    words = words_of(reply)
    if 200 <= reply.status < 300:
        if reply.is_json or (reply.empty and asked.writes):
            return None
        return _made(Unavailable, "gitea_no_json", reply, asked)
    for question in (_redirect, _credential, _weather, _foreign, _permission, _refusal):
        if found := question(reply, asked, words):
            return found
    return _made(ForgeError, "gitea_refused", reply, asked, detail=_with_status(reply, words))


def _made(
    kind: type[ForgeError], key: str, reply: Reply, asked: Asked, **slots: object
) -> ForgeError:
    exit_code = TRY_LATER if kind in (RateLimited, Unavailable) else 1
    return kind(
        key, exit_code=exit_code, status=reply.status, operation=f"{asked.method} {asked.path}",
        repo=asked.repo or asked.api, login=asked.login or "?", api=asked.api, **slots,
    )


def words_of(reply: Reply) -> str:
    """What Gitea said, in one printable line."""
    said = reply.body.get("message") if isinstance(reply.body, Mapping) else None
    text = " ".join(said.split()) if isinstance(said, str) else ""
    return "".join(c if c.isprintable() else " " for c in text)[:300]


def _with_status(reply: Reply, words: str) -> str:
    return f"{reply.status} {words}".strip()


_REPO_IN_PATH = re.compile(r"/repos/([^/?#]+/[^/?#]+)")


def _redirect(reply: Reply, asked: Asked, words: str) -> ForgeError | None:
    """The old name of a repository or account answers with the address under the new one."""
    if not 300 <= reply.status < 400:
        return None
    place = reply.headers.get("location", "")
    here = urlsplit(place).netloc in ("", urlsplit(asked.api).netloc)
    moved = _REPO_IN_PATH.search(urlsplit(place).path)
    if here and asked.repo and moved:
        return _made(Stale, "gitea_renamed", reply, asked, now=unquote(moved[1]))
    if here and asked.path.startswith("/users/") and "/users/" in place:
        return _made(NotFound, "gitea_no_account", reply, asked, account=_last(asked.path))
    return _made(ForgeError, "gitea_redirect", reply, asked)


def _last(path: str) -> str:
    return unquote(path.rsplit("/", 1)[-1])


def _credential(reply: Reply, asked: Asked, words: str) -> ForgeError | None:
    if reply.status == 401:
        return _made(Unauthorized, "gitea_bad_token", reply, asked, detail=words or "-")
    if reply.status == 403 and ("prohibited" in words or "must change your password" in words):
        return _made(Unauthorized, "gitea_blocked_account", reply, asked, detail=words)
    return None


def _weather(reply: Reply, asked: Asked, words: str) -> ForgeError | None:
    if reply.status == 429:
        until = (reply.date() or asked.now) + _pause(reply)
        return _made(RateLimited, "gitea_rate_limit", reply, asked, until=until)
    if reply.status >= 500 or reply.status == 408:
        return _made(Unavailable, "gitea_outage", reply, asked, detail=words or "-")
    return None


def _pause(reply: Reply) -> timedelta:
    seconds = reply.headers.get("retry-after", "")
    if seconds.isascii() and seconds.isdigit() and len(seconds) < 7:
        return timedelta(seconds=min(max(int(seconds), 1), LONGEST_PAUSE_S))
    return PAUSE


def _foreign(reply: Reply, asked: Asked, words: str) -> ForgeError | None:
    """Not Gitea's own answer. A path that it does not know is answered in plain text."""
    if reply.by_gitea:
        return None
    if reply.status in (404, 405):
        return _made(ForgeError, "gitea_no_api", reply, asked)
    return _made(Unavailable, "gitea_no_json", reply, asked)


_SCOPES = re.compile(r"required scope\(s\)[,:]?\s*(?:required=)?\[([^\]]*)\]")


def _permission(reply: Reply, asked: Asked, words: str) -> ForgeError | None:
    if reply.status == 423 or (reply.status == 403 and "archived" in words):
        return _made(
            Forbidden, "gitea_archived", reply, asked, permission="archived repository"
        )
    if reply.status != 403:
        return None
    if scopes := _SCOPES.search(words):
        wanted = ", ".join(scopes[1].replace(",", " ").split())
        return _made(Forbidden, "gitea_scope", reply, asked, permission=wanted, detail=words)
    return _made(
        Forbidden, "gitea_forbidden", reply, asked, permission=asked.needs, detail=words or "-"
    )


def _refusal(reply: Reply, asked: Asked, words: str) -> ForgeError | None:
    match reply.status:
        case 404 if asked.path.startswith("/users/"):
            return _made(NotFound, "gitea_no_account", reply, asked, account=_last(asked.path))
        case 404 if asked.path == f"/repos/{asked.repo}":
            return _made(NotFound, "gitea_no_repository", reply, asked)
        case 404:
            return _made(NotFound, "gitea_not_found", reply, asked, detail=words or "-")
        case 409 if "already exists" in words:
            return _made(Stale, "gitea_exists", reply, asked, detail=words)
        case 409:
            return _made(Stale, "gitea_stale", reply, asked, detail=words or "-")
        case 412 if "already" in words and "changed" in words:
            return _made(Stale, "gitea_stale", reply, asked, detail=words)
        case 422:
            return _made(ForgeError, "gitea_invalid", reply, asked, detail=words or "-")
        case _:
            return None


# ---------------------------------------------------------------- a merge that was refused


def of_merge(error: ForgeError) -> ForgeError:
    """What the refusal of a merge means. Gitea says most of it by status 405 and a few words."""
    words = str(error.slots.get("detail", ""))
    if error.slots.get("status") != 405:
        return error
    if "not allowed to merge" in words:
        right = f"merging into the base branch of {error.slots['repo']}"
        return again(error, Forbidden, "gitea_forbidden", permission=right)
    if "try again later" in words or "ork in progress" in words:
        return again(error, Stale, "gitea_merge_wait")
    return again(error, ForgeError, "gitea_merge_refused")


def again(
    error: ForgeError, kind: type[ForgeError], key: str, **more: object
) -> ForgeError:
    """The same answer, understood better by who asked."""
    return kind(key, exit_code=error.exit_code, **{**error.slots, **more})
