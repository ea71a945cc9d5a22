"""git over smart HTTP: `git http-backend`, with GitHub's answers to who may not."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.loopback.github import access, acts
from tests.loopback.github.faults import Answer
from tests.loopback.github.git_store import ENV
from tests.loopback.github.model import Hub, Refused, Repo, Token


@dataclass(frozen=True)
class Call:
    method: str
    target: str  # path and query
    headers: Mapping[str, str]
    body: bytes


def serve(hub: Hub, call: Call) -> Answer:
    """One request of git: 404 for what may not be seen, 401 where a token is missing."""
    parts = urlsplit(call.target)
    owner, name, *rest = parts.path.lstrip("/").split("/", 2)
    full = f"{owner}/{name.removesuffix('.git')}"
    writes = "git-receive-pack" in call.target
    value = _password(call.headers.get("authorization", ""))
    token = hub.tokens.get(value)
    repo = hub.find(full)
    if (value and token is None) or (token and token.expired):
        return _asks()
    if repo is None or not _may_see(token, repo):
        return _asks() if token is None else Answer(404, b"Repository not found.", {}, "text/plain")
    if token is None and writes:
        return _asks()
    if token is not None and writes and (refusal := _refusal(token, repo)):
        return refusal
    if repo.name.casefold() != full.casefold():
        place = f"/{repo.name}.git/{'/'.join(rest)}?{parts.query}"
        return Answer(301, b"", {"location": place}, "text/plain")
    answer = _backend(repo, rest[0] if rest else "", parts.query, call, token)
    if writes and call.method == "POST":
        acts.notice_pushes(hub, repo, token.account if token else None)
    return answer


def _password(header: str) -> str:
    if not header.lower().startswith("basic "):
        return ""
    return base64.b64decode(header[6:]).decode().partition(":")[2]


def _asks() -> Answer:
    return Answer(
        401, b"Authentication required", {"www-authenticate": 'Basic realm="GitHub"'}, "text/plain"
    )


def _may_see(token: Token | None, repo: Repo) -> bool:
    return not repo.private if token is None else access.visible(token, repo)


def _refusal(token: Token, repo: Repo) -> Answer | None:
    try:
        access.demand_write(token, repo, "push", ("contents",), "write")
    except Refused as refused:
        return Answer(403, f"remote: {refused.message}\n".encode(), {}, "text/plain")
    return None


def _backend(repo: Repo, path: str, query: str, call: Call, token: Token | None) -> Answer:
    env = {
        **ENV,
        "GIT_PROJECT_ROOT": str(repo.bare.path),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{path}",
        "QUERY_STRING": query,
        "REQUEST_METHOD": call.method,
        "CONTENT_TYPE": call.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(call.body)),
        "REMOTE_USER": token.account.login if token else "",
        "REMOTE_ADDR": "127.0.0.1",
    }
    for header, name in (("content-encoding", "HTTP_CONTENT_ENCODING"),
                         ("git-protocol", "GIT_PROTOCOL")):
        if header in call.headers:
            env[name] = call.headers[header]
    done = subprocess.run(
        ["git", "http-backend"], env=env, input=call.body, check=False, capture_output=True
    )
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    lines = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
    headers = {name.lower(): text for name, text in lines}
    status = int(headers.pop("status", "200 OK").split()[0])
    kind = headers.pop("content-type", "text/plain")
    return Answer(status, body, headers, kind)
