"""An agent that follows a script: claude's command line and stream-json, without a model. For
demo and tests.

A program of its own on the standard library alone: `[agent] command = ["python3",
".../scripted_agent.py",
"--script", "/path/script.json"]`. The script is `{"rules": [{"cell": NAME, "prompt": REGEX, "do":
[ACTION, ...]}]}`;
both conditions may be left out, the first rule that fits is followed. Actions, each an object
with one key:

    write {path: text}   append {path: text}   replace {path: [old, new]}   remove [path]   read
    [path]
    cell [verb, word...]   shell "command"   sleep seconds   say "text"   leave
    "background|nohup|setsid|double|cleared"
    answer {next, comment, ...}   answer_unchecked {...}   no_answer true   error KIND (see ERRORS)
    stdout "text"   stderr "text"   flood bytes   exit code   hang true
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any, NoReturn

VERSION = "2.1.197"

_SWITCHES = (
    "-p --print --verbose --strict-mcp-config --disable-slash-commands --no-session-persistence"
)
_WITH_VALUE = (
    "--output-format --setting-sources --permission-mode --json-schema --session-id --max-turns "
    "--max-budget-usd --model --effort --fallback-model --settings --append-system-prompt"
)
_WITH_LIST = "--tools --allowedTools --disallowedTools --mcp-config"

# Flag: how many values it takes; None: as many as follow.
FLAGS: dict[str, int | None] = {
    **dict.fromkeys(_SWITCHES.split(), 0),
    **dict.fromkeys(_WITH_VALUE.split(), 1),
    **dict.fromkeys(_WITH_LIST.split(), None),
}

# As claude ends when the API or itself says no: what its result event differs in.
_API_SAYS: dict[str, tuple[int | None, str]] = {
    "credential": (401, "Invalid API key · Fix external API key"),
    "not_logged_in": (None, "Not logged in · Please run /login"),
    "forbidden": (403, "Failed to authenticate. API Error: 403 forbidden"),
    "bad_request": (400, "API Error: 400 bad request"),
    "credit": (400, "Credit balance is too low"),
    "no_model": (404, "There's an issue with the selected model (x)."),
    "too_long": (400, "Prompt is too long"),
    "too_large": (413, "Request too large (max 32MB)"),
    "usage_limit": (
        429, "API Error: Request rejected (429) · You've hit your usage limit · resets 3pm"
    ),
    "server": (500, "API Error: 500 oops. This is a server-side issue"),
    "overload": (None, "API Error: Repeated 529 Overloaded errors."),
    "network": (None, "API Error: Unable to connect to API (ConnectionRefused)"),
    "malformed": (None, "API Error: Failed to parse JSON"),
    "refusal": (None, "API Error: Claude Code is unable to respond to this request (Usage Policy)"),
    "context": (None, "API Error: The model has reached its context window limit."),
}
_ENDS: dict[str, tuple[str, str]] = {
    "turns": ("error_max_turns", "Reached maximum number of turns (2)"),
    "budget": ("error_max_budget_usd", "Reached maximum budget ($0.2)"),
    "bad_answer": (
        "error_max_structured_output_retries",
        "Failed to provide valid structured output after 3 attempts",
    ),
    "execution": ("error_during_execution", "[ede_diagnostic] result_type=user"),
}
ERRORS: dict[str, dict[str, Any]] = {
    **{kind: {"api_error_status": at, "result": words} for kind, (at, words) in _API_SAYS.items()},
    **{kind: {"subtype": subtype, "errors": [words]} for kind, (subtype, words) in _ENDS.items()},
}
ERRORS["too_long"]["terminal_reason"] = "prompt_too_long"
ERRORS["too_large"]["terminal_reason"] = "image_error"
ERRORS["turns"]["terminal_reason"] = "max_turns"
ERRORS["refusal"]["stop_reason"] = "refusal"


def fail(message: str) -> NoReturn:
    """claude's way: nothing on standard output, one line on standard error, exit 1."""
    print(message, file=sys.stderr)
    sys.exit(1)


def parse(argv: list[str]) -> dict[str, list[str]]:
    """The flags and their values. What claude does not know, or needs and does not get, ends it."""
    found: dict[str, list[str]] = {}
    place = 0
    while place < len(argv):
        flag = argv[place]
        place += 1
        if flag not in FLAGS:
            unknown = f"unknown option '{flag}'" if flag[:1] == "-" else "too many arguments"
            fail(f"error: {unknown}")
        count, values = FLAGS[flag], found.setdefault(flag, [])
        for word in argv[place : None if count is None else place + count]:
            if count is None and word[:1] == "-":
                break
            values.append(word)
            place += 1
        if len(values) < (1 if count is None else count):
            fail(f"error: option '{flag} <value>' argument missing")
    return found


def check(flags: dict[str, list[str]]) -> dict[str, Any]:
    """What claude refuses before it asks anybody. Returns the JSON schema of the answer."""
    if "-p" not in flags and "--print" not in flags:
        fail("error: only -p is scripted")
    if flags.get("--output-format") == ["stream-json"] and "--verbose" not in flags:
        fail("Error: When using --print, --output-format=stream-json requires --verbose")
    for source in filter(None, flags.get("--setting-sources", [""])[0].split(",")):
        if source not in ("user", "project", "local"):
            fail(f"Invalid setting source: {source}. Valid options are: user, project, local")
    for name in ("--max-turns", "--max-budget-usd"):
        if name in flags and not re.fullmatch(r"0*[1-9][0-9.]*|0?\.0*[1-9][0-9]*", flags[name][0]):
            fail(f"error: option '{name} <n>' argument must be a positive number greater than 0")
    try:
        uuid.UUID(flags.get("--session-id", [str(uuid.uuid4())])[0])
    except ValueError:
        fail("Error: Invalid session ID. Must be a valid UUID.")
    try:
        schema = json.loads(flags.get("--json-schema", ["{}"])[0])
    except ValueError as problem:
        fail(f"Error: --json-schema is not valid JSON: {problem}")
    return schema if isinstance(schema, dict) else {}


class Agent:
    """One run: follows the actions of its rule and speaks of each as claude would."""

    def __init__(self, flags: dict[str, list[str]], schema: dict[str, Any], prompt: str) -> None:
        self.flags = flags
        self.schema = schema
        self.prompt = prompt
        self.session = flags.get("--session-id", [str(uuid.uuid4())])[0]
        self.model = flags.get("--model", ["claude-scripted"])[0]
        self.tools = ",".join(flags.get("--tools", ["Bash,Read,Edit,Write"])).split(",")
        self.allowed = flags.get("--allowedTools", [])
        self.denials: list[dict[str, Any]] = []
        self.started = time.monotonic()
        self.turns = 1

    # ------------------------------------------------------------ what it says

    def emit(self, event: dict[str, Any]) -> None:
        event |= {"session_id": self.session, "uuid": str(uuid.uuid4())}
        sys.stdout.write(json.dumps(event, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    def greet(self) -> None:
        self.emit({
            "type": "system", "subtype": "init", "cwd": str(Path.cwd()), "tools": self.tools,
            "mcp_servers": [], "model": self.model, "permissionMode": "dontAsk",
            "slash_commands": [], "apiKeySource": "none", "claude_code_version": VERSION,
            "agents": [], "skills": [],
        })

    def speak(self, content: dict[str, Any]) -> None:
        self.emit({
            "type": "assistant", "parent_tool_use_id": None,
            "message": {
                "id": f"msg_{uuid.uuid4().hex[:24]}", "type": "message", "role": "assistant",
                "model": self.model, "content": [content], "stop_reason": None,
                "usage": self.usage(),
            },
        })

    def use(self, tool: str, given: dict[str, Any], result: str, *, error: bool = False) -> None:
        """A tool call and what came of it."""
        name = f"toolu_{uuid.uuid4().hex[:24]}"
        self.turns += 1
        self.speak({"type": "tool_use", "id": name, "name": tool, "input": given})
        came = {"type": "tool_result", "tool_use_id": name, "content": result, "is_error": error}
        self.emit({
            "type": "user", "parent_tool_use_id": None,
            "message": {"role": "user", "content": [came]},
        })

    def usage(self) -> dict[str, int]:
        return {
            "input_tokens": len(self.prompt) // 4 + 50 * self.turns,
            "output_tokens": 20 * self.turns,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        }

    def finish(self, **parts: Any) -> int:
        """The result event; its keys as claude has them, fewer of them for its own errors."""
        spent, usage = int((time.monotonic() - self.started) * 1000), self.usage()
        dollars = round(0.01 * self.turns, 4)
        event: dict[str, Any] = {
            "type": "result", "subtype": "success", "is_error": False, "duration_ms": spent,
            "duration_api_ms": spent, "num_turns": self.turns, "stop_reason": "end_turn",
            "total_cost_usd": dollars, "usage": usage,
            "modelUsage": {self.model: {
                "inputTokens": usage["input_tokens"], "outputTokens": usage["output_tokens"],
                "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "webSearchRequests": 0,
                "costUSD": dollars, "contextWindow": 200_000, "maxOutputTokens": 64_000,
            }},
            "permission_denials": self.denials, "fast_mode_state": "off",
        }
        if parts.get("subtype", "success") == "success":
            event |= {
                "api_error_status": None, "ttft_ms": 1, "ttft_stream_ms": 1,
                "time_to_request_ms": 1, "result": "", "terminal_reason": "completed",
            }
        self.emit({**event, **parts})
        return 1 if parts.get("is_error") else 0

    # ------------------------------------------------------------ what it does

    def follow(self, actions: list[dict[str, Any]]) -> int:
        for action in actions:
            ((name, value),) = action.items()
            do = getattr(self, f"do_{name}", None)
            if do is None:
                fail(f"scripted agent: no such action: {name}")
            if (code := do(value)) is not None:
                return int(code)
        return self.do_no_answer(True)

    def may(self, tool: str, rule: str, given: dict[str, Any]) -> bool:
        """In dontAsk what no rule allows is denied, and the run goes on."""
        if tool in self.tools and rule in self.allowed:
            return True
        if tool in self.tools:
            denial = {"tool_name": tool, "tool_use_id": "toolu_denied", "tool_input": given}
            self.denials.append(denial)
            words = f"Permission to use {tool} has been denied (don't ask mode)."
        else:
            words = f"No such tool available: {tool}"
        self.use(tool, given, words, error=True)
        return False

    def do_write(self, files: dict[str, str], mode: str = "w") -> None:
        for name, text in files.items():
            given = {"file_path": name, "content": text}
            if self.may("Write", "Edit(./**)", given):
                path = Path(name)
                try:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with path.open(mode, encoding="utf-8") as out:
                        out.write(text)
                except OSError as problem:
                    self.use("Write", given, f"{problem.strerror}", error=True)
                else:
                    self.use("Write", given, f"File written: {name}")

    def do_append(self, files: dict[str, str]) -> None:
        self.do_write(files, "a")

    def do_replace(self, files: dict[str, list[str]]) -> None:
        for name, (old, new) in files.items():
            given = {"file_path": name, "old_string": old, "new_string": new}
            if self.may("Edit", "Edit(./**)", given):
                path = Path(name)
                text = path.read_text(encoding="utf-8")
                if old not in text:
                    self.use("Edit", given, "String to replace not found in file.", error=True)
                else:
                    path.write_text(text.replace(old, new, 1), encoding="utf-8")
                    self.use("Edit", given, f"The file {name} has been updated.")

    def do_remove(self, names: list[str]) -> None:
        """There is no tool for it: claude has to ask at the door, as `cell remove`."""
        self.do_cell(["remove", *names])

    def do_read(self, names: list[str]) -> None:
        for name in names:
            try:
                self.use("Read", {"file_path": name}, Path(name).read_text(encoding="utf-8")[:2000])
            except OSError as problem:
                self.use("Read", {"file_path": name}, f"{problem.strerror}", error=True)

    def do_cell(self, words: list[str]) -> None:
        given = {"command": " ".join(["agentcells", "cell", *words])}
        if self.may("Bash", "Bash(agentcells cell *)", given):
            self._run(["agentcells", "cell", *words], given)

    def do_shell(self, command: str) -> None:
        """Straight to the system, past every permission: what a broken-out agent would do."""
        self._run(["/bin/sh", "-c", command], {"command": command})

    def _run(self, argv: list[str], given: dict[str, Any]) -> None:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False)
        said = (done.stdout + done.stderr)[:30_000]
        self.use("Bash", given, said, error=done.returncode != 0)

    def do_leave(self, how: str) -> None:
        """A process that tries to outlive the run; `how:seconds` says for how long."""
        how, _, seconds = how.partition(":")
        quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        sleep = ["sleep", seconds or "86400"]
        if how in ("nohup", "setsid"):
            subprocess.Popen([how, *sleep], **quiet)
        elif how in ("double", "cleared"):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.chdir("/")
                    os.execvpe("sleep", sleep, {} if how == "cleared" else dict(os.environ))
                os._exit(0)
        else:
            subprocess.Popen(sleep, **quiet)
        self.use("Bash", {"command": f"({how}) {' '.join(sleep)} &"}, "")

    def do_say(self, words: str) -> None:
        self.speak({"type": "text", "text": words})

    def do_sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def do_stdout(self, words: str) -> None:
        sys.stdout.write(words)
        sys.stdout.flush()

    def do_stderr(self, words: str) -> None:
        print(words, file=sys.stderr, flush=True)

    def do_flood(self, size: int) -> None:
        for _ in range(max(1, size // 65_536)):
            self.do_say("x" * 65_400)

    def do_hang(self, _: bool) -> None:
        time.sleep(86_400)

    def do_exit(self, code: int) -> int:
        return code

    def do_answer(self, answer: dict[str, str]) -> int:
        """As claude: what the schema does not allow is asked for again, and at last given up."""
        if self._valid(answer):
            return self.do_answer_unchecked(answer)
        for _ in range(3):
            self.use("StructuredOutput", answer, "It does not match the schema", error=True)
        return self.do_error("bad_answer")

    def _valid(self, answer: dict[str, str]) -> bool:
        known = self.schema.get("properties", {})
        if set(answer) - set(known) or set(self.schema.get("required", ())) - set(answer):
            return False
        return all(value in known[name].get("enum", [value]) for name, value in answer.items())

    def do_answer_unchecked(self, answer: dict[str, Any]) -> int:
        self.use("StructuredOutput", answer, "Structured output provided successfully")
        text = json.dumps(answer, ensure_ascii=False)
        return self.finish(structured_output=answer, result=text, stop_reason="tool_use")

    def do_no_answer(self, _: bool) -> int:
        return self.finish(result="I am done.")

    def do_error(self, kind: str) -> int:
        return self.finish(is_error=True, **ERRORS[kind])


def rule_for(rules: list[dict[str, Any]], prompt: str) -> dict[str, Any]:
    """The first rule whose conditions hold for this prompt."""
    found = re.search(r"^Cell: (\S+)$", prompt, re.MULTILINE)
    cell = found[1] if found else ""
    for rule in rules:
        fits = re.search(rule.get("prompt", ""), prompt, re.MULTILINE)
        if fits and rule.get("cell", cell) == cell:
            return rule
    fail(f"scripted agent: no rule for the cell {cell!r}")


def main(argv: list[str]) -> int:
    script: list[dict[str, Any]] = []
    if argv[:1] == ["--script"]:
        script = json.loads(Path(argv[1]).read_text(encoding="utf-8"))["rules"]
        argv = argv[2:]
    if "--version" in argv:
        print(f"{VERSION} (Claude Code)")
        return 0
    if "--help" in argv:
        print("Usage: claude [options] [prompt]\n\nOptions:")
        for flag, count in FLAGS.items():
            print(f"  {flag}{'' if count == 0 else ' <value>'}")
        return 0
    flags = parse(argv)
    schema = check(flags)
    prompt = sys.stdin.read()
    if not prompt.strip():
        fail("Error: Input must be provided through stdin when using --print")
    agent = Agent(flags, schema, prompt)
    agent.greet()
    return agent.follow(rule_for(script, prompt)["do"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
