"""Stories of whole runs: an order in, ended.json out, with the scripted agent and real git in
between."""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from pathlib import Path

import pytest

from agentcells import runner
from agentcells.attend import Told
from agentcells.git import Entry, Git, blob_id
from agentcells.git_process import Call
from agentcells.git_process import run as run_git
from agentcells.run import NOTHING_STARTED, Proof
from agentcells.workspace import Workspace
from tests.git_world import child
from tests.run_case import DONE, FILES, GOOD, Case, answers
from tests.run_world import BOTH, alive, marker, until


def mktree(git: Git, lines: str) -> str:
    """A tree with names that git itself would never write."""
    return run_git(Call(store=git.store, arguments=["mktree"]), lines.encode()).out.decode().strip()


@pytest.fixture(params=BOTH)
def case(tmp_path, request):
    return Case(tmp_path, request.param)


@pytest.fixture
def plain(tmp_path):
    return Case(tmp_path)


WORK = [
    {"cell": ["observe"]},
    {"write": {"greeter.py": GOOD}},
    {"cell": ["record", "-m", "Greet Ada"]},
    {"cell": ["test"]},
    DONE,
]


def test_a_run_writes_records_tests_and_answers(case):
    end, folder = case.run(WORK)
    assert (end.outcome.kind, end.outcome.next, end.outcome.comment) == (
        "done",
        "review",
        "It greets by name.",
    )
    assert end.proof is not None
    assert (end.proof.run, end.proof.containment) == (folder.run, case.containment)
    assert end.sealed is not None
    assert case.files(end.sealed) == {**FILES, "greeter.py": GOOD.encode()}
    assert (end.changed, end.records, end.refusals) == (True, ("Greet Ada",), ())
    assert end.tested is not None
    assert (end.tested.passed, end.tested.tree) == (True, end.sealed_tree)
    assert [answer["status"] for answer in answers(folder)] == ["ok"] * 3


def test_r42_what_was_not_recorded_is_sealed_at_the_end(plain):
    end, _ = plain.run([{"write": {"new.txt": "x\n"}}, DONE])
    assert plain.files(end.sealed)["new.txt"] == b"x\n"
    assert len(end.records) == 1
    assert end.tested is None


def test_a_run_that_changes_nothing_says_so(plain):
    end, _ = plain.run([{"answer": {"next": "needs-human", "comment": "What name?"}}])
    assert (end.changed, end.sealed, end.records) == (False, plain.start, ())


def test_r8_a_failed_test_is_told_to_the_model_and_to_the_end(plain):
    end, folder = plain.run([{"cell": ["test"]}, DONE])
    (answer,) = answers(folder)
    assert answer["data"]["passed"] is False
    assert "AssertionError" in answer["data"]["output"]
    assert end.tested is not None
    assert end.tested.passed is False


def test_r36_a_cell_that_only_reads_changes_nothing(case):
    do = [
        {"shell": "echo x >> greeter.py; touch new"},
        {"cell": ["record", "-m", "x"]},
        {"cell": ["test"]},
        DONE,
    ]
    end, folder = case.run(do, order={"writes": False})
    assert (end.outcome.kind, end.sealed, end.changed) == ("done", None, False)
    record, test = answers(folder)
    assert record["status"] == "error"
    if case.containment == "strong":
        assert (folder.path / "work/greeter.py").read_bytes() == FILES["greeter.py"]
    assert test["data"]["passed"] is False


def test_r40_a_record_asks_the_gate_at_once(plain):
    end, folder = plain.run(
        [
            {"shell": "mkdir .claude; echo {} > .claude/settings.json"},
            {"cell": ["record", "-m", "x"]},
            DONE,
        ]
    )
    (answer,) = answers(folder)
    assert answer["error_code"] == "policy_blocked"
    assert ".claude/settings.json" in answer["summary"]
    assert end.sealed is not None


def test_r43_a_link_is_refused_and_the_rest_is_kept(case):
    end, _ = case.run([{"write": {"good.txt": "x\n"}}, {"shell": "ln -s /etc/passwd leak"}, DONE])
    assert end.outcome.kind == "refused"
    assert "leak" in end.refusals[0]
    assert set(case.files(end.sealed)) == {*FILES, "good.txt"}


def test_r40_the_next_run_takes_the_files_of_kept_work(plain):
    kept = child(plain.git, plain.start, {"half.txt": b"half done\n"})
    plain.git.update_ref("refs/agentcells/kept/r0", kept)
    end, _ = plain.run(
        [{"append": {"half.txt": "whole\n"}}, DONE], order={"kept": "refs/agentcells/kept/r0"}
    )
    assert plain.files(end.sealed)["half.txt"] == b"half done\nwhole\n"
    assert plain.git.is_ancestor(plain.start, end.sealed)
    assert not plain.git.is_ancestor(kept, end.sealed)


def test_r40_what_the_gate_refused_of_kept_work_is_not_carried_on(plain):
    files = {".claude/settings.json": b"{}", "half.txt": b"half done\n"}
    kept = child(plain.git, plain.start, files)
    plain.git.update_ref("refs/agentcells/kept/r0", kept)
    end, _ = plain.run([DONE], order={"kept": "refs/agentcells/kept/r0"})
    assert set(plain.files(end.sealed)) == {*FILES, "half.txt"}


def test_r44_a_moved_base_that_does_not_merge_is_laid_out_with_markers_and_settled(plain):
    base = plain.start
    work = child(plain.git, base, {"greeter.py": b"def greet():\n    return 'Good day!'\n"})
    moved = child(plain.git, base, {"greeter.py": b"def greet():\n    return 'Hi!'\n", "b": b"x"})
    plain.start = work
    settle = [
        {"read": ["greeter.py"]}, {"cell": ["record", "-m", "Too early"]},
        {"write": {"greeter.py": GOOD}}, {"cell": ["record", "-m", "Settle both"]}, DONE,
    ]
    order = {"base": base, "merging": moved, "conflicts": ("greeter.py",), "branch_exists": True}
    end, folder = plain.run(settle, order=order)
    assert "<<<<<<< present-state" in (folder.path / "stream.jsonl").read_text()
    early, settled = answers(folder)
    assert (early["error_code"], settled["status"]) == ("conflict", "ok")
    assert plain.files(end.sealed)["greeter.py"] == GOOD.encode()
    assert plain.git.is_ancestor(work, end.sealed)
    assert plain.git.is_ancestor(moved, end.sealed)


# ---------------------------------------------------------------- every ending


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ({"answer_unchecked": {"next": "deploy", "comment": "x"}}, "bad_answer"),
        ({"no_answer": True}, "no_answer"),
        ({"error": "credential"}, "credential"),
        ({"error": "turns"}, "turns"),
        ({"exit": 3}, "crash"),
    ],
)
def test_r38_every_ending_is_classed_and_the_work_is_kept(plain, action, kind):
    end, _ = plain.run([{"write": {"half.txt": "x\n"}}, action])
    assert end.outcome.kind == kind
    assert plain.files(end.sealed)["half.txt"] == b"x\n"
    assert end.proof is not None


def test_r38_the_clocks_end_a_run_that_does_not(plain):
    assert plain.run([{"hang": True}], timeout_s=1)[0].outcome.kind == "timeout"
    assert plain.run([{"hang": True}], stall_s=1)[0].outcome.kind == "stall"


def test_r39_leftovers_of_every_kind_are_gone_at_the_end(case):
    mark = marker()
    ways = ("background", "nohup", "setsid", "double", "cleared")
    end, _ = case.run([*({"leave": f"{how}:{mark}"} for how in ways), DONE])
    assert end.outcome.kind == "done"
    assert alive(mark) == []


def test_r39_sigterm_ends_a_run_orderly_and_keeps_its_work(case):
    process, folder = case.begin(
        [{"write": {"half.txt": "x\n"}}, {"leave": "cleared"}, {"hang": True}]
    )
    half = folder.path / "work/half.txt"
    until(lambda: half.exists() and half.read_bytes())
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    end = folder.end()
    assert end is not None
    assert end.outcome.kind == "killed"
    assert case.files(end.sealed)["half.txt"] == b"x\n"


def test_r42_work_is_sealed_as_soon_as_it_can_be(plain):
    """A disk that was full for a moment, or a folder that was away, costs no hour of work."""
    process, folder = plain.begin([{"write": {"half.txt": "x\n"}}, {"hang": True}])
    half = folder.path / "work/half.txt"
    until(lambda: half.exists() and half.read_bytes())
    objects, away = plain.git.store / "objects", plain.git.store / "away"
    objects.rename(away)
    process.send_signal(signal.SIGTERM)
    until(lambda: (folder.path / "runner.log").read_bytes())
    away.rename(objects)
    assert process.wait(20) == 0
    end = folder.end()
    assert end is not None
    assert end.outcome.kind == "killed"
    assert plain.files(end.sealed)["half.txt"] == b"x\n"


def test_r42_work_that_can_never_be_sealed_ends_with_the_reason(plain, monkeypatch, capsys):
    monkeypatch.setattr(runner, "AGAIN_S", (0.0, 0.0))
    _, folder = plain.run([{"write": {"half.txt": "x\n"}}, DONE])
    (folder.path / "ended.json").unlink()
    made = runner.Runner(folder, folder.order(), folder.limits())
    made.workspace = Workspace(plain.git, made.order, made.limits, folder.path, {})
    plain.git.store.rename(plain.tmp / "away")
    runner._write_end(folder, made, Told(), Proof(run=folder.run, nonce="n", containment="none"))
    end = folder.end()
    assert end is not None
    assert (end.outcome.kind, end.sealed, end.proof.nonce) == ("crash", None, "n")
    assert end.outcome.detail
    assert capsys.readouterr().err.splitlines() == [end.outcome.detail] * 2


@pytest.mark.parametrize("victim", ["runner", "supervisor"])
def test_r39_sigkill_leaves_no_process_and_no_end(case, victim):
    mark = marker()
    process, folder = case.begin(
        [{"write": {"half.txt": "x\n"}}, {"leave": f"cleared:{mark}"}, {"hang": True}]
    )
    until(lambda: alive(mark))
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(process.pid if victim == "runner" else int(children[0]), signal.SIGKILL)
    assert process.wait(20) != 0
    until(lambda: not folder.alive())
    until(lambda: not alive(mark), 1.0)
    assert folder.end() is None


def test_r37_what_setup_left_and_cannot_be_taken_ends_the_run_with_a_proof(plain):
    """The agent never starts, and whoever reads the comment learns why."""
    end, folder = plain.run([DONE], setup=("mkdir", "deps"), keep=("../deps",))
    assert end.outcome.kind == "crash"
    assert "[commands] keep names ../deps" in end.outcome.detail
    assert end.proof.nonce != NOTHING_STARTED
    assert (folder.path / "stream.jsonl").read_text() == ""


# ---------------------------------------------------------------- refused before it began


@pytest.mark.parametrize(
    ("limits", "kind", "words"),
    [
        ({"agent_command": ("claude-nowhere",)}, "crash", "claude-nowhere"),
        ({"containment": "strong", "read": ("/no/such",)}, "crash", "/no/such"),
        (
            {"containment": "strong", "agent_env": ("ANTHROPIC_BASE_URL",)},
            "crash",
            "elsewhere.invalid",
        ),
    ],
)
def test_what_can_be_refused_is_refused_before_any_process_exists(plain, limits, kind, words):
    end, folder = plain.run(
        [DONE], env={"ANTHROPIC_BASE_URL": "https://elsewhere.invalid"}, **limits
    )
    assert end.outcome.kind == kind
    assert words in end.outcome.detail
    assert end.proof is not None
    assert end.sealed is None
    assert not (folder.path / "supervisor.log").exists()


def test_r39_files_that_cannot_be_laid_out_end_the_run_with_a_proof(case, tmp_path):
    """The supervisor is at work by then, so its word alone counts; no agent was ever started."""
    inner = case.git.write_tree({"evil": Entry(mode="100644", sha=blob_id(FILES["greeter.py"]))})
    root = mktree(case.git, f"040000 tree {inner}\t..\n")
    start = case.git.commit_tree(root, [], "a trap")
    end, folder = case.run([DONE], order={"start": start, "base": start})
    assert end.outcome.kind == "crash"
    assert ".." in end.outcome.detail
    assert end.proof is not None
    assert end.proof.nonce != NOTHING_STARTED
    assert (folder.path / "stream.jsonl").read_text() == ""
    assert not (folder.path / "evil").exists()


@pytest.mark.sandbox
def test_r35_everything_that_is_laid_out_belongs_to_the_runs_own_account(tmp_path):
    case = Case(tmp_path, "strong")
    look = {"shell": "find . ! -user $(id -u) -o ! -group $(id -g) > foreign; ls -a >> foreign"}
    deep = child(case.git, case.start, {"a/b/c.txt": b"x\n"})
    end, _ = case.run([look, DONE], order={"start": deep})
    assert end.outcome.kind == "done"
    seen = case.files(end.sealed)["foreign"].split()
    assert b"a" in seen
    assert not [path for path in seen if path.startswith(b"./")]


def test_r35_where_there_is_no_bubblewrap_the_run_is_refused_with_the_remedy(plain, tmp_path):
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("git", "python3"):
        (bare / name).symlink_to(f"/usr/bin/{name}")
    end, _ = plain.run([DONE], containment="strong", env={"PATH": str(bare)})
    assert end.outcome.kind == "containment"
    assert "apt install bubblewrap" in end.outcome.detail


@pytest.mark.sandbox
def test_r35_a_toolchain_that_only_its_owner_may_walk_to_is_readable_inside(tmp_path):
    case = Case(tmp_path, "strong")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as private:  # 0700, and not below /tmp
        tool = Path(private) / "chain/bin/checker"
        tool.parent.mkdir(parents=True)
        tool.write_text("#!/bin/sh\necho checked\n")
        tool.chmod(0o755)
        chain = str(tool.parent.parent)
        end, folder = case.run([{"cell": ["test"]}, DONE], read=(chain,), test=("checker",))
    assert (end.outcome.kind, answers(folder)[0]["data"]["output"]) == ("done", "checked\n")


# ---------------------------------------------------------------- setup


SETUP = {
    "setup": (
        "sh",
        "-c",
        "mkdir deps; cat greeter.py > deps/made; date +%s%N >> deps/made; echo x > stray",
    ),
    "keep": ("deps",),
    "test": ("sh", "-c", "cat deps/made"),
}


def test_r37_setup_works_on_the_base_and_every_run_has_its_own_copy(case):
    do = [{"shell": "echo spoilt > deps/made"}, {"cell": ["test"]}, DONE]
    first, one = case.run([{"cell": ["test"]}, DONE], **SETUP)
    spoilt, _ = case.run(do, **SETUP)
    third, three = case.run([{"cell": ["test"]}, DONE], **SETUP)
    assert answers(one)[0]["data"]["output"] == answers(three)[0]["data"]["output"]
    assert answers(one)[0]["data"]["output"].startswith("def greet")
    for end in (first, spoilt, third):
        assert (
            end.changed is False
        )  # what lies under `keep`, and what setup strewed about, is never taken in
    assert (one.path / "setup.log").exists()


def test_r37_with_other_lock_files_setup_is_private_to_the_run(plain):
    plain.run([DONE], **SETUP)
    base = plain.start
    plain.start = child(plain.git, base, {"package.json": b"{}"})
    plain.run([DONE], order={"base": base}, **SETUP)
    assert len(list((plain.tmp / "cache").iterdir())) == 1


def test_r37_a_setup_that_fails_ends_the_run_with_its_words(plain):
    end, _ = plain.run([DONE], setup=("sh", "-c", "echo no network; exit 1"), keep=("deps",))
    assert end.outcome.kind == "setup_failed"
    assert "no network" in end.outcome.detail
    assert not (plain.tmp / "cache").exists()


# ---------------------------------------------------------------- what the agent may know


@pytest.mark.sandbox
def test_r38_the_models_key_is_not_in_the_sandbox(tmp_path):
    case = Case(tmp_path, "strong")
    look = "(env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline) > seen.txt"
    do = [{"shell": look}, DONE]
    end, _ = case.run(
        do,
        env={"ANTHROPIC_API_KEY": "sk-ant-api03-not-for-the-sandbox", "OTHER": "not-listed"},
        agent_env=("ANTHROPIC_API_KEY",),
        agent_hosts=("api.anthropic.com",),
    )
    seen = case.files(end.sealed)["seen.txt"]
    assert b"sk-ant" not in seen
    assert b"not-listed" not in seen
    assert b"set-outside-the-sandbox" in seen


def test_a_run_costs_little_of_its_own(case):
    started = time.monotonic()
    case.run([DONE])
    assert time.monotonic() - started < 10  # about half a second on an idle machine


# ---------------------------------------------------------------- the door as tools

# An agent that speaks to the door as claude does with `door = "mcp"`: it starts the server that
# its flags name.
TOOL_AGENT = r"""
import json, os, subprocess, sys
flags = sys.argv
servers = json.loads(flags[flags.index("--mcp-config") + 1])["mcpServers"]
server = servers["work"]
status = "connected" if os.path.basename(sys.argv[0]) != "failing" else "failed"
def event(**parts):
    print(json.dumps(parts), flush=True)
event(type="system", subtype="init", mcp_servers=[{"name": "work", "status": status}])
if status == "failed":
    sys.stdin.read(); __import__("time").sleep(30)
process = subprocess.Popen(
    [server["command"], *server["args"]], env={**os.environ, **server["env"]},
    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
def ask(method, **params):
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    process.stdin.write(json.dumps(request).encode() + b"\n"); process.stdin.flush()
    reply = json.loads(process.stdout.readline())
    event(type="reply", reply=reply)
    return reply
process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
ask("initialize", protocolVersion="2025-06-18")
ask("tools/list")
open("new.txt", "w").write("x\n")
ask("tools/call", name="record", arguments={"message": "-m is no option here"})
ask("tools/call", name="diff", arguments={"paths": ["-odd"]})
ask("tools/call", name="test", arguments={"log": True, "from": 0})
ask("tools/call", name="push", arguments={})
ask("resources/list")
answer = {"next": "review", "comment": "done"}
event(type="result", subtype="success", is_error=False, structured_output=answer, result="")
"""


def tool_agent(tmp: Path, name: str) -> tuple[str, ...]:
    program = tmp / name
    program.write_text(TOOL_AGENT)
    return ("python3", "-I", str(program))


def test_r37_the_same_verbs_as_tools_without_any_shell(case):
    end, folder = case.run([], door="mcp", agent_command=tool_agent(case.tmp, "working"))
    assert (end.outcome.kind, end.records) == ("done", ("-m is no option here",))
    lines = (folder.path / "stream.jsonl").read_text().splitlines()
    replies = [json.loads(line)["reply"] for line in lines if '"reply"' in line]
    hello, listed, record, diff, log, unknown, other = replies
    assert hello["result"]["protocolVersion"] == "2025-06-18"
    tools = {tool["name"]: tool for tool in listed["result"]["tools"]}
    assert set(tools) == {"observe", "status", "diff", "history", "record", "remove", "test"}
    assert tools["record"]["inputSchema"]["required"] == ["message"]
    assert record["result"]["isError"] is False
    assert json.loads(diff["result"]["content"][0]["text"])["status"] == "ok"
    assert json.loads(log["result"]["content"][0]["text"])["error_code"] == "policy_blocked"
    assert "error" in unknown
    assert other["error"]["code"] == -32601


def test_r37_tools_that_do_not_connect_end_the_run_instead_of_a_silent_one_without(plain):
    end, _ = plain.run([], door="mcp", agent_command=tool_agent(plain.tmp, "failing"))
    assert end.outcome.kind == "crash"
    assert 'door = "mcp"' in end.outcome.detail
