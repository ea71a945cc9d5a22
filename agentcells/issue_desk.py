"""What a person does at the desk, on any forge; more of it on the local one.

Behind `agentcells issue …`. Each function takes a config and a forge, prints through `say`, and
returns what it did.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias
from zoneinfo import ZoneInfo

from agentcells import sentences
from agentcells.forge import Forge
from agentcells.model import RESERVED_STATES, Account, Comment, Item, Problem, Row, Sha
from agentcells.text import printable

if TYPE_CHECKING:
    from agentcells.config import Config
    from agentcells.forge.local import LocalForge
    from agentcells.forge.local_desk import Verdict

Say: TypeAlias = Callable[[str], None]

# Our own hidden lines, whole: a web page does not show them either. Anything else stays visible.
_HIDDEN = re.compile(r"^<!-- agentcells:(?:(?:v1|data) \{.*\}|issues \[.*\]) -->$\n?", re.MULTILINE)


def quiet(_line: str) -> None:
    """A `say` for callers who want the value only."""


# ---------------------------------------------------------------- every forge


def new(
    config: Config, forge: Forge, title: str, body: str = "", label: str | None = None,
    assign: Sequence[str] | None = None, *, repo: str = "", say: Say = quiet,
) -> int:
    """File an issue; the owner's goes into the line at once, labelled and assigned in one step.

    `label` None: the first cell on issues; "": none. Nobody else's label would count (R24).
    """
    repo = one_repo(config, repo)
    me, owner = forge.viewer(), forge.account(config.factory.owner)
    if label is None and me.id == owner.id:
        label = next((cell.label for cell in config.cells if cell.on == "issue"), "")
    if assign is None:
        assign = [owner.login] if label and me.id == owner.id else []
    labels = [label_name(config, label)] if label else []
    assignees = [forge.account(login) for login in assign]
    number = forge.create_issue(repo, title, body, labels, assignees)
    waits = config.cell(config.state(labels[0]) or "") if labels else None
    if waits and owner.id in {one.id for one in assignees} and me.id == owner.id:
        _tell(config, say, "issue_new_in_line", repo=repo, number=number, label=labels[0])
    else:
        _tell(config, say, "issue_new_plain", repo=repo, number=number, owner=owner.login)
    return number


def rows(
    config: Config, forge: Forge, *, label: str = "", repo: str = "", say: Say = quiet
) -> tuple[Row, ...]:
    """The open issues and pull requests, newest change first."""
    wanted = label_name(config, label) if label else ""
    repos = (repo,) if repo else config.forge.repos
    found = tuple(
        row for each in repos for row in forge.listing(each).rows
        if not wanted or any(x.name.casefold() == wanted.casefold() for x in row.labels))
    for row in found:
        where = row.repo if len(repos) > 1 else ""
        kind = sentences.say(f"issue_kind_{row.kind}", config.factory.language)
        labels = ", ".join(x.name for x in row.labels)
        say(_line(f"{where}#{row.number}  {kind}  [{labels}]  {row.title}"))
    if not found and wanted and not any(
        known.name.casefold() == wanted.casefold() for each in repos for known in forge.labels(each)
    ):  # a slip in the name would look like an empty list
        raise Problem("issue_no_label", repo=", ".join(repos), label=wanted)
    if not found:
        _tell(config, say, "issue_none")
    return found


def show(config: Config, forge: Forge, number: int, *, repo: str = "", say: Say = quiet) -> Item:
    """One item whole: text, comments, reviews."""
    item = forge.read(one_repo(config, repo), number)
    language = config.factory.language
    kind = sentences.say(f"issue_kind_{item.kind}", language)
    say(_line(f"{item.repo}#{number}  {item.title}"))
    state = sentences.say(f"issue_state_{item.state}", language)
    parts = [kind, state, *(x.name for x in item.labels)]
    parts += [f"@{account.login}" for account in item.assignees]
    say(_line(" · ".join(parts)))
    if item.pull:
        say(_line(f"{item.pull.head_ref} ({item.pull.head_sha[:10]}) → {item.pull.base_ref}"))
    _say_text(config, say, item.author, item.created_at, "", item.body)
    for entry in item.comments:
        place = [entry.thread_id or entry.id, entry.verdict]
        if entry.kind == "thread":
            place.append(f"{entry.path}:{entry.line}")
        editors = {e.editor.login if e.editor else "?" for e in entry.edits or ()}
        if editors:
            who = ", ".join(sorted(editors))
            place.append(sentences.say("issue_edited_by", language, who=who))
        shown = "  ".join(filter(None, place))
        _say_text(config, say, entry.author, entry.created_at, shown, entry.body)
    return item


def comment(
    config: Config, forge: Forge, number: int, body: str, *, repo: str = "", say: Say = quiet
) -> Comment:
    _not_blank(body)
    made = forge.comment(forge.read(one_repo(config, repo), number), body)
    _tell(config, say, "issue_commented", number=number)
    return made


def label(
    config: Config, forge: Forge, number: int, names: Sequence[str], *, remove: bool = False,
    repo: str = "", say: Say = quiet,
) -> Item:
    """Put labels on or take them off. A cell's name means its label."""
    item = forge.read(one_repo(config, repo), number)
    change = forge.remove_labels if remove else forge.add_labels
    change(item, [label_name(config, name) for name in names])
    item = forge.read(item.repo, number)
    shown = ", ".join(x.name for x in item.labels) or "-"
    _tell(config, say, "issue_labels_now", number=number, labels=shown)
    return item


def assign(
    config: Config, forge: Forge, number: int, logins: Sequence[str], *, remove: bool = False,
    repo: str = "", say: Say = quiet,
) -> Item:
    item = forge.read(one_repo(config, repo), number)
    accounts = [forge.account(login) for login in logins]
    if remove:
        _desk(forge).unassign(item, accounts)
    else:
        forge.assign(item, accounts)
    item = forge.read(item.repo, number)
    shown = ", ".join(a.login for a in item.assignees) or "-"
    _tell(config, say, "issue_assignees_now", number=number, logins=shown)
    return item


def edit(
    config: Config, forge: Forge, number: int, *, title: str | None = None,
    body: str | None = None, comment_id: str = "", repo: str = "", say: Say = quiet,
) -> Item:
    """Change title and body, or with `comment_id` the body of that comment."""
    if title is None and body is None:
        raise Problem("issue_nothing_to_change", exit_code=2)
    if comment_id and title is not None:
        raise Problem("issue_comment_title", exit_code=2)
    item = forge.read(one_repo(config, repo), number)
    if comment_id:
        _not_blank(body or "")
        forge.edit_comment(item, comment_id, body or "")
    else:
        forge.edit_issue(item, title, body)
    _tell(config, say, "issue_edited", number=number)
    return forge.read(item.repo, number)


def close(config: Config, forge: Forge, number: int, *, repo: str = "", say: Say = quiet) -> Item:
    item = forge.read(one_repo(config, repo), number)
    forge.close(item)
    _tell(config, say, "issue_closed", number=number)
    return forge.read(item.repo, number)


def merge(
    config: Config, forge: Forge, number: int, *, head: str = "", repo: str = "", say: Say = quiet
) -> Sha:
    """Merge a pull request: the head as it is now, or only if it is still `head`."""
    item = forge.read(one_repo(config, repo), number)
    if item.pull is None:
        raise Problem("issue_not_a_pull", repo=item.repo, number=number)
    merged = forge.merge(item, Sha(head) if head else item.pull.head_sha)
    _tell(config, say, "issue_merged", number=number, base=item.pull.base_ref, sha=merged[:10])
    return merged


# ---------------------------------------------------------------- the local forge


def review(
    config: Config, forge: Forge, number: int, verdict: Verdict, body: str = "", *,
    path: str = "", line: int = 1, thread: str = "", repo: str = "", say: Say = quiet,
) -> Item:
    """A verdict on a pull request, a remark on a line (`path`), or an answer in a `thread`."""
    desk = _desk(forge)
    item = desk.read(one_repo(config, repo), number)
    if thread or path or verdict == "commented":
        _not_blank(body)
    if thread:
        desk.reply(item, thread, body)
    elif path:
        desk.start_thread(item, path, line, body)
    else:
        desk.review(item, verdict, body)
    _tell(config, say, "issue_reviewed", number=number)
    return desk.read(item.repo, number)


def reopen(config: Config, forge: Forge, number: int, *, repo: str = "", say: Say = quiet) -> Item:
    desk = _desk(forge)
    item = desk.read(one_repo(config, repo), number)
    desk.reopen(item)
    _tell(config, say, "issue_reopened", number=number)
    return desk.read(item.repo, number)


def accounts(
    config: Config, forge: Forge, *, add: str = "", bot: bool = False, say: Say = quiet
) -> tuple[Account, ...]:
    """The accounts of the local forge; with `add` one more."""
    desk = _desk(forge)
    if add:
        desk.add_account(add, "bot" if bot else "user")
    found = desk.accounts()
    for account in found:
        say(_line(f"{account.login}  {account.kind}  {account.id}"))
    return found


# ---------------------------------------------------------------- what they share


def one_repo(config: Config, repo: str) -> str:
    if repo or len(config.forge.repos) == 1:
        return repo or config.forge.repos[0]
    raise Problem("issue_which_repo", exit_code=2, known=", ".join(config.forge.repos) or "-")


def label_name(config: Config, given: str) -> str:
    """A cell or a state of ours by its short name, else a label as it is called."""
    ours = config.cell(given) is not None or given in RESERVED_STATES
    return config.label(given) if ours else given


def _desk(forge: Forge) -> LocalForge:
    from agentcells.forge.local import LocalForge

    if not isinstance(forge, LocalForge):
        raise Problem("issue_local_only", exit_code=2)
    return forge


def _not_blank(text: str) -> None:
    if not text.strip():
        raise Problem("issue_empty_text", exit_code=2)


def _tell(config: Config, say: Say, key: str, /, **slots: object) -> None:
    say(_line(sentences.say(key, config.factory.language, **slots)))


def _line(text: str) -> str:
    return printable(text, one_line=True)


def _say_text(config: Config, say: Say, author: Account | None, at: datetime, place: str,
              body: str) -> None:
    when = at.astimezone(ZoneInfo(config.factory.timezone)).strftime("%Y-%m-%d %H:%M")
    say("")
    say(_line(f"— {author.login if author else 'ghost'}, {when}  {place}".rstrip()))
    shown = _HIDDEN.sub("", body).rstrip("\n")
    if shown:
        say(printable(shown))
