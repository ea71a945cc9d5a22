"""What persons do on GitHub, each act with its event, its time and its side effects.

Mutations of the API and persons in the stories go through the same acts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.loopback.github.model import (
    Account,
    CheckRow,
    Edit,
    Event,
    Hub,
    IssueComment,
    Item,
    Label,
    Refused,
    Repo,
    Review,
    ReviewComment,
    Text,
    Thread,
)

MAX_BODY = 65_536


def event(
    hub: Hub, item: Item, typename: str, actor: Account | None, *, label: Label | None = None,
    assignee: Account | None = None,
) -> None:
    now = hub.clock.now()
    item.updated_at = now
    item.events.append(
        Event(
            typename=typename, id=hub.new_id("EV"), created_at=now, actor=actor, label=label,
            assignee=assignee,
        )
    )


def _sized(body: str) -> str:
    if len(body) > MAX_BODY:
        raise Refused("UNPROCESSABLE", f"Body is too long (maximum is {MAX_BODY} characters)")
    return body


# ---------------------------------------------------------------- labels


def create_label(hub: Hub, repo: Repo, name: str, color: str, description: str) -> Label:
    if any(label.name.casefold() == name.casefold() for label in repo.labels):
        raise Refused("UNPROCESSABLE", "Name has already been taken")
    if len(description) > 100:
        raise Refused("UNPROCESSABLE", "Description is too long (maximum is 100 characters)")
    label_id = hub.new_id("LA")
    label = hub.keep(Label(label_id, name, color, description), label_id)
    repo.labels.append(label)
    return label


def delete_label(hub: Hub, repo: Repo, name: str) -> None:
    label = label_of(repo, name)
    repo.labels.remove(label)
    del hub.nodes[label.id]
    for item in repo.items.values():
        if label in item.labels:
            item.labels.remove(label)


def label_of(repo: Repo, name: str) -> Label:
    for label in repo.labels:
        if label.name == name:
            return label
    raise Refused("NOT_FOUND", f"no label {name!r}")


def add_label(hub: Hub, actor: Account, item: Item, label: Label) -> None:
    if label not in item.labels:
        item.labels.append(label)
        event(hub, item, "LabeledEvent", actor, label=label)


def remove_label(hub: Hub, actor: Account, item: Item, label: Label) -> None:
    if label in item.labels:
        item.labels.remove(label)
        event(hub, item, "UnlabeledEvent", actor, label=label)


# ---------------------------------------------------------------- issues


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


def _new_item(hub: Hub, actor: Account, repo: Repo, title: str, body: str, **more: str) -> Item:
    now = hub.clock.now()
    item_id = hub.new_id("PR" if more else "I")
    if not title.strip():
        raise Refused("UNPROCESSABLE", "Title can't be blank")
    number = repo.next_number()
    item = Item(
        id=item_id, repo=repo, number=number, title=title, body=_sized(body), author=actor,
        created_at=now, updated_at=now, **more,  # type: ignore[arg-type]
    )
    repo.items[number] = item
    return hub.keep(item, item_id)


def edit_text(hub: Hub, actor: Account, text: Text, body: str) -> None:
    """The first edit writes two entries of history: the writing itself, and the change."""
    if text.body == body:
        return
    now = hub.clock.now()
    if not text.edits:
        text.edits.append(Edit(hub.new_id("UCE"), text.created_at, text.author))
    text.edits.append(Edit(hub.new_id("UCE"), now, actor))
    text.body = _sized(body)
    text.updated_at = now


def rename(hub: Hub, actor: Account, item: Item, title: str) -> None:
    if title != item.title:
        item.title = title
        event(hub, item, "RenamedTitleEvent", actor)


def assign(hub: Hub, actor: Account, item: Item, account: Account) -> None:
    """Who has no access is left out without a word."""
    if item.repo.roles.get(account.id, "none") == "none" or account in item.assignees:
        return
    item.assignees.append(account)
    event(hub, item, "AssignedEvent", actor, assignee=account)


def unassign(hub: Hub, actor: Account, item: Item, account: Account) -> None:
    if account in item.assignees:
        item.assignees.remove(account)
        event(hub, item, "UnassignedEvent", actor, assignee=account)


def close(hub: Hub, actor: Account | None, item: Item) -> None:
    if item.state == "OPEN":
        item.state = "CLOSED"
        item.closed_at = hub.clock.now()
        event(hub, item, "ClosedEvent", actor)


def reopen(hub: Hub, actor: Account, item: Item) -> None:
    if item.state == "CLOSED":
        item.state = "OPEN"
        item.closed_at = None
        event(hub, item, "ReopenedEvent", actor)


def transfer(hub: Hub, actor: Account, item: Item, to: Repo) -> None:
    """The item moves with its id; its events go with it."""
    del item.repo.items[item.number]
    item.number = to.next_number()
    item.repo = to
    to.items[item.number] = item
    item.labels = [label for label in to.labels if label.name in {x.name for x in item.labels}]
    event(hub, item, "TransferredEvent", actor)


# ---------------------------------------------------------------- words


def comment(
    hub: Hub, actor: Account, item: Item, body: str, *, via_email: bool = False
) -> IssueComment:
    now = hub.clock.now()
    comment_id = hub.new_id("IC")
    if not body.strip():
        raise Refused("UNPROCESSABLE", "Body can't be blank")
    made = IssueComment(
        id=comment_id, author=actor, body=_sized(body), created_at=now, updated_at=now, item=item,
        created_via_email=via_email,
    )
    item.comments.append(made)
    item.updated_at = now
    return hub.keep(made, comment_id)


def edit_comment(hub: Hub, actor: Account, made: IssueComment, body: str) -> None:
    edit_text(hub, actor, made, body)
    if hub.comments_move_items:
        made.item.updated_at = hub.clock.now()


def delete_comment(hub: Hub, made: IssueComment) -> None:
    made.item.comments.remove(made)
    del hub.nodes[made.id]
    if hub.comments_move_items:
        made.item.updated_at = hub.clock.now()


def review(hub: Hub, actor: Account, pull: Item, state: str, body: str) -> Review:
    if pull.author is actor and state in ("APPROVED", "CHANGES_REQUESTED"):
        raise Refused("UNPROCESSABLE", "Can not approve your own pull request")
    now = hub.clock.now()
    review_id = hub.new_id("PRR")
    made = Review(
        id=review_id, author=actor, body=_sized(body), created_at=now, updated_at=now, state=state,
        commit_oid=pull.head_sha, submitted_at=None if state == "PENDING" else now,
    )
    pull.reviews.append(made)
    pull.updated_at = now
    return hub.keep(made, review_id)


def start_thread(hub: Hub, actor: Account, pull: Item, path: str, line: int, body: str) -> Thread:
    thread_id = hub.new_id("PRRT")
    thread = hub.keep(Thread(id=thread_id, pull=pull, path=path, line=line), thread_id)
    pull.threads.append(thread)
    reply(hub, actor, thread, body)
    return thread


def reply(hub: Hub, actor: Account, thread: Thread, body: str) -> ReviewComment:
    now = hub.clock.now()
    line_id = hub.new_id("PRRC")
    made = ReviewComment(
        id=line_id, author=actor, body=_sized(body), created_at=now, updated_at=now, thread=thread,
        commit_oid=thread.pull.head_sha,
    )
    thread.comments.append(made)
    thread.pull.updated_at = now
    return hub.keep(made, line_id)


# ---------------------------------------------------------------- pushes and pull requests


def push(
    hub: Hub, actor: Account, repo: Repo, branch: str, files: Mapping[str, str | None], message: str
) -> str:
    """One more commit on a branch, made from the default branch when it is new."""
    tips = repo.bare.tips()
    parent = tips.get(branch) or tips.get(repo.default_branch)
    when = int(hub.clock.now().timestamp())
    sha = repo.bare.commit(branch, files, message, actor.login, when, parent)
    notice_pushes(hub, repo, actor)
    return sha


def notice_pushes(hub: Hub, repo: Repo, actor: Account | None) -> None:
    """Pull requests follow their branches; without a branch they close."""
    tips = repo.bare.tips()
    for pull in repo.items.values():
        if pull.state != "OPEN" or not pull.is_pull or pull.head_repo is not repo:
            continue
        tip = tips.get(pull.head_ref_name)
        if tip is None:
            close(hub, actor, pull)
        elif tip != pull.head_sha:
            pull.head_sha = tip
            pull.updated_at = hub.clock.now()


NOTHING = "0" * 40


def update_refs(
    hub: Hub, actor: Account, repo: Repo, updates: Sequence[Mapping[str, Any]]
) -> None:
    """All of them or none. `beforeOid`: what must stand there; all zeros: it must not exist."""
    orders = []
    for update in updates:
        name, after, before = update["name"], update["afterOid"], update.get("beforeOid")
        now = repo.bare.ref(name) or NOTHING
        known = after == NOTHING or repo.bare.ok("cat-file", "-e", f"{after}^{{commit}}")
        forward = update.get("force") or NOTHING in (now, after) or not repo.bare.ahead(after, now)
        if (before is not None and before != now) or not known or not forward:
            raise Refused("UNPROCESSABLE", "Reference update failed")
        orders.append(f"update {name} {after} {now}\n")
    repo.bare.git("update-ref", "--stdin", text="".join(orders))
    notice_pushes(hub, repo, actor)


def open_pull(
    hub: Hub, actor: Account, repo: Repo, head: str, base: str, title: str, body: str,
    head_repo: Repo | None = None,
) -> Item:
    source = head_repo or repo
    tips, heads = repo.bare.tips(), source.bare.tips()
    if base not in tips or head not in heads:
        raise Refused("UNPROCESSABLE", "Head sha can't be blank, Base sha can't be blank")
    for pull in repo.items.values():
        same = (pull.head_repo, pull.head_ref_name, pull.base_ref_name) == (source, head, base)
        if same and pull.state == "OPEN":
            raise Refused(
                "UNPROCESSABLE", f"A pull request already exists for {source.owner}:{head}."
            )
    if source is repo and not repo.bare.ahead(tips[base], heads[head]):
        raise Refused("UNPROCESSABLE", f"No commits between {base} and {head}")
    item = _new_item(
        hub, actor, repo, title, body, head_ref_name=head, base_ref_name=base, head_sha=heads[head]
    )
    item.head_repo = source
    return item


def mergeable(pull: Item) -> str:
    if pull.state != "OPEN" or pull.mergeable_after > 0:
        pull.mergeable_after = max(0, pull.mergeable_after - 1)
        return "UNKNOWN"
    base = pull.repo.bare.tips().get(pull.base_ref_name)
    if base is None or pull.repo.bare.merged_tree(base, pull.head_sha) is None:
        return "CONFLICTING"
    return "MERGEABLE"


def missing_checks(pull: Item) -> list[str]:
    """Required ones that have not passed on the present head."""
    rows = pull.repo.checks.get(pull.head_sha) or ()
    passed = {row.name for row in rows if row.state == "SUCCESS"}
    return [name for name in pull.repo.required if name not in passed]


def merge(hub: Hub, actor: Account, pull: Item, expected: str | None, method: str) -> None:
    if pull.state != "OPEN":
        raise Refused("UNPROCESSABLE", "Pull Request is not mergeable")
    if expected and expected != pull.head_sha:
        raise Refused(
            "UNPROCESSABLE", "Head branch was modified. Review and try the merge again."
        )
    if pull.is_draft:
        raise Refused("UNPROCESSABLE", "Pull Request is still a work in progress")
    for name in missing_checks(pull):
        raise Refused("UNPROCESSABLE", f'Required status check "{name}" is expected.')
    repo = pull.repo
    base = repo.bare.tips()[pull.base_ref_name]
    tree = repo.bare.merged_tree(base, pull.head_sha)
    if tree is None:
        raise Refused("UNPROCESSABLE", "Pull Request has merge conflicts")
    if method not in ("MERGE", "SQUASH"):
        raise Refused("UNPROCESSABLE", "Rebase merges are not allowed on this repository.")
    parents = (base, pull.head_sha) if method == "MERGE" else (base,)
    head = f"{repo.owner}/{pull.head_ref_name}"
    message = f"Merge pull request #{pull.number} from {head}\n\n{pull.title}"
    when = int(hub.clock.now().timestamp())
    merged = repo.bare.commit_tree(tree, parents, message, actor.login, when)
    if not repo.bare.move(pull.base_ref_name, merged, base):
        raise Refused(
            "UNPROCESSABLE", "Base branch was modified. Review and try the merge again."
        )
    _land(hub, actor, pull, merged)


def _land(hub: Hub, actor: Account, pull: Item, merged: str) -> None:
    pull.state, pull.merge_oid = "MERGED", merged
    pull.merged_at = pull.closed_at = hub.clock.now()
    event(hub, pull, "MergedEvent", actor)
    event(hub, pull, "ClosedEvent", actor)
    if pull.repo.delete_branch_on_merge and pull.head_repo is pull.repo:
        delete_branch(hub, actor, pull.repo, pull.head_ref_name)
    if pull.base_ref_name == pull.repo.default_branch:
        for number in pull.closes():
            close(hub, actor, pull.repo.items[number])


def delete_branch(hub: Hub, actor: Account, repo: Repo, branch: str) -> None:
    if branch == repo.default_branch:
        raise Refused("UNPROCESSABLE", "Cannot delete the default branch")
    repo.bare.delete(branch)
    notice_pushes(hub, repo, actor)


def set_checks(hub: Hub, pull: Item, states: Mapping[str, str], typename: str = "CheckRun") -> None:
    """Results on the present head. GitHub does not move updatedAt for them."""
    rows = []
    for name, state in states.items():
        row_id = hub.new_id("CR")
        row = CheckRow(
            typename=typename, name=name, state=state.upper(), log=f"{name}: {state}", id=row_id,
            database_id=len(hub.nodes) + 9000,
        )
        rows.append(hub.keep(row, row_id))
    pull.repo.checks[pull.head_sha] = rows
    pull.repo.earlier_checks.setdefault(pull.head_sha, []).extend(rows)
