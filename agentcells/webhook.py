"""One POST to an address of the owner's. The address may be a secret: no message of ours names it."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from agentcells.model import Problem

TIMEOUT_S = 15


def post(url: str, content: bytes, headers: Mapping[str, str]) -> None:
    """Raises Problem when it was not taken. Follows no redirect: it could lead anywhere."""
    try:
        answer = httpx.post(
            url, content=content, headers=dict(headers), timeout=TIMEOUT_S, follow_redirects=False,
        )
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Problem("notify_unreachable", detail=type(error).__name__) from None
    if answer.status_code >= 300:
        raise Problem("notify_refused", status=answer.status_code)
