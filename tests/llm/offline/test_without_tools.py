"""Where tools are missing, a report says that nobody could look, and never that there is nothing."""

from collections.abc import Sequence

import pytest

from drretail.env.world import World
from tests.llm.offline.roles.team import Team, brought, launches

from .shop import USER, talk

QUERY = "I need a bird feeder for under $40, and I want to know how often a bird feeder needs cleaning."
CATALOG = ("product_catalog_search", "get_product_details")
RECORD = ("get_user_profile", "get_user_statistics", "get_user_orders", "get_order_details", "update_user_profile")
EVERYTHING = (*CATALOG, *RECORD, "web_search", "calculator")
DENIALS = ("brought no", "showed me no", "that the shop sells", "tells nothing of it", "No page", "Nothing that I read")


def team_report(world: World, without: Sequence[str]) -> tuple[str, str]:
    """The report of a team without these tools, and its supervisor's last thought."""
    team = Team(world, USER)
    parts = launches(team.supervise(QUERY))
    reports = [team.synthesise(team.research(part, without=without)) for part in parts]
    last = team.supervise(QUERY, [[brought(report) for report in reports]])
    (thought,) = [call["args"]["thought"] for call in last.tool_calls if call["name"] == "Reason"]
    return team.write(QUERY, reports), thought


def alone_report(world: World, without: Sequence[str]) -> str:
    return talk(world, QUERY, USER, without=without).report


@pytest.mark.parametrize("relayed", [True, False])
def test_without_any_tool_no_research_is_pretended(world: World, relayed: bool) -> None:
    report = team_report(world, EVERYTHING)[0] if relayed else alone_report(world, EVERYTHING)
    assert "I could not search the shop for a bird feeder, nor look anything up on the web" in report
    assert not any(denial in report for denial in DENIALS)
    assert "[" not in report


@pytest.mark.parametrize("relayed", [True, False])
def test_without_the_catalog_the_web_is_told_and_nothing_is_denied(world: World, relayed: bool) -> None:
    report = team_report(world, CATALOG)[0] if relayed else alone_report(world, CATALOG)
    assert "I could not search the shop for a bird feeder, so I recommend nothing to buy." in report
    assert "[W:" in report
    assert "brought no" not in report
    assert "showed me no" not in report


def test_the_supervisor_claims_no_answer_where_nobody_could_look(world: World) -> None:
    thought = team_report(world, EVERYTHING)[1]
    assert "Every part has an answer" not in thought
    assert "was searched for" not in thought
    assert "could not search the shop" in thought
    assert "None of the" in thought


def test_with_all_tools_nothing_is_said_to_be_out_of_reach(world: World) -> None:
    report, _ = team_report(world, ())
    assert "could not search" not in report
    assert "could not look" not in report
    assert "[P:" in report


def test_a_report_cut_short_names_no_look_up_for_which_there_was_no_tool(world: World) -> None:
    blind = talk(world, QUERY, USER, without=EVERYTHING, turns=0).report
    assert "I would still have" not in blind
