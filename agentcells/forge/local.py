"""The embedded local forge: a folder of issues, pull requests and bare git repositories."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from agentcells.forge import (
    Forbidden,
    ForgeError,
    Glance,
    Leased,
    Listing,
    NotFound,
    Remote,
    Repository,
    Stale,
    lease_refs,
)
from agentcells.forge.closing import closing_numbers
from agentcells.forge.local_desk import Desk, thread_of, with_account, with_shelf
from agentcells.forge.local_items import Draft, plain_text
from agentcells.forge.local_store import Book, Clock, Page, Shelf, Store, Tag, split_name, utc_now
from agentcells.model import Account, Comment, Edit, Item, Kind, Label, PullFacts, Row, Sha


class LocalForge(Desk):
    """Satisfies `agentcells.forge.Forge`. Several processes may use the folder at once.

    There is no password: whoever can write the folder can act as any account of it.
    """

    @classmethod
    def create(cls, root: Path, owner: str, repos: Sequence[str], *, bot: str = "",
               default_branch: str = "main", clock: Clock = utc_now) -> LocalForge:
        """A new forge with empty repositories; the answer is signed in as the owner."""
        forge = cls(root, owner, clock=clock)
        if forge._store.found():
            raise ForgeError("local_exists", root=root)
        book = with_account(Book(id=secrets.token_hex(4)), owner, "user")
        if bot:
            book = with_account(book, bot, "bot")
        for repo in dict.fromkeys(repos):
            split_name(repo)
            book = replace(book, shelves=(*book.shelves, Shelf(
                id=f"R{len(book.shelves) + 1}", name=repo, default_branch=default_branch)))
        forge._store.start(book)
        return forge

    def add_repository(self, repo: str, default_branch: str = "main") -> Repository:
        """Idempotent."""
        split_name(repo)
        with self._book() as book:
            if all(shelf.name != repo for shelf in book.shelves):
                shelf = Shelf(id=f"R{len(book.shelves) + 1}", name=repo,
                              default_branch=default_branch)
                self._store.start_repository(shelf)
                self._store.save_book(replace(book, shelves=(*book.shelves, shelf)))
        return self.repository(repo)

    @staticmethod
    def exists(root: Path) -> bool:
        return Store(root).found()

    # ------------------------------------------------------------ accounts, repository, labels

    def viewer(self) -> Account:
        with self._book() as book:
            return self._me(book)

    def account(self, login: str) -> Account:
        with self._book() as book:
            account = book.account(login)
            if account is None:
                raise NotFound("local_no_account", login=login)
            return account

    def repository(self, repo: str) -> Repository:
        with self._book() as book:
            shelf = book.shelf(repo)
            empty = shelf.default_branch not in self._store.bare(repo).tips()
            return Repository(id=shelf.id, name=shelf.name, default_branch=shelf.default_branch,
                              empty=empty)

    def labels(self, repo: str) -> tuple[Label, ...]:
        with self._book() as book:
            return tuple(tag.label for tag in book.shelf(repo).tags)

    def create_label(self, repo: str, name: str, color: str, description: str) -> Label:
        with self._book() as book:
            shelf = book.shelf(repo)
            tag = shelf.tag(name)
            if tag is None:
                serial = shelf.serial + 1
                tag = Tag(id=f"{shelf.id}.L{serial}", name=plain_text(name), color=color,
                          description=plain_text(description))
                shelf = replace(shelf, tags=(*shelf.tags, tag), serial=serial)
                self._store.save_book(with_shelf(book, shelf))
            return tag.label

    # ------------------------------------------------------------ reading

    def listing(self, repo: str, mark: str = "") -> Listing:
        with self._book() as book:
            shelf = book.shelf(repo)
            tips = self._store.bare(repo).tips()
            pages = self._store.pages(repo)
            if any(self._seen(shelf, page, tips) is not page for page in pages):
                pages = self._store.pages(repo)  # a merge found there may have closed an issue
            items = [self._labelled(shelf, page) for page in pages]
        newest = max((i.updated_at for i in items), default=datetime.min.replace(tzinfo=UTC))
        since = _since(mark, book.id, newest)
        if since is not None:
            items = [item for item in items if item.updated_at > since]
        elif not mark:
            items = [item for item in items if item.state == "open"]
        rows = sorted(map(_row, items), key=lambda row: row.updated_at, reverse=True)
        return Listing(rows=tuple(rows), complete=True, mark=f"{newest.isoformat()}@{book.id}",
                       afresh=bool(mark) and since is None)

    def read(self, repo: str, number: int) -> Item:
        with self._book() as book:
            shelf = book.shelf(repo)
            page = self._seen(shelf, self._store.page(repo, number))
            return self._shown(book, shelf, page)

    def glance(self, repo: str, number: int, comments: int) -> Glance:
        whole = self.read(repo, number)
        said = tuple(comment for comment in whole.comments if comment.kind == "comment")
        newest = said[max(0, len(said) - comments):]
        return Glance(item=replace(whole, comments=newest), comments_total=len(said))

    def recent(
        self, repo: str, state: Literal["open", "closed", "all"], limit: int
    ) -> tuple[Row, ...]:
        with self._book() as book:
            shelf = book.shelf(repo)
            items = [self._labelled(shelf, page) for page in self._store.pages(repo)]
        wanted = [item for item in items
                  if item.kind == "issue" and state in ("all", item.state)]
        wanted.sort(key=lambda item: item.updated_at, reverse=True)
        return tuple(map(_row, wanted[:limit]))

    def pull_by_head(self, repo: str, head: str) -> Item | None:
        with self._book() as book:
            shelf = book.shelf(repo)
            page = self._newest_pull(repo, head)
            return self._shown(book, shelf, self._seen(shelf, page)) if page else None

    def branch(self, repo: str, ref: str) -> Sha | None:
        with self._book() as book:
            return self._store.bare(book.shelf(repo).name).tips().get(ref)

    def branches(self, repo: str, prefix: str) -> tuple[str, ...]:
        with self._book() as book:
            tips = self._store.bare(book.shelf(repo).name).tips()
            return tuple(ref for ref in sorted(tips) if ref.startswith(prefix))

    def lease(self, repo: str, number: int) -> Leased | None:
        return lease_refs.read(self.remote(repo), number)

    def swap_lease(self, repo: str, number: int, before: Sha | None, text: str) -> Sha | None:
        return lease_refs.swap(self.remote(repo), number, before, text, self.clock())

    def remote(self, repo: str) -> Remote:
        with self._book() as book:
            return Remote(url=str(self._store.bare(book.shelf(repo).name).path.absolute()))

    def clock(self) -> datetime:
        return self._store.now()

    # ------------------------------------------------------------ labels, comments, assignees

    def add_labels(self, item: Item, names: Sequence[str]) -> tuple[Label, ...]:
        with self._change(item.repo, item.number) as draft:
            shelf = self._store.book().shelf(item.repo)
            for tag in [self._tag(shelf, name) for name in names]:
                _label(draft, tag)
            return draft.item.labels

    def remove_labels(self, item: Item, names: Sequence[str]) -> None:
        with self._change(item.repo, item.number) as draft:
            shelf = self._store.book().shelf(item.repo)
            for tag in filter(None, (shelf.tag(name) for name in names)):
                kept = tuple(label for label in draft.item.labels if label.id != tag.id)
                if len(kept) != len(draft.item.labels):
                    draft.set(draft.event("unlabeled", label=tag.label), labels=kept)

    def comment(self, item: Item, body: str) -> Comment:
        with self._change(item.repo, item.number) as draft:
            return draft.say(plain_text(body))

    def edit_comment(self, item: Item, comment_id: str, body: str) -> None:
        with self._change(item.repo, item.number) as draft:
            old = draft.comment(comment_id)
            if old.body != body:
                at = draft.tick()
                edits = (*(old.edits or ()), Edit(at=at, editor=draft.actor))
                draft.put_comment(
                    replace(old, body=plain_text(body), updated_at=at, edits=edits), at)

    def reply(self, item: Item, thread_id: str, body: str) -> None:
        with self._change(item.repo, item.number) as draft:
            last = thread_of(draft, thread_id)
            draft.say(plain_text(body), kind="thread", path=last.path, line=last.line,
                      thread_id=thread_id, commit=last.commit, resolved=last.resolved)

    def assign(self, item: Item, accounts: Sequence[Account]) -> None:
        with self._change(item.repo, item.number) as draft:
            _assign(draft, self._store.book(), accounts)

    # ------------------------------------------------------------ issues

    def create_issue(self, repo: str, title: str, body: str, labels: Sequence[str],
                     assignees: Sequence[Account]) -> int:
        with self._book() as book:
            shelf = book.shelf(repo)
            draft = self._blank(book, shelf, "issue", title, body)
            for tag in [self._tag(shelf, name) for name in labels]:
                _label(draft, tag)
            _assign(draft, book, assignees)
            self._store.save_page(draft.page)
            return draft.item.number

    def edit_issue(self, item: Item, title: str | None, body: str | None) -> None:
        with self._change(item.repo, item.number) as draft:
            old = draft.item
            new_title = old.title if title is None else _title(title)
            new_body = old.body if body is None else plain_text(body)
            if (new_title, new_body) == (old.title, old.body):
                return
            at = draft.event("renamed") if new_title != old.title else draft.tick()
            pull = old.pull and replace(old.pull, closes=closing_numbers(new_body, old.repo))
            draft.set(at, title=new_title, body=new_body, pull=pull,
                      edits=(*(old.edits or ()), Edit(at=at, editor=draft.actor)))

    def close(self, item: Item) -> None:
        with self._change(item.repo, item.number) as draft:
            if draft.item.state == "open":
                draft.close()

    def _blank(self, book: Book, shelf: Shelf, kind: Kind, title: str, body: str) -> Draft:
        me = self._me(book)
        title, body = _title(title), plain_text(body)
        number = max(self._store.numbers(shelf.name), default=0) + 1
        at = self._store.tick()
        item = Item(repo=shelf.name, kind=kind, number=number, id=f"{shelf.id}.{number}",
                    title=title, body=body, author=me, state="open", created_at=at, updated_at=at,
                    url=f"{self._store.root}#{shelf.name}/{number}")
        return Draft(Page(item=item), me, self._store.tick)

    # ------------------------------------------------------------ pull requests and branches

    def open_pull(self, repo: str, head: str, base: str, title: str, body: str) -> int:
        with self._book() as book:
            shelf = book.shelf(repo)
            bare = self._store.bare(repo)
            tips = self._tips(repo)
            for ref in (base, head):
                if ref not in tips:
                    raise NotFound("local_no_branch", repo=repo, ref=ref)
            found = self._newest_pull(repo, head)
            if found and self._seen(shelf, found, tips).item.state == "open":
                raise Stale("local_pull_exists", repo=repo, head=head, number=found.item.number)
            if not bare.ahead(tips[base], tips[head]):
                raise ForgeError("local_nothing_ahead", repo=repo, head=head, base=base)
            draft = self._blank(book, shelf, "pull_request", title, body)
            facts = PullFacts(head_ref=head, head_sha=tips[head], base_ref=base,
                              same_repository=True, closes=closing_numbers(body, repo))
            draft.set(draft.item.updated_at, pull=facts)
            self._store.save_page(replace(draft.page, base_seen=tips[base]))
            return draft.item.number

    def merge(self, item: Item, expected_head: Sha) -> Sha:
        with self._change(item.repo, item.number) as draft:
            facts = draft.pull()
            self._still_open(draft.item)
            if facts.head_sha != expected_head:
                raise Stale("local_head_moved", number=item.number, expected=expected_head[:10],
                            found=facts.head_sha[:10])
            bare = self._store.bare(item.repo)
            base = self._tips(item.repo).get(facts.base_ref)
            tree = base and bare.merged_tree(base, facts.head_sha)
            if not base or not tree:
                raise Stale("local_conflict", number=item.number, base=facts.base_ref)
            headline = f"Merge pull request #{item.number} from {facts.head_ref}"
            who = draft.actor.login if draft.actor else ""
            merged = bare.commit(tree, (base, facts.head_sha), f"{headline}\n\n{draft.item.title}",
                                 who, self._store.tick())
            if not bare.move(facts.base_ref, merged, base):
                raise Stale("local_base_moved", number=item.number, base=facts.base_ref)
            self._land(self._store.book().shelf(item.repo), draft, merged)
            return merged

    def delete_branch(self, repo: str, ref: str) -> None:
        with self._book() as book:
            shelf = book.shelf(repo)
            if ref == shelf.default_branch:
                raise Forbidden("local_default_branch", repo=repo, ref=ref, permission="admin")
            bare = self._store.bare(repo)
            tips = bare.tips()
            if ref in tips:
                page = self._newest_pull(repo, ref)
                seen = page and self._seen(shelf, page, tips)
                bare.delete(ref)
                if seen and seen.item.state == "open":
                    draft = Draft(seen, self._me(book), self._store.tick)
                    draft.close()
                    self._store.save_page(draft.page)

    def _newest_pull(self, repo: str, head: str) -> Page | None:
        pulls = (p for p in self._store.pages(repo) if p.item.pull and p.item.pull.head_ref == head)
        return max(pulls, key=lambda page: page.item.number, default=None)

    def _tips(self, repo: str) -> dict[str, Sha]:
        bare = self._store.bare(repo)
        tips = bare.tips()
        if not tips:
            raise ForgeError("local_empty", repo=repo, path=bare.path)
        return tips

    def _labelled(self, shelf: Shelf, page: Page) -> Item:
        names = {tag.id: tag.label for tag in shelf.tags}
        return replace(page.item, labels=tuple(names.get(x.id, x) for x in page.item.labels))


def _row(item: Item) -> Row:
    return Row(
        repo=item.repo, kind=item.kind, number=item.number, id=item.id, title=item.title,
        state=item.state, labels=item.labels, updated_at=item.updated_at,
        author_id=item.author.id if item.author else "",
        head_ref=item.pull.head_ref if item.pull else "",
        closes=item.pull.closes if item.pull else ())


def _since(mark: str, forge: str, newest: datetime) -> datetime | None:
    """None: no mark, or one that this forge did not give; then nothing is left out.

    A forge that was deleted and made anew in the same folder is another one, with the same numbers.
    """
    time, _, giver = mark.partition("@")
    with suppress(ValueError, TypeError):
        at = datetime.fromisoformat(time)
        return at if at <= newest and giver == forge else None
    return None


def _title(title: str) -> str:
    title = plain_text(title).strip()
    if not title or "\n" in title or "\r" in title:
        raise ForgeError("local_bad_title")
    return title


def _label(draft: Draft, tag: Tag) -> None:
    if all(label.id != tag.id for label in draft.item.labels):
        draft.set(draft.event("labeled", label=tag.label), labels=(*draft.item.labels, tag.label))


def _assign(draft: Draft, book: Book, accounts: Sequence[Account]) -> None:
    known = {account.id for account in book.accounts}
    for account in accounts:
        if account.id not in known:
            raise NotFound("local_no_account", login=account.login)
        if all(a.id != account.id for a in draft.item.assignees):
            draft.set(draft.event("assigned", assignee=account),
                      assignees=(*draft.item.assignees, account))
