"""An issue of GitHub with its newest comments only, and issues alone: for a reader in a hurry.

Never for a decision of the factory: that reads an item whole (R21).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from agentcells.forge import Glance, NotFound
from agentcells.forge import github_parse as parse
from agentcells.forge.github_documents import LIMIT, READ_ISSUES, WHO, Document
from agentcells.forge.github_listing import demand_name
from agentcells.forge.github_parse import Names, Node
from agentcells.forge.github_wire import Wire
from agentcells.model import Comment, Item, Row

PAGE = 100  # the most that GitHub gives at once

_TEXT = """title body issueState: state createdAt updatedAt closedAt url
      author { ...Who }
      labels(first: 100) { pageInfo { hasNextPage endCursor } nodes { id name } }
      assignees(first: 100) { pageInfo { hasNextPage endCursor } nodes { __typename id login } }"""

GLANCE = Document(
    name="Glance",
    needs=READ_ISSUES,
    text=f"""query Glance($owner: String!, $name: String!, $number: Int!, $last: Int = 50,
  $before: String, $spoken: Boolean = true) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    issueOrPullRequest(number: $number) {{
      __typename
      ... on Issue {{
      id number {_TEXT}
      repository {{ id }}
      count: comments(first: 1) {{ totalCount }}
      comments(last: $last, before: $before) @include(if: $spoken) {{
        pageInfo {{ hasPreviousPage startCursor }}
        nodes {{ id body createdAt updatedAt author {{ ...Who }} }}
      }} }}
    }}
  }}
}}{WHO}""",
)

RECENT = Document(
    name="Recent",
    needs=READ_ISSUES,
    text=f"""query Recent($owner: String!, $name: String!, $page: Int = 20,
  $states: [IssueState!]) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    issues(states: $states, first: $page, orderBy: {{field: UPDATED_AT, direction: DESC}}) {{
      nodes {{
        id number title updatedAt
        issueState: state
        author {{ ...Who }}
        labels(first: 100) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ id name }} }}
      }}
    }}
  }}
}}{WHO}""",
)

_STATES = {"open": ["OPEN"], "closed": ["CLOSED"], "all": None}


def glance(wire: Wire, names: Names, repo: str, number: int, comments: int) -> Glance:
    """Raises NotFound for what is no issue."""
    nodes: tuple[Node, ...] = ()
    before: str | None = None
    while True:
        left = comments - len(nodes)
        node = _issue(wire, repo, number, {
            "last": max(1, min(PAGE, left)), "before": before, "spoken": left > 0})
        if left <= 0:
            break
        page = node.get("comments")
        nodes = (*parse.nodes(page, "comments"), *nodes)
        assert isinstance(page, Mapping)
        info = page.get("pageInfo") or {}
        following = info.get("startCursor") if info.get("hasPreviousPage") else None
        if following is None or following == before or len(nodes) >= comments:
            break
        before = following
    said = tuple(_comment(one, names) for one in nodes)
    total = node["count"]["totalCount"]
    return Glance(item=_item(repo, node, said, names), comments_total=total)


def recent(
    wire: Wire, names: Names, repo: str, state: Literal["open", "closed", "all"], limit: int
) -> tuple[Row, ...]:
    node = _repository(wire, RECENT, repo, {"states": _STATES[state], "page": min(PAGE, limit)})
    found: Sequence[Node] = parse.nodes(node.get("issues"), "issues")
    return tuple(parse.issue_row(repo, one, names) for one in found)


def _issue(wire: Wire, repo: str, number: int, variables: Mapping[str, object]) -> Node:
    repository = _repository(wire, GLANCE, repo, {"number": number, **variables})
    node = repository.get("issueOrPullRequest")
    if not isinstance(node, Mapping):
        raise parse.partial(f"#{number}")
    if node.get("__typename") != "Issue" or node["repository"]["id"] != repository["id"]:
        raise NotFound("github_transferred", repo=repo, number=number)
    return node


def _repository(
    wire: Wire, document: Document, repo: str, variables: Mapping[str, object]
) -> Node:
    owner, name = repo.split("/", 1)
    data = wire.query(document, {"owner": owner, "name": name, **variables}, where=repo)
    node = data.get("repository")
    if not isinstance(node, Mapping):
        raise parse.partial("repository")
    demand_name(repo, node)
    return node


def _comment(node: Node, names: Names) -> Comment:
    return Comment(
        id=node["id"], author=names.account(node.get("author")), body=node["body"],
        created_at=parse.time(node["createdAt"]), updated_at=parse.time(node["updatedAt"]),
        edits=None,
    )


def _item(repo: str, node: Node, said: tuple[Comment, ...], names: Names) -> Item:
    people = map(names.account, parse.only_page(node.get("assignees"), "assignees"))
    return Item(
        repo=repo, kind="issue", number=node["number"], id=node["id"], title=node["title"],
        body=node["body"], author=names.account(node.get("author")), state=parse.state(node),
        created_at=parse.time(node["createdAt"]), updated_at=parse.time(node["updatedAt"]),
        closed_at=parse.time(node["closedAt"]) if node.get("closedAt") else None,
        labels=parse.labels(node.get("labels")), comments=said, edits=None, url=node["url"],
        assignees=tuple(person for person in people if person is not None),
    )
