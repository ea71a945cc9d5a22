"""What an agent says on its outputs: read without waiting, kept within bounds, the result line
never lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

CHUNK = 1 << 16
AT_ONCE = 1 << 20  # per turn of the loop: a flood must not keep the clocks from being looked at
STREAM_LIMIT = 32 << 20
LINE_LIMIT = 8 << 20
WORDS_LIMIT = 16 << 10


class Words:
    """The first part of a text, e.g. of standard error; written to a file as well when there is
    one."""

    def __init__(self, log: int) -> None:
        self.log = log
        self.size = 0
        self._first = b""

    def take(self, fd: int, most: int = AT_ONCE) -> bool:
        """Read what is there now. True: the other side has closed."""
        taken = 0
        while taken < most:
            try:
                data = os.read(fd, CHUNK)
            except BlockingIOError:
                return False
            if not data:
                return True
            taken += len(data)
            self.put(data)
        return False

    def put(self, data: bytes) -> None:
        if self.log >= 0 and self.size < STREAM_LIMIT:
            os.write(self.log, data)
        self._first += data[: max(0, WORDS_LIMIT - len(self._first))]
        self.size += len(data)

    def text(self) -> str:
        return self._first.decode("utf-8", "replace")


class Stream(Words):
    """stream-json: one event a line. The last `result` event is what the run ended with.

    `parse`: the reader of a line; it raises ValueError for whatever else a hostile agent prints.
    `server`: a tool server that must be connected at the beginning. Without it claude goes on, and
    the model works without its tools (measured).
    """

    def __init__(self, log: int, parse: Callable[[bytes], Any], server: str = "") -> None:
        super().__init__(log)
        self.parse = parse
        self.server = server
        self.unconnected = False
        self.result: dict[str, Any] | None = None
        self._rest = b""

    def put(self, data: bytes) -> None:
        super().put(data)
        *whole, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LINE_LIMIT:
            self._rest = b""
        for line in whole:
            self._look(line)

    def finish(self) -> None:
        """Nothing more will come: a last line without its end counts too."""
        self._look(self._rest)
        self._rest = b""

    def _look(self, line: bytes) -> None:
        begins = self.server and b'"mcp_servers"' in line
        if not (begins or b'"result"' in line) or not line.lstrip().startswith(b"{"):
            return
        try:
            event = self.parse(line)
        except ValueError:
            return
        if not isinstance(event, dict):
            return
        if event.get("type") == "result":
            self.result = event
        elif self.server and event.get("subtype") == "init":
            servers = event.get("mcp_servers")
            self.unconnected = not any(
                isinstance(server, dict)
                and server.get("name") == self.server
                and server.get("status") == "connected"
                for server in (servers if isinstance(servers, list) else ())
            )
