"""The supervisor's selector, and the commands it starts: how they are watched, killed, and known
to be over."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
from collections.abc import Callable

from agentcells.leash import Reaper
from agentcells.sandbox import Launch, inner_pid


class Loop:
    """One selector.

    What an earlier event of a batch forgot is not called for a later one of the same batch.
    """

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._callbacks: dict[int, Callable[[], None]] = {}

    def watch(self, fd: int, callback: Callable[[], None]) -> None:
        self._callbacks[fd] = callback
        self._selector.register(fd, selectors.EVENT_READ, callback)

    def forget(self, fd: int) -> None:
        if self._callbacks.pop(fd, None) is not None:
            self._selector.unregister(fd)

    def turn(self, timeout: float) -> None:
        for key, _ in self._selector.select(timeout):
            callback = self._callbacks.get(key.fd)
            if callback is not None and callback is key.data:
                callback()


class Child:
    """Something we started.

    Over when its status is there and, in a sandbox, its pid 1 is gone too.
    """

    def __init__(self, process: subprocess.Popen[bytes], reaper: Reaper, inner: int | None) -> None:
        self.process = process
        self.reaper = reaper
        self.inner = inner  # pidfd: readable once every process of the namespace is gone
        self.output = -1
        reaper.wanted.add(process.pid)

    def over(self) -> bool:
        if self.process.pid not in self.reaper.statuses:
            return False
        self.process.returncode = self.status()
        return self.inner is None

    def status(self) -> int:
        return self.reaper.statuses.get(self.process.pid, -signal.SIGKILL)

    def kill(self) -> None:
        """A sandbox by its pid 1; a leash by TERM, upon which it ends all that is below it."""
        with contextlib.suppress(ProcessLookupError):  # it may have gone by itself just now
            if self.inner is not None:
                signal.pidfd_send_signal(self.inner, signal.SIGKILL)
            elif self.process.pid not in self.reaper.statuses:
                os.kill(self.process.pid, signal.SIGTERM)


def start(
    loop: Loop, reaper: Reaper, launch: Launch, stdin: int, stdout: int, stderr: int
) -> Child:
    """Start a command of either sandbox, and watch its pid 1."""
    process = subprocess.Popen(
        launch.argv,
        env=dict(launch.env),
        cwd=launch.cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=(*launch.given, *launch.held),
        start_new_session=True,
    )
    for fd in launch.given:
        os.close(fd)
    inner = None
    if (pid := inner_pid(launch)) is not None:
        with contextlib.suppress(ProcessLookupError):  # gone already
            inner = os.pidfd_open(pid)
    child = Child(process, reaper, inner)
    if inner is not None:
        loop.watch(inner, lambda: _inner_gone(loop, child))
    return child


def _inner_gone(loop: Loop, child: Child) -> None:
    if child.inner is not None:
        loop.forget(child.inner)
        os.close(child.inner)
        child.inner = None
