"""What every researcher and the report generator are told before the research, and where it stands in the record."""

import json
from typing import Any

import pytest

from drretail.env.world import World
from drretail.grounding.report.citations import find_citations
from drretail.llm.scripted import Request
from drretail.prompts import tag_content
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.run import Limits
from drretail.records.wish import Want, Wish
from tests.agents.conftest import QUERY
from tests.agents.grounded_hybrid.staging import DRAFT, FOR_30, play, plays, understanding
from tests.agents.hybrid_react.cast import DONE, FEEDER, UNDERSTANDING, calls, launch
from tests.shop import USER

WRONG = DRAFT.replace("$39.50", "$29.50")
TUBE = Wish(wants=(Want(name="bird feeder", kinds=("tube bird feeder",)),), budget=Money.of(30))


def wish_shown(turn: Request) -> dict[str, Any]:
    return json.loads(tag_content("wish", turn.messages[1].text) or "")


def test_every_role_is_given_the_whole_wish_and_who_reads_all_of_it_the_profile(world: World) -> None:
    cast = plays(
        supervisor=(launch("A feeder.", "A bath."), calls(DONE)),
        report=(WRONG, DRAFT),
        understood=(understanding(TUBE),),
    )
    play(world, cast)
    turns = [cast.shown["supervisor"][0], *cast.shown["researcher"], *cast.shown["report"]]
    for turn in turns:
        wish = wish_shown(turn)
        assert wish["wants"] == [{"name": "bird feeder", "kinds": ["tube bird feeder"], "quantity": 1}]
        assert wish["budget"] == {"amount": "30", "currency": "USD"}
        assert [product["id"] for product in wish["owned"]] == ["B0TEST0001"], "by its record it is of the wanted kind"
        assert wish["owned_besides"] == 1
    for turn in (cast.shown["supervisor"][0], *cast.shown["report"]):
        assert "Tanagrove Bird Bath" in (tag_content("profile", turn.messages[1].text) or "")


def test_an_owned_product_that_is_shown_can_be_cited_by_its_order(world: World) -> None:
    named = FOR_30.model_copy(update={"owned": ("B0TEST0004",)})
    cast = plays(understood=(understanding(named),))
    recorded = play(world, cast)
    owned = wish_shown(cast.shown["report"][0])["owned"]
    assert [product["id"] for product in owned] == ["B0TEST0004", "B0TEST0001"]
    marks = [product["evidence"] for product in owned]
    cited = find_citations(" ".join(f"[{mark}]" for mark in marks), recorded.evidence)
    assert {citation.evidence_id for citation in cited} == {*marks}


def test_synthesis_reads_findings_only(world: World) -> None:
    cast = plays()
    play(world, cast)
    (asked,) = {turn.messages[1].text for turn in cast.shown["synthesis"]}
    assert tag_content("profile", asked) is None
    assert tag_content("wish", asked) is None


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
    owned = tag_content("owned", cast.shown[UNDERSTANDING][0].messages[1].text) or ""
    assert {line.split()[0] for line in owned.splitlines()} == {"B0TEST0001", "B0TEST0004"}


def test_a_turn_has_the_tools_of_hybrid_react(world: World) -> None:
    cast = plays(supervisor=(launch("A feeder."), calls(DONE)), researcher={"": (calls(FEEDER), calls(DONE))})
    play(world, cast, limits=Limits(repairs=0))
    assert cast.shown["supervisor"][0].tool_names == {"Reason", "LaunchResearcher", "Finalize"}
    assert len(cast.shown["researcher"][0].tool_names) == 11
    assert not cast.shown["report"][0].tool_names
