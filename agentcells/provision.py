"""Makes the places of a run before it starts: workspace, shims, homes, and what setup leaves,
from the cache (R37)."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from agentcells import agent_program
from agentcells.emptying import remove_tree
from agentcells.git_read import Entry
from agentcells.history.spread import spread
from agentcells.model import Problem
from agentcells.paths import Globs
from agentcells.sandbox import HOME, TEMPORARY, WORKSPACE, Box, Containment, available
from agentcells.store import Limits, writing

# What decides which packages setup fetches. Manifests too: a project without a lock file has only
# those.
LOCK_FILES = frozenset(
    {
        "package.json",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "bun.lockb",
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "Pipfile",
        "Pipfile.lock",
        "Cargo.toml",
        "Cargo.lock",
        "go.mod",
        "go.sum",
        "Gemfile",
        "Gemfile.lock",
        "composer.json",
        "composer.lock",
        "mix.lock",
        "pubspec.lock",
        "Package.resolved",
        "gradle.lockfile",
        "pom.xml",
        "flake.lock",
        ".nvmrc",
        ".python-version",
        ".tool-versions",
    }
)
OURS_INSIDE = ("door.py", "door_tools.py", "forward.py", "leash.py")
FOLDER = Path(__file__).resolve().parent
CACHE_UNUSED_S = 30 * 86400.0
CACHE_KEPT = 20  # however fresh the others are
CACHE_IN_USE_S = 86400.0  # no run takes as long: within it somebody may be copying it


def demand_ready(limits: Limits, environ: Mapping[str, str]) -> None:
    """Raises Problem when no run could start on this machine as it is.

    Asked before anything is claimed: it is not the item's fault, and nothing is written for it.
    """
    if limits.containment != "none" and isinstance(
        problem := available(limits.run_as), Problem
    ):
        raise problem
    _demand_room(limits)
    demand_read(limits.read)
    Globs.of(limits.protected)
    agent_program.look(limits, environ)


def _demand_room(limits: Limits) -> None:
    """The cache lies where the runs do."""
    if limits.cache:
        place = next(folder for folder in Path(limits.cache).parents if folder.is_dir())
        left = shutil.disk_usage(place).free >> 20
        if left < limits.free_disk_mb:
            raise Problem("run_disk_low", exit_code=75, left=left, floor=limits.free_disk_mb)


def demand_read(paths: Iterable[str]) -> None:
    """A path that is not there would end run after run of whatever item comes first."""
    for path in paths:
        if not Path(path).exists():
            raise Problem("run_unreadable_path", exit_code=2, path=path)


def make_places(folder: Path, python: str, account: tuple[int, int] | None) -> None:
    """The folders of a run, the door's client, and three files of /etc that name nobody."""
    spread(folder)
    for name in ("work", "home", "door", "bin/etc", *(f"tmp/{name}" for name in TEMPORARY)):
        (folder / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    ours = folder / "bin"
    for name in OURS_INSIDE:
        shutil.copyfile(FOLDER / name, ours / name)
    shim = ours / "agentcells"
    shim.write_text(
        f'#!/bin/sh\nexec {_quoted(python)} -I -S "${{0%/*}}/door.py" "$@"\n', encoding="utf-8"
    )
    uid, gid = account or (os.getuid(), os.getgid())
    (ours / "etc/passwd").write_text(f"agent:x:{uid}:{gid}::{HOME}:/bin/sh\n", encoding="utf-8")
    (ours / "etc/group").write_text(f"agent:x:{gid}:\n", encoding="utf-8")
    (ours / "etc/hosts").write_text("127.0.0.1 localhost cell\n::1 localhost\n", encoding="utf-8")
    for path in (ours, ours / "etc"):
        path.chmod(0o755)
    shim.chmod(0o755)
    for path in (*(ours / name for name in OURS_INSIDE), *(ours / "etc").iterdir()):
        path.chmod(0o644)


def _quoted(word: str) -> str:
    return "'" + word.replace("'", "'\\''") + "'"


def give_to(account: tuple[int, int], folder: Path, names: Iterable[str]) -> None:
    """Everything of a run belongs to its own account; bwrap's --uid alone would leave the host's
    root. What is laid out later is given to it file by file."""
    owner = f"{account[0]}:{account[1]}"
    _with_program("chown", "-hR", owner, "--", *(str(folder / name) for name in names))


def _with_program(*argv: str) -> None:
    """A program of the system, on files of a run. Raises Problem with the first thing it said."""
    done = subprocess.run(
        argv, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"{argv[0]}: {done.returncode}"]
        raise Problem("run_files_refused", detail=said[0][:300])


# ---------------------------------------------------------------- setup and its cache


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What setup has to do before the agent may start. `run` "": nothing."""

    run: str = ""  # name of the folder it runs in, below the run folder
    store: Path | None = None  # where what it leaves is cached
    cached: Path | None = None  # take it from here instead


def lock_hash(limits: Limits, entries: Mapping[str, Entry]) -> str:
    """Names what setup would leave: the command, what is kept of it, and every lock file."""
    locks = {
        path: str(entry.sha)
        for path, entry in entries.items()
        if PurePosixPath(path).name in LOCK_FILES or _is_requirements(path)
    }
    told = [limits.setup, limits.keep, limits.setup_hosts, sorted(locks.items()), sys.platform]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:24]


def _is_requirements(path: str) -> bool:
    name = PurePosixPath(path).name
    return name.startswith("requirements") and name.endswith(".txt")


def plan_setup(limits: Limits, base: Mapping[str, Entry], start: Mapping[str, Entry]) -> Plan:
    """From the cache of the base's lock files; else run it; private to the run when the locks
    differ."""
    if not limits.setup:
        return Plan()
    if not limits.keep:
        return Plan(run="work")  # it leaves nothing that could be carried over: it works in place
    key = lock_hash(limits, base)
    if lock_hash(limits, start) != key or not limits.cache:
        return Plan(run="tmp/setup")
    cached = Path(limits.cache, key)
    return Plan(cached=cached) if cached.is_dir() else Plan(run="tmp/setup", store=cached)


def take_kept(source: Path, work: Path, keep: Iterable[str]) -> None:
    """Copy what setup left under `keep` into the workspace: each run has its own.

    Setup ran the code of strangers: no link is followed, on neither side, at no depth of a name.
    """
    for name in keep:
        if not inside(name):
            raise Problem("run_bad_keep", exit_code=2, path=name)
        origin, target = source / name, work / name
        linked = origin.is_symlink() or _through_link(source, name) or _through_link(work, name)
        if linked or not origin.exists():
            continue
        if target.exists() or target.is_symlink():
            remove_tree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        _with_program("cp", "-a", "--", str(origin), str(target))


def _through_link(root: Path, name: str) -> bool:
    """Whether a folder on the way to `name` is a link: it might lead out of the workspace."""
    parts = PurePosixPath(name).parts
    return any((root / Path(*parts[:depth])).is_symlink() for depth in range(1, len(parts)))


def keep_in_cache(source: Path, cached: Path, keep: Iterable[str]) -> None:
    """Whole or not at all: another run may be looking for it now."""
    beside = cached.with_name(f".{cached.name}.{os.getpid()}")
    remove_tree(beside)
    beside.mkdir(parents=True)
    try:
        take_kept(source, beside, keep)
        beside.rename(cached)
    except (OSError, Problem) as error:
        remove_tree(beside)
        if not cached.is_dir():  # else somebody was faster, with the same
            raise error


def tidy_cache(folder: Path, now: float) -> None:
    """What setup left for lock files that nobody has had for long: each is a whole node_modules or venv.

    `folder`: of the cache; `now`: seconds since 1970. A run that takes something from it notes the time.
    """
    there = sorted(folder.iterdir(), key=_used_at, reverse=True) if folder.is_dir() else []
    for place, entry in enumerate(there):
        unused = now - _used_at(entry)
        if unused > CACHE_UNUSED_S or (place >= CACHE_KEPT and unused > CACHE_IN_USE_S):
            with writing(entry):
                remove_tree(entry)


def _used_at(entry: Path) -> float:
    try:
        return entry.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


def inside(name: str) -> bool:
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


# ---------------------------------------------------------------- programs inside


def inner_python(containment: Containment) -> tuple[str, tuple[str, ...]]:
    """The interpreter for our own programs inside, and what must be readable for it."""
    if containment == "none":
        return sys.executable, ()
    system = Path("/usr/bin/python3")
    if system.exists() and system.resolve().is_relative_to("/usr"):
        return str(system), ()
    return str(Path(sys.executable).resolve()), (str(Path(sys.base_prefix).resolve()),)


def make_box(
    folder: Path,
    limits: Limits,
    *,
    writes: bool,
    lock_fd: int,
    account: tuple[int, int] | None,
    python: str,
    read: Iterable[str],
) -> Box:
    demand_read(read)
    return Box(
        containment="none" if limits.containment == "none" else "strong",
        folder=str(folder),
        writes=writes,
        python=python,
        lock_fd=lock_fd,
        read=tuple(read),
        account=account or (),
        max_processes=limits.max_processes,
        max_memory=limits.max_memory_mb << 20,
        max_file=limits.max_file_mb << 20,
    )


__all__ = [
    "WORKSPACE",
    "Plan",
    "demand_ready",
    "give_to",
    "inner_python",
    "inside",
    "keep_in_cache",
    "lock_hash",
    "make_box",
    "make_places",
    "plan_setup",
    "take_kept",
]
