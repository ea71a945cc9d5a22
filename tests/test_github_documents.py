"""Every GraphQL document that is ever sent, against GitHub's schema and GitHub's price list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from graphql import (
    DocumentNode,
    FieldNode,
    OperationDefinitionNode,
    Visitor,
    parse,
    validate,
    visit,
)

from agentcells.forge.github_documents import MANY, Document, listing
from agentcells.forge.github_listing import COLD_PAGE, WARM_PAGE
from agentcells.forge.github_mutations import all_mutations
from agentcells.forge.github_whole import FURTHER, READ, all_queries
from tests.loopback.github.check_schema import TRIMMED, differences, main, trim
from tests.loopback.github.cost import cost_of
from tests.loopback.github.engine import schema

ALL = (*all_queries(), *all_mutations())


def named(document: Document) -> str:
    return document.name


def fields(tree: DocumentNode) -> Iterator[FieldNode]:
    found: list[FieldNode] = []

    class Fields(Visitor):
        def enter_field(self, node: FieldNode, *_: Any) -> None:
            found.append(node)

    visit(tree, Fields())
    return iter(found)


@pytest.mark.parametrize("document", ALL, ids=named)
def test_every_document_is_valid_on_githubs_schema(document: Document) -> None:
    assert validate(schema(), parse(document.text)) == []


@pytest.mark.parametrize("document", ALL, ids=named)
def test_every_document_names_its_operation_and_the_permission_it_needs(document: Document) -> None:
    (operation,) = (
        d for d in parse(document.text).definitions if isinstance(d, OperationDefinitionNode)
    )
    assert operation.name is not None
    assert operation.name.value == document.name
    assert (operation.operation.value == "mutation") is document.writes
    assert ": " in document.needs


@pytest.mark.parametrize("document", all_mutations(), ids=named)
def test_r3_a_mutation_has_one_effect(document: Document) -> None:
    operation = parse(document.text).definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    assert len(operation.selection_set.selections) == 1


@pytest.mark.parametrize("document", [d for d in all_queries() if d.name == "Listing"], ids=named)
def test_r20_a_listing_has_no_filter_and_goes_by_last_change(document: Document) -> None:
    asked = fields(parse(document.text))
    lists = [field for field in asked if field.name.value in ("issues", "pullRequests")]
    assert len(lists) == 2
    for field in lists:
        names = {argument.name.value for argument in field.arguments or ()}
        assert names == {"states", "first", "after", "orderBy"}
        assert "{field: UPDATED_AT, direction: DESC}" in document.text


def test_no_document_searches() -> None:
    asked = {f.name.value for d in ALL for f in fields(parse(d.text))}
    assert not asked & {"search", "projectCards"}
    arguments = {
        a.name.value for d in ALL for f in fields(parse(d.text)) for a in f.arguments or ()
        if f.name.value != "checkRuns"  # those of one commit, by no index
    }
    assert not arguments & {"filterBy", "labels", "query"}


def points(document: Document, variables: dict[str, Any]) -> int:
    return cost_of(schema(), parse(document.text), variables).points


def test_r20_a_warm_listing_costs_less_than_a_point_a_repository() -> None:
    assert points(listing(1), {"page": WARM_PAGE}) == 1
    assert points(listing(MANY, 2), {"page": WARM_PAGE}) <= MANY


def test_r20_a_cold_page_of_a_hundred_costs_three_points() -> None:
    assert points(listing(1), {"page": COLD_PAGE}) == 3


def test_reading_an_item_whole_costs_one_point() -> None:
    assert points(READ, {}) == 1
    assert {points(document, {}) for document in FURTHER.values()} == {1}


# ---------------------------------------------------------------- the trimmed schema


def test_the_trimmed_schema_holds_what_the_documents_use_and_no_more() -> None:
    text = TRIMMED.read_text()
    assert trim(text) == text
    assert differences(text, text) == []


@pytest.mark.parametrize(
    ("said", "instead", "found"),
    [
        ("title: String!", "title: Int!", "Issue.title"),
        ("enum IssueState { CLOSED OPEN }", "enum IssueState { CLOSED OPEN AJAR }", "AJAR"),
        ("union IssueOrPullRequest = Issue", "union IssueOrPullRequest = Ref | Issue", "Ref"),
        ("scalar URI", "enum URI { A }", "URI: not there"),
        ("qualifiedName: String!", "qualifiedName: ID!", "Repository.ref(qualifiedName)"),
        ("  subjectId: ID!\n", "", "AddCommentInput(subjectId): is required"),
    ],
)
def test_another_word_in_the_trimmed_schema_is_found(said: str, instead: str, found: str) -> None:
    published = TRIMMED.read_text()
    ours = published.replace(said, instead)
    assert ours != published
    assert any(found in line for line in differences(ours, published))


def test_a_document_that_github_no_longer_understands_is_found() -> None:
    text = TRIMMED.read_text()
    older = text.replace("  createdViaEmail: Boolean!\n", "")
    assert any("document Read" in line for line in differences(older, older))


def test_the_check_is_a_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    published = tmp_path / "schema.graphql"
    published.write_text(TRIMMED.read_text())
    assert main([str(published)]) == 0
    published.write_text(TRIMMED.read_text().replace("totalCount", "totalNumber"))
    published.write_text(published.read_text().replace("isArchived: Boolean!", ""))
    assert main([str(published)]) == 1
    assert "Repository.isArchived" in capsys.readouterr().err
