"""What a cell is told: its task, its rules, and everybody's words sorted by whose they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agentcells import text, trust
from agentcells.checks import cleaned
from agentcells.markers import below, parse_marker
from agentcells.model import (
    ANSWER,
    DONE,
    MERGE,
    NEEDS_HUMAN,
    SUB_ISSUES,
    Account,
    Comment,
    Member,
    Pair,
    Problem,
)
from agentcells.plan import Claim, Snapshot
from agentcells.posts import Marker
from agentcells.sentences import say
from agentcells.threads import field_of, unanswered

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

LIMIT = 200_000  # characters of the whole prompt
BLOCK = 20_000  # of one reference or hand-over; instructions and task are never cut
CHECK_LOG = 8_000
EDIT_GRACE_S = 1.0  # a forge without a history of edits stamps a new comment twice

_MEMBERS: tuple[Member, ...] = ("issue", "pull")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """A prompt, and what the answer to it will be held against."""

    prompt: str
    nexts: tuple[str, ...]
    extra_fields: tuple[str, ...]
    seen: tuple[str, ...]
    text_hash: str
    threads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """One text of somebody, ready to be shown. `at` orders the blocks of a class."""

    at: datetime
    shown: str


def brief(
    config: Config, pair: Pair, claim: Claim, snapshot: Snapshot, kept: str,
    conflicts: tuple[str, ...], nonce: str, *, stands: bool = False,
) -> Brief:
    """The prompt of one run. Raises Problem: not approved any more, or no room for the owner.

    `stands`: what a run before recorded is on the branch and waits only for its pull request (R33).
    """
    cell = config.cell(claim.cell)
    if cell is None:
        raise Problem("prompt_no_cell", cell=claim.cell)
    approval = trust.may_run(config, pair, cell, snapshot)
    if isinstance(approval, trust.Distrust):
        raise Problem("prompt_not_approved", item=pair.key)
    room = _Room(config, pair, cell, claim, snapshot, nonce, stands=stands)
    nexts = _nexts(cell, claim.reply)
    must = [
        *room.opening(),
        *room.rules(nexts, kept, conflicts),
        *room.section("prompt_task", [room.fenced(approval.title, "prompt_task_title"),
                                      room.fenced(_unmarked(approval.body), "prompt_task_body")]),
        *room.section("prompt_instructions", room.instructions()),
    ]
    return Brief(
        prompt=room.fitted(must, nexts),
        nexts=nexts,
        extra_fields=(*cell.fields, *map(field_of, range(len(room.threads)))),
        threads=tuple(line.thread_id for line in room.threads),
        seen=seen(pair),
        text_hash=approval.text_hash,
    )


def instructions(config: Config, pair: Pair, snapshot: Snapshot) -> tuple[Comment, ...]:
    """The owner's words on both members, and on the pull requests of earlier attempts, oldest first (R27).

    What he wrote on one that he then closed is why there is another attempt.
    """
    everywhere = (pair, *(Pair(issue=None, pull=pull) for pull in pair.older))
    said = [
        comment for one in everywhere
        for comment in trust.owner_said(config, one, snapshot.owner, snapshot.viewer)
    ]
    return tuple(sorted(said, key=lambda comment: comment.created_at))


def seen(pair: Pair) -> tuple[str, ...]:
    """Ids of the newest comment, review and thread line of each member (R14)."""
    newest: dict[tuple[Member, str], Comment] = {}
    for member, comment in _comments(pair):
        newest[member, comment.kind] = comment
    return tuple(comment.id for comment in newest.values())


def _nexts(cell: Cell, reply: bool) -> tuple[str, ...]:
    """The enum of the answer: the cell's own, then the ways that are always open (R5, R7)."""
    return tuple(dict.fromkeys([*cell.next, NEEDS_HUMAN, *([ANSWER] if reply else [])]))


def _comments(pair: Pair) -> Iterator[tuple[Member, Comment]]:
    """All comments of both members, oldest first."""
    found = [
        (member, comment)
        for member in _MEMBERS
        if (item := pair.member(member)) is not None
        for comment in item.comments
    ]
    return iter(sorted(found, key=lambda one: one[1].created_at))


class _Room:
    """The making of one prompt: what all its parts need to know."""

    def __init__(
        self, config: Config, pair: Pair, cell: Cell, claim: Claim, snapshot: Snapshot, nonce: str,
        *, stands: bool,
    ) -> None:
        self.config = config
        self.pair = pair
        self.cell = cell
        self.claim = claim
        self.snapshot = snapshot
        self.nonce = nonce
        self.stands = stands
        answers = cell.writes or claim.reply
        self.threads = unanswered(config, pair, snapshot.owner, snapshot.viewer) if answers else ()

    def say(self, key: str, **slots: object) -> str:
        return say(key, self.config.factory.language, **slots)

    # ------------------------------------------------------------ our own words

    def opening(self) -> list[str]:
        members = [self.say(f"prompt_{member}", number=item.number) for member in _MEMBERS
                   if (item := self.pair.member(member)) is not None]
        return [
            self.say("prompt_opening", nonce=self.nonce),
            "",
            f"Cell: {self.cell.name}",
            self.say("prompt_item", members=", ".join(members), repo=self.pair.repo),
            "",
            self.heading("prompt_purpose"),
            "",
            self.cell.prompt_text.strip(),
        ]

    def rules(self, nexts: tuple[str, ...], kept: str, conflicts: tuple[str, ...]) -> list[str]:
        """What holds in this run (R8), so that the model itself says what is missing."""
        lines = [self.say("prompt_files" if self.cell.writes else "prompt_reads_only")]
        if self.config.commands.build:
            lines.append(self.say("prompt_build"))
        if self.config.commands.test:
            lines.append(self.say("prompt_test"))
        if self.cell.on == "pull_request":
            lines.append(self.say("prompt_whole_change"))
        if self.claim.reply:
            lines.append(self.say("prompt_reply"))
        lines += self.about_checks()
        if self.threads:
            lines.append(self.say("prompt_threads", places="; ".join(
                f"`{field_of(place)}`: {self.where(line)}" for place, line in enumerate(self.threads)
            )))
        if kept:
            lines.append(self.say("prompt_kept"))
        if conflicts:
            paths = ", ".join(f"`{text.printable(path)}`" for path in conflicts)
            lines.append(self.say("prompt_conflicts", paths=paths))
        lines += [self.say("prompt_comment"), *self.field_lines(), self.say("prompt_next")]
        return [
            "", self.heading("prompt_rules"), "",
            *(f"- {line}" for line in lines),
            *(f"  - `{name}`: {self.meaning(name)}" for name in nexts),
        ]

    def field_lines(self) -> Iterator[str]:
        if self.cell.fields:
            names = ", ".join(f"`{name}`" for name in self.cell.fields)
            yield self.say("prompt_fields", names=names)
        if SUB_ISSUES in self.cell.fields:
            yield self.say("prompt_sub_issues")

    def meaning(self, name: str) -> str:
        """One line on what an answer does and what it needs."""
        if name in (NEEDS_HUMAN, ANSWER, DONE, MERGE):
            return self.say(f"prompt_next_{name.replace('-', '_')}")
        needs = []
        target = self.config.cell(name)
        if self.cell.on == "issue" and target is not None and target.on == "pull_request":
            if self.cell.needs_record:
                key = "prompt_work_stands" if self.stands else "prompt_needs_record"
                needs.append(self.say(key))
            if self.cell.needs_test and self.config.commands.test:
                needs.append(self.say("prompt_needs_test"))
        return " ".join([self.say("prompt_next_cell", name=name), *needs])

    def heading(self, key: str) -> str:
        return f"# {self.say(key)}"

    def section(self, key: str, blocks: Iterable[str]) -> list[str]:
        """A class of text (R27) with the sentence that says what it counts for."""
        shown = list(blocks) or [self.say("prompt_none")]
        spaced = (line for block in shown for line in ("", block))
        return ["", self.heading(key), self.say(f"{key}_means"), *spaced]

    # ------------------------------------------------------------ other people's words

    def fenced(self, words: str, key: str, **slots: object) -> str:
        return text.fence(_readable(words), self.say(key, **slots), self.nonce)

    def instructions(self) -> Iterator[str]:
        """The owner's words on both members, newest last; never cut (R28)."""
        for comment in instructions(self.config, self.pair, self.snapshot):
            only_command = trust.command(comment) and len(comment.body.split()) == 1
            if comment.body.strip() and not only_command:
                yield self.fenced(comment.body, "prompt_said", where=self.where(comment),
                                  who=_login(comment.author), at=_date(comment.created_at))

    def where(self, comment: Comment) -> str:
        """What kind of comment it is, and the place a line of a review stands at."""
        words = self._where(comment)
        number = next((item.number for item in self.pair.older if comment in item.comments), None)
        return words if number is None else self.say("prompt_older_place", place=words, number=number)

    def _where(self, comment: Comment) -> str:
        words = self.say(f"prompt_{comment.kind}_place")
        if comment.verdict == "changes_requested":
            words = self.say("prompt_changes_requested")
        if comment.path:
            line = "" if comment.line is None else f":{comment.line}"
            words += f" {text.printable(comment.path)}{line}"
        return f"{words} {self.say('prompt_resolved')}" if comment.resolved else words

    def handover(self) -> tuple[dict[str, Comment], list[_Block]]:
        """The newest result of each earlier cell, ours and unedited: by id, and as blocks."""
        newest: dict[str, Comment] = {}
        for _member, comment in _comments(self.pair):
            marker = self.marker(comment)
            if marker and marker.kind == "decision" and marker.cell and not marker.cause:
                newest[marker.cell] = comment
        blocks = [
            _Block(at=comment.created_at, shown=self.fenced(
                text.bounded(_result(comment.body), BLOCK),
                "prompt_own_result" if name == self.cell.name else "prompt_result",
                cell=name, at=_date(comment.created_at),
            ))
            for name, comment in newest.items()
        ]
        return {comment.id: comment for comment in newest.values()}, blocks

    def reference(self, used: dict[str, Comment]) -> list[_Block]:
        """Everything else that somebody wrote, and the checks that failed; oldest first."""
        blocks = []
        for _member, comment in _comments(self.pair):
            if comment.id not in used and self.worth(comment):
                blocks.append(_Block(at=comment.created_at, shown=self.fenced(
                    text.bounded(_result(comment.body), BLOCK), "prompt_wrote",
                    who=_login(comment.author), where=self.where(comment),
                    at=_date(comment.created_at), edited=self.edited(comment),
                )))
        return blocks + list(self.failed_checks())

    def marker(self, comment: Comment) -> Marker | None:
        return trust.our_marker(comment, self.snapshot.viewer, self.snapshot.mac_key)

    def voice(self, comment: Comment) -> trust.Voice:
        world = self.snapshot
        return trust.voice(comment, self.config, world.owner, world.viewer, world.mac_key)

    def worth(self, comment: Comment) -> bool:
        """Instructions stand above; our ledger, notices and failures say nothing about the work."""
        marker = self.marker(comment)
        ours = marker is not None and (
            marker.kind in ("ledger", "notice") or marker.cause not in ("", ANSWER)
        )
        told = ours or self.voice(comment) == "instruction"
        return not told and bool(_result(comment.body).strip())

    def edited(self, comment: Comment) -> str:
        if comment.edits is None:
            later = (comment.updated_at - comment.created_at).total_seconds() > EDIT_GRACE_S
            return self.say("prompt_edited_since") if later else ""
        author = comment.author.id if comment.author else ""
        others = {
            _login(edit.editor) for edit in comment.edits
            if edit.editor is None or edit.editor.id != author
        }
        return self.say("prompt_edited_by", who=", ".join(sorted(others))) if others else ""

    def about_checks(self) -> Iterator[str]:
        """Which checks failed, and which of those have nothing to do with the change (R12)."""
        item = self.pair.pull
        if item is None or item.pull is None or item.pull.checks != "failure":
            return
        flaky = item.pull.flaky_checks
        real = [check.name for check in item.pull.failed_checks if check.name not in flaky]
        if self.cell.writes and (real or not flaky):
            yield self.say("prompt_checks_failed", names=_names(real))
        if flaky:
            yield self.say("prompt_checks_flaky", names=_names(flaky))

    def failed_checks(self) -> Iterator[_Block]:
        item = self.pair.pull
        if item is None or item.pull is None or item.pull.checks != "failure":
            return
        for check in item.pull.failed_checks:
            log = text.head_tail(cleaned(check.log, 2 * CHECK_LOG), CHECK_LOG)
            words = "\n".join(filter(None, [check.url, log]))
            yield _Block(at=self.snapshot.now, shown=self.fenced(
                words, "prompt_check", name=text.printable(check.name)
            ))

    # ------------------------------------------------------------ size

    def fitted(self, must: list[str], nexts: tuple[str, ...]) -> str:
        """All of `must`, then as much of the rest as there is room for, the newest first (R28)."""
        closing = ["", self.say("prompt_closing", nexts=", ".join(f"`{name}`" for name in nexts))]
        used, handed = self.handover()
        room = LIMIT - _size(must) - _size(closing) - _size(self.section("prompt_handover", [])) - (
            _size(self.section("prompt_reference", []))
        ) - 2 * len(self.say("prompt_left_out", count=1_000_000))
        if room < 0:
            raise Problem("prompt_too_long", item=self.pair.key, limit=f"{LIMIT:,}")
        handed, room = self.newest(handed, room)
        others, _ = self.newest(self.reference(used), room)
        return "\n".join([
            *must,
            *self.section("prompt_handover", (block.shown for block in handed)),
            *self.section("prompt_reference", (block.shown for block in others)),
            *closing,
        ])

    def newest(self, blocks: list[_Block], room: int) -> tuple[list[_Block], int]:
        """The newest blocks that fit, oldest of them first, and a line for what was left out."""
        ordered = sorted(blocks, key=lambda block: block.at)
        fitting: list[_Block] = []
        for block in reversed(ordered):
            cost = len(block.shown) + 2  # the empty line above and the line end
            if cost > room:
                break
            room -= cost
            fitting.insert(0, block)
        if missing := len(ordered) - len(fitting):
            note = self.say("prompt_left_out", count=missing)
            fitting.insert(0, _Block(at=self.snapshot.now, shown=note))
        return fitting, room


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{text.printable(name, one_line=True)}`" for name in names) or "?"


def _size(lines: list[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _readable(words: str) -> str:
    """Clean, hidden parts shown; a marker of ours can not be copied out of it."""
    shown = text.show_hidden(text.clean(words))
    return shown.replace("<!-- agentcells:", "<! -- agentcells:")


def _unmarked(body: str) -> str:
    return body if parse_marker(body) is None else below(body)


def _result(body: str) -> str:
    """A post of ours without its marker and without the facts folded under it."""
    if parse_marker(body) is None:
        return body
    said, _, facts = below(body).rpartition("\n<details>\n")
    return said or facts


def _login(account: Account | None) -> str:
    if account is None:
        return "ghost"
    login = text.printable(account.login)
    return login if account.kind == "user" else f"{login} ({account.kind})"


def _date(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
