"""The tables of cells.toml as frozen types: every key, its default and its plain limits.

What needs more than one key to judge stands in `config_rules`, reading the file in `config`.
Defaults that depend on other keys (marked "derived") are filled in by `config.load`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from agentcells.config_questions import Questions
from agentcells.protected import DEFAULT_PROTECTED

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
LONGEST_S = 14 * 86400
LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,60}[A-Za-z0-9_-])?(?:\[bot\])?\Z")
REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}/(?!\.{1,2}\Z|.*\.git\Z)[A-Za-z0-9_.-]{1,100}\Z")
CELL_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}\Z")
FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}\Z")
ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?\Z")


def wrong(key: str, **slots: object) -> PydanticCustomError:
    """A mistake in a value; `key` is a sentence of `agentcells.sentences` without its "config_"."""
    return PydanticCustomError("agentcells", "{key}", {"key": f"config_{key}", "slots": slots})


def _seconds(value: object) -> object:
    found = re.fullmatch(r"([0-9]{1,7})([smhd])", value) if isinstance(value, str) else None
    if found is None:
        raise wrong("duration")
    seconds = int(found[1]) * UNITS[found[2]]
    if not 0 < seconds <= LONGEST_S:
        raise wrong("duration_size")
    return seconds


def _words(value: object) -> object:
    """A command is a list of words: a shell's line would need a shell, and its quoting."""
    if isinstance(value, str):
        try:
            words = shlex.split(value)
        except ValueError:
            words = value.split()
        raise wrong("command_line", words="[" + ", ".join(f'"{word}"' for word in words) + "]")
    return value


def _matching(pattern: re.Pattern[str], key: str) -> AfterValidator:
    def check(value: str) -> str:
        if value and not pattern.match(value):
            raise wrong(key)
        return value

    return AfterValidator(check)


def _plain(value: str) -> str:
    if any(ord(char) < 32 or ord(char) == 127 for char in value):
        raise wrong("control_characters")
    return value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise wrong("blank")
    return value


def _host(value: str) -> str:
    if not HOST.match(value):
        raise wrong("host")
    return value


def _env_name(value: str) -> str:
    if not ENV_NAME.match(value):
        raise wrong("env_name")  # the value is not repeated: it may be NAME=secret
    return value


def _inside(value: str) -> str:
    if value.startswith(("/", "~")) or ".." in value.split("/") or value.strip("./") == "":
        raise wrong("keep_path")
    return value


def _readable(value: str) -> str:
    if not value.startswith(("/", "~/")) or ".." in value.split("/") or not value.strip("/~"):
        raise wrong("read_path")
    return value


def _field(value: str) -> str:
    if not FIELD_NAME.match(value) or value in ("next", "comment"):
        raise wrong("field_name")
    return value


def _token(value: object) -> object:
    if isinstance(value, str):
        raise wrong("token_literal")
    if isinstance(value, Mapping) and len([k for k in value if k in Token.model_fields]) != 1:
        raise wrong("token_one")
    return value


Text = Annotated[str, AfterValidator(_plain)]
Word = Annotated[Text, AfterValidator(_not_blank)]
Seconds = Annotated[int, BeforeValidator(_seconds)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]
AtOnce = Annotated[int, Field(ge=1, le=256)]  # each run is a model at work and hundreds of megabytes
Dollars = Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)]
Argv = Annotated[tuple[Word, ...], BeforeValidator(_words)]
Login = Annotated[Text, _matching(LOGIN, "login")]
Repo = Annotated[Word, _matching(REPO, "repo_name")]
Host = Annotated[str, AfterValidator(_host)]


class _Table(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )


class Factory(_Table):
    owner: Login = ""
    """The one person whose labels, assignment and words count."""
    bot: Login = ""
    """The account of the token; "" when the token is the owner's own."""
    label_prefix: Word = "ac:"
    """What all our labels begin with."""
    priority_label: Text = "p0"
    """Items with this label come first; "" for none."""
    parallel: AtOnce = 2
    """Runs at the same time, over all cells and repositories."""
    poll: Seconds = 600
    """How often a running coordinator looks at the forge when a slot is free."""
    tick_for: Seconds = 3600
    """How long after its start a tick still claims new runs."""
    on_reply: Text = ""
    """Gets the owner's words on `in-review`; "": the cell that opened the pull request."""
    on_checks_failed: Text = ""
    """Gets failed checks of the repository; "": as `on_reply`."""
    accept_email: bool = False
    """Take the owner's replies by e-mail as his words."""
    lease: bool = False
    """Several machines tick on the same repositories."""
    language: Literal["en", "ja"] = "en"
    """Of our own sentences."""
    timezone: Word = "UTC"
    """For times in sentences, and for where a day of `usd_per_day` begins."""


class Token(_Table):
    """Where the token comes from: exactly one of the three. Never the token itself."""

    command: Argv = ()
    file: Text = ""
    env: Annotated[Text, _matching(ENV_NAME, "env_name")] = ""


class Forge(_Table):
    kind: Literal["github", "gitea", "local"] = "github"
    repos: tuple[Repo, ...] = ()
    """The repositories, "owner/name"; all are read together."""
    path: Word = "forge"
    """Folder of the local forge, relative to cells.toml; absolute after load."""
    api_url: Text = ""
    """Derived for GitHub; a Gitea needs its own."""
    git_url: Text = ""
    """Derived: of GitHub, or what stands before /api/ in `api_url`."""
    ca_file: Text = ""
    """Certificate of a forge that has its own; relative to cells.toml, absolute after load."""
    token: Annotated[Token | None, BeforeValidator(_token)] = None
    """Derived for GitHub: what `gh auth token` prints. The local forge needs none."""


class Agent(_Table):
    command: Annotated[Argv, Field(min_length=1)] = ("claude",)
    env: tuple[Annotated[str, AfterValidator(_env_name)], ...] = (
        "ANTHROPIC_API_KEY",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
    )
    """Names of the variables that the model's login is taken from."""
    hosts: tuple[Host, ...] = ("api.anthropic.com",)
    """All that the agent's sandbox may reach."""
    door: Literal["bash", "mcp"] = "bash"
    network: Literal["inject", "connect"] = "inject"
    timeout: Seconds = 2700
    """Wall clock of a run."""
    stall: Seconds = 600
    """A run that says nothing for so long is ended."""
    max_turns: Count = 60
    max_usd: Dollars = 5.0
    """For one run."""


class Limits(_Table):
    usd_per_item: Dollars = 25.0
    usd_per_day: Dollars = 50.0
    runs_per_item: Count = 50


class Sandbox(_Table):
    read: tuple[Annotated[Text, AfterValidator(_readable)], ...] = ()
    """More read-only paths, e.g. a toolchain outside /usr; "~/" is made absolute at load."""
    hosts: tuple[Host, ...] = ()
    """What build and test may reach."""
    setup_hosts: tuple[Host, ...] = ()
    """What setup may reach."""
    containment: Literal["strong", "none"] = "strong"
    run_as: Text = ""
    """When started as root: the account that runs belong to; "": an id that is no account's."""
    max_processes: Annotated[int, Field(ge=16, le=1_000_000)] = 1_024
    """Processes and threads of one sandbox."""
    max_memory_mb: Annotated[int, Field(ge=64, le=100_000_000)] = 16_384
    """Data of each process. For all of them together the timer's unit has a limit."""
    max_file_mb: Count = 4_096
    """Size of each file that is written."""
    free_disk_mb: Annotated[int, Field(ge=0, le=100_000_000)] = 1_024
    """A run ends when less than this is left on the disk that it works on."""


class Commands(_Table):
    """The project's own commands, as lists of words; () is "not configured"."""

    setup: Argv = ()
    keep: tuple[Annotated[Word, AfterValidator(_inside)], ...] = ()
    """Folders that setup fills: cached, never imported."""
    build: Argv = ()
    test: Argv = ()
    timeout: Seconds = 900


class Notify(_Table):
    """How you are told outside the forge; nothing configured: not at all."""

    command: Argv = ()
    """Run for each notice: {text} in its words is the text, JSON comes on standard input."""
    url: Text = ""
    """A webhook that each notice is posted to."""
    url_from: Annotated[Token | None, BeforeValidator(_token)] = None
    """Instead of `url` where the address is a secret, as Slack's is."""
    kind: Literal["json", "slack", "ntfy"] = "json"
    """What the webhook understands."""
    token: Annotated[Token | None, BeforeValidator(_token)] = None
    """Sent as a bearer token, where the webhook wants one."""
    on: tuple[Literal["human", "limit", "failure"], ...] = ("human", "limit", "failure")
    """Told when you are needed, when a limit stops the factory, when a tick failed three times."""


class Records(_Table):
    delegate: bool = False


class Gate(_Table):
    protected: tuple[Word, ...] = DEFAULT_PROTECTED
    """No run may add, change, rename or delete these."""
    allow_links: tuple[Word, ...] = ()
    """Exact paths where a symlink may be new or changed."""
    allow_blobs: tuple[Annotated[str, _matching(re.compile(r"[0-9a-f]{40}\Z"), "blob")], ...] = ()
    """`git hash-object` of files that only look as if they held a secret. Known secrets are never allowed."""
    max_files: Count = 100
    max_added_lines: Count = 4000
    max_bytes: Annotated[int, Field(ge=1, le=1_000_000_000)] = 10_000_000
    """Of all new and changed files together."""


class Cell(_Table):
    name: Annotated[Text, _matching(CELL_NAME, "cell_name")] = ""
    on: Literal["issue", "pull_request", "factory"]
    label: Text = ""
    """Derived: prefix and name. A cell on "factory" has none."""
    prompt: Text = ""
    """Derived: prompts/<name>.md. Relative to cells.toml."""
    next: tuple[Word, ...] = ()
    """Where a run may send the item: cells, "done", "merge". "needs-human" is always offered too.

    Cells that are off are left out at load.
    """
    max_rounds: Count = 3
    parallel: AtOnce = 1
    """Runs of this cell at the same time in one repository."""
    model: Text = ""
    effort: Literal["", "low", "medium", "high", "xhigh", "max"] = ""
    writes: bool = False
    """Derived: a cell on issues that leads to a cell on pull requests writes files."""
    needs_record: bool = False
    """Derived like `writes`: goes on to pull requests only with something new recorded."""
    needs_test: bool | Literal["merged"] = False
    """Derived from `needs_record`: goes on only when the test passed on the sealed files."""
    merge: bool = False
    fields: tuple[Annotated[str, AfterValidator(_field)], ...] = ()
    """More fields of the answer, each a text; `sub_issues` is a list that the owner can have filed."""
    enabled: bool = True
    every: Annotated[int, BeforeValidator(_seconds)] | None = None
    """Of a cell on "factory": how often it is due."""
    unusual: bool = False
    """Of a cell on "factory": runs only when a figure of the line has left its usual range."""
    dry: bool = True
    """A cell that merges only says what it would merge."""
    paths: tuple[Word, ...] = ()
    """A cell that merges: globs that hold every changed path; none: nothing is merged by itself."""
    checks: tuple[Word, ...] = ("*",)
    """A cell that merges: each of these names (with `*` and `?`) must be of a check that has passed."""
    max_files: Count = 20
    max_lines: Count = 400
    prompt_text: str = ""
    """The prompt file's text; set by load."""


class Config(Questions, _Table):
    factory: Factory = Factory()
    forge: Forge = Forge()
    agent: Agent = Agent()
    limits: Limits = Limits()
    sandbox: Sandbox = Sandbox()
    commands: Commands = Commands()
    notify: Notify = Notify()
    records: Records = Records()
    gate: Gate = Gate()
    cells: tuple[Cell, ...] = Field(default=(), alias="cell")
    """The cells that are on, in the order of the file: the order of the flow (R13)."""
    off: tuple[Cell, ...] = ()
    """Those with `enabled = false`; set by load."""
    path: Path = Path("cells.toml")
    """cells.toml itself, absolute; set by load."""


TABLES: dict[str, type[_Table]] = {
    "factory": Factory,
    "forge": Forge,
    "agent": Agent,
    "limits": Limits,
    "sandbox": Sandbox,
    "commands": Commands,
    "notify": Notify,
    "records": Records,
    "gate": Gate,
}


def known_keys(path: tuple[str | int, ...]) -> tuple[str, ...]:
    """The keys that the table at `path` may have; () where there is no such table."""
    names = tuple(part for part in path if isinstance(part, str))
    if not names:
        return (*TABLES, "cell")
    lists: dict[tuple[str, ...], type[_Table]] = {
        ("cell",): Cell, ("forge", "token"): Token, ("notify", "token"): Token,
        ("notify", "url_from"): Token,
    }
    found = TABLES.get(names[0]) if len(names) == 1 and names[0] in TABLES else lists.get(names)
    return tuple(name for name in found.model_fields if name != "prompt_text") if found else ()
