"""Gitea and Forgejo as a forge: one signed-in connection, by REST.

What the answers mean stands in gitea_parse and gitea_errors, the connection in gitea_wire, whole
reads in gitea_reading, lists in gitea_listing. Here is only which request answers which method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from agentcells.forge import (
    Forbidden,
    ForgeError,
    Glance,
    Interest,
    Leased,
    Listing,
    NotFound,
    Remote,
    Repository,
    Stale,
    fold,
    gitea_glance,
    gitea_listing,
    gitea_reading,
    lease_refs,
)
from agentcells.forge import gitea_json as value
from agentcells.forge import gitea_parse as parse
from agentcells.forge.gitea_errors import again, of_merge
from agentcells.forge.gitea_heads import Heads
from agentcells.forge.gitea_wire import Sent, Wire, is_missing
from agentcells.forge.token import Source, fetch
from agentcells.model import Account, Comment, Item, Label, Row, Sha

if TYPE_CHECKING:
    from agentcells.config import Config


class GiteaForge:
    """Satisfies `agentcells.forge.Forge`. Made for one pass: it remembers accounts and labels."""

    def __init__(
        self, *, token: Source | None, api_url: str, git_url: str, ca_file: str = ""
    ) -> None:
        self._wire = Wire(api_url=api_url, ca_file=ca_file, token=lambda: fetch(token))
        self._heads = Heads(self._wire)
        self._git_url = git_url.rstrip("/")
        self._ca_file = ca_file
        self._viewer: Account | None = None
        self._accounts: dict[str, Account] = {}
        self._labels: dict[str, dict[str, Label]] = {}

    @classmethod
    def from_config(cls, config: Config) -> GiteaForge:
        forge = config.forge
        return cls(
            token=forge.token, api_url=forge.api_url, git_url=forge.git_url, ca_file=forge.ca_file
        )

    def __repr__(self) -> str:
        return f"GiteaForge({self._wire.api_url!r})"

    @property
    def sent(self) -> tuple[Sent, ...]:
        """All requests so far, for the log."""
        return tuple(self._wire.sent)

    def clock(self) -> datetime:
        if self._wire.clock() is None:
            self._wire.get("/version")
        return self._wire.clock() or datetime.now(UTC)

    # ------------------------------------------------------------ accounts and repositories

    def viewer(self) -> Account:
        if self._viewer is None:
            found = value.account(self._wire.get("/user"))
            if found is None:
                raise value.partial("viewer")
            self._viewer = found
            self._wire.login = found.login
        return self._viewer

    def account(self, login: str) -> Account:
        return self._accounts.get(login.casefold()) or self._account_now(login)

    def _account_now(self, login: str) -> Account:
        found = value.account(self._wire.get(f"/users/{quote(login, safe='')}"))
        if found is None:
            raise value.partial(login)
        return found

    def repository(self, repo: str) -> Repository:
        node = self._wire.node(f"/repos/{repo}", repo)
        return Repository(
            id=str(value.number(node, "id")), name=value.text(node, "full_name"),
            default_branch=value.text(node, "default_branch") or "main",
            archived=node.get("archived") is True, empty=node.get("empty") is True,
        )

    # ------------------------------------------------------------ reading

    def listing(self, repo: str, mark: str = "") -> Listing:
        return gitea_listing.listing(self._wire, repo, mark)

    def listings(
        self, repos: Sequence[str], marks: Mapping[str, str], *,
        logins: Sequence[str] = (), waiting: Sequence[str] = (), interest: Interest | None = None,
    ) -> dict[str, Listing | ForgeError]:
        """Listings of several repositories, one by one (see `agentcells.forge.listings`)."""
        self.viewer()
        for login in logins:
            self._accounts[login.casefold()] = self._account_now(login)
        found: dict[str, Listing | ForgeError] = {}
        for repo in repos:
            try:
                mark = marks.get(repo, "")
                listing = self._listing_with(repo, mark, waiting)
                found[repo] = fold(repo, listing, None if mark else interest)
            except ForgeError as error:
                found[repo] = error
        return found

    def _listing_with(self, repo: str, mark: str, waiting: Sequence[str]) -> Listing:
        found = self.listing(repo, mark)
        numbers = gitea_listing.waiting_of(waiting, self.repository(repo).id) if waiting else []
        return gitea_listing.joined(
            found, [gitea_listing.with_checks(self._wire, repo, number) for number in numbers]
        )

    def read(self, repo: str, number: int) -> Item:
        return gitea_reading.read(self._wire, repo, number, self.viewer())

    def glance(self, repo: str, number: int, comments: int) -> Glance:
        return gitea_glance.glance(self._wire, repo, number, comments, self.viewer())

    def recent(
        self, repo: str, state: Literal["open", "closed", "all"], limit: int
    ) -> tuple[Row, ...]:
        return gitea_glance.recent(self._wire, repo, state, limit)

    def pull_by_head(self, repo: str, head: str) -> Item | None:
        number = self._heads.newest(repo, head)
        return None if number is None else self.read(repo, number)

    def labels(self, repo: str) -> tuple[Label, ...]:
        """Those of the repository itself; labels of a whole organization are not ours to use."""
        found = tuple(map(value.label, self._wire.all(f"/repos/{repo}/labels", repo)))
        # Two labels may have one name here; the older one is meant.
        oldest = sorted(found, key=lambda label: int(label.id), reverse=True)
        self._labels[repo] = {label.name: label for label in oldest}
        return found

    # ------------------------------------------------------------ branches

    def branch(self, repo: str, ref: str) -> Sha | None:
        return self._tips(repo, ref).get(ref)

    def branches(self, repo: str, prefix: str) -> tuple[str, ...]:
        return tuple(sorted(self._tips(repo, prefix)))

    def _tips(self, repo: str, prefix: str) -> dict[str, Sha]:
        """Branches that begin so, by git itself. "Not found" is Gitea's word for "none"."""
        try:
            found = self._wire.get(f"/repos/{repo}/git/refs/heads/{quote(prefix)}", repo)
        except NotFound as error:
            if error.key != "gitea_not_found":
                raise
            return {}
        rows = value.rows([found] if isinstance(found, Mapping) else found, "branches")
        tips = {
            value.text(row, "ref"): Sha(value.text(value.node(row.get("object"), "ref"), "sha"))
            for row in rows
        }
        heads = "refs/heads/"
        return {
            ref.removeprefix(heads): sha for ref, sha in tips.items()
            if ref.startswith(heads + prefix)
        }

    def delete_branch(self, repo: str, ref: str) -> None:
        try:
            self._wire.send("DELETE", f"/repos/{repo}/branches/{quote(ref)}", repo)
        except NotFound:
            if self.branch(repo, ref) is not None:
                raise

    def lease(self, repo: str, number: int) -> Leased | None:
        return lease_refs.read(self.remote(repo), number)

    def swap_lease(self, repo: str, number: int, before: Sha | None, text: str) -> Sha | None:
        return lease_refs.swap(self.remote(repo), number, before, text, self.clock())

    def remote(self, repo: str) -> Remote:
        return Remote(
            url=f"{self._git_url}/{repo}.git", username=self.viewer().login,
            token=self._wire.secret.reveal(), ca_file=self._ca_file,
        )

    # ------------------------------------------------------------ labels

    def create_label(self, repo: str, name: str, color: str, description: str) -> Label:
        self.labels(repo)  # a second label of the same name would be made without a word
        if found := self._labels[repo].get(name):
            return found
        wanted = {"name": name, "color": f"#{color}", "description": description}
        made = value.node(self._wire.send("POST", f"/repos/{repo}/labels", repo, wanted), name)
        self._labels[repo][name] = value.label(made)
        return self._labels[repo][name]

    def _label_ids(self, repo: str, names: Sequence[str]) -> list[int]:
        """Raises NotFound when the repository lacks one."""
        if any(name not in self._labels.get(repo, {}) for name in names):
            self.labels(repo)
        missing = [name for name in names if name not in self._labels[repo]]
        if missing:
            raise NotFound("gitea_no_label", repo=repo, label=", ".join(missing))
        return [int(self._labels[repo][name].id) for name in names]

    def add_labels(self, item: Item, names: Sequence[str]) -> tuple[Label, ...]:
        """One request for each: what has been set is known, whatever comes of the next (R3)."""
        there = item.labels
        path = _below(item, "/labels")
        for label_id in self._label_ids(item.repo, names):
            now = self._wire.send("POST", path, item.repo, {"labels": [label_id]})
            there = tuple(map(value.label, value.rows(now, "labels")))
            # An id that it does not know is left out without a word.
            if str(label_id) not in {label.id for label in there}:
                self._labels.pop(item.repo, None)
                raise Stale("gitea_label_not_set", repo=item.repo, number=item.number)
        return there

    def remove_labels(self, item: Item, names: Sequence[str]) -> None:
        """By name: also the label of another id that carries it, as it was read."""
        if item.repo not in self._labels:
            self.labels(item.repo)
        known = self._labels[item.repo]
        ids = [known[name].id for name in names if name in known]
        ids += [label.id for label in item.labels if label.name in names]
        for label_id in dict.fromkeys(ids):
            try:
                self._wire.send("DELETE", _below(item, f"/labels/{label_id}"), item.repo)
            except ForgeError as error:
                if error.key != "gitea_invalid":  # the label itself is gone
                    raise

    # ------------------------------------------------------------ comments, assignees, issues

    def comment(self, item: Item, body: str) -> Comment:
        made = self._wire.send("POST", _below(item, "/comments"), item.repo, {"body": body})
        return parse.comment(value.node(made, "comment"))

    def edit_comment(self, item: Item, comment_id: str, body: str) -> None:
        path = f"/repos/{item.repo}/issues/comments/{quote(comment_id, safe='')}"
        made = self._wire.send("PATCH", path, item.repo, {"body": body})
        if made is None:  # the id of something else: not a text that can be edited
            raise NotFound(
                "gitea_no_comment", repo=item.repo, number=item.number, comment=comment_id
            )

    def reply(self, item: Item, thread_id: str, body: str) -> None:
        """Gitea 1.27 knows replies, a Forgejo further lines of a review; an older Gitea neither."""
        review, _, line = thread_id.partition(".")
        if not (review.isdigit() and line.isdigit()):
            raise NotFound("gitea_no_thread", repo=item.repo, number=item.number, thread=thread_id)
        pulls = f"/repos/{item.repo}/pulls/{item.number}"
        try:
            self._wire.send("POST", f"{pulls}/comments/{line}/replies", item.repo, {"body": body})
        except ForgeError as error:
            if not is_missing(error):
                raise
            self._reply_in_review(item, f"{pulls}/reviews/{review}/comments", line, body)

    def _reply_in_review(self, item: Item, path: str, line: str, body: str) -> None:
        lines = self._wire.whole(path, item.repo)
        first = next((row for row in lines if str(row.get("id")) == line), None)
        if first is None:
            raise NotFound("gitea_no_thread", repo=item.repo, number=item.number, thread=line)
        wanted = {
            "body": body, "path": value.text(first, "path"),
            "new_position": value.number(first, "position"),
            "old_position": value.number(first, "original_position"),
        }
        try:
            self._wire.send("POST", path, item.repo, wanted)
        except ForgeError as error:
            if not is_missing(error):
                raise
            raise again(error, ForgeError, "gitea_no_replies") from None

    def assign(self, item: Item, accounts: Sequence[Account]) -> None:
        if not accounts:
            return
        logins = [account.login for account in accounts]
        wanted = {"assignees": logins}
        try:
            found = self._wire.send("POST", _below(item, "/assignees"), item.repo, wanted)
        except ForgeError as error:
            if not is_missing(error):
                raise
            found = self._assign_all(item, logins)
        there = {account.id for account in value.accounts(value.node(found, "issue"), "assignees")}
        left_out = [account.login for account in accounts if account.id not in there]
        if left_out:
            raise Forbidden(
                "gitea_not_assignable", repo=item.repo, number=item.number,
                login=", ".join(left_out), permission="access of the assignee",
            )

    def _assign_all(self, item: Item, logins: Sequence[str]) -> Any:
        """Before Gitea 1.27, and on a Forgejo, the whole set is written: those there, and these."""
        now = value.accounts(self._wire.node(_below(item, ""), item.repo), "assignees")
        wanted = dict.fromkeys([*(account.login for account in now), *logins])
        return self._wire.send("PATCH", _below(item, ""), item.repo, {"assignees": list(wanted)})

    def create_issue(
        self, repo: str, title: str, body: str, labels: Sequence[str], assignees: Sequence[Account]
    ) -> int:
        ids = self._label_ids(repo, labels) if labels else []
        wanted = {
            "title": title, "body": body, "labels": ids,
            "assignees": [account.login for account in assignees],
        }
        made = value.node(self._wire.send("POST", f"/repos/{repo}/issues", repo, wanted), title)
        number = value.number(made, "number")
        set_now = {int(label.id) for label in value.labels(made)}
        there = {account.id for account in value.accounts(made, "assignees")}
        # Who may not write has labels and assignees left out without a word.
        if not set_now >= set(ids) or not there >= {account.id for account in assignees}:
            raise Forbidden(
                "gitea_left_out", repo=repo, number=number, login=self._wire.login or "?",
                permission=f"write access to {repo}",
            )
        return number

    def edit_issue(self, item: Item, title: str | None, body: str | None) -> None:
        texts = {k: v for k, v in (("title", title), ("body", body)) if v is not None}
        if texts:
            self._wire.send("PATCH", _below(item, ""), item.repo, texts)

    def close(self, item: Item) -> None:
        try:
            self._wire.send("PATCH", _below(item, ""), item.repo, {"state": "closed"})
        except ForgeError as error:
            if isinstance(error, Forbidden | NotFound) or self._state(item) == "open":
                raise

    def _state(self, item: Item) -> parse.State:
        """As it is now, after a write that was refused."""
        return parse.state(self._wire.node(_below(item, ""), item.repo))

    # ------------------------------------------------------------ pull requests

    def open_pull(self, repo: str, head: str, base: str, title: str, body: str) -> int:
        wanted = {"head": head, "base": base, "title": title, "body": body}
        try:
            made = self._wire.send("POST", f"/repos/{repo}/pulls", repo, wanted)
        except Stale:
            self._heads.is_taken(repo, head)
            raise
        return value.number(value.node(made, head), "number")

    def merge(self, item: Item, expected_head: Sha) -> Sha:
        pull = f"/repos/{item.repo}/pulls/{item.number}"
        style = self._wire.node(f"/repos/{item.repo}", item.repo).get("default_merge_style")
        wanted = {"Do": style or "merge", "head_commit_id": expected_head}
        try:
            self._wire.send("POST", f"{pull}/merge", item.repo, wanted)
        except ForgeError as error:
            if not isinstance(error, NotFound) and error.slots.get("status") != 405:
                raise
            state = self._state(item)
            if state != "open":
                raise Stale(
                    "gitea_not_open", repo=item.repo, number=item.number, state=state
                ) from None
            raise of_merge(error) from None
        merged = self._wire.node(pull, item.repo)
        return Sha(value.text(merged, "merge_commit_sha"))


def _below(item: Item, rest: str) -> str:
    """Pull requests are issues here, for all that both have."""
    return f"/repos/{item.repo}/issues/{item.number}{rest}"
