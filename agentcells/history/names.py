"""Which names of files are never taken in or written out, and how odd ones are shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

# What Windows and macOS make of these names on a person's disk is the folder that git obeys.
_GIT_FOLDER = re.compile(r"\.git|git~[0-9]+")


def is_git_folder(name: str) -> bool:
    """Whether one part of a path is ".git" in any spelling that some file system takes for it."""
    if name.isascii() and "git" not in name.lower():
        return False  # the common case, and there are many names
    folded = unicodedata.normalize("NFKC", name)
    folded = "".join(c for c in folded if unicodedata.category(c) not in ("Cf", "Cc")).casefold()
    parts = re.split(r"[\\/]", folded)
    return any(_GIT_FOLDER.fullmatch(part.partition(":")[0].rstrip(" .")) for part in parts)


def is_safe(path: str) -> bool:
    """Whether a path of a tree may be written below a folder: it stays there and is no .git."""
    parts = path.split("/")
    return "\0" not in path and not any(
        part in ("", ".", "..") or is_git_folder(part) for part in parts
    )


def is_unicode(path: str) -> bool:
    """Whether the bytes on the disk were UTF-8: others are carried along as lone surrogates."""
    return not any("\udc80" <= c <= "\udcff" for c in path)


def shown(path: str) -> str:
    """The path as one printable line."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def below(path: str, folders: tuple[str, ...]) -> bool:
    """Whether `path` is one of `folders` or lies below one."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def plain_folders(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Folder names as written in cells.toml ("./node_modules/") in the one form paths have here."""
    return tuple(str(PurePosixPath(folder)) for folder in folders if folder.strip("/. "))


def folders_of(paths: Iterable[str]) -> set[str]:
    """Every folder that any of `paths` lies in."""
    nearest = {path.rpartition("/")[0] for path in paths} - {""}
    return nearest | {folder for path in nearest for folder in parents(path)}


def parents(path: str) -> list[str]:
    """Every folder that `path` lies in."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: count + 1]) for count in range(len(parts))]
