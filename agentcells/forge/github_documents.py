"""GraphQL queries of the GitHub forge, as text: who, where, listings, branches.

One item whole is in github_whole, what is written in github_mutations.

Each is checked against GitHub's published schema by the tests. No list has a filter argument:
filtered lists come from a search index that lags by minutes and, in an outage, by days (R20).
`page` is a variable everywhere, so that an answer that was too large can be asked for in halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One operation. `needs`: the permission a fine-grained token or an App must have for it."""

    name: str
    text: str
    needs: str
    writes: bool = False


READ_ISSUES = "Issues: read"
READ_ITEMS = "Issues: read; Pull requests: read; Commit statuses: read"
READ_CONTENTS = "Contents: read"
METADATA = "Metadata: read"

LIMIT = "rateLimit { cost remaining resetAt }"
PAGE_INFO = "pageInfo { hasNextPage endCursor }"

# `login` of an App is its bare name here and "name[bot]" over REST: only ids are compared.
WHO = """
fragment Who on Actor {
  __typename
  login
  ... on User { id }
  ... on Bot { id }
  ... on Mannequin { id }
  ... on Organization { id }
  ... on EnterpriseUserAccount { id }
}"""


# ---------------------------------------------------------------- who and where

VIEWER = Document(
    name="Viewer",
    needs=METADATA,
    text=f"query Viewer {{ {LIMIT} viewer {{ __typename id login }} }}",
)

ACCOUNT = Document(
    name="Account",
    needs=METADATA,
    text=f"""query Account($login: String!) {{
  {LIMIT}
  user(login: $login) {{ __typename id login }}
}}""",
)

FACTS = """isArchived isEmpty isPrivate hasIssuesEnabled deleteBranchOnMerge
    viewerPermission viewerDefaultMergeMethod
    defaultBranchRef { name }"""

REPOSITORY = Document(
    name="Repository",
    needs=f"{METADATA}; {READ_CONTENTS}",
    text=f"""query Repository($owner: String!, $name: String!) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner {FACTS}
  }}
}}""",
)

# One small part for each permission that reading needs: what is refused is not there (`check`).
PROBE = Document(
    name="Probe",
    needs=METADATA,
    text=f"""query Probe($owner: String!, $name: String!) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    issues(first: 1) {{ nodes {{ id }} }}
    pullRequests(first: 1) {{ nodes {{ id }} }}
    defaultBranchRef {{ name target {{ ... on Commit {{ statusCheckRollup {{ state }} }} }} }}
  }}
}}""",
)

# Not `labels(query:)`: that search has been fuzzy since 2024.
LABELS = Document(
    name="Labels",
    needs=READ_ISSUES,
    text=f"""query Labels($owner: String!, $name: String!, $page: Int = 100, $after: String) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    labels(first: $page, after: $after) {{ {PAGE_INFO} nodes {{ id name }} }}
  }}
}}""",
)


# ---------------------------------------------------------------- listings

_ROWS = f"""
fragment Rows on Repository {{
  id nameWithOwner
  issues(states: $issueStates, first: $page, after: $issuesAfter,
         orderBy: {{field: UPDATED_AT, direction: DESC}}) @include(if: $withIssues) {{
    {PAGE_INFO}
    nodes {{ ...IssueRow }}
  }}
  pullRequests(states: $pullStates, first: $page, after: $pullsAfter,
         orderBy: {{field: UPDATED_AT, direction: DESC}}) @include(if: $withPulls) {{
    {PAGE_INFO}
    nodes {{ ...PullRow }}
  }}
}}"""

# 100 is the most labels that an item can have, so a row always shows all of them.
_ISSUE_ROW = f"""
fragment IssueRow on Issue {{
  id number title updatedAt
  issueState: state
  author {{ ...Who }}
  labels(first: 100) {{ {PAGE_INFO} nodes {{ id name }} }}
}}"""
_PULL_ROW = f"""
fragment PullRow on PullRequest {{
  id number title updatedAt
  pullState: state
  author {{ ...Who }}
  labels(first: 100) {{ {PAGE_INFO} nodes {{ id name }} }}
  headRefName isCrossRepository
  closingIssuesReferences(first: 20) {{ nodes {{ number repository {{ id }} }} }}
}}"""

MANY = 20  # repositories in one request (R20)


@cache
def listing(repositories: int, logins: int = 0, waiting: bool = False) -> Document:
    """The first page of several repositories at once, with the viewer and the accounts of `logins`.

    Variables: o0 n0 o1 n1 … of the repositories, l0 l1 … the logins, and for all of them page,
    cursors and states (null: of every state). `waiting`: ids of pull requests whose checks are
    asked for too.
    """
    several = range(repositories)
    names = ", ".join(f"$o{i}: String!, $n{i}: String!" for i in several)
    people = "".join(f", $l{i}: String!" for i in range(logins))
    ids = ", $waiting: [ID!]!" if waiting else ""
    asked = "\n  ".join(
        [f"r{i}: repository(owner: $o{i}, name: $n{i}) {{ ...Rows }}" for i in several]
        + [f"u{i}: user(login: $l{i}) {{ __typename id login }}" for i in range(logins)]
        + (["waiting: nodes(ids: $waiting) { __typename ...WaitingPull }"] if waiting else [])
    )
    fragment = _WAITING if waiting else ""
    return Document(
        name="Listing",
        needs=READ_ITEMS,
        text=f"""query Listing({names}{people}{ids}, $page: Int = 50,
  $issueStates: [IssueState!], $pullStates: [PullRequestState!],
  $issuesAfter: String, $pullsAfter: String,
  $withIssues: Boolean = true, $withPulls: Boolean = true) {{
  {LIMIT}
  viewer {{ __typename id login }}
  {asked}
}}{_ROWS}{_ISSUE_ROW}{_PULL_ROW}{fragment}{WHO}""",
    )


_WAITING = """
fragment WaitingPull on PullRequest {
  ...PullRow
  repository { id }
  statusCheckRollup { state }
}"""


# ---------------------------------------------------------------- branches

def pulls_of(head: str) -> str:
    """The pull requests of the branch that this variable names, the newest first."""
    return f"""pullRequests(headRefName: {head}, states: [OPEN, CLOSED, MERGED], first: 50,
                 orderBy: {{field: CREATED_AT, direction: DESC}}) {{
      {PAGE_INFO}
      nodes {{ number isCrossRepository }}
    }}"""


PULLS_BY_HEAD = Document(
    name="PullsByHead",
    needs=READ_ITEMS,
    text=f"""query PullsByHead($owner: String!, $name: String!, $head: String!) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    {pulls_of("$head")}
  }}
}}""",
)

BRANCH = Document(
    name="Branch",
    needs=READ_CONTENTS,
    text=f"""query Branch($owner: String!, $name: String!, $ref: String!) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    ref(qualifiedName: $ref) {{ id target {{ oid }} }}
  }}
}}""",
)

# What a commit of ours can stand on without changing a file.
HEAD = Document(
    name="Head",
    needs=READ_CONTENTS,
    text=f"""query Head($owner: String!, $name: String!) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    defaultBranchRef {{ target {{ oid ... on Commit {{ tree {{ oid }} }} }} }}
  }}
}}""",
)

BRANCHES = Document(
    name="Branches",
    needs=READ_CONTENTS,
    text=f"""query Branches($owner: String!, $name: String!, $prefix: String!,
  $page: Int = 100, $after: String) {{
  {LIMIT}
  repository(owner: $owner, name: $name) {{
    id nameWithOwner
    refs(refPrefix: $prefix, first: $page, after: $after) {{ {PAGE_INFO} nodes {{ name prefix }} }}
  }}
}}""",
)


def list_queries() -> tuple[Document, ...]:
    """Every query of this file, for the tests and the check of the trimmed schema."""
    fixed = tuple(value for value in globals().values() if isinstance(value, Document))
    lists = (listing(1), listing(1, 2, waiting=True), listing(MANY), listing(MANY, 3, waiting=True))
    return fixed + lists
