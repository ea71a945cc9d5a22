"""What every forge can do for the factory. GitHub, Gitea and the embedded local forge satisfy it.

A forge thinks in items and labels of one repository ("owner/name") and never decides anything.
Every write is idempotent or says that it is not; nothing here retries a write blindly (R18).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from agentcells.forge.folded import Folded
from agentcells.model import Account, Comment, Item, Label, Problem, Row, Sha


class ForgeError(Problem):
    """A forge said no, or nothing. Subclasses tell what the caller can do."""


class Unauthorized(ForgeError):
    """The token is wrong or expired: nothing goes on without the owner."""


class Forbidden(ForgeError):
    """The token lacks a permission; the slot `permission` names it."""


class NotFound(ForgeError):
    """The forge says that it is not there, or not for this token."""


class RateLimited(ForgeError):
    """Try again at `until` (slot). Exit code 75."""


class Unavailable(ForgeError):
    """Outage, time-out, no network: the weather. Exit code 75."""


class Stale(ForgeError):
    """What we expected is no longer so: read again in the next pass."""


class Partial(ForgeError):
    """The answer was not whole: never to be taken for "none" (R21)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Rows newest first. `complete`: goes back to what was asked for, so absence means absence."""

    rows: tuple[Row, ...]
    complete: bool
    mark: str  # opaque: hand it to the next listing to read only what changed since
    repo_id: str = ""  # of the repository that answered to the name (R23); "": not told
    afresh: bool = False  # the mark was another forge's: what was known from it is of no use here
    folded: Folded | None = None  # further rows, of no interest to who asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """Where git pushes to and fetches from. `token` goes to git through a pipe, never into argv or env.

    `url` is an https address, or the path of a bare repository (local forge).
    """

    url: str
    username: str = ""
    token: str = ""
    ca_file: str = ""

    def __repr__(self) -> str:  # a token in a traceback is a token on the screen
        return f"Remote(url={self.url!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """Facts of the repository itself."""

    id: str
    name: str  # "owner/name" as the forge spells it now
    default_branch: str
    archived: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Leased:
    """A lease as it stands on the forge. `at`: when it was taken, by the forge's clock."""

    sha: Sha
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """An item with its newest comments only, oldest of them first; enough to read, not to act on."""

    item: Item
    comments_total: int


@runtime_checkable
class IssueReader(Protocol):
    """What a forge can do for a reader who is in a hurry. Who has it not is read whole."""

    def glance(self, repo: str, number: int, comments: int) -> Glance:
        """One item with its newest `comments` conversation comments, without reading every page."""

    def recent(
        self, repo: str, state: Literal["open", "closed", "all"], limit: int
    ) -> tuple[Row, ...]:
        """Issues alone, no pull requests, newest change first."""


class Forge(Protocol):
    """One signed-in connection. All methods raise `ForgeError`."""

    def viewer(self) -> Account:
        """The account whose token this is."""

    def account(self, login: str) -> Account:
        """The account that has this login now. Raises NotFound."""

    def repository(self, repo: str) -> Repository: ...

    def labels(self, repo: str) -> tuple[Label, ...]: ...

    def create_label(self, repo: str, name: str, color: str, description: str) -> Label:
        """Idempotent: an existing label of that name is returned as it is. `color`: 6 hex digits."""

    def listing(self, repo: str, mark: str = "") -> Listing:
        """Issues and pull requests, newest change first.

        Without `mark`: all open ones. With it: those of every state that changed since.
        """

    def read(self, repo: str, number: int) -> Item:
        """One item whole, every page. Raises NotFound only when the forge says so, else Partial."""

    def pull_by_head(self, repo: str, head: str) -> Item | None:
        """The newest pull request with this head branch in the same repository, of any state."""

    def branch(self, repo: str, ref: str) -> Sha | None:
        """Tip of a branch (name without refs/heads/)."""

    def branches(self, repo: str, prefix: str) -> tuple[str, ...]:
        """Names of the branches that begin with `prefix`."""

    def add_labels(self, item: Item, names: Sequence[str]) -> tuple[Label, ...]:
        """Idempotent. All labels that stand there now, as the forge's answer to this write shows them.

        Raises Stale when one of `names` is not among them.
        """

    def remove_labels(self, item: Item, names: Sequence[str]) -> None:
        """Idempotent: an absent label is no error."""

    def comment(self, item: Item, body: str) -> Comment:
        """NOT idempotent: look for the marker first."""

    def edit_comment(self, item: Item, comment_id: str, body: str) -> None:
        """Idempotent. Raises NotFound when the comment is gone."""

    def reply(self, item: Item, thread_id: str, body: str) -> None:
        """Answer in a review thread. NOT idempotent."""

    def assign(self, item: Item, accounts: Sequence[Account]) -> None:
        """Add assignees. Idempotent."""

    def create_issue(
        self, repo: str, title: str, body: str, labels: Sequence[str], assignees: Sequence[Account]
    ) -> int:
        """NOT idempotent."""

    def edit_issue(self, item: Item, title: str | None, body: str | None) -> None: ...

    def close(self, item: Item) -> None:
        """Idempotent."""

    def open_pull(self, repo: str, head: str, base: str, title: str, body: str) -> int:
        """Guarded by the forge: one open pull request for a head. Raises Stale when there is one."""

    def merge(self, item: Item, expected_head: Sha) -> Sha:
        """Merge exactly this head; returns the merge commit. Raises Stale when the head moved."""

    def delete_branch(self, repo: str, ref: str) -> None:
        """Idempotent."""

    def lease(self, repo: str, number: int) -> Leased | None:
        """Who holds this item among several machines, None: nobody."""

    def swap_lease(self, repo: str, number: int, before: Sha | None, text: str) -> Sha | None:
        """Put `text` in the place of `before` (None: there is none), or take it away (no text).

        One of several that try at once gets it; the others get Stale. Names what stands there now.
        """

    def remote(self, repo: str) -> Remote: ...

    def clock(self) -> datetime:
        """The forge's own time, from its last answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something that `agentcells check` tells about a token or a repository. `stop`: a tick fails."""

    name: str
    level: Literal["ok", "warning", "stop"]
    key: str  # of its sentence
    slots: Mapping[str, object] = field(default_factory=dict)


@runtime_checkable
class Inspects(Protocol):
    """A forge that can tell what its token may do, and which settings matter."""

    def inspect(self, repos: Sequence[str]) -> Iterable[Remark]:
        """Writes nothing. Raises ForgeError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Items that were read for one look. What could not be read has its error as its value."""

    items: Mapping[int, Item | ForgeError]
    heads: Mapping[str, Item | ForgeError | None]  # the newest pull request of each of these branches


@runtime_checkable
class ReadsTogether(Protocol):
    """A forge that reads several items whole in one request (R21)."""

    def read_together(
        self, repo: str, numbers: Sequence[int], heads: Sequence[str] = (),
        before: Mapping[int, Item] | None = None,
    ) -> Together: ...


def together(
    forge: Forge, repo: str, numbers: Sequence[int], heads: Sequence[str] = (),
    before: Mapping[int, Item] | None = None,
) -> Together:
    """Each of these items whole, and the newest pull request of each head branch.

    `before`: as they were read last, exactly as the forge told it. What of a long conversation surely is
    as it was then, a forge may take from there.
    Raised is only what stands in the way of every question alike.
    """
    if isinstance(forge, ReadsTogether):
        return forge.read_together(repo, numbers, heads, before)
    return one_by_one(forge, repo, numbers, heads)


def one_by_one(forge: Forge, repo: str, numbers: Sequence[int], heads: Sequence[str] = ()) -> Together:
    items: dict[int, Item | ForgeError] = {}
    pulls: dict[str, Item | ForgeError | None] = {}
    for number in numbers:
        try:
            items[number] = forge.read(repo, number)
        except ForgeError as error:
            items[number] = _of_one(error)
    for head in heads:
        try:
            pulls[head] = forge.pull_by_head(repo, head)
        except ForgeError as error:
            pulls[head] = _of_one(error)
    return Together(items=items, heads=pulls)


def stops_everything(error: ForgeError) -> bool:
    """Whether the next question would end just so."""
    return isinstance(error, RateLimited | Unauthorized) or error.key.endswith("_network")


def _of_one(error: ForgeError) -> ForgeError:
    if stops_everything(error):
        raise error
    return error


@runtime_checkable
class KnowsLabels(Protocol):
    """A forge that remembers the labels of a repository for as long as a pass lasts."""

    def known_labels(self, repo: str) -> tuple[Label, ...]: ...


def known_labels(forge: Forge, repo: str) -> tuple[Label, ...]:
    """The labels of a repository as this pass has read them, where the forge remembers them."""
    return forge.known_labels(repo) if isinstance(forge, KnowsLabels) else forge.labels(repo)


Interest: TypeAlias = Callable[[Row], bool]


def fold(repo: str, listing: Listing, interest: Interest | None) -> Listing:
    """The same with those rows folded that are of no interest."""
    if interest is None:
        return listing
    kept: list[Row] = []
    others: list[Row] = []
    for row in listing.rows:
        (kept if interest(row) else others).append(row)
    return replace(listing, rows=tuple(kept), folded=Folded.of(repo, others))


@runtime_checkable
class ListsMany(Protocol):
    """A forge that lists several repositories in one request (R20)."""

    def listings(
        self, repos: Sequence[str], marks: Mapping[str, str], *,
        logins: Sequence[str] = (), waiting: Sequence[str] = (), interest: Interest | None = None,
    ) -> dict[str, Listing | ForgeError]: ...


def listings(
    forge: Forge, repos: Sequence[str], marks: Mapping[str, str], *,
    logins: Sequence[str] = (), waiting: Sequence[str] = (), interest: Interest | None = None,
) -> dict[str, Listing | ForgeError]:
    """Of each repository its listing since its mark, or the error that came in its place.

    Where the forge can, the viewer and the accounts of `logins` come with the same request, so that
    `viewer` and `account` cost nothing after it; and pull requests of the ids in `waiting` come as
    rows with `checks` set, whether they changed or not. A repository without a mark shows all that is
    open; of that, what is of no `interest` comes folded.
    """
    if isinstance(forge, ListsMany):
        return forge.listings(repos, marks, logins=logins, waiting=waiting, interest=interest)
    found: dict[str, Listing | ForgeError] = {}
    for repo in repos:
        try:
            mark = marks.get(repo, "")
            found[repo] = fold(repo, forge.listing(repo, mark), None if mark else interest)
        except ForgeError as error:
            found[repo] = error
    return found


__all__ = [
    "Folded", "Forbidden", "Forge", "ForgeError", "Glance", "Inspects", "Interest", "IssueReader",
    "KnowsLabels", "Leased", "Listing", "ListsMany", "NotFound", "Partial", "RateLimited",
    "ReadsTogether", "Remark", "Remote", "Repository", "Stale", "Together", "Unauthorized",
    "Unavailable", "fold", "known_labels", "listings", "one_by_one", "stops_everything", "together",
]
