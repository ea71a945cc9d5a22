"""The page of `agentcells report`: sentences, charts and tables in one file without a script."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import Any

from agentcells.charts import Line, Part, bars, columns, legend
from agentcells.columns import clock
from agentcells.config import Config
from agentcells.figures import ASKED
from agentcells.markers import outcome_words
from agentcells.sentences import SENTENCES, say
from agentcells.text import printable

Figures = Mapping[str, Any]
KINDS = ("running", "waiting", "human")
HOUR, DAY = 3600, 86400

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c1f23; --soft: #57606a; --line: #d0d7de;
  --running: #0b7a75; --waiting: #6e7f95; --human: #b45309; --done: #0b7a75; --failed: #b42318;
  --weather: #6e7f95; --started: #2563a8; --finished: #0b7a75; --stopped: #8a6d3b; --plain: #2563a8;
  --code: #f3f5f7; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171a; --ink: #e6e9ec; --soft: #a3adb8;
  --line: #3a424b; --running: #3fb8b1; --waiting: #8d9db2; --human: #e8a13c; --done: #3fb8b1;
  --failed: #f0776c; --weather: #8d9db2; --started: #6ba8e5; --finished: #3fb8b1; --stopped: #c9a86a;
  --plain: #6ba8e5; --code: #20252a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; margin: .5rem 0; } h2 { font-size: 1.2rem; margin: 2.2rem 0 .3rem; }
p { margin: .4rem 0; } .soft, caption, .how { color: var(--soft); font-size: .9rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .8rem;
  margin: 1rem 0; padding: 0; list-style: none; }
.tiles li { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .8rem; }
.tiles strong { display: block; font-size: 1.5rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .95rem; }
caption { text-align: left; padding: .3rem 0; }
th, td { text-align: left; padding: .3rem .5rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: middle; overflow-wrap: normal; }
td { font-variant-numeric: tabular-nums; }
th[scope=row] { font-weight: 500; min-width: 6rem; overflow-wrap: anywhere; }
.bar { min-width: 7rem; width: 45%; white-space: nowrap; line-height: 0; }
.bar .mark { display: inline-block; height: 1rem; min-width: 2px; }
.columns { display: flex; align-items: flex-end; gap: 2px; height: 9rem;
  border-bottom: 1px solid var(--line); }
.week { flex: 1 1 0; min-width: 0; height: 100%; display: flex; align-items: flex-end; gap: 1px; }
.week .mark { flex: 1 1 0; min-width: 1px; }
.ends { display: flex; justify-content: space-between; color: var(--soft); font-size: .85rem; }
figure { margin: .6rem 0; } .legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0;
  margin: .4rem 0; list-style: none; font-size: .9rem; }
.legend .mark { display: inline-block; width: .8rem; height: .8rem; margin-right: .4rem; }
code { background: var(--code); padding: .1rem .3rem; border-radius: .2rem; font-size: .85rem; }
details { margin: .4rem 0; }
@media (max-width: 44rem) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tbody tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  tbody th, tbody td { display: block; border: 0; padding: .1rem 0; }
  tbody td.bar { width: 100%; }
  tbody td[data-head] { display: inline-block; margin-right: 1rem; }
  tbody td[data-head]::before { content: attr(data-head) ": "; color: var(--soft); }
}
""" + "\n".join(
    f".{kind} {{ background: var(--{kind}); }}"
    for kind in ("running", "waiting", "human", "done", "failed", "weather", "started", "finished",
                 "stopped", "plain")
)


def page(config: Config, found: Figures) -> str:
    """The whole file."""
    language = config.factory.language
    title = say("report_title", language)
    parts = [_head(config, found), *(
        _section(config, name, found[name]) for name in SECTIONS
    )]
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(parts) + "\n</main>\n</body>\n</html>\n"
    )


def _head(config: Config, found: Figures) -> str:
    language, zone = config.factory.language, config.factory.timezone
    span = say(
        "report_span", language, repos=", ".join(found["repos"]) or "-", items=found["items"],
        begin=clock(datetime.fromisoformat(found["from"]), zone),
        end=clock(datetime.fromisoformat(found["until"]), zone),
    )
    time, cost = found["time"], found["cost"]
    rate = found["success"]["rate"]
    tiles = [
        ("finished", str(found["throughput"]["finished"])),
        ("human", _long(time["human_s"], language)),
        ("machine", _long(time["waiting_s"] + time["running_s"], language)),
        ("cost", f"${cost['usd']:.2f}"),
        ("success", "-" if rate is None else f"{100 * rate:.0f}%"),
    ]
    shown = "".join(
        f"<li>{escape(say(f'report_tile_{name}', language))}<strong>{escape(value)}</strong></li>"
        for name, value in tiles
    )
    return (
        f"<h1>{escape(say('report_title', language))}</h1><p class=\"soft\">{escape(span)}</p>"
        f'<ul class="tiles">{shown}</ul>{_how(language, "")}'
    )


def _section(config: Config, name: str, figure: Figures) -> str:
    language = config.factory.language
    return (
        f'<section aria-labelledby="{name}"><h2 id="{name}">'
        f"{escape(say(f'report_{name}', language))}</h2>{SECTIONS[name](config, figure)}"
        f"{_how(language, name)}</section>"
    )


def _how(language: str, name: str) -> str:
    command = f"agentcells report {name} --json".replace("  ", " ")
    words = escape(say("report_how", language))
    return f'<p class="how">{words} <code>{escape(command)}</code></p>'


def _said(key: str, language: str, /, **slots: object) -> str:
    return f"<p>{escape(say(key, language, **slots))}</p>"


def _heads(key: str, language: str) -> list[str]:
    return say(key, language).split("|")


# ---------------------------------------------------------------- the sections


def _throughput(config: Config, figure: Figures) -> str:
    language = config.factory.language
    kinds = [(kind, say(f"report_kind_{kind}", language))
             for kind in ("started", "finished", "stopped")]
    weeks = [
        Line(
            name=week["week"],
            parts=tuple(Part(kind=kind, value=week[kind], words=f"{words}: {week[kind]}")
                        for kind, words in kinds),
            cells=tuple(str(week[kind]) for kind, _ in kinds),
        )
        for week in figure["weeks"]
    ]
    took = figure["median_s"]
    said = _said(
        "report_throughput_said", language, started=figure["started"], open=figure["open"],
        finished=figure["finished"], stopped=figure["stopped"],
        median="-" if took is None else _long(took, language),
    )
    table = bars(say("report_by_week", language), _heads("report_weeks_head", language), weeks)
    words = escape(say("report_numbers", language))
    return (
        said + columns(say("report_by_week", language), kinds, weeks)
        + f"<details><summary>{words}</summary>{table}</details>"
    )


def _time(config: Config, figure: Figures) -> str:
    language = config.factory.language
    kinds = [(kind, say(f"report_kind_{kind}", language)) for kind in KINDS]
    lines = [
        Line(
            name=_state(config, one["state"]),
            parts=tuple(
                Part(kind=kind, value=one[f"{kind}_s"],
                     words=f"{words}: {_long(one[f'{kind}_s'], language)}")
                for kind, words in kinds
            ),
            cells=(*(_long(one[f"{kind}_s"], language) for kind in KINDS), str(one["stays"]),
                   _long(one["median_s"], language)),
        )
        for one in figure["states"]
    ]
    said = _said("report_time_said", language, **{
        kind: _long(figure[f"{kind}_s"], language) for kind in KINDS})
    return said + legend(kinds) + bars(
        say("report_by_state", language), _heads("report_time_head", language), lines)


def _rounds(config: Config, figure: Figures) -> str:
    language = config.factory.language
    lines = [
        Line(
            name=one["cell"], cells=(f"{one['mean']:.2f}", str(one["most"]), str(one["runs"]),
                                     str(one["items"])),
            parts=(Part(kind="plain", value=one["mean"], words=f"{one['mean']:.2f}"),),
        )
        for one in figure["cells"]
    ]
    return _said("report_rounds_said", language, runs=figure["runs"]) + bars(
        say("report_rounds_by_cell", language), _heads("report_rounds_head", language), lines)


def _stops(config: Config, figure: Figures) -> str:
    language = config.factory.language
    lines = [
        Line(
            name=f"{one['cell']}: {_reason(one['reason'], language)}", cells=(str(one["count"]),),
            parts=(Part(kind="human", value=one["count"], words=str(one["count"])),),
        )
        for one in figure["reasons"]
    ]
    now = [
        Line(
            name=_state(config, one["state"]), cells=(str(one["items"]),),
            parts=(Part(kind="plain", value=one["items"], words=str(one["items"])),),
        )
        for one in figure["now"]
    ]
    return (
        _said("report_stops_said", language, stops=figure["stops"])
        + bars(say("report_by_reason", language), _heads("report_stops_head", language), lines)
        + bars(say("report_now", language), _heads("report_now_head", language), now)
    )


def _cost(config: Config, figure: Figures) -> str:
    language = config.factory.language
    said = _said(
        "report_cost_said", language, usd=f"{figure['usd']:.2f}", tokens=f"{figure['tokens']:,}")
    if figure["older_usd"]:
        said += _said("report_cost_older", language, usd=f"{figure['older_usd']:.2f}")
    tables = [
        bars(say(f"report_by_{kind}", language), _heads(f"report_{kind}_head", language), [
            _cost_line(one, one[kind] or say("report_model_default", language))
            for one in figure[f"{kind}s"]
        ])
        for kind in ("cell", "model")
    ]
    dearest = [
        Line(
            name=printable(f"{one['item']} {one['title']}", one_line=True),
            parts=(Part(kind="plain", value=one["usd"], words=f"${one['usd']:.2f}"),),
            cells=(f"${one['usd']:.2f}", str(one["runs"])),
        )
        for one in figure["items"]
    ]
    tables.append(bars(
        say("report_by_item", language), _heads("report_item_head", language), dearest))
    return said + "".join(tables)


def _cost_line(one: Figures, name: str) -> Line:
    an_item = one["usd_per_item"]  # None: it works on no item
    return Line(
        name=name, parts=(Part(kind="plain", value=one["usd"], words=f"${one['usd']:.2f}"),),
        cells=(f"${one['usd']:.2f}", f"${one['usd_per_run']:.2f}",
               "-" if an_item is None else f"${an_item:.2f}",
               f"{one['tokens']:,}", str(one["runs"])),
    )


def _success(config: Config, figure: Figures) -> str:
    language = config.factory.language
    kinds = [(kind, say(f"report_kind_{kind}", language)) for kind in ("done", "failed", "weather")]
    lines = [
        Line(
            name=one["cell"],
            parts=tuple(Part(kind=kind, value=one[kind], words=f"{words}: {one[kind]}")
                        for kind, words in kinds),
            cells=("-" if one["rate"] is None else f"{100 * one['rate']:.0f}%",
                   *(str(one[kind]) for kind, _ in kinds), _long(one["mean_s"], language),
                   ", ".join(f"{_reason(why, language)} {count}"
                             for why, count in one["failures"].items()) or "-"),
        )
        for one in figure["cells"]
    ]
    rate = figure["rate"]
    said = _said("report_success_said", language,
                 rate="-" if rate is None else f"{100 * rate:.0f}%")
    return said + legend(kinds) + bars(
        say("report_success_by_cell", language), _heads("report_success_head", language), lines)


SECTIONS = {
    "throughput": _throughput, "time": _time, "rounds": _rounds, "stops": _stops, "cost": _cost,
    "success": _success,
}


# ---------------------------------------------------------------- words


def _state(config: Config, state: str) -> str:
    return config.label(state)


def _reason(reason: str, language: str) -> str:
    """What stopped it: a question, a failure, or one of our own reasons."""
    if reason == ASKED:
        return say("report_asked", language)
    key = f"report_reason_{reason}"
    return say(key, language) if key in SENTENCES else outcome_words(reason, language)


def _long(seconds: float, language: str) -> str:
    """Hours are what a report counts in; days and minutes where they say more."""
    if seconds >= 3 * DAY:
        return say("report_days", language, count=f"{seconds / DAY:.1f}")
    if seconds >= HOUR:
        return say("report_hours", language, count=f"{seconds / HOUR:.1f}")
    return say("report_minutes", language, count=f"{seconds / 60:.0f}")


__all__ = ["SECTIONS", "page"]
