"""What may leave and what may not: the gate before every push (R40, R43, R45)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentcells
from agentcells import gate
from agentcells.flags import FLAGS
from agentcells.gate import Rules
from agentcells.model import Sha
from agentcells.protected import DEFAULT_PROTECTED
from agentcells.run import Cleared, CommitView, FileView, Outcome, RunEnd
from agentcells.secrets import Secrets
from agentcells.sentences import SENTENCES

BASE, FIRST, SECOND = Sha("b" * 40), Sha("1" * 40), Sha("2" * 40)
CORE = "q7Rt2Zk9WmX4bLc8VnD3sHf6JgP1aYuE5oTi"
TOKEN = "ghp_" + CORE  # put together, so that no scanner takes this file for a leak
SECRETS = Secrets.of({"forge token": TOKEN})
RULES = Rules()
ABSENT = "000000"


def file(path, new=b"text\n", old=None, *, mode="100644", was=None, known=()):
    """A file that a commit writes; `old` None: it is new; `new` None: it is removed."""
    return FileView(
        path=path if isinstance(path, bytes) else path.encode(),
        old_mode=was or (ABSENT if old is None else "100644"),
        new_mode=ABSENT if new is None else mode,
        old_content=old,
        new_content=new,
        known=known,
    )


def commit(*files, sha=FIRST, message="Add x", author="alice <alice@example.org>"):
    return CommitView(sha=sha, message=message, author=author, files=files)


def verdict(*files, rules=RULES, **kwargs):
    return gate.inspect(rules, SECRETS, BASE, FIRST, [commit(*files, **kwargs)])


def blocks(*files, **kwargs):
    return [found.rule for found in verdict(*files, **kwargs).blocks]


def flags(*files):
    return [found.rule for found in verdict(*files).flags]


def test_ordinary_work_is_cleared():
    judged = verdict(file("src/a.py", b"a\nb\nc\n", b"a\nx\n"), file("README.md", b"# hi\n"))
    assert judged.blocks == judged.flags == ()
    assert judged.files == ("README.md", "src/a.py")
    assert (judged.added, judged.removed) == (3, 1)
    assert gate.clear(judged) == Cleared(sha=FIRST, base=BASE)


def test_what_blocks_is_not_cleared():
    assert gate.clear(verdict(file(".claude/settings.json"))) is None


def test_nobody_else_makes_the_permission_to_push():
    package = Path(agentcells.__file__).parent
    makers = {
        path.name
        for path in package.rglob("*.py")
        if re.search(r"\bCleared\(", path.read_text("utf-8"))
    }
    assert makers == {"gate.py"}


def test_a_push_that_adds_nothing_has_nothing_to_block():
    judged = gate.inspect(RULES, SECRETS, BASE, FIRST, [])
    assert gate.clear(judged) == Cleared(sha=FIRST, base=BASE)


def test_r45_what_is_pushed_must_be_among_what_was_looked_at():
    judged = gate.inspect(RULES, SECRETS, BASE, SECOND, [commit(file("a"))])
    assert [found.rule for found in judged.blocks] == ["unseen_commit"]


# ---------------------------------------------------------------- paths


@pytest.mark.parametrize(
    "path",
    [
        ".claude/settings.json", ".claude", "sub/.claude/agents/x.md", ".mcp.json", "a/.mcp.json",
        ".github/workflows/ci.yml", ".github/workflows", ".github/actions/x/run.sh", "action.yml",
        "sub/action.yaml", ".gitmodules", "cells.toml", ".husky/pre-commit", ".githooks/x",
        ".gitea/workflows/x.yml", ".GITHUB/Workflows/ci.yml", ".github./workflows /ci.yml",
        ".cla\u200cude/x", "．claude/x", ".claude:x/settings.json", ".github\\workflows\\x.yml",
    ],
)  # fmt: skip
def test_d01_protected_paths_stay_as_they_are(path):
    assert "protected_path" in blocks(file(path))
    assert "protected_path" in blocks(file(path, None, b"old"))  # removed, or renamed away
    assert "protected_path" in blocks(file(path, b"new", b"old"))


def test_d01_the_owner_decides_what_is_protected():
    rules = Rules(protected=("infra/**",))
    assert blocks(file("infra/main.tf"), rules=rules) == ["protected_path"]
    assert blocks(file(".claude/settings.json"), rules=rules) == []


def test_d01_the_finding_names_the_pattern():
    (found,) = verdict(file("x/.claude/y")).blocks
    assert (found.path, found.detail) == ("x/.claude/y", "**/.claude/**")
    assert found.detail in DEFAULT_PROTECTED


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (b".git/config", "git_path"),
        (b"a/.GIT/x", "git_path"),
        (b"git~1", "git_path"),
        (b"caf\xe9.txt", "path_not_utf8"),
        (b"a\nb", "odd_path"),
        (b"..\\x", "odd_path"),
        (b"x\x1b[2J", "odd_path"),
        ("x\u202egpj".encode(), "odd_path"),
    ],
)
def test_c09_paths_that_are_not_what_they_seem_are_refused(path, rule):
    (found,) = verdict(file(path)).blocks
    assert found.rule == rule
    assert re.fullmatch(r"[\x20-\x7e]+", found.path)  # and shown without their tricks


def test_c09_an_odd_name_that_was_there_before_may_be_mended():
    assert blocks(file("❤\ufe0f.md", b"new", b"old")) == []
    assert blocks(file("❤\ufe0f.md")) == ["odd_path"]


# ---------------------------------------------------------------- modes


def test_r43_a_new_or_changed_link_is_refused_unless_its_very_path_is_allowed():
    link = file("docs/latest", b"v2", mode="120000")
    changed = file("docs/latest", b"../../etc/passwd", b"v1", mode="120000", was="120000")
    allowed = Rules(allow_links=("docs/latest",))
    assert blocks(link) == blocks(changed) == ["symlink"]
    assert blocks(link, rules=allowed) == blocks(changed, rules=allowed) == []
    assert blocks(file("docs/Latest", b"v2", mode="120000"), rules=allowed) == ["symlink"]


def test_r43_a_removed_link_and_a_link_that_became_a_file_are_fine():
    assert blocks(file("l", None, b"target", was="120000")) == []
    assert blocks(file("l", b"text", b"target", was="120000")) == []


def test_r43_a_submodule_is_never_touched():
    assert blocks(file("sub", None, None, was="160000")) == ["submodule"]
    module = FileView(
        path=b"sub", old_mode=ABSENT, new_mode="160000", old_content=None, new_content=None
    )
    assert blocks(module) == ["submodule"]


def test_modes_that_no_honest_tree_has_are_refused():
    assert blocks(file("x", mode="100666")) == ["file_mode"]


def test_what_cannot_be_read_is_refused():
    unread = FileView(
        path=b"x", old_mode=ABSENT, new_mode="100644", old_content=None, new_content=None
    )
    assert blocks(unread) == ["unreadable"]


# ---------------------------------------------------------------- secrets


def test_d05_a_secret_is_found_in_content_path_message_and_author():
    assert blocks(file("a", TOKEN.encode())) == ["known_secret", "vendor_secret"]
    assert blocks(file(f"{CORE}.txt")) == ["known_secret"]
    assert blocks(message=f"Add {CORE[::-1]}") == ["known_secret"]
    assert blocks(author=f"alice <{CORE}@example.org>") == ["known_secret"]
    assert blocks(file("l", CORE.encode(), mode="120000"), rules=Rules(allow_links=("l",))) == [
        "known_secret"
    ]


def test_d05_a_finding_never_tells_the_secret():
    judged = verdict(file(f"a/{TOKEN}/b", TOKEN.encode()), message=TOKEN)
    told = repr(judged)
    for start in range(len(CORE) - 11):
        assert CORE[start : start + 12] not in told
    assert {found.detail for found in judged.blocks} >= {"forge token", "message: forge token"}
    assert judged.files == ("a/[secret removed]",)


def test_d05_a_secret_that_a_later_commit_takes_away_is_still_pushed():
    judged = gate.inspect(
        RULES,
        SECRETS,
        BASE,
        SECOND,
        [
            commit(file("a", CORE.encode())),
            commit(file("a", b"clean", CORE.encode()), sha=SECOND),
        ],
    )
    assert [found.rule for found in judged.blocks] == ["known_secret"]


def test_r45_what_only_looks_like_a_key_can_be_allowed_by_its_blob_and_a_known_one_never():
    lookalike = b"AKIA" + b"Q7RTZ2KWMX4BLC3V"
    (found,) = verdict(file("a", lookalike)).blocks
    assert found.detail.endswith(f", blob {gate.blob_id(lookalike)}")
    allowed = Rules(allow_blobs=(gate.blob_id(lookalike), gate.blob_id(TOKEN.encode())))
    assert blocks(file("a", lookalike), rules=allowed) == []
    assert blocks(file("a", TOKEN.encode()), rules=allowed) == ["known_secret"]


@pytest.mark.parametrize("comment", ["# gitleaks:allow", "# pragma: allowlist secret", "// nosec"])
def test_d07_no_comment_in_a_file_allows_anything(comment):
    hidden = file("a.py", f"x = '{CORE}'  {comment}\n".encode())
    assert blocks(hidden, file(".gitleaksignore", b"a.py:*\n")) == ["known_secret"]


def test_d08_attributes_and_nul_bytes_hide_nothing():
    hidden = file("a.env", b"\0\1" + CORE.encode())
    assert blocks(hidden, file("sub/.gitattributes", b"*.env -diff\n")) == ["known_secret"]


def test_d10_a_secret_that_was_there_before_does_not_block():
    old = b"key = " + TOKEN.encode()
    assert blocks(file("a", old + b"\nmore\n", old)) == []
    assert blocks(file("b", old), file("a", None, old)) == []  # moved
    assert blocks(file("a", old, b"other parent", known=(old,))) == []  # merged
    assert blocks(file(f"x/{TOKEN}", b"new", b"old")) == []  # its name was known
    assert blocks(file("b", old)) == ["known_secret", "vendor_secret"]


# ---------------------------------------------------------------- size


def test_r45_too_much_is_too_much():
    rules = Rules(max_files=2, max_added_lines=3, max_bytes=20)
    assert blocks(file("a"), file("b"), rules=rules) == []
    assert blocks(file("a"), file("b"), file("c"), rules=rules) == ["too_many_files"]
    assert blocks(file("a", b"1\n2\n3\n4\n"), rules=rules) == ["too_many_lines"]
    assert blocks(file("a", b"x" * 21), rules=rules) == ["too_many_bytes"]
    (found,) = verdict(file("a", b"x" * 2100), rules=rules).blocks
    assert found.detail == "2,100 > 20"


def test_r45_lines_are_counted_from_first_to_last_and_bytes_at_their_most():
    big = b"line\n" * 10
    judged = gate.inspect(
        Rules(max_bytes=49),
        SECRETS,
        BASE,
        SECOND,
        [
            commit(file("a", big, b"one\ntwo\n")),
            commit(file("a", b"two\nthree\n", big), sha=SECOND),
        ],
    )
    assert (judged.added, judged.removed) == (1, 1)
    assert [found.rule for found in judged.blocks] == ["too_many_bytes"]


def test_moved_lines_and_binary_files_add_no_lines():
    assert verdict(file("a", b"b\na\n", b"a\nb\n")).added == 0
    assert verdict(file("a", b"\0\n\n\n", b"")).added == 0


def test_what_is_far_too_much_is_not_even_searched():
    assert blocks(file("a", CORE.encode() * 9), rules=Rules(max_bytes=20)) == ["too_many_bytes"]


# ---------------------------------------------------------------- flags


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("package.json", "manifest"), ("sub/pyproject.toml", "manifest"),
        ("requirements-dev.txt", "manifest"), ("yarn.lock", "lock_file"),
        ("Makefile", "build_or_test"), ("tests/conftest.py", "build_or_test"),
        ("tsconfig.base.json", "build_or_test"), (".pre-commit-config.yaml", "checks"),
        (".circleci/config.yml", "checks"), ("docs/CODEOWNERS", "reviewers"),
        ("AGENTS.md", "agent_instructions"), ("sub/CLAUDE.md", "agent_instructions"),
        ("Dockerfile", "container"), (".devcontainer/devcontainer.json", "container"),
        (".vscode/tasks.json", "editor"), (".gitattributes", "git_settings"),
        (".github/FUNDING.yml", "forge_settings"),
    ],
)  # fmt: skip
def test_d04_files_that_decide_what_runs_are_flagged_but_pass(path, rule):
    judged = verdict(file(path))
    assert rule in [found.rule for found in judged.flags]
    assert judged.blocks == ()
    assert rule in flags(file(path, None, b"old"))


def test_d13_programs_binaries_and_large_files_are_flagged():
    assert flags(file("run.sh", mode="100755")) == ["executable"]
    assert flags(file("run.sh", b"a", b"a", mode="100755", was="100755")) == []
    assert flags(file("x.png", b"\x89PNG\0")) == ["binary"]
    assert flags(file("x.txt", b"x" * 500_001)) == ["large_file"]
    assert flags(file("src/a.py")) == []


def test_a_name_that_is_not_utf8_has_no_flag_and_is_blocked():
    judged = verdict(file(b"\xff/Makefile"))
    assert judged.flags == ()
    assert judged.files == ("\\xff/Makefile",)


# ---------------------------------------------------------------- at `record`


def test_r40_a_record_is_told_at_once_what_would_be_refused():
    found = gate.check_record(
        RULES, SECRETS, [file(".claude/x"), file("a", CORE.encode()), file("b")], f"Use {CORE}"
    )
    assert [(one.rule, one.path) for one in found] == [
        ("known_secret", ""),
        ("protected_path", ".claude/x"),
        ("known_secret", "a"),
    ]
    assert gate.check_record(RULES, SECRETS, [file("a")], "Add a") == ()
    assert [
        one.rule
        for one in gate.check_record(Rules(max_files=1), SECRETS, [file("a"), file("b")], "x")
    ] == ["too_many_files"]


@dataclass(frozen=True)
class LimitsOfARun:
    protected: tuple[str, ...] = ("x/**",)
    allow_links: tuple[str, ...] = ("l",)
    allow_blobs: tuple[str, ...] = ("l",)
    max_files: int = 1
    max_added_lines: int = 2
    max_bytes: int = 3
    timeout_s: int = 4


def test_rules_come_from_cells_toml_or_from_a_run_folder():
    rules = Rules.from_config(LimitsOfARun())
    assert rules == Rules(
        protected=("x/**",), allow_links=("l",), allow_blobs=("l",), max_files=1, max_added_lines=2, max_bytes=3
    )
    assert gate.check_record(LimitsOfARun(), SECRETS, [file("x/y", b"")], "m")


# ---------------------------------------------------------------- texts


def test_d05_titles_and_comments_are_looked_at_too():
    assert gate.contains_secret(f"see {CORE[4:20]}", SECRETS)
    assert gate.contains_secret("glpat-" + CORE[:20], Secrets())
    assert not gate.contains_secret("all is well \ud800", SECRETS)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("nothing here", "nothing here"),
        (f"token {TOKEN}, again {TOKEN}", "token [secret removed], again [secret removed]"),
        (f"part {CORE[3:18]} of it", "part [secret removed] of it"),
        (f"日本 {CORE} 語", "日本 [secret removed] 語"),
        ("other glpat-" + CORE[:22] + "!", "other [secret removed]!"),
        (f"broken {CORE[:9]} {CORE[9:]}", "broken [secret removed]"),
        (f"hex {CORE.encode().hex()}", "[this text was left out: it held a secret in disguise]"),
        (
            f"twice {CORE} and {CORE.encode().hex(':')}",
            "[this text was left out: it held a secret in disguise]",
        ),
    ],
)
def test_d05_secrets_are_taken_out_of_texts(text, left):
    assert gate.redact(text, SECRETS) == left


@given(
    st.lists(
        st.one_of(
            st.text(max_size=9),
            st.sampled_from([TOKEN, CORE[::-1], CORE[5:30], CORE.encode().hex()]),
        )
    )
)
def test_d05_a_redacted_text_tells_nothing(parts):
    assert not gate.contains_secret(gate.redact(" ".join(parts), SECRETS), SECRETS)


def test_d05_a_secret_in_a_title_or_a_comment_blocks_the_push_it_goes_with():
    texts = {"title": "Fine", "comment": f"See {CORE}"}
    judged = gate.inspect(RULES, SECRETS, BASE, FIRST, [commit(file("a"))], texts)
    assert [(found.rule, found.detail) for found in judged.blocks] == [
        ("known_secret", "comment: forge token")
    ]


def test_d05_no_text_of_a_run_keeps_a_secret():
    end = RunEnd(
        outcome=Outcome(
            kind="done",
            next="review",
            comment=f"see {CORE}",
            detail=CORE,
            fields=(("title", f"T {CORE}"),),
            usd=1.5,
        ),
        proof=None,
        ended_at=datetime(2026, 11, 30, tzinfo=UTC),
        records=("Add a", CORE),
        refusals=(f"{CORE}/x: a link",),
        sealed=FIRST,
    )
    safe = gate.redact_end(end, SECRETS)
    assert CORE[:12] not in repr(safe)
    assert safe.outcome.comment == "see [secret removed]"
    assert safe.records == ("Add a", "[secret removed]")
    assert (safe.outcome.next, safe.outcome.usd, safe.sealed) == ("review", 1.5, FIRST)
    assert gate.redact_end(safe, SECRETS) == safe


def test_every_rule_has_its_sentence():
    source = Path(gate.__file__).read_text("utf-8")
    rules = set(re.findall(r'rule="(\w+)"|\("(too_\w+)"', source))
    names = {a or b for a, b in rules} | {rule for rule, _ in FLAGS}
    assert len(names) > 20
    assert {f"gate_{name}" for name in names} <= set(SENTENCES)
    assert "削除" in gate.redact(TOKEN, SECRETS, "ja")
