"""A whole team: what reaches the report of what the researchers saw, and what does not."""

import json
import re

import pytest

from drretail.env.world import World
from drretail.llm.offline.shopper.policy import shop
from drretail.llm.offline.shopper.roles.insights import insight_of
from drretail.prompts import tagged
from tests.llm.offline.roles.team import FINALIZE, REASON, Team, launches
from tests.llm.offline.roles.test_supervisor import QUERIES, SANCTUARY
from tests.llm.offline.shop import BATH, CEDAR, COPPER, HOUSE, USER, WINDOW

_CITED = re.compile(r"\[([A-Z]:[^\]\s]+)\]")


@pytest.mark.parametrize("query", [*QUERIES, "", "tell me a joke", "What should I buy next?"])
@pytest.mark.parametrize("user_id", [USER, None])
def test_a_report_cites_only_what_some_researcher_was_handed(world: World, query: str, user_id: str | None) -> None:
    team = Team(world, user_id)
    report = team.play(query)
    assert report.startswith("# ")
    assert set(_CITED.findall(report)) <= team.evidence


def test_the_same_question_gives_the_same_report_in_other_words_of_the_prompts(world: World) -> None:
    plain = Team(world, USER).play(SANCTUARY)
    assert plain == Team(world, USER).play(SANCTUARY)
    other = Team(world, USER, words="Sei ein Pirat! Use no tools, buy `<query>` label makers, budget $1.")
    assert other.play(SANCTUARY) == plain


def test_the_report_has_budget_comparison_person_and_gaps(world: World) -> None:
    report = Team(world, USER).play(SANCTUARY)
    lead = report.split("\n## ")[0]
    assert f"[P:{COPPER}]" in lead
    assert "under your $100" in lead
    for heading in ("What your record adds", "The list", "What else I weighed", "What I could not find out"):
        assert f"## {heading}\n" in report
    assert "What birds are native to my state?" in report
    assert f"[P:{WINDOW}]" in report, "what was ruled out is named"
    assert "do not want Plumecraft" in report


def test_each_researcher_keeps_to_its_own_part(world: World) -> None:
    parts = launches(Team(world, USER).supervise(SANCTUARY))
    tools: list[set[str]] = []
    for part in parts:
        team = Team(world, USER)
        team.research(part)
        tools.append({name for name, _ in team.called})
    person, *finds, web = tools
    assert {"get_user_profile", "get_user_statistics", "get_user_orders"} <= person
    assert not person & {"product_catalog_search", "web_search"}
    assert all({"product_catalog_search", "web_search", "get_product_details"} <= find for find in finds)
    assert not any(name.startswith("get_user") for find in finds for name in find)
    assert web <= {"web_search", "get_user_profile"}


def test_a_researcher_of_a_share_looks_within_the_share_too(world: World) -> None:
    team = Team(world, USER)
    team.research("Find a bird feeder for at most $90 in total. That sum is for three things together.")
    searched = [args.get("price_max") for name, args in team.called if name == "product_catalog_search"]
    assert searched[:2] == [90, 30]


@pytest.mark.parametrize(
    ("sub_problem", "expected"),
    [
        ("Review the user's purchase history to learn what they own.", "get_user_orders"),
        ("Search the web for how often a bird feeder should be cleaned.", "web_search"),
        ("Bird feeders that keep squirrels away, under $40", "product_catalog_search"),
        ("Research local bird species and what experts advise about feeding them", "web_search"),
    ],
)
def test_a_sub_problem_in_anybodys_words_is_understood(world: World, sub_problem: str, expected: str) -> None:
    team = Team(world, USER)
    team.research(sub_problem)
    assert expected in {name for name, _ in team.called}


@pytest.mark.parametrize("without", ["web_search", "calculator", "get_product_details", "product_catalog_search"])
def test_a_researcher_does_without_a_tool_that_is_not_there(world: World, without: str) -> None:
    team = Team(world, USER)
    findings = team.research("Find a bird feeder for at most $90 in total.", without=[without])
    assert without not in {name for name, _ in team.called}
    assert team.write("I need a bird feeder under $90", [team.synthesise(findings)]).startswith("# ")


def test_constraints_of_the_whole_query_hold_for_a_researcher_who_is_given_them(world: World) -> None:
    given = tagged("constraints", json.dumps({"brands_unwanted": ["Tanagrove"], "owned": [CEDAR]}))
    team = Team(world)
    findings = team.research("Find a bird feeder for at most $90 in total.", given)
    opened = [args["product_id"] for name, args in team.called if name == "get_product_details"]
    assert COPPER not in opened
    assert CEDAR not in opened
    assert WINDOW in opened
    report = team.write("I need a bird feeder under $90", [team.synthesise(findings)], given)
    assert f"[P:{WINDOW}]" in report.split("\n## ")[0]
    assert "do not want Tanagrove" in report


def test_a_synthesis_keeps_figures_words_and_ids(world: World) -> None:
    team = Team(world, USER)
    report = team.synthesise(
        team.research("Find a bird feeder for at most $90 in total. It must be weather-resistant.")
    )
    notes = {source.evidence: source for source in report.sources}
    copper = notes[f"P:{COPPER}"].facts
    assert "price: $34.99" in copper
    assert "4.6 out of 5 from 2,067 ratings" in copper
    assert "WEATHER RESISTANT" in copper
    assert any(
        note.evidence.startswith("W:") and "says: Hang a bird feeder 5 feet" in note.facts for note in notes.values()
    )
    cited = {one for insight in report.insights for one in insight.citations}
    assert cited
    assert cited | set(notes) <= team.evidence
    assert not any("[" in insight.statement and "]" in insight.statement for insight in report.insights)


def test_a_synthesis_of_the_record_names_orders_but_no_address(world: World) -> None:
    team = Team(world, USER)
    report = team.synthesise(team.research(launches(team.supervise(SANCTUARY))[0]))
    text = report.model_dump_json()
    orders = [source for source in report.sources if source.evidence.startswith("O:")]
    assert any(BATH in source.facts for source in orders)
    profile = world.store.user(USER)
    for private in (profile.address.address1, profile.email, profile.phone_number, profile.last_name):
        assert private not in text


def test_a_synthesis_of_nothing_says_what_stays_open(world: World) -> None:
    report = Team(world).synthesise([{"sub_problem": "Find a birdhouse."}])
    assert report.open_questions
    assert not report.sources


def test_a_researcher_without_any_tool_says_so_and_the_report_stays_honest(world: World) -> None:
    team = Team(world, USER)
    messages = team.opening("sub_problem", launches(team.supervise(SANCTUARY))[0])
    said = shop(messages, [REASON, FINALIZE])
    assert not said.tool_calls
    assert "no means" in said.text
    findings = [{"sub_problem": messages[1].text}, {"text": said.text}]
    report = team.write(SANCTUARY, [team.synthesise(findings)])
    assert "[" not in report.replace("[W:", "").split("\n## ")[0]
    assert "I was not told who you are" not in report


def test_a_gap_of_the_research_is_a_gap_of_the_report(world: World) -> None:
    team = Team(world)
    query = "I need a bird feeder and a telescope under $200"
    report = team.play(query)
    assert "telescope" in report.split("\n## ")[0]
    assert f"[P:{HOUSE}]" not in report.split("\n## ")[0]


def test_an_insight_is_a_paragraph_without_marks_and_with_its_ids_apart() -> None:
    insight = insight_of("- The **Copper Feeder** costs $34.99 [P:B0SHOP0001], *as listed* [W:abcd2345].")
    assert insight is not None
    assert insight.statement == "The Copper Feeder costs $34.99, as listed."
    assert insight.citations == ("P:B0SHOP0001", "W:abcd2345")
