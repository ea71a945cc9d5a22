"""The commands that steer: stop the factory, try an item again, take one out of the line."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from agentcells.columns import clock
from agentcells.config import Config, load
from agentcells.markers import outcome_words
from agentcells.model import Problem
from agentcells.options import (
    CELLS,
    ConfigOption,
    JsonOption,
    Number,
    RepoOption,
    language_at,
    opened,
    print_json,
)
from agentcells.sentences import say
from agentcells.store import State, state_folder

app = typer.Typer(rich_markup_mode=None)

PATIENCE_S = 60.0  # for runs that were told to end: they seal their work first
LOOK_S = 0.2


@app.command()
def stop(
    config: ConfigOption = CELLS,
    now: Annotated[bool, typer.Option("--now", help="Also end the runs that are at work.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Take the stop back.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Start nothing new until `stop --resume`.

    What runs is finished, or ended with --now.

    For one item: the label ac:hold, or /hold in a comment.
    """
    if now and resume:
        raise Problem("stop_or_resume", exit_code=2)
    language, state = language_at(config), _state_to_stop(config.expanduser().absolute())
    with state.pass_lock(wait=False) as got:
        if not got:
            typer.echo(say("stop_waits", language), err=True)
    with state.pass_lock(wait=True):
        before = state.brake()
        state.write_brake(replace(before, stopped=not resume))
        if resume:
            state.asked_to_end()  # what nobody has heard must not end the runs that come now
    told = state.ask_to_end() if now else 0
    left = _wait_for_runs(state) if told else _alive(state)
    if as_json:
        print_json({"stopped": not resume, "was_stopped": before.stopped, "told_to_end": told,
                    "at_work": left})
        return 1 if told and left else 0
    key = "stop_taken_back" if resume else "stop_set"
    if before.stopped != resume:
        key = "stop_was_not" if resume else "stop_already"
    typer.echo(say(key, language))
    if told:
        typer.echo(say("stop_ended", language, runs=told - len(left)))
    if left and not resume:
        typer.echo(say("stop_left" if told else "stop_at_work", language, runs=", ".join(left)))
    return 1 if told and left else 0


def _state_to_stop(config: Path) -> State:
    """A stop must work with a broken cells.toml, and without one: only its place is needed."""
    if not config.exists() and not state_folder(config).exists():
        load(config)  # says that there is no factory here, and how to set one up
    return State.open(config)


def _alive(state: State) -> list[str]:
    return [folder.run for folder in state.runs() if folder.alive()]


def _wait_for_runs(state: State) -> list[str]:
    """Those that are still at work after a while: without their coordinator nobody ends them."""
    until = time.monotonic() + PATIENCE_S
    while (left := _alive(state)) and time.monotonic() < until:
        time.sleep(LOOK_S)
    return left


@app.command()
def retry(
    number: Number,
    cell: Annotated[str, typer.Option(help="Another cell than the one that asked.")] = "",
    config: ConfigOption = CELLS, repo: RepoOption = "", as_json: JsonOption = False,
) -> int:
    """Let a stuck item wait for its cell again.

    This is your own act, as if you had set the label: all its counters begin afresh, and its text
    as it stands is approved.
    """
    from agentcells import owner_acts

    settings, state = opened(config)
    done = owner_acts.retry(settings, state, number, cell=cell, repo=repo)
    if as_json:
        print_json(asdict(done))
        return 0
    language = settings.factory.language
    if done.assigned:
        typer.echo(say("retry_assigned", language, owner=settings.factory.owner))
    typer.echo(say("retry_done", language, number=done.number, label=done.after[0],
                   cell=done.cell, before=", ".join(done.before) or say("view_no_label", language)))
    for line in _brakes(settings, state):
        typer.echo(line)
    return 0


def _brakes(config: Config, state: State) -> list[str]:
    """What keeps the next tick from taking anything up."""
    brake, language = state.brake(), config.factory.language
    if brake.stopped:
        return [say("view_state_stopped", language)]
    if brake.paused_until is None or brake.paused_until <= datetime.now(UTC):
        return []
    return [say("view_state_paused", language, until=clock(brake.paused_until, config.factory.timezone),
                why=outcome_words(brake.pause_reason, language))]


@app.command()
def release(
    number: Number, config: ConfigOption = CELLS, repo: RepoOption = "", as_json: JsonOption = False
) -> int:
    """Take all labels of ours off an item: it is left alone."""
    from agentcells import owner_acts

    settings, state = opened(config)
    done = owner_acts.release(settings, state, number, repo=repo)
    language = settings.factory.language
    if as_json:
        print_json(asdict(done))
        return 0
    key = "release_done" if done.before else "release_nothing"
    typer.echo(say(key, language, number=done.number, labels=", ".join(done.before)))
    if done.run:
        typer.echo(say("release_running", language, run=done.run))
    return 0


__all__ = ["app"]
