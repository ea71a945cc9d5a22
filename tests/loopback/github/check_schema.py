"""The trimmed schema against GitHub's published one: makes it, checks that it says the same.

    python -m tests.loopback.github.check_schema            fetches npm's @octokit/graphql-schema
    python -m tests.loopback.github.check_schema FILE       takes schema.graphql from FILE
    python -m tests.loopback.github.check_schema FILE --write     makes schema.graphql anew

The published text is no valid SDL (fields are defined twice), so it is built without that check.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLSchema,
    InlineFragmentNode,
    TypeInfo,
    TypeInfoVisitor,
    Visitor,
    build_ast_schema,
    parse,
    print_ast,
    validate,
    visit,
)
from graphql import FragmentDefinitionNode as Fragment

from agentcells.forge.github_documents import Document
from agentcells.forge.github_glance import GLANCE, RECENT
from agentcells.forge.github_mutations import all_mutations
from agentcells.forge.github_whole import all_queries

PACKAGE = "@octokit/graphql-schema@15"
TRIMMED = Path(__file__).with_name("schema.graphql")
BUILT_IN = {"String", "Int", "Float", "Boolean", "ID"}

# Fields of mutations' inputs that this project sends; required ones are kept anyway.
SENT = {
    "labelableId", "labelIds", "repositoryId", "name", "color", "description", "subjectId", "body",
    "id", "pullRequestReviewThreadId", "assignableId", "assigneeIds", "title", "issueId",
    "pullRequestId", "headRefName", "baseRefName", "expectedHeadOid", "mergeMethod", "refId",
    "field", "direction", "checkType", "refUpdates", "beforeOid", "afterOid", "force",
}


def documents() -> tuple[Document, ...]:
    return all_queries() + all_mutations() + (GLANCE, RECENT)


def load(text: str) -> tuple[DocumentNode, GraphQLSchema]:
    tree = parse(text, no_location=True)
    return tree, build_ast_schema(tree, assume_valid=True, assume_valid_sdl=True)


# ---------------------------------------------------------------- checking


def differences(trimmed: str, published: str) -> list[str]:
    """What the trimmed copy says otherwise than the published schema, one line each."""
    full_tree, full = load(published)
    known = {d.name.value: d for d in full_tree.definitions if hasattr(d, "name")}
    found: list[str] = []
    for definition in parse(trimmed, no_location=True).definitions:
        name = definition.name.value  # type: ignore[attr-defined]
        if name not in known or known[name].kind != definition.kind:
            found.append(f"{name}: not there, or another kind of type")
        else:
            found += _compare(name, definition, known[name])
    for document in documents():
        errors = validate(full, parse(document.text))
        found += [f"document {document.name}: {error.message}" for error in errors]
    return found


def _compare(name: str, ours: Any, theirs: Any) -> Iterator[str]:
    for part in ("values", "types", "interfaces"):
        extra = _names(getattr(ours, part, ())) - _names(getattr(theirs, part, ()))
        yield from (f"{name}: {part[:-1]} {one} is not there" for one in sorted(extra))
    fields = {field.name.value: field for field in getattr(theirs, "fields", None) or ()}
    for field in getattr(ours, "fields", None) or ():
        where = f"{name}.{field.name.value}"
        other = fields.get(field.name.value)
        if other is None or print_ast(other.type) != print_ast(field.type):
            yield f"{where}: not there, or of another type"
        elif hasattr(field, "arguments"):
            yield from _compare_inputs(where, field.arguments, other.arguments)
    if ours.kind == "input_object_type_definition":
        yield from _compare_inputs(name, ours.fields, theirs.fields)


def _compare_inputs(where: str, ours: Any, theirs: Any) -> Iterator[str]:
    known = {one.name.value: one for one in theirs or ()}
    here = {one.name.value: one for one in ours or ()}
    for name, one in here.items():
        if name not in known or print_ast(known[name].type) != print_ast(one.type):
            yield f"{where}({name}): not there, or of another type"
    for name, one in known.items():
        if _required(one) and name not in here:
            yield f"{where}({name}): is required there"


def _required(one: Any) -> bool:
    return one.type.kind == "non_null_type" and one.default_value is None


def _names(nodes: Iterable[Any] | None) -> set[str]:
    return {node.name.value for node in nodes or ()}


# ---------------------------------------------------------------- making


class _Used(Visitor):
    """Types, fields and arguments that documents use."""

    def __init__(self, info: TypeInfo) -> None:
        super().__init__()
        self.info = info
        self.fields: dict[str, set[str]] = defaultdict(set)
        self.args: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.types: set[str] = {"Query", "Mutation"}

    def enter_field(self, node: FieldNode, *_: Any) -> None:
        parent = self.info.get_parent_type()
        if parent is not None and not node.name.value.startswith("__"):
            self.fields[parent.name].add(node.name.value)
            self.args[parent.name, node.name.value] |= _names(node.arguments)

    def enter_inline_fragment(self, node: InlineFragmentNode, *_: Any) -> None:
        if node.type_condition:
            self.types.add(node.type_condition.name.value)

    def enter_fragment_definition(self, node: Fragment, *_: Any) -> None:
        self.types.add(node.type_condition.name.value)


def trim(published: str) -> str:
    """Only what our documents use, without a word of description."""
    tree, schema = load(published)
    info = TypeInfo(schema)
    used = _Used(info)
    for document in documents():
        visit(parse(document.text), TypeInfoVisitor(info, used))
    known = {d.name.value: d for d in tree.definitions if hasattr(d, "name")}
    kept = _closure(used, known)
    return "\n".join(_printed(known[name], used, kept) for name in sorted(kept)) + "\n"


def _closure(used: _Used, known: dict[str, Any]) -> set[str]:
    """All types that the used fields lead to; implementers get the fields of their interfaces."""
    kept: set[str] = set()
    waiting = used.types | set(used.fields)
    while waiting:
        name = waiting.pop()
        if name in kept or name in BUILT_IN or name not in known:
            continue
        kept.add(name)
        for interface in _names(getattr(known[name], "interfaces", ())):
            for field in used.fields.get(interface, ()):
                used.fields[name].add(field)
                used.args[name, field] |= used.args[interface, field]
        for field in getattr(known[name], "fields", None) or ():
            if _wanted(known[name], field, used):
                waiting.add(_named(field.type))
                inputs = getattr(field, "arguments", None) or ()
                waiting |= {
                    _named(a.type) for a in inputs if _wanted_arg(known[name], field, a, used)
                }
    return kept


def _named(node: Any) -> str:
    while hasattr(node, "type"):
        node = node.type
    return str(node.name.value)


def _wanted(definition: Any, field: Any, used: _Used) -> bool:
    if definition.kind == "input_object_type_definition":
        return field.name.value in SENT or _required(field)
    return field.name.value in used.fields.get(definition.name.value, ())


def _wanted_arg(definition: Any, field: Any, arg: Any, used: _Used) -> bool:
    asked = used.args[definition.name.value, field.name.value]
    return arg.name.value in asked or _required(arg)


def _printed(definition: Any, used: _Used, kept: set[str]) -> str:
    name = definition.name.value
    kinds = {
        "object_type_definition": "type", "interface_type_definition": "interface",
        "input_object_type_definition": "input",
    }
    if definition.kind == "scalar_type_definition":
        return f"scalar {name}"
    if definition.kind == "enum_type_definition":
        return f"enum {name} {{ {' '.join(v.name.value for v in definition.values)} }}"
    if definition.kind == "union_type_definition":
        return f"union {name} = {' | '.join(sorted(_names(definition.types) & kept))}"
    faces = sorted(_names(getattr(definition, "interfaces", ())) & kept)
    head = f"{kinds[definition.kind]} {name}"
    if faces:
        head += f" implements {' & '.join(faces)}"
    lines = [_line(definition, f, used) for f in definition.fields if _wanted(definition, f, used)]
    return f"{head} {{\n  " + "\n  ".join(lines) + "\n}"


def _line(definition: Any, field: Any, used: _Used) -> str:
    args = [
        f"{a.name.value}: {print_ast(a.type)}"
        + (f" = {print_ast(a.default_value)}" if a.default_value else "")
        for a in getattr(field, "arguments", None) or ()
        if _wanted_arg(definition, field, a, used)
    ]
    asked = f"({', '.join(args)})" if args else ""
    value = getattr(field, "default_value", None)
    default = f" = {print_ast(value)}" if value else ""
    return f"{field.name.value}{asked}: {print_ast(field.type)}{default}"


# ---------------------------------------------------------------- the command


def fetch(folder: Path) -> str:
    """The published schema, by the ordinary client of its registry."""
    subprocess.run(
        ["npm", "pack", PACKAGE, "--silent", "--pack-destination", str(folder)], check=True,
        capture_output=True,
    )
    with tarfile.open(next(folder.glob("*.tgz"))) as package:
        member = package.extractfile("package/schema.graphql")
        assert member is not None
        return member.read().decode()


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, prog="check_schema")
    parser.add_argument("file", nargs="?", help="schema.graphql of the npm package")
    parser.add_argument("--write", action="store_true", help="make the trimmed copy anew")
    asked = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        published = Path(asked.file).read_text() if asked.file else fetch(Path(folder))
    if asked.write:
        TRIMMED.write_text(trim(published))
    found = differences(TRIMMED.read_text(), published)
    for line in found:
        print(line, file=sys.stderr)
    print(f"{TRIMMED.name}: {len(found)} differences from the published schema")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
