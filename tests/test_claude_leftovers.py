"""Nothing that the real claude or its commands leave behind outlives a run, whoever is killed (R39)."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
from pathlib import Path

import pytest

from agentcells import claude, outcome
from agentcells.git import records_ref
from agentcells.store import State
from tests.claude_world import IMPATIENT, KEY, ClaudeCase, ClaudeFactory, binary, loose, users
from tests.loopback.messages import Answering, Broken, Messages, Seen, answers, bash
from tests.run_case import DONE
from tests.run_world import LEFTOVERS, PYTHON, alive, marker, until

pytestmark = pytest.mark.real_claude

# How people leave things behind in a shell; five more ways are in LEFTOVERS.
WAYS = (
    "(sleep {0} &) >/dev/null 2>&1; echo left",  # claude refuses a line that begins with sleep
    "nohup sleep {0} >/dev/null 2>&1 & echo left",
    "setsid sleep {0} >/dev/null 2>&1 & echo left",
    "(setsid sh -c 'sleep {0} & cd /' >/dev/null 2>&1 &); echo left",
    "env -i setsid sh -c 'sleep {0} &' >/dev/null 2>&1; echo left",
)
MANY = len(WAYS) + 5


def leaving(mark: str) -> list[object]:
    """Turns of the Bash tool that leave MANY processes."""
    script = shlex.join([PYTHON, "-I", "-c", LEFTOVERS, mark])
    return [*(bash(way.format(mark)) for way in WAYS), bash(script)]


def with_words(text: str) -> list[int]:
    """Every process of the host with `text` on its command line."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes()
        except OSError:
            continue  # it ended while we looked
        if text.encode() in words:
            found.append(int(entry.parent.name))
    return found


@pytest.mark.parametrize("who", users())
def test_r39_ten_leftovers_of_the_bash_tool_are_gone_at_the_end(tmp_path: Path, who: str) -> None:
    mark, seen = marker(), []

    def look(request: Seen) -> Answering:
        seen.append(len(alive(mark)))
        return answers("review")

    ran = ClaudeCase(tmp_path, who).play([*leaving(mark), look], agent_command=loose())
    assert seen == [MANY]  # they were alive, all of them
    assert (ran.kind, alive(mark)) == ("done", [])


@pytest.mark.parametrize("end", ["by itself", "killed"])
def test_r39_the_control_without_containment_they_live_on(tmp_path: Path, end: str) -> None:
    """The same claude with the same flags, however it ends."""
    mark, case = marker(), ClaudeCase(tmp_path)
    limits, order = case.limits([]), case.order("r1")
    schema = outcome.schema(order.nexts, ())
    flags = claude.arguments(order, limits, schema, "00000000-0000-4000-8000-000000000001")
    last = DONE if end == "by itself" else Broken("silent")
    with Messages([{"do": [*leaving(mark), last]}]) as api:
        env = {
            **claude.environment(limits), **IMPATIENT, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path),
            "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.url,
        }
        with subprocess.Popen(
            [*loose(), *flags], env=env, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
        ) as process:
            assert process.stdin is not None
            process.stdin.write(order.prompt.encode())
            process.stdin.close()
            if end == "killed":
                until(lambda: isinstance(api.last, Broken), 60)
                os.killpg(process.pid, signal.SIGKILL)
            code = process.wait(60)
    left = alive(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert (code, len(left)) == (0 if end == "by itself" else -signal.SIGKILL, MANY)


@pytest.mark.parametrize("verb", ["test", "build"])
def test_r37_leftovers_of_a_command_are_gone_before_its_answer(tmp_path: Path, verb: str) -> None:
    """That they would stay without a sandbox: test_supervisor has the control."""
    mark, seen = marker(), []

    def look(request: Seen) -> Answering:
        seen.append(alive(mark))
        return answers("review")

    command = (PYTHON, "-I", "-c", LEFTOVERS, mark)
    ran = ClaudeCase(tmp_path).play([{"cell": [verb]}, look], test=command, build=command)
    assert json.loads(ran.api.results[0])["data"]["passed"] is True
    assert seen == [[]]
    assert (ran.kind, alive(mark)) == ("done", [])


# ---------------------------------------------------------------- somebody is killed


def hanging(mark: str) -> list[object]:
    half = {"write": {"half.txt": "half done\n"}}
    return [half, {"cell": ["record", "-m", "Half"]}, *leaving(mark), Broken("silent")]


def begun(api: Messages, mark: str) -> str:
    """Wait until all has been left and claude waits for its model. Returns a word of its command line."""
    until(lambda: len(alive(mark)) == MANY and isinstance(api.last, Broken), 60)
    session = api.asked[-1].headers["x-claude-code-session-id"]
    assert with_words(session), "claude runs"
    return session


@pytest.mark.parametrize("who", users())
@pytest.mark.parametrize("victim", ["runner", "supervisor"])
def test_r39_sigkill_leaves_no_process_and_no_end(tmp_path: Path, who: str, victim: str) -> None:
    mark, case = marker(), ClaudeCase(tmp_path, who)
    with Messages([{"do": hanging(mark)}]) as api:
        process, folder = case.begin([], env=case.login(api), agent_command=loose())
        session = begun(api, mark)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(process.pid if victim == "runner" else int(children[0]), signal.SIGKILL)
        assert process.wait(20) != 0
        until(lambda: not folder.alive())
        until(lambda: not alive(mark) and not with_words(session), 2.0)
    assert folder.end() is None
    kept = case.git.rev(records_ref(folder.run))
    assert kept is not None, "what it recorded is there for the next run (R40)"
    assert case.files(kept)["half.txt"] == b"half done\n"


def test_r39_sigkill_of_the_tick_ends_its_run_and_the_forge_hears_nothing(tmp_path: Path) -> None:
    mark, factory = marker(), ClaudeFactory(tmp_path)
    factory.agent = loose()
    factory.write_cells()
    number = factory.file(label="implement")
    with Messages([{"do": hanging(mark)}]) as api:
        tick = factory.start("tick", "--json", **factory.login(api))
        session = begun(api, mark)
        before = factory.item(number)
        tick.kill()
        tick.communicate()
        until(lambda: not alive(mark) and not with_words(session), 5.0)
        (folder,) = State(factory.state).runs()
        until(lambda: not folder.alive())
    assert factory.item(number) == before
    assert factory.branches() == ("main",)
    end = folder.end()
    assert end is not None, "it was stopped in its order, with a Proof"
    assert (end.outcome.kind, end.records) == ("killed", ("Half",))
    going_on = [{"cell": ["record", "-m", "The rest"]}, answers("needs-human", "Is it enough?")]
    with Messages([{"do": [{"write": {"rest.txt": "the rest\n"}}, *going_on]}]) as api:
        ticked = factory.tick(**factory.login(api))
    assert (ticked.code, ticked.cells) == (0, ["implement"]), ticked.stderr
    assert factory.states(number) == {"needs-human"}
    assert "half.txt" in api.results[-1] or "half.txt" in json.dumps(api.asked[0].body)


def test_the_binary_is_the_one_that_was_measured() -> None:
    told = subprocess.run([str(binary()), "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("2.1."), "facts of another version have to be measured again"
