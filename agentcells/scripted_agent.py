"""An agent that follows a script: claude's command line and stream-json, without a model. For demo and tests.

A program of its own on the standard library alone: `[agent] command = ["python3", ".../scripted_agent.py",
"--script", "/path/script.json"]`. The script is `{"rules": [{"cell": NAME, "prompt": REGEX, "do": [ACTION, ...]}]}`;
both conditions may be left out, the first rule that fits is followed. Actions, each an object with one key:

    write {path: text}   append {path: text}   replace {path: [old, new]}   remove [path]   read [path]
    cell [verb, word...]   shell "command"   sleep seconds   say "text"   leave "background|nohup|setsid|double|cleared"
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

# Flag: how many values it takes; None: as many as follow.
FLAGS: dict[str, int | None] = {
    "-p": 0, "--print": 0, "--verbose": 0, "--strict-mcp-config": 0, "--disable-slash-commands": 0,
    "--no-session-persistence": 0, "--output-format": 1, "--setting-sources": 1, "--permission-mode": 1,
    "--json-schema": 1, "--session-id": 1, "--max-turns": 1, "--max-budget-usd": 1, "--model": 1,
    "--effort": 1, "--fallback-model": 1, "--settings": 1, "--append-system-prompt": 1,
    "--tools": None, "--allowedTools": None, "--disallowedTools": None, "--mcp-config": None,
}

# As claude ends when the API or itself says no: the parts of its result event, and its exit code.
ERRORS: dict[str, dict[str, Any]] = {
    "credential": {"api_error_status": 401, "result": "Invalid API key · Fix external API key"},
    "not_logged_in": {"api_error_status": None, "result": "Not logged in · Please run /login"},
    "forbidden": {"api_error_status": 403, "result": "Failed to authenticate. API Error: 403 forbidden"},
    "bad_request": {"api_error_status": 400, "result": "API Error: 400 bad request"},
    "credit": {"api_error_status": 400, "result": "Credit balance is too low"},
    "no_model": {"api_error_status": 404, "result": "There's an issue with the selected model (x)."},
    "too_long": {
        "api_error_status": 400, "result": "Prompt is too long", "terminal_reason": "prompt_too_long",
    },
    "too_large": {
        "api_error_status": 413, "result": "Request too large (max 32MB)", "terminal_reason": "image_error",
    },
    "usage_limit": {
        "api_error_status": 429,
        "result": "API Error: Request rejected (429) · You've hit your usage limit · resets 3pm",
    },
    "server": {"api_error_status": 500, "result": "API Error: 500 oops. This is a server-side issue"},
    "overload": {"api_error_status": None, "result": "API Error: Repeated 529 Overloaded errors."},
    "network": {
        "api_error_status": None, "result": "API Error: Unable to connect to API (ConnectionRefused)",
    },
    "malformed": {"api_error_status": None, "result": "API Error: Failed to parse JSON"},
    "refusal": {
        "api_error_status": None, "stop_reason": "refusal",
        "result": "API Error: Claude Code is unable to respond to this request (Usage Policy)",
    },
    "context": {
        "api_error_status": None, "result": "API Error: The model has reached its context window limit.",
    },
    "turns": {
        "subtype": "error_max_turns", "terminal_reason": "max_turns",
        "errors": ["Reached maximum number of turns (2)"],
    },
    "budget": {"subtype": "error_max_budget_usd", "errors": ["Reached maximum budget ($0.2)"]},
    "bad_answer": {
        "subtype": "error_max_structured_output_retries",
        "errors": ["Failed to provide valid structured output after 3 attempts"],
    },
    "execution": {
        "subtype": "error_during_execution", "errors": ["[ede_diagnostic] result_type=user"],
    },
}


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
            fail(f"error: unknown option '{flag}'" if flag.startswith("-") else "error: too many arguments")
        count, values = FLAGS[flag], found.setdefault(flag, [])
        while place < len(argv) and (len(values) < count if count is not None else argv[place][:1] != "-"):
            values.append(argv[place])
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
        if name in flags and not _positive(flags[name][0]):
            fail(f"error: option '{name} <amount>' argument must be a positive number greater than 0")
    try:
        uuid.UUID(flags.get("--session-id", [str(uuid.uuid4())])[0])
    except ValueError:
        fail("Error: Invalid session ID. Must be a valid UUID.")
    try:
        schema = json.loads(flags.get("--json-schema", ["{}"])[0])
    except ValueError as problem:
        fail(f"Error: --json-schema is not valid JSON: {problem}")
    return schema if isinstance(schema, dict) else {}


def _positive(word: str) -> bool:
    try:
        return float(word) > 0
    except ValueError:
        return False


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
            "mcp_servers": [], "model": self.model, "permissionMode": "dontAsk", "slash_commands": [],
            "apiKeySource": "none", "claude_code_version": VERSION, "agents": [], "skills": [],
        })

    def speak(self, content: dict[str, Any]) -> None:
        self.emit({
            "type": "assistant", "parent_tool_use_id": None,
            "message": {
                "id": f"msg_{uuid.uuid4().hex[:24]}", "type": "message", "role": "assistant",
                "model": self.model, "content": [content], "stop_reason": None, "usage": self.usage(),
            },
        })

    def use(self, tool: str, given: dict[str, Any], result: str, *, error: bool = False) -> None:
        """A tool call and what came of it."""
        name = f"toolu_{uuid.uuid4().hex[:24]}"
        self.turns += 1
        self.speak({"type": "tool_use", "id": name, "name": tool, "input": given})
        self.emit({
            "type": "user", "parent_tool_use_id": None,
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": name, "content": result, "is_error": error},
            ]},
        })

    def usage(self) -> dict[str, int]:
        return {
            "input_tokens": len(self.prompt) // 4 + 50 * self.turns, "output_tokens": 20 * self.turns,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        }

    def finish(self, **parts: Any) -> int:
        """The result event; its keys as claude has them, fewer of them for its own error endings."""
        spent, usage = int((time.monotonic() - self.started) * 1000), self.usage()
        event: dict[str, Any] = {
            "type": "result", "subtype": "success", "is_error": False, "duration_ms": spent,
            "duration_api_ms": spent, "num_turns": self.turns, "stop_reason": "end_turn",
            "total_cost_usd": round(0.01 * self.turns, 4), "usage": usage,
            "modelUsage": {self.model: {
                "inputTokens": usage["input_tokens"], "outputTokens": usage["output_tokens"],
                "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "webSearchRequests": 0,
                "costUSD": round(0.01 * self.turns, 4), "contextWindow": 200_000, "maxOutputTokens": 64_000,
            }},
            "permission_denials": self.denials, "fast_mode_state": "off",
        }
        if parts.get("subtype", "success") == "success":
            event |= {
                "api_error_status": None, "ttft_ms": 1, "ttft_stream_ms": 1, "time_to_request_ms": 1,
                "result": "", "terminal_reason": "completed",
            }
        self.emit({**event, **parts})
        return 1 if parts.get("is_error") else 0

    # ------------------------------------------------------------ what it does

    def follow(self, actions: list[dict[str, Any]]) -> int:
        for action in actions:
            (name, value), = action.items()
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
            self.denials.append({"tool_name": tool, "tool_use_id": "toolu_denied", "tool_input": given})
        words = f"Permission to use {tool} has been denied because Claude Code is running in don't ask mode."
        self.use(tool, given, words if tool in self.tools else f"No such tool available: {tool}", error=True)
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
            done = subprocess.run(["agentcells", "cell", *words], capture_output=True, text=True, check=False)
            self.use("Bash", given, done.stdout[:30_000], error=done.returncode != 0)

    def do_shell(self, command: str) -> None:
        """Straight to the system, past every permission: what a broken-out agent would do."""
        done = subprocess.run(
            ["/bin/sh", "-c", command], capture_output=True, text=True, check=False, errors="replace"
        )
        self.use("Bash", {"command": command}, (done.stdout + done.stderr)[:30_000], error=done.returncode != 0)

    def do_leave(self, how: str) -> None:
        """A process that tries to outlive the run."""
        quiet: dict[str, Any] = {
            "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
        }
        sleep = ["sleep", "86400"]
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
        self.use("Bash", {"command": f"({how}) sleep 86400 &"}, "")

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

    def do_hang(self, _: bool) -> NoReturn:
        while True:
            time.sleep(3600)

    def do_exit(self, code: int) -> int:
        return code

    def do_answer(self, answer: dict[str, str]) -> int:
        """As claude: what the schema does not allow is asked for again, and at last given up."""
        if self._valid(answer):
            return self.do_answer_unchecked(answer)
        for _ in range(3):
            self.use("StructuredOutput", answer, "Output does not match required schema", error=True)
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
        if rule.get("cell", cell) == cell and re.search(rule.get("prompt", ""), prompt, re.MULTILINE):
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
        print("\n".join(f"  {flag}{'' if count == 0 else ' <value>'}" for flag, count in FLAGS.items()))
        return 0
    flags = parse(argv)
    schema = check(flags)
    prompt = sys.stdin.read()
    if not prompt.strip():
        fail("Error: Input must be provided either through stdin or as a prompt argument when using --print")
    agent = Agent(flags, schema, prompt)
    agent.greet()
    return agent.follow(rule_for(script, prompt)["do"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
