"""The routes of pull requests, reviews, branches and statuses."""

from __future__ import annotations

from tests.loopback.gitea import acts, shapes
from tests.loopback.gitea.model import Entry, Item, Refused, Review
from tests.loopback.gitea.rest import REPO, Ask, Result, Rows, page, route
from tests.loopback.listening import Answer


@route("GET", REPO + "/pulls", "repository")
def pulls(ask: Ask) -> Result:
    state = ask.query.get("state", "open")
    found = [
        item for item in ask.repo.items.values()
        if item.is_pull and (state == "all" or item.is_open == (state == "open"))
    ]
    recent = ask.query.get("sort") == "recentupdate"
    ordered = sorted(
        found, key=lambda item: (item.updated if recent else item.created, item.id), reverse=True
    )
    chosen = page(ask, ordered)
    return Rows([shapes.pull(item) for item in chosen.rows], chosen.total)


@route("POST", REPO + "/pulls", "repository")
def open_pull(ask: Ask) -> Result:
    body = ask.body
    ask.demand("read")
    made = acts.open_pull(
        ask.hub, ask.who, ask.repo, body["head"], body["base"], body["title"], body.get("body", "")
    )
    return shapes.pull(made)


@route("GET", REPO + r"/pulls/(\d+)", "repository")
def pull(ask: Ask) -> Result:
    return shapes.pull(ask.pull())


@route("POST", REPO + r"/pulls/(\d+)/merge", "repository")
def merge(ask: Ask) -> Result:
    acts.merge(
        ask.hub, ask.who, ask.pull(), ask.body["Do"], ask.body.get("head_commit_id", "")
    )
    return Answer(200, b"", {}, "text/plain")


# ---------------------------------------------------------------- reviews


@route("GET", REPO + r"/pulls/(\d+)/reviews", "repository")
def reviews(ask: Ask) -> Result:
    """Drafts of others are counted and not shown."""
    item = ask.pull()
    chosen = page(ask, item.reviews)
    rows = [
        shapes.review(review, item) for review in chosen.rows
        if review.state != "PENDING" or review.reviewer is ask.who
    ]
    return Rows(rows, chosen.total)


def _review(ask: Ask, item: Item) -> Review:
    found = next((review for review in item.reviews if review.id == ask.number(3)), None)
    if found is None or (found.state == "PENDING" and found.reviewer is not ask.who):
        raise Refused(404, "not found")
    return found


def _lines(item: Item, review: Review) -> list[Entry]:
    return [entry for entry in item.entries if entry.kind == "code" and entry.review is review]


@route("GET", REPO + r"/pulls/(\d+)/reviews/(\d+)/comments", "repository")
def review_comments(ask: Ask) -> Result:
    item = ask.pull()
    return Rows([shapes.line(entry) for entry in _lines(item, _review(ask, item))], None)


@route("POST", REPO + r"/pulls/(\d+)/reviews/(\d+)/comments", "repository")
def add_review_comment(ask: Ask) -> Result:
    """Forgejo only: one more line of a review that was handed in."""
    if ask.hub.flavour != "forgejo":
        raise Refused(405, None)
    item = ask.pull()
    place = (ask.body["path"], ask.body["new_position"] or -ask.body["old_position"])
    first = next(e for e in _lines(item, _review(ask, item)) if (e.path, e.line) == place)
    return shapes.line(acts.answer_line(ask.hub, ask.who, item, first, ask.body["body"]))


@route("POST", REPO + r"/pulls/(\d+)/comments/(\d+)/replies", "repository")
def reply(ask: Ask) -> Result:
    """Since Gitea 1.27."""
    if ask.hub.flavour != "gitea":
        raise Refused(405, None)
    item = ask.pull()
    first = next((e for e in item.entries if e.kind == "code" and e.id == ask.number(3)), None)
    if first is None:
        raise Refused(404, "not found")
    return shapes.line(acts.answer_line(ask.hub, ask.who, item, first, ask.body["body"]))


# ---------------------------------------------------------------- branches and statuses


@route("GET", REPO + r"/git/refs/heads/(.*)", "repository")
def refs(ask: Ask) -> Result:
    """Those that begin so; one that is exactly it came as an object from older ones."""
    tips = ask.repo.tips()
    found = [
        {"ref": f"refs/heads/{name}", "object": {"type": "commit", "sha": sha}}
        for name, sha in sorted(tips.items()) if name.startswith(ask.parts[2])
    ]
    if not found:
        raise Refused(404, "not found")
    exact = len(found) == 1 and found[0]["ref"] == f"refs/heads/{ask.parts[2]}"
    return found[0] if exact and ask.hub.flavour == "old" else found


@route("DELETE", REPO + r"/branches/(.+)", "repository")
def delete_branch(ask: Ask) -> Result:
    ask.demand("write")
    acts.delete_branch(ask.hub, ask.who, ask.repo, ask.parts[2])
    return None


@route("GET", REPO + r"/statuses/([0-9a-f]+)", "repository")
def statuses(ask: Ask) -> Result:
    return page(ask, [shapes.status(one) for one in ask.repo.statuses[ask.parts[2]]])
