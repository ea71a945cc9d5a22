"""`agentcells mcp`: the work record server on stdio or HTTP, and how a client comes to know it."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentcells.disk import writing
from agentcells.model import Problem
from agentcells.sentences import say
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.mcp_server import Desk

app = typer.Typer(
    invoke_without_command=True, rich_markup_mode=None,
    help="Work records for an agent that a person drives (MCP).",
)

SURFACES = ("brain", "worker")
LANGUAGES = ("en", "ja")
OPTIONS = ("draft", "auto", "lines", "delegate")
_ADDRESS = re.compile(r"(?P<host>\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(?P<port>[0-9]{1,5})\Z")
_TOKEN = re.compile(r"[\x21-\x7e]{16,512}\Z")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@app.callback()
def mcp(
    context: typer.Context,
    http: Annotated[str, typer.Option(
        "--http", metavar="HOST:PORT", help="Serve streamable HTTP there; default: stdio.")] = "",
    root: Annotated[list[Path] | None, typer.Option(
        "--root", help="Folder that may be worked in; default: the present project.")] = None,
    config: Annotated[Path | None, typer.Option(
        "--config", "-c", help="The factory's cells.toml; default: the project's own.")] = None,
    core: Annotated[bool, typer.Option("--core", help="The nine essential tools only.")] = False,
    surface: Annotated[str, typer.Option(
        "--surface", help="brain, or worker: the low-level tools, a server of its own.")] = "brain",
    lang: Annotated[str, typer.Option("--lang", help="en or ja")] = "en",
    turn_on: Annotated[list[str] | None, typer.Option(
        "--with", help="draft, auto, lines or delegate; may be repeated.")] = None,
    token_file: Annotated[Path | None, typer.Option(
        "--token-file", help="Bearer tokens for HTTP, one a line; made when missing.")] = None,
    allow_host: Annotated[list[str] | None, typer.Option(
        "--allow-host", help="Name that clients call an HTTP server by, besides loopback.")] = None,
    log: Annotated[Path | None, typer.Option("--log", help="Log here; default: stderr.")] = None,
) -> None:
    """Serve. Prints nothing on standard output but the protocol."""
    if context.invoked_subcommand is not None:
        return
    _one_of("--surface", surface, SURFACES)
    _one_of("--lang", lang, LANGUAGES)
    for name in turn_on or ():
        _one_of("--with", name, OPTIONS)
    desk = _desk(surface, tuple(root or ()), config, lang, _log_to(log), core, tuple(turn_on or ()))
    if http:
        place = token_file or _token_place(surface)
        _serve_http(desk, http, place, tuple(allow_host or ()), lang)
        return
    from agentcells.mcp_server import serve_stdio

    serve_stdio(desk)


@app.command()
def install(
    client: Annotated[str, typer.Argument(help="claude-code, codex, or another: printed.")],
    scope: Annotated[str, typer.Option("--scope", help="local, project or user")] = "local",
    name: Annotated[str, typer.Option("--name", help="What the client calls it.")] = "work",
    deny: Annotated[bool, typer.Option(
        "--deny", help="Also deny git to its shell and its prompt, in this project.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print, change nothing.")] = False,
    lang: Annotated[str, typer.Option("--lang", help="en or ja")] = "en",
) -> int:
    """Make the work records known to a client; for all but Claude Code it is printed."""
    from agentcells import mcp_install

    _one_of("--scope", scope, mcp_install.SCOPES)
    _one_of("--lang", lang, LANGUAGES)
    wanted = mcp_install.Wanted(name=name, scope=scope, deny=deny, language=lang)
    if client != mcp_install.CLAUDE or show:
        typer.echo(mcp_install.shown(client, wanted))
        return 0
    for line in mcp_install.into_claude(wanted, Path.cwd()):
        typer.echo(line)
    return 0


# ---------------------------------------------------------------- serving


def _desk(surface: str, roots: tuple[Path, ...], config: Path | None, language: str,
          log: Callable[[str], None], core: bool, options: tuple[str, ...]) -> Desk:
    for folder in roots:
        if not folder.is_dir():
            raise Problem("mcp_no_folder", exit_code=2, path=folder)
    if config is not None and not config.exists():
        raise Problem("config_missing", exit_code=2, file=config)
    from agentcells.project import Setting

    setting = Setting(roots=tuple(root.absolute() for root in roots),
                      config=config.absolute() if config else None)
    try:
        import agentcells.mcp_server  # noqa: F401  (it needs the extra)
    except ModuleNotFoundError as error:
        raise Problem("mcp_missing", exit_code=2, module=error.name or "mcp") from error
    if surface == "worker":
        from agentcells.worker_tools import WorkerDesk

        return WorkerDesk(roots[0] if roots else Path.cwd(), setting, language, log)
    from agentcells.brain_tools import BrainDesk

    return BrainDesk(setting, language, log, core=core, options=options)


def _serve_http(desk: Desk, http: str, token_place: Path, names: tuple[str, ...],
                language: str) -> None:
    from agentcells.mcp_server import PATH, listen, serve_http

    found = _ADDRESS.match(http)
    if found is None or int(found["port"]) > 65535:
        raise Problem("mcp_bad_address", exit_code=2, found=http)
    host = found["host"].strip("[]")
    if host not in _LOOPBACK and not names:
        raise Problem("mcp_open_to_all", exit_code=2, host=host)
    tokens = _tokens(token_place, language)
    try:
        sock = listen(host, int(found["port"]))
    except OSError as error:
        raise Problem("mcp_cannot_listen", address=http, detail=error.strerror or error) from error
    url = f"http://{found['host']}:{sock.getsockname()[1]}{PATH}"
    print(say("mcp_ready", language, url=url, token_file=token_place), file=sys.stderr, flush=True)
    serve_http(desk, sock, tokens, names)


def _token_place(surface: str) -> Path:
    home = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(home) / "agentcells" / f"mcp-token-{surface}"


def _tokens(place: Path, language: str) -> tuple[str, ...]:
    """One a line; a place that is not there gets a new one, readable by nobody else."""
    try:
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(fd, "w") as file:
                file.write(secrets.token_urlsafe(32) + "\n")
        tokens = tuple(place.read_text(encoding="ascii").split())
    except (OSError, UnicodeDecodeError) as error:
        detail = getattr(error, "strerror", None) or "not ASCII"
        raise Problem("mcp_token_file", exit_code=2, path=place, detail=detail) from error
    wrong = "mcp_token_none" if not tokens else ""
    if not all(_TOKEN.match(token) for token in tokens):
        wrong = "mcp_token_short"
    if wrong:
        raise Problem("mcp_token_file", exit_code=2, path=place, detail=say(wrong, language))
    return tokens


def _log_to(path: Path | None) -> Callable[[str], None]:
    """Times and lines, of what went wrong below: never for the agent. Raises Problem for a bad `path`."""
    if path is not None:
        with writing(path):
            path.open("a").close()

    def log(text: str) -> None:
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        line = f"{at} " + "\n  ".join(printable(part) for part in text.splitlines() or [""])
        try:
            if path is not None:
                with path.open("a", encoding="utf-8", errors="replace") as file:
                    file.write(line + "\n")
                return
        except OSError as error:  # a full disk: the call itself is worth more than its line
            line = f"{line} ({path}: {error.strerror or error})"
        print(line, file=sys.stderr, flush=True)

    return log


def _one_of(option: str, found: str, choices: tuple[str, ...]) -> None:
    if found not in choices:
        raise Problem("mcp_bad_choice", exit_code=2, option=option, found=found,
                      choices=", ".join(choices))
