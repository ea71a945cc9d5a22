"""The supervisor's side of the door: its listening socket, and one visitor for each call of a
verb."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

from agentcells import door
from agentcells.children import Loop
from agentcells.sandbox import Box
from agentcells.sentences import say

VISITORS = 16
REQUEST_LIMIT = 1 << 16


class Visitor:
    """One connection at the door: one request, one answer."""

    def __init__(self, house: Visitors, sock: socket.socket) -> None:
        self.house = house
        self.sock = sock
        self.lines = door.Lines(REQUEST_LIMIT)
        self.asked = False
        self.gone = False
        sock.setblocking(False)
        house.loop.watch(sock.fileno(), self._read)

    def _read(self) -> None:
        try:
            data = self.sock.recv(door.CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.leave()
        elif not self.asked:
            self._hear(data)

    def _hear(self, data: bytes) -> None:
        try:
            for request in self.lines.feed(data)[:1]:
                words = request["argv"]
                if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
                    raise TypeError("argv is no list of words")
                self.asked = True
                self.house.serve(self, words)
        except (ValueError, KeyError, TypeError):
            self.asked = True
            self.answer(
                door.error("policy_blocked", say("door_unreadable"), say("door_unreadable_hint"))
            )

    def progress(self, text: str) -> None:
        self._send({"progress": text})

    def answer(self, envelope: door.Envelope) -> None:
        self._send({"envelope": envelope})
        self.leave()

    def _send(self, value: object) -> None:
        """An answer fits into the buffer of a fresh connection; who does not take it gets none."""
        if not self.gone:
            try:
                self.sock.send(door.line(value))
            except OSError:
                self.leave()

    def leave(self) -> None:
        if not self.gone:
            self.gone = True
            self.house.loop.forget(self.sock.fileno())
            self.sock.close()
            self.house.here.remove(self)


class Visitors:
    """Everybody who is at the door now."""

    def __init__(self, loop: Loop, serve: Callable[[Visitor, list[str]], None]) -> None:
        self.loop = loop
        self.serve = serve
        self.here: list[Visitor] = []

    def receive(self, listener: socket.socket) -> None:
        def enter() -> None:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            if len(self.here) >= VISITORS:
                sock.close()
            else:
                self.here.append(Visitor(self, sock))

        self.loop.watch(listener.fileno(), enter)

    def waiting(self) -> bool:
        return any(visitor.asked for visitor in self.here)

    def dismiss(self) -> None:
        for visitor in list(self.here):
            visitor.leave()


def open_door(box: Box) -> socket.socket:
    """The listening socket, made before the account changes. Bound by its short name: paths are
    limited."""
    folder = Path(box.place("door"))
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    back = Path.cwd()
    os.chdir(folder)
    try:
        listener.bind("s")
        if box.account:
            os.chown("s", *box.account)
    finally:
        os.chdir(back)
    listener.listen(VISITORS)
    listener.setblocking(False)
    return listener
