"""What people do on the embedded forge and the factory does not: review, rename, reopen, checks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from agentcells.forge import Forbidden, ForgeError, NotFound
from agentcells.forge.local_items import Draft, Signed, plain_text
from agentcells.forge.local_store import Book, Shelf
from agentcells.model import Account, Check, Comment, Item, Sha

# It becomes the author line of a merge commit.
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}(?:\[bot\])?\Z")
Verdict: TypeAlias = Literal["approved", "changes_requested", "commented", "dismissed"]


class Desk(Signed):
    """Local only: on GitHub and Gitea people do these in the browser."""

    # ------------------------------------------------------------ accounts and labels

    def accounts(self) -> tuple[Account, ...]:
        with self._book() as book:
            return book.accounts

    def add_account(self, login: str, kind: Literal["user", "bot"] = "user") -> Account:
        with self._book() as book:
            book = with_account(book, login, kind)
            self._store.save_book(book)
            return book.accounts[-1]

    def rename_account(self, login: str, new_login: str) -> Account:
        """The id stays; the old login is free for somebody else, as on real forges."""
        with self._book() as book:
            old = book.account(login)
            if old is None:
                raise NotFound("local_no_account", login=login)
            _free_login(book, new_login, but=old.id)
            new = replace(old, login=new_login)
            accounts = tuple(new if a.id == old.id else a for a in book.accounts)
            self._store.save_book(replace(book, accounts=accounts))
            if self.as_login.casefold() == login.casefold():
                self.as_login = new_login
            return new

    def rename_label(self, repo: str, name: str, new_name: str) -> None:
        """The id stays."""
        with self._book() as book:
            shelf = book.shelf(repo)
            tag = self._tag(shelf, name)
            taken = shelf.tag(new_name)
            if taken is not None and taken.id != tag.id:
                raise ForgeError("local_label_exists", repo=repo, label=new_name)
            new = replace(tag, name=plain_text(new_name))
            tags = tuple(new if t.id == tag.id else t for t in shelf.tags)
            self._store.save_book(with_shelf(book, replace(shelf, tags=tags)))
            self._touch(repo, tag.id, keep=True)

    def delete_label(self, repo: str, name: str) -> None:
        """Takes it off every item, without an event, as real forges do."""
        with self._book() as book:
            shelf = book.shelf(repo)
            tag = self._tag(shelf, name)
            self._touch(repo, tag.id, keep=False)
            tags = tuple(t for t in shelf.tags if t.id != tag.id)
            self._store.save_book(with_shelf(book, replace(shelf, tags=tags)))

    def _touch(self, repo: str, label_id: str, *, keep: bool) -> None:
        for page in self._store.pages(repo):
            labels = page.item.labels
            if any(label.id == label_id for label in labels):
                draft = Draft(page, None, self._store.tick)
                draft.set(draft.tick(), labels=tuple(
                    label for label in labels if keep or label.id != label_id))
                self._store.save_page(draft.page)

    # ------------------------------------------------------------ reviews

    def review(self, item: Item, verdict: Verdict, body: str = "") -> Comment:
        with self._change(item.repo, item.number) as draft:
            facts = draft.pull()
            mine = draft.actor and draft.item.author and draft.actor.id == draft.item.author.id
            if mine and verdict in ("approved", "changes_requested"):
                raise Forbidden("local_own_review", repo=item.repo, number=item.number,
                                permission="review")
            return draft.say(plain_text(body), kind="review", verdict=verdict,
                             commit=facts.head_sha)

    def start_thread(self, item: Item, path: str, line: int, body: str) -> Comment:
        """A remark on one line of the change; answers go to its `thread_id`."""
        with self._change(item.repo, item.number) as draft:
            facts = draft.pull()
            thread = draft.new_id()
            return draft.say(plain_text(body), kind="thread", path=path, line=line,
                             thread_id=thread, commit=facts.head_sha)

    def resolve_thread(self, item: Item, thread_id: str, resolved: bool = True) -> None:
        with self._change(item.repo, item.number) as draft:
            thread_of(draft, thread_id)
            draft.set(draft.tick(), comments=tuple(
                replace(c, resolved=resolved) if c.thread_id == thread_id else c
                for c in draft.item.comments))

    # ------------------------------------------------------------ items

    def comment_by_email(self, item: Item, body: str) -> Comment:
        with self._change(item.repo, item.number) as draft:
            return draft.say(plain_text(body), by_email=True)

    def delete_comment(self, item: Item, comment_id: str) -> None:
        """Idempotent."""
        with self._change(item.repo, item.number) as draft:
            kept = tuple(c for c in draft.item.comments if c.id != comment_id)
            if len(kept) != len(draft.item.comments):
                draft.set(draft.tick(), comments=kept)

    def reopen(self, item: Item) -> None:
        """Idempotent. A merged pull request stays merged."""
        with self._change(item.repo, item.number) as draft:
            if draft.item.state == "open":
                return
            if draft.item.state == "merged":
                self._still_open(draft.item)
            at = draft.event("reopened")
            draft.set(at, state="open", closed_at=None)

    def unassign(self, item: Item, accounts: Sequence[Account]) -> None:
        """Idempotent."""
        with self._change(item.repo, item.number) as draft:
            for account in accounts:
                kept = tuple(a for a in draft.item.assignees if a.id != account.id)
                if len(kept) != len(draft.item.assignees):
                    draft.set(draft.event("unassigned", assignee=account), assignees=kept)

    def mark_transferred(self, item: Item) -> None:
        """As if the item had come from another repository just now."""
        with self._change(item.repo, item.number) as draft:
            draft.event("transferred")

    def block(self, item: Item, by: Sequence[int]) -> None:
        """The issues that this one waits for; closed ones no longer count."""
        with self._change(item.repo, item.number) as draft:
            for number in by:
                self._store.page(item.repo, number)
            draft.set(draft.tick(), blocked_by=tuple(by))

    # ------------------------------------------------------------ pull requests

    def set_checks(self, item: Item, checks: Sequence[Check], sha: Sha | None = None) -> None:
        """What a build service says of a commit (default: the head as it is now)."""
        with self._change(item.repo, item.number) as draft:
            of = sha or draft.pull().head_sha
            names = {check.name for check in checks}
            kept = tuple(c for c in draft.page.checks if c[0] != of or c[1].name not in names)
            passed = {(str(of), check.name) for check in checks if check.state == "success"}
            draft.page = replace(
                draft.page, checks=(*kept, *((of, check) for check in checks)),
                passed=tuple(sorted({*draft.page.passed, *passed})),
            )
            draft.set(draft.tick())

    def record_push(self, item: Item) -> None:
        """The signed-in account says that it pushed the present head: a folder cannot know."""
        with self._change(item.repo, item.number) as draft:
            facts = draft.pull()
            if draft.actor and all(p.id != draft.actor.id for p in facts.pushers):
                pushers = (*facts.pushers, draft.actor)
                draft.set(draft.tick(), pull=replace(facts, pushers=pushers))


def with_account(book: Book, login: str, kind: Literal["user", "bot"]) -> Book:
    _free_login(book, login)
    account = Account(id=f"U{len(book.accounts) + 1}", login=login, kind=kind)
    return replace(book, accounts=(*book.accounts, account))


def _free_login(book: Book, login: str, but: str = "") -> None:
    if not _LOGIN.match(login):
        raise ForgeError("local_bad_login", exit_code=2, login=login)
    taken = book.account(login)
    if taken is not None and taken.id != but:
        raise ForgeError("local_login_taken", login=login)


def with_shelf(book: Book, shelf: Shelf) -> Book:
    shelves = tuple(shelf if s.id == shelf.id else s for s in book.shelves)
    return replace(book, shelves=shelves)


def thread_of(draft: Draft, thread_id: str) -> Comment:
    """The newest line of a review thread."""
    for comment in reversed(draft.item.comments):
        if comment.kind == "thread" and comment.thread_id == thread_id:
            return comment
    raise NotFound("local_no_thread", repo=draft.item.repo, number=draft.item.number,
                   thread=thread_id)
