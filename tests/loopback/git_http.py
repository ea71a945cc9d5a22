"""git over smart HTTP, whichever forge stands before it: `git http-backend` as a CGI program."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path

from tests.loopback.github.git_store import ENV
from tests.loopback.listening import Answer, Call

HEADERS = {"content-encoding": "HTTP_CONTENT_ENCODING", "git-protocol": "GIT_PROTOCOL"}


def backend(folder: Path, path: str, query: str, call: Call, user: str) -> Answer:
    """What git itself answers for the bare repository in `folder`."""
    env = {
        **ENV,
        "GIT_PROJECT_ROOT": str(folder),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{path}",
        "QUERY_STRING": query,
        "REQUEST_METHOD": call.method,
        "CONTENT_TYPE": call.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(call.body)),
        "REMOTE_USER": user,
        "REMOTE_ADDR": "127.0.0.1",
        **{HEADERS[name]: call.headers[name] for name in HEADERS if name in call.headers},
    }
    done = subprocess.run(
        ["git", "http-backend"], env=env, input=call.body, check=False, capture_output=True
    )
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    lines = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
    headers = {name.lower(): text for name, text in lines}
    status = int(headers.pop("status", "200 OK").split()[0])
    kind = headers.pop("content-type", "text/plain")
    return Answer(status, body, headers, kind)


def login(call: Call) -> tuple[str, str]:
    """User and password of basic authentication, "" where there is none."""
    header = call.headers.get("authorization", "")
    if not header.lower().startswith("basic "):
        return "", ""
    user, _, password = base64.b64decode(header[6:]).decode().partition(":")
    return user, password
