"""The command `agentcells bench`, as typed: what this machine and this program are good for."""

from __future__ import annotations

from typing import Annotated

import typer

from agentcells.options import JsonOption, language_of_the_shell, print_json

app = typer.Typer(help="Measure what a run costs.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def run(as_json: JsonOption = False) -> int:
    """Time and memory that a run costs beyond its agent, on a small and a large project."""
    from agentcells import bench_run as room

    quiet = lambda said: None  # noqa: E731
    found = room.bench(quiet if as_json else typer.echo, language=language_of_the_shell())
    if as_json:
        print_json(room.as_values(found))
    return 0 if all(figures.good for figures in found) else 1


@app.command()
def containment(as_json: JsonOption = False) -> int:
    """How long until nothing of a run is left, case by case."""
    from dataclasses import asdict

    from agentcells import bench_containment as room

    quiet = lambda said: None  # noqa: E731
    found = room.bench(quiet if as_json else typer.echo)
    if as_json:
        print_json([asdict(timed) for timed in found])
    return 0 if all(timed.proved and not timed.survivors for timed in found) else 1


@app.command()
def line(
    items: Annotated[int, typer.Option(help="So many issues are filed at once.", min=1)] = 200,
    parallel: Annotated[
        list[int] | None, typer.Option(help="Runs at a time; may be given several times.", min=1)
    ] = None,
    think: Annotated[float, typer.Option(help="Seconds that the agent thinks in each run.", min=0)] = 1.0,
    as_json: JsonOption = False,
) -> int:
    """How many items go through the whole line in an hour, and how much of the time is ours."""
    from agentcells import bench_line as room

    quiet = lambda said: None  # noqa: E731
    found = room.bench(
        quiet if as_json else typer.echo, items, parallel or room.PARALLEL, think, language_of_the_shell()
    )
    if as_json:
        print_json(room.as_values(found))
    return 0 if all(figures.good for figures in found) else 1


@app.command()
def tokens(as_json: JsonOption = False) -> int:
    """What one piece of work costs an agent in tokens, by our tools and by others'."""
    from agentcells import bench_tokens as room

    bills = room.measure()
    if as_json:
        print_json(room.as_values(bills))
    else:
        typer.echo("\n".join(room.table(bills, language_of_the_shell())))
    return 0
