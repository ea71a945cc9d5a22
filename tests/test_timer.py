"""`agentcells timer`: units that systemd finds good, for any path; cron where there is no systemd."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from agentcells import timer
from agentcells.config import Config, load
from agentcells.model import Problem

CELLS = """[factory]
owner = "alice"
tick_for = "90m"

[forge]
kind = "local"
repos = ["alice/game"]
{forge}

[agent]
timeout = "20m"

[sandbox]
containment = "none"

[[cell]]
name = "triage"
on = "issue"
next = ["done"]
prompt = "triage.md"
"""


def config_in(folder: Path, forge: str = "") -> Config:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "triage.md").write_text("Look.")
    (folder / "cells.toml").write_text(CELLS.format(forge=forge))
    return load(folder / "cells.toml")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and a systemctl that notes what it was told."""
    home, tools = tmp_path / "home", tmp_path / "bin"
    home.mkdir()
    tools.mkdir()
    fake = tools / "systemctl"
    fake.write_text(
        "#!/bin/sh\n"
        f'echo "$@" >>{shlex.quote(str(tmp_path / "told"))}\n'
        'case "$*" in *list-timers*) echo "NEXT in 3 min";; esac\n'
        f"exit $(cat {shlex.quote(str(tmp_path / 'code'))} 2>/dev/null || echo 0)\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("AGENTCELLS_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    return tmp_path


def told(machine: Path) -> list[str]:
    return (machine / "told").read_text().splitlines()


def installed(machine: Path, name: str = "agentcells") -> tuple[Path, Path]:
    folder = machine / "home/.config/systemd/user"
    return folder / f"{name}.service", folder / f"{name}.timer"


# ---------------------------------------------------------------- the units


@pytest.mark.parametrize("name", ["plain", "with space", 'quo"te and \\ back', "100%n $HOME", "日本語"])
@pytest.mark.systemd
def test_systemd_has_nothing_against_the_units_whatever_the_path(machine: Path, name: str) -> None:
    config = config_in(machine / name)
    units = timer.units(config, "agentcells", {"HOME": "/home/a", "PATH": "/bin:/opt/100% $x"})
    timer.verify(units)
    broken = timer.Units(
        name="agentcells", folder=units.folder, timer=units.timer,
        service=units.service.replace("KillMode=control-group", "KillMode=gently"),
    )
    with pytest.raises(Problem) as raised:
        timer.verify(broken)
    assert "kill mode" in str(raised.value.slots["detail"])


def test_r19_the_unit_gives_a_tick_its_time_and_no_token_of_the_shell(machine: Path) -> None:
    config = config_in(machine / "factory", 'token = { env = "GITHUB_TOKEN" }')
    service = timer.units(config, "agentcells", {"HOME": "/home/a", "PATH": "/x/bin:/bin"}).service
    assert "TimeoutStartSec=125min" in service  # 90 + 20 + 15
    assert "SuccessExitStatus=75" in service
    assert 'Environment="PATH=/x/bin:/bin"' in service
    assert "EnvironmentFile=-%h/.config/agentcells/environment" in service
    (unset,) = [line for line in service.splitlines() if line.startswith("UnsetEnvironment=")]
    assert "GH_TOKEN" in unset
    assert "GITHUB_TOKEN" not in unset, "it is where this factory's token comes from"
    assert f"WorkingDirectory={machine / 'factory'}" in service
    assert service.count("ExecStart=") == service.count("TimeoutStartSec=") == 1


def test_a_state_folder_of_ones_own_is_the_timers_too(machine: Path) -> None:
    config = config_in(machine / "factory")
    given = {"HOME": "/home/a", "AGENTCELLS_STATE": "/var/my state"}
    service = timer.units(config, "agentcells", given).service
    assert 'Environment="AGENTCELLS_STATE=/var/my state"' in service


@pytest.mark.parametrize("name", ["", "a b", "../x", "-x", "a/b"])
def test_a_name_that_is_no_unit_is_refused(machine: Path, name: str) -> None:
    with pytest.raises(Problem) as raised:
        timer.units(config_in(machine / "factory"), name, {"HOME": "/home/a"})
    assert (raised.value.key, raised.value.exit_code) == ("timer_name", 2)


def test_a_path_with_a_line_break_is_refused(machine: Path) -> None:
    with pytest.raises(Problem) as raised:
        timer.units(config_in(machine / "a\nb"), "agentcells", {"HOME": "/home/a"})
    assert raised.value.key == "timer_path"


# ---------------------------------------------------------------- install, show, remove


def test_install_show_remove_leave_nothing_behind(machine: Path) -> None:
    config = config_in(machine / "factory", 'token = { env = "FORGE_TOKEN" }')
    said: list[str] = []
    timer.install(config, "agentcells", said.append)
    service, clock = installed(machine)
    assert service.exists()
    assert clock.exists()
    assert told(machine)[1:] == ["--user daemon-reload", "--user enable --now agentcells.timer"]
    assert any("FORGE_TOKEN" in line and "~/.config/agentcells/environment" in line for line in said)

    said.clear()
    timer.show(config, "agentcells", said.append)
    assert "NEXT in 3 min" in said
    assert len([line for line in said if line.endswith(": installed")]) == 2

    config = config_in(machine / "factory")
    service.write_text(service.read_text() + "# by hand\n")
    said.clear()
    timer.show(config, "agentcells", said.append)
    assert len([line for line in said if "brings it up to date" in line]) == 1

    timer.remove(config, "agentcells", said.append)
    assert list(service.parent.iterdir()) == []
    assert "--user disable --now agentcells.timer" in told(machine)
    said.clear()
    timer.remove(config, "agentcells", said.append)
    assert "No timer of this factory" in said[0]


def test_remove_names_the_line_for_cron_that_would_still_start_ticks(machine: Path) -> None:
    """`install` gave it where no systemd answers; it stands in the owner's own file."""
    config = config_in(machine / "factory")
    crontab = machine / "bin" / "crontab"
    said: list[str] = []
    for line, left in ((timer.cron_line(config, os.environ), True), ("#" + timer.cron_line(config, os.environ), False),
                       ("0 1 * * * backup", False)):
        (machine / "crontab").write_text(line + "\n")
        crontab.write_text(f"#!/bin/sh\ncat {shlex.quote(str(machine / 'crontab'))}\n")
        crontab.chmod(0o755)
        said.clear()
        timer.remove(config, "agentcells", said.append)
        assert any("crontab -e" in one for one in said) == left, line


def test_another_factorys_timer_is_left_as_it_is(machine: Path) -> None:
    first, second = config_in(machine / "one"), config_in(machine / "two")
    timer.install(first, "agentcells", print)
    before = installed(machine)[0].read_text()
    for act in (timer.install, timer.remove):
        with pytest.raises(Problem) as raised:
            act(second, "agentcells", print)
        assert raised.value.key == "timer_other"
    assert installed(machine)[0].read_text() == before
    timer.install(second, "agentcells-2", print)
    assert str(machine / "two") in installed(machine, "agentcells-2")[0].read_text()


def test_what_systemctl_refuses_is_one_sentence(machine: Path) -> None:
    config = config_in(machine / "factory")
    timer.install(config, "agentcells", print)
    fake = machine / "bin/systemctl"
    fake.write_text("#!/bin/sh\ncase \"$*\" in *show-env*) exit 0;; esac\necho no such bus >&2\nexit 1\n")
    with pytest.raises(Problem) as raised:
        timer.remove(config, "agentcells", print)
    assert raised.value.slots["detail"] == "no such bus"


# ---------------------------------------------------------------- cron


@pytest.mark.parametrize("folder", ["plain", "it's 100% $HOME \"odd\""])
def test_without_systemd_a_line_for_cron_does_the_same(machine: Path, folder: str) -> None:
    """cron turns % into line ends unless it is escaped, and hands the rest to sh."""
    (machine / "code").write_text("1")
    config = config_in(machine / folder)
    said: list[str] = []
    timer.install(config, "agentcells", said.append)
    assert not installed(machine)[0].exists()
    line = said[-1]
    assert line.startswith("*/10 * * * * ")
    assert "\n" not in line
    environment = machine / "home/.config/agentcells/environment"
    environment.parent.mkdir(parents=True)
    environment.write_text("MODEL_KEY=a key\n".replace("a key", "'a key'"))
    stand_in = machine / "python"
    stand_in.write_text('#!/bin/sh\nprintf "%s|" "$MODEL_KEY" "$PWD" "$@"\n')
    stand_in.chmod(0o755)
    words = line.removeprefix("*/10 * * * * ").replace("\\%", "%")
    words = words.replace(shlex.quote(sys.executable), shlex.quote(str(stand_in)))
    done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    log = (machine / "state/tick.log").read_text().split("|")
    assert log[:2] == ["a key", str(machine / folder)]
    assert log[2:-1] == timer.command(config)[1:]
    assert "timeout 7500" in words


def test_the_command_is_mounted_and_speaks_the_language_of_cells_toml(machine: Path) -> None:
    config = config_in(machine / "factory")
    text = config.path.read_text().replace('tick_for = "90m"', 'language = "ja"')
    config.path.write_text(text)
    (machine / "code").write_text("1")
    done = subprocess.run(
        [sys.executable, "-I", "-m", "agentcells", "timer", "show", "--config", str(config.path)],
        capture_output=True, text=True, check=False, cwd="/",
    )
    assert done.returncode == 0, done.stderr
    assert "タイマーはありません" in done.stdout
    assert json.dumps(str(config.path))[1:-1] in done.stdout
