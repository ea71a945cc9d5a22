"""The commands a person types. Each imports its room when it runs, so that help stays quick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from agentcells import __version__, bench, issues, looking, mcp_cli, steering, timing
from agentcells.config import load
from agentcells.model import Problem
from agentcells.options import (
    CELLS,
    ConfigOption,
    JsonOption,
    known_language,
    language_of_the_shell,
    print_json,
)
from agentcells.store import State

ORDER = (
    "init", "check", "tick", "status", "why", "stop", "retry", "release", "timer", "logs", "graph",
    "report", "issue", "config", "mcp", "demo", "bench", "cell",
)


class InOrder(TyperGroup):
    """Help lists commands as a newcomer needs them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=lambda name: (*ORDER, name).index(name))


app = typer.Typer(
    name="agentcells", cls=InOrder, no_args_is_help=True, pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Turns issues into reviewed pull requests while nobody watches.",
)
for more in (looking.app, steering.app):
    app.add_typer(more)
app.add_typer(issues.app, name="issue")
app.add_typer(timing.app, name="timer")
app.add_typer(bench.app, name="bench")
app.add_typer(mcp_cli.app, name="mcp")


def run() -> int:
    """Run the command line. Problems go up to __main__, which prints them, slips of the typing too."""
    command = typer.main.get_command(app)
    if language_of_the_shell() == "ja":
        from agentcells import help_ja

        help_ja.speak(command)
    try:
        return int(command(prog_name="agentcells", standalone_mode=False) or 0)
    except typer.Abort:
        return 130
    except TyperException as error:
        words = error.format_message()
        if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its help was meant
            typer.echo(words)
            return 0
        from agentcells.usage import slip

        raise slip(error) from error


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"agentcells {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Turns issues into reviewed pull requests while nobody watches."""


@app.command()
def tick(
    config: ConfigOption = CELLS,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what a tick would do now, and write nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Read the forge, run what waits, write what came of it: one tick."""
    from agentcells import tick as room

    if dry_run:
        return _dry_run(config, as_json)
    return room.whole(config, "json" if as_json else "text", {})


def _dry_run(path: Path, as_json: bool) -> int:
    from agentcells import tick as room
    from agentcells import views

    config = load(path)
    _, plan = room.look(config, State.at(config.path))
    if as_json:
        print_json(views.plan_value(config, plan, config.factory.language))
    else:
        typer.echo("\n".join(views.plan_lines(config, plan, config.factory.language)))
    return 0


@app.command(name="config")
def show_config(config: ConfigOption = CELLS, as_json: JsonOption = False) -> int:
    """Print the effective values of cells.toml, defaults included."""
    from agentcells import config as room

    settings = load(config)
    typer.echo(room.effective_json(settings) if as_json else room.effective(settings))
    return 0


@app.command()
def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Leave forge, repository and cells.toml here.")
    ] = None,
    by_hand: Annotated[
        Path | None, typer.Option("--by-hand", help="Only set it up here: you play the owner.")
    ] = None,
    as_json: JsonOption = False,
    language: Annotated[str, typer.Option("--language", help="en or ja")] = "",
) -> int:
    """Play the whole line once on an embedded forge.

    A scripted agent stands in for the model: nothing to set up, no account.
    """
    from agentcells import demo as room

    chosen = known_language(language or language_of_the_shell())
    if by_hand is not None:
        return room.by_hand(by_hand, language=chosen)
    return room.run(keep, as_json=as_json, language=chosen)


@app.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def cell() -> int:
    """Inside a run: observe, status, diff, record, test and more."""
    raise AssertionError("__main__ hands `cell` to the door before typer is imported")


@app.command()
def init(
    config: ConfigOption = CELLS,
    repo: Annotated[str, typer.Option(metavar="OWNER/NAME", help="The repository.")] = "",
    owner: Annotated[str, typer.Option(metavar="LOGIN", help="Whose labels and words count.")] = "",
    bot: Annotated[str, typer.Option(metavar="LOGIN", help="The account of the token.")] = "",
    token_file: Annotated[str, typer.Option(metavar="FILE", help="Where the token lies.")] = "",
    language: Annotated[str, typer.Option(help="en or ja")] = "en",
    api_url: Annotated[str, typer.Option(help="Of a GitHub of your own; ends with /graphql.")] = "",
    git_url: Annotated[str, typer.Option(help="Of a GitHub of your own.")] = "",
    ca_file: Annotated[str, typer.Option(help="Its certificate.")] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    relock: Annotated[bool, typer.Option("--relock", help="Renew the pinned ids.")] = False,
) -> int:
    """Write cells.toml, prompts and labels.

    Run again, it changes nothing.
    """
    from agentcells import init as room

    given = room.Answers(
        repo=repo, owner=owner, bot=bot, token_file=token_file, api_url=api_url, git_url=git_url,
        ca_file=ca_file, language=known_language(language),
    )
    said = given if given != room.Answers(repo="", owner="") else None
    room.run(config, _ask, typer.echo, yes=yes, relock=relock, given=said)
    return 0


def _ask(question: str, default: str) -> str:
    try:
        return str(typer.prompt(question, default=default))
    except typer.Abort:
        if sys.stdin.isatty():
            raise
        typer.echo()
        raise Problem("init_nobody_answers", exit_code=2) from None


@app.command()
def check(config: ConfigOption = CELLS, as_json: JsonOption = False) -> int:
    """Look at everything a tick needs.

    Each line is one thing, with the remedy where something is wrong. Exit code 1: a tick would not
    get past it.
    """
    from dataclasses import asdict

    from agentcells import check as room

    lines = room.check(config)
    if as_json:
        print_json([asdict(line) for line in lines])
    else:
        signs = {"ok": "ok  ", "warning": "note", "stop": "STOP"}
        typer.echo("\n".join(f"{signs[line.level]} {line.name}: {line.text}" for line in lines))
    return 1 if any(line.level == "stop" for line in lines) else 0
