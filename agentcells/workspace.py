"""The workspace of a run: files from the bare repository, the verbs that need its history, and
the seal at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentcells.git import Git, records_ref
from agentcells.history import HistoryError
from agentcells.history.kept import take_in, take_over
from agentcells.history.sealed import Sealed
from agentcells.history.walk import Bounds
from agentcells.model import Problem, Sha
from agentcells.run import FileView, Finding, Order, TreeTest
from agentcells.sentences import say
from agentcells.store import Limits

if TYPE_CHECKING:
    from agentcells.faces import Face
    from agentcells.gate import Rules
    from agentcells.secrets import Secrets

LOG_LIMIT = 1 << 20
NEW_BYTES = 128 << 20  # or twice what the gate lets through: more is not even kept
MARKER = b"<<<<<<< present-state"  # begins each of ours
UNRECORDED = "What was not recorded when the run ended"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """The work as it was when everything had ended."""

    sha: Sha | None = None
    tree: str = ""
    changed: bool = False
    records: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()


class Workspace:
    """One run's files.

    The gate is asked at each record, so the model learns of a refusal at once (R40).
    """

    def __init__(
        self, git: Git, order: Order, limits: Limits, folder: Path, secrets: Mapping[str, str]
    ) -> None:
        self.git = git
        self.order = order
        self.limits = limits
        self.folder = folder
        self._known = secrets
        self.merging: Sha | None = None
        self.tree, conflicts = self._beginning()
        self.history = Sealed(
            git, folder / "work", order.start, order.base, limits.keep, limits.allow_links,
            self._inspect, conflicts=conflicts, merging=self.merging, ref=records_ref(order.run),
            bounds=Bounds(new_bytes=max(NEW_BYTES, 2 * limits.max_bytes)),
        )

    def _inspect(self, files: Sequence[FileView], message: str) -> tuple[Finding, ...]:
        from agentcells import gate

        rules, secrets = self._gate
        return gate.check_record(rules, secrets, files, message)

    @cached_property
    def _gate(self) -> tuple[Rules, Secrets]:
        """What the gate needs. It takes a moment to load, and the first question comes late."""
        from agentcells import gate
        from agentcells.secrets import Secrets

        return gate.Rules.from_config(self.limits), Secrets.of(self._known)

    def expect_questions(self) -> None:
        """Load what answers the door, while the agent is starting."""
        from agentcells import operations

        assert operations.OPERATIONS
        assert self._gate

    def _beginning(self) -> tuple[str, tuple[str, ...]]:
        """The tree to lay out, and its paths with conflict markers; "" is the start's own.

        The start, with the kept work of an earlier run (R40), and with the branch that a merge
        of the two could not take in by itself (R44).
        """
        order, tree = self.order, ""
        conflicts: tuple[str, ...] = ()
        kept = self.git.rev(order.kept) if order.kept else None
        if kept is not None:
            merge = take_over(self.git, kept, order.start, self._refused_of(kept))
            tree, conflicts = merge.tree, tuple(merge.conflicts)
        if order.merging is not None and not conflicts:
            merge = take_in(self.git, order.start, tree, order.merging)
            tree, conflicts, self.merging = merge.tree, tuple(merge.conflicts), order.merging
        return tree, tuple(dict.fromkeys([*conflicts, *self._marked(tree)]))

    def _marked(self, tree: str) -> list[str]:
        """Paths in which an earlier run left markers of ours: they are still to be settled."""
        if not tree:
            return []
        changed = {delta.path: delta.new for delta in self.git.changed(self.order.start, tree)
                   if delta.new_mode.startswith("100")}
        contents = dict(self.git.blobs(set(changed.values())))
        return [path for path, sha in changed.items()
                if any(line.startswith(MARKER) for line in contents[sha].split(b"\n"))]

    def _refused_of(self, kept: Sha) -> set[str]:
        """Paths of kept work that the gate would not let out: they are not carried on (R40)."""
        views = self.git.commit_views(kept, [self.order.start])
        files = [file for view in views for file in view.files]
        return {finding.path for finding in self._inspect(files, "") if finding.path}

    # ------------------------------------------------------------ before

    def lay_out(self, account: tuple[int, int] | None = None) -> None:
        self.history.materialise(self.tree, account)

    def lay_out_aside(
        self, folder: Path, *, base: bool, account: tuple[int, int] | None = None
    ) -> None:
        """The files that setup works on, in a folder of their own: the base's, or these (R37)."""
        commit = self.order.base if base else self.order.start
        Sealed(self.git, folder, commit, commit).materialise("" if base else self.tree, account)

    def entries(self) -> Mapping[str, Any]:
        return self.git.entries(self.tree or self.order.start)

    # ------------------------------------------------------------ during

    def answer(self, argv: list[str], tested: TreeTest | None) -> dict[str, Any]:
        """A verb of the door that the supervisor does not do itself."""
        from agentcells import operations

        return operations.cell(argv, self.history, self.order, self.limits, tested, self._write_log)

    def _write_log(self, text: str) -> None:
        """What went wrong below a verb: for a person, never for the model. It comes to an end."""
        try:
            with (self.folder / "verbs.log").open("a", encoding="utf-8") as out:
                if out.tell() < LOG_LIMIT:
                    out.write(f"{text}\n")
        except OSError:
            return  # a full disk: the verb is answered all the same

    def tree_now(self) -> str:
        """ "" when the files cannot be taken in: then no test can count for them."""
        try:
            return self.history.tree_now()
        except Problem:
            return ""

    # ------------------------------------------------------------ after

    def seal(self) -> Seal:
        """What was not recorded as one more record (R42); with what is refused left out, so the
        rest is kept."""
        refusals: tuple[str, ...] = ()
        try:
            sha = self.history.seal(UNRECORDED)
        except HistoryError as refused:
            refusals = (say(refused.key, self.order.language, **refused.slots),)
            try:
                sha = self.history.seal(UNRECORDED, leave_out=True)
            except HistoryError as again:
                return Seal(
                    refusals=(*refusals, say(again.key, self.order.language, **again.slots))
                )
        refusals += tuple(
            say("records_markers_left", self.order.language, path=path)
            for path in self.history.unresolved()
        )
        git = self.history.git  # it knows already
        tree = git.tree(sha)
        return Seal(
            sha=sha,
            tree=tree,
            changed=tree != git.tree(self.order.start),
            refusals=refusals,
            records=self.history.messages(),
        )


_KINDS: dict[str, dict[str, object]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}},
    "number": {"type": "integer", "minimum": 0},
    "flag": {"type": "boolean"},
}


def tools(order: Order, limits: Limits) -> list[dict[str, Any]]:
    """The verbs that this cell has, as tools (`door = "mcp"`)."""
    from agentcells import operations

    left_out = set() if order.writes else {"record", "remove"}
    left_out |= {verb for verb in ("build", "test") if not getattr(limits, verb)}
    faces = [(operation, operation.faces.get("cell")) for operation in operations.OPERATIONS]
    return [
        _tool(face, say(face.about or operation.about))
        for operation, face in faces
        if face and face.name not in left_out
    ]


def _tool(face: Face, description: str) -> dict[str, Any]:
    """One verb as a tool, with the command line words that its arguments become."""
    return {
        "name": face.name,
        "description": description,
        "inputSchema": {
            "type": "object",
            "additionalProperties": False,
            "properties": {argument.name: _KINDS[argument.kind] for argument in face.arguments},
            "required": [argument.name for argument in face.arguments if argument.required],
        },
        "options": {a.name: a.options[0] for a in face.arguments if a.options},
    }
