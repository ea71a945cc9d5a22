"""The flow drawn: what each cell works on, where things go, what is lost or never ends."""

from __future__ import annotations

import pytest

from agentcells import views
from tests.pair_world import AUTOMERGE, IMPLEMENT, REVIEW, TRIAGE, config
from tests.snapshot import same


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_flow_of_the_example_reads_as_drawn(language):
    settings = config(TRIAGE, IMPLEMENT, REVIEW, language=language)
    same(f"graph/plain.{language}", views.graph(settings.model_copy(update={"off": (AUTOMERGE,)})))


def test_the_flow_is_drawn_with_what_each_cell_works_on():
    cleaner = TRIAGE.model_copy(update={"name": "bottle-neck", "on": "factory", "label": "",
                                        "next": ("done",)})
    asking = REVIEW.model_copy(update={"next": ("implement", "automerge", "needs-human")})
    drawn = views.graph(config(TRIAGE, IMPLEMENT, asking, AUTOMERGE, cleaner)).splitlines()
    assert drawn[0] == "flowchart LR"
    assert '  n_triage["<b>triage</b><br/>ac:triage<br/>works on issues"]' in drawn
    assert '  n_bottle_neck["<b>bottle-neck</b><br/>works on the factory itself"]' in drawn
    assert '  n_needs_human(["ac:needs-human<br/>waits for your answer"])' in drawn
    assert "  n_implement --> n_review" in drawn
    assert "  n_review <-.-> n_needs_human" in drawn
    assert "  n_review --> n_needs_human" not in drawn
    assert "  n_bottle_neck <-.-> n_needs_human" not in drawn
    assert '  n_automerge --> n_merge(["merged"])' in drawn
    assert "  n_automerge --> n_in_review" in drawn
    assert "  n_in_review -. you write .-> n_implement" in drawn
    assert not any("class " in line for line in drawn)


def test_a_cell_that_nothing_leads_to_is_marked():
    settings = config(TRIAGE, IMPLEMENT, REVIEW, AUTOMERGE)
    drawn = views.graph(settings).splitlines()
    assert "  class n_automerge unreachable" in drawn
    assert any(line.startswith("  %% Nothing leads to automerge:") for line in drawn)
    assert views.graph_value(settings)["unreachable"] == ["automerge"]


def test_a_circle_without_a_way_out_is_marked():
    endless = REVIEW.model_copy(update={"next": ("implement",)})
    settings = config(TRIAGE, IMPLEMENT, endless, AUTOMERGE)
    drawn = views.graph(settings).splitlines()
    assert {f"  class n_{name} endless" for name in ("triage", "implement", "review")} <= set(drawn)
    assert "  class n_automerge endless" not in drawn
    assert any("From review no way leads out" in line for line in drawn)
    assert views.graph_value(settings)["circles"] == [["implement", "review", "implement"]]


def test_every_circle_is_named_once():
    ring = [TRIAGE.model_copy(update={"next": ("implement", "triage")}),
            IMPLEMENT, REVIEW.model_copy(update={"next": ("implement", "triage", "done")})]
    value = views.graph_value(config(*ring))
    assert value["circles"] == [
        ["triage", "implement", "review", "triage"], ["triage", "triage"],
        ["implement", "review", "implement"],
    ]
    assert value["without_end"] == []


def test_the_flow_shows_where_replies_and_failed_checks_go():
    settings = config(TRIAGE, IMPLEMENT, REVIEW, AUTOMERGE)
    factory = settings.factory.model_copy(
        update={"on_reply": "automerge", "on_checks_failed": "implement"}
    )
    settings = settings.model_copy(update={"factory": factory})
    drawn = views.graph(settings).splitlines()
    assert "  n_in_review -. you write .-> n_automerge" in drawn
    assert "  n_in_review -. checks fail .-> n_implement" in drawn
    assert "  class n_automerge unreachable" not in drawn
    value = views.graph_value(settings)
    assert (value["reply"], value["checks"]) == ("automerge", "implement")
    assert [cell["name"] for cell in value["cells"]] == [
        "triage", "implement", "review", "automerge"]


def test_where_no_cell_works_on_issues_every_cell_may_be_the_first():
    odd = AUTOMERGE.model_copy(update={"label": 'ac:"<b>'})
    drawn = views.graph(config(REVIEW.model_copy(update={"next": ("done",)}), odd))
    assert "unreachable" not in drawn
    assert "you write" not in drawn
    assert "ac:#34;#60;b#62;" in drawn
