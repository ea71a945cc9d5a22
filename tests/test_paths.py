"""Paths as the most forgiving file system reads them (R45, C09, D01)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcells import gate
from agentcells.model import Problem, Sha
from agentcells.paths import Globs, folded, is_gits_own, is_odd
from agentcells.run import CommitView, FileView
from agentcells.secrets import Secrets


@pytest.mark.parametrize(
    ("path", "seen"),
    [
        (".github/workflows/ci.yml", ".github/workflows/ci.yml"),
        (".GitHub/WorkFlows/CI.yml", ".github/workflows/ci.yml"),
        (".github./workflows . /ci.yml", ".github/workflows/ci.yml"),
        (".git\u200chub/work\u00adflows/ci.yml", ".github/workflows/ci.yml"),
        (".ｇｉｔｈｕｂ／workflows/ci.yml", ".github/workflows/ci.yml"),
        (".github\\workflows\\ci.yml", ".github/workflows/ci.yml"),
        (".claude::$INDEX_ALLOCATION/settings.json", ".claude/settings.json"),
        (".claude/ſettings", ".claude/settings"),
        ("cafe\u0301", "café"),
        ("../x", "../x"),
        ("a/./b", "a/./b"),
    ],
)
def test_d01_spellings_of_one_path_are_one(path, seen):
    assert folded(path.encode()) == seen


def test_c09_a_path_that_is_not_utf8_has_no_folded_form():
    assert folded(b"caf\xe9") is None
    assert folded("\ud800".encode("utf-8", "surrogatepass")) is None


@given(st.text(min_size=1))
def test_folding_is_idempotent_where_it_matters(path):
    once = folded(path.encode("utf-8", "replace"))
    again = folded(once.encode()) if once else once
    assert Globs.of(["**/.claude/**"]).first(once or "") == Globs.of(["**/.claude/**"]).first(
        again or ""
    )


@pytest.mark.parametrize(
    "path",
    [
        ".git",
        ".GIT/x",
        "a/.git /b",
        ".git./x",
        "git~1/config",
        "GIT~12",
        ".g\u200cit/x",
        ".git\\hooks",
        ".git:stream/x",
    ],
)
def test_c09_whatever_some_system_takes_for_gits_folder_is_seen(path):
    assert is_gits_own(folded(path.encode()) or "")


@pytest.mark.parametrize("path", [".gitignore", "git/x", ".github/x", "x.git", "git~x"])
def test_c09_other_names_with_git_in_them_are_free(path):
    assert not is_gits_own(folded(path.encode()) or "")


@pytest.mark.parametrize(
    "path",
    [
        "a\nb",
        "a\tb",
        "a\x1b[2J",
        "a\\b",
        "..",
        "a/../b",
        "a//b",
        "/a",
        "a/ /b",
        "x\u202egpj",
        "x\x7f",
        "a/...",
    ],
)
def test_c09_odd_names_are_told(path):
    assert is_odd(path.encode())


@pytest.mark.parametrize("path", ["a b.txt", "-x", ":(glob)", "日本語.md", "a.b/.c", "$(id)", "*"])
def test_c09_ordinary_names_are_not_odd(path):
    assert not is_odd(path.encode())


@pytest.mark.parametrize(
    ("pattern", "covered", "free"),
    [
        (
            ".claude/**",
            [".claude/a/b", ".claude", ".claude/x"],
            ["a/.claude/x", ".claudex", "x/.claude"],
        ),
        (
            "**/.claude/**",
            [".claude/x", "a/b/.claude/c", "a/.claude"],
            ["a.claude/x", ".claude2/x"],
        ),
        (
            ".github/workflows/**",
            [".github/workflows/ci.yml"],
            [".github/x", "a/.github/workflows/x"],
        ),
        ("**/action.yml", ["action.yml", "a/b/action.yml"], ["xaction.yml", "action.yml/x"]),
        ("CODEOWNERS", ["codeowners", "docs/codeowners"], ["codeowners2"]),
        ("/Makefile", ["makefile"], ["sub/makefile"]),
        ("infra/", ["infra/a", "infra/a/b", "infra"], ["infrastructure", "x/infra/a"]),
        ("*.tf", ["a.tf", "deep/b.tf"], ["a.tfx"]),
        ("src/*.py", ["src/a.py"], ["src/a/b.py", "a.py"]),
        ("src/**/x?.py", ["src/x1.py", "src/a/b/x2.py"], ["src/x.py", "src/x/.py"]),
        ("a**z", ["a/b/z", "az"], ["b/z"]),
        ("v[0-9].txt", ["v1.txt"], ["va.txt"]),
        ("v[!0-9].txt", ["va.txt"], ["v1.txt"]),
        ("v[]x].txt", ["v].txt", "vx.txt"], ["va.txt"]),
        ("v[a&&b]", ["v&", "va"], ["vc"]),
        ("v[.txt", ["v[.txt"], ["v.txt"]),
        ("ｄｏｃｓ/**", ["docs/x"], ["doc/x"]),
    ],
)
def test_r45_globs_cover_what_they_say(pattern, covered, free):
    globs = Globs.of(["nothing/at/all", pattern])
    for path in covered:
        assert globs.first(path) == pattern, path
    for path in free:
        assert globs.first(path) is None, path


# ---------------------------------------------------------------- no spelling dodges the list

PROTECTED = (".github/workflows/ci.yml", ".claude/settings.json", "deep/.husky/pre-commit", ".gitmodules")
INVISIBLE = ("", "\u200b", "\u00ad", "\ufeff", "\U000e0041", "\ufe0f", "\u2060")


@st.composite
def spelled(draw: st.DrawFn) -> bytes:
    """A protected path as some file system would still read it, or as no file system could."""
    parts = []
    for part in draw(st.sampled_from(PROTECTED)).split("/"):
        shown = "".join(_letter(draw, letter) for letter in part)
        parts.append(shown + draw(st.sampled_from(["", ".", " ", " . ", "...", ":x", "::$DATA"])))
    text = draw(st.sampled_from(["/", "\\"])).join(parts)
    raw = draw(st.sampled_from([text, unicodedata.normalize("NFD", text), unicodedata.normalize("NFKD", text)]))
    return raw.encode() + draw(st.sampled_from([b"", b"", b"\xff", b"\xc3"]))


def _letter(draw: st.DrawFn, letter: str) -> str:
    full_width = chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" else letter
    return draw(st.sampled_from(INVISIBLE)) + draw(
        st.sampled_from([letter, letter, letter.upper(), letter.title(), full_width])
    )


@given(spelled())
def test_d01_no_spelling_of_a_protected_path_is_cleared(path):
    view = FileView(path=path, old_mode="000000", new_mode="100644", old_content=None, new_content=b"x")
    sha = Sha("c" * 40)
    commit = CommitView(sha=sha, message="x", author="x <x@x>", files=(view,))
    judged = gate.inspect(gate.Rules(), Secrets.of({}), Sha("a" * 40), sha, [commit])
    assert gate.clear(judged) is None
    assert {found.rule for found in judged.blocks} & {"protected_path", "path_not_utf8"}


@pytest.mark.parametrize(("pattern", "key"), [
    ("[z-a]", "gate_glob_bad"), ("[Z-a]x", "gate_glob_bad"), ("conf./x", "gate_glob_never"),
    ("a:b", "gate_glob_never"), ("dir /**", "gate_glob_never"), ("a\\b", "gate_glob_never"),
    ("a\u200bb", "gate_glob_never"),
])
def test_r45_a_pattern_that_protects_nothing_is_refused(pattern, key):
    with pytest.raises(Problem) as caught:
        Globs.of([pattern])
    assert (caught.value.key, caught.value.slots["pattern"]) == (key, pattern)


@pytest.mark.parametrize("pattern", ["*.", "[a-z]./x", "..*", "conf.d/x", "**/", ".github/**", "/a"])
def test_r45_every_other_pattern_is_taken(pattern):
    assert Globs.of([pattern]).patterns
