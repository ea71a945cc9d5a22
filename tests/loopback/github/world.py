"""The loopback GitHub as a story sees it: accounts, repositories, persons, troubles, a clock.

In a test it is an object; as a process of its own it is driven by the same words (see `remote`).
What an act gives back is always something that JSON knows.
"""

from __future__ import annotations

import copy
import itertools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.loopback.github import acts
from tests.loopback.github.engine import Engine
from tests.loopback.github.faults import ANSWERS, Fault
from tests.loopback.github.git_store import Bare
from tests.loopback.github.model import Account, Hub, IssueComment, Item, Repo, Text, Thread, Token


class World:
    def __init__(self, root: Path) -> None:
        self.hub = Hub(root)
        self.engine = Engine(self.hub)
        self.lock = threading.RLock()

    def as_(self, login: str) -> Person:
        return Person(self, self.hub.account(login))

    def act(self, who: str, do: str, *args: Any, **kwargs: Any) -> Any:
        """One act by its name: of a person, or of the world itself when `who` is ""."""
        with self.lock:
            return getattr(self.as_(who) if who else self, do)(*args, **kwargs)

    # ------------------------------------------------------------ making it

    def again(self, root: Path) -> World:
        """The same world once more, on a copy of its folder; neither knows of the other from now on."""
        ids = next(self.hub._serial)
        made = World(root)
        made.hub = copy.deepcopy(self.hub, {id(self.hub._serial): itertools.count(ids + 1)})
        made.hub.root = root
        for repo in made.hub.repos:
            repo.bare = Bare(root / repo.bare.path.relative_to(self.hub.root))
        made.engine = Engine(made.hub)
        return made

    def account(self, login: str, typename: str = "User") -> str:
        """A new account with a classic token; its id."""
        prefix = {"User": "U", "Bot": "BOT", "Organization": "O", "Mannequin": "M"}[typename]
        node_id = self.hub.new_id(prefix)
        self.hub.accounts.append(self.hub.keep(Account(node_id, login, typename), node_id))
        self.token(login)
        return node_id

    def token(
        self, login: str, kind: str = "classic", *, value: str = "",
        permissions: Mapping[str, str] | None = None, repos: Sequence[str] | None = None,
        scopes: Sequence[str] = ("repo",), limit: int = 5000, without_sso: Sequence[str] = (),
    ) -> str:
        """A token of this account, of the kind "classic", "fine" or "app"."""
        value = value or {"classic": "ghp", "fine": "github_pat", "app": "ghs"}[kind] + (
            f"_loopback{len(self.hub.tokens):04d}{login}"
        )
        self.hub.tokens[value] = Token(
            value, self.hub.account(login), kind, frozenset(scopes), dict(permissions or {}),
            frozenset(repos) if repos is not None else None, limit=limit,
            without_sso=frozenset(without_sso),
        )
        return value

    def revoke(self, token: str) -> None:
        self.hub.tokens[token].expired = True

    def repository(
        self, name: str, *, private: bool = False, roles: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None, labels: Sequence[str] = (),
        default_branch: str = "main",
    ) -> str:
        """A new repository; without `files` it is empty. Its owner is its admin."""
        repo_id = self.hub.new_id("R")
        bare = Bare(self.hub.root / f"{name}.git")
        bare.create(default_branch)
        repo = self.hub.keep(
            Repo(repo_id, name, bare, private=private, default_branch=default_branch), repo_id
        )
        self.hub.repos.append(repo)
        owner = repo.owner
        for login, role in {owner: "admin", **(roles or {})}.items():
            repo.roles[self.hub.account(login).id] = role
        for label in labels:
            acts.create_label(self.hub, repo, label, "ededed", "")
        if files:
            self.as_(owner).push(name, default_branch, files, "First commit")
        return repo_id

    # ------------------------------------------------------------ time and troubles

    def advance(self, seconds: float) -> None:
        self.hub.clock.advance(seconds)

    def set_clock(self, moment: str) -> None:
        self.hub.clock.set(datetime.fromisoformat(moment))

    def fail(self, kind: str, **more: Any) -> None:
        """The next request (or the n-th: `at`) fails like this; see `faults`."""
        if kind != "partial" and kind not in ANSWERS:
            raise KeyError(kind)
        self.engine.faults.append(Fault(kind, **more))

    def freeze_lists(self, repo: str) -> None:
        """Lists show what is now, until they are thawed: a replica that has fallen behind."""
        found = self.hub.repo(repo)
        found.frozen = [_still(item) for item in found.items.values()]

    def thaw_lists(self, repo: str) -> None:
        self.hub.repo(repo).frozen = None

    def freeze_changes(self, repo: str, number: int) -> None:
        """The same for the comments of one item in the order of their last change, for good."""
        item = self.hub.item(repo, number)
        item.changes = [copy.copy(comment) for comment in item.comments]

    def orders_comments(self, it_does: bool) -> None:
        self.hub.orders_comments = it_does

    def comments_move_items(self, they_do: bool) -> None:
        self.hub.comments_move_items = they_do

    # ------------------------------------------------------------ changes by nobody in particular

    def rename_account(self, login: str, new_login: str) -> None:
        self.hub.account(login).login = new_login

    def delete_account(self, login: str) -> None:
        self.hub.account(login).deleted = True

    def rename_repository(self, name: str, new_name: str) -> None:
        repo = self.hub.repo(name)
        repo.old_names.append(repo.name)
        repo.name = new_name

    def archive(self, name: str) -> None:
        self.hub.repo(name).archived = True

    def set_role(self, repo: str, login: str, role: str) -> None:
        self.hub.repo(repo).roles[self.hub.account(login).id] = role

    def settings(self, repo: str, **changed: Any) -> None:
        """`issues_enabled`, `delete_branch_on_merge`, `workflow_permissions`, `workflows_approve`."""
        for name, value in changed.items():
            assert hasattr(self.hub.repo(repo), name)
            setattr(self.hub.repo(repo), name, value)

    def merge_method(self, repo: str, method: str) -> None:
        self.hub.repo(repo).merge_method = method

    def rename_label(self, repo: str, name: str, new_name: str) -> None:
        acts.label_of(self.hub.repo(repo), name).name = new_name

    def delete_label(self, repo: str, name: str) -> None:
        acts.delete_label(self.hub, self.hub.repo(repo), name)

    def checks(
        self, repo: str, number: int, states: Mapping[str, str], kind: str = "CheckRun"
    ) -> None:
        acts.set_checks(self.hub, self.hub.item(repo, number), states, kind)

    def job_says(
        self, repo: str, number: int, check: str, log: str, text: str = "",
        notes: Sequence[tuple[str, int, str]] = (),
    ) -> None:
        """The newest run of this check was a job of Actions that left this behind."""
        pull = self.hub.item(repo, number)
        row = next(r for r in pull.repo.checks[pull.head_sha] if r.name == check)
        row.url = f"https://github.com/{repo}/actions/runs/1/job/{row.database_id}"
        row.job_log, row.text, row.notes = log, text, tuple(notes)

    def require(self, repo: str, *checks: str) -> None:
        """A rule of the default branch: these checks must have passed."""
        self.hub.repo(repo).required = list(checks)

    def mergeability_unknown(self, repo: str, number: int, reads: int) -> None:
        self.hub.item(repo, number).mergeable_after = reads

    # ------------------------------------------------------------ looking at it

    def requests(self, since: int = 0) -> list[dict[str, Any]]:
        return [
            {"operation": r.operation, "login": r.login, "points": r.points}
            for r in self.engine.requests[since:]
        ]

    def item(self, repo: str, number: int) -> dict[str, Any]:
        """What is to be seen of one item, in plain values."""
        item = self.hub.item(repo, number)
        return {
            "number": number, "pull": item.is_pull, "state": item.state, "title": item.title,
            "body": item.body, "labels": [label.name for label in item.labels],
            "assignees": [account.login for account in item.assignees],
            "comments": [_said(comment) for comment in item.comments],
            "events": [
                [e.typename, e.actor.login if e.actor else "", e.label.name if e.label else ""]
                for e in item.events
            ],
            "head": item.head_ref_name, "head_sha": item.head_sha, "merge_sha": item.merge_oid,
            "closes": item.closes() if item.is_pull else [],
        }

    def numbers(self, repo: str) -> list[int]:
        return sorted(self.hub.repo(repo).items)

    def label_names(self, repo: str) -> list[str]:
        return [label.name for label in self.hub.repo(repo).labels]

    def tips(self, repo: str) -> dict[str, str]:
        return self.hub.repo(repo).bare.tips()

    def contains(self, repo: str, branch: str, sha: str) -> bool:
        bare = self.hub.repo(repo).bare
        return bare.ok("merge-base", "--is-ancestor", sha, f"refs/heads/{branch}")


def _said(comment: IssueComment) -> dict[str, Any]:
    author = comment.author
    return {
        "id": comment.id, "author": author.login if author else "", "body": comment.body,
        "edited": bool(comment.edits),
    }


def _still(item: Item) -> Item:
    """The item as it is now, whatever happens to it."""
    still = copy.copy(item)
    still.labels = list(item.labels)
    return still


@dataclass(frozen=True)
class Person:
    """Somebody with an account, in the browser or with git."""

    world: World
    account: Account

    @property
    def _hub(self) -> Hub:
        return self.world.hub

    def _item(self, repo: str, number: int) -> Item:
        return self._hub.item(repo, number)

    def open_issue(
        self, repo: str, title: str, body: str = "", labels: Sequence[str] = (),
        assignees: Sequence[str] = (),
    ) -> int:
        home = self._hub.repo(repo)
        return acts.open_issue(
            self._hub, self.account, home, title, body,
            [acts.label_of(home, name) for name in labels],
            [self._hub.account(login) for login in assignees],
        ).number

    def label(self, repo: str, number: int, name: str) -> None:
        item = self._item(repo, number)
        acts.add_label(self._hub, self.account, item, acts.label_of(item.repo, name))

    def unlabel(self, repo: str, number: int, name: str) -> None:
        item = self._item(repo, number)
        acts.remove_label(self._hub, self.account, item, acts.label_of(item.repo, name))

    def create_label(self, repo: str, name: str) -> str:
        return acts.create_label(self._hub, self._hub.repo(repo), name, "ededed", "").id

    def comment(self, repo: str, number: int, body: str, via_email: bool = False) -> str:
        item = self._item(repo, number)
        return acts.comment(self._hub, self.account, item, body, via_email=via_email).id

    def edit_comment(self, comment_id: str, body: str) -> None:
        found = self._hub.node(comment_id, Text)
        if isinstance(found, IssueComment):
            acts.edit_comment(self._hub, self.account, found, body)
        else:
            acts.edit_text(self._hub, self.account, found, body)

    def delete_comment(self, comment_id: str) -> None:
        acts.delete_comment(self._hub, self._hub.node(comment_id, IssueComment))

    def edit_body(self, repo: str, number: int, body: str) -> None:
        acts.edit_text(self._hub, self.account, self._item(repo, number), body)

    def rename(self, repo: str, number: int, title: str) -> None:
        acts.rename(self._hub, self.account, self._item(repo, number), title)

    def assign(self, repo: str, number: int, login: str) -> None:
        acts.assign(self._hub, self.account, self._item(repo, number), self._hub.account(login))

    def unassign(self, repo: str, number: int, login: str) -> None:
        acts.unassign(self._hub, self.account, self._item(repo, number), self._hub.account(login))

    def close(self, repo: str, number: int) -> None:
        acts.close(self._hub, self.account, self._item(repo, number))

    def reopen(self, repo: str, number: int) -> None:
        acts.reopen(self._hub, self.account, self._item(repo, number))

    def transfer(self, repo: str, number: int, to: str) -> int:
        item = self._item(repo, number)
        acts.transfer(self._hub, self.account, item, self._hub.repo(to))
        return item.number

    def push(
        self, repo: str, branch: str, files: Mapping[str, str | None], message: str = "Change"
    ) -> str:
        return acts.push(self._hub, self.account, self._hub.repo(repo), branch, files, message)

    def open_pull(
        self, repo: str, head: str, title: str, body: str = "", base: str = "", fork: str = ""
    ) -> int:
        home = self._hub.repo(repo)
        source = self._hub.repo(fork) if fork else None
        return acts.open_pull(
            self._hub, self.account, home, head, base or home.default_branch, title, body, source
        ).number

    def link(self, repo: str, pull: int, issue: int) -> None:
        """By hand, in the side bar."""
        self._item(repo, pull).linked.add(issue)

    def draft(self, repo: str, number: int, draft: bool = True) -> None:
        self._item(repo, number).is_draft = draft

    def merge(self, repo: str, number: int) -> str:
        pull = self._item(repo, number)
        acts.merge(self._hub, self.account, pull, None, pull.repo.merge_method)
        return pull.merge_oid

    def delete_branch(self, repo: str, branch: str) -> None:
        acts.delete_branch(self._hub, self.account, self._hub.repo(repo), branch)

    def review(self, repo: str, number: int, state: str, body: str = "") -> str:
        return acts.review(self._hub, self.account, self._item(repo, number), state, body).id

    def start_thread(self, repo: str, number: int, path: str, line: int, body: str) -> str:
        pull = self._item(repo, number)
        return acts.start_thread(self._hub, self.account, pull, path, line, body).id

    def reply(self, thread_id: str, body: str) -> str:
        return acts.reply(self._hub, self.account, self._hub.node(thread_id, Thread), body).id

    def resolve(self, thread_id: str) -> None:
        self._hub.node(thread_id, Thread).is_resolved = True
