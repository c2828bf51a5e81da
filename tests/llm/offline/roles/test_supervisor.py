"""How a question is divided among researchers, and what happens after their reports."""

import pytest
from langchain_core.messages import AIMessage

from drretail.env.world import World
from drretail.grounding.constraints import read_constraints
from drretail.llm.offline.shopper.needs import read_needs
from drretail.llm.offline.shopper.roles.splitting import MOST_RESEARCHERS
from drretail.records.research import IntermediateReport, SourceNote
from tests.llm.offline.roles.team import Team, brought, launches
from tests.llm.offline.shop import USER

SANCTUARY = (
    "I'm planning a bird sanctuary with a copper bird feeder, a birdhouse and wildflower seeds for my balcony. It must "
    "be weather-resistant, nothing from Plumecraft, and keep my total spending under $100. What birds are native to my "
    "state?"
)
QUERIES = [
    SANCTUARY,
    "Which orthopedic dog bed should I buy for my labrador? It must be machine washable. Under $60.",
    "three bird feeders for at most $25 each, rated at least 4 stars and with at least 100 reviews",
    "I can't decide between a dog bed and a bird feeder, under $50.",
    "I need a humidifier without ozone, a desk lamp, a label maker and a bird bath for less than $120.",
]


def thoughts(turn: AIMessage) -> list[str]:
    return [call["args"]["thought"] for call in turn.tool_calls if call["name"] == "Reason"]


def test_the_first_turn_reasons_and_launches_one_researcher_for_each_part(world: World) -> None:
    turn = Team(world, USER).supervise(SANCTUARY)
    parts = launches(turn)
    assert [call["name"] for call in turn.tool_calls] == ["Reason"] + ["LaunchResearcher"] * 5
    assert "profile" in parts[0]
    assert ["bird feeder" in part and "Find" in part for part in parts] == [False, True, False, False, False]
    assert "What birds are native to my state?" in parts[-1]
    assert len(set(parts)) == len(parts)
    assert thoughts(turn)[0].strip()


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("user_id", [USER, None])
def test_a_part_says_everything_that_its_researcher_has_to_know(world: World, query: str, user_id: str | None) -> None:
    parts = launches(Team(world, user_id).supervise(query))
    assert 1 <= len(parts) <= MOST_RESEARCHERS
    asked = read_needs(query, read_constraints(query))
    finds = [part for part in parts if part.startswith("Find ")]
    read = [need for part in finds for need in read_needs(part, read_constraints(part)).needs]
    assert [(need.name, need.quantity) for need in read] == [(need.name, need.quantity) for need in asked.needs]
    whole = read_constraints(query)
    for part in finds:
        stated = read_constraints(part)
        assert stated.budget == whole.budget
        assert set(stated.brands_unwanted) == set(whole.brands_unwanted)
        assert set(whole.must_not) <= set(stated.must_not)
        assert {one.casefold() for one in whole.must} <= {one.casefold() for one in stated.must}


def test_without_a_user_nobody_is_sent_to_read_a_record(world: World) -> None:
    parts = launches(Team(world).supervise("I need a dog bed under $60"))
    assert parts == [
        "Find a dog bed for at most $60 in total. Bring several with their figures, dear ones and cheap ones."
    ]


def test_when_every_part_is_answered_the_supervisor_finalizes(world: World) -> None:
    team = Team(world)
    query = "I need a dog bed under $60"
    reports = [brought(team.synthesise(team.research(part))) for part in launches(team.supervise(query))]
    turn = team.supervise(query, [reports])
    assert [call["name"] for call in turn.tool_calls] == ["Reason", "Finalize"]


def test_one_researcher_is_not_counted_as_one_of_one(world: World) -> None:
    team = Team(world)
    query = "I need a dog bed under $60"
    reports = [brought(team.synthesise(team.research(part))) for part in launches(team.supervise(query))]
    assert thoughts(team.supervise(query, [reports])) == [
        "The researcher brought something. Every part has an answer. Nothing more is to be gained."
    ]


def test_what_nothing_was_found_for_is_named_at_the_end(world: World) -> None:
    team = Team(world)
    query = "I need a bird feeder and a coffee grinder"
    reports = [brought(team.synthesise(team.research(part))) for part in launches(team.supervise(query))]
    (thought,) = thoughts(team.supervise(query, [reports]))
    assert "Without an answer: coffee grinder." in thought


def test_thoughts_count_a_page_once_and_name_no_price_limit_that_nobody_set(world: World) -> None:
    team = Team(world)
    found = team.research("Find a bird feeder and a birdhouse. What do articles on the web say of cleaning?")
    said = " ".join(str(entry["thought"]) for entry in found if "thought" in entry)
    assert "two pages found" in said
    assert "price limit" not in said
    nothing = team.research("Find a coffee grinder.")
    assert "price limit" not in " ".join(str(entry.get("thought", "")) for entry in nothing)


def test_a_researcher_that_failed_is_sent_once_more_and_only_once(world: World) -> None:
    failed = {"error": {"type": "unavailable", "message": "Researcher 1 came back with nothing."}}
    team = Team(world)
    query = "I need a dog bed under $60"
    again = team.supervise(query, [[failed]])
    assert len(launches(again)) == 1
    assert launches(again)[0].startswith("Find a dog bed for at most $60")
    last = team.supervise(query, [[failed], [failed]])
    assert [call["name"] for call in last.tool_calls] == ["Reason", "Finalize"]


def test_those_who_were_refused_are_launched_in_the_next_turns(world: World) -> None:
    team = Team(world, USER)
    parts = launches(team.supervise(SANCTUARY))
    done = brought(IntermediateReport(open_questions=("Nothing.",)))
    refused = {"error": {"type": "limit", "message": "At most 2 researchers may be launched in one turn."}}
    first = [done, done, refused, refused, refused]
    assert launches(team.supervise(SANCTUARY, [first])) == parts[2:4]
    assert launches(team.supervise(SANCTUARY, [first, [done, done]])) == parts[4:]
    # Only now the reports are looked at as a whole, and one gap is closed.
    gap = launches(team.supervise(SANCTUARY, [first, [done, done], [done]]))
    assert len(gap) == 1
    assert gap[0] not in parts
    last = team.supervise(SANCTUARY, [first, [done, done], [done], [done]])
    assert [call["name"] for call in last.tool_calls] == ["Reason", "Finalize"]


def test_what_the_budget_does_not_hold_is_looked_for_once_more_with_what_is_left(world: World) -> None:
    def of(number: int, title: str, price: str) -> SourceNote:
        return SourceNote(evidence=f"P:B0SHOP{number:04}", title=title, facts=f"price: {price}\nread: its record")

    reports = [
        brought(IntermediateReport(sources=(of(1, "Copper Bird Feeder", "$34.99"),))),
        brought(IntermediateReport(sources=(of(5, "Cedar Birdhouse", "$29.95"),))),
    ]
    turn = Team(world).supervise("I need a bird feeder and a birdhouse under $50 in total", [reports])
    more = "Bring several with their figures, dear ones and cheap ones."
    feeder = f"Find a bird feeder for at most $20.05 in total. {more}"
    house = f"Find a birdhouse for at most $15.01 in total. {more}"
    assert launches(turn) in ([feeder], [house])


def test_a_shopper_who_names_nothing_is_read_first_and_then_served_from_the_orders(world: World) -> None:
    team = Team(world, USER)
    query = "What should I buy next?"
    first = launches(team.supervise(query))
    assert len(first) == 1
    assert "orders" in first[0]
    second = launches(team.supervise(query, [[brought(team.synthesise(team.research(first[0])))]]))
    assert len(second) == 1
    assert second[0].startswith("Find ")


def test_something_is_always_launched(world: World) -> None:
    for query in ("", "tell me a joke", "asdf qwer", "???"):
        assert launches(Team(world).supervise(query))
