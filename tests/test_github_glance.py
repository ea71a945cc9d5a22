"""GitHub read in a hurry: the newest comments without every page, and issues alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphql import parse, validate

from agentcells.forge import IssueReader, NotFound
from agentcells.forge.github_documents import Document
from agentcells.forge.github_glance import GLANCE, RECENT
from tests.github_world import REPO, story
from tests.loopback.github.engine import schema


@pytest.mark.parametrize("document", [GLANCE, RECENT])
def test_the_documents_are_valid_on_githubs_schema(document: Document) -> None:
    assert validate(schema(), parse(document.text)) == []


def test_i1_the_newest_comments_come_in_one_request_for_each_hundred(tmp_path: Path) -> None:
    with story(tmp_path) as hub:
        number = hub.issue()
        forge = hub.forge()
        assert isinstance(forge, IssueReader)
        item = forge.read(REPO, number)
        for count in range(1, 131):
            forge.comment(item, f"comment {count}")
        before = len(forge.sent)
        found = forge.glance(REPO, number, 3)
        assert len(forge.sent) - before == 1
        assert found.comments_total == 130
        assert [c.body for c in found.item.comments] == ["comment 128", "comment 129", "comment 130"]
        assert forge.glance(REPO, number, 0).item.comments == ()
        many = forge.glance(REPO, number, 125).item.comments
        assert [c.body for c in many] == [f"comment {n}" for n in range(6, 131)]
        assert len(forge.glance(REPO, number, 500).item.comments) == 130


def test_issues_alone_newest_change_first(tmp_path: Path) -> None:
    with story(tmp_path) as hub:
        first, second = hub.issue("one"), hub.issue("two")
        pull = hub.pull()
        forge = hub.forge("alice")
        forge.close(forge.read(REPO, first))
        assert [row.number for row in forge.recent(REPO, "open", 20)] == [second]
        assert [row.number for row in forge.recent(REPO, "closed", 20)] == [first]
        assert {row.number for row in forge.recent(REPO, "all", 20)} == {first, second}
        assert len(forge.recent(REPO, "all", 1)) == 1
        for wrong in (pull, 4_711):
            with pytest.raises(NotFound):
                forge.glance(REPO, wrong, 5)
