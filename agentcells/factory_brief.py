"""What a cell on "factory" is told (R50): its job, the figures, what it has filed before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentcells import text
from agentcells.comments import gauge_line
from agentcells.factory_cells import FIELDS, new_causes, open_causes, with_found
from agentcells.gauges import ENOUGH, WEEKS
from agentcells.model import DONE, FILE, OVER
from agentcells.plan import Filed, Gauge, Sight, Snapshot
from agentcells.sentences import say

if TYPE_CHECKING:
    from agentcells.config import Cell, Config

FIGURES = 40  # that are shown; the farthest from what is usual come first
FILED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class FactoryBrief:
    """A prompt, and what the answer to it will be held against."""

    prompt: str
    nexts: tuple[str, ...]
    extra_fields: tuple[str, ...]
    causes: tuple[tuple[str, float, str], ...]


def factory_brief(
    config: Config, cell: Cell, sight: Sight, snapshot: Snapshot, nonce: str
) -> FactoryBrief:
    """The prompt of one run. Titles of items are other people's words and stand in a fence."""
    book = with_found(snapshot.book(cell.name), sight)
    marked = new_causes(snapshot, sight) if cell.unusual else ()
    language = config.factory.language
    causes = tuple((one.key, one.limit, gauge_line(config, one, language)) for one in marked)
    filed = open_causes(book)
    over = (OVER,) if filed and not cell.unusual else ()
    nexts = (FILE, *over, DONE)
    room = _Words(config, cell, nonce)
    return FactoryBrief(
        prompt="\n".join([
            *room.opening(), *room.rules(nexts, bool(causes)), *room.figures(sight, marked),
            *room.filed(filed), "", room.say("prompt_factory_closing", nexts=_listed(nexts)),
        ]),
        nexts=nexts, extra_fields=tuple(dict.fromkeys([*FIELDS, *cell.fields])), causes=causes,
    )


@dataclass(frozen=True, slots=True)
class _Words:
    config: Config
    cell: Cell
    nonce: str

    def say(self, key: str, **slots: object) -> str:
        return say(key, self.config.factory.language, **slots)

    def opening(self) -> list[str]:
        repos = ", ".join(self.config.forge.repos)
        return [
            self.say("prompt_opening", nonce=self.nonce), "", f"Cell: {self.cell.name}",
            self.say("prompt_factory_item", repos=repos), "", f"# {self.say('prompt_purpose')}",
            "", self.cell.prompt_text.strip(),
        ]

    def rules(self, nexts: tuple[str, ...], given: bool) -> list[str]:
        lines = [self.say("prompt_reads_only")]
        lines += [self.say("prompt_test")] if self.config.commands.test else []
        lines.append(self.say("prompt_factory_fields"))
        lines.append(self.say("prompt_factory_cause_given" if given else "prompt_factory_cause"))
        if self.cell.fields:
            lines.append(self.say("prompt_fields", names=_listed(self.cell.fields)))
        lines += [self.say("prompt_factory_comment"), self.say("prompt_factory_next")]
        return [
            "", f"# {self.say('prompt_rules')}", "", *(f"- {line}" for line in lines),
            *(f"  - `{name}`: {self.say(f'prompt_factory_{name}')}" for name in nexts),
        ]

    def figures(self, sight: Sight, marked: tuple[Gauge, ...]) -> Iterator[str]:
        """All figures, those to look into with their weeks and examples."""
        if not sight.gauges:
            return
        yield from ("", f"# {self.say('prompt_factory_figures')}",
                    self.say("prompt_factory_figures_means", weeks=WEEKS, enough=ENOUGH), "")
        others = [one for one in sight.gauges if one not in marked][:FIGURES]
        language = self.config.factory.language
        for one in (*marked, *others):
            mark = f"**{self.say('prompt_factory_marked')}** " if one in marked else ""
            yield f"- {mark}`{one.key}`: {gauge_line(self.config, one, language)}"
            if one in marked:
                weeks = ", ".join(f"{value:g}" for value in one.weeks)
                yield f"  - {self.say('prompt_factory_weeks', weeks=weeks)}"
        examples = "\n".join(_example(gauge) for gauge in marked if gauge.items)
        if examples:
            shown = text.show_hidden(text.clean(examples))
            yield from ("", text.fence(shown, self.say("prompt_factory_examples"), self.nonce))

    def filed(self, filed: tuple[Filed, ...]) -> list[str]:
        lines = [f"- {one.repo}#{one.number}: `{one.cause}`" for one in filed[-FILED:]]
        return ["", f"# {self.say('prompt_factory_filed')}", "",
                *(lines or [self.say("prompt_none")])]


def _example(gauge: Gauge) -> str:
    found = [f"{item} ({share:g}): {text.printable(title)}" for item, title, share in gauge.items]
    return "\n".join([f"{gauge.key}:", *(f"  {line}" for line in found)])


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


__all__ = ["FactoryBrief", "factory_brief"]
