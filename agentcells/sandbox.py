"""The two sandboxes of a run: what bubblewrap is told, what may be read, and whether it holds on
this host (R35)."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agentcells.confine import bounds, limit, own_account, seccomp_program
from agentcells.problem import Problem

Containment = Literal["strong", "none"]
Strength = Literal["strong"] | Problem
Role = Literal["agent", "tool"]

WORKSPACE, HOME, OURS, DOOR, PROXY = (
    "/workspace",
    "/home/agent",
    "/opt/agentcells",
    "/run/agentcells/door",
    "/run/agentcells/proxy",
)
PROXY_PORT = 3128
SHARED_MEMORY = 512 << 20  # browsers in tests need some

NAMESPACES = (
    "--die-with-parent",
    "--new-session",
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--unshare-net",
    "--disable-userns",
    "--cap-drop",
    "ALL",
    "--hostname",
    "cell",
)
# Nothing that names this host's people or network. passwd, group and hosts are ours, of two lines
# each.
ETC = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "nsswitch.conf",
    "ssl/certs",
    "ssl/openssl.cnf",
    "pki/tls/certs",
    "pki/ca-trust/extracted",
    "ca-certificates",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """The places and borders of one run, as both sandboxes need them."""

    containment: Containment
    folder: str  # the run folder
    writes: bool  # False: the agent has the workspace read-only (R36)
    python: str  # the interpreter of our own programs inside
    lock_fd: int  # the run's lock: held until the last process of a sandbox is gone (R17)
    read: Sequence[str] = ()  # read-only at the same place inside
    account: Sequence[int] = ()  # (uid, gid) when root runs this, else empty
    staged: Mapping[str, str] = field(default_factory=dict)  # where that account finds a path
    max_processes: int = 1_024  # of each sandbox
    max_memory: int = 16 << 30  # bytes of data, of each process
    max_file: int = 4 << 30  # bytes

    def place(self, name: str) -> str:
        return str(Path(self.folder, name))

    def source(self, path: str) -> str:
        return self.staged.get(path, path)

    def sources(self) -> list[str]:
        """Every path a sandbox of this run is made of, for `confine.stage`."""
        names = ("work", "home", "bin", "door", *(f"tmp/{name}" for name in TEMPORARY))
        return [*(self.place(name) for name in names), *self.read]


TEMPORARY = ("agent", "tool", "toolhome", "scratch", "setup", "proxy", "toolproxy", "setupproxy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A command as it is to be started. `given` is closed here once it has started; `info` is
    read by us; a sandbox begins its command when it has its `bounds` and `release` is written."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    given: tuple[int, ...] = ()
    held: tuple[int, ...] = ()
    info: int | None = None
    release: int | None = None
    bounds: Mapping[int, int] = field(default_factory=dict)


def agent_command(box: Box, argv: Sequence[str], env: Mapping[str, str]) -> Launch:
    """The agent: its home, the workspace, the door, and a way to the model's API."""
    if box.containment == "none":
        return _leashed(box, "agent", argv, env, box.place("work"))
    mounts = [
        "--bind",
        box.source(box.place("home")),
        HOME,
        "--bind",
        box.source(box.place("tmp/agent")),
        "/tmp",
        "--bind" if box.writes else "--ro-bind",
        box.source(box.place("work")),
        WORKSPACE,
        "--bind",
        box.source(box.place("door")),
        DOOR,
        "--bind",
        box.source(box.place("tmp/proxy")),
        PROXY,
    ]
    return _contained(box, mounts, _through_proxy(box, argv), _environment(box, "agent", env))


def tool_command(
    box: Box, argv: Sequence[str], env: Mapping[str, str], work: str = "work", proxy: str = ""
) -> Launch:
    """A command of the project: no door, no credential, and the network only through `proxy`."""
    if box.containment == "none":
        return _leashed(box, "tool", argv, env, box.place(work))
    mounts = [
        "--bind",
        box.source(box.place("tmp/toolhome")),
        HOME,
        "--bind",
        box.source(box.place("tmp/tool")),
        "/tmp",
        "--bind",
        box.source(box.place(work)),
        WORKSPACE,
    ]
    extra = dict(env)
    if proxy:
        mounts += ["--bind", box.source(box.place(proxy)), PROXY]
        argv = _through_proxy(box, argv)
        extra.update(proxy_environment())
    return _contained(box, mounts, argv, _environment(box, "tool", extra))


def proxy_environment() -> dict[str, str]:
    """Both spellings: tools differ in which one they look for.

    Never NO_PROXY, it would be obeyed.
    """
    address = f"http://127.0.0.1:{PROXY_PORT}"
    names = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
    return dict.fromkeys(names, address)


def _through_proxy(box: Box, argv: Sequence[str]) -> list[str]:
    ours = [box.python, "-I", "-S", f"{OURS}/forward.py", str(PROXY_PORT), f"{PROXY}/s", "--"]
    return [*ours, *argv]


def _environment(box: Box, role: Role, extra: Mapping[str, str]) -> dict[str, str]:
    """All that a command knows: nothing is inherited."""
    env = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TERM": "dumb"}
    if box.containment == "strong":
        bins = [f"{path}/bin" for path in box.read if _is_toolchain(box, path)]
        env["PATH"] = ":".join([OURS, "/usr/local/bin", "/usr/bin", "/bin", *bins])
        env.update(HOME=HOME, TMPDIR="/tmp")
    else:
        env["PATH"] = ":".join([box.place("bin"), os.environ.get("PATH", os.defpath)])
        home, tmp = ("home", "tmp/agent") if role == "agent" else ("tmp/toolhome", "tmp/tool")
        env.update(HOME=box.place(home), TMPDIR=box.place(tmp))
    if role == "agent":
        env["AGENTCELLS_DOOR"] = f"{DOOR}/s" if box.containment == "strong" else box.place("door/s")
    else:
        env["CI"] = "true"  # what test runners look for before they ask a person something
    return env | dict(extra)


def _is_toolchain(box: Box, path: str) -> bool:
    """Whether there are programs in its `bin`, seen from where the run's own account finds it."""
    try:
        return Path(box.source(path), "bin").is_dir()
    except PermissionError:
        return False


def _leashed(box: Box, role: Role, argv: Sequence[str], env: Mapping[str, str], cwd: str) -> Launch:
    leash = [sys.executable, "-I", box.place("bin/leash.py"), str(os.getpid()), "--"]
    fds = (box.lock_fd,) if box.lock_fd >= 0 else ()
    return Launch(argv=(*leash, *argv), env=_environment(box, role, env), cwd=cwd, held=fds)


def _contained(
    box: Box, mounts: Sequence[str], argv: Sequence[str], env: Mapping[str, str]
) -> Launch:
    info, told = os.pipe()
    block, release = os.pipe()
    given, options = [told, block], ["--info-fd", str(told), "--block-fd", str(block)]
    if box.lock_fd >= 0:
        options += ["--sync-fd", str(box.lock_fd)]
    if program := seccomp_program():
        listed = os.memfd_create("seccomp")
        os.write(listed, program)
        os.lseek(listed, 0, os.SEEK_SET)
        given.append(listed)
        options += ["--seccomp", str(listed)]
    held = (box.lock_fd,) if box.lock_fd >= 0 else ()
    command = [
        _bwrap(),
        *options,
        *NAMESPACES,
        *_system_mounts(),
        *_own_files(box),
        *mounts,
        *_further(box),
        "--chdir",
        WORKSPACE,
        # What is in memory and not bounded may not be written: it would be the machine's memory.
        *(word for place in ("/", "/run", "/dev") for word in ("--remount-ro", place)),
        "--",
        *argv,
    ]
    return Launch(
        argv=tuple(command), env=env, cwd="/", given=tuple(given), held=held, info=info,
        release=release, bounds=bounds(box.max_processes, box.max_memory, box.max_file),
    )


def _bwrap() -> str:
    return shutil.which("bwrap") or "bwrap"


def _system_mounts() -> list[str]:
    """/usr, the links into it (or the folders of a system that has not merged them), /etc by
    list."""
    mounts = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            mounts += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            mounts += ["--ro-bind", str(path), str(path)]
    mounts += [
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(SHARED_MEMORY),
        "--perms",
        "1777",
        "--tmpfs",
        "/dev/shm",
        "--tmpfs",
        "/run",
        "--dir",
        "/etc",
        "--dir",
        "/tmp",
    ]
    for name in ETC:
        mounts += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return mounts


def _own_files(box: Box) -> list[str]:
    ours = box.source(box.place("bin"))
    mounts = ["--ro-bind", ours, OURS]
    for name in ("passwd", "group", "hosts"):
        mounts += ["--ro-bind", f"{ours}/etc/{name}", f"/etc/{name}"]
    return mounts


def _further(box: Box) -> list[str]:
    """What `[sandbox] read` lists. Last of all: a path below /tmp would vanish under the one
    inside."""
    mounts = []
    for path in box.read:
        if not path.startswith("/usr/"):
            mounts += ["--ro-bind", box.source(path), path]
    return mounts


# ---------------------------------------------------------------- does it hold here?

# What bwrap says on hosts where it cannot work, and the sentence with the remedy.
REASONS = (
    ("No permissions to create new namespace", "sandbox_no_namespaces"),
    ("Creating new namespace failed", "sandbox_no_namespaces"),
    ("setting up uid map: Permission denied", "sandbox_apparmor"),
    ("Failed RTM_NEWADDR", "sandbox_apparmor"),
    ("Can't mount proc", "sandbox_masked_proc"),
    ("Unknown option", "sandbox_old_bubblewrap"),
)


def available(run_as: str = "") -> Strength:
    """ "strong", or why there is no strong containment on this host and what to do about it."""
    if sys.platform != "linux":
        return Problem("sandbox_not_linux")
    if shutil.which("bwrap") is None:
        return Problem("sandbox_no_bubblewrap")
    account = own_account(run_as) if os.geteuid() == 0 else None
    probe = [_bwrap(), *NAMESPACES, *_system_mounts(), "--", "/usr/bin/env", "true"]
    try:
        done = subprocess.run(
            probe,
            env={"PATH": "/usr/bin:/bin"},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            user=account[0] if account else None,
            group=account[1] if account else None,
            extra_groups=[] if account else None,
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        return Problem("sandbox_failed", detail=str(failed))
    return "strong" if done.returncode == 0 else explain(done.stderr.decode("utf-8", "replace"))


def explain(said: str) -> Problem:
    """bwrap's own words as a sentence with a remedy."""
    for words, key in REASONS:
        if words in said:
            return Problem(key)
    return Problem("sandbox_failed", detail=said.strip()[:300] or "-")


def inner_pid(launch: Launch) -> int | None:
    """The host's number of pid 1 of the sandbox, from --info-fd. None: it did not start.

    Its command begins now, within its bounds.
    """
    if launch.info is None or launch.release is None:
        return None
    said = b""
    try:
        while b"}" not in said and (chunk := os.read(launch.info, 4096)):
            said += chunk
        if b"}" not in said:
            return None
        pid = int(json.loads(said)["child-pid"])
        limit(pid, launch.bounds)
        with contextlib.suppress(BrokenPipeError):  # it has ended before it began
            os.write(launch.release, b"!")
        return pid
    finally:
        os.close(launch.info)
        os.close(launch.release)
