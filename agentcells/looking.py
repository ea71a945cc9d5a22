"""The commands that look and change nothing: status, why, graph, logs, report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentcells.config import Config, load
from agentcells.model import Problem
from agentcells.options import (
    CELLS,
    ConfigOption,
    JsonOption,
    language_at,
    load_for,
    print_json,
)
from agentcells.sentences import say
from agentcells.store import State

if TYPE_CHECKING:
    from agentcells.transcript import Clean

app = typer.Typer(rich_markup_mode=None)

OfflineOption = Annotated[
    bool, typer.Option("--offline", help="Do not ask the forge: show what was read last.")
]


@app.command()
def status(
    config: ConfigOption = CELLS,
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Follow the tick that is at work, run by run.")
    ] = False,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
) -> int:
    """Show every work item: where it waits, for whom and why.

    How long, at what cost, and what holds up everything; the next tick, and runs at work.
    """
    if watch and (as_json or offline):
        raise Problem("usage_apart", exit_code=2, one="--watch", other="--json" if as_json else "--offline")
    try:
        settings = load(config)
    except Problem as problem:
        return _without_cells(config, problem, as_json)
    state = State.at(settings.path)
    if watch:
        return _watch(settings, state)
    from agentcells import views
    from agentcells.around import look

    snapshot, plan, around = look(settings, state, ask=not offline)
    if as_json:
        print_json(views.status_value(settings, snapshot, plan, around))
    elif sys.stdout.isatty():
        from agentcells.screen import board_on_screen, console

        screen = console()
        board = views.board(settings, snapshot, plan, around)
        screen.print(board_on_screen(board, screen.width))
    else:
        typer.echo("\n".join(views.status_board(settings, snapshot, plan, around)))
    return 0


def _without_cells(config: Path, problem: Problem, as_json: bool) -> int:
    """What this machine knows by itself; then what is to be mended in cells.toml."""
    from agentcells import without_cells

    state = State.at(config.expanduser().absolute())
    if not config.exists() or not state.root.exists():
        raise problem
    known = without_cells.look(state)
    if not known.anything:
        raise problem
    if as_json:
        print_json(without_cells.value(known))
    else:
        typer.echo("\n".join(without_cells.lines(known, language_at(config))))
    raise problem


def _watch(config: Config, state: State) -> int:
    from agentcells import watch

    language, clean = config.factory.language, _cleaner(config)
    if sys.stdout.isatty():
        with watch.on_terminal(language) as out:
            watch.follow(config, state, out, clean)
    else:
        watch.follow(config, state, watch.Lines(typer.echo, language), clean)
    typer.echo(say("watch_nothing", language))
    return 0


@app.command()
def why(
    item: Annotated[
        str, typer.Argument(
            metavar="NUMBER|CELL", help="An issue or pull request; or a cell on the factory.",
        )
    ],
    config: ConfigOption = CELLS,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
) -> int:
    """Explain why one item runs or does not, and who can change it."""
    from agentcells import factory_board, views
    from agentcells.around import look

    settings = load(config)
    number = int(item) if item.isascii() and item.isdigit() and len(item) < 20 else 0
    if number < 1 and settings.cell(item) is None:
        raise Problem("why_no_such", exit_code=2, item=item)
    snapshot, plan, around = look(settings, State.at(settings.path), ask=not offline)
    if number < 1:
        if as_json:
            print_json(factory_board.why_factory_value(settings, snapshot, item))
        else:
            typer.echo("\n".join(factory_board.why_factory(settings, snapshot, item)))
    elif as_json:
        print_json(views.why_value(settings, snapshot, plan, number, around))
    else:
        typer.echo("\n".join(views.why(settings, snapshot, plan, number, around)))
    return 0


@app.command()
def graph(config: ConfigOption = CELLS, as_json: JsonOption = False) -> int:
    """Draw the flow of cells.toml as a Mermaid diagram.

    Cells that nothing leads to, and circles without a way out, are marked.
    """
    from agentcells import flow

    settings = load(config)
    if as_json:
        print_json(flow.graph_value(settings))
    else:
        typer.echo(flow.graph(settings))
    return 0


@app.command()
def logs(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN", help="The run, as a comment or status names it.")
    ] = "",
    item: Annotated[int, typer.Option(min=0, help="Only events of this item.")] = 0,
    lines: Annotated[int, typer.Option("-n", "--lines", min=1, help="The newest events.")] = 50,
    config: ConfigOption = CELLS,
    as_json: JsonOption = False,
) -> int:
    """Show what ticks did or, with RUN, what the agent of that run did."""
    import json

    from agentcells import transcript
    from agentcells.journal import Journal
    from agentcells.text import printable_json

    settings = load_for(config, "factory", "forge", "agent", "notify")
    state, clean = State.at(settings.path), _cleaner(settings)
    if not run_id:
        events = Journal(state.root).events(lines, item=item)
        if not events and not as_json:
            key = "logs_none_item" if item else "logs_none"
            typer.echo(say(key, settings.factory.language, number=item), err=True)
        told = (printable_json(json.dumps(event, ensure_ascii=False)) for event in events)
        for line in told if as_json else transcript.log_lines(events, settings.factory.timezone):
            typer.echo(line)
        return 0
    folder = state.find_log(run_id)
    if folder is None:
        number = run_id.removeprefix("#")
        raise Problem("logs_item_not_run" if number.isdecimal() else "logs_no_such_run", run=number)
    for line in transcript.raw(folder) if as_json else ():
        typer.echo(clean(line.rstrip("\n")))
    for line in () if as_json else transcript.lines(folder, settings.factory.language, clean):
        typer.echo(line)
    return 0


@app.command()
def report(
    figure: Annotated[
        str, typer.Argument(metavar="FIGURE", help="With --json: only this one.")
    ] = "",
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The HTML file.")
    ] = Path("agentcells-report.html"),
    days: Annotated[int, typer.Option(min=0, help="So far back; 0: all.")] = 90,
    items: Annotated[int, typer.Option(min=1, help="At most so many issues a repository.")] = 500,
    config: ConfigOption = CELLS,
    as_json: JsonOption = False,
) -> int:
    """Write one HTML file about what the line has done.

    It is made from the forge's own timeline and our books, and opens offline.

    Figures: throughput, time, rounds, stops, cost, success.
    """
    from agentcells import report as room

    settings = load(config)
    room.check(figure)
    if figure and not as_json:
        raise Problem("usage_needs", exit_code=2, one=figure, other="--json")
    found = room.read_figures(settings, State.at(settings.path), days=days, items=items,
                              progress=_progress(settings))
    if as_json:
        print_json(room.chosen(found, figure))
    else:
        room.write(settings, found, out)
        typer.echo(say("report_wrote", settings.factory.language, path=out))
    return 0


def _progress(config: Config) -> Callable[[int, int], None]:
    """How far the reading is, on a terminal only."""

    def tell(count: int, total: int) -> None:
        if sys.stderr.isatty():
            words = say("report_reading", config.factory.language, count=count, total=total)
            end = "\n" if count == total else ""
            print(f"\r\x1b[K{words}{end}", end="", file=sys.stderr, flush=True)

    return tell


def _cleaner(config: Config) -> Clean:
    """Takes out what this shell's environment knows as secrets."""
    from agentcells.gate import redact
    from agentcells.known_secrets import known_secrets

    secrets = known_secrets(config)
    return lambda text: redact(text, secrets, config.factory.language)


__all__ = ["app"]
