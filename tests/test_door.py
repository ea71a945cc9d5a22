"""Stories at the door: the client alone, its protocol, and how quickly it is there."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agentcells import door

FILE = Path(door.__file__)


def call(*words: str, path: str = "/nowhere/s") -> tuple[int, dict]:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(FILE), *words],
        env={"AGENTCELLS_DOOR": path},
        capture_output=True,
        check=False,
    )
    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1
    return done.returncode, json.loads(done.stdout)


def serve(folder: Path, *answers: bytes) -> tuple[str, list[bytes]]:
    """A door that hears one request and says `answers`."""
    path, heard = str(folder / "s"), []
    back = Path.cwd()
    os.chdir(folder)
    try:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("s")
    finally:
        os.chdir(back)
    listener.listen()

    def hear() -> None:
        with listener, listener.accept()[0] as visitor:
            heard.append(visitor.recv(1 << 16))
            for answer in answers:
                visitor.sendall(answer)

    threading.Thread(target=hear, daemon=True).start()
    return path, heard


def test_r37_outside_a_run_the_envelope_says_that_it_works_only_inside():
    code, envelope = call("cell", "observe")
    assert code == 1
    assert envelope["status"] == "error"
    assert envelope["error_code"] == "policy_blocked"
    assert "only inside a run" in envelope["summary"]
    assert envelope["hint"]


def test_r37_inside_a_run_there_is_no_other_command():
    code, envelope = call("tick")
    assert (code, envelope["error_code"]) == (1, "not_found")


def test_r37_one_request_one_answer_and_progress_goes_nowhere_near_the_model(tmp_path):
    progress = door.line({"progress": "still running"})
    path, heard = serve(
        tmp_path, progress, progress, door.line({"envelope": door.ok("Done.", {"é": "改行\n"})})
    )
    code, envelope = call("cell", "record", "-m", "Say 'hello'", path=path)
    assert (code, envelope) == (0, {"status": "ok", "summary": "Done.", "data": {"é": "改行\n"}})
    assert json.loads(heard[0]) == {"argv": ["record", "-m", "Say 'hello'"]}


def test_r37_a_failed_test_is_an_answer_and_exit_1(tmp_path):
    path, _ = serve(tmp_path, door.line({"envelope": door.ok("test: failed", {"passed": False})}))
    assert call("cell", "test", path=path)[0] == 1


@pytest.mark.parametrize("answer", [b"", b"nonsense\n", b'{"envel'])
def test_r37_a_door_that_closes_without_an_answer_says_that_the_run_ends(tmp_path, answer):
    path, _ = serve(tmp_path, answer)
    code, envelope = call("cell", "status", path=path)
    assert (code, envelope["error_code"]) == (1, "backend_error")


def test_r37_a_path_longer_than_the_kernel_takes_works(tmp_path):
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    path, _ = serve(deep, door.line({"envelope": door.ok("Done.", {})}))
    assert len(path) > 107
    assert call("cell", "status", path=path)[0] == 0


def test_r37_the_client_is_there_in_tens_of_milliseconds():
    times = []
    for _ in range(5):
        started = time.monotonic()
        call("cell", "status")
        times.append(time.monotonic() - started)
    assert min(times) < 0.2  # about 15 ms on an idle machine


def test_lines_are_put_together_from_pieces_and_never_grow_without_end():
    lines = door.Lines(limit=20)
    assert lines.feed(b'{"a":') == []
    assert lines.feed(b'1}\n\n[2]\n"t') == [{"a": 1}, [2]]
    with pytest.raises(door.TooLong):
        lines.feed(b"x" * 21)


def test_the_door_and_what_runs_inside_are_single_files_on_the_standard_library():
    for name in ("door", "forward", "leash", "scripted_agent"):
        code = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='elsewhere')"
        path = str(FILE.with_name(f"{name}.py"))
        subprocess.run([sys.executable, "-I", "-S", "-c", code, path], check=True, cwd="/")
