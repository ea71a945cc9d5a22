"""What persons do on Gitea, each act with its row in the timeline, its time and its side effects.

Requests of the API and persons in the stories go through the same acts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tests.loopback.gitea.model import (
    Account,
    Entry,
    Hub,
    Item,
    Label,
    Refused,
    Repo,
    Review,
    Status,
)


def enter(
    hub: Hub, item: Item, kind: str, poster: Account | None, body: str = "", **more: object
) -> Entry:
    """A new row. It moves the issue, whatever it is."""
    now = hub.clock.now()
    entry = Entry(
        id=hub.new_id("comment"), kind=kind, poster=poster, body=body, created=now, updated=now,
        **more,  # type: ignore[arg-type]
    )
    item.entries.append(entry)
    item.updated = now
    return entry


# ---------------------------------------------------------------- labels and assignees


def create_label(
    hub: Hub, repo: Repo, name: str, color: str = "ededed", description: str = ""
) -> Label:
    """Gitea takes a second label of the same name."""
    label = Label(hub.new_id("label"), name, color, description)
    repo.labels.append(label)
    return label


def delete_label(repo: Repo, label: Label) -> None:
    """It goes from the issues, and its events go from the timelines."""
    repo.labels.remove(label)
    for item in repo.items.values():
        if label in item.labels:
            item.labels.remove(label)
        item.entries = [entry for entry in item.entries if entry.label is not label]


def add_label(hub: Hub, actor: Account, item: Item, label: Label) -> None:
    if label not in item.labels:
        item.labels.append(label)
        enter(hub, item, "label", actor, "1", label=label)


def remove_label(hub: Hub, actor: Account, item: Item, label: Label) -> None:
    if label in item.labels:
        item.labels.remove(label)
        enter(hub, item, "label", actor, "", label=label)


def assign(hub: Hub, actor: Account, item: Item, account: Account) -> None:
    if hub.role(account, item.repo) not in ("write", "admin"):
        raise Refused(422, f"user does not have access to repo [user_id: {account.id}]")
    if account not in item.assignees:
        item.assignees.append(account)
        enter(hub, item, "assignees", actor, assignee=account)


def unassign(hub: Hub, actor: Account, item: Item, account: Account) -> None:
    if account in item.assignees:
        item.assignees.remove(account)
        enter(hub, item, "assignees", actor, assignee=account, removed=True)


# ---------------------------------------------------------------- issues


def _new_item(hub: Hub, actor: Account, repo: Repo, title: str, body: str) -> Item:
    if not title.strip():
        raise Refused(422, "[Title]: Required")
    now = hub.clock.now()
    item = Item(
        id=hub.new_id("issue"), repo=repo, number=max(repo.items, default=0) + 1, title=title,
        body=body, poster=actor, created=now, updated=now,
    )
    repo.items[item.number] = item
    return item


def open_issue(
    hub: Hub, actor: Account, repo: Repo, title: str, body: str, labels: Iterable[Label] = (),
    assignees: Iterable[Account] = (),
) -> Item:
    item = _new_item(hub, actor, repo, title, body)
    for label in labels:
        add_label(hub, actor, item, label)
    for account in assignees:
        assign(hub, actor, item, account)
    return item


def edit(hub: Hub, actor: Account, item: Item, title: str, body: str | None) -> None:
    """Who edited a body is kept nowhere that the API shows."""
    if title and title != item.title:
        item.title = title
        enter(hub, item, "change_title", actor)
    if body is not None and body != item.body:
        item.body = body
        item.updated = hub.clock.now()


def close(hub: Hub, actor: Account | None, item: Item) -> None:
    if item.merged:
        raise Refused(412, "cannot change state of this pull request, it was already merged")
    if any(blocker.is_open for blocker in item.blockers):
        raise Refused(412, "cannot close this issue because it still has open dependencies")
    if item.is_open:
        item.closed = hub.clock.now()
        enter(hub, item, "close", actor)


def reopen(hub: Hub, actor: Account, item: Item) -> None:
    if not item.is_open and not item.merged:
        item.closed = None
        enter(hub, item, "reopen", actor)


# ---------------------------------------------------------------- words


def comment(hub: Hub, actor: Account, item: Item, body: str) -> Entry:
    if not body:
        raise Refused(422, "[Body]: Required")
    return enter(hub, item, "comment", actor, body)


def edit_comment(hub: Hub, entry: Entry, body: str) -> None:
    """The comment gets a new time, its issue does not."""
    if body != entry.body:
        entry.body = body
        entry.updated = hub.clock.now()


def delete_comment(item: Item, entry: Entry) -> None:
    item.entries.remove(entry)


def draft_line(hub: Hub, actor: Account, pull: Item, path: str, line: int, body: str) -> Entry:
    """A line of a review that is not handed in: the review begins with it."""
    review = next((r for r in pull.reviews if r.reviewer is actor and r.state == "PENDING"), None)
    if review is None:
        review = _new_review(hub, actor, pull, "PENDING", "")
    now = hub.clock.now()
    entry = Entry(
        id=hub.new_id("comment"), kind="code", poster=actor, body=body, created=now, updated=now,
        review=review, path=path, line=line, commit=pull.head_sha,
    )
    pull.entries.append(entry)  # nobody else is told, and the issue does not move
    return entry


def _new_review(hub: Hub, actor: Account, pull: Item, state: str, content: str) -> Review:
    now = hub.clock.now()
    review = Review(
        id=hub.new_id("review"), reviewer=actor, state=state, content=content,
        commit=pull.head_sha, created=now, updated=now,
    )
    pull.reviews.append(review)
    return review


def hand_in(hub: Hub, actor: Account, pull: Item, state: str, content: str) -> Review:
    """The draft of this account becomes a review; it keeps the time at which it was begun."""
    if pull.poster is actor and state in ("APPROVED", "REQUEST_CHANGES"):
        raise Refused(422, "approve your own pull is not allowed")
    review = next((r for r in pull.reviews if r.reviewer is actor and r.state == "PENDING"), None)
    if review is None:
        review = _new_review(hub, actor, pull, state, content)
    review.state, review.content, review.commit = state, content, pull.head_sha
    review.updated = hub.clock.now()
    enter(hub, pull, "review", actor, content, review=review)
    return review


def answer_line(hub: Hub, actor: Account, pull: Item, first: Entry, body: str) -> Entry:
    return enter(
        hub, pull, "code", actor, body, review=first.review, path=first.path, line=first.line,
        commit=first.commit,
    )


# ---------------------------------------------------------------- pushes and pull requests


def push(
    hub: Hub, actor: Account, repo: Repo, branch: str, files: Mapping[str, str | None], message: str
) -> str:
    """One more commit on a branch, made from the default branch when it is new."""
    tips = repo.tips()
    parent = tips.get(branch) or tips.get(repo.default_branch)
    when = int(hub.clock.now().timestamp())
    sha = repo.bare.commit(branch, files, message, actor.login, when, parent)
    notice_pushes(hub, repo, actor)
    return sha


def notice_pushes(hub: Hub, repo: Repo, actor: Account | None) -> None:
    """Pull requests follow their branches; without a branch they close."""
    tips = repo.tips()
    for home in hub.repos:
        for pull in home.items.values():
            if pull.is_pull and pull.is_open and pull.head_repo is repo and not pull.agit:
                _follow(hub, pull, tips.get(pull.head_branch), actor)


def _follow(hub: Hub, pull: Item, tip: str | None, actor: Account | None) -> None:
    if tip is None:
        close(hub, actor, pull)
    elif tip != pull.head_sha:
        _fetch_head(pull, tip)
        enter(hub, pull, "pull_push", actor, '{"is_force_push":false,"commit_ids":[]}')


def _fetch_head(pull: Item, tip: str) -> None:
    if pull.head_repo is not pull.repo and pull.head_repo is not None:
        pull.repo.bare.git("fetch", "-q", str(pull.head_repo.bare.path), tip)
    pull.repo.bare.git("update-ref", pull.head_ref, tip)


def open_pull(
    hub: Hub, actor: Account, repo: Repo, head: str, base: str, title: str, body: str,
    source: Repo | None = None, agit: bool = False,
) -> Item:
    home = source or repo
    tips, heads = repo.tips(), home.tips()
    if home is repo and head == base:
        raise Refused(
            422, "Invalid PullRequest: There are no changes between the head and the base"
        )
    if base not in tips or head not in heads:
        raise Refused(404, "not found")
    for pull in repo.items.values():
        same = (pull.head_repo, pull.head_branch, pull.base_branch) == (home, head, base)
        if pull.is_pull and same and pull.is_open:
            raise Refused(
                409, f"pull request already exists for these targets [id: {pull.pull_id}, "
                     f"issue_id: {pull.number}, head_branch: {head}, base_branch: {base}]",
            )
    item = _new_item(hub, actor, repo, title, body)
    item.pull_id = hub.new_id("pull_request")
    item.head_repo, item.head_branch, item.base_branch, item.agit = home, head, base, agit
    _fetch_head(item, heads[head])
    return item


def mergeable(pull: Item) -> bool:
    """False for a conflict, for a draft, and as long as nobody has looked."""
    if not pull.is_open or pull.is_draft:
        return False
    if pull.checking > 0:
        pull.checking -= 1
        return False
    base = pull.repo.tips().get(pull.base_branch)
    return base is not None and pull.repo.bare.merged_tree(base, pull.head_sha) is not None


def merge(hub: Hub, actor: Account, pull: Item, style: str, expected: str) -> None:
    repo = pull.repo
    if pull.merged:
        raise Refused(405, "")
    if not pull.is_open:
        raise Refused(404, "not found")
    if hub.role(actor, repo) not in ("write", "admin"):
        raise Refused(405, "User not allowed to merge PR")
    if pull.is_draft:
        raise Refused(405, "Work in progress PRs cannot be merged")
    if not mergeable(pull):
        raise Refused(405, "Please try again later")
    if repo.protection:
        raise Refused(405, repo.protection)
    if style != repo.merge_style:
        raise Refused(405, f"{style} is not allowed an allowed merge style for this repository")
    head, base = pull.head_sha, repo.tips()[pull.base_branch]
    if expected and expected != head:
        raise Refused(409, "head out of date")
    _land(hub, actor, pull, head, base)


def _land(hub: Hub, actor: Account, pull: Item, head: str, base: str) -> None:
    repo = pull.repo
    tree = repo.bare.merged_tree(base, head)
    assert tree
    parents = (base, head) if repo.merge_style == "merge" else (base,)
    message = f"Merge pull request '{pull.title}' (#{pull.number})"
    when = int(hub.clock.now().timestamp())
    sha = repo.bare.commit_tree(tree, parents, message, actor.login, when)
    assert repo.bare.move(pull.base_branch, sha, base)
    pull.merge_sha = sha
    enter(hub, pull, "merge_pull", actor)
    pull.merged = pull.closed = hub.clock.now()
    for number in pull.closes():
        close(hub, actor, repo.items[number])


def delete_branch(hub: Hub, actor: Account, repo: Repo, branch: str) -> None:
    if branch == repo.default_branch:
        raise Refused(403, "can not delete default branch")
    if branch not in repo.tips():
        raise Refused(404, f"branch does not exist [name: {branch}]")
    repo.bare.delete(branch)
    notice_pushes(hub, repo, actor)


def set_checks(hub: Hub, repo: Repo, sha: str, states: Mapping[str, str]) -> None:
    """One more status for each context. None of them moves the pull request."""
    for context, state in states.items():
        repo.statuses[sha].append(
            Status(
                id=hub.new_id("commit_status"), context=context, state=state,
                description=f"{context}: {state}", url="https://ci.example.invalid/1",
                created=hub.clock.now(),
            )
        )


def names(accounts: Sequence[Account]) -> list[str]:
    return [account.login for account in accounts]
