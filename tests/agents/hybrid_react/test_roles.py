"""What each role of the paper's section 4 can call and is told, and what synthesis hands on."""

import json
import re
from typing import Any

import pytest
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage

from drretail.agents.running.runner import Recorded
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.prompts import tag_content
from drretail.tools.registry import TOOLS
from tests.agents.conftest import QUERY, Scripted, calls
from tests.agents.hybrid_react.cast import BATH, DONE, FEEDER, PAGES, PROFILE, Cast, cast, launch, perform, reported
from tests.shop import USER

SUB_PROBLEM = "Find a tube feeder below $30."
THOUGHT = ("Reason", {"thought": "The tube feeder fits."})


@pytest.fixture
def played(world: World) -> Cast:
    """A whole run in which everything is said once, so that it can be looked for where it must not be."""
    actors = cast(
        supervisor=(launch(SUB_PROBLEM, more=[("Reason", {"thought": "One is enough."})]), calls(DONE)),
        researcher={SUB_PROBLEM: (calls(THOUGHT, PROFILE, FEEDER, text="Profile first."), AIMessage("That is all."))},
    )
    assert perform(world, actors).run.status == "done"
    return actors


def tags_of(text: str) -> list[str]:
    return re.findall(r"^<([a-z_]+)>$", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("role", "tools"),
    [
        ("supervisor", {"Reason", "LaunchResearcher", "Finalize"}),
        ("researcher", {"Reason", "Finalize", *TOOLS}),
        ("report", set[str]()),
    ],
)
def test_a_role_has_these_tools_and_no_others(played: Cast, role: str, tools: set[str]) -> None:
    for turn in played.shown[role]:
        assert turn.tool_names == {*turn.tools} == tools


def test_the_supervisor_reads_reports_and_nothing_of_the_findings(played: Cast) -> None:
    last = played.shown["supervisor"][-1]
    replies = [message for message in last.messages if isinstance(message, ToolMessage)]
    assert json.loads(replies[0].text)["researcher"] == 1
    assert json.loads(replies[0].text)["report"]["insights"][0]["citations"] == ["P:B0TEST0001"]
    assert "Profile first." not in str(last.messages)
    assert "hits" not in str(last.messages)


def test_synthesis_is_told_the_findings_and_the_date_only(played: Cast) -> None:
    (turn,) = played.shown["synthesis"]
    _, asked = turn.messages
    assert tags_of(asked.text) == ["today", "findings"]
    assert QUERY.text not in asked.text
    lines = [json.loads(line) for line in (tag_content("findings", asked.text) or "").splitlines()]
    assert lines[0] == {"sub_problem": SUB_PROBLEM}
    assert lines[1:3] == [{"thought": "Profile first."}, {"thought": "The tube feeder fits."}]
    assert [line["tool"] for line in lines[3:5]] == ["get_user_profile", "product_catalog_search"]
    assert lines[4]["args"] == FEEDER[1]
    assert lines[4]["result"]["hits"][0]["evidence"] == "P:B0TEST0001"
    assert lines[5:] == [{"text": "That is all."}]


def test_the_report_generator_is_told_query_date_and_intermediate_reports_only(played: Cast) -> None:
    (turn,) = played.shown["report"]
    system, asked = turn.messages
    assert isinstance(system, SystemMessage)
    assert tags_of(asked.text) == ["query", "today", "reports"]
    (report,) = json.loads(tag_content("reports", asked.text) or "")
    assert report == {"researcher": 1, "report": json.loads(reported("P:B0TEST0001").text)}
    for unseen in (SUB_PROBLEM, "One is enough.", "The tube feeder fits.", USER):
        assert unseen not in asked.text


END = calls(DONE)
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


@pytest.mark.parametrize(
    "written", ["[P:B0TEST0001]", "B0TEST0001", "`p:b0test0001`", "https://ecommerce.com/B0TEST0001"]
)
def test_an_id_in_another_form_is_read_and_not_asked_for_again(world: World, written: str) -> None:
    played, recorded = consolidated(world, reported(written))
    assert handed_on(played)["insights"][0]["citations"] == ["P:B0TEST0001"]
    assert handed_on(played)["sources"][0]["evidence"] == "P:B0TEST0001"
    assert (len(played.shown["synthesis"]), recorded.run.notes) == (1, ())


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
