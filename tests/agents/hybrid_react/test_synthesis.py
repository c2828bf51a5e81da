"""Findings in, a fixed schema out: evidence ids survive, and none is made up."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from drretail.agents.running.runner import Recorded
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.prompts import tag_content
from tests.agents.conftest import Scripted, calls
from tests.agents.hybrid_react.cast import BATH, DONE, FEEDER, PAGES, PROFILE, Cast, cast, launch, perform, reported
from tests.shop import PAGES as CORPUS

END = calls(DONE)
PAGE = web_evidence_id(CORPUS[0].url)
GOOD = reported("P:B0TEST0001")
INVENTED = reported("P:B0TEST0001", "P:B0INVENTED")
OBJECTION = "the findings hold no evidence P:B0INVENTED: cite only ids that stand in them"
DROPPED = "0.1: synthesis cited what was never found: P:B0INVENTED"


def consolidated(world: World, *synthesis: Scripted) -> tuple[Cast, Recorded]:
    """One researcher who finds a product, a profile and a page, and these turns of the synthesis."""
    played = cast((launch("feeder"), END), {"feeder": (calls(FEEDER, PROFILE, PAGES), END)}, {"feeder": synthesis})
    return played, perform(world, played)


def handed_on(played: Cast) -> dict[str, Any]:
    """The one intermediate report that the report generator was given."""
    (turn,) = played.shown["report"]
    (report,) = json.loads(tag_content("reports", turn.messages[1].text) or "")
    return report["report"]


def test_ids_of_every_kind_survive(world: World) -> None:
    written = reported("P:B0TEST0001", "U:profile", PAGE, open_questions=["Is it squirrel-proof?"])
    played, recorded = consolidated(world, written)
    assert handed_on(played) == json.loads(written.text)
    (told,) = [m for m in played.shown["supervisor"][-1].messages if isinstance(m, ToolMessage)][:1]
    assert json.loads(told.text) == {"researcher": 1, "report": json.loads(written.text)}
    assert recorded.run.notes == ()


@pytest.mark.parametrize(
    "written", ["[P:B0TEST0001]", "B0TEST0001", "`p:b0test0001`", "https://ecommerce.com/B0TEST0001"]
)
def test_an_id_in_another_form_is_read_and_not_asked_for_again(world: World, written: str) -> None:
    played, recorded = consolidated(world, reported(written))
    assert handed_on(played)["insights"][0]["citations"] == ["P:B0TEST0001"]
    assert handed_on(played)["sources"][0]["evidence"] == "P:B0TEST0001"
    assert (len(played.shown["synthesis"]), recorded.run.notes) == (1, ())


def test_two_ids_in_one_string_are_two(world: World) -> None:
    played, _ = consolidated(world, reported(f"[P:B0TEST0001][{PAGE}]"))
    assert handed_on(played)["insights"][0]["citations"] == ["P:B0TEST0001", PAGE]


def test_an_invented_id_is_pointed_out_and_can_be_mended(world: World) -> None:
    played, recorded = consolidated(world, INVENTED, GOOD)
    assert OBJECTION in played.shown["synthesis"][1].messages[-1].text
    assert handed_on(played) == json.loads(GOOD.text)
    assert recorded.run.notes == ()


@pytest.mark.parametrize(
    "turns",
    [
        (INVENTED, INVENTED, INVENTED),
        (INVENTED, AIMessage("Prose."), AIMessage("More prose.")),
        (INVENTED, ModelError("timeout", "too slow")),
    ],
)
def test_an_invented_id_that_stays_is_dropped_with_a_note(world: World, turns: tuple[Scripted, ...]) -> None:
    played, recorded = consolidated(world, *turns)
    assert handed_on(played) == json.loads(GOOD.text)
    assert recorded.run.notes == (DROPPED,)


def test_what_another_researcher_found_is_no_evidence_here(world: World) -> None:
    elsewhere = reported("P:B0TEST0004")
    played = cast(
        (launch("bath", "feeder"), END),
        {"bath": (calls(BATH), END)},
        {"bath": (elsewhere,), "feeder": (elsewhere,) * 3},
    )
    recorded = perform(world, played)
    assert recorded.run.notes == ("0.2: synthesis cited what was never found: P:B0TEST0004",)


def test_an_answer_of_another_shape_is_asked_for_again(world: World) -> None:
    played, recorded = consolidated(world, AIMessage('{"summary": "All fine."}'), GOOD)
    assert "summary" in played.shown["synthesis"][1].messages[-1].text
    assert (recorded.run.status, handed_on(played)) == ("done", json.loads(GOOD.text))


@pytest.mark.parametrize("field", ["insights", "sources", "open_questions"])
def test_a_field_that_is_left_out_is_asked_for(world: World, field: str) -> None:
    lacking = {name: value for name, value in json.loads(GOOD.text).items() if name != field}
    played, recorded = consolidated(world, AIMessage(json.dumps(lacking)), GOOD)
    assert field in played.shown["synthesis"][1].messages[-1].text
    assert (recorded.run.status, handed_on(played)) == ("done", json.loads(GOOD.text))


def test_open_questions_alone_are_an_honest_report(world: World) -> None:
    nothing = AIMessage(json.dumps({"insights": [], "sources": [], "open_questions": ["The shop has no heated bath."]}))
    played, recorded = consolidated(world, nothing)
    assert handed_on(played)["open_questions"] == ["The shop has no heated bath."]
    assert recorded.run.failed_branches == ()


def test_a_failed_call_reaches_the_synthesis_as_one(world: World) -> None:
    played = cast((launch("feeder"), END), {"feeder": (calls(("get_product_details", {"product_id": "no"})), END)})
    perform(world, played)
    lines = (tag_content("findings", played.shown["synthesis"][0].messages[1].text) or "").splitlines()
    assert json.loads(lines[1])["result"]["error"]["type"] == "not_found"
