"""Inside a sandbox without network: a port on the loopback that leads to the one socket bound in,
then the command.

One file on the standard library alone, started by `python3 -I -S forward.py PORT SOCKET --
COMMAND…`.
It listens before it starts the command, so the command can never be too early.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from typing import Any

CHUNK = 1 << 16


def pump(source: socket.socket, target: socket.socket) -> None:
    """One direction; its end is handed on, so that half-closed connections work."""
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def forward(inside: socket.socket, path: str) -> None:
    with inside, socket.socket(socket.AF_UNIX) as outside:
        try:
            outside.connect(path)
        except OSError:
            return
        back = threading.Thread(target=pump, args=(outside, inside), daemon=True)
        back.start()
        pump(inside, outside)
        back.join()


def serve(listener: socket.socket, path: str) -> None:
    while True:
        inside, _ = listener.accept()
        threading.Thread(target=forward, args=(inside, path), daemon=True).start()


def main(argv: list[str]) -> int:
    port, path, _, *command = argv
    listener = socket.create_server(("127.0.0.1", int(port)))
    try:
        process = subprocess.Popen(command)  # before any thread exists
    except OSError as problem:
        print(f"{command[0]}: {problem.strerror}", file=sys.stderr)
        return 127

    def hand_on(number: int, frame: Any) -> None:
        process.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, hand_on)
    threading.Thread(target=serve, args=(listener, path), daemon=True).start()
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)  # the threads hold nothing worth waiting for
