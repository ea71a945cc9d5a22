"""The verbs of a run: each call ends in an envelope that says what to do next, in plain words."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcells import gate
from agentcells.cell_verbs import CellContext
from agentcells.git import Git
from agentcells.git_process import program
from agentcells.history.sealed import Sealed
from agentcells.operations import ANSWER, OPERATIONS, answer, cell, parse, usage
from agentcells.run import FileView, Finding, TreeTest
from agentcells.secrets import Secrets
from agentcells.sentences import SENTENCES
from agentcells.sentences.records import RECORDS
from tests.git_world import Link, Origin, child, store
from tests.vocabulary import hits, strings

CODES = {"conflict", "auth_failed", "not_found", "policy_blocked", "backend_error"}
VERBS = {"observe", "status", "diff", "history", "record", "remove", "build", "test"}


@dataclass
class Run:
    """A run with a workspace, and what its verbs answered."""

    root: Path
    git: Git
    sealed: Sealed
    writes: bool = True
    needs_record: bool = True
    needs_test: bool = True
    issue: int | None = 50
    tested: TreeTest | None = None
    language: str = "en"
    logged: list[str] = field(default_factory=list)

    @property
    def work(self) -> Path:
        return self.root / "work"

    def put(self, name: str, text: str) -> None:
        (self.work / name).parent.mkdir(parents=True, exist_ok=True)
        (self.work / name).write_text(text)

    def ask(self, *argv: str) -> dict[str, Any]:
        """As `agentcells cell ARGV` answers it; held against what every answer must be."""
        context = CellContext(
            history=self.sealed,
            writes=self.writes,
            needs_record=self.needs_record,
            needs_test=self.needs_test,
            issue=self.issue,
            tested=self.tested,
            write_log=self.logged.append,
            language=self.language,
        )
        parsed = parse(argv, self.language)
        envelope = parsed if isinstance(parsed, dict) else answer("cell", *parsed, context)
        checked(envelope)
        return envelope

    def passed(self) -> None:
        self.tested = TreeTest(tree=self.sealed.tree_now(), passed=True, at=datetime.now(UTC))


def checked(envelope: dict[str, Any]) -> None:
    assert len(json.dumps(envelope, ensure_ascii=False)) <= ANSWER + 500  # blanks behind , and :
    if envelope["status"] == "ok":
        assert set(envelope) == {"status", "summary", "data"}
    else:
        assert set(envelope) == {"status", "error_code", "summary", "hint"}
        assert envelope["error_code"] in CODES
        assert envelope["hint"]
    assert envelope["summary"]
    for text in strings(envelope):
        assert not hits(text), text


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return new_run(tmp_path)


def new_run(root: Path, **choices: Any) -> Run:
    origin, git = Origin(root / "forge"), store(root)
    origin.commit(
        {
            "README.md": b"# game\n",
            "src/main.py": b"print(1)\n",
            ".ignored": b"",
            "CLAUDE.md": Link("README.md"),
        },
        "Begin the game",
    )
    start = git.fetch(origin.remote, ["main"])["main"]
    sealed = Sealed(git, root / "work", start, start, **choices)
    sealed.materialise()
    return Run(root, git, sealed)


# ---------------------------------------------------------------- what observe says


def test_r8_a_run_is_led_from_change_to_record_to_test_to_answer(run: Run) -> None:
    data = run.ask("observe")["data"]
    assert (data["work_state"], data["next_recommended"]) == ("clean_with_active_issue", None)
    assert data["missing"] == ["a change: no file differs from the start of this run"]

    run.put("src/new.py", "x = 1\n")
    data = run.ask("observe")["data"]
    assert data == {
        "work_state": "dirty",
        "default_issue": 50,
        "changed_files": ["src/new.py"],
        "diff_summary": "1 changed (+1 -0): src/new.py",
        "unpublished_records": 0,
        "missing": [
            "a record of the files changed since the newest record",
            "a passed `agentcells cell test` on exactly these files",
        ],
        "next_recommended": {
            "tool": "agentcells cell record",
            "required_args": ["message"],
            "reason": "There are changes that are not recorded.",
        },
        "available_next": ["agentcells cell diff", "agentcells cell status"],
    }

    data = run.ask("record", "-m", "Add x")["data"]
    assert data["next_recommended"]["tool"] == "agentcells cell test"
    assert (data["files"], data["issue_ids"], data["work_state"]) == (
        ["src/new.py"],
        [50],
        "recorded_unpublished",
    )
    assert data["record"].startswith("rec-")

    run.passed()
    envelope = run.ask("observe")
    assert envelope["data"]["missing"] == []
    assert envelope["data"]["next_recommended"] is None
    assert "give your answer" in envelope["summary"]

    run.put("src/new.py", "x = 2\n")
    data = run.ask("observe")["data"]
    assert data["work_state"] == "dirty_and_unpublished"
    assert len(data["missing"]) == 2  # the test was of other files


def test_r8_a_test_that_failed_or_was_of_other_files_is_still_missing(run: Run) -> None:
    run.put("a", "1")
    run.ask("record", "-m", "a")
    tree = run.sealed.tree_now()
    for tested in (
        None,
        TreeTest(tree=tree, passed=False, at=datetime.now(UTC)),
        TreeTest(tree="0" * 40, passed=True, at=datetime.now(UTC)),
    ):
        run.tested = tested
        assert run.ask("observe")["data"]["next_recommended"]["tool"] == "agentcells cell test"


def test_r8_nothing_is_missing_where_the_cell_asks_for_nothing(run: Run) -> None:
    run.needs_record = run.needs_test = False
    assert run.ask("observe")["data"]["missing"] == []
    run.put("a", "1")
    run.ask("record", "-m", "a")
    assert run.ask("observe")["data"]["next_recommended"] is None


def test_r36_a_run_that_only_reads_is_told_so(run: Run) -> None:
    run.writes = run.needs_record = run.needs_test = False
    assert "only reads" in run.ask("observe")["summary"]
    before = run.sealed.tip
    for argv in (["record", "-m", "x"], ["remove", "README.md"]):
        envelope = run.ask(*argv)
        assert (envelope["error_code"], run.sealed.tip) == ("policy_blocked", before)
    assert (run.work / "README.md").exists()


@pytest.mark.parametrize(
    ("issue", "state"), [(50, "clean_with_active_issue"), (None, "clean_idle")]
)
def test_exactly_one_state_holds_for_clean_work(run: Run, issue: int | None, state: str) -> None:
    run.issue = issue
    assert run.ask("observe")["data"]["work_state"] == state


def test_r43_what_is_refused_blocks_the_work_and_can_be_removed(run: Run) -> None:
    (run.work / "link").symlink_to("/etc/passwd")
    os.mkfifo(run.work / "src" / "pipe")
    run.put("a", "1")
    data = run.ask("observe")["data"]
    assert data["work_state"] == "blocked"
    assert data["blocked_reason"].startswith("link is a new or changed symbolic link")
    assert data["blocked_reason"].endswith("(and 1 more)")
    assert data["next_recommended"]["tool"] == "agentcells cell remove"
    envelope = run.ask("record", "-m", "x")
    assert (envelope["status"], envelope["error_code"]) == ("error", "policy_blocked")
    assert "agentcells cell remove" in envelope["hint"]
    assert run.ask("remove", "link", "src/pipe")["data"]["removed"] == ["link", "src/pipe"]
    assert run.ask("record", "-m", "x")["data"]["files"] == ["a"]


def test_r40_the_gate_is_heard_at_once_with_rule_and_path(tmp_path: Path) -> None:
    secrets = Secrets.of({"token": "tok-93hf83hf9w8hf-xyz"})

    def real_gate(files: Sequence[FileView], message: str) -> tuple[Finding, ...]:
        return gate.check_record(gate.Rules(max_files=3), secrets, files, message)

    run = new_run(tmp_path, inspect=real_gate)
    run.put(".claude/settings.json", "{}")
    envelope = run.ask("record", "-m", "x")
    assert envelope["error_code"] == "policy_blocked"
    assert ".claude/settings.json: only a person may change" in envelope["summary"]
    run.ask("remove", ".claude")
    run.put("src/key.py", "KEY = 'tok-93hf83hf9w8hf-xyz'\n")
    summary = run.ask("record", "-m", "x")["summary"]
    assert "src/key.py: there is a secret" in summary
    assert "tok-" not in summary
    run.put("src/key.py", "KEY = ''\n")
    assert "there is a secret" in run.ask("record", "-m", "use tok-93hf83hf9w8hf-xyz")["summary"]
    for number in range(5):
        run.put(f"n{number}", "x")
    assert "too many files" in run.ask("record", "-m", "x")["summary"]
    assert run.ask("observe")["data"]["unpublished_records"] == 0


def test_every_rule_that_can_stop_a_record_has_words_of_the_work() -> None:
    source = Path(gate.__file__).read_text(encoding="utf-8")
    blocking = set(re.findall(r'Finding\(rule="([a-z0-9_]+)"', source.split("def _flags", 1)[0]))
    blocking -= {"unseen_commit"}  # of a push, not of a record
    assert blocking >= {"protected_path", "known_secret", "vendor_secret"}
    assert {f"records_rule_{rule}" for rule in blocking} <= set(RECORDS) | {
        "records_rule_executable",
        "records_rule_binary",
        "records_rule_large_file",
    }  # only flagged


def test_r44_two_versions_in_a_file_block_until_they_are_one(tmp_path: Path) -> None:
    run = new_run(tmp_path)
    ours = child(run.git, run.sealed.start, {"README.md": b"# ours\n"})
    theirs = child(run.git, run.sealed.start, {"README.md": b"# theirs\n"})
    merge = run.git.merge_tree(ours, theirs)
    run.sealed = Sealed(
        run.git, tmp_path / "second", ours, ours, conflicts=merge.conflicts, merging=theirs
    )
    run.sealed.materialise(merge.tree)
    data = run.ask("observe")["data"]
    assert (data["work_state"], data["next_recommended"]) == ("blocked", None)
    assert "README.md" in data["blocked_reason"]
    assert run.ask("record", "-m", "x")["error_code"] == "conflict"
    (tmp_path / "second" / "README.md").write_text("# both\n")
    assert run.ask("record", "-m", "x")["status"] == "ok"


# ---------------------------------------------------------------- the other verbs


def test_status_and_history_show_files_and_records(run: Run) -> None:
    run.put("a", "1\n")
    made = run.ask("record", "-m", "One\n\nin two lines")["data"]["record"]
    run.put("b", "2\n3\n")
    (run.work / "src/main.py").unlink()
    data = run.ask("status")["data"]
    assert data["changed_files"] == [
        {"path": "b", "kind": "added", "added": 2, "removed": 0},
        {"path": "src/main.py", "kind": "removed", "added": 0, "removed": 1},
    ]
    assert data["records"] == [{"record": made, "message": "One\n\nin two lines"}]
    data = run.ask("history")["data"]
    assert [record["message"] for record in data["records"]] == [
        "One\n\nin two lines",
        "Begin the game",
    ]
    assert (data["of_this_run"], data["records"][0]["issue_ids"]) == (1, [50])
    assert len(run.ask("history", "--limit", "1")["data"]["records"]) == 1
    assert run.ask("history", "-n0")["data"]["records"] == []


def test_diff_shows_the_lines_under_headers_of_its_own(run: Run) -> None:
    assert run.ask("diff")["data"]["text"] == ""
    run.put("src/main.py", "print(2)\n")
    run.put("a", "1\n")
    assert run.ask("diff", "src")["data"]["text"] == (
        "== src/main.py (changed)\n@@ -1 +1 @@\n-print(1)\n+print(2)\n"
    )
    assert run.ask("diff")["data"]["text"].startswith("== a (added)\n")
    assert run.ask("diff", "nowhere")["data"]["text"] == ""


def test_nothing_to_record_is_an_error_so_that_nobody_believes_it_was_saved(run: Run) -> None:
    envelope = run.ask("record", "-m", "x")
    assert (envelope["error_code"], envelope["summary"]) == (
        "policy_blocked",
        "Nothing to record: no file has changed.",
    )


def test_a_record_of_a_run_without_an_issue_is_linked_to_none(run: Run) -> None:
    run.issue = None
    run.put("a", "1")
    assert run.ask("record", "-m", "x")["data"]["issue_ids"] == []


@pytest.mark.parametrize(
    ("paths", "code"),
    [
        (["nowhere"], "not_found"),
        (["../x"], "policy_blocked"),
        (["/etc/passwd"], "policy_blocked"),
        (["a\0b"], "policy_blocked"),
        (["\ud800"], "policy_blocked"),
        ([""], "policy_blocked"),
    ],
)
def test_c15_remove_names_what_it_cannot_do(run: Run, paths: list[str], code: str) -> None:
    envelope = run.ask("remove", *paths)
    assert envelope["error_code"] == code
    assert (run.work / "README.md").exists()


# ---------------------------------------------------------------- the command line


@pytest.mark.parametrize(
    ("argv", "parsed"),
    [
        (["observe"], ("observe", {})),
        (["record", "-m", "a b"], ("record", {"message": "a b"})),
        (["record", "-ma b"], ("record", {"message": "a b"})),
        (["record", "--message=a=b"], ("record", {"message": "a=b"})),
        (["record", "--message", "-m"], ("record", {"message": "-m"})),
        (["record", "a b"], ("record", {"message": "a b"})),
        (["remove", "a", "b c"], ("remove", {"paths": ["a", "b c"]})),
        (["remove", "--", "-rf", "--log"], ("remove", {"paths": ["-rf", "--log"]})),
        (["diff"], ("diff", {})),
        (["diff", "-"], ("diff", {"paths": ["-"]})),
        (["history", "-n", "3"], ("history", {"limit": 3})),
        (["test", "--log", "--from", "9500"], ("test", {"log": True, "from": 9500})),
        (["build", "--log", "--from=0"], ("build", {"log": True, "from": 0})),
        (["history", "--limit", "many"], ("history", {"limit": "many"})),
    ],
)
def test_command_lines_are_read(argv: list[str], parsed: tuple[str, dict[str, object]]) -> None:
    assert parse(argv) == parsed


@pytest.mark.parametrize(
    "argv",
    [
        ["record", "-m"],
        ["record", "-m", "a", "-m", "b"],
        ["record", "-m", "a", "b"],
        ["record", "a", "b"],
        ["record", "-x"],
        ["record"],
        ["record", "-m", "  "],
        ["remove"],
        ["remove", "-rf", "x"],
        ["observe", "x"],
        ["observe", "--json"],
        ["history", "--limit", "many"],
        ["history", "--limit", "-1"],
        ["test", "--log=1"],
        ["status", "--", "x"],
        ["diff", "--stat"],
    ],
)
def test_g05_a_command_line_that_is_no_verb_with_its_arguments_is_refused(
    run: Run, argv: list[str]
) -> None:
    run.put("a", "1")
    envelope = run.ask(*argv)
    assert envelope["error_code"] == "policy_blocked"
    assert f"agentcells cell {argv[0]}" in envelope["hint"]
    assert run.sealed.tip == run.sealed.start


@pytest.mark.parametrize(
    ("verb", "code"),
    [
        ("publish", "policy_blocked"),
        ("finish", "policy_blocked"),
        ("comment", "policy_blocked"),
        ("frobnicate", "not_found"),
        ("Observe", "not_found"),
        ("", "not_found"),
        ("-m", "not_found"),
        ("x" * 90_000, "not_found"),
        ("\x1b[2J", "not_found"),
    ],
)
def test_verbs_that_are_not_there_are_told_apart(run: Run, verb: str, code: str) -> None:
    assert run.ask(verb)["error_code"] == code


@pytest.mark.parametrize("argv", [[], ["help"], ["--help"], ["-h"]])
def test_help_lists_every_verb_with_its_arguments(run: Run, argv: list[str]) -> None:
    verbs = run.ask(*argv)["data"]["verbs"]
    assert {line.split(" ")[0] for line in verbs} == VERBS
    assert 'record -m "MESSAGE"' in verbs
    assert "test [--log] [--from N]" in verbs


@given(
    st.lists(
        st.text(max_size=8) | st.sampled_from(["--", "-m", "--log", "--from", "record", "9"]),
        max_size=6,
    )
)
def test_no_command_line_breaks_the_reader(words: list[str]) -> None:
    for verb in ("record", "remove", "history", "test"):
        parsed = parse([verb, *words])
        assert isinstance(parsed, tuple) or parsed["status"] == "error"


@pytest.mark.parametrize(
    "arguments",
    [
        {"message": 5},
        {"message": ["x"]},
        {"message": True},
        {"message": None},
        {"message": "x", "issue": 9},
        {"messages": "x"},
        {},
    ],
)
def test_unknown_missing_and_wrong_arguments_are_refused_by_the_table(
    run: Run, arguments: dict[str, Any]
) -> None:
    run.put("a", "1")
    context = CellContext(
        history=run.sealed,
        writes=True,
        needs_record=True,
        needs_test=True,
        issue=None,
        tested=None,
        write_log=run.logged.append,
    )
    envelope = answer("cell", "record", arguments, context)
    checked(envelope)
    assert envelope["error_code"] == "policy_blocked"
    assert run.sealed.tip == run.sealed.start


def test_build_and_test_are_in_the_table_but_run_elsewhere(run: Run) -> None:
    assert {"build", "test"} <= {operation.id for operation in OPERATIONS}
    for verb in ("build", "test"):
        assert run.ask(verb)["status"] == "error"


# ---------------------------------------------------------------- bounds


def test_r37_no_answer_is_longer_than_the_client_shows(run: Run) -> None:
    for number in range(300):
        run.put(f"{'日本' * 20}/{number}" + "n" * 100, '"\\\n' * 2_000)
    for argv in (
        ["observe"],
        ["status"],
        ["diff"],
        ["record", "-m", "x" * 50_000],
        ["history"],
        ["status"],
        ["remove", *(f"missing{'z' * 200}{number}" for number in range(200))],
    ):
        envelope = run.ask(*argv)
        assert len(json.dumps(envelope, ensure_ascii=False, separators=(",", ":"))) <= ANSWER
    data = run.ask("history")["data"]
    assert data["records"]


def test_what_was_left_out_is_counted(run: Run) -> None:
    for number in range(300):
        run.put(f"file{number:03}{'n' * 60}", "x\n")
    data = run.ask("observe")["data"]
    assert (len(data["changed_files"]), data["omitted_changed_files"]) == (50, 250)
    data = run.ask("status")["data"]
    assert len(data["changed_files"]) + data["omitted_changed_files"] == 300
    text = run.ask("diff")["data"]["text"]
    assert "characters left out" in text
    assert text.startswith("== file000")
    assert text.endswith("+x\n")


# ---------------------------------------------------------------- no word of what lies below


STDERRS = (
    "fatal: not a git repository (or any of the parent directories): .git",
    "! [rejected] main -> main (non-fast-forward)",
    "error: failed to push some refs to 'https://u:p@x/'",
    "fatal: Authentication failed for 'https://x/'",
    "git@x: Permission denied (publickey).",
    "CONFLICT (content): Merge conflict in a.txt",
    "error: pathspec 'x' did not match any file(s) known to git",
    "fatal: Unable to create '/x/index.lock': File exists.",
    "remote: error: hook declined",
    "You are in 'detached HEAD' state.",
    "fatal: unable to access 'https://x/': Could not resolve host: x",
    "error: file write error: No space left on device",
    "error: object file objects/aa/bb is empty",
    "HTTP 502 <html><title>502 Bad Gateway</title>",
    '{"message":"Not Found","status":"404"}',
    "fatal: bad object HEAD",
    "Traceback (most recent call last):",
    "",
)


@pytest.mark.parametrize("stderr", STDERRS)
def test_b3_what_git_says_goes_to_the_log_and_never_into_an_answer(
    run: Run, stderr: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    canary = "CANARY-7f3a91"
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(
        f"#!/bin/sh\ncat >/dev/null\ncat >&2 <<'END'\n{stderr} {canary}\nEND\nexit 128\n"
    )
    (folder / "git").chmod(0o755)
    run.put("a", "1")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    program.cache_clear()
    try:
        for argv in (["observe"], ["status"], ["diff"], ["history"], ["record", "-m", "x"]):
            envelope = run.ask(*argv)
            text = json.dumps(envelope)
            assert envelope["status"] == "error"
            assert canary not in text
            for at in range(max(0, len(stderr) - 12)):
                assert stderr[at : at + 12] not in text
    finally:
        program.cache_clear()
    assert any(canary in line for line in run.logged)
    assert run.sealed.tip == run.sealed.start


def test_b2_a_bug_is_an_envelope_too_and_its_traceback_is_in_the_log(run: Run) -> None:
    class Broken:
        def survey(self) -> object:
            raise RuntimeError("secret detail")

    context = CellContext(
        history=Broken(),  # type: ignore[arg-type]
        writes=True,
        needs_record=True,
        needs_test=True,
        issue=1,
        tested=None,
        write_log=run.logged.append,
    )
    envelope = answer("cell", "observe", {}, context)
    checked(envelope)
    assert envelope["error_code"] == "backend_error"
    assert "secret detail" not in json.dumps(envelope)
    assert "RuntimeError: secret detail" in run.logged[0]


def test_no_sentence_of_the_doors_speaks_of_version_control() -> None:
    doors = {key: both for key, both in SENTENCES.items() if key.startswith("door_")}
    for key, (english, japanese) in {**RECORDS, **doors}.items():
        assert not hits(english), (key, hits(english))
        assert not hits(japanese), (key, hits(japanese))
        assert english != japanese, key


def test_the_table_has_a_description_for_each_verb_and_no_forbidden_word() -> None:
    assert {op.faces["cell"].name for op in OPERATIONS if "cell" in op.faces} == VERBS
    for line, about in usage():
        assert about
        assert not hits(line + about)


def test_the_lint_finds_what_it_is_there_to_find() -> None:
    for text in (
        "git push failed",
        "the HEAD",
        "a Pull Request",
        "merged",
        "See https://x",
        "version control",
        "コミットする",
        "プルする",
        "Repositories",
        "exit code 3",
        "refs",
        "a PR",
    ):
        assert hits(text), text
    for text in (
        "digit",
        "legitimate",
        "preference",
        "issue",
        "diff",
        "サンプル",
        "overhead",
        "indexes",
        "shape",
    ):
        assert not hits(text), text


def test_answers_in_japanese_are_japanese(run: Run) -> None:
    run.language = "ja"
    (run.work / "link").symlink_to("x")
    for argv in (["observe"], ["record", "-m", "x"], ["record"], ["publish"], ["help"], ["status"]):
        envelope = run.ask(*argv)
        assert any("\u3040" <= c <= "\u30ff" for c in envelope["summary"]), envelope["summary"]


def test_a_run_answers_its_command_lines(run: Run) -> None:
    from agentcells.model import RunId, Sha
    from agentcells.run import Order
    from agentcells.store import Limits

    order = Order(
        run=RunId("r1"),
        repo="alice/game",
        pair_key="alice/game#50",
        issue=50,
        pull=None,
        cell="implement",
        came_from="implement",
        reply=False,
        resume_from="",
        nexts=("review",),
        extra_fields=(),
        prompt="p",
        seen=(),
        text_hash="",
        start=Sha("a" * 40),
        base=Sha("a" * 40),
        base_ref="main",
        branch="agentcells/50",
        branch_exists=False,
        kept="",
        writes=True,
        store="",
        created_at=datetime.now(UTC),
    )
    limits = Limits(agent_command=("claude",), needs_record=True, needs_test=True)
    run.put("a", "1")
    for argv, status in (
        (["observe"], "ok"),
        (["record", "-m", "a"], "ok"),
        (["nothing"], "error"),
    ):
        envelope = cell(argv, run.sealed, order, limits, None, run.logged.append)
        checked(envelope)
        assert envelope["status"] == status
