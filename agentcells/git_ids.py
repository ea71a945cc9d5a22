"""The ids that git gives to contents and trees, computed here without starting git."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TypeAlias

from agentcells.git_read import Entry
from agentcells.model import Sha

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_FOLDER = "40000"

_Folder: TypeAlias = "dict[bytes, Entry | _Folder]"


def blob_id(data: bytes) -> Sha:
    """The id of these bytes as a file."""
    return Sha(_digest(b"blob", data).hex())


def tree_id(entries: Mapping[str, Entry]) -> str:
    """The id of the tree that holds exactly these paths."""
    root: _Folder = {}
    for path, entry in entries.items():
        *folders, name = path.encode("utf-8", "surrogateescape").split(b"/")
        place = root
        for folder in folders:
            inner = place.setdefault(folder, {})
            if isinstance(inner, Entry):
                raise ValueError(f"{path} lies below a file")
            place = inner
        place[name] = entry
    return _tree(root).hex()


def _tree(folder: _Folder) -> bytes:
    # git sorts a folder as if its name ended with a slash.
    names = sorted(folder, key=lambda name: name + (b"" if _is_file(folder[name]) else b"/"))
    return _digest(b"tree", b"".join(_line(name, folder[name]) for name in names))


def _line(name: bytes, inner: Entry | _Folder) -> bytes:
    if isinstance(inner, Entry):
        return inner.mode.encode() + b" " + name + b"\0" + bytes.fromhex(inner.sha)
    return _FOLDER.encode() + b" " + name + b"\0" + _tree(inner)


def _is_file(inner: Entry | _Folder) -> bool:
    # For git a submodule sorts like a file.
    return isinstance(inner, Entry)


def _digest(kind: bytes, data: bytes) -> bytes:
    digest = hashlib.sha1(b"%s %d\0" % (kind, len(data)), usedforsecurity=False)
    digest.update(data)
    return digest.digest()
