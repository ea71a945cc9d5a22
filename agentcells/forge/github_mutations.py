"""The GraphQL mutations of the GitHub forge, as text: every write it can make.

One effect for each request: GitHub goes on after an error within a request, so "add, then remove"
in one could take the old label away although the new one had been refused (R3).
"""

from __future__ import annotations

from agentcells.forge.github_documents import PAGE_INFO, WHO, Document

WRITE_ISSUES = "Issues: read and write"
# A label or a comment on a pull request asks an App's token for both.
WRITE_BOTH = "Issues: read and write; Pull requests: read and write"
WRITE_PULLS = "Pull requests: read and write; Contents: read"
WRITE_CONTENTS = "Contents: read and write"
MERGE_PULLS = "Pull requests: read and write; Contents: read and write"


def _write(field: str, name: str, wanted: str, needs: str, more: str = "") -> Document:
    """The mutation `field`; GitHub names its input after it."""
    kind = field[0].upper() + field[1:] + "Input"
    return Document(
        name=name,
        writes=True,
        needs=needs,
        text=f"mutation {name}($input: {kind}!) {{ {field}(input: $input) {{ {wanted} }} }}{more}",
    )


_LABELS_NOW = f"labelable {{ __typename labels(first: 100) {{ {PAGE_INFO} nodes {{ id name }} }} }}"
_COMMENT_NOW = """commentEdge {
  node { id body createdAt updatedAt lastEditedAt createdViaEmail author { ...Who } }
}"""
_ASSIGNEES_NOW = "assignable { __typename assignees(first: 100) { nodes { id login } } }"

ADD_LABELS = _write("addLabelsToLabelable", "AddLabels", _LABELS_NOW, WRITE_BOTH)
REMOVE_LABELS = _write("removeLabelsFromLabelable", "RemoveLabels", _LABELS_NOW, WRITE_BOTH)
CREATE_LABEL = _write("createLabel", "CreateLabel", "label { id name }", WRITE_ISSUES)
ADD_COMMENT = _write("addComment", "AddComment", _COMMENT_NOW, WRITE_BOTH, WHO)
UPDATE_COMMENT = _write("updateIssueComment", "UpdateComment", "issueComment { id }", WRITE_BOTH)
REPLY = _write("addPullRequestReviewThreadReply", "Reply", "comment { id }", WRITE_PULLS)
ASSIGN = _write("addAssigneesToAssignable", "Assign", _ASSIGNEES_NOW, WRITE_BOTH)
CREATE_ISSUE = _write("createIssue", "CreateIssue", "issue { id number }", WRITE_ISSUES)
UPDATE_ISSUE = _write("updateIssue", "UpdateIssue", "issue { id }", WRITE_ISSUES)
UPDATE_PULL = _write("updatePullRequest", "UpdatePull", "pullRequest { id }", WRITE_PULLS)
CLOSE_ISSUE = _write("closeIssue", "CloseIssue", "issue { id issueState: state }", WRITE_ISSUES)
CLOSE_PULL = _write(
    "closePullRequest", "ClosePull", "pullRequest { id pullState: state }", WRITE_PULLS
)
CREATE_PULL = _write("createPullRequest", "CreatePull", "pullRequest { id number }", WRITE_PULLS)
MERGE_PULL = _write(
    "mergePullRequest", "MergePull", "pullRequest { id merged mergeCommit { oid } }", MERGE_PULLS
)
DELETE_REF = _write("deleteRef", "DeleteRef", "clientMutationId", WRITE_CONTENTS)
# Each ref with what must stand there before; refs outside of heads and tags too.
UPDATE_REFS = _write("updateRefs", "UpdateRefs", "clientMutationId", WRITE_CONTENTS)


def all_mutations() -> tuple[Document, ...]:
    """Every mutation that this forge can send."""
    return tuple(value for value in globals().values() if isinstance(value, Document))
