"""What only system calls can do for a sandbox: a uid of no account, reachable mounts for it, the
seccomp list."""

from __future__ import annotations

import ctypes
import grp
import os
import platform
import pwd
import resource
import struct
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from agentcells.problem import Problem

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


# ---------------------------------------------------------------- bounds

MAX_OPEN_FILES = 65_536
LIKELY_VICTIM = b"800"  # when memory runs out the kernel takes a sandbox, not us


def bounds(processes: int, memory: int, file: int) -> dict[int, int]:
    """Limits of each process of a sandbox. That of processes counts the sandbox's alone.

    Before Linux 5.14 it counted all of the account's, on the whole host: there it would stop
    honest work of an ordinary user, and is left out.
    """
    release = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    counted = {resource.RLIMIT_NPROC: processes} if release >= (5, 14) or os.geteuid() == 0 else {}
    return counted | {
        resource.RLIMIT_DATA: memory,
        resource.RLIMIT_FSIZE: file,
        resource.RLIMIT_NOFILE: MAX_OPEN_FILES,
        resource.RLIMIT_CORE: 0,  # a dump would hold what the process knew
    }


def limit(pid: int, values: Mapping[int, int]) -> None:
    """Set them for pid 1 of a sandbox, from which all others have them. Never above our own."""
    with suppress(ProcessLookupError):
        for kind, most in values.items():
            _, ours = resource.prlimit(pid, kind)
            value = most if ours == resource.RLIM_INFINITY else min(most, ours)
            resource.prlimit(pid, kind, (value, value))
        with suppress(OSError):  # it may not belong to us any more; then memory has its other bounds
            Path(f"/proc/{pid}/oom_score_adj").write_bytes(LIKELY_VICTIM)


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
# The same calls by the numbers that every newer architecture shares (asm-generic/unistd.h). UNTESTED:
# generated from that list, never run on such a machine.
DENIED_AARCH64 = {
    "ptrace": 117,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "bpf": 280,
    "perf_event_open": 241,
    "userfaultfd": 282,
    "kexec_load": 104,
    "init_module": 105,
    "finit_module": 273,
    "delete_module": 106,
    "open_by_handle_at": 265,
    "io_uring_setup": 425,
    "pidfd_getfd": 438,
    "kcmp": 272,
}
AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 = 0xC000003E, 0xC00000B7
DENIED = {
    "x86_64": (AUDIT_ARCH_X86_64, DENIED_X86_64),
    "aarch64": (AUDIT_ARCH_AARCH64, DENIED_AARCH64),
}
X32_BIT = 0x40000000
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000 | 1  # EPERM


def seccomp_program(machine: str = "") -> bytes | None:
    """The deny list as a program for bwrap's --seccomp; None on machines without one."""
    found = DENIED.get(machine or platform.machine())
    if found is None:
        return None
    architecture, denied = found
    numbers = sorted(denied.values())
    code = [
        (LOAD, 0, 0, 4),  # the architecture
        (JUMP_EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0),  # the number of the call
        (JUMP_AT_LEAST, 0, 1, X32_BIT),  # no call of any machine is this high but x32's
        (RETURN, 0, 0, KILL),
    ]
    # From each comparison a jump over the remaining ones and over ALLOW, to REFUSE at the end.
    code += [(JUMP_EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)]
    code += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("HBBI", *step) for step in code)
