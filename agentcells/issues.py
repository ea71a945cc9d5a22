"""`agentcells issue …`: the commands of the desk. What they do is in issue_desk.py."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentcells import issue_desk
from agentcells.forge import Forge
from agentcells.issue_desk import Say
from agentcells.model import Item, Problem
from agentcells.options import load_for, print_json
from agentcells.wire import to_json

if TYPE_CHECKING:
    from agentcells.config import Config

app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None,
    help="File, read and answer issues on the forge of cells.toml.",
)

CELLS = Path("cells.toml")
ConfigOption = Annotated[
    Path,
    typer.Option("--config", "-c", envvar="AGENTCELLS_CONFIG", help="The factory's cells.toml."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
AsOption = Annotated[
    str, typer.Option("--as", metavar="LOGIN", help="Local forge: who acts (default: the owner).")
]
RepoOption = Annotated[
    str, typer.Option("--repo", metavar="OWNER/NAME", help="When there are several.")
]
Number = Annotated[int, typer.Argument(min=1, help="Number of the issue or pull request.")]
Remove = Annotated[bool, typer.Option("--remove", help="Take off instead of putting on.")]


@app.command()
def new(
    title: str,
    body: Annotated[str, typer.Option(help="The text; - reads standard input.")] = "",
    label: Annotated[
        str | None, typer.Option(help="A cell or a label (default: the first cell on issues).")
    ] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="File only: no label, no assignee.")
    ] = False,
    assign: Annotated[
        list[str] | None, typer.Option(metavar="LOGIN", help="Assignee (default: the owner).")
    ] = None,
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """File an issue; the owner's is labelled and assigned in the same step."""
    settings, forge, say = _sit_down(config, as_, as_json, labels=not plain)
    number = issue_desk.new(
        settings, forge, title, _text(body), "" if plain else label,
        assign or ([] if plain else None), repo=repo, say=say)
    _json(as_json, {"repo": issue_desk.one_repo(settings, repo), "number": number})


@app.command(name="list")
def list_(
    label: Annotated[str, typer.Option(help="Only what waits for this cell or label.")] = "",
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """The open issues and pull requests, newest change first."""
    settings, forge, say = _sit_down(config, as_, as_json, labels=bool(label))
    _json(as_json, issue_desk.rows(settings, forge, label=label, repo=repo, say=say))


@app.command()
def show(
    number: Number,
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """One item whole: text, comments, reviews."""
    settings, forge, say = _sit_down(config, as_, as_json)
    _json(as_json, issue_desk.show(settings, forge, number, repo=repo, say=say))


@app.command()
def comment(
    number: Number,
    text: Annotated[str, typer.Argument(help="The text; - reads standard input.")],
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Write a comment."""
    settings, forge, say = _sit_down(config, as_, as_json)
    made = issue_desk.comment(settings, forge, number, _text(text), repo=repo, say=say)
    _json(as_json, {"number": number, "id": made.id})


@app.command()
def label(
    number: Number,
    names: Annotated[list[str], typer.Argument(help="Cells or labels.")],
    remove: Remove = False,
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Put labels on, or take them off."""
    settings, forge, say = _sit_down(config, as_, as_json, labels=True)
    item = issue_desk.label(settings, forge, number, names, remove=remove, repo=repo, say=say)
    _state(as_json, item)


@app.command()
def assign(
    number: Number,
    logins: list[str],
    remove: Remove = False,
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Add assignees; the factory works only on what is the owner's."""
    settings, forge, say = _sit_down(config, as_, as_json)
    item = issue_desk.assign(settings, forge, number, logins, remove=remove, repo=repo, say=say)
    _state(as_json, item)


@app.command()
def edit(
    number: Number,
    title: Annotated[str | None, typer.Option(help="The new title.")] = None,
    body: Annotated[str | None, typer.Option(help="The new text; - reads standard input.")] = None,
    comment: Annotated[str, typer.Option(metavar="ID", help="Change this comment instead.")] = "",
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Change title and text, or a comment."""
    settings, forge, say = _sit_down(config, as_, as_json)
    item = issue_desk.edit(
        settings, forge, number, title=title, body=None if body is None else _text(body),
        comment_id=comment, repo=repo, say=say)
    _state(as_json, item)


@app.command()
def close(
    number: Number,
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Close an issue, or a pull request without merging it."""
    settings, forge, say = _sit_down(config, as_, as_json)
    _state(as_json, issue_desk.close(settings, forge, number, repo=repo, say=say))


@app.command()
def reopen(
    number: Number,
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Open it again (local forge)."""
    settings, forge, say = _sit_down(config, as_, as_json)
    _state(as_json, issue_desk.reopen(settings, forge, number, repo=repo, say=say))


@app.command()
def merge(
    number: Number,
    head: Annotated[str, typer.Option(metavar="SHA", help="Only this newest commit.")] = "",
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Merge a pull request."""
    settings, forge, say = _sit_down(config, as_, as_json)
    sha = issue_desk.merge(settings, forge, number, head=head, repo=repo, say=say)
    _json(as_json, {"number": number, "merged": sha})


@app.command()
def review(
    number: Number,
    text: Annotated[str, typer.Argument(help="The text; - reads standard input.")] = "",
    approve: Annotated[bool, typer.Option("--approve")] = False,
    changes: Annotated[bool, typer.Option("--request-changes")] = False,
    path: Annotated[str, typer.Option(help="Remark on a line of this file.")] = "",
    line: Annotated[int, typer.Option(min=1, help="The line, with --path.")] = 1,
    thread: Annotated[str, typer.Option(metavar="ID", help="Answer in this thread.")] = "",
    config: ConfigOption = CELLS, repo: RepoOption = "", as_: AsOption = "",
    as_json: JsonOption = False,
) -> None:
    """Review a pull request (local forge)."""
    if approve and changes:
        raise Problem("issue_one_verdict", exit_code=2)
    settings, forge, say = _sit_down(config, as_, as_json)
    item = issue_desk.review(
        settings, forge, number,
        "approved" if approve else "changes_requested" if changes else "commented",
        _text(text), path=path, line=line, thread=thread, repo=repo, say=say)
    _state(as_json, item)


@app.command()
def accounts(
    add: Annotated[str, typer.Option(metavar="LOGIN", help="Make this account.")] = "",
    bot: Annotated[bool, typer.Option("--bot", help="With --add: it is a bot.")] = False,
    config: ConfigOption = CELLS, as_json: JsonOption = False,
) -> None:
    """Who is on the local forge."""
    if bot and not add:
        raise Problem("usage_needs", exit_code=2, one="--bot", other="--add LOGIN")
    settings, forge, say = _sit_down(config, "", as_json)
    _json(as_json, issue_desk.accounts(settings, forge, add=add, bot=bot, say=say))


def _sit_down(
    config: Path, as_login: str, as_json: bool, *, labels: bool = False
) -> tuple[Config, Forge, Say]:
    """`labels`: the cells are asked for their labels; else a mistake in them is no matter here."""
    from agentcells.config import load
    from agentcells.forge.open import open_forge

    settings = load(config) if labels else load_for(config, "factory", "forge")
    if settings.forge.kind == "local":
        as_login = as_login or settings.factory.owner  # a person sits here, not the CLI's bot
    say = issue_desk.quiet if as_json else typer.echo
    return settings, open_forge(settings, as_login=as_login), say


def _text(given: str) -> str:
    if given != "-":
        return given
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        raise Problem("issue_not_utf8", exit_code=2) from None


def _json(wanted: bool, value: object) -> None:
    if wanted:
        print_json(json.loads(to_json(value)))


def _state(wanted: bool, item: Item) -> None:
    _json(wanted, {
        "repo": item.repo, "number": item.number, "state": item.state,
        "labels": [x.name for x in item.labels], "assignees": [a.login for a in item.assignees],
    })
