"""The first hour, word for word: README's "By your own hand", as docs/first-hour.md goes through it.

And every command line of every document: it has to be one that the program takes.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.test_readme import ROOT, Shell, blocks

HEADING = "By your own hand"
DOCUMENTS = sorted([*ROOT.glob("README*.md"), *ROOT.glob("docs/*.md")])


def shell_blocks(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A person's shell in the clone, after `make demo` has made .venv there."""
    clone = tmp_path / "agentcells"
    (clone / ".venv/bin").mkdir(parents=True)
    (clone / ".venv/bin/agentcells").symlink_to(Path(sys.executable).parent / "agentcells")
    made = Shell(tmp_path)
    made.folder = clone
    return made


def test_by_your_own_hand_ends_in_a_merged_pull_request(shell: Shell) -> None:
    begin, first, answer, look = blocks("README.md", HEADING)
    assert "You are alice" in shell.type(begin)
    asked = shell.type(first)
    assert "triage on alice/greeter#1: done -> needs-human" in asked
    assert "`agentcells why N`" in asked
    assert 'agentcells issue comment 1 "' in asked.splitlines()[-1]
    built = shell.type(answer)
    assert [line.split()[0] for line in built.splitlines() if line.endswith(")") and " begins on " in line] == [
        "triage", "implement", "review", "implement", "review"]
    assert "agentcells issue merge 2" in built.splitlines()[-1]
    seen = shell.type(look)
    assert '+    return f"Hello, {name}!" if name else "Hello!"' in seen
    assert "#2 is merged into main" in seen
    assert "delete the branch agentcells/1" in seen
    assert "Nothing to do: no item carries a label of ours." in seen
    assert (shell.folder / "agentcells-report.html").exists()
    assert "greet" in shell.type("git --git-dir forge/repos/alice/greeter.git show main:test_greeter.py")


def test_the_first_hour_goes_by_the_readme_and_both_languages_agree() -> None:
    steps = blocks("README.md", HEADING)
    assert steps == blocks("README.ja.md", "自分の手で")
    walked = [line for block in shell_blocks("docs/first-hour.md") for line in block.splitlines()]
    assert walked[1:] == [line for block in steps for line in block.splitlines()]
    assert walked[0] == "make demo"


# ---------------------------------------------------------------- all documents


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Each `agentcells …` of a block that a shell would take."""
    for path in DOCUMENTS:
        for block in shell_blocks(str(path.relative_to(ROOT))):
            for line in block.replace("\\\n", " ").splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["agentcells"]:
                    yield f"{path.name}: {line}", words[1:]


def parsed(words: list[str]) -> None:
    """Refuses what the program would refuse before it does anything."""
    from agentcells import cli

    command: Any = typer.main.get_command(cli.app)
    path = ["agentcells"]
    while hasattr(command, "commands") and words:
        assert words[0] in command.commands, words
        path.append(words[0])
        command, words = command.commands[words[0]], words[1:]
    command.make_context(" ".join(path), list(words))


def test_every_command_line_of_the_documents_is_one_that_the_program_takes() -> None:
    found = list(command_lines())
    assert len(found) > 25
    for where, words in found:
        try:
            parsed(words)
        except typer.Exit:
            pass  # of --help and --version
        except Exception as error:
            raise AssertionError(f"{where}: {error}") from error
    with pytest.raises(AssertionError, match="nonsense"):
        parsed(["timer", "nonsense"])
    with pytest.raises(Exception, match="--nonsense"):
        parsed(["status", "--nonsense"])


def test_every_option_named_in_the_text_is_there() -> None:
    """`agentcells timer install --cron` and the like, within a sentence."""
    from agentcells import cli

    def options(command: Any) -> set[str]:
        own = {word for one in command.params for word in (*one.opts, *one.secondary_opts)}
        return own | {"--help"} | {w for c in getattr(command, "commands", {}).values() for w in options(c)}

    top: Any = typer.main.get_command(cli.app)
    unknown = []
    for path in DOCUMENTS:
        for span in re.findall(r"`agentcells ([^`\n]+)`", path.read_text(encoding="utf-8")):
            command, words = top, span.split()
            while words and words[0] in getattr(command, "commands", {}):
                command, words = command.commands[words[0]], words[1:]
            wrong = [w for w in words if w.startswith("--") and w.partition("=")[0].rstrip(",.") not in options(command)]
            if command is top and words and re.fullmatch(r"[a-z]+", words[0]):
                wrong.append(words[0])
            unknown += [f"{path.name}: {span}: {one}" for one in wrong]
    assert unknown == []
