"""What a query costs by GitHub's published formula: connections asked for, divided by a hundred.

Each connection counts once for each parent it may have; nodes are the products of the page sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLNamedType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_named_type,
    value_from_ast_untyped,
)

from tests.loopback.github.model import Refused

MAX_NODES = 500_000


@dataclass
class Cost:
    requests: int = 0
    nodes: int = 0

    @property
    def points(self) -> int:
        return max(1, round(self.requests / 100))


def cost_of(schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any]) -> Cost:
    """Raises Refused where GitHub refuses the query for its size."""
    operation = next(d for d in document.definitions if isinstance(d, OperationDefinitionNode))
    known = dict(variables)
    for definition in operation.variable_definitions or ():
        name = definition.variable.name.value
        if known.get(name) is None and definition.default_value is not None:
            known[name] = value_from_ast_untyped(definition.default_value)
    counter = _Counter(schema, document, known)
    root = schema.get_root_type(operation.operation)
    assert root is not None
    counter.walk(root, operation.selection_set, 1)
    if counter.cost.nodes > MAX_NODES:
        raise Refused(
            "MAX_NODE_LIMIT_EXCEEDED",
            f"This query requests up to {counter.cost.nodes} possible nodes which exceeds the "
            f"maximum limit of {MAX_NODES}.",
        )
    return counter.cost


class _Counter:
    def __init__(
        self, schema: GraphQLSchema, document: DocumentNode, variables: Mapping[str, Any]
    ) -> None:
        self.schema = schema
        self.variables = variables
        self.cost = Cost()
        self.fragments = {
            d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)
        }

    def walk(self, kind: GraphQLNamedType, chosen: SelectionSetNode, parents: int) -> None:
        for selection in chosen.selections:
            if not self._wanted(selection.directives):
                continue
            if isinstance(selection, FieldNode):
                self._field(kind, selection, parents)
            elif isinstance(selection, InlineFragmentNode):
                on = selection.type_condition
                inner = self.schema.type_map[on.name.value] if on else kind
                self.walk(inner, selection.selection_set, parents)
            elif isinstance(selection, FragmentSpreadNode):
                fragment = self.fragments[selection.name.value]
                inner = self.schema.type_map[fragment.type_condition.name.value]
                self.walk(inner, fragment.selection_set, parents)

    def _field(self, kind: GraphQLNamedType, node: FieldNode, parents: int) -> None:
        definition = getattr(kind, "fields", {}).get(node.name.value)
        if definition is None or node.selection_set is None:
            return
        if {"first", "last"} & set(definition.args):
            size = self._size(node)
            self.cost.requests += parents
            parents *= size
            self.cost.nodes += parents
        self.walk(get_named_type(definition.type), node.selection_set, parents)

    def _size(self, node: FieldNode) -> int:
        args = {a.name.value: value_from_ast_untyped(a.value, dict(self.variables))
                for a in node.arguments or ()}
        size = args.get("first", args.get("last"))
        if size is None:
            raise Refused(
                "MISSING_PAGINATION_BOUNDARIES",
                f"You must provide a `first` or `last` value to properly paginate the "
                f"`{node.name.value}` connection.",
            )
        if not 1 <= size <= 100:
            raise Refused(
                "EXCESSIVE_PAGINATION",
                f"Requesting {size} records on the `{node.name.value}` connection exceeds the "
                "`first` limit of 100 records.",
            )
        return int(size)

    def _wanted(self, directives: Iterable[Any] | None) -> bool:
        for directive in directives or ():
            value = value_from_ast_untyped(directive.arguments[0].value, dict(self.variables))
            if bool(value) is (directive.name.value == "skip"):
                return False
        return True
