"""`agentcells timer`: the units that start a tick every ten minutes, or a line for cron.

The units in systemd/ are filled in with the paths and times of this machine. Nothing is installed that
systemd itself does not find good.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentcells.around import in_crontab
from agentcells.config import Config, resource
from agentcells.emptying import passing_folder
from agentcells.model import Problem
from agentcells.sentences import say
from agentcells.store import state_folder, write_whole

Tell = Callable[[str], None]

GRACE_S = 900  # after tick_for and the time-out of a run (R19)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}\Z")
ENVIRONMENT = "~/.config/agentcells/environment"
CARRIED = ("AGENTCELLS_STATE", "XDG_STATE_HOME")  # where the state lies must not depend on who starts


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """Both files as they shall be, and where."""

    name: str
    folder: Path
    service: str
    timer: str

    @property
    def files(self) -> dict[Path, str]:
        return {
            self.folder / f"{self.name}.service": self.service,
            self.folder / f"{self.name}.timer": self.timer,
        }


def units(config: Config, name: str, environ: Mapping[str, str]) -> Units:
    """What `install` writes for this cells.toml. Raises Problem (exit 2)."""
    if not NAME.match(name):
        raise Problem("timer_name", exit_code=2, name=name)
    home = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Units(
        name=name, folder=home / "systemd" / "user", service=_service(config, environ),
        timer=resource("systemd/agentcells.timer").read_text(encoding="utf-8"),
    )


def longest_s(config: Config) -> int:
    """How long one tick may take in all."""
    return config.factory.tick_for + config.agent.timeout + GRACE_S


def _service(config: Config, environ: Mapping[str, str]) -> str:
    path = str(config.path)
    if any(ord(char) < 32 for char in path):
        raise Problem("timer_path", exit_code=2, path=repr(path))
    token = config.forge.token.env if config.forge.token is not None else ""
    wanted = {token, *config.agent.env}
    carried = {name: environ[name] for name in CARRIED if environ.get(name)}
    values = {
        "WorkingDirectory": str(config.path.parent).replace("%", "%%"),
        "ExecStart": " ".join(map(_quoted, command(config))),
        "TimeoutStartSec": f"{-(-longest_s(config) // 60)}min",
    }
    text = resource("systemd/agentcells.service").read_text(encoding="utf-8")
    for key, value in values.items():
        text = _set(text, key, value)
    lines = {"PATH": environ.get("PATH", os.defpath), **carried}
    given = "".join(f"Environment={_assigned(name, value)}\n" for name, value in lines.items())
    text = re.sub(r"(?m)^(?=EnvironmentFile=)", lambda _: given, text)
    return re.sub(r"(?m)^UnsetEnvironment=(.*)$", lambda found: _unset(found[1], wanted), text)


def _set(text: str, key: str, value: str) -> str:
    return re.sub(rf"(?m)^{key}=.*$", lambda _: f"{key}={value}", text)


def command(config: Config) -> list[str]:
    return [sys.executable, "-I", "-m", "agentcells", "tick", "--config", str(config.path)]


def _quoted(word: str) -> str:
    """A word of ExecStart: neither systemd's specifiers nor its variables are meant."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return escaped if re.fullmatch(r"[\w@%+=:,./-]+", escaped) else f'"{escaped}"'


def _assigned(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{name}={escaped}"'


def _unset(names: str, wanted: set[str]) -> str:
    return "UnsetEnvironment=" + " ".join(name for name in names.split() if name not in wanted)


def cron_line(config: Config, environ: Mapping[str, str]) -> str:
    """The same for `crontab -e`; there % is the end of the line."""
    state = state_folder(config.path)  # the shell opens the log before a first tick could make the folder
    carried = [f"{name}={shlex.quote(environ[name])}" for name in CARRIED if environ.get(name)]
    words = [
        "mkdir -p -m 700", shlex.quote(str(state)), "&&", "cd", shlex.quote(str(config.path.parent)), "&&",
        f"{{ set -a; [ ! -f {ENVIRONMENT} ] || . {ENVIRONMENT};",
        f"PATH={shlex.quote(environ.get('PATH', os.defpath))}", *carried,
        f"timeout {longest_s(config)}", shlex.join(command(config)) + ";", "}",
        f">>{shlex.quote(str(state / 'tick.log'))}", "2>&1",
    ]
    return "*/10 * * * * " + " ".join(words).replace("%", "\\%")


# ---------------------------------------------------------------- the commands


def install(config: Config, name: str, tell: Tell) -> None:
    """Write, verify, start. Run again, it brings the units up to date."""
    language = config.factory.language
    if not _manager():
        tell(say("timer_cron", language))
        tell(cron_line(config, os.environ))
        return
    wanted = units(config, name, os.environ)
    _demand_ours(wanted, config)
    verify(wanted)
    wanted.folder.mkdir(parents=True, exist_ok=True)
    for path, text in wanted.files.items():
        write_whole(path, text)
        tell(say("init_wrote", language, path=path))
    _systemctl("daemon-reload")
    _systemctl("enable", "--now", f"{name}.timer")
    tell(say("timer_started", language, name=name))
    _tell_environment(config, tell)
    if not lingers():
        tell(say("timer_linger", language))


def _demand_ours(wanted: Units, config: Config) -> None:
    """Another factory's units are not written over."""
    service = wanted.folder / f"{wanted.name}.service"
    if not service.exists():
        return
    mine = f"--config {_quoted(str(config.path))}"
    if mine not in service.read_text(encoding="utf-8", errors="replace"):
        raise Problem("timer_other", file=str(service), name=f"{wanted.name}-2")


def verify(wanted: Units) -> None:
    """Ask systemd. It says what is wrong on stderr and ends with 0 all the same."""
    program = shutil.which("systemd-analyze")
    if program is None:
        return
    with passing_folder("agentcells-units-") as folder:
        names = []
        for path, text in wanted.files.items():
            copy = folder / path.name
            copy.write_text(text, encoding="utf-8")
            names.append(str(copy))
        done = subprocess.run(
            [program, "--user", "verify", *names], capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, env={**os.environ, "XDG_RUNTIME_DIR": str(folder)},
        )
    if done.returncode or done.stderr.strip():
        raise Problem("timer_verify", detail=" ".join(done.stderr.split())[:500])


def show(config: Config, name: str, tell: Tell) -> None:
    """What is installed and when it comes next."""
    language = config.factory.language
    wanted = units(config, name, os.environ)
    there = [path for path in wanted.files if path.exists()]
    if not there:
        tell(say("timer_none", language, folder=wanted.folder))
        tell(say("timer_cron", language))
        tell(cron_line(config, os.environ))
    for path in there:
        same = path.read_text(encoding="utf-8", errors="replace") == wanted.files[path]
        tell(say("timer_same" if same else "timer_stale", language, path=path))
    if there and _manager():
        tell(_systemctl("list-timers", "--all", "--no-pager", f"{name}.timer").rstrip())
    _tell_environment(config, tell)


def remove(config: Config, name: str, tell: Tell) -> None:
    """Stop the timer and take the units away; a run that is at work goes on to its end."""
    language = config.factory.language
    if in_crontab(config):  # it is the owner's own file
        tell(say("timer_cron_left", language, path=config.path))
    wanted = units(config, name, os.environ)
    there = [path for path in wanted.files if path.exists()]
    if not there:
        tell(say("timer_none", language, folder=wanted.folder))
        return
    _demand_ours(wanted, config)
    if _manager():
        _systemctl("disable", "--now", f"{name}.timer")
    for path in there:
        path.unlink()
        tell(say("timer_removed", language, path=path))
    if _manager():
        _systemctl("daemon-reload")


def _tell_environment(config: Config, tell: Tell) -> None:
    """Which variables a timer must be given, and where."""
    token = config.forge.token.env if config.forge.token is not None else ""
    names = [name for name in (*config.agent.env, token) if name]
    if names:
        tell(say(
            "timer_environment", config.factory.language, file=ENVIRONMENT, names=", ".join(names)
        ))


# ---------------------------------------------------------------- systemd


def _manager() -> bool:
    """Whether this account has a systemd that answers."""
    if shutil.which("systemctl") is None:
        return False
    asked = subprocess.run(
        ["systemctl", "--user", "show-environment"], capture_output=True, check=False,
        stdin=subprocess.DEVNULL,
    )
    return asked.returncode == 0


def _systemctl(*words: str) -> str:
    done = subprocess.run(
        ["systemctl", "--user", *words], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode:
        detail = " ".join(done.stderr.split())[:500]
        raise Problem("timer_systemctl", words=" ".join(words), detail=detail)
    return done.stdout


def lingers() -> bool:
    """Without it a user's timers stand still while he is not logged in."""
    who = os.environ.get("USER") or os.environ.get("LOGNAME") or ""
    return bool(who) and Path("/var/lib/systemd/linger", who).exists()
