"""The tools that an agent sees which a person drives: names, words, arguments; every byte is ours.

Only the table of operations is shown here. The low-level tools of `worker_tools` are another
server, and this room does not know them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from agentcells.brain_session import Session
from agentcells.door import Envelope
from agentcells.faces import Argument, Face, face_with
from agentcells.operations import OPERATIONS, answer
from agentcells.project import Setting
from agentcells.sentences import say

Tool: TypeAlias = dict[str, Any]

CORE = (
    "session_start", "start", "observe", "record", "publish", "finish", "issue_read",
    "issue_create", "issue_comment",
)
_READS = ("observe", "status", "diff", "history", "issue_read", "issue_list")
_ONCE_OR_TWICE = ("session_start", "start", "finish", "publish", "update", "issue_update",
                  "issue_close", "switch_line", "merge_line")
_OUTSIDE = ("publish", "update", "issue_create", "issue_comment", "issue_update", "issue_close",
            "delegate")


def listed(*, core: bool = False, options: Iterable[str] = ()) -> dict[str, str]:
    """Operation to tool, in the order of the list. `options`: what the person turned on besides."""
    wanted = {"", *options}
    return {
        operation.id: operation.faces["brain"].name for operation in OPERATIONS
        if "brain" in operation.faces and operation.option in wanted
        and (not core or operation.id in CORE)
    }


def tools(names: dict[str, str], language: str, options: Iterable[str] = ()) -> list[Tool]:
    """As they go into tools/list."""
    on = tuple(options)
    rows = [(op.id, face_with(op.faces["brain"], on)) for op in OPERATIONS if op.id in names]
    return [
        {
            "name": face.name, "description": say(face.about, language),
            "inputSchema": schema(face), "annotations": client_hints(operation),
        }
        for operation, face in rows
    ]


def schema(face: Face) -> dict[str, Any]:
    """Short, because each request carries it; `answer` checks more than it says."""
    found: dict[str, Any] = {
        "type": "object", "properties": {a.name: _type(a) for a in face.arguments},
    }
    if required := [argument.name for argument in face.arguments if argument.required]:
        found["required"] = required
    return found


def client_hints(operation: str) -> dict[str, bool]:
    """Hints for the client; the agent does not see them."""
    reads = operation in _READS
    return {
        "readOnlyHint": reads, "destructiveHint": False,
        "idempotentHint": reads or operation in _ONCE_OR_TWICE,
        "openWorldHint": operation in _OUTSIDE,
    }


class BrainDesk:
    """What `mcp_server` serves to such an agent."""

    name = "work-records"

    def __init__(
        self, setting: Setting, language: str, log: Callable[[str], None], *, core: bool = False,
        options: Iterable[str] = (),
    ) -> None:
        self.language = language
        self._setting = setting
        self._log = log
        self._options = tuple(options)
        self._names = listed(core=core, options=self._options)

    @property
    def instructions(self) -> str:
        return say("work_instructions", self.language)

    def tools(self) -> list[Tool]:
        return tools(self._names, self.language, self._options)

    def open(self) -> Session:
        return Session(setting=self._setting, write_log=self._log, names=self._names,
                       language=self.language, options=self._options)

    def call(self, state: Session, tool: str, arguments: dict[str, Any]) -> Envelope:
        return answer("brain", tool, arguments, state)

    def log(self, text: str) -> None:
        self._log(text)


def _type(argument: Argument) -> dict[str, Any]:
    match argument.kind:
        case "text":
            return {"type": "string"}
        case "number":
            return {"type": "integer"}
        case "flag":
            return {"type": "boolean"}
        case "choice":
            return {"enum": list(argument.choices)}
        case "numbers":
            return {"type": "array", "items": {"type": "integer"}}
        case "texts":
            return {"type": "array", "items": {"type": "string"}}


__all__ = ["CORE", "BrainDesk", "Session", "Tool", "client_hints", "listed", "schema", "tools"]
