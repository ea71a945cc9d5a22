"""One signed-in account on the embedded forge: how an item is looked at and how it is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from agentcells.forge import ForgeError, NotFound, Stale, Unauthorized
from agentcells.forge.local_store import Book, Clock, Page, Shelf, Store, Tag, utc_now
from agentcells.model import (
    Account,
    Check,
    CheckState,
    Comment,
    Edit,
    Event,
    EventKind,
    Item,
    Label,
    PullFacts,
    Sha,
)

Named = TypeVar("Named", Account, Label)


class Draft:
    """An item while it is changed. Every step has its own, later time, and moves `updated_at`."""

    def __init__(self, page: Page, actor: Account | None, tick: Callable[[], datetime]) -> None:
        self.page = page
        self.actor = actor
        self.tick = tick

    @property
    def item(self) -> Item:
        return self.page.item

    def new_id(self) -> str:
        self.page = replace(self.page, serial=self.page.serial + 1)
        return f"{self.item.id}.{self.page.serial}"

    def set(self, at: datetime, **fields: Any) -> None:
        self.page = replace(self.page, item=replace(self.item, updated_at=at, **fields))

    def pull(self) -> PullFacts:
        if self.item.pull is None:
            raise ForgeError("local_not_pull", repo=self.item.repo, number=self.item.number)
        return self.item.pull

    def event(self, kind: EventKind, *, label: Label | None = None,
              assignee: Account | None = None) -> datetime:
        at = self.tick()
        event = Event(id=self.new_id(), kind=kind, at=at, actor=self.actor, label=label,
                      assignee=assignee)
        self.set(at, events=(*self.item.events, event))
        return at

    def close(self, kind: EventKind = "closed") -> None:
        at = self.event(kind)
        self.set(at, state="closed", closed_at=at)

    def say(self, body: str, **fields: Any) -> Comment:
        at = self.tick()
        comment = Comment(id=self.new_id(), author=self.actor, body=body, created_at=at,
                          updated_at=at, **fields)
        self.set(at, comments=(*self.item.comments, comment))
        return comment

    def comment(self, comment_id: str) -> Comment:
        for comment in self.item.comments:
            if comment.id == comment_id:
                return comment
        raise NotFound("local_no_comment", repo=self.item.repo, number=self.item.number,
                       comment=comment_id)

    def put_comment(self, comment: Comment, at: datetime) -> None:
        self.set(at, comments=tuple(comment if c.id == comment.id else c
                                    for c in self.item.comments))


class Signed:
    """What reading and changing share. The public methods are in local_desk.py and local.py."""

    def __init__(self, root: Path, as_login: str, *, clock: Clock = utc_now) -> None:
        self.as_login = as_login
        self._store = Store(Path(root), clock)

    def _me(self, book: Book) -> Account:
        account = book.account(self.as_login)
        if account is None:
            raise Unauthorized("local_no_account", login=self.as_login)
        return account

    @contextmanager
    def _change(self, repo: str, number: int) -> Iterator[Draft]:
        """Change one item; it is written once, at the end, if anything is different."""
        with self._store.locked():
            book = self._store.book()
            me = self._me(book)
            shelf = book.shelf(repo)
            page = self._seen(shelf, self._store.page(repo, number))
            draft = Draft(page, me, self._store.tick)
            yield draft
            if draft.page != page:
                self._store.save_page(draft.page)

    @contextmanager
    def _book(self) -> Iterator[Book]:
        with self._store.locked():
            yield self._store.book()

    def _tag(self, shelf: Shelf, name: str) -> Tag:
        tag = shelf.tag(name)
        if tag is None:
            raise NotFound("local_no_label", repo=shelf.name, label=name)
        return tag

    # ------------------------------------------------------------ what git did meanwhile

    def _seen(self, shelf: Shelf, page: Page, tips: Mapping[str, Sha] | None = None) -> Page:
        """The page after what pushes did to an open pull request; git does not tell the forge.

        A person may also merge with his own git; a merge of ours that was killed halfway
        looks the same.
        """
        item = page.item
        if item.pull is None or item.state != "open":
            return page
        tips = self._store.bare(shelf.name).tips() if tips is None else tips
        head, base = tips.get(item.pull.head_ref), tips.get(item.pull.base_ref, Sha(""))
        if head == item.pull.head_sha and base == page.base_seen:
            return page
        draft = Draft(replace(page, base_seen=base), None, self._store.tick)
        if head is None:
            draft.close()
        else:
            self._moved(shelf, draft, head, base, base_moved=base != page.base_seen)
        self._store.save_page(draft.page)
        return draft.page

    def _moved(self, shelf: Shelf, draft: Draft, head: Sha, base: Sha, *, base_moved: bool) -> None:
        facts = draft.pull()
        if head != facts.head_sha:
            draft.set(draft.tick(), pull=replace(facts, head_sha=head, pushers=()))
        if not base or not self._store.bare(shelf.name).contains(base, head):
            return
        if base_moved:
            self._land(shelf, draft, base)
        else:
            draft.close()  # nothing is left of it: the branch was set back to the base

    def _land(self, shelf: Shelf, draft: Draft, merge_sha: Sha) -> None:
        """The head is in the base. Issues first: `_seen` then repairs a crash in between."""
        facts = draft.pull()
        if facts.base_ref == shelf.default_branch:
            numbers = self._store.numbers(shelf.name)
            for number in (n for n in facts.closes if n in numbers):
                other = Draft(self._store.page(shelf.name, number), draft.actor, self._store.tick)
                if other.item.kind == "issue" and other.item.state == "open":
                    other.close()
                    self._store.save_page(other.page)
        at = draft.event("merged")
        draft.close()
        merged = replace(facts, merged_at=at, merge_sha=merge_sha)
        draft.set(draft.item.updated_at, state="merged", pull=merged)

    # ------------------------------------------------------------ as it is shown

    def _shown(self, book: Book, shelf: Shelf, page: Page) -> Item:
        item = _renewed(page.item, {a.id: a for a in book.accounts},
                        {t.id: t.label for t in shelf.tags})
        if item.blocked_by:
            waits = tuple(n for n in item.blocked_by
                          if self._store.page(shelf.name, n).item.state == "open")
            item = replace(item, blocked_by=waits)
        if item.pull is None:
            return item
        head = item.pull.head_sha
        checks = tuple(check for sha, check in page.checks if sha == head)
        failed = tuple(check for check in checks if check.state == "failure")
        return replace(item, pull=replace(
            item.pull, mergeable=self._mergeable(shelf, item), checks=_sum_up(checks),
            failed_checks=failed,
            flaky_checks=tuple(c.name for c in failed if (head, c.name) in page.passed),
            passed_checks=tuple(c.name for c in checks if c.state == "success")))

    def _mergeable(self, shelf: Shelf, item: Item) -> bool | None:
        bare = self._store.bare(shelf.name)
        base = bare.tips().get(item.pull.base_ref) if item.pull and item.state == "open" else None
        if item.pull is None or base is None:
            return None
        return bare.merged_tree(base, item.pull.head_sha) is not None

    def _still_open(self, item: Item) -> None:
        if item.state != "open":
            raise Stale("local_not_open", repo=item.repo, number=item.number, state=item.state)


def plain_text(text: str) -> str:
    """Half characters (lone surrogates) cannot be stored; a real forge refuses them too."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ForgeError("local_bad_text") from None
    return text


def _sum_up(checks: Sequence[Check]) -> CheckState:
    states = {check.state for check in checks}
    order: tuple[CheckState, ...] = ("failure", "pending", "success")
    return next((state for state in order if state in states), "none")


def _renewed(item: Item, accounts: Mapping[str, Account], labels: Mapping[str, Label]) -> Item:
    """Kept are ids; logins and label names are as they are now."""

    def now(kept: Named | None, known: Mapping[str, Named]) -> Named | None:
        return kept and known.get(kept.id, kept)

    def edits(kept: tuple[Edit, ...] | None) -> tuple[Edit, ...]:
        return tuple(replace(e, editor=now(e.editor, accounts)) for e in kept or ())

    pull = item.pull and replace(
        item.pull, pushers=tuple(accounts.get(p.id, p) for p in item.pull.pushers))
    return replace(
        item, pull=pull, author=now(item.author, accounts), edits=edits(item.edits),
        labels=tuple(labels.get(label.id, label) for label in item.labels),
        assignees=tuple(accounts.get(a.id, a) for a in item.assignees),
        comments=tuple(replace(c, author=now(c.author, accounts), edits=edits(c.edits))
                       for c in item.comments),
        events=tuple(replace(e, actor=now(e.actor, accounts), label=now(e.label, labels),
                             assignee=now(e.assignee, accounts)) for e in item.events))
