"""What every researcher and the report generator are told before the research, and where it stands in the record."""

import json

import pytest

from drretail.env.world import World
from drretail.grounding.report.citations import find_citations
from drretail.prompts import tag_content
from drretail.records.query import Query
from drretail.records.run import Limits
from tests.agents.conftest import QUERY
from tests.agents.grounded_hybrid.staging import DRAFT, play, plays
from tests.agents.hybrid_react.cast import DONE, FEEDER, calls, launch
from tests.shop import USER


def test_researchers_and_report_are_given_profile_and_constraints(world: World) -> None:
    cast = plays(supervisor=(launch("A feeder.", "A bath."), calls(DONE)))
    play(world, cast)
    told = [cast.shown["supervisor"][0], *cast.shown["researcher"], *cast.shown["report"]]
    for turn in told:
        asked = turn.messages[1].text
        constraints = json.loads(tag_content("constraints", asked) or "")
        assert constraints["budget"] == {"amount": "30", "currency": "USD"}
        assert constraints["budget_scope"] == "total"
        assert {it["id"] for it in constraints["owned"]} <= {"B0TEST0001", "B0TEST0004"}
    for turn in (cast.shown["supervisor"][0], *cast.shown["report"]):
        assert "Tanagrove Bird Bath" in (tag_content("profile", turn.messages[1].text) or "")


def test_a_researcher_is_told_what_bears_on_its_part(world: World) -> None:
    """Of two things, the bath's researcher reads nothing that was demanded of the feeder, nor of its orders."""
    text = "I want a bird feeder and a bird bath for under $60 in all. The feeder has to be squirrel-proof."
    asked = Query(query_id="q1", user_id=USER, text=text, source="test")
    cast = plays(supervisor=(launch("A feeder for the garden.", "A bath of stone."), calls(DONE)))
    recorded = play(world, cast, query=asked)
    told = {tag_content("sub_problem", it.messages[1].text): it.messages[1].text for it in cast.shown["researcher"]}
    feeder, bath = (
        json.loads(tag_content("constraints", told[it]) or "")
        for it in ("A feeder for the garden.", "A bath of stone.")
    )
    assert feeder["must"] == [{"of": "bird feeder", "property": "squirrel-proof"}]
    assert "must" not in bath
    assert feeder["budget"] == bath["budget"] == {"amount": "60", "currency": "USD"}
    assert [it["id"] for it in bath["owned"]] == ["B0TEST0004"]
    assert [it["title"] for it in feeder["owned"]] == ["Tanagrove Tube Bird Feeder, 18 inch"]
    assert bath["owned_besides"] == feeder["owned_besides"] == 1
    owned = [it["evidence"] for it in (*bath["owned"], *feeder["owned"])]
    assert {it.evidence_id for it in find_citations(" ".join(f"[{it}]" for it in owned), recorded.evidence)} == {*owned}
    whole = json.loads(tag_content("constraints", cast.shown["report"][0].messages[1].text) or "")
    assert (whole["must"], len(whole["owned"])) == (feeder["must"], 2)


def test_synthesis_reads_findings_only(world: World) -> None:
    cast = plays()
    play(world, cast)
    (asked,) = {turn.messages[1].text for turn in cast.shown["synthesis"]}
    assert tag_content("profile", asked) is None
    assert tag_content("constraints", asked) is None


def test_the_shoppers_records_come_through_the_tools_and_can_be_cited(world: World) -> None:
    cast = plays()
    recorded = play(world, cast)
    first = [(step.path, step.seq, step.role, step.name) for step in recorded.run.steps[:3]]
    assert first == [
        ("0", 0, "profile", "get_user_profile"),
        ("0", 1, "profile", "get_user_statistics"),
        ("0", 2, "profile", "get_user_orders"),
    ]
    profile = tag_content("profile", cast.shown["report"][0].messages[1].text) or ""
    cited = find_citations(profile, recorded.evidence)
    assert {"U:profile", "O:0000000001"} <= {citation.evidence_id for citation in cited}
    assert all(citation.type == "internal" for citation in cited)
    assert len(profile.splitlines()) <= len(cited)


def test_neither_street_nor_mail_is_told(world: World) -> None:
    cast = plays()
    play(world, cast)
    owner = world.store.user(USER)
    for turn in cast.shown["researcher"]:
        assert owner.email not in turn.messages[1].text
        assert owner.address.address1 not in turn.messages[1].text


def test_without_a_user_there_is_no_profile(world: World) -> None:
    cast = plays(report=(DRAFT.replace("[U:profile]", "").replace("[O:0000000001]", ""),))
    nobody = Query(query_id="q2", text=QUERY.text, source="test")
    recorded = play(world, cast, query=nobody)
    assert recorded.run.status == "done"
    assert tag_content("profile", cast.shown["researcher"][0].messages[1].text) is None
    assert next(step.role for step in recorded.run.steps) == "supervisor"


def test_without_the_user_tools_there_is_no_profile(world: World) -> None:
    cast = plays(report=("Take the hopper feeder, I would say.",))
    recorded = play(world, cast, options={"without": ["user"]})
    assert recorded.run.status == "done"
    assert tag_content("profile", cast.shown["researcher"][0].messages[1].text) is None
    assert not [step for step in recorded.run.steps if step.role == "profile"]


def test_a_user_that_the_shop_does_not_know_is_noted(world: World) -> None:
    stranger = Query(query_id="q3", user_id="AENOBODY", text=QUERY.text, source="test")
    recorded = play(world, plays(report=("Take the hopper feeder, I would say.",)), query=stranger)
    assert recorded.run.status == "done"
    assert recorded.run.notes[0].startswith("no profile briefing:")
    assert "not_found" in recorded.run.notes[0]


@pytest.mark.parametrize("size", [1, 2])
def test_all_orders_are_read_page_by_page(world: World, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("drretail.agents.grounded_hybrid.briefing.PAGE", size)
    cast = plays()
    recorded = play(world, cast)
    asked = [step.args for step in recorded.run.steps if step.name == "get_user_orders"]
    assert len(asked) == 2 // size
    constraints = json.loads(tag_content("constraints", cast.shown["report"][0].messages[1].text) or "")
    assert {it["id"] for it in constraints["owned"]} | {"B0TEST0004"} == {"B0TEST0001", "B0TEST0004"}
    assert len(constraints["owned"]) + constraints.get("owned_besides", 0) == 2


def test_a_turn_has_the_tools_of_hybrid_react(world: World) -> None:
    cast = plays(supervisor=(launch("A feeder."), calls(DONE)), researcher={"": (calls(FEEDER), calls(DONE))})
    play(world, cast, limits=Limits(repairs=0))
    assert cast.shown["supervisor"][0].tool_names == {"Reason", "LaunchResearcher", "Finalize"}
    assert len(cast.shown["researcher"][0].tool_names) == 11
    assert not cast.shown["report"][0].tool_names
