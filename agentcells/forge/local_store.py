"""The folder of the embedded forge: one lock, files that appear whole, times that never repeat.

    forge.json                     accounts, repositories, labels
    lock                           flock, held for each read and each write
    clock                          the newest time given out
    repos/<owner>/<name>/<n>.json  one issue or pull request
    repos/<owner>/<name>.git       the bare repository beside them
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias, TypeVar

from agentcells.forge import ForgeError, NotFound, Partial, Unavailable
from agentcells.forge.local_git import Bare
from agentcells.model import Account, Check, Item, Label
from agentcells.wire import from_json, to_json

Clock: TypeAlias = Callable[[], datetime]
T = TypeVar("T")

FORMAT = 1
# A write takes milliseconds. Whoever holds the lock longer is stopped (Ctrl-Z) or hangs.
LOCK_WAIT_S = 30.0
_NAME = re.compile(r"(?!.*\.git\Z)[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\Z")
_PAGE = re.compile(r"([1-9][0-9]*)\.json\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A label as it is kept: the id stays through a change of name."""

    id: str
    name: str
    color: str = ""
    description: str = ""

    @property
    def label(self) -> Label:
        return Label(id=self.id, name=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """One repository."""

    id: str
    name: str
    default_branch: str
    tags: tuple[Tag, ...] = ()
    serial: int = 0  # of label ids: a deleted label's id is never given again

    def tag(self, name: str) -> Tag | None:
        """Two labels never differ by case alone, as on GitHub."""
        return next((t for t in self.tags if t.name.casefold() == name.casefold()), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """forge.json."""

    format: int = FORMAT
    id: str = ""  # of this forge, whatever other stood in the folder before; "" in an older one
    accounts: tuple[Account, ...] = ()
    shelves: tuple[Shelf, ...] = ()

    def account(self, login: str) -> Account | None:
        return next((a for a in self.accounts if a.login.casefold() == login.casefold()), None)

    def shelf(self, repo: str) -> Shelf:
        for shelf in self.shelves:
            if shelf.name == repo:
                return shelf
        known = ", ".join(s.name for s in self.shelves) or "-"
        raise NotFound("local_no_repo", repo=repo, known=known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One item as it is kept. Accounts and labels in it are renewed by id when it is shown."""

    item: Item
    serial: int = 0  # of comment and event ids
    base_seen: str = ""  # tip of the base branch when the pull request was last looked at
    checks: tuple[tuple[str, Check], ...] = ()  # (commit, check)
    passed: tuple[tuple[str, str], ...] = ()  # (commit, name) of every check that ever passed


def utc_now() -> datetime:
    return datetime.now(UTC)


class Store:
    """Reads and writes of the folder. All but `locked` and `found` are for inside `locked()`."""

    def __init__(self, root: Path, clock: Clock = utc_now) -> None:
        self.root = root
        self.clock = clock

    def found(self) -> bool:
        return (self.root / "forge.json").is_file()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Readers too: a merge writes several files, and nobody may see half of it."""
        if not self.found():
            raise ForgeError("local_missing", exit_code=2, root=self.root)
        with self._io(), (self.root / "lock").open("ab") as lock:
            self._wait(lock.fileno())
            yield

    def _wait(self, lock: int) -> None:
        give_up = time.monotonic() + LOCK_WAIT_S
        while True:
            try:
                return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > give_up:
                    raise Unavailable("local_busy", exit_code=75, root=self.root) from None
                time.sleep(0.005)

    @contextmanager
    def _io(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            path = error.filename or self.root
            raise ForgeError("local_io", path=path, detail=error.strerror or error) from error

    def start(self, book: Book) -> None:
        """A new forge. forge.json comes last: a folder without it is no forge yet."""
        with self._io():
            self.root.mkdir(parents=True, exist_ok=True)
            for shelf in book.shelves:
                self.start_repository(shelf)
            self.save_book(book)

    def start_repository(self, shelf: Shelf) -> None:
        self._pages(shelf.name).mkdir(parents=True, exist_ok=True)
        self.bare(shelf.name).init(shelf.default_branch)

    def book(self) -> Book:
        path = self.root / "forge.json"
        book = self._read(Book, path)
        if book.format != FORMAT:
            raise ForgeError("local_newer", path=path, found=book.format, known=FORMAT)
        return book

    def save_book(self, book: Book) -> None:
        self._write(self.root / "forge.json", to_json(book))

    def numbers(self, repo: str) -> tuple[int, ...]:
        names = (_PAGE.match(path.name) for path in self._pages(repo).iterdir())
        return tuple(sorted(int(name[1]) for name in names if name))

    def page(self, repo: str, number: int) -> Page:
        path = self._pages(repo) / f"{number}.json"
        if not path.is_file():
            raise NotFound("local_no_item", repo=repo, number=number)
        return self._read(Page, path)

    def pages(self, repo: str) -> tuple[Page, ...]:
        return tuple(self.page(repo, number) for number in self.numbers(repo))

    def save_page(self, page: Page) -> None:
        self._write(self._pages(page.item.repo) / f"{page.item.number}.json", to_json(page))

    def bare(self, repo: str) -> Bare:
        folder = self._pages(repo)
        return Bare(folder.with_name(folder.name + ".git"), repo)

    def now(self) -> datetime:
        """The forge's time, which never goes back."""
        return max(self.clock(), self._last())

    def tick(self) -> datetime:
        """A time later than every one given before: the order of events is never in doubt."""
        at = max(self.clock(), self._last() + timedelta(microseconds=1))
        self._write(self.root / "clock", at.isoformat(), lasting=False)
        return at

    def _last(self) -> datetime:
        # Not synced to the disk: after a power cut the real clock is ahead of a lost value anyway.
        try:
            return datetime.fromisoformat((self.root / "clock").read_text("ascii"))
        except (FileNotFoundError, ValueError):
            return datetime.min.replace(tzinfo=UTC)

    def _pages(self, repo: str) -> Path:
        return self.root.joinpath("repos", *split_name(repo))

    def _read(self, kind: type[T], path: Path) -> T:
        try:
            return from_json(kind, path.read_bytes())
        except ValueError as error:
            raise Partial("local_damaged", path=path) from error

    def _write(self, path: Path, text: str, *, lasting: bool = True) -> None:
        part = path.with_name(f".{path.name}.part")  # one writer at a time: the lock is held
        with part.open("wb") as file:
            file.write(text.encode())
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
        if lasting:
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def split_name(repo: str) -> tuple[str, str]:
    """("owner", "name"). These become folders, so nothing else passes."""
    owner, slash, name = repo.partition("/")
    if not (slash and _NAME.match(owner) and _NAME.match(name)):
        raise ForgeError("local_bad_name", exit_code=2, name=repo)
    return owner, name
