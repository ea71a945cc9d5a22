"""GraphQL queries of the GitHub forge, as text: one item with everything that belongs to it (R21).

The first answer holds the first page of each connection; FURTHER holds the question for the next.
"""

from __future__ import annotations

from functools import cache

from agentcells.forge.github_documents import (
    FACTS,
    LIMIT,
    PAGE_INFO,
    READ_ITEMS,
    WHO,
    Document,
    list_queries,
    pulls_of,
)

_COMMENTS = f"""
fragment Comments on IssueCommentConnection {{
  {PAGE_INFO}
  nodes {{
    id body createdAt updatedAt lastEditedAt createdViaEmail
    author {{ ...Who }}
  }}
}}"""

_REVIEWS = f"""
fragment Reviews on PullRequestReviewConnection {{
  {PAGE_INFO}
  nodes {{
    id body state createdAt updatedAt submittedAt lastEditedAt createdViaEmail
    author {{ ...Who }}
    commit {{ oid }}
  }}
}}"""

_THREAD_COMMENTS = f"""
fragment ThreadComments on PullRequestReviewCommentConnection {{
  {PAGE_INFO}
  nodes {{
    id body commentState: state createdAt updatedAt lastEditedAt createdViaEmail
    author {{ ...Who }}
    commit {{ oid }}
  }}
}}"""

_THREADS = f"""
fragment Threads on PullRequestReviewThreadConnection {{
  {PAGE_INFO}
  nodes {{
    id isResolved path line
    comments(first: 30) {{ ...ThreadComments }}
  }}
}}"""

def _event(fragment: str, type_name: str, more: str = "") -> str:
    return f"""
fragment {fragment} on {type_name} {{ id createdAt actor {{ ...Who }} {more} }}"""


_EVENT = "".join((
    _event("LabelEvent", "LabeledEvent", "label { id name }"),
    _event("UnlabelEvent", "UnlabeledEvent", "label { id name }"),
    _event("AssignEvent", "AssignedEvent", "assignee { ...AssigneeWho }"),
    _event("UnassignEvent", "UnassignedEvent", "assignee { ...AssigneeWho }"),
    _event("CloseEvent", "ClosedEvent"),
    _event("ReopenEvent", "ReopenedEvent"),
    _event("RenameEvent", "RenamedTitleEvent"),
    _event("TransferEvent", "TransferredEvent"),
    _event("MergeEvent", "MergedEvent"),
    """
fragment AssigneeWho on Assignee {
  __typename
  ... on User { id login }
  ... on Bot { id login }
  ... on Mannequin { id login }
  ... on Organization { id login }
}""",
))

_EVENT_NODES = """__typename
    ...LabelEvent ...UnlabelEvent ...AssignEvent ...UnassignEvent ...CloseEvent ...ReopenEvent
    ...RenameEvent ...TransferEvent"""

_EVENT_TYPES = (
    "LABELED_EVENT, UNLABELED_EVENT, ASSIGNED_EVENT, UNASSIGNED_EVENT, CLOSED_EVENT, "
    "REOPENED_EVENT, RENAMED_TITLE_EVENT, TRANSFERRED_EVENT"
)

_EVENTS = f"""
fragment IssueEvents on IssueTimelineItemsConnection {{
  {PAGE_INFO}
  nodes {{
    {_EVENT_NODES}
  }}
}}
fragment PullEvents on PullRequestTimelineItemsConnection {{
  {PAGE_INFO}
  nodes {{
    {_EVENT_NODES} ...MergeEvent
  }}
}}"""

_CONTEXTS = f"""
fragment Contexts on StatusCheckRollupContextConnection {{
  {PAGE_INFO}
  nodes {{
    __typename
    ... on CheckRun {{ id databaseId name conclusion detailsUrl title summary }}
    ... on StatusContext {{ context contextState: state description targetUrl }}
  }}
}}"""

_CLOSING_PULLS = f"""
fragment ClosingPulls on PullRequestConnection {{
  {PAGE_INFO}
  nodes {{ number state repository {{ id }} }}
}}"""
_CLOSED_ISSUES = f"""
fragment ClosedIssues on IssueConnection {{
  {PAGE_INFO}
  nodes {{ number repository {{ id }} }}
}}"""

_EDITS = f"""
fragment Edits on UserContentEditConnection {{
  {PAGE_INFO}
  nodes {{ editedAt editor {{ ...Who }} }}
}}"""


# ---------------------------------------------------------------- one item, whole

# Histories of edits that come with the item itself: of its body and of its first comments. Our ledger is
# one of these, and is edited at every run; asked for apart, it would double the price of each reading.
_EARLY = 30
_HISTORY = "userContentEdits(first: 50) { ...Edits }"

_TEXT = f"title body createdAt updatedAt closedAt lastEditedAt url author {{ ...Who }} {_HISTORY}"
_SETS = f"""labels(first: 100) {{ {PAGE_INFO} nodes {{ id name }} }}
    assignees(first: 100) {{ {PAGE_INFO} nodes {{ __typename id login }} }}"""
# In the order in which they were written, so that none can slip from one page to another meanwhile.
_TALK = f"""comments(first: $page) {{ ...Comments }}
    early: comments(first: {_EARLY}) {{ nodes {{ id {_HISTORY} }} }}"""
# Of a conversation that is known: what was changed last, and what it is compared with (github_talk).
_LAST = "orderBy: {field: UPDATED_AT, direction: DESC}"
_NEWS = f"""comments(first: $page, {_LAST}) {{ totalCount ...Comments }}
    early: comments(first: {_EARLY}, {_LAST}) {{ nodes {{ id {_HISTORY} }} }}
    newest: comments(last: 10) {{ nodes {{ id updatedAt }} }}"""

# The checks are asked for twice: a fine-grained token may read their sum but not the single ones,
# and a refusal of the single ones takes the whole object with it.
def _item(fragment: str, talk: str) -> str:
    return f"""
fragment {fragment} on IssueOrPullRequest {{
  __typename
  ... on Issue {{
    id number repository {{ id }}
    {_TEXT}
    issueState: state
    {_SETS}
    {talk}
    timelineItems(first: $page, itemTypes: [{_EVENT_TYPES}]) {{ ...IssueEvents }}
    closedByPullRequestsReferences(first: 50, includeClosedPrs: false) {{ ...ClosingPulls }}
  }}
  ... on PullRequest {{
    id number repository {{ id }}
    {_TEXT}
    pullState: state
    {_SETS}
    {talk}
    timelineItems(first: $page, itemTypes: [{_EVENT_TYPES}, MERGED_EVENT]) {{ ...PullEvents }}
    closingIssuesReferences(first: 50) {{ ...ClosedIssues }}
    headRefName headRefOid headRepository {{ id }} baseRefName
    isCrossRepository isDraft mergeable mergeStateStatus mergedAt mergeCommit {{ oid }}
    rollup: statusCheckRollup {{ state }}
    details: statusCheckRollup {{ contexts(first: 100) {{ ...Contexts }} }}
    reviews(first: $page) {{ ...Reviews }}
    reviewThreads(first: $threads) {{ ...Threads }}
  }}
}}"""


_WHOLE = _item("Whole", _TALK)
_NEWER = _item("Newer", _NEWS)
_PARTS = "".join((
    _COMMENTS, _EVENT, _EVENTS, _CLOSING_PULLS, _CLOSED_ISSUES, _CONTEXTS, _REVIEWS, _THREADS,
    _THREAD_COMMENTS, _EDITS, WHO,
))

READ = Document(
    name="Read",
    needs=READ_ITEMS,
    text=f"""query Read($owner: String!, $name: String!, $number: Int!,
  $page: Int = 100, $threads: Int = 30) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    issueOrPullRequest(number: $number) {{ ...Whole }}
  }}
}}{_WHOLE}{_PARTS}""",
)


@cache
def read_together(
    items: int, heads: int = 0, ground: bool = False, newer: tuple[int, ...] = (), heard: int = 0
) -> Document:
    """Several items of a repository, and which pull requests some branches have: two points at most.

    Variables: i0 i1 … the numbers, h0 h1 … the branches, heard0 heard1 … ids of comments. `ground`: also
    what a claim has to know of the repository itself, its facts and its labels. `newer`: which of the
    items have a conversation that is known.
    """
    names = "".join(f", $i{i}: Int!" for i in range(items))
    names += "".join(f", $h{i}: String!" for i in range(heads))
    names += "".join(f", $heard{i}: [ID!]!" for i in range(heard))
    kinds = ["Newer" if i in newer else "Whole" for i in range(items)]
    by_id = "".join(
        f"\n  heard{i}: nodes(ids: $heard{i}) {{ ... on IssueComment {{ id updatedAt }} }}"
        for i in range(heard)
    )
    asked = "\n    ".join(
        [f"i{i}: issueOrPullRequest(number: $i{i}) {{ ...{kind} }}" for i, kind in enumerate(kinds)]
        + [f"h{i}: {pulls_of(f'$h{i}')}" for i in range(heads)]
        + ([f"{FACTS} labels(first: 100) {{ {PAGE_INFO} nodes {{ id name }} }}"] if ground else [])
    )
    return Document(
        name="ReadTogether",
        needs=READ_ITEMS,
        text=f"""query ReadTogether($owner: String!, $name: String!{names},
  $page: Int = 100, $threads: Int = 30) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    {asked}
  }}{by_id}
}}{_WHOLE if "Whole" in kinds else ""}{_NEWER if "Newer" in kinds else ""}{_PARTS}""",
    )


def _further(name: str, asked: str, fragments: str, who: str = WHO) -> Document:
    """A later page of one connection of one node."""
    return Document(
        name=name,
        needs=READ_ITEMS,
        text=f"""query {name}($id: ID!, $page: Int = 100, $after: String) {{
  {LIMIT}
  node(id: $id) {{ __typename {asked} }}
}}{fragments}{who}""",
    )


_AT = "(first: $page, after: $after)"
_ON_BOTH = "... on Issue {{ {0} }} ... on PullRequest {{ {0} }}"

# The later pages of each connection that `READ` begins, by the name of the connection.
FURTHER: dict[str, Document] = {
    "comments": _further(
        "MoreComments", _ON_BOTH.format(f"comments{_AT} {{ ...Comments }}"), _COMMENTS
    ),
    "timelineItems": _further(
        "MoreEvents",
        f"... on Issue {{ timelineItems(first: $page, after: $after, itemTypes: [{_EVENT_TYPES}])"
        " { ...IssueEvents } } "
        "... on PullRequest { timelineItems(first: $page, after: $after, "
        f"itemTypes: [{_EVENT_TYPES}, MERGED_EVENT]) {{ ...PullEvents }} }}",
        _EVENT + _EVENTS,
    ),
    "closedByPullRequestsReferences": _further(
        "MoreClosingPulls",
        "... on Issue { closedByPullRequestsReferences(first: $page, after: $after, "
        "includeClosedPrs: false) { ...ClosingPulls } }",
        _CLOSING_PULLS, who="",
    ),
    "closingIssuesReferences": _further(
        "MoreClosedIssues",
        f"... on PullRequest {{ closingIssuesReferences{_AT} {{ ...ClosedIssues }} }}",
        _CLOSED_ISSUES, who="",
    ),
    "reviews": _further(
        "MoreReviews", f"... on PullRequest {{ reviews{_AT} {{ ...Reviews }} }}", _REVIEWS
    ),
    "reviewThreads": _further(
        "MoreThreads",
        f"... on PullRequest {{ reviewThreads{_AT} {{ ...Threads }} }}",
        _THREADS + _THREAD_COMMENTS,
    ),
    "threadComments": _further(
        "MoreThreadComments",
        f"... on PullRequestReviewThread {{ comments{_AT} {{ ...ThreadComments }} }}",
        _THREAD_COMMENTS,
    ),
    "contexts": _further(
        "MoreContexts",
        f"... on PullRequest {{ statusCheckRollup {{ contexts{_AT} {{ ...Contexts }} }} }}",
        _CONTEXTS, who="",
    ),
    "userContentEdits": _further(
        "MoreEdits", f"... on Comment {{ userContentEdits{_AT} {{ ...Edits }} }}", _EDITS
    ),
}

# Asked only for texts that say that they were edited, and whose history did not come with the item.
EDITS = Document(
    name="Edits",
    needs=READ_ITEMS,
    text=f"""query Edits($ids: [ID!]!, $page: Int = 100) {{
  {LIMIT}
  nodes(ids: $ids) {{
    __typename id
    ... on Comment {{ userContentEdits(first: $page) {{ ...Edits }} }}
  }}
}}{_EDITS}{WHO}""",
)

# Asked only where a check has failed: every run of it on this commit, and what the failed ones say.
EARLIER_CHECKS = Document(
    name="EarlierChecks",
    needs="Checks: read",
    text=f"""query EarlierChecks($id: ID!) {{
  {LIMIT}
  node(id: $id) {{
    __typename
    ... on PullRequest {{
      commits(last: 1) {{ nodes {{ commit {{
        checkSuites(first: 50) {{ nodes {{
          checkRuns(first: 50, filterBy: {{checkType: ALL}}) {{ nodes {{ name conclusion }} }}
        }} }}
      }} }} }}
    }}
  }}
}}""",
)

FAILED_CHECKS = Document(
    name="FailedChecks",
    needs="Checks: read",
    text=f"""query FailedChecks($ids: [ID!]!) {{
  {LIMIT}
  nodes(ids: $ids) {{
    __typename
    ... on CheckRun {{
      id text
      annotations(first: 20) {{ nodes {{ path message location {{ start {{ line }} }} }} }}
    }}
  }}
}}""",
)

# What stands there now, read just after a write that may have failed half-way.
RESYNC = Document(
    name="Resync",
    needs=READ_ITEMS,
    text=f"""query Resync($id: ID!) {{
  {LIMIT}
  node(id: $id) {{
    __typename
    ... on Issue {{ issueState: state labels(first: 100) {{ {PAGE_INFO} nodes {{ id name }} }} }}
    ... on PullRequest {{
      pullState: state
      labels(first: 100) {{ {PAGE_INFO} nodes {{ id name }} }}
    }}
  }}
}}""",
)


def all_queries() -> tuple[Document, ...]:
    """Every query that this forge can send."""
    here = tuple(value for value in globals().values() if isinstance(value, Document))
    several = (
        read_together(1, 1, True), read_together(2), read_together(2, 1),
        read_together(2, newer=(0,), heard=2), read_together(2, 1, newer=(0, 1), heard=1),
    )
    return list_queries() + here + several + tuple(FURTHER.values())
