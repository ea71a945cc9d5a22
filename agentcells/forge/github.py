"""GitHub as a forge: one signed-in connection, by GraphQL.

What is asked stands in github_documents and github_mutations, what the answers mean in github_parse
and github_errors, the connection in github_wire. Here is only which question answers which method.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from agentcells.forge import (
    Forbidden,
    ForgeError,
    Glance,
    Interest,
    Leased,
    Listing,
    NotFound,
    Remark,
    Remote,
    Repository,
    Stale,
    Together,
    github_listing,
    github_reading,
    github_talk,
    one_by_one,
    stops_everything,
)
from agentcells.forge import github_documents as ask
from agentcells.forge import github_mutations as do
from agentcells.forge import github_parse as parse
from agentcells.forge.github_labels import Labels, state_now
from agentcells.forge.github_pace import Pace
from agentcells.forge.github_parse import Names, Node
from agentcells.forge.github_wire import Sent, Wire
from agentcells.forge.token import Source, fetch
from agentcells.model import Account, Comment, Item, Label, Row, Sha

if TYPE_CHECKING:
    from agentcells.config import Config

API_URL = "https://api.github.com/graphql"
GIT_URL = "https://github.com"


class GitHubForge:
    """Satisfies `agentcells.forge.Forge`. Made for one pass: it remembers accounts and labels."""

    def __init__(
        self, *, token: Source | None, api_url: str = API_URL, git_url: str = GIT_URL,
        ca_file: str = "", pace: Pace | None = None,
    ) -> None:
        self._wire = Wire(api_url=api_url, ca_file=ca_file, token=lambda: fetch(token), pace=pace)
        self._git_url = git_url.rstrip("/")
        self._ca_file = ca_file
        self._viewer: Account | None = None
        self._accounts: dict[str, Account] = {}
        self._facts: dict[str, Node] = {}
        self._labels = Labels(self._wire, lambda repo: self._paged(ask.LABELS, repo, "labels"))
        self._heads: dict[str, Node] = {}

    @classmethod
    def from_config(cls, config: Config) -> GitHubForge:
        forge = config.forge
        return cls(
            token=forge.token, api_url=forge.api_url or API_URL, git_url=forge.git_url or GIT_URL,
            ca_file=forge.ca_file,
        )

    def __repr__(self) -> str:
        return f"GitHubForge({self._wire.api_url!r})"

    @property
    def sent(self) -> tuple[Sent, ...]:
        """All requests so far, for the log: operation, points, request id."""
        return tuple(self._wire.sent)

    def clock(self) -> datetime:
        if self._wire.clock() is None:
            self._who_am_i()
        return self._wire.clock() or datetime.now(UTC)

    def inspect(self, repos: Sequence[str]) -> Iterable[Remark]:
        from agentcells.forge import github_probe

        self.viewer()
        return github_probe.inspect(self._wire, self._git_url, repos)

    # ------------------------------------------------------------ accounts and repositories

    def viewer(self) -> Account:
        return self._viewer or self._who_am_i()

    def _who_am_i(self) -> Account:
        return self._know_viewer(self._wire.query(ask.VIEWER, {}).get("viewer"))

    def _know_viewer(self, node: object) -> Account:
        self._viewer = parse.viewer(node)
        self._wire.login = self._viewer.login
        return self._viewer

    def account(self, login: str) -> Account:
        bare = parse.bare_login(login)
        me = self.viewer()
        if me.kind == "bot" and bare.casefold() == me.login.casefold():
            return me  # an App cannot be asked for by its login
        if login.casefold() in self._accounts:
            return self._accounts[login.casefold()]
        data = self._wire.query(ask.ACCOUNT, {"login": login})
        return _person(data.get("user"), login)

    def repository(self, repo: str) -> Repository:
        node = self._repository(repo)
        branch = node.get("defaultBranchRef")
        return Repository(
            id=node["id"], name=node["nameWithOwner"],
            default_branch=branch["name"] if isinstance(branch, Mapping) else "main",
            archived=bool(node["isArchived"]), empty=bool(node["isEmpty"]),
        )

    def _repository(self, repo: str) -> Node:
        if repo not in self._facts:
            self._facts[repo] = self._in_repo(ask.REPOSITORY, repo, demand_name=False)
        return self._facts[repo]

    def _in_repo(
        self, document: ask.Document, repo: str, *, demand_name: bool = True, **variables: Any
    ) -> Node:
        """What the document asks of one repository."""
        owner, name = repo.split("/", 1)
        data = self._wire.query(
            document, {"owner": owner, "name": name, **variables}, where=repo
        )
        node = data.get("repository")
        if not isinstance(node, Mapping):
            raise parse.partial("repository")
        if demand_name:
            github_listing.demand_name(repo, node)
        return node

    def _paged(
        self, document: ask.Document, repo: str, name: str, **variables: Any
    ) -> tuple[Node, ...]:
        """All nodes of one connection of a repository."""
        found: list[Node] = []
        cursor: str | None = None
        while True:
            node = self._in_repo(document, repo, after=cursor, **variables).get(name)
            found += parse.nodes(node, name)
            assert isinstance(node, Mapping)
            following = parse.next_page(node, name)
            if following is None:
                return tuple(found)
            if following == cursor:
                raise parse.partial(name)
            cursor = following

    # ------------------------------------------------------------ reading

    def listing(self, repo: str, mark: str = "") -> Listing:
        return github_listing.one(self._wire, self._names(), repo, mark)

    def listings(
        self, repos: Sequence[str], marks: Mapping[str, str], *,
        logins: Sequence[str] = (), waiting: Sequence[str] = (), interest: Interest | None = None,
    ) -> dict[str, Listing | ForgeError]:
        """Listings of several repositories: one request for up to 20 that have a mark (R20).

        The viewer and the accounts of `logins` come in the same request and are remembered.
        `waiting`: ids of pull requests that wait for checks; their rows come with `checks` set.
        A repository that cannot be listed has its error as its value; the others are whole.
        """
        wanted = {repo: marks.get(repo, "") for repo in repos}
        answer = github_listing.several(self._wire, self._names(), wanted, logins, waiting, interest)
        if answer.viewer is not None:
            self._know_viewer(answer.viewer)
        for login, node in answer.accounts.items():
            self._accounts[login.casefold()] = _person(node, login)
        return dict(answer.listings)

    def _names(self) -> Names:
        return Names(self._viewer)

    def read(self, repo: str, number: int) -> Item:
        self.viewer()
        return github_reading.read(self._wire, self._names(), repo, number)

    def read_together(
        self, repo: str, numbers: Sequence[int], heads: Sequence[str] = (),
        before: Mapping[int, Item] | None = None,
    ) -> Together:
        """One request as a rule, and the first of a pass brings what a claim must know of the repository.

        Where the answer is not whole, each is asked for alone: one of them must not spoil the others.
        """
        known = (self.viewer(), *self._accounts.values())  # whose words count: ours, the owner's
        kept = github_talk.kept(numbers, before or {}, self._wire.clock(), {one.id for one in known})
        ground = repo not in self._facts or not self._labels.are_known(repo)
        try:
            found = github_reading.read_several(
                self._wire, self._names(), repo, numbers, heads, ground, kept
            )
            if ground:
                self._labels.take(repo, found.repository)
                self._facts[repo] = found.repository
        except ForgeError as error:
            if stops_everything(error):
                raise
            return one_by_one(self, repo, numbers, heads)
        more = [number for number in found.pulls.values() if number is not None and number not in found.items]
        items = {**found.items, **one_by_one(self, repo, more).items}
        pulls = {head: None if n is None else items[n] for head, n in found.pulls.items()}
        return Together(items={number: items[number] for number in numbers}, heads=pulls)

    def glance(self, repo: str, number: int, comments: int) -> Glance:
        from agentcells.forge import github_glance

        return github_glance.glance(self._wire, self._names(), repo, number, comments)

    def recent(
        self, repo: str, state: Literal["open", "closed", "all"], limit: int
    ) -> tuple[Row, ...]:
        from agentcells.forge import github_glance

        return github_glance.recent(self._wire, self._names(), repo, state, limit)

    def pull_by_head(self, repo: str, head: str) -> Item | None:
        pulls = self._in_repo(ask.PULLS_BY_HEAD, repo, head=head).get("pullRequests")
        number = github_reading.newest(pulls)
        return None if number is None else self.read(repo, number)

    def labels(self, repo: str) -> tuple[Label, ...]:
        return self._labels.read(repo)

    def known_labels(self, repo: str) -> tuple[Label, ...]:
        return self._labels.known(repo)

    # ------------------------------------------------------------ branches

    def branch(self, repo: str, ref: str) -> Sha | None:
        found = self._ref(repo, ref)
        return Sha(found["target"]["oid"]) if found else None

    def _ref(self, repo: str, ref: str) -> Node | None:
        """None only in an answer without any error: GitHub says "there is none" by a null."""
        found = self._in_repo(ask.BRANCH, repo, ref=f"refs/heads/{ref}").get("ref")
        if found is not None and not (isinstance(found, Mapping) and found.get("target")):
            raise parse.partial(ref)
        return found

    def branches(self, repo: str, prefix: str) -> tuple[str, ...]:
        folder = prefix.rpartition("/")[0]
        asked = f"refs/heads/{folder}/" if folder else "refs/heads/"
        refs = self._paged(ask.BRANCHES, repo, "refs", prefix=asked)
        names = (f"{node['prefix']}{node['name']}".removeprefix("refs/heads/") for node in refs)
        return tuple(sorted(name for name in names if name.startswith(prefix)))

    def delete_branch(self, repo: str, ref: str) -> None:
        found = self._ref(repo, ref)
        if found is None:
            return
        try:
            self._wire.mutate(do.DELETE_REF, {"refId": found["id"]}, where=repo)
        except ForgeError as error:
            if isinstance(error, Forbidden) or self._ref(repo, ref) is not None:
                raise

    def lease(self, repo: str, number: int) -> Leased | None:
        from agentcells.forge import github_lease  # it loads what speaks with git

        return github_lease.read(self._wire, repo, number)

    def swap_lease(self, repo: str, number: int, before: Sha | None, text: str) -> Sha | None:
        from agentcells.forge import github_lease

        if repo not in self._heads:
            self._heads[repo] = self._in_repo(ask.HEAD, repo)
        node = self._heads[repo]
        target = (node.get("defaultBranchRef") or {}).get("target") or {}
        if not target.get("tree"):
            raise Stale("claim_empty_repository", repo=repo, branch="-")
        head = (target["oid"], target["tree"]["oid"])
        return github_lease.swap(self._wire, repo, node["id"], head, number, before, text)

    def remote(self, repo: str) -> Remote:
        return Remote(
            url=f"{self._git_url}/{repo}.git", username="x-access-token",
            token=self._wire.secret.reveal(), ca_file=self._ca_file,
        )

    # ------------------------------------------------------------ labels

    def create_label(self, repo: str, name: str, color: str, description: str) -> Label:
        return self._labels.create(repo, self._repository(repo)["id"], name, color, description)

    def add_labels(self, item: Item, names: Sequence[str]) -> tuple[Label, ...]:
        return self._labels.add(item, names)

    def remove_labels(self, item: Item, names: Sequence[str]) -> None:
        self._labels.remove(item, names)

    # ------------------------------------------------------------ comments, assignees, issues

    def comment(self, item: Item, body: str) -> Comment:
        wanted = {"subjectId": item.id, "body": body}
        edge = self._wire.mutate(do.ADD_COMMENT, wanted, where=item.repo).get("commentEdge")
        if not isinstance(edge, Mapping) or not isinstance(edge.get("node"), Mapping):
            raise parse.partial(f"#{item.number}")
        return parse.comment(edge["node"], self._names())

    def edit_comment(self, item: Item, comment_id: str, body: str) -> None:
        self._wire.mutate(do.UPDATE_COMMENT, {"id": comment_id, "body": body}, where=item.repo)

    def reply(self, item: Item, thread_id: str, body: str) -> None:
        wanted = {"pullRequestReviewThreadId": thread_id, "body": body}
        self._wire.mutate(do.REPLY, wanted, where=item.repo)

    def assign(self, item: Item, accounts: Sequence[Account]) -> None:
        if not accounts:
            return
        wanted = {"assignableId": item.id, "assigneeIds": [account.id for account in accounts]}
        found = self._wire.mutate(do.ASSIGN, wanted, where=item.repo).get("assignable")
        if not isinstance(found, Mapping):
            raise parse.partial(f"#{item.number}")
        there = {node["id"] for node in parse.nodes(found.get("assignees"), "assignees")}
        # Who may not be assigned is left out without a word.
        left_out = [account.login for account in accounts if account.id not in there]
        if left_out:
            raise Forbidden(
                "github_not_assignable", repo=item.repo, number=item.number,
                login=", ".join(left_out), permission="Write access of the assignee",
            )

    def create_issue(
        self, repo: str, title: str, body: str, labels: Sequence[str], assignees: Sequence[Account]
    ) -> int:
        wanted = {
            "repositoryId": self._repository(repo)["id"], "title": title, "body": body,
            "labelIds": self._labels.ids(repo, labels),
            "assigneeIds": [account.id for account in assignees],
        }
        return _number(self._wire.mutate(do.CREATE_ISSUE, wanted, where=repo).get("issue"), title)

    def edit_issue(self, item: Item, title: str | None, body: str | None) -> None:
        texts = {k: v for k, v in (("title", title), ("body", body)) if v is not None}
        if not texts:
            return
        if item.kind == "issue":
            self._wire.mutate(do.UPDATE_ISSUE, {"id": item.id, **texts}, where=item.repo)
        else:
            self._wire.mutate(do.UPDATE_PULL, {"pullRequestId": item.id, **texts}, where=item.repo)

    def close(self, item: Item) -> None:
        issue = item.kind == "issue"
        wanted = {"issueId" if issue else "pullRequestId": item.id}
        try:
            self._wire.mutate(do.CLOSE_ISSUE if issue else do.CLOSE_PULL, wanted, where=item.repo)
        except ForgeError as error:
            if isinstance(error, Forbidden | NotFound) or state_now(self._wire, item) == "open":
                raise

    # ------------------------------------------------------------ pull requests

    def open_pull(self, repo: str, head: str, base: str, title: str, body: str) -> int:
        wanted = {
            "repositoryId": self._repository(repo)["id"], "headRefName": head, "baseRefName": base,
            "title": title, "body": body,
        }
        made = self._wire.mutate(do.CREATE_PULL, wanted, where=repo).get("pullRequest")
        return _number(made, head)

    def merge(self, item: Item, expected_head: Sha) -> Sha:
        wanted = {
            "pullRequestId": item.id, "expectedHeadOid": expected_head,
            "mergeMethod": self._repository(item.repo)["viewerDefaultMergeMethod"],
        }
        try:
            found = self._wire.mutate(do.MERGE_PULL, wanted, where=item.repo).get("pullRequest")
        except ForgeError as error:
            if error.key == "github_refused" and state_now(self._wire, item) != "open":
                raise Stale("github_stale", exit_code=1, **error.slots) from error
            raise
        commit = found.get("mergeCommit") if isinstance(found, Mapping) else None
        if not isinstance(commit, Mapping):
            raise parse.partial(f"#{item.number}")
        return Sha(commit["oid"])


def _person(node: object, login: str) -> Account:
    account = Names().account(node)
    if account is None:
        raise parse.partial(login)
    return account


def _number(made: object, what: str) -> int:
    if not isinstance(made, Mapping) or not isinstance(made.get("number"), int):
        raise parse.partial(what)
    return int(made["number"])
