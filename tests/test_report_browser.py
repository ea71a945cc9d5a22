"""The report in a real browser: whole on a phone and on a wide screen, in light and in dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentcells.figures import figures
from agentcells.report_page import page
from tests.browser import Tab, axe, browser
from tests.pair_world import config, snapshot
from tests.report_world import line

pytestmark = pytest.mark.slow

WIDE_TEXT = """
[...document.querySelectorAll('h1,h2,p,li,th,td,caption,code,summary')].filter(one => {
  const box = one.getBoundingClientRect();
  const inside = one.closest('.scroll');
  return box.width > 0 && one.textContent.trim() !== '' &&
    ((!inside && box.right > document.documentElement.clientWidth + 1) ||
     one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflow !== 'visible');
}).map(one => one.textContent.slice(0, 60))
"""
MARKS = """
[...document.querySelectorAll('.mark')].filter(one => {
  const box = one.getBoundingClientRect();
  const colour = getComputedStyle(one).backgroundColor;
  return box.width > 0 && box.height > 0 && colour !== 'rgba(0, 0, 0, 0)';
}).length
"""


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browser() as found:
        yield found


@pytest.mark.parametrize("world", ["line", "nothing"])
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1400])
def test_the_report_can_be_read(
    tmp_path: Path, tab: Tab, width: int, dark: bool, language: str, world: str
) -> None:
    settings = config(language=language)
    path = tmp_path / "report.html"
    seen = line() if world == "line" else snapshot()
    path.write_text(page(settings, figures(settings, seen)), encoding="utf-8")
    tab.complaints.clear()
    tab.open(path, width, dark=dark)
    tab.run("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert tab.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert tab.run(WIDE_TEXT) == []
    assert tab.run(MARKS) > (25 if world == "line" else 0)
    tab.run(axe())
    found = tab.run("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map("
                    "v => v.id + ': ' + v.nodes.map(n => n.html).slice(0, 3).join(' ')))")
    assert found == []
    assert tab.complaints == []
    tab.picture(tmp_path / "report.png")
