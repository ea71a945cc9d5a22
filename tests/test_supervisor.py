"""Stories of a supervised run: what is left behind is ended, clocks hold, the door answers, the
Proof is true."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.run_world import BOTH, LEFTOVERS, PYTHON, RunWorld, alive, marker, until

pytestmark = pytest.mark.parametrize("containment", BOTH)

CELL = r"""
import json, subprocess, sys
def cell(*words):
    done = subprocess.run(["agentcells", "cell", *words], stdout=subprocess.PIPE)
    answer = json.loads(done.stdout)
    print(json.dumps({"words": words, "code": done.returncode, "answer": answer}), flush=True)
    return answer
"""


@pytest.fixture
def world(tmp_path, containment):
    world = RunWorld(tmp_path, containment)
    yield world
    os.close(world.lock)


def said(world: RunWorld) -> list[dict]:
    """What the agent printed: one line for each call at the door."""
    return [json.loads(line) for line in world.log("stream.jsonl").splitlines()]


# ---------------------------------------------------------------- nothing outlives a run


def test_r39_nothing_that_the_agent_left_behind_is_alive_after_the_proof(world):
    mark = marker()
    told = world.attend(world.python_agent(LEFTOVERS, mark))
    assert (told.proved, told.ending, told.exit_code) == (True, "exit", 0)
    assert alive(mark) == []


def test_r39_without_a_supervisor_all_five_would_live_on(world):
    mark = marker()
    subprocess.run(world.python_agent(LEFTOVERS, mark), check=True)
    left = until(lambda: len(alive(mark)) == 5 and alive(mark))
    for pid in left:
        os.kill(pid, signal.SIGKILL)


def test_r37_a_test_is_answered_only_when_its_last_process_is_gone(world):
    mark = marker()
    seen: list[list[int]] = []

    def look() -> str:
        seen.append(alive(mark))
        return "t" * 40

    world.tree = look
    told = world.attend(
        world.python_agent(CELL + "cell('test')"),
        commands={"test": world.python_agent(LEFTOVERS, mark)},
    )
    assert told.proved
    assert seen == [[], []]
    assert said(world)[0]["answer"]["data"]["passed"] is True


def test_r39_an_agent_that_ignores_every_polite_signal_is_ended_by_the_clock(world):
    mark = marker()
    code = (
        "import signal, subprocess\n"
        "for n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\n"
        f"subprocess.Popen(['setsid', 'sleep', '{mark}']); subprocess.run(['sleep', '{mark}'])"
    )
    told = world.attend(world.python_agent(code), timeout_s=0.6)
    assert (told.proved, told.ending, told.exit_code) == (True, "timeout", None)
    assert alive(mark) == []


def test_r39_sigterm_at_the_runner_is_an_orderly_stop_with_a_proof(world):
    mark = marker()
    apart = world.start_apart(world.python_agent(LEFTOVERS, mark, "60"))
    until(lambda: len(alive(mark)) == 5)
    apart.terminate()
    assert apart.wait(10) == 0
    told = json.loads(world.log("told.json"))
    assert (told["proved"], told["ending"]) == (True, "killed")
    assert alive(mark) == []


def test_r39_the_runner_killed_outright_nothing_lives_on_and_nothing_is_said(world):
    mark = marker()
    apart = world.start_apart(world.python_agent(LEFTOVERS, mark, "60"))
    until(lambda: len(alive(mark)) == 5)
    apart.kill()
    apart.wait(30)
    until(lambda: not alive(mark))
    assert not (world.folder / "told.json").exists()


def test_r39_the_supervisor_killed_outright_there_is_no_proof_and_no_survivor(world):
    mark = marker()
    apart = world.start_apart(world.python_agent(LEFTOVERS, mark, "60"))
    until(lambda: len(alive(mark)) == 5)
    children = Path(f"/proc/{apart.pid}/task/{apart.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    assert apart.wait(10) == 1
    assert json.loads(world.log("told.json"))["proved"] is False
    until(lambda: not alive(mark))


def test_r39_a_hung_supervisor_dies_with_the_runner_and_takes_all_along(world):
    mark = marker()
    apart = world.start_apart(world.python_agent(LEFTOVERS, mark, "60"))
    until(lambda: len(alive(mark)) == 5)
    children = Path(f"/proc/{apart.pid}/task/{apart.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGSTOP)
    apart.kill()
    apart.wait(30)
    until(lambda: not alive(mark))


def test_r17_the_lock_is_held_until_the_last_process_is_gone_whoever_was_killed(world):
    mark = marker()
    apart = world.start_apart(world.python_agent(LEFTOVERS, mark, "60"))
    until(lambda: len(alive(mark)) == 5)
    os.close(world.lock)  # what a coordinator does once the runner has it
    world.lock = os.open(world.folder / "lock", os.O_RDONLY)
    with pytest.raises(BlockingIOError):
        fcntl.flock(world.lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    apart.kill()
    apart.wait(30)

    def free() -> bool:
        try:
            fcntl.flock(world.lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    until(free)
    until(lambda: not alive(mark), 1.0)  # the second look of R17


# ---------------------------------------------------------------- clocks and floods


def test_r38_silence_is_a_stall(world):
    told = world.attend(["sh", "-c", "echo begun; sleep 60"], stall_s=0.4)
    assert (told.proved, told.ending) == (True, "stall")


def test_r38_the_stall_clock_stands_still_while_a_test_runs(world):
    told = world.attend(
        world.python_agent(CELL + "cell('test')"), stall_s=1.2, commands={"test": ["sleep", "1.8"]}
    )
    assert (told.ending, told.exit_code) == ("exit", 0)
    assert said(world)[0]["code"] == 0


def test_r38_a_flood_of_output_is_bounded_and_the_result_line_survives_it(world):
    code = (
        "import sys\n"
        "for _ in range(700): sys.stdout.write('x' * 65535 + chr(10))\n"
        'print(\'{"type": "result", "subtype": "success"}\')'
    )
    told = world.attend(world.python_agent(code))
    assert told.result == {"type": "result", "subtype": "success"}
    assert (world.folder / "stream.jsonl").stat().st_size < 34 << 20


def test_r38_a_last_line_without_its_end_counts_too(world):
    told = world.attend(["printf", "%s", '{"type": "result", "is_error": true}'])
    assert told.result == {"type": "result", "is_error": True}


def test_r38_an_agent_that_cannot_be_started_is_told_by_status_and_words(world):
    told = world.attend(["/nowhere/claude"])
    assert (told.proved, told.ending, told.exit_code) == (True, "exit", 127)
    assert "No such file" in told.stderr


def test_r38_the_prompt_arrives_on_standard_input(world):
    told = world.attend(["cat"], prompt="Cell: triage\nread this\n")
    assert told.exit_code == 0
    assert world.log("stream.jsonl") == "Cell: triage\nread this\n"


def test_r37_a_leftover_that_holds_the_output_open_delays_no_answer(world):
    mark = marker()
    started = time.monotonic()
    world.attend(
        world.python_agent(CELL + "cell('test')"),
        commands={"test": ["sh", "-c", f"setsid sleep {mark} & echo done"]},
    )
    answer = said(world)[0]["answer"]
    assert (answer["data"]["passed"], answer["data"]["output"]) == (True, "done\n")
    assert time.monotonic() - started < 5
    assert alive(mark) == []


def test_r37_a_command_that_never_ends_is_stopped_at_its_limit(world):
    mark = marker()
    told = world.attend(
        world.python_agent(CELL + "cell('test'); cell('build')"),
        command_timeout_s=0.5,
        commands={"test": ["sh", "-c", f"(setsid sleep {mark} &) | tail"], "build": ["true"]},
    )
    first, second = said(world)
    assert told.proved
    assert (first["code"], first["answer"]["data"]["passed"]) == (1, False)
    assert "time limit" in first["answer"]["summary"]
    assert second["code"] == 0
    assert alive(mark) == []


# ---------------------------------------------------------------- the door


def test_r37_other_verbs_go_to_the_runner_and_its_answer_comes_back(world):
    world.attend(world.python_agent(CELL + "cell('record', '-m', 'Say \"hello\"')"))
    assert said(world)[0]["answer"]["data"] == {"argv": ["record", "-m", 'Say "hello"']}


def test_r37_a_failed_test_shows_head_and_tail_and_the_whole_output_can_be_paged(world):
    test = "print('first line')\nfor n in range(4000): print(n, 'é\\033[31m')\n"
    test += "print('last line'); raise SystemExit(3)"
    page = "place, text = 0, ''\nwhile place is not None:\n"
    page += "    data = cell('test', '--log', '--from', str(place))['data']\n"
    page += "    place = data['next']; text += data['text']\n"
    page += "print(json.dumps({'ends': [text[:10], text[-10:], text.count('é')]}))"
    world.attend(
        world.python_agent(CELL + "cell('test')\n" + page),
        commands={"test": [world.python, "-X", "utf8", "-c", test]},
    )
    first, *pages, ends = said(world)
    output = first["answer"]["data"]["output"]
    assert first["code"] == 1
    assert output.startswith("first line")
    assert output.endswith("last line\n")
    assert "bytes left out" in output
    assert "\033" not in output
    assert all(
        len(json.dumps(each["answer"], ensure_ascii=False)) <= 9_500 for each in (first, *pages)
    )
    assert ends["ends"] == ["first line", "last line\n", 4000]


def test_r37_a_verb_without_a_command_and_wrong_words_say_what_to_do(world):
    world.attend(
        world.python_agent(CELL + "cell('test'); cell('build'); cell('test', '-k', 'x'); cell('test', '--log', 'x');"
                           "cell('test', '--log', '--from', '9' * 20)"),
        commands={"test": ["true"]},
    )
    _, *refused = said(world)
    assert len(refused) == 4
    for call in refused:
        assert call["code"] == 1
        assert set(call["answer"]) == {"status", "error_code", "summary", "hint"}
        assert call["answer"]["error_code"] == "policy_blocked"


def test_r37_what_is_no_request_is_refused_and_the_door_stays_open(world):
    code = (
        CELL
        + """
import os, socket
def raw(data):
    with socket.socket(socket.AF_UNIX) as door:
        door.connect(os.environ["AGENTCELLS_DOOR"])
        door.sendall(data)
        print(door.recv(9999).decode().strip(), flush=True)
raw(b"hello\\n"); raw(b'{"argv": 1}\\n'); raw(b"[]\\n")
cell("status")
"""
    )
    world.attend(world.python_agent(code))
    *refused, good = said(world)
    assert [each["envelope"]["status"] for each in refused] == ["error"] * 3
    assert good["answer"]["status"] == "ok"


def test_r37_one_command_at_a_time(world):
    code = (
        CELL
        + """
import time
first = subprocess.Popen(["agentcells", "cell", "test"], stdout=subprocess.PIPE)
time.sleep(0.3)
cell("build")
print(first.communicate()[0].decode().strip(), flush=True)
"""
    )
    world.attend(world.python_agent(code), commands={"test": ["sleep", "0.8"], "build": ["true"]})
    build, test = said(world)
    assert build["answer"]["error_code"] == "policy_blocked"
    assert "`test` is still running" in build["answer"]["summary"]
    assert test["data"]["passed"] is True


@pytest.mark.parametrize("pause", [0.1, 1.2])
def test_r37_a_test_whose_client_was_stopped_goes_on_and_the_next_call_gets_its_answer(
    world, pause
):
    code = (
        CELL
        + f"""
import time
first = subprocess.Popen(["agentcells", "cell", "test"])
time.sleep(0.3)
first.kill(); first.wait()
time.sleep({pause})
cell("test")
"""
    )
    count = "printf x >> count; sleep 0.7; test $(wc -c < count) = 1"
    world.attend(world.python_agent(code), commands={"test": ["sh", "-c", count]})
    assert (world.work / "count").read_text() == "x"
    assert said(world)[0]["answer"]["data"]["passed"] is True


def test_r8_a_passed_test_is_told_with_the_tree_it_saw(world):
    world.attend(world.python_agent(CELL + "cell('test')"), commands={"test": ["true"]})
    assert world.tested == [{"tree": "t" * 40, "passed": True}]


def test_r8_a_test_during_which_the_files_changed_does_not_count(world):
    trees = iter(["a" * 40, "b" * 40])
    world.tree = lambda: next(trees)
    world.attend(world.python_agent(CELL + "cell('test')"), commands={"test": ["true"]})
    assert world.tested == []
    data = said(world)[0]["answer"]["data"]
    assert (data["passed"], data["counts"]) == (True, False)


def test_r36_tests_of_a_cell_that_only_reads_use_a_throw_away_copy(tmp_path, containment):
    world = RunWorld(tmp_path, containment, writes=False)
    (world.work / "a.txt").write_text("as it was\n")
    test = ["sh", "-c", "cat a.txt; echo changed > a.txt; touch new"]
    world.attend(world.python_agent(CELL + "cell('test')"), commands={"test": test})
    assert said(world)[0]["answer"]["data"]["output"] == "as it was\n"
    assert [path.name for path in world.work.iterdir()] == ["a.txt"]
    assert (world.work / "a.txt").read_text() == "as it was\n"


# ---------------------------------------------------------------- setup


def test_r37_setup_runs_before_the_agent(world):
    told = world.attend(
        ["cat", "made"], setup="work", commands={"setup": ["sh", "-c", "echo ready > made"]}
    )
    assert told.exit_code == 0
    assert world.log("stream.jsonl") == "ready\n"
    assert {"setup": "done"} in world.asked


def test_r37_when_setup_fails_the_agent_is_not_started_and_its_words_are_told(world):
    told = world.attend(
        ["touch", "started"],
        setup="work",
        commands={"setup": ["sh", "-c", "echo no network; exit 4"]},
    )
    assert (told.proved, told.ending) == (True, "setup")
    assert "no network" in told.said
    assert not (world.work / "started").exists()


def test_r37_the_tools_have_their_own_home_and_nothing_of_the_agents_environment(world):
    world.attend(
        world.python_agent(CELL + "cell('test')"),
        env={"ANTHROPIC_API_KEY": "sk-not-for-tools"},
        commands={"test": ["sh", "-c", "env; ls -a ~"]},
    )
    output = said(world)[0]["answer"]["data"]["output"]
    assert "sk-not-for-tools" not in output
    assert "AGENTCELLS_DOOR" not in output
    assert "CI=true" in output


def test_positive_control_the_agent_itself_does_have_its_environment(world):
    world.attend([PYTHON, "-c", "import os; print(os.environ['MARK'])"], env={"MARK": "seen"})
    assert world.log("stream.jsonl") == "seen\n"
