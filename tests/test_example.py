"""What a user starts from: example configuration, prompts, units, and the wheel with them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import tomli

from agentcells import config
from agentcells.config_model import TABLES, known_keys

ROOT = Path(__file__).resolve().parent.parent
PROMPTS = ("triage", "design", "implement", "review", "automerge", "bottleneck")


def test_the_example_loads_with_the_line_that_the_documentation_tells():
    example = config.load(ROOT / "cells.toml")
    assert [(cell.name, cell.on, cell.next) for cell in example.cells] == [
        ("triage", "issue", ("implement",)),
        ("implement", "issue", ("review",)),
        ("review", "pull_request", ("implement", "done")),
    ]
    assert [cell.name for cell in example.off] == ["design", "automerge", "bottleneck"]
    assert example.off[1].dry
    assert [cell.writes for cell in example.cells] == [False, True, False]
    assert example.forge.kind == "github"


def test_the_example_loads_with_every_cell_on(tmp_path):
    shutil.copytree(ROOT / "prompts", tmp_path / "prompts")
    text = (ROOT / "cells.toml").read_text().replace("enabled = false", "enabled = true")
    (tmp_path / "cells.toml").write_text(text)
    assert [cell.name for cell in config.load(tmp_path / "cells.toml").cells] == list(PROMPTS)


def test_what_the_example_shows_as_defaults_are_the_defaults(tmp_path):
    """Each commented-out value, put in force, changes nothing; those that show a form aside."""
    shutil.copytree(ROOT / "prompts", tmp_path / "prompts")
    text = (ROOT / "cells.toml").read_text()
    before = config.load(ROOT / "cells.toml")
    forms = ("setup", "keep", "build", "test", "protected", "model", "effort", "url_from", "token")
    shown = re.sub(rf"^# (?!(?:{'|'.join(forms)}) )([a-z_]+ = )", r"\1", text, flags=re.MULTILINE)
    assert shown.count("\n#") < text.count("\n#") - 30
    # what is derived from a test command needs one: without it needs_test = true is a mistake
    (tmp_path / "cells.toml").write_text(shown.replace("needs_test = true", "# needs_test"))
    after = config.load(tmp_path / "cells.toml")
    assert config.effective(after).replace(str(tmp_path), "") == config.effective(before).replace(
        str(ROOT), ""
    )


def test_the_example_names_every_key_there_is():
    text = (ROOT / "cells.toml").read_text()
    for table in TABLES:
        section = text.split(f"[{table}]")[1].split("\n[")[0]
        for key in known_keys((table,)):
            assert re.search(rf"^(# )?{key} = ", section, re.MULTILINE), f"{table}.{key}"
    cells = text.split("[[cell]]", 1)[1]
    for key in known_keys(("cell", 0)):
        assert re.search(rf"^(# )?{key} = ", cells, re.MULTILINE), f"cell.{key}"


@pytest.mark.parametrize("name", PROMPTS)
def test_each_prompt_reads_like_a_brief(name):
    text = (ROOT / "prompts" / f"{name}.md").read_text()
    assert "CLAUDE.md" in text
    assert "AGENTS.md" in text
    assert "phone" in text
    assert "language" in text
    assert len(text) < 4000
    assert not re.search(
        r"\b(git|commit|branch(es)? and|push|rebase|checkout)\b", text, re.IGNORECASE
    )


@pytest.mark.parametrize("name", ["triage", "design", "implement", "review"])
def test_cells_that_work_on_items_know_when_to_ask_and_how_to_look(name):
    text = (ROOT / "prompts" / f"{name}.md").read_text()
    assert "`needs-human`" in text
    assert re.search(r"agentcells cell (observe|diff)", text)


def test_prompts_name_only_verbs_that_exist():
    verbs = {"observe", "status", "diff", "history", "record", "remove", "build", "test"}
    for name in PROMPTS:
        text = (ROOT / "prompts" / f"{name}.md").read_text()
        assert set(re.findall(r"agentcells cell (\w+)", text)) <= verbs


def test_a_resource_of_a_checkout_is_the_file_itself():
    assert config.resource("cells.toml").read_text(encoding="utf-8").startswith("# The factory's")
    assert config.resource("systemd/agentcells.timer").is_file()
    assert sorted(file.name for file in config.resource("prompts").iterdir()) == sorted(
        f"{name}.md" for name in PROMPTS
    )


def test_an_installed_wheel_carries_what_a_user_starts_from(tmp_path):
    source = tmp_path / "source"
    names = ["pyproject.toml", "README.md", "LICENSE", "cells.toml"]
    for folder in ("agentcells", "prompts", "systemd", ".ci"):
        shutil.copytree(
            ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__", "npm")
        )
    for name in names:
        shutil.copy(ROOT / name, source / name)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=source, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("agentcells-*.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    told = subprocess.run(
        [sys.executable, "-c", "from agentcells.config import load, resource\n"
         "from importlib.resources import as_file\n"
         "with as_file(resource('cells.toml')) as path: print(load(path).path)\n"
         "print(resource('systemd/agentcells.service').is_file())"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")}, cwd=tmp_path,
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert told.stdout.split() == [str(tmp_path / "site/agentcells/data/cells.toml"), "True"]


def test_r19_the_units_give_a_tick_its_time_and_take_75_for_success():
    service = (ROOT / "systemd" / "agentcells.service").read_text()
    example = config.load(ROOT / "cells.toml")
    minutes = (example.factory.tick_for + example.agent.timeout) // 60 + 15
    assert f"TimeoutStartSec={minutes}min" in service
    assert "SuccessExitStatus=75" in service
    assert "KillMode=control-group" in service
    assert "RestrictNamespaces=" not in service  # it would take the sandboxes away
    assert "OnCalendar=*:0/10" in (ROOT / "systemd" / "agentcells.timer").read_text()


def test_the_lock_names_no_address_and_pins_every_package_with_hashes():
    for name in ("requirements.lock", "requirements-dev.lock"):
        text = (ROOT / name).read_text()
        assert "://" not in text
        assert "--index" not in text
        packages = re.findall(
            r"^([a-z0-9._-]+)(?:\[\w+\])?==(\S+)(.*?)(?=^[a-z]|\Z)", text, re.M | re.S
        )
        assert len(packages) == len(re.findall(r"^[a-z]", text, re.MULTILINE))
        assert all("--hash=sha256:" in rest for _, _, rest in packages)


def test_the_lock_holds_what_the_project_asks_for():
    project = tomli.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [re.split(r"[\[><=]", line)[0].lower() for line in project["dependencies"]]
    run, dev = (
        (ROOT / name).read_text() for name in ("requirements.lock", "requirements-dev.lock")
    )
    pins = re.findall(r"^([a-z0-9._-]+)\S*?==\S+", run, re.MULTILINE)
    assert set(wanted) <= set(pins)
    for line in re.findall(r"^\S+==\S+", run, re.MULTILINE):
        assert f"\n{line} " in f"\n{dev}"  # the same versions in both
