"""The comments about filing and splitting, and every notice, in both languages, as a person reads them.

After a wanted change of words: `AGENTCELLS_WRITE_SNAPSHOTS=1 python -m pytest tests/test_comment_snapshots.py`.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable
from typing import Any

import pytest

from agentcells import comments
from agentcells.model import SUB_ISSUES
from agentcells.plan import Filed, Gauge
from agentcells.run import Outcome
from agentcells.sentences import SENTENCES, say
from tests.pair_world import at, config
from tests.snapshot import same
from tests.test_comments import order

LANGUAGES: list[Any] = ["en", "ja"]
GAUGE = Gauge(key="wait:review", value=4.5, usual=1, limit=2, weeks=(1.0, 1.0), items=())
CAUSE = ("wait:review", 2.0, "")
PARTS = [{"title": "Store the lives", "body": "They are kept."}, {"title": "Show them", "body": "Hearts."}]


def answered(to: str = "file", **fields: str) -> Outcome:
    return Outcome(kind="done", next=to, comment="Two steps.", fields=tuple(fields.items()), tokens=1200, usd=0.1)


def filed(language: str) -> str:
    settings = config(language=language)
    figure = comments.gauge_line(settings, GAUGE, language)
    told = order(cell="bottleneck", issue=None, causes=((CAUSE[0], CAUSE[1], figure),))
    said = answered(title="Reviews wait", body="Five of six wait for one test.")
    return comments.filed_post(settings, told, said, CAUSE[0], figure)[2]


def free(language: str) -> str:
    said = answered(title="Old manual", body="It names a flag that is gone.")
    return comments.filed_post(config(language=language), order(cell="docs", issue=None), said, "docs", "")[2]


def over(language: str) -> str:
    one = Filed(cause="wait:review", repo="alice/game", number=9, at=at(0))
    return comments.over_post(config(language=language), one, GAUGE)[1]


def proposal(language: str) -> str:
    said = answered("needs-human", **{SUB_ISSUES: json.dumps(PARTS)})
    return comments.result_post(
        config(language=language), order(cell="design"), said, "needs-human", None, None, False)[1]


def part(language: str) -> str:
    return comments.sub_issue_body(config(language=language), 7, "They are kept.", None)


POSTS: dict[str, Callable[[str], str]] = {
    "filed": filed, "filed_free": free, "over": over, "proposal": proposal, "part": part,
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", POSTS)
def test_r47_what_is_filed_reads_as_it_was_approved(name, language):
    same(f"filing/{name}.{language}", POSTS[name](language))


def notices() -> list[str]:
    """Every sentence that a rule puts on the forge, by its key."""
    return sorted(key for key in SENTENCES if key.startswith("plan_"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_r47_every_notice_reads_as_it_was_approved(language):
    told = []
    for key in notices():
        slots = {name for _, name, _, _ in string.Formatter().parse(SENTENCES[key][0]) if name}
        told.append(f"{key}\n{say(key, language, **{name: f'<{name}>' for name in slots})}\n")
    same(f"notices.{language}", "\n".join(told))


def test_a_proposal_says_how_to_answer_and_folds_the_rest():
    text = proposal("en")
    shown = re.sub(r"(?s)<details>.*?</details>|<!--.*?-->", "", text)
    assert "Reply `ok`" in shown
    assert "They are kept." not in shown  # the texts are folded, the titles are not
    assert "1. Store the lives" in shown
    assert len(shown.strip().splitlines()) < 15
