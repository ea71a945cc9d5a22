"""The demo's world: a small project, what its people say, and the script its agent follows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentcells.sentences import say

OWNER, BOT, REPO = "alice", "alice-cells", "alice/greeter"

PROJECT = {
    ".gitignore": "__pycache__/\n",
    "README.md": "# greeter\n\nSays hello.\n",
    "greeter.py": '"""Says hello."""\n\n\ndef greet() -> str:\n    return "Hello!"\n',
    "test_greeter.py": (
        "import unittest\n\nfrom greeter import greet\n\n\nclass Greeting(unittest.TestCase):\n"
        '    def test_says_hello(self):\n        self.assertEqual(greet(), "Hello!")\n'
    ),
}

_NAMED = '''"""Says hello."""


def greet(name: str = "") -> str:
    return f"Hello, {name}!"
'''
_MENDED = '''"""Says hello."""


def greet(name: str = "") -> str:
    return f"Hello, {name}!" if name else "Hello!"
'''
_FAREWELL = _MENDED + '''

def farewell(name: str = "") -> str:
    return f"Goodbye, {name}!" if name else "Goodbye!"
'''
_TESTS = """import unittest

from greeter import greet


class Greeting(unittest.TestCase):
    def test_greets_by_name(self):
        self.assertEqual(greet("Ada"), "Hello, Ada!")
"""
_MENDED_TESTS = _TESTS + """
    def test_without_a_name_it_just_says_hello(self):
        self.assertEqual(greet(), "Hello!")
"""
_FAREWELL_TESTS = _MENDED_TESTS.replace("import greet\n", "import farewell, greet\n") + """
    def test_says_goodbye(self):
        self.assertEqual(farewell("Ada"), "Goodbye, Ada!")
        self.assertEqual(farewell(), "Goodbye!")
"""


def script(language: str) -> dict[str, Any]:
    """Rules for the scripted agent: the first whose words stand in the prompt is followed.

    They go by whether the owner has said anything, and by what the cells before said: so whoever plays
    the owner by hand may use words of his own.
    """

    def words(key: str) -> str:
        return say(f"demo_{key}", language)

    def pattern(key: str) -> str:
        return _literal(words(key))

    nothing_said = _literal(say("prompt_none", language))
    answered = f"{_literal(say('prompt_instructions_means', language))}[^\\n]*\\n\\n(?!{nothing_said})"

    return {"rules": [
        {"cell": "triage", "prompt": answered, "do": [
            {"read": ["greeter.py"]},
            _answer("implement", words("conditions")),
        ]},
        {"cell": "triage", "do": [{"read": ["README.md"]}, _answer("needs-human", words("question"))]},
        {"cell": "implement", "prompt": pattern("content"), "do": [
            *_work(_FAREWELL, _FAREWELL_TESTS, "Say goodbye too"),
            _answer("review", words("built_farewell")),
        ]},
        {"cell": "implement", "prompt": pattern("finding"), "do": [
            *_work(_MENDED, _MENDED_TESTS, "Say just hello to nobody in particular"),
            _answer("review", words("mended")),
        ]},
        {"cell": "implement", "do": [
            *_work(_NAMED, _TESTS, "Greet people by their name"),
            _answer("review", words("built")),
        ]},
        {"cell": "review", "prompt": f"{pattern('mended')}|{pattern('built_farewell')}", "do": [
            {"cell": ["diff"]}, _answer("done", words("content")),
        ]},
        {"cell": "review", "do": [{"cell": ["diff"]}, _answer("implement", words("finding"))]},
    ]}


def _work(code: str, tests: str, message: str) -> list[dict[str, Any]]:
    return [
        {"cell": ["observe"]},
        {"write": {"greeter.py": code, "test_greeter.py": tests}},
        {"cell": ["record", "-m", message]},
        {"cell": ["test"]},
    ]


def _answer(to: str, comment: str) -> dict[str, Any]:
    return {"answer": {"next": to, "comment": comment}}


def _literal(text: str) -> str:
    """A pattern for the beginning of `text`; the prompt may wrap or quote what follows."""
    return "".join(char if char.isalnum() or char == " " else "." for char in text[:24])


def cells_toml(folder: Path, containment: str, language: str) -> str:
    """The configuration of the demo's factory: the default line on the embedded forge."""
    agent = folder / "agent"
    command = ["python3", str(agent / "scripted_agent.py"), "--script", str(agent / "script.json")]
    return f"""# The demo's factory. Its owner types: agentcells issue new "…", tick, status.
[factory]
owner = "{OWNER}"
bot = "{BOT}"
language = "{language}"
poll = "10s"

[forge]
kind = "local"
path = "forge"
repos = ["{REPO}"]

[agent]
command = {json.dumps(command, ensure_ascii=False)}
env = []

[sandbox]
containment = "{containment}"
read = [{json.dumps(str(agent), ensure_ascii=False)}]

[commands]
test = ["python3", "-m", "unittest", "-q"]
timeout = "2m"

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
