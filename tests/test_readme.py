"""README's path to a first real repository, walked word for word against a loopback GitHub.

What is put in: where that GitHub is (address and certificate), an agent with a script in the
model's place, and what a person types or pastes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.github_factory import BOT, REPO, GitHubFactory, factory
from tests.loopback.certificate import certificate as make_certificate

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).resolve().parent.parent
LOGIN = "ANTHROPIC_API_KEY=sk-ant-api03-" + "Zq7" * 30


def blocks(name: str, heading: str) -> list[str]:
    """The command blocks of one section, as they stand."""
    section = (ROOT / name).read_text(encoding="utf-8").split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


class Shell:
    """Blocks one after the other: folder and variables stay as a block leaves them."""

    def __init__(self, home: Path, state: Path | None = None) -> None:
        self.home, self.folder = home, home
        tools = home / "tools"
        tools.mkdir()
        (tools / "agentcells").symlink_to(Path(sys.executable).parent / "agentcells")
        self.env = {
            "HOME": str(home), "PATH": f"{tools}:{os.environ['PATH']}", "LANG": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        if state is not None:
            self.env["AGENTCELLS_STATE"] = str(state)

    def type(self, block: str, pasted: str = "") -> str:
        left = self.home / "left"
        script = f"set -e\n{block}\npwd >{left}.folder; env -0 >{left}.env\n"
        done = subprocess.run(
            ["bash", "-c", script], input=pasted, capture_output=True, text=True, check=False,
            cwd=self.folder, env=self.env, timeout=200,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        self.folder = Path(Path(f"{left}.folder").read_text().strip())
        pairs = Path(f"{left}.env").read_text().split("\0")
        self.env = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        return done.stdout


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def line(tmp_path: Path, certificate: tuple[Path, Path]) -> Iterator[GitHubFactory]:
    with factory(tmp_path, set_up=False, certificate=certificate) as made:
        yield made


def working_copy(line: GitHubFactory, home: Path) -> None:
    """~/game, cloned by its owner; his git knows the certificate and his token."""
    token = line.world.token("alice")
    address = line.server.url.replace("https://", f"https://x:{token}@")
    (home / ".gitconfig").write_text(
        f"[user]\n\tname = alice\n\temail = alice@users.invalid\n[http]\n\tsslCAInfo = {line.ca_file}\n"
    )
    subprocess.run(
        ["git", "clone", "-q", f"{address}/{REPO}.git", str(home / "game")], check=True,
        env={"HOME": str(home), "PATH": os.environ["PATH"]}, capture_output=True,
    )


def test_the_readmes_path_leads_to_a_pull_request_and_a_timer(
    line: GitHubFactory, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    working_copy(line, home)
    shell = Shell(home, line.state)
    token, login, setup, keep, first, timer, stop = blocks("README.md", "Your first repository")

    value = line.token_file.read_text().strip()
    shell.type(token, f"{value}\n")
    assert (home / ".config/agentcells/token").stat().st_mode & 0o777 == 0o600
    shell.type(login, f"{LOGIN}\n")
    assert shell.env["ANTHROPIC_API_KEY"] in LOGIN

    pointed = " ".join(line.pointed)
    there, init, check = setup.splitlines()
    shell.type(there)
    told = shell.type(f"{init} {pointed}")
    assert "ac:triage" in told
    assert "ac:triage" in line.world.label_names(REPO)
    cells = home / "game/cells.toml"
    line.token_file.unlink()
    line.play(cells=cells)
    checked = shell.type(check)
    assert "STOP" not in checked
    assert BOT in checked

    shell.type(keep)
    bare = line.world.hub.repo(REPO).bare
    assert bare.git("show", "main:.github/ISSUE_TEMPLATE/agentcells.yml")
    assert value not in bare.git("show", "main:cells.toml")

    number = line.file()  # by the form, which sets label and assignee
    dry, ticked = first.splitlines()
    planned = shell.type(dry)
    assert f"#{number}" in planned
    assert line.states(number) == {"triage"}
    shell.type(ticked)
    pull = line.pull()
    assert line.states(pull) == {"in-review"}
    assert line.item(pull)["assignees"] == ["alice"]
    assert f"#{number}" in shell.type(f"agentcells why {number}")

    told = shell.type(timer)
    assert "*/10 * * * * " in told, "no systemd of ours answers in a test"
    for command in stop.splitlines():
        shell.type(command)
    issue = line.file("Another")
    assert "stop" in shell.type(f"agentcells why {issue}").lower()
    shell.type("agentcells stop --resume")
    for path in (*line.state.rglob("*.log"), *line.state.rglob("*.json")):
        assert value not in path.read_text(errors="replace")


def test_both_languages_show_the_same_commands() -> None:
    english = blocks("README.md", "Your first repository")
    japanese = blocks("README.ja.md", "最初のリポジトリ")
    assert english == japanese
    tables = [
        (ROOT / name).read_text(encoding="utf-8").count("\n|") for name in ("README.md", "README.ja.md")
    ]
    assert tables[0] == tables[1]


def test_every_command_of_the_readme_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    words = set(re.findall(r"agentcells ([a-z]+)", text)) - {"does", "works", "writes", "turns", "will"}
    helped = subprocess.run(
        [sys.executable, "-m", "agentcells", "--help"], capture_output=True, text=True, check=True,
        env={**os.environ, "COLUMNS": "200"},
    ).stdout
    known = set(re.findall(r"^  ([a-z]+) ", helped, re.MULTILINE))
    assert words & known >= {"init", "check", "tick", "status", "why", "timer", "stop"}
    assert not {word for word in words - known if f"`agentcells {word}" in text}
