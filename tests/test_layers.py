"""The borders between the rooms: docs/architecture.md's table against the imports of every module."""


from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import tomli

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 450
VAGUE = {"utils", "util", "helpers", "helper", "manager", "service", "core", "common", "misc", "base"}
ALONE = {"door", "forward", "scripted_agent"}  # started inside a sandbox, where nothing is installed
OUTSIDE = {  # what a pure module has no business with: files, processes, clocks, chance
    "asyncio", "glob", "io", "logging", "os", "random", "secrets", "select", "shutil", "signal",
    "socket", "subprocess", "tempfile", "threading", "time", "urllib.request", "uuid",
}  # fmt: skip
CALLS = {"open", "input", "print", "read_text", "write_text", "read_bytes", "write_bytes"}
CLOCK = {"now", "utcnow", "today"}  # of datetime and date


@dataclass(frozen=True)
class Layer:
    """One row of the table."""

    rooms: frozenset[str]
    layers: frozenset[str]  # whose modules it may import; "anything" stands for all
    exactly: frozenset[str]  # further rooms
    protocols: frozenset[str]  # folders of which it may import the Protocol alone
    libraries: frozenset[str] | None  # None: any that the project declares

    def may_import(self, target: str, table: dict[str, Layer]) -> bool:
        room = room_of(target)
        if room in self.exactly or (room in self.protocols and target == room):
            return True
        return any(room in table[name].rooms for name in self.layers)


@dataclass(frozen=True)
class Import:
    target: str  # dotted; of our own modules without "agentcells."
    line: int
    ours: bool
    typing_only: bool


def read_table(text: str) -> dict[str, Layer]:
    """The rows under "| layer | modules | may import |"."""
    rows = text.split("| layer | modules | may import |", 1)[1].splitlines()[2:]
    cells = [[part.strip() for part in row.strip("|").split("|")] for row in rows[: _end(rows)]]
    names = [cell[0] for cell in cells]
    return {name: _layer(modules, may, names) for name, modules, may in cells}


def _end(rows: list[str]) -> int:
    return next((index for index, row in enumerate(rows) if not row.startswith("|")), len(rows))


def _layer(modules: str, may: str, names: list[str]) -> Layer:
    plain, _, protocols = may.partition("Protocol")
    words = set(re.findall(r"[a-z]+", re.sub(r"`[^`]*`", "", plain)))
    anything = "anything" in words
    return Layer(
        rooms=frozenset(name.rstrip("/") for name in re.findall(r"`([^`]+)`", modules)),
        layers=frozenset(names if anything else words & set(names)),
        exactly=frozenset() if anything else frozenset(re.findall(r"`([^`]+)`", plain)),
        protocols=frozenset(re.findall(r"`([^`]+)`", protocols)),
        libraries=None if anything or "own library" in plain else frozenset(words & {"pydantic", "tomli"}),
    )


def room_of(module: str) -> str:
    return module.split(".")[0]


def modules_of(package: Path) -> dict[str, Path]:
    """Every module by its dotted name below the package; the package itself is "__init__"."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)] = path
    return found


def imports_of(tree: ast.Module, known: set[str]) -> Iterator[Import]:
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = _imported_from(node, known)
        else:
            continue
        for name in names:
            ours = room_of(name) == "agentcells"
            target = name.removeprefix("agentcells").lstrip(".") if ours else name
            yield Import(target or "__init__", node.lineno, ours, id(node) in hidden)


def _imported_from(node: ast.ImportFrom, known: set[str]) -> list[str]:
    """`from agentcells import text, __version__`: a module each, or a name of the package."""
    base = "." * node.level + (node.module or "")
    below = base.removeprefix("agentcells").lstrip(".")
    inner = [f"{below}.{alias.name}".lstrip(".") for alias in node.names]
    modules = [name for name in inner if name in known]
    whole = len(modules) < len(inner)
    return [f"agentcells.{name}" for name in modules] * base.startswith("agentcells") + [base] * whole


def violations(package: Path, document: str, declared: set[str]) -> list[str]:
    """Every breach of the law, as a line a person can act on."""
    table = read_table(document)
    paths = modules_of(package)
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    imports = {name: list(imports_of(tree, set(paths))) for name, tree in trees.items()}
    found = [*_rows(table, paths)]
    for name, path in paths.items():
        found += _shape(name, path, trees[name])
        for one in imports[name]:
            found += [f"{name}:{one.line}: {what}" for what in _judged(name, one, table, declared)]
        if _layer_of(name, table) == "pure":
            found += _impure(name, trees[name], imports[name])
    return found + [f"circle: {' → '.join(circle)}" for circle in _circles(imports, set(paths))]


def _layer_of(module: str, table: dict[str, Layer]) -> str:
    return next((name for name, layer in table.items() if room_of(module) in layer.rooms), "")


def _rows(table: dict[str, Layer], paths: dict[str, Path]) -> Iterator[str]:
    rooms = {room_of(name) for name in paths} - {"__init__"}
    listed = [room for layer in table.values() for room in layer.rooms]
    yield from (f"{room}: stands in no row of the table" for room in sorted(rooms - set(listed)))
    yield from (f"{room}: is in the table but not there" for room in sorted(set(listed) - rooms))
    yield from (f"{room}: stands in two rows" for room in sorted(set(listed)) if listed.count(room) > 1)


def _shape(name: str, path: Path, tree: ast.Module) -> Iterator[str]:
    if not ast.get_docstring(tree):
        yield f"{name}: has no docstring that says what the room is for"
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > LONGEST:
        yield f"{name}: {lines} lines, at most {LONGEST}"
    if VAGUE & set(name.split(".")):
        yield f"{name}: a name that says nothing"


def _judged(name: str, one: Import, table: dict[str, Layer], declared: set[str]) -> Iterator[str]:
    layer = table.get(_layer_of(name, table))
    if one.target.startswith("."):
        yield f"relative import {one.target}"
    elif not one.ours:
        yield from _library(name, room_of(one.target), layer, declared)
    elif room_of(name) in ALONE:
        yield f"imports {one.target}, but must stand alone"
    elif one.target == "cli" and name != "__main__":
        yield "imports cli; only __main__ starts it"
    elif room_of(one.target) in (room_of(name), "__init__") or layer is None:
        return
    elif not layer.may_import(one.target, table):
        yield f"a room of {_layer_of(name, table)} imports {one.target}"


def _library(name: str, library: str, layer: Layer | None, declared: set[str]) -> Iterator[str]:
    library = {"pydantic_core": "pydantic"}.get(library, library)  # pydantic's own error types
    if library in sys.stdlib_module_names:
        return
    if room_of(name) in ALONE:
        yield f"imports {library}, but must stand alone"
    elif library not in declared:
        yield f"imports {library}, which pyproject.toml does not ask for"
    elif layer is not None and layer.libraries is not None and library not in layer.libraries:
        yield f"a room of this layer imports {library}"


def _impure(name: str, tree: ast.Module, imports: list[Import]) -> Iterator[str]:
    for one in imports:
        outside = {one.target, room_of(one.target)} & OUTSIDE or one.target == "pathlib.Path"
        if not one.ours and not one.typing_only and outside:
            yield f"{name}:{one.line}: a pure room imports {one.target}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            word = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            of = called.value if isinstance(called, ast.Attribute) else None
            clock = word in CLOCK and isinstance(of, ast.Name) and of.id in ("datetime", "date")
            if word in CALLS or clock:
                yield f"{name}:{node.lineno}: a pure room calls {word}()"


def _circles(imports: dict[str, list[Import]], known: set[str]) -> list[list[str]]:
    """Each circle of run-time imports once, lazy ones included: those only hide it."""
    ways = {
        name: sorted({i.target for i in found if i.ours and not i.typing_only and i.target in known} - {name})
        for name, found in imports.items()
    }  # fmt: skip
    done: set[str] = set()
    circles: list[list[str]] = []

    def visit(name: str, path: list[str]) -> None:
        if name in path:
            circles.append([*path[path.index(name) :], name])
        elif name not in done:
            for target in ways[name]:
                visit(target, [*path, name])
            done.add(name)

    for name in ways:
        visit(name, [])
    return circles


# ---------------------------------------------------------------- the project itself


def declared_libraries() -> set[str]:
    project = tomli.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["mcp"]]
    return {re.split(r"[\[><= ]", line)[0] for line in lines}


def test_the_imports_keep_to_the_table():
    document = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    found = violations(ROOT / "agentcells", document, declared_libraries())
    assert not found, "\n" + "\n".join(found)


def test_coverage_is_measured_for_exactly_the_pure_rooms():
    document = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    settings = tomli.loads((ROOT / "pyproject.toml").read_text())["tool"]["coverage"]
    pure = {f"agentcells/{room}.py" for room in read_table(document)["pure"].rooms}
    assert set(settings["run"]["include"]) == pure
    assert settings["report"]["fail_under"] == 100


# ---------------------------------------------------------------- a small world that breaks the law

TABLE = """\
| layer | modules | may import |
|---|---|---|
| words | `model` `sentences/` | standard library, pydantic, tomli, words |
| pure | `decide` | words, pure |
| edges | `forge/` `git` `store` | words, `git`, their own library, and the Protocols of `forge` |
| shell | `apply` `tick` | words, pure, edges, shell without circles |
| skins | `cli` `__main__` `door` | anything but `cli` |

Text after the table, with a `name` in it.
"""
WORLD = {
    "__init__.py": "",
    "model.py": "import pydantic",
    "sentences/__init__.py": "",
    "decide.py": "from agentcells import model\nfrom agentcells.sentences import say",
    "forge/__init__.py": "from agentcells.model import Item",
    "forge/local.py": "import httpx\nfrom agentcells.forge import Forge\nfrom agentcells import git",
    "git.py": "import subprocess",
    "store.py": "from agentcells.forge import Forge",
    "apply.py": "from agentcells.forge.local import Local\nfrom agentcells import decide",
    "tick.py": "from agentcells.apply import apply\nfrom agentcells import __version__",
    "cli.py": "import typer",
    "__main__.py": "from agentcells import cli",
    "door.py": "import socket",
}


def built(folder: Path, changes: dict[str, str]) -> list[str]:
    for name, text in (WORLD | changes).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text.startswith('"""') or text == "#" else f'"""A room."""\n{text}\n')
    return violations(folder, TABLE, {"httpx", "pydantic", "typer", "tomli"})


def test_a_lawful_world_has_no_violation(tmp_path):
    assert built(tmp_path, {}) == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("decide.py", "from agentcells import git", "decide:2: a room of pure imports git"),
        ("decide.py", "def f():\n    import agentcells.store", "decide:3: a room of pure imports store"),
        ("decide.py", "import httpx", "decide:2: a room of this layer imports httpx"),
        ("decide.py", "import time", "decide:2: a pure room imports time"),
        ("decide.py", "from os import path", "decide:2: a pure room imports os"),
        ("decide.py", "from datetime import datetime\nat = datetime.now()", "decide:3: a pure room calls now()"),
        ("decide.py", "text = open('x')", "decide:2: a pure room calls open()"),
        ("model.py", "from agentcells import decide", "model:2: a room of words imports decide"),
        ("model.py", "import httpx", "model:2: a room of this layer imports httpx"),
        ("git.py", "from agentcells import store", "git:2: a room of edges imports store"),
        ("store.py", "from agentcells.forge.local import Local", "store:2: a room of edges imports forge.local"),
        ("store.py", "from agentcells.forge import local", "store:2: a room of edges imports forge.local"),
        ("store.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from agentcells import tick",
         "store:4: a room of edges imports tick"),
        ("apply.py", "import httpx", "apply:2: a room of this layer imports httpx"),
        ("apply.py", "from agentcells.tick import tick", "circle: apply → tick → apply"),
        ("apply.py", "def f():\n    from agentcells import tick", "circle: apply → tick → apply"),
        ("tick.py", "from agentcells import cli", "tick:2: imports cli; only __main__ starts it"),
        ("tick.py", "from .apply import apply", "tick:2: relative import .apply"),
        ("cli.py", "import requests", "cli:2: imports requests, which pyproject.toml does not ask for"),
        ("door.py", "from agentcells.model import Item", "door:2: imports model, but must stand alone"),
        ("door.py", "import httpx", "door:2: imports httpx, but must stand alone"),
        ("tick.py", "#", "tick: has no docstring that says what the room is for"),
        ("tick.py", "\n" * 460, "tick: 462 lines, at most 450"),
        ("forge/utils.py", "", "forge.utils: a name that says nothing"),
        ("report.py", "", "report: stands in no row of the table"),
    ],
)  # fmt: skip
def test_each_breach_of_the_law_is_seen(tmp_path, name, text, expected):
    assert expected in built(tmp_path, {name: text})


def test_a_room_of_the_table_that_is_gone_is_seen(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    document = TABLE.replace("`apply`", "`apply` `operations`")
    built(tmp_path, {})
    assert violations(tmp_path, document, {"httpx", "pydantic", "typer"}) == [
        "operations: is in the table but not there"
    ]


def test_types_alone_make_no_circle(tmp_path):
    only = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from agentcells import tick"
    assert built(tmp_path, {"apply.py": only}) == []


def test_a_catalogue_of_sentences_is_no_longer_than_a_room(tmp_path):
    assert built(tmp_path, {"sentences/errors.py": "\n" * 440}) == []
    assert built(tmp_path, {"sentences/errors.py": "\n" * 460}) == ["sentences.errors: 462 lines, at most 450"]
