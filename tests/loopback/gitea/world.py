"""The loopback Gitea as a story sees it: accounts, repositories, persons who act, troubles.

The words are those of the loopback GitHub, so that a story may be told on either.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.loopback.gitea import acts
from tests.loopback.gitea.faults import ANSWERS, Fault
from tests.loopback.gitea.model import ALL_SCOPES, Account, Entry, Hub, Item, Repo, Token
from tests.loopback.github.git_store import Bare


class World:
    def __init__(self, root: Path, flavour: str = "gitea", most_rows: int = 50) -> None:
        self.hub = Hub(root, flavour, most_rows)
        self.faults: list[Fault] = []
        self.requests: list[str] = []  # "METHOD /path?query" of every one to the API
        self.lock = threading.RLock()

    def as_(self, login: str) -> Person:
        return Person(self, self._account(login))

    def _account(self, login: str) -> Account:
        found = self.hub.account(login)
        assert found, login
        return found

    def _repo(self, name: str) -> Repo:
        found = self.hub.repo(name)
        assert found, name
        return found

    def _item(self, repo: str, number: int) -> Item:
        return self._repo(repo).items[number]

    # ------------------------------------------------------------ making it

    def account(self, login: str) -> str:
        """A new account with a token of all scopes; its id."""
        made = Account(self.hub.new_id("user"), login)
        self.hub.accounts.append(made)
        self.token(login)
        return str(made.id)

    def token(
        self, login: str, scopes: Sequence[str] = tuple(ALL_SCOPES), *, value: str = ""
    ) -> str:
        value = value or f"{len(self.hub.tokens):08x}loopback{login}"
        self.hub.tokens[value] = Token(value, self._account(login), frozenset(scopes))
        return value

    def revoke(self, token: str) -> None:
        self.hub.tokens[token].revoked = True

    def repository(
        self, name: str, *, private: bool = False, roles: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None, labels: Sequence[str] = (),
        default_branch: str = "main",
    ) -> str:
        """A new repository; without `files` it is empty. Its owner is its admin."""
        path = self.hub.root / f"{name}.git"
        shutil.copytree(_template(default_branch, tuple((files or {}).items())), path)
        bare = Bare(path)
        repo_id = self.hub.new_id("repository")
        repo = Repo(repo_id, name, bare, private=private, default_branch=default_branch)
        self.hub.repos.append(repo)
        for login, role in {repo.owner: "admin", **(roles or {})}.items():
            repo.roles[self._account(login).id] = role
        for label in labels:
            acts.create_label(self.hub, repo, label)
        return str(repo.id)

    # ------------------------------------------------------------ time and troubles

    def advance(self, seconds: float) -> None:
        self.hub.clock.advance(seconds)

    def set_clock(self, moment: str) -> None:
        self.hub.clock.set(datetime.fromisoformat(moment))

    def fail(self, kind: str, **more: Any) -> None:
        """The next request (or the n-th: `at`) fails like this; see `faults`."""
        if kind not in (*ANSWERS, "cut", "slow"):
            raise KeyError(kind)
        self.faults.append(Fault(kind, **more))

    def meanwhile(self, match: str, act: Callable[[], object], at: int = 1) -> None:
        """Just after the n-th matching request was answered, somebody does this."""
        self.faults.append(Fault("meanwhile", at=at, match=match, act=act))

    # ------------------------------------------------------------ what nobody in particular does

    def rename_account(self, login: str, new_login: str) -> None:
        account = self._account(login)
        account.old_logins.append(account.login)
        account.login = new_login

    def delete_account(self, login: str) -> None:
        self._account(login).deleted = True

    def rename_repository(self, name: str, new_name: str) -> None:
        repo = self._repo(name)
        repo.old_names.append(repo.name)
        repo.name = new_name

    def archive(self, name: str) -> None:
        self._repo(name).archived = True

    def set_role(self, repo: str, login: str, role: str) -> None:
        self._repo(repo).roles[self._account(login).id] = role

    def merge_style(self, repo: str, style: str) -> None:
        self._repo(repo).merge_style = style

    def protect(self, repo: str, why: str) -> None:
        """From now on nothing may be merged there."""
        self._repo(repo).protection = why

    def without_dependencies(self, repo: str) -> None:
        self._repo(repo).dependencies = False

    def rename_label(self, repo: str, name: str, new_name: str) -> None:
        self._repo(repo).label(name).name = new_name

    def delete_label(self, repo: str, name: str) -> None:
        found = self._repo(repo)
        acts.delete_label(found, found.label(name))

    def checks(self, repo: str, number: int, states: Mapping[str, str]) -> None:
        item = self._item(repo, number)
        acts.set_checks(self.hub, item.repo, item.head_sha, states)

    def still_checking(self, repo: str, number: int, answers: int) -> None:
        """So many answers do not say yet whether it can be merged."""
        self._item(repo, number).checking = answers

    def mention(self, repo: str, number: int, times: int = 1) -> None:
        """References from a repository that only its owner sees."""
        for _ in range(times):
            acts.enter(self.hub, self._item(repo, number), "issue_ref", None, elsewhere=True)

    def migrated(self, repo: str, number: int, original_author: str) -> None:
        """The issue and its comments came from elsewhere; this account only carried them over."""
        item = self._item(repo, number)
        item.original_author = original_author
        for entry in item.entries:
            entry.original_author = original_author

    # ------------------------------------------------------------ looking at it

    def item(self, repo: str, number: int) -> dict[str, Any]:
        """What is to be seen of one item, in plain values."""
        item = self._item(repo, number)
        return {
            "number": number, "pull": item.is_pull, "title": item.title, "body": item.body,
            "state": "merged" if item.merged else "open" if item.is_open else "closed",
            "labels": [label.name for label in item.labels],
            "assignees": acts.names(item.assignees),
            "comments": [_said(entry) for entry in item.entries if entry.kind == "comment"],
            "events": [
                [e.kind, e.poster.login if e.poster else "", e.label.name if e.label else ""]
                for e in item.entries if e.kind not in ("comment", "code")
            ],
            "head": item.head_branch, "merge_sha": item.merge_sha,
            "closes": item.closes() if item.is_pull else [],
        }

    def numbers(self, repo: str) -> list[int]:
        return sorted(self._repo(repo).items)

    def label_names(self, repo: str) -> list[str]:
        return [label.name for label in self._repo(repo).labels]

    def tips(self, repo: str) -> dict[str, str]:
        return self._repo(repo).tips()

    def contains(self, repo: str, branch: str, sha: str) -> bool:
        bare = self._repo(repo).bare
        return bare.ok("merge-base", "--is-ancestor", sha, f"refs/heads/{branch}")


_TEMPLATES = tempfile.TemporaryDirectory(prefix="loopback-gitea-")


@functools.cache
def _template(default_branch: str, files: tuple[tuple[str, str], ...]) -> Path:
    """A repository with its first commit, made once: nearly all stories begin with the same."""
    place = Path(_TEMPLATES.name) / f"{len(list(Path(_TEMPLATES.name).iterdir()))}.git"
    bare = Bare(place)
    bare.create(default_branch)
    if files:
        bare.commit(default_branch, dict(files), "First commit", "somebody", 1_700_000_000, None)
    return place


def _said(entry: Entry) -> dict[str, Any]:
    author = entry.poster
    return {
        "id": str(entry.id), "author": author.login if author else "", "body": entry.body,
        "edited": entry.updated > entry.created,
    }


STATES = {"approved": "APPROVED", "changes_requested": "REQUEST_CHANGES", "commented": "COMMENT"}


@dataclass(frozen=True)
class Person:
    """Somebody with an account, in the browser or with git."""

    world: World
    account: Account

    @property
    def _hub(self) -> Hub:
        return self.world.hub

    def _item(self, repo: str, number: int) -> Item:
        return self.world._item(repo, number)

    def open_issue(
        self, repo: str, title: str, body: str = "", labels: Sequence[str] = (),
        assignees: Sequence[str] = (),
    ) -> int:
        home = self.world._repo(repo)
        return acts.open_issue(
            self._hub, self.account, home, title, body, [home.label(name) for name in labels],
            [self.world._account(login) for login in assignees],
        ).number

    def label(self, repo: str, number: int, name: str) -> None:
        item = self._item(repo, number)
        acts.add_label(self._hub, self.account, item, item.repo.label(name))

    def unlabel(self, repo: str, number: int, name: str) -> None:
        item = self._item(repo, number)
        acts.remove_label(self._hub, self.account, item, item.repo.label(name))

    def create_label(self, repo: str, name: str) -> str:
        return str(acts.create_label(self._hub, self.world._repo(repo), name).id)

    def comment(self, repo: str, number: int, body: str) -> str:
        return str(acts.comment(self._hub, self.account, self._item(repo, number), body).id)

    def edit_comment(self, repo: str, comment_id: str, body: str) -> None:
        _, entry = self._hub.entry(self.world._repo(repo), int(comment_id))
        acts.edit_comment(self._hub, entry, body)

    def delete_comment(self, repo: str, comment_id: str) -> None:
        acts.delete_comment(*self._hub.entry(self.world._repo(repo), int(comment_id)))

    def edit_body(self, repo: str, number: int, body: str) -> None:
        acts.edit(self._hub, self.account, self._item(repo, number), "", body)

    def rename(self, repo: str, number: int, title: str) -> None:
        acts.edit(self._hub, self.account, self._item(repo, number), title, None)

    def assign(self, repo: str, number: int, login: str) -> None:
        account = self.world._account(login)
        acts.assign(self._hub, self.account, self._item(repo, number), account)

    def unassign(self, repo: str, number: int, login: str) -> None:
        account = self.world._account(login)
        acts.unassign(self._hub, self.account, self._item(repo, number), account)

    def block(self, repo: str, number: int, by: int) -> None:
        self._item(repo, number).blockers.append(self._item(repo, by))

    def close(self, repo: str, number: int) -> None:
        acts.close(self._hub, self.account, self._item(repo, number))

    def reopen(self, repo: str, number: int) -> None:
        acts.reopen(self._hub, self.account, self._item(repo, number))

    def push(
        self, repo: str, branch: str, files: Mapping[str, str | None], message: str = "Change"
    ) -> str:
        return acts.push(self._hub, self.account, self.world._repo(repo), branch, files, message)

    def open_pull(
        self, repo: str, head: str, title: str, body: str = "", base: str = "", fork: str = "",
        agit: bool = False,
    ) -> int:
        """`agit`: pushed to refs/for/…; `head` is only where its commit comes from."""
        home = self.world._repo(repo)
        source = self.world._repo(fork) if fork else None
        return acts.open_pull(
            self._hub, self.account, home, head, base or home.default_branch, title, body, source,
            agit,
        ).number

    def merge(self, repo: str, number: int) -> str:
        pull = self._item(repo, number)
        acts.merge(self._hub, self.account, pull, pull.repo.merge_style, "")
        return pull.merge_sha

    def delete_branch(self, repo: str, branch: str) -> None:
        acts.delete_branch(self._hub, self.account, self.world._repo(repo), branch)

    def draft_line(self, repo: str, number: int, path: str, line: int, body: str) -> str:
        pull = self._item(repo, number)
        return str(acts.draft_line(self._hub, self.account, pull, path, line, body).id)

    def review(self, repo: str, number: int, verdict: str, body: str = "") -> str:
        """Hands in what was drafted, or a review without lines."""
        pull = self._item(repo, number)
        return str(acts.hand_in(self._hub, self.account, pull, STATES[verdict], body).id)

    def start_thread(self, repo: str, number: int, path: str, line: int, body: str) -> str:
        line_id = self.draft_line(repo, number, path, line, body)
        self.review(repo, number, "commented")
        return line_id

    def answer_line(self, repo: str, number: int, line_id: str, body: str) -> str:
        pull, first = self._hub.entry(self.world._repo(repo), int(line_id))
        return str(acts.answer_line(self._hub, self.account, pull, first, body).id)

    def resolve(self, repo: str, line_id: str) -> None:
        self._hub.entry(self.world._repo(repo), int(line_id))[1].resolver = self.account

    def dismiss(self, repo: str, number: int, review_id: str) -> None:
        pull = self._item(repo, number)
        review = next(r for r in pull.reviews if str(r.id) == review_id)
        review.dismissed = True
        review.updated = self._hub.clock.now()
