"""Where a forge's token is while a run is alive: nowhere but in a closed envelope (R39, R46)."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from agentcells import __main__, handover
from tests.factory import answer
from tests.github_factory import GitHubFactory, factory

pytestmark = pytest.mark.sandbox  # what cannot be contained is not claimed

SLOW = [{"cell": "triage", "do": [{"sleep": 3}, answer("needs-human", "Which one?")]}]
PROCESSES = ("_coordinate", "_run", "supervisor", "bwrap", "scripted_agent.py")


def test_no_process_of_a_run_has_the_token_and_its_result_is_published_all_the_same(
    tmp_path: Path,
) -> None:
    with factory(tmp_path, rules=SLOW) as line:
        token = line.token_file.read_text().strip()
        line.token_file.unlink()
        line.change(f'token = {{ file = "{line.token_file}" }}', 'token = { env = "FORGE_TOKEN" }')
        number = line.file()
        with subprocess.Popen(
            line.command("tick"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.STDOUT, cwd=line.home,
            env=line.environment(FORGE_TOKEN=token, GH_TOKEN="ghp_" + "x7Zk9" * 8),
        ) as tick:
            seen = _watched(tick.pid, token)
            said, _ = tick.communicate(timeout=60)
        assert seen == set(PROCESSES), said
        assert line.states(number) == {"needs-human"}, said
        assert token not in said
        assert _files_with(line, token.encode()) == []


def _watched(pid: int, token: str) -> set[str]:
    """Kinds of processes met below the tick, each without the token; ends when all were."""
    met: set[str] = set()
    until = time.monotonic() + 30
    while met != set(PROCESSES) and time.monotonic() < until:
        for process in _family(pid):
            kind = _clean(process, token, coordinator=process == pid)
            if kind:
                met.add(kind)
        time.sleep(0.02)
    return met


def _clean(pid: int, token: str, *, coordinator: bool) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
        environ = Path(f"/proc/{pid}/environ").read_bytes().decode()
        fds = [str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()]
    except (FileNotFoundError, ProcessLookupError):
        return ""
    assert token not in words
    argv = words.split("\0")
    names = {Path(word).name for word in argv}
    if "-c" in argv and "agentcells.supervisor" in words:
        names.add("supervisor")
    kind = next((kind for kind in PROCESSES if kind in names), "")
    if kind == "_coordinate" or (kind and not coordinator):
        assert token not in environ, kind
        assert "ghp_x7Zk9" not in environ, kind
        envelopes = [fd for fd in fds if "agentcells-environment" in fd]
        assert bool(envelopes) == (kind == "_coordinate"), kind
    return kind


def _family(pid: int) -> list[int]:
    """The process and all below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = [pid]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def _files_with(line: GitHubFactory, words: bytes) -> list[str]:
    return [
        str(path) for folder in (line.state, line.home) for path in folder.rglob("*")
        if path.is_file() and words in path.read_bytes()
    ]


def test_the_log_of_a_bug_is_without_the_secrets_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is meant to be pasted where everybody reads."""
    token = "correct-horse-7-battery-staple"
    monkeypatch.setenv("FORGE_TOKEN", token)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(__main__, "_dispatch", lambda _: int(f"no number: {token}"))
    assert __main__.main() == 3
    (log,) = tmp_path.glob("agentcells-bug-*.log")
    assert str(log) in capsys.readouterr().err
    assert "ValueError" in log.read_text()
    assert token not in log.read_text()


def test_the_envelope_is_sealed_and_gives_back_every_byte(tmp_path: Path) -> None:
    odd = {"A": "x" * 100_000, "B": "öäü\udcff", "C": ""}
    fd = handover.seal(odd)
    try:
        os.write(fd, b"more")
    except OSError as error:
        assert error.errno == 1  # noqa: PT017  (a seal, not a mode)
    else:
        raise AssertionError("an envelope that can be written to")
    before = dict(os.environ)
    try:
        os.environ["C"] = "mine"
        handover.unseal(fd)
        assert {name: os.environ[name] for name in odd} == {**odd, "C": "mine"}
    finally:
        for name in odd:
            os.environ.pop(name, None)
    assert dict(os.environ) == before


def test_an_agent_never_gets_the_variable_of_the_forges_token(tmp_path: Path) -> None:
    with factory(tmp_path, set_up=False) as line:
        line.settle()
        line.change("[agent]", '[agent]\nenv = ["MODEL_KEY", "FORGE_TOKEN"]')
        line.change(f'token = {{ file = "{line.token_file}" }}', 'token = { env = "FORGE_TOKEN" }')
        environ = {"PATH": "/bin", "FORGE_TOKEN": "t", "MODEL_KEY": "m", "EDITOR": "vi"}
        kept, given = handover.divide(line.config, environ)
    assert kept == {"PATH": "/bin", "MODEL_KEY": "m"}
    assert given == {"FORGE_TOKEN": "t", "EDITOR": "vi"}
