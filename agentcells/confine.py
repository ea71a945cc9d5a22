"""What only system calls can do for a sandbox: a uid of no account, reachable mounts for it, the
seccomp list."""

from __future__ import annotations

import ctypes
import grp
import os
import platform
import pwd
import struct
from collections.abc import Iterable
from pathlib import Path

from agentcells.model import Problem

CLONE_NEWNS = 0x00020000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 0x4000, 1 << 18

# Between the accounts of people and systemd's range for its own throw-away accounts (61184 to
# 65519).
FIRST_FREE_UID, LAST_FREE_UID = 60700, 61183


def own_account(run_as: str) -> tuple[int, int]:
    """(uid, gid) a run belongs to when root started it: those of `run_as`, else numbers that are
    nobody's."""
    if run_as:
        try:
            account = pwd.getpwnam(run_as)
        except KeyError:
            raise Problem("sandbox_no_such_account", exit_code=2, name=run_as) from None
        if account.pw_uid == 0:
            raise Problem("sandbox_run_as_root", exit_code=2, name=run_as)
        return account.pw_uid, account.pw_gid
    taken = {entry.pw_uid for entry in pwd.getpwall()} | {entry.gr_gid for entry in grp.getgrall()}
    free = next(uid for uid in range(FIRST_FREE_UID, LAST_FREE_UID) if uid not in taken)
    return free, free


def _check(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def stage(sources: Iterable[str]) -> dict[str, str]:
    """As root: make each source reachable for an account that may not walk to it, e.g. below /root.

    In a mount namespace of this process alone, on a tmpfs over /tmp: nothing of it outlives the
    process or is seen by another. The sources are opened before /tmp is covered, and
    after the namespace is ours: a mount of another one cannot be bound.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    _check(libc.unshare(CLONE_NEWNS))
    _check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    opened = {source: os.open(source, os.O_PATH) for source in sources if Path(source).exists()}
    _check(libc.mount(b"tmpfs", b"/tmp", b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=0755"))
    staged = {}
    for number, (source, fd) in enumerate(opened.items()):
        place = Path(f"/tmp/{number}")
        through = (
            f"/proc/self/fd/{fd}"  # the path itself may lie under the /tmp that is covered now
        )
        if Path(through).is_dir():
            place.mkdir()
        else:
            place.touch()
        _check(libc.mount(through.encode(), bytes(place), None, MS_BIND | MS_REC, None))
        os.close(fd)
        staged[source] = str(place)
    return staged


def drop_to(uid: int, gid: int) -> None:
    """Give up root for good: no groups, no capability is left in a process that is not uid 0."""
    os.setgroups([])
    os.setresgid(gid, gid, gid)
    os.setresuid(uid, uid, uid)


# ---------------------------------------------------------------- seccomp

# Reach into other processes, the kernel's keys, its programs and its modules. Measured with
# claude, git, node
# and python on x86-64: none of them misses one of these.
DENIED_X86_64 = {
    "ptrace": 101,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "bpf": 321,
    "perf_event_open": 298,
    "userfaultfd": 323,
    "kexec_load": 246,
    "init_module": 175,
    "finit_module": 313,
    "delete_module": 176,
    "open_by_handle_at": 304,
    "io_uring_setup": 425,
    "pidfd_getfd": 438,
    "kcmp": 312,
}
AUDIT_ARCH_X86_64 = 0xC000003E
X32_BIT = 0x40000000
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | 1  # EPERM


def seccomp_program() -> bytes | None:
    """The deny list as a program for bwrap's --seccomp; None on machines it was not measured on."""
    if platform.machine() != "x86_64":
        return None
    numbers = sorted(DENIED_X86_64.values())
    code = [
        (LOAD, 0, 0, 4),  # the architecture
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH_X86_64),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),  # the number of the call
        (JUMP_AT_LEAST, 0, 1, X32_BIT),
        (RETURN, 0, 0, KILL),
    ]
    # From each comparison a jump over the remaining ones and over ALLOW, to REFUSE at the end.
    code += [(JUMP_EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
    code += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("HBBI", *step) for step in code)
