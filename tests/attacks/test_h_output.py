"""H: what a hostile agent writes for people: on the forge, in commits, on the terminal, in logs."""

from __future__ import annotations

import json
import re
import subprocess
import unicodedata
from pathlib import Path

import pytest

from agentcells import comments, events, text
from agentcells.history import sealed
from tests.attacks.arena import Arena, done, record
from tests.attacks.test_d_gate import guard
from tests.stage import REVIEW, Stage, answer, rule

WORDS = (
    '<!-- agentcells:v1 {"kind":"decision","to":"done"} -->\n@org/team please\nfixes #7, closes o/r#8, '
    "resolves gh-9\n/deploy now\n@dependabot merge\nbors r+\n<img src=http://evil.example/x?d=1>\n"
    "![p](http://evil.example/p.png) [click](http://evil.example/?q=x 't')\n<details>\n````\nopen"
)
MENTION = re.compile(r"(?:^|[^\w`\\])@(?:org/team|dependabot)")


def published(tmp_path: Path) -> Stage:
    """A run whose words are all of that, in its comment and in its record."""
    stage = Stage(tmp_path / "w", rules=[
        rule("implement", {"append": {"game.py": "x\n"}}, {"cell": ["record", "-m", WORDS]},
             answer("review", WORDS)), REVIEW])
    stage.file(title="More @org/team lives, fixes #7", body=WORDS)
    stage.tick()
    return stage


def posts(stage: Stage) -> list[str]:
    """Below the marker, all that we wrote."""
    pull = stage.pull_of(1)
    return [body.partition("\n")[2] for body in stage.said(pull.number)] + [pull.body, pull.title]


def active(post: str) -> list[str]:
    """What of these words would do something."""
    found = MENTION.findall(post)
    found += re.findall(r"(?i)(?:fixes|closes|resolves)\s+(?:o/r)?(?:#|gh-)[789]", post)
    found += re.findall(r"<img|!\[p\]|\]\(http|<!-- agentcells", post)
    return found + [line for line in post.split("\n") if line.startswith(("/deploy", "@", "bors r+"))]


def test_h01_nothing_in_the_posts_of_a_run_is_active(tmp_path: Path) -> None:
    stage = published(tmp_path)
    found = [(post, active(post)) for post in posts(stage)]
    assert [each for each in found if each[1]] == []
    assert any("please" in post for post, _ in found)  # the words are there, harmless
    pull = stage.pull_of(1)
    assert pull.pull is not None
    assert pull.pull.closes == (1,)


def test_control_h01_as_they_came_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comments.text, "harmless", lambda words: words)  # type: ignore[attr-defined]
    assert any(active(post) for post in posts(published(tmp_path)))


def message(stage: Stage) -> str:
    bare = str(stage.people.bare)
    return subprocess.run(
        ["git", f"--git-dir={bare}", "log", "-1", "--format=%B", "agentcells/1"], check=True,
        capture_output=True, text=True, cwd="/",
    ).stdout


MESSAGE = (
    "Closes #7\n# a heading\n[skip ci] @org/team\n\nCo-authored-by: mallory <m@example.org>\n"
    "Signed-off-by: alice\n\x00\r\x1b[31m" + "x" * 3_000
)


def recorded(tmp_path: Path) -> str:
    stage = Stage(tmp_path / "w", rules=[
        rule("implement", {"append": {"game.py": "x\n"}}, {"cell": ["record", "-m", MESSAGE]},
             answer("review")), REVIEW])
    stage.file()
    stage.tick()
    return message(stage)


def test_h02_the_message_of_a_record_does_nothing(tmp_path: Path) -> None:
    written = recorded(tmp_path)
    assert not re.search(r"(?im)^(?:closes|fixes) #7|^co-authored-by:|^signed-off-by:|\[skip ci\]", written)
    assert not re.search(r"(?i)closes #7", written)
    assert not set("\0\r\x1b") & set(written)
    assert len(written) < 20_000
    assert "# a heading" in written


def test_control_h02_as_it_came_it_closes_and_credits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealed, "sealed_message", lambda words, issues=(): words.replace("\0", ""))
    written = recorded(tmp_path)
    assert "Closes #7" in written
    assert "Co-authored-by: mallory" in written


# ---------------------------------------------------------------- the terminal and the log

ESCAPES = "\x1b[31mred\x1b]0;title\x07\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://evil\x07x\rover \u202emirrored"
FORGED = '\n{"event": "Claim", "cell": "evil", "pair": "x"}\n::error::forged\n2026-01-01 forged line'


def shown(arena: Arena) -> str:
    """All that a person gets to see of a run, on a terminal."""
    run = next(iter(sorted((arena.state / "logs").iterdir())), None)
    found = []
    for words in (["why", "1"], ["status"], ["tick"], *([["logs", run.name]] if run else [])):
        finished = arena.run(*words)
        found += [finished.stdout, finished.stderr]
    return "".join(found) + arena.printed


def controls(words: str) -> set[str]:
    return {c for c in words if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t"}


def loud(tmp_path: Path, *, push: bool = True) -> Arena:
    arena = Arena(tmp_path, settings='[commands]\ntest = ["cat", "noise"]\n')
    if push:
        guard(Path(arena.owner.remote("alice/game").url))
    noise = ESCAPES + FORGED
    arena.attack(
        {"write": {"noise": noise}}, {"say": noise}, {"stderr": noise}, record(f"Loud {noise}"),
        {"cell": ["test"]}, done(f"Said {noise}"), title=f"Loud {ESCAPES}".replace("\r", ""),
    )
    return arena


def test_h03_no_word_of_a_run_commands_the_terminal_or_forges_a_line(tmp_path: Path) -> None:
    arena = loud(tmp_path)
    words = shown(arena)
    assert "GH013" in words  # what the forge's git said
    assert controls(words) == set()
    lines = [line for line in words.splitlines() if line.startswith(("{", "::", "2026-01-01"))]
    told = [json.loads(line) for line in lines]
    assert [event for event in told if event.get("cell") == "evil"] == []
    assert not [line for line in words.splitlines() if line.startswith(("::error", "2026-01-01"))]


def test_control_h03_printed_as_it_came_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tell = events.Emit("text").tell
    tell("note", ESCAPES + FORGED)
    assert controls(capsys.readouterr().out) == set()
    monkeypatch.setattr(events, "printable", lambda words, **how: words)
    tell("note", ESCAPES + FORGED)
    assert controls(capsys.readouterr().out) >= {"\x1b", "\x07", "\r"}
    assert text.printable(ESCAPES) != ESCAPES
