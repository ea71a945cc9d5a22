"""The issues of one project, for an agent that a person drives: read quickly, written with care.

What it writes is marked as its own and counts as reference, never as the owner's word; the
factory's labels and the text of what is in its line stay out of its reach (R29).
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar, cast

from agentcells.forge import (
    Forge,
    ForgeError,
    Glance,
    IssueReader,
    NotFound,
    Partial,
    Unauthorized,
    Unavailable,
)
from agentcells.markers import below, looks_ours, parse_marker, render_marker
from agentcells.model import Comment, Item, Row, branch_name
from agentcells.posts import Marker
from agentcells.text import bounded, clean

if TYPE_CHECKING:
    from agentcells.config import Config

P = ParamSpec("P")
R = TypeVar("R")
State: TypeAlias = Literal["open", "closed", "all"]

NEWEST = 50
BODY_LIMIT = 12_000
COMMENT_LIMIT = 6_000
COMMENTS_LIMIT = 30_000  # characters of all of them: the newest that fit
_ATTEMPTS = (1, 2, 3)
# Our own hidden lines, whole: a web page does not show them either.
_HIDDEN = re.compile(r"^<!-- agentcells:(?:v1|data) \{.*\} -->$\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One comment as it is told; `number` counts from the oldest of the issue."""

    number: int
    by: str
    at: str
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    number: int
    title: str
    state: str
    labels: tuple[str, ...]
    body: str = ""
    comments_total: int = 0
    comments: tuple[Said, ...] = ()


@dataclass(slots=True)
class Doubts:
    """Writes that may or may not have been made: their next try looks first (R18).

    Kept for one connection. Two equal comments that both succeed are two comments.
    """

    tokens: dict[str, str] = field(default_factory=dict)

    def token(self, *what: str) -> tuple[str, str, bool]:
        """(key, token, doubtful) of a write."""
        key = hashlib.sha256("\0".join(what).encode("utf-8", "replace")).hexdigest()
        known = self.tokens.get(key, "")
        return key, known or f"w{secrets.token_hex(8)}", bool(known)


def _signed_in(
    method: Callable[Concatenate[Tracker, P], R]
) -> Callable[Concatenate[Tracker, P], R]:
    """A token that has run out may have been renewed by the next call: it is fetched again."""

    @wraps(method)
    def act(self: Tracker, *words: P.args, **named: P.kwargs) -> R:
        try:
            return method(self, *words, **named)
        except Unauthorized:
            self.forget()
            raise

    return cast("Callable[Concatenate[Tracker, P], R]", act)


class Tracker:
    """Raises ForgeError; `work_no_label`, `work_label_reserved`, `work_in_line` are its own."""

    def __init__(self, sign_in: Callable[[], Forge], repo: str, config: Config) -> None:
        self._sign_in = sign_in
        self._forge: Forge | None = None
        self.repo = repo
        self.config = config

    @property
    def forge(self) -> Forge:
        if self._forge is None:
            self._forge = self._sign_in()
        return self._forge

    def forget(self) -> None:
        """Sign in anew next time."""
        self._forge = None

    # ------------------------------------------------------------ reading

    @_signed_in
    def check(self) -> None:
        """One request that fails when nothing else would work either."""
        self.forge.repository(self.repo)

    @_signed_in
    def demand(self, number: int) -> None:
        """Raises NotFound when there is no such issue."""
        self._issue(number, 0)

    @_signed_in
    def read(self, number: int, last: int = NEWEST) -> Issue:
        glance = self._issue(number, last)
        item, total = glance.item, glance.comments_total
        first = total - len(item.comments) + 1
        said = tuple(_said(c, first + n) for n, c in enumerate(item.comments))
        return Issue(
            number=item.number, title=clean(item.title), state=item.state,
            labels=tuple(label.name for label in item.labels),
            body=_shown(item.body, BODY_LIMIT), comments_total=total,
            comments=_newest(said, COMMENTS_LIMIT),
        )

    @_signed_in
    def listed(self, state: State, limit: int) -> tuple[Issue, ...]:
        rows = self._rows(state, limit)
        return tuple(
            Issue(number=row.number, title=clean(row.title), state=row.state,
                  labels=tuple(label.name for label in row.labels))
            for row in rows
        )

    # ------------------------------------------------------------ writing

    @_signed_in
    def create(self, title: str, body: str, labels: Sequence[str], doubts: Doubts) -> int:
        names = self._allowed(labels)
        key, token, doubtful = doubts.token("create", title, body, *names)
        if doubtful and (made := self._made(title, token)):
            doubts.tokens.pop(key, None)
            return made
        text = f"{_marker(token)}\n{body}"
        try:
            number = self.forge.create_issue(self.repo, title, text, names, [])
        except (Unavailable, Partial):
            doubts.tokens[key] = token
            raise
        doubts.tokens.pop(key, None)
        return number

    @_signed_in
    def comment(self, number: int, body: str, doubts: Doubts) -> None:
        glance = self._issue(number, NEWEST)
        key, token, doubtful = doubts.token("comment", str(number), body)
        if not (doubtful and any(_token(c.body) == token for c in glance.item.comments)):
            try:
                self.forge.comment(glance.item, f"{_marker(token)}\n{body}")
            except (Unavailable, Partial):
                doubts.tokens[key] = token
                raise
        doubts.tokens.pop(key, None)

    @_signed_in
    def update(self, number: int, title: str | None, body: str | None,
               labels: Sequence[str] | None) -> bool:
        """Whether anything has changed. `labels` are all it shall have, besides the factory's."""
        item = self._issue(number, 0).item
        wanted = None if labels is None else self._allowed(labels)
        if body is not None:
            first = item.body.partition("\n")[0]
            body = f"{first}\n{body}" if looks_ours(item.body) else _unmarked(body)
        text = title not in (None, item.title) or body not in (None, item.body)
        if text and self.in_line(item):
            raise ForgeError("work_in_line", issue=number)
        if text:
            self.forge.edit_issue(item, title, body)
        return (wanted is not None and self._relabel(item, wanted)) or text

    @_signed_in
    def close(self, number: int, comment: str, doubts: Doubts) -> None:
        if comment:
            self.comment(number, comment, doubts)
        item = self._issue(number, 0).item
        if item.state == "open":
            self.forge.close(item)

    @_signed_in
    def delegate(self, number: int, cell: str, text: str, doubts: Doubts) -> bool:
        """Say that an issue is ready for a cell; put it there when the owner allows that (R29).

        Never for an issue that somebody else wrote. True: it is in the line now.
        """
        row = self.config.cell(cell)
        if row is None or row.on != "issue":
            raise ForgeError("work_no_cell")
        item = self._issue(number, 0).item
        if self.in_line(item):
            return True
        owner = self.forge.account(self.config.factory.owner)
        own = item.author is not None and item.author.id == owner.id
        if not (self.config.records.delegate and own):
            self.comment(number, text, doubts)
            return False
        label = self._line_label(cell)
        key, token, doubtful = doubts.token("delegate", str(number), cell)
        doubts.tokens[key] = token
        said = self._issue(number, NEWEST).item.comments if doubtful else ()
        if not any(_token(comment.body) == token for comment in said):
            # Announced first: the factory takes the label for the owner's because of this post (R24).
            self.forge.comment(item, f"{_marker(token, to=cell)}\n{text}")
        self.forge.assign(item, [owner])
        self.forge.add_labels(item, [label])
        doubts.tokens.pop(key)
        return True

    def _line_label(self, cell: str) -> str:
        name = self.config.label(cell)
        if all(label.name != name for label in self.forge.labels(self.repo)):
            raise ForgeError("work_no_cell")
        return name

    def in_line(self, item: Item) -> bool:
        """Whether the factory works, or waits for a word, on this issue (R29)."""
        if any(self.config.state(label.name) is not None for label in item.labels):
            return True
        heads = (branch_name(item.number, attempt) for attempt in _ATTEMPTS)
        pulls = (self.forge.pull_by_head(self.repo, head) for head in heads)
        return any(pull is not None and pull.state == "open" for pull in pulls)

    # ------------------------------------------------------------ inside

    def _issue(self, number: int, comments: int) -> Glance:
        if isinstance(self.forge, IssueReader):
            glance = self.forge.glance(self.repo, number, comments)
        else:
            item = self.forge.read(self.repo, number)
            said = tuple(c for c in item.comments if c.kind == "comment")
            newest = said[max(0, len(said) - comments):]
            glance = Glance(item=replace(item, comments=newest), comments_total=len(said))
        if glance.item.kind != "issue":
            raise NotFound("work_no_issue", issue=number)
        return glance

    def _rows(self, state: State, limit: int) -> tuple[Row, ...]:
        if isinstance(self.forge, IssueReader):
            return self.forge.recent(self.repo, state, limit)
        rows = (row for row in self.forge.listing(self.repo).rows if row.kind == "issue")
        return tuple(row for row in rows if state in ("all", row.state))[:limit]

    def _made(self, title: str, token: str) -> int | None:
        for row in self._rows("all", NEWEST):
            if row.title == title and _token(self._issue(row.number, 0).item.body) == token:
                return row.number
        return None

    def _allowed(self, names: Sequence[str]) -> tuple[str, ...]:
        """These labels, as the forge spells them; none of the factory's."""
        if any(self.config.state(name) is not None for name in names):
            raise ForgeError("work_label_reserved")
        if not names:
            return ()
        known: Mapping[str, str] = {x.name.casefold(): x.name for x in self.forge.labels(self.repo)}
        if any(name.casefold() not in known for name in names):
            raise ForgeError("work_no_label")
        return tuple(dict.fromkeys(known[name.casefold()] for name in names))

    def _relabel(self, item: Item, wanted: Sequence[str]) -> bool:
        own = [x.name for x in item.labels if self.config.state(x.name) is None]
        more = [name for name in wanted if name not in own]
        less = [name for name in own if name not in wanted]
        if more:
            self.forge.add_labels(item, more)
        if less:
            self.forge.remove_labels(item, less)
        return bool(more or less)


def _marker(token: str, to: str = "") -> str:
    return render_marker(Marker(kind="records", run=token, to=to))


def _unmarked(body: str) -> str:
    """A text of a model never begins with a marker of ours (R28)."""
    return body.replace("<!--", "<! --", 1) if looks_ours(body.lstrip()) else body


def _token(body: str) -> str:
    marker = parse_marker(body)
    return marker.run if marker is not None and marker.kind == "records" else ""


def _shown(body: str, limit: int) -> str:
    text = below(body) if looks_ours(body.lstrip()) else body
    return bounded(clean(_HIDDEN.sub("", text)).strip(), limit)


def _newest(said: Sequence[Said], limit: int) -> tuple[Said, ...]:
    kept: list[Said] = []
    for one in reversed(said):
        limit -= len(one.body)
        if limit < 0:
            break
        kept.insert(0, one)
    return tuple(kept)


def _said(comment: Comment, number: int) -> Said:
    by = comment.author.login if comment.author else ""
    at = comment.created_at.isoformat(timespec="seconds")
    return Said(number=number, by=by, at=at, body=_shown(comment.body, COMMENT_LIMIT))

