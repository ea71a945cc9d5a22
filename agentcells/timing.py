"""The command `agentcells timer`, as typed."""

from __future__ import annotations

from typing import Annotated

import typer

from agentcells.config import load
from agentcells.options import CELLS, ConfigOption, plain_config

app = typer.Typer(help="The timer that starts ticks.", no_args_is_help=True, rich_markup_mode=None)

NameOption = Annotated[str, typer.Option(help="Of the units, when there are several factories.")]


@app.command()
def install(config: ConfigOption = CELLS, name: NameOption = "agentcells") -> int:
    """Start a tick every ten minutes, by systemd or by a line for cron."""
    from agentcells import timer

    timer.install(load(config), name, typer.echo)
    return 0


@app.command()
def show(config: ConfigOption = CELLS, name: NameOption = "agentcells") -> int:
    """What is installed, and when the next tick comes."""
    from agentcells import timer

    timer.show(load(config), name, typer.echo)
    return 0


@app.command()
def remove(config: ConfigOption = CELLS, name: NameOption = "agentcells") -> int:
    """Take the timer away. Nothing starts by itself any more."""
    from agentcells import timer

    timer.remove(plain_config(config), name, typer.echo)
    return 0
