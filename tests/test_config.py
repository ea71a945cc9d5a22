"""Stories about cells.toml: what a person writes, and what agentcells makes of it or says about it."""


from __future__ import annotations

import json
import os
import string
import textwrap
import zoneinfo
from pathlib import Path

import pytest
import tomli
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentcells import config as room
from agentcells import config_rules
from agentcells.config import Config, load
from agentcells.config_model import TABLES, known_keys
from agentcells.model import Problem
from agentcells.sentences import SENTENCES, say
from agentcells.toml_lines import lines

TOP = """\
[factory]
owner = "alice"
[forge]
kind = "local"
repos = ["alice/game"]
"""
FLOW = """\
[[cell]]
name = "triage"
on = "issue"
next = ["implement"]
[[cell]]
name = "implement"
on = "issue"
next = ["review"]
[[cell]]
name = "review"
on = "pull_request"
next = ["implement", "done"]
"""
GOOD = TOP + FLOW


@pytest.fixture
def folder(tmp_path):
    """A folder with a prompt for each of the usual cells."""
    (tmp_path / "prompts").mkdir()
    for name in ("triage", "implement", "review", "automerge", "bottleneck", "design"):
        (tmp_path / "prompts" / f"{name}.md").write_text(f"You are {name}.\n")
    return tmp_path


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "cells.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def told(path: Path, language: str = "en") -> str:
    """What a person reads about the mistakes in this file."""
    with pytest.raises(Problem) as caught:
        load(path)
    assert caught.value.exit_code == 2
    return say(caught.value.key, language, **caught.value.slots)


# ---------------------------------------------------------------- what a good file gives


def test_a_short_file_gets_the_documented_defaults(folder):
    config = load(written(folder, GOOD))
    assert (config.factory.poll, config.factory.tick_for) == (600, 3600)
    assert (config.agent.timeout, config.agent.stall, config.commands.timeout) == (2700, 600, 900)
    assert config.limits.usd_per_day == 50.0
    assert config.sandbox.containment == "strong"
    assert config.path == folder / "cells.toml"
    assert config.forge.path == str(folder / "forge")
    assert ".github/workflows/**" in config.gate.protected


def test_github_gets_its_addresses_and_the_token_of_gh(folder):
    config = load(written(folder, GOOD.replace('"local"', '"github"')))
    assert config.forge.api_url == "https://api.github.com/graphql"
    assert config.forge.git_url == "https://github.com"
    assert config.forge.token is not None
    assert config.forge.token.command == ("gh", "auth", "token")


def test_a_gitea_is_pushed_to_where_its_api_stands(folder):
    gitea = '"gitea"\napi_url = "https://git.example/x/api/v1"\ntoken = { env = "T" }'
    config = load(written(folder, GOOD.replace('"local"', gitea)))
    assert config.forge.git_url == "https://git.example/x"


def test_r8_a_cell_that_hands_over_to_pull_requests_writes_and_needs_a_record(folder):
    config = load(written(folder, GOOD + '[commands]\ntest = ["npm", "test"]\n'))
    by_name = {cell.name: cell for cell in config.cells}
    assert [(c.writes, c.needs_record, c.needs_test) for c in config.cells] == [
        (False, False, False),
        (True, True, True),
        (False, False, False),
    ]
    assert by_name["implement"].prompt_text == "You are implement.\n"


def test_r8_without_a_test_command_nothing_waits_for_a_test(folder):
    config = load(written(folder, GOOD))
    assert not any(cell.needs_test for cell in config.cells)


def test_written_values_stand_over_the_derived_ones(folder):
    text = GOOD.replace('next = ["review"]', 'next = ["review"]\nneeds_record = false\nlabel = "ac:do-it"')
    cell = load(written(folder, text)).cell("implement")
    assert cell is not None
    assert (cell.needs_record, cell.writes, cell.label) == (False, True, "ac:do-it")


def test_states_and_labels_are_each_others_inverse(folder):
    text = GOOD.replace('next = ["review"]', 'next = ["review"]\nlabel = "ac:do-it"')
    config = load(written(folder, text))
    for state in ("triage", "implement", "review", "needs-human", "in-review", "working", "hold"):
        assert config.state(config.label(state)) == state
    assert config.label("implement") == "ac:do-it"
    assert config.state("AC:Needs-Human") == "needs-human"  # forges compare without case
    assert config.state("bug") is None
    assert config.state("ac:old") == "old"  # of our prefix, with no cell behind it
    assert config.cell_of_label("old") is None
    assert config.cell_of_label("implement") is config.cell("implement")


def test_a_cell_that_is_off_stands_apart_and_nothing_leads_to_it(folder):
    text = GOOD.replace('"implement", "done"', '"implement", "automerge", "done"') + textwrap.dedent("""\
        [[cell]]
        name = "automerge"
        on = "pull_request"
        next = ["merge"]
        merge = true
        enabled = false
        """)
    config = load(written(folder, text))
    assert [cell.name for cell in config.cells] == ["triage", "implement", "review"]
    assert [cell.name for cell in config.off] == ["automerge"]
    assert config.cells[2].next == ("implement", "done")
    on = load(written(folder, text.replace("enabled = false", "enabled = true")))
    assert on.cells[2].next == ("implement", "automerge", "done")


def test_the_owners_words_and_failed_checks_go_where_the_file_says(folder):
    assert load(written(folder, GOOD)).reply_cell() is None
    config = load(written(folder, GOOD.replace("[forge]", 'on_reply = "triage"\n[forge]')))
    assert (config.reply_cell(), config.checks_cell()) == ("triage", "triage")
    both = 'on_reply = "triage"\non_checks_failed = "implement"\n[forge]'
    assert load(written(folder, GOOD.replace("[forge]", both))).checks_cell() == "implement"


def test_a_file_with_a_bom_and_windows_line_ends_is_read(folder):
    data = b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode()
    assert load(written(folder, data)).factory.owner == "alice"


def test_paths_are_relative_to_the_file_and_not_to_where_one_stands(folder, monkeypatch, tmp_path_factory):
    path = written(folder, GOOD.replace("[forge]", '[sandbox]\nread = ["~/sdk", "/opt/sdk"]\n[forge]'))
    monkeypatch.chdir(folder.parent)
    config = load(Path(folder.name) / "cells.toml")
    assert config.path == path
    assert config.sandbox.read == (str(Path.home() / "sdk"), "/opt/sdk")


def test_a_configuration_of_pull_requests_only_is_led_by_the_owners_own_label(folder):
    text = TOP + '[[cell]]\nname = "review"\non = "pull_request"\nnext = ["done"]\n'
    assert load(written(folder, text)).cells[0].writes is False


def test_r50_a_cell_of_the_factory_has_a_time_and_no_label(folder):
    text = GOOD + '[[cell]]\nname = "bottleneck"\non = "factory"\nevery = "6h"\n'
    cell = load(written(folder, text)).cell("bottleneck")
    assert cell is not None
    assert (cell.every, cell.label, cell.next) == (21600, "", ())


# ---------------------------------------------------------------- what a broken file is told

BROKEN: dict[str, tuple[str | tuple[str, str], str]] = {
    # what is written: (a change of the good file, or a file of its own), what the line must hold
    "unknown key": (("owner =", "ownr ="), ":2: factory.ownr: unknown key ownr; did you mean owner?"),
    "unknown table": (("[factory]", "[factry]"), ":1: factry: unknown key factry; did you mean factory?"),
    "far from any key": (("[forge]", "zzzz = 1\n[forge]"), ":3: factory.zzzz: unknown key zzzz; known here: owner, bot"),
    "unknown key of a cell": (('name = "review"', 'name = "review"\nnexts = []'), "cell[2].nexts (review): unknown key nexts; did you mean next?"),
    "inner names are no keys": (('name = "review"', 'name = "review"\nprompt_text = "x"'), "cell[2].prompt_text (review): unknown key prompt_text"),
    "inner tables are no keys": (("[factory]", 'path = "x"\n[factory]'), ":1: path: unknown key path"),
    "no owner": (('owner = "alice"', ""), "factory.owner: nobody's labels would count"),
    "odd owner": (('"alice"', '"alice smith"'), ":2: factory.owner: is not a login"),
    "shared bot": (("[forge]", 'bot = "github-actions[bot]"\n[forge]'), ":3: factory.bot: github-actions[bot] is an account that others share"),
    "number in quotes": (("[forge]", 'parallel = "2"\n[forge]'), ":3: factory.parallel: must be a whole number without quotes, but is text in quotes"),
    "truth for a number": (("[forge]", "parallel = true\n[forge]"), "factory.parallel: must be a whole number without quotes, but is true or false"),
    "text for a truth": (("[forge]", 'lease = "yes"\n[forge]'), "factory.lease: must be true or false, but is text in quotes"),
    "number for a text": (('"alice"', "7"), "factory.owner: must be text in quotes"),
    "text for a list": (('["alice/game"]', '"alice/game"'), "forge.repos: must be a list in brackets"),
    "text for a table": (("[factory]", 'limits = "none"\n[factory]'), ":1: limits: must be a table of its own, but is text in quotes"),
    "text for dollars": (("[forge]", '[limits]\nusd_per_day = "5"\n[forge]'), "limits.usd_per_day: must be a number without quotes"),
    "date for a text": (('"alice"', "2026-01-02"), "but is a date or time"),
    "zero": (("[forge]", "parallel = 0\n[forge]"), "factory.parallel: must be at least 1"),
    "negative": (("[forge]", "[limits]\nruns_per_item = -5\n[forge]"), "limits.runs_per_item: must be at least 1"),
    "no money": (("[forge]", "[agent]\nmax_usd = 0\n[forge]"), "agent.max_usd: must be greater than 0"),
    "endless money": (("[forge]", "[agent]\nmax_usd = inf\n[forge]"), "agent.max_usd: must be a finite number"),
    "absurd": (("[forge]", "parallel = 1000\n[forge]"), ":3: factory.parallel: must be at most 256"),
    "absurd turns": (("[forge]", "[limits]\nruns_per_item = 99999999\n[forge]"), "must be at most 1000000"),
    "no rounds": (('name = "review"', 'name = "review"\nmax_rounds = 0'), "cell[2].max_rounds (review): must be at least 1"),
    "bare duration": (("[forge]", "poll = 10\n[forge]"), 'factory.poll: must be a time with its unit in quotes: "90s"'),
    "odd duration": (("[forge]", 'poll = "10 minutes"\n[forge]'), "factory.poll: must be a time with its unit"),
    "no time at all": (("[forge]", 'poll = "0m"\n[forge]'), "factory.poll: must be longer than nothing"),
    "a year": (("[forge]", 'poll = "365d"\n[forge]'), "at most 14 days"),
    "time zone": (("[forge]", 'timezone = "Asia/Tokio"\n[forge]'), 'factory.timezone: there is no time zone "Asia/Tokio"; perhaps "Asia/Tokyo"'),
    "language": (("[forge]", 'language = "jp"\n[forge]'), 'factory.language: must be one of "en", "ja"'),
    "forge kind": (('"local"', '"githup"'), 'forge.kind: must be one of "github", "gitea", "local"; perhaps "github"'),
    "no repositories": (('["alice/game"]', "[]"), "forge.repos: there is nothing to work on"),
    "repositories left out": (('repos = ["alice/game"]', ""), "forge.repos: there is nothing to work on"),
    "address for a repository": (('"alice/game"', '"https://forge.example/alice/game"'), 'forge.repos[0]: must be "owner/name"'),
    "dots for a repository": (('"alice/game"', '"alice/.."'), 'forge.repos[0]: must be "owner/name"'),
    "repository twice": (('["alice/game"]', '["alice/game",\n "Alice/Game"]'), ":6: forge.repos[1]: Alice/Game stands here twice"),
    "token itself": (('"local"', '"github"\ntoken = "ghp_0123456789"'), "forge.token: the token itself must not stand in a file"),
    "two tokens": (('"local"', '"github"\ntoken = { env = "A", file = "b" }'), "forge.token: must have exactly one of"),
    "no token in the table": (('"local"', '"github"\ntoken = {}'), "forge.token: must have exactly one of"),
    "token command as a line": (('"local"', '"github"\ntoken = { command = "echo ghp_0123456789" }'), 'write ["…", "…"]'),
    "gitea without token": (('"local"', '"gitea"\napi_url = "https://git.example/api/v1"'), "forge.token: a Gitea needs a token"),
    "gitea without address": (('"local"', '"gitea"\ntoken = { env = "T" }'), "forge.api_url: a Gitea needs its address"),
    "address without tls": (('"local"', '"gitea"\ntoken = { env = "T" }\napi_url = "http://git.example/api"'), "forge.api_url: must be an address that begins with https://"),
    "address with a login": (('"local"', '"github"\ngit_url = "https://me:ghp_01234@github.com"'), "forge.git_url: must not hold a user name or password"),
    "address with a bad port": (('"local"', '"github"\ngit_url = "https://github.com:x"'), "forge.git_url: must be an address"),
    "webhook twice": (("[forge]", '[notify]\nurl = "https://a.example"\nurl_from = { env = "U" }\n[forge]'), "notify.url: leave either url or url_from out"),
    "webhook itself": (("[forge]", '[notify]\nurl_from = "https://hooks.example/T0/secret"\n[forge]'), "notify.url_from: the token itself must not stand in a file"),
    "webhook without tls": (("[forge]", '[notify]\nurl = "http://hooks.example"\n[forge]'), "notify.url: must be an address that begins with https://"),
    "token of no webhook": (("[forge]", '[notify]\ntoken = { env = "T" }\n[forge]'), "notify.token: token is of a webhook; write url or url_from"),
    "kind of webhook": (("[forge]", '[notify]\nkind = "slak"\n[forge]'), 'notify.kind: must be one of "json", "slack", "ntfy"'),
    "what to be told": (("[forge]", '[notify]\non = ["humans"]\n[forge]'), "notify.on"),
    "certificate": (('"local"', '"github"\nca_file = "ca.pem"'), "forge.ca_file: there is no file"),
    "no containment": (('kind = "local"\nrepos = ["alice/game"]', 'repos = ["alice/game"]\n[sandbox]\ncontainment = "none"'), 'sandbox.containment: a github forge needs "strong"'),
    "whole disk": (("[forge]", '[sandbox]\nread = ["/"]\n[forge]'), "sandbox.read[0]: must be an absolute path"),
    "whole home": (("[forge]", '[sandbox]\nread = ["~/"]\n[forge]'), "sandbox.read[0]: must be an absolute path"),
    "host with a path": (("[forge]", '[sandbox]\nhosts = ["https://registry.example/x"]\n[forge]'), "sandbox.hosts[0]: must be a host name"),
    "value of a variable": (("[forge]", '[agent]\nenv = ["KEY=sk-ant-0123"]\n[forge]'), "agent.env[0]: must be the name of an environment variable, never its value"),
    "no agent": (("[forge]", "[agent]\ncommand = []\n[forge]"), "agent.command: must not be empty"),
    "command as a line": (("[forge]", "[commands]\ntest = \"npm run 'all tests'\"\n[forge]"), 'commands.test: a command is a list of words, no shell runs it; write ["npm", "run", "all tests"]'),
    "command with an open quote": (("[forge]", "[commands]\ntest = \"npm 'test\"\n[forge]"), 'write ["npm", "\'test"]'),
    "empty word": (("[forge]", '[commands]\ntest = ["npm", ""]\n[forge]'), "commands.test[1]: must not be empty"),
    "line break in a word": (("[forge]", '[commands]\ntest = ["npm\\n"]\n[forge]'), "commands.test[0]: holds a line break"),
    "keep outside": (("[forge]", '[commands]\nkeep = ["../x"]\n[forge]'), "commands.keep[0]: must be a folder inside the project"),
    "prefix": (("[forge]", 'label_prefix = ""\n[forge]'), "factory.label_prefix: must not be empty"),
    "long prefix": (("[forge]", 'label_prefix = "agentcells-of-alice-and-bob:"\n[forge]'), "factory.label_prefix: must have at most 20"),
    "priority as a state": (("[forge]", 'priority_label = "ac:p0"\n[forge]'), "factory.priority_label: begins with ac:"),
    "no cells": (TOP, "cell: there is no cell"),
    "one bracket": (TOP + '[cell]\nname = "x"\n', "cell: write [[cell]] with two brackets"),
    "all cells off": (TOP + '[[cell]]\nname = "triage"\non = "issue"\nnext = ["done"]\nenabled = false\n', "cell: every cell is off"),
    "no name": (('name = "review"', ""), "cell[2].name: every cell needs a name"),
    "odd name": (('name = "triage"', 'name = "Triage it"'), "cell[0].name (Triage it): a cell's name has small letters"),
    "reserved name": (('name = "triage"', 'name = "done"'), 'cell[0].name (done): "done" has a meaning of its own'),
    "name twice": (('name = "triage"', 'name = "implement"'), 'cell[1].name (implement): there is another cell "implement" above'),
    "no on": (('on = "pull_request"', ""), "cell[2].on (review): on is missing"),
    "odd on": (('on = "pull_request"', 'on = "pull"'), 'cell[2].on (review): must be one of "issue", "pull_request", "factory"; perhaps "pull_request"'),
    "no next": (('next = ["review"]', ""), "cell[1].next (implement): nothing leads on from here"),
    "unknown next": (('next = ["review"]', 'next = ["reveiw"]'), ':13: cell[1].next[0] (implement): there is no cell "reveiw"; did you mean "review"?'),
    "unknown next far off": (('next = ["review"]', 'next = ["xyz"]'), 'there is no cell "xyz"; possible here: triage, implement, review, done, needs-human'),
    "next twice": (('"implement", "done"', '"done", "done"'), 'cell[2].next[1] (review): "done" stands here twice'),
    "next is no list": (('next = ["review"]', 'next = "review"'), "cell[1].next (implement): must be a list in brackets"),
    "number in next": (('next = ["review"]', "next = [3]"), "cell[1].next[0] (implement): must be text in quotes"),
    "merge without merge": (('"implement", "done"', '"merge", "done"'), "cell[2].next[0] (review): only a cell with merge = true may merge"),
    "merge unused": (('name = "review"', 'name = "review"\nmerge = true'), "cell[2].next (review): the cell has merge = true but cannot say so"),
    "merge on an issue": (('next = ["review"]', 'next = ["review", "merge"]\nmerge = true'), "cell[1].merge (implement): only a cell on"),
    "foreign label": (('name = "review"', 'name = "review"\nlabel = "review"'), 'cell[2].label (review): "review" must begin with ac:, like "ac:review"'),
    "bare prefix": (('name = "review"', 'name = "review"\nlabel = "ac:"'), 'cell[2].label (review): "ac:" must begin'),
    "reserved label": (('name = "review"', 'name = "review"\nlabel = "ac:In-Review"'), 'cell[2].label (review): "ac:In-Review" is one of the states'),
    "label twice": (('name = "review"', 'name = "review"\nlabel = "ac:Triage"'), 'cell[2].label (review): "ac:Triage" is the label of cell triage already'),
    "long label": (('name = "review"', f'name = "review"\nlabel = "ac:{"x" * 60}"'), "cell[2].label (review): a label has at most 50"),
    "every elsewhere": (('name = "review"', 'name = "review"\nevery = "1h"'), 'cell[2].every (review): only a cell on "factory"'),
    "factory without a time": (GOOD + '[[cell]]\nname = "bottleneck"\non = "factory"\n', "cell[3].every (bottleneck): a cell on"),
    "factory with a label": (GOOD + '[[cell]]\nname = "bottleneck"\non = "factory"\nevery = "1h"\nlabel = "ac:x"\n', "cell[3].label (bottleneck)"),
    "factory with a next": (GOOD + '[[cell]]\nname = "bottleneck"\non = "factory"\nevery = "1h"\nnext = ["triage"]\n', "cell[3].next[0] (bottleneck)"),
    "next to the factory": (GOOD.replace('"implement", "done"', '"bottleneck", "done"') + '[[cell]]\nname = "bottleneck"\non = "factory"\nevery = "1h"\n', 'cell[2].next[0] (review): cell "bottleneck" is on "factory"'),
    "record without writing": (('next = ["review"]', 'next = ["review"]\nwrites = false'), "cell[1].needs_record (implement): the cell may write nothing"),
    "test without a command": (('next = ["review"]', 'next = ["review"]\nneeds_test = true'), "cell[1].needs_test (implement): there is no test to run"),
    "odd needs_test": (('next = ["review"]', 'next = ["review"]\nneeds_test = "always"'), 'cell[1].needs_test (implement): must be one of true, false, "merged"'),
    "odd effort": (('name = "review"', 'name = "review"\neffort = "hihg"'), 'cell[2].effort (review): must be one of "", "low", "medium", "high", "xhigh", "max"; perhaps "high"'),
    "field of ours": (('name = "review"', 'name = "review"\nfields = ["comment"]'), "cell[2].fields[0] (review): a field has small letters"),
    "reply to nobody": (("[forge]", 'on_reply = "implemnt"\n[forge]'), ':3: factory.on_reply: there is no cell "implemnt"; did you mean "implement"?'),
    "no prompt": (('name = "review"', 'name = "revue"'), 'cell[2].prompt (revue): there is no prompt file'),
    "prompt nearly right": (('name = "review"', 'name = "review"\nprompt = "prompts/reviw.md"'), 'did you mean "review.md" in the same folder?'),
    "prompt in no folder": (('name = "review"', 'name = "review"\nprompt = "nowhere/x.md"'), "there is no prompt file"),
    "prompt is a folder": (('name = "review"', 'name = "review"\nprompt = "prompts"'), "cell[2].prompt (review): prompts cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_each_mistake_is_named_with_place_and_remedy(folder, case):
    change, expected = BROKEN[case]
    text = change if isinstance(change, str) else GOOD.replace(*change, 1)
    assert text != GOOD
    lines_told = told(written(folder, text)).splitlines()
    assert any(expected in line for line in lines_told), lines_told
    assert all(line.startswith(str(folder / "cells.toml")) for line in lines_told)
    assert not any(secret in line for line in lines_told for secret in ("ghp_0", "sk-ant"))
    japanese = told(written(folder, text.replace("[factory]", '[factory]\nlanguage = "ja"', 1)))
    assert len(japanese.splitlines()) >= 1


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file(folder):
    text = GOOD.replace('"alice"', "7").replace('["review"]', '["reveiw"]').replace('"pull_request"', '"pull"')
    assert [line.split(": ")[1] for line in told(written(folder, text)).splitlines()] == [
        "factory.owner",
        "cell[1].next[0] (implement)",
        "cell[2].on (review)",
    ]


@pytest.mark.parametrize(("change", "place", "words"), [
    (('name = "triage"', 'name = "Tri age"'), "cell[0].name (Tri age)", "small letters"),
    (("[forge]", '[notify]\non = ["me"]\n[forge]'), "notify.on[0]", "must be one of"),
    (("[forge]", '[gate]\nallow_blobs = ["x"]\n[forge]'), "gate.allow_blobs[0]", "git hash-object"),
])
def test_one_slip_is_one_line_about_that_slip(folder, change, place, words):
    old, new = change
    (line,) = told(written(folder, GOOD.replace(old, new, 1))).splitlines()
    assert place in line
    assert words in line


def test_a_hundred_mistakes_do_not_fill_the_screen(folder):
    text = "".join(f"k{number} = 1\n" for number in range(100)) + GOOD
    shown = told(written(folder, text)).splitlines()
    assert len(shown) == room.SHOWN + 1
    assert "60 more" in shown[-1]


def test_mistakes_are_told_in_the_language_of_the_file(folder):
    text = GOOD.replace("[factory]", '[factory]\nlanguage = "ja"').replace('["review"]', '["reveiw"]')
    assert "誤りではありませんか" in told(written(folder, text))


def test_control_characters_of_the_file_do_not_reach_the_terminal(folder):
    text = GOOD.replace("[factory]", '"\\u001b[31mred" = 1\n[factory]')
    assert "\x1b" not in told(written(folder, text))


def test_a_cell_that_nothing_leads_to_is_a_mistake(folder):
    text = GOOD + '[[cell]]\nname = "automerge"\non = "pull_request"\nnext = ["done"]\n'
    line = told(written(folder, text))
    assert 'cell[3] (automerge): nothing leads to "automerge"' in line
    led = GOOD.replace("[forge]", 'on_checks_failed = "automerge"\n[forge]')
    assert load(written(folder, led + text.removeprefix(GOOD))).checks_cell() == "automerge"


def test_a_circle_without_a_way_out_is_a_mistake_of_every_cell_in_it(folder):
    text = GOOD.replace('"implement", "done"', '"implement"')
    assert told(written(folder, text)).count("no way leads to") == 3
    human = GOOD.replace('"implement", "done"', '"implement", "needs-human"')
    assert load(written(folder, human)).cells[2].next == ("implement", "needs-human")


def test_a_cell_that_leads_only_to_cells_that_are_off_is_a_mistake(folder):
    text = GOOD.replace('name = "review"', 'name = "review"\nenabled = false')
    assert 'every cell that "implement" leads to is off' in told(written(folder, text))


def test_replies_to_a_cell_that_is_off_or_of_the_factory_are_a_mistake(folder):
    off = GOOD.replace("[forge]", 'on_reply = "design"\n[forge]')
    off += '[[cell]]\nname = "design"\non = "issue"\nnext = ["implement"]\nenabled = false\n'
    assert 'factory.on_reply: cell "design" is off' in told(written(folder, off))
    factory = GOOD.replace("[forge]", 'on_reply = "bottleneck"\n[forge]')
    factory += '[[cell]]\nname = "bottleneck"\non = "factory"\nevery = "1h"\n'
    assert "takes no items" in told(written(folder, factory))


# ---------------------------------------------------------------- files that are hardly files


def test_a_missing_file_is_told_with_the_command_that_writes_one(tmp_path):
    assert f"There is no configuration at {tmp_path / 'cells.toml'}" in told(tmp_path / "cells.toml")
    assert "agentcells init" in told(tmp_path / "cells.toml" / "below-a-file")


def test_a_folder_or_a_strange_name_cannot_be_read(tmp_path):
    assert "cannot be read" in told(tmp_path)
    assert "cannot be read" in told(tmp_path / "a\0b")


def test_nobody_waits_for_the_writer_of_a_pipe(folder):
    os.mkfifo(folder / "cells.toml")
    assert "cannot be read: not a regular file" in told(folder / "cells.toml")
    (folder / "cells.toml").unlink()
    (folder / "prompts/review.md").unlink()
    os.mkfifo(folder / "prompts/review.md")
    assert "review.md cannot be read: not a regular file" in told(written(folder, GOOD))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[factory]\nowner = \xff\xfe\n", ":2: this is not UTF-8"),
        (b"[factory]\nowner = alice\n", ":2: not valid TOML at column"),
        (b"[factory]\n[factory]\n", ":2: not valid TOML"),
        (b"a = " + b"9" * 5000, "cannot be read"),
        (b"a = " + b"[" * 3000 + b"]" * 3000, "cannot be read"),
        (b"# " + b"x" * 1_100_000, "larger than"),
        (b"", "factory.owner: nobody's labels would count"),
        (b"a = " + b"[" * 390 + b"]" * 390, "unknown key a"),
    ],
    ids=["not utf-8", "no quotes", "table twice", "long number", "deep", "huge", "empty", "deep but valid"],
)
def test_what_is_no_toml_is_told_with_its_line(tmp_path, data, expected):
    assert expected in told(written(tmp_path, data))


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b" \n\n", "prompts/review.md is empty"), (b"\xff\xfe", "prompts/review.md is not UTF-8")],
)
def test_a_prompt_must_be_there_and_say_something(folder, data, expected):
    (folder / "prompts" / "review.md").write_bytes(data)
    assert f"cell[2].prompt (review): {expected}" in told(written(folder, GOOD))


# ---------------------------------------------------------------- any text at all

KEYS = sorted({key for name in TABLES for key in known_keys((name,))} | set(known_keys(("cell", 0))))
WORDS = ["issue", "pull_request", "factory", "local", "github", "done", "merge", "review", "10m", "a/b", "alice", ""]
VALUES = st.recursive(
    st.one_of(
        st.sampled_from(WORDS), st.integers(-3, 10**19), st.floats(), st.booleans(), st.dates(), st.text(max_size=5)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=3)),
    max_leaves=6,
)
TABLE = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
FILES = st.fixed_dictionaries(
    {}, optional={name: st.one_of(TABLE, VALUES) for name in TABLES} | {"cell": st.one_of(st.lists(TABLE, max_size=4), VALUES)}
)


def as_toml(value: object) -> str:
    """Any value as an inline TOML value."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {as_toml(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value).replace("\x7f", "\\u007f")
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else "inf"
    return str(value).lower() if isinstance(value, bool) else str(value)


def judged(text: str, folder: Path) -> None:
    path = written(folder, text)
    try:
        result: Config | Problem = load(path)
    except Problem as problem:
        result = problem
    if isinstance(result, Config):
        assert result.cells
    else:
        assert result.exit_code == 2
        assert all(say(result.key, language, **result.slots) for language in ("en", "ja"))


@given(values=FILES)
@example(values={"cell": [{"name": "a", "on": 3, "next": [1]}, {}]})
@settings(deadline=None)
def test_any_toml_gives_a_configuration_or_a_problem(tmp_path_factory, values):
    judged("\n".join(f"{key} = {as_toml(value)}" for key, value in values.items()), place(tmp_path_factory))


@given(text=st.text(alphabet='[]{}=".#\n\'\\ab1é', max_size=60))
@settings(deadline=None)
def test_any_text_gives_a_configuration_or_a_problem(tmp_path_factory, text):
    judged(text, place(tmp_path_factory))


def place(factory: pytest.TempPathFactory) -> Path:
    folder = factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    return folder


# ---------------------------------------------------------------- lines, sentences, effective values


def test_every_key_of_a_file_has_its_line():
    text = textwrap.dedent('''\
        # [not.a.table]
        [factory]            # 2
        owner = "a#b"        # 3
        [forge]
        token = { command = [
            "gh",            # 6
            "auth"] }
        deep.er = 1.5        # 8
        [[cell]]             # 9
        name = """
        [fake]
        k = 1
        """
        next = [
            'a',             # 15

            "b",             # 17
        ]
        [[cell]]             # 19
        "odd key" = 1979-05-27 07:32:00
        [cell.sub]           # 21
        z = [[1], [2]]
        ''')
    assert tomli.loads(text)
    found = lines(text)
    assert found == {
        ("factory",): 2, ("factory", "owner"): 3,
        ("forge",): 4, ("forge", "token"): 5, ("forge", "token", "command"): 5,
        ("forge", "token", "command", 0): 6, ("forge", "token", "command", 1): 7,
        ("forge", "deep"): 8, ("forge", "deep", "er"): 8,
        ("cell",): 9, ("cell", 0): 9, ("cell", 0, "name"): 10, ("cell", 0, "next"): 14,
        ("cell", 0, "next", 0): 15, ("cell", 0, "next", 1): 17,
        ("cell", 1): 19, ("cell", 1, "odd key"): 20, ("cell", 1, "sub"): 21,
        ("cell", 1, "sub", "z"): 22, ("cell", 1, "sub", "z", 0): 22, ("cell", 1, "sub", "z", 0, 0): 22,
        ("cell", 1, "sub", "z", 1): 22, ("cell", 1, "sub", "z", 1, 0): 22,
    }  # fmt: skip


def test_the_effective_text_loads_again_and_means_the_same(folder):
    text = GOOD.replace('"local"', '"github"\ntoken = { command = ["gh", "auth"] }') + textwrap.dedent("""\
        [commands]
        test = ["sh", "-c", "echo 'a \\"b\\" ü \\u007f'"]
        timeout = "90s"
        [[cell]]
        name = "bottleneck"
        on = "factory"
        every = "1d"
        enabled = false
        """)
    text = text.replace('\\u007f', "x")
    first = load(written(folder, text))
    shown = room.effective(first)
    again = load(written(folder, shown))
    assert again == first
    assert 'timeout = "90s"' in shown
    assert 'every = "1d"' in shown
    assert "You are" not in shown
    values = json.loads(room.effective_json(first))
    assert values["path"] == str(folder / "cells.toml")
    assert values["commands"]["timeout"] == 90
    assert [cell["name"] for cell in values["cell"]] == ["triage", "implement", "review", "bottleneck"]


def test_every_sentence_about_the_file_exists_in_both_languages_with_the_same_slots():
    def slots(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    own = {key: pair for key, pair in SENTENCES.items() if key.startswith("config_")}
    assert len(own) > 60
    for key, (english, japanese) in own.items():
        assert slots(english) == slots(japanese), key


def test_the_nearest_name_is_offered_only_when_it_is_near():
    assert config_rules.nearest("Implemnt", ["implement", "review"]) == "implement"
    assert config_rules.nearest("zzz", ["implement", "review"]) is None


@pytest.fixture
def no_zones(tmp_path):
    """A slim system, which has no time zone database."""
    zoneinfo.reset_tzpath(to=[str(tmp_path / "none")])
    zoneinfo.ZoneInfo.clear_cache()
    yield
    zoneinfo.reset_tzpath()


@pytest.mark.usefixtures("no_zones")
def test_without_a_zone_database_utc_works_and_another_zone_is_told_its_remedy(folder):
    assert load(written(folder, GOOD)).factory.timezone == "UTC"
    text = GOOD.replace("[forge]", 'timezone = "Asia/Tokyo"\n[forge]')
    assert "install tzdata" in told(written(folder, text))
