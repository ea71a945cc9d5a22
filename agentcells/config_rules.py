"""What must hold between the keys of cells.toml, and in which words a mistake is told.

`plain` looks at one table at a time. `flow` looks at the graph of cells; it is asked only when all
else is right, because one wrong name in `next` would make cells look unreachable that are not.

Two rules are a choice, so they are written down:
- *A cell that nothing leads to* is a cell on pull requests that no chain of `next` reaches from a
  cell on issues, `on_reply` or `on_checks_failed`. The owner could label its items by hand, but a
  line that needs that by accident stands still in silence. Cells on issues are where the owner's
  label begins; where no cell works on issues, he labels his own pull requests and any may be first.
- *A way to a human*: rounds are always limited and `needs-human` is always offered, so nothing runs
  for ever. A cell from which neither "done" nor "merge" nor a "needs-human" written in `next` can
  be reached is a mistake all the same: each of its items would end by running out of rounds.
"""

from __future__ import annotations

import difflib
import zoneinfo
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from agentcells.config_model import Cell, Config
from agentcells.model import ANSWER, DONE, MERGE, NEEDS_HUMAN, RESERVED_STATES, SUB_ISSUES

Path = tuple[str | int, ...]

SHARED_BOTS = ("github-actions", "github-actions[bot]", "web-flow", "dependabot", "dependabot[bot]")
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
LONGEST_LABEL = 50  # GitHub's own limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One thing to mend: where, which sentence, and what fills it."""

    path: Path
    key: str
    slots: dict[str, object] = field(default_factory=dict)


def mistake(path: Path, key: str, **slots: object) -> Mistake:
    return Mistake(path=path, key=f"config_{key}", slots=slots)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The valid name that was probably meant."""
    known, folded = list(known), name.casefold()
    close = difflib.get_close_matches(folded, known, n=1, cutoff=0.6)
    begun = [other for other in known if len(folded) > 2 and other.startswith(folded)]
    return next(iter(close + begun), None)


def plain(config: Config) -> Iterator[Mistake]:
    yield from _factory(config)
    yield from _forge(config)
    yield from _notify(config)
    if config.sandbox.containment == "none" and config.forge.kind != "local":
        yield mistake(("sandbox", "containment"), "containment_none", kind=config.forge.kind)
    if not config.cells:
        yield mistake(("cell",), "no_cells")
    elif not any(cell.enabled for cell in config.cells):
        yield mistake(("cell",), "all_cells_off")
    yield from _names_and_labels(config)
    for index, cell in enumerate(config.cells):
        yield from _cell(config, ("cell", index), cell)
        yield from _next(config, ("cell", index), cell)


def flow(config: Config) -> Iterator[Mistake]:
    on = {cell.name: cell for cell in config.cells if cell.enabled}
    ways = {name: [to for to in cell.next if to in on] for name, cell in on.items()}
    starts = {name for name, cell in on.items() if cell.on == "issue"}
    wanted = {config.factory.on_reply, config.factory.on_checks_failed} & set(on)
    reached = _reach(starts | wanted, ways) if starts else set(on)
    back: dict[str, list[str]] = {name: [] for name in on}
    for name, targets in ways.items():
        for to in targets:
            back[to].append(name)
    ends = {name for name, cell in on.items() if {DONE, MERGE, NEEDS_HUMAN} & set(cell.next)}
    ending = _reach(ends, back)
    for index, cell in enumerate(config.cells):
        if cell.name not in on or cell.on == "factory":
            continue
        if cell.name not in reached:
            yield mistake(("cell", index), "unreachable", name=cell.name)
        if not ways[cell.name] and cell.name not in ends:
            yield mistake(("cell", index, "next"), "next_all_off", name=cell.name)
        elif cell.name not in ending:
            yield mistake(("cell", index, "next"), "no_way_out", name=cell.name)


def _reach(starts: Iterable[str], ways: dict[str, list[str]]) -> set[str]:
    seen: set[str] = set()
    left = list(starts)
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += ways.get(name, [])
    return seen


# ---------------------------------------------------------------- [factory] and [forge]


def _factory(config: Config) -> Iterator[Mistake]:
    factory = config.factory
    if not factory.owner:
        yield mistake(("factory", "owner"), "no_owner")
    if factory.bot.casefold() in SHARED_BOTS:
        yield mistake(("factory", "bot"), "shared_bot", bot=factory.bot)
    if len(factory.label_prefix) > 20 or "," in factory.label_prefix:
        yield mistake(("factory", "label_prefix"), "prefix_form")
    if factory.priority_label.casefold().startswith(factory.label_prefix.casefold()):
        yield mistake(("factory", "priority_label"), "priority_prefix", prefix=factory.label_prefix)
    known = {cell.name: cell for cell in config.cells if cell.name}
    for key in ("on_reply", "on_checks_failed"):
        name = getattr(factory, key)
        if not name:
            continue
        cell = known.get(name)
        if cell is None:
            yield _unknown_cell(
                ("factory", key), name, [n for n in known if known[n].on != "factory"]
            )
        elif not cell.enabled:
            yield mistake(("factory", key), "cell_off", name=name)
        elif cell.on == "factory":
            yield mistake(("factory", key), "cell_of_factory", name=name)
    yield from _timezone(factory.timezone)


def _timezone(name: str) -> Iterator[Mistake]:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        zones = zoneinfo.available_timezones()
        if zones:
            by_fold = {zone.casefold(): zone for zone in zones}
            near = by_fold.get(nearest(name, by_fold) or "", "Europe/Berlin")
            yield mistake(("factory", "timezone"), "timezone", name=name, near=near)
        elif name != "UTC":  # a slim system without the tz database: UTC needs none
            yield mistake(("factory", "timezone"), "no_timezones", name=name)


def _forge(config: Config) -> Iterator[Mistake]:
    forge = config.forge
    if not forge.repos:
        yield mistake(("forge", "repos"), "no_repos")
    seen: set[str] = set()
    for index, repo in enumerate(forge.repos):
        if repo.casefold() in seen:
            yield mistake(("forge", "repos", index), "repo_twice", repo=repo)
        seen.add(repo.casefold())
    if forge.kind == "local":
        return
    for key in ("api_url", "git_url"):
        url = getattr(forge, key)
        if url:
            yield from _url(("forge", key), url)
        elif forge.kind == "gitea" and key == "api_url":
            yield mistake(("forge", "api_url"), "no_api_url")
    if forge.kind == "gitea" and forge.token is None:
        yield mistake(("forge", "token"), "no_token")


def _notify(config: Config) -> Iterator[Mistake]:
    notify = config.notify
    if notify.url and notify.url_from is not None:
        yield mistake(("notify", "url"), "notify_two_urls")
    if notify.url:
        yield from _url(("notify", "url"), notify.url)
    posts = notify.url or notify.url_from is not None
    if not posts and notify.token is not None:
        yield mistake(("notify", "token"), "notify_no_url", name="token")


def _url(path: Path, url: str) -> Iterator[Mistake]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        host, parts = "", urlsplit("")
    if parts.username or parts.password:
        yield mistake(path, "url_login")  # without the address: it holds a secret
    elif not host or (
        parts.scheme != "https" and not (parts.scheme == "http" and host in LOCAL_HOSTS)
    ):
        yield mistake(path, "url_form")


# ---------------------------------------------------------------- [[cell]]


def _names_and_labels(config: Config) -> Iterator[Mistake]:
    names: set[str] = set()
    labels: dict[str, str] = {}
    prefix = config.factory.label_prefix
    reserved = {(prefix + state).casefold() for state in RESERVED_STATES}
    for index, cell in enumerate(config.cells):
        if not cell.name:
            yield mistake(("cell", index, "name"), "no_name")
        elif cell.name in (*RESERVED_STATES, DONE, MERGE, ANSWER):
            yield mistake(("cell", index, "name"), "name_reserved", name=cell.name)
        elif cell.name in names:
            yield mistake(("cell", index, "name"), "name_twice", name=cell.name)
        names.add(cell.name)
        folded = cell.label.casefold()
        where = ("cell", index, "label")
        if cell.on == "factory":
            if cell.label:
                yield mistake(where, "label_of_factory")
            continue
        if not cell.name and folded == prefix.casefold():
            continue  # it would follow from the name, which is told of
        if not folded.startswith(prefix.casefold()) or folded == prefix.casefold():
            yield mistake(
                where, "label_prefix", label=cell.label, prefix=prefix, name=cell.name or "name"
            )
        elif folded in reserved and cell.name not in RESERVED_STATES:
            yield mistake(where, "label_reserved", label=cell.label)
        elif len(cell.label) > LONGEST_LABEL or "," in cell.label:
            yield mistake(where, "label_form", limit=LONGEST_LABEL)
        elif folded in labels and cell.name != labels[folded]:
            yield mistake(where, "label_twice", label=cell.label, other=labels[folded])
        labels.setdefault(folded, cell.name)


def _cell(config: Config, path: Path, cell: Cell) -> Iterator[Mistake]:
    if cell.on == "factory" and cell.every is None:
        yield mistake((*path, "every"), "no_every")
    if cell.on != "factory" and cell.every is not None:
        yield mistake((*path, "every"), "every_elsewhere", on=cell.on)
    if cell.on != "factory" and cell.unusual:
        yield mistake((*path, "unusual"), "unusual_elsewhere", on=cell.on)
    if cell.on == "factory" and (cell.writes or SUB_ISSUES in cell.fields):
        yield mistake((*path, "writes" if cell.writes else "fields"), "factory_reads_only")
    if cell.merge and cell.on != "pull_request":
        yield mistake((*path, "merge"), "merge_elsewhere", on=cell.on)
    elif cell.merge and MERGE not in cell.next:
        yield mistake((*path, "next"), "merge_unused")
    elif cell.merge and set(cell.next) - {MERGE, NEEDS_HUMAN}:
        yield mistake((*path, "next"), "merge_only")
    if cell.needs_record and not cell.writes:
        yield mistake((*path, "needs_record"), "record_without_writes")
    if cell.needs_test and "needs_test" in cell.model_fields_set and not config.commands.test:
        yield mistake((*path, "needs_test"), "test_without_command")


def _next(config: Config, path: Path, cell: Cell) -> Iterator[Mistake]:
    known = {other.name: other for other in config.cells if other.name}
    allowed = [name for name, other in known.items() if other.on != "factory"]
    allowed += [DONE, NEEDS_HUMAN, *([MERGE] if cell.merge else [])]
    if not cell.next and cell.on != "factory":
        yield mistake((*path, "next"), "no_next")
    for index, name in enumerate(cell.next):
        where = (*path, "next", index)
        if cell.on == "factory" and name != DONE:
            yield mistake(where, "next_of_factory", name=name)
        elif name == MERGE:
            if not cell.merge:
                yield mistake(where, "next_merge")
        elif name in cell.next[:index]:
            yield mistake(where, "next_twice", name=name)
        elif name in known and known[name].on == "factory":
            yield mistake(where, "cell_of_factory", name=name)
        elif name not in allowed:
            yield _unknown_cell(where, name, allowed)


def _unknown_cell(path: Path, name: str, known: list[str]) -> Mistake:
    near = nearest(name, known)
    if near:
        return mistake(path, "unknown_cell_near", name=name, near=near)
    return mistake(path, "unknown_cell", name=name, known=", ".join(known) or "–")
